"""All diagnoses of an answer that is called, in order: those of runs.py, results.py and numbers.py.

NumPy only, reads only evidence.
"""

import warnings

from ..diagnosing import Diagnosis, Finding, first_findings, is_stub
from .evidence import CallEvidence
from .numbers import NUMBERS
from .records import NOTHING
from .results import RESULTS
from .runs import RUNS

CALL_TABLE: tuple[Diagnosis, ...] = (*RUNS, *RESULTS, *NUMBERS)


OF_REPEATING = ("not_repeatable",)


OF_NUMBERS = (
    *("computation", "selection", "zero", "factor", "mean_for_sum", "factor_differs", "shift", "rows", "relation"),
    *("another_order", "other_input", "some_values", "some_entries", "wrong_value"),
)
"""Diagnoses that describe how the numbers of a result are wrong."""


def diagnose(evidence: CallEvidence, failed: list[str]) -> list[Finding]:
    """The findings on the failed checks. The exercise's own checks (`also`) give a message for the first call that fails."""
    with warnings.catch_warnings():  # warnings of a mistake or of the specification do not concern the student
        warnings.simplefilter("ignore")
        findings = first_findings(CALL_TABLE, evidence, failed)
    if "repeat" in failed:  # wrong numbers follow from this, so a description of them would mislead the student
        repeat = [each for each in findings if each.name in OF_REPEATING]
        findings = repeat + [each for each in findings if each.name not in (*OF_NUMBERS, *OF_REPEATING)]
    for each in evidence.spec.also:
        if each.name in failed:
            messages = (each.judge(called) for called in evidence.calls if called.result is not NOTHING)
            message = next((message for message in messages if message), None)
            findings += [Finding(each.name, message)] if message else []
    return findings


def call_not_attempted(evidence: CallEvidence) -> bool:
    """Whether the answer is still the stub: every call raises a NotImplementedError without a message."""
    return bool(evidence.calls) and all(is_stub(called.crash) for called in evidence.calls)
