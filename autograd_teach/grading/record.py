"""Runs a rebuilt notebook through nbval, in a process of its own, and says what happened in each cell.

`run_nbval` runs the kernel in the best sandbox that this machine has; `nbval_under` makes a `Runner` for another one, or
one that knows which folders no student may see. nbval itself stays outside the sandbox, and what it compares with too.
Whatever the isolation (it is in the `Record`): a fresh folder and home that hold nothing but the notebook, a clean
environment, limits on time, memory and output, and the end of every process it started. What the kernel says of itself
is not evidence in any of them: a hostile notebook can forge what is recorded here.

May use psutil. Must not know students, points or what a verdict is.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from . import sandbox
from .rebuild import Notebook
from .results import Status
from .sandbox import Isolation

STARTUP = 60.0
"""Seconds allowed for starting Python, pytest and a kernel on a busy machine, on top of the cells' own time."""

_SCRIPT = Path(__file__).with_name("nbval_process.py")
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
class Record:
    """One run of a notebook. Code cells are numbered as nbval counts them.

    `stopped` is what ended the run early, `stopped_at` the cell where; `GRADER_ERROR` and `PROTOCOL_ERROR` have no cell.
    """

    cells: dict[int, CellRecord]
    stopped: Status | None = None
    stopped_at: int | None = None
    detail: str = ""
    seconds: float = 0.0
    isolation: str = "process"


Runner = Callable[[Notebook, Sequence[int], Limits, threading.Event], Record]
"""(notebook, numbers of its check cells, limits, an event that asks to stop) -> what happened."""


class Interrupted(Exception):
    """The instructor stopped the run before this notebook was through."""


def run_nbval(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> Record:
    """Run `notebook` and return its `Record`; `Interrupted` when `stop` is set. No process of it is left afterwards."""
    return nbval_under(sandbox.available())(notebook, checks, limits, stop)


def nbval_under(isolation: Isolation, hidden: Sequence[Path] = ()) -> Runner:
    """`run_nbval` under `isolation`, whatever else there is; `hidden` are folders that no student's program may see."""

    def run(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> Record:
        return _run(notebook, checks, limits, stop, isolation, hidden)

    return run


def _run(
    notebook: Notebook,
    checks: Sequence[int],
    limits: Limits,
    stop: threading.Event,
    isolation: Isolation,
    hidden: Sequence[Path],
) -> Record:
    started = time.monotonic()
    code_cells = sum(cell["cell_type"] == "code" for cell in notebook["cells"])
    job = {
        "notebook": notebook,
        "checks": list(checks),
        "timeout": limits.timeout,
        "memory": limits.memory,
        "output": limits.output,
    }
    seconds = STARTUP + limits.timeout * code_cells
    with tempfile.TemporaryDirectory(prefix="autograd-teach-", ignore_cleanup_errors=True) as scratch:
        kernel = _Kernel(Path(scratch), isolation, hidden, limits, seconds)
        try:
            report, log = _report_of({**job, "kernel": kernel.plan}, Path(scratch), seconds, stop)
        finally:
            kernel.end()
    if report is None:
        record = Record({}, Status.TIMEOUT, None, "the whole notebook took too long")
    elif not report:
        record = Record({}, Status.DIED, None, f"its process ended without a report: {log}")
    else:
        record = _read_report(report, code_cells)
    return replace(record, seconds=time.monotonic() - started, isolation=isolation.value)


class _Kernel:
    """A notebook's kernel in its sandbox: how nbval_process.py is to start it, and the end of all that it started."""

    def __init__(
        self, scratch: Path, isolation: Isolation, hidden: Sequence[Path], limits: Limits, seconds: float
    ) -> None:
        self.plan: dict[str, Any] | None = None  # without a sandbox nbval starts the kernel itself
        self._wrapped: sandbox.Wrapped | None = None
        if not isolation.is_sandbox:
            return
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
            limits=sandbox.Bounds(memory=limits.memory, cpu=int(seconds) + 1),
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
            "sockets": "/tmp/kernel" if in_namespace else ".kernel",
            "reached_by": os.path.join("/proc", "{init}", "root", "tmp") if in_namespace else str(work),
        }

    def end(self) -> None:
        if self._wrapped is not None:
            sandbox.sweep(self._wrapped)


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
    return {**_variables(), **folders, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", _MARK: mark}


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
    for _ in range(50):
        descendants = [p for p in _descendants(process.pid) if _is_running(p)]
        if not descendants:
            break
        _kill(descendants)
        psutil.wait_procs(descendants, timeout=0.1)
    process.kill()
    process.wait()
    if process.stdin:
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
    _kill([p for p in psutil.process_iter() if _has_mark(p, mark)])


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def _is_running(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _has_mark(process: psutil.Process, mark: str) -> bool:
    """Whether `process` inherited our environment: a descendant that got away because our own process was killed."""
    try:
        return process.environ().get(_MARK) == mark
    except (psutil.Error, OSError):
        return False


def _kill(processes: Sequence[psutil.Process]) -> None:
    for process in processes:
        try:
            process.kill()
        except psutil.Error:
            continue


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 2000))
            return " ".join(file.read().decode("utf-8", "replace").split())[-300:]
    except OSError:
        return ""


def _read_report(report: bytes, code_cells: int) -> Record:
    """The `Record` that a report's bytes stand for; what does not look like a report is a `protocol_error`."""
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
        return Record({}, Status.PROTOCOL_ERROR, None, "its report is not readable")
    if ended_by:
        return Record(cells, ended_by, ended_at)
    if errors:
        return Record(cells, Status.GRADER_ERROR, None, errors)
    if set(cells) != set(range(code_cells)):
        return Record(cells, Status.PROTOCOL_ERROR, None, f"{len(cells)} of {code_cells} cells were run")
    return Record(cells)
