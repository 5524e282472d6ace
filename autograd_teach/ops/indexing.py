"""Reading and writing parts of a tensor: `x[1:3, None]`, `x[mask]`, `x[i, j] = v`, by index tensors; sorts, searches.

Uses views and `expand`; in-place forms only as methods, for their room and the reductions use what is here.
"""

import math
import warnings
from functools import partial
from typing import Any

import numpy as np

from ..dtypes import title
from ..errors import error, require
from ..tensor import Tensor, wrap, wrap_dim
from .operation import method, op
from .reduction import expand
from .shape import alias, constant, select, slice_view, unsqueeze, view, zeros_beside

# fmt: off

def _rank(key):
    """How many dimensions of a tensor one entry of an index stands for."""
    if isinstance(key, np.ndarray) and key.dtype == bool:
        return key.ndim
    return 0 if key is None or key is Ellipsis or key.__class__ is bool else 1

def _refused(self, indices):
    """What is wrong with these indices, in PyTorch's words; it counts only the dimensions that arrays index."""
    arrays, dim = [], 0
    for index in indices:
        if not isinstance(index, slice):
            index = np.asarray(index)
            found = self.shape[dim : dim + _rank(index)]
            require(index.dtype.kind in "bui", "index_dtype")
            require(found, "index_too_many", self.ndim)
            if index.dtype == bool and index.shape != found:
                at = next(i for i, n in enumerate(index.shape) if found[i : i + 1] != (n,))
                return error("index_mask", list(index.shape), at, list(self.shape), dim + at)
            numbers = index.nonzero() if index.dtype == bool else [index]
            wrong = numbers[0][(numbers[0] < -found[0]) | (numbers[0] >= found[0])]
            require(not wrong.size, "index_bounds" if found[0] else "index_empty", *wrong[:1], len(arrays), found[0])
            arrays += numbers
        dim += _rank(index)
    return error("index_shapes", ", ".join(str(list(a.shape)) for a in arrays))

def _picked(self, indices):
    """What an index points at, as PyTorch lays it out: row by row, also where extents of 1 leave the order open."""
    picked = self[indices]
    return picked.reshape(-1).reshape(picked.shape)

def _index(self, indices):
    try:
        return _picked(self, tuple(indices))
    except IndexError:
        raise _refused(self, indices) from None

def _put(self, indices, values, accumulate=False):
    whole = self.copy()
    # One value for a mask is cast; that is a fill rather than a put.
    fills = values.size == 1 and [np.asarray(i).dtype for i in indices if not isinstance(i, slice)] == [bool]
    try:
        if values.shape[:1] == (1,) and not fills:  # of such a value NumPy would take more dimensions than the place has
            np.broadcast_to(values, _index(self, indices).shape)
        (np.add.at if accumulate else np.ndarray.__setitem__)(whole, tuple(indices), values)  # as often as it is named
    except (IndexError, ValueError, TypeError):
        raise error("index_put_shape", list(values.shape), list(_index(self, indices).shape)) from None
    require(values.dtype == self.dtype or fills, "index_put_dtypes", title(self), title(values))
    return whole

# Their `indices` are slices and arrays, of integers or masks; what users give are tensors, which NumPy takes as well.
@op(_index, method=False,
    self=lambda g, self_shape, indices: index_put_impl(zeros_beside(g, self_shape), indices, g, True))
def index(self, indices: tuple): ...
_putting = partial(op, kernel=_put, values=lambda g, indices: index(g, indices),
    self=lambda g, indices, accumulate: g if accumulate else index_put(g, indices, zeros_beside(g, ())))
@_putting(inplace=True)
def index_put(self, indices: tuple, values, accumulate=False):
    """A copy of `input` with `values` written, or added, at the places given by index tensors.

    indices: tuple of integer or boolean tensors, as in `input[indices]`. values: tensor of the dtype of `input`
    that broadcasts to the shape of `input[indices]`. accumulate: if True, values are added; if False and a place is
    given twice, the last value is kept. IndexError if an index is out of range or of another dtype; RuntimeError if
    the shape or dtype of `values` does not fit.

    >>> torch.index_put(torch.zeros(3), (torch.tensor([0, 0, 2]),), torch.tensor([1.0, 2.0, 5.0]), accumulate=True)
    tensor([3., 0., 5.])
    """

