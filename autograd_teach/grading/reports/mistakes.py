"""Parses a mark's detail and the message of its check, and finds equal mistakes.

May use results. Must not know who wrote them: text that it does not recognise is shown unchanged.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from ..results import FAILED, Mark, Result, Status

_CHECKS = re.compile(r"(?:NotPassed: )?(?:[^:]{1,80}: )?(\d+ of \d+ checks pass)(?: - )?(.*)", re.DOTALL)
_NOT_SO = re.compile(r"not so: (.*?)(?: \((.*)\))?", re.DOTALL)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_PATH = re.compile(r"(?<![\w./])(?:[A-Za-z]:\\|/)(?:[\w.@+~-]+[/\\])+(?P<name>[\w.@+~-]*)|(?<!\w)/tmp/[\w.-]+")
_ENDING = re.compile(r"\s*\([^()]*\d[^()]*\)\.?$")


NOTHING = (Status.MISSING, Status.NOT_ATTEMPTED, Status.NOT_GRADED, Status.INVALID_NOTEBOOK)
"""Statuses of an exercise without an answer that could be judged."""


@dataclass(frozen=True)
class Found:
    """A mark's detail, and its check's message from the record ("" if it does not say more).

    >>> Found("NotPassed: Scale: 6 of 7 checks pass - 2 times too large (x[0]: -8.2)").diagnosis
    '2 times too large (x[0]: -8.2)'
    >>> Found("not so: backward is right (it gave None)", "NotPassed: Scale: 6 of 7 checks pass - None was returned").diagnosis
    'None was returned'
    """

    detail: str
    said: str = ""

    @classmethod
    def of(cls, mark: Mark) -> Self:
        """Make it from a mark, with the check's message if that says more than the detail."""
        is_more = mark.recorded == FAILED and mark.said not in mark.detail
        return cls(mark.detail.removesuffix(mark.origin).removesuffix("; "), mark.said if is_more else "")

    @cached_property
    def _parts(self) -> tuple[str, tuple[str, ...], str]:
        if match := _CHECKS.fullmatch(self.detail):
            return match[1], (), match[2]
        if match := _NOT_SO.fullmatch(self.detail):
            return "", tuple(dict.fromkeys(match[1].split("; "))), match[2] or ""
        return "", (), self.detail

    @cached_property
    def _of_check(self) -> tuple[str, str]:
        match = _CHECKS.fullmatch(self.said)
        return (match[1], match[2]) if match else ("", self.said)

    @property
    def checks(self) -> str:
        """How many checks pass, as text; "" if not known."""
        return self._parts[0] or self._of_check[0]

    @property
    def failed(self) -> tuple[str, ...]:
        """The checks that do not pass, if they are named.

        >>> Found("not so: forward is right; backward is right (it returned None)").failed
        ('forward is right', 'backward is right')
        """
        return self._parts[1]

    @property
    def diagnosis(self) -> str:
        """What is wrong, or "". It comes from the check if possible, which knows the course's named mistakes."""
        return self._of_check[1] or self._parts[2]

    @property
    def remark(self) -> str:
        """The rest of the detail, if the diagnosis is from the check."""
        return self._parts[2] if self._of_check[1] else ""

    @property
    def short(self) -> str:
        """The most important part, in one line.

        >>> Found("not so: forward is right; backward is right").short
        'not so: forward is right, and 1 more'
        """
        more = f", and {len(self.failed) - 1} more" if len(self.failed) > 1 else ""
        return self.diagnosis or (f"not so: {self.failed[0]}{more}" if self.failed else self.checks)

    @property
    def kind(self) -> str:
        """The diagnosis without the numbers of this answer, to compare the mistakes of different students.

        >>> Found("x: 1 of 2 checks pass - off by 3 (x[0]: 2)").kind == Found("x: 0 of 2 checks pass - off by 5 (x[1]: 4)").kind
        True
        """
        return _NUMBER.sub("…", _ENDING.sub("", self.short)).strip()


def for_student(result: Result) -> Result:
    """`result` without what is only for the instructor: paths and faults of the grader, why an answer is worth a look, what
    a pass depends on, and login names."""

    def of(mark: Mark) -> Mark:
        detail = "" if mark.status in (Status.PASS, Status.GRADER_ERROR) else _pathless(mark.detail)
        given = mark.adjusted if not mark.adjusted or mark.adjusted.signed else replace(mark.adjusted, by="")
        return replace(mark, detail=detail, said=_pathless(mark.said), reaches=(), claimed=False, adjusted=given)

    return replace(result, marks=tuple(map(of, result.marks)), note=_pathless(result.note))


def told_before(marks: Sequence[Mark]) -> dict[str, str]:
    """For each exercise, an earlier one with the same finding, so that each reason is given once.

    >>> both = [Mark(name, Status.FAIL, 1, "NameError: no x") for name in ("a", "b")]
    >>> told_before(both)
    {'b': 'a'}
    """
    first: dict[tuple[object, ...], str] = {}
    same = {}
    for mark in marks:
        found = Found.of(mark)
        reason = (mark.status, found.diagnosis, found.failed, found.remark)
        if mark.status is Status.PASS or not any(reason[1:]):
            continue
        if first.setdefault(reason, mark.exercise) != mark.exercise:
            same[mark.exercise] = first[reason]
    return same


def _pathless(words: str) -> str:
    """`words` without the folders of files and the names of programs.

    >>> _pathless("no /home/ada/data.csv; line 3 of /tmp/tmpx1/run.py; a/b/c")
    'no …/data.csv; line 3 of …; a/b/c'
    """

    def shown(match: re.Match[str]) -> str:
        name = match["name"] or ""
        return f"…/{name}" if "." in name.strip(".") and not name.endswith((".py", ".pyc")) else "…"

    return _PATH.sub(shown, words)


@dataclass(frozen=True)
class Mistake:
    """A mistake of several students, with the message that one of them got."""

    example: str
    students: tuple[str, ...]
    status: Status


def commonest(marks: Iterable[tuple[str, Mark]], most: int = 5) -> list[Mistake]:
    """The mistakes in `marks` (student, mark), the most common first. Answers that do not exist or cannot be read do not count."""
    alike: dict[tuple[Status, str], list[tuple[str, str]]] = {}
    for student, mark in marks:
        if mark.status in (Status.PASS, *NOTHING):
            continue
        found = Found.of(mark)
        alike.setdefault((mark.status, found.kind), []).append((student, found.short))
    by_number = sorted(alike.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        Mistake(example=who[0][1], students=tuple(student for student, _ in who), status=status)
        for (status, _), who in by_number[:most]
    ]
