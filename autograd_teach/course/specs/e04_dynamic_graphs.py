"""The specification of notebook 04, weights used more than once: shared_weight_gradient, unrolled_rnn."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, CallSpec, Mistake
from ..jacobian import numerical_jacobian
from ..mutants import Slip
from .e02_grad_and_backward import NO_TRACE

# shared_weight_gradient


def shared_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(*rng.uniform(-1.5, 1.5, size=(2, n, n)), rng.uniform(0.5, 1.5, size=n)) for n in (2, 2, 3, 1)]


def network(copies: Any, w2: Any, x0: Any, w1: Any) -> Any:
    """q, with a copy of w1 for each use. `w1` itself is for mistakes, which may use it as a constant."""
    first, last = copies
    x1 = first @ x0  #: x1
    x2 = x0 + w2 @ x1  #: x2
    x3 = last @ (x1 + x2)  #: x3
    return np.linalg.norm(x3)  #: q


def contributions(w1: np.ndarray, w2: np.ndarray, x0: np.ndarray) -> Any:
    copies = np.array([w1, w1])
    first, last = numerical_jacobian(network, [copies, w2, x0, w1], 0).reshape(copies.shape)
    return [first, last]  #: the pair


def transposed(w1: np.ndarray, w2: np.ndarray, x0: np.ndarray) -> list[np.ndarray]:
    """The contributions if every matrix is transposed."""
    return [each.T for each in contributions(w1.T, w2.T, x0)]


def not_back(w1: np.ndarray, w2: np.ndarray, x0: np.ndarray) -> list[np.ndarray]:
    """The contributions if w2 itself, not its transpose, takes the gradient of x2 back to x1."""
    moved = x0 + w2 @ w1 @ x0 + w1 @ x0
    of_x3 = w1 @ moved / np.linalg.norm(w1 @ moved)
    of_x1 = w1.T @ of_x3 + w2 @ (w1.T @ of_x3)
    return [np.outer(of_x1, x0), np.outer(of_x3, moved)]


def entry_by_entry(w1: np.ndarray, w2: np.ndarray, x0: np.ndarray) -> list[np.ndarray]:
    """The contributions if all products are taken entry by entry."""

    def q(copies: Any) -> Any:
        first, last = copies
        return np.linalg.norm(last * (first * x0 + x0 + w2 * (first * x0)))

    return list(numerical_jacobian(q, [np.array([w1, w1])], 0).reshape(2, *w1.shape))


ONE_WAY = "the first contribution lacks a part: x1 reaches the result in two ways, and only the {} is counted"


OF_USES = (
    Slip("x2", "x0 + w2 @ (w1 @ x0)", ONE_WAY.format("direct way")),
    Slip("x3", "last @ (w1 @ x0 + x2)", ONE_WAY.format("way through w2")),
    Slip("q", "(x3**2).sum()", "q is the squared norm in yours, but it must be the norm"),
    Slip(
        "the pair",
        "first + last",
        "this is the sum of the two contributions, the whole gradient of w1: the result must be a pair",
    ),
    Slip("the pair", "[last, first]", "the two contributions have changed places"),
    Slip(
        "the pair",
        "[first, first + last]",
        "the second tensor is the whole gradient of w1: it must have the last use alone",
    ),
    Slip(
        "the pair",
        "[first + last, last]",
        "the first tensor is the whole gradient of w1: it must have the first use alone",
    ),
    Slip(
        "the pair", "[first + last] * 2", "both tensors are the whole gradient of w1: each use needs a leaf of its own"
    ),
    Slip(
        "the pair",
        "[(first + last) / 2] * 2",
        "both tensors are half the whole gradient of w1, but the two uses contribute differently",
    ),
    Slip("the pair", "[first.T, last.T]", "rows and columns of both tensors have changed places"),
    Mistake("w2 is not transposed where a gradient goes back through it", not_back),
    Mistake("every matrix is transposed: `a @ b` multiplies the matrix a by the vector b", transposed),
    Mistake("the products are taken entry by entry, but they must be products of matrices", entry_by_entry),
)


# unrolled_rnn

LIMIT = 1.0


def states(w: Any, u: Any, xs: Any, h0: Any) -> list[Any]:
    """h0 and the state after each row of xs, as if nothing ended the loop."""
    found = [h0]  #: the first state
    for x in xs:
        h = found[-1]
        new = np.tanh(w @ h + u @ x)  #: the new state
        found.append(new)
    return found


def rnn(w: np.ndarray, u: np.ndarray, xs: np.ndarray, h0: np.ndarray) -> list[np.ndarray]:
    found = states(w, u, xs, h0)
    steps = 0
    for steps in range(1, len(found)):  #: the number of steps
        total = found[steps].sum()  #: the number that ends the loop
        if total > LIMIT:  #: the end of the loop; it comes after the first step whose new state has a sum above 1
            break
    read = xs[:steps]

    def value(moved: Any) -> Any:
        return states(moved, u, read, h0)[steps].sum()  #: the number whose gradient is taken

    return [found[steps], numerical_jacobian(value, [w], 0).reshape(w.shape)]  #: the pair of state and gradient


OTHER_END = "the loop ends when {}, but it must end when the sum of the new state is above 1"


OF_LOOPS = (
    Slip(
        "the new state",
        "np.tanh(w @ h0 + u @ x)",
        "each step begins with h0, but it must begin with the state of the step before",
    ),
    Slip(
        "the number of steps",
        "range(len(found))",
        "the loop can end before its first step, as the sum of h0 counts too: only the sum of a new state must end it",
    ),
    Slip("the end", "total >= LIMIT", OTHER_END.format("the sum is 1 or more")),
    Slip(
        "the end",
        "False",
        "the loop goes on to the last row of xs: it must end after the first step whose new state has a sum above 1",
    ),
    Slip("the number that", "abs(found[steps].sum())", OTHER_END.format("the size of the sum is above 1")),
    Slip("the number that", "np.linalg.norm(found[steps])", OTHER_END.format("the norm of the state is above 1")),
    Slip(
        "the number of steps",
        "range(1, next((n for n, h in enumerate(found) if n and h.sum() > LIMIT), len(found)))",
        "the state whose sum is above 1 is left out: the loop ends after this step, and this is the last state",
    ),
    Slip(
        "the number whose",
        "np.sum(states(moved, u, read, h0))",
        "this is the gradient of the sums of all states, added up, not of the sum of the last state",
    ),
    Slip(
        "the pair",
        "[found[steps], numerical_jacobian(lambda u: states(w, u, read, h0)[steps].sum(), [u], 0).reshape(u.shape)]",
        "this is the gradient with respect to u, not w",
    ),
    Slip(
        "the pair",
        "[found[steps], np.outer(1 - found[steps] ** 2, found[steps - 1]) if steps else 0 * w]",
        "the gradient has only the contribution of the last step, as if the states were cut off from their history, "
        "or each step had its own copy of w",
    ),
)


def rnn_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Runs that stop after 2 of 4 steps, after the first, never, after 4 of 6; from above the limit; without rows; with a sum at the limit.

    Drawn again until each wrong end condition ends the loop at a different step.
    """
    wanted = [
        (2, 2, 1, 4, False),
        (1, 2, 2, 3, False),
        (2, 2, 1, 4, True),
        (3, 3, 2, 3, False),
        (4, 3, 1, 6, False),
        (5, 2, 2, 5, False),
    ]
    calls = [rnn_call(rng, *each) for each in wanted]
    ends = [steps_by_end(*call) for call in calls]
    while pairs := alike(ends):
        number = int(rng.integers(len(calls)))
        call = rnn_call(rng, *wanted[number])
        others = [*ends[:number], steps_by_end(*call), *ends[number + 1 :]]
        if alike(others) <= pairs:
            calls[number], ends = call, others
    n, k = 2, 1
    calls.append((rng.normal(size=(n, n)), rng.normal(size=(n, k)), np.zeros((0, k)), rng.uniform(-0.5, 0.5, size=n)))
    calls.append(at_the_limit(rng))
    return calls


