"""The specification of notebook 14, parts of networks: normalised rows, softplus, interpolation, declared gradients."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, FunctionSpec
from ..mutants import Slip

EPS = 1e-5


def mean_of_rows(values: np.ndarray) -> np.ndarray:
    return values.mean(axis=-1, keepdims=True)  #: the mean over a row; each row has its own


def layer_norm(x: np.ndarray) -> np.ndarray:
    eps = EPS  #: eps
    mean = mean_of_rows(x)  #: the mean; each row of the last dimension has its own
    distance = x - mean
    variance = mean_of_rows(distance**2)  #: the variance; each row of the last dimension has its own
    spread = np.sqrt(variance + eps)  #: the spread of a row, the denominator
    return distance / spread  #: the result


def layer_norm_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    eps = EPS  #: eps in backward
    distance = x - x.mean(axis=-1, keepdims=True)
    variance = (distance**2).mean(axis=-1, keepdims=True)  #: the variance in backward
    spread = np.sqrt(variance + eps)  #: the spread of a row in backward
    y = distance / spread  #: the normalised row in backward
    of_mean = g.mean(axis=-1, keepdims=True)  #: the part of the gradient through the mean
    weighted = (g * y).mean(axis=-1, keepdims=True)  #: the mean of grad_output weighted by the normalised row
    of_variance = y * weighted  #: the part of the gradient through the variance
    total = g - of_mean - of_variance  #: the sum of the three parts; each entry of x reaches its row in three ways
    return total / spread  #: the gradient


def layer_norm_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """No entry is near the mean of its row; in the last call, entries are so close that eps matters."""
    shapes: list[tuple[tuple[int, ...], Any]] = [
        ((4,), 1.0),
        ((2, 4), 1.0),
        ((4, 4), 1.0),
        ((2, 3, 4), 2.5),
        ((3, 4), np.array([[0.01], [0.002], [0.03]])),
    ]
    steps = np.array([-1.1, -0.4, 0.5, 1.4])
    return [
        (rng.normal(size=(*shape[:-1], 1)) + scale * rng.permuted(steps + rng.uniform(-0.1, 0.1, shape), axis=-1),)
        for shape, scale in shapes
    ]


def softplus(x: np.ndarray) -> np.ndarray:
    bend = np.log1p(np.exp(-np.abs(x)))  #: the logarithm
    corner = np.maximum(x, 0)  #: what is added to the logarithm
    return corner + bend  #: the result


def logistic(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-np.logaddexp(0, -x)))


def softplus_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    slope = logistic(x)  #: the slope; how does the slope change when x grows?
    return g * slope  #: the gradient


def softplus_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Usual numbers, then near 800 and -800, then near 5.5, 10.5, 16 and their negatives: the result is near x or 0."""
    shapes = [(3,), (2, 3), (2, 1, 3), ()]
    calls = [(np.asarray(rng.uniform(0.2, 2.5, size=shape) * rng.choice([-1.0, 1.0], size=shape)),) for shape in shapes]
    calls.insert(1, (np.array([800.0, -800.0, 1.0]) + rng.normal(scale=0.1, size=3),))
    sides = rng.permuted(np.array([5.5, 10.5, 16.1, -5.5, -10.5, -20.5]))
    calls.insert(3, (sides + rng.uniform(-0.2, 0.2, size=6),))
    return calls


def interpolate(a: np.ndarray, b: np.ndarray, t: np.ndarray) -> np.ndarray:
    of_a = 1 - t  #: the weight of a
    of_b = t  #: the weight of b
    return a * of_a + b * of_b  #: the result; what must it be where t is 0, and where t is 1?


def interpolate_gradients(g: np.ndarray, a: np.ndarray, b: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, ...]:
    weight = 1 - t  #: the factor for a
    of_a = g * weight  #: the gradient for a
    of_b = g * t  #: the gradient for b
    each = g * (b - a)  #: what an entry contributes to the gradient for t
    of_t = each if t.ndim else each.sum()  #: the gradient for t; only a t without dimensions is shared by all entries
    return of_a, of_b, of_t


def interpolate_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """One t has an entry that is 0 and one that is 1."""
    shapes = [((3,), (3,)), ((2, 3), ()), ((1,), (1,)), ((2, 2), (2, 2)), ((4,), ()), ((2, 1, 3), ()), ((), ())]
    calls = [
        (rng.normal(size=shape), rng.normal(size=shape), np.asarray(rng.uniform(0.1, 0.9, size=of_t)))
        for shape, of_t in shapes
    ]
    calls[3][2][rng.permutation(2), [0, 1]] = [0, 1]
    return calls


