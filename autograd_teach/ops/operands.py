"""Helpers that generated code calls: conversion of operands, errors, and named tuples of results.

Uses tensors, but no operations.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Container
from typing import Any

import numpy as np

from .. import dtypes
from ..absent import keyword_error
from ..autograd.node import edge_to
from ..errors import class_name, error, require
from ..quiet import FITS_ALL, converted
from ..tensor import Tensor, wrap

NUMBERS = frozenset((int, float, bool))
# Functions whose first operand may be a number too, converted to a tensor of rank 0.
NUMBER_FIRST = frozenset(("add", "sub", "mul", "div", "subtract", "multiply", "true_divide"))

_constants: dict[Any, Tensor] = dtypes.constants


def number(value: Any, like: Any) -> Tensor:
    """A Python number as a constant of rank 0, in the dtype that it takes beside `like`, an array or scalar."""
    kind, beside = value.__class__, like.__class__
    key = (value, beside if beside in dtypes.SCALARS else like.dtype.char, kind)
    constant = _constants.get(key)
    if constant is not None:
        return constant
    d = np.dtype(kind) if kind in (bool, int) else dtypes.get_default_dtype().numpy
    if kind is not bool and dtypes.category(d) <= dtypes.category(like.dtype):
        d = like.dtype
    try:
        made = np.array(value).astype(d) if -FITS_ALL <= value <= FITS_ALL else converted(value, d)
    except OverflowError:
        raise error("number_overflows") from None
    made.flags.writeable = False
    constant = wrap(made[()] if beside in dtypes.SCALARS and made.dtype.type in dtypes.SCALARS else made)
    constant._versions, constant._number = None, value  # also in inference mode
    # Not cached: 0, because 0.0 and -0.0 are the same key, and NaN, which equals no key. The size
    # is limited, because a number that changes in a loop would add entries without end.
    if value and not math.isnan(value):
        if len(_constants) > 1000:
            _constants.clear()
        _constants[key] = constant
    return constant


def _as_tensor(value: Any, like: np.ndarray | None) -> Tensor | None:
    """A number or a NumPy array as a tensor, in the dtype that a number takes beside `like`; None for anything else."""
    if isinstance(value, np.number):
        value = value.item()
    if isinstance(value, (bool, int, float)):
        return number(value, np.empty((), bool) if like is None else like)
    if isinstance(value, (np.ndarray, np.generic)):
        dtypes.of_array(np.asarray(value))
        return wrap(np.asarray(value))
    return value if isinstance(value, Tensor) else None


def convert_operands(function: Any, numbers: bool, parameters: list[str], values: tuple[Any, ...], **plain: Any) -> Any:
    """Call `function` again with its operands converted to tensors; TypeError for one that cannot be converted.

    An operator returns NotImplemented instead, and Python asks the other operand.
    """
    if parameters == ["tensors"]:
        wrong = next(i for i, t in enumerate(values[0]) if not isinstance(t, Tensor))
        raise error("element_is_no_tensor", wrong, class_name(values[0][wrong]))
    operator = function.__name__.startswith("__")
    like = next((v._array for v in values if isinstance(v, Tensor)), None)
    number_first = function.__name__ in NUMBER_FIRST or (function.__name__.startswith("bitwise_") and like is not None)
    converted = {}
    for position, (parameter, value) in enumerate(zip(parameters, values), 1):
        allowed = operator or (numbers and position > 1) or isinstance(value, Tensor)
        allowed = allowed or (number_first and isinstance(value, (int, float, np.number)))
        converted[parameter] = tensor = _as_tensor(value, like) if allowed else None
        if tensor is None:
            if operator:
                return NotImplemented
            raise error("argument_is_no_tensor", function.__name__, parameter, position, class_name(value))
    return function(**converted, **plain)


# NumPy's names of PyTorch's parameters, which PyTorch accepts too.
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}


def renamed(function: Any, unknown: dict[str, Any], values: tuple[Any, ...], **plain: Any) -> Any:
    """Call a row's `function` again, with NumPy's names among its unknown keywords replaced."""
    return function(*values, **plain | with_pytorch_names(function.__name__, unknown, plain))


def with_pytorch_names(function: str, keywords: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """Keywords with NumPy's names replaced; TypeError for one that is unknown or given twice."""
    named = {}
    for keyword, value in keywords.items():
        name = keyword if keyword in known else NUMPY_NAMES.get(keyword, "")
        if keyword == "out" and value is None and name not in known:  # as `np.mean` calls `Tensor.mean`
            numpy = f"NumPy's `np.{function}` is for arrays: use `torch.{function}`, or give it `x.detach().numpy()`."
            raise TypeError(numpy)
        if name not in known or (name != keyword and name in keywords):
            raise keyword_error(function, TypeError(f"{function}() got an unexpected keyword argument {keyword!r}"))
        named[name] = value
    return named


def scaled(array: np.ndarray, alpha: Any) -> np.ndarray:
    """The second operand of a sum times `alpha`, in its own dtype; an error if `alpha` does not fit it."""
    require(array.dtype.kind == "f" or not isinstance(alpha, float), "alpha_of_integers")
    return np.asarray(np.multiply(array, alpha)).astype(array.dtype, copy=False)


def dtype_error(operation: str, array: np.ndarray) -> Exception:
    """PyTorch's error for an operation that is not defined for an array's dtype."""
    try:
        return error(f"{operation}_dtype", dtypes.title(array))
    except KeyError:
        return error("no_kernel", f"{operation}_cpu", dtypes.title(array))


def broadcast_error(a: np.ndarray, b: np.ndarray) -> Exception:
    """PyTorch's error for two arrays that do not broadcast."""
    for dim in range(1, min(a.ndim, b.ndim) + 1):
        if a.shape[-dim] != b.shape[-dim] and 1 not in (a.shape[-dim], b.shape[-dim]):
            return error("broadcast", a.shape[-dim], b.shape[-dim], max(a.ndim, b.ndim) - dim)
    return RuntimeError(f"the operation is not defined for {a.dtype} and {b.dtype}")


def place_outputs(node: Any, outputs: list[Tensor]) -> None:
    """Connect a node with its outputs, those of several results that can have a gradient."""
    arrays = [t._value for t in outputs if t._value.dtype.kind == "f"]
    node._outputs = count = len(arrays)
    if count == 1:
        node._expect(arrays[0].shape, arrays[0].dtype)
    else:
        node._expect([a.shape for a in arrays], [a.dtype for a in arrays])
    for i, tensor in enumerate(outputs[:count]):
        tensor._set_edge(edge_to(node, i))


def result_type(operation: str, outputs: tuple[str, ...]) -> Callable[[list[Tensor]], Any]:
    """The named tuple of several results; it prints like PyTorch's."""
    name = operation.split("_")[0]
    fields: Any = namedtuple(name, outputs)  # type: ignore[misc]  # the fields of the row

    def shown(self: Any) -> str:
        return f"torch.return_types.{name}(\n" + ",\n".join(f"{k}={v!r}" for k, v in self._asdict().items()) + ")"

    fields.__repr__ = shown  # type: ignore[method-assign]
    return fields._make
