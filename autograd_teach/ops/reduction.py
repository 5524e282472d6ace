"""Operations that make one value of many (sums, means, extremes, norms), and `expand`, the derivative of a sum.

A dimension is an int or a tuple of them, None for all; with `keepdim` the reduced dimensions stay with extent 1.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Tensor, wrap_dim
from .declare import method, op
from .ordering import max_dim, median_dim, median_of, min_dim, nanmedian_dim
from .pointwise import abs, div_number, isnan, masked_fill, pow, sgn, to_copy, zeros_of
from .shape import reshape, unsqueeze

Dims = int | tuple[int, ...] | None


def _wrapped(dim: Dims, ndim: int) -> tuple[int, ...]:
    """The dimensions counted from the front; all of them for None and for the empty tuple, as PyTorch reads it."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    wrapped = tuple(wrap_dim(d, ndim) for d in dims)
    if len(set(wrapped)) < len(wrapped):
        repeated = next(d for d in wrapped if wrapped.count(d) > 1)
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    return wrapped if ndim else ()


def _kept(value: Any, ndim: int, dim: Dims, keepdim: bool) -> Any:
    """A reduced value with the reduced dimensions put back, of extent 1."""
    if keepdim or dim is None:
        return value
    for d in sorted(_wrapped(dim, ndim)):
        value = unsqueeze(value, d)
    return value


def _spread(value: Any, shape: tuple[int, ...], dim: Dims, keepdim: bool) -> Any:
    """A reduced value beside each of the values it was made from."""
    return expand(_kept(value, len(shape), dim, keepdim), shape)


def _count(shape: tuple[int, ...], dim: Dims) -> int:
    return math.prod(shape[i] for i in _wrapped(dim, len(shape)))


def _expand(self: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    shape, new = self.shape, len(size) - self.ndim
    if shape == size:
        return self
    if new < 0:
        raise RuntimeError(
            f"expand({dtypes.of_array(self).tensor_type}{{{list(shape)}}}, size={list(size)}): the number of sizes provided ({len(size)}) must "
            f"be greater or equal to the number of dimensions in the tensor ({self.ndim})"
        )
    if -1 in size[:new]:
        raise RuntimeError(
            f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {size.index(-1)}"
        )
    if -1 in size:
        size = tuple(shape[i - new] if n == -1 and i >= new else n for i, n in enumerate(size))
    wrong = next((i for i, n in enumerate(shape) if n not in (1, size[i + new])), None)
    if wrong is not None:
        raise RuntimeError(
            f"The expanded size of the tensor ({size[wrong + new]}) must match the existing size ({shape[wrong]}) at "
            f"non-singleton dimension {wrong + new}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
        )
    if self.size != 1:
        return np.broadcast_to(self, size)
    # The gradient of every sum and mean comes this way: `np.broadcast_to` would take 2.1 µs for it, this takes 0.3.
    repeated = np.ndarray(size, self.dtype, np.asarray(self), 0, (0,) * len(size))
    repeated.flags.writeable = False
    return repeated


def _sum(self: np.ndarray, dim: Dims = None, keepdim: bool = False) -> Any:
    # PyTorch sums integers and booleans as int64.
    d = self.dtype if self.dtype.kind == "f" else np.int64
    return self.sum(axis=_wrapped(dim, self.ndim), keepdims=keepdim, dtype=d)


def _mean(self: np.ndarray, dim: Dims = None, keepdim: bool = False) -> Any:
    if self.dtype.kind != "f":
        name = dtypes.of_array(self).tensor_type[6:-6]
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {name}"
        )
    count = _count(self.shape, dim)
    total = self.sum(axis=_wrapped(dim, self.ndim), keepdims=keepdim)
    return total / total.dtype.type(count)


expand = op("expand(self, *size)", _expand, view=True, self=lambda g, self_shape: sum_to_size(g, self_shape))
sum_all = op(
    "sum_all(self)",
    _sum,
    node="SumBackward0",
    method=False,
    self=lambda g, self_shape: expand(g, self_shape),
)
sum_dim = op(
    "sum_dim(self, dim: Dims, keepdim=False)",
    _sum,
    node="SumBackward1",
    method=False,
    self=lambda g, self_shape, dim, keepdim: _spread(g, self_shape, dim, keepdim),
)
mean_all = op(
    "mean_all(self)",
    _mean,
    node="MeanBackward0",
    method=False,
    self=lambda g, self_shape: div_number(expand(g, self_shape), _count(self_shape, None)),
)
mean_dim = op(
    "mean_dim(self, dim: Dims, keepdim=False)",
    _mean,
    node="MeanBackward1",
    method=False,
    self=lambda g, self_shape, dim, keepdim: div_number(_spread(g, self_shape, dim, keepdim), _count(self_shape, dim)),
)


