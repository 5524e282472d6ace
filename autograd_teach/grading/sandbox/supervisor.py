"""The process that makes one box, watches it, and ends it. Forked by forkserver.py; does not run students' code.

    supervisor    outside the box; sees its processes and tells the grader what happens to it
    job           limited, filtered and without capabilities; runs the student's code. It is the first process of the
                  box's namespace, if there is one: other processes of the box cannot signal it, and end with it

Two sockets lead to the grader. `talk` belongs to the job. `life` belongs to the supervisor and carries messages (JSON):

    supervisor -> grader    {"begun": [what is missing]} or {"refused": why}; then {"cause", "number", "memory"}
    grader -> supervisor    {"seconds": what the box may use from now on}

When the grader closes `life`, or ends, the supervisor ends the box: its processes, its control group, its folder.
"""

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from . import confine, usage
from .cgroups import Group

LOOK = 0.1
"""Seconds between two checks of what the box uses."""

LOOK_AT_DISK = 1.0

LONGEST_END = 60.0
"""Seconds after which killed processes are gone even on a very busy machine. Processes that the system cannot end (they
wait for a broken disk, for example) are then left behind."""

LARGEST_SOCKET = 450_000
"""Bytes on their way in one socket, at most (twice net.core.wmem_max, as Linux sets it). Only a control group counts them."""

_TALK, _NEWS = 3, 4
_WRITABLE_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")

Serve = Callable[[socket.socket], None]
"""A job, called in the box with its side of `talk`."""


@dataclass(frozen=True)
class Bounds:
    """Limits of one box: bytes, seconds, numbers."""

    memory: int = 4_000_000_000  # of all its processes together, and the address space of each
    cpu: int = 600  # CPU seconds of each process
    file: int = 64_000_000  # one file
    disk: int = 256_000_000  # all its files
    files: int = 20_000
    open_files: int = 512
    processes: int = 128  # and threads


@dataclass(frozen=True)
class Order:
    """The box that the grader requests.

    uid: the box's own user id; None if it keeps the grader's. group: the name of its control group, and the prefix of its
    folder's name. namespaces: whether it gets its own; if not, it is as private as its forkserver. kept: folders of
    Python. links: symbolic links to them and their targets.
    """

    bounds: Bounds
    uid: int | None
    group: str
    namespaces: bool
    kept: list[str]
    links: dict[str, str]

    @classmethod
    def read(cls, fields: dict[str, Any]) -> "Order":
        """Make an `Order` from plain data, as `asdict` returns it."""
        return cls(**{**fields, "bounds": Bounds(**fields["bounds"])})


