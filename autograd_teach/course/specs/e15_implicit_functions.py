"""The specification of notebook 15, functions given by an equation: NewtonSqrt, FixedPoint, CholeskyFactor."""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from ..checks.spec import Arguments, FunctionSpec
from ..mutants import Slip


def turns(
    step: Callable[[np.ndarray], np.ndarray],
    x: np.ndarray,
    limit: float,
    off: Callable[[np.ndarray, np.ndarray], np.ndarray] = np.subtract,
) -> int:
    """The number of steps from x until `off(x, before)` is less than a limit; by default, until a step moves x by less."""
    for number in range(1, 100):
        before, x = x, step(x)
        if np.abs(off(x, before)).max() < limit:
            return number
    return 100


def newton_sqrt(a: np.ndarray) -> np.ndarray:
    x = np.ones_like(a)
    for _ in range(20):  #: the number of steps
        x = (x + a / x) / 2  #: a step
    return x


def newton_sqrt_gradient(g: np.ndarray, a: np.ndarray) -> np.ndarray:
    x = newton_sqrt(a)  #: the root
    slope = 1 / (2 * x)  #: the slope; how much does x move when a moves a little?
    return g * slope  #: the gradient


def newton_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    first, second = (rng.uniform(0.3, 4.0, size=shape) for shape in [(3,), (2, 3)])
    wide = 10 ** rng.uniform(-3.5, 3.9, size=(2, 1, 3))
    wide[1, 0, 2] = rng.uniform(9900, 10000)
    # Not below 0.0002: there the measured slope has fewer than five right digits.
    tiny = rng.uniform(2e-4, 1e-3, size=4)
    return [(first,), (second,), (tiny,), (wide,), (rng.uniform(0.3, 4.0, size=()),)]


def settle(W: np.ndarray, b: np.ndarray) -> np.ndarray:
    x = np.zeros_like(b)
    for _ in range(100):  #: the number of steps
        argument = W @ x + b  #: the argument of tanh
        x = np.tanh(argument)  #: the next x
    return x


@functools.lru_cache(maxsize=64)  # asked for by each change of the gradients
def settled(W: bytes, b: bytes) -> np.ndarray:
    given = np.frombuffer(b)
    return settle(np.frombuffer(W).reshape(len(given), -1), given)


