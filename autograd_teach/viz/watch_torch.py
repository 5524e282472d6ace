"""Observes PyTorch for a watch: a TorchFunctionMode. Imported only if PyTorch is."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from autograd_teach.viz.facts import is_tensor
from autograd_teach.viz.watch import (
    KEY,
    Place,
    constant,
    note_call,
    note_node,
    others,
    running,
    tensors_among,
    users_place,
)

_READ_ONLY = {"shape", "dtype", "device", "grad_fn", "requires_grad", "is_leaf", "grad", "ndim", "layout", "_version"}
_MOST_INNER = 10_000


class Mode(TorchFunctionMode):  # type: ignore[misc]  # published without type information
    """Sees every call of PyTorch's public functions and methods in this thread."""

    def __init__(self) -> None:
        super().__init__()
        self.start = _now()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = _name(func)
        if not name or not running():
            return func(*args, **kwargs)
        used = list(tensors_among([*args, *kwargs.values()]))
        edges = [_edge(tensor) for tensor in used]  # an in-place change replaces them
        result = func(*args, **kwargs)
        try:
            self._returned(name, used, edges, (args, kwargs), result)
        except (AttributeError, RuntimeError, TypeError, ValueError, NotImplementedError):
            pass  # recording must not break the program
        return result

    def _returned(self, name: str, used: list[Any], edges: list[Any], given: Any, result: Any) -> None:
        place = users_place(sys._getframe(2))
        if place is None:
            return
        if name == "requires_grad_=":
            name, result = "requires_grad_", used[0]
        note_call(name, used, result, place, torch.is_grad_enabled())
        self.note_nodes([result, used[:1]], given, used, edges, place)

    def note_nodes(self, results: Any, given: Any, used: list[Any], edges: list[Any], place: Place) -> None:
        """Put notes on the nodes of these results that do not have one yet."""
        made: dict[Any, list[Any]] = {}
        for tensor in tensors_among(results):
            if tensor.grad_fn is not None and all(tensor is not known for known in made.get(tensor.grad_fn, ())):
                made.setdefault(tensor.grad_fn, []).append(tensor)
        args = [*given[0], *given[1].values()]
        for node, outputs in made.items():
            if KEY not in node.metadata:
                note_node(node, outputs, _constants(node, args, used, edges), place)
                self._note_inner(node, place)

    def returned_from(self, name: str, frame: FrameType, result: Any) -> None:
        """Record the return of a Python function of PyTorch that modes do not see."""
        used = list(tensors_among([v for key, v in frame.f_locals.items() if key in ("args", "kwargs", "data")]))
        place = users_place(frame.f_back)
        if place is None:
            return
        note_call(name, used, result, place, torch.is_grad_enabled())
        self.note_nodes([result], ((), {}), used, [_edge(tensor) for tensor in used], place)

    def _note_inner(self, node: Any, place: Place) -> None:
        """Note the lines of the other nodes of a function with several operations.

        Their results are not visible.
        """
        todo, count = [node], 0
        while todo and count < _MOST_INNER:
            for child, _ in todo.pop().next_functions:
                if child is None or hasattr(child, "variable") or KEY in child.metadata:
                    continue
                if child._sequence_nr() >= self.start:
                    count += 1
                    note_node(child, _kept_result(child), (None,) * len(child.next_functions), place)
                    todo.append(child)

    def remove(self) -> bool:
        """Remove this mode from anywhere in the stack.

        False if it is not there, for example during a call.
        """
        others.clear()
        if not any(mode is self for mode in torch.overrides._get_current_function_mode_stack()):
            return False
        above = []
        while (top := torch.overrides._pop_mode()) is not self:
            above.append(top)
        for mode in reversed(above):
            torch.overrides._push_mode(mode)
        return True


def _kept_result(node: Any) -> list[Any]:
    """The result of an operation that saved it for its gradient."""
    kept: Any = getattr(node, "_saved_result", None)
    return [kept] if is_tensor(kept) and kept.grad_fn is node else []


def start() -> Mode:
    """Start to observe."""
    mode = Mode()
    functions = {"apply": torch.autograd.Function.apply.__func__, "Parameter": torch.nn.Parameter.__new__}
    for name, function in functions.items():
        others[function.__code__] = functools.partial(mode.returned_from, name)
    torch.overrides._push_mode(mode)
    return mode


def _now() -> int:
    """The sequence number of the next node; older nodes were made before the watch."""
    with torch.enable_grad():
        node = torch.empty(0, requires_grad=True).view(0).grad_fn
    return 0 if node is None else int(node._sequence_nr()) + 1


def _name(func: Any) -> str:
    """The name of a function, or of the property that it reads or sets.

    Empty if it is not recorded.
    """
    name = str(getattr(func, "__name__", ""))
    if name not in ("__get__", "__set__"):
        return name
    of = str(getattr(getattr(func, "__self__", None), "__name__", ""))
    if name == "__set__":
        return {"data": "data=", "requires_grad": "requires_grad_="}.get(of, "")
    return "" if of in _READ_ONLY else of


def _edge(tensor: Any) -> Any:
    return tensor.grad_fn if tensor.grad_fn is not None else tensor if tensor.requires_grad else None


def _constants(node: Any, args: Sequence[Any], used: list[Any], edges: list[Any]) -> tuple[Any | None, ...]:
    """The arguments that do not require grad, by slot, if they can be matched unambiguously."""
    slots = [None if child is None else getattr(child, "variable", child) for child, _ in node.next_functions]
    nothing: tuple[Any | None, ...] = (None,) * len(slots)
    edge_of = {id(tensor): edge for tensor, edge in zip(used, edges, strict=True)}
    flat = [one for arg in args for one in (arg if isinstance(arg, (list, tuple)) else [arg])]
    tensors = [t for t in flat if is_tensor(t) and t.is_floating_point()]
    operands = [t for t in flat if is_tensor(t) or isinstance(t, (int, float)) and not isinstance(t, bool)]
    for candidates in (operands, tensors):
        found = [edge_of.get(id(t)) for t in candidates]
        if len(found) == len(slots) and all(a is b for a, b in zip(found, slots, strict=True)):
            pairs = zip(candidates, slots, strict=True)
            return tuple(constant(t) if slot is None else None for t, slot in pairs)
    # For example `2 / x`, which multiplies the reciprocal: only the order differs.
    free = [t for t in operands if edge_of.get(id(t)) is None]
    if len(operands) == len(slots) and len(free) == 1 and slots.count(None) == 1:
        return tuple(constant(free[0]) if slot is None else None for slot in slots)
    return nothing
