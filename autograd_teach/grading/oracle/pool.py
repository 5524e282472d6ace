"""Starts the process from which every submission's process is forked, and talks to them by the clock.

    pool = Pool(hidden=(...))            # one interpreter with the engine loaded, and never a reference
    with pool.session(limits) as session:
        reply = session.ask(question, size, seconds)   # exactly `size` bytes, or an exception that says what happened

How that interpreter is started is the `wrap` that a pool is given: a sandbox is a function that puts its own command in
front of it. Must not know exercises, students or what is right.
"""

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ...course.errors import UserError
from ..sandbox import Isolation, forking
from ..waiting import Forked, Waiting
from .wire import JOB

_SCRIPT = Path(__file__).with_name("server.py")
_PACKAGE = Path(__file__).resolve().parents[2]
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH")

Wrap = Callable[[list[str]], list[str]]
"""A command line to the one that runs it in a sandbox."""


class Ended(Exception):
    """The student's process is no more; `signal` is what ended it, `status` what it exited with."""

    def __init__(self, signal: int = 0, status: int = 0) -> None:
        super().__init__(f"signal {signal}" if signal else f"exit status {status}")
        self.signal, self.status = signal, status


class TooSlow(Exception):
    """No reply came in time."""


class Stopped(Exception):
    """The instructor stopped the run."""


@dataclass(frozen=True)
class Allowed:
    """What one submission's process may use: bytes of address space, seconds of processor time in all."""

    memory: int = 4_000_000_000
    seconds: int = 300


class Session:
    """One submission's process."""

    def __init__(self, forked: Forked, isolation: str, stop: threading.Event) -> None:
        self._forked, self._talk, self._stop = forked, forked.talk, stop
        self.isolation = isolation

    def ask(self, question: bytes, size: int, seconds: float) -> bytes:
        """The `size` bytes of the reply; `Ended`, `Lost`, `TooSlow` or `Stopped` where they do not come."""
        deadline = time.monotonic() + seconds
        self._talk.settimeout(0)
        unsent, received = memoryview(question), bytearray()
        while unsent or len(received) < size:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TooSlow
            if self._stop.is_set():
                raise Stopped
            reading, writing, _ = select.select([self._talk], [self._talk] if unsent else [], [], min(left, 0.2))
            try:
                if reading:
                    more = self._talk.recv(min(size - len(received), 1 << 20) or 1)
                    if not more or len(received) == size:
                        raise self._end()
                    received += more
                if writing:
                    unsent = unsent[self._talk.send(unsent[: 1 << 20]) :]
            except BlockingIOError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                raise self._end() from None
        return bytes(received)

    def _end(self) -> Ended:
        """How the process ended, as its warden says; raises `Lost` where the warden is gone too."""
        by_signal, number = self._forked.how_it_ended()
        return Ended(signal=number) if by_signal else Ended(status=number)

    def close(self) -> None:
        """End the process and all that it started; returns when they are gone."""
        self._forked.close()


class Pool:
    """The waiting interpreter; started at the first session, and anew where somebody has killed it."""

    def __init__(
        self,
        *,
        hidden: Sequence[Path] = (),
        wrap: Wrap = lambda command: command,
        sandbox: str = "",
    ) -> None:
        job = json.dumps({"root": str(_PACKAGE.parent), "hidden": [str(path) for path in hidden if path.is_dir()]})
        command = [sys.executable, "-I", "-B", str(_SCRIPT), job]
        self._sandbox = sandbox
        self._waiting = Waiting(lambda: wrap(command), _environment(), "The oracle's own process")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def session(self, allowed: Allowed | None = None, stop: threading.Event | None = None) -> Iterator[Session]:
        """A process for one submission, ended afterwards; when `stop` is set it asks no more."""
        if not hasattr(os, "fork"):
            raise UserError("The oracle needs a system with fork (Linux, macOS); grade with --judge nbval here.")
        allowed = allowed or Allowed()
        forked = self._waiting.fork(JOB.pack(allowed.memory, allowed.seconds))
        session = Session(forked, _isolation(self._sandbox, forked.level), stop or threading.Event())
        try:
            yield session
        finally:
            session.close()

    @property
    def _process(self) -> subprocess.Popen[bytes] | None:
        return self._waiting.process

    def close(self) -> None:
        """End the waiting interpreter; its wardens end with it, and with them whatever is left."""
        self._waiting.close()


@contextlib.contextmanager
def pool_under(isolation: Isolation, hidden: Sequence[Path], *, required: bool = False) -> Iterator[Pool]:
    """A pool in the best isolation there is; where `required`, a `UserError` if a submission is not cut off from the others."""
    masked = [_PACKAGE / "course" / "specs", _PACKAGE / "grading", *hidden]
    wrapped = isolation is Isolation.BUBBLEWRAP
    with Pool(
        hidden=[path.resolve() for path in masked],
        wrap=(lambda command: list(forking(command, hidden=hidden))) if wrapped else (lambda command: command),
        sandbox=isolation.value if wrapped else "",
    ) as pool:
        if required:
            with pool.session() as session:
                if "process" in session.isolation.split("+"):
                    raise UserError(
                        "Nothing was graded: --require-sandbox was given, and submissions cannot be cut off from each other "
                        "here (no namespaces within the sandbox); grade with --judge nbval, or leave the option out."
                    )
        yield pool  # whose interpreter starts when somebody needs it


def _isolation(sandbox: str, code: int) -> str:
    from .seclude import level_of  # here, because Windows lacks what it needs

    level = level_of(code)
    if sandbox:
        return sandbox if level.namespaces else f"{sandbox}+process"
    inner = [word for word, is_there in (("namespaces", level.namespaces), ("user", level.user)) if is_there]
    return "+".join(inner) or "process"


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    threads = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    return {**kept, **threads, "HOME": "/", "PYTHONUTF8": "1", "AUTOGRAD_TEACH_NO_PROGRESS": "1"}
