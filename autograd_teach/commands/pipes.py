"""What to do when the reader of our output has stopped, as `head` does after ten lines."""

from __future__ import annotations

import contextlib
import os
import select
from typing import TextIO


def closed(stream: TextIO) -> bool:
    """Whether `stream` is a pipe that nobody reads any more.

    False if that cannot be known: a BrokenPipeError may also come from a socket or from a process that has died.
    """
    try:
        number = stream.fileno()
    except (OSError, ValueError):  # no file, or closed
        return False
    if not hasattr(select, "poll"):  # Windows
        return True
    poll = select.poll()
    poll.register(number, select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def drop(stream: TextIO) -> None:
    """Send to nowhere what `stream` still holds, or Python would fail to write it when it exits.

    See the note on SIGPIPE in the documentation of Python's `signal`.
    """
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
