"""What nodes keep of the forward pass, and what may have become of it.

A saved input is `(tensor, version)`, a saved output `(array, counter, version)`: a tensor that its own node holds would be a
cycle. It is good while the counter still shows that version: generated code then takes the array and asks nothing. All else
comes to `unpack`: a value that was written to, one that hooks packed, and one whose tensor lost its history in place.
"""

from __future__ import annotations

import sys
import traceback
import warnings
import weakref
from collections.abc import Callable
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

Saved = tuple[Any, int] | tuple[Any, VersionCounter, int]

# Where the frames of a traceback are that are not the user's.
_OURS = ("<autograd_teach", dirname(dirname(__file__)))


class Packed:
    """What hooks made of a saved value. Its counter never shows the version -1 that is saved with it."""

    _counter = VersionCounter()

    def __init__(self, packed: Any, unpack_hook: Callable[[Any], Any]) -> None:
        self.packed, self.unpack_hook = packed, unpack_hook


def freed(node: Node) -> Any:
    """What a node does that is asked for a saved value it no longer has."""
    raise error("freed")


def unpack(node: Node, value: Saved, index: int | None) -> Tensor:
    """A saved value as a tensor with its place in the graph; RuntimeError if it was written to after it was saved.

    `index` says what was saved: the input of that edge of the node, an input without gradient (None), or output -1 - `index`.
    """
    kept, version, edge = value[0], value[-1], _edge_of(node, index)
    if isinstance(kept, Packed):
        tensor = kept.unpack_hook(kept.packed)
        require(isinstance(tensor, Tensor), "unpacked_is_no_tensor", type(tensor).__name__)
        return tensor if edge[0] is None else _placed(tensor._array, tensor._counter, edge)
    counter = value[-2] if len(value) == 3 else kept._counter
    is_own = index is not None and index < 0
    if int(counter.version) != int(version):
        array = kept if len(value) == 3 else kept._array
        raise changed(array, counter, int(version), _place(edge, counter, is_own))
    if len(value) == 3:
        return _placed(kept, counter, edge)
    of_result = edge[0] is not None and not isinstance(edge[0], AccumulateGrad)
    require(not of_result or kept.grad_fn is not None, "saved_was_detached")
    return kept


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


def _place(edge: Edge, counter: VersionCounter, is_own: bool) -> str:
    """Which output of what a value that was written to is now, as "0 of Mul"."""
    node, number = edge
    if node is not None and node._gives_view and not is_own:
        return "0 of AsStrided"
    if counter.writer is not None and not is_own:
        return f"{counter.writer[1]} of {operation_name(counter.writer[0])}"
    is_result = node is not None and not isinstance(node, AccumulateGrad)
    return f"{number} of {operation_name(node)}" if is_result else ""  # type: ignore[arg-type]  # is_result


def pack(node: Node, value: Saved, index: int | None, hooks: Any = None) -> Saved:
    """A value as hooks, by default the innermost, want it kept."""
    hooks = hooks or (state.saved_tensors_hooks and state.saved_tensors_hooks[-1])
    if not hooks:
        return value
    pack_hook, unpack_hook = hooks
    tensor = value[0] if len(value) == 2 else _placed(value[0], value[1], _edge_of(node, index))
    version = tensor._counter.version
    with no_grad():
        packed = Packed(pack_hook(tensor), unpack_hook)
    require(tensor._counter.version == version, "pack_hook_writes")
    return (packed, -1) if len(value) == 2 else (packed, Packed._counter, -1)


class SavedTensor:
    """A value that a node saved, `grad_fn._raw_saved_<name>`: hooks can be registered on it."""

    def __init__(self, node: Node, index: int | None, get: Callable[[], Any], put: Callable[[Saved], None]) -> None:
        self._node, self._index, self._get, self._put = node, index, get, put

    def register_hooks(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        """Keep what `pack_hook` makes of the value, now; `unpack_hook` makes a tensor of it when backward asks.

        RuntimeError if the value was freed, is None, or has hooks already.

        >>> import autograd_teach as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> y = x.exp()
        >>> y.grad_fn._raw_saved_result.register_hooks(lambda t: t.item(), lambda number: torch.tensor(number))
        >>> torch.autograd.grad(y, x)
        (tensor(20.0855),)
        """
        value = self._get()
        require(value is not None, "saved_hooks_on_none")
        require(value, "saved_hooks_when_freed")
        require(not isinstance(value[0], Packed), "saved_hooks_twice")
        self._put(pack(self._node, value, self._index, (pack_hook, unpack_hook)))


def _observe(node: Node) -> None:
    """Called with each new node: hooks pack what it saved, anomaly mode keeps a traceback."""
    for name, index in node._values.items() if state.saved_tensors_hooks else ():
        value = getattr(node, name)
        # A number that became an operand is no tensor of the user's.
        if value and not (len(value) == 2 and isinstance(value[0]._counter, NumberCounter)):
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
    try:
        warnings.warn(f"Error detected in {node.name()}. {told}", stacklevel=2)
    except UserWarning as warning:
        # Warnings are errors here; but the error to be seen is that of the backward pass.
        print(f"UserWarning: {warning}", file=sys.stderr)
