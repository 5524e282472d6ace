"""Exercises of notebook 05, what is recorded and what is not: train_linear, stop_gradient, ema_update."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .declaration import Also, Arguments, Call, Exercise, Leaf, Mistake

NOTEBOOK = "05_no_grad_and_detach"

# train_linear


def training_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls = []
    for rows, columns, steps, lr in [(3, 2, 3, 0.1), (5, 3, 6, 0.05), (4, 1, 4, 0.2), (8, 4, 12, 0.1)]:
        data = rng.normal(size=(rows, columns))
        calls.append((data, rng.normal(size=rows), Leaf(rng.normal(size=columns)), steps, lr))
    return calls


def error_of(data: np.ndarray, targets: np.ndarray, w: np.ndarray) -> float:
    return float(((data @ w - targets) ** 2).mean())


def slope_of(data: np.ndarray, targets: np.ndarray, w: np.ndarray) -> np.ndarray:
    return 2 * (data @ w - targets) @ data / len(data)


def trained(
    data: np.ndarray,
    targets: np.ndarray,
    w: np.ndarray,
    steps: int,
    lr: float,
    *,
    keep: float = 0.0,
    scale: float = 1.0,
    stuck: bool = False,
    late: bool = False,
) -> dict[str, Any]:
    """The losses before each step, and the weights at the end; the options are what can go wrong.

    `keep` adds up the gradients, `scale` multiplies loss and gradient, `stuck` takes both from the first turn, `late` notes each loss after its step.
    """
    start, losses, total = w, [], np.zeros_like(w)
    for _ in range(steps):
        at = start if stuck else w
        losses.append(scale * error_of(data, targets, at))
        total = keep * total + scale * slope_of(data, targets, at)
        w = w - lr * total
    if late:
        losses = [*losses[1:], scale * error_of(data, targets, w)]
    return {"losses": losses, "w": w}


def at_rest(data: np.ndarray, targets: np.ndarray, w: np.ndarray, steps: int, lr: float) -> dict[str, Any]:
    return {"losses": [error_of(data, targets, w)] * steps, "w": w}


def train(torch: Any, answer: Any, data: Any, targets: Any, w: Any, steps: int, lr: float) -> dict[str, Any]:
    return {"losses": answer(data, targets, w, steps, lr), "w": w}


def keeps_no_history(called: Any) -> str | None:
    kept = [number for number, each in enumerate(called.results) if each.requires_grad and not each.is_leaf]
    if not kept:
        return None
    return (
        f"{len(kept)} of the losses that are handed back still have their history: whoever holds them holds the "
        "graphs of all the steps, and their memory"
    )


def stays_a_leaf(name: str) -> Also:
    """The named argument is as much of a leaf after the call as it was before."""

    def judge(called: Any) -> str | None:
        facts, given = called.after[name], called.arguments[called.names.index(name)]
        if not facts.is_leaf:
            return f"{name} has become the result of operations that were recorded: it has a history, and is no leaf any more"
        if facts.requires_grad != isinstance(given, Leaf):
            now = "requires grad" if facts.requires_grad else "does not require grad any more"
            return f"{name} {now} after the call: its flag must be as it was"
        return None

    return Also("no_leaf_any_more", f"{name} is a leaf afterwards, with the flag that it had", judge)


# stop_gradient

BLIND = ("none", "a", "b", "both")
STEPS, SIZE = 100, 0.1


def loss_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    starts = [(0.5, -0.5), *(tuple(rng.uniform(-2, 2, size=2)) for _ in BLIND)]
    return [(Leaf(a), Leaf(b), blind) for (a, b), blind in zip(starts, [*BLIND, "a"], strict=True)]


def slopes(a: Any, b: Any, blind: str) -> list[np.ndarray]:
    pull = 2 * (a - b)
    by = [2 * (a - 1) + pull * (blind in ("none", "b")), 2 * (b + 1) - pull * (blind in ("none", "a"))]
    return [np.asarray(each) for each in by]


def descent(a: Any, b: Any, blind: str) -> dict[str, Any]:
    """The loss and its gradient at the start, and where the steps end."""
    value = np.asarray((a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2)
    first = {"loss": value, "gradient": slopes(a, b, blind)}
    for _ in range(STEPS):
        for_a, for_b = slopes(a, b, blind)
        a, b = a - SIZE * for_a, b - SIZE * for_b
    return {**first, "end": [np.asarray(a), np.asarray(b)]}


def other_one(blind: str) -> str:
    return {"a": "b", "b": "a"}.get(blind, blind)


def follow(torch: Any, answer: Any, a: Any, b: Any, blind: str) -> Any:
    """What `descent` says, by the student's loss."""
    first = answer(a, b, blind)
    if first is None:
        return None
    leaves = [each.detach().clone().requires_grad_() for each in (a, b)]
    gradient = None
    for _ in range(STEPS):
        loss = answer(*leaves, blind)
        if not getattr(loss, "requires_grad", False):
            return {"loss": first, "gradient": [None, None], "end": leaves}
        found = torch.autograd.grad(loss.sum(), leaves, allow_unused=True)
        gradient = gradient or found
        leaves = [
            leaf if slope is None else (leaf.detach() - SIZE * slope).requires_grad_()
            for leaf, slope in zip(leaves, found, strict=True)
        ]
    return {"loss": first, "gradient": gradient, "end": leaves}


