"""Buffers: they sum up the gradients that arrive at a node until it runs.

The buffer of a node with one output is a gradient, an array or a tensor. A node with several
outputs has a list of them. Gradients of rank 0 are NumPy scalars, with which NumPy computes seven
times as fast.
"""

from __future__ import annotations

from functools import lru_cache
from sys import getrefcount
from typing import Any

import numpy as np

from ..errors import error
from ..tensor import Tensor
from .node import Edge, Node

# By node, the sum of the gradients that have arrived.
Buffers = dict[Any, Any]


def _references() -> int:
    alone = np.empty(0)
    return getrefcount(alone)


# The reference count of an array that only one variable of a function refers to: it may be written
# to.
ALONE = _references()


def add(buffers: Buffers, node: Node, gradient: Any) -> None:
    """Add a gradient of the shape and dtype of the node's only output."""
    before = buffers.pop(node, None)
    if before is None:
        buffers[node] = gradient
    elif before.__class__ is np.ndarray and getrefcount(before) == ALONE and before.base is None and before.ndim:
        before += gradient
        buffers[node] = before
    else:
        buffers[node] = before + gradient


def deliver(buffers: Buffers, gradient: Any, edge: Edge, sender: Node | None, place: int) -> None:
    """Add a gradient (or None) to the buffer that its edge leads to, in the shape and dtype expected there.

    It is result number `place` of the sender, or the root of this number if `sender` is None.
    """
    node, number = edge._node, edge._number
    if node is None or gradient is None:
        return
    gradient = fitted(gradient, edge, sender, place)
    if node._outputs == 1:
        add(buffers, node, gradient)
        return
    slots = buffers.setdefault(node, [None] * node._outputs)
    slots[number] = gradient if slots[number] is None else slots[number] + gradient


def fitted(gradient: Any, edge: Edge, sender: Node | None, place: int) -> Any:
    """A gradient in the shape and dtype of its output, where `edge` leads; RuntimeError if its shape does not fit."""
    node: Any = edge._node
    shape, dtype = node._shape, node._dtype
    if node._outputs > 1:
        shape, dtype = shape[edge._number], dtype[edge._number]
    is_tensor = isinstance(gradient, Tensor)
    value = gradient._value if is_tensor else gradient
    if value.shape != shape:
        dims = broadcast_dims(value.shape, shape)
        if dims is None:
            who = "" if sender is None else f"Function {sender._name()} returned an "
            raise error("invalid_gradient", who, place, list(value.shape), list(shape))
        gradient = gradient.sum_to_size(shape) if is_tensor else unbroadcast(gradient, shape, dims)
    if value.dtype == dtype:
        return gradient
    return gradient.to(dtype) if is_tensor else gradient.astype(dtype)


def unbroadcast(array: np.ndarray, shape: tuple[int, ...], dims: tuple[int, ...]) -> np.ndarray:
    """Undo broadcasting from `shape` along `dims`: each element gets the sum of its copies' gradients."""
    total = np.add.reduce(array, axis=dims) if dims else array
    # No view if the shape fits already: a leaf can take over the memory of the sum, not of a view.
    return total if total.shape == shape else total.reshape(shape)


@lru_cache(maxsize=1024)
def broadcast_dims(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...] | None:
    """The dimensions that broadcasting from `target` to `shape` repeats; None if it cannot give that shape."""
    new = len(shape) - len(target)
    if new < 0 or any(t not in (1, n) for n, t in zip(shape[new:], target)):
        return None
    return tuple(i for i, n in enumerate(shape) if n != 1 and (i < new or target[i - new] == 1))
