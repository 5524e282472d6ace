"""Runners that start no process, or few, for tests of what happens around a run. Used by the tests of this folder only."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from autograd_teach.grading.notebook_run import CellRecord, Limits, NotebookRun, Runner
from autograd_teach.grading.rebuild import Assignment, Notebook
from autograd_teach.grading.results import Mark, Status
from autograd_teach.grading.verdicts import Judge
from tests.grading.classroom import QUESTIONS, SOLUTIONS, assignment

PASSED, FAILED = CellRecord("passed", 0.1, ""), CellRecord("failed", 0.1, "AssertionError: no")
CELLS = assignment().code_cells


def by_source(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
    """Passes each check whose answer is the solution's text, whatever comment ends it."""
    sources = {cell["id"]: cell["source"] for cell in notebook["cells"]}
    cells = dict.fromkeys(range(len(CELLS)), PASSED)
    for question in QUESTIONS:
        if sources[question.answer].partition("  #")[0] != SOLUTIONS[question.id]:
            cells[CELLS.index(question.check)] = FAILED
    return NotebookRun(cells)


class Once:
    """What was found of one thing counts for all that are like it; `found` is all that was ever looked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[threading.Lock, list[Any]]] = {}
        self.found: list[Any] = []

    def __call__(self, thing: Any, find: Callable[[], Any]) -> Any:
        with self._lock:
            own, known = self._known.setdefault(json.dumps(thing), (threading.Lock(), []))
        with own:
            if not known:
                known.append(find())
                self.found.append(known[0])
        return known[0]


def each_notebook_once(runner: Runner) -> tuple[Runner, list[NotebookRun]]:
    """A runner that runs each different notebook once and says of its likes what it said of it; and all that it ran."""
    once = Once()

    def run(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
        record: NotebookRun = once(notebook, lambda: runner(notebook, checks, limits, stop))
        return record

    return run, once.found


def each_answers_once(judge: Judge) -> Judge:
    """A judge that judges equal answers once."""
    once = Once()

    def judged(assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
        return dict(once([assignment.name, dict(answers)], lambda: judge(assignment, answers, stop)))

    return judged


def quick_judge(*_: object, **__: object) -> AbstractContextManager[Judge]:
    """In place of `judge.called`: a judge who fails what the reference does not say, whatever comment ends it, and who cannot
    judge at all where an answer begins with `raise`."""

    def judged(assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
        if any(source.startswith("raise") for source in answers.values()):
            raise RuntimeError("disk on fire")
        marks = {}
        for question in assignment.questions:
            if (source := answers.get(question.id)) is not None:
                is_right = assignment.references[question.id] in (source, source.rpartition("  # ")[0])
                marks[question.id] = Mark(question.id, Status.PASS if is_right else Status.FAIL, question.points)
        return marks

    return nullcontext(judged)
