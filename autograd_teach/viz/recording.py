"""Recording of a backward pass: which node ran at each step, why, what came in, what went out.

The engine of the tensors really runs the pass, with a hook on each node. It runs through
`autograd.grad` with `retain_graph=True`: this computes the same gradients in the same order, but it
does not change any `.grad` and does not free the graph. A reader's own engine does not have this
function. There `backward` is called, and afterwards each leaf gets its old `.grad` back.

The chain rule at each edge is added after the pass, from the local derivatives of every node
(slopes.py).
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from autograd_teach.viz import arithmetic
from autograd_teach.viz.facts import (
    LIBRARIES,
    NO_GRAD_YET,
    Facts,
    as_array,
    facts,
    first_line,
    is_tensor,
    library_of,
    number,
    shape_text,
)
from autograd_teach.viz.heat import heat
from autograd_teach.viz.rules import Rule, rule
from autograd_teach.viz.slopes import MOST_ASKED, MOST_ASKED_ON_REQUEST, Local, given_by, local_derivatives, precision
from autograd_teach.viz.snapshot import Edge, Node, Snapshot, Taken
from autograd_teach.viz.unsupported import unsupported

MOST_STEPS = 300
_MOST_BARS = 8
_LONGEST_NAME, _LONGEST_FORMULA = 8, 24
_OPTIONS = {"k": "_saved_exponent"}
NOTHING = "nothing (None)"


@dataclass
class Sent:
    """A gradient sent along one edge, and how many gradients its target waits for afterwards."""

    edge: str
    to: str
    target: str
    text: str
    missing: int
    waits_for: int
    local: Local | None = None
    """The local derivative; None if it could not be computed."""
    formula: str = ""
    """The local derivative as a formula, `2 · u`; empty if no rule is known."""
    label: list[str] = field(default_factory=list)
    """The lines beside the edge: what came in × the local derivative = what goes out."""
    size: float = 0.0
    """The largest absolute value of the gradient's entries."""
    given: str = ""
    """If a hook changed the gradient: what the node itself gave."""
    hook: str = ""
    """The words for what changed it."""

    @property
    def told(self) -> str:
        """The gradient that is sent; if its numbers are written in full, with their arithmetic."""
        line = " ".join(self.label)
        line = f"g {line}" if line[:1] in {"×", "@"} else line  # what came in is too long to be repeated
        plain = f"{self.given} ({self.hook} makes it {self.text})" if self.given else self.text
        return plain if not line or "shape" in line or self.text.startswith("shape") else line


@dataclass
class Step:
    """One step of the pass: one node runs."""

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
    """For a leaf with few elements: each element's `.grad` before (0 if None) and what arrives."""
    had_grad: bool = False
    received: str = ""
    """The total that came in, shortened; for a node with several outputs, one after the other."""
    total: str = ""
    """The sum of several contributions, written out: `2 + 5 = 7`."""
    hooked: str = ""
    """What came in before a hook changed it; empty if none did."""
    maps: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Heat maps (`heat.heat`) of large gradients, by row: `came in`, `arriving`, `grad after`."""

    @property
    def is_leaf(self) -> bool:
        """Whether this step adds to a leaf's `.grad`."""
        return bool(self.after)

    def came_and_went(self) -> list[tuple[str, str]]:
        """Rows for a table: what came in, beside what goes out; the shorter column is padded."""
        if self.is_leaf:
            went = [f"{grad_of(self.runs.partition(' of ')[2])}: {self.before} -> {self.after}"]
        else:
            went = [f"to {sent.to}: {sent.told}{_still(sent)}" for sent in self.goes_out] or ["nowhere"]
        count = max(len(self.came_in), len(went))
        return list(zip(_padded(self.came_in, count), _padded(went, count), strict=True))


