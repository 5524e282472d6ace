"""Walks a class of submissions through intake, run and verdict, to a CSV file and a list of results.

The rooms of this package meet here and nowhere else. Must not know how any of them works.
"""

import math
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TextIO

from ..course.errors import UserError
from . import reports
from .intake import Submission, take_in
from .rebuild import Assignment, load_assignments
from .record import Interrupted, Limits, Runner, run_nbval
from .results import Mark, Result, Status
from .verdicts import marks_of, result


def grade(
    submissions: Path,
    *,
    output: Path,
    exercises: Path,
    solutions: Path,
    timeout: float,
    jobs: int,
    progress: TextIO | None,
) -> list[Result]:
    """Grade the folder or zip `submissions`, write a new `grades.csv` in `output`, and return a result a student.

    `timeout` is in seconds a cell; `jobs` notebooks run at a time. Judge is nbval, isolation a process (verdicts.py,
    record.py say what that is worth). A `UserError` says what is wrong with the arguments, or that the reference
    solution itself does not pass here; a broken submission is a status in its own result.
    """
    from ..course.exercises import exercises as declared

    assignments = load_assignments(solutions, exercises, declared())
    return grade_class(
        submissions,
        assignments,
        output=output,
        limits=Limits(timeout=timeout),
        jobs=jobs,
        progress=progress,
    )


def grade_class(
    submissions: Path,
    assignments: Sequence[Assignment],
    *,
    output: Path,
    limits: Limits,
    jobs: int,
    progress: TextIO | None,
    runner: Runner = run_nbval,
) -> list[Result]:
    """`grade` with the assignments as data and the runner as an argument (a sandbox will be another one)."""
    if not 0 < limits.timeout < math.inf:  # nor nan
        raise UserError("The time limit must be a number of seconds above 0; give --timeout another one.")
    if jobs < 1:
        raise UserError("At least one notebook must run at a time; give --jobs 1 or more.")
    class_ = take_in(submissions, assignments, lambda sentence: reports.say(progress, sentence))
    reports.prepare(output)
    handed_in = [a for a in assignments if any(a.name in s.answers for s in class_)] or list(assignments)
    reports.say(progress, f"{len(class_)} students; grading {', '.join(a.name for a in handed_in)}")
    stop = threading.Event()
    _try_references(handed_in, runner, limits, stop)
    bar = reports.Progress(progress, len(class_))
    results = {s.student: _not_graded(s, handed_in) for s in class_}
    try:
        for one in _graded(class_, handed_in, runner, limits, jobs, stop):
            results[one.student] = one  # the gradebook's place: each result is final here
            bar.show(one)
    finally:
        stop.set()
        bar.close()
        in_order = [results[s.student] for s in class_]
        path = reports.write_csv(in_order, output)
        reports.say(progress, f"{bar.done} of {len(class_)} students graded, written to {path}")
    return in_order


def _graded(
    class_: Sequence[Submission],
    assignments: list[Assignment],
    runner: Runner,
    limits: Limits,
    jobs: int,
    stop: threading.Event,
) -> Iterator[Result]:
    """Results as they come; a fault of the grader itself ends in that student's result and in no other's."""

    def one(submission: Submission) -> Result | None:
        try:
            return None if stop.is_set() else result(submission, assignments, runner, limits, stop)
        except Interrupted:
            return None
        except Exception as problem:  # noqa: BLE001 - whatever it is, the class gets its grades
            detail = f"{type(problem).__name__}: {problem}"
            return _all(submission, assignments, Status.GRADER_ERROR, detail)

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, submission) for submission in class_]
        try:
            for future in as_completed(futures):
                graded = future.result()
                if graded is not None:
                    yield graded
        finally:
            stop.set()


def _try_references(assignments: list[Assignment], runner: Runner, limits: Limits, stop: threading.Event) -> None:
    """The reference must get full points here, or no student can: a broken installation is nobody's failed exercise."""
    for assignment in assignments:
        marks = marks_of(assignment, assignment.references, runner, limits, stop)
        for mark in marks.values():
            if mark.status is not Status.PASS:
                raise UserError(
                    f"Nothing was graded: the reference solution of {mark.exercise} in {assignment.name} does not pass "
                    f"on this machine ({mark.status}: {mark.detail}); repair the installation or the solution first."
                )


def _not_graded(submission: Submission, assignments: list[Assignment]) -> Result:
    return _all(submission, assignments, Status.NOT_GRADED, "")


def _all(submission: Submission, assignments: list[Assignment], status: Status, detail: str) -> Result:
    marks = [
        Mark(question.id, status, question.points, detail)
        for assignment in assignments
        for question in assignment.questions
    ]
    return Result(submission.student, tuple(marks), "; ".join(submission.notes))
