"""The specification of notebook 03, walking the graph: count_nodes, leaves_of, backward_order."""

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..chains import DEEP
from ..checks.spec import Also, Arguments, CallSpec, Mistake, specified
from ..exercises.e03_the_graph import AGAIN, FIRST
from ..exercises.recipe import Recipe
from ..mutants import Slip
from .recipe import Graph, Step


def chain(rng: np.random.Generator) -> Recipe:
    """A chain deeper than Python's recursion limit."""
    return Recipe(f"c = [a]\nfor i in range({rng.integers(*DEEP)}):\n  c.append(c[-1] + 1)\ny = c[-1]", {"a": 2.0})


def doublings(rng: np.random.Generator) -> Recipe:
    """A graph with too many paths from y to a to follow them all."""
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
        Recipe("b = a.exp()\np = b * b\nr = b.tanh()\nq = r.sin()\ny = p + q", {"a": 2.0}),
        Recipe("b = a.exp()\np = b * b\nr = b.tanh()\nq = r.sin()\ny = q + p", {"a": 2.0}),
        Recipe("p, q = a.unbind()\ny = p * q", {"a": [2.0, 5.0]}),
        Recipe("p = a * 2\nq = p.detach()\nr = q * b\ny = r.sum()", {"a": a, "b": b}),
        Recipe("p = a.exp()\nq = p * p\nr = q + p\ns = r * q\nt = s - p\ny = t.norm()", {"a": a}),
    ]


def count_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    several = [*small(rng), Recipe("y = d * 2", {"a": 2.0}, {"d": 3.0}), network(rng)]
    return [(each,) for each in (*several, *(drawn(rng) for _ in range(3)), doublings(rng), chain(rng))]


def leaf_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    several = [
        *small(rng),
        Recipe("p = a * a\nq = b * a\ny = p * q", {"a": 2.0, "b": 3.0, "c": 4.0}),
        named_network(rng),
    ]
    return [(each,) for each in (*several, *(drawn(rng) for _ in range(3)), doublings(rng), chain(rng))]


def order_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    several = [*small(rng), named_network(rng), *(drawn(rng) for _ in range(3)), doublings(rng), chain(rng)]
    return [(each,) for each in several]


def walk(graph: Graph) -> list[Step]:
    """The nodes of the graph, each once."""
    found: list[Step] = []
    waiting = [graph.start]
    met: set[Step] = set()
    while waiting:  #: the end of the walk
        step = waiting.pop()
        if step is None:
            continue
        if step not in met:  #: the test whether a node was met before
            found.append(step)
            met.add(step)  #: the note of the nodes that were met; take each node once, however many ways lead to it
            entries = step.following  #: the entries of next_functions
            waiting += [each for each in entries if each not in met]
    return found


def count_nodes(graph: Graph) -> int:
    steps = walk(graph)
    return len(steps)  #: the number of nodes


def leaves_of(graph: Graph) -> list[str]:
    steps = walk(graph)
    return sorted(step.result for step in steps if not step.following)  #: the list


def backward_order(graph: Graph) -> list[str]:
    steps = walk(graph)
    place = {step: step for step in steps}  #: the places at which arrows are counted
    missing = dict.fromkeys(place.values(), 0)
    for _, end in arrows_from(steps):
        missing[place[end]] += 1
    listed: list[Step] = []
    ready = steps[:1]
    while ready:
        step = ready.pop()
        listed.append(step)
        for _, end in arrows_from([step]):  #: the arrows that are taken off
            missing[place[end]] -= 1
            if missing[place[end]] == 0:
                ready.append(end)
    listed = sorted(listed, key=lambda step: -step.serial)
    return [step.label for step in listed]  #: the list


def arrows_from(steps: Sequence[Step]) -> list[tuple[Step, Step]]:
    return [(step, each) for step in steps for each in step.following if each]


def by_distance(graph: Graph) -> list[Step]:
    """The nodes at each distance from the result, each once for each of its distances."""
    found: list[Step] = []
    layer = {graph.start: None} if graph.start else {}
    while layer:
        found += layer
        layer = {end: None for _, end in arrows_from(list(layer))}
    return found


def by_way(graph: Graph) -> list[Step]:
    """The nodes, each once for each way to it, where several arrows between two nodes are one way."""
    found: list[Step] = []
    waiting = [graph.start] if graph.start else []
    while waiting and len(found) < 10_000:
        found.append(waiting.pop())
        waiting += {end: None for _, end in arrows_from(found[-1:])}
    return found


