"""The specification of notebook 07, gradients of gradients.

nth_derivative, hessian_vector_product, newton_step, gradient_penalty.
"""

from collections.abc import Callable, Sequence
from math import comb, factorial
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec, Mistake, drawn, family, specified
from ..exercises.declaration import Program, Watched
from ..exercises.e07_higher_order import Part, Wide
from .e02_grad_and_backward import NO_TRACE

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
    slopes = np.empty(x.size)
    for entry in range(x.size):
        step = np.zeros(x.size, dtype=complex)
        step[entry] = 1e-30j
        slopes[entry] = np.imag(f(x + step.reshape(x.shape))) / 1e-30
    return slopes.reshape(x.shape)


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


def last_not_zero(f: Function, x: np.ndarray, n: int) -> np.ndarray:
    """The derivative of the highest order up to n that is not zero: the result of a loop that stops too early."""
    for order in range(n, 0, -1):
        found = derivative(f, x, order)
        if np.abs(found).max() > 1e-9:
            return found
    return derivative(f, x, 0)


def constant(f: Function, x: np.ndarray, n: int) -> bool:
    return not np.abs(derivative(f, x, n)).max() > 1e-9


def added_up(f: Function, x: np.ndarray, n: int) -> np.ndarray:
    """What stands in `.grad` after n backward passes if nothing clears it, each pass from the `.grad` before."""
    if n == 0:
        return derivative(f, x, 0)
    return np.asarray(sum(comb(n - 1, more) * derivative(f, x, more + 1) for more in range(n)))


OTHER_ORDERS: dict[str, Callable[[int], int]] = {
    "this is the derivative of order n + 1: one step too many": lambda n: n + 1,
    "this is the derivative of order n - 1: one step is missing": lambda n: max(n - 1, 0),
    "this is the first derivative if n is larger than 1": lambda n: min(n, 1),
    "this is the second derivative if n is larger than 2": lambda n: min(n, 2),
    "this is the first derivative, whatever n is": lambda n: 1,
    "this is the second derivative, whatever n is": lambda n: 2,
    "this is the value of f, whatever n is": lambda n: 0,
    "this is the derivative of order 2n": lambda n: 2 * n,
}


OTHER_DERIVATIVES: dict[str, Function] = {
    "this is the first derivative to the power of n, not the n-th derivative": lambda f, x, n: derivative(f, x, 1) ** n,
    "this is n times the first derivative, not the n-th derivative": lambda f, x, n: n * derivative(f, x, 1),
    "this is the sum over all entries, but each entry of x has its own derivative": lambda f, x, n: derivative(
        f, x, n
    ).sum(),
    "in yours, each step divides by the number of entries, as the gradient of a mean does": lambda f, x, n: (
        derivative(f, x, n) / x.size**n
    ),
    "in yours, the derivative is divided by n!": lambda f, x, n: derivative(f, x, n) / factorial(n),
    "in yours, every other derivative has the wrong sign": lambda f, x, n: (-1) ** n * derivative(f, x, n),
    "this is the sum of the derivatives of all orders up to n": lambda f, x, n: sum(
        derivative(f, x, order) for order in range(n + 1)
    ),
    "this is the sum of the derivatives of the orders 1 to n": lambda f, x, n: sum(
        derivative(f, x, order) for order in range(1, n + 1)
    ),
    "the derivatives add up, as in a `.grad` that is not cleared before the next pass": added_up,
}


def stopped_at_zero(f: Function, x: np.ndarray, n: int) -> bool:
    return any(constant(f, x, order) for order in range(n)) and not constant(f, x, n)


ONLY: dict[str, Callable[..., bool]] = {
    "it is wrong if the value or a lower derivative happens to be 0 at x: the next one can be other than 0": stopped_at_zero,
    "order 0 is wrong: it is the value of f": lambda f, x, n: n == 0,
    "it is wrong if f gives back its argument itself: this is a leaf, but it still depends on x": lambda f, x, n: (
        n > 0 and np.array_equal(f(x), x)
    ),
}


PARTLY: dict[str, Callable[..., bool]] = {
    "it is wrong only where the derivative is 0 everywhere": constant,
    "it is wrong only where x is a single number": lambda f, x, n: x.ndim == 0,
    "it is wrong only where x is not a vector": lambda f, x, n: x.ndim != 1,
    "orders 0 and 1 are right, and something is wrong for order 2 and more": lambda f, x, n: n >= 2,
}


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


