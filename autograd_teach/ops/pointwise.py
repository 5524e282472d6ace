"""Operations that act on each element by itself, and the losses made of them.

Formulas may use operators and any operation; see `declare.py` for how a row is read. Source of the derivatives: calculus, with
PyTorch's choices at the points where there is none (tools/autograd/derivatives.yaml).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import as_floating, promote, result_type
from ..tensor import Tensor, wrap
from .declare import NUMBERS, inplace_form, method, number, op


def _promote_numbers(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Promotion for a subtraction, which booleans have none of: `1 - mask` is nearly always meant as `~mask`."""
    if a.dtype.kind == "b" or b.dtype.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
            "`~` or `logical_not()` operator instead."
        )
    return promote(a, b)


def _number_minus(value: Any, array: np.ndarray) -> np.ndarray:
    return np.subtract(*_promote_numbers(number(value, array)._array, array), out=...)


def _times(g: Any, alpha: Any) -> Any:
    """`g * alpha`, without a node where alpha is 1."""
    return g if alpha == 1 else g * alpha


def zeros_of(g: Any) -> Any:
    """A gradient of zero, whatever arrives: not `g * 0`, which is NaN for an infinite `g`, and no part of any graph."""
    return wrap(np.zeros_like(g._array)) if isinstance(g, Tensor) else np.zeros_like(g)


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
    other=lambda g, alpha: -_times(g, alpha),
)
rsub = op(
    "rsub(self, other: float, *, alpha=1)",
    lambda self, other, alpha=1: _number_minus(other, self if alpha == 1 else self * alpha),
    node="RsubBackward1",
    method=False,
    self=lambda g, alpha: -_times(g, alpha),
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
# PyTorch's own formulas multiply by numbers with an operation that has one edge; what a user writes has two.
mul_number = op(
    "mul_number(self, other: float)",
    lambda self, other: self * other,
    node="MulBackward1",
    method=False,
    self=lambda g, other: mul_number(g, other),
)
neg = op("neg(self)", np.negative, inplace=True, self=lambda g: -g)
reciprocal = op(
    "reciprocal(self)",
    np.reciprocal,
    floating=True,
    inplace=True,
    self=lambda g, result: -g * (result * result),
)


@method
def div(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """`self / other`, broadcasting; integers are divided as floats.

    >>> import autograd_teach as torch
    >>> torch.tensor([1.0, 2.0]).div(4)
    tensor([0.2500, 0.5000])
    """
    if rounding_mode is not None:
        raise NotImplementedError(
            "autograd_teach does not support div(..., rounding_mode=...) yet; use rounding_mode=None"
        )
    return div_true(self, other)


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
    self=lambda g, self, exponent: where(exponent == 0, 0.0, g * (exponent * pow_tensor(self, exponent - 1))),
    exponent=lambda g, self, exponent, result: where((self == 0) & (exponent >= 0), 0.0, g * (result * log(self))),
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
        return where(exponent >= 0, 0.0, g * (result * -math.inf))
    return g * (result * (math.log(self) if self > 0 else math.nan))


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
    self=lambda g, self: g / (self + 1),
)
sqrt = op("sqrt(self)", np.sqrt, floating=True, inplace=True, self=lambda g, result: g / (result * 2))


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
    self=lambda g, result: g * (1 - result * result),
)


def _sigmoid(self: np.ndarray) -> Any:
    return 1 / (1 + np.exp(-self))


sigmoid = op(
    "sigmoid(self)",
    _sigmoid,
    floating=True,
    inplace=True,
    self=lambda g, result: g * ((1 - result) * result),
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
    self=lambda g, result: where(result > 0, g, 0.0),
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
# Where both are equal, each gets half.
maximum = op(
    "maximum(self, other)",
    np.maximum,
    promote=True,
    self=lambda g, self, other: where(self == other, g / 2, where(self > other, g, 0.0)),
    other=lambda g, self, other: where(self == other, g / 2, where(other > self, g, 0.0)),
)
minimum = op(
    "minimum(self, other)",
    np.minimum,
    promote=True,
    self=lambda g, self, other: where(self == other, g / 2, where(self < other, g, 0.0)),
    other=lambda g, self, other: where(self == other, g / 2, where(other < self, g, 0.0)),
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


# Comparisons and logic: not differentiable

eq = op("eq(self, other)", np.equal, promote=True, operator="eq")
ne = op("ne(self, other)", np.not_equal, promote=True, operator="ne")
lt = op("lt(self, other)", np.less, promote=True, operator="lt")
le = op("le(self, other)", np.less_equal, promote=True, operator="le")
gt = op("gt(self, other)", np.greater, promote=True, operator="gt")
ge = op("ge(self, other)", np.greater_equal, promote=True, operator="ge")
bitwise_and = op("bitwise_and(self, other)", np.bitwise_and, promote=True, operator="and")
bitwise_or = op("bitwise_or(self, other)", np.bitwise_or, promote=True, operator="or")
logical_not = op("logical_not(self)", np.logical_not)
bitwise_not = op("bitwise_not(self)", np.invert)
isnan = op("isnan(self)", np.isnan)
isfinite = op("isfinite(self)", np.isfinite)
isinf = op("isinf(self)", np.isinf)

# Losses


def _reduced(values: np.ndarray, reduction: str) -> Any:
    if reduction == "none":
        return values
    return values.mean() if reduction == "mean" else values.sum()


def _share(g: Any, self: Any, reduction: str) -> Any:
    """The gradient of each term of a reduced loss."""
    return g / math.prod(self.shape) if reduction == "mean" else g


mse_loss_same_size = op(
    "mse_loss_same_size(self, target, reduction='mean')",
    lambda self, target, reduction: _reduced((self - target) ** 2, reduction),
    node="MseLossBackward0",
    method=False,
    self=lambda g, self, target, reduction: _share(g, self, reduction) * (self - target) * 2,
    target=lambda g, self, target, reduction: _share(g, self, reduction) * (target - self) * 2,
)


def mse_loss(self: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The mean (or `"sum"`, or with `"none"` each) of the squared differences of two tensors, which broadcast."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if self._array.shape != target._array.shape:
        shape = np.broadcast_shapes(self._array.shape, target._array.shape)
        self, target = self.expand(shape), target.expand(shape)
    return mse_loss_same_size(self, target, reduction)


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
Tensor.div_ = inplace_form(div)  # type: ignore[attr-defined]
Tensor.pow_ = inplace_form(pow)  # type: ignore[attr-defined]
Tensor.__itruediv__ = inplace_form(div)  # type: ignore[attr-defined]
Tensor.__ipow__ = inplace_form(pow)  # type: ignore[attr-defined]
Tensor.where = lambda self, condition, other: where(condition, self, other)  # type: ignore[attr-defined]

multiply, subtract, negative, true_divide, divide, absolute = mul, sub, neg, div, div, abs
for _alias in ("multiply", "subtract", "negative", "true_divide", "divide", "absolute"):
    setattr(Tensor, _alias, globals()[_alias])
