"""The Jacobians of a custom Function as heat maps: the right one, the one from backward, and the difference.

May use viz when a page is made.
"""

from collections.abc import Mapping

import numpy as np

from ...jacobian import wrong_slopes
from ..checker import Picture, State
from .evidence import HEAT_MAP_ENTRIES, Case, FunctionEvidence


def picture(evidence: FunctionEvidence, states: Mapping[str, State]) -> Picture | None:
    """The maps at the first input with a wrong gradient; if nothing is wrong or attempted, at the first input, folded."""
    chosen = _case_to_show(evidence, states)
    if chosen is None:
        return None
    from ....viz.chart import Panel, heat_maps

    case, index = chosen
    numerical, analytical = case.numerical[index], case.analytical(index)
    kind = "declared" if evidence.form.declared else "numerical"
    name = evidence.form.arguments[index]
    compared = bool(states) and analytical is not None and analytical.shape == numerical.shape
    wrong = wrong_slopes(analytical, numerical) if compared and analytical is not None else None
    both = (
        np.abs(np.concatenate([numerical, analytical])) if wrong is not None and analytical is not None else numerical
    )
    scale = float(np.max(both[np.isfinite(both)], initial=0.0)) or None
    if wrong is None or analytical is None:
        panels = [Panel(f"{kind}: what backward must give", numerical)]
    else:
        panels = [
            Panel(kind, numerical, None, scale),
            Panel("analytical: your backward", analytical, wrong, scale),
            Panel(f"difference: yours minus {kind}", np.round(analytical - numerical, 7), wrong, scale),
        ]
    count = int(wrong.sum()) if wrong is not None else 0
    legend = (
        f"The Jacobian (the table of all derivatives) of the result with respect to {name}, at {_inputs(evidence, case)}. "
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
    cases = [case for case in evidence.cases if _fits(case)]
    if not cases:
        return None
    if not states or set(states.values()) == {"pass"}:
        return cases[0], next(iter(cases[0].numerical))
    if states["gradient"] != "fail":
        return None
    for case in cases:
        for index, numerical in case.numerical.items():
            analytical = case.analytical(index)
            same = analytical is not None and analytical.shape == numerical.shape
            if same and wrong_slopes(analytical, numerical).any():  # type: ignore[arg-type]  # it is there
                return case, index
    return None


def _fits(case: Case) -> bool:
    return all(max(jacobian.shape) <= HEAT_MAP_ENTRIES for jacobian in case.numerical.values())


def _inputs(evidence: FunctionEvidence, case: Case) -> str:
    return ", ".join(
        f"{name} of shape {np.shape(value)}" if isinstance(value, np.ndarray) else f"{name} = {value!r}"
        for name, value in zip(evidence.form.arguments, case.arguments, strict=True)
    )
