"""Operations that look at the same memory in another shape, and those that put tensors together.

The results of view rows share memory and version counter with their input. Arguments named `*size` or `*dims` come as several
numbers or as one sequence.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import dtype, promote_types
from ..tensor import Tensor, wrap, wrap_dim
from .declare import method, op


def _complete(size: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """The size with its one -1 worked out."""
    known = 1
    for n in size:
        known *= n if n != -1 else 1
    if size.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in size and known and numel % known == 0:
        return tuple(numel // known if n == -1 else n for n in size)
    if known != numel or -1 in size:
        raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {numel}")
    return size


def _view(self: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    size = _complete(tuple(size), self.size)
    try:
        return self.reshape(size, copy=False)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None


view = op("view(self, *size)", _view, view=True, method=False, self=lambda g, self_shape: reshape(g, self_shape))


def _view_method(self: Tensor, *size: Any) -> Tensor:
    """The same memory in another shape; RuntimeError where its strides do not allow that."""
    if size and isinstance(size[0], dtype):
        raise NotImplementedError("autograd_teach does not support a view as another dtype; use .to(dtype)")
    return view(self, *size)


Tensor.view = _view_method  # type: ignore[attr-defined]  # attached as the operations are

# The views and copies that `reshape` makes where the elements do not lie one behind the other.
reshape_alias = op(
    "reshape_alias(self, *size)",
    _view,
    view=True,
    method=False,
    self=lambda g, self_shape: reshape(g, self_shape),
)
unsafe_view = op(
    "unsafe_view(self, *size)",
    _view,
    method=False,
    self=lambda g, self_shape: reshape(g, self_shape),
)
alias = op("alias(self)", lambda self: self[...], view=True, method=False, self=lambda g: g)


@method
def reshape(self: Any, *shape: Any) -> Any:
    """The same elements in another shape: a view where the memory allows, else a copy.

    >>> import autograd_teach as torch
    >>> torch.arange(4).reshape(2, -1)
    tensor([[0, 1],
            [2, 3]])
    """
    size = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if not isinstance(self, Tensor):
        return self.reshape(size)
    size = _complete(size, self._array.size)
    if self._array.flags.c_contiguous:
        return view(self, size)
    try:
        self._array.reshape(size, copy=False)
    except ValueError:
        return unsafe_view(self.clone(), size)
    return reshape_alias(self, size)


@method
def flatten(self: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made one."""
    first, last = wrap_dim(start_dim, self.ndim), wrap_dim(end_dim, self.ndim)
    if self.ndim == 1 and first == last:
        return self
    return reshape(self, (*self.shape[:first], -1, *self.shape[last + 1 :]))


@method
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """A view with the shape of `other`."""
    return view(self, other.shape)


# Dimensions in another order, more of them, fewer


def _t(self: np.ndarray, name: str = "t") -> np.ndarray:
    if self.ndim > 2:
        raise RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


def _permute(self: np.ndarray, dims: Sequence[int]) -> np.ndarray:
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering "
            f"of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(dims)}"
        )
    return self.transpose([wrap_dim(d, self.ndim) for d in dims])


def _inverse(dims: Sequence[int]) -> list[int]:
    return [int(i) for i in np.argsort([d % len(dims) for d in dims])]


def _unsqueeze(self: np.ndarray, dim: int) -> np.ndarray:
    at = wrap_dim(dim, self.ndim + 1)
    return self.reshape((*self.shape[:at], 1, *self.shape[at:]))


def _squeezed(shape: Sequence[int], dim: int | tuple[int, ...] | None) -> tuple[int, ...]:
    at = list(range(len(shape)))
    if dim is not None:
        at = [wrap_dim(d, len(shape)) for d in ((dim,) if isinstance(dim, int) else dim)]
        for d in at:
            if at.count(d) > 1:
                raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return tuple(n for i, n in enumerate(shape) if n != 1 or i not in at)


def _transpose(self: np.ndarray, dim0: int, dim1: int) -> np.ndarray:
    return self.swapaxes(wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)) if self.ndim else self[...]


