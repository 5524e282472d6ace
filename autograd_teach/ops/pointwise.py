"""Operations that act on each element by itself: arithmetic, functions, choices, comparisons; and the squared error.

A formula may use operators and any operation (`declare.py` says how a row is read). Source of the derivatives: calculus
in the form that shows in PyTorch's graph of a gradient, and its choices at kinks (tools/autograd/derivatives.yaml).
"""

import math
from functools import partial
from typing import Any

import numpy as np

from ..dtypes import as_floating, promote, result_type, title
from ..errors import error
from ..tensor import Tensor, wrap
from .declare import NUMBERS, broadcast_error, inplace_form, number, op, scaled

# A row takes a line or two, as in a table: one argument a line would scatter it.
# fmt: off

# Families of rows
arithmetic = partial(op, promote=True, inplace=True)
smooth = partial(op, floating=True, inplace=True)
stepwise = partial(op, inplace=True, self=lambda g: zeros_of(g))
comparison = partial(op, promote=True)


def zeros_of(g):
    """A gradient of zero, whatever arrives: not `g * 0`, which is NaN for an infinite `g`, and no part of any graph."""
    return wrap(np.zeros_like(g._array)) if isinstance(g, Tensor) else np.zeros_like(g)


def only_for(kinds, kernel, self, *others):
    """A check, given `kinds` of dtypes (NumPy's letters) and PyTorch's name of its kernel, which has no others."""
    if self.dtype.kind not in kinds:
        raise error("no_kernel", kernel, title(self))


def broadcasting(first, *others):
    """The check of three operands: RuntimeError, in PyTorch's words, unless they broadcast to one shape."""
    for other in others:
        if other.ndim and other.shape != first.shape:
            try:
                first = np.broadcast_to(0, np.broadcast_shapes(first.shape, other.shape))
            except ValueError:
                raise broadcast_error(first, other) from None


# Sums, products, quotients. PyTorch's formulas compute with numbers by the rows `.1`, of one edge; a user's have two.


def _subtractable(a, b):
    bools = (a.dtype.kind + b.dtype.kind).count("b")
    if bools:
        raise error("sub_dtype" if bools == 2 else "sub_bool")
    return promote(a, b)


def _times(g, alpha):
    """`g * alpha`, without a node where alpha is 1."""
    return g if alpha == 1 else mul_number(g, alpha)


add = arithmetic("add(self, other, *, alpha=1)", np.add, operator="add",
    self=lambda g: g, other=lambda g, alpha: _times(g, alpha))
sub = arithmetic("sub(self, other, *, alpha=1)", np.subtract, promote=_subtractable, operator="sub",
    self=lambda g: g, other=lambda g, alpha: _times(-g, alpha))
mul = arithmetic("mul(self, other)", np.multiply, operator="mul",
    self=lambda g, other: g * other, other=lambda g, self: g * self)
div_true = arithmetic("div(self, other)", np.true_divide, floating=True, operator="truediv",
    self=lambda g, other: g / other, other=lambda g, self, other: -g * ((self / other) / other))
add_number = op("add.1(self, other: float)", lambda self, other: self + other, self=lambda g: g)
sub_number = op("sub.1(self, other: float)", lambda self, other: self - other, self=lambda g: g)
mul_number = op("mul.1(self, other: float)", lambda self, other: self * other,
    self=lambda g, other: mul_number(g, other))
div_number = op("div.1(self, other: float)", lambda self, other: self / other,
    self=lambda g, other: div_number(g, other))
rsub_number = op("rsub.1(self, other: float, *, alpha=1)", lambda self, other, alpha: np.subtract(
    *_subtractable(number(other, self)._array, self if alpha == 1 else scaled(self, alpha))),
    self=lambda g, alpha: _times(-g, alpha))
neg = op("neg(self)", np.negative, inplace=True, self=lambda g: -g)
reciprocal = smooth("reciprocal(self)", np.reciprocal, self=lambda g, result: -g * (result * result))


def _rounded(self, other, rounding_mode):
    if rounding_mode not in ("floor", "trunc"):
        raise error("rounding_mode", rounding_mode)
    only_for("iuf", f"div_{rounding_mode}_cpu", self)
    if self.dtype.kind != "f" and not other.all():
        raise RuntimeError("ZeroDivisionError")
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    return np.trunc(self / other) if self.dtype.kind == "f" else (self - np.fmod(self, other)) // other


