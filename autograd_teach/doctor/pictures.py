"""What draws: Graphviz in one of three ways, and matplotlib."""

import shutil

from .course import AGAIN
from .finding import Finding, Probe, broken, ok, optional
from .tools import SECONDS, Failed, Package, install, pip_install, run, run_python, version_of

MATPLOTLIB = Package("matplotlib", "3.10", "cells that plot raise an error", "matplotlib", is_needed=True)

PYGRAPHVIZ = "pygraphviz>=2.0"

_DRAW = """
from autograd_teach.viz import layout
print("drawn" if layout.{engine}("digraph {{ a -> b }}", "svg") else "")
"""

_BROWSER = "from autograd_teach.viz import layout; layout.browser_engine()"


def graphviz() -> Finding:
    """Which of the three ways of layout.py draws here."""
    wheel = version_of("pygraphviz")
    problem = _problem("by_wheel") if wheel else ""
    if wheel and not problem:
        return ok(f"pygraphviz {wheel} draws the graphs, with the Graphviz inside it")
    failed = f"pygraphviz {wheel} is installed but does not draw: {problem}" if wheel else ""
    dot = shutil.which("dot")
    if dot and not _problem("by_system"):
        return ok("; ".join(filter(None, (f"the program dot draws the graphs ({_version(dot)})", failed))))
    try:
        run_python(_BROWSER)
    except Failed as missing:
        words = f"nothing draws graphs, they are shown as text: {missing}"
        return broken(words, AGAIN)
    words = "the browser draws the graphs, when the kernel has finished the cells that run before; "
    words += "saved .svg and .png files and pages without scripts need Graphviz"
    if dot and not failed and version_of("graphviz") is None:
        return optional(
            f"{words}; dot is here, but not the Python package graphviz", "Install it:", pip_install("graphviz>=0.20")
        )
    wheel_command = pip_install("--only-binary=:all:", PYGRAPHVIZ)
    advice, *commands = install("graphviz", "https://graphviz.org/download/")
    if not wheel:
        choice = "one of these:" if commands else "it:"
        advice, commands = f"If you want Graphviz, install {choice}", [wheel_command, *commands]
    return optional("; ".join(filter(None, (words, failed))), advice, *commands)


def _problem(engine: str) -> str:
    """Why this engine draws nothing; "" if it draws. In a process of its own, as a broken library may end it."""
    try:
        first = "import pygraphviz" if engine == "by_wheel" else ""  # `layout` itself passes over what it cannot import
        return "" if run_python(first + _DRAW.format(engine=engine)) == "drawn" else "it cannot make an SVG"
    except Failed as problem:
        return str(problem)


def _version(dot: str) -> str:
    try:
        return run([dot, "-V"]).removeprefix("dot - ")
    except (Failed, OSError) as problem:
        return str(problem)


PROBES = (Probe("Graphviz", graphviz, 2 * SECONDS + 5), MATPLOTLIB.probe())
