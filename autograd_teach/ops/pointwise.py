"""Operations that act on each element by itself: arithmetic, functions, choices, comparisons.

A formula may use operators and any operation (`declare.py` says how a row is read). Source of the derivatives: calculus
in the form that shows in PyTorch's graph of a gradient, and its choices at kinks (tools/autograd/derivatives.yaml).
"""

import math
import operator
from functools import partial
from typing import Any

import numpy as np

from ..autograd.leaf import edge_of
from ..autograd.modes import state
from ..dtypes import as_floating, copied, promote, result_type
from ..errors import error, require
from ..tensor import Tensor, c_name, wrap
from .declare import inplace_form, method, op
from .operands import NUMBERS, broadcast_error, number, scaled

# A row takes a line or two, as in a table: one argument a line would scatter it.
# fmt: off

# Families of rows
arithmetic = partial(op, promote=True, inplace=True)
smooth = partial(op, floating=True, inplace=True)
stepwise = partial(op, inplace=True, self=lambda g: zeros_of(g))

def zeros_of(g):
    """A gradient of zero, whatever arrives: not `g * 0`, which is NaN for an infinite `g`, and no part of any graph."""
    return wrap(np.zeros_like(g._array)) if isinstance(g, Tensor) else np.zeros_like(g)

def only_for(kinds, *words, message="no_kernel"):
    """A check: an error for dtypes of other kinds (NumPy's letters), by itself with the name of PyTorch's kernel."""
    return lambda self, *others: require(self.dtype.kind in kinds, message, *words, self)

def in_single(kernel):
    """A kernel that computes halves in single precision and rounds their result once, as PyTorch's do."""
    def wide(self, *others):
        if self.dtype.char != "e":
            return kernel(self, *others)
        halves = (o.astype(np.float32) if getattr(o, "dtype", None) == np.float16 else o for o in (self, *others))
        return kernel(*halves).astype(np.float16)

    return wide

def cast(input: Tensor, dtype: np.dtype) -> Tensor:
    """A tensor as an operation computes with it in another dtype: the engine casts its gradient, there is no node."""
    if input._array.dtype == dtype:
        return input
    source = wrap(input._array.astype(dtype))
    source._counter = input._counter
    if state.recording:  # that of a view may be forbidden
        source._edge = edge_of(input)
    require(dtype.kind == "f" or not (input.requires_grad and state.recording), "no_gradient_of", source._array)
    return source

def common_shape(first, *others):
    """The shape to which arrays broadcast; RuntimeError, in PyTorch's words, if to none."""
    for other in others:
        if other.ndim and other.shape != first.shape:
            try:
                first = np.broadcast_to(0, np.broadcast_shapes(first.shape, other.shape))
            except ValueError:
                raise broadcast_error(first, other) from None
    return first.shape

# Sums, products, quotients. PyTorch's formulas compute with numbers by the rows `.1`, of one edge; a user's have two.

def _subtractable(a, b):
    bools = (a.dtype.kind + b.dtype.kind).count("b")
    if bools:
        raise error("sub_dtype" if bools == 2 else "sub_bool")
    return promote(a, b)

def _reversed(self, other, alpha):
    self, other = _subtractable(self, other)
    return np.subtract(other, self if alpha == 1 else scaled(self, alpha))

def _times(g, alpha):
    """`g * alpha`, without a node where alpha is 1."""
    return g if alpha == 1 else mul_number(g, alpha)

add = arithmetic("add(self, other, *, alpha=1)", np.add, operator="add",
    self=lambda g: g, other=lambda g, alpha: g if alpha == 1 else mul_number(g, alpha))
sub = arithmetic("sub(self, other, *, alpha=1)", np.subtract, promote=_subtractable, operator="sub",
    self=lambda g: g, other=lambda g, alpha: _times(-g, alpha))
mul = arithmetic("mul(self, other)", np.multiply, operator="mul",
    self=lambda g, other: g * other, other=lambda g, self: g * self)
div_true = arithmetic("div(self, other)", np.true_divide, floating=True, operator="truediv",
    self=lambda g, other: g / other, other=lambda g, self, other: -g * ((self / other) / other))
add_number = op("add.1(self, other: float)", operator.add, self=lambda g: g)
sub_number = op("sub.1(self, other: float)", operator.sub, self=lambda g: g)
mul_number = op("mul.1(self, other: float)", operator.mul, self=lambda g, other: mul_number(g, other))
div_number = op("div.1(self, other: float)", operator.truediv, self=lambda g, other: div_number(g, other))
rsub_tensor = op("rsub.0(self, other, *, alpha=1)", _reversed, other=lambda g: g,
    self=lambda g, alpha: _times(-g, alpha), check=lambda self, other, alpha: common_shape(other, self))
