"""Exercises of notebook 04, weights used more than once: shared_weight_gradient, unrolled_rnn."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..jacobian import numerical_jacobian
from .declaration import Arguments, Call, Exercise, Mistake
from .e02_grad_and_backward import NO_TRACE

NOTEBOOK = "04_dynamic_graphs"


def shared_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(*rng.uniform(-1.5, 1.5, size=(2, n, n)), rng.uniform(0.5, 1.5, size=n)) for n in (2, 2, 3, 1)]


def network(first: Any, last: Any, w2: Any, x0: Any) -> Any:
    """The norm q, computed with a separate copy of w1 for each use."""
    x1 = first @ x0
    return np.linalg.norm(last @ (x1 + x0 + w2 @ x1))


def contribution(which: int, w1: np.ndarray, w2: np.ndarray, x0: np.ndarray) -> np.ndarray:
    """The contribution of one use: the gradient with respect to that copy, by small changes."""
    return numerical_jacobian(network, [w1, w1, w2, x0], which).reshape(w1.shape)


def contributions(w1: np.ndarray, w2: np.ndarray, x0: np.ndarray) -> list[np.ndarray]:
    return [contribution(0, w1, w2, x0), contribution(1, w1, w2, x0)]


def without_a_way(w1: np.ndarray, w2: np.ndarray, x0: np.ndarray, *, through_w2: bool) -> list[np.ndarray]:
    """Both contributions, the first with only one of the two ways from x1 to the result."""
    frozen = w1 @ x0

    def norm(first: Any) -> Any:
        x1 = first @ x0
        direct, sent = (frozen, x1) if through_w2 else (x1, frozen)
        return np.linalg.norm(w1 @ (direct + x0 + w2 @ sent))

    return [numerical_jacobian(norm, [w1], 0).reshape(w1.shape), contribution(1, w1, w2, x0)]


def squared(w1: np.ndarray, w2: np.ndarray, x0: np.ndarray) -> list[np.ndarray]:
    return [2 * network(w1, w1, w2, x0) * each for each in contributions(w1, w2, x0)]


LIMIT = 1.0


def states(w: Any, u: Any, xs: Any, h0: Any, *, most: int = 10**9, more: int = 0, linear: bool = False) -> list[Any]:
    """h0 and every later state, up to `more` steps after the step that passes the limit."""
    found = [h0]
    for x in xs[: max(most, 0)]:
        sums = w @ found[-1] + u @ x
        found.append(sums if linear else np.tanh(sums))
        above = [number for number, h in enumerate(found) if number and h.sum() > LIMIT]
        if above and len(found) - 1 >= above[0] + more:
            break
    return found


def rnn_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Runs that stop after 2 of 4 steps, after the first, never (3 steps), after 4 of 6, and one without inputs."""
    wanted = [(2, 2, 1, 4), (1, 2, 2, 3), (3, 3, 2, 3), (4, 2, 1, 6)]
    found: list[Arguments] = []
    for steps, n, k, length in wanted:
        while True:
            w, u = rng.uniform(-1.2, 1.2, size=(n, n)), rng.uniform(-1, 1, size=(n, k))
            xs, h0 = rng.uniform(-1, 1, size=(length, k)), rng.uniform(-0.5, 0.5, size=n)
            sums = np.array([h.sum() for h in states(w, u, xs, h0, more=length)])
            ran = len(states(w, u, xs, h0)) - 1
            stops = sums[ran] > LIMIT
            if ran == steps and np.abs(sums - LIMIT).min() > 0.05 and stops == (steps != length) and sums[0] < LIMIT:
                found.append((w, u, xs, h0))
                break
    n, k = 2, 1
    found.append((rng.normal(size=(n, n)), rng.normal(size=(n, k)), np.zeros((0, k)), rng.uniform(-0.5, 0.5, size=n)))
    return found


def slope(of: int, w: np.ndarray, u: np.ndarray, xs: np.ndarray, h0: np.ndarray, **how: Any) -> np.ndarray:
    """The gradient of the sum of the last state with respect to argument number `of`."""
    arguments = [w, u, xs, h0]

    def last(*each: Any) -> Any:
        return states(*each, **how)[-1].sum()

    return numerical_jacobian(last, arguments, of).reshape(arguments[of].shape)


def rnn(w: np.ndarray, u: np.ndarray, xs: np.ndarray, h0: np.ndarray, **how: Any) -> list[np.ndarray]:
    return [states(w, u, xs, h0, **how)[-1], slope(0, w, u, xs, h0, **how)]


def last_step_alone(w: np.ndarray, u: np.ndarray, xs: np.ndarray, h0: np.ndarray) -> list[np.ndarray]:
    """The result if each state is detached from the states before it."""
    ran = states(w, u, xs, h0)
    if len(ran) == 1:
        return [h0, np.zeros_like(w)]
    return [ran[-1], slope(0, w, u, xs[len(ran) - 2 : len(ran) - 1], ran[-2])]


