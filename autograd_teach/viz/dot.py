"""A snapshot as DOT text. Deterministic: the same graph gives the same bytes, whoever built it.

The colours here are the light ones, so that the picture reads well where no style sheet reaches it. Each kind of node
differs by more than colour: an output has a double line, a leaf a thick one and round corners, what takes no gradient a
dashed one. Knows nothing of layout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from autograd_teach.viz.facts import shape_text
from autograd_teach.viz.snapshot import Edge, Folded, Node, Snapshot

FONT = "Helvetica,Arial,sans-serif"
_LONGEST_LINE = 36
_MOST_NAMES = 6
_MANY_NODES, _MANY_ROWS = 300, 800

_ORDERS = ("", "octagon", "hexagon")  # of the value, of its gradient, of that one's gradients

_LOOK = {
    "output": 'shape=box style="filled" peripheries=2 color="#009E73" fillcolor="#E3F5EF" penwidth=1.5',
    "operation": 'shape=box style="filled" color="#6B6B6B" fillcolor="#F2F2F2" penwidth=1',
    "leaf": 'shape=box style="filled,rounded" color="#0072B2" fillcolor="#E1F0FA" penwidth=2.6',
    "fold": 'shape=box3d style="filled" color="#A4487F" fillcolor="#F9EDF4" penwidth=1.5',
    "constant": 'shape=ellipse style="filled,dashed" color="#767676" fillcolor="#FFFFFF" fontcolor="#555555" penwidth=1',
}


@dataclass(frozen=True)
class Part:
    """What a player adds to a node: the step at which it runs, what it waits for, and a leaf's `.grad` at the end."""

    step: int
    waits_for: int
    grad_after: str = ""


def write(snapshot: Snapshot, parts: Mapping[str, Part] | None = None) -> str:
    """The DOT text of a snapshot; for a player, with each node's part in the backward pass."""
    ranks = 0.4 if parts else 0.26  # a player writes on the edges what travels there
    lines = [
        "digraph autograd {",
        f'  graph [rankdir=TB bgcolor="white" ranksep={ranks} nodesep=0.28 pad=0.15{_effort(snapshot)}]',
        f'  node [fontname="{FONT}" fontsize=11 margin="0.13,0.06" height=0.3 width=0.5 fontcolor="#1A1A1A"]',
        f'  edge [fontname="{FONT}" fontsize=10 color="#555555" fontcolor="#333333" arrowsize=0.7]',
    ]
    lines += [_node(node, (parts or {}).get(node.id)) for node in snapshot.nodes]
    together = Counter((edge.source, edge.target) for edge in snapshot.edges)
    lines += [_edge(snapshot, edge, together[edge.source, edge.target] > 1) for edge in snapshot.edges]
    lines += [_cut(edge) for edge in snapshot.cuts]
    lines += [_cluster(place, *cluster) for place, cluster in enumerate(snapshot.clusters)]
    return "\n".join([*lines, "}", ""])


def _effort(snapshot: Snapshot) -> str:
    """Arguments in their order where that is cheap; in a large or tangled graph, less effort for a good layout."""
    if len(snapshot.nodes) > _MANY_NODES or snapshot.rows_passed > _MANY_ROWS:
        return " splines=line mclimit=0.1 nslimit=0.2 nslimit1=0.2"
    return " ordering=out"


def _node(node: Node, part: Part | None) -> str:
    classes = ["agt-node", f"agt-{node.kind}"] + ["agt-freed"] * node.freed + ["agt-stale"] * node.stale
    look = _LOOK[node.kind]
    if node.order and node.kind == "operation":
        shape = _ORDERS[min(node.order, len(_ORDERS) - 1)]
        look = f'shape={shape} style="filled" color="#CC79A7" fillcolor="#F2F2F2" penwidth=1.6 margin="0,0"'
        classes.append("agt-higher")
    if node.freed:
        look = 'shape=box style="filled,dashed" color="#9A9A9A" fillcolor="#FAFAFA" fontcolor="#6B6B6B" penwidth=1'
    if node.stale:
        look = 'shape=box style="filled,bold" color="#D55E00" fillcolor="#FBE9DD" penwidth=2.6'
    if node.mark:
        shape = "ellipse" if node.kind == "constant" else "box"
        corners = ",rounded" * (node.kind == "leaf")
        look = f'shape={shape} style="filled,dashed{corners}" color="#D55E00" fillcolor="#FBE9DD" penwidth=2.6'
        classes.append("agt-marked")
    return f"  {node.id} [id={quote(node.id)} class={quote(' '.join(classes))} label={quote(label(node, part))} {look}]"


def _edge(snapshot: Snapshot, edge: Edge, parallel: bool) -> str:
    kinds = snapshot.node(edge.source).kind, snapshot.node(edge.target)
    more, classes = "", "agt-edge"
    if uses_lower_order(snapshot, edge):
        more, classes = ' style=dotted penwidth=2 color="#CC79A7"', "agt-edge agt-uses"
    elif kinds[0] == "output":
        more = ' style=bold arrowhead=none color="#009E73"'
    elif kinds[1].kind == "constant":
        more = ' style=dashed arrowhead=none color="#8A8A8A"'
    if edge.number and edge.count == 1:
        # A label in the middle has room of its own, but would press parallel edges into one.
        place = "headlabel={} labeldistance=1.5 labelangle=-50" if parallel else "label={}"
        more += " " + place.format(quote(f"   {edge.number}" if not parallel else str(edge.number)))
    if edge.count > 1:
        more += f" label={quote(f'  {edge.count:,} edges')} penwidth=2.2"
    return f"  {edge.source} -> {edge.target} [id={quote(edge.id)} class={quote(classes)}{more}]"


