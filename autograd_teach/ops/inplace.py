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
from ..autograd.graph import NO_EDGE, Edge, Node, operation_name
from ..autograd.modes import enable_grad, state
from ..tensor import Tensor, View, edge_of, wrap
from .declare import broadcast_error, inplace_form, op
from .pointwise import zeros_of
from .reduction import sum
from .shape import (
    _squeezed,
    _t,
    _transpose,
    _unsqueeze,
    as_strided,
    one_squeeze,
    permute,
    reshape,
    squeeze_dim,
    squeeze_own,
    storage_view,
    t,
    transpose,
)


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


def _axes_of_memory(base: np.ndarray) -> list[int] | None:
    """The dimensions of an array in the order in which its elements lie in memory; None for the usual order."""
    if base.flags.c_contiguous:
        return None
    axes = sorted(range(base.ndim), key=lambda axis: -base.strides[axis])
    if not base.transpose(axes).flags.c_contiguous:
        raise NotImplementedError(
            "autograd_teach supports a write into a view only where the viewed tensor's elements lie one behind the other; call "
            ".clone() on it before taking the view"
        )
    return axes


def edge_into_base(view: Tensor, base: Tensor) -> Edge | None:
    """The edge that a view has after a write: that of a strided part of the base as it is now."""
    return _edge_of_part(base, geometry(view, base))


def _edge_of_part(base: Tensor, part: Geometry) -> Edge:
    axes = _axes_of_memory(base._array)
    with enable_grad():
        return edge_of(as_strided(base if axes is None else permute(base, axes), *part))


class CopySlices(Node):
    """The backward of a write into a view: the base's gradient, of which the part written to goes through the write's node."""

    __module__ = "builtins"

    def __init__(self, base: Tensor, view: Tensor, write: Node) -> None:
        base_edge = NO_EDGE if base._edge is NO_EDGE else edge_of(base)
        super().__init__((base_edge, *write._edges[1:]), base._array.shape, base._array.dtype)
        self._write = write
        self._geometry = geometry(view, base)
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
        if first is None:
            zero_(part)
        else:
            copy_(part, first)
        return (whole if self._axes is None else permute(whole, np.argsort(self._axes).tolist()), *others)

    def edge_of_part(self) -> Edge:
        """The edge of the part as it was written: what a saved result of the write depends on."""
        base = wrap(np.empty(self._shape, self._dtype))
        if self._axes is not None:
            base = wrap(np.empty([self._shape[i] for i in self._axes], self._dtype).transpose(np.argsort(self._axes)))
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


# Rows whose out-of-place form has no use of its own


def _overwriting(signature: str, kernel: Callable[..., Any], node: str | None = None, **formulas: Any) -> Any:
    """An operation whose result does not depend on what was there before, which therefore gets gradient zero."""
    return op(signature, kernel, node=node, method=False, self=lambda g: zeros_of(g), **formulas)


zero = _overwriting("zero(self)", np.zeros_like)
fill_number = _overwriting(
    "fill_number(self, value: float)", lambda self, value: np.full_like(self, value), "FillBackward2"
)
fill_value = _overwriting("fill_value(self, value)", _filled, "FillBackward3", value=lambda g: sum(g))
copy = _overwriting("copy(self, src)", _copied, "CopyBackwards", src=lambda g: g)
normal = _overwriting(
    "normal(self, mean: float, std: float, generator: Generator)",
    lambda self, mean, std, generator: random.filled(
        self, lambda size: generator.normal(size, self.dtype, mean, std, self.flags.c_contiguous)
    ),
)
uniform = _overwriting(
    "uniform(self, low: float, high: float, generator: Generator)",
    lambda self, low, high, generator: random.filled(self, lambda size: generator.uniform(size, self.dtype, low, high)),
)
# PyTorch counts its forms: between two bounds, below one, without any.
random_between = _overwriting(
    "random_between(self, low: int, to: int, generator: Generator)",
    lambda self, low, to, generator: random.filled(self, lambda size: generator.randint(low, to, size, self.dtype)),
    "RandomBackward0",
)
random_below = _overwriting(
    "random_below(self, to: int, generator: Generator)",
    lambda self, to, generator: random.filled(self, lambda size: generator.randint(0, to, size, self.dtype)),
    "RandomBackward1",
)
random_all = _overwriting(
    "random_all(self, generator: Generator)",
    lambda self, generator: random.filled(self, lambda size: generator.random(size, self.dtype)),
    "RandomBackward2",
)
bernoulli_number = _overwriting(
    "bernoulli_number(self, p: float, generator: Generator)",
    lambda self, p, generator: random.filled(self, lambda size: generator.bernoulli(p, size, self.dtype)),
    "BernoulliBackward2",
)
bernoulli_tensor = _overwriting(
    "bernoulli_tensor(self, p, generator: Generator)",
    lambda self, p, generator: random.filled(
        self, lambda size, chance: generator.bernoulli(chance, size, self.dtype), np.broadcast_to(p, self.shape)
    ),
    "BernoulliBackward1",
    p=lambda g: zeros_of(g),
)
bernoulli_own = _overwriting(
    "bernoulli_own(self, generator: Generator)",
    lambda self, generator: random.filled(
        self, lambda size, chance: generator.bernoulli(chance, size, self.dtype), self
    ),
    "BernoulliBackward0",
)

