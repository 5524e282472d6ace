"""Exercises of notebook 05, what is recorded and what is not: train_linear, stop_gradient, ema_update."""

from typing import Any

from .declaration import CallForm, Exercise

NOTEBOOK = "05_no_grad_and_detach"


def train(torch: Any, answer: Any, data: Any, targets: Any, w: Any, steps: int, lr: float) -> dict[str, Any]:
    return {"losses": answer(data, targets, w, steps, lr), "w": w}


STEPS, SIZE = 100, 0.1
NO_TENSOR = "the loss is not a tensor"
LOST = "a or b does not require grad any more"


def follow(torch: Any, answer: Any, a: Any, b: Any, blind: str) -> Any:
    """The same as `descent`, computed with the student's loss."""
    first = answer(a, b, blind)
    if first is None:
        return None
    if not isinstance(first, torch.Tensor):
        return {"loss": first, "gradient": NO_TENSOR, "end": NO_TENSOR}
    first = first.reshape(()) if first.numel() == 1 else first  # a single number, in any shape
    leaves = [each.detach().clone().requires_grad_() for each in (a, b)]
    gradient = None
    for _ in range(STEPS):
        loss = answer(*leaves, blind)
        if not all(leaf.requires_grad for leaf in leaves):
            return {"loss": first, "gradient": LOST, "end": leaves}
        if not getattr(loss, "requires_grad", False):
            return {"loss": first, "gradient": [None, None], "end": leaves}
        found = torch.autograd.grad(loss.sum(), leaves, allow_unused=True)
        gradient = gradient or found
        for leaf, slope in zip(leaves, found, strict=True):
            leaf.detach().sub_(0 if slope is None else SIZE * slope)
    return {"loss": first, "gradient": gradient, "end": leaves}


def update(torch: Any, answer: Any, average: Any, weight: Any, decay: float) -> Any:
    answer(average, weight, decay)
    return average


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="train_linear",
        points=3,
        title="Three mistakes in a training loop",
        form=CallForm(
            ("data", "targets", "w", "steps", "lr"),
            call=train,
            may_change=("w",),
            promise="the losses and the final weights in w are those of gradient descent",
            parts={"['losses']": "what is returned", "['w']": "w after the call"},
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
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="stop_gradient",
        points=2,
        title="Who feels the pull",
        form=CallForm(
            ("a", "b", "blind"),
            call=follow,
            promise="the loss, its gradient and the place where 100 steps end are right",
            parts={
                "['loss']": "the returned loss",
                "['gradient'][0]": "the gradient of a",
                "['gradient'][1]": "the gradient of b",
                "['gradient']": "the gradient",
                "['end'][0]": "the end of a",
                "['end'][1]": "the end of b",
                "['end']": "the end",
            },
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
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="ema_update",
        points=1,
        title="An average that follows",
        form=CallForm(
            ("average", "weight", "decay"),
            call=update,
            may_change=("average",),
            promise="average holds the right numbers afterwards",
            parts={"": "average after the call"},
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
                "adds a share of the weight. Take care of their order. Which lines must be "
                "inside the `no_grad` block?"
            ),
        ),
    ),
)
