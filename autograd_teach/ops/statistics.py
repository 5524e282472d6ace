"""Reductions with more to them than a sum (products, variances, extremes, soft maxima), and running sums.

Dimensions are as in `reduction.py`. Source of the derivatives: PyTorch's FunctionsManual.cpp, whose steps show in the graph of a
gradient.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..dtypes import of_array
from ..tensor import Tensor, wrap_dim
from .arranging import flip
from .declare import method, op
from .pointwise import div_number, exp, isnan, logical_not, masked_fill, mul_number, to_copy, where, zeros_of
from .reduction import Dims, _count, _dims, _kept, _spread, _wrapped, mean_all, mean_dim, sum_dim
from .shape import cat, reshape, stack, transpose

# Products


def _prod(self: np.ndarray, dim: Any = None, keepdim: bool = False) -> Any:
    d = self.dtype if self.dtype.kind == "f" else np.int64
    return self.prod(axis=_wrapped(dim, self.ndim), keepdims=keepdim, dtype=d)


def _has_zero(x: Any) -> bool:
    return not (x._array if isinstance(x, Tensor) else x).all()


def _others(x: Any) -> Any:
    """For each element along the last dimension, the product of all the others, without a division."""
    shape, n = tuple(x.shape), x.shape[-1]
    if n == 1:
        return zeros_of(x) + 1
    if n % 2:
        x = cat([x, zeros_of(x[..., :1]) + 1], -1)
    even, odd = x[..., 0::2], x[..., 1::2]
    rest = _others(even * odd)
    both = reshape(stack([odd * rest, even * rest], -1), (*shape[:-1], n + n % 2))
    return both[..., :n] if n % 2 else both


def _prod_derivative(g: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    if not len(self.shape):
        return g
    g, result = _kept(g, len(self.shape), dim, keepdim), _kept(result, len(self.shape), dim, keepdim)
    if 0 in self.shape or not _has_zero(self):
        return g * (result / self)
    if dim is None:
        return g * reshape(_others(reshape(self, (-1,))), tuple(self.shape))
    return g * transpose(_others(transpose(self, dim, -1)), dim, -1)


prod_all = op(
    "prod_all(self)",
    _prod,
    node="ProdBackward0",
    method=False,
    self=lambda g, self, result: _prod_derivative(g, self, result, None, False),
)
prod_dim = op(
    "prod_dim(self, dim: int, keepdim=False)",
    _prod,
    node="ProdBackward1",
    method=False,
    self=lambda g, self, result, dim, keepdim: _prod_derivative(g, self, result, dim, keepdim),
)


@method
def prod(self: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all elements, or along `dim`; integers and booleans are multiplied as int64.

    >>> import autograd_teach as torch
    >>> torch.tensor([2.0, 3.0, 4.0]).prod()
    tensor(24.)
    """
    if dtype is not None:
        self = to_copy(self, dtype)
    return prod_all(self) if dim is None else prod_dim(self, dim, keepdim)


# Variances


def _var(self: np.ndarray, dim: Dims, correction: float | None, keepdim: bool, name: str = "var") -> Any:
    if self.dtype.kind != "f":
        raise RuntimeError(
            f"{'std and var' if name in ('std', 'var') else name} only support floating point and complex dtypes"
        )
    axis, freedom = _wrapped(dim, self.ndim), _count(self.shape, dim) - (1 if correction is None else correction)
    if freedom <= 0:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
            "divided by output numel).",
            stacklevel=6,
        )
    # PyTorch accumulates in double.
    exact = self.astype(np.float64, copy=False)
    deviation = exact - exact.mean(axis=axis, keepdims=True)
    total = np.asarray((deviation * deviation).sum(axis=axis, keepdims=keepdim))
    return total / max(freedom, 0)


def _var_derivative(g: Any, self: Any, dim: Dims, correction: float | None, keepdim: bool) -> Any:
    everything = dim is None or not len(self.shape)
    if len(self.shape) > 1:
        g = _kept(g, len(self.shape), dim, keepdim)
    deviation = self - (mean_all(self) if everything else mean_dim(self, dim, True))
    freedom = _count(self.shape, dim) - (1 if correction is None else correction)
    if everything and freedom <= 0:
        return g * where(deviation == 0, math.nan, math.inf)
    return mul_number(g, 2 / freedom if freedom else math.inf) * deviation


def _std_derivative(g: Any, self: Any, result: Any, dim: Dims, correction: float | None, keepdim: bool) -> Any:
    g = masked_fill(g / mul_number(result, 2), result == 0, 0.0)
    return _var_derivative(g, self, dim, correction, keepdim)


def _mean_derivative(g: Any, self: Any, dim: Dims, keepdim: bool) -> Any:
    return div_number(_spread(g, self.shape, dim, keepdim), _count(self.shape, dim))


def _sum_of(first: Any, second: Any) -> Any:
    return second if first is None else first if second is None else first + second