def uses_lower_order(snapshot: Snapshot, edge: Edge) -> bool:
    """Whether by this edge a gradient's graph hangs on the graph below it: a node that uses a value of a lower order."""
    source, target = snapshot.node(edge.source), snapshot.node(edge.target)
    return snapshot.orders and target.kind != "constant" and target.order < source.order and source.kind != "output"


def _cut(edge: Edge) -> str:
    """From a tensor without history to whose value it is: dashed, with a bar in place of an arrow's head."""
    look = 'style=dashed dir=both arrowhead=tee arrowtail=none color="#D55E00" label="  cut" fontcolor="#A34700"'
    return f"  {edge.source} -> {edge.target} [id={quote(edge.id)} class={quote('agt-edge agt-cut')} {look}]"


def _cluster(place: int, title: str, members: list[str]) -> str:
    look = f'id="cluster{place}" class="agt-cluster" style="rounded,dashed" color="#8A8A8A" bgcolor=transparent fontsize=13 margin=12'
    return f"  subgraph cluster_{place} {{ graph [label={quote(clip(title))} {look}] {'; '.join(members)} }}"


def label(node: Node, part: Part | None = None) -> str:
    """What stands in the node: its name, then shape and short values."""
    before = f"{part.step}. " if part is not None else ""
    if node.kind == "constant" and node.value is None:
        return "\n".join(["None", *[node.mark] * bool(node.mark)])
    if node.folded is not None:
        return "\n".join(_fold_lines(node, node.folded))
    own = node.title if node.kind in ("leaf", "output") else node.name
    if node.kind == "operation" and " #" in node.title:
        own += node.title[node.title.rindex(" #") :]  # the number by which all else tells it from others of its name
    lines = [before + clip(own)]
    if node.kind == "constant":
        lines = [clip(node.variable or "tensor")]
    elif node.kind == "operation" and node.variable:
        lines[0] += f"  ({clip(node.variable)})"
    shape = node.shape
    if shape is not None and (part is None or node.kind != "operation"):  # a player's operations say what they wait for
        value = node.value
        fits = value is not None and value.in_full and value.short == value.text
        lines.append(f"= {value.short}" if value is not None and fits and value.short else f"shape {shape_text(shape)}")
    if node.kind == "leaf":
        lines[0] += "" if node.name == "leaf" else f" ({node.name})"
        # The box is made for the longer of what stands there now and at the end of the backward pass.
        lines.append(max(grad_line(node), clip(f"grad {part.grad_after}") if part else "", key=len))
    if node.kind == "constant":
        lines += node.cut.replace(", ", ",\n").splitlines() or ["requires_grad=False"]
    elif node.cut:
        lines += node.cut.replace(", ", ",\n").splitlines()
    if node.order:
        lines.append(f"order {node.order}")
    lines += [clip(line) for line in [*node.lines, node.mark] if line]
    if node.saved:
        lines.append(clip("saved: " + ", ".join(entry.variable or entry.name for entry in node.saved)))
    if node.freed:
        lines.append("freed")
    if node.stale and not node.mark:
        lines.append("saved tensor changed")
    if part is not None:
        lines.append(f"0 of {part.waits_for} gradient{'s' * (part.waits_for != 1)}")
    return "\n".join(lines)


def _fold_lines(node: Node, folded: Folded) -> list[str]:
    if not folded.operations:
        return [folded.name]
    names = folded.names
    if len(names) == 1:
        lines = [clip(folded.name)]
    else:
        shown = names if len(names) <= _MOST_NAMES + 1 else [*names[:_MOST_NAMES], f"{len(names) - _MOST_NAMES} more"]
        lines = [f"{folded.times:,} times", *(clip(name) for name in shown)]
    if node.shape is not None:
        lines.append(f"shape {shape_text(node.shape)} each")
    lines += [clip(f"with {count:,} leaves {sort}") for sort, count in folded.leaves.items()][:3]
    return [*lines, *["freed"] * node.freed]


def grad_line(node: Node) -> str:
    """The line of a leaf that says its gradient."""
    return clip(f"grad {node.grad.short or node.grad}" if node.grad is not None else f"grad {node.grad_text}")


def clip(text: str) -> str:
    """Text short enough for a node.

    >>> len(clip("a" * 50))
    36
    """
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"


def quote(text: str) -> str:
    """A DOT string that shows `text` as it is: no escape, entity or control character of DOT survives in it."""
    clean = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    for old, new in (
        ("\\", "\\\\"),
        ('"', '\\"'),
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("\n", "\\n"),
    ):
        clean = clean.replace(old, new)
    return f'"{clean}"'
