"""Charts: heat maps of matrices and lines over logarithmic axes, written as SVG.

Numbers in, SVG text out, with colours for light and dark pages. Nothing is shown by colour alone: a
wrong entry has a frame and a cross, an entry that is not finite is hatched, each line has its own
dashes and marks. This module does not know about tensors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from autograd_teach.viz.facts import number
from autograd_teach.viz.snapshot import Snapshot
from autograd_teach.viz.view import View

_BLUE, _ORANGE = (0, 114, 178), (213, 94, 0)
_MOST_CELLS, _SIDE, _LEAST_WITH_NUMBERS, _LONGEST_IN_A_FIELD = 24, 250, 40, 7
_PIXELS_A_LETTER = 5.7  # of the lines below a map
_MARKS = {"circle": '<circle cx="{x}" cy="{y}" r="3.5"/>', "square": '<rect x="{l}" y="{t}" width="7" height="7"/>'}
_STYLE = """
.agt-chart text{fill:#1A1A1A;font-family:Helvetica,Arial,sans-serif;font-size:12px}
.agt-chart .agt-page{fill:#fff}.agt-chart .agt-axis{stroke:#767676;fill:none}.agt-chart .agt-grid{stroke:#ddd}
.agt-chart .agt-wrong{fill:none;stroke:#1A1A1A;stroke-width:2}.agt-chart .agt-on-dark{fill:#fff}.agt-chart .agt-on-light{fill:#1A1A1A}
.agt-chart .agt-on-hatch{stroke:#fff;stroke-width:4px;paint-order:stroke}
@media (prefers-color-scheme: dark){.agt-chart .agt-page{fill:#1e1e1e}.agt-chart text{fill:#ececec}.agt-chart .agt-grid{stroke:#444}
.agt-chart :is(.agt-on-light,.agt-on-hatch){fill:#1A1A1A}.agt-chart .agt-on-dark{fill:#fff}.agt-chart .agt-axis{stroke:#aaa}}
"""


class Chart(View):
    """A chart: `image/svg+xml` and plain text, no widget."""

    kind = "chart"

    def __init__(self, title: str, svg: str, text: str) -> None:
        super().__init__(Snapshot(notes=[title]))
        self._title, self._svg, self._text = title, svg, text

    @property
    def title(self) -> str:
        """Alternative text: one sentence that says what the picture shows."""
        return self._title

    @property
    def svg(self) -> str:  # type: ignore[override]  # stored, not computed on first use
        """The picture."""
        return self._svg

    @property
    def text(self) -> str:
        """The picture in words and numbers."""
        return self._text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text, "image/svg+xml": self.svg}


@dataclass
class Panel:
    """A matrix to draw.

    `wrong` marks entries. `scale` is the value with the full colour; None takes the largest entry.
    """

    title: str
    values: np.ndarray
    wrong: np.ndarray | None = None
    scale: float | None = None


def heat_maps(rows: Sequence[Sequence[Panel]], across: Sequence[str], down: Sequence[str], title: str) -> str:
    """Rows of heat maps side by side; `across` and `down` name the axes of each row."""
    parts, top, widest = [], 34.0, 0.0
    for panels, horizontal, vertical in zip(rows, across, down, strict=True):
        left, height = 44.0, 0.0
        for panel in panels:
            drawn, width, tall = _heat_map(panel, left, top + 22, horizontal, vertical)
            parts.append(drawn)
            left, height = left + width + 46, max(height, tall)
        widest, top = max(widest, left), top + height + 84
    return _page(widest, top, title, "".join(parts))


def _heat_map(panel: Panel, left: float, top: float, across: str, down: str) -> tuple[str, float, float]:
    values, wrong, block = _shrunk(panel)
    count_down, count_across = values.shape
    cell = max(9.0, min(46.0, _SIDE / max(count_across, count_down, 1)))
    finite = np.abs(values[np.isfinite(values)])
    scale = panel.scale or (float(finite.max()) if finite.size else 0.0) or 1.0
    width, height = cell * count_across, cell * count_down
    parts = [f'<text x="{left:.1f}" y="{top - 8:.1f}" font-weight="bold">{escape(panel.title)}</text>']
    for (i, j), value in np.ndenumerate(values):
        x, y = left + j * cell, top + i * cell
        share = max(-1.0, min(1.0, value / scale)) if math.isfinite(value) else 0.0
        fill = _colour(share) if math.isfinite(value) else "url(#agt-hatch)"
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{cell:.1f}" height="{cell:.1f}" fill="{fill}"/>')
        if cell >= _LEAST_WITH_NUMBERS and block == (1, 1):
            shade = "agt-on-dark" if abs(share) > 0.6 else "agt-on-light" if math.isfinite(value) else "agt-on-hatch"
            place = f'x="{x + cell / 2:.1f}" y="{y + cell / 2 + 4:.1f}" text-anchor="middle"'
            parts.append(f'<text {place} class="{shade}" style="font-size:10px">{_brief(value)}</text>')
        if wrong is not None and wrong[i, j]:
            a, b, c, d = x + 2, y + 2, x + cell - 2, y + cell - 2
            corner = min(8.0, cell / 3)
            parts.append(
                f'<path class="agt-wrong" d="M{a:.1f} {b:.1f}H{c:.1f}V{d:.1f}H{a:.1f}Z'
                f'M{c - corner:.1f} {b:.1f}L{c:.1f} {b + corner:.1f}M{c:.1f} {b:.1f}L{c - corner:.1f} {b + corner:.1f}"/>'
            )
    frame = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
    parts.append(f'<rect class="agt-axis" {frame}/>')
    ends = f"colours: -{number(float(f'{scale:.3g}'))} blue, 0 white, {number(float(f'{scale:.3g}'))} orange"
    said = [across, ends] + [f"a cell is {block[0]} x {block[1]} entries"] * (block != (1, 1))
    parts += [
        f'<text x="{left:.1f}" y="{top + height + 15 * place:.1f}" style="font-size:11px">{escape(line)}</text>'
        for place, line in enumerate(said, 1)
    ]
    middle = f"{left - 8:.1f} {top + height / 2:.1f}"
    parts.append(
        f'<text transform="translate({middle}) rotate(-90)" text-anchor="middle" style="font-size:11px">'
        f"{escape(down)}</text>"
    )
    return "".join(parts), max(width, 200.0, _PIXELS_A_LETTER * max(map(len, said))), height


def _brief(value: float) -> str:
    """A number that fits into a cell of a map.

    >>> _brief(12.3456), _brief(-2.8755e-11)
    ('12.3', '-3e-11')
    """
    text = number(float(f"{value:.3g}"))
    return text if len(text) <= _LONGEST_IN_A_FIELD else f"{value:.0e}"


def _shrunk(panel: Panel) -> tuple[np.ndarray, np.ndarray | None, tuple[int, int]]:
    """Reduce a matrix that is too large to draw to blocks: each shows its entry furthest from 0."""
    values, wrong = np.asarray(panel.values, float), panel.wrong
    block = tuple(max(1, math.ceil(n / _MOST_CELLS)) for n in values.shape)
    if block == (1, 1):
        return values, wrong, (1, 1)
    starts = [np.arange(0, n, step) for n, step in zip(values.shape, block, strict=True)]
    shape = (len(starts[0]), len(starts[1]))
    small, marked = np.empty(shape), np.zeros(shape, bool)
    for i, j in np.ndindex(shape):
        part = (slice(i * block[0], (i + 1) * block[0]), slice(j * block[1], (j + 1) * block[1]))
        entries = values[part].ravel()
        odd = ~np.isfinite(entries)
        small[i, j] = entries[odd][0] if odd.any() else entries[np.argmax(np.abs(entries))]
        marked[i, j] = wrong is not None and wrong[part].any()
    return small, None if wrong is None else marked, (block[0], block[1])


def _colour(share: float) -> str:
    full = _ORANGE if share > 0 else _BLUE
    mixed = (round(255 + (part - 255) * abs(share)) for part in full)
    return "#" + "".join(f"{part:02x}" for part in mixed)


@dataclass
class Line:
    """Points with positive coordinates, joined by a line.

    `dashes` as in SVG's `stroke-dasharray`; `mark` is "circle" or "square".
    """

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    mark: str
    dashes: str = ""


def log_log(lines: Sequence[Line], across: str, down: str, title: str, at: float, at_name: str) -> str:
    """Lines over two logarithmic axes, and a vertical line at `at`."""
    width, height, left, top = 620.0, 380.0, 74.0, 44.0
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    low_x, high_x = math.floor(math.log10(min(xs))), math.ceil(math.log10(max(xs)))
    low_y, high_y = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

    def place(x: float, y: float) -> tuple[float, float]:
        across_ = (math.log10(x) - low_x) / max(high_x - low_x, 1)
        up = (math.log10(y) - low_y) / max(high_y - low_y, 1)
        return left + across_ * width, top + (1 - up) * height

    parts = []
    for power in range(low_x, high_x + 1):
        x, _ = place(10.0**power, 10.0**low_y)
        parts.append(f'<path class="agt-grid" d="M{x:.1f} {top}V{top + height}"/>')
        if power % 2 == 0:
            parts.append(f'<text x="{x:.1f}" y="{top + height + 18}" text-anchor="middle">1e{power:+d}</text>')
    step = max(1, round((high_y - low_y) / 8))
    for power in range(low_y, high_y + 1, step):
        _, y = place(10.0**low_x, 10.0**power)
        parts.append(f'<path class="agt-grid" d="M{left} {y:.1f}H{left + width}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">1e{power:+d}</text>')
    parts.append(f'<rect class="agt-axis" x="{left}" y="{top}" width="{width}" height="{height}"/>')
    x, _ = place(at, 10.0**low_y)
    parts.append(f'<path class="agt-axis" stroke-dasharray="2 3" d="M{x:.1f} {top}V{top + height}"/>')
    parts.append(f'<text x="{x + 5:.1f}" y="{top + 14}">{escape(at_name)}</text>')
    for line in lines:
        spots = [place(x, y) for x, y in line.points]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        dashes = f' stroke-dasharray="{line.dashes}"' * bool(line.dashes)
        parts.append(f'<path d="{path}" fill="none" stroke="{line.colour}" stroke-width="2"{dashes}/>')
        parts.append(f'<g fill="{line.colour}">' + "".join(_mark(line.mark, x, y) for x, y in spots) + "</g>")
    below = top + height + 40
    parts.append(f'<text x="{left + width / 2}" y="{below}" text-anchor="middle">{escape(across)}</text>')
    upright = f'transform="translate(18 {top + height / 2}) rotate(-90)"'
    parts.append(f'<text {upright} text-anchor="middle">{escape(down)}</text>')
    for number_, line in enumerate(lines):
        x, y = left + 20 + 260 * number_, below + 24
        dashes = f' stroke-dasharray="{line.dashes}"' * bool(line.dashes)
        parts.append(f'<path d="M{x} {y - 4}h36" stroke="{line.colour}" stroke-width="2"{dashes}/>')
        parts.append(f'<g fill="{line.colour}">{_mark(line.mark, x + 18, y - 4)}</g>')
        parts.append(f'<text x="{x + 44}" y="{y}">{escape(line.name)}</text>')
    return _page(left + width + 24, below + 40, title, "".join(parts))


def _mark(kind: str, x: float, y: float) -> str:
    return _MARKS[kind].format(x=f"{x:.1f}", y=f"{y:.1f}", l=f"{x - 3.5:.1f}", t=f"{y - 3.5:.1f}")


def _page(width: float, height: float, title: str, inside: str) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    hatch = (
        '<defs><pattern id="agt-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="6" height="6" fill="#fff"/><path d="M0 0V6" stroke="#1A1A1A" stroke-width="2"/></pattern></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="agt-chart" role="img" {size} aria-label="{escape(title)}">'
        f"<style>{_STYLE}</style>{hatch}"
        f'<rect class="agt-page" width="{width:.0f}" height="{height:.0f}"/>'
        f'<text x="16" y="20" style="font-size:13px">{escape(title)}</text>{inside}</svg>'
    )
