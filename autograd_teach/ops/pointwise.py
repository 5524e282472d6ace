"""Operations that act on each element by itself: arithmetic, functions, choices, comparisons.

A formula may use operators and any operation (`operation.py` says how a row is read). Source of the derivatives: calculus
in the form that shows in PyTorch's graph of a gradient, and its choices at kinks (tools/autograd/derivatives.yaml).
"""

import math
import operator
from functools import partial
from typing import Any

import numpy as np

from .. import quiet
from ..autograd.leaf import edge_of
from ..autograd.modes import state
from ..dtypes import as_floating, copied, promote, result_type
from ..errors import error, require
from ..tensor import Tensor, c_name, tensor_method, wrap
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
def add(self, other, *, alpha=1):
    """The sum `input + alpha * other`.

    input: tensor. other: tensor or number, broadcast with `input`. Both are promoted to one dtype; bools add as
    "or". alpha: number; RuntimeError if it is a float and the result dtype is not. RuntimeError if the shapes
    do not broadcast.

    >>> torch.add(torch.tensor([1, 2]), torch.tensor([[10], [20]]), alpha=2)
    tensor([[21, 22],
            [41, 42]])
    """

@arithmetic(np.subtract, promote=_subtractable, operator="sub",
    self=lambda g: g, other=lambda g, alpha: _times(-g, alpha))
def sub(self, other, *, alpha=1):
    """The difference `input - alpha * other`.

    input: tensor. other: tensor or number, broadcast with `input`. Both are promoted to one dtype. RuntimeError
    if one of them is bool (use `^` or `~`), if the shapes do not broadcast, or if `alpha` is a float and the
    result is integer.

    >>> torch.sub(torch.tensor([5.0, 7.0]), torch.tensor([1.0, 2.0]), alpha=3)
    tensor([2., 1.])
    """

@arithmetic(np.multiply, operator="mul",
    self=lambda g, other: g * other, other=lambda g, self: g * self)
def mul(self, other):
    """The product `input * other`, element by element (`matmul` is the matrix product).

    input: tensor. other: tensor or number, broadcast with `input`. Both are promoted to one dtype; a number
    never makes a float32 tensor float64. Integers wrap around on overflow; bools multiply as "and".
    RuntimeError if the shapes do not broadcast.

    >>> torch.mul(torch.tensor([1, 2]), 2.5), torch.tensor([200], dtype=torch.uint8) * 2
    (tensor([2.5000, 5.0000]), tensor([144], dtype=torch.uint8))
    """

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
def neg(self):
    """The negative `-input`.

    input: tensor of any shape. Keeps the dtype: unsigned integers wrap around. RuntimeError for bool: use `~`.

    >>> torch.neg(torch.tensor([1, -2])), torch.neg(torch.tensor([1, 2], dtype=torch.uint8))
    (tensor([-1,  2]), tensor([255, 254], dtype=torch.uint8))
    """

@smooth(np.reciprocal, self=lambda g, result: -g * (result * result))
def reciprocal(self):
    """The reciprocal `1 / input`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. Zero gives infinity
    with the sign of the zero. The gradient is `-1 / input**2`.

    >>> torch.reciprocal(torch.tensor([4, 0])), torch.reciprocal(torch.tensor([-0.0]))
    (tensor([0.2500,    inf]), tensor([-inf]))
    """

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
    """The quotient `input / other`, optionally rounded.

    input: tensor. other: tensor or number, broadcast with `input`. rounding_mode: None, "floor" (down) or
    "trunc" (towards zero). Without rounding, integers are computed in the default float dtype; with it,
    integers stay integers and the gradient is zero. RuntimeError for another mode, or if an integer is divided
    by 0 with rounding; otherwise division by zero gives infinity or NaN. NotImplementedError for rounding with
    two bools.

    >>> torch.div(torch.tensor([7, -7]), 2), torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
    (tensor([ 3.5000, -3.5000]), tensor([ 3, -3]))
    """
    return div_rounded(input, other, **mode) if mode else div_true(input, other)

