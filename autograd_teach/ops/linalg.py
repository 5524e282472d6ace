"""Products of vectors, matrices and batches of matrices; determinants, systems of equations, factorisations.

`autograd_teach/linalg.py` exports the functions of `torch.linalg`. Uses views, products and norms
of the other modules.
"""

import functools
import math
import re
import string
import warnings
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import Any

import numpy as np

# Rows are compact, as in a table: the formatter would put every argument on a line of its own.
# fmt: off
# isort: off
from ..errors import error, require
from ..quiet import quietly
from ..tensor import Tensor, c_name, wrap, wrap_dim
from .operation import attach, method, op
from .pointwise import common_shape, mul_number, needs_tensor, times, where
from .reduction import dims_of, expand, is_int, matrix_norm, sum_all, sum_dim, vector_norm
from .shape import (
    diag_embed, diagonal, permute, reshape, squeeze_all, squeeze_dim, squeeze_own, t, transpose, tril, triu,
    unsafe_view, unsqueeze, view)
from .vocabulary import on_arrays

def _check_product(name, left, right, a, b):
    if a.ndim == left and b.ndim == right and a.dtype is b.dtype and a.dtype.kind != "b" and (
        a.shape[-1] == b.shape[0 if right == 1 else -2] and (left < 3 or a.shape[0] == b.shape[0])):
        return  # fast path
    fits = a.shape[-1:] == b.shape[-2:][:1] and a.shape[:-2] == b.shape[:-2]
    require(a.ndim == left, f"{name}_left", a.ndim, b.ndim)
    require(b.ndim == right, f"{name}_right", a.ndim, b.ndim)
    require(fits or (name == "dot" and a.dtype != b.dtype), f"{name}_size", a.shape, b.shape)
    require(a.dtype == b.dtype or (name, a.dtype.kind) == ("bmm", "b"), f"{name}_dtype", a, b, c_name(a), c_name(b))
    require(a.dtype.kind != "b" or (name != "dot" and not (a.size and b.size)), f"{name}_bool")

_product = np.ndarray.dot  # the result of `np.matmul`, faster

def _check_sum(product, left, right, names=("mat1", "mat2")):
    """The check of `beta * self + alpha * product`."""
    kinds = {1: "vector", 2: "matrix", 3: "batch of matrices"}
    def check(self, a, b, beta, alpha):
        for name, operand, rank in zip(names, (a, b), (left, right)):
            require(operand.ndim == rank, "addmm_rank", name, kinds[rank], operand.ndim)
        require(self.dtype == b.dtype, "addmm_dtype", "self", names[1], self, b)
        require(a.dtype == b.dtype, "addmm_dtype", *names, a, b)
        _check_product(product, left, right, a, b)
        if self.shape != b.shape[left - 1:]:
            expand(wrap(self), (*a.shape[:-1], *b.shape[left - 1:]))  # raises if it cannot be added
    return check

def _check_addr(self, vec1, vec2, beta, alpha):
    require(vec1.ndim == vec2.ndim == 1, "addr_rank", vec1.ndim, vec2.ndim)
    expand(wrap(self), (*vec1.shape, *vec2.shape))
    require(self.dtype == vec1.dtype == vec2.dtype, "addr_dtype")
    for name, factor in (("beta", beta), ("alpha", alpha)):
        require(self.dtype.kind == "f" or not isinstance(factor, float), "factor_of_integers", name)

def _added(multiply):
    """The kernel `beta * self + alpha * product`; `self` is ignored if `beta` is 0."""
    def kernel(self, left, right, beta=1, alpha=1):
        product = multiply(left, right)
        if alpha != 1:
            product *= np.asarray(alpha).astype(product.dtype)
        if beta != 0:
            product += self if beta == 1 else self * np.asarray(beta).astype(self.dtype)
        return product
    return kernel

def _by_columns(strides, beside, axis):
    """Whether a matrix with these strides is stored by columns, which are as long as `axis` of `beside`."""
    first, second = strides
    return first <= second and first == beside.itemsize and second == first * beside.shape[axis]

def _of_left(g, mat2, self_strides):
    """The gradient of the left matrix of a product; stored by columns if that matrix is, as in PyTorch."""
    return t(mm(mat2, t(g))) if _by_columns(self_strides, g, 0) else mm(g, t(mat2))

