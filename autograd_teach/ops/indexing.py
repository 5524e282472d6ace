"""Indexing, gather and scatter, masks, sorting and searching.

Uses views and `expand`. In-place operations are called as methods, because `inplace.py` and
`reduction.py` import this module.
"""

import math
import warnings
from functools import partial
from typing import Any

import numpy as np

# Rows are compact, as in a table: the formatter would put every argument on a line of its own.
# fmt: off
# isort: off
from ..dtypes import title
from ..errors import error, require
from ..tensor import Tensor, wrap, wrap_dim
from .operation import attach, inplace_form, method, op
from .pointwise import (
    NOT_GIVEN, common_shape, dispatch, masked_fill, needs_tensor, no_derivative, require_overload, times)
from .reduction import expand, int_of
from .shape import alias, constant, reshape, select, slice_view, unbind, unsqueeze, view, zeros_beside

def _rank(key):
    """How many dimensions of the tensor an entry of an index refers to."""
    if isinstance(key, np.ndarray) and key.dtype == bool:
        return key.ndim
    return 0 if key is None or key is Ellipsis or key.__class__ is bool else 1

def _refused(self, indices):
    """PyTorch's error for these indices; it counts only the dimensions that arrays index."""
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
    """The elements at an index, row by row in memory as in PyTorch, even if sizes of 1 leave the order open."""
    picked = self[indices]
    return picked.reshape(-1).reshape(picked.shape)

def _index(self, indices):
    try:
        return _picked(self, tuple(indices))
    except IndexError:
        raise _refused(self, indices) from None

# How values are written: by `accumulate`, or by the `reduce` of `scatter`.
_WRITES = {False: np.ndarray.__setitem__, True: np.add.at, "add": np.add.at, "multiply": np.multiply.at}

def _put(self, indices, values, accumulate=False):
    whole = np.array(self, order="C")
    # A single value for a mask is a fill rather than a put, so it is cast.
    fills = values.size == 1 and [np.asarray(i).dtype for i in indices if not isinstance(i, slice)] == [bool]
    try:
        if values.shape[:1] == (1,) and not fills:  # NumPy would accept more dimensions than the target has
            np.broadcast_to(values, _index(self, indices).shape)
        _WRITES[accumulate](whole, tuple(indices), values)
    except (IndexError, ValueError, TypeError):
        raise error("index_put_shape", list(values.shape), list(_index(self, indices).shape)) from None
    require(values.dtype == self.dtype or fills, "index_put_dtypes", title(self), title(values))
    return whole

# `indices` are slices, and arrays of integers or masks; users give tensors, which NumPy accepts
# too.
@op(_index, method=False,
    self=lambda g, self_shape, indices: index_put_impl(zeros_beside(g, self_shape), indices, g, True))
def index(self, indices: tuple): ...
_putting = partial(op, kernel=_put, values=lambda g, indices: index(g, indices),
    self=lambda g, indices, accumulate: g if accumulate else put_at(g, indices, zeros_beside(g, ())))
@_putting(overload="index_put")
def put_at(self, indices: tuple, values, accumulate=False): ...
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
    """The entries of an index; a list that contains more than numbers is read as a tuple, as in old NumPy."""
    if isinstance(key, list) and not all(isinstance(k, (int, float, np.generic)) for k in key):
        warnings.warn(error("index_sequence"), stacklevel=4)
        key = tuple(key)
    return [k if k.__class__ is int else _place(k) for k in (key if isinstance(key, tuple) else (key,))]

def _viewed(self, key):
    """The view that ints, slices and None in an index describe, and `indices` for a gather by its arrays, if any."""
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
                raise _refused(tensor._array, [slice(None)] * dim + [k])  # NumPy does not check empty ones
            if k.__class__ is bool:  # indexes a new dimension of size 1: True selects its entry, False nothing
                tensor, k = unsqueeze(tensor, dim), np.zeros(int(k), np.int64)
            indices += [slice(None)] * (dim - sum(map(_rank, indices))) + [k]
            dim += _rank(k)
    return tensor, tuple(indices)