def of_new_names(entries: Sequence[Step | None], known: Sequence[Step | None]) -> list[Step]:
    """The first entry with each name that no known node has."""
    names = {step.name for step in known if step}
    found: dict[str, Step] = {}
    for each in entries:
        if each and each.name not in names:
            found.setdefault(each.name, each)
    return list(found.values())


def equal_leaves(graph: Graph) -> bool:
    """Whether this is the small graph whose two leaves hold the same number."""
    return leaves_of(graph) == ["a", "b"] and len(graph.nodes) == 4


def first_answer(result: Any) -> Any:
    """What was answered first, if a second call with the same graph gave something else (`AskedTwice`)."""
    return result[FIRST] if isinstance(result, dict) and FIRST in result else result


def in_any_order(result: Any) -> Any:
    names = first_answer(result)
    return sorted(names) if isinstance(names, list) else names


def the_same_again(called: Any) -> str | None:
    """Check that a second call with the same graph gave the same."""
    if not isinstance(called.result, dict) or AGAIN not in called.result:
        return None
    first, again = (_cut(called.result[when]) for when in (FIRST, AGAIN))
    end = called.arguments[0].in_words("y")
    return (
        f"a second call with the same graph gives {again}, the first gave {first}, for {end}: "
        "something outside the function remembers the first call, or the first call has changed the graph"
    )


def _cut(answer: Any) -> str:
    return textwrap.shorten(str(answer), 80)


SAME_AGAIN = Also("same_again", "a second call with the same graph gives the same", the_same_again, counted=True)


def keeps_the_order(called: Any) -> str | None:
    """Check that every node in the list comes after the nodes that send it a gradient."""
    result = first_answer(called.result)
    if not isinstance(result, list):
        return None
    place: dict[str, int] = {}
    for number, label in enumerate(result):
        place.setdefault(label, number)
    arrows = specified(called.arguments[0]).arrows
    known = [(one.label, other.label) for one, other in arrows if one.label in place and other.label in place]
    early = [(one, other) for one, other in known if place[other] < place[one]]
    if not early:
        return None
    end = called.arguments[0].in_words("y")
    if len(early) == len(known) and len({one for one, _ in early}) > 1:
        return f"the list is the wrong way round: it begins with {result[0]}, but backward begins at y; seen for {end}"
    one, other = min(early, key=lambda pair: place[pair[1]])
    return f"{other} comes before {one}, but {one} sends it a gradient; seen for {end}"


ONE_NAME = (
    "nodes of the same name are taken for one, but two nodes can have the same name: compare the nodes themselves"
)


WALK = (
    Slip(
        "the test whether a node was met",
        "True",
        "a node is taken again if it is met a second time before the walk comes to it",
    ),
    Slip("the test whether a node was met", "step.name not in {each.name for each in met}", ONE_NAME),
    Slip("the entries", "of_new_names(step.following, [*found, *waiting])", ONE_NAME),
    Slip(
        "the entries",
        "step.following[:1]",
        "only the first entry of each next_functions is followed: a node can lead to several",
    ),
    Slip(
        "the entries",
        "step.following[: (*step.following, None).index(None)]",
        "what stands behind a None in next_functions is left out: the inputs after it can have nodes",
    ),
    Slip("the end", "waiting and waiting[-1]", "the walk ends at None: other nodes are still waiting then"),
    Slip(
        "the end",
        "waiting and not (found and not found[-1].following)",
        "the walk ends at a leaf: other nodes are still waiting then",
    ),
)
"""What goes wrong in each of the three walks."""


NODES = (
    Slip(
        "the number",
        "sum(bool(step.following) for step in steps)",
        "the `AccumulateGrad` nodes of the leaves are left out: they are nodes too",
    ),
    Slip("the number", "max(len(steps), 1)", "a tensor without a graph counts as one node: there, `grad_fn` is None"),
    Slip("the number", "len(steps) - bool(steps)", "one node is missing: the node of y itself belongs to the graph"),
    Slip(
        "the number",
        "len(steps) + any(None in step.following for step in steps)",
        "None is counted like a node, but it stands for an input without a gradient",
    ),
    Slip(
        "the number",
        "len({step.name for step in steps})",
        "this is the number of different names, but two nodes can have the same name",
    ),
    Slip(
        "the number",
        "bool(steps) + len(arrows_from(steps))",
        "this is the number of arrows plus 1: if two arrows lead to one node, that node is counted twice",
    ),
    Slip(
        "the number",
        "len(steps) + any(step.name == 'UnbindBackward0' for step in steps)",
        "a node with two results is counted twice: it is one node, whatever the number of its results",
    ),
    Slip(
        "the number",
        "len(by_distance(graph))",
        "a node is counted once for each number of steps that lead to it: count each node once",
    ),
    Slip(
        "the number",
        "len(by_way(graph))",
        "a node that several nodes lead to is counted once for each of them: count each node once",
    ),
)


