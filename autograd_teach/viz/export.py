"""Out of the notebook: DOT text, a `graphviz.Source`, and files for slides and pages."""

from __future__ import annotations

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
from autograd_teach.viz.naming import caller_tensors
from autograd_teach.viz.snapshot import take
from autograd_teach.viz.view import GraphView, View

_ENDINGS = (".svg", ".dot", ".png", ".pdf", ".html")


def to_dot(view_or_tensor: Any) -> str:
    """The picture as DOT text, the language of Graphviz; the same graph always gives the same text.

    Takes a view or a tensor. Raises ValueError where there is no graph to draw.

    >>> import autograd_teach as torch
    >>> to_dot(torch.tensor(2.0, requires_grad=True) * 3).splitlines()[0]
    'digraph autograd {'
    """
    return _dot(_as_view(view_or_tensor, sys._getframe(1)))


def to_graphviz(view_or_tensor: Any) -> Any:
    """The picture as a `graphviz.Source` of the graphviz package, to be styled or rendered further there.

    Takes a view or a tensor. Raises ValueError where there is no graph to draw, ImportError without the graphviz package.
    """
    import graphviz

    return graphviz.Source(_dot(_as_view(view_or_tensor, sys._getframe(1))))


def save(view_or_tensor: Any, path: str | os.PathLike[str]) -> Path:
    """Write the picture to a file, by its ending: `.svg`, `.dot`, `.png`, `.pdf`, or `.html` (one interactive page, offline).

    Returns the path. Raises ValueError for another ending, where there is no graph, or where no layout engine is installed.

    >>> import autograd_teach as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(x * x, f"{folder}/square.dot").name
    'square.dot'
    """
    view, target = _as_view(view_or_tensor, sys._getframe(1)), Path(path)
    ending = target.suffix.lower()
    if ending not in _ENDINGS:
        raise ValueError(f"cannot tell from {target.name!r} what to write: let the name end in {', '.join(_ENDINGS)}")
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
        raise ValueError(f"no layout engine here can write {ending}: pip install pygraphviz, or install Graphviz (dot)")
    replace(target, content)
    return target


def _as_view(thing: Any, frame: FrameType) -> View:
    return thing if isinstance(thing, View) else GraphView(take([thing], caller_tensors(frame)).snapshot)


def _dot(view: View) -> str:
    if not view.dot:
        raise ValueError(" ".join(view.snapshot.notes))
    return view.dot


def page(view: View) -> str:
    """One HTML page with the widget in it that needs no kernel and no network; without scripts it shows the static picture."""
    static = files("autograd_teach.viz") / "static"
    state = {"svg": view.svg, "view": view.data(), "step": 0}
    parts = {
        "TITLE": escape(view.title),
        "CSS": (static / "widget.css").read_text(encoding="utf-8"),
        "STATIC": view.svg or f"<pre>{escape(view.text)}</pre>",
        "TEXT": escape(view.text),
        "STATE": _script(state),
        "CODE": _script((static / "widget.js").read_text(encoding="utf-8")),
    }
    html = (static / "page.html").read_text(encoding="utf-8")
    # In one pass, so that a mark inside a part stays what it is.
    return re.sub("@([A-Z]+)@", lambda mark: parts[mark[1]], html)


def _script(thing: Any) -> str:
    return json.dumps(thing).replace("<", "\\u003c")
