"""The checks of an exercise that is called, and where a result differs from what is specified; read off the records alone.

NumPy only. Must not know the engine, and runs no student's code.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from .exercises.declaration import Also, Exercise
from .jacobian import wrong_slopes
from .judge import State, state
from .observe_call import NOTHING, Called, CallEvidence, Strange, plain

Kind = Literal["type", "length", "keys", "shape", "value"]


@dataclass(frozen=True)
class CallCheck:
    """One line of a report; `judge` reads the evidence."""

    name: str
    text: str
    judge: Callable[[CallEvidence], State]


@dataclass(frozen=True)
class Difference:
    """One place where a result is not what is specified: where, in which way, and both sides."""

    path: str  # "[0]['b']", empty for the whole result
    kind: Kind
    got: Any
    expected: Any


def differences(got: Any, expected: Any, path: str = "") -> Iterator[Difference]:
    """Every difference between two plain results; numbers agree to five digits, as measured derivatives do.

    >>> [d.path for d in differences([1.0, {"a": 2}], [1.0, {"a": 3}])]
    ["[1]['a']"]
    """
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            yield Difference(path, "type", got, expected)
        elif set(got) != set(expected):
            yield Difference(path, "keys", got, expected)
        else:
            for key in expected:
                yield from differences(got[key], expected[key], f"{path}[{key!r}]")
    elif isinstance(expected, list):
        if not isinstance(got, list):
            got = [plain(each) for each in got] if isinstance(got, np.ndarray) and got.ndim else got
        if not isinstance(got, list):
            yield Difference(path, "type", got, expected)
        elif len(got) != len(expected):
            yield Difference(path, "length", got, expected)
        else:
            for number, (one, other) in enumerate(zip(got, expected, strict=True)):
                yield from differences(one, other, f"{path}[{number}]")
    else:
        yield from _of_one(got, expected, path)


def _of_one(got: Any, expected: Any, path: str) -> Iterator[Difference]:
    if expected is None or isinstance(expected, str):
        if got is None or isinstance(got, str):
            if got != expected:
                yield Difference(path, "value", got, expected)
        else:
            yield Difference(path, "type", got, expected)
        return
    if isinstance(expected, Strange):
        if got != expected:
            yield Difference(path, "type", got, expected)
        return
    if isinstance(got, list) and isinstance(expected, np.ndarray) and _is_numbers(got):
        got = np.asarray(got)
    if not isinstance(got, bool | int | float | np.ndarray):
        yield Difference(path, "type", got, expected)
        return
    one, other = np.asarray(got), np.asarray(expected)
    if (one.dtype == bool) != (other.dtype == bool):
        yield Difference(path, "type", got, expected)
    elif one.shape != other.shape and not (other.ndim == 0 and one.size == 1):
        yield Difference(path, "shape", one, other)
    elif wrong_slopes(one.reshape(other.shape), other).any():
        yield Difference(path, "value", one.reshape(other.shape), other)


def _is_numbers(values: list[Any]) -> bool:
    try:
        return np.asarray(values).dtype.kind in "fiu"
    except ValueError:
        return False


def wrong_calls(evidence: CallEvidence) -> list[tuple[Called, list[Difference]]]:
    """The calls whose result is not what is specified, each with all differences."""
    normal = evidence.grading.normal
    found = [
        (c, list(differences(normal(c.result), normal(c.expected)))) for c in evidence.calls if c.result is not NOTHING
    ]
    return [(called, several) for called, several in found if several]


def call_checks_of(exercise: Exercise) -> tuple[CallCheck, ...]:
    """The checks that `exercise` must pass, in the order of the report."""
    grading = exercise.grading
    checks = [CallCheck("structure", f"`{exercise.entry}` is something that can be called", _structure)]
    checks.append(CallCheck("runs", "it runs without an error, for every input tried", _runs))
    right = "every prediction is right" if exercise.kind == "value" else grading.promise  # type: ignore[union-attr]
    checks.append(CallCheck("value", right, _value))
    checks += [CallCheck(each.name, each.text, partial(_also, each)) for each in grading.also]  # type: ignore[union-attr]
    if exercise.kind == "function":
        checks.append(CallCheck("unchanged", "the arguments are left unchanged", _unchanged))
    if exercise.kind != "value":
        checks.append(CallCheck("repeat", "calling it again gives the same", _repeat))
    return tuple(checks)


def _structure(evidence: CallEvidence) -> State:
    return state(evidence.structure is None)


def _runs(evidence: CallEvidence) -> State:
    if not evidence.calls and evidence.timeout is None:
        return "not reached"
    return state(evidence.timeout is None and not any(called.crash for called in evidence.calls))


def _value(evidence: CallEvidence) -> State:
    if not _returned(evidence):
        return "not reached"
    return state(not wrong_calls(evidence))


def _returned(evidence: CallEvidence) -> list[Called]:
    return [called for called in evidence.calls if called.result is not NOTHING]


def _also(each: Also, evidence: CallEvidence) -> State:
    calls = _returned(evidence)
    return state(all(each.judge(called) is None for called in calls)) if calls else "not reached"


def _unchanged(evidence: CallEvidence) -> State:
    calls = _returned(evidence)
    return state(not any(map(changed_against_the_rules, calls, [evidence] * len(calls)))) if calls else "not reached"


def changed_against_the_rules(called: Called, evidence: CallEvidence) -> list[str]:
    """The names of the arguments that the answer changed and was to leave alone."""
    return [name for name in called.changed if name not in evidence.grading.may_change]


def _repeat(evidence: CallEvidence) -> State:
    if evidence.repeated is None or evidence.calls[0].result is NOTHING:
        return "not reached"
    again = evidence.repeated.result
    normal = evidence.grading.normal
    return state(again is not NOTHING and not list(differences(normal(again), normal(evidence.calls[0].result))))
