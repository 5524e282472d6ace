"""Exercises of notebook 10: numerical_jacobian, find_kinks, and five Functions to repair."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .declaration import Arguments, Call, Exercise, Gradcheck, Mistake, Program

NOTEBOOK = "10_gradcheck"

MAPS = (
    (Program("x", "x ** 3 * x[0]"), (2,), 0.1),
    (Program("x", "torch.stack([x[0] * x[1] * x[2], torch.exp(x[0] - x[2])])"), (3,), 0.02),
    (Program("x", "torch.sin(x) * x.sum()"), (2, 2), 0.001),
    (Program("x", "(x ** 4).sum()"), (3,), 0.05),
    (Program("x", "torch.exp(2 * x)"), (), 0.01),
)


def measured(up: float, down: float) -> Callable[[Any, np.ndarray, float], np.ndarray]:
    """A Jacobian measured column by column, with steps of `up * eps` and `down * eps`."""

    def jacobian(f: Any, x: np.ndarray, eps: float) -> np.ndarray:
        steps = np.eye(x.size).reshape(x.size, *x.shape)
        columns = [(f(x + up * eps * e) - f(x - down * eps * e)) / ((up + down) * eps) for e in steps]
        return np.stack([np.ravel(column) for column in columns], axis=1)

    return jacobian


def all_at_once(f: Any, x: np.ndarray, eps: float) -> np.ndarray:
    return np.asarray((f(x + eps) - f(x - eps)) / (2 * eps))


def map_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(f, rng.uniform(0.5, 1.5, size=shape), eps) for f, shape, eps in MAPS]


def slopes(f: Any, at: float) -> tuple[float, float]:
    """The slopes just to the left and just to the right of a point."""
    step = 1e-6
    return (f(np.array(at)) - f(np.array(at - step))) / step, (f(np.array(at + step)) - f(np.array(at))) / step


def is_kink(f: Any, at: float) -> bool:
    left, right = slopes(f, at)
    return bool(abs(right - left) > 0.05)


def kinks(f: Any, candidates: np.ndarray) -> list[float]:
    return [at for at in candidates.tolist() if is_kink(f, at)]


def unequal_sizes(f: Any, candidates: np.ndarray) -> list[float]:
    return [at for at in candidates.tolist() if abs(np.diff(np.abs(slopes(f, at))).item()) > 0.05]


def curve_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Functions with kinks of several sizes at drawn points, and smooth ones that are steep or bend.

    The points are quarters, which are exact as floats.
    """

    def quarter() -> float:
        return float(rng.integers(-8, 9)) / 4

    def curve(text: str, *places: float) -> Arguments:
        return Program("x", text), np.array(sorted({*places, places[0] + 2 + abs(quarter())}))

    a, b, c, d, e = (quarter() for _ in range(5))
    bend, steep, small = rng.integers(2, 5), rng.integers(40, 60), round(rng.uniform(0.08, 0.2), 3)
    far = b + 1 + abs(quarter())
    return [
        curve(f"torch.abs({less(a)})", a - 1, a, a + 1),
        curve(f"torch.where({less(c)} > 0, {less(c)}, 0 * x)", c - 1, c, c + 0.5),
        curve(f"x ** 3 + {bend} * torch.exp(x)", -1, 0, quarter()),
        curve(f"torch.abs({less(b)}) + {small} * torch.abs({less(far)}) + x ** 2", b - 1, b, b + 0.5, far),
        curve(f"torch.abs({less(d)}) * ({less(d)})", d - 0.5, d, d + 1),
        curve(f"{steep} * x ** 2", -1, 0, quarter()),
        curve(f"torch.abs(torch.sin(3 * ({less(e)})))", e - 0.25, e, e + 0.5),
    ]


def less(number: float) -> str:
    """The expression `x - number`, in its usual spelling.

    >>> less(1.0), less(-0.25), less(0.0)
    ('x - 1', 'x + 0.25', 'x')
    """
    return f"x {'-' if number > 0 else '+'} {abs(number):g}" if number else "x"


def entrywise_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes = [(3,), (2, 3), (2, 1, 3), ()]
    return [(np.asarray(rng.uniform(0.5, 1.8, size=shape) * rng.choice([-1, 1], size=shape)),) for shape in shapes]


def matrix_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.normal(size=shape), rng.normal(size=shape[1])) for shape in [(2, 3), (3, 2), (3, 1)]]


