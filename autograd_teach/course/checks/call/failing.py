"""The input that a report shows, with the result and the right one.

It is the input that the first message names, else the smallest one with a wrong result.
NumPy only, reads only evidence.
"""

import re
from typing import Any

import numpy as np

from ..diagnosing import size_shown
from ..writing import both_sides, cut, number
from .checks import differences, wrong_calls
from .evidence import CallEvidence
from .records import Called
from .words import inputs_in_words


def failing_input(evidence: CallEvidence, failed: set[str], message: str = "") -> dict[str, str]:
    """The arguments and, for a wrong result, both sides. Empty for a prediction, because it would give away the answer.

    message: the first sentence of the report; if it names an input with a wrong result, that one is shown.
    """
    if not failed & {"runs", "value"}:
        return {}
    wrong = [called for called, _ in wrong_calls(evidence)]
    crashed = [called for called in evidence.calls if called.crash]
    if evidence.exercise.kind == "value" or not (crashed or wrong):
        return {}
    smallest: Called = min(crashed or wrong, key=lambda each: size_shown(each.arguments))
    called = next((each for each in (*crashed, *wrong) if _names(message, each)), smallest)
    rows = {name: number(value) + _kind(value) for name, value in zip(called.names, called.arguments, strict=True)}
    if not called.crash:
        normal = evidence.spec.normal
        rows |= _result_rows(normal(called.expected), normal(called.result))
    return cut(rows)


def _kind(argument: Any) -> str:
    """What the numbers of a tensor do not show: a shape without brackets or entries, and an unusual dtype."""
    array = getattr(argument, "array", argument)
    if not isinstance(array, np.ndarray):
        return ""
    words = [f"of shape {array.shape}"] if array.ndim == 0 or array.size == 0 else []
    words += [f"of dtype {array.dtype}"] if array.dtype != np.float64 else []
    return f"  (a tensor {' and '.join(words)})" if words else ""


def _names(message: str, called: Called) -> bool:
    """Whether the message names the arguments of `called`, and not just arguments that begin like them."""
    words = re.escape(inputs_in_words(called)) if called.arguments else "(?!)"
    return re.search(rf"{words}(?![\w.])", message) is not None


def _result_rows(expected: Any, got: Any) -> dict[str, str]:
    """A row for each side; if both sides are lists with equally many arrays, a row for each array."""
    several = isinstance(expected, list) and any(isinstance(each, np.ndarray) and each.ndim for each in expected)
    if not several or not isinstance(got, list) or len(got) != len(expected):
        return both_sides([expected], [got])
    rows: dict[str, str] = {}
    for place, (want, have) in enumerate(zip(expected, got, strict=True)):
        shown = have if any(differences(have, want)) else want  # no digits that are only rounding
        rows |= {f"{side}[{place}]": text for side, text in both_sides([want], [shown]).items()}
    return rows
