"""`torch.linalg`: norms, systems of equations, factorisations. Names only; the code is in `ops/linalg.py`."""

from .ops.linalg import LinAlgError, cholesky, matmul, norm, solve, solve_triangular

__all__ = ["LinAlgError", "cholesky", "matmul", "norm", "solve", "solve_triangular"]
