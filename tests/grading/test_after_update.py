"""Grading reads the student's answers after `update` and `update --from`, whatever both sides have changed. Nothing runs here."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from nbformat import NotebookNode

from autograd_teach.course import lab
from autograd_teach.course.notebooks import read_notebook, write_notebook
from autograd_teach.course.take_up import take_up
from autograd_teach.course.update import update
from autograd_teach.grading.submissions.answers import read_answers
from tests.course.student_folder import EXERCISE, Course, packed
from tests.grading.classroom import load_once

ROOT = Path(__file__).parents[2]
CUSTOM = next(
    each for each in load_once(ROOT / "solutions", ROOT / "exercises", ()) if each.name == Path(EXERCISE).stem
)
SOLVED = {question.answer: CUSTOM.references[question.id] for question in CUSTOM.questions}
SCALE, CHECK = "scale-answer", "scale-check"
OTHER = "class Scale(Function):\n    pass  # not this"
FENCED = f'class Scale(Function):\n    """\n```python\n{OTHER}\n```\n~~~~\n"""'
TEXT = f"My answer:\n\n```python\n{SOLVED[SCALE]}\n```\nIt scales."


@dataclass(frozen=True)
class Conflict:
    """The cells that the student has written in the folder, and what the other side has in them."""

    here: dict[str, str]
    there: dict[str, str]
    kind: str = "code"
    """The type that the student gave to the cell with the answer to Scale."""


CONFLICTS = {
    "an answer": Conflict(SOLVED, {SCALE: OTHER}),
    "an answer that the other side has emptied": Conflict(SOLVED, {SCALE: " "}),
    "all answers": Conflict(SOLVED, {id: source.replace("return", "return 0 *") for id, source in SOLVED.items()}),
    "an answer with fences in it": Conflict(SOLVED, {SCALE: FENCED}),
    "an answer in a Markdown cell": Conflict(SOLVED | {SCALE: TEXT}, {SCALE: OTHER}, "markdown"),
    "an answer in a raw cell": Conflict(SOLVED, {SCALE: OTHER}, "raw"),
    "an answer in a Markdown cell, and no conflict": Conflict(SOLVED | {SCALE: TEXT}, {"intro": "New"}, "markdown"),
    "a check": Conflict(SOLVED | {CHECK: "# mine"}, {CHECK: f"{OTHER}\n# theirs"}),
    "the text above an answer": Conflict(
        SOLVED | {"scale-statement": "Mine"}, {"scale-statement": f"```\n{OTHER}\n```"}
    ),
    "the set-up": Conflict(SOLVED | {"setup": "import math"}, {"setup": "import operator"}),
    "all cells": Conflict(
        SOLVED | {CHECK: "# mine", "intro": "Mine", "setup": "import math"},
        {SCALE: FENCED, CHECK: "# theirs", "intro": "Theirs", "setup": "import operator"},
    ),
}


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    return Course(tmp_path, monkeypatch)


def write(path: Path, sources: dict[str, str], kind: str = "code") -> Path:
    """Set the sources of cells by their ids, and the type of the answer to Scale."""
    notebook = read_notebook(path)
    for place, cell in enumerate(notebook.cells):
        cell.source = sources.get(cell.id, cell.source)
        if cell.id == SCALE and kind != "code":
            made = {"id": cell.id, "cell_type": kind, "source": cell.source, "metadata": cell.metadata}
            notebook.cells[place] = NotebookNode(made)
    write_notebook(path, notebook)
    return path


def answers(course: Course) -> dict[str, str]:
    """The answers as the grader reads them, by the ids of their cells."""
    _, found = read_answers((course.folder / EXERCISE).read_bytes(), [CUSTOM])
    return {question.answer: (found[question.id].source or "").strip() for question in CUSTOM.questions}


def newer_course(course: Course, there: dict[str, str]) -> None:
    write(course.source / EXERCISE, there)
    update(course.folder)


def newer_course_without_a_record(course: Course, there: dict[str, str]) -> None:
    (course.folder / lab.MANIFEST).unlink()
    newer_course(course, there)


def file_from_elsewhere(course: Course, there: dict[str, str]) -> None:
    path = course.folder.parent / "elsewhere.ipynb"
    path.write_bytes((course.source / EXERCISE).read_bytes())
    take_up(course.folder, write(path, there))


def into_a_newer_course(course: Course, there: dict[str, str]) -> None:
    path = (course.folder / EXERCISE).rename(course.folder.parent / "mine.ipynb")
    write(course.source / EXERCISE, {id: text for id, text in there.items() if id not in SOLVED})
    course.folder = course.folder.parent / "new"
    take_up(course.folder, path)


def zip_of_a_website_that_keeps_both(course: Course, there: dict[str, str]) -> None:
    """The website merges no cells: what is imported there lies beside the notebook, and comes along in the .zip."""
    path = course.folder.parent / "theirs.ipynb"
    path.write_bytes((course.source / EXERCISE).read_bytes())
    copy = EXERCISE.replace(".ipynb", " (imported 2026-11-23).ipynb")
    work = packed(path.with_suffix(".zip"), {EXERCISE: course.text(EXERCISE), copy: write(path, there).read_bytes()})
    course.folder = course.folder.parent / "new"
    take_up(course.folder, work)


MERGES = [
    newer_course,
    newer_course_without_a_record,
    file_from_elsewhere,
    into_a_newer_course,
    zip_of_a_website_that_keeps_both,
]


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize("conflict", CONFLICTS.values(), ids=CONFLICTS)
def test_the_student_s_answers_are_graded_after_a_merge(
    course: Course, conflict: Conflict, merge: Callable[[Course, dict[str, str]], None]
) -> None:
    write(course.folder / EXERCISE, conflict.here, conflict.kind)
    assert answers(course) == SOLVED
    merge(course, conflict.there)
    assert answers(course) == SOLVED
