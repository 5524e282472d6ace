"""Many machines: a `Judge` that leaves the judging to the workers of a dask.distributed cluster (`--scheduler ADDRESS`).

Intake, gradebook and reports stay on the instructor's machine. What travels is the `Order` (who judges, under which limits, the
assignments), once to each worker, and for each student the answers, as text; marks come back. A worker makes its judge from
the order when its first student comes, for the isolation that it finds on its own machine, tries the reference solutions, and keeps the judge
until the order is withdrawn. Only the instructor's process writes the gradebook: that a student ran twice, because a
worker was lost on the way, is seen nowhere.

Both sides live here: `called` and `Workers` on the instructor's machine, `judged` and what is below it on a worker. May use dask, which is imported
by what needs it only. Must not know how an answer is judged.
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
"""Seconds until an address at which nobody answers is given up."""

PATIENCE = 300.0
"""Seconds that a cluster may be without any worker, at the start or on the way."""

TICK = 0.5
LOOK = 2.0
REMIND = 30.0
FEWEST, MOST = 64, 1024
"""Students under way at a time, whatever the number of workers: more may join, and a class of 10,000 must not wait in the scheduler's memory."""

GOES_ON = "Everything graded so far is in the gradebook, and the same command goes on from there."


@dataclass(eq=False)
class Order:
    """What a worker needs in order to judge a class. Plain data; on a worker it also holds the judge made from it."""

    key: str
    made_by: Mapping[str, str]  # the software that ordered it
    judge: judges.Name
    limits: Limits
    hidden: tuple[str, ...]  # paths of the instructor's machine: a worker may share its disk
    options: Mapping[str, Any]  # more arguments of `judge.called`
    assignments: Mapping[str, Assignment]
    court: "Court | None" = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "court": None}


@dataclass(frozen=True)
class Reply:
    """What a worker answers: marks, or why it judges nobody (`unfit`), or what went wrong with this one student (`fault`)."""

    worker: str
    marks: Mapping[str, Mark] = field(default_factory=dict)
    said: str = ""  # of its isolation
    unfit: str = ""
    fault: str = ""


def about() -> dict[str, str]:
    """What must be the same everywhere, or a grade would depend on the machine it came from."""
    from ..course.exercises import exercises

    versions = {name: version for name, version in fingerprint.versions().items() if name != "system"}
    versions["python"] = versions["python"].rpartition(".")[0]
    declared = fingerprint.of({exercise.id: fingerprint.declared(exercise) for exercise in exercises()})
    return {**versions, "course": fingerprint.course(), "exercises": declared[:12]}


