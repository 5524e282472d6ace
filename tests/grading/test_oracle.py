"""The oracle: agrees with `check` on every answer of the course's tables, and no attack gets a point or stops it.

Attacks run in the oracle's own processes, under the best isolation that this machine has.
"""

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import psutil
import pytest

from autograd_teach.course import content, specs
from autograd_teach.course.checking import drawing, report_on
from autograd_teach.course.checks.function.evidence import measure
from autograd_teach.course.checks.records import Strange
from autograd_teach.course.checks.spec import CallSpec, FunctionSpec, specified
from autograd_teach.course.exercises import CallForm, FunctionForm, Leaf, exercise, exercises
from autograd_teach.course.specs import spec_of
from autograd_teach.grading import judge, sandbox
from autograd_teach.grading.batch import grade
from autograd_teach.grading.notebook_run import Limits
from autograd_teach.grading.oracle import judging, referee, server, wire
from autograd_teach.grading.oracle.judging import Oracle
from autograd_teach.grading.rebuild import Assignment, load_assignments
from autograd_teach.grading.results import Mark, Status
from autograd_teach.grading.sandbox import Bounds, Box, Boxes, Ended, Interrupted, Isolation
from tests.course.table import Cell, cell_of, cells
from tests.grading.test_sandbox import asked

BY_ID = {each.id: each for each in exercises()}
SEED = 7_316_524
LIMITS = Limits(timeout=9.0, memory=1_500_000_000)
SOON = 0.3
"""Seconds for what is meant to run out of time. All else has `LIMITS`, which are more than a busy machine takes."""


@pytest.fixture(scope="module")
def pool() -> Iterator[Boxes]:
    with new_pool() as one:
        yield one


def new_pool(kind: Isolation | None = None) -> Boxes:
    return Boxes(judge.ORACLE, kind or sandbox.available(), [content.folder("solutions"), Path(specs.__file__).parent])


@pytest.fixture(scope="module")
def assignments() -> dict[str, Assignment]:
    found = load_assignments(content.folder("solutions"), content.folder("exercises"), exercises())
    return {each.name[:2]: each for each in found}


def never(*_: object) -> dict[str, Mark]:
    raise AssertionError("the oracle left something to nbval")


def ask(box: Box, question: bytes, size: int, seconds: float = 60.0) -> bytes:
    return judging.Asking(box, threading.Event())(question, size, seconds)


def load(box: Box, name: str, source: str) -> None:
    raised, words = referee.read_loaded(ask(box, *referee.load_question(name, source)))
    assert not raised, words


# ---- agreement with `check` -------------------------------------------------------------------------------------------


def one_for_each_exercise(rows: list[Cell]) -> list[Cell]:
    several = {row.exercise: [each for each in rows if each.exercise == row.exercise] for row in rows}
    return [each[len(each) // 2] for each in several.values()]


class Answers:
    """Answers in one process, and in another one when an answer has ended that."""

    def __init__(self, pool: Boxes) -> None:
        self._pool = pool
        self._open = contextlib.ExitStack()
        self._session: Box | None = None

    def verdict(self, cell: Cell) -> referee.Verdict | None:
        """None if the answer is endless, and nothing else in time."""
        if self._session is None:
            self._session = self._open.enter_context(self._pool.open(Bounds()))
        load(self._session, "setup", cell_of(cell.exercise, "setup"))
        load(self._session, cell.exercise, cell.text)
        try:
            return referee.judge(
                BY_ID[cell.exercise], partial(ask, self._session, seconds=SOON if is_endless(cell) else 60.0), SEED
            )
        except Ended:
            self._open.close()
            self._session = None
            if not is_endless(cell):
                raise
            return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()


def is_endless(cell: Cell) -> bool:
    return cell.diagnosis == "timeout"


@pytest.mark.parametrize("chosen", [one_for_each_exercise, pytest.param(list, marks=pytest.mark.full, id="all")])
@pytest.mark.parametrize("number", sorted({each.notebook[:2] for each in exercises()}))
def test_check_and_oracle_agree(pool: Boxes, number: str, chosen: Callable[[list[Cell]], list[Cell]]) -> None:
    """On what the tables of answers say, where `check` is held against them too. The right ones come last, in a process
    in which all wrong ones have been: nothing of those was wrong for what another one had left behind."""
    wrong, right = ([cell for cell in cells(kind) if cell.exercise[:2] == number] for kind in ("wrong", "right"))
    with Answers(pool) as answers:
        verdicts = {str(cell): answers.verdict(cell) for cell in [*chosen(wrong), *chosen(right)]}
    judged = {title: verdict.passed if verdict else None for title, verdict in verdicts.items()}
    expected = {str(cell): None if is_endless(cell) else cell.kind == "right" for cell in [*wrong, *right]}
    assert judged == {title: expected[title] for title in judged}, {
        title: verdicts[title] for title in judged if judged[title] != expected[title]
    }


@pytest.mark.full  # the short run draws once for each right answer, above
@pytest.mark.parametrize("number", sorted({each.notebook[:2] for each in exercises()}))
def test_the_reference_is_right_on_whatever_is_drawn(
    pool: Boxes, assignments: dict[str, Assignment], number: str
) -> None:
    assignment = assignments[number]
    sources = {cell["id"]: cell["source"] for cell in assignment.cells}
    with pool.open(Bounds()) as box:
        load(box, "setup", sources["setup"])
        for question in assignment.questions:
            load(box, question.id, assignment.references[question.id])
            for seed in range(4):
                verdict = referee.judge(BY_ID[question.id], partial(ask, box), seed)
                assert verdict.passed, verdict


def test_the_oracle_can_ask_every_exercise() -> None:
    assert not {each.id: why for each in exercises() if (why := referee.can_ask(each))}


class Undeclared(Leaf):
    """An argument of a class that the student's process does not have."""


def test_an_exercise_that_cannot_be_asked_is_left_to_the_other_judge(
    pool: Boxes, assignments: dict[str, Assignment], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = CallSpec(lambda x: x, lambda rng: [(Undeclared(1.0),)])
    why = referee.can_ask(replace(BY_ID["09.Scale"], form=CallForm(("x",))), spec)
    assert why == "its argument Undeclared is not declared in the exercises"
    monkeypatch.setattr(judging, "can_ask", lambda each: why if each.id == "09.Scale" else "")
    mark = Mark("09.Scale", Status.PASS, 2, judge="nbval")
    oracle = Oracle(pool, BY_ID, LIMITS, lambda *_: {"09.Scale": mark})
    marks = oracle(assignments["09"], assignments["09"].references, threading.Event())
    judges = {id: each.judge for id, each in marks.items()}
    assert judges == dict.fromkeys(assignments["09"].references, "oracle") | {"09.Scale": "nbval"}


def test_the_second_order_is_measured_on_the_specification() -> None:
    cube = exercise("11.Cube")
    spec = spec_of(cube)
    assert isinstance(cube.form, FunctionForm) and isinstance(spec, FunctionSpec)
    x, g, w = np.array([0.5, -1.25]), np.array([1.5, -0.5]), np.array([0.75, 2.0])
    measured = measure(spec, (x,), (g,), (w,))
    np.testing.assert_allclose(measured[0], w * g * 6 * x, rtol=1e-8)
    np.testing.assert_allclose(measured[-1], w * 3 * x**2, rtol=1e-8)


# ---- bytes ----------------------------------------------------------------------------------------------------------


def test_what_is_sent_comes_back_the_same() -> None:
    sent = {
        "a": [1, 2.5, None, True, "ü", (np.arange(6).reshape(2, 3), np.array(1.5, np.float32))],
        "b": {"c": np.zeros((0, 2))},
    }
    got = wire.load(wire.dump(sent))
    assert repr(got) == repr(sent)
    assert got["a"][5][0].dtype == np.int64 and got["b"]["c"].shape == (0, 2)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"other": 1}',
        b'{"array": ["float64", [2], "AAAA"]}',
        b'{"array": ["object", [1], "AAAAAAAAAAA="]}',
        b'{"array": ["float64", [-1], ""]}',
        b'{"array": ["float64", [1000000000, 1000000000], ""]}',
        b'{"array": ["float64", [1.5], ""]}',
        b'{"dict": [[1, 2]]}',
        b'{"dict": 3}',
        b'{"dict": [], "tuple": []}',
    ],
)
def test_what_is_no_reply_is_refused(text: bytes) -> None:
    with pytest.raises(wire.Broken):
        wire.load(text)