def _of_right(g, self, mat2_strides):
    return t(mm(t(g), self)) if _by_columns(mat2_strides, self, 1) else mm(t(self), g)

# The gradients of a matrix product are matrix products.
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

# Sums with a product: the gradient of each operand is multiplied by its factor, `beta` or `alpha`.
_adding = partial(op, inplace=True, self=lambda g, beta: times(g, beta))
@_adding(_added(_product), check=_check_sum("mm", 2, 2),
    mat1=lambda g, mat2, mat1_strides, alpha: times(_of_left(g, mat2, mat1_strides), alpha),
    mat2=lambda g, mat1, mat2_strides, alpha: times(_of_right(g, mat1, mat2_strides), alpha))
def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    """The sum `beta * input + alpha * (mat1 @ mat2)` in one operation; a linear layer with a bias computes it.

    input: tensor that broadcasts to (n, p), for example a bias of shape (p,). mat1: (n, m). mat2: (m, p). All
    have the same dtype; any dtype but bool. beta, alpha: numbers; if `beta` is 0, `input` is not read.
    Returns an (n, p) tensor. RuntimeError if mat1 or mat2 is not a matrix, if the sizes or dtypes do not
    match, or if `input` cannot be broadcast; NotImplementedError for booleans.

    >>> torch.addmm(torch.tensor([10.0, 20.0]), torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 0.0], [0.0, 3.0]]))
    tensor([[11., 26.]])
    """

@_adding(_added(np.matmul), check=_check_sum("bmm", 3, 3, ("batch1", "batch2")),
    batch1=lambda g, batch2, alpha: times(bmm(g, batch2.mT), alpha),
    batch2=lambda g, batch1, alpha: times(bmm(batch1.mT, g), alpha))
def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
    """The sum `beta * input + alpha * (batch1 @ batch2)` for batches of matrices.

    input: tensor that broadcasts to (b, n, p). batch1: (b, n, m). batch2: (b, m, p). All have the same dtype; any
    dtype but bool. beta, alpha: numbers; if `beta` is 0, `input` is not read. Returns a (b, n, p) tensor.
    RuntimeError if the ranks, sizes or dtypes do not match.

    >>> torch.baddbmm(torch.ones(1, 1, 1), torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[3.0], [4.0]]]), alpha=10)
    tensor([[[111.]]])
    """

@_adding(_added(_product), check=_check_sum("mv", 2, 1, ("mat", "vec")),
    mat=lambda g, vec, alpha: times(reshape(g, (-1, 1)) * vec, alpha),
    vec=lambda g, mat, alpha: times(mv(t(mat), g), alpha))
def addmv(self, mat, vec, *, beta=1, alpha=1):
    """The sum `beta * input + alpha * (mat @ vec)` of vectors.

    input: (n,) or one element. mat: (n, m). vec: (m,). All have the same dtype; any dtype but bool. beta, alpha:
    numbers; if `beta` is 0, `input` is not read. Returns a vector (n,). RuntimeError if the ranks, sizes or dtypes do
    not match.

    >>> torch.addmv(torch.tensor([1.0, 1.0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 1.0]), beta=10)
    tensor([13., 17.])
    """

@_adding(_added(np.multiply.outer), check=_check_addr,
    vec1=lambda g, vec2, alpha: times(mv(g, vec2), alpha), vec2=lambda g, vec1, alpha: times(mv(t(g), vec1), alpha))
