"""The kinds of isolation between a student's code and this machine, and what each of them shows to a box.

    bubblewrap  namespaces: the box sees the system and Python read-only, its own processes, an empty /tmp of bounded size,
                no network; nothing else of this machine exists for it
    user        if bubblewrap does not work and the grader is root: an unprivileged user id used only for this box
    process     the grader's own user; only on request

All of them have limits, no capabilities, and a list of allowed system calls. Without namespaces (`user`, `process`) a box
reads only the system and Python, writes only to its own folder, and has no network (Landlock and the filter). Limits of
the whole box use a control group if the machine allows one. What a machine lacks is listed after the kind.
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
"""Files in /etc that programs need to start, the time zone, and fonts for plots. No passwords, hosts or keys."""

_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
"""Other devices belong to the machine: disks, shared memory, the grader's terminal."""

_RIGHTS = ("SYS_ADMIN", "SETUID", "SETGID", "SETPCAP", "CHOWN", "KILL", "DAC_OVERRIDE", "NET_ADMIN")
"""Capabilities that a forkserver under bubblewrap needs to make boxes; boxes do not keep them."""

_LARGEST_TMP = 256_000_000
"""Bytes; a box that can mount its own /tmp has its own limit instead."""


class Isolation(StrEnum):
    """The kind of isolation between a student's program and this machine."""

    BUBBLEWRAP = "bubblewrap"
    USER = "user"
    PROCESS = "process"

    @property
    def is_sandbox(self) -> bool:
        """Whether it prevents reading of solutions and other submissions."""
        return self is not Isolation.PROCESS


def described(kind: Isolation, missing: Sequence[str]) -> str:
    """
    >>> described(Isolation.USER, ["no cgroup"])
    'user (no cgroup)'
    """
    return f"{kind} ({', '.join(missing)})" if missing else kind.value


def enclosed(command: Sequence[str], kind: Isolation, hidden: Sequence[Path]) -> list[str]:
    """`command`, a forkserver, wrapped in its boxes' view of this machine. Under bubblewrap `hidden` folders are empty."""
    if kind is not Isolation.BUBBLEWRAP:
        return list(command)
    is_root = _can_change_user()
    # Under root, boxes get real user ids. Otherwise a box is user 0 in name only: another user could not mount anything.
    rights = [*_RIGHTS] if is_root else [*_RIGHTS, "SETFCAP"]
    kinds = [] if is_root else ["--unshare-user", "--uid", "0", "--gid", "0"]
    arguments = [shutil.which("bwrap") or "bwrap", *kinds]
    arguments += [f"--unshare-{name}" for name in ("ipc", "pid", "net", "uts")]
    arguments += ["--hostname", "sandbox", "--new-session", *_mounts(hidden), "--cap-drop", "ALL"]
    for name in rights:
        arguments += ["--cap-add", f"CAP_{name}"]
    return [*arguments, "--", *command]


def readable_in_a_box() -> list[str]:
    """The paths that a box without namespaces may read."""
    return [*_SYSTEM, "/proc", *_DEVICES, *(f"/etc/{name}" for name in _SETTINGS), *map(str, python_paths())]


def limits_files() -> bool:
    """Whether boxes without namespaces can read only the system and Python (Landlock)."""
    return confine.landlock_version() > 0


def filters_calls() -> bool:
    """Whether system calls, including those for the network, are filtered on this processor."""
    return syscalls.filter_program(os.uname().machine, confine.ALONE) is not None


def readable_by_anyone(paths: Sequence[Path]) -> list[Path]:
    """Those of `paths` that every user of this machine can read: `user` does not protect them without Landlock."""
    return [path for path in map(Path.resolve, paths) if _anyone_gets_to(path)]


@functools.cache
def python_paths() -> list[Path]:
    """Files and folders that the running Python and this package need to start, except the system's."""
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
        for folder in reversed(path.parents[:-1]):  # bubblewrap would make these readable for root only
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
    """An unused user id for one box: without a password entry, and very unlikely to be another box's.

    None if the grader cannot or must not change user ids.
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
    """User ids for boxes: high ones among those that exist here (few in a container with a user namespace)."""
    try:
        lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    except OSError:
        return range(0)
    first, _, count = max((tuple(map(int, line.split())) for line in lines), key=lambda fields: fields[2])
    last = min(first + count, 2_000_000_000)
    return range(max(first + 1, last // 2), last - 1)


def _anyone_gets_to(path: Path) -> bool:
    """Whether every user may enter all folders above `path`, and read or enter `path`."""
    try:
        if any(not folder.stat().st_mode & 0o001 for folder in path.parents):
            return False
        return bool(path.stat().st_mode & (0o005 if path.is_dir() else 0o004))
    except OSError:
        return False
