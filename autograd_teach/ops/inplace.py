"""Writing into a tensor's memory: who may, what it does to the history, and the operations that only exist in place.

A write raises the version that the tensor shares with its views, so that a node which saved the old value can tell. The tensor
that was written to takes over the history of the value written.
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
from ..errors import error
from ..tensor import Tensor, View, wrap
from .declare import OPERATIONS, broadcast_error, inplace_form, op
from .pointwise import zeros_of
from .reduction import sum_all
from .shape import _t, as_strided, one_squeeze, permute, squeeze_own, storage_view

# Who may write where


def refuse_in_place(tensor: Tensor) -> None:
    """RuntimeError where recording a write would lose a leaf's place as a leaf, or the history of a view."""
    if isinstance(tensor, View) and tensor._base is not None:
        if tensor._made_by:
            raise forbidden_write(tensor, tensor._own_edge, "is being")
        if tensor._edge is not NO_EDGE and tensor._base.is_leaf:
            raise error("in_place_on_view_of_leaf")
    if tensor._edge is not NO_EDGE and tensor.is_leaf:
        raise error("in_place_on_leaf")


def forbidden_write(view: View, edge: Edge | None, what: str) -> Exception:
    """Why a write to a view, or `what` else has been written to, cannot be told from one that should not be recorded."""
    node, number = edge or NO_EDGE
    head = "A view" if node is None else f"Output {number} of {operation_name(node)} is a view"
    if node is None or view._made_by == "no_grad":
        of = " of a view which" if node is not None else ""
        head += f"{of} was created in no_grad mode and {what} modified inplace with grad mode enabled."
    else:
        head += f" and {what} modified inplace."
    return error(f"view_made_by_{view._made_by}", head)


def refuse_overlap(target: Tensor, operands: Sequence[Tensor]) -> None:
    """RuntimeError where an element would be written twice, or be written before another one is computed from it."""
    if not target._array.flags.writeable:
        raise error("write_to_repeated")
    for operand in operands:
        shared = operand._counter is target._counter and operand is not target
        if shared and _partly_the_same(target._array, operand._array):
            raise error("write_overlaps")


