"""Operations that act on each element by itself, and the losses made of them.

Formulas may use operators and any operation; see `declare.py` for how a row is read. Source of the derivatives: calculus, with
PyTorch's choices at the points where there is none (tools/autograd/derivatives.yaml).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import as_floating, of_array, promote, result_type
from ..tensor import Tensor, wrap
from .declare import NUMBERS, broadcast_error, inplace_form, method, number, op


def _promote_numbers(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Promotion for a subtraction, which booleans have none of: `1 - mask` is nearly always meant as `~mask`."""
    if a.dtype.kind == "b" or b.dtype.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
            "`~` or `logical_not()` operator instead."
        )
    return promote(a, b)


def _number_minus(value: Any, array: np.ndarray) -> np.ndarray:
    if isinstance(value, bool):
        _promote_numbers(np.asarray(value), array)  # raises
    return np.subtract(*_promote_numbers(number(value, array)._array, array), out=...)


def _times(g: Any, alpha: Any) -> Any:
    """`g * alpha`, without a node where alpha is 1."""
    return g if alpha == 1 else mul_number(g, alpha)


def zeros_of(g: Any) -> Any:
    """A gradient of zero, whatever arrives: not `g * 0`, which is NaN for an infinite `g`, and no part of any graph."""
    return wrap(np.zeros_like(g._array)) if isinstance(g, Tensor) else np.zeros_like(g)


