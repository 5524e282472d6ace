"""The specification of notebook 04, weights used more than once: shared_weight_gradient, unrolled_rnn."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, CallSpec, Mistake, family
from ..jacobian import numerical_jacobian
from .e02_grad_and_backward import NO_TRACE

# shared_weight_gradient

Network = Callable[[Any, Any, Any, Any], Any]


def shared_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(*rng.uniform(-1.5, 1.5, size=(2, n, n)), rng.uniform(0.5, 1.5, size=n)) for n in (2, 2, 3, 1)]


def last_layer(first: Any, last: Any, w2: Any, x0: Any) -> Any:
    """x3, computed with a separate copy of w1 for each use."""
    x1 = first @ x0
    return last @ (x1 + x0 + w2 @ x1)


def network(first: Any, last: Any, w2: Any, x0: Any) -> Any:
    return np.linalg.norm(last_layer(first, last, w2, x0))


def contributions(w1: np.ndarray, w2: np.ndarray, x0: np.ndarray, *, of: Network = network) -> list[np.ndarray]:
    """The gradients with respect to the two copies of w1, by small changes."""
    return [numerical_jacobian(of, [w1, w1, w2, x0], copy).reshape(w1.shape) for copy in (0, 1)]


def without_a_way(w1: np.ndarray, w2: np.ndarray, x0: np.ndarray, *, through_w2: bool) -> list[np.ndarray]:
    """Both contributions, the first with only one of the two paths from x1 to the result."""
    frozen = w1 @ x0

    def norm(first: Any, last: Any, w2: Any, x0: Any) -> Any:
        x1 = first @ x0
        direct, sent = (frozen, x1) if through_w2 else (x1, frozen)
        return np.linalg.norm(last @ (direct + x0 + w2 @ sent))

    return contributions(w1, w2, x0, of=norm)


PARTS = {
    "right": lambda own, other: own,
    "the contribution of the {other} use": lambda own, other: other,
    "the whole gradient of w1": lambda own, other: own + other,
    "half the whole gradient of w1": lambda own, other: (own + other) / 2,
    "all zeros": lambda own, other: np.zeros_like(own),
    "minus what it must be": lambda own, other: -own,
}
"""What can stand in the place of one contribution, given this one and the other one."""


def other_parts() -> tuple[Mistake, ...]:
    """Every pair of `PARTS` but the right one, and but those that the generic words name as well."""

    def make(first: Any, last: Any) -> dict[str, Any]:
        def pair(*given: Any) -> list[np.ndarray]:
            one, two = contributions(*given)
            return [first(one, two), last(two, one)]

        return {"forward": pair}

    plain = {
        "in yours, the first tensor is right, the second is right",
        "in yours, the first tensor is all zeros, the second is all zeros",
    }
    return tuple(
        each
        for each in family(
            "other_parts",
            "in yours, the first tensor is {first}, the second is {last}",
            make,
            first={words.format(other="last"): part for words, part in PARTS.items()},
            last={words.format(other="first"): part for words, part in PARTS.items()},
        )
        if each.message not in plain
    )


OTHER_NETWORKS: dict[str, Network] = {
    "x0 is left out of x2": lambda a, b, w2, x0: np.linalg.norm(b @ (a @ x0 + w2 @ (a @ x0))),
    "x1 is left out of x3": lambda a, b, w2, x0: np.linalg.norm(b @ (x0 + w2 @ (a @ x0))),
    "w2 is left out of x2": lambda a, b, w2, x0: np.linalg.norm(b @ (2 * (a @ x0) + x0)),
    "w2 multiplies x0 in x2, not x1": lambda a, b, w2, x0: np.linalg.norm(b @ (2 * (a @ x0) + w2 @ x0)),
    "x1 takes the place of x0 in x2": lambda a, b, w2, x0: np.linalg.norm(b @ (2 * (a @ x0) + w2 @ (a @ x0))),
    "w1 is transposed in x1": lambda a, b, w2, x0: network(a.T, b, w2, x0),
    "w2 is transposed in x2": lambda a, b, w2, x0: network(a, b, w2.T, x0),
    "w1 is transposed in x3": lambda a, b, w2, x0: network(a, b.T, w2, x0),
    "w1 is transposed in x1 and x3": lambda a, b, w2, x0: network(a.T, b.T, w2, x0),
    "every matrix is transposed": lambda a, b, w2, x0: network(a.T, b.T, w2.T, x0),
    "the products are taken entry by entry, but they must be products of matrices": lambda a, b, w2, x0: np.linalg.norm(
        b * (a * x0 + x0 + w2 * (a * x0))
    ),
    "q is the squared norm": lambda *given: (last_layer(*given) ** 2).sum(),
    "q is half the squared norm": lambda *given: (last_layer(*given) ** 2).sum() / 2,
    "q is the sum of the entries of x3": lambda *given: last_layer(*given).sum(),
    "q is the mean of the entries of x3": lambda *given: last_layer(*given).mean(),
    "q is the sum of the absolute values": lambda *given: np.abs(last_layer(*given)).sum(),
    "q is the largest absolute value": lambda *given: np.abs(last_layer(*given)).max(),
    "q is the root of the mean of the squares": lambda *given: np.sqrt((last_layer(*given) ** 2).mean()),
}


# unrolled_rnn

LIMIT = 1.0


Update = Callable[..., Any]


Stop = Callable[[list[Any]], Any]


def update(w: Any, u: Any, x: Any, h: Any, h0: Any) -> Any:
    return np.tanh(w @ h + u @ x)


def above_limit(found: list[Any]) -> Any:
    """Whether the loop ends, given all states so far."""
    return found[-1].sum() > LIMIT


def never(found: list[Any]) -> bool:
    return False


def states(
    w: Any,
    u: Any,
    xs: Any,
    h0: Any,
    *,
    update: Update = update,
    stop: Stop = above_limit,
    most: int = 10**9,
    more: int = 0,
    ask_first: bool = False,
    vary: dict[int, Any] | None = None,
) -> list[Any]:
    """h0 and every later state, at most `most` steps, and up to `more` after the step that ends the loop.

    With `ask_first` h0 can end the loop too. `vary` holds other weights for single steps.
    """
    found, left = [h0], None
    if ask_first and stop(found):
        return found
    for number, x in enumerate(xs[: max(most, 0)]):
        if left == 0:
            break
        weights = (vary or {}).get(number, w)
        found.append(update(weights, u, x, found[-1], h0))
        if left is None and stop(found):
            left = more
        elif left is not None:
            left -= 1
    return found


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
        ran = states(w, u, xs, h0)
        sums = np.array([h.sum() for h in ran])
        if len(ran) - 1 == steps and np.abs(sums - LIMIT).min() > 0.05 and (sums[-1] > LIMIT) == (steps != length):
            return w, u, xs, h0


def steps_by_end(*call: np.ndarray) -> list[int]:
    """How many steps run: first with the right end of the loop, then with each wrong one."""
    ends: list[dict[str, Any]] = [{}, {"more": 10**9}, {"ask_first": True}, {"more": 1}]
    ends += [{"stop": stop} for stop in OTHER_STOPS.values()]
    steps = [len(states(*call, **end)) - 1 for end in ends]
    return [*steps, steps[0] - (steps[0] < len(call[2]))]


def alike(ends: list[list[int]]) -> int:
    """How many pairs of wrong ends are the same in all calls that the first of the two gets wrong."""
    right, *wrong = np.transpose(ends)
    return sum(not ((one != right) & (one != other)).any() for one, other in itertools.permutations(wrong, 2))


def slope(
    of: int,
    w: np.ndarray,
    u: np.ndarray,
    xs: np.ndarray,
    h0: np.ndarray,
    *,
    loss: Callable[[list[Any]], Any] = lambda found: found[-1].sum(),
    **how: Any,
) -> np.ndarray:
    """The gradient of the sum of the last state (or another `loss`) with respect to argument number `of`."""
    arguments = [w, u, xs, h0]
    steps = len(states(*arguments, **how)) - 1  # a small change must not change where the loop ends
    fixed = how | {"most": steps, "stop": never, "ask_first": False}

    def value(*each: Any) -> Any:
        return loss(states(*each, **fixed))

    return numerical_jacobian(value, arguments, of).reshape(arguments[of].shape)


def rnn(w: np.ndarray, u: np.ndarray, xs: np.ndarray, h0: np.ndarray, **how: Any) -> list[np.ndarray]:
    return [states(w, u, xs, h0, **how)[-1], slope(0, w, u, xs, h0, **how)]


def right_state(gradient: Callable[..., np.ndarray]) -> dict[str, Any]:
    """A mistake in the second result only."""
    return {"forward": lambda *given: [states(*given)[-1], gradient(*given)]}


def of_one_step(number: int, w: np.ndarray, u: np.ndarray, xs: np.ndarray, h0: np.ndarray) -> np.ndarray:
    """The contribution of one step (-1: of the last one) to the gradient."""
    ran = len(states(w, u, xs, h0)) - 1
    if ran == 0:
        return np.zeros_like(w)

    def value(varied: Any) -> Any:
        return states(w, u, xs, h0, vary={number % ran: varied}, most=ran, stop=never)[-1].sum()

    return numerical_jacobian(value, [w], 0).reshape(w.shape)


def steps_run(w: np.ndarray, u: np.ndarray, xs: np.ndarray, h0: np.ndarray) -> int:
    return len(states(w, u, xs, h0)) - 1


OTHER_STOPS: dict[str, Stop] = {
    "when the norm of the state is above 1": lambda found: np.linalg.norm(found[-1]) > LIMIT,
    "when the sum of the absolute values is above 1": lambda found: np.abs(found[-1]).sum() > LIMIT,
    "when the size of the sum is above 1": lambda found: abs(found[-1].sum()) > LIMIT,
    "when the sum is above 0": lambda found: found[-1].sum() > 0,
    "when the sum is below 1": lambda found: found[-1].sum() < LIMIT,
    "when the sum of all new states so far is above 1": lambda found: np.sum(found[1:]) > LIMIT,
}


AT_THE_LIMIT: dict[str, Stop] = {
    "when the sum is 1 or more": lambda found: found[-1].sum() >= LIMIT,
}
"""Wrong only where a sum is exactly 1."""


OTHER_UPDATES: dict[str, Update] = {
    "w is transposed": lambda w, u, x, h, h0: np.tanh(w.T @ h + u @ x),
    "u x is added after the tanh": lambda w, u, x, h, h0: np.tanh(w @ h) + u @ x,
    "w h is added after the tanh": lambda w, u, x, h, h0: w @ h + np.tanh(u @ x),
    "each product has a tanh of its own": lambda w, u, x, h, h0: np.tanh(w @ h) + np.tanh(u @ x),
    "w is multiplied by the tanh of the state": lambda w, u, x, h, h0: w @ np.tanh(h) + u @ x,
    "the old state is added once more": lambda w, u, x, h, h0: h + np.tanh(w @ h + u @ x),
    "each step begins with h0": lambda w, u, x, h, h0: np.tanh(w @ h0 + u @ x),
    "u x is subtracted": lambda w, u, x, h, h0: np.tanh(w @ h - u @ x),
    "u x is left out": lambda w, u, x, h, h0: np.tanh(w @ h),
    "the tanh is a sigmoid": lambda w, u, x, h, h0: 1 / (1 + np.exp(-w @ h - u @ x)),
    "the tanh is a relu": lambda w, u, x, h, h0: np.maximum(w @ h + u @ x, 0),
}


OTHER_SEQUENCES: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "h0 is not used, the first state is zero": lambda xs, h0: (xs, 0 * h0),
    "the first state is all ones, not h0": lambda xs, h0: (xs, np.ones_like(h0)),
    "the rows of xs are used from the last to the first": lambda xs, h0: (xs[::-1], h0),
    "the first row of xs is left out": lambda xs, h0: (xs[1:], h0),
    "the last row of xs is left out": lambda xs, h0: (xs[:-1], h0),
    "the first row of xs is used at each step": lambda xs, h0: (np.repeat(xs[:1], len(xs), axis=0), h0),
    "the first row of xs is used twice": lambda xs, h0: (np.concatenate([xs[:1], xs]), h0),
}


OTHER_LOSSES: dict[str, Callable[[list[Any]], Any]] = {
    "the mean of the last state": lambda found: found[-1].mean(),
    "the sum of the squares of the last state": lambda found: (found[-1] ** 2).sum(),
    "the norm of the last state": lambda found: np.linalg.norm(found[-1]),
    "the first entry of the last state": lambda found: found[-1][0],
    "the last entry of the last state": lambda found: found[-1][-1],
    "the sum of the last state before its tanh": lambda found: np.arctanh(found[-1] if found[1:] else 0).sum(),
    "the sums of all states, added up": lambda found: np.sum(found),
}


SPECS = {
    "shared_weight_gradient": CallSpec(
        contributions,
        shared_inputs,
        also=(NO_TRACE,),
        mistakes=(
            Mistake(
                "sum",
                "this is the sum of the two contributions, the whole gradient of w1: the result must be a pair",
                forward=lambda *given: sum(contributions(*given)),
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
            *other_parts(),
            *family(
                "other_network",
                "these are the contributions to another q than that of the statement: in yours, {slip}",
                lambda slip: {"forward": lambda *given: contributions(*given, of=slip)},
                slip=OTHER_NETWORKS,
            ),
        ),
        holds={
            "Write a function `shared_weight_gradient(w1,": "value",
            "Return a pair of tensors, as": "value, sum",
            "The first tensor is the contribution": "value, other_parts, not_through_w2, only_through_w2",
            "The second tensor is the contribution": "value, other_parts, other_network",
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
        mistakes=(
            Mistake(
                "to_the_end",
                "the loop goes on to the last row of xs: it must end after the first step whose "
                "new state has a sum above 1",
                forward=lambda *given: rnn(*given, more=10**9),
            ),
            Mistake(
                "asked_first",
                "the loop can end before its first step, because the sum of h0 counts too: only "
                "the sum of a new state must end it",
                forward=lambda *given: rnn(*given, ask_first=True),
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
            *family(
                "other_end",
                "the loop ends {when}, but it must end when the sum of the new state is above 1",
                lambda when: {"forward": lambda *given: rnn(*given, stop=when)},
                when=OTHER_STOPS | AT_THE_LIMIT,
            ),
            Mistake(
                "linear",
                "the tanh is missing: the new state is the tanh of the sum of the two products",
                forward=lambda *given: rnn(*given, update=lambda w, u, x, h, h0: w @ h + u @ x),
            ),
            *family(
                "other_update",
                "the states are not those of the formula: in yours, {slip}",
                lambda slip: {"forward": lambda *given: rnn(*given, update=slip)},
                slip=OTHER_UPDATES,
            ),
            *family(
                "other_sequence",
                "the loop begins or goes on with other numbers: in yours, {slip}",
                lambda slip: {"forward": lambda w, u, xs, h0: rnn(w, u, *slip(xs, h0))},
                slip=OTHER_SEQUENCES,
            ),
            Mistake(
                "last_step",
                "the gradient has only the contribution of the last step, as if the states were cut off from their history, "
                "or each step had its own copy of w",
                **right_state(lambda *given: of_one_step(-1, *given)),
            ),
            Mistake(
                "first_step",
                "the gradient has only the contribution of the first step, but each step uses w",
                **right_state(lambda *given: of_one_step(0, *given)),
            ),
            Mistake(
                "not_the_last_step",
                "the gradient lacks the contribution of the last step",
                **right_state(lambda *given: slope(0, *given) - of_one_step(-1, *given)),
            ),
            *family(
                "other_argument",
                "this is the gradient with respect to {what}, not w",
                lambda what: right_state(lambda *given: slope(what, *given)),
                what={"u": 1, "xs": 2, "h0": 3},
            ),
            *family(
                "other_loss",
                "the last state is right, but this is the gradient of {what}, not of the sum of the last state",
                lambda what: right_state(lambda *given: slope(0, *given, loss=what)),
                what=OTHER_LOSSES,
            ),
            Mistake(
                "swapped",
                "the two results are swapped: the last state comes first, then the gradient",
                forward=lambda *given: rnn(*given)[::-1],
            ),
            Mistake(
                "all_states",
                "these are all states and the gradient: of the states, only the last one must be in the result",
                forward=lambda *given: [np.stack(states(*given)[1:] or [given[3]]), rnn(*given)[1]],
            ),
        ),
        holds={
            "Write a function `unrolled_rnn(w,": "value",
            "It returns a pair of tensors,": "value, swapped, all_states, other_argument, other_loss",
            "A *recurrent network* reads": "explains",
            "Each step computes the new state": "value, linear, other_update",
            "The weights $w$ and $u$ are": "value, other_update, first_step, last_step",
            "The loop starts with the state": "value, other_sequence",
            "The inputs are the rows of `xs`,": "value, other_sequence",
            "The loop ends after the first": "value, to_the_end, one_too_many, one_too_few, other_end",
            "The sum of `h0` does not matter,": "value, asked_first",
            "If `xs` has no rows, no step": "runs, value",
            "Then the last state is `h0`,": "runs, value",
            "For example:": "explains",
            "The checks try loops that end": "runs, value, asked_first",
            "They compare the state and the": "value",
            "They check that the arguments": "unchanged, leaves_a_trace, repeat",
        },
    ),
}
