"""nbval in the box: runs one rebuilt notebook, watches its kernel, and reports cell by cell.

A job of the sandbox (../sandbox/forkserver.py): `load` imports all that a run needs, `serve` forks the kernel (kernel.py),
which waits to be told its connection, and lets `pytest --nbval` run the notebook that comes by the pipe. What a check is
compared with is in this process alone, whose memory no other can read.

The report is lines of JSON: {"begun": cell} and {"number": cell, "outcome", ...} for each cell, at last {"exit", ...}.

nbval by itself waits the whole time limit for a kernel that is dead, collects output without a bound, and goes on after
a time-out with cells that "pass" unexpectedly. So its kernel is watched here, and the first such event ends the run.
"""

import asyncio
import contextlib
import io
import json
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from pathlib import Path
from queue import Empty
from typing import Any, ClassVar, TextIO

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # Python's own sign for "not to be imported"
# jsonschema uses it for a kind of address that no notebook's schema has, and does without where it is missing; loading it
# compiles a grammar for 1.6 s, two thirds of what a small notebook costs.

import nbformat
import nbval.kernel
import nbval.plugin
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from nbval.kernel import RunningKernel

from ..sandbox import box, confine, usage
from . import kernel

NOTEBOOK = "notebook.ipynb"
LONGEST_MESSAGE = 300
LONGEST_LINE = 100
LONGEST_START = 120.0
"""Seconds until a kernel has opened its sockets, and until it replies."""
LONGEST_END = 5.0
_SOCKETS = "../k"
"""What the kernel's sockets are called from its folder, and from nbval's. /proc/net/unix tells names as they were given to
all boxes without a network of their own: no path, so that no other student's program can listen."""

LOOK = 0.2
"""Seconds between two looks at what all processes of the notebook use together."""


class Stopped(Exception):
    """The run cannot go on; the message is the status (`timeout`, `died`, `output_limit`)."""


class WatchedKernel(RunningKernel):
    """nbval's kernel, watched while a cell runs: is it alive, in time, and not flooding us?"""

    most_output = 0
    """Characters of output that one notebook may produce; set from the job."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.stopped_by, self.by_the_clock = "", False
        self._watching = False
        self._meter = usage.Meter(lambda: usage.of_descendants(os.getpid()))
        self._next_look = 0.0
        self._output = 0
        self._early: deque[dict[str, Any]] = deque()
        super().__init__(*args, **kwargs)
        self._watching = True

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        """Wait for a cell to end, reading its output on the way (nbval reads it afterwards, however much it is)."""
        allowed = timeout or 0.0
        deadline = time.monotonic() + box.WAIT + box.WAIT_FOR_EACH * allowed
        self._meter.allow(allowed)
        while not self._is_over() and time.monotonic() < deadline:
            reply = self._next("shell", 0)
            if reply and reply["parent_header"].get("msg_id") == msg_id:
                return
            message = self._next("iopub", 0.1)
            if message:
                self._early.append(message)
            elif not self.km.is_alive():
                self._stop("died")
        self.by_the_clock = not self._meter.is_over
        self._stop("timeout")

    def _is_over(self) -> bool:
        """Whether the cell's time is used up; looks now and then."""
        if time.monotonic() > self._next_look:
            self._meter.look()
            self._next_look = time.monotonic() + LOOK
        return self._meter.is_over

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        if stream == "iopub" and self._early:
            return self._early.popleft()
        if self._is_over():  # what comes after the end of a cell is of its time, too
            self._stop("timeout")
        message = self._next(stream, timeout)
        if message is None:
            self.by_the_clock |= self._watching and self.km.is_alive()  # nbval waits for a few seconds
            self._stop("timeout" if self.km.is_alive() else "died")
            raise Empty
        return message

    def _next(self, stream: str, timeout: float | None) -> dict[str, Any] | None:
        """The next message or None. Not through nbval's own method, which formats each one for a log: minutes for 300 MB."""
        receive = self.kc.get_shell_msg if stream == "shell" else self.kc.get_iopub_msg
        try:
            message: dict[str, Any] = receive(timeout=timeout)
        except Empty:
            return None
        except (ValueError, TypeError, KeyError, RecursionError, AttributeError):  # not what a kernel sends
            self._stop("protocol_error")
            return None
        if stream == "iopub":
            self._output += sum(_size(message[part]) for part in ("content", "metadata", "buffers"))
            if self._output > self.most_output:
                self._stop("output_limit")
        return message

    def _stop(self, status: str) -> None:
        if not self._watching:  # still starting up: nbval's own business
            raise Empty
        self._watching = False
        self.stopped_by = status
        self.stop()
        raise Stopped(status)