def gradient_reversal(x: np.ndarray, strength: float) -> np.ndarray:
    return x.copy()  #: the result of forward; the values stay as they are, only the gradient is reversed


def gradient_reversal_gradient(g: np.ndarray, x: np.ndarray, strength: float) -> np.ndarray:
    return -(g * strength)  #: the gradient


def gradient_reversal_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Positive strengths, then a negative one and 0."""
    negative = -round(rng.uniform(1.2, 1.9), 2)
    drawn = [np.asarray(rng.normal(size=shape)) for shape in [(3,), (2, 3), (2, 1, 3), (4,), (2,), ()]]
    half, two, three = rng.integers(1, 4) / 4, float(rng.integers(2, 5)), int(rng.integers(2, 5))
    return [*zip(drawn, [float(half), two, three, negative, 0, 1.5], strict=True)]


def straight_through(x: np.ndarray) -> np.ndarray:
    return np.round(x)  #: the result; it must be the nearest whole number


def straight_through_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    return g  #: the gradient; it must be `grad_output`, unchanged


def straight_through_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Numbers between -3 and 3, then exact halves, and numbers that an int32 cannot hold."""
    calls: list[Arguments] = []
    for shape in [(3,), (2, 3), (2, 1, 3), ()]:
        whole = rng.integers(-2, 3, size=shape)
        calls.append((np.asarray(whole + rng.uniform(0.1, 0.4, size=shape) * rng.choice([-1.0, 1.0], size=shape)),))
    halves = rng.permuted(np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5]))
    halves += 4.0 * np.sign(halves) * rng.integers(0, 2, size=6)
    large = np.array([3e9 + 123, -5e9 - 321]) + rng.uniform(0.6, 0.9, size=2)
    return [*calls[:1], (large,), *calls[1:3], (halves,), calls[3]]


OTHER_EPS = "what is added to the variance is not the eps of the statement"
ROWS = "is taken over all entries, but each row of the last dimension has its own"
OUTSIDE = "eps is added to the root of the variance, but it must be added to the variance, before the root"
TOO_EARLY = "a short cut for {} x begins too early: what it leaves out there can still be seen in a float64"
HALVES = "where x lies halfway between two whole numbers, forward always rounds {}, but the statement says another rule"