@method
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `values` written, or added, at the positions given by index tensors.

    indices: tuple of integer or boolean tensors, as in `input[indices]`. values: tensor of the
    dtype of `input` that broadcasts to the shape of `input[indices]`. accumulate: if True, values
    are added; if False and a position repeats, the last value is kept. IndexError if an index is
    out of range or of another dtype; RuntimeError if the shape or dtype of `values` does not fit;
    TypeError if `indices` contains anything but tensors.

    >>> torch.index_put(torch.zeros(3), (torch.tensor([0, 0, 2]),), torch.tensor([1.0, 2.0, 5.0]), accumulate=True)
    tensor([3., 0., 5.])
    """
    fits = isinstance(indices, (tuple, list)) and indices and all(isinstance(k, Tensor) for k in indices)
    require(fits, "index_put_indices")
    places = tuple(np.asarray(_place(k)) for k in indices)
    given = sum(map(_rank, places))
    require(given <= input.ndim, "index_put_too_many", input.ndim, given)
    return put_at(input, places, values, accumulate)

_put_at_ = inplace_form(put_at, "index_put_")
attach("index_put_", inplace_form(index_put))

@method
def __getitem__(self: Tensor, key: Any) -> Tensor:
    """`self[key]`: a view, or with tensors or lists in the key a copy of the selected elements.

    key: an int, a slice with a positive step, None (a new dimension), `...`, a bool, an index tensor or mask (or a list
    of numbers), or a tuple of these. IndexError if an index is out of range or there are too many, TypeError or
    IndexError for other types.

    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> x[1, :2], x[:, [2, 0]], x[x > 4]
    (tensor([4, 5]), tensor([[3, 1],
            [6, 4]]), tensor([5, 6]))
    """
    if key.__class__ is int and self._array.ndim and -len(self._array) <= key < len(self._array):
        return select(self, 0, key)  # fast path for the most frequent case
    tensor, indices = _viewed(self, key)
    if tensor is self and not indices:
        # A single slice is recorded even if it selects everything.
        return slice_view(self, 0, 0, self._array.shape[0], 1) if key.__class__ is slice else alias(self)
    return index(tensor, indices) if indices else tensor

@method
def __setitem__(self: Tensor, key: Any, value: Any) -> None:
    """`self[key] = value`: writes into this tensor's memory; numbers and tensors broadcast.

    key: as in `self[key]`. value: a number, or a tensor that broadcasts to the shape of
    `self[key]`. It is cast to the dtype of `self`; with index tensors, RuntimeError if the dtypes
    differ. RuntimeError if the shapes do not fit, and for a leaf that requires grad (unless under
    `no_grad`). Counts as a write.

    >>> x = torch.zeros(2, 3)
    >>> x[:, 1] = 5.0
    >>> x[x == 0] = -1.0
    >>> x
    tensor([[-1.,  5., -1.],
            [-1.,  5., -1.]])
    """
    require(isinstance(value, (Tensor, int, float)), "index_assign", str(type(value))[8:-2], self.dtype.tensor_type)
    if not isinstance(value, Tensor):
        try:
            value = wrap(np.array(value, self._array.dtype))
        except (OverflowError, ValueError):
            raise error("number_overflows") from None
    target, indices = _viewed(self, None if key is True else key)
    shape = value._array.shape
    ones = next((i for i, n in enumerate(shape) if n != 1), len(shape))  # leading dimensions of size 1 are ignored
    if indices:
        _put_at_(target, indices, view(value, shape[ones:]) if ones else value)
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
    if not index.size and name != "index_select":
        return  # an empty index may have any rank
    if name == "index_select":
        require(index.ndim < 2, "index_select_rank")
        require(self.ndim or index.size == 1, "index_select_scalar", index.size)
    else:
        for whose, shape in zip(("input" if name == "gather" else "self", "src"), shapes[1:]):
            require((index.ndim or 1) == (len(shape) or 1), "places_rank", whose)
        larger = [i for i, (n, m, k) in enumerate(zip(*shapes)) if (n > m and i != at) or (n > k and src is not None)]
        require(not larger, f"{name}_size", *larger[:1], *shapes, at)
    extent = (*self.shape, 1)[at]
    bounds = {"index_select": "index_select_bounds" if at else "index_select_first_bounds"}
    _refuse_outside(index, at, extent, bounds.get(name, "place_bounds"))

def _refuse_outside(index, at, extent, message, lowest=0):
    outside = index[(index < lowest) | (index >= extent)]
    require(not outside.size, message, *outside.flat[:1], at, extent)

def _at(shape, dim, index):
    """An index that selects `index` along `dim`, and everything along the dimensions before and after it."""
    return (slice(None),) * (dim % len(shape)) + (np.atleast_1d(index),) if shape else (Ellipsis,)

def _check_slices(self, dim, index, source, alpha=None):
    """The check of `index_add` (with `alpha`) and `index_copy`."""
    at, integers = wrap_dim(dim, self.ndim), (np.int64,) if alpha is None else (np.int64, np.int32)
    require(index.dtype in integers and index.ndim < 2, "index_vector", index.ndim, index)
    require(source.dtype == self.dtype, "index_source_dtype", self, source)
    own, other = [a.shape[:at] + a.shape[at + 1 :] for a in (self, source)]
    fits = index.size == (*source.shape, *[1] * (at + 1))[at] and (own == other or not source.ndim)
    require(fits, "index_source_shape", self.shape, source.shape, at, index.size)
    _refuse_outside(index, at, (*self.shape, 1)[at], "place_bounds")

def _check_fill(self, dim, index, value):
    at = wrap_dim(dim, self.ndim)
    require(index.dtype == np.int64 and index.ndim < 2, "index_vector", index.ndim, index)
    require(not np.ndim(value), "index_fill_value", np.ndim(value))
    extent = (*self.shape, 1)[at]
    _refuse_outside(index, at, extent, "index_bounds", -extent)

def _fill(self, dim, index, value):
    whole = np.array(self, order="C")
    whole[_at(self.shape, dim, index)] = np.asarray(value).astype(self.dtype)
    return whole

def _add_slices(self, dim, index, source, alpha=1):
    return _put(self, _at(self.shape, dim, index), source if alpha == 1 else np.multiply(source, alpha).astype(self.dtype), True)

def _of_source(g, dim, index, source_shape):
    return expand(index_select(g, dim, index), source_shape) if source_shape else index_select(g, dim, reshape(index, ()))

def _each(dim, index):
    """Index arrays of the elements that `index` names: its values along `dim`, its positions along the others."""
    index = np.atleast_1d(index)
    return tuple(index if i == dim % index.ndim else at for i, at in enumerate(np.indices(index.shape, sparse=True)))

def _scatter(self, dim, index, src, accumulate=False):
    if not index.size:
        return self.copy()
    used = np.atleast_1d(src)[tuple(map(slice, np.atleast_1d(index).shape))]  # `src` may be larger than `index`
    return _put(np.atleast_1d(self), _each(dim, index), used, accumulate).reshape(self.shape)

def _check_trace(self):
    require(self.ndim == 2, "trace_rank", self.ndim)
    require(self.dtype != bool, "linalg_kernel", "trace", self)

@op(check=partial(_check, "index_select"), kernel=lambda self, dim, index:
    _picked(self, _at(self.shape, dim, index)) if self.ndim else self.copy(),
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

@op(_add_slices, inplace=True, check=_check_slices, self=lambda g: g, source=lambda g, dim, index, source, alpha:
    times(_of_source(g, dim, index, tuple(source.shape)), alpha))
def index_add(self, dim: int, index, source, *, alpha=1):
    """A copy of `input` with the slices of `source` added at the positions `index` of dimension `dim`.

    input, source: tensors of one dtype, and of one shape but for `dim`. index: int32 or int64 tensor of rank 0 or 1
    with a position for each slice, without negative values; slices of equal positions add up. alpha: factor of `source`.
    IndexError if `dim` is out of range; RuntimeError if an index is, or if sizes or dtypes do not fit.

    >>> torch.index_add(torch.zeros(2, 3), 1, torch.tensor([2, 2]), torch.ones(2, 2), alpha=0.5)
    tensor([[0., 0., 1.],
            [0., 0., 1.]])
    """

@op(lambda self, dim, index, source: _put(self, _at(self.shape, dim, index), source), inplace=True, check=_check_slices,
    self=lambda g, dim, index: index_fill_number(g, dim, index, 0),
    source=lambda g, dim, index, source: _of_source(g, dim, index, tuple(source.shape)))
def index_copy(self, dim: int, index, source):
    """A copy of `input` with the slices of `source` written at the positions `index` of dimension `dim`.

    input, source: tensors of one dtype, and of one shape but for `dim`. index: int64 tensor of rank 0 or 1 with a
    position for each slice, without negative values. If a position repeats, the last slice is kept, but every slice
    gets the gradient. IndexError if `dim` or an index is out of range; RuntimeError or IndexError if sizes do not fit.

    >>> torch.index_copy(torch.zeros(2, 3), 1, torch.tensor([2]), torch.tensor([[5.0], [6.0]]))
    tensor([[0., 0., 5.],
            [0., 0., 6.]])
    """

_filling = partial(op, _fill, check=_check_fill, self=lambda g, dim, index: index_fill_number(g, dim, index, 0))
@_filling(overload="index_fill.0")
def index_fill_number(self, dim: int, index, value: float): ...
@_filling(overload="index_fill.1", value=lambda g, dim, index: index_select(g, dim, index).sum())
def index_fill_tensor(self, dim: int, index, value): ...

@method
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy of `input` with `value` in all slices at the positions `index` of dimension `dim`.

    input: tensor of any shape and dtype. index: int64 tensor of rank 0 or 1. value: a number or a tensor of rank 0; it
    is cast to the dtype of `input`. The gradient of a tensor `value` is the sum over the slices; the old values get 0.
    IndexError if `dim` or an index is out of range or `index` has another dtype, RuntimeError for higher ranks.

    >>> torch.index_fill(torch.ones(2, 3), 1, torch.tensor([0, 2]), 7.0)
    tensor([[7., 1., 7.],
            [7., 1., 7.]])
    """
    return dispatch(index_fill_number, index_fill_tensor, input, dim, index, value)