def steps_run(w: np.ndarray, u: np.ndarray, xs: np.ndarray, h0: np.ndarray) -> int:
    return len(states(w, u, xs, h0)) - 1


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="shared_weight_gradient",
        points=2,
        title="Two uses, two contributions",
        grading=Call(("w1", "w2", "x0"), contributions, shared_inputs, also=(NO_TRACE,)),
        hints=(
            (
                "In one section of the lesson, each use of a weight has a weight of its own. What "
                "does autograd then tell you about each use?"
            ),
            "Make two leaves with the numbers of w1, one for each use of w1. The rest of the formula stays the same.",
            (
                "`autograd.grad(q, [first, last])` returns the gradients of both copies at once, "
                "as a tuple, in this order."
            ),
        ),
        mistakes=(
            Mistake(
                "both_whole",
                "each of the two is the whole gradient of w1: give each use its own contribution",
                forward=lambda *given: 2 * [sum(contributions(*given))],
            ),
            Mistake(
                "halves",
                "each of the two is half the gradient of w1, but the two uses do not contribute the same",
                forward=lambda *given: 2 * [sum(contributions(*given)) / 2],
            ),
            Mistake(
                "sum",
                "this is the sum of the two contributions, the whole gradient of w1: the result must be a pair",
                forward=lambda *given: sum(contributions(*given)),
            ),
            Mistake(
                "swapped",
                "the two contributions are swapped: the first use of w1 is in the formula of x1",
                forward=lambda *given: contributions(*given)[::-1],
            ),
            Mistake(
                "added_up",
                "the second one is the sum of both: it includes the contribution of the first use",
                forward=lambda *given: [contributions(*given)[0], sum(contributions(*given))],
            ),
            Mistake(
                "not_through_w2",
                "the first contribution lacks a part: x1 reaches the result in two ways, and only "
                "the direct way is counted",
                forward=lambda *given: without_a_way(*given, through_w2=False),
            ),
            Mistake(
                "only_through_w2",
                "the first contribution lacks a part: x1 reaches the result in two ways, and only "
                "the way through w2 is counted",
                forward=lambda *given: without_a_way(*given, through_w2=True),
            ),
            Mistake(
                "squared",
                "these are the contributions to the gradient of the squared norm, but q is the norm itself",
                forward=squared,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="unrolled_rnn",
        points=2,
        title="A loop that ends when the data say so",
        grading=Call(("w", "u", "xs", "h0"), rnn, rnn_inputs, also=(NO_TRACE,)),
        hints=(
            (
                "Write the loop over the rows of xs as if no gradient were needed. An ordinary "
                "`if` ends it. Autograd builds the graph while the loop runs."
            ),
            (
                "Make a leaf from w before the loop, and use this leaf at each step. After the "
                "loop, one call of `autograd.grad` gives the sum of the contributions of all "
                "steps."
            ),
            (
                "If xs has no rows, the result does not depend on the leaf and has no graph. Then "
                "return the zeros yourself. `allow_unused` and `materialize_grads` do not help if "
                "the result has no graph."
            ),
        ),
        mistakes=(
            Mistake(
                "to_the_end",
                "the loop goes on to the last row of xs: it must end after the first step whose "
                "new state has a sum above 1",
                forward=lambda *given: rnn(*given, more=10**9),
            ),
            Mistake(
                "one_too_many",
                "the loop does one step too many: the first state with a sum above 1 is the last state",
                forward=lambda *given: rnn(*given, more=1),
            ),
            Mistake(
                "one_too_few",
                "the state whose sum is above 1 is left out: the loop ends after this step, and this is the last state",
                forward=lambda *given: rnn(
                    *given, most=steps_run(*given) - (states(*given)[-1].sum() > LIMIT) * (steps_run(*given) > 0)
                ),
            ),
            Mistake(
                "last_step",
                "the gradient has only the contribution of the last step: the states were cut off from their history",
                forward=last_step_alone,
            ),
            Mistake(
                "of_u",
                "this is the gradient with respect to u, not w",
                forward=lambda *given: [rnn(*given)[0], slope(1, *given)],
            ),
            Mistake(
                "of_h0",
                "this is the gradient with respect to h0, not w",
                forward=lambda *given: [rnn(*given)[0], slope(3, *given)],
            ),
            Mistake(
                "linear",
                "the tanh is missing: the new state is the tanh of the sum of the two products",
                forward=lambda *given: rnn(*given, linear=True),
            ),
            Mistake(
                "all_states",
                "these are all states and the gradient: of the states, only the last one must be in the result",
                forward=lambda *given: [np.stack(states(*given)[1:] or [given[3]]), rnn(*given)[1]],
            ),
        ),
    ),
)
