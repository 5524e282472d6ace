"""A fence around a program that a student wrote: what this machine can offer, how to start in it, how to end it.

Three kinds, best first (`Isolation`):

    bubblewrap  namespaces of its own: it sees the system and the Python environment read-only, an empty /tmp and home of
                bounded size, its own processes only, no network; nothing else of this machine exists for it
    user        where bubblewrap does not work and the grader is root: an unprivileged user id made up for this one
                program, which reads what everybody may read, and can write to its own folder only
    process     limits and a process group; the grader's own user, with all that this user may do

In all three: limits on address space, processor time, the size of a file, open files and processes, no core dumps, no
regaining of rights. The limit on processes counts those of one user id, and root's are not counted at all: so a grader
that is root gives every program a user id of its own, and under bubblewrap anyone else's counts in a user namespace of
its own. Only in `process` nothing limits their number, since those of the grader's user would count.

May use psutil. Must not know notebooks, students or points.
"""

import contextlib
import functools
import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import psutil

from .wardens import LONGEST_END

HOME, WORK = Path("/tmp/home"), Path("/tmp/work")
"""Inside bubblewrap: the only places to write to, in one tmpfs that vanishes with the sandbox."""

_PACKAGE = Path(__file__).resolve().parent.parent
_CONFINE = Path(__file__).resolve().with_name("confine.py")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "fonts")
"""Of /etc: what programs need in order to start, the time zone, and fonts for plots. No passwords, hosts or keys."""

LONGEST_START = 60.0
"""Seconds within which bubblewrap has begun, on the busiest machine."""


class Isolation(StrEnum):
    """What stands between a student's program and this machine."""

    BUBBLEWRAP = "bubblewrap"
    USER = "user"
    PROCESS = "process"

    @property
    def is_sandbox(self) -> bool:
        """Whether it keeps solutions and other submissions from being read."""
        return self is not Isolation.PROCESS


@dataclass(frozen=True)
class Bounds:
    """The most that one program may use: bytes, seconds, numbers."""

    memory: int = 4_000_000_000  # address space of each process
    cpu: int = 600  # processor seconds of each process
    file: int = 64_000_000  # one file
    disk: int = 256_000_000  # all its files (bubblewrap)
    files: int = 20_000  # all its files (bubblewrap)
    open_files: int = 512
    processes: int = 128  # and threads


@dataclass(frozen=True)
class Wrapped:
    """A program as it is started in its sandbox. `start` starts it; `end` takes it and these."""

    isolation: Isolation
    command: tuple[str, ...]
    environment: Mapping[str, str]  # of what `command` starts first; the program's own is within `command`
    directory: Path  # where to start it
    work: Path  # the program's working directory, as the program sees it
    uid: int | None = None  # its user id, where that is another than the grader's


def available() -> Isolation:
    """The best isolation that works here, found by running Python in it. Asked once.

    >>> available() in Isolation
    True
    """
    return _probed()[0]


def why() -> str:
    """Why nothing better than `available()` works here; "" where there is nothing better."""
    return _probed()[1]


def wrap(
    command: Sequence[str],
    *,
    work: Path,
    readable: Sequence[Path] = (),
    limits: Bounds,
    environment: Mapping[str, str],
    hidden: Sequence[Path] = (),
    isolation: Isolation | None = None,
) -> Wrapped:
    """`command` as it is to be started in a sandbox, with `environment` and no other variable.

    `work` is an empty folder of the caller's. Under bubblewrap the program does not see it: it works in an empty tmpfs
    (`Wrapped.work`), so that nothing that it writes reaches a disk. Elsewhere it is the one folder that it can write to
    (`user`), or is started in (`process`). `readable` are files and folders that it may read besides the system, Python
    and this package; `hidden` are files and folders that it must not, even if they lie in one of those (bubblewrap only: elsewhere
    `readable_by_anyone` tells whether they are safe).
    """
    isolation = isolation or available()
    if isolation is Isolation.BUBBLEWRAP:
        return _bubblewrap(command, work, readable, hidden, limits, environment)
    uid = None
    if isolation is Isolation.USER:
        uid = _new_uid()
        os.chown(work, uid, uid)
        work.chmod(0o700)
    own = {name: str(work) for name in ("HOME", "TMPDIR") if name not in environment}
    asked = _confinement(limits, uid, work, isolation)
    return Wrapped(isolation, (*_confine(asked), *command), {**environment, **own}, work, work, uid)


def own_uid() -> int | None:
    """A user id for one program under bubblewrap; None where it gets a user namespace of its own instead."""
    return _new_uid() if _can_change_user() else None


