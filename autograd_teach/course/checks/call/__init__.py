"""Answers that are called: judged by their results, and by what they do to their arguments.

records.py     requests and replies, as plain data
asking.py      calls the student's answer; the only part that runs in the process of their code
history.py     why an error says that something does not require grad; in the process of their code too
evidence.py    the plan, and the replies with the right results
checks.py      the lines of the report, and the differences between results
diagnoses.py   what is wrong, in sentences
failing.py     the input that a report shows
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...exercises.declaration import CallForm, Exercise
from ..checker import Check, Picture, Plan, Purpose, Request, State
from ..diagnosing import Diagnosis, Finding
from ..spec import CallSpec
from . import evidence as _evidence
from .asking import CallAsking
from .checks import checks_of
from .diagnoses import CALL_TABLE, call_not_attempted, diagnose
from .evidence import CallEvidence
from .failing import failing_input
from .records import Asked, Called, complete


class CallChecker:
    """The checker for answers that are called."""

    diagnoses: ClassVar[Sequence[Diagnosis]] = CALL_TABLE
    asked: ClassVar[type] = Asked
    reply: ClassVar[type] = Called

    def plans(self, exercise: Exercise, spec: CallSpec, rng: np.random.Generator, purpose: Purpose) -> Iterator[Plan]:
        return _evidence.plans(spec, rng, purpose)

    def structure(self, exercise: Exercise, subject: Any) -> str | None:
        return None if callable(subject) else "no_function"

    def asking(self, exercise: Exercise, subject: Any) -> CallAsking:
        form = exercise.form
        assert isinstance(form, CallForm)
        return CallAsking(subject, form, phase=exercise.entry)

    def complete(self, exercise: Exercise, request: Request, reply: Called) -> bool:
        return complete(exercise.form.arguments, request.asked, reply)

    def goes_on(self, first: Called) -> bool:
        return first.crash is None

    def evidence(self, exercise: Exercise, spec: CallSpec) -> CallEvidence:
        return CallEvidence(exercise, spec)

    def add(self, evidence: CallEvidence, plan: Plan, replies: Sequence[Called]) -> None:
        _evidence.add(evidence, plan, replies)

    def checks(self, exercise: Exercise, spec: CallSpec) -> tuple[Check, ...]:
        return checks_of(exercise, spec)

    def findings(self, evidence: CallEvidence, failed: list[str]) -> list[Finding]:
        return diagnose(evidence, failed)

    def is_attempted(self, evidence: CallEvidence) -> bool:
        """False if every call raises the stub's NotImplementedError."""
        return not call_not_attempted(evidence)

    def failing_input(self, evidence: CallEvidence, failed: set[str], message: str) -> Mapping[str, str]:
        return failing_input(evidence, failed, message)

    def picture(self, evidence: CallEvidence, states: Mapping[str, State]) -> Picture | None:
        return None
