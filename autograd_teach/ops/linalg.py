"""Products of vectors, matrices and batches of matrices; norms, systems of equations, factorisations.

`autograd_teach/linalg.py` is the face of what `torch.linalg` has. Uses the other rooms' views, products and norms.
"""

import math
from functools import partial
from typing import Any

import numpy as np

from ..errors import error, require
from ..tensor import Tensor, c_name, wrap
from .operation import method, op
from .pointwise import common_shape, mul_number, needs_tensor
from .reduction import expand
from .shape import reshape, squeeze_dim, squeeze_own, t, tril, triu, unsafe_view, unsqueeze

# fmt: off

def _check_product(name, left, right, a, b):
    if a.ndim == left and b.ndim == right and a.dtype is b.dtype and a.dtype.kind != "b" and (
        a.shape[-1] == b.shape[0 if right == 1 else -2] and (left < 3 or a.shape[0] == b.shape[0])):
        return  # said at once of what is right, for products are many
    fits = a.shape[-1:] == b.shape[-2:][:1] and a.shape[:-2] == b.shape[:-2]
    require(a.ndim == left, f"{name}_left", a.ndim, b.ndim)
    require(b.ndim == right, f"{name}_right", a.ndim, b.ndim)
    require(fits or (name == "dot" and a.dtype != b.dtype), f"{name}_size", a.shape, b.shape)
    require(a.dtype == b.dtype or (name, a.dtype.kind) == ("bmm", "b"), f"{name}_dtype", a, b, c_name(a), c_name(b))
    require(a.dtype.kind != "b", f"{name}_bool")

_product = np.ndarray.dot  # what `np.matmul` computes, in less time

def _check_addmm(self, mat1, mat2):
    require(mat1.ndim == 2, "addmm_rank", "mat1", mat1.ndim)
    require(mat2.ndim == 2, "addmm_rank", "mat2", mat2.ndim)
    require(self.dtype == mat2.dtype, "addmm_dtype", "self", self, mat2)
    require(mat1.dtype == mat2.dtype, "addmm_dtype", "mat1", mat1, mat2)
    _check_product("mm", 2, 2, mat1, mat2)
    if self.shape != mat2.shape[1:]:
        expand(wrap(self), (mat1.shape[0], mat2.shape[1]))  # raises where it cannot be added

def _addmm(self, mat1, mat2):
    product = _product(mat1, mat2)
    product += self
    return product

def _by_columns(strides, beside, axis):
    """Whether the matrix with these strides lies in memory column by column; `axis` of `beside` is as long as its columns."""
    first, second = strides
    return first <= second and first == beside.itemsize and second == first * beside.shape[axis]

def _of_left(g, mat2, self_strides):
    """The gradient of the left matrix of a product: by columns if that matrix lies so in memory, as PyTorch does it."""
    return t(mm(mat2, t(g))) if _by_columns(self_strides, g, 0) else mm(g, t(mat2))

def _of_right(g, self, mat2_strides):
    return t(mm(t(g), self)) if _by_columns(mat2_strides, self, 1) else mm(t(self), g)

# A gradient of a product of matrices is a product of matrices: no formula for the elements is needed.
@op(_product, check=partial(_check_product, "mm", 2, 2), self=_of_left, mat2=_of_right)
def mm(self, mat2):
    """The product of two matrices: result[i, k] = Σ input[i, j] · mat2[j, k], summed over j.

    input: (n, m). mat2: (m, p), of the same dtype; any dtype but bool. Nothing broadcasts; `torch.matmul`
    also accepts vectors and batches.
    Returns an (n, p) tensor of that dtype. RuntimeError if an input is not a matrix, or if the sizes or
    dtypes do not match; NotImplementedError for booleans. With the gradient G of the result, `input` receives
    G @ mat2.T and `mat2` receives input.T @ G.

    >>> torch.mm(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[0, 1], [1, 0]]))
    tensor([[2, 1],
            [4, 3]])
    """

@op(_addmm, check=_check_addmm, self=lambda g: g,
    mat1=lambda g, mat2, mat1_strides: _of_left(g, mat2, mat1_strides),
    mat2=lambda g, mat1, mat2_strides: _of_right(g, mat1, mat2_strides))
def addmm(self, mat1, mat2):
    """The sum `input + mat1 @ mat2` in one operation; a linear layer with a bias computes it.

    input: tensor that broadcasts to (n, p), for example a bias of shape (p,). mat1: (n, m). mat2: (m, p). All
    have the same dtype; any dtype but bool. PyTorch's factors `beta` and `alpha` are not supported.
    Returns an (n, p) tensor. RuntimeError if mat1 or mat2 is not a matrix, if the sizes or dtypes do not
    match, or if `input` cannot be broadcast; NotImplementedError for booleans.

    >>> torch.addmm(torch.tensor([10.0, 20.0]), torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 0.0], [0.0, 3.0]]))
    tensor([[11., 26.]])
    """

