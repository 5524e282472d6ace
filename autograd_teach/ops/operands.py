"""What the generated code of every operation calls: numbers and arrays as operands, errors, results of several tensors.

Knows tensors; knows no operation.
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
from ..tensor import Tensor, wrap

NUMBERS = frozenset((int, float, bool))
# Functions that take a number as their first operand too, as a tensor of rank 0.
NUMBER_FIRST = frozenset(("add", "sub", "mul", "div", "subtract", "multiply", "true_divide"))

_constants: dict[Any, Tensor] = dtypes.constants


def number(value: Any, like: Any) -> Tensor:
    """A Python number as an operand beside `like`, an array or scalar: a constant of rank 0 in the dtype it takes there."""
    kind, beside = value.__class__, like.__class__
    key = (value, beside if beside in dtypes.SCALARS else like.dtype.char, kind)
    constant = _constants.get(key)
    if constant is not None:
        return constant
    d = np.dtype(kind) if kind in (bool, int) else dtypes.get_default_dtype().numpy
    if kind is not bool and dtypes.category(d) <= dtypes.category(like.dtype):
        d = like.dtype
    try:
        made = np.array(value).astype(d)
    except OverflowError:
        raise error("number_overflows") from None
    made.flags.writeable = False
    constant = wrap(made[()] if beside in dtypes.SCALARS and made.dtype.type in dtypes.SCALARS else made)
    constant._versions, constant._number = None, value  # also in inference mode
    # 0.0 and -0.0 are one key, and NaN is none at all; what an evolving scalar leaves behind must not pile up.
    if value and not math.isnan(value):
        if len(_constants) > 1000:
            _constants.clear()
        _constants[key] = constant
    return constant


def _as_tensor(value: Any, like: np.ndarray | None) -> Tensor | None:
    """Numbers that are not plain Python ones, and NumPy arrays, are operands too; numbers as they are beside `like`."""
    if isinstance(value, np.number):
        value = value.item()
    if isinstance(value, (bool, int, float)):
        return number(value, np.empty((), bool) if like is None else like)
    if isinstance(value, (np.ndarray, np.generic)):
        dtypes.of_array(np.asarray(value))
        return wrap(np.asarray(value))
    return value if isinstance(value, Tensor) else None


def convert_operands(function: Any, numbers: bool, parameters: list[str], values: tuple[Any, ...], **plain: Any) -> Any:
    """Call `function` again with its foreign operands made tensors; TypeError for what cannot be one.

    An operator leaves to the other operand what it does not know.
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


# NumPy's names for PyTorch's parameters, which PyTorch takes too.
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}


def renamed(function: Any, unknown: dict[str, Any], values: tuple[Any, ...], **plain: Any) -> Any:
    """Call a row's `function` again, with NumPy's names among its unknown keywords replaced."""
    return function(*values, **plain | with_pytorch_names(function.__name__, unknown, plain))


def with_pytorch_names(function: str, keywords: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """Keywords with NumPy's names replaced; TypeError for one that the function does not take, or that it gets twice."""
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
    """The second operand of a sum times its factor, in its own dtype, where the factor must have a place."""
    require(array.dtype.kind == "f" or not isinstance(alpha, float), "alpha_of_integers")
    return np.asarray(np.multiply(array, alpha)).astype(array.dtype, copy=False)


def dtype_error(operation: str, array: np.ndarray) -> Exception:
    """Why an operation is not defined for an array's dtype, in PyTorch's words."""
    try:
        return error(f"{operation}_dtype", dtypes.title(array))
    except KeyError:
        return error("no_kernel", f"{operation}_cpu", dtypes.title(array))


def broadcast_error(a: np.ndarray, b: np.ndarray) -> Exception:
    """Why two arrays do not broadcast, in PyTorch's words."""
    for dim in range(1, min(a.ndim, b.ndim) + 1):
        if a.shape[-dim] != b.shape[-dim] and 1 not in (a.shape[-dim], b.shape[-dim]):
            return error("broadcast", a.shape[-dim], b.shape[-dim], max(a.ndim, b.ndim) - dim)
    return RuntimeError(f"the operation is not defined for {a.dtype} and {b.dtype}")


def place_outputs(node: Any, outputs: list[Tensor]) -> None:
    """Tell a node of several outputs, and each of these that can have a gradient, of each other."""
    arrays = [t._value for t in outputs if t._value.dtype.kind == "f"]
    node._outputs = count = len(arrays)
    if count == 1:
        node._expect(arrays[0].shape, arrays[0].dtype)
    else:
        node._expect([a.shape for a in arrays], [a.dtype for a in arrays])
    for i, tensor in enumerate(outputs[:count]):
        tensor._set_edge(edge_to(node, i))


def result_type(operation: str, outputs: tuple[str, ...]) -> Callable[[list[Tensor]], Any]:
    """The tuple of several results, with a name for each; it prints as PyTorch's do."""
    name = operation.split("_")[0]
    fields: Any = namedtuple(name, outputs)  # type: ignore[misc]  # the fields of the row

    def shown(self: Any) -> str:
        return f"torch.return_types.{name}(\n" + ",\n".join(f"{k}={v!r}" for k, v in self._asdict().items()) + ")"

    fields.__repr__ = shown  # type: ignore[method-assign]
    return fields._make