class Supervisor:
    """Makes, watches and ends one box: `run` does all of it and then ends the process.

    files: what the box may read, and the folders of which it may read only the names in them; None if its forkserver is in
    namespaces and does not see anything else anyway.
    """

    def __init__(
        self,
        order: Order,
        talk: int,
        life: socket.socket,
        parents: Mapping[str, int],
        serve: Serve,
        files: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> None:
        self._order, self._talk, self._life, self._serve, self._files = order, talk, life, serve, files
        self._parents = parents  # controller -> the opened folder for groups
        self._group: Group | None = None
        self._job_id = 0  # process id
        self._tells = -1  # the pipe on which the job reports that it is ready
        self._ran_out_of_memory = False
        self._folder: Path | None = None  # on a disk, if the box has no /tmp of its own
        self._meter = usage.Meter(self._used)
        self._shared = usage.resident(os.getpid())
        self._look_at_disk = time.monotonic() + LOOK_AT_DISK

    def run(self) -> NoReturn:
        """Make the box, watch it, end it, and tell the grader."""
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        confine.adopt_orphans()
        try:
            missing = _heard(self._made())
        except (OSError, ValueError) as problem:
            self._end()
            self._tell(refused=str(problem))
            os._exit(1)
        self._tell(begun=missing)
        cause = self._watched()
        status = self._end()
        is_killed = os.WIFSIGNALED(status)
        self._tell(
            cause=cause or ("signal" if is_killed else "exit"),
            number=os.WTERMSIG(status) if is_killed else os.WEXITSTATUS(status),
            memory=cause == "memory" or self._ran_out_of_memory,
        )
        os._exit(0)

    # ---- making the box -----------------------------------------------------------------------------------------------

    def _made(self) -> int:
        """Fork the job. Returns the pipe on which it reports that it is ready."""
        order, bounds = self._order, self._order.bounds
        if self._parents:
            self._group = Group(self._parents, order.group, bounds.memory, bounds.processes)
        if order.namespaces:
            confine.enter_namespaces(order.uid is not None)
            confine.private_folders(bounds.disk, bounds.files, order.kept, order.links)
            confine.raise_loopback()
        else:
            self._folder = Path(tempfile.mkdtemp(prefix=f"{order.group}-"))
            if order.uid is not None:
                os.chown(self._folder, order.uid, order.uid)
        waits, goes = os.pipe()
        news, tells = os.pipe()
        self._tells = tells
        self._job_id = os.fork()
        if self._job_id == 0:
            try:
                for each in (self._life.fileno(), goes, news, *self._parents.values()):
                    os.close(each)
                os.read(waits, 1)
                os.close(waits)
                self._job()
            except BaseException as problem:  # noqa: BLE001  # the grader must be told of any problem
                _say(self._tells, problem=f"{type(problem).__name__}: {problem}")
            finally:
                os._exit(1)
        for each in (self._talk, waits, tells):
            os.close(each)
        if self._group:
            self._group.add(self._job_id)
        os.write(goes, b"!")
        os.close(goes)
        return news

    def _job(self) -> NoReturn:
        """Restrict this process to what the box may have, and serve."""
        os.setsid()
        _keep_open({_TALK: self._talk, _NEWS: self._tells})
        self._tells = _NEWS
        order, bounds = self._order, self._order.bounds
        supervisor = os.getppid()
        if order.namespaces:
            confine.mount_processes()
        limits = {"AS": bounds.memory, "CPU": bounds.cpu, "FSIZE": bounds.file, "NOFILE": bounds.open_files, "CORE": 0}
        if self._files is None or order.uid is not None:  # otherwise all processes of the grader's user would count
            limits["NPROC"] = bounds.processes
        confine.bound_resources(limits)
        if os.geteuid() == 0:
            confine.lock_capabilities()
        if order.uid is not None:
            confine.become(order.uid)
        os.umask(0o077)
        folder = self._folder or Path("/tmp")
        for each in ("home", "work"):
            (folder / each).mkdir(exist_ok=True)
        confine.drop_capabilities()
        confine.end_with_parent(supervisor)
        missing = [] if self._group else ["no cgroup"]
        version = confine.landlock_version()
        families = confine.IN_A_NAMESPACE if self._files is None else confine.ALONE
        if self._files is not None:
            readable, listed = self._files
            if version:
                confine.limit_files(readable, [str(folder), *_WRITABLE_DEVICES], listed)
            if version < confine.FULL_LANDLOCK:
                missing.append("old landlock" if version else "no landlock")
        elif version:  # this closes the first process of the namespaces too, which may be of the same user
            confine.limit_files(["/"], [*confine.PRIVATE, "/dev"])
        if not confine.filter_system_calls(families):
            missing.append("no filter")
        places = {"HOME": folder / "home", "MPLCONFIGDIR": folder / "home"}
        places |= dict.fromkeys(("TMPDIR", "TMP", "TEMP"), folder)
        os.environ.update({name: str(place) for name, place in places.items()}, USER="student", LOGNAME="student")
        os.chdir(folder / "work")
        tempfile.tempdir = None
        _say(_NEWS, missing=missing)
        os.close(_NEWS)
        status = 1
        try:
            self._serve(socket.socket(fileno=_TALK))
            status = 0
        finally:
            os._exit(status)

    # ---- watching it --------------------------------------------------------------------------------------------------

    def _watched(self) -> str:
        """Wait until the box ends by itself (returns "") or must be ended (returns the cause)."""
        ended = os.pidfd_open(self._job_id)
        while True:
            ready, _, _ = select.select([ended, self._life.fileno()], [], [], LOOK)
            if ended in ready:
                return ""
            if ready:
                message = b""
                with contextlib.suppress(ConnectionResetError):  # it was killed before it read the message
                    message = self._life.recv(1000)
                if not message:
                    return "closed"
                self._meter.allow(json.loads(message)["seconds"])
            elif reason := self._beyond():
                return reason

    def _beyond(self) -> str:
        """The limit that the box exceeds; "" if none."""
        bounds, used = self._order.bounds, self._meter.look()
        if self._meter.is_over:
            return "time"
        if used.memory > bounds.memory or (self._group and self._group.ran_out_of_memory()):
            return "memory"
        if used.is_stopped:  # nothing would ever continue it
            return "stopped"
        if self._group is None and used.processes > bounds.processes:
            return "processes"
        if self._group is None and usage.open_files(used.pids) * LARGEST_SOCKET > bounds.memory:
            return "memory"
        if self._folder and time.monotonic() > self._look_at_disk:
            size, files = usage.disk(self._folder, bounds.files)
            self._look_at_disk = time.monotonic() + LOOK_AT_DISK
            return "disk" if size > bounds.disk or files > bounds.files else ""
        return ""

    def _used(self) -> usage.Usage:
        used = usage.of_descendants(os.getpid(), self._shared)
        exact = self._group.cpu() if self._group else None
        return used if exact is None else replace(used, cpu=exact, pids=frozenset())

    # ---- ending it ----------------------------------------------------------------------------------------------------

    def _end(self) -> int:
        """End all processes of the box. Returns the job's exit status when nothing is left."""
        status = 0
        if self._job_id:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._job_id, signal.SIGKILL)
            status = os.waitpid(self._job_id, 0)[1]
        deadline = time.monotonic() + LONGEST_END
        while (left := self._left()) and time.monotonic() < deadline:
            if self._order.uid is not None and not self._order.namespaces:
                _kill_user(self._order.uid)
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            time.sleep(0.002)
        if self._group:
            self._ran_out_of_memory = self._group.ran_out_of_memory()
            self._group.close()
        if self._folder:
            remove(self._folder)
        return status

    def _left(self) -> set[int]:
        grouped = self._group.processes() if self._group else []
        return {*usage.descendants(os.getpid()), *grouped}

    def _tell(self, **message: Any) -> None:
        with contextlib.suppress(OSError):  # the grader is gone
            self._life.send(json.dumps(message).encode())


