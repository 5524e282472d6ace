"""Hostile and odd notebooks (hostile.py) through the real grader: each scores nothing that it should not, gets a named
status, and stops nobody. And what they are run by: interpreters that wait.
"""

import csv
import functools
import json
import os
import re
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.grading import judge, sandbox
from autograd_teach.grading.batch import grade_class
from autograd_teach.grading.notebook_run import Limits, Nbval, Runner
from autograd_teach.grading.rebuild import rebuild
from autograd_teach.grading.results import Mark, Result
from autograd_teach.grading.sandbox import Interrupted, Isolation, isolation
from tests.grading.classroom import SOLUTIONS, assignment, hand_in
from tests.grading.conftest import PRIVATE
from tests.grading.hostile import (
    CLASS,
    DOUBLE,
    SOON,
    TOGETHER,
    Row,
    assignment_of_all,
    filled,
    mounts,
    notebook_of_all,
    running,
    with_little_time_for_loops,
)

LIMITS = Limits(timeout=60.0, memory=1_500_000_000, output=200_000)
CHECKS = [2, 4, 6]
SOLVED = Path(__file__).parents[2] / "solutions"


# ---- a class ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """A way to grade the class."""

    isolation: Isolation
    together: bool = False  # one kernel for all that can share it, and nobody twice

    @property
    def rows(self) -> dict[str, Row]:
        """Who is in the class."""
        here = {name: row for name, row in CLASS.items() if self.isolation in row.where}
        return {name: row for name, row in here.items() if not (self.together and row.is_long)}


WAYS = {
    **{f"{kind} together": Way(kind, together=True) for kind in PRIVATE},
    **{isolation.value: Way(isolation) for isolation in Isolation},
}


def long_but_for_one(way: str) -> Any:
    return pytest.param(way, marks=() if WAYS[way].together else pytest.mark.full)


