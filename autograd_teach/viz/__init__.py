"""Views of a graph.

- `viz.graph` draws the graph of a tensor.
- `viz.play` steps through the forward and the backward pass, with the arithmetic of each step.
- `viz.live` puts a slider into each leaf; values and gradients follow.
- `viz.why` explains one gradient.
- `viz.rule` shows the derivative of a node's operation.
- `viz.compare` draws two graphs side by side.
- `viz.versions` lists the saved tensors of a graph and finds those changed in place.
- `viz.explore` gives the arguments of a function controls.
- `viz.watch` records what a graph does not keep: intermediate values and lines of code.
- `viz.jacobian` and `viz.gradcheck_eps` compare a derivative with finite differences.
- `viz.save`, `viz.to_dot` and `viz.to_graphviz` write a picture.

This module holds names only. The data flow: snapshot (the graph's public protocol -> plain data)
-> recording (the passes and the local derivatives) -> dot (text) -> layout (SVG) -> view (rich
display, widget). A graph is read only through `grad_fn`, `name()`, `next_functions`, `variable` and
`_saved_*`. That is why the views also work for graphs of PyTorch and of a reader's own engine.
Jupyter and Graphviz are imported only when they are needed.
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
