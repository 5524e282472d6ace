"""A pytest plugin for `pytest --nbval`: pictures in SVG are not compared, no two kernels get in each other's way, and
progress is neither read nor written: what somebody has answered would show in the outputs.

Registered as an entry point, so that the plain command works in the repository and in a student's folder alike. The
SVG of a graph varies with layout engine and fonts; the text form of the same graph, which does not, stays compared.
Knows nbval by two attributes, and imports it only where notebooks are to be run.
"""

import os
from typing import Any


def pytest_configure(config: Any) -> None:
    """Let nbval start its kernels by kernels.py, which says why, and without progress."""
    if config.getoption("nbval", False) or config.getoption("nbval_lax", False):
        import nbval.kernel

        from .kernels import PrivateKernelManager
        from .progress_file import SWITCH

        class WithoutProgress(PrivateKernelManager):
            def start_kernel(self, **options: Any) -> Any:
                return super().start_kernel(**options | {"env": options.get("env", os.environ) | {SWITCH: "1"}})

        nbval.kernel.KernelManager = WithoutProgress


def pytest_collectstart(collector: Any) -> None:
    """Add SVG to what nbval itself leaves out (widget ids, PNG, JPEG)."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("image/svg+xml",)
