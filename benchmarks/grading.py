"""The cost of grading a class: seconds, seconds per submission as the class grows, memory, and fifty endless loops.

The class is generated: copies of a solved notebook whose answers all differ in text. It is graded
by the command that an instructor calls, with everything it writes (the gradebook, a page per
student). Its processes are measured from outside. Progress is shown on standard error.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograd_teach.course import content
from autograd_teach.course.exercises import exercises
from autograd_teach.grading import sandbox
from autograd_teach.grading.rebuild import Assignment, load_assignments

NOTEBOOK = "09_custom_functions"
JOBS = 2
WAYS = {"points": "points only (oracle)", "record": "with the nbval record"}
OPTIONS = {"points": ["--points-only"], "record": []}
GOALS = {"points": 60, "record": 480}
"""Seconds for a class of `GOAL_FOR` on two cores.

A smaller class takes more per submission: the start-up counts more.
"""

GOAL_FOR = 1000

LOOK = 2.0
"""Seconds between two measurements of the memory of the grader's processes; each costs some of their time."""

SHOW = 50
"""Without a terminal to draw a progress bar on: submissions per line of progress."""


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    sizes: tuple[int, ...]  # of classes; the goals are for the last one
    class_with_loops: int
    loops: int
    limit: float  # seconds per cell, in the class with loops


FULL, QUICK = Plan((250, 500, 1000), 100, 50, 4.0), Plan((25, 50, 100), 12, 6, 2.0)


@dataclass
class Run:
    """One class graded."""

    submissions: int
    seconds: float = 0.0
    memory: list[tuple[int, int]] = field(default_factory=list)  # (how many were graded, bytes in use)

    @property
    def seconds_each(self) -> float:
        return self.seconds / self.submissions

    def in_use(self, graded: int) -> float:
        """The bytes in use after `graded` submissions: the median of the three nearest measurements."""
        nearest = sorted(self.memory, key=lambda look: abs(look[0] - graded))[:3]
        return sorted(bytes_ for _, bytes_ in nearest)[len(nearest) // 2] if nearest else 0

    def peak(self, graded: int) -> float:
        """The most bytes in use in any measurement up to `graded` submissions."""
        return max((bytes_ for done, bytes_ in self.memory if done <= graded), default=0)


# ---- the class --------------------------------------------------------------------------------------------------------


def solved() -> Assignment:
    """The notebook that everybody hands in, solved."""
    assignments = load_assignments(content.folder("solutions"), content.folder("exercises"), exercises())
    return next(each for each in assignments if each.name == NOTEBOOK)


def hand_in(folder: Path, assignment: Assignment, size: int, loops: int = 0) -> None:
    """Write a class of `size` into `folder`; in the notebooks of the first `loops` the first answer never ends."""
    answers = {question.answer: assignment.references[question.id] for question in assignment.questions}
    first = assignment.questions[0].answer
    for number in range(size):
        student = f"s{number:04}"
        cells = []
        for cell in assignment.cells:
            source = str(answers.get(cell["id"], cell["source"]))
            if cell["id"] in answers:
                source += f"\n# handed in by {student}"
            if cell["id"] == first and number < loops:
                source += "\nwhile True: pass"
            cells.append({**cell, "source": source})
        path = folder / student / f"{NOTEBOOK}.ipynb"
        path.parent.mkdir(parents=True)
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
        path.write_text(json.dumps(notebook), encoding="utf-8")


# ---- grading it -------------------------------------------------------------------------------------------------------


def graded(assignment: Assignment, way: str, size: int, loops: int = 0, limit: float = 60.0) -> Run:
    """Grade a class with the command, and check that everybody got the right points."""
    with tempfile.TemporaryDirectory(prefix="autograd-teach-class-") as name:
        submissions, output = Path(name, "in"), Path(name, "out")
        hand_in(submissions, assignment, size, loops)
        command = [
            *(sys.executable, "-m", "autograd_teach.cli", "grade", str(submissions), "--output", str(output)),
            *OPTIONS[way],
            *("--jobs", str(JOBS), "--timeout", str(limit)),
        ]
        run = _watched(command, size, f"{WAYS[way]}, {size} submissions{f', {loops} loops' if loops else ''}")
        _see_that_all_is_right(output, size, loops)
    return run


def _watched(command: Sequence[str], size: int, title: str) -> Run:
    # Without this package's own allocator settings, which keep all memory.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    run, done, last = Run(size), 0, ""
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    ) as process:
        over = threading.Event()
        watch = threading.Thread(target=lambda: _look(process.pid, run, lambda: done, over))
        watch.start()
        assert process.stderr
        for last in process.stderr:
            if last.split("/")[0].isdigit():
                done = int(last.split("/")[0])
                _show(f"{title}: {done} graded, {time.perf_counter() - start:.0f} s", done % SHOW == 0)
        status = process.wait()
        run.seconds = time.perf_counter() - start
        over.set()
        watch.join()
    _show("", False)
    if status:
        raise RuntimeError(f"grading ended with {status}: {last}")
    return run


