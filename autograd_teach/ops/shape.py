"""Operations that see the same elements in another shape or order, take parts of them, repeat them, put tensors together.

Results of `look` rows share memory and version counter with their input. Arguments `*size` and `*dims` come as several numbers
or as one sequence. Uses tensors and `declare` only: the other rooms of operations build on this one.
"""

from __future__ import annotations

import itertools
import math
import warnings
from functools import partial, reduce
from typing import Any

import numpy as np

from ..dtypes import promote_types
from ..errors import error, require
from ..tensor import Tensor, _storage, wrap, wrap_dim
from .declare import method, op

look = partial(op, view=True)

# The same elements in another shape


def _view(self, size):
    try:
        return self.reshape(size, copy=False)
    except ValueError:
        known = math.prod(n for n in size if n != -1)
        require(size.count(-1) < 2, "shape_unknowns")
        require(-1 not in size or known or self.size, "shape_ambiguous", tuple(size))
        fits = self.size % known == 0 if -1 in size and known else self.size == known
        raise error("shape_strides") if fits else error("shape_size", list(size), self.size)


def _unsqueeze(self, dim):
    return self[(slice(None),) * wrap_dim(dim, self.ndim + 1) + (None, ...)]


def _wrapped(dims, ndim, twice="dim_twice"):
    wrapped = tuple(wrap_dim(d, ndim) for d in dims)
    for d in wrapped:
        require(wrapped.count(d) == 1, twice, d)
    return wrapped


def _units(shape, dim):
    """The dimensions of extent 1: all for None, else those among `dim`, a number or several."""
    dims = (dim,) if isinstance(dim, int) else range(len(shape)) if dim is None else dim
    return [d for d in sorted(_wrapped(dims, len(shape))) if shape[d : d + 1] == (1,)]


def _squeezed(shape, dim):
    gone = _units(shape, dim)
    return tuple(n for d, n in enumerate(shape) if d not in gone)


def _squeeze(self, dim=None):
    return self.reshape(_squeezed(self.shape, dim))


def _unsqueezed(g, self_shape, dim):
    return reduce(unsqueeze, _units(self_shape, dim), g)


view = look("view(self, *size)", _view, self=lambda g, self_shape: reshape(g, self_shape))
# What `reshape` makes of elements that do not lie one behind the other: a view where their strides allow it, else a copy.
reshape_alias = look("reshape_alias.0(self, *size)", _view, self=lambda g, self_shape: reshape(g, self_shape))
unsafe_view = op("unsafe_view.0(self, *size)", _view, self=lambda g, self_shape: reshape(g, self_shape))
alias = look("alias.0(self)", lambda self: self[...], self=lambda g: g)
unsqueeze = look("unsqueeze(self, dim: int)", _unsqueeze, self=lambda g, dim: squeeze_dim(g, dim))
squeeze_all = look("squeeze.0(self)", _squeeze, self=lambda g, self_shape: _unsqueezed(g, self_shape, None))
squeeze_dim = look("squeeze.1(self, dim: int)", _squeeze, self=_unsqueezed)
squeeze_dims = look("squeeze.2(self, dim: tuple)", _squeeze, self=_unsqueezed)
# What `matmul` does to the row or column that it gave a vector: its own result, squeezed in place.
squeeze_own = op("squeeze.4(self, dim: int)", _squeeze, self=_unsqueezed)


@method
def reshape(input: Any, *shape: Any) -> Any:
    """The same elements in another shape: a view where the memory allows, else a copy."""
    size = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if not isinstance(input, Tensor):
        return input.reshape(size)
    try:
        return view(input, size) if input._array.flags.c_contiguous else reshape_alias(input, size)
    except RuntimeError:
        return unsafe_view(input.contiguous(), size)