VECTORS: dict[str, Callable[..., Any]] = {
    "all ones: v is not used": lambda f, x, v: np.ones_like(x),
    "x: v is not used": lambda f, x, v: x,
    "the gradient: v is not used": lambda f, x, v: gradient(f, x),
    "twice the gradient, as in the gradient of its squared length: v is not used": lambda f, x, v: 2 * gradient(f, x),
    "v squared, entry by entry": lambda f, x, v: v * v,
    "v times the gradient, entry by entry": lambda f, x, v: v * gradient(f, x),
    "v times x, entry by entry": lambda f, x, v: v * x,
    "v divided by its length": lambda f, x, v: v / np.linalg.norm(v),
    "v divided by the number of entries, as the gradient of a mean": lambda f, x, v: v / x.size,
    "the absolute values of v": lambda f, x, v: np.abs(v),
    "twice v times the gradient, entry by entry, as where the gradient is squared before it is differentiated": lambda f, x, v: (
        2 * v * gradient(f, x)
    ),
    "x + v, not v": lambda f, x, v: x + v,
}


OTHER_PRODUCTS: dict[str, Callable[..., Any]] = {
    "this is the gradient times v, entry by entry: nothing was differentiated a second time": lambda f, x, v: (
        gradient(f, x) * v
    ),
    "this is the gradient: nothing was differentiated a second time, and v is not used": lambda f, x, v: gradient(f, x),
    "this is a single number, how fast f grows along v: how the gradient changes along v is a tensor": lambda f, x, v: (
        gradient(f, x) * v
    ).sum(),
    "v multiplies the sums of the Hessian's rows: v must multiply the entries before they are added up": lambda f, x, v: (
        times_hessian(f, x, np.ones_like(x)) * v
    ),
    "only the diagonal of the Hessian is used, but each entry of the gradient can depend on all entries of x": (
        lambda f, x, v: np.diag(hessian(f, x)).reshape(x.shape) * v
    ),
    "this is v times the Hessian times v, a single number: multiply by v from one side only": lambda f, x, v: (
        times_hessian(f, x, v) * v
    ).sum(),
    "the gradient is added to the product, as in a `.grad` that the first pass has left": lambda f, x, v: (
        times_hessian(f, x, v) + gradient(f, x)
    ),
    "in yours, the product is added to v": lambda f, x, v: times_hessian(f, x, v) + v,
    "this is the gradient at x + v: the gradient at x must be subtracted": lambda f, x, v: gradient(f, x + v),
    "this is the product with the Hessian at x + v, not at x": lambda f, x, v: times_hessian(f, x + v, v),
    "this is how much the gradient changes over the whole way from x to x + v, not at x": lambda f, x, v: (
        gradient(f, x + v) - gradient(f, x)
    ),
}


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


def newton(f: Function, x: np.ndarray, share: float = 1.0) -> np.ndarray:
    return np.asarray(x - share * np.linalg.solve(hessian(f, x), gradient(f, x).reshape(-1)).reshape(x.shape))


