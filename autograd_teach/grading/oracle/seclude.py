"""Cuts the process of one submission off from the grader, the other submissions and the network, as far as the system lets it.

Standard library only, loaded by server.py by its path; knows nothing of questions. Linux's namespaces, a user of its own
where the grader is root, limits on everything that can be limited. What could not be done is said (`Level`), never hidden.
"""

import contextlib
import ctypes
import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIRST_STRANGER = 1_000_000_000
"""User ids from here on belong to nobody; each submission gets one, so that none can count or signal another's processes."""

_CLONE = {
    "mount": 0x20000,
    "uts": 0x4000000,
    "ipc": 0x8000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXEC, _REMOUNT = 1, 2, 4, 8, 0x20
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000
SHARED = ("/tmp", "/dev/shm")
"""Shared by all processes, which is why each submission gets others in their place."""

_SET_DUMPABLE, _DROP_BOUND = 4, 24


@dataclass(frozen=True)
class Limits:
    """What one submission's process may use."""

    memory: int  # bytes of address space
    seconds: int  # of processor time
    file: int = 64_000_000  # bytes of one file
    disk: int = 64_000_000  # bytes of the memory that takes the place of /tmp
    files: int = 20_000  # in it
    open_files: int = 256
    processes: int = 128


@dataclass(frozen=True)
class Level:
    """What stands between the submission and this machine: namespaces of its own, a user of its own."""

    namespaces: bool = False
    user: bool = False

    @property
    def code(self) -> int:
        """As one byte."""
        return self.namespaces + 2 * self.user


def level_of(code: int) -> Level:
    """What `Level.code` stands for."""
    return Level(bool(code & 1), bool(code & 2))


def _libc() -> ctypes.CDLL | None:
    return ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _prctl(option: int, value: int) -> None:
    if libc := _libc():
        libc.prctl(option, value, 0, 0, 0)


def enter_namespaces(hidden: Sequence[str], needed: Sequence[str], limits: Limits) -> Level:
    """New namespaces for this process's next child; `hidden` folders are empty there, and so is /tmp; `needed` ones can be read."""
    libc = _libc()
    is_root, can_change = os.getuid() == 0, _can_change_user()
    if libc is None or not _unshare(libc, is_root, can_change):
        return Level(user=can_change and not any(map(_closed_above, needed)))
    libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None)
    if is_root:
        _open_ways(libc, needed)
    shared = {folder: os.open(folder, os.O_PATH) for folder in sorted(needed) if _is_in(folder, SHARED)}
    for folder in hidden:
        libc.mount(b"none", os.fsencode(folder), b"tmpfs", _READ_ONLY | _NO_SUID | _NO_DEVICES, b"size=4k")
    bounded = f"size={limits.disk},nr_inodes={limits.files},mode=1777".encode()
    for folder in SHARED:
        libc.mount(b"none", folder.encode(), b"tmpfs", _NO_SUID | _NO_DEVICES, bounded)
    for folder, number in shared.items():
        _bring_back(libc, folder, number)
    return Level(namespaces=True, user=can_change)


def _is_in(folder: str, places: Sequence[str]) -> bool:
    return any(Path(place) in Path(folder).parents for place in places)


def _bring_back(libc: ctypes.CDLL, folder: str, number: int) -> None:
    """Python, or this package, lies in a shared folder that was replaced: there again at its old place, to be read only."""
    for way in reversed([Path(folder), *Path(folder).parents]):
        if not way.exists():
            way.mkdir()
            way.chmod(0o755)
    source, flags = f"/proc/self/fd/{number}".encode(), _BIND | _RECURSIVE
    libc.mount(source, os.fsencode(folder), None, flags, None)
    libc.mount(None, os.fsencode(folder), None, _BIND | _REMOUNT | _READ_ONLY | _NO_SUID, None)
    os.close(number)