def addr(self, vec1, vec2, *, beta=1, alpha=1):
    """The sum `beta * input + alpha * outer(vec1, vec2)`.

    input: tensor that broadcasts to (n, m). vec1: (n,). vec2: (m,). All have the same dtype (PyTorch promotes different
    ones). beta, alpha: numbers; if `beta` is 0, `input` is not read. Returns an (n, m) tensor. RuntimeError if the ranks
    or sizes do not match.

    >>> torch.addr(torch.zeros(2, 2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), alpha=10)
    tensor([[30., 40.],
            [60., 80.]])
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

@op(_product, check=partial(_check_product, "dot", 1, 1), self=lambda g, other: g * other, other=lambda g, self: g * self)
def vdot(self, other):
    """The dot product of two vectors; for real vectors the same as `torch.dot`.

    >>> torch.vdot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor(11.)
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
    try:
        ranks = input._value.ndim, other._value.ndim
    except AttributeError:
        needs_tensor("matmul", input=input, other=other)
    if ranks == (2, 2):
        return mm(input, other)
    if ranks == (2, 1):
        return mv(input, other)
    require(0 not in ranks, "matmul_rank", *ranks)
    if max(ranks) < 3:
        if ranks == (1, 2):
            return squeeze_own(mm(unsqueeze(input, 0), other), 0)
        return dot(input, other)
    # As in PyTorch: repeating the smaller operand would make it, and its gradient, as large as the
    # batch.
    small, large = (input, other.mT) if ranks[0] < ranks[1] else (other, input)
    folds = min(ranks) < 3 and (small.requires_grad or (ranks[0] != 2 and large.is_contiguous()))
    return _folded(input, other) if folds else _batched(input, other)

def _folded(a, b):
    """The matrices of the larger operand, stacked into one matrix, times the smaller operand."""
    swap = b.ndim > a.ndim
    large, small = (b.mT, t(a) if a.ndim == 2 else a) if swap else (a, b)
    rows = large.shape[:-1]
    flat = reshape(large, (math.prod(rows), large.shape[-1]))
    result = unsafe_view((mm if small.ndim == 2 else mv)(flat, small), (*rows, *small.shape[1:]))
    return result.mT.contiguous() if swap and small.ndim == 2 else result

def _batch(a, b):
    return common_shape(np.empty(a.shape[:-2]), np.empty(b.shape[:-2]))

def _batched(a, b):
    """The product of two batches of matrices, after their batch dimensions are broadcast."""
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
    needs_tensor("outer", input=input, vec2=vec2)
    require(input.ndim == 1, "outer_rank", "self", input.ndim)
    require(vec2.ndim == 1, "outer_rank", "vec2", vec2.ndim)
    return reshape(input, (-1, 1)) * vec2

attach("ger", outer)
ger = outer

@method
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The products of vectors along the last dimension: result[..., i, j] = Σ input[..., i, k] · other[j, k].

    input, other: tensors of one dtype with last dimensions of one size; a tensor of rank 0 multiplies the other.
    Returns a tensor of the shape `input.shape[:-1] + other.shape[:-1]`. RuntimeError if sizes or dtypes differ.

    >>> torch.inner(torch.tensor([1, 2]), torch.tensor([[3, 4], [5, 6]]))
    tensor([11, 17])
    """
    needs_tensor("inner", input=input, other=other)
    if not input.ndim or not other.ndim:
        return input * other
    require(input.shape[-1] == other.shape[-1], "inner_size", tuple(input.shape), tuple(other.shape))
    return tensordot(input, other, ([-1], [-1]))

@method
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: a block matrix of `input[i, j] * other`.

    input, other: tensors of any rank and dtype; the smaller rank gets dimensions of size 1 in front. Returns a tensor
    whose sizes are the products of the sizes.

    >>> torch.kron(torch.tensor([[1, 10]]), torch.tensor([[1, 2], [3, 4]]))
    tensor([[ 1,  2, 10, 20],
            [ 3,  4, 30, 40]])
    """
    needs_tensor("kron", input=input, other=other)
    rank = max(input.ndim, other.ndim)
    own, theirs = [(1,) * (rank - x.ndim) + tuple(x.shape) for x in (input, other)]
    spread = [n for size in own for n in (size, 1)], [n for size in theirs for n in (1, size)]
    product = unsafe_view(input, tuple(spread[0])) * unsafe_view(other, tuple(spread[1]))
    return unsafe_view(product, tuple(n * m for n, m in zip(own, theirs)))

