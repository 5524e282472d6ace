"""Calls a student's answer and writes down, in plain values, what came back and what it did to its arguments.

May use the engine (ours or PyTorch: the one whose tensors the answer works with). Must not know what is right: all of
this runs in the process of the student's code.
"""

import copy
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...exercises.declaration import CallForm, Prepared
from ...guard import caught
from .records import Asked, Called, NumPyArray, Strange, TensorFacts


class CallAsking:
    """Calls one answer."""

    def __init__(self, subject: Any, form: CallForm, phase: str = "your code") -> None:
        self.subject, self.form, self.phase = subject, form, phase
        self.torch = _engine_of(subject)
        _warm_up(self.torch)

    def reply(self, asked: Asked) -> Called:
        """What came of one call."""
        torch, names = self.torch, self.form.arguments
        called = Called(names, asked.arguments)
        given = [_given(torch, argument) for argument in asked.arguments]
        before = [_array(each).copy() if isinstance(each, torch.Tensor) else None for each in given]
        with caught(called, lambda: "your code"):
            result = self.form.call(torch, self.subject, *given) if self.form.call else self.subject(*given)
            called.result = plain(result, _marked)
            tensors = {name: each for name, each in zip(names, given, strict=True) if isinstance(each, torch.Tensor)}
            called.results = [_facts(each, tensors) for each in _tensors(result, torch)]
            called.after = {name: _facts(each, {}) for name, each in tensors.items()}
            called.changed = tuple(
                name
                for name, each, old in zip(names, given, before, strict=True)
                if old is not None and not np.array_equal(_array(each), old, equal_nan=True)
            )
            called.counts = tuple(a.counts if isinstance(a, Prepared) else {} for a in asked.arguments)
        return called


def _warm_up(torch: Any) -> None:
    """Have PyTorch load what it loads at the first gradient (sympy: seconds), outside the time limit, which would break it off."""
    with torch.enable_grad():
        leaf = torch.ones(1, requires_grad=True)
        torch.autograd.grad(leaf * 1, leaf, torch.ones(1))


def _engine_of(subject: Any) -> Any:
    """The library that the answer was written for: what its own module, or the notebook, calls `torch`; else ours."""
    subject = inspect.unwrap(subject)  # `@torch.no_grad()` makes a function of torch's own
    names = getattr(subject, "__globals__", None) or vars(sys.modules.get(getattr(subject, "__module__", ""), object))
    known = names.get("torch")
    return known if hasattr(known, "autograd") else importlib.import_module("autograd_teach")


def _given(torch: Any, argument: Any) -> Any:
    if isinstance(argument, Prepared):
        return argument.for_student(torch)
    return torch.tensor(argument) if isinstance(argument, np.ndarray) else copy.deepcopy(argument)


def _marked(array: np.ndarray) -> np.ndarray:
    return array.copy().view(NumPyArray)


def plain(result: Any, array: Callable[[np.ndarray], np.ndarray] = np.copy) -> Any:
    """`result` with arrays in the place of tensors; what is neither number, word, array nor a collection of such is its type's name.

    `array` makes the entry for a NumPy array that is there itself.

    >>> plain((1, [np.float64(2.0)], {"a": True}))
    [1, [2.0], {'a': True}]
    """
    if isinstance(result, np.generic):  # first: np.float64 is a float too
        return result.item()
    if result is None or isinstance(result, bool | int | float | str):
        return result
    if isinstance(result, np.ndarray):
        return array(result)
    if isinstance(result, dict):
        return {str(key): plain(value, array) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [plain(each, array) for each in result]
    if hasattr(result, "detach") and hasattr(result, "numpy"):
        return _array(result).copy()
    return Strange(type(result).__name__)


def _tensors(result: Any, torch: Any) -> Iterator[Any]:
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, list | tuple | dict):
        for each in result.values() if isinstance(result, dict) else result:
            yield from _tensors(each, torch)


def _facts(tensor: Any, arguments: dict[str, Any]) -> TensorFacts:
    grad = tensor.grad if tensor.is_leaf else None
    return TensorFacts(
        value=_array(tensor).copy(),
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        grad=None if grad is None else _array(grad).copy(),
        shares_memory=tuple(name for name, each in arguments.items() if np.shares_memory(_array(tensor), _array(each))),
    )


def _array(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().numpy())
