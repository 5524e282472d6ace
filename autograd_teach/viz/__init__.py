"""Seeing a graph: `viz.graph` draws it, `viz.play` steps through both passes with their arithmetic, `viz.live` lets its leaves
be moved, `viz.why` says why a gradient is what it is, `viz.save` writes a picture to a file.

`viz.compare` puts two side by side, `viz.versions` finds what was changed in place, `viz.explore` gives a function's
arguments controls, `viz.watch` records what a graph does not keep, `viz.rule` is the derivative of a node's operation.

Names only, no logic. The way of the data: snapshot (the graph's public protocol -> plain data) -> recording (the passes, and the
local derivatives) -> dot (text) -> layout (SVG) -> view (rich display, widget). The graph is read only through `grad_fn`, `name()`, `next_functions`, `variable` and
`_saved_*`, so PyTorch's own graphs draw as well as ours, and those of a reader's own engine. Nothing of Jupyter or Graphviz
is imported until it is needed.
"""

from autograd_teach.viz.compare import CompareView, compare
from autograd_teach.viz.derivatives import gradcheck_eps, jacobian
from autograd_teach.viz.explore import ExploreView, explore
from autograd_teach.viz.export import save, to_dot, to_graphviz
from autograd_teach.viz.live import LiveView, live
from autograd_teach.viz.player import PlayView, play
from autograd_teach.viz.rules import rule_of as rule
from autograd_teach.viz.versions import SavedVersion, VersionsView, versions
from autograd_teach.viz.view import GraphView, View, graph
from autograd_teach.viz.watch import watch
from autograd_teach.viz.why import WhyView, why

__all__ = [
    "CompareView", "ExploreView", "GraphView", "LiveView", "PlayView", "SavedVersion", "VersionsView", "View", "WhyView",
    "compare", "explore", "gradcheck_eps", "graph", "jacobian", "live", "play", "rule", "save", "to_dot", "to_graphviz",
    "versions", "watch", "why",
]  # fmt: skip
