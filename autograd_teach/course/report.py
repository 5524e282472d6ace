"""What a check has to say: its headline, one line a check, the diagnosis, a small failing input, as plain text.

NumPy only, reads records alone; the text is stable, nbval compares it. The page that JupyterLab shows is in report_html.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .diagnoses import Finding, diagnose, not_attempted
from .exercises.declaration import Exercise
from .judge import Check, State, case_gradients, checks_of, expected_gradient, usable, values_right
from .observe import Case, Evidence

_MARKS: dict[State, str] = {"pass": "pass", "fail": "FAIL", "not reached": "--  "}


@dataclass(frozen=True)
class Report:
    """The outcome of one `check`. Its repr is the text report, in a notebook it shows as HTML."""

    evidence: Evidence

    @property
    def exercise(self) -> Exercise:
        """What was checked."""
        return self.evidence.exercise

    @cached_property
    def lines(self) -> tuple[tuple[Check, State], ...]:
        """Every check with its state."""
        return tuple((each, each.judge(self.evidence)) for each in checks_of(self.exercise))

    @cached_property
    def findings(self) -> list[Finding]:
        """What is wrong, the most telling first; empty where nothing is, or nothing was attempted."""
        if not self.attempted:
            return []
        return diagnose(self.evidence, [c.name for c, state in self.lines if state == "fail"])

    @property
    def attempted(self) -> bool:
        """Whether the answer is more than the stub."""
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


def _crashing(report: Report, case: Case) -> dict[str, str]:
    return _arguments(report, case) if case.run.crash or case.run.refused else {}


def _forward_rows(report: Report, case: Case) -> dict[str, str]:
    if case.run.values is None or values_right(case.run, case.expected):
        return {}
    rows = _arguments(report, case)
    rows["specified"] = ", ".join(map(_number, case.expected))
    rows["yours"] = ", ".join(map(_number, case.run.values))
    return rows


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
            rows["numerical"] = _number(expected_gradient(case, run, index))
            rows["yours"] = _number(run.returned[index])  # type: ignore[index,arg-type]  # usable
            return rows
    return {}


def _arguments(report: Report, case: Case) -> dict[str, str]:
    names = report.exercise.grading.arguments
    return {name: _number(value) for name, value in zip(names, case.arguments, strict=True)}


def _number(value: object) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    rounded = np.round(value, 3) + 0.0  # no "-0."
    return np.array2string(rounded, precision=3, floatmode="fixed", separator=", ", threshold=50)


def _table(rows: dict[str, str]) -> list[str]:
    width = max(map(len, rows)) + 2
    return [
        f"  {name if first else '':<{width}}{line}"
        for name, text in rows.items()
        for first, line in ((number == 0, part) for number, part in enumerate(text.split("\n")))
    ]
