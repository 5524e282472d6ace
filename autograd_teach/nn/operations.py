"""The operations that only `torch.nn` has, for its activations, losses and layers: rows, see `ops/operation.py`.

`functional.py` checks and prepares their arguments. Source of the derivatives: calculus, in the
form of PyTorch's FunctionsManual.cpp, so graphs of gradients show the same steps. Formulas use
`mul_number` and the like for numbers: these record one edge, a user's computation two.
"""

# Imported names are packed into full lines.
# ruff: noqa: I001

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..creation import ones_like
from ..dtypes import title
from ..errors import error, require
from ..ops.operation import OPERATIONS, op
from ..ops.pointwise import (
    add_number, div_number, error_function, exp, in_single, log, masked_fill, mul_number, only_for, rsqrt, sigmoid,
    tanh, to_copy, zeros_of,
)  # fmt: skip
from ..ops.reduction import mean_dim, sum_dim, sum_to_size
from ..ops.shape import constant, reshape, unsqueeze
from ..ops.vocabulary import on_arrays

# fmt: off

def _row(kernel: Callable[..., Any], *, floats: str = "", **options: Any) -> Callable[..., Any]:
    """A row without a method; `floats` is the name of PyTorch's kernel if it does not accept integers."""
    if floats:
        options["check"] = only_for("f", floats)
    return op(in_single(kernel), method=False, **options)

@on_arrays(lambda x: 1 - x)
def _one_minus(x):
    return ones_like(x) - x

# Piecewise linear activations

def _leaky_relu_backward(grad_output, self, negative_slope):
    return np.where(self > 0, grad_output, grad_output * negative_slope)

@_row(_leaky_relu_backward,
    grad_output=lambda g, self, negative_slope: leaky_relu_backward(g, self, negative_slope),
    self=lambda g, self: zeros_of(g))  # PyTorch saves it for this too
def leaky_relu_backward(grad_output, self, negative_slope: float): ...
@_row(lambda self, negative_slope: np.where(self > 0, self, self * negative_slope), floats="leaky_relu_cpu",
    self=lambda g, self, negative_slope: leaky_relu_backward(g, self, negative_slope))
def leaky_relu(self, negative_slope=0.01): ...
# In place, the gradient can only be computed from the result, so this form has a node of its own.
def _input_by_sign(result, slope, message):
    """A result that has the sign of the input; RuntimeError if the slope below 0 was negative."""
    require(slope >= 0, message)
    return result

@_row(lambda self, negative_slope: np.where(self > 0, self, self * negative_slope), overload="leaky_relu.1",
    floats="leaky_relu_cpu", self=lambda g, result, negative_slope: leaky_relu_backward(g,
        _input_by_sign(result, negative_slope, "nn_in_place_leaky_relu"), negative_slope))
def leaky_relu_in_place(self, negative_slope=0.01): ...

def _no_booleans(self, min_val, max_val):
    require(self.dtype.kind != "b", "nn_bool_hardtanh")

@_row(lambda grad_output, self, min_val, max_val: np.where((self <= min_val) | (self >= max_val), 0, grad_output),
    grad_output=lambda g, self, min_val, max_val: hardtanh_backward(g, self, min_val, max_val),
    self=lambda g, self: zeros_of(g))  # PyTorch saves it for this too
def hardtanh_backward(grad_output, self, min_val: float, max_val: float): ...
@_row(lambda self, min_val, max_val: np.clip(self, self.dtype.type(min_val), self.dtype.type(max_val)),
    check=_no_booleans, self=lambda g, self, min_val, max_val: hardtanh_backward(g, self, min_val, max_val))
def hardtanh(self, min_val=-1.0, max_val=1.0): ...

# Exponential linear units: `scale * x` above 0, `scale * alpha * (exp(input_scale * x) - 1)` below

def _elu(self, alpha, scale=1.0, input_scale=1.0):
    return np.where(self < 0, np.expm1(self * input_scale) * (alpha * scale), self * scale)

def _elu_backward(grad_output, x, alpha, scale, input_scale, is_result):
    below = x + alpha * scale if is_result else np.exp(x * input_scale) * (alpha * scale)
    return np.where(x <= 0, grad_output * input_scale * below, grad_output * scale)

def _elu_bend(g, x, alpha, scale, input_scale, is_result):
    slope = g if is_result else elu_backward(g, x, alpha, scale, input_scale, False)
    return slope * to_copy(x < 0, g.dtype)

