"""Whether a reply has everything that its request asks for.

An incomplete reply is never a success, even if a student's process forged it and no check notices. NumPy and the course's
records only.
"""

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np

from ...course.checks.call.records import Called
from ...course.checks.checker import Request
from ...course.checks.exact import is_same
from ...course.checks.function.records import Run, differentiable, same_values
from ...course.checks.records import NOTHING, Broken
from ...course.exercises.declaration import Exercise, Leaf, Watched
from ...course.jacobian import is_float


@singledispatch
def complete(reply: Any, exercise: Exercise, request: Request) -> bool:
    """Whether a reply is complete. Raises `Broken` if parts of it contradict each other."""
    raise NotImplementedError


@complete.register
def _(called: Called, exercise: Exercise, request: Request) -> bool:
    """Whether a record is complete: it has a result, and the facts about each tensor in it and in the arguments."""
    if called.crash or called.result is NOTHING:
        return False
    tensors, arguments = list(_tensors(called.result)), request.asked.arguments
    given = zip(exercise.form.arguments, arguments, strict=True)
    return (
        len(tensors) == len(called.results)
        and all(is_same(one, facts.value) for one, facts in zip(tensors, called.results, strict=True))
        and set(called.after) == {name for name, each in given if isinstance(each, np.ndarray | Leaf)}
        and [set(each) for each in called.counts] == [_counted(each) for each in arguments]
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


@complete.register
def _(run: Run, exercise: Exercise, request: Request) -> bool:
    """Whether a run has everything that was requested: the results, and each required gradient in the right shape.

    Raises `Broken` if parts of it contradict each other.
    """
    form: Any = exercise.form
    asked, expected = request.asked, request.expected
    if run.own_node != any(differentiable(form, run.requires_grad)) and run.values is not None:
        raise Broken("flags that contradict each other")
    if run.crash or run.refused or run.odd_result or not _has_values(run, form.results, expected):
        return False
    if asked.mode == "forward":
        return True
    if run.returned is None or not all(differentiable(form, run.requires_grad)):
        return False
    if asked.mode == "no_gradient":
        return True  # backward must return None for each argument
    if asked.mode == "twice":
        due = sum(map(is_float, asked.arguments)) + len(asked.cotangents)
        if run.second is None or len(run.second.got) != due:
            return False
    given = dict(enumerate(run.returned))
    return all(
        _is_gradient(given.get(number), argument) or (given.get(number) is None and asked.only is not None)
        for number, argument in enumerate(asked.arguments)
        if is_float(argument) and asked.needed in (None, number)
    )


def _has_values(run: Run, results: int, expected: Any) -> bool:
    return len(run.requires_grad) == results and same_values(run.values, expected)


def _is_gradient(entry: Any, argument: np.ndarray) -> bool:
    return isinstance(entry, np.ndarray) and entry.shape == argument.shape
