"""Geometry: where an array lies in its memory, as sizes, strides and an offset, counted in elements.

NumPy arrays only, no tensors.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .errors import error


class Geometry(NamedTuple):
    """Sizes, strides and offset of an array in its memory, counted in elements."""

    size: Sequence[int]
    stride: Sequence[int]
    offset: int

    @property
    def extent(self) -> int:
        """How many elements a memory needs to contain the array."""
        if 0 in self.size:
            return 0
        return self.offset + 1 + sum((n - 1) * s for n, s in zip(self.size, self.stride))


def geometry_of(array: np.ndarray) -> Geometry:
    """The sizes, strides and offset of an array in its memory.

    >>> geometry_of(np.zeros((2, 3)).T)
    Geometry(size=(3, 2), stride=(1, 3), offset=0)
    """
    size, step = array.shape, array.itemsize
    offset = (array.ctypes.data - owner_of(array).ctypes.data) // step
    if array.size:
        return Geometry(size, tuple(s // step for s in array.strides), offset)
    # NumPy's strides of an empty array are not PyTorch's, which are those of a contiguous tensor.
    return Geometry(size, tuple(math.prod(max(n, 1) for n in size[i + 1 :]) for i in range(len(size))), offset)


def strided_view(memory: np.ndarray, geometry: Geometry) -> np.ndarray:
    """The view with this geometry of a memory, which is a contiguous vector."""
    size, stride, offset = geometry
    if 0 in size:
        return memory[:0].reshape(size)
    step = memory.itemsize
    return np.ndarray(size, memory.dtype, memory, offset * step, [s * step for s in stride])


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory of this one."""
    while isinstance(array.base, np.ndarray) and array.base.dtype == array.dtype:
        array = array.base
    return array


def axes_by_stride(array: np.ndarray) -> list[int]:
    """The axes in the order of the memory: by decreasing stride."""
    return sorted(range(array.ndim), key=lambda axis: -array.strides[axis])


def memory_of(array: np.ndarray) -> np.ndarray:
    """The whole memory of an array, also outside the array, as a vector; NotImplementedError if it has gaps."""
    owner = owner_of(array)
    try:
        return reshaped(owner.transpose(axes_by_stride(owner)), (-1,))
    except ValueError:
        raise error("memory_with_gaps") from None


def reshaped(array: np.ndarray, size: Sequence[int]) -> np.ndarray:
    """A view of the array in another shape; ValueError if that would be a copy."""
    if _RESHAPES_IN_PLACE:
        return array.reshape(size, copy=False)
    result = array.reshape(size)
    if result.size and not np.may_share_memory(result, array):
        raise ValueError("a copy would be needed")
    return result


# `reshape(copy=False)` came with NumPy 2.1.
_RESHAPES_IN_PLACE = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


def partial_overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two dense arrays share memory without being the same; False for others, as in PyTorch."""
    if not (a.size and b.size and np.may_share_memory(a, b)):
        return False
    packed = [array.transpose(axes_by_stride(array)).flags.c_contiguous for array in (a, b)]
    return all(packed) and (a.ctypes.data, a.nbytes, a.strides) != (b.ctypes.data, b.nbytes, b.strides)


def internal_overlap(array: np.ndarray) -> bool:
    """Whether several elements of the array share a place in memory, as after `expand`."""
    return bool(array.size) and any(step == 0 and extent > 1 for step, extent in zip(array.strides, array.shape))
