"""Making tensors: from Python values, of one value, counting, at random; and in another dtype.

Shapes come as several numbers or as one sequence; `dtype` is PyTorch's, the default one where nothing says otherwise. A tensor
made here is a leaf; `requires_grad=True` needs a floating-point dtype. `options` are those of `_made`.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from . import dtypes, random
from .errors import error
from .tensor import Size, Tensor, wrap

_ONLY_CPU = "autograd_teach computes on the CPU only, without pinned memory; it has no device {!r}"


class device(str):
    """Where a tensor's memory is: always `device("cpu")`; NotImplementedError for any other."""

    type = "cpu"

    def __new__(cls, type: str = "cpu") -> Self:
        if type != "cpu":
            raise NotImplementedError(_ONLY_CPU.format(type))
        return super().__new__(cls, type)

    def __repr__(self) -> str:
        return "device(type='cpu')"


_CPU = Tensor.device = device("cpu")  # type: ignore[attr-defined]  # attached as the operations are


def _made(array: np.ndarray, requires_grad: bool = False, device: Any = _CPU, pin_memory: bool = False) -> Tensor:
    """A leaf on the array."""
    if device not in (_CPU, None) or pin_memory:
        raise NotImplementedError(_ONLY_CPU.format(device))
    if requires_grad and array.dtype.kind != "f":
        raise error("made_requiring_grad")
    return wrap(array).requires_grad_(requires_grad)


def _numpy(dtype: Any) -> np.dtype:
    return (dtypes.get_default_dtype() if dtype is None else dtypes.as_dtype(dtype)).numpy


def _numbers(data: Any, shape: Sequence[int], dim: int = 0) -> list[Any]:
    """The numbers in nested sequences of this shape, in order."""
    if dim == len(shape):
        return [data]
    if not hasattr(data, "__len__"):
        raise error("not_a_sequence")
    if len(data) != shape[dim]:
        raise error("ragged", shape[dim], dim, len(data))
    return [number for part in data for number in _numbers(part, shape, dim + 1)]


def _dtype_of(number: Any) -> np.dtype:
    if isinstance(number, (np.generic, complex, Tensor)):
        return number._array.dtype if isinstance(number, Tensor) else dtypes.of_array(np.asarray(number)).numpy
    if isinstance(number, (bool, int, float)):
        return _numpy(None if isinstance(number, float) else type(number))
    raise error("no_number" if isinstance(number, (str, Sequence)) else "dtype_not_inferred", type(number).__name__)


def _array_of(data: Any, dtype: Any) -> np.ndarray:
    """The values of a tensor, an array, a number or nested sequences in a new array."""
    if isinstance(data, (Tensor, np.ndarray)):
        return np.array(as_tensor(data)._array, None if dtype is None else _numpy(dtype))
    shape, first = [], data
    while isinstance(first, (Sequence, np.ndarray)) and not isinstance(first, str):
        shape.append(len(first))
        first = first[0] if len(first) else None
    numbers = [] if 0 in shape else _numbers(data, shape)
    found = functools.reduce(dtypes.promote_types, map(_dtype_of, numbers)) if numbers else _numpy(None)
    target = found if dtype is None else _numpy(dtype)
    values = np.array([number._scalar() if isinstance(number, Tensor) else number for number in numbers])
    if target.kind in "iu" and numbers:
        last = np.iinfo(target).max
        if values.dtype.name in ("uint64", "object"):
            raise error("overflow_unpacking")
        if not (-last - 1 <= values.min() and values.max() <= last):
            raise error("overflow_converting", target.name)
    return values.astype(target).reshape(shape)


