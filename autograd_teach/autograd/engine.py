"""Runs a graph backward.

The nodes below the roots are collected, and run from the last made to the first. By then every gradient that a node waits for
has arrived, because whatever used its result was made after it. A leaf's accumulator runs as soon as its last contribution is in.

Without `create_graph` gradients travel as NumPy arrays; with it they are tensors, and the formulas record what they compute.
"""

from __future__ import annotations

import contextvars
import threading
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from ..errors import error, require
from ..quiet import FILTER, keep_quiet
from ..tensor import Tensor, wrap
from .leaf import AccumulateGrad
from .modes import set_mode, state
from .node import NO_EDGE, Edge, Hooks, Node
from .saved import freed, unpack, warn_of_failure

Root = tuple[Edge, Tensor]


def run_backward(
    roots: Sequence[Root],
    retain_graph: bool | None,
    create_graph: bool,
    inputs: Sequence[Edge] | None = None,
    accumulate: bool = True,
) -> list[Any]:
    """Send each root's gradient down its edge.

    With `inputs`, only what leads to these edges is run; with `accumulate` the gradients end in `.grad` of the leaves (and, of
    the inputs only), otherwise they are returned in the order of `inputs`, None where none arrived.
    """
    if state.depth >= DEEPEST:
        return _in_another_thread(roots, retain_graph, create_graph, inputs, accumulate)
    outer = state.mode, state.run
    state.depth += 1
    if warnings.filters[0] is not FILTER:
        keep_quiet()
    set_mode(create_graph, state.mode.inference)
    try:
        run = state.run = _Run(create_graph if retain_graph is None else retain_graph, create_graph, inputs, accumulate)
        run.start(roots)
        return [run.captured.get(edge) for edge in inputs or ()]
    finally:
        state.mode, state.run = outer
        state.depth -= 1


# A backward that calls backward, which calls backward, ... : so many of them fit below Python's recursion limit.
DEEPEST = 40


def _in_another_thread(*arguments: Any) -> list[Any]:
    """A nested run in a thread, which has a stack of its own, with all that this one has switched on: as PyTorch does it."""
    switched_on = {name: value for name, value in vars(state).items() if name != "depth"}
    results: list[Any] = []

    def run() -> None:
        vars(state).update(switched_on)
        try:
            results.extend((None, run_backward(*arguments)))
        except BaseException as problem:  # noqa: BLE001  raised where it was asked for
            results.append(problem)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,))
    thread.start()
    thread.join()
    if results[0] is not None:
        raise results[0]
    return results[1]


