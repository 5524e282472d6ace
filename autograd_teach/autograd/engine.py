"""Runs a graph backward.

The nodes below the roots are collected, and run from the last made to the first. By then every gradient that a node waits for
has arrived, because whatever used its result was made after it. A leaf's accumulator runs as soon as its last contribution is in.

Without `create_graph` gradients travel as NumPy arrays; with it they are tensors, and the formulas record what they compute.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from ..tensor import Tensor, wrap
from .graph import NO_EDGE, AccumulateGrad, Edge, Hooks, Node
from .modes import state

_by_sequence = attrgetter("_sequence")


def run_backward(
    roots: Sequence[tuple[Edge, Tensor]],
    *,
    retain_graph: bool,
    create_graph: bool,
    inputs: Sequence[Edge] | None = None,
    accumulate: bool = True,
) -> list[Any]:
    """Send each root's gradient down its edge.

    With `inputs`, only what leads to these edges is run; with `accumulate` the gradients end in `.grad` of the leaves (and, of
    the inputs only), otherwise they are returned in the order of `inputs`, None where none arrived.
    """
    outer, run = state.grad_enabled, state.run
    state.grad_enabled = create_graph and not state.inference
    try:
        return _Run(roots, retain_graph, create_graph, inputs, accumulate).results()
    finally:
        state.grad_enabled, state.run = outer, run


class _Run:
    """One backward pass: the gradients that have arrived at each node, and how many a leaf still waits for."""

    def __init__(
        self,
        roots: Sequence[tuple[Edge, Tensor]],
        retain_graph: bool,
        create_graph: bool,
        inputs: Sequence[Edge] | None,
        accumulate: bool,
    ) -> None:
        self.create_graph = create_graph
        self.inputs = inputs or ()
        # With `inputs`: the nodes they are outputs of, and the nodes that must run for gradients to get there.
        self.asked = None if inputs is None else {node for node, _ in inputs}
        self.accumulate = accumulate
        self.arithmetic = _OnTensors if create_graph else _OnArrays
        # Gradients that wait at a node: one, or for a node of several outputs a list of them.
        self.waiting: dict[Node, Any] = {}
        # Where the waiting gradient is a sum made here, which further contributions may be added to in place.
        self.owned: set[Node] = set()
        self.captured: dict[Edge, Any] = {}
        order, self.pending = _collect(edge[0] for edge, _ in roots if edge[0] is not None)
        self.order = order
        # What hooks of several tensors ask whether a tensor's gradient will arrive.
        state.run = self
        self.wanted = None if inputs is None else _leading_to(inputs, order)
        if self.asked is not None and self.wanted is not None and accumulate:
            # PyTorch runs, and so frees, the node of an input too where the gradient is stored rather than returned.
            for node in self.asked:
                if node is not None and node not in self.wanted:
                    self.wanted[node] = (NO_EDGE,) * len(node._edges)
        for edge, gradient in roots:
            self._deliver(edge, gradient if create_graph else gradient._array)
        for node in [n for n in self.waiting if isinstance(n, AccumulateGrad)]:
            if not self.pending.get(node):
                self._finish_leaf(node)
        self._run(order, retain_graph)

    def will_run(self, node: Node) -> bool:
        """Whether a gradient is to arrive at this node; RuntimeError for a leaf whose gradient is returned, as PyTorch has it."""
        asked = self.asked or set()
        if not self.accumulate and node in asked and isinstance(node, AccumulateGrad):
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
                "currently not supported."
            )
        if self.wanted is not None and node not in self.wanted and node not in asked:
            return False
        return node in self.pending or node in self.order

    def results(self) -> list[Any]:
        return [self.captured.get(edge) for edge in self.inputs]

    def _run(self, order: list[Node], retain_graph: bool) -> None:
        waiting, pending, owned = self.waiting, self.pending, self.owned
        wanted, create_graph = self.wanted, self.create_graph
        fit, add = self.arithmetic.fit, self.arithmetic.add
        for node in order:
            grad = waiting.pop(node, None)
            edges: Sequence[Edge] = node._edges
            hooks = node._hooks
            arrived = grad is not None
            if not arrived:
                if hooks is None and not node._runs_without_gradient:
                    # Nothing arrived: what it would have sent on does not arrive either.
                    for edge in edges:
                        if edge[0] in pending:
                            self._count_down(edge[0])
                    continue
                grad = None if node._outputs == 1 else [None] * node._outputs
            if wanted is not None:
                kept = wanted.get(node)
                if kept is None:
                    if arrived:
                        self._capture(node, self._tensor_hooks(node, hooks, grad))
                    continue
                # PyTorch keeps the gradient before its hooks where the node runs too.
                self._capture(node, grad)
                edges = kept
            if hooks is not None:
                grad = self._tensor_hooks(node, hooks, grad)
            results: Sequence[Any]
            if hooks is not None:
                results = self._run_hooked(node, hooks, grad, edges)
            elif create_graph:
                results = node._backward_graph(grad, edges)
            else:
                results = node._backward(grad, edges)
            if not retain_graph:
                node._free()
            # The loop below is `_deliver`, written out: it runs once an edge, and is half of the engine's time.
            for edge, result in zip(edges, results):
                target = edge[0]
                if target is None:
                    continue
                if result is not None:
                    if target._outputs == 1:
                        if result.shape != target._shape or result.dtype is not target._dtype:
                            result = fit(result, target._shape, target._dtype, node, edges, edge)
                        if target not in waiting:
                            waiting[target] = result
                        elif target in owned:
                            waiting[target] += result
                        else:
                            waiting[target] = add(waiting[target], result)
                            if not create_graph and len(target._shape):
                                owned.add(target)
                    else:
                        self._deliver(edge, result, node, edges)
                if target in pending:
                    self._count_down(target)

    def _deliver(self, edge: Edge, gradient: Any, sender: Node | None = None, edges: Sequence[Edge] = ()) -> None:
        """Put a gradient where its edge leads, beside those that have arrived there."""
        node, number = edge
        if node is None:
            return
        gradient = self._fitted(gradient, sender, edges, edge)
        if node._outputs == 1:
            earlier = self.waiting.get(node)
            self.waiting[node] = gradient if earlier is None else self.arithmetic.add(earlier, gradient)
            return
        slots = self.waiting.setdefault(node, [None] * node._outputs)
        earlier = slots[number]
        slots[number] = gradient if earlier is None else self.arithmetic.add(earlier, gradient)

    def _fitted(self, gradient: Any, sender: Node | None, edges: Sequence[Edge], edge: Edge) -> Any:
        """A gradient in the shape and dtype of the output that it is the gradient of."""
        node, number = edge
        assert node is not None
        many = node._outputs > 1
        shape = node._shape[number] if many else node._shape
        dtype = node._dtype[number] if many else node._dtype
        return self.arithmetic.fit(gradient, shape, dtype, sender, edges, edge)

    def _count_down(self, leaf: Any) -> None:
        self.pending[leaf] -= 1
        if not self.pending[leaf]:
            self._finish_leaf(leaf)

    def _finish_leaf(self, leaf: AccumulateGrad) -> None:
        """All contributions to a leaf are in: run its hooks, and store or keep the sum."""
        if self.asked is not None and leaf not in self.asked:
            return
        gradient = self.waiting.pop(leaf, None)
        variable, hooks = leaf.variable, leaf._hooks
        if hooks is None and variable._leaf_hooks is None and (self.accumulate or gradient is None):
            if gradient is not None:
                self.arithmetic.accumulate(variable, gradient)
                variable._run_post_accumulate_grad_hooks()
            return
        tensor = self._to_tensor(gradient)
        for hook in list((variable._leaf_hooks or {}).values()):
            tensor = _replaced(tensor, hook)
        if not self.accumulate:
            self.captured[leaf, 0] = self._from_tensor(tensor)
            return
        for hook in list(hooks.pre.values()) if hooks else ():
            (tensor,) = _replaced_tuple((tensor,), hook, (tensor,))
        if tensor is not None:
            self.arithmetic.accumulate(variable, self._from_tensor(tensor))
            variable._run_post_accumulate_grad_hooks()
        for hook in list(hooks.post.values()) if hooks else ():
            hook((), (tensor,))

    # Hooks

    def _tensor_hooks(self, node: Node, hooks: Hooks | None, grad: Any) -> Any:
        """The incoming gradients after the hooks of the tensors they belong to; kept where `retain_grad` asks for it."""
        if hooks is None:
            return grad
        many = node._outputs > 1
        grads = list(grad) if many else [grad]
        for number, hook in list(hooks.tensor.values()):
            grads[number] = self._from_tensor(_replaced(self._to_tensor(grads[number]), hook))
        for number, reference in hooks.retain.items():
            tensor = reference()
            if tensor is not None and grads[number] is not None:
                gradient = self._to_tensor(grads[number])
                tensor._grad = gradient.clone() if tensor._grad is None else tensor._grad + gradient
        return grads if many else grads[0]

    def _run_hooked(self, node: Node, hooks: Hooks, grad: Any, edges: Sequence[Edge]) -> Sequence[Any]:
        many = node._outputs > 1
        outputs = tuple(self._to_tensor(g) for g in (grad if many else [grad]))
        for hook in list(hooks.pre.values()):
            outputs = _replaced_tuple(outputs, hook, outputs)
        given = [self._from_tensor(g) for g in outputs]
        results: Sequence[Any]
        if node._runs_without_gradient or any(g is not None for g in given):
            backward = node._backward_graph if self.create_graph else node._backward
            results = backward(given if many else given[0], edges)
        else:
            results = [None] * len(edges)
        if not hooks.post:
            return results
        sent = tuple(
            None if r is None or e[0] is None else self._to_tensor(self._fitted(r, node, edges, e))
            for r, e in zip(results, edges)
        )
        for hook in list(hooks.post.values()):
            sent = _replaced_tuple(sent, hook, sent, outputs)
        return [self._from_tensor(g) for g in sent]

    def _to_tensor(self, gradient: Any) -> Any:
        return gradient if gradient is None or self.create_graph else wrap(np.asarray(gradient))

    def _from_tensor(self, gradient: Any) -> Any:
        return gradient if gradient is None or self.create_graph else gradient._array

    # Inputs

    def _capture(self, node: Node, grad: Any) -> None:
        """Keep the gradient of a node's outputs that were asked for."""
        assert self.asked is not None
        if node in self.asked:
            for edge in self.inputs:
                if edge[0] is node:
                    self.captured[edge] = grad[edge[1]] if node._outputs > 1 else grad


