"""Puts a student's answers into the instructor's notebook.

The template is the executed notebook from solutions/: the stored output of its check cells is what they print for a right
answer. Its sources are replaced by those of the released notebook from exercises/, so the result does not contain any line
of a reference solution. An exercise without an answer keeps its stub.

May use the course's notebooks. Must not know files of students. Does not repair their code.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..course.errors import UserError
from ..course.exercises import Exercise
from ..course.notebooks import read_notebook
from .gradebook import fingerprint

Cell = dict[str, Any]
Notebook = dict[str, Any]

SOLUTION_MARK = "### BEGIN SOLUTION"


@dataclass(frozen=True)
class Question:
    """One graded exercise of a notebook, with the ids of its two cells."""

    id: str
    points: float
    answer: str
    check: str
    entry: str = ""  # the name that the answer defines; "" if not known
    declared: str = field(default="", compare=False)  # the hash of its declaration


@dataclass(frozen=True)
class Assignment:
    """One exercise notebook for the grader: the released sources with the reference's stored outputs."""

    name: str  # the notebook's file name without its suffix
    questions: tuple[Question, ...]
    cells: tuple[Cell, ...]
    references: Mapping[str, str]  # exercise id -> the reference's answer, only for the grader's trial run
    notices: tuple[str, ...] = field(default=(), compare=False)  # messages to the instructor

    @property
    def stubs(self) -> dict[str, str]:
        """The answer cells as they were handed out, by exercise id."""
        return {question.id: self.sources[question.answer] for question in self.questions}

    @property
    def sources(self) -> dict[str, str]:
        """The cells as they were handed out, by cell id."""
        return {cell["id"]: cell["source"] for cell in self.cells}

    @property
    def code_cells(self) -> tuple[str, ...]:
        """The ids of the code cells, in the order in which nbval counts them."""
        return tuple(cell["id"] for cell in self.cells if cell["cell_type"] == "code")


def load_assignments(solutions: Path, exercises: Path, declared: Iterable[Exercise]) -> list[Assignment]:
    """One `Assignment` per notebook that `declared` names. Raises `UserError` if a file does not match its exercises."""
    for option, room in (("solutions", solutions), ("exercises", exercises)):
        if not room.is_dir():
            raise UserError(f"There is no folder {room}; give --{option} the folder of the {option}.")
    by_notebook: dict[str, list[Question]] = {}
    for each in declared:
        cells = each.answer_cell, each.check_cell
        question = Question(each.id, each.points, *cells, each.entry, fingerprint.declared(each))
        by_notebook.setdefault(Path(each.notebook).stem, []).append(question)
    return [
        make_assignment(
            name,
            tuple(questions),
            template=read_notebook(solutions / f"{name}.ipynb"),
            released=read_notebook(exercises / f"{name}.ipynb"),
            rooms=(solutions, exercises),
        )
        for name, questions in by_notebook.items()
    ]


def make_assignment(
    name: str,
    questions: tuple[Question, ...],
    *,
    template: Notebook,
    released: Notebook,
    rooms: tuple[Path, Path] = (Path("solutions"), Path("exercises")),
) -> Assignment:
    """Make the assignment `name` from its executed solution (`template`) and the notebook that students got (`released`).
    `rooms` are the folders of the two, for error messages."""
    handed_out = {cell["id"]: cell["source"] for cell in released["cells"]}
    checks = {question.check for question in questions}
    cells = tuple(
        _cell(cell, handed_out.get(cell["id"], cell["source"]), tagged=cell["id"] not in checks)
        for cell in template["cells"]
    )
    _refuse_unfit(f"{name}.ipynb", questions, cells, handed_out, rooms)
    answers = {question.answer: question.id for question in questions}
    references = {answers[cell["id"]]: cell["source"] for cell in template["cells"] if cell["id"] in answers}
    notices = _points_without_effect(questions, template, rooms[0] / f"{name}.ipynb")
    return Assignment(name, questions, cells, references, tuple(notices))


def rebuild(assignment: Assignment, answers: Mapping[str, str]) -> Notebook:
    """The assignment's notebook with `answers` (exercise id -> source) in their cells, and stubs in the other cells."""
    cells = deepcopy(list(assignment.cells))
    by_id = {cell["id"]: cell for cell in cells}
    for question in assignment.questions:
        if question.id in answers:
            by_id[question.answer]["source"] = answers[question.id]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def _cell(cell: Cell, source: str, *, tagged: bool) -> Cell:
    """The parts of a template's cell that nbval needs. Tags (for outputs that vary) are kept unless it is a check."""
    kept: Cell = {
        "id": cell["id"],
        "cell_type": cell["cell_type"],
        "metadata": {"tags": list(cell["metadata"].get("tags", [])) if tagged else []},
        "source": source,
    }
    if cell["cell_type"] == "code":
        kept |= {"execution_count": cell["execution_count"], "outputs": deepcopy(cell["outputs"])}
    return kept


def _points_without_effect(questions: tuple[Question, ...], template: Notebook, path: Path) -> list[str]:
    """One message for each exercise whose check cell has other points than the course declares (which count)."""
    said = {cell["id"]: cell["metadata"].get("nbgrader", {}).get("points") for cell in template["cells"]}
    return [
        f"{question.id} has {said[question.check]} points in {path}, without effect: it is worth {question.points:g}, as "
        f"declared in autograd_teach/course/exercises/. Run `autograd-teach notebooks {path}` to write that into the file."
        for question in questions
        if said[question.check] not in (None, question.points)
    ]


def _refuse_unfit(
    name: str,
    questions: tuple[Question, ...],
    cells: tuple[Cell, ...],
    handed_out: Mapping[str, str],
    rooms: tuple[Path, Path],
) -> None:
    solution, exercise = (room / name for room in rooms)
    release = f"run `autograd-teach release --solutions {rooms[0]} --exercises {rooms[1]}` and grade again"
    by_id = {cell["id"]: cell for cell in cells}
    for question in questions:
        for wanted in (question.answer, question.check):
            if wanted not in by_id or wanted not in handed_out:
                raise UserError(f"The cell {wanted} is not in both {solution} and {exercise}; {release}.")
        check = by_id[question.check]
        if not check.get("outputs") or check["execution_count"] is None:
            raise UserError(
                f"{rooms[0]} seems to hold exercises, not solutions: the check of {question.id} in {solution} has no stored output "
                "to compare with. Give the folder of the solutions with --solutions; or, if it is this one, run `autograd-teach "
                f"notebooks {solution}` and grade again."
            )
    for cell in cells:
        if SOLUTION_MARK in cell["source"]:
            raise UserError(
                f"The cell {cell['id']} of {exercise} holds a solution, which students' code could read; {release}."
            )
