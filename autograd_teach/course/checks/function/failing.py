"""The input that a report shows, with the result and the right one.

It is the input that the first message names, else the smallest one with a wrong result.

NumPy only, reads only evidence.
"""

import re
from collections.abc import Sequence

import numpy as np

from ...jacobian import flat
from ..diagnosing import size_shown
from ..writing import both_sides, cut, digits_apart, given, number
from .checks import case_gradients, expected_gradient, usable, without_extra_none
from .evidence import Case, FunctionEvidence
from .reading import of_argument
from .records import same_values
from .values import inputs_in_words, most_telling


def failing_input(evidence: FunctionEvidence, failed: set[str], message: str = "") -> dict[str, str]:
    """Name -> value of the arguments, of the result and of the right one. message: the first sentence of the report."""
    for name, rows_of in (("runs", _crashing), ("forward", _forward_rows), ("gradient", _gradient_rows)):
        if name in failed:
            failing = [(case, rows) for case in evidence.cases if (rows := rows_of(evidence, case))]
            named = [each for each in failing if _names(message, inputs_in_words(evidence, each[0]))]
            if name == "forward" and len(named) > 1:  # of several of one shape, the one that is told
                sides = [(rows, flat(case.run.values or ()), flat(case.expected)) for case, rows in named]
                if all(got.size == want.size for _, got, want in sides):
                    return cut(most_telling(sides)[0])
            if failing:
                return cut(min(named or failing, key=lambda each: size_shown(each[0].arguments))[1])
    return {}


def _names(message: str, inputs: str) -> bool:
    """Whether the message is about these inputs, and not just about inputs that begin like them."""
    return re.search(rf"\bfor {re.escape(inputs)}(?![\w.])", message) is not None


def _crashing(evidence: FunctionEvidence, case: Case) -> dict[str, str]:
    return _arguments(evidence, case) if case.run.crash or case.run.refused else {}


def _forward_rows(evidence: FunctionEvidence, case: Case) -> dict[str, str]:
    if case.run.values is None or same_values(case.run.values, case.expected):
        return {}
    exact = _needs_all_digits(case.expected, case.run.values)
    return _arguments(evidence, case, exact) | both_sides(case.expected, case.run.values)


def _gradient_rows(evidence: FunctionEvidence, case: Case) -> dict[str, str]:
    for index, right in case_gradients(case).items():
        if right is False:
            wrong = [
                run
                for run in (case.run, *case.rows)
                if (got := usable(run, index)) is not None
                and not np.allclose(got, expected_gradient(case, run, index), 1e-5, 1e-6)
            ]
            run = wrong[0]
            right_one = "numerical" if evidence.spec.vjp is None else "declared"
            returned = run.returned or ()
            sides = [expected_gradient(case, run, index)], [returned[index]]
            exact = _needs_all_digits(*sides)
            rows = _arguments(evidence, case, exact)
            rows["grad_output"] = ", ".join(number(each, None if exact else 3) for each in run.cotangent)
            of, count = of_argument(evidence, index), len(without_extra_none(run))
            which = f" (value {index + 1} of {count})" if count > len(case.arguments) else ""
            notes = {right_one: of, "yours": of + which}
            return rows | {name + notes[name]: text for name, text in both_sides(*sides, right_one).items()}
    return {}


def _needs_all_digits(expected: Sequence[object], got: Sequence[object]) -> bool:
    """Whether the usual digits of the input do not give the right result with as many digits as are shown of it."""
    return (digits_apart(expected, got) or 3) > 3


def _arguments(evidence: FunctionEvidence, case: Case, exact: bool = False) -> dict[str, str]:
    names = evidence.form.arguments
    digits = None if exact else 3
    return {name: given(value, digits) for name, value in zip(names, case.arguments, strict=True)}
