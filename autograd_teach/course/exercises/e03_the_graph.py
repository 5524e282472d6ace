"""Exercises of notebook 03, walking the graph: count_nodes, leaves_of, backward_order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .declaration import Also, Arguments, Call, Exercise, Mistake
from .recipe import Graph, Recipe, Step

NOTEBOOK = "03_the_graph"

MOST_WAYS = 100_000
"""Most copies of one node in the list that a mistake makes. No answer makes a longer list within the time limit."""


def chain(rng: np.random.Generator) -> Recipe:
    """A chain deeper than Python's recursion limit."""
    return Recipe(f"c = [a]\nfor i in range({rng.integers(1500, 2500)}):\n  c.append(c[-1] + 1)\ny = c[-1]", {"a": 2.0})


def doublings(rng: np.random.Generator) -> Recipe:
    """A graph with too many ways from y to a to follow them all."""
    return Recipe(f"c = [a]\nfor i in range({rng.integers(25, 30)}):\n  c.append(c[-1] + c[-1])\ny = c[-1]", {"a": 2.0})


def drawn(rng: np.random.Generator) -> Recipe:
    """A random graph: some values are used twice, some never, and `d` does not require grad."""
    leaves = {name: rng.uniform(0.5, 1.5) for name in "abcef"[: rng.integers(2, 6)]}
    known, lines = ["d", *leaves], []
    for number in range(rng.integers(5, 12)):
        one, other = rng.choice(known[-6:], size=2)
        is_alone = rng.random() < 0.3
        value = (
            f"{one}.{rng.choice(['tanh', 'sin', 'abs'])}()"
            if is_alone
            else f"{one} {rng.choice(['+', '-', '*'])} {other}"
        )
        lines.append(f"v{number} = {value}")
        known.append(f"v{number}")
    return Recipe("\n".join([*lines, f"p = {known[-1]} * {known[-3]}", "y = p + a"]), leaves, {"d": 3.0})


def network(rng: np.random.Generator) -> Recipe:
    leaves = {"w1": rng.normal(size=(3, 2)), "b1": rng.normal(size=3), "w2": rng.normal(size=(2, 3))}
    program = "p = w1 @ x\nh = (p + b1).tanh()\nq = w2 @ h\ne = (q - t) ** 2\ny = e.mean()"
    return Recipe(program, leaves, {"x": rng.normal(size=2), "t": rng.normal(size=2)})


def named_network(rng: np.random.Generator) -> Recipe:
    """The same network with a name for each value, so that a report can name each node."""
    program = "p = w1 @ x\nr = p + b1\nh = r.tanh()\nq = w2 @ h\nd = q - t\ne = d ** 2\ny = e.mean()"
    of = network(rng)
    return Recipe(program, of.leaves, of.data)


def small(rng: np.random.Generator) -> list[Recipe]:
    a, b = rng.uniform(0.5, 1.5, size=(2, 3))
    return [
        Recipe("b = a.abs()\ny = b.sum()", {"a": a}),
        Recipe("b = a + a\ny = b + b", {"a": 2.0}),
        Recipe("p = a * d\ny = p + b", {"a": 2.0, "b": 2.0}, {"d": 3.0}),
        Recipe("b = a + a\nd = b * b\ny = b + d", {"a": 2.0}),
        Recipe("b = a + a\nd = b * b\ny = d + b", {"a": 2.0}),
        Recipe("p, q = a.unbind()\ny = p * q", {"a": [2.0, 5.0]}),
        Recipe("p = a * 2\nq = p.detach()\nr = q * b\ny = r.sum()", {"a": a, "b": b}),
        Recipe("p = a.exp()\nq = p * p\nr = q + p\ns = r * q\nt = s - p\ny = t.norm()", {"a": a}),
    ]


def count_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    several = [*small(rng), Recipe("y = d * 2", {"a": 2.0}, {"d": 3.0}), network(rng)]
    return [(each,) for each in (*several, *(drawn(rng) for _ in range(3)), chain(rng), doublings(rng))]


def leaf_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    several = [*small(rng), Recipe("y = (a * a) * (b * a)", {"a": 2.0, "b": 3.0, "c": 4.0}), network(rng)]
    return [(each,) for each in (*several, *(drawn(rng) for _ in range(3)), chain(rng), doublings(rng))]


def order_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    several = [*small(rng), named_network(rng), *(drawn(rng) for _ in range(3)), chain(rng), doublings(rng)]
    return [(each,) for each in several]


def first_ways(graph: Graph) -> list[Step]:
    """The nodes found by following only the first arrow of each node."""
    found, step = [], graph.start
    while step is not None:
        found.append(step)
        step = step.following[0] if step.following else None
    return found


def ways(graph: Graph) -> dict[Step, int]:
    """The number of ways from the result to each node."""
    count = dict.fromkeys(graph.nodes, 0)
    for step in count:
        count[step] += step is graph.start
        for each in step.following:
            if each is not None:
                count[each] += count[step]
    return count


def leaves(steps: Any) -> list[str]:
    return sorted(step.result for step in steps if not step.following)


def labels(graph: Graph) -> list[str]:
    return sorted(step.label for step in graph.nodes)


def nodes_of_leaves(graph: Graph) -> list[str]:
    return [f"AccumulateGrad of {name}" for name in leaves(graph.nodes)]


