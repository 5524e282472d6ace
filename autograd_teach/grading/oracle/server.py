"""The student's side of the oracle: loads cells, calls what they define, and tells what came of it.

A job of the sandbox (../sandbox/forkserver.py): `load` runs once, and never meets a student's code; `serve` runs in each
submission's box. Where an answer has ended its process, the cells are loaded in another one, and from then on each
question is put in a process forked from that (`aside`). May use the engine, and of course/checks what puts requests to an
answer. No specification of an exercise (course/specs) is ever loaded here.

Nothing that is computed here is a verdict, and nothing that is said here is believed beyond its numbers.
"""

import contextlib
import importlib
import linecache
import os
import select
import signal
import socket
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

from ...course.definitions import without_magic
from . import wire

MOST_REPLY = 1 << 20  # bytes read at a time


# ---- what the student's code finds ------------------------------------------------------------------------------------


def load() -> None:
    """Import everything that answers are likely to use: the course without what is right."""
    import autograd_teach as torch
    from autograd_teach import course
    from autograd_teach.course.checks.exact import OURS, engine

    for name in ("check", "hint", "progress"):  # a cell that calls one of these is still a right answer
        setattr(course, name, lambda *given, **named: None)
    vars(course)["NotPassed"] = type("NotPassed", (Exception,), {})
    for name in ("autograd", "nn", "nn.functional", "optim", "course.checks", "course.exercises", "course.guard"):
        with contextlib.suppress(ImportError):
            importlib.import_module(f"autograd_teach.{name}")
    x = torch.ones(2, requires_grad=True)
    ((x * 2 + 1).exp().sum() / 3).backward()
    engine(OURS)


class Notebook:
    """The names that the cells define, as in a notebook."""

    def __init__(self) -> None:
        self.module = types.ModuleType("__main__")
        self.names = self.module.__dict__
        self.asks_aside = False
        self.names["display"] = lambda *given, **named: None
        self.names["get_ipython"] = NoShell
        self.own_main = sys.modules["__main__"]  # kept: its names must not be cleared
        sys.modules["__main__"] = self.module

    def load(self, name: str, source: str) -> None:
        """Run a cell."""
        try:
            code = compile(source, name, "exec", dont_inherit=True)
        except SyntaxError:
            source = without_magic(source)
            code = compile(source, name, "exec", dont_inherit=True)
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(code, self.names)  # noqa: S102  # what this process is for


class NoShell:
    """In place of IPython's shell, which a right answer may call for a magic: it does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **named: None


# ---- questions ------------------------------------------------------------------------------------------------------


def answer_load(notebook: Notebook, asked: dict[str, Any]) -> bytes:
    """Run a cell; tell whether it raised, and what."""
    notebook.asks_aside = asked["aside"]
    try:
        notebook.load(asked["name"], asked["source"])
    except BaseException as problem:  # noqa: BLE001  # a cell may raise whatever it likes
        return b"\1" + wire.words(_said(problem))
    return b"\0" + wire.words("")


def _said(problem: BaseException) -> str:
    from autograd_teach.course.guard import crash_of

    return str(crash_of(problem, "your code"))


def answer_use(notebook: Notebook, asked: dict[str, Any]) -> bytes:
    """Put every request to the answer, up to the first at which it raises; aside where that was asked for."""
    if notebook.asks_aside:
        return aside(lambda: _used(notebook, asked), asked["capacity"])
    return _used(notebook, asked)


def _used(notebook: Notebook, asked: dict[str, Any]) -> bytes:
    from autograd_teach.course.checks import checker_of
    from autograd_teach.course.checks.records import read, told
    from autograd_teach.course.exercises import exercise as declared

    exercise = declared(asked["exercise"])
    checker, subject = checker_of(exercise), notebook.names.get(exercise.entry)
    structure, replies = checker.structure(exercise, subject), []
    if structure is None:
        asking = checker.asking(exercise, subject)
        for request in asked["requests"]:
            reply = asking.reply(read(checker.asked, request))
            replies.append(told(reply))
            if reply.crash:
                break
    return wire.padded(wire.dump({"structure": structure, "replies": replies}), asked["capacity"])


def serve(grader: socket.socket) -> None:
    """The job: answer until the grader hangs up."""
    for name in [name for name in sys.modules if name.startswith("autograd_teach.grading")]:
        del sys.modules[name]  # no answer needs them
    notebook = Notebook()
    for asked in _questions(grader):
        try:
            answer = {"load": answer_load, "use": answer_use}[asked["ask"]]
            reply = answer(notebook, asked)
        except MemoryError:
            notebook.names.clear()
            reply = _end(asked.get("capacity", 0), "memory")
        grader.sendall(reply)


def aside(answer: Callable[[], bytes], size: int) -> bytes:
    """The `size` bytes that `answer` returns in a process of its own; if that ends before, a reply that says how.

    A process with threads of a student's stays one: a forked one would lack them.
    """
    if threading.active_count() > 1:
        return answer()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # or how it ended would not be known
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            try:
                reply = answer()
            except MemoryError:
                reply = _end(size, "memory")
            with open(writes, "wb") as pipe:
                pipe.write(reply)
            status = 0
        finally:
            os._exit(status)
    os.close(writes)
    ended, reply = os.pidfd_open(pid), b""
    while len(reply) < size:
        ready, _, _ = select.select([reads, ended], [], [])
        more = os.read(reads, MOST_REPLY) if reads in ready else b""
        if not more:  # nobody writes to the pipe any more, or who should has ended
            break
        reply += more
    is_whole = len(reply) == size
    if is_whole and not select.select([ended], [], [], 0)[0]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)  # threads of its own keep it
    for number in (reads, ended):
        os.close(number)
    _, status = os.waitpid(pid, 0)
    return reply if is_whole else _end(size, os.waitstatus_to_exitcode(status))


def _end(size: int, how: int | str) -> bytes:
    """A reply that is an end: of memory, or of the process, with its exit status or, negative, its signal."""
    return wire.padded(wire.dump({"end": how}), size) if size else b"\1" + wire.words("your code raised MemoryError")


def _questions(grader: socket.socket) -> Iterator[dict[str, Any]]:
    from autograd_teach.course.exercises.declaration import prepared

    with grader.makefile("rb") as stream:
        while head := stream.read(wire.HEAD):
            yield wire.load(stream.read(wire.length_of_question(head)), prepared)