@dataclass
class Graded:
    way: Way
    marks: dict[str, tuple[Mark, ...]]
    results: list[Result]
    sheet: dict[str, dict[str, str]]  # of those with a notebook of their own
    progress: str
    uids: list[int]
    mark: str
    scratch: Path
    connections: int
    mounts_before: set[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What no student may see, besides solutions."""
    return tmp_path_factory.mktemp("Zoë's class ")


@pytest.fixture(scope="module")
def nbval(folder: Path, private: Isolation) -> Iterator[Nbval]:
    """What runs notebooks in namespaces: interpreters that wait."""
    with Nbval(private, [folder, SOLVED]) as runner:
        yield runner


@pytest.fixture(scope="module")
def graded_in(folder: Path, require_namespaces: Callable[[Isolation], Isolation]) -> Iterator[Callable[[str], Graded]]:
    """The class, graded once in a way."""
    with ExitStack() as open_:

        @functools.cache
        def graded(name: str) -> Graded:
            way = WAYS[name]
            runner = open_.enter_context(Nbval(require_namespaces(way.isolation), [folder, SOLVED]))
            return everybody_graded(way, folder / name, runner)

        yield graded


def everybody_graded(way: Way, folder: Path, runner: Nbval) -> Graded:
    submissions, scratch, mark = folder / "in", folder / "scratch", f"left behind by {folder}"
    scratch.mkdir(parents=True)
    # In the folder for temporary files itself: a socket's path must be short.
    path = f"/tmp/autograd-teach-{uuid.uuid4()}"
    with (
        pytest.MonkeyPatch.context() as patch,
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX) as local,
    ):
        local.bind(path)
        local.listen()
        known = {
            "solutions": str(next(SOLVED.glob("*.ipynb"))),
            "submissions": str(submissions),
            "port": listener.getsockname()[1],
            "socket": path,
            "mark": mark,
        }
        loops = hand_in_all(way, submissions, known)
        for name in ("numpy.py", "sitecustomize.py", "planted.pth"):
            modules = submissions / "handed in modules of its own"
            if modules.is_dir():
                (modules / name).write_text(f"import os; open({str(folder / 'planted')!r}, 'w'); os._exit(1)")
        uids: list[int] = []
        made_up = isolation.new_uid
        patch.setattr(isolation, "new_uid", lambda kind: uids.append(made_up(kind)) or uids[-1])
        patch.setattr("tempfile.tempdir", str(scratch))
        patch.setenv("GRADER_SECRET", "1")
        patch.setenv("PYTHONPATH", "/nowhere")
        before = mounts(folder)
        with (folder / "progress").open("w") as progress, ThreadPoolExecutor(1) as beside:
            options = {"limits": LIMITS, "runner": with_little_time_for_loops(runner, loops)}
            # More at a time than there are processors: each spends half of its time waiting.
            jobs = 4 if way.isolation.is_private else 2
            many = beside.submit(_graded_together, known, folder, LIMITS, runner) if way.together else None
            results = grade_class(
                submissions, [assignment()], output=folder / "out", jobs=jobs, progress=progress, **options,
            )  # type: ignore[arg-type]  # fmt: skip
            marks = {result.student: result.marks for result in results}
            marks |= many.result() if many else {}
        connections = sum(map(_was_called, (listener, local)))
        os.remove(path)
    assert not (folder / "planted").exists()
    with (folder / "out" / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        sheet = {row["student"]: row for row in csv.DictReader(file)}
    said = (folder / "progress").read_text()
    return Graded(way, marks, results, sheet, said, uids, mark, scratch, connections, before)


def hand_in_all(way: Way, submissions: Path, known: Mapping[str, object]) -> set[str]:
    """Write the notebooks of those who have their own; the answers that may need all the time there is."""
    loops: set[str] = set()
    for name, row in way.rows.items():
        answers = {exercise: filled(source, known) for exercise, source in row.answers.items()}
        has_files = name == "handed in modules of its own"
        if not (way.together and row.shares):
            hand_in(submissions / (f"{name}/09_tiny.ipynb" if has_files else f"{name}.ipynb"), answers)
        loops |= set(answers.values()) - set(SOLUTIONS.values()) if row.is_endless else set()
    (submissions / "broken.ipynb").write_text("{")
    return loops


def _graded_together(
    known: Mapping[str, object], folder: Path, limits: Limits, runner: Runner
) -> dict[str, tuple[Mark, ...]]:
    """A mark for each who shares a kernel with others."""
    (folder / "together").mkdir()
    (folder / "together" / "all.ipynb").write_text(json.dumps(notebook_of_all(known)))
    (all_,) = grade_class(
        folder / "together", [assignment_of_all()], output=folder / "out-together", limits=limits, jobs=1, progress=None,
        runner=runner,
    )  # fmt: skip
    return {mark.exercise: (mark,) for mark in all_.marks}


def _was_called(listener: socket.socket) -> bool:
    listener.setblocking(False)
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


EVERYBODY = [
    pytest.param(way, name, marks=long_but_for_one(way).marks) for way, each in WAYS.items() for name in each.rows
]


@pytest.mark.parametrize(("way", "name"), EVERYBODY)
def test_a_student_gets_what_they_deserve(graded_in: Callable[[str], Graded], way: str, name: str) -> None:
    graded = graded_in(way)
    row, marks = CLASS[name], graded.marks[name]
    details = "; ".join(f"{mark.exercise}: {mark.status}: {mark.detail}" for mark in marks)
    for mark, status in zip(marks, row.each.split(), strict=False):
        assert re.fullmatch(status, mark.status), details
        assert (mark.points > 0) == (status == "pass")
    assert re.search(row.detail, details), details
    assert all(mark.isolation.split()[0] == graded.way.isolation for mark in marks if mark.status != "not_attempted")


@pytest.fixture(params=[*map(long_but_for_one, WAYS)])
def graded(request: pytest.FixtureRequest, graded_in: Callable[[str], Graded]) -> Graded:
    return graded_in(request.param)


def test_everybody_was_graded(graded: Graded) -> None:
    assert set(graded.marks) == {*graded.way.rows, "broken"}
    assert len(graded.results) == (len(graded.marks) - len(TOGETHER) if graded.way.together else len(graded.marks))
    done = re.findall(r"(\d+) of (\d+) students graded", graded.progress)
    assert done == [(str(len(graded.results)),) * 2]


def test_every_student_has_a_row_and_a_line_of_progress(graded: Graded) -> None:
    assert set(graded.sheet) == {result.student for result in graded.results}
    assert graded.sheet["broken"]["status"] == "invalid_notebook"
    for result in graded.results:
        row = graded.sheet[result.student]
        assert float(row["total"]) == result.points == sum(mark.points for mark in result.marks)
        assert (row["status"], row["max"]) == (result.status, "6")
        if result.student != "broken":  # who needs no run has no line
            assert f"{result.student}: {row['status']}\n" in graded.progress
    right = graded.sheet["right"]
    assert (right["status"], right["judge"], right["isolation"].split()[0]) == ("pass", "nbval", graded.way.isolation)


def test_the_status_of_a_student_is_that_of_all_exercises_together(graded: Graded) -> None:
    statuses = {
        "right": "pass",
        "right in another way": "partial",
        "half": "partial",
        "wrong": "partial",
        "the words alone": "fail",
        "markers for nbval": "fail",
        "an endless loop": "partial",
        "an endless loop that ignores interrupts": "timeout",
        "an exit": "partial",
        "an exit in the check": "died",
        "one print of 10 MB": "output_limit",
        "kills its grader": "died",
    }
    found = {result.student: str(result.status) for result in graded.results if result.student in statuses}
    assert "right" in found
    assert found == {student: status for student, status in statuses.items() if student in found}


def test_an_endless_loop_has_its_whole_time(graded: Graded) -> None:
    assert graded.marks["an endless loop"][0].seconds >= SOON


def test_a_mark_names_its_source(graded: Graded) -> None:
    same = [student for student in ("right", "half", "wrong") if student in graded.marks]
    hashes = {graded.marks[student][0].source for student in same}
    assert len(hashes) == 1 and len(hashes.pop()) == 64


def test_no_process_file_mount_cgroup_or_call_is_left(graded: Graded) -> None:
    own = {psutil.Process().pid}
    left = []
    for process in psutil.process_iter():
        try:
            words = " ".join(process.cmdline())
            if process.pid not in own and (
                set(process.uids()) & set(graded.uids) or graded.mark in words or str(graded.scratch) in words
            ):
                left.append(words)
        except psutil.Error:
            continue
    assert left == []
    assert list(graded.scratch.iterdir()) == []
    assert mounts(graded.scratch.parent) == graded.mounts_before
    assert not [path for path in Path("/sys/fs/cgroup").glob(f"**/autograd-teach-{os.getpid()}-*")]
    assert graded.connections == 0


@pytest.mark.parametrize("is_private", [True, pytest.param(False, marks=pytest.mark.full)])
def test_a_run_can_be_stopped_in_the_middle_of_a_cell(nbval: Nbval, tmp_path: Path, is_private: bool) -> None:
    mark, stop = f"left behind by {tmp_path}", threading.Event()

    def stop_once_it_runs() -> None:
        while not running(mark):
            time.sleep(0.05)
        stop.set()

    stops = threading.Thread(target=stop_once_it_runs, daemon=True)
    stops.start()
    endless = (
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', {mark!r}])"
    )
    runner = nbval if is_private else Nbval(Isolation.PROCESS)
    with pytest.raises(Interrupted):
        runner(rebuild(assignment(), {"double": endless}), CHECKS, Limits(timeout=1000), stop)
    assert running(mark) == []
    stops.join()


# ---- what they are run by ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("isolation", Isolation)
def test_a_right_answer_is_right_in_every_isolation(
    isolation: Isolation, require_isolation: Callable[[Isolation], Isolation]
) -> None:
    require_isolation(isolation)
    with Nbval(isolation) as runner:
        found = runner(rebuild(assignment(), SOLUTIONS), CHECKS, LIMITS, threading.Event())
    assert (found.stopped, found.isolation.split()[0]) == (None, isolation.value), found.detail
    assert {cell.outcome for cell in found.cells.values()} == {"passed"}


PROBE = """
import glob, hashlib, os, threading
found = []
for text in {texts!r}:
    try: value = eval(text)
    except Exception as problem: value = problem
    found.append(hashlib.sha256(repr(value).encode()).hexdigest()[:8])
raise AssertionError(" ".join(found))
"""
ALIKE = [
    "sorted(name for name in globals() if name not in ('found', 'text', 'value', 'problem'))",
    "(In[1:3], Out, _, __name__)",
    "(sorted(os.environ.items()), os.getcwd(), os.listdir(), os.listdir(os.environ['HOME']))",
    "(os.umask(0o077), os.getgroups(), os.getuid() in (0, os.getgid()))",
    "[__import__('resource').getrlimit(n) for n in range(16)]",
    "[__import__('signal').getsignal(n) in (0, 1) for n in range(1, 32)]",
    "__import__('signal').pthread_sigmask(0, [])",
    "sorted({thread.name.split('-')[0] for thread in threading.enumerate()} - {'IPythonHistorySavingThread'})",
    "[line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapP', 'CapE', 'CapB', 'CapA', 'NoNew', 'Seccomp:'))]",
    "[(s.f_blocks, s.f_files, s.f_flag) for s in map(os.statvfs, ('/tmp', '/dev/shm', '/', '/dev', '/usr'))]",
    "(__import__('sys').flags, __import__('sys').path[-1], __import__('sys').dont_write_bytecode)",
    "(__import__('site').getusersitepackages(), __import__('tempfile').gettempdir())",
    "[name for name in os.listdir('/tmp') if name.startswith(('aaa', 'submission'))], os.listdir('/dev/shm')",
    "hasattr(__import__('numpy'), 'planted'), hasattr(__import__('builtins'), 'planted')",
    "__import__('sys').modules['__main__'].__dict__ is globals(), __import__('__main__').__name__",
    "os.readlink('/proc/self/fd/0'), os.listdir('/proc/self/fd') != []",
    "open('/proc/self/environ').read() != ''",
    "__import__('gc').isenabled(), __import__('autograd_teach').is_grad_enabled()",
]
OWN = [
    "__import__('random').random()",
    "__import__('autograd_teach').initial_seed()",
    "__import__('numpy').random.random()",
    "__import__('multiprocessing').current_process().authkey[:]",
    "get_ipython().kernel.session.key",
    "__import__('uuid').uuid4()",
]
PLANT = """
import builtins, numpy, os, sys
numpy.planted = builtins.planted = 1
sys.modules["planted"] = sys
for folder in ("/tmp", "/dev/shm", ".", os.environ["HOME"]): open(os.path.join(folder, "aaa"), "w").close()
"""


FRESH = """
import os, sys
facts = {
    "no module of what runs it": [n for n in sys.modules if n.split(".")[0] in ("pytest", "_pytest", "nbval") or ".grading" in n],
    "nothing but its setup cell was run": [cell for cell in In[1:-1] if "import" not in cell],
    "an empty folder": os.listdir(),
    "normal flags": [sys.flags.isolated, sys.flags.no_site, sys.flags.optimize],
    "the current folder": ["" not in sys.path],
}
raise AssertionError([name for name, found in facts.items() if any(found or [])])
"""


def facts_of_three(waiting: Nbval) -> tuple[list[str], list[str]]:
    """What the second and the third kernel find, after a first one that left what it could."""

    def facts(before: str = "") -> list[str]:
        answer = before + PROBE.format(texts=[*ALIKE, *OWN])
        found = waiting(rebuild(assignment(), {"double": answer}), CHECKS, LIMITS, threading.Event())
        assert found.cells[1].message.startswith("AssertionError: "), found
        return found.cells[1].message.split()[1:]

    facts(PLANT)
    return facts(), facts()


def alike(one: list[str], other: list[str]) -> list[str]:
    return [text for text, a, b in zip([*ALIKE, *OWN], one, other, strict=True) if a == b]


def test_a_kernel_is_like_a_fresh_one_and_shares_nothing_with_the_one_before(nbval: Nbval) -> None:
    found = nbval(rebuild(assignment(), {"double": FRESH}), CHECKS, LIMITS, threading.Event())
    assert found.cells[1].message == "AssertionError: []"
    assert alike(*facts_of_three(nbval)) == ALIKE


@pytest.mark.full
def test_so_it_is_where_nobody_has_users_to_give(private: Isolation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "gives_user_ids", lambda kind: False)
    with Nbval(private) as waiting:
        assert alike(*facts_of_three(waiting)) == ALIKE


@pytest.mark.full
def test_nobody_is_blamed_for_what_ended_in_the_middle_of_their_notebook(nbval: Nbval, tmp_path: Path) -> None:
    """It is run again, in a box of an interpreter that is started anew."""
    mark = f"ended from outside {tmp_path}"
    slow = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(2)', {mark!r}])\n{DOUBLE}"
    ended: list[int] = []

    def end_once_it_runs() -> None:
        while not running(mark):
            time.sleep(0.02)
        assert nbval.boxes.process
        ended.append(nbval.boxes.process.pid)
        for each in psutil.Process(ended[0]).children(recursive=True):
            with suppress(psutil.Error):
                each.kill()

    ends = threading.Thread(target=end_once_it_runs, daemon=True)
    ends.start()
    found = nbval(rebuild(assignment(), {**SOLUTIONS, "double": slow}), CHECKS, LIMITS, threading.Event())
    ends.join()
    assert nbval.boxes.process and [nbval.boxes.process.pid] != ended
    assert {cell.outcome for cell in found.cells.values()} == {"passed"}, found


@pytest.mark.full
def test_a_run_says_what_it_was_run_by() -> None:
    with Nbval(sandbox.available()) as run:
        found = run(rebuild(assignment(), SOLUTIONS), CHECKS, LIMITS, threading.Event())
    assert found.isolation.split()[0] == sandbox.available()
    assert {cell.outcome for cell in found.cells.values()} == {"passed"}


class Quiet:
    """A stream that keeps its lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, text: str) -> None:
        self.lines += [line for line in text.splitlines() if line]

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


