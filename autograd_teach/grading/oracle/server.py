"""The student's side of the oracle: loads cells, calls what they define, and replies with the results.

A job of the sandbox (../sandbox/forkserver.py): `load` runs once, without students' code; `serve` runs in each
submission's box. If an answer ends its process, the cells are loaded in another one, and from then on each question runs
in a process forked from it (`aside`). May use the engine, and the part of course/checks that puts requests to an answer.
Specifications of exercises (course/specs) are never loaded here.

No verdict is computed here, and the grader trusts nothing from here but numbers that it compares itself.
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


# ---- the environment of the student's code ----------------------------------------------------------------------------


def load() -> None:
    """Import everything that answers are likely to use: the course without its specifications."""
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
    """The namespace of the cells, as in a notebook."""

    def __init__(self) -> None:
        self.module = types.ModuleType("__main__")
        self.names = self.module.__dict__
        self.asks_aside = False
        self.names["display"] = lambda *given, **named: None
        self.names["get_ipython"] = NoShell
        self.own_main = sys.modules["__main__"]  # keep a reference, or its names would be cleared
        sys.modules["__main__"] = self.module

    def load(self, name: str, source: str) -> None:
        """Run the cell `name`."""
        try:
            code = compile(source, name, "exec", dont_inherit=True)
        except SyntaxError:
            source = without_magic(source)
            code = compile(source, name, "exec", dont_inherit=True)
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(code, self.names)  # noqa: S102  # running students' code is this process's purpose


class NoShell:
    """Replaces IPython's shell, which a right answer may call for a magic, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **named: None


# ---- questions ------------------------------------------------------------------------------------------------------


def answer_load(notebook: Notebook, asked: dict[str, Any]) -> bytes:
    """Run a cell, and reply whether it raised, and what."""
    notebook.asks_aside = asked["aside"]
    try:
        notebook.load(asked["name"], asked["source"])
    except BaseException as problem:  # noqa: BLE001  # a cell may raise anything
        from autograd_teach.course.guard import crash_of

        crash = crash_of(problem, "your code")
        return _loaded(crash.kind, str(crash))
    return _loaded("", "")


def _loaded(raised: str, words: str) -> bytes:
    kind = raised if raised in wire.RAISED else "Exception"
    return bytes([wire.RAISED.index(kind)]) + wire.words(words)


def answer_use(notebook: Notebook, asked: dict[str, Any]) -> bytes:
    """Put requests to the answer until one raises; in a forked process if `aside` was requested."""
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
    """The job: reply to questions until the grader closes the connection."""
    for name in [name for name in sys.modules if name.startswith("autograd_teach.grading")]:
        del sys.modules[name]  # answers do not need these
    notebook = Notebook()
    for nonce, asked in _questions(grader):
        try:
            reply = ANSWERS[asked["ask"]](notebook, asked)
        except MemoryError:
            notebook.names.clear()
            reply = _end(asked.get("capacity", 0), "memory")
        grader.sendall(nonce + reply)


ANSWERS: dict[str, Callable[[Notebook, dict[str, Any]], bytes]] = {
    "load": answer_load,
    "use": answer_use,
    "nothing": lambda notebook, asked: b"",
}


def aside(answer: Callable[[], bytes], size: int) -> bytes:
    """Call `answer` in a forked process and return its `size` bytes, or a reply that says how the process ended.

    Does not fork if a student's code has started threads: the forked process would lack them.
    """
    if threading.active_count() > 1:
        return answer()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # otherwise the exit status would be lost
    reads, writes = os.pipe()
    try:
        pid = os.fork()
    except OSError:  # an earlier answer has left as many processes as a box may have
        os.close(reads)
        os.close(writes)
        return answer()
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
        if not more:  # the pipe was closed, or its writer has ended
            break
        reply += more
    is_whole = len(reply) == size
    if is_whole and not select.select([ended], [], [], 0)[0]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)  # its own threads may keep it alive
    for number in (reads, ended):
        os.close(number)
    _, status = os.waitpid(pid, 0)
    return reply if is_whole else _end(size, os.waitstatus_to_exitcode(status))


def _end(size: int, how: int | str) -> bytes:
    """The reply for a process that ended: `how` is "memory", its exit status, or its negative signal number."""
    if size:
        return wire.padded(wire.dump({"end": how}), size)
    return _loaded("MemoryError", "your code raised MemoryError")


def _questions(grader: socket.socket) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """The nonce of each question, and the question."""
    from autograd_teach.course.exercises.declaration import prepared

    with grader.makefile("rb") as stream:
        while nonce := stream.read(wire.NONCE):
            length = wire.length_of_question(stream.read(wire.HEAD))
            yield nonce, wire.load(stream.read(length), prepared)