div_rounded = op("div.2(self, other, rounding_mode: str)", _rounded, promote=True,
    self=lambda g: zeros_of(g), other=lambda g: zeros_of(g))


def div(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """`input / other`, broadcasting, integers as floats; or rounded, with `rounding_mode` "floor" or "trunc".

    >>> import autograd_teach as torch
    >>> torch.tensor([1.0, 2.0]).div(4), torch.tensor([7, -7]).div(2, rounding_mode="trunc")
    (tensor([0.2500, 0.5000]), tensor([ 3, -3]))
    """
    return div_true(input, other) if rounding_mode is None else div_rounded(input, other, rounding_mode)


def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """`other - alpha * input`."""
    return sub(other, input, alpha=alpha) if isinstance(other, Tensor) else rsub_number(input, other, alpha=alpha)


# Powers. The small ones that PyTorch computes by multiplication give the same last bit so, and are faster.

_POWERS = {0: np.ones_like, 0.5: np.sqrt, 1: np.copy, 2: partial(np.square, out=...), 3: lambda x: x * x * x}


def _power(self, exponent):
    if self.dtype.kind != "f":
        self = promote(self, number(exponent, self)._array)[0]
        if exponent < 0 and self.dtype.kind != "f":
            raise error("negative_power")
    return _POWERS[exponent](self) if exponent in _POWERS else np.power(self, exponent)


def _power_of_tensor(self, exponent):
    only_for("iuf", "pow", self)
    if self.dtype.kind == "f" or (exponent >= 0).all():
        return np.power(self, exponent)
    # Integers: of the powers below 0 only those of 1 and -1 are not rounded to 0.
    whole = np.power(self, np.where(exponent < 0, exponent % 2, exponent))
    return np.where((exponent < 0) & (np.absolute(self) != 1), 0, whole)


# The first power, which PyTorch's graph of the gradient of a square shows, an array is already.
pow_number = op("pow(self, exponent: float)", _power, self=lambda g, self, exponent: zeros_of(g) if exponent == 0 else (
    g * mul_number(self if exponent == 2 and not isinstance(self, Tensor) else pow(self, exponent - 1), exponent)))
# At exponent 0 the power is constant; at base 0 with a positive exponent it does not depend on the exponent.
pow_tensor = op("pow.1(self, exponent)", _power_of_tensor, promote=True, self=lambda g, self, exponent: where(
    exponent == 0, 0.0, g * (exponent * pow_tensor(self, sub_number(exponent, 1)))),
    exponent=lambda g, self, exponent, result: g * where((self == 0) & (exponent >= 0), 0.0, result * log(self)))
pow_of_number = op("pow.2(exponent, self: float)", lambda exponent, self: _power_of_tensor(
    *promote(number(self, exponent)._array, exponent)), exponent=lambda g, self, exponent, result: g * (
    mul_number(result, float(np.log(self))) if self else where(exponent >= 0, 0.0, mul_number(result, -math.inf))))


def pow(input: Any, exponent: Any) -> Any:
    """`input ** exponent`, either of them a tensor or a number."""
    if isinstance(exponent, (int, float)):
        return pow_number(input, exponent)
    return pow_of_number(exponent, input) if isinstance(input, (int, float)) else pow_tensor(input, exponent)


def square(input: Tensor) -> Tensor:
    """`input ** 2`."""
    return pow_number(input, 2)


# Smooth functions

exp = smooth("exp(self)", np.exp, self=lambda g, result: g * result)
expm1 = smooth("expm1(self)", np.expm1, self=lambda g, result: g * add_number(result, 1))
log = smooth("log(self)", np.log, self=lambda g, self: g / self)
log1p = smooth("log1p(self)", np.log1p, node="Log1PBackward0", self=lambda g, self: g / add_number(self, 1))
sqrt = smooth("sqrt(self)", np.sqrt, self=lambda g, result: g / mul_number(result, 2))
rsqrt = smooth("rsqrt(self)", lambda self: 1 / np.sqrt(self),
    self=lambda g, result: mul_number(g, -0.5) * pow_number(result, 3))
sin = smooth("sin(self)", np.sin, self=lambda g, self: g * cos(self))
cos = smooth("cos(self)", np.cos, self=lambda g, self: g * -sin(self))
tan = smooth("tan(self)", np.tan, self=lambda g, result: g * add_number(pow_number(result, 2), 1))
asin = smooth("asin(self)", np.arcsin, self=lambda g, self: g * rsqrt(add_number(-self * self, 1)))
acos = smooth("acos(self)", np.arccos, self=lambda g, self: g * -rsqrt(add_number(-self * self, 1)))
atan = smooth("atan(self)", np.arctan, self=lambda g, self: g / add_number(self * self, 1))
sinh = smooth("sinh(self)", np.sinh, self=lambda g, self: g * cosh(self))
cosh = smooth("cosh(self)", np.cosh, self=lambda g, self: g * sinh(self))
acosh = op("acosh(self)", np.arccosh, floating=True, self=lambda g, self: g * rsqrt(sub_number(self * self, 1)))
tanh = smooth("tanh(self)", np.tanh, self=lambda g, result: tanh_backward(g, result))
tanh_backward = op("tanh_backward(grad_output, y)", lambda grad_output, y: grad_output * (1 - y * y),
    grad_output=lambda g, y: tanh_backward(g, y), y=lambda g, grad_output, y: g * (mul_number(y, -2) * grad_output))
sigmoid = smooth("sigmoid(self)", lambda self: 1 / (1 + np.exp(-self)),
    self=lambda g, result: sigmoid_backward(g, result))
sigmoid_backward = op("sigmoid_backward(grad_output, y)", lambda grad_output, y: grad_output * (1 - y) * y,
    grad_output=lambda g, y: sigmoid_backward(g, y),
    y=lambda g, grad_output, y: g * grad_output * add_number(mul_number(y, -2), 1))

# Steps, and functions with kinks

floor = stepwise("floor(self)", np.floor, check=partial(only_for, "iuf", "floor_vml_cpu"))
ceil = stepwise("ceil(self)", np.ceil, check=partial(only_for, "iuf", "ceil_vml_cpu"))
round = stepwise("round(self)", lambda self: np.round(self), check=partial(only_for, "iuf", "round_vml_cpu"))
sign, sgn = (stepwise(f"{name}(self)", lambda self: np.subtract(self > 0, self < 0, dtype=np.int8).astype(self.dtype))
    for name in ("sign", "sgn"))
abs = op("abs(self)", np.absolute, check=partial(only_for, "iuf", "abs_cpu"), inplace=True,
    self=lambda g, self: g * sgn(self))
relu = op("relu(self)", lambda self: np.maximum(0, self), check=partial(only_for, "iuf", "relu_cpu"), inplace=True,
    self=lambda g, result: threshold_backward(g, result, 0))
threshold = op("threshold(self, threshold: float, value: float)",
    lambda self, threshold, value: np.where(self <= threshold, self.dtype.type(value), self), method=False,
    check=partial(only_for, "iuf", "threshold_cpu"),
    self=lambda g, self, threshold: threshold_backward(g, self, threshold))
threshold_backward = op("threshold_backward(grad_output, self, threshold: float)",
    lambda grad_output, self, threshold: np.where(self <= threshold, 0, grad_output),
    grad_output=lambda g, self, threshold: threshold_backward(g, self, threshold), self=lambda g: zeros_of(g))
leaky_relu = op("leaky_relu(self, negative_slope=0.01)", lambda self, slope: np.where(self > 0, self, self * slope),
    check=partial(only_for, "f", "leaky_relu_cpu"), method=False,
    self=lambda g, self, negative_slope: leaky_relu_backward(g, self, negative_slope))
leaky_relu_backward = op("leaky_relu_backward(grad_output, self, negative_slope: float)",
    lambda grad_output, self, slope: np.where(self > 0, grad_output, grad_output * slope), self=lambda g: zeros_of(g),
    grad_output=lambda g, self, negative_slope: leaky_relu_backward(g, self, negative_slope))

# Bounds


def _number_only(self, bound):
    if isinstance(bound, Tensor):
        raise error("clamp_side")


clamp_number = op("clamp.1(self, min: float, max: float)",
    lambda self, min, max: np.clip(as_floating(self) if float in (type(min), type(max)) else self, min, max),
    self=lambda g, self, min, max: where(
        (self >= (-math.inf if min is None else min)) & (self <= (math.inf if max is None else max)), g, 0.0))
clamp_tensor = op("clamp(self, min, max)", check=broadcasting,
    kernel=lambda self, min, max: np.minimum(*promote(np.maximum(*promote(self, min)), max)),
    self=lambda g, self, min, max: where((self >= min) & (self <= max), g, 0.0),
    min=lambda g, self, min, max: where((min < max) & (self < min), g, 0.0),
    max=lambda g, self, min, max: where((self > max) | (max < min), g, 0.0))
clamp_min = op("clamp_min(self, min: float)", lambda self, min: np.maximum(*promote(number(min, self)._array, self)),
    check=_number_only, inplace=True, self=lambda g, self, min: where(self >= min, g, 0.0))
clamp_max = op("clamp_max(self, max: float)", lambda self, max: np.minimum(*promote(number(max, self)._array, self)),
    check=_number_only, inplace=True, self=lambda g, self, max: where(self <= max, g, 0.0))


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`input`, but at least `min` and at most `max`: two numbers or two tensors, one of which may be None."""
    bound = max if min is None else min
    if bound is None:
        raise error("clamp_bounds")
    if not isinstance(bound, Tensor):
        return clamp_number(input, min, max)
    dtype = result_type(input._array, bound._array)
    if min is None:
        min = wrap(np.array(-math.inf if dtype.kind == "f" else np.iinfo(dtype).min, dtype))
    if max is None:
        max = wrap(np.array(math.inf if dtype.kind == "f" else np.iinfo(dtype).max, dtype))
    return clamp_tensor(input, min, max)


def _share(g, equal, lost):
    """Where both are equal, each gets half; where one is NaN, each gets all."""
    return masked_fill(where(equal, div_number(g, 2), g), lost, 0.0)


maximum = op("maximum(self, other)", np.maximum, promote=True,
    self=lambda g, self, other: _share(g, self == other, self < other),
    other=lambda g, self, other: _share(g, self == other, self > other))
minimum = op("minimum(self, other)", np.minimum, promote=True,
    self=lambda g, self, other: _share(g, self == other, self > other),
    other=lambda g, self, other: _share(g, self == other, self < other))

# Copies and choices

clone = op("clone(self)", lambda self: self.copy(), self=lambda g: g)
to_copy = op("to_copy(self, dtype: object)", lambda self, dtype: self.astype(getattr(dtype, "numpy", dtype)),
    method=False, self=lambda g, self_dtype: to_copy(g, self_dtype))
where_tensors = op("where(condition, self, other)", np.where, check=broadcasting,
    self=lambda g, condition: where(condition, g, 0.0), other=lambda g, condition: where(condition, 0.0, g))


def where(condition: Any, input: Any, other: Any) -> Any:
    """`input` where the boolean `condition` holds, else `other`; the two may be numbers and broadcast."""
    if not isinstance(condition, Tensor):
        return where_tensors(condition, input, other)
    if condition._array.dtype.kind != "b":
        raise error("where_condition", title(condition._array))
    if other.__class__ in NUMBERS:
        other = number(other, (input if isinstance(input, Tensor) else condition)._array)
    if input.__class__ in NUMBERS:
        input = number(input, other._array)
    dtype = result_type(input._array, other._array)
    return where_tensors(condition, input.to(dtype), other.to(dtype))


def _fillable(self, mask, value):
    if mask.dtype.kind != "b":
        names = {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "long int", "int32": "int"}
        raise error("mask_dtype", names.get(mask.dtype.name, mask.dtype.name))
    if np.ndim(value):
        raise error("mask_value", value.ndim)
    broadcasting(mask, self)


masked_fill_number = op("masked_fill(self, mask, value: float)",
    lambda self, mask, value: np.where(mask, self.dtype.type(value), self), check=_fillable,
    self=lambda g, mask: masked_fill(g, mask, 0.0))
masked_fill_tensor = op("masked_fill.1(self, mask, value)",
    lambda self, mask, value: np.where(mask, value.astype(self.dtype), self), check=_fillable,
    self=lambda g, mask: masked_fill(g, mask, 0.0), value=lambda g, mask: where(mask, g, 0.0).sum())


def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """`input` with `value`, a number or a tensor of rank 0, where the boolean `mask` holds."""
    return (masked_fill_tensor if isinstance(value, Tensor) else masked_fill_number)(input, mask, value)


# Comparisons and logic: not differentiable

eq = comparison("eq(self, other)", np.equal, operator="eq")
ne = comparison("ne(self, other)", np.not_equal, operator="ne")
lt = comparison("lt(self, other)", np.less, operator="lt")
le = comparison("le(self, other)", np.less_equal, operator="le")
gt = comparison("gt(self, other)", np.greater, operator="gt")
ge = comparison("ge(self, other)", np.greater_equal, operator="ge")
logical_and = arithmetic("logical_and(self, other)", np.logical_and)
logical_or = arithmetic("logical_or(self, other)", np.logical_or)
logical_xor = arithmetic("logical_xor(self, other)", np.logical_xor)
logical_not = op("logical_not(self)", np.logical_not, inplace=True)
bitwise_and = arithmetic("bitwise_and(self, other)", np.bitwise_and, operator="and")
bitwise_or = arithmetic("bitwise_or(self, other)", np.bitwise_or, operator="or")
bitwise_xor = arithmetic("bitwise_xor(self, other)", np.bitwise_xor, operator="xor")
bitwise_not = op("bitwise_not(self)", np.invert, inplace=True)
isnan = op("isnan(self)", np.isnan)
isinf = op("isinf(self)", np.isinf)
isfinite = op("isfinite(self)", np.isfinite)
signbit = op("signbit(self)", np.signbit)

# The squared error; its reduction is a number, as a node shows it


def _doubled(g, self, reduction):
    return div_number(mul_number(g, 2), math.prod(self.shape)) if reduction == 1 else mul_number(g, 2)


squared_error = op("mse_loss(self, target, reduction: int)",
                   lambda self, target, reduction: (np.asarray, np.mean, np.sum)[reduction](np.square(self - target)),
    check=partial(only_for, "f", "mse_cpu"), promote=True, method=False,
    self=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    target=lambda g, self, target, reduction: mse_loss_backward(g, target, self, reduction))
mse_loss_backward = op("mse_loss_backward(grad_output, self, target, reduction: int)",
                       lambda grad_output, self, target, reduction: (
                           grad_output * (2 / max(self.size, 1) if reduction == 1 else 2) * (self - target)),
    grad_output=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    self=lambda g, grad_output, self, reduction: _doubled(g * grad_output, self, reduction),
    target=lambda g, grad_output, self, reduction: -_doubled(g * grad_output, self, reduction))


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The `"mean"`, the `"sum"` or, with `"none"`, each of the squared differences of two tensors of one shape."""
    return squared_error(input, target, ("none", "mean", "sum").index(reduction))


# Methods and operators that are none of the rows'


def _reflected(function):
    def form(self, other):
        other = other.item() if isinstance(other, np.number) else other
        return function(self, other) if isinstance(other, (int, float)) else NotImplemented

    return form


for _form in (div, pow, square, clamp, masked_fill):
    setattr(Tensor, _form.__name__, _form)
    setattr(Tensor, f"{_form.__name__}_", inplace_form(_form))
for _operator, _form in {
    "pow": pow, "ipow": inplace_form(pow), "rpow": _reflected(lambda self, other: pow(other, self)),
    "rsub": _reflected(rsub), "neg": neg, "pos": lambda self: self, "abs": abs, "invert": bitwise_not,
    "rtruediv": lambda self, other: NotImplemented if isinstance(other, str) else reciprocal(self) * other,
}.items():
    setattr(Tensor, f"__{_operator}__", _form)
for _operator in ("add", "mul", "and", "or", "xor"):
    setattr(Tensor, f"__r{_operator}__", getattr(Tensor, f"__{_operator}__"))
Tensor.where = lambda self, condition, other: where(condition, self, other)  # type: ignore[attr-defined]

absolute, negative, multiply, subtract, divide, true_divide = abs, neg, mul, sub, div, div
for _alias in ("absolute", "negative", "multiply", "subtract", "divide", "true_divide"):
    setattr(Tensor, _alias, globals()[_alias])
    setattr(Tensor, f"{_alias}_", getattr(Tensor, f"{globals()[_alias].__name__}_"))
