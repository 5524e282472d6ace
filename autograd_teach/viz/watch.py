"""A recording of the forward pass: what each operation computed, from which constants, and on which line.

A graph keeps none of this. Inside `with viz.watch():` each node that is made gets a note in its own `metadata`, so a note
lives as long as its node and there is nothing to free. The watch itself also keeps a list of calls as plain data, for what
leaves no node: `detach`, `.item()`, a result computed under `no_grad`.

Our engine is observed by a profile function, PyTorch by a TorchFunctionMode. A hook inside the engine (the function that
`state.mode.observer` may be) would see new nodes only: not `detach`, `item` or a result without gradient, and each switch of the
grad mode replaces it. The profile function sees every call, needs no change of the engine, and costs nothing without a watch.
"""

from __future__ import annotations

import functools
import linecache
import os
import sys
import sysconfig
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Literal, Self

import numpy as np

from autograd_teach.viz.facts import as_array, facts, is_tensor, output_number

KEY = "autograd_teach.viz.watch"
"""Where a node's note is in its `metadata`."""
LARGEST_KEPT = 10_000
"""Results with more entries than this are noted as shape and range."""
_MOST_CALLS = 100_000

CallKind = Literal[
    "operation",
    "overwritten",
    "detach",
    "no_grad",
    "number",
    "numpy",
    "integers",
    "no slope",
    "new leaf",
    "create_graph",
    "requires_grad",
    "backward",
]


@dataclass(frozen=True)
class Seen:
    """What was seen when a node was made. Everything is a copy: changes in place afterwards do not show."""

    value: np.ndarray[Any, Any] | None
    """The (first) result; None for more than 10,000 entries, or where the result was not seen."""
    values: tuple[np.ndarray[Any, Any] | None, ...]
    """All results, by output number."""
    shape: tuple[int, ...] | None
    """The shape of the (first) result."""
    constants: tuple[Any | None, ...]
    """For each of `next_functions`, the number or array that was the argument there; None if it has a gradient."""
    file: str
    line: int
    """The line that called the operation; 0 where no line of the user's did."""
    source: str
    """The text of that line, without indentation."""
    summary: str = ""
    """The range of a result that is too large to be kept, in words."""


@dataclass(frozen=True)
class Event:
    """One call seen by a watch, as plain data. Tensors are told apart by tokens: numbers given in the order they were met."""

    kind: CallKind
    name: str
    file: str
    line: int
    source: str
    used: tuple[int, ...]
    made: tuple[int, ...]
    needs: bool
    """Whether a result requires grad."""
    under: str = ""
    """`no_grad` or `inference_mode`, where that is why a result has no history."""


@dataclass(frozen=True)
class Place:
    """A line of the user's code."""

    file: str
    line: int
    source: str


def seen(node: Any) -> Seen | None:
    """The note on a graph node, made by a watch; None where there is none.

    >>> import autograd_teach as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> with watch():
    ...     y = x * 2
    >>> note = seen(y.grad_fn)
    >>> float(note.value), note.constants, note.source
    (6.0, (None, 2), 'y = x * 2')
    """
    try:
        note = node.metadata.get(KEY)
    except (AttributeError, RuntimeError, TypeError):
        return None  # a node of another engine
    return note if isinstance(note, Seen) else None