attach("index_fill_", inplace_form(index_fill))

@op(np.trace, check=_check_trace, self=lambda g, self_shape: view(index_fill_tensor(
    zeros_beside(g, (math.prod(self_shape),)), 0, constant(np.arange(min(self_shape)) * (self_shape[1] + 1)), g), self_shape))
def trace(self):
    """The sum of the elements on the main diagonal of a matrix.

    input: matrix of any size, square or not; integers are added in int64. Returns a tensor of rank 0. RuntimeError
    if `input` is not a matrix, NotImplementedError for booleans. The gradient is 1 on the diagonal and 0 elsewhere.

    >>> torch.trace(torch.tensor([[1, 2, 3], [4, 5, 6]]))
    tensor(6)
    """

@op(check=partial(_check, "gather"),
    kernel=lambda self, dim, index: np.atleast_1d(self)[_each(dim, index)].reshape(index.shape) if index.size else
        np.empty(index.shape, self.dtype),
    # Only the shape is needed, but PyTorch saves the tensor, and so notices a write to it.
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

@op(_scatter, check=partial(_check, "scatter"), overload="scatter.0", src=lambda g, dim, index: gather(g, dim, index),
    self=lambda g, dim, index: scatter_number(g, dim, index, 0))
def scatter_tensor(self, dim: int, index, src): ...
def _of_number(kernel):
    """The kernel that scatters a number, cast to the dtype of the target and repeated for each index."""
    return lambda self, dim, index, value, *reduce: kernel(
        self, dim, index, np.full(index.shape, value).astype(self.dtype), *reduce)
@op(_of_number(_scatter), overload="scatter.1", self=lambda g, dim, index: scatter_number(g, dim, index, 0),
    check=lambda self, dim, index, value: _check("scatter", self, dim, index))
def scatter_number(self, dim: int, index, value: float): ...

_reducing = partial(op, node="torch::autograd::NotImplemented", self=lambda g: no_derivative("scatter"))
@_reducing(_scatter, overload="scatter.2", src=lambda g: no_derivative("scatter"),
    check=lambda self, dim, index, src, reduce: _check("scatter", self, dim, index, src))
def scatter_reduced(self, dim: int, index, src, reduce: str): ...
@_reducing(_of_number(_scatter), overload="scatter.3",
    check=lambda self, dim, index, value, reduce: _check("scatter", self, dim, index))
def scatter_number_reduced(self, dim: int, index, value: float, reduce: str): ...

@method
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None) -> Tensor:
    """A copy of `input` with elements of `src` written at the positions along `dim` given by `index`.

    For a matrix and `dim=1`: `out[i][index[i][j]] = src[i][j]`. src: a tensor as in `scatter_add`, or a number for all
    positions, which is also accepted as `value`. If a position repeats, the last value is kept, but every value written
    there gets the gradient; the backward pass needs `src` to have the shape of `index`, else RuntimeError. reduce: "add"
    or "multiply" to combine values with the old ones instead; that has no derivative. Errors: as `scatter_add`.

    >>> labels = torch.tensor([[2], [0]])
    >>> torch.scatter(torch.zeros(2, 3), 1, labels, 1.0)  # one-hot rows
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    given = value if src is None else src
    fits = (src is None or value is None) and isinstance(given, (Tensor, int, float)) and not isinstance(value, Tensor)
    require_overload(fits, "scatter", input, dim, index, src, value)
    require(reduce in (None, "add", "multiply"), "scatter_reduce")
    with_tensor, with_number = (scatter_tensor, scatter_number) if reduce is None else (scatter_reduced, scatter_number_reduced)
    row = with_tensor if isinstance(given, Tensor) else with_number
    return row(input, dim, index, given) if reduce is None else row(input, dim, index, given, reduce)

attach("scatter_", inplace_form(scatter))

# Masks and flat positions

def _check_mask(self, mask, source=None):
    require(mask.dtype == bool, "masked_select_dtype" if source is None else "masked_scatter_dtype", mask)
    if source is not None:
        fits = self.dtype == source.dtype and np.broadcast_to(mask, common_shape(self, mask)).sum() <= source.size
        require(fits, "masked_scatter_source", self, source)

def _masked_scatter(self, mask, source):
    shape = common_shape(self, mask)
    whole, mask = np.array(np.broadcast_to(self, shape)), np.broadcast_to(mask, shape)
    whole[mask] = source.reshape(-1)[: mask.sum()]
    return whole

def _masked_scatter_backward(grad_output, mask, sizes):
    shape = common_shape(grad_output, mask)
    found = np.zeros(math.prod(sizes), grad_output.dtype)
    picked = np.broadcast_to(grad_output, shape)[np.broadcast_to(mask, shape)]
    found[: picked.size] = picked
    return found.reshape(sizes)

@op(lambda self, mask: np.broadcast_to(self, shape := common_shape(mask, self))[np.broadcast_to(mask, shape)], check=_check_mask,
    self=lambda g, self, mask: masked_scatter(zeros_beside(g, common_shape(self, mask)), mask, g))
def masked_select(self, mask):
    """The elements where a mask is True, as a vector; `input[mask]` if the shapes are equal.

    input: tensor of any shape and dtype. mask: boolean tensor; both broadcast. RuntimeError if they do not broadcast or
    the mask has another dtype. The gradient goes back to the selected elements.

    >>> torch.masked_select(torch.tensor([[1, 2], [3, 4]]), torch.tensor([True, False]))
    tensor([1, 3])
    """

@op(_masked_scatter, inplace=True, check=_check_mask, self=lambda g, mask: masked_fill(g, mask, 0),
    source=lambda g, mask, source_shape: masked_scatter_backward(g, mask, source_shape))
def masked_scatter(self, mask, source):
    """A copy of `input` with the elements of `source`, one after the other, where a mask is True.

    input: tensor of any shape and dtype; it broadcasts with `mask`. mask: boolean tensor. source: tensor of the dtype of
    `input` with at least as many elements as are masked, else RuntimeError.

    >>> torch.masked_scatter(torch.zeros(2, 2), torch.tensor([[True, False], [True, True]]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 0.],
            [2., 3.]])
    """

@op(_masked_scatter_backward, method=False,
    grad_output=lambda g, grad_output_shape, mask: masked_scatter(zeros_beside(g, grad_output_shape), mask, g))
def masked_scatter_backward(grad_output, mask, sizes: tuple): ...

@op(np.argwhere)
def argwhere(self):
    """The indices of the elements that are not zero: a row for each, a column for each dimension.

    input: tensor of any shape and dtype. Returns an int64 matrix, in row-major order. Not differentiable.

    >>> torch.argwhere(torch.tensor([[1, 0], [0, 5]]))
    tensor([[0, 0],
            [1, 1]])
    """

@method
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero; `input[torch.nonzero(input, as_tuple=True)]` are these elements.

    input: tensor of any shape and dtype. Returns an int64 matrix with a row for each element and a column for each
    dimension, in row-major order; with `as_tuple`, a tuple with a vector for each dimension. Not differentiable.

    >>> torch.nonzero(torch.tensor([0, 3, 0, 4])), torch.nonzero(torch.tensor([0, 3, 0, 4]), as_tuple=True)
    (tensor([[1],
            [3]]), (tensor([1, 3]),))
    """
    needs_tensor("nonzero", input=input)
    return unbind(argwhere(input if input.ndim else unsqueeze(input, 0)), 1) if as_tuple else argwhere(input)

