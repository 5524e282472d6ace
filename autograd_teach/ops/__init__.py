"""Every operation, its forward and its derivative side by side; importing this package attaches them to Tensor."""

from . import pointwise, shape, reduction, linalg, inplace, indexing  # noqa: F401, I001  # in the order they build on each other
