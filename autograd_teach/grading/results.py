"""The outcome of an exercise (`Mark`), of a student (`Result`), and the statuses that either can have.

Plain data. Must not know how it was made.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The outcome of an exercise or a student. The default is `not_graded`, never a pass.

    >>> Status.TIMEOUT == "timeout"
    True
    """

    NOT_GRADED = "not_graded"  # the run was stopped before this student's turn
    PASS = "pass"
    PARTIAL = "partial"  # some points, not all: of a student, or of an exercise with weighted checks
    FAIL = "fail"
    NOT_ATTEMPTED = "not_attempted"  # the answer cell is as it was handed out, or empty
    MISSING = "missing"  # no answer cell, or no notebook
    TIMEOUT = "timeout"
    DIED = "died"  # the kernel ended in the middle of a cell
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    INVALID_NOTEBOOK = "invalid_notebook"  # unreadable, too large, or two different answers to one exercise
    PROTOCOL_ERROR = "protocol_error"  # the reply or record is not what was asked for
    GRADER_ERROR = "grader_error"  # a fault of the grader or the machine: grade this student again


MOST_NAMED = 20
"""Students who are absent, or not on the roster, that a terminal lists at most."""

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"
"""What a record says about a check cell, in addition to the statuses of a run that was ended."""


@dataclass(frozen=True)
class Adjustment:
    """Points that a person gave instead of the judge: `points` of `maximum`, in the points of the report at that time."""

    points: float
    maximum: float
    because: str
    by: str
    when: str  # in UTC
    signed: bool = True  # whether the student is told who

    def of(self, maximum: float) -> float:
        """The points if the exercise is worth `maximum` now: the same share of it.

        >>> Adjustment(1.5, 2, "right but for a sign", "root", "2026-11-20").of(4)
        3.0
        """
        return maximum * self.points / self.maximum if self.maximum else self.points

    def __str__(self) -> str:
        by = f" by {self.by}" if self.by else ""
        return f"adjusted to {self.points:g} of {self.maximum:g}{by}, {self.when[:10]}: {self.because}"


@dataclass(frozen=True)
class Mark:
    """One student's outcome in one exercise: the verdict, its evidence, and nbval's record."""

    exercise: str
    status: Status
    maximum: float
    detail: str = ""
    judge: str = ""  # who gave the verdict; "" if nothing had to be run for it
    isolation: str = ""  # what stood between the student's code and this machine
    seconds: float = 0.0
    source: str = ""  # SHA-256 of the answer that was judged
    seed: str = ""  # seed of the oracle's inputs; the same seed gives the same verdict again
    versions: str = ""  # versions of everything that the verdict depends on
    recorded: str = ""  # what nbval recorded of its check cell; "" if there is no record. Does not affect points
    said: str = ""  # the check's message in that record, as one line; a student's program may have written it
    recorded_under: str = ""  # the isolation of that run
    by_the_clock: bool = False  # stopped by the wall clock; counts only after a second run, alone
    reaches: tuple[str, ...] = ()  # suspicious names in the source, as "line 3: sys._getframe". Does not affect points
    claimed: bool = False  # the stored output of its check cell said "passed" when handed in. Does not affect points
    origin: str = ""  # the part of `detail` that says where the answer is from: definitions taken from other cells
    part: float = 0.0  # for `partial`: the weights of the checks that pass, as a share of all weights
    adjusted: Adjustment | None = None  # by a person; stored apart from the mark, like `comment`
    comment: str = ""  # a person's comments to the student, one per line

    @property
    def share(self) -> float:
        """The judge's share of the points, from 0 to 1: all or nothing, unless the exercise's checks have weights.

        >>> Mark("scale", Status.PASS, 2).share, Mark("scale", Status.PARTIAL, 2, part=0.25).points
        (1, 0.5)
        """
        if self.status is Status.PARTIAL:
            return self.part
        return 1 if self.status is Status.PASS else 0

    @property
    def points(self) -> float:
        """The judge's points, unless a person has adjusted them."""
        return self.adjusted.of(self.maximum) if self.adjusted else self.maximum * self.share

    @property
    def contradiction(self) -> str:
        """How the record contradicts the verdict, in plain words, or "": an instructor should look at these marks.

        >>> Mark("scale", Status.FAIL, 2, recorded="passed").contradiction
        'its own check says it passes'
        >>> Mark("scale", Status.FAIL, 2, recorded="failed").contradiction
        ''
        >>> Mark("scale", Status.FAIL, 2, claimed=True).contradiction
        'its check said passed when it was handed in'
        """
        if self.status is Status.PASS:
            return _NOT_AS_WELL.get(self.recorded, "")
        says = ["its own check says it passes"] * (self.recorded == PASSED)
        is_known = self.status not in (Status.NOT_GRADED, Status.GRADER_ERROR)
        says += ["its check said passed when it was handed in"] * (self.claimed and is_known)
        return "; ".join(says)


_NOT_AS_WELL: Mapping[str, str] = {
    FAILED: "its own check says it does not pass",
    Status.TIMEOUT: "in the notebook it took too long",
    Status.DIED: "in the notebook it ended the kernel",
    Status.OUT_OF_MEMORY: "in the notebook it was out of memory",
    Status.OUTPUT_LIMIT: "in the notebook it printed too much",
}
"""What contradicts a pass, by the record. A fault of the grader does not."""


