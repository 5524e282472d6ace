"""The specification of notebook 05, what is recorded and what is not: train_linear, stop_gradient, ema_update."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec, Mistake
from ..exercises.declaration import Leaf
from ..exercises.e05_no_grad_and_detach import LOST, SIZE, STEPS
from ..mutants import Slip

TINY = 1e-30
"""An imaginary step of this size gives a derivative without rounding. To take the real part is to detach."""


# train_linear


def training_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Runs of several steps, one of them with so large an lr that the loss grows."""
    calls = []
    for rows, columns, steps, lr in [(3, 2, 3, 0.1), (5, 3, 6, 0.05), (4, 1, 4, 0.2), (8, 4, 12, 0.1)]:
        data = rng.normal(size=(rows, columns))
        calls.append((data, rng.normal(size=rows), Leaf(rng.normal(size=columns)), steps, lr))
    data = rng.choice([-1, 1], size=(6, 1)) * rng.uniform(0.5, 1.5, size=(6, 1))
    too_large = round(float(1.2 / np.mean(data**2)), 3)
    calls.append((data, rng.normal(size=6), Leaf(rng.choice([-1, 1], size=1) * rng.uniform(3, 4)), 3, too_large))
    return calls


def mean_squared_error(data: np.ndarray, targets: np.ndarray, w: np.ndarray) -> Any:
    errors = data @ w - targets  #: the errors
    squares = errors**2  #: the squared errors
    return np.mean(squares)  #: the loss; the losses and the steps come from it


def gradient_of(loss: Callable[..., Any], data: np.ndarray, targets: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.array([loss(data, targets, w + TINY * 1j * one).imag / TINY for one in np.eye(len(w))])


def trained(data: np.ndarray, targets: np.ndarray, w: np.ndarray, steps: int, lr: float) -> dict[str, Any]:
    """The loss before each step, and the weights at the end."""
    losses: list[float] = []
    gradient = np.zeros_like(w)
    for _ in range(steps):  #: the number of steps
        loss = mean_squared_error(data, targets, w)
        found = gradient_of(mean_squared_error, data, targets, w)
        gradient = found  #: the gradient
        losses.append(float(loss))  #: the list of losses
        w = w - gradient * lr  #: the new w
    return {"losses": losses, "w": w}


def keeps_no_history(called: Any) -> str | None:
    if not any(each.requires_grad and not each.is_leaf for each in called.results):
        return None
    return "returned losses still have a history: as long as they exist, they keep the graphs of their steps in memory"


def stays_a_leaf(*names: str) -> Also:
    """A check that the named arguments are still leaves after the call, with the same `requires_grad`."""

    def judge(called: Any) -> str | None:
        for name in names:
            facts, given = called.after[name], called.arguments[called.names.index(name)]
            if not facts.is_leaf:
                return f"{name} is not a leaf any more: an operation that changed it was recorded, so it has a history"
            if facts.requires_grad != isinstance(given, Leaf):
                now = (
                    "requires grad after the call and did not before"
                    if facts.requires_grad
                    else "does not require grad any more"
                )
                return f"{name} {now}: its `requires_grad` must not change"
        return None

    *others, last = names
    several = (
        f"{', '.join(others)} and {last} are still leaves, and their" if others else f"{last} is still a leaf, and its"
    )
    text = f"{several} requires_grad is the same"
    return Also("no_leaf_any_more", text, judge, counted=True)


# stop_gradient


BLIND = ("none", "a", "b", "both")


def loss_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(*map(Leaf, rng.uniform(-2, 2, size=2)), blind) for blind in [*BLIND, "a", "b"]]


WHO = {"none": "", "a": "a", "b": "b", "both": "ab"}
"""Who is blind."""


def descent(a: Any, b: Any, blind: str) -> dict[str, Any]:
    """The loss and its gradient at the start, and the place where the steps end."""
    who = WHO[blind]  #: who is blind

    def loss_of(a: Any, b: Any) -> Any:
        last_a = a.real if "a" in who else a
        last_b = b.real if "b" in who else b
        first = (a - 1) ** 2  #: the first term
        second = (b + 1) ** 2  #: the second term
        last = (last_a - last_b) ** 2  #: the last term
        return first + second + last

    def gradient(a: float, b: float) -> list[float | None]:
        found = [loss_of(a + TINY * 1j, b).imag / TINY, loss_of(a, b + TINY * 1j).imag / TINY]
        return found  #: the gradient

    a, b = float(a), float(b)
    at_start = [each if each is None else np.asarray(each) for each in gradient(a, b)]
    loss = np.asarray(loss_of(a, b))
    for _ in range(STEPS):
        for_a, for_b = gradient(a, b)
        a, b = a - SIZE * (for_a or 0), b - SIZE * (for_b or 0)
    return {"loss": loss, "gradient": at_start, "end": [np.asarray(a), np.asarray(b)]}


