"""The notebook's kernel in the box: forked before nbval reads the notebook, started when it gets its connection.

It is like a fresh kernel: its own random state and secrets, an empty home, no open files, no threads.
"""

import contextlib
import importlib
import json
import os
import random
import site
import socket
import sys
from pathlib import Path
from typing import Any

from ..sandbox import confine

LOADED = (
    *("IPython.core.completerlib", "IPython.core.debugger", "IPython.core.oinspect"),
    *("IPython.extensions.storemagic", "IPython.utils.wildcard", "matplotlib_inline.config"),
    *("ipykernel.debugger", "ipykernel.ipkernel", "ipykernel.kernelapp", "ipykernel.zmqshell"),
    *("multiprocessing.process", "sqlite3", "tornado.platform.asyncio", "tornado.queues"),
)
"""Modules that a kernel loads when it starts, some only if they are installed."""

_NOT_A_KERNELS = ("_pytest", "nbval", "pytest", "autograd_teach.grading")
"""Modules that the forkserver has loaded but a fresh kernel has not."""


def load() -> None:
    """Import everything that a kernel and a setup cell import."""
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    # Packages that import lazily are now fully loaded.
    from autograd_teach import nn, optim, viz  # noqa: F401
    from autograd_teach.autograd import Function, gradcheck  # noqa: F401
    from autograd_teach.course import check, hint, progress  # noqa: F401


class Waiting:
    """A kernel that waits for its connection; `pid` is its process."""

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid, self._pipe = pid, pipe

    def tell(self, connection: dict[str, Any]) -> None:
        """Start the kernel. `connection` is the content of a connection file."""
        with open(self._pipe, "w") as pipe:
            json.dump(connection, pipe)


def fork(talk: socket.socket) -> Waiting:
    """Fork the kernel's process. It closes `talk`, the grader's pipe, which it must not use."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(writes)
            talk.close()
            status = _serve(reads)
        finally:
            os._exit(status)
    os.close(reads)
    return Waiting(pid, writes)


def _serve(pipe: int) -> int:
    """Wait for the connection, then run as an IPython kernel."""
    os.setsid()
    confine.show_memory()
    with open(pipe) as stream:
        connection = stream.read()
    if not connection:
        return 1
    file = Path(os.environ["TMPDIR"], "connection.json")
    file.write_text(connection)
    _be_fresh()
    from ipykernel.kernelapp import IPKernelApp

    sys.argv = ["ipykernel_launcher", "-f", str(file)]
    try:
        # The history would be a SQLite file in a home that is deleted afterwards.
        IPKernelApp.launch_instance([*sys.argv[1:], "--HistoryManager.enabled=False"])
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 0


def _be_fresh() -> None:
    """Replace random state drawn before the fork: otherwise two students' kernels would share it."""
    random.seed()
    site.USER_BASE = site.USER_SITE = None  # from the old home; computed again on demand
    for name in [name for name in sys.modules if name.startswith(_NOT_A_KERNELS)]:
        del sys.modules[name]
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()
    if processes := sys.modules.get("multiprocessing.process"):
        processes.current_process().authkey = os.urandom(32)
    if engine := sys.modules.get("autograd_teach"):
        engine.seed()