@_putting(method=False)
def index_put_impl(self, indices: tuple, values, accumulate: bool): ...

def _place(key):
    """One entry of an index as None, Ellipsis, a slice, an int, a bool, or an array of integers or bools."""
    if key is None or key is Ellipsis or isinstance(key, (slice, bool)):
        return key
    if isinstance(key, Tensor):
        array = key._array.copy()  # the gradient needs the indices as they are now
    elif isinstance(key, (int, np.integer, list, tuple, range, np.ndarray)):
        array = np.array(key, bool if np.asarray(key).dtype == bool else np.int64)
    else:
        raise error("index_data" if isinstance(key, str) else "index_kind", str(type(key))[8:-2])
    require(array.dtype in (np.int64, np.int32, bool), "index_byte" if array.dtype == np.uint8 else "index_dtype")
    return array if array.ndim else array.item()

def _places(key):
    """The entries of an index; a list that holds more than numbers is read as a tuple, as in NumPy of old."""
    if isinstance(key, list) and not all(isinstance(k, (int, float, np.generic)) for k in key):
        warnings.warn(error("index_sequence"), stacklevel=4)
        key = tuple(key)
    return [k if k.__class__ is int else _place(k) for k in (key if isinstance(key, tuple) else (key,))]

def _viewed(self, key):
    """What an index means: the view that its plain part describes, and the row's `indices` for a gather, if any."""
    places = (key,) if key.__class__ is int else _places(key)
    given = sum([1 if k.__class__ is int else _rank(k) for k in places])
    if given > self._array.ndim:
        require(key.__class__ is not int or not key, "index_bounds", key, 0, 0)
        raise error({int: "index_scalar", slice: "index_slice"}.get(key.__class__, "index_too_many"), self.ndim)
    tensor, dim, indices = self, 0, []
    for number, k in enumerate(places):
        if k.__class__ is int:
            extent = tensor._array.shape[dim]
            if not -extent <= k < extent:
                raise error("index_bounds", k, number, extent)
            tensor = select(tensor, dim, k)
        elif k.__class__ is slice:
            extent = tensor._array.shape[dim]
            start, stop, step = k.indices(extent)
            require(step > 0, "index_step")
            if k.start or (start, stop, step) != (0, extent, 1):
                tensor = slice_view(tensor, dim, start, max(start, stop), step)
            dim += 1
        elif k is Ellipsis:
            dim += self._array.ndim - given
        elif k is None:
            tensor, dim = unsqueeze(tensor, dim), dim + 1
        else:
            if not isinstance(k, bool) and k.dtype == bool and k.shape != tensor._array.shape[dim : dim + k.ndim]:
                raise _refused(tensor._array, [slice(None)] * dim + [k])  # NumPy overlooks empty ones
            if k.__class__ is bool:  # indexes a dimension of its own, of which True takes the one entry
                tensor, k = unsqueeze(tensor, dim), np.zeros(int(k), np.int64)
            indices += [slice(None)] * (dim - sum(map(_rank, indices))) + [k]
            dim += _rank(k)
    return tensor, tuple(indices)

@method
def __getitem__(self: Tensor, key: Any) -> Tensor:
    """`self[key]`: a view, or with tensors or lists in the key a copy of what they point at."""
    if key.__class__ is int and self._array.ndim and -len(self._array) <= key < len(self._array):
        return select(self, 0, key)  # the short way of what is most frequent
    tensor, indices = _viewed(self, key)
    if tensor is self and not indices:
        # As the only index a slice is taken even where it leaves nothing out.
        return slice_view(self, 0, 0, self._array.shape[0], 1) if key.__class__ is slice else alias(self)
    return index(tensor, indices) if indices else tensor

