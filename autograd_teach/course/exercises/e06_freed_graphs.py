"""Exercises of notebook 06, graphs that are used up: two_gradients, turn_gradients."""

from .declaration import CallForm, Exercise

NOTEBOOK = "06_freed_graphs"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="two_gradients",
        points=1,
        title="Two results, one graph",
        form=CallForm(("f", "x")),
        hints=(
            (
                "Both results share some nodes. What happens to the values that these nodes have "
                "saved when the first gradient is computed?"
            ),
            "One of the two backward passes must keep the graph, because another pass needs it. Which one?",
            (
                "`autograd.grad` returns a gradient without storing it, so two gradients cannot "
                "mix. It has an option that keeps the graph."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="turn_gradients",
        points=2,
        title="A state that is carried on",
        form=CallForm(("w", "state", "inputs")),
        hints=(
            (
                "The loss of each turn has a graph. How far back does the graph of the second "
                "turn go if you do nothing about it?"
            ),
            (
                "A turn must get only numbers from the turn before. Lesson 05 has a tool that "
                "gives you a tensor without its history."
            ),
            (
                "Detach the state at the beginning of each turn. Then compute the new state, the "
                "loss, and the gradient of this loss alone. Collect the gradients in a list: "
                "`torch.stack` makes one tensor from it."
            ),
        ),
    ),
)
