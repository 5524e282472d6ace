"""Elementwise operations: arithmetic, functions, choices, comparisons.

`operation.py` explains rows; a formula may use operators and any operation. Source of the
derivatives: calculus, with PyTorch's choices at kinks (tools/autograd/derivatives.yaml) and in the
form that its graphs of gradients show.
"""

import builtins
import math
import operator
from collections.abc import Callable
from functools import cache, partial, reduce
from typing import Any

import numpy as np

# Rows are compact, as in a table: the formatter would put every argument on a line of its own.
# fmt: off
# isort: off
from ..autograd.leaf import edge_of
from ..autograd.modes import state
from ..dtypes import (
    SCALARS, as_floating, category, contiguous_format, copied, float64, memory_format, promote, promote_types,
    result_type)
from ..errors import class_name, error, require
from ..quiet import converted
from ..tensor import Tensor, c_name, tensor_method, wrap
from .codegen import forward_function
from .operands import NUMBERS, broadcast_error, number, scaled
from .operation import OPERATIONS, attach, inplace_form, method, op
from .vocabulary import on_arrays


# Families of rows
arithmetic = partial(op, promote=True, inplace=True)
smooth = partial(op, floating=True, inplace=True)
stepwise = partial(op, inplace=True, self=lambda g: zeros_of(g))

@on_arrays(lambda value, like: like.dtype.type(value))
def number_beside(value, like):
    """A number as an operand with an edge of its own, which leads nowhere."""
    return number(value, like._array)

@on_arrays(np.zeros_like)
def zeros_of(g):
    """A gradient of zero without history. Not `g * 0`, which is NaN for an infinite `g`."""
    return wrap(np.zeros_like(g._array))

def only_for(kinds, *words, message="no_kernel"):
    """A check that raises for dtypes of other kinds (NumPy's letters), by default with the name of PyTorch's kernel."""
    return lambda self, *others: require(self.dtype.kind in kinds, message, *words, self)

def in_single(kernel):
    """A kernel that computes float16 in single precision and rounds the result once, like PyTorch's."""
    def wide(self, *others):
        if self.dtype.char != "e":
            return kernel(self, *others)
        halves = (o.astype(np.float32) if getattr(o, "dtype", None) == np.float16 else o for o in (self, *others))
        return kernel(*halves).astype(np.float16)

    return wide

def cast(input: Tensor, dtype: np.dtype) -> Tensor:
    """A tensor in the dtype that an operation computes in; the engine casts its gradient, so there is no node."""
    if input._array.dtype == dtype:
        return input
    source = wrap(converted(input._array, dtype))
    source._counter = input._counter
    if state.mode.recording:  # for a view, this may raise
        source._edge = edge_of(input)
    require(dtype.kind == "f" or not (input.requires_grad and state.mode.recording), "no_gradient_of", source._array)
    return source

def common_shape(first, *others):
    """The shape to which arrays broadcast; PyTorch's RuntimeError if they do not."""
    for other in others:
        if other.ndim and other.shape != first.shape:
            try:
                first = np.broadcast_to(0, np.broadcast_shapes(first.shape, other.shape))
            except ValueError:
                raise broadcast_error(first, other) from None
    return first.shape

# Numbers and tensors as arguments

@cache
def _range_of(d):
    """The range of numbers in a dtype. Negative numbers wrap around in unsigned dtypes."""
    limits = np.finfo(d) if d.kind == "f" else np.iinfo(d)
    lowest, highest = -limits.max if d.kind == "u" else limits.min, limits.max
    return (float(lowest), float(highest)) if d.kind == "f" else (int(lowest), int(highest))

def held(value, array):
    """A number in an array's dtype; PyTorch's RuntimeError if it does not fit."""
    d = array.dtype
    if isinstance(value, int) and not -(2 ** 63) <= value < 2 ** 64:
        raise OverflowError("int too big to convert")
    if d.kind != "b":
        lowest, highest = _range_of(d)
        lowest = 0 if d.kind == "u" and isinstance(value, float) else lowest
        if not (lowest <= value <= highest or (d.kind == "f" and not math.isfinite(value))):
            short = {"int32": "int", "float16": "c10::Half", "float32": "float", "float64": "double"}
            raise error("value_overflows", short.get(d.name, f"{d.name}_t"))
    return np.asarray(value).astype(d)

