"""What nodes keep of the forward pass, and what may have become of it.

A saved value is `(array, counter, version)`, never a tensor: a result that its own node holds would be a cycle. It is good
while the counter still shows that version: generated code then takes the array and asks nothing. All else comes to `unpack`:
a value that was written to, or one that hooks packed, whose counter never shows its version.
"""

from __future__ import annotations

import traceback
import warnings
import weakref
from os.path import dirname
from typing import Any

import numpy as np

from ..errors import error, require
from ..tensor import Tensor
from . import modes
from .leaf import AccumulateGrad
from .modes import no_grad, state
from .node import NO_EDGE, Edge, Node, operation_name
from .version import NumberCounter, VersionCounter, changed

Saved = tuple[Any, VersionCounter, int]

# Where the frames of a traceback are that are not the user's.
_OURS = ("<autograd_teach", dirname(dirname(__file__)))
# The counter of a value that hooks packed: `(packed, unpack hook)` stands in the array's place.
_PACKED = VersionCounter()


def freed(node: Node) -> Any:
    """What a node does that is asked for a saved value it no longer has."""
    raise error("freed")


def unpack(node: Node, value: Saved, index: int | None) -> Tensor:
    """A saved value as a tensor with its place in the graph; RuntimeError if it was written to after it was saved.

    `index` says what was saved: the input of that edge of the node, an input without gradient (None), or output -1 - `index`.
    """
    array, counter, version = value
    edge = _edge_of(node, index)
    if counter.version != version:
        if counter is not _PACKED:
            _stale(value, edge, own=index is not None and index < 0)
        packed, unpack_hook = array
        tensor = unpack_hook(packed)
        require(isinstance(tensor, Tensor), "unpacked_is_no_tensor", type(tensor).__name__)
        if edge[0] is None:
            return tensor
        array, counter = tensor._array, tensor._counter
    elif edge[0].__class__ is AccumulateGrad:
        return edge[0].variable  # type: ignore[union-attr]  # an accumulator's
    return _placed(array, counter, edge)


def _edge_of(node: Node, index: int | None) -> Edge:
    if index is None:
        return NO_EDGE
    if index >= 0:
        return node._edges[index]
    return getattr(node, "_written", lambda: None)() or node, -1 - index


def _placed(array: np.ndarray, counter: VersionCounter, edge: Edge) -> Tensor:
    tensor = Tensor.__new__(Tensor)
    tensor._array, tensor._counter = array, counter
    if edge is not NO_EDGE and array.dtype.kind == "f":
        tensor._edge = edge
        if isinstance(edge[0], AccumulateGrad):
            tensor._edge, tensor._accumulator = None, weakref.ref(edge[0])
    return tensor


def _stale(value: Saved, edge: Edge, own: bool) -> None:
    array, counter, version = value
    node, number = edge
    place = ""
    if node is not None and node._gives_view and not own:
        place = "0 of AsStrided"
    elif counter.writer is not None and not own:
        place = f"{counter.writer[1]} of {operation_name(counter.writer[0])}"
    elif node is not None and not isinstance(node, AccumulateGrad):
        place = f"{number} of {operation_name(node)}"
    raise changed(array, counter, version, place)


def pack(node: Node, value: Saved, index: int | None) -> Saved:
    """A value as the innermost hooks want it kept."""
    if not state.saved_tensors_hooks:
        return value
    pack_hook, unpack_hook = state.saved_tensors_hooks[-1]
    array, counter, version = value
    with no_grad():
        packed = pack_hook(_placed(array, counter, _edge_of(node, index)))
    require(counter.version == version, "pack_hook_writes")
    return ((packed, unpack_hook), _PACKED, -1)


def _observe(node: Node) -> None:
    """Called with each new node: hooks pack what it saved, anomaly mode keeps a traceback."""
    for name, index in node._values.items() if state.saved_tensors_hooks else ():
        value = getattr(node, name)
        # A number that became an operand is no tensor of the user's.
        if value and not isinstance(value[1], NumberCounter):
            setattr(node, name, pack(node, value, index))
    if state.anomaly:
        frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_OURS)]
        node.metadata["traceback_"] = traceback.format_list(frames)


modes.observe = _observe


def warn_of_failure(node: Node) -> None:
    """Anomaly mode's warning: where the operation was called whose backward fails."""
    told = "No forward pass information available. Enable detect anomaly during forward pass for more information."
    if lines := "".join(node.metadata.get("traceback_", ())):
        told = f"Traceback of forward call that caused the error:\n{lines}"
    warnings.warn(f"Error detected in {node.name()}. {told}", stacklevel=2)
