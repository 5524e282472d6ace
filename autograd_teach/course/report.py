"""What a check has to say: its headline, one line a check, the diagnosis, a small failing input, as plain text.

NumPy only, reads records alone; the text is stable, nbval compares it. The page that JupyterLab shows is in report_html.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .diagnoses import diagnose, not_attempted
from .diagnoses_call import call_not_attempted, diagnose_call
from .diagnosing import Finding, a_or_an
from .exercises.declaration import Exercise
from .judge import Check, State, case_gradients, checks_of, expected_gradient, usable, values_right
from .judge_call import CallCheck, call_checks_of, wrong_calls
from .observe import Case, Evidence
from .observe_call import Called, CallEvidence, Strange

_MARKS: dict[State, str] = {"pass": "pass", "fail": "FAIL", "not reached": "--  "}


@dataclass(frozen=True)
class Report:
    """The outcome of one `check`. Its repr is the text report, in a notebook it shows as HTML."""

    evidence: Evidence | CallEvidence

    @property
    def exercise(self) -> Exercise:
        """What was checked."""
        return self.evidence.exercise

    @cached_property
    def lines(self) -> tuple[tuple[Check | CallCheck, State], ...]:
        """Every check with its state."""
        if isinstance(self.evidence, CallEvidence):
            return tuple((each, each.judge(self.evidence)) for each in call_checks_of(self.exercise))
        return tuple((each, each.judge(self.evidence)) for each in checks_of(self.exercise))

    @cached_property
    def findings(self) -> list[Finding]:
        """What is wrong, the most telling first; empty where nothing is, or nothing was attempted."""
        if not self.attempted:
            return []
        failed = [check.name for check, state in self.lines if state == "fail"]
        if isinstance(self.evidence, CallEvidence):
            return diagnose_call(self.evidence, failed)
        return diagnose(self.evidence, failed)

    @property
    def attempted(self) -> bool:
        """Whether the answer is more than the stub."""
        if isinstance(self.evidence, CallEvidence):
            return not call_not_attempted(self.evidence)
        return not not_attempted(self.evidence)

    @property
    def passing(self) -> int:
        """How many checks pass."""
        return sum(state == "pass" for _, state in self.lines) if self.attempted else 0

    @property
    def passed(self) -> bool:
        """Whether all do."""
        return self.passing == len(self.lines)

    @property
    def headline(self) -> str:
        """One line: name, how many checks pass, points."""
        points = f"{self.exercise.points} point{'s' if self.exercise.points != 1 else ''}"
        if not self.attempted:
            return f"{self.exercise.entry}: not attempted yet ({points})"
        earned = points if self.passed else f"0 of {points}"
        return f"{self.exercise.entry}: {self.passing} of {len(self.lines)} checks pass ({earned})"

    @property
    def notes(self) -> list[str]:
        """What else to know, after everything."""
        id_ = self.exercise.id
        notes = [] if self.passed else [f'Stuck? Run hint("{id_}") in a cell of its own.']
        if self.evidence.printed and not self.passed:
            notes.insert(0, "What your code prints is hidden here: call it yourself to see it.")
        return notes

    def __repr__(self) -> str:
        text = [self.headline]
        if self.attempted:
            text += [f"  {_MARKS[state]}  {check.text}" for check, state in self.lines]
        text += [f"-> {finding.message}" for finding in self.findings]
        if failing := failing_input(self):
            text += ["A small failing input:", *_table(failing)]
        return "\n".join([*text, *self.notes])

    def _repr_html_(self) -> str:
        from .report_html import html

        return html(self)


def failing_input(report: Report) -> dict[str, str]:
    """The first input (they come smallest first, 0-d last) on which something is wrong: name -> value of its arguments, and what came out against what must."""
    failed = {check.name for check, state in report.lines if state == "fail"}
    if isinstance(report.evidence, CallEvidence):
        return _failing_call(report.evidence) if report.attempted and failed & {"runs", "value"} else {}
    if not report.attempted or not failed & {"runs", "forward", "gradient"}:
        return {}
    for name, rows_of in (
        ("runs", _crashing),
        ("forward", _forward_rows),
        ("gradient", _gradient_rows),
    ):
        if name in failed:
            for case in report.evidence.cases:
                if rows := rows_of(report, case):
                    return rows
    return {}


def _failing_call(evidence: CallEvidence) -> dict[str, str]:
    """The arguments, and for a wrong result both sides; nothing where a prediction is wrong, for that would tell it."""
    wrong = [called for called, _ in wrong_calls(evidence)]
    crashed = [called for called in evidence.calls if called.crash]
    if evidence.exercise.kind == "value" or not (crashed or wrong):
        return {}
    called: Called = (crashed or wrong)[0]
    rows = {name: _number(value) for name, value in zip(called.names, called.arguments, strict=True)}
    if not crashed:
        normal = evidence.grading.normal
        rows |= _result_rows(normal(called.expected), normal(called.result))
    return rows


def _result_rows(expected: Any, got: Any) -> dict[str, str]:
    """A row for each side; for each of several arrays, where there are as many of them on both sides."""
    several = isinstance(expected, list) and any(isinstance(each, np.ndarray) and each.ndim for each in expected)
    if not several or not isinstance(got, list) or len(got) != len(expected):
        return _both_sides([expected], [got])
    rows: dict[str, str] = {}
    for number, (want, have) in enumerate(zip(expected, got, strict=True)):
        rows |= {f"{side}[{number}]": text for side, text in _both_sides([want], [have]).items()}
    return rows


def _crashing(report: Report, case: Case) -> dict[str, str]:
    return _arguments(report, case) if case.run.crash or case.run.refused else {}


def _forward_rows(report: Report, case: Case) -> dict[str, str]:
    if case.run.values is None or values_right(case.run, case.expected):
        return {}
    return _arguments(report, case) | _both_sides(case.expected, case.run.values)


def _both_sides(expected: Sequence[object], got: Sequence[object]) -> dict[str, str]:
    """What is specified and what came out, with digits enough to tell them apart."""
    rows = {}
    for digits in (3, 6, 9, 12):
        rows = {
            name: ", ".join(_number(_decimal(value), digits) for value in values)
            for name, values in (("specified", expected), ("yours", got))
        }
        if rows["specified"] != rows["yours"]:
            break
    return rows


def _decimal(value: object) -> object:
    """A result whose floats are arrays, as they are where tensors came out, so that both are written alike."""
    match value:
        case float():
            return np.asarray(value)
        case list():
            return [_decimal(each) for each in value]
        case dict():
            return {key: _decimal(each) for key, each in value.items()}
    return value


def _gradient_rows(report: Report, case: Case) -> dict[str, str]:
    for index, right in case_gradients(case).items():
        if right is False:
            wrong = [
                run
                for run in (case.run, *case.rows)
                if (got := usable(run, index)) is not None
                and not np.allclose(got, expected_gradient(case, run, index), 1e-5, 1e-6)
            ]
            run = wrong[0]
            rows = _arguments(report, case)
            rows["grad_output"] = ", ".join(map(_number, run.cotangent))
            right_one = "numerical" if report.exercise.kind == "gradcheck" else "declared"
            rows[right_one] = _number(expected_gradient(case, run, index))
            rows["yours"] = _number(run.returned[index])  # type: ignore[index,arg-type]  # usable
            return rows
    return {}


def _arguments(report: Report, case: Case) -> dict[str, str]:
    names = report.exercise.grading.arguments
    return {name: _number(value) for name, value in zip(names, case.arguments, strict=True)}


def _number(value: object, digits: int = 3) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_number(each, digits) for each in value)}]"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_number(each, digits)}" for key, each in value.items())
    if isinstance(value, Strange):
        return a_or_an(value.type)
    if not isinstance(value, np.ndarray):
        return f"{value:.6g}" if isinstance(value, float) else repr(value)
    if value.dtype.kind != "f":
        return np.array2string(value, separator=", ", threshold=50)
    rounded = np.round(value, digits) + 0.0  # no "-0."
    return np.array2string(rounded, precision=digits, floatmode="fixed", separator=", ", threshold=50)


def _table(rows: dict[str, str]) -> list[str]:
    width = max(map(len, rows)) + 2
    return [
        f"  {name if first else '':<{width}}{line}"
        for name, text in rows.items()
        for first, line in ((number == 0, part) for number, part in enumerate(text.split("\n")))
    ]
