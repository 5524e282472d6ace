"""The specification of notebook 06, graphs that are used up: two_gradients, turn_gradients."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec, Mistake, drawn, family
from ..exercises.declaration import Watched
from ..jacobian import numerical_jacobian
from .e02_grad_and_backward import NO_TRACE

PAIRS = (
    ("((h := torch.exp({a} * x)).sum(), ({a} * h * h).sum())", (2,)),
    ("((h := {f}({a} * x) * x)[0], h[1] ** 2 + {a} * h.sum())", (3,)),
    ("((h := {f}({a} * x)).sum() * h[0, 1], ({a} * h ** {n}).sum())", (2, 3)),
    ("((h := {a} * x ** {n}) * 2, torch.exp(-{a} * h))", ()),
)


def pair_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(Watched("x", drawn(pair, rng)), rng.uniform(0.3, 1.2, size=shape)) for pair, shape in PAIRS]


def both(f: Callable[..., Any], x: np.ndarray) -> list[np.ndarray]:
    return [numerical_jacobian(lambda at, i=i: f(at)[i], [x], 0).reshape(x.shape) for i in (0, 1)]


PARTS: dict[str, Callable[[Any, Any], Any]] = {
    "right": lambda own, other: own,
    "the gradient of the {other} number": lambda own, other: other,
    "the sum of the two gradients": lambda own, other: own + other,
    "the difference of the two gradients": lambda own, other: own - other,
    "half the sum of the two gradients": lambda own, other: (own + other) / 2,
    "the product of the two gradients": lambda own, other: own * other,
    "twice what it must be": lambda own, other: 2 * own,
    "minus what it must be": lambda own, other: -own,
    "all zeros": lambda own, other: np.zeros_like(own),
}
"""What can stand in the place of one gradient, given this one and the other one."""


def other_parts() -> tuple[Mistake, ...]:
    """Every pair of `PARTS` but the right one, and but those that have a sentence of their own."""

    def make(first: Any, second: Any) -> dict[str, Any]:
        def pair(f: Any, x: np.ndarray) -> list[np.ndarray]:
            one, two = both(f, x)
            return [first(one, two), second(two, one)]

        return {"forward": pair}

    first, second = ({words.format(other=o): part for words, part in PARTS.items()} for o in ("second", "first"))
    found = family(
        "other_parts", "in yours, the first is {first}, the second is {second}", make, first=first, second=second
    )
    right, other, total, *_, zeros = PARTS
    named = {
        (right, right),
        (right, total),
        (total, total),
        (other, other),
        (right, other),
        ("twice what it must be", "twice what it must be"),
        ("minus what it must be", "minus what it must be"),
        (zeros, zeros),
    }
    return tuple(each for each, parts in zip(found, itertools.product(PARTS, PARTS), strict=True) if parts not in named)


def called_once(called: Any) -> str | None:
    times = called.counted("calls")
    if times == 0:
        return "f is never called: call it once"
    return (
        None if times == 1 else f"f is called {times} times, so the shared part is computed {times} times: call f once"
    )


def turn_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls = [((2,), 2), ((3,), 4), ((2, 2), 3), ((), 5), ((1,), 3)]
    return [
        (rng.uniform(0.5, 1.5, size=shape), rng.uniform(0.2, 1, size=shape), rng.normal(size=(turns, *shape)) / 2)
        for shape, turns in calls
    ]


def by_turn(w: np.ndarray, state: np.ndarray, inputs: np.ndarray, reach: float = 0.0, carry: bool = True) -> np.ndarray:
    """The gradient of each turn.

    With `reach` 1 it goes back through all earlier turns; without `carry` each turn starts at the first state.
    """
    gradients, change, first = [], np.zeros_like(w), state
    for given in inputs:
        before = state if carry else first
        state = np.tanh(w * before + given)
        change = (1 - state**2) * (before + reach * w * change)
        gradients.append(2 * state * change)
    return np.stack(gradients)


Update = Callable[[Any, Any, Any], Any]


def update(w: Any, before: Any, given: Any) -> Any:
    return np.tanh(w * before + given)


def by_a_tiny_step(
    w: np.ndarray,
    state: np.ndarray,
    inputs: np.ndarray,
    *,
    update: Update = update,
    term: Callable[[Any], Any] = np.square,
) -> np.ndarray:
    """The gradient of each turn for another update or another loss, the sum of `term(state)`, by imaginary steps."""
    gradients = []
    for given in inputs:
        gradients.append(np.imag(term(update(w + 1e-30j, state, given))) / 1e-30)
        state = update(w, state, given)
    return np.stack(gradients)


def by_formula(
    w: np.ndarray, state: np.ndarray, inputs: np.ndarray, *, slope: Callable[[Any, Any, Any], Any]
) -> np.ndarray:
    """`slope(w, before, after)` of each turn."""
    gradients = []
    for given in inputs:
        before, state = state, update(w, state, given)
        gradients.append(slope(w, before, state))
    return np.stack(gradients)


def two_turns(w: np.ndarray, state: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The gradient of each turn back through one turn before, and no further."""
    gradients, change = [], np.zeros_like(w)
    for given in inputs:
        before, state = state, update(w, state, given)
        gradients.append(2 * state * (1 - state**2) * (before + w * change))
        change = (1 - state**2) * before
    return np.stack(gradients)