def only_for(kinds: str, kernel: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A kernel that PyTorch has for some kinds of dtypes (NumPy's letters) only; NotImplementedError, in its words, for others."""

    def checked(self: np.ndarray, *others: Any) -> Any:
        if self.dtype.kind not in kinds:
            raise NotImplementedError(f"\"{name}\" not implemented for '{of_array(self).tensor_type[6:-6]}'")
        return kernel(self, *others)

    return checked


# Sums and products

add = op(
    "add(self, other, *, alpha=1)",
    np.add,
    promote=True,
    inplace=True,
    operator="add",
    self=lambda g: g,
    other=lambda g, alpha: _times(g, alpha),
)
sub = op(
    "sub(self, other, *, alpha=1)",
    np.subtract,
    promote=_promote_numbers,
    inplace=True,
    operator="sub",
    self=lambda g: g,
    other=lambda g, alpha: _times(-g, alpha),
)
rsub = op(
    "rsub(self, other: float, *, alpha=1)",
    lambda self, other, alpha=1: _number_minus(other, self if alpha == 1 else self * alpha),
    node="RsubBackward1",
    method=False,
    self=lambda g, alpha: _times(-g, alpha),
)
mul = op(
    "mul(self, other)",
    np.multiply,
    promote=True,
    inplace=True,
    operator="mul",
    self=lambda g, other: g * other,
    other=lambda g, self: g * self,
)
div_true = op(
    "div_true(self, other)",
    np.true_divide,
    node="DivBackward0",
    promote=True,
    floating=True,
    method=False,
    operator="truediv",
    self=lambda g, other: g / other,
    other=lambda g, self, other: -g * ((self / other) / other),
)
# PyTorch's own formulas compute with numbers by operations that have one edge; what a user writes has two.
add_number = op(
    "add_number(self, other: float)",
    lambda self, other: self + other,
    node="AddBackward1",
    method=False,
    self=lambda g: g,
)
sub_number = op(
    "sub_number(self, other: float)",
    lambda self, other: self - other,
    node="SubBackward1",
    method=False,
    self=lambda g: g,
)
mul_number = op(
    "mul_number(self, other: float)",
    lambda self, other: self * other,
    node="MulBackward1",
    method=False,
    self=lambda g, other: mul_number(g, other),
)
div_number = op(
    "div_number(self, other: float)",
    lambda self, other: self / other,
    node="DivBackward1",
    method=False,
    self=lambda g, other: div_number(g, other),
)


def number_minus(value: Any, x: Any) -> Any:
    """`value - x` in a formula, where PyTorch records the difference of two tensors."""
    return sub(number(value, x._array), x) if isinstance(x, Tensor) else value - x


def number_over(value: Any, x: Any) -> Any:
    """`value / x` in a formula, likewise."""
    return div_true(number(value, x._array), x) if isinstance(x, Tensor) else value / x


def _negative(self: np.ndarray) -> Any:
    try:
        return np.negative(self)
    except TypeError:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
            "`logical_not()` operator instead."
        ) from None


neg = op("neg(self)", _negative, inplace=True, self=lambda g: -g)
reciprocal = op(
    "reciprocal(self)",
    np.reciprocal,
    floating=True,
    inplace=True,
    self=lambda g, result: -g * (result * result),
)


# Powers and exponentials


def _power_by_number(self: np.ndarray, exponent: Any) -> Any:
    if self.dtype.kind != "f":
        if isinstance(exponent, float):
            self = as_floating(self)
        elif exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        elif self.dtype.kind == "b" and not isinstance(exponent, bool):
            self = self.astype(np.int64)
    # The small powers that PyTorch computes by multiplication give the same last bit so, and are faster.
    if exponent == 2:
        return self * self
    if exponent == 3:
        return self * self * self
    if exponent == 0.5 and self.dtype.kind == "f":
        return np.sqrt(self)
    return np.power(self, exponent)


def _power_derivative(g: Any, self: Any, exponent: Any) -> Any:
    return zeros_of(g) if exponent == 0 else g * mul_number(pow(self, exponent - 1), exponent)


pow_number = op(
    "pow_number(self, exponent: float)",
    _power_by_number,
    node="PowBackward0",
    method=False,
    self=lambda g, self, exponent: _power_derivative(g, self, exponent),
)
pow_tensor = op(
    "pow_tensor(self, exponent)",
    np.power,
    node="PowBackward1",
    promote=True,
    method=False,
    # At exponent 0 the power is constant; at base 0 with a positive exponent it does not depend on the exponent.
    self=lambda g, self, exponent: where(
        exponent == 0, 0.0, g * (exponent * pow_tensor(self, sub_number(exponent, 1)))
    ),
    exponent=lambda g, self, exponent, result: g * where((self == 0) & (exponent >= 0), 0.0, result * log(self)),
)
pow_of_number = op(
    "pow_of_number(exponent, self: float)",
    lambda exponent, self: np.power(*promote(number(self, exponent)._array, exponent), out=...),
    node="PowBackward2",
    method=False,
    exponent=lambda g, self, exponent, result: _exponential_derivative(g, self, exponent, result),
)


def _exponential_derivative(g: Any, self: float, exponent: Any, result: Any) -> Any:
    if self == 0:
        return g * where(exponent >= 0, 0.0, mul_number(result, -math.inf))
    return g * mul_number(result, math.log(self) if self > 0 else math.nan)


@method
def pow(self: Any, exponent: Any) -> Any:
    """`self ** exponent`, either of them a tensor or a number."""
    if isinstance(exponent, (int, float)):
        return pow_number(self, exponent)
    if isinstance(self, (int, float)):
        return pow_of_number(exponent, self)
    return pow_tensor(self, exponent)


exp = op("exp(self)", np.exp, floating=True, inplace=True, self=lambda g, result: g * result)
log = op("log(self)", np.log, floating=True, inplace=True, self=lambda g, self: g / self)
log1p = op(
    "log1p(self)",
    np.log1p,
    node="Log1PBackward0",
    floating=True,
    inplace=True,
    self=lambda g, self: g / add_number(self, 1),
)
sqrt = op("sqrt(self)", np.sqrt, floating=True, inplace=True, self=lambda g, result: g / mul_number(result, 2))


@method
def square(self: Tensor) -> Tensor:
    """`self ** 2`."""
    return pow_number(self, 2)


Tensor.square_ = inplace_form(square)  # type: ignore[attr-defined]  # attached, as all operations are

# Trigonometric and hyperbolic functions

sin = op("sin(self)", np.sin, floating=True, inplace=True, self=lambda g, self: g * cos(self))
cos = op("cos(self)", np.cos, floating=True, inplace=True, self=lambda g, self: g * -sin(self))
tanh = op(
    "tanh(self)",
    np.tanh,
    floating=True,
    inplace=True,
    self=lambda g, result: tanh_backward(g, result),
)
tanh_backward = op(
    "tanh_backward(grad_output, y)",
    lambda grad_output, y: grad_output * (1 - y * y),
    node="TanhBackwardBackward0",
    method=False,
    grad_output=lambda g, y: tanh_backward(g, y),
    y=lambda g, grad_output, y: g * (mul_number(y, -2) * grad_output),
)


def _sigmoid(self: np.ndarray) -> Any:
    return 1 / (1 + np.exp(-self))


sigmoid = op(
    "sigmoid(self)",
    _sigmoid,
    floating=True,
    inplace=True,
    self=lambda g, result: sigmoid_backward(g, result),
)
sigmoid_backward = op(
    "sigmoid_backward(grad_output, y)",
    lambda grad_output, y: grad_output * (1 - y) * y,
    node="SigmoidBackwardBackward0",
    method=False,
    grad_output=lambda g, y: sigmoid_backward(g, y),
    y=lambda g, grad_output, y: g * grad_output * add_number(mul_number(y, -2), 1),
)

# Functions with kinks: PyTorch's derivative at the kink is the choice of the formula


def _sign(self: np.ndarray) -> np.ndarray:
    # PyTorch's sign of NaN is 0, NumPy's is NaN.
    return np.where(np.isnan(self), 0, np.sign(self)).astype(self.dtype, copy=False)


abs = op("abs(self)", np.absolute, inplace=True, self=lambda g, self: g * sgn(self))
sign = op("sign(self)", _sign, inplace=True, self=lambda g: zeros_of(g))
sgn = op("sgn(self)", _sign, inplace=True, self=lambda g: zeros_of(g))
relu = op(
    "relu(self)",
    lambda self: np.maximum(self, 0),
    inplace=True,
    self=lambda g, result: threshold_backward(g, result, 0),
)
threshold = op(
    "threshold(self, threshold: float, value: float)",
    lambda self, threshold, value: np.where(self <= threshold, self.dtype.type(value), self),
    method=False,
    self=lambda g, self, threshold: threshold_backward(g, self, threshold),
)
threshold_backward = op(
    "threshold_backward(grad_output, self, threshold: float)",
    lambda grad_output, self, threshold: np.where(self <= threshold, 0, grad_output),
    node="ThresholdBackwardBackward0",
    method=False,
    grad_output=lambda g, self, threshold: threshold_backward(g, self, threshold),
    self=lambda g: zeros_of(g),
)
leaky_relu = op(
    "leaky_relu(self, negative_slope=0.01)",
    lambda self, negative_slope: np.where(self > 0, self, self * negative_slope),
    method=False,
    self=lambda g, self, negative_slope: leaky_relu_backward(g, self, negative_slope),
)
leaky_relu_backward = op(
    "leaky_relu_backward(grad_output, self, negative_slope: float)",
    lambda grad_output, self, negative_slope: np.where(self > 0, grad_output, grad_output * negative_slope),
    node="LeakyReluBackwardBackward0",
    method=False,
    grad_output=lambda g, self, negative_slope: leaky_relu_backward(g, self, negative_slope),
    self=lambda g: zeros_of(g),
)


def _clamp(self: np.ndarray, min: Any = None, max: Any = None) -> np.ndarray:
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        raise NotImplementedError(
            "autograd_teach does not support clamp with tensors as bounds; use torch.maximum and torch.minimum"
        )
    return np.clip(as_floating(self) if isinstance(min, float) or isinstance(max, float) else self, min, max)


def _inside(self: Any, min: Any, max: Any) -> Any:
    if min is None:
        return self <= max
    return self >= min if max is None else (self >= min) & (self <= max)


clamp = op(
    "clamp(self, min=None, max=None)",
    _clamp,
    node="ClampBackward1",
    inplace=True,
    self=lambda g, self, min, max: where(_inside(self, min, max), g, 0.0),
)


def _clamp_one_side(self: np.ndarray, bound: Any, choose: np.ufunc) -> Any:
    if isinstance(bound, Tensor):
        raise NotImplementedError(
            "autograd_teach does not support clamp with tensors as bounds; use torch.maximum and torch.minimum"
        )
    return choose(as_floating(self) if isinstance(bound, float) else self, bound)


clamp_min = op(
    "clamp_min(self, min: float)",
    lambda self, min: _clamp_one_side(self, min, np.maximum),
    inplace=True,
    self=lambda g, self, min: where(self >= min, g, 0.0),
)
clamp_max = op(
    "clamp_max(self, max: float)",
    lambda self, max: _clamp_one_side(self, max, np.minimum),
    inplace=True,
    self=lambda g, self, max: where(self <= max, g, 0.0),
)
# Where both are equal, each gets half; where one is NaN, each gets all.
maximum = op(
    "maximum(self, other)",
    np.maximum,
    promote=True,
    self=lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self < other, 0.0),
    other=lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self > other, 0.0),
)
minimum = op(
    "minimum(self, other)",
    np.minimum,
    promote=True,
    self=lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self > other, 0.0),
    other=lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self < other, 0.0),
)

