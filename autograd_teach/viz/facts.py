"""What a picture says about a tensor: its shape, dtype and numbers as short text.

Works on anything with `shape`, `dtype`, `detach()` and `numpy()`, as tensors of this package and of
PyTorch have. This module does not know about graphs. Numbers are written with a fixed number of
digits, so that a difference between processors in the last bit is not visible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Values = Literal["auto", "always", "never"]

LIBRARIES = "autograd_teach", "torch"
NO_GRAD_YET = "not computed yet"
_IN_FULL = {"auto": 12, "always": 100, "never": 0}
_SHORT = 28
_LONGEST_VALUE = 60
_TOO_LARGE_TO_SCAN = 10_000_000


@dataclass(frozen=True)
class Facts:
    """A tensor as plain data; it does not keep the tensor alive."""

    shape: tuple[int, ...]
    dtype: str
    text: str
    """The numbers: in full for a small tensor, else range and mean; empty if they are not shown."""
    short: str = ""
    """The numbers inside a node: in full if that is short, else the range."""
    in_full: bool = False
    odd: str = ""
    """The number of NaN and infinite elements, in words; empty if there are none."""
    numbers: tuple[float, ...] = ()
    """The elements of a small real tensor, for the bars of the player."""

    def __str__(self) -> str:
        return f"shape {shape_text(self.shape)}" + (f", {self.text}" if self.text else "")


def is_tensor(thing: Any) -> bool:
    """Whether `thing` has the attributes of a tensor that the views read."""
    kind = type(thing)
    return all(hasattr(kind, name) for name in ("grad_fn", "requires_grad", "detach", "shape"))


def library_of(tensor: Any) -> str:
    """The package of a tensor: `autograd_teach` or `torch`, also for a subclass.

    Else the package of its class.
    """
    for kind in type(tensor).__mro__:
        package = kind.__module__.partition(".")[0]
        if package in LIBRARIES:
            return package
    return type(tensor).__module__.partition(".")[0]


def output_number(tensor: Any) -> int:
    """Which output of its `grad_fn` a tensor is."""
    return int(getattr(tensor, "output_nr", 0))


def first_line(error: BaseException) -> str:
    """The first line of an error's message; a view does not have room for more."""
    return str(error).strip().partition("\n")[0]


def printable(text: str) -> str:
    """A text on one line.

    Control characters become blanks, because SVG and terminals cannot show them.
    """
    return "".join(c if c.isprintable() else " " for c in text)


def in_words(thing: Any) -> str:
    """A value on one line, without a memory address."""
    if is_tensor(thing):
        return f"a tensor of shape {shape_text(tuple(thing.shape))}"
    if callable(thing):
        return getattr(thing, "__name__", f"<{type(thing).__name__}>")
    plain = isinstance(thing, (int, float, complex, str, bytes, list, tuple, dict, set, type(None)))
    told = repr(thing) if plain else f"<{type(thing).__name__}>"
    return told if len(told) <= _LONGEST_VALUE else told[: _LONGEST_VALUE - 1] + "…"


def facts(tensor: Any, values: Values = "auto") -> Facts:
    """The facts of a tensor (or an array), with its numbers in full up to 12 elements (`"always"`: up to 100)."""
    shape = tuple(int(size) for size in tensor.shape)
    dtype = str(tensor.dtype).rpartition(".")[2]
    if values == "never" or math.prod(shape) > _TOO_LARGE_TO_SCAN:
        return Facts(shape, dtype, "")
    array = as_array(tensor)
    if array is None:
        return Facts(shape, dtype, "values not shown for this kind of tensor")
    in_full = array.size <= _IN_FULL[values]
    text = _nested(array) if in_full else _range(array)
    short = text if in_full and len(text) <= _SHORT else _range(array).partition(",")[0]
    numbers = tuple(float(v) for v in array.ravel()) if in_full and array.dtype.kind in "fiu" else ()
    return Facts(shape, dtype, text, short, in_full, odd(array), numbers)


def as_array(tensor: Any) -> np.ndarray[Any, Any] | None:
    """The tensor's numbers as a NumPy array; None if NumPy cannot hold them."""
    if isinstance(tensor, (np.ndarray, np.generic)):  # the sum of two 0-d arrays is a NumPy scalar
        return np.asarray(tensor)
    try:
        plain = tensor.detach()
        plain = plain.cpu() if hasattr(plain, "cpu") else plain
        if str(plain.dtype).endswith("bfloat16"):  # NumPy does not have this dtype
            plain = plain.float()
        return np.asarray(plain.numpy())
    except (TypeError, RuntimeError, NotImplementedError, AttributeError, ValueError):
        return None  # sparse, quantized, meta and other tensors without plain storage


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as text: `()`, `(4)`, `(10, 20)`.

    >>> shape_text((10, 20))
    '(10, 20)'
    """
    return "(" + ", ".join(str(size) for size in shape) + ")"


def number(value: Any) -> str:
    """One number with four significant digits; whole numbers below a million in full.

    >>> number(-4.0), number(1 / 3), number(float("nan"))
    ('-4', '0.3333', 'nan')
    """
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{complex(value):.4g}"
    if math.isfinite(value) and value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{float(value):.4g}"


def _nested(array: np.ndarray[Any, Any]) -> str:
    # The depth is the number of dimensions, at most 64 in NumPy: recursion is safe.
    if array.ndim == 0:
        return number(array.item())
    return "[" + ", ".join(_nested(part) for part in array) + "]"


def _range(array: np.ndarray[Any, Any]) -> str:
    if array.dtype.kind == "b":
        return f"{int(array.sum())} of {array.size} are True"
    if array.dtype.kind not in "fiu":
        return f"{array.size} elements"
    finite = array[np.isfinite(array)].astype(np.float64)
    if finite.size == 0:
        return "no finite element"
    low, high, mean = (number(v) for v in (finite.min(), finite.max(), finite.mean()))
    return f"from {low} to {high}, mean {mean}"


def odd(array: np.ndarray[Any, Any]) -> str:
    """The number of NaN and infinite elements, in words; empty if there are none."""
    if array.dtype.kind not in "fc":
        return ""
    nans, infinite = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    parts = [f"{nans} NaN"] * bool(nans) + [f"{infinite} infinite"] * bool(infinite)
    return f"{' and '.join(parts)} of {array.size}" if parts else ""