SPECS = {
    "LayerNorm": FunctionSpec(
        layer_norm,
        layer_norm_inputs,
        layer_norm_gradient,
        mistakes=(
            *(Slip("eps", eps, OTHER_EPS) for eps in ("1e-2", "1e-6", "1e-8")),
            Slip("the spread of a row", "np.sqrt(variance) + eps", OUTSIDE),
            Slip(
                "the variance",
                "x.var(axis=-1, keepdims=True, ddof=1)",
                "the variance is divided by n - 1 in place of n",
            ),
            Slip(
                "the gradient",
                "total / np.sqrt(variance)",
                "eps is left out in the spread by which backward divides at the end",
            ),
            Slip(
                "the part of the gradient through the mean", "g.mean()", "the mean of grad_output in backward " + ROWS
            ),
            Slip("the sum", "g - g.mean() - y * (g * y).mean()", "each of the two means in backward " + ROWS),
        ),
        holds={
            "For example:": "explains",
            "Write a Function `LayerNorm.apply(x)` that": "structure, runs, forward",
            "A row has $n$ entries": "forward",
            "There are no weights": "runs",
            "The variance is divided by $n$": "forward",
            "This is the longest backward pass of the notebook": "explains",
            "Each entry of `x` reaches all results of its row": "gradient",
            "Work it out on paper first": "explains",
            "The checks: those listed above, for `x` with one, two": "forward, gradient",
        },
    ),
    "Softplus": FunctionSpec(
        softplus,
        softplus_inputs,
        softplus_gradient,
        second=4,
        mistakes=(
            *(
                Slip("the result", f"np.where(x > {start}, x, corner + bend)", TOO_EARLY.format("large"))
                for start in (5, 10, 15)
            ),
            Slip("the result", "np.where(x < -5, 0, corner + bend)", TOO_EARLY.format("very negative")),
            Slip(
                "the result",
                "np.where(np.abs(x) > 8, corner, corner + bend)",
                TOO_EARLY.format("large and for very negative"),
            ),
            Slip(
                "the result",
                "np.minimum(corner, 700) + bend",
                "x is limited before the formula, so the result stays the same beyond the limit",
            ),
            Slip(
                "the result",
                "np.abs(x) + bend",
                "the size of x is added to the logarithm, which is wrong for negative x",
            ),
            Slip("the result", "corner + np.log(2 + np.exp(-np.abs(x)))", "1 is added twice under the logarithm"),
            Slip(
                "the slope",
                "1.0 * (x > 0)",
                "the slope used is 0 for negative x and 1 for positive x: that of a corner, but this one is smooth",
            ),
            Slip(
                "the slope",
                "logistic(x) * logistic(-x)",
                "the slope used is the slope of the logistic function: one derivative too many",
            ),
            Slip(
                "the slope",
                "logistic(np.clip(x, -5, 5))",
                "x is limited before the slope is computed, so the slope stays the same beyond the limit",
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a Function `Softplus.apply(x)` that": "structure, runs, forward",
            "The formula as it stands fails for large numbers": "explains",
            "Your Function must give the right numbers for 800": "forward, gradient, double_backward",
            "A short cut such as `x` itself for large": "forward",
            "At $x = 10$ the result is 10.0000454": "forward",
            "The checks: those listed above, for `x` with one, two": "explains",
            "One more check: `backward` can be differentiated": "double_backward",
        },
    ),
    "Interpolate": FunctionSpec(
        interpolate,
        interpolate_inputs,
        interpolate_gradients,
        mistakes=(
            Slip(
                "the result",
                "a * of_b + b * of_a",
                "the result is b where t is 0 and a where t is 1: the wrong way round",
            ),
            Slip(
                "the gradient for t",
                "each if t.ndim else g.sum() * (b - a).sum()",
                "if t is one number, grad_output and the distances are added up apart, but each entry gives a product",
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a Function `Interpolate.apply(a, b, t)` that": "structure, runs, forward",
            "The tensor `t` has either the same shape too": "runs, forward",
            "All three arguments have a gradient": "returns, gradient",
            "The checks: those listed above, for several shapes": "explains",
            "One more check: `backward` can be differentiated": "double_backward",
        },
    ),
    "GradientReversal": FunctionSpec(
        gradient_reversal,
        gradient_reversal_inputs,
        vjp=gradient_reversal_gradient,
        mistakes=(
            Slip(
                "the gradient", "-(g * (strength or 1))", "a strength of 0 is taken for 1: the gradient must be 0 there"
            ),
            Slip("the result", "-strength * x", "forward multiplies x by -strength, but only the gradient is reversed"),
        ),
        holds={
            "For example:": "explains",
            "Write a Function `GradientReversal.apply(x, strength)`": "structure, runs, forward",
            "`strength` is a plain number": "runs, returns",
            "The declared gradient for `x` is": "gradient",
            "The part of a network before this Function then": "explains",
            "For example, it learns to hide something": "explains",
            "The checks: those listed above, for `x` with one, two": "explains",
            "The gradient is compared with the declared one": "gradient",
            "The result may share the memory of `x`": "explains",
        },
    ),
    "StraightThroughRound": FunctionSpec(
        straight_through,
        straight_through_inputs,
        vjp=straight_through_gradient,
        mistakes=(
            Slip("the result", "np.floor(x + 0.5)", HALVES.format("up")),
            Slip("the result", "np.ceil(x - 0.5)", HALVES.format("down")),
            Slip("the result", "np.sign(x) * np.floor(np.abs(x) + 0.5)", HALVES.format("away from 0")),
            Slip(
                "the result",
                "np.trunc(x + 0.5)",
                "forward adds a half and cuts off the digits, which is wrong for negative numbers",
            ),
            Slip(
                "the result",
                "np.where(np.abs(x) < 2.0**31, np.round(x), -(2.0**31))",
                "forward goes through an int32, which cannot hold numbers beyond 2 billion",
            ),
            Slip(
                "the gradient", "g * np.round(x)", "grad_output is multiplied by the result, but it must pass unchanged"
            ),
            Slip(
                "the gradient", "np.round(g)", "grad_output is rounded too, but only the values must be whole numbers"
            ),
            Slip(
                "the gradient",
                "g * (np.abs(x) <= 1)",
                "the gradient passes only where x lies between -1 and 1, but it must pass everywhere",
            ),
            Slip(
                "the gradient",
                "np.clip(g, -1, 1)",
                "grad_output is limited to the numbers from -1 to 1, but it must pass unchanged",
            ),
            Slip(
                "the gradient",
                "0 * g",
                "the gradient is 0, the true derivative almost everywhere; this exercise declares another one",
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a Function `StraightThroughRound.apply(x)` that": "structure, runs, forward",
            "A number halfway between two whole numbers": "forward",
            "The derivative of rounding is 0 almost everywhere": "explains",
            "The declared gradient is `grad_output`, unchanged": "gradient",
            "The checks: those listed above, for `x` with one, two": "explains",
            "The gradient is compared with the declared one": "gradient",
        },
    ),
}
