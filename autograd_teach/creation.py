"""Functions that make tensors from Python values, constants, ranges and random numbers; conversions to another dtype.

A shape is given as several numbers or as one sequence. The dtype is the default dtype unless the
function says otherwise. Every result is a leaf. `requires_grad=True` needs a floating-point dtype
(else RuntimeError). `device` is "cpu" or None (else NotImplementedError).
"""

from __future__ import annotations

import functools
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dtypes, random
from .absent import keyword_error
from .autograd.node import NO_EDGE
from .dtypes import as_dtype
from .errors import error, require
from .fused import fused
from .quiet import FITS_ALL, converted
from .tensor import Size, Tensor, tensor_method, wrap


class device:
    """Where a tensor's memory is: always the CPU.

    type: "cpu", also as "cpu:0", or a device. index: number of the device, or None. NotImplementedError for PyTorch's
    other devices, such as "cuda".

    >>> import autograd_teach as torch
    >>> torch.ones(2).device, torch.device("cpu").type, torch.device("cpu").index
    (device(type='cpu'), 'cpu', None)
    >>> torch.device("cpu") == torch.ones(2).device
    True
    """

    def __init__(self, type: Any, index: int | None = None) -> None:
        given, (kind, colon, number) = type.__class__, str(type).partition(":")
        require(given in (str, int, device), "device_of_what", given.__name__)
        require(kind == "cpu" and (number.isdigit() or not colon), "only_cpu", type)
        self.type, self.index = kind, int(number) if number else index

    def __repr__(self) -> str:
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def _require_cpu(place: Any) -> None:
    if place is not None:
        device(place)


Tensor.device, Tensor.is_cpu, Tensor.is_cuda = device("cpu"), True, False  # type: ignore[attr-defined]  # attached as the operations are


def _made(array, device, requires_grad, fill="", *values, generator=None):
    """A leaf at version 0 with the memory of `array`, first filled by the Tensor method `fill` with `values`."""
    if fill:
        getattr(wrap(array), fill)(*values, **({"generator": generator} if generator else {}))
    _require_cpu(device)
    require(array.dtype.kind == "f" or not requires_grad, "made_requiring_grad")
    return wrap(array).requires_grad_(requires_grad)


def _array_of(data: Any, dtype: Any, dim: int = 0) -> np.ndarray:
    """A copy of a tensor, an array, a number or nested sequences; in a sequence (dim > 0), a tensor is a number."""
    if isinstance(data, (np.ndarray, np.generic)) or (isinstance(data, Tensor) and not dim):
        return np.array(as_tensor(data if isinstance(data, Tensor) else np.asarray(data), dtype)._array)
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        parts = [_array_of(part, dtype, dim + 1) for part in data]
        for part in parts:
            require(part.ndim == parts[0].ndim, "not_a_sequence")
            for axis, extents in enumerate(zip(parts[0].shape, part.shape), dim + 1):
                require(len(set(extents)) == 1, "ragged", extents[0], axis, extents[1])
        of_parts = {part.dtype for part in parts} or {as_dtype(dtype).numpy}
        return converted(parts, functools.reduce(dtypes.promote_types, of_parts))
    if not isinstance(data, (Tensor, bool, int, float)):
        known = {str: "no_number", bytes: "no_number", complex: "no_complex"}.get(type(data), "dtype_not_inferred")
        raise error(known, type(data).__name__)
    # `float` warns if the number belongs to a graph.
    number = (float(data) if data.requires_grad else data._scalar()) if isinstance(data, Tensor) else data
    own = data.dtype if isinstance(data, Tensor) else None if isinstance(data, float) else type(data)
    target = as_dtype(own if dtype is None else dtype).numpy
    if target.kind in "iu":
        last = np.iinfo(target).max
        require(not isinstance(number, int) or -(2**63) <= number < 2**63, "overflow_unpacking")
        require(-last - 1 <= number <= last, "overflow_converting", target.name)
    return np.array(number).astype(target) if -FITS_ALL <= number <= FITS_ALL else converted(number, target)


