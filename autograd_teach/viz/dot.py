"""A snapshot as DOT text: the same graph gives the same bytes, whichever engine built it.

The colours here are those of a light page, so that the picture is readable without a style sheet.
No kind of node differs by colour alone: an output has a double border, a leaf a thick border and
round corners, a constant a dashed border. This module does not lay out anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from autograd_teach.viz.facts import shape_text
from autograd_teach.viz.snapshot import Edge, Folded, Node, Snapshot
from autograd_teach.viz.text_width import width

FONT = "Helvetica,Arial,sans-serif"
_FONT_SIZE, _MARGIN = 11, 0.13  # points; inches on each side of a label
_LONGEST_LINE = 36
_MOST_NAMES = 6
_MANY_NODES, _MANY_ROWS, _MANY_ROWS_HIGH = 300, 800, 14
_LEAST_MARGIN = 0.07
_ROUND_MARGIN = {"constant": 0.16}  # an ellipse is narrower above and below its middle
_ROOM_TO_CHANGE, _ROOM_FOR_CONTROL = 60, 150  # points
READY, COMPUTED, NOT_COMPUTED = "ready to run", "computed now", "not computed yet"
"""Last lines of a player's node (static/widget.js), in the backward and in the forward pass.

`NOT_COMPUTED` is the widest, even if the others are bold."""

_ORDERS = ("", "octagon", "hexagon")  # shapes for the orders 0, 1, and 2 or higher

_LOOK = {
    "output": 'shape=box style="filled" peripheries=2 color="#009E73" fillcolor="#E3F5EF" penwidth=1.5',
    "operation": 'shape=box style="filled" color="#6B6B6B" fillcolor="#F2F2F2" penwidth=1',
    "leaf": 'shape=box style="filled,rounded" color="#0072B2" fillcolor="#E1F0FA" penwidth=2.6',
    "fold": 'shape=box3d style="filled" color="#A4487F" fillcolor="#F9EDF4" penwidth=1.5',
    "constant": 'shape=ellipse style="filled,dashed" color="#767676" fillcolor="#FFFFFF" fontcolor="#555555" penwidth=1',
}


@dataclass(frozen=True)
class Part:
    """What a player adds to a node: its step, how many gradients it waits for, its text."""

    step: int
    waits_for: int
    grad_after: str = ""
    """A leaf's `.grad` at the end."""
    end: str = ""
    """The last line when the pass is over: the incoming gradient."""
    computes: str = ""
    """What the operation computed, as a formula in the names of its arguments."""
    controls: tuple[str, ...] = ()
    """For a leaf with sliders: a line for each entry; the page puts the control in its place."""


@dataclass(frozen=True)
class Flow:
    """What a player writes at an edge: the lines of the arithmetic, and the thickness."""

    lines: tuple[str, ...]
    thickness: float
    """In points; 0 if the gradient is zero."""


def write(
    snapshot: Snapshot,
    parts: Mapping[str, Part] | None = None,
    flows: Mapping[str, Flow] | None = None,
    roomy: bool = False,
) -> str:
    """The DOT text of a snapshot.

    `parts` and `flows`: what a player adds to the nodes and edges, as at the end of the pass.
    `roomy`: leave space in each box, because the numbers will change.
    """
    # The ranks of a tall picture are closer, so that its leaves stay visible.
    ranks = 0.3 if parts else 0.26 if snapshot.rows <= _MANY_ROWS_HIGH else 0.12
    lines = [
        "digraph autograd {",
        f'  graph [rankdir=TB bgcolor="white" ranksep={ranks} nodesep=0.28 pad=0.15{_effort(snapshot)}]',
        f'  node [fontname="{FONT}" fontsize={_FONT_SIZE} margin="{_MARGIN},0.06" height=0.3 width=0.5 fontcolor="#1A1A1A"]',
        f'  edge [fontname="{FONT}" fontsize=10 color="#555555" fontcolor="#333333" arrowsize=0.7]',
    ]
    lines += [_node(node, (parts or {}).get(node.id), roomy) for node in snapshot.nodes]
    together = Counter((edge.source, edge.target) for edge in snapshot.edges)
    for edge in snapshot.edges:
        flow = (flows or {}).get(edge.id)
        lines.append(_edge(snapshot, edge, together[edge.source, edge.target] > 1, flow))
    lines += [_cut(edge) for edge in snapshot.cuts]
    lines += [_cluster(place, *cluster) for place, cluster in enumerate(snapshot.clusters)]
    return "\n".join([*lines, "}", ""])


