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
from ..geometry import Geometry, geometry_of, memory_of, strided_view
from ..tensor import Tensor, tensor_method, wrap, wrap_dim
from .operation import method, op
from .vocabulary import on_arrays

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

@_viewing(view=True)
def view(self, *size): ...
# What `reshape` makes of elements that do not lie one behind the other, where their strides allow a view, and else.
@_viewing(overload="reshape_alias.0", view=True)
def reshape_alias(self, *size): ...
@_viewing(overload="unsafe_view.0")
def unsafe_view(self, *size): ...
@look(lambda self: self[...], overload="alias.0", self=lambda g: g)
def alias(self): ...
@look(_unsqueeze, self=lambda g, dim: squeeze_dim(g, dim))
def unsqueeze(self, dim: int):
    """The same elements with a new dimension of size 1 at position `dim`.

    input: tensor of any shape and dtype. dim: from `-input.ndim - 1` to `input.ndim`; a negative value counts from
    the end of the result. Returns a view of `input`. IndexError if `dim` is out of range.

    >>> torch.unsqueeze(torch.tensor([1, 2]), 1)  # a column, ready to broadcast against a row
    tensor([[1],
            [2]])
    """

@_squeezing(overload="squeeze.0", view=True,
    self=lambda g, self_shape: reduce(unsqueeze, _units(self_shape, None), g))
def squeeze_all(self): ...
@_squeezing(overload="squeeze.1", view=True)
def squeeze_dim(self, dim: int): ...
@_squeezing(overload="squeeze.2", view=True)
def squeeze_dims(self, dim: tuple): ...
# What `matmul` does to the row or column that it gave a vector: its own result, squeezed in place.
@_squeezing(overload="squeeze.4")
def squeeze_own(self, dim: int): ...

@method
@on_arrays(lambda input, *shape: input.reshape(*shape))
def reshape(input: Any, *shape: Any) -> Any:
    """The same elements, in row-major order, in a tensor of another shape.

    input: tensor of any shape and dtype. shape: a sequence of sizes; one size may be -1 and is then computed from
    the others. Returns a view of `input` if its strides allow one, else a copy. RuntimeError if the sizes do not
    fit the number of elements, or if more than one size is -1.

    >>> torch.reshape(torch.arange(6), (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    try:
        return view(input, *shape) if input._array.flags.c_contiguous else reshape_alias(input, *shape)
    except RuntimeError:
        return unsafe_view(input.contiguous(), *shape)

@method
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merges the dimensions from `start_dim` to `end_dim`, both included, into one.

    input: tensor of any shape and dtype; a tensor of rank 0 becomes a vector of one element. Returns `input` itself
    if there is nothing to merge, a view if the strides allow one, else a copy. IndexError if a dimension is out of
    range, RuntimeError if `start_dim` comes after `end_dim`.

    >>> torch.flatten(torch.zeros(8, 3, 2, 2), 1).shape  # keeps the batch dimension
    torch.Size([8, 12])
    """
    shape, first, last = input.shape, wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    require(first <= last, "flatten_order")
    whole = math.prod(shape[first : last + 1])
    return input if shape and first == last else reshape(input, (*shape[:first], whole, *shape[last + 1 :]))

@method
def squeeze(input: Tensor, *dims: Any, dim: Any = None) -> Tensor:
    """Removes dimensions of size 1: all of them, or those given by `dim`.

    input: tensor of any shape and dtype. dim: int or tuple of ints; a given dimension of another size is kept.
    Returns a view of `input`. IndexError if a dimension is out of range, RuntimeError if one is given twice.

    >>> x = torch.zeros(1, 2, 1)
    >>> torch.squeeze(x).shape, torch.squeeze(x, 0).shape, torch.squeeze(x, 1).shape
    (torch.Size([2]), torch.Size([2, 1]), torch.Size([1, 2, 1]))
    """
    return squeeze_by((squeeze_all, squeeze_dim, squeeze_dims), input, *dims, dim=dim)

def squeeze_by(rows, input, *dims, dim=None):
    """`squeeze` by three rows: for all dimensions, for one, for several."""
    dim = dim if not dims else dims[0] if len(dims) == 1 else dims
    return rows[0](input) if dim is None else rows[1 if isinstance(dim, int) else 2](input, dim)


@tensor_method
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """`self.view(other.shape)`."""
    return view(self, other.shape)

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

