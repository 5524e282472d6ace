"""What can stand between a student's code and this machine: the kinds, what each shows, and which of them works here.

    bubblewrap  namespaces: the box sees the system and Python read-only, its own processes, an empty /tmp of bounded size,
                no network; nothing else of this machine exists for it
    user        if bubblewrap does not work and the grader is root: an unprivileged user id made up for this one box
    process     the grader's own user; on request only

In all of them: limits, no rights, a list of allowed system calls; without a view of its own (`user`, `process`) a box
reads the system and Python only, writes to its own folder only, and has no network (Landlock and the filter). Bounds of
the whole box are a control group's where the machine gives one. What is missing of this is a word beside the kind.
"""

import functools
import os
import secrets
import shutil
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from . import confine, syscalls

_PACKAGE = Path(__file__).resolve().parents[2]
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "fonts")
"""Of /etc: what programs need in order to start, the time zone, and fonts for plots. No passwords, hosts or keys."""

_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
"""All else there is the machine's: disks, memory that others share, the terminal that the grader was started in."""

_RIGHTS = ("SYS_ADMIN", "SETUID", "SETGID", "SETPCAP", "CHOWN", "KILL", "DAC_OVERRIDE", "NET_ADMIN")
"""What a forkserver under bubblewrap needs in order to make boxes, none of which keeps any."""

_LARGEST_TMP = 256_000_000
"""Bytes; each box that can mount a /tmp of its own has its own bound."""


class Isolation(StrEnum):
    """What stands between a student's program and this machine."""

    BUBBLEWRAP = "bubblewrap"
    USER = "user"
    PROCESS = "process"

    @property
    def is_sandbox(self) -> bool:
        """Whether it keeps solutions and other submissions from being read."""
        return self is not Isolation.PROCESS


def described(kind: Isolation, missing: Sequence[str]) -> str:
    """
    >>> described(Isolation.USER, ["no cgroup"])
    'user (no cgroup)'
    """
    return f"{kind} ({', '.join(missing)})" if missing else kind.value


def enclosed(command: Sequence[str], kind: Isolation, hidden: Sequence[Path]) -> list[str]:
    """`command`, a forkserver, with the view of this machine that its boxes get; under bubblewrap `hidden` folders are empty."""
    if kind is not Isolation.BUBBLEWRAP:
        return list(command)
    is_root = _can_change_user()
    # Users below a root that has them are real ones. Else the box is user 0 by name only: any other could mount nothing.
    rights = [*_RIGHTS] if is_root else [*_RIGHTS, "SETFCAP"]
    kinds = [] if is_root else ["--unshare-user", "--uid", "0", "--gid", "0"]
    arguments = [shutil.which("bwrap") or "bwrap", *kinds]
    arguments += [f"--unshare-{name}" for name in ("ipc", "pid", "net", "uts")]
    arguments += ["--hostname", "sandbox", "--new-session", *_mounts(hidden), "--cap-drop", "ALL"]
    for name in rights:
        arguments += ["--cap-add", f"CAP_{name}"]
    return [*arguments, "--", *command]


def readable_in_a_box() -> list[str]:
    """What a box may read that has no view of its own."""
    return [*_SYSTEM, "/proc", *_DEVICES, *(f"/etc/{name}" for name in _SETTINGS), *map(str, python_paths())]


def limits_files() -> bool:
    """Whether boxes without a view of their own read nothing but the system and Python (Landlock)."""
    return confine.landlock_version() > 0


def filters_calls() -> bool:
    """Whether the processor is one for which system calls are filtered, and with them what leads to the network."""
    return syscalls.filter_program(os.uname().machine, confine.ALONE) is not None


def readable_by_anyone(paths: Sequence[Path]) -> list[Path]:
    """Which of `paths` a stranger on this machine could look into: what `user` does not protect without Landlock."""
    return [path for path in map(Path.resolve, paths) if _anyone_gets_to(path)]


@functools.cache
def python_paths() -> list[Path]:
    """Files and folders without which the running Python and this package do not start, less what the system has."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    libraries = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))
    wanted = [Path(name) for name in (*prefixes, *libraries)] + [_PACKAGE]
    wanted += [path.resolve() for path in wanted]
    outside = {path for path in wanted if path.exists() and not _is_under(path, *map(Path, _SYSTEM))}
    return sorted(path for path in outside if not _is_under(path, *(outside - {path})))


def _mounts(hidden: Sequence[Path]) -> list[str]:
    arguments: list[str] = []
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            arguments += ["--symlink", os.readlink(path), name]
        elif path.exists():
            arguments += ["--ro-bind", name, name]
    for name in _SETTINGS:
        arguments += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    for name in confine.PRIVATE:
        arguments += ["--perms", "1777", "--size", str(_LARGEST_TMP), "--tmpfs", name]
    arguments += ["--perms", "0755", "--dir", "/var", "--symlink", "/tmp", "/var/tmp"]
    readable = python_paths()
    for path in readable:
        for folder in reversed(path.parents[:-1]):  # bubblewrap's own would be closed to all but root
            arguments += ["--perms", "0755", "--dir", str(folder)]
        arguments += ["--ro-bind", str(path), str(path)]
    visible = [Path(name) for name in _SYSTEM] + [path.resolve() for path in readable]
    for path in map(Path.resolve, hidden):
        if not _is_under(path, *visible) or any(_is_under(each, path) for each in readable):
            continue
        if path.is_dir():
            arguments += ["--perms", "0000", "--tmpfs", str(path), "--remount-ro", str(path)]
        elif path.exists():
            arguments += ["--ro-bind", "/dev/null", str(path)]
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/"]


def _is_under(path: Path, *folders: Path) -> bool:
    return any(path == folder or folder in path.parents for folder in folders)


# ---- user ids ---------------------------------------------------------------------------------------------------------


def new_uid(kind: Isolation) -> int | None:
    """A user id for one box that nobody has: not in the passwords, and not given to another but by a rare chance.

    None if the grader cannot give any, or is not to.
    """
    if kind is Isolation.PROCESS or not _can_change_user():
        return None
    import pwd

    known = {entry.pw_uid for entry in pwd.getpwall()}
    return next(uid for uid in iter(lambda: secrets.choice(_uids()), None) if uid not in known)


def _can_change_user() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 and len(_uids()) > 1000


@functools.cache
def _uids() -> range:
    """User ids for strangers: high ones, of those that exist here (few in a container with a user namespace)."""
    try:
        lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    except OSError:
        return range(0)
    first, _, count = max((tuple(map(int, line.split())) for line in lines), key=lambda fields: fields[2])
    last = min(first + count, 2_000_000_000)
    return range(max(first + 1, last // 2), last - 1)


def _anyone_gets_to(path: Path) -> bool:
    """Whether everybody may enter all folders on the way, and read or enter the last."""
    try:
        if any(not folder.stat().st_mode & 0o001 for folder in path.parents):
            return False
        return bool(path.stat().st_mode & (0o005 if path.is_dir() else 0o004))
    except OSError:
        return False
