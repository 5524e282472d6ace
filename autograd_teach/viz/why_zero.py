"""Trace each entry of a gradient that is 0 to the operations that made it 0.

The nodes themselves are asked: a node that is called outside of a pass multiplies any gradient by
the slopes of its operation (see slopes.py). If it sends 0 for every gradient, the slope is 0. If it
sends 0 only for the gradient that arrived, what it sends is a sum that cancels, or a product too
small for the dtype, or the entries that arrived there were 0 before.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from autograd_teach.viz.facts import library_of
from autograd_teach.viz.why_gradient import Array, Arriving, Graph, Ran, ask, operation, signed

Cause = Literal["slope", "cancels", "adds up", "too small", "None", "unused", "unknown"]
"""Why an entry is 0: the slope of the operation is 0; the products that the operation adds up, or the
gradients that arrive from several operations, add up to 0; the product is too small for the dtype; the
backward returns None; the loss does not use this result; the node cannot be asked."""

_ROUNDING = 64
"""A sum is 0 up to rounding if it is below this many units of precision of its terms."""
_DRAWS = 3
"""A sum of some random terms is small by chance, but not three of them."""


@dataclass(frozen=True)
class Reason:
    """Why entries of a gradient are 0, and at which argument (`slot`) of which node."""

    node: Any
    slot: int
    cause: Cause


@dataclass
class Group:
    """Entries of the tensor, as flat indices, that are 0 for the same reasons."""

    entries: list[int]
    reasons: list[Reason]


def groups(loss: Any, arriving: Arriving, graph: Graph) -> list[Group]:
    """The reasons of all entries of the tensor's gradient; empty if an entry is not 0 up to rounding."""
    trace = _Trace(loss, graph)
    for step in arriving.steps:
        trace.follow(step)
    labels = trace.labels((id(graph.target), graph.number), graph.target, arriving.gradient)
    if labels is None or not labels.size or not labels.all():
        return []
    return [
        Group(np.flatnonzero(labels.ravel() == label).tolist(), sorted(trace.reasons(label), key=trace.place))
        for label in dict.fromkeys(labels.ravel().tolist())
    ]


class _Trace:
    """Labels for the entries of every gradient of a pass: 0, or the number of a set of reasons."""

    def __init__(self, loss: Any, graph: Graph) -> None:
        self._library, self._graph = importlib.import_module(library_of(loss)), graph
        self._sets: list[frozenset[Reason]] = [frozenset()]
        self._numbers: dict[frozenset[Reason], int] = {frozenset(): 0}
        self._parts: dict[tuple[int, int], list[tuple[Array | None, Array]]] = {}
        self._order: dict[int, int] = {}
        self._starts = {(id(loss.grad_fn), int(getattr(loss, "output_nr", 0)))}

    def reasons(self, label: int) -> frozenset[Reason]:
        return self._sets[label]

    def place(self, reason: Reason) -> tuple[int, int]:
        """The key that sorts reasons by the order in which their nodes ran."""
        return self._order.get(id(reason.node), len(self._order)), reason.slot

    def _label(self, reasons: Iterable[Reason]) -> int:
        found = frozenset(reasons)
        if found not in self._numbers:
            self._numbers[found] = len(self._sets)
            self._sets.append(found)
        return self._numbers[found]

    def _joined(self, one: Array, other: Array) -> Array:
        """The labels of the unions of reasons."""
        joined = one.copy()
        for a, b in {*zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)}:
            joined[(one == a) & (other == b)] = self._label(self._sets[a] | self._sets[b])
        return joined

    def labels(self, key: tuple[int, int], node: Any, total: Array | None) -> Array | None:
        """The labels of a gradient that arrived, from those of its contributions.

        None if there is no gradient and its shape is not known.
        """
        parts = self._parts.get(key, [])
        shape = total.shape if total is not None else _shape(node, key[1])
        if shape is None or (key in self._starts and not parts):
            return None if shape is None else np.zeros(shape, int)
        labels = np.zeros(shape, int)
        if not parts:
            return np.full(shape, self._label([Reason(node, key[1], "unused")]))
        alive, size = np.zeros(shape, bool), np.zeros(shape)
        for array, part in parts:
            labels = self._joined(labels, np.broadcast_to(part, shape))
            alive |= part == 0
            size += 0.0 if array is None else np.where(part == 0, np.abs(array), 0.0)
        labels[alive] = 0
        if total is not None and sum(bool((part == 0).any()) for _, part in parts) > 1:
            labels[alive & (np.abs(total) <= _precision(total) * size)] = self._label([Reason(node, key[1], "adds up")])
        return labels

    def follow(self, step: Ran) -> None:
        """Label what a step sent, from the labels of what came in."""
        self._order.setdefault(id(step.node), len(self._order))
        came = [self.labels((id(step.node), number), step.node, array) for number, array in enumerate(step.came)]
        slots = [
            slot
            for slot, (child, _) in enumerate(step.node.next_functions)
            if child is not None and id(child) in self._graph.on_way
        ]
        asked = _Asked(self._library, step, came)
        for slot in slots:
            child, number = step.node.next_functions[slot]
            array = step.sent[slot] if slot < len(step.sent) else None
            if array is None:
                before = {r for part in came if part is not None for r in self._reasons_in(part)}
                nothing = all(g is None for g in step.came)
                reasons = before if nothing and before else {Reason(step.node, slot, "None")}
                part = np.asarray(self._label(reasons))
            else:
                part = self._sent(asked, step, slot, array, came)
            self._parts.setdefault((id(child), number), []).append((array, part))

    def _reasons_in(self, labels: Array) -> set[Reason]:
        return {reason for label in np.unique(labels).tolist() for reason in self._sets[label]}

    def _sent(self, asked: _Asked, step: Ran, slot: int, array: Array, came: Sequence[Array | None]) -> Array:
        """The labels of one gradient that a step sent."""
        labels = np.zeros(array.shape, int)
        if not array.size:
            return labels
        anything = asked.of_anything(slot)
        found = {*(label for part in came if part is not None for label in np.unique(part).tolist())}
        if not asked.top and len(found) == 1 and anything is not None:
            # All that arrives is 0 for one reason, which stays unless the slope is 0 everywhere here.
            return labels + (found.pop() if anything.any() else self._label([Reason(step.node, slot, "slope")]))
        alive = asked.of_alive(slot)
        if alive is None or anything is None:
            labels[array == 0] = self._label([Reason(step.node, slot, "unknown")])
            return labels
        near = _precision(array) * alive
        # Where nothing alive arrives, what is left comes from rounding.
        zero = (array == 0) | (np.abs(array) <= near * asked.top) | (alive == 0)
        labels[zero & (anything == 0)] = self._label([Reason(step.node, slot, "slope")])
        summed = zero & (alive != 0)
        labels[summed] = self._label([Reason(step.node, slot, "cancels")])
        scaled = asked.of_scaled(slot) if (array[summed] == 0).any() else None
        if scaled is not None:
            small = summed & (array == 0) & (np.abs(scaled) > near)
            labels[small] = self._label([Reason(step.node, slot, "too small")])
        if operation(step.node) in ("softmax", "logsoftmax"):  # each entry depends on all results
            dim = signed(step.node._saved_dim)
            certain = (asked.value(0) != 0).any(axis=dim if array.ndim else None, keepdims=True)
            labels[zero & (labels == 0) & certain] = self._label([Reason(step.node, slot, "slope")])
        waiting = zero & (labels == 0)
        for label in found - {0}:
            reached = asked.of_label(label, slot) if waiting.any() else None
            if reached is not None:
                more = np.where(waiting & (reached != 0), label, 0)
                labels = self._joined(labels, more)
        labels[zero & (labels == 0)] = self._label([Reason(step.node, slot, "unknown")])
        return labels