def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """The difference with its operands reversed: `other - alpha * input`.

    input: tensor. other: tensor or number, broadcast with `input`. The operator form is `other - input`.
    RuntimeError if one of them is bool, if the shapes do not broadcast, or if `alpha` is a float and the result
    is integer.

    >>> torch.rsub(torch.tensor([1, 2]), 10, alpha=3)
    tensor([7, 4])
    """
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
    """The power `input ** exponent`; either of them can be a number.

    input, exponent: tensors that broadcast, or one tensor and one number (TypeError for two numbers). They are
    promoted to one dtype; a root of a negative number is NaN, and `0 ** 0` is 1. With integers, RuntimeError if
    the exponent is a negative number; negative exponents in a tensor give 0, except for the bases 1 and -1.
    NotImplementedError for two bool tensors. The gradient of `exponent` is `result * log(input)`, NaN for a
    negative base.

    >>> torch.pow(torch.tensor([2, 3]), 2), torch.pow(2, torch.tensor([1.0, 2.0, -1.0]))
    (tensor([4, 9]), tensor([2.0000, 4.0000, 0.5000]))
    """
    if isinstance(exponent, (int, float)):
        return pow_number(input, exponent)
    return pow_of_number(exponent, input) if isinstance(input, (int, float)) else pow_tensor(input, exponent)

def square(input: Tensor) -> Tensor:
    """The square `input * input`, recorded as `input ** 2`.

    input: tensor of any shape. Keeps the dtype, but bool becomes int64. The gradient is `2 * input`.

    >>> torch.square(torch.tensor([-3.0, 0.5], requires_grad=True))
    tensor([9.0000, 0.2500], grad_fn=<PowBackward0>)
    """
    return pow_number(input, 2)

# Smooth functions

@smooth(np.exp, self=lambda g, result: g * result)
def exp(self):
    """The exponential `e ** input`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. The result is
    positive: it overflows to infinity (in float32 above 88.7) or underflows to 0. The function is its own
    derivative.

    >>> torch.exp(torch.tensor([0.0, 1.0, 89.0]))
    tensor([1.0000, 2.7183,    inf])
    """

@smooth(np.expm1, self=lambda g, result: g * add_number(result, 1))
def expm1(self):
    """The exponential minus one, `e ** input - 1`, accurate near zero.

    input: tensor of any shape; integers and bools are computed in the default float dtype. `exp(input) - 1`
    loses most digits of a small input, because `exp(input)` is rounded near 1. The result is at least -1.

    >>> x = torch.tensor([1e-6])
    >>> torch.expm1(x), torch.exp(x) - 1
    (tensor([1.0000e-06]), tensor([1.0729e-06]))
    """

@smooth(np.log, self=lambda g, self: g / self)
def log(self):
    """The natural logarithm.

    input: tensor of any shape; integers and bools are computed in the default float dtype. `log(0)` is -inf,
    and a negative number gives NaN. The gradient is `1 / input`, infinite at 0.

    >>> torch.log(torch.tensor([1.0, 0.0, -1.0]))
    tensor([0., -inf, nan])
    """

@smooth(np.log10, self=lambda g, self: g / mul_number(self, math.log(10)))
def log10(self):
    """The logarithm to base 10.

    input: tensor of any shape; integers and bools are computed in the default float dtype. `log10(0)` is -inf,
    and a negative number gives NaN. The gradient is `1 / (input * log(10))`.

    >>> torch.log10(torch.tensor([100, 0, -100]))
    tensor([2.0000,   -inf,    nan])
    """

@smooth(np.log1p, node="Log1PBackward0", self=lambda g, self: g / add_number(self, 1))
def log1p(self):
    """The natural logarithm of `1 + input`, accurate near zero.

    input: tensor of any shape; integers and bools are computed in the default float dtype. `log(1 + input)`
    would round a small input away. -1 gives -inf, and a number below -1 gives NaN.

    >>> x = torch.tensor([1e-8])
    >>> torch.log1p(x), torch.log(1 + x)
    (tensor([1.0000e-08]), tensor([0.]))
    """

@smooth(np.sqrt, self=lambda g, result: g / mul_number(result, 2))
def sqrt(self):
    """The square root.

    input: tensor of any shape; integers and bools are computed in the default float dtype. A negative number
    gives NaN. The gradient is `1 / (2 * sqrt(input))`, infinite at 0.

    >>> torch.sqrt(torch.tensor([9, 2, -1]))
    tensor([3.0000, 1.4142,    nan])
    """

