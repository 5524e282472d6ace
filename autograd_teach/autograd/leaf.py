"""Accumulators, which add gradients to the `.grad` of leaves, and `edge_of`, the edge into a tensor's graph."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from sys import getrefcount
from typing import Any

import numpy as np

from ..dtypes import contiguous_format
from ..errors import error, require
from ..geometry import internal_overlap
from ..tensor import Tensor, wrap
from .modes import state
from .node import NO_EDGE, Edge, Node, next_sequence_number


def _references(argument: Any) -> int:
    return getrefcount(argument)


# The reference count of an argument that nothing else refers to, as `_backward` sees it.
_ALONE = _references(np.empty(0))


class AccumulateGrad(Node):
    """The node at which the backward pass ends: adds the incoming gradient to `.grad` of a leaf, its `variable`."""

    # Nodes print like PyTorch's, whose classes belong to no module.
    __module__ = "builtins"
    __slots__ = ("variable",)
    _runs_without_gradient = True
    _prefix = "torch::autograd::"

    def __init__(self, variable: Tensor) -> None:
        value = variable._value
        self._edges, self._sequence, self._hooks, self.variable = (), next_sequence_number(), None, variable
        self._shape, self._dtype = value.shape, value.dtype
        self._kind = None if value.ndim else value.dtype.type
        if variable._leaf_hooks is not None:
            self._hook_lists().tensor = variable._leaf_hooks

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[()]:
        """Add the gradient to `.grad`.

        In place, so existing references to `.grad` see the update. The first gradient is copied,
        unless nothing else refers to its memory.
        """
        variable = self.variable
        total = variable._grad
        if grad is None or (variable._edge is not None and not variable.requires_grad):
            pass
        elif total is None:
            array = variable._value
            if grad.__class__ is np.ndarray:
                alone = getrefcount(grad) == _ALONE and grad.base is None
                if not alone or grad.strides != array.strides:
                    given, grad = grad, np.empty_like(variable._array)
                    grad[...] = given
            variable._grad = wrap(grad)
        else:
            if grad.__class__ is not np.ndarray and grad.__class__ is total._value.__class__:
                total._value = total._value + grad  # type: ignore[operator]  # two scalars of one dtype
            else:
                if total._array.base is not None and internal_overlap(total._array):
                    raise error("write_to_repeated")
                try:
                    np.add(total._array, grad, out=total._array)
                except ValueError:
                    raise error("write_of_shape", list(total.shape), list(grad.shape)) from None
            require(not total.is_inference() or state.mode.inference, "inference_tensor_written")
            total._counter.bump()
        return self._hooked() if variable._post_accumulate_grad_hooks else ()

    def _backward_graph(self, grad: Any, edges: Sequence[Edge]) -> tuple[()]:
        variable = self.variable
        if not state.mode.recording:
            return self._backward(None if grad is None else grad._array, edges)
        if grad is not None and variable.requires_grad:
            if variable._grad is None:
                # As in PyTorch, a copy with the variable's strides, with the graph of `copy_`
                # (CopyBackwards). Not if the variable has gaps.
                own = np.empty_like(variable._array)
                same = own.strides == variable._array.strides
                variable._grad = wrap(own).copy_(grad) if same else grad.clone(memory_format=contiguous_format)
            else:
                variable._grad = variable._grad + grad
        return self._hooked()

    def _hooked(self) -> tuple[()]:
        """Call the post-accumulate hooks, also if no gradient arrived."""
        results = [self.variable]
        for hook in list((self.variable._post_accumulate_grad_hooks or {}).values()):
            # As in PyTorch, the next hook gets what this one returns, and all of them run before
            # the error.
            results += replaced((results[-1],), hook, results[-1])
        require(all(r is self.variable for r in results), "post_accumulate_hook_returns")
        return ()


def replaced(gradients: tuple[Any, ...], hook: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    """The gradients after `hook(*arguments)`: the hook of a node returns a tuple, the hook of a tensor one gradient."""
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


def edge_of(tensor: Tensor) -> Edge:
    """The edge into the tensor's graph: made on demand for a leaf, brought up to date for a view.

    A leaf refers to its accumulator weakly, and the accumulator to the leaf: a graph keeps its
    leaves alive; a leaf does not keep the graph alive.
    """
    view = tensor._view
    if view is not None:
        # Most often nothing was written since the view was made, and its edge is still right.
        known = view.edge if view.version == tensor._counter.version else None
        edge = view.edge_of(tensor) if known is None or known is NO_EDGE else known
    else:
        edge = tensor._edge
    if edge is not None:
        return edge
    node = tensor._accumulator() if tensor._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(node)
    return node
