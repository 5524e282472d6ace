"""Calls a student's function and writes down, in plain values, what came back and what it did to its arguments.

May use the engine (ours or PyTorch: the one whose tensors the answer works with). Must not know checks, diagnoses or reports.
"""

import copy
import importlib
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .exercises.declaration import Call, Exercise, Prepared
from .guard import Crash, caught, guarded
from .observe import Observed, as_array, generator

NOTHING = object()
"""In place of a result where none came."""


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

    names: tuple[str, ...]
    arguments: tuple[Any, ...]  # as declared
    expected: Any
    result: Any = NOTHING
    results: list[TensorFacts] = field(default_factory=list)  # the tensors in the result, in order
    after: dict[str, TensorFacts] = field(default_factory=dict)  # the tensors among the arguments
    changed: tuple[str, ...] = ()
    crash: Crash | None = None


@dataclass
class CallEvidence(Observed):
    """Everything that one check of an answer that is called saw."""

    calls: list[Called] = field(default_factory=list)
    repeated: Called | None = None

    @property
    def grading(self) -> Call:
        """The declaration, of the type that it has here."""
        assert isinstance(self.exercise.grading, Call)
        return self.exercise.grading


def observe_call(exercise: Exercise, subject: Any) -> CallEvidence:
    """Call the answer `subject` on every declared input. Never raises through the student's fault."""
    evidence = CallEvidence(exercise)
    if not callable(subject):
        evidence.structure = "no_function"
        return evidence
    torch = _engine_of(subject)
    _warm_up(torch)
    with guarded(evidence, exercise.seconds, lambda: exercise.entry):
        for arguments in evidence.grading.inputs(generator(exercise)):
            _call(evidence.grading, torch, subject, arguments, evidence.calls)
        if evidence.calls and evidence.calls[0].crash is None:
            again: list[Called] = []
            _call(evidence.grading, torch, subject, evidence.calls[0].arguments, again)
            evidence.repeated = again[0]
    return evidence


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


def _call(grading: Call, torch: Any, subject: Any, arguments: tuple[Any, ...], calls: list[Called]) -> None:
    """One call, appended to `calls` before it runs, so that a time limit that ends it leaves a trace."""
    called = Called(grading.arguments, arguments, plain(grading.specification(*map(specified, arguments))))
    calls.append(called)
    given = [_given(torch, argument) for argument in arguments]
    before = [as_array(each).copy() if isinstance(each, torch.Tensor) else None for each in given]
    with caught(called, lambda: "your code"):
        if grading.call is None:
            result = subject(*given)
        else:
            result = grading.call(torch, subject, *given)
        called.result = plain(result)
        named = dict(zip(grading.arguments, given, strict=True))
        tensors = {name: each for name, each in named.items() if isinstance(each, torch.Tensor)}
        called.results = [_facts(each, tensors) for each in _tensors(result, torch)]
        called.after = {name: _facts(each, {}) for name, each in tensors.items()}
        called.changed = tuple(
            name
            for name, each, old in zip(grading.arguments, given, before, strict=True)
            if old is not None and not np.array_equal(as_array(each), old, equal_nan=True)
        )


def specified(argument: Any) -> Any:
    """A declared argument as the specification gets it."""
    return argument.for_specification() if isinstance(argument, Prepared) else copy.deepcopy(argument)


def _given(torch: Any, argument: Any) -> Any:
    if isinstance(argument, Prepared):
        return argument.for_student(torch)
    return torch.tensor(argument) if isinstance(argument, np.ndarray) else copy.deepcopy(argument)


def plain(result: Any) -> Any:
    """`result` with arrays in the place of tensors; what is neither number, word, array nor a collection of such is its type's name.

    >>> plain((1, [np.float64(2.0)], {"a": True}))
    [1, [2.0], {'a': True}]
    """
    if isinstance(result, np.generic):  # first: np.float64 is a float too
        return result.item()
    if result is None or isinstance(result, bool | int | float | str):
        return result
    if isinstance(result, np.ndarray):
        return result.copy()
    if isinstance(result, dict):
        return {str(key): plain(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [plain(each) for each in result]
    if hasattr(result, "detach") and hasattr(result, "numpy"):
        array = as_array(result).copy()
        return array
    return Strange(type(result).__name__)


@dataclass(frozen=True)
class Strange:
    """Something in a result that nothing can be compared with."""

    type: str

    def __repr__(self) -> str:
        return f"<{self.type}>"


def _tensors(result: Any, torch: Any) -> Iterator[Any]:
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, list | tuple | dict):
        for each in result.values() if isinstance(result, dict) else result:
            yield from _tensors(each, torch)


def _facts(tensor: Any, arguments: dict[str, Any]) -> TensorFacts:
    grad = tensor.grad if tensor.is_leaf else None
    return TensorFacts(
        value=as_array(tensor).copy(),
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        grad=None if grad is None else as_array(grad).copy(),
        shares_memory=tuple(
            name for name, each in arguments.items() if np.shares_memory(as_array(tensor), as_array(each))
        ),
    )