@op(_product, check=partial(_check_product, "mv", 2, 1),
    self=lambda g, vec: reshape(g, (-1, 1)) * vec, vec=lambda g, self: mv(t(self), g))
def mv(self, vec):
    """The product of a matrix and a vector: result[i] = Σ input[i, j] · vec[j], summed over j.

    input: (n, m). vec: (m,), of the same dtype; any dtype but bool. Nothing broadcasts.
    Returns a vector of shape (n,). RuntimeError if the ranks are not 2 and 1, or if the sizes or dtypes do
    not match; NotImplementedError for booleans.

    >>> torch.mv(torch.tensor([[0.0, -1.0], [1.0, 0.0]]), torch.tensor([3.0, 4.0]))
    tensor([-4.,  3.])
    """

@op(_product, check=partial(_check_product, "dot", 1, 1),
    self=lambda g, tensor: g * tensor, tensor=lambda g, self: g * self)
def dot(self, tensor):
    """The dot product of two vectors, Σ input[i] · tensor[i].

    input, tensor: (n,), of the same dtype; any dtype but bool. Unlike `numpy.dot`, it accepts vectors only.
    Returns a tensor of one element and rank 0; 0 if n is 0. RuntimeError if an input is not a vector, or if
    the sizes or dtypes differ; NotImplementedError for booleans. The derivative for each vector is the other
    vector.

    >>> torch.dot(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0]))
    tensor(32.)
    """

@op(np.matmul, check=partial(_check_product, "bmm", 3, 3),
    self=lambda g, mat2: bmm(g, mat2.mT), mat2=lambda g, self: bmm(self.mT, g))
def bmm(self, mat2):
    """The product of two batches of matrices, matrix by matrix: result[b] = input[b] @ mat2[b].

    input: (b, n, m). mat2: (b, m, p), of the same dtype; any dtype but bool. Nothing broadcasts: both batches
    have b matrices (`torch.matmul` broadcasts them).
    Returns a (b, n, p) tensor. RuntimeError if an input is not 3-D, or if the sizes or dtypes do not match;
    NotImplementedError for booleans.

    >>> torch.bmm(torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]]), torch.tensor([[[5.0], [6.0]], [[7.0], [8.0]]]))
    tensor([[[17.]],
    <BLANKLINE>
            [[53.]]])
    """

@method
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product `input @ other` of vectors, matrices or batches of matrices.

    input, other: tensors of at least one dimension and the same dtype; any dtype but bool. Two vectors give
    their dot product, of rank 0. Otherwise a first operand (m,) counts as a row and a second operand (m,) as
    a column, and that dimension is removed from the result. The last two dimensions are the matrices:
    (..., n, m) @ (..., m, p) is (..., n, p). All dimensions before them broadcast.
    Returns a tensor of that dtype. RuntimeError if an operand has rank 0, or if the sizes or dtypes do not
    match; TypeError if `other` is not a tensor; NotImplementedError for booleans.

    >>> torch.matmul(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, -1.0]))
    tensor([-1., -1.])
    >>> torch.matmul(torch.ones(4, 1, 2, 5), torch.ones(3, 5, 6)).shape
    torch.Size([4, 3, 2, 6])
    """
    needs_tensor("matmul", other)
    ranks = input._array.ndim, other._array.ndim
    if ranks == (2, 2):
        return mm(input, other)
    require(0 not in ranks, "matmul_rank", *ranks)
    if max(ranks) < 3:
        if ranks == (1, 2):
            return squeeze_own(mm(unsqueeze(input, 0), other), 0)
        return (mv if ranks == (2, 1) else dot)(input, other)
    # PyTorch's choice: a batch of equal matrices would be as large as the batch, and so would its gradient.
    small, large = (input, other.mT) if ranks[0] < ranks[1] else (other, input)
    folds = min(ranks) < 3 and (small.requires_grad or (ranks[0] != 2 and large.is_contiguous()))
    return _folded(input, other) if folds else _batched(input, other)

def _folded(a, b):
    """The matrices of the larger operand below each other as one, times the smaller operand."""
    swap = b.ndim > a.ndim
    large, small = (b.mT, t(a) if a.ndim == 2 else a) if swap else (a, b)
    rows = large.shape[:-1]
    flat = reshape(large, (math.prod(rows), large.shape[-1]))
    result = unsafe_view((mm if small.ndim == 2 else mv)(flat, small), (*rows, *small.shape[1:]))
    return result.mT.contiguous() if swap and small.ndim == 2 else result

def _batch(a, b):
    return common_shape(np.empty(a.shape[:-2]), np.empty(b.shape[:-2]))

def _batched(a, b):
    """Each matrix of one batch times that of the other, after the batches have been broadcast."""
    batch = _batch(a, b)
    rows, columns, inner = a.shape[-2:-1], b.shape[-1:] if b.ndim > 1 else (), b.shape[-2:]
    count, matrix = math.prod(batch), (*(rows or (1,)), a.shape[-1])
    left = reshape(expand(a, (*batch, *matrix)), (count, *matrix))
    right = reshape(expand(b, (*batch, *inner)), (count, *inner))
    product = bmm(left, right) if columns else squeeze_dim(bmm(left, unsqueeze(right, 2)), -1)
    return unsafe_view(product, (*batch, *rows, *columns))

@method
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of two vectors: result[i, j] = input[i] · vec2[j].

    input: (n,). vec2: (m,). Any dtypes; two different ones are promoted, as in `input * vec2`.
    Returns an (n, m) tensor. RuntimeError if an input is not a vector.

    >>> torch.outer(torch.tensor([1, 2, 3]), torch.tensor([10, 1]))
    tensor([[10,  1],
            [20,  2],
            [30,  3]])
    """
    require(input.ndim == 1, "outer_rank", "self", input.ndim)
    require(vec2.ndim == 1, "outer_rank", "vec2", vec2.ndim)
    return reshape(input, (-1, 1)) * vec2