WORDS = {
    # what there is, what is asked for, whether --require-sandbox is given, whether Landlock is there -> first line or refusal
    ("bubblewrap", "", False, True): "Isolation: bubblewrap",
    ("bubblewrap", "", True, False): "Isolation: bubblewrap",
    ("namespaces", "", True, False): "Isolation: namespaces",
    ("user", "", True, True): "Isolation: user",
    ("user", "", False, False): "Isolation: user (students' code can read /open)",
    (
        "user",
        "",
        True,
        False,
    ): "Nothing was graded: --require-sandbox was given, and students' code can read /open here",
    (
        "process",
        "",
        False,
        True,
    ): "Nothing was graded: there is no sandbox for students' code here (no, and no). `autograd-teach",
    ("process", "process", False, True): "Isolation: process (students' code runs as you)",
    ("no process", "process", False, True): "Nothing was graded: the isolation process does not work",
    ("bubblewrap", "process", False, True): "Nothing was graded: the isolation process does not work here (broken)",
    ("odd user", "", False, True): "Isolation: user (students' code has network access)",
    ("odd user", "", True, True): "Nothing was graded: --require-sandbox was given, and students' code has network",
    (
        "process",
        "process",
        True,
        True,
    ): "Nothing was graded: --require-sandbox was given, and students' code runs as you",
    ("process", "bubblewrap", False, True): "Nothing was graded: the isolation bubblewrap does not work here (broken)",
    ("bubblewrap", "user", False, True): "Nothing was graded: the isolation user does not work here (broken)",
}