@smooth(in_single(lambda self: 1 / np.sqrt(self)),
    self=lambda g, result: mul_number(g, -0.5) * pow_number(result, 3))
def rsqrt(self):
    """The reciprocal of the square root, `1 / sqrt(input)`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. Zero gives infinity,
    and a negative number gives NaN. float16 is computed in float32 and rounded once.

    >>> torch.rsqrt(torch.tensor([0.25, 4.0, 0.0]))
    tensor([2.0000, 0.5000,    inf])
    """

@smooth(np.sin, self=lambda g, self: g * cos(self))
def sin(self):
    """The sine of angles in radians.

    input: tensor of any shape; integers and bools are computed in the default float dtype. The result lies in
    [-1, 1]; an infinite input gives NaN. The gradient is the cosine.

    >>> torch.sin(torch.tensor([0.0, 1.0, float("inf")]))
    tensor([0.0000, 0.8415,    nan])
    """

@smooth(np.cos, self=lambda g, self: g * -sin(self))
def cos(self):
    """The cosine of angles in radians.

    input: tensor of any shape; integers and bools are computed in the default float dtype. The result lies in
    [-1, 1]; an infinite input gives NaN. The gradient is minus the sine.

    >>> torch.cos(torch.tensor([0, 1, -1]))
    tensor([1.0000, 0.5403, 0.5403])
    """

@smooth(np.tan, self=lambda g, result: g * add_number(pow_number(result, 2), 1))
def tan(self):
    """The tangent of angles in radians, `sin(input) / cos(input)`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. The result can be
    any real number. No float is exactly pi/2, so the result next to a pole is large but finite. An infinite
    input gives NaN. The gradient is `1 + result**2`.

    >>> torch.tan(torch.tensor([0.7853982, float("inf")]))
    tensor([1., nan])
    """

@smooth(np.arcsin, self=lambda g, self: g * rsqrt(add_number(-self * self, 1)))
def asin(self):
    """The arcsine: the angle in [-pi/2, pi/2] with the given sine.

    input: tensor of any shape; integers and bools are computed in the default float dtype. A number outside
    [-1, 1] gives NaN. The gradient is `1 / sqrt(1 - input**2)`, infinite at -1 and 1.

    >>> torch.asin(torch.tensor([-1.0, 0.5, 2.0]))
    tensor([-1.5708,  0.5236,     nan])
    """

@smooth(np.arccos, self=lambda g, self: g * -rsqrt(add_number(-self * self, 1)))
def acos(self):
    """The arccosine: the angle in [0, pi] with the given cosine.

    input: tensor of any shape; integers and bools are computed in the default float dtype. A number outside
    [-1, 1] gives NaN. The gradient is `-1 / sqrt(1 - input**2)`, infinite at -1 and 1.

    >>> torch.acos(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([3.1416, 1.5708,    nan])
    """

@smooth(np.arctan, self=lambda g, self: g / add_number(self * self, 1))
def atan(self):
    """The arctangent: the angle in [-pi/2, pi/2] with the given tangent.

    input: tensor of any shape; integers and bools are computed in the default float dtype. Every number is
    allowed; infinities give the ends of the range. The gradient is `1 / (1 + input**2)`.

    >>> torch.atan(torch.tensor([1.0, float("inf"), float("-inf")]))
    tensor([ 0.7854,  1.5708, -1.5708])
    """

@smooth(np.sinh, self=lambda g, self: g * cosh(self))
def sinh(self):
    """The hyperbolic sine, `(exp(input) - exp(-input)) / 2`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. Odd and unbounded:
    in float32 it overflows to an infinity beyond 89.4 and -89.4. The gradient is `cosh(input)`.

    >>> torch.sinh(torch.tensor([-1.0, 1.0, 90.0]))
    tensor([-1.1752,  1.1752,     inf])
    """