TAKEN_FOR = {"none": ["both"], "a": ["none", "both"], "b": ["none", "both"], "both": ["none", "b"]}
"""A word for `blind` -> other words as which it was understood."""

SENT_TO = {"none": "a and b", "a": "b alone", "b": "a alone", "both": "neither"}
"""Who gets a gradient from the last term, in words."""


# ema_update


AVERAGES = {
    ((2,), 0.9): True,
    ((3,), 0.75): False,
    ((2, 3), 0.99): True,
    ((), 0.6): True,
    ((1,), 0.5): False,
}
"""Shape and decay of each call, and whether the average requires grad."""


def average_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls = []
    for (shape, decay), leaf in AVERAGES.items():
        average = rng.normal(size=shape)
        calls.append((Leaf(average) if leaf else average, Leaf(rng.normal(size=shape)), decay))
    return calls


def moved(average: np.ndarray, weight: np.ndarray, decay: float) -> np.ndarray:
    kept = decay * average  #: the part of the old average
    share = 1 - decay  #: the share of weight
    added = share * weight  #: the part of weight
    return kept + added  #: the new average


SPECS = {
    "train_linear": CallSpec(
        trained,
        training_inputs,
        also=(
            Also("history_kept", "the losses have no history", keeps_no_history, counted=True),
            stays_a_leaf("w", "data", "targets"),
        ),
        mistakes=(
            Slip(
                "the loss",
                "np.sqrt(np.mean(squares))",
                "the square root of the mean is taken: the loss is the mean itself",
            ),
            Slip(
                "the loss", "np.sum(squares) / len(w)", "the loss is divided by the number of weights, not of examples"
            ),
            Slip(
                "the gradient",
                "gradient + found",
                "each step but the first uses the sum of all gradients so far, as if `.grad` were never cleared",
            ),
            Slip(
                "the gradient",
                "found * len(data) / len(w)",
                "the gradient is divided by the number of weights, but the loss is the mean over the examples",
            ),
            Slip("the new w", "w", "w stays as it was: is the gradient 0, or gone, when the step is made?"),
            Slip(
                "the new w", "w + lr * gradient", "the steps go uphill: the loss grows in the direction of the gradient"
            ),
            Slip(
                "the list",
                "losses.append(float(mean_squared_error(data, targets, w - lr * gradient)))",
                "each loss is the loss after its step: the list must begin with the loss at the starting point",
            ),
            Slip("the number", "range(1)", "only one step is made: does the `return` stand inside the loop?"),
            Mistake(
                "the list of losses is missing: the result is None",
                lambda *given: {"losses": None},
            ),
            Mistake(
                "the losses must be a list with the loss of each step, but this is only the last loss",
                lambda *given: {"losses": trained(*given)["losses"][-1]},
            ),
            Mistake(
                "the caller's w has not changed: nothing was written into it "
                "(`w = ...` only gives the name w to another tensor)",
                lambda data, targets, w, steps, lr: {"w": w},
            ),
            Mistake(
                "the result is wrong only where the loss grows, because lr is large: all steps are asked for there too",
                where=lambda *given: bool((np.diff(trained(*given)["losses"]) > 0).any()),
            ),
        ),
        holds={
            "Repair the function `train_linear(data,": "runs, value",
            "It must train `w` by `steps`": "value",
            "A tuple or a tensor with these": "explains",
            "The matrix `data` has one example": "explains",
            "The vector `targets` has one": "explains",
            "The loss of the weights `w`,": "value",
            "Each step of gradient descent": "value",
            "`w` is a leaf that requires": "explains",
            "After the call **this same tensor**": "value",
            "It must still be a leaf that": "no_leaf_any_more",
            "The caller keeps the list of": "history_kept",
            "Its entries are plain Python": "history_kept, value",
            "This program contains **three": "explains",
            "At first it shows only one of": "explains",
            "Copy it into the cell below": "explains",
            "For example:": "explains",
            "The checks try three to eight": "value",
            "With one of them the loss grows": "value",
            "They compare the losses and": "value",
            "They check that the losses have": "history_kept, no_leaf_any_more, unchanged, repeat",
        },
    ),
    "stop_gradient": CallSpec(
        descent,
        loss_inputs,
        mistakes=(
            Slip(
                "who",
                "WHO[{'a': 'b', 'b': 'a'}.get(blind, blind)]",
                "the wrong one is blind: if `blind` is 'a', then a still gets a gradient from the last term and b does not",
            ),
            *(
                Slip("who", f"WHO[{word!r}]", f"the last term sends its gradient to {to}, whatever `blind` says")
                for word, to in SENT_TO.items()
                if word != "b"
            ),
            *(
                Slip(
                    "who",
                    f"WHO[{like!r} if blind == {word!r} else blind]",
                    f"if `blind` is {word!r}, the last term sends its gradient to {SENT_TO[like]}",
                )
                for word, likes in TAKEN_FOR.items()
                for like in likes
            ),
            Slip(
                "the last",
                "0 if blind == 'both' else (last_a - last_b) ** 2",
                "if `blind` is 'both', the last term is left out: it sends no gradient, but it still counts in the value",
            ),
            Slip(
                "the last",
                "((last_a if 'a' not in who else 0) - (last_b if 'b' not in who else 0)) ** 2",
                "in the last term, the number 0 replaces the blind variable: its own value counts",
            ),
            Slip("the last", "(last_a + last_b) ** 2", "the last term is (a + b)²: a sign is wrong"),
            Slip("the last", "((last_a - last_b) ** 2) ** 0.5", "the last term is |a - b|, the square is missing"),
            Slip(
                "the gradient",
                "[None if name in who else each for name, each in zip('ab', found)]",
                "the blind one gets no gradient at all and never moves: its own term, the first or the second, must "
                "still send it a gradient",
            ),
            Mistake(
                "after the call, what is blind does not require grad any more: `detach_()` and `requires_grad_(False)` "
                "change a or b itself",
                lambda a, b, blind: {} if blind == "none" else {"gradient": LOST, "end": [a, b]},
            ),
        ),
        holds={
            "Write a function `stop_gradient(a,": "value",
            "`blind` says which of `a` and": "value",
            "The last term pulls $a$ and": "explains",
            "`blind` is one of four words:": "explains",
            "A variable that is blind does": "value",
            "The first two terms send their": "value",
            "The result is a tensor with": "value",
            "It is always the value of the": "value",
            "The check takes 100 gradient": "value",
            "From any start, they must end": "value",
            "For example:": "explains",
            'With `"none"` the gradients': "explains",
            "The checks try several starts": "value",
            "They compare the value, the": "value",
            "They check that `a` and `b`": "unchanged, repeat",
        },
    ),
    "ema_update": CallSpec(
        moved,
        average_inputs,
        also=(stays_a_leaf("average", "weight"),),
        mistakes=(
            Slip(
                "the new",
                "average",
                "average holds the same numbers as before: nothing was written into it "
                "(new numbers may be in another tensor)",
            ),
            Slip(
                "the new",
                "(1 - decay) * average + decay * weight",
                "the two shares are swapped: decay is the share of the old average",
            ),
            Slip(
                "the new",
                "decay * (average + added)",
                "the order is wrong: the weight is added first, and then multiplied by decay together with the average",
            ),
            Slip(
                "the new",
                "average + share * (average - weight)",
                "average moves away from weight: the difference has the wrong sign",
            ),
            Slip("the part of the old", "decay * (decay * average)", "the old average is multiplied by decay twice"),
            Slip("the new", "(average + weight) / 2", "average is the mean of both, as if decay were always 0.5"),
            Mistake(
                "average after the call is wrong only where it does not require grad: it must be updated too",
                where=lambda average, weight, decay: not AVERAGES[average.shape, decay],
            ),
        ),
        holds={
            "Write a function `ema_update(average,": "value",
            "Autograd must not record the": "runs, no_leaf_any_more",
            "The weights of a model jitter": "explains",
            "So it is common to keep a second": "explains",
            "It is updated after each training": "value",
            "After the call the tensor `average`": "value",
            "The checks ignore what the function": "explains",
            "`weight` is a leaf that requires": "explains",
            "`average` is a leaf too.": "explains",
            "It usually requires grad, because": "explains",
            "After the call, `average` must": "no_leaf_any_more",
            "For example:": "explains",
            "The checks try several shapes": "value",
            "They compare the numbers in": "value",
            "They check that `average` is": "no_leaf_any_more, unchanged",
        },
    ),
}
