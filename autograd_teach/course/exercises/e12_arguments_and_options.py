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
    """The mean of g over what broadcasting from `shape` has added."""
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
            "Write down the shapes: x (n, k), weight (m, k), bias (m,), grad_output (n, m). Which products of grad_output with weight, and with x, have the shapes that you owe?",
            "Each entry of bias is added to every row of the result. So what does it get from the n rows of grad_output?",
            "Begin backward with three Nones, and replace each by its gradient only if ctx.needs_input_grad says so for its place. save_for_backward takes None as well, so bias needs no special treatment there.",
        ),
        mistakes=(
            Mistake(
                "no_bias",
                "the bias is left out also where there is one",
                forward=lambda x, weight, bias: x @ weight.T,
            ),
            Mistake(
                "bias_subtracted",
                "the bias is subtracted where it must be added",
                forward=lambda x, weight, bias: linear(x, weight, None if bias is None else -bias),
            ),
            Mistake(
                "bias_mean",
                "the gradient for bias is the mean over the rows of grad_output; the rows add up",
                vjp=lambda g, x, weight, bias: (None, None, g.mean(axis=0)),
            ),
            Mistake(
                "first_row",
                "the gradient for bias comes from one row of grad_output alone; bias was added to every row",
                vjp=lambda g, x, weight, bias: (None, None, g[0]),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="MulConstant",
        points=2,
        title="A constant factor, and nothing to do where no gradient comes",
        grading=Gradcheck(
            ("x", "constant"), lambda x, constant: x * constant, mul_constant_inputs, properties=("no_gradient",)
        ),
        hints=(
            "This is Scale of notebook 09, and one thing more: what does grad_output look like when what follows gives no gradient back?",
            "By default a missing gradient is replaced by zeros. ctx.set_materialize_grads decides it; it is called in forward.",
            "Once there are no zeros any more, backward must ask first whether grad_output is None, before it computes with it.",
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
                "grad_output is divided by `constant`; x was multiplied by it, so that is not how much the result moves with x",
                vjp=lambda g, x, constant: g / constant,
            ),
            Mistake(
                "added",
                "`constant` is added to x where it must multiply x",
                forward=lambda x, constant: x + constant,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="MatMul",
        points=2,
        title="A product of matrices, and only the gradients that are wanted",
        grading=Gradcheck(("a", "b"), lambda a, b: a @ b, mat_mul_inputs, properties=("needs_input_grad",)),
        hints=(
            "Write down the shapes: a (n, k), b (k, m), grad_output (n, m). Only one product of grad_output and b, one of them transposed, has the shape of a.",
            "result[i, j] is the sum over l of a[i, l] * b[l, j]. So a[i, l] has a part in row i of the result, and the slopes are b[l, j].",
            "ctx.needs_input_grad has one entry for each argument of forward: compute a gradient where it is True, leave None where it is False.",
        ),
        mistakes=(
            Mistake(
                "mean",
                "the gradient for b is divided by the number of rows of a; the rows add up",
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
            "With x of shape (2, 3) and y of shape (3,): in how many entries of the result does y[0] stand? When y[0] moves, they all move.",
            "Broadcasting does two things: it puts new dimensions in front, and it repeats along dimensions of size 1. The gradient has to undo both, for x as well as for y.",
            "A small function of your own, called for x and for y, helps: it sums over the first dimension while there are too many, then over each dimension where the argument has size 1 (`keepdim=True`). The shapes are plain tuples, so ctx may keep them as attributes.",
        ),
        mistakes=(
            Mistake(
                "mean",
                "the gradient is the mean over what was broadcast; the effects on all these entries of the result add up",
                vjp=lambda g, x, y: (mean_to(g, x.shape), mean_to(g, y.shape)),
            ),
            Mistake(
                "minus",
                "the result is x - y where x + y is asked for",
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
            "Where x is above high, the result is high. Move x there by a little: does the result move?",
            "Which entries of the result still follow x, and with what slope? A comparison such as `x > low` gives True and False for each entry; `.to(grad_output.dtype)` makes 1 and 0 of them.",
            "Save x, or keep what tells inside from outside. In backward let grad_output through inside and nothing outside; then one value more for each of the two bounds, which are numbers.",
        ),
        mistakes=(
            Mistake(
                "wrong_way_round",
                "the gradient reaches x outside the bounds and not between them: the wrong way round",
                vjp=lambda g, x, low, high: g * outside(x, low, high),
            ),
            Mistake(
                "grad_output_clamped",
                "grad_output itself is kept between the bounds; it is x that was, and grad_output may be of any size",
                vjp=lambda g, x, low, high: np.clip(g, low, high),
            ),
            Mistake(
                "times_x",
                "the gradient contains the values of x: between the bounds the result is x itself, which has slope 1",
                vjp=lambda g, x, low, high: g * np.clip(x, low, high),
            ),
            Mistake(
                "bounds_exchanged",
                "low and high have changed places: every entry of the result is the same",
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
                "the values outside the bounds become 0; they must become the nearer bound",
                forward=lambda x, low, high: np.where(outside(x, low, high), 0.0, x),
            ),
        ),
    ),
)