@look(lambda self: self.T, check=lambda self: require(self.ndim <= 2, "t_rank", "t", self.ndim),
    self=lambda g: t(g))
def t(self):
    """The transpose of a matrix; a tensor of rank 0 or 1 is returned in its own shape.

    input: tensor of rank at most 2, of any dtype. Returns a view of `input`: nothing is copied, the strides are
    exchanged. RuntimeError if the rank is greater than 2 (use `transpose` or `.mT` then).

    >>> x = torch.zeros(2, 3)
    >>> x.stride(), torch.t(x).stride()
    ((3, 1), (1, 3))
    """

@look(_transpose,
    self=lambda g, dim0, dim1: transpose(g, dim0, dim1))
def transpose(self, dim0: int, dim1: int):
    """Exchanges the dimensions `dim0` and `dim1`; `swapaxes` and `swapdims` are other names of it.

    input: tensor of any shape and dtype. dim0, dim1: ints, negative ones count from the end. Returns a view of
    `input`, which is not contiguous in general. IndexError if a dimension is out of range.

    >>> torch.transpose(torch.zeros(2, 3, 4), 0, -1).shape
    torch.Size([4, 3, 2])
    """

@look(lambda self, dims: self.transpose(wrap_dims(dims, self.ndim, "permute_twice")),
    check=lambda self, dims: require(len(dims) == self.ndim, "permute_length", self.ndim, len(dims)),
    self=lambda g, dims: permute(g, np.argsort(wrap_dims(dims, g.ndim))))
def permute(self, *dims):
    """Reorders the dimensions: dimension `i` of the result is dimension `dims[i]` of `input`.

    input: tensor of any shape and dtype. dims: a sequence with each dimension once; negative ones count from the
    end. Returns a view of `input`. RuntimeError if the number of dimensions is wrong or one is repeated, IndexError
    if one is out of range.

    >>> torch.permute(torch.zeros(2, 3, 4), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """

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

@look(_select,
    self=lambda g, self_shape, dim, index: select_backward(g, self_shape, dim, index))
def select(self, dim: int, index: int):
    """The slice at position `index` of dimension `dim`: `input[index]` for `dim=0`.

    input: tensor of rank 1 or more, of any dtype. index: int; negative values count from the end. Returns a view of
    `input` without dimension `dim`. IndexError if `dim` or `index` is out of range, or if the rank is 0.

    >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 1, -1)  # the last column
    tensor([2, 4])
    """

@op(_into_zeros(_select),
    grad_output=lambda g, dim, index: select(g, dim, index))
def select_backward(grad_output, size: tuple, dim: int, index: int): ...
@look(_slice, overload="slice.0",
    self=lambda g, self_shape, dim, start, end, step: slice_backward(g, self_shape, dim, start, end, step))
def slice_view(self, dim: int, start: int, end: int, step: int): ...
@op(_into_zeros(_slice), grad_output=lambda g, dim, start, end, step: slice_view(g, dim, start, end, step))
def slice_backward(grad_output, size: tuple, dim: int, start: int, end: int, step: int): ...
@look(_diagonal,
    self=lambda g, self_shape, offset, dim1, dim2: diagonal_backward(g, self_shape, offset, dim1, dim2))
def diagonal(self, offset=0, dim1=0, dim2=1):
    """The diagonal of the matrices formed by `dim1` and `dim2`; it becomes the last dimension.

    input: tensor of rank 2 or more, of any dtype. offset: 0 is the main diagonal, positive values lie above it,
    negative ones below. Returns a view of `input`, so a write to it changes `input`; it is empty if `offset` is too
    large. IndexError if a dimension is out of range, RuntimeError if both are the same.

    >>> torch.diagonal(torch.tensor([[1, 2, 3], [4, 5, 6]]), 1)
    tensor([2, 6])
    """

@op(_into_zeros(_diagonal),
    grad_output=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2))
def diagonal_backward(grad_output, size: tuple, offset=0, dim1=0, dim2=1): ...

@method
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """The `length` entries of dimension `dim` that begin at `start`: a slice.

    input: tensor of rank 1 or more, of any dtype. start: int; a negative value counts from the end. Returns a view
    of `input`. IndexError if `dim` or `start` is out of range. RuntimeError if `length` is negative, if `start +
    length` exceeds the size (a Python slice would be cut off instead), or if the rank is 0.

    >>> torch.narrow(torch.arange(10), 0, 6, 3)
    tensor([6, 7, 8])
    """
    require(input.ndim, "narrow_scalar")
    at, extent = wrap_dim(dim, input.ndim), input.size(dim)
    require(length >= 0, "narrow_length")
    require(-extent <= start <= extent, "narrow_start", extent, start)
    start += extent if start < 0 else 0
    require(start + length <= extent, "narrow_end", start, length, extent)
    return slice_view(input, at, start, start + length, 1)

