"""The specification of notebook 07, gradients of gradients.

nth_derivative, hessian_vector_product, newton_step, gradient_penalty.
"""

from collections.abc import Callable, Sequence
from math import comb, factorial
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec, Mistake, specified
from ..exercises.declaration import Program, Watched
from ..exercises.e07_higher_order import Part, Wide
from ..mutants import Slip
from .e02_grad_and_backward import NO_TRACE
from .formulas import drawn

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
    return np.asarray(np.asarray(factorial(n) / radius**n * around).real + 0.0)


def gradient(f: Function, x: np.ndarray) -> np.ndarray:
    """The gradient of a function that returns a single number, by a tiny imaginary step for each entry.

    >>> gradient(lambda x: (x**3).sum(), np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    slopes = [np.imag(f(x + 1e-30j * row.reshape(x.shape))) / 1e-30 for row in np.eye(x.size)]
    return np.array(slopes).reshape(x.shape)


def times_hessian(f: Function, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The Hessian of f at x times v: how the gradient changes along v."""
    if isinstance(f, Wide):
        return wide_times_hessian(f.parts, x, v)
    eps = 1e-5 / max(1.0, float(np.linalg.norm(v)))
    return np.asarray((gradient(f, x + eps * v) - gradient(f, x - eps * v)) / (2 * eps))


def hessian(f: Function, x: np.ndarray) -> np.ndarray:
    return np.stack([times_hessian(f, x, row.reshape(x.shape)).reshape(-1) for row in np.eye(x.size)])


# nth_derivative

CURVES = (
    ("{a} * x ** {n}", 1, (2,)),
    ("torch.tanh({a} * x)", 2, (2, 3)),
    ("torch.exp(2 * {a} * x)", 3, (1,)),
    ("x", 1, (3,)),
    ("x", 0, (2, 2)),
    ("x", 2, (2,)),
    ("{a} * x * x", 3, (2,)),
    ("{a} * x + 1", 2, (3,)),
    ("torch.ones_like(x)", 1, (2,)),
    ("{a} * x * x", 4, (2, 3)),
    ("{a} * torch.log(x)", 5, (4,)),
    ("{f}({a} * x) * x", 4, ()),
    ("3 * x - {a} * x * x", 3, ()),
    ("torch.ones_like(x)", 2, ()),
    ("x", 2, ()),
    ("{a} * x ** {n} + x", 0, ()),
)


