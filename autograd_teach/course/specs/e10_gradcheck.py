"""The specification of notebook 10: numerical_jacobian, find_kinks, and five Functions to repair."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, CallSpec, FunctionSpec
from ..exercises.declaration import Program
from ..mutants import Slip
from .formulas import drawn

MAPS = (
    ("{a} * x ** {n} * x[0]", (2,), 0.1),
    ("torch.stack([{a} * x[0] * x[1] * x[2], torch.exp({a} * x[0] - x[2])])", (3,), 0.02),
    ("{f}({a} * x) * x.sum()", (2, 2), 0.001),
    ("({a} * x ** 4).sum()", (3,), 0.05),
    ("torch.exp(2 * {a} * x)", (), 0.01),
    ("{f}({a} * x) * x[1]", (2, 3), 0.02),
    ("x.reshape(3, 2)", (2, 3), 0.1),
)
"""The last but one needs the shape of x; the last gives a view of x."""


def map_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(Program("x", drawn(text, rng)), rng.uniform(0.5, 1.5, size=shape), eps) for text, shape, eps in MAPS]


def numerical_jacobian(f: Any, x: np.ndarray, eps: float) -> np.ndarray:
    step = eps  #: the step
    columns = []
    for j in range(x.size):  #: the loop over the entries of x
        entry = np.eye(x.size)[j].reshape(x.shape)  #: the choice of the entry that moves; one moves for each column
        up = x + step * entry
        down = x - step * entry
        rise = f(up) - f(down)  #: the difference of the two results
        distance = 2 * step  #: the distance of the two points
        slopes = rise / distance  #: the slopes
        column = np.ravel(slopes)  #: putting the slopes in a row
        columns.append(column)
    matrix = np.stack(columns, axis=1)
    return matrix  #: the matrix


def curve_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Functions with kinks of several sizes at drawn points, and smooth ones that are steep or bend.

    The jumps of the slope are 6, 2, 1, about 0.35 and just above 0.1; some rise and some fall. The points are quarters, which
    are exact as floats. One function takes one number only, and the last candidates are not sorted.
    """

    def quarter() -> float:
        return float(rng.integers(-8, 9)) / 4

    def curve(text: str, *places: float) -> Arguments:
        return Program("x", text), np.array(sorted({*places, places[0] + 2 + abs(quarter())}))

    a, b, c, d, e, g, h, i, j = (quarter() for _ in range(9))
    bend, steep, small = rng.integers(2, 5), rng.integers(55, 60), round(rng.uniform(0.16, 0.19), 3)
    tiny_up, tiny_down = (round(rng.uniform(0.051, 0.053), 4) for _ in range(2))
    far, last = b + 1 + abs(quarter()), g + 1 + abs(quarter())
    two_tiny = f"{tiny_up} * torch.abs({less(g)}) - {tiny_down} * torch.abs({less(last)}) + x / 2"
    return [
        curve(f"torch.abs({less(a)})", a - 1, a, a + 1),
        curve(f"torch.where({less(c)} > 0, {less(c)}, 0 * x)", c - 1, c, c + 0.5),
        curve(f"x ** 3 + {bend} * torch.exp(x)", -1, 0, quarter()),
        curve(f"torch.abs({less(b)}) + {small} * torch.abs({less(far)}) + x ** 2", b - 1, b, b + 0.5, far, far + 0.5),
        curve(f"torch.abs({less(d)}) * ({less(d)})", d - 0.5, d, d + 1),
        curve(f"{steep} * x ** 2", -1, 0, quarter(), -4, -3.75, 3.5, 3.75, 4),
        curve(f"torch.abs(torch.sin(3 * ({less(e)})))", e - 0.25, e, e + 0.5),
        curve(f"x - torch.abs({less(h)})", h, h + 0.75),
        curve(f"3 * ({less(j)}) if x > {j:g} else {less(j)}", j, j + 0.5),
        (Program("x", f"torch.abs(torch.sin(3 * ({less(i)})))"), np.array([i - 1, i - 0.25, i])),
        (Program("x", two_tiny), np.array([last, g + 0.5, g])),
    ]


def less(number: float) -> str:
    """The expression `x - number`, in its usual spelling.

    >>> less(1.0), less(-0.25), less(0.0)
    ('x - 1', 'x + 0.25', 'x')
    """
    return f"x {'-' if number > 0 else '+'} {abs(number):g}" if number else "x"


