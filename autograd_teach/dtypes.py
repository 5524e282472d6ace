"""PyTorch's dtypes, the NumPy dtypes that store them, and the rules of dtype promotion.

Uses NumPy only. The rules take arrays, not tensors, because promotion depends on an array's dtype
and rank. Source of the rules: the PyTorch documentation, "torch.dtype" under *Tensor Attributes*.
"""

import functools
from typing import Any

import numpy as np

from .errors import TITLES, error
from .quiet import converted


class dtype:
    """A PyTorch data type, such as `torch.float32`: how an element of a tensor is stored.

    `is_floating_point`, `is_signed` and `itemsize` (bytes) mean what they mean in PyTorch; `numpy` is NumPy's dtype.
    `title` and `c_name` are its names in error messages.

    >>> import autograd_teach as torch
    >>> torch.float32, torch.float32.itemsize, torch.int64.is_floating_point
    (torch.float32, 4, False)
    """

    def __init__(self, name: str, c_name: str) -> None:
        self.name, self.title, self.c_name = name, TITLES[name], c_name
        self.numpy, self.tensor_type = np.dtype(name), f"torch.{self.title}Tensor"
        self.is_floating_point, self.is_signed, self.is_complex = name[0] == "f", name[0] in "fi", False
        self.itemsize = self.numpy.itemsize

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return "bool_" if self.name == "bool" else self.name  # the name under which pickle finds it in this module


ALL = float16, float32, float64, uint8, int8, int16, int32, int64, bool_ = (
    dtype("float16", "c10::Half"), dtype("float32", "float"), dtype("float64", "double"),
    dtype("uint8", "unsigned char"), dtype("int8", "signed char"), dtype("int16", "short int"),
    dtype("int32", "int"), dtype("int64", "long int"), dtype("bool", "bool"),
)  # fmt: skip


class memory_format:
    """Memory layout of a copy: `torch.preserve_format` keeps the strides, `torch.contiguous_format` is row by row.

    >>> import autograd_teach as torch
    >>> torch.zeros(2, 3).T.clone(memory_format=torch.contiguous_format).stride()
    (2, 1)
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


preserve_format, contiguous_format = memory_format("preserve_format"), memory_format("contiguous_format")
_NAMED: dict[Any, dtype] = {**{d.numpy: d for d in ALL}, float: float64, int: int64, bool: bool_}
_default = float32


def as_dtype(d: Any) -> dtype:
    """The dtype that `d` stands for: a dtype, a NumPy dtype, `float`, `int`, `bool`, or None for the default."""
    if found := d if isinstance(d, dtype) else _default if d is None else _NAMED.get(d):
        return found
    raise error("dtype_of_what", type(d).__name__)


def of_array(array: np.ndarray | np.generic) -> dtype:
    """The PyTorch dtype of an array; the error of `torch.from_numpy` if there is none."""
    if found := _NAMED.get(array.dtype):
        return found
    if array.dtype.kind in "cu":
        raise NotImplementedError(f"autograd_teach has no dtype {array.dtype.name}")
    raise error("no_dtype", f"{array.dtype.type.__module__}.{array.dtype.type.__name__}")


def title(array: np.ndarray) -> str:
    """The array's dtype as most error messages name it: `Float`, `Long`."""
    return of_array(array).title


def c_name(array: np.ndarray) -> str:
    """The array's dtype as other error messages name it: `float`, `long int`."""
    return of_array(array).c_name


def get_default_dtype() -> dtype:
    """The dtype of tensors made from Python floats, and of the results of functions such as `exp` on integers.

    float32 unless `set_default_dtype` has changed it.

    >>> import autograd_teach as torch
    >>> torch.get_default_dtype()
    torch.float32
    """
    return _default


def set_default_dtype(d: dtype) -> None:
    """Change the default dtype: the dtype of new tensors made from Python floats or without a dtype.

    d: float16, float32 or float64, else TypeError. Existing tensors do not change.

    >>> import autograd_teach as torch
    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor([1.5]).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise error("default_dtype", "" if isinstance(d, dtype) else "invalid dtype object: ")
    _default = d
    constants.clear()


def category(d: np.dtype) -> int:
    """The category of a dtype in promotion: 0 bool, 1 integer, 2 floating. A result has the highest one."""
    return (d.kind != "b") + (d.kind == "f")


@functools.cache
def promote_types(a: np.dtype, b: np.dtype) -> np.dtype:
    """The result of PyTorch's `promote_types`. Unlike in NumPy, an integer never makes a float wider."""
    return np.promote_types(a, b) if (a.kind == "f") == (b.kind == "f") else a if a.kind == "f" else b


def result_type(a: np.ndarray, b: np.ndarray) -> np.dtype:
    """The dtype of an operation on both: an array of rank 0 counts only if its category is higher."""
    for scalar, ranked in ((a, b), (b, a)):
        if ranked.ndim and not scalar.ndim and category(scalar.dtype) <= category(ranked.dtype):
            return ranked.dtype
    return promote_types(a.dtype, b.dtype)


def copied(array: np.ndarray, order: Any = "K", d: Any = None) -> np.ndarray:
    """A copy with the same order in memory; an expanded array, with strides of 0, is copied row by row."""
    order = "C" if 0 in array.strides else order
    return array.astype(array.dtype, order) if d is None else converted(array, d, order)


# Cache of the numbers that were operands (`ops/operands.py`). Some have the default dtype, so a
# change empties it.
constants: dict[Any, Any] = {}

# The NumPy scalars that operations compute with in place of arrays of rank 0.
SCALARS = frozenset((np.float32, np.float64))


def promote(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both arrays, converted to the dtype of their result."""
    d = result_type(a, b)
    return a if a.dtype is d else copied(a, d=d), b if b.dtype is d else copied(b, d=d)


def as_floating(array: np.ndarray) -> np.ndarray:
    """The array itself if it is floating, else a copy in the default dtype, as in PyTorch's float-valued functions."""
    return array if array.dtype.kind == "f" else copied(array, d=_default.numpy)
