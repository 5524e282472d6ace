"""Reading and writing parts of a tensor: `x[0]`, `x[1:3, None]`, `x[mask]`, `x[i, j] = v`.

An index is a chain of views (integers, slices, None, Ellipsis) and, where it holds tensors or lists, one gather at its end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import of_array
from ..tensor import Tensor, wrap, wrap_dim
from .declare import broadcast_error, inplace_form, method, op
from .inplace import copy_, fill_
from .ordering import gather, zeros_beside
from .pointwise import _times, where
from .reduction import expand
from .shape import alias, reshape, select, slice_view, unsqueeze, view


def _gather_at(self: np.ndarray, indices: tuple[Any, ...]) -> np.ndarray:
    try:
        return self[indices]
    except IndexError as error:
        raise IndexError(_worded(error, self, indices)) from None


def _worded(error: IndexError, self: np.ndarray, indices: tuple[Any, ...]) -> str:
    for dim, index in enumerate(indices):
        if not isinstance(index, np.ndarray):
            continue
        extent = self.shape[dim] if dim < self.ndim else 0
        if index.dtype == bool and index.shape != self.shape[dim : dim + index.ndim]:
            at = next(i for i in range(index.ndim) if index.shape[i : i + 1] != self.shape[dim + i : dim + i + 1])
            return (
                f"The shape of the mask {list(index.shape)} at index {at} does not match the shape of the indexed tensor "
                f"{list(self.shape)} at index {dim + at}"
            )
        if index.dtype != bool:
            out = index[(index < -extent) | (index >= extent)]
            if out.size:
                return f"index {int(out.flat[0])} is out of bounds for dimension {dim} with size {extent}"
    return str(error)


def _add_at(self: np.ndarray, values: np.ndarray, indices: tuple[Any, ...]) -> np.ndarray:
    whole = self.copy()
    # An element that was read twice gets both gradients.
    np.add.at(whole, indices, values)
    return whole


index = op(
    "index(self, indices: tuple)",
    _gather_at,
    method=False,
    self=lambda g, self_shape, indices: index_put_impl(zeros_beside(g, self_shape), g, indices),
)
index_put_impl = op(
    "index_put_impl(self, values, indices: tuple)",
    _add_at,
    method=False,
    self=lambda g: g,
    values=lambda g, indices: index(g, indices),
)


def _put_at(self: np.ndarray, values: np.ndarray, indices: tuple[Any, ...]) -> np.ndarray:
    whole = self.copy()
    try:
        whole[indices] = values
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(np.shape(values))} cannot be broadcast to indexing result of shape "
            f"{list(whole[indices].shape)}"
        ) from None
    return whole


def _zero_at(g: Any, indices: tuple[Any, ...]) -> Any:
    """A gradient without what was written over."""
    if isinstance(g, Tensor):
        return index_put(g, wrap(np.zeros((), g._array.dtype)), indices)
    return index_put(g, g.dtype.type(0), indices)


index_put = op(
    "index_put(self, values, indices: tuple)",
    _put_at,
    method=False,
    self=lambda g, indices: _zero_at(g, indices),
    values=lambda g, indices: index(g, indices),
)
_index_put_ = inplace_form(index_put)


# One index for a whole dimension, and masks


def _along(self: np.ndarray, dim: int, index: np.ndarray) -> tuple[Any, ...]:
    at = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    extent = self.shape[at] if self.ndim else 1
    outside = index[(index < 0) | (index >= extent)]
    if outside.size:
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={outside.flat[0]} axis_dim={extent}")
    return (slice(None),) * at + (np.atleast_1d(index),)


def _index_select(self: np.ndarray, dim: int, index: np.ndarray) -> np.ndarray:
    chosen = np.atleast_1d(self)[_along(self, dim, index)]
    return chosen if self.ndim else chosen.reshape(())


def _index_add(self: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, alpha: Any = 1) -> np.ndarray:
    at = wrap_dim(dim, self.ndim)
    if self.dtype != source.dtype:
        names = [of_array(a).tensor_type[6:-6] for a in (self, source)]
        raise RuntimeError(f"index_add_(): self ({names[0]}) and source ({names[1]}) must have the same scalar type")
    if index.size != (source.shape[at] if source.ndim else 1):
        raise RuntimeError(
            f"index_add_(): Number of indices ({index.size}) should be equal to source.size(dim): ({source.shape[at]}), for dim: {at}"
        )
    whole = self.copy()
    np.add.at(np.atleast_1d(whole), _along(self, dim, index), source if alpha == 1 else source * alpha)
    return whole


index_select = op(
    "index_select(self, dim: int, index)",
    _index_select,
    self=lambda g, self_shape, dim, index: index_add(zeros_beside(g, self_shape), dim, index, g),
)
index_add = op(
    "index_add(self, dim: int, index, source, *, alpha=1)",
    _index_add,
    inplace=True,
    self=lambda g: g,
    source=lambda g, source_shape, dim, index, alpha: _times(expand(index_select(g, dim, index), source_shape), alpha),
)


def _masked_select(self: np.ndarray, mask: np.ndarray) -> np.ndarray:
    if mask.dtype != bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    try:
        whole, chosen = np.broadcast_arrays(self, mask)
    except ValueError:
        raise broadcast_error(mask, self) from None
    return whole[chosen]


def _masked_scatter(self: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    whole, chosen = (np.array(a) for a in np.broadcast_arrays(self, mask))
    whole[chosen] = source.reshape(-1)[: np.count_nonzero(chosen)]
    return whole


masked_select = op(
    "masked_select(self, mask)",
    _masked_select,
    self=lambda g, self_shape, mask: masked_scatter(
        zeros_beside(g, np.broadcast_shapes(self_shape, tuple(mask.shape))), mask, g
    ),
)
# The derivative of a selection; PyTorch's own form also takes a source with more elements than the mask has places.
masked_scatter = op(
    "masked_scatter(self, mask, source)",
    _masked_scatter,
    method=False,
    self=lambda g, mask: where(mask, 0.0, g),
    source=lambda g, mask: masked_select(g, mask),
)


@method
def take_along_dim(self: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The elements at `indices` along `dim`, where both broadcast; without `dim` of the tensor as one row.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([[3, 1, 2]])
    >>> x.take_along_dim(x.argsort(1), 1)
    tensor([[1, 2, 3]])
    """
    if dim is None:
        return gather(reshape(self, (-1,)), 0, reshape(indices, (-1,)))
    if self.ndim != indices.ndim:
        raise RuntimeError(
            f"torch.take_along_dim(): input and indices should have the same number of dimensions, but got {self.ndim} dimensions "
            f"for input, and {indices.ndim} dimensions for indices"
        )
    at = wrap_dim(dim, self.ndim)

    def without(shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:at], 1, *shape[at + 1 :])

    here, there = without(self.shape), without(indices.shape)
    try:
        shape = np.broadcast_shapes(here, there)
    except ValueError:
        raise broadcast_error(np.broadcast_to(0, here), np.broadcast_to(0, there)) from None
    sizes = [(*shape[:at], n, *shape[at + 1 :]) for n in (self.size(at), indices.size(at))]
    return gather(expand(self, sizes[0]), at, expand(indices, sizes[1]))