LARGE_JUMPS = (0.11, 0.12), (0.4, 0.6), (1, 1.5), (2, 2.5)
"""Jumps that occur in `curve_inputs`, and a larger difference by which they are missed."""


CHOICE = 1e-6, 0.05
"""A step, and a difference of slopes that finds all kinks of `curve_inputs` and nothing else."""


def find_kinks(f: Any, candidates: np.ndarray) -> list[float]:
    step, least = CHOICE  #: the step and the difference that counts as a kink
    kinks = []
    for n in range(len(candidates)):  #: the loop over the candidates
        x = np.array(candidates[n], type(step))
        left = float((f(x) - f(np.asarray(x - step))) / step)
        right = float((f(np.asarray(x + step)) - f(x)) / step)
        jump = abs(right - left)  #: the difference of the two slopes
        if jump > least:  #: the test for a kink
            kinks.append(float(candidates[n]))
    return kinks  #: the list of kinks


def entrywise_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes = [(3,), (2, 3), (2, 1, 3), ()]
    return [(np.asarray(rng.uniform(0.5, 1.8, size=shape) * rng.choice([-1, 1], size=shape)),) for shape in shapes]


def reciprocal(x: np.ndarray) -> np.ndarray:
    return 1 / x  #: the result


def reciprocal_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    square = x**2  #: the square of x
    slope = -1 / square  #: the slope of 1/x; 1/x falls on both sides of 0, and far from 0 it gets flatter
    return g * slope  #: the gradient; look at the chain rule again


def square(x: np.ndarray) -> np.ndarray:
    return x * x  #: the result


def square_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    slope = 2 * x  #: the slope of the square; look how steep a parabola is on both sides of 0
    return g * slope  #: the gradient; look at the chain rule again


def tanh(x: np.ndarray) -> np.ndarray:
    return np.tanh(x)  #: the result


def tanh_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    result = np.tanh(x)  #: the result that the slope is computed from
    square = result**2  #: the square of the result
    slope = 1 - square  #: the slope of tanh; tanh falls nowhere, and is nowhere steeper than 1
    return g * slope  #: the gradient; look at the chain rule again


def matrix_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [
        (rng.normal(size=shape), rng.normal(size=shape[1]))
        for shape in [(2, 3), (3, 2), (3, 1), (1, 3), (2, 2), (3, 3)]
    ]


def mat_vec(matrix: np.ndarray, x: np.ndarray) -> np.ndarray:
    return matrix @ x  #: the result


