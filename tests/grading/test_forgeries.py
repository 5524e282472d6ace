"""No forged point: what an answer's process leaves out or makes up is never a pass, and what is believed is said."""

import base64
import contextlib
import functools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograd_teach.course import content
from autograd_teach.course.checks import checker_of
from autograd_teach.course.checks.call.records import Called
from autograd_teach.course.checks.function.records import Run
from autograd_teach.course.checks.records import NOTHING, read, told
from autograd_teach.course.exercises import exercise, exercises
from autograd_teach.course.exercises.declaration import Program
from autograd_teach.course.guard import quiet
from autograd_teach.course.notebooks import read_notebook
from autograd_teach.course.specs import spec_of
from autograd_teach.grading.oracle import referee, wire
from autograd_teach.grading.oracle.reaching import MOST, reaching
from autograd_teach.grading.reports.class_page import class_page
from autograd_teach.grading.results import Mark, Result, Status
from tests.course.table import cells, find
from tests.grading.forgeries import FORGERIES, SEED, reference, verdict

NAMES = [pytest.param(name, marks=[pytest.mark.full] if row.long else []) for name, row in FORGERIES.items()]


@pytest.mark.parametrize("name", NAMES)
def test_no_point_is_forged_and_what_cannot_be_told_is_named(name: str) -> None:
    row = FORGERIES[name]
    found = verdict(row.exercise, row.lie)
    if not row.counted:
        assert found is None or not found.passed
        return
    assert found is not None and found.passed, found
    assert row.counted in found.counted
    assert reaching(row.lie), "and a person is shown the line"


@pytest.mark.parametrize("name", NAMES)
def test_the_same_done_honestly_passes(name: str) -> None:
    row = FORGERIES[name]
    found = verdict(row.exercise, row.twin)
    assert found is not None and found.passed, found


# ---- replies with something left out or put in ---------------------------------------------------------------------


def replayed(replies: list[dict[str, Any]]) -> referee.Asking:
    """What has always the same replies, whatever it is asked."""
    return lambda question, size: wire.padded(wire.dump({"structure": None, "replies": replies}), size)


def honest_replies(id: str, subject: object) -> list[dict[str, Any]]:
    """What comes back when the answer is asked for a grade, in its first plan."""
    checker, one = checker_of(exercise(id)), exercise(id)
    plan = next(iter(checker.plans(one, spec_of(one), np.random.default_rng(SEED), "grade")))
    asking = checker.asking(one, subject)
    with quiet():
        return [told(asking.reply(request.asked)) for request in plan.requests]


def passes(id: str, replies: list[dict[str, Any]]) -> bool:
    try:
        return referee.judge(exercise(id), replayed(replies), SEED).passed
    except wire.Broken:
        return False


ZERO = np.zeros((0, 2))
INSTEAD: dict[str, Sequence[Any]] = {
    "saves": (0, 1, -1),
    "values": (None, (), (ZERO,), (np.array(np.nan),)),
    "odd_result": (None, {"type": "float"}),
    "own_node": (True, False),
    "requires_grad": ((), (True,), (False,), (True, True)),
    "returned_itself": ((), (0,)),
    "shares_memory": (True, False),
    "returned": (None, (), (None,), (None, None), (None, None, None), (ZERO, None), (np.array(np.nan), None)),
    "got_none": (True, False),
    "changed": ((), ("x in forward",)),
    "crash": (None, {"phase": "forward", "kind": "E", "message": "", "line": None, "source": ""}),
    "refused": (None, {"phase": "backward", "kind": "E", "message": "", "line": None, "source": ""}),
    "second": (None, {"connected": True, "got": ()}, {"connected": True, "got": (None, None)}),
    "result": (NOTHING, None, [], {}, 0.0, True, np.zeros(()), np.array(np.nan), ZERO),
    "results": ([],),
    "after": ({},),
    "counts": ((), ({},), ({"calls": 1, "passes": 1},)),
}
"""By a reply's field: what a lying process may send in its place."""

SHORT = (
    "02.gradient_of",
    "05.train_linear",
    "06.two_gradients",
    "09.KillHead",
    pytest.param("11.Cube", marks=pytest.mark.full),
    pytest.param("12.BroadcastAdd", marks=pytest.mark.full),
    pytest.param("13.SinCos", marks=pytest.mark.full),
)
"""Exercises of each form that answers pass quickly."""


