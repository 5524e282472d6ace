"""A graph as plain data: nodes, edges, shapes, values, saved tensors.

Reads the public protocol only (`grad_fn`, `name()`, `next_functions`, `variable`, `_saved_*`), so it works for our graphs
and PyTorch's; never changes what it reads. Iterative: the depth of a graph costs no Python stack. Knows nothing of pictures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from autograd_teach.viz.facts import NO_GRAD_YET, Facts, Values, facts, is_tensor, shape_text

Kind = Literal["output", "operation", "leaf", "constant"]

MOST_NODES = 2_000
MOST_EDGES = 6_000
# Layout time grows with how many rows edges run past, far faster than with nodes: a leaf that each of 100 steps of a loop
# uses makes 5,000 rows and takes 1.4 s in haste, 45 s with full effort; 200 steps make 20,000 rows and take 5 s.
MOST_ROWS_PASSED = 7_000


@dataclass
class Saved:
    """One entry of `_saved_*`: what an operation keeps for its gradient."""

    name: str
    text: str
    variable: str = ""
    facts: Facts | None = None


@dataclass
class Node:
    """One box of the picture. `id` is its place in the walk (`n0`, `n1`, ...), never an address."""

    id: str
    kind: Kind
    name: str
    """What the graph calls it: `AddBackward0`, `AccumulateGrad`; for an output or a constant the sort of tensor it is."""
    variable: str = ""
    """The caller's name for the tensor that this node made or holds; empty where there is none."""
    shape: tuple[int, ...] | None = None
    shapes: str = ""
    """For an operation with several results, in words: the shape of each."""
    value: Facts | None = None
    requires_grad: bool = True
    grad: Facts | None = None
    grad_text: str = ""
    """Why there is no gradient to show, where `grad` is None."""
    saved: list[Saved] = field(default_factory=list)
    freed: bool = False
    stale: bool = False
    title: str = ""
    """A name that no other node of this picture has."""


@dataclass
class Edge:
    """From a node to one of its `next_functions`: the way a gradient flows. `number` is which output of the target it is for."""

    id: str
    source: str
    target: str
    number: int = 0