@_row(_elu_backward,
    grad_output=lambda g, x, alpha, scale, input_scale, is_result: elu_backward(g, x, alpha, scale, input_scale,
        is_result),
    x=lambda g, grad_output, x, alpha, scale, input_scale, is_result: _elu_bend(mul_number(g * grad_output,
        input_scale), x, alpha, scale, input_scale, is_result))
def elu_backward(grad_output, x, alpha: float, scale: float, input_scale: float, is_result: bool): ...
@_row(_elu, floats="elu_cpu",
    self=lambda g, self, alpha, scale, input_scale: elu_backward(g, self, alpha, scale, input_scale, False))
def elu(self, alpha=1.0, scale=1.0, input_scale=1.0): ...
@_row(_elu, overload="elu.1", floats="elu_cpu",
    self=lambda g, result, alpha, scale, input_scale: elu_backward(g,
        _input_by_sign(result, alpha * scale, "nn_in_place_elu"), alpha, scale, input_scale, True))
def elu_in_place(self, alpha=1.0, scale=1.0, input_scale=1.0): ...

def _slope_of_celu(alpha):
    """1 / alpha with alpha in single precision, as in PyTorch's gradient."""
    return 1 / float(np.float32(alpha))

@_row(lambda self, alpha: _elu(self, alpha, 1.0, 1 / alpha), floats="elu_cpu",
    self=lambda g, self, alpha: elu_backward(g, self, alpha, 1.0, _slope_of_celu(alpha), False))
def celu(self, alpha=1.0): ...
@_row(lambda self, alpha: _elu(self, alpha, 1.0, 1 / alpha), overload="celu.1", floats="elu_cpu",
    self=lambda g, result, alpha: elu_backward(g, _input_by_sign(result, alpha, "nn_in_place_elu"), alpha, 1.0,
        _slope_of_celu(alpha), True))
def celu_in_place(self, alpha=1.0): ...

# Smooth activations

@_row(lambda self: self / (1 + np.exp(-self)), floats="silu_cpu",
    self=lambda g, self: g * (s := sigmoid(self)) * add_number(self * _one_minus(s), 1))
def silu(self): ...

def _softplus(self, beta, threshold):
    scaled = self * beta
    return np.where(scaled > threshold, self, np.log1p(np.exp(scaled)) / beta)

def _softplus_backward(grad_output, self, beta, threshold):
    z = np.exp(self * beta)
    return np.where(self * beta > threshold, grad_output, grad_output * z / (z + 1))

@_row(_softplus_backward, grad_output=lambda g, self, beta, threshold: softplus_backward(g, self, beta, threshold),
    self=lambda g, grad_output, self, beta, threshold: mul_number(g * grad_output * (s := sigmoid(mul_number(self,
        beta))) * _one_minus(s) * to_copy(self * beta < threshold, g.dtype), beta))
def softplus_backward(grad_output, self, beta: float, threshold: float): ...
@_row(_softplus, floats="softplus_cpu",
    self=lambda g, self, beta, threshold: softplus_backward(g, self, beta, threshold))
def softplus(self, beta=1.0, threshold=20.0): ...

def _log_sigmoid(self):
    return np.minimum(self, 0) - np.log1p(np.exp(-np.absolute(self)))

def _log_sigmoid_backward(grad_output, self):
    z = np.exp(-np.absolute(self))
    return np.where(self < 0, 1 - z / (1 + z), z / (1 + z)) * grad_output

@_row(_log_sigmoid_backward, grad_output=lambda g, self: log_sigmoid_backward(g, self),
    self=lambda g, grad_output, self: g * grad_output * add_number(s := sigmoid(self), -1) * s)
def log_sigmoid_backward(grad_output, self): ...
@_row(_log_sigmoid, floats="log_sigmoid_cpu", self=lambda g, self: log_sigmoid_backward(g, self))
def log_sigmoid(self): ...

# GELU: `x` times the probability that a standard normal variable is below it (Hendrycks and Gimpel,
# 2016), or an approximation of it by the tanh of `√(2 / π) (x + 0.044715 x³)`

_PEAK = 1 / math.sqrt(2 * math.pi)  # maximum of the normal density
_SLOPE, _CUBIC = math.sqrt(2 / math.pi), 0.044715

def _chance_below(x):
    return (1 + error_function(np.asarray(x * math.sqrt(0.5)))) / 2

