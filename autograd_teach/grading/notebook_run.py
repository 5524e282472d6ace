"""Runs a rebuilt notebook through nbval, in a process of its own, and says what happened in each cell.

`run_nbval` runs the kernel in the best sandbox that this machine has; `nbval_under` makes a `Runner` for another one, or
one that knows which folders no student may see. nbval itself stays outside the sandbox, and what it compares with too.

Most of what a small notebook costs is Python loading pytest and, in the sandbox, IPython. So for a class, where the runner
is used as a context manager, both are loaded once and forked for each notebook (waiting.py, kernel_server.py); without one,
and where namespaces cannot be made within the sandbox, each notebook's are started afresh.
Whatever the isolation (it is in the `NotebookRun`): a fresh folder and home that hold nothing but the notebook, a clean
environment, limits on time, memory and output, and the end of every process it started. What the kernel says of itself
is not evidence in any of them: a hostile notebook can forge what is recorded here.

May use psutil. Must not know students, points or what a verdict is.
"""

import contextlib
import json
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import psutil

from ..course.errors import UserError
from . import sandbox
from .rebuild import Notebook
from .results import Status
from .sandbox import Isolation
from .waiting import Forked, Lost, Waiting

STARTUP = 60.0
"""Seconds allowed for starting Python, pytest and a kernel on a busy machine, on top of the cells' own time."""

_SCRIPT = Path(__file__).with_name("notebook_run_process.py")
_KERNELS = Path(__file__).with_name("kernel_server.py")
_FORK = struct.Struct("<8q")
"""What the kernels' own process is asked with: `Bounds`, and a user id (-1: none of its own)."""

_SOCKETS = "/tmp/kernel"
"""Where a kernel under bubblewrap opens them, in a /tmp that no other has."""

_KEPT_VARIABLES = (
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "WINDIR",
    "COMSPEC",
)
_KERNEL = """\
import runpy, sys
sys.path.append(sys.argv.pop(1))
runpy.run_module("ipykernel_launcher", run_name="__main__")
"""
"""The grader's own autograd_teach comes last on the path: where it is run from a checkout, Python would not find it."""

_MARK = "AUTOGRAD_TEACH_RUN"
_LARGEST_REPORT = 4_000_000
_ATTEMPTS = 2


@dataclass(frozen=True)
class Limits:
    """What one notebook may use: seconds a cell, bytes of address space a process, characters of output."""

    timeout: float = 60.0
    memory: int = 4_000_000_000
    output: int = 10_000_000


@dataclass(frozen=True)
class CellRecord:
    """nbval's outcome of one cell: `passed`, `failed`, `skipped`, `xpassed`, `xskipped`; only `passed` is a pass."""

    outcome: str
    seconds: float
    message: str


@dataclass(frozen=True)
class NotebookRun:
    """One run of a notebook. Code cells are numbered as nbval counts them.

    `stopped` is what ended the run early, `stopped_at` the cell where; `GRADER_ERROR` and `PROTOCOL_ERROR` have no cell.
    """

    cells: dict[int, CellRecord]
    stopped: Status | None = None
    stopped_at: int | None = None
    detail: str = ""
    seconds: float = 0.0
    isolation: str = "process"


Runner = Callable[[Notebook, Sequence[int], Limits, threading.Event], NotebookRun]
"""(notebook, numbers of its check cells, limits, an event that asks to stop) -> what happened."""


class Interrupted(Exception):
    """The instructor stopped the run before this notebook was through."""