_random_, _random_below_ = inplace_form(random_between), inplace_form(random_below)
_random_all_ = inplace_form(random_all)
_bernoulli_, _bernoulli_of_ = inplace_form(bernoulli_number), inplace_form(bernoulli_tensor)
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


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with draws from the normal distribution, of `generator` or of the one that `torch.manual_seed` seeds.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(2).normal_().shape
    torch.Size([2])
    """
    _floating(self, "normal_kernel_cpu")
    return _normal_(self, mean, std, generator or random.default_generator)


def uniform_(self: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with draws from the uniform distribution over [low, high)."""
    _floating(self, "check_uniform_bounds")
    return _uniform_(self, low, high, generator or random.default_generator)


def random_(self: Tensor, low: int | None = None, to: int | None = None, *, generator: Any = None) -> Tensor:
    """Fill with integers drawn from [low, to), with one bound from [0, low), with none from all that the dtype holds."""
    generator = generator or random.default_generator
    if low is None:
        return _random_all_(self, generator)
    return _random_below_(self, low, generator) if to is None else _random_(self, low, to, generator)


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with ones with probability `p`, a number or a tensor that broadcasts, else zeros."""
    form = _bernoulli_of_ if isinstance(p, Tensor) else _bernoulli_
    return form(self, p, generator or random.default_generator)


def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Ones and zeros, where each element of `input` is the probability of a one, or `p` is that of all."""
    if p is None:
        return bernoulli_own(input, generator or random.default_generator)
    if state.grad_enabled and input.requires_grad:
        raise RuntimeError("derivative for aten::bernoulli is not implemented")
    return bernoulli_(input.clone(), p, generator=generator)


for _form in (zero_, fill_, copy_, normal_, uniform_, random_, bernoulli_, bernoulli):
    setattr(Tensor, _form.__name__, _form)


# Forms that leave the memory as it is and change how the tensor looks at it

t_own = op("t_own(self)", lambda self: _t(self, "t_"), node="TBackward1", method=False, self=lambda g: t(g))
transpose_own = op(
    "transpose_own(self, dim0: int, dim1: int)",
    _transpose,
    node="TransposeBackward1",
    method=False,
    self=lambda g, dim0, dim1: transpose(g, dim0, dim1),
)
unsqueeze_own = op(
    "unsqueeze_own(self, dim: int)",
    _unsqueeze,
    node="UnsqueezeBackward1",
    method=False,
    self=lambda g, dim: squeeze_dim(g, dim),
)
squeeze_all_own = op(
    "squeeze_all_own(self)",
    lambda self: self.reshape(_squeezed(self.shape, None)),
    node="SqueezeBackward3",
    method=False,
    self=lambda g, self_shape: reshape(g, self_shape),
)
squeeze_dims_own = op(
    "squeeze_dims_own(self, dim: tuple)",
    lambda self, dim: self.reshape(_squeezed(self.shape, dim)),
    node="SqueezeBackward5",
    method=False,
    self=lambda g, self_shape: reshape(g, self_shape),
)


def _squeeze_own(self: Tensor, *dim: Any, **named: Any) -> Tensor:
    return one_squeeze((squeeze_all_own, squeeze_own, squeeze_dims_own), self, *dim, **named)


def _look_in_place(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    def form(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if state.grad_enabled and self._edge is not NO_EDGE:
            refuse_in_place(self)
            if self._base is not None:
                raise NotImplementedError(
                    f"autograd_teach does not support {name} on a view that requires grad; use {name[:-1]}, which gives a new view"
                )
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


for _own, _names in {
    t_own: ("t_",),
    transpose_own: ("transpose_", "swapaxes_", "swapdims_"),
    unsqueeze_own: ("unsqueeze_",),
    _squeeze_own: ("squeeze_",),
}.items():
    for _name in _names:
        setattr(Tensor, _name, _look_in_place(_own, _name))
