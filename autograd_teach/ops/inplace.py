"""Writing into a tensor's memory: who may, what it does to the history, and the operations that only exist in place.

A write raises the version that the tensor shares with its views, so that a node which saved the old value can tell. The tensor
that was written to takes over the history of the value written.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes, random
from ..autograd.graph import NO_EDGE, Edge, Node, operation_name
from ..autograd.modes import enable_grad
from ..tensor import Tensor, View, edge_of, wrap
from .declare import broadcast_error, inplace_form, op
from .pointwise import zeros_of
from .reduction import sum
from .shape import as_strided, storage_view


def refuse_in_place(tensor: Tensor) -> None:
    """RuntimeError where recording a write would lose a leaf's place as a leaf, or the history of a view."""
    base = tensor._base
    if isinstance(tensor, View) and base is not None:
        if tensor._made_by:
            _refuse_view(tensor)
        if tensor._edge is not NO_EDGE and base.is_leaf:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if tensor._edge is not NO_EDGE and tensor.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


# What follows from how a view was made.
_WHY = {
    "no_grad": "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside "
    "(if you want the inplace to be tracked).",
    "many": "This view is the output of a function that returns multiple views. Such functions do not allow the output views to "
    "be modified inplace. You should replace the inplace operation by an out-of-place one.",
    "function": "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic "
    "to handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.",
}


def _refuse_view(view: View) -> None:
    """RuntimeError for a view whose write could not be told from one that should not be recorded."""
    node = view.grad_fn
    if node is None or view._made_by == "no_grad":
        message = "A view was created in no_grad mode and is being modified inplace with grad mode enabled."
    else:
        message = f"Output {view.output_nr} of {operation_name(node)} is a view and is being modified inplace."
    raise RuntimeError(f"{message} {_WHY[view._made_by]}")


def refuse_overlap(target: Tensor, operands: Sequence[Tensor]) -> None:
    """RuntimeError where an element would be written twice, or be written before another one is computed from it."""
    written = target._array
    if not written.flags.writeable:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )
    for operand in operands:
        read = operand._array
        if operand._counter is target._counter and operand is not target and _partly_the_same(written, read):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
                "location. Please clone() the tensor before performing the operation."
            )


def _is_packed(array: np.ndarray) -> bool:
    """Whether the elements fill their stretch of memory, in whatever order."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    step = array.itemsize
    for stride, extent in sorted((s, n) for s, n in zip(array.strides, array.shape) if n != 1):
        if stride != step:
            return False
        step *= extent
    return True


def _partly_the_same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two packed arrays share memory without being the same; of others PyTorch finds it too hard to tell."""
    if not (a.size and b.size and _is_packed(a) and _is_packed(b) and np.may_share_memory(a, b)):
        return False
    # The stride of a dimension of one element means nothing.
    steps, others = ([s if n != 1 else 0 for s, n in zip(x.strides, x.shape)] for x in (a, b))
    return a.ctypes.data != b.ctypes.data or a.nbytes != b.nbytes or steps != others


def write(tensor: Tensor, value: Tensor) -> Tensor:
    """Put the values of `value`, an operation's result, into `tensor`, and its history onto `tensor`."""
    base, target, source = tensor._base, tensor._array, value._array
    if source.shape != target.shape:
        raise RuntimeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(source.shape)}"
        )
    if _kind(source) > _kind(target):
        names = [dtypes.of_array(a).tensor_type[6:-6] for a in (source, target)]
        raise RuntimeError(f"result type {names[0]} can't be cast to the desired output type {names[1]}")
    np.copyto(target, source, casting="unsafe")
    tensor._counter[0] += 1
    if value._edge is NO_EDGE:
        return tensor
    edge = edge_of(value)
    node = edge[0]
    if getattr(node, "_s_result", None) is not None:
        # The result that the node saved is this memory now, at this version.
        node._s_result = (target, tensor._counter, tensor._counter[0])  # type: ignore[union-attr]  # it has one
    assert node is not None
    # The value was cast on its way, so the gradient that comes back is of the tensor's dtype.
    node._dtype = target.dtype
    tensor._counter[1:] = [operation_name(node)]
    if base is None:
        tensor._edge = edge
    else:
        # The view's history is the base's; the raised version makes every view of it look there.
        slices = CopySlices(base, tensor, node)
        node._written = weakref.ref(slices)
        base._edge = (slices, 0)
        tensor._counter[1:] = [slices.name()]
    return tensor


Geometry = tuple[tuple[int, ...], tuple[int, ...], int]