rsub_number = op("rsub.1(self, other: float, *, alpha=1)", self=lambda g, alpha: _times(-g, alpha),
    kernel=lambda self, other, alpha: _reversed(self, number(other, self)._array, alpha))
neg = op("neg(self)", np.negative, inplace=True, self=lambda g: -g)
reciprocal = smooth("reciprocal(self)", np.reciprocal, self=lambda g, result: -g * (result * result))

def _rounded(self, other, rounding_mode):
    if rounding_mode is None:
        return as_floating(self) / as_floating(other)
    require(rounding_mode in ("floor", "trunc"), "rounding_mode", rounding_mode)
    only_for("iuf", f"div_{rounding_mode}_cpu")(self)
    if self.dtype.kind != "f" and not other.all():
        raise RuntimeError("ZeroDivisionError")
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    return np.trunc(self / other) if self.dtype.kind == "f" else (self - np.fmod(self, other)) // other

div_rounded = op("div.2(self, other, rounding_mode: str)", _rounded, promote=True,
    self=lambda g, other, rounding_mode: zeros_of(g) if rounding_mode else g / other,
    other=lambda g, self, other, rounding_mode: zeros_of(g) if rounding_mode else -g * ((self / other) / other))

def div(input: Tensor, other: Any, **mode: Any) -> Tensor:
    """`input / other`, broadcasting, integers as floats; or rounded, with `rounding_mode` "floor" or "trunc".

    >>> import autograd_teach as torch
    >>> torch.tensor([1.0, 2.0]).div(4), torch.tensor([7, -7]).div(2, rounding_mode="trunc")
    (tensor([0.2500, 0.5000]), tensor([ 3, -3]))
    """
    return div_rounded(input, other, **mode) if mode else div_true(input, other)

def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """`other - alpha * input`."""
    return (rsub_tensor if isinstance(other, Tensor) else rsub_number)(input, other, alpha=alpha)

# Powers. The small ones that PyTorch computes by multiplication give the same last bit so, and are faster.

_POWERS = {0: np.ones_like, 0.5: np.sqrt, 1: np.copy, 2: partial(np.square, out=...), 3: lambda x: x * x * x}

def _power(self, exponent):
    if self.dtype.kind != "f":
        self = promote(self, number(exponent, self)._array)[0]
        if exponent < 0 and self.dtype.kind != "f":
            raise error("negative_power")
    power = _POWERS.get(exponent)
    return np.power(self, exponent) if power is None else power(self)

def _power_of_tensor(self, exponent):
    only_for("iuf", "pow")(self)
    if self.dtype.kind == "f" or (exponent >= 0).all():
        return np.power(self, exponent)
    # Integers: of the powers below 0 only those of 1 and -1 are not rounded to 0.
    whole = np.power(self, np.where(exponent < 0, exponent % 2, exponent))
    return np.where((exponent < 0) & (np.absolute(self) != 1), 0, whole)

# PyTorch's graph of the gradient of a square shows the first power and twice that; arrays need no multiplication for it.
pow_number = op("pow(self, exponent: float)", _power, self=lambda g, self, exponent: (
    g * (self + self) if exponent == 2 and not isinstance(self, Tensor) else zeros_of(g) if exponent == 0 else
    g * mul_number(pow(self, exponent - 1), exponent)))
# At exponent 0 the power is constant; at base 0 with a positive exponent it does not depend on the exponent.
pow_tensor = op("pow.1(self, exponent)", _power_of_tensor, promote=True, self=lambda g, self, exponent: where(
    exponent == 0, 0.0, g * (exponent * pow_tensor(self, sub_number(exponent, 1)))),
    exponent=lambda g, self, exponent, result: g * where((self == 0) & (exponent >= 0), 0.0, result * log(
        self if self.dtype == result.dtype else to_copy(self, result.dtype))))
