"""The input that a report shows, with the result and the right one.

It is the input that the first message names, else the smallest one with a wrong result.
NumPy only, reads only evidence.
"""

import re
from typing import Any

import numpy as np

from ..diagnosing import size_shown
from ..writing import both_sides, cut, given, number
from .checks import differences, wrong_calls
from .evidence import CallEvidence
from .records import Called
from .words import inputs_in_words, kind_of


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
    rows = {name: given(value) for name, value in zip(called.names, called.arguments, strict=True)}
    if not called.crash:
        normal = evidence.spec.normal  # may sort a list, but its own order is shown
        want, got = (each if isinstance(each, list) else normal(each) for each in (called.expected, called.result))
        rows |= _result_rows(want, got, keys=evidence.form.call is None)
    return cut(rows)


def _with_kind(value: Any) -> str:
    """A list and a tensor look the same, so the kind is added."""
    return f"{number(value)}  ({kind_of(value)})" if isinstance(value, list | np.ndarray) else number(value)


def _names(message: str, called: Called) -> bool:
    """Whether the message names the arguments of `called`, and not just arguments that begin like them."""
    words = re.escape(inputs_in_words(called)) if called.arguments else "(?!)"
    return re.search(rf"{words}(?![\w.])", message) is not None


def _result_rows(expected: Any, got: Any, keys: bool) -> dict[str, str]:
    """A row for each side; if lists of arrays are expected, a row for each array. keys: whether dicts are the answer's."""
    several = isinstance(expected, list) and any(isinstance(each, np.ndarray) and each.ndim for each in expected)
    if isinstance(got, list) != isinstance(expected, list) and isinstance(got, list | np.ndarray):
        return {"specified": _with_kind(expected), "yours": _with_kind(got)}
    if not several or not isinstance(got, list) or len(got) != len(expected):
        rows = both_sides([expected], [got])
        if several and (got is None or isinstance(got, dict)):
            rows = {f"specified[{place}]": number(each) for place, each in enumerate(expected)} | {
                "yours": rows["yours"]
            }
        sides = {"specified": expected, "yours": got}
        return {
            name: f"{{{text}}}" if keys and isinstance(sides.get(name), dict) else text for name, text in rows.items()
        }
    rows = {}
    for place, (want, have) in enumerate(zip(expected, got, strict=True)):
        shown = have if any(differences(have, want)) else want  # no digits that are only rounding
        rows |= {f"{side}[{place}]": text for side, text in both_sides([want], [shown]).items()}
    return rows
