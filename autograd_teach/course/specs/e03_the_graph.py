"""The specification of notebook 03, walking the graph: count_nodes, leaves_of, backward_order."""

import itertools
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..chains import DEEP
from ..checks.spec import Also, Arguments, CallSpec, Mistake, family, specified
from ..exercises.e03_the_graph import AGAIN, FIRST
from ..exercises.recipe import Recipe
from .recipe import Graph, Step

MOST_WAYS = 100_000
"""Most copies of one node in the list that a mistake makes. No answer makes a longer list within the time limit."""


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


def first_ways(graph: Graph) -> list[Step]:
    """The nodes found by following only the first arrow of each node."""
    found, step = [], graph.start
    while step is not None:
        found.append(step)
        step = step.following[0] if step.following else None
    return found


def ways(graph: Graph) -> dict[Step, int]:
    """The number of paths from the result to each node."""
    count = dict.fromkeys(graph.nodes, 0)
    for step in count:
        count[step] += step is graph.start
        for each in step.following:
            if each is not None:
                count[each] += count[step]
    return count


def last_ways(graph: Graph) -> list[Step]:
    """The nodes found by following only the last arrow of each node."""
    found, step = [], graph.start
    while step is not None:
        found.append(step)
        step = next((each for each in reversed(step.following) if each), None)
    return found


def near(graph: Graph, steps: int) -> set[Step]:
    """The nodes at most so many arrows from the result."""
    layer = {graph.start} if graph.start else set()
    found = set(layer)
    for _ in range(steps):
        layer = {each for step in layer for each in step.following if each}
        found |= layer
    return found


def longest(graph: Graph) -> int:
    """The number of nodes on the longest path."""
    length = {graph.start: 1} if graph.start else {}
    for step in graph.nodes:
        for each in step.following:
            if each:
                length[each] = max(length.get(each, 0), length[step] + 1)
    return max(length.values(), default=0)


def until(graph: Graph, ends: str, at: int) -> set[Step]:
    """The nodes met by a walk that ends as soon as it meets None, a known node or a leaf.

    It continues at the given end of its list.
    """
    found: dict[Step, None] = {}
    waiting: list[Step | None] = [graph.start]
    while waiting:
        step = waiting.pop(at)
        if step is None:
            if ends == "None":
                break
            continue
        if step in found:
            if ends == "a node that was met before":
                break
            continue
        found[step] = None
        if ends == "a leaf" and not step.following:
            break
        waiting += step.following
    return set(found)


def met_by_name(graph: Graph, at: int, early: bool) -> list[Step]:
    """The nodes met if nodes with the same name count as one.

    Names are noted when a node is found (`early`), or when the walk reaches it.
    """
    found: list[Step] = []
    waiting = [graph.start] if graph.start else []
    seen = {step.name for step in waiting if early}
    while waiting:
        step = waiting.pop(at)
        if not early and step.name in seen:
            continue
        found.append(step)
        if not early:
            seen.add(step.name)
        for each in step.following:
            if each and not (early and each.name in seen):
                waiting.append(each)
                seen |= {each.name} if early else set()
    return found


def noted_too_late(graph: Graph, at: int) -> list[Step]:
    """The nodes met if a node is noted when the walk reaches it, without a test whether it was noted before."""
    found: list[Step] = []
    seen: set[Step] = set()
    waiting = [graph.start] if graph.start else []
    while waiting and len(found) < MOST_WAYS:
        step = waiting.pop(at)
        seen.add(step)
        found.append(step)
        waiting += [each for each in step.following if each and each not in seen]
    return found


def by_distance(graph: Graph) -> list[Step]:
    """The nodes at each distance from the result, each once for each of its distances."""
    found: list[Step] = []
    layer = {graph.start: None} if graph.start else {}
    while layer:
        found += layer
        layer = {each: None for step in layer for each in step.following if each}
    return found


def until_none(graph: Graph, at: int, early: bool) -> list[Step]:
    """The nodes met if entries after a None in a list are skipped.

    Nodes are noted when they are found (`early`), or when the walk reaches them.
    """
    found: dict[Step, None] = {}
    waiting = [graph.start] if graph.start else []
    seen = set(waiting)
    while waiting:
        step = waiting.pop(at)
        if not early and step in found:
            continue
        found[step] = None
        for each in step.following:
            if each is None:
                break
            if not early or each not in seen:
                waiting.append(each)
                seen.add(each)
    return list(found)


