"""A graph as plain data: nodes, edges, shapes, values, saved tensors.

This module reads only the public protocol (`grad_fn`, `name()`, `next_functions`, `variable`,
`_saved_*`), so it works for graphs of this package and of PyTorch. It does not change what it
reads, and it does not know about pictures. The walk is iterative, so a deep graph does not overflow
Python's stack.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np

from autograd_teach.viz import cuts
from autograd_teach.viz.facts import NO_GRAD_YET, Facts, Values, facts, is_tensor, output_number, shape_text
from autograd_teach.viz.unsupported import is_nested
from autograd_teach.viz.watch import Seen, seen

Kind = Literal["output", "operation", "leaf", "constant", "fold"]

MOST_NODES = 2_000
MOST_EDGES = 6_000
# Layout time depends more on the number of rows that edges pass than on the number of nodes. A leaf
# that is used in each of 100 steps of a loop makes 5,000 rows: 1.4 s with the fast layout, 45 s
# with the full one. 200 steps make 20,000 rows and take 5 s.
MOST_ROWS_PASSED = 7_000
# At most this many nodes are counted, so that a graph of a million is refused at once. Also, PyTorch
# 2.13 crashes when it frees a chain of about 50,000 nodes or more that Python has walked with
# `next_functions` (a stack overflow in its destructors).
MOST_WALKED = 30_000
_MOST_NAMES = 12
_MOST_RESULTS = 100


@dataclass
class Saved:
    """One entry of `_saved_*`: something an operation keeps for its gradient."""

    name: str
    text: str
    variable: str = ""
    facts: Facts | None = None


@dataclass
class Folded:
    """The contents of a box with repeated structure (fold.py)."""

    times: int
    pattern: list[tuple[int, str]]
    """One repetition, from the output's side: names in order, with equal neighbours counted."""
    operations: int
    leaves: dict[str, int]
    """The number of leaves of each kind in the box; the kind is a text."""
    odd: int
    """The number of known results with values that are not finite."""

    @property
    def names(self) -> list[str]:
        """One repetition as text: `["2 x AddBackward0", "TanhBackward0"]`."""
        return [name if count == 1 else f"{count} x {name}" for count, name in self.pattern]

    @property
    def name(self) -> str:
        """The box as text: `50 x (TanhBackward0, AddBackward0)`."""
        if not self.operations:
            sort = next(iter(self.leaves))
            return f"{self.times:,} leaves {sort}"
        names = self.names
        more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES + 1 else []
        inside = ", ".join([*names[:_MOST_NAMES], *more] if more else names)
        return f"{self.times:,} x " + (f"({inside})" if len(names) > 1 or self.pattern[0][0] > 1 else inside)


@dataclass
class Node:
    """One box of the picture.

    `id` is its number in the walk (`n0`, `n1`, ...), never an address.
    """

    id: str
    kind: Kind
    name: str
    """The name in the graph: `AddBackward0`, `AccumulateGrad`.

    For an output or a constant, the kind of tensor.
    """
    variable: str = ""
    """The caller's name for the tensor that this node made or holds; empty if there is none."""
    shape: tuple[int, ...] | None = None
    shapes: str = ""
    """For an operation with several results: their shapes as text."""
    value: Facts | None = None
    requires_grad: bool = True
    grad: Facts | None = None
    grad_text: str = ""
    """If `grad` is None: why there is no gradient to show."""
    saved: list[Saved] = field(default_factory=list)
    freed: bool = False
    stale: bool = False
    title: str = ""
    """A name that is unique in this picture."""
    cut: str = ""
    """For a tensor without history: whose value it holds, as text; empty if that is not known."""
    order: int = 0
    """0 if the value needs this node, 1 if only its gradient does, 2 for the gradient's gradient.

    See `Snapshot.orders`.
    """
    mark: str = ""
    """A text that marks this node in its view, for example `only in y`."""
    lines: list[str] = field(default_factory=list)
    """Lines that the view adds to the label."""
    folded: Folded | None = None
    """The contents of a box with repeated structure."""
    recorded: bool = False
    """Whether only `viz.watch` recorded the value: the graph itself does not keep it."""
    place: tuple[str, int] | None = None
    """File and line number of the call, if `viz.watch` recorded them."""
    source: str = ""
    """The text of that line."""


