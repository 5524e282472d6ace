"""Elementary functions of one element (trigonometric, hyperbolic, rounding), quotients that are rounded, and fused products.

Rows as in `pointwise.py`. Source of the derivatives: calculus, in the form that PyTorch gives them
(tools/autograd/derivatives.yaml), which shows in the graph of a gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..dtypes import as_floating, promote
from ..tensor import Tensor
from .declare import OPERATIONS, broadcast_error, inplace_form, method, number, op
from .pointwise import (
    add_number,
    div_true,
    isfinite,
    masked_fill,
    mul_number,
    number_minus,
    number_over,
    only_for,
    pow_number,
    reciprocal,
    sub_number,
    zeros_of,
)

# Trigonometric functions and their inverses

tan = op(
    "tan(self)", np.tan, floating=True, inplace=True, self=lambda g, result: g * add_number(pow_number(result, 2), 1)
)
asin = op(
    "asin(self)", np.arcsin, floating=True, inplace=True, self=lambda g, self: g * rsqrt(add_number(-self * self, 1))
)
acos = op(
    "acos(self)", np.arccos, floating=True, inplace=True, self=lambda g, self: g * -rsqrt(add_number(-self * self, 1))
)
atan = op("atan(self)", np.arctan, floating=True, inplace=True, self=lambda g, self: g / add_number(self * self, 1))


def _reciprocal_square(self: Any, other: Any) -> Any:
    """1 / (self² + other²), and 0 at the origin."""
    square = self * self + other * other
    return masked_fill(reciprocal(square), square == 0, 0.0)


atan2 = op(
    "atan2(self, other)",
    np.arctan2,
    promote=lambda a, b: promote(as_floating(a), as_floating(b)),
    floating=True,
    inplace=True,
    self=lambda g, self, other: g * other * _reciprocal_square(self, other),
    other=lambda g, self, other: g * -self * _reciprocal_square(self, other),
)

# Hyperbolic functions and their inverses

sinh = op("sinh(self)", np.sinh, floating=True, inplace=True, self=lambda g, self: g * cosh(self))
cosh = op("cosh(self)", np.cosh, floating=True, inplace=True, self=lambda g, self: g * sinh(self))
asinh = op(
    "asinh(self)",
    np.arcsinh,
    floating=True,
    self=lambda g, self: g * rsqrt(add_number(pow_number(self, 2), 1)),
)
acosh = op(
    "acosh(self)",
    np.arccosh,
    floating=True,
    self=lambda g, self: g * rsqrt(sub_number(self * self, 1)),
)
atanh = op(
    "atanh(self)",
    np.arctanh,
    floating=True,
    self=lambda g, self: mul_number(g, 1) / number_minus(1, pow_number(self, 2)),
)


def _only_out_of_place(name: str) -> Callable[..., Any]:
    def formula(g: Any) -> Any:
        raise NotImplementedError(f"the derivative for 'inplace version of {name}' is not implemented.")

    return formula


# PyTorch differentiates these three only where they do not write over their input.
for _function in (asinh, acosh, atanh):
    _name, _kernel = _function.__name__, OPERATIONS[_function.__name__].kernel
    _row = op(
        f"{_name}_in_place(self)",
        _kernel,
        node=f"{_name.capitalize()}Backward1",
        floating=True,
        method=False,
        self=_only_out_of_place(_name),
    )
    setattr(Tensor, f"{_name}_", inplace_form(_row))

# Powers and logarithms to other bases

exp2 = op(
    "exp2(self)", np.exp2, floating=True, inplace=True, self=lambda g, result: mul_number(g * result, math.log(2))
)
log2 = op("log2(self)", np.log2, floating=True, inplace=True, self=lambda g, self: g / mul_number(self, math.log(2)))
log10 = op(
    "log10(self)", np.log10, floating=True, inplace=True, self=lambda g, self: g / mul_number(self, math.log(10))
)
expm1 = op("expm1(self)", np.expm1, floating=True, inplace=True, self=lambda g, result: g * add_number(result, 1))
rsqrt = op(
    "rsqrt(self)",
    lambda self: 1 / np.sqrt(self),
    floating=True,
    inplace=True,
    self=lambda g, result: mul_number(g, -0.5) * pow_number(result, 3),
)

# Rounding: flat between its steps

floor = op("floor(self)", only_for("iuf", np.floor, "floor_vml_cpu"), inplace=True, self=lambda g: zeros_of(g))
ceil = op("ceil(self)", only_for("iuf", np.ceil, "ceil_vml_cpu"), inplace=True, self=lambda g: zeros_of(g))
round = op("round(self)", only_for("iuf", np.round, "round_vml_cpu"), inplace=True, self=lambda g: zeros_of(g))
trunc = op("trunc(self)", only_for("iuf", np.trunc, "trunc_vml_cpu"), inplace=True, self=lambda g: zeros_of(g))
frac = op("frac(self)", only_for("f", lambda self: self - np.trunc(self), "frac_cpu"), inplace=True, self=lambda g: g)


def _finite(self: np.ndarray, nan: Any, posinf: Any, neginf: Any) -> np.ndarray:
    return self if self.dtype.kind != "f" else np.nan_to_num(self, nan=nan or 0.0, posinf=posinf, neginf=neginf)


nan_to_num = op(
    "nan_to_num(self, nan=None, posinf=None, neginf=None)",
    lambda self, nan=None, posinf=None, neginf=None: _finite(self, nan, posinf, neginf),
    inplace=True,
    self=lambda g, self: g * isfinite(self),
)

# Quotients that are rounded, and what they leave


def _whole(a: np.ndarray, b: np.ndarray, name: str) -> bool:
    """Whether integers are divided; RuntimeError where one of them is divided by zero."""
    if a.dtype.kind == "b":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
    if a.dtype.kind != "f" and not b.all():
        raise RuntimeError("ZeroDivisionError")
    return a.dtype.kind != "f"


def _quotient(self: np.ndarray, other: np.ndarray, rounding_mode: str) -> Any:
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    if not _whole(self, other, f"div_{rounding_mode}"):
        return np.floor_divide(self, other) if rounding_mode == "floor" else np.trunc(self / other)
    quotient, rest = np.divmod(self, other)
    return quotient if rounding_mode == "floor" else quotient + ((rest != 0) & ((self < 0) != (other < 0)))


def _remainder(self: np.ndarray, other: np.ndarray) -> Any:
    if _whole(self, other, "remainder"):
        return np.remainder(self, other)
    # NumPy's own gives a zero the divisor's sign, PyTorch's the dividend's.
    rest = np.fmod(self, other)
    return np.where((rest != 0) & ((other < 0) != (rest < 0)), rest + other, rest)


def _fmod(self: np.ndarray, other: np.ndarray) -> Any:
    _whole(self, other, "fmod")
    return np.fmod(self, other)


def _with_number(kernel: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: kernel(*promote(self, number(other, self)._array))


def _number_with(kernel: Callable[..., Any]) -> Callable[..., Any]:
    return lambda other, self: kernel(*promote(number(self, other)._array, other))


def _not_implemented(name: str) -> Any:
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


div_rounded = op(
    "div_rounded(self, other, rounding_mode: str)",
    _quotient,
    node="DivBackward2",
    promote=True,
    method=False,
    self=lambda g: zeros_of(g),
    other=lambda g: zeros_of(g),
)
floor_divide_tensor = op(
    "floor_divide_tensor(self, other)",
    lambda self, other: _quotient(self, other, "floor"),
    node="NotImplemented",
    promote=True,
    method=False,
    self=lambda g: _not_implemented("floor_divide"),
    other=lambda g: _not_implemented("floor_divide"),
)
floor_divide_number = op(
    "floor_divide_number(self, other: float)",
    _with_number(lambda self, other: _quotient(self, other, "floor")),
    node="NotImplemented",
    method=False,
    self=lambda g: _not_implemented("floor_divide"),
)
remainder_tensor = op(
    "remainder_tensor(self, other)",
    _remainder,
    node="RemainderBackward1",
    promote=True,
    method=False,
    self=lambda g: g,
    other=lambda g, self, other: -g * div_rounded(self, other, "floor"),
)
remainder_number = op(
    "remainder_number(self, other: float)",
    _with_number(_remainder),
    node="RemainderBackward0",
    method=False,
    self=lambda g: g,
)
remainder_of_number = op(
    "remainder_of_number(other, self: float)",
    _number_with(_remainder),
    node="NotImplemented",
    method=False,
    other=lambda g: _not_implemented("remainder"),
)
fmod_tensor = op(
    "fmod_tensor(self, other)",
    _fmod,
    node="FmodBackward1",
    promote=True,
    method=False,
    self=lambda g: g,
    other=lambda g, self, other: -g * div_rounded(self, other, "trunc"),
)
fmod_number = op(
    "fmod_number(self, other: float)",
    _with_number(_fmod),
    node="FmodBackward0",
    method=False,
    self=lambda g: g,
)


@method
def div(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """`self / other`, broadcasting, integers as floats; or rounded, with `rounding_mode` "floor" or "trunc".

    >>> import autograd_teach as torch
    >>> torch.tensor([1.0, 2.0]).div(4), torch.tensor([7, -7]).div(2, rounding_mode="trunc")
    (tensor([0.2500, 0.5000]), tensor([ 3, -3]))
    """
    return div_true(self, other) if rounding_mode is None else div_rounded(self, other, rounding_mode)


@method
def floor_divide(self: Tensor, other: Any) -> Tensor:
    """`self // other`, rounded towards minus infinity; PyTorch has no derivative of it."""
    return (floor_divide_tensor if isinstance(other, Tensor) else floor_divide_number)(self, other)


@method
def remainder(self: Any, other: Any) -> Tensor:
    """`self % other`, with the sign of the divisor; either of them may be a number."""
    if not isinstance(self, Tensor):
        return remainder_of_number(other, self)
    return (remainder_tensor if isinstance(other, Tensor) else remainder_number)(self, other)


@method
def fmod(self: Tensor, other: Any) -> Tensor:
    """What is left of the division of `self` by `other`, with the sign of `self`."""
    return (fmod_tensor if isinstance(other, Tensor) else fmod_number)(self, other)


# Fused products, of three operands


def _three(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel of three arrays that do not broadcast to one shape raises PyTorch's error."""

    @wraps(kernel)
    def checked(a: np.ndarray, b: np.ndarray, c: Any, *rest: Any) -> Any:
        try:
            return kernel(a, b, c, *rest)
        except ValueError:
            shape = a.shape
            for x in (b, c):
                try:
                    shape = np.broadcast_shapes(shape, np.shape(x))
                except ValueError:
                    raise broadcast_error(np.broadcast_to(0, shape), x) from None
            raise

    return checked


