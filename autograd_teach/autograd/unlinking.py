"""Free long graphs on a small stack: one node after another, without nested calls.

A node refers to the nodes before it, through its edges and its saved tensors. So freeing the last
node frees the one before it, and so on: a chain of 20,000 operations becomes 20,000 nested calls in
C. On a computer, Python limits the depth itself; in a browser, about 3,000 nested calls overflow
the stack and end the kernel. There, a node that is freed hands its references to a loop, which
releases them. PyTorch's nodes do the same, in C++.

On other platforms this does not run: a `__del__` in Python would make every operation slower.
"""

from __future__ import annotations

import gc
import sys
from typing import Any, TypeVar

Kind = TypeVar("Kind")

# The references of freed nodes that are not released yet, and whether the loop that releases them
# is running.
_left_behind: list[list[Any]] = []
_letting_go = False


def unlinked_where_needed(kind: type[Kind]) -> type[Kind]:
    """Class decorator of the nodes: free long graphs with `unlink` on platforms where Python cannot do it itself."""
    if sys.platform == "emscripten":
        install(kind)
    return kind


def install(kind: type[Any]) -> None:
    """Free the nodes of this class, and of its subclasses, with `unlink` from now on."""
    kind.__del__ = unlink


def unlink(node: Any) -> None:
    """The `__del__` of a node: release its references without freeing one node inside another.

    Objects that something else refers to, such as a tensor, a hook or a list of the user, are not
    changed.
    """
    global _letting_go
    if not getattr(node, "_edges", ()):
        return  # a leaf's accumulator, or a context that was not recorded: the chain ends here
    _left_behind.append(gc.get_referents(node))
    if _letting_go:
        _empty(node)
        return  # this node was freed by the loop below, which continues with its references
    _letting_go = True
    try:
        _empty(node)  # in Python 3.13, nodes may already die here
        while _left_behind:
            _left_behind.pop()
    finally:
        _letting_go = False


def _empty(node: Any) -> None:
    node._edges, node._hooks, node._metadata = (), None, {}
    getattr(node, "__dict__", {}).clear()
    node._free()
