"""Operations that see the same elements in another shape or order, take parts, repeat them, put tensors together.

Arguments `*size` and `*dims` are several numbers or one sequence. Uses tensors and `declare` only: other rooms use it.
"""

import math
import warnings
from functools import partial, reduce
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from ..dtypes import promote_types
from ..errors import error, require
from ..tensor import Tensor, memory_of, wrap, wrap_dim
from .declare import method, op

# fmt: off
look = partial(op, view=True)

# The same elements in another shape

def _view(self, size):
    if min(size, default=0) < -1:
        raise error("shape_negative", min(size), size.index(min(size)), list(size))
    try:
        return self.reshape(size, copy=False)
    except ValueError:
        require(size.count(-1) < 2, "shape_unknowns")
        require(self.size or -1 not in size, "shape_ambiguous", size)
        known = math.prod(size)  # below zero where one is to be inferred
        fits = known == self.size or (known < 0 and not self.size % known)
        raise error("shape_strides") if fits else error("shape_size", list(size), self.size)

def _unsqueeze(self, dim):
    at = wrap_dim(dim, self.ndim + 1)
    return self.reshape(*self.shape[:at], 1, *self.shape[at:])

def wrap_dims(dims, ndim, twice="dim_twice"):
    """Several dimensions counted from the front; an error where one comes twice."""
    wrapped = tuple([wrap_dim(d, ndim) for d in dims])
    for d in wrapped:
        require(wrapped.count(d) == 1, twice, d)
    return wrapped

def _units(shape, dim):
    """The dimensions of extent 1: all for None, else those among `dim`, a number or several."""
    dims = (dim,) if isinstance(dim, int) else range(len(shape)) if dim is None else dim
    return [d for d in sorted(wrap_dims(dims, len(shape))) if shape[d : d + 1] == (1,)]

_viewing = partial(op, kernel=_view, self=lambda g, self_shape: reshape(g, self_shape))
_squeezing = partial(op, kernel=lambda self, dim=None: np.squeeze(self, tuple(_units(self.shape, dim))),
    self=lambda g, self_shape, dim: reduce(unsqueeze, _units(self_shape, dim), g))

view = _viewing("view(self, *size)", view=True)
# What `reshape` makes of elements that do not lie one behind the other, where their strides allow a view, and else.
reshape_alias = _viewing("reshape_alias.0(self, *size)", view=True)
unsafe_view = _viewing("unsafe_view.0(self, *size)")
alias = look("alias.0(self)", lambda self: self[...], self=lambda g: g)
unsqueeze = look("unsqueeze(self, dim: int)", _unsqueeze, self=lambda g, dim: squeeze_dim(g, dim))
squeeze_all = _squeezing("squeeze.0(self)", view=True,
    self=lambda g, self_shape: reduce(unsqueeze, _units(self_shape, None), g))
squeeze_dim = _squeezing("squeeze.1(self, dim: int)", view=True)
squeeze_dims = _squeezing("squeeze.2(self, dim: tuple)", view=True)
# What `matmul` does to the row or column that it gave a vector: its own result, squeezed in place.
squeeze_own = _squeezing("squeeze.4(self, dim: int)")

@method
def reshape(input: Any, *shape: Any) -> Any:
    """The same elements in another shape: a view where the memory allows, else a copy."""
    if not isinstance(input, Tensor):
        return input.reshape(*shape)
    try:
        return view(input, *shape) if input._array.flags.c_contiguous else reshape_alias(input, *shape)
    except RuntimeError:
        return unsafe_view(input.contiguous(), *shape)