# Copies and choices

clone = op("clone(self)", lambda self: self.copy(), self=lambda g: g)
to_copy = op(
    "to_copy(self, dtype: object)",
    lambda self, dtype: self.astype(dtype.numpy if hasattr(dtype, "numpy") else dtype),
    method=False,
    self=lambda g, self_dtype: to_copy(g, self_dtype),
)
where_tensors = op(
    "where_tensors(condition, self, other)",
    np.where,
    node="WhereBackward0",
    method=False,
    self=lambda g, condition: where(condition, g, 0.0),
    other=lambda g, condition: where(condition, 0.0, g),
)


def where(condition: Any, self: Any, other: Any) -> Any:
    """`self` where the boolean `condition` holds, else `other`; the two may be numbers and broadcast.

    >>> import autograd_teach as torch
    >>> torch.where(torch.tensor([True, False]), 1.0, torch.tensor([2.0, 3.0]))
    tensor([1., 3.])
    """
    if not isinstance(condition, Tensor):
        return where_tensors(condition, self, other)
    if condition._array.dtype.kind != "b":
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype.tensor_type[6:-6]}"
        )
    if other.__class__ in NUMBERS:
        other = number(other, self._array if isinstance(self, Tensor) else condition._array)
    if self.__class__ in NUMBERS:
        self = number(self, other._array)
    if self._array.dtype is not other._array.dtype:
        dtype = result_type(self._array, other._array)
        self, other = self.to(dtype), other.to(dtype)
    return where_tensors(condition, self, other)