def _parse(self: Tensor, key: Any) -> tuple[Tensor, tuple[Any, ...] | None]:
    """The view that the plain part of an index describes, and what remains for a gather, if anything."""
    keys = key if isinstance(key, tuple) else (key,)
    consumed = sum(_rank_of(k) for k in keys)
    if consumed > self.ndim:
        if self.ndim == 0 and len(keys) == 1 and isinstance(key, int):
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
                "0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {self.ndim}")
    tensor, dim, gather = self, 0, []
    removed = 0
    for k in keys:
        if k is None:
            tensor = unsqueeze(tensor, dim)
            dim += 1
        elif k is Ellipsis:
            dim += self.ndim - consumed
        elif isinstance(k, slice):
            if k.indices(tensor.shape[dim]) != (0, tensor.shape[dim], 1):
                tensor = _slice_of(tensor, dim, k)
            dim += 1
        elif isinstance(k, bool) or (isinstance(k, Tensor) and k.ndim == 0 and k._array.dtype == bool):
            raise NotImplementedError(
                "autograd_teach does not support indexing with a single bool yet; use a mask of the tensor's shape"
            )
        elif isinstance(k, (int, np.integer)) or (isinstance(k, Tensor) and k.ndim == 0):
            tensor = _select_at(tensor, dim, int(k), dim + removed)
            removed += 1
        else:
            array = _index_array(k)
            gather.append((dim, array))
            dim += array.ndim if array.dtype == bool else 1
    if not gather:
        return tensor, None
    indices: list[Any] = [slice(None)] * gather[0][0]
    for dim, array in gather:
        indices += [slice(None)] * (dim - _ranks(indices)) + [array]
    return tensor, tuple(indices)


