"""Exercises of notebook 01, which tensors take part: predict_flags, make_trainable."""

from .declaration import CallForm, Exercise

NOTEBOOK = "01_requires_grad"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="predict_flags",
        points=1,
        title="Who requires grad, and who is a leaf",
        form=CallForm((), kind="value"),
        hints=(
            "Go through the lines from the top. A result requires grad if at least one of its operands does.",
            (
                "A tensor is a leaf in two cases: no operation computed it, or it does not "
                "require grad. In the second case autograd did not record how it was computed."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="make_trainable",
        points=1,
        title="A leaf of your own",
        form=CallForm(("values",), promise="it returns a tensor with the same numbers"),
        hints=(
            "Only tensors with a float dtype can require grad. How do you convert integers to a float dtype?",
            (
                "`values.detach().clone()` is a new tensor without history. If its dtype is not a "
                "float dtype, convert it. `x.is_floating_point()` tells you."
            ),
            (
                "Set the flag last: `requires_grad_()` sets it in place and returns the tensor. A "
                "tensor that is computed after the flag was set is not a leaf."
            ),
        ),
    ),
)
