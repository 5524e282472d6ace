"""What `autograd-teach check` runs in a notebook's kernel: the check of each exercise, found by its name.

Imports only what a notebook imports. Above all not nbformat, which would cost each kernel a second.
"""

import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from . import progress_file
from .checking import looked_at
from .exercises import Exercise, exercises

BEGIN, END = "<<autograd-teach results>>", "<<end of results>>"
"""The marks before and after the results in the kernel's output."""


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
    """All findings, each with `name` and `message`, the most important first. `message` above is that of the first."""
    remarks: tuple[str, ...] = ()
    """Further sentences, for example about what the answer uses and the grader will not have."""
    outdated: bool = False
    """Whether a pass that was noted after the notebook was saved stays noted, because this is not one."""


def print_outcomes(ids: list[str], names: dict[str, Any], saved: float) -> None:
    """Check the object that each exercise's entry names, store the outcomes and print them as JSON.

    saved: the time at which the notebook was saved, in seconds since 1970.
    """
    time = datetime.fromtimestamp(saved, UTC)
    found = []
    for each in (e for e in exercises() if e.id in ids):
        outcome = _outcome(each, names.get(each.entry))
        stored = progress_file.note_check(
            each.id, outcome.passed, outcome.passing, outcome.checks, outcome.attempted, saved=time
        )
        found.append(asdict(replace(outcome, outdated=not stored)))
    print(BEGIN + json.dumps(found) + END)


def _outcome(exercise: Exercise, answer: Any) -> Outcome:
    none = Outcome(exercise.id, exercise.points, passed=False, attempted=False, passing=0, checks=0)
    if answer is None:
        return replace(none, message=f"the notebook does not define {exercise.entry}, or its cell raises an error")
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
