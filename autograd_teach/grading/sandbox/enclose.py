"""Makes namespaces in which only a given view of this machine exists: what bubblewrap does, without any program.

A view is a list of mounts (isolation.py); bubblewrap gets it as arguments, `enter` makes it itself, with Linux 5.12 or
later. Both make an empty root, mount there what the view lists, and let go of the old root. Standard library only.
"""

import os
import signal
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from . import confine

_OLD = "/.old"
_FLAGS = confine.NO_SUID | confine.NO_DEVICES
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


@dataclass(frozen=True)
class Mount:
    """One step of making a view.

    bind: `source`, with what is mounted below it, is seen read-only at `at`. link: a symbolic link to `source`. folder: an
    empty folder. tmpfs: one of at most `size` bytes (0: any), of its own. proc, dev: processes and devices of the view.
    seal: nothing can be written there from now on.
    """

    kind: Literal["bind", "link", "folder", "tmpfs", "proc", "dev", "seal"]
    at: str
    source: str = ""
    mode: int = 0o755
    size: int = 0

    def as_argument(self) -> list[str]:
        """The same for bubblewrap.

        >>> Mount("tmpfs", "/tmp", mode=0o1777).as_argument()
        ['--perms', '1777', '--tmpfs', '/tmp']
        """
        match self.kind:
            case "bind":
                return ["--ro-bind", self.source, self.at]
            case "link":
                return ["--symlink", self.source, self.at]
            case "seal":
                return ["--remount-ro", self.at]
            case "proc" | "dev":
                return [f"--{self.kind}", self.at]
        size = ["--size", str(self.size)] if self.size else []
        return ["--perms", f"{self.mode:04o}", *size, "--dir" if self.kind == "folder" else "--tmpfs", self.at]


def enter(view: Sequence[Mount], own_users: bool) -> None:
    """Continue in a child process: the first one in new namespaces, which sees only `view` and has the rights to make boxes.

    The calling process, which must have one thread only, waits for the child and ends with its status. own_users: boxes
    get user ids, which needs a grader who is root; otherwise a user namespace is made. Raises OSError.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a first process gets only the signals that it handles
    os.umask(0)
    confine.enter_namespaces(own_users)
    if child := os.fork():
        _wait(child)
    confine.end_with_parent(0)
    os.setsid()
    socket.sethostname("sandbox")
    confine.raise_loopback()
    # Each box makes a user namespace of its own if this /proc has no mounts in it; Landlock closes the settings then.
    _make_root(view, cover=own_users or not confine.landlock_version())
    os.umask(0o022)
    confine.drop_capabilities(kept=confine.RIGHTS.values())


def _wait(child: int) -> None:
    """Wait for `child` without any file open, and end as it does."""
    os.closerange(0, os.sysconf("SC_OPEN_MAX"))
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)


def _make_root(view: Sequence[Mount], cover: bool) -> None:
    confine.mount("tmpfs", "/tmp", "tmpfs", _FLAGS, "mode=755")
    os.mkdir(f"/tmp{_OLD}")
    os.chdir("/tmp")
    confine.pivot_root(".", f".{_OLD}")  # what was in /tmp is seen again below the old root
    os.chdir("/")
    for step in view:
        _carry_out(step, cover)
    confine.forget(_OLD)
    os.rmdir(_OLD)
    confine.protect("/", _FLAGS, below=False)


def _carry_out(step: Mount, cover: bool) -> None:
    match step.kind:
        case "bind":
            _bind(step.source, step.at, _FLAGS)
        case "link":
            os.symlink(step.source, step.at)
        case "folder":
            _folder(step.at, step.mode)
        case "tmpfs":
            _folder(step.at, step.mode)
            size = f",size={step.size}" if step.size else ""
            confine.mount("tmpfs", step.at, "tmpfs", _FLAGS, f"mode={step.mode:o}{size}")
        case "proc":
            _folder(step.at, 0o755)
            confine.mount_proc(cover)  # before the old one is gone: the kernel demands that one is seen
        case "dev":
            _devices(step.at)
        case "seal":
            confine.protect(step.at, 0, below=False)


def _folder(at: str, mode: int) -> None:
    if not os.path.isdir(at):
        os.mkdir(at, mode)


def _bind(source: str, at: str, flags: int) -> None:
    if os.path.isdir(_OLD + source):
        _folder(at, 0o755)
    elif not os.path.lexists(at):
        os.makedirs(os.path.dirname(at), exist_ok=True)
        os.close(os.open(at, os.O_CREAT | os.O_WRONLY, 0o644))
    confine.mount(_OLD + source, at, flags=confine.BIND | confine.RECURSIVE)
    confine.protect(at, flags)


def _devices(at: str) -> None:
    _folder(at, 0o755)
    confine.mount("tmpfs", at, "tmpfs", confine.NO_SUID, "mode=755")
    for name in _DEVICES:
        if os.path.exists(f"{_OLD}/dev/{name}"):
            _bind(f"/dev/{name}", f"{at}/{name}", confine.NO_SUID | confine.NO_EXEC)
    for name, number in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{number}", f"{at}/{name}")
    for name in ("shm", "pts"):
        _folder(f"{at}/{name}", 0o755)
    confine.mount_terminals()
    os.symlink("pts/ptmx", f"{at}/ptmx")
