"""The student's side of the oracle: loads cells, calls what they define, and tells on a pipe what came of it.

Started by pool.py as a script, never imported. It loads the engine once and then waits (../wardens.py); for each submission
it forks a warden, which cuts itself off (seclude.py), forks the process that runs the student's code, and ends it with all
its descendants when the grader lets go of it. May use the engine and the course's way of observing (course/observe.py,
observe_call.py). No declaration of an exercise is ever loaded here: the module that holds them is replaced by an empty one.

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

import numpy as np

HERE = Path(__file__).parent
EXERCISES = "autograd_teach.course.exercises"


def _file(name: str, folder: Path = HERE) -> Any:
    """A file as a module, without the package around it."""
    spec = importlib.util.spec_from_file_location(f"oracle_{name}", folder / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


wire = _file("wire")
seclude = _file("seclude")
confine = _file("confine", HERE.parent)
wardens = _file("wardens", HERE.parent)


# ---- what the student's code finds ------------------------------------------------------------------------------------


def hide_declarations(root: Path) -> None:
    """Put an empty package where the exercises are declared, with nothing in it but the forms of a declaration."""
    if str(root) not in sys.path:  # before an installed copy of the course, where the grader has another
        sys.path.insert(0, str(root))
    course = importlib.import_module("autograd_teach.course")
    empty = types.ModuleType(EXERCISES)
    empty.__path__ = []
    sys.modules[EXERCISES] = empty
    path = root / "autograd_teach" / "course" / "exercises" / "declaration.py"
    spec = importlib.util.spec_from_file_location(f"{EXERCISES}.declaration", path)
    assert spec and spec.loader
    forms = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = forms
    spec.loader.exec_module(forms)
    empty.declaration = forms  # type: ignore[attr-defined]
    sys.modules["autograd_teach.grading"] = None  # type: ignore[assignment]  # Python's own sign for "not to be imported"
    for name in ("check", "hint", "progress"):  # a cell that calls one of these is still a right answer
        setattr(course, name, lambda *given, **named: None)
    vars(course)["NotPassed"] = type("NotPassed", (Exception,), {})


def load_engine() -> None:
    """Everything that answers are likely to use, once for all submissions."""
    import autograd_teach as torch
    from autograd_teach.course import observe, observe_call  # noqa: F401

    for name in ("autograd", "nn", "nn.functional", "optim"):
        with contextlib.suppress(ImportError):
            importlib.import_module(f"autograd_teach.{name}")
    x = torch.ones(2, requires_grad=True)
    ((x * 2 + 1).exp().sum() / 3).backward()


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
        return b"\1" + wire._words(_said(problem))
    return b"\0" + wire._words("")


def _said(problem: BaseException) -> str:
    from autograd_teach.course.guard import crash_of

    return str(crash_of(problem, "your code"))


def answer_function(notebook: Notebook, asked: dict[str, Any]) -> bytes:
    """Call a custom Function as often and in the ways that are asked for."""
    from autograd_teach.course import observe
    from autograd_teach.course.exercises.declaration import Gradcheck

    layouts = [wire.RunLayout(_forms(run["values"]), _forms(run["gradients"])) for run in asked["runs"]]
    twice = [wire.TwiceLayout(_forms(each["forms"])) for each in asked["twice"]]
    size = sum(each.size for each in (*layouts, *twice))
    function, structure = observe.function_of(notebook.names.get(asked["entry"]))
    if structure is not None:
        return b"\0" + wire._words(structure) + bytes(size)
    grading = Gradcheck(
        tuple(asked["arguments"]),
        _nothing,
        _nothing,
        results=asked["results"],
        constants=tuple(asked["constants"]),
        in_place=tuple(asked["in_place"]),
    )
    probe = observe._Probe(function, grading)
    parts = [b"\1" + wire._words("")]
    said = ""  # by the first run that raised: no other can change that it did
    for plan, layout in zip(asked["runs"], layouts, strict=True):
        told = wire.Ran(crashed=True, words=said) if said else _told(_run(observe, probe, plan), layout)
        said = told.words if told.crashed else ""
        parts.append(layout.pack(told))
    for plan, form in zip(asked["twice"], twice, strict=True):
        parts.append(form.pack(wire.Twice(crashed=True, words=said) if said else _twice(probe, plan)))
    return b"".join(parts)


def _nothing(*given: Any) -> Any:
    return None


def _forms(read: Any) -> tuple[Any, ...]:
    return tuple(None if form is None else (form[0], tuple(form[1])) for form in read)


def _run(observe: Any, probe: Any, plan: dict[str, Any]) -> Any:
    arguments = tuple(plan["arguments"])
    given = plan["cotangents"]
    cotangents = None if given is None else lambda outputs: tuple(given)
    match plan["mode"]:
        case "interleaved":
            return observe._interleave(probe, arguments, tuple(plan["other"]), cotangents)
        case "changed_after":
            return observe._change_after_forward(probe, arguments, cotangents)
        case "no_gradient":
            return probe.without_gradient(arguments, cotangents)
    return probe.run(arguments, cotangents, needed=plan["needed"], only=plan["only"])


def _told(run: Any, layout: Any) -> Any:
    """A run as it goes over the wire."""
    values = run.values or ()
    fit = len(values) == len(layout.values) and all(
        (value.dtype.name, value.shape) == form for value, form in zip(values, layout.values, strict=True)
    )
    returned = run.returned or ()
    crash = run.crash or run.refused
    return wire.Ran(
        has_values=run.values is not None and fit,
        odd=run.odd_result is not None or (run.values is not None and not fit),
        own_node=run.own_node,
        returned=run.returned is not None,
        refused=run.refused is not None,
        crashed=run.crash is not None,
        got_none=run.got_none,
        changed=bool(run.changed),
        too_many=any(each is not None for each in returned[len(layout.gradients) :]),
        requires_grad=tuple(run.requires_grad),
        returned_itself=tuple(number in run.returned_itself for number in range(len(layout.gradients))),
        gradients=tuple(_place(each, form) for each, form in zip(returned, layout.gradients, strict=False)),
        values=tuple(values),
        words=str(crash) if crash else "",
    )


def _place(entry: Any, form: Any) -> tuple[int, np.ndarray | None]:
    if entry is None:
        return wire.NONE, None
    if form is None or not isinstance(entry, np.ndarray) or entry.shape != form[1] or entry.dtype.kind not in "fiub":
        return wire.ODD, None
    return wire.ARRAY, entry


def _twice(probe: Any, plan: dict[str, Any]) -> Any:
    """Differentiate backward itself; what is right is measured elsewhere."""
    from autograd_teach.course import observe

    arguments, torch = tuple(plan["arguments"]), probe.torch
    told, run = wire.Twice(), observe.Run(arguments)
    with probe._caught(run):
        leaves, inputs = probe.tensors(arguments)
        outputs = observe.differentiable(probe.grading, probe.forward(run, inputs))
        cotangents = [torch.tensor(v, requires_grad=True) for v in plan["cotangents"]]
        wanted = [leaf for leaf, a in zip(leaves, arguments, strict=True) if observe.is_float(a)]
        first = torch.autograd.grad(outputs, wanted, cotangents, create_graph=True, allow_unused=True)
        pairs = [(g, w) for g, w in zip(first, plan["weights"], strict=True) if g is not None and g.requires_grad]
        told.connected = bool(pairs)
        if pairs:
            reached, vs = [g for g, _ in pairs], tuple(torch.tensor(w) for _, w in pairs)
            found = torch.autograd.grad(reached, [*wanted, *cotangents], vs, allow_unused=True)
            told.got = tuple(None if each is None else observe.as_array(each).copy() for each in found)
            if all(each is None for each in found):
                torch.autograd.backward(reached, vs)  # meets the error of `once_differentiable`
    told.crashed = run.crash is not None
    told.words = str(run.crash) if run.crash else ""
    return told


def answer_call(notebook: Notebook, asked: dict[str, Any]) -> bytes:
    """Call a function, or use whatever else it is, on each of the given arguments."""
    from autograd_teach.course import observe_call
    from autograd_teach.course.exercises import declaration

    capacity = asked["capacity"]
    subject = notebook.names.get(asked["entry"])
    if not callable(subject):
        return wire.padded(wire.dump("no_function"), capacity) * len(asked["calls"])
    sys.modules["oracle_text"] = module = types.ModuleType("oracle_text")  # dataclasses look for it there
    sent = vars(module)
    exec(compile(asked["text"], "<exercise>", "exec", dont_inherit=True), sent)  # noqa: S102  # the grader's own text
    grading = declaration.Call(tuple(asked["names"]), _nothing, _nothing, call=sent.get("call"))
    torch = observe_call._engine_of(subject)
    replies = []
    for given in asked["calls"]:
        arguments = tuple(_made(each, sent, declaration) for each in given)
        calls: list[Any] = []
        observe_call._call(grading, torch, subject, arguments, calls)
        replies.append(wire.padded(wire.dump(_called(calls[0], observe_call.NOTHING)), capacity))
        if calls[0].crash:
            break
    return b"".join([*replies, *replies[-1:] * (len(asked["calls"]) - len(replies))])


def _made(given: Any, sent: dict[str, Any], declaration: Any) -> Any:
    if not isinstance(given, wire.Made):
        return given
    kind = sent.get(given.kind) or getattr(declaration, given.kind)
    kind.for_specification = _nothing
    made = kind.__new__(kind)
    vars(made).update(given.state)
    return made


def _called(called: Any, nothing: Any) -> dict[str, Any]:
    def facts(each: Any) -> list[Any]:
        return [each.value, each.requires_grad, each.is_leaf, each.grad, list(each.shares_memory)]

    return {
        "result": wire.Nothing() if called.result is nothing else called.result,
        "results": [facts(each) for each in called.results],
        "after": {name: facts(each) for name, each in called.after.items()},
        "changed": list(called.changed),
        "crash": str(called.crash) if called.crash else None,
        "counts": [
            {name: count for name, count in vars(each).items() if isinstance(count, int)}
            if hasattr(each, "for_student")
            else {}
            for each in called.arguments
        ],
    }


ANSWERS: dict[str, Callable[[Notebook, dict[str, Any]], bytes]] = {
    "load": answer_load,
    "function": answer_function,
    "call": answer_call,
}


def serve(grader: socket.socket) -> None:
    """Answer until the grader hangs up."""
    notebook = Notebook()
    for asked in _questions(grader):
        grader.sendall(ANSWERS[asked["ask"]](notebook, asked))


def _questions(grader: socket.socket) -> Iterator[dict[str, Any]]:
    while True:
        head = _exactly(grader, 4)
        if head is None:
            return
        text = _exactly(grader, wire.length_of_question(head))
        if text is None:
            return
        yield wire.load(text)


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
    hide_declarations(Path(job["root"]))
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
