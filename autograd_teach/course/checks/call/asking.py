"""Calls a student's answer and records its results, and what it did to its arguments, as plain values.

May use the engine, ours or PyTorch, whichever the answer uses; exact.py reads its values. Must not know the right results,
because it runs in the process of the student's code.
"""

import copy
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...exercises.declaration import CallForm, Exercise, Prepared
from ...guard import caught, is_own
from ..exact import NUMBERS, NUMPY_NUMBERS, Engine, engine_of_module, is_shared
from ..records import NumPyArray, OwnList, OwnTuple, Strange
from .history import reason
from .records import Asked, Called, TensorFacts


class CallAsking:
    """Calls one answer and records the outcome."""

    def __init__(self, subject: Any, exercise: Exercise) -> None:
        assert isinstance(exercise.form, CallForm)
        self.subject, self.form, self.phase = subject, exercise.form, exercise.entry
        self.engine = _engine_of(subject)
        self.torch = self.engine.torch

    def reply(self, asked: Asked) -> Called:
        """Call the answer once and return the record of it."""
        torch, names = self.torch, self.form.arguments
        called = Called(names, asked.arguments)
        given = [_given(torch, argument) for argument in asked.arguments]
        tensors = {name: each for name, each in zip(names, given, strict=True) if self.engine.is_tensor(each)}
        found: list[Any] = []
        with caught(called, lambda: "your code", lambda error: reason(error, is_own, given, self._needs)):
            result = self.form.call(torch, self.subject, *given) if self.form.call else self.subject(*given)
            called.result = plain(
                result,
                lambda a: a.copy().view(NumPyArray),
                lambda each: self._noted(each, found),
                own=self.form.call is None,
            )
            called.results = [self._facts(each, tensors) for each in found]
            called.after = {name: self._facts(each, {}) for name, each in tensors.items()}
            called.counts = tuple(a.counts if isinstance(a, Prepared) else {} for a in asked.arguments)
        return called

    def _needs(self, thing: Any) -> bool:
        return self.engine.is_tensor(thing) and bool(self.engine.flag(thing, "requires_grad"))

    def _noted(self, thing: Any, found: list[Any]) -> np.ndarray | None:
        """The numbers of a tensor, which is added to `found`; None for anything else."""
        if not self.engine.is_tensor(thing):
            return None
        found.append(thing)
        return self.engine.array(thing).copy()

    def _facts(self, tensor: Any, arguments: dict[str, Any]) -> TensorFacts:
        array, flag = self.engine.array, self.engine.flag
        is_leaf = flag(tensor, "is_leaf")
        grad = flag(tensor, "grad") if is_leaf else None
        return TensorFacts(
            value=array(tensor).copy(),
            requires_grad=flag(tensor, "requires_grad"),
            is_leaf=is_leaf,
            grad=None if grad is None else array(grad).copy(),
            shares_memory=tuple(name for name, each in arguments.items() if is_shared(array(tensor), array(each))),
        )


def _engine_of(subject: Any) -> Engine:
    """The engine that the answer was written for: what its module or the notebook names `torch`, else ours."""
    subject = inspect.unwrap(subject)  # `@torch.no_grad()` wraps it in a function of torch
    names = getattr(subject, "__globals__", None) or vars(sys.modules.get(getattr(subject, "__module__", ""), object))
    return engine_of_module(names.get("torch"))


def _given(torch: Any, argument: Any) -> Any:
    if isinstance(argument, Prepared):
        return argument.for_student(torch)
    return torch.tensor(argument) if isinstance(argument, np.ndarray) else copy.deepcopy(argument)


def plain(
    result: Any,
    array: Callable[[np.ndarray], np.ndarray] = np.copy,
    tensor: Callable[[Any], np.ndarray | None] = lambda thing: None,
    own: bool = False,
) -> Any:
    """`result` as plain data: numbers, words, arrays, lists and dicts, with arrays instead of tensors.

    Any other object becomes `Strange` with the name of its type, as does a key that is not a str. array: converts a NumPy
    array in the result. tensor: converts a tensor. own: whether to mark lists and tuples as those of an answer. Types are
    compared exactly: an instance of a subclass of a number, an array or a tensor does not count. Entries of collections
    are read without methods that a subclass may define.

    >>> plain((1, [np.float64(2.0)], {"a": True, 1: 3}))
    [1, [2.0], {'a': True, '<int>': 3}]
    """
    kind = type(result)
    if result is None or kind in NUMBERS or kind is str:
        return result
    if kind in NUMPY_NUMBERS:
        return result.item()
    if kind is np.ndarray or kind is NumPyArray:
        return array(result)
    if issubclass(kind, dict):
        named = (
            (key if type(key) is str else repr(Strange(type(key).__name__)), each) for key, each in dict.items(result)
        )
        return {key: plain(each, array, tensor, own) for key, each in named}
    if issubclass(kind, list | tuple):
        base, marked = (list, OwnList) if issubclass(kind, list) else (tuple, OwnTuple)
        entries = [plain(each, array, tensor, own) for each in base.__iter__(result)]
        return marked(entries) if own else entries
    numbers = tensor(result)
    return Strange(kind.__name__) if numbers is None else numbers
