"""The interactive form of a view: one anywidget class, whose other half is static/widget.js.

The only module here that imports Jupyter's packages; imported when a view is first shown in a kernel.
"""

from __future__ import annotations

from importlib.resources import files

import anywidget
import traitlets

_STATIC = files("autograd_teach.viz") / "static"


class Widget(anywidget.AnyWidget):
    """A picture, the words for each of its nodes, and for a player the steps as changes from one to the next."""

    _esm = (_STATIC / "widget.js").read_text(encoding="utf-8")
    _css = (_STATIC / "widget.css").read_text(encoding="utf-8")

    svg = traitlets.Unicode().tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __repr__(self) -> str:
        return f"Widget({self.view.get('title', '')!r})"