def _replaced(gradient: Tensor | None, hook: Callable[..., Any]) -> Tensor | None:
    """The gradient that a tensor's hook returns in place of the one it is called with."""
    returned = hook(gradient)
    return gradient if returned is None else _checked(gradient, returned, hook)


def _replaced_tuple(gradients: tuple[Any, ...], hook: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    """The gradients that a node's hook, called with `arguments`, returns in place of `gradients`."""
    returned = hook(*arguments)
    if returned is None:
        return gradients
    if not isinstance(returned, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(returned).__name__}'")
    if len(returned) != len(gradients):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(returned)}, but expected "
            f"{len(gradients)})"
        )
    return tuple(None if r is None else _checked(g, r, hook) for g, r in zip(gradients, returned))


def _checked(gradient: Tensor | None, returned: Any, hook: Callable[..., Any]) -> Tensor:
    """What a hook returned, if it can stand for the gradient."""
    if gradient is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(returned, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(returned).__name__}'")
    if returned.dtype is not gradient.dtype:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was {gradient.dtype.tensor_type} got "
            f"{returned.dtype.tensor_type})"
        )
    if returned.shape != gradient.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return returned


def _name(hook: Callable[..., Any]) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _collect(roots: Iterable[Node]) -> tuple[list[Node], dict[Node, int]]:
    """The nodes below the roots in the order in which they run, and for each leaf how many edges lead to it."""
    seen = set(roots)
    stack = list(seen)
    order: list[Node] = []
    pending: dict[Node, int] = {}
    while stack:
        node = stack.pop()
        if isinstance(node, AccumulateGrad):
            continue
        order.append(node)
        for below, _ in node._edges:
            if below is None:
                continue
            if below.__class__ is AccumulateGrad:
                pending[below] = pending.get(below, 0) + 1
            elif below not in seen:
                seen.add(below)
                stack.append(below)
    order.sort(key=_by_sequence, reverse=True)
    return order, pending


