"""Points that are taken off for handing in late: `--late RULE`, `--grace TIME`.

    RULE    AMOUNT/UNIT, and after it perhaps: up to AMOUNT
    AMOUNT  5 (points of the report), or 10% (of the points that the student has)
    UNIT    hour, day or week; each that has begun counts, from the due date on
    TIME    15m, 2h or 1d: who is late by no more loses nothing

So `10%/day` leaves 80% to who is 25 hours late, and `5/hour up to 50%` takes 5 points an hour but never more than half. Nobody
gets below 0, and nobody loses points whose time is not known. What a person has adjusted (`autograd-teach adjust`) is left as it is.

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
_NONSENSE = re.compile(r"(?<![\d.])(?!100\s*%)\d{3,}(?:\.\d+)?\s*%|%.*\s[\d.]+$")  # over 100%; an end without its %
_GRACE = re.compile(rf"(\d+)\s*([{''.join(_GRACES)}])", re.ASCII)


@dataclass(frozen=True)
class Late:
    """A rule with its due date, as text; made only where all of it can be read."""

    rule: str
    due: str
    grace: str = "0m"

    def __post_init__(self) -> None:
        if not _RULE.fullmatch(self.rule.strip()) or _NONSENSE.search(self.rule.strip()):
            raise UserError(
                f"{self.rule!r} is no rule for --late; write it like “5/hour” or “10%/day up to 50%”, none above 100%."
            )
        if not _GRACE.fullmatch(self.grace.strip()):
            raise UserError(f"{self.grace!r} is no time for --grace; write it like 15m, 2h or 1d.")

    def off(self, submitted: datetime, points: float) -> float:
        """What who has `points` loses.

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
        assert match  # as when it was made
        amount, percent, unit, most, of_most = match.groups()
        off = _points(amount, percent, points) * math.ceil(late / _UNITS[unit])
        return min(off, points, _points(most, of_most, points) if most else points)

    def by(self, submitted: datetime) -> timedelta:
        """How late that is; nothing, or less, where it is in time."""
        return submitted - datetime.fromisoformat(self.due)

    @property
    def _grace(self) -> timedelta:
        number, unit = self.grace.strip()[:-1], self.grace.strip()[-1]
        return int(number) * _GRACES[unit]


def penalised(results: Sequence[Result], late: Late | None) -> list[Result]:
    """`results` less what `late` takes off, by their columns `submitted` and `late`, with a column `penalty` and a word about it."""
    return [_penalised(result, late) for result in results] if late else list(results)


def _penalised(result: Result, late: Late) -> Result:
    columns = dict(result.columns)
    is_late, submitted = columns.get("late", ""), columns.get("submitted", "")
    at = datetime.fromisoformat(submitted) if submitted else None
    off, said = 0.0, ""
    if is_late == "unknown" or (is_late == "yes" and not (at and late.by(at) > timedelta(0))):
        said = "no points taken off, since nothing tells how late it came"
    elif is_late == "yes" and at:
        off = late.off(at, sum(mark.points for mark in result.marks if not mark.adjusted))
        said = f"{late.by(at)} late: {counted(off, 'point')} taken off ({late.rule}, {late.grace} of grace)"
    columns["penalty"] = f"{off:g}" if is_late else ""
    return replace(result, penalty=off, lateness=said, columns=tuple(columns.items()))


def _points(amount: str, percent: str, points: float) -> float:
    return float(amount) * points / 100 if percent else float(amount)