def curve_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Many functions, some of them constant, linear or x itself. The last one is 0 at x, but its derivatives are not."""
    calls = [(Program("x", drawn(text, rng)), rng.uniform(1, 2, size=shape), n) for text, n, shape in CURVES]
    zero = round(rng.uniform(1, 2), 3)
    return [*calls, (Program("x", f"(x - {zero}) * torch.exp(x)"), np.array([zero, zero]), 2)]


def nth_derivative(f: Function, x: np.ndarray, n: int) -> np.ndarray:
    def of(order: int) -> np.ndarray:
        return derivative(f, x, order)

    return of(n)  #: the derivative of order n


def is_zero(values: np.ndarray) -> bool:
    return not np.abs(values).max() > 1e-9


def added_up(of: Callable[[int], np.ndarray], n: int) -> Any:
    """What stands in `.grad` after n backward passes if nothing clears it, each pass from the `.grad` before."""
    return sum(comb(n - 1, more) * of(more + 1) for more in range(n)) if n else of(0)


def one_of_another(f: Function, x: np.ndarray, n: int) -> np.ndarray:
    """f' at the result of f' before it, n times."""
    for _ in range(n):
        x = np.imag(f(x + 1e-30j)) / 1e-30
    return x if n else derivative(f, x, 0)


OTHER_DERIVATIVES = {
    "one_of_another(f, x, n)": (
        "each step takes the slope of f again, at the numbers of the step before: differentiate that step's result, at x"
    ),
    "of(n + 1)": "this is the derivative of order n + 1: one step too many",
    "of(max(n - 1, 0))": "this is the derivative of order n - 1: one step is missing",
    "of(max(n, 1))": "order 0 is wrong: it is the value of f",
    "of(n) * (n < 2)": "from order 2 on everything is 0 in yours, as if the first derivative had no history",
    "of(n) * (not any(is_zero(of(k)) for k in range(n)))": (
        "it is wrong if the value or a lower derivative happens to be 0 at x: the next one can be other than 0"
    ),
    "next((of(k) for k in range(n, 0, -1) if not is_zero(of(k))), of(0))": (
        "if a derivative is constant, the next one is 0, but yours is still the constant"
    ),
    "added_up(of, n)": "the derivatives add up, as in a `.grad` that is not cleared before the next pass",
    "of(n) / x.size**n": "each step divides by the number of entries, as the gradient of a mean does",
    "of(n) / factorial(n)": "the derivative is divided by n!",
    "of(n).sum()": "this is the sum over all entries, but each entry of x has its own derivative",
}
WRONG_ORDERS = (
    Mistake(
        "it is wrong only for an f that gives back x itself: x is a leaf and has no `grad_fn`, but its slope is 1",
        where=lambda f, x, n: n > 0 and f(x) is x,
    ),
    Mistake("it is wrong only where the derivative is 0 everywhere", where=lambda *call: is_zero(derivative(*call))),
    Mistake("orders 0 and 1 are right, and something is wrong for order 2 and more", where=lambda f, x, n: n >= 2),
)


# hessian_vector_product

SURFACES = (
    ("({a} * x ** {n}).sum()", (2,)),
    ("torch.exp({a} * x[0]) * x[1] + {a} * x[2] ** 2 * x[0]", (3,)),
    ("{a} * (x @ x @ x).sum() + {f}({a} * x).sum()", (2, 2)),
    ("{a} * (x * x).sum() ** 2 / 4", (40,)),
    ("{f}({a} * x)", ()),
    ("torch.exp({a} * x * x).sum()", (1,)),
)


def surface_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [
        (Watched("x", drawn(text, rng)), rng.uniform(0.3, 1.2, size=shape), rng.normal(size=shape))
        for text, shape in SURFACES
    ]


def hessian_vector_product(f: Function, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    return times_hessian(f, x, v)  #: the product


OTHER_PRODUCTS = {
    "gradient(f, x) * v": "this is the gradient times v, entry by entry: nothing was differentiated a second time",
    "times_hessian(f, x, np.ones_like(x)) * v": (
        "the sums of the Hessian's rows are multiplied by v: multiply by v before you add up"
    ),
    "times_hessian(f, x, v) + gradient(f, x)": "the gradient is added, as in a `.grad` that the first pass has left",
    "(times_hessian(f, x, v) * v).sum()": "this is v times the Hessian times v: multiply by v from one side only",
    "times_hessian(f, x, v / np.linalg.norm(v))": "this is the Hessian times v divided by its length",
    "times_hessian(f, x, 2 * v * gradient(f, x))": (
        "v is also multiplied by twice the gradient, as if the gradient's square were differentiated"
    ),
    "times_hessian(f, x + v, v)": "this is the product with the Hessian at x + v, not at x",
    "np.zeros_like(x)": "the result is 0: is the gradient cut off, by `detach` or because `create_graph` is missing?",
} | {
    f"(gradient(f, x + {step} * v) - gradient(f, x)) / {step}": (
        f"this is a difference of gradients, at x + {step} * v and at x: take the derivative of the gradient itself"
    )
    for step in (1, 0.1, 0.01)
}


SLOPES: dict[str, tuple[Function, Function, Function]] = {
    "sin": (np.sin, np.cos, lambda x: -np.sin(x)),
    "cos": (np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x)),
    "exp": (np.exp, np.exp, np.exp),
}
"""A function, its first and its second derivative."""


def wide_times_hessian(parts: Sequence[Part], x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The Hessian-vector product of a `Wide`, derived by hand from the formula.

    >>> wide, x, v = Wide([(0.7, "sin", 1.2), (1.1, "exp", 0.6), (0.9, "cos", 1.4)]), np.array([0.5, 1.0]), np.array([2.0, -1.0])
    >>> measured = times_hessian(specified(Program("x", wide.text.removeprefix("lambda x: "))), x, v)
    >>> bool(np.allclose(wide_times_hessian(wide.parts, x, v), measured))
    True
    """
    (_, _, p2), (q, q1, q2), (r, r1, r2) = (
        [a * b**order * slope(b * x) for order, slope in enumerate(SLOPES[name])] for a, name, b in parts
    )
    of_product = q2 * v * r.sum() + q1 * r1.dot(v) + r1 * q1.dot(v)
    return np.asarray(p2 * v + of_product / x.size + q.mean() * r2 * v)


