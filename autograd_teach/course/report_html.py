"""The report as a page: checks, diagnosis, Jacobians as heat maps. Plain HTML: no script, no kernel, light and dark.

NumPy only. Colour is never the only sign: a state is a word, a sign is in the number, a wrong entry has a mark and a frame.
"""

from html import escape

import numpy as np

from .jacobian import wrong_slopes
from .judge import State
from .observe import HEAT_MAP_ENTRIES, Case, Evidence, differentiable, gradcheck_of
from .report import Report, failing_input

_POSITIVE, _NEGATIVE = "0, 114, 178", "213, 94, 0"
_MARKS: dict[State, str] = {"pass": "✓ pass", "fail": "✗ FAIL", "not reached": "– not reached"}

# The doubled class outweighs the tables of JupyterLab's own style sheet, wherever this one stands.
STYLE = """<style>
.agt-report { color: var(--jp-content-font-color1, inherit); font-size: 14px; line-height: 1.45; max-width: 66em; }
.agt-report.agt-report .agt-head { font-weight: 600; margin: 0 0 .4em; }
.agt-report.agt-report .agt-head::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em; border: 2px solid currentColor; }
.agt-report.agt-passed .agt-head::before { background: #009e73; border-color: #009e73; border-radius: 50%; }
.agt-report.agt-report table { border-collapse: collapse; margin: 0; font-size: inherit; border: none; }
.agt-report.agt-report td, .agt-report.agt-report th { text-align: left; padding: 1px 8px 1px 0; border: none; background: none; white-space: normal; color: inherit; font-weight: normal; max-width: none; }
.agt-report.agt-report tbody tr:nth-child(n) { background: none; }
.agt-report.agt-report .agt-state { white-space: nowrap; padding-right: 16px; font-family: var(--jp-code-font-family, monospace); font-size: 12px; }
.agt-report.agt-report .agt-fail td { font-weight: 600; }
.agt-report.agt-report .agt-not td { opacity: .75; }
.agt-report.agt-report .agt-say { margin: .7em 0; padding: .4em .8em; border-left: 4px solid #d55e00; background: var(--jp-layout-color2, rgba(127, 127, 127, .12)); }
.agt-report.agt-report .agt-say p { margin: .15em 0; }
.agt-report.agt-report .agt-input td { vertical-align: top; }
.agt-report.agt-report pre { margin: 0; padding: 0; background: none; color: inherit; font-family: var(--jp-code-font-family, monospace); font-size: 12px; line-height: 1.35; }
.agt-report.agt-report .agt-maps { display: flex; flex-wrap: wrap; align-items: flex-end; gap: 12px 20px; margin: .8em 0 .3em; }
.agt-report.agt-report .agt-map caption { caption-side: top; text-align: left; padding: 0 0 4px; color: inherit; font-weight: 600; font-size: 13px; }
.agt-report.agt-report .agt-map td, .agt-report.agt-report .agt-map th { font-family: var(--jp-code-font-family, monospace); font-size: 11px; line-height: 1.2; text-align: right; padding: 4px 4px; min-width: 2.7em; white-space: nowrap; }
.agt-report.agt-report .agt-map td { border: 1px solid var(--jp-border-color2, rgba(127, 127, 127, .45)); }
.agt-report.agt-report .agt-map th { opacity: .75; min-width: 0; }
.agt-report.agt-report .agt-map td.agt-wrong { outline: 2px solid currentColor; outline-offset: -2px; font-weight: 700; }
.agt-report.agt-report .agt-note { margin: .4em 0 0; font-size: 13px; opacity: .85; }
.agt-report.agt-report details summary { cursor: pointer; }
.agt-report.agt-report .agt-hint { margin: .5em 0 0; }
.agt-report.agt-report .agt-hint > summary { display: inline-block; padding: 1px 10px; border: 1px solid var(--jp-border-color1, currentColor); border-radius: 3px; font-size: 13px; }
.agt-report.agt-report .agt-hint[open] > summary { opacity: .6; }
.agt-report.agt-report .agt-hint > p { margin: .4em 0; padding-left: .8em; border-left: 4px solid #0072b2; }
</style>"""


def html(report: Report) -> str:
    """The whole report."""
    parts = [f'<p class="agt-head">{escape(report.headline)}</p>']
    if report.attempted:
        parts.append(_checks(report))
    if report.findings:
        says = "".join(f"<p>{_code(finding.message)}</p>" for finding in report.findings)
        parts.append(f'<div class="agt-say">{says}</div>')
    if failing := failing_input(report):
        parts.append(_input(failing))
    parts.append(_maps(report))
    parts += [f'<p class="agt-note">{escape(note)}</p>' for note in report.notes]
    if not report.passed:
        parts.append(_hints(report.exercise.hints))
    state = " agt-passed" if report.passed else ""
    return f'<div class="agt-report{state}">{STYLE}{"".join(parts)}</div>'


def _hints(hints: tuple[str, ...]) -> str:
    """Each hint behind a button of its own, the next one inside the one before: one at a time, and without a kernel."""
    shown = ""
    for number, text in reversed(list(enumerate(hints, 1))):
        label = "Show a hint" if number == 1 else "Show the next hint"
        last = "" if number < len(hints) else '<p class="agt-note">That is the last one.</p>'
        shown = f'<details class="agt-hint"><summary>{label}</summary><p>{_code(text)}</p>{shown}{last}</details>'
    return shown


def _checks(report: Report) -> str:
    row_class = {"pass": "agt-pass", "fail": "agt-fail", "not reached": "agt-not"}
    rows = "".join(
        f'<tr class="{row_class[state]}"><td class="agt-state">{_MARKS[state]}</td><td>{_code(check.text)}</td></tr>'
        for check, state in report.lines
    )
    return f"<table>{rows}</table>"


