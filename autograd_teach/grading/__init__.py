"""Grading a folder of submissions: what an instructor runs, never what a student imports.

The rooms, in the order in which a submission walks through them:

    submissions/   reads files and runs nothing; keeps the source of the answer cells and no more; whose they are, and which count
    rebuild.py     sets those answers into the instructor's own notebook
    sandbox.py     what stands between a student's program and this machine; confine.py is its last step before the program
    notebook_run.py    runs that notebook through nbval (notebook_run_process.py), its kernel in the sandbox (a `Runner`): the record
    waiting.py     interpreters that wait loaded and are forked for each submission: nbval, kernels (kernel_server.py), the oracle;
                   wardens.py is their side of it
    oracle/        asks each answer, in a process of its own, on inputs drawn after it was loaded: the judge of points
    verdicts.py    from a `Judge` (the oracle, or nbval's records) to a mark an exercise and a result a student; sets the record
                   beside the oracle's verdict
    judge.py       chooses the judge, and the isolation
    cluster.py     a judge whose judging is done by other machines, with dask
    gradebook/     keeps every mark with its evidence, and says which of them still stand
    reports/       the table, CSV, JSON, Gradescope's file, a page a student and one for the class
    batch.py       walks a class through all of them; command.py is the command line's view of it, explain.py of one mark

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