def ready_by_name(graph: Graph, at: int) -> list[str]:
    """The labels listed if the arrows are counted for each name, not for each node."""
    missing: dict[str, int] = {}
    for _, end in graph.arrows:
        missing[end.name] = missing.get(end.name, 0) + 1
    listed: list[str] = []
    ready: list[Step] = [graph.start] if graph.start else []
    while ready:
        step = ready.pop(at)
        listed.append(step.label)
        for each in step.following:
            if each:
                missing[each.name] -= 1
                if not missing[each.name]:
                    ready.append(each)
    return sorted(listed)


def once_for_each_sender(graph: Graph) -> list[Step]:
    """The nodes that are listed if all arrows are counted, but two arrows from one node lower the count only by one."""
    missing = dict.fromkeys(graph.nodes, 0)
    for _, each in graph.arrows:
        missing[each] += 1
    listed = [graph.start] if graph.start else []
    for step in listed:
        for each in dict.fromkeys(each for each in step.following if each):
            missing[each] -= 1
            if not missing[each]:
                listed.append(each)
    return listed


def listed_when_ready(graph: Graph) -> list[str]:
    """The labels if a node is listed for each arrow of the node that made it ready."""
    missing = dict.fromkeys(graph.nodes, 0)
    for _, each in graph.arrows:
        missing[each] += 1
    listed = [graph.start] if graph.start else []
    for step in listed:
        following = [each for each in step.following if each]
        for each in following:
            missing[each] -= 1
        listed += [each for each in following if not missing[each]]
    return labels_of(listed)


def equal_leaves(graph: Graph) -> bool:
    """Whether this is the small graph whose two leaves hold the same number."""
    return leaves(graph.nodes) == ["a", "b"] and len(graph.nodes) == 4


def two_results(graph: Graph) -> bool:
    """Whether one node of the graph has two results."""
    return any(step.name == "UnbindBackward0" for step in graph.nodes)


ENDS = ("None", "a node that was met before", "a leaf")


ONE_LEAF = "at most one leaf is found, {where}: other ways lead to other leaves"


ONE_NAME = (
    "nodes of the same name are taken for one, but two nodes can have the same name: compare the nodes themselves"
)


WALKS = {"from the end": -1, "from the beginning": 0}
"""The end of the list of waiting nodes at which a walk goes on."""


FIRST_WAY = "only the first entry of each next_functions is followed, but a node can lead to several others"


LAST_WAY = "only the last entry of each next_functions is followed, but a node can lead to several others"


def walks(count: Callable[[set[Step]], Any]) -> tuple[Mistake, ...]:
    """A walk that ends too early: the sorts of ends, and of walks."""
    return tuple(
        Mistake(
            "too_early",
            f"the walk ends at {ends}: other nodes are still waiting then",
            forward=lambda graph, ends=ends, at=at: count(until(graph, ends, at)),
        )
        for ends, at in itertools.product(ENDS, (0, -1))
        if (ends, at) != ("a leaf", -1)  # this is the last way
    )


def several_walks(
    name: str, message: str, walk: Callable[..., Any], count: Callable[[Any], Any]
) -> tuple[Mistake, ...]:
    """A walk with a slip, from either end of the list of waiting nodes, and with nodes noted early or late."""
    return family(
        name,
        message,
        lambda at, early: {"forward": lambda graph: count(walk(graph, at, early))},
        at=WALKS,
        early={"when they are met": True, "when the walk comes to them": False},
    )


def leaves(steps: Any) -> list[str]:
    return sorted(step.result for step in steps if not step.following)


def labels_of(steps: Any) -> list[str]:
    return sorted(step.label for step in steps)


def labels(graph: Graph) -> list[str]:
    return labels_of(graph.nodes)


def nodes_of_leaves(graph: Graph) -> list[str]:
    return [f"AccumulateGrad of {name}" for name in leaves(graph.nodes)]


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


