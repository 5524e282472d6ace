"""The specification of notebook 11, what backward needs: AbsProduct, Sigmoid, Cube, Norm."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Mistake, Place, family

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


WHICH = {"u": (True, False), "v": (False, True), "u and v": (True, True)}


def abs_product_slope(which: tuple[bool, bool], slope: Callable[..., np.ndarray]) -> dict[str, Any]:
    """A wrong backward: `slope(own factor, other factor)` for u, for v or for both."""
    in_u, in_v = which
    return {"vjp": lambda g, u, v: (g * slope(u, v) if in_u else None, g * slope(v, u) if in_v else None)}


def wrong_abs_slopes(name: str, message: str, slope: Callable[..., np.ndarray]) -> tuple[Mistake, ...]:
    return family(name, message, abs_product_slope, which=WHICH, slope={"": slope})


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def sigmoid_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    inputs = [(np.asarray(2 * away_from_zero(rng, shape)),) for shape in [(3,), (2, 3)]]
    return [
        *inputs,
        (rng.uniform(-4, 4, size=(2, 1, 3)),),
        (rng.permuted(np.array([0.0, 4.0, -4.0])),),
        (np.array(rng.uniform(1, 3)),),
    ]


def cube_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    with_zero = away_from_zero(rng, (2, 3))
    with_zero[rng.integers(2), rng.integers(3)] = 0
    inputs = [(away_from_zero(rng, (3,)),), (with_zero,), (2 * away_from_zero(rng, (2, 1, 3)),)]
    return inputs + [(np.array(x * rng.uniform(0.9, 1.1)),) for x in (1.3, -0.7)]


def norm(x: np.ndarray) -> np.ndarray:
    return np.sqrt(np.sum(x * x))


def norm_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(away_from_zero(rng, (size,)),) for size in (2, 3, 5, 1)] + [(2 * away_from_zero(rng, (4,)),)]


EPS = {f"{eps:g}": eps for eps in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)}
"""Numbers that are added to avoid a division by zero. The larger ones show in the gradient too."""


LARGE_EPS: Mapping[str, float] = {text: eps for text, eps in EPS.items() if eps > 5e-5}


SPECS = {
    "AbsProduct": FunctionSpec(
        lambda u, v: np.abs(u * v),
        abs_product_inputs,
        places=(
            Place("where u * v is negative", lambda u, v: u * v < 0),
            Place("where u is negative", lambda u, v: u < 0),
            Place("where v is negative", lambda u, v: v < 0),
        ),
        mistakes=(
            *wrong_abs_slopes(
                "abs_of_slope",
                (
                    "the slope for {which} is the absolute value of the other factor, but |u v| also "
                    "falls when a factor grows"
                ),
                lambda own, other: np.abs(other),
            ),
            *wrong_abs_slopes(
                "inner_slope",
                (
                    "the slope for {which} is the sign of u * v: this is the slope of the absolute "
                    "value, and the slope of the product inside it is missing"
                ),
                lambda own, other: np.sign(own * other),
            ),
            *wrong_abs_slopes(
                "inner_slope",
                (
                    "the slope for {which} is the sign of this factor alone, 1 or -1: the other factor "
                    "does not appear in it"
                ),
                lambda own, other: np.sign(own),
            ),
            *wrong_abs_slopes(
                "outer_slope",
                (
                    "the slope for {which} is the other factor: this is the slope of u * v, and the "
                    "slope of the absolute value around it is missing"
                ),
                lambda own, other: other,
            ),
            *wrong_abs_slopes(
                "sign_of_one",
                (
                    "the slope for {which} is the other factor times the sign of this one, but the sign of the "
                    "product u * v counts"
                ),
                lambda own, other: other * np.sign(own),
            ),
            *wrong_abs_slopes(
                "positive_only",
                "the gradient for {which} is zero where u * v is negative, but |u v| moves there too",
                lambda own, other: other * (own * other > 0),
            ),
            *wrong_abs_slopes(
                "times_result",
                (
                    "the gradient for {which} is grad_output times the result, which is not a slope: the "
                    "slope for a factor does not grow with this factor"
                ),
                lambda own, other: np.abs(own * other),
            ),
            *wrong_abs_slopes(
                "times_result",
                "the gradient for {which} is grad_output times the product u * v, which is not a slope",
                lambda own, other: own * other,
            ),
            *wrong_abs_slopes(
                "times_result",
                "the slope for {which} contains the size of the product u * v, but only its sign belongs there",
                lambda own, other: other * np.abs(own * other),
            ),
            *(
                Mistake(
                    "own_factor",
                    f"the slope for {own} contains {own} itself, but when {own} moves, the other factor says how much",
                    **abs_product_slope(WHICH[own], lambda own, other: own * np.sign(own * other)),
                )
                for own in ("u", "v")
            ),
            Mistake(
                "slopes_added",
                "u and v get the same gradient, the sum of two slopes, but each of them has its own slope",
                vjp=lambda g, u, v: (g * (u + v) * np.sign(u * v), g * (u + v) * np.sign(u * v)),
            ),
            Mistake(
                "slopes_added",
                "u and v get the same gradient, grad_output times u + v, but each of them has its own slope",
                vjp=lambda g, u, v: (g * (u + v), g * (u + v)),
            ),
            Mistake(
                "saved_twice",
                (
                    "v is used in place of u: does the second call of ctx.save_for_backward replace what "
                    "the first one saved?"
                ),
                vjp=lambda g, u, v: (g * np.sign(v * v) * v, g * np.sign(v * v) * v),
            ),
            Mistake(
                "product",
                "the result is the product itself, with its sign",
                forward=lambda u, v: u * v,
            ),
            Mistake(
                "one_abs",
                "the absolute value is taken of one factor only: the result still has the sign of the other factor",
                forward=lambda u, v: np.abs(u) * v,
            ),
            Mistake(
                "one_abs",
                "the absolute value is taken of one factor only: the result still has the sign of the other factor",
                forward=lambda u, v: u * np.abs(v),
            ),
            Mistake(
                "cut_off",
                "the result is 0 where the product is negative, but its absolute value is asked for",
                forward=lambda u, v: np.maximum(u * v, 0),
            ),
            *family(
                "sum",
                "the result is {what}, but u and v must be multiplied",
                lambda what: {"forward": what},
                what={
                    "|u + v|": lambda u, v: np.abs(u + v),
                    "|u| + |v|": lambda u, v: np.abs(u) + np.abs(v),
                    "|u - v|": lambda u, v: np.abs(u - v),
                },
            ),
            Mistake(
                "summed",
                "the result is the sum over all entries, but each entry of u and v has a result of its own",
                forward=lambda u, v: np.sum(np.abs(u * v)),
            ),
            Mistake(
                "squared",
                "the result is the square of the product: it is never negative, but it is not the absolute value",
                forward=lambda u, v: (u * v) ** 2,
            ),
        ),
        holds={
            "Write a Function `AbsProduct.apply(u, v)`": "forward, gradient, product, one_abs",
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
        mistakes=(
            Mistake(
                "formula_of_x",
                "the formula for the slope is applied to x, but it is a formula in the result",
                vjp=lambda g, x: g * x * (1 - x),
            ),
            Mistake(
                "sigmoid_twice",
                "the sigmoid is applied once more to the saved result before the slope is computed",
                vjp=lambda g, x: g * sigmoid(sigmoid(x)) * (1 - sigmoid(sigmoid(x))),
            ),
            Mistake(
                "slope_of_tanh",
                "the slope used is 1 - y * y, where y is the result: this is the slope of tanh",
                vjp=lambda g, x: g * (1 - sigmoid(x) ** 2),
            ),
            Mistake(
                "half_of_slope",
                (
                    "grad_output is multiplied by the result alone: this slope keeps growing to the "
                    "right, but the sigmoid is flat there"
                ),
                vjp=lambda g, x: g * sigmoid(x),
            ),
            Mistake(
                "half_of_slope",
                (
                    "grad_output is multiplied by 1 minus the result alone: this slope is 1 far to "
                    "the left, but the sigmoid is flat there"
                ),
                vjp=lambda g, x: g * (1 - sigmoid(x)),
            ),
            *family(
                "not_flat",
                (
                    "grad_output is multiplied by {slope}, where y is the result: the sigmoid is "
                    "flat on both sides, but this is not near 0 {side}"
                ),
                lambda slope, side: {"vjp": lambda g, x: g * slope(sigmoid(x))},
                slope={"y * y": lambda y: y * y, "y * (1 + y)": lambda y: y * (1 + y)},
                side={"far to the right": None},
            ),
            *family(
                "not_flat",
                (
                    "grad_output is multiplied by {slope}, where y is the result: the sigmoid is "
                    "flat on both sides, but this is not near 0 {side}"
                ),
                lambda slope, side: {"vjp": lambda g, x: g * slope(sigmoid(x))},
                slope={
                    "(1 - y) * (1 - y)": lambda y: (1 - y) ** 2,
                    "(1 - y * y) / 2": lambda y: (1 - y * y) / 2,
                    "(1 - y) / y": lambda y: (1 - y) / y,
                },
                side={"far to the left": None},
            ),
            *family(
                "other_slope",
                "the slope used is {slope}: does backward get the result, or exp(-x)?",
                lambda slope: {"vjp": lambda g, x: g * slope(np.exp(-x))},
                slope={
                    "e * (1 - e), where e is exp(-x)": lambda e: e * (1 - e),
                    "1 - exp(-x)": lambda e: 1 - e,
                },
            ),
            *family(
                "other_slope",
                "the slope used is {slope}, where y is the result",
                lambda slope: {"vjp": lambda g, x: g * slope(sigmoid(x))},
                slope={
                    "1 - 2 y: this belongs to the second derivative": lambda y: 1 - 2 * y,
                    "y * (1 - y) * (1 - 2 y): this is the second derivative": lambda y: y * (1 - y) * (1 - 2 * y),
                    "the root of y * (1 - y), but no root belongs there": lambda y: np.sqrt(y * (1 - y)),
                },
            ),
            Mistake(
                "squared_slope",
                "the slope is multiplied twice",
                vjp=lambda g, x: g * (sigmoid(x) * (1 - sigmoid(x))) ** 2,
            ),
            Mistake(
                "divided",
                "grad_output is divided by the slope, but it must be multiplied by it",
                vjp=lambda g, x: g / (sigmoid(x) * (1 - sigmoid(x))),
            ),
            *family(
                "parentheses",
                (
                    "a part of the slope, {part}, is not multiplied by grad_output (y is the result): "
                    "are there parentheses missing?"
                ),
                lambda part: {"vjp": part},
                part={
                    "minus y": lambda g, x: g * sigmoid(x) - sigmoid(x),
                    "minus y * y": lambda g, x: g * sigmoid(x) - sigmoid(x) ** 2,
                },
            ),
            Mistake(
                "parentheses",
                "the gradient is grad_output minus the square of the result: no slope multiplies grad_output",
                vjp=lambda g, x: g - sigmoid(x) ** 2,
            ),
            Mistake(
                "parentheses",
                "the gradient is grad_output minus the result: no slope multiplies grad_output",
                vjp=lambda g, x: g - sigmoid(x),
            ),
            Mistake(
                "added",
                "the slope is added to grad_output, but it must multiply it",
                vjp=lambda g, x: g + sigmoid(x) * (1 - sigmoid(x)),
            ),
            *family(
                "formula_of_grad_output",
                "grad_output stands in the slope at {place}, but the slope is a formula in the result",
                lambda place: {"vjp": place},
                place={
                    "one of the two factors": lambda g, x: g * sigmoid(x) * (1 - g),
                    "both factors": lambda g, x: g * (1 - g),
                },
            ),
            Mistake(
                "formula_of_grad_output",
                "the gradient is the sigmoid of grad_output: backward needs the slope, not the function",
                vjp=lambda g, x: sigmoid(g),
            ),
            Mistake(
                "slope_one",
                "the gradient is grad_output itself, as if the slope of the sigmoid were 1 everywhere",
                vjp=lambda g, x: g,
            ),
            Mistake(
                "falling",
                "the result falls, but it must rise: look at the sign in the exponent",
                forward=lambda x: 1 / (1 + np.exp(x)),
            ),
            *family(
                "other_formula",
                "the result is {formula}",
                lambda formula: {"forward": formula},
                formula={
                    "1 + exp(-x), as if 1 were divided by 1 alone: are there parentheses missing?": lambda x: (
                        1 + np.exp(-x)
                    ),
                    "1 / (1 - exp(-x)): there is a plus in the formula": lambda x: 1 / (1 - np.exp(-x)),
                    "exp(x) / (1 + exp(-x)): the exponential above the line has another sign in its exponent "
                    "than the one below it": lambda x: np.exp(x) / (1 + np.exp(-x)),
                    "the sigmoid of 2 x": lambda x: sigmoid(2 * x),
                    "the sigmoid of x / 2": lambda x: sigmoid(x / 2),
                    "the softmax over all entries, but every entry must have a result of its own": (
                        lambda x: np.exp(x) / np.exp(x).sum()
                    ),
                },
            ),
            Mistake(
                "tanh",
                "the result is tanh x, which goes from -1 to 1, but it must be the sigmoid, which goes from 0 to 1",
                forward=np.tanh,
            ),
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
        lambda x: x**3,
        cube_inputs,
        mistakes=(
            Mistake(
                "power_kept",
                "the slope used contains x to the power of 3, but differentiation lowers the power by one",
                vjp=lambda g, x: 3 * g * x**3,
            ),
            Mistake(
                "power_kept",
                "the gradient is grad_output times the result: x * x * x is the value, not its slope",
                vjp=lambda g, x: g * x**3,
            ),
            Mistake(
                "power_lost",
                "the slope used is 3 x, which is negative for negative x, but x * x * x rises on both sides of 0",
                vjp=lambda g, x: 3 * g * x,
            ),
            Mistake(
                "second_derivative",
                "the slope used is 6 x: this is the second derivative",
                vjp=lambda g, x: 6 * g * x,
            ),
            *family(
                "power_kept",
                "the slope used is {slope}: the power must fall by one, and the old power become the factor",
                lambda slope: {"vjp": lambda g, x: g * slope(x)},
                slope={
                    "2 x to the power of 3": lambda x: 2 * x**3,
                    "4 x to the power of 3": lambda x: 4 * x**3,
                    "2 x": lambda x: 2 * x,
                    "x": lambda x: x,
                    "9 x": lambda x: 9 * x,
                },
            ),
            *family(
                "integral",
                "the slope used is {slope}: this is how to integrate, but backward differentiates",
                lambda slope: {"vjp": lambda g, x: g * slope(x)},
                slope={
                    "x to the power of 3, divided by 3": lambda x: x**3 / 3,
                    "x to the power of 4, divided by 4": lambda x: x**4 / 4,
                },
            ),
            Mistake(
                "added",
                "3 is added to the square of x, but it must multiply it",
                vjp=lambda g, x: g * (3 + x**2),
            ),
            Mistake(
                "sign_kept",
                "the slope used is negative for negative x, but x * x * x rises on both sides of 0",
                vjp=lambda g, x: 3 * g * x * np.abs(x),
            ),
            Mistake(
                "wrong_square",
                "grad_output is squared instead of x",
                vjp=lambda g, x: 3 * g**2 * x,
            ),
            Mistake(
                "wrong_square",
                "grad_output is squared together with x, but it must appear once: are there parentheses too many?",
                vjp=lambda g, x: 3 * (g * x) ** 2,
            ),
            Mistake(
                "added",
                "the slope is added to grad_output, but it must multiply it",
                vjp=lambda g, x: g + 3 * x**2,
            ),
            Mistake(
                "from_result",
                "the slope formula is applied to the result, but it is a formula in x",
                vjp=lambda g, x: 3 * g * x**6,
            ),
            Mistake("square", "the result is the square of x, not the cube", forward=lambda x: x**2),
            Mistake("fourth", "the result is x to the power of 4, one factor too many", forward=lambda x: x**4),
            Mistake(
                "absolute",
                "the result has lost the sign of x: the cube of a negative number is negative",
                forward=lambda x: np.abs(x) ** 3,
            ),
            Mistake(
                "exponential", "the result is 3 to the power of x, not x to the power of 3", forward=lambda x: 3**x
            ),
            Mistake("triple", "the result is 3 x, not x to the power of 3", forward=lambda x: 3 * x),
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
        mistakes=(
            Mistake(
                "not_divided",
                "the gradient is grad_output times x, but the slope of a length is never larger than 1",
                vjp=lambda g, x: g * x,
            ),
            Mistake(
                "square",
                "this is the gradient of the sum of squares: the slope of the root is missing",
                vjp=lambda g, x: 2 * g * x,
            ),
            Mistake(
                "divided_twice",
                "x is divided by the sum of its squares, not by its length",
                vjp=lambda g, x: g * x / np.sum(x * x),
            ),
            Mistake(
                "inner_slope",
                (
                    "the gradient contains only the slope of the root, which is the same for all "
                    "entries: the slope of the squares inside is missing"
                ),
                vjp=lambda g, x: g / (2 * norm(x)) * np.ones_like(x),
            ),
            Mistake(
                "inner_slope",
                "every entry gets grad_output divided by the length: the slope of the squares inside is missing",
                vjp=lambda g, x: g / norm(x) * np.ones_like(x),
            ),
            Mistake(
                "inner_slope",
                "every entry gets grad_output times the length, but the length is the result, not its slope",
                vjp=lambda g, x: g * norm(x) * np.ones_like(x),
            ),
            *family(
                "other_quotient",
                "{what}",
                lambda what: {"vjp": lambda g, x: g * what(x)},
                what={
                    "x is multiplied by the length, but it must be divided by it": lambda x: x * norm(x),
                    "the length is divided by x: the fraction stands upside down": lambda x: norm(x) / x,
                    "x is divided by the third power of the length, but one length is enough": lambda x: (
                        x / norm(x) ** 3
                    ),
                    "x / length is subtracted from 1: this is not the slope of a length": lambda x: 1 - x / norm(x),
                    "x has lost its sign: the length falls when a negative entry grows": lambda x: np.abs(x) / norm(x),
                    "x is squared: the slope of a square has a lower power": lambda x: x * x / norm(x),
                    "x is divided by the root of the length: the root is taken twice": lambda x: x / np.sqrt(norm(x)),
                    "x is divided by the sum of the entries, not by the length": lambda x: x / x.sum(),
                    "x is divided by the sum of the absolute values, not by the length": lambda x: x / np.abs(x).sum(),
                    "x is divided by the root of the mean of the squares, but the length is the root of their sum": (
                        lambda x: x / np.sqrt(np.mean(x * x))
                    ),
                },
            ),
            *family(
                "eps",
                "{eps} is added to what x is divided by, which makes the gradient too small",
                lambda eps: {"vjp": lambda g, x: g * x / (norm(x) + eps)},
                eps=LARGE_EPS,
            ),
            Mistake(
                "norm_of_sizes",
                "this is the gradient of the sum of the absolute values (1 or -1 for each entry)",
                vjp=lambda g, x: g * np.sign(x),
            ),
            Mistake(
                "square", "the root is missing: the result is the sum of the squares", forward=lambda x: np.sum(x * x)
            ),
            Mistake(
                "norm_of_sizes",
                "the result is the sum of the absolute values, but the length is the root of the sum of the squares",
                forward=lambda x: np.sum(np.abs(x)),
            ),
            *family(
                "eps",
                "{eps} is added {place}: the result is too large",
                lambda place, eps: {"forward": lambda x: place(np.sum(x * x), eps)},
                place={
                    "to the sum under the root": lambda total, eps: np.sqrt(total + eps),
                    "to the root": lambda total, eps: np.sqrt(total) + eps,
                },
                eps=EPS,
            ),
            Mistake(
                "one_entry",
                "the number is right, but it is the entry of a vector: the result must have no dimensions",
                forward=lambda x: np.sqrt(np.sum(x * x, keepdims=True)),
            ),
            *family(
                "other_number",
                "the result is {what}, but it must be the root of the sum of the squares",
                lambda what: {"forward": what},
                what={
                    "a vector of absolute values, entry by entry": np.abs,
                    "the absolute value of the sum": lambda x: np.abs(x.sum()),
                    "the sum of the entries": np.sum,
                    "the largest absolute value": lambda x: np.abs(x).max(),
                    "the root of the sum of the absolute values": lambda x: np.sqrt(np.abs(x).sum()),
                    "the root of that sum, divided by the number of entries": lambda x: norm(x) / len(x),
                    "the third root of the sum of the third powers of the absolute values": (
                        lambda x: np.cbrt(np.sum(np.abs(x) ** 3))
                    ),
                    "half the sum of the squares": lambda x: np.sum(x * x) / 2,
                    "the root of the absolute value of the sum": lambda x: np.sqrt(np.abs(x.sum())),
                },
            ),
            Mistake(
                "mean",
                "the root is taken of the mean of the squares, but it must be the root of their sum",
                forward=lambda x: np.sqrt(np.mean(x * x)),
            ),
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
