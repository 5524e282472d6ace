"""Custom Functions: forward is compared with the specification, backward with its numerical derivative.

records.py     requests and replies, as plain data
asking.py      uses the student's Function; the only part that runs in the process of their code
evidence.py    the plan, and the replies with the right results
slopes.py      the right derivatives, first and second order
checks.py      the lines of the report
values.py returned.py gradients.py beyond.py    what is wrong, in sentences; slips.py: a table of derivatives
failing.py maps.py    the input and the maps that a report shows
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...exercises.declaration import Exercise, FunctionForm
from ..checker import Check, Picture, Plan, Purpose, Request, State
from ..diagnosing import Diagnosis, Finding, first_findings, is_stub
from ..spec import FunctionSpec
from . import evidence as _evidence
from .asking import FunctionAsking, function_of
from .beyond import BEYOND
from .checks import checks_of
from .evidence import FunctionEvidence
from .failing import failing_input
from .gradients import GRADIENTS
from .maps import picture
from .records import Asked, Run, complete
from .returned import RETURNED
from .values import VALUES

DIAGNOSES = (*VALUES, *RETURNED, *GRADIENTS, *BEYOND)
"""The diagnoses in order: the first one that fits gives the message."""


OF_NUMBER = {"too_few", "too_many", "one_per_result", "list_for_tuple"}
OF_GRADIENTS = {row.name for row in GRADIENTS}
"""Names of the diagnoses of how many values backward returns, and of those of the numbers in them."""


class FunctionChecker:
    """The checker for custom Functions."""

    diagnoses: ClassVar[Sequence[Diagnosis]] = DIAGNOSES
    asked: ClassVar[type] = Asked
    reply: ClassVar[type] = Run

    def plans(
        self, exercise: Exercise, spec: FunctionSpec, rng: np.random.Generator, purpose: Purpose
    ) -> Iterator[Plan]:
        yield _evidence.plan(_form(exercise), spec, rng, purpose)

    def structure(self, exercise: Exercise, subject: Any) -> str | None:
        return function_of(subject)[1]

    def asking(self, exercise: Exercise, subject: Any) -> FunctionAsking:
        return FunctionAsking(function_of(subject)[0], _form(exercise))

    def goes_on(self, first: Run) -> bool:
        return first.returned is not None

    def complete(self, exercise: Exercise, request: Request, reply: Run) -> bool:
        return complete(_form(exercise), request.asked, request.expected, reply)

    def evidence(self, exercise: Exercise, spec: FunctionSpec) -> FunctionEvidence:
        return FunctionEvidence(exercise, spec)

    def add(self, evidence: FunctionEvidence, plan: Plan, replies: Sequence[Run]) -> None:
        _evidence.add(evidence, plan, replies)

    def checks(self, exercise: Exercise, spec: FunctionSpec) -> tuple[Check, ...]:
        return checks_of(_form(exercise))

    def findings(self, evidence: FunctionEvidence, failed: list[str]) -> list[Finding]:
        found = first_findings(DIAGNOSES, evidence, failed)
        if any(each.name in OF_NUMBER for each in found):  # then it is unknown which value belongs to which argument
            found = [each for each in found if each.name in OF_NUMBER or each.name not in OF_GRADIENTS]
        return found

    def is_attempted(self, evidence: FunctionEvidence) -> bool:
        """False if forward raises the stub's NotImplementedError for every input."""
        stopped = [is_stub(run.crash) and run.crash.phase == "forward" for run in evidence.runs]
        return evidence.structure != "no_forward" and not (stopped and all(stopped))

    def failing_input(self, evidence: FunctionEvidence, failed: set[str], message: str) -> Mapping[str, str]:
        return failing_input(evidence, failed, message)

    def picture(self, evidence: FunctionEvidence, states: Mapping[str, State]) -> Picture | None:
        return picture(evidence, states)


def _form(exercise: Exercise) -> FunctionForm:
    assert isinstance(exercise.form, FunctionForm)
    return exercise.form
