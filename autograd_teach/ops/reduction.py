"""Operations that make one value of many: sums, norms, variances, extremes, soft maxima; and `expand`, a sum undone.

A dimension is an int or several, None or () for all; with `keepdim` the reduced dimensions stay, of extent 1. Uses
pointwise operations and views. The derivatives are those of PyTorch's FunctionsManual.cpp, whose steps show in graphs.
"""

import math
import operator
import warnings
from functools import partial
from typing import Any

import numpy as np

from ..dtypes import as_dtype, of_array
from ..errors import error, require
from ..tensor import Tensor, wrap, wrap_dim
from .declare import method, op
from .pointwise import cast, div_number, exp, in_single, isnan, masked_fill, mul_number, only_for, sgn, where, zeros_of
from .shape import flip, reshape, transpose, unsqueeze, wrap_dims, zeros_beside

# fmt: off

def _dims(dim):
    return (dim,) if isinstance(dim, int) else None if dim is None else tuple(dim)

def _axes(dim, ndim):
    """The dimensions counted from the front, none of a tensor of rank 0."""
    axes = wrap_dims(_dims(dim) or range(ndim), ndim, "reduced_twice")
    return axes if ndim else ()

def _count(shape, dim):
    """How many elements become one."""
    return math.prod([shape[d] for d in _axes(dim, len(shape))])

def _restored(ndim, dim, keepdim, *reduced):
    """Reduced tensors with the reduced dimensions put back."""
    for d in () if keepdim or dim in (None, ()) else sorted(_axes(dim, ndim)):
        reduced = [unsqueeze(x, d) for x in reduced]
    return reduced

def _along(reduce):
    """The kernel of a function of NumPy's that reduces."""
    return lambda self, dim=None, keepdim=False: np.asarray(
        reduce(self, axis=_axes(dim, self.ndim), keepdims=keepdim), order="C")

def _wide(kernel):
    """A kernel that accumulates as PyTorch does: integers become int64; halves, too coarse, are singles on the way."""
    single = in_single(kernel)
    return lambda self, *rest: single(self if self.dtype.kind == "f" else self.astype(np.int64), *rest)

def _function(doc, along, whole=None, dims=operator.index, pair=None, to=cast):
    """The function, and method, that chooses among rows: for all elements, along a dimension, for pairs of them."""
    def choose(input: Tensor, dim: Any = None, *keepdim: bool, dtype: Any = None, **named: Any) -> Any:
        if dtype is not None:
            numpy = as_dtype(dtype).numpy
            return to(choose(to(input, numpy), dim, *keepdim, **named), numpy)
        if whole and dim is None and not (keepdim or named):
            return whole(input)
        dim = named.pop("other", named.pop("axis", dim))
        if isinstance(dim, Tensor):
            return pair(input, dim)
        for flag in (*keepdim, *named.values()):
            require(isinstance(flag, bool), "keepdim", along.__name__, type(flag).__name__)
        return along(input, dims(dim), *keepdim, **named)

    choose.__name__, choose.__doc__ = along.__name__, doc
    return method(choose)

# Expansion, and sums, means, products

def _expand(self, size):
    new = len(size) - self.ndim
    if tuple(size) == self.shape or (self.size == 1 and set(size) <= {1} and new >= 0):
        return self.reshape(size)  # nothing is repeated: it may be written to
    if self.size == 1 and new >= 0 and -1 not in size:
        # The gradient of every sum and mean comes this way: `np.broadcast_to` would take 2.1 µs for it, this takes 0.3.
        return np.ndarray(size, self.dtype, self, 0, (0,) * len(size))
    require(new >= 0, "expand_rank", of_array(self).tensor_type, self.shape, tuple(size), len(size), self.ndim)
    own = (1,) * new + self.shape
    for i, n, m in reversed([*zip(range(len(size)), size, own)]):
        if (i < new and n == -1) or (n not in (-1, m) and m != 1):
            raise error("expand_new" if n == -1 else "expand_size", n, m, i, list(size), list(self.shape))
    repeated = np.broadcast_to(self, [m if n == -1 else n for n, m in zip(size, own)])
    repeated.flags.writeable = self.flags.writeable  # whether a write is allowed, its strides say
    return repeated