def tensor(data: Any, *, dtype: Any = None, **options: Any) -> Tensor:
    """A new leaf with a copy of `data`: a number, nested lists of numbers, an array.

    >>> import autograd_teach as torch
    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    return _copied(data, dtype, "torch.tensor", **options)


def _copied(data: Any, dtype: Any, function: str, **options: Any) -> Tensor:
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            f"sourceTensor.detach().clone().requires_grad_(True), rather than {function}(sourceTensor).",
            stacklevel=3,
        )
    return _made(_array_of(data, dtype), **options)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`data` as a tensor, without a copy where it is a tensor or an array of that dtype already."""
    if isinstance(data, np.ndarray):
        data = from_numpy(data)
    convert = to if isinstance(data, Tensor) else tensor
    return convert(data, dtype=dtype, device=device)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the array's own memory; TypeError for a dtype, ValueError for strides that PyTorch has not."""
    if not isinstance(array, np.ndarray):
        raise error("no_ndarray", type(array).__name__)
    dtypes.of_array(array)
    if min(array.strides, default=0) < 0:
        raise error("negative_stride")
    return wrap(array)


def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor on the memory of another library's array that offers it by `__dlpack__`."""
    return from_numpy(np.from_dlpack(ext_tensor))


def _size(size: Any) -> tuple[int, ...]:
    size = tuple(size[0]) if len(size) == 1 and isinstance(size[0], Sequence) else tuple(size)
    if min(size, default=0) < 0:
        raise error("negative_dimension", min(size), list(size))
    return size


def _filled(array: np.ndarray, method: str, *values: Any, generator: Any = None, **options: Any) -> Tensor:
    if method:
        getattr(wrap(array), method)(*values, **({"generator": generator} if generator else {}))
    return _made(array, **options)


def _factory(name: str, what: str, method: str, *values: Any) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    """Makers of tensors which that method fills: one takes the size, one another tensor to be like."""

    def make(*size: Any, dtype: Any = None, **options: Any) -> Tensor:
        return _filled(np.empty(_size(options.pop("size", size)), _numpy(dtype)), method, *values, **options)

    def like(input: Tensor, *, dtype: Any = None, **options: Any) -> Tensor:
        return _filled(np.empty_like(input._array, _numpy(dtype or input.dtype)), method, *values, **options)

    make.__name__, make.__doc__ = name, f"A tensor of the given size {what}."
    like.__name__, like.__doc__ = f"{name}_like", f"A tensor in the size and dtype of another one {what}."
    return make, like


empty, empty_like = _factory("empty", "whose values are whatever the memory holds", "")
zeros, zeros_like = _factory("zeros", "filled with 0", "zero_")
ones, ones_like = _factory("ones", "filled with 1", "fill_", 1)
rand, rand_like = _factory("rand", "with uniform draws from [0, 1)", "uniform_")
randn, randn_like = _factory("randn", "with standard normal draws", "normal_")


def full(size: Any, fill_value: Any, *, dtype: Any = None, **options: Any) -> Tensor:
    """A tensor of the given size filled with `fill_value`, in its dtype unless one is given."""
    return _made(np.full(_size((size,)), _array_of(fill_value, dtype)), **options)


def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, **options: Any) -> Tensor:
    """`full` in the size and dtype of another tensor."""
    value = _array_of(fill_value, dtype or input.dtype)
    return _made(np.full_like(input._array, value, value.dtype), **options)


def randint(low: Any = 0, high: Any = None, size: Any = None, *, dtype: Any = dtypes.int64, **options: Any) -> Tensor:
    """Integers drawn from [low, high), or with one bound from [0, low)."""
    if size is None:
        high, size = None, high
    bounds = (0, low) if high is None else (low, high)
    return _filled(np.empty(_size((size,)), _numpy(dtype)), "random_", *bounds, **options)


def randint_like(input: Tensor, low: int, high: int | None = None, *, dtype: Any = None, **options: Any) -> Tensor:
    """Integers drawn as `randint` draws them, in the size and dtype of another tensor."""
    return randint(low, high, input.shape, dtype=dtype or input.dtype, **options)


def randperm(n: int, *, dtype: Any = dtypes.int64, generator: Any = None, **options: Any) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
    return _made((generator or random.default_generator).randperm(_size((n,))[0], _numpy(dtype)), **options)


