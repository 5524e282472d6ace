"""All operations, each with its forward and its derivatives. Importing this package attaches them to Tensor.

An operation is a row of a line or two, as in a table. The formatter would put every argument on a
line of its own, hence `fmt: off`.
"""

from . import pointwise, shape, reduction, linalg, inplace, indexing  # noqa: F401, I001  # in the order they build on each other