def table_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.normal(size=shape), rng.normal(size=shape[1])) for shape in [(2, 3), (3, 2), (4, 1), (3, 3)]]


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="numerical_jacobian",
        points=2,
        title="A Jacobian, measured",
        grading=Call(("f", "x", "eps"), measured(1, 1), map_inputs),
        hints=(
            "One measurement moves one entry of x and looks at all results. Which part of the matrix does it give?",
            (
                "For each entry, make a copy of x in which this entry is larger by eps, and another "
                "in which it is smaller by eps. `x.reshape(-1)` lists the entries in order, for any "
                "shape."
            ),
            (
                "`result.reshape(-1)` turns a result of any shape into one column. "
                "torch.stack(columns, dim=1) puts columns side by side."
            ),
        ),
        mistakes=(
            Mistake(
                "forward_difference",
                "this measures on one side only, from x to x + eps: the central difference steps to both sides",
                forward=measured(1, 0),
            ),
            Mistake(
                "backward_difference",
                "this measures on one side only, from x - eps to x: the central difference steps to both sides",
                forward=measured(0, 1),
            ),
            Mistake(
                "other_eps",
                "these slopes are exact or come from a very small step, but the step asked for is eps",
                forward=lambda f, x, eps: measured(1, 1)(f, x, 1e-6),
            ),
            Mistake(
                "half_step",
                "x is moved by eps / 2 to each side, but it must move by eps",
                forward=lambda f, x, eps: measured(1, 1)(f, x, eps / 2),
            ),
            Mistake(
                "all_at_once",
                "all entries of x are moved at the same time: this measures the sum of all slopes, not each slope",
                forward=all_at_once,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="find_kinks",
        points=2,
        title="Where a slope jumps",
        grading=Call(("f", "candidates"), kinks, curve_inputs),
        hints=(
            (
                "What is the slope just to the left of a point, and just to the right? At a kink "
                "these two numbers differ."
            ),
            (
                "Measure each slope with a step to one side: from the point to point + eps, and "
                "from point - eps to the point. Then compare the two, including their signs."
            ),
            (
                "How large a difference makes a kink? Where f is smooth, the two slopes differ by "
                "the second derivative of f times eps. Choose eps so small that this stays far "
                "below 0.1, but not so small that rounding matters."
            ),
        ),
        mistakes=(
            Mistake(
                "smooth",
                "these are the points where there is no kink",
                forward=lambda f, candidates: [at for at in candidates.tolist() if not is_kink(f, at)],
            ),
            Mistake(
                "sizes",
                "slopes of -1 and 1 have the same size but are different slopes: such kinks are missed",
                forward=unequal_sizes,
            ),
            Mistake(
                "mask",
                "this says True or False for each candidate, but the result must be the kinks themselves",
                forward=lambda f, candidates: [is_kink(f, at) for at in candidates.tolist()],
            ),
            Mistake(
                "numbers",
                (
                    "these are the positions of the kinks in the list of candidates, but the result "
                    "must be the kinks themselves"
                ),
                forward=lambda f, candidates: [n for n, at in enumerate(candidates.tolist()) if is_kink(f, at)],
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairReciprocal",
        points=1,
        title="Repair: the reciprocal",
        grading=Gradcheck(("x",), lambda x: 1 / x, entrywise_inputs),
        hints=(
            "Draw 1/x for positive x. Does it rise or fall?",
            "Let gradcheck show its two tables, and compare the same entry in both. What is the difference?",
        ),
        mistakes=(
            Mistake(
                "one_division",
                "the slope used is -1/x: its sign is right, but 1/x falls faster than that near 0",
                vjp=lambda g, x: -g / x,
            ),
            Mistake("times_square", "the gradient grows with x, but 1/x gets flatter", vjp=lambda g, x: -g * x**2),
            Mistake(
                "logarithm",
                (
                    "the slope used is the logarithm of x: this is the wrong direction, because the "
                    "slope of the logarithm is 1/x"
                ),
                vjp=lambda g, x: g * np.log(np.abs(x)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairSquare",
        points=1,
        title="Repair: the square",
        grading=Gradcheck(("x",), np.square, entrywise_inputs),
        hints=(
            "What is the slope of the square at 3? Measure it, or move 3 by 0.1 in your head.",
            "A square is a product of two factors, and both are x. In how many ways does x reach the result?",
        ),
        mistakes=(
            Mistake(
                "slope_two",
                "the slope used is 2 everywhere, but a parabola gets steeper",
                vjp=lambda g, x: 2 * g,
            ),
            Mistake(
                "square_left",
                "the slope used contains the square of x, like the slope of the cube",
                vjp=lambda g, x: 2 * g * x**2,
            ),
            Mistake(
                "always_up",
                "the gradient has lost the sign of x: left of 0 the parabola falls",
                vjp=lambda g, x: 2 * g * np.abs(x),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairTanh",
        points=1,
        title="Repair: tanh",
        grading=Gradcheck(("x",), np.tanh, entrywise_inputs),
        hints=(
            (
                "Compute two losses from the same result, one of them three times the other. How do "
                "their gradients differ? Does this backward know about it?"
            ),
            "What arrives as grad_output, and where is it used?",
        ),
        mistakes=(
            Mistake(
                "argument_for_result",
                "the slope used is 1 minus the square of x itself, but it needs the square of the result",
                vjp=lambda g, x: g * (1 - x**2),
            ),
            Mistake(
                "added",
                (
                    "grad_output is added to the slope; think of a loss that does not depend on "
                    "this result: its grad_output is 0, and so is its gradient"
                ),
                vjp=lambda g, x: g + 1 - np.tanh(x) ** 2,
            ),
            Mistake(
                "twice",
                "tanh is taken twice before the slope is computed",
                vjp=lambda g, x: g * (1 - np.tanh(np.tanh(x)) ** 2),
            ),
            Mistake(
                "squared_inside",
                "grad_output is squared along with the result, but it must multiply the whole slope",
                vjp=lambda g, x: 1 - (g * np.tanh(x)) ** 2,
            ),
            Mistake(
                "not_squared",
                "the slope used is 1 minus the result: for negative x it is above 1, but tanh is never that steep",
                vjp=lambda g, x: g * (1 - np.tanh(x)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairMatVec",
        points=1,
        title="Repair: a matrix times a vector",
        grading=Gradcheck(("matrix", "x"), lambda matrix, x: matrix @ x, matrix_inputs),
        hints=(
            "Which shape must the gradient for `matrix` have? Try a matrix that is not square.",
            (
                "Entry [i, j] of the matrix appears in one product only: it multiplies x[j], and "
                "the product is added into result[i]. So which entry of grad_output does its "
                "gradient contain, and which entry of x?"
            ),
        ),
        mistakes=(
            Mistake(
                "grad_output_only",
                "each row of the gradient for matrix is one number repeated: x does not appear in it",
                vjp=lambda g, matrix, x: (np.broadcast_to(g[:, None], matrix.shape), None),
            ),
            Mistake(
                "matrix_sum",
                (
                    "the gradient for x depends only on the sum of grad_output, but each row of the "
                    "matrix belongs to one entry of grad_output"
                ),
                vjp=lambda g, matrix, x: (None, g.sum() * matrix.sum(axis=0)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairScaleColumns",
        points=1,
        title="Repair: a factor for each column",
        grading=Gradcheck(("x", "scale"), lambda x, scale: x * scale, table_inputs),
        hints=(
            "How often is one entry of scale used if the table has three rows?",
            (
                "A number that reaches the result in several places gets a gradient from each of "
                "them. How do several gradients of the same number combine?"
            ),
        ),
        mistakes=(
            Mistake(
                "mean",
                "the gradient for scale is the mean over the rows, but gradients from several places are added up",
                vjp=lambda g, x, scale: (None, (g * x).mean(axis=0)),
            ),
            Mistake(
                "first_row",
                "the gradient for scale comes from the first row alone, but every row uses scale",
                vjp=lambda g, x, scale: (None, (g * x)[0]),
            ),
            Mistake(
                "last_row",
                "the gradient for scale comes from the last row alone, but every row uses scale",
                vjp=lambda g, x, scale: (None, (g * x)[-1]),
            ),
            Mistake(
                "summed_apart",
                (
                    "grad_output and x are each summed over the rows and then multiplied, but the "
                    "sum of products is another number"
                ),
                vjp=lambda g, x, scale: (None, g.sum(axis=0) * x.sum(axis=0)),
            ),
            Mistake(
                "x_forgotten",
                (
                    "the gradient for scale is the sum of grad_output, as if scale were added to x "
                    "instead of multiplying it"
                ),
                vjp=lambda g, x, scale: (None, g.sum(axis=0)),
            ),
            Mistake(
                "scale_forgotten",
                "the gradient for x is grad_output itself, whatever `scale` is",
                vjp=lambda g, x, scale: (g, None),
            ),
        ),
    ),
)
