"""What `autograd-teach check` runs in a notebook's kernel: the check of each exercise, by the names that the cells have made.

Loads nothing that a notebook has not loaded, above all not nbformat: a kernel would wait a second for it.
"""

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from . import progress_file
from .checking import looked_at
from .exercises import Exercise, exercises

BEGIN, END = "<<autograd-teach results>>", "<<end of results>>"
"""What stands before and after the results in the kernel's output."""


@dataclass(frozen=True)
class Outcome:
    """What the check of one exercise said."""

    exercise: str
    points: int
    passed: bool
    attempted: bool
    passing: int
    checks: int
    message: str = ""
    findings: tuple[dict[str, str], ...] = ()
    """All that is wrong, each by `name` and `message`, the most telling first: `message` is the first one's."""
    remarks: tuple[str, ...] = ()
    """What else to know: above all, what the answer uses that the grader will not have."""


def print_outcomes(ids: list[str], names: dict[str, Any]) -> None:
    """Check each exercise by the name it goes by, remember the outcome, print all as JSON."""
    found = []
    for each in (e for e in exercises() if e.id in ids):
        outcome = _outcome(each, names.get(each.entry))
        progress_file.note_check(
            each.id, outcome.passed, outcome.passing, outcome.checks, outcome.attempted, is_try=False
        )
        found.append(asdict(outcome))
    print(BEGIN + json.dumps(found) + END)


def _outcome(exercise: Exercise, answer: Any) -> Outcome:
    none = Outcome(exercise.id, exercise.points, passed=False, attempted=False, passing=0, checks=0)
    if answer is None:
        return replace(none, message=f"there is no {exercise.entry} in the notebook, or its cell raises")
    try:
        report = looked_at(exercise.id, answer)
    except KeyboardInterrupt as stop:
        return replace(none, attempted=True, message=str(stop))
    findings = tuple(asdict(finding) for finding in report.findings)
    return Outcome(
        exercise.id,
        exercise.points,
        report.passed,
        report.attempted,
        report.passing,
        len(report.lines),
        findings[0]["message"] if findings else "",
        findings,
        report.remarks if report.attempted else (),
    )
