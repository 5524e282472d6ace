"""The grader's side of a notebook's run: its limits and its result.

nbval runs in the box together with the kernel. Its report leaves through one bounded pipe; the grader does not connect to
anything that a student made. The record is not evidence: a hostile notebook can forge it.

Must not know students, points or what a verdict is.
"""

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..results import Status
from ..sandbox import Bounds, Boxes, Ended, Isolation, Lost, NotMade, TooSlow

if TYPE_CHECKING:
    from ..rebuild import Notebook

JOB = "autograd_teach.grading.notebook_run.inside"

STARTUP = 30.0
"""CPU seconds for pytest and the kernel, in addition to the cells' own."""

_LARGEST_REPORT = 4_000_000
_ATTEMPTS = 2
_STOPS = {each: each for each in map(Status, ("timeout", "died", "output_limit", "protocol_error"))}
"""The reasons that a report may give for stopping its run (`Stopped` in inside.py)."""


@dataclass(frozen=True)
class Limits:
    """What one notebook may use: CPU seconds per cell, bytes of memory, characters of output."""

    timeout: float = 60.0
    memory: int = 4_000_000_000
    output: int = 10_000_000


@dataclass(frozen=True)
class CellRecord:
    """nbval's outcome of one cell: `passed`, `failed`, `skipped`, `xpassed` or `xskipped`. Only `passed` is a pass."""

    outcome: str
    seconds: float
    message: str


@dataclass(frozen=True)
class NotebookRun:
    """One run of a notebook. Code cells are numbered as nbval counts them.

    `stopped` is what ended the run early, `stopped_at` its cell (None for `GRADER_ERROR` and `PROTOCOL_ERROR`).
    `by_the_clock`: the wall clock ended it, perhaps because the machine was busy.
    """

    cells: dict[int, CellRecord]
    stopped: Status | None = None
    stopped_at: int | None = None
    detail: str = ""
    seconds: float = 0.0
    isolation: str = "process"
    by_the_clock: bool = False
    is_whole: bool = True  # the report is complete


Runner = Callable[["Notebook", Sequence[int], Limits, threading.Event], NotebookRun]
"""(notebook, numbers of its check cells, limits, an event that asks to stop) -> what happened."""


class Nbval(AbstractContextManager["Nbval"]):
    """A `Runner` and context manager; the forkserver of its boxes is started once.

    It runs under `isolation`. Students' programs cannot see the folders `hidden`.
    """

    def __init__(self, isolation: Isolation, hidden: Sequence[Path] = ()) -> None:
        self.boxes = Boxes(JOB, isolation, hidden)

    def __exit__(self, *_: object) -> None:
        self.boxes.close()

    def __call__(
        self, notebook: "Notebook", checks: Sequence[int], limits: Limits, stop: threading.Event
    ) -> NotebookRun:
        for _ in range(_ATTEMPTS):
            try:
                return self._run(notebook, checks, limits, stop)
            except Lost:  # the box's forkserver was ended: it is started again
                continue
            except NotMade as problem:
                return NotebookRun({}, Status.GRADER_ERROR, None, f"no sandbox could be made: {problem}")
        return NotebookRun({}, Status.GRADER_ERROR, None, "the processes that run notebooks were ended from outside")

    def _run(self, notebook: "Notebook", checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
        started = time.monotonic()
        code_cells = sum(cell["cell_type"] == "code" for cell in notebook["cells"])
        seconds = STARTUP + limits.timeout * code_cells
        job = {"notebook": notebook, "checks": list(checks), "timeout": limits.timeout, "output": limits.output}
        with self.boxes.open(Bounds(memory=limits.memory, cpu=int(seconds) + 1)) as box:
            try:
                told = json.dumps(job).encode() + b"\n"
                report = box.exchange(told, _LARGEST_REPORT, seconds, stop, whole=False)
                found = _read(report, code_cells)
                if found.stopped in (Status.DIED, Status.TIMEOUT) and (
                    (how := box.end()).out_of_memory or not found.is_whole
                ):
                    found = _ended(found, how)
            except TooSlow:
                found = NotebookRun({}, Status.TIMEOUT, None, "the whole notebook took too long", by_the_clock=True)
            except Ended as how:
                found = _ended(NotebookRun({}), how)
        return replace(found, seconds=time.monotonic() - started, isolation=box.isolation)


def _ended(found: NotebookRun, how: Ended) -> NotebookRun:
    """`found`, in which the kernel died or the report is cut off, with the supervisor's reason."""
    if how.out_of_memory:
        return replace(found, stopped=Status.OUT_OF_MEMORY, detail="")
    beyond = f"it went beyond the limit on {how.cause}"
    details = {"stopped": "a signal stopped its processes", "disk": beyond, "processes": beyond}
    status = Status.TIMEOUT if how.cause == "time" else Status.DIED
    return replace(found, stopped=status, detail=details.get(how.cause, ""))


def _read(report: bytes, code_cells: int) -> NotebookRun:
    """Parse a report into a `NotebookRun`. Bytes that are not a report give a `protocol_error`."""
    cells: dict[int, CellRecord] = {}
    begun, last = None, {}
    try:
        for line in report.splitlines():
            read = json.loads(line)
            if "begun" in read:
                begun = int(read["begun"])
            elif "outcome" in read:
                record = CellRecord(str(read["outcome"]), float(read["seconds"]), str(read["message"]))
                cells[int(read["number"])] = record
            else:
                last = read
        stopped = _STOPS[last["stopped"]] if last.get("stopped") else None
        errors = " ".join(str(last["errors"][0]).split())[-300:] if last.get("errors") else ""
        by_the_clock = bool(last.get("by_the_clock"))
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, AttributeError):
        return NotebookRun({}, Status.PROTOCOL_ERROR, None, "its report is not readable")
    if stopped:
        return NotebookRun(cells, stopped, begun, by_the_clock=by_the_clock)
    if errors:
        return NotebookRun(cells, Status.GRADER_ERROR, None, errors)
    if last and set(cells) != set(range(code_cells)):
        return NotebookRun(cells, Status.PROTOCOL_ERROR, None, f"{len(cells)} of {code_cells} cells were run")
    return NotebookRun(cells) if last else NotebookRun(cells, Status.DIED, begun, is_whole=False)
