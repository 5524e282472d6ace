"""The input that a report shows: the smallest one with a wrong result, with the result and the right one.

NumPy only, reads only evidence.
"""

from typing import Any

import numpy as np

from ..diagnosing import size_shown
from ..writing import both_sides, cut, number
from .checks import wrong_calls
from .evidence import CallEvidence
from .records import Called


def failing_input(evidence: CallEvidence, failed: set[str]) -> dict[str, str]:
    """The arguments and, for a wrong result, both sides. Empty for a prediction, because it would give away the answer."""
    if not failed & {"runs", "value"}:
        return {}
    wrong = [called for called, _ in wrong_calls(evidence)]
    crashed = [called for called in evidence.calls if called.crash]
    if evidence.exercise.kind == "value" or not (crashed or wrong):
        return {}
    called: Called = min(crashed or wrong, key=lambda each: size_shown(each.arguments))
    rows = {name: number(value) for name, value in zip(called.names, called.arguments, strict=True)}
    if not crashed:
        normal = evidence.spec.normal
        rows |= _result_rows(normal(called.expected), normal(called.result))
    return cut(rows)


def _result_rows(expected: Any, got: Any) -> dict[str, str]:
    """A row for each side; if both sides are lists with equally many arrays, a row for each array."""
    several = isinstance(expected, list) and any(isinstance(each, np.ndarray) and each.ndim for each in expected)
    if not several or not isinstance(got, list) or len(got) != len(expected):
        return both_sides([expected], [got])
    rows: dict[str, str] = {}
    for place, (want, have) in enumerate(zip(expected, got, strict=True)):
        rows |= {f"{side}[{place}]": text for side, text in both_sides([want], [have]).items()}
    return rows
