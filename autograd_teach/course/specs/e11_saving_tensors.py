"""The specification of notebook 11, what backward needs: AbsProduct, Sigmoid, Cube, Norm."""

from collections.abc import Sequence

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Place
from ..mutants import Slip

EVERY = "structure, runs, forward, returns, gradient, unchanged, repeat"
"""The checks that every Function must pass."""


def both_signs(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """An array of 1 and -1, both present, in random order."""
    return rng.permutation(np.resize([-1.0, 1.0], int(np.prod(shape)))).reshape(shape)


def away_from_zero(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return np.asarray(rng.uniform(0.4, 1.6, size=shape) * both_signs(rng, shape))


def abs_product_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    inputs = []
    for shape in [(4,), (2, 3), (2, 1, 3)]:
        u, v = away_from_zero(rng, shape), away_from_zero(rng, shape)
        inputs.append((u, np.abs(v) * both_signs(rng, shape) * np.sign(u)))
    numbers = [(-0.7, 1.2), (1.4, -0.6), (0.8, 0.5), (-0.9, -1.1)]
    return inputs + [(np.array(u * rng.uniform(0.9, 1.1)), np.array(v * rng.uniform(0.9, 1.1))) for u, v in numbers]


def abs_product(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    product = u * v  #: the product
    return np.abs(product)  #: the result


def abs_product_gradients(g: np.ndarray, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sign = np.sign(u * v)  #: the sign of the product
    of_u = g * v * sign  #: the gradient for u
    of_v = g * u * sign  #: the gradient for v
    return of_u, of_v  #: the two gradients


def sign_slips(own: str, other: str) -> tuple[Slip, ...]:
    """Other signs in the gradient for one of the factors."""
    place, where = f"the gradient for {own}", f"in the gradient for {own},"
    only_own = f"{where} the sign of {own} is used, but the sign of u * v is needed"
    absolute = f"{where} the slope is the absolute value of {other}, but |u v| also falls when {own} grows"
    return Slip(place, f"g * {other} * np.sign({own})", only_own), Slip(place, f"g * np.abs({other})", absolute)


def sigmoid_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    inputs = [(np.asarray(2 * away_from_zero(rng, shape)),) for shape in [(3,), (2, 3)]]
    return [
        *inputs,
        (rng.uniform(-4, 4, size=(2, 1, 3)),),
        (rng.permuted(np.array([0.0, 4.0, -4.0])),),
        (np.array(rng.uniform(1, 3)),),
    ]


def sigmoid(x: np.ndarray) -> np.ndarray:
    denominator = 1 + np.exp(-x)  #: the denominator
    return 1 / denominator  #: the result


INVERSE = "the result is 1 + exp(-x): are there parentheses missing?"


def sigmoid_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    y = 1 / (1 + np.exp(-x))  #: the saved result
    slope = y * (1 - y)  #: the slope; the sigmoid is flat on both sides
    return g * slope  #: the gradient


def cube_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    with_zero = away_from_zero(rng, (2, 3))
    with_zero[rng.integers(2), rng.integers(3)] = 0
    inputs = [(away_from_zero(rng, (3,)),), (with_zero,), (2 * away_from_zero(rng, (2, 1, 3)),)]
    return inputs + [(np.array(x * rng.uniform(0.9, 1.1)),) for x in (1.3, -0.7)]


def cube(x: np.ndarray) -> np.ndarray:
    exponent = 3  #: the exponent
    return x**exponent  #: the result


def cube_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    power = x**2  #: the power in the slope
    slope = 3 * power  #: the slope
    return g * slope  #: the gradient


def norm_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(away_from_zero(rng, (size,)),) for size in (2, 3, 5, 1)] + [(2 * away_from_zero(rng, (4,)),)]


def norm(x: np.ndarray) -> np.ndarray:
    total = np.sum(x * x)  #: the sum of the squares
    return np.sqrt(total)  #: the length


def norm_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    length = np.sqrt(np.sum(x * x))  #: the length in backward
    slope_of_root = 1 / (2 * length)  #: the slope of the root
    slope_of_squares = 2 * x  #: the slope of the squares
    return g * slope_of_root * slope_of_squares  #: the gradient


SPECS = {
    "AbsProduct": FunctionSpec(
        abs_product,
        abs_product_inputs,
        abs_product_gradients,
        places=(
            Place("where u * v is negative", lambda u, v: u * v < 0),
            Place("where u is negative", lambda u, v: u < 0),
            Place("where v is negative", lambda u, v: v < 0),
        ),
        mistakes=(
            Slip("the result", "np.abs(product.sum())", "the result is one number, but each entry must have its own"),
            Slip("the sign", "1", "these are the gradients of u * v: the slope of the absolute value is missing"),
            Slip("the sign", "np.sign((u * v).sum())", "all entries get the same sign, but each product has its own"),
            *sign_slips("u", "v"),
            *sign_slips("v", "u"),
        ),
        holds={
            "Write a Function `AbsProduct.apply(u, v)`": "forward, gradient",
            "Both have the same shape, and no entry is 0": "explains",
            "For example:": "explains",
            "Lesson 11 wrote this Function with you.": "explains",
            "Try to write it again without looking there.": "explains",
            "The checks: those listed above, for tensors": EVERY,
        },
    ),
    "Sigmoid": FunctionSpec(
        sigmoid,
        sigmoid_inputs,
        sigmoid_gradient,
        mistakes=(
            Slip(
                "the denominator",
                "1 + np.exp(x)",
                "the result falls, but it must rise: look at the sign in the exponent",
            ),
            Slip("the result", "denominator", INVERSE),
            Slip("the saved result", "1 + np.exp(-x)", INVERSE),
            Slip("the result", "np.tanh(x)", "the result is tanh x, which goes from -1 to 1"),
            Slip("the saved result", "sigmoid(sigmoid(x))", "the sigmoid is applied once more to the saved result"),
            Slip(
                "the saved result",
                "np.exp(-x)",
                "backward computes with exp(-x), but the slope is a formula in the result",
            ),
            Slip("the slope", "1 - y * y", "this is the slope of tanh"),
            Slip("the slope", "y * 1 - y", "the slope is 0 everywhere: are there parentheses missing?"),
        ),
        holds={
            "Write a Function `Sigmoid.apply(x)` that computes": "forward, gradient",
            "For example:": "explains",
            "The local slope can be computed from the result": "explains",
            "**Save the result, not `x`.**": "from_result",
            "The checks: those listed above, for `x` with one": EVERY,
            "One more check changes `x` in place between": "from_result",
        },
    ),
    "Cube": FunctionSpec(
        cube,
        cube_inputs,
        cube_gradient,
        mistakes=(
            Slip("the power", "x", "the slope changes its sign with x, but x * x * x rises on both sides of 0"),
            Slip("the result", "x**4", "the result is a product with one factor x too many"),
        ),
        holds={
            "Write a Function `Cube.apply(x)` that computes": "forward, gradient, double_backward",
            "The gradient that `backward` returns must stay": "double_backward",
            "For example:": "explains",
            "The checks: those listed above, for `x` with one": EVERY,
            "One more check differentiates the gradient once more": "double_backward",
        },
    ),
    "Norm": FunctionSpec(
        norm,
        norm_inputs,
        norm_gradient,
        mistakes=(
            Slip(
                "the length",
                "np.sum(np.abs(x))",
                "the result is the sum of the absolute values, but the length is a root",
            ),
            Slip(
                "the length",
                "np.sqrt([total])",
                "the number is right, but it is the entry of a vector: it must have no dimensions",
            ),
            Slip("the gradient", "g * length / x", "the fraction is upside down: the length is divided by x"),
            Slip("the length", "np.sqrt(total + 1e-8)", "1e-8 is added under the root, so the result is too large"),
        ),
        holds={
            "Write a Function `Norm.apply(x)` that computes": "forward, gradient, double_backward",
            "No entry of `x` is 0 (in the checks": "explains",
            "The result is one number, a tensor without dimensions.": "forward",
            "For example:": "explains",
            "The length depends on `x`, so `backward` needs": "double_backward",
            "A number from `.item()` or a detached copy": "double_backward",
            "In the example, the second derivative of the length": "explains",
            "The checks: the same as for `Cube`, for vectors": f"{EVERY}, double_backward",
        },
    ),
}
