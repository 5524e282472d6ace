"""Exercises of notebook 06, graphs that are used up: two_gradients, turn_gradients."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..jacobian import numerical_jacobian
from .declaration import Also, Arguments, Call, Exercise, Mistake, Watched
from .e02_grad_and_backward import NO_TRACE

NOTEBOOK = "06_freed_graphs"

PAIRS = (
    "((h := torch.exp(x)).sum(), (h * h * 3).sum())",
    "((h := torch.tanh(x) * x)[0], h[1] ** 2 + h.sum())",
    "((h := torch.sin(x)).sum() * h[0, 1], (h ** 2).sum())",
    "((h := x ** 3) * 2, torch.exp(-h))",
)


def pair_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes = [(2,), (3,), (2, 3), ()]
    return [(Watched("x", pair), rng.uniform(0.3, 1.2, size=shape)) for pair, shape in zip(PAIRS, shapes, strict=True)]


def both(f: Callable[..., Any], x: np.ndarray) -> list[np.ndarray]:
    return [numerical_jacobian(lambda at, i=i: f(at)[i], [x], 0).reshape(x.shape) for i in (0, 1)]


def called_once(called: Any) -> str | None:
    times = called.arguments[0].calls
    return (
        None if times == 1 else f"f is called {times} times, so the shared part is computed {times} times: call f once"
    )


def turn_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls = [((2,), 2), ((3,), 4), ((2, 2), 3), ((), 5)]
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


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="two_gradients",
        points=1,
        title="Two results, one graph",
        grading=Call(
            ("f", "x"),
            both,
            pair_inputs,
            also=(Also("called_again", "f is called once", called_once, counted=True), NO_TRACE),
        ),
        hints=(
            (
                "Both results share some nodes. What happens to the values that these nodes have "
                "saved when the first gradient is computed?"
            ),
            "One of the two backward passes must keep the graph, because another pass needs it. Which one?",
            (
                "`autograd.grad` returns a gradient without storing it, so two gradients cannot "
                "mix. It has an option that keeps the graph."
            ),
        ),
        mistakes=(
            Mistake(
                "added_up",
                "both are the sum of the two gradients: every backward pass adds to `.grad`, and "
                "`autograd.grad` adds up the gradients of all results that it gets",
                forward=lambda f, x: [sum(both(f, x))] * 2,
            ),
            Mistake(
                "accumulated",
                "the second one is the sum of both: it was added to the gradient that the first pass had stored",
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
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="turn_gradients",
        points=2,
        title="A state that is carried on",
        grading=Call(("w", "state", "inputs"), by_turn, turn_inputs, also=(NO_TRACE,)),
        hints=(
            (
                "The loss of each turn has a graph. How far back does the graph of the second "
                "turn go if you do nothing about it?"
            ),
            (
                "A turn must get only numbers from the turn before. Lesson 05 has a tool that "
                "gives you a tensor without its history."
            ),
            (
                "Detach the state at the beginning of each turn. Then compute the new state, the "
                "loss, and the gradient of this loss alone. Collect the gradients in a list: "
                "`torch.stack` makes one tensor from it."
            ),
        ),
        mistakes=(
            Mistake(
                "whole_past",
                "the first turn is right, but later gradients go back through all the turns "
                "before: use the state without its history",
                forward=lambda w, state, inputs: by_turn(w, state, inputs, reach=1.0),
            ),
            Mistake(
                "accumulated",
                "each gradient is the sum of all turns so far: the gradient stored in the turn before is still there",
                forward=lambda w, state, inputs: by_turn(w, state, inputs).cumsum(axis=0),
            ),
            Mistake(
                "accumulated",
                "each gradient includes the earlier turns twice: through the history of the "
                "state, and through the stored gradient",
                forward=lambda w, state, inputs: by_turn(w, state, inputs, reach=1.0).cumsum(axis=0),
            ),
            Mistake(
                "total",
                "all turns are the same: the list holds one and the same tensor for each turn, "
                "and this tensor holds the sum over all turns",
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
        ),
    ),
)