def _gelu(self, approximate):
    if approximate == "none":
        return self * _chance_below(self)
    return self / 2 * (1 + np.tanh(_SLOPE * (self + _CUBIC * self * self * self)))

def _gelu_backward(grad_output, self, approximate):
    if approximate == "none":
        return grad_output * (_chance_below(self) + self * (np.exp(self * self * -0.5) * _PEAK))
    t = np.tanh(_SLOPE * (self + _CUBIC * self * self * self))
    steepness = (1 - t * t) * (_SLOPE * (1 + 3 * _CUBIC * self * self))
    return grad_output * ((1 + t) / 2 + self / 2 * steepness)

def _second_derivative_by_tanh(x, t):
    """The second derivative of the approximation; `t` is its tanh."""
    inner, steepness = mul_number(add_number(mul_number(x * x, 3 * _CUBIC), 1), _SLOPE), _one_minus(t * t)
    # Far from 0 the steepness is 0. Multiplying by it first prevents an overflow.
    bend = mul_number(steepness * x, 6 * _SLOPE * _CUBIC) - mul_number(t * (steepness * inner) * inner, 2)
    return steepness * inner + mul_number(x, 0.5) * bend

@_row(_gelu_backward, grad_output=lambda g, self, approximate: gelu_backward(g, self, approximate),
    self=lambda g, grad_output, self, approximate: (g * grad_output * (mul_number(density :=
        mul_number(exp(mul_number(self * self, -0.5)), _PEAK), 2) - self * self * density) if approximate == "none"
        else g * grad_output * _second_derivative_by_tanh(self, tanh(mul_number(self + mul_number(self * self *
        self, _CUBIC), _SLOPE)))))
def gelu_backward(grad_output, self, approximate: str): ...
@_row(_gelu, floats="GeluKernelImpl", self=lambda g, self, approximate: gelu_backward(g, self, approximate))
def gelu(self, approximate: str): ...

# Losses: one value per pair of elements, or the mean or sum of them

# PyTorch's numbers of the reductions; a node shows the number.
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}

def _reduced(values, reduction):
    if reduction == 0:
        return values
    total = values.sum()
    return total / values.dtype.type(values.size) if reduction == 1 else total

def _averaged_array(x, shape, reduction):
    return x / math.prod(shape) if reduction == 1 else x

@on_arrays(_averaged_array)
def _averaged(x, shape, reduction):
    """`x` divided by the number of elements, if the loss is their mean."""
    return div_number(x, math.prod(shape)) if reduction == 1 else x

@_row(lambda grad_output, self, target, reduction: (_averaged_array(grad_output, self.shape, reduction) * ((self -
        target) * 2) if self.size else self - target).astype(self.dtype, copy=False),
    grad_output=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    self=lambda g, grad_output, self, reduction: _averaged(mul_number(g * grad_output, 2), self.shape, reduction),
    target=lambda g, grad_output, self, reduction: -_averaged(mul_number(g * grad_output, 2), self.shape,
        reduction))
def mse_loss_backward(grad_output, self, target, reduction: int): ...
@_row(lambda self, target, reduction: _reduced((self - target) ** 2, reduction), floats="mse_cpu", promote=True,
    self=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    target=lambda g, self, target, reduction: mse_loss_backward(g, target, self, reduction))
def mse_loss(self, target, reduction: int): ...

def _in_dtype_of_first(self, target):
    require(target.dtype.kind != "f" or self.dtype.kind == "f", "nn_result_cast", target, self)
    return self, target.astype(self.dtype)

def _huber(self, target, reduction, delta):
    z = np.absolute(self - target)
    return _reduced(np.where(z <= delta, z * z * 0.5, (z - 0.5 * delta) * delta), reduction)

def _huber_backward(grad_output, self, target, reduction, delta):
    return _averaged_array(np.clip(self - target, -delta, delta) * grad_output, self.shape, reduction)

def _bent(g, grad_output, self, target, width, reduction, divisor=None):
    """The gradient of the loss's slope: zero, except where `self` is within `width` of `target`."""
    gradient = g * grad_output * to_copy(abs(self - target) < width, g.dtype)
    return _averaged(gradient if divisor is None else div_number(gradient, divisor), self.shape, reduction)

@_row(_huber_backward,
    grad_output=lambda g, self, target, reduction, delta: huber_loss_backward(g, self, target, reduction, delta),
    self=lambda g, grad_output, self, target, reduction, delta: _bent(g, grad_output, self, target, delta, reduction),
    target=lambda g, grad_output, self, target, reduction, delta: (
        -_bent(g, grad_output, self, target, delta, reduction)))
