"""The arithmetic of the chain rule as text: what came in × the local slope = what is sent on.

Takes arrays and `Local` derivatives and returns text: the numbers if they fit, else a formula or a
shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_teach.viz.facts import Facts, facts, shape_text
from autograd_teach.viz.slopes import Local

ON_ONE_LINE, LONGEST = 20, 30
"""Maximum characters beside an edge: of a product on one line, and of a part on its own line."""

Array = np.ndarray[Any, Any]


def product(
    came: Array | None, local: Local | None, sent: Array | None, formula: str = "", sends: str = ""
) -> list[str]:
    """The lines of text beside an edge: `["1 × 3 = 3"]`, or one line for each part.

    `formula` (the local slope) and `sends` (what is sent on, `g @ vᵀ`) replace numbers that do not
    fit. If the product is not known, or is not what was sent, the text is only what was sent.

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
        summed = "summed " * (sent.size < came.size)
        return _joined(*arrived, f"× {_bracketed(formula)}", f"{summed}= {result}")
    if local.kind == "moved" or _is_reshaped(came, local, sent):
        return _joined(*arrived, f"→ {result}")
    is_block, factor = local.kind == "block", _factor(local)
    sign = "@" if is_block and came.size > 1 else "×"
    is_long = local.numbers is None or factor.startswith("shape")
    is_flattened = is_block and max(came.ndim, sent.ndim) > 1  # the numbers of a Jacobian are a matrix
    if is_block and _fits(sends) and (is_flattened or is_long):
        return _joined(sends, f"= {result}", *(f"(g = {text})" for text in arrived))
    if is_flattened and not _fits(formula):
        return [result]
    if is_long:
        factor, sign = (_bracketed(formula), "×") if _fits(formula) else (_stands_for(local), sign)
    summed = "summed " * (local.kind == "slopes" and sent.size < local.rows)
    return _joined(*arrived, f"{sign} {factor}", f"{summed}= {result}")


def total(parts: Sequence[Array | None]) -> str:
    """Several contributions and their sum, `2 + 5 = 7`; empty if that is too long.

    >>> total([np.array(2.0), np.array(-5.0)])
    '2 + (-5) = -3'
    """
    known = [part for part in parts if part is not None]
    if len(known) < 2:
        return ""
    texts = [brief(part) for part in known]
    texts[1:] = [f"({text})" if text.startswith("-") else text for text in texts[1:]]
    whole = np.asarray(sum(known))
    rounding = " (0 up to rounding)" if 0 < size(whole) < 1e-6 * max(map(size, known)) else ""
    added = f"{' + '.join(texts)} = {brief(whole)}{rounding}"
    return added if "shape" not in added and "…" not in added and len(added) <= 3 * LONGEST else ""


def explains(came: Array, local: Local, sent: Array) -> bool:
    """Whether the product is what was sent.

    It is not if a custom `backward` is not a linear map, or if a hook changed the gradient.
    """
    if local.numbers is None or local.kind == "moved":
        return True
    with np.errstate(all="ignore"):
        largest = size(came) * size(local.numbers)
        if local.kind == "block":
            made = came.reshape(1, -1).astype(np.float64) @ local.numbers
            return made.size == sent.size and equal(made.reshape(sent.shape), sent, largest)
        made = came * local.numbers
        return equal(_summed(made, sent.shape), sent, largest)


def _is_reshaped(came: Array, local: Local, sent: Array) -> bool:
    """Whether the same numbers are sent in another shape."""
    ones = local.kind == "slopes" and local.numbers is not None and (local.numbers == 1).all()
    return bool(ones) and sent.size == came.size and sent.shape != came.shape


def size(sent: Array | None) -> float:
    """The largest absolute value of a gradient's entries; NaN if an entry is NaN."""
    if sent is None or not sent.size or sent.dtype.kind not in "fiu":
        return 0.0
    return float(np.max(np.abs(sent.astype(np.float64))))


def _summed(array: Array, shape: tuple[int, ...]) -> Array:
    """Sum over the dimensions that broadcasting added or expanded (unbroadcast)."""
    if array.size == math.prod(shape):
        return array.reshape(shape)
    array = array.sum(tuple(range(array.ndim - len(shape))))
    return array.sum(tuple(i for i, n in enumerate(shape) if n == 1 and array.shape[i] != 1), keepdims=True)


def equal(one: Array, other: Array, largest: float = 0.0, rtol: float = 1e-3) -> bool:
    """Whether two gradients are equal but for rounding.

    largest: the size of the numbers that they are computed from, if it may be more than their own.
    """
    scale = max(largest, *(size(np.where(np.isfinite(array), array, 0)) for array in (one, other)))
    atol = 1e-6 * scale if math.isfinite(scale) else 0.0
    return one.shape == other.shape and np.allclose(one, other, rtol=rtol, atol=atol, equal_nan=True)


def _factor(local: Local) -> str:
    return "" if local.numbers is None else brief(np.asarray(local.numbers))


def _stands_for(local: Local) -> str:
    return f"J ({local.rows:,} × {local.columns:,})" if local.kind == "block" else "slopes"


def brief(array: Array) -> str:
    """The numbers if there are few, else the shape."""
    found: Facts = facts(array)
    return found.text if found.in_full and len(found.text) <= LONGEST else f"shape {shape_text(found.shape)}"


def _joined(*parts: str) -> list[str]:
    line = " ".join(parts)
    return [line] if len(line) <= ON_ONE_LINE else list(parts)


def _fits(formula: str) -> bool:
    return 0 < len(formula) <= LONGEST


def _bracketed(formula: str) -> str:
    return f"({formula})" if any(sign in formula for sign in " +−·/") else formula
