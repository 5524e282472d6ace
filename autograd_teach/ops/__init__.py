"""Every operation, its forward and its derivative side by side; importing this package attaches them to Tensor.

A row takes a line or two, as in a table. One argument a line, as the formatter has it, would scatter it: `fmt: off`.
"""

from . import pointwise, shape, reduction, linalg, inplace, indexing  # noqa: F401, I001  # in the order they build on each other
