"""How wrong numbers relate to the right ones: another order, a part lost, a part counted twice.

NumPy only; works on numbers, not on evidence. A relation counts if it holds for every input. Its words complete
"the gradient is ...".
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]
"""The numbers got and the right ones, of one shape."""

Same = Callable[[np.ndarray, np.ndarray], bool]
Change = Callable[[np.ndarray], np.ndarray]

ENOUGH = 3
"""A relation must change at least this many entries."""


def relation_in_words(pairs: Sequence[Pair], same: Same) -> str | None:
    """The words of the first relation that holds for every pair and changes enough entries; None if there is none.

    >>> want = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
    >>> relation_in_words([(np.abs(want), want), (np.abs(want.T), want.T), (np.array([3.0]), np.array([-3.0]))], np.allclose)
    'the absolute value of what it must be, entry by entry'
    """
    for words, change in RELATIONS:
        with np.errstate(all="ignore"):
            holds = all(same(got, change(want)) for got, want in pairs)
        differing = sum(int((~np.isclose(change(want), want)).sum()) for _, want in pairs) if holds else 0
        if differing >= ENOUGH:
            return words
    return None


def in_another_order(pairs: Sequence[Pair], same: Same) -> bool:
    """Whether each input has the right numbers, but three or more in total at wrong places."""
    if not all(same(np.sort(got, axis=None), np.sort(want, axis=None)) for got, want in pairs):
        return False
    moved = sum(int((~np.isclose(got, want)).sum()) for got, want in pairs)
    return moved >= ENOUGH and max(np.unique(want).size for _, want in pairs) >= ENOUGH


def _square(change: Change) -> Change:
    """A change of square matrices only."""
    return lambda want: change(want) if want.ndim == 2 and want.shape[0] == want.shape[1] else want


def _along(axis: int, change: Change) -> Change:
    """A change along an axis, only for arrays that have this axis."""
    return lambda want: change(want) if want.ndim >= -axis else want


def part_only(axis: int, index: int) -> Change:
    """A change that sets everything except one row (or column, or block) to 0."""

    def change(want: np.ndarray) -> np.ndarray:
        kept = np.zeros_like(want)
        place = (..., index) if axis == -1 else (..., index, slice(None)) if axis == -2 else index
        kept[place] = want[place]
        return kept

    return _along(axis, change) if axis < 0 else lambda want: change(want) if want.ndim else want


def _without(axis: int, index: int) -> Change:
    """A change that sets one row (or column, or block) to 0."""
    only = part_only(axis, index)
    return lambda want: want if (kept := only(want)) is want else want - kept


def _changes_of_order() -> Iterator[tuple[str, Change]]:
    for axis, words in ((-1, "in each row"), (-2, "of the rows")):
        # A vector does not have axis -2, so only the first of the two applies to it.
        yield f"right, but the order {words} is reversed", _along(axis, lambda w, a=axis: np.flip(w, a))  # type: ignore[misc]
        for step, where in ((1, "on"), (-1, "back")):
            moved = _along(axis, lambda w, a=axis, s=step: np.roll(w, s, a))  # type: ignore[misc]
            what = "each entry" if axis == -1 else "each row"
            yield (
                f"right, but {what} stands one place further {where} (what leaves at one end enters at the other)",
                moved,
            )
            yield (
                f"right, but {what} stands one place further {where}, and 0 takes the free place",
                _shifted(axis, step),
            )
    yield "right, but all its entries come in reversed order", lambda w: np.flip(w)
    yield (
        "right, but its entries are read in another order, as after a reshape where rows and columns should change places",
        lambda w: w.T.reshape(w.shape),
    )


def _shifted(axis: int, step: int) -> Change:
    def change(want: np.ndarray) -> np.ndarray:
        moved = np.roll(want, step, axis)
        end = 0 if step > 0 else -1
        moved[(..., end) if axis == -1 else (..., end, slice(None))] = 0
        return moved

    return _along(axis, change)


def _parts() -> Iterator[tuple[str, Change]]:
    places = ((-1, "entry of each row", "entries"), (-2, "row", "rows"), (0, "place along axis 0", "places"))
    for axis, one, many in places:
        for index, which in ((0, "first"), (-1, "last")):
            yield f"right in the {which} {one} only, and 0 in the other {many}", part_only(axis, index)
            yield f"0 in the {which} {one}, and right in the other {many}", _without(axis, index)
    yield "right below and on the diagonal, and 0 above it", _square(np.tril)
    yield "right above and on the diagonal, and 0 below it", _square(np.triu)
    yield "right on the diagonal, and 0 elsewhere", _square(lambda w: np.diag(np.diag(w)))
    yield "0 on the diagonal, and right elsewhere", _square(lambda w: w - np.diag(np.diag(w)))


def _of_squares() -> Iterator[tuple[str, Change]]:
    for factor, size in ((2.0, "twice"), (0.5, "half")):
        yield (
            f"right on the diagonal, and {size} what it must be elsewhere",
            _square(lambda w, f=factor: f * w + (1 - f) * np.diag(np.diag(w))),  # type: ignore[misc]
        )
        yield (
            f"right off the diagonal, and {size} what it must be on it",
            _square(lambda w, f=factor: w + (f - 1) * np.diag(np.diag(w))),  # type: ignore[misc]
        )
    yield "the mean of what it must be and of its transpose", _square(lambda w: (w + w.T) / 2)
    yield "the sum of what it must be and of its transpose", _square(lambda w: w + w.T)


def _averages() -> Iterator[tuple[str, Change]]:
    yield "in every entry the sum of what its entries must be", lambda w: np.full_like(w, w.sum())
    yield "in every entry the mean of what its entries must be", lambda w: np.full_like(w, w.mean())
    for axis, line in ((-1, "row"), (-2, "column")):
        for f, words in ((np.mean, "mean"), (np.sum, "sum")):
            yield (
                f"in each {line} the {words} of what its entries must be, the same number for all of them",
                _along(axis, lambda w, a=axis, f=f: np.broadcast_to(f(w, axis=a, keepdims=True), w.shape)),  # type: ignore[misc]
            )
        yield (
            f"right, but less the mean of each {line}",
            _along(axis, lambda w, a=axis: w - w.mean(axis=a, keepdims=True)),  # type: ignore[misc]
        )


RELATIONS: tuple[tuple[str, Change], ...] = (
    ("the absolute value of what it must be, entry by entry", np.abs),
    ("minus the absolute value of what it must be, entry by entry", lambda w: -np.abs(w)),
    ("right where it must be positive, and 0 where it must be negative", lambda w: np.maximum(w, 0)),
    ("right where it must be negative, and 0 where it must be positive", lambda w: np.minimum(w, 0)),
    ("right between -1 and 1, and cut off at these numbers beyond", lambda w: np.clip(w, -1, 1)),
    ("rounded to whole numbers", np.round),
    ("cut to whole numbers: what comes after the point is lost", np.trunc),
    ("only the sign of what it must be: -1, 0 or 1", np.sign),
    ("the square of what it must be, entry by entry", np.square),
    ("the square root of what it must be, entry by entry", np.sqrt),
    ("1 divided by what it must be, entry by entry", lambda w: 1 / w),
    *_changes_of_order(),
    *_parts(),
    *_of_squares(),
    *_averages(),
)
"""Words, and the change of the right numbers that they describe. The first that explains a wrong answer is reported."""
