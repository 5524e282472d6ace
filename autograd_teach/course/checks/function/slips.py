"""Finds a simple expression that explains the numbers of a wrong slope or result, entry by entry.

NumPy only; works on numbers, not on evidence. An expression counts if it explains all entries of all inputs, at least
`ENOUGH` of them different. If two expressions do, both are named: the numbers cannot show which one was written.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...jacobian import flat

ENOUGH = 5
"""This many different numbers very rarely agree with an expression by chance."""

Numbers = Mapping[str, np.ndarray]
"""The numbers of one input that an expression may use, by name, all of one shape."""

Entrywise = Callable[[np.ndarray], np.ndarray]

_SIMPLE: tuple[tuple[str, Entrywise], ...] = (
    ("{}", lambda v: v),
    ("-{}", lambda v: -v),
    ("|{}|", np.abs),
    ("1 / {}", lambda v: 1 / v),
    ("-1 / {}", lambda v: -1 / v),
    ("{} ** 2", np.square),
    ("2 * {}", lambda v: 2 * v),
    ("{} / 2", lambda v: v / 2),
    ("1 - {}", lambda v: 1 - v),
    ("1 + {}", lambda v: 1 + v),
    ("{} - 1", lambda v: v - 1),
)
"""Expressions whose products are tried too."""

_FURTHER: tuple[tuple[str, Entrywise], ...] = (
    ("-{} ** 2", lambda v: -(v**2)),
    ("-2 * {}", lambda v: -2 * v),
    ("3 * {}", lambda v: 3 * v),
    ("{} ** 3", lambda v: v**3),
    ("2 * {} ** 2", lambda v: 2 * v**2),
    ("3 * {} ** 2", lambda v: 3 * v**2),
    ("1 / {} ** 2", lambda v: 1 / v**2),
    ("-1 / {} ** 2", lambda v: -1 / v**2),
    ("1 - {} ** 2", lambda v: 1 - v**2),
    ("1 + {} ** 2", lambda v: 1 + v**2),
    ("(1 - {}) ** 2", lambda v: (1 - v) ** 2),
    ("1 / (1 + {} ** 2)", lambda v: 1 / (1 + v**2)),
    ("1 / (1 - {} ** 2)", lambda v: 1 / (1 - v**2)),
    ("{0} * (1 - {0})", lambda v: v * (1 - v)),
    ("{0} * (1 + {0})", lambda v: v * (1 + v)),
    ("{0} ** 2 * (1 - {0})", lambda v: v**2 * (1 - v)),
    ("1 / (2 * {})", lambda v: 0.5 / v),
    ("2 / {}", lambda v: 2 / v),
    ("sqrt|{}|", lambda v: np.sqrt(np.abs(v))),
    ("1 / sqrt|{}|", lambda v: 1 / np.sqrt(np.abs(v))),
    ("1 / (2 * sqrt|{}|)", lambda v: 0.5 / np.sqrt(np.abs(v))),
    ("exp({})", np.exp),
    ("exp(-{})", lambda v: np.exp(-v)),
    ("-exp(-{})", lambda v: -np.exp(-v)),
    ("exp({}) - 1", np.expm1),
    ("1 + exp({})", lambda v: 1 + np.exp(v)),
    ("1 + exp(-{})", lambda v: 1 + np.exp(-v)),
    ("log|{}|", lambda v: np.log(np.abs(v))),
    ("log(1 + exp({}))", lambda v: np.logaddexp(0, v)),
    ("sin({})", np.sin),
    ("-sin({})", lambda v: -np.sin(v)),
    ("cos({})", np.cos),
    ("-cos({})", lambda v: -np.cos(v)),
    ("tan({})", np.tan),
    ("tanh({})", np.tanh),
    ("1 - tanh({}) ** 2", lambda v: 1 - np.tanh(v) ** 2),
    ("1 - tanh({})", lambda v: 1 - np.tanh(v)),
    ("sigmoid({})", lambda v: 1 / (1 + np.exp(-v))),
    ("sigmoid(-{})", lambda v: 1 / (1 + np.exp(v))),
    ("sigmoid({0}) * (1 - sigmoid({0}))", lambda v: np.exp(-v) / (1 + np.exp(-v)) ** 2),
    ("exp(-{0}) / (1 + exp(-{0}))", lambda v: 1 / (1 + np.exp(v))),
    ("round({})", np.round),
    ("floor({})", np.floor),
    ("ceil({})", np.ceil),
    ("sign({})", np.sign),
    ("(1 where {} > 0, else 0)", lambda v: (v > 0) * 1.0),
    ("(0 where {0} < 0, else {0})", lambda v: np.maximum(v, 0)),
)

_OF_TWO: tuple[tuple[str, Callable[[np.ndarray, np.ndarray], np.ndarray]], ...] = (
    ("{} + {}", lambda v, w: v + w),
    ("{} - {}", lambda v, w: v - w),
    ("{1} - {0}", lambda v, w: w - v),
    ("{} * {}", lambda v, w: v * w),
    ("{} / {}", lambda v, w: v / w),
    ("{1} / {0}", lambda v, w: w / v),
    ("max({}, {})", np.maximum),
    ("min({}, {})", np.minimum),
    ("sign({}) * {}", lambda v, w: np.sign(v) * w),
    ("sign({1}) * {0}", lambda v, w: v * np.sign(w)),
    ("sign({} - {})", lambda v, w: np.sign(v - w)),
)


@dataclass(frozen=True)
class Expression:
    """An expression in words, and the function that computes it from the numbers of one input."""

    words: str
    of: Callable[[Numbers], np.ndarray]


def expression_in_words(inputs: Sequence[Numbers], fits: Callable[[int, np.ndarray], bool]) -> str | None:
    """The simplest expressions, at most two, whose values `fits` accepts for every input; None if there are none.

    fits: called with the number of an input and the values of an expression there.

    >>> inputs = [{"x": np.array([1.5, 2.5, 3.5])}, {"x": np.array([-0.5, -2.0, 0.25])}]
    >>> expression_in_words(inputs, lambda n, values: np.allclose(values, 1 - inputs[n]["x"] ** 2))
    '`1 - x ** 2`'
    >>> expression_in_words(inputs, lambda n, values: np.allclose(values, values**2))
    '`1`'
    """
    if not inputs:
        return None
    with np.errstate(all="ignore"):
        for level in _levels(tuple(inputs[0])):
            found = [each.words for each in level if _explains(each, inputs, fits)]
            if found:
                # For positive numbers the absolute value fits too, which says nothing new.
                others = [words for words in found[1:] if words.replace("|", "") != found[0]]
                return " or ".join(f"`{words}`" for words in [found[0], *others[:1]])
    return None


def _explains(expression: Expression, inputs: Sequence[Numbers], fits: Callable[[int, np.ndarray], bool]) -> bool:
    """Whether an expression explains all numbers and enough different ones. For a constant they may be equal."""
    every = []
    for number, numbers in enumerate(inputs):
        values = np.asarray(expression.of(numbers), dtype=np.float64)
        if not np.isfinite(values).all() or not fits(number, values):
            return False
        every.append(values)
    entries = flat(tuple(every))
    return entries.size >= ENOUGH if np.ptp(entries) == 0 else _different(inputs) >= ENOUGH


def _different(inputs: Sequence[Numbers]) -> int:
    """The number of different points in the inputs."""
    return max(np.unique(flat(tuple(each[name] for each in inputs))).size for name in inputs[0])


def _levels(names: tuple[str, ...]) -> Iterator[list[Expression]]:
    """All expressions in levels, the simplest level first."""
    first = names[0]
    yield [
        Expression(f"{value:g}", lambda numbers, v=value: np.full(np.shape(numbers[first]), v))  # type: ignore[misc]
        for value in (1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5)
    ]
    simple = [_one(words, f, name) for name in names for words, f in _SIMPLE]
    yield simple
    pairs = [_two(words, f, one, other) for one, other in itertools.combinations(names, 2) for words, f in _OF_TWO]
    yield [*(_one(words, f, name) for name in names for words, f in _FURTHER), *pairs]
    yield [
        _product(one, other)
        for one, other in itertools.combinations((each for each in simple if "-" != each.words[0]), 2)
    ]


def _one(words: str, f: Entrywise, name: str) -> Expression:
    return Expression(words.format(name), lambda numbers: f(numbers[name]))


def _two(words: str, f: Callable[[np.ndarray, np.ndarray], np.ndarray], one: str, other: str) -> Expression:
    return Expression(words.format(one, other), lambda numbers: f(numbers[one], numbers[other]))


def _product(one: Expression, other: Expression) -> Expression:
    words = " * ".join(f"({each.words})" if " " in each.words else each.words for each in (one, other))
    return Expression(words, lambda numbers: one.of(numbers) * other.of(numbers))
