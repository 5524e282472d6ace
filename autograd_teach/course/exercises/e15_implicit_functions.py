"""Exercises of notebook 15, functions given by an equation: NewtonSqrt, FixedPoint, CholeskyFactor."""

from .declaration import Exercise, FunctionForm

NOTEBOOK = "15_implicit_functions"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="NewtonSqrt",
        points=2,
        title="A square root by Newton's method",
        form=FunctionForm(("a",), properties=("from_result", "double_backward")),
        hints=(
            (
                "Which equation does the result x satisfy, no matter how it was found? Move a a "
                "little in this equation: how must x move?"
            ),
            (
                "x · x = a. A change dx of x changes the left side by 2x · dx, and a change da of a "
                "changes the right side by da. Both sides must stay equal."
            ),
            (
                "backward needs only the last x of the loop in forward. Save this x with "
                "ctx.save_for_backward, so that the second derivative sees that x depends on a. In "
                "backward, compute with tensors."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="FixedPoint",
        points=3,
        title="Where x = tanh(W x + b) settles",
        form=FunctionForm(("W", "b"), properties=("needs_input_grad",)),
        hints=(
            (
                "Which equation does the settled x satisfy? Move b a little in it. x moves for two "
                "reasons: b has moved, and x itself is on the right side."
            ),
            (
                "Let J be the Jacobian of one step with respect to x: dx = J dx + (direct effect). "
                "backward starts from grad_output and goes the other way: first a system of linear "
                "equations with a transposed matrix, then one step back, to b and to W."
            ),
            (
                "The slope of tanh at the settled x is 1 - x². J is W with each row multiplied by "
                "its slope. After solving the system, go back through tanh, then to b and to W: "
                "each entry of W was multiplied by one entry of x. Compute only what "
                "ctx.needs_input_grad asks for, and put None for the rest."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="CholeskyFactor",
        points=3,
        title="The Cholesky factor of a matrix made symmetric",
        form=FunctionForm(("A",)),
        hints=(
            (
                "There are two steps: M = (A + Aᵀ) / 2, then the factor L of M. Lesson 15 derives "
                "the way back from L to M, from L Lᵀ = M. What is the way back from M to A?"
            ),
            (
                "G is the gradient that arrives for L. Go back in three steps: P = Φ(Lᵀ G); then S "
                "= L⁻ᵀ P L⁻¹; then each entry of A gets its share of S and of the mirror image of "
                "S. Save L."
            ),
            (
                "Φ keeps the lower triangle and halves the diagonal. You need no inverse: "
                "torch.linalg.solve_triangular solves with a triangle from the left, and with "
                "left=False from the right; upper= says which triangle it is. Test it with a 1 by 1 "
                "matrix: there L is a square root, and you know its slope."
            ),
        ),
    ),
)
