"""A Matplotlib figure as a view: as SVG, and as text that says what is drawn.

This module does not import Matplotlib: the code that made the figure did.
"""

from __future__ import annotations

import io
import re
import sys
from typing import Any

import numpy as np

from autograd_teach.viz.chart import Chart
from autograd_teach.viz.facts import number, printable


def is_figure(thing: Any) -> bool:
    """Whether this is a Matplotlib figure."""
    return type(thing).__module__.startswith("matplotlib.") and hasattr(thing, "savefig")


def chart_of(figure: Any) -> Chart:
    """The figure as a chart.

    The figure is closed, or else `pyplot` would show it a second time below the cell.
    """
    file = io.StringIO()
    with _same_ids():
        figure.savefig(file, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)
    svg = file.getvalue()
    words = "\n".join(line for axes in figure.axes for line in _told(axes)) or "an empty plot"
    title = words.partition("\n")[0]
    start = svg.index("<svg")
    labelled = re.sub("<svg", f'<svg role="img" aria-label="{_quoted(title)}"', svg[start:], count=1)
    return Chart(title, labelled, f"plot: {words}")


def _same_ids() -> Any:
    """Make the SVG of a figure the same every time: by default Matplotlib salts its ids."""
    return sys.modules["matplotlib"].rc_context({"svg.hashsalt": "autograd_teach"})


def _told(axes: Any) -> list[str]:
    """Axes as text: the title, the labels, and each line and point cloud with its range."""
    named = [f"{name}: {text}" for name, text in (("x", axes.get_xlabel()), ("y", axes.get_ylabel())) if text]
    found = [printable("; ".join([axes.get_title() or "a plot", *named]))]
    for line in axes.lines:
        found.append(f"  line {_called(line)}{_range(np.asarray(line.get_xydata(), np.float64))}")
    for cloud in axes.collections:
        if len(points := np.asarray(cloud.get_offsets(), np.float64).reshape(-1, 2)):
            found.append(f"  points {_called(cloud)}{_range(points)}")
    return found


def _called(artist: Any) -> str:
    label = str(artist.get_label())
    return "" if label.startswith("_") else printable(f"{label}: ")


def _range(points: np.ndarray[Any, Any]) -> str:
    points = points[np.isfinite(points).all(1)]
    if not len(points):
        return "no points"
    if len(points) == 1:
        return f"1 point at ({number(points[0][0])}, {number(points[0][1])})"
    first, last = (f"({number(x)}, {number(y)})" for x, y in (points[0], points[-1]))
    low, high = number(points[:, 1].min()), number(points[:, 1].max())
    return f"{len(points)} points from {first} to {last}, y from {low} to {high}"


def _quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
