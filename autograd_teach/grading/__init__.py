"""Grading a folder of submissions: what an instructor runs, never what a student imports.

The rooms, in the order in which a submission walks through them:

    submissions/    reads files and runs nothing; keeps the answers and what they need; whose they are, and which count
    rebuild.py      sets those answers into the instructor's own notebook
    sandbox/        one box for one submission: all that runs a student's code runs in one
    notebook_run/   runs that notebook through nbval in such a box (a `Runner`): the record
    oracle/         asks each answer, in such a box, on inputs drawn after it was loaded: the judge of points
    verdicts.py     from a `Judge` (the oracle, or nbval's records) to a mark an exercise and a result a student; sets the
                    record beside the oracle's verdict
    judge.py        chooses the judge, and the isolation
    cluster.py      a judge whose judging is done by other machines, with dask
    gradebook/      keeps every mark with its evidence, what a person adds, and says which of them still stand
    lateness.py     takes points off for being late
    reports/        the table, CSV, JSON, files for Gradescope, Moodle and Canvas, a page a student and one for the class
    batch.py        walks a class through all of them; command.py is the command line's view of it, explain.py of one mark

With `--judge nbval` a check passes because nbval says so, and a notebook written to deceive nbval can do that.

May use the course, nbval, pytest and psutil. Must not know how an exercise is checked.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .batch import grade
    from .results import Mark, Result

__all__ = ["Mark", "Result", "grade"]


def __getattr__(name: str) -> Any:
    # At first use, so that `autograd-teach grade --help` need not wait for nbformat.
    if name == "grade":
        from .batch import grade

        return grade
    if name in __all__:
        from . import results

        return getattr(results, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
