"""What `autograd-teach check` runs in a notebook's kernel: the check of each exercise, by the names that the cells have made.

Loads nothing that a notebook has not loaded, above all not nbformat: a kernel would wait a second for it.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

from . import progress_file
from .checking import looked_at
from .exercises import exercises

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
    """What else to know: above all, what the answer uses that `grade` will not have."""


def print_outcomes(ids: list[str], names: dict[str, Any]) -> None:
    """Check each exercise by the name it goes by, remember the outcome, print all as JSON."""
    found = []
    for each in (e for e in exercises() if e.id in ids):
        answer = names.get(each.entry)
        if answer is None:
            outcome = Outcome(
                each.id,
                each.points,
                False,
                False,
                0,
                0,
                f"there is no {each.entry} in the notebook, or its cell raises",
            )
        else:
            report = looked_at(each.id, answer)
            findings = tuple(asdict(finding) for finding in report.findings)
            outcome = Outcome(
                each.id,
                each.points,
                report.passed,
                report.attempted,
                report.passing,
                len(report.lines),
                findings[0]["message"] if findings else "",
                findings,
                report.remarks if report.attempted else (),
            )
        progress_file.note_check(
            each.id, outcome.passed, outcome.passing, outcome.checks, outcome.attempted, is_try=False
        )
        found.append(asdict(outcome))
    print(BEGIN + json.dumps(found) + END)