def _size(content: Any) -> int:
    """Characters in a message, whatever its kind."""
    if isinstance(content, dict):
        return sum(map(_size, [*content, *content.values()]))
    if isinstance(content, list):
        return sum(map(_size, content))
    return len(content) if isinstance(content, str | bytes | memoryview) else 8


class Kernel(LocalProvisioner):
    """Gives nbval the kernel that waits in this box."""

    waiting: ClassVar[kernel.Waiting]

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Tell it its connection, and wait for its sockets; the command of the kernel's specification is not used."""
        connection: dict[str, Any] = dict(self.connection_info)
        key = connection["key"]
        told = {**connection, "key": key.decode() if isinstance(key, bytes) else key}
        self.process = process = Forked(self.waiting.pid)  # type: ignore[assignment]  # as far as it is used
        self.pid = self.waiting.pid
        self.waiting.tell(told)
        sockets = [f"{connection['ip']}-{number}" for name, number in connection.items() if name.endswith("_port")]
        deadline = time.monotonic() + LONGEST_START
        while not all(map(os.path.exists, sockets)):
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError("the kernel did not start in its sandbox")
            await asyncio.sleep(0.005)
        return connection

    async def send_signal(self, signum: int) -> None:
        """Interrupts are not passed on: nobody sends one but to end the kernel, and then by a signal that cannot be ignored."""
        if self.process and signum != signal.SIGINT:
            self.process.kill()


class Forked:
    """A child process that was forked; like `Popen` as far as it is needed."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid, self._number = pid, os.pidfd_open(pid)

    def poll(self) -> int | None:
        """1 when it has ended; how is not told."""
        return 1 if select.select([self._number], [], [], 0)[0] else None

    def wait(self) -> int:
        """Until it has ended."""
        select.select([self._number], [], [])
        return 1

    def kill(self) -> None:
        """End it, and wait for that: jupyter_client would look again in a tenth of a second only."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._number, signal.SIGKILL)
        select.select([self._number], [], [], LONGEST_END)


class Client(BlockingKernelClient):
    """jupyter_client's client without its wait for silence: nbval looks itself whether output comes."""

    def wait_for_ready(self, timeout: float | None = None) -> None:
        """Until the kernel replies; a RuntimeError if it ends first, or does not."""
        deadline = time.monotonic() + LONGEST_START
        while self.is_alive() and time.monotonic() < deadline:
            self.kernel_info()
            with contextlib.suppress(Empty):
                reply = self.get_shell_msg(timeout=1)
                self.get_iopub_msg(timeout=0.2)  # where it is not connected yet, it is asked again
                self._handle_kernel_info_reply(reply)
                return
        raise RuntimeError("the kernel did not start in its sandbox")


