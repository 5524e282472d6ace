"""`torch.linalg`: norms, systems of equations, factorisations. Names and arguments; the rows are in `ops/`."""

from __future__ import annotations

from typing import Any

from .ops.linalg import LinAlgError, cholesky, linalg_solve, matmul
from .ops.linalg import inverse as inv
from .ops.linalg import solve_triangular as _solve_triangular
from .ops.reduction import norm as _norm
from .tensor import Tensor

__all__ = [
    "LinAlgError",
    "cholesky",
    "inv",
    "matmul",
    "matrix_norm",
    "norm",
    "solve",
    "solve_triangular",
    "vector_norm",
]


def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of a vector, or of a matrix where `ord` is given and `dim` names two dimensions (or `A` has two).

    >>> import autograd_teach as torch
    >>> torch.linalg.norm(torch.tensor([[3.0, 4.0]]))
    tensor(5.)
    """
    dims = (dim,) if isinstance(dim, int) else dim
    if ord is None or (A.ndim if dims is None else len(dims)) == 1:
        return vector_norm(A, 2 if ord is None else ord, dims, keepdim, dtype=dtype)
    return matrix_norm(A, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)


def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """(Σ |x|ᵖ)^(1/p) with p = `ord`, over all elements or along `dim`."""
    return _norm(x if dtype is None else x.to(dtype), float(ord), dim, keepdim)


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The Frobenius norm of matrices; others raise NotImplementedError."""
    if ord != "fro":
        raise NotImplementedError(f"autograd_teach does not support the matrix norm {ord!r}; use 'fro'")
    return vector_norm(A, 2, dim, keepdim, dtype=dtype)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with `A @ X = B`, or `X @ A = B` unless `left`; LinAlgError where A is singular.

    >>> import autograd_teach as torch
    >>> torch.linalg.solve(torch.eye(2) * 2, torch.tensor([2.0, 4.0]))
    tensor([1., 2.])
    """
    return linalg_solve(A, B) if left else linalg_solve(A.mT, B.mT).mT


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """The same where A is a triangle, of which only the elements in it are read."""
    return _solve_triangular(A, B, upper, left, unitriangular)
