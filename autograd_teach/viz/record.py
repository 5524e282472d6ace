"""The backward pass, recorded step by step: which node ran, why then, what came in, what went out, what a leaf's `.grad` became.

The pass is really run, by the engine that the tensor belongs to, with a hook on each node, but through `autograd.grad` with
`retain_graph=True`: that computes the same gradients in the same order, writes no `.grad` and frees nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograd_teach.viz.facts import NO_GRAD_YET, Facts, as_array, facts, shape_text
from autograd_teach.viz.snapshot import Edge, Snapshot, Taken

MOST_STEPS = 300
_MOST_BARS = 8
NOTHING = "nothing (None)"


@dataclass
class Sent:
    """A gradient on its way along one edge, and how many its target still waits for once it is there."""

    edge: str
    to: str
    target: str
    text: str
    missing: int
    waits_for: int


@dataclass
class Step:
    """One node runs."""

    node: str
    runs: str
    because: str
    came_in: list[str]
    goes_out: list[Sent] = field(default_factory=list)
    before: str = ""
    arriving: str = ""
    after: str = ""
    after_short: str = ""
    bars: list[tuple[float, float]] = field(default_factory=list)
    """For a leaf of few elements: each element's `.grad` before (0 where there was none) and what arrives."""
    had_grad: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether this step adds into a leaf's `.grad`."""
        return bool(self.after)

    def came_and_went(self) -> list[tuple[str, str]]:
        """Rows for a table: what came in beside what goes out, as many rows as the longer has."""
        if self.is_leaf:
            went = [f"{self.runs.partition(' of ')[2]}.grad: {self.before} -> {self.after}"]
        else:
            went = [f"to {sent.to}: {sent.text}{_still(sent)}" for sent in self.goes_out] or ["nowhere"]
        count = max(len(self.came_in), len(went))
        return list(zip(_padded(self.came_in, count), _padded(went, count), strict=True))


def _padded(texts: list[str], count: int) -> list[str]:
    return texts + [""] * (count - len(texts))


def _still(sent: Sent) -> str:
    return f" (waits for {sent.missing} more)" if sent.missing else ""


@dataclass
class Recording:
    """A snapshot and the steps of the backward pass through it."""

    snapshot: Snapshot
    steps: list[Step] = field(default_factory=list)
    waiting: dict[str, int] = field(default_factory=dict)
    """How many gradients each node waits for before the pass starts."""


def record(output: Any, gradient: Any, taken: Taken) -> Recording:
    """Run the backward pass from `output` and write down its steps; a pass that cannot run becomes a sentence."""
    recording = Recording(taken.snapshot)
    refusal = _refusal(output, gradient, taken.snapshot)
    if refusal:
        taken.snapshot.notes.append(refusal)
        return recording
    recording.waiting = waiting_counts(taken.snapshot)
    try:
        ran, arrived = _run(output, gradient, taken)
    # Whatever stops a backward pass: freed, changed in place, or a bug of a student's own backward.
    except Exception as error:  # noqa: BLE001
        first = str(error).strip().partition("\n")[0].partition(". ")[0].rstrip(".")
        taken.snapshot.notes.append(f"The backward pass stops with {type(error).__name__}: {first}.")
        return recording
    _write_steps(recording, taken, ran, arrived)
    return recording


def _refusal(output: Any, gradient: Any, snapshot: Snapshot) -> str:
    if not any(node.kind == "operation" for node in snapshot.nodes):
        return "" if snapshot.notes else "There is no backward pass to play: no operation was recorded."
    if len(snapshot.nodes) > MOST_STEPS:
        return f"The backward pass has {len(snapshot.nodes):,} nodes, too many to step through (limit {MOST_STEPS}): play a smaller part."
    if gradient is None and int(np.prod(output.shape, dtype=np.int64)) != 1:
        return (
            "backward needs a scalar to start from, and this output has "
            f"shape {shape_text(tuple(output.shape))}: sum it up, or give viz.play(output, gradient=...) of the same shape."
        )
    return ""


def waiting_counts(snapshot: Snapshot) -> dict[str, int]:
    """For every node, over how many edges gradients will reach it."""
    counts = {node.id: 0 for node in snapshot.nodes if node.kind != "output"}
    for edge in snapshot.edges:
        counts[edge.target] += 1
    return counts


@dataclass
class _Ran:
    node: str
    came_in: list[Facts | None]
    sent: list[Any]
    """Copies of the gradients that left, in the order of `next_functions`."""


def _run(output: Any, gradient: Any, taken: Taken) -> tuple[list[_Ran], dict[str, Any]]:
    """The real backward pass, watched by a hook on each operation; beside it what arrived at each leaf in all."""
    ran: list[_Ran] = []
    leaves = [node.id for node in taken.snapshot.nodes if node.kind == "leaf"]
    handles = []
    kept = [(tensor, tensor.grad) for tensor in taken.retaining]
    try:
        for node in taken.snapshot.nodes:
            if node.kind == "operation":
                handles.append(taken.live[node.id].register_hook(_writer(node.id, ran)))
        library = importlib.import_module(_library_of(output) + ".autograd")
        arrived = library.grad(
            output,
            [taken.live[leaf] for leaf in leaves],
            gradient,
            retain_graph=True,
            allow_unused=True,
        )
    finally:
        for handle in handles:
            handle.remove()
        for (
            tensor,
            grad,
        ) in kept:  # a tensor that retains its gradient would have got one from this pass
            tensor.grad = grad
    return ran, {leaf: _copied(grad) for leaf, grad in zip(leaves, arrived, strict=True)}