@method
def sum_to_size(input: Any, *size: Any) -> Any:
    """Summed over what broadcasting from `size` had repeated; RuntimeError if this cannot come from there."""
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

def _evenly(g, shape, count):
    """An expanded share of `g`: PyTorch's graph expands first, arrays have less to divide before (if anything at all)."""
    if isinstance(g, Tensor) or not count:
        return div_number(expand(g, shape), count)
    return expand(div_number(g, count), shape)

def _spread_evenly(g, self_shape, dim, keepdim):
    return _evenly(*_restored(len(self_shape), dim, keepdim, g), self_shape, _count(self_shape, dim))

def _prod_derivative(g, self, result, dim, keepdim):
    if not len(self.shape):
        return g
    g, result = _restored(len(self.shape), dim, keepdim, g, result)
    if not (self == 0).any():
        return g * (result / self)
    if dim is None and not isinstance(g, Tensor) and (self == 0).sum() > 1:
        return zeros_of(self)  # where no graph is asked for, of NaN too
    # Where a zero forbids the division: what an element is multiplied by is the product of all others.
    rows = reshape(self, (-1,)) if dim is None else transpose(self, dim, -1)
    own = np.eye(rows.shape[-1], dtype=bool)
    others = prod_dim(masked_fill(unsqueeze(rows, -2), wrap(own) if isinstance(g, Tensor) else own, 1), -1)
    return g * (reshape(others, tuple(self.shape)) if dim is None else transpose(others, dim, -1))

_sum, _prod = _wide(_along(np.add.reduce)), _wide(_along(np.multiply.reduce))
_of_floats = only_for("f", message="mean_dtype")
_mean = _wide(lambda self, dim=None, keepdim=False: _sum(self, dim, keepdim) / _count(self.shape, dim))
_cumsum = _wide(lambda self, dim: np.asarray(self.cumsum(wrap_dim(dim, self.ndim)).reshape(self.shape), order="C"))

expand = op("expand(self, *size)", _expand, view=True, self=lambda g, self_shape: sum_to_size(g, self_shape))
# Losses end in a sum or mean of all: the usual dtypes go a short way.
sum_all = op("sum.0(self)", lambda self: np.add.reduce(self, None) if self.dtype.char in "fd" else _sum(self),
    self=lambda g, self_shape: expand(g, self_shape))
sum_dim = op("sum.1(self, dim: tuple, keepdim=False)", _sum, self=_spread)
mean_all = op("mean.0(self)",
    lambda self: np.add.reduce(self, None) / self.size if self.dtype.char in "fd" else _mean(self),
    check=_of_floats, self=lambda g, self_shape: _evenly(g, self_shape, math.prod(self_shape)))
mean_dim = op("mean.1(self, dim: tuple, keepdim=False)", _mean, check=_of_floats, self=_spread_evenly)
prod_all = op("prod.0(self)", _prod, self=lambda g, self, result: _prod_derivative(g, self, result, None, False))
prod_dim = op("prod.1(self, dim: int, keepdim=False)", _prod, self=_prod_derivative)
cumsum_dim = op("cumsum.0(self, dim: int)", _cumsum, self=lambda g, dim:
    g if math.prod(g.shape) <= 1 or g.shape[dim] == 1 else flip(cumsum_dim(flip(g, (dim,)), dim), (dim,)))
Tensor.expand_as = lambda self, other: expand(self, other.shape)  # type: ignore[attr-defined]  # as the operations are
sum = _function("The sum of all elements, or along `dim`; of integers as int64.", sum_dim, sum_all, _dims)
mean = _function("The mean of all elements, or along `dim`; RuntimeError for integers.", mean_dim, mean_all, _dims)
prod = _function("The product of all elements, or along `dim`; of integers as int64.", prod_dim, prod_all)
cumsum = _function("The sums of the first 1, 2, ... elements along `dim`.", cumsum_dim)

