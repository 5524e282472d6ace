"""Many machines: a `Judge` that sends the judging to the workers of a dask.distributed cluster (`--scheduler ADDRESS`).

Intake, gradebook and reports stay on the instructor's machine. Each worker gets the `Order` once (who judges, under which
limits, the assignments), then the answers of each student as text; it sends marks back. A worker makes its judge from the
order when its first student comes, under the isolation of its own machine, tries the reference solutions, and keeps the
judge until the order is withdrawn. Only the instructor's process writes the gradebook, so a student whose answers ran
twice, because a worker was lost, still gets one mark.

Both sides are here: `called` and `Workers` run on the instructor's machine, `judged` and everything below on a worker.
May use dask, which only the functions that need it import. Must not know how an answer is judged.
"""

import asyncio
import io
import logging
import threading
import time
import uuid
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ..course.errors import UserError
from . import judge as judges
from . import reports
from .gradebook import fingerprint
from .notebook_run import Limits
from .rebuild import Assignment
from .results import Mark, Status
from .sandbox import Interrupted
from .verdicts import NoJudge

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT = 10.0
"""Seconds to wait for an answer of the scheduler."""

PATIENCE = 300.0
"""Seconds that a cluster may be without a worker, at the start or during a run."""

TICK = 0.5
LOOK = 2.0
REMIND = 30.0
FEWEST, MOST = 64, 1024
"""Bounds of the students in progress at a time: more workers may join, but the scheduler must not hold 10,000 students."""

GOES_ON = "Everything graded so far is in the gradebook, and the same command goes on from there."


@dataclass(eq=False)
class Order:
    """Everything that a worker needs to judge a class. Plain data; on a worker it also holds the judge made from it."""

    key: str
    made_by: Mapping[str, str]  # versions on the instructor's machine
    judge: judges.Name
    limits: Limits
    hidden: tuple[str, ...]  # paths of the instructor's machine, whose disk a worker may share
    options: Mapping[str, Any]  # more arguments of `judge.called`
    assignments: Mapping[str, Assignment]
    court: "Court | None" = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "court": None}


@dataclass(frozen=True)
class Reply:
    """A worker's answer: marks, or why it cannot judge at all (`unfit`), or what failed for this student (`fault`)."""

    worker: str
    marks: Mapping[str, Mark] = field(default_factory=dict)
    said: str = ""  # its message about its isolation
    unfit: str = ""
    fault: str = ""


def about() -> dict[str, str]:
    """Versions that must be equal on all machines; otherwise a grade would depend on the worker."""
    from ..course.exercises import exercises

    versions = {name: version for name, version in fingerprint.versions().items() if name != "system"}
    versions["python"] = versions["python"].rpartition(".")[0]
    declared = fingerprint.of({exercise.id: fingerprint.declared(exercise) for exercise in exercises()})
    return {**versions, "course": fingerprint.course(), "exercises": declared[:12]}


