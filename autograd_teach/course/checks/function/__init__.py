"""Custom Functions: forward is compared with the specification, backward with its numerical derivative.

records.py     requests and replies, as plain data
asking.py      uses the student's Function; the only part that runs in the process of their code
evidence.py    the plan, and the replies with the right results and derivatives
checks.py      the lines of the report, and what is asked beyond right results
returned.py    what is wrong with what forward and backward return, in sentences
"""

from collections.abc import Mapping

import numpy as np

from ...jacobian import wrong_slopes
from ..checker import Checker, Picture, State
from ..diagnosing import RUNNING, first_findings, is_stub
from ..numbers import numbers
from ..writing import both_sides, chosen, inputs_in_words, number
from .asking import FunctionAsking, function_of
from .checks import BEYOND, checks_of
from .evidence import HEAT_MAP_ENTRIES, Case, FunctionEvidence, add, plans
from .records import Asked, Run, same_values
from .returned import RETURNED

DIAGNOSES = (
    *(*RETURNED, *RUNNING),
    *numbers("forward", "overflow", "nan", "numbers", "place", "described"),
    *numbers("gradient", "overflow", "nan", "numbers", "place", "described"),
    *BEYOND,
)
"""The diagnoses in order: the first one that fits gives the message."""


def _is_attempted(evidence: FunctionEvidence) -> bool:
    """False if forward raises the stub's NotImplementedError for every input."""
    stopped = [is_stub(run.crash) and run.crash.phase == "forward" for run in evidence.runs]
    return evidence.structure != "no_forward" and not (stopped and all(stopped))


def _failing_input(evidence: FunctionEvidence, failed: set[str], message: str) -> Mapping[str, str]:
    """The arguments; for a wrong result or gradient also both sides."""
    failing = [
        (run.arguments, dict[str, str]()) for run in evidence.runs if "runs" in failed and (run.crash or run.refused)
    ]
    for name, rows_of in (("forward", _forward_rows), ("gradient", _gradient_rows)):
        several = [(case.arguments, rows_of(evidence, case)) for case in evidence.cases if name in failed]
        failing = failing or [(arguments, rows) for arguments, rows in several if rows]
    return chosen(evidence.form, failing, message)


def _forward_rows(evidence: FunctionEvidence, case: Case) -> dict[str, str]:
    if case.run.values is None or same_values(case.run.values, case.expected):
        return {}
    return both_sides(case.expected, case.run.values)


def _gradient_rows(evidence: FunctionEvidence, case: Case) -> dict[str, str]:
    runs = (case.run, *case.rows)
    wrong = [
        (runs[at], n) for n, several in case.verdicts.items() for at, right in enumerate(several) if right is False
    ]
    both = case.gradient(*wrong[0]) if wrong else None
    if both is None:
        return {}
    (run, index), right = wrong[0], "numerical" if evidence.spec.vjp is None else "declared"
    of = f" for {evidence.form.arguments[index]}" if len(case.numerical) > 1 else ""
    sides = both_sides([both[1]], [both[0]], right)
    return {"grad_output": ", ".join(map(number, run.cotangent))} | {name + of: text for name, text in sides.items()}


def picture(evidence: FunctionEvidence, states: Mapping[str, State]) -> Picture | None:
    """The maps at the first input with a wrong gradient; if nothing is wrong or attempted, at the first input, folded."""
    chosen = _case_to_show(evidence, states)
    if chosen is None:
        return None
    from ....viz.chart import Panel, heat_maps

    case, index = chosen
    numerical, analytical = case.numerical[index], case.analytical(index) if states else None
    kind = "declared" if evidence.form.declared else "numerical"
    name = evidence.form.arguments[index]
    wrong = None if analytical is None else wrong_slopes(analytical, numerical)
    if analytical is None:
        panels = [Panel(f"{kind}: what backward must give", numerical)]
    else:
        both = np.abs(np.concatenate([numerical, analytical]))
        scale = float(np.max(both[np.isfinite(both)], initial=0.0)) or None
        panels = [
            Panel(kind, numerical, None, scale),
            Panel("analytical: your backward", analytical, wrong, scale),
            Panel(f"difference: yours minus {kind}", np.round(analytical - numerical, 7), wrong, scale),
        ]
    count = int(wrong.sum()) if wrong is not None else 0
    legend = (
        f"The Jacobian (the table of all derivatives) of the result with respect to {name}, at {inputs_in_words(evidence.form, case.arguments)}. "
        f"A row is an entry of the result, a column an entry of {name}."
        + (f" A cross marks the {count} wrong of {numerical.size} entries." if count else "")
    )
    svg = heat_maps([panels], [f"entry of {name}"], ["entry of the result"], f"The Jacobian with respect to {name}")
    return Picture(svg, legend, _summary(kind, states))


def _summary(kind: str, states: Mapping[str, State]) -> str:
    """The summary of the folded maps; "" if they show a mistake and are not folded."""
    if not states:
        return "What backward must agree with, at a small input"
    return f"The Jacobians: {kind} and yours" if set(states.values()) == {"pass"} else ""


def _case_to_show(evidence: FunctionEvidence, states: Mapping[str, State]) -> tuple[Case, int] | None:
    cases = [
        case for case in evidence.cases if max(map(max, (j.shape for j in case.numerical.values()))) <= HEAT_MAP_ENTRIES
    ]
    wrong = [(case, index) for case in cases for index, several in case.verdicts.items() if False in several[1:]]
    if not states or set(states.values()) == {"pass"}:
        return (cases[0], next(iter(cases[0].numerical))) if cases else None
    return wrong[0] if wrong and states["gradient"] == "fail" else None


FUNCTIONS = Checker(
    asked=Asked,
    reply=Run,
    diagnoses=DIAGNOSES,
    plans=plans,
    structure=lambda exercise, subject: function_of(subject)[1],
    asking=lambda exercise, subject: FunctionAsking(function_of(subject)[0], exercise),
    goes_on=lambda first: first.returned is not None,
    evidence=FunctionEvidence,
    add=add,
    checks=checks_of,
    findings=lambda evidence, failed: first_findings(DIAGNOSES, evidence, failed),
    is_attempted=_is_attempted,
    failing_input=_failing_input,
    picture=picture,
)
"""The checker for custom Functions."""
