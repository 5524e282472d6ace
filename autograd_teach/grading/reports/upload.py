"""Writes grades as CSV files for the gradebooks of Moodle and Canvas.

*Moodle*: the student's name, the roster's columns that identify a user, one column per exercise, and `total`.
*Canvas*: the columns Student, ID, SIS User ID, SIS Login ID and Section, in this order, then the assignments, named
"Name (ID)" with Canvas's number if the roster has it. The second row has "Points Possible".

*A penalty* for being late is in Moodle's `total`, not in the exercises' columns, as in grades.csv. Canvas adds up the
columns itself, so there each column has its share of the penalty. A grade that is missing, or failed by a fault of the
grader, is an empty cell, not a 0. Students who are not on the roster are left out. UTF-8, commas, decimal points.

May use results. Must not know how they were made.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ... import files
from ...course.errors import UserError
from ...plain import cell
from ..results import Mark, Result, Status
from .spreadsheet import told, write_new
from .terminal import exercises_of, number

KINDS = ("moodle", "canvas")
Columns = Mapping[str, str]

_IDENTIFYING = {
    "moodle": ("email address", "email", "e-mail", "id number", "username", "user name", "e-mail-adresse", "id-nummer", "anmeldename"),
    "canvas": ("id", "sis user id", "sis login id"),
}  # fmt: skip
_WANTED = {
    "moodle": "Email address, ID number or Username",
    "canvas": "ID, SIS User ID or SIS Login ID, as Canvas exports them",
}
_CANVAS = ("ID", "SIS User ID", "SIS Login ID", "Section")
_NOT_GRADED = (Status.NOT_GRADED, Status.GRADER_ERROR)
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


def refuse_unfit(kind: str, class_: Iterable[Columns]) -> None:
    """Raise `UserError` unless the roster's columns (one mapping per student) identify every student."""
    on_roster = [columns for columns in class_ if _is_on_roster(columns)]
    given = {_plain(name) for columns in on_roster for name in columns} & set(_IDENTIFYING[kind])
    platform = kind.capitalize()
    if not given:
        raise UserError(
            f"--report {kind} needs a column by which {platform} identifies users: {_WANTED[kind]}. Run `grade` once with a "
            "--roster that has it (without --anonymous, which removes these columns)."
        )
    if not any(all(_of(columns, name) for columns in on_roster) for name in given):
        raise UserError(
            f"--report {kind} needs one column of the roster that is filled in for every student: {_WANTED[kind]}."
        )


def write_upload(kind: str, results: Sequence[Result], folder: Path) -> Path:
    """Write `grades-moodle.csv` or `grades-canvas.csv` in `folder` and return its path. An existing file is kept."""
    columns = {result.student: dict(result.columns) for result in results}
    refuse_unfit(kind, columns.values())
    listed = [result for result in results if _is_on_roster(columns[result.student])]
    rows = (_moodle if kind == "moodle" else _canvas)(listed)
    text = files.as_csv([cell(name), *map(_fit, values)] for name, *values in rows)
    with told(folder):
        return write_new(folder, kind, text.encode())


def _moodle(results: Sequence[Result]) -> list[list[str]]:
    exercises = exercises_of(results)
    names = dict.fromkeys(name for result in results for name, _ in result.columns)
    ids = [name for name in names if _plain(name) in _IDENTIFYING["moodle"]]
    rows = [["Full name", *ids, *exercises, "total"]]
    for result in results:
        known = dict(result.columns)
        points = [_points([mark]) for mark in result.marks]
        total = _points(result.marks, result.penalty)
        rows.append([result.student, *(known.get(name, "") for name in ids), *points, total])
    return rows


def _canvas(results: Sequence[Result]) -> list[list[str]]:
    items = _canvas_items(results)
    worth = {mark.exercise: mark.maximum for mark in results[0].marks}
    maxima = [number(sum(worth[exercise] for exercise in held)) for held in items.values()]
    rows = [["Student", *_CANVAS, *items], ["    Points Possible", *[""] * len(_CANVAS), *maxima]]
    for result in results:
        known = [_of(dict(result.columns), _plain(name)) for name in _CANVAS]
        marks = [[mark for mark in result.marks if mark.exercise in held] for held in items.values()]
        share = result.penalty / (_lowered(result.marks) or 1)
        rows.append([result.student, *known, *(_points(each, share * _lowered(each)) for each in marks)])
    return rows


def _canvas_items(results: Sequence[Result]) -> dict[str, list[str]]:
    """The exercises of each Canvas assignment, by its name: those with a column in the roster, like "09.Scale (4711)" or,
    for a whole notebook, "09_custom_functions (4712)". Without any, each exercise is an assignment."""
    exercises = exercises_of(results)
    items: dict[str, list[str]] = {}
    for column in dict.fromkeys(name for result in results for name, _ in result.columns):
        if match := re.fullmatch(r"(?P<name>(?P<chapter>\d\d)[._].+) \(\d+\)", column):
            held = [each for each in exercises if each == match["name"]]
            if match["name"][2] == "_":
                held = [each for each in exercises if each.startswith(f"{match['chapter']}.")]
            items |= {column: held} if held else {}
    return items or {each: [each] for each in exercises}


def _points(marks: Sequence[Mark], off: float = 0) -> str:
    """The sum of the points minus `off`; "" if one of them is not known."""
    is_known = all(mark.adjusted or mark.status not in _NOT_GRADED for mark in marks)
    return number(sum(mark.points for mark in marks) - off) if is_known else ""


def _lowered(marks: Sequence[Mark]) -> float:
    """The points that a penalty reduces: all but adjusted ones."""
    return sum(mark.points for mark in marks if not mark.adjusted)


def _fit(value: str) -> str:
    """`value` as text that a spreadsheet does not compute. Numbers stay numbers, because the platform must find the id."""
    return value if _PLAIN_NUMBER.fullmatch(value) else cell(value)


def _is_on_roster(columns: Columns) -> bool:
    return any(name not in ("submitted", "late", "penalty") for name in columns)


def _of(columns: Columns, name: str) -> str:
    return next((value for column, value in columns.items() if _plain(column) == name), "")


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())
