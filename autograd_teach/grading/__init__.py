"""Grades a folder of submissions. Instructors run it; students never import it.

The parts, in the order in which a submission passes through them:

    submissions/    reads files without running them: whose they are, which ones count, the answers and what these need
    rebuild.py      puts those answers into the instructor's own notebook
    sandbox/        one box per submission; all code of a student runs in a box
    notebook_run/   runs the rebuilt notebook through nbval in a box (a `Runner`): the record
    oracle/         runs each answer, in a box, on inputs drawn after it was loaded: the judge that gives the points
    verdicts.py     calls a `Judge` (the oracle or nbval) and makes one mark per exercise and one result per student;
                    adds the record to the oracle's verdict
    judge.py        chooses the judge and the isolation
    cluster.py      a judge that runs on other machines, with dask
    gradebook/      stores every mark with its evidence and an instructor's remarks; says which marks are still valid
    lateness.py     takes points off for handing in late
    reports/        the table, CSV, JSON, files for Gradescope, Moodle and Canvas, a page per student and one for the class
    batch.py        takes a class through all of these; command.py is its command line, explain.py explains one mark

With `--judge nbval` an exercise passes because nbval says so; a notebook written to deceive nbval can forge that.

May use the course, nbval and pytest. Must not know how an exercise is checked.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .batch import grade
    from .results import Mark, Result

__all__ = ["Mark", "Result", "grade"]


def __getattr__(name: str) -> Any:
    # Imported at first use, so `autograd-teach grade --help` does not wait for nbformat.
    if name == "grade":
        from .batch import grade

        return grade
    if name in __all__:
        from . import results

        return getattr(results, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
