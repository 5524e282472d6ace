"""Exercises of notebook 13, several results and side effects: SinCos, SortDescending, AddInPlace, CumSum, MaxPool1d."""

from .declaration import Exercise, FunctionForm

NOTEBOOK = "13_outputs_and_side_effects"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="SinCos",
        points=2,
        title="Two results from one call",
        form=FunctionForm(("x",), properties=("double_backward",), results=2),
        hints=(
            (
                "x reaches a loss in two ways, one through each result. What happens to gradients "
                "that reach the same tensor in two ways?"
            ),
            (
                "backward gets ctx and two gradients, in the order of the results. It gives one "
                "gradient back, for x. Each of the two results has its own slope at x."
            ),
            (
                "For the second derivative, backward must show how its slopes depend on x: pass "
                "what it needs to ctx.save_for_backward, and compute with tensors only. Watch the "
                "sign of one of the two slopes."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="SortDescending",
        points=3,
        title="Sort, and say where each value came from",
        form=FunctionForm(("x",), results=2, constants=(1,)),
        hints=(
            (
                "Sorting only moves numbers. If you move the largest value a little, which entry of "
                "x was it? What is the slope of a number that only changed its place?"
            ),
            (
                "A position is a whole number: if x moves, it stays the same or jumps. Lesson 13 "
                "shows what forward must call for a result without a gradient. backward still gets "
                "one gradient for each of the two results."
            ),
            (
                "Entry i of the incoming gradient belongs to the entry of x at the i-th position. "
                "Begin with zeros in the shape of x and put each number in its place. Indexing "
                "needs whole numbers, so keep the positions in both forms."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="AddInPlace",
        points=2,
        title="Write the sum into an argument",
        form=FunctionForm(("x", "y"), in_place=(0,)),
        hints=(
            (
                "Which operation writes into the tensor itself? What does lesson 13 ask of a "
                "forward that changes its argument?"
            ),
            (
                "forward does three things: it changes x, marks it, and hands it back. The tensor "
                "that it marks and hands back is the one that came in, not a copy."
            ),
            (
                "For backward it does not matter where the sum was written. If one entry of x moves "
                "a little, how much does the sum move? And for y? You do not need to save anything."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="CumSum",
        points=2,
        title="Running sums along the last dimension",
        form=FunctionForm(("x",)),
        hints=(
            "Entry 0 of a row is part of every running sum of its row. How many running sums contain the last entry?",
            (
                "Write down the Jacobian for a row of three. Its rows are the results, its columns "
                "the entries of x. grad_output times one column gives one entry of the gradient: "
                "what kind of sum is that?"
            ),
            (
                "The gradient of each entry is the sum of grad_output from its own place to the end "
                "of the row. This is also a running sum, but from the other end. A tensor has a "
                "method that reverses a dimension."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="MaxPool1d",
        points=3,
        title="The largest entry of each window",
        form=FunctionForm(("x", "k")),
        hints=(
            (
                "Move an entry of a window that is not the largest. What happens to the result? And "
                "if you move the largest entry?"
            ),
            (
                "It is easier with a dimension for the windows: cut off the entries left over at "
                "the end of the last dimension, and reshape the rest so that each window is a row "
                "of its own. A tensor has a method that says which entry along a dimension is the "
                "largest."
            ),
            (
                "Keep for backward which entry of each window was the largest (these whole numbers "
                "can be an attribute of ctx or a saved tensor), and the shape of x. Begin with "
                "zeros in this shape, and put each number of grad_output in its one place. The "
                "entries left over keep their zeros."
            ),
        ),
    ),
)
