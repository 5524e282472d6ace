"""The text of a tensor: byte for byte PyTorch's repr, and `set_printoptions`.

Uses NumPy and the name of the default dtype. Of a tensor it reads only `detach().numpy()`, `dtype`,
`requires_grad`, `grad_fn` and the names of its classes. So it prints PyTorch's own tensors as well,
and is tested on them.
"""

import math
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from .dtypes import get_default_dtype

_PROFILES: dict[str | None, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}
_options = SimpleNamespace(**_PROFILES["default"], sci_mode=None)


def set_printoptions(
    precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
    linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None,
) -> None:  # fmt: skip
    """Set how tensors print; options that are None keep their value, except `sci_mode`.

    precision: digits after the point. threshold: with more elements, only `edgeitems` at each end of a dimension are
    shown. linewidth: characters in a line. profile: "default", "short" or "full", which set all of these; other names
    change nothing. sci_mode: True or False for scientific notation always or never, None if the numbers decide.

    >>> import autograd_teach as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([1 / 3, 0.5])
    tensor([0.33, 0.50])
    >>> torch.set_printoptions(profile="default")
    >>> torch.tensor([1 / 3, 0.5])
    tensor([0.3333, 0.5000])
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    named = {name: value for name, value in given.items() if value is not None}
    vars(_options).update(_PROFILES.get(profile, {}) | named, sci_mode=sci_mode)


def tensor_repr(tensor: Any, default_dtype: Any = None) -> str:
    """The repr of `tensor`, as PyTorch 2.13 prints it on CPU (torch/_tensor_str.py).

    `default_dtype` (or its name, "torch.float32") is not written out; if not given, it is `get_default_dtype()`.
    """
    classes = [cls.__name__ for cls in type(tensor).__mro__]
    plain = classes[0] in ("Tensor", "Parameter")
    prefix = "tensor(" if plain else classes[0] + "("
    array = tensor.detach().numpy()
    text = prefix + _array_text(array, len(prefix))
    width = len(text) - text.rfind("\n") + 1
    for suffix in _suffixes(tensor, array, str(default_dtype or get_default_dtype())):
        # A suffix starts a new line if the current one would become too long.
        breaks = width + len(suffix) + 2 > _options.linewidth
        text += (",\n" + " " * len(prefix) if breaks else ", ") + suffix
        width = len(suffix) + (len(prefix) if breaks else width + 2)
    if "Parameter" not in classes:
        return text + ")"
    return f"Parameter containing:\n{text})" if plain else f"Parameter containing:\nParameter({text}))"


def _suffixes(tensor: Any, array: np.ndarray, default_dtype: str) -> Iterator[str]:
    dtype = str(tensor.dtype)
    if not _options.edgeitems if array.size else array.ndim != 1:
        yield f"size={array.shape}"
    # The elements of an int64 or bool tensor show its dtype, unless it is empty.
    if dtype != default_dtype and not (array.size and dtype in ("torch.int64", "torch.bool")):
        yield f"dtype={dtype}"
    try:
        node = tensor.grad_fn
    except RuntimeError:  # a view made and changed in place under no_grad has no history to show
        yield "grad_fn=<Invalid>"
        return
    if node is not None:
        yield f"grad_fn=<{type(node).__name__}>"
    elif tensor.requires_grad:
        yield "requires_grad=True"


def _array_text(array: np.ndarray, indent: int) -> str:
    if array.size == 0:
        return "[]"
    cut = [False] * array.ndim
    if array.size > _options.threshold:
        edge = _options.edgeitems
        if not edge and array.ndim:
            return "[...]"
        cut = [size > 2 * edge for size in array.shape]
        for axis, size in enumerate(array.shape):
            if cut[axis]:
                array = array.take([*range(edge), *range(size - edge, size)], axis)
    values = array.ravel().tolist()
    form, telling = _float_form(values) if array.dtype.kind == "f" else (str, values)
    width = max(map(len, map(form, telling)), default=1)
    return _nested((form(value).rjust(width) for value in values), array.shape, cut, width, indent)


def _float_form(values: list[float]) -> tuple[Callable[[float], str], list[float]]:
    """The format of floats, and the values that determine the width: those that are finite and not zero."""
    telling = [value for value in values if value and math.isfinite(value)]
    least, largest = min(map(abs, telling), default=1), max(map(abs, telling), default=1)
    scientific = _options.sci_mode if telling else False
    if scientific is None:
        scientific = largest / least > 1000 or largest > 1e8 or least < 1e-4
    if not scientific and all(map(float.is_integer, telling)):
        return lambda value: f"{value:.0f}" + "." * math.isfinite(value), telling
    return f"{{:.{_options.precision}{'e' if scientific else 'f'}}}".format, telling


def _nested(strings: Iterator[str], shape: tuple[int, ...], cut: list[bool], width: int, indent: int) -> str:
    """The next strings in nested brackets, as many as `shape` says, with dots if a dimension was cut."""
    if not shape:
        return next(strings)
    vector = len(shape) == 1
    parts = [_nested(strings, shape[1:], cut[1:], width, indent + 1) for _ in range(shape[0])]
    if cut[0]:
        parts.insert(shape[0] // 2, " ..." if vector else "...")
    if vector:
        in_line = max(1, (_options.linewidth - indent) // (width + 2))
        parts = [", ".join(parts[i : i + in_line]) for i in range(0, len(parts), in_line)]
    line_break = "," + "\n" * max(1, len(shape) - 1) + " " * (indent + 1)
    return "[" + line_break.join(parts) + "]"
