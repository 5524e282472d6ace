"""The checks of an answer that is called, and the differences between a result and the specified one, from the evidence.

NumPy only. Must not use the engine, and does not run the student's code.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from ...exercises.declaration import Exercise
from ...jacobian import wrong_slopes
from ..checker import Check, State, state
from ..spec import Also, CallSpec
from .asking import plain
from .evidence import CallEvidence
from .records import NOTHING, Called, NumPyArray, Strange

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
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            yield Difference(path, "type", got, expected)
        elif set(got) != set(expected):
            yield Difference(path, "keys", got, expected)
        else:
            for key in expected:
                yield from differences(got[key], expected[key], f"{path}[{key!r}]", dtypes, equal_nan)
    elif isinstance(expected, list):
        is_array = isinstance(got, np.ndarray) and got.ndim > 0
        if not is_array and not isinstance(got, list):
            yield Difference(path, "type", got, expected)
        elif len(got) != len(expected):  # before any loop over rows: an array without entries can have 2**31 of them
            yield Difference(path, "length", got, expected)
        else:
            for number, other in enumerate(expected):
                one = got[number, ...] if is_array else got[number]
                yield from differences(one, other, f"{path}[{number}]", dtypes, equal_nan)
    else:
        yield from _of_one(got, expected, path, dtypes, equal_nan)


def _of_one(got: Any, expected: Any, path: str, dtypes: bool, equal_nan: bool) -> Iterator[Difference]:
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
    is_tensor = isinstance(got, np.ndarray) and not isinstance(got, NumPyArray)
    if isinstance(expected, np.ndarray) and not is_tensor:
        yield Difference(path, "type", got, expected)
        return
    if not isinstance(got, bool | int | float | np.ndarray):
        yield Difference(path, "type", got, expected)
        return
    one, other = np.asarray(got), np.asarray(expected)
    if (one.dtype == bool) != (other.dtype == bool):
        yield Difference(path, "type", got, expected)
    elif one.shape != other.shape and not (one.size == 1 and other.ndim == 0 and not isinstance(expected, np.ndarray)):
        yield Difference(path, "shape", one, other)
    elif wrong_slopes(one.reshape(other.shape), other, equal_nan).any():
        yield Difference(path, "value", one.reshape(other.shape), other)
    elif dtypes and isinstance(expected, np.ndarray) and one.dtype != other.dtype:
        yield Difference(path, "dtype", one, other)


def wrong_calls(evidence: CallEvidence) -> list[tuple[Called, list[Difference]]]:
    """The calls whose result differs from the specified one, each with all differences."""
    spec = evidence.spec
    found = [
        (c, list(differences(spec.normal(c.result), spec.normal(c.expected), dtypes=spec.dtypes)))
        for c in evidence.calls
        if c.result is not NOTHING
    ]
    return [(called, several) for called, several in found if several]


def checks_of(exercise: Exercise, spec: CallSpec) -> tuple[Check, ...]:
    """The checks that `exercise` must pass, in the order of the report."""
    checks = [Check("structure", f"`{exercise.entry}` is something that can be called", _structure)]
    checks.append(Check("runs", "it runs without an error, for every input tried", _runs))
    right = "every prediction is right" if exercise.kind == "value" else exercise.form.promise  # type: ignore[union-attr]
    checks.append(Check("value", right, _value))
    checks += [Check(each.name, each.text, partial(_also, each), each.counted) for each in spec.also]
    may, names = exercise.form.may_change, exercise.form.arguments  # type: ignore[union-attr]
    if exercise.kind == "function" and set(may) != set(names):
        which = f" other than {' and '.join(may)}" if may else ""
        checks.append(
            Check("unchanged", f"the numbers in the arguments{which} are left unchanged", _unchanged, counted=True)
        )
    if exercise.kind != "value":
        checks.append(Check("repeat", "calling it again with fresh arguments gives the same", _repeat))
    return tuple(checks)


def _structure(evidence: CallEvidence) -> State:
    return state(evidence.structure is None)


def _runs(evidence: CallEvidence) -> State:
    if not evidence.calls and evidence.timeout is None:
        return "not reached"
    return state(evidence.timeout is None and not any(called.crash for called in evidence.calls))


def _value(evidence: CallEvidence) -> State:
    return _of_all(evidence, bool(wrong_calls(evidence)))


def _of_all(evidence: CallEvidence, failed: bool) -> State:
    """The state of a check that all inputs must pass: not reached as long as some raise and the others do not fail."""
    if failed:
        return "fail"
    return state(True) if evidence.calls and _runs(evidence) == "pass" else "not reached"


def _returned(evidence: CallEvidence) -> list[Called]:
    return [called for called in evidence.calls if called.result is not NOTHING]


def _also(each: Also, evidence: CallEvidence) -> State:
    calls = _returned(evidence)
    failed = any(each.judge(called) is not None for called in calls)
    if not failed and any(_is_strange(called.result) for called in calls):
        return "not reached"
    return _of_all(evidence, failed)


def _is_strange(result: Any) -> bool:
    """Whether a result is, or contains, an object of which only the type is known."""
    if isinstance(result, list | dict):
        return any(map(_is_strange, result.values() if isinstance(result, dict) else result))
    return isinstance(result, Strange)


def _unchanged(evidence: CallEvidence) -> State:
    calls = _returned(evidence)
    return _of_all(evidence, any(map(changed_against_the_rules, calls, [evidence] * len(calls))))


def changed_against_the_rules(called: Called, evidence: CallEvidence) -> list[str]:
    """The names of the arguments that the answer changed but must not change."""
    return [name for name in called.changed if name not in evidence.form.may_change]


def _repeat(evidence: CallEvidence) -> State:
    if evidence.repeated is None or evidence.calls[0].result is NOTHING:
        return "not reached"
    again, first, normal = evidence.repeated.result, evidence.calls[0].result, evidence.spec.normal
    if again is NOTHING:
        return "fail"
    return state(not list(differences(plain(normal(again)), plain(normal(first)), equal_nan=True)))