t = op("t(self)", _t, view=True, self=lambda g: t(g))
transpose = op(
    "transpose(self, dim0: int, dim1: int)",
    _transpose,
    view=True,
    self=lambda g, dim0, dim1: transpose(g, dim0, dim1),
)
permute = op("permute(self, *dims)", _permute, view=True, self=lambda g, dims: permute(g, _inverse(dims)))
unsqueeze = op(
    "unsqueeze(self, dim: int)",
    _unsqueeze,
    view=True,
    self=lambda g, dim: squeeze_dim(g, dim),
)
squeeze_all = op(
    "squeeze_all(self)",
    lambda self: self.reshape(_squeezed(self.shape, None)),
    node="SqueezeBackward0",
    view=True,
    method=False,
    self=lambda g, self_shape: reshape(g, self_shape),
)
squeeze_dim = op(
    "squeeze_dim(self, dim: int)",
    lambda self, dim: self.reshape(_squeezed(self.shape, dim)),
    node="SqueezeBackward1",
    view=True,
    method=False,
    self=lambda g, self_shape, dim: reshape(g, self_shape),
)

# What `matmul` does to the row or column that it gave a vector: its own result, squeezed in place.
squeeze_own = op(
    "squeeze_own(self, dim: int)",
    lambda self, dim: self.reshape(_squeezed(self.shape, dim)),
    node="SqueezeBackward4",
    method=False,
    self=lambda g, self_shape: reshape(g, self_shape),
)


squeeze_dims = op(
    "squeeze_dims(self, dim: tuple)",
    lambda self, dim: self.reshape(_squeezed(self.shape, dim)),
    node="SqueezeBackward2",
    view=True,
    method=False,
    self=lambda g, self_shape: reshape(g, self_shape),
)


@method
def squeeze(self: Tensor, *dim: Any, **named: Any) -> Tensor:
    """Without the dimensions of extent 1, or without those of `dim`, a number or several, whose extent is 1.

    >>> import autograd_teach as torch
    >>> torch.zeros(1, 2, 1).squeeze(0).shape
    torch.Size([2, 1])
    """
    return one_squeeze((squeeze_all, squeeze_dim, squeeze_dims), self, *dim, **named)


def one_squeeze(rows: Any, self: Tensor, *dims: Any, dim: Any = None) -> Tensor:
    """The one of three rows that these arguments mean: for all dimensions, for one, for several."""
    dim = dim if not dims else dims[0] if len(dims) == 1 else dims
    return rows[0](self) if dim is None else rows[1 if isinstance(dim, int) else 2](self, dim)


# Parts


def _select(self: np.ndarray, dim: int, index: int) -> np.ndarray:
    if self.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    at, extent = wrap_dim(dim, self.ndim), self.shape[dim]
    if not -extent <= index < extent:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {dim}"
        )
    return self[(slice(None),) * at + (index, ...)]


def _slice(self: np.ndarray, dim: int, start: int, end: int, step: int) -> np.ndarray:
    return self[(slice(None),) * dim + (slice(start, end, step),)]


def _scatter(g: Any, shape: tuple[int, ...], place: Any) -> Any:
    """Zeros of `shape` with `g` at `place`, which holds no element twice."""
    whole = np.zeros(shape, g.dtype)
    whole[place] = g
    return whole


select = op(
    "select(self, dim: int, index: int)",
    _select,
    view=True,
    self=lambda g, self_shape, dim, index: select_backward(g, self_shape, dim, index),
)
slice_view = op(
    "slice_view(self, dim: int, start: int, end: int, step: int)",
    _slice,
    node="SliceBackward0",
    view=True,
    method=False,
    self=lambda g, self_shape, dim, start, end, step: slice_backward(g, self_shape, dim, start, end, step),
)
select_backward = op(
    "select_backward(self, size: tuple, dim: int, index: int)",
    lambda self, size, dim, index: _scatter(self, size, (slice(None),) * (dim % len(size)) + (index,)),
    node="SelectBackwardBackward0",
    method=False,
    self=lambda g, dim, index: select(g, dim, index),
)
slice_backward = op(
    "slice_backward(self, size: tuple, dim: int, start: int, end: int, step: int)",
    lambda self, size, dim, start, end, step: _scatter(self, size, (slice(None),) * dim + (slice(start, end, step),)),
    node="SliceBackwardBackward0",
    method=False,
    self=lambda g, dim, start, end, step: slice_view(g, dim, start, end, step),
)


def storage_view(self: np.ndarray, size: Any, stride: Any, offset: int) -> np.ndarray:
    """The memory behind an array, from its first element on, seen in another geometry; strides and offset in elements."""
    span = offset + 1 + sum((n - 1) * s for n, s in zip(size, stride))
    flat = np.lib.stride_tricks.as_strided(self, (max(span, 0),), (self.itemsize,))
    return np.lib.stride_tricks.as_strided(flat[offset:], size, [s * self.itemsize for s in stride])


