"""Long graphs on a small stack: nodes are freed one after another, not one inside the other.

A node holds the nodes before it, through its edges and through the tensors that it saved. So freeing the last node frees the
one before it, and so on: a chain of 20,000 operations becomes 20,000 nested calls in C. Python on a computer notices and
unwinds them itself; in a browser, about 3,000 overflow the stack, and the kernel is gone. There, a node that dies hands over
what it holds, and a loop lets go of it. PyTorch's nodes do the same, in C++.

Elsewhere nothing of this runs: a `__del__` in Python would cost every operation time.
"""

from __future__ import annotations

import gc
import sys
from typing import Any, TypeVar

Kind = TypeVar("Kind")

# What dead nodes held and nobody has let go of yet, and whether the loop that does so is running.
_left_behind: list[list[Any]] = []
_letting_go = False


def unlinked_where_needed(kind: type[Kind]) -> type[Kind]:
    """Class decorator of the nodes: free long graphs with `unlink` where Python cannot do it itself."""
    if sys.platform == "emscripten":
        install(kind)
    return kind


def install(kind: type[Any]) -> None:
    """Free the nodes of this class, and of its subclasses, with `unlink` from now on."""
    kind.__del__ = unlink


def unlink(node: Any) -> None:
    """The `__del__` of a node: nobody refers to it any more. Frees what it held without freeing one node inside another.

    What else is referred to, by a tensor, a hook or a list of the user's, stays as it is.
    """
    global _letting_go
    if not getattr(node, "_edges", ()):
        return  # a leaf's accumulator, or a context that was not recorded: no chain continues here
    _left_behind.append(gc.get_referents(node))
    if _letting_go:
        _empty(node)
        return  # this node died in the loop below, which takes care of the rest
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
