"""Products of vectors, matrices and batches of matrices; norms, systems of equations, factorisations.

`autograd_teach/linalg.py` is the face of what `torch.linalg` has. Uses the other rooms' views, products of numbers and norms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import title
from ..errors import error, require
from ..tensor import Tensor, c_name, wrap
from .declare import broadcast_error, method, op
from .pointwise import _times, mul
from .reduction import expand
from .shape import reshape, squeeze_dim, squeeze_own, t, transpose, tril, triu, unsafe_view, unsqueeze, view


def _checks(name, ranks, kernel):
    """What is asked of two operands of these ranks, in the words of the product `name`."""
    left, right, size, dtype = (f"{name}_{what}" for what in ("left", "right", "size", "dtype"))

    def check(a, b):
        fits = a.shape[-1:] == b.shape[-2:][:1] and a.shape[:-2] == b.shape[:-2]
        if (a.ndim, b.ndim) == ranks and fits and a.dtype is b.dtype and a.dtype.kind != "b":
            return
        require(a.ndim == ranks[0], left, a.ndim, b.ndim)
        require(b.ndim == ranks[1], right, a.ndim, b.ndim)
        require(fits, size, a.shape, b.shape)
        if a.dtype != b.dtype:
            raise error(dtype, title(a), title(b), c_name(a), c_name(b))
        require(a.dtype.kind != "b", "linalg_kernel", kernel, a)

    return check


_check_mm = _checks("mm", (2, 2), "addmm_impl_cpu_")


def _check_addmm(self, mat1, mat2, beta, alpha):
    require(mat1.ndim == 2, "addmm_rank", "mat1", mat1.ndim)
    require(mat2.ndim == 2, "addmm_rank", "mat2", mat2.ndim)
    require(self.dtype == mat2.dtype, "addmm_dtype", "self", self, mat2)
    require(mat1.dtype == mat2.dtype, "addmm_dtype", "mat1", mat1, mat2)
    _check_mm(mat1, mat2)
    if self.shape != mat2.shape[1:]:
        expand(wrap(self), (mat1.shape[0], mat2.shape[1]))  # raises where it cannot be added


def _addmm(self, mat1, mat2, beta=1, alpha=1):
    product = np.matmul(mat1, mat2)
    if alpha != 1:
        product *= product.dtype.type(alpha)
    if beta:
        product += self if beta == 1 else self * self.dtype.type(beta)
    return product


def _of_left(g, right, strides):
    """The gradient of the left matrix of a product: by columns if that matrix lies so in memory, as PyTorch does it."""
    return t(mm(right, t(g))) if strides[0] * g.shape[0] == strides[1] > 0 else mm(g, t(right))


def _of_right(g, left, strides):
    return t(mm(t(g), left)) if strides[0] * left.shape[1] == strides[1] > 0 else mm(t(left), g)


# A gradient of a product of matrices is a product of matrices: no formula for the elements is needed.
mm = op(
    "mm(self, mat2)",
    np.matmul,
    check=_check_mm,
    self=lambda g, mat2, self_strides: _of_left(g, mat2, self_strides),
    mat2=lambda g, self, mat2_strides: _of_right(g, self, mat2_strides),
)
addmm = op(
    "addmm(self, mat1, mat2, *, beta=1, alpha=1)",
    _addmm,
    check=_check_addmm,
    self=lambda g, beta: _times(g, beta),
    mat1=lambda g, mat2, mat1_strides, alpha: _times(_of_left(g, mat2, mat1_strides), alpha),
    mat2=lambda g, mat1, mat2_strides, alpha: _times(_of_right(g, mat1, mat2_strides), alpha),
)
mv = op(
    "mv(self, vec)",
    np.matmul,
    check=_checks("mv", (2, 1), "addmv_impl_cpu"),
    self=lambda g, vec: mul(reshape(g, (-1, 1)), vec),
    vec=lambda g, self: mv(t(self), g),
)
dot = op(
    "dot(self, tensor)",
    np.matmul,
    check=_checks("dot", (1, 1), "dot"),
    self=lambda g, tensor: g * tensor,
    tensor=lambda g, self: g * self,
)
bmm = op(
    "bmm(self, mat2)",
    np.matmul,
    check=_checks("bmm", (3, 3), "bmm"),
    self=lambda g, mat2: bmm(g, transpose(mat2, 1, 2)),
    mat2=lambda g, self: bmm(transpose(self, 1, 2), g),
)


@method
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of vectors, matrices or batches of matrices, which broadcast; that of two vectors is a number."""
    require(isinstance(other, Tensor), "matmul_type", type(other).__name__)
    ranks = input._array.ndim, other._array.ndim
    if ranks == (2, 2):
        return mm(input, other)
    if ranks == (2, 1):
        return mv(input, other)
    if ranks == (1, 1):
        return dot(input, other)
    if ranks == (1, 2):
        return squeeze_own(mm(unsqueeze(input, 0), other), 0)
    require(0 not in ranks, "matmul_rank", *ranks)
    return _folded(input, other) if _folds(input, other) else _batched(input, other)