@dataclass
class Snapshot:
    """All that a view needs to know of a graph."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences for the reader: what could not be drawn, and what is odd in what could."""
    show_saved: bool = False
    rows_passed: int = 0
    """Over all edges, how many rows of the picture they run past."""

    @property
    def tangled(self) -> bool:
        """Whether a layout would take too long, so that the graph is told as text instead."""
        return self.rows_passed > MOST_ROWS_PASSED

    def node(self, node_id: str) -> Node:
        """The node with this id."""
        return self.nodes[int(node_id[1:])]

    def children(self) -> dict[str, list[Edge]]:
        """The edges that leave each node, in the order of its `next_functions`."""
        found: dict[str, list[Edge]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            found[edge.source].append(edge)
        return found


@dataclass
class Taken:
    """A snapshot, and beside it the live objects that it was made of, for the player that runs them."""

    snapshot: Snapshot
    live: dict[str, Any]
    retaining: list[Any] = field(default_factory=list)
    """The tensors met that keep a gradient though they are no leaves."""


def take(
    outputs: Sequence[Any],
    names: Sequence[tuple[str, Any]] = (),
    saved: bool = False,
    values: Values = "auto",
) -> Taken:
    """The graph behind `outputs` as plain data. What cannot be drawn becomes a sentence in `notes`, never an error."""
    tensors = _the_tensors(outputs)
    walk = _Walk(names, values)
    walk.snapshot.notes += tensors.notes
    size = _measure(tensors.found)
    if size.too_large:
        walk.snapshot.notes.append(size.sentence())
        return Taken(walk.snapshot, {})
    for tensor in tensors.found:
        walk.add_output(tensor, len(tensors.found))
    walk.read_saved(saved)
    walk.finish()
    met = [*tensors.found, *(tensor for _, tensor in names), *walk.described]
    return Taken(walk.snapshot, walk.live, [t for t in met if getattr(t, "retains_grad", False)])


@dataclass
class _Tensors:
    found: list[Any]
    notes: list[str]


def _the_tensors(outputs: Sequence[Any]) -> _Tensors:
    """The tensors among the arguments; a list or tuple of tensors counts as its members."""
    given: list[Any] = []
    for thing in outputs:
        given.extend(thing if isinstance(thing, (list, tuple)) else [thing])
    result = _Tensors([], [])
    for thing in given:
        if is_tensor(thing):
            result.found.append(thing)
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

    @property
    def too_large(self) -> bool:
        return self.nodes > MOST_NODES or self.edges > MOST_EDGES

    def sentence(self) -> str:
        most = ", ".join(
            f"{count:,} {name}" for name, count in sorted(self.names.items(), key=lambda p: (-p[1], p[0]))[:5]
        )
        return (
            f"This graph has {self.nodes:,} nodes and {self.edges:,} edges ({most}): too many to draw, the limit is "
            f"{MOST_NODES:,} nodes and {MOST_EDGES:,} edges. Draw a smaller part, such as a single step of a loop."
        )


def _measure(tensors: Sequence[Any]) -> _Size:
    """Count before reading values: a graph too large to draw costs one cheap walk, not a copy of all its tensors."""
    seen = {id(t.grad_fn): t.grad_fn for t in tensors if t.grad_fn is not None}
    todo = list(seen.values())
    size = _Size(0, 0, Counter())
    while todo:
        node = todo.pop()
        size.nodes += 1
        size.names[short_name(node)] += 1
        for child, _ in node.next_functions:
            size.edges += 1
            if child is not None and id(child) not in seen:
                seen[id(child)] = child  # the reference keeps the id from being used again
                todo.append(child)
    return size


class _Walk:
    """The walk itself: first the shape of the graph, then what is known of the tensors in it."""

    def __init__(self, names: Sequence[tuple[str, Any]], values: Values) -> None:
        self.values = values
        self.names = names
        self.snapshot = Snapshot()
        self.live: dict[str, Any] = {}
        self.lone: list[str] = []
        self.described: list[Any] = []
        self._id_of: dict[int, str] = {}
        self._several: set[str] = set()  # the nodes of operations with several results
        # A tensor that a node made is known by the node and which of its outputs it is.
        self._made: dict[tuple[int, int], tuple[str, Any]] = {}
        # An id is an object's own only while someone holds the object.
        self._held: list[Any] = []
        for name, tensor in names:
            if tensor.grad_fn is not None:
                self._made.setdefault(self._origin(tensor), (name, tensor))

    def _origin(self, tensor: Any) -> tuple[int, int]:
        root = tensor.grad_fn
        self._held.append(root)
        return id(root), output_number(tensor)

    def add_output(self, tensor: Any, how_many: int) -> None:
        if tensor.grad_fn is None:
            self._add_lone_tensor(tensor)
            return
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
        """A tensor that no operation made: a leaf, or one that takes no part in any graph."""
        for node in self.snapshot.nodes:
            if self.live[node.id] is tensor:
                if node.id not in self.snapshot.outputs:
                    self.snapshot.outputs.append(node.id)
                return
        leaf = bool(tensor.requires_grad)
        node = self._new("leaf" if leaf else "constant", "leaf" if leaf else "tensor", tensor)
        node.variable = self._name_of(tensor)
        self._describe(node, tensor)
        self.snapshot.outputs.append(node.id)
        who = node.variable or "This tensor"
        self.lone.append(
            f"{who} is a leaf: you made it, no operation did, so there is no graph behind it."
            if leaf
            else f"{who} has no graph: it has requires_grad=False, so no operation was recorded."
        )

    def _descend(self, root: Any) -> None:
        """Depth first, in the order of `next_functions`, with a stack of our own instead of Python's."""
        stack = [iter(enumerate(root.next_functions))]
        sources = [self._id_of[id(root)]]
        while stack:
            for slot, (child, number) in stack[-1]:
                edge_id = f"e{sources[-1][1:]}_{slot}"
                if child is None:
                    target = self._new("constant", "no gradient", None)
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

    def _visit(self, live: Any) -> str:
        known = self._id_of.get(id(live))
        if known is not None:
            return known
        name = short_name(live)
        if name != "AccumulateGrad":
            node = self._new("operation", name, live)
            self._id_of[id(live)] = node.id
            return node.id
        variable = live.variable
        for node in self.snapshot.nodes:  # the leaf may have been given as an output before
            if node.kind == "leaf" and self.live[node.id] is variable:
                node.name = name
                self._id_of[id(live)] = node.id
                self.live[f"{node.id} node"] = live
                return node.id
        node = self._new("leaf", name, variable)
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
        for name, other in self.names:
            if other is tensor:
                return name
        return ""

    def _describe(self, node: Node, tensor: Any) -> None:
        self.described.append(tensor)
        node.value = facts(tensor, self.values)
        node.shape = node.value.shape
        node.requires_grad = bool(tensor.requires_grad)
        if not node.requires_grad:
            node.grad_text = "never: requires_grad is False"
            return
        # Asking a non-leaf for .grad makes PyTorch warn, so ask only where one is kept.
        if not (tensor.is_leaf or getattr(tensor, "retains_grad", False)):
            node.grad_text = "not kept: not a leaf"
            return
        grad = tensor.grad
        if grad is None:
            node.grad_text = NO_GRAD_YET
        else:
            node.grad = facts(grad, self.values)

    def read_saved(self, show: bool) -> None:
        """Read what operations keep: it names and values the tensors between them, and is shown on its own if asked."""
        self.snapshot.show_saved = show
        kept: dict[tuple[int, int], tuple[str, Any]] = {}
        for node in self.snapshot.nodes:
            if node.kind != "operation":
                continue
            for name, thing in self._saved_of(node):
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
                    node.variable = ""  # the output's own box says it already

    def _saved_of(self, node: Node) -> list[tuple[str, Any]]:
        """What an operation keeps, by name; sizes (`_saved_self_sym_sizes`) are left out."""
        live = self.live[node.id]
        found: list[tuple[str, Any]] = []
        gone = False
        for attribute in sorted(dir(live)):
            if attribute != "saved_tensors" and (not attribute.startswith("_saved_") or "_sym_" in attribute):
                continue
            try:
                thing = getattr(live, attribute)
            except RuntimeError as error:
                if "inplace operation" in str(error):
                    node.stale = True
                else:
                    gone = True
                continue
            if attribute == "saved_tensors":  # what a custom Function keeps
                found += [(f"tensor {i}", t) for i, t in enumerate(thing or ()) if t is not None]
            elif thing is not None:
                found.append((attribute.removeprefix("_saved_"), thing))
        # A backward pass frees all that a node saved, never a part of it.
        node.freed = gone and not any(is_tensor(thing) for _, thing in found)
        return found

    def _saved_entry(self, name: str, thing: Any) -> Saved:
        if is_tensor(thing):
            found = facts(thing, self.values)
            variable = self._name_of(thing)
            if not variable and thing.grad_fn is not None:
                variable = self._made.get(self._origin(thing), ("", None))[0]
            return Saved(name, str(found), variable, found)
        return Saved(name, f"{len(thing)} tensors")

    def _value_of_operation(self, node: Node, kept: dict[tuple[int, int], tuple[str, Any]]) -> None:
        """An operation does not hold its result; someone else may: the caller, or the next operation that saved it."""
        live = self.live[node.id]
        key = (id(live), 0)
        recorded: Any = getattr(live, "_input_metadata", ())
        if node.id in self._several:  # no one value stands for them
            names = sorted((number, name) for (of, number), (name, _) in self._made.items() if of == key[0] and name)
            node.variable = ", ".join(name for _, name in names)
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
        if len(recorded) == 1:
            node.shape = tuple(int(size) for size in recorded[0].shape)

    def finish(self) -> None:
        self._give_titles()
        notes = self.snapshot.notes
        if not any(node.kind == "operation" for node in self.snapshot.nodes):
            notes += self.lone  # beside a graph, a tensor without one needs no explanation
        self.snapshot.rows_passed = _rows_passed(self.snapshot)
        if self.snapshot.tangled:
            notes.append(
                "This graph is too tangled to draw: some nodes are used again far away, as a weight is in each step of a "
                "long loop. Here it is as text; for a picture, run fewer steps of the loop."
            )
        if any(node.freed for node in self.snapshot.nodes):
            notes.append(
                "Part of this graph is freed (grey): a backward pass ran through it and its saved tensors are gone. "
                "Run the computation again, or call backward(retain_graph=True), to go through it once more."
            )
        for node in self.snapshot.nodes:
            if node.stale:
                notes.append(
                    f"{node.title} saved a tensor that was changed in place afterwards: backward will raise an error here."
                )
            if node.kind in ("leaf", "output") and node.value is not None and node.value.odd:
                notes.append(f"{node.title} has values that are not finite: {node.value.odd}.")

    def _give_titles(self) -> None:
        for node in self.snapshot.nodes:
            node.title = _title(node)
        count = Counter(node.title for node in self.snapshot.nodes)
        seen: Counter[str] = Counter()
        for node in self.snapshot.nodes:
            plain = node.title
            if count[plain] > 1 and node.kind != "constant":
                seen[plain] += 1
                node.title = f"{plain} #{seen[plain]}"


def _rows_passed(snapshot: Snapshot) -> int:
    """Put each node one row below the lowest that leads to it, and count the rows between the ends of each edge."""
    children, waiting = snapshot.children(), Counter(edge.target for edge in snapshot.edges)
    row = {node.id: 0 for node in snapshot.nodes}
    ready = [node.id for node in snapshot.nodes if not waiting[node.id]]
    while ready:
        for edge in children[ready.pop()]:
            row[edge.target] = max(row[edge.target], row[edge.source] + 1)
            waiting[edge.target] -= 1
            if not waiting[edge.target]:
                ready.append(edge.target)
    return sum(row[edge.target] - row[edge.source] - 1 for edge in snapshot.edges)


def _holds_tensors(thing: Any) -> bool:
    return is_tensor(thing) or (isinstance(thing, (list, tuple)) and any(is_tensor(t) for t in thing))


def _title(node: Node) -> str:
    if node.kind == "leaf":
        return node.variable or "unnamed leaf"
    if node.kind == "output":
        return node.variable
    if node.kind == "constant":
        return node.variable or "no gradient"
    return f"{node.name} ({node.variable})" if node.variable else node.name


def short_name(live: Any) -> str:
    """A node's name without the namespace that PyTorch puts before some: `AccumulateGrad`."""
    return str(live.name()).rpartition("::")[2]


def output_number(tensor: Any) -> int:
    """Which output of its `grad_fn` a tensor is."""
    return int(getattr(tensor, "output_nr", 0))
