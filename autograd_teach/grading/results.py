"""What grading says of an exercise (`Mark`) and of a student (`Result`), and the names of everything that can happen.

Plain data. Must not know how it came about.
"""

from collections.abc import Iterable
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


@dataclass(frozen=True)
class Mark:
    """One student's outcome in one exercise, with what the verdict rests on."""

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

    @property
    def points(self) -> float:
        """All or nothing: an exercise's points come with its check."""
        return self.maximum if self.status is Status.PASS else 0.0


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
        return _joined(mark.isolation for mark in self.marks)

    @property
    def detail(self) -> str:
        """Everything worth saying about what did not pass, in one line; exercises with the same to say share it.

        >>> Result("ada", (Mark("scale", Status.PASS, 2), Mark("exp", Status.FAIL, 2, "no"))).detail
        'exp: fail (no)'
        """
        alike: dict[str, list[str]] = {}
        for mark in self.marks:
            if mark.status is not Status.PASS:
                said = f"{mark.status} ({mark.detail})" if mark.detail else str(mark.status)
                alike.setdefault(said, []).append(mark.exercise)
        parts = [
            said if len(names) == len(self.marks) > 1 else f"{', '.join(names)}: {said}"
            for said, names in alike.items()
        ]
        return "; ".join([*parts, self.note] if self.note else parts)


def _joined(names: Iterable[str]) -> str:
    return "+".join(sorted({name for name in names if name})) or "none"