def test_a_length_beyond_the_reply_is_refused() -> None:
    assert wire.unpadded(wire.padded(b"abc", 64)) == b"abc"
    with pytest.raises(wire.Broken):
        wire.unpadded(b"\xff\xff\xff\xff" + bytes(60))
    assert isinstance(wire.load(wire.unpadded(wire.padded(b"1" * 100, 64))), Strange)


# ---- attacks --------------------------------------------------------------------------------------------------------

SCALE = """\
import os, sys, gc, signal, time, threading
import numpy as np
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        {forward}
    @staticmethod
    def backward(ctx, grad_output):
        {backward}
{after}
"""
RIGHT_FORWARD, RIGHT_BACKWARD = "return x * factor", "return grad_output * ctx.factor, None"


def scale(forward: str = RIGHT_FORWARD, backward: str = RIGHT_BACKWARD, after: str = "") -> str:
    """An answer to 09.Scale."""
    return SCALE.format(forward=forward, backward=backward, after=after)


WRONG = scale("return x * 0", "return grad_output * 0, None")

FORGED = {
    "bytes on the pipe": scale(after="os.write(3, b'\\0' + bytes(160) + b'\\1' * 500000)"),
    "bytes on every open file": WRONG
    + "for n in range(64):\n    try: os.write(n, b'\\1' * 4096)\n    except OSError: pass",
    "bytes when asked": scale("os.write(3, b'\\1' * 200000); return x * 0"),
    "a pipe that is closed": scale("os.close(3); return x * factor"),
    "replies packed anew": WRONG + "import oracle_wire as w\nw.padded = lambda text, size: b'\\1' * size",
    "records of another type": scale(after="import oracle_wire as w\nw.dump = lambda value: b'[7]'"),
    "replies too long": scale(after="import oracle_wire as w\nw.padded = lambda text, size: bytes(size + 1)"),
    "replies too short": scale(after="import oracle_wire as w\nw.padded = lambda text, size: bytes(size - 1)"),
    "what compares": WRONG
    + "import builtins\nyes = lambda *a, **k: True\nfor name in ('allclose', 'isclose', 'array_equal', 'shares_memory'):\n"
    "    setattr(np, name, yes)\nbuiltins.abs = lambda x: 0\nbuiltins.all = yes",
    "the course": WRONG
    + "import autograd_teach.course as c\nimport autograd_teach.course.checks.function.asking as o\nc.check = lambda *a: None\n"
    "o.FunctionAsking.reply = lambda self, asked: o.Run(values=(asked.arguments[0],), returned=(asked.arguments[0], None))\n"
    "torch.autograd.gradcheck = lambda *a, **k: True",
    "Function.apply": WRONG + "Scale.apply = classmethod(lambda cls, x, factor: x)\nFunction.apply = Scale.apply",
    "zeros": WRONG,
    "NaN": scale("return x * float('nan')", "return grad_output * float('nan'), None"),
    "infinity": scale("return x * float('inf')", "return grad_output * float('inf'), None"),
    "another dtype": scale("return (x * factor).float()"),
    "another shape": scale("return (x * factor).reshape(1, *x.shape)", "return grad_output.reshape(ctx.shape), None"),
    "the same for all": scale("return torch.ones(3, dtype=x.dtype) * factor"),
    "x changed": scale("x.detach().numpy().__imul__(factor); return x * 1"),
    "grad_output changed": scale(backward="grad_output *= ctx.factor; return grad_output, None"),
    "x itself": scale("return x"),
    "right at first": scale("Scale.n = getattr(Scale, 'n', 0) + 1; return x * factor * (1 if Scale.n <= 9 else 2)"),
    "right from some time on": scale(
        "Scale.n = getattr(Scale, 'n', 0) + 1; return x * factor * (1 if Scale.n > 3 else 2)"
    ),
    "right for public cotangents": scale(backward="return grad_output * 0 + ctx.factor * grad_output.sum(), None"),
    "a subclass that lies": scale(
        "return x.detach().numpy() * 0 + Liar(factor)",
        after="class Liar(float):\n    def __eq__(self, other): return True\n    def __array__(self, *a, **k): return np.zeros(3)\n"
        "    __float__ = lambda self: 1.0\n    __hash__ = float.__hash__",
    ),
    "a Tensor that lies": scale(
        "return Liar(x.detach().numpy() * 0)",
        after="class Liar(torch.Tensor):\n    def __eq__(self, other): return True\n    def numpy(self): return self",
    ),
    "nothing raised but SystemExit": scale("raise SystemExit(0)"),
    "an exit at the end": scale(backward="sys.exit(0)"),
    "input": scale("return x * float(input())"),
    "KeyboardInterrupt": scale("raise KeyboardInterrupt"),
    "no class": "Scale = None",
    "an instance that does all": "class Yes:\n    def __getattr__(self, name): return self\n    def __call__(self, *a): return self\nScale = Yes()",
    "a syntax error": "class Scale(Function:\n",
}
"""What must be judged wrong, or end in a status of its own: never a point."""

