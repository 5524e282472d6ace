"""A snapshot as DOT text. Deterministic: the same graph gives the same bytes, whoever built it.

The colours here are the light ones, so that the picture reads well where no style sheet reaches it. Each kind of node
differs by more than colour: an output has a double line, a leaf a thick one and round corners, what takes no gradient a
dashed one. Knows nothing of layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autograd_teach.viz.facts import shape_text
from autograd_teach.viz.snapshot import Edge, Node, Snapshot

FONT = "Helvetica,Arial,sans-serif"
_LONGEST_LINE = 36
_MANY_NODES, _MANY_ROWS = 300, 800

_LOOK = {
    "output": 'shape=box style="filled" peripheries=2 color="#009E73" fillcolor="#E3F5EF" penwidth=1.5',
    "operation": 'shape=box style="filled" color="#6B6B6B" fillcolor="#F2F2F2" penwidth=1',
    "leaf": 'shape=box style="filled,rounded" color="#0072B2" fillcolor="#E1F0FA" penwidth=2.6',
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
    lines += [_edge(snapshot, edge) for edge in snapshot.edges]
    return "\n".join([*lines, "}", ""])


def _effort(snapshot: Snapshot) -> str:
    """Arguments in their order where that is cheap; in a large or tangled graph, less effort for a good layout."""
    if len(snapshot.nodes) > _MANY_NODES or snapshot.rows_passed > _MANY_ROWS:
        return " splines=line mclimit=0.1 nslimit=0.2 nslimit1=0.2"
    return " ordering=out"


def _node(node: Node, part: Part | None) -> str:
    classes = ["agt-node", f"agt-{node.kind}"] + ["agt-freed"] * node.freed + ["agt-stale"] * node.stale
    look = _LOOK[node.kind]
    if node.freed:
        look = 'shape=box style="filled,dashed" color="#9A9A9A" fillcolor="#FAFAFA" fontcolor="#6B6B6B" penwidth=1'
    if node.stale:
        look = 'shape=box style="filled,bold" color="#D55E00" fillcolor="#FBE9DD" penwidth=2.6'
    return f"  {node.id} [id={quote(node.id)} class={quote(' '.join(classes))} label={quote(label(node, part))} {look}]"


def _edge(snapshot: Snapshot, edge: Edge) -> str:
    kinds = snapshot.node(edge.source).kind, snapshot.node(edge.target)
    more = ""
    if kinds[0] == "output":
        more = ' style=bold arrowhead=none color="#009E73"'
    elif kinds[1].kind == "constant":
        more = ' style=dashed arrowhead=none color="#8A8A8A"'
    if edge.number:
        parallel = [(e.source, e.target) for e in snapshot.edges].count((edge.source, edge.target)) > 1
        # A label in the middle has room of its own, but would press parallel edges into one.
        place = "headlabel={} labeldistance=1.5 labelangle=-50" if parallel else "label={}"
        more += " " + place.format(quote(f"   {edge.number}" if not parallel else str(edge.number)))
    return f"  {edge.source} -> {edge.target} [id={quote(edge.id)} class={quote('agt-edge')}{more}]"


def label(node: Node, part: Part | None = None) -> str:
    """What stands in the node: its name, then shape and short values."""
    before = f"{part.step}. " if part is not None else ""
    if node.kind == "constant" and node.value is None:
        return "None"
    lines = [before + clip(node.title if node.kind in ("leaf", "output") else node.name)]
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
        lines.append("requires_grad=False")
    if node.saved:
        lines.append(clip("saved: " + ", ".join(entry.variable or entry.name for entry in node.saved)))
    if node.freed:
        lines.append("freed")
    if node.stale:
        lines.append("saved tensor changed")
    if part is not None:
        lines.append(f"0 of {part.waits_for} gradient{'s' * (part.waits_for != 1)}")
    return "\n".join(lines)


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