def mat_vec_gradients(g: np.ndarray, matrix: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    grad_matrix = g[:, None] * x  #: the gradient for matrix; its rows belong to the result, its columns to x
    grad_x = (matrix.T * g).sum(axis=1)  #: the gradient for x; a row of the matrix belongs to an entry of grad_output
    return grad_matrix, grad_x


def table_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Tables of several shapes; in the last one, an entry of x and one of scale are 0."""
    calls = [(rng.normal(size=shape), rng.normal(size=shape[1])) for shape in [(2, 3), (3, 2), (4, 1), (1, 3), (3, 3)]]
    x, scale = calls[-1]
    x[rng.integers(3), rng.integers(3)] = 0
    scale[rng.integers(3)] = 0
    return calls


def scale_columns(x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return x * scale  #: the result


def scale_columns_gradients(g: np.ndarray, x: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    product = g * x  #: the product that is added up for scale; how far does the result move if scale moves by 1?
    grad_scale = product.sum(axis=0)  #: the gradient for scale; gradients from several places are added up
    grad_x = g * scale  #: the gradient for x; how far does the result move if x moves by 1?
    return grad_x, grad_scale


OF_JACOBIAN = (
    Slip("the slopes", "(f(up) - f(x)) / step", "this measures from x to x + eps only, but it must step to both sides"),
    Slip(
        "the slopes", "(f(x) - f(down)) / step", "this measures from x - eps to x only, but it must step to both sides"
    ),
    Slip("the slopes", "rise / 2 * eps", "f(x + eps) - f(x - eps) is divided by 2 and then multiplied by eps"),
    Slip("the step", "1e-6", "these slopes are exact or come from a very small step, but the step asked for is eps"),
    Slip(
        "the difference",
        "f(np.ravel(up)) - f(np.ravel(down))",
        "f is called with the entries of x in one row, but it must get a tensor with the shape of x",
    ),
    Slip(
        "the difference",
        "(f(up) - f(down)) * (not np.shares_memory(f(up), up))",
        "the slopes are 0 where f gives a view of its argument: both results change with the one tensor that is moved",
    ),
    Slip(
        "the choice",
        "np.ones(x.shape)",
        "all entries of x are moved at the same time for every column: only entry j moves for column j",
    ),
    Slip(
        "the choice",
        "(np.arange(x.size) <= j).reshape(x.shape)",
        "an entry that was moved is not put back before the next one moves: only one entry may differ from x at a time",
    ),
    Slip("the matrix", "matrix.T", "the matrix is transposed: rows and columns have changed places"),
    Slip(
        "the matrix",
        "np.diag(np.ravel((f(x + step) - f(x - step)) / (2 * step)))",
        "all entries of x are moved at the same time, and the results are put on the diagonal",
    ),
)

BENDS = (
    "points without a kink are in the result, at which f only bends: the number that you compare is not 0 there "
    "either, and it is larger than what you count as a kink"
)

MISSED = (
    "kinks are missed where the slopes differ by {} or less: the number that you compare does not reach the one that you "
    "ask for there"
)

NOTHING = (
    "nothing is found where there is a kink: do the numbers that you compare differ by as much as you ask for, and are "
    "they slopes?"
)

TINY = "the step is so small that x + eps and f(x + eps) keep hardly any digit of it: rounding makes the slopes"

FLOAT32 = "the numbers go through float32, which keeps 7 digits: divided by a small step, rounding makes the slopes"

THEMSELVES = "but the result must be the kinks themselves"

OF_KINKS = (
    *(Slip("the step", choice, BENDS) for choice in ("0.01, 0.05", "0.001, 0.1", "1e-6, 1e-7", "1e-6, 0")),
    *(Slip("the step", f"1e-6, {least}", MISSED.format(missed)) for missed, least in LARGE_JUMPS),
    *(Slip("the step", choice, TINY) for choice in ("1e-12, 0.05", "1e-13, 0.05", "1e-14, 0.05", "1e-15, 0.05")),
    Slip("the step", "np.float32(1e-5), 0.05", FLOAT32),
    Slip("the loop", "range(len(candidates) - 1)", "the last candidate is never looked at"),
    Slip(
        "the difference",
        "abs(abs(right) - abs(left))",
        "the sizes of the slopes are compared: slopes of the same size and opposite signs make a kink too",
    ),
    Slip("the difference", "right - left", "only kinks at which the slope gets larger are found: it can jump down too"),
    Slip(
        "the test",
        "jump > 0.1 * max(abs(left), abs(right))",
        "the difference of the slopes is compared with their size, so that kinks of steep functions are missed",
    ),
    Slip("the test", "left * right < 0", "only the signs of the slopes are compared: those of one sign can differ too"),
    Slip("the list", "kinks[:1]", "only the first kink is in the result: f can have several"),
    Slip("the list", "sorted(kinks)", "the kinks are sorted by size, but their order must be that of the candidates"),
    Slip(
        "the list",
        "[n for n, at in enumerate(candidates) if at in kinks]",
        f"these are the positions of the kinks in the list of candidates, {THEMSELVES}",
    ),
    Slip("the list", "[at in kinks for at in candidates]", f"this says True or False for each candidate, {THEMSELVES}"),
    Slip("the list", "[]", NOTHING),
)

OF_RECIPROCAL = (
    Slip("the slope", "-square", "the slope is minus the square of x: was the result saved in the place of x?"),
    Slip("the slope", "-(x**0)", "the slope used is -1: a division by x * x needs parentheses, `a / x * x` is `a`"),
)

NO_PARENTHESES = "only the {} is multiplied by grad_output: parentheses are missing around the slope"

OF_TANH = (
    Slip("the result that", "x", "the slope is computed from x, but 1 minus the square holds for the result, tanh x"),
    Slip("the result that", "np.tanh(np.tanh(x))", "tanh is taken twice before the slope is computed"),
    Slip("the slope", "(1 - result) ** 2", "the slope used is the square of (1 - result): too much is squared"),
    Slip("the slope", "result * (1 - result)", "the slope used is result * (1 - result), as for the sigmoid"),
    Slip("the gradient", "g - square", NO_PARENTHESES.format("1")),
    Slip("the gradient", "1 - g * square", NO_PARENTHESES.format("square")),
)

OF_SCALE = (
    Slip("the gradient for scale", "product[1:].sum(axis=0)", "the gradient for scale leaves out the first row of x"),
    Slip("the gradient for scale", "product[:-1].sum(axis=0)", "the gradient for scale leaves out the last row of x"),
    Slip(
        "the gradient for scale",
        "g.sum(axis=0) * x.sum(axis=0)",
        "grad_output and x are each added up and then multiplied, but the sum of products is another number",
    ),
    Slip("the product", "g * x * scale", "the gradient for scale contains scale, but the result is linear in scale"),
    Slip(
        "the product",
        "g * (x * scale / scale)",
        "the gradient for scale is NaN where scale is 0: result / scale is x only where scale is not 0",
    ),
)


OF_MAT_VEC = (
    Slip(
        "the gradient for matrix",
        "g[:, None] * (matrix @ x)",
        "the gradient for matrix is made of the result, but it needs x: was the result saved in its place?",
    ),
)


SPECS = {
    "numerical_jacobian": CallSpec(
        numerical_jacobian,
        map_inputs,
        dtypes=True,
        mistakes=OF_JACOBIAN,
        holds={
            "Write a function `numerical_jacobian(f, x, eps)`": "value",
            "Here $\\varepsilon$ is `eps`, and $e_j$ is 1": "value",
            "The result is a `float64` tensor": "type, dtype",
            "Both `x` and `f(x)` can have any shape.": "value",
            "Count their entries row by row": "value",
            "A tensor without dimensions has one entry.": "value",
            "For example, with a large step, so that": "explains",
            "The checks try several functions": "explains",
            "They compare the matrix with the formula": "value, unchanged",
        },
    ),
    "find_kinks": CallSpec(
        find_kinks,
        curve_inputs,
        mistakes=OF_KINKS,
        holds={
            "Write a function `find_kinks(f, candidates)`": "value",
            "`f` takes one number and returns one number": "runs",
            "`candidates` is a `float64` vector.": "explains",
            "At a kink, the slope to the left differs": "value",
            "You choose the step $\\varepsilon$, and how": "explains",
            "These facts help:": "explains",
            "At every kink, the two slopes differ by 0.1": "value",
            "The slope can jump up or down.": "value",
            "Everywhere else, `f` can be steep and can bend.": "value",
            "The slope then changes by at most": "value",
            "All candidates lie between −10 and 10": "value",
            "For example:": "explains",
            "The result can be a list of numbers": "value",
            "If no candidate is a kink, it is empty.": "value",
            "The checks try smooth functions that are steep": "explains",
            "`candidates` must stay unchanged.": "unchanged",
        },
    ),
    "RepairReciprocal": FunctionSpec(
        reciprocal,
        entrywise_inputs,
        reciprocal_gradient,
        mistakes=OF_RECIPROCAL,
        holds={
            "Repair the `backward` of this Function:": "forward, returns, gradient",
        },
    ),
    "RepairSquare": FunctionSpec(
        square,
        entrywise_inputs,
        square_gradient,
        mistakes=(
            Slip(
                "the slope", "2 * x**2", "the slope contains the square of x: was the result saved in the place of x?"
            ),
        ),
        holds={
            "Repair the `backward` of this Function:": "forward, returns, gradient",
        },
    ),
    "RepairTanh": FunctionSpec(
        tanh,
        entrywise_inputs,
        tanh_gradient,
        mistakes=OF_TANH,
        holds={
            "Repair the `backward` of this Function:": "forward, returns, gradient",
            "The checks use entries between -2 and 2.": "explains",
        },
    ),
    "RepairMatVec": FunctionSpec(
        mat_vec,
        matrix_inputs,
        mat_vec_gradients,
        mistakes=OF_MAT_VEC,
        holds={
            "Repair the `backward` of this Function:": "forward, returns, gradient, asked_not_given",
            "The matrix does not have to be square.": "returns, gradient",
            "`a.unsqueeze(1) * b` is the table of all": "explains",
        },
    ),
    "RepairScaleColumns": FunctionSpec(
        scale_columns,
        table_inputs,
        scale_columns_gradients,
        mistakes=OF_SCALE,
        holds={
            "Repair the `backward` of this Function.": "forward, returns, gradient",
            "`x` is a matrix, and `scale` is a vector": "explains",
            "`gradcheck` says `True` to this one": "explains",
            "The reason:": "explains",
            "If a gradient comes back in that larger shape": "explains",
            "But `backward` itself must return a gradient": "returns",
            "The check below looks at what `backward` returns.": "explains",
        },
    ),
}
