"""The specification of notebook 15, functions given by an equation: NewtonSqrt, FixedPoint, CholeskyFactor."""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Mistake, family

Step = Callable[..., np.ndarray]
"""Maps `(x, *arguments)` to the next x."""


Limit = Callable[..., float]
"""Maps `(old x, new x, *arguments)` to the number that a loop compares with its limit."""


def after(step: Step, number: int, x: np.ndarray, *arguments: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):  # of wrong steps, some overflow
        for _ in range(number):
            x = step(x, *arguments)
    return x


def until(step: Step, measure: Limit, limit: float, x: np.ndarray, *arguments: np.ndarray) -> np.ndarray:
    """A loop that ends when `measure` is below `limit`."""
    for _ in range(200):
        old, x = x, step(x, *arguments)
        if measure(old, x, *arguments) < limit:
            break
    return x


MOVES: dict[str, Limit] = {
    "largest move": lambda old, new, *_: float(np.abs(new - old).max()),
    "length of the move": lambda old, new, *_: float(np.linalg.norm(new - old)),
    "mean move": lambda old, new, *_: float(np.abs(new - old).mean()),
    "sum": lambda old, new, *_: abs(float((new - old).sum())),
}


TOO_EARLY = "the loop ends too early for some inputs: the limit that ends it is too large, x has not settled yet"


def powers(*exponents: int) -> dict[str, float]:
    return {str(each): 10.0**-each for each in exponents}


# NewtonSqrt