def grad_of(leaf: str) -> str:
    """The text for a leaf's gradient: `w.grad`, or `.grad of the unnamed leaf`."""
    return f".grad of the {leaf}" if leaf.startswith("unnamed leaf") else f"{leaf}.grad"


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
    starts: dict[str, tuple[str, float]] = field(default_factory=dict)
    """For each edge from an output, the gradient that the pass starts with: as text, and its size."""
    leaves: dict[str, Any] = field(default_factory=dict)
    """The leaves of the pass, by the ids of their nodes."""
    arrived: Mapping[str, Any] = field(default_factory=dict)
    """The total gradient that arrived at each of these leaves, as an array.

    None if there was none.
    """
    large: dict[str, Callable[[], list[Local | None]]] = field(default_factory=dict)
    """For each node with a large Jacobian: a function that computes it on request."""
    formulas: dict[str, Formula] = field(default_factory=dict)
    """What each operation computed."""


def record(output: Any, gradient: Any, taken: Taken) -> Recording:
    """Run the backward pass from one tensor or several and record its steps.

    An error becomes a sentence.
    """
    outputs = [t for t in (output if isinstance(output, (list, tuple)) else [output]) if is_tensor(t)]
    gradients = list(gradient) if isinstance(gradient, (list, tuple)) else [gradient]
    gradients += [None] * (len(outputs) - len(gradients))
    recording = Recording(taken.snapshot)
    if not any(node.kind == "operation" for node in taken.snapshot.nodes):
        if not taken.snapshot.notes:
            taken.snapshot.notes.append("There is no backward pass to play: no operation was recorded.")
        return recording
    what = unsupported(outputs, taken.live.values())
    refusal = f"play does not support {what}." if what else _refusal(outputs, gradients, taken.snapshot)
    if refusal:
        taken.snapshot.notes.append(refusal)
        return recording
    if any(is_tensor(g) and g.grad_fn is not None for g in gradients):
        taken.snapshot.notes.append(
            "The gradient that the pass starts from is the result of an operation: if it is a second loss, write "
            "viz.play([loss1, loss2])."
        )
    recording.waiting = waiting_counts(taken.snapshot)
    recording.formulas = formulas(taken)
    try:
        ran, arrived = _run(outputs, gradients, taken)
    # Any error: a freed graph, a tensor changed in place, or a bug in a student's own backward.
    except Exception as error:  # noqa: BLE001
        first = first_line(error)
        # The engine's messages are long, so only their first sentence; of other errors, the whole
        # line.
        first = first.partition(". ")[0] if type(error) is RuntimeError else first
        first = first.rstrip(".")
        taken.snapshot.notes.append(f"The backward pass stops with {type(error).__name__}: {first}.")
        return recording
    late = [
        taken.snapshot.node(i).title for i in arrived if getattr(taken.live[i], "_post_accumulate_grad_hooks", None)
    ]
    taken.snapshot.notes += [
        f"{grad_of(leaf)} has a hook that runs when backward has written it: this recording does not run it."
        for leaf in late
    ]
    recording.arrived, recording.leaves = arrived, {leaf: taken.live[leaf] for leaf in arrived}
    _write_steps(recording, taken, ran, arrived, _starts(outputs, gradients, taken))
    return recording


def _refusal(outputs: Sequence[Any], gradients: Sequence[Any], snapshot: Snapshot) -> str:
    if len(snapshot.nodes) > MOST_STEPS:
        return f"The backward pass has {len(snapshot.nodes):,} nodes, too many to step through (limit {MOST_STEPS}): play a smaller part."
    if len(gradients) > len(outputs):
        return f"There are {len(gradients)} gradients to start from, but {len(outputs)} outputs: give one for each."
    for tensor, gradient in zip(outputs, gradients, strict=True):
        if tensor.grad_fn is None:
            return "One of the outputs is a leaf, so no operation would run from it: play the other outputs without it."
        if gradient is None and int(np.prod(tensor.shape, dtype=np.int64)) != 1:
            return (
                "backward needs a scalar to start from, and this output has "
                f"shape {shape_text(tuple(tensor.shape))}: sum it, or write viz.play(output, gradient=...) with that shape."
            )
    return ""


