"""Hides NumPy's warnings about this package's own computations: PyTorch computes log(0) or 1 / 0 silently.

A warning filter for the modules of this package does that, if it comes before the user's filters.
Filters are often replaced, by `warnings.catch_warnings` or by pytest, so each operation checks that
it does (35 ns; `np.errstate` would take 900 ns). Casts, and NumPy functions written in Python, such
as those of `np.linalg`, run under `errstate`. The user's own NumPy code still warns.
"""

import re
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

FITS_ALL = 65504.0
"""The largest number of float16: a number up to it is converted without a warning, and without the 900 ns."""

F = TypeVar("F", bound=Callable[..., Any])

# The form that `warnings.filterwarnings` makes. Compared by identity, and only with the first
# filter.
FILTER: Any = ("ignore", None, RuntimeWarning, re.compile(r"autograd_teach\b"), 0)


def keep_quiet() -> None:
    """Put the filter before all others."""
    filters: list[Any] = warnings.filters  # type: ignore[assignment]  # typed as a sequence, documented as a list
    if FILTER in filters:
        filters.remove(FILTER)
    filters.insert(0, FILTER)


def quietly(function: F) -> F:
    """Decorator for a kernel that calls NumPy functions written in Python: their warnings come from NumPy's modules."""

    @wraps(function)
    def quiet(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return quiet  # type: ignore[return-value]  # the same signature


allclose, full_like = quietly(np.allclose), quietly(np.full_like)


@quietly
def converted(values: Any, dtype: Any, order: Any = "K") -> np.ndarray:
    """`values` as a new array of `dtype`: what is too large becomes infinite, as in PyTorch."""
    return np.asarray(values).astype(dtype, order)