def _norm(self, ord, dim, keepdim):
    require(0 <= ord < math.inf or _count(self.shape, dim), "norm_empty", ord)
    return _along(partial(np.linalg.vector_norm, ord=ord))(self, dim, keepdim)

def _norm_derivative(g, self, result, ord, dim, keepdim):
    g, result = _restored(len(self.shape), dim, keepdim, g, result)
    if ord == 0:
        return None
    if ord == 1:
        return sgn(self) * g
    # At norm 0 PyTorch takes the subgradient 0.
    if ord == 2:
        return g * masked_fill(self / result, result == 0, 0.0)
    if ord in (math.inf, -math.inf):
        return sgn(self) * _shared(g, (abs(self) == result) | isnan(self), _axes(dim, len(self.shape)))
    if ord < 1:
        return sgn(self) * masked_fill(abs(self) ** (ord - 1), self == 0, 0.0) * g * result ** (1 - ord)
    scaled = sgn(self) * abs(self) ** (ord - 1) if ord < 2 else self * abs(self) ** (ord - 2)
    return scaled * masked_fill(g / result ** (ord - 1), result == 0, 0.0)

linalg_vector_norm = op("linalg_vector_norm.0(self, ord=2, dim=None, keepdim=False)", _wide(_norm),
    check=only_for("f", message="norm_dtype"), self=_norm_derivative)