@specified.register
def _(argument: Wide) -> Wide:
    """Itself: `times_hessian` knows what is right for it."""
    return argument


def wide_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """So many entries that one backward pass per entry takes longer than the time limit."""
    n = int(rng.integers(30_000, 35_000))
    parts = [(*rng.uniform(0.5, 1.5, 2).round(2).tolist(), str(name)) for name in rng.choice(list(SLOPES), 3)]
    wide = Wide([(a, name, b) for a, b, name in parts])
    return [(wide, rng.uniform(0.3, 1.2, size=n), rng.normal(size=n))]


def few_passes(called: Any) -> str | None:
    x, passes = called.arguments[1], called.counted("passes")
    if x.size < 20 or passes < x.size:
        return None
    return (
        f"for x with {x.size} entries there are {passes} backward passes through f: enough to compute "
        "all rows of the Hessian"
    )


# newton_step

BOWLS = (
    ("{a} * (x[0] - 1) ** 2 + 20 * (x[1] + 2) ** 2 + {a} * (x[0] - 1) * (x[1] + 2)", (2,)),
    ("torch.exp(x[0] + 3 * x[1]) + {a} * torch.exp(x[0] - 3 * x[1]) + {a} * torch.exp(-x[0])", (2,)),
    ("3 * torch.exp(x).sum() + {a} * x.sum() ** 2 + {a} * x[0, 0] * x[1, 2]", (2, 3)),
    ("{a} * torch.exp(x) - 2 * x", ()),
    ("torch.exp({a} * x).sum() - 3 * x[0]", (1,)),
)


def bowl_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(Program("x", drawn(text, rng)), rng.uniform(-0.5, 0.5, size=shape)) for text, shape in BOWLS]


def newton_step(f: Function, x: np.ndarray) -> np.ndarray:
    slopes, matrix = gradient(f, x).reshape(-1), hessian(f, x)

    def solved(matrix: np.ndarray) -> np.ndarray:
        return np.linalg.solve(matrix, slopes).reshape(x.shape)

    step = solved(matrix)  #: the step
    point = x - step  #: the point
    return np.asarray(point)


OTHER_MATRICES = {
    "solved(np.eye(x.size))": "the Hessian is not used, as if it were the identity",
    "solved(np.diag(np.diag(matrix)))": "only the diagonal of the Hessian is used, but the rest counts too",
    "solved(np.diag(matrix.sum(axis=1)))": "the gradient is divided by the sums of the Hessian's rows: use all entries",
    "solved(np.cumsum(matrix, axis=0))": "each row also holds the rows before it, as in a `.grad` that is not cleared",
    "solved(np.outer(slopes, slopes) + np.eye(x.size))": "products of the gradient's entries stand for the Hessian",
    "solved(np.linalg.inv(matrix))": "the gradient is multiplied by the Hessian: solve Hessian times step = gradient",
}
OTHER_POINTS = {
    "step": "this is the step alone: the result must be the point that it leads to from x",
    "(x - step).reshape(-1)": "the point is right, but the result is a vector: it must have the shape of x",
}


