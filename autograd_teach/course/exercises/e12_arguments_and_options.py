"""Exercises of notebook 12, arguments and options: Linear, MulConstant, MatMul, BroadcastAdd, Clamp."""

from collections.abc import Sequence

import numpy as np

from .declaration import Arguments, Exercise, Gradcheck, Mistake, Place

NOTEBOOK = "12_arguments_and_options"


def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    product = x @ weight.T
    return product if bias is None else product + bias


def linear_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    sizes = [(2, 3, 4, True), (2, 3, 4, False), (3, 2, 2, True), (2, 2, 2, True), (1, 4, 2, False)]
    return [
        (
            rng.normal(size=(rows, features)),
            rng.normal(size=(results, features)),
            rng.normal(size=results) if has_bias else None,
        )
        for rows, features, results, has_bias in sizes
    ]


def mul_constant_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    constants = [2.5, -1.5, 3, 0.25]
    shapes = [(3,), (2, 3), (2, 1, 3), ()]
    return [(rng.normal(size=shape), constant) for shape, constant in zip(shapes, constants, strict=True)]


def mat_mul_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    sizes = [(2, 3, 4), (2, 2, 2), (4, 2, 3), (1, 3, 2), (3, 3, 3)]
    return [(rng.normal(size=(n, k)), rng.normal(size=(k, m))) for n, k, m in sizes]


def broadcast_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    pairs: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((2, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 1), (1, 3)),
        ((2, 1), (2, 4)),
        ((2, 3), (2, 3)),
        ((2, 1, 2), (3, 1)),
        ((2, 3), ()),
        ((), (3,)),
    ]
    return [(rng.normal(size=x), rng.normal(size=y)) for x, y in pairs]


