"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Tensor
from .declare import method, op
from .pointwise import mul
from .reduction import _expand
from .shape import squeeze_own, t, unsqueeze, view


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


@method
def matmul(self: Tensor, other: Tensor) -> Tensor:
    """`self @ other` of vectors and matrices; a product of vectors is a number.

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
    raise NotImplementedError(
        "autograd_teach does not support matmul of tensors with more than two dimensions yet; multiply the matrices one by one"
    )


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
