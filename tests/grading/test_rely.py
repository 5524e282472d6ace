"""What an instructor relies on, with the real command, oracle and sandbox: a grader that is killed while students run leaves nothing
behind and loses nothing, and a busy machine gives the grades that a quiet one gives."""

import contextlib
import csv
import ctypes
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from autograd_teach.grading import gradebook, sandbox
from autograd_teach.grading.notebook_run import inside
from autograd_teach.grading.results import Mark
from autograd_teach.grading.sandbox import Isolation, cgroups, confine
from autograd_teach.grading.sandbox.supervisor import Bounds, Order, Supervisor
from autograd_teach.grading.sandbox.usage import Meter, Usage
from tests.grading.hostile import mounts
from tests.grading.test_rehearsal_oracle import EXP, IDS, KILL_HEAD, NOTEBOOK, ROOT, SCALE, TWICE, notebook

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces and control groups are Linux's")

PATIENCE = 120.0
"""Seconds in which processes that are being ended are gone, on the busiest machine."""

GRADER = """
import sys
from autograd_teach import cli
from autograd_teach.grading.gradebook import Gradebook
from autograd_teach.grading.notebook_run.run import Nbval
from autograd_teach.grading.oracle import judging
from autograd_teach.grading.sandbox import Boxes

def saying(where, name, word):
    function = getattr(where, name)
    def said(*given, **named):
        print(word, file=sys.stderr, flush=True)
        return function(*given, **named)
    setattr(where, name, said)

saying(Gradebook, "begin", "the students")
saying(Boxes, "_opened", "a box")
saying(judging, "_load", "a cell")
saying(judging.Oracle, "_ask", "a question")
saying(Nbval, "_run", "a record")
saying(Gradebook, "add", "a student's marks")
sys.exit(cli.main(sys.argv[1:]))
"""
"""The command line, which says what it begins to do."""

MOMENTS = {
    "Isolation": (1, 3.0),  # the references
    "a box": (5, 0.05),
    "a cell": (8, 0.05),
    "a question": (6, 0.05),
    "a record": (2, 1.0),
    "a student's marks": (2, 0.01),
}
"""What the grader says -> it is ended at one of the first so many times, so many seconds later at most."""

SLOW = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"
FORKS = """
import os, time
for n in range(5):
    if os.fork() == 0:
        os.setsid()
        while n: time.sleep(100)
        while True: pass
"""
CALLED = SCALE.replace("        ctx.factor = factor\n", "        {}\n        ctx.factor = factor\n")
LEAVES = "from os import _exit as leave\n" + CALLED.format("leave(3)")
GREEDY = CALLED.format("bytearray(50_000_000_000)")
PRINTS = "import sys\nprint('hm', file=sys.stderr)\n" + CALLED.format("print('forward', factor)")
WARMS_UP = """
import time
def warm_up(end=[]):
    end = end or end.append(time.process_time() + 0.8) or end
    while time.process_time() < end[0]: pass
"""
"""Computes when it is asked, clearly less than the 1.5 s that the course's own check allows: who computes just as long is told either."""
UNLIMITED = "bytearray(50_000_000_000)\n"
RIGHT = (KILL_HEAD, SCALE, EXP)

KILLED_CLASS: Mapping[str, tuple[tuple[str, str, str], str]] = {
    "ada": (RIGHT, "pass pass pass"),
    "bob": ((KILL_HEAD, TWICE, EXP), "pass fail pass"),
    "cy": ((KILL_HEAD, SLOW.format(0.3) + SCALE, EXP), "pass pass pass"),
    "dan": ((KILL_HEAD, "while True: pass", EXP), "pass timeout pass"),
    "eve": ((KILL_HEAD, SCALE, FORKS + EXP), "pass pass pass"),
    "fay": ((UNLIMITED + KILL_HEAD, SCALE, EXP), "out_of_memory pass pass"),
    "gus": ((KILL_HEAD, LEAVES, EXP), "pass died pass"),
    "hal": ((KILL_HEAD, PRINTS, EXP), "pass pass pass"),
    "ida": ((KILL_HEAD, "", ""), "pass not_attempted not_attempted"),
    "joe": ((FORKS + KILL_HEAD, TWICE, SLOW.format(0.3) + EXP), "pass fail pass"),
    "kim": (("1 / 0", SCALE, SLOW.format(0.3) + EXP), "fail pass pass"),
    "lea": (("", "", EXP), "not_attempted not_attempted pass"),
}
"""Student -> answers, and the statuses that these deserve."""

