"""Chooses the judge of a class and its isolation, from the sandbox, nbval and the oracle.

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
"""The job that runs in the oracle's boxes."""


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
    """The judge `name`, with the processes that it needs. Students' code cannot see the folders `hidden`.

    `wanted` is the isolation; the default is the best sandbox that works here. With `record`, the oracle's marks also have
    nbval's record. `seed` (exercise id -> seed of the oracle's inputs) reproduces a verdict. Raises `UserError` if the
    isolation does not work here, or, with `required`, if students' code could read solutions under it.
    """
    isolation, words = isolation_of(name, hidden, wanted, required)
    reports.say(progress, words)
    with Nbval(isolation, hidden) as runner:  # starts a process only when called
        nbval = by_nbval(runner, limits)
        if name == "nbval":
            yield nbval
            return
        from ..course.exercises import exercises as declared
        from .oracle.judging import Oracle

        chosen = {"seed": seed} if seed else {}
        with sandbox.Boxes(ORACLE, isolation, _closed(name, hidden)) as boxes:
            oracle = Oracle(boxes, {each.id: each for each in declared()}, limits, nbval, **chosen)
            yield Recorded(oracle, runner, limits) if record else oracle


def called_here(name: str, wanted: Isolation | None, record: bool) -> str:
    """The judge in this process and its isolation, as text, without starting a box."""
    return f"{name}, {'with' if record else 'without'} records, {wanted or sandbox.available()} on {platform.node()}"


def _closed(name: str, hidden: Sequence[Path]) -> Sequence[Path]:
    """What the answers that get points from the judge `name` must not see: the specifications say what is right. A
    notebook's own check needs them, and a record gives no points."""
    return [*hidden, *sandbox.copies(Path(specs.__file__).parent)] if name == "oracle" else hidden


def isolation_of(name: str, hidden: Sequence[Path], wanted: Isolation | None, required: bool) -> tuple[Isolation, str]:
    """The isolation of a class and a line that says it. Never a weaker one than `wanted`. Raises `UserError` as `called`."""
    best = sandbox.available()
    is_tried = wanted is best and best.is_sandbox
    if wanted and not is_tried and (problem := sandbox.problem_with(wanted)):
        raise UserError(f"Nothing was graded: the isolation {wanted} does not work here ({problem}).")
    isolation = wanted or best
    if not isolation.is_sandbox and wanted is None:
        raise UserError(
            f"Nothing was graded: there is no sandbox for students' code here ({sandbox.why()}). `autograd-teach doctor` says "
            "what to do; or, for a class that you trust, give --isolation process: its code then runs as you."
        )
    lacks = [] if isolation.is_sandbox else ["students' code runs as you"]
    if not isolation.is_private and not sandbox.limits_files():
        closed = _closed(name, hidden)
        seen = sandbox.readable_by_anyone(closed) if isolation is Isolation.USER else closed
        lacks += [f"students' code can read {', '.join(map(str, seen))}"] if seen else []
    if isolation is Isolation.USER and not sandbox.filters_calls():
        lacks.append("students' code has network access")
    if required and lacks:
        raise UserError(
            f"Nothing was graded: --require-sandbox was given, and {' and '.join(lacks)} here; "
            "`autograd-teach doctor` says what to do; or, for a class that you trust, leave the option out."
        )
    return isolation, f"Isolation: {isolation}" + (f" ({' and '.join(lacks)})" if lacks else "")