SPECS = {
    "count_nodes": CallSpec(
        lambda graph: len(graph.nodes),
        count_inputs,
        also=(SAME_AGAIN,),
        normal=first_answer,
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
                FIRST_WAY,
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
            Mistake(
                "none",
                "every None is counted like a node, but it stands for an input without a gradient",
                forward=lambda graph: len(graph.nodes) + sum(step.following.count(None) for step in graph.nodes),
            ),
            Mistake(
                "no_graph",
                "if y has no graph, there are 0 nodes",
                where=lambda graph: graph.start is None,
            ),
            Mistake(
                "last_way",
                "only the nodes on one way from y to a leaf are counted, the one along the last entries of "
                "next_functions: other nodes count too",
                forward=lambda graph: len(last_ways(graph)),
            ),
            Mistake(
                "only_leaves",
                "this is the number of leaves: the nodes of the operations count too",
                forward=lambda graph: len(leaves(graph.nodes)),
            ),
            Mistake(
                "longest",
                "this is the number of nodes on the longest way from y to a leaf: nodes beside it count too",
                forward=longest,
            ),
            *family(
                "near",
                "only the nodes up to {steps} from y are counted: the others are deeper in the graph",
                lambda steps: {"forward": lambda graph: len(near(graph, steps))},
                steps={"one arrow": 1, "two arrows": 2, "three arrows": 3},
            ),
            Mistake(
                "inputs",
                "this is the number of inputs of the last operation, not of the nodes behind y",
                forward=lambda graph: len(graph.start.following) if graph.start else 0,
            ),
            *family(
                "one_more",
                "this is {by} more than the number of nodes",
                lambda by: {"forward": lambda graph: len(graph.nodes) + by * (graph.start is not None)},
                by={"1": 1, "2": 2},
            ),
            Mistake("one_more", "this is 1 more than the number of nodes", forward=lambda graph: len(graph.nodes) + 1),
            Mistake(
                "two_less",
                "this is 2 less than the number of nodes: the node of y and those of the leaves count too",
                forward=lambda graph: max(len(graph.nodes) - 2, 0),
            ),
            Mistake(
                "twice",
                "this is twice the number of nodes",
                forward=lambda graph: 2 * len(graph.nodes),
            ),
            Mistake(
                "both",
                "this is the number of nodes and arrows together",
                forward=lambda graph: len(graph.nodes) + len(graph.arrows),
            ),
            Mistake(
                "leaves_each_arrow",
                "the node of a leaf is counted once for each arrow that leads to it: count each node once",
                forward=lambda graph: (
                    sum(bool(step.following) for step in graph.nodes)
                    + sum(not each.following for _, each in graph.arrows)
                ),
            ),
            *walks(len),
            *several_walks("one_name", ONE_NAME, met_by_name, len),
            *several_walks(
                "behind_none",
                "what stands behind a None in next_functions is left out: the inputs after it can have nodes",
                until_none,
                len,
            ),
            *family(
                "counted_again",
                "a node is counted again if it is met a second time before the walk comes to it: count each node once",
                lambda at: {"forward": lambda graph: len(noted_too_late(graph, at))},
                at=WALKS,
            ),
            Mistake(
                "by_distance",
                "a node is counted once for each number of steps that lead to it: count each node once",
                forward=lambda graph: len(by_distance(graph)),
            ),
            *family(
                "enough",
                "the walk ends after {most} nodes, but a graph can have more",
                lambda most: {"forward": lambda graph: min(len(graph.nodes), most)},
                most={str(most): most for most in (10, 50, 100, 500, 999, 1000)},
            ),
            Mistake(
                "equal_leaves",
                "a leaf is not counted if another leaf has the same numbers: count the nodes",
                where=equal_leaves,
            ),
            Mistake(
                "two_results",
                "a node with two results is not counted right: it is one node, whatever the number of its results",
                where=two_results,
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a function `count_nodes(y)`": "value",
            "Count every node that can be reached": "value, each_way, near",
            "`y.grad_fn` itself counts": "without_start, without_leaves",
            "If `y` has no graph": "no_graph",
            "Not sure about a graph": "explains",
            "`viz.graph(y)` draws it": "explains",
            "The checks try more than a dozen graphs": "explains",
            "They compare your number": "value",
            "A second call must give": "repeat, same_again",
        },
    ),
    "leaves_of": CallSpec(
        lambda graph: leaves(graph.nodes),
        leaf_inputs,
        also=(SAME_AGAIN,),
        normal=in_any_order,
        mistakes=(
            Mistake(
                "equal_leaves",
                "a leaf is missing if another leaf has the same numbers: two leaves are the same "
                "only if they are one object",
                where=equal_leaves,
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
                ONE_LEAF.format(where="the one that the first entries of next_functions lead to"),
                forward=lambda graph: leaves(first_ways(graph)),
            ),
            Mistake(
                "one_step",
                "only the leaves one step away from y are found: the others are deeper in the graph",
                forward=lambda graph: leaves({each for each in graph.start.following if each}) if graph.start else [],
            ),
            Mistake(
                "last_way",
                ONE_LEAF.format(where="the one that the last entries of next_functions lead to"),
                forward=lambda graph: leaves(last_ways(graph)),
            ),
            *several_walks("one_name", ONE_NAME, met_by_name, leaves),
            *several_walks(
                "behind_none",
                "what stands behind a None in next_functions is left out: the inputs after it can lead to leaves",
                until_none,
                leaves,
            ),
            *family(
                "counted_again",
                "a leaf is listed again if its node is met a second time before the walk comes to it: list each leaf once",
                lambda at: {"forward": lambda graph: leaves(noted_too_late(graph, at))},
                at=WALKS,
            ),
            Mistake(
                "by_distance",
                "a leaf is listed once for each number of steps that lead to it: list each leaf once",
                forward=lambda graph: leaves(by_distance(graph)),
            ),
            *family(
                "near",
                "only the leaves up to {steps} from y are found: the others are deeper in the graph",
                lambda steps: {"forward": lambda graph: leaves(near(graph, steps))},
                steps={"two arrows": 2, "three arrows": 3},
            ),
            *walks(leaves),
            Mistake(
                "twice",
                "each leaf is listed twice: list each leaf once",
                forward=lambda graph: sorted(2 * leaves(graph.nodes)),
            ),
            Mistake(
                "each_sender",
                "a leaf is listed once for each node that leads to it: list each leaf once",
                forward=lambda graph: leaves(each for _, each in dict.fromkeys(graph.arrows)),
            ),
            Mistake("nodes", "these are all nodes of the graph, not the leaves", forward=labels),
            Mistake(
                "operations",
                "these are the nodes of the operations, not the leaves",
                forward=lambda graph: sorted(step.label for step in graph.nodes if step.following),
            ),
            Mistake(
                "result",
                "one tensor in the list is not a leaf of the graph; the leaves are there too",
                forward=lambda graph: sorted([*leaves(graph.nodes), "some Tensor"]),
            ),
            *family(
                "instead",
                "{these}: the list must hold the leaves themselves",
                lambda these: {"forward": lambda graph: len(leaves(graph.nodes)) * [these]},
                these={
                    "these are names": "the text 'torch::autograd::AccumulateGrad'",
                    "these are other tensors, or copies of the leaves": "some Tensor",
                    "these are None": "some NoneType",
                    "these are shapes": "some Size",
                    "these are pairs": "some tuple",
                    "these are numbers": "some int",
                    "these are decimal numbers": "some float",
                },
            ),
            Mistake(
                "none",
                "None is in the list as well: it stands for an input without a gradient",
                forward=lambda graph: sorted(
                    leaves(graph.nodes) + sum(step.following.count(None) for step in graph.nodes) * ["some NoneType"]
                ),
            ),
            Mistake(
                "none",
                "None is in the list as well: it stands for an input without a gradient",
                forward=lambda graph: sorted(
                    leaves(graph.nodes) + any(None in step.following for step in graph.nodes) * ["some NoneType"]
                ),
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a function `leaves_of(y)`": "value",
            "The list holds the tensors themselves": "nodes, each_arrow, instead",
            "A tuple or a set": "explains",
            "`y` is never a leaf itself": "explains",
            "The two tensors look the same": "equal_leaves",
            "A report calls leaves by": "explains",
            "The checks try the same kinds": "explains",
            "They check that every leaf": "value",
            "A second call must give": "repeat, same_again",
        },
    ),
    "backward_order": CallSpec(
        lambda graph: [step.label for step in graph.nodes],
        order_inputs,
        also=(Also("order", "no node comes before a node that sends it a gradient", keeps_the_order), SAME_AGAIN),
        normal=in_any_order,
        mistakes=(
            *family(
                "names",
                "these are names: two nodes can have the same name, so the list must hold the nodes themselves",
                lambda prefix: {
                    "forward": lambda graph: [
                        f"the text {(prefix if not step.following else '') + step.name!r}" for step in graph.nodes
                    ]
                },
                prefix={"name of the class": "", "name of the node": "torch::autograd::"},
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
                FIRST_WAY,
                forward=lambda graph: [step.label for step in first_ways(graph)],
            ),
            Mistake(
                "double_arrow",
                "two arrows from one node to another are taken off as one, so some nodes are never ready",
                forward=lambda graph: sorted(step.label for step in once_for_each_sender(graph)),
            ),
            Mistake(
                "double_arrow",
                "a node to which another leads by two arrows is listed twice: backward runs each node once",
                forward=listed_when_ready,
            ),
            Mistake("last_way", LAST_WAY, forward=lambda graph: sorted(step.label for step in last_ways(graph))),
            *several_walks("one_name", ONE_NAME, met_by_name, labels_of),
            *several_walks(
                "behind_none",
                "what stands behind a None in next_functions is left out: the inputs after it can have nodes",
                until_none,
                labels_of,
            ),
            *family(
                "ready_by_name",
                "the arrows are counted for each name, but two nodes can have the same name: count them for each node",
                lambda at: {"forward": lambda graph: ready_by_name(graph, at)},
                at=WALKS,
            ),
            *family(
                "counted_again",
                "a node is listed again if it is met a second time before the walk comes to it: backward runs each node once",
                lambda at: {"forward": lambda graph: labels_of(noted_too_late(graph, at))},
                at=WALKS,
            ),
            Mistake(
                "by_distance",
                "a node is listed once for each number of steps that lead to it: backward runs each node once",
                forward=lambda graph: labels_of(by_distance(graph)),
            ),
            *family(
                "near",
                "only the nodes up to {steps} from y are listed: the others are deeper in the graph",
                lambda steps: {"forward": lambda graph: sorted(step.label for step in near(graph, steps))},
                steps={"one arrow": 1, "two arrows": 2, "three arrows": 3},
            ),
            *walks(labels_of),
            Mistake(
                "twice",
                "the node of y is listed twice: backward runs each node once",
                forward=lambda graph: sorted([*labels(graph), *(step.label for step in [graph.start] if step)]),
            ),
            Mistake(
                "twice",
                "every node is listed twice: backward runs each node once",
                forward=lambda graph: sorted(2 * labels(graph)),
            ),
            Mistake(
                "twice",
                "the nodes of the leaves are listed twice: backward runs each node once",
                forward=lambda graph: sorted([*labels(graph), *(s.label for s in graph.nodes if not s.following)]),
            ),
            Mistake(
                "only_leaves",
                "only the nodes of the leaves are listed: backward runs all nodes",
                forward=nodes_of_leaves,
            ),
            Mistake(
                "leaves",
                "leaves are listed in place of their nodes: the list must hold nodes alone",
                forward=lambda graph: sorted(step.label if step.following else step.result for step in graph.nodes),
            ),
            *family(
                "instead",
                "{these}: the list must hold the nodes themselves",
                lambda these: {"forward": lambda graph: len(graph.nodes) * [these]},
                these={
                    "these are pairs": "some tuple",
                    "these are numbers": "some int",
                    "these are tensors": "some Tensor",
                },
            ),
            Mistake(
                "none",
                "None is in the list as well: it stands for an input without a gradient",
                forward=lambda graph: sorted(
                    labels(graph) + sum(step.following.count(None) for step in graph.nodes) * ["some NoneType"]
                ),
            ),
            *family(
                "none",
                "None is in the list as well: it is not a node",
                lambda place: {"forward": lambda graph: sorted([*labels(graph), place])},
                place={"None": "some NoneType"},
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a function `backward_order(y)`": "value, order",
            "In such an order, every node": "order",
            "Often several orders are right": "explains",
            "`y` always has a graph": "explains",
            "Return the nodes, not their names": "names",
            "A report calls these two": "explains",
            "The checks try the same kinds": "explains",
            "They check that every node": "value, order",
            "A second call must give": "repeat, same_again",
        },
    ),
}
