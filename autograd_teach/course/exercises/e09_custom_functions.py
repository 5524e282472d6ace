"""Exercises of notebook 09, a first custom Function: KillHead, Scale, Exp."""

from .declaration import Exercise, FunctionForm

NOTEBOOK = "09_custom_functions"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="KillHead",
        points=2,
        title="Zero the first n columns",
        form=FunctionForm(("x", "n")),
        hints=(
            (
                "Which entries of x does the result still depend on, and with what local slope? All "
                "other entries get gradient 0."
            ),
            (
                "backward gets grad_output, which has the shape of the result. For each entry of x, "
                "ask: which entry of the result did it become, and with what local slope? And how "
                "does backward know n?"
            ),
            (
                "forward can keep a plain number as an attribute of ctx. Both methods copy their "
                "tensor and clear some columns of the copy. backward returns two values, because "
                "forward takes two arguments."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Scale",
        points=2,
        title="Multiply by a plain number",
        form=FunctionForm(("x", "factor")),
        hints=(
            "If one entry of x moves a little, how much does the same entry of the result move?",
            (
                "grad_output says how much the loss changes with each entry of the result. backward "
                "turns it into how much the loss changes with each entry of x. What must forward "
                "keep on ctx for that?"
            ),
            (
                "forward can keep a plain number as an attribute of ctx. backward returns one value "
                "for each argument of forward, in the same order. A plain number has no gradient, "
                "so its value is None."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Exp",
        points=2,
        title="The exponential, which saves its output",
        form=FunctionForm(("x",), properties=("from_result",)),
        hints=(
            "What is the derivative of the exponential? Which number that you have already computed is equal to it?",
            (
                "ctx.save_for_backward(...) keeps tensors for the backward pass. There, "
                "ctx.saved_tensors gives them back, always as a tuple. You can save arguments of "
                "forward, and also its results."
            ),
            (
                "Save the result, not x. In backward, unpack the one saved tensor (note the comma: "
                "`saved, = ctx.saved_tensors`) and combine it with grad_output, entry by entry."
            ),
        ),
    ),
)
