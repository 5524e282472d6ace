"""Gradients on their way: where they wait, added up, at the nodes of a backward pass until all have arrived.

The buffer of a node of one output is a gradient, an array or a tensor; that of a node of several outputs is a list of them.
Arrays of rank 0 travel as NumPy scalars, with which NumPy computes seven times as fast.
"""

from __future__ import annotations

from functools import lru_cache
from sys import getrefcount
from typing import Any

import numpy as np

from ..errors import error
from ..tensor import Tensor
from .node import Edge, Node

# By node, the gradients that wait there.
Buffers = dict[Any, Any]


def _references() -> int:
    alone = np.empty(0)
    return getrefcount(alone)


# How many references there are to an array that only one variable of a function holds: it may be written to.
ALONE = _references()


def add(buffers: Buffers, node: Node, gradient: Any) -> None:
    """Add a contribution that has the shape and dtype of the node's one output."""
    before = buffers.pop(node, None)
    if before is None:
        buffers[node] = gradient
    elif before.__class__ is np.ndarray and getrefcount(before) == ALONE and before.base is None and before.ndim:
        before += gradient
        buffers[node] = before
    else:
        buffers[node] = before + gradient


def deliver(buffers: Buffers, gradient: Any, edge: Edge, sender: Node | None, place: int) -> None:
    """Bring a gradient, or None, to where its edge leads, in the shape and dtype that are expected there.

    It is result number `place` of the sender, or of the roots.
    """
    node, number = edge.node, edge.number
    if node is None or gradient is None:
        return
    gradient = fitted(gradient, edge, sender, place)
    if node._outputs == 1:
        add(buffers, node, gradient)
        return
    slots = buffers.setdefault(node, [None] * node._outputs)
    slots[number] = gradient if slots[number] is None else slots[number] + gradient


def fitted(gradient: Any, edge: Edge, sender: Node | None, place: int) -> Any:
    """A gradient in the shape and dtype of the output that it is the gradient of; RuntimeError if it cannot be."""
    node: Any = edge.node
    shape, dtype = node._shape, node._dtype
    if node._outputs > 1:
        shape, dtype = shape[edge.number], dtype[edge.number]
    is_tensor = isinstance(gradient, Tensor)
    value = gradient._value if is_tensor else gradient
    if value.shape != shape:
        dims = broadcast_dims(value.shape, shape)
        if dims is None:
            who = "" if sender is None else f"Function {sender.name()} returned an "
            raise error("invalid_gradient", who, place, list(value.shape), list(shape))
        gradient = gradient.sum_to_size(shape) if is_tensor else unbroadcast(gradient, shape, dims)
    if value.dtype == dtype:
        return gradient
    return gradient.to(dtype) if is_tensor else gradient.astype(dtype)


def unbroadcast(array: np.ndarray, shape: tuple[int, ...], dims: tuple[int, ...]) -> np.ndarray:
    """Undo broadcasting from `shape`, which repeated in `dims`: each element gets the sum of its copies' gradients."""
    total = np.add.reduce(array, axis=dims) if dims else array
    # A view would have to be copied where a leaf could take over the sum itself.
    return total if total.shape == shape else total.reshape(shape)


@lru_cache(maxsize=1024)
def broadcast_dims(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...] | None:
    """The dimensions in which broadcasting from `target` to `shape` repeats; None if it cannot give that shape."""
    new = len(shape) - len(target)
    if new < 0 or any(t not in (1, n) for n, t in zip(shape[new:], target)):
        return None
    return tuple(i for i, n in enumerate(shape) if n != 1 and (i < new or target[i - new] == 1))
