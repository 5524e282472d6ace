"""Exercises of notebook 14, the losses: Huber, cross entropy, and the logarithm of a sum of exponentials."""

from .declaration import Exercise, FunctionForm

NOTEBOOK = "14_losses_and_grad_output"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="HuberLoss",
        points=2,
        title="The Huber loss",
        form=FunctionForm(("input", "target", "delta")),
        hints=(
            (
                "Take a single error first. What is the slope of its cost if the error is small? If "
                "it is large and positive? If it is large and negative? The mean comes later."
            ),
            (
                "The slope follows the error up to a limit and stays there: is there an operation "
                "that limits numbers from below and above? Something may follow your loss: "
                "grad_output says how much the final value changes with it."
            ),
            (
                "If input grows a little, the error grows. If target grows a little, the error "
                "shrinks by the same amount. So the two gradients differ in one thing only. In a "
                "mean, each of the n entries has a share of 1/n."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="SoftmaxCrossEntropy",
        points=3,
        title="The cross-entropy of a softmax, by class indices",
        form=FunctionForm(("logits", "target")),
        hints=(
            (
                "Write the loss of one row as log(sum of exp(logits)) minus the logit of its class. "
                "Differentiate the two parts separately. The derivative of the first part is called "
                "softmax."
            ),
            (
                "`x[rows, columns]` with two index tensors picks one entry for each pair, and you "
                "can assign to it. The rows are 0, 1, 2, ..., the columns are the entries of "
                "target."
            ),
            (
                "Before any exp, subtract from each row its largest entry: the softmax stays the "
                "same and nothing overflows. backward needs the probabilities and target. The loss "
                "is a mean over rows, and it may be one part of a larger loss."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="LogSumExp",
        points=2,
        title="The logarithm of a sum of exponentials",
        form=FunctionForm(("x",), properties=("double_backward",)),
        hints=(
            (
                "log(exp(1000) + exp(1001)) is near 1001, but exp(1000) is larger than any float. "
                "What happens to the result if you subtract the same number from every entry of a "
                "row?"
            ),
            (
                "For each row, choose this number so that the largest exponent becomes 0, and "
                "correct the result for it at the end. For backward: the slopes of a row are "
                "positive and add up to 1."
            ),
            (
                "The slope is exp(x) divided by the row's sum of exponentials. Written as exp of a "
                "difference it never overflows, and the saved result is one part of this "
                "difference. grad_output lacks the last dimension: unsqueeze(-1) adds it again."
            ),
        ),
    ),
)
