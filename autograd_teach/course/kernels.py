"""Kernels that nobody else can answer for: on POSIX they are reached by sockets in a folder of their own.

By default jupyter_client looks for five free TCP ports, closes them again, and leaves it to the kernel to open them. What
starts at the same time may be faster, and a kernel (ipykernel 7.4) whose output or heartbeat port is taken then neither
works nor ends: whoever waits for it waits until some limit. May use jupyter_client; knows nothing of notebooks.
"""

import os
import shutil
import tempfile
import weakref
from typing import Any

from jupyter_client.manager import AsyncKernelManager, KernelManager

LONGEST_NAME = 90
"""Bytes of a socket's path that every POSIX system takes (macOS: 103), less the number that each channel adds."""


class _OnSockets:
    """Mixed into a kernel manager: where sockets are files, its kernel gets five in a new folder that ends with it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if os.name == "posix":
            folder = tempfile.mkdtemp(prefix="kernel-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            name = os.path.join(folder, "k")
            if len(os.fsencode(name)) <= LONGEST_NAME:
                self.transport, self.ip = "ipc", name


class PrivateKernelManager(_OnSockets, KernelManager):
    """jupyter_client's manager, its kernel out of reach of others.

    >>> PrivateKernelManager().transport == ("ipc" if os.name == "posix" else "tcp")
    True
    """


class PrivateAsyncKernelManager(_OnSockets, AsyncKernelManager):
    """The same for nbclient, which awaits its kernels."""
