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
from ..tensor import Tensor, View, axes_by_stride, memory_of, wrap
from .declare import OPERATIONS, inplace_form, op
from .pointwise import common_shape, zeros_of
from .reduction import sum_all
from .shape import as_strided, squeeze, squeeze_own, storage_view

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
    if not (a.size and b.size and np.may_share_memory(a, b) and _is_packed(a) and _is_packed(b)):
        return False
    return a.ctypes.data != b.ctypes.data or a.nbytes != b.nbytes or a.strides != b.strides


def _is_packed(array: np.ndarray) -> bool:
    """Whether the elements fill their stretch of memory, in whatever order."""
    return array.transpose(axes_by_stride(array)).flags.c_contiguous


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
    node._written = weakref.ref(slices)
    view._base._become((slices, 0))
    view._counter[1:] = [f"0 of {slices.name()}"]
    view._edge  # noqa: B018  brings it up to date


def _place(tensor: Tensor) -> tuple[Any, ...]:
    """Where a tensor lies in its memory: size, strides and offset in elements."""
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()


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
        self._extent, self._whole, self._part = memory_of(base._array).size, _place(base), _place(view)

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        write = self._write or freed(self)
        memory = np.zeros(self._extent, grad.dtype)
        whole, part = storage_view(memory, *self._whole), storage_view(memory, *self._part)
        whole[...] = grad
        first, *others = write._backward(part.copy(), (write._edges[0], *edges[1:]))
        part[...] = 0 if first is None else first
        return (whole, *others)

    def _backward_graph(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        write = self._write or freed(self)
        whole = self._empty_base(grad._array.dtype).copy_(grad)
        part = as_strided(whole, *self._part)
        first, *others = write._backward_graph(part.clone(), (write._edges[0], *edges[1:]))
        zero_(part) if first is None else copy_(part, first)
        return (whole, *others)

    def _empty_base(self, dtype: np.dtype) -> Tensor:
        return wrap(storage_view(np.zeros(self._extent, dtype), *self._whole))

    def edge_of_part(self) -> Edge:
        """The edge of the part as it was written: what a saved result of the write depends on."""
        base = self._empty_base(self._dtype)
        base._edge = (self, 0)
        return edge_into_base(base, self._part)

    def _free(self) -> None:
        if self._write is not None:
            self._write._free()
        self._write = None


# Rows whose out-of-place form has no use of its own


def _overwriting(
    signature: str, kernel: Callable[..., Any], overlap: bool = False, **formulas: Any
) -> Callable[..., Any]:
    """The in-place form of a result that does not depend on what was there before, which therefore gets gradient zero."""
    return inplace_form(op(signature, kernel, method=False, self=lambda g: zeros_of(g), **formulas), overlap)


def _drawing(signature: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    """The same of draws from the generator, the last argument, in the order of the memory that they fill."""

    def kernel(self, *given):
        *given, generator = given
        return random.filled(self, lambda size: draw(generator or random.default_generator, size, self.dtype, *given))

    return _overwriting(signature, kernel)


def _copied(self: np.ndarray, src: np.ndarray, non_blocking: bool) -> np.ndarray:
    # A source that does not fit is left as it is: `write` says what is wrong.
    return np.broadcast_to(src, common_shape(self, src)).astype(self.dtype)


def _by_chances(self: np.ndarray, p: np.ndarray, generator: random.Generator | None) -> np.ndarray:
    draw = (generator or random.default_generator).bernoulli
    return random.filled(self, lambda size, chance: draw(chance, size, self.dtype), np.broadcast_to(p, self.shape))


zero_ = _overwriting("zero(self)", np.zeros_like, overlap=True)
copy_ = _overwriting(
    "copy(self, src, non_blocking=False)", _copied, numbers=True, node="torch::autograd::CopyBackwards", src=lambda g: g
)
_fill_number_ = _overwriting("fill.2(self, value: float)", np.full_like, overlap=True)
_fill_value_ = _overwriting(
    "fill.3(self, value)", np.full_like, overlap=True, value=lambda g: sum_all(g),
    check=lambda self, value: require(not value.ndim, "fill_with_many", value.ndim),
)  # fmt: skip
_normal_ = _drawing("normal(self, mean: float, std: float, contiguous: bool, generator: Any)", random.Generator.normal)
uniform_ = _drawing("uniform(self, low=0.0, high=1.0, *, generator=None)", random.Generator.uniform)
# PyTorch counts its forms: between two bounds, below one, without any.
_random_between_ = _drawing(
    "random.0(self, low: int, to: int, generator: Any)",
    lambda generator, size, dtype, low, to: generator.randint(low, to, size, dtype),
)
_random_below_ = _drawing(
    "random.1(self, to: int, generator: Any)", lambda generator, size, dtype, to: generator.randint(0, to, size, dtype)
)
_random_all_ = _drawing("random.2(self, generator: Any)", random.Generator.random)
_bernoulli_own = op(
    "bernoulli.0(self, generator: Any)", lambda self, generator: _by_chances(self, self, generator),
    self=lambda g: zeros_of(g),
)  # fmt: skip
_bernoulli_tensor_ = _overwriting("bernoulli.1(self, p, generator: Any)", _by_chances, p=lambda g: zeros_of(g))
_bernoulli_number_ = _drawing(
    "bernoulli.2(self, p: float, generator: Any)", lambda generator, size, dtype, p: generator.bernoulli(p, size, dtype)
)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to `value`, a number or a tensor of rank 0."""
    return (_fill_value_ if isinstance(value, Tensor) else _fill_number_)(self, value)


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with draws from the normal distribution, of `generator` or of the one that `torch.manual_seed` seeds."""
    return _normal_(self, mean, std, self.is_contiguous(), generator)


def random_(self: Tensor, low: int | None = None, to: int | None = None, *, generator: Any = None) -> Tensor:
    """Fill with integers drawn from [low, to), with one bound from [0, low), with none from all of the dtype's."""
    if low is None:
        return _random_all_(self, generator)
    return _random_below_(self, low, generator) if to is None else _random_between_(self, low, to, generator)


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with ones with probability `p`, a number or a tensor that broadcasts, else zeros."""
    return (_bernoulli_tensor_ if isinstance(p, Tensor) else _bernoulli_number_)(self, p, generator)


def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Ones and zeros, where each element of `input` is the probability of a one, or `p` is that of all."""
    if p is None:
        return _bernoulli_own(input, generator)
    require(not (state.recording and input.requires_grad), "bernoulli_derivative")
    return bernoulli_(input.clone(), p, generator=generator)


for _form in (zero_, fill_, copy_, normal_, uniform_, random_, bernoulli_, bernoulli):
    setattr(Tensor, _form.__name__, _form)


# Forms that leave the memory as it is and change how the tensor looks at it


def _own(key: str, number: int, **options: Any) -> Callable[..., Any]:
    """The row of a view for the form that changes the tensor itself: PyTorch gives its node a number of its own."""
    row = OPERATIONS[key]
    options = {"check": row.check, **row.formulas} | options
    return op(f"{row.name}.{number}({row.parameter_list}", row.kernel, **options)


_squeeze_rows = (_own("squeeze.0", 3), squeeze_own, _own("squeeze.2", 5))
_strided_own = _own("as_strided.0", 1)
_looks = {
    "t_": _own("t", 1, check=lambda self: require(self.ndim <= 2, "t_rank", "t_", self.ndim)),
    **dict.fromkeys(("transpose_", "swapaxes_", "swapdims_"), _own("transpose", 1)),
    "unsqueeze_": _own("unsqueeze", 1),
    "squeeze_": lambda self, *dim, **named: squeeze(self, *dim, **named, rows=_squeeze_rows),
    "as_strided_": lambda self, *place: as_strided(self, *place, row=_strided_own),
}


def _look_in_place(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
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
    return form


for _name, _look in _looks.items():
    setattr(Tensor, _name, _look_in_place(_look, _name))