@smooth(np.cosh, self=lambda g, self: g * sinh(self))
def cosh(self):
    """The hyperbolic cosine, `(exp(input) + exp(-input)) / 2`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. Even and at least 1:
    in float32 it overflows to infinity beyond 89.4 and -89.4. The gradient is `sinh(input)`.

    >>> torch.cosh(torch.tensor([-1.0, 1.0, -90.0]))
    tensor([1.5431, 1.5431,    inf])
    """

@op(np.arccosh, floating=True, self=lambda g, self: g * rsqrt(sub_number(self * self, 1)))
def acosh(self):
    """The inverse hyperbolic cosine, `log(input + sqrt(input**2 - 1))`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. A number below 1
    gives NaN; the result is at least 0. The gradient is `1 / sqrt(input**2 - 1)`, infinite at 1.

    >>> torch.acosh(torch.tensor([0.5, 1.0, 2.0]))
    tensor([   nan, 0.0000, 1.3170])
    """

def _tanh_slope(grad_output, y):
    # In one buffer: NumPy would make a second one for `1 - ...`, as large as a layer.
    slope = np.multiply(y, y, out=...)
    np.subtract(number(1, slope)._array, slope, slope)
    return np.multiply(grad_output, slope, slope)

@smooth(np.tanh, self=lambda g, result: tanh_backward(g, result))
def tanh(self):
    """The hyperbolic tangent, `sinh(input) / cosh(input)`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. The result lies in
    [-1, 1] and rounds to the ends for large inputs. The gradient, `1 - result**2`, is 0 there.

    >>> torch.tanh(torch.tensor([-1.0, 0.0, 20.0]))
    tensor([-0.7616,  0.0000,  1.0000])
    """

@op(_tanh_slope,
    grad_output=lambda g, y: tanh_backward(g, y), y=lambda g, grad_output, y: g * (mul_number(y, -2) * grad_output))
def tanh_backward(grad_output, y): ...
@smooth(in_single(lambda self: 1 / (1 + np.exp(-self))),
    self=lambda g, result: sigmoid_backward(g, result))
def sigmoid(self):
    """The logistic function, `1 / (1 + exp(-input))`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. The result lies in
    [0, 1] and rounds to the ends for large inputs. The gradient is `result * (1 - result)`, at most 0.25.
    float16 is computed in float32 and rounded once.

    >>> torch.sigmoid(torch.tensor([-2.0, 0.0, 2.0]))
    tensor([0.1192, 0.5000, 0.8808])
    """

@op(in_single(lambda grad_output, y: grad_output * (1 - y) * y),
    grad_output=lambda g, y: sigmoid_backward(g, y),
    y=lambda g, grad_output, y: g * grad_output * add_number(mul_number(y, -2), 1))
def sigmoid_backward(grad_output, y): ...

# Steps, and functions with kinks

def _sign(self):
    return np.subtract(self > 0, self < 0, dtype=np.int8).astype(self.dtype)

@stepwise(np.floor, check=only_for("iuf", "floor_vml_cpu"))
def floor(self):
    """The largest integer not above each element.

    input: tensor of any shape. Keeps the dtype; integers do not change. NotImplementedError for bool. The
    gradient is zero.

    >>> torch.floor(torch.tensor([1.5, -1.5]))
    tensor([ 1., -2.])
    """

@stepwise(np.ceil, check=only_for("iuf", "ceil_vml_cpu"))
def ceil(self):
    """The smallest integer not below each element.

    input: tensor of any shape. Keeps the dtype; integers do not change. NotImplementedError for bool. The
    gradient is zero.

    >>> torch.ceil(torch.tensor([1.2, -1.2, -0.5]))
    tensor([ 2., -1., -0.])
    """

@stepwise(np.round, check=only_for("iuf", "round_vml_cpu"))
def round(self):
    """The nearest integer; halves are rounded to the even neighbour.

    input: tensor of any shape. Keeps the dtype; integers do not change. NotImplementedError for bool. The
    gradient is zero. Source of the rule for halves: IEEE 754, round half to even.

    >>> torch.round(torch.tensor([0.5, 1.5, 2.5, 2.6]))
    tensor([0., 2., 2., 3.])
    """

