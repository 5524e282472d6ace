"""The engine: runs a graph backward.

The nodes below the roots are collected and run in the reverse order of their creation. A node runs
after all its gradients have arrived, because every operation that used its result was recorded
later. A leaf's accumulator runs as soon as its last contribution has arrived.

Without `create_graph`, gradients are NumPy arrays and scalars. With it they are tensors, and the
formulas are recorded.
"""

from __future__ import annotations

import contextvars
import operator
import threading
import warnings
from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from ..errors import error, require
from ..quiet import FILTER, keep_quiet
from ..tensor import Tensor, wrap
from .buffers import add, deliver, fitted
from .leaf import AccumulateGrad, replaced
from .modes import set_mode, state
from .node import NO_EDGE, Edge, Hooks, Node, Output
from .saved import FREED, freed, unpack, warn_of_failure

Root = tuple[Edge, Tensor]


def run_backward(
    roots: Sequence[Root],
    retain_graph: bool | None,
    create_graph: bool,
    inputs: Sequence[Edge] | None = None,
    accumulate: bool = True,
) -> list[Any]:
    """Send each root's gradient down its edge.

    With `inputs`, only the nodes that lead to these edges run. With `accumulate`, the gradients are
    added to `.grad` of the leaves, or only of the inputs; otherwise they are returned in the order
    of `inputs`, None for an input without a gradient.
    """
    create_graph = bool(operator.index(create_graph))  # True or False, or an int, as in PyTorch
    retain_graph = create_graph if retain_graph is None else bool(operator.index(retain_graph))
    mode, outer = state.mode, state.run
    if outer is not None and outer.depth >= DEEPEST:
        return _in_another_thread(roots, retain_graph, create_graph, inputs, accumulate)
    if warnings.filters[0] is not FILTER:
        keep_quiet()
    try:
        run = state.run = _Run(retain_graph, create_graph, accumulate, outer)
        set_mode(create_graph, mode.inference)
        run.start(roots, inputs)
        return [] if inputs is None else [run.captured.get((edge._node, edge._number)) for edge in inputs]
    finally:
        state.mode, state.run = mode, outer


# How many backward passes may run inside each other in one thread: so many fit below Python's
# recursion limit.
DEEPEST = 40


def _in_another_thread(*arguments: Any) -> list[Any]:
    """Run a nested pass in a new thread with its own stack and the same state, as PyTorch does."""
    switched_on = {name: value for name, value in vars(state).items() if name != "run"}
    results: list[Any] = []

    def run() -> None:
        vars(state).update(switched_on)
        try:
            results.extend((None, run_backward(*arguments)))
        except BaseException as problem:  # noqa: BLE001  raised again in the calling thread
            results.append(problem)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,))
    try:
        thread.start()
    except RuntimeError:  # a browser has no threads
        raise error("nested_too_deep", DEEPEST) from None
    thread.join()
    if results[0] is not None:
        raise results[0]
    return results[1]