def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sum of products over several dimensions of two tensors at once.

    a, b: tensors of one dtype. dims: a pair of lists, the dimensions of `a` and the matching
    dimensions of `b` to multiply and sum over; or an int n for the last n of `a` and the first n of
    `b`. Dimensions of size 1 broadcast. Returns a tensor with the remaining dimensions of `a`, then
    those of `b`. RuntimeError if sizes, dtypes or the numbers of dimensions do not match.

    >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(3, 2, 5), dims=([0, 1], [1, 0])).shape
    torch.Size([4, 5])
    """
    needs_tensor("tensordot", a=a, b=b)
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if is_int(dims) and 0 <= dims <= min(a.ndim, b.ndim):
        dims = list(range(-dims, 0)), list(range(dims))
    fits = isinstance(dims, (tuple, list)) and [isinstance(d, (tuple, list)) for d in dims] == [True, True]
    require(fits and len(dims[0]) == len(dims[1]), "tensordot_dims", dims)
    require(a.dtype == b.dtype, "tensordot_dtype")
    left, right, summed = a, b, 1
    for i, j in zip(*dims):
        require(a.ndim and b.ndim, "unbind_scalar", i if b.ndim else j)
        n, m = a.size(i), b.size(j)
        if m == 1:
            left = left.sum(i, True, dtype=a.dtype)
        elif n == 1:
            right = right.sum(j, True, dtype=b.dtype)
        else:
            require(n == m, "tensordot_size", n, i, m, j)
            summed *= n
    first, second = [wrap_dim(d, a.ndim) for d in dims[0]], [wrap_dim(d, b.ndim) for d in dims[1]]
    own, theirs = [d for d in range(a.ndim) if d not in first], [d for d in range(b.ndim) if d not in second]
    rows, columns = [a.shape[d] for d in own], [b.shape[d] for d in theirs]
    left, right = permute(left, (*own, *first)), permute(right, (*second, *theirs))
    if math.prod([*rows, *columns]) == 1:
        if left.is_contiguous() and right.is_contiguous():
            product = dot(left.flatten(), right.flatten())
        else:
            product = sum_all(squeeze_all(left) * squeeze_all(right))
    else:
        product = mm(reshape(left, (math.prod(rows), summed)), reshape(right, (summed, math.prod(columns))))
    return reshape(product, (*rows, *columns))

# einsum. A key is a letter, or the number of a dimension that `...` stands for.

def _letters(part):
    """The letters of one operand or of the result, with its `...`."""
    found = re.findall(r"\.\.\.|[^ ]", part)
    fits = found.count("...") < 2 and all(letter == "..." or letter in string.ascii_letters for letter in found)
    require(fits, "einsum_subscripts", part)
    return found

def _equation(args):
    """The equation and the operands, from the form of the arguments that has lists of numbers."""
    letters = {Ellipsis: "...", **dict(enumerate(string.ascii_uppercase + string.ascii_lowercase))}
    end = len(args) % 2
    inputs, output = [["".join([letters.get(n, "?") for n in numbers]) for numbers in lists]
        for lists in (args[1::2], args[-1:] * end)]
    return "->".join([",".join(inputs), *output]), *args[: len(args) - end : 2]

def _keys(letters, dots):
    return [key for letter in letters for key in (dots if letter == "..." else [letter])]

def _aligned(operand, number, own, keys, sizes):
    """An operand with one dimension per key, of size 1 if it lacks the key; a repeated letter takes the diagonal."""
    count = sum(isinstance(key, int) for key in keys)
    dims, at = {}, 0
    for key in _keys(own, range(count - (operand.ndim - len(own) + 1), count)):
        n = operand.shape[at]
        if key in dims:
            require(n == operand.shape[dims[key]], "einsum_size", key, n, number, operand.shape[dims[key]])
            operand, last = diagonal(operand, 0, dims[key], at), operand.ndim - 2
            operand = permute(operand, (*range(dims[key]), last, *range(dims[key], last)))
            continue
        known = sizes.get(key, 1)
        require(1 in (n, known) or n == known, "einsum_size", key, n, number, known)
        sizes[key] = known if n == 1 else n
        dims[key], at = at, at + 1
    for key in keys:
        if key not in dims:
            operand, dims[key], at = unsqueeze(operand, at), at, at + 1
    return permute(operand, tuple(dims[key] for key in keys))

def _contracted(left, right, summed):
    """The product of two aligned tensors, summed over dimensions that both have; these remain, with size 1."""
    if not summed:
        return left * right
    own = [(d, n != 1, m != 1) for d, (n, m) in enumerate(zip(left.shape, right.shape)) if d not in summed]
    both = [d for d, n, m in own if n and m]
    of_left, of_right = [d for d, n, m in own if n and not m], [d for d, n, m in own if not n]
    if of_left and of_right and of_right[-1] < of_left[0]:  # so that the result needs no transposition
        left, right, of_left, of_right = right, left, of_right, of_left
    def extent(x, dims):
        return math.prod(x.shape[d] for d in dims)
    rows, inner, columns = extent(left, of_left), extent(left, summed), extent(right, of_right)
    order = [*both, *of_left, *summed, *of_right]
    batch, other = extent(left, both), [*both, *summed, *of_right, *of_left]
    product = bmm(reshape(permute(left, order), (batch, rows, inner)), reshape(permute(right, other), (batch, inner, columns)))
    sizes = [left.shape[d] for d in [*both, *of_left]] + [1] * len(summed) + [right.shape[d] for d in of_right]
    return permute(view(product, tuple(sizes)), tuple(np.argsort(order).tolist()))

def einsum(*args: Any) -> Tensor:
    """Products of tensors, summed over dimensions that an equation names: "ij,jk->ik" is the matrix product.

    args: the equation and the operands; or operands, each followed by a list of numbers from 0 to
    51 for its dimensions, and a list for the result. A letter stands for a dimension; dimensions
    with the same letter have the same size, or size 1. Letters that are missing after "->" are
    summed over; without "->" the result has the letters that occur once, in alphabetical order. A
    letter twice in one operand takes the diagonal; "..." stands for all other dimensions, which
    broadcast. Several operands are multiplied from left to right. RuntimeError if the equation, the
    number of operands or the sizes do not fit; ValueError if an operand is missing.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.einsum("ij,jk->ik", x, x)
    tensor([[ 7., 10.],
            [15., 22.]])
    >>> torch.einsum("ii", x), torch.einsum("...i,i->...", x, torch.tensor([1.0, 10.0]))
    (tensor(5.), tensor([21., 43.]))
    """
    require(len(args) > 1, "einsum_arguments")
    equation, *operands = _equation(args) if isinstance(args[0], Tensor) else args
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    fits = isinstance(equation, str) and all(isinstance(operand, Tensor) for operand in operands)
    require(fits, "einsum_arguments")
    inputs, arrow, output = equation.partition("->")
    letters, count = [_letters(part) for part in inputs.split(",")], 0
    require(len(letters) == len(operands), "einsum_operands", len(letters), len(operands))
    for number, (own, operand) in enumerate(zip(letters, operands)):
        more = operand.ndim - len(own) + ("..." in own)  # dimensions that `...` stands for
        require(more == 0 or (more > 0 and "..." in own), "einsum_rank", "".join(own), operand.ndim, number)
        count = max(count, more)
    given = [letter for own in letters for letter in own if letter != "..."]
    kept = _letters(output) if arrow else ["...", *sorted(x for x in given if given.count(x) == 1)]
    require(len(set(kept)) == len(kept) and {"...", *given} >= set(kept), "einsum_output", output)
    dropped = [*([] if "..." in kept else ["..."]), *sorted(set(given) - set(kept))]
    result, keys = len(_keys(kept, range(count))), _keys([*kept, *dropped], range(count))
    sizes: dict[Any, int] = {}
    first, *others = [_aligned(x, i, own, keys, sizes) for i, (own, x) in enumerate(zip(letters, operands))]
    if not others:
        return sum_dim(first, tuple(range(result, len(keys))), False) if result < len(keys) else first
    # For each dimension to sum over, how many operands have it: the last product of two that do
    # sums over it.
    users = {d: sum(x.shape[d] != 1 for x in (first, *others)) for d in range(result, len(keys))}
    for other in others:
        summed: list[int] = []
        alone: tuple[list[int], list[int]] = [], []
        for d, count in users.items():
            own, theirs = first.shape[d] != 1, other.shape[d] != 1
            if own and theirs:
                users[d] = count - 1
                if count == 2:
                    summed.append(d)
            elif count == 1 and (own or theirs):
                alone[0 if own else 1].append(d)
        users |= dict.fromkeys([*summed, *alone[0], *alone[1]], 0)
        first, other = [sum_dim(x, tuple(dims), True) if dims else x for x, dims in zip((first, other), alone)]
        first = _contracted(first, other, summed)
    return view(first, tuple(first.shape[:result])) if result < len(keys) else first

def multi_dot(tensors: Any) -> Tensor:
    """The product of two or more matrices, in the order that needs the fewest multiplications.

    tensors: sequence of matrices of one dtype; the first may be a vector (a row), the last one too (a column).
    Returns their product, without the dimension of such vectors. RuntimeError if there are fewer than two, or if ranks,
    sizes or dtypes do not fit.

    >>> torch.linalg.multi_dot([torch.ones(1, 3), torch.ones(3, 2), torch.ones(2)])
    tensor([6.])
    """
    count = len(tensors)
    matrices = [unsqueeze(x, 0 if i == 0 else 1) if x.ndim == 1 and i in (0, count - 1) else x for i, x in enumerate(tensors)]
    fits = count > 1 and all(x.ndim == 2 and x.dtype == matrices[0].dtype for x in matrices)
    fits = fits and all(x.shape[1] == y.shape[0] for x, y in pairwise(matrices))
    require(fits, "multi_dot", ", ".join(str(tuple(x.shape)) for x in tensors))
    sizes = [matrices[0].shape[0], *[x.shape[1] for x in matrices]]

    @functools.cache
    def best(i, j):
        """The fewest multiplications for matrices i to j, and after which matrix to split their product."""
        ways = [(best(i, k)[0] + best(k + 1, j)[0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
        return min(ways[::-1] if count == 3 else ways, key=itemgetter(0), default=(0, i))

    def product(i, j):
        k = best(i, j)[1]
        return matrices[i] if i == j else mm(product(i, k), product(k + 1, j))

    return view(product(0, count - 1), (*tensors[0].shape[:-1], *tensors[-1].shape[1:]))

def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of matrices in the order that needs the fewest multiplications: old name of `torch.linalg.multi_dot`.

    matrices: matrices of one dtype. A UserWarning says that the name is deprecated. Errors: as `multi_dot`, and
    RuntimeError if there is none or one is not a matrix.

    >>> torch.linalg.multi_dot([torch.ones(1, 3), torch.ones(3, 2)])
    tensor([[3., 3.]])
    """
    warnings.warn(str(error("chain_matmul")), stacklevel=2)
    require(matrices and all(x.ndim == 2 for x in matrices), "chain_matmul_matrices")
    return multi_dot(matrices) if len(matrices) > 1 else matrices[0].clone()

