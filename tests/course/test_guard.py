"""The notebook survives a student's code: time limits on every platform, and the line that is theirs."""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import sysconfig
import textwrap
import threading
import time
from types import SimpleNamespace

import pytest

import autograd_teach as torch
from autograd_teach.course import guard
from autograd_teach.course.guard import TimeLimit, crash_of, time_limit


def spin(seconds=5.0):
    """Compute for so long, by the processor's time: what else the machine does makes no difference."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no SIGALRM")
def test_a_loop_ends_at_the_limit_even_if_it_swallows_everything():
    came_to_its_end = []

    def stubborn():
        for _ in range(2):
            try:
                spin()
            except BaseException:  # noqa: BLE001, S110  # what a student's bare except does
                pass
        spin()
        came_to_its_end.append(True)

    with pytest.raises(TimeLimit), time_limit(0.1):
        stubborn()
    assert not came_to_its_end


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no SIGALRM")
def test_who_only_waits_is_ended_by_the_clock():
    start = time.monotonic()
    with pytest.raises(TimeLimit), time_limit(0.2):
        time.sleep(30)
    assert time.monotonic() - start >= 0.2 * guard.PATIENCE


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no SIGALRM")
def test_time_that_others_use_does_not_count():
    with time_limit(0.3):
        time.sleep(0.4)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no SIGALRM")
def test_time_spent_waiting_for_a_busy_processor_does_not_count(monkeypatch):
    start = time.monotonic()
    monkeypatch.setattr(guard, "_delay", lambda: min(time.monotonic() - start, 1.0))
    with pytest.raises(TimeLimit), time_limit(0.1):
        time.sleep(30)
    assert time.monotonic() - start >= 1.0 + 0.1 * guard.PATIENCE


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how long a thread waits for a processor")
def test_linux_says_how_long_a_thread_waits_for_a_processor():
    """Two processes that compute on one processor: each waits while the other runs."""
    program = (
        "import os, time; from autograd_teach.course import guard\n"
        "os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
        "child = os.fork()\n"
        "begin, start = guard._delay(), time.process_time()\n"
        "while time.process_time() < start + 0.5: pass\n"
        "delayed = guard._delay() - begin\n"
        "if child: os.waitpid(child, 0); print(delayed)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert float(said) > 0


def test_without_sigalrm_a_timer_interrupts(monkeypatch):
    monkeypatch.delattr(signal, "setitimer", raising=False)
    with pytest.raises(TimeLimit), time_limit(0.1):
        spin()
    with time_limit(0.2):
        pass
    timers = [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
    assert all(each.finished.is_set() for each in timers), "the timer of a check that was in time never fires"


def test_the_students_own_interrupt_stays_an_interrupt(monkeypatch):
    monkeypatch.delattr(signal, "setitimer", raising=False)
    with pytest.raises(KeyboardInterrupt), time_limit(5):
        raise KeyboardInterrupt


def test_off_the_main_thread_code_runs_without_a_limit():
    results = []

    def work():
        with time_limit(0.01):
            time.sleep(0.05)
            results.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == ["done"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no SIGALRM")
def test_an_alarm_that_was_set_before_still_rings():
    rung = []
    old = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with time_limit(1):
            pass
        deadline = time.monotonic() + 60
        while not rung and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert rung


def test_a_crash_is_told_at_the_innermost_own_line_not_in_a_library():
    import fractions

    def helper():
        return fractions.Fraction("one half")

    try:
        helper()
    except ValueError as error:
        crash = crash_of(error, "forward")
    assert crash.source == 'return fractions.Fraction("one half")'
    assert str(crash).startswith(f"forward, line {crash.line}: `return fractions")
    assert "raised ValueError" in str(crash)


class Asked:
    """What a student may write: it notes that its shape was read."""

    asked = False

    @property
    def shape(self):
        Asked.asked = True
        return (7,)


def test_where_shapes_do_not_fit_those_of_the_lines_tensors_are_told_and_nothing_of_the_students_is_run():
    wide, tall, other, record = torch.ones(2, 3), torch.ones(4), Asked(), SimpleNamespace(crash=None)
    with guard.caught(record, lambda: "forward"):
        (wide + tall, other)
    assert record.crash.reason == "in that line, `wide` has shape (2, 3), `tall` has shape (4,)"
    assert not Asked.asked
    with guard.caught(record, lambda: "forward"):
        (wide.backward(), tall)
    assert record.crash.reason == "", "an error that has nothing to do with shapes"
    with guard.caught(record, lambda: "backward"):
        (wide, len((tall,).shape))
    assert record.crash.reason == "", "the attribute of another object"


EXITS = {
    "exit": lambda: exit(),  # noqa: PLR1722  # as students write it
    "quit": lambda: quit(2),  # noqa: PLR1722  # as students write it
    "sys.exit": lambda: sys.exit("enough"),
    "os._exit": lambda: os._exit(3),
    "raised": lambda: (_ for _ in ()).throw(SystemExit),
}


@pytest.mark.parametrize("name", EXITS)
def test_what_ends_the_program_is_a_crash_that_says_so(name):
    before = (os._exit, exit, quit)
    record = SimpleNamespace(crash=None)
    with guard.caught(record, lambda: "forward"):
        EXITS[name]()
    assert record.crash.ends_program
    assert f"line {record.crash.line}: `" in str(record.crash)
    assert "ends the program (SystemExit), which an answer must not do: take that line out" in str(record.crash)
    assert (os._exit, exit, quit) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_child_of_the_answers_own_may_end():
    record = SimpleNamespace(crash=None)
    with guard.caught(record, lambda: "forward"):
        child = os.fork()
        if child == 0:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert record.crash is None


def test_in_a_notebook_exit_in_an_answer_is_named_and_the_kernel_lives_on(tmp_path):
    from nbformat.v4 import new_code_cell, new_notebook

    from autograd_teach.course.notebooks import execute

    answer = (
        "class Scale(Function):\n    @staticmethod\n    def forward(ctx, x, factor):\n        {}\n        return x * factor\n\n"
        "    @staticmethod\n    def backward(ctx, grad_output):\n        return grad_output, None"
    )
    cells = ["import os\nfrom autograd_teach.autograd import Function\nfrom autograd_teach.course import check"]
    for line in ("exit()", "quit(1)", "os._exit(1)"):
        cells += [answer.format(line), 'check("09.Scale", Scale)', "import time; time.sleep(0.3)"]
    notebook = new_notebook(cells=[new_code_cell(each, metadata={"tags": ["raises-exception"]}) for each in cells])
    ran = execute(notebook, tmp_path).cells
    raised = [output.evalue for cell in ran for output in cell.outputs if output.output_type == "error"]
    assert [
        f"forward, line 4: `{line}` ends the program" in said
        for line, said in zip(("exit()", "quit(1)", "os._exit(1)"), raised, strict=True)
    ] == [True] * 3, raised


AMBIGUOUS = "Boolean value of Tensor with more than one value is ambiguous"
ASKED_WHETHER = {
    "if bias:": "is not None",
    "if not grad_output: return None, None": "is not None",
    "y = y + bias if bias else y": "is not None",
    "mask = (x > ctx.low) and (x < ctx.high)": "`&`",
    "return grad_output * (ctx.low < x < ctx.high), None": "`&`",
    "if x < low:": "",
    "while step(x):": "",
}


@pytest.mark.parametrize(("line", "words"), ASKED_WHETHER.items())
def test_a_tensor_that_is_asked_whether_it_is_true_is_told_what_to_write(line, words):
    said = str(guard.Crash("forward", "RuntimeError", AMBIGUOUS, 3, line))
    assert words in said and said.endswith(AMBIGUOUS) == (not words)
    assert str(guard.Crash("forward", "RuntimeError", "no", 3, line)).endswith("RuntimeError: no")


def test_nobody_is_asked_while_a_check_runs():
    with pytest.raises(EOFError, match="many times"), guard.quiet():
        input("a number: ")
    assert input.__module__ != guard.__name__


def test_a_cell_of_a_notebook_is_the_students_and_generated_code_is_not():
    assert guard.is_own("<ipython-input-3-abc>")
    assert not guard.is_own("<autograd_teach mul>")
    assert not guard.is_own(guard.__file__)


def test_file_names_are_remembered_within_bounds():
    for name in ("x" * 10**6, *map(str, range(3000))):
        assert guard.is_own(name)
    assert guard._is_own_file.cache_info().currsize <= 1000
    before = guard._is_own_file.cache_info().misses
    guard.is_own("x" * 10**6)
    assert guard._is_own_file.cache_info().misses == before, "a long name is not remembered"


def test_a_standard_library_that_sysconfig_does_not_know_is_a_library(monkeypatch):
    """In a browser it is a zip file."""
    monkeypatch.setattr(sysconfig, "get_paths", lambda: dict.fromkeys(guard_paths, "/nowhere"))
    spec = importlib.util.spec_from_file_location("guard_of_the_browser", guard.__file__)
    there = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, there)
    spec.loader.exec_module(there)
    assert not there.is_own(json.__file__)
    assert there.is_own("/home/student/answer.py")


guard_paths = ("stdlib", "platstdlib", "purelib", "platlib")

# ---- the limit of a browser --------------------------------------------------------------------------------------------

watching = pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")

ENDLESS = {
    "while": "while True: pass",
    "while of a call": "while len([1]): pass",
    "continue": "while True:\n  try: continue\n  finally: pass",
    "for": "for _ in itertools.repeat(1): pass",
    "list comprehension": "[0 for _ in itertools.repeat(1) if not _]",
    "generator expression": "sum(0 for _ in itertools.repeat(1))",
    "generator": "def many():\n  while True: yield 1\nall(many())",
    "yield from": "def many():\n  yield from itertools.repeat(1)\nall(many())",
    "called by a library": "all(map(lambda one: one, itertools.repeat(1)))",
    "recursion": "def twice(n):\n  if n:\n    twice(n - 1)\n    twice(n - 1)\ntwice(60)",
    "except Exception": "while True:\n  try:\n    while True: pass\n  except Exception: pass",
    "a loop around except": "while True:\n  try:\n    while True: pass\n  except: pass",
    "a loop around except and a call": "def f():\n  while True: pass\nwhile True:\n  try: f()\n  except: pass",
}


def as_answer(source, **names):
    exec(compile(source, "<answer>", "exec"), {"itertools": __import__("itertools"), **names})  # noqa: S102


def raised_by_watching(limit):
    traceback = limit.value.__traceback__
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_code.co_name == "ring"


@watching
@pytest.mark.parametrize("name", ENDLESS)
def test_watching_ends_what_never_ends(name):
    # The signal, where there is one, only keeps a failing test from running for ever.
    with pytest.raises(TimeLimit) as limit, time_limit(20), guard._watch(0.02):
        as_answer(ENDLESS[name])
    assert raised_by_watching(limit)


@watching
def test_watching_ends_a_loop_that_swallows_everything():
    swallowed = []
    source = """
        while len(swallowed) < 3:
            try:
                while True: pass
            except BaseException as limit:
                swallowed.append(limit)
        while True: pass
    """
    with pytest.raises(TimeLimit) as limit, time_limit(20), guard._watch(0.02):
        as_answer(textwrap.dedent(source), swallowed=swallowed)
    assert raised_by_watching(limit) and len(swallowed) == 3


@watching
@pytest.mark.parametrize(("slowness", "ends"), [(1, True), (1e6, False)])
def test_a_slow_computer_has_more_time(monkeypatch, slowness, ends):
    monkeypatch.setattr(guard, "_slowness", lambda: slowness)
    source = "end = now() + 0.05\nwhile now() < end: pass"
    with pytest.raises(TimeLimit) if ends else contextlib.nullcontext(), time_limit(20), guard._watch(0.01):
        as_answer(source, now=time.monotonic)


@pytest.mark.parametrize(("usual", "slowness"), [(1e-9, guard.MOST_SLOWNESS), (1e9, 1)])
def test_slowness_has_bounds(monkeypatch, usual, slowness):
    monkeypatch.setattr(guard, "_USUAL", usual)
    assert guard._slowness() == slowness


@watching
def test_watching_leaves_libraries_alone_and_nothing_behind():
    import fractions

    tools = [sys.monitoring.get_tool(tool) for tool in range(6)]
    with guard._watch(-1):
        fractions.Fraction("1/3") ** 5
    assert [sys.monitoring.get_tool(tool) for tool in range(6)] == tools
    as_answer("for _ in range(3): pass")
    with pytest.raises(TimeLimit), guard._watch(-1):  # the same code is looked at again
        as_answer("for _ in range(3): pass")


@watching
def test_a_limit_inside_a_limit_rings_first_and_the_outer_one_rings_too():
    with pytest.raises(TimeLimit) as outer, time_limit(20), guard._watch(0.1):
        with pytest.raises(TimeLimit) as inner, guard._watch(0.01):
            as_answer(ENDLESS["while"])
        assert raised_by_watching(inner)
        as_answer(ENDLESS["for"])
    assert raised_by_watching(outer)


@watching
@pytest.mark.parametrize("taken", [range(1), range(1, 6), range(6)], ids=["a debugger's", "all but one", "all"])
def test_watching_takes_no_tool_id_that_is_taken(taken):
    mine = [tool for tool in taken if sys.monitoring.get_tool(tool) is None]
    for tool in mine:
        sys.monitoring.use_tool_id(tool, "another")
    try:
        with guard._watch(10):
            assert all(sys.monitoring.get_tool(tool) == "another" for tool in mine)
    finally:
        for tool in mine:
            sys.monitoring.free_tool_id(tool)


LOOPS = {
    "while": "while True: pass",
    "for": "for _ in itertools.repeat(1): pass",
    "called by a library": "all(map(abs_, ones))",
    "a loop around except": "while True:\n      try:\n        while True: pass\n      except: pass",
    "a loop around except and a call": "while True:\n      try: abs_(1)\n      except: ones = 1",
}


@watching
@pytest.mark.parametrize("body", [*LOOPS.values()], ids=LOOPS)
def test_watching_lets_with_and_finally_clean_up(body):
    cleaned = []
    source = f"with cleaning:\n  try:\n    {body}\n  finally:\n    cleaned.append('finally')"
    with contextlib.ExitStack() as cleaning, pytest.raises(TimeLimit), time_limit(20), guard._watch(0.02):
        cleaning.callback(cleaned.append, "with")
        as_answer(
            f"def abs_(one): return one\nones = itertools.repeat(1)\n{source}", cleaned=cleaned, cleaning=cleaning
        )
    assert cleaned == ["finally", "with"]


@watching
def test_a_browser_watches(monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.delattr(signal, "setitimer", raising=False)
    monkeypatch.setattr(guard, "PATIENCE", 1)
    with pytest.raises(TimeLimit) as limit, time_limit(0.02):
        as_answer(ENDLESS["while"])
    assert raised_by_watching(limit)
