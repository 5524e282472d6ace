"""Exercises of notebook 07, gradients of gradients.

nth_derivative, hessian_vector_product, newton_step, gradient_penalty.
"""

from collections.abc import Sequence

from .declaration import CallForm, Exercise, Watched

NOTEBOOK = "07_higher_order"


Part = tuple[float, str, float]
"""(0.7, "sin", 1.2) is 0.7 * torch.sin(1.2 * x)."""


class Wide(Watched):
    """A function of very many numbers, made of three parts.

    Its Hessian-vector product is known in closed form; measuring it would take too long.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        one, two, three = (f"{a} * torch.{name}({b} * x)" for a, name, b in parts)
        super().__init__("x", f"({one}).sum() + ({two}).mean() * ({three}).sum()")
        self.parts = parts


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="nth_derivative",
        points=2,
        title="A derivative of any order",
        form=CallForm(("f", "x", "n")),
        hints=(
            (
                "The derivative of order 2 is the derivative of the derivative. So do the same "
                "step n times. Which option makes a gradient that can be differentiated again?"
            ),
            (
                "Each entry of the result depends only on one entry of x. So what is each entry "
                "of the gradient of the sum?"
            ),
            (
                "Before each step, check whether the value still depends on x: `requires_grad` "
                "tells you. If it does not, you know all further derivatives."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="hessian_vector_product",
        points=2,
        title="A Hessian times a vector, without the Hessian",
        form=CallForm(("f", "x", "v")),
        hints=(
            (
                "Row i of the Hessian is the gradient of entry i of the gradient. The product is "
                "a sum of these rows, each times an entry of v. Can you add up first, and "
                "differentiate afterwards?"
            ),
            (
                "Compute a single number from the gradient and v, and differentiate it. For that, "
                "the gradient must have a history."
            ),
            "`dot` is only for vectors. For any shape, multiply entry by entry and sum. Treat v as a constant.",
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="newton_step",
        points=2,
        title="One jump to the bottom of a bowl",
        form=CallForm(("f", "x")),
        hints=(
            (
                "The lesson has a Newton step for vectors. Which of its lines need a vector? How "
                "can you make a vector from a matrix or a single number, and get back afterwards?"
            ),
            (
                "`reshape(-1)` makes a vector from a tensor of any shape, even from a single "
                "number. Each entry of the gradient gives one row of the Hessian. Make each row a "
                "vector too."
            ),
            (
                "Solve Hessian times step = gradient, with step and gradient as vectors. Then "
                "give the step the shape of x and subtract it from x."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="gradient_penalty",
        points=3,
        title="A penalty on slopes, and its gradient",
        form=CallForm(("f", "x", "w")),
        hints=(
            "You need two gradients, one after the other, with respect to different tensors. Which comes first?",
            (
                "The first gradient gives the slopes with respect to x. It must have a history, "
                "because the penalty is computed from it. The second is the gradient of the "
                "penalty with respect to w."
            ),
            (
                "Each entry of f(x, w) depends only on its own row of x. So the gradient of the "
                "sum of all entries holds the slopes of all rows. Square it, sum over each row, "
                "and take the mean over the rows."
            ),
        ),
    ),
)
