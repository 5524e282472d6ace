"""Repeated structure of a large graph, folded into single boxes and unfolded on request.

Only equal repetitions are folded. Their operations have the same names and shapes, and each edge
goes to the same place in the next repetition, to one node that all repetitions share, or to a leaf
of the same kind that belongs to this repetition. Nodes that differ stay outside the box.

This module works on snapshots, not on live graphs or pictures. It does not use recursion, and it
takes O(n log n) time for n operations.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from autograd_teach.viz.facts import shape_text
from autograd_teach.viz.snapshot import MOST_EDGES, MOST_NODES, Edge, Folded, Node, Snapshot, number_titles, rows_passed

Fold = Literal[True, False, "auto"]
Ranks = np.ndarray[Any, np.dtype[np.int64]]

# A snapshot of 20,000 nodes takes half a second; the nodes of a larger graph are only counted.
MOST_READ = 20_000
_MANY_NODES, _MANY_ROWS_PASSED = 300, 5_000
_LEAST_TIMES, _LEAST_LEAVES = 3, 8
_SMALL = 30  # a box with at most this many nodes unfolds as a whole
_FAR = 64
_PERIODS_A_LENGTH = 6
_WIDEST_PATTERN = 6


def fold(snapshot: Snapshot, how: Fold) -> Folding | None:
    """The folded form of a snapshot; None if `how` does not ask for it, or if nothing repeats.

    `"auto"` folds a graph that is large or tangled.
    """
    large = len(snapshot.nodes) > _MANY_NODES or snapshot.rows_passed > _MANY_ROWS_PASSED
    if how is False or (how == "auto" and not large):
        return None
    folding = Folding(snapshot)
    return folding if folding.folds else None


def drawable(snapshot: Snapshot) -> bool:
    """Whether a layout takes at most about a second."""
    return not snapshot.tangled and len(snapshot.nodes) <= MOST_NODES and len(snapshot.edges) <= MOST_EDGES


@dataclass(frozen=True)
class Run:
    """`times` repetitions of `period` operations each, from place `start` of `Folding.order`."""

    start: int
    period: int
    times: int

    @property
    def end(self) -> int:
        """The place after the last operation."""
        return self.start + self.period * self.times


class Folding:
    """A whole snapshot, and which of its parts are folded now."""

    def __init__(self, whole: Snapshot) -> None:
        self.whole = whole
        self.order = _order(whole)
        self._wires = _Wires(whole, self.order)
        self._groups = _leaf_groups(whole)
        self._runs: list[Run] = []
        self._peeled: dict[str, int] = {}
        self.refold()

    @property
    def folds(self) -> bool:
        """Whether anything is folded now."""
        return bool(self._runs) or any(self._hidden_leaves(group) for group in self._groups)

    def refold(self) -> None:
        """Fold everything that repeats."""
        self._runs = self._wires.repeats(0, len(self.order))
        self._peeled = {}

    def unfold(self, node_id: str) -> None:
        """Open one box.

        A small box opens as a whole. A large one shows its first and last repetition, and a box
        between them. Raises KeyError if there is no box with this id.
        """
        for run in self._runs:
            if self.order[run.start] == node_id:
                self._runs.remove(run)
                self._runs += self._inside(run)
                return
        for group in self._groups:
            hidden = self._hidden_leaves(group)
            if hidden and hidden[0] == node_id:
                self._peeled[group[0]] = self._peeled.get(group[0], 0) + (1 if len(hidden) > _SMALL else len(group))
                return
        raise KeyError(node_id)

    def _inside(self, run: Run) -> list[Run]:
        if run.end - run.start <= _SMALL:
            return []
        between = Run(run.start + run.period, run.period, run.times - 2)
        ends = self._repeats_of_one(run.start, run.period) + self._repeats_of_one(between.end, run.period)
        return ends + ([between] if between.times > 1 else self._repeats_of_one(between.start, run.period))

    def _repeats_of_one(self, start: int, period: int) -> list[Run]:
        return self._wires.repeats(start, start + period) if period > _SMALL else []

    def _hidden_leaves(self, group: list[str]) -> list[str]:
        peeled = self._peeled.get(group[0], 0)
        hidden = group[peeled : len(group) - peeled]
        return hidden if len(hidden) >= _LEAST_TIMES else []

    def snapshot(self) -> Snapshot:
        """The graph as it is folded now.

        Nodes keep their ids; a box has the id of its first node.
        """
        whole = self.whole
        shown = {node.id: node.id for node in whole.nodes}
        boxes: dict[str, Node] = {}
        for run in self._runs:
            box = self.order[run.start]
            own = self._wires.own_leaves(run)
            for inside in [*self.order[run.start : run.end], *own]:
                shown[inside] = box
            boxes[box] = self._box(run, own)
        for group in self._groups:
            hidden = [leaf for leaf in self._hidden_leaves(group) if shown[leaf] == leaf]
            if hidden:
                boxes[hidden[0]] = _box_of_leaves([whole.node(leaf) for leaf in hidden])
                for leaf in hidden:
                    shown[leaf] = hidden[0]
        for edge in whole.edges:  # a constant belongs to its operation
            if whole.node(edge.target).kind == "constant":
                source = shown[edge.source]
                shown[edge.target] = source if source in boxes else edge.target
        nodes = [boxes.get(node.id, node) for node in whole.nodes if shown[node.id] == node.id]
        number_titles([node for node in nodes if node.folded is not None])
        result = replace(whole, nodes=nodes, edges=list(_edges(whole.edges, shown, boxes)))
        # A cut that starts inside a box is hidden; a cut into a box ends at the box.
        result.cuts = [replace(e, target=shown[e.target]) for e in whole.cuts if shown[e.source] == e.source]
        result.rows_passed = rows_passed(result)
        result.notes = [note for note in whole.notes if result.tangled or note != whole.tangled_note]
        return result

    def _box(self, run: Run, own: Sequence[str]) -> Node:
        operations = [self.whole.node(each) for each in self.order[run.start : run.end]]
        one = [node.name for node in operations[: run.period]]
        leaves = Counter(_leaf_text(self.whole.node(leaf)) for leaf in own)
        odd = sum(1 for node in operations if node.value is not None and node.value.odd)
        folded = Folded(run.times, _in_short(one), len(operations), dict(leaves), odd)
        shapes = {node.shape for node in operations}
        node = Node(operations[0].id, "fold", folded.name, shape=shapes.pop() if len(shapes) == 1 else None)
        node.freed, node.stale = (any(getattr(op, what) for op in operations) for what in ("freed", "stale"))
        node.folded, node.title = folded, folded.name
        node.order = min(op.order for op in operations)
        node.grad_text = "not kept: not a leaf"
        return node


def _box_of_leaves(leaves: list[Node]) -> Node:
    folded = Folded(len(leaves), [(1, leaves[0].name)], 0, {_leaf_text(leaves[0]): len(leaves)}, 0)
    node = Node(leaves[0].id, "fold", folded.name, shape=leaves[0].shape)
    node.folded, node.title, node.grad_text = folded, folded.name, "each has its own"
    return node


def _leaf_text(leaf: Node) -> str:
    return f"of shape {shape_text(leaf.shape or ())}"


def _edges(edges: Sequence[Edge], shown: dict[str, str], boxes: dict[str, Node]) -> Iterator[Edge]:
    """Merge the edges between a box and a node into one edge with a count.

    Other edges do not change.
    """
    counted: dict[tuple[str, str], Edge] = {}
    found: list[Edge] = []
    for edge in edges:
        source, target = shown[edge.source], shown[edge.target]
        if source not in boxes and target not in boxes:
            found.append(edge)
        elif source != target and (known := counted.get((source, target))) is not None:
            known.count += 1
            known.number = known.number if known.number == edge.number else 0
        elif source != target:
            counted[source, target] = replace(edge, source=source, target=target)
            found.append(counted[source, target])
    yield from found


def _order(snapshot: Snapshot) -> list[str]:
    """The operations in reverse postorder: each before the operations that its gradients go to.

    In this order the steps of a loop follow each other, whichever argument carries the loop's
    state.
    """
    children = snapshot.children()
    operations = {node.id for node in snapshot.nodes if node.kind == "operation"}
    done: list[str] = []
    seen: set[str] = set()
    for output in snapshot.outputs:
        stack = [(output, iter(children[output]))]
        while stack:
            node, edges = stack[-1]
            for edge in edges:
                if edge.target in operations and edge.target not in seen:
                    seen.add(edge.target)
                    stack.append((edge.target, iter(children[edge.target])))
                    break
            else:
                stack.pop()
                if node in operations:
                    done.append(node)
    return done[::-1]


def _leaf_groups(snapshot: Snapshot) -> list[list[str]]:
    """Groups of leaves of the same kind that one operation uses once each, and no other."""
    users: dict[str, list[str]] = {}
    for edge in snapshot.edges:
        users.setdefault(edge.target, []).append(edge.source)
    groups: dict[object, list[str]] = {}
    for node in snapshot.nodes:
        used = users.get(node.id, [])
        if node.kind == "leaf" and len(used) == 1 and node.id not in snapshot.outputs:
            groups.setdefault((used[0], _kind_of_leaf(node)), []).append(node.id)
    return [group for group in groups.values() if len(group) >= _LEAST_LEAVES]


def _kind_of_leaf(node: Node) -> object:
    dtype, odd = (node.value.dtype, bool(node.value.odd)) if node.value else ("", False)
    return node.name, node.shape, dtype, odd, node.grad is None


def _in_short(names: Sequence[str]) -> list[tuple[int, str]]:
    """Names with repetitions counted: `A B A B A B C` is 3 times `(A, B)` and once `C`."""
    short: list[tuple[int, str]] = []
    place = 0
    while place < len(names):
        counted = [(_times(names, place, width), width) for width in range(1, _WIDEST_PATTERN + 1)]
        times, width = max(counted, key=lambda c: (c[0] * c[1] if c[0] > 1 else 1, -c[1]))
        width = width if times > 1 else 1
        pattern = names[place : place + width]
        short.append((times, pattern[0] if width == 1 else f"({', '.join(pattern)})"))
        place += times * width
    return short


def _times(names: Sequence[str], place: int, width: int) -> int:
    """How often the `width` names at a place repeat in a row."""
    times = 1
    while names[place + times * width : place + (times + 1) * width] == names[place : place + width]:
        times += 1
    return times


class _Wires:
    """The operations as a sequence to search for repetition: the name and the edges of each."""

    def __init__(self, snapshot: Snapshot, order: Sequence[str]) -> None:
        place = {node_id: i for i, node_id in enumerate(order)}
        children = snapshot.children()
        self.slots = [[(edge.target, edge.number) for edge in children[each]] for each in order]
        self.place = place
        self.kind: dict[str, object] = {}
        # The place and the slot of the first use of each leaf.
        self.anchor: dict[str, tuple[int, int]] = {}
        self.users: Counter[str] = Counter(edge.target for edge in snapshot.edges)
        for node in snapshot.nodes:
            if node.kind == "leaf":
                self.kind[node.id] = (_kind_of_leaf(node), self.users[node.id])
        names: dict[object, int] = {}
        plain: list[int] = []
        wired: list[int] = []
        for i, each in enumerate(order):
            node = snapshot.node(each)
            targets: list[object] = []
            near: list[object] = []
            for slot, (target, number) in enumerate(self.slots[i]):
                if target in place:
                    targets.append(number)
                    near.append(min(place[target] - i, _FAR))
                elif target in self.kind:
                    self.anchor.setdefault(target, (i, slot))
                    targets.append("leaf")
                else:
                    targets.append("none")
            label = (node.name, node.shape, node.shapes, node.freed, node.stale, tuple(targets))
            plain.append(names.setdefault(label, len(names)))
            wired.append(names.setdefault((label, tuple(near)), len(names)))
        self.labels: Ranks = np.array(plain, dtype=np.int64)
        self._wired: Ranks = np.array(wired, dtype=np.int64)

    def own_leaves(self, run: Run) -> list[str]:
        """The leaves that belong to one repetition each: they are folded too."""
        used: Counter[str] = Counter()
        shared: set[str] = set()
        for i in range(run.start, run.end):
            to = i + run.period if i + run.period < run.end else i - run.period
            for (target, _), (other, _) in zip(self.slots[i], self.slots[to], strict=True):
                if target in self.anchor:
                    used[target] += 1
                    if target == other:
                        shared.add(target)
        return [leaf for leaf, count in used.items() if leaf not in shared and count == self.users[leaf]]

    def repeats(self, low: int, high: int) -> list[Run]:
        """Runs of repetitions between two places.

        They do not overlap, and the ones that hide most come first.
        """
        runs: list[Run] = []
        free = np.ones(high - low, dtype=bool)
        # Each entry: minus the number of operations it would hide, period, start, length, and
        # whether its edges were compared.
        heap: list[tuple[int, int, int, int, bool]] = []

        def offer(period: int, start: int, length: int, compared: bool) -> None:
            times = length // period
            if times >= _LEAST_TIMES:
                heapq.heappush(heap, (-times * period, period, start, length, compared))

        for period in self._periods(low, high):
            equal = self.labels[low : high - period] == self.labels[low + period : high]
            for start, end in _stretches(equal):
                offer(period, low + start, end - start + period, False)
        while heap:
            _, period, start, length, compared = heapq.heappop(heap)
            parts = _stretches(free[start - low : start - low + length])
            if parts != [(0, length)]:
                for begin, end in parts:
                    offer(period, start + begin, end - begin, compared)
            elif not compared:
                for begin, end in self._equal_wiring(period, start, start + length):
                    offer(period, begin, end - begin, True)
            else:
                run = Run(start, period, length // period)
                free[run.start - low : run.end - low] = False
                runs.append(run)
        return runs

    def _periods(self, low: int, high: int) -> list[int]:
        """Likely lengths of a repetition: the most frequent distances of equal patterns."""
        found: set[int] = set()
        for labels in (self.labels, self._wired):
            ranks, width = labels[low:high], 1
            while len(ranks) > 1:
                by_rank = np.argsort(ranks, kind="stable")
                same = ranks[by_rank[1:]] == ranks[by_rank[:-1]]
                distances = (by_rank[1:] - by_rank[:-1])[same]
                distances = distances[distances * _LEAST_TIMES <= high - low]
                if not len(distances):
                    break
                counts = np.bincount(distances)
                found.update(int(d) for d in np.argsort(-counts, kind="stable")[:_PERIODS_A_LENGTH] if counts[d])
                # Double the width: a new pattern is a pair of neighbouring patterns.
                pairs = ranks[:-width] * (int(ranks.max()) + 1) + ranks[width:]
                ranks = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)
                width *= 2
        return sorted(found)

    def _equal_wiring(self, period: int, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The parts of a stretch of equal names in which the edges are equal as well."""
        modes: dict[int, list[str]] = {}
        begin = start
        for i in range(start, end - period):
            found = self._modes(i, period)
            before = modes.get(i - period) if i - period >= begin else found
            if found is None or found != before:
                if i > begin:
                    yield begin, i + period
                begin = i + 1 if found is None else i
            if found is not None:
                modes[i] = found
        if end - period > begin:
            yield begin, end

    def _modes(self, i: int, period: int) -> list[str] | None:
        """How each edge of an operation equals the edge of the operation one period later.

        None if one does not.
        """
        modes = []
        for (target, number), (other, other_number) in zip(self.slots[i], self.slots[i + period], strict=True):
            if number != other_number:
                return None
            if target == other:
                modes.append("shared")
            elif target in self.place:
                if self.place.get(other, -1) - self.place[target] != period:
                    return None
                modes.append("along")
            elif target in self.anchor:
                (here, slot), (there, other_slot) = self.anchor[target], self.anchor.get(other, (-1, -1))
                if (there - here, slot) != (period, other_slot) or self.kind[target] != self.kind[other]:
                    return None
                modes.append("own")
            else:
                modes.append("none")
        return modes


def _stretches(true: np.ndarray[Any, np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """Start and end of each stretch of True values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], true, [False])).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
