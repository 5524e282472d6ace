"""Answers that are called: judged by their results, and by what they do to their arguments.

records.py   requests and replies as plain data, and how a result differs from the specified one
asking.py    calls the student's answer; the only part that runs in the process of their code
history.py   why an error says that something does not require grad; in the process of their code too
evidence.py  the plan, the replies with the right results, and the lines of the report
results.py   what is wrong with the kind of a result, in sentences
"""

from collections.abc import Mapping

from ..checker import Checker
from ..diagnosing import RUNNING, Finding, first_findings, is_stub
from ..numbers import RELATED, numbers
from ..writing import chosen, result_rows
from .asking import CallAsking
from .evidence import CallEvidence, add, checks_of, plans
from .records import Asked, Called
from .results import RESULTS, of_own_checks

CALL_TABLE = (*RUNNING, *RESULTS, *numbers("value", "overflow", "nan", "numbers", "described"))
"""The diagnoses in order: the first one that fits gives the message."""

OF_NUMBERS = {"some_values", "some_entries", "wrong_value"} | {name for name, _ in RELATED}
"""The findings that describe how the numbers of a result are wrong."""


def _findings(evidence: CallEvidence, failed: list[str]) -> list[Finding]:
    found = first_findings(CALL_TABLE, evidence, failed)
    if "repeat" in failed:  # wrong numbers follow from this, so a description of them would mislead the student
        found = [each for each in reversed(found) if each.name not in OF_NUMBERS]
    return [*found, *of_own_checks(evidence, failed)]


def _is_attempted(evidence: CallEvidence) -> bool:
    """False if every call raises the stub's NotImplementedError."""
    return not evidence.runs or not all(is_stub(called.crash) for called in evidence.runs)


def _failing_input(evidence: CallEvidence, failed: set[str], message: str) -> Mapping[str, str]:
    """The arguments and, for a wrong result, both sides. Empty for a prediction: it would give away the answer."""
    if evidence.exercise.kind == "value" or not failed & {"runs", "value"}:
        return {}
    failing = [(called.arguments, dict[str, str]()) for called in evidence.runs if called.crash]
    for called, _ in () if failing else evidence.wrong:
        sides = called.expected, called.result  # `normal` may sort a list, but its own order is shown
        want, got = (each if isinstance(each, list) else evidence.spec.normal(each) for each in sides)
        failing.append((called.arguments, result_rows(want, got, keys=evidence.form.call is None)))
    return chosen(evidence.form, failing, message)


CALLS = Checker(
    asked=Asked,
    reply=Called,
    diagnoses=CALL_TABLE,
    plans=plans,
    structure=lambda exercise, subject: None if callable(subject) else "no_function",
    asking=lambda exercise, subject: CallAsking(subject, exercise),
    goes_on=lambda first: first.crash is None,
    evidence=CallEvidence,
    add=add,
    checks=checks_of,
    findings=_findings,
    is_attempted=_is_attempted,
    failing_input=_failing_input,
)
"""The checker for answers that are called."""
