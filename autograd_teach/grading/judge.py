"""Chooses who judges a class, and under what isolation: here the sandbox, nbval and the oracle meet.

Must not know how any of them works.
"""

import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TextIO

from ..course.errors import UserError
from . import reports, sandbox
from .notebook_run import Limits, nbval_under
from .sandbox import Isolation
from .verdicts import Judge, Recorded, by_nbval

Name = Literal["oracle", "nbval"]


@contextmanager
def called(
    name: str,
    limits: Limits,
    hidden: Sequence[Path],
    *,
    required: bool = False,
    record: bool = False,
    progress: TextIO | None = None,
    seed: Callable[[str], int] | None = None,
) -> Iterator[Judge]:
    """The judge of this name, with the processes that it needs; `hidden` are folders that no student's code may see.

    With `required`, a `UserError` where there is no sandbox; with `record`, nbval's record stands beside the oracle's verdict.
    `seed` says what the oracle draws an exercise's inputs with, where a verdict is to be reproduced.
    """
    isolation = _isolation(hidden, required, progress)
    with nbval_under(isolation, hidden) as runner:  # which starts nothing before it is called
        nbval = by_nbval(runner, limits)
        if name == "nbval":
            yield nbval
            return
        from ..course.exercises import exercises as declared
        from .oracle.judging import Oracle
        from .oracle.pool import pool_under

        chosen = {"seed": seed} if seed else {}
        with pool_under(isolation, hidden, required=required) as pool:
            oracle = Oracle(pool, {each.id: each for each in declared()}, limits, nbval, **chosen)
            yield Recorded(oracle, runner, limits) if record else oracle


def called_here(name: str, record: bool) -> str:
    """Who judges in this process and under what, in words: as much as can be told without starting anything of a student's."""
    return f"{name}, {'with' if record else 'without'} records, {sandbox.available()} on {platform.node()}"


def _isolation(hidden: Sequence[Path], required: bool, progress: TextIO | None) -> Isolation:
    """The isolation that the class is run under, said before anything else; never a lesser one than `required` quietly."""
    isolation = sandbox.available()
    seen = sandbox.readable_by_anyone(hidden) if isolation is Isolation.USER else []
    lack = sandbox.why() if not isolation.is_sandbox else ""
    if seen:
        lack = f"any user of this machine can read {', '.join(map(str, seen))}"
    if required and lack:
        raise UserError(
            f"Nothing was graded: --require-sandbox was given, and there is none here ({lack}); "
            "install bubblewrap, or leave the option out for a class that you trust."
        )
    reports.say(progress, f"Isolation: {isolation}{f' ({lack})' if lack else ''}")
    return isolation