@stepwise(_sign)
def sign(self):
    """The sign of each element: -1, 0 or 1.

    input: tensor of any shape, bools too. Keeps the dtype. NaN and both zeros give 0. The gradient is zero
    everywhere.

    >>> torch.sign(torch.tensor([-2.5, 0.0, 3.0, float("nan")]))
    tensor([-1.,  0.,  1.,  0.])
    """

@stepwise(_sign)
def sgn(self):
    """The sign of each element: for real numbers the same as `sign`.

    input: tensor of any shape; the two differ only for complex dtypes, which this engine does not have. Keeps
    the dtype. NaN gives 0. The gradient is zero; the gradient of `abs` is computed with `sgn`.

    >>> torch.sgn(torch.tensor([-7, 0, 7]))
    tensor([-1,  0,  1])
    """

@op(np.absolute, check=only_for("iuf", "abs_cpu"), inplace=True, self=lambda g, self: g * sgn(self))
def abs(self):
    """The absolute value `|input|`.

    input: tensor of any shape. Keeps the dtype; the lowest integer, for example -128 in int8, stays as it is.
    NotImplementedError for bool. The gradient is the sign of the input: 0 at the kink.

    >>> torch.abs(torch.tensor([-1.5, 2.0])), torch.abs(torch.tensor([-128], dtype=torch.int8))
    (tensor([1.5000, 2.0000]), tensor([-128], dtype=torch.int8))
    """

@op(lambda self: np.maximum(0, self), check=only_for("iuf", "relu", message="boolean_inputs"),
    inplace=True, self=lambda g, result: threshold_backward(g, result, 0))
def relu(self):
    """The rectified linear unit, `max(input, 0)`.

    input: tensor of any shape. Keeps the dtype; NaN stays NaN. RuntimeError for bool. The gradient is 1 above
    0, and 0 elsewhere, also at the kink.

    >>> x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    >>> torch.autograd.grad(torch.relu(x).sum(), x)
    (tensor([0., 0., 1.]),)
    """

@op(lambda self, threshold, value: np.where(self <= threshold, self.dtype.type(value), self), method=False,
    check=only_for("iuf", "threshold_cpu"),
    self=lambda g, self, threshold: threshold_backward(g, self, threshold))
def threshold(self, threshold: float, value: float):
    """`input` if it is greater than `threshold`, else `value`.

    input: tensor of any shape; NaN stays NaN. threshold, value: numbers; `value` is cast to the dtype of
    `input`. Returns a tensor of the same shape and dtype. NotImplementedError for bool. The gradient is 1 above
    the threshold and 0 elsewhere.

    >>> torch.threshold(torch.tensor([0.5, 1.0, 1.5]), 1.0, -9.0)
    tensor([-9.0000, -9.0000,  1.5000])
    """

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
def clamp(self, min: float | None = None, max: float | None = None):
    """Each element, limited to the range from `min` to `max`.

    input: tensor of any shape. min, max: numbers, or None for no limit; if `min` is above `max`, the result is
    `max`. A float limit makes integers floats; NaN stays NaN. RuntimeError if both are None,
    NotImplementedError if one is a tensor (`maximum` and `minimum` take tensors). The gradient is 1 from limit
    to limit, both included, and 0 outside.

    >>> torch.clamp(torch.tensor([-1.0, 0.5, 3.0]), 0, 1), torch.clamp(torch.tensor([-1, 3]), max=2)
    (tensor([0.0000, 0.5000, 1.0000]), tensor([-1,  2]))
    """

# Where both are equal, each gets half; where one is NaN, each gets all.
_larger, _smaller = (
    lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self < other, 0.0),
    lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self > other, 0.0))
@op(np.maximum, promote=True, self=_larger, other=_smaller)
def maximum(self, other):
    """The larger of two elements.

    input, other: tensors that broadcast, promoted to one dtype (TypeError for a number). NaN in either gives
    NaN. RuntimeError if the shapes do not broadcast. The larger element gets the gradient; equal ones get half
    each. If one is NaN, each gets the whole gradient.

    >>> torch.maximum(torch.tensor([1, 5]), torch.tensor([3.0, float("nan")]))
    tensor([3., nan])
    """