Tensor.__matmul__ = (  # type: ignore[method-assign, assignment]
    lambda self, other: matmul(self, other) if isinstance(other, Tensor) else NotImplemented)

# Systems of equations and factorisations; the derivatives are those of Giles, "Collected matrix derivative results for
# forward and reverse mode algorithmic differentiation" (2008): with A X = B, dX = A⁻¹ (dB - dA X).

class LinAlgError(RuntimeError):
    """Raised if a matrix is singular (`solve`, `inv`) or not positive definite (`cholesky`); a subclass of RuntimeError.

    The message names the function and says what failed. Wrong shapes and dtypes raise a plain RuntimeError
    instead.

    >>> try:
    ...     torch.linalg.solve(torch.ones(2, 2), torch.ones(2))
    ... except torch.linalg.LinAlgError as error:
    ...     print(error)
    torch.linalg.solve: The solver failed because the input matrix is singular.
    """

# The name in PyTorch's tracebacks.
LinAlgError.__name__, LinAlgError.__qualname__, LinAlgError.__module__ = "_LinAlgError", "_LinAlgError", "torch._C"

def _check(name, kernel, A, B=None, upper=None, left=True):
    require(A.ndim >= 2, "linalg_rank", name, "A")
    require(A.shape[-1] == A.shape[-2], "linalg_square", name, *A.shape[-2:])
    require(A.dtype.kind == "f" or upper is not None, "linalg_kind", name, A)
    require(A.dtype != np.float16 or name not in ("linalg.inv", "linalg.slogdet", "logdet"), "linalg_half", name)
    if B is not None:
        require(upper is not None or A.dtype == B.dtype, "linalg_dtype", name, A, B)
        size = B.shape if upper is not None or not _is_vector(A, B) else (*B.shape, 1)
        require(len(size) >= 2, "linalg_rank", name, "B")
        fits = size[-2 if left else -1] == A.shape[-1]
        require(fits, "linalg_size", name, "AX" if left else "XA", *A.shape[-2:], *size[-2:])
    require(not A.size or (A.dtype.kind == "f" and A.itemsize > 2), "linalg_kernel", kernel, A)

