"""Elements in another arrangement: repeated, reversed, rolled, cut to a triangle, put on a diagonal; and tensors side by side.

Uses the views of `shape.py` and the sums of `reduction.py`; all results but those of `movedim` and `unflatten` are copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..tensor import Tensor, wrap_dim
from .declare import method, op
from .ordering import zeros_beside
from .reduction import expand, sum
from .shape import cat, diagonal, diagonal_backward, permute, reshape, unsqueeze, view


def _repeat(self: np.ndarray, repeats: Sequence[int]) -> np.ndarray:
    if len(repeats) < self.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    size = [n * m for n, m in zip(repeats, (1,) * (len(repeats) - self.ndim) + self.shape)]
    if min(size, default=0) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {size}")
    return np.tile(self, repeats)


def _sum_of_repeats(g: Any, shape: tuple[int, ...], repeats: Sequence[int]) -> Any:
    if 0 in repeats:
        return zeros_beside(g, shape)
    sizes = (1,) * (len(repeats) - len(shape)) + shape
    apart = reshape(g, tuple(n for pair in zip(repeats, sizes) for n in pair))
    return reshape(sum(apart, tuple(range(0, 2 * len(sizes), 2))), shape) if repeats else g


def _flip(self: np.ndarray, dims: Sequence[int]) -> np.ndarray:
    wrapped = tuple(wrap_dim(d, self.ndim) for d in dims)
    for d in wrapped:
        if wrapped.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return np.flip(self, wrapped if self.ndim else ()).copy()


def _roll(self: np.ndarray, shifts: Sequence[int], dims: Sequence[int]) -> np.ndarray:
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and (dims or len(shifts) > 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not dims:
        return np.roll(self, shifts[0])
    return np.roll(self, shifts, [wrap_dim(d, self.ndim) for d in dims])


def _triangle(name: str, cut: Any) -> Any:
    def kernel(self: np.ndarray, diagonal: int = 0) -> np.ndarray:
        if self.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return cut(self, diagonal)

    return kernel


def _trace(self: np.ndarray) -> Any:
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    return np.trace(self)


repeat = op(
    "repeat(self, *repeats)",
    _repeat,
    self=lambda g, self_shape, repeats: _sum_of_repeats(g, self_shape, repeats),
)
flip = op("flip(self, *dims)", _flip, self=lambda g, dims: flip(g, dims))
roll_by = op(
    "roll_by(self, shifts: tuple, dims: tuple)",
    _roll,
    node="RollBackward0",
    method=False,
    self=lambda g, shifts, dims: roll_by(g, tuple(-n for n in shifts), dims),
)
tril = op(
    "tril(self, diagonal=0)", _triangle("tril", np.tril), inplace=True, self=lambda g, diagonal: tril(g, diagonal)
)
triu = op(
    "triu(self, diagonal=0)", _triangle("triu", np.triu), inplace=True, self=lambda g, diagonal: triu(g, diagonal)
)
trace = op(
    "trace(self)",
    _trace,
    self=lambda g, self_shape: diagonal_backward(expand(g, (min(self_shape),)), self_shape, 0, 0, 1),
)


def _embedded(shape: Sequence[int], offset: int) -> tuple[int, ...]:
    return (*shape[:-1], *[shape[-1] + abs(offset)] * 2)


def _diag_embed(self: np.ndarray, offset: int = 0) -> np.ndarray:
    whole = np.zeros(_embedded(self.shape, offset), self.dtype)
    place = np.diagonal(whole, offset, -2, -1)
    place.flags.writeable = True
    place[...] = self
    return whole


diag_embed = op("diag_embed(self, offset=0)", _diag_embed, self=lambda g, offset: diagonal(g, offset, -2, -1))
diagonal_copy = op(
    "diagonal_copy(self, offset=0)",
    lambda self, offset=0: np.diagonal(self, offset).copy(),
    node="DiagonalBackward0_copy",
    method=False,
    self=lambda g, self_shape, offset: diagonal_backward(g, self_shape, offset, 0, 1),
)


@method
def diag(self: Tensor, diagonal: int = 0) -> Tensor:
    """Of a vector the matrix with it on a diagonal, of a matrix a copy of its diagonal.

    >>> import autograd_teach as torch
    >>> torch.tensor([1, 2]).diag()
    tensor([[1, 0],
            [0, 2]])
    """
    if self.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {self.ndim}D")
    return (diag_embed if self.ndim == 1 else diagonal_copy)(self, diagonal)


@method
def roll(self: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Every element moved on along `dims`, what leaves at the end coming in at the start; without `dims` as one row."""
    return roll_by(self, *((n,) if isinstance(n, int) else tuple(n) for n in (shifts, dims)))


@method
def tile(self: Tensor, *dims: Any) -> Tensor:
    """Repeated as often as `dims` say, which may be fewer than the tensor has."""
    sizes = tuple(dims[0]) if len(dims) == 1 and not isinstance(dims[0], int) else dims
    return repeat(self, (1,) * (self.ndim - len(sizes)) + sizes)


@method
def movedim(self: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with dimensions moved to other positions, the others kept in their order."""
    start, end = (((n,) if isinstance(n, int) else tuple(n)) for n in (source, destination))
    if len(start) != len(end):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(start)} dims) should contain the same number of dims as "
            f"destination ({list(end)} dims)"
        )
    moved = {wrap_dim(to, self.ndim): wrap_dim(of, self.ndim) for of, to in zip(start, end)}
    rest = iter(i for i in range(self.ndim) if i not in moved.values())
    return permute(self, tuple(moved[i] if i in moved else next(rest) for i in range(self.ndim)))


@method
def unflatten(self: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """A view in which one dimension has become several."""
    at, extent = wrap_dim(dim, self.ndim), self.size(dim)
    known = int(np.prod([n for n in sizes if n != -1]))
    if (known != extent) if -1 not in sizes else (not known or extent % known):
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} ({extent}) in the input tensor"
        )
    whole = tuple(extent // known if n == -1 else n for n in sizes)
    return view(self, (*self.shape[:at], *whole, *self.shape[at + 1 :]))


@method
def ravel(self: Tensor) -> Tensor:
    """All elements in one dimension: a view where they lie one behind the other."""
    return view(self.contiguous(), (-1,))


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors side by side: along dimension 1, vectors along their only one."""
    if not len(tensors):
        raise RuntimeError("hstack expects a non-empty TensorList")
    parts = [reshape(t, (1,)) if t.ndim == 0 else t for t in tensors]
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors below each other: along dimension 0, vectors as rows."""
    if not len(tensors):
        raise RuntimeError("vstack expects a non-empty TensorList")
    return cat([reshape(t, (1, 1)) if t.ndim == 0 else unsqueeze(t, 0) if t.ndim == 1 else t for t in tensors])