@op(np.minimum, promote=True, self=_smaller, other=_larger)
def minimum(self, other):
    """The smaller of two elements.

    input, other: tensors that broadcast, promoted to one dtype (TypeError for a number). NaN in either gives
    NaN. RuntimeError if the shapes do not broadcast. The smaller element gets the gradient; equal ones get half
    each. If one is NaN, each gets the whole gradient.

    >>> x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> torch.autograd.grad(torch.minimum(x, torch.tensor(2.0)).sum(), x)
    (tensor([1.0000, 0.5000, 0.0000]),)
    """

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
def clone(self, order='K'):
    """A copy of the data that stays connected to the graph.

    input: tensor of any shape and dtype. order: "K" keeps the order of the dimensions in memory, "C" makes the
    copy contiguous. The gradient passes unchanged to `input`; `input.detach().clone()` is a copy outside the
    graph.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.clone(x).zero_(), x
    (tensor([0., 0.], grad_fn=<ZeroBackward0>), tensor([1., 1.], requires_grad=True))
    """

@op(lambda self, dtype: copied(self, d=getattr(dtype, "numpy", dtype)),
    method=False, self=lambda g, self_dtype: to_copy(g, self_dtype))
def to_copy(self, dtype: object): ...
@op(np.where, overload="where", check=_check_choice,
    self=lambda g, condition: where(condition, g, 0.0), other=lambda g, condition: where(condition, 0.0, g))
def where_tensors(condition, self, other): ...

def where(condition: Any, input: Any, other: Any) -> Any:
    """`input` where `condition` is true, else `other`.

    condition: bool tensor. input, other: tensors or numbers. All three broadcast; the result has the promoted
    dtype of the two values. TypeError if `condition` is not a tensor; RuntimeError if it is not bool or the
    shapes do not broadcast. The value that was not chosen gets gradient 0. If its own backward divides by zero,
    as `sqrt` does at 0, that gradient becomes NaN.

    >>> x = torch.tensor([-2.0, 3.0])
    >>> torch.where(x > 0, x, 0.1 * x)
    tensor([-0.2000,  3.0000])
    """
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
    """A copy of `input` with `value` where `mask` is true.

    input: tensor, broadcast with `mask`, a bool tensor. value: number or tensor without dimensions, cast to the
    dtype of `input`. RuntimeError if `mask` is not bool, if `value` has dimensions, or if the shapes do not
    broadcast. Filled elements of `input` get gradient 0; a tensor `value` gets the sum of their incoming
    gradients.

    >>> torch.masked_fill(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([False, True, False]), float("-inf"))
    tensor([1., -inf, 3.])
    """
    return (masked_fill_tensor if isinstance(value, Tensor) else masked_fill_number)(input, mask, value)

# Comparisons and logic: not differentiable

@op(np.equal, promote=True, operator="eq")
def eq(self, other):
    """Whether `input == other`, element by element (`equal` compares whole tensors).

    input: tensor. other: tensor or number, broadcast with `input` and compared in the promoted dtype. Returns a
    bool tensor; NaN is not equal to anything, including itself. RuntimeError if the shapes do not broadcast.
    Not differentiable.

    >>> torch.eq(torch.tensor([1.0, float("nan")]), torch.tensor([1.0, float("nan")]))
    tensor([ True, False])
    """

@op(np.not_equal, promote=True, operator="ne")
def ne(self, other):
    """Whether `input != other`, element by element.

    input: tensor. other: tensor or number, broadcast with `input` and compared in the promoted dtype. Returns a
    bool tensor, the opposite of `eq`: NaN differs from everything, including itself. RuntimeError if the shapes
    do not broadcast. Not differentiable.

    >>> x = torch.tensor([1.0, float("nan")])
    >>> torch.ne(x, x)
    tensor([False,  True])
    """

@op(np.less, promote=True, operator="lt")
def lt(self, other):
    """Whether `input < other`, element by element.

    input: tensor. other: tensor or number, broadcast with `input` and compared in the promoted dtype. Returns a
    bool tensor; False for NaN. RuntimeError if the shapes do not broadcast. Not differentiable.

    >>> torch.lt(torch.tensor([1, 2]), torch.tensor([[1.5], [2.5]]))
    tensor([[ True, False],
            [ True,  True]])
    """

