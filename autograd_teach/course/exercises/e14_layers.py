"""Exercises of notebook 14, parts of networks: normalised rows, softplus, interpolation, and two declared gradients."""

from .declaration import Exercise, FunctionForm

NOTEBOOK = "14_losses_and_grad_output"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="LayerNorm",
        points=3,
        title="Normalise each row, without weights",
        form=FunctionForm(("x",)),
        hints=(
            (
                "One entry of x reaches all results of its row in three ways: directly, through the "
                "mean of the row, and through its variance. A backward with the first way only is "
                "far off. Each way adds a term."
            ),
            (
                "Call the result y and its spread s = sqrt(variance + eps). If you add the same "
                "number to every entry of a row, y does not change. So the gradient of each row "
                "must add up to 0. Which term makes it so?"
            ),
            (
                "If you multiply a row by a number, y hardly changes. So the gradient has almost no "
                "part along y. You subtract two terms from grad_output, and each contains a mean "
                "over the row: one the mean of grad_output, the other the mean of grad_output * y."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Softplus",
        points=2,
        title="A smooth corner: log(1 + exp(x))",
        form=FunctionForm(("x",), properties=("double_backward",)),
        hints=(
            (
                "For a large x the result is almost x, and for a very negative x it is almost 0. So "
                "no intermediate number needs to be huge. The slope is between 0 and 1 everywhere."
            ),
            (
                "Take the larger of 1 and exp(x) out of the logarithm. What remains inside is 1 "
                "plus an exponential of something that is never positive."
            ),
            (
                "exp(-|x|) is at most 1. The slope is the logistic function, and the library has a "
                "function for it. For the second derivative, save x or the result with "
                "save_for_backward, and compute the slope in backward."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Interpolate",
        points=2,
        title="Between two tensors",
        form=FunctionForm(("a", "b", "t"), properties=("double_backward",)),
        hints=(
            (
                "Three tensors, three gradients. Hold two of them fixed and move an entry of the "
                "third: how much does the result move?"
            ),
            (
                "If t is one number for all entries, it acts on every entry of the result, and its "
                "gradient is one number too. What happens to all these contributions?"
            ),
            (
                "Save all three. The gradient for t contains grad_output and the distance from a to "
                "b; give it the shape of t at the end. `t.dim()` is 0 if t is a single number."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="GradientReversal",
        points=1,
        title="Reverse the gradient",
        form=FunctionForm(("x", "strength"), declared=True),
        hints=(
            (
                "You do not need a derivative: the statement says what backward makes of "
                "grad_output. forward leaves the numbers as they are."
            ),
            (
                "strength is a plain number: keep it on ctx, and remember what backward gives for "
                "an argument that is not a tensor. The result of forward must have the values of x, "
                "for example x.view_as(x)."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="StraightThroughRound",
        points=1,
        title="Round, and let the gradient pass",
        form=FunctionForm(("x",), declared=True),
        hints=(
            (
                "Rounding has slope 0 almost everywhere, so the part of a network before it would "
                "learn nothing. Which gradient does the statement declare instead?"
            ),
            "backward behaves as if forward had done nothing. So it needs nothing of x, and nothing has to be saved.",
        ),
    ),
)