def _as_strided(self: np.ndarray, size: Any, stride: Any, storage_offset: int = 0) -> np.ndarray:
    needed = storage_offset + 1 + sum((n - 1) * s for n, s in zip(size, stride))
    held = 1 + sum((n - 1) * s // self.itemsize for n, s in zip(self.shape, self.strides))
    if needed > held and 0 not in size:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {storage_offset}, and itemsize "
            f"{self.itemsize} requiring a storage size of {needed * self.itemsize} are out of bounds for storage of size "
            f"{held * self.itemsize}"
        )
    return storage_view(self, size, stride, storage_offset)


def _into_storage(self: np.ndarray, shape: Any, size: Any, stride: Any, storage_offset: int) -> np.ndarray:
    whole = np.zeros(shape, self.dtype)
    positions = storage_view(np.arange(whole.size), size, stride, storage_offset)
    np.add.at(whole.reshape(-1), positions, self)
    return whole


def _packed(g: Any) -> Any:
    """A gradient whose elements lie one behind the other, as strides into it presume."""
    return g.contiguous() if isinstance(g, Tensor) else np.ascontiguousarray(g)


as_strided = op(
    "as_strided(self, size: tuple, stride: tuple, storage_offset=0)",
    _as_strided,
    view=True,
    self=lambda g, self_shape, size, stride, storage_offset: as_strided_backward(
        g, self_shape, size, stride, storage_offset
    ),
)
# For a base that is contiguous, as tensors that are no views nearly always are.
as_strided_backward = op(
    "as_strided_backward(self, shape: tuple, size: tuple, stride: tuple, storage_offset: int)",
    _into_storage,
    node="AsStridedBackwardBackward0",
    method=False,
    self=lambda g, size, stride, storage_offset: as_strided(_packed(g), size, stride, storage_offset),
)


def _diagonal(self: np.ndarray, offset: int = 0, dim1: int = 0, dim2: int = 1) -> np.ndarray:
    at = wrap_dim(dim1, self.ndim), wrap_dim(dim2, self.ndim)
    if at[0] == at[1]:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    part = np.diagonal(self, offset, *at)
    # NumPy gives it read-only.
    part.flags.writeable = self.flags.writeable
    return part


def _on_diagonal(self: np.ndarray, size: tuple[int, ...], offset: int, dim1: int, dim2: int) -> np.ndarray:
    whole = np.zeros(size, self.dtype)
    _diagonal(whole, offset, dim1, dim2)[...] = self
    return whole


diagonal = op(
    "diagonal(self, offset=0, dim1=0, dim2=1)",
    _diagonal,
    view=True,
    self=lambda g, self_shape, offset, dim1, dim2: diagonal_backward(g, self_shape, offset, dim1, dim2),
)
diagonal_backward = op(
    "diagonal_backward(self, size: tuple, offset: int, dim1: int, dim2: int)",
    _on_diagonal,
    node="DiagonalBackwardBackward0",
    method=False,
    self=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),
)


# Several tensors of one, one of several


def _filled(grads: list[Any], shapes: list[tuple[int, ...]]) -> list[Any]:
    """The gradients of several results, zeros where none arrived."""
    known = next(g for g in grads if g is not None)
    if isinstance(known, Tensor):
        return [wrap(np.zeros(shape, known._array.dtype)) if g is None else g for g, shape in zip(grads, shapes)]
    return [np.zeros(shape, known.dtype) if g is None else g for g, shape in zip(grads, shapes)]


def _common(arrays: list[np.ndarray]) -> list[np.ndarray]:
    common = functools.reduce(promote_types, (a.dtype for a in arrays))
    return [a.astype(common, copy=False) for a in arrays]


def _stack(tensors: list[np.ndarray], dim: int = 0) -> np.ndarray:
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for position, array in enumerate(tensors):
        if array.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 "
                f"and {list(array.shape)} at entry {position}"
            )
    return np.stack(_common(tensors), wrap_dim(dim, tensors[0].ndim + 1))


def _cat(tensors: list[np.ndarray], dim: int = 0) -> np.ndarray:
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    first = tensors[0]
    at = wrap_dim(dim, first.ndim)
    for position, array in enumerate(tensors):
        if array.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {position}) cannot be concatenated")
        if array.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {array.ndim}")
        for i, (expected, got) in enumerate(zip(first.shape, array.shape)):
            if i != at and expected != got:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {at}. Expected size {expected} but got size {got} "
                    f"for tensor number {position} in the list."
                )
    return np.concatenate(_common(tensors), wrap_dim(dim, tensors[0].ndim))


