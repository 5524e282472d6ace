"""How wrong results of calls relate to the right ones, beyond relations.py: rows summed or repeated, offsets, shapes.

NumPy only; does not use exercises or records. `got` is the result, `want` the right one, both arrays of floats.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from ..jacobian import wrong_slopes

Fits = Callable[[np.ndarray, np.ndarray], bool]


def same(got: np.ndarray, want: np.ndarray) -> bool:
    """Whether two arrays agree in shape and in every number, with the tolerance for derivatives.

    >>> same(np.ones(2), np.ones(2)), same(np.ones(2), np.ones(1))
    (True, False)
    """
    return got.shape == want.shape and not wrong_slopes(got, want, equal_nan=True).any()


def _added_up(got: np.ndarray, want: np.ndarray) -> bool:
    return want.ndim > 0 and len(want) > 1 and same(got, np.cumsum(want, axis=0))


def _all_like(row: Callable[[np.ndarray], np.ndarray]) -> Fits:
    def fits(got: np.ndarray, want: np.ndarray) -> bool:
        return want.ndim > 0 and len(want) > 1 and same(got, np.broadcast_to(row(want), want.shape))

    return fits


ROWS: dict[str, tuple[str, Fits]] = {
    "accumulated": (
        "each {row} contains those before it: they add up, as in a `.grad` that is not set back",
        _added_up,
    ),
    "total_everywhere": (
        "every {row} is the sum of all: they add up, as in one `.grad` that is kept several times",
        _all_like(lambda want: want.sum(axis=0)),
    ),
    "last_everywhere": ("every {row} is what only the last must be", _all_like(lambda want: want[-1])),
    "first_everywhere": ("every {row} is what only the first must be", _all_like(lambda want: want[0])),
}
"""Relations between the rows of a result and the right rows, each with its words."""


def rows(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> str | None:
    """The words of the entry of `ROWS` that holds for all pairs; None if not exactly one does.

    >>> rows([(np.array([1.0, 3.0]), np.array([1.0, 2.0]))])
    'each entry contains those before it'
    """
    pairs = list(pairs)
    found = [words for words, fits in ROWS.values() if pairs and all(fits(*pair) for pair in pairs)]
    row = "row" if any(want.ndim > 1 for _, want in pairs) else "entry"
    if len(found) != 1:
        return None
    words, _, cause = found[0].format(row=row).partition(":")
    return f"{words}:{cause}" if cause and row == "row" else words  # single numbers do not show the cause


def shift(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> float | None:
    """The number, not 0, by which everything is too large; None if there is none, or too few numbers show it.

    >>> shift([(np.array(4.0), np.array(3.0)), (np.array(9.0), np.array(8.0))])
    1.0
    """
    pairs = list(pairs)
    off = np.concatenate([(got - want).reshape(-1) for got, want in pairs]) if pairs else np.zeros(0)
    if off.size < 2 or not np.isfinite(off).all() or not np.allclose(off, off[0], 1e-6, 1e-9):
        return None
    if len({float(number) for _, want in pairs for number in want.reshape(-1)}) < 2:
        return None
    by = float(off[0])
    return float(round(by)) if np.isclose(by, round(by), atol=1e-9) else by


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
        cut = {"last": slice(None, -1), "first": slice(1, None)}
        missing = [word for word, part in cut.items() if same(got, want[part])]
        over = [word for word, part in cut.items() if same(got[part], want)]
        if len(missing) + len(over) == 1:
            return f"the {missing[0]} {what} is missing" if missing else f"the {over[0]} {what} must not be there"
    for name, function in (("sum", np.sum), ("mean", np.mean)):
        too_few = [axis for axis in range(got.ndim) if same(function(got, axis=axis), want)]
        too_many = [axis for axis in range(want.ndim) if same(got, function(want, axis=axis))]
        if len(too_few) == 1 and got.size > want.size:
            return f"its {name} over dimension {too_few[0]} is right"
        if len(too_many) == 1 and got.size < want.size:
            return f"it is the {name} of the right one over dimension {too_many[0]}"
        if want.ndim == 0 and got.ndim > 1 and same(function(got), want):
            return f"its {name} over all entries is right"
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