@method
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made one."""
    shape, first, last = input.shape, wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    require(first <= last, "flatten_order")
    whole = math.prod(shape[first : last + 1])
    return input if shape and first == last else reshape(input, (*shape[:first], whole, *shape[last + 1 :]))


def one_squeeze(rows: Any, input: Tensor, *dims: Any, dim: Any = None) -> Tensor:
    """The one of three rows that these arguments mean: for all dimensions, for one, for several."""
    dim = dim if not dims else dims[0] if len(dims) == 1 else dims
    return rows[0](input) if dim is None else rows[1 if isinstance(dim, int) else 2](input, dim)


@method
def squeeze(input: Tensor, *dim: Any, **named: Any) -> Tensor:
    """Without the dimensions of extent 1, or without those of `dim`, a number or several, whose extent is 1."""
    return one_squeeze((squeeze_all, squeeze_dim, squeeze_dims), input, *dim, **named)


Tensor.view_as = lambda self, other: view(self, other.shape)  # type: ignore[attr-defined]  # attached as the operations are

# Dimensions and elements in another order


def _t(self, name="t"):
    require(self.ndim <= 2, "t_rank", name, self.ndim)
    return self.T


def _transpose(self, dim0, dim1):
    at = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
    return self.swapaxes(*at) if self.ndim else self[...]


def _permute(self, dims):
    require(len(dims) == self.ndim, "permute_length", self.ndim, len(dims))
    return self.transpose(_wrapped(dims, self.ndim, "permute_twice"))


def _all_reversed(self):
    if self.ndim not in (0, 2):
        warnings.warn(error("T_rank"), stacklevel=2)
    return permute(self, tuple(reversed(range(self.ndim))))


def _matrices_turned(self):
    require(self.ndim != 1, "mT_rank", self.ndim)
    return transpose(self, -2, -1) if self.ndim else self


t = look("t(self)", lambda self: self.T, check=_t, self=lambda g: t(g))
transpose = look(
    "transpose(self, dim0: int, dim1: int)", _transpose, self=lambda g, dim0, dim1: transpose(g, dim0, dim1)
)
permute = look(
    "permute(self, *dims)",
    _permute,
    self=lambda g, dims: permute(g, np.argsort([d % len(dims) for d in dims]).tolist()),
)
Tensor.swapaxes = Tensor.swapdims = swapaxes = swapdims = transpose  # type: ignore[attr-defined]
Tensor.T, Tensor.mT = property(_all_reversed), property(_matrices_turned)  # type: ignore[attr-defined]

# Parts; the derivative of each puts a gradient into zeros at that part


def _into(part):
    def kernel(grad_output, size, *place):
        whole = np.zeros(size, grad_output.dtype)
        part(whole, *place)[...] = grad_output
        return whole

    return kernel


def _select(self, dim, index):
    require(self.ndim, "select_scalar")
    at = wrap_dim(dim, self.ndim)
    require(-self.shape[at] <= index < self.shape[at], "select_index", index, self.shape, dim)
    return self[(slice(None),) * at + (index, ...)]


def _slice(self, dim, start, end, step):
    return self[(slice(None),) * dim + (slice(start, end, step),)]


def _diagonal(self, offset=0, dim1=0, dim2=1):
    at = wrap_dim(dim1, self.ndim), wrap_dim(dim2, self.ndim)
    require(at[0] != at[1], "diagonal_dims", dim1, dim2)
    part = np.diagonal(self, offset, *at)
    part.flags.writeable = self.flags.writeable  # NumPy gives it read-only
    return part


select = look(
    "select(self, dim: int, index: int)",
    _select,
    self=lambda g, self_shape, dim, index: select_backward(g, self_shape, dim, index),
)
select_backward = op(
    "select_backward(grad_output, size: tuple, dim: int, index: int)",
    _into(_select),
    grad_output=lambda g, dim, index: select(g, dim, index),
)
slice_view = look(
    "slice.0(self, dim: int, start: int, end: int, step: int)",
    _slice,
    self=lambda g, self_shape, dim, start, end, step: slice_backward(g, self_shape, dim, start, end, step),
)
slice_backward = op(
    "slice_backward(grad_output, size: tuple, dim: int, start: int, end: int, step: int)",
    _into(_slice),
    grad_output=lambda g, dim, start, end, step: slice_view(g, dim, start, end, step),
)
diagonal = look(
    "diagonal(self, offset=0, dim1=0, dim2=1)",
    _diagonal,
    self=lambda g, self_shape, offset, dim1, dim2: diagonal_backward(g, self_shape, offset, dim1, dim2),
)
diagonal_backward = op(
    "diagonal_backward(grad_output, size: tuple, offset: int, dim1: int, dim2: int)",
    _into(_diagonal),
    grad_output=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2),
)


@method
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` entries along `dim`, from `start` on."""
    require(input.ndim, "narrow_scalar")
    at, extent = wrap_dim(dim, input.ndim), input.size(dim)
    require(length >= 0, "narrow_length")
    require(-extent <= start <= extent, "narrow_start", extent, start)
    start += extent if start < 0 else 0
    require(start + length <= extent, "narrow_end", start, length, extent)
    return slice_view(input, at, start, start + length, 1)