def _parts(size: int, split_size: Any) -> list[tuple[int, int]]:
    """First entry of each part that a dimension is split into, and the entry behind its last."""
    if isinstance(split_size, int):
        if split_size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
        if split_size == 0:
            if size:
                raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
            return [(0, 0)]
        return [(i, min(i + split_size, size)) for i in range(0, max(size, 1), split_size)]
    ends = np.cumsum(split_size).tolist()
    if sum(split_size) != size:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension 0), but got "
            f"split_sizes={list(split_size)}"
        )
    return list(zip([0, *ends], ends))


def _split(self: np.ndarray, split_size: Any, dim: int = 0) -> list[np.ndarray]:
    if self.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    at = wrap_dim(dim, self.ndim)
    return [_slice(self, at, a, b, 1) for a, b in _parts(self.shape[at], split_size)]


def _split_shapes(shape: tuple[int, ...], split_size: Any, dim: int) -> list[tuple[int, ...]]:
    at = dim % len(shape)
    return [(*shape[:at], b - a, *shape[at + 1 :]) for a, b in _parts(shape[at], split_size)]


def _without(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    at = dim % len(shape)
    return (*shape[:at], *shape[at + 1 :])


def _pieces(g: Any, shapes: list[tuple[int, ...]], dim: int) -> list[Any]:
    """A gradient of a concatenation, cut where its parts meet."""
    at = dim % len(shapes[0])
    ends = np.cumsum([shape[at] for shape in shapes]).tolist()
    return [slice_view(g, at, a, b, 1) for a, b in zip([0, *ends], ends)]


def _unbind(self: np.ndarray, dim: int = 0) -> list[np.ndarray]:
    if self.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    at = wrap_dim(dim, self.ndim)
    return [_select(self, at, i) for i in range(self.shape[at])]


stack = op("stack(tensors, dim=0)", _stack, method=False, tensors=lambda g, dim: unbind(g, dim))
cat = op(
    "cat(tensors, dim=0)",
    _cat,
    method=False,
    tensors=lambda g, tensors_shape, dim: _pieces(g, tensors_shape, dim),
)
unbind = op(
    "unbind(self, dim=0)",
    _unbind,
    outputs=(),
    view=True,
    self=lambda grads, self_shape, dim: stack(_filled(grads, [_without(self_shape, dim)] * len(grads)), dim),
)
split_evenly = op(
    "split_evenly(self, split_size: int, dim=0)",
    _split,
    node="SplitBackward0",
    outputs=(),
    view=True,
    method=False,
    self=lambda grads, self_shape, split_size, dim: cat(
        _filled(grads, _split_shapes(self_shape, split_size, dim)), dim
    ),
)
split_with_sizes = op(
    "split_with_sizes(self, split_sizes: list, dim=0)",
    _split,
    outputs=(),
    view=True,
    self=lambda grads, self_shape, split_sizes, dim: cat(
        _filled(grads, _split_shapes(self_shape, split_sizes, dim)), dim
    ),
)


@method
def split(self: Tensor, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Views of parts of a given size, or of the given sizes, along `dim`."""
    if isinstance(split_size_or_sections, int):
        return split_evenly(self, split_size_or_sections, dim)
    return split_with_sizes(self, split_size_or_sections, dim)


@method
def chunk(self: Tensor, chunks: int, dim: int = 0) -> Any:
    """`chunks` parts of equal size along `dim`, the last one smaller where it does not come out even."""
    if self.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return split(self, -(-self.size(dim) // chunks), dim)


@method
def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` entries along `dim`, from `start` on."""
    if self.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    extent = self.size(dim)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -extent <= start <= extent:
        raise IndexError(f"start out of range (expected to be in range of [{-extent}, {extent}], but got {start})")
    start += extent if start < 0 else 0
    if start + length > extent:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({extent}).")
    return slice_view(self, wrap_dim(dim, self.ndim), start, start + length, 1)


def _transposed(self: Tensor) -> Tensor:
    if self.ndim not in (0, 2):
        import warnings

        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
            "error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            stacklevel=2,
        )
    return permute(self, tuple(reversed(range(self.ndim))))


Tensor.T = property(_transposed)  # type: ignore[attr-defined]
Tensor.mT = property(lambda self: transpose(self, -2, -1))  # type: ignore[attr-defined]
swapaxes = swapdims = transpose
Tensor.swapaxes = Tensor.swapdims = transpose  # type: ignore[attr-defined]
