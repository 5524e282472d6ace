"""A waiting interpreter, seen from the grader: started once, forks a process for each submission, ends with the grader.

    waiting = Waiting(command, environment, "the oracle's own process")
    forked = waiting.fork(message)     # a process of its own, reached by `forked.talk`
    forked.close()                     # it and all that it started are gone when this returns

What waits there (wardens.py) gives each forked process a warden, which ends it when `life` is closed: by `close`, or by
the end of the grader. Must not know what is forked, and nothing of submissions, notebooks or points.
"""

import contextlib
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..course.errors import UserError
from . import sandbox
from .wardens import ENDED, LONGEST_END

START = 60.0
"""Seconds that starting Python and loading what it waits with may take on a busy machine."""

SPAWN = 60.0
END = LONGEST_END + 10.0
_ATTEMPTS = 3


class NotForked(OSError):
    """The waiting interpreter made no process of what it was asked for."""


class Lost(Exception):
    """A forked process was ended together with its warden, by somebody else: that says nothing of what ran in it."""

    def __str__(self) -> str:
        return "the process that runs answers was ended from outside"


class Forked:
    """One process, or several, below a warden; `level` is the byte that the warden began with."""

    def __init__(self, talk: socket.socket, life: socket.socket, level: int) -> None:
        self.talk, self.level = talk, level
        self._life = life
        self._end: tuple[bool, int] | None = None

    def how_it_ended(self) -> tuple[bool, int]:
        """(whether a signal ended it, the signal's number or its exit status), once it has; `Lost` where its warden is gone too."""
        if self._end is None:
            with contextlib.suppress(OSError):
                self._life.settimeout(END)
                told = self._life.recv(ENDED.size)
                if len(told) == ENDED.size:
                    killed, number = ENDED.unpack(told)
                    self._end = bool(killed), number
        if self._end is None:
            raise Lost
        return self._end

    def close(self) -> None:
        """End it and all that it started; returns when they are gone."""
        self.talk.close()
        with contextlib.suppress(OSError):
            self._life.shutdown(socket.SHUT_WR)
            with contextlib.suppress(Lost):
                self.how_it_ended()
            self._life.settimeout(END)
            while self._life.recv(ENDED.size):
                pass
        self._life.close()


class Waiting:
    """The interpreter; started at the first call of `fork`, and anew where somebody has ended it."""

    def __init__(self, command: Callable[[], Sequence[str]], environment: Mapping[str, str], name: str) -> None:
        self._command, self._environment, self._name = command, environment, name
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._over = threading.Event()
        self.process: sandbox.Program | None = None

    def fork(self, message: bytes) -> Forked:
        """A new process that is given `message`."""
        for attempt in range(_ATTEMPTS):
            try:
                return self._fork(message)
            except OSError as problem:
                if attempt == _ATTEMPTS - 1:
                    raise
                # Not where it is merely slow: what it forked for others would end with it.
                if isinstance(problem, ConnectionError) or not self._is_running():
                    self.close()
        raise AssertionError

    def _fork(self, message: bytes) -> Forked:
        talk, its_talk = socket.socketpair()
        life, its_life = socket.socketpair()
        try:
            with self._lock:
                socket.send_fds(self._started(), [message], [its_talk.fileno(), its_life.fileno()])
            its_talk.close()
            its_life.close()
            life.settimeout(SPAWN)
            level = life.recv(1)
            if not level:
                raise NotForked(f"{self._name} did not fork")
        except BaseException:
            for each in (talk, its_talk, life, its_life):
                each.close()
            raise
        return Forked(talk, life, level[0])

    def _started(self) -> socket.socket:
        if self._control is not None:
            return self._control
        ours, its = socket.socketpair()
        self.process = self._popen(its)
        its.close()
        ours.settimeout(START)
        try:
            is_ready = ours.recv(1) == b"!"
        except OSError:
            is_ready = False
        if not is_ready:
            ours.close()
            raise UserError(f"{self._name} does not start: {self._last_words()}")
        ours.settimeout(None)
        self._control = ours
        return ours

    def _popen(self, its: socket.socket) -> sandbox.Program:
        """Start it in a thread that stays: bubblewrap ends with the thread that started it, not with the process alone."""
        started: list[Any] = []
        is_started, self._over = threading.Event(), threading.Event()

        def keep(over: threading.Event) -> None:
            try:
                started.append(
                    sandbox.popen(
                        self._command(),
                        stdin=its.fileno(),
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE,
                        env=dict(self._environment),
                        cwd=Path("/"),
                        start_new_session=True,
                    )
                )
            except BaseException as problem:  # noqa: BLE001  # raised again where it is waited for
                started.append(problem)
            is_started.set()
            over.wait()

        threading.Thread(target=keep, args=(self._over,), name=self._name, daemon=True).start()
        is_started.wait()
        process = started[0]
        if isinstance(process, BaseException):
            self._over.set()
            raise process
        return process  # type: ignore[no-any-return]

    def _is_running(self) -> bool:
        process = self.process
        return process is not None and process.poll() is None

    def _last_words(self) -> str:
        process = self.process
        self.process = None
        if process is None or process.stderr is None:
            return ""
        sandbox.stop(process)
        with process.stderr:
            text = process.stderr.read().decode("utf-8", "replace")
        self._over.set()
        return " ".join(text.split())[-300:]

    def close(self) -> None:
        """End it, and wait for its end; its wardens end with it, and with them whatever is left."""
        with self._lock:
            if self._control is not None:
                self._control.close()
                self._control = None
            if self.process is not None:
                if self.process.stderr:
                    self.process.stderr.close()
                sandbox.stop(self.process)
                self.process = None
            self._over.set()
