"""Records of what an answer did, as plain data: their values, and how they are sent and read back.

A record is a dataclass of flags, numbers, words, arrays and collections of them. Reading is strict: a value that does not
have the declared type raises `Broken`. So a record from an untrusted process holds what its type says, and nothing else.
Standard library and NumPy only.
"""

import types
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np


class Nothing:
    """The type of `NOTHING`."""


NOTHING = Nothing()
"""Stands for a missing result."""


class NumPyArray(np.ndarray):
    """A NumPy array that an answer returned. Tensors are recorded as plain arrays."""


class OwnList(list[Any]):
    """A list that an answer returned. What the `call` of a form makes of an answer is a plain list."""


class OwnTuple(list[Any]):
    """A tuple that an answer returned. It is compared like a list, but written with other brackets."""

    brackets = ("(", ")")


@dataclass(frozen=True)
class Strange:
    """An object in a result that cannot be compared, given by the name of its type."""

    type: str

    def __repr__(self) -> str:
        return f"<{self.type}>"


class Broken(Exception):
    """The data is not a record of the requested type."""


def told(record: Any) -> dict[str, Any]:
    """The fields of a record that are sent, by name. Nested dataclasses become dicts too."""
    return {each.name: _outward(getattr(record, each.name)) for each in _travelling(record.__class__)}


def _outward(value: Any) -> Any:
    if is_dataclass(value):
        return told(value)
    if isinstance(value, list | tuple):
        return [_outward(each) for each in value]
    if isinstance(value, dict):
        return {key: _outward(each) for key, each in value.items()}
    return value


def read(kind: type, data: Any) -> Any:
    """The record of type `kind` from the data that `told` returned. Raises `Broken` if a value has another type.

    >>> from autograd_teach.course.guard import Crash
    >>> read(Crash, told(Crash("forward", "ValueError", "no"))).kind
    'ValueError'
    >>> read(Crash, {"phase": "forward", "kind": 3, "message": "no", "line": None, "source": "", "reason": ""})
    Traceback (most recent call last):
    ...
    autograd_teach.course.checks.records.Broken: Crash.kind is no str
    """
    if not isinstance(data, Mapping) or set(data) != {each.name for each in _travelling(kind)}:
        raise Broken(f"{kind.__name__} has other fields")
    hints = _hints(kind)
    return kind(**{name: _inward(value, hints[name], f"{kind.__name__}.{name}") for name, value in data.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _travelling(kind: Any) -> tuple[Field[Any], ...]:
    return tuple(each for each in fields(kind) if each.metadata.get("told", True))


@cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(hint), get_args(hint)


def _inward(value: Any, hint: Any, where: str) -> Any:
    """`value` as the type `hint`. Raises `Broken` if it does not have this type."""
    if hint is Any or type(value) is hint:
        return value
    origin, inner = _parts(hint)
    if origin in (Union, types.UnionType):
        if type(value) in inner:
            return value
        for each in inner:
            try:
                return _inward(value, each, where)
            except Broken:
                continue
    elif origin is tuple and isinstance(value, list | tuple):
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else list(inner)
        if len(kinds) == len(value):
            return tuple(_inward(each, kind, where) for each, kind in zip(value, kinds, strict=True))
    elif origin is list and isinstance(value, list):
        return [_inward(each, inner[0], where) for each in value]
    elif origin is dict and isinstance(value, dict):
        return {_inward(k, inner[0], where): _inward(v, inner[1], where) for k, v in value.items()}
    elif origin is None and is_dataclass(hint) and isinstance(value, Mapping):
        return read(hint, value)  # type: ignore[arg-type]  # a class
    elif hint is None and value is None:
        return None
    raise Broken(f"{where} is no {getattr(hint, '__name__', hint)}")