def _masked_fill(self: np.ndarray, mask: np.ndarray, value: Any) -> np.ndarray:
    if mask.dtype.kind != "b":
        names = {"int64": "long int", "int32": "int", "float32": "float", "float64": "double"}
        shown = names.get(mask.dtype.name, mask.dtype.name)
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {shown}")
    if np.ndim(value):
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    try:
        return np.where(mask, self.dtype.type(value), self)
    except ValueError:
        raise broadcast_error(mask, self) from None


masked_fill_number = op(
    "masked_fill_number(self, mask, value: float)",
    _masked_fill,
    node="MaskedFillBackward0",
    method=False,
    self=lambda g, mask: masked_fill(g, mask, 0.0),
)
masked_fill_tensor = op(
    "masked_fill_tensor(self, mask, value)",
    _masked_fill,
    node="MaskedFillBackward1",
    method=False,
    self=lambda g, mask: masked_fill(g, mask, 0.0),
    value=lambda g, mask: where(mask, g, 0.0).sum(),
)


def masked_fill(self: Any, mask: Any, value: Any) -> Any:
    """`self` with `value`, a number or a tensor of rank 0, where the boolean `mask` holds.

    >>> import autograd_teach as torch
    >>> torch.masked_fill(torch.tensor([1.0, 2.0]), torch.tensor([True, False]), 0.0)
    tensor([0., 2.])
    """
    return (masked_fill_tensor if isinstance(value, Tensor) else masked_fill_number)(self, mask, value)


# Comparisons and logic: not differentiable

eq = op("eq(self, other)", np.equal, promote=True, operator="eq")
ne = op("ne(self, other)", np.not_equal, promote=True, operator="ne")
lt = op("lt(self, other)", np.less, promote=True, operator="lt")
le = op("le(self, other)", np.less_equal, promote=True, operator="le")
gt = op("gt(self, other)", np.greater, promote=True, operator="gt")
ge = op("ge(self, other)", np.greater_equal, promote=True, operator="ge")
bitwise_and = op(
    "bitwise_and(self, other)",
    only_for("biu", np.bitwise_and, "bitwise_and_cpu"),
    promote=True,
    inplace=True,
    operator="and",
)
bitwise_or = op(
    "bitwise_or(self, other)",
    only_for("biu", np.bitwise_or, "bitwise_or_cpu"),
    promote=True,
    inplace=True,
    operator="or",
)
bitwise_xor = op(
    "bitwise_xor(self, other)",
    only_for("biu", np.bitwise_xor, "bitwise_xor_cpu"),
    promote=True,
    inplace=True,
    operator="xor",
)
logical_and = op("logical_and(self, other)", np.logical_and, promote=True, inplace=True)
logical_or = op("logical_or(self, other)", np.logical_or, promote=True, inplace=True)
logical_xor = op("logical_xor(self, other)", np.logical_xor, promote=True, inplace=True)
logical_not = op("logical_not(self)", np.logical_not, inplace=True)
signbit = op("signbit(self)", np.signbit)
bitwise_not = op("bitwise_not(self)", np.invert)
isnan = op("isnan(self)", np.isnan)
isfinite = op("isfinite(self)", np.isfinite)
isinf = op("isinf(self)", np.isinf)