@method
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made one."""
    shape, first, last = input.shape, wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    require(first <= last, "flatten_order")
    whole = math.prod(shape[first : last + 1])
    return input if shape and first == last else reshape(input, (*shape[:first], whole, *shape[last + 1 :]))

@method
def squeeze(input: Tensor, *dims: Any, dim: Any = None, rows: Any = (squeeze_all, squeeze_dim, squeeze_dims)) -> Tensor:
    """Without the dimensions of extent 1, or without those of `dim`, a number or several, whose extent is 1."""
    dim = dim if not dims else dims[0] if len(dims) == 1 else dims
    return rows[0](input) if dim is None else rows[1 if isinstance(dim, int) else 2](input, dim)

Tensor.view_as = lambda self, other: view(self, other.shape)  # type: ignore[attr-defined]  # as operations are

# Dimensions and elements in another order

def _transpose(self, dim0, dim1):
    at = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
    return self.swapaxes(*at) if self.ndim else self[...]

def _all_reversed(self):
    if self.ndim != 2:
        warnings.warn(error("T_rank") if self.ndim else error("T_scalar", "T"), stacklevel=2)
    return permute(self, tuple(reversed(range(self.ndim))))

def _matrices_turned(self):
    require(self.ndim != 1, "mT_rank", self.ndim)
    if not self.ndim:
        warnings.warn(error("T_scalar", "mT"), stacklevel=2)
    return transpose(self, -2, -1) if self.ndim else self

t = look("t(self)", lambda self: self.T, check=lambda self: require(self.ndim <= 2, "t_rank", "t", self.ndim),
    self=lambda g: t(g))
transpose = look("transpose(self, dim0: int, dim1: int)", _transpose,
    self=lambda g, dim0, dim1: transpose(g, dim0, dim1))
permute = look("permute(self, *dims)", lambda self, dims: self.transpose(wrap_dims(dims, self.ndim, "permute_twice")),
    check=lambda self, dims: require(len(dims) == self.ndim, "permute_length", self.ndim, len(dims)),
    self=lambda g, dims: permute(g, np.argsort(wrap_dims(dims, g.ndim))))
Tensor.swapaxes = Tensor.swapdims = swapaxes = swapdims = transpose  # type: ignore[attr-defined]
Tensor.T, Tensor.mT = property(_all_reversed), property(_matrices_turned)  # type: ignore[attr-defined]

# Parts

def _select(self, dim, index):
    require(self.ndim, "select_scalar")
    at = wrap_dim(dim, self.ndim)
    require(-self.shape[at] <= index < self.shape[at], "select_index", index, self.shape, at)
    return self[(slice(None),) * at + (index, ...)]

def _slice(self, dim, start, end, step):
    return self[(slice(None),) * dim + (slice(start, end, step),)]

def _diagonal(self, offset=0, dim1=0, dim2=1):
    at = wrap_dim(dim1, self.ndim), wrap_dim(dim2, self.ndim)
    require(at[0] != at[1], "diagonal_dims", dim1, dim2)
    part = np.diagonal(self, offset, *at)
    part.flags.writeable = self.flags.writeable  # NumPy gives it read-only
    return part

def _into_zeros(part):
    """The kernel of the derivative of a part: it puts a gradient into zeros at that part."""
    def kernel(grad_output, size, *place):
        whole = np.zeros(size, grad_output.dtype)
        part(whole, *place)[...] = grad_output
        return whole
    return kernel

select = look("select(self, dim: int, index: int)", _select,
    self=lambda g, self_shape, dim, index: select_backward(g, self_shape, dim, index))
select_backward = op("select_backward(grad_output, size: tuple, dim: int, index: int)", _into_zeros(_select),
    grad_output=lambda g, dim, index: select(g, dim, index))
slice_view = look("slice.0(self, dim: int, start: int, end: int, step: int)", _slice,
    self=lambda g, self_shape, dim, start, end, step: slice_backward(g, self_shape, dim, start, end, step))
slice_backward = op("slice_backward(grad_output, size: tuple, dim: int, start: int, end: int, step: int)",
    _into_zeros(_slice), grad_output=lambda g, dim, start, end, step: slice_view(g, dim, start, end, step))
diagonal = look("diagonal(self, offset=0, dim1=0, dim2=1)", _diagonal,
    self=lambda g, self_shape, offset, dim1, dim2: diagonal_backward(g, self_shape, offset, dim1, dim2))
diagonal_backward = op("diagonal_backward(grad_output, size: tuple, offset=0, dim1=0, dim2=1)", _into_zeros(_diagonal),
    grad_output=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2))

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

def place_of(tensor):
    """Where a tensor lies in its memory."""
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()

def reach(size, stride, offset):
    """How many elements a memory must have for a place to lie within it."""
    return 0 if 0 in size else offset + 1 + sum((n - 1) * s for n, s in zip(size, stride))

def storage_view(memory: np.ndarray, size: Any, stride: Any, offset: int) -> np.ndarray:
    """What lies at a place in an array's memory."""
    if 0 in size:
        return memory[:0].reshape(size)
    step = memory.itemsize
    return np.ndarray(size, memory.dtype, memory, offset * step, [s * step for s in stride])

def _strided(self, place, own):
    (size, stride, offset), memory, step = place, memory_of(self), self.itemsize
    needed = reach(*place)
    require(needed <= memory.size, "strided_bounds", size, stride, offset, step, needed * step, memory.nbytes)
    part = storage_view(memory, *place)
    part.flags.writeable = all(s for n, s in zip(size, stride) if n > 1)  # an element shown twice is not written to
    return part

def _strided_back(g, place, own):
    """What lies at the place `own` of a memory of zeros after the gradient was added at `place`."""
    size, stride, offset = place
    if 0 in (*size, *own[0]):
        return zeros_beside(g, own[0])
    for i in reversed(range(len(size))):
        g = squeeze_dim(g, i) if size[i] == 1 else g if stride[i] else g.sum(i)
    steps = [(n, s) for n, s in zip(size, stride) if n > 1 and s]
    place = [n for n, _ in steps], [s for _, s in steps], offset
    extent = max(reach(*place), reach(*own))
    memory, there = zeros_beside(g, (extent,)), storage_view(np.arange(extent), *place)
    if not isinstance(g, Tensor):
        np.add.at(memory, there, g)
    elif np.unique(there).size == there.size:
        as_strided(memory, *place).copy_(g)
    else:
        memory = memory.index_add(0, wrap(there.reshape(-1)), reshape(g, -1))
    # The elements of an expanded tensor are one in memory: they share what arrives there.
    sharing = math.prod(n for n, s in zip(*own[:2]) if s == 0)
    return strided(memory / sharing if sharing > 1 else memory, own, ((extent,), (1,), 0))

