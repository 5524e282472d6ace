"""Exercises of notebook 12, arguments and options: Linear, MulConstant, MatMul, BroadcastAdd, Clamp."""

from .declaration import Exercise, FunctionForm

NOTEBOOK = "12_arguments_and_options"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="Linear",
        points=3,
        title="A linear layer whose bias may be left out",
        form=FunctionForm(("x", "weight", "bias"), properties=("needs_input_grad",)),
        hints=(
            (
                "Write down the shapes: x (n, k), weight (m, k), bias (m,), grad_output (n, m). "
                "Which products of grad_output with weight and with x have the shapes you need?"
            ),
            (
                "Each entry of bias is added to every row of the result. So what does its gradient "
                "collect from the n rows of grad_output?"
            ),
            (
                "Begin backward with three Nones. Replace each by its gradient only if its entry of "
                "ctx.needs_input_grad is True. save_for_backward also accepts None, so bias needs "
                "no special case there."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="MulConstant",
        points=2,
        title="A constant factor: no gradient, no work",
        form=FunctionForm(("x", "constant"), properties=("no_gradient",)),
        hints=(
            (
                "This is Scale from notebook 09 with one addition: what is grad_output if the next "
                "Function gives no gradient?"
            ),
            (
                "By default, a missing gradient is replaced by zeros. ctx.set_materialize_grads "
                "controls this; call it in forward."
            ),
            (
                "Without these zeros, grad_output can be None. backward must test for None before "
                "it computes with grad_output."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="MatMul",
        points=2,
        title="A product of matrices: only the gradients that are needed",
        form=FunctionForm(("a", "b"), properties=("needs_input_grad",)),
        hints=(
            (
                "Write down the shapes: a (n, k), b (k, m), grad_output (n, m). Only one product of "
                "grad_output and b, with one of them transposed, has the shape of a."
            ),
            (
                "result[i, j] is the sum over l of a[i, l] * b[l, j]. So a[i, l] reaches every "
                "entry of row i of the result, with the slopes b[l, j]."
            ),
            (
                "ctx.needs_input_grad has one entry for each argument of forward: compute a "
                "gradient if it is True, and leave None if it is False."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="BroadcastAdd",
        points=3,
        title="A sum with broadcasting",
        form=FunctionForm(("x", "y")),
        hints=(
            (
                "Let x have shape (2, 3) and y shape (3,). How many entries of the result contain "
                "y[0]? When y[0] moves, all of them move."
            ),
            (
                "Broadcasting does two things: it adds dimensions in front, and it repeats entries "
                "along dimensions of size 1. The gradient must undo both, for x and for y."
            ),
            (
                "Write a small function and call it for x and for y: it sums over the first "
                "dimension while there are too many dimensions, then over each dimension where the "
                "argument has size 1 (`keepdim=True`). Shapes are plain tuples, so ctx can keep "
                "them as attributes."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Clamp",
        points=2,
        title="Values kept between two bounds",
        form=FunctionForm(("x", "low", "high")),
        hints=(
            "Where x is above high, the result is high. If x moves a little there, does the result move?",
            (
                "Which entries of the result still follow x, and with what slope? A comparison such "
                "as `x > low` gives True or False for each entry; `.to(grad_output.dtype)` turns "
                "these into 1 and 0."
            ),
            (
                "Save x, or save which entries are inside the bounds. In backward, let grad_output "
                "pass inside the bounds and nothing outside. Add one more value for each of the two "
                "bounds, which are plain numbers."
            ),
        ),
    ),
)
