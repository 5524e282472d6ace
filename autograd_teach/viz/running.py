"""A call of a reader's function under `watch`: its leaves, its result, and its names.

For the views that take a function: `viz.play(f)`, `viz.live(f, a=2.0)`, `viz.explore`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from autograd_teach.viz.facts import LIBRARIES, is_tensor, library_of
from autograd_teach.viz.naming import caller_tensors


@dataclass
class Run:
    """One call of a function."""

    library: Any
    result: Any = None
    leaves: dict[str, Any] = field(default_factory=dict)
    """The leaves made of the given values, by the names of the arguments."""
    names: list[tuple[str, Any]] = field(default_factory=list)
    """The names of tensors: the arguments, and the function's local variables when it returned."""


def run(f: Callable[..., Any], values: Mapping[str, Any]) -> Run:
    """Call `f` with these values under `watch`.

    Numbers, lists of numbers and floating tensors become leaves.

    A tensor is passed as a new leaf with the same numbers, so that the `.grad` of the given tensor
    does not change. The library of the leaves is that of `library_for`. An error in `f` is raised.
    """
    from autograd_teach.viz.watch import watched

    library = library_for(f, values)
    leaves = {name: leaf for name, value in values.items() if (leaf := as_leaf(value, library)) is not None}
    made = Run(library, leaves=leaves)
    made.result = watched(call_noting, lambda: f(**{**values, **leaves}), f, made.names)
    made.names[:0] = list(leaves.items())
    return made


def library_for(f: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """The library whose tensors `f` expects.

    It is the library of the tensors among the values, else what the module of `f` calls `torch`,
    else this package.
    """
    for value in values.values():
        if is_tensor(value):
            return importlib.import_module(library_of(value))
    known = getattr(f, "__globals__", {}).get("torch")
    if getattr(known, "__name__", "") in LIBRARIES:
        return known
    return importlib.import_module(LIBRARIES[0])


def as_leaf(value: Any, library: Any) -> Any:
    """A leaf with these numbers that requires grad.

    None if the value is not a number, a list of numbers or a floating tensor.
    """
    if is_tensor(value):
        plain = value.detach().clone()
        return plain.requires_grad_() if "float" in str(plain.dtype) else None
    if isinstance(value, bool) or not isinstance(value, (int, float, list, tuple, np.ndarray)):
        return None
    try:
        return library.tensor(value, dtype=library.float32, requires_grad=True)
    except (TypeError, ValueError, RuntimeError):  # a list of something else
        return None


def call_noting(call: Callable[[], Any], f: Callable[..., Any], inside: list[tuple[str, Any]]) -> Any:
    """Call, and put the tensors in the local variables of `f` into `inside` when it returns."""
    code = getattr(f, "__code__", None)
    before = sys.getprofile()

    def watch(frame: FrameType, event: Any, told: Any) -> None:
        if before is not None:
            before(frame, event, told)
        if event == "return" and frame.f_code is code:
            inside[:] = caller_tensors(frame)

    if code is not None:
        sys.setprofile(watch)
    try:
        return call()
    finally:
        sys.setprofile(before)
