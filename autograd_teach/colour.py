"""Colours for a terminal, and only there: the commands' signs, states and errors (`styled`).

Whether a stream gets them is decided as Python 3.13 decides it for tracebacks and argparse for its help, by the same
variables. Standard library only.
"""

import os
import sys
from typing import TextIO

_CODES = {"good": "32", "bad": "31", "warn": "33", "dim": "2", "bold": "1"}


def styled(text: str, style: str, stream: TextIO) -> str:
    """`text` in `style`, one of "good", "bad", "warn", "dim" and "bold", if `stream` is a terminal that shows colours.

    Raises KeyError for another style. What others wrote goes through `plain.visible` before it comes here:
    `visible` would remove the codes that are added here.

    >>> import io
    >>> styled("passed", "good", io.StringIO())
    'passed'
    """
    code = _CODES[style]
    return f"\033[{code}m{text}\033[0m" if text and shows_colours(stream) else text


def shows_colours(stream: TextIO) -> bool:
    """Whether `stream` gets colours.

    The first of these decides: PYTHON_COLORS is 0 or 1, NO_COLOR is not empty (https://no-color.org), FORCE_COLOR is not
    empty, TERM is dumb, `stream` is a terminal.
    """
    ours = {"0": False, "1": True}.get(os.environ.get("PYTHON_COLORS", ""))
    if ours is not None:
        return ours
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    # Not os.isatty(stream.fileno()): in a notebook, the file behind the stream is the terminal that JupyterLab started in.
    return os.environ.get("TERM") != "dumb" and stream.isatty() and _terminal_knows_codes()


def _terminal_knows_codes() -> bool:
    """False in a Windows console that would print escape codes as text; only Python 3.13 and later can tell."""
    if sys.platform != "win32":
        return True
    import nt

    knows = getattr(nt, "_supports_virtual_terminal", None)
    return knows is not None and bool(knows())