def huber_loss_backward(grad_output, self, target, reduction: int, delta: float): ...
@_row(_huber, floats="huber_cpu", promote=_in_dtype_of_first,
    self=lambda g, self, target, reduction, delta: huber_loss_backward(g, self, target, reduction, delta),
    target=lambda g, self, target, reduction, delta: huber_loss_backward(g, target, self, reduction, delta))
def huber_loss(self, target, reduction: int, delta: float): ...

def _smooth_l1(self, target, reduction, beta):
    z = np.absolute(self - target)
    return _reduced(np.where(z < beta, z * z * 0.5 / beta, z - 0.5 * beta), reduction)

def _smooth_l1_backward(grad_output, self, target, reduction, beta):
    share = _averaged_array(grad_output, self.shape, reduction)
    x = self - target
    return np.where(np.absolute(x) < beta, share * x / beta, share * np.sign(x))

@_row(_smooth_l1_backward,
    grad_output=lambda g, self, target, reduction, beta: smooth_l1_loss_backward(g, self, target, reduction, beta),
    self=lambda g, grad_output, self, target, reduction, beta: (
        _bent(g, grad_output, self, target, beta, reduction, divisor=beta)),
    target=lambda g, grad_output, self, target, reduction, beta: (
        -_bent(g, grad_output, self, target, beta, reduction, divisor=beta)))
def smooth_l1_loss_backward(grad_output, self, target, reduction: int, beta: float): ...
@_row(_smooth_l1, floats="smooth_l1_cpu", promote=True,
    self=lambda g, self, target, reduction, beta: smooth_l1_loss_backward(g, self, target, reduction, beta),
    target=lambda g, self, target, reduction, beta: smooth_l1_loss_backward(g, target, self, reduction, beta))
def smooth_l1_loss(self, target, reduction: int, beta: float): ...

# Losses of probabilities. As in PyTorch, weights do not have a gradient; None stands for ones

def _weighted_array(x, weight):
    return x if weight is None else x * weight._array

@on_arrays(_weighted_array)
def _weighted(x, weight):
    """`x` times the weights, a tensor or None."""
    return x if weight is None else x * weight

def _check_probabilities(self, target, weight, reduction):
    require(target.dtype == self.dtype, "nn_found_dtype", target, self)
    require(self.dtype.kind == "f", "no_kernel", "binary_cross_entropy", self)
    for name, values in (("input", self), ("target", target)):
        require(((values >= 0) & (values <= 1)).all(), "nn_no_probabilities", name)

def _binary_cross_entropy(self, target, weight, reduction):
    # log(0) counts as -100; otherwise one answer that is certain and wrong would make the loss
    # infinite.
    losses = (target - 1) * np.maximum(np.log1p(-self), -100) - target * np.maximum(np.log(self), -100)
    return _reduced(_weighted_array(losses, weight), reduction)

_EPSILON = 1e-12

def _binary_cross_entropy_backward(grad_output, self, target, weight, reduction):
    slope = grad_output * (self - target) / np.maximum((1 - self) * self, _EPSILON)
    return _averaged_array(_weighted_array(slope, weight), self.shape, reduction)

def _away_from_zero(self):
    """`self * (1 - self)` for a division by it."""
    return add_number(self, _EPSILON) * add_number(_one_minus(self), _EPSILON)

def _binary_cross_entropy_bend(self, target):
    inside, outside = add_number(self, _EPSILON), add_number(_one_minus(self), _EPSILON)
    return (self * self - mul_number(self, 2) * target + target) / (inside**2 * outside**2)

@_row(_binary_cross_entropy_backward,
    grad_output=lambda g, self, target, weight, reduction: _averaged(_weighted((self - target) /
        _away_from_zero(self) * g, weight), self.shape, reduction),
    self=lambda g, grad_output, self, target, weight, reduction:
        _averaged(_weighted(_binary_cross_entropy_bend(self, target) * (g * grad_output), weight), self.shape,
        reduction),
    target=lambda g, grad_output, self, weight, reduction: _averaged(_weighted(-g * grad_output / (_one_minus(self)
        * self), weight), self.shape, reduction))
