"""Operations that act on each element by itself: arithmetic, functions, choices, comparisons.

A formula may use operators and any operation (`operation.py` says how a row is read). Source of the derivatives: calculus
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
from .operands import NUMBERS, broadcast_error, number, scaled
from .operation import inplace_form, method, op
from .vocabulary import on_arrays

# A row takes a line or two, as in a table: one argument a line would scatter it.
# fmt: off

# Families of rows
arithmetic = partial(op, promote=True, inplace=True)
smooth = partial(op, floating=True, inplace=True)
stepwise = partial(op, inplace=True, self=lambda g: zeros_of(g))

@on_arrays(np.zeros_like)
def zeros_of(g):
    """A gradient of zero, whatever arrives: not `g * 0`, which is NaN for an infinite `g`, and no part of any graph."""
    return wrap(np.zeros_like(g._array))

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
    if state.mode.recording:  # that of a view may be forbidden
        source._edge = edge_of(input)
    require(dtype.kind == "f" or not (input.requires_grad and state.mode.recording), "no_gradient_of", source._array)
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

@arithmetic(np.add, operator="add",
    self=lambda g: g, other=lambda g, alpha: g if alpha == 1 else mul_number(g, alpha))
def add(self, other, *, alpha=1): ...
@arithmetic(np.subtract, promote=_subtractable, operator="sub",
    self=lambda g: g, other=lambda g, alpha: _times(-g, alpha))
def sub(self, other, *, alpha=1): ...
@arithmetic(np.multiply, operator="mul",
    self=lambda g, other: g * other, other=lambda g, self: g * self)
def mul(self, other): ...
@arithmetic(np.true_divide, overload="div", floating=True, operator="truediv",
    self=lambda g, other: g / other, other=lambda g, self, other: -g * ((self / other) / other))
def div_true(self, other): ...
@op(operator.add, overload="add.1", self=lambda g: g)
def add_number(self, other: float): ...
@op(operator.sub, overload="sub.1", self=lambda g: g)
def sub_number(self, other: float): ...
@op(operator.mul, overload="mul.1", self=lambda g, other: mul_number(g, other))
def mul_number(self, other: float): ...
@op(operator.truediv, overload="div.1", self=lambda g, other: div_number(g, other))
def div_number(self, other: float): ...
@op(_reversed, overload="rsub.0", other=lambda g: g,
    self=lambda g, alpha: _times(-g, alpha), check=lambda self, other, alpha: common_shape(other, self))
def rsub_tensor(self, other, *, alpha=1): ...
@op(overload="rsub.1", self=lambda g, alpha: _times(-g, alpha),
    kernel=lambda self, other, alpha: _reversed(self, number(other, self)._array, alpha))
def rsub_number(self, other: float, *, alpha=1): ...
@op(np.negative, inplace=True, self=lambda g: -g)
def neg(self): ...
@smooth(np.reciprocal, self=lambda g, result: -g * (result * result))
def reciprocal(self): ...

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

@op(_rounded, overload="div.2", promote=True,
    self=lambda g, other, rounding_mode: zeros_of(g) if rounding_mode else g / other,
    other=lambda g, self, other, rounding_mode: zeros_of(g) if rounding_mode else -g * ((self / other) / other))
def div_rounded(self, other, rounding_mode: str): ...

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

# PyTorch's graph of the gradient of a square shows the first power and twice that; arrays need no power for it.
@on_arrays(lambda self, exponent: self + self if exponent == 2 else _power(self, exponent - 1) * exponent)
def _slope_of_power(self, exponent):
    return mul_number(pow_number(self, exponent - 1), exponent)

@op(_power, overload="pow", self=lambda g, self, exponent: (
    zeros_of(g) if exponent == 0 else g * _slope_of_power(self, exponent)))
def pow_number(self, exponent: float): ...
# At exponent 0 the power is constant; at base 0 with a positive exponent it does not depend on the exponent.
@op(_power_of_tensor, overload="pow.1", promote=True, self=lambda g, self, exponent: where(
    exponent == 0, 0.0, g * (exponent * pow_tensor(self, sub_number(exponent, 1)))),
    exponent=lambda g, self, exponent, result: g * where((self == 0) & (exponent >= 0), 0.0, result * log(
        self if self.dtype == result.dtype else to_copy(self, result.dtype))))
def pow_tensor(self, exponent): ...
@op(lambda exponent, self: np.asarray(_power_of_tensor(
    *promote(number(self, exponent)._array, exponent)), order="C"), overload="pow.2", exponent=lambda g, self, exponent, result: g * (
    mul_number(result, float(np.log(self))) if self else where(exponent >= 0, 0.0, mul_number(result, -math.inf))))
def pow_of_number(exponent, self: float): ...

def pow(input: Any, exponent: Any) -> Any:
    """`input ** exponent`, either of them a tensor or a number."""
    if isinstance(exponent, (int, float)):
        return pow_number(input, exponent)
    return pow_of_number(exponent, input) if isinstance(input, (int, float)) else pow_tensor(input, exponent)

def square(input: Tensor) -> Tensor:
    """`input ** 2`."""
    return pow_number(input, 2)

# Smooth functions

@smooth(np.exp, self=lambda g, result: g * result)
def exp(self): ...
@smooth(np.expm1, self=lambda g, result: g * add_number(result, 1))
def expm1(self): ...
@smooth(np.log, self=lambda g, self: g / self)
def log(self): ...
@smooth(np.log10, self=lambda g, self: g / mul_number(self, math.log(10)))
def log10(self): ...
@smooth(np.log1p, node="Log1PBackward0", self=lambda g, self: g / add_number(self, 1))
def log1p(self): ...
@smooth(np.sqrt, self=lambda g, result: g / mul_number(result, 2))
def sqrt(self): ...
@smooth(in_single(lambda self: 1 / np.sqrt(self)),
    self=lambda g, result: mul_number(g, -0.5) * pow_number(result, 3))
def rsqrt(self): ...
@smooth(np.sin, self=lambda g, self: g * cos(self))
def sin(self): ...
@smooth(np.cos, self=lambda g, self: g * -sin(self))
def cos(self): ...
@smooth(np.tan, self=lambda g, result: g * add_number(pow_number(result, 2), 1))
def tan(self): ...
@smooth(np.arcsin, self=lambda g, self: g * rsqrt(add_number(-self * self, 1)))
def asin(self): ...
@smooth(np.arccos, self=lambda g, self: g * -rsqrt(add_number(-self * self, 1)))
def acos(self): ...
@smooth(np.arctan, self=lambda g, self: g / add_number(self * self, 1))
def atan(self): ...
@smooth(np.sinh, self=lambda g, self: g * cosh(self))
def sinh(self): ...
@smooth(np.cosh, self=lambda g, self: g * sinh(self))
def cosh(self): ...
@op(np.arccosh, floating=True, self=lambda g, self: g * rsqrt(sub_number(self * self, 1)))
def acosh(self): ...

def _tanh_slope(grad_output, y):
    # In one buffer: NumPy would make a second one for `1 - ...`, as large as a layer.
    slope = np.multiply(y, y, out=...)
    np.subtract(number(1, slope)._array, slope, slope)
    return np.multiply(grad_output, slope, slope)

@smooth(np.tanh, self=lambda g, result: tanh_backward(g, result))
def tanh(self): ...
@op(_tanh_slope,
    grad_output=lambda g, y: tanh_backward(g, y), y=lambda g, grad_output, y: g * (mul_number(y, -2) * grad_output))
def tanh_backward(grad_output, y): ...
@smooth(in_single(lambda self: 1 / (1 + np.exp(-self))),
    self=lambda g, result: sigmoid_backward(g, result))
def sigmoid(self): ...
@op(in_single(lambda grad_output, y: grad_output * (1 - y) * y),
    grad_output=lambda g, y: sigmoid_backward(g, y),
    y=lambda g, grad_output, y: g * grad_output * add_number(mul_number(y, -2), 1))
def sigmoid_backward(grad_output, y): ...

# Steps, and functions with kinks

def _sign(self):
    return np.subtract(self > 0, self < 0, dtype=np.int8).astype(self.dtype)

@stepwise(np.floor, check=only_for("iuf", "floor_vml_cpu"))
def floor(self): ...
@stepwise(np.ceil, check=only_for("iuf", "ceil_vml_cpu"))
def ceil(self): ...
@stepwise(np.round, check=only_for("iuf", "round_vml_cpu"))
def round(self): ...
@stepwise(_sign)
def sign(self): ...
@stepwise(_sign)
def sgn(self): ...
@op(np.absolute, check=only_for("iuf", "abs_cpu"), inplace=True, self=lambda g, self: g * sgn(self))
def abs(self): ...
@op(lambda self: np.maximum(0, self), check=only_for("iuf", "relu", message="boolean_inputs"),
    inplace=True, self=lambda g, result: threshold_backward(g, result, 0))
def relu(self): ...
@op(lambda self, threshold, value: np.where(self <= threshold, self.dtype.type(value), self), method=False,
    check=only_for("iuf", "threshold_cpu"),
    self=lambda g, self, threshold: threshold_backward(g, self, threshold))
def threshold(self, threshold: float, value: float): ...
@op(lambda grad_output, self, threshold: np.where(self <= threshold, 0, grad_output),
    grad_output=lambda g, self, threshold: threshold_backward(g, self, threshold),
    self=lambda g, self: zeros_of(g))
def threshold_backward(grad_output, self, threshold: float): ...  # PyTorch keeps it for this too

# Bounds

def _clamp(self, min, max):
    require(min is not None or max is not None, "clamp_bounds")
    require(not isinstance(min, Tensor) and not isinstance(max, Tensor), "clamp_tensor")
    return np.clip(as_floating(self) if float in (type(min), type(max)) else self, min, max)

@op(_clamp, overload="clamp.1", self=lambda g, self, min, max: where(
    (self >= (-math.inf if min is None else min)) & (self <= (math.inf if max is None else max)), g, 0.0))
def clamp(self, min: float | None = None, max: float | None = None): ...

# Where both are equal, each gets half; where one is NaN, each gets all.
_larger, _smaller = (
    lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self < other, 0.0),
    lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self > other, 0.0))
@op(np.maximum, promote=True, self=_larger, other=_smaller)
def maximum(self, other): ...
@op(np.minimum, promote=True, self=_smaller, other=_larger)
def minimum(self, other): ...

# Copies and choices

def _check_choice(condition, self, other):
    require(condition.dtype.kind == "b", "where_condition", condition)
    common_shape(condition, self, other)

def _check_filling(self, mask, value):
    require(mask.dtype.kind == "b", "mask_dtype", c_name(mask))
    require(not np.ndim(value), "mask_value", np.ndim(value))
    common_shape(mask, self)

# A copy is laid out as what is copied, unless `order` is "C".
@op(copied, self=lambda g: g)
def clone(self, order='K'): ...
@op(lambda self, dtype: copied(self, d=getattr(dtype, "numpy", dtype)),
    method=False, self=lambda g, self_dtype: to_copy(g, self_dtype))
def to_copy(self, dtype: object): ...
@op(np.where, overload="where", check=_check_choice,
    self=lambda g, condition: where(condition, g, 0.0), other=lambda g, condition: where(condition, 0.0, g))
def where_tensors(condition, self, other): ...

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
@filling(overload="masked_fill")
def masked_fill_number(self, mask, value: float): ...
@filling(overload="masked_fill.1", value=lambda g, mask: where(mask, g, 0.0).sum())
def masked_fill_tensor(self, mask, value): ...

def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """`input` with `value`, a number or a tensor of rank 0, where the boolean `mask` holds."""
    return (masked_fill_tensor if isinstance(value, Tensor) else masked_fill_number)(input, mask, value)

# Comparisons and logic: not differentiable

@op(np.equal, promote=True, operator="eq")
def eq(self, other): ...
@op(np.not_equal, promote=True, operator="ne")
def ne(self, other): ...
@op(np.less, promote=True, operator="lt")
def lt(self, other): ...
@op(np.less_equal, promote=True, operator="le")
def le(self, other): ...
@op(np.greater, promote=True, operator="gt")
def gt(self, other): ...
@op(np.greater_equal, promote=True, operator="ge")
def ge(self, other): ...
@arithmetic(np.logical_and)
def logical_and(self, other): ...
@arithmetic(np.logical_or)
def logical_or(self, other): ...
@arithmetic(np.logical_xor)
def logical_xor(self, other): ...
@op(np.logical_not, inplace=True)
def logical_not(self): ...
@arithmetic(np.bitwise_and, operator="and")
def bitwise_and(self, other): ...
@arithmetic(np.bitwise_or, operator="or")
def bitwise_or(self, other): ...
@arithmetic(np.bitwise_xor, operator="xor")
def bitwise_xor(self, other): ...
@op(np.invert, inplace=True)
def bitwise_not(self): ...
@op(np.isnan)
def isnan(self): ...
@op(np.isinf)
def isinf(self): ...
@op(np.isfinite)
def isfinite(self): ...
@op(np.signbit)
def signbit(self): ...

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
