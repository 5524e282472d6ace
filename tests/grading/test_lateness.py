"""Points that are taken off for being late: the rule, and what becomes of it in the grades."""

import csv
import io
import os
from datetime import datetime
from pathlib import Path

import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.grading.batch import grade_class, regrade_class
from autograd_teach.grading.gradebook import remarks
from autograd_teach.grading.lateness import Late, penalised
from autograd_teach.grading.notebook_run import Limits
from autograd_teach.grading.results import Adjustment, Mark, Result, Status
from autograd_teach.grading.submissions.selection import Wishes
from tests.grading.classroom import QUESTIONS, assignment
from tests.grading.test_batch import class_of, everything_passes

DUE = "2026-11-20 18:00:00"


@pytest.mark.parametrize(
    ("rule", "grace", "submitted", "off"),
    [
        ("10%/day", "0m", "2026-11-20 18:00:01", 0.8),
        ("10%/day", "0m", "2026-11-21 18:00:00", 0.8),
        ("10%/day", "0m", "2026-11-21 18:00:01", 1.6),
        ("10%/day", "0m", "2027-11-21 18:00:01", 8),
        ("10 % / day", "0m", "2026-11-20 18:00:01", 0.8),
        ("10%/day up to 25%", "0m", "2026-11-27 18:00:00", 2),
        ("100%/week", "0m", "2026-11-20 18:00:01", 8),
        ("12.125%/week up to 100%", "0m", "2026-11-27 18:00:00", 0.97),
        ("1/hour up to 200", "0m", "2026-11-20 20:30:00", 3),
        ("12.5%/week", "0m", "2026-11-27 18:00:00", 1),
        ("1/hour", "0m", "2026-11-20 20:30:00", 3),
        ("5/hour", "0m", "2026-11-20 20:30:00", 8),
        ("5/hour up to 50%", "0m", "2026-11-20 20:30:00", 4),
        ("1/hour", "15m", "2026-11-20 18:15:00", 0),
        ("1/hour", "15m", "2026-11-20 18:15:01", 1),
        ("1/hour", "2h", "2026-11-20 20:00:00", 0),
        ("1/hour", "1d", "2026-11-21 18:00:01", 8),
        ("1/hour", "0m", "2026-11-20 17:00:00", 0),
    ],
)
def test_what_a_rule_takes_off_of_8_points(rule: str, grace: str, submitted: str, off: float) -> None:
    assert Late(rule, DUE, grace).off(datetime.fromisoformat(submitted), 8) == pytest.approx(off)


@pytest.mark.parametrize(
    ("rule", "grace"),
    [
        *(
            (rule, "0m")
            for rule in (
                "",
                "10%",
                "10%/month",
                "-1/day",
                "1e3/day",
                "10%/day up to",
                "10%/day to 50%",
                "٣/day",
                "10%/day up to 50",
                "10% / day  up to 3.5 ",
                "200%/day",
                "100.5 %/day",
                "1/day up to 150%",
            )
        ),
        *(("1/day", grace) for grace in ("", "15", "m", "-1m", "1.5h", "15 min")),
    ],
)
def test_what_is_no_rule_is_refused(rule: str, grace: str) -> None:
    with pytest.raises(UserError, match="is not a rule for --late|is not a time for --grace"):
        Late(rule, DUE, grace)


SAID = {
    ("no", "2026-11-20 17:00:00"): (0, "0", ""),
    ("", ""): (0, "", ""),
    ("yes", "2026-11-21 20:03:00"): (1, "1", "1 day, 2:03:00 late: 1 point taken off (1/week, 1h of grace)"),
    ("yes", "2026-11-20 18:59:00"): (0, "0", "0:59:00 late: 0 points taken off (1/week, 1h of grace)"),
    ("yes", "2026-11-19 18:59:00"): (0, "0", "no points taken off, because its time is not known"),
    ("yes", ""): (0, "0", "no points taken off, because its time is not known"),
    ("unknown", ""): (0, "0", "no points taken off, because its time is not known"),
    ("unknown", "2026-11-19 18:59:00"): (0, "0", "no points taken off, because its time is not known"),
}


