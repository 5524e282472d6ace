"""The interactive form of a view: an anywidget class; static/widget.js is its part in the browser.

Only this module imports Jupyter's packages. It is imported when a view is first shown in a kernel.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from autograd_teach.viz import layout

_STATIC = files("autograd_teach.viz") / "static"


class Widget(anywidget.AnyWidget):
    """A picture, the texts of its nodes, and, for a player, its steps as changes.

    `show` sets `svg` and `view` in one message, and the browser draws again in the same place.
    Messages of the browser come to `on_msg`; a view with folded nodes listens there for `{"type":
    "unfold", "id": ...}`.
    """

    _esm = (_STATIC / "widget.js").read_text(encoding="utf-8")
    _css = (_STATIC / "widget.css").read_text(encoding="utf-8")

    svg = traitlets.Unicode().tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    numbers = traitlets.Dict().tag(sync=True)
    """For `viz.live`: what has changed since the picture was drawn."""

    def __init__(self, **state: Any) -> None:
        super().__init__(**state)
        self.on_msg(_send_engine)

    def show(self, svg: str, view: dict[str, Any]) -> None:
        """Show another picture in the same place; a player starts at its first step."""
        with self.hold_sync():
            self.svg, self.view, self.step = svg, view, view.get("first", 0)

    def __repr__(self) -> str:
        return f"Widget({self.view.get('title', '')!r})"


def _send_engine(widget: Widget, message: dict[str, Any], _buffers: Any) -> None:
    """Send Graphviz to a browser that asks for it: once for each page, not as widget state."""
    if message.get("type") != "engine":
        return
    try:
        widget.send({"type": "engine"}, buffers=[layout.browser_engine()])
    except OSError as error:
        widget.send({"type": "engine", "error": f"Graphviz is not in this installation: {error.strerror}"})