def _starts(outputs: Sequence[Any], gradients: Sequence[Any], taken: Taken) -> list[tuple[Edge, Any]]:
    """The edges from the outputs, each with the gradient that backward starts with."""
    edges = [e for e in taken.snapshot.edges if taken.snapshot.node(e.source).kind == "output"]
    # A reader's own engine may start from a plain number.
    given = [np.ones(tuple(t.shape)) if g is None else g for t, g in zip(outputs, gradients, strict=True)]
    given = [g if hasattr(g, "shape") else np.asarray(g) for g in given]
    return list(zip(edges, given, strict=True))


def waiting_counts(snapshot: Snapshot) -> dict[str, int]:
    """For every node, the number of edges over which gradients will reach it."""
    counts = {node.id: 0 for node in snapshot.nodes if node.kind != "output"}
    for edge in snapshot.edges:
        counts[edge.target] += 1
    return counts


@dataclass
class Formula:
    """What an operation computes and sends on, in the names of its arguments, if a rule is known."""

    rule: Rule | None
    arguments: list[str]
    options: dict[str, str]
    known_before: list[str]
    """The arguments that have a name, or a value that is known before the forward pass."""

    @property
    def computes(self) -> str:
        """What the operation computes, `a · b`; empty if there is no formula."""
        text = (self.rule.computes_with(self.arguments, self.options) or "") if self.rule else ""
        return text if len(text) <= _LONGEST_FORMULA else ""

    @property
    def asks(self) -> str:
        """The same before the forward pass: without the values of other operations."""
        hidden = Formula(self.rule, self.known_before, self.options, self.known_before)
        return hidden.computes

    def slope(self, slot: int) -> str:
        """The local slope of an input as a formula; empty if the rule does not give slopes."""
        known = self.rule if self.rule and slot < len(self.rule.slopes) else None
        return (known.slope_with(slot, self.arguments, self.options) or "") if known else ""

    def sends(self, slot: int) -> str:
        """The gradient that an input gets for the gradient `g`; empty if the rule gives slopes."""
        known = self.rule if self.rule and slot < len(self.rule.sends) else None
        return (known.sends_with(slot, self.arguments, self.options) or "") if known else ""


def formulas(taken: Taken) -> dict[str, Formula]:
    """The formula of each operation.

    Its arguments appear as names, as values, or as in the rule.
    """
    snapshot = taken.snapshot
    inputs_of = {i: [snapshot.node(edge.target) for edge in edges] for i, edges in snapshot.children().items()}
    found = {}
    outputs = [snapshot.node(i) for i in snapshot.outputs]
    above = {node.id: _name(output) for output in outputs for node in inputs_of[output.id]}
    for node in snapshot.nodes:
        if node.kind == "operation":
            plain = rule(node.name)
            known = plain.beside(snapshot.names) if plain and _has_its_form(taken.live[node.id], plain) else None
            options = {name: _option(taken.live[node.id], name) for name in (plain.options if plain else ())}
            inputs = inputs_of[node.id]
            arguments = [_argument(each, inputs_of[each.id]) for each in inputs]
            options["y"] = _name(node) or above.get(node.id, "")
            before = [
                text if _name(argument) or argument.kind != "operation" else ""
                for text, argument in zip(arguments, inputs, strict=True)
            ]
            found[node.id] = Formula(known, arguments, options, before)
    return found


def _has_its_form(live: Any, known: Rule) -> bool:
    """Whether an operation computes the formula of its rule: no option that is not in it changes it."""
    plain = {"alpha": 1, "beta": 1, "approximate": "none"}
    return all(name in known.options or getattr(live, f"_saved_{name}", own) == own for name, own in plain.items())


def _option(live: Any, name: str) -> str:
    """A further argument that the node saved, for example an exponent; empty if it did not."""
    value = getattr(live, _OPTIONS.get(name, ""), None) if name in _OPTIONS else None
    return number(value) if isinstance(value, (int, float)) else ""


def _name(node: Node) -> str:
    """The program's name for a value, if it is short enough for a formula."""
    fits = node.variable.isidentifier() and len(node.variable) <= _LONGEST_NAME and node.variable != "output"
    return node.variable if fits else ""


