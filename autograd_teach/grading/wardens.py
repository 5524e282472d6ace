"""What a waiting interpreter does: it forks when the grader asks, and gives each process a warden that sees to its end.

Standard library only, and nothing of this package: servers that wait load it by its path, waiting.py imports it. Each
request is a message of known size with two sockets: `talk`, for the process itself, and `life`, for its warden. The warden
writes one byte to `life` when the process has begun and two (`ENDED`) when it has ended; when the grader closes its side of
`life`, the warden ends the process with all its descendants.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

ENDED = struct.Struct("<BB")
"""Whether a signal ended the process, and the signal's number or the exit status."""

LONGEST_END = 60.0
"""Seconds within which killed processes are gone, on the busiest machine. What the system itself cannot end (it waits for a
broken disk, say) is left behind then."""

_SET_PARENT_DEATH, _SET_DUMPABLE, _SET_SUBREAPER = 1, 4, 36

Begin = Callable[[bytes, int, int, int], None]
"""(message, talk, life, the process id of the waiting interpreter): what the forked warden does; it ends in `watch`."""


def wait(control: socket.socket, size: int, begin: Begin) -> None:
    """Say that all is loaded; then fork for each message of `size` bytes, until the grader hangs up."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own = os.getpid()
    control.sendall(b"!")
    while True:
        data, files, _, _ = socket.recv_fds(control, size, 2)
        if len(data) != size or len(files) != 2:
            return
        if os.fork() == 0:
            try:
                control.close()
                begin(data, files[0], files[1], own)
            finally:
                os._exit(1)
        for each in files:
            os.close(each)


def let_go_of_streams() -> None:
    """Standard input, output and error lead nowhere from here on."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)


def become_warden(waiting: int) -> None:
    """In the forked process, first of all: end with the `waiting` interpreter, and lose sight of no descendant."""
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    end_with_parent(waiting)
    adopt_orphans()


def watch(life: int, pid: int, level: int, last: Callable[[], None] = lambda: None) -> NoReturn:
    """Wait for the end of the process `pid` or of `life`, and end all that is left; `last` is called when nothing is."""
    os.write(life, bytes([level]))
    process = os.pidfd_open(pid)
    ready, _, _ = select.select([life, process], [], [])
    if process not in ready:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    end_descendants()
    last()
    with contextlib.suppress(OSError):
        killed = os.WIFSIGNALED(status)
        os.write(life, ENDED.pack(killed, os.WTERMSIG(status) if killed else os.WEXITSTATUS(status)))
    os._exit(0)


def end_descendants() -> None:
    """Kill every process below this one that is left, and wait for it."""
    deadline = time.monotonic() + LONGEST_END
    while time.monotonic() < deadline:
        for pid in _children():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def _children() -> list[int]:
    try:
        return [int(pid) for pid in Path("/proc/thread-self/children").read_text().split()]
    except (OSError, ValueError):
        return []


def hide_memory() -> None:
    """No other process of this user may look into this one's memory, or take its files."""
    _prctl(_SET_DUMPABLE, 0)


def show_memory() -> None:
    """As after an exec: the user that this process has become may look into it, and into its own /proc."""
    _prctl(_SET_DUMPABLE, 1)


def end_with_parent(parent: int) -> None:
    """Be killed when the process `parent` ends (0: a parent that has no number here). A change of user undoes this."""
    _prctl(_SET_PARENT_DEATH, signal.SIGKILL)
    if sys.platform == "linux" and os.getppid() != parent:
        os._exit(0)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    _prctl(_SET_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