def after(steps: int) -> Function:
    """The point after several steps."""

    def point(f: Function, x: np.ndarray) -> np.ndarray:
        for _ in range(steps):
            x = newton_step(f, x)
        return x

    return point


MORE_STEPS = [
    Mistake(f"this is the point after {said} steps, but one step is asked for", after(steps))
    for steps, said in ((2, "2"), (3, "3"), (5, "5"), (10, "many"))
]


# gradient_penalty

MODELS = (
    ("{a} * (x @ w)", (3, 2), (2,)),
    ("{f}({a} * (x @ w))", (2, 3), (3,)),
    ("torch.sin({a} * (x @ w)).sum(1) + {a} * (x * x).sum(1) * w[0, 1]", (3, 2), (2, 3)),
    ("torch.exp({a} * x[:, 0] * w)", (4, 2), ()),
    ("torch.sin({a} * (x @ w)) + {a} * x[:, 0] * w[0]", (3, 1), (1,)),
    ("torch.tanh({a} * (x @ w))", (1, 2), (2,)),
)


def model_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Weights of both signs."""
    return [
        (
            Program("x, w", drawn(text, rng)),
            rng.normal(size=of_x),
            np.asarray(np.resize([1.0, -1.0], of_w) * rng.uniform(0.2, 1, size=of_w)),
        )
        for text, of_x, of_w in MODELS
    ]


def slopes_of(value: Callable[[np.ndarray], Any], w: np.ndarray) -> np.ndarray:
    """The gradient of `value` at w, by central differences of the exact values."""
    eps, slopes = 1e-5, np.empty(w.size)
    for entry, row in enumerate(np.eye(w.size)):
        step = eps * row.reshape(w.shape)
        slopes[entry] = (value(w + step) - value(w - step)) / (2 * eps)
    return slopes.reshape(w.shape)


def gradient_penalty(f: Function, x: np.ndarray, w: np.ndarray) -> list[Any]:
    def slopes_in_w(w: np.ndarray) -> np.ndarray:
        return gradient(lambda moved: f(x, moved).sum(), w)

    def penalty(w: np.ndarray) -> float:
        slopes = gradient(lambda moved: f(moved, w).sum(), x)
        lengths = (slopes**2).sum(axis=1)  #: the sum of squares in each row
        return float(lengths.mean())  #: the penalty

    of_w = slopes_of(penalty, w)  #: the gradient for w
    return [penalty(w), of_w]


OTHER_PENALTIES = {
    "(slopes**2).mean()": "the mean is taken over all entries of the slopes: add up the squares in each row first",
    "lengths.mean() / len(x) ** 2": "the slopes are those of the mean of all results: use each row's own result",
    "lengths.mean() / len(x)": "it is divided once more by the number of rows",
    "np.sqrt(lengths).mean()": "the lengths of the slopes are used, but the penalty has their squares",
    "((np.sqrt(lengths) - 1) ** 2).mean()": "this pulls the lengths to 1, but the penalty is the mean of their squares",
    "(slopes.sum(axis=1) ** 2).mean()": "the slopes are added up before they are squared",
    "(slopes.mean(axis=0) ** 2).sum()": "the slopes are averaged over the rows before they are squared",
    "(slopes_in_w(w) ** 2).sum() / len(x)": "the slopes with respect to w are penalised: use those with respect to x",
}
OTHER_GRADIENTS = {
    "slopes_in_w(w)": "the second result is the gradient of f, not that of the penalty",
    "slopes_of(penalty, w) + slopes_in_w(w)": (
        "the gradient of f is added to that of the penalty, as in a `.grad` that the first pass has left"
    ),
    "np.zeros_like(w)": "the second result is all zeros, as if the penalty did not depend on w",
    "slopes_of(lambda moved: np.sqrt(penalty(moved)), w)": "the second result is the gradient of the penalty's root",
}
SWAPPED = Mistake("the two results are swapped: the penalty comes first", lambda *call: gradient_penalty(*call)[::-1])


def slips(label: str, messages: dict[str, str]) -> tuple[Slip, ...]:
    """A slip at the line with this label for each expression."""
    return tuple(Slip(label, code, message) for code, message in messages.items())


SPECS = {
    "nth_derivative": CallSpec(
        nth_derivative,
        curve_inputs,
        also=(NO_TRACE,),
        mistakes=(*slips("the derivative", OTHER_DERIVATIVES), *WRONG_ORDERS),
        holds={
            "Write a function `nth_derivative(f,": "value",
            "The result is a tensor with": "value",
            "`f` works entry by entry: each": "explains",
            "So": "explains",
            "Order 0 is the value `f(x)`": "value",
            "At some order a derivative can": "runs, value",
            "`f` can also be constant from": "runs, value",
            "Then the result is a tensor": "runs, value",
            "Another simple `f` is `lambda": "value",
            "For example:": "explains",
            "The checks try several functions": "value",
            "One function is 0 at `x`, but": "value",
            "They compare the derivative": "value",
            "They check that `x` is unchanged,": "unchanged, leaves_a_trace",
        },
    ),
    "hessian_vector_product": CallSpec(
        hessian_vector_product,
        surface_inputs,
        also=(Also("hessian_formed", "the Hessian is not computed row by row", few_passes, counted=True), NO_TRACE),
        larger=wide_inputs,
        mistakes=slips("the product", OTHER_PRODUCTS),
        holds={
            "Write a function `hessian_vector_product(f,": "value",
            "Do not build the Hessian, and": "hessian_formed",
            "`f` takes a tensor and returns": "explains",
            "`v` has the shape of `x`, and": "value",
            "Entry $i$ of the result is the": "value",
            "The lesson's `hessian_times`": "explains",
            "Yours must take tensors of any": "runs, value",
            "For example:": "explains",
            "The checks try several functions,": "runs, value",
            "They compare the product with": "value",
            "They count the backward passes": "hessian_formed",
            "They check that `x` and `v`": "unchanged, leaves_a_trace",
        },
    ),
    "newton_step": CallSpec(
        newton_step,
        bowl_inputs,
        also=(NO_TRACE,),
        mistakes=(*slips("the step", OTHER_MATRICES), *slips("the point", OTHER_POINTS), *MORE_STEPS),
        holds={
            "Write a function `newton_step(f,": "value",
            "The result is a tensor with": "value",
            "`f` takes a tensor of **any": "runs, value",
            "Write the $n$ entries of `x`": "explains",
            "The step goes to": "value",
            "Here $g$ is the gradient of": "explains",
            "$H$ is the Hessian, a matrix": "value",
            "`torch.linalg.solve(H, g)` computes": "explains",
            "For example:": "explains",
            "The checks try several functions,": "runs, value",
            "They compare the point with": "value",
            "They check that `x` is unchanged,": "unchanged, leaves_a_trace",
        },
    ),
    "gradient_penalty": CallSpec(
        gradient_penalty,
        model_inputs,
        also=(NO_TRACE,),
        mistakes=(*slips("the penalty", OTHER_PENALTIES), *slips("the gradient", OTHER_GRADIENTS), SWAPPED),
        holds={
            "Write a function `gradient_penalty(f,": "value",
            "The model `f(x, w)` takes a": "explains",
            "It returns a vector with one": "explains",
            "$f_i$ depends on row $i$ only,": "explains",
            "The penalty is the mean over": "value",
            "The penalty is a number or a": "value",
            "The gradient of the penalty": "value",
            "For example:": "explains",
            "In this example the slopes in": "explains",
            "So the penalty is $3^2 + 4^2": "explains",
            "The checks try several models,": "runs, value",
            "In one call `x` has one row": "runs, value",
            "They compare the penalty and": "value",
            "They check that `x` and `w`": "unchanged, leaves_a_trace",
        },
    ),
}