def geometry(view: Tensor, base: Tensor) -> Geometry:
    """Size, strides and offset of a view within its base's memory, in elements."""
    array = view._array
    offset = (array.ctypes.data - base._array.ctypes.data) // array.itemsize
    return array.shape, tuple(s // array.itemsize for s in array.strides), offset


def edge_into_base(view: Tensor, base: Tensor) -> Edge | None:
    """The edge that a view has after a write: that of a strided part of the base as it is now."""
    if not base._array.flags.c_contiguous:
        raise NotImplementedError(
            "autograd_teach supports a write beside a view only where the viewed tensor is contiguous; call .contiguous() on it "
            "before taking the view"
        )
    return _edge_of_part(base, geometry(view, base))


def _edge_of_part(base: Tensor, part: Geometry) -> Edge:
    with enable_grad():
        return edge_of(as_strided(base, *part))


class CopySlices(Node):
    """The backward of a write into a view: the base's gradient, of which the part written to goes through the write's node."""

    __module__ = "builtins"

    def __init__(self, base: Tensor, view: Tensor, write: Node) -> None:
        base_edge = NO_EDGE if base._edge is NO_EDGE else edge_of(base)
        super().__init__((base_edge, *write._edges[1:]), base._array.shape, base._array.dtype)
        self._write = write
        self._geometry = geometry(view, base)

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        whole = np.array(grad, order="C")
        part = storage_view(whole, *self._geometry)
        first, *others = self._write._backward(part.copy(), (self._write._edges[0], *edges[1:]))
        part[...] = 0 if first is None else first
        return (whole, *others)

    def _backward_graph(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        whole = grad.clone()
        part = as_strided(whole, *self._geometry)
        first, *others = self._write._backward_graph(part.clone(), (self._write._edges[0], *edges[1:]))
        if first is None:
            zero_(part)
        else:
            copy_(part, first)
        return (whole, *others)

    def edge_of_part(self) -> Edge:
        """The edge of the part as it was written: what a saved result of the write depends on."""
        base = wrap(np.empty(self._shape, self._dtype))
        base._edge = (self, 0)
        return _edge_of_part(base, self._geometry)

    def _free(self) -> None:
        self._write._free()


def _kind(array: np.ndarray) -> int:
    return {"b": 0, "u": 1, "i": 1, "f": 2}[array.dtype.kind]


def _copied(self: np.ndarray, src: np.ndarray) -> np.ndarray:
    try:
        shape = np.broadcast_shapes(self.shape, src.shape)
    except ValueError:
        raise broadcast_error(self, src) from None
    # A source that does not fit is left as it is: `write` says what is wrong.
    return np.broadcast_to(src, shape).astype(self.dtype)


def _filled(self: np.ndarray, value: np.ndarray) -> np.ndarray:
    if value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return np.full_like(self, value)


# Rows whose out-of-place form has no use of its own: what was there before gets gradient zero

fill_number = op(
    "fill_number(self, value: float)",
    lambda self, value: np.full_like(self, value),
    node="FillBackward2",
    method=False,
    self=lambda g: zeros_of(g),
)
fill_value = op(
    "fill_value(self, value)",
    _filled,
    node="FillBackward3",
    method=False,
    self=lambda g: zeros_of(g),
    value=lambda g: sum(g),
)
zero = op("zero(self)", np.zeros_like, method=False, self=lambda g: g * 0)
copy = op(
    "copy(self, src)",
    _copied,
    node="CopyBackwards",
    method=False,
    self=lambda g: zeros_of(g),
    src=lambda g: g,
)
normal = op(
    "normal(self, mean: float, std: float)",
    lambda self, mean, std: random.filled(
        self, lambda size: random.normal(size, self.dtype, mean, std, self.flags.c_contiguous)
    ),
    method=False,
    self=lambda g: zeros_of(g),
)
uniform = op(
    "uniform(self, low: float, high: float)",
    lambda self, low, high: random.filled(self, lambda size: random.uniform(size, self.dtype, low, high)),
    method=False,
    self=lambda g: zeros_of(g),
)

_zero_, _copy_ = inplace_form(zero), inplace_form(copy)
_fill_number_, _fill_value_ = inplace_form(fill_number), inplace_form(fill_value)
_normal_, _uniform_ = inplace_form(normal), inplace_form(uniform)


def zero_(self: Tensor) -> Tensor:
    """Set every element to zero."""
    return _zero_(self)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to `value`, a number or a tensor of rank 0."""
    if not isinstance(value, Tensor):
        return _fill_number_(self, value)
    return _fill_value_(self, value)


def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Set the elements to those of `src`, which broadcasts and is cast to this tensor's dtype."""
    return _copy_(self, src)


def _floating(self: Tensor, kernel: str) -> None:
    if not self.is_floating_point():
        name = self.dtype.tensor_type[6:-6]
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{name}'")


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Fill with draws from the normal distribution.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(2).normal_().shape
    torch.Size([2])
    """
    _floating(self, "normal_kernel_cpu")
    return _normal_(self, mean, std)


def uniform_(self: Tensor, low: float = 0.0, high: float = 1.0) -> Tensor:
    """Fill with draws from the uniform distribution over [low, high)."""
    _floating(self, "check_uniform_bounds")
    return _uniform_(self, low, high)


for _form in (zero_, fill_, copy_, normal_, uniform_):
    setattr(Tensor, _form.__name__, _form)
