"""Cuts of the history: whose value an argument holds that does not require grad.

`detach`, `.data` and `no_grad` leave no trace in a graph, but they share memory. If a tensor that
does not require grad shares memory with one that does, it is the value of the second tensor without
its history. Copies, tensors on other devices and arguments that were not saved cannot be found this
way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from autograd_teach.viz.facts import as_array, is_tensor

# The argument number of a saved tensor, by its name in PyTorch's derivatives.yaml; -1 is the last.
_PLACES = {
    "self": 0,
    "input": 0,
    "other": 1,
    "exponent": 1,
    "tensor": 1,
    "target": 1,
    "mat1": 1,
    "tensor1": 1,
    "batch1": 1,
    "mat2": -1,
    "vec": -1,
    "vec2": -1,
    "tensor2": -1,
    "batch2": -1,
}
_MOST_WALKED = 5_000


@dataclass
class Result:
    """A tensor that requires grad, its name if it has one, and its node if it is in the picture."""

    tensor: Any
    name: str
    node: str | None


@dataclass
class Found:
    """What is known of a tensor without history.

    `name`: its name. `words`: whose value it holds. `node`: the node of the tensor with that value.
    """

    name: str
    words: str = ""
    node: str | None = None


def argument(slot: int, slots: int, saved: Sequence[tuple[str, Any]]) -> Any:
    """The tensor argument at this position, if the operation saved it."""
    for name, thing in saved:
        place = _PLACES.get(name)
        if place is not None and place % slots == slot and is_tensor(thing) and not thing.requires_grad:
            return thing
    return None


class Memory:
    """Finds tensors by their memory addresses.

    It keeps references to them, so that no address is reused.
    """

    def __init__(self, results: Sequence[Result], names: Sequence[tuple[str, Any]]) -> None:
        self._results = [(array, result) for result in results if (array := _array(result.tensor)) is not None]
        self._bounds = np.array([byte_bounds(array) for array, _ in self._results], dtype=np.uint64).reshape(-1, 2)
        self._made: dict[Any, Result] = {}  # by operations
        for array, result in self._results:
            if result.tensor.grad_fn is not None:
                self._made.setdefault(_place(array), result)
        self._with_history: dict[Any, Result] = {}
        self._without: dict[Any, str] = {}
        # Results in the picture come first, then results with a name.
        for array, result in sorted(self._results, key=lambda pair: (pair[1].node is None, not pair[1].name)):
            self._with_history.setdefault(_place(array), result)
        for name, tensor in names:
            array = _array(tensor)
            if array is None:
                continue
            if tensor.requires_grad:
                self._with_history.setdefault(_place(array), Result(tensor, name, None))
            else:
                self._without.setdefault(_place(array), name)

    def find(self, tensor: Any) -> Found | None:
        """The name of a tensor that does not require grad, and whose value it holds.

        None if neither is known.
        """
        array = _array(tensor)
        if array is None:
            return None
        name, source = self._without.get(_place(array), ""), self._with_history.get(_place(array))
        if source is not None:
            detached = f"{source.name}.detach()" if source.name else ""
            return Found(name or detached, _words(source), source.node)
        # Fast path: only arrays whose bounds overlap are compared exactly.
        low, high = byte_bounds(array)
        for place in np.flatnonzero((self._bounds[:, 0] < high) & (self._bounds[:, 1] > low)):
            other, result = self._results[place]
            if _overlap(array, other):
                who = result.name or "a result"
                return Found(name, f"in the memory of {who}, without its history", result.node)
        return Found(name) if name else None

    def find_history(self, leaf: Any) -> Found | None:
        """Whose value a leaf holds, if a graph without this leaf computed it."""
        array = _array(leaf)
        source = None if array is None else self._made.get(_place(array))
        if source is None or _reaches(source.tensor.grad_fn, leaf):
            return None
        return Found("", _words(source), source.node)


def _words(source: Result) -> str:
    return f"the value of {source.name or 'a result'}, without its history"


def _array(tensor: Any) -> np.ndarray[Any, Any] | None:
    array = as_array(tensor)
    return array if array is not None and array.size else None


def _place(array: np.ndarray[Any, Any]) -> Any:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def same_memory(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays are the same view of the same memory."""
    return one.size > 0 and _place(one) == _place(other)


def extent(tensor: Any) -> Any:
    """The memory that a tensor spans, the same for a tensor and its transpose; None if it is not known."""
    array = _array(tensor)
    return None if array is None else (*byte_bounds(array), array.size, array.dtype.str)


def _overlap(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    try:
        return np.shares_memory(one, other, max_work=1_000)  # type: ignore[arg-type]  # the stubs know only 0 and -1
    except np.exceptions.TooHardError:
        return False


def _reaches(node: Any, leaf: Any) -> bool:
    """Whether the leaf is in the graph of this node; True if the graph is too large to search."""
    seen, todo = {id(node)}, [node]
    while todo and len(seen) < _MOST_WALKED:
        node = todo.pop()
        if getattr(node, "variable", None) is leaf:
            return True
        for child, _ in node.next_functions:
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                todo.append(child)
    return bool(todo)