def _ranks(indices: list[Any]) -> int:
    return sum(i.ndim if isinstance(i, np.ndarray) and i.dtype == bool else 1 for i in indices)


def _rank_of(key: Any) -> int:
    """How many dimensions of the tensor one entry of an index stands for."""
    if key is None or key is Ellipsis or isinstance(key, bool):
        return 0
    if isinstance(key, Tensor) and key._array.dtype == bool:
        return key.ndim
    return np.ndim(key) if isinstance(key, np.ndarray) and key.dtype == bool else 1


def _index_array(key: Any) -> np.ndarray:
    array = key._array if isinstance(key, Tensor) else np.asarray(key)
    if array.size == 0 and not isinstance(key, (Tensor, np.ndarray)):
        array = array.astype(np.int64)
    if array.dtype.kind not in "bui":
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return array


def _slice_of(tensor: Tensor, dim: int, key: slice) -> Tensor:
    if tensor.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    step = 1 if key.step is None else int(key.step)
    if step <= 0:
        raise ValueError("step must be greater than zero")
    start, stop = (None if k is None else int(k) for k in (key.start, key.stop))
    start, end, step = slice(start, stop, step).indices(tensor.shape[dim])
    return slice_view(tensor, dim, start, max(end, start), step)


def _select_at(tensor: Tensor, dim: int, position: int, named: int) -> Tensor:
    extent = tensor.shape[dim]
    if not -extent <= position < extent:
        raise IndexError(f"index {position} is out of bounds for dimension {named} with size {extent}")
    return select(tensor, dim, position)


def getitem(self: Tensor, key: Any) -> Tensor:
    """`self[key]`: a view, or with tensors or lists in the key a copy of what they point at."""
    if isinstance(key, slice):
        # As the only index a slice is taken even where it leaves nothing out.
        return _slice_of(self, 0, key)
    tensor, indices = _parse(self, key)
    if indices is not None:
        return index(tensor, indices)
    return alias(tensor) if tensor is self else tensor


def _without_leading_ones(size: tuple[int, ...]) -> tuple[int, ...]:
    while size and size[0] == 1:
        size = size[1:]
    return size


def _assign(target: Tensor, value: Any) -> None:
    """Write a number or a tensor over the target; of the value's dimensions those of extent 1 in front do not count."""
    if not isinstance(value, Tensor):
        value = wrap(np.asarray(value, dtype=None if isinstance(value, float) else target._array.dtype))
    if value.ndim == 0 and target.ndim:
        fill_(target, value)
        return
    if value.shape != target.shape:
        value = view(value, _without_leading_ones(value.shape))
        if value.shape != target.shape:
            value = expand(value, target.shape)
    copy_(target, value)


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """`self[key] = value`: writes into this tensor's memory; numbers and tensors broadcast."""
    tensor, indices = _parse(self, key)
    if indices is None:
        _assign(tensor, value)
        return
    source = value if isinstance(value, Tensor) else wrap(np.asarray(value, dtype=tensor._array.dtype))
    # One value for a mask is cast; that is a fill rather than a put.
    fills = source.numel() == 1 and any(isinstance(i, np.ndarray) and i.dtype == bool for i in indices)
    if source.dtype is not tensor.dtype and not fills:
        names = [d.tensor_type[6:-6] for d in (tensor.dtype, source.dtype)]
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {names[0]} for the destination and {names[1]} for "
            "the source."
        )
    if source.shape[:1] == (1,):
        source = view(source, _without_leading_ones(source.shape))
    _index_put_(tensor, source, indices)


Tensor.__getitem__ = getitem  # type: ignore[method-assign]  # operators are attached
Tensor.__setitem__ = setitem  # type: ignore[method-assign]
