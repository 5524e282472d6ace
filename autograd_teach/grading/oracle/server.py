"""The student's side of the oracle: loads cells, calls what they define, and tells on a pipe what came of it.

Started by pool.py as a script, never imported. It loads the engine once and then waits (../wardens.py); for each submission
it forks a warden, which cuts itself off (seclude.py), forks the process that runs the student's code, and ends it with all
its descendants when the grader lets go of it. May use the engine, and of course/checks what puts requests to an answer. No
specification of an exercise (course/specs) is ever loaded here.

Nothing that is computed here is a verdict, and nothing that is said here is believed beyond its numbers.
"""

import contextlib
import gc
import importlib.util
import json
import linecache
import os
import shutil
import socket
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def _file(name: str, folder: Path = HERE) -> Any:
    """A file as a module, without the package around it."""
    spec = importlib.util.spec_from_file_location(f"oracle_{name}", folder / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


seclude = _file("seclude")
confine = _file("confine", HERE.parent)
wardens = _file("wardens", HERE.parent)
wire: Any = None  # loaded with the course, below


# ---- what the student's code finds ------------------------------------------------------------------------------------


def load_course(root: Path) -> None:
    """The course without what is right: no file of specifications is loaded, or can be seen where there are namespaces."""
    global wire
    if str(root) not in sys.path:  # before an installed copy of the course, where the grader has another
        sys.path.insert(0, str(root))
    wire = _file("wire")
    course = importlib.import_module("autograd_teach.course")
    for name in ("check", "hint", "progress"):  # a cell that calls one of these is still a right answer
        setattr(course, name, lambda *given, **named: None)
    vars(course)["NotPassed"] = type("NotPassed", (Exception,), {})


def load_engine() -> None:
    """Everything that answers are likely to use, once for all submissions."""
    import autograd_teach as torch
    from autograd_teach.course import checks, exercises  # noqa: F401
    from autograd_teach.course.checks.exact import OURS, engine

    for name in ("autograd", "nn", "nn.functional", "optim"):
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
        self.names["display"] = lambda *given, **named: None
        self.own_main = sys.modules["__main__"]  # kept: its names must not be cleared
        sys.modules["__main__"] = self.module

    def load(self, name: str, source: str) -> None:
        """Run a cell."""
        try:
            code = compile(source, name, "exec", dont_inherit=True)
        except SyntaxError:
            source = _without_magic(source)
            code = compile(source, name, "exec", dont_inherit=True)
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(code, self.names)  # noqa: S102  # what this process is for


def _without_magic(source: str) -> str:
    """`%matplotlib inline` and `!ls` are a notebook's own and no Python."""
    return "\n".join(
        line[: len(line) - len(line.lstrip())] + "pass" if line.lstrip().startswith(("%", "!", "?")) else line
        for line in source.splitlines()
    )


# ---- questions ------------------------------------------------------------------------------------------------------


def answer_load(notebook: Notebook, asked: dict[str, Any]) -> bytes:
    """Run a cell; tell whether it raised, and what."""
    try:
        notebook.load(asked["name"], asked["source"])
    except BaseException as problem:  # noqa: BLE001  # a cell may raise whatever it likes
        return b"\1" + wire.words(_said(problem))
    return b"\0" + wire.words("")


def _said(problem: BaseException) -> str:
    from autograd_teach.course.guard import crash_of

    return str(crash_of(problem, "your code"))


def answer_use(notebook: Notebook, asked: dict[str, Any]) -> bytes:
    """Put every request to the answer, up to the first at which it raises."""
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


ANSWERS: dict[str, Callable[[Notebook, dict[str, Any]], bytes]] = {
    "load": answer_load,
    "use": answer_use,
}


def serve(grader: socket.socket) -> None:
    """Answer until the grader hangs up."""
    notebook = Notebook()
    for asked in _questions(grader):
        grader.sendall(ANSWERS[asked["ask"]](notebook, asked))


def _questions(grader: socket.socket) -> Iterator[dict[str, Any]]:
    from autograd_teach.course.exercises.declaration import prepared

    while True:
        head = _exactly(grader, 4)
        if head is None:
            return
        text = _exactly(grader, wire.length_of_question(head))
        if text is None:
            return
        yield wire.load(text, prepared)


def _exactly(grader: socket.socket, count: int) -> bytes | None:
    data = b""
    while len(data) < count:
        more = grader.recv(count - len(data))
        if not more:
            return None
        data += more
    return data


# ---- processes ------------------------------------------------------------------------------------------------------


def warden(talk: int, life: int, zygote: int, limits: Any, hidden: list[str]) -> None:
    """Cut one submission off, start its process and watch over it."""
    wardens.become_warden(zygote)
    needed = [Path(sys.base_prefix), Path(sys.prefix), *_packages()]
    level = seclude.enter_namespaces(_without(hidden, needed), [*dict.fromkeys(map(str, needed))], limits)
    scratch = tempfile.mkdtemp(prefix="submission-")
    own = os.getpid()
    uid = seclude.FIRST_STRANGER + own
    if level.user:
        os.chown(scratch, uid, uid)
    pid = os.fork()
    if pid == 0:
        student(talk, level, limits, scratch, own, uid)
    os.close(talk)
    wardens.watch(life, pid, level.code, lambda: shutil.rmtree(scratch, ignore_errors=True))


def _packages() -> set[Path]:
    """The engine and NumPy."""
    return {Path(sys.modules[name].__file__ or "").parent for name in ("autograd_teach", "numpy")}


def _without(hidden: list[str], needed: list[Path]) -> list[str]:
    """The folders that can be hidden: not one that Python or the engine lies in, as the grader's own folder may be."""
    return [name for name in hidden if not any(Path(name) in (path, *path.parents) for path in needed)]


def student(grader: int, level: Any, limits: Any, scratch: str, parent: int, uid: int) -> None:
    """Become the process in which the student's code runs."""
    status = 1
    try:
        os.setsid()
        pipe = 3
        os.dup2(grader, pipe)
        os.closerange(pipe + 1, 4096)
        os.chdir(scratch)
        os.environ.update(HOME=scratch, TMPDIR=scratch, MPLCONFIGDIR=scratch, MPLBACKEND="agg")
        tempfile.tempdir = None
        if level.namespaces:
            seclude.mount_processes()
        seclude.give_up_rights(level, limits, uid, confine)
        wardens.end_with_parent(0 if level.namespaces else parent)
        serve(socket.socket(fileno=pipe))
        status = 0
    except MemoryError:
        status = 2
    finally:
        os._exit(status)


def main() -> None:
    """Load the engine, then fork a warden whenever the grader sends the two ends of its pipes."""
    job = json.loads(sys.argv[1])
    control = socket.socket(fileno=os.dup(0))
    wardens.hide_memory()
    load_course(Path(job["root"]))
    load_engine()
    wardens.let_go_of_streams()  # not before: what goes wrong until here is said on standard error
    gc.collect()
    gc.freeze()

    def begin(message: bytes, talk: int, life: int, zygote: int) -> None:
        memory, seconds = wire.JOB.unpack(message)
        warden(talk, life, zygote, seclude.Limits(memory, seconds), job["hidden"])

    wardens.wait(control, wire.JOB.size, begin)


if __name__ == "__main__":
    main()