class _Run:
    """One backward pass: the nodes to run, their order, and the gradients that have arrived."""

    # The edges whose gradients are requested, and their nodes; None without `inputs`.
    inputs: Sequence[Edge] = ()
    asked: set[Any] | None = None
    # The nodes that must run for these gradients, with the edges to follow; None if all run.
    wanted: dict[Any, Sequence[Edge]] | None = None

    def __init__(self, retain_graph: bool, create_graph: bool, accumulate: bool, outer: _Run | None) -> None:
        self.retain_graph, self.create_graph, self.accumulate = retain_graph, create_graph, accumulate
        # How many passes run inside each other, this one included.
        self.depth: int = 1 if outer is None else outer.depth + 1
        self.buffers: dict[Any, Any] = {}
        # By node and number of the output.
        self.captured: dict[tuple[Any, int], Any] = {}

    def start(self, roots: Sequence[Root], inputs: Sequence[Edge] | None) -> None:
        """Deliver the roots' gradients and run all nodes below."""
        nodes = {edge._node: None for edge, _ in roots}  # a set that keeps the order of the roots
        self.order, self.last = order, last = _collect(nodes)
        if inputs is not None:
            self.inputs, self.asked = inputs, {edge._node for edge in inputs}
            if self.accumulate or not _all_lead_to(self.asked, order, last):
                self._leave_out_what_leads_nowhere(nodes)
                order, last = self.order, self.last
        for place, (edge, gradient) in enumerate(roots):
            value: Any = gradient if self.create_graph else gradient._value
            deliver(self.buffers, value, edge, None, place)
        for node in nodes:
            if node.__class__ is AccumulateGrad and node not in last and (self.asked is None or node in self.asked):
                self._run_leaf(node)
        self._run(order)

    def _leave_out_what_leads_nowhere(self, roots: dict[Any, None]) -> None:
        """Keep only the nodes and edges that lead to the inputs."""
        assert self.asked is not None
        self.wanted, running = _leading_to(self.asked, self.order)
        if self.accumulate:
            # With `accumulate`, PyTorch also runs, and so frees, the nodes of the inputs.
            for node in self.asked - {None}:
                self.wanted.setdefault(node, (NO_EDGE,) * len(node._edges))
        if len(roots) == 1 and not roots.keys() <= self.wanted.keys():
            # The hooks of a single root run in any case.
            self.asked.update(roots)
            running = [node for node in self.order if node in self.asked]
        self.order = running
        self.last = {leaf: node for leaf, node in self.last.items() if leaf in self.asked}

    def will_run(self, node: Node) -> bool:
        """Whether a gradient will arrive at this node; used by `register_multi_grad_hook`."""
        is_asked = node in (self.asked or ())
        require(self.accumulate or not is_asked or not isinstance(node, AccumulateGrad), "will_a_leaf_run")
        return node in self._running

    _running = cached_property(lambda self: {*self.order, *self.last})

    def _run(self, order: list[Node]) -> None:
        buffers, wanted = self.buffers, self.wanted
        create_graph, keep, anomaly = self.create_graph, self.retain_graph, state.anomaly
        special = set(order) if anomaly else self.asked or ()
        plain_leaves = self.asked is None and not create_graph and not anomaly
        finished = _by_node(self.last)
        for node in order:
            grad = buffers.pop(node, None)
            if grad is None or node._hooks is not None or node in special:
                self._run_specially(node, grad)
            else:
                edges, step = node._edges if wanted is None else wanted[node], node._step
                if step is None and wanted is not None and node._runs_without_gradient:
                    # PyTorch checks everything that a user's backward returns, also what leads to
                    # no input.
                    self._run_specially(node, grad)
                elif create_graph:
                    self._send(node, edges, node._backward_graph(grad, edges))
                elif step is not None:
                    step(grad, edges, buffers, keep)
                else:
                    self._send(node, edges, node._backward(grad, edges))
            if node in finished:
                grad = None  # drops the reference: a leaf takes over a gradient that nothing else refers to
                for leaf in finished[node]:
                    if plain_leaves and leaf._hooks is None:
                        leaf._backward(buffers.pop(leaf, None), ())
                    else:
                        self._run_leaf(leaf)

    def _send(self, node: Node, edges: Sequence[Edge], results: Sequence[Any]) -> None:
        """Add the results of a node to the buffers that its edges lead to."""
        if not self.retain_graph:
            node._free()
        buffers = self.buffers
        for place, (edge, result) in enumerate(zip(edges, results)):
            if edge is NO_EDGE or result is None:
                continue
            value = result._value if self.create_graph else result
            if value.shape != edge._shape or value.dtype is not edge._dtype:
                deliver(buffers, result, edge, node, place)
            else:
                add(buffers, edge, result)  # type: ignore[arg-type]  # a node, since it has a shape

    def _run_specially(self, node: Node, grad: Any) -> None:
        """Run a node that has hooks, whose gradient is requested, or that received no gradient."""
        try:
            edges, results = self._run_hooked(node, node._hooks, grad)
        except Exception:
            if state.anomaly:
                warn_of_failure(node)
            raise
        if results is not None:
            self._send(node, edges, results)

    def _run_hooked(self, node: Node, hooks: Hooks | None, grad: Any) -> tuple[Sequence[Edge], Sequence[Any] | None]:
        edges: Sequence[Edge] = node._edges
        arrived = grad is not None
        if not arrived:
            grad = None if node._outputs == 1 else [None] * node._outputs
        kept = edges if self.wanted is None else self.wanted.get(node)
        if kept is None or (self.asked is not None and not self.accumulate and node.__class__ is AccumulateGrad):
            # It does not run: its gradient is requested, or it is the single root.
            self._capture(node, self._tensor_hooks(node, hooks, grad))
            return edges, None
        if not (arrived or hooks is not None or node._runs_without_gradient):
            # Its inputs receive no gradients either.
            return kept, _nothing(node)
        if self.wanted is not None:
            # If the node runs, PyTorch captures the gradient before the hooks.
            self._capture(node, grad)
        grad = self._tensor_hooks(node, hooks, grad)
        outputs = tuple(map(self._to_tensor, grad if node._outputs > 1 else (grad,)))
        for hook in list(hooks.pre.values()) if hooks else ():
            outputs = replaced(outputs, hook, outputs)
        given = [self._from_tensor(g) for g in outputs]
        # A user's backward computes all its gradients, and all of them are checked.
        own = node._runs_without_gradient
        looked_at = edges if own else kept
        runs, needed = own or any(g is not None for g in given), own or any(e._node is not None for e in kept)
        results = self._call(node, given if node._outputs > 1 else given[0], looked_at) if runs else _nothing(node)
        results = [
            (r if needed else None) if r is None or e._node is None else fitted(r, e, node, place)
            for place, (r, e) in enumerate(zip(results, looked_at))
        ]
        sent = tuple(map(self._to_tensor, results))
        for hook in list(hooks.post.values()) if hooks else ():
            sent = replaced(sent, hook, sent, outputs)
        return kept, [self._from_tensor(g) for g in sent]

    def _call(self, node: Node, grad: Any, edges: Sequence[Edge]) -> Sequence[Any]:
        results = (node._backward_graph if self.create_graph else node._backward)(grad, edges)
        for number, result in enumerate(results if state.anomaly and state.check_nan else ()):
            if result is not None and np.isnan(result._array if self.create_graph else result).any():
                raise error("nan_gradient", node._name(), number)
        return results

    def _run_leaf(self, leaf: Node) -> None:
        """Run a leaf's accumulator, or capture its gradient, when all contributions have arrived."""
        if leaf._hooks is None and not state.anomaly and (self.asked is None or not self.accumulate):
            if self.asked is not None:
                self.captured[leaf, 0] = self.buffers.pop(leaf, None)
            elif self.create_graph:
                leaf._backward_graph(self.buffers.pop(leaf, None), ())
            else:
                leaf._backward(self.buffers.pop(leaf, None), ())
        else:
            self._run_specially(leaf, self.buffers.pop(leaf, None))

    def _tensor_hooks(self, node: Node, hooks: Hooks | None, grad: Any) -> Any:
        """The incoming gradients after the hooks of their tensors; stored for tensors with `retain_grad`."""
        if hooks is None:
            return grad
        grads = list(grad) if node._outputs > 1 else [grad]
        for number, hook in list(hooks.tensor.values()):
            given = self._to_tensor(grads[number])
            grads[number] = self._from_tensor(replaced((given,), hook, given)[0])
        for number, reference in hooks.retain.items():
            tensor = reference()
            if tensor is not None and grads[number] is not None:
                gradient = self._to_tensor(grads[number])
                tensor._grad = gradient.clone() if tensor._grad is None else tensor._grad + gradient
        return grads if node._outputs > 1 else grads[0]

    def _capture(self, node: Node, grad: Any) -> None:
        """Store the gradients of those outputs of the node that are requested."""
        for edge in self.inputs:
            if edge._node is node:
                self.captured[node, edge._number] = grad[edge._number] if node._outputs > 1 else grad

    def _to_tensor(self, gradient: Any) -> Any:
        return gradient if gradient is None or self.create_graph else wrap(np.asarray(gradient))

    def _from_tensor(self, gradient: Any) -> Any:
        return gradient if gradient is None or self.create_graph else gradient._array


