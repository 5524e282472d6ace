"""Exercises of notebook 00, slopes by hand: local_slopes, chain_by_hand, count_passes."""

from .declaration import CallForm, Exercise

NOTEBOOK = "00_start_here"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="local_slopes",
        points=1,
        title="The local slopes of one step",
        form=CallForm(("name", "u", "v"), promise="both slopes of every step are right"),
        hints=(
            (
                "Take one step at a time. Hold v fixed and let u grow a little: how fast does y "
                "grow? Then hold u fixed and let v grow."
            ),
            (
                "A sum passes a change of u on as it is. In a product, a change of u counts v "
                "times. "
                "An input that does not change y has slope 0: think of the smaller number in "
                "`max`, "
                "and of v in `square`."
            ),
            (
                "Read a quotient as a product: y = u · (1/v). If u grows, the other factor is 1/v. "
                "If v grows, 1/v changes with slope -1/v**2, and u multiplies that."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="chain_by_hand",
        points=1,
        title="A chain by hand",
        form=CallForm(("a", "b", "c"), promise="the three slopes are those of autograd"),
        hints=(
            (
                "Compute the four values first. Then go back, as in the lesson: begin with `dy = "
                "1.0`. "
                "At each step, multiply what came in by the local slopes of this step."
            ),
            (
                "The last step, y = s * a, has two inputs. It sends `dy * a` to s and `dy * s` "
                "to a. "
                "The second number is only one part of the slope of a. Where else is a used?"
            ),
            (
                "From s you get `dv = ds * 2 * v`, and u and c each get dv. The step u = a * b "
                "sends "
                "`du * b` to a as well. Add both parts for a."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="count_passes",
        points=1,
        title="Count the passes",
        form=CallForm(
            ("inputs", "results"), promise="the three numbers are right, for every number of inputs and results tried"
        ),
        hints=(
            ("Ask of each way: where does one pass or call start, and which slopes do you know when it has ended?"),
            (
                "A forward pass starts at one input and reaches every result. A backward pass "
                "starts "
                "at one result and reaches every input."
            ),
            (
                "Moving: one call gives all results, so their number does not matter. You need the "
                "values before anything is moved, and then the values after each move."
            ),
        ),
    ),
)
