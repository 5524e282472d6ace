"""Making tensors: from Python values, of one value, counting, at random; and in another dtype.

Shapes come as several numbers or as one sequence; the dtype is the default one where nothing says otherwise. What is
made is a leaf; `requires_grad=True` needs a floating-point dtype. `options` are those of `_made`.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import dtypes, random
from .dtypes import as_dtype
from .errors import error, require
from .tensor import Size, Tensor, wrap


class device(str):
    """Where a tensor's memory is: always `device("cpu")`."""

    type = property(str)

    def __repr__(self) -> str:
        return f"device(type='{self}')"


cuda = SimpleNamespace(is_available=lambda: False)  # as programs ask before they choose a device
Tensor.device, Tensor.is_cuda = device("cpu"), False  # type: ignore[attr-defined]  # attached as the operations are


def _made(array, fill="", *values, requires_grad=False, device=None, generator=None):
    """A leaf, at version 0, on the array that this method of Tensor fills."""
    if fill:
        getattr(wrap(array), fill)(*values, **({"generator": generator} if generator else {}))
    require(device in ("cpu", None), "only_cpu", device)
    require(array.dtype.kind == "f" or not requires_grad, "made_requiring_grad")
    return wrap(array).requires_grad_(requires_grad)


def _array_of(data: Any, dtype: Any, dim: int = 0) -> np.ndarray:
    """A copy of a tensor, an array, a number, or nested sequences, in which (at `dim`) a tensor is a number."""
    if isinstance(data, (np.ndarray, np.generic)) or (isinstance(data, Tensor) and not dim):
        return np.array(as_tensor(data if isinstance(data, Tensor) else np.asarray(data), dtype)._array)
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        parts = [_array_of(part, dtype, dim + 1) for part in data]
        for part in parts:
            require(part.ndim == parts[0].ndim, "not_a_sequence")
            for axis, extents in enumerate(zip(parts[0].shape, part.shape), dim + 1):
                require(len(set(extents)) == 1, "ragged", extents[0], axis, extents[1])
        of_parts = {part.dtype for part in parts} or {as_dtype(dtype).numpy}
        return np.array(parts, functools.reduce(dtypes.promote_types, of_parts))
    if not isinstance(data, (Tensor, bool, int, float)):
        known = {str: "no_number", bytes: "no_number", complex: "no_complex"}.get(type(data), "dtype_not_inferred")
        raise error(known, type(data).__name__)
    # A number taken out of a graph: `float` warns.
    number = (float(data) if data.requires_grad else data._scalar()) if isinstance(data, Tensor) else data
    own = data.dtype if isinstance(data, Tensor) else None if isinstance(data, float) else type(data)
    target = as_dtype(own if dtype is None else dtype).numpy
    if target.kind in "iu":
        last = np.iinfo(target).max
        require(not isinstance(number, int) or -(2**63) <= number < 2**63, "overflow_unpacking")
        require(-last - 1 <= number <= last, "overflow_converting", target.name)
    return np.array(number).astype(target)


def tensor(data: Any, *, dtype: Any = None, **options: Any) -> Tensor:
    """A new leaf with a copy of `data`: a number, nested lists of numbers, an array.

    >>> import autograd_teach as torch
    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    if isinstance(data, Tensor):
        warnings.warn(str(error("copy_construct")), stacklevel=2)
    return _made(_array_of(data, dtype), **options)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`data` as a tensor, without a copy where it is a tensor or an array of that dtype already."""
    if isinstance(data, np.ndarray):
        data = from_numpy(data)
    return (to if isinstance(data, Tensor) else tensor)(data, dtype=dtype, device=device)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the array's own memory; TypeError for a dtype, ValueError for strides that PyTorch has not."""
    require(isinstance(array, np.ndarray), "no_ndarray", type(array).__name__)
    dtypes.of_array(array)
    require(min(array.strides, default=0) >= 0, "negative_stride")
    return wrap(array)


def _size(size: Any, *more: int) -> tuple[int, ...]:
    size = (size, *more) if more or not isinstance(size, Sequence) else tuple(size)
    require(min(size, default=0) >= 0, "negative_dimension", min(size, default=0), size)
    return size


def _like(input: Tensor, dtype: Any) -> np.ndarray:
    # What is expanded lies in no order that another tensor could keep.
    order: Any = "C" if 0 in input._array.strides else "K"
    return np.empty_like(input._array, as_dtype(dtype or input.dtype).numpy, order)


def _factory(name: str, what: str, *fill: Any) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    """Makers of tensors that are filled so: one takes the size, one another tensor to be like."""

    def make(*size: Any, dtype: Any = None, **options: Any) -> Tensor:
        size = (options.pop("size"),) if "size" in options else size
        return _made(np.empty(_size(*size), as_dtype(dtype).numpy), *fill, **options)

    def like(input: Tensor, *, dtype: Any = None, **options: Any) -> Tensor:
        return _made(_like(input, dtype), *fill, **options)

    make.__name__, make.__doc__ = name, f"A tensor of the given size {what}."
    like.__name__, like.__doc__ = f"{name}_like", f"A tensor in the size and dtype of another one {what}."
    return make, like


empty, empty_like = _factory("empty", "whose values are whatever the memory holds")
zeros, zeros_like = _factory("zeros", "filled with 0", "zero_")
ones, ones_like = _factory("ones", "filled with 1", "fill_", 1)
rand, rand_like = _factory("rand", "with uniform draws from [0, 1)", "uniform_")
randn, randn_like = _factory("randn", "with standard normal draws", "normal_")


def full(size: Sequence[int], fill_value: Any, *, dtype: Any = None, **options: Any) -> Tensor:
    """A tensor of the given size filled with `fill_value`, in its dtype unless one is given."""
    return _made(np.full(_size(tuple(size)), _array_of(fill_value, dtype)), **options)


