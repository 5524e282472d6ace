"""What `grade` and `regrade` share: they run students' code, which needs Linux."""

import sys

from ..course.errors import UserError


def require_linux() -> None:
    """Raise a `UserError` on Windows."""
    if sys.platform == "win32":
        raise UserError("Grading needs Linux; on Windows, run it in WSL or in a container (docs/grading.md).")