@method
def __setitem__(self: Tensor, key: Any, value: Any) -> None:
    """`self[key] = value`: writes into this tensor's memory; numbers and tensors broadcast."""
    require(isinstance(value, (Tensor, int, float)), "index_assign", str(type(value))[8:-2], self.dtype.tensor_type)
    if not isinstance(value, Tensor):
        try:
            value = wrap(np.array(value, self._array.dtype))
        except (OverflowError, ValueError):
            raise error("number_overflows") from None
    target, indices = _viewed(self, None if key is True else key)
    shape = value._array.shape
    ones = next((i for i, n in enumerate(shape) if n != 1), len(shape))  # dimensions in front, which do not count
    if indices:
        target.index_put_(indices, view(value, shape[ones:]) if ones else value)
    elif shape in ((), target._array.shape):
        (target.copy_ if shape == target._array.shape else target.fill_)(value)
    else:
        value = view(value, shape[ones:])
        target.copy_(value if value.shape == target.shape else value.expand(target.shape))

def _check(name, self, dim, index, src=None):
    at, given = wrap_dim(dim, self.ndim), self if src is None else src
    shapes = [list(a.shape) for a in (index, self, given)]
    require(index.dtype in (np.int64, np.int32), f"{name}_dtype")
    require(given.dtype == self.dtype, "scatter_dtypes")
    if name == "index_select":
        require(index.ndim < 2, "index_select_rank")
        require(self.ndim or index.size == 1, "index_select_scalar", index.size)
    else:
        for whose, shape in zip(("input" if name == "gather" else "self", "src"), shapes[1:]):
            require((index.ndim or 1) == (len(shape) or 1), "places_rank", whose)
        larger = [i for i, (n, m, k) in enumerate(zip(*shapes)) if (n > m and i != at) or (n > k and src is not None)]
        require(not larger, f"{name}_size", *larger[:1], *shapes, at)
    extent = (*self.shape, 1)[at]
    outside = index[(index < 0) | (index >= extent)]
    if name == "index_select" and not at:
        name = "index_select_first"
    require(not outside.size, f"{name}_bounds", *outside.flat[:1], at, extent)

def _at(shape, dim, index):
    """All that lies at an index along `dim`."""
    return (slice(None),) * (dim % len(shape)) + (np.atleast_1d(index),) if shape else (Ellipsis,)

def _each(dim, index):
    """For each entry of `index` the element it names: itself along `dim`, its own position along the others."""
    index = np.atleast_1d(index)
    return tuple(index if i == dim % index.ndim else at for i, at in enumerate(np.indices(index.shape, sparse=True)))

def _scatter(self, dim, index, src, accumulate=False):
    used = np.atleast_1d(src)[tuple(map(slice, np.atleast_1d(index).shape))]  # what the index has places for
    return _put(np.atleast_1d(self), _each(dim, index), used, accumulate).reshape(self.shape)

def _check_trace(self):
    require(self.ndim == 2, "trace_rank", self.ndim)
    require(self.dtype != bool, "linalg_kernel", "trace", self)

@op(check=partial(_check, "index_select"),
    kernel=lambda self, dim, index: _picked(self, _at(self.shape, dim, index)),
    self=lambda g, self_shape, dim, index: index_add(zeros_beside(g, self_shape), dim, index, g))
def index_select(self, dim: int, index):
    """Copies the slices at the positions `index` of dimension `dim`, in that order; positions may repeat.

    input: tensor of any shape and dtype. index: int32 or int64 tensor of rank 0 or 1, without negative values.
    Returns a tensor with `index.numel()` slices along `dim`; a slice taken twice gets the sum of both gradients.
    IndexError if `dim` is out of range. An index out of range raises IndexError for `dim=0`, else RuntimeError.
    RuntimeError if `index` has another dtype, IndexError if it has a higher rank.

    >>> torch.index_select(torch.tensor([[1, 2, 3], [4, 5, 6]]), 1, torch.tensor([2, 0]))
    tensor([[3, 1],
            [6, 4]])
    """

@op(self=lambda g: g,
    kernel=lambda self, dim, index, source: _put(self, _at(self.shape, dim, index), source, accumulate=True),
    source=lambda g, dim, index, source_shape: expand(index_select(g, dim, index), source_shape))
def index_add(self, dim: int, index, source): ...
@op(lambda self, dim, index, value: _put(self, _at(self.shape, dim, index), value), overload="index_fill.1",
    self=lambda g, dim, index: index_fill(g, dim, index, zeros_beside(g, ())),
    value=lambda g, dim, index: index_select(g, dim, constant(index)).sum())