def variables_inside(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` and what a program under bubblewrap needs besides."""
    places = {"HOME": HOME, "TMPDIR": Path("/tmp"), "TMP": Path("/tmp"), "TEMP": Path("/tmp"), "MPLCONFIGDIR": HOME}
    names = {"USER": "student", "LOGNAME": "student"}  # there are no passwords to look these up in
    return {"PATH": "/usr/bin:/bin", **names, **environment, **{name: str(path) for name, path in places.items()}}


def forking(command: Sequence[str], *, hidden: Sequence[Path] = ()) -> tuple[str, ...]:
    """`command` under bubblewrap, with the view of this machine that students' programs have and the rights that it needs
    to confine each process that it forks: for a program of ours (oracle/server.py) in which no student's code runs."""
    own_user = _can_change_user()
    kinds = _namespaces(0) if own_user else ["--unshare-all", "--unshare-user", "--uid", "0", "--gid", "0"]
    arguments = ["bwrap", *kinds, "--die-with-parent", "--new-session", *_mounts(python_paths(), hidden)]
    arguments += ["--cap-drop", "ALL"] if own_user else []
    rights = ["SYS_ADMIN", "SETUID", "SETGID", "SETPCAP", "CHOWN", "KILL", "DAC_OVERRIDE", "NET_ADMIN"]
    rights += [] if own_user else ["SETFCAP"]  # or the system refuses it user namespaces in which there is a user 0
    for name in rights:
        arguments += ["--cap-add", f"CAP_{name}"]
    return (*arguments, "--", *command)


class Program(subprocess.Popen[bytes]):
    """A program that was started in a sandbox, or without one."""

    first: int | None = None
    """A file (pidfd) that stands for the first process of the program's namespace, if it has a namespace of its own. All
    others end with that process, and it is gone only when they are."""


def popen(command: Sequence[str], **options: Any) -> Program:
    """Start `command`, with `options` for Popen; it may be one that `wrap` or `forking` has made for bubblewrap."""
    in_namespace = Path(command[0]).name == "bwrap"
    return _start_namespace(command, options) if in_namespace else Program(command, **options)


def stop(process: Program) -> None:
    """End it, and all others of its namespace if it has one; they are gone when this returns.

    Bubblewrap's outer process, which is `process`, leaves when the program has ended, before the others are gone: neither
    its end nor what it has for children tells of them. Its namespace's first process does.
    """
    first, process.first = process.first, None
    if first is not None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(first, signal.SIGKILL)
        select.select([first], [], [], LONGEST_END)
    process.kill()
    process.wait()
    if first is not None:
        with contextlib.suppress(ChildProcessError):  # an orphan, of which this process may be the parent by now
            os.waitid(os.P_PIDFD, first, os.WEXITED | os.WNOHANG)
        os.close(first)


def start(wrapped: Wrapped, **options: Any) -> Program:
    """Start it, with `options` for Popen. It ends with the thread that started it: let that one live until `end`."""
    given = {"env": dict(wrapped.environment), "cwd": wrapped.directory, "start_new_session": True}
    return popen(wrapped.command, **given, **options)


def end(process: Program, wrapped: Wrapped) -> None:
    """End it and everything it started; no process, mount or folder of the sandbox is left when this returns."""
    if wrapped.isolation is Isolation.BUBBLEWRAP:
        stop(process)
    else:
        _end_group(process)
    sweep(wrapped)


def sweep(wrapped: Wrapped) -> None:
    """End whatever runs under the user id that was made up for this program, whoever started it."""
    if wrapped.uid is not None and (wrapped.isolation is Isolation.USER or any(_processes_of(wrapped.uid))):
        _end_user(wrapped.uid)


def end_descendants(pid: int) -> None:
    """Kill all that `pid` started, directly or not, and what that starts meanwhile; none is left when this returns."""
    deadline = time.monotonic() + LONGEST_END
    while time.monotonic() < deadline:
        running = [process for process in _children(pid, deep=True) if _is_running(process)]
        if not running:
            break
        _kill(running)
        psutil.wait_procs(running, timeout=0.1)


def end_all(processes: Sequence[psutil.Process]) -> None:
    """Kill those of `processes` that are left, and wait until they are gone."""
    _kill(processes)
    _wait_until_gone(processes, LONGEST_END)


def readable_by_anyone(paths: Sequence[Path]) -> list[Path]:
    """Which of `paths` a stranger on this machine could look into: what `user` does not protect."""
    return [path for path in map(Path.resolve, paths) if _anyone_gets_to(path)]


def python_paths() -> list[Path]:
    """Files and folders without which the running Python and this package do not start, less what the system has."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    libraries = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))
    wanted = [Path(name) for name in (*prefixes, *libraries)] + [_PACKAGE]
    wanted += [path.resolve() for path in wanted]
    outside = {path for path in wanted if path.exists() and not _is_under(path, *map(Path, _SYSTEM))}
    return sorted(path for path in outside if not _is_under(path, *(outside - {path})))


# ---------------------------------------------------------------------------------------------- building the command


def _bubblewrap(
    command: Sequence[str],
    work: Path,
    readable: Sequence[Path],
    hidden: Sequence[Path],
    limits: Bounds,
    environment: Mapping[str, str],
) -> Wrapped:
    uid = own_uid()
    arguments = [
        shutil.which("bwrap") or "bwrap",
        *_namespaces(uid),
        "--die-with-parent",
        "--new-session",
        "--clearenv",
    ]
    for name, value in variables_inside(environment).items():
        arguments += ["--setenv", name, value]
    arguments += _mounts([*python_paths(), *readable], hidden)
    # To bound the tmpfs and to change the user; confine.py gives all of it up.
    arguments += ["--cap-drop", "ALL"]
    for capability in ("SYS_ADMIN", "SETPCAP", "SETUID", "SETGID"):
        arguments += ["--cap-add", f"CAP_{capability}"]
    asked = _confinement(limits, uid, WORK, Isolation.BUBBLEWRAP)
    whole = (*arguments, "--", *_confine(asked), *command)
    return Wrapped(Isolation.BUBBLEWRAP, whole, {}, work, WORK, uid)


def _namespaces(uid: int | None) -> list[str]:
    """All of them; but where the program gets a user id of its own, no user namespace, which would map it to root's."""
    if uid is None:
        # User 0 by name only: any other would be in a user namespace below that of the mounts, and could not bound /tmp.
        return ["--unshare-all", "--unshare-user", "--uid", "0", "--gid", "0", "--hostname", "sandbox"]
    kinds = ("ipc", "pid", "net", "uts", "cgroup-try")
    return [*(f"--unshare-{kind}" for kind in kinds), "--hostname", "sandbox"]


def _mounts(readable: Sequence[Path], hidden: Sequence[Path]) -> list[str]:
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
    for name in ("/tmp", "/dev/shm"):
        arguments += ["--perms", "1777", "--tmpfs", name]
    for path in readable:
        for folder in reversed(path.parents[:-1]):  # bubblewrap's own would be closed to all but root
            arguments += ["--perms", "0755", "--dir", str(folder)]
        arguments += ["--ro-bind", str(path), str(path)]
    visible = [Path(name) for name in _SYSTEM] + [path.resolve() for path in readable]
    for path in map(Path.resolve, hidden):
        if not _is_under(path, *visible):
            continue
        if path.is_dir():
            arguments += ["--perms", "0000", "--tmpfs", str(path), "--remount-ro", str(path)]
        elif path.exists():
            arguments += ["--ro-bind", "/dev/null", str(path)]
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/"]


def _confinement(limits: Bounds, uid: int | None, work: Path, isolation: Isolation) -> dict[str, Any]:
    """What confine.py is asked to do."""
    bounded = {
        "AS": limits.memory,
        "CPU": limits.cpu,
        "FSIZE": limits.file,
        "NOFILE": limits.open_files,
        "CORE": 0,
        "NPROC": limits.processes,
    }
    tmpfs: list[tuple[str, int, int]] = []
    folders: list[str] = []
    if isolation is Isolation.BUBBLEWRAP:
        tmpfs = [(name, limits.disk, limits.files) for name in ("/tmp", "/dev/shm")]
        folders = [str(HOME), str(WORK)]
    if isolation is Isolation.PROCESS:
        del bounded["NPROC"]
    return {
        "tmpfs": tmpfs,
        "limits": bounded,
        "uid": uid,
        "folders": folders,
        "work": str(work),
        "filtered": isolation.is_sandbox,
        "dies_with_parent": isolation is not Isolation.BUBBLEWRAP,
    }


def _confine(asked: dict[str, Any]) -> list[str]:
    return [sys.executable, "-I", "-S", str(_CONFINE), json.dumps(asked)]


def _is_under(path: Path, *folders: Path) -> bool:
    return any(path == folder or folder in path.parents for folder in folders)


# ------------------------------------------------------------------------------------------------------- user ids


def _can_change_user() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 and len(_uids()) > 1000


def _new_uid() -> int:
    """A user id that nobody has: not in the passwords, and not given to another program but by a rare chance."""
    import pwd  # not on Windows

    known = {entry.pw_uid for entry in pwd.getpwall()}
    while True:
        uid = secrets.choice(_uids())
        if uid not in known:
            return uid


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


# -------------------------------------------------------------------------------------------------------- starting


def _start_namespace(command: Sequence[str], options: Mapping[str, Any]) -> Program:
    """Start bubblewrap, which lets the program begin once `Program.first` stands for the first process of its namespace."""
    told, tells = os.pipe()
    waits, begin = os.pipe()
    bwrap, *rest = command
    asked = [bwrap, "--info-fd", str(tells), "--block-fd", str(waits), *rest]
    try:
        try:
            process = Program(asked, pass_fds=(tells, waits), **options)
        finally:
            _close(tells, waits)
        try:
            process.first = _first_process(told)
        except BaseException:
            process.kill()
            process.wait()
            raise
    finally:
        _close(told, begin)
    return process


def _first_process(told: int) -> int | None:
    """Opens what stands for the process of which bubblewrap tells; None if it ends before it has made a namespace."""
    text = b""
    while b"}" not in text:
        if not select.select([told], [], [], LONGEST_START)[0] or not (more := os.read(told, 4096)):
            return None
        text += more
    try:
        return os.pidfd_open(json.loads(text)["child-pid"])
    except ProcessLookupError:
        return None


def _close(*files: int) -> None:
    for each in files:
        os.close(each)


# --------------------------------------------------------------------------------------------------------- ending


def _end_group(process: Program) -> None:
    """It, its descendants and its process group."""
    end_descendants(process.pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _end_user(uid: int) -> None:
    """Everything that this user id runs, in one stroke: one by one they could multiply faster, or be born while we look."""
    program = f"import os; os.setresgid({uid}, {uid}, {uid}); os.setresuid({uid}, {uid}, {uid}); os.kill(-1, 9)"
    deadline = time.monotonic() + LONGEST_END
    while time.monotonic() < deadline:
        subprocess.run([sys.executable, "-I", "-S", "-c", program], check=False, stderr=subprocess.DEVNULL)
        left = list(_processes_of(uid))
        if not left:
            return
        _wait_until_gone(left, 0.5)


def _processes_of(uid: int) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if uid in process.uids() and _is_running(process):
                yield process


def _kill(processes: Sequence[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()


def _children(pid: int, *, deep: bool = False) -> list[psutil.Process]:
    try:
        return list(psutil.Process(pid).children(recursive=deep))
    except psutil.Error:
        return []


def _is_running(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _wait_until_gone(processes: Sequence[psutil.Process], seconds: float) -> None:
    """Wait for processes that need not be our own children; those that are, as adopted orphans, are buried here."""
    deadline = time.monotonic() + seconds
    for process in processes:
        while _is_running(process) and time.monotonic() < deadline:
            time.sleep(0.002)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process.pid, os.WNOHANG)


# -------------------------------------------------------------------------------------------------------- probing


@functools.cache
def _probed() -> tuple[Isolation, str]:
    reasons: list[str] = []
    for isolation in (Isolation.BUBBLEWRAP, Isolation.USER):
        problem = _problem_with(isolation)
        if not problem:
            return isolation, "; ".join(reasons)
        reasons.append(f"{isolation}: {problem}")
    return Isolation.PROCESS, "; ".join(reasons)


def _problem_with(isolation: Isolation) -> str:
    """Why `isolation` does not work here, found by running Python with NumPy in it; "" where it does."""
    if sys.platform != "linux":
        return "needs Linux"
    if isolation is Isolation.BUBBLEWRAP and not shutil.which("bwrap"):
        return "bwrap is not installed"
    if isolation is Isolation.USER and not _can_change_user():
        return "the grader is not root"
    work = Path(os.path.realpath(_scratch()))
    try:
        work.parent.chmod(0o711)
        program = [sys.executable, "-I", "-c", "import numpy; print('works')"]
        wrapped = wrap(program, work=work, limits=Bounds(), environment={}, isolation=isolation)
        process = start(wrapped, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            said, complaint = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            return "Python did not start in it within a minute"
        finally:
            end(process, wrapped)
        return "" if said == b"works\n" else " ".join(complaint.decode("utf-8", "replace").split())[-200:] or "failed"
    except OSError as problem:
        return str(problem)
    finally:
        shutil.rmtree(work.parent, ignore_errors=True)


def _scratch() -> str:
    import tempfile

    work = Path(tempfile.mkdtemp(prefix="autograd-teach-probe-")) / "work"
    work.mkdir()
    return str(work)
