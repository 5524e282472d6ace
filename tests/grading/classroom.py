"""A tiny exercise notebook and submissions to it: enough to test grading without the engine.

Three exercises, each a function that `check` calls; `check` raises a short exception where something is not right, as
the course's own does. Used by the tests of this folder only.
"""

import functools
import json
from pathlib import Path
from typing import Any

from autograd_teach.course.exercises import exercises
from autograd_teach.grading.rebuild import Assignment, Question, load_assignments, make_assignment

NAME = "09_tiny"
STUB = "def {id}(x):\n    raise NotImplementedError"
SETUP = """\
def check(name, function, expected):
    right = [function(x) == y for x, y in enumerate(expected)]
    if not all(right):
        raise AssertionError(f"{name}: {sum(right)} of {len(right)} checks pass")
    print(f"{name}: {len(right)} of {len(right)} checks pass")"""
SOLUTIONS = {
    "double": "def double(x):\n    return 2 * x",
    "square": "def square(x):\n    return x * x",
    "negate": "def negate(x):\n    return -x",
}
EXPECTED = {"double": [0, 2, 4], "square": [0, 1, 4], "negate": [0, -1, -2]}
QUESTIONS = tuple(
    Question(id, points, f"{id}-answer", f"{id}-check", id) for id, points in zip(SOLUTIONS, (1, 2, 3), strict=True)
)


def code(id: str, source: str, said: str = "", **metadata: Any) -> dict[str, Any]:
    """A code cell that was run and printed `said`."""
    outputs = [{"output_type": "stream", "name": "stdout", "text": said}] if said else []
    return {
        "id": id,
        "cell_type": "code",
        "metadata": metadata,
        "execution_count": 1,
        "source": source,
        "outputs": outputs,
    }


def notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """A notebook of these cells."""
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def exercise_notebook(answers: dict[str, str], said: bool = False) -> dict[str, Any]:
    """The tiny notebook with `answers` in it, stubs elsewhere; `said`: with what a right answer makes the checks print."""
    cells = [
        {"id": "title", "cell_type": "markdown", "metadata": {}, "source": "# Tiny"},
        code("setup", SETUP),
    ]
    for id, expected in EXPECTED.items():
        words = f"{id}: 3 of 3 checks pass\n" if said else ""
        source = answers.get(id, STUB.format(id=id))
        cells.append(code(f"{id}-answer", source, nbgrader={"grade_id": f"{id}-answer"}))
        cells.append(code(f"{id}-check", f"check('{id}', {id}, {expected})", words))
    return notebook(cells)


def assignment(name: str = NAME, questions: tuple[Question, ...] = QUESTIONS) -> Assignment:
    """The tiny notebook as the grader knows it."""
    solved = {id: f"{source}  ### END SOLUTION" for id, source in SOLUTIONS.items()}
    return make_assignment(
        name,
        questions,
        template=exercise_notebook(solved, said=True),
        released=exercise_notebook({}),
    )


def hand_in(path: Path, answers: dict[str, str] | None = None) -> Path:
    """Write a student's notebook with `answers` to `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(exercise_notebook(SOLUTIONS if answers is None else answers)))
    return path


def load_once(solutions: Path, handed_out: Path, declared: object) -> list[Assignment]:
    """In place of `load_assignments`: the course's own, read once."""
    return _of_the_course(solutions, handed_out)


@functools.cache
def _of_the_course(solutions: Path, handed_out: Path) -> list[Assignment]:
    return load_assignments(solutions, handed_out, exercises())
