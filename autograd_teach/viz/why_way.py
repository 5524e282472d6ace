"""Find the cut on the path from a tensor to a loss, in the calls that a watch recorded."""

from __future__ import annotations

from typing import Any

from autograd_teach.viz.watch import Event, watch
from autograd_teach.viz.why_source import Cut

_CUTS = {"detach", "no_grad", "integers", "new leaf", "requires_grad", "no slope", "create_graph"}
_LEAVES_TENSORS = {"number", "numpy"}
_WORDS = {"data": ".data", "__float__": "float()", "__int__": "int()", "__array__": "NumPy", "grad": "a gradient"}
_REPLACING = {"copy_", "fill_", "zero_", "set_", "__setitem__", "data=", "normal_", "uniform_"}


def cut_on_way(seen: watch, loss: Any, w: Any) -> Cut | None:
    """The first cut on a path from `w` to `loss`; None if the watch did not see a path.

    `loss` may be a number.
    """
    starts = set(seen.tokens(w))
    ends = seen.tokens(loss)
    way = _way(seen, ends[-1], starts) if ends else None
    return _cut_among(way) if way is not None else _left_tensors(seen, starts)


def saw(seen: watch, *tensors: Any) -> bool:
    """Whether the watch has seen all of these tensors."""
    return all(seen.tokens(tensor) for tensor in tensors)


def _way(seen: watch, end: int, starts: set[int]) -> list[Event] | None:
    """The calls on a shortest path from the tensor to the loss."""
    maker: dict[int, Event] = {}
    for call in seen.calls:
        for token in call.made:
            if token not in call.used:
                maker.setdefault(token, call)
    came_from: dict[int, tuple[int, Event] | None] = {end: None}
    todo = [end]
    for token in todo:
        if token in starts:
            return _back(token, came_from)
        made_by = maker.get(token)
        for used in made_by.used if made_by is not None else ():
            if used not in came_from and made_by is not None:
                came_from[used] = (token, made_by)
                todo.append(used)
    return None


def _back(token: int, came_from: dict[int, tuple[int, Event] | None]) -> list[Event]:
    way = []
    while (step := came_from[token]) is not None:
        token, call = step
        way.append(call)
    return way


def _cut_among(way: list[Event]) -> Cut | None:
    for call in way:
        if call.kind in _CUTS and not (call.kind == "no slope" and call.needs):
            return _cut(call)
    replaced = [call for call in way if call.name in _REPLACING]
    return _cut(replaced[-1], "overwritten") if replaced else None


def _left_tensors(seen: watch, starts: set[int]) -> Cut | None:
    """The call that turned a value computed from the tensor into a plain number or an array."""
    reached = set(starts)
    for call in seen.calls:
        if reached.intersection(call.used):
            if call.kind in _LEAVES_TENSORS:
                return _cut(_first_cut_before(seen, call, starts) or call)
            reached.update(call.made)
    return None


def _first_cut_before(seen: watch, call: Event, starts: set[int]) -> Event | None:
    """The first cut before this call.

    In `x.detach().numpy()`, `detach` on the same line does not count.
    """
    way = _way(seen, call.used[0], starts) or []
    return next((c for c in way if c.kind in _CUTS and c.line != call.line), None)


def _cut(call: Event, kind: str = "") -> Cut:
    shown = _WORDS.get(call.name, f".{call.name}()" if call.kind in ("detach", "number", "numpy") else call.name)
    return Cut(kind or call.kind, call.file, call.line, call.source, call.under or shown)
