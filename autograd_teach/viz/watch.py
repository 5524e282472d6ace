"""Recording of the forward pass: the result, the constants and the source line of each operation.

A graph does not keep these. Inside `with viz.watch():` each new node gets a note in its `metadata`,
so a note lives as long as its node. The watch also keeps a list of calls as plain data, for calls
that do not make a node: `detach`, `.item()`, a result computed under `no_grad`.

A profile function observes this package's engine; a TorchFunctionMode observes PyTorch. A hook
inside the engine (`state.mode.observer`) would see only new nodes, not `detach`, `item` or results
that do not require grad, and every change of the grad mode replaces it. The profile function sees
every call, does not need a change of the engine, and does not cost anything without a watch.
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
"""The key of a node's note in its `metadata`."""
LARGEST_KEPT = 10_000
"""Results with more entries are recorded as shape and range."""
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
    """What a watch recorded when a node was made.

    All values are copies: in-place changes do not affect them.
    """

    value: np.ndarray[Any, Any] | None
    """The (first) result; None if it has more than 10,000 entries or was not seen."""
    values: tuple[np.ndarray[Any, Any] | None, ...]
    """All results, by output number."""
    shape: tuple[int, ...] | None
    """The shape of the (first) result."""
    constants: tuple[Any | None, ...]
    """For each of `next_functions`, the argument as a number or array.

    None if the argument requires grad.
    """
    file: str
    line: int
    """The line of the user's code that called the operation; 0 if there is none."""
    source: str
    """The text of that line, without indentation."""
    summary: str = ""
    """The range of a result that is too large to keep, as text."""


@dataclass(frozen=True)
class Event:
    """One call seen by a watch, as plain data.

    `used` and `made` identify tensors by tokens: numbers, in the order in which the tensors were
    first seen.
    """

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
    """`no_grad` or `inference_mode`, if that is why a result does not have a history."""


@dataclass(frozen=True)
class Place:
    """A line of the user's code."""

    file: str
    line: int
    source: str


def seen(node: Any) -> Seen | None:
    """The note of a watch on a graph node; None if there is none.

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
    """Record the values, constants and source lines of the operations in `with viz.watch():`.

    A graph does not keep its intermediate values. After a watch, the views show them: `viz.graph`
    shows the value of every node, `viz.play` also plays the forward pass.

    A watch records the operations of the current thread on tensors of this package; also those of
    PyTorch, if PyTorch was imported before. Watches can be nested. After `with viz.watch() as w:`,
    `w.events` lists the calls that do not make a node or that change the meaning of one: `detach`,
    `.item()`, results that do not require grad, new leaves, in-place changes. Raises RuntimeError
    if the same watch is entered twice.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with viz.watch():
    ...     y = (x * 2).sin().sum()
    >>> viz.graph(y, names={"x": x})
    output y, shape (), 0.1525
    └─ SumBackward0, shape (), 0.1525
       └─ SinBackward0, shape (2), [0.9093, -0.7568]
          └─ MulBackward0, shape (2), [2, 4]
             ├─ AccumulateGrad of x, shape (2), [1, 2], grad not computed yet
             └─ constant 2, shape (), 2, requires_grad=False: no history
    >>> with viz.watch() as w:
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
        """The calls that made no node or a new leaf, or that changed a tensor in place, in order."""
        return [call for call in self.calls if call.kind != "operation"]

    def __enter__(self) -> Self:
        if self.active:
            raise RuntimeError("This watch is already running: use a new viz.watch() for each `with`.")
        self.active = True
        _local.enter(self)
        return self

    def __exit__(self, *error: object) -> None:
        self.active = False
        _local.leave(self)

    def tokens(self, tensor: Any) -> tuple[int, ...]:
        """All tokens of this object, the newest last; empty if the watch has not seen it."""
        known = self._tokens.get(id(tensor))
        return tuple(known[1]) if known is not None and known[0]() is tensor else ()

    def token(self, tensor: Any, new: bool = False) -> int:
        """The current token of a tensor; `new` gives it another one, after an in-place change."""
        known = self._tokens.get(id(tensor))
        if known is None or known[0]() is not tensor:  # new, or another object with a reused id
            known = self._tokens[id(tensor)] = (weakref.ref(tensor), [])
        if new or not known[1]:
            self._given += 1
            known[1].append(self._given)
        return known[1][-1]


def last_watch() -> watch | None:
    """The watch that this thread entered last. It holds plain data, not tensors."""
    return _local.last


class _Local(threading.local):
    """The watches of a thread. They share one observer for each library."""

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
                self.mode.remove()  # it cannot be removed during a call
            self.before = sys.getprofile()
            self.mode = _torch_mode()
            sys.setprofile(observe)

    def leave(self, old: watch) -> None:
        # Generators may end in another order than they started, or in another thread.
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
"""Callbacks for functions of other libraries that only the profile function sees, by code object.

Called on return.
"""


def running() -> list[watch]:
    """The watches of this thread.

    Watches that ended in another thread are removed here; with the last, the observers.
    """
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


# Notes of both observers


def note_node(node: Any, results: Sequence[Any], constants: tuple[Any | None, ...], place: Place) -> None:
    """Put a note on a node that does not have one; `results`: the node's outputs as tensors."""
    try:
        notes = node.metadata
        if KEY in notes:
            return
        notes[KEY] = _seen(node, results, constants, place)
    except (AttributeError, RuntimeError, TypeError, ValueError):
        return  # nodes of another engine may not have `metadata`


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
    """A copy of the tensor's numbers as an array; None if it is large or NumPy cannot hold it."""
    array = as_array(tensor)
    return None if array is None or array.size > LARGEST_KEPT else np.array(array)


def constant(thing: Any) -> Any | None:
    """The record of an argument that does not require grad: a number, or an array for a tensor."""
    if isinstance(thing, (bool, int, float, complex)):
        return thing
    return copied(thing) if is_tensor(thing) else None


def tensors_among(things: Any, depth: int = 3) -> Iterator[Any]:
    """The tensors among arguments or results, including those in lists, tuples and dictionaries."""
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
    """Record a call in the running watches.

    `recording`: whether operations record a graph now (grad mode).
    """
    made = list(tensors_among([result]))
    if not used or name.endswith("like") or name.startswith("new_") and name != "new_tensor":
        return  # the result does not depend on a value
    if in_place := writes(name):
        base = getattr(used[0], "_base", None)
        made = [used[0], *([base] if base is not None else [])]  # the tensor that shares the view's memory
    elif not made and name not in _NUMBERS | {"numpy", "__array__", "backward"}:
        return
    elif made and all(any(m is u for u in used) for m in made) and name not in _WRITING_NOTHING:
        return  # returns its argument, as `.contiguous()` or `.to()` may do
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
    """Whether a call returns the result of the call inside it."""
    if not event.made:
        return last.kind == event.kind and last.used == event.used and last.line == event.line
    return set(event.made) <= set(last.made) and event.kind not in ("new leaf", "requires_grad")


def _mode_of(made: Sequence[Any]) -> str:
    return "inference_mode" if any(t.is_inference() for t in made) else "no_grad"


def writes(name: str) -> bool:
    """Whether a function with this name changes its first argument in place."""
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


# The user's source lines


@functools.cache
def _not_the_users() -> tuple[str, ...]:
    """The folders of code that the user did not write: this package, installed ones, Python."""
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
    """The innermost line of the user's code on the stack; None if a view itself computes."""
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
    """The text of a line without its indentation; empty if the source is not found."""
    return linecache.getline(file, line, module_globals).strip()


_VIEWS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
