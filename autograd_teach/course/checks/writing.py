"""Formats values for a report: arrays with few digits, two sides with enough digits to differ.

NumPy only.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ..jacobian import wrong_slopes, wrong_values
from .diagnosing import a_or_an

LINES, WIDTH = 12, 600
"""The number of lines and characters that are shown of one value."""


def cut(rows: dict[str, str]) -> dict[str, str]:
    """The rows, with values that are too long shortened."""
    short = {}
    for name, text in rows.items():
        if len(text) > 2 * WIDTH:
            text = f"{text[:WIDTH].rstrip()} ... {text[-WIDTH // 2 :].lstrip()}"
        lines = text.split("\n")
        short[name] = "\n".join(lines if len(lines) <= LINES + 1 else [*lines[:LINES], "..."])
    return short


def both_sides(expected: Sequence[object], got: Sequence[object], right: str = "specified") -> dict[str, str]:
    """The right and the actual result, with enough digits to differ, else with what they are.

    >>> both_sides([np.array([0.5])], [np.array([0.50001])])
    {'specified': '[0.500000]', 'yours': '[0.500010]'}
    >>> both_sides([np.array([0.5])], [np.array([0.5], dtype=np.float32)], "declared")
    {'declared': '[0.500]  (float64, shape (1,))', 'yours': '[0.500]  (float32, shape (1,))'}
    """
    digits = digits_apart(expected, got)
    rows = dict(zip((right, "yours"), _written(expected, got, digits or 3), strict=True))
    if digits:
        return rows
    kinds = [", ".join(map(_kind, values)) for values in (expected, got)]
    notes = [f"  ({kind})" if kinds[0] != kinds[1] else "" for kind in kinds]
    return {name: text + note for (name, text), note in zip(rows.items(), notes, strict=True)}


def digits_apart(expected: Sequence[object], got: Sequence[object]) -> int | None:
    """The decimal places with which the right and the actual result look different; None if they never do."""
    for digits in (3, 6, 9, 12, 15, 18):
        one, other = _written(expected, got, digits)
        if one != other and are_apart(list(expected), list(got), digits):
            return digits
    return None


def _written(expected: Sequence[object], got: Sequence[object], digits: int) -> list[str]:
    return [", ".join(number(_decimal(value), digits) for value in values) for values in (expected, got)]


def are_apart(expected: object, got: object, digits: int) -> bool:
    """Whether all wrong numbers differ from the right ones by about as much as before if both are rounded to so many digits."""
    pairs = list(_float_pairs(_decimal(expected), _decimal(got)))
    wrong = wrong_slopes if any(wrong_slopes(*pair).any() for pair in pairs) else wrong_values
    for one, other in pairs:
        with np.errstate(invalid="ignore"):
            off, shown = one - other, np.round(one, digits) - np.round(other, digits)
            if (np.abs(shown - off) > np.abs(off) / 2)[wrong(one, other)].any():
                return False
    return True


def _float_pairs(expected: object, got: object) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The arrays of floats of an actual result, each with the right one, if their shapes are equal."""
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for one, other in zip(expected, got, strict=True):
            yield from _float_pairs(one, other)
    elif isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        for key in expected:
            yield from _float_pairs(expected[key], got[key])
    elif isinstance(expected, np.ndarray) and isinstance(got, np.ndarray) and expected.shape == got.shape:
        yield from [(got, expected)] if expected.dtype.kind == got.dtype.kind == "f" else []


def _kind(value: object) -> str:
    if not isinstance(value, np.ndarray):
        return f"a Python {type(value).__name__}"
    return f"{'' if type(value) is np.ndarray else 'a NumPy array, '}{value.dtype}, shape {value.shape}"


def given(value: object, digits: int | None = 3) -> str:
    """An argument as text; a tensor with its shape if the numbers do not show it, and with a dtype other than float64.

    digits: None for all that are needed to compute with exactly this argument.

    >>> given(np.zeros((0, 2))), given(np.array(2)), given(2), given(np.array([2.0]))
    ('[]  (a tensor of shape (0, 2))', '2  (a tensor of shape () and of dtype int64)', '2', '[2.000]')
    """
    array = getattr(value, "array", value)
    if not isinstance(array, np.ndarray):
        return number(value, digits)
    words = [f"of shape {array.shape}"] if array.ndim == 0 or array.size == 0 else []
    words += [f"of dtype {array.dtype}"] if array.dtype != np.float64 else []
    return number(value, digits) + (f"  (a tensor {' and '.join(words)})" if words else "")


def _decimal(value: object) -> object:
    """The result with floats as arrays, so that floats and tensors are written alike."""
    match value:
        case float():
            return np.asarray(value)
        case list():
            return type(value)(_decimal(each) for each in value)
        case dict():
            return {key: _decimal(each) for key, each in value.items()}
    return value


def number(value: object, digits: int | None = 3) -> str:
    """A value of a record as text: a number, an array, a str, or a collection of these. digits: None for all."""
    if isinstance(value, list):
        left, right = getattr(value, "brackets", ("[", "]"))  # a tuple of an answer has others
        end = "," if left == "(" and len(value) == 1 else ""
        return f"{left}{', '.join(number(each, digits) for each in value)}{end}{right}"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {number(each, digits)}" for key, each in value.items())
    if hasattr(value, "type"):
        return a_or_an(value.type)
    if not isinstance(value, np.ndarray):
        return f"{value:.6g}" if isinstance(value, float) and digits is not None else repr(value)
    if value.dtype.kind != "f" or digits is None:
        return np.array2string(value, floatmode="unique", separator=", ", threshold=50)
    rounded = np.round(value, digits) + 0.0  # no "-0."
    return np.array2string(
        rounded, precision=digits, floatmode="fixed", suppress_small=True, separator=", ", threshold=50
    )