def _input(rows: dict[str, str]) -> str:
    right = next((each for each in ("numerical", "declared") if each in rows), None)
    label = {right: f"gradient, {right}", "yours": "gradient, yours"} if right else {}
    cells = "".join(
        f"<tr><td>{escape(label.get(name, name))}</td><td><pre>{escape(value)}</pre></td></tr>"
        for name, value in rows.items()
    )
    return f'<p class="agt-note">A small failing input:</p><table class="agt-input">{cells}</table>'


def _maps(report: Report) -> str:
    chosen = _case_to_show(report)
    if chosen is None:
        return ""
    case, index = chosen
    declared = report.exercise.kind == "declared"
    numerical, analytical = case.numerical[index], case.analytical(index)
    names = report.exercise.grading.arguments
    at = ", ".join(
        f"{name} of shape {np.shape(value)}" if isinstance(value, np.ndarray) else f"{name} = {value!r}"
        for name, value in zip(names, case.arguments, strict=True)
    )
    side = (differentiable(gradcheck_of(report.exercise), case.expected), np.shape(case.arguments[index]))
    scale = float(np.nanmax(np.abs(numerical), initial=1e-12))
    if not report.attempted or analytical is None or analytical.shape != numerical.shape:
        title = "declared: what backward must give" if declared else "numerical: measured by small changes"
        tables = _map(title, numerical, scale, None, side)
        wrong_count = 0
    else:
        finite = analytical[np.isfinite(analytical)]
        scale = max(scale, float(np.max(np.abs(finite), initial=0.0)))
        wrong = wrong_slopes(analytical, numerical)
        wrong_count = int(wrong.sum())
        tables = (
            _map("declared" if declared else "numerical: measured", numerical, scale, None, side)
            + _map("analytical: your backward", analytical, scale, wrong, side)
            + _map(
                f"difference: yours minus {'declared' if declared else 'measured'}",
                analytical - numerical,
                scale,
                wrong,
                side,
            )
        )
    legend = (
        f"The {'declared ' if declared else ''}Jacobian (the table of all derivatives) of the result with respect to {names[index]}, at {at}. "
        f"A row is an entry of the result, a column an entry of {names[index]}. "
        + (f"✗ marks the {wrong_count} wrong of {numerical.size} entries. " if wrong_count else "")
        + "Blue is positive, orange negative."
    )
    body = f'<div class="agt-maps">{tables}</div><p class="agt-note">{escape(legend)}</p>'
    if report.passed:
        kind = "declared" if declared else "numerical"
        return f"<details><summary>The Jacobians: {kind} and yours</summary>{body}</details>"
    if not report.attempted:
        return f"<details><summary>What backward must agree with, at a small input</summary>{body}</details>"
    return body


def _case_to_show(report: Report) -> tuple[Case, int] | None:
    """The first input with a wrong gradient; where nothing is wrong, or nothing attempted, the first one."""
    evidence = report.evidence
    cases = [case for case in evidence.cases if _fits(case)] if isinstance(evidence, Evidence) else []
    if not cases:
        return None
    states = {check.name: state for check, state in report.lines}
    if not report.attempted or report.passed:
        return cases[0], next(iter(cases[0].numerical))
    if states["gradient"] != "fail":
        return None
    for case in cases:
        for index in case.numerical:
            analytical = case.analytical(index)
            if analytical is None or analytical.shape != case.numerical[index].shape:
                continue
            if wrong_slopes(analytical, case.numerical[index]).any():
                return case, index
    return None


def _fits(case: Case) -> bool:
    return all(max(jacobian.shape) <= HEAT_MAP_ENTRIES for jacobian in case.numerical.values())


def _map(
    title: str,
    values: np.ndarray,
    scale: float,
    wrong: np.ndarray | None,
    side: tuple[tuple[np.ndarray, ...], tuple[int, ...]],
) -> str:
    expected, input_shape = side
    columns = [_index(at) for at in np.ndindex(input_shape)]
    rows = [
        _index(at) if len(expected) == 1 else f"result {number}: {_index(at)}"
        for number, value in enumerate(expected, 1)
        for at in np.ndindex(value.shape)
    ]
    head = "<tr><th></th>" + "".join(f'<th scope="col">{each}</th>' for each in columns) + "</tr>"
    body = "".join(
        f'<tr><th scope="row">{name}</th>'
        + "".join(
            _cell(float(value), scale, wrong is not None and bool(wrong[i, j])) for j, value in enumerate(values[i])
        )
        + "</tr>"
        for i, name in enumerate(rows)
    )
    return f'<table class="agt-map"><caption>{escape(title)}</caption>{head}{body}</table>'


def _cell(value: float, scale: float, wrong: bool) -> str:
    strength = 0.6 * min(abs(value) / scale, 1.0) if np.isfinite(value) else 0.0
    colour = _POSITIVE if value > 0 else _NEGATIVE
    style = f' style="background: rgba({colour}, {strength:.2f})"' if strength >= 0.005 else ""
    mark = '<span aria-label="wrong">✗</span>' if wrong else ""
    marked = ' class="agt-wrong"' if wrong else ""
    return f"<td{marked}{style}>{mark}{_short(value)}</td>"


def _short(value: float) -> str:
    if not np.isfinite(value):
        return str(value)
    if abs(value) < 0.005:
        return "0"
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.1e}"


def _index(at: tuple[int, ...]) -> str:
    return ",".join(map(str, at)) or "()"


def _code(message: str) -> str:
    """Escaped, with `backticks` as code."""
    parts = escape(message, quote=False).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
