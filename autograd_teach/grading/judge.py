"""Chooses who judges a class, and under what isolation: here the sandbox, nbval and the oracle meet.

Must not know how any of them works.
"""

import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TextIO

from ..course import specs
from ..course.errors import UserError
from . import reports, sandbox
from .notebook_run import Limits, Nbval
from .sandbox import Isolation
from .verdicts import Judge, Recorded, by_nbval

Name = Literal["oracle", "nbval"]

ORACLE = "autograd_teach.grading.oracle.server"
"""The job whose boxes the oracle asks."""

_SPECS = Path(specs.__file__).parent
"""What is right. Never seen where the oracle asks; a notebook's own check needs it."""


@contextmanager
def called(
    name: str,
    limits: Limits,
    hidden: Sequence[Path],
    *,
    wanted: Isolation | None = None,
    required: bool = False,
    record: bool = False,
    progress: TextIO | None = None,
    seed: Callable[[str], int] | None = None,
) -> Iterator[Judge]:
    """The judge of this name, with the processes that it needs; `hidden` are folders that no student's code may see.

    `wanted` is the isolation, by default the best sandbox that works here; a `UserError` if there is none, or if `required`
    and solutions can be read in it. With `record`, nbval's record stands beside the oracle's verdict.
    `seed` says what the oracle draws an exercise's inputs with, where a verdict is to be reproduced.
    """
    isolation = _isolation(hidden, wanted, required, progress)
    with Nbval(isolation, hidden) as runner:  # which starts nothing before it is called
        nbval = by_nbval(runner, limits)
        if name == "nbval":
            yield nbval
            return
        from ..course.exercises import exercises as declared
        from .oracle.judging import Oracle

        chosen = {"seed": seed} if seed else {}
        with sandbox.Boxes(ORACLE, isolation, [_SPECS, *hidden]) as boxes:
            oracle = Oracle(boxes, {each.id: each for each in declared()}, limits, nbval, **chosen)
            yield Recorded(oracle, runner, limits) if record else oracle


def called_here(name: str, wanted: Isolation | None, record: bool) -> str:
    """Who judges in this process and under what, in words: as much as can be told without starting anything of a student's."""
    return f"{name}, {'with' if record else 'without'} records, {wanted or sandbox.available()} on {platform.node()}"


def _isolation(hidden: Sequence[Path], wanted: Isolation | None, required: bool, progress: TextIO | None) -> Isolation:
    """The isolation that the class is run under, said before anything else; never a lesser one than `wanted` quietly."""
    best = sandbox.available()
    is_tried = wanted is best and best.is_sandbox
    if wanted and not is_tried and (problem := sandbox.problem_with(wanted)):
        raise UserError(f"Nothing was graded: the isolation {wanted} does not work here ({problem}).")
    isolation = wanted or best
    if not isolation.is_sandbox and wanted is None:
        raise UserError(
            f"Nothing was graded: there is no sandbox for students' code here ({sandbox.why()}). Install bubblewrap; or give "
            "--isolation process for a class that you trust: its code then runs as you."
        )
    lacks = [] if isolation.is_sandbox else ["students' code runs as you"]
    if isolation is not Isolation.BUBBLEWRAP and not sandbox.limits_files():
        seen = sandbox.readable_by_anyone(hidden) if isolation is Isolation.USER else hidden
        lacks += [f"students' code can read {', '.join(map(str, seen))}"] if seen else []
    if isolation is Isolation.USER and not sandbox.filters_calls():
        lacks.append("students' code has the network")
    if required and lacks:
        raise UserError(
            f"Nothing was graded: --require-sandbox was given, and {' and '.join(lacks)} here; "
            "install bubblewrap, or leave the option out for a class that you trust."
        )
    words = f" ({' and '.join(lacks)})" if lacks else ""
    reports.say(progress, f"Isolation: {isolation}{words}")
    return isolation
