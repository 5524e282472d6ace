"""The words for a reason of a zero gradient: what is true at a node, and advice that fits it.

A word such as "its factor v is 0" or "its input equals its target" is said only if the tensors that
the node saved say so; else the sentence says no more than that the slope is 0 there.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_teach.viz.cuts import extent
from autograd_teach.viz.facts import as_array, output_number
from autograd_teach.viz.why_gradient import Array, Ran, operation, saved, signed
from autograd_teach.viz.why_words import ZERO, ZERO_REMEDY, Kind
from autograd_teach.viz.why_zero import Reason

_SORTS = {
    "dead": "relu threshold leakyrelu relu6 hardsigmoid hardswish elu prelu",
    "clipped": "hardtanh clamp clampmin clampmax",
    "saturated": "sigmoid tanh exp softplus erf silu gelu logsigmoid",
    "no slope": "round floor ceil trunc fix sign sgn floordivide",
    "not chosen": "max min maximum minimum amax amin where maskedfill index select slice gather topk sort median split "
    "unbind indexselect maskedselect take narrow maxpool2d maxpool2dwithindices nllloss triu tril",
    "looked up": "embedding",
    "overwritten": "zero fill copyslices copy copys indexput normal uniform bernoulli",
}
_SORT_OF = {name: sort for sort, names in _SORTS.items() for name in names.split()}

_FACTORS = {
    "mul": ("other", "self"),
    "mm": ("mat2", "self"),
    "mv": ("vec", "self"),
    "dot": ("tensor", "self"),
    "bmm": ("mat2", "self"),
    "addmm": ("", "mat2", "mat1"),
    "addmv": ("", "vec", "mat"),
    "baddbmm": ("", "batch2", "batch1"),
    "addcmul": ("", "tensor2", "tensor1"),
    "addcdiv": ("", "", "tensor1"),
    "linear": ("weight", "input"),
    "convolution": ("weight", "input"),
    "div": ("", "self"),
    "nativelayernorm": ("weight",),
    "nativebatchnorm": ("weight",),
    "nativegroupnorm": ("weight",),
}
"""For each argument of an operation, the saved tensor that its slope is a multiple of."""

_SAME_MEAN = {"nativelayernorm", "nativebatchnorm", "nativegroupnorm", "cudnnbatchnorm"}
SOFTMAX = {"softmax", "logsoftmax"}
_EQUAL = {"mseloss", "l1loss", "smoothl1loss", "huberloss", "binarycrossentropy"}
_VIEWS = {"t", "transpose", "permute", "view", "reshapealias", "unsqueeze", "squeeze", "expand", "alias", "unsafeview"}


@dataclass
class Told:
    """What is said of a reason: the part after "because", the advice, and the kind of the answer."""

    kind: Kind
    because: str
    advice: str
    mark: str = ""


def _told(sort: str, kind: Kind | None = None, **names: str) -> Told:
    return Told(kind or sort, ZERO[sort].format(**names), ZERO_REMEDY[sort].format(**names))  # type: ignore[arg-type]


def explain(reason: Reason, step: Ran | None, known: Sequence[tuple[str, Any]], source: str) -> Told:
    """The words for a reason.

    step: what ran at its node. known: the caller's tensors. source: the line that made the node, if
    it is known.
    """
    node, name = reason.node, operation(reason.node)
    if reason.cause in ("None", "unused", "unknown", "too small"):
        kinds: dict[str, Kind] = {"None": "returns None", "too small": "vanishing"}
        sort = "returns None" if reason.cause == "None" else reason.cause
        return _told(sort, kinds.get(reason.cause, "no slope"))
    if reason.cause == "adds up":
        return _told("cancels")
    if hasattr(node, "apply"):  # a custom Function
        return _told("returns 0", "no slope")
    kept = {key: array for key, thing in saved(node).items() if (array := as_array(thing)) is not None}
    if reason.cause == "cancels":
        return _cancelling(name, kept, node, step)
    return _slope(reason, name, kept, step, known, source) or _told(_sort(name, step), _KINDS.get(_sort(name, step)))


_KINDS: dict[str, Kind] = {
    "clipped": "dead",
    "looked up": "not chosen",
    "slope": "no slope",
    "nothing chosen": "not chosen",
}


def _sort(name: str, step: Ran | None) -> str:
    sort = _SORT_OF.get(name, "slope")
    empty = step is not None and not any(array is not None and array.size for array in step.came)
    return "nothing chosen" if sort == "not chosen" and empty else sort


def is_saturated(node: Any) -> bool:
    """Whether the slope of this operation gets small for large inputs."""
    return _SORT_OF.get(operation(node)) == "saturated" or operation(node) in SOFTMAX


def _cancelling(name: str, kept: dict[str, Array], node: Any, step: Ran | None) -> Told:
    came = step.came[0] if step is not None else None
    if name == "softmax" and came is not None and came.size and _is_same(came, _dim(node)):
        return _told("sum is 1", "no slope")
    if name in _SAME_MEAN:
        return _told(
            "mean is 0" if came is not None and _is_even(name, came, kept.get("weight")) else "mean and variance",
            "no slope",
        )
    return _told("cancel inside", "cancels")


def _is_even(name: str, came: Array, weight: Array | None) -> bool:
    """Whether the results that are normalised together get the same gradient."""
    if name == "nativelayernorm":
        return all(_is_same(part, -1) for part in (came, weight) if part is not None and part.ndim)
    if name == "nativegroupnorm":
        return _is_same(came) and (weight is None or _is_same(weight))
    channels = np.moveaxis(came, 1, 0) if came.ndim > 1 else came[None]
    return all(_is_same(channel) for channel in channels)


def is_certain(likely: Array, dim: int) -> bool:
    """Whether one result of each softmax is 1."""
    return bool((likely.max(axis=dim if likely.ndim else None) > 1 - 1e-4).all())


def _is_same(array: Array, dim: int | None = None) -> bool:
    """Whether all entries along a dimension (None: all) are the same, up to rounding."""
    spread = np.ptp(array, axis=dim if array.ndim else None)
    return bool((spread <= 1e-5 * np.abs(array).max(initial=0.0)).all())


def _dim(node: Any) -> int:
    """The dimension of a softmax."""
    return signed(node._saved_dim)


def _slope(
    reason: Reason, name: str, kept: dict[str, Array], step: Ran | None, known: Sequence[tuple[str, Any]], source: str
) -> Told | None:
    """The words for a slope that is 0 at these values, if the saved tensors show why."""
    node, slot = reason.node, reason.slot
    base = kept.get("self")
    named = _name(saved(node).get("self"), known) or argument_text(source, name)
    if name in SOFTMAX:
        result = kept.get("result")
        if result is not None and result.ndim and result.shape[_dim(node)] == 1:
            return _told("sum is 1" if name == "softmax" else "one class", "no slope")
        if (
            result is not None
            and result.size
            and is_certain(result if name == "softmax" else np.exp(result), _dim(node))
        ):
            return _told("certain", "saturated")
    if name == "pow":
        return _power(node, slot, kept, named)
    edges = node.next_functions
    if name in ("mul", "dot") and len(edges) == 2 and edges[0] == edges[1] and base is not None and not base.any():
        return _told("square", "minimum", base=_after(_name(saved(node).get("self"), known)), power="square")
    if name in ("abs", "linalgvectornorm", "norm") and base is not None and _some_zero(base, name):
        return _told("corner", "minimum", base=_after(named), function="abs" if name == "abs" else "the norm")
    if name in _EQUAL and base is not None and "target" in kept and np.array_equal(base, kept["target"]):
        return _told("equal", "minimum")
    if name == "binarycrossentropywithlogits" and base is not None and "target" in kept:
        with np.errstate(over="ignore"):
            likely = 1 / (1 + np.exp(-base))
        return _told("equal prediction", "minimum") if np.array_equal(likely, kept["target"]) else None
    if (
        name == "nllloss"
        and "target" in kept
        and (kept["target"] == signed(getattr(node, "_saved_ignore_index", 0))).all()
    ):
        return _told("ignored", "not chosen")
    if name == "prod" and base is not None and (base == 0).any():
        return _told("product", "zero factor")
    return _factor(node, slot, name, known)


def _after(name: str) -> str:
    return f" {name}" if name else ""


def _some_zero(base: Array, name: str) -> bool:
    return bool((base == 0).any()) if name == "abs" else not base.any()


def _power(node: Any, slot: int, kept: dict[str, Array], named: str) -> Told | None:
    base, exponent = kept.get("self"), kept.get("exponent", getattr(node, "_saved_exponent", None))
    if base is None or exponent is None:
        return None
    base, exponent = np.asarray(base), np.asarray(exponent)
    if slot == 1:
        of = next((n for n in (0, 1) if (base == n).all()), None)
        return None if of is None else _told("base of exponent", "no slope", base=str(of))
    if not exponent.any():
        return _told("exponent is 0", "no slope")
    if exponent.ndim or not (base == 0).any() or exponent <= 1:
        return None
    even = float(exponent) % 2 == 0
    power = "square" if exponent == 2 else "power"
    return _told("square" if even else "power", "minimum" if even else "no slope", base=_after(named), power=power)


def _factor(node: Any, slot: int, name: str, known: Sequence[tuple[str, Any]]) -> Told | None:
    """The words for a factor that is 0: its name, if it has one, and advice by what it is."""
    names = _FACTORS.get(name, ())
    factor = saved(node).get(names[slot]) if slot < len(names) else None
    array = None if factor is None else as_array(factor)
    if factor is None or array is None or not array.size or (array != 0).all():
        return None
    named = _name(factor, known)
    noun = "dividend" if name == "div" else "weight" if names[slot] == "weight" else "factor"
    who = f"its {noun} {named}" if named else f"its {'other ' * (noun == 'factor')}{noun}"
    there = "" if not array.any() else " there"
    it = named or "this factor"
    if _leaf_of(factor) is not None:
        sort = "zero leaf"
    elif factor.requires_grad:
        sort = "zero result"
    else:
        sort = "zero number" if not array.ndim else "zero data"
    advice = ZERO_REMEDY[sort].format(it=it)
    return Told("zero factor", f"{who} is 0{there}", advice)


def _leaf_of(tensor: Any) -> Any:
    """The leaf of which a tensor that requires grad is a view, or itself; else None."""
    node = tensor.grad_fn
    if node is None:
        return tensor if tensor.requires_grad else None
    while node is not None and operation(node) in _VIEWS and len(node.next_functions) == 1:
        node = node.next_functions[0][0]
    return getattr(node, "variable", None)


def _name(tensor: Any, known: Sequence[tuple[str, Any]]) -> str:
    """The caller's name for a tensor that a node saved; empty if there is none."""
    if tensor is None:
        return ""
    leaf = _leaf_of(tensor)
    for name, other in known:
        if other is tensor or (leaf is not None and other is leaf):
            return name
        if (
            tensor.grad_fn is not None
            and other.grad_fn is tensor.grad_fn
            and output_number(other) == output_number(tensor)
        ):
            return name
    if tensor.requires_grad:
        return ""
    place = extent(tensor)
    same = (name for name, other in known if not other.requires_grad and place is not None and extent(other) == place)
    return next(same, "")


_PLAIN = {
    "sum",
    "mean",
    "pow",
    "square",
    "abs",
    "norm",
    "exp",
    "log",
    "tanh",
    "sigmoid",
    "matmul",
    "mm",
    "view",
    "reshape",
}


def argument_text(source: str, name: str) -> str:
    """The text of the argument of the only such operation in a line: the `w - 3` of `(w - 3) ** 2`.

    Empty if the line calls functions that may contain another operation of this name.
    """
    try:
        tree = ast.parse(source.strip())
    except (SyntaxError, ValueError):
        return ""
    names = {"pow": {"pow", "square"}, "linalgvectornorm": {"norm"}}.get(name, {name})
    found: list[ast.expr] = []
    for part in ast.walk(tree):
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow) and name == "pow":
            found.append(part.left)
        elif isinstance(part, ast.Call):
            called = getattr(part.func, "attr", "")
            if called not in _PLAIN:
                return ""
            if called in names and isinstance(part.func, ast.Attribute) and len(part.args) == (called == "pow"):
                found.append(part.func.value)
            elif called in names:
                return ""
    text = ast.unparse(found[0]) if len(found) == 1 else ""
    return text if len(text) <= 40 else ""