def differences(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """
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
    """The workers behind the scheduler at `address` as a `Judge`; the other arguments are those of `judge.called`.

    A `UserError` where there is no scheduler, where no worker comes, or where a worker has other software than this machine.
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
            "Grading on many machines needs dask, which is not installed; say: pip install 'autograd-teach[cluster]'"
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
            with suppress(Exception):  # of a scheduler that is gone
                client.close(timeout=TICK)


async def _greeted(address: str) -> None:
    """Whether a scheduler is there: dask's client would wait for ever for the answer of something else that listens."""
    from distributed import rpc
    from distributed.security import Security

    async with asyncio.timeout(CONNECT):
        async with rpc(address, connection_args=Security().get_connection_args("client")) as there:
            kind = (await there.identity())["type"]
    if kind in ("Worker", "Nanny"):
        raise ValueError(f"a {kind} is there")


@contextmanager
def _quiet() -> Iterator[None]:
    """Without dask's own log, whose long lines say what a sentence of ours does."""
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
    """A `Judge`, called from many threads at a time: each waits for one student's marks."""

    def __init__(self, client: "Client", order: Order, progress: TextIO | None) -> None:
        self._client, self._order, self._progress = client, order, progress
        self._address = str(client.scheduler.address)
        self._threads: dict[str, int] = {}  # by worker
        self._over = ""  # why there is nobody left to judge
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._trials: dict[str, Mapping[str, Mark]] = {}
        self._trial, self._suspect = threading.Lock(), threading.Lock()
        self._sent: Future | None = None

    @property
    def at_a_time(self) -> int:
        """How many threads may call this at a time: enough that no worker is idle."""
        return min(MOST, max(FEWEST, 2 * sum(self._threads.values())))

    def start(self) -> None:
        """Wait for workers, make sure that they have what is needed, and send the order."""
        self._wait_for_workers()
        self._compare()
        # A task like any other, not data: where the worker that has it is lost, dask makes it again.
        self._sent = self._client.submit(_accepted, self._order, key=f"autograd-teach-{self._order.key}")
        self._watch.start()
        threads = ", ".join(map(str, sorted(self._threads.values(), reverse=True)))
        some = "1 worker" if len(self._threads) == 1 else f"{len(self._threads)} workers"
        reports.say(self._progress, f"{some} at {self._address}, with so many threads: {threads}")

    def end(self) -> None:
        """Withdraw the order: whatever still runs on a worker ends."""
        self._ended.set()

        def withdraw() -> None:
            with suppress(Exception):  # a worker that is lost has nothing to end
                self._client.run(dismiss, self._order.key, on_error="ignore")

        if not self._is_lost:
            last = threading.Thread(target=withdraw, daemon=True)
            last.start()
            last.join(CONNECT)

    def __call__(self, assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
        """A mark for each of `answers`, from whichever worker; `NoJudge` where there is none left that could give them."""
        with self._trial:  # the first call for an assignment, before anybody is graded
            if assignment.name not in self._trials:
                self._trials[assignment.name] = self._try_everywhere(assignment, stop)
        trial = self._trials[assignment.name]
        if answers == assignment.references:
            return dict(trial)

        def ask() -> Reply | None:
            return self._awaited(self._send(assignment, answers, isolation=_isolation(trial)), stop)

        reply = ask()
        if reply is None:  # in whose company did workers die? One suspect at a time shows whose fault it was
            with self._alone(stop):
                reply = ask()
        if reply is None:
            raise RuntimeError("every worker that took these answers died of it, or beside it")
        if reply.fault:
            raise RuntimeError(f"{reply.fault} (on {reply.worker})")
        return dict(reply.marks)

    def _try_everywhere(self, assignment: Assignment, stop: threading.Event) -> Mapping[str, Mark]:
        """The references' marks, which are to be the same on every worker."""
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
                    f"Nothing was graded: the workers do not protect themselves alike from students' code ({first}: {reply.said}; "
                    f"{worker}: {other.said}); set them up alike, or end those that differ."
                )
        if not self._trials:
            reports.say(self._progress, reply.said)
        return reply.marks

    def _send(
        self, assignment: Assignment, answers: Mapping[str, str], *, isolation: str = "", worker: str = ""
    ) -> "Future":
        pinned: dict[str, Any] = {"workers": [worker], "allow_other_workers": False} if worker else {}
        try:
            # With names of their own: equal answers are not to share a task, nor are two classes.
            key = f"answers-{uuid.uuid4().hex}"
            return self._client.submit(judged, self._sent, assignment.name, dict(answers), isolation, key=key, **pinned)
        except Exception as problem:
            raise NoJudge(self._over or self._lost()) from problem

    def _awaited(self, future: "Future", stop: threading.Event, worker: str = "") -> Reply | None:
        """What comes; None where it cost the life of every worker that tried, or of the one that was asked."""
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
            # `TimeoutError` where its worker was lost before it could be fetched: dask has it made again.
            reply: Reply = future.result(timeout=TICK)
        except KilledWorker:
            return None
        except TimeoutError:
            raise
        except (Exception, asyncio.CancelledError) as problem:
            if self._is_lost or isinstance(problem, (CancelledError, asyncio.CancelledError)):
                raise NoJudge(self._lost()) from problem
            raise NoJudge(
                f"The scheduler or a worker at {self._address} cannot load the grader ({_short(problem)}); every machine needs the "
                f"same autograd-teach[cluster]. {GOES_ON}"
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
            if stop.wait(LOOK):  # where a whole machine went down, all of its workers are to be known as dead
                raise Interrupted
            yield
        finally:
            self._suspect.release()

    @property
    def _is_lost(self) -> bool:
        return self._client.status != "running"

    def _lost(self) -> str:
        return f"The scheduler at {self._address} was lost, or was made to forget this class. {GOES_ON}"

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
        return f"in {PATIENCE:g} seconds no worker came to the scheduler at {self._address}; start some with `dask worker {self._address}`."

    def _compare(self) -> None:
        """What differs may make another grade: then nothing is graded."""
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
        """Keep an eye on the workers: some come, some go, and where none is left that is said and not waited for without end."""
        seen = said = time.monotonic()
        while not self._ended.wait(LOOK):
            if self._is_lost:
                self._over = self._lost()
                return
            with suppress(Exception):  # the scheduler may be lost just now
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
    """This worker is not to judge anybody; the message says why, and what to do."""


class Court:
    """One worker's judge for one order."""

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
        """Marks; `Unfit` where this machine fails a right answer, or is not the fortress that the others are."""
        with self._trial:
            if assignment.name not in self._trials:
                self._trials[assignment.name] = self._tried(assignment)
        trial = self._trials[assignment.name]
        if isolation not in ("", own := _isolation(trial)):
            raise Unfit(
                f"its isolation is {own}, that of the others {isolation}; end it, or set it up alike. {GOES_ON}"
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
                    "repair the installation there, or end that worker."
                )
        return trial

    def end(self) -> None:
        """End what still runs, then the judge and its processes, for which nobody waits: a worker answers other questions."""
        self.stop.set()
        threading.Thread(target=self._open.close, daemon=True).start()


_courts: "weakref.WeakSet[Court]" = weakref.WeakSet()
_opening = threading.Lock()
_withdrawn: set[str] = set()
"""Keys of orders; a judge may still be on its way when its order is withdrawn."""


def judged(order: Order, name: str, answers: Mapping[str, str], isolation: str) -> Reply:
    """The task: one student's answers to one assignment. Every exception of its own comes back as words."""
    from distributed import get_worker

    worker = get_worker()
    try:
        court = _court(order, worker)
        return Reply(worker.address, court.judge(order.assignments[name], answers, isolation), court.said)
    except (Unfit, UserError) as problem:
        return Reply(worker.address, unfit=str(problem))
    except Exception as problem:  # noqa: BLE001 - a fault is this student's only, as it is without a cluster
        return Reply(worker.address, fault=_short(problem))


def dismiss(key: str) -> None:
    """End the judge of this order, here and now, and let no other be made from it."""
    _withdrawn.add(key)
    for court in list(_courts):
        if court.key == key:
            court.end()


def _accepted(order: Order) -> Order:
    return order


def _court(order: Order, worker: Any) -> Court:
    """The judge made from `order`, which it outlives in no case: dask drops an order when its client is gone, however it went."""
    with _opening:
        if order.court is None:
            order.court = Court(order, worker)
            _courts.add(order.court)
            # At the end of this process the judge's own processes end with it.
            weakref.finalize(order, order.court.end).atexit = False
        if order.key in _withdrawn:
            order.court.end()
        return order.court


def _hidden(order: Order, worker: Any) -> list[Path]:
    """What students' code must not see here: what it must not see on the instructor's machine, if the disk is shared, solutions of the
    worker's own, and dask's folder and keys."""
    import dask

    from ..course import content

    paths = [*order.hidden, worker.local_directory]
    with suppress(UserError):
        paths.append(str(content.folder("solutions")))
    paths += [dask.config.get(f"distributed.comm.tls.{kind}.key", None) for kind in ("worker", "client", "scheduler")]
    return [Path(path) for path in paths if path]