def _folds(a, b):
    """Whether PyTorch multiplies matrices of rank 2: where one operand has one matrix only and little need be copied."""
    large, small = (a, b) if a.ndim >= b.ndim else (transpose(b, -2, -1), a)
    if large.ndim < 3 or small.ndim > 2:
        return False
    # A batch of equal matrices would be as large as the batch, and so would its gradient.
    if small.requires_grad or a.ndim == 2:
        return small.requires_grad
    strides = large.stride()
    return not large.numel() or all(strides[i] == strides[i + 1] * large.shape[i + 1] for i in range(large.ndim - 2))


def _folded(a, b):
    """The matrices of the larger operand below each other as one, times the smaller operand."""
    swap = b.ndim > a.ndim
    large, small = (transpose(b, -2, -1), t(a) if a.ndim == 2 else a) if swap else (a, b)
    rows = large.shape[:-1]
    flat = reshape(large, (math.prod(rows), large.shape[-1]))
    result = unsafe_view((mm if small.ndim == 2 else mv)(flat, small), (*rows, *small.shape[1:]))
    return transpose(result, -2, -1).contiguous() if swap and small.ndim == 2 else result


def _batch(a, b):
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise broadcast_error(np.empty(a.shape[:-2]), np.empty(b.shape[:-2])) from None


def _batched(a, b):
    """Each matrix of one batch times that of the other, after the batches have been broadcast."""
    if a.ndim == b.ndim == 3 and a.shape[0] != b.shape[0]:
        if a.shape[0] == 1 and a.requires_grad:
            return matmul(squeeze_dim(a, 0), b)
        if b.shape[0] == 1 and b.requires_grad:
            return matmul(a, squeeze_dim(b, 0))
    batch = _batch(a, b)
    rows, columns, inner = a.shape[-2:-1], b.shape[-1:] if b.ndim > 1 else (), b.shape[-2:]
    count, matrix = math.prod(batch), (*(rows or (1,)), a.shape[-1])
    left = reshape(expand(a, (*batch, *matrix)), (count, *matrix))
    right = reshape(expand(b, (*batch, *inner)), (count, *inner))
    product = bmm(left, right) if columns else squeeze_dim(bmm(left, unsqueeze(right, 2)), -1)
    return unsafe_view(product, (*batch, *rows, *columns))


@method
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The matrix of all products of an element of one vector with one of the other."""
    require(input.ndim == 1, "outer_rank", "self", input.ndim)
    require(vec2.ndim == 1, "outer_rank", "vec2", vec2.ndim)
    return mul(view(input, (-1, 1)), vec2)


Tensor.__matmul__ = lambda self, other: matmul(self, other) if isinstance(other, Tensor) else NotImplemented  # type: ignore

# Systems of equations and factorisations


class LinAlgError(RuntimeError):
    """A matrix that has no inverse, or no factorisation of the kind wanted."""


def _check_square(name, kernel, A):
    require(A.ndim >= 2, "linalg_rank", name, "A")
    require(A.shape[-1] == A.shape[-2], "linalg_square", name, *A.shape[-2:])
    require(A.dtype.kind == "f" or name.endswith("triangular"), "linalg_kind", name, A)
    require(A.dtype.kind == "f" and A.itemsize > 2, "linalg_kernel", kernel, A)


def _check_system(name, kernel, A, B, left, vector):
    _check_square(name, kernel, A)
    require(A.dtype == B.dtype, "linalg_dtype", name, A, B)
    size = (*B.shape, 1) if vector else B.shape
    require(len(size) >= 2, "linalg_rank", name, "B")
    fits = size[-2 if left else -1] == A.shape[-1]
    require(fits, "linalg_size", name, "AX" if left else "XA", *A.shape[-2:], *size[-2:])
    if not vector:
        _batch(B, A)  # raises where they do not broadcast


def _is_vector(A, B):
    """Whether the right-hand sides are vectors: one, or as many as there are matrices."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1]))


def _solve(A, B, left=True):
    if not left:
        return _solve(A.mT, B.mT).mT
    try:
        return np.linalg.solve(A, B[..., None])[..., 0] if _is_vector(A, B) else np.linalg.solve(A, B)
    except np.linalg.LinAlgError:
        batch = f"(Batch element {np.argmin(np.abs(np.linalg.det(A)))}): " if A.ndim > 2 else ""
        raise LinAlgError(
            f"torch.linalg.solve: {batch}The solver failed because the input matrix is singular."
        ) from None