def index_fill(self, dim: int, index: Any, value): ...
@op(np.trace, check=_check_trace, self=lambda g, self_shape: view(index_fill(
    zeros_beside(g, (math.prod(self_shape),)), 0, np.arange(min(self_shape)) * (self_shape[1] + 1), g), self_shape))
def trace(self):
    """The sum of the elements on the main diagonal of a matrix.

    input: matrix of any size, square or not; integers are added in int64. Returns a tensor of rank 0. RuntimeError
    if `input` is not a matrix, NotImplementedError for booleans. The gradient is 1 on the diagonal and 0 elsewhere.

    >>> torch.trace(torch.tensor([[1, 2, 3], [4, 5, 6]]))
    tensor(6)
    """

@op(check=partial(_check, "gather"),
    kernel=lambda self, dim, index: np.atleast_1d(self)[_each(dim, index)].reshape(index.shape),
    # It is read for its shape alone; but PyTorch saves it, and notices a write.
    self=lambda g, self, dim, index: scatter_add(zeros_beside(g, tuple(self.shape)), dim, index, g))
def gather(self, dim: int, index):
    """Picks one element per entry of `index`: `out[i][j] = input[i][index[i][j]]` for a matrix and `dim=1`.

    input: tensor of any shape and dtype. index: int32 or int64 tensor of the same rank, not larger except along `dim`.
    Returns a tensor of the shape of `index`. An element picked twice gets the sum of both gradients. IndexError if
    `dim` is out of range; RuntimeError if an index is out of range or `index` has another rank, size or dtype.

    >>> scores = torch.tensor([[0.1, 0.9], [0.8, 0.2]])
    >>> torch.gather(scores, 1, torch.tensor([[1], [0]]))  # the score of each row's label
    tensor([[0.9000],
            [0.8000]])
    """

_writing = partial(op, check=partial(_check, "scatter"), inplace=True, src=lambda g, dim, index: gather(g, dim, index))
@_writing(partial(_scatter, accumulate=True), self=lambda g: g)
def scatter_add(self, dim: int, index, src):
    """A copy of `input` with each element of `src` added at the position given by `index`.

    For a vector: `out[index[i]] += src[i]`; positions that repeat accumulate. input, src: tensors of one dtype.
    index: int32 or int64 tensor of the same rank, not larger than `src`, nor than `input` except along `dim`.
    IndexError if `dim` is out of range; RuntimeError if an index is negative or too large, or if rank, size or
    dtype do not fit.

    >>> torch.scatter_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 5.0]))
    tensor([3., 0., 5.])
    """

@_writing(_scatter,
    self=lambda g, dim, index: scatter(g, dim, index, zeros_beside(g, index.shape)))
def scatter(self, dim: int, index, src):
    """A copy of `input` with elements of `src` written at the positions along `dim` given by `index`.

    For a matrix and `dim=1`: `out[i][index[i][j]] = src[i][j]`. The arguments and errors are those of
    `scatter_add`. If a position repeats, the last value is kept, but every value written there gets the gradient.
    The backward pass needs `src` to have the shape of `index`, else RuntimeError.

    >>> labels = torch.tensor([[2], [0]])
    >>> torch.scatter(torch.zeros(2, 3), 1, labels, torch.ones(2, 1))  # one-hot rows
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """

def _sort(self, dim, descending, stable=False):
    """The elements in ascending order, of equal ones the first first, and their places; NaN is the largest."""
    whole, dim = np.atleast_1d(self), wrap_dim(dim, self.ndim)
    places = np.argsort(np.flip(whole, dim) if descending else whole, dim, kind="stable")
    if descending:
        places = np.flip(whole.shape[dim] - 1 - places, dim).copy()
    values = np.empty_like(whole)  # in the layout of what is sorted
    values[...] = np.take_along_axis(whole, places, dim)
    return values.reshape(self.shape), places.reshape(self.shape)

# Equal elements keep their order anyhow.
@op(_sort, outputs=("values", "indices"),
    self=lambda grads, self_shape, dim, indices: scatter(zeros_beside(grads[0], self_shape), dim, indices, grads[0]))