def _library_of(tensor: Any) -> str:
    """The package whose tensors these are: ours or PyTorch, also for a subclass that a program defines."""
    for kind in type(tensor).__mro__:
        package = kind.__module__.partition(".")[0]
        if package in ("autograd_teach", "torch"):
            return package
    return type(tensor).__module__.partition(".")[0]


def _writer(node_id: str, ran: list[_Ran]) -> Any:
    def write(grad_inputs: Any, grad_outputs: Any) -> None:
        came_in = [None if g is None else facts(g) for g in grad_outputs]
        ran.append(_Ran(node_id, came_in, [_copied(g) for g in grad_inputs]))

    return write


def _copied(tensor: Any) -> Any:
    array = None if tensor is None else as_array(tensor)
    return None if array is None else np.array(array)


def _write_steps(recording: Recording, taken: Taken, ran: list[_Ran], arrived: Mapping[str, Any]) -> None:
    snapshot = recording.snapshot
    children = snapshot.children()
    roots = _roots(snapshot)
    missing = dict(recording.waiting)
    arrivals: dict[str, list[str]] = {node.id: [] for node in snapshot.nodes}
    for one in ran:
        node = snapshot.node(one.node)
        because = _because(recording.waiting[one.node], one.node in roots)
        step = Step(one.node, node.title, because, _came_in(arrivals[one.node], _texts(one.came_in)))
        recording.steps.append(step)
        complete: list[str] = []
        for edge, gradient in zip(children[one.node], one.sent, strict=False):
            target = snapshot.node(edge.target)
            if target.kind == "constant":
                continue
            missing[edge.target] -= 1
            step.goes_out.append(_sent(recording, edge, gradient, missing[edge.target]))
            arrivals[edge.target].append(f"{step.goes_out[-1].text} from {node.title}")
            if target.kind == "leaf" and missing[edge.target] == 0:
                complete.append(edge.target)
        # AccumulateGrad goes before every other node that is ready, so a leaf's step follows at once.
        recording.steps += [
            _leaf_step(recording, leaf, taken.live[leaf], arrived[leaf], arrivals[leaf]) for leaf in complete
        ]


def _roots(snapshot: Snapshot) -> set[str]:
    return {edge.target for edge in snapshot.edges if snapshot.node(edge.source).kind == "output"}


def _because(waits_for: int, root: bool) -> str:
    if root:
        return "backward starts here"
    return (
        "its only gradient is there"
        if waits_for == 1
        else f"the last of its {waits_for} gradients is there; they are summed"
    )


def _texts(came_in: list[Facts | None]) -> list[str]:
    several = len(came_in) > 1
    return [(f"output {i}: " if several else "") + _text(f) for i, f in enumerate(came_in)]


def _came_in(arrivals: list[str], total: list[str]) -> list[str]:
    """What a node received: several contributions are told one by one, then their sum."""
    return total if len(arrivals) < 2 else [*arrivals, *(f"sum: {text}" for text in total)]


def _text(found: Facts | None) -> str:
    if found is None:
        return NOTHING
    if found.in_full:
        return found.text
    return str(found)


def _sent(recording: Recording, edge: Edge, gradient: Any, missing: int) -> Sent:
    target = recording.snapshot.node(edge.target)
    text = NOTHING if gradient is None else _text(facts(gradient))
    name = target.title + (f", its output {edge.number}" if edge.number else "")
    return Sent(edge.id, name, target.id, text, missing, recording.waiting[edge.target])


def _leaf_step(recording: Recording, leaf: str, tensor: Any, arriving: Any, arrivals: list[str]) -> Step:
    node = recording.snapshot.node(leaf)
    had = as_array(tensor.grad) if tensor.grad is not None else None
    came = NOTHING if arriving is None else _text(facts(arriving))
    total = had if arriving is None else arriving if had is None else had + arriving
    step = Step(
        leaf,
        f"AccumulateGrad of {node.title}",
        _because(recording.waiting[leaf], False),
        _came_in(arrivals, [came]),
        before=NO_GRAD_YET if had is None else _text(facts(had)),
        arriving=came,
        after=NO_GRAD_YET if total is None else _text(facts(total)),
        after_short=NO_GRAD_YET if total is None else facts(total).short,
        had_grad=had is not None,
    )
    if arriving is not None and arriving.size <= _MOST_BARS and arriving.dtype.kind == "f":
        start = np.zeros_like(arriving) if had is None else had
        pairs = zip(np.ravel(start).tolist(), np.ravel(arriving).tolist(), strict=True)
        step.bars = [(float(b), float(a)) for b, a in pairs]
    return step