def binary_cross_entropy_backward(grad_output, self, target, weight: object, reduction: int): ...
@_row(_binary_cross_entropy, check=_check_probabilities,
    self=lambda g, self, target, weight, reduction: binary_cross_entropy_backward(g, self, target, weight,
        reduction),
    target=lambda g, self, weight, reduction: _averaged(_weighted(log(_one_minus(self)) - log(self), weight) * g,
        self.shape, reduction))
def binary_cross_entropy(self, target, weight: object, reduction: int): ...

def _with_logits(self, target, weight, pos_weight, reduction):
    likelihood = _log_sigmoid(self)
    if pos_weight is not None:
        likelihood = ((pos_weight._array - 1) * target + 1) * likelihood
    losses = _weighted_array((1 - target) * self - likelihood, weight)
    require(losses.shape == self.shape, "write_of_shape", self.shape, losses.shape)
    return _reduced(losses, reduction)

def _logits_slope(chance, target, pos_weight):
    if pos_weight is None:
        return chance - target
    positive = _weighted(target, pos_weight)
    return (add_number(positive, 1) - target) * chance - positive

@_row(_with_logits, floats="log_sigmoid_cpu",
    self=lambda g, self, target, weight, pos_weight, reduction: _averaged(_weighted(_logits_slope(sigmoid(self),
        target, pos_weight) * g, weight), self.shape, reduction),
    target=lambda g, self, weight, pos_weight, reduction: _averaged(_weighted(-self * g if pos_weight is None else
        (log_sigmoid(-self) - _weighted(log_sigmoid(self), pos_weight)) * g, weight), self.shape, reduction))
def binary_cross_entropy_with_logits(self, target, weight: object, pos_weight: object, reduction: int): ...

# The negative log-likelihood of the right classes: `self` is (classes,), (N, classes) or (N,
# classes, ...), `target` lacks the dimension of the classes. The second result is the sum of the
# weights of targets that are not ignored; a mean divides by it

def _check_classes(self, target, weight, reduction, ignore_index):
    if self.dtype.kind != "f":
        raise error("no_kernel", "nll_loss_out_frame", title(self))
    if target.dtype not in (np.int64, np.uint8):
        raise error("nn_class_dtype", title(target))
    classes = self.shape[0 if self.ndim == 1 else 1]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise error("nn_class_weights", classes, list(weight.shape))
    if weight is not None and weight._array.dtype != self.dtype:
        raise error("nn_scalar_type", title(self), title(weight._array))
    # As an unsigned integer, a negative number is a large one.
    if not np.count_nonzero(target.view(target.dtype.char.upper()) >= classes):
        return
    wrong = target[(target != ignore_index) & ((target < 0) | (target >= classes))]
    if wrong.size:
        raise error("nn_class_bounds", wrong[0])

def _places(self, target, weight, ignore_index):
    """For each target, with dimension 1 kept: the index of its class along it, its weight, and whether it counts."""
    target = np.expand_dims(target, 1)
    counts = target != ignore_index
    place = np.where(counts, target, 0).astype(np.int64)
    weights = np.ones_like(place, self.dtype) if weight is None else weight._array[place].astype(self.dtype)
    return place, np.where(counts, weights, 0), counts

def _each_counts(self, target, weight, ignore_index):
    """Whether each row has one class, without weights and ignored targets: then row numbers are sufficient indices."""
    return self.ndim == 2 and weight is None and self.dtype.char in "fd" and not np.count_nonzero(target == ignore_index)

def _nll_loss(self, target, weight, reduction, ignore_index):
    if _each_counts(self, target, weight, ignore_index):
        rows = len(target)
        losses, total = -self[np.arange(rows), target], self.dtype.type(rows)
        if reduction:
            losses = np.add.reduce(losses) / total if reduction == 1 else np.add.reduce(losses)
        return losses, total
    if self.ndim == 1:
        self, target = self[None], target.reshape(1)
        losses, total = _nll_loss(self, target, weight, reduction, ignore_index)
        return losses.reshape(()), total
    place, weights, counts = _places(self, target, weight, ignore_index)
    losses = np.where(counts, np.take_along_axis(self, place, 1) * -weights, 0).squeeze(1)
    total = weights.sum()
    if reduction:
        losses = losses.sum() / total if reduction == 1 else losses.sum()
    return losses, total

