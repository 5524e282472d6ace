"""Exercises of notebook 09, a first custom Function: KillHead, Scale, Exp."""

from collections.abc import Sequence

import numpy as np

from .declaration import Arguments, Exercise, Gradcheck, Mistake

NOTEBOOK = "09_custom_functions"


def kill_head(x: np.ndarray, n: int) -> np.ndarray:
    result = x.copy()
    result[:, :n] = 0
    return result


def kill_head_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes_and_n = [((2, 3), 1), ((3, 4), 2), ((2, 3), 0), ((2, 2), 2), ((3, 8), 5)]
    return [(rng.normal(size=shape), n) for shape, n in shapes_and_n]


def scale_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    factors = [2.5, -1.5, 3, 0.25]
    shapes = [(3,), (2, 3), (2, 1, 3), ()]
    return [(rng.normal(size=shape), factor) for shape, factor in zip(shapes, factors, strict=True)]


def exp_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.uniform(-1.5, 1.5, size=shape),) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="KillHead",
        points=2,
        title="Zero the first n columns",
        grading=Gradcheck(("x", "n"), kill_head, kill_head_inputs),
        hints=(
            (
                "Which entries of x does the result still depend on, and with what local slope? All "
                "other entries get gradient 0."
            ),
            (
                "backward gets grad_output, which has the shape of the result. For each entry of x, "
                "ask: which entry of the result did it become, and with what local slope? And how "
                "does backward know n?"
            ),
            (
                "forward can keep a plain number as an attribute of ctx. Both methods copy their "
                "tensor and clear some columns of the copy. backward returns two values, because "
                "forward takes two arguments."
            ),
        ),
        mistakes=(
            Mistake(
                "rows_for_columns",
                "the first n rows are cleared instead of the first n columns",
                forward=lambda x, n: np.concatenate([0 * x[:n], x[n:]]),
            ),
            Mistake(
                "rows_for_columns",
                "the gradient is cleared in the first n rows of x, but the result in its first n columns",
                vjp=lambda g, x, n: np.concatenate([0 * g[:n], g[n:]]),
            ),
            Mistake(
                "tail_for_head",
                "the columns from n on are cleared and the first n are kept: the wrong way round",
                forward=lambda x, n: np.concatenate([x[:, :n], 0 * x[:, n:]], axis=1),
            ),
            Mistake(
                "tail_for_head",
                "the gradient reaches the first n columns of x and not the others: the wrong way round",
                vjp=lambda g, x, n: np.concatenate([g[:, :n], 0 * g[:, n:]], axis=1),
            ),
            Mistake(
                "nothing_cleared",
                "the gradient also reaches the first n columns of x, but the result does not depend on them",
                vjp=lambda g, x, n: g,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Scale",
        points=2,
        title="Multiply by a plain number",
        grading=Gradcheck(("x", "factor"), lambda x, factor: x * factor, scale_inputs),
        hints=(
            "If one entry of x moves a little, how much does the same entry of the result move?",
            (
                "grad_output says how much the loss changes with each entry of the result. backward "
                "turns it into how much the loss changes with each entry of x. What must forward "
                "keep on ctx for that?"
            ),
            (
                "forward can keep a plain number as an attribute of ctx. backward returns one value "
                "for each argument of forward, in the same order. A plain number has no gradient, "
                "so its value is None."
            ),
        ),
        mistakes=(
            Mistake(
                "factor_ignored",
                "the gradient is grad_output itself, whatever `factor` is",
                vjp=lambda g, x, factor: g,
            ),
            Mistake(
                "times_x",
                "the gradient contains x, but the result is linear in x: its slope does not depend on x",
                vjp=lambda g, x, factor: g * x,
            ),
            Mistake(
                "times_x",
                "the gradient contains x, but the result is linear in x: its slope does not depend on x",
                vjp=lambda g, x, factor: g * x * factor,
            ),
            Mistake(
                "divided",
                "x is divided by `factor`, but it must be multiplied by it",
                forward=lambda x, factor: x / factor,
            ),
            Mistake(
                "divided",
                "grad_output is divided by `factor`: look again at how much the result moves when x moves a little",
                vjp=lambda g, x, factor: g / factor,
            ),
            Mistake(
                "factor_added",
                "`factor` is added to x, but it must multiply x",
                forward=lambda x, factor: x + factor,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Exp",
        points=2,
        title="The exponential, which saves its output",
        grading=Gradcheck(("x",), np.exp, exp_inputs, properties=("from_result",)),
        hints=(
            "What is the derivative of the exponential? Which number that you have already computed is equal to it?",
            (
                "ctx.save_for_backward(...) keeps tensors for the backward pass. There, "
                "ctx.saved_tensors gives them back, always as a tuple. You can save arguments of "
                "forward, and also its results."
            ),
            (
                "Save the result, not x. In backward, unpack the one saved tensor (note the comma: "
                "`saved, = ctx.saved_tensors`) and combine it with grad_output, entry by entry."
            ),
        ),
        mistakes=(
            Mistake(
                "times_x",
                "grad_output is multiplied by x itself, but x is not the slope of exp at x",
                vjp=lambda g, x: g * x,
            ),
            Mistake(
                "exp_twice",
                "the slope used is exp(exp(x)): the exponential is taken twice",
                vjp=lambda g, x: g * np.exp(np.exp(x)),
            ),
            Mistake(
                "slope_one",
                "the gradient is grad_output itself, as if the slope of exp were 1 everywhere",
                vjp=lambda g, x: g,
            ),
            Mistake(
                "power_rule",
                (
                    "the slope used is x * exp(x - 1), but the power rule is for a variable base, "
                    "and here the exponent varies"
                ),
                vjp=lambda g, x: g * x * np.exp(x - 1),
            ),
            Mistake(
                "exp_of_grad_output",
                (
                    "backward takes the exponential of grad_output, but it must multiply "
                    "grad_output by the slope of exp at x"
                ),
                vjp=lambda g, x: np.exp(g),
            ),
            Mistake(
                "base_two",
                "the result is 2 to the power of x, not e to the power of x",
                forward=lambda x: 2.0**x,
            ),
        ),
    ),
)