def _argument(node: Node, inputs: Sequence[Node]) -> str:
    """A short text for an argument in a formula; empty if there is none. inputs: of the operation that computes it."""
    if name := _name(node):
        return name
    if node.name == "TBackward0" and (name := _name(inputs[0])):
        return f"{name}ᵀ"
    value = node.value
    if value is None or value.shape or not value.in_full or len(value.text) > _LONGEST_NAME:
        return ""
    return value.text


@dataclass
class _Ran:
    node: str
    came_in: list[Facts | None]
    maps: list[dict[str, Any]]
    arrays: list[Any]
    """Copies of the gradients that came in, after tensor hooks."""
    sent: list[Any]
    """Copies of the gradients that were sent on, in the order of `next_functions`."""
    gradients: Sequence[Any]
    """The gradients that came in: templates for slopes.py."""
    rtol: float
    """The relative tolerance for these gradients."""

    @property
    def example(self) -> Any:
        """The gradient that came in, if the node has one output."""
        return self.gradients[0] if len(self.gradients) == 1 else None


def _run(outputs: Sequence[Any], gradients: Sequence[Any], taken: Taken) -> tuple[list[_Ran], dict[str, Any]]:
    """Run the backward pass with a hook on each operation.

    Return what ran, and the total gradient of each leaf.
    """
    ran: list[_Ran] = []
    # A leaf whose `requires_grad` was set to False after the forward pass does not get a gradient.
    leaves = [node.id for node in taken.snapshot.nodes if node.kind == "leaf" and taken.live[node.id].requires_grad]
    handles = []
    kept = [(tensor, tensor.grad) for tensor in taken.retaining]
    try:
        for node in taken.snapshot.nodes:
            if node.kind == "operation":
                handles.append(taken.live[node.id].register_hook(_writer(node.id, ran)))
        arrived = _pass(outputs, [taken.live[leaf] for leaf in leaves], gradients)
    finally:
        for handle in handles:
            handle.remove()
        for (
            tensor,
            grad,
        ) in kept:  # undo what this pass wrote to tensors with `retain_grad`
            tensor.grad = grad
    return ran, {leaf: _copied(grad) for leaf, grad in zip(leaves, arrived, strict=True)}


def _pass(outputs: Sequence[Any], leaves: Sequence[Any], gradients: Sequence[Any]) -> Sequence[Any]:
    """The gradients of the leaves, by one backward pass of the tensors' engine."""
    library = library_of(outputs[0])
    if library in LIBRARIES:
        autograd = importlib.import_module(library + ".autograd")
        found: Sequence[Any] = autograd.grad(outputs, leaves, gradients, retain_graph=True, allow_unused=True)
        return found
    if len(outputs) > 1:
        raise NotImplementedError("with an engine of your own, play one output at a time")
    had = [leaf.grad for leaf in leaves]
    try:
        for leaf in leaves:
            leaf.grad = None
        outputs[0].backward(*(gradient for gradient in gradients if gradient is not None))
        return [leaf.grad for leaf in leaves]
    finally:
        for leaf, grad in zip(leaves, had, strict=True):
            leaf.grad = grad


def _writer(node_id: str, ran: list[_Ran]) -> Any:
    def write(grad_inputs: Any, grad_outputs: Any) -> None:
        came_in = [None if g is None else facts(g) for g in grad_outputs]
        maps = [found for g in grad_outputs if g is not None and (found := _map(as_array(g))) is not None]
        arrays, sent = [_copied(g) for g in grad_outputs], [_copied(g) for g in grad_inputs]
        rtol = max((precision(g) for g in (*grad_inputs, *grad_outputs) if g is not None), default=0.0)
        ran.append(_Ran(node_id, came_in, maps, arrays, sent, tuple(grad_outputs), rtol))

    return write


def _map(array: Any) -> dict[str, Any] | None:
    """The heat map of a gradient that is too large to be written in full."""
    return None if array is None or facts(array).in_full else heat(array)


def _copied(tensor: Any) -> Any:
    array = None if tensor is None else as_array(tensor)
    return None if array is None else np.array(array)


@dataclass
class _Arrival:
    text: str
    number: int
    """The output of the node that it belongs to."""
    array: Any


