"""Many machines: the workers of a dask.distributed cluster give the gradebook that one machine gives, whatever becomes of
them on the way.

For the full run, as the `cluster` extra is. Where no process for each worker is needed, scheduler and workers are threads
of this process, which talk to each other by TCP all the same, and the judge that they call is a quick one.
"""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograd_teach import cli
from autograd_teach.course import content
from autograd_teach.course.errors import UserError
from autograd_teach.grading import batch, cluster, gradebook, sandbox
from autograd_teach.grading import judge as judges
from autograd_teach.grading.gradebook import fingerprint
from autograd_teach.grading.notebook_run import Limits
from autograd_teach.grading.rebuild import Assignment
from autograd_teach.grading.results import Mark, Result, Status
from autograd_teach.grading.sandbox import Interrupted, Isolation
from autograd_teach.grading.submissions.selection import Wishes
from tests.grading.classroom import load_once
from tests.grading.mortal import DEADLY
from tests.grading.stub import quick_judge

pytestmark = pytest.mark.full
ROOT = Path(__file__).parents[2]
NAME = "09_custom_functions"
RELEASED = content.folder("exercises") / f"{NAME}.ipynb"
SOLVED = content.folder("solutions") / f"{NAME}.ipynb"
TIMEOUT = 4.0


# ---- a class ----------------------------------------------------------------------------------------------------------


def answers_of(path: Path) -> dict[str, str]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: "".join(cell["source"]) for cell in cells if cell["id"].endswith("-answer")}


RIGHT = answers_of(SOLVED)
WRONG = "class Scale(Function):\n    @staticmethod\n    def forward(ctx, x, factor):\n        return x * factor + 1"
KINDS: dict[str, dict[str, str] | None] = {
    "right": RIGHT,
    "wrong": {**RIGHT, "scale-answer": WRONG},
    "raising": {**RIGHT, "exp-answer": "raise ValueError('no')"},
    "ending": {**RIGHT, "exp-answer": "import os; os._exit(3)"},
    "looping": {**RIGHT, "exp-answer": "while True: pass"},
    "untouched": {},
    "broken": None,
}
COUNTS = {"right": 19, "wrong": 8, "raising": 4, "ending": 5, "looping": 1, "untouched": 2, "broken": 1}
EXPECTED = {
    "right": "pass pass pass",
    "wrong": "pass fail pass",
    "raising": "pass pass fail",
    "ending": "pass pass died",
    "looping": "pass pass timeout",
    "untouched": "not_attempted not_attempted not_attempted",
    "broken": "invalid_notebook invalid_notebook invalid_notebook",
}