def _nll_loss_backward(grad_output, self, target, total_weight, weight, reduction, ignore_index):
    if _each_counts(self, target, weight, ignore_index):
        gradient = np.zeros(self.shape, self.dtype)
        gradient[np.arange(len(target)), target] = -(grad_output / total_weight if reduction == 1 else grad_output)
        return gradient
    if self.ndim == 1:
        grad_output = grad_output.reshape(1) if reduction == 0 else grad_output
        rest = target.reshape(1), total_weight, weight, reduction, ignore_index
        return _nll_loss_backward(grad_output, self[None], *rest)[0]
    place, weights, counts = _places(self, target, weight, ignore_index)
    share = np.expand_dims(grad_output, 1) if reduction == 0 else grad_output
    share = share / total_weight if reduction == 1 else share
    gradient = np.zeros_like(self)
    np.put_along_axis(gradient, place, np.where(counts, -share * weights, 0), 1)
    return gradient

_nll = partial(op, method=False, outputs=("output", "total_weight"), check=_check_classes)

@op(_nll_loss_backward, method=False,
    grad_output=lambda g, target, weight, reduction, ignore_index: nll_loss(g, target, weight, reduction,
        ignore_index)[0], self=lambda g: zeros_of(g))
def nll_loss_backward(grad_output, self, target, total_weight, weight: object, reduction: int, ignore_index: int): ...
@_nll(_nll_loss,
    self=lambda grads, self, target, total_weight, weight, reduction, ignore_index: nll_loss_backward(grads[0],
        self, target, total_weight, weight, reduction, ignore_index))
def nll_loss(self, target, weight: object, reduction: int, ignore_index: int): ...
# PyTorch's own rows for images, of dimensions (N, classes, height, width).
@op(_nll_loss_backward, node="NllLoss2DBackwardBackward0", method=False,
    grad_output=lambda g, target, weight, reduction, ignore_index: nll_loss2d(g, target, weight, reduction,
        ignore_index)[0], self=lambda g: zeros_of(g))
def nll_loss2d_backward(grad_output, self, target, total_weight, weight: object, reduction: int, ignore_index: int): ...
@_nll(_nll_loss, node="NllLoss2DBackward0",
    self=lambda grads, self, target, total_weight, weight, reduction, ignore_index: nll_loss2d_backward(grads[0],
        self, target, total_weight, weight, reduction, ignore_index))
def nll_loss2d(self, target, weight: object, reduction: int, ignore_index: int): ...

# Distances: as `linalg_vector_norm`, with a node of its own

_vector_norm = OPERATIONS["linalg_vector_norm.0"]
_norm_formulas: Any = _vector_norm.formulas
@op(_vector_norm.kernel, overload="norm.1", check=_vector_norm.check, **_norm_formulas)
def norm_along(self, ord: float, dim: tuple, keepdim: bool): ...

# Embeddings: rows of a matrix, looked up by their numbers

def _check_embedding(weight, indices, padding_idx):
    require(weight.ndim == 2, "nn_embedding_weight")
    require(indices.dtype in (np.int64, np.int32), "nn_embedding_indices", f"torch.{title(indices)}Tensor")
    require(((indices >= 0) & (indices < len(weight))).all(), "index_select_first_bounds")

def _embedding_backward(grad_output, indices, num_weights, padding_idx):
    rows, gradients = indices.reshape(-1), grad_output.reshape(indices.size, grad_output.shape[-1])
    total = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    np.add.at(total, rows[rows != padding_idx], gradients[rows != padding_idx])
    return total

@op(_embedding_backward, method=False, grad_output=lambda g, indices, padding_idx: masked_fill(
    embedding(g, indices, -1), unsqueeze(indices == padding_idx, -1), 0.0))
def embedding_dense_backward(grad_output, indices, num_weights: int, padding_idx: int): ...
@op(lambda weight, indices, padding_idx: weight[indices], method=False, check=_check_embedding,
    weight=lambda g, indices, padding_idx, weight_shape: embedding_dense_backward(g, indices, weight_shape[0],
        padding_idx))
def embedding(weight, indices, padding_idx: int): ...

# Normalization removes the mean and the spread of a group of elements. PyTorch's graph of a
# gradient shows one node, ours shows the steps.

def _moments(x, axes, eps):
    """The mean, the reciprocal of the spread, and the variance of each group, in double."""
    count = max(math.prod(x.shape[axis] for axis in axes), 1)
    mean = x.sum(axes, np.float64, keepdims=True) / count
    variance = np.square(x - mean).sum(axes, keepdims=True) / count
    return mean, 1 / np.sqrt(variance + eps), variance