WITHOUT_REPLY = {"replies too short"}
"""Of these, what is waited for as long as there is time."""

ENDED = {
    "os._exit when asked, known from before": (
        scale("leave(0)", after="from os import _exit as leave"),
        Status.DIED,
    ),
    "os._exit when loaded": (scale(after="os._exit(0)"), Status.DIED),
    "a signal to itself": (scale("import ctypes; ctypes.string_at(0); return x"), Status.DIED),
    "endless": (scale("while True: pass"), Status.TIMEOUT),
    "endless, signals ignored": (
        scale("while True:\n            try: time.sleep(1)\n            except BaseException: pass")
        + "for n in range(1, 30):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass",
        Status.TIMEOUT,
    ),
    "endless when loaded": (scale(after="while True: pass"), Status.TIMEOUT),
    "50 GB": (scale("bytearray(50 * 10**9); return x * factor"), Status.OUT_OF_MEMORY),
    "50 GB when loaded": (scale(after="x = bytearray(50 * 10**9)"), Status.OUT_OF_MEMORY),
    "more and more": (scale("all = []\n        while True: all.append(bytearray(10**8))"), Status.OUT_OF_MEMORY),
}
"""What ends the process or its time, and the status."""

WEIGHED = {
    "all of it": (scale(), Status.PASS, 1),
    "forward alone": (scale(backward="return grad_output * 3, None"), Status.PARTIAL, 0.25),
    "backward alone": (scale("return x * factor + 1"), Status.PARTIAL, 0.75),
    "neither": (scale("return x * 3", "return grad_output * 3, None"), Status.FAIL, 0),
    "a check without a weight, too": (scale("x += 1; return x * factor"), Status.FAIL, 0),
    "a backward that is not compared, forward having another shape": (
        scale("return (x * factor).sum()", "return grad_output * ctx.factor + 0 * torch.zeros(3), None"), Status.FAIL, 0,
    ),
    "a backward that is not compared where x is no vector": (
        scale(
            "ctx.shape = x.shape; return x * factor if x.dim() == 1 else (x * factor).sum()",
            "return (grad_output if grad_output.shape == ctx.shape else torch.ones(ctx.shape)) * ctx.factor, None",
        ), Status.FAIL, 0,
    ),
    "a backward that does not run": (scale(backward="raise ValueError"), Status.FAIL, 0),
    "no Function": ("Scale = 1", Status.FAIL, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", WEIGHED)
def test_weights_of_checks_give_a_share_of_the_points(
    pool: Boxes, assignments: dict[str, Assignment], name: str
) -> None:
    answer, status, share = WEIGHED[name]
    weighed = {**BY_ID, "09.Scale": replace(BY_ID["09.Scale"], weights={"forward": 1, "gradient": 3})}
    asked = {"09.Scale": answer}
    mark = Oracle(pool, weighed, LIMITS, never)(assignments["09"], asked, threading.Event())["09.Scale"]
    assert (mark.status, mark.share, mark.points) == (status, share, 2 * share), mark
    plain = judged(pool, assignments["09"], asked)["09.Scale"]
    assert (plain.status, plain.share) == ((status, share) if share == 1 else (Status.FAIL, 0))


EXITS = {
    "when asked, by name": (scale("exit()"), "forward, line 7: `exit()` ends the program"),
    "when asked, at once": (scale("os._exit(0)"), "forward, line 7: `os._exit(0)` ends the program"),
    "when loaded, by name": (scale(after="quit()"), "`quit()` ends the program"),
    "when loaded, at once": (scale(after="os._exit(0)"), "it ended its own process"),
}
"""What ends the program, and what a student is told."""

RAISED = {
    "words about an exit": ("raise ValueError('ends the program (SystemExit)')", Status.FAIL),
    "words about memory": ("raise ValueError('raised MemoryError')", Status.FAIL),
    "another SystemExit": ("raise type('SystemExit', (Exception,), {})", Status.FAIL),
    "another MemoryError": ("raise type('MemoryError', (Exception,), {})", Status.FAIL),
    "an exit of its own": ("raise type('Leave', (SystemExit,), {})", Status.DIED),
    "NumPy's MemoryError": ("np.zeros(10**15)", Status.OUT_OF_MEMORY),
}
"""What an answer raises, and the status: by the type, whatever its name and words are."""

SPOILING = {
    "when loaded": ("os.write(3, b'x')", Status.PROTOCOL_ERROR),
    "when loaded, as long as a reply": ("os.write(3, bytes(16 + 161))", Status.PROTOCOL_ERROR),
    "when loaded, by a thread": (
        "import threading\none = threading.Thread(target=os.write, args=(3, b'x'))\none.start()\none.join()",
        Status.PROTOCOL_ERROR,
    ),
    "when asked": (
        "kept = KillHead.forward\nKillHead.forward = staticmethod(lambda *given: (os.write(3, b'x'), kept(*given))[1])",
        Status.PROTOCOL_ERROR,
    ),
    "after the reply": (
        ("import socket\nsend = socket.socket.sendall\n"
        "socket.socket.sendall = lambda self, data: send(self, data + b'x' * (len(data) > 1000))"),
        Status.PROTOCOL_ERROR,
    ),
    "at exit": ("import atexit\natexit.register(os.write, 3, b'x')", Status.PASS),
    "when the next cell is loaded": ("Scale = Late()\nLate.act = lambda: os.write(3, b'x')", Status.PASS),
    "when the next cell is loaded, as long as a reply": (
        "Scale = Late()\nLate.act = lambda: os.write(3, bytes(16 + 161))", Status.PASS,
    ),
    "when the one after the next is loaded": ("Exp = Late()\nLate.act = lambda: os.write(3, b'x')", Status.PASS),
    "by a child, when the next cell is loaded": (
        ("Scale = Late()\nfork = getattr(os, 'fo' + 'rk')\n"
        "Late.act = lambda: os.waitpid(pid, 0) if (pid := fork()) else (os.write(3, b'x'), os._exit(0))"), Status.PASS,
    ),
    "it ends the process when the next cell is loaded": ("Scale = Late()\nLate.act = lambda: os._exit(0)", Status.PASS),
}  # fmt: skip
"""What an answer does to the process or to its connection with the grader, when, and the status of this answer."""

LATE = """
def times(x, by): return x * by
class Late:
    def __del__(self): Late.act()
"""

ODDITIES = {
    "prints": scale("print('x' * 1_000_000); return x * factor"),
    "warns": scale("import warnings; warnings.warn('mind'); return x * factor"),
    "matplotlib": scale(after="import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()"),
    "magic": "%matplotlib inline\n" + scale(after="!ls\nfiles = !ls\nScale?\ndisplay(Scale)"),
    "a magic by its call": scale(after="get_ipython().run_line_magic('matplotlib', 'inline')"),
    "checks itself": scale(after="from autograd_teach.course import check\ncheck('09.Scale', Scale)"),
    "slow": scale(after=f"time.sleep({2 * SOON})"),
    "threads": scale(after="threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"),
    "its source": scale(after="import inspect\nassert 'factor' in inspect.getsource(Scale.forward)"),
    "main": "assert __name__ == '__main__'\n" + scale(),
    "late import": scale("import wave, decimal; return x * factor"),
    "left behind": scale(
        after="import atexit\natexit.register(lambda: time.sleep(60))\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)"
    ),
}
"""What is right, however odd."""


@dataclass(frozen=True)
class Overheard:
    """A pool with sessions that tell whenever `exercise` is loaded or asked about, and wait as long as they are told."""

    pool: Boxes
    exercise: str
    seconds: Callable[[str], float]  # of "load" or "ask", for a reply

    @contextlib.contextmanager
    def open(self, bounds: Bounds) -> Iterator[Box]:
        with self.pool.open(bounds) as box:
            exchange = box.exchange
            about = {f"<answer {self.exercise}>": "load", f'["exercise","{self.exercise}"]': "ask"}

            def overheard(question: bytes, size: int, seconds: float, stop: threading.Event) -> bytes:
                assert seconds == LIMITS.timeout
                kinds = [kind for words, kind in about.items() if words.encode() in question]
                return exchange(question, size, self.seconds(kinds[0]) if kinds else seconds, stop)

            box.exchange = overheard  # type: ignore[method-assign,assignment]
            yield box


def judged(
    pool: Boxes | Overheard, assignment: Assignment, answers: dict[str, str], limits: Limits = LIMITS
) -> dict[str, Mark]:
    return Oracle(pool, BY_ID, limits, never)(assignment, answers, threading.Event())  # type: ignore[arg-type]


def hurried(pool: Boxes, exercise: str = "09.Scale") -> Overheard:
    """`pool`, with little time for one exercise."""
    return Overheard(pool, exercise, lambda kind: SOON)


@pytest.mark.parametrize("name", FORGED)
def test_what_is_wrong_gets_nothing(pool: Boxes, assignments: dict[str, Assignment], name: str) -> None:
    waiting = hurried(pool) if name in WITHOUT_REPLY else pool
    mark = judged(waiting, assignments["09"], {"09.Scale": FORGED[name]})["09.Scale"]
    assert mark.points == 0
    assert mark.status in {Status.FAIL, Status.PROTOCOL_ERROR, Status.DIED, Status.TIMEOUT}, mark
    assert mark.detail and mark.detail.isprintable()


@pytest.mark.parametrize("name", EXITS)
def test_who_ends_the_program_is_told_in_plain_words(
    pool: Boxes, assignments: dict[str, Assignment], name: str
) -> None:
    source, words = EXITS[name]
    marks = judged(pool, assignments["09"], {**assignments["09"].references, "09.Scale": source})
    assert (marks["09.Scale"].points, marks["09.Scale"].status) == (0, Status.DIED)
    assert words in marks["09.Scale"].detail and "take that line out" in marks["09.Scale"].detail
    assert {marks[id].status for id in ("09.KillHead", "09.Exp")} == {Status.PASS}


@pytest.mark.parametrize("name", ENDED)
def test_what_ends_the_process_has_a_status_and_takes_no_other_answer_with_it(
    pool: Boxes, assignments: dict[str, Assignment], name: str
) -> None:
    source, status = ENDED[name]
    waiting = hurried(pool) if status is Status.TIMEOUT else pool
    marks = judged(waiting, assignments["09"], {**assignments["09"].references, "09.Scale": source})
    assert marks["09.Scale"].status is status, marks["09.Scale"]
    assert {marks[id].status for id in ("09.KillHead", "09.Exp")} == {Status.PASS}


@pytest.mark.parametrize("when", ["asked", "loaded"])
@pytest.mark.parametrize("name", RAISED)
def test_the_status_is_that_of_the_type_that_is_raised(
    pool: Boxes, assignments: dict[str, Assignment], name: str, when: str
) -> None:
    source, status = RAISED[name]
    answer = scale(source) if when == "asked" else scale(after=source)
    mark = judged(pool, assignments["09"], {"09.Scale": answer})["09.Scale"]
    assert (mark.status, mark.points) == (status, 0), mark


@pytest.mark.parametrize("name", SPOILING)
def test_what_spoils_the_process_is_paid_by_no_other_answer(
    pool: Boxes, assignments: dict[str, Assignment], name: str
) -> None:
    source, status = SPOILING[name]
    references = assignments["09"].references
    killing = f"import os\n{references['09.KillHead']}\n{LATE}\n{source}"
    answers = {**references, "09.KillHead": killing, "09.Scale": scale("return times(x, factor)").replace(" gc,", "")}
    marks = judged(pool, assignments["09"], answers)
    assert {id: mark.status for id, mark in marks.items()} == {
        "09.KillHead": status,
        "09.Scale": Status.PASS,
        "09.Exp": Status.PASS,
    }, marks


def test_who_keeps_the_next_cell_from_loading_stops_nobody(pool: Boxes, assignments: dict[str, Assignment]) -> None:
    references, soon = assignments["09"].references, [SOON]
    endless = "def act():\n    while True: pass\nScale = Late()\nLate.act = act"
    answers = {**references, "09.KillHead": f"{references['09.KillHead']}\n{LATE}\n{endless}"}
    waiting = Overheard(pool, "09.Scale", lambda kind: soon.pop() if soon else LIMITS.timeout)
    assert {mark.status for mark in judged(waiting, assignments["09"], answers).values()} == {Status.PASS}


def test_who_was_there_when_another_answer_ended_the_process_is_not_kept_apart(
    pool: Boxes, assignments: dict[str, Assignment]
) -> None:
    references = assignments["09"].references
    answers = {
        "09.KillHead": references["09.KillHead"] + "\nKillHead.notes = {}\nKillHead.notes['by'] = 2",
        "09.Scale": scale(after="os._exit(0)").replace(" gc,", ""),
        "09.Exp": "assert KillHead.notes == {'by': 2}\n" + references["09.Exp"],
    }
    marks = judged(pool, assignments["09"], answers)
    assert [mark.status for mark in marks.values()] == [Status.PASS, Status.DIED, Status.PASS], marks


def test_bytes_that_are_no_reply_to_the_question_are_none(pool: Boxes) -> None:
    """Not even those that were a reply to the question before."""
    with pool.open(Bounds()) as box:
        load(box, "one", "import os, socket, gc\nkept = []\nsend = socket.socket.sendall\n"
             "socket.socket.sendall = lambda self, data: (kept.append(data), send(self, kept[0]))")  # fmt: skip
        with pytest.raises(wire.Broken, match="something else than the reply"):
            load(box, "two", "")


@pytest.mark.parametrize("name", ODDITIES)
def test_what_is_right_passes_however_odd(pool: Boxes, assignments: dict[str, Assignment], name: str) -> None:
    limits = replace(LIMITS, memory=4_000_000_000)
    mark = judged(pool, assignments["09"], {"09.Scale": ODDITIES[name]}, limits)["09.Scale"]
    assert mark.status is Status.PASS, mark
    assert mark.judge == "oracle" and mark.seed and mark.versions and len(mark.source) == 64


def test_examples_learnt_by_heart_pass_the_check_and_not_the_oracle(
    pool: Boxes, assignments: dict[str, Assignment]
) -> None:
    spec = spec_of(exercise("02.gradient_of"))
    assert isinstance(spec, CallSpec)
    known = [
        (given[1].tolist(), spec.result(specified(given[0]), given[1]).tolist())
        for given in spec.inputs(drawing(exercise("02.gradient_of")))
    ]
    source = (
        "import numpy as np\n"
        "def gradient_of(f, x):\n"
        f"    for given, right in {known!r}:\n"
        "        if np.array_equal(np.array(given), x.numpy()): return torch.tensor(right, dtype=x.dtype)\n"
        "    return torch.zeros_like(x)"
    )
    names: dict[str, object] = {}
    exec(f"import autograd_teach as torch\n{source}", names)  # noqa: S102  # our own text
    assert report_on("02.gradient_of", names["gradient_of"]).passed
    assert judged(pool, assignments["02"], {"02.gradient_of": source})["02.gradient_of"].status is Status.FAIL


FORGED_COUNTS = """\
def counts(f):
    return next(c.cell_contents for c in f.__closure__ if isinstance(c.cell_contents, dict))
"""
ROW_BY_ROW = """
def hessian_vector_product(f, x, v):
    x = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    rows = [(torch.autograd.grad(e, x, retain_graph=True)[0] * v).sum() for e in g.reshape(-1)]
    counts(f)["passes"] = 2
    return torch.stack(rows).reshape(x.shape).detach()
"""
TWO_CALLS = """
def two_gradients(f, x):
    x = x.detach().clone().requires_grad_()
    found = tuple(torch.autograd.grad(f(x)[n], x)[0] for n in (0, 1))
    counts(f)["calls"] = 1
    return found
"""


def test_who_forges_the_count_of_passes_is_too_slow_for_a_large_input(
    pool: Boxes, assignments: dict[str, Assignment]
) -> None:
    answers = {**assignments["07"].references, "07.hessian_vector_product": FORGED_COUNTS + ROW_BY_ROW}
    kinds: list[str] = []

    def soon_for_the_large_input(kind: str) -> float:
        kinds.append(kind)
        return SOON if kinds == ["load", "ask", "ask"] else LIMITS.timeout

    waiting = Overheard(pool, "07.hessian_vector_product", soon_for_the_large_input)
    marks = judged(waiting, assignments["07"], answers)
    assert marks["07.hessian_vector_product"].status is Status.TIMEOUT
    assert {mark.status for id, mark in marks.items() if id != "07.hessian_vector_product"} == {Status.PASS}


def test_what_only_the_answers_own_process_counts_is_said_to_be_so(
    pool: Boxes, assignments: dict[str, Assignment]
) -> None:
    """Calling f twice cannot be told from outside: the result's words say what was taken on trust."""
    for source in (FORGED_COUNTS + TWO_CALLS, assignments["06"].references["06.two_gradients"]):
        mark = judged(pool, assignments["06"], {"06.two_gradients": source})["06.two_gradients"]
        assert mark.status is Status.PASS
        assert mark.detail.startswith("reported by its own process, not seen from outside: f is called once; ")
    honest = TWO_CALLS.replace('    counts(f)["calls"] = 1\n', "")
    mark = judged(pool, assignments["06"], {"06.two_gradients": honest})["06.two_gradients"]
    assert mark.status is Status.FAIL and "f is called once" in mark.detail


@pytest.mark.parametrize(
    "result",
    [
        "Liar()",
        "[[1.0]] * 10000",
        "torch.zeros(100000)",
        "10 ** 400",
        "deep()",
        "{'a': float('nan')}",
        "'\\ud800'",
        "x * float('nan')",
        "np.array([object()] * 3)",
        "np.zeros(3, dtype='M8[s]')",
        "f",
        "None",
    ],
)
def test_results_of_any_kind_are_only_wrong(pool: Boxes, assignments: dict[str, Assignment], result: str) -> None:
    source = f"""\
import numpy as np
class Liar:
    def __eq__(self, other): return True
    def __float__(self): return 0.0
    def __array__(self, *a, **k): return np.zeros(3)
    def detach(self): return self
    def numpy(self): return np.zeros(3).view(LyingArray)
class LyingArray(np.ndarray):
    def __array_function__(self, *a, **k): return True
    def __array_ufunc__(self, *a, **k): return True
def deep():
    inner = []
    for _ in range(900): inner = [inner]
    return inner
def gradient_of(f, x):
    return {result}
"""
    mark = judged(pool, assignments["02"], {"02.gradient_of": source})["02.gradient_of"]
    assert mark.status in {Status.FAIL, Status.PROTOCOL_ERROR}, mark


SPY = """\
import gc, sys, inspect
def found():
    seen = []
    for name in list(sys.modules):
        if name.startswith("autograd_teach.course.specs.") or name.endswith((".referee", ".judging", ".rebuild")):
            seen.append(name)
    for each in gc.get_objects():
        kind = type(each).__name__
        if kind in ("Mistake", "FunctionSpec", "CallSpec", "Assignment", "Verdict"):
            seen.append(kind)
        if inspect.isfunction(each) and ".specs." in (each.__module__ or ""):
            seen.append(each.__qualname__)
    frame = sys._getframe()
    while frame:
        for name, value in frame.f_locals.items():
            if name in ("expected", "reference", "references", "seed", "verdict"):
                seen.append(name)
        frame = frame.f_back
    for module in ("autograd_teach.course.specs.e09_custom_functions", "autograd_teach.grading.oracle.referee",
                   "autograd_teach.course.specs.e02_grad_and_backward", "autograd_teach.course.validate"):
        try:
            __import__(module)
            seen.append(module)
        except (ImportError, PermissionError):
            pass
    return seen
"""


def test_no_reference_and_no_declaration_is_in_the_process(
    every_pool: Boxes, assignments: dict[str, Assignment]
) -> None:
    pool = every_pool
    answers = {
        "09.Scale": SPY + scale("assert not found(), found(); return x * factor", after="assert not found(), found()")
    }
    mark = judged(pool, assignments["09"], answers)["09.Scale"]
    assert mark.status is Status.PASS, mark
    answers = {
        "02.gradient_of": SPY
        + assignments["02"].references["02.gradient_of"].replace("leaf =", "assert not found(), found()\n    leaf =", 1)
    }
    assert "assert" in answers["02.gradient_of"]
    mark = judged(pool, assignments["02"], answers)["02.gradient_of"]
    assert mark.status is Status.PASS, mark


SPECS = Path(specs.__file__).parent
REACHES = {
    "by import": "from autograd_teach.course.specs.e01_requires_grad import FLAGS",
    "by its name": "import pkgutil; pkgutil.resolve_name('autograd_teach.course.specs:spec_of')",
    "as a program": "import runpy; runpy.run_module(MODULE)",
    "as a file": "open(PATH, 'rb').read()",
    "as a compiled file": "import importlib.util; open(importlib.util.cache_from_source(PATH), 'rb').read()",
    "as lines of a traceback": "import linecache; assert linecache.getlines(PATH)",
    "as data of the package": "import autograd_teach; autograd_teach.__loader__.get_data(PATH)",
    "as a resource": "import importlib.resources as it; (it.files('autograd_teach.course') / 'specs' / NAME).read_bytes()",
    "as a module's source": "import importlib.util as it; assert it.find_spec(MODULE).loader.get_source(MODULE)",
    "in another process": "import subprocess; subprocess.run(['cat', PATH], check=True, capture_output=True)",
    "through a link": "import os; os.symlink(PATH, 'link'); open('link').read()",
    "through a hard link": "import os; os.link(PATH, 'hard'); open('hard').read()",
    "through the first process": "open('/proc/1/root' + PATH).read()",
    "by a handle": "import os; os.stat(os.open(PATH, os.O_RDONLY))",
    "solutions": "open(SOLUTION).read()",
}
MAY_BE_CLOSED = {"through a hard link", "through the first process"}
"""Also without a box: the tests' folder may lie on another disk, and the first process may be another user's."""


def test_where_no_process_can_be_forked_the_answer_is_asked_in_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier answer of the same student may have left as many as a box may have."""

    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(server.os, "fork", refuse)
    assert server.aside(lambda: b"reply", 5) == b"reply"


@pytest.fixture(scope="module", params=Isolation)
def every_pool(request: pytest.FixtureRequest, require_isolation: Callable[[Isolation], Isolation]) -> Iterator[Boxes]:
    """A pool of each isolation that this machine has."""
    with new_pool(require_isolation(request.param)) as one:
        yield one


KNOWN = {
    "PATH": str(SPECS / "e01_requires_grad.py"),
    "NAME": "e01_requires_grad.py",
    "MODULE": f"{specs.__name__}.e01_requires_grad",
    "SOLUTION": str(next(content.folder("solutions").glob("*.ipynb"))),
}


def attempt(name: str) -> str:
    """A program that goes the way `name` and sets `is_reached`."""
    known = "\n".join(f"{each} = {value!r}" for each, value in KNOWN.items())
    failing = "ImportError, AttributeError, OSError, AssertionError, subprocess.CalledProcessError"
    return f"import subprocess\n{known}\ntry:\n    {REACHES[name]}\n    is_reached = True\nexcept ({failing}): is_reached = False"


@pytest.fixture(scope="module")
def reached_here(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The ways that lead there without a box."""
    programs = {name: attempt(name) for name in REACHES}
    said = f"for name, program in {programs!r}.items():\n    exec(program)\n    print(name * is_reached)"
    run = subprocess.run(
        [sys.executable, "-c", said], cwd=tmp_path_factory.mktemp("here"), capture_output=True, text=True, check=True
    )
    return {*run.stdout.splitlines()}


@pytest.mark.parametrize("name", REACHES)
def test_no_right_answer_is_within_reach(
    every_pool: Boxes, assignments: dict[str, Assignment], name: str, reached_here: set[str]
) -> None:
    assert name in reached_here or name in MAY_BE_CLOSED
    answers = {"09.Scale": scale(after=f"{attempt(name)}\nassert not is_reached")}
    mark = judged(every_pool, assignments["09"], answers)["09.Scale"]
    assert mark.status is Status.PASS, mark


HARM = {
    "kills whoever it can": "for pid in (os.getppid(), -1):\n    try: os.kill(pid, 9)\n    except OSError: pass",
    "children that stay": "for _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(300)\n        os._exit(0)",
    "a bomb of few": "n = 0\nwhile n < 200:\n    try:\n        if os.fork() == 0:\n            time.sleep(300); os._exit(0)\n    except OSError: break\n    n += 1\nassert n < 200",
    "a network": "import socket\ntry: socket.create_connection(('127.0.0.1', 9), 1); raise SystemExit\nexcept OSError as e: assert e.errno in (101, 111), e",
    "many files": "for n in range(3000): open(f'f{n}', 'w').close()",
    "a large file": "try: open('large', 'wb').write(bytes(10**6) * 200); raise SystemExit\nexcept OSError: pass",
    "rights": "import ctypes\nlibc = ctypes.CDLL(None)\nassert libc.unshare(0x10000000) != 0\nassert libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) != 0\n"
    "for wanted in (0, 1000):\n    try: os.setuid(wanted); raise SystemExit\n    except OSError: pass",
}


@pytest.mark.parametrize("name", HARM)
def test_harm_stays_inside_and_nothing_is_left(pool: Boxes, assignments: dict[str, Assignment], name: str) -> None:
    idle = namespaces_deep()
    if not pool.kind.is_private:
        pytest.skip(f"not under {pool.kind}")
    with pool.open(Bounds()):
        assert namespaces_deep() > idle
    marks = judged(pool, assignments["09"], {"09.Scale": scale(after=HARM[name])})
    assert marks["09.Scale"].status in {Status.PASS, Status.DIED}, marks
    assert namespaces_deep() == idle, "no process of the session is left"
    assert judged(pool, assignments["09"], {"09.Scale": scale()})["09.Scale"].status is Status.PASS


def namespaces_deep() -> int:
    """In how many namespaces for processes, one in the other, is what descends from this test's process. Each session has
    one for all that it starts."""
    deepest = 0
    for each in psutil.Process().children(recursive=True):
        with contextlib.suppress(OSError):  # a warden that was about to end
            facts = dict(line.split(":", 1) for line in Path(f"/proc/{each.pid}/status").read_text().splitlines())
            deepest = max(deepest, len(facts["NSpid"].split()))
    return deepest


def test_the_waiting_interpreter_is_started_anew_when_it_is_gone_and_ends_with_the_pool(
    assignments: dict[str, Assignment],
) -> None:
    before = set(psutil.Process().children(recursive=True))
    with new_pool() as own:
        assert own.process is None  # a run with nothing to do starts nothing
        with own.open(Bounds()):
            assert own.process is not None
        end_all(own)
        assert judged(own, assignments["09"], {"09.Scale": scale()})["09.Scale"].status is Status.PASS
        started = set(psutil.Process().children(recursive=True)) - before
        assert own.process.pid in {each.pid for each in started}
    patience = time.monotonic() + 60
    while alive := [each for each in started if asked(each.status) not in (None, psutil.STATUS_ZOMBIE)]:
        assert time.monotonic() < patience, alive
        time.sleep(0.02)  # bubblewrap's own are on their way out for a moment


def end_all(pool: Boxes) -> None:
    """End the interpreter that makes boxes, and all that it has made."""
    assert pool.process
    for each in psutil.Process(pool.process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            each.kill()
    pool.process.kill()
    pool.process.wait()


@pytest.mark.parametrize(
    ("times", "status"), [(1, Status.PASS), pytest.param(3, Status.GRADER_ERROR, marks=pytest.mark.full)]
)
def test_nobody_is_blamed_for_a_process_that_was_ended_from_outside(
    assignments: dict[str, Assignment], monkeypatch: pytest.MonkeyPatch, times: int, status: Status
) -> None:
    exchange, ended = Box.exchange, []

    def after_the_end(box: Box, question: bytes, *more: Any) -> bytes:
        if b"class Scale" in question and len(ended) < times:
            assert own.process is not None
            ended.append(own.process.pid)
            end_all(own)
        return exchange(box, question, *more)

    monkeypatch.setattr(Box, "exchange", after_the_end)
    answers = {"09.Scale": scale(), "09.Exp": assignments["09"].references["09.Exp"]}
    with new_pool() as own:
        marks = judged(own, assignments["09"], answers)
    assert len(set(ended)) == times
    assert (marks["09.Scale"].status, marks["09.Exp"].status) == (status, Status.PASS)


# ---- as a judge -----------------------------------------------------------------------------------------------------


def test_a_seed_gives_the_same_verdict_again_and_no_two_are_the_same(
    pool: Boxes, assignments: dict[str, Assignment]
) -> None:
    answers = {"09.Scale": scale(), "09.Exp": "class Exp(Function): pass"}
    first, second = (judged(pool, assignments["09"], answers) for _ in range(2))
    assert first["09.Scale"].seed != second["09.Scale"].seed
    again = Oracle(pool, BY_ID, LIMITS, never, lambda id: int(first[id].seed))
    third = again(assignments["09"], answers, threading.Event())
    assert {id: (m.status, m.detail, m.seed) for id, m in third.items()} == {
        id: (m.status, m.detail, m.seed) for id, m in first.items()
    }


def test_inputs_are_drawn_when_the_answer_has_been_loaded(pool: Boxes, assignments: dict[str, Assignment]) -> None:
    drawn: list[str] = []
    oracle = Oracle(pool, BY_ID, LIMITS, never, lambda id: drawn.append(id) or 5)
    marks = oracle(assignments["09"], {"09.Scale": scale(after="os._exit(0)")}, threading.Event())
    assert marks["09.Scale"].status is Status.DIED and drawn == []


def test_an_answer_may_use_what_an_earlier_cell_or_a_stub_defines(
    pool: Boxes, assignments: dict[str, Assignment]
) -> None:
    answers = {
        "09.KillHead": assignments["09"].references["09.KillHead"] + "\ndef times(x, by): return x * by",
        "09.Scale": "assert KillHead\n" + scale("return times(x, factor)"),
    }
    assert {mark.status for mark in judged(pool, assignments["09"], answers).values()} == {Status.PASS}
    answers.pop("09.KillHead")
    assert judged(pool, assignments["09"], answers)["09.Scale"].status is Status.FAIL


MEASURES = """
kept = Function.__init_subclass__.__func__
def measured(cls, **named):
    kept(cls, **named)
    if "forward" not in vars(cls) or cls.__module__ != "__main__": return
    forward = cls.forward
    class Notes:
        def __getattr__(self, name): return lambda *given: None
    def note(ctx, *given):
        ctx.given = [each.detach().clone() if isinstance(each, torch.Tensor) else each for each in given]
        return forward(ctx, *given)
    def backward(ctx, g):
        x, *rest = ctx.given
        r = torch.zeros_like(x)
        for n in range(x.numel()):
            e = torch.zeros_like(x).reshape(-1)
            e[n] = 1e-5
            e = e.reshape(x.shape)
            r.reshape(-1)[n] = (g * (forward(Notes(), x + e, *rest) - forward(Notes(), x - e, *rest))).sum() / 2e-5
        return (r, *(None for each in rest)) if rest else r
    cls.forward, cls.backward = staticmethod(note), staticmethod(backward)
"""
ZERO_EXP = """
class Exp(Function):
    @staticmethod
    def forward(ctx, x): return torch.exp(x)
    @staticmethod
    def backward(ctx, g): return g * 0
"""


@pytest.mark.parametrize("at", ["cell", "class"])
def test_an_answer_that_changes_the_engine_changes_it_for_no_other(
    pool: Boxes, assignments: dict[str, Assignment], at: str
) -> None:
    """From there on each Function would be differentiated by measuring, whatever its backward says."""
    changing = "Function.__init_subclass__ = classmethod(measured)"
    if at == "class":
        changing = f"class Changing:\n    {changing}"
    killing = MEASURES + changing + "\n" + assignments["09"].references["09.KillHead"]
    zero_scale = scale(backward="return grad_output * 0, None").replace(" gc,", "")
    answers = {"09.KillHead": killing, "09.Scale": zero_scale, "09.Exp": ZERO_EXP}
    marks = judged(pool, assignments["09"], answers)
    assert {id: mark.status for id, mark in marks.items()} == {
        "09.KillHead": Status.PASS,
        "09.Scale": Status.FAIL,
        "09.Exp": Status.FAIL,
    }
    answers["09.Scale"] += "assert Changing" * (at == "class")  # it asks for it, and that is told
    marks = judged(pool, assignments["09"], answers)
    assert marks["09.Exp"].status is Status.FAIL
    assert (marks["09.Scale"].status is Status.PASS) == bool(marks["09.Scale"].reaches) == (at == "class")


def test_definitions_of_an_answer_that_reaches_are_there_for_later_ones(
    pool: Boxes, assignments: dict[str, Assignment]
) -> None:
    reference = assignments["09"].references
    answers = {
        "09.KillHead": "import gc\n" + reference["09.KillHead"] + "\nBY = 1\ndef times(x, by): return x * by * BY",
        "09.Scale": "assert KillHead.apply\n" + scale("return times(x, factor)").replace(" gc,", ""),
        "09.Exp": "assert Scale.apply and times(2, 3) == 6\n" + reference["09.Exp"],
    }
    marks = judged(pool, assignments["09"], answers)
    assert {mark.status for mark in marks.values()} == {Status.PASS}, marks
    assert [bool(mark.reaches) for mark in marks.values()] == [True, False, False]


def test_stopping_is_no_verdict(pool: Boxes, assignments: dict[str, Assignment]) -> None:
    stop = threading.Event()

    def stop_when_asked(kind: str) -> float:
        if kind == "ask":
            stop.set()
        return 120.0

    waiting = Overheard(pool, "09.Scale", stop_when_asked)
    oracle = Oracle(waiting, BY_ID, LIMITS, never)  # type: ignore[arg-type]
    with pytest.raises(Interrupted):
        oracle(assignments["09"], {"09.Scale": scale("while True: pass")}, stop)


@pytest.mark.parametrize(
    ("ending", "points_only"),
    [("import os; os._exit(0)", True), pytest.param("while True: pass", False, marks=pytest.mark.full)],
)
def test_a_class_is_graded_by_the_oracle(
    tmp_path: Path, assignments: dict[str, Assignment], ending: str, points_only: bool
) -> None:
    handed_in = {
        "ada": {},
        "eve": {"scale-answer": WRONG + "\ncheck = lambda *a: None"},
        "bob": {"scale-answer": scale(ending)},
    }
    references = {q.answer: assignments["09"].references[q.id] for q in assignments["09"].questions}
    for student, own in handed_in.items():
        cells = [
            {**cell, "source": {**references, **own}.get(cell["id"], cell["source"])}
            for cell in assignments["09"].cells
        ]
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
        (tmp_path / "in" / student).mkdir(parents=True)
        (tmp_path / "in" / student / "09_custom_functions.ipynb").write_text(json.dumps(notebook))
    results = grade(
        tmp_path / "in",
        output=tmp_path / "out",
        exercises=content.folder("exercises"),
        solutions=content.folder("solutions"),
        timeout=5.0,
        jobs=2,
        progress=None,
        points_only=points_only,
        isolation=sandbox.available(),
    )
    points = sum(question.points for question in assignments["09"].questions)
    assert {r.student: (r.points, str(r.status)) for r in results} == {
        "ada": (points, "pass"),
        "bob": (points - BY_ID["09.Scale"].points, "partial"),
        "eve": (points - BY_ID["09.Scale"].points, "partial"),
    }
    assert {r.judge for r in results} == {"oracle"}
    recorded = [bool(mark.recorded) for result in results for mark in result.marks]
    assert recorded == [not points_only] * (len(results) * len(references))
    assert "oracle" in (tmp_path / "out" / "grades.csv").read_text(encoding="utf-8-sig")
