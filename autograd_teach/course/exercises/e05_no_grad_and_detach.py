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
    """The loss before each step, and the weights at the end. The options act out mistakes.

    `keep` adds up the gradients, `scale` multiplies loss and gradient, `stuck` takes both at the start for every step,
    `late` notes each loss after its step.
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
        f"{len(kept)} of the returned losses still have a history: as long as the list exists, it keeps the graphs "
        "of all these steps in memory"
    )


def stays_a_leaf(name: str) -> Also:
    """A check that the named argument is still a leaf after the call, with the same `requires_grad`."""

    def judge(called: Any) -> str | None:
        facts, given = called.after[name], called.arguments[called.names.index(name)]
        if not facts.is_leaf:
            return f"{name} is not a leaf any more: an operation that changed it was recorded, so it has a history"
        if facts.requires_grad != isinstance(given, Leaf):
            now = "requires grad" if facts.requires_grad else "does not require grad any more"
            return f"{name} {now} after the call: its `requires_grad` must not change"
        return None

    return Also("no_leaf_any_more", f"{name} is still a leaf afterwards, and its requires_grad has not changed", judge)


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
    """The loss and its gradient at the start, and the place where the steps end."""
    value = np.asarray((a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2)
    first = {"loss": value, "gradient": slopes(a, b, blind)}
    for _ in range(STEPS):
        for_a, for_b = slopes(a, b, blind)
        a, b = a - SIZE * for_a, b - SIZE * for_b
    return {**first, "end": [np.asarray(a), np.asarray(b)]}


def other_one(blind: str) -> str:
    return {"a": "b", "b": "a"}.get(blind, blind)


def follow(torch: Any, answer: Any, a: Any, b: Any, blind: str) -> Any:
    """The same as `descent`, computed with the student's loss."""
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
    """The gradient if the blind variable is detached in all terms, not only in the last one."""
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
            promise="the losses and the final weights in w are those of gradient descent",
        ),
        hints=(
            (
                "Run the program with two steps and read the error. Which tensor is called w in "
                "the second step? Is it still the tensor that the caller passed in?"
            ),
            (
                "Once it runs, print `w.grad` in each step, and compare it with the gradient that "
                "you compute by hand. Also print the list of losses: what does each entry hold "
                "besides a number?"
            ),
            (
                "Each step of the lesson's loop has four parts: compute the loss, clear the old "
                "gradient, call backward, update the weights. Check that you have each part once, "
                "in this order. Which part must not be recorded? And keep each loss as a plain "
                "number."
            ),
        ),
        mistakes=(
            Mistake(
                "no_losses",
                "w is trained, but the list of losses is missing: the result is None",
                forward=lambda *given: {"losses": None},
            ),
            Mistake(
                "not_zeroed",
                "the first step is right, the later ones are not: each uses the sum of all "
                "gradients so far, because backward adds to the `.grad` that is already there",
                forward=lambda *given: trained(*given, keep=1.0),
            ),
            Mistake(
                "not_moved",
                "w never changes, and all losses are the same: no step reaches w, or its gradient "
                "is cleared before the step uses it",
                forward=at_rest,
            ),
            Mistake(
                "other_tensor",
                "the losses are right, but the caller's w has not changed: the steps made new "
                "tensors and called them w too",
                forward=lambda data, targets, w, steps, lr: {"w": w},
            ),
            Mistake(
                "loss_once",
                "every step uses the gradient at the starting point: a graph belongs to the "
                "numbers that it was computed from, so compute a new loss for each new w",
                forward=lambda *given: trained(*given, stuck=True),
            ),
            Mistake(
                "loss_once",
                "all steps use one graph, made before the first step, and its gradients are also added up",
                forward=lambda *given: trained(*given, stuck=True, keep=1.0),
            ),
            Mistake(
                "late",
                "w is right, but each loss is the loss after its step: the list must begin with "
                "the loss at the starting point",
                forward=lambda *given: {"losses": trained(*given, late=True)["losses"]},
            ),
            Mistake(
                "uphill",
                "the steps go uphill: the loss grows in the direction of the gradient",
                forward=lambda data, targets, w, steps, lr: trained(data, targets, w, steps, -lr),
            ),
            Mistake(
                "sum",
                "this is training on the sum of the squared errors, but the loss is their mean",
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
            promise="the loss, its gradient and the place where 100 steps end are right",
        ),
        hints=(
            (
                "The value is always the value of the whole loss, so every term must be there. "
                "What differs is how autograd sees the values: some of them may be without "
                "history."
            ),
            (
                "A detached value still counts in the result, but no gradient flows back through "
                "it. In which term must `a` be detached, and in which terms must it not?"
            ),
            (
                "Make two tensors for the last term only: `a` or `a` without its history, and the "
                "same for `b`. The first two terms use `a` and `b` as they are."
            ),
        ),
        mistakes=(
            Mistake(
                "wrong_one",
                "the wrong one is blind: if `blind` is 'a', then a still gets a gradient from the "
                "last term and b does not",
                forward=lambda a, b, blind: {
                    key: value for key, value in descent(a, b, other_one(blind)).items() if key != "loss"
                },
            ),
            Mistake(
                "nobody",
                "the last term sends a gradient to both, whatever `blind` says",
                forward=lambda a, b, blind: {
                    key: value for key, value in descent(a, b, "none").items() if key != "loss"
                },
            ),
            Mistake(
                "everybody",
                "if one of them is blind, the last term sends no gradient to either: the other "
                "one must get its gradient",
                forward=lambda a, b, blind: {
                    key: value for key, value in descent(a, b, "both").items() if key != "loss"
                },
            ),
            Mistake(
                "no_history",
                "the loss has no history, so nothing can be trained with it",
                forward=lambda a, b, blind: {"gradient": [None, None]},
            ),
            Mistake(
                "own_term",
                "the blind one gets no gradient at all and never moves: its own term, the first "
                "or the second, must still send it a gradient",
                forward=not_learning,
            ),
            Mistake(
                "left_out",
                "the loss lacks its last term: the blind one gets no gradient from it, but it "
                "still counts in the value",
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
            promise="average holds the right numbers afterwards",
        ),
        hints=(
            (
                "The caller looks at the tensor `average` after the call, not at what you return. "
                "Which kind of operation changes a tensor itself?"
            ),
            (
                "Autograd does not let you change a leaf that requires grad while it records. And "
                "it should not record here: the average is not trained."
            ),
            (
                "Two in-place operations are enough: one makes the old average smaller, the other "
                "adds a share of the weight. Take care of their order. Which lines must stand "
                "inside the `no_grad` block?"
            ),
        ),
        mistakes=(
            Mistake(
                "not_moved",
                "average holds the same numbers as before: the new numbers went into another tensor",
                forward=lambda average, weight, decay: average,
            ),
            Mistake(
                "shares_swapped",
                "the two shares are swapped: decay is the share of the old average",
                forward=lambda average, weight, decay: moved(average, weight, 1 - decay),
            ),
            Mistake(
                "overwritten",
                "average is now a copy of weight: the old average counts too",
                forward=lambda average, weight, decay: weight,
            ),
            Mistake(
                "whole_weight",
                "the whole weight is added, but only a share of it counts",
                forward=lambda average, weight, decay: decay * average + weight,
            ),
            Mistake(
                "not_shrunk",
                "a share of the weight is added, but the old average is not multiplied by decay",
                forward=lambda average, weight, decay: average + (1 - decay) * weight,
            ),
            Mistake(
                "order",
                "the order is wrong: the weight is added first, and then multiplied by decay together with the average",
                forward=lambda average, weight, decay: decay * (average + (1 - decay) * weight),
            ),
        ),
    ),
)
