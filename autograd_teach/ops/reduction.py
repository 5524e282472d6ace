"""Reductions: sums, norms, variances, extremes, softmax; and `expand`, the reverse of a sum.

`dim` is an int or several ints, None or () for all. With `keepdim`, the reduced dimensions remain
with size 1. Uses pointwise operations and views. The derivatives are those of PyTorch's
FunctionsManual.cpp, so graphs show the same steps.
"""

import builtins
import math
import operator
import warnings
from functools import partial, reduce
from typing import Any

import numpy as np

# Rows are compact, as in a table: the formatter would put every argument on a line of its own.
# fmt: off
# isort: off
from ..dtypes import as_dtype, of_array, title
from ..errors import class_name, error, require
from ..quiet import quietly
from ..tensor import Tensor, tensor_method, wrap_dim
from .operation import attach, inplace_form, method, op
from .pointwise import (
    NOT_GIVEN, cast, div_number, exp, in_single, isnan, log, logical_not, masked_fill, maximum, minimum,
    mul_number, needs_tensor, require_overload, only_for, sgn, where, zeros_of)
from .shape import constant, flip, reshape, transpose, triu, unsqueeze, wrap_dims, zeros_beside
from .vocabulary import on_arrays

def _dims(dim):
    return (dim,) if isinstance(dim, int) else None if dim is None else tuple(dim)

def _axes(dim, ndim):
    """The dimensions counted from the front; none for a tensor of rank 0."""
    axes = wrap_dims(_dims(dim) or range(ndim), ndim, "reduced_twice")
    return axes if ndim else ()

def _count(shape, dim):
    """How many elements are reduced to one."""
    return math.prod([shape[d] for d in _axes(dim, len(shape))])

def _restored(ndim, dim, keepdim, *reduced):
    """Reduced tensors with the reduced dimensions inserted again, with size 1."""
    for d in () if keepdim or dim in (None, ()) else sorted(_axes(dim, ndim)):
        reduced = [unsqueeze(x, d) for x in reduced]
    return reduced

def _along(reduce):
    """The kernel of a reduction by a NumPy function."""
    return lambda self, dim=None, keepdim=False: np.asarray(
        reduce(self, axis=_axes(dim, self.ndim), keepdims=keepdim), order="C")

def _wide(kernel):
    """A kernel that accumulates as PyTorch does: integers in int64, float16 in single precision."""
    single = in_single(kernel)
    return lambda self, *rest: single(self if self.dtype.kind == "f" else self.astype(np.int64), *rest)

def _reduced(whole, along, input, dim, keepdim, several=False, dtype=None):
    """The reduction of all elements, or along `dim`: an int; if `several`, also None or a sequence. Casts to `dtype` first."""
    if dtype is not None:
        return _cast_first(partial(_reduced, whole, along), input, dtype, dim, keepdim, several)
    if dim is NOT_GIVEN and keepdim is False:
        return whole(input)
    fits = is_int(dim) or (several and (dim is None or isinstance(dim, (tuple, list))))
    require_overload(fits, along.__name__, input, dim, keepdim)
    require(isinstance(keepdim, bool), "keepdim", along.__name__, type(keepdim).__name__)
    return along(input, dims_of(along.__name__, dim) if several else operator.index(dim), keepdim)

def is_int(value):
    """Whether a value is accepted as a dimension."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)

def dims_of(name, dim, position=2):
    """The argument `dim`: an int, several or None; TypeError if it is not."""
    fits = dim is None or is_int(dim) or (isinstance(dim, (tuple, list)) and builtins.all(map(is_int, dim)))
    require(fits, "argument_is_no_dims", name, "dim", position, dim if isinstance(dim, list) else class_name(dim))
    return _dims(operator.index(dim) if is_int(dim) else dim)

def int_of(name, value, parameter="dim", position=2):
    """An argument that is one int; TypeError if it is not."""
    require(is_int(value), "argument_is_no_int", name, parameter, position, class_name(value))
    return operator.index(value)

def _cast_first(function, input, dtype, *given, recorded=False):
    """A reduction of `input` in another dtype, if one is given; `recorded`: whether PyTorch has a node for the cast."""
    if dtype is None or recorded:
        return function(input if dtype is None else input.to(dtype), *given)
    numpy = as_dtype(dtype).numpy
    return cast(function(cast(input, numpy), *given), numpy)  # sums of integers are int64 in between

# Expansion, and sums, means, products

def _expand(self, size):
    new = len(size) - self.ndim
    if tuple(size) == self.shape or (self.size == 1 and set(size) <= {1} and new >= 0):
        return self.reshape(size)  # nothing is repeated: it may be written to
    if self.size == 1 and new >= 0 and -1 not in size:
        # Fast path for the gradient of a sum or mean: `np.broadcast_to` would take 2.1 µs, this
        # takes 0.3.
        return np.ndarray(size, self.dtype, self, 0, (0,) * len(size))
    require(new >= 0, "expand_rank", of_array(self).tensor_type, self.shape, tuple(size), len(size), self.ndim)
    own = (1,) * new + self.shape
    for i, n, m in reversed([*zip(range(len(size)), size, own)]):
        if (i < new and n == -1) or (n not in (-1, m) and m != 1):
            raise error("expand_new" if n == -1 else "expand_size", n, m, i, list(size), list(self.shape))
    repeated = np.broadcast_to(self, [m if n == -1 else n for n, m in zip(size, own)])
    repeated.flags.writeable = self.flags.writeable  # the strides say whether a write is allowed
    return repeated

@method
def sum_to_size(input: Any, *size: Any) -> Any:
    """The sum over the dimensions that broadcasting a tensor of shape `size` to `input` had repeated: unbroadcast.

    size: sizes, or one sequence of them, that broadcast to `input.shape`, else RuntimeError.
    Returns a tensor of that shape. This is the backward of `expand`.

    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    shape, target = input.shape, tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    new = len(shape) - len(target)
    fits = new >= 0 and tuple(m if n == 1 else n for n, m in zip(target, shape[new:])) == shape[new:]
    require(fits, "sum_to_size", target, tuple(shape))
    if not target:
        return sum_all(input)
    dims = tuple(i for i, n in enumerate(shape) if i < new or n != target[i - new])
    total = sum_dim(input, dims, True) if dims else input
    return reshape(total, target) if new else total