Tensor.__matmul__ = (  # type: ignore[method-assign, assignment]
    lambda self, other: matmul(self, other) if isinstance(other, Tensor) else NotImplemented)

# Systems of equations and factorisations; the derivatives are those of Giles, "Collected matrix derivative results for
# forward and reverse mode algorithmic differentiation" (2008): with A X = B, dX = A⁻¹ (dB - dA X).

class LinAlgError(RuntimeError):
    """Raised if a matrix is singular (`solve`) or not positive definite (`cholesky`); a subclass of RuntimeError.

    The message names the function and says what failed. Wrong shapes and dtypes raise a plain RuntimeError
    instead.

    >>> try:
    ...     torch.linalg.solve(torch.ones(2, 2), torch.ones(2))
    ... except torch.linalg.LinAlgError as error:
    ...     print(error)
    torch.linalg.solve: The solver failed because the input matrix is singular.
    """

LinAlgError.__name__ = "_LinAlgError"  # as tracebacks of PyTorch have it

def _check(name, kernel, A, B=None, upper=None, left=True):
    require(A.ndim >= 2, "linalg_rank", name, "A")
    require(A.shape[-1] == A.shape[-2], "linalg_square", name, *A.shape[-2:])
    require(A.dtype.kind == "f" or upper is not None, "linalg_kind", name, A)
    if B is not None:
        require(upper is not None or A.dtype == B.dtype, "linalg_dtype", name, A, B)
        size = B.shape if upper is not None or not _is_vector(A, B) else (*B.shape, 1)
        require(len(size) >= 2, "linalg_rank", name, "B")
        fits = size[-2 if left else -1] == A.shape[-1]
        require(fits, "linalg_size", name, "AX" if left else "XA", *A.shape[-2:], *size[-2:])
    require(not A.size or (A.dtype.kind == "f" and A.itemsize > 2), "linalg_kernel", kernel, A)

