"""Export of views: as DOT text, as a `graphviz.Source`, and to files for slides and pages."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import sys
from html import escape
from importlib.resources import files
from pathlib import Path
from types import FrameType
from typing import Any

from autograd_teach.files import replace
from autograd_teach.viz import layout
from autograd_teach.viz.chart import Chart
from autograd_teach.viz.naming import caller_tensors
from autograd_teach.viz.view import View, graph_of

ENDINGS = (".svg", ".dot", ".png", ".pdf", ".html")


def to_dot(view_or_tensor: Any) -> str:
    """Return the picture of a graph as DOT text, the language of Graphviz.

    view_or_tensor: a view, or a tensor whose graph is drawn as by `viz.graph`.

    Returns a string; the same graph always gives the same text. Raises ValueError if there is no
    graph to draw.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> viz.to_dot(torch.tensor(2.0, requires_grad=True) * 3).splitlines()[0]
    'digraph autograd {'
    """
    return _dot(_as_view(view_or_tensor, sys._getframe(1)))


def to_graphviz(view_or_tensor: Any) -> Any:
    """Return the picture of a graph as a `graphviz.Source`, for use with the graphviz package.

    view_or_tensor: a view, or a tensor whose graph is drawn as by `viz.graph`.

    Raises ValueError if there is no graph to draw, ImportError if the graphviz package is not
    installed.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> viz.to_graphviz(x * 3).source.splitlines()[0]
    'digraph autograd {'
    """
    import graphviz

    return graphviz.Source(_dot(_as_view(view_or_tensor, sys._getframe(1))))


def save(view_or_tensor: Any, path: str | os.PathLike[str]) -> Path:
    """Write the picture of a view to a file; the ending of its name chooses the format.

    view_or_tensor: a view, or a tensor whose graph is drawn as by `viz.graph`.
    path: the file to write. An existing file is replaced. The endings:

    - `.html`: one page with the interactive view, which works offline
    - `.svg`, `.png`, `.pdf`: the picture; needs a layout engine (pygraphviz, or Graphviz's `dot`)
    - `.dot`: the graph as DOT text

    Returns the path. Raises ValueError for another ending, if there is no graph to draw, or if no
    layout engine is installed. Charts can only be saved as `.svg` and `.html`.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> import tempfile
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     viz.save(x * x, f"{folder}/square.dot").name
    'square.dot'
    """
    view, target = _as_view(view_or_tensor, sys._getframe(1)), Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(f"unknown file type {target.name!r}: the name must end in {', '.join(ENDINGS)}")
    if isinstance(view, Chart):
        return _save_chart(view, target, ending)
    dot = _dot(view)
    if view.snapshot.tangled and ending in (".svg", ".png", ".pdf"):
        raise ValueError(" ".join(view.snapshot.notes))
    if ending == ".dot":
        content: bytes | None = dot.encode()
    elif ending == ".svg":
        content = view.svg.encode() or None
    elif ending == ".html":
        content = page(view).encode()
    else:
        content = layout.render(dot, ending[1:])
    if content is None:
        raise ValueError(
            f"no layout engine can write {ending} here: run pip install pygraphviz, install Graphviz, or save as .html"
        )
    replace(target, content)
    return target


def _save_chart(chart: Chart, target: Path, ending: str) -> Path:
    if ending == ".html":
        style = "<style>body{margin:16px;font-family:Helvetica,Arial,sans-serif}@media (prefers-color-scheme: dark){body{background:#1e1e1e;color:#ececec}}</style>"
        text = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(chart.title)}</title>{style}'
        replace(target, f"{text}{chart.svg}<pre>{escape(chart.text)}</pre></html>".encode())
    elif ending == ".svg":
        replace(target, chart.svg.encode())
    else:
        raise ValueError(f"a chart can be saved as .svg or .html, not as {ending}")
    return target


def _as_view(thing: Any, frame: FrameType) -> View:
    return thing if isinstance(thing, View) else graph_of([thing], caller_tensors(frame))


def _dot(view: View) -> str:
    if not view.dot:
        chart = "this is a chart, not a graph: save it with viz.save as .svg or .html"
        raise ValueError(chart if isinstance(view, Chart) else " ".join(view.snapshot.notes))
    return view.dot


def page(view: View) -> str:
    """One HTML page with the widget, which works without a kernel and a network.

    Without scripts it shows the picture.
    """
    static = files("autograd_teach.viz") / "static"
    data = view.data()
    # The page opens at the end of the pass, with all numbers; the buttons go back to the start.
    state = {"svg": view.page_svg, "view": data, "step": len(data.get("steps", ())), **_engine(view)}
    parts = {
        "TITLE": escape(view.title),
        "CSS": (static / "widget.css").read_text(encoding="utf-8"),
        "STATIC": view.svg or f"<pre>{escape(view.text)}</pre>",
        "TEXT": escape(view.text),
        "STATE": _script(state),
        "CODE": _script((static / "widget.js").read_text(encoding="utf-8")),
    }
    html = (static / "page.html").read_text(encoding="utf-8")
    # In one pass, so that an `@MARK@` inside a part is not replaced.
    return re.sub("@([A-Z]+)@", lambda mark: parts[mark[1]], html)


def _engine(view: View) -> dict[str, str]:
    """The layout engine's code, for a page without a picture: there is no kernel to ask for it."""
    if view.svg or view.snapshot.tangled:
        return {}
    with contextlib.suppress(OSError):  # the page then shows the text
        return {"engine": base64.b64encode(layout.browser_engine()).decode()}
    return {}


def _script(thing: Any) -> str:
    return json.dumps(thing).replace("<", "\\u003c")
