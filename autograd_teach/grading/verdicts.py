"""Makes one mark per exercise from a submission, with a `Judge`.

The default judge is the oracle (oracle/judging.py), which needs only the sources of the answers. The other judge, nbval, is
here: an exercise gets its points if its check cell raised nothing and printed what the reference's check printed. A notebook
can forge that (by replacing `check`, or what `check` calls), so every mark names its judge.

What nbval says is also the record shown beside another judge's verdict (`Recorded`): the message of the check, which names
the mistake. The record neither gives nor takes points, even if making it fails.

Does not run notebooks itself: a `Runner` is passed in. Must not know files.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ..course.errors import UserError
from ..plain import tidy
from .notebook_run import Limits, NotebookRun, Runner
from .oracle.reaching import reaching
from .rebuild import Assignment, Question, rebuild
from .results import FAILED, NOT_RUN, PASSED, Mark, Result, Status, hash_of
from .sandbox import Interrupted
from .submissions.answers import Answer, is_untouched
from .submissions.intake import Submission

JUDGE = "nbval"
LONGEST_WORDS = 300
_NOT_AS_IT_SHOULD = "its check cell does not say what it should"

_ENDED = {Status.TIMEOUT, Status.DIED, Status.OUT_OF_MEMORY}
"""An answer that ended like this under a judge would do so again in the record and use up its time limit."""

_RECORDED = {Status.PASS: PASSED, Status.FAIL: FAILED}

Judge = Callable[[Assignment, Mapping[str, str], threading.Event], dict[str, Mark]]
"""(assignment, answers by exercise id, event that asks to stop) -> marks by exercise id, one for each answer."""


class NoJudge(UserError):
    """No judge is left. The run ends with this message, and students without a mark stay ungraded."""


def result(submission: Submission, assignments: list[Assignment], judged: Judge, stop: threading.Event) -> Result:
    """Grade everything that one student handed in. Returns one mark per exercise of `assignments`."""
    marks = [mark for assignment in assignments for mark in _marks(submission, assignment, judged, stop)]
    return Result(submission.student, tuple(marks), "; ".join(submission.notes))


@dataclass(frozen=True)
class Recorded:
    """A judge that adds nbval's record to the marks of another judge."""

    judge: Judge
    runner: Runner
    limits: Limits

    def __call__(self, assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
        return self.record(assignment, answers, self.judge(assignment, answers, stop), stop)

    def record(
        self, assignment: Assignment, answers: Mapping[str, str], marks: Mapping[str, Mark], stop: threading.Event
    ) -> dict[str, Mark]:
        """Add nbval's record to those of `marks` (of `answers`) that lack one. Verdicts do not change."""
        lacking = {id: mark for id, mark in marks.items() if not has_record(mark)}
        runnable = {id: source for id, source in answers.items() if marks[id].status not in _ENDED}
        if not lacking.keys() & runnable.keys():
            return {**marks, **{id: replace(mark, recorded=NOT_RUN) for id, mark in lacking.items()}}
        try:
            records = marks_of(assignment, runnable, self.runner, self.limits, stop)
        except Interrupted:
            raise
        except Exception as problem:  # noqa: BLE001 - the points stay, whatever fails here
            said = tidy(f"{type(problem).__name__}: {problem}", LONGEST_WORDS)
            fault = Mark("", Status.GRADER_ERROR, 0, recorded=Status.GRADER_ERROR, said=said)
            records = dict.fromkeys(runnable, fault)
        not_run = Mark("", Status.NOT_GRADED, 0, recorded=NOT_RUN)
        return {**marks, **{id: with_record(mark, records.get(id, not_run)) for id, mark in lacking.items()}}


def has_record(mark: Mark) -> bool:
    """Whether `mark` has its record. A record that failed through the grader's fault is made again."""
    return mark.recorded not in ("", Status.GRADER_ERROR)


def with_record(mark: Mark, record: Mark) -> Mark:
    """Return `mark` with the record of `record`."""
    words = {"recorded": record.recorded, "said": record.said, "recorded_under": record.recorded_under}
    return replace(mark, **words, by_the_clock=mark.by_the_clock or record.by_the_clock)  # type: ignore[arg-type]


def by_nbval(runner: Runner, limits: Limits) -> Judge:
    """The judge whose verdict is nbval's record."""
    return lambda assignment, answers, stop: marks_of(assignment, answers, runner, limits, stop)


def marks_of(
    assignment: Assignment, answers: Mapping[str, str], runner: Runner, limits: Limits, stop: threading.Event
) -> dict[str, Mark]:
    """Run the notebook with `answers` (exercise id -> source) and return a mark for each of them.

    An answer does not affect the marks of the others: if it ends the kernel or exceeds a limit, the notebook is run again
    without it. There are at most as many runs as answers.
    """
    marks: dict[str, Mark] = {}
    left = dict(answers)
    checks = [assignment.code_cells.index(question.check) for question in assignment.questions]
    while left:
        record = runner(rebuild(assignment, left), checks, limits, stop)
        judged = {q.id: judge(assignment, q, record) for q in assignment.questions if q.id in left}
        blamed = _blamed(assignment, list(left), record)
        final = judged if blamed is None else {blamed: judged[blamed]}
        marks |= {id: replace(mark, source=hash_of(left.pop(id))) for id, mark in final.items()}
    return marks


def judge(assignment: Assignment, question: Question, record: NotebookRun) -> Mark:
    """The mark of one exercise, from nbval's record of the notebook."""
    status, detail = _verdict(assignment, question, record)
    given = (question.id, status, question.points, detail, JUDGE, record.isolation, record.seconds)
    said = "" if detail == _NOT_AS_IT_SHOULD else tidy(detail, LONGEST_WORDS)  # the check's own words, not ours
    mark = Mark(*given, said=said, by_the_clock=record.by_the_clock)
    return replace(mark, recorded=_RECORDED.get(status, status), recorded_under=record.isolation)


def _marks(submission: Submission, assignment: Assignment, judged: Judge, stop: threading.Event) -> list[Mark]:
    stubs = assignment.stubs
    marks: dict[str, Mark] = {}
    written: dict[str, str] = {}
    judged_before: dict[str, Mark] = {}
    for question in assignment.questions:
        answer = submission.answer(assignment, question)
        if answer.verdict:
            judged_before[question.id] = answer.verdict
        if answer.source is None:
            status = answer.status or Status.MISSING
            marks[question.id] = Mark(question.id, status, question.points, answer.detail)
        elif is_untouched(answer.source, stubs[question.id]):
            marks[question.id] = Mark(question.id, Status.NOT_ATTEMPTED, question.points)
        else:
            written[question.id] = answer.source
    if judged_before and isinstance(judged, Recorded):
        marks |= judged.record(assignment, written, judged_before, stop)
    else:
        marks |= judged(assignment, written, stop)
    return [_as_handed_in(marks[q.id], submission.answer(assignment, q)) for q in assignment.questions]


def _as_handed_in(mark: Mark, answer: Answer) -> Mark:
    """Return `mark` with what is known about its answer without running it."""
    reaches = mark.reaches or (reaching(answer.source) if mark.source and answer.source else ())
    mark = replace(mark, claimed=answer.claimed, reaches=reaches)
    if answer.source is None or mark.origin:
        return mark
    detail = "; ".join(filter(None, (mark.detail, answer.detail)))
    return replace(mark, origin=answer.detail, detail=detail)


def _verdict(assignment: Assignment, question: Question, record: NotebookRun) -> tuple[Status, str]:
    if record.stopped:
        return record.stopped, record.detail
    numbers = assignment.code_cells
    answer = record.cells[numbers.index(question.answer)]
    check = record.cells[numbers.index(question.check)]
    if check.outcome == "passed":
        return Status.PASS, ""
    message = tidy(answer.message or check.message, LONGEST_WORDS) or _NOT_AS_IT_SHOULD
    out_of_memory = "MemoryError" in message.partition(":")[0]
    return (Status.OUT_OF_MEMORY if out_of_memory else Status.FAIL), message


def _blamed(assignment: Assignment, run: list[str], record: NotebookRun) -> str | None:
    """The exercise at which the run was stopped; None if it was not stopped, or if no exercise can be blamed."""
    if record.stopped_at is None:
        return None
    place, last = assignment.code_cells.index, record.stopped_at
    before = [q.id for q in assignment.questions if q.id in run and place(q.answer) <= last]
    return before[-1] if before else None