# Places in memory

def _strided(self, place, own):
    (size, stride, offset), memory, step = place, memory_of(self), self.itemsize
    needed = place.extent
    require(needed <= memory.size, "strided_bounds", size, stride, offset, step, needed * step, memory.nbytes)
    part = strided_view(memory, place)
    part.flags.writeable = all(s for n, s in zip(size, stride) if n > 1)  # an element shown twice is not written to
    return part

def _add_at(memory, place, there, g):
    np.add.at(memory, there, g)
    return memory

@on_arrays(_add_at)
def _added_at(memory, place, there, g):
    """`g` added to a memory at a place, where the elements with the numbers `there` lie."""
    if np.unique(there).size == there.size:
        return as_strided(memory, *place).copy_(g)._base
    return memory.index_add(0, constant(there.reshape(-1)), reshape(g, -1))

def _strided_back(g, place, own):
    """What lies at the place `own` of a memory of zeros after the gradient was added at `place`."""
    size, stride, offset = place
    if 0 in (*size, *own[0]):
        return zeros_beside(g, own[0])
    for i in reversed(range(len(size))):
        g = squeeze_dim(g, i) if size[i] == 1 else g if stride[i] else g.sum(i)
    steps = [(n, s) for n, s in zip(size, stride) if n > 1 and s]
    place = Geometry([n for n, _ in steps], [s for _, s in steps], offset)
    extent = max(place.extent, own.extent)
    memory = _added_at(zeros_beside(g, (extent,)), place, strided_view(np.arange(extent), place), g)
    # The elements of an expanded tensor are one in memory: they share what arrives there.
    sharing = math.prod(n for n, s in zip(*own[:2]) if s == 0)
    return strided(memory / sharing if sharing > 1 else memory, own, Geometry((extent,), (1,), 0))

@look(_strided, overload="as_strided.0", self=_strided_back)
def strided(self, place: tuple, own: tuple): ...

@method
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the memory of `input` with the given sizes, strides and offset.

    size, stride: sequences of equal length; strides count elements, not bytes. storage_offset: position of the
    first element in the memory; by default that of `input`. Elements may overlap; their gradients are then added.
    RuntimeError if the view needs more memory than there is.

    >>> torch.as_strided(torch.arange(5), (3, 3), (1, 1))  # a sliding window of width 3
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    return strided_by(strided, input, size, stride, storage_offset)

def strided_by(row, input, size, stride, storage_offset=None):
    """`as_strided` by this row."""
    own = geometry_of(input._array)
    offset = own.offset if storage_offset is None else storage_offset
    return row(input, Geometry(tuple(size), tuple(stride), offset), own)

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

@on_arrays(lambda array: array)
def constant(array):
    """An array of ours in a formula."""
    return wrap(array)