pow_of_number = op("pow.2(exponent, self: float)", lambda exponent, self: np.asarray(_power_of_tensor(
    *promote(number(self, exponent)._array, exponent)), order="C"), exponent=lambda g, self, exponent, result: g * (
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
log10 = smooth("log10(self)", np.log10, self=lambda g, self: g / mul_number(self, math.log(10)))
log1p = smooth("log1p(self)", np.log1p, node="Log1PBackward0", self=lambda g, self: g / add_number(self, 1))
sqrt = smooth("sqrt(self)", np.sqrt, self=lambda g, result: g / mul_number(result, 2))
rsqrt = smooth("rsqrt(self)", in_single(lambda self: 1 / np.sqrt(self)),
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

def _tanh_slope(grad_output, y):
    # In one buffer: NumPy would make a second one for `1 - ...`, as large as a layer.
    slope = np.multiply(y, y, out=...)
    np.subtract(number(1, slope)._array, slope, slope)
    return np.multiply(grad_output, slope, slope)

tanh = smooth("tanh(self)", np.tanh, self=lambda g, result: tanh_backward(g, result))
tanh_backward = op("tanh_backward(grad_output, y)", _tanh_slope,
    grad_output=lambda g, y: tanh_backward(g, y), y=lambda g, grad_output, y: g * (mul_number(y, -2) * grad_output))
sigmoid = smooth("sigmoid(self)", in_single(lambda self: 1 / (1 + np.exp(-self))),
    self=lambda g, result: sigmoid_backward(g, result))
sigmoid_backward = op("sigmoid_backward(grad_output, y)", in_single(lambda grad_output, y: grad_output * (1 - y) * y),
    grad_output=lambda g, y: sigmoid_backward(g, y),
    y=lambda g, grad_output, y: g * grad_output * add_number(mul_number(y, -2), 1))

# Steps, and functions with kinks

floor, ceil, round = (stepwise(f"{step.__name__}(self)", step, check=only_for("iuf", f"{step.__name__}_vml_cpu"))
    for step in (np.floor, np.ceil, np.round))
sign, sgn = (stepwise(f"{name}(self)", lambda self: np.subtract(self > 0, self < 0, dtype=np.int8).astype(self.dtype))
    for name in ("sign", "sgn"))
abs = op("abs(self)", np.absolute, check=only_for("iuf", "abs_cpu"), inplace=True, self=lambda g, self: g * sgn(self))
relu = op("relu(self)", lambda self: np.maximum(0, self), check=only_for("iuf", "relu", message="boolean_inputs"),
    inplace=True, self=lambda g, result: threshold_backward(g, result, 0))
threshold = op("threshold(self, threshold: float, value: float)",
    lambda self, threshold, value: np.where(self <= threshold, self.dtype.type(value), self), method=False,
    check=only_for("iuf", "threshold_cpu"),
    self=lambda g, self, threshold: threshold_backward(g, self, threshold))
threshold_backward = op("threshold_backward(grad_output, self, threshold: float)",
    lambda grad_output, self, threshold: np.where(self <= threshold, 0, grad_output),
    grad_output=lambda g, self, threshold: threshold_backward(g, self, threshold),
    self=lambda g, self: zeros_of(g))  # PyTorch keeps it for this too

# Bounds

def _clamp(self, min, max):
    require(min is not None or max is not None, "clamp_bounds")
    require(not isinstance(min, Tensor) and not isinstance(max, Tensor), "clamp_tensor")
    return np.clip(as_floating(self) if float in (type(min), type(max)) else self, min, max)

clamp = op("clamp.1(self, min: float = None, max: float = None)", _clamp, self=lambda g, self, min, max: where(
    (self >= (-math.inf if min is None else min)) & (self <= (math.inf if max is None else max)), g, 0.0))

# Where both are equal, each gets half; where one is NaN, each gets all.
_larger, _smaller = (
    lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self < other, 0.0),
    lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self > other, 0.0))
maximum = op("maximum(self, other)", np.maximum, promote=True, self=_larger, other=_smaller)
minimum = op("minimum(self, other)", np.minimum, promote=True, self=_smaller, other=_larger)

# Copies and choices

def _check_choice(condition, self, other):
    require(condition.dtype.kind == "b", "where_condition", condition)
    common_shape(condition, self, other)

def _check_filling(self, mask, value):
    require(mask.dtype.kind == "b", "mask_dtype", c_name(mask))
    require(not np.ndim(value), "mask_value", np.ndim(value))
    common_shape(mask, self)

# A copy is laid out as what is copied, unless `order` is "C".
clone = op("clone(self, order='K')", copied, self=lambda g: g)
to_copy = op("to_copy(self, dtype: object)", lambda self, dtype: copied(self, d=getattr(dtype, "numpy", dtype)),
    method=False, self=lambda g, self_dtype: to_copy(g, self_dtype))
where_tensors = op("where(condition, self, other)", np.where, check=_check_choice,
    self=lambda g, condition: where(condition, g, 0.0), other=lambda g, condition: where(condition, 0.0, g))

def where(condition: Any, input: Any, other: Any) -> Any:
    """`input` where the boolean `condition` holds, else `other`; the two may be numbers and broadcast."""
    if not isinstance(condition, Tensor):
        return where_tensors(condition, input, other)
    if other.__class__ in NUMBERS:
        other = number(other, (input if isinstance(input, Tensor) else condition)._array)
    if input.__class__ in NUMBERS:
        input = number(input, other._array)
    dtype = result_type(input._array, other._array)
    return where_tensors(condition, cast(input, dtype), cast(other, dtype))

filling = partial(op, check=_check_filling, self=lambda g, mask: masked_fill(g, mask, 0.0),
    kernel=lambda self, mask, value: np.asarray(np.where(mask, np.asarray(value).astype(self.dtype), self), order="C"))
masked_fill_number = filling("masked_fill(self, mask, value: float)")
masked_fill_tensor = filling("masked_fill.1(self, mask, value)", value=lambda g, mask: where(mask, g, 0.0).sum())

def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """`input` with `value`, a number or a tensor of rank 0, where the boolean `mask` holds."""
    return (masked_fill_tensor if isinstance(value, Tensor) else masked_fill_number)(input, mask, value)

# Comparisons and logic: not differentiable

eq, ne, lt, le, gt, ge = (op(f"{name}(self, other)", test, promote=True, operator=name) for name, test in zip(
    ("eq", "ne", "lt", "le", "gt", "ge"),
    (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)))
logical_and, logical_or, logical_xor = (
    arithmetic(f"{test.__name__}(self, other)", test) for test in (np.logical_and, np.logical_or, np.logical_xor))
logical_not = op("logical_not(self)", np.logical_not, inplace=True)
bitwise_and, bitwise_or, bitwise_xor = (arithmetic(f"bitwise_{name}(self, other)", test, operator=name)
    for name, test in (("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)))
bitwise_not = op("bitwise_not(self)", np.invert, inplace=True)
isnan, isinf, isfinite, signbit = (
    op(f"{test.__name__}(self)", test) for test in (np.isnan, np.isinf, np.isfinite, np.signbit))

def needs_tensor(name, other):
    """TypeError where the second operand of a function that is no row is no tensor (a row asks by itself)."""
    if not isinstance(other, Tensor):
        raise error("argument_is_no_tensor", name, "other", 2, type(other).__name__)

@method
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements, broadcast, are within `atol + rtol * |other|` of each other; RuntimeError for two dtypes."""
    needs_tensor("allclose", other)
    a, b = input._array, other._array
    require(a.dtype == b.dtype, "allclose_dtypes", a, b)
    require(rtol >= 0, "allclose_tolerance", "rtol", rtol)
    require(atol >= 0, "allclose_tolerance", "atol", atol)
    common_shape(a, b)
    return bool(np.allclose(a, b, rtol, atol, equal_nan))

@method
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both tensors have the same size and elements."""
    needs_tensor("equal", other)
    return np.array_equal(input._array, other._array)

# Methods and operators that are none of the rows'

def _reflected(function):
    def form(self, other):
        other = other.item() if isinstance(other, np.number) else other
        return function(self, other) if isinstance(other, (int, float)) else NotImplemented

    return form

def _positive(self):
    require(self._array.dtype.kind != "b", "pos_dtype")
    return self

for _form in (div, pow, square, clamp, masked_fill):
    setattr(Tensor, _form.__name__, _form)
    setattr(Tensor, f"{_form.__name__}_", inplace_form(_form))
for _operator, _form in {
    "pow": pow, "ipow": inplace_form(pow), "rpow": _reflected(lambda self, other: pow(other, self)),
    "rsub": _reflected(rsub), "neg": neg, "pos": _positive, "abs": abs, "invert": bitwise_not,
    "rtruediv": lambda self, other: NotImplemented if isinstance(other, str) else reciprocal(self) * other,
}.items():
    setattr(Tensor, f"__{_operator}__", _form)
for _operator in ("add", "mul", "and", "or", "xor"):
    setattr(Tensor, f"__r{_operator}__", getattr(Tensor, f"__{_operator}__"))
Tensor.where = lambda self, condition, other: where(condition, self, other)  # type: ignore[attr-defined]
