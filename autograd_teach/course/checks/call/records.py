"""The requests to an answer that is called, and its replies, as plain data.

NumPy only. A check in the notebook makes these records; the grader receives the same records from another process.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...exercises.declaration import Leaf, Watched
from ...guard import Crash
from ..exact import is_same


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
    changed: tuple[str, ...] = field(default=(), metadata={"told": False})  # arguments that are no longer as they were
    # sent by the process that ran it
    result: Any = NOTHING
    results: list[TensorFacts] = field(default_factory=list)  # the tensors in the result, in order
    after: dict[str, TensorFacts] = field(default_factory=dict)  # the tensors among the arguments
    counts: tuple[dict[str, int], ...] = ()  # the counters of each argument
    crash: Crash | None = None

    def counted(self, what: str) -> int:
        """The counter `what` of the first argument, 0 if it does not have it."""
        return self.counts[0].get(what, 0) if self.counts else 0


def complete(names: tuple[str, ...], asked: Asked, called: Called) -> bool:
    """Whether a record is complete: it has a result, and the facts about each tensor in it and in the arguments.

    An incomplete record is never a success, even if a student's process forged it.
    """
    if called.crash or called.result is NOTHING:
        return False
    tensors = list(_tensors(called.result))
    given = zip(names, asked.arguments, strict=True)
    return (
        len(tensors) == len(called.results)
        and all(is_same(one, facts.value) for one, facts in zip(tensors, called.results, strict=True))
        and set(called.after) == {name for name, each in given if isinstance(each, np.ndarray | Leaf)}
        and [set(each) for each in called.counts] == [_counted(each) for each in asked.arguments]
    )


def _tensors(result: Any) -> Iterator[np.ndarray]:
    """The arrays that stand for tensors in a plain result, in order."""
    if type(result) is np.ndarray:
        yield result
    elif isinstance(result, list | tuple | dict):
        for each in result.values() if isinstance(result, dict) else result:
            yield from _tensors(each)


def _counted(argument: Any) -> set[str]:
    return {"calls", "passes"} if isinstance(argument, Watched) else set()
