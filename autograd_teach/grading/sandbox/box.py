"""Boxes, as the grader sees them: one per submission, forked from an interpreter that has loaded the job.

    with Boxes("autograd_teach.grading.oracle.server", isolation, hidden=folders) as boxes:
        with boxes.open(Bounds()) as box:
            box.exchange(question, size, allowed=10.0)   # the reply of the job in the box

Must not know what runs in a box. Must not know submissions, notebooks or points.
"""

import contextlib
import itertools
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...course.errors import UserError
from . import cgroups, isolation
from .isolation import Isolation
from .supervisor import LONGEST_END, Bounds, Order

START = 120.0
"""Seconds that starting Python, loading a job, or making a box may take on a very busy machine."""

END = LONGEST_END + 10.0
LAST_WORDS = 5.0
"""Seconds until a box that has closed its pipe is ended if it does not end by itself."""

NOT_STARTED = "The process that runs answers does not start"
LARGEST_MESSAGE = 100_000
_ATTEMPTS = 3

WAIT = 60.0
WAIT_FOR_EACH = 10.0
"""The wall clock's limit on a request that may use `allowed` seconds is WAIT + WAIT_FOR_EACH * allowed. It stops programs
that hang in a way that `usage.Meter` does not see, and requests on machines that are far too busy."""

_PROGRAM = "import sys; sys.path[0] = sys.argv.pop(1); from autograd_teach.grading.sandbox import forkserver; forkserver.main()"
_KEPT_VARIABLES = ("LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH")


class NotMade(OSError):
    """The forkserver could not make a box; the message says why."""


class Lost(Exception):
    """A box and its supervisor were ended from outside. That says nothing about the code in the box."""

    def __str__(self) -> str:
        return "the process that runs answers was ended from outside"


class Interrupted(Exception):
    """The instructor stopped the run before this submission was done."""


class TooSlow(Exception):
    """The wall clock's limit (`WAIT`) passed. It is tried again: on a busy machine this is not the student's fault."""


class Ended(Exception):
    """The box ended. `cause` is "exit" or "signal", with their `number`; or the limit that it exceeded: "time", "memory",
    "disk", "processes"; or "stopped", by a signal. `out_of_memory`: whether it ran out of memory."""

    def __init__(self, cause: str, number: int, out_of_memory: bool) -> None:
        super().__init__(f"{cause} {number}" if cause in ("exit", "signal") else cause)
        self.cause, self.number, self.out_of_memory = cause, number, out_of_memory


class Box:
    """One box. `isolation` is its kind of isolation, with what this machine lacks for it."""

    def __init__(self, talk: socket.socket, life: socket.socket, isolation: str, group: str) -> None:
        self.isolation, self._group = isolation, group
        self._talk, self._life = talk, life
        self._end: Ended | None = None
        talk.settimeout(0)

    def exchange(self, sent: bytes, most: int, allowed: float, stop: threading.Event, *, whole: bool = True) -> bytes:
        """Send `sent` and return the next `most` bytes. The box may use `allowed` seconds for them (usage.Meter).

        Raises `Ended`, `Lost`, `TooSlow` or `Interrupted` if they do not come. With `whole` False,
        fewer bytes are returned if the box closes its side.
        """
        deadline = time.monotonic() + WAIT + WAIT_FOR_EACH * allowed
        self._allow(allowed)
        unsent, received = memoryview(sent), bytearray()
        while unsent or len(received) < most:
            if stop.is_set():
                raise Interrupted
            if time.monotonic() > deadline:
                raise TooSlow
            reading, writing, _ = select.select([self._talk], [self._talk] if unsent else [], [], 0.2)
            try:
                if reading:
                    more = self._talk.recv(min(most - len(received), 1 << 20) or 1)
                    if not more and not whole:
                        return bytes(received)
                    if not more or len(received) == most:
                        raise self.end()
                    received += more
                if writing:
                    unsent = unsent[self._talk.send(unsent[: 1 << 20]) :]
            except BlockingIOError:
                continue
            except ConnectionError:
                raise self.end() from None
        self._allow(None)
        return bytes(received)

    def _allow(self, seconds: float | None) -> None:
        with contextlib.suppress(OSError):  # it has ended, which `exchange` reports
            self._life.send(json.dumps({"seconds": seconds}).encode())

    def end(self) -> Ended:
        """Wait for the box to end, or end it, and return how it ended. Raises `Lost` if its supervisor is gone too."""
        if self._end is None:
            self._talk.close()
            with contextlib.suppress(OSError):
                self._life.settimeout(LAST_WORDS)
                self._hear()
        if self._end is None:
            self._finish()
        if self._end is None:
            raise Lost
        return self._end

    def close(self) -> None:
        """End the box and all its processes, and wait until they are gone."""
        self._talk.close()
        self._finish()
        self._life.close()
        if self._end is None:
            cgroups.remove(self._group)

    def _finish(self) -> None:
        """Make the supervisor end the box, and wait until the supervisor is gone."""
        with contextlib.suppress(OSError):
            self._life.shutdown(socket.SHUT_WR)
            self._life.settimeout(END)
            while self._hear():
                pass

    def _hear(self) -> bytes:
        """The supervisor's next message, which says how the box ended; empty if the supervisor is gone."""
        if message := self._life.recv(LARGEST_MESSAGE):
            told = json.loads(message)
            self._end = self._end or Ended(told["cause"], told["number"], told["memory"])
        return message


