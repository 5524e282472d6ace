"""`viz.graph`, the base class of all views, and their rich display.

A view is plain data. It has three forms: the widget (with a kernel and anywidget), a static SVG
picture, and plain text. A front end shows the best form that it supports. Only the widget needs
Jupyter, which is imported only then.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from autograd_teach.viz import layout, text
from autograd_teach.viz.dot import uses_lower_order, write
from autograd_teach.viz.facts import Values, shape_text
from autograd_teach.viz.fold import MOST_READ, Fold, drawable
from autograd_teach.viz.fold import fold as folding_of
from autograd_teach.viz.naming import caller_tensors, given_names
from autograd_teach.viz.rules import rule
from autograd_teach.viz.snapshot import Folded, Node, Snapshot, summed_up, take

_VALUES = ("auto", "always", "never")
_WIDGET = "application/vnd.jupyter.widget-view+json"
_MOST_TOLD = 12


def graph(
    *outputs: Any,
    names: Mapping[str, Any] | None = None,
    saved: bool = False,
    values: Values = "auto",
    orders: bool = False,
    fold: Fold = "auto",
) -> GraphView:
    """Draw the graph behind one or more tensors, from each output down to its leaves.

    The picture shows the nodes that `backward` would run through. Point at a node, or Tab to it, to
    see its shape, value and gradient. A tensor that does not require grad but shares memory with a
    tensor of the graph is shown as a cut: its value is used without its history (`detach`,
    `.data`).

    outputs: tensors, or lists of tensors, of this package or of PyTorch.
    names: names for tensors, for example `{"x": x}`. Other tensors get the names of the caller's
    variables.
    saved: also show the tensors that each operation saved for its gradient.
    values: `"auto"` shows tensors with at most 12 elements in full, larger ones as range and mean;
    `"always"` shows up to 100 elements in full; `"never"` shows only shapes.
    orders: the outputs are a value, its gradient, the gradient of the gradient, and so on, made
    with `create_graph=True`: `viz.graph(y, dx, d2x, orders=True)`. Several gradients of one order
    are in a list. Each node belongs to the first output that needs it. An edge is dotted if a
    gradient uses a value of a lower order.
    fold: fold repeated structure, such as the steps of a loop, into one box. `"auto"` folds graphs
    with more than 300 nodes and graphs that would be a tangle. A click or `view.unfold(id)` opens a
    box.

    Returns a GraphView. If the graph cannot be drawn, the view says why in a sentence. Raises
    ValueError for an unknown value of `values` or `fold`, TypeError if `names` is not a dictionary.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> x = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> viz.graph(x.abs().sum(), names={"x": x})
    output, shape (), 3
    └─ SumBackward0, shape (), 3
       └─ AbsBackward0, shape (2)
          └─ AccumulateGrad of x, shape (2), [1, -2], grad not computed yet
    """
    _known_values(values)
    if fold not in (True, False, "auto"):
        raise ValueError(f'fold must be True, False or "auto", not {fold!r}')
    known = given_names(names or {}) + caller_tensors(sys._getframe(1))
    return graph_of(outputs, known, saved, values, fold, orders)


def graph_of(
    outputs: Sequence[Any],
    known: Sequence[tuple[str, Any]],
    saved: bool = False,
    values: Values = "auto",
    fold: Fold = "auto",
    orders: bool = False,
) -> GraphView:
    """The view of a graph: whole, folded, or, if it is still too large to draw, as a summary."""
    view = GraphView(take(outputs, known, saved, values, orders, MOST_READ).snapshot, fold)
    return view if drawable(view.snapshot) else GraphView(summed_up(outputs), False)


def _known_values(values: str) -> None:
    if values not in _VALUES:
        raise ValueError(f'values must be "auto", "always" or "never", not {values!r}')


class View:
    """A picture with a rich display.

    The base class of what `viz.graph`, `viz.play` and the others return.
    """

    kind = "graph"

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @property
    def text(self) -> str:
        """The view as plain text: the same in every run, for this package and for PyTorch."""
        return text.tree(self.snapshot)

    @cached_property
    def dot(self) -> str:
        """The graph as DOT text; empty if there is nothing to draw."""
        return self._write() if self.snapshot.nodes else ""

    def _write(self) -> str:
        return write(self.snapshot)

    @cached_property
    def svg(self) -> str:
        """The static picture.

        Empty if no layout engine is installed or the graph is too tangled.
        """
        if not self.dot:
            return layout.sentences(self.snapshot.notes)
        if self.snapshot.tangled:
            return ""
        drawn = layout.render(self.dot)
        if drawn is None:
            return ""
        return layout.dress(drawn, {n.id: self._described(n) for n in self.snapshot.nodes}, self.title)

    @property
    def page_svg(self) -> str:
        """The picture for a page, which shows the notes above it."""
        return self.svg

    @property
    def title(self) -> str:
        """Alternative text: one sentence that says what the picture shows."""
        snapshot = self.snapshot
        if not snapshot.nodes:
            return " ".join(snapshot.notes)
        folded = [n.folded for n in snapshot.nodes if n.folded]
        count = sum(n.kind == "operation" for n in snapshot.nodes) + sum(box.operations for box in folded)
        leaves = [n.title for n in snapshot.nodes if n.kind == "leaf"]
        leaves += [f"{many:,} {sort}" for box in folded for sort, many in box.leaves.items()]
        number = sum(n.kind == "leaf" for n in snapshot.nodes) + sum(sum(box.leaves.values()) for box in folded)
        outputs = [n.title for n in snapshot.nodes if n.id in snapshot.outputs]
        return (
            f"Autograd graph of {_few(outputs)}: {count:,} operation{'s' * (count != 1)}, "
            f"{number:,} {'leaf' if number == 1 else 'leaves'}{': ' * bool(leaves)}{_few(leaves)}."
            + " Repeated structure is folded."
            * bool(folded)
        )

    def data(self) -> dict[str, Any]:
        """What the widget gets in addition to the picture: plain lists and texts."""
        return {
            "kind": self.kind,
            "title": self.title,
            "notes": self.snapshot.notes,
            "nodes": [
                {"id": n.id, "kind": n.kind, "title": _heading(n), "rows": self._rows(n)}
                | ({"unfolds": True} if n.folded else {})
                for n in self.snapshot.nodes
            ],
            "edges": [[e.id, e.source, e.target, e.number] for e in self.snapshot.edges],
            "dot": self.dot,
            # Without a picture the browser shows the text, and lays out the DOT text if it is not
            # too tangled.
            **({} if self.svg else {"text": self.text, "drawable": not self.snapshot.tangled}),
            **({"legend": legend} if (legend := self._legend()) else {}),
            **self._more(),
        }

    def _rows(self, node: Node) -> list[list[str]]:
        return rows(node, self.snapshot.show_saved, self.snapshot.names)

    def _described(self, node: Node) -> str:
        """A node as text of several lines, for the static picture."""
        return describe(node, rows(node, bool(node.saved), self.snapshot.names))

    def _legend(self) -> list[list[str]]:
        """Further entries of the legend: the class of a sign, and its text."""
        shot, entries = self.snapshot, []
        for order in sorted({node.order for node in shot.nodes if shot.orders and node.order}):
            shape, what = ("eight", "the gradient") if order == 1 else ("six", "the gradient of a gradient")
            entries.append([f"order{min(order, 2)}", f"order {order}: only {what} needs it ({shape} corners)"])
        if any(uses_lower_order(shot, edge) for edge in shot.edges):
            entries.append(["uses", "uses a value of a lower order (dotted)"])
        if shot.cuts:
            entries.append(["cut", "cut: the value went on without its history (dashed, ends in a bar)"])
        return entries

    def _heard(self, message: Any) -> None:
        """Handle a message of the browser; some subclasses do."""

    def _more(self) -> dict[str, Any]:
        return {}

    @cached_property
    def widget(self) -> Any:
        """The interactive form, an anywidget. Raises ImportError if anywidget is not installed."""
        from autograd_teach.viz.widget import Widget

        data = self.data()
        widget = Widget(svg=self.page_svg, view=data, step=data.get("first", 0))
        widget.on_msg(lambda _, content, buffers: self._heard(content))
        return widget

    def _renew(self, widget: Any) -> None:
        """Draw again after the snapshot changed; also in the widget, if there is one."""
        for stale in ("dot", "svg"):
            self.__dict__.pop(stale, None)
        if widget is not None:
            widget.show(self.page_svg, self.data())

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": self.text}
        if self.svg:
            bundle["image/svg+xml"] = self.svg
        if _in_kernel():
            try:
                bundle[_WIDGET] = {
                    "version_major": 2,
                    "version_minor": 0,
                    "model_id": self.widget.model_id,
                    "autograd_teach": True,  # viz/jupyter recognises its own widgets by this key
                }
            except ImportError:
                pass  # the picture and the text work without it
        return bundle


class GraphView(View):
    """The picture of a graph; boxes with folded structure can be opened."""

    def __init__(self, snapshot: Snapshot, fold: Fold = "auto") -> None:
        super().__init__(snapshot)
        self._folding = folding_of(snapshot, fold)
        self._opened = False
        if self._folding is not None:
            self.snapshot = self._folding.snapshot()

    def unfold(self, node_id: str) -> None:
        """Open one box: show its first and last repetition, and a box for those between them.

        node_id: the id of the box, as in `viz.to_dot`: `"n12"`.

        A box with at most 30 nodes opens as a whole. The view and its widget change in place.
        Raises KeyError if there is no box with this id.

        >>> import autograd_teach as torch
        >>> from autograd_teach import viz
        >>> x = torch.tensor(1.0, requires_grad=True)
        >>> y = x
        >>> for _ in range(50):
        ...     y = y.tanh().exp()
        >>> view = viz.graph(y, names={"x": x}, fold=True)
        >>> view
        output y, shape (), 2.694
        └─ 49 x (ExpBackward0, TanhBackward0), 98 operations folded, shape () each
           └─ ExpBackward0 #50, shape (), 2.142
              └─ TanhBackward0 #50, shape (), 0.7616
                 └─ AccumulateGrad of x, shape (), 1, grad not computed yet
        >>> view.unfold("n1")
        >>> [node.title for node in view.snapshot.nodes][1:5]
        ['ExpBackward0 #1', 'TanhBackward0 #1', '47 x (ExpBackward0, TanhBackward0)', 'ExpBackward0 #49']
        """
        if self._folding is None:
            raise KeyError(f"there is no box {node_id!r} to unfold: nothing is folded")
        self._folding.unfold(node_id)
        self._opened = True
        self._show_again()

    def refold(self) -> None:
        """Fold everything that was unfolded."""
        if self._folding is not None:
            self._folding.refold()
            self._opened = False
            self._show_again()

    def _more(self) -> dict[str, Any]:
        return {"refolds": True} if self._opened else {}

    def _show_again(self) -> None:
        assert self._folding is not None
        self.snapshot = self._folding.snapshot()
        self._renew(self.__dict__.get("widget"))

    def _heard(self, message: Any) -> None:
        """Handle a browser's message: `{"type": "unfold", "id": "n12"}`, `{"type": "refold"}`."""
        if not isinstance(message, dict):
            return
        if message.get("type") == "refold":
            self.refold()
        elif message.get("type") == "unfold":
            try:
                self.unfold(str(message.get("id")))
            except KeyError:
                pass  # a second click on a box that is already open