def hand_in(path: Path, answers: dict[str, str] | None) -> None:
    notebook = json.loads(RELEASED.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = (answers or {}).get(cell["id"], cell["source"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{" if answers is None else json.dumps(notebook))


def a_class(folder: Path, counts: dict[str, int]) -> Path:
    """One student after the other of each kind, until there are as many as `counts` says; no two answers are the same."""
    for number in range(max(counts.values())):
        for kind, count in counts.items():
            if number < count:
                answers = KINDS[kind]
                own = (
                    {**answers, "killhead-answer": f"{RIGHT['killhead-answer']}  # {kind}{number}"}
                    if answers
                    else answers
                )
                hand_in(folder / f"{number:02}-{kind}.ipynb", own)
    return folder


def grade(
    folder: Path, output: Path, scheduler: str | None = None, progress: Any = None, *, points_only: bool = True
) -> dict[str, Result]:
    results = batch.grade(
        folder,
        output=output,
        exercises=RELEASED.parent,
        solutions=SOLVED.parent,
        timeout=TIMEOUT,
        jobs=2,
        progress=progress,
        wishes=Wishes(only=(NAME,)),
        scheduler=scheduler,
        points_only=points_only,
    )
    return {one.student: one for one in results}


def statuses(one: Result) -> str:
    return " ".join(mark.status for mark in one.marks)


def book_of(output: Path) -> dict[tuple[str, str], list[Any]]:
    """Every mark of every student that the gradebook has, but for what no two runs have in common."""
    with gradebook.reading(output) as book:
        return {
            (student, exercise): [
                replace(each, mark=replace(each.mark, seconds=0.0, seed=""), graded="", run=0)
                for each in book.history(student, exercise)
            ]
            for student, marks in book.current().items()
            for exercise in marks
        }


class When(io.StringIO):
    """Progress: at the first line in which `words` stand it does something."""

    def __init__(self, words: str, act: Callable[[], object]) -> None:
        super().__init__()
        self.words, self.act = words, act

    def write(self, text: str) -> int:
        written = super().write(text)
        if self.act and self.words in text:
            act, self.act = self.act, lambda: None
            act()
        return written


# ---- a cluster --------------------------------------------------------------------------------------------------------


@dataclass
class Cluster:
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: subprocess.Popen[bytes]

    def client(self) -> Any:
        from distributed import Client

        return Client(self.address, set_as_default=False)

    def pids(self) -> list[int]:
        """The workers' process ids."""
        with self.client() as client:
            return list(client.run(os.getpid).values())

    def allow_failures(self, number: int) -> None:
        """So many workers may die with a task before dask gives the task up."""

        def allow(dask_scheduler: Any) -> None:
            dask_scheduler.allowed_failures = number

        with self.client() as client:
            client.run_on_scheduler(allow)

    def end_workers(self) -> None:
        os.killpg(self.workers.pid, signal.SIGKILL)


def local_cluster(workers: int) -> Any:
    """A scheduler and workers in this process."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=":0", host="127.0.0.1", protocol="tcp://"
    )  # fmt: skip


@pytest.fixture(scope="module")
def here() -> Iterator[str]:
    """The address of a scheduler with two workers, all in this process."""
    with local_cluster(2) as one:
        yield one.scheduler_address


@contextmanager
def a_cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """A scheduler and so many workers with their nannies, who start another one for each that dies. No port is a fixed one."""
    said = folder / "scheduler.json"
    settings = {
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        "DASK_TEMPORARY_DIRECTORY": str(folder),
    }
    loopback = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", ":0", "--scheduler-file", str(said)]
    numbers = ["--nworkers", str(workers), "--nthreads", "1"]
    asked = [
        ["scheduler", "--port", "0", *loopback],
        ["worker", *numbers, "--preload", "tests.grading.mortal", *loopback],
    ]
    processes = []
    with (folder / "log").open("ab") as log:
        try:
            for arguments in asked:
                command = [sys.executable, "-m", "dask", *arguments]
                environment = {**os.environ, **settings}
                processes.append(
                    subprocess.Popen(
                        command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
                    )
                )
            waiting = threading.Event()
            for _ in range(1200):
                if said.is_file() and said.stat().st_size:
                    break
                assert processes[0].poll() is None, (folder / "log").read_text()
                waiting.wait(0.1)
            started = Cluster(json.loads(said.read_text())["address"], *processes)
            with started.client() as client:
                client.wait_for_workers(workers, timeout=120)
            yield started
        finally:
            for process in reversed(processes):  # and with the nannies their workers
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture(autouse=True)
def loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "load_assignments", load_once)


@pytest.fixture(scope="module", autouse=True)
def dask(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("require_module")("distributed")


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with a_cluster(tmp_path_factory.mktemp("cluster"), 3) as one:
        yield one


@pytest.fixture(scope="module")
def locally(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A class of 40 and the folder with its gradebook, made on this machine by a command that cannot import dask."""
    folder = tmp_path_factory.mktemp("class")
    a_class(folder / "in", COUNTS)
    program = "import sys; sys.modules['dask'] = sys.modules['distributed'] = None; from autograd_teach.cli import main; sys.exit(main())"
    options = [
        "--output",
        str(folder / "out"),
        "--only",
        NAME,
        "--timeout",
        f"{TIMEOUT:g}",
        "--jobs",
        "2",
        "--report",
        "none",
        "--points-only",
    ]
    ended = subprocess.run(
        [sys.executable, "-c", program, "grade", str(folder / "in"), *options],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return folder / "in", folder / "out"


# ---- what must hold ---------------------------------------------------------------------------------------------------


def test_a_worker_killed_on_the_way_changes_nothing_in_the_gradebook(
    three: Cluster, locally: tuple[Path, Path], tmp_path: Path
) -> None:
    submissions, here = locally
    before = three.pids()
    progress = When("10/40", lambda: os.kill(before[0], signal.SIGKILL))
    results = grade(submissions, tmp_path, three.address, progress)
    assert before[0] not in three.pids()
    assert {student: statuses(one) for student, one in results.items()} == {
        f"{number:02}-{kind}": EXPECTED[kind] for kind, count in COUNTS.items() for number in range(count)
    }
    there = book_of(tmp_path)
    assert len(there) == 40 * 3
    assert all(len(history) == 1 for history in there.values())
    assert there == book_of(here)


def test_the_record_is_made_where_the_points_are(three: Cluster, tmp_path: Path) -> None:
    a_class(tmp_path / "in", {"right": 2, "wrong": 1, "ending": 1})
    results = grade(tmp_path / "in", tmp_path, three.address, points_only=False)
    recorded = {student: " ".join(mark.recorded for mark in one.marks) for student, one in results.items()}
    assert recorded == {
        "00-right": "passed passed passed",
        "01-right": "passed passed passed",
        "00-wrong": "passed failed passed",
        "00-ending": "passed passed not run",
    }


def test_who_kills_worker_after_worker_gets_a_grader_error_and_nobody_else_does(
    three: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three.allow_failures(0)  # by default three, and each costs the start of a worker
    monkeypatch.setattr(cluster, "LOOK", 0.2)
    a_class(tmp_path / "in", {"right": 6})
    hand_in(tmp_path / "in" / "00-deadly.ipynb", {**RIGHT, "exp-answer": f"{RIGHT['exp-answer']}  {DEADLY}"})
    results = grade(tmp_path / "in", tmp_path, three.address)
    deadly = results.pop("00-deadly")
    assert statuses(deadly) == "grader_error grader_error grader_error"
    assert "every worker that ran these answers died" in deadly.detail
    assert len(results) == 6
    assert {statuses(one) for one in results.values()} == {"pass pass pass"}


def test_ctrl_c_ends_what_runs_on_the_workers(three: Cluster, tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    a_class(tmp_path / "in", {"right": 1, "looping": 9})
    with pytest.raises(KeyboardInterrupt):
        grade(tmp_path / "in", tmp_path, three.address, When("1/10", interrupt))
    with three.client() as client:
        patience = time.monotonic() + 120  # the scheduler hears of the client's end a moment later
        while any(client.processing().values()) or not all(map(all, client.run(stopped_courts).values())):
            assert time.monotonic() < patience, client.call_stack()
            time.sleep(0.05)


def stopped_courts() -> list[bool]:
    """Runs on a worker."""
    return [court.stop.is_set() for court in cluster._courts]


# ---- workers in this process ------------------------------------------------------------------------------------------


def test_a_class_is_graded_by_workers_as_it_is_without(
    here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judges, "called", quick_judge)
    a_class(tmp_path / "in", {"right": 4, "wrong": 2, "raising": 1, "untouched": 1, "broken": 1})
    said = io.StringIO()
    there = grade(tmp_path / "in", tmp_path / "there", here, said)
    assert f"2 workers at {here}; threads of each: 1, 1\n" in said.getvalue()
    alone = grade(tmp_path / "in", tmp_path / "alone")
    assert "RuntimeError: disk on fire (on tcp://" in there["00-raising"].detail
    assert statuses(there["00-raising"]) == "grader_error grader_error grader_error"
    assert {name: (statuses(one), one.points) for name, one in there.items()} == {
        name: (statuses(one), one.points) for name, one in alone.items()
    }
    books = [book_of(tmp_path / kind) for kind in ("there", "alone")]
    for book in books:
        for exercise in ("09.KillHead", "09.Scale", "09.Exp"):
            del book["00-raising", exercise]  # says where it happened
    assert books[0] == books[1] and len(books[0]) == 8 * 3


def test_who_the_clock_ended_on_a_busy_worker_is_judged_once_more(
    here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[str] = []

    def busy(*arguments: object, **options: object) -> Any:
        def judge(assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
            _, _, who = answers["09.KillHead"].rpartition("  # ")
            judged.append(who)
            with quick_judge() as quick:
                marks = quick(assignment, answers, stop)
            if who != "right0" or judged.count(who) > 1:
                return marks
            return {id: replace(mark, status=Status.TIMEOUT, by_the_clock=True) for id, mark in marks.items()}

        return nullcontext(judge)

    monkeypatch.setattr(judges, "called", busy)
    a_class(tmp_path / "in", {"right": 3})
    results = grade(tmp_path / "in", tmp_path, here)
    assert {statuses(one) for one in results.values()} == {"pass pass pass"}
    assert judged[-1] == "right0" and sorted(judged[-4:]) == ["right0", "right0", "right1", "right2"]


OTHER: dict[str, str] = {}
_about = cluster.about


def about() -> dict[str, str]:
    """On the instructor's machine, which is the main thread here, there is something that the workers have not."""
    return {**_about(), **(OTHER if threading.current_thread() is threading.main_thread() else {})}


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"numpy": "1.26.4"}, r"has numpy \d\S+ \(here 1\.26\.4\)"),
        ({"python": "3.99"}, r"has python 3\.\d+ \(here 3\.99\)"),
        ({"autograd-teach": "9"}, r"has autograd-teach \S+ \(here 9\)"),
        ({"exercises": "0"}, r"has exercises \w+ \(here 0\)"),
    ],
)
def test_workers_with_other_software_are_refused_before_anything_is_graded(
    here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: dict[str, str], said: str
) -> None:
    monkeypatch.setattr(judges, "called", quick_judge)
    monkeypatch.setattr(cluster, "about", about)
    a_class(tmp_path / "in", {"right": 1})
    for name, version in other.items():
        monkeypatch.setitem(OTHER, name, version)
    with pytest.raises(
        UserError, match=rf"Nothing was graded: the worker tcp://\S+ {said} and 1 more like it; install the same"
    ):
        grade(tmp_path / "in", tmp_path / "out", here)
    assert not (tmp_path / "out").exists()


def test_ctrl_c_ends_what_the_workers_judge(here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[bool] = []
    is_ended = threading.Event()

    def slow(*arguments: object, **options: object) -> Any:
        def judged(assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
            if "while True" in str(answers):
                ended.append(stop.wait(120))
                is_ended.set()
                raise Interrupted
            with quick_judge() as judge:
                return judge(assignment, answers, stop)

        return nullcontext(judged)

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(judges, "called", slow)
    a_class(tmp_path / "in", {"right": 1, "looping": 1})
    with pytest.raises(KeyboardInterrupt):
        grade(tmp_path / "in", tmp_path, here, When("1/2", interrupt))
    assert is_ended.wait(120) and ended == [True]


def test_a_scheduler_to_which_no_worker_comes_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    monkeypatch.setattr(cluster, "TICK", 0.1)
    a_class(tmp_path / "in", {"right": 1})
    said = io.StringIO()
    with (
        local_cluster(0) as one,
        pytest.raises(
            UserError, match="Nothing was graded: no worker came .* in 0.2 seconds; start some with `dask worker"
        ),
    ):
        grade(tmp_path / "in", tmp_path, one.scheduler_address, said)
    assert "has no worker yet; waiting 0 seconds for one" in said.getvalue()


# ---- without a cluster ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded_before(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A class, and the folder with its gradebook."""
    folder = tmp_path_factory.mktemp("before")
    a_class(folder / "in", {"right": 1})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judges, "called", quick_judge)
        grade(folder / "in", folder / "out")
    return folder / "in", folder / "out"


@pytest.fixture
def nobody() -> Iterator[str]:
    """The address of something that listens and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("command", ["grade", "regrade"])
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("{nobody}", "No scheduler can be reached at {nobody} (nothing answers there in 0.1 seconds); start one"),
        ("tcp://127.0.0.1:1", "No scheduler can be reached at tcp://127.0.0.1:1 (nothing answers there"),
        ("somewhere", "missing port number"),
        ("http://127.0.0.1:80", "unknown address scheme 'http'"),
        ("tls://127.0.0.1:8786", "Certificates for tls:// are set in dask's own configuration."),
    ],
)
def test_an_address_without_a_scheduler_is_one_sentence(
    command: str,
    address: str,
    said: str,
    nobody: str,
    graded_before: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    submissions, output = graded_before
    monkeypatch.setattr(cluster, "CONNECT", 0.1)
    class_ = [str(submissions)] if command == "grade" else []
    assert cli.main([command, *class_, "--output", str(output), "--scheduler", address.format(nobody=nobody)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("autograd-teach: ") and told.count("\n") == 1
    assert said.format(nobody=nobody) in told


def test_without_dask_it_says_what_to_install(
    graded_before: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match=r"pip install 'autograd-teach\[cluster\]'"):
        grade(graded_before[0], tmp_path, "tcp://127.0.0.1:8786")


def test_workers_in_other_processes_are_asked_for_their_own_software(
    three: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_class(tmp_path / "in", {"right": 1})
    versions = {**fingerprint.versions(), "numpy": "1.26.4"}
    monkeypatch.setattr(fingerprint, "versions", lambda: versions)
    with pytest.raises(UserError, match=r"the worker tcp://\S+ has numpy \d\S+ \(here 1\.26\.4\) and 2 more like it"):
        grade(tmp_path / "in", tmp_path / "out", three.address)
    assert not (tmp_path / "out").exists()


# ---- a worker that comes later is held to the same --------------------------------------------------------------------


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    return next(each for each in load_once(SOLVED.parent, RELEASED.parent, ()) if each.name == NAME)


def an_order(assignment: Assignment, **changes: Any) -> cluster.Order:
    order = cluster.Order(uuid.uuid4().hex, cluster.about(), "oracle", Limits(), (), {}, {assignment.name: assignment})
    return replace(order, **changes)


def judge_that_gives(status: Status) -> Callable[..., Any]:
    @contextmanager
    def called(*arguments: object, **options: object) -> Iterator[Any]:
        if options.get("required") and not sandbox.available().is_sandbox:
            raise UserError("there is no sandbox")
        yield lambda assignment, answers, stop: {id: Mark(id, status, 1, isolation="bubblewrap") for id in answers}

    return called


@pytest.mark.parametrize(
    ("changes", "isolation", "has", "status", "said"),
    [
        ({}, "bubblewrap", Isolation.BUBBLEWRAP, Status.PASS, ""),
        ({"made_by": {**cluster.about(), "numpy": "1.26.4"}}, "", Isolation.BUBBLEWRAP, Status.PASS, "numpy"),
        ({}, "user", Isolation.BUBBLEWRAP, Status.PASS, "its isolation is bubblewrap, but the others have user"),
        ({}, "", Isolation.BUBBLEWRAP, Status.FAIL, "the reference solution of 09.KillHead"),
        ({"options": {"required": True}}, "", Isolation.PROCESS, Status.PASS, "there is no sandbox"),
        ({"options": {"required": True}}, "", Isolation.USER, Status.PASS, ""),
        ({"options": {"required": True}}, "", Isolation.BUBBLEWRAP, Status.PASS, ""),
    ],
)
def test_an_unfit_worker_judges_nobody(
    assignment: Assignment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    isolation: str,
    has: Isolation,
    status: Status,
    said: str,
) -> None:
    monkeypatch.setattr(judges, "called", judge_that_gives(status))
    monkeypatch.setattr(sandbox, "available", lambda: has)
    worker = SimpleNamespace(address="tcp://10.0.0.9:1", local_directory=str(tmp_path))
    monkeypatch.setattr("distributed.get_worker", lambda: worker)
    order = an_order(assignment, **changes)
    reply = cluster.judged(order, NAME, {"09.Exp": "exp = 1"}, isolation)
    cluster.dismiss(order.key)
    assert said in reply.unfit and bool(reply.unfit) == bool(said)
    assert not reply.fault
    assert set(reply.marks) == (set() if said else {"09.Exp"})


def test_what_a_worker_hides_from_students(assignment: Assignment, tmp_path: Path) -> None:
    worker = SimpleNamespace(local_directory=str(tmp_path / "scratch"))
    hidden = cluster._hidden(an_order(assignment, hidden=("/net/class",)), worker)
    assert {Path("/net/class"), tmp_path / "scratch", SOLVED.parent} <= set(hidden)


def test_a_judge_ends_with_its_order(assignment: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    @contextmanager
    def called(*arguments: object, **options: object) -> Iterator[Any]:
        yield judge_that_gives(Status.PASS)
        ended.set()

    monkeypatch.setattr(judges, "called", called)
    order = an_order(assignment)
    worker = SimpleNamespace(address="tcp://10.0.0.9:1", local_directory=str(tmp_path))
    assert cluster._court(order, worker) is cluster._court(order, worker)
    assert not ended.is_set()
    del order  # as dask does when the client is gone
    assert ended.wait(120)


def test_a_judge_that_comes_after_its_order_was_withdrawn_ends_at_once(
    assignment: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judges, "called", judge_that_gives(Status.PASS))
    order = an_order(assignment)
    cluster.dismiss(order.key)
    court = cluster._court(order, SimpleNamespace(address="tcp://10.0.0.9:1", local_directory=str(tmp_path)))
    assert court.stop.is_set()


# ---- the end of a cluster ---------------------------------------------------------------------------------------------


def test_where_the_scheduler_is_lost_the_same_command_goes_on(tmp_path: Path) -> None:
    a_class(tmp_path / "in", {"right": 5, "looping": 1})
    (tmp_path / "cluster").mkdir()
    with a_cluster(tmp_path / "cluster", 1) as one:
        progress = When("2/6", lambda: os.killpg(one.scheduler.pid, signal.SIGKILL))
        with pytest.raises(UserError, match="The scheduler at .* was lost.* the same command goes on"):
            grade(tmp_path / "in", tmp_path, one.address, progress)
    first = book_of(tmp_path)  # and what came from a cluster stands on this machine
    known = len({student for student, _ in first})
    assert 2 <= known < 6
    progress = io.StringIO()
    results = grade(tmp_path / "in", tmp_path, progress=progress)
    assert f"{known} of 6 students do not need a run" in progress.getvalue()
    assert sorted(map(statuses, results.values())) == ["pass pass pass"] * 5 + ["pass pass timeout"]
    assert all(len(history) == 1 for history in book_of(tmp_path).values())


def test_where_no_worker_is_left_it_says_so_and_does_not_wait_for_ever(
    three: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last test of this file: it leaves the cluster of the others without workers."""
    a_class(tmp_path / "in", {"right": 5, "looping": 1})
    three.allow_failures(100)  # who had a worker that died is not to be blamed here
    monkeypatch.setattr(cluster, "LOOK", 0.5)
    progress = When("2/6", lambda: (three.end_workers(), monkeypatch.setattr(cluster, "PATIENCE", 1.0)))
    with pytest.raises(UserError, match="Grading stopped: no worker came .* in 1 seconds; .* the same command goes on"):
        grade(tmp_path / "in", tmp_path, three.address, progress)
    assert f"No worker is left at {three.address}; waiting for one" in progress.getvalue()
    said = io.StringIO()
    with pytest.raises(
        UserError, match="Nothing was graded: no worker came .* in 1 seconds; start some with `dask worker"
    ):
        grade(tmp_path / "in", tmp_path, three.address, said)
    assert "has no worker yet; waiting 1 seconds for one" in said.getvalue()
    assert 2 <= len({student for student, _ in book_of(tmp_path)}) < 6