@on_arrays(lambda g, shape: np.zeros(shape, g.dtype))
def zeros_beside(g: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of another shape, in the dtype of a gradient."""
    return wrap(np.zeros(shape, g._array.dtype))

@op(_stack, tensors=lambda g, dim: [select(g, dim, i) for i in range(g.shape[dim])])
def stack(tensors, dim=0):
    """Joins tensors of equal shape along a new dimension.

    tensors: non-empty sequence of tensors of one shape; different dtypes are promoted to a common one. dim:
    position of the new dimension in the result, whose size is the number of tensors. Returns a new tensor.
    RuntimeError if there is no tensor or the shapes differ, IndexError if `dim` is out of range.

    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])
    """

@op(_cat, tensors=_cat_back)
def cat(tensors, dim=0):
    """Joins tensors along an existing dimension.

    tensors: non-empty sequence of tensors of rank 1 or more, equal in all sizes except `dim`; different dtypes are
    promoted. An empty tensor of shape (0,) is skipped. Returns a new tensor. ValueError if there is no tensor;
    RuntimeError if sizes or ranks do not match, or if a rank is 0 (use `stack`); IndexError if `dim` is out of
    range.

    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([0.5])])
    tensor([1.0000, 2.0000, 0.5000])
    """

@look(_unbind, outputs=(),
    self=lambda grads, self_shape, dim: stack(_filled(grads, _unbind, self_shape, dim), dim))
def unbind(self, dim=0):
    """The slices along `dim`, as a tuple; the opposite of `stack`.

    input: tensor of rank 1 or more, of any dtype. Returns one view of `input` without dimension `dim` for each
    position. If `input` requires grad, these views cannot be written in place: RuntimeError. IndexError if `dim` is
    out of range.

    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]), 1)
    (tensor([1, 3]), tensor([2, 4]))
    """

_splitting = partial(op, _split, view=True, outputs=(), self=lambda grads, self_shape, sizes, dim:
    cat(_filled(grads, _split, self_shape, sizes, dim), dim))

@_splitting(overload="split.0")
def split_evenly(self, sizes: int, dim=0): ...
@_splitting()
def split_with_sizes(self, sizes: list, dim=0): ...

@method
def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Cuts a tensor into consecutive parts along `dim`, as a tuple of views.

    tensor: tensor of rank 1 or more, of any dtype. split_size_or_sections: the size of every part (the last one may
    be smaller), or a list with the size of each. If `tensor` requires grad, the views cannot be written in place.
    RuntimeError if a size is negative, if the listed sizes do not sum to the size of `dim`, or if the rank is 0;
    IndexError if `dim` is out of range.

    >>> torch.split(torch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    row = split_evenly if isinstance(split_size_or_sections, int) else split_with_sizes
    return row(tensor, split_size_or_sections, dim)

@method
def chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    """Cuts a tensor into at most `chunks` parts of equal size along `dim`, as a tuple of views.

    input: tensor of rank 1 or more, of any dtype. The size of a part is rounded up, so the last part may be
    smaller, and there may be fewer parts than `chunks`. RuntimeError if `chunks` is not positive or the rank is 0;
    IndexError if `dim` is out of range.

    >>> torch.chunk(torch.arange(6), 4)  # three parts, not four
    (tensor([0, 1]), tensor([2, 3]), tensor([4, 5]))
    """
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

def _is_matrix(name):
    return lambda self, diagonal: require(self.ndim > 1, "triangle_rank", name)

@op(np.tile, self=_repeat_back,
    check=lambda self, repeats: require(len(repeats) >= self.ndim, "repeat_rank"))
def repeat(self, *repeats): ...
@op(self=lambda g, dims: flip(g, dims), kernel=lambda self, dims:
    np.flip(np.atleast_1d(self), wrap_dims(dims, self.ndim)).reshape(self.shape).copy("K"))
def flip(self, *dims):
    """Reverses the order of the elements along the given dimensions.

    input: tensor of any shape and dtype. dims: a sequence of dimensions. Returns a copy, not a view: tensors do not
    support negative strides. IndexError if a dimension is out of range, RuntimeError if one is given twice.

    >>> torch.flip(torch.tensor([[1, 2], [3, 4]]), (1,))
    tensor([[2, 1],
            [4, 3]])
    """

@op(np.tril, inplace=True, check=_is_matrix("tril"), self=lambda g, diagonal: tril(g, diagonal))
def tril(self, diagonal=0):
    """The lower triangle of each matrix; the elements above the given diagonal become 0.

    input: tensor of rank 2 or more, of any dtype; the last two dimensions are the matrices. diagonal: the last
    diagonal that is kept; 0 is the main one, 1 the one above it, -1 the one below. Returns a new tensor.
    RuntimeError if the rank is less than 2.

    >>> torch.tril(torch.ones(3, 3, dtype=torch.int64), -1)
    tensor([[0, 0, 0],
            [1, 0, 0],
            [1, 1, 0]])
    """

@op(np.triu, inplace=True, check=_is_matrix("triu"), self=lambda g, diagonal: triu(g, diagonal))
def triu(self, diagonal=0):
    """The upper triangle of each matrix; the elements below the given diagonal become 0.

    input: tensor of rank 2 or more, of any dtype; the last two dimensions are the matrices. diagonal: the first
    diagonal that is kept; 0 is the main one, 1 the one above it, -1 the one below. Returns a new tensor.
    RuntimeError if the rank is less than 2.

    >>> torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)  # the mask of a causal attention
    tensor([[False,  True,  True],
            [False, False,  True],
            [False, False, False]])
    """
