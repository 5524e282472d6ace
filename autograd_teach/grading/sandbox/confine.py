"""Restricts a process before a student's code runs in it: its view of the machine, its rights, and its limits.

Linux and the standard library only. Each function makes one change that cannot be undone, or raises
OSError with a message; nothing fails silently. supervisor.py calls them in the right order.
"""

import contextlib
import ctypes
import functools
import os
import resource
import struct
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from . import syscalls

PRIVATE = ("/tmp", "/dev/shm")
"""Folders that each box with a mount namespace has for itself; /var/tmp is a link to /tmp there."""

_SETTINGS = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")
"""Settings of the whole machine, made read-only in a box."""

_CLONE = {"mount": 0x20000, "uts": 0x4000000, "ipc": 0x8000000, "pid": 0x20000000, "net": 0x40000000}
_CLONE_USER = 0x10000000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_EXEC, _REMOUNT, _BIND = 1, 2, 4, 8, 0x20, 0x1000
_RECURSIVE, _MADE_PRIVATE = 0x4000, 0x40000
_SET_PARENT_DEATH, _SET_DUMPABLE, _DROP_BOUND, _SET_SECUREBITS = 1, 4, 24, 28
_SET_SUBREAPER, _NO_NEW_PRIVILEGES, _AMBIENT, _CLEAR_ALL = 36, 38, 47, 4
_NO_ROOT = 0b1100_1111
_SIGKILL = 9

ALONE = (1,)
"""Socket families allowed in a box that shares the machine's network: AF_UNIX."""

IN_A_NAMESPACE = (1, 2, 10, 16)
"""Those in a box with a network namespace, which leads nowhere: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK."""


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object, what: str) -> None:
    if getattr(_libc(), name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _prctl(option: int, value: int = 0, *, what: str = "") -> None:
    """Call prctl. With `what`, a failure raises OSError."""
    if _libc().prctl(option, value, 0, 0, 0) and what:
        raise OSError(ctypes.get_errno(), what)


# ---- namespaces -------------------------------------------------------------------------------------------------------


def enter_namespaces(own_user: bool) -> None:
    """Give this process's next child its own namespaces: mounts, processes, network, IPC, host name.

    own_user: the box gets its own user id. If not, it gets a user namespace if the system allows that, so that its
    processes are counted separately.
    """
    flags = sum(_CLONE.values())
    uid, gid = os.getuid(), os.getgid()
    if not own_user and not _is_covered("/proc") and _libc().unshare(flags | _CLONE_USER) == 0:
        _map_user(uid, gid)
    else:
        _call("unshare", flags, what="no namespaces")
    _call("mount", b"none", b"/", None, _RECURSIVE | _MADE_PRIVATE, None, what="mounts cannot be made private")


def _is_covered(folder: str) -> bool:
    """Whether something is mounted below `folder`: a new user namespace may then not mount the same file system."""
    with contextlib.suppress(OSError):
        mounts = Path("/proc/self/mounts").read_text().splitlines()
        return any(line.split()[1].startswith(f"{folder}/") for line in mounts)
    return False


def _map_user(uid: int, gid: int) -> None:
    """Map only the current user into the new user namespace, with the same id."""
    show_memory()  # otherwise these files belong to root
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    hide_memory()


def private_folders(size: int, files: int, kept: Sequence[str]) -> None:
    """Mount an empty /tmp and /dev/shm of at most `size` bytes and `files` files over the shared ones.

    kept: folders (Python's own) that are mounted again, read-only, if they lie in one of these.
    """
    opened = {path: os.open(path, os.O_PATH) for path in kept if path.startswith(tuple(f"{f}/" for f in PRIVATE))}
    options = f"size={size},nr_inodes={files},mode=1777".encode()
    flags = _NO_SUID | _NO_DEVICES
    for folder in PRIVATE:
        _call("mount", b"none", folder.encode(), b"tmpfs", flags, options, what=f"no private {folder}")
    for path, number in opened.items():
        for way in reversed([Path(path), *Path(path).parents]):
            if not way.exists():
                way.mkdir()
                way.chmod(0o755)
        source, at = f"/proc/self/fd/{number}".encode(), os.fsencode(path)
        _call("mount", source, at, None, _BIND | _RECURSIVE, None, what=f"{path} cannot be kept")
        _call("mount", None, at, None, _BIND | _REMOUNT | _READ_ONLY | _NO_SUID, None, what=f"{path} cannot be kept")
        os.close(number)


def mount_processes() -> None:
    """In the first process of a new namespace: mount a /proc that shows only the box. The parent keeps its own /proc."""
    _call("unshare", _CLONE["mount"], what="no mounts of its own")
    flags = _NO_SUID | _NO_DEVICES | _NO_EXEC
    _call("mount", b"proc", b"/proc", b"proc", flags, None, what="no private /proc")
    for name in filter(os.path.exists, _SETTINGS):  # user 0 owns them and does not need capabilities
        _call("mount", name.encode(), name.encode(), None, _BIND | _RECURSIVE, None, what=f"{name} stays open")
        _call(
            "mount", None, name.encode(), None, _BIND | _REMOUNT | _READ_ONLY | flags, None, what=f"{name} stays open"
        )


def raise_loopback() -> None:
    """Start the loopback of the network namespace, because some libraries need one. It leads nowhere."""
    import fcntl
    import socket

    set_flags, up_and_running = 0x8914, 0x41
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", b"lo", up_and_running))


# ---- files ------------------------------------------------------------------------------------------------------------

_READING = 0b1101  # execute, read file, read folder
_CREATE_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446
_ALL_OF_VERSION = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 5: 0xFFFF}
_OF_FILES = 0xC007  # execute, write, read, truncate, device calls
_SCOPED = 0b11  # no abstract sockets and no signals beyond the box


