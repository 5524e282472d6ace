"""Derivatives by central differences, and how numbers of a check are compared.

NumPy only. Must not know the engine: a check that used the engine's own gradcheck would trust what it tests.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

EPS = 1e-6
"""Step of the central difference: for float64 and values near 1 the error of formula and rounding is near 1e-10."""

Values = tuple[np.ndarray, ...]


def as_values(result: Any) -> Values:
    """One array or a tuple of them, as a tuple."""
    parts = result if isinstance(result, tuple) else (result,)
    return tuple(np.asarray(part) for part in parts)


def flat(values: Values) -> np.ndarray:
    """All entries of all `values` in one row, in float64."""
    return np.concatenate([np.asarray(value, dtype=np.float64).reshape(-1) for value in values])


def is_float(argument: Any) -> bool:
    """Whether an argument is differentiated: a float array."""
    return isinstance(argument, np.ndarray) and argument.dtype.kind == "f"


def numerical_jacobian(forward: Callable[..., Any], arguments: Sequence[Any], index: int) -> np.ndarray:
    """d forward / d arguments[index] by (f(x+h) - f(x-h)) / 2h: a row an output entry, a column an input entry.

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
    """Where values of one shape differ by more than another order of the same float operations explains."""
    relative = 1e-5 if got.dtype.itemsize < 8 or expected.dtype.itemsize < 8 else 1e-9
    return ~_close(got, expected, relative, relative * 1e-2)


def wrong_slopes(got: np.ndarray, numerical: np.ndarray, equal_nan: bool = False) -> np.ndarray:
    """Where gradients of one shape differ by more than the central difference's own error."""
    return ~_close(got, numerical, 1e-5, 1e-6, equal_nan)


def _close(got: np.ndarray, want: np.ndarray, rtol: float, atol: float, equal_nan: bool = False) -> Any:
    """`np.isclose`, in less than half of its time on a few numbers: a grade compares thousands of small arrays."""
    want = np.asarray(want, np.result_type(want, 1.0))
    with np.errstate(invalid="ignore"):
        close = (np.abs(got - want) <= atol + rtol * np.abs(want)) & np.isfinite(want) | (got == want)
    return close | (np.isnan(got) & np.isnan(want)) if equal_nan else close


def same_slopes(got: np.ndarray, numerical: np.ndarray) -> bool:
    """Whether two gradients agree in shape and everywhere."""
    return got.shape == numerical.shape and not wrong_slopes(got, numerical).any()