def _spread(g, self_shape, dim, keepdim):
    return expand(*_restored(len(self_shape), dim, keepdim, g), self_shape)

@on_arrays(lambda g, shape, count: _expand(g / count, shape) if count else _expand(g, shape) / count)
def _evenly(g, shape, count):
    """`g` divided and expanded. PyTorch's graph expands first; on arrays it is faster to divide first."""
    return div_number(expand(g, shape), count)

def _spread_evenly(g, self_shape, dim, keepdim):
    return _evenly(*_restored(len(self_shape), dim, keepdim, g), self_shape, _count(self_shape, dim))

@on_arrays(lambda self: (self == 0).sum() > 1)
def _has_many_zeros(self):
    """Whether every derivative of the product is zero. False if a graph is recorded, which must contain all factors."""
    return False

def _prod_derivative(g, self, result, dim, keepdim):
    if not len(self.shape):
        return g
    g, result = _restored(len(self.shape), dim, keepdim, g, result)
    if not (self == 0).any():
        return g * (result / self)
    if dim is None and _has_many_zeros(self):
        return zeros_of(self)  # also for NaN
    # A zero forbids the division by the element: multiply all other elements instead.
    rows = reshape(self, (-1,)) if dim is None else transpose(self, dim, -1)
    own = np.eye(rows.shape[-1], dtype=bool)
    others = prod_dim(masked_fill(unsqueeze(rows, -2), constant(own), 1), -1)
    return g * (reshape(others, tuple(self.shape)) if dim is None else transpose(others, dim, -1))

_sum, _prod = _wide(_along(np.add.reduce)), _wide(_along(np.multiply.reduce))
_of_floats = only_for("f", message="mean_dtype")
_mean = _wide(lambda self, dim=None, keepdim=False: _sum(self, dim, keepdim) / _count(self.shape, dim))

def _cumulating(function):
    """The kernel of a running sum or the like, computed in double; in single precision for float16, as in PyTorch."""
    def kernel(self, dim):
        along = wrap_dim(dim, self.ndim)
        wide = {"e": np.float32, "f": np.float64, "d": np.float64}.get(self.dtype.char, np.int64)
        found = function.accumulate(np.atleast_1d(self).astype(wide), along).reshape(self.shape)
        return np.asarray(found if self.dtype.kind != "f" else found.astype(self.dtype), order="C")
    return kernel


def _backwards(function, g, dim):
    """A running sum or the like, from the last element to the first."""
    return flip(function(flip(g, (dim,)), dim), (dim,))

def _of_cumsum(g, dim):
    return g if math.prod(g.shape) <= 1 or g.shape[dim] == 1 else _backwards(cumsum_dim, g, dim)

def _of_cumprod(g, self, result, dim):
    if math.prod(self.shape) <= 1 or self.shape[dim] == 1:
        return g
    if not (self == 0).any():
        return _of_cumsum(result * g, dim) / self
    # A zero forbids the division: to element i, element k <= i contributes the product of all
    # others up to i.
    rows = unsqueeze(transpose(self, dim, -1), -2)
    others = triu(cumprod_dim(masked_fill(rows, constant(np.eye(self.shape[dim], dtype=bool)), 1), -1))
    return transpose(sum_dim(others * unsqueeze(transpose(g, dim, -1), -2), (-1,)), dim, -1)

def _of_logcumsumexp(g, self, result, self_dtype, dim):
    if not len(g.shape) or not math.prod(g.shape):
        return g
    size, least = log(abs(g)), float(np.finfo(self_dtype).min)  # not -∞, because -∞ minus -∞ is NaN
    positive, negative = where(g > 0, size, least), where(g < 0, size, least)
    of_positive = exp(_backwards(logcumsumexp_dim, positive - result, dim) + self)
    return of_positive - exp(_backwards(logcumsumexp_dim, negative - result, dim) + self)

@op(_expand, view=True, self=lambda g, self_shape: sum_to_size(g, self_shape))
def expand(self, *size):
    """The same elements repeated along dimensions of size 1, without a copy.

    size: sizes, or one sequence of them; new dimensions may come first, and -1 keeps the size of an
    existing one. Several elements of the returned view share memory, so it cannot be written to in
    place. RuntimeError if the size of a dimension is not 1 and would change. The backward pass sums
    over the repeated dimensions.

    >>> torch.tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """

# Fast path for float32 and float64, because most losses end in a sum or mean of all elements.
@op(lambda self: np.add.reduce(self, None) if self.dtype.char in "fd" else _sum(self), overload="sum.0",
    self=lambda g, self_shape: expand(g, self_shape))
def sum_all(self): ...
@op(_sum, overload="sum.1", self=_spread)
def sum_dim(self, dim: tuple, keepdim=False): ...
@op(lambda self: np.add.reduce(self, None) / self.size if self.dtype.char in "fd" else _mean(self), overload="mean.0",
    check=_of_floats, self=lambda g, self_shape: _evenly(g, self_shape, math.prod(self_shape)))
def mean_all(self): ...
@op(_mean, overload="mean.1", check=_of_floats, self=_spread_evenly)
def mean_dim(self, dim: tuple, keepdim=False): ...
@op(_prod, overload="prod.0", self=lambda g, self, result: _prod_derivative(g, self, result, None, False))
def prod_all(self): ...
@op(_prod, overload="prod.1", self=_prod_derivative)
def prod_dim(self, dim: int, keepdim=False): ...
@op(_cumulating(np.add), overload="cumsum.0", self=_of_cumsum)
def cumsum_dim(self, dim: int): ...
@op(_cumulating(np.multiply), overload="cumprod.0", self=_of_cumprod)
def cumprod_dim(self, dim: int): ...
@op(_cumulating(np.logaddexp), overload="logcumsumexp.0", check=only_for("f", "logcumsumexp_out_cpu"), self=_of_logcumsumexp)
def logcumsumexp_dim(self, dim: int): ...
@op(_wide(_along(np.nansum)), self=lambda g, self, dim, keepdim:
    _spread(g, tuple(self.shape), dim, keepdim) * logical_not(isnan(self)), overload="nansum.0")
def nansum_dim(self, dim: tuple, keepdim=False): ...