def not_learning(a: Any, b: Any, blind: str) -> dict[str, Any]:
    """What comes of detaching in all terms what is to be blind in the last one."""
    for_a, for_b = slopes(a, b, "none")
    return {"gradient": [None if blind in ("a", "both") else for_a, None if blind in ("b", "both") else for_b]}


# ema_update


def average_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls = []
    for shape, decay, leaf in [((2,), 0.9, True), ((3,), 0.75, False), ((2, 3), 0.99, True), ((), 0.6, True)]:
        average = rng.normal(size=shape)
        calls.append((Leaf(average) if leaf else average, Leaf(rng.normal(size=shape)), decay))
    return calls


def moved(average: np.ndarray, weight: np.ndarray, decay: float) -> np.ndarray:
    return decay * average + (1 - decay) * weight


def update(torch: Any, answer: Any, average: Any, weight: Any, decay: float) -> Any:
    answer(average, weight, decay)
    return average


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="train_linear",
        points=3,
        title="Three mistakes in a training loop",
        grading=Call(
            ("data", "targets", "w", "steps", "lr"),
            trained,
            training_inputs,
            also=(Also("history_kept", "the losses have no history", keeps_no_history), stays_a_leaf("w")),
            call=train,
            may_change=("w",),
            promise="the losses, and the weights in w afterwards, are those of gradient descent",
        ),
        hints=(
            "Run the program with two steps and read the error. Which tensor has the name w in the second turn, and is it the one that the caller handed over?",
            "Once it runs: print w.grad in each turn, beside the gradient that pencil and paper give. And print the list of losses: what does each entry hold on to, apart from a number?",
            "The lesson's loop has four parts in each turn: compute the loss, forget the old gradient, go back, step. Check that you have each once, in this order, and which of them must not be recorded. A loss that is only looked at later is kept as a plain number.",
        ),
        mistakes=(
            Mistake(
                "no_losses",
                "w is trained, but nothing is handed back: the list of losses is missing",
                forward=lambda *given: {"losses": None},
            ),
            Mistake(
                "not_zeroed",
                "the first step is right, the later ones are not: each uses the sum of all gradients so far, as backward adds to the .grad that is there",
                forward=lambda *given: trained(*given, keep=1.0),
            ),
            Mistake(
                "not_moved",
                "w never moves, and all losses are the same: no step reaches w, or its gradient is forgotten before the step uses it",
                forward=at_rest,
            ),
            Mistake(
                "other_tensor",
                "the losses are right, but the caller's w is what it was at the start: the steps made new tensors that only share its name",
                forward=lambda data, targets, w, steps, lr: {"w": w},
            ),
            Mistake(
                "loss_once",
                "every step uses the gradient at the starting point: a graph holds the numbers it was computed from, so a new w needs a new loss",
                forward=lambda *given: trained(*given, stuck=True),
            ),
            Mistake(
                "loss_once",
                "there is one graph for all steps, made before the first, and its gradients are added up besides",
                forward=lambda *given: trained(*given, stuck=True, keep=1.0),
            ),
            Mistake(
                "late",
                "w is right, but each loss is the one after its step: the list begins with the loss at the starting point",
                forward=lambda *given: {"losses": trained(*given, late=True)["losses"]},
            ),
            Mistake(
                "uphill",
                "the steps go uphill: along the gradient the loss grows",
                forward=lambda data, targets, w, steps, lr: trained(data, targets, w, steps, -lr),
            ),
            Mistake(
                "sum",
                "that is training on the sum of the squared errors; the loss is their mean",
                forward=lambda data, targets, w, steps, lr: trained(data, targets, w, steps, lr, scale=len(data)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="stop_gradient",
        points=2,
        title="Who feels the pull",
        grading=Call(
            ("a", "b", "blind"),
            descent,
            loss_inputs,
            call=follow,
            promise="the loss, its gradient and the place where 100 steps end are as specified",
        ),
        hints=(
            "The value must be that of the whole loss, whoever is blind: each term must be there. What may differ is where a value comes from, as autograd sees it.",
            "A value that was detached still counts, but nothing flows back through it. In which term, and in that one only, does a have to be such a value?",
            "Make two numbers for the last term alone: a or a without its history, and the same for b. The first two terms use a and b as they are.",
        ),
        mistakes=(
            Mistake(
                "wrong_one",
                "the wrong one is blind: where it must be a, a still feels the last term and b does not",
                forward=lambda a, b, blind: {
                    key: value for key, value in descent(a, b, other_one(blind)).items() if key != "loss"
                },
            ),
            Mistake(
                "nobody",
                "the last term pulls at both, whatever `blind` says",
                forward=lambda a, b, blind: {
                    key: value for key, value in descent(a, b, "none").items() if key != "loss"
                },
            ),
            Mistake(
                "everybody",
                "the last term pulls at neither, as soon as one of them is to be blind: the other must feel it",
                forward=lambda a, b, blind: {
                    key: value for key, value in descent(a, b, "both").items() if key != "loss"
                },
            ),
            Mistake(
                "no_history",
                "the loss has no history at all: with it nothing can be trained",
                forward=lambda a, b, blind: {"gradient": [None, None]},
            ),
            Mistake(
                "own_term",
                "who is blind gets no gradient at all, and stays where it is: its own term, the first or the second, must still pull",
                forward=not_learning,
            ),
            Mistake(
                "left_out",
                "the loss lacks its last term: who is blind must not feel it, but it still counts in the value",
                forward=lambda a, b, blind: {"loss": (a - 1) ** 2 + (b + 1) ** 2},
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="ema_update",
        points=1,
        title="An average that follows",
        grading=Call(
            ("average", "weight", "decay"),
            moved,
            average_inputs,
            also=(stays_a_leaf("average"),),
            call=update,
            may_change=("average",),
            promise="average holds the new numbers afterwards",
        ),
        hints=(
            "The caller looks at the tensor `average` afterwards, and not at what you hand back. What kind of operation changes a tensor itself?",
            "Autograd does not let you change a leaf that requires grad while it takes notes. Nor should it take any: an average is kept, not trained.",
            "Two in-place operations will do: one makes the old average smaller, one adds a share of the weight. Mind the order, and where the block begins.",
        ),
        mistakes=(
            Mistake(
                "not_moved",
                "average holds the same numbers as before: the new ones went into another tensor",
                forward=lambda average, weight, decay: average,
            ),
            Mistake(
                "shares_swapped",
                "the two shares are swapped: decay is what is kept of the average",
                forward=lambda average, weight, decay: moved(average, weight, 1 - decay),
            ),
            Mistake(
                "overwritten",
                "average is a copy of weight now: its past counts too",
                forward=lambda average, weight, decay: weight,
            ),
            Mistake(
                "whole_weight",
                "the whole weight is added to what is kept; only a share of it may be",
                forward=lambda average, weight, decay: decay * average + weight,
            ),
            Mistake(
                "not_shrunk",
                "a share of the weight is added, but nothing of the old average is taken off",
                forward=lambda average, weight, decay: average + (1 - decay) * weight,
            ),
            Mistake(
                "order",
                "the weight is added first and shrunk together with the average: the order is wrong",
                forward=lambda average, weight, decay: decay * (average + (1 - decay) * weight),
            ),
        ),
    ),
)
