"""Writes the minutes of reading_time.py where they are told: `python -m tests.notebooks.write_minutes [FILE ...]`.

Without a file: docs/students.md. In a table, a row begins with the lesson, as `| `05_no_grad_and_detach` | 25 | 20 | core |` or with a
link to it, and then has the minutes to read, those for the exercises (empty if there are none) and the path. A lesson's first
cell says "Reading: about 25 minutes. Exercises: about 20 minutes."; without exercises, the second sentence is not there.
"""

import re
import sys
from pathlib import Path

from autograd_teach.course.reading_time import exercise_minutes, exercise_path, lesson_paths, reading_minutes, shown
from autograd_teach.course.syllabus import syllabus

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "students.md"
_ROW = re.compile(r"^(\s*\"?\| (?:`|\[)?(\d\d)(?:_| · )[^|]*\|)[^|]*\|[^|]*\|[^|]*\|(?=[^|\n]*\|)", flags=re.MULTILINE)
TOLD = re.compile(r"(?<=Reading: about )\d+(?= minutes)|(?<=Exercises: about )\d+(?= minutes)")


def minutes_of(path: Path) -> tuple[int, int]:
    """The minutes that are told of a lesson: to read it, and for its exercises."""
    return shown(reading_minutes(path)), shown(exercise_minutes(exercise_path(path)))


def with_minutes(text: str) -> str:
    """The text with the model's minutes and the path in each row of its table."""
    ways = {lesson.number: lesson.path for lesson in syllabus()}
    paths = {path.name[:2]: path for path in lesson_paths()}

    def row(found: re.Match[str]) -> str:
        reading, practice = minutes_of(paths[found[2]])
        return f"{found[1]} {reading} | {practice or ''} | {ways[found[2]]} |"

    return _ROW.sub(row, text)


def _rewritten(path: Path) -> str:
    text = with_minutes(path.read_text(encoding="utf-8"))
    lesson = next((each for each in lesson_paths() if each.name == path.name), None)
    if lesson is None:
        return text
    told = iter(minutes_of(lesson))
    return TOLD.sub(lambda _: str(next(told)), text, count=2)


if __name__ == "__main__":
    for each in [Path(name) for name in sys.argv[1:]] or [GUIDE]:
        each.write_text(_rewritten(each), encoding="utf-8")