# Sorting, and choices by order

def _sort(self, dim, descending, stable=False):
    """Stable sort: the elements in order, and their indices; NaN is the largest."""
    whole, dim = np.atleast_1d(self), wrap_dim(dim, self.ndim)
    places = np.argsort(np.flip(whole, dim) if descending else whole, dim, kind="stable")
    if descending:
        places = np.flip(whole.shape[dim] - 1 - places, dim).copy()
    values = np.empty_like(whole)  # with the strides of the input
    values[...] = np.take_along_axis(whole, places, dim)
    return values.reshape(self.shape), places.reshape(self.shape)

# The sort is stable in any case.
_ordering = partial(op, outputs=("values", "indices"), self=lambda grads, self_shape, dim, indices:
    scatter_tensor(zeros_beside(grads[0], self_shape), dim, indices, grads[0]))
@_ordering(_sort, overload="sort.0")
def sort_any(self, dim=-1, descending=False): ...
@_ordering(_sort, overload="sort.1")
def sort_stable(self, dim=-1, descending=False, stable=True): ...

@method
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: Any = NOT_GIVEN) -> Any:
    """Sorts along `dim`; returns the named tuple (values, indices).

    input: tensor of any shape and dtype. values has the shape and dtype of `input`; indices is int64 and says where
    each value was. NaN counts as the largest. The sort is stable in both directions, whether or not `stable`: equal
    elements keep their order. Each gradient flows back to the element's old place. IndexError if `dim` is out of range.

    >>> values, indices = torch.sort(torch.tensor([30, 10, 20]))
    >>> values, indices
    (tensor([10, 20, 30]), tensor([1, 2, 0]))
    """
    require_overload(stable in (NOT_GIVEN, None, False, True), "sort", input, stable)
    return (sort_any if stable is NOT_GIVEN else sort_stable)(input, dim, descending)