def remove(folder: Path) -> None:
    """Remove a folder that `shutil.rmtree` may not be able to: of any depth, with unreadable folders in it."""
    for command in (["rm", "-rf"], ["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        if folder.exists():
            subprocess.run([*command, str(folder)], check=False, stderr=subprocess.DEVNULL)


def _kill_user(uid: int) -> None:
    """Kill all processes of a user at once: one by one, they could multiply faster."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(OSError):
            confine.become(uid)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    os.waitpid(child, 0)


def _keep_open(files: Mapping[int, int]) -> None:
    """Close all files above standard error except these, which get new numbers."""
    above = 1 + max(files)
    moved = {new: fcntl.fcntl(old, fcntl.F_DUPFD, above) for new, old in files.items()}
    for new, old in moved.items():
        os.dup2(old, new)
    os.closerange(above, os.sysconf("SC_OPEN_MAX"))


def _say(pipe: int, **news: Any) -> None:
    os.write(pipe, json.dumps(news).encode() + b"\n")


def _heard(pipe: int) -> list[str]:
    """Wait until the job is ready, and return what is missing. Raises OSError if it reports a problem."""
    with open(pipe, "rb") as stream:
        news = json.loads(stream.readline() or b"{}")
    if "missing" in news:
        return list(news["missing"])
    raise OSError(news.get("problem", "the box ended while it was being made"))