def unwrapped(value):
    """A NumPy scalar as a Python number; other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value

# The default of an argument where PyTorch distinguishes None from no argument: `torch.sum(x, None, True)` is valid,
# `torch.sum(x, keepdim=True)` is not.
NOT_GIVEN: Any = type("NotGiven", (), {"__repr__": lambda self: "None"})()

def require_overload(fits, name, *given):
    """TypeError for arguments that no overload of a function accepts."""
    if not fits:
        kinds = ["Tensor" if isinstance(g, Tensor) else class_name(g) for g in given if g is not NOT_GIVEN]
        raise error("no_overload", name, ", ".join(kinds))

def dispatch(of_number, of_tensor, *operands, of_first_number=None, **options):
    """Call the overload for a number or a tensor as the last operand, or for a number as the first of two."""
    *others, last = operands
    if last.__class__ in NUMBERS:
        return of_number(*operands, **options)
    if isinstance(last, Tensor):
        if of_first_number and isinstance(first := unwrapped(others[0]), (int, float)):
            return of_first_number(last, first)
        return of_tensor(*operands, **options)
    require_overload(isinstance(last := unwrapped(last), (int, float)), of_tensor.__name__, *operands)
    return of_number(*others, last, **options)

def needs_tensor(name, **arguments):
    """TypeError if an argument is not a tensor, for functions that are not rows (rows check it themselves)."""
    for position, (parameter, value) in enumerate(arguments.items(), 1):
        require(isinstance(value, Tensor), "argument_is_no_tensor", name, parameter, position, class_name(value))

def needs_number(name, argument, value):
    """TypeError if an argument is not a number."""
    require(isinstance(value, (int, float, np.number)), "argument_is_no_number", name, argument, class_name(value))

def beside(self, other):
    """An array and a number, promoted."""
    return promote(self, number(other, self)._array)

def in_one_dtype(*tensors):
    """Tensors in the dtype of an operation on all of them: those of rank 0 count only if their category is higher."""
    arrays = [t._array for t in tensors]
    ranks = [[a.dtype for a in arrays if (a.ndim > 0) is ranked] for ranked in (True, False)]
    d, *scalar = [reduce(promote_types, dtypes) for dtypes in ranks if dtypes]
    d = promote_types(d, *scalar) if scalar and category(scalar[0]) > category(d) else d
    return [cast(t, d) for t in tensors]

# Sums, products, quotients. PyTorch's formulas use the rows `.1` for numbers, with one edge; a
# user's calls have two.

def _subtractable(a, b):
    bools = (a.dtype.kind + b.dtype.kind).count("b")
    if bools:
        raise error("sub_dtype" if bools == 2 else "sub_bool")
    return promote(a, b)

def _reversed(self, other, alpha):
    self, other = _subtractable(self, other)
    return np.subtract(other, self if alpha == 1 else scaled(self, alpha))

def times(g, alpha):
    """`g * alpha`, without a node if alpha is 1."""
    return g if alpha == 1 else mul_number(g, alpha)

@arithmetic(np.add, operator="add", self=lambda g: g, other=lambda g, alpha: times(g, alpha))
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
    self=lambda g: g, other=lambda g, alpha: times(-g, alpha))
def sub(self, other, *, alpha=1):
    """The difference `input - alpha * other`.

    input: tensor. other: tensor or number, broadcast with `input`. Both are promoted to one dtype. RuntimeError
    if one of them is bool (use `^` or `~`), if the shapes do not broadcast, or if `alpha` is a float and the
    result is integer.

    >>> torch.sub(torch.tensor([5.0, 7.0]), torch.tensor([1.0, 2.0]), alpha=3)
    tensor([2., 1.])
    """

@arithmetic(np.multiply, operator="mul", self=lambda g, other: g * other, other=lambda g, self: g * self)
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
def div_true(self, other):
    """The quotient `input / other`: `div` without a rounding mode.

    input: tensor. other: tensor or number, broadcast with `input`. Integers and bools are computed in the default float
    dtype. Division by zero gives infinity or NaN. RuntimeError if the shapes do not broadcast.

    >>> torch.true_divide(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    """

def _with_number(compute):
    """A kernel that converts its number to an array of rank 0, which is three times as fast in NumPy."""
    def kernel(self, other):
        beside_floats = self.__class__ is np.ndarray and self.dtype.kind == "f"
        return compute(self, number(other, self)._value if beside_floats else other)
    return kernel

_product = _with_number(operator.mul)

@op(_with_number(operator.add), overload="add.1", scalars=True, self=lambda g: g)
def add_number(self, other: float): ...
@op(_with_number(operator.sub), overload="sub.1", scalars=True, self=lambda g: g)
def sub_number(self, other: float): ...
@op(_product, overload="mul.1", scalars=True, self=lambda g, other: mul_number(g, other))
def mul_number(self, other: float): ...
@op(_with_number(operator.truediv), overload="div.1", scalars=True, self=lambda g, other: div_number(g, other))
def div_number(self, other: float): ...
@op(_reversed, overload="rsub.0", other=lambda g: g,
    self=lambda g, alpha: times(-g, alpha), check=lambda self, other, alpha: common_shape(other, self))
def rsub_tensor(self, other, *, alpha=1): ...
def _from_number(self, other, alpha):
    other = number(other, self)._value
    return other - self if alpha == 1 and other.dtype.kind == self.dtype.kind == "f" else _reversed(self, other, alpha)

@op(_from_number, overload="rsub.1", scalars=True, self=lambda g, alpha: times(-g, alpha))
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

def _refuse_zero(self, other):
    if self.dtype.kind != "f" and not np.all(other):
        raise RuntimeError("ZeroDivisionError")

def _rounded(self, other, rounding_mode):
    if rounding_mode is None:
        return as_floating(self) / as_floating(other)
    require_overload(isinstance(rounding_mode, str), "div", wrap(self), wrap(other), rounding_mode)
    require(rounding_mode in ("floor", "trunc"), "rounding_mode", rounding_mode)
    only_for("iuf", f"div_{rounding_mode}_cpu")(self)
    _refuse_zero(self, other)
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    return np.trunc(self / other) if self.dtype.kind == "f" else (self - np.fmod(self, other)) // other

@op(_rounded, overload="div.2", promote=True,
    self=lambda g, other, rounding_mode: zeros_of(g) if rounding_mode else g / other,
    other=lambda g, self, other, rounding_mode: zeros_of(g) if rounding_mode else -g * ((self / other) / other))
def div_rounded(self, other, rounding_mode: str): ...

def div(input: Tensor, other: Any, *, rounding_mode: Any = NOT_GIVEN) -> Tensor:
    """The quotient `input / other`, optionally rounded.

    input: tensor. other: tensor or number, broadcast with `input`. rounding_mode: None, "floor" (down) or
    "trunc" (towards zero). Without rounding, integers are computed in the default float dtype; with it,
    integers stay integers and the gradient is zero. RuntimeError for another mode, or if an integer is divided
    by 0 with rounding; otherwise division by zero gives infinity or NaN. NotImplementedError for rounding with
    two bools.

    >>> torch.div(torch.tensor([7, -7]), 2), torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
    (tensor([ 3.5000, -3.5000]), tensor([ 3, -3]))
    """
    # `rounding_mode=None` makes another node than no argument.
    return div_true(input, other) if rounding_mode is NOT_GIVEN else div_rounded(input, other, rounding_mode)

def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """The difference with its operands reversed: `other - alpha * input`.

    input: tensor. other: tensor or number, broadcast with `input`. The operator form is `other - input`.
    RuntimeError if one of them is bool, if the shapes do not broadcast, or if `alpha` is a float and the result
    is integer.

    >>> torch.rsub(torch.tensor([1, 2]), 10, alpha=3)
    tensor([7, 4])
    """
    return dispatch(rsub_number, rsub_tensor, input, other, alpha=alpha)

# Remainders and rounded quotients. Some are not differentiated by PyTorch: their node raises.

def _rest(self, other, floored):
    only_for("iuf", "remainder_cpu" if floored else "fmod_cpu")(self)
    _refuse_zero(self, other)
    rest = np.fmod(self, other)
    return np.where((rest != 0) & ((rest < 0) != (other < 0)), rest + other, rest) if floored else rest

def no_derivative(name, message="no_derivative"):
    raise error(message, name)

_remainder, _fmod = partial(_rest, floored=True), partial(_rest, floored=False)
_floor_divide = partial(_rounded, rounding_mode="floor")
_undifferentiated = partial(op, node="torch::autograd::NotImplemented")

@op(lambda self, other: _remainder(*beside(self, other)), overload="remainder", self=lambda g: g)
def remainder_number(self, other: float): ...
@op(_remainder, overload="remainder.1", promote=True,
    self=lambda g: g, other=lambda g, self, other: -g * div_rounded(self, other, "floor"))
def remainder_tensor(self, other): ...
@_undifferentiated(lambda other, self: _remainder(*beside(other, self)[::-1]), overload="remainder.2",
    other=lambda g: no_derivative("remainder"))
def remainder_of_number(other, self: float): ...
@op(lambda self, other: _fmod(*beside(self, other)), overload="fmod", self=lambda g: g)
def fmod_number(self, other: float): ...
@op(_fmod, overload="fmod.1", promote=True,
    self=lambda g: g, other=lambda g, self, other: -g * div_rounded(self, other, "trunc"))
def fmod_tensor(self, other): ...
@_undifferentiated(lambda self, other: _floor_divide(*beside(self, other)), overload="floor_divide",
    self=lambda g: no_derivative("floor_divide"))
def floor_divide_number(self, other: float): ...
@_undifferentiated(_floor_divide, overload="floor_divide.1", promote=True,
    self=lambda g: no_derivative("floor_divide"), other=lambda g: no_derivative("floor_divide"))
def floor_divide_tensor(self, other): ...
@_undifferentiated(lambda other, self: _floor_divide(*beside(other, self)[::-1]), overload="floor_divide.2",
    other=lambda g: no_derivative("floor_divide"))
def floor_divide_of_number(other, self: float): ...

def remainder(input: Any, other: Any) -> Tensor:
    """The remainder of `input / other` with the sign of `other`: `input % other`, as in Python.

    input, other: tensors that broadcast, or one tensor and one number. Both are promoted to one dtype. Division by
    0 gives NaN; RuntimeError if they are integers. NotImplementedError for two bools. The gradient of `input` is 1,
    that of a tensor `other` is minus the quotient, rounded down; the jumps are left out. A number on the left has
    no derivative: `backward` raises RuntimeError, as in PyTorch.

    >>> torch.remainder(torch.tensor([7, -7]), 3), torch.tensor([5.5, -5.5]) % torch.tensor([2.0, 2.0])
    (tensor([1, 2]), tensor([1.5000, 0.5000]))
    """
    return dispatch(remainder_number, remainder_tensor, input, other, of_first_number=remainder_of_number)

def fmod(input: Tensor, other: Any) -> Tensor:
    """The remainder of `input / other` with the sign of `input`, as in C (`remainder` has the sign of `other`).

    input: tensor. other: tensor or number, broadcast with `input`. Both are promoted to one dtype. Division by 0
    gives NaN; RuntimeError if they are integers. NotImplementedError for two bools. The gradient of `input` is 1,
    that of a tensor `other` is minus the quotient, rounded towards zero; the jumps are left out.

    >>> torch.fmod(torch.tensor([7, -7]), 3), torch.fmod(torch.tensor([5.5, -5.5]), 2)
    (tensor([ 1, -1]), tensor([ 1.5000, -1.5000]))
    """
    return dispatch(fmod_number, fmod_tensor, input, other)

def floor_divide(input: Any, other: Any) -> Tensor:
    """The quotient, rounded down to a whole number: `input // other`, as in Python.

    input, other: tensors that broadcast, or one tensor and one number. Both are promoted to one dtype, which the
    result keeps. RuntimeError if an integer is divided by 0. NotImplementedError for two bools. Not differentiable:
    `backward` raises RuntimeError, as in PyTorch; `div` with `rounding_mode="floor"` has the gradient 0.

    >>> torch.floor_divide(torch.tensor([7, -7]), 2), 7 // torch.tensor([2.0, -2.0])
    (tensor([ 3, -4]), tensor([ 3., -4.]))
    """
    return dispatch(floor_divide_number, floor_divide_tensor, input, other, of_first_number=floor_divide_of_number)

# addcmul, addcdiv and lerp

def _check_lerp(self, end, weight):
    tensors = {"end": end, "weight": weight} if isinstance(weight, np.ndarray) else {"end": end}
    for name, other in tensors.items():
        require(self.dtype == other.dtype, "lerp_dtype", c_name(self), name, c_name(other))
    only_for("f", f"lerp_kernel_{'scalar' if len(tensors) == 1 else 'tensor'}")(self)
    common_shape(self, *tensors.values())

def _lerp(self, end, weight):
    weight, way = np.asarray(weight, self.dtype), end - self
    # From the nearer end, so a weight of 1 gives `end` exactly.
    return np.where(np.absolute(weight) < 0.5, self + weight * way, end - way * (1 - weight))

interpolation = partial(op, in_single(_lerp), check=_check_lerp)
@interpolation(overload="lerp",
    self=lambda g, weight: mul_number(g, 1 - weight), end=lambda g, weight: mul_number(g, weight))
def lerp_number(self, end, weight: float): ...
@interpolation(overload="lerp.1", self=lambda g, weight: g * (number_beside(1, weight) - weight),
    end=lambda g, weight: g * weight, weight=lambda g, self, end: g * (end - self))
def lerp_tensor(self, end, weight): ...

def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """Linear interpolation, `input + weight * (end - input)`: `input` for the weight 0, `end` for 1.

    input, end: tensors of one floating dtype. weight: number, or tensor of that dtype; it may lie outside [0, 1]. A weight
    of rank 0 may have another dtype: all three are promoted to one. All broadcast. RuntimeError for different dtypes or shapes that do not broadcast; NotImplementedError for
    integers. Each of the three tensors gets a gradient.

    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.25)
    tensor([ 0.2500, 12.5000])
    """
    if getattr(weight, "shape", None) == () and isinstance(end, Tensor) and input.dtype == end.dtype:
        input, end, weight = in_one_dtype(input, end, weight)
    return dispatch(lerp_number, lerp_tensor, input, end, weight)

def _check_addcmul(self, tensor1, tensor2, value):
    common_shape(self, tensor1, tensor2)
    only_for("iuf", "addcmul_cpu_out")(self)

@op(in_single(lambda self, tensor1, tensor2, value: self + held(value, self) * tensor1 * tensor2), overload="addcmul",
    check=_check_addcmul, self=lambda g: g, tensor1=lambda g, tensor2, value: g * mul_number(tensor2, value),
    tensor2=lambda g, tensor1, value: g * mul_number(tensor1, value))
def sum_with_product(self, tensor1, tensor2, value: float): ...
@op(in_single(lambda self, tensor1, tensor2, value: self + held(value, self) * tensor1 / tensor2), overload="addcdiv",
    check=lambda self, tensor1, tensor2, value: common_shape(self, tensor1, tensor2),
    self=lambda g: g, tensor1=lambda g, tensor2, value: g * (number_beside(value, tensor2) / tensor2),
    tensor2=lambda g, tensor1, tensor2, value: -g * (mul_number(tensor1, value) / (tensor2 * tensor2)))
def sum_with_quotient(self, tensor1, tensor2, value: float): ...

def _terms(name, input, tensor1, tensor2, value):
    needs_tensor(name, input=input, tensor1=tensor1, tensor2=tensor2)
    needs_number(name, "'value'", value)
    return *in_one_dtype(input, tensor1, tensor2), unwrapped(value)

def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """The sum `input + value * tensor1 * tensor2`.

    input, tensor1, tensor2: tensors that broadcast, promoted to one dtype. value: number; for integers it loses its
    fraction. RuntimeError if the shapes do not broadcast, NotImplementedError for bools.

    >>> torch.addcmul(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([10.0]), value=0.5)
    tensor([16., 22.])
    """
    return sum_with_product(*_terms("addcmul", input, tensor1, tensor2, value))

def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """The sum `input + value * tensor1 / tensor2`.

    input, tensor1, tensor2: tensors that broadcast, promoted to one dtype; RuntimeError if neither `tensor1` nor
    `tensor2` is floating, or if the shapes do not broadcast. value: number.

    >>> torch.addcdiv(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([10.0]), value=0.5)
    tensor([1.1500, 2.2000])
    """
    operands = _terms("addcdiv", input, tensor1, tensor2, value)
    require("f" in (tensor1._array.dtype.kind, tensor2._array.dtype.kind), "addcdiv_integers")
    return sum_with_quotient(*operands)

# Powers. For small exponents PyTorch multiplies, which is faster; the same here gives the same
# rounding.

_POWERS = {0: np.ones_like, 0.5: np.sqrt, 1: np.copy, 2: lambda x: x * x, 3: lambda x: x * x * x}

def _power(self, exponent):
    if self.__class__ not in SCALARS and self.dtype.kind != "f":
        self = promote(self, number(exponent, self)._array)[0]
        if exponent < 0 and self.dtype.kind != "f":
            raise error("negative_power")
    power = _POWERS.get(exponent)
    return np.power(self, exponent) if power is None else power(self)

def _power_of_tensor(self, exponent):
    only_for("iuf", "pow")(self)
    if self.dtype.kind == "f" or (exponent >= 0).all():
        return np.power(self, exponent)
    # Integers: negative powers are rounded to 0, except those of 1 and -1.
    whole = np.power(self, np.where(exponent < 0, exponent % 2, exponent))
    return np.where((exponent < 0) & (np.absolute(self) != 1), 0, whole)

# In PyTorch's graph, the gradient of a square is twice a first power; arrays need no power for it.
@on_arrays(lambda self, exponent: self + self if exponent == 2 else _product(_power(self, exponent - 1), exponent))
def _slope_of_power(self, exponent):
    return mul_number(pow_number(self, exponent - 1), exponent)

@op(_power, overload="pow", scalars=True, self=lambda g, self, exponent: (
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
    if exponent.__class__ in NUMBERS:  # fast path for the usual case
        return pow_number(input, exponent)
    return dispatch(pow_number, pow_tensor, input, exponent, of_first_number=pow_of_number)

@method
def float_power(input: Any, exponent: Any) -> Tensor:
    """The power `input ** exponent`, computed in float64 whatever the dtypes are.

    input, exponent: tensors that broadcast, or one tensor and one number (TypeError for two numbers). Returns a
    float64 tensor: a negative exponent of an integer is no error here. The in-place form needs a float64 tensor.

    >>> torch.float_power(torch.tensor([2, 3]), -1)
    tensor([0.5000, 0.3333], dtype=torch.float64)
    """
    given = [unwrapped(x) for x in (input, exponent)]
    kinds = [Tensor if isinstance(x, Tensor) else float if isinstance(x, (int, float)) else None for x in given]
    require_overload(None not in kinds and Tensor in kinds, "float_power", input, exponent)
    return pow(*[x.to(float64) if isinstance(x, Tensor) else float(x) for x in given])

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

    >>> torch.log10(torch.tensor([50, 0, -50]))
    tensor([1.6990,   -inf,    nan])
    """

