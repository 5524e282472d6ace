"""A pytest plugin for `pytest --nbval`: pictures in SVG are not compared, and no two kernels get in each other's way.

Registered as an entry point, so that the plain command works in the repository and in a student's folder alike. The
SVG of a graph varies with layout engine and fonts; the text form of the same graph, which does not, stays compared.
Knows nbval by two attributes, and imports it only where notebooks are to be run.
"""

from typing import Any


def pytest_configure(config: Any) -> None:
    """Let nbval start its kernels by kernels.py, which says why."""
    if config.getoption("nbval", False) or config.getoption("nbval_lax", False):
        import nbval.kernel

        from .kernels import PrivateKernelManager

        nbval.kernel.KernelManager = PrivateKernelManager


def pytest_collectstart(collector: Any) -> None:
    """Add SVG to what nbval itself leaves out (widget ids, PNG, JPEG)."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("image/svg+xml",)