def _is_vector(A, B):
    """Whether the right-hand sides are vectors: one, or as many as there are matrices."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1]))

def _solve(A, B):
    if _is_vector(A, B):
        return _solve(A, B[..., None])[..., 0]
    _batch(B, A)  # raises where they do not broadcast
    try:
        return np.linalg.solve(A, B).mT.copy().mT  # by columns, as all these results lie in memory
    except np.linalg.LinAlgError:
        raise LinAlgError(error("singular")) from None

def _of_matrix(g, A, result):
    solved = solve(A.mT, g)
    if _is_vector(A, result):
        solved, result = unsqueeze(solved, -1), unsqueeze(result, -1)
    return -(solved @ result.mT)

def _substituted(A, B, upper, left=True):
    if not left:
        return _substituted(A.mT, B.mT, not upper).mT
    X = np.array(np.broadcast_to(B, (*_batch(B, A), *B.shape[-2:])).mT, A.dtype, order="C").mT
    for i in range(A.shape[-1])[:: -1 if upper else 1]:
        known = slice(i + 1, None) if upper else slice(i)
        X[..., i, :] -= (A[..., i, None, known] @ X[..., known, :])[..., 0, :]
        X[..., i, :] /= A[..., i, i, None]
    return X

def _cholesky(A):
    L = np.zeros(A.shape, A.dtype).mT
    for i in range(A.shape[-1]):
        rest = A[..., i:, i] - (L[..., i:, :i] @ L[..., i, :i, None])[..., 0]
        if not (rest[..., 0] > 0).all():
            raise LinAlgError(error("cholesky", i + 1))
        L[..., i:, i] = rest / np.sqrt(rest[..., :1])
    return L

def _of_factored(g, result):
    below = tril(result.mT @ g)
    solved = solve_triangular(result.mT, mul_number(below + tril(below, -1).mT, 0.5), upper=True)
    return solve_triangular(result, solved, upper=False, left=False)

def _of_triangle(g, A, result, upper, left):
    solved = solve_triangular(A.mT, g, upper=not upper, left=left)
    return (triu if upper else tril)(-(solved @ result.mT if left else result.mT @ solved))

@op(_solve, overload="linalg_solve_ex", check=partial(_check, "linalg.solve", "lu_cpu"),
    A=_of_matrix, B=lambda g, A: solve(A.mT, g))
def solve(A, B):
    """The solution X of the linear equations A X = B, computed with an LU factorization.

    A: (..., n, n), float32 or float64, invertible. B: (..., n, k), or vectors: (n,), or A's shape without its
    last dimension. The dtypes are equal; batches broadcast. PyTorch's `left` is not supported.
    Returns X, of the shape of B with the batches broadcast. LinAlgError if a matrix is singular, RuntimeError
    if A is not square, or if the sizes or dtypes do not match; NotImplementedError for float16. With the
    gradient G of X, B receives H = A⁻ᵀ G and A receives -H Xᵀ (Giles, 2008).

    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [1.0, 4.0]]), torch.tensor([2.0, 9.0]))
    tensor([1., 2.])
    """

@op(_substituted, overload="linalg_solve_triangular",
    check=partial(_check, "linalg.solve_triangular", "triangular_solve_cpu"), A=_of_triangle,
    B=lambda g, A, upper, left: solve_triangular(A.mT, g, upper=not upper, left=left))
def solve_triangular(A, B, *, upper: bool, left=True):
    """The solution X of A X = B (of X A = B if not `left`) for a triangular A, by substitution.

    A: (..., n, n), float32 or float64. B: (..., n, k), or (..., k, n) if not `left`; no vectors. Batches
    broadcast. upper: whether A is upper triangular, required; the elements on the other side of the diagonal
    are not read. PyTorch's `unitriangular` is not supported.
    Returns X, of the shape of B with the batches broadcast, in the dtype of A. RuntimeError if A is not
    square or the sizes do not match, NotImplementedError if A has another dtype. No error if A is singular: X
    then has infinite elements or NaN. The gradient of A is triangular.

    >>> torch.linalg.solve_triangular(torch.tensor([[2.0, 1.0], [0.0, 4.0]]), torch.tensor([[4.0], [8.0]]), upper=True)
    tensor([[1.],
            [2.]])
    """

@op(_cholesky, overload="linalg_cholesky_ex", A=_of_factored,
    check=partial(_check, "linalg.cholesky", "cholesky_cpu"))
def cholesky(A):
    """The Cholesky factor: the lower triangular L with a positive diagonal and L Lᵀ = A.

    A: (..., n, n), symmetric and positive definite, float32 or float64. Only its lower triangle is read;
    symmetry is not checked. PyTorch's `upper` is not supported.
    Returns L, of the shape and dtype of A. LinAlgError if a matrix is not positive definite, RuntimeError if
    A is not square or not floating, NotImplementedError for float16. The gradient of A is symmetric (Giles,
    2008).

    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 10.0]]))
    tensor([[2., 0.],
            [1., 3.]])
    """

def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The norm of a vector, or the Frobenius norm √(Σ x²) of a matrix.

    A: floating tensor. dim: an int for vectors, a pair of ints for matrices, or None for all dimensions. ord:
    for vectors None (the 2-norm) or any number p, which gives (Σ |x|ᵖ)^(1/p) as `torch.norm` does; for
    matrices None or "fro".
    Returns a tensor without those dimensions (with size 1 there if `keepdim`). RuntimeError for integers and
    booleans; NotImplementedError for other norms of matrices; IndexError if a dimension is out of range.

    >>> torch.linalg.norm(torch.tensor([3.0, 4.0])), torch.linalg.norm(torch.tensor([3.0, -4.0]), 1)
    (tensor(5.), tensor(7.))
    >>> torch.linalg.norm(torch.ones(3, 2, 2), dim=(1, 2))
    tensor([2., 2., 2.])
    """
    rank = 1 if isinstance(dim, int) else A.ndim if dim is None else len(dim)
    require(ord != "fro" or rank == 2, "linalg_rank", "linalg.matrix_norm", "A")
    require(ord in (None, "fro") or rank == 1, "matrix_norm", ord)
    if ord == "fro" and dim is None:
        dim = (-2, -1)
    return A.norm(2.0 if ord in (None, "fro") else float(ord), dim, keepdim)
