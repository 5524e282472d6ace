"""Products of vectors, matrices and batches of matrices; systems of equations and factorisations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Tensor
from .arranging import tril, triu
from .declare import broadcast_error, method, op
from .pointwise import _times, mul
from .reduction import _expand, expand
from .shape import reshape, squeeze_dim, squeeze_own, t, transpose, unsafe_view, unsqueeze, view


def _type_names(*arrays: np.ndarray) -> list[str]:
    return [dtypes.of_array(a).tensor_type[6:-6] for a in arrays]


def _mm(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    if self.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if self.shape[1] != mat2.shape[0]:
        a, b = (f"{x.shape[0]}x{x.shape[1]}" for x in (self, mat2))
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a} and {b})")
    if self.dtype != mat2.dtype:
        a, b = _type_names(self, mat2)
        theirs = {"Float": "float", "Double": "double", "Half": "c10::Half", "Long": "long"}
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: "
            f"{theirs.get(a, a.lower())} != {theirs.get(b, b.lower())}"
        )
    return self @ mat2


def _mv(self: np.ndarray, vec: np.ndarray) -> np.ndarray:
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({self.shape[0]}), mat ({self.shape[0]}x{self.shape[1]}), vec ({vec.shape[0]})"
        )
    if self.dtype != vec.dtype:
        a, b = _type_names(self, vec)
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {b}, {a}, and {b}")
    return self @ vec


def _dot(self: np.ndarray, tensor: np.ndarray) -> Any:
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    if self.dtype != tensor.dtype:
        a, b = _type_names(self, tensor)
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {a} and {b}")
    if self.shape != tensor.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{self.size}] and src [{tensor.size}] to have the same number of "
            f"elements, but got {self.size} and {tensor.size} elements respectively"
        )
    return self @ tensor


# A gradient of a product of matrices is a product of matrices: no formula for the elements is needed.
mm = op(
    "mm(self, mat2)",
    _mm,
    self=lambda g, mat2: mm(g, t(mat2)),
    mat2=lambda g, self: mm(t(self), g),
)
mv = op(
    "mv(self, vec)",
    _mv,
    self=lambda g, vec: mul(unsqueeze(g, 1), vec),
    vec=lambda g, self: mv(t(self), g),
)
dot = op("dot(self, tensor)", _dot, self=lambda g, tensor: g * tensor, tensor=lambda g, self: g * self)


def _addmm(self: np.ndarray, mat1: np.ndarray, mat2: np.ndarray, beta: Any = 1, alpha: Any = 1) -> np.ndarray:
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {matrix.ndim}-D tensor")
    if mat1.dtype != mat2.dtype:
        a, b = _type_names(mat1, mat2)
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {a} and {b}")
    product = _mm(mat1, mat2)
    self = _expand(self, product.shape)
    if alpha != 1:
        product *= alpha
    product += self if beta == 1 else self * beta
    return product


addmm = op(
    "addmm(self, mat1, mat2, *, beta=1, alpha=1)",
    _addmm,
    self=lambda g, beta: g if beta == 1 else g * beta,
    mat1=lambda g, mat2, alpha: mm(g if alpha == 1 else g * alpha, t(mat2)),
    mat2=lambda g, mat1, alpha: mm(t(mat1), g if alpha == 1 else g * alpha),
)


def _bmm(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    for name, batch in (("batch1", self), ("batch2", mat2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if (mat2.shape[0], mat2.shape[1]) != (self.shape[0], self.shape[2]):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{self.shape[0]}, {self.shape[2]}] but got: "
            f"[{mat2.shape[0]}, {mat2.shape[1]}]."
        )
    if self.dtype != mat2.dtype:
        a, b = _type_names(self, mat2)
        raise RuntimeError(f"expected scalar type {a} but found {b}")
    return self @ mat2


def _baddbmm(self: np.ndarray, batch1: np.ndarray, batch2: np.ndarray, beta: Any = 1, alpha: Any = 1) -> np.ndarray:
    product = _bmm(batch1, batch2)
    return _expand(self, product.shape) * self.dtype.type(beta) + product * product.dtype.type(alpha)


bmm = op(
    "bmm(self, mat2)",
    _bmm,
    self=lambda g, mat2: bmm(g, transpose(mat2, 1, 2)),
    mat2=lambda g, self: bmm(transpose(self, 1, 2), g),
)
baddbmm = op(
    "baddbmm(self, batch1, batch2, *, beta=1, alpha=1)",
    _baddbmm,
    self=lambda g, beta: _times(g, beta),
    batch1=lambda g, batch2, alpha: _times(bmm(g, transpose(batch2, 1, 2)), alpha),
    batch2=lambda g, batch1, alpha: _times(bmm(transpose(batch1, 1, 2), g), alpha),
)


@method
def matmul(self: Tensor, other: Tensor) -> Tensor:
    """`self @ other` of vectors, matrices and batches of matrices, which broadcast; a product of vectors is a number.

    >>> import autograd_teach as torch
    >>> torch.eye(2) @ torch.tensor([1.0, 2.0])
    tensor([1., 2.])
    """
    if not isinstance(other, Tensor):
        raise TypeError(f"matmul(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    ranks = (self.ndim, other.ndim)
    if 0 in ranks:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {ranks[0]}D and {ranks[1]}D")
    if ranks == (1, 1):
        return dot(self, other)
    if ranks == (2, 1):
        return mv(self, other)
    if ranks == (1, 2):
        return squeeze_own(mm(unsqueeze(self, 0), other), 0)
    if ranks == (2, 2):
        return mm(self, other)
    return _folded(self, other) if _folds(self, other) else _batched(self, other)


def _folds(a: Tensor, b: Tensor) -> bool:
    """Whether PyTorch multiplies matrices of rank 2: where one operand has one matrix only and little need be copied."""
    large, small = (a, b) if a.ndim >= b.ndim else (transpose(b, -2, -1), a)
    if large.ndim < 3 or small.ndim > 2:
        return False
    # A batch of equal matrices would be as large as the batch, and so would its gradient.
    if small.requires_grad:
        return True
    if a.ndim == 2:
        return False
    strides = large.stride()
    return not large.numel() or all(strides[i] == strides[i + 1] * large.shape[i + 1] for i in range(large.ndim - 2))


def _folded(a: Tensor, b: Tensor) -> Tensor:
    """The matrices of the larger operand below each other as one, times the smaller operand."""
    swap = b.ndim > a.ndim
    large, small = (transpose(b, -2, -1), t(a) if a.ndim == 2 else a) if swap else (a, b)
    rows = large.shape[:-1]
    flat = reshape(large, (math.prod(rows), large.shape[-1]))
    if small.ndim == 1:
        return unsafe_view(mv(flat, small), tuple(rows))
    result = unsafe_view(mm(flat, small), (*rows, small.shape[1]))
    return transpose(result, -2, -1).contiguous() if swap else result


def _batched(a: Tensor, b: Tensor) -> Tensor:
    """Each matrix of one batch times that of the other, after the batches have been broadcast."""
    if a.ndim == b.ndim == 3 and a.shape[0] != b.shape[0]:
        if a.shape[0] == 1 and a.requires_grad:
            return matmul(squeeze_dim(a, 0), b)
        if b.shape[0] == 1 and b.requires_grad:
            return matmul(a, squeeze_dim(b, 0))
    rows, columns = a.shape[-2:-1], b.shape[-1:] if b.ndim > 1 else ()
    of_a, of_b = a.shape[:-2], b.shape[:-2]
    try:
        batch = np.broadcast_shapes(of_a, of_b)
    except ValueError:
        raise broadcast_error(np.broadcast_to(0, of_a), np.broadcast_to(0, of_b)) from None
    count = math.prod(batch)
    n, inner = (rows or (1,))[0], b.shape[-2:-1] if b.ndim > 1 else b.shape
    left = reshape(expand(a, (*batch, n, a.shape[-1])), (count, n, a.shape[-1]))
    right = reshape(expand(b, (*batch, *inner, *columns)), (count, *inner, *columns))
    product = bmm(left, right if columns else unsqueeze(right, 2))
    return unsafe_view(product if columns else squeeze_dim(product, -1), (*batch, *rows, *columns))


@method
def outer(self: Tensor, vec2: Tensor) -> Tensor:
    """The matrix of all products of an element of one vector with one of the other."""
    for name, vector in (("self", self), ("vec2", vec2)):
        if vector.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector.ndim}-D")
    return mul(view(self, (self.numel(), 1)), vec2)


def _matmul_operator(self: Tensor, other: Any) -> Any:
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


Tensor.__matmul__ = _matmul_operator  # type: ignore[method-assign]  # operators are attached


# Systems of equations and factorisations (`autograd_teach/linalg.py` is their face)


class LinAlgError(RuntimeError):
    """A matrix that has no inverse, or no factorisation of the kind wanted."""


def _require_square(name: str, *arrays: np.ndarray) -> None:
    for array in arrays:
        if array.dtype == np.float16:
            raise RuntimeError(f"{name}: Low precision dtypes not supported. Got Half")
        if array.dtype.kind != "f":
            raise RuntimeError(
                f"{name}: Expected a floating point or complex tensor as input. Got {_type_names(array)[0]}"
            )
    matrix = arrays[0]
    if matrix.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if matrix.shape[-1] != matrix.shape[-2]:
        sizes = f"{matrix.shape[-2]} by {matrix.shape[-1]}"
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {sizes} matrices")


def _is_vector(A: Any, B: Any) -> bool:
    """Whether the right-hand sides are vectors: one, or as many as there are matrices."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1]))