def at_the_limit(rng: np.random.Generator) -> Arguments:
    """A run whose first state is exactly [1, 0], as the tanh of 40 has no other digits; the loop goes on to the end."""
    w, u = np.array([rng.uniform(0.3, 1, size=2), [0, 0]]), np.array([[40.0], [0]])
    xs = np.array([[1.0], [rng.uniform(-0.03, 0.02)], [rng.uniform(0.01, 0.02)]])
    return w, u, xs, rng.uniform(-0.5, 0.3, size=2)


def rnn_call(rng: np.random.Generator, steps: int, n: int, k: int, length: int, above: bool) -> Arguments:
    """A run that ends after `steps` steps; with `above` the sum of h0 is above the limit. No sum is near the limit."""
    while True:
        w, u = rng.uniform(-1.2, 1.2, size=(n, n)), rng.uniform(-1, 1, size=(n, k))
        xs, h0 = rng.uniform(-1, 1, size=(length, k)), rng.uniform(-0.5, 0.8, size=n)
        if (h0.sum() > LIMIT) != above:
            continue
        sums = np.sum(states(w, u, xs, h0)[: steps + 1], axis=1)
        ends_there = steps_by_end(w, u, xs, h0)[0] == steps and (sums[-1] > LIMIT) == (steps != length)
        if ends_there and np.abs(sums - LIMIT).min() > 0.05:
            return w, u, xs, h0


