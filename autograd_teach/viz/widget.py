"""The interactive form of a view: one anywidget class, whose other half is static/widget.js.

The only module here that imports Jupyter's packages; imported when a view is first shown in a kernel.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from autograd_teach.viz import layout

_STATIC = files("autograd_teach.viz") / "static"


class Widget(anywidget.AnyWidget):
    """A picture, the words for each of its nodes, and for a player the steps as changes from one to the next.

    Give it another `svg` and `view`, and it draws anew in its place: `show` sets both with one message. What the browser
    sends comes to `on_msg`; a view that can unfold its nodes listens there for `{"type": "unfold", "id": ...}`.
    """

    _esm = (_STATIC / "widget.js").read_text(encoding="utf-8")
    _css = (_STATIC / "widget.css").read_text(encoding="utf-8")

    svg = traitlets.Unicode().tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    numbers = traitlets.Dict().tag(sync=True)
    """Of a picture whose leaves can be moved: what has changed since it was drawn."""

    def __init__(self, **state: Any) -> None:
        super().__init__(**state)
        self.on_msg(_send_engine)

    def show(self, svg: str, view: dict[str, Any]) -> None:
        """Another picture in the same place, of whatever kind; a player starts from its first step."""
        with self.hold_sync():
            self.svg, self.view, self.step = svg, view, view.get("first", 0)

    def __repr__(self) -> str:
        return f"Widget({self.view.get('title', '')!r})"


def _send_engine(widget: Widget, message: dict[str, Any], _buffers: Any) -> None:
    """A browser without a picture asks for Graphviz: sent once a page, and never part of a widget's state."""
    if message.get("type") != "engine":
        return
    try:
        widget.send({"type": "engine"}, buffers=[layout.browser_engine()])
    except OSError as error:
        widget.send({"type": "engine", "error": f"Graphviz is not in this installation: {error.strerror}"})
