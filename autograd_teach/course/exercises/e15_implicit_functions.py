"""Exercises of notebook 15, functions given by an equation: NewtonSqrt, FixedPoint, CholeskyFactor."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .declaration import Arguments, Exercise, Gradcheck, Mistake

NOTEBOOK = "15_implicit_functions"


def newton(a: np.ndarray, number: int) -> np.ndarray:
    x = np.ones_like(a)
    for _ in range(number):
        x = (x + a / x) / 2
    return x


def newton_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    small = [(rng.uniform(0.3, 4.0, size=shape),) for shape in [(3,), (2, 3)]]
    return [*small, (10 ** rng.uniform(-0.5, 3.5, size=(2, 1, 3)),), (rng.uniform(0.3, 4.0, size=()),)]


def settle(W: np.ndarray, b: np.ndarray, number: int = 100) -> np.ndarray:
    x = np.zeros_like(b)
    for _ in range(number):
        x = np.tanh(W @ x + b)
    return x


def fixed_point_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls = []
    # The first call is also made in float32. Its weights are small, so that a loop which waits
    # until x stops changing ends there too.
    for n, factor in ((2, 0.2), (3, 0.6), (5, 0.6), (1, 0.6)):
        W = rng.normal(size=(n, n))
        calls.append((factor * W / np.linalg.norm(W, 2), rng.uniform(-1, 1, n)))
    return calls


def fixed_point_vjp(
    v_of: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    through: Callable[[np.ndarray], np.ndarray] = lambda s: s,
) -> Callable[..., Any]:
    """A wrong backward: `v_of(W, slope, grad_output)` goes back through one step.

    `through(slope)` stands for the slope of tanh in this step.
    """

    def vjp(g: np.ndarray, W: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = settle(W, b)
        slope = 1 - x * x
        back = through(slope) * v_of(W, slope, g)
        return np.outer(back, x), back

    return vjp


def solved(table: np.ndarray, g: np.ndarray) -> np.ndarray:
    return np.linalg.solve(np.eye(len(g)) - table, g)


def times_b(g: np.ndarray, W: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, None]:
    slope = 1 - settle(W, b) ** 2
    return np.outer(slope * solved((slope[:, None] * W).T, g), b), None


def cholesky(A: np.ndarray) -> np.ndarray:
    return np.linalg.cholesky((A + A.T) / 2)


def cholesky_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls: list[Arguments] = []
    for n in (2, 3, 4, 1):
        B = rng.normal(size=(n, n))
        skew = rng.normal(size=(n, n)) * 0.3
        calls.append((B @ B.T + n * np.eye(n) + skew - skew.T,))
    return calls


def halved(M: np.ndarray) -> np.ndarray:
    return (np.tril(M) + np.tril(M, -1)) / 2


def symmetric(M: np.ndarray) -> np.ndarray:
    return (M + M.T) / 2


def cholesky_vjp(
    phi: Callable[[np.ndarray], np.ndarray] = halved,
    last: Callable[[np.ndarray], np.ndarray] = symmetric,
    flipped: bool = False,
    product: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda L, G: L.T @ G,
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The backward pass through the equation, with one of its steps replaced by a wrong one."""

    def vjp(G: np.ndarray, A: np.ndarray) -> np.ndarray:
        L = cholesky(A)
        inverse = np.linalg.inv(L)
        P = phi(product(L, G))
        return last(inverse @ P @ inverse.T if flipped else inverse.T @ P @ inverse)

    return vjp


def diagonal_only(G: np.ndarray, A: np.ndarray) -> np.ndarray:
    L = cholesky(A)
    diagonal = np.diag(L)
    return symmetric(halved(L.T @ G) / diagonal[:, None] / diagonal)


NOT_SETTLED = "forward gives the result of a loop after {} {}: x has not settled yet"