def sort(self, dim=-1, descending=False):
    """Sorts along `dim`; returns the named tuple (values, indices).

    input: tensor of any shape and dtype. values has the shape and dtype of `input`; indices is int64 and says where
    each value was. NaN counts as the largest. The sort is stable in both directions: equal elements keep their
    order. Each gradient flows back to the element's old place. IndexError if `dim` is out of range.

    >>> values, indices = torch.sort(torch.tensor([30, 10, 20]))
    >>> values, indices
    (tensor([10, 20, 30]), tensor([1, 2, 0]))
    """

@op(lambda *arguments: _sort(*arguments)[1])
def argsort(self, dim=-1, descending=False, stable=False):
    """The indices that sort a tensor along `dim`: the second result of `sort`.

    input: tensor of any shape and dtype. Returns an int64 tensor of the same shape, without gradient. NaN counts as
    the largest. The sort is always stable, so `stable` changes nothing. IndexError if `dim` is out of range.

    >>> torch.argsort(torch.tensor([0.2, float("nan"), 0.7]), descending=True)
    tensor([1, 2, 0])
    """

@op(numbers=True,
    check=lambda sorted_sequence, input, right: require(sorted_sequence.ndim == 1, "bucketize", sorted_sequence.ndim),
    kernel=lambda sorted_sequence, input, right: np.searchsorted(sorted_sequence, input, "right" if right else "left"))
def searchsorted(sorted_sequence, input, *, right=False):
    """Where each value would be inserted into a sorted vector so that it stays sorted.

    sorted_sequence: vector in ascending order (not checked). input: tensor of any shape, or a number. Returns an
    int64 tensor of the shape of `input`: the number of elements less than the value, or, if `right`, less than or
    equal to it. NaN counts as the largest. RuntimeError if `sorted_sequence` is not a vector. Not differentiable.

    >>> edges = torch.tensor([1, 3, 5])
    >>> torch.searchsorted(edges, torch.tensor([3, 9])), torch.searchsorted(edges, torch.tensor([3, 9]), right=True)
    (tensor([1, 3]), tensor([2, 3]))
    """

@op(np.isin, numbers=True)
def isin(elements, test_elements):
    """True for each element that occurs among `test_elements`.

    elements: tensor of any shape. test_elements: tensor of any shape, or a number. Returns a bool tensor of the
    shape of `elements`. NaN equals nothing, itself included. TypeError if `elements` is not a tensor.

    >>> torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([2, 4]))
    tensor([[False,  True],
            [False,  True]])
    """

def bucketize(input: Any, boundaries: Tensor, *, right: bool = False) -> Tensor:
    """The index of the bucket of each value; bucket `i` lies between `boundaries[i - 1]` and `boundaries[i]`.

    input: tensor of any shape, or a number. boundaries: vector in ascending order (not checked). Returns an int64
    tensor of the shape of `input`, from 0 to `len(boundaries)`. A value equal to a boundary belongs to the bucket
    below it, or above it if `right`. RuntimeError if `boundaries` is not a vector. It is `searchsorted` with the
    arguments exchanged.

    >>> torch.bucketize(torch.tensor([12, 18, 70]), torch.tensor([18, 65]), right=True)
    tensor([0, 1, 2])
    """
    return searchsorted(boundaries, input, right=right)

@method
def unique(input: Tensor, sorted=True, return_inverse=False, return_counts=False, dim: int | None = None) -> Any:
    """The distinct elements in ascending order, or with `dim` the distinct slices along it.

    input: tensor of any shape that does not require grad, else NotImplementedError; without `dim` it is flattened.
    return_inverse: also return the index of each element in the result. return_counts: also return how often each
    occurs. Both are int64; with either, the return value is a tuple. `sorted` changes nothing. NaNs stay distinct.
    IndexError if `dim` is out of range.

    >>> torch.unique(torch.tensor([3, 1, 3, 2]), return_counts=True)
    (tensor([1, 2, 3]), tensor([1, 1, 2]))
    """
    require(not input.requires_grad, "unique")
    axis = None if dim is None else wrap_dim(dim, input.ndim)
    found = np.unique(input._array, return_inverse=True, return_counts=True, axis=axis, equal_nan=False)
    results = tuple(wrap(a.copy()) for a, want in zip(found, (True, return_inverse, return_counts)) if want)
    return results if len(results) > 1 else results[0]