def _partly_the_same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two packed arrays share memory without being the same; of others PyTorch finds it too hard to tell."""
    if not (a.size and b.size and _is_packed(a) and _is_packed(b) and np.may_share_memory(a, b)):
        return False
    # The stride of a dimension of one element means nothing.
    steps, others = ([s if n != 1 else 0 for s, n in zip(x.strides, x.shape)] for x in (a, b))
    return a.ctypes.data != b.ctypes.data or a.nbytes != b.nbytes or steps != others


def _is_packed(array: np.ndarray) -> bool:
    """Whether the elements fill their stretch of memory, in whatever order."""
    step = array.itemsize
    for stride, extent in sorted((s, n) for s, n in zip(array.strides, array.shape) if n != 1):
        if stride != step:
            return False
        step *= extent
    return True


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
    if value._edge is NO_EDGE:
        return tensor
    node: Any = edge_of(value)[0]
    result = getattr(node, "_s_result", None)
    if result and result[1] is value._counter:
        # The result that the node saved is this memory now, at this version.
        node._s_result = (target, counter, counter[0])
    # The value was cast on its way, so the gradient that comes back is of the tensor's dtype.
    node._dtype = target.dtype
    counter[1:] = [operation_name(node)]
    if tensor._base is None:
        tensor._edge = edge_of(value)
    else:
        place_in_base(tensor, node)
    return tensor


def place_in_base(view: Any, node: Any) -> None:
    """Make a node that wrote into a view a part of the history of its base; the raised version makes every view look there."""
    slices = CopySlices(view._base, view, node)
    node._written = weakref.ref(slices)
    view._base._edge = (slices, 0)
    view._counter[1:] = [slices.name()]


Geometry = tuple[tuple[int, ...], tuple[int, ...], int]


def _geometry(view: Tensor, base: Tensor) -> Geometry:
    """Size, strides and offset of a view within its base's memory, in elements."""
    array = view._array
    offset = (array.ctypes.data - base._array.ctypes.data) // array.itemsize
    return array.shape, tuple(s // array.itemsize for s in array.strides), offset


def _axes_of_memory(base: np.ndarray) -> list[int] | None:
    """The dimensions of an array in the order in which its elements lie in memory; None for the usual order."""
    if base.flags.c_contiguous:
        return None
    axes = sorted(range(base.ndim), key=lambda axis: -base.strides[axis])
    if not base.transpose(axes).flags.c_contiguous:
        raise error("write_into_odd_view")
    return axes


def edge_into_base(view: Tensor, base: Tensor) -> Edge | None:
    """The edge that a view has after a write: that of a strided part of the base as it is now."""
    return _edge_of_part(base, _geometry(view, base))


def _edge_of_part(base: Tensor, part: Geometry) -> Edge:
    axes = _axes_of_memory(base._array)
    with enable_grad():
        return edge_of(as_strided(base if axes is None else permute(base, axes), *part))


class CopySlices(Node):
    """The backward of a write into a view: the base's gradient, of which the part written to goes through the write's node."""

    # Nodes print as PyTorch's do, whose classes belong to no module.
    __module__ = "builtins"

    def __init__(self, base: Tensor, view: Tensor, write: Node) -> None:
        base_edge = NO_EDGE if base._edge is NO_EDGE else edge_of(base)
        super().__init__((base_edge, *write._edges[1:]), base._array.shape, base._array.dtype)
        self._write = write
        self._geometry = _geometry(view, base)
        self._axes = _axes_of_memory(base._array)

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        whole = np.array(grad if self._axes is None else grad.transpose(self._axes), order="C")
        part = storage_view(whole, *self._geometry)
        first, *others = self._write._backward(part.copy(), (self._write._edges[0], *edges[1:]))
        part[...] = 0 if first is None else first
        return (whole if self._axes is None else whole.transpose(np.argsort(self._axes)), *others)

    def _backward_graph(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        whole = grad.clone() if self._axes is None else permute(grad, self._axes).clone()
        part = as_strided(whole, *self._geometry)
        first, *others = self._write._backward_graph(part.clone(), (self._write._edges[0], *edges[1:]))
        zero_(part) if first is None else copy_(part, first)
        return (whole if self._axes is None else permute(whole, np.argsort(self._axes).tolist()), *others)

    def edge_of_part(self) -> Edge:
        """The edge of the part as it was written: what a saved result of the write depends on."""
        axes = self._axes or range(len(self._shape))
        base = wrap(np.empty([self._shape[i] for i in axes], self._dtype).transpose(np.argsort(axes)))
        base._edge = (self, 0)
        return _edge_of_part(base, self._geometry)

    def _free(self) -> None:
        self._write._free()


# Rows whose out-of-place form has no use of its own


def _overwriting(signature: str, kernel: Callable[..., Any], **formulas: Any) -> Callable[..., Any]:
    """The in-place form of a result that does not depend on what was there before, which therefore gets gradient zero."""
    return inplace_form(op(signature, kernel, method=False, self=lambda g: zeros_of(g), **formulas))


def _drawing(signature: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    """The same of random draws, in the order of the memory that they fill; the generator is the last argument."""
    return _overwriting(
        signature, lambda self, *given: random.filled(self, lambda size: draw(size, self.dtype, *given))
    )


def _copied(self: np.ndarray, src: np.ndarray) -> np.ndarray:
    try:
        shape = np.broadcast_shapes(self.shape, src.shape)
    except ValueError:
        raise broadcast_error(self, src) from None
    # A source that does not fit is left as it is: `write` says what is wrong.
    return np.broadcast_to(src, shape).astype(self.dtype)


def _filled(self: np.ndarray, value: np.ndarray) -> np.ndarray:
    if value.ndim:
        raise error("fill_with_many", value.ndim)
    return np.full_like(self, value)


def _chances(self: np.ndarray, p: np.ndarray, generator: random.Generator) -> np.ndarray:
    chances = np.broadcast_to(p, self.shape)
    return random.filled(self, lambda size, chance: generator.bernoulli(chance, size, self.dtype), chances)


_zero_ = _overwriting("zero(self)", np.zeros_like)
_fill_number_ = _overwriting("fill.2(self, value: float)", np.full_like)
_fill_value_ = _overwriting("fill.3(self, value)", _filled, value=lambda g: sum_all(g))
_copy_ = _overwriting("copy(self, src)", _copied, node="CopyBackwards", src=lambda g: g)
_normal_ = _drawing(
    "normal(self, mean: float, std: float, contiguous: bool, generator: Generator)",
    lambda size, dtype, mean, std, contiguous, generator: generator.normal(size, dtype, mean, std, contiguous),
)
_uniform_ = _drawing(
    "uniform(self, low: float, high: float, generator: Generator)",
    lambda size, dtype, low, high, generator: generator.uniform(size, dtype, low, high),
)
# PyTorch counts its forms: between two bounds, below one, without any.
_random_between_ = _drawing(
    "random.0(self, low: int, to: int, generator: Generator)",
    lambda size, dtype, low, to, generator: generator.randint(low, to, size, dtype),
)
_random_below_ = _drawing(
    "random.1(self, to: int, generator: Generator)",
    lambda size, dtype, to, generator: generator.randint(0, to, size, dtype),
)
_random_all_ = _drawing(
    "random.2(self, generator: Generator)", lambda size, dtype, generator: generator.random(size, dtype)
)
_bernoulli_number_ = _drawing(
    "bernoulli.2(self, p: float, generator: Generator)",
    lambda size, dtype, p, generator: generator.bernoulli(p, size, dtype),
)
_bernoulli_tensor_ = _overwriting("bernoulli.1(self, p, generator: Generator)", _chances, p=lambda g: zeros_of(g))
_bernoulli_own = op(
    "bernoulli.0(self, generator: Generator)",
    lambda self, generator: _chances(self, self, generator),
    self=lambda g: zeros_of(g),
)


def zero_(self: Tensor) -> Tensor:
    """Set every element to zero."""
    return _zero_(self)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to `value`, a number or a tensor of rank 0."""
    return (_fill_value_ if isinstance(value, Tensor) else _fill_number_)(self, value)


def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Set the elements to those of `src`, which broadcasts and is cast to this tensor's dtype."""
    return _copy_(self, src)


def _require_floats(self: Tensor, kernel: str) -> None:
    if not self.is_floating_point():
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.title(self._array)}'")


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with draws from the normal distribution, of `generator` or of the one that `torch.manual_seed` seeds.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(2).normal_()
    tensor([ 1.5410, -0.2934])
    """
    _require_floats(self, "normal_kernel_cpu")
    return _normal_(self, mean, std, self.is_contiguous(), generator or random.default_generator)


def uniform_(self: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with draws from the uniform distribution over [low, high)."""
    _require_floats(self, "check_uniform_bounds")
    return _uniform_(self, low, high, generator or random.default_generator)


def random_(self: Tensor, low: int | None = None, to: int | None = None, *, generator: Any = None) -> Tensor:
    """Fill with integers drawn from [low, to), with one bound from [0, low), with none from all that the dtype holds."""
    generator = generator or random.default_generator
    if low is None:
        return _random_all_(self, generator)
    return _random_below_(self, low, generator) if to is None else _random_between_(self, low, to, generator)


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with ones with probability `p`, a number or a tensor that broadcasts, else zeros."""
    form = _bernoulli_tensor_ if isinstance(p, Tensor) else _bernoulli_number_
    return form(self, p, generator or random.default_generator)


def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Ones and zeros, where each element of `input` is the probability of a one, or `p` is that of all."""
    if p is None:
        return _bernoulli_own(input, generator or random.default_generator)
    if state.recording and input.requires_grad:
        raise error("bernoulli_derivative")
    return bernoulli_(input.clone(), p, generator=generator)


for _form in (zero_, fill_, copy_, normal_, uniform_, random_, bernoulli_, bernoulli):
    setattr(Tensor, _form.__name__, _form)


# Forms that leave the memory as it is and change how the tensor looks at it


def _own(key: str, number: int, **options: Any) -> Callable[..., Any]:
    """The row of a view for the form that changes the tensor itself: PyTorch gives its node a number of its own."""
    row = OPERATIONS[key]
    options = {"check": row.check} | options
    return op(f"{row.name}.{number}({row.parameter_list}", row.kernel, **options, **row.formulas)


_squeeze_rows = (_own("squeeze.0", 3), squeeze_own, _own("squeeze.2", 5))
_strided_own = _own("as_strided.0", 1)
_looks = {
    "t_": _own("t", 1, check=lambda array: _t(array, "t_")),
    "transpose_": _own("transpose", 1),
    "unsqueeze_": _own("unsqueeze", 1),
    "squeeze_": lambda self, *dim, **named: one_squeeze(_squeeze_rows, self, *dim, **named),
    "as_strided_": lambda self, *place: as_strided(self, *place, row=_strided_own),
}
_looks["swapaxes_"] = _looks["swapdims_"] = _looks["transpose_"]


def _look_in_place(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    def form(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if state.recording and self.requires_grad:
            refuse_in_place(self)
        source = wrap(self._array)
        source._edge = self._edge
        output = function(source, *args, **kwargs)
        self._array = output._array
        self._counter[0] += 1
        if output._edge is not NO_EDGE:
            self._edge = edge_of(output)
        return self

    form.__name__ = form.__qualname__ = name
    form.__doc__ = f"The form of `{name[:-1]}` that changes the tensor itself."
    return form


for _name, _look in _looks.items():
    setattr(Tensor, _name, _look_in_place(_look, _name))
