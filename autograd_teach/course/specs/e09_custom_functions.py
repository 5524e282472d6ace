"""The specification of notebook 09, a first custom Function: KillHead, Scale, Exp."""

from collections.abc import Sequence

import numpy as np

from ..checks.spec import Arguments, FunctionSpec
from ..mutants import Slip


def kill_head_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Matrices of several shapes, the first two of the same shape.

    The last one already has zeros: in each row one before and one after column n.
    """
    with_zeros = rng.normal(size=(3, 8))
    for row in with_zeros:
        row[[rng.integers(0, 2), rng.integers(6, 8)]] = 0
    drawn = [rng.normal(size=shape) for shape in [(2, 3), (2, 3), (3, 4), (2, 2), (2, 3)]]
    numbers = [1, 0, int(rng.integers(1, 4)), 1, 3, int(rng.integers(2, 7))]
    return [*zip([*drawn, with_zeros], numbers, strict=True)]


def kill_head(x: np.ndarray, n: int) -> np.ndarray:
    column = np.indices(x.shape)[1]
    number = n  #: the number of columns that become 0
    head = column < number
    return np.where(head, 0, x)  #: the result


def kill_head_gradient(g: np.ndarray, x: np.ndarray, n: int) -> np.ndarray:
    column = np.indices(x.shape)[1]
    number = n  #: the number of columns without a gradient; the result does not depend on the first n columns of x
    head = column < number
    return np.where(head, 0, g)  #: the gradient; the result does not depend on the first n columns of x


def scale_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Each shape with several factors, so that a dependence on the factor is not mistaken for one on the shape.

    The first factor is short. The other fractions are tenths, which float32 cannot represent exactly.
    """
    drawn = [np.asarray(rng.normal(size=shape)) for shape in [(3,), (2, 3), (2, 1, 3), ()]]
    factors = [-1 - tenth(rng), int(rng.integers(2, 5)), tenth(rng)]
    others = [-int(rng.integers(2, 5)), 1 + tenth(rng), -tenth(rng), int(rng.integers(3, 6))]
    factors.insert(0, float(rng.choice([1.5, 3.5, 4.5])))
    return [*zip(drawn, factors, strict=True), *((np.asarray(-x), f) for x, f in zip(drawn, others, strict=True))]


def tenth(rng: np.random.Generator) -> float:
    """One of 0.1, 0.2, ..., 0.9, but not 0.5: no float32 is equal to it."""
    return float(rng.choice([1, 2, 3, 4, 6, 7, 8, 9])) / 10


def scale(x: np.ndarray, factor: float) -> np.ndarray:
    return x * factor  #: the result


def scale_gradient(g: np.ndarray, x: np.ndarray, factor: float) -> np.ndarray:
    slope = np.full(x.shape, factor)  #: the slope; look again at how much the result moves when x moves a little
    return g * slope  #: the gradient


def exp_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.uniform(-1.5, 1.5, size=shape),) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


def exp(x: np.ndarray) -> np.ndarray:
    return np.exp(x)  #: the result


def exp_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    slope = np.exp(x)  #: the slope of exp; how steep is exp at x?
    return g * slope  #: the gradient; look at the chain rule again


OF_KILL_HEAD = (
    Slip(
        "the result",
        "np.where(np.indices(x.shape)[0] < n, 0, x)",
        "the zeros stand in the first n rows, not in the first n columns",
    ),
    Slip(
        "the number of columns that become",
        "n % x.shape[1]",
        "if n is the number of columns, nothing becomes 0: look at what your slice is for this n, -0 is 0",
    ),
    Slip(
        "the result",
        "np.append(np.zeros((len(x), n)), x[:, n - x.shape[1] :], axis=1)",
        "if n is the number of columns, too many are kept: look at what your slice is for this n, -0 is 0",
    ),
    Slip(
        "the gradient",
        "np.where(np.indices(x.shape)[0] < n, 0, g)",
        "the gradient is cleared in the first n rows, not in the first n columns",
    ),
    Slip("the gradient", "g", "the gradient reaches the first n columns too, but the result does not depend on them"),
    Slip("the gradient", "np.where(head, g, 0)", "the gradient is cleared from column n on, the wrong way round"),
    Slip(
        "the gradient",
        "np.where(head | (x == 0), 0, g)",
        "no gradient reaches the entries of x that are 0, but only the column decides whether a gradient gets there",
    ),
)

OF_SCALE = (
    Slip("the result", "x + factor", "`factor` is added to x, but it must multiply x"),
    Slip("the result", "x * float(np.float32(factor))", "`factor` goes through a float32, which keeps only 7 digits"),
)

OF_EXP = (
    Slip("the result", "2.718**x", "the result is 2.718 to the power of x, but e has more digits"),
    Slip(
        "the result",
        "1 + x + x**2 / 2 + x**3 / 6 + x**4 / 24",
        "the result is the sum of the first five terms of the power series, which is near enough for small x only",
    ),
    Slip("the slope", "x * np.exp(x - 1)", "this is the rule for a power of x, but here x is the exponent"),
    Slip("the slope", "np.exp(np.exp(x))", "the slope used is exp(exp(x)): the exponential is taken twice"),
)


SPECS = {
    "KillHead": FunctionSpec(
        kill_head,
        kill_head_inputs,
        kill_head_gradient,
        mistakes=OF_KILL_HEAD,
        holds={
            "Write a Function `KillHead.apply(x, n)`": "structure, runs, forward, unchanged",
            "`n` is a whole number, $0": "explains",
            "In plain Python, one entry at a time:": "explains",
            "For example:": "explains",
            "The checks: those listed above": "forward, returns, gradient, unchanged, repeat",
        },
    ),
    "Scale": FunctionSpec(
        scale,
        scale_inputs,
        scale_gradient,
        mistakes=OF_SCALE,
        holds={
            "Write a Function `Scale.apply(x, factor)`": "structure, runs, forward",
            "`x` can have any shape.": "runs, forward, gradient",
            "For example:": "explains",
            "`factor` is not a tensor, so it has no gradient": "returns",
            "The checks: those listed above": "forward, returns, gradient, unchanged, repeat",
            "`factor` is positive or negative": "explains",
        },
    ),
    "Exp": FunctionSpec(
        exp,
        exp_inputs,
        exp_gradient,
        mistakes=OF_EXP,
        holds={
            "Write a Function `Exp.apply(x)`": "structure, runs, forward",
            "For example:": "explains",
            "Here `backward` needs a tensor from `forward`.": "explains",
            "The way to keep a tensor is `ctx.save_for": "explains",
            "In `backward`, the tuple `ctx.saved_tensors`": "explains",
            "Save the **result**, not `x`.": "from_result",
            "Then `backward` stays right if `x` is changed": "from_result",
            "(The engine's own `exp` does the same.)": "explains",
            "The checks: those listed above": "forward, returns, gradient, unchanged, repeat",
            "One more check changes `x` in place": "from_result",
        },
    ),
}
