"""Seeing a graph: `viz.graph` draws it, `viz.play` steps through its backward pass, `viz.save` writes it to a file.

Names only, no logic. The way of the data: snapshot (the graph's public protocol -> plain data) -> dot (text) -> layout
(SVG) -> view (rich display, widget). The graph is read only through `grad_fn`, `name()`, `next_functions`, `variable` and
`_saved_*`, so PyTorch's own graphs draw as well as ours. Nothing of Jupyter or Graphviz is imported until it is needed.
"""

from autograd_teach.viz.export import save, to_dot, to_graphviz
from autograd_teach.viz.view import GraphView, PlayView, View, graph, play

__all__ = ["GraphView", "PlayView", "View", "graph", "play", "save", "to_dot", "to_graphviz"]