def wrong_numbers(id: str) -> Any:
    """An answer whose numbers are those of a known mistake."""
    known = (cell for cell in cells("wrong") if cell.diagnosis == "known" and not cell.generic)
    return next(cell for cell in known if cell.exercise == id).answer()


def changes(reply: dict[str, Any], rng: random.Random) -> Iterator[dict[str, Any]]:
    """One field that is another, for each; and as many pairs."""
    single = [{field: value} for field in reply if field in INSTEAD for value in INSTEAD[field]]
    yield from single
    yield from (rng.choice(single) | rng.choice(single) for _ in single)


@pytest.mark.parametrize("id", SHORT)
def test_nothing_that_is_left_out_or_put_in_makes_wrong_numbers_right(id: str) -> None:
    rng = random.Random(id)
    replies = honest_replies(id, wrong_numbers(id))
    assert not passes(id, replies)
    for change in changes(replies[0], rng):
        for chosen in (range(len(replies)), rng.sample(range(len(replies)), len(replies) // 2)):
            forged = [reply | change if number in chosen else reply for number, reply in enumerate(replies)]
            assert not passes(id, forged), (change, chosen)


def holds_something(value: Any) -> bool:
    return len(value) > 0 if isinstance(value, list | tuple | dict) else value is not None


DUE = {"values", "requires_grad", "returned", "second", "result", "results", "after"}


@pytest.mark.parametrize("id", SHORT)
def test_a_right_answer_that_leaves_out_anything_it_was_asked_for_once_is_not_right(id: str) -> None:
    answer = find(id, "right").answer()
    replies = honest_replies(id, answer)
    if spec_of(exercise(id)).__dict__.get("larger") is None:  # which asks more than these replies answer
        assert passes(id, replies)
    for number in random.Random(id).sample(range(len(replies)), min(len(replies), 15)):
        reply = replies[number]
        for field in DUE & {name for name, value in reply.items() if holds_something(value)}:
            forged = [*replies]
            forged[number] = reply | {field: INSTEAD[field][0]}
            assert not passes(id, forged), (number, field)
        if reply.get("returned"):
            forged = [*replies]
            forged[number] = reply | {"returned": tuple(None for _ in reply["returned"])}
            assert not passes(id, forged), number


# ---- what numbers decide, and what is taken on a process's word ---------------------------------------------------

RESTS_ON = {
    "structure": "numbers",  # what gives the right numbers in every use is what was asked for
    "runs": "numbers",
    "forward": "numbers",
    "returns": "numbers",
    "gradient": "numbers",
    "repeat": "numbers",
    "partial": "numbers",
    "double_backward": "numbers",
    "value": "numbers",
    "wrong_dtype": "numbers",
    "order": "numbers",
    "other_word": "numbers",
    "unchanged": "counted",
    "constants": "counted",
    "in_place": "counted",
    "needs_input_grad": "counted",
    "no_gradient": "counted",
    "from_result": "counted",
    "not_trainable": "counted",
    "not_independent": "counted",
    "leaves_a_trace": "counted",
    "same_again": "counted",
    "history_kept": "counted",
    "no_leaf_any_more": "counted",
    "called_again": "counted",
    "hessian_formed": "counted",  # of a large input numbers and time decide it
}
"""Each check of each exercise: whether numbers that the grader computes decide it, or what the process says of itself."""


def test_each_check_is_known_to_rest_on_numbers_or_on_the_process_s_own_word() -> None:
    found = {
        check.name: "counted" if check.counted else "numbers"
        for each in exercises()
        for check in checker_of(each).checks(each, spec_of(each))
    }
    assert found == RESTS_ON


def test_every_exercise_has_a_check_that_numbers_decide() -> None:
    for each in exercises():
        decided = {check.name for check in checker_of(each).checks(each, spec_of(each)) if not check.counted}
        assert decided & {"gradient", "value"}, each.id


SAME = {"x", "torch.ones_like(x)", "x.reshape(3, 2)"}
"""Functions that are asked about in every grade: nothing of them can be drawn."""


def functions_asked_about(id: str, seed: int) -> set[str]:
    one = exercise(id)
    plans = checker_of(one).plans(one, spec_of(one), np.random.default_rng(seed), "grade")
    arguments = [each for plan in plans for request in plan.requests for each in request.asked.arguments]
    return {each.text.partition(": ")[2] for each in arguments if isinstance(each, Program)}


@pytest.mark.parametrize("id", [each.id for each in exercises() if functions_asked_about(each.id, SEED)])
def test_no_function_is_asked_about_in_every_grade(id: str) -> None:
    """Else what is right could be known by heart."""
    assert set.intersection(*(functions_asked_about(id, SEED + n) for n in range(5))) <= SAME


# ---- bytes that are no reply -----------------------------------------------------------------------------------------


def anything(rng: random.Random, depth: int = 0) -> Any:
    """JSON that has the forms of a reply, or nearly."""
    inner = functools.partial(anything, rng, depth + 1)
    data = base64.b64encode(rng.randbytes(rng.choice((0, 1, 8, 16)))).decode()
    shape = [rng.choice((0, 1, 2, -1, 1.5, None, 2**31, 10**30)) for _ in range(rng.choice((0, 1, 2, 3, 20)))]
    forms: list[Callable[[], Any]] = [
        lambda: rng.choice((None, True, 0, -1, 2**62, 10**400, 1.5, "", "float64", "\ud800", "é")),
        lambda: {rng.choice(("array", "own array")): [rng.choice(("float64", "bool", "object", 3)), shape, data]},
        lambda: {rng.choice(("array", "own array")): ["float64", [], base64.b64encode(bytes(8)).decode()]},
        lambda: {rng.choice(("strange", "nothing", "made", "array", "dict", "tuple", "x")): inner()},
    ]
    if depth < 4:
        several = rng.randrange(4)
        names = ("structure", "replies", "values", "result", "crash", "returned", "after")
        forms += [
            lambda: [inner() for _ in range(several)],
            lambda: {"tuple": [inner() for _ in range(several)]},
            lambda: {"dict": [[rng.choice(names), inner()] for _ in range(several)]},
            lambda: {"dict": [["structure", rng.choice((None, inner()))], ["replies", inner()]]},
        ]
    return rng.choice(forms)()


@pytest.mark.parametrize("seed", range(4))
def test_whatever_can_be_read_as_json_is_a_reply_or_broken(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(1500):
        text = json.dumps(anything(rng)).encode()
        with contextlib.suppress(wire.Broken):
            value = wire.load(text)
            for kind in (Run, Called):
                with contextlib.suppress(wire.Broken):
                    read(kind, value)


@pytest.mark.parametrize("id", ["09.Scale", "02.gradient_of"])
def test_whatever_stands_in_a_reply_is_judged_or_broken(id: str) -> None:
    """A fault of the grader's own would give a status that is no fault of the student's, and can be had again and again."""
    rng = random.Random(id)
    answer = find(id, "right").answer()
    replies = honest_replies(id, answer)
    for _ in range(150):
        sent = json.loads(wire.dump({"structure": None, "replies": replies}))
        place: Any = sent["dict"][1]
        while isinstance(place[1], list | dict) and rng.random() < 0.9 and (path := _inside(place, rng)):
            place = path
        place[1] = anything(rng)
        text = json.dumps(sent).encode()
        with contextlib.suppress(wire.Broken):
            referee.judge(exercise(id), lambda question, size, text=text: wire.padded(text, size), SEED)
    for short in (b"", b"\0", b"\0\0\0\0"):
        with pytest.raises(wire.Broken):
            referee.judge(exercise(id), lambda question, size, short=short: short, SEED)


def _inside(pair: Any, rng: random.Random) -> Any:
    """A list of two inside the second entry of `pair`, whose second entry can be replaced; None where there is none."""
    entries = pair[1] if isinstance(pair[1], list) else next(iter(pair[1].values()))
    lists = (
        [
            each if isinstance(each, list) else next(iter(each.values()))
            for each in entries
            if isinstance(each, list | dict)
        ]
        if isinstance(entries, list)
        else []
    )
    fitting = [each for each in lists if isinstance(each, list) and len(each) > 1]
    return rng.choice(fitting) if fitting else None


# ---- what a source reaches for ----------------------------------------------------------------------------------------

REACHES = {
    "import sys\nf = sys._getframe(1).f_back": "line 2: f_back, sys._getframe",
    "import sys as s\ns.modules['x']": "line 2: sys.modules",
    "from sys import _getframe": "line 1: sys._getframe",
    "import inspect\ninspect.currentframe()": "line 2: inspect.currentframe",
    "try: pass\nexcept E as e: e.__traceback__.tb_frame": "line 2: tb_frame, __traceback__",
    "import gc": "line 1: gc",
    "import ctypes.util": "line 1: ctypes.util",
    "x.__class__ = int": "line 1: sets __class__",
    "setattr(x, '__class__', int)": "line 1: sets __class__",
    "import os\nos.fork()": "line 2: os.fork",
    "from multiprocessing import Process": "line 1: multiprocessing.Process",
    "import autograd_teach.course.checks.records as r": "line 1: autograd_teach.course.checks.records",
    "import autograd_teach.course.jacobian as own": "line 1: autograd_teach.course.jacobian",
    "from autograd_teach.grading import results": "line 1: autograd_teach.grading.results",
    "import importlib\nimportlib.import_module('autograd_teach.course.specs')": "line 2: autograd_teach.course.specs",
    "__import__('g' + 'c')": "line 1: __import__ of a name made at run time",
    "import builtins\nbuiltins.abs = len": "line 1: builtins",
    "f.__code__ = g.__code__": "line 1: __code__",
    "Scale.__mro__[1].apply = f": "line 1: __mro__",
    "import sys\nsys.settrace(None)": "line 2: sys.settrace",
    "torch.Tensor.numpy = None": "line 1: sets torch.Tensor.numpy",
    "setattr(torch, 'tensor', None)": "line 1: sets torch.tensor",
    "torch.__dict__['x'] = 1": "line 1: sets an entry of torch.__dict__",
    "vars(np)['x'] = 1": "line 1: sets an entry of vars(np)",
    "import atexit": "line 1: atexit",
    "exec('a' + b)": "line 1: exec of text made at run time",
    "exec('import gc')": "line 1: gc",
    "getattr(f, 'f_back')": "line 1: f_back",
    "%matplotlib inline\n!ls\nimport gc": "line 3: gc",
    "def f(:\n  import gc": "line 2: gc",
    "setattr(np, 'a\x1b[31m', 1)": "line 1: sets np.a\ufffd[31m",
    "from autograd_teach.course.specs.e01_requires_grad import FLAGS": "line 1: autograd_teach.course.specs.e01_requires_grad.FLAGS",
    "def f(:\n  import autograd_teach.course.specs": "line 2: autograd_teach.course.specs",
    "from pkgutil import resolve_name": "line 1: pkgutil.resolve_name",
    "f('autograd_teach.course.specs:spec_of')": "line 1: autograd_teach.course.specs.spec_of",
    "f(b'cautograd_teach.course.specs\\nspec_of')": "line 1: autograd_teach.course.specs",
    "open('/lib/autograd_teach/course/specs/recipe.py')": "line 1: autograd_teach.course.specs.recipe.py",
    "f(f'autograd_teach.course.specs.{name}')": "line 1: autograd_teach.course.specs",
    "import runpy\nrunpy.run_module(a + b)": "line 1: runpy",
    "import importlib\nimportlib.util.find_spec(a + b)": "line 2: importlib.util",
    "from importlib import machinery": "line 1: importlib.machinery",
    "from importlib import import_module as get\nget(a + b)": "line 2: import_module of a name made at run time",
    "import importlib as i\ni.import_module('.specs', 'autograd_teach.course')": "line 2: autograd_teach.course.specs",
    "import zipimport": "line 1: zipimport",
    "import linecache": "line 1: linecache",
    "import inspect\ninspect.getsource(torch.course.checking)": "line 2: inspect.getsource of the course, autograd_teach.course.checking",
    "from inspect import getsource as g\nfrom autograd_teach.course import check\ng(check)": "line 3: inspect.getsource of the course",
    "import inspect\ninspect.getmodule(check)": "line 2: inspect.getmodule",
    "torch.course.specs": "line 1: autograd_teach.course.specs",
    "getattr(torch.course, 'specs').spec_of": "line 1: autograd_teach.course.specs.spec_of, autograd_teach.course.specs",
    "__import__('autograd_teach').course.specs": "line 1: autograd_teach.course.specs",
    "from autograd_teach.course.attempt import sys\nsys.modules": "line 2: autograd_teach.course.attempt.sys.modules",
    "torch.__file__": "line 1: __file__",
    "def f(): Tensor.numpy = None": "line 1: sets Tensor.numpy",
}
"""A source and its first reach."""


@pytest.mark.parametrize("source", REACHES)
def test_what_a_source_reaches_for_is_found(source: str) -> None:
    assert str(reaching(source)[0]) == REACHES[source]


@pytest.mark.parametrize("source", ["(" * 5000, "\0", "x = 1\n" * 100_000, "import gc\n" * 1000, "-" * 100_000 + "1"])
def test_reaching_is_bounded(source: str) -> None:
    assert len(reaching(source)) <= MOST


def test_a_long_source_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ast.parse", None)
    assert reaching("x = 1\n" * 10_000 + "import gc") == ("line 10001: gc",)


def test_no_honest_answer_reaches_for_anything() -> None:
    sources = {id: reference(id) for id in (each.id for each in exercises())}
    sources |= {str(cell): cell.text for cell in cells("right", "wrong", "accepted")}
    assert len(sources) > 1000
    assert not {name: list(map(str, found)) for name, source in sources.items() if (found := reaching(source))}


FOR_STUDENTS = [
    "from autograd_teach.course import check, hint, progress, NotPassed\ncheck('09.Scale', Scale)",
    "from autograd_teach.course import *",
    "import autograd_teach.course as c\nc.check('09.Scale', Scale)",
    "import autograd_teach.course.attempt\nautograd_teach.course.attempt.attempt(f)",
    "print('see autograd_teach.course.check.')",
    "import importlib\nimportlib.import_module('math')",
    "import inspect\ninspect.getsource(Scale.forward)",
    "class Tensor: pass\nTensor.__add__ = f",
]
"""What a source may use."""


@pytest.mark.parametrize("source", FOR_STUDENTS)
def test_what_is_for_students_is_no_reach(source: str) -> None:
    assert not reaching(source)


LOOKS_INSIDE = {
    "07_higher_order cycle-run": "gc",
    "11_saving_tensors cycle-run": "gc",
    "16_build_your_own count-run": "linecache",
    "17_on_to_pytorch present-run": "importlib.util",
} | dict.fromkeys(
    (f"16_build_your_own {piece}-piece" for piece in ("add", "store", "backward", "matrix", "viewer")), "sets Tensor."
)
"""Cells of lessons that look into the engine, or change a class that an earlier cell defines: no answer needs that."""


def test_what_lessons_teach_is_no_reach() -> None:
    found: dict[str, str] = {}
    for path in content.folder("lessons").glob("*.ipynb"):
        for cell in read_notebook(path).cells:
            if cell.cell_type == "code" and (reached := reaching(cell.source)):
                found[f"{path.stem} {cell.id}"] = reached[0]
    assert found.keys() == LOOKS_INSIDE.keys()
    assert all(LOOKS_INSIDE[cell] in reached for cell, reached in found.items()), found


def test_who_reaches_keeps_the_points_and_is_on_the_page_to_look_at() -> None:
    mark = Mark("09.Scale", Status.PASS, 2, reaches=("line 3: sys._getframe",))
    result = Result("ada", (mark,))
    assert result.points == 2 and "line 3: sys._getframe" in result.detail
    page = class_page([result, Result("bob", (replace(mark, reaches=()),))], {"ada": "a", "bob": "b"}, str, {}).decode()
    look = page.partition("Worth a look")[2].partition("</ul>")[0]
    assert "line 3: sys._getframe" in look and "ada" in look and "bob" not in look
    page = class_page([Result("bob", (replace(mark, reaches=()),))], {"bob": "b"}, str, {}).decode()
    assert page.partition("<h2>Worth a look</h2>")[2].lstrip().startswith("<p>Nothing.</p>")