def keeps_the_order(called: Any) -> str | None:
    """Check that every node in the list comes after the nodes that send it a gradient."""
    if not isinstance(called.result, list):
        return None
    place: dict[str, int] = {}
    for number, label in enumerate(called.result):
        place.setdefault(label, number)
    arrows = called.arguments[0].for_specification().arrows
    known = [(one.label, other.label) for one, other in arrows if one.label in place and other.label in place]
    early = [(one, other) for one, other in known if place[other] < place[one]]
    if not early:
        return None
    end = called.arguments[0].in_words("y")
    if len(early) == len(known) and len({one for one, _ in early}) > 1:
        return (
            f"the list is the wrong way round: it begins with {called.result[0]}, but backward "
            f"begins at y; seen for {end}"
        )
    one, other = min(early, key=lambda pair: place[pair[1]])
    return f"{other} comes before {one}, but {one} sends it a gradient; seen for {end}"


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="count_nodes",
        points=1,
        title="How many nodes?",
        grading=Call(
            ("y",),
            lambda graph: len(graph.nodes),
            count_inputs,
            call=lambda torch, answer, built: answer(built.y),
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
        mistakes=(
            Mistake(
                "each_way",
                "a node is counted once for each way that leads to it: count each node once, "
                "however often you reach it",
                forward=lambda graph: sum(ways(graph).values()),
            ),
            Mistake(
                "without_leaves",
                "the `AccumulateGrad` nodes of the leaves are left out: they are nodes too",
                forward=lambda graph: sum(bool(step.following) for step in graph.nodes),
            ),
            Mistake(
                "first_way",
                "only the first entry of each next_functions is followed, but a node can lead to several others",
                forward=lambda graph: len(first_ways(graph)),
            ),
            Mistake(
                "without_start",
                "one node is missing: the node of y itself belongs to the graph",
                forward=lambda graph: max(len(graph.nodes) - 1, 0),
            ),
            Mistake(
                "names",
                "this is the number of different names, but two nodes can have the same name",
                forward=lambda graph: len({step.name for step in graph.nodes}),
            ),
            Mistake(
                "arrows",
                "this is the number of arrows, not the nodes: several arrows can lead to one node",
                forward=lambda graph: len(graph.arrows),
            ),
            Mistake(
                "arrows",
                "this is the number of arrows plus 1: if two arrows lead to one node, that node is counted twice",
                forward=lambda graph: len(graph.arrows) + (graph.start is not None),
            ),
            Mistake(
                "none",
                "None is counted like a node, but it stands for an input without a gradient",
                forward=lambda graph: (
                    len(graph.nodes) + any(None in step.following for step in graph.nodes) + (graph.start is None)
                ),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="leaves_of",
        points=1,
        title="Where the gradients end up",
        grading=Call(
            ("y",),
            lambda graph: leaves(graph.nodes),
            leaf_inputs,
            call=lambda torch, answer, built: built.in_words(answer(built.y)),
            normal=lambda names: sorted(names) if isinstance(names, list) else names,
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
        mistakes=(
            Mistake(
                "equal_leaves",
                "a leaf is missing if another leaf has the same numbers: two leaves are the same "
                "only if they are one object",
                where=lambda graph: sorted(leaves(graph.nodes)) == ["a", "b"] and len(graph.nodes) == 4,
            ),
            Mistake(
                "nodes",
                "these are the `AccumulateGrad` nodes: the list must hold the leaves themselves",
                forward=nodes_of_leaves,
            ),
            Mistake(
                "each_arrow",
                "a leaf is listed once for each arrow that leads to it: list each leaf once",
                forward=lambda graph: leaves(each for _, each in graph.arrows),
            ),
            Mistake(
                "each_way",
                "a leaf is listed once for each way that leads to it: list each leaf once",
                forward=lambda graph: sorted(
                    name
                    for step, n in ways(graph).items()
                    if not step.following
                    for name in min(n, MOST_WAYS) * [step.result]
                ),
            ),
            Mistake(
                "first_way",
                "only the first entry of each next_functions is followed, but a node can lead to several others",
                forward=lambda graph: leaves(first_ways(graph)),
            ),
            Mistake(
                "one_step",
                "only the leaves one step away from y are found: the others are deeper in the graph",
                forward=lambda graph: leaves({each for each in graph.start.following if each}) if graph.start else [],
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="backward_order",
        points=2,
        title="An order for the backward pass",
        grading=Call(
            ("y",),
            labels,
            order_inputs,
            also=(Also("order", "no node comes before a node that sends it a gradient", keeps_the_order),),
            call=lambda torch, answer, built: built.in_words(answer(built.y)),
            normal=lambda names: sorted(names) if isinstance(names, list) else names,
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
        mistakes=(
            Mistake(
                "names",
                "these are names: two nodes can have the same name, so the list must hold the nodes themselves",
                forward=lambda graph: [f"the text {step.name!r}" for step in graph.nodes],
            ),
            Mistake(
                "without_leaves",
                "the `AccumulateGrad` nodes of the leaves are left out: backward runs them too",
                forward=lambda graph: [step.label for step in graph.nodes if step.following],
            ),
            Mistake(
                "without_start",
                "the node of y is left out: it is the first node that backward runs",
                forward=lambda graph: [step.label for step in graph.nodes if step is not graph.start],
            ),
            Mistake(
                "each_way",
                "a node is listed once for each way that leads to it: backward runs each node once",
                forward=lambda graph: [
                    label for step, n in ways(graph).items() for label in min(n, MOST_WAYS) * [step.label]
                ],
            ),
            Mistake(
                "each_arrow",
                "a node is listed once for each arrow that leads to it: backward runs each node once",
                forward=lambda graph: [step.label for step in (graph.start, *(each for _, each in graph.arrows))],
            ),
            Mistake(
                "first_way",
                "only the first entry of each next_functions is followed, but a node can lead to several others",
                forward=lambda graph: [step.label for step in first_ways(graph)],
            ),
        ),
    ),
)
