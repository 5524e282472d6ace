"""Making tensors: from Python values, of one value, counting, at random.

Shapes come as several numbers or as one sequence; `dtype` is PyTorch's, the default one where nothing says otherwise. A tensor
made here is a leaf; `requires_grad=True` needs a floating-point dtype.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import dtypes, random
from .dtypes import dtype as Dtype
from .tensor import Tensor, wrap


def _made(array: np.ndarray, requires_grad: bool) -> Tensor:
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    result = wrap(array)
    if requires_grad:
        result._edge = None
    return result


def _size(size: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size


def _numpy(dtype: Dtype | None) -> np.dtype:
    return (dtype or dtypes.get_default_dtype()).numpy


def _check_sequence(data: Any) -> None:
    """PyTorch's errors for what is no rectangular nest of numbers."""
    shape: list[int] = []
    first = data
    while isinstance(first, (list, tuple)):
        shape.append(len(first))
        if not first:
            break
        first = first[0]
    stack: list[tuple[Any, int]] = [(data, 0)]
    while stack:
        value, depth = stack.pop()
        if isinstance(value, (list, tuple)):
            if depth >= len(shape):
                raise TypeError("not a sequence")
            if len(value) != shape[depth]:
                raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(value)})")
            stack.extend((v, depth + 1) for v in reversed(value))
        elif isinstance(value, str):
            raise TypeError("new(): invalid data type 'str'")
        elif value is None:
            raise RuntimeError("Could not infer dtype of NoneType")
        elif not isinstance(value, (bool, int, float, np.generic, np.ndarray, Tensor)):
            raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")


def _array_of(data: Any, dtype: Dtype | None) -> np.ndarray:
    if isinstance(data, Tensor):
        array = data._array
    elif isinstance(data, (np.ndarray, np.generic)):
        array = np.asarray(data)
        dtypes.of_array(array)
    else:
        _check_sequence(data)
        array = np.array(_plain(data))
        if dtype is None and (array.dtype.kind == "f" or array.size == 0):
            dtype = dtypes.get_default_dtype()
        if array.dtype.kind == "O":
            raise ValueError("Overflow when unpacking long long")
    return np.array(array, dtype=None if dtype is None else dtype.numpy)


def _plain(data: Any) -> Any:
    """Nested lists in which tensors of one element have become numbers."""
    if isinstance(data, Tensor):
        return data.tolist()
    return [_plain(d) for d in data] if isinstance(data, (list, tuple)) else data


def tensor(data: Any, *, dtype: Dtype | None = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """A new leaf with a copy of `data`: a number, nested lists of numbers, an array.

    >>> import autograd_teach as torch
    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            stacklevel=2,
        )
    return _made(_array_of(data, dtype), requires_grad)


def as_tensor(data: Any, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor, without a copy where it is a tensor or an array of that dtype already."""
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) else data.to(dtype)
    if isinstance(data, np.ndarray):
        dtypes.of_array(data)
        return wrap(data if dtype is None else data.astype(dtype.numpy, copy=False))
    return tensor(data, dtype=dtype)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the array's own memory; TypeError for a dtype that PyTorch has not."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.of_array(array)
    return wrap(array)


def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor on the memory of another library's array that offers it by `__dlpack__`."""
    array = np.from_dlpack(ext_tensor)
    dtypes.of_array(array)
    return wrap(array)


def _filler(fill: Callable[[tuple[int, ...], np.dtype], np.ndarray], name: str, what: str) -> Callable[..., Tensor]:
    def make(*size: Any, dtype: Dtype | None = None, requires_grad: bool = False, device: Any = None) -> Tensor:
        return _made(fill(_size(size), _numpy(dtype)), requires_grad)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"A tensor of the given size {what}."
    return make


def _drawer(distribution: str, name: str, what: str) -> Callable[..., Tensor]:
    def make(*size: Any, generator: Any = None, **kwargs: Any) -> Tensor:
        draw = getattr(generator or random.default_generator, distribution)
        return _filler(draw, name, what)(*size, **kwargs)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"A tensor of the given size {what}."
    return make


zeros = _filler(lambda size, d: np.zeros(size, d), "zeros", "filled with 0")
ones = _filler(lambda size, d: np.ones(size, d), "ones", "filled with 1")
empty = _filler(lambda size, d: np.empty(size, d), "empty", "whose values are whatever the memory holds")
rand = _drawer("uniform", "rand", "with uniform draws from [0, 1)")
randn = _drawer("normal", "randn", "with standard normal draws")


def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Dtype | None = None,
    requires_grad: bool = False,
    device: Any = None,
) -> Tensor:
    """A tensor of the given size filled with `fill_value`, in its dtype unless one is given."""
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    if dtype is None and not isinstance(fill_value, float):
        dtype = dtypes.bool_ if isinstance(fill_value, bool) else dtypes.int64
    return _made(np.full(tuple(size), fill_value, _numpy(dtype)), requires_grad)


