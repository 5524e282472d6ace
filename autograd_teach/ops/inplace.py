"""Writing into a tensor's memory: who may, what it does to the history, and the operations that only exist in place.

A write raises the version that the tensor shares with its views, so that a node which saved the old value can tell. The
tensor that was written to takes over the history of the value written.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import dtypes, random
from ..autograd.leaf import edge_of
from ..autograd.modes import enable_grad, state
from ..autograd.node import NO_EDGE, Edge, Node, operation_name
from ..autograd.saved import freed
from ..errors import error, require
from ..tensor import Tensor, View, axes_by_stride, wrap
from .declare import OPERATIONS, inplace_form, method, op
from .pointwise import common_shape, zeros_of
from .reduction import sum_all
from .shape import as_strided, place_of, reach, squeeze, squeeze_own, storage_view

# fmt: off

# Who may write where

def refuse_in_place(tensor: Tensor) -> None:
    """RuntimeError where recording a write would lose a leaf's place as a leaf, or the history of a view."""
    if isinstance(tensor, View) and tensor._base is not None:
        if tensor._made_by:
            raise forbidden_write(tensor, tensor._own_edge, "is being")
        if tensor.requires_grad and tensor._base.is_leaf:
            raise error("in_place_on_view_of_leaf")
        if tensor.requires_grad and tensor._own_edge is NO_EDGE:
            # Made before its base required grad, and not looked at since: for PyTorch a leaf.
            raise error("in_place_on_leaf")
    if tensor._edge is not NO_EDGE and tensor.is_leaf:
        raise error("in_place_on_leaf")

def forbidden_write(view: View, edge: Edge | None, what: str) -> Exception:
    """Why a write to a view, or to `what` else, cannot be told from one that should not be recorded."""
    node, number = edge or NO_EDGE
    head = "A view" if node is None else f"Output {number} of {operation_name(node)} is a view"
    if node is not None and view._made_by != "no_grad":
        return error(f"view_made_by_{view._made_by}", f"{head} and {what} modified inplace.")
    of = "" if node is None else " of a view which"
    head += f"{of} was created in no_grad mode and {what} modified inplace with grad mode enabled."
    return error(f"view_made_by_{view._made_by}", head)

def refuse_overlap(target: Tensor, operands: Sequence[Tensor]) -> None:
    """RuntimeError where an element would be written twice, or be written before another one is computed from it."""
    written = target._array
    repeated = written.size and any(step == 0 and extent > 1 for step, extent in zip(written.strides, written.shape))
    if repeated or not written.flags.writeable:
        raise error("write_to_repeated")
    for operand in operands:
        if operand is not target and _partly_the_same(written, operand._array):
            raise error("write_overlaps")

def _partly_the_same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two packed arrays share memory without being the same; of others PyTorch finds it too hard to tell."""
    if not (a.size and b.size and np.may_share_memory(a, b)):
        return False
    packed = [array.transpose(axes_by_stride(array)).flags.c_contiguous for array in (a, b)]
    return all(packed) and (a.ctypes.data, a.nbytes, a.strides) != (b.ctypes.data, b.nbytes, b.strides)

# The write, and what it does to the history

def write(tensor: Tensor, value: Tensor) -> Tensor:
    """Put the values of `value`, an operation's result, into `tensor`, and its history onto `tensor`."""
    target, source, counter = tensor._array, value._array, tensor._counter
    if source.shape != target.shape:
        raise error("write_of_shape", list(target.shape), list(source.shape))
    if dtypes.category(source.dtype) > dtypes.category(target.dtype):
        raise error("write_of_dtype", dtypes.title(source), dtypes.title(target))
    if state.before_write is not None:
        state.before_write(tensor)
    np.copyto(target, source, casting="unsafe")
    if tensor.is_inference() and not state.inference:
        raise error("inference_tensor_written")
    counter[0] += 1
    if value._edge is NO_EDGE or target.dtype.kind != "f":
        return tensor
    node: Any = edge_of(value)[0]
    saved = getattr(node, "_s_result", None)
    if saved and saved[1] is value._counter:
        # That result is this memory now, at this version.
        node._s_result = (target, counter, counter[0])
    # The value was cast on its way, so the gradient that comes back is of the tensor's dtype.
    node._dtype = target.dtype
    counter[1:] = [f"0 of {operation_name(node)}"]
    if tensor._base is None:
        tensor._become(edge_of(value))
    else:
        place_in_base(tensor, node)
    return tensor

def place_in_base(view: Any, node: Any) -> None:
    """Make a node that wrote into a view a part of the history of its base, where its views look for theirs now."""
    slices = CopySlices(view._base, view, node)
    view._base._become((slices, 0))
    view._counter[1:] = [f"0 of {slices.name()}"]
    node._written = weakref.ref(view._edge[0])  # which brings it up to date

def edge_into_base(base: Tensor, place: tuple[Any, ...]) -> Edge:
    """The edge that a view has after a write: that of a strided part of the base as it is now."""
    with enable_grad():
        return edge_of(as_strided(base, *place))

