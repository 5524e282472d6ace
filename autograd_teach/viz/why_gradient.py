"""Run the backward pass to one tensor and find what makes its gradient NaN, zero, tiny or huge.

The pass is `autograd.grad` with `retain_graph=True`: it does not change any `.grad` and does not
free the graph. For every node on a path to the tensor, what came in and what it sent on is copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograd_teach.viz.facts import as_array, facts, is_tensor, output_number
from autograd_teach.viz.recording import _pass, library_of
from autograd_teach.viz.snapshot import MOST_WALKED, short_name
from autograd_teach.viz.watch import seen

Array = np.ndarray[Any, Any]

TINY, HUGE = 1e-6, 1e6
"""A gradient below or above these factors of the starting gradient is vanishing or exploding."""


@dataclass
class Graph:
    """The nodes behind a loss, leaves first, and the ones that are on a path to the tensor."""

    nodes: list[Any]
    target: Any
    """The node at which the tensor's gradient arrives; None if no path leads there."""
    number: int
    """The output number of the tensor at its node."""
    on_way: set[int] = field(default_factory=set)
    """The `id` of each node on a path, including the target."""
    complete: bool = True


def walk(loss: Any, w: Any) -> Graph:
    """Read the graph behind `loss`, without recursion."""
    root, order = loss.grad_fn, []
    entered: set[int] = set()
    most = MOST_WALKED if library_of(loss) == "torch" else float("inf")
    stack = [] if root is None else [(root, False)]
    while stack and len(entered) < most:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in entered:
            entered.add(id(node))
            stack.append((node, True))
            stack += [(child, False) for child, _ in node.next_functions if child is not None]
    own = w.grad_fn
    is_target: Callable[[Any], bool] = (
        (lambda node: node is own) if own is not None else (lambda node: getattr(node, "variable", None) is w)
    )
    graph = Graph(order, next((node for node in order if is_target(node)), None), output_number(w), complete=not stack)
    if graph.target is not None:
        graph.on_way.add(id(graph.target))
        for node in order:  # children come first
            if any(id(child) in graph.on_way for child, _ in node.next_functions):
                graph.on_way.add(id(node))
        if not _used_output(graph, loss):
            graph.target = None
    return graph


def _used_output(graph: Graph, loss: Any) -> bool:
    """Whether a path leads to this output of the node, not only to another output."""
    if loss.grad_fn is graph.target and output_number(loss) == graph.number:
        return True
    return any(
        child is graph.target and number == graph.number
        for node in graph.nodes
        for child, number in node.next_functions
    )


@dataclass
class Ran:
    """The step of one node: copies of what came in, by output, and of what it sent, by slot.

    None for nothing.
    """

    node: Any
    came: list[Array | None]
    sent: list[Array | None]


@dataclass
class Arriving:
    """A pass: its steps, the gradient that arrived, and each contribution with its sender."""

    steps: list[Ran]
    gradient: Array | None
    contributions: list[tuple[Any, Array]]


def run(loss: Any, w: Any, graph: Graph, retaining: Sequence[Any]) -> Arriving:
    """Run the pass from `loss` to `w`.

    An error is raised after hooks and gradients are restored.
    """
    steps: list[Ran] = []
    kept = [(tensor, tensor.grad) for tensor in retaining]
    handles = []
    own = library_of(loss) not in ("autograd_teach", "torch")
    leaves = [node.variable for node in graph.nodes if hasattr(node, "variable")] if own else [w]
    start = None if int(np.prod(tuple(loss.shape), dtype=np.int64)) == 1 else _ones_like(loss)
    try:
        for node in graph.nodes:
            if id(node) in graph.on_way and not hasattr(node, "variable"):
                handles.append(node.register_hook(_writer(node, steps)))
        found = _pass([loss], leaves, [start])
    finally:
        for handle in handles:
            handle.remove()
        for tensor, grad in kept:
            tensor.grad = grad
    arrived = next((grad for leaf, grad in zip(leaves, found, strict=True) if leaf is w), None)
    return Arriving(steps, _copy(arrived), _contributions(steps, graph))


def _ones_like(loss: Any) -> Any:
    return loss.detach() * 0 + 1 if library_of(loss) != "torch" else loss.detach().new_ones(loss.shape)


def _writer(node: Any, steps: list[Ran]) -> Any:
    def write(sent: Any, came: Any) -> None:
        steps.append(Ran(node, [_copy(g) for g in came], [_copy(g) for g in sent]))

    return write