def _nothing(node: Node) -> Sequence[Any]:
    """The gradients of a node that received none. PyTorch checks its saved values even then."""
    if any(getattr(node, name) is FREED for name in node._frees):
        freed()
    for name, index in node._values.items():
        if (value := getattr(node, name)) is not None:
            unpack(node, value, index)
    return (None,) * len(node._edges)


def _collect(roots: dict[Any, None]) -> tuple[list[Node], dict[Node, Node]]:
    """The nodes below the roots in running order, and for each leaf the node that contributes to it last."""
    order: list[Any] = [n for n in roots if n.__class__ is not AccumulateGrad]
    seen: set[Any] = {NO_EDGE, None, *order}
    last: dict[Any, Node] = {}
    for node in order:  # the list grows during the loop
        for below in node._edges:
            if below in seen:
                continue
            kind = below.__class__
            if kind is AccumulateGrad:
                if below not in last or node._sequence < last[below]._sequence:
                    last[below] = node
                continue
            seen.add(below)
            if kind is Output:
                below = below._node
                if below in seen:
                    continue
                seen.add(below)
            order.append(below)
    order.sort(key=attrgetter("_sequence"), reverse=True)
    return order, last


def _by_node(last: dict[Any, Node]) -> dict[Node, list[Any]]:
    """For each node, the leaves that it contributes to last, in the order of its edges (the last edge to each leaf)."""
    found: dict[Node, list[Any]] = {}
    for leaf, node in last.items():
        if node in found:
            edges = node._edges[::-1]
            found[node] = sorted([*found[node], leaf], key=edges.index, reverse=True)
        else:
            found[node] = [leaf]
    return found


def _all_lead_to(targets: set[Any], order: list[Node], last: dict[Any, Node]) -> bool:
    """Whether the targets are exactly the leaves, as in most programs: then all nodes must run."""
    if not last or not last.keys() <= targets or any(leaf.__class__ is not AccumulateGrad for leaf in targets):
        return False
    for node in order:
        for edge in node._edges:
            if edge is not NO_EDGE:
                break
        else:
            return False  # a node that leads to no leaf need not run
    return True


def _leading_to(targets: set[Any], order: list[Node]) -> tuple[dict[Any, Sequence[Edge]], list[Node]]:
    """The nodes that must run for gradients to reach the targets, with the edges to follow.

    Edges that lead to no target are replaced by NO_EDGE: their gradients need not be computed. Also
    returns these nodes and the targets in running order.
    """
    leading: dict[Any, Sequence[Edge]] = {}
    running = []
    useful: set[Any] = targets - {None}
    for node in reversed(order):
        edges, leads, cut = node._edges, False, False
        for edge in edges:
            if edge in useful:
                leads = True
            elif edge.__class__ is Output and edge._node in useful:
                useful.add(edge)
                leads = True
            elif edge is not NO_EDGE:
                cut = True
        if leads:
            leading[node] = [e if e in useful else NO_EDGE for e in edges] if cut else edges
            useful.add(node)
            running.append(node)
        elif node in targets:
            running.append(node)
    running.reverse()
    return leading, running
