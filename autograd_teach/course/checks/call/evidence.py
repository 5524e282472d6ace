"""The calls of an answer, with the right result of each, and the checks: the lines of a report.

Does not run the student's code. NumPy only.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ...exercises.declaration import Exercise
from ..checker import Check, Evidence, Plan, Purpose, Request, State, state
from ..exact import is_same
from ..explaining import Candidate, candidates_of, forward_of
from ..records import NOTHING, Strange
from ..spec import Also, Arguments, CallSpec, as_drawn, specified
from ..table import Table
from ..writing import size_shown
from .asking import plain
from .records import Asked, Called, Difference, differences, parts


@dataclass
class CallEvidence(Evidence):
    """Everything that is known about an answer that is called."""

    repeated: Called | None = None
    returned: list[Called] = field(
        default_factory=list
    )  # the calls that returned, those with the smallest arguments first

    @property
    def wrong(self) -> list[tuple[Called, tuple[Difference, ...]]]:
        """The calls whose result is wrong, with all differences."""
        return [(each, each.differences) for each in self.returned if each.differences]

    @property
    def right(self) -> list[Called]:
        """The calls that gave the right result."""
        return [each for each in self.returned if not each.differences]

    def named(self, path: str) -> str:
        """A place in the result as a student calls it: "result['w']", or "w after the call"."""
        for place in sorted(self.form.parts, key=len, reverse=True):
            if path.startswith(place):
                return f"{self.form.parts[place]}{f' at {rest}' if (rest := path.removeprefix(place)) else ''}"
        of_engine = self.exercise.kind == "engine" and path
        return path[2:-2] if of_engine else f"result{path}" if path else "the result"

    def tabled(self, check: str) -> Table:
        normal, returned = self.spec.normal, self.returned
        rows = [
            ((number, part), one, other)
            for number, each in enumerate(returned)
            for part, one, other in parts(normal(each.result), normal(each.expected))
        ]
        want, got = {key: other for key, _, other in rows}, {key: one for key, one, _ in rows}
        return Table(self.form, [each.arguments for each in returned], want, got, self.named, self.named(""), _same)

    def suspected(self, check: str) -> tuple[Table, Callable[[], Sequence[Candidate]]]:
        """Without calls that return None, and those of which the reference of mistakes says nothing."""
        table, spec, names = self.table(check), self.spec, self.form.arguments
        told = {run for run in table.runs if spec.reference is None or spec.reference(*table.arguments(run)) != {}}
        told -= {run for run, part in table.wrong if part == "" and table.got[run, part] is None}
        table = table.of(lambda key: key[0] in told)

        return table, lambda: candidates_of(forward_of(spec), spec.mistakes, self._given, names=names)

    def _given(self, function: Callable[..., Any], run: int) -> Mapping[str, Any] | None:
        """What a changed reference gives in a run, by the parts of the right result; None if it cannot be compared."""
        try:
            given = self.spec.normal(plain(function(*self.table("value").arguments(run))))
        except Exception:  # noqa: BLE001  # a change may make anything of the reference
            return None
        if not _is_comparable(given):
            return None
        want = self.spec.normal(self.returned[run].expected)
        if isinstance(given, dict) and isinstance(want, dict):
            want = {key: each for key, each in want.items() if key in given}
        if isinstance(given, float) and isinstance(want, np.ndarray):  # NumPy gives a number for a 0-d array
            given = np.asarray(given)
        return {path: each for path, each, _ in parts(given, want)}


def _same(one: Any, other: Any) -> bool:
    return not any(differences(one, other, equal_nan=True))


def _is_comparable(given: Any) -> bool:
    """Whether this is made of numbers and words only: a change can also give an argument that is a function."""
    if isinstance(given, list | dict):
        return all(map(_is_comparable, given.values() if isinstance(given, dict) else given))
    if isinstance(given, np.ndarray):
        return given.dtype.kind in "biuf"
    return given is None or isinstance(given, bool | int | float | str)


def plans(exercise: Exercise, spec: CallSpec, rng: np.random.Generator, purpose: Purpose) -> Iterator[Plan]:
    """The calls, then the first one again; for a grade also those with larger arguments."""
    calls = [_request(spec, arguments) for arguments in spec.inputs(rng)]
    yield Plan((*calls, replace(calls[0], purpose="repeated")), needed=len(calls))
    if purpose == "grade" and spec.larger is not None:
        larger = [_request(spec, arguments) for arguments in spec.larger(rng)]
        yield Plan(tuple(larger), needed=len(larger))


def _request(spec: CallSpec, arguments: Arguments) -> Request:
    arguments = as_drawn(arguments)
    return Request("call", Asked(arguments), plain(spec.result(*map(specified, arguments))))


def add(evidence: CallEvidence, plan: Plan, replies: Sequence[Called]) -> None:
    """Add the replies to the evidence, with the specified results."""
    spec, evidence.made = evidence.spec, {}
    for request, called in zip(plan.requests, replies, strict=False):
        called.names, called.arguments = evidence.form.arguments, request.asked.arguments
        called.expected, given = request.expected, dict(zip(called.names, called.arguments, strict=True))
        called.changed = tuple(
            name
            for name, now in called.after.items()
            if name not in evidence.form.may_change and not is_same(now.value, specified(given[name]))
        )
        if request.purpose != "call":
            evidence.repeated = called
            continue
        evidence.runs.append(called)
        if called.result is not NOTHING:
            sides = spec.normal(called.result), spec.normal(called.expected)
            called.differences = tuple(differences(*sides, dtypes=spec.dtypes))
    evidence.returned = [each for each in evidence.runs if each.result is not NOTHING]
    evidence.returned.sort(key=lambda each: size_shown(each.arguments))


def checks_of(exercise: Exercise, spec: CallSpec) -> tuple[Check, ...]:
    """The checks that `exercise` must pass, in the order of the report."""
    form: Any = exercise.form
    right = "every prediction is right" if exercise.kind == "value" else form.promise
    checks = [
        Check("structure", f"`{exercise.entry}` is something that can be called", _structure),
        Check("runs", "it runs without an error, for every input tried", _runs),
        Check("value", right, _value),
        *(Check(each.name, each.text, partial(_also, each), each.counted) for each in spec.also),
    ]
    if exercise.kind == "function" and set(form.may_change) != set(form.arguments):
        which = f" other than {' and '.join(form.may_change)}" if form.may_change else ""
        text = f"the numbers in the arguments{which} are left unchanged"
        checks.append(Check("unchanged", text, _unchanged, counted=True))
    if exercise.kind != "value":
        checks.append(Check("repeat", "calling it again with fresh arguments gives the same", _repeat))
    return tuple(checks)


def _structure(evidence: CallEvidence) -> State:
    return state(evidence.structure is None)


def _runs(evidence: CallEvidence) -> State:
    if not evidence.runs and evidence.timeout is None:
        return "not reached"
    return state(evidence.timeout is None and not any(called.crash for called in evidence.runs))


def _value(evidence: CallEvidence) -> State:
    return _of_all(evidence, bool(evidence.wrong))


def _of_all(evidence: CallEvidence, failed: bool) -> State:
    """The state of a check that all inputs must pass: not reached as long as some raise and the others do not fail."""
    if failed:
        return "fail"
    return state(True) if evidence.runs and _runs(evidence) == "pass" else "not reached"


def _also(each: Also, evidence: CallEvidence) -> State:
    failed = any(each.judge(called) is not None for called in evidence.returned)
    if not failed and any(_is_strange(called.result) for called in evidence.returned):
        return "not reached"
    return _of_all(evidence, failed)


def _is_strange(result: Any) -> bool:
    """Whether a result is, or contains, an object of which only the type is known."""
    if isinstance(result, list | dict):
        return any(map(_is_strange, result.values() if isinstance(result, dict) else result))
    return isinstance(result, Strange)


def _unchanged(evidence: CallEvidence) -> State:
    return _of_all(evidence, any(called.changed for called in evidence.returned))


def _repeat(evidence: CallEvidence) -> State:
    if evidence.repeated is None or evidence.runs[0].result is NOTHING:
        return "not reached"
    again, first, normal = evidence.repeated.result, evidence.runs[0].result, evidence.spec.normal
    if again is NOTHING:
        return "fail"
    return state(not list(differences(plain(normal(again)), plain(normal(first)), equal_nan=True)))