def _solve(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    _require_square("linalg.solve", A, B)
    columns = (*B.shape, 1) if _is_vector(A, B) else B.shape
    try:
        return np.linalg.solve(A, B[..., None])[..., 0] if _is_vector(A, B) else np.linalg.solve(A, B)
    except np.linalg.LinAlgError:
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is singular.") from None
    except ValueError:
        raise RuntimeError(
            "linalg.solve: Incompatible shapes of A and B for the equation AX = B "
            f"({A.shape[-2]}x{A.shape[-1]} and {columns[-2]}x{columns[-1]})"
        ) from None


def _columns(A: Any, B: Any) -> Any:
    return unsqueeze(B, -1) if _is_vector(A, B) else B


def _product(a: Any, b: Any) -> Any:
    return matmul(a, b) if isinstance(a, Tensor) else a @ b


def _turned(A: Any) -> Any:
    return transpose(A, -2, -1)


# With A X = B, dX = A⁻¹ (dB - dA X): Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
# differentiation" (2008), which has the other factorisations too.
linalg_solve = op(
    "linalg_solve(A, B)",
    _solve,
    node="LinalgSolveExBackward0",
    method=False,
    A=lambda g, A, B_shape, result: -_product(_columns(A, linalg_solve(_turned(A), g)), _turned(_columns(A, result))),
    B=lambda g, A: linalg_solve(_turned(A), g),
)


def _solve_triangular(A: np.ndarray, B: np.ndarray, upper: bool, left: bool, unitriangular: bool) -> np.ndarray:
    _require_square("linalg.solve_triangular", A, B)
    if not left:
        return _solve_triangular(A.mT, B.mT, not upper, True, unitriangular).mT
    triangle = (np.triu if upper else np.tril)(A)
    if unitriangular:
        triangle[..., range(A.shape[-1]), range(A.shape[-1])] = 1
    # The elimination of an upper triangle is mere substitution; a lower one becomes one back to front.
    if upper:
        return np.linalg.solve(triangle, B)
    return np.linalg.solve(triangle[..., ::-1, ::-1], B[..., ::-1, :])[..., ::-1, :]


def _triangular_derivative(g: Any, A: Any, result: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    of_b = solve_triangular(_turned(A), g, not upper, left, unitriangular)
    of_a = -_product(of_b, _turned(result)) if left else -_product(_turned(result), of_b)
    inside = int(unitriangular)
    return triu(of_a, inside) if upper else tril(of_a, -inside)


solve_triangular = op(
    "solve_triangular(A, B, upper: bool, left: bool, unitriangular: bool)",
    _solve_triangular,
    node="LinalgSolveTriangularBackward0",
    method=False,
    A=lambda g, A, result, upper, left, unitriangular: _triangular_derivative(g, A, result, upper, left, unitriangular),
    B=lambda g, A, upper, left, unitriangular: solve_triangular(_turned(A), g, not upper, left, unitriangular),
)


def _cholesky(self: np.ndarray, upper: bool = False) -> np.ndarray:
    _require_square("linalg.cholesky", self)
    try:
        return np.linalg.cholesky(self, upper=upper)
    except np.linalg.LinAlgError:
        minors = (np.linalg.det(self[:n, :n]) for n in range(1, len(self) + 1))
        order = next((n for n, minor in enumerate(minors, 1) if not minor > 0), len(self)) if self.ndim == 2 else 0
        which = f" (the leading minor of order {order} is not positive-definite)" if order else ""
        raise LinAlgError(
            "linalg.cholesky: The factorization could not be completed because the input is not positive-definite"
            f"{which}."
        ) from None


def _cholesky_derivative(g: Any, result: Any, upper: bool) -> Any:
    if upper:
        g, result = _turned(g), _turned(result)
    below = tril(_product(_turned(result), g))
    both = (below + _turned(tril(below, -1))) * 0.5
    right = solve_triangular(result, both, False, False, False)
    return solve_triangular(_turned(result), right, True, True, False)


cholesky = op(
    "cholesky(self, upper=False)",
    _cholesky,
    node="LinalgCholeskyExBackward0",
    method=False,
    self=lambda g, result, upper: _cholesky_derivative(g, result, upper),
)


def _inverse(self: np.ndarray) -> np.ndarray:
    _require_square("linalg.inv", self)
    try:
        return np.linalg.inv(self)
    except np.linalg.LinAlgError:
        # The elimination stops at the first column that depends on those before it.
        rank = np.linalg.matrix_rank
        stops = [n for n in range(1, len(self) + 1) if self.ndim == 2 and rank(self[:, :n]) < n]
        where = f"The diagonal element {stops[0]} is zero, the" if stops else "The"
        raise LinAlgError(
            f"linalg.inv: {where} inversion could not be completed because the input matrix is singular."
        ) from None


inverse = op(
    "inverse(self)",
    _inverse,
    node="LinalgInvExBackward0",
    self=lambda g, result: -_product(_turned(result), _product(g, _turned(result))),
)