def _can_change_user() -> bool:
    """Whether this is root, and root over other users than itself."""
    if os.getuid() != 0 or sys.platform != "linux":
        return False
    try:
        ranges = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    except (OSError, ValueError):
        return False
    return any(first <= FIRST_STRANGER < first + count - 2**23 for first, _, count in ranges)


def _closed_above(folder: str) -> Path | None:
    """The uppermost folder on the way to `folder` that only its owner may pass: root's own home, say."""
    ways = [*reversed(Path(folder).parents), Path(folder)]
    return next((way for way in ways if way.is_dir() and not way.stat().st_mode & stat.S_IXOTH), None)


def _open_ways(libc: ctypes.CDLL, needed: Sequence[str]) -> None:
    """Where Python lies in a folder that another user may not pass, put an empty one in its place, with nothing but Python in it."""
    closed = {folder: way for folder in needed if (way := _closed_above(folder))}
    kept = {folder: os.open(folder, os.O_PATH) for folder in closed}
    for way in set(closed.values()):
        libc.mount(b"none", os.fsencode(way), b"tmpfs", _NO_SUID | _NO_DEVICES, b"size=1m,mode=755")
    for folder, number in kept.items():
        Path(folder).mkdir(parents=True, exist_ok=True)
        libc.mount(f"/proc/self/fd/{number}".encode(), os.fsencode(folder), None, _BIND, None)
        os.close(number)


def _unshare(libc: ctypes.CDLL, is_root: bool, can_change: bool) -> bool:
    """Who gets no user id of its own gets a user namespace of its own, or its processes would be counted with all others'."""
    flags = sum(bit for name, bit in _CLONE.items() if name != "user")
    uid, gid = os.getuid(), os.getgid()
    if not can_change and not (is_root and _is_covered("/proc")) and libc.unshare(flags | _CLONE["user"]) == 0:
        return _map_user(uid, gid)
    return is_root and libc.unshare(flags) == 0


def _is_covered(folder: str) -> bool:
    """Whether something is mounted below `folder`: a new user namespace may then not mount another of its kind."""
    with contextlib.suppress(OSError):
        mounts = Path("/proc/self/mounts").read_text().splitlines()
        return any(line.split()[1].startswith(f"{folder}/") for line in mounts)
    return False


def _map_user(uid: int, gid: int) -> bool:
    """In the new user namespace we are who we were, and nobody else is there."""
    _prctl(_SET_DUMPABLE, 1)  # else these files are root's
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    except OSError:
        return False
    finally:
        _prctl(_SET_DUMPABLE, 0)
    return True


def mount_processes() -> bool:
    """In the first process of new namespaces: /proc shows those in them alone. Whether that is so now."""
    libc = _libc()
    return libc is not None and libc.mount(b"proc", b"/proc", b"proc", _NO_SUID | _NO_DEVICES | _NO_EXEC, None) == 0


def give_up_rights(level: Level, limits: Limits, uid: int, confine: Any) -> None:
    """In the process that will run the student's code, as the last thing before it: limits, no rights, no way back to them.

    `confine` is the module of the sandbox that does this for every other program of a student's; the rest is what an exec
    would have done there.
    """
    bounds = {"AS": limits.memory, "CPU": limits.seconds, "FSIZE": limits.file, "CORE": 0, "NOFILE": limits.open_files}
    if level.namespaces or level.user:
        bounds["NPROC"] = limits.processes
    confine.bound_resources(bounds)
    if level.user:
        confine.become(uid)
    drop_capabilities()
    confine.give_up_rights(False)
    if level.namespaces or level.user:
        confine.refuse_system_calls()
    os.umask(0o077)


def drop_capabilities() -> None:
    """All, for good."""
    libc = _libc()
    if libc is None:
        return
    for capability in range(64):
        libc.prctl(_DROP_BOUND, capability, 0, 0, 0)
    version_3_of_this_process = (ctypes.c_uint32 * 2)(0x20080522, 0)
    none = (ctypes.c_uint32 * 6)()
    libc.capset(version_3_of_this_process, none)