def _is_vector(A, B):
    """Whether the right-hand side is a vector, or a batch of vectors with one per matrix."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1]))

def _spoiling(compute):
    """A kernel whose results are NaN if a matrix contains NaN, which NumPy may treat as zero."""
    @quietly
    def kernel(A, *others):
        spoilt = np.isnan(A).any((-2, -1))
        if not spoilt.any():
            return compute(A, *others)
        result = compute(np.where(spoilt[..., None, None], np.eye(A.shape[-1], dtype=A.dtype), A), *others)
        return np.where(spoilt.reshape(spoilt.shape + (1,) * (result.ndim - spoilt.ndim)), np.nan, result).astype(A.dtype)
    return kernel

@_spoiling
def _solve(A, B):
    if _is_vector(A, B):
        return _solve(A, B[..., None])[..., 0]
    _batch(B, A)  # raises if they do not broadcast
    try:
        return np.linalg.solve(A, B).mT.copy().mT  # stored by columns, like all these results
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

def _of_factored(g, L):
    below = tril(L.mT @ g)
    solved = solve_triangular(L.mT, mul_number(below + tril(below, -1).mT, 0.5), upper=True)
    return solve_triangular(L, solved, upper=False, left=False)

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

@op(_cholesky, overload="linalg_cholesky_ex", outputs=("L",), self=_of_factored,
    check=partial(_check, "linalg.cholesky", "cholesky_cpu"))
def cholesky(self):
    """The Cholesky factor: the lower triangular L with a positive diagonal and L Lᵀ = A.

    input: (..., n, n), symmetric and positive definite, float32 or float64. Only its lower triangle is read;
    symmetry is not checked. PyTorch's `upper` is not supported.
    Returns L, of the shape and dtype of `input`. LinAlgError if a matrix is not positive definite, RuntimeError if
    it is not square or not floating, NotImplementedError for float16. The gradient is symmetric (Giles, 2008).

    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 10.0]]))
    tensor([[2., 0.],
            [1., 3.]])
    """

@_spoiling
def _inverse(A):
    try:
        return np.linalg.inv(A).mT.copy().mT  # stored by columns, as in PyTorch
    except np.linalg.LinAlgError:
        raise LinAlgError(error("inv_singular")) from None

def _adjugate(A):
    """The transposed adjugate of each matrix, even of a singular one: the derivative of the determinant."""
    U, s, V = np.linalg.svd(A)
    sign = np.linalg.det(U) * np.linalg.det(V)
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :]).prod(-1)
    return (sign[..., None, None] * U * others[..., None, :]) @ V

def _of_log_of_det(g, A):
    g = expand(unsqueeze(g, -1), tuple(A.shape[:-1]))
    return solve(A.mT, transpose(diag_embed(g), -2, -1))

@on_arrays(lambda g, A, result: _solve(A.mT, np.eye(A.shape[-1], dtype=A.dtype) * np.asarray(g * result)[..., None, None])
    if np.all(result) else np.asarray(g)[..., None, None] * _adjugate(A).astype(A.dtype))
def _of_large_det(g, A, result):
    require((result != 0).all(), "det_twice")
    return _of_log_of_det(g * result, A)

def _of_det(g, A, result):
    if A.shape[-1] == 1:
        return expand(unsqueeze(unsqueeze(g, -1), -1), tuple(A.shape))
    return _of_large_det(g, A, result)

@op(_spoiling(lambda A: np.linalg.det(A) if A.size else np.ones(A.shape[:-2], A.dtype)), overload="linalg_det", check=partial(_check, "linalg.det", "lu_cpu"), A=_of_det)
def det(A):
    """The determinant of each matrix.

    A: (..., n, n), float32 or float64. Returns a tensor of the shape of the batch; 1 if n is 0.
    RuntimeError if A is not square or not floating, NotImplementedError for float16. The gradient
    is the determinant times A⁻ᵀ, even if A is singular; but then it cannot be differentiated again
    (NotImplementedError).

    >>> torch.linalg.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """

@op(quietly(np.linalg.slogdet), overload="slogdet.0", node="LinalgSlogdetBackward0", check=partial(_check, "linalg.slogdet", "lu_cpu"),
    outputs=("sign", "logabsdet"), A=lambda grads, A: _of_log_of_det(grads[1], A) if grads[1] is not None else None)
def slogdet(A):
    """The sign of the determinant of each matrix and the logarithm of its absolute value, as a named tuple.

    A: (..., n, n), float32 or float64. Returns (sign, logabsdet); 0 and -∞ for a singular matrix. RuntimeError if A is
    not square or not floating, NotImplementedError for float16. The gradient of `logabsdet` is A⁻ᵀ; LinAlgError in the
    backward pass if A is singular.

    >>> sign, logarithm = torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    >>> sign, logarithm
    (tensor(-1.), tensor(0.6931))
    """

@op(_inverse, overload="linalg_inv_ex", check=partial(_check, "linalg.inv", "linalg_inv_ex_cpu"), outputs=("inverse",),
    A=lambda g, inverse: -(inverse.mT @ (g @ inverse.mT)))
def inv(A):
    """The inverse of each matrix. `torch.linalg.solve` is faster and more accurate if you only multiply by the inverse.

    A: (..., n, n), float32 or float64. Returns a tensor of the shape and dtype of A. LinAlgError if a matrix is singular,
    RuntimeError if A is not square or not floating. With the gradient G, A receives -A⁻ᵀ G A⁻ᵀ (Giles, 2008).

    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """

def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of each matrix; NaN if the determinant is negative, -∞ if it is 0.

    input: (..., n, n), float32 or float64. Returns a tensor of the shape of the batch. Errors: as `torch.slogdet`.

    >>> torch.logdet(torch.tensor([[2.0, 0.0], [0.0, 3.0]]))
    tensor(1.7918)
    """
    needs_tensor("logdet", input=input)
    _check("logdet", "lu_cpu", input._array)
    sign, logarithm = slogdet(input)
    return where(sign == -1, math.nan, logarithm)