def _write_steps(
    recording: Recording, taken: Taken, ran: list[_Ran], arrived: Mapping[str, Any], starts: list[tuple[Edge, Any]]
) -> None:
    snapshot = recording.snapshot
    children = snapshot.children()
    missing = dict(recording.waiting)
    arrivals: dict[str, list[_Arrival]] = {node.id: [] for node in snapshot.nodes}
    started: Counter[str] = Counter()
    for edge, start in starts:
        missing[edge.target] -= 1
        started[edge.target] += 1
        text = f"{_text(facts(start))}, with which backward starts"
        recording.starts[edge.id] = (
            " ".join(arithmetic.product(None, None, _copied(start))),
            arithmetic.size(_copied(start)),
        )
        arrivals[edge.target].append(_Arrival(text, edge.number, _copied(start)))
    for one in ran:
        node = snapshot.node(one.node)
        because = _because(arrivals[one.node], started[one.node])
        step = Step(one.node, node.title, because, _came_in(arrivals[one.node], one.came_in, one.arrays, one.rtol))
        if one.maps:
            step.maps["came in"] = one.maps
        recording.steps.append(step)
        step.total = _total(arrivals[one.node])
        step.hooked = "; ".join(_hooked(arrivals[one.node], one.arrays, one.rtol).values())
        step.received = "; ".join(arithmetic.brief(array) for array in one.arrays if array is not None)
        complete: list[str] = []
        locals_ = _locals(taken.live[one.node], one)
        own = given_by(taken.live[one.node], one.gradients, one.arrays)
        own += [None] * (len(one.sent) - len(own))
        hook = "a hook or its own backward" if hasattr(taken.live[one.node], "apply") else "a hook"
        if any(found is not None and found.kind == "block" and not found.in_full for found in locals_):
            recording.large[one.node] = partial(_locals, taken.live[one.node], one, MOST_ASKED_ON_REQUEST)
        for slot, (edge, gradient) in enumerate(zip(children[one.node], one.sent, strict=False)):
            target = snapshot.node(edge.target)
            if target.kind == "constant":
                continue
            missing[edge.target] -= 1
            step.goes_out.append(_sent(recording, edge, gradient, missing[edge.target]))
            _explain(step.goes_out[-1], recording.formulas[one.node], slot, one, locals_[slot], own[slot], hook)
            text = f"{step.goes_out[-1].text} from {node.title}"
            arrivals[edge.target].append(_Arrival(text, edge.number, gradient))
            if target.kind == "leaf" and missing[edge.target] == 0:
                complete.append(edge.target)
        # AccumulateGrad runs before every other node that is ready, so a leaf's step follows at
        # once.
        recording.steps += [
            _leaf_step(recording, leaf, taken.live[leaf], arrived.get(leaf), arrivals[leaf]) for leaf in complete
        ]


def _locals(live: Any, one: _Ran, most: int = MOST_ASKED) -> list[Local | None]:
    """The local derivative along each edge; None if it cannot be computed."""
    if one.example is None:
        return [None] * len(one.sent)
    found = local_derivatives(live, one.example, [gradient is not None for gradient in one.sent], most)
    # PyTorch's engine adds up what a node sends to an argument that was expanded: of such a node,
    # the Jacobian is not that of the argument.
    return [
        None if local and local.kind == "block" and gradient is not None and local.columns != gradient.size else local
        for local, gradient in zip(found, one.sent, strict=True)
    ]


def _explain(sent: Sent, formula: Formula, slot: int, one: _Ran, local: Local | None, own: Any, hook: str) -> None:
    """Add to a sent gradient how it was computed.

    own: what the node itself gives; None if that is not known. hook: the words for what changed it.
    """
    gradient = one.sent[slot]
    if own is None or gradient is None or own.shape != gradient.shape or arithmetic.equal(own, gradient, rtol=one.rtol):
        own = gradient
    else:
        sent.given, sent.hook = _text(facts(own)), hook
    came = one.arrays[0] if len(one.arrays) == 1 else None
    sent.local, sent.size, sent.formula = local, arithmetic.size(gradient), formula.slope(slot)
    sent.label = arithmetic.product(came, local, own, sent.formula, formula.sends(slot))
    sent.label += [f"({hook} makes it {arithmetic.brief(gradient)})"] if sent.given else []