# A place in memory is a size, strides and an offset, counted in elements


def storage_view(memory: np.ndarray, size: Any, stride: Any, offset: int) -> np.ndarray:
    """What lies at a place in an array's memory."""
    step = memory.itemsize
    return np.ndarray(size, memory.dtype, memory, offset * step, [s * step for s in stride])


def _strided(self, place, own, extent):
    size, stride, offset = place
    needed = 0 if 0 in size else offset + 1 + sum((n - 1) * s for n, s in zip(size, stride))
    step = self.itemsize
    require(needed <= extent, "strided_bounds", size, stride, offset, step, needed * step, extent * step)
    part = storage_view(_storage(self).reshape(-1, order="A"), *place)
    part.flags.writeable = all(s for n, s in zip(size, stride) if n > 1)  # an element shown twice is not written to
    return part


def _moved(grad_output, place, own, extent):
    """What lies at the place `own` of a memory of zeros after the gradient was added at `place`."""
    memory = np.zeros(extent, grad_output.dtype)
    np.add.at(memory, storage_view(np.arange(extent), *place), grad_output)
    return storage_view(memory, *own)


def _strided_back(g, place, own, extent):
    # The elements of an expanded tensor are one in memory: they share what arrives there.
    sharing = math.prod(n for n, s in zip(*own[:2]) if s == 0)
    return as_strided_backward(g, place, own, extent) / sharing


strided = look("as_strided.0(self, place: tuple, own: tuple, extent: int)", _strided, self=_strided_back)
as_strided_backward = op(
    "as_strided_backward(grad_output, place: tuple, own: tuple, extent: int)",
    _moved,
    grad_output=lambda g, place, own, extent: as_strided_backward(g, own, place, extent),
)


@method
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None, *, row: Any = None) -> Tensor:
    """What lies at another place of the memory that `input` is a part of; without an offset from its first element on."""
    own = tuple(input.shape), input.stride(), input.storage_offset()
    place = tuple(size), tuple(stride), own[2] if storage_offset is None else storage_offset
    return (row or strided)(input, place, own, _storage(input._array).size)


# Several tensors of one, one of several


def _common(tensors):
    common = reduce(promote_types, (a.dtype for a in tensors))
    return [a.astype(common, copy=False) for a in tensors]


def _stack(tensors, dim=0):
    require(tensors, "stack_none")
    for i, array in enumerate(tensors):
        require(array.shape == tensors[0].shape, "stack_size", tensors[0].shape, i, array.shape)
    return np.stack(_common(tensors), wrap_dim(dim, tensors[0].ndim + 1))


def _cat(tensors, dim=0):
    require(tensors, "cat_none")
    # PyTorch overlooks empty vectors.
    tensors = [a for a in _common(tensors) if a.shape != (0,)] or tensors
    first, at = tensors[0], wrap_dim(dim, tensors[0].ndim)
    for i, array in enumerate(tensors):
        require(array.ndim, "cat_scalar", i)
        require(array.ndim == first.ndim, "cat_rank", first.ndim, array.ndim)
        for d, (n, m) in enumerate(zip(first.shape, array.shape)):
            require(n == m or d == at, "cat_size", at, n, m, i)
    return np.concatenate(tensors, at)


def _cat_back(g, tensors_shape, dim):
    at = dim % g.ndim
    ends = list(itertools.accumulate(shape[at] if len(shape) > at else 0 for shape in tensors_shape))
    places = zip(tensors_shape, [0, *ends], ends)
    return [slice_view(g, at, a, b, 1) if len(shape) == g.ndim else zeros_beside(g, shape) for shape, a, b in places]


def _split(self, sizes, dim=0):
    require(self.ndim, "split_scalar")
    at = wrap_dim(dim, self.ndim)
    extent = self.shape[at]
    if isinstance(sizes, int):
        require(sizes >= 0, "split_negative", sizes)
        require(sizes or not extent, "split_zero", extent)
        sizes = [min(sizes, extent - i) for i in range(0, max(extent, 1), sizes or 1)]
    require(min(sizes, default=0) >= 0, "split_entries", list(sizes))
    require(sum(sizes) == extent, "split_sum", extent, at, list(sizes))
    ends = list(itertools.accumulate(sizes))
    return [_slice(self, at, start, end, 1) for start, end in zip([0, *ends], ends)]


