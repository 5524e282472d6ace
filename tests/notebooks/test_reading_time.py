"""The minutes that lessons and docs/students.md tell: they are the model's of course/reading_time.py, and the model counts what it says.

`python -m tests.notebooks.write_minutes` writes them where they stand.
"""

import json
import re
from pathlib import Path

import pytest

from autograd_teach.course import reading_time
from autograd_teach.course.reading_time import (
    Load,
    exercise_minutes,
    exercise_path,
    lesson_paths,
    of_code,
    of_lesson,
    of_markdown,
    reading_minutes,
    shown,
)
from autograd_teach.course.syllabus import CORE, REFERENCE, syllabus
from tests.notebooks.write_minutes import GUIDE, TOLD, minutes_of, with_minutes


@pytest.mark.parametrize(
    ("text", "load"),
    [
        ("", Load()),
        ("Three short words.", Load(3)),
        ("a → b", Load(2)),
        ("See [this lesson](03_the_graph.ipynb#leaf), https://example.org/a.", Load(3)),
        ("| a | b |\n|---|---|\n| c | d |", Load(4)),
        ("so $x^2 + 1$ is $$y$$", Load(2 + 2 * 4)),
        ("```python\nx = 1\n\ny = 2\n```\nafter", Load(1, 2)),
        ("![what it shows](figures/01.svg) read", Load(1)),
        ("<details><summary>In words</summary>\n\nfolded\n\n</details>\n\nread", Load(1)),
        ("<svg><text>not read</text></svg> <b>read</b>", Load(1)),
    ],
)
def test_what_is_counted_in_a_text(text: str, load: Load) -> None:
    assert of_markdown(text) == load


def test_what_is_counted_in_code() -> None:
    assert of_code("x = 1\n\n# why\ny = 2") == Load(lines=3)
    assert of_code('review("05")') == Load(questions=3)
    assert of_code('predict("99.unknown")') == Load()
    explained = of_code('predict("01.leaf")')
    assert (explained.lines, explained.questions) == (0, 1)


def test_the_model_is_what_it_says() -> None:
    assert Load(words=360).minutes == 2
    assert Load(lines=60).minutes == 8
    assert Load(questions=4).minutes == 3
    told = str(reading_time.__doc__)
    assert "1 minute for 180 words, 8 seconds for a line of code and 45 seconds for a question" in " ".join(
        told.split()
    )


def test_what_may_be_left_out_is_not_counted(tmp_path: Path) -> None:
    texts = ["# 01 · a b", "## One\n\nc", "## If you have time\n\nd e f", "g", "## Last\n\nh"]
    cells = [{"cell_type": "markdown", "source": [text]} for text in texts]
    path = tmp_path / "01_a.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    assert of_lesson(path) == Load(3 + 2 + 2)


def test_every_lesson_takes_time_and_its_exercises_do() -> None:
    for path in lesson_paths():
        assert reading_minutes(path) > 5, path.stem
        assert (exercise_minutes(exercise_path(path)) > 5) == exercise_path(path).exists(), path.stem


def test_the_students_guide_tells_the_models_minutes() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    other = [line for line, new in zip(text.splitlines(), with_minutes(text).splitlines(), strict=True) if line != new]
    assert not other, f"docs/students.md tells other minutes: {other}; run: python -m tests.notebooks.write_minutes"
    rows = re.findall(r"^\| `(\d\d)_", text, flags=re.MULTILINE)
    assert rows == [lesson.number for lesson in syllabus()]


def test_the_readme_tells_the_hours_of_all_lessons_and_of_the_core_path() -> None:
    minutes = {path.name[:2]: sum(minutes_of(path)) for path in lesson_paths()}
    core = sum(minutes[number] for number in ("00", *CORE))
    hours = f"about {sum(minutes.values()) / 60:.0f} hours, the core path {core / 60:.0f}"
    readme = " ".join((GUIDE.parents[1] / "README.md").read_text(encoding="utf-8").split())
    assert hours in readme, f"README.md must say {hours!r}"


@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
def test_a_lesson_tells_the_models_minutes(path: Path) -> None:
    told = [int(number) for number in TOLD.findall(first_cell(path))]
    assert told, f"lessons/{path.name} must tell its minutes in its first cell"
    minutes = [*minutes_of(path)][: len(told)]
    assert told == minutes, f"run: python -m tests.notebooks.write_minutes lessons/{path.name}"
    assert len(told) == 2 or not exercise_path(path).exists()


@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
def test_no_lesson_is_too_long_to_read(path: Path) -> None:
    most = 30 if path.stem[:2] in ("00", *CORE) else 45
    assert reading_minutes(path) < most + 0.1
    stops = path.read_text(encoding="utf-8").count("A good place to stop.")
    assert stops >= reading_minutes(path) // 30, "a place to stop in each longer lesson"


def first_cell(path: Path) -> str:
    return "".join(json.loads(path.read_bytes())["cells"][0]["source"])


def test_minutes_are_written_where_a_table_or_a_lesson_tells_them() -> None:
    reading, practice = minutes_of(lesson_paths()[5])
    names = ["`05_no_grad_and_detach`", "[05 · No grad](05.ipynb)"]
    others = ["| 5 | 1 | 2 | x | text |", "| [05 · No grad](05.ipynb) | 30 | core | text |"]
    table = "\n".join([*(f"| {name} | 1 |  | x | text |" for name in names), *others])
    written = [f"| {name} | {reading} | {practice} | core | text |" for name in names]
    assert with_minutes(table).splitlines() == [*written, *others]
    assert TOLD.findall("*Reading: about 25 minutes. Exercises: about 5 minutes.*") == ["25", "5"]


def test_paths_of_lessons() -> None:
    numbers = {lesson.number for lesson in syllabus()}
    assert {*CORE, *REFERENCE} <= numbers
    assert not {*CORE} & {*REFERENCE}


@pytest.mark.parametrize(("minutes", "rounded"), [(0, 0), (0.3, 5), (7.4, 5), (7.6, 10), (28, 30)])
def test_minutes_are_shown_in_steps(minutes: float, rounded: int) -> None:
    assert shown(minutes) == rounded
