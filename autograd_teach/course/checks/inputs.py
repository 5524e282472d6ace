"""Results that are right for other arguments: an index off by one, two arguments exchanged, a grad_output that was misread.

NumPy only. Works on arguments as a reference gets them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

ChangeOfArguments = Callable[[Sequence[Any]], list[Any]]

_OF_A_WHOLE_NUMBER: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("{0} + 1 in place of {0}", lambda value: value + 1),
    ("{0} - 1 in place of {0}", lambda value: value - 1),
    ("{0} = 0, whatever it is given", lambda value: 0),
    ("{0} = 1, whatever it is given", lambda value: 1),
)
_OF_A_NUMBER: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("1 - {0} in place of {0}", lambda value: 1 - value),
    ("-{0} in place of {0}", lambda value: -value),
    ("2 * {0} in place of {0}", lambda value: 2 * value),
    ("{0} / 2 in place of {0}", lambda value: value / 2),
    ("{0} = 1, whatever it is given", lambda value: 1.0),
    ("{0} = 0, whatever it is given", lambda value: 0.0),
)
_OF_AN_ARRAY: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("{} full of zeros", np.zeros_like),
    ("{} full of ones", np.ones_like),
    ("{} transposed", np.transpose),
    ("-{0} in place of {0}", np.negative),
)
_OF_ROWS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("the first {row} of {what} alone", lambda value: value[:1]),
    ("the last {row} of {what} alone", lambda value: value[-1:]),
    ("{what} without the first {row}", lambda value: value[1:]),
    ("{what} without the last {row}", lambda value: value[:-1]),
)
_OF_A_GRAD_OUTPUT: tuple[tuple[str, Callable[[np.ndarray], np.ndarray]], ...] = (
    ("the sign of grad_output is lost", np.abs),
    ("only the sign of grad_output is used", np.sign),
    ("grad_output is squared, but the gradient must be proportional to it", np.square),
    ("the third power of grad_output is used, but the gradient must be proportional to it", lambda g: g**3),
    ("grad_output is cut off at -1 and 1", lambda g: np.clip(g, -1, 1)),
    ("the negative entries of grad_output are read as 0", lambda g: np.maximum(g, 0)),
    ("grad_output is mixed up: every entry of it is read as the sum of all", lambda g: np.full_like(g, g.sum())),
    ("every entry of grad_output is read as the mean of all", lambda g: np.full_like(g, g.mean())),
    ("every entry of grad_output is read as the first one", lambda g: np.full_like(g, g.reshape(-1)[0])),
    ("every entry of grad_output is read as the last one", lambda g: np.full_like(g, g.reshape(-1)[-1])),
    ("the entries of grad_output are read in reversed order", np.flip),
    ("the entries of grad_output are read one place too late", lambda g: np.roll(g, 1, -1) if g.ndim else g),
    ("the entries of grad_output are read one place too early", lambda g: np.roll(g, -1, -1) if g.ndim else g),
    ("1 is added to every entry of grad_output", lambda g: g + 1),
    ("grad_output is divided by its length", lambda g: g / np.sqrt((g**2).sum())),
)


def misread_gradients(count: int) -> Iterator[tuple[str, ChangeOfArguments]]:
    """Changes of the first `count` arguments of backward, the gradients of the results, each in words."""
    for words, function in _OF_A_GRAD_OUTPUT:
        yield words, lambda given, f=function: [f(each) if n < count else each for n, each in enumerate(given)]  # type: ignore[misc]


def other_inputs(names: Sequence[str], calls: Sequence[Sequence[Any]]) -> Iterator[tuple[str, ChangeOfArguments]]:
    """Changes of the arguments of a call that a slip can cause, each in words. calls: the arguments of all calls."""
    first = calls[0]

    def of_one(number: int, function: Callable[[Any], Any]) -> ChangeOfArguments:
        return lambda given: [function(each) if at == number else each for at, each in enumerate(given)]

    whole = [at for at, each in enumerate(first) if isinstance(each, int) and not isinstance(each, bool)]
    reals = [at for at, each in enumerate(first) if isinstance(each, float)]
    arrays = [at for at, each in enumerate(first) if isinstance(each, np.ndarray)]
    for at in range(len(first)):
        if all(isinstance(each[at], str) for each in calls):
            for value in sorted({each[at] for each in calls}):
                yield f"{names[at]} = {value!r}, whatever it is given", of_one(at, lambda _, value=value: value)  # type: ignore[misc]
    for places, forms in ((whole, _OF_A_WHOLE_NUMBER), (reals, _OF_A_NUMBER), (arrays, _OF_AN_ARRAY)):
        yield from ((words.format(names[at]), of_one(at, function)) for at in places for words, function in forms)
    for several in (whole, reals, arrays):
        for one, other in ((a, b) for a in several for b in several if a < b):
            order = [other if at == one else one if at == other else at for at in range(len(first))]
            exchanged = f"{names[one]} and {names[other]} exchanged"
            yield exchanged, lambda given, order=order: [given[at] for at in order]  # type: ignore[misc]
    tables = [at for at in arrays if first[at].ndim]
    tables = [at for at in tables if len(first[at]) == len(first[tables[0]])]
    for at in tables if len(tables) == 1 else ():
        yield f"{names[at]} from its last to its first", of_one(at, lambda value: value[::-1].copy())
    what, row = " and ".join(names[at] for at in tables), "row" if tables and first[tables[0]].ndim > 1 else "entry"
    for words, function in _OF_ROWS if tables else ():
        yield (
            words.format(what=what, row=row),
            lambda given, f=function: [f(each) if at in tables else each for at, each in enumerate(given)],  # type: ignore[misc]
        )
