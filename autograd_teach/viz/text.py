"""A view as plain text, for terminals, screen readers and nbval.

It does not contain ids or addresses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from autograd_teach.viz.dot import uses_lower_order
from autograd_teach.viz.facts import shape_text
from autograd_teach.viz.snapshot import Edge, Folded, Node, Snapshot

if TYPE_CHECKING:
    from autograd_teach.viz.recording import Recording

_MOST_LINES = 200
_LETTER = re.compile(r"(?<![\w.])[a-z](?![A-Za-z0-9_.(])")


def tree(snapshot: Snapshot) -> str:
    """The graph as a tree; a node that is reached again is only marked as shown above."""
    lines = list(snapshot.notes)
    children = snapshot.children()
    told: set[str] = set()

    def line_for(node: Node) -> str:
        if node.id in told:
            return f"{heading(node)}, shown above"
        told.add(node.id)
        return describe(node)

    for output in snapshot.outputs:
        if output in told:
            continue
        lines.append(line_for(snapshot.node(output)))
        # Each entry: an edge to print, the columns before it, and whether it is the last one.
        stack = _entries(children[output], "")
        while stack:
            if len(lines) >= _MOST_LINES:
                lines.append(f"... {len(snapshot.nodes) - len(told):,} nodes more")
                return "\n".join(lines)
            edge, before, last = stack.pop()
            first = edge.target not in told
            branch = ("└─ " if last else "├─ ") + _of(edge)
            uses = "uses a value: " if uses_lower_order(snapshot, edge) else ""
            lines.append(before + branch + uses + line_for(snapshot.node(edge.target)))
            if first:
                columns = before + ("   " if last else "│  ")
                lines += _saved_lines(snapshot, edge.target, columns, bool(children[edge.target]))
                stack += _entries(children[edge.target], columns)
    return "\n".join(lines)


def _entries(edges: Sequence[Edge], before: str) -> list[tuple[Edge, str, bool]]:
    return [(edge, before, place == 0) for place, edge in enumerate(reversed(edges))]


def _of(edge: Edge) -> str:
    if edge.count > 1:
        return f"{edge.count:,} edges to "
    return f"output {edge.number} of " if edge.number else ""


def heading(node: Node) -> str:
    """A node's name, unique in the picture."""
    if node.kind == "leaf":
        return f"{node.title}, a leaf" if node.name == "leaf" else f"{node.name} of {node.title}"
    return f"output {node.title}" if node.kind == "output" and node.title != "output" else node.title


def describe(node: Node) -> str:
    """One node on one line."""
    if node.kind == "constant" and node.value is None:
        return "None: no gradient goes here"
    if node.folded is not None:
        return ", ".join(_folded(node, node.folded))
    told = [heading(node)]
    if node.value is not None:
        told.append(str(node.value))
    elif node.shape is not None:
        told.append(f"shape {shape_text(node.shape)}")
    if node.kind == "leaf":
        told.append(f"grad {node.grad.text if node.grad is not None else node.grad_text}")
    if node.kind == "constant":
        told.append("requires_grad=False: no history" if not node.cut else "")
    told += [node.cut, f"order {node.order}" * bool(node.order), *node.lines, node.mark]
    told = [part for part in told if part]
    return ", ".join([*told, *["freed"] * node.freed, *["saved tensor changed in place"] * node.stale])


def _folded(node: Node, folded: Folded) -> list[str]:
    told = [node.title]
    if folded.operations:
        told.append(f"{folded.operations:,} operations folded")
        if node.shape is not None:
            told.append(f"shape {shape_text(node.shape)} each")
        told += [f"with {count:,} leaves {sort}" for sort, count in folded.leaves.items()]
        told += [f"{folded.odd:,} results not finite"] * bool(folded.odd)
    return [*told, *["freed"] * node.freed, *["saved tensor changed in place"] * node.stale]


def _saved_lines(snapshot: Snapshot, node_id: str, columns: str, more: bool) -> list[str]:
    bar = "│  " if more else "   "
    return [
        f"{columns}{bar}saved {entry.name}: {entry.variable + ', ' if entry.variable else ''}{entry.text}"
        for entry in snapshot.node(node_id).saved
    ]


def table(recording: Recording) -> str:
    """The backward pass as a table with a row for each step."""
    lines = list(recording.snapshot.notes)
    if not recording.steps:
        return "\n".join(lines)
    rows = [("step", "runs", "because", "came in", "goes out")]
    for place, step in enumerate(recording.steps, 1):
        for line, (came, went) in enumerate(step.came_and_went()):
            first = line == 0
            rows.append(
                (
                    str(place) if first else "",
                    step.runs if first else "",
                    step.because if first else "",
                    came,
                    went,
                )
            )
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        cells = [row[0].rjust(widths[0]), *(row[i].ljust(widths[i]) for i in (1, 2, 3)), row[4]]
        lines.append("  ".join(cells).rstrip())
    letters = {one for step in recording.steps for sent in step.goes_out for one in _LETTER.findall(sent.told)}
    if letters - {"g", *recording.snapshot.names}:
        lines.append(
            "A letter that is not a name of the program stands for an argument or the result of the operation: see viz.rule."
        )
    return "\n".join(lines)
