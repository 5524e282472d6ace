"""nbval in the box: runs one rebuilt notebook, watches its kernel, and reports cell by cell.

A job of the sandbox (../sandbox/forkserver.py). `load` imports everything that a run needs. `serve` forks the kernel
(kernel.py), which waits for its connection, and runs the notebook from the pipe with `pytest --nbval`. The expected output
of the checks is only in this process, whose memory other processes cannot read.

The report is lines of JSON: {"begun": cell} and {"number": cell, "outcome", ...} for each cell, then {"exit", ...}.

nbval itself waits the whole time limit for a dead kernel, collects output without a bound, and goes on after a timeout
with cells that "pass" unexpectedly. So the kernel is watched here, and the first of these events ends the run.
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

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # None blocks the import
# jsonschema uses it for an address format that the notebook schema does not use, and works without it. Importing it
# compiles a grammar for 1.6 s, two thirds of the time of a small notebook.

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
"""Seconds to wait until a kernel has opened its sockets, and then until it replies."""
LONGEST_END = 5.0
_SOCKETS = "../k"
"""The relative path of the kernel's sockets, from its folder and from nbval's. Boxes without a network namespace can read
socket names in /proc/net/unix: without an absolute path, another student's program cannot connect to them."""

LOOK = 0.2
"""Seconds between two checks of what all processes of the notebook use together."""


class Stopped(Exception):
    """The run cannot continue; the message is the status (`timeout`, `died`, `output_limit`)."""


class WatchedKernel(RunningKernel):
    """nbval's kernel, watched while a cell runs: whether it is alive, in time, and within the output limit."""

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
        """Wait for a cell to end while reading its output (nbval would read it afterwards, without a limit)."""
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
        """Whether the cell's time is used up, checked at intervals."""
        if time.monotonic() > self._next_look:
            self._meter.look()
            self._next_look = time.monotonic() + LOOK
        return self._meter.is_over

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        if stream == "iopub" and self._early:
            return self._early.popleft()
        if self._is_over():  # output after the end of a cell also counts as its time
            self._stop("timeout")
        message = self._next(stream, timeout)
        if message is None:
            self.by_the_clock |= self._watching and self.km.is_alive()  # nbval waits for a few seconds
            self._stop("timeout" if self.km.is_alive() else "died")
            raise Empty
        return message

    def _next(self, stream: str, timeout: float | None) -> dict[str, Any] | None:
        """The next message or None. nbval's own method formats each message for a log: minutes for 300 MB."""
        receive = self.kc.get_shell_msg if stream == "shell" else self.kc.get_iopub_msg
        try:
            message: dict[str, Any] = receive(timeout=timeout)
        except Empty:
            return None
        except (ValueError, TypeError, KeyError, RecursionError, AttributeError):  # not a kernel's message
            self._stop("protocol_error")
            return None
        if stream == "iopub":
            self._output += sum(_size(message[part]) for part in ("content", "metadata", "buffers"))
            if self._output > self.most_output:
                self._stop("output_limit")
        return message

    def _stop(self, status: str) -> None:
        if not self._watching:  # still starting up: nbval handles that
            raise Empty
        self._watching = False
        self.stopped_by = status
        self.stop()
        raise Stopped(status)


def _size(content: Any) -> int:
    """The number of characters in a message of any kind."""
    if isinstance(content, dict):
        return sum(map(_size, [*content, *content.values()]))
    if isinstance(content, list):
        return sum(map(_size, content))
    return len(content) if isinstance(content, str | bytes | memoryview) else 8


class Kernel(LocalProvisioner):
    """Provides nbval with the kernel that waits in this box."""

    waiting: ClassVar[kernel.Waiting]

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Send the kernel its connection and wait for its sockets. Does not use the command of the kernel spec."""
        connection: dict[str, Any] = dict(self.connection_info)
        key = connection["key"]
        told = {**connection, "key": key.decode() if isinstance(key, bytes) else key}
        self.process = process = Forked(self.waiting.pid)  # type: ignore[assignment]  # has the methods that are used
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
        """Ignore interrupts: they are sent only to end the kernel, which `kill` does with a signal it cannot ignore."""
        if self.process and signum != signal.SIGINT:
            self.process.kill()


class Forked:
    """A forked child process with the methods of `Popen` that are needed."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid, self._number = pid, os.pidfd_open(pid)

    def poll(self) -> int | None:
        """1 if it has ended (the exit status is not known), else None."""
        return 1 if select.select([self._number], [], [], 0)[0] else None

    def wait(self) -> int:
        """Wait until it has ended."""
        select.select([self._number], [], [])
        return 1

    def kill(self) -> None:
        """End it and wait until it has ended: jupyter_client would check only after a tenth of a second."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._number, signal.SIGKILL)
        select.select([self._number], [], [], LONGEST_END)


class Client(BlockingKernelClient):
    """jupyter_client's client without its wait for silence: nbval itself checks for output."""

    def wait_for_ready(self, timeout: float | None = None) -> None:
        """Wait until the kernel replies. Raises RuntimeError if it ends first or does not reply."""
        deadline = time.monotonic() + LONGEST_START
        while self.is_alive() and time.monotonic() < deadline:
            self.kernel_info()
            with contextlib.suppress(Empty):
                reply = self.get_shell_msg(timeout=1)
                self.get_iopub_msg(timeout=0.2)  # if it is not connected yet, ask again
                self._handle_kernel_info_reply(reply)
                return
        raise RuntimeError("the kernel did not start in its sandbox")