var_op = op(
    "var_op(self, dim: Dims, correction: float, keepdim=False)",
    lambda self, dim, correction, keepdim: _var(self, dim, correction, keepdim).astype(self.dtype),
    node="VarBackward0",
    method=False,
    self=lambda g, self, dim, correction, keepdim: _var_derivative(g, self, dim, correction, keepdim),
)
std_op = op(
    "std_op(self, dim: Dims, correction: float, keepdim=False)",
    lambda self, dim, correction, keepdim: np.sqrt(_var(self, dim, correction, keepdim, "std")).astype(self.dtype),
    node="StdBackward0",
    method=False,
    self=lambda g, self, result, dim, correction, keepdim: _std_derivative(g, self, result, dim, correction, keepdim),
)
var_mean_op = op(
    "var_mean_op(self, dim: Dims, correction: float, keepdim=False)",
    lambda self, dim, correction, keepdim: (
        _var(self, dim, correction, keepdim, "var_mean").astype(self.dtype),
        self.mean(axis=_wrapped(dim, self.ndim), keepdims=keepdim),
    ),
    node="VarMeanBackward0",
    outputs=("result0", "result1"),
    method=False,
    self=lambda grads, self, dim, correction, keepdim: _sum_of(
        None if grads[0] is None else _var_derivative(grads[0], self, dim, correction, keepdim),
        None if grads[1] is None else _mean_derivative(grads[1], self, dim, keepdim),
    ),
)
std_mean_op = op(
    "std_mean_op(self, dim: Dims, correction: float, keepdim=False)",
    lambda self, dim, correction, keepdim: (
        np.sqrt(_var(self, dim, correction, keepdim, "std_mean")).astype(self.dtype),
        self.mean(axis=_wrapped(dim, self.ndim), keepdims=keepdim),
    ),
    node="StdMeanBackward0",
    outputs=("result0", "result1"),
    method=False,
    self=lambda grads, self, result0, dim, correction, keepdim: _sum_of(
        None if grads[0] is None else _std_derivative(grads[0], self, result0, dim, correction, keepdim),
        None if grads[1] is None else _mean_derivative(grads[1], self, dim, keepdim),
    ),
)