class _Run:
    """One backward pass: what runs when, and the gradients that have arrived at each node."""

    def __init__(self, retain_graph: bool, create_graph: bool, inputs: Sequence[Edge] | None, accumulate: bool) -> None:
        self.retain_graph, self.create_graph = retain_graph, create_graph
        self.inputs = inputs or ()
        # With `inputs`: the nodes they are outputs of, and, of the nodes that must run for gradients to get there, the edges.
        self.asked = None if inputs is None else {node for node, _ in inputs}
        self.wanted: dict[Any, Sequence[Edge]] | None = None
        self.accumulate = accumulate
        # Gradients that wait at a node: one, or for a node of several outputs a list of them.
        self.waiting: dict[Node, Any] = {}
        # Where the waiting gradient is a sum made here, which further contributions may be added to in place.
        self.owned: set[Node] = set()
        self.captured: dict[Edge, Any] = {}

    def start(self, roots: Sequence[Root]) -> None:
        """Deliver the roots' gradients and run all nodes below."""
        self.order, self.last = order, last = _collect([edge[0] for edge, _ in roots])
        if self.asked is not None:
            # PyTorch runs, and so frees, the node of an input too where the gradient is stored rather than returned.
            stored = {node: (NO_EDGE,) * len(node._edges) for node in self.asked if node and self.accumulate}
            self.wanted = wanted = stored | _leading_to(self.inputs, order)
            if len(roots) == 1 and roots[0][0][0] not in wanted:
                # A single root is looked at in any case: its hooks run.
                self.asked.add(roots[0][0][0])
            # All that a user's backward returns is looked at, also what leads to no input.
            self.asked.update(node for node in wanted if node._runs_without_gradient)
            self.order = order = [node for node in order if node in wanted or node in self.asked]
            self.last = last = {leaf: node for leaf, node in last.items() if leaf in self.asked}
        for edge, gradient in roots:
            array = gradient._array
            # Of rank 0, NumPy computes with scalars ten times as fast as with arrays.
            self._deliver(edge, gradient if self.create_graph else array if array.ndim else array[()], None, roots)
        for node in [n for n in self.waiting if n.__class__ is AccumulateGrad and n not in last]:
            if self.asked is None or node in self.asked:
                self._run_leaf(node)
        self._run(order)

    def will_run(self, node: Node) -> bool:
        """Whether a gradient is to arrive at this node: what hooks of several tensors ask."""
        is_asked = node in (self.asked or ())
        require(self.accumulate or not is_asked or not isinstance(node, AccumulateGrad), "will_a_leaf_run")
        return node in self._running

    _running = cached_property(lambda self: {*self.order, *self.last})

    def _run(self, order: list[Node]) -> None:
        waiting, owned, last = self.waiting, self.owned, self.last
        create_graph, retain_graph, wanted = self.create_graph, self.retain_graph, self.wanted
        special = set(order) if state.anomaly else self.asked or ()
        finishing = set(last.values())
        edges: Sequence[Edge]
        results: Sequence[Any] | None
        for node in order:
            grad = waiting.pop(node, None)
            if grad is not None and node._hooks is None and node not in special:
                edges = node._edges if wanted is None else wanted[node]
                results = node._backward_graph(grad, edges) if create_graph else node._backward(grad, edges)
            else:
                edges, results = self._run_specially(node, grad)
                if results is None:
                    continue
            if not retain_graph:
                node._free()
            # This loop is `_deliver`, written out: it runs once an edge, and is half of the engine's time.
            for edge, result in zip(edges, results):
                target = edge[0]
                if target is None or result is None:
                    continue
                if target._outputs != 1:
                    self._deliver(edge, result, node, edges)
                    continue
                array = result._array if create_graph else result
                dtype = target._dtype
                # A scalar, which only a gradient of rank 0 is, tells its dtype by its class.
                if array.__class__ is not dtype.type and (array.shape != target._shape or array.dtype is not dtype):
                    result = self._fitted(result, node, edges, edge)
                before = waiting.get(target)
                if before is None:
                    waiting[target] = result
                elif target in owned:
                    before += result
                else:
                    waiting[target] = before + result
                    if not create_graph and target._shape:
                        owned.add(target)
            if node in finishing:
                # A leaf takes over the memory of a gradient that nobody else holds.
                grad = results = result = array = before = None
                below: list[Any] = [edge[0] for edge in node._edges]
                for place, leaf in enumerate(below, 1):
                    # One that several edges lead to comes where the last of them stands.
                    if last.get(leaf) is node and leaf not in below[place:]:
                        self._run_leaf(leaf)

    def _deliver(self, edge: Any, gradient: Any, sender: Node | None, edges: Sequence[Any]) -> None:
        """Put a gradient where its edge leads, beside those that have arrived there."""
        node, number = edge
        gradient = self._fitted(gradient, sender, edges, edge)
        if node._outputs == 1:
            self.waiting[node] = self.waiting[node] + gradient if node in self.waiting else gradient
            return
        slots = self.waiting.setdefault(node, [None] * node._outputs)
        slots[number] = gradient if slots[number] is None else slots[number] + gradient

    def _fitted(self, gradient: Any, sender: Node | None, edges: Sequence[Any], edge: Any) -> Any:
        """A gradient in the shape and dtype of the output that it is the gradient of: broadcasting is undone by summing.

        `edges`, of which `edge` is one, are those of the sender, or the roots.
        """
        node, number = edge
        many = node._outputs > 1
        shape, dtype = (node._shape[number], node._dtype[number]) if many else (node._shape, node._dtype)
        array = gradient._array if self.create_graph else gradient
        if array.shape != shape:
            dims = _repeated(array.shape, shape)
            if dims is None:
                who = "" if sender is None else f"Function {sender.name()} returned an "
                index = next((i for i, e in enumerate(edges) if e is edge or e[0] is edge), 0)
                raise error("invalid_gradient", who, index, list(array.shape), list(shape))
            if self.create_graph:
                gradient = gradient.sum_to_size(shape)
            else:
                gradient = np.add.reduce(array, axis=dims) if dims else array
                # A view would have to be copied where a leaf could take over the sum itself.
                gradient = gradient if gradient.shape == shape else gradient.reshape(shape)
        if array.dtype == dtype:
            return gradient
        return gradient.to(dtype) if self.create_graph else gradient.astype(dtype)

    def _run_specially(self, node: Node, grad: Any) -> tuple[Sequence[Edge], Sequence[Any] | None]:
        """Run a node that has hooks, whose gradient somebody asked for, or that no gradient reached; no results if it does not run."""
        try:
            return self._run_hooked(node, node._hooks, grad)
        except Exception:
            if state.anomaly:
                warn_of_failure(node)
            raise

    def _run_hooked(self, node: Node, hooks: Hooks | None, grad: Any) -> tuple[Sequence[Edge], Sequence[Any] | None]:
        edges: Sequence[Edge] = node._edges
        arrived = grad is not None
        if not arrived:
            grad = None if node._outputs == 1 else [None] * node._outputs
        kept = edges if self.wanted is None else self.wanted.get(node)
        if kept is None:
            # It does not run; somebody asked for its gradient, or it is the single root.
            self._capture(node, self._tensor_hooks(node, hooks, grad))
            return edges, None
        if not (arrived or hooks is not None or node._runs_without_gradient):
            # What it would have sent on does not arrive either.
            return kept, _nothing(node)
        if self.wanted is not None:
            # PyTorch keeps the gradient before its hooks where the node runs too.
            self._capture(node, grad)
        grad = self._tensor_hooks(node, hooks, grad)
        outputs = tuple(map(self._to_tensor, grad if node._outputs > 1 else (grad,)))
        for hook in list(hooks.pre.values()) if hooks else ():
            outputs = _replaced(outputs, hook, outputs)
        given = [self._from_tensor(g) for g in outputs]
        # A user's backward computes, and has looked at, more than is needed.
        own = node._runs_without_gradient
        looked_at = edges if own else kept
        runs, needed = own or any(g is not None for g in given), own or any(e[0] for e in kept)
        results = self._call(node, given if node._outputs > 1 else given[0], looked_at) if runs else _nothing(node)
        fitted = [
            (r if needed else None) if r is None or e[0] is None else self._fitted(r, node, looked_at, e)
            for r, e in zip(results, looked_at)
        ]
        sent = tuple(map(self._to_tensor, fitted))
        for hook in list(hooks.post.values()) if hooks else ():
            sent = _replaced(sent, hook, sent, outputs)
        return kept, [self._from_tensor(g) for g in sent]

    def _call(self, node: Node, grad: Any, edges: Sequence[Edge]) -> Sequence[Any]:
        results = (node._backward_graph if self.create_graph else node._backward)(grad, edges)
        for number, result in enumerate(results if state.anomaly and state.check_nan else ()):
            if result is not None and np.isnan(result._array if self.create_graph else result).any():
                raise error("nan_gradient", node.name(), number)
        return results

    def _run_leaf(self, leaf: Node) -> None:
        """All contributions to a leaf are in."""
        run = leaf._backward_graph if self.create_graph else leaf._backward
        if leaf._hooks is not None or self.asked is not None or state.anomaly:
            self._run_specially(leaf, self.waiting.pop(leaf, None))
        else:
            run(self.waiting.pop(leaf, None), ())

    def _tensor_hooks(self, node: Node, hooks: Hooks | None, grad: Any) -> Any:
        """The incoming gradients after the hooks of the tensors they belong to; kept where `retain_grad` asks for it."""
        if hooks is None:
            return grad
        grads = list(grad) if node._outputs > 1 else [grad]
        for number, hook in list(hooks.tensor.values()):
            given = self._to_tensor(grads[number])
            grads[number] = self._from_tensor(_replaced((given,), hook, given)[0])
        for number, reference in hooks.retain.items():
            tensor = reference()
            if tensor is not None and grads[number] is not None:
                gradient = self._to_tensor(grads[number])
                tensor._grad = gradient.clone() if tensor._grad is None else tensor._grad + gradient
        return grads if node._outputs > 1 else grads[0]

    def _capture(self, node: Node, grad: Any) -> None:
        """Keep the gradient of a node's outputs that were asked for."""
        for edge in self.inputs:
            if edge[0] is node:
                self.captured[edge] = grad[edge[1]] if node._outputs > 1 else grad

    def _to_tensor(self, gradient: Any) -> Any:
        return gradient if gradient is None or self.create_graph else wrap(np.asarray(gradient))

    def _from_tensor(self, gradient: Any) -> Any:
        return gradient if gradient is None or self.create_graph else gradient._array


