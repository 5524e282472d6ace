"""Saved tensors: what nodes keep of the forward pass, and the checks before it is used.

A node's slot holds one of six things. None if the value is not needed. An input: the tensor itself,
or `Versioned` if it had been written to before it was saved. An output: `(array, counter,
version)`, because a tensor that its own node refers to would be a cycle. `Packed`: the result of a
pack hook. FREED: the value was released.

Generated code reads an input itself if its memory is at version 0, and an output if its version has
not changed. `unpack` handles everything else, also a tensor that lost its history in place.
"""

from __future__ import annotations

import sys
import traceback
import warnings
import weakref
from collections.abc import Callable
from os.path import dirname
from typing import Any, Self

import numpy as np

from ..errors import error, require
from ..tensor import Tensor
from . import modes
from .leaf import AccumulateGrad
from .modes import no_grad, state
from .node import NO_EDGE, Edge, Node, edge_to, operation_name
from .version import DetachedCounter, VersionCounter, changed

# Files that a traceback leaves out, because they are not the user's.
_OURS = ("<autograd_teach", dirname(dirname(__file__)))


class _Unusual(tuple[Any, ...]):
    """Stands in a slot in place of a value. If generated code reads it as one, its version never matches."""

    _versions = VersionCounter()
    _versions.version = 1


class Versioned(_Unusual):
    """`(tensor, version)`: an input that had been written to before it was saved."""


class Packed(_Unusual):
    """The result of a pack hook."""

    def __new__(cls, packed: Any, unpack_hook: Callable[[Any], Any]) -> Self:
        self = super().__new__(cls, (packed, cls._versions, -1))
        self.unpack_hook = unpack_hook
        return self

    unpack_hook: Callable[[Any], Any]


# Replaces a value that a backward pass has freed.
FREED = _Unusual((None, _Unusual._versions, -1))


def free(node: Node) -> None:
    """Release the values that a node saved."""
    for name in node._frees:
        if getattr(node, name) is not None:
            setattr(node, name, FREED)


def freed() -> Any:
    """Raise the error for a saved value that has been freed."""
    raise error("freed")


def saved_input(tensor: Tensor) -> Tensor | Versioned:
    """An input as a node saves it, if its memory may have been written to."""
    version = tensor._counter.version
    return Versioned((tensor, version)) if version else tensor


def unpack(node: Node, value: Any, index: int | None) -> Tensor:
    """A saved value as a tensor with its place in the graph; RuntimeError if it was written to since, or freed.

    index: the edge of the node whose input was saved, None for an input without gradient, or -1 - n
    for output n.
    """
    edge = _edge_of(node, index)
    if value is FREED:
        freed()
    if isinstance(value, Packed):
        tensor = value.unpack_hook(value[0])
        require(isinstance(tensor, Tensor), "unpacked_is_no_tensor", type(tensor).__name__)
        return tensor if edge._node is None else placed(tensor._array, tensor._counter, edge)
    if type(value) is tuple:
        array, counter, version = value
        tensor = placed(array, counter, edge)
    else:
        tensor, version = value if isinstance(value, Versioned) else (value, 0)
        counter = tensor._counter
    of_result = type(value) is not tuple and edge._node is not None and not isinstance(edge, AccumulateGrad)
    require(not (of_result and type(counter) is DetachedCounter) or tensor.grad_fn is not None, "saved_was_detached")
    if int(counter.version) != int(version):
        is_own = index is not None and index < 0
        raise changed(tensor._array, counter, int(version), _place(edge, counter, is_own))
    require(not of_result or tensor.grad_fn is not None, "saved_was_detached")
    return tensor


def unpacked(node: Node, value: Any, index: int | None) -> Any:
    """The array of a saved value, with the checks of `unpack`."""
    return unpack(node, value, index)._array


def _edge_of(node: Node, index: int | None) -> Edge:
    if index is None:
        return NO_EDGE
    if index >= 0:
        return node._edges[index]
    return edge_to(getattr(node, "_written", lambda: None)() or node, -1 - index)


def placed(array: np.ndarray, counter: VersionCounter, edge: Edge) -> Tensor:
    """A tensor with this memory and this place in the graph."""
    tensor = Tensor.__new__(Tensor)
    tensor._value, tensor._versions = array, counter
    if edge is not NO_EDGE and array.dtype.kind == "f":
        tensor._edge = edge
        if isinstance(edge, AccumulateGrad):
            tensor._edge, tensor._accumulator = None, weakref.ref(edge)
    return tensor


def _place(edge: Edge, counter: VersionCounter, is_own: bool) -> str:
    """The output that a saved value is now, after a write, for an error message: "0 of Mul"."""
    node, number = edge._node, edge._number
    if node is not None and node._gives_view and not is_own:
        return "0 of AsStrided"
    if counter.writer is not None and not is_own:
        return f"{counter.writer[1]} of {operation_name(counter.writer[0])}"
    is_result = node is not None and not isinstance(node, AccumulateGrad)
    return f"{number} of {operation_name(node)}" if is_result else ""  # type: ignore[arg-type]  # is_result


def pack(node: Node, value: Any, index: int | None, hooks: Any = None) -> Any:
    """A value packed by hooks, by default the innermost ones; unchanged without hooks."""
    hooks = hooks or (state.saved_tensors_hooks and state.saved_tensors_hooks[-1])
    if not hooks:
        return value
    pack_hook, unpack_hook = hooks
    if type(value) is tuple:
        tensor = placed(value[0], value[1], _edge_of(node, index))
    else:
        tensor = value[0] if isinstance(value, Versioned) else value
    version = tensor._counter.version
    with no_grad():
        packed = Packed(pack_hook(tensor), unpack_hook)
    require(tensor._counter.version == version, "pack_hook_writes")
    return packed


class SavedTensor:
    """A value that a node saved, `grad_fn._raw_saved_<name>`: hooks can be registered on it."""

    def __init__(self, node: Node, index: int | None, get: Callable[[], Any], put: Callable[[Any], None]) -> None:
        self._node, self._index, self._get, self._put = node, index, get, put

    def register_hooks(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        """Replace the saved value by `pack_hook(value)`; backward calls `unpack_hook`, which must return a tensor.

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
        require(value is not FREED, "saved_hooks_when_freed")
        require(not isinstance(value, Packed), "saved_hooks_twice")
        self._put(pack(self._node, value, self._index, (pack_hook, unpack_hook)))


def _observe(node: Node) -> None:
    """Called with each new node: hooks pack its saved values, anomaly mode keeps a traceback."""
    for name, index in node._values.items() if state.saved_tensors_hooks else ():
        value = getattr(node, name)
        # A constant made from a Python number is not one of the user's tensors.
        if value is not None and getattr(value, "_number", None) is None:
            setattr(node, name, pack(node, value, index))
    if state.anomaly:
        frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_OURS)]
        node.metadata["traceback_"] = traceback.format_list(frames)


modes.observe = _observe


def warn_of_failure(node: Node) -> None:
    """Anomaly mode's warning: where the operation was called whose backward failed."""
    told = "No forward pass information available. Enable detect anomaly during forward pass for more information."
    if lines := "".join(node.metadata.get("traceback_", ())):
        told = f"Traceback of forward call that caused the error:\n{lines}"
    try:
        warnings.warn(f"Error detected in {node._name()}. {told}", stacklevel=2)
    except UserWarning as warning:
        # The user turned warnings into errors, but must see the error of the backward pass.
        print(f"UserWarning: {warning}", file=sys.stderr)
