"""Exercises of notebook 07, gradients of gradients.

nth_derivative, hessian_vector_product, newton_step, gradient_penalty.
"""

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any

import numpy as np

from .declaration import Also, Arguments, Call, Exercise, Mistake, Program, Watched
from .e02_grad_and_backward import NO_TRACE

NOTEBOOK = "07_higher_order"

Function = Callable[..., Any]

# Derivatives in NumPy. A central difference of a central difference has only about four right digits.
# All functions here take complex numbers, so their derivatives can be computed to nearly all digits.


def derivative(f: Function, x: np.ndarray, n: int) -> np.ndarray:
    """The n-th derivative of an elementwise function, from its values on a circle around each entry (Cauchy's formula).

    >>> derivative(lambda x: x**3, np.array([1.0, 2.0]), 2).round(6)
    array([ 6., 12.])
    """
    radius, turns = 0.5, np.exp(2j * np.pi * np.arange(64) / 64)
    around = sum(f(x + radius * turn) * turn**-n for turn in turns) / len(turns)
    return np.asarray(factorial(n) / radius**n * around).real + 0.0


def gradient(f: Function, x: np.ndarray) -> np.ndarray:
    """The gradient of a function that returns a single number, by a tiny imaginary step for each entry.

    >>> gradient(lambda x: (x**3).sum(), np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    slopes = np.empty(x.size)
    for entry in range(x.size):
        step = np.zeros(x.size, dtype=complex)
        step[entry] = 1e-30j
        slopes[entry] = np.imag(f(x + step.reshape(x.shape))) / 1e-30
    return slopes.reshape(x.shape)


def times_hessian(f: Function, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The Hessian of f at x times v: how the gradient changes along v."""
    if isinstance(f, Wide):
        return f.times_hessian(x, v)
    eps = 1e-5
    return (gradient(f, x + eps * v) - gradient(f, x - eps * v)) / (2 * eps)


def hessian(f: Function, x: np.ndarray) -> np.ndarray:
    return np.stack([times_hessian(f, x, row.reshape(x.shape)).reshape(-1) for row in np.eye(x.size)])


# nth_derivative

CURVES = (
    ("x ** 3", 1),
    ("torch.tanh(x)", 2),
    ("torch.exp(2 * x)", 3),
    ("x * x", 3),
    ("2 * x + 1", 2),
    ("torch.ones_like(x)", 1),
    ("torch.log(x)", 5),
    ("torch.sin(x) * x", 4),
    ("x ** 2 + x", 0),
)


def curve_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes = [(2,), (2, 3), (1,), (2,), (3,), (2,), (4,), (), ()]
    return [
        (Program("x", text), rng.uniform(1, 2, size=shape), n) for (text, n), shape in zip(CURVES, shapes, strict=True)
    ]


def last_not_zero(f: Function, x: np.ndarray, n: int) -> np.ndarray:
    """The derivative of the highest order up to n that is not zero: the result of a loop that stops too early."""
    for order in range(n, 0, -1):
        found = derivative(f, x, order)
        if np.abs(found).max() > 1e-9:
            return found
    return derivative(f, x, 0)


# hessian_vector_product

SURFACES = (
    ("(x ** 3).sum()", (2,)),
    ("torch.exp(x[0]) * x[1] + x[2] ** 2 * x[0]", (3,)),
    ("(x @ x @ x).sum() + torch.sin(x).sum()", (2, 2)),
    ("(x * x).sum() ** 2 / 4", (40,)),
    ("torch.tanh(x)", ()),
)


def surface_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(Watched("x", text), rng.uniform(0.3, 1.2, size=shape), rng.normal(size=shape)) for text, shape in SURFACES]