def _leading_to(inputs: Sequence[Edge], order: list[Node]) -> dict[Node, Sequence[Edge]]:
    """The nodes that must run for gradients to reach the inputs: those with an edge to one, or to such a node.

    Each with its edges, of which those that lead to no input are cut: their gradients need not be computed.
    """
    leading: dict[Node, Sequence[Edge]] = {}
    targets = set(inputs)
    nodes = {node for node, _ in inputs}
    for node in reversed(order):
        kept = [edge[0] in leading or (edge[0] in nodes and edge in targets) for edge in node._edges]
        if all(kept) and kept:
            leading[node] = node._edges
        elif any(kept):
            leading[node] = tuple(edge if keep else NO_EDGE for edge, keep in zip(node._edges, kept))
    return leading


def _invalid(node: Node | None, edges: Sequence[Edge], edge: Edge, got: Any, expected: Any) -> RuntimeError:
    name = "GraphRoot" if node is None else node.name()
    index = next((i for i, e in enumerate(edges) if e is edge), 0)
    return RuntimeError(
        f"Function {name} returned an invalid gradient at index {index} - got {list(got)} but expected shape compatible "
        f"with {list(expected)}"
    )


@functools.lru_cache(maxsize=1024)
def _repeated(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...] | None:
    """The dimensions in which broadcasting from `target` to `shape` repeated; None if it could not have."""
    new = len(shape) - len(target)
    if new < 0 or any(t not in (1, n) for n, t in zip(shape[new:], target)):
        return None
    return tuple(i for i, n in enumerate(shape) if n != 1 and (i < new or target[i - new] == 1))