BUSY_CLASS: Mapping[str, tuple[tuple[str, str, str], str]] = {
    **{name: KILLED_CLASS[name] for name in ("ada", "bob", "dan", "eve", "fay", "gus", "hal", "ida", "kim")},
    "mia": ((KILL_HEAD, SLOW.format(1.5) + SCALE, EXP), "pass pass pass"),
    "ned": ((KILL_HEAD, WARMS_UP + CALLED.format("warm_up()"), EXP), "pass pass pass"),
    "oda": ((KILL_HEAD, SCALE, "import time; time.sleep(1000)"), "pass pass timeout"),
    "pip": ((KILL_HEAD, SCALE, "import time; time.sleep(1.5)\n" + EXP), "pass pass pass"),
    "qia": ((KILL_HEAD, GREEDY, EXP), "pass out_of_memory pass"),
    "ron": ((KILL_HEAD, "import os; os._exit(0)", EXP), "pass died pass"),
    "sue": ((SLOW.format(1.5) + KILL_HEAD, SLOW.format(1.5) + TWICE, EXP), "pass fail pass"),
}


def hand_in(folder: Path, students: Mapping[str, tuple[tuple[str, str, str], str]]) -> Path:
    folder.mkdir()
    for name, (answers, _) in students.items():
        (folder / f"{name}.ipynb").write_text(notebook(*answers))
    return folder


def command(submissions: Path, output: Path, timeout: float) -> list[str]:
    rooms = ["--solutions", str(ROOT / "solutions"), "--exercises", str(ROOT / "exercises")]
    options = ["--only", NOTEBOOK, "--jobs", "2", "--report", "none", "--isolation", sandbox.available()]
    wanted = ["--output", str(output), "--timeout", str(timeout)]
    return [sys.executable, "-c", GRADER, "grade", str(submissions), *wanted, *rooms, *options]


def started(folder: Path, submissions: Path, output: Path, timeout: float) -> "subprocess.Popen[str]":
    """The grader, whose temporary files go to `folder`."""
    folder.mkdir(exist_ok=True)
    return subprocess.Popen(
        command(submissions, output, timeout),
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def graded(folder: Path, submissions: Path, output: Path, timeout: float) -> float:
    """Grade without disturbance; the seconds that this took."""
    start = time.monotonic()
    with started(folder, submissions, output, timeout) as grader:
        _, said = grader.communicate()
    assert grader.returncode == 0, said
    return time.monotonic() - start


def marks(output: Path) -> dict[str, list[Mark]]:
    """Student -> marks, without what no two runs have in common."""
    with gradebook.reading(output) as book:
        known = book.current()
        assert all(len(book.history(student, id)) == 1 for student in known for id in IDS)
    return {student: [replace(known[student][id].mark, seconds=0, seed="") for id in IDS] for student in known}


def rows(output: Path) -> list[list[str]]:
    """The newest report, which has no dates."""
    newest = max(output.glob("grades*.csv"), key=lambda path: int((re.findall("[0-9]+", path.name) or ["1"])[0]))
    with newest.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.reader(file))


def statuses(found: Mapping[str, list[Mark]]) -> dict[str, str]:
    return {student: " ".join(mark.status for mark in found[student]) for student in found}


# ---- killed ----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def orphans_come_here() -> Iterator[set[psutil.Process]]:
    """All that descends from this process is found below it, whoever of its ancestors ends; yields what is there before."""
    before = {*psutil.Process().children(recursive=True)}
    confine.adopt_orphans()
    try:
        yield before
    finally:
        ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)


def left_by(pid: int, folder: Path, before: set[psutil.Process]) -> list[str]:
    """Processes, files and control groups of the grader `pid` that are still there."""
    found = []
    for process in {*psutil.Process().children(recursive=True)} - before:
        with contextlib.suppress(psutil.Error):
            if process.status() == psutil.STATUS_ZOMBIE and process.ppid() == os.getpid():
                os.waitpid(process.pid, 0)
            else:
                found.append(" ".join([process.name(), *process.cmdline()])[:300])
    parents = map(Path, cgroups.parents().values())
    groups = [path for parent in parents for path in parent.glob(f"autograd-teach-{pid}-*")]
    files = [*folder.iterdir(), *Path("/tmp").glob(f"autograd-teach-{pid}-*")]
    return found + [str(path) for path in (*groups, *files)]


@dataclass(frozen=True)
class Moment:
    """When a grader is ended: `delay` seconds after it has said `word` the `times`th time."""

    word: str
    times: int
    delay: float
    how: signal.Signals


def moments() -> list[Moment]:
    """Twenty kills and three polite requests, each kind of moment about as often; the same in every run."""
    chance, found = random.Random(11), []
    for number in range(23):
        word, (times, delay) = list(MOMENTS.items())[number % len(MOMENTS)]
        how = signal.SIGTERM if number % 9 == 4 else signal.SIGKILL
        found.append(Moment(word, chance.randint(1, times), chance.random() * delay, how))
    return found


