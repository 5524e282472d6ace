"""Exercises of notebook 03, walking the graph: count_nodes, leaves_of, backward_order."""

from collections.abc import Callable
from typing import Any

from .declaration import CallForm, Exercise
from .recipe import Built

NOTEBOOK = "03_the_graph"


FIRST, AGAIN = "the first call", "a second call"
SMALL = 100
"""The answer is called twice on graphs with at most this many named nodes: larger ones take too long."""


def number(torch: Any, answer: Any, built: Built) -> Any:
    return asked_twice(built, lambda: answer(built.y))


def names(torch: Any, answer: Any, built: Built) -> Any:
    return asked_twice(built, lambda: built.in_words(answer(built.y)))


def asked_twice(built: Built, ask: Callable[[], Any]) -> Any:
    """What the answer returns for a graph. If a second call returns something else, both, under `FIRST` and `AGAIN`."""
    first = ask()
    if len(built.labels) > SMALL or not (isinstance(first, int | float | list) or hasattr(first, "detach")):
        return first
    again = ask()
    one, other = (sorted(each) if isinstance(each, list) else each for each in (first, again))
    return first if str(one) == str(other) else {FIRST: first, AGAIN: again}


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="count_nodes",
        points=1,
        title="How many nodes?",
        form=CallForm(
            ("y",),
            call=number,
            kind="graph",
            promise="the number is the one counted while the graph was built",
        ),
        hints=(
            (
                "Keep track of two things: the nodes that you have found, and the nodes that you "
                "have found but not looked at yet. When are you done?"
            ),
            (
                "Each entry of next_functions is a pair. Its first element is a node, or None if "
                "the input has no gradient."
            ),
            (
                "Keep a set of the nodes that you have met. If you meet a node again, do not "
                "count it and do not follow it. Remember that y may have no node."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="leaves_of",
        points=1,
        title="Where the gradients end up",
        form=CallForm(
            ("y",),
            call=names,
            kind="graph",
            promise="each leaf of the graph is in the list, once, and nothing else",
        ),
        hints=(
            "Walk the graph as in `count_nodes`. Which nodes belong to leaves, and how do you recognise them?",
            "The `AccumulateGrad` node of a leaf leads nowhere: its next_functions is empty. It knows its leaf.",
            (
                "The leaf is the node's `variable`. Remember the nodes that you have met, so that "
                "you list each leaf once. Compare nodes, not tensors: `==` compares the numbers "
                "of tensors."
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="backward_order",
        points=2,
        title="An order for the backward pass",
        form=CallForm(
            ("y",),
            call=names,
            kind="graph",
            promise="each node of the graph is in the list, once, and nothing else",
        ),
        hints=(
            "A node can run once all nodes that lead to it have run. For each node, count the arrows that lead to it.",
            (
                "Begin with the node of y. When you put a node into the list, follow each arrow "
                "that leads on from it, and lower the count of the node there by 1."
            ),
            (
                "Walk the graph twice. The first walk finds all nodes and counts the arrows. The "
                "second walk lists a node as soon as its count is 0. Two arrows from one node to "
                "another count as two."
            ),
        ),
    ),
)