def _effort(snapshot: Snapshot) -> str:
    """Keep the order of arguments if that is cheap.

    In a large or tangled graph, spend less time on the layout.
    """
    if len(snapshot.nodes) > _MANY_NODES or snapshot.rows_passed > _MANY_ROWS:
        return " splines=line mclimit=0.1 nslimit=0.2 nslimit1=0.2"
    return " ordering=out"


def _node(node: Node, part: Part | None, roomy: bool) -> str:
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
    named = f"id={quote(node.id)} class={quote(' '.join(classes))}"
    room = f"width={_room(node, part, roomy):.2f}"
    return f"  {node.id} [{named} label={quote(label(node, part))} {room} {look}]"


def _room(node: Node, part: Part | None, roomy: bool) -> float:
    """The width of a box in inches, in any font and for every line that a player writes into it."""
    lines = label(node, part).splitlines()
    others = [] if part is None else [waiting_line(part.waits_for, part.waits_for), READY, NOT_COMPUTED]
    others += [grad_line(node)] if part is not None and node.kind == "leaf" else []
    bold = {0} if node.kind in ("leaf", "output") else set()
    bold |= {len(lines) - 1} if part is not None else set()  # the last line is bold while the node runs
    widest = max(width(line, _FONT_SIZE, i in bold) for i, line in enumerate(lines))
    widest = max([widest, *(width(line, _FONT_SIZE) for line in others)])
    if roomy and node.kind != "constant":  # the old numbers will be shown beside the new ones
        widest = max(widest + _ROOM_TO_CHANGE, _ROOM_FOR_CONTROL if part is not None and part.controls else 0)
    return widest / 72 + 2 * _ROUND_MARGIN.get(node.kind, _LEAST_MARGIN)


def _edge(snapshot: Snapshot, edge: Edge, parallel: bool, flow: Flow | None = None) -> str:
    kinds = snapshot.node(edge.source).kind, snapshot.node(edge.target)
    more, classes = "", "agt-edge"
    if uses_lower_order(snapshot, edge):
        more, classes = ' style=dotted penwidth=2 color="#CC79A7"', "agt-edge agt-uses"
    elif kinds[0] == "output":
        more = ' style=bold arrowhead=none color="#009E73"'
    elif kinds[1].kind == "constant":
        more = ' style=dashed arrowhead=none color="#8A8A8A"'
    if edge.number and edge.count == 1:
        # A label in the middle gets its own space, but would merge parallel edges into one.
        place = "headlabel={} labeldistance=1.5 labelangle=-50" if parallel else "label={}"
        more += " " + place.format(quote(f"   {edge.number}" if not parallel else str(edge.number)))
    if flow is not None:
        # The blanks keep the text away from the line and its head. A dotted line means zero.
        blanks = " " * (2 + round(flow.thickness / 2))
        said = "\n".join(
            f"{blanks}{line} " for line in ([f"output {edge.number}"] if edge.number else []) + list(flow.lines)
        )
        more = more.partition(" label=")[0].partition(" headlabel=")[0]
        more += f" label={quote(said)} penwidth={flow.thickness or 1:.1f}" + " style=dotted" * (not flow.thickness)
        classes += " agt-flow"
    if edge.count > 1:
        more += f" label={quote(f'  {edge.count:,} edges')} penwidth=2.2"
    return f"  {edge.source} -> {edge.target} [id={quote(edge.id)} class={quote(classes)}{more}]"


