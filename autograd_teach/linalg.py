"""`torch.linalg`: norms, systems of equations, factorisations. Names only; the code is in `ops/linalg.py`."""

from .ops.linalg import LinAlgError, cholesky, matmul, matrix_norm, norm, solve, solve_triangular, vector_norm

__all__ = ["LinAlgError", "cholesky", "matmul", "matrix_norm", "norm", "solve", "solve_triangular", "vector_norm"]
