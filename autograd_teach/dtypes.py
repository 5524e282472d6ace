"""The dtypes that PyTorch names, the NumPy dtypes that store them, and the rules by which two of them become one.

Uses NumPy only. Knows nothing of tensors: promotion speaks of arrays, because an array's dtype and rank decide it.
Source of the rules: the PyTorch documentation, "torch.dtype" under *Tensor Attributes*.
"""

from typing import Any

import numpy as np


class dtype:
    """A PyTorch data type, such as `float32`; `str(float32)` is `torch.float32`, as PyTorch prints it.

    >>> import autograd_teach as torch
    >>> torch.tensor([1.5]).dtype, torch.float64.itemsize
    (torch.float32, 8)
    """

    __slots__ = ("name", "numpy", "tensor_type")

    def __init__(self, name: str, tensor_type: str) -> None:
        self.name = name
        self.numpy = np.dtype(name)
        # The name that error messages give to tensors of this dtype.
        self.tensor_type = f"torch.{tensor_type}Tensor"

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.numpy.itemsize

    @property
    def is_floating_point(self) -> bool:
        return self.numpy.kind == "f"

    @property
    def is_complex(self) -> bool:
        return False

    @property
    def is_signed(self) -> bool:
        return self.numpy.kind in "if"

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return of_name, (self.name,)


float16 = dtype("float16", "Half")
float32 = dtype("float32", "Float")
float64 = dtype("float64", "Double")
uint8 = dtype("uint8", "Byte")
int8 = dtype("int8", "Char")
int16 = dtype("int16", "Short")
int32 = dtype("int32", "Int")
int64 = dtype("int64", "Long")
bool_ = dtype("bool", "Bool")

ALL = (float16, float32, float64, uint8, int8, int16, int32, int64, bool_)
_BY_NUMPY = {d.numpy: d for d in ALL}
_BY_NAME = {d.name: d for d in ALL}

_default = float32


def of_name(name: str) -> dtype:
    return _BY_NAME[name]


def of_array(array: np.ndarray) -> dtype:
    """The PyTorch dtype of an array; TypeError, worded as `torch.from_numpy` does, for one that has none."""
    try:
        return _BY_NUMPY[array.dtype]
    except KeyError:
        pass
    supported = ", ".join(d.name for d in ALL)
    raise TypeError(
        f"can't convert np.ndarray of type {array.dtype.type.__module__}.{array.dtype.type.__name__}. "
        f"The only supported types are: {supported}."
    )


def title(array: np.ndarray) -> str:
    """What error messages call an array's dtype: `Float`, `Long`."""
    return of_array(array).tensor_type[6:-6]


def get_default_dtype() -> dtype:
    """The dtype of a tensor made from Python floats."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Change the dtype of tensors made from Python floats; TypeError unless `d` is a floating-point dtype."""
    global _default
    if not (isinstance(d, dtype) and d.is_floating_point):
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


def promote_types(a: np.dtype, b: np.dtype) -> np.dtype:
    """What PyTorch's `promote_types` gives: unlike NumPy's, a float of any size absorbs every integer.

    >>> promote_types(np.dtype("int64"), np.dtype("float32"))
    dtype('float32')
    """
    if a.kind == "f" or b.kind == "f":
        floats = [d for d in (a, b) if d.kind == "f"]
        return max(floats, key=lambda d: d.itemsize)
    return np.promote_types(a, b)


_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2}


def result_type(a: np.ndarray, b: np.ndarray) -> np.dtype:
    """The dtype of an operation on both: an array of rank 0 only counts where its category (bool, int, float) is higher."""
    if (a.ndim == 0) != (b.ndim == 0):
        ranked, scalar = (b, a) if a.ndim == 0 else (a, b)
        if _CATEGORY[scalar.dtype.kind] <= _CATEGORY[ranked.dtype.kind]:
            return ranked.dtype
    return promote_types(a.dtype, b.dtype)


def promote(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both arrays in the dtype of their result."""
    d = result_type(a, b)
    return a.astype(d, copy=False), b.astype(d, copy=False)


def as_floating(array: np.ndarray) -> np.ndarray:
    """The array itself if it is floating, else a copy in the default dtype, as PyTorch's float-valued functions do."""
    return array if array.dtype.kind == "f" else array.astype(_default.numpy)


def category(d: np.dtype) -> int:
    """Where a dtype stands in promotion: a result never falls below its operands' (bool, integer, floating)."""
    return _CATEGORY[d.kind]
