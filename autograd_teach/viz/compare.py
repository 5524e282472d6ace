"""`viz.compare`: two graphs side by side; nodes that only one of them has are marked.

Nodes are matched from the outputs down: two nodes match if they are the same operation in the same
place. If two nodes differ, the search continues below them. If a node of one graph is found further
down in the other graph, the nodes skipped there exist only in that graph.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from autograd_teach.viz import text
from autograd_teach.viz.facts import is_tensor
from autograd_teach.viz.naming import caller_tensors, given_names
from autograd_teach.viz.snapshot import Edge, Node, Snapshot, Taken, take
from autograd_teach.viz.view import View

_MOST_NAMED = 5
_FURTHEST_DOWN, _NEAR = 40, 3


def compare(a: Any, b: Any, *, names: Mapping[str, Any] | None = None) -> CompareView:
    """Draw the graphs of two tensors side by side and mark the nodes that only one of them has.

    Use it to see what `detach`, `no_grad`, `create_graph` or another form of a formula changes.

    a, b: the two tensors, of this package or of PyTorch; one of each also works.
    names: names for tensors, as in `viz.graph`.

    Returns a CompareView. Its `summary` says whether the graphs are the same, and if not, which
    nodes only one of them has. If a graph cannot be drawn, the view says why in a sentence. Raises
    TypeError if `names` is not a dictionary.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> h = x.exp()
    >>> y, z = x * h, x * h.detach()
    >>> print(viz.compare(y, z).summary)
    In both: 1 operation and 1 leaf. Only in y: ExpBackward0 (h). Only in z: h.detach().
    """
    known = given_names(names or {}) + caller_tensors(sys._getframe(1))
    # If one graph uses a value of the other without its history, the name comes from the other
    # graph.
    results = [[("", tensor) for tensor in take([one], known).results] for one in (a, b)]
    taken = [take([one], known + others) for one, others in zip((a, b), reversed(results), strict=True)]
    return CompareView(taken[0], taken[1], a is b and is_tensor(a))


class CompareView(View):
    """Two graphs in one picture."""

    def __init__(self, first: Taken, second: Taken, same_tensor: bool = False) -> None:
        sides = first.snapshot, second.snapshot
        self.titles = _titles(*sides)
        self.summary = ""
        """What is the same and what differs, in one or two sentences."""
        drawn = [bool(side.nodes) for side in sides]
        if all(drawn):
            match = _Match(first, second)
            self.summary = match.summary(self.titles)
            if same_tensor:
                self.summary = (
                    f"{self.titles[0]} and {self.titles[1]} are one tensor: its graph is compared with itself."
                )
            for side, title, paired in zip(sides, self.titles, (match.there, match.back), strict=True):
                for node in side.nodes:
                    if node.id not in paired and _counts(node):
                        node.mark = f"only in {title}"
        self._sides = sides
        super().__init__(_side_by_side(sides, self.titles, [self.summary] * bool(self.summary)))

    @property
    def text(self) -> str:
        """The summary, then each graph as a tree."""
        parts = list(self.snapshot.notes)
        for side, title in zip(self._sides, self.titles, strict=True):
            if side.nodes:
                parts += ["", f"{title}:", text.tree(replace(side, notes=[]))]
        return "\n".join(parts).lstrip("\n")

    @property
    def title(self) -> str:
        """Alternative text: one sentence that says what the picture shows."""
        if not self.snapshot.nodes:
            return " ".join(self.snapshot.notes)
        return f"The graphs of {self.titles[0]} and {self.titles[1]} side by side. {self.summary}".strip()

    def _legend(self) -> list[list[str]]:
        marked = any(node.mark for node in self.snapshot.nodes)
        return super()._legend() + [["marked", "in one graph only (dashed and thick, says in which)"]] * marked


def _titles(first: Snapshot, second: Snapshot) -> tuple[str, str]:
    found = [side.node(side.outputs[0]).variable if side.outputs else "" for side in (first, second)]
    found = ["" if name == "output" else name for name in found]
    if found[0] == found[1]:
        return (f"{found[0]} (first)".strip(), f"{found[1]} (second)") if found[0] else ("the first", "the second")
    return found[0] or "the first", found[1] or "the second"


def _side_by_side(sides: Sequence[Snapshot], titles: Sequence[str], notes: list[str]) -> Snapshot:
    whole = Snapshot(notes=notes, callers=sides[0].callers | sides[1].callers)
    for side, title in zip(sides, titles, strict=True):
        shift = len(whole.nodes)
        new = {node.id: f"n{shift + place}" for place, node in enumerate(side.nodes)}
        whole.nodes += [replace(node, id=new[node.id]) for node in side.nodes]
        whole.edges += [_moved(edge, new) for edge in side.edges]
        whole.cuts += [_moved(edge, new) for edge in side.cuts]
        whole.outputs += [new[output] for output in side.outputs]
        whole.rows_passed += side.rows_passed
        if side.nodes:
            whole.clusters.append((title, list(new.values())))
        whole.notes += [note if note.startswith(title) else f"{title}: {note}" for note in side.notes]
    return whole


def _moved(edge: Edge, new: Mapping[str, str]) -> Edge:
    slot = edge.id.partition("_")[1:]
    return replace(
        edge,
        id=edge.id[0] + new[edge.source][1:] + "".join(slot),
        source=new[edge.source],
        target=new[edge.target],
    )


class _Match:
    """The matched nodes: `there` maps the first graph to the second, `back` the other way."""

    def __init__(self, first: Taken, second: Taken) -> None:
        self.sides = first.snapshot, second.snapshot
        self.below = self.sides[0].children(), self.sides[1].children()
        self.there: dict[str, str] = {}
        self.back: dict[str, str] = {}
        # A node that is part of both graphs matches itself, whatever is around it. Other leaves
        # match by shape; a leaf that is itself an output matches only another output.
        places = [
            {id(taken.live[node.id]): node.id for node in taken.snapshot.nodes if node.kind in ("leaf", "operation")}
            for taken in (first, second)
        ]
        self._shared = {node: places[1][key] for key, node in places[0].items() if key in places[1]}
        self._shared_back = set(self._shared.values())
        self.there |= self._shared
        self.back |= {b: a for a, b in self._shared.items()}
        known: dict[Any, int] = {}
        self._forms = [self._forms_of(side, known) for side in (0, 1)]
        for pair in zip(self.sides[0].outputs, self.sides[1].outputs, strict=True):
            self._walk([pair])

    def _forms_of(self, side: int, known: dict[Any, int]) -> dict[str, int]:
        """A number for each node.

        Two nodes have the same number if the graphs below them are the same.
        """
        forms: dict[str, int] = {}
        for node_id in _from_the_leaves(self.sides[side], self.below[side]):
            shared = self._shared.get(node_id) if side == 0 else node_id if node_id in self._shared_back else None
            parts = tuple((forms[edge.target], edge.number) for edge in self.below[side][node_id])
            forms[node_id] = known.setdefault((*self._traits(side, node_id), shared, parts), len(known))
        return forms

    def _walk(self, todo: list[tuple[str, str]]) -> None:
        while todo:
            a, b = todo.pop()
            if a in self.there or b in self.back:
                continue
            if self._alike(a, b):
                self.there[a], self.back[b] = b, a
                todo += reversed(self._arguments(a, b))
            else:
                todo += self._past_what_one_has_alone(a, b)

    def _past_what_one_has_alone(self, a: str, b: str) -> list[tuple[str, str]]:
        """The next pairs after two nodes that differ: below the node of one side only, or below both."""
        if (found := self._further_down(0, a, lambda node: self._forms[0][node] == self._forms[1][b])) is not None:
            return [(found[0], b)]
        if (found := self._further_down(1, b, lambda node: self._forms[1][node] == self._forms[0][a])) is not None:
            return [(a, found[0])]
        # No graph below is the same as a whole. The same operation may be near, below an inserted
        # one.
        in_a = self._further_down(0, a, lambda node: self._alike(node, b), _NEAR)
        in_b = self._further_down(1, b, lambda node: self._alike(a, node), _NEAR)
        if in_a is not None and (in_b is None or in_a[1] <= in_b[1]):
            return [(in_a[0], b)]
        return [(a, in_b[0])] if in_b is not None else self._arguments(a, b)[::-1]

    def _arguments(self, a: str, b: str) -> list[tuple[str, str]]:
        pairs = zip(self.below[0][a], self.below[1][b], strict=False)
        return [(one.target, other.target) for one, other in pairs]

    def _alike(self, a: str, b: str) -> bool:
        one, other = self.sides[0].node(a), self.sides[1].node(b)
        if _sort(one) != _sort(other):
            return False
        if one.kind in ("leaf", "constant"):
            return self._traits(0, a) == self._traits(1, b) and one.cut == other.cut
        return True

    def _traits(self, side: int, node_id: str) -> tuple[Any, ...]:
        node = self.sides[side].node(node_id)
        return _sort(node), node.shape, node_id in self.sides[side].outputs

    def _further_down(
        self, side: int, start: str, fits: Callable[[str], bool], furthest: int = _FURTHEST_DOWN
    ) -> tuple[str, int] | None:
        """The nearest free node below `start` that fits, and how far down it is."""
        level, seen = [start], {start}
        for depth in range(furthest):
            level = list(
                dict.fromkeys(e.target for one in level for e in self.below[side][one] if e.target not in seen)
            )
            seen.update(level)
            for node in level:
                free = node not in (self.there if side == 0 else self.back)
                if free and self.sides[side].node(node).kind != "constant" and fits(node):
                    return node, depth
        return None

    def summary(self, titles: Sequence[str]) -> str:
        """What is the same and what differs."""
        alone = [
            [node for node in side.nodes if node.id not in paired and _counts(node)]
            for side, paired in zip(self.sides, (self.there, self.back), strict=True)
        ]
        common = _count([self.sides[0].node(node_id) for node_id in self.there])
        elsewhere = self._elsewhere(titles)
        if not any(alone) and not elsewhere:
            shapes = [(a, b) for a, b in self.there.items() if self._shape(0, a) != self._shape(1, b)]
            same = f"{titles[0]} and {titles[1]} have the same graph, node for node: {common}."
            return same + " The shapes of their tensors differ." * bool(shapes)
        told = [f"In both: {common}."]
        told += [f"Only in {title}: {_listed(nodes)}." for title, nodes in zip(titles, alone, strict=True) if nodes]
        return " ".join([*told, *elsewhere])

    def _shape(self, side: int, node_id: str) -> Any:
        return self.sides[side].node(node_id).shape

    def _elsewhere(self, titles: Sequence[str]) -> list[str]:
        """Matched nodes whose gradients go to different nodes of both graphs, or only one sends one."""
        found = []
        for a, b in self.there.items():
            for slot, (one, other) in enumerate(zip(self.below[0][a], self.below[1][b], strict=False)):
                targets = self.sides[0].node(one.target), self.sides[1].node(other.target)
                none = [target.kind == "constant" and not _counts(target) for target in targets]
                known = (one.target in self.there or none[0]) and (other.target in self.back or none[1])
                same = all(none) or (self.there.get(one.target) == other.target and one.number == other.number)
                if known and not same:
                    here, there = (
                        "takes no gradient" if n else f"comes from {t.title}"
                        for n, t in zip(none, targets, strict=True)
                    )
                    name = self.sides[0].node(a).title
                    there = there if any(none) else there.removeprefix("comes ")
                    found.append(f"Argument {slot + 1} of {name} {here} in {titles[0]}, {there} in {titles[1]}.")
                    for target, title in [(t, title) for t, n, title in zip(targets, none, titles, strict=True) if n]:
                        target.mark = f"only in {title}"
        return found[:_MOST_NAMED]


def _counts(node: Node) -> bool:
    """Whether a node is reported if only one graph has it: not for outputs and plain numbers."""
    return node.kind in ("leaf", "operation") or (node.kind == "constant" and node.value is not None)


def _sort(node: Node) -> tuple[str, str]:
    return node.kind, node.name if node.kind == "operation" else ""


def _from_the_leaves(snapshot: Snapshot, below: Mapping[str, list[Edge]]) -> list[str]:
    """All nodes in topological order, from the leaves to the outputs."""
    waiting = {node.id: len(below[node.id]) for node in snapshot.nodes}
    above: dict[str, list[str]] = {node.id: [] for node in snapshot.nodes}
    for edge in snapshot.edges:
        above[edge.target].append(edge.source)
    order = [node_id for node_id, count in waiting.items() if not count]
    for node_id in order:  # the list grows during the loop
        for upper in above[node_id]:
            waiting[upper] -= 1
            if not waiting[upper]:
                order.append(upper)
    return order


def _count(nodes: Sequence[Node]) -> str:
    kinds = Counter(node.kind for node in nodes)
    operations, leaves = kinds["operation"], kinds["leaf"]
    told = f"{operations:,} operation{'s' * (operations != 1)} and {leaves:,} {'leaf' if leaves == 1 else 'leaves'}"
    return told if operations or leaves else "nothing"


def _listed(nodes: Sequence[Node]) -> str:
    named = list(dict.fromkeys(n.title for n in nodes))
    more = len(named) - _MOST_NAMED
    return ", ".join(named[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