class _Asked:
    """The answers of one node for other gradients than the one that arrived, computed when needed."""

    def __init__(self, library: Any, step: Ran, came: Sequence[Array | None]) -> None:
        self._library, self._step, self._came = library, step, came
        self._known: dict[str, list[Array | None] | None] = {}

        values = [self.value(n) for n in range(len(came))]
        self.top = max((float(np.abs(v).max()) for v in values if v is not None and v.size), default=0.0)
        self._scaled = [None if v is None else v / (self.top or 1.0) for v in values]

    def of_anything(self, slot: int) -> Array | None:
        """What it sends if every entry that arrives differs from 0."""
        return self._once("anything", slot, [None if c is None else _drawn(c.shape) for c in self._came])

    def of_alive(self, slot: int) -> Array | None:
        """The size of what it sends if only the entries differ from 0 that did, in about their proportions."""
        draws = [
            self._once(f"alive {n}", slot, [None if v is None else v * _drawn(v.shape, n) for v in self._scaled])
            for n in range(_DRAWS)
        ]
        known = [np.abs(draw) for draw in draws if draw is not None]
        return np.max(known, axis=0) if len(known) == _DRAWS else None

    def of_scaled(self, slot: int) -> Array | None:
        """What it sends for the gradient that arrived, scaled to 1."""
        return self._once("scaled", slot, self._scaled)

    def of_label(self, label: int, slot: int) -> Array | None:
        """What it sends if only the entries with this label differ from 0."""
        given = [None if c is None else np.where(c == label, _drawn(c.shape), 0.0) for c in self._came]
        return self._once(f"label {label}", slot, given)

    def value(self, number: int) -> Any:
        """The gradient that arrived at an output, without what is 0 up to rounding."""
        array, labels = self._step.came[number], self._came[number]
        if labels is None:
            return None
        return np.zeros(labels.shape) if array is None else np.where(labels == 0, array, 0).astype(np.float64)

    def _once(self, key: str, slot: int, given: Sequence[Array | None]) -> Array | None:
        if key not in self._known:
            self._known[key] = ask(self._step, given, self._library)
        answer = self._known[key]
        return None if answer is None else answer[slot]


def _drawn(shape: tuple[int, ...], seed: int = 0) -> Array:
    """Numbers between 1 and 2 of both signs, which no operation with slopes adds up to 0."""
    random = np.random.default_rng(seed)
    return (1 + random.random(shape)) * random.choice([-1.0, 1.0], shape)


def _precision(array: Array) -> float:
    return min(4e-3, _ROUNDING * float(np.finfo(array.dtype).eps)) if array.dtype.kind == "f" else 0.0


def _shape(node: Any, number: int) -> tuple[int, ...] | None:
    if hasattr(node, "variable"):
        return tuple(int(size) for size in node.variable.shape)
    try:
        return tuple(int(size) for size in node._input_metadata[number].shape)
    except (AttributeError, IndexError, TypeError, RuntimeError):
        return None