def newton_step(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    return (x + a / x) / 2


def newton_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    first, second = (rng.uniform(0.3, 4.0, size=shape) for shape in [(3,), (2, 3)])
    wide = 10 ** rng.uniform(-3.5, 3.9, size=(2, 1, 3))
    wide[1, 0, 2] = rng.uniform(9900, 10000)
    # Not below 0.0002: there the measured slope has fewer than five right digits.
    tiny = rng.uniform(2e-4, 1e-3, size=4)
    return [(first,), (second,), (tiny,), (wide,), (rng.uniform(0.3, 4.0, size=()),)]


def root_is(x_of: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
    """The results of an answer that uses `x_of(a)` as the root, in forward and in the slope of backward."""
    return {"forward": x_of, "vjp": lambda g, a: g / (2 * x_of(a))}


def newton_after(number: int) -> dict[str, Any]:
    return root_is(lambda a: after(newton_step, number, np.ones_like(a), a))


def newton_until(measure: Limit, limit: float) -> dict[str, Any]:
    return root_is(lambda a: until(newton_step, measure, limit, np.ones_like(a), a))


def newton_mistakes() -> Iterator[Mistake]:
    ones = np.ones_like
    for number in range(1, 11):
        steps = "1 step" if number == 1 else f"{number} steps"
        yield Mistake(
            "not_settled",
            f"x is taken after {steps} from x = 1: it has not settled yet",
            **newton_after(number),
        )
    residuals: dict[str, Limit] = {
        "residual": lambda _, x, a: float(np.abs(x * x - a).max()),
        "mean residual": lambda _, x, a: float(np.abs(x * x - a).mean()),
        "any residual": lambda _, x, a: float(np.abs(x * x - a).min()),
        "any move": lambda old, new, _: float(np.abs(new - old).min()),
    }
    yield from family("too_early", TOO_EARLY, newton_until, measure=MOVES, limit=powers(1, 2, 3, 4))
    yield from family("too_early", TOO_EARLY, newton_until, measure=residuals, limit=powers(1, 2, 3, 4, 5, 6, 7, 8))
    yield Mistake(
        "still_one", "the numbers are those for x = 1 everywhere, the x before the first step", **root_is(ones)
    )
    yield Mistake("halved", "the result is a / 2, not the root of a", forward=lambda a: a / 2)
    yield from family(
        "slope",
        "the slope used is {sign}{slope}",
        lambda sign, slope: {"vjp": lambda g, a: sign * g * slope(a, np.sqrt(a))},
        slope={
            "1 / (2a): it contains a itself, but it needs the root of a": lambda a, x: 1 / (2 * a),
            "2x: this is how much a moves when x moves, but the slope is how much x moves when a moves": lambda a, x: (
                2 * x
            ),
            "x / 2: it grows with a, but the root rises the more slowly the larger a is": lambda a, x: x / 2,
            "x: it grows with a, but the root rises the more slowly the larger a is": lambda a, x: x,
            "a: it grows with a, but the root rises the more slowly the larger a is": lambda a, x: a,
            "a / 2: it grows with a, but the root rises the more slowly the larger a is": lambda a, x: a / 2,
            "2a: it grows with a, but the root rises the more slowly the larger a is": lambda a, x: 2 * a,
            "1 everywhere, whatever a is": lambda a, x: 1 + 0 * a,
            "1 / (2√x): the root is taken once more, of x": lambda a, x: 1 / (2 * np.sqrt(x)),
            "1 / (4a): all of 1 / (2x) is squared": lambda a, x: 1 / (4 * a),
            "1 / a: it contains a itself, but it needs the root of a": lambda a, x: 1 / a,
            "1 / (2x²x): x is there to the third power": lambda a, x: 1 / (2 * a * x),
            "(1 + 1/x) / 2: it has a part that does not come from moving a": lambda a, x: (1 + 1 / x) / 2,
            "(1 - 1/x) / 2: it has a part that does not come from moving a": lambda a, x: (1 - 1 / x) / 2,
        },
        sign={"": 1.0, "minus ": -1.0},
    )
    yield from family(
        "wrong_step",
        "x is what steps of the form x ← {step} give, which is not a step of Newton's method",
        lambda step, number: root_is(lambda a: after(step, number, ones(a), a)),
        step={
            "x + a / x / 2": lambda x, a: x + a / x / 2,
            "x / 2 + a / x": lambda x, a: x / 2 + a / x,
            "x + a / x": lambda x, a: x + a / x,
            "(x + a) / 2": lambda x, a: (x + a) / 2,
            "(x + a) / x / 2": lambda x, a: (x + a) / x / 2,
            "(x + x / a) / 2": lambda x, a: (x + x / a) / 2,
            "(x - a / x) / 2": lambda x, a: (x - a / x) / 2,
        },
        number={str(each): each for each in (15, 20, 25, 30, 40, 50)},
    )
    yield from family(
        "mixed_entries",
        "each step uses {what} over all entries, but each entry of a has a root of its own",
        lambda what, number: root_is(lambda a: after(what, number, ones(a), a)),
        what={
            "the mean of a / x, or of a,": lambda x, a: (x + np.mean(a / x)) / 2,
            "the sum of a / x, or of a,": lambda x, a: (x + np.sum(a / x)) / 2,
            "the largest entry of a": lambda x, a: (x + np.max(a) / x) / 2,
        },
        number={str(each): each for each in (15, 20, 25, 30, 40, 50)},
    )


# FixedPoint


def tanh_step(x: np.ndarray, W: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.tanh(W @ x + b)


def settle(W: np.ndarray, b: np.ndarray) -> np.ndarray:
    return _settled(W.tobytes(), b.tobytes(), b.dtype.name).copy()


@functools.lru_cache(maxsize=1024)  # asked for by the check and by each mistake
def _settled(W: bytes, b: bytes, dtype: str) -> np.ndarray:
    given = np.frombuffer(b, dtype)
    return after(tanh_step, 100, np.zeros_like(given), np.frombuffer(W, dtype).reshape(-1, len(given)), given)


def fixed_point_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls = []
    # The first call is also made in float32. Its weights are small, so that a loop which waits
    # until x stops changing ends there too.
    for n, factor in ((2, 0.2), (3, 0.6), (5, 0.6), (1, 0.6)):
        W = rng.normal(size=(n, n))
        calls.append((factor * W / np.linalg.norm(W, 2), rng.uniform(-1, 1, n)))
    # Near 0 tanh has the slope 1: nothing but W brings the steps closer, by 0.6 each.
    turn = rng.uniform(0.3, 1.2)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    calls.insert(1, (0.6 * rotation, rng.uniform(0.05, 0.15, 2) * rng.choice([-1.0, 1.0], 2)))
    return calls


def solved(table: np.ndarray, g: np.ndarray) -> np.ndarray:
    return np.linalg.solve(np.eye(len(g)) - table, g)


def through_equation(
    g: np.ndarray,
    W: np.ndarray,
    x: np.ndarray,
    system: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray] | None = None,
    slope: np.ndarray | None = None,
    end: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The gradients for W and b; `system(W, slope, g)` solves, `slope` and `end` are slopes of tanh before and after."""
    right = 1 - x * x
    slope, end = right if slope is None else slope, right if end is None else end
    v = solved((slope[:, None] * W).T, g) if system is None else system(W, slope, g)
    return np.outer(end * v, x), end * v


def settles_at(x_of: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> dict[str, Any]:
    """The results of an answer that uses `x_of(W, b)` as the settled x, in forward and in backward."""
    return {"forward": x_of, "vjp": lambda g, W, b: through_equation(g, W, x_of(W, b))}


def settled_after(number: int, start: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
    return settles_at(lambda W, b: after(tanh_step, number, start(b), W, b))


def series(number: int) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """v = grad_output + Jᵀ v, repeated instead of solved."""

    def repeated(W: np.ndarray, slope: np.ndarray, g: np.ndarray) -> np.ndarray:
        return after(lambda v: g + (slope[:, None] * W).T @ v, number, g)

    return repeated


def fixed_point_mistakes() -> Iterator[Mistake]:
    starts: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "zeros": np.zeros_like,
        "b": lambda b: b,
        "ones": np.ones_like,
    }
    yield Mistake(
        "b_left_out",
        "b is left out of the steps: without it x settles at 0",
        **settles_at(lambda W, b: np.zeros_like(b)),
    )
    yield from family(
        "wrong_step",
        "x {settles}",
        lambda settles: settles_at(settles),
        settles={
            "settles under steps that multiply by the transposed W": lambda W, b: settle(W.T.copy(), b),
            "settles under steps that add b outside tanh": lambda W, b: after(lambda x: np.tanh(W @ x) + b, 100, 0 * b),
            "settles under steps without tanh": lambda W, b: solved(W, b),
            "settles under steps without tanh, which is applied once, at the end": lambda W, b: np.tanh(solved(W, b)),
            "settles under steps that subtract b": lambda W, b: settle(W, -b),
            "settles under steps that apply tanh twice": lambda W, b: after(
                lambda x: np.tanh(np.tanh(W @ x + b)), 100, 0 * b
            ),
            "settles under steps with another function than tanh, the sigmoid": lambda W, b: after(
                lambda x: 1 / (1 + np.exp(-W @ x - b)), 100, 0 * b
            ),
            "is W x + b, before tanh is applied": lambda W, b: W @ settle(W, b) + b,
            "goes through tanh once more without W and b": lambda W, b: np.tanh(settle(W, b)),
        },
    )
    for start, first in starts.items():
        for number in (*range(1, 13), 15, 20, 25, 30, 35):
            steps = "1 step" if number == 1 else f"{number} steps"
            yield Mistake(
                "not_settled",
                f"x is taken after {steps} from {start}: it has not settled yet",
                **settled_after(number, first),
            )
    yield from family(
        "too_early",
        TOO_EARLY,
        lambda start, measure, limit: settles_at(lambda W, b: until(tanh_step, measure, limit, start(b), W, b)),
        start={each: starts[each] for each in ("zeros", "b")},
        measure=MOVES,
        limit=powers(1, 2, 3, 4, 5, 6, 7, 8, 9),
    )
    ends = {"": None, "; after it, the slope of tanh is left out": 1.0}
    yield from family(
        "wrong_system",
        "{system}{end}",
        lambda system, end: {
            "vjp": lambda g, W, b: through_equation(
                g, W, settle(W, b), system, end=None if end is None else np.full_like(b, end)
            )
        },
        system={
            "the gradient is that of the last step alone, but the x that enters this step also depends on W and b": (
                lambda W, slope, g: g
            ),
            (
                "this system of linear equations is the one for a change of x; for a gradient, its matrix must be transposed"
            ): lambda W, slope, g: solved(slope[:, None] * W, g),
            "the system is solved with I + J, but dx = J dx + (direct effect) needs I - J": (
                lambda W, slope, g: solved(-(slope[:, None] * W).T, g)
            ),
            (
                "in the system, the columns of W are multiplied by the slopes of tanh, but tanh comes after W, "
                "so the rows of W (before it is transposed) must be multiplied"
            ): lambda W, slope, g: solved((slope * W).T, g),
            (
                "in the system, the columns of W are multiplied by the slopes of tanh instead of the rows, "
                "and the matrix is not transposed"
            ): lambda W, slope, g: solved(slope * W, g),
            "the system is solved with J alone, but dx = J dx + (direct effect) needs I - J": (
                lambda W, slope, g: np.linalg.solve((slope[:, None] * W).T, g)
            ),
            "the system is solved with 1 - J in every entry, but the identity has ones only on its diagonal": (
                lambda W, slope, g: np.linalg.solve(1 - (slope[:, None] * W).T, g)
            ),
            (
                "grad_output is multiplied by the transposed I - J, but the system of equations with this matrix "
                "must be solved"
            ): lambda W, slope, g: g - (slope[:, None] * W).T @ g,
            (
                "grad_output is multiplied by I - J, but the system of equations with the transposed matrix must be solved"
            ): lambda W, slope, g: g - (slope[:, None] * W) @ g,
        },
        end=ends,
    )
    yield from family(
        "slope_before",
        "the slope of tanh is multiplied {place}",
        lambda place: {
            "vjp": lambda g, W, b: through_equation(
                g,
                W,
                settle(W, b),
                lambda W, slope, g: solved((slope[:, None] * W).T, slope * g),
                end=None if place else np.ones_like(b),
            )
        },
        place={
            "before the system of equations is solved, but it belongs after it": False,
            "both before and after the system of equations is solved, but it belongs after it only": True,
        },
    )
    yield from family(
        "short_series",
        "the system is not solved: v = grad_output + Jᵀ v is repeated too few times{end}",
        lambda number, end: {
            "vjp": lambda g, W, b: through_equation(
                g, W, settle(W, b), series(number), end=None if end is None else np.full_like(b, end)
            )
        },
        number={str(each): each for each in range(1, 22)},
        end=ends,
    )
    yield from family(
        "slope_of_tanh",
        "{place}, the slope of tanh is {slope}",
        lambda slope, place: {
            "vjp": lambda g, W, b: through_equation(
                g,
                W,
                settle(W, b),
                slope=slope(settle(W, b), W, b) if place[0] else None,
                end=slope(settle(W, b), W, b) if place[1] else None,
            )
        },
        slope={
            "left out": lambda x, W, b: np.ones_like(x),
            "taken as 1 - tanh(x)², but x has gone through tanh already": lambda x, W, b: 1 - np.tanh(x) ** 2,
            "taken as 1 - tanh(b)², at b instead of W x + b": lambda x, W, b: 1 - np.tanh(b) ** 2,
            "taken as 1 - tanh(W x)², without b": lambda x, W, b: 1 - np.tanh(W @ x) ** 2,
            "taken as 1 - (W x + b)², without tanh": lambda x, W, b: 1 - (W @ x + b) ** 2,
            "taken as 1 - b²": lambda x, W, b: 1 - b**2,
            "taken as 1 - x, without the square": lambda x, W, b: 1 - x,
            "taken as 1 + x², with the wrong sign": lambda x, W, b: 1 + x * x,
            "taken as x (1 - x), which belongs to the sigmoid": lambda x, W, b: x * (1 - x),
            "taken as x², without the 1": lambda x, W, b: x * x,
            "taken as x itself": lambda x, W, b: x,
        },
        place={
            "both in the system of equations and after it": (True, True),
            "in the system of equations": (True, False),
            "after the system is solved": (False, True),
        },
    )
    parts: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
        "grad_output as it comes, without the system of equations and without tanh": lambda g, W, x: g,
        "the gradient of the last step alone, without the system of equations": lambda g, W, x: (1 - x * x) * g,
        "the solution of the system before it goes through tanh": (
            lambda g, W, x: solved(((1 - x * x)[:, None] * W).T, g)
        ),
    }
    yield from family(
        "part",
        "the gradient for b is {part}; the gradient for W is right",
        lambda part: {"vjp": lambda g, W, b: (None, part(g, W, settle(W, b)))},
        part=parts,
    )
    yield from family(
        "part",
        "the gradient for W is computed from {part}; the gradient for b is right",
        lambda part: {"vjp": lambda g, W, b: (np.outer(part(g, W, settle(W, b)), settle(W, b)), None)},
        part=parts,
    )
    yield from family(
        "wrong_factor",
        "the gradient for W contains {factor}, but W was multiplied by x",
        lambda factor: {
            "vjp": lambda g, W, b: (
                np.outer(through_equation(g, W, settle(W, b))[1], factor(g, W, b, settle(W, b))),
                None,
            )
        },
        factor={
            "b": lambda g, W, b, x: b,
            "W x + b": lambda g, W, b, x: W @ x + b,
            "grad_output once more": lambda g, W, b, x: g,
            "the slope of tanh once more": lambda g, W, b, x: 1 - x * x,
            "a sum over the columns": lambda g, W, b, x: np.ones_like(x),
        },
    )


# CholeskyFactor


def cholesky(A: np.ndarray) -> np.ndarray:
    return np.linalg.cholesky((A + A.T) / 2)


def cholesky_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls: list[Arguments] = []
    for n in (2, 3, 4, 1):
        B = rng.normal(size=(n, n))
        skew = rng.normal(size=(n, n)) * 0.3
        # The diagonal is so large that M is positive definite also where an answer counts the
        # entries beside it twice: such an answer must give numbers, which name it, not raise.
        M = 4 * B @ B.T / np.linalg.norm(B, 2) ** 2 + rng.uniform(4.5, 6) * np.eye(n)
        calls.append((M + skew - skew.T,))
    return calls


def halved(M: np.ndarray) -> np.ndarray:
    return (np.tril(M) + np.tril(M, -1)) / 2


def symmetric(M: np.ndarray) -> np.ndarray:
    return (M + M.T) / 2


def diagonal(M: np.ndarray) -> np.ndarray:
    return np.diag(np.diag(M))


Change = Callable[[np.ndarray], np.ndarray]


def back_to_A(
    G: np.ndarray,
    L: np.ndarray,
    product: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda L, G: L.T @ G,
    phi: Change = halved,
    around: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda P, inverse: inverse.T @ P @ inverse,
    last: Change = symmetric,
) -> np.ndarray:
    """The backward pass through the equation; each of its steps can be replaced by a wrong one."""
    return last(around(phi(product(L, G)), np.linalg.inv(L)))


def by_loops(
    M: np.ndarray,
    begin: int = 0,
    end: int = 0,
    sign: int = -1,
    root: Callable[[float], float] = math.sqrt,
    divided: bool = True,
) -> np.ndarray:
    """The factor, one entry after the other; each of the steps can be replaced by a wrong one."""
    L = np.zeros_like(M)
    for i, j in zip(*np.tril_indices(len(M)), strict=True):
        rest = M[i, j] + sign * sum(L[i, k] * L[j, k] for k in range(begin, j + end))
        L[i, j] = root(rest) if i == j else rest / L[j, j] if divided else rest
    return L


def factor_is(matrix: Change) -> dict[str, Any]:
    """The results of an answer that uses `matrix(A)` for the factor, in forward and in backward."""
    return {"forward": matrix, "vjp": lambda G, A: back_to_A(G, matrix(A))}


def replaced(**steps: Any) -> dict[str, Any]:
    return {"vjp": lambda G, A: back_to_A(G, cholesky(A), **steps)}


PHIS: dict[str, Change] = {
    "keeps the diagonal whole, but it must be halved: L⁻¹ dL and its transpose overlap there": np.tril,
    "is left out": lambda M: M,
    "halves the entries below the diagonal as well, but L⁻¹ dL and its transpose overlap only on the diagonal": (
        lambda M: np.tril(M) / 2
    ),
    "halves the entries below the diagonal and leaves the diagonal whole": lambda M: (np.tril(M) + diagonal(M)) / 2,
    "halves the diagonal and keeps the entries above it as well": lambda M: M - diagonal(M) / 2,
    "drops the diagonal": lambda M: np.tril(M, -1),
    "keeps nothing but the diagonal": lambda M: diagonal(M) / 2,
    "keeps nothing but the diagonal, and keeps it whole": diagonal,
    "keeps what is above the diagonal of Lᵀ G, not what is below it (or the product is transposed)": lambda M: (
        (np.triu(M) + np.triu(M, 1)) / 2
    ),
    "keeps what is above the diagonal of Lᵀ G, not what is below it, and the diagonal whole": np.triu,
}


LASTS: dict[str, Change] = {
    "S itself: the way from M to A is missing": lambda S: S,
    "the mirror image of S alone": lambda S: S.T,
    "half of S: the mirror image is missing": lambda S: S / 2,
    "(S - Sᵀ) / 2: the mirror image must be added": lambda S: (S - S.T) / 2,
    "S + Sᵀ with the diagonal counted once, so the entries beside the diagonal are twice too large": (
        lambda S: S + S.T - diagonal(S)
    ),
    "nothing above the diagonal, but the entries there are used just as much": lambda S: np.tril(symmetric(S)),
    "nothing below the diagonal, but the entries there are used just as much": lambda S: np.triu(symmetric(S)),
    "all of S and Sᵀ in the lower triangle, but the entries above the diagonal are used just as much": (
        lambda S: np.tril(S + S.T) - diagonal(S)
    ),
    "all of S and Sᵀ in the upper triangle, but the entries below the diagonal are used just as much": (
        lambda S: np.triu(S + S.T) - diagonal(S)
    ),
    "the lower triangle of S alone": np.tril,
}


def cholesky_mistakes() -> Iterator[Mistake]:
    yield from family(
        "not_symmetrised",
        "the result is the factor of {matrix}",
        factor_is,
        matrix={
            (
                "the lower triangle of A alone: A is not made symmetric, so the entries above its diagonal have no effect"
            ): lambda A: np.linalg.cholesky(np.tril(A) + np.tril(A, -1).T),
            (
                "the upper triangle of A alone: A is not made symmetric, so the entries below its diagonal have no effect"
            ): lambda A: np.linalg.cholesky(np.triu(A) + np.triu(A, 1).T),
            "A + Aᵀ, which is not halved": lambda A: np.linalg.cholesky(A + A.T),
            "A + Aᵀ with the diagonal counted once: the entries beside the diagonal are twice too large": (
                lambda A: np.linalg.cholesky(A + A.T - diagonal(A))
            ),
            "the lower triangle of A and its mirror image, with the diagonal counted twice": (
                lambda A: np.linalg.cholesky(np.tril(A) + np.tril(A).T)
            ),
            "the upper triangle of A and its mirror image, with the diagonal counted twice": (
                lambda A: np.linalg.cholesky(np.triu(A) + np.triu(A).T)
            ),
            "A + Aᵀ / 2, where only one of the two is halved": lambda A: np.linalg.cholesky(A + A.T / 2),
            "A / 2 + Aᵀ, where only one of the two is halved": lambda A: np.linalg.cholesky(A / 2 + A.T),
            "A Aᵀ, a product instead of a mean": lambda A: np.linalg.cholesky(A @ A.T),
            "Aᵀ A, a product instead of a mean": lambda A: np.linalg.cholesky(A.T @ A),
        },
    )
    upper = "the result is the transposed factor: its zeros must be above the diagonal"
    yield Mistake("upper_factor", upper, **factor_is(lambda A: cholesky(A).T))
    yield Mistake("upper_factor", upper, forward=lambda A: cholesky(A).T, vjp=lambda G, A: back_to_A(G, cholesky(A)))
    yield from family(
        "not_the_factor",
        "the result is {matrix}",
        factor_is,
        matrix={
            "M itself, not its factor": symmetric,
            "the diagonal of the factor alone": lambda A: diagonal(cholesky(A)),
            "the mean of the factor and its transpose, which is not triangular": lambda A: symmetric(cholesky(A)),
            "the inverse of the factor": lambda A: np.linalg.inv(cholesky(A)),
        },
    )
    yield from family(
        "loops",
        "entry by entry, {slip}",
        lambda slip: factor_is(lambda A: by_loops(symmetric(A), **slip)),
        slip={
            "the last of the products is not subtracted: does a loop end too early?": {"end": -1},
            "the first of the products is not subtracted: does a loop begin too late?": {"begin": 1},
            "the products of the entries before are added, but they must be subtracted": {"sign": 1},
            "the entries on the diagonal are not the root of what is left, but what is left itself": {"root": float},
            "the entries beside the diagonal are not divided by the entry on the diagonal": {"divided": False},
        },
    )
    yield Mistake(
        "twice",
        "the gradient is twice what it must be: a half is missing, in Φ or in the step from M to A",
        **replaced(last=lambda S: S + S.T),
    )
    yield from family("phi", "Φ {phi}", lambda phi: replaced(phi=phi), phi=PHIS)
    yield from family(
        "last", "as the gradient for A, the last step gives {last}", lambda last: replaced(last=last), last=LASTS
    )
    yield from family(
        "product",
        "Φ is applied to {product}",
        lambda product: replaced(product=product),
        product={
            "L G: grad_output is multiplied by L, but on the way back it is the transposed L": lambda L, G: L @ G,
            "G L: grad_output is multiplied by L from the wrong side": lambda L, G: G @ L,
            "G Lᵀ: grad_output is multiplied by the transposed L from the wrong side": lambda L, G: G @ L.T,
            "G itself: the product with L is missing": lambda L, G: G,
            "L⁻¹ G: the inverse is not needed before Φ": lambda L, G: np.linalg.inv(L) @ G,
            "L⁻ᵀ G: the inverse is not needed before Φ": lambda L, G: np.linalg.inv(L).T @ G,
        },
    )
    yield from family(
        "around",
        "S is {S}",
        lambda S: replaced(around=S),
        S={
            "L⁻¹ P L⁻ᵀ: the inverse of L and its transpose are swapped around P": lambda P, i: i @ P @ i.T,
            "L⁻ᵀ P: the inverse on the right is missing": lambda P, i: i.T @ P,
            "P L⁻¹: the inverse on the left is missing": lambda P, i: P @ i,
            "L⁻¹ P: the inverse on the right is missing, and the one on the left is not transposed": (
                lambda P, i: i @ P
            ),
            "L⁻¹ P L⁻¹: the inverse on the left is not transposed": lambda P, i: i @ P @ i,
            "L⁻ᵀ P L⁻ᵀ: the inverse on the right is transposed too": lambda P, i: i.T @ P @ i.T,
            "Lᵀ P L: P is multiplied by L where it must be multiplied by its inverse": (
                lambda P, i: np.linalg.inv(i).T @ P @ np.linalg.inv(i)
            ),
            "L⁻ᵀ P L: P is multiplied by L on the right, where it must be multiplied by its inverse": (
                lambda P, i: i.T @ P @ np.linalg.inv(i)
            ),
            "Lᵀ P L⁻¹: P is multiplied by Lᵀ on the left, where it must be multiplied by its inverse": (
                lambda P, i: np.linalg.inv(i).T @ P @ i
            ),
            "L P Lᵀ: P is multiplied by L where it must be multiplied by its inverse": (
                lambda P, i: np.linalg.inv(i) @ P @ np.linalg.inv(i).T
            ),
            "P: both inverses are missing": lambda P, i: P,
            (
                "computed with the diagonal of L alone: solve_triangular was told to use the triangle that holds zeros"
            ): lambda P, i: diagonal(i) @ P @ diagonal(i),
            "computed with the diagonal of L on the left: solve_triangular was told to use the triangle of zeros": (
                lambda P, i: diagonal(i) @ P @ i
            ),
            "computed with the diagonal of L on the right: solve_triangular was told to use the triangle of zeros": (
                lambda P, i: i.T @ P @ diagonal(i)
            ),
        },
    )
    yield from family(
        "two_steps",
        "two steps are wrong: Φ {phi}; and as the gradient for A, the last step gives {last}",
        lambda phi, last: replaced(phi=phi, last=last),
        phi={words: PHIS[words] for words in PHIS if words.startswith(("keeps the diagonal", "is left", "keeps what"))},
        last={words: LASTS[words] for words in LASTS if not words.startswith(("half", "(S"))}
        | {"S + Sᵀ, which is not halved": lambda S: S + S.T},
    )


SPECS = {
    "NewtonSqrt": FunctionSpec(
        np.sqrt,
        newton_inputs,
        mistakes=tuple(newton_mistakes()),
        holds={
            "Write a Function `NewtonSqrt.apply(a)`": "structure, forward, not_settled, too_early",
            "`a` can have any shape.": "forward, returns",
            "Its entries are positive:": "not_settled, too_early",
            "The method needs additions and divisions only.": "explains",
            "Begin with $x = 1$ and repeat this step": "wrong_step, still_one",
            "For all numbers from 0.0001": "not_settled",
            "`backward` needs none of these steps.": "explains",
            "The final $x$ satisfies the equation": "gradient, slope",
            "For example:": "explains",
            "The checks: those listed above, for `a`": "runs, forward, returns, gradient, unchanged, repeat",
            "Two more checks: **`backward` works from": "from_result, double_backward",
            "(The checks cannot see whether": "explains",
            "You can.": "explains",
        },
    ),
    "FixedPoint": FunctionSpec(
        settle,
        fixed_point_inputs,
        mistakes=tuple(fixed_point_mistakes()),
        holds={
            "Write a Function `FixedPoint.apply(W, b)`": "structure, forward",
            "`W` is a square matrix with n rows": "forward, returns",
            "Begin with zeros and repeat": "wrong_step, b_left_out, not_settled, too_early",
            "The weights are so small that each step": "not_settled",
            "`backward` follows from the equation": "gradient, wrong_system, slope_of_tanh, part",
            "It computes the gradient for `W` only if": "needs_input_grad",
            "Otherwise it returns `None` in its place.": "needs_input_grad",
            "For example:": "explains",
            "`torch.linalg.solve(table, right)` solves": "explains",
            "`torch.outer(u, v)` is the table of all": "explains",
            "The checks: those listed above, for n from": "runs, forward, returns, gradient, unchanged, repeat",
            "One more check: **only one of the two": "needs_input_grad",
        },
    ),
    "CholeskyFactor": FunctionSpec(
        cholesky,
        cholesky_inputs,
        mistakes=tuple(cholesky_mistakes()),
        holds={
            "Write a Function `CholeskyFactor.apply(A)`": "structure, forward",
            "`A` itself does **not** have to be": "not_symmetrised",
            "The result is the lower triangular matrix": "forward, upper_factor, not_the_factor",
            "In the checks, $M$ is positive definite.": "explains",
            "The lesson's Function needs a symmetric": "explains",
            "This one is defined after a small change": "explains",
            "`forward` may use `torch.linalg.cholesky(M)`": "forward",
            "`backward` follows the lesson.": "gradient",
            "With $G$ for `grad_output`:": "product, around",
            "$\\Phi$ keeps the lower triangle and halves": "phi",
            "Your part is to write this, with tensors": "last",
            "For example:": "explains",
            "The checks: those listed above, for matrices": "runs, forward, returns, gradient, unchanged, repeat",
            "The gradient is compared for all entries": "last, gradient",
        },
    ),
}