def mean_to(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The mean of g over the dimensions that broadcasting from `shape` added or repeated."""
    while g.ndim > len(shape):
        g = g.mean(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.mean(axis=axis, keepdims=True)
    return g


def clamp_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    bounds = [((6,), -0.5, 1.0), ((2, 3), 0, 2), ((2, 1, 3), -1.5, -0.25)]
    inputs = []
    for shape, low, high in bounds:
        centre = np.resize([low - 0.8, (low + high) / 2, high + 0.8], int(np.prod(shape)))
        noise = rng.uniform(-0.4, 0.4, size=centre.shape)
        inputs.append((rng.permutation(centre + noise).reshape(shape), low, high))
    return inputs + [(np.array(x), -1.0, 1.0) for x in (-1.7, 0.3, 1.6)]


def outside(x: np.ndarray, low: float, high: float) -> np.ndarray:
    return (x < low) | (x > high)


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="Linear",
        points=3,
        title="A linear layer whose bias may be left out",
        grading=Gradcheck(("x", "weight", "bias"), linear, linear_inputs, properties=("needs_input_grad",)),
        hints=(
            (
                "Write down the shapes: x (n, k), weight (m, k), bias (m,), grad_output (n, m). "
                "Which products of grad_output with weight and with x have the shapes you need?"
            ),
            (
                "Each entry of bias is added to every row of the result. So what does its gradient "
                "collect from the n rows of grad_output?"
            ),
            (
                "Begin backward with three Nones. Replace each by its gradient only if its entry of "
                "ctx.needs_input_grad is True. save_for_backward also accepts None, so bias needs "
                "no special case there."
            ),
        ),
        mistakes=(
            Mistake(
                "no_bias",
                "the bias is left out even if there is one",
                forward=lambda x, weight, bias: x @ weight.T,
            ),
            Mistake(
                "bias_subtracted",
                "the bias is subtracted, but it must be added",
                forward=lambda x, weight, bias: linear(x, weight, None if bias is None else -bias),
            ),
            Mistake(
                "bias_mean",
                "the gradient for bias is the mean over the rows of grad_output, but the rows add up",
                vjp=lambda g, x, weight, bias: (None, None, g.mean(axis=0)),
            ),
            Mistake(
                "first_row",
                "the gradient for bias comes from one row of grad_output alone, but bias was added to every row",
                vjp=lambda g, x, weight, bias: (None, None, g[0]),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="MulConstant",
        points=2,
        title="A constant factor: no gradient, no work",
        grading=Gradcheck(
            ("x", "constant"), lambda x, constant: x * constant, mul_constant_inputs, properties=("no_gradient",)
        ),
        hints=(
            (
                "This is Scale from notebook 09 with one addition: what is grad_output if the next "
                "Function gives no gradient?"
            ),
            (
                "By default, a missing gradient is replaced by zeros. ctx.set_materialize_grads "
                "controls this; call it in forward."
            ),
            (
                "Without these zeros, grad_output can be None. backward must test for None before "
                "it computes with grad_output."
            ),
        ),
        mistakes=(
            Mistake(
                "constant_ignored",
                "the gradient is grad_output itself, whatever `constant` is",
                vjp=lambda g, x, constant: g,
            ),
            Mistake(
                "times_x",
                "the gradient contains x, but the result is linear in x: its slope does not depend on x",
                vjp=lambda g, x, constant: g * x,
            ),
            Mistake(
                "divided",
                (
                    "grad_output is divided by `constant`, but x was multiplied by it: look at how "
                    "much the result moves when x moves a little"
                ),
                vjp=lambda g, x, constant: g / constant,
            ),
            Mistake(
                "added",
                "`constant` is added to x, but it must multiply x",
                forward=lambda x, constant: x + constant,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="MatMul",
        points=2,
        title="A product of matrices: only the gradients that are needed",
        grading=Gradcheck(("a", "b"), lambda a, b: a @ b, mat_mul_inputs, properties=("needs_input_grad",)),
        hints=(
            (
                "Write down the shapes: a (n, k), b (k, m), grad_output (n, m). Only one product of "
                "grad_output and b, with one of them transposed, has the shape of a."
            ),
            (
                "result[i, j] is the sum over l of a[i, l] * b[l, j]. So a[i, l] reaches every "
                "entry of row i of the result, with the slopes b[l, j]."
            ),
            (
                "ctx.needs_input_grad has one entry for each argument of forward: compute a "
                "gradient if it is True, and leave None if it is False."
            ),
        ),
        mistakes=(
            Mistake(
                "mean",
                "the gradient for b is divided by the number of rows of a, but the rows add up",
                vjp=lambda g, a, b: (None, a.T @ g / len(a)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="BroadcastAdd",
        points=3,
        title="A sum with broadcasting",
        grading=Gradcheck(("x", "y"), lambda x, y: x + y, broadcast_inputs),
        hints=(
            (
                "Let x have shape (2, 3) and y shape (3,). How many entries of the result contain "
                "y[0]? When y[0] moves, all of them move."
            ),
            (
                "Broadcasting does two things: it adds dimensions in front, and it repeats entries "
                "along dimensions of size 1. The gradient must undo both, for x and for y."
            ),
            (
                "Write a small function and call it for x and for y: it sums over the first "
                "dimension while there are too many dimensions, then over each dimension where the "
                "argument has size 1 (`keepdim=True`). Shapes are plain tuples, so ctx can keep "
                "them as attributes."
            ),
        ),
        mistakes=(
            Mistake(
                "mean",
                (
                    "the gradient is the mean over what was broadcast, but the effects on all these "
                    "entries of the result add up"
                ),
                vjp=lambda g, x, y: (mean_to(g, x.shape), mean_to(g, y.shape)),
            ),
            Mistake(
                "minus",
                "the result is x - y, but it must be x + y",
                forward=lambda x, y: x - y,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Clamp",
        points=2,
        title="Values kept between two bounds",
        grading=Gradcheck(
            ("x", "low", "high"),
            lambda x, low, high: np.minimum(np.maximum(x, low), high),
            clamp_inputs,
            places=(
                Place("where x is below low", lambda x, low, high: x < low),
                Place("where x is above high", lambda x, low, high: x > high),
                Place("where x is outside the bounds", outside),
            ),
        ),
        hints=(
            "Where x is above high, the result is high. If x moves a little there, does the result move?",
            (
                "Which entries of the result still follow x, and with what slope? A comparison such "
                "as `x > low` gives True or False for each entry; `.to(grad_output.dtype)` turns "
                "these into 1 and 0."
            ),
            (
                "Save x, or save which entries are inside the bounds. In backward, let grad_output "
                "pass inside the bounds and nothing outside. Add one more value for each of the two "
                "bounds, which are plain numbers."
            ),
        ),
        mistakes=(
            Mistake(
                "wrong_way_round",
                "the gradient reaches x outside the bounds and not between them: the wrong way round",
                vjp=lambda g, x, low, high: g * outside(x, low, high),
            ),
            Mistake(
                "grad_output_clamped",
                (
                    "grad_output itself is kept between the bounds, but the bounds are for x, and "
                    "grad_output can have any size"
                ),
                vjp=lambda g, x, low, high: np.clip(g, low, high),
            ),
            Mistake(
                "times_x",
                (
                    "the gradient contains the values of x, but between the bounds the result is x "
                    "itself, which has slope 1"
                ),
                vjp=lambda g, x, low, high: g * np.clip(x, low, high),
            ),
            Mistake(
                "bounds_exchanged",
                "low and high are swapped: every entry of the result is the same",
                forward=lambda x, low, high: np.minimum(np.maximum(x, high), low),
            ),
            Mistake(
                "one_bound",
                "the values above high are left as they are",
                forward=lambda x, low, high: np.maximum(x, low),
            ),
            Mistake(
                "one_bound",
                "the values below low are left as they are",
                forward=lambda x, low, high: np.minimum(x, high),
            ),
            Mistake(
                "zero_outside",
                "the values outside the bounds become 0, but they must become the nearer bound",
                forward=lambda x, low, high: np.where(outside(x, low, high), 0.0, x),
            ),
        ),
    ),
)
