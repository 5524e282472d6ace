"""Reads each student's files in a process of its own, within a budget of processor time and memory.

A small file can take minutes or gigabytes to parse, or crash the parser. Then only this process ends; the next student gets
another one. The process does not run students' code, and it sends back JSON. It ends with the grader, however that ends.

Where processes cannot be forked (Windows), the grader's own process reads the files, without a budget. Where the system
does not enforce limits of memory (macOS), only the time is limited. Must not know files.
"""

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

SECONDS, MEGABYTES = 5.0, 500
"""Processor time and memory to read all files of one student. A usual notebook takes 2 ms; one of 100 MB, 2 seconds."""


FORKS = hasattr(os, "fork")


class Exhausted(Exception):
    """The process ended before it had read everything, because the budget was used up or because Python crashed."""

    def __init__(self) -> None:
        super().__init__(
            f"not read: too large (all files of a student may take {SECONDS:g} seconds of processor time and {MEGABYTES} MB of "
            "memory): clear all outputs, delete cells that no answer needs, and hand in only the exercise notebooks"
        )


class Worker:
    """Calls `work(number)`, which gives JSON data, in a forked process: it knows what the grader knew at the first `ask`.

    A context; the process has ended when it exits.
    """

    def __init__(self, work: Callable[[int], Iterable[Any]]) -> None:
        self._work = work
        self._process: Any = None
        self._pipe: Connection | None = None
        self.left = 0.0  # seconds of the budget that the last `ask` did not use

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process:
            self._process.kill()
            self._process.join()
        if self._pipe:
            self._pipe.close()
        self._process = self._pipe = None

    def ask(self, number: int, seconds: float) -> Iterator[Any]:
        """What `work(number)` gives. Raises `Exhausted` after the part that was read within the budget."""
        self.left = max(seconds, 0.0)
        if not FORKS:
            yield from self._work(number)
            return
        if not self.left:
            raise Exhausted
        try:
            pipe = self._started()
            pipe.send((number, seconds))
            while "found" in (said := json.loads(pipe.recv_bytes())):
                yield said["found"]
            self.left = min(said["left"], seconds)  # the timer rounds up
        except (EOFError, OSError) as problem:  # it has ended, perhaps within a message
            self.left = 0.0
            self.__exit__()
            raise Exhausted from problem

    def _started(self) -> Connection:
        if self._pipe is None:
            fork = multiprocessing.get_context("fork")
            self._pipe, other = fork.Pipe()
            self._process = fork.Process(target=_serve, args=(self._work, other, self._pipe), daemon=True)
            self._process.start()
            other.close()  # so that the pipe ends with the process
        return self._pipe


def _serve(work: Callable[[int], Iterable[Any]], pipe: Connection, other: Connection) -> None:
    """The process: does the work that comes through `pipe`, until the grader ends or the budget is used up."""
    other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader ends this process
    for ending in (signal.SIGTERM, signal.SIGPROF):
        signal.signal(ending, signal.SIG_DFL)
    while True:
        try:
            number, seconds = pipe.recv()
        except EOFError:
            return
        _limit_memory()
        signal.setitimer(signal.ITIMER_PROF, seconds)  # counts processor time; SIGPROF then ends the process
        try:
            for found in work(number):
                pipe.send_bytes(json.dumps({"found": found}).encode())
        except MemoryError:
            return
        left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send_bytes(json.dumps({"left": left}).encode())


def _limit_memory() -> None:
    """Limit this process to the memory that it has now and `MEGABYTES` more."""
    import resource

    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:  # not Linux
        return
    most, (_, hard) = pages * resource.getpagesize() + MEGABYTES * 1_000_000, resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
