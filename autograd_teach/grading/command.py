"""`autograd-teach grade`: its arguments and what it prints. The command line imports this file only when it is called."""

import argparse
import os
import signal
import sys
from pathlib import Path
from types import FrameType


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of `autograd-teach grade`."""
    parser.add_argument("submissions", type=Path, metavar="SUBMISSIONS", help="folder or zip")
    parser.add_argument(
        "--output", type=Path, default=Path(), metavar="FOLDER",
        help="where grades.csv goes (default: here); an existing one is kept and the new one gets a number",
    )  # fmt: skip
    for room in ("solutions", "exercises"):
        parser.add_argument(f"--{room}", type=Path, metavar="FOLDER", help=f"other {room} than the course's own")
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="SECONDS",
        help="the longest that one cell may take (default: 60)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 2, metavar="N",
        help="notebooks that run at a time (default: one a processor)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Grade and print the table; 0 when every student was graded, else 1. A `UserError` is the caller's to print."""
    from ..course import content
    from .batch import grade
    from .reports import table
    from .results import Status

    _end_like_ctrl_c()
    results = grade(
        args.submissions,
        output=args.output,
        exercises=args.exercises or content.folder("exercises"),
        solutions=args.solutions or content.folder("solutions"),
        timeout=args.timeout,
        jobs=args.jobs,
        progress=sys.stderr,
    )
    print(table(results))
    print(
        "Points are nbval's verdict on each check cell; a notebook written to deceive it can forge that, "
        "and student code ran as you, without a sandbox."
    )
    return 1 if any(result.status is Status.GRADER_ERROR for result in results) else 0


def _end_like_ctrl_c() -> None:
    """A closed terminal, a batch system's limit or a stopped container also ends with the grades so far and no process left."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        for name in wanted:
            signal.signal(getattr(signal, name), signal.SIG_IGN)  # once is enough: what follows has to be finished
        raise KeyboardInterrupt

    wanted = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    for name in wanted:
        number = getattr(signal, name)
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP, and means it
            signal.signal(number, interrupt)
