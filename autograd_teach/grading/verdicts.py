"""From what was handed in to a mark an exercise, by a `Judge`.

The default judge is the oracle (oracle/judging.py), which needs the answers' sources alone. Here is the other one, nbval:
an exercise's points come when its check cell raised nothing and said what the reference's says. A notebook can forge that
(replace `check`, or what `check` calls); so every mark says who judged it.

Runs nothing itself: how a notebook is run is the `Runner` it is given. Must not know files.
"""

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from .intake import Submission, is_untouched
from .rebuild import Assignment, Question, rebuild
from .record import Limits, Record, Runner
from .results import Mark, Result, Status

JUDGE = "nbval"

Judge = Callable[[Assignment, Mapping[str, str], threading.Event], dict[str, Mark]]
"""(assignment, answers by exercise id, an event that asks to stop) -> a mark for each of the answers."""


def result(
    submission: Submission,
    assignments: list[Assignment],
    judged: Judge,
    stop: threading.Event,
) -> Result:
    """Grade everything that one student handed in."""
    marks = [mark for assignment in assignments for mark in _marks(submission, assignment, judged, stop)]
    return Result(submission.student, tuple(marks), "; ".join(submission.notes))


def by_nbval(runner: Runner, limits: Limits) -> Judge:
    """The judge that believes what nbval records."""
    return lambda assignment, answers, stop: marks_of(assignment, answers, runner, limits, stop)


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
    judged: Judge,
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
    marks |= judged(assignment, written, stop)
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
