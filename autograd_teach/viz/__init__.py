"""Seeing a graph: `viz.graph` draws it, `viz.play` steps through its backward pass, `viz.save` writes it to a file.

`viz.compare` puts two side by side, `viz.versions` finds what was changed in place, `viz.explore` gives a function's
arguments controls.

Names only, no logic. The way of the data: snapshot (the graph's public protocol -> plain data) -> dot (text) -> layout
(SVG) -> view (rich display, widget). The graph is read only through `grad_fn`, `name()`, `next_functions`, `variable` and
`_saved_*`, so PyTorch's own graphs draw as well as ours, and those of a reader's own engine. Nothing of Jupyter or Graphviz
is imported until it is needed.
"""

from autograd_teach.viz.compare import CompareView, compare
from autograd_teach.viz.derivatives import gradcheck_eps, jacobian
from autograd_teach.viz.explore import ExploreView, explore
from autograd_teach.viz.export import save, to_dot, to_graphviz
from autograd_teach.viz.versions import SavedVersion, VersionsView, versions
from autograd_teach.viz.view import GraphView, PlayView, View, graph, play

__all__ = [
    "CompareView", "ExploreView", "GraphView", "PlayView", "SavedVersion", "VersionsView", "View", "compare", "explore",
    "gradcheck_eps", "graph", "jacobian", "play", "save", "to_dot", "to_graphviz", "versions",
]  # fmt: skip
