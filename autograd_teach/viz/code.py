"""The lines of code that made a graph, if `viz.watch` recorded them.

A view shows them beside its picture.
"""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections import Counter
from dataclasses import dataclass, field

from autograd_teach.viz.facts import printable
from autograd_teach.viz.snapshot import Snapshot

MOST_LINES = 40


@dataclass
class Code:
    """Consecutive lines of one file."""

    first: int
    """The number of the first line."""
    lines: list[str]
    of: dict[str, int] = field(default_factory=dict)
    """The line number of each node that this code made."""


def code_of(snapshot: Snapshot) -> Code | None:
    """The code that made most of the graph, from the first line of its function.

    None if no line is known.
    """
    files = Counter(node.place[0] for node in snapshot.nodes if node.place)
    if not files:
        return None
    file = files.most_common(1)[0][0]
    of = {node.id: node.place[1] for node in snapshot.nodes if node.place and node.place[0] == file}
    source = linecache.getlines(file)
    first, last = min(of.values()), max(of.values())
    if not 0 < first <= last <= len(source):
        return None
    first, last = _function_around(source, first, last)
    last = min(last, first + MOST_LINES - 1)
    lines = textwrap.dedent("".join(source[first - 1 : last])).rstrip("\n").split("\n")
    return Code(first, [printable(line) for line in lines], {i: n for i, n in of.items() if n <= last})


def _function_around(source: list[str], first: int, last: int) -> tuple[int, int]:
    """The first and last line of the innermost function around these lines, or of the lines.

    So lines that did not run are shown too: a branch that was not taken, a `return`.
    """
    try:
        tree = ast.parse("".join(source))
    except SyntaxError:  # a cell with magics
        return first, last
    around = [
        (node.lineno, node.end_lineno or last)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        and node.lineno <= first
        and last <= (node.end_lineno or 0)
        and last - node.lineno < MOST_LINES
    ]
    return max(around, default=(first, last))
