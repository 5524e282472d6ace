"""A pytest plugin that lets `pytest --nbval` compare everything of a notebook but SVG pictures.

Registered as an entry point, so that the plain command works in the repository and in a student's folder alike. The
SVG of a graph varies with layout engine and fonts; the text form of the same graph, which does not, stays compared.
Knows nbval by one attribute and imports nothing.
"""

from typing import Any


def pytest_collectstart(collector: Any) -> None:
    """Add SVG to what nbval itself leaves out (widget ids, PNG, JPEG)."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("image/svg+xml",)