def _lerp(self: np.ndarray, end: np.ndarray, weight: Any) -> Any:
    for name, other in (("end", end), ("weight", weight)):
        if isinstance(other, np.ndarray) and other.dtype != self.dtype:
            names = {"float64": "double", "float32": "float", "float16": "c10::Half", "int64": "long int"}
            ours, theirs = (names.get(x.dtype.name, x.dtype.name) for x in (self, other))
            raise RuntimeError(f"expected dtype {ours} for `{name}` but got dtype {theirs}")
    low = self + weight * (end - self)
    # From the nearer of the two, so that weight 1 gives `end` exactly.
    return np.where(np.absolute(weight) < 0.5, low, end - (end - self) * (1 - weight))


lerp_number = op(
    "lerp_number(self, end, weight: float)",
    _three(_lerp),
    node="LerpBackward0",
    method=False,
    self=lambda g, weight: mul_number(g, 1 - weight),
    end=lambda g, weight: mul_number(g, weight),
)
lerp_tensor = op(
    "lerp_tensor(self, end, weight)",
    _three(_lerp),
    node="LerpBackward1",
    method=False,
    self=lambda g, weight: g * number_minus(1, weight),
    end=lambda g, weight: g * weight,
    weight=lambda g, self, end: g * (end - self),
)