class CopySlices(Node):
    """The backward of a write into a view: of the base's gradient, the part written goes through the write's node."""

    # Nodes print as PyTorch's do, whose classes belong to no module.
    __module__ = "builtins"
    _prefix = "torch::autograd::"

    def __init__(self, base: Tensor, view: Tensor, write: Node) -> None:
        base_edge = NO_EDGE if base._edge is NO_EDGE else edge_of(base)
        super().__init__((base_edge, *write._edges[1:]), base._array.shape, base._array.dtype)
        self._write: Node | None = write
        self._whole, self._part = place_of(base), place_of(view)
        self._extent = max(reach(*self._whole), reach(*self._part))

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        write = self._write or freed(self)
        memory = np.zeros(self._extent, grad.dtype)
        whole, part = storage_view(memory, *self._whole), storage_view(memory, *self._part)
        whole[...] = grad
        first, *others = write._backward(part.copy(), (write._edges[0], *edges[1:]))
        part[...] = 0 if first is None else first
        return (whole if edges[0][0] else None, *others)

    def _backward_graph(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        write = self._write or freed(self)
        whole = wrap(storage_view(np.zeros(self._extent, grad._array.dtype), *self._whole)).copy_(grad)
        part = as_strided(whole, *self._part)
        first, *others = write._backward_graph(part.clone(), (write._edges[0], *edges[1:]))
        zero_(part) if first is None else copy_(part, first)
        return (whole if edges[0][0] else None, *others)

    def _free(self) -> None:
        self._write = None  # which others may still lead to

# Rows whose out-of-place form has no use of its own

def _overwriting(signature: str, kernel: Callable[..., Any], overlap: bool = False, **row: Any) -> Callable[..., Any]:
    """The in-place form of a result that does not depend on what was there, which therefore gets gradient zero."""
    return method(inplace_form(op(signature, kernel, method=False, self=lambda g: zeros_of(g), **row), overlap))

def _drawing(signature: str, draw: Callable[..., Any], **row: Any) -> Callable[..., Any]:
    """The same of draws from the generator, the last argument, in the order of the memory that they fill."""
    def kernel(self, *given):
        *given, generator = given
        return random.filled(self, lambda size: draw(generator or random.default_generator, size, self.dtype, *given))
    return _overwriting(signature, kernel, **row)

zero_ = _overwriting("zero(self)", np.zeros_like, overlap=True)
# A source that does not fit is left as it is: `write` says what is wrong.
copy_ = _overwriting("copy(self, src, non_blocking=False)", numbers=True, src=lambda g: g,
    kernel=lambda self, src, non_blocking: np.broadcast_to(src, common_shape(self, src)).astype(self.dtype),
    node="torch::autograd::CopyBackwards")
_fill_number = _overwriting("fill.2(self, value: float)", np.full_like, overlap=True)
_fill_value = _overwriting("fill.3(self, value)", np.full_like, overlap=True, value=lambda g: sum_all(g),
    check=lambda self, value: require(not value.ndim, "fill_with_many", value.ndim))
_normal = _drawing("normal(self, mean: float, std: float, contiguous: bool, generator: Any)", random.Generator.normal)
uniform_ = _drawing("uniform(self, low=0.0, high=1.0, *, generator=None)", random.Generator.uniform)
random_ = _drawing("random(self, low: int, to: int, *, generator=None)",
    lambda generator, size, dtype, low, to: generator.randint(low, to, size, dtype))
bernoulli_ = _drawing("bernoulli.2(self, p: float = 0.5, *, generator=None)",
    lambda generator, size, dtype, p: generator.bernoulli(p, size, dtype),
    check=lambda self, p, generator: require(not isinstance(p, Tensor), "bernoulli_tensor"))

@method
def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to `value`, a number or a tensor of rank 0."""
    return (_fill_value if isinstance(value, Tensor) else _fill_number)(self, value)

@method
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with draws from the normal distribution, of `generator` or of the one that `torch.manual_seed` seeds."""
    return _normal(self, mean, std, self.is_contiguous(), generator)

# Forms that leave the memory as it is and change how the tensor looks at it

def _own(key: str, number: int, **options: Any) -> Callable[..., Any]:
    """The row of a view for the form that changes the tensor itself: PyTorch gives its node a number of its own."""
    row = OPERATIONS[key]
    return op(f"{row.name}.{number}({row.parameter_list}", row.kernel, **{"check": row.check, **row.formulas} | options)

def _look_in_place(name: str, function: Callable[..., Tensor]) -> None:
    def form(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if state.recording and self.requires_grad:
            refuse_in_place(self)
        source = wrap(self._array)
        if state.recording:
            source._edge = self._edge
        output: Any = function(source, *args, **kwargs)
        self._array = output._array
        self._counter[0] += 1
        if output._edge is not NO_EDGE:
            self._edge = edge_of(output)
            self._counter[1:] = [f"0 of {operation_name(output.grad_fn)}"]
        return self

    form.__name__ = form.__qualname__ = name
    form.__doc__ = f"The form of `{name[:-1]}` that changes the tensor itself."
    method(form)

_squeeze_rows, _strided_row = (_own("squeeze.0", 3), squeeze_own, _own("squeeze.2", 5)), _own("as_strided.0", 1)
_look_in_place("t_", _own("t", 1, check=lambda self: require(self.ndim <= 2, "t_rank", "t_", self.ndim)))
_look_in_place("transpose_", _own("transpose", 1))
_look_in_place("unsqueeze_", _own("unsqueeze", 1))
_look_in_place("squeeze_", lambda self, *dim, **named: squeeze(self, *dim, **named, rows=_squeeze_rows))
_look_in_place("as_strided_", lambda self, *place: as_strided(self, *place, row=_strided_row))
Tensor.swapaxes_ = Tensor.swapdims_ = Tensor.transpose_  # type: ignore[attr-defined]  # as operations are