def is_ended(grader: "subprocess.Popen[str]", moment: Moment) -> bool:
    """End the grader at that moment; False if it was through before that."""
    assert grader.stderr
    times, begun = 0, moment.word == "Isolation"
    for line in grader.stderr:
        begun = begun or line == "the students\n"
        times += begun and line.startswith(moment.word)
        if times == moment.times:
            time.sleep(moment.delay)
            grader.send_signal(moment.how)
            said = grader.stderr.read()
            ends = grader.wait()
            assert ends in (0, 130 if moment.how is signal.SIGTERM else -signal.SIGKILL), said
            return ends != 0
    assert grader.wait() == 0
    return False


def test_a_supervisor_ends_its_box_when_the_grader_is_killed_with_words_unread() -> None:
    grader, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    supervisor = Supervisor(Order(Bounds(), None, "", False, [], {}), -1, its, {}, lambda talk: None)
    supervisor._job_id = os.getpid()  # a job that goes on
    its.send(b'{"begun": []}')
    grader.close()
    with its:
        assert supervisor._watched() == "closed"


@pytest.mark.full
def test_a_grader_killed_while_students_run_leaves_nothing_and_goes_on_to_the_same_grades(
    tmp_path: Path, some_sandbox: Isolation
) -> None:
    submissions, calm, scratch = hand_in(tmp_path / "in", KILLED_CLASS), tmp_path / "calm", tmp_path / "scratch"
    graded(scratch, submissions, calm, 2.0)
    undisturbed = marks(calm)
    assert statuses(undisturbed) == {student: deserved for student, (_, deserved) in KILLED_CLASS.items()}
    mounted, left_to_do, classes = mounts(tmp_path), moments(), 0

    with orphans_come_here() as before:
        while left_to_do:  # a class that is through before all of them is graded anew
            classes += 1
            output, is_through = tmp_path / f"stormy {classes}", False
            while not is_through:
                moment = left_to_do[0] if left_to_do else Moment("never", 1, 0.0, signal.SIGKILL)
                with started(scratch, submissions, output, 2.0) as grader:
                    is_through = not is_ended(grader, moment)
                left_to_do = left_to_do if is_through else left_to_do[1:]
                patience = time.monotonic() + (PATIENCE if moment.how is signal.SIGKILL else 0)
                while (left := left_by(grader.pid, scratch, before)) and time.monotonic() < patience:
                    time.sleep(0.02)
                assert not left, moment
                assert mounts(tmp_path) <= mounted
            assert marks(output) == undisturbed
            assert rows(output) == rows(calm)
    assert classes < 10


# ---- busy ------------------------------------------------------------------------------------------------------------

BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(100_000))"


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many other processes that compute all the time, each in a session of its own: systems share processors among those."""
    with contextlib.ExitStack() as stack:
        for _ in range(processes):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY], start_new_session=True))
            stack.callback(process.kill)
        yield


def test_a_kernel_whose_last_word_comes_too_late_was_ended_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """nbval waits five seconds for it: on a busy machine that is not the student's fault, so it is tried again."""
    kernel = object.__new__(inside.WatchedKernel)
    kernel.km, kernel._early = SimpleNamespace(is_alive=lambda: True), deque()
    kernel._meter, kernel._next_look = Meter(Usage), 0.0
    kernel._watching, kernel.by_the_clock = True, False
    monkeypatch.setattr(inside.WatchedKernel, "_next", lambda *_: None)
    monkeypatch.setattr(inside.WatchedKernel, "stop", lambda *_: None)
    with pytest.raises(inside.Stopped, match="timeout"):
        kernel.get_message("iopub", 5.0)
    assert kernel.by_the_clock


@pytest.mark.full
def test_a_busy_machine_gives_the_grades_that_a_quiet_one_gives(tmp_path: Path, some_sandbox: Isolation) -> None:
    submissions = hand_in(tmp_path / "in", BUSY_CLASS)
    quiet = graded(tmp_path / "scratch", submissions, tmp_path / "quiet", 3.0)
    with busy(8):
        loaded = graded(tmp_path / "scratch", submissions, tmp_path / "busy", 3.0)
    print(f"{quiet:.1f} s, and {loaded:.1f} s beside 8 busy processes")
    found = marks(tmp_path / "quiet")
    assert statuses(found) == {student: deserved for student, (_, deserved) in BUSY_CLASS.items()}
    assert marks(tmp_path / "busy") == found
    assert rows(tmp_path / "busy") == rows(tmp_path / "quiet")