@op(np.less_equal, promote=True, operator="le")
def le(self, other):
    """Whether `input <= other`, element by element.

    input: tensor. other: tensor or number, broadcast with `input` and compared in the promoted dtype. Returns a
    bool tensor; False for NaN. RuntimeError if the shapes do not broadcast. Not differentiable.

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """

@op(np.greater, promote=True, operator="gt")
def gt(self, other):
    """Whether `input > other`, element by element.

    input: tensor. other: tensor or number, broadcast with `input` and compared in the promoted dtype. Returns a
    bool tensor; False for NaN. True is greater than False. RuntimeError if the shapes do not broadcast. Not
    differentiable.

    >>> torch.gt(torch.tensor([1.0, 2.0, float("nan")]), 1)
    tensor([False,  True, False])
    """

@op(np.greater_equal, promote=True, operator="ge")
def ge(self, other):
    """Whether `input >= other`, element by element.

    input: tensor. other: tensor or number, broadcast with `input` and compared in the promoted dtype. Returns a
    bool tensor; False for NaN, so `ge` is not the opposite of `lt`. RuntimeError if the shapes do not
    broadcast. Not differentiable.

    >>> x = torch.tensor([1.0, float("nan")])
    >>> torch.ge(x, 1), ~torch.lt(x, 1)
    (tensor([ True, False]), tensor([True, True]))
    """

@arithmetic(np.logical_and)
def logical_and(self, other):
    """Whether both elements are nonzero.

    input, other: tensors of any dtype that broadcast (TypeError for a number). Returns a bool tensor; NaN
    counts as true. RuntimeError if the shapes do not broadcast. Not differentiable.

    >>> torch.logical_and(torch.tensor([0, 1, 2]), torch.tensor([1.0, 0.0, 4.0]))
    tensor([False, False,  True])
    """

@arithmetic(np.logical_or)
def logical_or(self, other):
    """Whether at least one of two elements is nonzero.

    input, other: tensors of any dtype that broadcast (TypeError for a number). Returns a bool tensor; NaN
    counts as true. RuntimeError if the shapes do not broadcast. Not differentiable.

    >>> torch.logical_or(torch.tensor([0, 0, 2]), torch.tensor([0.0, float("nan"), 4.0]))
    tensor([False,  True,  True])
    """

@arithmetic(np.logical_xor)
def logical_xor(self, other):
    """Whether exactly one of two elements is nonzero.

    input, other: tensors of any dtype that broadcast (TypeError for a number). Returns a bool tensor; NaN
    counts as true. RuntimeError if the shapes do not broadcast. Not differentiable.

    >>> torch.logical_xor(torch.tensor([0, 3, 3]), torch.tensor([1, 0, 5]))
    tensor([ True,  True, False])
    """

@op(np.logical_not, inplace=True)
def logical_not(self):
    """Whether each element is zero.

    input: tensor of any shape and dtype. Returns a bool tensor; NaN counts as true, so the result is False. Not
    differentiable.

    >>> torch.logical_not(torch.tensor([0.0, 0.5, float("nan")]))
    tensor([ True, False, False])
    """

@arithmetic(np.bitwise_and, operator="and")
def bitwise_and(self, other):
    """The bits set in both numbers, `input & other`.

    input: integer or bool tensor. other: integer or bool, tensor or number, broadcast with `input`. Both are
    promoted to one dtype. For bools this is "and". NotImplementedError for floats; RuntimeError if the shapes
    do not broadcast.

    >>> torch.bitwise_and(torch.tensor([0b110, 0b101]), 0b011)
    tensor([2, 1])
    """

@arithmetic(np.bitwise_or, operator="or")
def bitwise_or(self, other):
    """The bits set in at least one of two numbers, `input | other`.

    input: integer or bool tensor. other: integer or bool, tensor or number, broadcast with `input`. Both are
    promoted to one dtype. For bools this is "or". NotImplementedError for floats; RuntimeError if the shapes do
    not broadcast.

    >>> torch.bitwise_or(torch.tensor([0b100, 0b001]), torch.tensor([0b001]))
    tensor([5, 1])
    """

