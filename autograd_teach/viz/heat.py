"""A small heat map of a large gradient, for the player: plain data that static/widget.js draws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_teach.viz.facts import number, odd, shape_text

_MOST_CELLS = 16  # along each side: the map is an overview, and a view's state stays small


def heat(array: Any) -> dict[str, Any] | None:
    """The heat map of an array; None if it is empty or does not hold real numbers.

    The columns of the map are the array's last dimension. A large array is averaged over blocks.
    NaN becomes None, infinities become "inf" and "-inf", because JSON does not have them.

    >>> heat(np.array([[1.0, -2.0], [0.5, np.nan]]))["values"]
    [[1.0, -2.0], [0.5, None]]
    """
    if array is None or array.dtype.kind not in "fiu" or not array.size:
        return None
    table = array.astype(np.float64).reshape(-1, array.shape[-1] if array.ndim else 1)
    finite = table[np.isfinite(table)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    cells = _averaged(_averaged(table, 0), 1)
    return {
        "rows": table.shape[0],
        "columns": table.shape[1],
        "values": [[_value(v) for v in row] for row in cells.tolist()],
        "low": _short(low),
        "high": _short(high),
        "shape": f"shape {shape_text(array.shape)}",
        "range": ", ".join([f"from {number(low)} to {number(high)}", *filter(None, [odd(array)])]),
    }


def _averaged(table: np.ndarray, axis: int) -> np.ndarray:
    """Average to at most `_MOST_CELLS` rows or columns.

    A block with an element that is not finite is not finite.
    """
    count = table.shape[axis]
    if count <= _MOST_CELLS:
        return table
    with np.errstate(invalid="ignore"):
        parts = np.array_split(table, _MOST_CELLS, axis)
        return np.stack([part.mean(axis) for part in parts], axis)


def _short(value: float) -> float:
    return float(f"{value:.3g}")


def _value(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return _short(value) if math.isfinite(value) else str(value)
