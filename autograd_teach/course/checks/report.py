"""The report of a check as plain text: headline, one line per check, diagnosis, a small failing input.

NumPy only, reads only evidence. The text must stay the same, because nbval compares it. page.py makes the HTML for
JupyterLab.
"""

from dataclasses import dataclass
from functools import cached_property

from ..exercises.declaration import Exercise
from . import checker_of
from .checker import Check, Evidence, State
from .diagnosing import Finding

_MARKS: dict[State, str] = {"pass": "pass", "fail": "FAIL", "not reached": "--  "}


@dataclass(frozen=True)
class Report:
    """The outcome of one `check`. Its repr is the text report; a notebook shows it as HTML."""

    evidence: Evidence
    remarks: tuple[str, ...] = ()
    """Sentences about things that the checks do not cover."""
    obstacle: str = ""
    """The reason why the answer does not pass, whatever the checks say."""

    @property
    def exercise(self) -> Exercise:
        """The exercise that was checked."""
        return self.evidence.exercise

    @cached_property
    def lines(self) -> tuple[tuple[Check, State], ...]:
        """Every check with its state."""
        checks = checker_of(self.exercise).checks(self.exercise, self.evidence.spec)
        return tuple((each, each.judge(self.evidence)) for each in checks)

    @property
    def failed(self) -> list[str]:
        """The names of the checks that fail."""
        return [check.name for check, state in self.lines if state == "fail"]

    @cached_property
    def findings(self) -> list[Finding]:
        """What is wrong, the most important first. Empty if nothing is wrong or nothing was attempted."""
        found = checker_of(self.exercise).findings(self.evidence, self.failed) if self.attempted else []
        return [Finding("cell", self.obstacle), *found] if self.obstacle else found

    @cached_property
    def attempted(self) -> bool:
        """Whether the answer is more than the stub."""
        return checker_of(self.exercise).is_attempted(self.evidence)

    @cached_property
    def failing_input(self) -> dict[str, str]:
        """A small input with a wrong result, if possible the one that the first finding names: name -> text."""
        if not self.attempted:
            return {}
        message = self.findings[0].message if self.findings else ""
        return dict(checker_of(self.exercise).failing_input(self.evidence, set(self.failed), message))

    @property
    def passing(self) -> int:
        """The number of checks that pass."""
        return sum(state == "pass" for _, state in self.lines) if self.attempted else 0

    @property
    def passed(self) -> bool:
        """Whether all checks pass and there is no obstacle."""
        return self.passing == len(self.lines) and not self.obstacle

    @property
    def headline(self) -> str:
        """One line: name, number of passing checks, points."""
        points = f"{self.exercise.points} point{'s' if self.exercise.points != 1 else ''}"
        if not self.attempted:
            return f"{self.exercise.entry}: not attempted yet ({points})"
        earned = points if self.passed else f"0 of {points}"
        return f"{self.exercise.entry}: {self.passing} of {len(self.lines)} checks pass ({earned})"

    @property
    def notes(self) -> list[str]:
        """Further sentences at the end of the report."""
        id_ = self.exercise.id
        notes = [] if self.passed else [f'Stuck? Run hint("{id_}") in a cell of its own.']
        if self.evidence.printed and not self.passed:
            notes.insert(0, "What your code prints is hidden here: call it yourself to see it.")
        return [*(self.remarks if self.attempted else ()), *notes]

    def __repr__(self) -> str:
        text = [self.headline]
        if self.attempted:
            text += [f"  {_MARKS[state]}  {check.text}" for check, state in self.lines]
        text += [f"-> {finding.message}" for finding in self.findings]
        if self.failing_input:
            text += ["A small failing input:", *_table(self.failing_input)]
        return "\n".join([*text, *self.notes])

    def _repr_html_(self) -> str:
        from .page import html

        return html(self)


def _table(rows: dict[str, str]) -> list[str]:
    width = max(map(len, rows)) + 2
    return [
        f"  {name if first else '':<{width}}{line}"
        for name, text in rows.items()
        for first, line in ((number == 0, part) for number, part in enumerate(text.split("\n")))
    ]