def _few(names: list[str]) -> str:
    more = [f"{len(names) - _MOST_TOLD:,} more"] if len(names) > _MOST_TOLD else []
    return ", ".join(names[:_MOST_TOLD] + more)


def _fold_rows(node: Node, folded: Folded) -> list[list[str]]:
    if not folded.operations:
        return [["folded", f"{folded.times:,} leaves of the same kind, each used once by the same operation"]]
    one = folded.operations // folded.times
    found = [
        ["repeats", f"{folded.times:,} times, equal in names, shapes and edges"],
        [
            "one time",
            ", ".join(folded.names[:_MOST_TOLD]),
        ],
        ["operations", f"{one:,} each time, {folded.operations:,} in all"],
    ]
    if len(folded.pattern) > _MOST_TOLD:
        found[1][1] += f", {len(folded.pattern) - _MOST_TOLD:,} more"
    if node.shape is not None:
        found.append(["shape", f"{shape_text(node.shape)} each"])
    found += [["leaves", f"{many:,} {sort}, a different one each time"] for sort, many in folded.leaves.items()]
    if folded.odd:
        found.append(["not finite", f"{folded.odd:,} of the results"])
    return found


@cache
def _rule_text(name: str, names: frozenset[str]) -> str:
    """What a node's operation computes, and its local derivative, in lines.

    Empty if no rule is known.
    """
    known = rule(name)
    return "" if known is None else str(known.beside(names)).partition(": ")[2].replace("\n  ", "\n")