def _dims(dim: Any) -> Dims:
    return (dim,) if isinstance(dim, int) else None if dim is None else tuple(dim)


@method
def sum(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along `dim`; integers and booleans are summed as int64.

    >>> import autograd_teach as torch
    >>> torch.ones(2, 3).sum(0)
    tensor([2., 2., 2.])
    """
    if dtype is not None:
        self = to_copy(self, dtype)
    return sum_all(self) if dim is None and not keepdim else sum_dim(self, _dims(dim), keepdim)


@method
def mean(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all elements, or along `dim`; RuntimeError for a dtype that is not floating-point."""
    if dtype is not None:
        self = to_copy(self, dtype)
    return mean_all(self) if dim is None and not keepdim else mean_dim(self, _dims(dim), keepdim)


@method
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expanded to the shape of `other`."""
    return expand(self, other.shape)


@method
def sum_to_size(self: Any, *size: Any) -> Any:
    """Summed over what broadcasting from `size` to this shape had repeated."""
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    new = len(self.shape) - len(shape)
    if new < 0 or builtins.any(n not in (1, m) for n, m in zip(shape, self.shape[new:])):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}.")
    if not shape:
        return sum_all(self) if new else self
    dims = tuple(i for i, n in enumerate(self.shape) if i < new or (shape[i - new] == 1 and n != 1))
    if dims:
        self = sum_dim(self, dims, True)
    return reshape(self, shape) if new > 0 else self


# Norms


def _norm(self: np.ndarray, ord: float = 2, dim: Dims = None, keepdim: bool = False) -> Any:
    axis = _wrapped(dim, self.ndim)
    if ord == 2:
        return np.sqrt((self * self).sum(axis=axis, keepdims=keepdim))
    magnitude = np.absolute(self)
    if ord in (math.inf, -math.inf) and not _count(self.shape, dim):
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not have an "
            "identity"
        )
    if ord == math.inf:
        return magnitude.max(axis=axis, keepdims=keepdim)
    if ord == -math.inf:
        return magnitude.min(axis=axis, keepdims=keepdim)
    if ord == 0:
        return (self != 0).sum(axis=axis, keepdims=keepdim).astype(self.dtype)
    if ord == 1:
        return magnitude.sum(axis=axis, keepdims=keepdim)
    total = np.power(magnitude, ord).sum(axis=axis, keepdims=keepdim)
    return np.power(total, 1 / ord)


def _norm_derivative(g: Any, self: Any, result: Any, ord: float, dim: Dims, keepdim: bool) -> Any:
    ndim = len(self.shape)
    g, result = _kept(g, ndim, dim, keepdim), _kept(result, ndim, dim, keepdim)
    if ord == 0:
        return None
    if ord == 1:
        return sgn(self) * g
    # At norm 0 PyTorch takes the subgradient 0.
    if ord == 2:
        return g * masked_fill(self / result, result == 0, 0.0)
    if ord in (math.inf, -math.inf):
        # The extremes share the gradient.
        extreme = abs(self) == result
        return sgn(self) * (g / sum_dim(extreme, _wrapped(dim, ndim), True) * extreme)
    if ord < 1:
        return sgn(self) * masked_fill(pow(abs(self), ord - 1), self == 0, 0.0) * g * pow(result, 1 - ord)
    scaled = sgn(self) * pow(abs(self), ord - 1) if ord < 2 else self * pow(abs(self), ord - 2)
    return scaled * masked_fill(g / pow(result, ord - 1), result == 0, 0.0)


linalg_vector_norm = op(
    "linalg_vector_norm(self, ord=2, dim=None, keepdim=False)",
    _norm,
    method=False,
    self=lambda g, self, result, ord, dim, keepdim: _norm_derivative(g, self, result, ord, dim, keepdim),
)


@method
def norm(self: Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The p-norm of all elements, or along `dim`.

    >>> import autograd_teach as torch
    >>> torch.tensor([3.0, 4.0]).norm()
    tensor(5.)
    """
    if not self.is_floating_point():
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {self.dtype.tensor_type[6:-6]}"
        )
    if p in ("fro", None):
        p = 2
    if isinstance(p, str):
        raise NotImplementedError(f"autograd_teach does not support the norm {p!r}; use a number p")
    return linalg_vector_norm(self, p, _dims(dim), keepdim)


