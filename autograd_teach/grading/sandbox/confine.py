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
_READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, BIND, RECURSIVE, _MADE_PRIVATE = 1, 2, 4, 8, 0x1000, 0x4000, 0x40000
_PIVOT_ROOT, _MOUNT_SETATTR = {"x86_64": 155, "aarch64": 41}, 442
_HERE, _AT_RECURSIVE, _DETACH = -100, 0x8000, 2
_SET_PARENT_DEATH, _SET_DUMPABLE, _DROP_BOUND, _SET_SECUREBITS = 1, 4, 24, 28
_SET_SUBREAPER, _NO_NEW_PRIVILEGES, _AMBIENT, _CLEAR_ALL = 36, 38, 47, 4
_NO_ROOT = 0b1100_1111
_SIGKILL = 9

RIGHTS = {
    "CHOWN": 0, "DAC_OVERRIDE": 1, "KILL": 5, "SETGID": 6, "SETUID": 7, "SETPCAP": 8, "NET_ADMIN": 12, "SYS_ADMIN": 21,
    "SETFCAP": 31,
}  # fmt: skip
"""Capabilities that a forkserver in namespaces needs to make boxes, with their numbers; boxes do not keep them."""

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


def mount(source: str, at: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Call mount. Raises OSError."""
    words = (os.fsencode(each) or None for each in (source, at, kind))
    _call("mount", *words, flags, options.encode() or None, what=f"{at} cannot be mounted")


def protect(at: str, flags: int, *, below: bool = True) -> None:
    """Make the mount `at`, and those `below` it, read-only, and add `flags`. No other flag changes."""
    attributes = struct.pack("4Q", _READ_ONLY | flags, 0, 0, 0)  # these flags have the same values as in mount
    asked = (_HERE, os.fsencode(at), _AT_RECURSIVE if below else 0, attributes, len(attributes))
    _call("syscall", _MOUNT_SETATTR, *asked, what=f"{at} stays open")


def pivot_root(new: str, old: str) -> None:
    """Make the mount `new` the root; the present one is then seen at `old`."""
    number = _PIVOT_ROOT[os.uname().machine]
    _call("syscall", number, os.fsencode(new), os.fsencode(old), what="no root of its own")


def forget(at: str) -> None:
    """Unmount `at` with everything below it."""
    _call("umount2", os.fsencode(at), _DETACH, what=f"{at} stays mounted")


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
        _call("unshare", flags, what="this system allows no new namespaces")
    mount("none", "/", flags=RECURSIVE | _MADE_PRIVATE)


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


def private_folders(size: int, files: int, kept: Sequence[str], links: Mapping[str, str]) -> None:
    """Mount an empty /tmp and /dev/shm of at most `size` bytes and `files` files over the shared ones, and terminals.

    kept: folders (Python's own) that are mounted again, read-only, if they lie in one of these; links: symbolic links that
    are made again there.
    """
    tops = tuple(f"{folder}/" for folder in PRIVATE)
    opened = {path: os.open(path, os.O_PATH) for path in kept if path.startswith(tops)}
    for folder in PRIVATE:
        mount("none", folder, "tmpfs", NO_SUID | NO_DEVICES, f"size={size},nr_inodes={files},mode=1777")
    mount_terminals()
    for path, number in opened.items():
        _make_folders(Path(path))
        mount(f"/proc/self/fd/{number}", path, flags=BIND | RECURSIVE)
        protect(path, NO_SUID | NO_DEVICES)
        os.close(number)
    for link, target in links.items():
        if link.startswith(tops):
            _make_folders(Path(link).parent)
            os.symlink(target, link)


def _make_folders(path: Path) -> None:
    for folder in reversed([path, *path.parents]):
        if not folder.exists():
            folder.mkdir()
            folder.chmod(0o755)


def mount_processes() -> None:
    """In the first process of a new namespace: mount a /proc that shows only the box. The parent keeps its own /proc."""
    _call("unshare", _CLONE["mount"], what="no mounts of its own")
    mount_proc()


def mount_proc(cover: bool = True) -> None:
    """Mount a /proc of this process's namespace; with `cover`, the machine's settings in it are read-only."""
    flags = NO_SUID | NO_DEVICES | NO_EXEC
    mount("proc", "/proc", "proc", flags)
    for name in filter(os.path.exists, _SETTINGS if cover else ()):  # user 0 owns them and does not need capabilities
        mount(name, name, flags=BIND | RECURSIVE)
        protect(name, flags)


def mount_terminals() -> None:
    """Mount new terminals. Boxes that shared terminals could talk to each other."""
    mount("devpts", "/dev/pts", "devpts", NO_SUID | NO_EXEC, "newinstance,ptmxmode=0666,mode=620")


def raise_loopback() -> None:
    """Start the loopback of the network namespace, because some libraries need one. It leads nowhere."""
    import fcntl
    import socket

    set_flags, up_and_running = 0x8914, 0x41
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", b"lo", up_and_running))


# ---- files ------------------------------------------------------------------------------------------------------------

_READING = 0b1101  # execute, read file, read folder
_LISTING = 0b1000
_CREATE_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446
_ALL_OF_VERSION = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 5: 0xFFFF}
_OF_FILES = 0xC007  # execute, write, read, truncate, device calls
_SCOPED = 0b11  # no abstract sockets and no signals beyond the box


FULL_LANDLOCK = 6
"""The first Landlock version that also limits signals and abstract sockets."""


def landlock_version() -> int:
    """The kernel's version of Landlock; 0 if it does not have Landlock."""
    return max(0, _libc().syscall(_CREATE_RULESET, None, 0, 1))


def limit_files(readable: Sequence[str], writable: Sequence[str], listed: Sequence[str] = ()) -> None:
    """Allow reading only of these files and folders, and writing only to `writable` ones (Landlock). Of `listed` folders,
    and of all below, only the names can be read. This process can then not look into processes without the same limits."""
    version = landlock_version()
    rights = _ALL_OF_VERSION[max(each for each in _ALL_OF_VERSION if each <= version)]
    scoped = _SCOPED if version >= FULL_LANDLOCK else 0
    attributes = struct.pack("QQQ", rights, 0, scoped)[: 24 if scoped else 8]
    ruleset = _libc().syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "files cannot be limited")
    for allowed, folders in ((_READING, readable), (rights, writable), (_LISTING, listed)):
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


def drop_capabilities(kept: Collection[int] = ()) -> None:
    """Drop all capabilities but the `kept` ones permanently; programs that are started do not get them back."""
    for capability in range(64):
        if capability not in kept:
            _prctl(_DROP_BOUND, capability)  # fails for capabilities that this kernel does not have
    version_3_of_this_process = (ctypes.c_uint32 * 2)(0x20080522, 0)
    left = sum(1 << capability for capability in kept)
    effective_permitted_inheritable = (ctypes.c_uint32 * 6)(left, left, 0, 0, 0, 0)
    _call("capset", version_3_of_this_process, effective_permitted_inheritable, what="capabilities stay")
    _prctl(_AMBIENT, _CLEAR_ALL)
    _prctl(_NO_NEW_PRIVILEGES, 1, what="no_new_privs was refused")


@functools.cache
def has_right(name: str) -> bool:
    """Whether this process has the capability `name`, one of `RIGHTS`."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("CapEff:"):
                return bool(int(line.split()[1], 16) >> RIGHTS[name] & 1)
    return False


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
