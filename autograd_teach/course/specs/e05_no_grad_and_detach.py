"""The specification of notebook 05, what is recorded and what is not: train_linear, stop_gradient, ema_update."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec, Mistake, family
from ..exercises.declaration import Leaf
from ..exercises.e05_no_grad_and_detach import LOST, SIZE, STEPS
from ..jacobian import numerical_jacobian

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


def grows(*given: Any) -> bool:
    """Whether some step makes the loss larger, as if lr were too large."""
    losses = trained(*given)["losses"]
    return bool((np.diff(losses) > 0).any())


Loss = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]


Slope = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


Step = Callable[[np.ndarray, np.ndarray, float, list[np.ndarray]], np.ndarray]


Kept = Callable[[list[float]], Any]


def error_of(data: np.ndarray, targets: np.ndarray, w: np.ndarray) -> float:
    return float(((data @ w - targets) ** 2).mean())


def slope_of(data: np.ndarray, targets: np.ndarray, w: np.ndarray) -> np.ndarray:
    return 2 * (data @ w - targets) @ data / len(data)


def step(data: np.ndarray, w: np.ndarray, lr: float, slopes: list[np.ndarray]) -> np.ndarray:
    """One step of gradient descent, given the gradients of all steps so far."""
    return w - lr * slopes[-1]


def before_each(losses: list[float]) -> list[float]:
    """What is kept of the losses at the start and after every step."""
    return losses[:-1]


def trained(
    data: np.ndarray,
    targets: np.ndarray,
    w: np.ndarray,
    steps: int,
    lr: float,
    *,
    loss: Loss = error_of,
    slope: Slope = slope_of,
    step: Step = step,
    kept: Kept = before_each,
) -> dict[str, Any]:
    """The loss before each step, and the weights at the end."""
    losses, slopes = [float(loss(data, targets, w))], []
    for _ in range(steps):
        slopes.append(slope(data, targets, w))
        w = step(data, w, lr, slopes)
        losses.append(float(loss(data, targets, w)))
    return {"losses": kept(losses), "w": w}


def on_another(loss: Loss) -> dict[str, Any]:
    """The mistake of training on `loss`."""

    def slope(data: np.ndarray, targets: np.ndarray, w: np.ndarray) -> np.ndarray:
        return numerical_jacobian(lambda at: loss(data, targets, at), [w], 0).reshape(w.shape)

    return {"forward": lambda *given: trained(*given, loss=loss, slope=slope)}


def another_number_of_steps(
    data: np.ndarray, targets: np.ndarray, w: np.ndarray, steps: int, lr: float, *, more: int
) -> dict[str, Any]:
    return {"w": trained(data, targets, w, steps + more, lr)["w"]}


OTHER_LOSSES: dict[str, Loss] = {
    "the loss is half of what it must be": lambda data, targets, w: ((data @ w - targets) ** 2).mean() / 2,
    "the loss is half the sum of the squared errors": lambda data, targets, w: ((data @ w - targets) ** 2).sum() / 2,
    "the root of the mean is taken": lambda data, targets, w: np.sqrt(((data @ w - targets) ** 2).mean()),
    "the absolute values of the errors are averaged": lambda data, targets, w: np.abs(data @ w - targets).mean(),
    "the errors are averaged first and squared then": lambda data, targets, w: (data @ w - targets).mean() ** 2,
    "every prediction is compared with every target": lambda data, targets, w: (
        np.subtract.outer(data @ w, targets) ** 2
    ).mean(),
    "the targets are added to the predictions": lambda data, targets, w: ((data @ w + targets) ** 2).mean(),
    "the targets are left out": lambda data, targets, w: ((data @ w) ** 2).mean(),
    "it is the loss of the first example alone": lambda data, targets, w: (data[0] @ w - targets[0]) ** 2,
    "it is the loss of the last example alone": lambda data, targets, w: (data[-1] @ w - targets[-1]) ** 2,
    "the last example is left out": lambda data, targets, w: ((data[:-1] @ w - targets[:-1]) ** 2).mean(),
    "the sum is divided by the number of weights": lambda data, targets, w: ((data @ w - targets) ** 2).sum() / len(w),
}


OTHER_STEPS: dict[str, Step] = {
    "in yours, each step but the first uses the sum of all gradients so far, as if `.grad` were never cleared": lambda data, w, lr, slopes: (
        w - lr * sum(slopes)
    ),
    "the steps go uphill: the loss grows in the direction of the gradient": lambda data, w, lr, slopes: (
        w + lr * slopes[-1]
    ),
    "in yours, lr is not used": lambda data, w, lr, slopes: w - slopes[-1],
    "in yours, the gradients are divided by the number of examples once more": lambda data, w, lr, slopes: (
        w - lr * slopes[-1] / len(data)
    ),
    "in yours, the gradients are multiplied by the number of examples": lambda data, w, lr, slopes: (
        w - lr * slopes[-1] * len(data)
    ),
    "in yours, each step but the first uses the gradient of the step before": lambda data, w, lr, slopes: (
        w - lr * slopes[-2:][0]
    ),
    "in yours, every step uses the gradient at the starting point": lambda data, w, lr, slopes: w - lr * slopes[0],
    "each step is only half as long as it must be": lambda data, w, lr, slopes: w - lr / 2 * slopes[-1],
    "each step is twice as long as it must be": lambda data, w, lr, slopes: w - 2 * lr * slopes[-1],
}


OTHER_LISTS: dict[str, Kept] = {
    "each loss is the loss after its step: the list must begin with the loss at the starting point": lambda losses: (
        losses[1:]
    ),
    "in yours, each loss is the mean of all losses so far": lambda losses: (
        np.cumsum(losses[:-1]) / np.arange(1, len(losses))
    ).tolist(),
    "in yours, each loss is the sum of all losses so far": lambda losses: np.cumsum(losses[:-1]).tolist(),
    "in yours, all losses are the first loss": lambda losses: losses[:1] * (len(losses) - 1),
    "in yours, all losses are the last loss": lambda losses: losses[-2:-1] * (len(losses) - 1),
    "in yours, all losses are the loss after the last step": lambda losses: losses[-1:] * (len(losses) - 1),
    "in yours, the losses come in reverse order": lambda losses: losses[-2::-1],
}


NO_LISTS: dict[str, Kept] = {
    "only the last loss": lambda losses: losses[-2],
    "only the loss after the last step": lambda losses: losses[-1],
    "the sum of all losses": lambda losses: sum(losses[:-1]),
    "the mean of all losses": lambda losses: sum(losses[:-1]) / (len(losses) - 1),
}


def at_rest(data: np.ndarray, targets: np.ndarray, w: np.ndarray, steps: int, lr: float) -> dict[str, Any]:
    return {"losses": [error_of(data, targets, w)] * steps, "w": w}


def keeps_no_history(called: Any) -> str | None:
    kept = [number for number, each in enumerate(called.results) if each.requires_grad and not each.is_leaf]
    if not kept:
        return None
    return (
        f"{len(kept)} of the returned losses still have a history: as long as the list exists, it keeps the graphs "
        "of all these steps in memory"
    )


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


Felt = tuple[bool, bool]


FEELS: dict[str, Felt] = {"none": (True, True), "a": (False, True), "b": (True, False), "both": (False, False)}
"""Whether a and b get a gradient from the last term."""


def slopes(a: Any, b: Any, felt: Felt) -> list[np.ndarray]:
    pull = 2 * (a - b)
    return [np.asarray(2 * (a - 1) + pull * felt[0]), np.asarray(2 * (b + 1) - pull * felt[1])]


def value(a: Any, b: Any) -> Any:
    return (a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2


def descent(a: Any, b: Any, blind: str) -> dict[str, Any]:
    """The loss and its gradient at the start, and the place where the steps end."""
    first = {"loss": np.asarray(value(a, b)), "gradient": slopes(a, b, FEELS[blind])}
    for _ in range(STEPS):
        for_a, for_b = slopes(a, b, FEELS[blind])
        a, b = a - SIZE * for_a, b - SIZE * for_b
    return {**first, "end": [np.asarray(a), np.asarray(b)]}


def felt_by_others(name: str, message: str, **felt: Felt) -> Mistake:
    """The mistake that for some values of `blind` the last term gives a gradient to the wrong variables."""
    feels = {**FEELS, **felt}
    return Mistake(name, message, forward=lambda a, b, blind: {"gradient": slopes(a, b, feels[blind])})


def wrong_for_words() -> list[Mistake]:
    """For one or two values of `blind`, the last term gives a gradient to the wrong variables. Single values come first."""
    to = {(True, True): "a and b", (True, False): "a alone", (False, True): "b alone", (False, False): "neither"}
    found = []
    for several in (1, 2):
        for words in itertools.combinations(BLIND, several):
            for felt in itertools.product(to, repeat=several):
                pairs = dict(zip(words, felt, strict=True))
                named = several == 2 and pairs in SPECIAL.values()
                if named or any(FEELS[word] == each for word, each in pairs.items()):
                    continue
                what = [
                    f"if `blind` is '{word}', the last term sends its gradient to {to[pairs[word]]}" for word in words
                ]
                found.append(felt_by_others("wrong_for_words", "; ".join(what), **pairs))
    return found


SPECIAL: dict[str, dict[str, Felt]] = {
    "the wrong one is blind: if `blind` is 'a', then a still gets a gradient from the last term and b does not": {
        "a": (True, False),
        "b": (False, True),
    },
    "the last term sends a gradient to both, whatever `blind` says": {
        "a": (True, True),
        "b": (True, True),
        "both": (True, True),
    },
    "if one of them is blind, the last term sends no gradient to either: the other one must get its gradient": {
        "a": (False, False),
        "b": (False, False),
    },
    "the last term sends no gradient to anybody, whatever `blind` says": {
        "none": (False, False),
        "a": (False, False),
        "b": (False, False),
    },
    "the last term sends its gradient to those that are blind, and only to them": {
        word: (not felt[0], not felt[1]) for word, felt in FEELS.items()
    },
}


def no_history(*words: str) -> Callable[..., dict[str, Any]]:
    """The result if the loss has no history for these words."""
    return lambda a, b, blind: {"gradient": [None, None] if blind in words else slopes(a, b, FEELS[blind])}


CONSTANTS = {"the number 0": 0.0, "the number 1": 1.0}


def replaced(constant: float) -> dict[str, Any]:
    """The last term with another value instead of the blind variable: the parts of the result that this makes wrong."""

    def forward(a: Any, b: Any, blind: str) -> dict[str, Any]:
        feels_a, feels_b = FEELS[blind]
        pull = (a if feels_a else constant) - (b if feels_b else constant)
        right: dict[str, Any] = {"loss": np.asarray(value(a, b)), "gradient": slopes(a, b, FEELS[blind])}
        gradient = [2 * (a - 1) + 2 * pull * feels_a, 2 * (b + 1) - 2 * pull * feels_b]
        answered: dict[str, Any] = {
            "loss": (a - 1) ** 2 + (b + 1) ** 2 + pull**2,
            "gradient": list(map(np.asarray, gradient)),
        }
        return {key: each for key, each in answered.items() if not np.allclose(each, right[key])}

    return {"forward": forward}


def not_learning(a: Any, b: Any, blind: str) -> dict[str, Any]:
    """The gradient if the blind variable is detached in all terms, not only in the last one."""
    for_a, for_b = slopes(a, b, (True, True))
    return {"gradient": [None if blind in ("a", "both") else for_a, None if blind in ("b", "both") else for_b]}


OTHER_VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "the first term is (a + 1)²": lambda a, b: value(a, b) + 4 * a,
    "the first term is a²": lambda a, b: value(a, b) + 2 * a - 1,
    "the first term is |a - 1|": lambda a, b: value(a, b) - (a - 1) ** 2 + np.abs(a - 1),
    "the first term is left out": lambda a, b: value(a, b) - (a - 1) ** 2,
    "the second term is (b - 1)²": lambda a, b: value(a, b) - 4 * b,
    "the second term is b²": lambda a, b: value(a, b) - 2 * b - 1,
    "the second term is |b + 1|": lambda a, b: value(a, b) - (b + 1) ** 2 + np.abs(b + 1),
    "the second term is left out": lambda a, b: value(a, b) - (b + 1) ** 2,
    "the last term is (a + b)²": lambda a, b: value(a, b) + 4 * a * b,
    "the last term is |a - b|": lambda a, b: value(a, b) - (a - b) ** 2 + np.abs(a - b),
    "the last term is a - b, not squared": lambda a, b: value(a, b) - (a - b) ** 2 + a - b,
    "the last term is subtracted": lambda a, b: value(a, b) - 2 * (a - b) ** 2,
    "the last term is left out": lambda a, b: value(a, b) - (a - b) ** 2,
    "the last term is halved": lambda a, b: value(a, b) - (a - b) ** 2 / 2,
    "the last term counts twice": lambda a, b: value(a, b) + (a - b) ** 2,
    "the three terms are averaged, not added up": lambda a, b: value(a, b) / 3,
    "everything is halved": lambda a, b: value(a, b) / 2,
}


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
    return decay * average + (1 - decay) * weight


SHARES: dict[str, Callable[[float], float]] = {
    "nothing of {what}": lambda decay: 0.0,
    "all of {what}": lambda decay: 1.0,
    "half of {what}": lambda decay: 0.5,
    "decay times {what}": lambda decay: decay,
    "1 - decay times {what}": lambda decay: 1 - decay,
    "decay² times {what}": lambda decay: decay**2,
    "(1 - decay)² times {what}": lambda decay: (1 - decay) ** 2,
    "decay (1 - decay) times {what}": lambda decay: decay * (1 - decay),
    "-decay times {what}": lambda decay: -decay,
    "decay - 1 times {what}": lambda decay: decay - 1,
}
"""What of the old average, or of the weight, can be in the new average."""


def other_shares() -> list[Mistake]:
    """Every pair of `SHARES` but the right one, and but those that have a sentence of their own."""
    first, second = (
        {words.format(what=what): share for words, share in SHARES.items()} for what in ("itself", "weight")
    )
    known = {(0.25, 0.75), (1.0, 0.0), (0.75, 0.25), (0.0, 1.0), (0.25, 1.0), (1.0, 0.75), (0.25, 0.1875)}
    return [
        Mistake(
            "other_shares",
            f"average is now {of_old} plus {of_weight}",
            forward=lambda average, weight, decay, one=one, two=two: one(decay) * average + two(decay) * weight,
        )
        for (of_old, one), (of_weight, two) in itertools.product(first.items(), second.items())
        if (one(0.25), two(0.25)) not in known
    ]


SPECS = {
    "train_linear": CallSpec(
        trained,
        training_inputs,
        also=(
            Also("history_kept", "the losses have no history", keeps_no_history, counted=True),
            stays_a_leaf("w", "data", "targets"),
        ),
        mistakes=(
            Mistake(
                "no_losses",
                "the list of losses is missing: the result is None",
                forward=lambda *given: {"losses": None},
            ),
            Mistake(
                "not_moved",
                "w never changes, and all losses are the same: no step reaches w",
                forward=at_rest,
            ),
            Mistake(
                "other_tensor",
                "the caller's w has not changed: nothing was written into it (`w = ...` only gives the name w to another tensor)",
                forward=lambda data, targets, w, steps, lr: {"w": w},
            ),
            Mistake(
                "loss_once",
                "every step uses the gradient at the starting point: a graph belongs to the "
                "numbers that it was computed from, so compute a new loss for each new w",
                forward=lambda *given: trained(
                    *given,
                    step=lambda data, w, lr, slopes: w - lr * slopes[0],
                    kept=lambda losses: losses[:1] * (len(losses) - 1),
                ),
            ),
            Mistake(
                "loss_once",
                "all steps use one graph, made before the first step, and its gradients are also added up",
                forward=lambda *given: trained(
                    *given,
                    step=lambda data, w, lr, slopes: w - lr * len(slopes) * slopes[0],
                    kept=lambda losses: losses[:1] * (len(losses) - 1),
                ),
            ),
            Mistake(
                "sum",
                "this is training on the sum of the squared errors, but the loss is their mean",
                forward=lambda data, targets, *given: trained(
                    data,
                    targets,
                    *given,
                    loss=lambda *at: len(data) * error_of(*at),
                    slope=lambda *at: len(data) * slope_of(*at),
                ),
            ),
            *family("other_loss", "this is training on another loss: in yours, {loss}", on_another, loss=OTHER_LOSSES),
            *family(
                "other_step",
                "{what}",
                lambda what: {"forward": lambda *given: trained(*given, step=what)},
                what=OTHER_STEPS,
            ),
            *family(
                "other_step_and_list",
                "{how}; {what}",
                lambda how, what: {"forward": lambda *given: trained(*given, step=how, kept=what)},
                how=dict(list(OTHER_STEPS.items())[:3]),
                what=dict(list(OTHER_LISTS.items())[:3]),
            ),
            *family(
                "other_list",
                "{what}",
                lambda what: {"forward": lambda *given: {"losses": trained(*given, kept=what)["losses"]}},
                what=OTHER_LISTS,
            ),
            *family(
                "no_list",
                "the losses must be a list with the loss of each step, but this is {what}",
                lambda what: {"forward": lambda *given: {"losses": trained(*given, kept=what)["losses"]}},
                what=NO_LISTS,
            ),
            *family(
                "number_of_steps",
                "w is not where it must be after all steps: {what}",
                lambda what: {"forward": lambda *given: another_number_of_steps(*given, more=what)},
                what={"one step is missing": -1, "there is one step too many": 1},
            ),
            *family(
                "where",
                "the result is wrong only where {what}",
                lambda what: {"where": what},
                what={
                    "the loss grows, because lr is large: all steps are asked for there too": grows,
                },
            ),
        ),
        holds={
            "Repair the function `train_linear(data,": "runs, value",
            "It must train `w` by `steps`": "value, other_step, other_list, number_of_steps, no_losses",
            "A tuple or a tensor with these": "explains",
            "The matrix `data` has one example": "explains",
            "The vector `targets` has one": "explains",
            "The loss of the weights `w`,": "value, sum, other_loss",
            "Each step of gradient descent": "value, other_step",
            "`w` is a leaf that requires": "explains",
            "After the call **this same tensor**": "value, other_tensor, not_moved",
            "It must still be a leaf that": "no_leaf_any_more",
            "The caller keeps the list of": "history_kept",
            "Its entries are plain Python": "history_kept, value",
            "This program contains **three": "explains",
            "At first it shows only one of": "explains",
            "Copy it into the cell below": "explains",
            "For example:": "explains",
            "The checks try three to eight": "value",
            "With one of them the loss grows": "value, where",
            "They compare the losses and": "value",
            "They check that the losses have": "history_kept, no_leaf_any_more, unchanged, repeat",
        },
    ),
    "stop_gradient": CallSpec(
        descent,
        loss_inputs,
        mistakes=(
            *[
                Mistake(
                    "no_history",
                    f"if `blind` is '{word}', the loss has no history, so nothing can be trained with it",
                    forward=no_history(word),
                )
                for word in BLIND
            ],
            Mistake(
                "no_history",
                "the loss has no history, so nothing can be trained with it",
                forward=no_history(*BLIND),
            ),
            *wrong_for_words(),
            *[felt_by_others("wrong_for_all", message, **felt) for message, felt in SPECIAL.items()],
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
                forward=lambda a, b, blind: {"loss": np.asarray(value(a, b) - (a - b) ** 2 * (blind != "none"))},
            ),
            *family(
                "replaced",
                "in the last term, {constant} replaces the blind variable: its own value counts",
                replaced,
                constant=CONSTANTS,
            ),
            Mistake(
                "flag_lost",
                "after the call, what is blind does not require grad any more: `detach_()` and `requires_grad_(False)` "
                "change a or b itself",
                forward=lambda a, b, blind: {} if blind == "none" else {"gradient": LOST},
            ),
            *family(
                "other_value",
                "this is the value of another loss: in yours, {what}",
                lambda what: {"forward": lambda a, b, blind: {"loss": np.asarray(what(a, b))}},
                what=OTHER_VALUES,
            ),
        ),
        holds={
            "Write a function `stop_gradient(a,": "value, other_value",
            "`blind` says which of `a` and": "value, wrong_for_words, wrong_for_all",
            "The last term pulls $a$ and": "explains",
            "`blind` is one of four words:": "explains",
            "A variable that is blind does": "value, wrong_for_words, wrong_for_all",
            "The first two terms send their": "value, own_term, no_history",
            "The result is a tensor with": "value",
            "It is always the value of the": "value, left_out, other_value",
            "The check takes 100 gradient": "value",
            "From any start, they must end": "value",
            "For example:": "explains",
            'With `"none"` the gradients': "explains",
            "The checks try several starts": "value",
            "They compare the value, the": "value",
            "They check that `a` and `b`": "unchanged, flag_lost, repeat",
        },
    ),
    "ema_update": CallSpec(
        moved,
        average_inputs,
        also=(stays_a_leaf("average", "weight"),),
        mistakes=(
            Mistake(
                "not_moved",
                "average holds the same numbers as before: nothing was written into it (new numbers may be in another tensor)",
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
            Mistake(
                "away",
                "average moves away from weight: the difference has the wrong sign",
                forward=lambda average, weight, decay: average + (1 - decay) * (average - weight),
            ),
            Mistake(
                "away",
                "average moves away from weight, and decay stands where 1 - decay must stand",
                forward=lambda average, weight, decay: average + decay * (average - weight),
            ),
            *other_shares(),
            *family(
                "where",
                "average after the call is wrong only where average {what}",
                lambda what: {"where": lambda average, weight, decay: what(average, AVERAGES[average.shape, decay])},
                what={
                    "is a single number": lambda average, leaf: average.ndim == 0,
                    "is a matrix": lambda average, leaf: average.ndim == 2,
                    "does not require grad: it must be updated too": lambda average, leaf: not leaf,
                    "requires grad": lambda average, leaf: leaf,
                },
            ),
        ),
        holds={
            "Write a function `ema_update(average,": "value, not_moved",
            "Autograd must not record the": "runs, no_leaf_any_more",
            "The weights of a model jitter": "explains",
            "So it is common to keep a second": "explains",
            "It is updated after each training": "value, other_shares, order",
            "After the call the tensor `average`": "value, not_moved",
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