class Wide(Watched):
    """A function of very many numbers. Its Hessian-vector product is known; measuring it would take too long.

    >>> f, x, v = Wide(), np.array([0.5, 1.0]), np.array([2.0, -1.0])
    >>> bool(np.allclose(f.times_hessian(x, v), times_hessian(Program("x", Wide.FORMULA).for_specification(), x, v)))
    True
    """

    FORMULA = "torch.sin(x).sum() + x.mean() * (x * x).sum()"

    def __init__(self) -> None:
        super().__init__("x", self.FORMULA)

    def for_specification(self) -> "Wide":
        return self

    def times_hessian(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The Hessian-vector product, derived by hand from the formula."""
        return np.asarray(-np.sin(x) * v + 2 * x.dot(v) / x.size + 2 * x.mean() * v + 2 * v.mean() * x)


def wide_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """So many entries that one backward pass for each of them takes minutes, longer than the time limit."""
    n = int(rng.integers(30_000, 35_000))
    return [(Wide(), rng.uniform(0.3, 1.2, size=n), rng.normal(size=n))]


def few_passes(called: Any) -> str | None:
    x, passes = called.arguments[1], called.arguments[0].passes
    if x.size < 20 or passes < x.size:
        return None
    return (
        f"for x with {x.size} entries there are {passes} backward passes through f: enough to compute "
        "all rows of the Hessian"
    )


# newton_step

BOWLS = (
    ("(x[0] - 1) ** 2 + 20 * (x[1] + 2) ** 2 + (x[0] - 1) * (x[1] + 2)", (2,)),
    ("torch.exp(x[0] + 3 * x[1]) + torch.exp(x[0] - 3 * x[1]) + torch.exp(-x[0])", (2,)),
    ("torch.exp(x).sum() + x.sum() ** 2 + x[0, 0] * x[1, 2]", (2, 3)),
    ("torch.exp(x) - 2 * x", ()),
)


def bowl_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(Program("x", text), rng.uniform(-0.5, 0.5, size=shape)) for text, shape in BOWLS]


def newton(f: Function, x: np.ndarray, share: float = 1.0) -> np.ndarray:
    return x - share * np.linalg.solve(hessian(f, x), gradient(f, x).reshape(-1)).reshape(x.shape)


# gradient_penalty

MODELS = (
    ("x @ w", (3, 2), (2,)),
    ("torch.tanh(x @ w)", (2, 3), (3,)),
    ("torch.sin(x @ w).sum(1) + (x * x).sum(1) * w[0, 1]", (3, 2), (2, 3)),
    ("torch.exp(x[:, 0] * w)", (4, 2), ()),
)


def model_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [
        (Program("x, w", text), rng.normal(size=of_x), rng.uniform(0.2, 1, size=of_w)) for text, of_x, of_w in MODELS
    ]


def penalty(f: Function, x: np.ndarray, w: np.ndarray) -> float:
    slopes = gradient(lambda at: f(at, w).sum(), x)
    return float((slopes**2).sum(axis=1).mean())


def with_gradient(value: Callable[[np.ndarray], float], w: np.ndarray) -> list[Any]:
    """`value(w)` and its gradient, by central differences of the exact values."""
    eps, slopes = 1e-5, np.empty(w.size)
    for entry, row in enumerate(np.eye(w.size)):
        step = eps * row.reshape(w.shape)
        slopes[entry] = (value(w + step) - value(w - step)) / (2 * eps)
    return [value(w), slopes.reshape(w.shape)]


def penalised(f: Function, x: np.ndarray, w: np.ndarray) -> list[Any]:
    return with_gradient(lambda at: penalty(f, x, at), w)


def mean_length(f: Function, x: np.ndarray, w: np.ndarray) -> float:
    slopes = gradient(lambda at: f(at, w).sum(), x)
    return float(np.sqrt((slopes**2).sum(axis=1)).mean())


def scaled(factor: Callable[[np.ndarray], float]) -> Function:
    """The penalty, and its gradient, times `factor(x)`."""
    return lambda f, x, w: [factor(x) * each for each in penalised(f, x, w)]


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="nth_derivative",
        points=2,
        title="A derivative of any order",
        grading=Call(("f", "x", "n"), derivative, curve_inputs, also=(NO_TRACE,)),
        hints=(
            (
                "The derivative of order 2 is the derivative of the derivative. So do the same "
                "step n times. Which option makes a gradient that can be differentiated again?"
            ),
            (
                "Each entry of the result depends only on one entry of x. So what is each entry "
                "of the gradient of the sum?"
            ),
            (
                "Before each step, check whether the value still depends on x: `requires_grad` "
                "tells you. If it does not, you know all further derivatives."
            ),
        ),
        mistakes=(
            Mistake(
                "stopped",
                "if a derivative is constant, the next one is 0, but yours is still the constant",
                forward=last_not_zero,
            ),
            Mistake(
                "one_too_many",
                "this is the derivative of order n + 1: one step too many",
                forward=lambda f, x, n: derivative(f, x, n + 1),
            ),
            Mistake(
                "one_too_few",
                "this is the derivative of order n - 1: one step is missing",
                forward=lambda f, x, n: derivative(f, x, max(n - 1, 0)),
            ),
            Mistake(
                "always_first",
                "this is the first derivative, whatever n is",
                forward=lambda f, x, n: derivative(f, x, 1),
            ),
            Mistake(
                "power",
                "this is the first derivative to the power of n, not the n-th derivative",
                forward=lambda f, x, n: derivative(f, x, 1) ** n,
            ),
            Mistake(
                "summed",
                "this is the sum over all entries, but each entry of x has its own derivative",
                forward=lambda f, x, n: derivative(f, x, n).sum(),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="hessian_vector_product",
        points=2,
        title="A Hessian times a vector, without the Hessian",
        grading=Call(
            ("f", "x", "v"),
            times_hessian,
            surface_inputs,
            also=(Also("hessian_formed", "the Hessian is not computed row by row", few_passes, counted=True), NO_TRACE),
            larger=wide_inputs,
        ),
        hints=(
            (
                "Row i of the Hessian is the gradient of entry i of the gradient. The product is "
                "a sum of these rows, each times an entry of v. Can you add up first, and "
                "differentiate afterwards?"
            ),
            (
                "Compute a single number from the gradient and v, and differentiate it. For that, "
                "the gradient must have a history."
            ),
            "`dot` is only for vectors. For any shape, multiply entry by entry and sum. Treat v as a constant.",
        ),
        mistakes=(
            Mistake(
                "first_order",
                "this is the gradient times v, entry by entry: nothing was differentiated a second time",
                forward=lambda f, x, v: gradient(f, x) * v,
            ),
            Mistake(
                "directional",
                "this is a single number, how fast f grows along v: how the gradient changes along v is a tensor",
                forward=lambda f, x, v: (gradient(f, x) * v).sum(),
            ),
            Mistake(
                "v_ignored",
                "v is not used: these are the sums of the Hessian's rows, as if v were all ones",
                forward=lambda f, x, v: times_hessian(f, x, np.ones_like(x)),
            ),
            Mistake(
                "v_afterwards",
                "v multiplies the sums of the Hessian's rows: v must multiply the entries before they are added up",
                forward=lambda f, x, v: times_hessian(f, x, np.ones_like(x)) * v,
            ),
            Mistake(
                "diagonal",
                "only the diagonal of the Hessian is used, but each entry of the gradient can "
                "depend on all entries of x",
                forward=lambda f, x, v: np.diag(hessian(f, x)).reshape(x.shape) * v,
            ),
            Mistake(
                "quadratic",
                "this is v times the Hessian times v, a single number: multiply by v from one side only",
                forward=lambda f, x, v: (times_hessian(f, x, v) * v).sum(),
            ),
            Mistake(
                "times_gradient",
                "this is the Hessian times the gradient: v is not used",
                forward=lambda f, x, v: times_hessian(f, x, gradient(f, x)),
            ),
            Mistake(
                "times_gradient",
                "this is twice the Hessian times the gradient, which is the gradient of the "
                "gradient's squared length: v is not used",
                forward=lambda f, x, v: 2 * times_hessian(f, x, gradient(f, x)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="newton_step",
        points=2,
        title="One jump to the bottom of a bowl",
        grading=Call(("f", "x"), newton, bowl_inputs, also=(NO_TRACE,)),
        hints=(
            (
                "The lesson has a Newton step for vectors. Which of its lines need a vector? How "
                "can you make a vector from a matrix or a single number, and get back afterwards?"
            ),
            (
                "`reshape(-1)` makes a vector from a tensor of any shape, even from a single "
                "number. Each entry of the gradient gives one row of the Hessian. Make each row a "
                "vector too."
            ),
            (
                "Solve Hessian times step = gradient, with step and gradient as vectors. Then "
                "give the step the shape of x and subtract it from x."
            ),
        ),
        mistakes=(
            Mistake(
                "gradient_step",
                "this is x minus the gradient: the Hessian is not used",
                forward=lambda f, x: x - gradient(f, x),
            ),
            Mistake(
                "uphill",
                "the jump goes the wrong way: the step is added to x, not subtracted",
                forward=lambda f, x: newton(f, x, -1.0),
            ),
            Mistake(
                "step_alone",
                "this is the step alone: the result must be the point that it leads to from x",
                forward=lambda f, x: x - newton(f, x),
            ),
            Mistake(
                "diagonal",
                "the gradient is divided by the Hessian's diagonal, entry by entry, but the rest "
                "of the Hessian counts too",
                forward=lambda f, x: x - gradient(f, x) / np.diag(hessian(f, x)).reshape(x.shape),
            ),
            Mistake(
                "row_sums",
                "the gradient is divided by the sums of the Hessian's rows: these come from "
                "differentiating the sum of the gradient",
                forward=lambda f, x: x - gradient(f, x) / times_hessian(f, x, np.ones_like(x)),
            ),
            Mistake(
                "multiplied",
                "the gradient is multiplied by the Hessian, but the Hessian times the step must give the gradient",
                forward=lambda f, x: x - times_hessian(f, x, gradient(f, x)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="gradient_penalty",
        points=3,
        title="A penalty on slopes, and its gradient",
        grading=Call(("f", "x", "w"), penalised, model_inputs, also=(NO_TRACE,)),
        hints=(
            "You need two gradients, one after the other, with respect to different tensors. Which comes first?",
            (
                "The first gradient gives the slopes with respect to x. It must have a history, "
                "because the penalty is computed from it. The second is the gradient of the "
                "penalty with respect to w."
            ),
            (
                "Each entry of f(x, w) depends only on its own row of x. So the gradient of the "
                "sum of all entries holds the slopes of all rows. Square it, sum over each row, "
                "and take the mean over the rows."
            ),
        ),
        mistakes=(
            Mistake(
                "sum",
                "this is the sum over the rows, but the penalty is their mean",
                forward=scaled(len),
            ),
            Mistake(
                "mean_of_all",
                "this is the mean over all entries of the slopes: add up the squares in each row, "
                "and take the mean over the rows only",
                forward=scaled(lambda x: 1 / x.shape[1]),
            ),
            Mistake(
                "mean_of_results",
                "these are the slopes of the mean of all results, so each slope is divided by the "
                "number of rows: use the slopes of each row's own result",
                forward=scaled(lambda x: 1 / len(x) ** 2),
            ),
            Mistake(
                "length",
                "the lengths of the slopes are used, but the penalty has their squares",
                forward=lambda f, x, w: with_gradient(lambda at: mean_length(f, x, at), w),
            ),
            Mistake(
                "of_the_model",
                "the penalty is right, but the second result is the gradient of f, not the gradient of the penalty",
                forward=lambda f, x, w: [penalty(f, x, w), gradient(lambda at: f(x, at).sum(), w)],
            ),
            Mistake(
                "penalty_of_weights",
                "the slopes with respect to w are penalised: use the slopes with respect to x",
                forward=lambda f, x, w: with_gradient(
                    lambda at: float((gradient(lambda to: f(x, to).sum(), at) ** 2).sum()), w
                ),
            ),
            Mistake(
                "slope_of_x",
                "the second result is the gradient of the penalty with respect to x: it must be with respect to w",
                forward=lambda f, x, w: [
                    penalty(f, x, w),
                    with_gradient(lambda at: penalty(f, at, w), x)[1],
                ],
            ),
            Mistake(
                "swapped",
                "the two results are swapped: the penalty comes first, then its gradient",
                forward=lambda f, x, w: penalised(f, x, w)[::-1],
            ),
        ),
    ),
)