@tensor_method
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """`self.expand(other.shape)`.

    >>> torch.tensor([1, 2]).expand_as(torch.zeros(2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(self, other.shape)

@method
def sum(input: Tensor, dim: Any = NOT_GIVEN, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or the sums along `dim`.

    input: tensor of any shape and dtype. dim: int or tuple of ints; None or () for all. dtype: the input is
    cast to it first. Without `dtype`, integers and booleans are added as int64, so the sum of a mask counts
    it; floats keep their dtype.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`); the sum of no elements is 0.
    IndexError if a dimension is out of range, RuntimeError if one is repeated.

    >>> torch.sum(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1)
    tensor([3., 7.])
    >>> torch.sum(torch.tensor([True, False, True]))
    tensor(2)
    """
    return _reduced(sum_all, sum_dim, input, dim, keepdim, several=True, dtype=dtype)

@method
def mean(input: Tensor, dim: Any = NOT_GIVEN, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all elements, or the means along `dim`.

    input: floating tensor of any shape. dim: int or tuple of ints; None or () for all. dtype: the input is
    cast to it first.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`); the mean of no elements is
    NaN. RuntimeError for integers and booleans unless `dtype` is floating; IndexError if a dimension is out
    of range. Each of n elements receives 1/n of the gradient.

    >>> torch.mean(torch.tensor([[1.0, 2.0], [3.0, 6.0]]), 0, keepdim=True)
    tensor([[2., 4.]])
    >>> torch.mean(torch.tensor([1, 2]), dtype=torch.float32)
    tensor(1.5000)
    """
    return _reduced(mean_all, mean_dim, input, dim, keepdim, several=True, dtype=dtype)

@method
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of the elements that are not NaN, or the sums of these along `dim`.

    input: tensor of any shape and dtype. dim, keepdim, dtype: as in `torch.sum`. The sum of no
    numbers is 0. NaN gets gradient 0. IndexError if a dimension is out of range, RuntimeError if
    one is repeated.

    >>> torch.nansum(torch.tensor([1.0, float("nan"), 2.0]))
    tensor(3.)
    """
    return _cast_first(nansum_dim, input, dtype, dims_of("nansum", dim), keepdim)

@method
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of the elements that are not NaN, or the means of these along `dim`: `nansum` divided by their number.

    input: floating tensor of any shape. dim, keepdim, dtype: as in `torch.sum`. The mean of no numbers is NaN.
    RuntimeError for integers and booleans; IndexError if a dimension is out of range.

    >>> torch.nanmean(torch.tensor([[1.0, float("nan"), 2.0], [4.0, 5.0, 6.0]]), 1)
    tensor([1.5000, 5.0000])
    """
    require(input.is_floating_point(), "nanmean_dtype", input._array)
    return nansum(input, dim, keepdim, dtype=dtype) / sum(logical_not(isnan(input)).detach(), dim, keepdim)

@method
def prod(input: Tensor, dim: Any = NOT_GIVEN, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all elements, or the products along `dim`.

    input: tensor of any shape and dtype. dim: one int (not a tuple, not None); all without it. dtype: the
    input is cast to it first. Without `dtype`, integers and booleans are multiplied as int64; floats keep their dtype.
    Returns a tensor without that dimension (with size 1 there if `keepdim`); the product of no elements is 1.
    IndexError if the dimension is out of range. The derivative for an element is the product of all others,
    also if there are zeros.

    >>> x = torch.tensor([0.0, 2.0, 3.0], requires_grad=True)
    >>> torch.autograd.grad(torch.prod(x), x)
    (tensor([6., 0., 0.]),)
    """
    return _reduced(prod_all, prod_dim, input, dim, keepdim, dtype=dtype)

@method
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running sums along `dim`: element i of the result is the sum of elements 0 to i.

    input: tensor of any shape and dtype. dim: int, required. dtype: the input is cast to it first. Without
    `dtype`, integers and booleans are added as int64; floats keep their dtype.
    Returns a tensor of the shape of `input`. IndexError if `dim` is out of range. The gradient is a running
    sum from the last element to the first.

    >>> torch.cumsum(torch.tensor([1, 2, 3, 4]), 0)
    tensor([ 1,  3,  6, 10])
    """
    return _cast_first(cumsum_dim, input, dtype, int_of("cumsum", dim))

@method
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Running products along `dim`: element i of the result is the product of elements 0 to i.

    input: tensor of any shape and dtype. dim: int, required. dtype: the input is cast to it first. Without
    `dtype`, integers and booleans are multiplied as int64; floats keep their dtype.
    Returns a tensor of the shape of `input`. IndexError if `dim` is out of range. The gradient is right at zeros,
    too.

    >>> torch.cumprod(torch.tensor([1.0, 2.0, 3.0, 4.0]), 0)
    tensor([ 1.,  2.,  6., 24.])
    """
    return _cast_first(cumprod_dim, input, dtype, int_of("cumprod", dim))

attach("cumsum_", inplace_form(cumsum))
attach("cumprod_", inplace_form(cumprod))

@method
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Log of the running sums of exponentials along `dim`, computed without overflow.

    input: floating tensor of any shape. dim: int, required. Returns a tensor of the shape of `input`.
    NotImplementedError for integers and booleans; IndexError if `dim` is out of range.

    >>> torch.logcumsumexp(torch.tensor([1000.0, 1000.0]), 0)
    tensor([1000.0000, 1000.6932])
    """
    return logcumsumexp_dim(input, int_of("logcumsumexp", dim))

@quietly
def _norm(self, ord, dim, keepdim):
    if not 0 <= ord < math.inf:
        for d in _dims(dim) or ():
            require(self.shape[wrap_dim(d, self.ndim)] if self.ndim else True, "norm_empty_dim", ord, d)
        require(self.size or dim not in (None, ()), "norm_empty", ord)
    return _along(partial(np.linalg.vector_norm, ord=ord))(self, dim, keepdim)

def _norm_derivative(g, self, result, ord, dim, keepdim):
    g, result = _restored(len(self.shape), dim, keepdim, g, result)
    if ord == 0:
        return None
    if ord == 1:
        return sgn(self) * g
    # At norm 0 PyTorch uses the subgradient 0.
    if ord == 2:
        return g * masked_fill(self / result, result == 0, 0.0)
    if ord in (math.inf, -math.inf):
        return sgn(self) * _shared(g, (abs(self) == result) | isnan(self), _axes(dim, len(self.shape)))
    if ord < 1:
        return sgn(self) * masked_fill(abs(self) ** (ord - 1), self == 0, 0.0) * g * result ** (1 - ord)
    scaled = sgn(self) * abs(self) ** (ord - 1) if ord < 2 else self * abs(self) ** (ord - 2)
    return scaled * masked_fill(g / result ** (ord - 1), result == 0, 0.0)

@op(_wide(_norm), overload="linalg_vector_norm.0", check=only_for("f", message="norm_dtype"), self=_norm_derivative)
def linalg_vector_norm(self, ord=2, dim=None, keepdim=False): ...

def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The vector norm (Σ |x|ᵖ)^(1/p) of all elements, or of those along `dim`; matrices are treated as vectors.

    x: floating tensor of any shape. ord: any number p; ∞ gives the largest |x|, -∞ the smallest, 0 the number of
    nonzero elements. dim: int or tuple of ints; None for all. dtype: the input is cast to it first.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`). RuntimeError for integers and booleans,
    if `dtype` is narrower, and for no elements if p is infinite or negative. IndexError if a dimension is out of range.

    >>> torch.linalg.vector_norm(torch.tensor([3.0, -4.0])), torch.linalg.vector_norm(torch.tensor([3.0, -4.0]), 1)
    (tensor(5.), tensor(7.))
    """
    needs_tensor("linalg_vector_norm", input=x)
    require(isinstance(ord, (int, float)) and not isinstance(ord, bool), "norm_ord", type(ord).__name__)
    if dtype is not None:
        wanted = as_dtype(dtype).numpy
        require(x.dtype.itemsize <= wanted.itemsize, "norm_narrow", x._array, np.empty(0, wanted))
        x = cast(x, wanted)
    return linalg_vector_norm(x, ord, dims_of("linalg_vector_norm", dim, 3), keepdim)

def matrix_norm(
    input: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of matrices: "fro" is √(Σ x²), 1 the largest sum of |x| over a column, ∞ over a row; -1, -∞ the smallest.

    input: floating tensor of rank 2 or more. ord: "fro", 1, -1, ∞ or -∞; those made of singular values ("nuc", 2, -2) are
    not supported. dim: the two dimensions of the matrices. dtype: the input is cast to it first.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`). RuntimeError for integers and booleans,
    other orders, or if `dim` is not two different dimensions; NotImplementedError for "nuc", 2 and -2.

    >>> torch.linalg.matrix_norm(torch.tensor([[1.0, -2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """
    needs_tensor("linalg_matrix_norm", input=input)
    require(input.ndim >= 2, "linalg_rank", "linalg.matrix_norm", "A")
    require(input.is_floating_point(), "linalg_kind", "linalg.matrix_norm", input._array)
    dims = dims_of("linalg_matrix_norm", dim)
    require(dims and len(dims) == 2, "matrix_dims", dims)
    row, column = wrap_dims(dims, input.ndim)
    if ord == "fro":
        return vector_norm(input, 2, dims, keepdim, dtype=dtype)
    require(ord in (1, -1, math.inf, -math.inf), "matrix_norm", ord)
    if ord in (math.inf, -math.inf):
        row, column = column, row
    sums, column = vector_norm(input, 1, row, keepdim, dtype=dtype), column - (row < column and not keepdim)
    if ord > 0 and not sums.shape[column]:
        return sum_dim(sums.detach(), (column,), keepdim)  # no element: 0
    return (amax if ord > 0 else amin)(sums, column, keepdim)

