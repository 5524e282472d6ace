"""The specification of notebook 12, arguments and options: Linear, MulConstant, MatMul, BroadcastAdd, Clamp."""

from collections.abc import Sequence

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Place
from ..mutants import Slip

EVERY = "structure, runs, forward, returns, gradient, unchanged, repeat"
"""The checks that every Function must pass."""

Gradients = tuple[np.ndarray, ...]


def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    result = x @ weight.T  #: the product
    if bias is not None:  #: whether there is a bias
        result = result + bias  #: the result with bias
    return result


def linear_gradients(g: np.ndarray, x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> Gradients:
    of_x = g @ weight  #: the gradient for x
    of_weight = g.T @ x  #: the gradient for weight
    of_bias = g.sum(axis=0)  #: the gradient for bias; the effects on all rows add up
    return (of_x, of_weight) if bias is None else (of_x, of_weight, of_bias)


def linear_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    sizes = [(2, 3, 4, True), (2, 3, 4, False), (3, 2, 2, True), (2, 2, 2, True), (2, 3, 1, True), (1, 4, 2, False)]
    return [
        (
            rng.normal(size=(rows, features)),
            rng.normal(size=(results, features)),
            rng.normal(size=results) if has_bias else None,
        )
        for rows, features, results, has_bias in sizes
    ]


def mul_constant(x: np.ndarray, constant: float) -> np.ndarray:
    return x * constant  #: the result


def mul_constant_gradient(g: np.ndarray, x: np.ndarray, constant: float) -> np.ndarray:
    return g * constant  #: the gradient; look at how much the result moves when x moves a little


def mul_constant_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """One of the constants is a tenth, which float32 cannot represent exactly."""
    tenth = float(rng.choice([1, 2, 3, 4])) / 10
    constants = [-1.5 - tenth, int(rng.integers(3, 6)), tenth, -int(rng.integers(2, 5))]
    drawn = [rng.normal(size=shape) for shape in [(3,), (2, 3), (2, 1, 3), (), (4,)]]
    return [*zip(drawn, [float(rng.choice([1.5, 2.5, 3.5])), *constants], strict=True)]


def mat_mul_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    sizes = [(2, 3, 4), (2, 2, 2), (4, 2, 3), (1, 3, 2), (3, 3, 3), (3, 1, 2), (2, 3, 1)]
    return [(rng.normal(size=(n, k)), rng.normal(size=(k, m))) for n, k, m in sizes]


def mat_mul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a @ b  #: the product


def mat_mul_gradients(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> Gradients:
    of_a = g @ b.T  #: the gradient for a
    of_b = a.T @ g  #: the gradient for b
    return of_a, of_b


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
        ((2, 3), (1, 1)),
        ((3,), (2, 2, 3)),
        ((1, 3, 1), (2, 1, 2)),
        ((1, 3), (1, 3)),
    ]
    return [(rng.normal(size=x), rng.normal(size=y)) for x, y in pairs]


def broadcast_add(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x + y  #: the result


def summed(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The gradient for an argument of this shape."""
    for _ in range(g.ndim - len(shape)):
        g = g.sum(axis=0)  #: the sum along the dimensions added in front; all these effects add up
    for axis, size in enumerate(shape):
        if size == 1:  #: the test for dimensions of size 1
            g = g.sum(axis=axis, keepdims=True)  #: the sum along dimensions of size 1; all these effects add up
    return g


def broadcast_gradients(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> Gradients:
    of_x = summed(g, x.shape)  #: the sums for x; where x was repeated, the gradients of its copies must be added up
    of_y = summed(g, y.shape)  #: the sums for y; where y was repeated, the gradients of its copies must be added up
    return of_x, of_y


def clamp_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Bounds of each kind: of both signs, 0 and a whole number, negative. Their sizes are drawn."""
    positive, negative = rng.integers(2, 5, size=2).tolist()
    *scales, s, t = (1 + rng.integers(0, 5, size=6) / 8).tolist()
    bounds = [((6,), -0.5 * s, 1.0 * s), ((2, 3), 0, positive), ((2, 1, 3), -1.5 * t, -0.25 * t), ((3,), -negative, 0)]
    inputs = []
    for shape, low, high in bounds:
        centre = np.resize([low - 0.8, (low + high) / 2, high + 0.8], int(np.prod(shape)))
        noise = rng.uniform(-0.4, 0.4, size=centre.shape)
        inputs.append((rng.permutation(centre + noise).reshape(shape), low, high))
    scaled = zip((-1.7, 0.3, 0.9, -0.8), scales, strict=True)
    return inputs + [(np.array((x + rng.uniform(-0.1, 0.1)) * s), -1.0 * s, 0.5 * s) for x, s in scaled]


def clamp(x: np.ndarray, low: float, high: float) -> np.ndarray:
    raised = np.maximum(x, low)  #: the lower bound
    return np.minimum(raised, high)  #: the upper bound


def clamp_gradient(g: np.ndarray, x: np.ndarray, low: float, high: float) -> np.ndarray:
    above = x >= low  #: the lower bound in the gradient; below it the result does not move with x
    below = x <= high  #: the upper bound in the gradient; above it the result does not move with x
    inside = above & below  #: the test whether x is between the bounds
    return g * inside  #: the gradient; outside the bounds the result does not move with x, between them as much as x


ZERO = "{} is left out if it is 0, but 0 is a bound like any other"


SPECS = {
    "Linear": FunctionSpec(
        linear,
        linear_inputs,
        linear_gradients,
        mistakes=(
            Slip("the result with", "result + bias[:, None]", "the bias is added to each column, not to each row"),
        ),
        holds={
            "Write a Function `Linear.apply(x, weight, bias)`": "forward, gradient",
            "If `bias` is `None`, nothing is added.": "runs, forward",
            "`x` is a matrix of shape (n, k), one row": "explains",
            "`weight` is a matrix of shape (m, k)": "explains",
            "`bias` is a vector of shape (m,), or `None`": "explains",
            "the result has shape (n, m).": "forward",
            "In plain Python, one entry at a time:": "explains",
            "For example:": "explains",
            "`None` is an argument like any other: if `bias`": "returns",
            "The checks: those listed above, for several shapes": EVERY,
            "One more check lets only one of the three": "needs_input_grad",
        },
    ),
    "MulConstant": FunctionSpec(
        mul_constant,
        mul_constant_inputs,
        mul_constant_gradient,
        holds={
            "Write a Function `MulConstant.apply(x, constant)`": "forward, gradient, no_gradient",
            "`x` can have any shape.": "runs, forward, gradient",
            "So far this is `Scale` from notebook 09.": "explains",
            "But the next Function in the graph may return": "explains",
            "By default `backward` then gets a tensor of zeros": "explains",
            "Your `MulConstant` asks for `None` instead": "no_gradient",
            "If `backward` gets `None`, it computes nothing": "no_gradient",
            "For example:": "explains",
            "The checks: those listed above, for `x` with one": EVERY,
            "`constant` is positive or negative, an `int`": "forward, gradient",
            "One more check puts a Function behind yours": "no_gradient",
        },
    ),
    "MatMul": FunctionSpec(
        mat_mul,
        mat_mul_inputs,
        mat_mul_gradients,
        holds={
            "Write a Function `MatMul.apply(a, b)` that computes": "forward, gradient",
            "`a` has shape (n, k), `b` has shape (k, m)": "forward",
            "For example:": "explains",
            "Each of the two gradients is again a matrix product": "explains",
            "So compute only the gradients that are needed.": "needs_input_grad",
            "The checks: those listed above, for several shapes": EVERY,
            "One more check lets only one of the two": "needs_input_grad",
        },
    ),
    "BroadcastAdd": FunctionSpec(
        broadcast_add,
        broadcast_inputs,
        broadcast_gradients,
        holds={
            "Write a Function `BroadcastAdd.apply(x, y)`": "forward, gradient",
            "Tensors of different shapes are *broadcast*": "explains",
            "The tensor with fewer dimensions gets new dimensions": "explains",
            "If one tensor has size 1 in a dimension": "explains",
            "So one entry of `y` can reach many entries": "gradient",
            "For example:": "explains",
            "`backward` itself must return a gradient with": "returns",
            "(If a Function returns a gradient that is not summed": "explains",
            "Here you do it yourself, and the checks look": "returns",
            "The checks: those listed above, for twelve pairs": EVERY,
        },
    ),
    "Clamp": FunctionSpec(
        clamp,
        clamp_inputs,
        clamp_gradient,
        places=(
            Place("where x is below low", lambda x, low, high: x < low),
            Place("where x is above high", lambda x, low, high: x > high),
            Place("where x is outside the bounds", lambda x, low, high: (x < low) | (x > high)),
        ),
        mistakes=(
            Slip("the lower bound", "np.maximum(x, low or -np.inf)", ZERO.format("low")),
            Slip("the upper bound", "np.minimum(raised, high or np.inf)", ZERO.format("high")),
            Slip("the lower bound in", "x >= (low or -np.inf)", "in the gradient, " + ZERO.format("low")),
            Slip("the upper bound in", "x <= (high or np.inf)", "in the gradient, " + ZERO.format("high")),
            Slip(
                "the test whether",
                "np.abs(x) < high",
                "the gradient reaches x where |x| is below high, as if low were -high",
            ),
            Slip("the test whether", "~(above & below)", "the gradient reaches x outside the bounds, not between them"),
            Slip(
                "the gradient",
                "g",
                "the gradient reaches x outside the bounds as well, but there the result does not move",
            ),
            Slip(
                "the gradient",
                "np.clip(g, low, high)",
                "grad_output is kept between the bounds, but they are bounds for x",
            ),
            Slip(
                "the upper bound",
                "np.where((x < low) | (x > high), 0, x)",
                "values outside the bounds become 0, not the bound",
            ),
        ),
        holds={
            "Write a Function `Clamp.apply(x, low, high)`": "forward, gradient",
            "`x` can have any shape.": "runs, forward, gradient",
            "`low` and `high` are plain Python numbers": "explains",
            "In plain Python, one entry at a time:": "explains",
            "For example:": "explains",
            "At a bound the result has a kink.": "explains",
            "No entry in the checks lies exactly on a bound": "explains",
            "The checks: those listed above, for `x` with one": EVERY,
            "The bounds are positive, negative or 0": "forward, gradient",
        },
    ),
}