def fixed_point_gradients(g: np.ndarray, W: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = settled(W.tobytes(), b.tobytes())
    slope = 1 - x**2  #: the slope of tanh
    step = slope[:, None] * W  #: the Jacobian of a step
    system = np.eye(len(x)) - step.T  #: the system of equations
    v = np.linalg.solve(system, g)  #: the solution of the system
    of_b = slope * v  #: the gradient for b
    of_W = np.outer(of_b, x)  #: the gradient for W
    return of_W, of_b


def repeated(step: np.ndarray, g: np.ndarray, number: int) -> np.ndarray:
    """What a number of repetitions of v = g + stepᵀ v give in place of the solution."""
    v = g
    for _ in range(number):
        v = g + step.T @ v
    return v


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


def symmetric_part(A: np.ndarray) -> np.ndarray:
    return (A + A.T) / 2  #: M, the symmetric part of A


def cholesky(A: np.ndarray) -> np.ndarray:
    M = symmetric_part(A)
    L = np.zeros_like(M)
    for i, j in zip(*np.tril_indices(len(M)), strict=True):
        rest = M[i, j]
        for k in range(j):  #: the loop over the products
            rest = rest - L[i, k] * L[j, k]  #: what is left of an entry of M after the products
        entry = np.sqrt(rest) if i == j else rest / L[j, j]  #: an entry of L; the diagonal has its own formula
        L[i, j] = entry
    return L  #: the result


def cholesky_gradient(g: np.ndarray, A: np.ndarray) -> np.ndarray:
    L = np.linalg.cholesky(symmetric_part(A))  #: L
    inverse = np.linalg.inv(L)  #: the inverse of L
    product = L.T @ g  #: the product to which Φ is applied
    below = np.tril(product, -1)  #: the part of Φ below the diagonal
    diagonal = np.diag(np.diag(product)) / 2  #: the diagonal in Φ
    P = below + diagonal  #: P
    S = inverse.T @ P @ inverse  #: S
    return (S + S.T) / 2  #: the last step, from M to A


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


TOO_EARLY = "the loop ends too early for some inputs: the limit that ends it is too large, x has not settled yet"


def too_few(numbers: Sequence[int], start: str) -> list[Slip]:
    """Loops with these numbers of steps."""
    words = f"x is taken after {{}} from {start}: it has not settled yet"
    return [Slip("the number of", f"range({n})", words.format("1 step" if n == 1 else f"{n} steps")) for n in numbers]


def too_near(exponents: Sequence[int]) -> list[Slip]:
    """Loops that end when the square of x is near to a."""
    code = "range(turns(lambda x: (x + a / x) / 2, x, 1e-{}, lambda x, before: x**2 - a))"
    return [Slip("the number of", code.format(n), TOO_EARLY) for n in exponents]


def too_early(step: str, exponents: Sequence[int]) -> list[Slip]:
    """Loops that end when a step moves x little, with the x after this step or the one before."""
    code = f"range(turns(lambda x: {step}, x, 1e-{{}}) - {{}})"
    return [Slip("the number of", code.format(n, one), TOO_EARLY) for n in exponents for one in (0, 1)]


SPECS = {
    "NewtonSqrt": FunctionSpec(
        newton_sqrt,
        newton_inputs,
        newton_sqrt_gradient,
        mistakes=(
            *too_few(range(1, 11), "x = 1"),
            *too_early("(x + a / x) / 2", range(1, 5)),
            *too_near(range(1, 7)),
            Slip("the slope", "1 / (2 * a)", "the slope contains a itself, but it needs the root of a"),
            Slip("a step", "x + a / x / 2", "only a / x is halved in a step, not the sum: parentheses are missing"),
            Slip(
                "a step",
                "(x + (a / x).mean()) / 2",
                "a step uses a mean over all entries, but each entry of a has a root of its own",
            ),
        ),
        holds={
            "Write a Function `NewtonSqrt.apply(a)`": "structure, forward",
            "`a` can have any shape.": "forward, returns",
            "Its entries are positive:": "forward",
            "The method needs additions and divisions only.": "explains",
            "Begin with $x = 1$ and repeat this step": "forward",
            "For all numbers from 0.0001": "forward",
            "`backward` needs none of these steps.": "explains",
            "The final $x$ satisfies the equation": "gradient",
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
        fixed_point_gradients,
        mistakes=(
            *too_few((*range(1, 13), 15, 20, 25, 30), "zeros"),
            *too_early("np.tanh(W @ x + b)", range(1, 9)),
            Slip("the next x", "np.tanh(W @ x) + b", "b is added outside of tanh"),
            Slip(
                "the slope of tanh",
                "1 - np.tanh(x) ** 2",
                "the slope of tanh is taken as 1 - tanh(x)², but x has gone through tanh already",
            ),
            Slip("the slope of tanh", "1 - x", "the square is left out in the slope of tanh"),
            Slip(
                "the Jacobian",
                "slope[:, None] * W.T",
                "the gradient goes through W where it must go back through the transpose of W",
            ),
            Slip(
                "the Jacobian",
                "slope * W",
                "the columns of W are multiplied by the slopes of tanh, but tanh comes after W: it must be the rows",
            ),
            Slip(
                "the solution",
                "g",
                "the gradient is that of the last step alone, but the x that enters this step depends on W and b too",
            ),
            *(
                Slip(
                    "the solution",
                    f"repeated(step, g, {n})",
                    "the system is not solved: v = grad_output + Jᵀ v is repeated too few times",
                )
                for n in range(1, 21)
            ),
        ),
        holds={
            "Write a Function `FixedPoint.apply(W, b)`": "structure, forward",
            "`W` is a square matrix with n rows": "forward, returns",
            "Begin with zeros and repeat": "forward",
            "The weights are so small that each step": "forward",
            "`backward` follows from the equation": "gradient",
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
        cholesky_gradient,
        mistakes=(
            Slip(
                "M,",
                "np.tril(A) + np.tril(A, -1).T",
                "A is not made symmetric: only its lower triangle counts, the entries above the diagonal do not",
            ),
            Slip(
                "P",
                "np.tril(product) - below / 2",
                "Φ halves what is below the diagonal and keeps the diagonal: the other way round",
            ),
            Slip("the part of Φ", "np.triu(product, 1)", "Φ keeps what is above the diagonal, not what is below it"),
            Slip("S", "inverse @ P @ inverse.T", "in S, the inverse of L and its transpose are swapped around P"),
            Slip("the last step", "S", "the last step, from M to A, is missing: S itself is returned"),
            Slip(
                "the last step",
                "np.tril(S + S.T) - np.diag(np.diag(S))",
                "the last step puts everything in the lower triangle, but the entries above it are used just as much",
            ),
            Slip(
                "the last step",
                "S + S.T - np.diag(np.diag(S))",
                "the last step counts the entries beside the diagonal twice",
            ),
        ),
        holds={
            "Write a Function `CholeskyFactor.apply(A)`": "structure, forward",
            "`A` itself does **not** have to be": "forward",
            "The result is the lower triangular matrix": "forward",
            "In the checks, $M$ is positive definite.": "explains",
            "The lesson's Function needs a symmetric": "explains",
            "This one is defined after a small change": "explains",
            "`forward` may use `torch.linalg.cholesky(M)`": "forward",
            "`backward` follows the lesson.": "gradient",
            "With $G$ for `grad_output`:": "gradient",
            "$\\Phi$ keeps the lower triangle and halves": "gradient",
            "Your part is to write this, with tensors": "gradient",
            "For example:": "explains",
            "The checks: those listed above, for matrices": "runs, forward, returns, gradient, unchanged, repeat",
            "The gradient is compared for all entries": "gradient",
        },
    ),
}
