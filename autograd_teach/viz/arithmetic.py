"""The arithmetic of one step of the chain rule in words: what came in × the local derivative = what is sent on.

Takes arrays and `Local` derivatives, gives text: in full where the numbers fit, as a formula or a shape where they do not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_teach.viz.facts import Facts, facts, shape_text
from autograd_teach.viz.slopes import Local

ON_ONE_LINE, LONGEST = 20, 30
"""The most characters of a product on one line beside an edge, and of each of its parts on a line of its own."""

Array = np.ndarray[Any, Any]


def product(
    came: Array | None, local: Local | None, sent: Array | None, formula: str = "", sends: str = ""
) -> list[str]:
    """Lines for a place beside an edge: `["1 × 3 = 3"]`, or a line for each part, or what stands for parts that are too long.

    `formula`: the local slope as text, `sends`: what is sent on as text (`g @ vᵀ`), for numbers that are too many. Without
    numbers that agree with what was sent only what was sent is told.

    >>> import numpy as np
    >>> one, three = np.array(1.0), np.array(3.0)
    >>> product(one, Local("slopes", three, 1, 1), three)
    ['1 × 3 = 3']
    >>> product(np.ones(20), None, np.ones(20), "1 − y²")
    ['× (1 − y²)', '= shape (20)']
    """
    if sent is None:
        return ["None"]
    result = brief(sent)
    if came is None or (local is not None and not explains(came, local, sent)):
        return [result]
    if local is None and not _fits(formula):
        return [result]
    arrived = [] if (text := brief(came)).startswith("shape") else [text]
    if local is None:
        summed = ", summed" if sent.size < came.size else ""
        return _joined(*arrived, f"× {_bracketed(formula)}", f"= {result}{summed}")
    if local.kind == "moved":
        return _joined(*arrived, f"→ {result}")
    factor = _factor(local)
    if local.kind == "block" and _fits(sends) and (local.numbers is None or factor.startswith("shape")):
        return _joined(*arrived, sends, f"= {result}")
    if local.numbers is None or factor.startswith("shape"):
        factor = _bracketed(formula) if _fits(formula) else _stands_for(local)
    summed = ", summed" if local.kind == "slopes" and sent.size < local.rows else ""
    return _joined(*arrived, f"× {factor}", f"= {result}{summed}")


def total(parts: Sequence[Array | None]) -> str:
    """Several contributions and their sum, written out where that is short: `2 + 5 = 7`; else empty.

    >>> total([np.array(2.0), np.array(-5.0)])
    '2 + (-5) = -3'
    """
    known = [part for part in parts if part is not None]
    if len(known) < 2:
        return ""
    texts = [brief(part) for part in known]
    texts[1:] = [f"({text})" if text.startswith("-") else text for text in texts[1:]]
    added = f"{' + '.join(texts)} = {brief(np.asarray(sum(known)))}"
    return added if "shape" not in added and "…" not in added and len(added) <= 3 * LONGEST else ""


def explains(came: Array, local: Local, sent: Array) -> bool:
    """Whether the product is what was sent: it is not where a backward of the reader's own is no linear map, or a hook spoke."""
    if local.numbers is None or local.kind == "moved":
        return True
    with np.errstate(all="ignore"):
        if local.kind == "block":
            made = came.reshape(1, -1).astype(np.float64) @ local.numbers
            return made.size == sent.size and _close(made.reshape(sent.shape), sent)
        made = came * local.numbers
        return _close(_summed(made, sent.shape), sent)


def size(sent: Array | None) -> float:
    """How large a gradient is: its largest entry without sign; NaN if one of them is."""
    if sent is None or not sent.size or sent.dtype.kind not in "fiu":
        return 0.0
    return float(np.max(np.abs(sent.astype(np.float64))))


def _summed(array: Array, shape: tuple[int, ...]) -> Array:
    """Summed over what broadcasting had repeated."""
    if array.size == math.prod(shape):
        return array.reshape(shape)
    array = array.sum(tuple(range(array.ndim - len(shape))))
    return array.sum(tuple(i for i, n in enumerate(shape) if n == 1 and array.shape[i] != 1), keepdims=True)


def _close(one: Array, other: Array) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-3, atol=1e-6, equal_nan=True)


def _factor(local: Local) -> str:
    return "" if local.numbers is None else brief(np.asarray(local.numbers))


def _stands_for(local: Local) -> str:
    return f"J ({local.rows:,} × {local.columns:,})" if local.kind == "block" else "slopes"


def brief(array: Array) -> str:
    """The numbers where they are few, else the shape."""
    found: Facts = facts(array)
    return found.text if found.in_full and len(found.text) <= LONGEST else f"shape {shape_text(found.shape)}"


def _joined(*parts: str) -> list[str]:
    line = " ".join(parts)
    return [line] if len(line) <= ON_ONE_LINE else list(parts)


def _fits(formula: str) -> bool:
    return 0 < len(formula) <= LONGEST


def _bracketed(formula: str) -> str:
    return f"({formula})" if any(sign in formula for sign in " +−·/") else formula
