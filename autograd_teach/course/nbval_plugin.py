"""A pytest plugin for `pytest --nbval`: it ignores SVG pictures, gives each kernel private sockets, and ignores progress.

Progress is neither read nor written, because earlier answers would show in the outputs. The SVG of a graph varies with
layout engine and fonts; the text form of the same graph does not, and is still compared. The plugin is registered as an
entry point, so the plain command works in the repository and in a student's folder. It uses two attributes of nbval, and
imports it only if notebooks are to be run.
"""

import os
from typing import Any


def pytest_configure(config: Any) -> None:
    """Let nbval start its kernels with private sockets (kernels.py says why) and without progress."""
    if config.getoption("nbval", False) or config.getoption("nbval_lax", False):
        import nbval.kernel

        from .kernels import PrivateKernelManager
        from .progress_file import SWITCH

        class WithoutProgress(PrivateKernelManager):
            def start_kernel(self, **options: Any) -> Any:
                return super().start_kernel(**options | {"env": options.get("env", os.environ) | {SWITCH: "1"}})

        nbval.kernel.KernelManager = WithoutProgress


def pytest_collectstart(collector: Any) -> None:
    """Add SVG to the types that nbval does not compare (widget ids, PNG, JPEG)."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("image/svg+xml",)