LEAVES = (
    Slip(
        "the list",
        "[step.label for step in steps if not step.following]",
        "these are the `AccumulateGrad` nodes: the list must hold the leaves themselves",
    ),
    Slip(
        "the list",
        "['some Tensor' for step in steps if not step.following]",
        "these are other tensors, or copies of the leaves: the list must hold the leaves themselves",
    ),
    Slip(
        "the list",
        "[end.result for _, end in arrows_from(steps) if not end.following]",
        "a leaf is listed once for each arrow that leads to it: list each leaf once",
    ),
    Slip(
        "the list",
        "[each.result for each in {*graph.start.following} if each and not each.following]",
        "only the leaves one step away from y are found: the others are deeper in the graph",
    ),
    Slip(
        "the list",
        "[step.result for step in by_distance(graph) if not step.following][:1]",
        "the walk ends at the first leaf: other nodes are still waiting then",
    ),
    Mistake(
        "a leaf is missing if another leaf has the same numbers: two leaves are the same only if they are one object",
        where=equal_leaves,
    ),
)


ORDER = (
    Slip(
        "the list",
        "[f\"the text '{'' if step.following else 'torch::autograd::'}{step.name}'\" for step in listed]",
        "these are names: two nodes can have the same name, so the list must hold the nodes themselves",
    ),
    Slip(
        "the list",
        "[step.label for step in listed if step.following]",
        "the `AccumulateGrad` nodes of the leaves are left out: backward runs them too",
    ),
    Slip(
        "the list",
        "[step.label for step in listed[1:]]",
        "the node of y is left out: it is the first node that backward runs",
    ),
    Slip(
        "the list",
        "[step.label for step in [graph.start, *listed]]",
        "the node of y is listed twice: backward runs each node once",
    ),
    Slip(
        "the list",
        "[step.label for step in listed] + ['some NoneType'] * any(None in step.following for step in listed)",
        "None is in the list as well: it is not a node",
    ),
    Slip(
        "the arrows",
        "dict.fromkeys(arrows_from([step]))",
        "two arrows from one node to another are taken off as one, so some nodes are never ready",
    ),
    Slip(
        "the places",
        "{step: step.name for step in steps}",
        "the arrows are counted for each name, but two nodes can have the same name: count them for each node",
    ),
)


SPECS = {
    "count_nodes": CallSpec(
        count_nodes,
        count_inputs,
        also=(SAME_AGAIN,),
        normal=first_answer,
        mistakes=(*WALK, *NODES),
        holds={
            "For example:": "explains",
            "Write a function `count_nodes(y)`": "value",
            "Count every node that can be reached": "value",
            "`y.grad_fn` itself counts": "value",
            "If `y` has no graph": "value",
            "Not sure about a graph": "explains",
            "`viz.graph(y)` draws it": "explains",
            "The checks try more than a dozen graphs": "explains",
            "They compare your number": "value",
            "A second call must give": "repeat, same_again",
        },
    ),
    "leaves_of": CallSpec(
        leaves_of,
        leaf_inputs,
        also=(SAME_AGAIN,),
        normal=in_any_order,
        mistakes=(*WALK, *LEAVES),
        holds={
            "For example:": "explains",
            "Write a function `leaves_of(y)`": "value",
            "The list holds the tensors themselves": "value",
            "A tuple or a set": "explains",
            "`y` is never a leaf itself": "explains",
            "The two tensors look the same": "value",
            "A report calls leaves by": "explains",
            "The checks try the same kinds": "explains",
            "They check that every leaf": "value",
            "A second call must give": "repeat, same_again",
        },
    ),
    "backward_order": CallSpec(
        backward_order,
        order_inputs,
        also=(Also("order", "no node comes before a node that sends it a gradient", keeps_the_order), SAME_AGAIN),
        normal=in_any_order,
        mistakes=ORDER,
        holds={
            "For example:": "explains",
            "Write a function `backward_order(y)`": "value, order",
            "In such an order, every node": "order",
            "Often several orders are right": "explains",
            "`y` always has a graph": "explains",
            "Return the nodes, not their names": "value",
            "A report calls these two": "explains",
            "The checks try the same kinds": "explains",
            "They check that every node": "value, order",
            "A second call must give": "repeat, same_again",
        },
    ),
}