def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, **options: Any) -> Tensor:
    """`full` in the size and dtype of another tensor."""
    return _made(_like(input, dtype), "copy_", wrap(_array_of(fill_value, dtype or input.dtype)), **options)


def randint_like(input: Tensor, low: Any = 0, high: Any = None, *, dtype: Any = None, **options: Any) -> Tensor:
    """Integers drawn from [low, high), or with one bound from [0, low), in the size and dtype of another tensor."""
    return _made(_like(input, dtype), "random_", *((0, low) if high is None else (low, high)), **options)


def randint(low: Any = 0, high: Any = None, size: Any = None, *, dtype: Any = None, **options: Any) -> Tensor:
    """`randint_like` of a given size, which comes last: of one bound, or of two."""
    low, high, size = (0, low, high) if size is None else (low, high, size)
    return randint_like(empty(tuple(size), dtype=dtype or dtypes.int64), low, high, **options)


def randperm(n: int, *, dtype: Any = None, generator: Any = None, **options: Any) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
    return _made((generator or random.default_generator).randperm(_size(n)[0], as_dtype(dtype or int).numpy), **options)


def eye(n: int, m: int | None = None, *, dtype: Any = None, **options: Any) -> Tensor:
    """A matrix with ones on the diagonal and zeros elsewhere."""
    return _made(np.eye(n, m, dtype=as_dtype(dtype).numpy), **options)


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, **options: Any) -> Tensor:
    """The numbers from `start` (0) up to, not including, `end`, in steps of `step`."""
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (x.item() if isinstance(x, (Tensor, np.generic)) else x for x in (start, end, step))
    d = as_dtype(dtype or (None if float in map(type, (start, end, step)) else int)).numpy
    require(d.kind != "b", "kernel_not_implemented", "arange_cpu", "Bool")
    require(math.isfinite(end - start), "arange_range", start, end)
    require(step != 0, "arange_step")
    require((end - start) * step >= 0, "arange_bounds")
    if d == np.int64:
        start, end, step = int(start), int(end), int(step)
    index = np.arange(math.ceil((end - start) / step))
    if d.kind != "f":
        return _made((int(start) + int(step) * index).astype(d), **options)
    # Pairs of vector registers are filled by steps from their first number, which has been rounded; the rest singly.
    lanes, number = 32 // d.itemsize, np.float32 if d == np.float16 else np.float64
    first = np.where(index < index.size // (2 * lanes) * (2 * lanes), index - index % lanes, index)
    from_first = random.fused(first, number(step), number(start)).astype(d)
    return _made(random.fused(index - first, number(step), from_first).astype(d), **options)


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, **options: Any) -> Tensor:
    """`steps` numbers at equal distances from `start` to `end`, both included."""
    d = as_dtype(dtype).numpy
    require(steps >= 0, "linspace_steps")
    require(d.kind != "b", "kernel_not_implemented", "linspace_cpu", "Bool")
    # From both ends inward, in the tensor's own precision (integers: in double): that is how PyTorch rounds.
    number = d.type if d.kind == "f" else np.float64
    low, high = (number(np.asarray(float(x)).astype(d)) for x in (start, end if steps > 1 else start))
    step, index = number((high - low) / number(max(steps - 1, 1))), np.arange(steps).astype(number)
    add = random.fused if d != np.float16 else lambda index, step, start: index * step + start
    values = np.where(index < steps // 2, add(index, step, low), add(index[::-1], -step, high))
    return _made(values.astype(d), **options)


def to(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False) -> Tensor:
    """In another dtype (or that of another tensor); the tensor itself where it has that dtype already."""
    from .ops.pointwise import to_copy

    for given in args:
        device, dtype = (given, dtype) if isinstance(given, str) else (device, getattr(given, "dtype", given))
    require(device in ("cpu", None), "only_cpu", device)
    target = self.dtype if dtype is None else as_dtype(dtype)
    if target is self.dtype and not copy:
        return self
    return to_copy(self, target) if target.is_floating_point else wrap(dtypes.copied(self._array, d=target.numpy))


class tensortype(type):
    """The type of `LongTensor` and its like: calling one makes a tensor of its dtype, `isinstance` asks for that."""

    dtype: dtypes.dtype

    def __call__(cls, *data: Any, **options: Any) -> Tensor:
        if data and not isinstance(data[0], (int, Size)):
            return as_tensor(data[0], cls.dtype)
        return empty(*data or (0,), dtype=cls.dtype, **options)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


HalfTensor, FloatTensor, DoubleTensor, ByteTensor, CharTensor, ShortTensor, IntTensor, LongTensor, BoolTensor = (
    tensortype(f"{d.title}Tensor", (), {"dtype": d, "__module__": "torch"}) for d in dtypes.ALL
)


def _new(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda self, *args, dtype=None, **options: make(*args, dtype=dtype or self.dtype, **options)


_BY_TYPE = {d.tensor_type: d for d in dtypes.ALL}
_METHODS: dict[str, Callable[..., Any]] = {
    "to": to,
    "type": lambda self, d=None: to(self, _BY_TYPE.get(d, d)) if d else self.dtype.tensor_type,
    "type_as": lambda self, other: to(self, other.dtype),
    "contiguous": lambda self: self if self.is_contiguous() else self.clone("C"),
    "cpu": lambda self: self,
}
_METHODS |= {d.title.lower(): lambda self, d=d: to(self, d) for d in dtypes.ALL}
_METHODS |= {f"new_{make.__name__}": _new(make) for make in (zeros, ones, empty, full, tensor)}
for _name, _method in _METHODS.items():
    setattr(Tensor, _name, _method)
