"""The caller's names for tensors, found by identity in the namespaces of the calling frame.

This module only reads names; it never calls or changes the objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

from autograd_teach.viz.facts import is_tensor, printable

_LONGEST_CONTAINER = 100


def caller_tensors(frame: FrameType | None) -> list[tuple[str, Any]]:
    """Every tensor with a name in the local and global variables of a frame."""
    if frame is None:
        return []
    spaces: list[Mapping[str, Any]] = [frame.f_locals]
    if frame.f_globals is not frame.f_locals:
        spaces.append(frame.f_globals)
    return tensors_in(*spaces)


def tensors_in(*spaces: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Every tensor with a name in these variables: `x`, `w[0]`, `d['k']`, `model.weight`.

    Names that begin with an underscore are left out, because IPython uses them for results (`_`,
    `_12`).
    """
    direct: list[tuple[str, Any]] = []
    nested: list[tuple[str, Any]] = []
    for space in spaces:
        for name, thing in list(space.items()):
            if name.startswith("_") or not name.isidentifier():
                continue
            if is_tensor(thing):
                direct.append((name, thing))
            else:
                nested.extend(_inside(name, thing))
    return direct + nested


def given_names(names: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The tensors of an argument `names={"x": x}`; other values are left out."""
    if not isinstance(names, Mapping):
        raise TypeError('names must be a dictionary of tensors, for example names={"x": x}')
    return [(printable(str(name)), thing) for name, thing in names.items() if is_tensor(thing)]


def _inside(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(thing, (list, tuple)) and len(thing) <= _LONGEST_CONTAINER and name not in ("In", "Out"):
        yield from ((f"{name}[{i}]", item) for i, item in enumerate(thing) if is_tensor(item))
    elif type(thing) is dict and len(thing) <= _LONGEST_CONTAINER and name not in ("In", "Out"):
        yield from ((f"{name}[{key!r}]", item) for key, item in thing.items() if is_tensor(item))
    elif not isinstance(thing, type) and hasattr(type(thing), "named_parameters"):
        yield from ((f"{name}.{path}", item) for path, item in thing.named_parameters())