@method
def msort(input: Tensor) -> Tensor:
    """The values of `torch.sort(input, 0)`: sorted along the first dimension.

    >>> torch.msort(torch.tensor([[3, 1], [2, 5]]))
    tensor([[2, 1],
            [3, 5]])
    """
    return sort_any(input, 0)[0]

@op(lambda *arguments: _sort(*arguments)[1])
def argsort(self, dim=-1, descending=False, *, stable=False):
    """The indices that sort a tensor along `dim`: the second result of `sort`.

    input: tensor of any shape and dtype. Returns an int64 tensor of the same shape, without gradient. NaN counts as
    the largest. The sort is always stable, so `stable` changes nothing. IndexError if `dim` is out of range.

    >>> torch.argsort(torch.tensor([0.2, float("nan"), 0.7]), descending=True)
    tensor([1, 2, 0])
    """

def _topk(self, k, dim, largest, sorted):
    return [np.ascontiguousarray(a[_at(self.shape, dim, np.arange(k))]) if self.ndim else a for a in _sort(self, dim, largest)]

def _check_topk(self, k, dim, *rest):
    extent = (*self.shape, 1)[wrap_dim(dim, self.ndim)] if self.ndim else 1
    require(0 <= int_of("topk", k, "k") <= extent, "topk_range")
    require(self.dtype != bool, "topk_bool")

