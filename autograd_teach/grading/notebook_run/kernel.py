"""The notebook's kernel in the box: forked before nbval reads the notebook, started when it is told its connection.

A kernel finds what a fresh one finds: its own random state and secrets, an empty home, no open files, no threads.
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
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "IPython.utils.wildcard",
    "ipykernel.debugger",
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    "matplotlib_inline.config",
    "multiprocessing.process",
    "sqlite3",
    "tornado.platform.asyncio",
    "tornado.queues",
)
"""Kernels load these when they start, some only where they are installed."""

_NOT_A_KERNELS = ("_pytest", "nbval", "pytest", "autograd_teach.grading")
"""Modules that the forkserver has loaded and that a fresh kernel does not have."""


def load() -> None:
    """Everything that a kernel and a setup cell import."""
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    # Names that load what they need at first use have then loaded it.
    from autograd_teach import nn, optim, viz  # noqa: F401
    from autograd_teach.autograd import Function, gradcheck  # noqa: F401
    from autograd_teach.course import check, hint, progress  # noqa: F401


class Waiting:
    """A kernel that waits for its connection; `pid` is its process."""

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid, self._pipe = pid, pipe

    def tell(self, connection: dict[str, Any]) -> None:
        """Start it: `connection` is what a connection file holds."""
        with open(self._pipe, "w") as pipe:
            json.dump(connection, pipe)


def fork(talk: socket.socket) -> Waiting:
    """Fork the kernel's process, which closes `talk`: the grader's pipe is not for it."""
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
    """Wait for the connection; then be an IPython kernel until it ends."""
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
        # Its history would be one SQLite file a kernel, in a home that nobody sees again.
        IPKernelApp.launch_instance([*sys.argv[1:], "--HistoryManager.enabled=False"])
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 0


def _be_fresh() -> None:
    """Nothing random that was drawn before the fork is left: two students' kernels would share it."""
    random.seed()
    site.USER_BASE = site.USER_SITE = None  # in the home of before; computed again when somebody asks
    for name in [name for name in sys.modules if name.startswith(_NOT_A_KERNELS)]:
        del sys.modules[name]
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()
    if processes := sys.modules.get("multiprocessing.process"):
        processes.current_process().authkey = os.urandom(32)
    if engine := sys.modules.get("autograd_teach"):
        engine.seed()