def differences(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """Name the versions that differ.

    >>> differences({"numpy": "2.3.0", "python": "3.12"}, {"numpy": "2.4.6", "python": "3.12"})
    'numpy 2.3.0 (here 2.4.6)'
    """
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    return ", ".join(f"{name} {there.get(name, 'none')} (here {here.get(name, 'none')})" for name in names)


# ------------------------------------------------------------------------------------------ the instructor's machine


@contextmanager
def called(
    address: str,
    assignments: Sequence[Assignment],
    name: judges.Name,
    limits: Limits,
    hidden: Sequence[Path],
    *,
    progress: TextIO | None = None,
    **options: Any,
) -> Iterator["Workers"]:
    """The workers of the scheduler at `address` as a `Judge`; the other arguments are those of `judge.called`.

    Raises `UserError` if there is no scheduler, if no worker comes, or if a worker's software differs from this machine's.
    """
    paths = tuple(str(path.resolve()) for path in hidden)
    by_name = {assignment.name: assignment for assignment in assignments}
    order = Order(uuid.uuid4().hex, about(), name, limits, paths, options, by_name)
    with _connected(address) as client:
        workers = Workers(client, order, progress)
        try:
            workers.start()
            yield workers
        finally:
            workers.end()


@contextmanager
def _connected(address: str) -> Iterator["Client"]:
    try:
        from distributed import Client
    except ImportError as problem:
        raise UserError(
            "Grading on many machines needs dask, which is not installed. Run: pip install 'autograd-teach[cluster]'"
        ) from problem
    with _quiet():
        try:
            with ThreadPoolExecutor(1) as pool:  # the caller may have an event loop of its own, as in a notebook
                pool.submit(asyncio.run, _greeted(address)).result()
            client = Client(address, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as problem:
            timed_out = isinstance(problem, TimeoutError) or "Timed out" in str(problem)
            reason = f"nothing answers there in {CONNECT:g} seconds" if timed_out else _short(problem)
            tls = " Certificates for tls:// are set in dask's own configuration." if address.startswith("tls:") else ""
            raise UserError(
                f"No scheduler can be reached at {address or 'an empty address'} ({reason}); start one with `dask scheduler` and "
                f"give --scheduler the address that it prints, like tcp://10.0.0.1:8786.{tls}"
            ) from problem
        try:
            yield client
        finally:
            with suppress(Exception):  # the scheduler may be gone
                client.close(timeout=TICK)


async def _greeted(address: str) -> None:
    """Check that `address` is a scheduler: dask's client would hang if something else listens there."""
    from distributed import rpc
    from distributed.security import Security

    async with asyncio.timeout(CONNECT):
        async with rpc(address, connection_args=Security().get_connection_args("client")) as there:
            kind = (await there.identity())["type"]
    if kind in ("Worker", "Nanny"):
        raise ValueError(f"a {kind} is there")


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence dask's log: our own messages say the same in one sentence."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado.application")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class Workers:
    """A `Judge` that is called from many threads; each waits for the marks of one student."""

    def __init__(self, client: "Client", order: Order, progress: TextIO | None) -> None:
        self._client, self._order, self._progress = client, order, progress
        self._address = str(client.scheduler.address)
        self._threads: dict[str, int] = {}  # number of threads, by worker
        self._over = ""  # why no worker is left to judge
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._trials: dict[str, Mapping[str, Mark]] = {}
        self._trial, self._suspect = threading.Lock(), threading.Lock()
        self._sent: Future | None = None

    @property
    def at_a_time(self) -> int:
        """How many threads may call this at a time: enough to keep all workers busy."""
        return min(MOST, max(FEWEST, 2 * sum(self._threads.values())))

    def start(self) -> None:
        """Wait for workers, check their versions, and send the order."""
        self._wait_for_workers()
        self._compare()
        # A task, not data: if the worker that has it is lost, dask makes it again.
        self._sent = self._client.submit(_accepted, self._order, key=f"autograd-teach-{self._order.key}")
        self._watch.start()
        threads = ", ".join(map(str, sorted(self._threads.values(), reverse=True)))
        some = "1 worker" if len(self._threads) == 1 else f"{len(self._threads)} workers"
        reports.say(self._progress, f"{some} at {self._address}; threads of each: {threads}")

    def end(self) -> None:
        """Withdraw the order and end what still runs on the workers."""
        self._ended.set()

        def withdraw() -> None:
            with suppress(Exception):  # a worker that is lost has nothing to end
                self._client.run(dismiss, self._order.key, on_error="ignore")

        if not self._is_lost:
            last = threading.Thread(target=withdraw, daemon=True)
            last.start()
            last.join(CONNECT)

    def __call__(self, assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
        """A mark for each of `answers`, from any worker. Raises `NoJudge` if no worker is left."""
        with self._trial:  # the first call for an assignment tries the references before any student
            if assignment.name not in self._trials:
                self._trials[assignment.name] = self._try_everywhere(assignment, stop)
        trial = self._trials[assignment.name]
        if answers == assignment.references:
            return dict(trial)

        def ask() -> Reply | None:
            return self._awaited(self._send(assignment, answers, isolation=_isolation(trial)), stop)

        reply = ask()
        if reply is None:  # workers died, perhaps of other answers: run alone to see whose fault it was
            with self._alone(stop):
                reply = ask()
        if reply is None:
            raise RuntimeError("every worker that ran these answers died")
        if reply.fault:
            raise RuntimeError(f"{reply.fault} (on {reply.worker})")
        return dict(reply.marks)

    def _try_everywhere(self, assignment: Assignment, stop: threading.Event) -> Mapping[str, Mark]:
        """The marks of the references, whose isolation must be the same on every worker."""
        trials: dict[str, Reply] = {}
        while not trials:
            asked = {worker: self._send(assignment, assignment.references, worker=worker) for worker in self._threads}
            for worker, future in asked.items():
                if (reply := self._awaited(future, stop, worker)) is not None:
                    trials[worker] = reply
            if not trials and stop.wait(TICK):  # all of them were lost
                raise Interrupted
            if self._over:
                raise NoJudge(self._over)
        first, reply = next(iter(trials.items()))
        for worker, other in trials.items():
            if _isolation(other.marks) != _isolation(reply.marks):
                raise NoJudge(
                    f"Nothing was graded: the workers isolate students' code in different ways ({first}: {reply.said}; "
                    f"{worker}: {other.said}). Set them up alike, or stop those that differ."
                )
        if not self._trials:
            reports.say(self._progress, reply.said)
        return reply.marks

    def _send(
        self, assignment: Assignment, answers: Mapping[str, str], *, isolation: str = "", worker: str = ""
    ) -> "Future":
        pinned: dict[str, Any] = {"workers": [worker], "allow_other_workers": False} if worker else {}
        try:
            # Unique keys: equal answers, or two classes, must not share a task.
            key = f"answers-{uuid.uuid4().hex}"
            return self._client.submit(judged, self._sent, assignment.name, dict(answers), isolation, key=key, **pinned)
        except Exception as problem:
            raise NoJudge(self._over or self._lost()) from problem

    def _awaited(self, future: "Future", stop: threading.Event, worker: str = "") -> Reply | None:
        """The reply; None if every worker that tried died, or the one that was asked."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        try:
            while True:
                is_done = done.wait(TICK)
                if stop.is_set():
                    raise Interrupted
                if self._over:
                    raise NoJudge(self._over)
                if is_done:
                    with suppress(TimeoutError):
                        return self._read(future)
                if worker and worker not in self._threads:
                    return None
        finally:
            with suppress(Exception):
                if not future.done():
                    future.cancel()

    def _read(self, future: "Future") -> Reply | None:
        from distributed import KilledWorker

        try:
            # `TimeoutError` if its worker was lost before the reply was fetched: dask runs the task again.
            reply: Reply = future.result(timeout=TICK)
        except KilledWorker:
            return None
        except TimeoutError:
            raise
        except (Exception, asyncio.CancelledError) as problem:
            if self._is_lost or isinstance(problem, (CancelledError, asyncio.CancelledError)):
                raise NoJudge(self._lost()) from problem
            raise NoJudge(
                f"The scheduler or a worker at {self._address} cannot load the grader ({_short(problem)}); install the "
                f"same autograd-teach[cluster] on every machine. {GOES_ON}"
            ) from problem
        if reply.unfit:
            raise NoJudge(f"The worker {reply.worker} cannot grade: {reply.unfit}")
        return reply

    @contextmanager
    def _alone(self, stop: threading.Event) -> Iterator[None]:
        while not self._suspect.acquire(timeout=TICK):
            if stop.is_set():
                raise Interrupted
        try:
            if stop.wait(LOOK):  # if a whole machine went down, the scheduler must notice all of its workers
                raise Interrupted
            yield
        finally:
            self._suspect.release()

    @property
    def _is_lost(self) -> bool:
        return self._client.status != "running"

    def _lost(self) -> str:
        return f"The scheduler at {self._address} was lost, or the tasks of this class were cancelled there. {GOES_ON}"

    def _wait_for_workers(self) -> None:
        start, said = time.monotonic(), -REMIND
        while not (threads := dict(self._client.nthreads())):
            waited = time.monotonic() - start
            if waited > PATIENCE:
                raise UserError(f"Nothing was graded: {self._nobody()}")
            if waited - said > REMIND:
                said = waited
                reports.say(
                    self._progress,
                    f"The scheduler at {self._address} has no worker yet; waiting {PATIENCE - waited:.0f} seconds for one "
                    f"(`dask worker {self._address}` starts one)",
                )
            time.sleep(TICK)
        self._threads = threads

    def _nobody(self) -> str:
        return f"no worker came to the scheduler at {self._address} in {PATIENCE:g} seconds; start some with `dask worker {self._address}`."

    def _compare(self) -> None:
        """Raise `UserError` if a worker's versions differ from this machine's: grades could differ too."""
        here, found = self._order.made_by, self._client.run(about, on_error="return")
        if wrong := [worker for worker, there in found.items() if there != here]:
            there = found[wrong[0]]
            is_loaded = not isinstance(there, Exception)
            has = f"has {differences(there, here)}" if is_loaded else ""
            what = has or f"cannot load autograd_teach ({_short(there)})"
            more = f" and {len(wrong) - 1} more like it" if len(wrong) > 1 else ""
            raise UserError(
                f"Nothing was graded: the worker {wrong[0]} {what}{more}; "
                "install the same autograd-teach[cluster], Python and libraries on every machine."
            )

    def _look(self) -> None:
        """Watch workers come and go. If none is left, say so, wait `PATIENCE` seconds, then stop the run."""
        seen = said = time.monotonic()
        while not self._ended.wait(LOOK):
            if self._is_lost:
                self._over = self._lost()
                return
            with suppress(Exception):  # the scheduler may have just been lost
                self._threads = dict(self._client.nthreads())
            now = time.monotonic()
            if self._threads:
                seen = now
            elif now - seen > PATIENCE:
                self._over = f"Grading stopped: {self._nobody()} {GOES_ON}"
                return
            elif said < seen or now - said > REMIND:
                said = now
                reports.say(self._progress, f"No worker is left at {self._address}; waiting for one")


def _isolation(marks: Mapping[str, Mark]) -> str:
    return "+".join(sorted({mark.isolation for mark in marks.values()}))


def _short(problem: BaseException) -> str:
    return " ".join(f"{type(problem).__name__}: {problem}".split())[:200]


# ---------------------------------------------------------------------------------------------------------- a worker


class Unfit(Exception):
    """This worker must not judge any answer. The message says why and what to do."""


class Court:
    """The judge of one worker for one order."""

    def __init__(self, order: Order, worker: Any) -> None:
        self.key, self.stop = order.key, threading.Event()
        self._trials: dict[str, Mapping[str, Mark]] = {}
        self._trial = threading.Lock()
        if differs := differences(about(), order.made_by):
            raise Unfit(f"it has {differs}; install the same everywhere. {GOES_ON}")
        said = io.StringIO()
        self._open = ExitStack()
        called = judges.called(order.judge, order.limits, _hidden(order, worker), progress=said, **order.options)
        self._judge = self._open.enter_context(called)
        self.said = " ".join(said.getvalue().split())

    def judge(self, assignment: Assignment, answers: Mapping[str, str], isolation: str) -> Mapping[str, Mark]:
        """Marks of `answers`. Raises `Unfit` if the references fail here or the isolation is not `isolation`."""
        with self._trial:
            if assignment.name not in self._trials:
                self._trials[assignment.name] = self._tried(assignment)
        trial = self._trials[assignment.name]
        if isolation not in ("", own := _isolation(trial)):
            raise Unfit(
                f"its isolation is {own}, but the others have {isolation}; stop it, or set it up like them. {GOES_ON}"
            )
        if answers == assignment.references:
            return trial
        return self._judge(assignment, answers, self.stop)

    def _tried(self, assignment: Assignment) -> Mapping[str, Mark]:
        trial = self._judge(assignment, assignment.references, self.stop)
        for mark in trial.values():
            if mark.status is not Status.PASS:
                raise Unfit(
                    f"the reference solution of {mark.exercise} in {assignment.name} does not pass there ({mark.status}: {mark.detail}); "
                    "repair the installation there, or stop that worker."
                )
        return trial

    def end(self) -> None:
        """End what still runs, then the judge and its processes. Does not wait: the worker must answer other requests."""
        self.stop.set()
        threading.Thread(target=self._open.close, daemon=True).start()


_courts: "weakref.WeakSet[Court]" = weakref.WeakSet()
_opening = threading.Lock()
_withdrawn: set[str] = set()
"""Keys of withdrawn orders: a judge may still be starting when its order is withdrawn."""


def judged(order: Order, name: str, answers: Mapping[str, str], isolation: str) -> Reply:
    """The task on a worker: judge one student's answers to one assignment. Returns exceptions as text in the reply."""
    from distributed import get_worker

    worker = get_worker()
    try:
        court = _court(order, worker)
        return Reply(worker.address, court.judge(order.assignments[name], answers, isolation), court.said)
    except (Unfit, UserError) as problem:
        return Reply(worker.address, unfit=str(problem))
    except Exception as problem:  # noqa: BLE001 - a fault affects this student only, as without a cluster
        return Reply(worker.address, fault=_short(problem))


def dismiss(key: str) -> None:
    """End the judge of this order, and do not allow another one to be made from it."""
    _withdrawn.add(key)
    for court in list(_courts):
        if court.key == key:
            court.end()


def _accepted(order: Order) -> Order:
    return order


def _court(order: Order, worker: Any) -> Court:
    """The judge made from `order`. It ends with the order: dask drops that when its client is gone, however it ended."""
    with _opening:
        if order.court is None:
            order.court = Court(order, worker)
            _courts.add(order.court)
            # Not needed at exit: when this process ends, the judge's processes end with it.
            weakref.finalize(order, order.court.end).atexit = False
        if order.key in _withdrawn:
            order.court.end()
        return order.court


def _hidden(order: Order, worker: Any) -> list[Path]:
    """Paths that students' code must not see on this worker: those hidden on the instructor's machine (the disk may be
    shared), the worker's own solutions, and dask's folder and keys."""
    import dask

    from ..course import content

    paths = [*order.hidden, worker.local_directory]
    with suppress(UserError):
        paths.append(str(content.folder("solutions")))
    paths += [dask.config.get(f"distributed.comm.tls.{kind}.key", None) for kind in ("worker", "client", "scheduler")]
    return [Path(path) for path in paths if path]
