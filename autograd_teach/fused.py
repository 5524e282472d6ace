"""Fused multiply-add: a product and a sum with a single rounding, as in the FMA instructions that PyTorch uses.

NumPy only. With two roundings, long sequences such as the steps of an optimizer would drift apart
from PyTorch's.
"""

from typing import Any

import numpy as np


def fused(a: Any, b: Any, c: Any) -> np.ndarray:
    """`a * b + c`, elementwise and rounded once, in the dtype of `c`: a float array or NumPy scalar.

    Source for float64: Dekker, "A floating-point technique for extending the available precision" (1971), and Knuth's sum.

    >>> float(fused(np.float64(1 + 2**-30), np.float64(1 - 2**-30), np.float64(-1.0)))
    -8.673617379884035e-19
    """
    if b.dtype != np.float64:
        return (np.multiply(a, b, dtype=np.float64) + c).astype(c.dtype)  # the product is exact in double
    a = np.asarray(a, np.float64)
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    added = total - product
    exact = total + ((product - (total - added)) + (c - added) + lost)
    # No correction if a value is infinite or an intermediate result overflows.
    return np.where(np.isfinite(exact), exact, total).astype(c.dtype)


def _halves(x: Any) -> tuple[Any, Any]:
    shifted = x * (2.0**27 + 1)
    high = shifted - (shifted - x)
    return high, x - high