def not_settled(forward: Callable[..., np.ndarray], numbers: Sequence[int]) -> tuple[Mistake, ...]:
    """One mistake for each number of steps in `numbers`, all of them too small."""
    return tuple(
        Mistake(
            "not_settled",
            NOT_SETTLED.format(number, "step" if number == 1 else "steps"),
            forward=lambda *arguments, n=number: forward(*arguments, n),
        )
        for number in numbers
    )


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="NewtonSqrt",
        points=2,
        title="A square root by Newton's method",
        grading=Gradcheck(("a",), np.sqrt, newton_inputs, properties=("from_result", "double_backward")),
        hints=(
            (
                "Which equation does the result x satisfy, no matter how it was found? Move a a "
                "little in this equation: how must x move?"
            ),
            (
                "x · x = a. A change dx of x changes the left side by 2x · dx, and a change da of a "
                "changes the right side by da. Both sides must stay equal."
            ),
            (
                "backward needs only the last x of the loop in forward. Save this x with "
                "ctx.save_for_backward, so that the second derivative sees that x depends on a. In "
                "backward, compute with tensors."
            ),
        ),
        mistakes=(
            *not_settled(newton, range(1, 8)),
            Mistake(
                "root_forgotten",
                "the slope used is 1 / (2a): it contains a itself, but it needs the root of a",
                vjp=lambda g, a: g / (2 * a),
            ),
            Mistake(
                "not_inverted",
                (
                    "the slope used is 2x: this is how much a moves when x moves, but the slope is "
                    "how much x moves when a moves"
                ),
                vjp=lambda g, a: g * 2 * np.sqrt(a),
            ),
            Mistake(
                "times_root",
                "the slope used is x / 2, but the power rule lowers the exponent 1/2 by 1",
                vjp=lambda g, a: g * np.sqrt(a) / 2,
            ),
            Mistake(
                "slope_of_turn",
                "the slope used is 1/2, from x / 2 in Newton's formula, but a is in the formula as well",
                vjp=lambda g, a: g / 2,
            ),
            Mistake(
                "slope_one",
                "the gradient is grad_output itself, as if the slope of the root were 1 everywhere",
                vjp=lambda g, a: g,
            ),
            Mistake("halved", "the result is a / 2, not the root of a", forward=lambda a: a / 2),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="FixedPoint",
        points=3,
        title="Where x = tanh(W x + b) settles",
        grading=Gradcheck(("W", "b"), settle, fixed_point_inputs, properties=("needs_input_grad",)),
        hints=(
            (
                "Which equation does the settled x satisfy? Move b a little in it. x moves for two "
                "reasons: b has moved, and x itself is on the right side."
            ),
            (
                "Let J be the Jacobian of one step with respect to x: dx = J dx + (direct effect). "
                "backward starts from grad_output and goes the other way: first a system of linear "
                "equations with a transposed matrix, then one step back, to b and to W."
            ),
            (
                "The slope of tanh at the settled x is 1 - x². J is W with each row multiplied by "
                "its slope. After solving the system, go back through tanh, then to b and to W: "
                "each entry of W was multiplied by one entry of x. Compute only what "
                "ctx.needs_input_grad asks for, and put None for the rest."
            ),
        ),
        mistakes=(
            *not_settled(settle, (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25)),
            Mistake(
                "b_left_out",
                "b is left out of the steps: without it x settles at 0",
                forward=lambda W, b: np.zeros_like(b),
            ),
            Mistake(
                "flipped_weights",
                "the steps multiply by the transposed W",
                forward=lambda W, b: settle(W.T.copy(), b),
            ),
            Mistake(
                "one_turn_only",
                (
                    "this is the gradient of the last step alone, but the x that enters this step "
                    "also depends on W and b"
                ),
                vjp=fixed_point_vjp(lambda W, slope, g: g),
            ),
            Mistake(
                "table_not_flipped",
                (
                    "this system of linear equations is the one for a change of x; for a gradient, "
                    "its matrix is transposed"
                ),
                vjp=fixed_point_vjp(lambda W, slope, g: solved(slope[:, None] * W, g)),
            ),
            Mistake(
                "plus_for_minus",
                "the system is solved with I + J, but dx = J dx + (direct effect) needs I - J",
                vjp=fixed_point_vjp(lambda W, slope, g: solved(-(slope[:, None] * W).T, g)),
            ),
            Mistake(
                "slopes_at_columns",
                (
                    "the columns of W are multiplied by the slopes of tanh, but tanh comes after W, "
                    "so the rows must be multiplied"
                ),
                vjp=fixed_point_vjp(lambda W, slope, g: solved((slope * W).T, g)),
            ),
            Mistake(
                "slope_missing_in_table",
                "the Jacobian of a step is taken to be W, but a step also goes through tanh",
                vjp=fixed_point_vjp(lambda W, slope, g: solved(W.T, g)),
            ),
            Mistake(
                "slope_missing_at_end",
                "after the system is solved, the slope of tanh is missing on the way to W and b",
                vjp=fixed_point_vjp(lambda W, slope, g: solved((slope[:, None] * W).T, g), np.ones_like),
            ),
            Mistake(
                "table_not_inverted",
                (
                    "grad_output is multiplied by the transposed I - J, but the system of equations "
                    "with this matrix must be solved"
                ),
                vjp=fixed_point_vjp(lambda W, slope, g: g - (slope[:, None] * W).T @ g),
            ),
            Mistake(
                "times_b",
                "the gradient for W contains b, but W was multiplied by x",
                vjp=times_b,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="CholeskyFactor",
        points=3,
        title="The Cholesky factor of a matrix made symmetric",
        grading=Gradcheck(("A",), cholesky, cholesky_inputs),
        hints=(
            (
                "There are two steps: M = (A + Aᵀ) / 2, then the factor L of M. Lesson 15 derives "
                "the way back from L to M, from L Lᵀ = M. What is the way back from M to A?"
            ),
            (
                "G is the gradient that arrives for L. Go back in three steps: P = Φ(Lᵀ G); then S "
                "= L⁻ᵀ P L⁻¹; then each entry of A gets its share of S and of the mirror image of "
                "S. Save L."
            ),
            (
                "Φ keeps the lower triangle and halves the diagonal. You need no inverse: "
                "torch.linalg.solve_triangular solves with a triangle from the left, and with "
                "left=False from the right; upper= says which triangle it is. Test it with a 1 by 1 "
                "matrix: there L is a square root, and you know its slope."
            ),
        ),
        mistakes=(
            Mistake(
                "not_symmetrised",
                (
                    "the result is the factor of the lower triangle of A alone: A is not made "
                    "symmetric, so the entries above its diagonal have no effect"
                ),
                forward=lambda A: np.linalg.cholesky(np.tril(A) + np.tril(A, -1).T),
            ),
            Mistake(
                "not_symmetrised",
                (
                    "the result is the factor of the upper triangle of A alone: A is not made "
                    "symmetric, so the entries below its diagonal have no effect"
                ),
                forward=lambda A: np.linalg.cholesky(np.triu(A) + np.triu(A, 1).T),
            ),
            Mistake(
                "upper_factor",
                "the result is the transposed factor: its zeros must be above the diagonal",
                forward=lambda A: cholesky(A).T,
            ),
            Mistake(
                "not_halved",
                "A + Aᵀ is factored without being halved",
                forward=lambda A: np.linalg.cholesky(A + A.T),
            ),
            Mistake(
                "not_shared",
                "the gradient stops at the symmetric matrix M: the step back from M to A is missing",
                vjp=cholesky_vjp(last=lambda S: S),
            ),
            Mistake(
                "shared_twice",
                (
                    "S and its mirror image are added without being halved, but each entry of A "
                    "gives only a half to each of two entries"
                ),
                vjp=cholesky_vjp(last=lambda S: S + S.T),
            ),
            Mistake(
                "lower_half_only",
                (
                    "only the lower triangle of A gets a gradient, but the entries above the "
                    "diagonal are used just as much"
                ),
                vjp=cholesky_vjp(last=lambda S: np.tril(S + S.T) - np.diag(np.diag(S))),
            ),
            Mistake(
                "lower_half_only",
                (
                    "only the lower triangle of A gets a gradient, but the entries above the "
                    "diagonal are used just as much"
                ),
                vjp=cholesky_vjp(last=lambda S: np.tril(symmetric(S))),
            ),
            Mistake(
                "diagonal_whole",
                "the diagonal is not halved: L⁻¹ dL and its transpose overlap there",
                vjp=cholesky_vjp(phi=np.tril),
            ),
            Mistake(
                "triangle_not_cut",
                "the step that keeps the lower triangle and halves its diagonal is missing",
                vjp=cholesky_vjp(phi=lambda M: M),
            ),
            Mistake(
                "everything_halved",
                (
                    "the entries below the diagonal are halved too, but L⁻¹ dL and its transpose "
                    "overlap only on the diagonal"
                ),
                vjp=cholesky_vjp(phi=lambda M: np.tril(M) / 2),
            ),
            Mistake(
                "inverses_swapped",
                "the inverse of L and its transpose are swapped around P",
                vjp=cholesky_vjp(flipped=True),
            ),
            Mistake(
                "product_not_transposed",
                "grad_output is multiplied by L, but on the way back it is the transposed L",
                vjp=cholesky_vjp(product=lambda L, G: L @ G),
            ),
            Mistake(
                "product_from_the_right",
                "grad_output is multiplied by L from the wrong side",
                vjp=cholesky_vjp(product=lambda L, G: G @ L),
            ),
            Mistake(
                "empty_triangle",
                "only the diagonal of L was used: solve_triangular was told to use the triangle that holds zeros",
                vjp=diagonal_only,
            ),
        ),
    ),
)
