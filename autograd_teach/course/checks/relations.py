"""How wrong numbers depend on the right ones: a factor, an offset, another order, rows summed or repeated, a part lost.

NumPy only; works on numbers, not on evidence. A relation counts if it holds for every input. Its words complete
"the result is ..." or "the gradient is ...".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..jacobian import wrong_slopes
from .diagnosing import common_factor, times

Pair = tuple[np.ndarray, np.ndarray]
"""The numbers got and the right ones, of one shape."""

Change = Callable[[np.ndarray], np.ndarray]

ENOUGH = 3
"""A relation must change at least this many entries."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of one part of the result for one input. counts: what an average may divide by there, in words."""

    got: np.ndarray
    want: np.ndarray
    counts: Mapping[str, float] = field(default_factory=dict)


def counted(names: Sequence[str], arguments: Sequence[Any]) -> dict[str, float]:
    """The numbers by which an average may divide: sizes of arguments and numbers among them, by their names in words."""
    counts: dict[str, float] = {}
    for name, argument in zip(names, arguments, strict=True):
        if isinstance(argument, np.ndarray):
            counts[f"the number of entries of {name}"] = argument.size
            if argument.ndim > 1:
                counts[f"the number of rows of {name}"] = len(argument)
                counts[f"the number of columns of {name}"] = argument.shape[-1]
        elif isinstance(argument, int | float) and not isinstance(argument, bool):
            counts[f"`{name}`"] = argument
    return counts


def same(got: np.ndarray, want: np.ndarray) -> bool:
    """Whether two arrays agree in shape and in every number, with the tolerance for derivatives.

    >>> same(np.ones(2), np.ones(2)), same(np.ones(2), np.ones(1))
    (True, False)
    """
    return got.shape == want.shape and not wrong_slopes(got, want, equal_nan=True).any()


def related(several: Sequence[Numbers]) -> tuple[str, str] | None:
    """The name and the words of the first relation that holds for all inputs; None if there is none.

    >>> related([Numbers(np.array([2.0, -6.0]), np.array([1.0, -3.0])), Numbers(np.array(4.0), np.array(2.0))])
    ('factor', 'right but for a factor: 2 times too large')
    """
    for name, words_of in RELATED:
        with np.errstate(all="ignore"):
            words = words_of(several) if several else None
        if words:
            return name, words
    return None


def _zero(several: Sequence[Numbers]) -> str | None:
    if any(each.got.any() for each in several):
        return None
    return ("zero everywhere" if any(each.got.size > 1 for each in several) else "0") + ", which is wrong"


def factor_of(several: Sequence[Numbers]) -> float | None:
    """The number by which everything is multiplied; None if too few numbers show one."""
    if sum(int(np.count_nonzero(each.want)) for each in several) < 2:
        return None
    return common_factor([(each.got.reshape(-1), each.want.reshape(-1)) for each in several])


def _factor(several: Sequence[Numbers]) -> str | None:
    factor = factor_of(several)
    if factor is None:
        return None
    if np.isclose(factor, -1):
        return "right but for its sign: it is minus what it must be"
    counts = [
        key
        for key, count in several[0].counts.items()
        if count > 2 and np.isclose(abs(factor), [count, 1 / count]).any()
    ]
    alike = [key for key in counts if all(each.counts.get(key) == several[0].counts[key] for each in several)]
    which = f" ({several[0].counts[alike[0]]:g} is {alike[0]})" if alike else ""
    return f"right but for a factor: {times(factor)}{which}"


def _mean_for_sum(several: Sequence[Numbers]) -> str | None:
    keys = [key for key in several[0].counts if all(each.counts.get(key) for each in several)]
    for how, cause, power in (
        ("divided", "a mean instead of a sum", -1.0),
        ("multiplied", "a sum instead of a mean", 1.0),
    ):
        found = [key for key in keys if all(same(each.got, each.want * each.counts[key] ** power) for each in several)]
        if found:
            as_where = f", as with {cause}" if found[0].startswith("the number of") else ""
            return f"right, but {how} by {' or '.join(found[:2])}{as_where}"
    return None


def _factor_differs(several: Sequence[Numbers]) -> str | None:
    if any(np.count_nonzero(each.want) < 2 for each in several):
        return None
    factors = [common_factor([(each.got.reshape(-1), each.want.reshape(-1))]) for each in several]
    if any(each is None for each in factors):
        return None
    shown = ", ".join(dict.fromkeys(f"{each:.4g}" for each in factors[:3]))
    more = ", ..." if len(factors) > 3 else ""
    return f"right but for a factor, which is not the same for every input: {shown}{more}"


def _shift(several: Sequence[Numbers]) -> str | None:
    off = np.concatenate([(each.got - each.want).reshape(-1) for each in several])
    right = {float(number) for each in several for number in each.want.reshape(-1)}
    if off.size < 2 or len(right) < 2 or not np.isfinite(off).all() or not np.allclose(off, off[0], 1e-6, 1e-9):
        return None
    by = float(round(off[0])) if np.isclose(off[0], round(off[0]), atol=1e-9) else float(off[0])
    if abs(by) < 1e-6:
        return None
    return f"{abs(by):.6g} too {'large' if by > 0 else 'small'}{' everywhere' * (off.size > len(several))}"


