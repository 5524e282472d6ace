"""Takes points off for handing in late: `--late RULE`, `--grace TIME`.

    RULE    AMOUNT/UNIT, optionally followed by: up to AMOUNT
    AMOUNT  5 (points of the report), or 10% (of the points that the student has)
    UNIT    hour, day or week, counted from the due date; each one that has begun counts
    TIME    15m, 2h or 1d: no points are taken off up to this delay

For example, `10%/day` leaves 80% to a student who is 25 hours late; `5/hour up to 50%` takes 5 points per hour, but at most
half. Points do not go below 0. If the time is not known, and for points that a person adjusted, nothing is taken off.

May use results. Must not know where the times come from.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..course.errors import UserError
from ..plain import counted
from .results import Result

_UNITS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
_GRACES = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_AMOUNT = r"(\d+(?:\.\d+)?)\s*(%?)"
_RULE = re.compile(rf"{_AMOUNT}\s*/\s*({'|'.join(_UNITS)})(?:\s+up\s+to\s+{_AMOUNT})?", re.ASCII)
_NONSENSE = re.compile(r"(?<![\d.])(?!100\s*%)\d{3,}(?:\.\d+)?\s*%|%.*\s[\d.]+$")  # over 100%; a limit without its %
_GRACE = re.compile(rf"(\d+)\s*([{''.join(_GRACES)}])", re.ASCII)


@dataclass(frozen=True)
class Late:
    """A rule with its due date, as text. Raises `UserError` if the rule or the grace cannot be parsed."""

    rule: str
    due: str
    grace: str = "0m"

    def __post_init__(self) -> None:
        if not _RULE.fullmatch(self.rule.strip()) or _NONSENSE.search(self.rule.strip()):
            raise UserError(
                f"{self.rule!r} is not a rule for --late; write it like “5/hour” or “10%/day up to 50%”, at most 100%."
            )
        if not _GRACE.fullmatch(self.grace.strip()):
            raise UserError(f"{self.grace!r} is not a time for --grace; write it like 15m, 2h or 1d.")

    def off(self, submitted: datetime, points: float) -> float:
        """How many of a student's `points` are taken off.

        >>> due, an_hour_after = "2026-11-20 18:00:00", datetime(2026, 11, 20, 19, 0, 1)
        >>> Late("10%/day", due).off(an_hour_after, 8), Late("5/hour up to 50%", due).off(an_hour_after, 8)
        (0.8, 4.0)
        >>> Late("10%/day", due, grace="2h").off(an_hour_after, 8)
        0.0
        """
        late = self.by(submitted)
        if late <= self._grace:
            return 0.0
        match = _RULE.fullmatch(self.rule.strip())
        assert match  # checked in __post_init__
        amount, percent, unit, most, of_most = match.groups()
        off = _points(amount, percent, points) * math.ceil(late / _UNITS[unit])
        return min(off, points, _points(most, of_most, points) if most else points)

    def by(self, submitted: datetime) -> timedelta:
        """How late `submitted` is; zero or negative if it is in time."""
        return submitted - datetime.fromisoformat(self.due)

    @property
    def _grace(self) -> timedelta:
        number, unit = self.grace.strip()[:-1], self.grace.strip()[-1]
        return int(number) * _GRACES[unit]


def penalised(results: Sequence[Result], late: Late | None) -> list[Result]:
    """Apply `late` to `results`, by their columns `submitted` and `late`. Adds a column `penalty` and a remark."""
    return [_penalised(result, late) for result in results] if late else list(results)


def _penalised(result: Result, late: Late) -> Result:
    columns = dict(result.columns)
    is_late, submitted = columns.get("late", ""), columns.get("submitted", "")
    at = datetime.fromisoformat(submitted) if submitted else None
    off, said = 0.0, ""
    if is_late == "unknown" or (is_late == "yes" and not (at and late.by(at) > timedelta(0))):
        said = "no points taken off, because its time is not known"
    elif is_late == "yes" and at:
        off = late.off(at, sum(mark.points for mark in result.marks if not mark.adjusted))
        said = f"{late.by(at)} late: {counted(off, 'point')} taken off ({late.rule}, {late.grace} of grace)"
    columns["penalty"] = f"{off:g}" if is_late else ""
    return replace(result, penalty=off, lateness=said, columns=tuple(columns.items()))


def _points(amount: str, percent: str, points: float) -> float:
    return float(amount) * points / 100 if percent else float(amount)