@pytest.mark.parametrize("columns", SAID)
def test_a_time_that_is_not_known_costs_nothing_and_is_said(columns: tuple[str, str]) -> None:
    late, submitted = columns
    result = Result("ada", (Mark("square", Status.PASS, 4),), columns=(("late", late), ("submitted", submitted)))
    (found,) = penalised([result], Late("1/week", DUE, "1h"))
    assert (found.penalty, dict(found.columns)["penalty"], found.lateness) == SAID[columns]
    assert found.points == 4 - found.penalty
    assert found.detail == found.lateness
    assert penalised([result], None) == [result]


def test_an_adjustment_is_made_after_the_penalty() -> None:
    by_hand = Mark("square", Status.FAIL, 4, adjusted=Adjustment(3, 4, "so", "Prof", ""))
    columns = (("late", "yes"), ("submitted", "2026-11-20 19:00:00"))
    for rule, penalty in (("50%/hour", 1), ("5/hour", 2)):
        (found,) = penalised(
            [Result("ada", (by_hand, Mark("double", Status.PASS, 2)), columns=columns)], Late(rule, DUE)
        )
        assert (found.penalty, found.points) == (penalty, 5 - penalty)


def test_a_regraded_report_has_the_penalties_of_the_one_before(tmp_path: Path) -> None:
    submissions = class_of(tmp_path / "in", "ada", "bob")
    due = datetime(2026, 11, 20, 18)
    for student, hours in (("ada", -1), ("bob", 30)):
        at = due.timestamp() + 3600 * hours
        os.utime(submissions / f"{student}.ipynb", (at, at))
    shared = {"output": tmp_path, "jobs": 1, "progress": None, "runner": everything_passes}
    late = {"limits": Limits(), "wishes": Wishes(due=due, points=60.0), "late": Late("10%/day", str(due))}
    ada, bob = grade_class(submissions, [assignment()], **shared, **late)  # type: ignore[arg-type]
    assert (ada.points, bob.points, bob.status) == (60, 48, "pass")
    remarks.adjust("bob", "square", 20, because="so", output=tmp_path)
    (ada, bob), changes = regrade_class([assignment()], **shared, timeout=None)  # type: ignore[arg-type]
    assert (ada.points, bob.points, changes) == (60, 52, [])
    with (tmp_path / "grades-2.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = [(row["total"], row["late"], row["penalty"]) for row in csv.DictReader(file)]
    assert rows == [("60", "no", "0"), ("52", "yes", "8")]


def test_a_regraded_report_has_the_exercises_of_the_one_before(tmp_path: Path) -> None:
    """Where two notebooks are graded into one folder, each has a due date of its own."""
    submissions = class_of(tmp_path / "in", "ada", "bob")
    due = datetime(2026, 11, 20, 18)
    at = due.timestamp() + 30 * 3600
    os.utime(submissions / "bob.ipynb", (at, at))
    first = assignment("first", QUESTIONS[:1])
    second = assignment("second", QUESTIONS[1:])
    said = io.StringIO()
    shared = {"output": tmp_path, "jobs": 1, "progress": said, "runner": everything_passes}
    rule = {"limits": Limits(), "late": Late("1/day", str(due))}
    for each, when in ((first, due), (second, due.replace(day=27))):
        wishes = Wishes(only=(each.name,), due=when)
        rule["late"] = Late("1/day", str(when))
        results = grade_class(submissions, [first, second], wishes=wishes, **rule, **shared)  # type: ignore[arg-type]
    again, changes = regrade_class([first, second], timeout=None, **shared)  # type: ignore[arg-type]
    assert [(one.points, one.penalty, one.columns) for one in again] == [
        (one.points, one.penalty, one.columns) for one in results
    ]
    assert [len(one.marks) for one in again] == [2, 2]
    assert changes == []
    assert "Not in the last report, and left as before: first." in said.getvalue()


def test_a_report_without_the_rule_of_the_one_before_says_so(tmp_path: Path) -> None:
    submissions = class_of(tmp_path / "in", "ada")
    said = io.StringIO()
    shared = {"output": tmp_path, "jobs": 1, "progress": said, "runner": everything_passes, "limits": Limits()}
    words = "The last report took points off for lateness (1/day); this one does not: --late was not given."
    for late, is_said in ((None, 0), (Late("1/day", DUE), 0), (Late("1/day", DUE), 0), (None, 1), (None, 1)):
        grade_class(submissions, [assignment()], late=late, **shared)  # type: ignore[arg-type]
        assert said.getvalue().count(words) == is_said