@smooth(np.log2, self=lambda g, self: g / mul_number(self, math.log(2)))
def log2(self):
    """The logarithm to base 2.

    input: tensor of any shape; integers and bools are computed in the default float dtype. `log2(0)` is -inf, and a
    negative number gives NaN. The gradient is `1 / (input * log(2))`.

    >>> torch.log2(torch.tensor([8, 0, -8]))
    tensor([3., -inf, nan])
    """

@smooth(np.exp2, self=lambda g, result: mul_number(g * result, math.log(2)))
def exp2(self):
    """The power of two, `2 ** input`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. The gradient is
    `result * log(2)`.

    >>> torch.exp2(torch.tensor([3.0, 0.5, -1.0]))
    tensor([8.0000, 1.4142, 0.5000])
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

@smooth(in_single(lambda self: 1 / np.sqrt(self)), self=lambda g, result: mul_number(g, -0.5) * pow_number(result, 3))
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

def _inverse_square(self, other):
    square = self * self + other * other
    return masked_fill(reciprocal(square), square == 0, 0.0)

@smooth(np.arctan2, promote=True, self=lambda g, self, other: g * other * _inverse_square(self, other),
    other=lambda g, self, other: g * -self * _inverse_square(self, other))
def atan2(self, other):
    """The angle of the point (`other`, `input`), in (-pi, pi]: the arctangent of `input / other` in the right quadrant.

    input, other: tensors that broadcast (TypeError for a number), the y and the x coordinate; integers are computed
    in the default float dtype. RuntimeError if the shapes do not broadcast. At the origin, the gradient is 0.

    >>> torch.atan2(torch.tensor([1.0, 1.0, -1.0]), torch.tensor([1.0, -1.0, -1.0]))
    tensor([ 0.7854,  2.3562, -2.3562])
    """

@arithmetic(np.hypot, check=only_for("f", "hypot_cpu"),
    self=lambda g, self, result: g * self / result, other=lambda g, other, result: g * other / result)
def hypot(self, other):
    """The length of the hypotenuse, `sqrt(input**2 + other**2)`, computed without overflow.

    input, other: floating tensors that broadcast, promoted to one dtype (TypeError for a number,
    NotImplementedError for integers). RuntimeError if the shapes do not broadcast. The gradient is NaN where both
    are 0.

    >>> torch.hypot(torch.tensor([3.0, 3e38]), torch.tensor([4.0, 0.0]))
    tensor([5.0000e+00, 3.0000e+38])
    """

@smooth(in_single(lambda self: self * (math.pi / 180)), node="Deg2RadBackward0", self=lambda g: mul_number(g, math.pi / 180))
def deg2rad(self):
    """Angles in degrees as angles in radians: `input * pi / 180`.

    input: tensor of any shape; integers and bools are computed in the default float dtype.

    >>> torch.deg2rad(torch.tensor([180, -90]))
    tensor([ 3.1416, -1.5708])
    """

@smooth(in_single(lambda self: self * (180 / math.pi)), node="Rad2DegBackward0", self=lambda g: mul_number(g, 180 / math.pi))
def rad2deg(self):
    """Angles in radians as angles in degrees: `input * 180 / pi`.

    input: tensor of any shape; integers and bools are computed in the default float dtype.

    >>> torch.rad2deg(torch.tensor([torch.pi / 2, -1.0]))
    tensor([ 90.0000, -57.2958])
    """

def _sinc(self):
    angle = self * self.dtype.type(math.pi)
    return np.where(self == 0, self.dtype.type(1), np.sin(angle) / angle)

def _sinc_gradient(g, self):
    angle, square = mul_number(self, math.pi), mul_number(self * self, math.pi)
    return where(square == 0, 0.0, g * ((angle * cos(angle) - sin(angle)) / square))

@smooth(in_single(_sinc), self=lambda g, self: _sinc_gradient(g, self))
def sinc(self):
    """The normalized sinc function, `sin(pi * input) / (pi * input)`, and 1 at 0.

    input: tensor of any shape; integers and bools are computed in the default float dtype. It is 0 at every other
    whole number, up to rounding; an infinite input gives NaN. The gradient at 0 is 0.

    >>> torch.sinc(torch.tensor([0.0, 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122])
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

@op(np.arcsinh, floating=True, self=lambda g, self: g * rsqrt(add_number(pow_number(self, 2), 1)))
def asinh(self):
    """The inverse hyperbolic sine, `log(input + sqrt(input**2 + 1))`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. Odd, and defined for
    every number. The gradient is `1 / sqrt(input**2 + 1)`.

    >>> torch.asinh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  0.8814, -0.8814])
    """

@op(np.arctanh, floating=True, self=lambda g, self: mul_number(g, 1) / (number_beside(1, self) - pow_number(self, 2)))
def atanh(self):
    """The inverse hyperbolic tangent, `log((1 + input) / (1 - input)) / 2`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. -1 and 1 give the
    infinities; a number outside [-1, 1] gives NaN. The gradient is `1 / (1 - input**2)`.

    >>> torch.atanh(torch.tensor([0.5, 1.0, 2.0]))
    tensor([0.5493,    inf,    nan])
    """

def _tanh_slope(grad_output, y):
    # In one buffer: `1 - y * y` would allocate a second one, as large as a layer.
    slope = y * y
    if slope.__class__ in SCALARS:
        return grad_output * (1 - slope)
    slope = np.asarray(slope)
    np.subtract(number(1, slope)._value, slope, slope)
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
@smooth(in_single(lambda self: 1 / (1 + np.exp(-self))), self=lambda g, result: sigmoid_backward(g, result))
def sigmoid(self):
    """The logistic function, `1 / (1 + exp(-input))`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. The result lies in
    [0, 1] and rounds to the ends for large inputs. The gradient is `result * (1 - result)`, at most 0.25.
    float16 is computed in float32 and rounded once.

    >>> torch.sigmoid(torch.tensor([-2.0, 0.0, 2.0]))
    tensor([0.1192, 0.5000, 0.8808])
    """

@op(in_single(lambda grad_output, y: grad_output * (1 - y) * y), grad_output=lambda g, y: sigmoid_backward(g, y),
    y=lambda g, grad_output, y: g * grad_output * add_number(mul_number(y, -2), 1))
def sigmoid_backward(grad_output, y): ...

@on_arrays(lambda a, b: np.subtract(*_subtractable(a, b)))
def _difference(a, b):
    """`a - b`, with PyTorch's error for booleans on arrays too."""
    return a - b

@op(np.logaddexp, promote=True, check=only_for("f", "logaddexp_cpu"),
    self=lambda g, self, other: g / add_number(exp(_difference(other, self)), 1),
    other=lambda g, self, other: g / add_number(exp(_difference(self, other)), 1))
def logaddexp(self, other):
    """The logarithm of the sum of exponentials, `log(exp(input) + exp(other))`, computed without overflow.

    input, other: floating tensors that broadcast, promoted to one dtype (TypeError for a number,
    NotImplementedError for integers). RuntimeError if the shapes do not broadcast.

    >>> torch.logaddexp(torch.tensor([0.0, 1000.0]), torch.tensor([0.0, 1000.0]))
    tensor([6.9315e-01, 1.0007e+03])
    """

@op(np.logaddexp2, promote=True, check=only_for("f", "logaddexp2_cpu"),
    self=lambda g, self, other: g / add_number(pow_of_number(_difference(other, self), 2), 1),
    other=lambda g, self, other: g / add_number(pow_of_number(_difference(self, other), 2), 1))
def logaddexp2(self, other):
    """The logarithm to base 2 of a sum of powers of two, `log2(2**input + 2**other)`, computed without overflow.

    input, other: floating tensors that broadcast, promoted to one dtype (TypeError for a number,
    NotImplementedError for integers). RuntimeError if the shapes do not broadcast.

    >>> torch.logaddexp2(torch.tensor([0.0, 1000.0]), torch.tensor([0.0, 1000.0]))
    tensor([1.0000e+00, 1.0010e+03])
    """

def _xlogy(self, other):
    return np.where((self == 0) & ~np.isnan(other), self.dtype.type(0), self * np.log(other))

@op(in_single(_xlogy), overload="xlogy", promote=True, floating=True,
    self=lambda g, self, other: masked_fill(xlogy_tensor(g, other), (self == 0) & (other <= 0), 0.0),
    other=lambda g, self, other: g * self / other)
def xlogy_tensor(self, other): ...
@op(lambda other, self: in_single(_xlogy)(*beside(other, self)[::-1]), overload="xlogy.1", floating=True,
    other=lambda g, other, self: mul_number(g, self) / other)
def xlogy_of_number(other, self: float): ...
@op(lambda self, other: in_single(_xlogy)(*beside(self, other)), overload="xlogy.2", floating=True,
    self=lambda g, self, other: xlogy_number(g, other) if other > 0 else masked_fill(xlogy_number(g, other), self == 0, 0.0))
def xlogy_number(self, other: float): ...

def xlogy(input: Any, other: Any) -> Tensor:
    """The product `input * log(other)`, and 0 where `input` is 0, even if `other` is 0 too.

    input, other: tensors that broadcast, or one tensor and one number (TypeError for two numbers); integers are
    computed in the default float dtype. A NaN in `other` gives NaN.

    >>> torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 1.5]))
    tensor([0.0000, 0.8109])
    """
    return dispatch(xlogy_number, xlogy_tensor, input, other, of_first_number=xlogy_of_number)

_ERROR_FUNCTIONS = {False: np.frompyfunc(math.erf, 1, 1), True: np.frompyfunc(math.erfc, 1, 1)}

def error_function(x, complement=False):
    """The error function of an array, in its dtype, computed with Python's `math`, because NumPy does not have it."""
    return np.asarray(_ERROR_FUNCTIONS[complement](np.asarray(x, np.float64))).astype(x.dtype)

def _bell(g, self, factor):
    return mul_number(exp(-pow_number(self, 2)), factor / math.sqrt(math.pi)) * g

@smooth(error_function, self=lambda g, self: _bell(g, self, 2))
def erf(self):
    """The error function: the integral of `2 / sqrt(pi) * exp(-t**2)` over t from 0 to `input`.

    input: tensor of any shape; integers and bools are computed in the default float dtype. Odd, between -1 and 1.
    A normal variable with mean 0 and deviation 1 lies within x of 0 with probability `erf(x / sqrt(2))`. The
    gradient is `2 / sqrt(pi) * exp(-input**2)`. Source of the approximation: fdlibm.

    >>> torch.erf(torch.tensor([0.0, 0.5, -10.0]))
    tensor([ 0.0000,  0.5205, -1.0000])
    """

@smooth(partial(error_function, complement=True), self=lambda g, self: _bell(g, self, -2))
def erfc(self):
    """The complementary error function, `1 - erf(input)`, accurate even if the result is small.

    input: tensor of any shape; integers and bools are computed in the default float dtype. The result lies between
    0 and 2. The gradient is `-2 / sqrt(pi) * exp(-input**2)`.

    >>> torch.erfc(torch.tensor([0.0, 5.0])), 1 - torch.erf(torch.tensor([0.0, 5.0]))
    (tensor([1.0000e+00, 1.5375e-12]), tensor([1., 0.]))
    """

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

@stepwise(np.trunc, check=only_for("iuf", "trunc_vml_cpu"))
def trunc(self):
    """The whole part of each element: rounded towards zero.

    input: tensor of any shape. Keeps the dtype; integers do not change. NotImplementedError for bool. The gradient
    is zero.

    >>> torch.trunc(torch.tensor([1.7, -1.7]))
    tensor([ 1., -1.])
    """

@op(lambda self: self - np.trunc(self), inplace=True, check=only_for("f", "frac_cpu"), self=lambda g: g)
def frac(self):
    """The fractional part, `input - trunc(input)`, with the sign of the input.

    input: floating tensor of any shape, else NotImplementedError. The gradient is 1; the jumps are left out.

    >>> torch.frac(torch.tensor([1.75, -1.75]))
    tensor([ 0.7500, -0.7500])
    """

def _round_to(self, decimals):
    if not decimals:
        return np.round(self)
    ten = self.dtype.type(10.0 ** builtins.abs(decimals))
    return np.round(self * ten) / ten if decimals > 0 else np.round(self / ten) * ten

@op(np.round, overload="round", check=only_for("iuf", "round_vml_cpu"), self=lambda g: zeros_of(g))
def round_whole(self): ...
@op(_round_to, overload="round.1", self=lambda g: zeros_of(g),
    check=lambda self, decimals: only_for("f", "round_cpu" if decimals else "round_vml_cpu")(self))
def round_decimals(self, decimals: int): ...

def round(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """The nearest integer, or the nearest number with so many decimals; halves go to the even neighbour.

    input: tensor of any shape. Keeps the dtype; integers do not change. decimals: int; if it is negative, tens,
    hundreds and so on are rounded; NotImplementedError with an integer tensor. NotImplementedError for bool. The
    gradient is zero. Source of the rule for halves: IEEE 754, round half to even.

    >>> torch.round(torch.tensor([0.5, 1.5, 2.5, 2.6])), torch.round(torch.tensor([1234.567]), decimals=-2)
    (tensor([0., 2., 2., 3.]), tensor([1200.]))
    """
    require_overload(decimals is None or isinstance(decimals, int), "round", input, decimals)
    return round_whole(input) if decimals is None else round_decimals(input, decimals)

@stepwise(_sign)
def sign(self):
    """The sign of each element: -1, 0 or 1.

    input: tensor of any shape, bools too. Keeps the dtype. NaN and both zeros give 0. The gradient is zero
    everywhere.

    >>> torch.sign(torch.tensor([-2.5, 0.0, 3.0, float("nan")]))
    tensor([-1.,  0.,  1.,  0.])
    """

@stepwise(_sign, self=lambda g, result: zeros_of(g))  # PyTorch saves it
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

def _relu(self):
    if self.__class__ in SCALARS:
        return self.dtype.type(0) if self <= 0 else self
    return np.maximum(0, self)

# Floats as integers with the same bits: times a bool they stay the same or become 0, even if they
# are not finite.
_BITS = {np.dtype(d): np.dtype(f"i{d.itemsize}") for d in map(np.dtype, (np.float16, np.float32, np.float64))}

def _threshold_backward(grad_output, self, threshold):
    bits = _BITS.get(grad_output.dtype)
    if self.__class__ in SCALARS:
        return grad_output.dtype.type(0) if self <= threshold else grad_output
    if bits is None:
        return np.where(self <= threshold, 0, grad_output)
    return np.multiply(np.asarray(grad_output).view(bits), ~(self <= threshold)).view(grad_output.dtype)

@op(_relu, check=only_for("iuf", "relu", message="boolean_inputs"), scalars=True,
    inplace=True, self=lambda g, result: threshold_backward(g, result, 0))
def relu(self):
    """The rectified linear unit, `max(input, 0)`.

    input: tensor of any shape. Keeps the dtype; NaN stays NaN. RuntimeError for bool. The gradient is 1 above
    0, and 0 elsewhere, also at the kink.

    >>> x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    >>> torch.autograd.grad(torch.relu(x).sum(), x)
    (tensor([0., 0., 1.]),)
    """

def _check_threshold(self, threshold, value):
    needs_number("threshold", "'threshold' (position 2)", threshold)
    needs_number("threshold", "'value' (position 3)", value)
    only_for("iuf", "threshold_cpu")(self)
    held(value, self)  # checked before float16 is converted to float32

@op(in_single(lambda self, threshold, value: np.where(self <= held(threshold, self), held(value, self), self)), method=False,
    check=_check_threshold, self=lambda g, self, threshold: threshold_backward(g, self, threshold))
def threshold(self, threshold: float, value: float):
    """`input` if it is greater than `threshold`, else `value`.

    input: tensor of any shape; NaN stays NaN. threshold, value: numbers; `value` is cast to the dtype of
    `input`. Returns a tensor of the same shape and dtype. NotImplementedError for bool. The gradient is 1 above
    the threshold and 0 elsewhere.

    >>> torch.threshold(torch.tensor([0.5, 1.0, 1.5]), 1.0, -9.0)
    tensor([-9.0000, -9.0000,  1.5000])
    """

@op(_threshold_backward,
    grad_output=lambda g, self, threshold: threshold_backward(g, self, threshold), self=lambda g, self: zeros_of(g))
def threshold_backward(grad_output, self, threshold: float): ...  # PyTorch saves it for this too

def _without_nan(self, nan, posinf, neginf):
    if self.dtype.kind != "f":
        return self.copy()
    largest = np.finfo(self.dtype).max
    found, result = (np.isnan(self), self == np.inf, self == -np.inf), self
    for places, value, default in zip(found, (nan, posinf, neginf), (0.0, largest, -largest)):
        result = np.where(places, np.float64(default if value is None else value).astype(self.dtype), result)
    return result

def _check_replacements(self, *values):
    for position, (name, value) in enumerate(zip(("nan", "posinf", "neginf"), values), 2):
        needs_number("nan_to_num", f"'{name}' (position {position})", 0 if value is None else value)

@op(_without_nan, inplace=True, check=_check_replacements, self=lambda g, self: g * isfinite(self))
def nan_to_num(self, nan: float | None = None, posinf: float | None = None, neginf: float | None = None):
    """A copy with numbers in place of NaN and the infinities.

    input: tensor of any shape; integers and bools do not change. nan, posinf, neginf: what replaces NaN, infinity and
    minus infinity; by default 0 and the largest and the lowest finite number of the dtype. Elements that were
    replaced get gradient 0.

    >>> torch.nan_to_num(torch.tensor([float("nan"), float("inf"), -1.0]), posinf=100.0)
    tensor([  0., 100.,  -1.])
    """

# Bounds

def _clamp(self, min, max, kernel="clamp_scalar_cpu"):
    require(min is not None or max is not None, "clamp_bounds")
    kinds = {type(min), type(max)}
    if float in kinds:
        self = as_floating(self)
    elif int in kinds and self.dtype.kind == "b":
        self = self.astype(np.int64)
    only_for("iuf", kernel)(self)
    # `np.clip` takes twice the time.
    self = self if min is None else np.maximum(self, held(min, self))
    return self if max is None else np.minimum(self, held(max, self))

@op(_clamp, overload="clamp.1", self=lambda g, self, min, max: where(
    (self >= (-math.inf if min is None else min)) & (self <= (math.inf if max is None else max)), g, 0.0))
def clamp_numbers(self, min: float | None, max: float | None): ...
@op(lambda self, min, max: np.minimum(np.maximum(self, min), max), overload="clamp.0", check=common_shape,
    self=lambda g, self, min, max: where((self >= min) & (self <= max), g, 0.0),
    min=lambda g, self, min, max: where((self < min) & ((min < max) | (max == math.inf)), g, 0.0),
    max=lambda g, self, min, max: where((self > max) | (max < min), g, 0.0))
def clamp_tensors(self, min, max): ...
@op(lambda self, min: _clamp(self, min, None, "clamp_min_scalar_cpu"), overload="clamp_min",
    self=lambda g, self, min: where(self >= min, g, 0.0))
def clamp_min_number(self, min: float): ...
@op(np.maximum, overload="clamp_min.1", promote=True, self=lambda g, self, min: where(self >= min, g, 0.0),
    min=lambda g, self, min: where(self < min, g, 0.0))
def clamp_min_tensor(self, min): ...
@op(lambda self, max: _clamp(self, None, max, "clamp_max_scalar_cpu"), overload="clamp_max",
    self=lambda g, self, max: where(self <= max, g, 0.0))
def clamp_max_number(self, max: float): ...
@op(np.minimum, overload="clamp_max.1", promote=True, self=lambda g, self, max: where(self <= max, g, 0.0),
    max=lambda g, self, max: where(self > max, g, 0.0))
def clamp_max_tensor(self, max): ...

def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Each element, limited to the range from `min` to `max`.

    input: tensor of any shape. min, max: two numbers, or two tensors that broadcast, or None for no
    limit (TypeError for a number and a tensor); if `min` is above `max`, the result is `max`. A
    float limit makes integers floats; NaN stays NaN. RuntimeError if both are None, or if the dtype
    cannot hold a number. The gradient is 1 between the limits, both included, and 0 outside;
    outside, a limit that is a tensor gets the gradient.

    >>> torch.clamp(torch.tensor([-1.0, 0.5, 3.0]), 0, 1), torch.clamp(torch.tensor([-1, 3]), max=2)
    (tensor([0.0000, 0.5000, 1.0000]), tensor([-1,  2]))
    """
    bounds = [unwrapped(bound) for bound in (min, max)]
    given = [bound for bound in bounds if bound is not None]
    if builtins.all(isinstance(bound, (int, float)) for bound in given):
        return clamp_numbers(input, *bounds)
    require_overload(builtins.all(isinstance(bound, Tensor) for bound in (input, *given)), "clamp", input, *given)
    input, *given = in_one_dtype(input, *given)
    d = input._array.dtype
    limits = (-np.inf, np.inf) if d.kind == "f" else (False, True) if d.kind == "b" else (np.iinfo(d).min, np.iinfo(d).max)
    low, high = (wrap(np.array(limit, d)) if bound is None else given.pop(0) for bound, limit in zip(bounds, limits))
    return clamp_tensors(input, low, high)

def clamp_min(input: Tensor, min: Any) -> Tensor:
    """Each element, but at least `min`.

    input: tensor of any shape. min: number, or tensor that broadcasts. A float limit makes integers
    floats; NaN stays NaN. RuntimeError if the dtype cannot hold a number. The gradient is 1 at the
    limit and above, and 0 below, where it goes to a tensor `min`.

    >>> torch.clamp_min(torch.tensor([-1.0, 0.5]), 0), torch.clamp_min(torch.tensor([1, 5]), torch.tensor([2, 3]))
    (tensor([0.0000, 0.5000]), tensor([2, 5]))
    """
    return dispatch(clamp_min_number, clamp_min_tensor, input, min)

def clamp_max(input: Tensor, max: Any) -> Tensor:
    """Each element, but at most `max`.

    input: tensor of any shape. max: number, or tensor that broadcasts. A float limit makes integers
    floats; NaN stays NaN. RuntimeError if the dtype cannot hold a number. The gradient is 1 at the
    limit and below, and 0 above, where it goes to a tensor `max`.

    >>> torch.clamp_max(torch.tensor([-1.0, 0.5]), 0), torch.clamp_max(torch.tensor([1, 5]), torch.tensor([2, 3]))
    (tensor([-1.,  0.]), tensor([1, 3]))
    """
    return dispatch(clamp_max_number, clamp_max_tensor, input, max)

# If both are equal, each gets half; if one is NaN, each gets all.
_larger, _smaller = (lambda g, self, other: masked_fill(where(self == other, div_number(g, 2), g), self < other, 0.0),
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

# If one is NaN, the other is chosen; if both are equal, the first.
@op(np.fmax, promote=True, self=lambda g, self, other: masked_fill(g, ~((self >= other) | isnan(other)), 0.0),
    other=lambda g, self, other: masked_fill(g, (self >= other) | isnan(other), 0.0))
def fmax(self, other):
    """The larger of two elements; a NaN only counts if the other is NaN too.

    input, other: tensors that broadcast, promoted to one dtype (TypeError for a number).
    RuntimeError if the shapes do not broadcast. The chosen element gets the gradient; if both are
    equal, it goes to `input`.

    >>> torch.fmax(torch.tensor([1.0, float("nan")]), torch.tensor([3.0, 2.0]))
    tensor([3., 2.])
    """

@op(np.fmin, promote=True, self=lambda g, self, other: masked_fill(g, ~((self <= other) | isnan(other)), 0.0),
    other=lambda g, self, other: masked_fill(g, (self <= other) | isnan(other), 0.0))
def fmin(self, other):
    """The smaller of two elements; a NaN only counts if the other is NaN too.

    input, other: tensors that broadcast, promoted to one dtype (TypeError for a number).
    RuntimeError if the shapes do not broadcast. The chosen element gets the gradient; if both are
    equal, it goes to `input`.

    >>> torch.fmin(torch.tensor([1.0, float("nan")]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """

# Copies and choices

def _check_choice(condition, self, other):
    require(condition.dtype.kind == "b", "where_condition", condition)
    common_shape(condition, self, other)

def _check_filling(self, mask, value):
    require(mask.dtype.kind == "b", "mask_dtype", c_name(mask))
    require(not np.ndim(value), "mask_value", np.ndim(value))
    held(value.item() if isinstance(value, np.ndarray) else value, self)
    common_shape(mask, self)

def _clone(self, layout):
    if layout is None:
        return copied(self)
    require(isinstance(layout, memory_format), "argument_is_no_memory_format", "clone", type(layout).__name__)
    return copied(self, "C" if layout is contiguous_format else "K")

@op(_clone, self=lambda g: g)
def clone(self, *, memory_format=None):
    """A copy of the data that stays connected to the graph.

    input: tensor of any shape and dtype. memory_format: `torch.preserve_format` or None keeps the order of the
    dimensions in memory, `torch.contiguous_format` makes the copy contiguous. The gradient passes unchanged to
    `input`; `input.detach().clone()` is a copy outside the graph.

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

def where(condition: Any, input: Any = NOT_GIVEN, other: Any = NOT_GIVEN) -> Any:
    """`input` where `condition` is true, else `other`; with `condition` alone, the indices of its nonzero elements.

    condition: bool tensor. input, other: tensors or numbers. All three broadcast; the result has
    the promoted dtype of the two values. With `condition` alone, of any dtype: a tuple with an
    int64 vector of indices for each dimension. TypeError if `condition` is not a tensor;
    RuntimeError if it is not bool or the shapes do not broadcast. The value that was not chosen
    gets gradient 0. If its own backward divides by zero, as `sqrt` does at 0, that gradient becomes
    NaN.

    >>> x = torch.tensor([-2.0, 3.0])
    >>> torch.where(x > 0, x, 0.1 * x)
    tensor([-0.2000,  3.0000])
    """
    if not isinstance(condition, Tensor):
        return where_tensors(condition, input, other)
    if input is NOT_GIVEN and other is NOT_GIVEN:
        return tuple(wrap(places.copy()) for places in np.nonzero(np.atleast_1d(condition._array)))
    input, other = unwrapped(input), unwrapped(other)
    fits = isinstance(input, (Tensor, int, float)) and isinstance(other, (Tensor, int, float))
    require_overload(fits, "where", condition, input, other)
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
    return dispatch(masked_fill_number, masked_fill_tensor, input, mask, value)

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

@arithmetic(np.left_shift, check=only_for("iu", "lshift_cpu"), operator="lshift")
def bitwise_left_shift(self, other):
    """The bits moved `other` places to the left, `input << other`: `input` times 2 to the power `other`.

    input, other: integer tensors that broadcast, or one of them a number. Both are promoted to one dtype, at least one of
    them not bool. Bits that leave the dtype are lost: all of them if `other` is negative or at least its number of bits.
    NotImplementedError for floats and for two bools; RuntimeError if the shapes do not broadcast.

    >>> torch.bitwise_left_shift(torch.tensor([1, -3]), 2), 1 << torch.tensor([0, 4])
    (tensor([  4, -12]), tensor([ 1, 16]))
    """

@arithmetic(np.right_shift, check=only_for("iu", "rshift_cpu"), operator="rshift")
def bitwise_right_shift(self, other):
    """The bits moved `other` places to the right, `input >> other`: `input` over 2 to the power `other`, rounded down.

    input, other: integer tensors that broadcast, or one of them a number. Both are promoted to one dtype, at least one of
    them not bool. The sign stays: if `other` is negative or at least the number of bits, the result is 0, or -1 for
    a negative `input`. NotImplementedError for floats and for two bools; RuntimeError if the shapes do not broadcast.

    >>> torch.bitwise_right_shift(torch.tensor([20, -5]), 2), 16 >> torch.tensor([0, 4])
    (tensor([ 5, -2]), tensor([16,  1]))
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

@op(lambda self: self == np.inf)
def isposinf(self):
    """Whether each element is plus infinity.

    input: tensor of any shape; integers and bools never are. Returns a bool tensor. Not differentiable.

    >>> torch.isposinf(torch.tensor([-1.0, 0.0, 1.0]) / 0)
    tensor([False, False,  True])
    """

@op(lambda self: self == -np.inf)
def isneginf(self):
    """Whether each element is minus infinity.

    input: tensor of any shape; integers and bools never are. Returns a bool tensor. Not differentiable.

    >>> torch.isneginf(torch.tensor([-1.0, 0.0, 1.0]) / 0)
    tensor([ True, False, False])
    """

def _check_close(self, other, rtol, atol, equal_nan):
    require(self.dtype == other.dtype, "allclose_dtypes", self, other)
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        require(tolerance >= 0, "allclose_tolerance", name, tolerance)
    common_shape(self, other)

def _isclose(self, other, rtol, atol, equal_nan):
    near = np.absolute(self - as_floating(other))
    close = (self == other) | (np.isfinite(near) & (near <= atol + np.absolute(rtol * as_floating(other))))
    return close | (np.isnan(self) & np.isnan(other)) if equal_nan else close

@op(_isclose, check=_check_close)
def isclose(self, other, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False):
    """Whether `|input - other| <= atol + rtol * |other|`, element by element.

    input, other: tensors of one dtype that broadcast. rtol, atol: relative and absolute tolerance. equal_nan:
    whether two NaNs are close. Equal infinities are close. Returns a bool tensor. RuntimeError if the dtypes differ,
    a tolerance is negative or the shapes do not broadcast. Not differentiable.

    >>> torch.isclose(torch.tensor([1.0, 100.0]), torch.tensor([1.1, 100.0005]))
    tensor([False,  True])
    """

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
    needs_tensor("allclose", input=input, other=other)
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())

@method
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and equal elements (`eq` compares element by element).

    input, other: tensors of any dtype; 1 equals 1.0. Shapes do not broadcast, and NaN does not equal itself.
    Returns a Python bool. TypeError if `other` is not a tensor.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.equal(x, torch.tensor([[1.0, 2.0]])), torch.equal(x, torch.tensor([1, 2]))
    (True, False)
    """
    needs_tensor("equal", input=input, other=other)
    return np.array_equal(input._array, other._array)

# Methods and operators without a row, and aliases

def _operator(function, *kinds):
    """An operator that returns NotImplemented for other operands, so that Python asks the other operand."""
    def form(self, other):
        return function(self, other) if isinstance(other, (int, float, np.number, *kinds)) else NotImplemented

    return form

def _positive(self):
    require(self._array.dtype.kind != "b", "pos_dtype")
    return self

_any_power, _any_rsub = _operator(pow, Tensor), _operator(rsub)
for _form in (div, pow, square, clamp, masked_fill, remainder, fmod, floor_divide, lerp, addcmul, addcdiv, xlogy,
    round, clamp_min, clamp_max):
    attach(_form.__name__, _form)
    attach(f"{_form.__name__}_", inplace_form(_form))
for _operator_name, _form in {
    "pow": lambda self, other: pow_number(self, other) if other.__class__ in NUMBERS else _any_power(self, other),
    "ipow": inplace_form(_any_power, "__ipow__"), "rpow": _operator(lambda self, other: pow(other, self)),
    "mod": _operator(remainder, Tensor), "imod": inplace_form(_operator(remainder, Tensor), "__imod__"),
    "rmod": _operator(lambda self, other: remainder(other, self)),
    "floordiv": _operator(floor_divide, Tensor), "ifloordiv": inplace_form(_operator(floor_divide, Tensor), "__ifloordiv__"),
    "rfloordiv": _operator(lambda self, other: floor_divide(other, self)),
    "rsub": lambda self, other: rsub_number(self, other) if other.__class__ in NUMBERS else _any_rsub(self, other),
    "rlshift": _operator(lambda self, other: bitwise_left_shift(other, self)),
    "rrshift": _operator(lambda self, other: bitwise_right_shift(other, self)),
    "neg": neg, "pos": _positive, "abs": abs, "invert": bitwise_not,
    "rtruediv": lambda self, other: NotImplemented if isinstance(other, str) else reciprocal(self) * other}.items():
    setattr(Tensor, f"__{_operator_name}__", _form)
for _operator_name in ("add", "mul", "and", "or", "xor"):
    setattr(Tensor, f"__r{_operator_name}__", getattr(Tensor, f"__{_operator_name}__"))

def _also(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """An alias of a function, its method and its in-place form. Errors show the alias, the node the original name."""
    row = next((row for row in OPERATIONS.values() if row.function is function), None)
    alias = function if row is None else on_arrays(row.kernel)(forward_function(row, name, name, function))
    attach(name, alias)
    if hasattr(Tensor, f"{function.__name__}_"):
        attach(f"{name}_", inplace_form(alias, f"{name}_"))
    return alias

multiply, subtract, divide, true_divide = (
    _also("multiply", mul), _also("subtract", sub), _also("divide", div), _also("true_divide", div_true))
negative, absolute, fix, clip = _also("negative", neg), _also("absolute", abs), _also("fix", trunc), _also("clip", clamp)
arcsin, arccos, arctan, arctan2 = _also("arcsin", asin), _also("arccos", acos), _also("arctan", atan), _also("arctan2", atan2)
arcsinh, arccosh, arctanh = _also("arcsinh", asinh), _also("arccosh", acosh), _also("arctanh", atanh)
not_equal, greater, greater_equal = _also("not_equal", ne), _also("greater", gt), _also("greater_equal", ge)
less, less_equal = _also("less", lt), _also("less_equal", le)

def _undifferentiated_in_place(name: str) -> None:
    """The in-place form of a function, for which PyTorch has a node without a derivative."""
    def in_place(self): ...
    form = op(OPERATIONS[name].kernel, overload=f"{name}.1", floating=True,
        self=lambda g: no_derivative(f"inplace version of {name}", "no_formula"))(in_place)
    for shown in (f"{name}_", f"arc{name[1:]}_"):
        attach(shown, inplace_form(form, shown))

for _name in ("acosh", "asinh", "atanh"):
    _undifferentiated_in_place(_name)

@tensor_method
def _float_power_(self: Tensor, exponent: Any) -> Tensor:
    """`float_power` written over the tensor itself, which must be float64; returns it."""
    require(self._array.dtype == np.float64, "float_power_dtype", self._array)
    return inplace_form(float_power)(self, exponent)

@tensor_method
def _where(self: Tensor, condition: Any, other: Any) -> Tensor:
    """`torch.where(condition, self, other)`."""
    return where(condition, self, other)
