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
            "Which entries of x does the result still depend on, and how strongly? The others get no gradient at all.",
            (
                "backward receives grad_output, which has the shape of the result. Ask of each entry of x: which entries of the "
                "result did it become, and with what slope? And: how does backward learn what n was?"
            ),
            (
                "forward may keep a plain number as an attribute of ctx. Both methods copy what they were given, clear some columns "
                "of the copy, and leave the original alone. backward returns two values, because forward takes two arguments."
            ),
        ),
        mistakes=(
            Mistake(
                "rows_for_columns",
                "the first n rows are cleared where the first n columns are asked for",
                forward=lambda x, n: np.concatenate([0 * x[:n], x[n:]]),
            ),
            Mistake(
                "rows_for_columns",
                "the gradient is cleared in the first n rows of x, the result in its first n columns",
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
                "the gradient also reaches the first n columns of x, on which the result does not depend",
                vjp=lambda g, x, n: g,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Scale",
        points=2,
        title="Multiply by a constant that is no tensor",
        grading=Gradcheck(("x", "factor"), lambda x, factor: x * factor, scale_inputs),
        hints=(
            "When one entry of x moves by a little, by how much does the same entry of the result move?",
            (
                "backward is handed grad_output, how much the loss changes with each entry of the result. Make of it how much the "
                "loss changes with each entry of x. What must forward leave on ctx for that?"
            ),
            (
                "A number that is no tensor may be kept as an attribute of ctx. backward returns one value for each argument of "
                "forward, in their order, and a number that is no tensor has no gradient."
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
                "x is divided by `factor` where it must be multiplied by it",
                forward=lambda x, factor: x / factor,
            ),
            Mistake(
                "divided",
                "grad_output is divided by `factor`: look again at how far the result moves when x moves a little",
                vjp=lambda g, x, factor: g / factor,
            ),
            Mistake(
                "factor_added",
                "`factor` is added to x where it must multiply x",
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
            "What is the derivative of the exponential, and which number have you computed already when you need it?",
            (
                "ctx.save_for_backward(...) keeps tensors for the backward pass, where ctx.saved_tensors gives them back, always as "
                "a tuple. It takes arguments of forward and its results alike."
            ),
            (
                "Save the result and not x. In backward unpack the one saved tensor (mind the comma: `saved, = ctx.saved_tensors`) "
                "and combine it with grad_output, entry by entry."
            ),
        ),
        mistakes=(
            Mistake(
                "times_x",
                "grad_output is multiplied by x itself, which is not the slope of exp at x",
                vjp=lambda g, x: g * x,
            ),
            Mistake(
                "exp_twice",
                "the slope used is exp(exp(x)): the exponential is taken twice on the way",
                vjp=lambda g, x: g * np.exp(np.exp(x)),
            ),
            Mistake(
                "slope_one",
                "the gradient is grad_output itself, as if the slope of exp were 1 everywhere",
                vjp=lambda g, x: g,
            ),
            Mistake(
                "power_rule",
                "the slope used is x * exp(x - 1): the power rule is for a variable base, here the exponent varies",
                vjp=lambda g, x: g * x * np.exp(x - 1),
            ),
            Mistake(
                "exp_of_grad_output",
                "backward takes the exponential of grad_output; it must multiply it by the slope of exp at x",
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
