"""What a custom Function is asked, and what came of it, as plain data.

NumPy only. The same records are made by a check in the notebook and read by the grader from another process.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...guard import Crash
from ...jacobian import Values


@dataclass(frozen=True)
class Asked:
    """One request: a use of the Function.

    mode: "forward" alone; "run": forward, then backward; and backward "interleaved" with the forward of a call on `other`,
    "again" through the same graph, "after_change" of the arguments, with "no_gradient" arriving, or differentiated "twice"
    (with `weights` for the gradients of the first time).
    needed: the only argument that requires grad. only: the only result that is used.
    """

    mode: str
    arguments: tuple[Any, ...]
    cotangents: Values = ()
    needed: int | None = None
    only: int | None = None
    other: tuple[Any, ...] = ()
    weights: Values = ()


@dataclass(frozen=True)
class Odd:
    """Something that is no tensor where one was due; `type` is its type's name."""

    type: str


@dataclass
class Run:
    """One use of the Function: what forward and backward gave, and what they did."""

    # filled in by whoever asked
    arguments: tuple[Any, ...] = field(default=(), metadata={"told": False})
    # told by the process that ran it
    saves: int = 0  # how often forward called save_for_backward
    values: Values | None = None
    odd_result: Odd | None = None
    own_node: bool = True
    requires_grad: tuple[bool, ...] = ()  # one for each result
    returned_itself: tuple[int, ...] = ()  # arguments that came back as a result, the very object
    shares_memory: bool = False
    cotangent: Values = ()
    returned: tuple[np.ndarray | Odd | None, ...] | None = None
    got_none: bool = False  # whether backward was called with a grad_output of None
    changed: tuple[str, ...] = ()
    crash: Crash | None = None
    # Raised by the engine, not by the student's code, at what backward returned.
    refused: Crash | None = None
    second: "Second | None" = None


@dataclass
class Second:
    """The gradient of the gradient at one input: of backward's results by the arguments and by grad_output."""

    connected: bool = False  # whether what backward returned has a graph of its own
    got: tuple[np.ndarray | None, ...] = ()  # by each float argument, then by each grad_output; None: no way there