def _copy(tensor: Any) -> Array | None:
    array = as_array(tensor) if tensor is not None else None
    return None if array is None else np.array(array)


def _contributions(steps: Sequence[Ran], graph: Graph) -> list[tuple[Any, Array]]:
    found = []
    for step in steps:
        for (child, number), array in zip(step.node.next_functions, step.sent, strict=False):
            if child is graph.target and number == graph.number and array is not None:
                found.append((step.node, array))
    return found


def sent_on_way(step: Ran, graph: Graph) -> list[Array | None]:
    """What a step sent towards the tensor."""
    pairs = zip(step.node.next_functions, step.sent, strict=False)
    return [array for (child, _), array in pairs if child is not None and id(child) in graph.on_way]


# Magnitudes, NaN and infinity


def largest(arrays: Sequence[Array | None]) -> float:
    """The largest magnitude; 0 if there are no elements."""
    sizes = [float(np.abs(a).max()) for a in arrays if a is not None and a.size]
    return max(sizes, default=0.0)


def total(arrays: Sequence[Array | None]) -> float:
    """The sum of all magnitudes."""
    return sum(float(np.abs(a).sum(dtype=np.float64)) for a in arrays if a is not None)


def odd(arrays: Sequence[Array | None]) -> str:
    """`nan` or `inf` if an array has such an element; else empty."""
    floating = [a for a in arrays if a is not None and a.dtype.kind in "fc"]
    if any(np.isnan(a).any() for a in floating):
        return "nan"
    return "inf" if any(np.isinf(a).any() for a in floating) else ""


def text_of(array: Array) -> str:
    """An array in a sentence: its numbers if there are few, else its shape and range."""
    told = facts(array)
    return told.text if told.in_full else str(told)


# The forward values


class Forward:
    """The known forward values: from a watch, from the caller's variables, from saved tensors."""

    def __init__(self, loss: Any, known: Sequence[tuple[str, Any]]) -> None:
        self._named: dict[tuple[int, int], Any] = {}
        for tensor in [loss, *(tensor for _, tensor in known)]:
            if tensor.grad_fn is not None:
                self._named.setdefault((id(tensor.grad_fn), output_number(tensor)), tensor)
        self._held = [loss, *(tensor for _, tensor in known)]

    def value(self, node: Any, number: int = 0) -> Array | None:
        """The result of a node's operation."""
        if hasattr(node, "variable"):
            return as_array(node.variable)
        note = seen(node)
        if note is not None and number < len(note.values) and note.values[number] is not None:
            return note.values[number]
        named = self._named.get((id(node), number))
        if named is not None:
            return as_array(named)
        kept = saved(node).get("result")
        return as_array(kept) if kept is not None else None

    def inputs(self, node: Any) -> list[Array | None]:
        """The arguments of a node's operation that other nodes made; None for an unknown one."""
        return [self.value(child, number) for child, number in node.next_functions if child is not None]

    def constants(self, node: Any) -> list[Array]:
        """The known arguments that do not require grad."""
        note = seen(node)
        found = [np.asarray(c) for c in (note.constants if note is not None else ()) if c is not None]
        kept = [as_array(tensor) for tensor in saved(node).values() if not tensor.requires_grad]
        return found + [array for array in kept if array is not None]


def saved(node: Any) -> dict[str, Any]:
    """The tensors that an operation saved, by name; empty if it is freed."""
    found = {}
    for name in _saved_names(type(node)):
        try:
            thing = getattr(node, name)
        except RuntimeError:
            continue  # freed, or changed in place since
        if is_tensor(thing):
            found[name.removeprefix("_saved_")] = thing
    return found


_names_of_saved: dict[Any, tuple[str, ...]] = {}


def _saved_names(kind: Any) -> tuple[str, ...]:
    if kind not in _names_of_saved:
        names = (name for name in dir(kind) if name.startswith("_saved_") and "_sym_" not in name)
        _names_of_saved[kind] = tuple(names)
    return _names_of_saved[kind]


@dataclass
class Odd:
    """The first node of the forward pass with NaN or infinity."""

    node: Any
    what: str
    """`nan` or `inf`."""
    constant: Array | None
    """The argument that does not require grad and contains it, if there is one."""
    had: bool
    """Whether another argument already contains it."""


def first_odd_value(graph: Graph, forward: Forward) -> Odd | None:
    """The first node with NaN or infinity in its result or in a constant argument."""
    for node in graph.nodes:
        if hasattr(node, "variable"):
            if what := odd([forward.value(node)]):
                return Odd(node, what, None, False)
            continue
        value = forward.value(node)
        bad = next((c for c in forward.constants(node) if odd([c])), None)
        if bad is not None and (value is None or odd([value])):
            return Odd(node, odd([bad]), bad, False)
        if value is not None and (what := odd([value])):
            return Odd(node, what, None, bool(odd(forward.inputs(node))))
    return None