@method
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The vector norm (Σ |x|ᵖ)^(1/p) of all elements, or of those along `dim`; matrices are treated as vectors.

    input: floating tensor of any shape. p: any number, "fro" or None (both mean 2). ∞ gives the largest |x|,
    -∞ the smallest, 0 the number of nonzero elements. dim: int or tuple of ints; None for all. dtype: the input is cast
    to it first.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`). RuntimeError for integers and
    booleans, for no elements if p is infinite or negative, and for other strings; NotImplementedError for "nuc".
    IndexError if a dimension is out of range. If the norm is 0, the gradient is the subgradient 0. For p = ±∞, tied
    elements share the gradient. p = 0 sends no gradient.

    >>> torch.norm(torch.tensor([[3.0, 4.0], [5.0, 12.0]]), dim=1)
    tensor([ 5., 13.])
    >>> torch.norm(torch.tensor([3.0, -4.0]), p=float("inf"))
    tensor(4.)
    """
    needs_tensor("norm", input=input)
    if isinstance(p, str) and not (p == "fro" and (dim is None or isinstance(dim, int) or len(dim) <= 2)):
        return matrix_norm(input, p, tuple(range(input.ndim)) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)

def _dist_derivative(g, self, other, result, p):
    return _norm_derivative(g, self - other, result, p, None, False)

@op(lambda self, other, p: _norm(self - other, p, None, False), promote=True, check=only_for("f", message="dist_dtype"),
    self=_dist_derivative,
    other=lambda g, self, other, result, p: None if p == 0 else -_dist_derivative(g, self, other, result, p))
def dist(self, other, p=2):
    """The norm of the difference of two tensors: (Σ |input - other|ᵖ)^(1/p).

    input, other: floating tensors that broadcast. p: any number, as in `torch.norm`. Returns a tensor of rank 0.
    RuntimeError for integers, or if the shapes do not broadcast.

    >>> torch.dist(torch.tensor([1.0, 2.0]), torch.tensor([4.0, 6.0]))
    tensor(5.)
    """

def _var_derivative(g, self, dim, correction, keepdim):
    everything = dim is None or not len(self.shape)
    freedom = _count(self.shape, dim) - (1 if correction is None else correction)
    if len(self.shape) > 1:
        (g,) = _restored(len(self.shape), dim, keepdim, g)
    deviation = self - (mean_all(self) if everything else mean_dim(self, dim, True))
    if everything and freedom <= 0:
        return g * where(deviation == 0, math.nan, math.inf)
    return mul_number(g, 2 / freedom if freedom else math.inf) * deviation

def _std_derivative(g, self, result, dim, correction, keepdim):
    return _var_derivative(masked_fill(g / mul_number(result, 2), result == 0, 0.0), self, dim, correction, keepdim)

def _through_both(grads, *derivatives):
    """The gradient through two results, one of which may be unused."""
    return reduce(operator.add, [of(g) for g, of in zip(grads, derivatives) if g is not None])

def _var_mean_derivative(grads, self, dim, correction, keepdim):
    return _through_both(grads, lambda g: _var_derivative(g, self, dim, correction, keepdim),
        lambda g: _spread_evenly(g, tuple(self.shape), dim, keepdim))

def _std_mean_derivative(grads, self, result0, dim, correction, keepdim):
    return _through_both(grads, lambda g: _std_derivative(g, self, result0, dim, correction, keepdim),
        lambda g: _spread_evenly(g, tuple(self.shape), dim, keepdim))

def _moments(name):
    """The kernel of a variance or standard deviation, alone or with the mean, computed in double precision."""
    def kernel(self, dim, correction, keepdim):
        exact = self.astype(np.float64)
        # An empty input does not have degrees of freedom.
        freedom = _count(self.shape, dim) * bool(self.size) - (1 if correction is None else correction)
        if freedom <= 0:
            warnings.warn(str(error("freedom", name)), stacklevel=3)
        # Relative to the first element, so that equal elements give exactly 0, whatever the mean
        # rounds to.
        axes = _axes(dim, self.ndim)
        apart = exact - exact[tuple(slice(0, 1) if axis in axes else slice(None) for axis in range(self.ndim))]
        spread = _sum((apart - _mean(apart, dim, True)) ** 2, dim, keepdim) / np.maximum(freedom, 0)
        moments = [np.sqrt(spread) if name.startswith("std") else spread, _mean(exact, dim, keepdim)]
        results = [moment.astype(self.dtype) for moment in moments]
        return results if name.endswith("mean") else results[0]
    return kernel

_moment = partial(op, check=only_for("f", "std and var", message="var_dtype"))
@_moment(_moments("var"), overload="var.0", self=_var_derivative)
def var_correction(self, dim: tuple, correction: float, keepdim=False): ...
@_moment(_moments("std"), overload="std.0", self=_std_derivative)
def std_correction(self, dim: tuple, correction: float, keepdim=False): ...
@_moment(_moments("var_mean"), overload="var_mean.0", check=only_for("f", "var_mean", message="var_dtype"), outputs=(), self=_var_mean_derivative)
def var_mean_correction(self, dim: tuple, correction: float, keepdim=False): ...
@_moment(_moments("std_mean"), overload="std_mean.0", check=only_for("f", "std_mean", message="var_dtype"),
    outputs=("result0", "result1"), self=_std_mean_derivative)
def std_mean_correction(self, dim: tuple, correction: float, keepdim=False): ...

def _corrected(row, input, dim, unbiased, keepdim, correction):
    """A row of variances; a single bool argument is `unbiased`, an older form of `correction`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None and (dim, unbiased) != (None, None):
        correction = int(unbiased is not False)
    return row(input, dims_of(row.__name__, dim), correction, keepdim)

@method
def var(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """The variance of all elements, or along `dim`: Σ (x - mean)² / (n - correction).

    input: floating tensor of any shape. dim: int or tuple of ints; None or () for all. correction: a number;
    the default 1 is Bessel's correction, 0 divides by n. unbiased: the older form, True for correction 1 and
    False for 0. `torch.var(input, False)` sets `unbiased`.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`). RuntimeError for integers and
    booleans; IndexError if a dimension is out of range. If n <= correction: a UserWarning, and NaN or
    infinity.

    >>> x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    >>> torch.var(x), torch.var(x, correction=0)
    (tensor(1.6667), tensor(1.2500))
    """
    return _corrected(var_correction, input, dim, unbiased, keepdim, correction)

@method
def std(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """The standard deviation of all elements, or along `dim`: the square root of `torch.var`.

    input: floating tensor of any shape. dim, unbiased, correction (default 1): as in `torch.var`.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`). RuntimeError for integers and
    booleans; IndexError if a dimension is out of range. If there are no more elements than `correction`: a
    UserWarning, and NaN or infinity. If the result is 0, so is the gradient.

    >>> torch.std(torch.tensor([[1.0, 3.0], [10.0, 30.0]]), dim=1, correction=0)
    tensor([ 1., 10.])
    """
    return _corrected(std_correction, input, dim, unbiased, keepdim, correction)

@method
def var_mean(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """The variance and the mean of all elements, or along `dim`, as a pair.

    input: floating tensor of any shape. dim, unbiased, correction (default 1): as in `torch.var`.
    Returns a tuple (variance, mean) of two tensors without those dimensions (with size 1 there if `keepdim`),
    for example to normalize a batch. RuntimeError for integers and booleans; IndexError if a dimension is out
    of range. If there are no more elements than `correction`: a UserWarning, and a variance that is NaN or
    infinite.

    >>> torch.var_mean(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), 1, correction=0)
    (tensor([1., 9.]), tensor([2., 5.]))
    """
    return _corrected(var_mean_correction, input, dim, unbiased, keepdim, correction)

def std_mean(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """The standard deviation and the mean of all elements, or along `dim`, as a pair.

    input: floating tensor of any shape. dim, unbiased, correction (default 1): as in `torch.var`.
    Returns a tuple (standard deviation, mean) of two tensors without those dimensions (with size 1 there if
    `keepdim`). RuntimeError for integers and booleans; IndexError if a dimension is out of range. If there are no more
    elements than `correction`: a UserWarning, and a deviation that is NaN or infinite.

    >>> torch.std_mean(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), 1, correction=0)
    (tensor([1., 3.]), tensor([2., 5.]))
    """
    return tuple(_corrected(std_mean_correction, input, dim, unbiased, keepdim, correction))

# Elements chosen: extremes and medians

def _nonempty(name, *refused):
    """The check of a reduction that needs an element; `refused` names the error for booleans, if any."""
    def check(self, dim=None, keepdim=False):
        (int_of if name in ("argmax", "argmin", "aminmax") and dim is not None else dims_of)(name, dim)
        require(not refused or self.dtype.kind != "b", *refused, self)
        empty = "aminmax_empty" if name == "aminmax" else "no_place" if name.startswith("arg") else "no_element"
        require(self.size or dim not in (None, ()), empty, name)
        for d, shown in zip(_axes(dim, self.ndim), _dims(dim) or ()):
            shown = shown if name in ("amax", "amin") else d
            require(self.shape[d], "no_extent", name if name == "aminmax" else f"{name}()", shown)
    return check

def _shared_by_all(g, self, result):
    chosen = isnan(self) if isnan(result) else self == result
    return masked_fill(zeros_of(self), chosen, g / sum_all(chosen))

def _shared(g, chosen, dims):
    return g / sum_dim(chosen, dims, True) * chosen

def _shared_along(g, self, result, dim, keepdim):
    dims = _axes(dim, len(self.shape))
    kept = tuple(1 if i in dims else n for i, n in enumerate(self.shape)) or (1,) * len(_dims(dim))
    g, result = (g, result) if keepdim else (reshape(g, kept), reshape(result, kept))
    return _shared(g, self == result, dims)

def to_places(grads, self_shape, dim, indices, keepdim):
    """The gradient of elements chosen along a dimension: zeros, with the gradient at the places of these elements."""
    g, indices = _restored(len(self_shape), dim, keepdim, grads[0], indices)
    return _put_along(zeros_beside(g, self_shape), dim, indices, g)

def _put_along_axis(whole, dim, indices, g):
    np.put_along_axis(np.atleast_1d(whole), np.atleast_1d(indices), g, dim)
    return whole

@on_arrays(_put_along_axis)
def _put_along(whole, dim, indices, g):
    return whole.scatter(dim, indices, g)

def _with_place(find):
    """The kernel that chooses one element along a dimension and returns it with its index."""
    def kernel(self, dim, keepdim):
        row = np.atleast_1d(self)
        places = find(row, axis=dim, keepdims=True)
        found = np.take_along_axis(row, places, dim), places
        return found if keepdim and self.ndim else [x.squeeze(dim) for x in found]
    return kernel

_max, _min = _along(np.maximum.reduce), _along(np.minimum.reduce)
# Along a dimension, the chosen element gets the gradient; without a dimension, equal elements share
# it.
choosing = partial(op, outputs=("values", "indices"), self=to_places)

@op(_max, overload="max.1", check=_nonempty("max"), self=_shared_by_all)
def max_all(self): ...
@op(_min, overload="min.1", check=_nonempty("min"), self=_shared_by_all)
def min_all(self): ...
@choosing(_with_place(np.argmax), overload="max.0", check=_nonempty("max"))
def max_dim(self, dim: int, keepdim=False): ...
@choosing(_with_place(np.argmin), overload="min.0", check=_nonempty("min"))
def min_dim(self, dim: int, keepdim=False): ...
@op(_max, check=_nonempty("amax"), self=_shared_along)
def amax(self, dim=(), keepdim=False):
    """The maximum of all elements, or the maximums along `dim`, without their indices.

    input: tensor of any shape and dtype. dim: int or tuple of ints (`torch.max` takes only one); () or None
    for all. NaN counts as the maximum.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`). RuntimeError if `input` is
    empty and no dimension is given; IndexError if a dimension is out of range or has size 0. Equal elements
    share the gradient evenly, also along `dim`.

    >>> x = torch.tensor([[1.0, 3.0, 3.0]], requires_grad=True)
    >>> torch.autograd.grad(torch.amax(x, dim=(0, 1)), x)
    (tensor([[0.0000, 0.5000, 0.5000]]),)
    """

@op(_min, check=_nonempty("amin"), self=_shared_along)
def amin(self, dim=(), keepdim=False):
    """The minimum of all elements, or the minimums along `dim`, without their indices.

    input: tensor of any shape and dtype. dim: int or tuple of ints (`torch.min` takes only one); () or None
    for all. NaN counts as the minimum.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`). RuntimeError if `input` is
    empty and no dimension is given; IndexError if a dimension is out of range or has size 0. Equal elements
    share the gradient evenly, also along `dim`.

    >>> torch.amin(torch.tensor([[4, 1], [2, 3]]), dim=1, keepdim=True)
    tensor([[1],
            [2]])
    """

def _of_aminmax(grads, self, min, max, dim, keepdim):
    dims = () if dim is None else dim
    return _through_both(grads, lambda g: _shared_along(g, self, min, dims, keepdim),
        lambda g: _shared_along(g, self, max, dims, keepdim))

@op(lambda self, dim, keepdim: (_min(self, dim, keepdim), _max(self, dim, keepdim)), outputs=("min", "max"),
    check=_nonempty("aminmax"), self=_of_aminmax)
def aminmax(self, *, dim=None, keepdim=False):
    """The minimum and the maximum of all elements, or along `dim`, as a named tuple (min, max).

    input: tensor of any shape and dtype. dim: one int, or None for all. NaN counts as both.
    Returns tensors without that dimension (with size 1 there if `keepdim`). RuntimeError if `input` is empty and no
    dimension is given; IndexError if `dim` is out of range or has size 0. Equal elements share the gradient evenly.

    >>> low, high = torch.aminmax(torch.tensor([3.0, -1.0, 2.0]))
    >>> low, high
    (tensor(-1.), tensor(3.))
    """

@op(lambda self, dim, keepdim: np.argmax(self, axis=dim, keepdims=keepdim),
    check=_nonempty("argmax", "no_booleans", "argmax"))
def argmax(self, dim=None, keepdim=False):
    """The index of the maximum: the first one if several are equal.

    input: integer or floating tensor of any shape. dim: one int, or None to search the flattened tensor. The
    first NaN counts as the maximum.
    Returns int64 indices, without that dimension (with size 1 there if `keepdim`). RuntimeError for booleans;
    IndexError if there are no elements to choose from or `dim` is out of range. Not differentiable: the
    result never requires grad.

    >>> scores = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
    >>> torch.argmax(scores, dim=1), torch.argmax(scores)
    (tensor([1, 0]), tensor(1))
    """

@op(lambda self, dim, keepdim: np.argmin(self, axis=dim, keepdims=keepdim),
    check=_nonempty("argmin", "no_booleans", "argmin"))
def argmin(self, dim=None, keepdim=False):
    """The index of the minimum: the first one if several are equal.

    input: integer or floating tensor of any shape. dim: one int, or None to search the flattened tensor. The
    first NaN counts as the minimum.
    Returns int64 indices, without that dimension (with size 1 there if `keepdim`). RuntimeError for booleans;
    IndexError if there are no elements to choose from or `dim` is out of range. Not differentiable: the
    result never requires grad.

    >>> torch.argmin(torch.tensor([2.0, -1.0, -1.0]))
    tensor(1)
    """

def _extreme(whole, along, pair, input, dim, keepdim, other):
    if isinstance(dim, Tensor) and other is None:
        dim, other = NOT_GIVEN, dim
    fits = other is None or (dim is NOT_GIVEN and keepdim is False)
    require_overload(fits, along.__name__, input, dim, other)
    return _reduced(whole, along, input, dim, keepdim) if other is None else pair(input, other)

@method
def max(input: Tensor, dim: Any = NOT_GIVEN, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The maximum of all elements, or along `dim` with its index, or of each pair of elements with `other`.

    input: tensor of any shape and dtype. dim: one int; all without it. other: a tensor that
    broadcasts with `input`, also allowed in place of `dim`: computes `torch.maximum`. NaN counts as
    the maximum. Returns a tensor of one element; with `dim`, a named tuple (values, indices),
    without that dimension (with size 1 there if `keepdim`). The first of equal elements is chosen.
    RuntimeError if there are no elements, IndexError if `dim` is out of range or has size 0.
    Without `dim`, equal elements share the gradient; along `dim`, it goes to the chosen element
    alone.

    >>> values, indices = torch.max(torch.tensor([[1.0, 9.0], [7.0, 5.0]]), dim=1)
    >>> values, indices
    (tensor([9., 7.]), tensor([1, 0]))
    """
    return _extreme(max_all, max_dim, maximum, input, dim, keepdim, other)

@method
def min(input: Tensor, dim: Any = NOT_GIVEN, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The minimum of all elements, or along `dim` with its index, or of each pair of elements with `other`.

    input: tensor of any shape and dtype. dim: one int; all without it. other: a tensor that
    broadcasts with `input`, also allowed in place of `dim`: computes `torch.minimum`. NaN counts as
    the minimum. Returns a tensor of one element; with `dim`, a named tuple (values, indices),
    without that dimension (with size 1 there if `keepdim`). The first of equal elements is chosen.
    RuntimeError if there are no elements, IndexError if `dim` is out of range or has size 0.
    Without `dim`, equal elements share the gradient; along `dim`, it goes to the chosen element
    alone.

    >>> torch.min(torch.tensor([4.0, -2.0, 3.0])), torch.min(torch.tensor([4, -2]), torch.tensor([0, 0]))
    (tensor(-2.), tensor([ 0, -2]))
    """
    return _extreme(min_all, min_dim, minimum, input, dim, keepdim, other)

def _place_of_median(of_all):
    """Find the middle element: of all elements, NaN last, or only of those that are not NaN."""
    def find(self, axis, keepdims):
        # For an even number of elements, the lower middle one.
        count = (~np.isnan(self)).sum(axis, keepdims=True)
        middle = np.where(of_all & (count < self.shape[axis]), count, np.maximum(count - 1, 0) // 2)
        return np.take_along_axis(np.argsort(self, axis, kind="stable"), middle, axis)
    return find

def _median_of_all(find):
    def kernel(self):
        flat = self.reshape(-1)
        return flat[find(flat, 0, True)[0]] if flat.size else np.array(math.nan).astype(self.dtype)
    return kernel

_place, _place_of_numbers = _place_of_median(True), _place_of_median(False)
_middle = partial(op, check=only_for("iuf", "median_cpu"), self=_shared_by_all)
_check_median = _nonempty("median", "no_kernel", "median_out")

@_middle(_median_of_all(_place), overload="median.0")
def median_all(self): ...
@_middle(_median_of_all(_place_of_numbers), overload="nanmedian.0")
def nanmedian_all(self): ...
@choosing(_with_place(_place), overload="median.1", check=_check_median)
def median_dim(self, dim: int, keepdim=False): ...
@choosing(_with_place(_place_of_numbers), overload="nanmedian.1", check=_check_median)
def nanmedian_dim(self, dim: int, keepdim=False): ...

@method
def median(input: Tensor, dim: Any = NOT_GIVEN, keepdim: bool = False) -> Any:
    """The median of all elements, or along `dim` with its index; for an even count, the lower middle element.

    input: integer or floating tensor of any shape. dim: one int; all without it. The result is always an
    element of `input`, never a mean of two. If one of the elements is NaN, the median is NaN
    (`torch.nanmedian` ignores it).
    Returns a tensor of one element (NaN if a floating `input` is empty); with `dim`, a named tuple (values,
    indices), without that dimension (with size 1 there if `keepdim`). NotImplementedError for booleans;
    IndexError if `dim` is out of range or has size 0. Without `dim`, elements equal to the median share the
    gradient; along `dim`, it goes to the chosen element alone.

    >>> torch.median(torch.tensor([4.0, 1.0, 3.0, 2.0]))
    tensor(2.)
    """
    return _reduced(median_all, median_dim, input, dim, keepdim)

@method
def nanmedian(input: Tensor, dim: Any = NOT_GIVEN, keepdim: bool = False) -> Any:
    """The median of the elements that are not NaN, or the same along `dim` with its index.

    input: integer or floating tensor of any shape. dim: one int, or None for all. For an even count
    of numbers, the lower middle one is chosen. The result is NaN only if there are no numbers.
    Returns a tensor of one element; with `dim`, a named tuple (values, indices), without that
    dimension (with size 1 there if `keepdim`). NotImplementedError for booleans; IndexError if
    `dim` is out of range or has size 0. The gradient goes where `torch.median` sends it: shared by
    equal elements without `dim`, to one element along `dim`.

    >>> x = torch.tensor([5.0, float("nan"), 1.0, 3.0])
    >>> torch.nanmedian(x), torch.median(x)
    (tensor(3.), tensor(nan))
    """
    return _reduced(nanmedian_all, nanmedian_dim, input, dim, keepdim)


def _tested(test):
    """uint8 stays uint8; other dtypes become bool."""
    return _along(lambda self, **axes: test.reduce(self, **axes).astype("B" if self.dtype == "B" else "?"))

@op(_tested(np.logical_and), check=lambda self, dim, keepdim: dims_of("all", dim))
def all(self, dim=None, keepdim=False):
    """Whether all elements are nonzero, or all along `dim`.

    input: tensor of any shape and dtype; NaN counts as nonzero. dim: int or tuple of ints; None or () for
    all.
    Returns booleans (uint8 stays uint8) without those dimensions (with size 1 there if `keepdim`). True if
    there are no elements. IndexError if a dimension is out of range. Not differentiable.

    >>> torch.all(torch.tensor([[True, True], [True, False]]), dim=1)
    tensor([ True, False])
    """

@op(_tested(np.logical_or), check=lambda self, dim, keepdim: dims_of("any", dim))
def any(self, dim=None, keepdim=False):
    """Whether at least one element is nonzero, or at least one along `dim`.

    input: tensor of any shape and dtype; NaN counts as nonzero. dim: int or tuple of ints; None or () for
    all.
    Returns booleans (uint8 stays uint8) without those dimensions (with size 1 there if `keepdim`). False if
    there are no elements. IndexError if a dimension is out of range. Not differentiable.

    >>> torch.any(torch.tensor([[0, 0], [0, 3]]), dim=0), torch.any(torch.empty(0))
    (tensor([False,  True]), tensor(False))
    """

@op(_along(np.count_nonzero))
def count_nonzero(self, dim=None):
    """The number of elements that are not zero, of all or along `dim`.

    input: tensor of any shape and dtype; NaN counts as nonzero. dim: int or tuple of ints; None or () for
    all.
    Returns int64 counts without those dimensions; there is no `keepdim`. IndexError if a dimension is out of
    range. Not differentiable.

    >>> torch.count_nonzero(torch.tensor([[1.0, 0.0], [2.0, -3.0]]), dim=0)
    tensor([2, 1])
    """

def _soft(kernel):
    """A kernel that first subtracts the maximum along an axis, against overflow in `exp`; the result is contiguous."""
    def compute(self, dim):
        axis = dim if self.ndim else ()
        largest = np.maximum.reduce(self, axis=axis, keepdims=True, initial=-math.inf)
        return np.asarray(kernel(self - largest, axis), order="C")
    return _wide(compute)

def _check_soft(name):
    def check(self, dim):
        dim = wrap_dim(dim, self.ndim)
        if self.dtype.kind != "f":
            last = "_lastdim" if dim >= self.ndim - 1 else ""
            raise error("no_kernel", f"{name}{last}_kernel_impl", title(self))
    return check

def _logsumexp_derivative(g, self, result, dim, keepdim):
    g, result = _restored(len(self.shape), dim, keepdim, g, result)
    return g * exp(self - result)

@op(floating=True, check=lambda self, dim, keepdim: dims_of("logsumexp", dim), self=_logsumexp_derivative,
    kernel=_along(lambda x, **axes: np.logaddexp.reduce(x, dtype=np.float64, **axes).astype(x.dtype)))
def logsumexp(self, dim: tuple, keepdim=False):
    """Log of the sum of exponentials along `dim`, computed without overflow.

    input: tensor of any shape; integers are computed in the default float dtype. dim: int or tuple of ints,
    required; None or () for all.
    Returns a tensor without those dimensions (with size 1 there if `keepdim`); -∞ if there are no elements.
    IndexError if a dimension is out of range. The derivative is the softmax of `input` along `dim`.

    >>> torch.logsumexp(torch.tensor([1000.0, 1000.0]), 0)
    tensor(1000.6932)
    """

@op(_soft(lambda shifted, axis: (powers := np.exp(shifted)) / np.add.reduce(powers, axis=axis, keepdims=True)),
    overload="softmax.0", check=_check_soft("softmax"), self=lambda g, result, dim: softmax_backward_data(g, result, dim))
def softmax_dim(self, dim: int): ...
@op(_wide(lambda grad_output, y, dim: y * (grad_output - _sum(grad_output * y, dim, True))),
    grad_output=lambda g, y, dim: softmax_backward_data(g, y, dim), y=lambda g, grad_output, y, dim:
    grad_output * g - sum_dim(y * grad_output, (dim,), True) * g - grad_output * sum_dim(y * g, (dim,), True))
def softmax_backward_data(grad_output, y, dim: int): ...
@op(_soft(lambda shifted, axis: shifted - np.log(np.add.reduce(np.exp(shifted), axis=axis, keepdims=True))),
    overload="log_softmax.0", check=_check_soft("log_softmax"),
    self=lambda g, result, dim: log_softmax_backward_data(g, result, dim))
def log_softmax_dim(self, dim: int): ...
@op(_wide(lambda grad_output, y, dim: grad_output - np.exp(y) * _sum(grad_output, dim, True)),
    grad_output=lambda g, y, dim: g - sum_dim(g * exp(y), (dim,), True),
    y=lambda g, grad_output, y, dim: -sum_dim(grad_output, (dim,), True) * exp(y) * g)
def log_softmax_backward_data(grad_output, y, dim: int): ...


@method
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Softmax along `dim`: exp(x) / Σ exp(x), weights from 0 to 1 that add up to 1.

    input: floating tensor of any shape. dim: int, required. dtype: the input is cast to it first, for example
    to accept integers. The maximum is subtracted before `exp`, so large elements do not overflow.
    Returns a tensor of the shape of `input`; NaN along `dim` if an element is NaN or ∞, or all are -∞.
    NotImplementedError for integers and booleans; IndexError if `dim` is out of range. For the loss of a
    classifier use `torch.log_softmax`.

    >>> torch.softmax(torch.tensor([[1000.0, 1000.0], [0.0, -1000.0]]), dim=1)
    tensor([[0.5000, 0.5000],
            [1.0000, 0.0000]])
    """
    return _cast_first(softmax_dim, input, dtype, int_of("softmax", dim), recorded=True)

@method
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of softmax along `dim`: x - log Σ exp(x), finite even if `softmax` underflows to 0.

    input: floating tensor of any shape. dim: int, required. dtype: the input is cast to it first, for example
    to accept integers.
    Returns a tensor of the shape of `input`, with all elements <= 0; NaN along `dim` if an element is NaN or
    ∞, or all are -∞. NotImplementedError for integers and booleans; IndexError if `dim` is out of range.

    >>> x = torch.tensor([0.0, -1000.0])
    >>> torch.log_softmax(x, 0), torch.log(torch.softmax(x, 0))
    (tensor([    0., -1000.]), tensor([0., -inf]))
    """
    return _cast_first(log_softmax_dim, input, dtype, int_of("log_softmax", dim), recorded=True)
