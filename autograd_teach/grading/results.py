"""What grading says of an exercise (`Mark`) and of a student (`Result`), and the names of everything that can happen.

Plain data. Must not know how it came about.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """The named outcome of an exercise or a student; the default is that nothing was graded, never a pass.

    >>> Status.TIMEOUT == "timeout"
    True
    """

    NOT_GRADED = "not_graded"  # the run was stopped before this student's turn
    PASS = "pass"
    PARTIAL = "partial"  # of a student: some points, not all
    FAIL = "fail"
    NOT_ATTEMPTED = "not_attempted"  # the answer cell is as it was handed out, or empty
    MISSING = "missing"  # no answer cell, or no notebook
    TIMEOUT = "timeout"
    DIED = "died"  # the kernel ended in the middle of a cell
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    INVALID_NOTEBOOK = "invalid_notebook"  # unreadable, too large, or two different answers to one exercise
    PROTOCOL_ERROR = "protocol_error"  # the record is not of the cells that were to be run
    GRADER_ERROR = "grader_error"  # a fault of ours or of the machine: grade this student again


PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"
"""What a record says of a check cell, beside the statuses of what ended its run."""


@dataclass(frozen=True)
class Mark:
    """One student's outcome in one exercise, with what the verdict rests on, and nbval's record beside it."""

    exercise: str
    status: Status
    maximum: float
    detail: str = ""
    judge: str = ""  # who gave the verdict; "" where nothing had to be run for it
    isolation: str = ""  # what stood between the student's code and this machine
    seconds: float = 0.0
    source: str = ""  # SHA-256 of the answer that was judged
    seed: str = ""  # what the oracle drew its inputs with; the same one gives the same verdict again
    versions: str = ""  # of what the verdict depends on
    recorded: str = ""  # what nbval recorded of its check cell; "" where no record was made. Never points
    said: str = ""  # the check's own words in that record, in one line: a student's program may have written them
    recorded_under: str = ""  # the isolation of that run
    claimed: bool = False  # the stored output of its check cell said "passed" when it was handed in. Never points
    origin: str = ""  # what `detail` says of where the answer is from: definitions taken from other cells

    @property
    def points(self) -> float:
        """All or nothing: an exercise's points come with its check."""
        return self.maximum if self.status is Status.PASS else 0.0

    @property
    def contradiction(self) -> str:
        """In plain words, where the record says another thing than the verdict: somebody should look at that.

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
"""By what was recorded: what contradicts a pass. A fault of the grader's own does not."""


_GRAVEST_FIRST = (
    Status.NOT_GRADED,
    Status.GRADER_ERROR,
    Status.PROTOCOL_ERROR,
    Status.INVALID_NOTEBOOK,
    Status.TIMEOUT,
    Status.DIED,
    Status.OUT_OF_MEMORY,
    Status.OUTPUT_LIMIT,
    Status.FAIL,
    Status.NOT_ATTEMPTED,
    Status.MISSING,
)


@dataclass(frozen=True)
class Result:
    """One student's marks, one for each exercise that was graded, in the course's order."""

    student: str
    marks: tuple[Mark, ...]
    note: str = ""  # what intake had to say: a copy passed over, a file that is no notebook
    columns: tuple[
        tuple[str, str], ...
    ] = ()  # more of the student for the report: of the roster, and when it was handed in

    @property
    def points(self) -> float:
        return sum(mark.points for mark in self.marks)

    @property
    def maximum(self) -> float:
        return sum(mark.maximum for mark in self.marks)

    @property
    def status(self) -> Status:
        """`pass` with all exercises, `partial` with some of them, else the gravest thing that happened.

        >>> Result("ada", (Mark("scale", Status.PASS, 2), Mark("exp", Status.TIMEOUT, 2))).status.value
        'partial'
        """
        statuses = {mark.status for mark in self.marks}
        if statuses == {Status.PASS}:
            return Status.PASS
        if Status.PASS in statuses:
            return Status.PARTIAL
        return next((status for status in _GRAVEST_FIRST if status in statuses), Status.MISSING)

    @property
    def judge(self) -> str:
        return _joined(mark.judge for mark in self.marks)

    @property
    def isolation(self) -> str:
        """The isolation of everything that was run, the record too."""
        return _joined(
            name for mark in self.marks for each in (mark.isolation, mark.recorded_under) for name in each.split("+")
        )

    @property
    def recorded(self) -> str:
        """How many check cells pass of those that nbval was given, "" where it was given none.

        >>> Result("ada", (Mark("a", Status.PASS, 2, recorded="passed"), Mark("b", Status.FAIL, 2, recorded="failed"))).recorded
        '1 of 2'
        """
        records = [mark.recorded for mark in self.marks if mark.recorded]
        return f"{records.count(PASSED)} of {len(records)}" if records else ""

    @property
    def detail(self) -> str:
        """Everything worth saying in one line: of what did not pass, and of answers that were not whole in their cells;
        exercises with the same to say share it.

        >>> Result("ada", (Mark("scale", Status.PASS, 2), Mark("exp", Status.FAIL, 2, "no"))).detail
        'exp: fail (no)'
        """
        alike: dict[str, list[str]] = {}
        for mark in self.marks:
            if mark.status is not Status.PASS or mark.contradiction or mark.origin:
                alike.setdefault(_words(mark), []).append(mark.exercise)
        parts = [
            said if len(names) == len(self.marks) > 1 else f"{', '.join(names)}: {said}"
            for said, names in alike.items()
        ]
        return "; ".join([*parts, self.note] if self.note else parts)


def _words(mark: Mark) -> str:
    """A mark in one line: that its own check disagrees, its detail, what that check said where it is more.

    >>> _words(Mark("scale", Status.FAIL, 2, "not so: backward is right", recorded="failed", said="2 times too large"))
    'fail (not so: backward is right; its check: 2 times too large)'
    """
    is_news = mark.recorded == FAILED and mark.status is not Status.PASS and mark.said not in mark.detail
    check = f"its check: {mark.said.removeprefix('NotPassed: ')}" if is_news else ""
    said = "; ".join(filter(None, (mark.contradiction, mark.detail, check)))
    return f"{mark.status} ({said})" if said else str(mark.status)


def _joined(names: Iterable[str]) -> str:
    return "+".join(sorted({name for name in names if name})) or "none"
