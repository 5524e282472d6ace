"""Exercises of notebook 11, what backward needs: AbsProduct, Sigmoid, Cube, Norm."""

from collections.abc import Sequence

import numpy as np

from .declaration import Arguments, Exercise, Gradcheck, Mistake, Place

NOTEBOOK = "11_saving_tensors"


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
    numbers = [(-0.7, 1.2), (1.4, -0.6), (0.8, 0.5)]
    return inputs + [(np.array(u), np.array(v)) for u, v in numbers]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def sigmoid_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(np.asarray(2 * away_from_zero(rng, shape)),) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


def cube_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(away_from_zero(rng, shape),) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


def norm(x: np.ndarray) -> np.ndarray:
    return np.sqrt(np.sum(x * x))


def norm_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(away_from_zero(rng, (size,)),) for size in (2, 3, 5, 1)]


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="AbsProduct",
        points=2,
        title="|u v|, entry by entry",
        grading=Gradcheck(
            ("u", "v"),
            lambda u, v: np.abs(u * v),
            abs_product_inputs,
            places=(
                Place("where u * v is negative", lambda u, v: u * v < 0),
                Place("where u is negative", lambda u, v: u < 0),
                Place("where v is negative", lambda u, v: v < 0),
            ),
        ),
        hints=(
            "Take one entry with u = 2 and v = 3. Move u a little: what does |u v| do? And with u = 2 and v = -3?",
            (
                "Without the absolute value, the slope for u is v. The absolute value flips its "
                "sign if the product is negative. `sign()` gives 1 or -1 for each entry of a "
                "tensor."
            ),
            (
                "You need both tensors again: ctx.save_for_backward takes several tensors, and "
                "ctx.saved_tensors gives them back in the same order. Two arguments mean two "
                "gradients. Both contain grad_output times the sign of the product."
            ),
        ),
        mistakes=(
            Mistake(
                "abs_of_slope",
                "the gradients use |v| and |u| alone, but where u is negative, a larger u makes |u v| smaller",
                vjp=lambda g, u, v: (g * np.abs(v), g * np.abs(u)),
            ),
            Mistake(
                "inner_slope",
                (
                    "the gradients are grad_output times the sign of u * v: this is the slope of "
                    "the absolute value, and the slope of the product inside it is missing"
                ),
                vjp=lambda g, u, v: (g * np.sign(u * v), g * np.sign(u * v)),
            ),
            Mistake(
                "times_result",
                (
                    "the gradients are grad_output times the result, which is not a slope: the "
                    "slope for u does not grow with u"
                ),
                vjp=lambda g, u, v: (g * np.abs(u * v), g * np.abs(u * v)),
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
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Sigmoid",
        points=2,
        title="The sigmoid, from its saved result",
        grading=Gradcheck(("x",), sigmoid, sigmoid_inputs, properties=("from_result",)),
        hints=(
            "Differentiate 1 / (1 + e^-x) on paper. Can you write the slope with the result alone, without x?",
            (
                "At x = 0 the result is 1/2 and the slope is 1/4. Far to the left the result is "
                "near 0, far to the right it is near 1, and the slope is near 0 on both sides. "
                "Which simple expression in the result behaves like this?"
            ),
            (
                "Call the result y. The slope is a product of two factors: one is y, the other is "
                "the distance from y to 1. Save y, not x."
            ),
        ),
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
            Mistake(
                "tanh", "the result is tanh x, which goes from -1 to 1; the sigmoid goes from 0 to 1", forward=np.tanh
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Cube",
        points=2,
        title="The cube, which can be differentiated twice",
        grading=Gradcheck(("x",), lambda x: x**3, cube_inputs, properties=("double_backward",)),
        hints=(
            (
                "The first derivative follows from the power rule. For the second, backward itself "
                "is differentiated, so everything in it that depends on x must be computed from x "
                "there."
            ),
            (
                "Operations in forward are not recorded, so a slope computed in forward is just a "
                "number later. What can you save so that it comes back with its place in the graph?"
            ),
            (
                "Save x itself with save_for_backward, and compute the slope in backward with "
                "tensors only: no NumPy, no `.item()`, no `.detach()`."
            ),
        ),
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
            Mistake("square", "the result is the square of x, not the cube", forward=lambda x: x**2),
            Mistake("triple", "the result is 3 x, not x to the power of 3", forward=lambda x: 3 * x),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Norm",
        points=3,
        title="The length of a vector, twice differentiable",
        grading=Gradcheck(("x",), norm, norm_inputs, properties=("double_backward",)),
        hints=(
            "Draw the vector (3, 4). Its length is 5. How much does it grow if the first entry grows from 3 to 3.01?",
            (
                "Use the chain rule: the slope of the root at the sum of squares, times the slope "
                "of the sum of squares for each entry. Two factors cancel."
            ),
            (
                "Divide each entry of x by the length. For the second derivative, the length must "
                "not be a plain number: save both x and the result with save_for_backward, or "
                "compute the length from x again in backward."
            ),
        ),
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
            Mistake(
                "mean",
                "the root is taken of the mean of the squares, but it must be the root of their sum",
                forward=lambda x: np.sqrt(np.mean(x * x)),
            ),
        ),
    ),
)