def _like(name: str) -> Callable[..., Tensor]:
    def make(input: Tensor, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
        return globals()[name](tuple(input.shape), dtype=dtype or input.dtype, requires_grad=requires_grad)

    make.__name__ = make.__qualname__ = f"{name}_like"
    make.__doc__ = f"`{name}` in the size and dtype of another tensor."
    return make


zeros_like, ones_like, empty_like, rand_like, randn_like = map(_like, ("zeros", "ones", "empty", "rand", "randn"))


def full_like(input: Tensor, fill_value: Any, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """`full` in the size and dtype of another tensor."""
    return full(input.shape, fill_value, dtype=dtype or input.dtype, requires_grad=requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A matrix with ones on the diagonal and zeros elsewhere."""
    return _made(np.eye(n, m, dtype=_numpy(dtype)), requires_grad)


def arange(*bounds: Any, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """The numbers from the first bound (0) up to, not including, the second, in steps of the third (1)."""
    start, end, step = {1: (0, *bounds, 1), 2: (*bounds, 1), 3: bounds}[len(bounds)]
    if dtype is None:
        floating = any(isinstance(b, float) for b in bounds)
        dtype = dtypes.get_default_dtype() if floating else dtypes.int64
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = max(int(np.ceil((end - start) / step)), 0)
    return _made((start + step * np.arange(count)).astype(dtype.numpy), requires_grad)


def linspace(
    start: float, end: float, steps: int, *, dtype: Dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers at equal distances from `start` to `end`, both included."""
    d = _numpy(dtype)
    if steps < 2:
        return _made(np.full(steps, start, d), requires_grad)
    # From both ends inward, in the tensor's own precision: that is how PyTorch rounds.
    step = d.type((d.type(end) - d.type(start)) / d.type(steps - 1))
    index = np.arange(steps).astype(d)
    low, high = d.type(start) + step * index, d.type(end) - step * index[::-1]
    return _made(np.where(np.arange(steps) < steps // 2, low, high).astype(d), requires_grad)


def randint(
    low: int, high: Any = None, size: Any = None, *, dtype: Dtype | None = None, generator: Any = None
) -> Tensor:
    """Integers drawn from [low, high), or with one bound from [0, low)."""
    if size is None or high is None or not isinstance(high, int):
        low, high, size = 0, low, size if size is not None else high
    draw = (generator or random.default_generator).randint
    return wrap(draw(low, high, tuple(size), (dtype or dtypes.int64).numpy))


def randint_like(input: Tensor, low: int, high: int | None = None, *, dtype: Dtype | None = None) -> Tensor:
    """Integers drawn as `randint` draws them, in the size and dtype of another tensor."""
    bounds = (0, low) if high is None else (low, high)
    return wrap(random.randint(*bounds, tuple(input.shape), (dtype or input.dtype).numpy))


def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Dtype | None = None) -> Tensor:
    """Normal draws: of two numbers in the given size, or one for each element of the tensors among `mean` and `std`.

    >>> import autograd_teach as torch
    >>> torch.normal(torch.zeros(2, 3), 1.0).shape
    torch.Size([2, 3])
    """
    given = [t for t in (mean, std) if isinstance(t, Tensor)]
    if any(t.requires_grad for t in given):
        raise NotImplementedError("autograd_teach has no normal() of tensors that require grad; call .detach() first")
    if not given:
        return empty(size, dtype=dtype).normal_(mean, std, generator=generator)
    result = empty(np.broadcast_shapes(*(t.shape for t in given)), dtype=given[0].dtype)
    if not isinstance(std, Tensor):
        return result.normal_(0, std, generator=generator).add_(mean)
    return result.normal_(generator=generator).mul_(std).add_(mean)


def randperm(n: int, *, generator: Any = None) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
    return wrap((generator or random.default_generator).randperm(n))


def manual_seed(seed: int) -> random.Generator:
    """Start the stream of random numbers anew: the same numbers as PyTorch's CPU generator after the same seed."""
    return random.manual_seed(seed)


def _new(name: str) -> Callable[..., Tensor]:
    def make(self: Tensor, *size: Any, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
        return globals()[name](*size, dtype=dtype or self.dtype, requires_grad=requires_grad)

    make.__name__ = make.__qualname__ = f"new_{name}"
    make.__doc__ = f"`{name}` in the dtype of this tensor."
    return make


def _new_tensor(self: Tensor, data: Any, *, dtype: Dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A new leaf with a copy of `data`, in the dtype of this tensor unless another is asked for."""
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than tensor.new_tensor(sourceTensor).",
            stacklevel=2,
        )
    return _made(_array_of(data, dtype or self.dtype), requires_grad)


Tensor.new_tensor = _new_tensor  # type: ignore[attr-defined]  # attached as the operations are
for _name in ("zeros", "ones", "empty", "full"):
    setattr(Tensor, f"new_{_name}", _new(_name))


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """In another dtype (or that of another tensor); the tensor itself where it has that dtype already."""
    from .ops.pointwise import to_copy

    target = kwargs.get("dtype")
    for argument in args:
        if isinstance(argument, Dtype):
            target = argument
        elif isinstance(argument, np.dtype):
            target = dtypes.of_name(argument.name)
        elif isinstance(argument, Tensor):
            target = argument.dtype
        elif argument != "cpu":
            raise NotImplementedError(f"autograd_teach computes on the CPU only; it has no device {argument!r}")
    if target in (None, self.dtype):
        return self
    if not target.is_floating_point:
        return wrap(self._array.astype(target.numpy))
    return to_copy(self, target)


def _cast(target: Dtype, name: str) -> Callable[[Tensor], Tensor]:
    def method(self: Tensor) -> Tensor:
        return to(self, target)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"In dtype {target}."
    return method


Tensor.to = to  # type: ignore[attr-defined]  # attached as the operations are
Tensor.type = lambda self, dtype=None: self.dtype.tensor_type if dtype is None else to(self, dtype)  # type: ignore[attr-defined]
Tensor.type_as = lambda self, other: to(self, other.dtype)  # type: ignore[attr-defined]
Tensor.contiguous = lambda self: self if self.is_contiguous() else self.clone()  # type: ignore[attr-defined]
Tensor.cpu = lambda self: self  # type: ignore[attr-defined]
for _name, _target in {
    "half": dtypes.float16,
    "float": dtypes.float32,
    "double": dtypes.float64,
    "byte": dtypes.uint8,
    "char": dtypes.int8,
    "short": dtypes.int16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "bool": dtypes.bool_,
}.items():
    setattr(Tensor, _name, _cast(_target, _name))