# Extremes


def _extreme(reduce: Callable[..., Any], name: str) -> Callable[[np.ndarray], Any]:
    def kernel(self: np.ndarray) -> Any:
        if not self.size:
            raise RuntimeError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
                "'dim' argument."
            )
        return reduce(self)

    return kernel


def _place(find: Callable[..., Any], name: str) -> Callable[..., Any]:
    def kernel(self: np.ndarray, dim: int | None, keepdim: bool) -> Any:
        if dim is None and not self.size:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        if dim is not None and self.ndim and not self.shape[wrap_dim(dim, self.ndim)]:
            raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
        return find(self, axis=_wrapped(dim, self.ndim)[0] if dim is not None and self.ndim else None, keepdims=keepdim)

    return kernel


def _share_evenly(g: Any, self: Any, result: Any) -> Any:
    """To all elements equal to the extreme, the same part of its gradient."""
    equal = isnan(self) if isnan(result) else self == result
    return masked_fill(zeros_of(self), equal, g / sum(equal))


max_all = op(
    "max_all(self)",
    _extreme(np.max, "max"),
    node="MaxBackward1",
    method=False,
    self=lambda g, self, result: _share_evenly(g, self, result),
)
min_all = op(
    "min_all(self)",
    _extreme(np.min, "min"),
    node="MinBackward1",
    method=False,
    self=lambda g, self, result: _share_evenly(g, self, result),
)
argmax_op = op(
    "argmax_op(self, dim=None, keepdim=False)",
    _place(np.argmax, "argmax"),
    method=False,
)
argmin_op = op(
    "argmin_op(self, dim=None, keepdim=False)",
    _place(np.argmin, "argmin"),
    method=False,
)


median_all = op(
    "median_all(self)",
    median_of,
    node="MedianBackward0",
    method=False,
    self=lambda g, self, result: _share_evenly(g, self, result),
)
nanmedian_all = op(
    "nanmedian_all(self)",
    lambda self: median_of(self[~np.isnan(self)]),
    node="NanmedianBackward0",
    method=False,
    self=lambda g, self, result: _share_evenly(g, self, result),
)


@method
def max(self: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The largest element; with `dim` the largest along it and their places; with a second tensor the larger of each pair.

    >>> import autograd_teach as torch
    >>> torch.tensor([[1, 3], [5, 4]]).max(1).indices
    tensor([1, 0])
    """
    other = dim if isinstance(dim, Tensor) else other
    if other is not None:
        return self.maximum(other)
    return max_all(self) if dim is None else max_dim(self, dim, keepdim)


@method
def min(self: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The smallest element; with `dim` the smallest along it and their places; with a second tensor the smaller of each pair."""
    other = dim if isinstance(dim, Tensor) else other
    if other is not None:
        return self.minimum(other)
    return min_all(self) if dim is None else min_dim(self, dim, keepdim)


@method
def median(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The element in the middle, of an even number the lower one; with `dim` those along it and their places."""
    return median_all(self) if dim is None else median_dim(self, dim, keepdim)


@method
def nanmedian(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of all elements that are not NaN."""
    return nanmedian_all(self) if dim is None else nanmedian_dim(self, dim, keepdim)


@method
def argmax(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, counted through the flattened tensor, or along `dim`."""
    return argmax_op(self, dim, keepdim)


@method
def argmin(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element, counted through the flattened tensor, or along `dim`."""
    return argmin_op(self, dim, keepdim)


def _holds(self: np.ndarray, dim: Dims, keepdim: bool, reduce: Callable[..., Any]) -> Any:
    # Of bytes PyTorch makes bytes, of all others booleans.
    held = reduce(self, axis=_wrapped(dim, self.ndim), keepdims=keepdim)
    return held.astype(np.uint8) if self.dtype == np.uint8 else held


all = op(
    "all(self, dim=None, keepdim=False)",
    lambda self, dim=None, keepdim=False: _holds(self, dim, keepdim, np.all),
)
any = op(
    "any(self, dim=None, keepdim=False)",
    lambda self, dim=None, keepdim=False: _holds(self, dim, keepdim, np.any),
)
count_nonzero = op("count_nonzero(self, dim=None)", lambda self, dim: np.count_nonzero(self, axis=dim))