def uses_lower_order(snapshot: Snapshot, edge: Edge) -> bool:
    """Whether this edge leads from a gradient's graph to a node of lower order, whose value it uses."""
    source, target = snapshot.node(edge.source), snapshot.node(edge.target)
    return snapshot.orders and target.kind != "constant" and target.order < source.order and source.kind != "output"


def _cut(edge: Edge) -> str:
    """An edge from a tensor without history to the tensor whose value it holds: dashed, with a bar."""
    look = 'style=dashed dir=both arrowhead=tee arrowtail=none color="#D55E00" label="  cut" fontcolor="#A34700"'
    return f"  {edge.source} -> {edge.target} [id={quote(edge.id)} class={quote('agt-edge agt-cut')} {look}]"


def _cluster(place: int, title: str, members: list[str]) -> str:
    look = f'id="cluster{place}" class="agt-cluster" style="rounded,dashed" color="#8A8A8A" bgcolor=transparent fontsize=13 margin=12'
    return f"  subgraph cluster_{place} {{ graph [label={quote(clip(title))} {look}] {'; '.join(members)} }}"


def label(node: Node, part: Part | None = None) -> str:
    """The text of a node: its name, then its shape or short values.

    In a player, also the end of the pass.
    """
    if node.kind == "constant":
        return "\n".join(_constant_lines(node))
    if node.folded is not None:
        return "\n".join(_fold_lines(node, node.folded))
    own = node.title if node.kind in ("leaf", "output") else node.name
    if node.kind == "operation" and " #" in node.title:
        own += node.title[node.title.rindex(" #") :]  # the number that separates nodes of one name
    lines = [(f"{part.step}. " if part is not None and part.step else "") + clip(own)]
    if node.kind == "operation" and node.variable:
        lines[0] += f"  ({clip(node.variable)})"
    if part is not None and part.controls:
        lines += [line for entry in part.controls for line in (entry, " ")]  # a control is as high as two lines
    elif value := value_line(node, part.computes if part else ""):
        lines.append(value)
    if node.kind == "leaf":
        lines[0] += "" if node.name == "leaf" else f" ({node.name})"
        lines.append(clip(f"grad {part.grad_after}") if part else grad_line(node))
    if node.cut:
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
        lines += [clip(line) for line in part.end.splitlines()] or [waiting_line(0, part.waits_for)]
    return "\n".join(lines)


def _constant_lines(node: Node) -> list[str]:
    """The text of a tensor or number that does not require grad.

    `None` if nothing is known about it.
    """
    value = node.value
    if value is None:
        return ["None", *[node.mark] * bool(node.mark)]
    if node.recorded and not node.shape and not node.variable:
        return [value.short or "a number", "a constant", *[node.mark] * bool(node.mark)]
    lines = [clip(node.variable or "tensor"), value_line(node)]
    lines += node.cut.replace(", ", ",\n").splitlines() or ["requires_grad=False"]
    return [*lines, *(clip(line) for line in [*node.lines, node.mark] if line)]


def value_line(node: Node, computes: str = "") -> str:
    """The line with the node's value: `= 6`, in a player `a · b = 6`.

    The shape if the value is too long.
    """
    if node.shape is None:
        return clip(computes)
    value = node.value
    fits = value is not None and value.in_full and value.short == value.text
    if value is not None and fits and value.short:
        return clip(f"{computes} = {value.short}".strip())
    shape = f"shape {shape_text(node.shape)}"
    return clip(f"{computes}: {shape}" if computes else shape)


def waiting_line(arrived: int, awaited: int) -> str:
    """The last line of a player's node that has not run yet: `1 of 2 gradients`."""
    return f"{arrived} of {awaited} gradient{'s' * (awaited != 1)}"


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
    """The line of a leaf with its `.grad`."""
    return clip(f"grad {node.grad.short or node.grad}" if node.grad is not None else f"grad {node.grad_text}")


def clip(text: str) -> str:
    """Text cut to the width of a node.

    >>> len(clip("a" * 50))
    36
    """
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"


def quote(text: str) -> str:
    """A DOT string that shows `text`: escapes are quoted, control characters become blanks."""
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
