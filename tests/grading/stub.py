"""Runners that start no process, for tests of what happens around a run. Used by the tests of this folder only."""

import json
import threading
from collections.abc import Sequence

from autograd_teach.grading.rebuild import Notebook
from autograd_teach.grading.record import CellRecord, Limits, Record, Runner, run_nbval
from tests.grading.classroom import QUESTIONS, SOLUTIONS, assignment

PASSED, FAILED = CellRecord("passed", 0.1, ""), CellRecord("failed", 0.1, "AssertionError: no")
CELLS = assignment().code_cells


def by_source(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> Record:
    """Passes each check whose answer is the solution's text, whatever comment ends it."""
    sources = {cell["id"]: cell["source"] for cell in notebook["cells"]}
    cells = dict.fromkeys(range(len(CELLS)), PASSED)
    for question in QUESTIONS:
        if sources[question.answer].partition("  #")[0] != SOLUTIONS[question.id]:
            cells[CELLS.index(question.check)] = FAILED
    return Record(cells)


def each_notebook_once(runner: Runner = run_nbval) -> tuple[Runner, list[Record]]:
    """A runner that runs each different notebook once and says of its likes what it said of it; and all that it ran."""
    lock = threading.Lock()
    known: dict[str, tuple[threading.Lock, list[Record]]] = {}
    runs: list[Record] = []

    def run(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> Record:
        with lock:
            own, record = known.setdefault(json.dumps(notebook), (threading.Lock(), []))
        with own:
            if not record:
                record.append(runner(notebook, checks, limits, stop))
                runs.append(record[0])
        return record[0]

    return run, runs