inverse = inv
for _name, _function in (("det", det), ("slogdet", slogdet), ("logdet", logdet), ("inverse", inverse)):
    attach(_name, _function)
# Names in error messages.
for _function in (cholesky, det, inv, slogdet, solve, solve_triangular):
    _function.__name__ = f"linalg_{_function.__qualname__}"

def norm(input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of a vector or a matrix, by default √(Σ x²).

    input: floating tensor. dim: an int for vectors, a pair of ints for matrices; by default `input`
    is a vector or a matrix. ord: for vectors any number p, which gives (Σ |x|ᵖ)^(1/p) as in
    `torch.norm`; for matrices as in `torch.linalg.matrix_norm`; None for √(Σ x²) of either, and
    without `dim` of any `input`. dtype: the input is cast to it first. Returns a tensor without
    those dimensions (with size 1 there if `keepdim`). RuntimeError for integers and booleans, or if
    `ord` and the dimensions do not fit; NotImplementedError for matrix norms that need singular
    values; IndexError if a dimension is out of range.

    >>> torch.linalg.norm(torch.tensor([3.0, 4.0])), torch.linalg.norm(torch.tensor([3.0, -4.0]), 1)
    (tensor(5.), tensor(7.))
    >>> torch.linalg.norm(torch.ones(3, 2, 2), dim=(1, 2))
    tensor([2., 2., 2.])
    """
    needs_tensor("linalg_norm", input=input)
    dims = dims_of("linalg_norm", dim)
    require(len(dims or range(input.ndim)) in (1, 2) or ord is dims is None, "norm_dims", input.ndim, dims)
    if ord is None:
        return vector_norm(input, 2, dims, keepdim, dtype=dtype)
    if dims is None and (input.ndim == 2 or isinstance(ord, str)):
        dims = (-2, -1)
    of_matrices = isinstance(ord, str) or (dims is not None and len(dims) == 2)
    return (matrix_norm if of_matrices else vector_norm)(input, ord, dims, keepdim, dtype=dtype)
