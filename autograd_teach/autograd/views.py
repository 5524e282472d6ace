"""Views, which share the memory of another tensor (their base), and writes in place, which views make difficult.

A view has the history of its base. If the base requires grad, a view keeps the edge it was made
with until the memory is written to; then its place in the graph is a strided part of the base. A
write in place increases the version that all tensors of a memory share. The history of the written
value becomes the history of the tensor; for a view, of its base (`CopySlices`).

This file contains what a view stores (`View`), the checks before a write (`refuse_...`), and the
write itself (`write`). It uses nodes and tensors; of the operations, it calls only methods of
Tensor.
"""

from __future__ import annotations

import enum
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..errors import error
from ..geometry import geometry_of, internal_overlap, partial_overlap, strided_view
from ..tensor import Tensor, wrap
from .leaf import edge_of
from .modes import inference_mode, state
from .node import LOST, NO_EDGE, Edge, Node, operation_name
from .saved import freed
from .version import InferenceCounter, VersionCounter

_new = object.__new__

# What a view is


class CreationMeta(enum.Enum):
    """How a view was made. Except for DEFAULT, a write through the view or its base cannot be recorded."""

    DEFAULT = "default"  # writes are recorded
    NO_GRAD_MODE = "no_grad"
    INFERENCE_MODE = "inference"
    MULTI_OUTPUT_NODE = "many"  # one of several views that an operation returns
    IN_CUSTOM_FUNCTION = "function"  # in a user's Function


DEFAULT, NO_GRAD_MODE, INFERENCE_MODE, MULTI_OUTPUT_NODE, IN_CUSTOM_FUNCTION = CreationMeta


class View:
    """What a view stores about its base: `tensor._view`."""

    __slots__ = ("base", "creation_meta", "edge", "version")
    # Never a view itself: a view of a view has the same base.
    base: Tensor
    # As `tensor._edge`, but None for a leaf: the edge it was made with, or the one computed since.
    edge: Edge | None
    # The version of the memory when the edge was set.
    version: int
    creation_meta: CreationMeta

    @property
    def requires_grad(self) -> bool:
        """Whether the view or its base requires grad."""
        return self.edge is not NO_EDGE or self.base.requires_grad

    def edge_of(self, tensor: Tensor) -> Edge | None:
        """The current edge of `tensor`, whose view this is; RuntimeError after a write that could not be recorded."""
        edge, base = self.edge, self.base
        if self.version == tensor._counter.version:
            return edge if edge is not NO_EDGE or not base.requires_grad else LOST
        if self.creation_meta is not DEFAULT and ((edge or NO_EDGE)._node is not None or base.requires_grad):
            raise forbidden_write(self, edge, "its base or another view of its base has been")
        if base.requires_grad:
            with inference_mode(False):  # records, even inside no_grad
                edge = edge_of(base.as_strided(*geometry_of(tensor._array)))
            self.version = tensor._counter.version  # set first, because the next line may ask for the edge again
            tensor._become(edge)
        return edge

    def set_edge(self, tensor: Tensor, edge: Edge | None) -> None:
        """Set the place in the graph of `tensor`, whose view this is."""
        self.edge, self.version = edge, tensor._counter.version


def view_of(tensor: Any, array: np.ndarray) -> Tensor:
    """A view of `tensor` with the memory `array`, a part of its memory."""
    output = _new(Tensor)
    counter = tensor._versions
    if counter is None:
        counter = tensor._versions = VersionCounter()
    output._value, output._versions = array, counter
    if counter.__class__ is InferenceCounter:
        return output  # without versions, writes need not be noticed
    output._edge = None
    view = output._view = _new(View)
    view.edge, view.version = NO_EDGE, counter.version
    parent = tensor._view
    if parent is None:
        view.base, view.creation_meta = tensor, DEFAULT
    else:
        view.base, view.creation_meta = parent.base, parent.creation_meta
    mode = state.mode
    if not mode.recording:
        view.creation_meta = INFERENCE_MODE if mode.inference else NO_GRAD_MODE
    return output


def views_of(tensor: Tensor, arrays: list[np.ndarray]) -> list[Tensor]:
    """The views that one operation with several outputs returns."""
    views: list[Any] = [view_of(tensor, array) for array in arrays]
    for view in views if state.mode.recording and not tensor.is_inference() else ():
        view._view.creation_meta = MULTI_OUTPUT_NODE
    return views


# Checks before a write


def refuse_in_place(tensor: Tensor) -> None:
    """RuntimeError if a write in place cannot be recorded: to a leaf, to a view of a leaf, or to certain views."""
    view = tensor._view
    if view is not None:
        if view.creation_meta is not DEFAULT:
            raise forbidden_write(view, view.edge, "is being")
        if view.requires_grad and view.base.is_leaf:
            raise error("in_place_on_view_of_leaf")
        if view.requires_grad and view.edge is NO_EDGE:
            # Made before its base required grad, and not used since: PyTorch treats it as a leaf.
            raise error("in_place_on_leaf")
    if tensor._edge is not NO_EDGE and tensor.requires_grad and tensor.is_leaf:
        raise error("in_place_on_leaf")


