"""Estimates how long a lesson and its exercises take, from the notebooks, by a simple model.

Reading takes 1 minute for 180 words, 8 seconds for a line of code and 45 seconds for a question. Words of Markdown cells
and of the questions' explanations count; a formula counts as four words. Lines of code cells and of code in Markdown
count. Folded text, descriptions of pictures and a section "If you have time" do not count. The statements of exercises
are read at the same speed, and writing an answer takes the minutes of its kind. The model leaves out what differs most
between readers: thinking about a picture, trying changes, looking for a mistake.

Standard library only. `python -m autograd_teach.course.reading_time` prints the numbers.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import content
from .exercises import exercises
from .question import Question, load_questions, quiz_of
from .retrieval import REVIEWED

WORDS_A_MINUTE = 180
SECONDS_A_LINE_OF_CODE = 8
SECONDS_A_QUESTION = 45
WORDS_A_FORMULA = 4
MINUTES_TO_WRITE = {"value": 2, "function": 5, "graph": 5, "gradcheck": 6, "declared": 6, "engine": 20}
"""Minutes to write an answer, by the kind of the exercise."""

STEP = 5
"""The minutes that are shown are multiples of this."""

ASIDE = "If you have time"

_FENCED = re.compile(r"^```.*?^```[ \t]*$", flags=re.DOTALL | re.MULTILINE)
_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", flags=re.DOTALL)
_FOLDED = re.compile(r"<details>.*?</details>", flags=re.DOTALL)
_NOT_READ = re.compile(r"<svg\b.*?</svg>|<[^>]+>|!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|https?://\S+", flags=re.DOTALL)
_ASKS = re.compile(r'^(predict|review|quiz)\("([^"]+)"\)', flags=re.MULTILINE)


@dataclass(frozen=True)
class Load:
    """The amount of reading: words, lines of code and questions."""

    words: int = 0
    lines: int = 0
    questions: int = 0

    def __add__(self, other: "Load") -> "Load":
        return Load(self.words + other.words, self.lines + other.lines, self.questions + other.questions)

    @property
    def minutes(self) -> float:
        """Minutes of reading, by the model.

        >>> Load(words=180, lines=15, questions=4).minutes
        6.0
        """
        seconds = self.lines * SECONDS_A_LINE_OF_CODE + self.questions * SECONDS_A_QUESTION
        return self.words / WORDS_A_MINUTE + seconds / 60


def of_markdown(text: str) -> Load:
    """The words and lines of code in a Markdown text.

    >>> of_markdown("See `x` in [lesson 03](03_the_graph.ipynb): $x^2$.")
    Load(words=9, lines=0, questions=0)
    """
    text = _FOLDED.sub("", text)
    lines = sum(_lines(block) - 2 for block in _FENCED.findall(text))  # without the fences
    rest = _FENCED.sub("", text)
    formulas = len(_FORMULA.findall(rest))
    words = re.findall(r"\S*\w\S*", _NOT_READ.sub(" ", _FORMULA.sub(" ", rest)))
    return Load(len(words) + formulas * WORDS_A_FORMULA, max(lines, 0))


def of_code(source: str) -> Load:
    """The lines of a code cell, and the questions that it asks, with their explanations."""
    load = Load(lines=_lines(_ASKS.sub("", source)))
    for kind, asked in _ASKS.findall(source):
        if kind == "review":
            load += Load(questions=REVIEWED)
            continue
        for question in _asked_by(kind, asked):
            load += Load(questions=1) + of_markdown(question.explanation)
    return load


def _asked_by(kind: str, asked: str) -> list[Question]:
    if kind == "quiz":
        return quiz_of(asked)
    lesson, _, name = asked.partition(".")
    return [question for question in [load_questions(lesson).get(name)] if question]


def of_lesson(path: Path) -> Load:
    """The amount of reading in a lesson."""
    load = Load()
    is_aside = False
    for kind, source in _cells(path):
        if kind == "markdown" and re.match(r"## ", source):
            is_aside = source.startswith(f"## {ASIDE}")
        if not is_aside:
            load += of_markdown(source) if kind == "markdown" else of_code(source)
    return load


def reading_minutes(path: Path) -> float:
    """Minutes to read the lesson in this notebook, with its code and its questions."""
    return of_lesson(path).minutes


def exercise_minutes(path: Path) -> float:
    """Minutes for the exercises in this notebook; 0.0 if there is none."""
    if not path.is_file():
        return 0.0
    load = Load()
    for kind, source in _cells(path):
        if kind == "markdown":
            load += of_markdown(source)
    return load.minutes + sum(MINUTES_TO_WRITE[each.kind] for each in exercises(path.stem))


def shown(minutes: float) -> int:
    """Minutes rounded to the nearest multiple of `STEP`, but at least one step unless they are 0.

    >>> shown(12.4), shown(12.6), shown(1.0), shown(0.0)
    (10, 15, 5, 0)
    """
    return max(STEP, STEP * round(minutes / STEP)) if minutes else 0


def lesson_paths() -> list[Path]:
    """The paths of the lessons, in order."""
    return content.lessons()


def exercise_path(lesson: Path) -> Path:
    """The path of the notebook with the exercises of a lesson. The file may not exist."""
    return content.folder("exercises") / lesson.name


def _cells(path: Path) -> Iterator[tuple[str, str]]:
    notebook: Any = json.loads(path.read_bytes())
    for cell in notebook["cells"]:
        yield cell["cell_type"], "".join(cell["source"])


def _lines(code: str) -> int:
    return sum(bool(line.strip()) for line in code.splitlines())


def main() -> None:
    """Print the model's numbers, exact (for authors) and rounded (as shown to readers)."""
    print(f"{'lesson':<28}{'words':>6}{'lines':>6}{'asks':>5}{'reading':>9}{'shown':>6}{'exercises':>10}{'shown':>6}")
    for path in lesson_paths():
        load, writing = of_lesson(path), exercise_minutes(exercise_path(path))
        print(
            f"{path.stem:<28}{load.words:>6}{load.lines:>6}{load.questions:>5}"
            f"{load.minutes:>9.1f}{shown(load.minutes):>6}{writing:>10.1f}{shown(writing):>6}"
        )


if __name__ == "__main__":
    main()
