"""Exercises of notebook 04, weights used more than once: shared_weight_gradient, unrolled_rnn."""

from .declaration import CallForm, Exercise

NOTEBOOK = "04_dynamic_graphs"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="shared_weight_gradient",
        points=2,
        title="Two uses, two contributions",
        form=CallForm(("w1", "w2", "x0")),
        hints=(
            (
                "In one section of the lesson, each use of a weight has a weight of its own. What "
                "does autograd then tell you about each use?"
            ),
            "Make two leaves with the numbers of w1, one for each use of w1. The rest of the formula stays the same.",
            (
                "`autograd.grad(q, [first, last])` returns the gradients of both copies at once, "
                "as a tuple, in this order."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="unrolled_rnn",
        points=2,
        title="A loop that ends when the data say so",
        form=CallForm(("w", "u", "xs", "h0")),
        hints=(
            (
                "Write the loop over the rows of xs as if no gradient were needed. An ordinary "
                "`if` ends it. Autograd builds the graph while the loop runs."
            ),
            (
                "Make a leaf from w before the loop, and use this leaf at each step. After the "
                "loop, one call of `autograd.grad` gives the sum of the contributions of all "
                "steps."
            ),
            (
                "If xs has no rows, the result does not depend on the leaf and has no graph. Then "
                "return the zeros yourself. `allow_unused` and `materialize_grads` do not help if "
                "the result has no graph."
            ),
        ),
    ),
)