@dataclass
class Edge:
    """From a node to one of its `next_functions`, the direction in which a gradient flows.

    `number` is the number of the target's output.
    """

    id: str
    source: str
    target: str
    number: int = 0
    count: int = 1
    """The number of edges of the graph that this one stands for.

    Above 1 only at a box of repeated structure.
    """


@dataclass
class Snapshot:
    """Everything a view needs to know about a graph."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences for the reader: what could not be drawn, and what is unusual in the graph."""
    show_saved: bool = False
    orders: bool = False
    """Whether each node's `order` is known.

    Only the caller can say so; the graph does not contain it.
    """
    cuts: list[Edge] = field(default_factory=list)
    """From a tensor without history to the node whose value it holds.

    Gradients do not flow along a cut.
    """
    clusters: list[tuple[str, list[str]]] = field(default_factory=list)
    """Groups of nodes that are drawn in a frame: its title, and the ids of its nodes."""
    callers: frozenset[str] = frozenset()
    """The caller's names of tensors, also of those that are not in the picture."""
    _by_id: dict[str, Node] = field(default_factory=dict, init=False, repr=False, compare=False)
    rows: int = 0
    """The number of rows of the picture."""
    rows_passed: int = 0
    """The number of rows that edges pass, summed over all edges."""

    tangled_note = (
        "This graph is too tangled to draw: some nodes are used again far away, as a weight is in each step of a "
        "long loop. Here it is as text; for a picture, run fewer steps of the loop."
    )

    @property
    def tangled(self) -> bool:
        """Whether a layout would take too long; the view then shows the graph as text."""
        return self.rows_passed > MOST_ROWS_PASSED

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that a reader has: of tensors, and single letters in recorded lines."""
        saved = (entry.variable for node in self.nodes for entry in node.saved)
        lines = (re.findall(r"(?<![\w.])[A-Za-z]\b", node.source) for node in self.nodes)
        return self.callers | frozenset([*(node.variable for node in self.nodes), *saved, *chain(*lines)])

    def node(self, node_id: str) -> Node:
        """The node with this id."""
        place = int(node_id[1:])  # fast path if nothing is folded
        if place < len(self.nodes) and self.nodes[place].id == node_id:
            return self.nodes[place]
        if len(self._by_id) != len(self.nodes) or node_id not in self._by_id:
            self._by_id.clear()
            self._by_id.update((node.id, node) for node in self.nodes)
        return self._by_id[node_id]

    def children(self) -> dict[str, list[Edge]]:
        """The edges that leave each node, in the order of its `next_functions`."""
        found: dict[str, list[Edge]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            found[edge.source].append(edge)
        return found


@dataclass
class Taken:
    """A snapshot with the live objects that it was made of; the player runs them."""

    snapshot: Snapshot
    live: dict[str, Any]
    retaining: list[Any] = field(default_factory=list)
    """Tensors that retain their gradient (`retain_grad`)."""
    results: list[Any] = field(default_factory=list)
    """Tensors that are results of operations."""


def take(
    outputs: Sequence[Any],
    names: Sequence[tuple[str, Any]] = (),
    saved: bool = False,
    values: Values = "auto",
    orders: bool = False,
    most_nodes: int = MOST_NODES,
) -> Taken:
    """The graph behind `outputs` as plain data.

    If it cannot be drawn, `notes` says why; no error is raised.

    `orders`: the outputs are a value and its gradients, in this order; several gradients of one
    order are in a list. `most_nodes`: a larger graph is not read but summarised. The limit may be
    higher than what can be drawn, because folding makes a graph smaller.
    """
    tensors = _the_tensors(outputs)
    walk = _Walk(names, values)
    walk.snapshot.notes += tensors.notes
    size = _measure(tensors.found)
    if size.exceeds(most_nodes):
        return Taken(_summed_up(tensors, size), {})
    if size.nested:
        return Taken(Snapshot(notes=[*tensors.notes, "The views do not support nested tensors."]), {})
    for tensor, place in zip(tensors.found, tensors.places, strict=True):
        walk.add_output(tensor, len(tensors.found), place if orders else 0)
    walk.snapshot.orders = orders and walk.orders_hold()
    walk.read_saved(saved)
    walk.finish()
    met = [*tensors.found, *(tensor for _, tensor in names), *walk.described]
    retaining = [t for t in met if getattr(t, "retains_grad", False)]
    return Taken(walk.snapshot, walk.live, retaining, [t for t in walk.described if t.grad_fn is not None])


def summed_up(outputs: Sequence[Any]) -> Snapshot:
    """A summary in sentences, for a graph that cannot be drawn. No values are read."""
    tensors = _the_tensors(outputs)
    return _summed_up(tensors, _measure(tensors.found))


def _summed_up(tensors: _Tensors, size: _Size) -> Snapshot:
    uncounted = ["Depth, leaves and saved tensors are not counted in a graph this large."]
    return Snapshot(notes=[*tensors.notes, size.sentence(), *(uncounted if size.in_part else _summary(tensors.found))])


@dataclass
class _Tensors:
    found: list[Any]
    places: list[int]
    """For each tensor, the number of its argument."""
    notes: list[str]


def _the_tensors(outputs: Sequence[Any]) -> _Tensors:
    """The tensors among the arguments; a list or tuple of tensors counts as its members."""
    given: list[tuple[int, Any]] = []
    for place, thing in enumerate(outputs):
        given.extend((place, one) for one in (thing if isinstance(thing, (list, tuple)) else [thing]))
    result = _Tensors([], [], [])
    for place, thing in given:
        if is_tensor(thing):
            result.found.append(thing)
            result.places.append(place)
        else:
            result.notes.append(
                f"Nothing to draw for {_a(type(thing).__name__)}: give a tensor, such as the result of a computation."
            )
    if not given:
        result.notes.append("Nothing to draw: give a tensor, such as the result of a computation.")
    return result


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


@dataclass
class _Size:
    nodes: int
    edges: int
    names: Counter[str]
    in_part: bool = False
    nested: bool = False

    def exceeds(self, most_nodes: int) -> bool:
        return self.nodes > most_nodes or self.edges > most_nodes * MOST_EDGES // MOST_NODES

    def sentence(self) -> str:
        most = ", ".join(
            f"{count:,} {name}" for name, count in sorted(self.names.items(), key=lambda p: (-p[1], p[0]))[:5]
        )
        has = f"This graph has {self.nodes:,} nodes and {self.edges:,} edges ({most}): "
        if self.in_part:
            has = f"This graph has more than {self.nodes:,} nodes (among those nearest to the output {most}): "
        if not self.exceeds(MOST_NODES):
            return has + (
                "too tangled to draw, some nodes are used again far away. Draw a smaller part, such as a few steps of a loop."
            )
        return has + (
            f"too many to draw, the limit is {MOST_NODES:,} nodes and {MOST_EDGES:,} edges. "
            "Draw a smaller part, such as a single step of a loop."
        )


def _measure(tensors: Sequence[Any]) -> _Size:
    """Count nodes and edges, up to `MOST_WALKED` nodes, before any value is read."""
    seen = {id(t.grad_fn): t.grad_fn for t in tensors if t.grad_fn is not None}
    todo = list(seen.values())
    size = _Size(0, 0, Counter())
    while todo and not size.in_part:
        node = todo.pop()
        size.nodes += 1
        size.names[short_name(node)] += 1
        size.nested = size.nested or is_nested(node)
        for child, _ in node.next_functions:
            size.edges += 1
            if child is not None and id(child) not in seen:
                seen[id(child)] = child  # the reference keeps the id from being reused
                todo.append(child)
        size.in_part = size.nodes == MOST_WALKED and bool(todo)
    return size


class _Walk:
    """A walk through a graph: first its structure, then what is known about its tensors."""

    def __init__(self, names: Sequence[tuple[str, Any]], values: Values) -> None:
        self.values = values
        self.named = names
        self.names: dict[int, str] = {}
        for name, tensor in names:
            self.names.setdefault(id(tensor), name)
        self.snapshot = Snapshot(callers=frozenset(self.names.values()))
        self.live: dict[str, Any] = {}
        self.lone: list[str] = []
        self.described: list[Any] = []
        self._id_of: dict[int, str] = {}
        self._slots: dict[str, int] = {}  # the number of an operation's arguments
        self._attributes: dict[type, list[str]] = {}
        self._several: set[str] = set()  # the nodes of operations with several results
        # Tensors by the node that made them and their output number.
        self._made: dict[tuple[int, int], tuple[str, Any]] = {}
        # References that keep the ids of these objects from being reused.
        self._held: list[Any] = [tensor for _, tensor in names]
        self._leaf_of: dict[int, Node] = {}
        for name, tensor in names:
            if tensor.grad_fn is not None:
                self._made.setdefault(self._origin(tensor), (name, tensor))

    def _origin(self, tensor: Any) -> tuple[int, int]:
        root = tensor.grad_fn
        self._held.append(root)
        return id(root), output_number(tensor)

    def add_output(self, tensor: Any, how_many: int, order: int = 0) -> None:
        """Walk from one more output; new nodes get this order."""
        before = len(self.snapshot.nodes)
        if tensor.grad_fn is None:
            self._add_lone_tensor(tensor)
        else:
            self._add_result(tensor, how_many)
        for node in self.snapshot.nodes[before:]:
            node.order = order

    def orders_hold(self) -> bool:
        """Whether the outputs can be a value and its gradients.

        If not, add a sentence and remove the orders.
        """
        snapshot = self.snapshot
        for output in [snapshot.node(i) for i in snapshot.outputs]:
            if not output.order:
                continue
            who = output.variable or "One output"
            if output.kind == "constant":
                snapshot.notes.append(
                    f"{who} has no history: compute it with grad(..., create_graph=True) to see its graph."
                )
                continue
            own = {node.id for node in snapshot.nodes if node.order == output.order}
            if not any(e.source in own and snapshot.node(e.target).order < output.order for e in snapshot.edges):
                snapshot.notes.append(
                    f"{who} does not use the graphs before it, so it is not their gradient: no orders are shown."
                )
                for node in snapshot.nodes:
                    node.order = 0
                return False
        return True

    def _add_result(self, tensor: Any, how_many: int) -> None:
        number = len(self.snapshot.outputs)
        fallback = "output" if how_many == 1 else f"output {number}"
        node = self._new("output", "output", tensor)
        node.variable = self._name_of(tensor) or fallback
        self._describe(node, tensor)
        self._made.setdefault(self._origin(tensor), (node.variable, tensor))
        self.snapshot.outputs.append(node.id)
        root = tensor.grad_fn
        known = id(root) in self._id_of
        target = self._visit(root)
        self.snapshot.edges.append(Edge(f"e{node.id[1:]}_0", node.id, target, output_number(tensor)))
        if not known:
            self._descend(root)

    def _add_lone_tensor(self, tensor: Any) -> None:
        """Add a tensor without `grad_fn`: a leaf, or a tensor that is not part of a graph."""
        known = self._leaf_of.get(id(tensor))
        if known is not None:
            if known.id not in self.snapshot.outputs:
                self.snapshot.outputs.append(known.id)
            return
        leaf = bool(tensor.requires_grad)
        node = self._new("leaf" if leaf else "constant", "leaf" if leaf else "tensor", tensor)
        self._leaf_of[id(tensor)] = node
        node.variable = self._name_of(tensor)
        self._describe(node, tensor)
        self.snapshot.outputs.append(node.id)
        who = node.variable or "This tensor"
        self.lone.append(
            f"{who} is a leaf: no operation was recorded for it, so there is no graph behind it."
            if leaf
            else f"{who} has no graph: no operation was recorded, as where no input requires grad, or under no_grad()."
        )

    def _descend(self, root: Any) -> None:
        """Walk depth first, in the order of `next_functions`, with an explicit stack."""
        stack = [iter(enumerate(root.next_functions))]
        sources = [self._id_of[id(root)]]
        while stack:
            for slot, (child, number) in stack[-1]:
                edge_id = f"e{sources[-1][1:]}_{slot}"
                if child is None:
                    target = self._new("constant", "no gradient", None)
                    self._recorded_constant(target, self.live[sources[-1]], slot)
                    self.snapshot.edges.append(Edge(edge_id, sources[-1], target.id))
                    continue
                known = id(child) in self._id_of
                target_id = self._visit(child)
                self.snapshot.edges.append(Edge(edge_id, sources[-1], target_id, int(number)))
                if not known:
                    stack.append(iter(enumerate(child.next_functions)))
                    sources.append(target_id)
                    break
            else:
                stack.pop()
                sources.pop()

    def _recorded_constant(self, node: Node, live: Any, slot: int) -> None:
        """Add the value of an argument that does not require grad, if `viz.watch` recorded it."""
        noted = seen(live)
        value = noted.constants[slot] if noted is not None and slot < len(noted.constants) else None
        if value is None:
            return
        node.value = facts(np.asarray(value), self.values)
        node.shape, node.recorded, node.requires_grad = node.value.shape, True, False
        node.grad_text = "never: requires_grad is False"

    def _visit(self, live: Any) -> str:
        known = self._id_of.get(id(live))
        if known is not None:
            return known
        name = short_name(live)
        if name != "AccumulateGrad":
            node = self._new("operation", name, live)
            self._id_of[id(live)] = node.id
            self._slots[node.id] = len(live.next_functions)
            return node.id
        variable = live.variable
        known_leaf = self._leaf_of.get(id(variable))
        if known_leaf is not None:  # the leaf was given as an output before
            known_leaf.name = name
            self._id_of[id(live)] = known_leaf.id
            self.live[f"{known_leaf.id} node"] = live
            return known_leaf.id
        node = self._leaf_of[id(variable)] = self._new("leaf", name, variable)
        self.live[f"{node.id} node"] = live
        self._id_of[id(live)] = node.id
        node.variable = self._name_of(variable)
        self._describe(node, variable)
        return node.id

    def _new(self, kind: Kind, name: str, live: Any) -> Node:
        node = Node(f"n{len(self.snapshot.nodes)}", kind, name)
        self.snapshot.nodes.append(node)
        self.live[node.id] = live
        return node

    def _name_of(self, tensor: Any) -> str:
        return self.names.get(id(tensor), "")

    def _describe(self, node: Node, tensor: Any) -> None:
        self.described.append(tensor)
        node.value = facts(tensor, self.values)
        node.shape = node.value.shape
        node.requires_grad = bool(tensor.requires_grad)
        if not node.requires_grad:
            node.grad_text = "never: requires_grad is False"
            return
        # PyTorch warns when `.grad` of a non-leaf is read, so read it only if one is kept.
        if not (tensor.is_leaf or getattr(tensor, "retains_grad", False)):
            node.grad_text = "not kept: not a leaf"
            return
        grad = tensor.grad
        if grad is None:
            node.grad_text = NO_GRAD_YET
        else:
            node.grad = facts(grad, self.values)

    def read_saved(self, show: bool) -> None:
        """Read the saved tensors, which give values to operations; `show` lists them in the nodes."""
        self.snapshot.show_saved = show
        kept: dict[tuple[int, int], tuple[str, Any]] = {}
        saved: dict[str, list[tuple[str, Any]]] = {}
        for node in self.snapshot.nodes:
            if node.kind != "operation":
                continue
            saved[node.id] = self._saved_of(node)
            for name, thing in saved[node.id]:
                if is_tensor(thing) and thing.grad_fn is not None:
                    kept.setdefault(self._origin(thing), ("", thing))
                if show and _holds_tensors(thing):
                    node.saved.append(self._saved_entry(name, thing))
        above = {
            e.target: n.variable for e in self.snapshot.edges if (n := self.snapshot.node(e.source)).kind == "output"
        }
        self._several = {edge.target for edge in self.snapshot.edges if edge.number}
        for node in self.snapshot.nodes:
            if node.kind == "operation":
                self._value_of_operation(node, kept)
                if node.variable == above.get(node.id):
                    node.variable = ""  # the box of the output shows it already
        self._name_cuts(saved, kept)

    def _name_cuts(self, saved: dict[str, list[tuple[str, Any]]], kept: dict[tuple[int, int], tuple[str, Any]]) -> None:
        """Name the arguments that do not require grad, and find whose value they hold."""
        results: list[cuts.Result] = []
        for (of, _), (name, tensor) in [*self._made.items(), *kept.items()]:
            results.append(cuts.Result(tensor, name, self._id_of.get(of)))
        for node in self.snapshot.nodes:
            if node.kind == "leaf":
                results.append(cuts.Result(self.live[node.id], node.variable, node.id))
        memory = cuts.Memory(results, self.named)
        for edge in self.snapshot.edges:
            node = self.snapshot.node(edge.target)
            if node.kind == "constant":
                tensor = cuts.argument(int(edge.id.partition("_")[2]), self._slots[edge.source], saved[edge.source])
                if tensor is not None and (found := memory.find(tensor)):
                    self._describe(node, tensor)
                    self._cut(node, found)
        for node in self.snapshot.nodes:
            alone = node.kind == "constant" and self.live[node.id] is not None
            if (
                alone
                and (found := memory.find(self.live[node.id]))
                or node.kind == "leaf"
                and (found := memory.find_history(self.live[node.id]))
            ):
                self._cut(node, found)

    def _cut(self, node: Node, found: cuts.Found) -> None:
        node.variable = node.variable or found.name
        node.cut = found.words
        if found.node is not None and found.words:
            self.snapshot.cuts.append(Edge(f"c{node.id[1:]}", node.id, found.node))

    def _saved_of(self, node: Node) -> list[tuple[str, Any]]:
        """What an operation saved, with names; sizes (`_saved_self_sym_sizes`) are left out."""
        live = self.live[node.id]
        found: list[tuple[str, Any]] = []
        gone = False
        for attribute in self._attributes_of(live):
            try:
                thing = getattr(live, attribute)
            except RuntimeError as error:
                if "inplace operation" in str(error):
                    node.stale = True
                else:
                    gone = True
                continue
            if attribute == "saved_tensors":  # saved by a custom Function
                found += [(f"tensor {i}", t) for i, t in enumerate(thing or ()) if t is not None]
            elif thing is not None:
                found.append((attribute.removeprefix("_saved_"), thing))
        # A backward pass frees either everything that a node saved or nothing.
        node.freed = gone and not any(is_tensor(thing) for _, thing in found)
        return found

    def _attributes_of(self, live: Any) -> list[str]:
        """The names of an operation's saved attributes.

        They are the same for all nodes of a class.
        """
        kind = type(live)
        if kind not in self._attributes:
            self._attributes[kind] = saved_attributes(live)
        return self._attributes[kind]

    def _saved_entry(self, name: str, thing: Any) -> Saved:
        if is_tensor(thing):
            found = facts(thing, self.values)
            variable = self._name_of(thing)
            if not variable and thing.grad_fn is not None:
                variable = self._made.get(self._origin(thing), ("", None))[0]
            return Saved(name, str(found), variable, found)
        return Saved(name, f"{len(thing)} tensors")

    def _value_of_operation(self, node: Node, kept: dict[tuple[int, int], tuple[str, Any]]) -> None:
        """Add the result of an operation.

        The node does not hold it; the caller or the next operation may.
        """
        live = self.live[node.id]
        noted = seen(live)
        if noted is not None:
            node.place, node.source = (noted.file, noted.line), noted.source
        key = (id(live), 0)
        recorded: Any = getattr(live, "_input_metadata", ())
        if node.id in self._several:  # several results: there is no single value to show
            names = [
                self._made.get((key[0], number), ("", None))[0] for number in range(len(recorded) or _MOST_RESULTS)
            ]
            node.variable = ", ".join(name for name in names if name)
            shapes = [shape_text(tuple(int(size) for size in result.shape)) for result in recorded]
            node.shapes = f"{' and '.join(shapes)}, of its {len(shapes)} results" if shapes else ""
            node.grad_text = "not kept: not a leaf"
            return
        variable, tensor = self._made.get(key) or kept.get(key) or ("", None)
        if tensor is not None:
            self._describe(node, tensor)
            node.variable = variable
            return
        node.grad_text = "not kept: not a leaf"
        if noted is not None and (value := _noted_value(noted, self.values)) is not None:
            node.value, node.shape, node.recorded = value, value.shape, True
        elif len(recorded) == 1:
            node.shape = tuple(int(size) for size in recorded[0].shape)

    def finish(self) -> None:
        self._give_titles()
        notes = self.snapshot.notes
        if not any(node.kind == "operation" for node in self.snapshot.nodes):
            notes += self.lone  # only needed if no graph is shown
            for node in self.snapshot.nodes:
                if node.cut:
                    who = node.variable or "This tensor"
                    notes.append(f"{who} holds {node.cut}, as after detach() or .data.")
        self.snapshot.rows_passed = rows_passed(self.snapshot)
        if self.snapshot.tangled:
            notes.append(self.snapshot.tangled_note)
        if any(node.freed for node in self.snapshot.nodes):
            notes.append(
                "Part of this graph is freed (grey): a backward pass ran through it and its saved tensors are gone. "
                "Run the computation again to go through it; for two passes, give the first one retain_graph=True."
            )
        for node in self.snapshot.nodes:
            if node.stale:
                notes.append(
                    f"{node.title} saved a tensor that was changed in place afterwards: backward will raise an error here if it needs it."
                )
            if node.kind in ("leaf", "output") and node.value is not None and node.value.odd:
                notes.append(f"{node.title} has values that are not finite: {node.value.odd}.")

    def _give_titles(self) -> None:
        for node in self.snapshot.nodes:
            node.title = _title(node)
        number_titles(self.snapshot.nodes)


def _noted_value(noted: Seen, values: Values) -> Facts | None:
    """The result that a watch recorded: its numbers, or the range of a large result."""
    if noted.value is not None:
        return facts(noted.value, values)
    return Facts(noted.shape, "", noted.summary) if noted.summary and noted.shape is not None else None


def number_titles(nodes: Sequence[Node]) -> None:
    """Number the nodes that have the same title."""
    count = Counter(node.title for node in nodes)
    seen: Counter[str] = Counter()
    for node in nodes:
        plain = node.title
        if count[plain] > 1 and node.kind != "constant":
            seen[plain] += 1
            node.title = f"{plain} #{seen[plain]}"


def rows_passed(snapshot: Snapshot) -> int:
    """Place each node one row below the lowest node above it; count the rows that each edge passes.

    Returns the sum over all edges, and sets `snapshot.rows`.
    """
    children, waiting = snapshot.children(), Counter(edge.target for edge in snapshot.edges)
    row = {node.id: 0 for node in snapshot.nodes}
    ready = [node.id for node in snapshot.nodes if not waiting[node.id]]
    while ready:
        for edge in children[ready.pop()]:
            row[edge.target] = max(row[edge.target], row[edge.source] + 1)
            waiting[edge.target] -= 1
            if not waiting[edge.target]:
                ready.append(edge.target)
    snapshot.rows = max(row.values(), default=-1) + 1
    return sum(row[edge.target] - row[edge.source] - 1 for edge in snapshot.edges)


def saved_attributes(live: Any) -> list[str]:
    """The attributes of a node that hold what it saved, without sizes and what can be read only once."""
    once = getattr(getattr(live, "_forward_cls", None), "clear_saved_tensors_on_access", False)
    return sorted(
        name
        for name in dir(live)
        if (name == "saved_tensors" and not once) or (name.startswith("_saved_") and "_sym_" not in name)
    )


def _holds_tensors(thing: Any) -> bool:
    return is_tensor(thing) or (isinstance(thing, (list, tuple)) and any(is_tensor(t) for t in thing))


def _title(node: Node) -> str:
    if node.kind == "leaf":
        return node.variable or "unnamed leaf"
    if node.kind == "output":
        return node.variable
    if node.kind == "constant":
        if node.value is not None and node.recorded and not node.shape:
            return node.variable or f"constant {node.value.short}"
        return node.variable or ("no gradient" if node.value is None else "unnamed tensor")
    return f"{node.name} ({node.variable})" if node.variable else node.name


def short_name(live: Any) -> str:
    """A node's name without PyTorch's namespace `torch::autograd::`."""
    name = live.name  # a Function may have put a value of this name on its context
    return str(name()).rpartition("::")[2] if callable(name) else type(live).__name__


def _summary(tensors: Sequence[Any]) -> list[str]:
    """Sentences about a graph: its depth, its leaves, its largest saved tensors.

    No values are read.
    """
    order, shapes = _in_order(tensors), Counter[tuple[int, ...]]()
    depth: dict[int, int] = {}
    saved: Counter[tuple[tuple[int, ...], str]] = Counter()
    attributes: dict[type, list[str]] = {}
    deepest = operations = 0
    for node in order:
        here = depth.get(id(node), 1)
        deepest = max(deepest, here)
        for child, _ in node.next_functions:
            if child is not None:
                depth[id(child)] = max(depth.get(id(child), 1), here + 1)
        name = short_name(node)
        if name == "AccumulateGrad":
            shapes[tuple(int(size) for size in node.variable.shape)] += 1
            continue
        operations += 1
        kind = type(node)
        if kind not in attributes:
            attributes[kind] = saved_attributes(node)
        saved.update((shape, name) for shape in _saved_shapes(node, attributes[kind]))
    leaves = sum(shapes.values())
    said = [
        f"The longest path through it passes {deepest:,} nodes.",
        f"It has {operations:,} operation{'s' * (operations != 1)} and {leaves:,} {'leaf' if leaves == 1 else 'leaves'}"
        + (f", of {_largest([((shape, ''), count) for shape, count in shapes.items()])}." if leaves else "."),
    ]
    if saved:
        said.append(f"The largest tensors kept for the backward pass: {_largest(list(saved.items()))}.")
    return said


def _in_order(tensors: Sequence[Any]) -> list[Any]:
    """The graph's nodes in topological order, outputs first."""
    waiting: Counter[int] = Counter()
    found = {id(t.grad_fn): t.grad_fn for t in tensors if t.grad_fn is not None}
    todo = list(found.values())
    while todo:
        for child, _ in todo.pop().next_functions:
            if child is None:
                continue
            waiting[id(child)] += 1
            if id(child) not in found:
                found[id(child)] = child
                todo.append(child)
    order = [node for node in found.values() if not waiting[id(node)]]
    for node in order:  # the list grows during the loop
        for child, _ in node.next_functions:
            if child is not None:
                waiting[id(child)] -= 1
                if not waiting[id(child)]:
                    order.append(child)
    return order


def _saved_shapes(node: Any, attributes: Sequence[str]) -> list[tuple[int, ...]]:
    found = []
    for attribute in attributes:
        try:
            thing = getattr(node, attribute)
        except RuntimeError:  # freed, or changed in place
            continue
        for each in thing if isinstance(thing, (list, tuple)) else [thing]:
            if is_tensor(each):
                found.append(tuple(int(size) for size in each.shape))
    return found


def _largest(counted: list[tuple[tuple[tuple[int, ...], str], int]]) -> str:
    """The three largest shapes as text, with the number of times each occurs."""
    ordered = sorted(counted, key=lambda entry: (-math.prod(entry[0][0]), -entry[1], entry[0]))
    parts = [
        f"shape {shape_text(shape)}" + (f" by {name}" if name else "") + (f" ({count:,} times)" if count > 1 else "")
        for (shape, name), count in ordered[:3]
    ]
    return ", ".join(parts) + (f" and {len(ordered) - 3:,} more" if len(ordered) > 3 else "")