def steps_by_end(w: np.ndarray, u: np.ndarray, xs: np.ndarray, h0: np.ndarray) -> list[int]:
    """How many steps run: first with the right end of the loop, then with each wrong one."""
    new = np.array(states(w, u, xs, h0)[1:])
    sums, sizes, norms = new.sum(axis=1), np.abs(new).sum(axis=1), np.linalg.norm(new, axis=1)
    ends = [
        sums > LIMIT,
        norms > LIMIT,
        sizes > LIMIT,
        abs(sums) > LIMIT,
        sums > 0,
        sums < LIMIT,
        sums.cumsum() > LIMIT,
    ]
    right, *others = [int(np.argmax(end)) + 1 if end.any() else len(xs) for end in ends]
    before_a_step = 0 if h0.sum() > LIMIT else right
    return [right, len(xs), before_a_step, min(right + 1, len(xs)), right - (right < len(xs)), *others]


def alike(ends: list[list[int]]) -> int:
    """How many pairs of wrong ends are the same in all calls that the first of the two gets wrong."""
    right, *wrong = np.transpose(ends)
    return sum(not ((one != right) & (one != other)).any() for one, other in itertools.permutations(wrong, 2))


SPECS = {
    "shared_weight_gradient": CallSpec(
        contributions,
        shared_inputs,
        also=(NO_TRACE,),
        mistakes=OF_USES,
        holds={
            "Write a function `shared_weight_gradient(w1,": "value",
            "Return a pair of tensors, as": "value",
            "The first tensor is the contribution": "value",
            "The second tensor is the contribution": "value",
            "Their sum is the whole gradient.": "explains",
            "For example, with the lesson's": "explains",
            "The checks try square matrices": "value",
            "They compare both contributions": "value",
            "They check that the arguments": "unchanged, leaves_a_trace, repeat",
        },
    ),
    "unrolled_rnn": CallSpec(
        rnn,
        rnn_inputs,
        also=(NO_TRACE,),
        mistakes=OF_LOOPS,
        holds={
            "Write a function `unrolled_rnn(w,": "value",
            "It returns a pair of tensors,": "value",
            "A *recurrent network* reads": "explains",
            "Each step computes the new state": "value",
            "The weights $w$ and $u$ are": "value",
            "The loop starts with the state": "value",
            "The inputs are the rows of `xs`,": "value",
            "The loop ends after the first": "value",
            "The sum of `h0` does not matter,": "value",
            "If `xs` has no rows, no step": "runs, value",
            "Then the last state is `h0`,": "runs, value",
            "For example:": "explains",
            "The checks try loops that end": "runs, value",
            "They compare the state and the": "value",
            "They check that the arguments": "unchanged, leaves_a_trace, repeat",
        },
    ),
}
