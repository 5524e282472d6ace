"""The input that a report shows: the smallest one with a wrong result, with the result and the right one.

NumPy only, reads only evidence.
"""

import numpy as np

from ..diagnosing import size_shown
from ..writing import both_sides, cut, given, number
from .checks import case_gradients, expected_gradient, usable
from .evidence import Case, FunctionEvidence
from .records import same_values


def failing_input(evidence: FunctionEvidence, failed: set[str]) -> dict[str, str]:
    """Name -> value of the arguments, of the result and of the right one."""
    for name, rows_of in (("runs", _crashing), ("forward", _forward_rows), ("gradient", _gradient_rows)):
        if name in failed:
            failing = [
                (size_shown(case.arguments), rows) for case in evidence.cases if (rows := rows_of(evidence, case))
            ]
            if failing:
                return cut(min(failing, key=lambda each: each[0])[1])
    return {}


def _crashing(evidence: FunctionEvidence, case: Case) -> dict[str, str]:
    return _arguments(evidence, case) if case.run.crash or case.run.refused else {}


def _forward_rows(evidence: FunctionEvidence, case: Case) -> dict[str, str]:
    if case.run.values is None or same_values(case.run.values, case.expected):
        return {}
    return _arguments(evidence, case) | both_sides(case.expected, case.run.values)


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
            rows = _arguments(evidence, case)
            rows["grad_output"] = ", ".join(map(number, run.cotangent))
            right_one = "numerical" if evidence.spec.vjp is None else "declared"
            given_back = run.returned[index]  # type: ignore[index]  # usable
            return rows | both_sides([expected_gradient(case, run, index)], [given_back], right_one)
    return {}


def _arguments(evidence: FunctionEvidence, case: Case) -> dict[str, str]:
    names = evidence.form.arguments
    return {name: given(value) for name, value in zip(names, case.arguments, strict=True)}
