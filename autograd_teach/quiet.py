"""PyTorch computes log(0) or 1 / 0 without a word: NumPy's warnings about our own computations must not reach a user.

A warning filter for this package's modules does that, as long as it stands before the user's. Each operation looks whether it
does (35 ns; `np.errstate` would take 900), because filters are often replaced: by `warnings.catch_warnings`, by pytest. What
NumPy computes in Python code of its own, such as `np.linalg`, is called under `errstate`. The user's own NumPy still warns.
"""

import re
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

# As `warnings.filterwarnings` makes it; told by identity, since only the very first filter is looked at.
FILTER: Any = ("ignore", None, RuntimeWarning, re.compile(r"autograd_teach\b"), 0)


def keep_quiet() -> None:
    """Put the filter before all others."""
    filters: list[Any] = warnings.filters  # type: ignore[assignment]  # typed as a sequence, documented as a list
    if FILTER in filters:
        filters.remove(FILTER)
    filters.insert(0, FILTER)


def quietly(function: F) -> F:
    """Decorates a kernel that calls Python code of NumPy's, whose warnings come from NumPy's modules."""

    @wraps(function)
    def quiet(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return quiet  # type: ignore[return-value]  # the same signature


allclose = quietly(np.allclose)
