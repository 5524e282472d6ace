"""Derivatives by central differences, and the comparison of numbers in checks.

NumPy only. Must not use the engine: a check by the engine's own gradcheck would rely on what it tests.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

EPS = 1e-6
"""Step of the central difference. In float64, for values near 1, truncation and rounding errors are about 1e-10."""

Values = tuple[np.ndarray, ...]


def as_values(result: Any) -> Values:
    """One array or a tuple of arrays, as a tuple."""
    parts = result if isinstance(result, tuple) else (result,)
    return tuple(np.asarray(part) for part in parts)


def flat(values: Values) -> np.ndarray:
    """All entries of all `values` in one 1-D array, in float64."""
    return np.concatenate([np.asarray(value, dtype=np.float64).reshape(-1) for value in values])


def is_float(argument: Any) -> bool:
    """Whether the argument is a float array, which is differentiated."""
    return isinstance(argument, np.ndarray) and argument.dtype.kind == "f"


def numerical_jacobian(forward: Callable[..., Any], arguments: Sequence[Any], index: int) -> np.ndarray:
    """d forward / d arguments[index] by central differences, (f(x+h) - f(x-h)) / 2h.

    Returns a matrix with one row per output entry and one column per input entry.

    >>> numerical_jacobian(lambda x: x * 3, [np.array([1.0, 2.0])], 0).round(6)
    array([[3., 0.],
           [0., 3.]])
    """
    x = np.array(arguments[index], dtype=np.float64)

    def at(moved: np.ndarray) -> np.ndarray:
        copies = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
        copies[index] = moved
        return flat(as_values(forward(*copies)))

    columns = []
    for entry in range(x.size):
        up, down = x.copy(), x.copy()
        up.reshape(-1)[entry] += EPS
        down.reshape(-1)[entry] -= EPS
        columns.append((at(up) - at(down)) / (2 * EPS))
    return np.stack(columns, axis=1) if columns else np.zeros((at(x).size, 0))


def wrong_values(got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Mask of the entries that differ by more than a different order of the same float operations explains.

    got, expected: arrays of the same shape.
    """
    relative = 1e-5 if got.dtype.itemsize < 8 or expected.dtype.itemsize < 8 else 1e-9
    return ~_close(got, expected, relative, relative * 1e-2)


def wrong_slopes(got: np.ndarray, numerical: np.ndarray, equal_nan: bool = False) -> np.ndarray:
    """Mask of the entries that differ by more than the error of the central difference.

    got, numerical: arrays of the same shape.
    """
    return ~_close(got, numerical, 1e-5, 1e-6, equal_nan)


def _close(got: np.ndarray, want: np.ndarray, rtol: float, atol: float, equal_nan: bool = False) -> Any:
    """`np.isclose` in less than half its time on small arrays: grading compares thousands of them."""
    want = np.asarray(want, np.result_type(want, 1.0))
    with np.errstate(invalid="ignore"):
        close = (np.abs(got - want) <= atol + rtol * np.abs(want)) & np.isfinite(want) | (got == want)
    return close | (np.isnan(got) & np.isnan(want)) if equal_nan else close


def same_slopes(got: np.ndarray, numerical: np.ndarray, equal_nan: bool = False) -> bool:
    """Whether two gradients agree in shape and in every entry.

    >>> same_slopes(np.ones(2), np.ones(2)), same_slopes(np.ones(2), np.ones(1))
    (True, False)
    """
    return got.shape == numerical.shape and not wrong_slopes(got, numerical, equal_nan).any()
