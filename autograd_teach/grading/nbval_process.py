"""The process that runs one rebuilt notebook through nbval; started by record.py as a script, never imported.

Reads a job (JSON) from standard input, writes the notebook into the working folder, lets `pytest --nbval` run it, and
writes a report (JSON) to what was its standard output; that pipe is closed to the kernel, whose prints go to standard
error. It then waits to be ended, so that whatever the notebook left running is still its descendant.

May use the standard library, psutil, pytest and nbval; knows nothing of autograd_teach, students or points.

nbval by itself waits the whole time limit for a kernel that is dead, collects output without a bound, and goes on after
a time-out with cells that "pass" unexpectedly. So its kernel is watched here, and the first such event ends the run.
"""

import contextlib
import ctypes
import json
import os
import sys
import tempfile
import threading
import time
from collections import deque
from functools import partial
from pathlib import Path
from queue import Empty
from typing import Any

if __name__ == "__main__":
    # jsonschema uses this for a kind of address that no notebook's schema has, and does without where it is missing;
    # loading it compiles a grammar for 1.6 s, two thirds of what a small notebook costs.
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # Python's own sign for "not to be imported"

import nbval.kernel
import nbval.plugin
import psutil
import pytest
from jupyter_client.manager import KernelManager
from nbval.kernel import RunningKernel

NOTEBOOK = "notebook.ipynb"
LONGEST_MESSAGE = 300
LARGEST_FILE = 64_000_000
"""Bytes that the notebook may write to one file, this process's log among them."""


class Stopped(Exception):
    """The run cannot go on; the message is the status (`timeout`, `died`, `output_limit`)."""


class WatchedKernel(RunningKernel):
    """nbval's kernel, watched while a cell runs: is it alive, in time, and not flooding us?"""

    most_output = 0
    """Characters of output that one notebook may produce; set from the job."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.stopped_by = ""
        self._watching = False
        self._output = 0
        self._early: deque[dict[str, Any]] = deque()
        super().__init__(*args, **kwargs)
        self._watching = True

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        """Wait for a cell to end, reading its output on the way (nbval reads it afterwards, however much it is)."""
        deadline = time.monotonic() + (timeout or 0)
        while time.monotonic() < deadline:
            reply = self._next("shell", 0)
            if reply and reply["parent_header"].get("msg_id") == msg_id:
                return
            message = self._next("iopub", 0.1)
            if message:
                self._early.append(message)
            elif not self.km.is_alive():
                self._stop("died")
        self._stop("timeout")

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        if stream == "iopub" and self._early:
            return self._early.popleft()
        message = self._next(stream, timeout)
        if message is None:
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
        if stream == "iopub":
            self._output += _size(message["content"])
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
        return sum(map(_size, content.values()))
    if isinstance(content, list):
        return sum(map(_size, content))
    return len(content) if isinstance(content, str) else 8


class Recorder:
    """A pytest plugin: what happened in each cell, and what a check cell is compared by."""

    def __init__(self, checks: list[int]) -> None:
        self.checks = checks
        self.cells: list[dict[str, Any]] = []
        self.stopped: dict[str, Any] | None = None
        self.errors: list[str] = []

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
            self._add(item, outcome, call.duration, _message(item, call.excinfo))
            self._stop_if_kernel_is_gone(item)
        elif call.when == "setup" and report.outcome != "passed":
            self.errors.append(report.longreprtext[-LONGEST_MESSAGE:])
        return report

    def _add(self, item: Any, outcome: str, seconds: float, message: str) -> None:
        self.cells.append(
            {
                "number": item.cell_num,
                "outcome": outcome,
                "seconds": round(seconds, 3),
                "message": message,
            }
        )

    def _stop_if_kernel_is_gone(self, item: Any) -> None:
        kernel = item.parent.kernel
        status = kernel.stopped_by or ("" if kernel.is_alive() else "died")
        if status:
            self.stopped = {"number": item.cell_num, "status": status}
            item.session.shouldstop = status


def _comparing_what_was_said(compare: Any) -> Any:
    """nbval's comparison for a check cell: every line that the reference's said must be there, in that order.

    What else was said or drawn does not count: a right answer that prints, warns, plots or earns a remark is still right.
    """

    def compare_lines(produced: list[Any], expected: list[Any]) -> bool:
        said = iter(_lines(produced))
        everything_said = all(line in said for line in _lines(expected))
        return bool(compare(expected if everything_said else produced, expected))

    return compare_lines


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


def _adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends (Linux), so that none is lost sight of."""
    if sys.platform == "linux":
        set_child_subreaper = 36
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def _limit_resources(memory: int) -> None:
    """Address space, so that memory ends in a MemoryError; size of a file; no core dumps. Not on Windows."""
    try:
        import resource
    except ImportError:
        return
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):  # macOS refuses a limit on address space
            continue


def _end_with_grader(pipe: int) -> None:
    """Wait for the end of `pipe`, which the grader holds open until it ends us; then the grader is gone, and so are we."""
    while os.read(pipe, 1):
        pass
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            process.kill()
    os._exit(1)


def main() -> None:
    """Run the job and report."""
    job = json.loads(sys.stdin.buffer.readline())
    # A duplicate: pytest puts another file in the place of standard input.
    watch = threading.Thread(target=_end_with_grader, args=(os.dup(0),), daemon=True)
    watch.start()
    report_to = os.fdopen(os.dup(1), "w", encoding="utf-8")  # a duplicate is not inherited by the kernel
    os.dup2(2, 1)
    _adopt_orphans()
    _limit_resources(job["memory"])
    Path(NOTEBOOK).write_text(json.dumps(job["notebook"]), encoding="utf-8")
    WatchedKernel.most_output = job["output"]
    nbval.plugin.RunningKernel = WatchedKernel
    if os.name == "posix":
        # Sockets of its own: with TCP another kernel may get there first, and both wait in vain (course/kernels.py).
        channels = os.path.join(tempfile.gettempdir(), "kernel")
        nbval.kernel.KernelManager = partial(KernelManager, transport="ipc", ip=channels)
    recorder = Recorder(job["checks"])
    status = pytest.main(
        [
            "--nbval",
            "--nbval-current-env",
            f"--nbval-cell-timeout={job['timeout']}",
            *("-p", "nbval.plugin", "-p", "no:cacheprovider", "--noconftest", "-q", "--color=no"),
            *("-c", os.devnull, "--rootdir=.", NOTEBOOK),
        ],
        plugins=[recorder],
    )
    report = {
        "cells": recorder.cells,
        "stopped": recorder.stopped,
        "errors": recorder.errors,
        "exit": int(status),
    }
    with report_to:
        json.dump(report, report_to)
    watch.join()


if __name__ == "__main__":
    main()