class Manager(KernelManager):
    """jupyter_client's manager with our client and our provisioner."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, transport="ipc", ip=_SOCKETS, client_factory=Client, **kwargs)
        self.provisioner = Kernel(parent=self, kernel_spec=self.kernel_spec, kernel_id="sandboxed")


class Recorder:
    """A pytest plugin that reports what happened in each cell and compares the output of check cells."""

    def __init__(self, checks: list[int], report_to: TextIO) -> None:
        self.checks, self.report_to = checks, report_to
        self.stopped, self.by_the_clock = "", False
        self.errors: list[str] = []

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A cell begins."""
        self.tell(begun=int(nodeid.rpartition("::Cell ")[2]))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Delete the notebook from disk before it runs, because it contains the expected outputs."""
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
        """Write a line of the report."""
        self.report_to.write(json.dumps(line) + "\n")
        self.report_to.flush()

    def _stop_if_kernel_is_gone(self, item: Any) -> None:
        watched = item.parent.kernel
        status = watched.stopped_by or ("" if watched.is_alive() else "died")
        if status:
            self.stopped, self.by_the_clock = status, watched.by_the_clock
            item.session.shouldstop = status


def _comparing_what_was_said(compare: Any) -> Any:
    """nbval's comparison for a check cell: every line of the reference's output must be there, in the same order.

    Other output does not matter: a right answer that prints, warns, plots or gets a remark is still right.
    """

    def compare_lines(produced: list[Any], expected: list[Any]) -> bool:
        return bool(compare(produced if _unsaid(produced, expected) else expected, expected))

    return compare_lines


def _unsaid(produced: list[Any], expected: list[Any]) -> str:
    """The first line of `expected` that is missing, and what was printed instead; "" if none is missing."""
    said = _lines(produced)
    for line in _lines(expected):
        if line not in said:
            instead = repr(said[0][:LONGEST_LINE]) if said else "nothing"
            return f"says {instead} instead of {line[:LONGEST_LINE]!r}"
        said = said[said.index(line) + 1 :]
    return ""


def _lines(outputs: list[Any]) -> list[str]:
    """The lines of plain text in `outputs`, without empty ones."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain") for output in outputs]
    lines = [line.rstrip() for text in texts if isinstance(text, str) for line in text.splitlines()]
    return [line for line in lines if line]


def _message(item: Any, failure: Any) -> str:
    """The exception that a cell raised, in one line; "" if only its output differs."""
    for output in item.test_outputs or () if failure else ():
        if output.get("output_type") == "error":
            return _line(f"{output.get('ename')}: {output.get('evalue')}")
    if failure is None or isinstance(failure.value, nbval.plugin.NbCellError):
        return ""
    return _line(str(failure.value))


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_MESSAGE]


def load() -> None:
    """Import what a run and a kernel would load at first use: pytest's plugins, the notebook format, the course."""
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["--markers", "-c", os.devnull, "--rootdir=."])
    nbformat.reads(json.dumps(nbformat.v4.new_notebook()), as_version=4)
    kernel.load()


def serve(talk: socket.socket) -> None:
    """The job of the box: run one notebook."""
    confine.hide_memory()
    confine.adopt_orphans()
    Kernel.waiting = kernel.fork(talk)
    with talk.makefile("rb") as stream:
        job = json.loads(stream.readline())
    folder = Path(os.environ["TMPDIR"], "nbval")  # not in the kernel's folder
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
    options = [
        *("--nbval", "--nbval-current-env", f"--nbval-cell-timeout={job['timeout']}", "-p", "nbval.plugin"),
        *("-p", "no:cacheprovider", "--noconftest", "-q", "--color=no"),
        *("-c", os.devnull, "--rootdir=.", "--confcutdir=.", NOTEBOOK),
    ]
    status = pytest.main(options, plugins=[recorder])
    recorder.tell(
        exit=int(status), stopped=recorder.stopped, by_the_clock=recorder.by_the_clock, errors=recorder.errors
    )
