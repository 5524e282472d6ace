"""Grading a folder of submissions: what an instructor runs, never what a student imports.

The rooms, in the order in which a submission walks through them:

    intake.py    reads files and runs nothing; keeps the source of the answer cells and no more
    rebuild.py   sets those answers into the instructor's own notebook
    record.py    runs that notebook through nbval in a process of its own, under limits (a `Runner`)
    verdicts.py  turns records into a mark an exercise (today's judge is nbval) and a result a student
    reports.py   a CSV row and a table row a student
    batch.py     walks a class through all of them; command.py is the command line's view of it

Three rooms have their doors but are not built: a sandbox is another `Runner`, handed to `batch.grade_class`; the
oracle takes the place of `verdicts.judge` as what gives points, after which the record is only feedback; the gradebook
takes each `Result` where `batch.grade_class` yields it. Until they are, a check passes because nbval says so, and a
notebook written to deceive nbval can do that: grade this way only a class that you trust.

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
