"""Run the backward pass to one tensor and find what makes its gradient NaN, zero, tiny or huge.

The pass is `autograd.grad` with `retain_graph=True`: it does not change any `.grad` and does not
free the graph. For every node on a path to the tensor, what came in and what it sent on is copied.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograd_teach.viz.facts import LIBRARIES, as_array, facts, is_tensor, output_number
from autograd_teach.viz.recording import _pass, library_of
from autograd_teach.viz.slopes import answers
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
    dtypes: list[Any] = field(default_factory=list)
    """The dtype of each output's gradient, of the node's library; None if it is not known."""
    has_hooks: bool = False
    """Whether hooks ran after the node, other than the one of this module."""


@dataclass
class Arriving:
    """A pass: its steps, the gradient that arrived, and each contribution with its sender."""

    steps: list[Ran]
    gradient: Array | None
    contributions: list[tuple[Any, Array]]
    start: Array


def run(loss: Any, w: Any, graph: Graph, retaining: Sequence[Any]) -> Arriving:
    """Run the pass from `loss` to `w`.

    An error is raised after hooks and gradients are restored.
    """
    steps: list[Ran] = []
    kept = [(tensor, tensor.grad) for tensor in retaining]
    handles = []
    hooked: set[int] = set()
    own = library_of(loss) not in ("autograd_teach", "torch")
    leaves = [node.variable for node in graph.nodes if hasattr(node, "variable")] if own else [w]
    start = None if int(np.prod(tuple(loss.shape), dtype=np.int64)) == 1 else _ones_like(loss)
    try:
        for node in graph.nodes:
            if id(node) in graph.on_way and not hasattr(node, "variable"):
                handles.append(node.register_hook(_writer(node, steps)))
                others = _hooks_beside(handles[-1])
                hooked.update([id(node)] * others)
        found = _pass([loss], leaves, [start])
    finally:
        for handle in handles:
            handle.remove()
        for tensor, grad in kept:
            tensor.grad = grad
    for step in steps:
        step.has_hooks = id(step.node) in hooked
    arrived = next((grad for leaf, grad in zip(leaves, found, strict=True) if leaf is w), None)
    ones = np.ones(tuple(int(size) for size in loss.shape))
    return Arriving(steps, _copy(arrived), _contributions(steps, graph), ones)


def _hooks_beside(handle: Any) -> bool:
    """Whether a node has other hooks than the one with this handle."""
    kept = getattr(handle, "_dict", None)  # of this package
    reference = getattr(handle, "hooks_dict_ref", None)  # of PyTorch
    return len(kept if kept is not None else reference() if reference is not None else ()) > 1


def _ones_like(loss: Any) -> Any:
    return loss.detach() * 0 + 1 if library_of(loss) != "torch" else loss.detach().new_ones(loss.shape)


def _writer(node: Any, steps: list[Ran]) -> Any:
    def write(sent: Any, came: Any) -> None:
        dtypes = [_dtype(node, number) if g is None else g.dtype for number, g in enumerate(came)]
        steps.append(Ran(node, [_copy(g) for g in came], [_copy(g) for g in sent], dtypes))

    return write


def _dtype(node: Any, number: int) -> Any:
    try:
        return node._input_metadata[number].dtype
    except (AttributeError, IndexError, TypeError, RuntimeError):
        return None


def _copy(tensor: Any) -> Array | None:
    array = as_array(tensor) if tensor is not None else None
    if tensor is not None and array is None:
        raise Unreadable("a gradient on the way cannot be read as an array")
    return None if array is None else np.array(array)


class Unreadable(Exception):
    """A gradient cannot be read; the message says which, as a part of a sentence."""


def _contributions(steps: Sequence[Ran], graph: Graph) -> list[tuple[Any, Array]]:
    found = []
    for step in steps:
        for (child, number), array in zip(step.node.next_functions, step.sent, strict=False):
            if child is graph.target and number == graph.number and array is not None:
                found.append((step.node, array))
    return found


def ask(step: Ran, given: Sequence[Array | None], library: Any) -> list[Array | None] | None:
    """What a node sends for these gradients of its outputs, by slot, outside of a pass and without hooks.

    None if it raises an error.
    """
    several = answers(step.node, given, step.dtypes, library)
    if several is None:
        return None
    shapes = [None if array is None else array.shape for array in step.sent]
    return [
        one if one is None or shape is None else _reduced(one, shape)
        for one, shape in zip(several, shapes, strict=False)
    ]


def _reduced(array: Array, shape: tuple[int, ...]) -> Array:
    """The sum over the dimensions that an argument of this shape was expanded along; PyTorch's engine sums, not its nodes."""
    array = array.sum(axis=tuple(range(array.ndim - len(shape))))
    return array.sum(axis=tuple(i for i, size in enumerate(shape) if size == 1 != array.shape[i]), keepdims=True)