def _unbind(self, dim=0):
    require(self.ndim, "unbind_scalar", dim)
    at = wrap_dim(dim, self.ndim)
    return [_select(self, at, i) for i in range(self.shape[at])]


def _filled(grads, self_shape, cut, *arguments):
    """The gradients of the parts into which `cut` cuts a tensor, zeros where none arrived."""
    if all(g is not None for g in grads):
        return grads
    zeros = cut(zeros_beside(next(g for g in grads if g is not None), self_shape), *arguments)
    return [zero if g is None else g for g, zero in zip(grads, zeros)]


def zeros_beside(g: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of another shape, with the kind and dtype of a gradient."""
    return wrap(np.zeros(shape, g._array.dtype)) if isinstance(g, Tensor) else np.zeros(shape, g.dtype)


def _split_back(grads, self_shape, sizes, dim):
    return cat(_filled(grads, self_shape, split, sizes, dim), dim)


def _unbind_back(grads, self_shape, dim):
    return stack(_filled(grads, self_shape, unbind, dim), dim)


stack = op("stack(tensors, dim=0)", _stack, tensors=lambda g, dim: [select(g, dim, i) for i in range(g.shape[dim])])
cat = op("cat(tensors, dim=0)", _cat, tensors=_cat_back)
unbind = look("unbind(self, dim=0)", _unbind, outputs=(), self=_unbind_back)
split_evenly = look("split.0(self, sizes: int, dim=0)", _split, outputs=(), self=_split_back)
split_with_sizes = look("split_with_sizes(self, sizes: list, dim=0)", _split, outputs=(), self=_split_back)


@method
def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Views of parts of a given size, or of the given sizes, along `dim`."""
    row = split_evenly if isinstance(split_size_or_sections, int) else split_with_sizes
    return row(tensor, split_size_or_sections, dim)


@method
def chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    """`chunks` parts of equal size along `dim`, the last one smaller where it does not come out even."""
    require(input.ndim, "chunk_scalar")
    require(chunks > 0, "chunk_count", chunks)
    return split(input, -(-input.size(dim) // chunks) or [0] * chunks, dim)


# Elements repeated, reversed, cut to a triangle


def _check_repeat(self, repeats):
    require(len(repeats) >= self.ndim, "repeat_rank")
    size = [n * m for n, m in zip(repeats, (1,) * (len(repeats) - self.ndim) + self.shape)]
    require(min(size, default=0) >= 0, "repeat_negative", min(size, default=0), size)


def _repeat_back(g, self_shape, repeats):
    for _ in repeats[len(self_shape) :]:
        g = g.sum(0)
    # Each repeated dimension becomes two, of which the first is summed.
    pairs = zip(repeats[len(repeats) - len(self_shape) :], self_shape)
    apart = [pair if pair[0] != 1 else pair[1:] for pair in pairs]
    firsts = [sum(map(len, apart[:i])) for i, pair in enumerate(apart) if len(pair) == 2]
    return reshape(g, tuple(itertools.chain(*apart))).sum(tuple(firsts)) if firsts else g


def _check_triangle(name, self, diagonal):
    require(self.ndim > 1, "triangle_rank", name)


def _check_trace(self):
    require(self.ndim == 2, "trace_rank", self.ndim)
    require(self.dtype != bool, "linalg_kernel", "trace", self)


repeat = op("repeat(self, *repeats)", np.tile, check=_check_repeat, self=_repeat_back)
flip = op(
    "flip(self, *dims)",
    lambda self, dims: np.flip(self, _wrapped(dims, self.ndim) if self.ndim else ()).copy(),
    self=lambda g, dims: flip(g, dims),
)
triangle = partial(op, inplace=True)
_tril_rank, _triu_rank = (partial(_check_triangle, name) for name in ("tril", "triu"))
tril = triangle("tril(self, diagonal=0)", np.tril, check=_tril_rank, self=lambda g, diagonal: tril(g, diagonal))
triu = triangle("triu(self, diagonal=0)", np.triu, check=_triu_rank, self=lambda g, diagonal: triu(g, diagonal))
trace = op(
    "trace(self)", np.trace, check=_check_trace, self=lambda g, self_shape: diagonal_backward(g, self_shape, 0, 0, 1)
)
