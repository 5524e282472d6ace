"""The kinds of isolation between a student's code and this machine, and what each of them shows to a box.

    bubblewrap  namespaces: the box sees the system and Python read-only, its own processes, an empty /tmp of bounded size,
                no network; nothing else of this machine exists for it
    namespaces  the same, made by enclose.py where bubblewrap is not installed or does not work
    user        if namespaces cannot be made and the grader is root: an unprivileged user id used only for this box
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
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from . import confine, syscalls
from .enclose import Mount

_PACKAGE = Path(__file__).resolve().parents[2]
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SOURCES = ("/usr/src", "/usr/local/src")
"""Folders of the system that may hold a class or a copy of this repository, as in Python's own containers."""

_PARTS = ("bin", "lib", "pyvenv.cfg", "share")
"""What Python needs of the folder that it is installed in, if the rest of that folder is hidden."""

_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "fonts")
"""Files in /etc that programs need to start, the time zone, and fonts for plots. No passwords, hosts or keys."""

_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
"""Other devices belong to the machine: disks, shared memory, the grader's terminal."""

_OF_THE_MACHINE = ("cpuinfo", "meminfo", "stat", "version", "filesystems", "loadavg", "uptime", "sys")
_OF_ITSELF = ("cmdline", "fd", "fdinfo", "limits", "maps", "stat", "statm", "status")
"""What a box without namespaces may read in /proc, and in /proc/self of its first process. The rest shows other processes:
their command lines, their sockets."""

_LARGEST_TMP = 256_000_000
"""Bytes; a box that can mount its own /tmp has its own limit instead."""

_MOST_STEPS = 1000
"""Steps after which a path with links in a circle is given up."""


class Isolation(StrEnum):
    """The kind of isolation between a student's program and this machine."""

    BUBBLEWRAP = "bubblewrap"
    NAMESPACES = "namespaces"
    USER = "user"
    PROCESS = "process"

    @property
    def is_sandbox(self) -> bool:
        """Whether it prevents reading of solutions and other submissions."""
        return self is not Isolation.PROCESS

    @property
    def is_private(self) -> bool:
        """Whether boxes are in namespaces: what they are not shown does not exist for them."""
        return self in (Isolation.BUBBLEWRAP, Isolation.NAMESPACES)


def described(kind: Isolation, missing: Sequence[str]) -> str:
    """
    >>> described(Isolation.USER, ["no cgroup"])
    'user (no cgroup)'
    """
    return f"{kind} ({', '.join(missing)})" if missing else kind.value


def bubblewrapped(command: Sequence[str], view: Sequence[Mount]) -> list[str]:
    """`command`, a forkserver, run by bubblewrap with `view` and the capabilities that it needs to make boxes."""
    # Under root, boxes get real user ids. Otherwise a box is user 0 in name only: another user could not mount anything.
    kinds = [] if gives_user_ids(Isolation.BUBBLEWRAP) else ["--unshare-user", "--uid", "0", "--gid", "0"]
    arguments = [shutil.which("bwrap") or "bwrap", *kinds]
    arguments += [f"--unshare-{name}" for name in ("ipc", "pid", "net", "uts")]
    arguments += ["--hostname", "sandbox", "--new-session"]
    for mount in view:
        arguments += mount.as_argument()
    arguments += ["--remount-ro", "/", "--cap-drop", "ALL"]
    for name in confine.RIGHTS:
        arguments += ["--cap-add", f"CAP_{name}"]
    return [*arguments, "--", *command]


def readable_in_a_box(hidden: Sequence[Path]) -> tuple[list[str], list[str]]:
    """The paths that a box without namespaces may read, and the folders of which it may read only the list of names.

    The latter have something `hidden` below them: Python must list them to import what lies beside it.
    """
    importable = [Path(each).resolve() for each in sys.path if each]
    closed = {path.resolve() for path in (*hidden, *map(Path, _SOURCES))}
    left = [path.resolve() for path in (*map(Path, _SYSTEM), *_shown(hidden)) if path.exists()]
    readable = [*_DEVICES, *(f"/etc/{name}" for name in _SETTINGS)]
    readable += [f"/proc/{name}" for name in _OF_THE_MACHINE] + [f"/proc/self/{name}" for name in _OF_ITSELF]
    listed = []
    while left:
        path = left.pop()
        if not any(_is_under(each, path) for each in closed):
            readable.append(str(path))
        elif path not in closed:
            listed += [str(path)] * _is_under(path, *importable)
            left += [child for child in path.iterdir() if not child.is_symlink()]  # a rule would be for its target
    return readable, listed


def limits_files() -> bool:
    """Whether boxes without namespaces can read only the system and Python (Landlock)."""
    return confine.landlock_version() > 0


def filters_calls() -> bool:
    """Whether system calls, including those for the network, are filtered on this processor."""
    return syscalls.filter_program(os.uname().machine, confine.ALONE) is not None


def readable_by_anyone(paths: Sequence[Path]) -> list[Path]:
    """Those of `paths` that every user of this machine can read: `user` does not protect them without Landlock."""
    return [path for path in map(Path.resolve, paths) if _anyone_gets_to(path)]


def copies(folder: Path) -> list[Path]:
    """`folder`, a part of this package, and the same part of every other installed copy that a box could read."""
    inside = folder.relative_to(_PACKAGE.parent)
    roots = [Path("/usr"), Path("/usr/local"), *python_paths()]
    compiled = [Path(sys.pycache_prefix, *folder.parts[1:])] if sys.pycache_prefix else []
    return [folder, *compiled, *(at for root in roots for at in root.glob(f"lib*/python*/*-packages/{inside}"))]


