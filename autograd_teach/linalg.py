"""`torch.linalg`: norms, systems of equations, factorisations. Names only; the code is in `ops/linalg.py` and `ops/reduction.py`."""

from .ops.linalg import LinAlgError, cholesky, det, inv, matmul, multi_dot, norm, slogdet, solve, solve_triangular
from .ops.reduction import matrix_norm, vector_norm

__all__ = [
    "LinAlgError", "cholesky", "det", "inv", "matmul", "matrix_norm", "multi_dot", "norm", "slogdet", "solve",
    "solve_triangular", "vector_norm",
]  # fmt: skip