# Losses


# As PyTorch numbers them; a node shows the number.
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _reduced(values: np.ndarray, reduction: int) -> Any:
    return values if reduction == 0 else values.mean() if reduction == 1 else values.sum()


def _count(shape: tuple[int, ...], reduction: int) -> int:
    return math.prod(shape) if reduction == 1 else 1


def _mse_loss_double_backward(g: Any, shape: tuple[int, ...], reduction: int) -> Any:
    doubled = mul_number(g, 2)
    return div_number(doubled, math.prod(shape)) if reduction == 1 else doubled


mse_loss_same_size = op(
    "mse_loss_same_size(self, target, reduction: int)",
    lambda self, target, reduction: _reduced((self - target) ** 2, reduction),
    node="MseLossBackward0",
    method=False,
    self=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    target=lambda g, self, target, reduction: mse_loss_backward(g, target, self, reduction),
)
mse_loss_backward = op(
    "mse_loss_backward(grad_output, self, target, reduction: int)",
    lambda grad_output, self, target, reduction: (
        grad_output / _count(self.shape, reduction) * ((self - target) * 2) if self.size else self - target
    ),
    node="MseLossBackwardBackward0",
    method=False,
    grad_output=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    self=lambda g, grad_output, self, reduction: _mse_loss_double_backward(g * grad_output, self.shape, reduction),
    target=lambda g, grad_output, self, reduction: -_mse_loss_double_backward(g * grad_output, self.shape, reduction),
)


def mse_loss(self: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The mean (or `"sum"`, or with `"none"` each) of the squared differences of two tensors, which broadcast."""
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if self._array.shape != target._array.shape:
        shape = np.broadcast_shapes(self._array.shape, target._array.shape)
        self, target = self.expand(shape), target.expand(shape)
    return mse_loss_same_size(self, target, _REDUCTIONS[reduction])


# Operators whose function is none of the rows above

Tensor.__pow__ = pow  # type: ignore[method-assign]  # operators are attached, as all operations are
Tensor.__rpow__ = lambda self, base: pow(base, self)  # type: ignore[attr-defined]
Tensor.__radd__ = Tensor.__add__  # type: ignore[method-assign]
Tensor.__rmul__ = Tensor.__mul__  # type: ignore[method-assign]
Tensor.__rtruediv__ = lambda self, other: reciprocal(self) * other  # type: ignore[method-assign]
Tensor.__neg__ = neg  # type: ignore[method-assign]
Tensor.__abs__ = abs  # type: ignore[attr-defined]
Tensor.__rsub__ = lambda self, other: (  # type: ignore[method-assign]
    rsub(self, other) if isinstance(other, (int, float)) else NotImplemented
)
Tensor.__invert__ = bitwise_not  # type: ignore[operator]  # mypy takes it for the class's own
Tensor.__pos__ = lambda self: self  # type: ignore[operator]  # as above
Tensor.pow_ = inplace_form(pow)  # type: ignore[attr-defined]
Tensor.masked_fill = masked_fill  # type: ignore[attr-defined]  # a formula calls the function on arrays
Tensor.masked_fill_ = inplace_form(masked_fill)  # type: ignore[attr-defined]
Tensor.__ipow__ = inplace_form(pow)  # type: ignore[attr-defined]
Tensor.where = lambda self, condition, other: where(condition, self, other)  # type: ignore[attr-defined]

multiply, subtract, negative, absolute = mul, sub, neg, abs
for _alias in ("multiply", "subtract", "negative", "absolute"):
    setattr(Tensor, _alias, globals()[_alias])