def run_nbval(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
    """Run `notebook` and return its `NotebookRun`; `Interrupted` when `stop` is set. No process of it is left afterwards."""
    return nbval_under(sandbox.available())(notebook, checks, limits, stop)


def nbval_under(isolation: Isolation, hidden: Sequence[Path] = ()) -> "Nbval":
    """`run_nbval` under `isolation`, whatever else there is; `hidden` are folders that no student's program may see."""
    return Nbval(isolation, hidden)


class Nbval:
    """A `Runner`, and a faster one within `with`."""

    def __init__(self, isolation: Isolation, hidden: Sequence[Path]) -> None:
        self._isolation, self._hidden = isolation, hidden
        self._nbvals: Waiting | None = None
        self._kernels: Waiting | None = None

    def __enter__(self) -> Self:
        if self._isolation.is_sandbox:  # else a student's program could end what waits for the others
            command = [sys.executable, "-I", str(_SCRIPT), "wait"]
            self._nbvals = Waiting(lambda: command, _environment(Path("/"), ""), "nbval's own process")
        if self._isolation is Isolation.BUBBLEWRAP:
            self._kernels = _waiting_kernels(self._hidden)
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._nbvals, self._kernels):
            if each is not None:
                each.close()
        self._nbvals = self._kernels = None

    @property
    def is_waiting(self) -> bool:
        """Whether the next notebook's processes are forked."""
        return self._nbvals is not None and (self._kernels is not None or self._isolation is not Isolation.BUBBLEWRAP)

    def __call__(self, notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(Lost):  # what waits was ended by somebody; it is started anew
                return self._run(notebook, checks, limits, stop)
        return NotebookRun({}, Status.GRADER_ERROR, None, "the processes that run notebooks were ended by somebody")

    def _run(self, notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
        started = time.monotonic()
        code_cells = sum(cell["cell_type"] == "code" for cell in notebook["cells"])
        seconds = STARTUP + limits.timeout * code_cells
        with tempfile.TemporaryDirectory(prefix="autograd-teach-", ignore_cleanup_errors=True) as scratch:
            folder = Path(scratch)
            kernel = self._kernel(folder, limits, seconds)
            job = {
                "notebook": notebook,
                "checks": list(checks),
                "timeout": limits.timeout,
                "memory": limits.memory,
                "output": limits.output,
                "kernel": kernel.plan,
            }
            try:
                if self._nbvals is None:
                    report, log = _report_of(job, folder, seconds, stop)
                else:
                    report, log = _report_from(self._nbvals, job, kernel.talk, folder, seconds, stop)
            finally:
                kernel.end()
        if report is None:
            record = NotebookRun({}, Status.TIMEOUT, None, "the whole notebook took too long")
        elif not report:
            record = NotebookRun({}, Status.DIED, None, f"its process ended without a report: {log}")
        else:
            record = _read_report(report, code_cells)
        return replace(record, seconds=time.monotonic() - started, isolation=self._isolation.value)

    def _kernel(self, scratch: Path, limits: Limits, seconds: float) -> "_Kernel":
        if not self._isolation.is_sandbox:
            return _Kernel()
        if self._kernels is not None and self._nbvals is not None:
            bounds = _bounds(limits, seconds)
            if forked := _forked_kernel(self._kernels, bounds):
                return forked
            self._kernels.close()  # what it needs to fork in is not to be had within this sandbox
            self._kernels = None
        return _WrappedKernel(scratch, self._isolation, self._hidden, limits, seconds)


class _Kernel:
    """A notebook's kernel: how notebook_run_process.py gets it, and the end of all that it started. This one nbval starts itself."""

    plan: dict[str, Any] | None = None
    """For notebook_run_process.py."""

    talk: socket.socket | None = None
    """The other side of a waiting kernel's talk."""

    def end(self) -> None:
        """No process of it is left afterwards; `Lost` where it was ended by neither nbval, nor us, nor itself."""


class _ForkedKernel(_Kernel):
    """One that waits to be told its connection."""

    def __init__(self, forked: Forked) -> None:
        self._forked = forked
        self.plan = {"sockets": _SOCKETS, "is_waiting": True}
        self.talk = forked.talk

    def end(self) -> None:
        self._forked.close()
        self._forked.how_it_ended()


def _waiting_kernels(hidden: Sequence[Path]) -> Waiting:
    package = Path(__file__).resolve().parents[2]
    asked = {
        "root": str(package),
        "needed": [str(path) for path in sandbox.python_paths()],
        "message": _FORK.format,
        "sockets": _SOCKETS,
        "work": str(sandbox.WORK),
    }
    command = [sys.executable, "-B", "-X", "utf8", str(_KERNELS), json.dumps(asked)]
    environment = sandbox.variables_inside(_variables())
    return Waiting(lambda: sandbox.forking(command, hidden=hidden), environment, "The kernels' own process")


def _forked_kernel(kernels: Waiting, bounds: sandbox.Bounds) -> _Kernel | None:
    """None where it could not be cut off from the others."""
    uid = sandbox.own_uid()
    most = (bounds.memory, bounds.cpu, bounds.file, bounds.disk, bounds.files, bounds.open_files, bounds.processes)
    try:
        forked = kernels.fork(_FORK.pack(*most, -1 if uid is None else uid))
    except (OSError, UserError):
        return None
    if not forked.level:
        forked.close()
        return None
    return _ForkedKernel(forked)


def _bounds(limits: Limits, seconds: float) -> sandbox.Bounds:
    return sandbox.Bounds(memory=limits.memory, cpu=int(seconds) + 1)


class _WrappedKernel(_Kernel):
    """One that notebook_run_process.py starts in its sandbox."""

    def __init__(
        self, scratch: Path, isolation: Isolation, hidden: Sequence[Path], limits: Limits, seconds: float
    ) -> None:
        scratch.chmod(0o711)
        work, told = scratch / "kernel", scratch / "told"
        work.mkdir()
        told.mkdir()
        connection = told / "connection.json"
        package = Path(__file__).resolve().parents[2]
        self._wrapped = sandbox.wrap(
            [sys.executable, "-c", _KERNEL, str(package), "-f", str(connection)],
            work=work,
            readable=[told],
            limits=_bounds(limits, seconds),
            environment=_variables(),
            hidden=hidden,
            isolation=isolation,
        )
        in_namespace = isolation is Isolation.BUBBLEWRAP
        self.plan = {
            "command": self._wrapped.command,
            "environment": dict(self._wrapped.environment),
            "directory": str(self._wrapped.directory),
            "uid": self._wrapped.uid,
            "connection": str(connection),
            "sockets": _SOCKETS if in_namespace else ".kernel",
            "reached_by": os.path.join("/proc", "{init}", "root", "tmp") if in_namespace else str(work),
        }

    def end(self) -> None:
        sandbox.sweep(self._wrapped)


def _report_from(
    nbvals: Waiting,
    job: dict[str, Any],
    kernel: socket.socket | None,
    scratch: Path,
    seconds: float,
    stop: threading.Event,
) -> tuple[bytes | None, str]:
    """As `_report_of`, from a process that is forked."""
    work, home, log = scratch / "work", scratch / "home", scratch / "log"
    work.mkdir()
    home.mkdir()
    with log.open("wb") as log_file:
        forked = nbvals.fork(b"!")
        try:
            directory = os.open(work, os.O_PATH | os.O_DIRECTORY)
            given = [log_file.fileno(), directory, *([kernel.fileno()] if kernel else [])]
            socket.send_fds(forked.talk, [b"!"], given)
            os.close(directory)
            if kernel:
                kernel.close()
            report = _answer(forked.talk, {**job, "environment": _environment(home, "")}, seconds, stop)
        finally:
            forked.close()
    if stop.is_set():
        raise Interrupted
    forked.how_it_ended()
    return report, _tail(log)


def _answer(channel: socket.socket, job: dict[str, Any], seconds: float, stop: threading.Event) -> bytes | None:
    """What is said to `job` until the other side hangs up; None when time ran out."""
    deadline = time.monotonic() + seconds
    unsent, received = memoryview(json.dumps(job).encode() + b"\n"), bytearray()
    channel.setblocking(False)
    while not stop.is_set() and len(received) < _LARGEST_REPORT:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        reading, writing, _ = select.select([channel], [channel] if unsent else [], [], min(left, 0.1))
        try:
            if writing:
                unsent = unsent[channel.send(unsent) :]
            if reading:
                more = channel.recv(1 << 20)
                if not more:
                    break
                received += more
        except BlockingIOError:
            continue
        except ConnectionError:  # it died; its log says why
            break
    return bytes(received)


def _report_of(job: dict[str, Any], scratch: Path, seconds: float, stop: threading.Event) -> tuple[bytes | None, str]:
    """The raw report (None when time ran out) and the end of the log."""
    work, home, log = scratch / "work", scratch / "home", scratch / "log"
    work.mkdir()
    home.mkdir()
    mark = uuid.uuid4().hex
    with log.open("wb") as log_file:
        process = subprocess.Popen(
            [sys.executable, "-I", str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log_file,
            cwd=work,
            env=_environment(home, mark),
            start_new_session=True,
        )
    assert process.stdin and process.stdout  # both are pipes
    received: list[bytes] = []
    reader = threading.Thread(target=lambda pipe: received.append(pipe.read(_LARGEST_REPORT)), args=(process.stdout,))
    try:
        reader.start()
        _send(process, job)
        deadline = time.monotonic() + seconds
        while reader.is_alive() and time.monotonic() < deadline and not stop.is_set():
            reader.join(0.1)
        in_time = not reader.is_alive()
    finally:
        _end(process, mark)
        reader.join()
        process.stdout.close()
    if stop.is_set():
        raise Interrupted
    return received[0] if in_time else None, _tail(log)


def _send(process: subprocess.Popen[bytes], job: dict[str, Any]) -> None:
    assert process.stdin
    try:
        process.stdin.write(json.dumps(job).encode() + b"\n")
        process.stdin.flush()
    except BrokenPipeError:  # it died at once; its log says why
        pass


def _environment(home: Path, mark: str) -> dict[str, str]:
    """For the process that runs nbval, and for a kernel without a sandbox."""
    folders = {name: str(home) for name in ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR")}
    return {**_variables(), **folders, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **({_MARK: mark} if mark else {})}


def _variables() -> dict[str, str]:
    """What the notebook may know: no path of the grader, no personal settings, one thread a numerical library."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    threads = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    return {
        **kept,
        **threads,
        "AUTOGRAD_TEACH_NO_PROGRESS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
    }


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End `process` and everything it started: first its descendants, while it still adopts the orphans among them."""
    sandbox.end_descendants(process.pid)
    process.kill()
    process.wait()
    if process.stdin:
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
    sandbox.end_all([p for p in psutil.process_iter() if _has_mark(p, mark)])


def _has_mark(process: psutil.Process, mark: str) -> bool:
    """Whether `process` inherited our environment: a descendant that got away because our own process was killed."""
    try:
        return process.environ().get(_MARK) == mark
    except (psutil.Error, OSError):
        return False


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 2000))
            return " ".join(file.read().decode("utf-8", "replace").split())[-300:]
    except OSError:
        return ""


def _read_report(report: bytes, code_cells: int) -> NotebookRun:
    """The `NotebookRun` that a report's bytes stand for; what does not look like a report is a `protocol_error`."""
    try:
        read = json.loads(report)
        cells = {
            int(cell["number"]): CellRecord(str(cell["outcome"]), float(cell["seconds"]), str(cell["message"]))
            for cell in read["cells"]
        }
        stopped = read["stopped"]
        ended_by = Status(stopped["status"]) if stopped else None
        ended_at = int(stopped["number"]) if stopped else None
        errors = " ".join(str(read["errors"][0]).split())[-300:] if read["errors"] else ""
    except (ValueError, TypeError, KeyError, RecursionError):
        return NotebookRun({}, Status.PROTOCOL_ERROR, None, "its report is not readable")
    if ended_by:
        return NotebookRun(cells, ended_by, ended_at)
    if errors:
        return NotebookRun(cells, Status.GRADER_ERROR, None, errors)
    if set(cells) != set(range(code_cells)):
        return NotebookRun(cells, Status.PROTOCOL_ERROR, None, f"{len(cells)} of {code_cells} cells were run")
    return NotebookRun(cells)