def eye(n: int, m: int | None = None, *, dtype: Any = None, **options: Any) -> Tensor:
    """A matrix with ones on the diagonal and zeros elsewhere."""
    return _made(np.eye(n, m, dtype=_numpy(dtype)), **options)


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, **options: Any) -> Tensor:
    """The numbers from `start` (0) up to, not including, `end`, in steps of `step`."""
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (x.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    d = _numpy(dtype or (None if any(isinstance(x, float) for x in (start, end, step)) else int))
    if d.kind == "b":
        raise error("kernel_not_implemented", "arange_cpu", "Bool")
    if not math.isfinite(end - start):
        raise error("arange_range", start, end)
    if d == np.int64:
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise error("arange_step")
    if (end - start) * step < 0:
        raise error("arange_bounds")
    index = np.arange(math.ceil((end - start) / step))
    if d.kind != "f":
        return _made((int(start) + int(step) * index).astype(d), **options)
    # Pairs of vector registers are filled by steps from their first number, which has been rounded; the rest one by one.
    lanes = 32 // d.itemsize
    first = np.where(index < index.size // (2 * lanes) * (2 * lanes), index - index % lanes, index)
    number = np.float32 if d == np.float16 else np.float64
    from_first = random.fused(first, number(step), number(start)).astype(d)
    return _made(random.fused(index - first, number(step), from_first).astype(d), **options)


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, **options: Any) -> Tensor:
    """`steps` numbers at equal distances from `start` to `end`, both included."""
    d = _numpy(dtype)
    if d.kind == "b":
        raise error("kernel_not_implemented", "linspace_cpu", "Bool")
    if steps < 0:
        raise error("linspace_steps")
    # From both ends inward, in the tensor's own precision (integers: in double): that is how PyTorch rounds.
    number = d.type if d.kind == "f" else np.float64
    low, high = number(d.type(start)), number(d.type(end if steps > 1 else start))
    step, index = number((high - low) / number(max(steps - 1, 1))), np.arange(steps).astype(number)
    if d == np.float16:
        values = np.where(index < steps // 2, low + step * index, high - step * index[::-1])
    else:
        values = np.where(index < steps // 2, random.fused(index, step, low), random.fused(index[::-1], -step, high))
    return _made(values.astype(d), **options)


def _new(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda self, *args, dtype=None, **options: make(*args, dtype=dtype or self.dtype, **options)


Tensor.new_zeros, Tensor.new_ones, Tensor.new_empty, Tensor.new_full = map(_new, (zeros, ones, empty, full))  # type: ignore[attr-defined]
Tensor.new_tensor = lambda self, data, *, dtype=None, **options: _copied(  # type: ignore[attr-defined]
    data, dtype or self.dtype, "tensor.new_tensor", **options
)


def to(
    self: Tensor, *args: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False, copy: bool = False
) -> Tensor:
    """In another dtype (or that of another tensor); the tensor itself where it has that dtype already."""
    from .ops.pointwise import to_copy

    for argument in args:
        if isinstance(argument, str):
            device = argument
        else:
            dtype = argument.dtype if isinstance(argument, Tensor) else argument
    if device not in (_CPU, None):
        raise NotImplementedError(_ONLY_CPU.format(device))
    target = self.dtype if dtype is None else dtypes.as_dtype(dtype)
    if target is self.dtype and not copy:
        return self
    return to_copy(self, target) if target.is_floating_point else wrap(self._array.astype(target.numpy))


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


def _type(self: Tensor, dtype: Any = None) -> Any:
    names = {d.tensor_type: d for d in dtypes.ALL}
    return self.dtype.tensor_type if dtype is None else to(self, names.get(dtype) or getattr(dtype, "dtype", dtype))


for _d in dtypes.ALL:
    setattr(Tensor, _d.title.lower(), lambda self, _d=_d: to(self, _d))
Tensor.to, Tensor.type = to, _type  # type: ignore[attr-defined]  # attached as the operations are
Tensor.type_as = lambda self, other: to(self, other.dtype)  # type: ignore[attr-defined]
Tensor.contiguous = lambda self: self if self.is_contiguous() else self.clone()  # type: ignore[attr-defined]
Tensor.cpu = lambda self: self  # type: ignore[attr-defined]
