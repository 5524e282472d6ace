"""Exercises of notebook 10: numerical_jacobian, find_kinks, and five Functions to repair."""

from .declaration import CallForm, Exercise, FunctionForm

NOTEBOOK = "10_gradcheck"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="numerical_jacobian",
        points=2,
        title="A Jacobian, measured",
        form=CallForm(("f", "x", "eps")),
        hints=(
            "One measurement moves one entry of x and looks at all results. Which part of the matrix does it give?",
            (
                "For each entry, make a copy of x in which this entry is larger by eps, and another "
                "in which it is smaller by eps. `x.reshape(-1)` lists the entries in order, for any "
                "shape."
            ),
            (
                "`result.reshape(-1)` turns a result of any shape into one column. "
                "torch.stack(columns, dim=1) puts columns side by side."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="find_kinks",
        points=2,
        title="Where a slope jumps",
        form=CallForm(("f", "candidates")),
        hints=(
            (
                "What is the slope just to the left of a point, and just to the right? At a kink "
                "these two numbers differ."
            ),
            (
                "Measure each slope with a step to one side: from the point to point + eps, and "
                "from point - eps to the point. Then compare the two, including their signs."
            ),
            (
                "How large a difference makes a kink? Where f is smooth, the two slopes differ by "
                "the second derivative of f times eps. Choose eps so small that this stays far "
                "below 0.1, but not so small that rounding matters."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairReciprocal",
        points=1,
        title="Repair: the reciprocal",
        form=FunctionForm(("x",)),
        hints=(
            "Draw 1/x for positive x. Does it rise or fall?",
            "Let gradcheck show its two tables, and compare the same entry in both. What is the difference?",
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairSquare",
        points=1,
        title="Repair: the square",
        form=FunctionForm(("x",)),
        hints=(
            "What is the slope of the square at 3? Measure it, or move 3 by 0.1 in your head.",
            "A square is a product of two factors, and both are x. In how many ways does x reach the result?",
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairTanh",
        points=1,
        title="Repair: tanh",
        form=FunctionForm(("x",)),
        hints=(
            (
                "Compute two losses from the same result, one of them three times the other. How do "
                "their gradients differ? Does this backward know about it?"
            ),
            "What arrives as grad_output, and where is it used?",
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairMatVec",
        points=1,
        title="Repair: a matrix times a vector",
        form=FunctionForm(("matrix", "x")),
        hints=(
            "Which shape must the gradient for `matrix` have? Try a matrix that is not square.",
            (
                "Entry [i, j] of the matrix appears in one product only: it multiplies x[j], and "
                "the product is added into result[i]. So which entry of grad_output does its "
                "gradient contain, and which entry of x?"
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="RepairScaleColumns",
        points=1,
        title="Repair: a factor for each column",
        form=FunctionForm(("x", "scale")),
        hints=(
            "How often is one entry of scale used if the table has three rows?",
            (
                "A number that reaches the result in several places gets a gradient from each of "
                "them. How do several gradients of the same number combine?"
            ),
        ),
    ),
)
