"""The requests to a custom Function, and its replies, as plain data.

NumPy only. A check in the notebook makes these records; the grader receives the same records from another process.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...exercises.declaration import FunctionForm
from ...guard import Crash
from ...jacobian import Values, wrong_values


@dataclass(frozen=True)
class Asked:
    """One request: a use of the Function.

    mode: "forward": only forward. "run": forward, then backward. "interleaved": as "run", with forward calls on `others`
    in between, after which the results are read. "again": backward twice through the same graph. "after_change": the
    arguments are changed before backward. "no_gradient": backward gets no gradient. "twice": backward is differentiated,
    with `weights` for the gradients of the first time.
    needed: the only argument that requires grad. only: the only result that is used.
    """

    mode: str
    arguments: tuple[Any, ...]
    cotangents: Values = ()
    needed: int | None = None
    only: int | None = None
    others: tuple[tuple[Any, ...], ...] = ()
    weights: Values = ()


@dataclass(frozen=True)
class Odd:
    """An object that is not a tensor but should be one. type: the name of its type. among: so many came in one tuple."""

    type: str
    among: int = 1


@dataclass
class Run:
    """One use of the Function: the results of forward and backward, and what they did."""

    # filled in by the process that asked
    arguments: tuple[Any, ...] = field(default=(), metadata={"told": False})
    cotangent: Values = field(default=(), metadata={"told": False})  # what backward was called with, or would be
    # sent by the process that ran it
    values: Values | None = None
    odd_result: Odd | None = None
    own_node: bool = True
    requires_grad: tuple[bool, ...] = ()  # one for each result
    returned_itself: tuple[int, ...] = ()  # arguments that forward returned, the same object
    shares_memory: bool = False
    returned: tuple[np.ndarray | Odd | None, ...] | None = None
    got_none: bool = False  # whether backward was called with a grad_output of None
    changed: tuple[str, ...] = ()
    crash: Crash | None = None
    # Raised by the engine, not by the student's code, because of what backward returned.
    refused: Crash | None = None
    second: "Second | None" = None


@dataclass
class Second:
    """The gradient of the gradient at one input, with respect to the arguments and to grad_output."""

    connected: bool = False  # whether the result of backward has a graph
    got: tuple[np.ndarray | None, ...] = ()  # for each float argument, then each grad_output; None: no path


def differentiable(form: FunctionForm, results: Sequence[Any]) -> tuple[Any, ...]:
    """The results that have a gradient, or the entries of `results` that belong to them."""
    return tuple(each for number, each in enumerate(results) if number not in form.constants)


def cotangent_of(form: FunctionForm, asked: Asked, values: Values) -> Values:
    """The cotangents that a request sends to backward, in the shapes and dtypes of the actual results.

    These may differ from the right shapes, for which the cotangents were drawn. Results that are not used get zeros.
    """
    results = differentiable(form, values)
    drawn = [np.asarray(each) for each in asked.cotangents] or [np.ones(1)]
    drawn += drawn[-1:] * (len(results) - len(drawn))
    fitted = (np.resize(v, like.shape).astype(like.dtype) for v, like in zip(drawn, results, strict=False))
    return tuple(v if asked.only in (None, number) else 0 * v for number, v in enumerate(fitted))


def same_values(got: Values | None, expected: Values) -> bool:
    """Whether forward returned the specified values, shapes and dtypes."""
    return (
        got is not None
        and len(got) == len(expected)
        and all(
            one.shape == other.shape and one.dtype == other.dtype and not wrong_values(one, other).any()
            for one, other in zip(got, expected, strict=True)
        )
    )
