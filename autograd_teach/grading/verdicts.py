"""From what was handed in and what was recorded to a mark an exercise.

Today's judge is nbval: an exercise's points come when its check cell raised nothing and said what the reference's says.
A notebook can forge that (replace `check`, or what `check` calls), so every mark says `judge: nbval`. The oracle will
take `judge`'s place; what it needs, the answer's source and nothing from the run, is at hand where `judge` is called.

Runs nothing itself: how a notebook is run is the `Runner` it is given. Must not know files.
"""

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import replace

from .intake import Submission, is_untouched
from .rebuild import Assignment, Question, rebuild
from .record import Limits, Record, Runner
from .results import Mark, Result, Status

JUDGE = "nbval"


def result(
    submission: Submission,
    assignments: list[Assignment],
    runner: Runner,
    limits: Limits,
    stop: threading.Event,
) -> Result:
    """Grade everything that one student handed in."""
    marks = [mark for assignment in assignments for mark in _marks(submission, assignment, runner, limits, stop)]
    return Result(submission.student, tuple(marks), "; ".join(submission.notes))


def marks_of(
    assignment: Assignment,
    answers: Mapping[str, str],
    runner: Runner,
    limits: Limits,
    stop: threading.Event,
) -> dict[str, Mark]:
    """A mark for each of `answers` (exercise id -> source).

    One answer cannot take the others down: where it ends the kernel or outruns a limit, the notebook is run again
    without it. There are at most as many runs as answers.
    """
    marks: dict[str, Mark] = {}
    left = dict(answers)
    while left:
        record = runner(rebuild(assignment, left), _checks(assignment), limits, stop)
        judged = {id: judge(assignment, _question(assignment, id), record) for id in left}
        blamed = _blamed(assignment, list(left), record)
        final = judged if blamed is None else {blamed: judged[blamed]}
        marks |= {id: replace(mark, source=_hash(left.pop(id))) for id, mark in final.items()}
    return marks


def judge(assignment: Assignment, question: Question, record: Record) -> Mark:
    """What nbval's record of the notebook says of one exercise."""
    status, detail = _verdict(assignment, question, record)
    return Mark(question.id, status, question.points, detail, JUDGE, record.isolation, record.seconds)


def _marks(
    submission: Submission,
    assignment: Assignment,
    runner: Runner,
    limits: Limits,
    stop: threading.Event,
) -> list[Mark]:
    stubs = assignment.stubs
    marks: dict[str, Mark] = {}
    written: dict[str, str] = {}
    for question in assignment.questions:
        answer = submission.answer(assignment, question)
        if answer.source is None:
            status = answer.status or Status.MISSING
            marks[question.id] = Mark(question.id, status, question.points, answer.detail)
        elif is_untouched(answer.source, stubs[question.id]):
            marks[question.id] = Mark(question.id, Status.NOT_ATTEMPTED, question.points)
        else:
            written[question.id] = answer.source
    marks |= marks_of(assignment, written, runner, limits, stop)
    return [marks[question.id] for question in assignment.questions]


def _verdict(assignment: Assignment, question: Question, record: Record) -> tuple[Status, str]:
    if record.stopped:
        return record.stopped, record.detail
    numbers = assignment.code_cells
    answer = record.cells[numbers.index(question.answer)]
    check = record.cells[numbers.index(question.check)]
    if check.outcome == "passed":
        return Status.PASS, ""
    message = answer.message or check.message or "its check cell does not say what it should"
    out_of_memory = "MemoryError" in message.partition(":")[0]
    return (Status.OUT_OF_MEMORY if out_of_memory else Status.FAIL), message


def _blamed(assignment: Assignment, run: list[str], record: Record) -> str | None:
    """The exercise in whose part of the notebook the run was stopped; None where it was not, or none can be named."""
    if record.stopped_at is None:
        return None
    before = [
        question.id
        for question in assignment.questions
        if question.id in run and assignment.code_cells.index(question.answer) <= record.stopped_at
    ]
    return before[-1] if before else None


def _checks(assignment: Assignment) -> list[int]:
    return [assignment.code_cells.index(question.check) for question in assignment.questions]


def _question(assignment: Assignment, id: str) -> Question:
    return next(question for question in assignment.questions if question.id == id)


def _hash(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()