@pytest.mark.parametrize("case", WORDS)
def test_the_isolation_is_said_first_and_a_lesser_one_is_on_request_only(
    monkeypatch: pytest.MonkeyPatch, case: tuple[str, str, bool, bool]
) -> None:
    best, wanted, required, has_landlock = case
    monkeypatch.setattr(sandbox, "available", lambda: Isolation(best.split()[-1]))
    monkeypatch.setattr(sandbox, "filters_calls", lambda: not best.startswith("odd "))
    monkeypatch.setattr(sandbox, "why", lambda: "no, and no")
    monkeypatch.setattr(sandbox, "problem_with", lambda kind: "" if kind == best else "broken")
    monkeypatch.setattr(sandbox, "limits_files", lambda: has_landlock)
    monkeypatch.setattr(sandbox, "readable_by_anyone", lambda paths: [path for path in paths if path.name == "open"])
    stream = Quiet()
    words = WORDS[case]
    hidden = [Path("/open"), Path("/closed")]
    judged = judge.called(
        "nbval", LIMITS, hidden, wanted=Isolation(wanted) if wanted else None, required=required, progress=stream
    )  # type: ignore[arg-type]
    if words.startswith("Isolation"):
        with judged:
            assert stream.lines == [words]
    else:
        with pytest.raises(UserError, match=re.escape(words)), judged:
            pass
        assert stream.lines == []