@dataclass
class Hooked:
    """A place where a hook changed the gradient: before the node ran, after it, or (None) at the tensor."""

    node: Any
    before: Array | None
    after: Array | None
    arrives: bool
    """Whether the gradient that arrives at the node was changed, not the one that it sends."""


def first_hook(loss: Any, w: Any, arriving: Arriving, graph: Graph) -> Hooked | None:
    """The first place on the way where a hook changed the gradient; None if no hook did."""
    if library_of(loss) not in LIBRARIES:
        return None
    library = importlib.import_module(library_of(loss))
    parts: dict[tuple[int, int], list[Array]] = {(id(loss.grad_fn), output_number(loss)): [arriving.start]}
    for step in arriving.steps:
        for number, array in enumerate(step.came):
            if (had := _changed(parts.get((id(step.node), number), []), array, step.dtypes[number])) is not None:
                return Hooked(step.node, had, array, arrives=True)
        # A backward that does not give the same twice says nothing about the hook.
        own = [ask(step, step.came, library) for _ in range(2 * step.has_hooks)]
        for slot, ((child, number), array) in enumerate(zip(step.node.next_functions, step.sent, strict=False)):
            twice = [one[slot] for one in own if one is not None and one[slot] is not None]
            steady = len(twice) == 2 and _changed(twice[:1], twice[1], step.dtypes[0]) is None
            had = _changed(twice[:1], array, step.dtypes[0]) if steady else None
            if had is not None and child is not None and id(child) in graph.on_way:
                return Hooked(step.node, had, array, arrives=False)
            if child is not None and array is not None:
                parts.setdefault((id(child), number), []).append(array)
    had = _changed([array for _, array in arriving.contributions], arriving.gradient, w.dtype)
    return None if had is None else Hooked(None, had, arriving.gradient, arrives=True)


def _changed(parts: Sequence[Array | None], kept: Array | None, dtype: Any) -> Array | None:
    """The sum of the parts if it is not what was kept, up to rounding in this dtype; else None."""
    if not parts:
        return None
    given = [np.asarray(part) for part in parts]
    total = np.asarray(sum(given[1:], given[0]))
    size = np.asarray(sum(np.abs(part) for part in given), np.float64)
    if kept is None or total.shape != kept.shape:
        return total
    with np.errstate(invalid="ignore"):
        near = (
            np.abs(np.asarray(total, np.float64) - kept)
            <= (1e-2 * len(parts) if str(dtype).endswith("float16") else 1e-3) * size
        )
    same = near | (total == kept) | (np.isnan(total) & np.isnan(kept))
    return None if same.all() else total


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

    def arguments(self, node: Any) -> list[Array | None]:
        """All arguments of a node's operation, as far as they are known; None for an unknown one."""
        kept = [as_array(thing) for name, thing in saved(node).items() if not name.startswith("result")]
        found = [array for array in kept if array is not None] + list(self.constants(node))
        unknown = [array for array in self.inputs(node) if array is None]
        # Of one argument that was saved, the value is known although its node does not keep it.
        return [*found, *(a for a in self.inputs(node) if a is not None), *unknown[len(kept) == 1 == len(unknown) :]]

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
    arguments: list[Array | None]
    """The arguments of its operation; None for an unknown one."""