class Boxes(contextlib.AbstractContextManager["Boxes"]):
    """Makes boxes for one job under one isolation. Starts no process before the first `open`."""

    def __init__(self, job: str, kind: Isolation, hidden: Sequence[Path] = ()) -> None:
        self.job, self.kind, self._hidden = job, kind, hidden
        self._lock = threading.Lock()
        self._server: _Forkserver | None = None
        self._nests = kind.is_private  # whether boxes get namespaces inside the forkserver's

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def open(self, bounds: Bounds) -> Iterator[Box]:
        """Open a new box; it is ended on exit."""
        with contextlib.ExitStack() as stack:
            box = self._opened(bounds, stack)
            stack.callback(box.close)
            yield box

    def _opened(self, bounds: Bounds, stack: contextlib.ExitStack) -> Box:
        for attempt in itertools.count(1):
            server = None
            try:
                if self.kind.is_private and not self._nests:
                    alone = _Forkserver(self.job, self.kind, self._hidden)
                    stack.callback(alone.close)
                    return alone.fork(bounds, nested=False)
                with self._lock:
                    self._server = self._server or _Forkserver(self.job, self.kind, self._hidden)
                    server = self._server
                return server.fork(bounds, nested=self._nests)
            except NotMade:
                if not self._nests:
                    raise
                self._nests = False  # each box gets a sandbox of its own
                self.close()
            except OSError:  # the forkserver was ended, and its boxes with it
                if attempt == _ATTEMPTS:
                    raise
                if server:
                    self._discard(server)
        raise AssertionError

    @property
    def process(self) -> "subprocess.Popen[bytes] | None":
        """The process of the current forkserver, if there is one."""
        return self._server.process if self._server else None

    def _discard(self, server: "_Forkserver") -> None:
        with self._lock:
            if self._server is server:
                self._server = None
        server.close()

    def close(self) -> None:
        """End the forkserver after its boxes have ended."""
        with self._lock:
            server, self._server = self._server, None
        if server:
            server.close()


class _Forkserver:
    """An interpreter that has loaded a job."""

    def __init__(self, job: str, kind: Isolation, hidden: Sequence[Path]) -> None:
        self._kind, self._lock = kind, threading.Lock()
        view = isolation.view(hidden) if kind.is_private else []
        asked: dict[str, Any] = {"job": job}
        if kind is Isolation.NAMESPACES:
            asked |= {"view": [asdict(mount) for mount in view], "own_users": isolation.gives_user_ids(kind)}
        elif not kind.is_private:
            asked["files"] = isolation.readable_in_a_box(hidden)
        self._control, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its, tempfile.TemporaryFile() as told:  # longer than an argument may be
            told.write(json.dumps(asked).encode())
            told.seek(0)
            root = str(Path(__file__).resolve().parents[3])
            command = [sys.executable, "-B", "-c", _PROGRAM, root, str(told.fileno())]
            self.process = subprocess.Popen(
                isolation.bubblewrapped(command, view) if kind is Isolation.BUBBLEWRAP else command,
                stdin=its.fileno(),
                pass_fds=[told.fileno()],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=variables(),
                cwd="/",
                start_new_session=True,
            )
        self._control.settimeout(START)
        try:
            is_ready = self._control.recv(1) == b"!"
        except OSError:
            is_ready = False
        if not is_ready:
            raise UserError(f"{NOT_STARTED}: {self._last_words()}")
        self._control.settimeout(None)

    def fork(self, bounds: Bounds, *, nested: bool) -> Box:
        """Fork a box. Raises `NotMade` if it was refused, another OSError if the forkserver is gone."""
        kept, links = [str(path) for path in isolation.python_paths()], isolation.python_links()
        uid, group = isolation.new_uid(self._kind), cgroups.new_name()
        order = Order(bounds, uid, group, nested, kept, links)
        groups = cgroups.parents()
        folders = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in groups.values()]
        talk, its_talk = socket.socketpair()
        life, its_life = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            message = json.dumps({"order": asdict(order), "groups": list(groups)}).encode()
            with self._lock:
                socket.send_fds(self._control, [message], [its_talk.fileno(), its_life.fileno(), *folders])
            its_talk.close()
            its_life.close()
            life.settimeout(START)
            told: dict[str, Any] = json.loads(life.recv(LARGEST_MESSAGE) or b"{}")
            if "refused" in told:
                raise NotMade(told["refused"])
            if "begun" not in told:
                raise ConnectionResetError("the process that makes boxes is gone")
        except BaseException:
            for each in (talk, its_talk, life, its_life):
                each.close()
            raise
        finally:
            for number in folders:
                os.close(number)
        return Box(talk, life, isolation.described(self._kind, told["begun"]), order.group)

    def _last_words(self) -> str:
        self.process.kill()
        assert self.process.stderr
        lines = self.process.stderr.read().decode("utf-8", "replace").split("\n")
        self.close()
        return " ".join(next(filter(None, map(str.split, reversed(lines))), []))[-300:]

    def close(self) -> None:
        """End the forkserver after the processes that it forked have ended."""
        self._control.close()
        if self.process.stderr:
            self.process.stderr.close()
        try:
            self.process.wait(END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def variables() -> dict[str, str]:
    """The environment variables of a job: no paths of the grader, no personal settings, one thread per library."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    threads = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    own = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    return {**kept, **threads, **own, "AUTOGRAD_TEACH_NO_PROGRESS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