@arithmetic(np.bitwise_xor, operator="xor")
def bitwise_xor(self, other):
    """The bits set in exactly one of two numbers, `input ^ other`.

    input: integer or bool tensor. other: integer or bool, tensor or number, broadcast with `input`. Both are
    promoted to one dtype. For bools: whether they differ. NotImplementedError for floats; RuntimeError if the
    shapes do not broadcast.

    >>> torch.bitwise_xor(torch.tensor([True, True]), torch.tensor([True, False]))
    tensor([False,  True])
    """

@op(np.invert, inplace=True)
def bitwise_not(self):
    """Each number with all its bits flipped, `~input`.

    input: integer or bool tensor of any shape. Keeps the dtype: a signed `x` becomes `-x - 1`, and True becomes
    False. TypeError for floats.

    >>> torch.bitwise_not(torch.tensor([0, 5])), ~torch.tensor([True, False])
    (tensor([-1, -6]), tensor([False,  True]))
    """

@op(np.isnan)
def isnan(self):
    """Whether each element is NaN ("not a number").

    input: tensor of any shape; integers and bools are never NaN. Returns a bool tensor. Not differentiable.
    `==` cannot find NaN, because NaN does not equal itself.

    >>> torch.isnan(torch.tensor([0.0, 1.0]) / 0)
    tensor([ True, False])
    """

@op(np.isinf)
def isinf(self):
    """Whether each element is infinite, with either sign.

    input: tensor of any shape; integers, bools and NaN are not infinite. Returns a bool tensor. Not
    differentiable.

    >>> torch.isinf(torch.tensor([-1.0, 0.0, 1.0]) / 0)
    tensor([ True, False,  True])
    """

@op(np.isfinite)
def isfinite(self):
    """Whether each element is neither infinite nor NaN.

    input: tensor of any shape; integers and bools are always finite. Returns a bool tensor. Not differentiable.

    >>> torch.isfinite(torch.log(torch.tensor([1.0, 0.0, -1.0])))
    tensor([ True, False, False])
    """

@op(np.signbit)
def signbit(self):
    """Whether the sign of each element is negative, also the sign of a zero.

    input: tensor of any shape; False for bools and unsigned integers. Returns a bool tensor. Not
    differentiable.

    >>> x = torch.tensor([0.0, -0.0, -3.0])
    >>> torch.signbit(x), x < 0
    (tensor([False,  True,  True]), tensor([False, False,  True]))
    """

def needs_tensor(name, other):
    """TypeError where the second operand of a function that is no row is no tensor (a row asks by itself)."""
    if not isinstance(other, Tensor):
        raise error("argument_is_no_tensor", name, "other", 2, type(other).__name__)

@method
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether every element satisfies `|input - other| <= atol + rtol * |other|`.

    input, other: tensors of one dtype that broadcast. rtol, atol: relative and absolute tolerance. equal_nan:
    whether two NaNs are close. Equal infinities are close. Returns a Python bool. RuntimeError if the dtypes
    differ, a tolerance is negative or the shapes do not broadcast; TypeError if `other` is not a tensor. Source
    of the formula: NumPy's `isclose`.

    >>> x = torch.tensor([0.0, 100.0])
    >>> torch.allclose(x, torch.tensor([0.0, 100.0005])), torch.allclose(x, torch.tensor([0.0005, 100.0]))
    (True, False)
    """
    needs_tensor("allclose", other)
    a, b = input._array, other._array
    require(a.dtype == b.dtype, "allclose_dtypes", a, b)
    require(rtol >= 0, "allclose_tolerance", "rtol", rtol)
    require(atol >= 0, "allclose_tolerance", "atol", atol)
    common_shape(a, b)
    return bool(quiet.allclose(a, b, rtol, atol, equal_nan))

@method
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and equal elements (`eq` compares element by element).

    input, other: tensors of any dtype; 1 equals 1.0. Shapes do not broadcast, and NaN does not equal itself.
    Returns a Python bool. TypeError if `other` is not a tensor.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.equal(x, torch.tensor([[1.0, 2.0]])), torch.equal(x, torch.tensor([1, 2]))
    (True, False)
    """
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

@tensor_method
def _where(self: Tensor, condition: Any, other: Any) -> Tensor:
    """`torch.where(condition, self, other)`."""
    return where(condition, self, other)