def _running(better):
    """The kernel of running extremes with their indices, the last one of equal elements; a NaN stays."""
    def kernel(self, dim):
        row, along = np.atleast_1d(self), wrap_dim(dim, self.ndim)
        values = better.accumulate(row, along)
        count = np.broadcast_to(np.indices(row.shape, sparse=True)[along], row.shape)
        own = (row == values) | np.isnan(row)
        return [a.reshape(self.shape) for a in (values, np.maximum.accumulate(np.where(own, count, 0), along))]
    return kernel

_accumulating = partial(op, outputs=("values", "indices"), self=lambda grads, self, dim, indices:
    scatter_add(zeros_beside(grads[0], tuple(self.shape)), dim, indices, grads[0]))

@_ordering(_topk, check=_check_topk)
def topk(self, k: int, dim=-1, largest=True, sorted=True):
    """The `k` largest elements along `dim`, in descending order; returns the named tuple (values, indices).

    input: integer or floating tensor. k: int. largest: False for the `k` smallest, in ascending
    order. `sorted` is ignored. NaN counts as the largest. Among equal elements the first are chosen
    (PyTorch leaves this open). RuntimeError if there are fewer than `k` elements, and for booleans;
    IndexError if `dim` is out of range.

    >>> values, indices = torch.topk(torch.tensor([10, 40, 30]), 2)
    >>> values, indices
    (tensor([40, 30]), tensor([1, 2]))
    """

