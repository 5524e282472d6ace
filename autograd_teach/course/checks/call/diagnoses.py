"""All diagnoses of an answer that is called, in order: those of runs.py, results.py and numbers.py.

NumPy only, reads only evidence.
"""

import re
import warnings
from collections.abc import Mapping

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
    return [Finding(each.name, in_students_words(each.message, evidence.form.parts)) for each in findings]


def in_students_words(message: str, parts: Mapping[str, str]) -> str:
    """`message` with the places of a dict that only the check makes as a student calls them.

    >>> in_students_words("result['w'] is 2; wrong at ['w'][0]", {"['w']": "w after the call"})
    'w after the call is 2; wrong at w after the call at [0]'
    """
    for place, words in parts.items():
        found = (
            rf"(?:\bresult)?{re.escape(place)}((?:\[\d+\])*)"
            if place
            else r"(?:the result\b|\bresult(?=\[))((?:\[\d+\])*)"
        )
        message = re.sub(found, lambda match, words=words: words + f" at {match[1]}" * bool(match[1]), message)  # type: ignore[misc]
    return message


def call_not_attempted(evidence: CallEvidence) -> bool:
    """Whether the answer is still the stub: every call raises a NotImplementedError without a message."""
    return bool(evidence.calls) and all(is_stub(called.crash) for called in evidence.calls)