# ---- rows --------------------------------------------------------------------------------------------------------------


def _rows(several: Sequence[Numbers]) -> str | None:
    """The relation between the rows of a result and the right rows; None if not exactly one holds."""
    found = [words for words, fits in _ROWS if all(_has_rows(each) and fits(each.got, each.want) for each in several)]
    if len(found) != 1:
        return None
    row = "row" if any(each.want.ndim > 1 for each in several) else "entry"
    words, _, cause = found[0].format(row=row).partition(":")
    return f"wrong: {words}:{cause}" if cause and row == "row" else f"wrong: {words}"  # numbers do not show the cause


def _has_rows(each: Numbers) -> bool:
    return each.want.ndim > 0 and len(each.want) > 1


def _all_like(row: Change) -> Callable[[np.ndarray, np.ndarray], bool]:
    return lambda got, want: same(got, np.broadcast_to(row(want), want.shape))


_ROWS: tuple[tuple[str, Callable[[np.ndarray, np.ndarray], bool]], ...] = (
    (
        "each {row} contains those before it: they add up, as in a `.grad` that is not set back",
        lambda got, want: same(got, np.cumsum(want, axis=0)),
    ),
    (
        "every {row} is the sum of all: they add up, as in one `.grad` that is kept several times",
        _all_like(lambda want: want.sum(axis=0)),
    ),
    ("every {row} is what only the last must be", _all_like(lambda want: want[-1])),
    ("every {row} is what only the first must be", _all_like(lambda want: want[0])),
)


# ---- changes of single arrays --------------------------------------------------------------------------------------------


def _changed(several: Sequence[Numbers]) -> str | None:
    """The words of the first change of the right numbers that gives these, and that changes enough entries."""
    for words, change in CHANGES:
        changed = [change(each.want) for each in several]
        moved = sum(int((~np.isclose(one, each.want)).sum()) for one, each in zip(changed, several, strict=True))
        if moved >= ENOUGH and all(same(each.got, one) for one, each in zip(changed, several, strict=True)):
            flat = all(each.want.ndim < 2 for each in several)
            return words.replace(" in each row", "").replace(" of each row", "") if flat else words
    return None


def _another_order(several: Sequence[Numbers]) -> str | None:
    if not all(same(np.sort(each.got, axis=None), np.sort(each.want, axis=None)) for each in several):
        return None
    moved = sum(int((~np.isclose(each.got, each.want)).sum()) for each in several)
    if moved < ENOUGH or max(np.unique(each.want).size for each in several) < ENOUGH:
        return None
    return "made of the right numbers, but some are at the wrong places"


def _square(change: Change) -> Change:
    """A change of square matrices only."""
    return lambda want: change(want) if want.ndim == 2 and want.shape[0] == want.shape[1] else want


def _along(axis: int, change: Change) -> Change:
    """A change along an axis, only for arrays that have this axis."""
    return lambda want: change(want) if want.ndim >= -axis else want


def part_only(axis: int, index: int) -> Change:
    """A change that sets everything except one entry of each row (axis -1) or one row (axis -2) to 0."""

    def change(want: np.ndarray) -> np.ndarray:
        kept = np.zeros_like(want)
        place = (..., index) if axis == -1 else (..., index, slice(None))
        kept[place] = want[place]
        return kept

    return _along(axis, change)


def _orders_and_parts() -> Iterator[tuple[str, Change]]:
    for axis, row, one, many in (
        (-1, "in each row", "entry of each row", "entries"),
        (-2, "of the rows", "row", "rows"),
    ):
        yield f"right, but the order {row} is reversed", _along(axis, lambda w, a=axis: np.flip(w, a))  # type: ignore[misc]
        for step, where in ((1, "on"), (-1, "back")):
            what = "each entry" if axis == -1 else "each row"
            moved = _along(axis, lambda w, a=axis, s=step: np.roll(w, s, a))  # type: ignore[misc]
            yield (
                f"right, but {what} stands one place further {where} (what leaves at one end enters at the other)",
                moved,
            )
        for index, which in ((0, "first"), (-1, "last")):
            only = part_only(axis, index)
            yield f"right in the {which} {one} only, and 0 in the other {many}", only
            yield (
                f"0 in the {which} {one}, and right in the other {many}",
                lambda w, only=only: w - only(w) if only(w) is not w else w,  # type: ignore[misc]
            )