class _OnArrays:
    """What the engine itself computes, on arrays."""

    @staticmethod
    def fit(
        gradient: np.ndarray,
        shape: tuple[int, ...],
        dtype: np.dtype,
        node: Node | None,
        edges: Sequence[Edge],
        edge: Edge,
    ) -> np.ndarray:
        """A gradient in the shape and dtype of what it is the gradient of: broadcasting is undone by summing."""
        if gradient.shape != shape:
            dims = _repeated(gradient.shape, shape)
            if dims is None:
                raise _invalid(node, edges, edge, gradient.shape, shape)
            gradient = (np.add.reduce(gradient, axis=dims) if dims else gradient).reshape(shape)
        return gradient if gradient.dtype == dtype else gradient.astype(dtype)

    @staticmethod
    def add(a: np.ndarray, b: np.ndarray) -> Any:
        return a + b

    @staticmethod
    def accumulate(variable: Tensor, gradient: Any) -> None:
        """Add to `.grad`: in place, so that who holds it sees it; a first gradient is copied, for its buffer may be shared."""
        if variable._grad is None:
            variable._grad = wrap(np.array(gradient, order="C"))
        else:
            np.add(variable._grad._array, gradient, out=variable._grad._array)
            variable._grad._counter[0] += 1


class _OnTensors:
    """The same on tensors, which records it."""

    @staticmethod
    def fit(
        gradient: Tensor,
        shape: tuple[int, ...],
        dtype: np.dtype,
        node: Node | None,
        edges: Sequence[Edge],
        edge: Edge,
    ) -> Tensor:
        array = gradient._array
        if array.shape != shape:
            if _repeated(array.shape, shape) is None:
                raise _invalid(node, edges, edge, array.shape, shape)
            gradient = gradient.sum_to_size(shape)
        return gradient if array.dtype == dtype else gradient.to(dtype)

    @staticmethod
    def add(a: Tensor, b: Tensor) -> Tensor:
        return a + b

    @staticmethod
    def accumulate(variable: Tensor, gradient: Tensor) -> None:
        if variable._grad is None:
            # A copy in the variable's own layout, as PyTorch makes it: its graph ends in CopyBackwards.
            variable._grad = wrap(np.empty_like(variable._array, order="C")).copy_(gradient)
        else:
            variable._grad = variable._grad + gradient


def accumulate(variable: Tensor, gradient: Tensor) -> None:
    """Add a gradient that did not come through a backward pass to `.grad`; in grad mode that is recorded."""
    if state.grad_enabled:
        _OnTensors.accumulate(variable, gradient)
    else:
        _OnArrays.accumulate(variable, gradient._array)