def first_odd_value(graph: Graph, forward: Forward) -> Odd | None:
    """The first node with NaN or infinity in its result or in a constant argument."""
    for node in graph.nodes:
        if hasattr(node, "variable"):
            if what := odd([forward.value(node)]):
                return Odd(node, what, None, [])
            continue
        value = forward.value(node)
        bad = next((c for c in forward.constants(node) if odd([c])), None)
        if bad is not None and (value is None or odd([value])):
            return Odd(node, odd([bad]), bad, [])
        if value is not None and (what := odd([value])):
            return Odd(node, what, None, forward.arguments(node))
    return None


# Kinds of nodes


def operation(node: Any) -> str:
    """The operation of a node in lower case: `logsoftmax` for `LogSoftmaxBackward0`."""
    return re.sub(r"backwards?\d*$", "", short_name(node).lower())


def signed(number: Any) -> int:
    """An integer that a node saved; PyTorch gives a negative one as an unsigned number."""
    return int(number) - 2**64 if number >= 2**63 else int(number)


def first_odd_gradient(arriving: Arriving, graph: Graph) -> tuple[Ran, str] | None:
    """The first step that gets finite gradients and sends NaN or infinity to the tensor."""
    for step in arriving.steps:
        if not odd(step.came) and (what := odd(sent_on_way(step, graph))):
            return step, what
    return None


def may_be_zero(arriving: Arriving, graph: Graph) -> bool:
    """Whether the gradient is 0, or a sum on the way is so small beside its terms that it may be rounding."""
    found = arriving.gradient
    if found is None or (found.size and not largest([found])):
        return True
    parts: dict[tuple[int, int], float] = {}
    for step in [*arriving.steps, Ran(graph.target, [None] * graph.number + [found], [])]:
        for number, array in enumerate(step.came):
            if array is not None and largest([array]) < 1e-3 * parts.get((id(step.node), number), 0.0):
                return True
        terms = sum(array.size for array in step.came if array is not None)
        if step.sent and terms > 1 and largest(sent_on_way(step, graph)) < 1e-3 * largest(step.came):
            return True
        for (child, number), array in zip(step.node.next_functions, step.sent, strict=False):
            if array is not None and child is not None:
                parts[id(child), number] = max(parts.get((id(child), number), 0.0), largest([array]))
    return False


def slopes_where_odd(loss: Any, step: Ran, graph: Graph) -> Array | None:
    """The slopes of a step where it sends NaN or infinity on the way; None if its node cannot be asked."""
    slopes = ask(
        step, [None if a is None else np.ones(a.shape) for a in step.came], importlib.import_module(library_of(loss))
    )
    for slot, (child, _) in enumerate(step.node.next_functions):
        array = step.sent[slot] if child is not None and id(child) in graph.on_way else None
        if array is not None and odd([array]):
            found = slopes[slot] if slopes is not None else None
            return None if found is None else found[~np.isfinite(array)]
    return None


def left_out(step: Ran, arriving: Arriving, graph: Graph) -> bool:
    """Whether a `where` before this step set the gradient to 0 where the step sends NaN."""
    bad = next((~np.isfinite(a) for a in sent_on_way(step, graph) if a is not None and odd([a])), None)
    for other in arriving.steps:
        if bad is None or operation(other.node) not in ("where", "maskedfill"):
            continue
        for (child, _), array in zip(other.node.next_functions, other.sent, strict=False):
            came = other.came[0]
            if child is None or array is None or came is None or not array.shape == bad.shape == came.shape:
                continue
            if (array[bad] == 0).all() and came[bad].all() and _leads(child, step.node):
                return True
    return False


def _leads(node: Any, target: Any) -> bool:
    """Whether a path leads from one node to another."""
    met, todo = {id(node)}, [node]
    while todo:
        node = todo.pop()
        if node is target:
            return True
        todo += [child for child, _ in node.next_functions if child is not None and id(child) not in met]
        met.update(id(child) for child in todo)
    return False


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