# Kinds of nodes


def operation(node: Any) -> str:
    """The operation of a node in lower case: `logsoftmax` for `LogSoftmaxBackward0`."""
    return re.sub(r"backwards?\d*$", "", short_name(node).lower())


_SORTS = {
    "dead": "relu threshold leakyrelu hardtanh clamp clampmin clampmax relu6 hardsigmoid hardswish elu prelu",
    "saturated": "sigmoid tanh softmax logsoftmax softplus erf silu gelu logsigmoid",
    "no slope": "round floor ceil trunc fix sign sgn floordivide remainder",
    "not chosen": "max min maximum minimum amax amin where maskedfill index select slice gather topk sort median split "
    "unbind indexselect maskedselect take narrow maxpool2d maxpool2dwithindices",
    "minimum": "mseloss l1loss smoothl1loss huberloss nllloss binarycrossentropy binarycrossentropywithlogits",
    "overwritten": "zero fill copyslices copy indexput normal uniform bernoulli",
    "cancels": "add sub rsub expand",
    "zero factor": "mul mm addmm mv dot bmm div pow baddbmm addcmul prod abs square norm linear",
}
_SORT_OF = {name: sort for sort, names in _SORTS.items() for name in names.split()}


_SUMMING = {"mm", "addmm", "mv", "dot", "bmm", "baddbmm", "linear"}


def sort_of(step: Ran, graph: Graph) -> str:
    """Why a step sends zero or almost zero: a key of `why_words.ZERO`."""
    name = operation(step.node)
    sort = _SORT_OF.get(name, "no slope")
    kept = [array for thing in saved(step.node).values() if (array := as_array(thing)) is not None]
    if name in ("softmax", "logsoftmax") and kept and kept[0].size:
        likeliest = kept[0].max() if name == "softmax" else np.exp(kept[0].max())
        return sort if likeliest > 1 - 1e-4 and 1 not in kept[0].shape[-1:] else "sum is 1"
    if sort == "zero factor":
        sent, came = sent_on_way(step, graph), step.came
        sums = name in _SUMMING or _size(came) > _size(sent)
        return "cancels" if sums and kept and all(largest([array]) for array in kept) else sort
    return sort


def _size(arrays: Sequence[Array | None]) -> int:
    return max((array.size for array in arrays if array is not None), default=0)


def is_flat(node: Any) -> bool:
    """Whether the slope of a node's operation is 0 everywhere, as for `round`."""
    return _SORT_OF.get(operation(node)) == "no slope"


def last_zero(arriving: Arriving, graph: Graph) -> tuple[Any, str] | None:
    """The last node that receives a gradient and sends only zeros, or where contributions cancel.

    It is the last one because other paths may go around an earlier one.
    """
    sums: dict[tuple[int, int], list[Array]] = {}
    found = None
    for step in arriving.steps:
        came, sent = [a for a in step.came if a is not None], sent_on_way(step, graph)
        for number, array in enumerate(step.came):
            if array is not None and not largest([array]) and largest(sums.get((id(step.node), number), [])):
                found = step.node, "cancels"
        if largest(came) and not largest(sent):
            found = step.node, "returns None" if all(a is None for a in sent) else sort_of(step, graph)
        for (child, number), array in zip(step.node.next_functions, step.sent, strict=False):
            if child is not None and array is not None:
                sums.setdefault((id(child), number), []).append(array)
    parts = [array for _, array in arriving.contributions]
    return (graph.target, "cancels") if largest(parts) else found


def first_odd_gradient(arriving: Arriving, graph: Graph) -> tuple[Ran, str] | None:
    """The first step that gets finite gradients and sends NaN or infinity to the tensor."""
    for step in arriving.steps:
        if not odd(step.came) and (what := odd(sent_on_way(step, graph))):
            return step, what
    return None


def factors(
    arriving: Arriving, graph: Graph, measure: Callable[[Sequence[Array | None]], float]
) -> list[tuple[float, Ran]]:
    """The factor by which each step changes the magnitude of the gradient, the smallest first."""
    found = []
    for step in arriving.steps:
        came, sent = measure(step.came), measure(sent_on_way(step, graph))
        if came and sent:
            found.append((sent / came, step))
    return sorted(found, key=lambda pair: pair[0])
