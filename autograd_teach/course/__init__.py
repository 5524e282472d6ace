"""The course: what a notebook imports to check exercises, and what the commands use.

The names are loaded at first use, so that `autograd-teach --help` does not load NumPy.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checking import NotPassed, check, hint, progress

__all__ = ["NotPassed", "check", "hint", "progress"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from . import checking

        return getattr(checking, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