@_accumulating(_running(np.maximum), check=lambda self, dim: int_of("cummax", dim))
def cummax(self, dim: int):
    """Running maximums along `dim`; returns the named tuple (values, indices).

    input: tensor of any shape and dtype. Element i of `values` is the maximum of elements 0 to i;
    `indices` is its index, the last one of equal elements. After a NaN all are NaN. IndexError if
    `dim` is out of range.

    >>> values, indices = torch.cummax(torch.tensor([2, 1, 5, 3]), 0)
    >>> values, indices
    (tensor([2, 2, 5, 5]), tensor([0, 0, 2, 2]))
    """

@_accumulating(_running(np.minimum), check=lambda self, dim: int_of("cummin", dim))
def cummin(self, dim: int):
    """Running minimums along `dim`; returns the named tuple (values, indices).

    input: tensor of any shape and dtype. Element i of `values` is the minimum of elements 0 to i;
    `indices` is its index, the last one of equal elements. After a NaN all are NaN. IndexError if
    `dim` is out of range.

    >>> values, indices = torch.cummin(torch.tensor([2, 1, 5, 0]), 0)
    >>> values, indices
    (tensor([2, 1, 1, 0]), tensor([0, 1, 1, 3]))
    """

# Searches and counts

def _search(sorted_sequence, input, out_int32, side, sorter):
    if sorter is not None:
        sorted_sequence = np.take_along_axis(sorted_sequence, sorter, -1)
    low, high = np.zeros(input.shape, np.int64), np.full(input.shape, sorted_sequence.shape[-1])
    while (open := low < high).any():  # bisection for all values; a NaN has the effect that it has in PyTorch
        middle = np.where(open, (low + high) // 2, 0)
        found = sorted_sequence[middle] if sorted_sequence.ndim == 1 else np.take_along_axis(sorted_sequence, middle, -1)
        above = ~(found > input if side == "right" else found >= input)
        low, high = np.where(open & above, middle + 1, low), np.where(open & ~above, middle, high)
    return low.astype(np.int32 if out_int32 else np.int64)

@op(_search, overload="searchsorted.0")
def search(sorted_sequence, input, out_int32: bool, side: str, sorter: object): ...

def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Tensor | None = None) -> Tensor:
    """The index at which each value would be inserted into a sorted sequence, so that it stays sorted.

    sorted_sequence: vector in ascending order (not checked), or (..., n): sorted along the last dimension. input: a
    number or a tensor, of any shape for a vector, else (..., m) with equal dimensions in front. Returns an int64 tensor
    (int32 if `out_int32`) of the shape of `input`: the number of elements less than the value, or, if `right` (or
    `side="right"`), less than or equal to it. sorter: indices that sort `sorted_sequence`. NaN counts as the largest.
    RuntimeError if the shapes or arguments do not fit. Not differentiable.

    >>> edges = torch.tensor([1, 3, 5])
    >>> torch.searchsorted(edges, torch.tensor([3, 9])), torch.searchsorted(edges, torch.tensor([3, 9]), right=True)
    (tensor([1, 3]), tensor([2, 3]))
    """
    wanted = wrap(np.asarray(input)) if isinstance(input, (int, float)) else input
    needs_tensor("searchsorted", sorted_sequence=sorted_sequence, input=wanted)
    own, other = tuple(sorted_sequence.shape), tuple(wanted.shape)
    require(sorted_sequence._array.dtype != bool or not wanted.numel(), "no_kernel", "searchsorted_out_cpu", sorted_sequence._array)
    require(len(own) == 1 or (own and own[:-1] == other[:-1] and len(own) == len(other)), "search_shape", own, other)
    require(side in ("right", None) or (side == "left" and not right), "search_side", side, right)
    order = None if sorter is None else sorter._array
    if order is not None:
        fits = own == order.shape and order.dtype == np.int64 and ((order >= 0) & (order < own[-1])).all()
        require(fits, "search_sorter", own)
    return search(sorted_sequence, wanted, out_int32, side or ("right" if right else "left"), order)

@op(lambda elements, test_elements, invert: np.isin(elements, test_elements, invert=invert), overload="isin.0")
def isin_elements(elements, test_elements, invert: bool): ...