@method
def lerp(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    """From `self` (at weight 0) to `end` (at weight 1) along a straight line; the weight is a number or a tensor.

    >>> import autograd_teach as torch
    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.5)
    tensor([ 0.5000, 15.0000])
    """
    return (lerp_tensor if isinstance(weight, Tensor) else lerp_number)(self, end, weight)


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    first, *rest = arrays
    for other in rest:
        first = promote(first, other)[0]
    return (first, *(promote(other, first)[0] for other in rest))


def _addcmul(self: np.ndarray, tensor1: np.ndarray, tensor2: np.ndarray, value: Any) -> Any:
    self, tensor1, tensor2 = _promoted(self, tensor1, tensor2)
    return self + (self.dtype.type(value) * tensor1) * tensor2


def _addcdiv(self: np.ndarray, tensor1: np.ndarray, tensor2: np.ndarray, value: Any) -> Any:
    if tensor1.dtype.kind != "f" and tensor2.dtype.kind != "f":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division "
            "of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
            "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
            "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes."
        )
    self, tensor1, tensor2 = _promoted(self, tensor1, tensor2)
    return self + (self.dtype.type(value) * tensor1) / tensor2


addcmul = op(
    "addcmul(self, tensor1, tensor2, *, value=1)",
    _three(_addcmul),
    inplace=True,
    self=lambda g: g,
    tensor1=lambda g, tensor2, value: g * mul_number(tensor2, value),
    tensor2=lambda g, tensor1, value: g * mul_number(tensor1, value),
)
addcdiv = op(
    "addcdiv(self, tensor1, tensor2, *, value=1)",
    _three(_addcdiv),
    inplace=True,
    self=lambda g: g,
    tensor1=lambda g, tensor2, value: g * number_over(value, tensor2),
    tensor2=lambda g, tensor1, tensor2, value: -g * (mul_number(tensor1, value) / (tensor2 * tensor2)),
)

# Operators and in-place forms of what chooses among rows

Tensor.__floordiv__ = floor_divide  # type: ignore[attr-defined, operator]  # attached, as all operations are
Tensor.__mod__ = remainder  # type: ignore[attr-defined, operator]
Tensor.__rmod__ = lambda self, other: remainder(other, self)  # type: ignore[attr-defined]
Tensor.__rfloordiv__ = lambda self, other: floor_divide_tensor(number(other, self._array), self)  # type: ignore[attr-defined]
true_divide = divide = div
for _alias in ("true_divide", "divide"):
    setattr(Tensor, _alias, div)
for _form in (div, floor_divide, remainder, fmod, lerp):
    setattr(Tensor, f"{_form.__name__}_", inplace_form(_form))
Tensor.__itruediv__ = inplace_form(div)  # type: ignore[attr-defined]
Tensor.__ifloordiv__ = inplace_form(floor_divide)  # type: ignore[attr-defined]
Tensor.__imod__ = inplace_form(remainder)  # type: ignore[attr-defined]