FULL_LANDLOCK = 6
"""The first Landlock version that also limits signals and abstract sockets."""


def landlock_version() -> int:
    """The kernel's version of Landlock; 0 if it does not have Landlock."""
    return max(0, _libc().syscall(_CREATE_RULESET, None, 0, 1))


def limit_files(readable: Sequence[str], writable: Sequence[str]) -> None:
    """Allow reading only of these folders, and writing only to `writable` ones (Landlock)."""
    version = landlock_version()
    rights = _ALL_OF_VERSION[max(each for each in _ALL_OF_VERSION if each <= version)]
    scoped = _SCOPED if version >= FULL_LANDLOCK else 0
    attributes = struct.pack("QQQ", rights, 0, scoped)[: 24 if scoped else 8]
    ruleset = _libc().syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "files cannot be limited")
    for allowed, folders in ((_READING, readable), (rights, writable)):
        for folder in filter(os.path.exists, folders):
            number = os.open(folder, os.O_PATH)
            kinds = rights if os.path.isdir(folder) else rights & _OF_FILES
            rule = struct.pack("=Qi", allowed & kinds, number)
            _call("syscall", _ADD_RULE, ruleset, 1, rule, 0, what=f"{folder} cannot be allowed")
            os.close(number)
    _prctl(_NO_NEW_PRIVILEGES, 1, what="no_new_privs was refused")
    _call("syscall", _RESTRICT, ruleset, 0, what="files cannot be limited")
    os.close(ruleset)


# ---- rights and limits ------------------------------------------------------------------------------------------------


def bound_resources(limits: Mapping[str, int]) -> None:
    """Set each limit by its name in `resource`, hard and soft. Never raises a limit."""
    for name, most in limits.items():
        number = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(number)[1]
        lower = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(number, (lower, lower))


def lock_capabilities() -> None:
    """From the next exec on, user 0 and programs do not get capabilities. Needs CAP_SETPCAP."""
    _prctl(_SET_SECUREBITS, _NO_ROOT, what="the rights of user 0 could not be locked")


def become(uid: int) -> None:
    """Change to another user permanently, with only a group of its own."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def drop_capabilities() -> None:
    """Drop all capabilities permanently; programs that are started do not get them back."""
    for capability in range(64):
        _prctl(_DROP_BOUND, capability)  # fails for capabilities that this kernel does not have
    version_3_of_this_process = (ctypes.c_uint32 * 2)(0x20080522, 0)
    none = (ctypes.c_uint32 * 6)()
    _call("capset", version_3_of_this_process, none, what="capabilities could not be dropped")
    _prctl(_AMBIENT, _CLEAR_ALL)
    _prctl(_NO_NEW_PRIVILEGES, 1, what="no_new_privs was refused")


def filter_system_calls(families: Collection[int]) -> bool:
    """Allow only the system calls of syscalls.py and sockets of `families`. Returns False on unsupported processors."""
    program = _program(frozenset(families))
    if program is not None:
        syscalls.install(program)
    return program is not None


@functools.cache
def _program(families: frozenset[int]) -> bytes | None:
    return syscalls.filter_program(os.uname().machine, families, families == frozenset(ALONE))


def prepare() -> None:
    """Compute what does not depend on the box, once for all boxes that are forked later."""
    for families in (ALONE, IN_A_NAMESPACE):
        _program(frozenset(families))
    _libc()


# ---- memory and parents -----------------------------------------------------------------------------------------------


def hide_memory() -> None:
    """Prevent other processes of this user from reading this one's memory or taking its files."""
    _prctl(_SET_DUMPABLE, 0)


def show_memory() -> None:
    """Allow the current user to read this process's memory and /proc files, as after an exec."""
    _prctl(_SET_DUMPABLE, 1)


def end_with_parent(parent: int) -> None:
    """Be killed when the process `parent` ends (0: it does not have an id here). Changing the user undoes this."""
    _prctl(_SET_PARENT_DEATH, _SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent has ended."""
    _prctl(_SET_SUBREAPER, 1)