strided = look("as_strided.0(self, place: tuple, own: tuple)", _strided, self=_strided_back)

@method
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None, *, row=strided) -> Tensor:
    """What lies at another place of the memory of `input`; without an offset from the first element of `input` on."""
    own = place_of(input)
    return row(input, (tuple(size), tuple(stride), own[2] if storage_offset is None else storage_offset), own)

# Several tensors of one, one of several

def _common(tensors):
    common = reduce(promote_types, (a.dtype for a in tensors))
    return [a.astype(common, copy=False) for a in tensors]

def _stack(tensors, dim=0):
    require(tensors, "stack_none")
    for i, array in enumerate(tensors):
        require(array.shape == tensors[0].shape, "stack_size", tensors[0].shape, i, array.shape)
    return np.asarray(np.stack(_common(tensors), wrap_dim(dim, tensors[0].ndim + 1)), order="C")

def _cat(tensors, dim=0):
    require(tensors, "cat_none")
    scalars = [i for i, array in enumerate(tensors) if not array.ndim]
    require(not scalars, "cat_scalar", *scalars[:1])
    tensors = _common(tensors)
    tensors = [a for a in tensors if a.shape != (0,)] or tensors  # PyTorch overlooks empty vectors
    first = tensors[0]
    at = wrap_dim(dim, first.ndim) if first.shape != (0,) else 0  # of empty vectors it looks at no dimension
    for i, array in enumerate(tensors):
        require(array.ndim == first.ndim, "cat_rank", first.ndim, array.ndim)
        for d, (n, m) in enumerate(zip(first.shape, array.shape)):
            require(n == m or d == at, "cat_size", at, n, m, i)
    return np.asarray(np.concatenate(tensors, at), order="C")

def _cat_back(g, tensors_shape, dim):
    at = dim % g.ndim
    extents = [shape[at] if len(shape) > at else 0 for shape in tensors_shape]
    places = zip(tensors_shape, pairwise(accumulate(extents, initial=0)))
    return [slice_view(g, at, *ends, 1) if shape != (0,) else zeros_beside(g, shape) for shape, ends in places]

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
    return [_slice(self, at, start, end, 1) for start, end in pairwise(accumulate(sizes, initial=0))]

def _unbind(self, dim=0):
    at = wrap_dim(dim, self.ndim)
    require(self.ndim, "unbind_scalar", at)
    return [_select(self, at, i) for i in range(self.shape[at])]

def _filled(grads, kernel, shape, *place):
    """The gradients of the parts that a kernel takes, zeros for those where none arrived."""
    known, parts = next(g for g in grads if g is not None), kernel(np.broadcast_to(0, shape), *place)
    return [zeros_beside(known, part.shape) if g is None else g for g, part in zip(grads, parts)]

def zeros_beside(g: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of another shape, with the kind and dtype of a gradient."""
    return wrap(np.zeros(shape, g._array.dtype)) if isinstance(g, Tensor) else np.zeros(shape, g.dtype)

stack = op("stack(tensors, dim=0)", _stack, tensors=lambda g, dim: [select(g, dim, i) for i in range(g.shape[dim])])
cat = op("cat(tensors, dim=0)", _cat, tensors=_cat_back)
unbind = look("unbind(self, dim=0)", _unbind, outputs=(),
    self=lambda grads, self_shape, dim: stack(_filled(grads, _unbind, self_shape, dim), dim))
split_evenly, split_with_sizes = (look(signature, _split, outputs=(),
    self=lambda grads, self_shape, sizes, dim: cat(_filled(grads, _split, self_shape, sizes, dim), dim))
    for signature in ("split.0(self, sizes: int, dim=0)", "split_with_sizes(self, sizes: list, dim=0)"))

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

def _repeat_back(g, self_shape, repeats):
    for _ in repeats[len(self_shape) :]:
        g = g.sum(0)
    # Each repeated dimension becomes two, of which the first is summed.
    pairs = zip(repeats[len(repeats) - len(self_shape) :], self_shape)
    apart = [pair if pair[0] != 1 else pair[1:] for pair in pairs]
    firsts = [sum(map(len, apart[:i])) for i, pair in enumerate(apart) if len(pair) == 2]
    return reshape(g, tuple(chain(*apart))).sum(tuple(firsts)) if firsts else g

def _triangle(name, kernel, formula):
    return op(f"{name}(self, diagonal=0)", kernel, inplace=True, self=formula,
        check=lambda self, diagonal: require(self.ndim > 1, "triangle_rank", name))

repeat = op("repeat(self, *repeats)", np.tile, self=_repeat_back,
    check=lambda self, repeats: require(len(repeats) >= self.ndim, "repeat_rank"))
flip = op("flip(self, *dims)", self=lambda g, dims: flip(g, dims), kernel=lambda self, dims:
    np.flip(np.atleast_1d(self), wrap_dims(dims, self.ndim)).reshape(self.shape).copy("K"))
tril = _triangle("tril", np.tril, lambda g, diagonal: tril(g, diagonal))
triu = _triangle("triu", np.triu, lambda g, diagonal: triu(g, diagonal))
