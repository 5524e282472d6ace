"""Observes this package's engine for a watch: a profile function sees what it returns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

from autograd_teach.autograd.modes import state
from autograd_teach.nn.parameter import Parameter
from autograd_teach.ops.operation import OPERATIONS, Operation
from autograd_teach.tensor import Tensor
from autograd_teach.viz.watch import (
    constant,
    is_users,
    note_call,
    note_node,
    others,
    running,
    tensors_among,
    users_place,
    writes,
)

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_NOT_ENGINE = tuple(os.path.join(_PACKAGE, part, "") for part in ("viz", "course", "grading"))
_RETURNS_NO_TENSOR = {"item", "tolist", "numpy", "__float__", "__int__", "__setitem__", "backward"}
_IN_PLACE = "operation.py", "inplace.py"
_POSITIONAL_AND_KEYWORD_LISTS = 0x04, 0x08  # code flags: *args, **kwargs


class _Names(dict[CodeType, str]):
    """The name of each function of the engine, by its code object; empty for all other code."""

    def __missing__(self, code: CodeType) -> str:
        file = code.co_filename
        engine = file.startswith(_PACKAGE) and not file.startswith(_NOT_ENGINE)
        name = self[code] = code.co_name if engine or file.startswith("<autograd_teach ") else ""
        return name


_names = _Names()
_rows: dict[Any, Operation] = {}


def _name_methods() -> None:
    """Name the methods that are lambdas after their attributes."""
    for name, member in vars(Tensor).items():
        if isinstance(member, property):
            for accessor, shown in ((member.fget, name), (member.fset, f"{name}=")):
                if accessor is not None:
                    _names[accessor.__code__] = shown if name in ("data", "requires_grad") else ""
        elif code := getattr(member, "__code__", None):
            _names[code] = name if code.co_name == "<lambda>" else _names[code]
    _names[Parameter.__new__.__code__] = "Parameter"


def observe(frame: FrameType, event: str, result: Any) -> None:
    """Record what a function of the engine returns.

    Python calls this for every call and return; most are ignored.
    """
    if event != "return":
        return
    code = frame.f_code
    name = _names[code]
    if not (name or code in others) or not running():
        return
    try:
        if name == "call":
            return
        if code in others:
            others[code](frame, result)
        else:
            in_place = name == "form" and code.co_filename.endswith(_IN_PLACE)
            _returned(frame, _name_of_form(frame) if in_place else name, result)
    except (AttributeError, RuntimeError, TypeError, ValueError, KeyError):
        return  # recording must not break the program


def _name_of_form(frame: FrameType) -> str:
    """The name of an in-place form.

    All forms share one code object; their function is a local variable.
    """
    return f"{getattr(frame.f_locals.get('function'), '__name__', 'form').strip('_')}_"


def _returned(frame: FrameType, name: str, result: Any) -> None:
    tensors = [result] if isinstance(result, Tensor) else _several(result)
    if not tensors and name not in _RETURNS_NO_TENSOR and not name.endswith("="):
        return
    arguments = _arguments(frame)
    used = list(tensors_among(arguments))
    caller = _caller(frame)
    inside = caller is None or not is_users(caller.f_code.co_filename)
    if inside and writes(name) and used and not used[0].requires_grad:
        return  # inside a function such as `zeros`, which fills its result
    if inside and writes(name) and caller is not None and writes(_names[caller.f_code]):
        return  # inside `x[0] = y`, which is recorded itself
    if name in ("requires_grad=", "requires_grad_"):
        if inside:
            return  # inside `tensor` or `Parameter`
        result, name = used[0], "requires_grad_"
    place = users_place(frame.f_back)
    if place is None:
        return
    if state.run is None:  # the computations of a backward pass are not recorded
        note_call(name, used, result, place, state.mode.recording)
    # An in-place change of a view becomes part of the history of its base.
    written = [t for u in used if (t := getattr(u, "_base", None)) is not None]
    written += used if writes(name) else []
    made: dict[int, tuple[Any, list[Any]]] = {}
    for tensor in [*tensors, *written]:
        node = getattr(getattr(tensor, "_known_edge", None), "_node", None)
        if node is not None:
            made.setdefault(id(node), (node, []))[1].append(tensor)
    for node, outputs in made.values():
        note_node(node, outputs, _constants(frame, node), place)


def _caller(frame: FrameType) -> FrameType | None:
    """The caller of a function; the wrappers that translate keywords are skipped."""
    caller = frame.f_back
    while caller is not None and caller.f_code.co_name == "call" and _names[caller.f_code]:
        caller = caller.f_back
    return caller


def _several(result: Any) -> Sequence[Any]:
    many = isinstance(result, (tuple, list)) and len(result) <= 1000
    return [one for one in result if isinstance(one, Tensor)] if many else []


def _arguments(frame: FrameType) -> list[Any]:
    """The arguments of the function, if its local variables still hold them."""
    code, local = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    count += sum(bool(code.co_flags & flag) for flag in _POSITIONAL_AND_KEYWORD_LISTS)
    return [local[name] for name in code.co_varnames[:count] if name in local]


def _constants(frame: FrameType, node: Any) -> tuple[Any | None, ...]:
    """The arguments that do not require grad, from the locals of the operation's function."""
    slots = node.next_functions
    nothing: tuple[Any | None, ...] = (None,) * len(slots)
    row = _row_of(type(node))
    if row is None or frame.f_globals.get("NodeClass") is not type(node):
        return nothing
    local = frame.f_locals
    given = local["tensors"] if row.takes_list else [local["input" if t == "self" else t] for t in row.differentiable]
    return tuple(_one(t) if edge[0] is None else None for edge, t in zip(slots, given, strict=True))


def _one(thing: Any) -> Any | None:
    if isinstance(thing, Tensor) and thing._number is not None:
        return thing._number
    return constant(thing)


def _row_of(kind: type) -> Operation | None:
    if kind not in _rows:
        _rows.update((operation.node, operation) for operation in OPERATIONS.values())
    return _rows.get(kind)


_name_methods()