CHANGES: tuple[tuple[str, Change], ...] = (
    ("transposed: rows and columns have changed places", _square(np.transpose)),
    *_orders_and_parts(),
    ("right, but all its entries come in reversed order", np.flip),
    (
        "right, but its entries are read in another order, as after a reshape where rows and columns should change places",
        lambda w: w.T.reshape(w.shape),
    ),
    ("right below and on the diagonal, and 0 above it", _square(np.tril)),
    ("right above and on the diagonal, and 0 below it", _square(np.triu)),
    ("right on the diagonal, and 0 elsewhere", _square(lambda w: np.diag(np.diag(w)))),
    ("0 on the diagonal, and right elsewhere", _square(lambda w: w - np.diag(np.diag(w)))),
    ("the absolute value of what it must be, entry by entry", np.abs),
    ("right where it must be positive, and 0 where it must be negative", lambda w: np.maximum(w, 0)),
    ("rounded to whole numbers", np.round),
    ("cut to whole numbers: what comes after the point is lost", np.trunc),
    ("only the sign of what it must be: -1, 0 or 1", np.sign),
    ("the square of what it must be, entry by entry", np.square),
    ("the square root of what it must be, entry by entry", np.sqrt),
    ("1 divided by what it must be, entry by entry", lambda w: 1 / w),
    ("in every entry the sum of what its entries must be", lambda w: np.full_like(w, w.sum())),
    ("in every entry the mean of what its entries must be", lambda w: np.full_like(w, w.mean())),
)
"""Words, and the change of the right numbers that they describe. The first that explains a wrong answer is reported."""

RELATED: tuple[tuple[str, Callable[[Sequence[Numbers]], str | None]], ...] = (
    ("zero", _zero),
    ("factor", _factor),
    ("mean_for_sum", _mean_for_sum),
    ("factor_differs", _factor_differs),
    ("shift", _shift),
    ("rows", _rows),
    ("relation", _changed),
    ("another_order", _another_order),
)
"""The relations in order, each with the name of its diagnosis."""


# ---- shapes and places ---------------------------------------------------------------------------------------------------


def reduced(got: np.ndarray, want: np.ndarray) -> str | None:
    """How arrays of different shapes are related: the same numbers, a missing or extra row, a sum or a mean.

    None if they are not, or if all right numbers are 0: then each of these could hold by chance.

    >>> reduced(np.ones((3, 2)), np.array([3.0, 3.0]))
    'its sum over dimension 0 is right'
    >>> reduced(np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0]))
    'the last entry is missing'
    """
    if got.size == want.size and same(got.reshape(-1), want.reshape(-1)):
        return "the numbers are right"
    if np.allclose(want, 0):
        return None
    what = "row" if max(got.ndim, want.ndim) > 1 else "entry"
    if got.ndim == want.ndim > 0 and got.shape[1:] == want.shape[1:]:
        for word, part in (("last", slice(None, -1)), ("first", slice(1, None))):
            if same(got, want[part]):
                return f"the {word} {what} is missing"
            if same(got[part], want):
                return f"the {word} {what} must not be there"
    for name, function in (("sum", np.sum), ("mean", np.mean)):
        too_few = [axis for axis in range(got.ndim) if same(function(got, axis=axis), want)]
        too_many = [axis for axis in range(want.ndim) if same(got, function(want, axis=axis))]
        if len(too_few) == 1 and got.size > want.size:
            return f"its {name} over dimension {too_few[0]} is right"
        if len(too_many) == 1 and got.size < want.size:
            return f"it is the {name} of the right one over dimension {too_many[0]}"
        if got.ndim == 0 and want.ndim > 1 and same(got, function(want)):
            return f"it is the {name} of all entries of the right one"
    return None


def region(several: Sequence[np.ndarray]) -> str | None:
    """One name for the wrong entries of all arrays, which may differ in size; None if there is none.

    >>> region([np.array([False, False, True])]), region([np.eye(2, dtype=bool), np.eye(3, dtype=bool)])
    ('the last entry', 'the diagonal')
    """
    if not several or all(bad.all() for bad in several):
        return None
    fitting = [
        [words for words, mask in _regions(bad.shape) if mask.any() and np.array_equal(bad, mask)] for bad in several
    ]
    return next((words for words in fitting[0] if all(words in each for each in fitting)), None)


def _regions(shape: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray]]:
    """The named parts of an array, as words and masks."""
    if not shape:
        return
    row, rows_ = ("row", "rows") if len(shape) > 1 else ("entry", "entries")
    place = np.arange(shape[0]).reshape(-1, *(1 for _ in shape[1:]))
    last, first = (np.broadcast_to(mask, shape) for mask in (place == shape[0] - 1, place == 0))
    yield from ((f"the last {row}", last), (f"the first {row}", first))
    yield from ((f"all {rows_} but the first", ~first), (f"all {rows_} but the last", ~last))
    if len(shape) == 2:
        across = np.arange(shape[1])
        diagonal = np.equal.outer(np.arange(shape[0]), across)
        yield from (("the diagonal", diagonal), ("the entries off the diagonal", ~diagonal))
        yield "the entries above the diagonal", np.triu(np.ones(shape, dtype=bool), 1)
        yield "the entries below the diagonal", np.tril(np.ones(shape, dtype=bool), -1)
        yield "the first column", np.broadcast_to(across == 0, shape)
        yield "the last column", np.broadcast_to(across == shape[1] - 1, shape)
