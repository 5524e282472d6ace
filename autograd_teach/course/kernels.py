"""Kernel managers whose kernels, on POSIX, listen on sockets in a private folder, so their ports cannot be taken.

By default jupyter_client looks for five free TCP ports, closes them again, and the kernel opens them later. A program that
starts at the same time may take a port first. A kernel (ipykernel 7.4) without its output or heartbeat port neither works
nor ends, and its client waits until some time limit. May use jupyter_client; does not know notebooks.
"""

import os
import shutil
import tempfile
import weakref
from typing import Any

from jupyter_client.manager import AsyncKernelManager, KernelManager

LONGEST_NAME = 90
"""Bytes of a socket's path that every POSIX system accepts (macOS: 103), less the number that each channel adds."""


class _OnSockets:
    """Mixin for a kernel manager: on POSIX its kernel gets sockets in a new folder, removed with the manager."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if os.name == "posix":
            folder = tempfile.mkdtemp(prefix="kernel-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            name = os.path.join(folder, "k")
            if len(os.fsencode(name)) <= LONGEST_NAME:
                self.transport, self.ip = "ipc", name


class PrivateKernelManager(_OnSockets, KernelManager):
    """jupyter_client's manager with private sockets.

    >>> PrivateKernelManager().transport == ("ipc" if os.name == "posix" else "tcp")
    True
    """


class PrivateAsyncKernelManager(_OnSockets, AsyncKernelManager):
    """The same for nbclient, which uses asynchronous kernels."""
