"""Results for other programs: all of them as JSON, and one student's as Gradescope's `results.json`.

May use results. Must not know how they were made.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ... import files
from ...course.errors import UserError
from ...plain import visible
from ..results import Mark, Result, Status
from .mistakes import Found, for_student, told_before
from .page import MEANING, of_check, sentence
from .spreadsheet import told, write_new
from .terminal import number

FORMAT = 1
"""Increased when a field of the JSON changes its meaning or is removed."""

_OF_STUDENT = ("student", "status", "points", "maximum", "penalty", "lateness", "comments", "judge", "isolation")


def write_json(results: Sequence[Result], folder: Path) -> Path:
    """Write `grades.json` for the instructor, with everything known about every mark. An existing file is kept."""
    with told(folder):
        return write_new(folder, "json", _as_bytes(as_json(results)))


def as_json(results: Sequence[Result]) -> dict[str, Any]:
    """The results as JSON data.

    >>> as_json([Result("ada", (Mark("scale", Status.PASS, 2),))])["students"][0]["points"]
    2
    """
    return {"format": FORMAT, "students": [_student(result) for result in results]}


def write_gradescope(results: Sequence[Result], folder: Path) -> Path:
    """Write Gradescope's `results.json`, for one student: Gradescope runs the grader once per submission.

    Gradescope fixes the name, and the content can be made again from the gradebook, so an existing file is replaced.
    """
    refuse_class(len(results))
    with told(folder):
        path = folder / "results.json"
        files.replace(path, _as_bytes(as_gradescope(results[0])))
        return path


def refuse_class(students: int) -> None:
    """Raise `UserError` unless there is exactly one student."""
    if students != 1:
        raise UserError(
            f"Gradescope's results.json is for one student, but there are {students} students; "
            "give a folder with one submission for --report gradescope."
        )


def as_gradescope(result: Result) -> dict[str, Any]:
    """One student's result in Gradescope's format. The student may see all of it.

    What is worth a look is not in it: a hidden test would also hide the student's total, so the student would notice. It is
    in the grader's output, which only the instructor sees.

    >>> as_gradescope(Result("ada", (Mark("scale", Status.PASS, 2),)))["tests"][0]["status"]
    'passed'
    """
    result = for_student(result)
    same = told_before(result.marks)
    seconds = {mark.source: mark.seconds for mark in result.marks}.values()
    return {
        "score": result.points,
        "execution_time": round(sum(seconds)),
        "output": _lines(
            f"{number(result.points)} of {number(result.maximum)} points.",
            *(sentence(result.lateness), *result.comments, result.note),
        ),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",  # the grader's own output is for the instructor
        "tests": [_test(place, mark, same.get(mark.exercise, "")) for place, mark in enumerate(result.marks, 1)],
        "extra_data": {"judge": result.judge, "isolation": result.isolation},
    }


def _test(place: int, mark: Mark, same: str) -> dict[str, Any]:
    """One exercise; `same` is an earlier one with the same finding."""
    found = Found.of(mark)
    why = [f"What was found is the same as for {same}." if same else found.detail, of_check(mark.recorded).words]
    why += [found.diagnosis if found.said and not same else "", sentence(mark.origin)]
    has_all = mark.points >= mark.maximum if mark.adjusted else mark.status is Status.PASS
    return {
        "number": str(place),
        "name": mark.exercise,
        "score": mark.points,
        "max_score": mark.maximum,
        "status": "passed" if has_all else "failed",
        "output": _lines(MEANING[mark.status].words, sentence(str(mark.adjusted or "")), mark.comment, *why),
        "output_format": "text",
        "visibility": "visible",
        "extra_data": {"status": str(mark.status)},
    }


def _lines(*said: str) -> str:
    return visible("\n".join(filter(None, said)))


def _student(result: Result) -> dict[str, Any]:
    marks = [
        {**asdict(mark), "share": mark.share, "points": mark.points, "contradiction": mark.contradiction}
        for mark in result.marks
    ]
    own = {name: getattr(result, name) for name in (*_OF_STUDENT, "note", "recorded")}
    return {**own, "columns": dict(result.columns), "marks": marks}


def _as_bytes(data: dict[str, Any]) -> bytes:
    # A student's text may contain half of a surrogate pair, which JSON can encode but UTF-8 cannot.
    return json.dumps(data, indent=2, ensure_ascii=True, default=str).encode() + b"\n"
