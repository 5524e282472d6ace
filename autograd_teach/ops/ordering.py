"""Order and place: sorting, extremes along a dimension, and reading and writing at the places that index tensors name.

What selects values by their size returns them together with their places; its derivative writes the gradient to those places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..tensor import Tensor, wrap, wrap_dim
from .declare import inplace_form, method, op
from .shape import unsqueeze


def zeros_beside(g: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of another shape, with the kind and dtype of a gradient."""
    if isinstance(g, Tensor):
        return wrap(np.zeros(shape, g._array.dtype))
    return np.zeros(shape, g.dtype)


# Reading and writing at places


def _places(name: str, self: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray | None = None) -> tuple[Any, ...]:
    """For each entry of `index` the element of `self` it names: itself along `dim`, its own position along the others."""
    at = wrap_dim(dim, self.ndim)
    if index.dtype not in (np.int64, np.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if src is not None and self.dtype != src.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    target = "input" if name == "gather" else "self"
    for shape, whose in ((self.shape, target), (self.shape if src is None else src.shape, "src")):
        if max(index.ndim, 1) != max(len(shape), 1):
            raise RuntimeError(f"Index tensor must have the same number of dimensions as {whose} tensor")
    wrong = [i for i, (n, m) in enumerate(zip(index.shape, self.shape)) if n > m and i != at]
    sizes = f"expected index {list(index.shape)} to be no larger than self {list(self.shape)} apart from dimension {at}"
    if wrong and name == "gather":
        raise RuntimeError(f"Size does not match at dimension {wrong[0]} {sizes}")
    if src is not None and (wrong or any(n > m for n, m in zip(index.shape, src.shape))):
        raise RuntimeError(f"E{sizes[1:]} and to be no larger size than src {list(src.shape)}")
    if wrong:
        raise RuntimeError(f"E{sizes[1:]}")
    extent = self.shape[at] if self.ndim else 1
    outside = index[(index < 0) | (index >= extent)]
    if outside.size:
        raise RuntimeError(f"index {outside.flat[0]} is out of bounds for dimension {at} with size {extent}")
    index = np.atleast_1d(index)
    positions: list[np.ndarray] = list(np.indices(index.shape, sparse=True))
    positions[at] = index
    return tuple(positions)


def _gather(self: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    return np.atleast_1d(self)[_places("gather", self, dim, index)].reshape(index.shape)


def _used(src: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The part of `src` that `index` has places for."""
    return np.atleast_1d(src)[tuple(slice(n) for n in np.atleast_1d(index).shape)]


def _scatter(self: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    whole = self.copy()
    np.atleast_1d(whole)[_places("scatter", self, dim, index, src)] = _used(src, index)
    return whole


def _scatter_value(self: np.ndarray, dim: int, index: np.ndarray, value: Any) -> np.ndarray:
    whole = self.copy()
    np.atleast_1d(whole)[_places("scatter", self, dim, index)] = value
    return whole


def _scatter_add(self: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    whole = self.copy()
    # A place that is named twice gets both values.
    np.add.at(np.atleast_1d(whole), _places("scatter_add", self, dim, index, src), _used(src, index))
    return whole


gather = op(
    "gather(self, dim: int, index)",
    _gather,
    self=lambda g, self_shape, dim, index: scatter_add(zeros_beside(g, self_shape), dim, index, g),
)
scatter_add = op(
    "scatter_add(self, dim: int, index, src)",
    _scatter_add,
    inplace=True,
    self=lambda g: g,
    src=lambda g, src_shape, dim, index: _within(gather(g, dim, index), src_shape, "ScatterAddBackward0"),
)
scatter_src = op(
    "scatter_src(self, dim: int, index, src)",
    _scatter,
    node="ScatterBackward0",
    method=False,
    self=lambda g, dim, index: scatter_value(g, dim, index, 0),
    src=lambda g, src_shape, dim, index: _within(gather(g, dim, index), src_shape, "ScatterBackward0"),
)
scatter_value = op(
    "scatter_value(self, dim: int, index, value: float)",
    _scatter_value,
    node="ScatterBackward1",
    method=False,
    self=lambda g, dim, index: scatter_value(g, dim, index, 0),
)


def _within(g: Any, shape: tuple[int, ...], node: str) -> Any:
    """The gradient of a source of which all was used; of a larger one PyTorch has none either."""
    if tuple(g.shape) == shape:
        return g
    raise RuntimeError(
        f"Function {node} returned an invalid gradient at index 1 - got {list(g.shape)} but expected shape compatible with "
        f"{list(shape)}"
    )


@method
def scatter(self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None) -> Tensor:
    """A copy with the elements of `src`, a tensor or a number, at the places that `index` names along `dim`."""
    src = value if src is None else src
    return (scatter_src if isinstance(src, Tensor) else scatter_value)(self, dim, index, src)


Tensor.scatter_ = inplace_form(scatter)  # type: ignore[attr-defined]  # attached as the operations are


# Values chosen by their size, with their places


def _to_places(grads: list[Any], shape: tuple[int, ...], dim: int, indices: Any, keepdim: bool) -> Any:
    g = grads[0]
    if not keepdim and len(shape):
        g, indices = unsqueeze(g, dim), unsqueeze(indices, dim)
    return scatter_src(zeros_beside(g, shape), dim, indices, g)


def _taken(self: np.ndarray, indices: np.ndarray, dim: int, keepdim: bool) -> tuple[np.ndarray, np.ndarray]:
    """The values at `indices`, which have extent 1 along `dim` unless they were sorted."""
    values = np.take_along_axis(self, indices, dim) if self.ndim else self.copy()
    if not keepdim and self.ndim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return values, indices


def _extreme_along(name: str, find: Any) -> Any:
    def kernel(self: np.ndarray, dim: int, keepdim: bool = False) -> tuple[np.ndarray, np.ndarray]:
        at = wrap_dim(dim, self.ndim)
        if self.ndim == 0:
            return self.copy(), np.zeros((), np.int64)
        if not self.shape[at]:
            raise IndexError(f"{name}(): Expected reduction dim {at} to have non-zero size.")
        return _taken(self, find(self, axis=at, keepdims=True), at, keepdim)

    return kernel


def _order(self: np.ndarray, dim: int, descending: bool) -> np.ndarray:
    """The places of the elements from the smallest to the largest, of equal ones the first first; NaN is the largest."""
    at = wrap_dim(dim, self.ndim)
    if self.ndim == 0:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(self, at, kind="stable")
    return np.flip(self.shape[at] - 1 - np.argsort(np.flip(self, at), at, kind="stable"), at)


def _sort(self: np.ndarray, dim: int = -1, descending: bool = False) -> tuple[np.ndarray, np.ndarray]:
    return _taken(self, _order(self, dim, descending), dim, True)


def _topk(
    self: np.ndarray, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    extent = self.shape[wrap_dim(dim, self.ndim)] if self.ndim else 1
    if not 0 <= k <= extent:
        raise RuntimeError("selected index k out of range")
    order = _order(self, dim, largest)
    return _taken(self, np.take(order, range(k), dim) if self.ndim else order, dim, True)


def _middle(self: np.ndarray, axis: int, keepdims: bool) -> np.ndarray:
    """The place of the median, of an even number the lower one; of the first NaN where there is one."""
    middle = np.take(_order(self, axis, False), [(self.shape[axis] - 1) // 2], axis)
    if self.dtype.kind == "f":
        missing = np.isnan(self)
        middle = np.where(missing.any(axis, keepdims=True), missing.argmax(axis, keepdims=True), middle)
    return middle


def median_of(self: np.ndarray) -> Any:
    """The median of all elements; NaN of none."""
    flat = self.reshape(-1)
    return flat[_middle(flat, 0, True)].reshape(()) if flat.size else np.array(np.nan, self.dtype)


def _middle_of_numbers(self: np.ndarray, axis: int, keepdims: bool) -> np.ndarray:
    """The place of the median of what is not NaN: such values are sorted to the end."""
    count = (~np.isnan(self)).sum(axis, keepdims=True)
    return np.take_along_axis(_order(self, axis, False), np.maximum(count - 1, 0) // 2, axis)


def _one_of_each(name: str, find: Callable[..., Any], node: str) -> Callable[..., Any]:
    """The operation that takes one element along a dimension: its value and place; the gradient goes to that place."""
    return op(
        f"{name}_dim(self, dim: int, keepdim=False)",
        _extreme_along(name, find),
        node=node,
        outputs=("values", "indices"),
        method=False,
        self=lambda grads, self_shape, dim, indices, keepdim: _to_places(grads, self_shape, dim, indices, keepdim),
    )


max_dim = _one_of_each("max", np.argmax, "MaxBackward0")
min_dim = _one_of_each("min", np.argmin, "MinBackward0")
median_dim = _one_of_each("median", _middle, "MedianBackward1")
nanmedian_dim = _one_of_each("nanmedian", _middle_of_numbers, "NanmedianBackward1")
sort_plain = op(
    "sort_plain(self, dim=-1, descending=False)",
    _sort,
    node="SortBackward0",
    outputs=("values", "indices"),
    method=False,
    self=lambda grads, self_shape, dim, indices: _to_places(grads, self_shape, dim, indices, True),
)
sort_stable = op(
    "sort_stable(self, dim=-1, descending=False)",
    _sort,
    node="SortBackward1",
    outputs=("values", "indices"),
    method=False,
    self=lambda grads, self_shape, dim, indices: _to_places(grads, self_shape, dim, indices, True),
)
topk = op(
    "topk(self, k: int, dim=-1, largest=True, sorted=True)",
    _topk,
    outputs=("values", "indices"),
    self=lambda grads, self_shape, dim, indices: _to_places(grads, self_shape, dim, indices, True),
)


@method
def sort(self: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """The elements in order along `dim`, and their places before; equal elements keep their order.

    >>> import autograd_teach as torch
    >>> torch.tensor([3, 1, 2]).sort().indices
    tensor([1, 2, 0])
    """
    return (sort_plain if stable is None else sort_stable)(self, dim, descending)


@method
def argsort(self: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """The places that put the elements in order along `dim`."""
    return sort(self, dim, descending).indices


# Without a gradient: where values lie among others


def _search(sorted_sequence: np.ndarray, values: np.ndarray, right: bool) -> np.ndarray:
    side: Any = "right" if right else "left"
    if sorted_sequence.ndim == 1:
        return np.searchsorted(sorted_sequence, values, side)
    if sorted_sequence.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor "
            f"and input value tensor must match, but we got boundaries tensor {list(sorted_sequence.shape)} and input value "
            f"tensor {list(values.shape)}"
        )
    places = np.empty(values.shape, np.int64)
    for row in np.ndindex(values.shape[:-1]):
        places[row] = np.searchsorted(sorted_sequence[row], values[row], side)
    return places


searchsorted_op = op("searchsorted_op(sorted_sequence, self, right=False)", _search, method=False)
isin_op = op("isin_op(elements, test_elements)", lambda elements, test: np.isin(elements, test), method=False)
nonzero_op = op("nonzero_op(self)", lambda self: np.argwhere(self), method=False)


def searchsorted(sorted_sequence: Tensor, input: Any, *, right: bool = False) -> Tensor:
    """Where each value would go in a sorted sequence: before equal ones, or with `right` behind them.

    >>> import autograd_teach as torch
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 6]))
    tensor([1, 3])
    """
    return searchsorted_op(sorted_sequence, input, right)


def bucketize(input: Any, boundaries: Tensor, *, right: bool = False) -> Tensor:
    """The number of the bucket between `boundaries` that each value falls into."""
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted_op(boundaries, input, right)


def isin(elements: Tensor, test_elements: Tensor) -> Tensor:
    """Of each element whether it is among `test_elements`."""
    return isin_op(elements, test_elements)


@method
def nonzero(self: Tensor, *, as_tuple: bool = False) -> Any:
    """The positions of all elements that are not zero, one per row; with `as_tuple` one tensor per dimension."""
    return tuple(wrap(a) for a in np.nonzero(np.atleast_1d(self._array))) if as_tuple else nonzero_op(self)


@method
def unique(
    self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The different elements in ascending order; also which of them each element is, and how often each occurs.

    >>> import autograd_teach as torch
    >>> torch.tensor([2, 1, 2]).unique(return_counts=True)
    (tensor([1, 2]), tensor([1, 2]))
    """
    if self.requires_grad:
        raise NotImplementedError("autograd_teach has no derivative of unique; call .detach() first")
    found = np.unique(self._array, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    wanted = (True, return_inverse, return_counts)
    results = tuple(wrap(np.ascontiguousarray(a)) for a, want in zip(found, wanted) if want)
    return results if len(results) > 1 else results[0]
