"""Exercises of notebook 08, changing values in place: predict_in_place_errors, and four programs to repair."""

from typing import Any

from .declaration import CallForm, Exercise

NOTEBOOK = "08_in_place"


def value_and_gradient(torch: Any, answer: Any, x: Any) -> Any:
    """The result of the repaired function at the leaf x, and the gradient of the sum of its entries times 1, 2, 3, ..."""
    result = answer(x)
    if result is None:
        return None
    gradient = None if isinstance(result, torch.Tensor) else "the result is not a tensor"
    if gradient is None and result.requires_grad:
        weights = torch.arange(1, result.numel() + 1, dtype=result.dtype).reshape(result.shape)
        (gradient,) = torch.autograd.grad((result * weights).sum(), x, allow_unused=True)
    return {"value": result, "gradient": gradient}


def loss_and_weights(torch: Any, answer: Any, w: Any) -> Any:
    """The loss that the answer returns, and the leaf w after the call."""
    loss = answer(w)
    return None if loss is None else {"loss": loss, "w": w}


VALUE_AND_GRADIENT = {"['value']": "the result", "['gradient']": "the gradient that x gets"}
LOSS_AND_WEIGHTS = {"['loss']": "the returned loss", "['w']": "w after the call"}


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="predict_in_place_errors",
        points=2,
        title="Which of these raise, and where",
        form=CallForm((), kind="value"),
        hints=(
            "For each program: which tensor is written to? Which other tensors share its memory?",
            (
                "Then: did a node save that tensor before it was written to? The local slopes of "
                "tanh and exp are computed from the result, the local slope of a square from the "
                "argument."
            ),
            (
                "Ask in this order. Is it the memory of a leaf that requires grad, and is the "
                "change recorded? Was the value saved before, and does the version counter count "
                "the change? If it is not counted, is the saved value still right?"
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="repair_centre",
        points=1,
        title="Repair: a leaf that is written to",
        form=CallForm(("x",), call=value_and_gradient, parts=VALUE_AND_GRADIENT),
        hints=(
            "Which line raises? Does it make a new tensor, or does it write new values into x?",
            (
                "x belongs to the caller, who wants a gradient for it. So make another tensor, "
                "and give it a name of its own."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="repair_threshold",
        points=1,
        title="Repair: a saved result that is written to",
        form=CallForm(("x",), call=value_and_gradient, parts=VALUE_AND_GRADIENT),
        hints=(
            "Which node saved y, and what does it need y for?",
            (
                "You have two choices: write to a copy, or make the result with one operation "
                "that takes each entry from one of two tensors."
            ),
            (
                "`y.clone()` is a copy that autograd follows. `torch.where(condition, a, b)` "
                "takes each entry from a or from b."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="repair_products",
        points=1,
        title="Repair: a table that is filled",
        form=CallForm(("x",), call=value_and_gradient, parts=VALUE_AND_GRADIENT),
        hints=(
            "Each product saves an entry of the table. How many version counters does the table have?",
            "You can build the table at the end. Collect the products first, in something that is not a tensor.",
            (
                "Collect them in a list, and call `torch.stack` at the end. Or keep the table, "
                "and let each product save a copy of its entry."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="repair_step",
        points=1,
        title="Repair: weights that change too early",
        form=CallForm(("w",), call=loss_and_weights, may_change=("w",), parts=LOSS_AND_WEIGHTS),
        hints=(
            "Which value does the backward pass from the loss need? What happens to it before `backward` runs?",
            "Every line is right. What about their order?",
        ),
    ),
)