def _spreading(operation: Any, self: Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    """A row of variances called as PyTorch's are: `unbiased`, or `correction`, and a lone boolean means `unbiased`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None and not (dim is None and unbiased is None):
        correction = 1 if unbiased is None or unbiased else 0
    return operation(self, _dims(dim), correction, keepdim)


@method
def var(
    self: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The variance of all elements, or along `dim`: the squared deviations divided by their number less `correction` (1).

    >>> import autograd_teach as torch
    >>> torch.tensor([1.0, 3.0]).var(), torch.tensor([1.0, 3.0]).var(correction=0)
    (tensor(2.), tensor(1.))
    """
    return _spreading(var_op, self, dim, unbiased, keepdim, correction)


@method
def std(
    self: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The square root of the variance; arguments as those of `var`."""
    return _spreading(std_op, self, dim, unbiased, keepdim, correction)


def var_mean(
    self: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """The variance and the mean; arguments as those of `var`."""
    return tuple(_spreading(var_mean_op, self, dim, unbiased, keepdim, correction))  # type: ignore[return-value]  # two results


def std_mean(
    self: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean; arguments as those of `var`."""
    return tuple(_spreading(std_mean_op, self, dim, unbiased, keepdim, correction))  # type: ignore[return-value]  # two results


# Extremes: elements that are equal to one share its gradient evenly


def _extreme_along(self: np.ndarray, dim: Dims, keepdim: bool, name: str) -> Any:
    axis = _wrapped(dim, self.ndim)
    if not self.size:
        if dim in (None, ()):
            raise RuntimeError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
                "'dim' argument."
            )
        for d in axis:
            if not self.shape[d]:
                raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    return getattr(self, name[1:])(axis=axis, keepdims=keepdim)


def _extreme_derivative(g: Any, self: Any, result: Any, dim: Dims, keepdim: bool) -> Any:
    dims = _wrapped(dim, len(self.shape))
    if not keepdim:
        shape = tuple(1 if i in dims else n for i, n in enumerate(self.shape))
        g, result = reshape(g, shape), reshape(result, shape)
    mask = self == result
    return g / sum_dim(mask, dims, True) * mask


amax = op(
    "amax(self, dim=(), keepdim=False)",
    lambda self, dim=(), keepdim=False: _extreme_along(self, dim, keepdim, "amax"),
    self=lambda g, self, result, dim, keepdim: _extreme_derivative(g, self, result, dim, keepdim),
)
amin = op(
    "amin(self, dim=(), keepdim=False)",
    lambda self, dim=(), keepdim=False: _extreme_along(self, dim, keepdim, "amin"),
    self=lambda g, self, result, dim, keepdim: _extreme_derivative(g, self, result, dim, keepdim),
)

# Soft maxima


def _logsumexp(self: np.ndarray, dim: Any, keepdim: bool = False) -> Any:
    axis = _wrapped(dim, self.ndim)
    top = self.max(axis=axis, keepdims=True) if self.size else np.zeros((), self.dtype)
    # An infinite maximum would make NaN of inf - inf.
    top = np.where(np.isfinite(top), top, self.dtype.type(0))
    total = np.log(np.exp(self - top).sum(axis=axis, keepdims=True)) + top
    return total if keepdim else total.squeeze(axis)


logsumexp = op(
    "logsumexp(self, dim: Dims, keepdim=False)",
    _logsumexp,
    floating=True,
    self=lambda g, self, result, dim, keepdim: (
        _kept(g, len(self.shape), dim, keepdim) * exp(self - _kept(result, len(self.shape), dim, keepdim))
    ),
)


def _softmax(self: np.ndarray, dim: int, log: bool = False) -> Any:
    name = "log_softmax" if log else "softmax"
    if not isinstance(dim, int):
        raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
    if self.dtype.kind != "f":
        raise NotImplementedError(
            f"\"{name}_lastdim_kernel_impl\" not implemented for '{of_array(self).tensor_type[6:-6]}'"
        )
    axis = _wrapped(dim, self.ndim)
    if not self.size:
        return self.copy()
    # Halves are too coarse to be summed.
    exact = self.astype(np.float32) if self.dtype == np.float16 else self
    shifted = exact - exact.max(axis=axis, keepdims=True)
    powers = np.exp(shifted)
    total = powers.sum(axis=axis, keepdims=True)
    result = shifted - np.log(total) if log else powers / total
    return result.astype(self.dtype, copy=False)


def _sum_along(self: np.ndarray, dim: int) -> np.ndarray:
    return self.sum(axis=_wrapped(dim, self.ndim), keepdims=True)


def _softmax_double_backward(g: Any, grad_output: Any, y: Any, dim: int) -> Any:
    inner = grad_output * g - sum_dim(y * grad_output, (dim,), True) * g
    return inner - grad_output * sum_dim(y * g, (dim,), True)


softmax_op = op(
    "softmax_op(self, dim: int)",
    _softmax,
    node="SoftmaxBackward0",
    method=False,
    self=lambda g, result, dim: softmax_backward_data(g, result, dim),
)
softmax_backward_data = op(
    "softmax_backward_data(grad_output, y, dim: int)",
    lambda grad_output, y, dim: y * (grad_output - _sum_along(grad_output * y, dim)),
    node="SoftmaxBackwardDataBackward0",
    method=False,
    grad_output=lambda g, y, dim: softmax_backward_data(g, y, dim),
    y=lambda g, grad_output, y, dim: _softmax_double_backward(g, grad_output, y, dim),
)
log_softmax_op = op(
    "log_softmax_op(self, dim: int)",
    lambda self, dim: _softmax(self, dim, log=True),
    node="LogSoftmaxBackward0",
    method=False,
    self=lambda g, result, dim: log_softmax_backward_data(g, result, dim),
)
log_softmax_backward_data = op(
    "log_softmax_backward_data(grad_output, y, dim: int)",
    lambda grad_output, y, dim: grad_output - np.exp(y) * _sum_along(grad_output, dim),
    node="LogSoftmaxBackwardDataBackward0",
    method=False,
    grad_output=lambda g, y, dim: g - sum_dim(g * exp(y), (dim,), True),
    y=lambda g, grad_output, y, dim: -sum_dim(grad_output, (dim,), True) * exp(y) * g,
)


@method
def softmax(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """exp(x) divided by its sum along `dim`.

    >>> import autograd_teach as torch
    >>> torch.tensor([0.0, 0.0]).softmax(0)
    tensor([0.5000, 0.5000])
    """
    return softmax_op(self if dtype is None else to_copy(self, dtype), dim)


@method
def log_softmax(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, also where that underflows."""
    return log_softmax_op(self if dtype is None else to_copy(self, dtype), dim)


# Running sums, and sums without NaN


def _cumsum(self: np.ndarray, dim: int) -> Any:
    d = self.dtype if self.dtype.kind == "f" else np.int64
    dim = wrap_dim(dim, self.ndim)
    return self.cumsum(axis=dim, dtype=d) if self.ndim else self.astype(d)


def _cumsum_derivative(g: Any, dim: int) -> Any:
    shape = g.shape
    return g if math.prod(shape) <= 1 or shape[dim] == 1 else flip(cumsum_op(flip(g, (dim,)), dim), (dim,))


cumsum_op = op(
    "cumsum_op(self, dim: int)",
    _cumsum,
    node="CumsumBackward0",
    method=False,
    self=lambda g, dim: _cumsum_derivative(g, dim),
)


@method
def cumsum(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The sums of the first 1, 2, ... elements along `dim`."""
    return cumsum_op(self if dtype is None else to_copy(self, dtype), dim)


def _nansum(self: np.ndarray, dim: Dims, keepdim: bool) -> Any:
    d = self.dtype if self.dtype.kind == "f" else np.int64
    return np.where(np.isnan(self), self.dtype.type(0), self).sum(
        axis=_wrapped(dim, self.ndim), keepdims=keepdim, dtype=d
    )


nansum = op(
    "nansum(self, dim=None, keepdim=False)",
    lambda self, dim=None, keepdim=False: _nansum(self, dim, keepdim),
    self=lambda g, self, dim, keepdim: _spread(g, self.shape, dim, keepdim) * logical_not(isnan(self)),
)
