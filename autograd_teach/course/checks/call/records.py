"""What an answer that is called is asked, and what came of it, as plain data.

NumPy only. The same records are made by a check in the notebook and read by the grader from another process.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...exercises.declaration import Leaf, Watched
from ...guard import Crash
from ..exact import is_same


class Nothing:
    """In place of a result where none came."""


NOTHING = Nothing()
"""The only one."""


class NumPyArray(np.ndarray):
    """An array that an answer returned itself; tensors come back as plain arrays."""


@dataclass(frozen=True)
class Strange:
    """Something in a result that nothing can be compared with."""

    type: str

    def __repr__(self) -> str:
        return f"<{self.type}>"


@dataclass(frozen=True)
class Asked:
    """One request: a call."""

    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class TensorFacts:
    """A tensor as it was after the call."""

    value: np.ndarray
    requires_grad: bool
    is_leaf: bool
    grad: np.ndarray | None
    shares_memory: tuple[str, ...] = ()  # names of the arguments


@dataclass
class Called:
    """One call of the answer. Results are plain: arrays for tensors, and numbers, words, lists and dicts of such."""

    # filled in by whoever asked
    names: tuple[str, ...] = field(default=(), metadata={"told": False})
    arguments: tuple[Any, ...] = field(default=(), metadata={"told": False})  # as declared
    expected: Any = field(default=None, metadata={"told": False})
    changed: tuple[str, ...] = field(default=(), metadata={"told": False})  # arguments that are no longer as they were
    # told by the process that ran it
    result: Any = NOTHING
    results: list[TensorFacts] = field(default_factory=list)  # the tensors in the result, in order
    after: dict[str, TensorFacts] = field(default_factory=dict)  # the tensors among the arguments
    counts: tuple[dict[str, int], ...] = ()  # for each argument what it has counted
    crash: Crash | None = None

    def counted(self, what: str) -> int:
        """What the first argument has counted."""
        return self.counts[0].get(what, 0) if self.counts else 0


def complete(names: tuple[str, ...], asked: Asked, called: Called) -> bool:
    """Whether a call has everything that was asked for: a result, and the facts about each tensor in it and each among the
    arguments. Anything less is no success, whoever has sent it."""
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
    """What stands for the tensors in a plain result, in their order."""
    if type(result) is np.ndarray:
        yield result
    elif isinstance(result, list | tuple | dict):
        for each in result.values() if isinstance(result, dict) else result:
            yield from _tensors(each)


def _counted(argument: Any) -> set[str]:
    return {"calls", "passes"} if isinstance(argument, Watched) else set()
