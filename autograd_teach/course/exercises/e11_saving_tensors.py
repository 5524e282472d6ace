"""Exercises of notebook 11, what backward needs: AbsProduct, Sigmoid, Cube, Norm."""

from .declaration import Exercise, FunctionForm

NOTEBOOK = "11_saving_tensors"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="AbsProduct",
        points=2,
        title="|u v|, entry by entry",
        form=FunctionForm(("u", "v")),
        hints=(
            "Take one entry with u = 2 and v = 3. Move u a little: what does |u v| do? And with u = 2 and v = -3?",
            (
                "Without the absolute value, the slope for u is v. The absolute value flips its "
                "sign if the product is negative. `sign()` gives 1 or -1 for each entry of a "
                "tensor."
            ),
            (
                "You need both tensors again: ctx.save_for_backward takes several tensors, and "
                "ctx.saved_tensors gives them back in the same order. Two arguments mean two "
                "gradients. Both contain grad_output times the sign of the product."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Sigmoid",
        points=2,
        title="The sigmoid, from its saved result",
        form=FunctionForm(("x",), properties=("from_result",)),
        hints=(
            "Differentiate 1 / (1 + e^-x) on paper. Can you write the slope with the result alone, without x?",
            (
                "At x = 0 the result is 1/2 and the slope is 1/4. Far to the left the result is "
                "near 0, far to the right it is near 1, and the slope is near 0 on both sides. "
                "Which simple expression in the result behaves like this?"
            ),
            (
                "Call the result y. The slope is a product of two factors: one is y, the other is "
                "the distance from y to 1. Save y, not x."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Cube",
        points=2,
        title="The cube, which can be differentiated twice",
        form=FunctionForm(("x",), properties=("double_backward",)),
        hints=(
            (
                "The first derivative follows from the power rule. For the second, backward itself "
                "is differentiated, so everything in it that depends on x must be computed from x "
                "there."
            ),
            (
                "Operations in forward are not recorded, so a slope computed in forward is just a "
                "number later. What can you save so that it comes back with its place in the graph?"
            ),
            (
                "Save x itself with save_for_backward, and compute the slope in backward with "
                "tensors only: no NumPy, no `.item()`, no `.detach()`."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Norm",
        points=3,
        title="The length of a vector, twice differentiable",
        form=FunctionForm(("x",), properties=("double_backward",)),
        hints=(
            "Draw the vector (3, 4). Its length is 5. How much does it grow if the first entry grows from 3 to 3.01?",
            (
                "Use the chain rule: the slope of the root at the sum of squares, times the slope "
                "of the sum of squares for each entry. Two factors cancel."
            ),
            (
                "Divide each entry of x by the length. For the second derivative, the length must "
                "not be a plain number: save both x and the result with save_for_backward, or "
                "compute the length from x again in backward."
            ),
        ),
    ),
)