def with_steps(w: np.ndarray, state: np.ndarray, inputs: np.ndarray, *, rate: float) -> np.ndarray:
    """The gradient of each turn if w makes a step downhill after each."""
    gradients = []
    for given in inputs:
        (gradient,) = by_turn(w, state, given[None])
        gradients.append(gradient)
        w, state = w - rate * gradient, update(w, state, given)
    return np.stack(gradients)


OTHER_UPDATES: dict[str, Update] = {
    "the tanh is missing": lambda w, before, given: w * before + given,
    "the input is left out": lambda w, before, given: np.tanh(w * before),
    "the input is subtracted": lambda w, before, given: np.tanh(w * before - given),
    "the input is added after the tanh": lambda w, before, given: np.tanh(w * before) + given,
    "w multiplies the input too": lambda w, before, given: np.tanh(w * (before + given)),
    "w multiplies the input, not the state": lambda w, before, given: np.tanh(before + w * given),
    "w is added to the state": lambda w, before, given: np.tanh(w + before + given),
    "the old state is added once more": lambda w, before, given: before + np.tanh(w * before + given),
    "the tanh is a sigmoid": lambda w, before, given: 1 / (1 + np.exp(-w * before - given)),
}


OTHER_INPUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "the inputs are used from the last to the first": lambda inputs: inputs[::-1],
    "each turn uses the first input": lambda inputs: np.stack([inputs[0]] * len(inputs)),
    "the first turn uses the last input, and each later one the input of the turn before": lambda inputs: np.roll(
        inputs, 1, axis=0
    ),
    "each turn uses the input of the turn after it": lambda inputs: np.roll(inputs, -1, axis=0),
}


OTHER_LOSSES: dict[str, Callable[[Any, int], Any]] = {
    "the mean of the squares": lambda state, size: state**2 / size,
    "the sum of the states, not squared": lambda state, size: state,
    "the sum of the third powers": lambda state, size: state**3,
    "the mean of the states": lambda state, size: state / size,
}


OTHER_SLOPES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "the slope of tanh is missing": lambda w, before, after: 2 * after * before,
    "the slope of tanh is taken from the state before": lambda w, before, after: 2 * after * (1 - before**2) * before,
    "the slope of tanh is taken of the new state, which is a tanh already": lambda w, before, after: (
        2 * after * (1 - np.tanh(after) ** 2) * before
    ),
    "the state before is missing, as in the gradient of the input": lambda w, before, after: 2 * after * (1 - after**2),
    "the new state stands for the state before": lambda w, before, after: 2 * after * (1 - after**2) * after,
    "w stands for the state before, as in the gradient of the state": lambda w, before, after: (
        2 * after * (1 - after**2) * w
    ),
}


OTHER_ROWS: dict[str, Callable[[np.ndarray], Any]] = {
    "the gradients come in reverse order": lambda rows: rows[::-1].copy(),
    "all turns hold the gradient of the last turn, as if they were one and the same tensor": lambda rows: np.stack(
        [rows[-1]] * len(rows)
    ),
    "all turns hold the gradient of the first turn": lambda rows: np.stack([rows[0]] * len(rows)),
    "this is the gradient of the last turn alone": lambda rows: rows[-1],
    "this is the gradient of the first turn alone": lambda rows: rows[0],
    "this is one gradient, the mean over all turns: each turn needs its own": lambda rows: rows.mean(axis=0),
    "each gradient is divided by the number of turns": lambda rows: rows / len(rows),
    "the gradients are right, but they come in a list: the result must be one tensor": list,
}