def forbidden_write(view: View, edge: Edge | None, what: str) -> Exception:
    """The error for a write that cannot be recorded; `what` was written to: the view, its base, or another view."""
    node, number = (edge or NO_EDGE)._node, (edge or NO_EDGE)._number
    head = "A view" if node is None else f"Output {number} of {operation_name(node)} is a view"
    name = f"view_made_by_{view.creation_meta.value}"
    if view.creation_meta is INFERENCE_MODE:
        return error(name, f"{head} was created in inference mode and {what} modified inplace in normal mode.")
    if node is not None and view.creation_meta is not NO_GRAD_MODE:
        return error(name, f"{head} and {what} modified inplace.")
    of = "" if node is None else " of a view which"
    return error(name, f"{head}{of} was created in no_grad mode and {what} modified inplace with grad mode enabled.")


def refuse_overlap(target: Tensor, operands: Sequence[Tensor]) -> None:
    """RuntimeError if an element would be written twice, or written before another one is computed from it."""
    if internal_overlap(target._array) or not target._array.flags.writeable:
        raise error("write_to_repeated")
    for operand in operands:
        if operand is not target and partial_overlap(target._array, operand._array):
            raise error("write_overlaps")


# The write, and its effect on the history


def write(tensor: Tensor, value: Tensor) -> Tensor:
    """Copy the values of `value`, an operation's result, into `tensor`, together with its history."""
    target, source, counter = tensor._array, value._array, tensor._counter
    if source.shape != target.shape:
        raise error("write_of_shape", list(target.shape), list(source.shape))
    if dtypes.category(source.dtype) > dtypes.category(target.dtype):
        raise error("write_of_dtype", dtypes.title(source), dtypes.title(target))
    if state.before_write is not None:
        state.before_write(tensor)
    np.copyto(target, source, casting="unsafe")
    if tensor.is_inference() and not state.mode.inference:
        raise error("inference_tensor_written")
    counter.bump()
    if not value.requires_grad or target.dtype.kind != "f":
        return tensor
    node: Any = edge_of(value)
    saved = getattr(node, "_s_result", None)
    if type(saved) is tuple and saved[1] is value._counter:
        # The saved result is now this memory at this version.
        node._s_result = (target, counter, counter.version)
    # The value was converted to the dtype of `tensor`, so the gradient has that dtype too.
    node._expect(node._shape, target.dtype)
    rebase_history(tensor, node)
    return tensor


def rebase_history(tensor: Tensor, edge: Any) -> None:
    """Make `edge`, an output of the node that wrote, the history of `tensor`; for a view, of its base too."""
    counter = tensor._counter
    if tensor._view is None:
        counter.writer = (type(edge._node), edge._number)
        tensor._become(edge)
        return
    base = tensor._view.base
    base._become(CopySlices(base, tensor, edge._node))
    counter.writer = (CopySlices, 0)
    # `edge_of` updates the view's edge: to a part of the base as it is now.
    edge._node._written = weakref.ref(edge_of(tensor)._node)


class CopySlices(Node):
    """The backward of a write into a view: the write's node gets the gradient of the part that was written."""

    # Nodes print like PyTorch's, whose classes belong to no module.
    __module__ = "builtins"
    _prefix = "torch::autograd::"

    def __init__(self, base: Tensor, view: Tensor, write: Node) -> None:
        base_edge = edge_of(base) if base.requires_grad else NO_EDGE
        super().__init__((base_edge, *write._edges[1:]), base._array.shape, base._array.dtype)
        self._write: Node | None = write
        self._base, self._view = geometry_of(base._array), geometry_of(view._array)

    def _places(self, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
        """A memory of zeros, as two arrays: with the base's geometry and with the view's."""
        memory = np.zeros(max(self._base.extent, self._view.extent), dtype)
        return strided_view(memory, self._base), strided_view(memory, self._view)

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        write = self._write or freed()
        whole, part = self._places(grad.dtype)
        whole[...] = grad
        first, *others = write._backward(part.copy(), (write._edges[0], *edges[1:]))
        part[...] = 0 if first is None else first
        return (None if edges[0] is NO_EDGE else whole, *others)

    def _backward_graph(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        write = self._write or freed()
        whole = wrap(self._places(grad._array.dtype)[0]).copy_(grad)
        part = whole.as_strided(*self._view)
        first, *others = write._backward_graph(part.clone(), (write._edges[0], *edges[1:]))
        part.zero_() if first is None else part.copy_(first)
        return (None if edges[0] is NO_EDGE else whole, *others)

    def _free(self) -> None:
        self._write = None  # other nodes may still refer to it


def changed_geometry(tensor: Tensor, output: Tensor) -> Tensor:
    """Give `tensor` the geometry of `output`, a view of it, in place: for `t_()` and the like."""
    tensor._array = output._array
    tensor._counter.bump()
    if output.requires_grad:
        node = edge_of(output)
        tensor._set_edge(node)
        tensor._counter.writer = (type(node), 0)
    return tensor
