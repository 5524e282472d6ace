"""Finds out which isolation works on this machine, by running Python with NumPy in a box of each kind.

It is also a minimal job: `load` and `serve` run in that box.
"""

import functools
import shutil
import socket
import sys
import threading

from ...course.errors import UserError
from . import isolation
from .box import NOT_STARTED, Boxes, Ended, Lost, TooSlow
from .isolation import Isolation
from .supervisor import Bounds

_WORKS = b"works"
_SECONDS = 60.0


def available() -> Isolation:
    """The best isolation that works here. The result is cached.

    >>> available() in Isolation
    True
    """
    return _probed()[0]


def why() -> str:
    """Why no better isolation than `available()` works here; "" if there is no better one."""
    return "; ".join(f"{kind}: {problem}" for kind, problem in problems().items())


def problems() -> dict[Isolation, str]:
    """Why each better isolation than `available()` does not work here."""
    return _probed()[1]


def problem_with(kind: Isolation) -> str:
    """Why `kind` does not work here; "" if it does."""
    if sys.platform != "linux":
        return "needs Linux"
    if kind is Isolation.BUBBLEWRAP and not shutil.which("bwrap"):
        return "it is not installed"
    if kind is Isolation.USER and isolation.new_uid(kind) is None:
        return "the grader is not root"
    try:
        with Boxes(__name__, kind) as boxes, boxes.open(Bounds()) as box:
            said = box.exchange(b"?", len(_WORKS), _SECONDS, threading.Event())
            return "" if said == _WORKS else "failed"
    except (OSError, UserError, Ended, Lost, TooSlow) as problem:
        if kind is Isolation.USER and (folder := isolation.closed_to_others()):
            return f"other users cannot enter {folder}, where Python is: install it elsewhere"
        words = " ".join(str(problem).split())
        return (words.removeprefix(f"{NOT_STARTED}: ") or words)[-200:] or "failed"


@functools.cache
def _probed() -> tuple[Isolation, dict[Isolation, str]]:
    found: dict[Isolation, str] = {}
    for kind in (each for each in Isolation if each.is_sandbox):
        problem = problem_with(kind)
        if not problem:
            return kind, found
        found[kind] = problem
    return Isolation.PROCESS, found


def load() -> None:
    """The job's imports in the forkserver."""
    import numpy  # noqa: F401


def serve(talk: socket.socket) -> None:
    """The job's code in the box. The box's user must also be able to load more of Python."""
    import wsgiref.util  # noqa: F401  # any module that is not loaded yet

    talk.recv(1)
    talk.sendall(_WORKS)