SPECS = {
    "two_gradients": CallSpec(
        both,
        pair_inputs,
        also=(Also("called_again", "f is called once", called_once, counted=True), NO_TRACE),
        mistakes=(
            Mistake(
                "added_up",
                "both are the sum of the two gradients: every backward pass adds to `.grad`, and "
                "`autograd.grad` adds up the gradients of all results that it gets",
                forward=lambda f, x: [sum(both(f, x))] * 2,
            ),
            Mistake(
                "added_up",
                "there is only one gradient, the sum of the two: `autograd.grad` adds up the gradients of all results that "
                "it gets",
                forward=lambda f, x: [sum(both(f, x))],
            ),
            Mistake(
                "accumulated",
                "the second one is the sum of both gradients, as where a second backward pass adds to a `.grad` that was not cleared",
                forward=lambda f, x: [both(f, x)[0], sum(both(f, x))],
            ),
            Mistake(
                "swapped",
                "the two gradients are swapped",
                forward=lambda f, x: both(f, x)[::-1],
            ),
            Mistake(
                "same_twice",
                "both are the gradient of the first result",
                forward=lambda f, x: [both(f, x)[0]] * 2,
            ),
            Mistake(
                "tuples",
                "each of the two is a tuple: `autograd.grad` gives a tuple, even for one leaf",
                forward=lambda f, x: [[each] for each in both(f, x)],
            ),
            Mistake("values", "these are the two results, not their gradients", forward=lambda f, x: list(f(x))),
            *other_parts(),
        ),
        holds={
            "Write a function `two_gradients(f,": "value, values, other_parts, swapped, same_twice",
            "Both gradients are tensors with": "value, tuples",
            "The two numbers share a part": "explains",
            "The shared part takes long to": "called_again",
            "For example:": "explains",
            "The checks try several functions,": "value",
            "They compare each gradient with": "value",
            "They check that `f` is called": "called_again, unchanged, leaves_a_trace, repeat",
        },
    ),
    "turn_gradients": CallSpec(
        by_turn,
        turn_inputs,
        also=(NO_TRACE,),
        mistakes=(
            Mistake(
                "whole_past",
                "the first turn is right, but later gradients go back through all the turns "
                "before: use the state without its history",
                forward=lambda w, state, inputs: by_turn(w, state, inputs, reach=1.0),
            ),
            Mistake(
                "accumulated",
                "each gradient is the sum of the gradients of all turns so far, it must be that of its own turn: something "
                "adds up from turn to turn, as a `.grad` that is not cleared does, or a loss or a total to which each turn adds",
                forward=lambda w, state, inputs: by_turn(w, state, inputs).cumsum(axis=0),
            ),
            Mistake(
                "accumulated",
                "each gradient includes the earlier turns twice: through the history of the "
                "state, and because the gradients of all turns so far are added up",
                forward=lambda w, state, inputs: by_turn(w, state, inputs, reach=1.0).cumsum(axis=0),
            ),
            Mistake(
                "total",
                "all turns hold the sum over all turns, as if they were one and the same tensor, to which each turn adds",
                forward=lambda w, state, inputs: np.stack([by_turn(w, state, inputs).sum(axis=0)] * len(inputs)),
            ),
            Mistake(
                "not_carried",
                "each turn begins with the first state: pass the new state on to the next turn",
                forward=lambda w, state, inputs: by_turn(w, state, inputs, carry=False),
            ),
            Mistake(
                "one_sum",
                "this is one gradient, the sum over all turns: each turn needs its own",
                forward=lambda w, state, inputs: by_turn(w, state, inputs).sum(axis=0),
            ),
            Mistake(
                "two_turns",
                "the gradient of a turn goes back through the turn before it too: use the state without its history",
                forward=two_turns,
            ),
            *family(
                "other_update",
                "the states are not those of the formula: in yours, {slip}",
                lambda slip: {"forward": lambda *given: by_a_tiny_step(*given, update=slip)},
                slip=OTHER_UPDATES,
            ),
            *family(
                "other_inputs",
                "{slip}",
                lambda slip: {"forward": lambda w, state, inputs: by_turn(w, state, slip(inputs))},
                slip=OTHER_INPUTS,
            ),
            *family(
                "steps",
                "w changes from turn to turn, but all gradients must be taken at the w that was given",
                lambda rate: {"forward": lambda *given: with_steps(*given, rate=rate)},
                rate={str(rate): rate for rate in (1.0, 0.5, 0.1, 0.05, 0.01, 0.001)},
            ),
            *family(
                "other_loss",
                "these are the gradients of another loss: in yours, it is {slip}",
                lambda slip: {
                    "forward": lambda w, *given: by_a_tiny_step(w, *given, term=lambda state: slip(state, w.size))
                },
                slip=OTHER_LOSSES,
            ),
            *family(
                "other_slope",
                "the gradients lack a factor or have a wrong one: in yours, {slip}",
                lambda slip: {"forward": lambda *given: by_formula(*given, slope=slip)},
                slip=OTHER_SLOPES,
            ),
            *family(
                "other_rows",
                "{slip}",
                lambda slip: {"forward": lambda *given: slip(by_turn(*given))},
                slip=OTHER_ROWS,
            ),
        ),
        holds={
            "Write a function `turn_gradients(w,": "value, accumulated, total, one_sum, other_rows",
            "The loop carries a state from": "value, not_carried",
            "Turn $t = 1, 2, \\dots$ computes": "value, other_update, other_loss",
            "All operations except the sum": "explains",
            "$\\text{state}_0$ is the argument": "value",
            "$\\text{input}_t$ is `inputs[t": "value, other_inputs",
            "In turn $t$, treat $\\text{state}_{t-1}$": "value, whole_past, two_turns",
            "It depends on `w` too, but leave": "value, whole_past, two_turns",
            "`w` and `state` have the same": "explains",
            "`inputs` holds one tensor of": "explains",
            "The result is one tensor with": "value, other_rows",
            "For example:": "explains",
            "By hand, for the first turn:": "explains",
            "The checks try two to five turns": "value",
            "They compare each gradient with": "value",
            "They check that the arguments": "unchanged, leaves_a_trace, repeat",
        },
    ),
}