def _explained(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Decorator: allows the keyword `size` beside `*size`, and explains keywords that only PyTorch has."""

    @functools.wraps(make)
    def call(*given: Any, **options: Any) -> Tensor:
        try:
            return make(*given, options.pop("size"), **options) if "size" in options else make(*given, **options)
        except TypeError as error:
            raise keyword_error(make.__name__, error) from None

    return call


@_explained
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new leaf with a copy of `data`: a number, nested lists of numbers, or an array.

    dtype: if None, the dtype of an array; for Python numbers bool, int64, or the default dtype if
    one of them is a float. Returns a tensor that shares no memory with `data`. ValueError if nested
    lists differ in length, TypeError for strings, RuntimeError for integers that do not fit the
    dtype. Warns if `data` is a tensor: use `clone` or `detach`.

    >>> import autograd_teach as torch
    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    scalar = dtypes.get_default_dtype().numpy.type
    if (
        data.__class__ is float
        and dtype is None
        and device is None
        and requires_grad.__class__ is bool
        and scalar in dtypes.SCALARS
        and -FITS_ALL <= data <= FITS_ALL
    ):
        made = wrap(scalar(data))  # fast path for the most frequent call
        made._edge = None if requires_grad else NO_EDGE
        return made
    if isinstance(data, Tensor):
        warnings.warn(str(error("copy_construct")), stacklevel=2)
    return _made(_array_of(data, dtype), device, requires_grad)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`data` as a tensor, without a copy if it is a tensor or an array that has the dtype already.

    data, dtype: as in `torch.tensor`. A tensor keeps its history: a change of dtype is recorded like any operation.
    An array of the same dtype shares its memory with the result.

    >>> import numpy, autograd_teach as torch
    >>> array = numpy.zeros(2)
    >>> x = torch.as_tensor(array)
    >>> array[0] = 5
    >>> x
    tensor([5., 0.], dtype=torch.float64)
    """
    if isinstance(data, np.ndarray):
        data = from_numpy(data)
    return (to if isinstance(data, Tensor) else tensor)(data, dtype=dtype, device=device)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the memory of a NumPy array: writing to one changes the other.

    array: numpy.ndarray of any shape. Returns a leaf of the same shape, strides and dtype.
    TypeError if it is not an array, or if PyTorch does not have its dtype; ValueError if a stride
    is negative (reversed arrays: copy them first).

    >>> import numpy, autograd_teach as torch
    >>> array = numpy.arange(3)
    >>> torch.from_numpy(array).zero_()
    tensor([0, 0, 0])
    >>> array
    array([0, 0, 0])
    """
    require(isinstance(array, np.ndarray), "no_ndarray", type(array).__name__)
    dtypes.of_array(array)
    require(min(array.strides, default=0) >= 0, "negative_stride")
    return wrap(array)


def _int(name: str, value: Any, parameter: str, position: int) -> int:
    """An argument of the function `name` as a Python int; TypeError, worded as PyTorch does, for anything else."""
    require(hasattr(value, "__index__"), "argument_is_no_int", name, parameter, position, type(value).__name__)
    return operator.index(value)


def _size(name: str, given: Sequence[Any]) -> tuple[int, ...]:
    """The size that the function `name` was given, as several ints or as one sequence; TypeError for anything else."""
    require(given, "size_missing", name)
    is_sequence = isinstance(given[0], (tuple, list))
    require(len(given) == 1 or not is_sequence, "size_and_more", name, len(given))
    size = given[0] if is_sequence else given
    for position, extent in enumerate(size, 1):
        is_int, kind = hasattr(extent, "__index__"), type(extent).__name__
        require(is_int or is_sequence or position > 1, "argument_is_no_dims", name, "size", 1, kind)
        require(is_int, "size_unpack", name, position, kind)
    size = tuple(int(operator.index(extent)) for extent in size)  # a bool becomes an int
    require(min(size, default=0) >= 0, "negative_dimension", min(size, default=0), size)
    return size


def _sized(name: str, size: Any, dtype: Any) -> np.ndarray:
    return np.empty(_size(name, size), as_dtype(dtype).numpy)


def _like(name: str, input: Tensor, dtype: Any, memory_format: Any = None) -> np.ndarray:
    require(isinstance(input, Tensor), "argument_is_no_tensor", name, "input", 1, type(input).__name__)
    # An expanded tensor has no order in memory that another tensor could keep.
    order: Any = "C" if 0 in input._array.strides or memory_format is dtypes.contiguous_format else "K"
    return np.empty_like(input._array, as_dtype(dtype or input.dtype).numpy, order)


@_explained
def empty(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the given size whose values are undefined: whatever its memory held before.

    size: several ints or one sequence of them. Returns a leaf. RuntimeError if an int is negative.

    >>> import autograd_teach as torch
    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """
    return _made(_sized("empty", size, dtype), device, requires_grad)


def empty_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor of the size and dtype of `input` whose values are undefined.

    dtype: replaces the dtype of `input` if not None. The strides are those of `input` if its
    elements are dense in memory.

    >>> import autograd_teach as torch
    >>> torch.empty_like(torch.ones(2, 3).T).stride()
    (1, 3)
    """
    return _made(_like("empty_like", input, dtype, memory_format), device, requires_grad)


@_explained
def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the given size filled with 0, or with False if `dtype` is bool.

    size: several ints or one sequence of them; `()` makes a tensor of rank 0. Returns a leaf. RuntimeError if an int is
    negative.

    >>> import autograd_teach as torch
    >>> torch.zeros(2, dtype=torch.int64), torch.zeros(())
    (tensor([0, 0]), tensor(0.))
    """
    return _made(_sized("zeros", size, dtype), device, requires_grad, "zero_")


def zeros_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor of zeros with the size of `input`, and with its dtype unless another is given.

    Returns a leaf without history. It requires grad only if `requires_grad` is True, whether
    `input` does or not.

    >>> import autograd_teach as torch
    >>> torch.zeros_like(torch.tensor([3.5, 4.5], requires_grad=True))
    tensor([0., 0.])
    """
    return _made(_like("zeros_like", input, dtype, memory_format), device, requires_grad, "zero_")


@_explained
def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the given size filled with 1, or with True if `dtype` is bool.

    size: several ints or one sequence of them. Returns a leaf. RuntimeError if an int is negative.

    >>> import autograd_teach as torch
    >>> torch.ones(2, 2, requires_grad=True)
    tensor([[1., 1.],
            [1., 1.]], requires_grad=True)
    """
    return _made(_sized("ones", size, dtype), device, requires_grad, "fill_", 1)


def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor of ones with the size of `input`, and with its dtype unless another is given.

    Returns a leaf. `y.backward(torch.ones_like(y))` gives the gradient of `y.sum()`.

    >>> import autograd_teach as torch
    >>> torch.ones_like(torch.tensor([[3, 4, 5]]), dtype=torch.float32)
    tensor([[1., 1., 1.]])
    """
    return _made(_like("ones_like", input, dtype, memory_format), device, requires_grad, "fill_", 1)


@_explained
def rand(
    *size: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of the given size with uniform random numbers from [0, 1).

    size: several ints or one sequence of them. generator: a `torch.Generator`, or None for the default one, which
    `torch.manual_seed` sets. Returns a leaf. NotImplementedError unless the dtype is floating.

    >>> import autograd_teach as torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(0))
    tensor([0.4963, 0.7682])
    """
    return _made(_sized("rand", size, dtype), device, requires_grad, "uniform_", generator=generator)


def rand_like(
    input: Tensor, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor with the size and dtype of `input`, filled with uniform random numbers from [0, 1).

    dtype: replaces the dtype of `input` if not None; required if `input` holds integers (else
    NotImplementedError).

    >>> import autograd_teach as torch
    >>> x = torch.rand_like(torch.arange(4), dtype=torch.float64)
    >>> x.shape, bool(((0 <= x) & (x < 1)).all())
    (torch.Size([4]), True)
    """
    return _made(_like("rand_like", input, dtype), device, requires_grad, "uniform_", generator=generator)


@_explained
def randn(
    *size: Any, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of the given size with standard normal random numbers: mean 0, variance 1.

    size: several ints or one sequence of them. generator: a `torch.Generator`, or None for the default one, which
    `torch.manual_seed` sets. Returns a leaf. NotImplementedError unless the dtype is floating.

    >>> import autograd_teach as torch
    >>> torch.randn(2, generator=torch.Generator().manual_seed(0))
    tensor([ 1.5410, -0.2934])
    """
    return _made(_sized("randn", size, dtype), device, requires_grad, "normal_", generator=generator)


def randn_like(
    input: Tensor, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor with the size and dtype of `input`, filled with standard normal random numbers, for example as noise.

    dtype: replaces the dtype of `input` if not None. NotImplementedError unless it is floating.

    >>> import autograd_teach as torch
    >>> x = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
    >>> torch.randn_like(x).dtype, torch.randn_like(x).requires_grad
    (torch.float64, False)
    """
    return _made(_like("randn_like", input, dtype), device, requires_grad, "normal_", generator=generator)


@_explained
def full(
    size: Sequence[int], fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of the given size filled with `fill_value`.

    size: a sequence of ints. fill_value: a number or a tensor of rank 0. dtype: if None, the dtype
    of `torch.tensor(fill_value)`, such as int64 for an int. RuntimeError if an int of `size` is
    negative.

    >>> import autograd_teach as torch
    >>> torch.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
    """
    return _full("full", size, fill_value, dtype, device, requires_grad)


def _full(name: str, size: Any, fill_value: Any, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    require(isinstance(size, (tuple, list)), "argument_is_no_dims", name, "size", 1, type(size).__name__)
    return _made(np.full(_size(name, (size,)), _fill_value(name, fill_value, dtype)), device, requires_grad)


def _fill_value(name: str, value: Any, dtype: Any) -> np.ndarray:
    is_number = value.ndim == 0 if isinstance(value, Tensor) else isinstance(value, (int, float, complex, np.number))
    require(is_number and not getattr(value, "requires_grad", False), "fill_value", name, type(value).__name__)
    return _array_of(value, dtype)


def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor filled with `fill_value`, with the size of `input`, and with its dtype unless another is given.

    The value is converted to that dtype. In `torch.full`, the value decides the dtype.

    >>> import autograd_teach as torch
    >>> torch.full_like(torch.zeros(3), 2)
    tensor([2., 2., 2.])
    """
    made = _like("full_like", input, dtype)
    value = _fill_value("full_like", fill_value, dtype or input.dtype)
    return _made(made, device, requires_grad, "copy_", wrap(value))


def randint_like(
    input: Tensor, low: Any = 0, high: Any = None, *, generator: Any = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Random integers with the size and dtype of `input`, each of low, ..., high - 1 with the same probability.

    A single bound is `high`, and `low` is 0. A floating dtype holds whole numbers. RuntimeError
    unless low < high, or if the dtype cannot hold the bounds.

    >>> import autograd_teach as torch
    >>> torch.randint_like(torch.zeros(3), 5, 6)
    tensor([5., 5., 5.])
    """
    bounds = [_int("randint_like", bound, "high", 2) for bound in ((0, low) if high is None else (low, high))]
    return _made(_like("randint_like", input, dtype), device, requires_grad, "random_", *bounds, generator=generator)


def randint(
    low: Any = 0, high: Any = None, size: Any = None, *, generator: Any = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Random integers of the given size, each of low, ..., high - 1 with the same probability.

    Call it as `randint(high, size)` or `randint(low, high, size)`; size: a sequence of ints. dtype: int64 if None.
    RuntimeError unless low < high.

    >>> import autograd_teach as torch
    >>> torch.randint(10, (5,), generator=torch.Generator().manual_seed(0))
    tensor([4, 9, 3, 0, 3])
    """
    low, high, size, last = (0, low, high, 1) if size is None else (low, high, size, 2)
    require(high is not None and size is not None, "randint_forms")
    low, high = _int("randint", low, "low", 1), _int("randint", high, "high", last)
    require(isinstance(size, (tuple, list)), "argument_is_no_dims", "randint", "size", last + 1, type(size).__name__)
    like = empty(_size("randint", (size,)), dtype=dtype or dtypes.int64)
    return randint_like(like, low, high, generator=generator, device=device, requires_grad=requires_grad)


@_explained
def randperm(
    n: int, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """The integers 0, ..., n - 1 in random order: a vector of length n, for example to shuffle a data set.

    dtype: int64 if None. RuntimeError if n is negative.

    >>> import autograd_teach as torch
    >>> torch.randperm(4, generator=torch.Generator().manual_seed(0))
    tensor([0, 1, 3, 2])
    """
    generator = generator or random.default_generator
    (n,) = _size("randperm", (_int("randperm", n, "n", 1),))
    return _made(generator.randperm(n, as_dtype(dtype or int).numpy), device, requires_grad)


@_explained
def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A matrix of n rows and m columns (n if `m` is None), with ones on the diagonal and zeros elsewhere.

    >>> import autograd_teach as torch
    >>> torch.eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    n, m = _int("eye", n, "n", 1), _int("eye", n if m is None else m, "m", 2)
    require(n >= 0 and m >= 0, "eye_size", *(("n", n) if n < 0 else ("m", m)))
    return _made(np.eye(n, m, dtype=as_dtype(dtype).numpy), device, requires_grad)


def _triangle(name: str, row: int, col: int, offset: int, dtype: Any, device: Any) -> Tensor:
    """The row and column indices that `np.<name>` returns, as a tensor of shape (2, number of elements)."""
    for position, (parameter, extent) in enumerate((("row", row), ("col", col)), 1):
        require(_int(name, extent, parameter, position) >= 0, "triangle_size", parameter, extent)
    target = as_dtype(dtype or int)
    require(target.name in ("int32", "int64"), "kernel_not_implemented", name, target.title)
    return _made(np.stack(getattr(np, name)(row, offset, col)).astype(target.numpy), device, False)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The indices of the lower triangle of a matrix: row indices in the first row, column indices in the second.

    row, col: the size of the matrix. offset: the last diagonal that belongs to it, as in `tril`.
    dtype: int64 if None, or int32, else NotImplementedError. Returns a tensor of shape (2, number
    of elements), row by row. RuntimeError if a size is negative.

    >>> import autograd_teach as torch
    >>> torch.tril_indices(2, 3)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return _triangle("tril_indices", row, col, offset, dtype, device)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The indices of the upper triangle of a matrix: row indices in the first row, column indices in the second.

    row, col: the size of the matrix. offset: the first diagonal that belongs to it, as in `triu`.
    dtype: int64 if None, or int32, else NotImplementedError. Returns a tensor of shape (2, number
    of elements), row by row. RuntimeError if a size is negative.

    >>> import autograd_teach as torch
    >>> torch.triu_indices(2, 3, 1)
    tensor([[0, 0, 1],
            [1, 2, 2]])
    """
    return _triangle("triu_indices", row, col, offset, dtype, device)


@_explained
def arange(
    start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The numbers start, start + step, start + 2 step, ... up to, not including, `end`.

    A single number is `end`, and `start` is 0. Returns a vector of ceil((end - start) / step)
    elements, of int64 if all three are ints, else of the default dtype, unless `dtype` is given.
    RuntimeError if `step` is 0 or leads away from `end`. With a fractional step, rounding decides
    whether a last number near `end` is included: prefer `linspace`.

    >>> import autograd_teach as torch
    >>> torch.arange(5, 0, -2), torch.arange(0, 1, 0.25)
    (tensor([5, 3, 1]), tensor([0.0000, 0.2500, 0.5000, 0.7500]))
    """
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (x.item() if isinstance(x, (Tensor, np.generic)) else x for x in (start, end, step))
    for name, x in (("start", start), ("end", end), ("step", step)):
        require(isinstance(x, (int, float)), "argument_is_no_number", "arange", f"'{name}'", type(x).__name__)
    d = as_dtype(dtype or (None if float in map(type, (start, end, step)) else int)).numpy
    require(d.kind != "b", "kernel_not_implemented", "arange_cpu", "Bool")
    require(math.isfinite(end - start), "arange_range", start, end)
    require(step != 0, "arange_step")
    require((end - start) * step >= 0, "arange_bounds")
    if d == np.int64:
        start, end, step = int(start), int(end), int(step)
    index = np.arange(math.ceil((end - start) / step))
    if d.kind != "f":
        return _made((int(start) + int(step) * index).astype(d), device, requires_grad)
    # PyTorch fills two vector registers at a time, in steps from their first number, which is
    # rounded; the rest one by one.
    lanes, number = 32 // d.itemsize, np.float32 if d == np.float16 else np.float64
    first = np.where(index < index.size // (2 * lanes) * (2 * lanes), index - index % lanes, index)
    from_first = fused(first, number(step), number(start)).astype(d)
    return _made(fused(index - first, number(step), from_first.astype(number)).astype(d), device, requires_grad)


@_explained
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers at equal distances from `start` to `end`, both included.

    Returns a vector. In an integer dtype, the numbers are rounded towards zero. With `steps=1` it
    holds `start` alone. RuntimeError if `steps` is negative.

    >>> import autograd_teach as torch
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    d = as_dtype(dtype).numpy
    require(_int("linspace", steps, "steps", 3) >= 0, "linspace_steps")
    require(d.kind != "b", "kernel_not_implemented", "linspace_cpu", "Bool")
    # From both ends inward, in the result's own precision (double for integers), to round as
    # PyTorch does.
    number = d.type if d.kind == "f" else np.float64
    low, high = (number(converted(float(x), d)) for x in (start, end if steps > 1 else start))
    step, index = number((high - low) / number(max(steps - 1, 1))), np.arange(steps).astype(number)
    add = fused if d != np.float16 else lambda index, step, start: index * step + start
    values = np.where(index < steps // 2, add(index, step, low), add(index[::-1], -step, high))
    return _made(values.astype(d), device, requires_grad)


@tensor_method
def to(
    self: Tensor, *args: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False, copy: bool = False,
) -> Tensor:  # fmt: skip
    """The tensor converted to another dtype; the tensor itself if it has that dtype already, unless `copy`.

    args: a dtype, a device, or a tensor whose dtype is used. non_blocking: no effect on the CPU.
    Conversions between floating dtypes are differentiable, and the gradient has the dtype of
    `self`. An integer result has no history. NotImplementedError for a device other than "cpu".

    >>> import autograd_teach as torch
    >>> torch.tensor([1.7, -1.7]).to(torch.int64)
    tensor([ 1, -1])
    """
    from .ops.pointwise import to_copy

    for given in args:
        is_place = isinstance(given, (str, int, type(self.device)))
        device, dtype = (given, dtype) if is_place else (device, getattr(given, "dtype", given))
    _require_cpu(device)
    target = self.dtype if dtype is None else as_dtype(dtype)
    if target is self.dtype and not copy:
        return self
    return to_copy(self, target) if target.is_floating_point else wrap(dtypes.copied(self._array, d=target.numpy))


class tensortype(type):
    """The metaclass of `LongTensor` and the like: a call makes a tensor of its dtype, `isinstance` checks the dtype."""

    dtype: dtypes.dtype

    def __call__(cls, *data: Any, **options: Any) -> Tensor:
        if data and not isinstance(data[0], (int, Size)):
            return as_tensor(data[0], cls.dtype)
        return empty(*data or (0,), dtype=cls.dtype, **options)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


def _tensortype(d: dtypes.dtype) -> tensortype:
    document = f"""A tensor of dtype `torch.{d.name}`, of a given size with undefined values, or with given values.

    `isinstance` tells whether a tensor has this dtype. In new programs use `torch.tensor(..., dtype=torch.{d.name})`.

    >>> torch.{d.title}Tensor([0, 1]).dtype
    torch.{d.name}
    """
    return tensortype(f"{d.title}Tensor", (), {"dtype": d, "__module__": "torch", "__doc__": document})


HalfTensor, FloatTensor, DoubleTensor, ByteTensor, CharTensor, ShortTensor, IntTensor, LongTensor, BoolTensor = map(
    _tensortype, dtypes.ALL
)


def _conversion(d: dtypes.dtype) -> Callable[[Tensor], Tensor]:
    def convert(self: Tensor) -> Tensor:
        return to(self, d)

    convert.__name__ = d.title.lower()
    convert.__doc__ = f"The tensor converted to `torch.{d.name}`, as by `to`; itself if it has that dtype already."
    return convert


for _d in dtypes.ALL:
    tensor_method(_conversion(_d))
_BY_TYPE = {d.tensor_type: d for d in dtypes.ALL}


@tensor_method
def _type(self: Tensor, dtype: Any = None) -> Any:
    """The name of this tensor's type; with a dtype, or the name of a type, the tensor converted to it.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2)
    >>> x.type(), x.type("torch.LongTensor")
    ('torch.FloatTensor', tensor([1, 1]))
    """
    return to(self, _BY_TYPE.get(dtype, dtype)) if dtype else self.dtype.tensor_type


@tensor_method
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor converted to the dtype of `other`; the tensor itself if it has that dtype already.

    >>> import autograd_teach as torch
    >>> torch.tensor([1, 2]).type_as(torch.tensor(0.5))
    tensor([1., 2.])
    """
    return to(self, other.dtype)


@tensor_method
def contiguous(self: Tensor, memory_format: Any = dtypes.contiguous_format) -> Tensor:
    """The tensor with its elements row by row in memory: itself if they are, else a copy, which is differentiable.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, 3).T
    >>> x.is_contiguous(), x.contiguous().is_contiguous()
    (False, True)
    """
    return self if self.is_contiguous() else self.clone(memory_format=dtypes.contiguous_format)


@tensor_method
def cpu(self: Tensor) -> Tensor:
    """The tensor itself, which is on the CPU already.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2)
    >>> x.cpu() is x
    True
    """
    return self


@tensor_method
@_explained
def new_empty(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`torch.empty` in this tensor's dtype, unless another is given.

    >>> import autograd_teach as torch
    >>> torch.tensor([1, 2]).new_empty(3).dtype
    torch.int64
    """
    return empty(_size("new_empty", size), dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@tensor_method
@_explained
def new_zeros(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`torch.zeros` in this tensor's dtype, unless another is given.

    >>> import autograd_teach as torch
    >>> torch.tensor([1, 2]).new_zeros(3)
    tensor([0, 0, 0])
    """
    return zeros(_size("new_zeros", size), dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@tensor_method
@_explained
def new_ones(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """`torch.ones` in this tensor's dtype, unless another is given.

    >>> import autograd_teach as torch
    >>> torch.tensor([True]).new_ones(2)
    tensor([True, True])
    """
    return ones(_size("new_ones", size), dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


@tensor_method
def new_full(
    self: Tensor, size: Sequence[int], fill_value: Any, *,
    dtype: Any = None, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """`torch.full` in this tensor's dtype, unless another is given; the type of `fill_value` does not matter.

    >>> import autograd_teach as torch
    >>> torch.tensor([0.5]).new_full((2,), 3)
    tensor([3., 3.])
    """
    return _full("new_full", size, fill_value, dtype or self.dtype, device, requires_grad)


@tensor_method
def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`torch.tensor` in this tensor's dtype, unless another is given: a leaf with a copy of `data`.

    >>> import autograd_teach as torch
    >>> torch.tensor([0.5]).new_tensor([1, 2])
    tensor([1., 2.])
    """
    if isinstance(data, Tensor):
        warnings.warn(str(error("new_tensor_copy")), stacklevel=2)
    return _made(_array_of(data, dtype or self.dtype), device, requires_grad)