# With A X = B, dX = A⁻¹ (dB - dA X): Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
# differentiation" (2008), which has the other factorisations too.


def _of_sides(g, A, left):
    vector = _is_vector(A, g)
    solved = solve(A.mT, unsqueeze(g, -1) if vector else g, left=left)
    return squeeze_dim(solved, -1) if vector else solved


def _of_matrix(g, A, result, left):
    if _is_vector(A, result):
        g, result = unsqueeze(g, -1), unsqueeze(result, -1)
    solved = solve(A.mT, g, left=left)
    return -(solved @ result.mT) if left else -(result.mT @ solved)


solve = op(
    "linalg_solve_ex(A, B, *, left=True)",
    _solve,
    check=lambda A, B, left: _check_system("linalg.solve", "lu_cpu", A, B, left, _is_vector(A, B)),
    A=_of_matrix,
    B=_of_sides,
)


def _substituted(A, B, upper, left=True, unitriangular=False):
    if not left:
        return _substituted(A.mT, B.mT, not upper, True, unitriangular).mT
    X = np.array(np.broadcast_to(B, (*_batch(B, A), *B.shape[-2:])))
    for i in range(A.shape[-1])[:: -1 if upper else 1]:
        known = slice(i + 1, None) if upper else slice(i)
        X[..., i, :] -= (A[..., i, None, known] @ X[..., known, :])[..., 0, :]
        if not unitriangular:
            X[..., i, :] /= A[..., i, i, None]
    return X


def _of_triangular_sides(g, A, upper, left, unitriangular):
    return solve_triangular(A.mT, g, upper=not upper, left=left, unitriangular=unitriangular)


def _of_triangle(g, A, result, upper, left, unitriangular):
    solved = _of_triangular_sides(g, A, upper, left, unitriangular)
    g = -(solved @ result.mT) if left else -(result.mT @ solved)
    return triu(g, int(unitriangular)) if upper else tril(g, -int(unitriangular))


solve_triangular = op(
    "linalg_solve_triangular(A, B, *, upper: bool, left=True, unitriangular=False)",
    _substituted,
    check=lambda A, B, upper, left, unitriangular: _check_system(
        "linalg.solve_triangular", "triangular_solve_cpu", A, B, left, False
    ),
    A=_of_triangle,
    B=_of_triangular_sides,
)


def _cholesky(A, upper=False):
    try:
        return np.linalg.cholesky(A, upper=upper)
    except np.linalg.LinAlgError:
        # The leading minors of all matrices, side by side: the first that is not positive says where it stops.
        minors = np.stack([np.linalg.det(A[..., :n, :n]).ravel() for n in range(1, A.shape[-1] + 1)], -1)
        element, order = np.argwhere(~(minors > 0))[0]
    batch = f"(Batch element {element}): " if A.ndim > 2 else ""
    raise LinAlgError(
        f"linalg.cholesky: {batch}The factorization could not be completed because the input is not positive-definite "
        f"(the leading minor of order {order + 1} is not positive-definite)."
    )


def _of_factored(g, result, upper):
    g, lower = (g.mT, result.mT) if upper else (g, result)
    below = tril(lower.mT @ g)
    both = _times(below + tril(below, -1).mT, 0.5)
    return solve_triangular(lower, solve_triangular(lower.mT, both, upper=True), upper=False, left=False)


cholesky = op(
    "linalg_cholesky_ex(A, *, upper=False)",
    _cholesky,
    check=lambda A, upper: _check_square("linalg.cholesky", "cholesky_cpu", A),
    A=_of_factored,
)

# Norms


def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """(Σ |x|ᵖ)^(1/p) with p = `ord`, over all elements or along `dim`."""
    return (x if dtype is None else x.to(dtype)).norm(float(ord), dim, keepdim)


def matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, **named: Any) -> Tensor:
    """The Frobenius norm of matrices; others raise NotImplementedError."""
    require(ord == "fro", "matrix_norm", ord)
    require(A.ndim >= 2, "linalg_rank", "linalg.matrix_norm", "A")
    return vector_norm(A, 2, dim, keepdim, **named)


def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, **named: Any) -> Tensor:
    """The norm of a vector, or of a matrix where `ord` is given and `dim` names two dimensions (or `A` has two)."""
    rank = 1 if isinstance(dim, int) else A.ndim if dim is None else len(dim)
    if ord is None or (rank == 1 and ord != "fro"):
        return vector_norm(A, 2 if ord is None else ord, dim, keepdim, **named)
    require(dim is not None or rank in (1, 2), "linalg_norm_rank", rank)
    return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, **named)