@functools.cache
def python_paths() -> list[Path]:
    """Files and folders that the running Python and this package need to start, except the system's. Without links."""
    outside = {path for path in map(Path.resolve, _wanted()) if path.exists() and not _is_of_the_system(path)}
    return sorted(path for path in outside if not _is_under(path, *(outside - {path})))


@functools.cache
def python_links() -> dict[str, str]:
    """Each symbolic link outside of `python_paths` by which they or Python's program are reached, and where it leads."""
    links = {link: target for path in (Path(sys.executable), *_wanted()) for link, target in _links(path)}
    kept = (link for link in links if not _is_of_the_system(link) and not _is_under(link, *python_paths()))
    return {str(link): links[link] for link in kept}


def _wanted() -> list[Path]:
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    libraries = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))
    return [*(Path(os.path.abspath(name)) for name in (*prefixes, *libraries)), _PACKAGE]


def _links(path: Path) -> Iterator[tuple[Path, str]]:
    """Each symbolic link on the way to `path`, also among its folders, and where it leads in the end."""
    at, left = Path("/"), [*reversed(path.parts[1:])]
    for _ in range(_MOST_STEPS):
        if not left:
            return
        step = at / left.pop()
        if step.name == "..":
            at = at.parent
        elif step.is_symlink():
            target = os.readlink(step)
            yield step, os.path.realpath(step)
            at = Path("/") if os.path.isabs(target) else at
            left += [part for part in reversed(Path(target).parts) if part != "/"]
        else:
            at = step


def view(hidden: Sequence[Path]) -> list[Mount]:
    """What boxes in namespaces see of this machine, read-only. `hidden` files and folders are empty there."""
    mounts: list[Mount] = []
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            mounts.append(Mount("link", name, os.readlink(path)))
        elif path.exists():
            mounts.append(Mount("bind", name, name))
    sources = [name for name in _SOURCES if os.path.isdir(name) and not os.path.islink(name)]
    mounts += [Mount("tmpfs", name) for name in sources]
    settings = [Path("/etc", name) for name in _SETTINGS]
    mounts += [Mount("bind", str(path), str(path.resolve())) for path in settings if path.exists()]
    mounts += [Mount("proc", "/proc"), Mount("dev", "/dev")]
    mounts += [Mount("tmpfs", name, mode=0o1777, size=_LARGEST_TMP) for name in confine.PRIVATE]
    mounts += [Mount("folder", "/var"), Mount("link", "/var/tmp", "/tmp")]
    readable = _shown(hidden)
    folders = [*readable, *map(Path, python_links())]
    # Made one by one, because bubblewrap would make those above a mount readable for root only.
    above = dict.fromkeys(str(folder) for path in folders for folder in reversed(path.parents[:-1]))
    mounts += [Mount("folder", folder) for folder in above]
    mounts += [Mount("bind", str(path), str(path)) for path in readable]
    mounts += [Mount("link", link, target) for link, target in python_links().items()]
    for path in map(Path.resolve, hidden):
        if _is_under(path, *readable, *map(Path, _SYSTEM)) and not any(_is_under(each, path) for each in readable):
            if path.is_dir():
                mounts += [Mount("tmpfs", str(path), mode=0), Mount("seal", str(path))]
            elif path.exists():
                mounts.append(Mount("bind", str(path), "/dev/null"))
    return [*mounts, *(Mount("seal", name) for name in (*sources, "/dev"))]


def _shown(hidden: Sequence[Path]) -> list[Path]:
    """`python_paths`; of a hidden one, such as a folder of grades with an environment made right in it, only parts."""
    closed = {path.resolve() for path in hidden}
    parts = [path / name for path in python_paths() if path in closed for name in _PARTS]
    return [path for path in python_paths() if path not in closed] + [path for path in parts if path.exists()]


def _is_of_the_system(path: Path) -> bool:
    return _is_under(path, *map(Path, _SYSTEM)) and not _is_under(path, *map(Path, _SOURCES))


def _is_under(path: Path, *folders: Path) -> bool:
    return any(path == folder or folder in path.parents for folder in folders)


# ---- user ids ---------------------------------------------------------------------------------------------------------


def new_uid(kind: Isolation) -> int | None:
    """An unused user id for one box: without a password entry, and very unlikely to be another box's.

    None if the grader cannot or must not change user ids.
    """
    if not gives_user_ids(kind):
        return None
    import pwd

    known = {entry.pw_uid for entry in pwd.getpwall()}
    return next(uid for uid in iter(lambda: secrets.choice(_uids()), None) if uid not in known)


def gives_user_ids(kind: Isolation) -> bool:
    """Whether the grader gives each box of this kind a user id of its own: as root, if there are enough of them. In the
    user namespace that namespaces need without CAP_SYS_ADMIN there is only one."""
    if kind is Isolation.PROCESS or not hasattr(os, "geteuid") or os.geteuid() != 0 or len(_uids()) <= 1000:
        return False
    return not kind.is_private or confine.has_right("SYS_ADMIN")


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


def closed_to_others() -> Path | None:
    """The first folder on the way to Python or to this package that other users cannot enter."""
    folders = (folder for path in (*python_paths(), Path(sys.executable)) for folder in (*reversed(path.parents), path))
    return next((folder for folder in folders if folder.is_dir() and not _anyone_enters(folder)), None)


def _anyone_enters(folder: Path) -> bool:
    return bool(folder.stat().st_mode & 0o001)


def _anyone_gets_to(path: Path) -> bool:
    """Whether every user may enter all folders above `path`, and read or enter `path`."""
    try:
        may_read = path.stat().st_mode & (0o005 if path.is_dir() else 0o004)
        return bool(may_read) and all(map(_anyone_enters, path.parents))
    except OSError:
        return False
