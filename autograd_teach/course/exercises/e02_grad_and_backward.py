"""Exercises of notebook 02, gradients by call: gradient_of, accumulate_minibatches, jacobian_row, full_jacobian."""

from .declaration import CallForm, Exercise

NOTEBOOK = "02_grad_and_backward"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="gradient_of",
        points=1,
        title="The gradient of any function",
        form=CallForm(("f", "x")),
        hints=(
            (
                "Autograd only follows tensors that require grad. Does the tensor that you were "
                "given require grad? Are you allowed to change that?"
            ),
            (
                "Make your own leaf from x: `detach()` and `clone()` give a tensor that shares "
                "nothing with x. Set its flag, and call f with it."
            ),
            "`autograd.grad(result, leaf)` returns a tuple, even for one leaf. Take its only element.",
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="accumulate_minibatches",
        points=2,
        title="A gradient from pieces",
        form=CallForm(("data", "targets", "w", "size")),
        hints=(
            (
                "The loss is a sum over all rows. What is the gradient of a sum? And what does "
                "`backward` do if the leaf has a `.grad` already?"
            ),
            (
                "`data[start : start + size]` is one mini-batch; the last one may be shorter. For "
                "each mini-batch, compute its loss and call backward. Do not clear `.grad` in "
                "between."
            ),
            (
                "Make a leaf from w once, before the loop. For each start in `range(0, len(data), "
                "size)`, compute the loss of that mini-batch and call backward. At the end, the "
                "leaf's `.grad` is the answer."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="jacobian_row",
        points=1,
        title="One row of a Jacobian",
        form=CallForm(("f", "x", "i")),
        hints=(
            (
                "Row i says how entry i of the result depends on each entry of x. `autograd.grad` "
                "computes a vector times the Jacobian. Which vector picks out row i?"
            ),
            "Pass that vector as `grad_outputs`. It has the shape of the result.",
            "The vector is 1 at entry i and 0 everywhere else. Start with `torch.zeros_like(result)`.",
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="full_jacobian",
        points=2,
        title="The whole Jacobian",
        form=CallForm(("f", "x")),
        hints=(
            "You have written a function that computes one row. How many rows are there?",
            "One forward pass is enough for all rows if you keep the graph with `retain_graph=True`.",
            "`torch.stack(rows)` makes a matrix from a list of vectors. Each vector becomes one row.",
        ),
    ),
)