def _look(pid: int, run: Run, done: Any, over: threading.Event) -> None:
    while not over.wait(LOOK):
        run.memory.append((done(), in_use_by(pid)))


def in_use_by(pid: int) -> int:
    """Bytes of memory that a process and its descendants have in use together; what they share counts once (Linux)."""
    import psutil

    total = 0
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(pid)
        for process in [first, *first.children(recursive=True)]:
            with contextlib.suppress(psutil.Error, OSError):
                memory = process.memory_full_info()
                total += getattr(memory, "pss", memory.uss)
    return total


def _show(text: str, is_round: bool) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    elif is_round:
        print(text, file=sys.stderr)


def _see_that_all_is_right(output: Path, size: int, loops: int) -> None:
    """Check the results: the numbers mean nothing if something went wrong in the class."""
    with (output / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        found = [row["status"] for row in csv.DictReader(file)]
    expected = ["partial"] * loops + ["pass"] * (size - loops)
    if sorted(found) != sorted(expected):
        raise RuntimeError(f"of {size} students {found.count('pass')} passed, where {size - loops} should have")


# ---- the table --------------------------------------------------------------------------------------------------------


def table(quick: bool, ways: Sequence[str] = tuple(WAYS)) -> Iterator[str]:
    """The lines of the table, each as soon as it is measured."""
    plan, assignment = QUICK if quick else FULL, solved()
    yield (
        f"{NOTEBOOK}, {JOBS} jobs, {os.cpu_count()} processors, isolation {sandbox.available()}; "
        f"Python {platform.python_version()}, {platform.system()}, {platform.machine()}."
    )
    yield ""
    yield "| what | measured | goal |"
    yield "|---|---|---|"
    for way in ways:
        yield from _of_way(way, plan, assignment)


def _of_way(way: str, plan: Plan, assignment: Assignment) -> Iterator[str]:
    title = WAYS[way]
    runs = []
    for size in plan.sizes:
        runs.append(run := graded(assignment, way, size))
        goal = f"{GOALS[way]} s" if size == GOAL_FOR else "-"
        yield _row(f"{title}: {size:,} submissions", f"{run.seconds:.1f} s", goal)
    each = ", ".join(f"{run.seconds_each:.3f} s" for run in runs)
    yield _row(f"{title}: a submission of {', '.join(f'{run.submissions:,}' for run in runs)}", each, "-")
    ratio = runs[-1].seconds_each / runs[0].seconds_each
    yield _row(f"{title}: a submission, the largest class : the smallest", f"{ratio:.2f}", "<= 1")
    few, many, run = plan.sizes[0], plan.sizes[-1], runs[-1]
    for name, ask in (("in use", run.in_use), ("peak", run.peak)):
        early, late = ask(few), ask(many)
        told = f"{early / 1e6:.0f} MB, {late / 1e6:.0f} MB, {late / early:.2f}" if early else "-"
        yield _row(f"{title}: memory {name} after {few:,}, after {many:,}, ratio", told, "1")
    yield from _of_loops(way, plan, assignment)


def _of_loops(way: str, plan: Plan, assignment: Assignment) -> Iterator[str]:
    """The cost of endless loops: each takes its time limit, and then its notebook runs again without it."""
    size, loops = plan.class_with_loops, plan.loops
    without = graded(assignment, way, size, limit=plan.limit)
    with_loops = graded(assignment, way, size, loops, plan.limit)
    beyond, shared = with_loops.seconds - without.seconds, loops * plan.limit / JOBS
    yield _row(
        f"{WAYS[way]}: {loops} endless loops among {size}, beyond what the class takes without them",
        f"{beyond:.1f} s, {beyond / shared:.2f} of the goal",
        f"{loops} x {plan.limit:g} s / {JOBS} = {shared:g} s",
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