@method
def norm(input: Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    """(Σ |x|ᵖ)^(1/p) of all elements, or along `dim`; p may be "fro", which is 2."""
    return linalg_vector_norm(input, 2 if p in ("fro", None) else p, _dims(dim), keepdim)

def _var_derivative(g, self, dim, correction, keepdim):
    everything = dim is None or not len(self.shape)
    freedom = _count(self.shape, dim) - (1 if correction is None else correction)
    if len(self.shape) > 1:
        (g,) = _restored(len(self.shape), dim, keepdim, g)
    deviation = self - (mean_all(self) if everything else mean_dim(self, dim, True))
    if everything and freedom <= 0:
        return g * where(deviation == 0, math.nan, math.inf)
    return mul_number(g, 2 / freedom if freedom else math.inf) * deviation

def _var_mean_derivative(grads, self, dim, correction, keepdim):
    of_var = [_var_derivative(g, self, dim, correction, keepdim) for g in grads[:1] if g is not None]
    of_mean = [_spread_evenly(g, tuple(self.shape), dim, keepdim) for g in grads[1:] if g is not None]
    return of_var[0] + of_mean[0] if of_var and of_mean else (of_var or of_mean)[0]

def _moment(name, words, pick, **row):
    """A row of variances and its function, to which a lone boolean is `unbiased`, another way to say `correction`."""
    def kernel(self, dim, correction, keepdim):
        exact = self.astype(np.float64)  # as PyTorch accumulates
        # Of an empty result nothing is free.
        freedom = _count(self.shape, dim) * bool(self.size) - (1 if correction is None else correction)
        if freedom <= 0:
            warnings.warn(str(error("freedom", name)), stacklevel=4)
        # Counted from the first element, so that of equal ones nothing is left, whatever a mean rounds to.
        axes = _axes(dim, self.ndim)
        apart = exact - exact[tuple(slice(0, 1) if axis in axes else slice(None) for axis in range(self.ndim))]
        squares = _sum((apart - _mean(apart, dim, True)) ** 2, dim, keepdim)
        return pick(squares / np.maximum(freedom, 0), _mean(exact, dim, keepdim), d=self.dtype)

    check = only_for("f", name if name == "var_mean" else "std and var", message="var_dtype")
    declared = op(f"{name}.0(self, dim: tuple, correction: float, keepdim=False)", kernel, check=check, **row)

    def choose(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim=False, *, correction: Any = None) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if correction is None and (dim, unbiased) != (None, None):
            correction = int(unbiased is not False)
        return declared(input, _dims(dim), correction, keepdim)

    choose.__name__, choose.__doc__ = name, f"The {words} of all elements, or along `dim`."
    return method(choose)

var = _moment("var", "variance", lambda var, mean, d: var.astype(d), self=_var_derivative)
std = _moment("std", "standard deviation", lambda var, mean, d: np.sqrt(var).astype(d),
    self=lambda g, self, result, dim, correction, keepdim: _var_derivative(
        masked_fill(g / mul_number(result, 2), result == 0, 0.0), self, dim, correction, keepdim))
var_mean = _moment("var_mean", "variance and mean", lambda *both, d: [x.astype(d) for x in both], outputs=(),
    self=_var_mean_derivative)

# Elements chosen: extremes and medians

def _to_choose(name, *refused):
    """The check of what needs an element, and knows no booleans where an error for them is `refused`."""
    def check(self, dim=None, keepdim=False):
        require(not refused or self.dtype.kind != "b", *refused, self)
        require(self.size or dim not in (None, ()), "no_place" if name.startswith("arg") else "no_element", name)
        for d, shown in zip(_axes(dim, self.ndim), _dims(dim) or ()):
            require(self.shape[d], "no_extent", name, shown if name in ("amax", "amin") else d)
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
    """The gradient of elements chosen along a dimension: in zeros, at the places they were taken from."""
    g, indices = _restored(len(self_shape), dim, keepdim, grads[0], indices)
    whole = zeros_beside(g, self_shape)
    if isinstance(g, Tensor):
        return whole.scatter(dim, indices, g)
    np.put_along_axis(np.atleast_1d(whole), np.atleast_1d(indices), g, dim)
    return whole

def _choice(doc, name, numbers, kernel, find, pair=None, check=None):
    """The function that chooses one element of all, or along a dimension, with its place; there the gradient goes."""
    def with_place(self, dim, keepdim):
        row = np.atleast_1d(self)
        places = find(row, axis=dim, keepdims=True)
        found = np.take_along_axis(row, places, dim), places
        return found if keepdim and self.ndim else [x.squeeze(dim) for x in found]

    whole = op(f"{name}.{numbers[0]}(self)", kernel, check=check, self=_shared_by_all)
    refused = ("no_kernel", "median_out") if "median" in name else ()
    along = op(f"{name}.{numbers[1]}(self, dim: int, keepdim=False)", with_place, outputs=("values", "indices"),
        check=_to_choose(name.removeprefix("nan"), *refused), self=to_places)
    return _function(doc, along, whole, pair=pair)

def _extremes(name, ufunc, find):
    """`max` or `min`, and their variants `amax` and `argmax`."""
    doc = f"The {name}imum of all elements; along `dim`, with its place; of pairs."
    kernel, pair = _along(ufunc.reduce), getattr(Tensor, f"{name}imum")
    return (_choice(doc, name, (1, 0), kernel, find, pair, _to_choose(name)),
        op(f"a{name}(self, dim=(), keepdim=False)", kernel, check=_to_choose(f"a{name}"), self=_shared_along),
        op(f"arg{name}(self, dim=None, keepdim=False)", check=_to_choose(f"arg{name}", "no_booleans", f"arg{name}"),
            kernel=lambda self, dim, keepdim: find(self, axis=dim, keepdims=keepdim)))

def _median(name, of_all):
    """`median`; or `nanmedian`, that of numbers only."""
    def find(self, axis, keepdims):
        # In order NaN comes last; of an even number of elements the lower one is chosen.
        count = (~np.isnan(self)).sum(axis, keepdims=True)
        middle = np.where(of_all & (count < self.shape[axis]), count, np.maximum(count - 1, 0) // 2)
        return np.take_along_axis(np.argsort(self, axis, kind="stable"), middle, axis)

    def kernel(self):
        flat = self.reshape(-1)
        return flat[find(flat, 0, True)[0]] if flat.size else np.array(math.nan).astype(self.dtype)

    doc = "The element in the middle of all; along `dim`, with its place."
    return _choice(doc, name, (0, 1), kernel, find, check=only_for("iuf", "median_cpu"))

max, amax, argmax = _extremes("max", np.maximum, np.argmax)
min, amin, argmin = _extremes("min", np.minimum, np.argmin)
median, nanmedian = _median("median", True), _median("nanmedian", False)
# Of bytes PyTorch makes bytes, of all else booleans.
all, any = (op(f"{name}(self, dim=None, keepdim=False)", _along(lambda self, test=test, **axes:
    test.reduce(self, **axes).astype("B" if self.dtype == "B" else "?")))
    for name, test in (("all", np.logical_and), ("any", np.logical_or)))
count_nonzero = op("count_nonzero(self, dim=None)", _along(np.count_nonzero))

def _shifted(self, dim):
    """Beside the largest along `dim`, so that no power overflows."""
    return self - np.maximum.reduce(self, axis=_axes(dim, self.ndim), keepdims=True, initial=-math.inf)

def _soft(signature, kernel, **row):
    """A row along a dimension, the result of which lies in memory in the usual order."""
    name = signature.partition(".")[0]
    def check(self, dim):
        last = "_lastdim" if wrap_dim(dim, self.ndim) >= self.ndim - 1 else ""
        require(self.dtype.kind == "f", "no_kernel", f"{name}{last}_kernel_impl", self)
    return op(signature, _wide(lambda self, dim: np.asarray(kernel(self, dim), order="C")), check=check, **row)

def _logsumexp_derivative(g, self, result, dim, keepdim):
    g, result = _restored(len(self.shape), dim, keepdim, g, result)
    return g * exp(self - result)

logsumexp = op("logsumexp(self, dim: tuple, keepdim=False)", floating=True, self=_logsumexp_derivative,
    kernel=_along(lambda x, **axes: np.logaddexp.reduce(x, dtype=np.float64, **axes).astype(x.dtype)))
softmax_dim = _soft("softmax.0(self, dim: int)", self=lambda g, result, dim: softmax_backward_data(g, result, dim),
    kernel=lambda self, dim: (powers := np.exp(_shifted(self, dim))) / _sum(powers, dim, True))
softmax_backward_data = op("softmax_backward_data(grad_output, y, dim: int)",
    _wide(lambda grad_output, y, dim: y * (grad_output - _sum(grad_output * y, dim, True))),
    grad_output=lambda g, y, dim: softmax_backward_data(g, y, dim), y=lambda g, grad_output, y, dim:
    grad_output * g - sum_dim(y * grad_output, (dim,), True) * g - grad_output * sum_dim(y * g, (dim,), True))
log_softmax_dim = _soft("log_softmax.0(self, dim: int)",
    lambda self, dim: (shifted := _shifted(self, dim)) - np.log(_sum(np.exp(shifted), dim, True)),
    self=lambda g, result, dim: log_softmax_backward_data(g, result, dim))
log_softmax_backward_data = op("log_softmax_backward_data(grad_output, y, dim: int)",
    _wide(lambda grad_output, y, dim: grad_output - np.exp(y) * _sum(grad_output, dim, True)),
    grad_output=lambda g, y, dim: g - sum_dim(g * exp(y), (dim,), True),
    y=lambda g, grad_output, y, dim: -sum_dim(grad_output, (dim,), True) * exp(y) * g)
# Here PyTorch records the cast to another dtype.
_softened = partial(_function, to=lambda tensor, dtype: tensor.to(dtype))
softmax = _softened("exp(x) divided by its sum along `dim`.", softmax_dim)
log_softmax = _softened("The logarithm of `softmax`, also where that underflows.", log_softmax_dim)
