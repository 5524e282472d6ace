"""The requests to an answer that is called, its replies as plain data, and how a result differs from the specified one.

NumPy only. A check in the notebook makes these records; the grader receives the same records from another process.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...guard import Crash
from ...jacobian import wrong_slopes
from ..records import NOTHING, NumPyArray, Strange

Kind = Literal["type", "length", "keys", "shape", "dtype", "value"]


@dataclass(frozen=True)
class Difference:
    """One place where a result differs from the specified one: its path, the kind of difference, and both sides."""

    path: str  # "[0]['b']", empty for the whole result
    kind: Kind
    got: Any
    expected: Any


def differences(
    got: Any, expected: Any, path: str = "", dtypes: bool = False, equal_nan: bool = False
) -> Iterator[Difference]:
    """Every difference between two plain results. Numbers must agree to five digits, as measured derivatives do.

    If an array is expected, it must be a tensor of this shape; if a number is expected, it may be any number or a tensor
    with one entry. dtypes: also compare dtypes. equal_nan: NaN equals NaN.

    >>> [d.path for d in differences([1.0, {"a": 2}], [1.0, {"a": 3}])]
    ["[1]['a']"]
    """
    for place, one, other in parts(got, expected, path):
        kind = _kind(one, other, dtypes, equal_nan)
        if kind in ("shape", "value", "dtype") and isinstance(one, bool | int | float | np.ndarray):
            one, other = np.asarray(one), np.asarray(other)
            one = one.reshape(other.shape) if kind == "value" else one
        if kind:
            yield Difference(place, kind, one, other)


def _kind(got: Any, expected: Any, dtypes: bool, equal_nan: bool) -> Kind | None:
    """How a part differs from what it must be: a number, an array, a text, None, or a collection with other entries."""
    if isinstance(expected, dict):
        return "keys" if isinstance(got, dict) else "type"
    if isinstance(expected, list):
        return "type" if not _has_rows(got) else "length" if len(got) != len(expected) else None
    if expected is None or isinstance(expected, str):
        return "type" if got is not None and not isinstance(got, str) else "value" if got != expected else None
    if isinstance(expected, Strange):
        return "type" if got != expected else None
    is_tensor = isinstance(got, np.ndarray) and not isinstance(got, NumPyArray)
    if not isinstance(got, bool | int | float | np.ndarray) or (isinstance(expected, np.ndarray) and not is_tensor):
        return "type"
    one, other = np.asarray(got), np.asarray(expected)
    if (one.dtype == bool) != (other.dtype == bool):
        return "type"
    if one.shape != other.shape and (one.size != 1 or other.ndim or isinstance(expected, np.ndarray)):
        return "shape"
    if wrong_slopes(one.reshape(other.shape), other, equal_nan).any():
        return "value"
    return "dtype" if dtypes and isinstance(expected, np.ndarray) and one.dtype != other.dtype else None


def parts(got: Any, want: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The parts of a result and of the right one, by their paths: the entries of dicts, the numbers or arrays in a list.

    >>> list(parts([1.0, {"a": 2}], [1.0, {"a": 3}]))
    [('[0]', 1.0, 1.0), ("[1]['a']", 2, 3)]
    """
    if isinstance(want, dict) and isinstance(got, dict) and want.keys() == got.keys():
        keys: list[Any] = list(want)
    elif isinstance(want, list) and want and _has_rows(got) and len(got) == len(want):
        keys = list(range(len(want)))
    else:  # before any loop over rows: an array without entries can have 2**31 of them
        yield path, got, want
        return
    for key in keys:
        one = got[key, ...] if isinstance(got, np.ndarray) else got[key]
        yield from parts(one, want[key], f"{path}[{key!r}]")


def _has_rows(got: Any) -> bool:
    return isinstance(got, list) or (isinstance(got, np.ndarray) and got.ndim > 0)


@dataclass(frozen=True)
class Asked:
    """One request: a call."""

    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class TensorFacts:
    """The state of a tensor after the call."""

    value: np.ndarray
    requires_grad: bool
    is_leaf: bool
    grad: np.ndarray | None
    shares_memory: tuple[str, ...] = ()  # names of the arguments


@dataclass
class Called:
    """One call of the answer. The result is plain data: arrays for tensors, numbers, words, lists and dicts."""

    # filled in by the process that asked
    names: tuple[str, ...] = field(default=(), metadata={"told": False})
    arguments: tuple[Any, ...] = field(default=(), metadata={"told": False})  # as declared
    expected: Any = field(default=None, metadata={"told": False})
    changed: tuple[str, ...] = field(default=(), metadata={"told": False})  # arguments that it must not change
    differences: tuple[Difference, ...] = field(default=(), metadata={"told": False})  # from what is expected
    # sent by the process that ran it
    result: Any = NOTHING
    results: list[TensorFacts] = field(default_factory=list)  # the tensors in the result, in order
    after: dict[str, TensorFacts] = field(default_factory=dict)  # the tensors among the arguments
    counts: tuple[dict[str, int], ...] = ()  # the counters of each argument
    crash: Crash | None = None

    def counted(self, what: str) -> int:
        """The counter `what` of the first argument, 0 if it does not have it."""
        return self.counts[0].get(what, 0) if self.counts else 0