class Manager(KernelManager):
    """jupyter_client's manager with our client and our provisioner."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, transport="ipc", ip=_SOCKETS, client_factory=Client, **kwargs)
        self.provisioner = Kernel(parent=self, kernel_spec=self.kernel_spec, kernel_id="sandboxed")


class Recorder:
    """A pytest plugin: what happened in each cell, and what a check cell is compared by."""

    def __init__(self, checks: list[int], report_to: TextIO) -> None:
        self.checks, self.report_to = checks, report_to
        self.stopped, self.by_the_clock = "", False
        self.errors: list[str] = []

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A cell begins."""
        self.tell(begun=int(nodeid.rpartition("::Cell ")[2]))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Nothing of the notebook stays on disk while it runs: not the expected outputs either."""
        Path(NOTEBOOK).unlink()
        for item in session.items:
            if isinstance(item, nbval.plugin.IPyNbCell) and item.cell_num in self.checks:
                item.compare_outputs = _comparing_what_was_said(item.compare_outputs)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append(report.longreprtext[-LONGEST_MESSAGE:])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        report = yield
        if call.when == "call":
            outcome = report.outcome if not hasattr(report, "wasxfail") else f"x{report.outcome}"
            seconds, message = round(call.duration, 3), _message(item, call.excinfo)
            if call.excinfo and not message and item.cell_num in self.checks:
                message = _line(_unsaid(item.test_outputs or [], item.cell.outputs))
            self.tell(number=item.cell_num, outcome=outcome, seconds=seconds, message=message)
            self._stop_if_kernel_is_gone(item)
        elif call.when == "setup" and report.outcome != "passed":
            self.errors.append(report.longreprtext[-LONGEST_MESSAGE:])
        return report

    def tell(self, **line: Any) -> None:
        """A line of the report."""
        self.report_to.write(json.dumps(line) + "\n")
        self.report_to.flush()

    def _stop_if_kernel_is_gone(self, item: Any) -> None:
        watched = item.parent.kernel
        status = watched.stopped_by or ("" if watched.is_alive() else "died")
        if status:
            self.stopped, self.by_the_clock = status, watched.by_the_clock
            item.session.shouldstop = status


def _comparing_what_was_said(compare: Any) -> Any:
    """nbval's comparison for a check cell: every line that the reference's said must be there, in that order.

    What else was said or drawn does not count: a right answer that prints, warns, plots or earns a remark is still right.
    """

    def compare_lines(produced: list[Any], expected: list[Any]) -> bool:
        return bool(compare(produced if _unsaid(produced, expected) else expected, expected))

    return compare_lines


def _unsaid(produced: list[Any], expected: list[Any]) -> str:
    """The first line of `expected` that is missing, and what was said in its place; "" if none is missing."""
    said = _lines(produced)
    for line in _lines(expected):
        if line not in said:
            instead = repr(said[0][:LONGEST_LINE]) if said else "nothing"
            return f"says {instead} instead of {line[:LONGEST_LINE]!r}"
        said = said[said.index(line) + 1 :]
    return ""


def _lines(outputs: list[Any]) -> list[str]:
    """The plain text of `outputs`, without its empty lines."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain") for output in outputs]
    lines = [line.rstrip() for text in texts if isinstance(text, str) for line in text.splitlines()]
    return [line for line in lines if line]


def _message(item: Any, failure: Any) -> str:
    """The exception that a cell raised, in one line; "" where its output differs and that is all."""
    for output in item.test_outputs or () if failure else ():
        if output.get("output_type") == "error":
            return _line(f"{output.get('ename')}: {output.get('evalue')}")
    if failure is None or isinstance(failure.value, nbval.plugin.NbCellError):
        return ""
    return _line(str(failure.value))


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_MESSAGE]


def load() -> None:
    """Import what a run and a kernel load at first use: pytest's own plugins, the notebook format, all of the course."""
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["--markers", "-c", os.devnull, "--rootdir=."])
    nbformat.reads(json.dumps(nbformat.v4.new_notebook()), as_version=4)
    kernel.load()


def serve(talk: socket.socket) -> None:
    """The job: one notebook."""
    confine.hide_memory()
    confine.adopt_orphans()
    Kernel.waiting = kernel.fork(talk)
    with talk.makefile("rb") as stream:
        job = json.loads(stream.readline())
    folder = Path(os.environ["TMPDIR"], "nbval")  # away from the kernel's folder
    folder.mkdir(mode=0o700)
    os.chdir(folder)
    with talk.makefile("w", encoding="utf-8") as report_to:
        _run(job, report_to)


def _run(job: dict[str, Any], report_to: TextIO) -> None:
    """Run the notebook in the current folder, and report."""
    Path(NOTEBOOK).write_text(json.dumps(job["notebook"]), encoding="utf-8")
    WatchedKernel.most_output = job["output"]
    nbval.plugin.RunningKernel = WatchedKernel
    nbval.kernel.KernelManager = Manager
    recorder = Recorder(job["checks"], report_to)
    status = pytest.main(
        [
            "--nbval",
            "--nbval-current-env",
            f"--nbval-cell-timeout={job['timeout']}",
            *("-p", "nbval.plugin", "-p", "no:cacheprovider", "--noconftest", "-q", "--color=no"),
            *("-c", os.devnull, "--rootdir=.", "--confcutdir=.", NOTEBOOK),
        ],
        plugins=[recorder],
    )
    recorder.tell(
        exit=int(status), stopped=recorder.stopped, by_the_clock=recorder.by_the_clock, errors=recorder.errors
    )
