"""The specification of notebook 06, graphs that are used up: two_gradients, turn_gradients."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec
from ..exercises.declaration import Watched
from ..jacobian import numerical_jacobian
from ..mutants import Slip
from .e02_grad_and_backward import NO_TRACE
from .formulas import drawn

PAIRS = (
    ("((h := torch.exp({a} * x)).sum(), ({a} * h * h).sum())", (2,)),
    ("((h := {f}({a} * x) * x)[0], h[1] ** 2 + {a} * h.sum())", (3,)),
    ("((h := {f}({a} * x)).sum() * h[0, 1], ({a} * h ** {n}).sum())", (2, 3)),
    ("((h := {a} * x ** {n}) * 2, torch.exp(-{a} * h))", ()),
)


def pair_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(Watched("x", drawn(pair, rng)), rng.uniform(0.3, 1.2, size=shape)) for pair, shape in PAIRS]


def both(f: Any, x: np.ndarray) -> list[np.ndarray]:
    slopes = [numerical_jacobian(lambda at, i=i: f(at)[i], [x], 0).reshape(x.shape) for i in (0, 1)]
    first = slopes[0]  #: the gradient of the first number
    second = slopes[1]  #: the gradient of the second number
    return [first, second]  #: the pair of gradients


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


TINY = 1e-30
"""An imaginary step of this size gives a derivative without rounding. To take the real part is to detach."""


def by_turn(w: np.ndarray, state: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The gradient of each turn. Each entry of a state depends on its own entry of w, so one imaginary step is enough."""
    rows: list[np.ndarray] = []
    w = w + TINY * 1j
    for given in inputs:  #: the turns
        before = state
        state = np.tanh(w * before + given)  #: the new state
        loss = state**2  #: the loss
        gradient = loss.imag / TINY
        rows.append(gradient)  #: the gradient of a turn
        state = state.real  #: the state that is carried on
    return np.stack(rows)  #: the result


SPECS = {
    "two_gradients": CallSpec(
        both,
        pair_inputs,
        also=(Also("called_again", "f is called once", called_once, counted=True), NO_TRACE),
        mistakes=(
            Slip(
                "the pair",
                "[first + second, first + second]",
                "both are the sum of the two gradients: every backward pass adds to `.grad`, and `autograd.grad` adds up "
                "the gradients of all results that it gets",
            ),
            Slip(
                "the pair",
                "[first + second]",
                "there is only one gradient, the sum of the two: `autograd.grad` adds up the gradients of all results "
                "that it gets",
            ),
            Slip(
                "the pair",
                "[first, first + second]",
                "the second one is the sum of both gradients, as if a second backward pass added to a `.grad` that was not "
                "cleared",
            ),
            Slip(
                "the pair",
                "[first + second, first]",
                "the first one is the sum of both gradients, as if a second backward pass added to a `.grad` that was not "
                "cleared, and the second one is the gradient of the first number: the two are also swapped",
            ),
            Slip("the pair", "[second, first]", "the two gradients are swapped"),
            Slip("the pair", "[first, first]", "both are the gradient of the first number"),
            Slip(
                "the pair",
                "[second, second]",
                "both are the gradient of the second number: are they one tensor, such as a `.grad` that the second "
                "backward pass has changed?",
            ),
            Slip(
                "the pair",
                "[[first], [second]]",
                "each of the two is a tuple: `autograd.grad` gives a tuple, even for one leaf",
            ),
            Slip("the pair", "list(f(x))", "these are the two results, not their gradients"),
        ),
        holds={
            "Write a function `two_gradients(f,": "value",
            "Both gradients are tensors with": "value",
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
            Slip(
                "the state that",
                "state",
                "the first turn is right, but later gradients go back through all the turns before: use the state without "
                "its history",
            ),
            Slip(
                "the gradient",
                "rows.append(sum([*rows[-1:], gradient]))",
                "each gradient is the sum of the gradients of all turns so far, it must be that of its own turn: something "
                "adds up from turn to turn, as a `.grad` that is not cleared does, or a loss or a total to which each turn "
                "adds",
            ),
            Slip(
                "the new state",
                "np.tanh(w * before) + given",
                "the input is added outside of tanh, but it must go through tanh too",
            ),
            Slip(
                "the gradient",
                "rows.append(0 * gradient)",
                "all gradients are 0: was a `.grad` that is kept set to zero afterwards? It is one tensor: keep a clone of it",
            ),
            Slip(
                "the gradient",
                "rows.append(gradient) or (w := w - 0.1 * gradient)",
                "w changes from turn to turn, but all gradients must be taken at the w that was given",
            ),
            Slip(
                "the gradient",
                "rows.append(gradient / before * w.real)",
                "these are gradients with respect to the state, but those with respect to w are asked for",
            ),
            Slip(
                "the gradient",
                "rows.append(gradient / before * state.real)",
                "in the gradient, the new state stands in the place of the state before",
            ),
            Slip(
                "the state that",
                "before",
                "each turn begins with the first state: pass the new state on to the next turn",
            ),
            Slip(
                "the result",
                "np.stack([sum(rows)] * len(rows))",
                "all turns hold the sum over all turns, as if they were one and the same tensor, to which each turn adds",
            ),
            Slip(
                "the result",
                "np.stack([rows[-1]] * len(rows))",
                "all turns hold the gradient of the last turn, as if they were one and the same tensor",
            ),
            Slip("the result", "sum(rows)", "this is one gradient, the sum over all turns: each turn needs its own"),
            Slip(
                "the result", "rows", "the gradients are right, but they come in a list: the result must be one tensor"
            ),
            Slip("the loss", "state", "the loss is the sum of the states, but they must be squared first"),
            Slip("the loss", "state**2 / state.size", "the loss is the mean of the squares, but it must be their sum"),
            Slip("the turns", "inputs[1:]", "the loop begins with the second input: the first turn is missing"),
        ),
        holds={
            "Write a function `turn_gradients(w,": "value",
            "The loop carries a state from": "value",
            "Turn $t = 1, 2, \\dots$ computes": "value",
            "All operations except the sum": "explains",
            "$\\text{state}_0$ is the argument": "value",
            "$\\text{input}_t$ is `inputs[t": "value",
            "In turn $t$, treat $\\text{state}_{t-1}$": "value",
            "It depends on `w` too, but leave": "value",
            "`w` and `state` have the same": "explains",
            "`inputs` holds one tensor of": "explains",
            "The result is one tensor with": "value",
            "For example:": "explains",
            "By hand, for the first turn:": "explains",
            "The checks try two to five turns": "value",
            "They compare each gradient with": "value",
            "They check that the arguments": "unchanged, leaves_a_trace, repeat",
        },
    ),
}