def _total(arrivals: list[_Arrival]) -> str:
    """The sum of several contributions to the same output, written out."""
    return arithmetic.total([arrival.array for arrival in arrivals]) if len({a.number for a in arrivals}) == 1 else ""


def _because(arrivals: list[_Arrival], started: int) -> str:
    """Why a node can run: all its gradients are there; those for the same output are summed."""
    count = len(arrivals)
    if started == count:
        return "backward starts here" + (f" with {count} gradients; they are summed" if _summed(arrivals) else "")
    if count == 1:
        return "its only gradient is there"
    summed = _summed([arrival for arrival in arrivals if arrival.array is not None])
    return f"the last of its {count} gradients is there" + "; they are summed" * summed


def _summed(arrivals: list[_Arrival]) -> bool:
    return max(Counter(arrival.number for arrival in arrivals).values(), default=0) > 1


def _came_in(arrivals: list[_Arrival], total: Sequence[Facts | None], arrays: Sequence[Any], rtol: float) -> list[str]:
    """What a node received: each contribution, their sum, and what a hook changed."""
    outputs = [f"output {i}: " if len(total) > 1 else "" for i in range(len(total))]
    hooked = _hooked(arrivals, arrays, rtol)
    told = [outputs[a.number] + a.text for a in arrivals] if _summed(arrivals) else []
    for place, (found, array) in enumerate(zip(total, arrays, strict=True)):
        sent = [a.array for a in arrivals if a.number == place and a.array is not None]
        text = _text(found)
        text = f"{hooked[place]}; a hook makes it {text}" if place in hooked else arithmetic.total(sent) or text
        told.append("sum: " * _summed(arrivals) + outputs[place] + text)
    return told


def _hooked(arrivals: list[_Arrival], arrays: Sequence[Any], rtol: float) -> dict[int, str]:
    """For each output whose gradient a hook changed after it had arrived: the gradient that arrived."""
    found = {}
    for place, array in enumerate(arrays):
        sent = [a.array for a in arrivals if a.number == place and a.array is not None]
        if sent and array is not None:
            total = np.asarray(sum(sent))
            if not arithmetic.equal(total, array, max(map(arithmetic.size, sent)), rtol):
                found[place] = _text(facts(total))
    return found


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


def _leaf_step(recording: Recording, leaf: str, tensor: Any, arriving: Any, arrivals: list[_Arrival]) -> Step:
    node = recording.snapshot.node(leaf)
    had = as_array(tensor.grad) if tensor.grad is not None else None
    came = NOTHING if arriving is None else _text(facts(arriving))
    total = had if arriving is None else arriving if had is None else had + arriving
    step = Step(
        leaf,
        f"AccumulateGrad of {node.title}",
        _because(arrivals, 0),
        _came_in(arrivals, [None if arriving is None else facts(arriving)], [arriving], precision(tensor)),
        before="None" if had is None else _text(facts(had)),
        arriving=came,
        after="None" if total is None else _text(facts(total)),
        after_short=NO_GRAD_YET if total is None else facts(total).short,
        had_grad=had is not None,
        total=_total(arrivals),
    )
    step.hooked = "".join(_hooked(arrivals, [arriving], precision(tensor)).values())
    # If the leaf did not have a gradient, what arrives is its new gradient: one map is enough.
    arrays = {"arriving": None if had is None else arriving, "grad after": total}
    step.maps = {head: [found] for head, array in arrays.items() if (found := _map(array)) is not None}
    if arriving is not None and arriving.size <= _MOST_BARS and arriving.dtype.kind == "f":
        start = np.zeros_like(arriving) if had is None else had
        pairs = zip(np.ravel(start).tolist(), np.ravel(arriving).tolist(), strict=True)
        step.bars = [(float(b), float(a)) for b, a in pairs]
    return step