def rows(node: Node, show_saved: bool, names: frozenset[str]) -> list[list[str]]:
    """The details of a node that the widget shows, as pairs of a heading and a text.

    `names`: names of the program, which letters in formulas must not be.
    """
    if node.folded is not None:
        state = [["state", "freed: a backward pass ran through here"]] * node.freed
        return [*_fold_rows(node, node.folded), *state, ["in Python", f'view.unfold("{node.id}")']]
    if node.kind == "constant" and node.value is None:
        return [
            [
                "gradient",
                "None: this argument does not require grad (a plain number, or a tensor without the flag)",
            ]
        ]
    found = [["shape", shape_text(node.shape) if node.shape is not None else node.shapes or "not known"]]
    # A backward node does not have a value: the row shows the result of its forward operation.
    head = "result" if node.kind == "operation" else "value"
    if node.value is not None:
        found[0][1] += f", {node.value.dtype}"
        kept = " (recorded here; PyTorch does not keep this)" * node.recorded
        found.append([head, (node.value.text or "not shown") + kept])
        if node.value.odd:
            found.append(["not finite", node.value.odd])
    else:
        found.append([head, "not kept by the graph"])
    if node.kind == "operation" and (told := _rule_text(node.name, names)):
        found.append(["rule", told])
    if node.kind in ("leaf", "constant"):
        found.append(["requires_grad", str(node.requires_grad)])
    if node.cut:
        found.append(["cut", f"{node.cut}: no gradient goes back from here to there"])
    elif node.kind == "constant":
        found.append(["history", "none: no operation was recorded that made it"])
    if node.order:
        found.append(["order", str(node.order)])
    if node.mark and not node.stale:
        found.append(["mark", node.mark])
    found.append(["gradient", node.grad.text or str(node.grad) if node.grad is not None else node.grad_text])
    if node.place is not None:
        found.append(["line", f"{node.place[1]}: {node.source}"])
    for entry in node.saved:
        found.append(
            [
                f"saved {entry.name}",
                f"{entry.variable}: {entry.text}" if entry.variable else entry.text,
            ]
        )
    if show_saved and node.kind == "operation" and not node.saved:
        found.append(["saved", "gone: the graph is freed" if node.freed else "nothing"])
    if node.freed:
        found.append(["state", "freed: a backward pass ran through here"])
    if node.stale:
        found.append(["state", "a saved tensor was changed in place: backward will raise here"])
    return found


def _heading(node: Node) -> str:
    if node.kind == "leaf":
        return f"{node.title}, a leaf" + ("" if node.name == "leaf" else f" ({node.name})")
    if node.kind == "output":
        return f"{node.title}, an output"
    return node.title


def describe(node: Node, told: list[list[str]]) -> str:
    """A node as text of several lines, for a page without scripts.

    `told`: the details that the view shows.
    """
    return "\n".join([_heading(node), *(f"{head}: {body}" for head, body in told)])


def _in_kernel() -> bool:
    """Whether this process is a Jupyter kernel, which a widget needs."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    return getattr(shell.get_ipython(), "kernel", None) is not None