@on_arrays(lambda x, mean, scale, axes, eps: ((x - mean) * scale, scale))
def _normalized(x, mean, scale, axes, eps):
    """The normalized elements and the scale; on tensors, they are computed again as functions of `x`."""
    centred = x - mean_dim(x, axes, True)
    scale = rsqrt(add_number(mean_dim(centred * centred, axes, True), eps))
    return centred * scale, scale

def _through_moments(g, normalized, axes):
    """The gradient of a normalization's input from that of its result, `g`: the moments depend on each element."""
    normal, scale = normalized
    return scale * (g - mean_dim(g, axes, True) - normal * mean_dim(g * normal, axes, True))

def _last(input, shape):
    return tuple(range(len(input.shape) - len(shape), len(input.shape)))

def _layer_norm(input, weight, bias, normalized_shape, eps):
    single = np.promote_types(input.dtype, np.float32)
    mean, scale, _ = (m.astype(single) for m in _moments(input, _last(input, normalized_shape), eps))
    result = (input * scale - mean * scale) * weight + bias
    return result.astype(input.dtype), mean.astype(weight.dtype), scale.astype(weight.dtype)

@op(_layer_norm, method=False, outputs=("result0", "result1", "result2"),
    input=lambda grads, input, weight, result1, result2, normalized_shape, eps: _through_moments(grads[0] * weight,
        _normalized(input, result1, result2, _last(input, normalized_shape), eps), _last(input, normalized_shape)),
    weight=lambda grads, input, result1, result2, normalized_shape, eps: sum_to_size(grads[0] * _normalized(input,
        result1, result2, _last(input, normalized_shape), eps)[0], normalized_shape),
    bias=lambda grads, normalized_shape: sum_to_size(grads[0], normalized_shape))
def native_layer_norm(input, weight, bias, normalized_shape: tuple, eps: float): ...

def _but_channels(input):
    return (0, *range(2, len(input.shape)))

def _at_channels(vector, input):
    """A number for each channel, to compute with elements of the shape (N, channels, ...)."""
    return reshape(vector, (-1,) + (1,) * (len(input.shape) - 2))

def _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    single, shape = np.promote_types(input.dtype, np.float32), (-1, *(1,) * (input.ndim - 2))
    if training:
        mean, scale, variance = (m.reshape(-1) for m in _moments(input, _but_channels(input), eps))
        count = input.size // mean.size
        # As in PyTorch, this does not count as a write.
        for running, now in ((running_mean, mean), (running_var, variance * (count / (count - 1)))):
            if running is not None:
                running._array[...] = momentum * now + (1 - momentum) * running._array.astype(np.float64)
    else:
        mean, scale = running_mean._array, _kept_scale(running_var, eps)
    mean, scale = mean.astype(single), scale.astype(single)
    factor = scale * weight
    result = (input * factor.reshape(shape) + (bias - mean * factor).reshape(shape)).astype(input.dtype)
    return result, *(m.astype(weight.dtype)[: len(m) * training] for m in (mean, scale))

def _kept_scale(running_var, eps):
    return 1 / np.sqrt(running_var._array + eps)

def _normalized_channels(input, result1, result2, running_mean, running_var, training, eps):
    """The normalized elements and the scale, from the batch in training, else from the running statistics."""
    if training:
        return _normalized(input, _at_channels(result1, input), _at_channels(result2, input), _but_channels(input), eps)
    scale = _at_channels(constant(_kept_scale(running_var, eps)), input)
    return (input - _at_channels(constant(running_mean._array), input)) * scale, scale

def _through_channels(grads, input, weight, result1, result2, running_mean, running_var, training, eps):
    normalized = _normalized_channels(input, result1, result2, running_mean, running_var, training, eps)
    g = grads[0] * _at_channels(weight, input)
    return _through_moments(g, normalized, _but_channels(input)) if training else g * normalized[1]

@op(_batch_norm, method=False, outputs=("result0", "result1", "result2"), input=_through_channels,
    weight=lambda grads, input, result1, result2, running_mean, running_var, training, eps: sum_dim(grads[0] *
        _normalized_channels(input, result1, result2, running_mean, running_var, training, eps)[0],
        _but_channels(input)),
    bias=lambda grads, input: sum_dim(grads[0], _but_channels(input)))
def native_batch_norm(
    input, weight, bias, running_mean: object, running_var: object, training: bool, momentum: float, eps: float): ...
