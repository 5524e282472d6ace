"""`torch.autograd.graph`: gradient edges, hooks on several tensors, and hooks on saved tensors."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from ..errors import require
from ..tensor import Tensor, wrap
from .leaf import edge_of
from .modes import Flags, enable_grad, state
from .node import Node, RemovableHandle
from .version import increment_version

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "get_gradient_edge", "increment_version",
    "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
]  # fmt: skip


class GradientEdge(NamedTuple):
    """A place in the graph where a gradient arrives: at output `output_nr` of the operation whose backward is `node`.

    `backward` and `grad` accept it in place of a tensor; `get_gradient_edge` makes it.
    `ownership_token` keeps the node of a user's Function alive.

    >>> import autograd_teach as torch
    >>> y = torch.ones(1, requires_grad=True) * 2
    >>> torch.autograd.grad(y * 3, torch.autograd.graph.GradientEdge(y.grad_fn, 0))
    (tensor([3.]),)
    """

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place in the graph where the gradient of `tensor` arrives, a `GradientEdge`.

    It stands for the tensor in `backward` and `grad` without keeping its values alive. RuntimeError if the tensor does
    not require grad.

    >>> import autograd_teach as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x)
    >>> edge.node.name(), torch.autograd.grad(x * 3, edge)
    ('torch::autograd::AccumulateGrad', (tensor([3.]),))
    """
    require(tensor.requires_grad, "edge_without_gradient")
    node = _node_of(tensor)
    with enable_grad():
        # As in PyTorch, only for the node of a user's Function.
        token = tensor.view_as(tensor).grad_fn if hasattr(node, "needs_input_grad") else None
    return GradientEdge(node, tensor.output_nr, token)


def _node_of(place: Any) -> Node:
    """The node at which the gradient of a tensor or an edge arrives."""
    node: Any = place.node if isinstance(place, GradientEdge) else edge_of(place)._node
    require(node is not None, "no_node")
    return node


class _Handles(RemovableHandle):
    def __init__(self, handles: Iterable[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call `fn` once in each backward pass with the list of the gradients of `tensors`, when all have been computed.

    tensors: the list holds None for those that the pass does not reach. With `mode="any"`, `fn` is
    called with the first gradient only. Returns a handle: `handle.remove()` removes the hook.
    ValueError for another mode.

    >>> import autograd_teach as torch
    >>> x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook((x, y), print)
    >>> (x * 2 + y * 3).backward()
    [tensor([2.]), tensor([3.])]
    """
    require(mode in ("any", "all"), "multi_grad_hook_mode", mode)
    # For each running pass: the gradients so far, and how many are still to come.
    passes: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()

    def first(grad: Tensor) -> None:
        if state.run not in passes:
            passes[state.run] = [grad]
            fn(grad)

    if mode == "any":
        return _Handles(t.register_hook(first) for t in tensors if t.requires_grad)
    nodes = [_node_of(t) for t in tensors]

    def arrive(place: int, grad: Tensor) -> None:
        if state.run not in passes:
            passes[state.run] = [[None] * len(nodes), sum(map(state.run.will_run, nodes))]
        grads, _ = arrived = passes[state.run]
        grads[place] = grad
        arrived[1] -= 1
        if not arrived[1]:
            del passes[state.run]
            fn(grads)

    return _Handles(t.register_hook(partial(arrive, i)) for i, t in enumerate(tensors))


class saved_tensors_hooks(Flags):
    """In this context, nodes do not save a tensor but `pack_hook(tensor)`, which may for example store it on disk.

    When the backward pass needs the value, `unpack_hook` must return a tensor. Contexts nest: the
    innermost pair is used.

    >>> import autograd_teach as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.item(), lambda number: torch.tensor(number)):
    ...     y = x * x
    >>> torch.autograd.grad(y, x)
    (tensor(6.),)
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self._hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        self.flags = {"saved_tensors_hooks": (*state.saved_tensors_hooks, self._hooks)}
        super().__enter__()


class save_on_cpu(saved_tensors_hooks):
    """In this context, nodes save tensors in the CPU's memory, which saves memory of a GPU.

    This package computes on the CPU only, so nothing moves. As with all hooks, saved tensors are
    not checked for writes in place. pin_memory: if True, a copy is kept. device_type: ignored.

    >>> import autograd_teach as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = x * x
    >>> torch.autograd.grad(y, x)
    (tensor(6.),)
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor.clone() if pin_memory else tensor, lambda packed: packed)


class _Kept:
    """Stands for a saved tensor: the context holds the tensor and, after a write, its copy."""

    def __init__(self, counter: Any) -> None:
        self.counter = counter


class _AllowMutationOnSavedContext:
    """The tensors saved in the context: each is the tensor itself until its memory is written to, then a copy."""

    def __init__(self) -> None:
        self.original: weakref.WeakKeyDictionary[_Kept, Tensor] = weakref.WeakKeyDictionary()
        self.cloned: weakref.WeakKeyDictionary[_Kept, Tensor] = weakref.WeakKeyDictionary()

    def clear(self) -> None:
        """Forget all saved tensors."""
        self.original.clear()
        self.cloned.clear()

    def _pack(self, tensor: Tensor) -> _Kept:
        kept = _Kept(tensor._counter)
        self.original[kept] = tensor.detach()
        return kept

    def _unpack(self, kept: _Kept) -> Tensor:
        require(kept in self.original, "mutation_context_is_over")
        return self.cloned.get(kept, self.original[kept])

    def _before_write(self, written: Tensor) -> None:
        for kept, tensor in self.original.items():
            if kept.counter is written._counter and kept not in self.cloned:
                self.cloned[kept] = wrap(tensor._array.copy())


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """In this context, saved tensors may be changed in place: their old values are copied before the write.

    Forward and backward must both run in it, else AssertionError. RuntimeError if these contexts
    nest.

    >>> import autograd_teach as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     factor = torch.tensor([2.0])
    ...     y = x * factor
    ...     _ = factor.zero_()
    ...     y.backward()
    >>> x.grad
    tensor([2.])
    """
    require(state.before_write is None, "mutation_contexts_nest")
    context = _AllowMutationOnSavedContext()
    state.before_write = context._before_write
    try:
        with saved_tensors_hooks(context._pack, context._unpack):
            yield context
    finally:
        state.before_write = None
        context.clear()