_GRAVEST_FIRST = (
    *(Status.NOT_GRADED, Status.GRADER_ERROR, Status.PROTOCOL_ERROR, Status.INVALID_NOTEBOOK),
    *(Status.TIMEOUT, Status.DIED, Status.OUT_OF_MEMORY, Status.OUTPUT_LIMIT),
    *(Status.FAIL, Status.NOT_ATTEMPTED, Status.MISSING),
)


@dataclass(frozen=True)
class Result:
    """One student's marks, one for each exercise that was graded, in the course's order."""

    student: str
    marks: tuple[Mark, ...]
    note: str = ""  # remarks of intake: a copy that does not count, a file that is not a notebook
    columns: tuple[tuple[str, str], ...] = ()  # more columns of the report: from the roster, and when it was handed in
    penalty: float = 0  # points taken off for being late
    lateness: str = ""  # why points were taken off, or why not
    comments: tuple[str, ...] = ()  # a person's comments to the student that are not on one exercise

    @property
    def is_absent(self) -> bool:
        """Whether nothing was handed in, and nobody gave points all the same."""
        return not (self.note or self.points) and all(mark.status is Status.MISSING for mark in self.marks)

    @property
    def points(self) -> float:
        return max(0, round(sum(mark.points for mark in self.marks) - self.penalty, 12))  # 0.3 - 0.1 - 0.2 is 0

    @property
    def maximum(self) -> float:
        return sum(mark.maximum for mark in self.marks)

    @property
    def status(self) -> Status:
        """`pass` if all exercises pass, `partial` if some give points, else the gravest status of any.

        >>> Result("ada", (Mark("scale", Status.PASS, 2), Mark("exp", Status.TIMEOUT, 2))).status.value
        'partial'
        """
        statuses = {mark.status for mark in self.marks}
        if statuses == {Status.PASS}:
            return Status.PASS
        if statuses & {Status.PASS, Status.PARTIAL}:
            return Status.PARTIAL
        return next((status for status in _GRAVEST_FIRST if status in statuses), Status.MISSING)

    @property
    def judge(self) -> str:
        return _joined(mark.judge for mark in self.marks)

    @property
    def isolation(self) -> str:
        """The isolation of every run, including those for the record."""
        names = [f"{mark.isolation}+{mark.recorded_under}" for mark in self.marks]
        return _joined("+".join(names).split("+"))

    @property
    def recorded(self) -> str:
        """How many of the check cells that nbval ran pass; "" if it ran none.

        >>> Result("ada", (Mark("a", Status.PASS, 2, recorded="passed"), Mark("b", Status.FAIL, 2, recorded="failed"))).recorded
        '1 of 2'
        """
        records = [mark.recorded for mark in self.marks if mark.recorded]
        return f"{records.count(PASSED)} of {len(records)}" if records else ""

    @property
    def detail(self) -> str:
        """One line about exercises that did not pass, or whose answers need a remark. Exercises with the same remark
        share it.

        >>> Result("ada", (Mark("scale", Status.PASS, 2), Mark("exp", Status.FAIL, 2, "no"))).detail
        'exp: fail (no)'
        """
        alike: dict[str, list[str]] = {}
        for mark in self.marks:
            is_odd = mark.contradiction or mark.reaches or mark.adjusted or mark.origin
            if is_odd or mark.status is not Status.PASS:
                alike.setdefault(_words(mark), []).append(mark.exercise)
        parts = [
            said if len(names) == len(self.marks) > 1 else f"{', '.join(names)}: {said}"
            for said, names in alike.items()
        ]
        return "; ".join(filter(None, (*parts, self.lateness, self.note)))


def _words(mark: Mark) -> str:
    """A mark in one line: a person's adjustment, a contradiction with its own check, what it reaches for, its detail, and
    the check's message if that adds anything.

    >>> _words(Mark("scale", Status.FAIL, 2, "not so: backward is right", recorded="failed", said="2 times too large"))
    'fail (not so: backward is right; its check: 2 times too large)'
    """
    is_news = mark.recorded == FAILED and mark.status is not Status.PASS and mark.said not in mark.detail
    check = f"its check: {mark.said.removeprefix('NotPassed: ')}" if is_news else ""
    adjusted = str(mark.adjusted) if mark.adjusted else ""
    said = "; ".join(filter(None, (adjusted, mark.contradiction, reaching_in_words(mark), mark.detail, check)))
    return f"{mark.status} ({said})" if said else str(mark.status)


def hash_of(answer: object) -> str:
    """SHA-256 of an answer or another text: its key in the gradebook."""
    return hashlib.sha256(str(answer).encode()).hexdigest()


def reaching_in_words(mark: Mark) -> str:
    """Where the answer reaches beyond its task, for a person to look at; "" if it does not."""
    return f"its code reaches beyond the task: {', '.join(mark.reaches)}" if mark.reaches else ""


def _joined(names: Iterable[str]) -> str:
    return "+".join(sorted({name for name in names if name})) or "none"