def watched(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call `f` under a watch and return its result.

    >>> import autograd_teach as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> y = watched(lambda t: t * t, x)
    >>> float(seen(y.grad_fn).value)
    9.0
    """
    with watch():
        return f(*args, **kwargs)


class watch:
    """Record values, constants and source lines of the operations called inside `with viz.watch():`.

    Records what this thread does, with our tensors and, if `torch` is imported by then, with PyTorch's. `seen(node)` reads
    what was noted; views show it. `with viz.watch() as w:` also gives `w.events`, the calls that leave no node or change
    what one means: `detach`, `.item()`, results without gradient, new leaves, writes in place. May be nested.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with watch() as w:
    ...     y = (x * x).detach()
    >>> [(event.kind, event.source) for event in w.events]
    [('detach', 'y = (x * x).detach()')]
    """

    def __init__(self) -> None:
        self.calls: deque[Event] = deque(maxlen=_MOST_CALLS)
        self.active = False
        self._tokens: dict[int, tuple[Any, list[int]]] = {}
        self._given = 0

    @property
    def events(self) -> list[Event]:
        """What left no node, a new leaf or a write in place, in the order of the calls."""
        return [call for call in self.calls if call.kind != "operation"]

    def __enter__(self) -> Self:
        if self.active:
            raise RuntimeError("This watch is running already: use a new viz.watch() for each `with`.")
        self.active = True
        _local.enter(self)
        return self

    def __exit__(self, *error: object) -> None:
        self.active = False
        _local.leave(self)

    def tokens(self, tensor: Any) -> tuple[int, ...]:
        """The tokens that this object had, the newest last; empty where the watch never met it."""
        known = self._tokens.get(id(tensor))
        return tuple(known[1]) if known is not None and known[0]() is tensor else ()

    def token(self, tensor: Any, new: bool = False) -> int:
        """The token of a tensor as it is now; `new` after a write in place, which makes another value of it."""
        known = self._tokens.get(id(tensor))
        if known is None or known[0]() is not tensor:  # or the id has gone over to another object
            known = self._tokens[id(tensor)] = (weakref.ref(tensor), [])
        if new or not known[1]:
            self._given += 1
            known[1].append(self._given)
        return known[1][-1]


def last_watch() -> watch | None:
    """The watch that this thread entered last. It holds plain data, no tensor."""
    return _local.last


class _Local(threading.local):
    """The watches of a thread. One observer of each library serves all of them."""

    def __init__(self) -> None:
        self.watches: list[watch] = []
        self.last: watch | None = None
        self.before: Any = None
        self.mode: Any = None

    def enter(self, new: watch) -> None:
        self.watches.append(new)
        self.last = new
        if len(self.watches) == 1:
            from autograd_teach.viz.watch_engine import observe

            if self.mode is not None:
                self.mode.remove()  # it could not be while it was called
            self.before = sys.getprofile()
            self.mode = _torch_mode()
            sys.setprofile(observe)

    def leave(self, old: watch) -> None:
        # Generators may end in another order than they began, or in another thread.
        if old in self.watches:
            self.watches.remove(old)
            if not self.watches:
                self.stop()

    def stop(self) -> None:
        before, self.before = self.before, None
        sys.setprofile(None)
        if before is not None and not callable(before):
            before.enable()  # a profiler written in C
        else:
            sys.setprofile(before)
        if self.mode is not None and self.mode.remove():
            self.mode = None


_local = _Local()

others: dict[CodeType, Callable[[FrameType, Any], None]] = {}
"""Functions of other libraries that only the profile function sees, by their code: what to do when they return."""


def running() -> list[watch]:
    """The watches of this thread. One whose end came in another thread is dropped here, and the observers with the last."""
    if not all(one.active for one in _local.watches):
        _local.watches = [one for one in _local.watches if one.active]
        if not _local.watches:
            _local.stop()
    return _local.watches


def _torch_mode() -> Any:
    if "torch" not in sys.modules:
        return None
    from autograd_teach.viz.watch_torch import start

    return start()


# What both observers note


def note_node(node: Any, results: Sequence[Any], constants: tuple[Any | None, ...], place: Place) -> None:
    """Put a note on a node, unless it has one; `results`: the tensors that are its outputs."""
    try:
        notes = node.metadata
        if KEY in notes:
            return
        notes[KEY] = _seen(node, results, constants, place)
    except (AttributeError, RuntimeError, TypeError, ValueError):
        return  # nodes of another engine need not have a place for notes


def _seen(node: Any, results: Sequence[Any], constants: tuple[Any | None, ...], place: Place) -> Seen:
    values: list[Any] = []
    for tensor in results:
        number = output_number(tensor)
        values += [None] * (number + 1 - len(values))
        values[number] = copied(tensor)
    summary, shape = "", _shape_of(node)
    if results:
        first = min(results, key=output_number)
        shape = tuple(int(size) for size in first.shape)
        summary = facts(first).text if values[output_number(first)] is None else ""
    value = values[0] if values else None
    return Seen(value, tuple(values), shape, constants, place.file, place.line, place.source, summary)


def _shape_of(node: Any) -> tuple[int, ...] | None:
    try:
        return tuple(int(size) for size in node._input_metadata[0].shape)
    except (AttributeError, IndexError, TypeError, RuntimeError):
        return None


def copied(tensor: Any) -> np.ndarray[Any, Any] | None:
    """The tensor's numbers as an array of their own; None for a large tensor, or one that NumPy cannot hold."""
    array = as_array(tensor)
    return None if array is None or array.size > LARGEST_KEPT else np.array(array)


def constant(thing: Any) -> Any | None:
    """An argument without gradient, as it is noted: a number as it is, a tensor as an array."""
    if isinstance(thing, (bool, int, float, complex)):
        return thing
    return copied(thing) if is_tensor(thing) else None


def tensors_among(things: Any, depth: int = 3) -> Iterator[Any]:
    """The tensors in arguments or results, also inside lists, tuples and dictionaries."""
    for thing in things.values() if isinstance(things, dict) else things:
        if is_tensor(thing):
            yield thing
        elif depth and isinstance(thing, (list, tuple, dict)) and len(thing) <= LARGEST_KEPT:
            yield from tensors_among(thing, depth - 1)


_NUMBERS = {"item", "tolist", "__float__", "__int__", "__index__", "__complex__"}
_DETACHING = {"detach", "detach_", "data"}
_COPYING = {"tensor", "Parameter", "__new__", "new_tensor", "from_numpy"}
_NO_SLOPE = {"round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "heaviside", "floor_divide", "__floordiv__"}
_WRITING_NOTHING = {"requires_grad_", "retain_grad", "detach_"}


def note_call(name: str, used: Sequence[Any], result: Any, place: Place, recording: bool) -> None:
    """Write a call into the running watches. `recording`: whether results of operations record a graph at present."""
    made = list(tensors_among([result]))
    if not used or name.endswith("like") or name.startswith("new_") and name != "new_tensor":
        return  # what is made does not depend on any value
    if in_place := writes(name):
        base = getattr(used[0], "_base", None)
        made = [used[0], *([base] if base is not None else [])]  # whose memory a view shows
    elif not made and name not in _NUMBERS | {"numpy", "__array__", "backward"}:
        return
    elif made and all(any(m is u for u in used) for m in made) and name not in _WRITING_NOTHING:
        return  # handed on, such as by `.contiguous()` or `.to()`
    kind = _kind(name, used, made, recording, in_place)
    for one in running():
        known = tuple(one.token(tensor) for tensor in used)
        fresh = tuple(one.token(tensor, new=in_place) for tensor in made)
        needs = any(bool(tensor.requires_grad) for tensor in made)
        under = _mode_of(made) if kind == "no_grad" else ""
        event = Event(kind, name, place.file, place.line, place.source, known, fresh, needs, under)
        if not one.calls or not _handed_up(one.calls[-1], event):
            one.calls.append(event)


def _handed_up(last: Event, event: Event) -> bool:
    """Whether a call returns what the call inside it made."""
    if not event.made:
        return last.kind == event.kind and last.used == event.used and last.line == event.line
    return set(event.made) <= set(last.made) and event.kind not in ("new leaf", "requires_grad")


def _mode_of(made: Sequence[Any]) -> str:
    return "inference_mode" if any(t.is_inference() for t in made) else "no_grad"


def writes(name: str) -> bool:
    """Whether a function of this name changes its first argument in place."""
    if name in ("__setitem__", "data="):
        return True
    if (
        name.startswith("__i")
        and name.endswith("__")
        and name not in ("__index__", "__int__", "__invert__", "__iter__")
    ):
        return True
    return name.endswith("_") and not name.endswith("__") and name not in _WRITING_NOTHING


def _kind(name: str, used: Sequence[Any], made: Sequence[Any], recording: bool, in_place: bool) -> CallKind:
    if name == "backward":
        return "backward"
    if name in _NUMBERS:
        return "number"
    if name in ("numpy", "__array__"):
        return "numpy"
    if in_place:
        return "overwritten"
    if name in _DETACHING:
        return "detach"
    if name in ("requires_grad_", "requires_grad="):
        return "new leaf" if made[0].requires_grad else "requires_grad"
    if name in _COPYING and any(t.is_leaf for t in made):
        return "new leaf"
    if not any(t.requires_grad for t in used):
        return "operation"
    if any(t.requires_grad for t in made):
        return "no slope" if name in _NO_SLOPE else "operation"
    if name == "grad":
        return "create_graph"
    if not any(str(t.dtype).rpartition(".")[2].startswith(("float", "bfloat", "complex")) for t in made):
        return "integers"
    return "no slope" if recording else "no_grad"


# Whose line it is


@functools.cache
def _not_the_users() -> tuple[str, ...]:
    """Where the code is that a reader did not write: this package, installed ones, Python's own."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = sysconfig.get_paths()
    own = {os.path.dirname(os.__file__), *(paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib"))}
    return (*(os.path.join(path, "") for path in sorted({here, *own})), "<autograd_teach", "<frozen")


@functools.lru_cache(maxsize=4096)
def is_users(filename: str) -> bool:
    """Whether a file is the user's own code: a script, a cell, a module that is not installed."""
    files = [getattr(sys.modules.get(name), "__file__", None) for name in ("torch", "IPython")]
    own = tuple(os.path.join(os.path.dirname(file), "") for file in files if file)
    return not filename.startswith((*_not_the_users(), *own))


def users_place(frame: FrameType | None) -> Place | None:
    """The innermost line of the user's on the stack; None for what a view computes for itself."""
    while frame is not None and not is_users(frame.f_code.co_filename):
        if frame.f_code.co_filename.startswith(_VIEWS) and frame.f_code is not watched.__code__:
            return None
        if frame.f_code is watched.__code__:
            return _users_place_above(frame)
        frame = frame.f_back
    return _place_of(frame)


def _users_place_above(frame: FrameType | None) -> Place:
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return _place_of(frame)


def _place_of(frame: FrameType | None) -> Place:
    if frame is None:
        return Place("", 0, "")
    file, line = frame.f_code.co_filename, frame.f_lineno
    return Place(file, line, line_text(file, line, frame.f_globals))


def line_text(file: str, line: int, module_globals: dict[str, Any] | None = None) -> str:
    """The text of a line without its indentation; empty where the source cannot be found."""
    return linecache.getline(file, line, module_globals).strip()


_VIEWS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