def in_rows(x: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Only those entries of the Hessian that belong to two entries in one row of x."""
    row = np.indices(x.shape)[0].reshape(-1) if x.ndim else np.zeros(1)
    return np.where(row[:, None] == row, matrix, 0.0)


MATRICES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "the Hessian is not used, as if it were the identity": lambda x, h: np.eye(x.size),
    "only the diagonal of the Hessian is used, but the rest counts too": lambda x, h: np.diag(np.diag(h)),
    "in yours, the gradient is divided by the sums of the Hessian's rows: these come from "
    "differentiating the sum of the gradient": lambda x, h: np.diag(h.sum(axis=1)),
    "the gradient is multiplied by the Hessian, but the Hessian times the step must give the gradient": lambda x, h: (
        np.linalg.inv(h)
    ),
    "in yours, only one triangle of the Hessian is used": lambda x, h: np.tril(h),
    "in yours, only the other triangle of the Hessian is used": lambda x, h: np.triu(h),
    "in yours, the entries beside the diagonal of the Hessian count twice": lambda x, h: 2 * h - np.diag(np.diag(h)),
    "in yours, the gradient is divided by the sum of all entries of the Hessian": lambda x, h: h.sum() * np.eye(x.size),
    "each row of x has a Hessian of its own, but the Hessian is that of all entries of x": in_rows,
    "in yours, the identity is added to the Hessian": lambda x, h: h + np.eye(x.size),
    "each row of the Hessian also holds the rows before it, as in a `.grad` that is not cleared": lambda x, h: (
        np.cumsum(h, axis=0)
    ),
}


def another_matrix(f: Function, x: np.ndarray, of: Callable[..., np.ndarray], size: float) -> np.ndarray:
    return x - size * np.linalg.solve(of(x, hessian(f, x)), gradient(f, x).reshape(-1)).reshape(x.shape)


def outer_products(f: Function, x: np.ndarray, added: float) -> np.ndarray:
    """The step with the gradient times its transpose, plus a multiple of the identity, as the Hessian."""
    g = gradient(f, x).reshape(-1)
    return x - np.linalg.solve(np.outer(g, g) + added * np.eye(x.size), g).reshape(x.shape)


def several(f: Function, x: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        x = newton(f, x)
    return x


OTHER_JUMPS: dict[str, Callable[..., Any]] = {
    "the jump goes the wrong way: the step is added to x, not subtracted": lambda f, x: newton(f, x, -1.0),
    "this is the step alone: the result must be the point that it leads to from x": lambda f, x: x - newton(f, x),
    "this is minus the step alone: the result must be the point that it leads to from x": lambda f, x: newton(f, x) - x,
    "in yours, only half the step is taken": lambda f, x: newton(f, x, 0.5),
    "in yours, only a tenth of the step is taken": lambda f, x: newton(f, x, 0.1),
    "in yours, twice the step is taken": lambda f, x: newton(f, x, 2.0),
    "this is the point after two steps": lambda f, x: several(f, x, 2),
    "this is the point after three steps": lambda f, x: several(f, x, 3),
    "this is the bottom, where many steps lead to: take a single step": lambda f, x: several(f, x, 30),
    "this is the step that looks for a zero of f, with f and its gradient: at the bottom the gradient is "
    "zero, so the gradient and the Hessian are needed": lambda f, x: x - f(x) / gradient(f, x),
    "this is the step that looks for a zero of f, along the gradient: at the bottom the gradient is "
    "zero, so the gradient and the Hessian are needed": lambda f, x: (
        x - f(x) * gradient(f, x) / (gradient(f, x) ** 2).sum()
    ),
    "in yours, the value of f is divided by the second derivatives, not the gradient": lambda f, x: (
        x - f(x) / np.diag(hessian(f, x)).reshape(x.shape)
    ),
    "in yours, the products of the gradient's entries, with the identity added, stand for the Hessian": lambda f, x: (
        outer_products(f, x, 1.0)
    ),
    "in yours, the products of the gradient's entries stand for the Hessian": lambda f, x: outer_products(f, x, 1e-6),
    "in yours, the Hessian divides x, not the gradient": lambda f, x: (
        x - np.linalg.solve(hessian(f, x), x.reshape(-1)).reshape(x.shape)
    ),
    "the point is right, but the result is a vector: it must have the shape of x": lambda f, x: newton(f, x).reshape(
        -1
    ),
}


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


def penalty_by(combine: Callable[[np.ndarray], float]) -> Function:
    """Another number made of all slopes, and its gradient."""

    def value(f: Function, x: np.ndarray, at: np.ndarray) -> float:
        return float(combine(gradient(lambda to: f(to, at).sum(), x)))

    return lambda f, x, w: with_gradient(lambda at: value(f, x, at), w)


def of_results(f: Function, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The gradient of the sum of all results with respect to w."""
    return gradient(lambda at: f(x, at).sum(), w)


def of_penalty(f: Function, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.asarray(penalised(f, x, w)[1])


OTHER_PENALTIES: dict[str, Callable[[np.ndarray], Any]] = {
    "in yours, the squares are summed over all rows, but the penalty is the mean over the rows": lambda s: (s**2).sum(),
    "this is the mean over all entries of the slopes: add up the squares in each row, and take the "
    "mean over the rows only": lambda s: (s**2).mean(),
    "these are the slopes of the mean of all results, so each slope is divided by the number of rows: use the "
    "slopes of each row's own result": lambda s: ((s / len(s)) ** 2).sum(axis=1).mean(),
    "in yours, the slopes of the mean of all results are used, and their squares are summed over all rows": lambda s: (
        (s / len(s)) ** 2
    ).sum(),
    "in yours, the squares are summed over the rows, and the mean is taken over the columns: it must be the other way "
    "round": lambda s: (s**2).sum(axis=0).mean(),
    "in yours, the lengths of the slopes are used, but the penalty has their squares": lambda s: np.sqrt(
        (s**2).sum(axis=1)
    ).mean(),
    "this is the length of all slopes together, not the mean of squared lengths": lambda s: np.sqrt((s**2).sum()),
    "this is the root of the penalty": lambda s: np.sqrt((s**2).sum(axis=1).mean()),
    "this pulls the lengths to 1, but the penalty is the mean of the squared lengths": lambda s: (
        (np.sqrt((s**2).sum(axis=1)) - 1) ** 2
    ).mean(),
    "in yours, the slopes are added up before they are squared": lambda s: (s.sum(axis=1) ** 2).mean(),
    "in yours, the slopes are averaged over the rows before they are squared": lambda s: (s.mean(axis=0) ** 2).sum(),
    "in yours, the slopes are added up, not squared": lambda s: s.sum(axis=1).mean(),
    "in yours, the absolute values of the slopes are added up, not their squares": lambda s: (
        np.abs(s).sum(axis=1).mean()
    ),
    "in yours, only the slopes in the first column are used": lambda s: (s[:, 0] ** 2).mean(),
    "in yours, only the slopes in the last column are used": lambda s: (s[:, -1] ** 2).mean(),
    "in yours, the first row is left out": lambda s: (s[1:] ** 2).sum(axis=1).mean(),
    "in yours, the last row is left out": lambda s: (s[:-1] ** 2).sum(axis=1).mean(),
    "in yours, only the first row is used": lambda s: (s[0] ** 2).sum(),
    "in yours, only the largest squared length is used, not the mean": lambda s: (s**2).sum(axis=1).max(),
    "in yours, everything is halved": lambda s: (s**2).sum(axis=1).mean() / 2,
}


OTHER_GRADIENTS: dict[str, Function] = {
    "is the gradient of f, not the gradient of the penalty": of_results,
    "is the gradient of the mean of f, not the gradient of the penalty": lambda f, x, w: of_results(f, x, w) / len(x),
    "is the sum of two gradients, that of f and that of the penalty, as in a `.grad` that the first pass has left": lambda f, x, w: (
        of_results(f, x, w) + of_penalty(f, x, w)
    ),
    "is the sum of two gradients, that of the mean of f and that of the penalty": lambda f, x, w: (
        of_results(f, x, w) / len(x) + of_penalty(f, x, w)
    ),
    "is all zeros, as if the penalty did not depend on w": lambda f, x, w: np.zeros_like(w),
    "is half the gradient of the penalty, as if one of two equal factors were a constant": lambda f, x, w: (
        of_penalty(f, x, w) / 2
    ),
    "is the gradient of the penalty with respect to x: it must be with respect to w": lambda f, x, w: with_gradient(
        lambda at: penalty(f, at, w), x
    )[1],
    "is the gradient of f with respect to x": lambda f, x, w: gradient(lambda at: f(at, w).sum(), x),
    "is the gradient of the penalty summed over all rows": lambda f, x, w: len(x) * of_penalty(f, x, w),
    "is the gradient of the root of the penalty": lambda f, x, w: of_penalty(f, x, w) / (2 * np.sqrt(penalty(f, x, w))),
    "is the gradient of the square of the penalty": lambda f, x, w: of_penalty(f, x, w) * 2 * penalty(f, x, w),
    "is minus the gradient of the penalty": lambda f, x, w: -of_penalty(f, x, w),
}


SPECS = {
    "nth_derivative": CallSpec(
        derivative,
        curve_inputs,
        also=(NO_TRACE,),
        mistakes=(
            *family("only", "{where}", lambda where: {"where": where}, where=ONLY),
            *family(
                "other_order",
                "{order}",
                lambda order: {"forward": lambda f, x, n: derivative(f, x, order(n))},
                order=OTHER_ORDERS,
            ),
            Mistake(
                "create_graph",
                "from order 2 on everything is 0 in yours, as if the first derivative had no history",
                forward=lambda f, x, n: derivative(f, x, n) if n < 2 else np.zeros_like(x),
            ),
            Mistake(
                "stopped",
                "if a derivative is constant, the next one is 0, but yours is still the constant",
                forward=last_not_zero,
            ),
            *family("other_derivative", "{what}", lambda what: {"forward": what}, what=OTHER_DERIVATIVES),
            *family("partly", "{where}", lambda where: {"where": where}, where=PARTLY),
        ),
        holds={
            "Write a function `nth_derivative(f,": "value, other_order, other_derivative, create_graph",
            "The result is a tensor with": "value",
            "`f` works entry by entry: each": "explains",
            "So": "explains",
            "Order 0 is the value `f(x)`": "value, only",
            "At some order a derivative can": "runs, value, stopped, partly",
            "`f` can also be constant from": "runs, value, partly",
            "Then the result is a tensor": "runs, value, partly",
            "Another simple `f` is `lambda": "value, only",
            "For example:": "explains",
            "The checks try several functions": "value, partly",
            "One function is 0 at `x`, but": "value, only",
            "They compare the derivative": "value",
            "They check that `x` is unchanged,": "unchanged, leaves_a_trace",
        },
    ),
    "hessian_vector_product": CallSpec(
        times_hessian,
        surface_inputs,
        also=(Also("hessian_formed", "the Hessian is not computed row by row", few_passes, counted=True), NO_TRACE),
        larger=wide_inputs,
        mistakes=(
            *family("other_product", "{what}", lambda what: {"forward": what}, what=OTHER_PRODUCTS),
            *family(
                "other_vector",
                "this is the Hessian times {what}",
                lambda what: {"forward": lambda f, x, v: times_hessian(f, x, what(f, x, v))},
                what=VECTORS,
            ),
            *family(
                "far",
                "these are differences of gradients over {by} times v: take the derivative of the gradient itself",
                lambda by: {"forward": lambda f, x, v: (gradient(f, x + by * v) - gradient(f, x)) / by},
                by={"0.1": 0.1, "0.01": 1e-2, "0.001": 1e-3, "0.0001": 1e-4},
            ),
            *family(
                "far",
                "these are differences of gradients over {by} times v to both sides: take the derivative of the gradient itself",
                lambda by: {"forward": lambda f, x, v: (gradient(f, x + by * v) - gradient(f, x - by * v)) / (2 * by)},
                by={"1": 1.0, "0.1": 0.1, "0.01": 1e-2},
            ),
        ),
        holds={
            "Write a function `hessian_vector_product(f,": "value, other_product, other_vector",
            "Do not build the Hessian, and": "hessian_formed",
            "`f` takes a tensor and returns": "explains",
            "`v` has the shape of `x`, and": "value",
            "Entry $i$ of the result is the": "value, other_product, other_vector",
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
        newton,
        bowl_inputs,
        also=(NO_TRACE,),
        mistakes=(
            *family("other_jump", "{what}", lambda what: {"forward": what}, what=OTHER_JUMPS),
            *family(
                "other_matrix",
                "{of}{sign}",
                lambda of, sign: {"forward": lambda f, x: another_matrix(f, x, of, sign)},
                of=MATRICES,
                sign={"": 1.0, "; and the step is added to x, not subtracted": -1.0},
            ),
        ),
        holds={
            "Write a function `newton_step(f,": "value, other_jump, other_matrix",
            "The result is a tensor with": "value, other_jump",
            "`f` takes a tensor of **any": "runs, value",
            "Write the $n$ entries of `x`": "explains",
            "The step goes to": "value, other_jump",
            "Here $g$ is the gradient of": "explains",
            "$H$ is the Hessian, a matrix": "value, other_matrix",
            "`torch.linalg.solve(H, g)` computes": "explains",
            "For example:": "explains",
            "The checks try several functions,": "runs, value",
            "They compare the point with": "value",
            "They check that `x` is unchanged,": "unchanged, leaves_a_trace",
        },
    ),
    "gradient_penalty": CallSpec(
        penalised,
        model_inputs,
        also=(NO_TRACE,),
        mistakes=(
            *family(
                "other_penalty", "{combine}", lambda combine: {"forward": penalty_by(combine)}, combine=OTHER_PENALTIES
            ),
            *family(
                "other_gradient",
                "the penalty is right, but the second result {what}",
                lambda what: {"forward": lambda f, x, w: [penalty(f, x, w), what(f, x, w)]},
                what=OTHER_GRADIENTS,
            ),
            *family(
                "penalty_of_weights",
                "the slopes with respect to w are penalised: use the slopes with respect to x",
                lambda by: {
                    "forward": lambda f, x, w: with_gradient(
                        lambda at: float((gradient(lambda to: f(x, to).sum(), at) ** 2).sum() / by(x, w)), w
                    )
                },
                by={
                    "added up": lambda x, w: 1,
                    "divided by the rows of x": lambda x, w: len(x),
                    "divided by the rows of w": lambda x, w: len(w) if w.ndim else 1,
                    "averaged": lambda x, w: w.size,
                },
            ),
            Mistake(
                "swapped",
                "the two results are swapped: the penalty comes first, then its gradient",
                forward=lambda f, x, w: penalised(f, x, w)[::-1],
            ),
        ),
        holds={
            "Write a function `gradient_penalty(f,": "value, swapped, other_gradient",
            "The model `f(x, w)` takes a": "explains",
            "It returns a vector with one": "explains",
            "$f_i$ depends on row $i$ only,": "explains",
            "The penalty is the mean over": "value, other_penalty, penalty_of_weights",
            "The penalty is a number or a": "value",
            "The gradient of the penalty": "value, other_gradient",
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