def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """True for each element that occurs among `test_elements`, or that does not if `invert`.

    elements, test_elements: tensors of any shape; one of them can be a number. Returns a bool tensor of the shape of
    `elements`. NaN equals nothing, itself included. assume_unique: without effect. TypeError if neither is a tensor.

    >>> torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([2, 4]))
    tensor([[False,  True],
            [False,  True]])
    """
    both = elements, test_elements
    fits = any(isinstance(v, Tensor) for v in both) and all(isinstance(v, (Tensor, int, float)) for v in both)
    require_overload(fits, "isin", *both)
    require(all(not isinstance(v, Tensor) or v._array.dtype != bool for v in both), "isin_bool")
    return isin_elements(*[v if isinstance(v, Tensor) else wrap(np.asarray(v)) for v in both], invert)

def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The index of the bucket of each value; bucket `i` lies between `boundaries[i - 1]` and `boundaries[i]`.

    input: tensor of any shape, or a number. boundaries: vector in ascending order (not checked). Returns an int64
    tensor of the shape of `input`, from 0 to `len(boundaries)`. A value equal to a boundary belongs to the bucket
    below it, or above it if `right`. RuntimeError if `boundaries` is not a vector. It is `searchsorted` with the
    arguments exchanged.

    >>> torch.bucketize(torch.tensor([12, 18, 70]), torch.tensor([18, 65]), right=True)
    tensor([0, 1, 2])
    """
    require(boundaries.ndim == 1, "bucketize", boundaries.ndim)
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)

def _check_slices_of(self, dim):
    rest = () if dim is None else self.shape[:dim] + self.shape[dim + 1 :]
    require(0 not in rest, "unique_empty")

def _unique(self, dim):
    return np.unique(self, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)

def _consecutive(self, dim):
    rows = self.reshape(-1) if dim is None else np.moveaxis(self, dim, 0)
    new = np.ones(len(rows), bool)
    new[1:] = (rows[1:] != rows[:-1]).any(tuple(range(1, rows.ndim)))
    starts = np.flatnonzero(new)
    found, inverse = rows[starts] if dim is None else np.moveaxis(rows[starts], 0, dim), np.cumsum(new) - 1
    return found, inverse.reshape(self.shape) if dim is None else inverse, np.diff(starts, append=len(rows))


_distinct = partial(op, outputs=("values", "inverse", "counts"))
@_distinct(lambda self: _unique(self, None), overload="unique2",
    self=lambda g: no_derivative("_unique2", "not_differentiable"))
def unique_elements(self): ...
@_distinct(_unique, check=_check_slices_of, overload="unique_dim",
    self=lambda g: no_derivative("unique_dim", "not_differentiable"))
def unique_slices(self, dim: int): ...
@_distinct(_consecutive, check=_check_slices_of, overload="unique_consecutive",
    self=lambda g: no_derivative("unique_consecutive", "not_differentiable"))
def unique_runs(self, dim: object): ...

def _wanted(found, return_inverse, return_counts):
    results = tuple(a for a, want in zip(found, (True, return_inverse, return_counts)) if want)
    return results if len(results) > 1 else results[0]

@method
def unique(input: Tensor, sorted=True, return_inverse=False, return_counts=False, dim: int | None = None) -> Any:
    """The distinct elements in ascending order, or with `dim` the distinct slices along it.

    input: tensor of any shape; without `dim` it is flattened. return_inverse: also return the index of each element in
    the result. return_counts: also return how often each occurs. Both are int64; with either, the return value is a
    tuple. `sorted` changes nothing. NaNs stay distinct. IndexError if `dim` is out of range. It has no derivative:
    RuntimeError in the backward pass.

    >>> torch.unique(torch.tensor([3, 1, 3, 2]), return_counts=True)
    (tensor([1, 2, 3]), tensor([1, 1, 2]))
    """
    if dim is None:
        return _wanted(unique_elements(input), return_inverse, return_counts)
    at = wrap_dim(dim, input.ndim)
    require(input.ndim, "unbind_scalar", at)
    return _wanted(unique_slices(input, at), return_inverse, return_counts)

@method
def unique_consecutive(input: Tensor, return_inverse=False, return_counts=False, dim: int | None = None) -> Any:
    """The elements without those that equal the one before, or with `dim` the slices along it.

    input: tensor of any shape; without `dim` it is flattened. return_inverse, return_counts: as in `torch.unique`.
    IndexError if `dim` is out of range. It has no derivative: RuntimeError in the backward pass.

    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]))
    tensor([1, 2, 1])
    """
    at = None if dim is None else wrap_dim(dim, input.ndim)
    require(dim is None or input.ndim, "unbind_scalar", dim)
    return _wanted(unique_runs(input, at), return_inverse, return_counts)