def _nothing(node: Node) -> Sequence[Any]:
    """The gradients of a node that received none. Its saved values are checked even so, as in PyTorch."""
    if getattr(node, "_s_indices", None) == ():
        freed(node)
    for name, index in node._values.items():
        if (value := getattr(node, name)) is not None:
            unpack(node, value or freed(node), index)
    return (None,) * len(node._edges)


def _replaced(gradients: tuple[Any, ...], hook: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    """The gradients after a hook, called with `arguments`: a node's hook returns a tuple, a tensor's one gradient."""
    returned = hook(*arguments)
    if returned is None:
        return gradients
    if not isinstance(arguments[0], tuple):
        returned = (returned,)
    elif not isinstance(returned, tuple):
        raise error("hook_returns_no_tuple", type(returned).__name__)
    name = getattr(hook, "__name__", "<unknown>")
    require(len(returned) == len(gradients), "hook_returns_how_many", name, len(returned), len(gradients))
    for before, after in zip(gradients, returned):
        if after is not None:
            require(before is not None, "hook_replaces_none")
            require(isinstance(after, Tensor), "hook_returns_no_tensor", type(after).__name__)
            kinds = before.dtype.tensor_type, after.dtype.tensor_type
            require(after.dtype is before.dtype, "hook_changes_dtype", name, *kinds)
            require(after.shape == before.shape, "hook_changes_size", name)
    return returned


def _collect(roots: Iterable[Any]) -> tuple[list[Node], dict[Node, Node]]:
    """The nodes below the roots in the order in which they run; and for each leaf, which of them contributes to it last."""
    order: list[Any] = [n for n in dict.fromkeys(roots) if n.__class__ is not AccumulateGrad]
    seen = {None, *order}
    last: dict[Any, Node] = {}
    for node in order:  # which grows meanwhile
        for below, _ in node._edges:
            if below.__class__ is AccumulateGrad:
                if below not in last or node._sequence < last[below]._sequence:
                    last[below] = node
            elif below not in seen:
                seen.add(below)
                order.append(below)
    order.sort(key=attrgetter("_sequence"), reverse=True)
    return order, last


def _leading_to(inputs: Sequence[Edge], order: list[Node]) -> dict[Node, Sequence[Edge]]:
    """The nodes that must run for gradients to reach the inputs: those with an edge to one, or to such a node.

    Each with its edges, of which those that lead to no input are cut: their gradients need not be computed.
    """
    leading: dict[Node, Sequence[Edge]] = {}
    targets = {node for node, _ in inputs if node is not None}
    for node in reversed(order):
        edges = node._edges
        kept = [edge[0] in leading or edge[0] in targets for edge in edges]
        if any(kept):
            leading[node] = edges if all(kept) else [e if keep else NO_EDGE for e, keep in zip(edges, kept)]
    return leading


@lru_cache(maxsize=1024)
def _repeated(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...] | None:
    """The dimensions in which broadcasting from `target` to `shape` repeated; None if it could not have."""
    new = len(shape) - len(target)
    if new < 0 or any(t not in (1, n) for n, t in zip(shape[new:], target)):
        return None
    return tuple(i for i, n in enumerate(shape) if n != 1 and (i < new or target[i - new] == 1))
