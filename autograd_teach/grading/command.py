"""`autograd-teach grade`, `regrade`, `adjust` and `comment`: their arguments and what they print. The command line imports this file only when it is called."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..course.errors import UserError
from ..plain import counted, line

if TYPE_CHECKING:
    from .lateness import Late
    from .results import Result
    from .submissions.selection import Wishes

REPORTS = ("html", "json", "gradescope", "moodle", "canvas")

# An option's help stands below it.
# fmt: off


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of `autograd-teach grade`."""
    add = parser.add_argument
    add("submissions", type=Path, nargs="?", metavar="SUBMISSIONS", help="folder or zip")
    add("--explain", nargs=2, metavar=("STUDENT", "EXERCISE"),
        help="grade nothing; explain a grade in the gradebook, and judge its answer once more")
    add("--dry-run", action="store_true", help="show what is recognised; run and write nothing")
    add = parser.add_argument_group("class").add_argument
    add("--only", action="append", default=[], metavar="NOTEBOOK",
        help="grade this notebook, such as 09_custom_functions; repeatable (default: all that were handed in)")
    add("--keep", choices=("named", "newest", "best"), default="named",
        help="which of a student's notebooks counts: the one with the assignment's name (default), the newest, or the best")
    add("--roster", type=Path, metavar="FILE",
        help="CSV file with a line per student: adds those who handed in nothing; submissions of others are named")
    add("--points", type=float, metavar="TOTAL", help="scale the points so that they add up to TOTAL")
    add("--anonymous", type=Path, metavar="KEY",
        help="report pseudonyms; the file KEY says whose they are and is written if it does not exist")
    add = parser.add_argument_group("late submissions").add_argument
    add("--due", metavar="DATE", help="such as 2026-11-20 or \"2026-11-20 18:00\"; adds the columns submitted and late")
    add("--late", metavar="RULE",
        help="points to take off, with --due: 10%%/day (of the student's points, per day begun), 5/hour (points), or with a limit "
        "\"10%%/day up to 50%%\"; per hour, day or week. Adjustments are made afterwards and stay as they are")
    add("--grace", metavar="TIME", help="with --late: nothing is taken off up to this delay, such as 15m, 2h or 1d")
    _add_shared(parser, 60.0, "oracle")


def add_regrade_arguments(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of `autograd-teach regrade`."""
    _add_shared(parser, None, None)


def add_remark_arguments(parser: argparse.ArgumentParser, command: str) -> None:
    """Give `parser` the arguments of `autograd-teach adjust` or `autograd-teach comment`."""
    add = parser.add_argument
    add("student", metavar="STUDENT", help="name, as in grades.csv")
    if command == "adjust":
        add("exercise", metavar="EXERCISE", help="such as 09.Scale")
        add("points", type=_number, nargs="?", metavar="POINTS",
            help="replace the judge's points; a late student keeps all of them")
        add("--because", default="", metavar="TEXT", help="the reason, which the student reads; required, except with --withdraw")
        add("--bonus", action="store_true", help="allow more points than the exercise is worth")
    else:
        add("text", nargs="?", metavar="TEXT", help="what the student's page says")
        add("--exercise", metavar="EXERCISE", help="place it beside this exercise (default: at the top of the page)")
    what = "the adjustment" if command == "adjust" else "all comments at that place"
    add("--withdraw", action="store_true", help=f"take {what} back")
    add("--by", metavar="NAME", help="who says so; the student reads it. Without it, the gradebook notes your login name, and no student's page has it")
    add("--output", type=Path, default=Path(), metavar="FOLDER", help="folder of the gradebook (default: this folder)")


def _add_shared(parser: argparse.ArgumentParser, timeout: float | None, judge: str | None) -> None:
    """The options of `grade` and `regrade`, with the defaults of two; None is the value of the earlier run."""
    add = parser.add_argument_group("output").add_argument
    add("--output", type=Path, default=Path(), metavar="FOLDER",
        help="folder of gradebook and grades.csv (default: this folder); an existing grades.csv is kept, the new one gets a number")
    add("--report", type=_kinds, default=["html"], metavar="KINDS",
        help="reports beside grades.csv, separated by commas: html (default: a page per student and one for the class), json, "
        "gradescope (results.json of one student), moodle or canvas (to be imported there; need a --roster from there), none")
    add = parser.add_argument_group("course").add_argument
    add("--solutions", type=Path, metavar="FOLDER",
        help="folder of the solutions (default: solutions/ of a repository that is installed with pip install -e)")
    add("--exercises", type=Path, metavar="FOLDER", help="other exercises (default: those beside the solutions, or of the course)")
    add = parser.add_argument_group("judging").add_argument
    add("--judge", choices=("oracle", "nbval"), default=judge,
        help="what gives the points: the oracle, outside the student's process, or the outputs of the check cells, "
        f"which a notebook can forge (default: {judge or 'as before'})")
    add("--points-only", action="store_true",
        help="do not record what the check cells say: much faster, but no page names a mistake")
    add("--timeout", type=float, default=timeout, metavar="SECONDS",
        help=f"time limit of a cell (default: {'as before' if timeout is None else f'{timeout:g}'}); an answer gets about 10 seconds from the oracle")
    add = parser.add_argument_group("machine").add_argument
    add("--jobs", type=int, default=os.cpu_count() or 2, metavar="N",
        help="notebooks that run at the same time (default: one per processor)")
    add("--scheduler", metavar="ADDRESS",
        help="run them on the workers of this dask.distributed cluster, such as tcp://10.0.0.1:8786; --jobs is then the "
        "number of their threads")
    add("--isolation", choices=("bubblewrap", "namespaces", "user", "process"),
        help="what separates students' code from this machine (default: the first of these that works, but process); with "
        "process it runs as you")
    add("--require-sandbox", action="store_true",
        help="grade nothing if students' code could read solutions or other submissions")


# fmt: on


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number; write it like 1.5") from None


def _kinds(text: str) -> list[str]:
    kinds = [] if text == "none" else text.split(",")
    if unknown := [kind for kind in kinds if kind not in REPORTS]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)!r} is none of {', '.join((*REPORTS, 'none'))}")
    return kinds


def run(args: argparse.Namespace) -> int:
    """Grade and print the table. Returns 0 if every student was graded, else 1. Does not catch `UserError`."""
    from .batch import dry_run, grade
    from .reports import show

    if args.explain:
        return _explain(args)
    if args.submissions is None:
        raise UserError("The submissions are required; give a folder or a zip: autograd-teach grade SUBMISSIONS.")
    wishes = _wishes(args)
    late = _late(args, wishes)
    if args.dry_run:
        options = _options(args)
        del options["timeout"]
        show(dry_run(args.submissions, wishes=wishes, **options))
        return 0
    _end_like_ctrl_c()
    return _told(args, grade(args.submissions, wishes=wishes, late=late, **_options(args)))


def run_regrade(args: argparse.Namespace) -> int:
    """Judge outdated marks again and print what changed. Returns 0 if every student was graded, else 1."""
    from .batch import regrade

    _end_like_ctrl_c()
    results, changes = regrade(**_options(args))
    number = counted(len(changes), "mark") if changes else "No mark"
    said = f"{number} changed by being judged again{':' if changes else '.'}"
    return _told(args, results, "\n".join(["", said, *map(line, map(str, changes))]))


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """The options shared by `grade` and `regrade`."""
    from .sandbox import Isolation

    names = ("output", "timeout", "jobs", "require_sandbox", "judge", "points_only", "scheduler")
    options = {name: getattr(args, name) for name in names} | _rooms(args)
    isolation = Isolation(args.isolation) if args.isolation else None
    return {**options, "isolation": isolation, "kinds": args.report, "progress": sys.stderr}


def _told(args: argparse.Namespace, results: "Sequence[Result]", news: str = "") -> int:
    """Print the table, `news` and warnings about the points, write the reports, and return the exit status."""
    from .reports import show, table
    from .results import Status

    written = _report(args, results)  # before anything is printed to a pipe that may be closed, as `head` does
    show("\n".join(filter(None, (table(results), news, written))))
    _say_what_it_is_worth(results)
    return 1 if any(result.status is Status.GRADER_ERROR for result in results) else 0


def _wishes(args: argparse.Namespace) -> "Wishes":
    from .submissions.intake import Keep
    from .submissions.selection import Wishes, due_date

    due = due_date(args.due) if args.due is not None else None
    return Wishes(tuple(args.only), Keep(args.keep), due, args.roster, args.points, args.anonymous)


def _late(args: argparse.Namespace, wishes: "Wishes") -> "Late | None":
    from .lateness import Late

    if args.late is None:
        if args.grace is not None:
            raise UserError("--grace goes with --late, which says how many points are taken off; give both.")
        return None
    if wishes.due is None:
        raise UserError("--late needs a due date; give --due as well.")
    return Late(args.late, str(wishes.due), "0m" if args.grace is None else args.grace)


def run_remark(args: argparse.Namespace) -> int:
    """Store an adjustment or a comment in the gradebook and print it. Does not catch `UserError`."""
    from .gradebook import remarks

    where = {"output": args.output, "by": args.by, "withdraw": args.withdraw}
    if args.command == "adjust":
        said = remarks.adjust(args.student, args.exercise, args.points, because=args.because, bonus=args.bonus, **where)
    else:
        said = remarks.comment(args.student, args.text, exercise=args.exercise, **where)
    print(f"{said}.\nIt will be in the reports of the next `autograd-teach regrade`.")
    return 0


def _say_what_it_is_worth(results: "Sequence[Result]") -> None:
    if disagreeing := [result.student for result in results if any(mark.contradiction for mark in result.marks)]:
        print(
            f"Points and check cells disagree for {len(disagreeing)} of {counted(len(results), 'student')}; the column detail says where."
        )
    if any("nbval" in result.judge.split("+") for result in results):
        print("Some points are nbval's verdict on check cells; a notebook written to deceive it can forge that.")
    if any(name.startswith("process") for result in results for name in result.isolation.split("+")):
        print("Students' code ran as you, without a sandbox.")


def _explain(args: argparse.Namespace) -> int:
    from . import reports
    from .explain import explain

    student, exercise = args.explain
    text, same = explain(student, exercise, output=args.output, **_rooms(args), progress=sys.stderr)
    reports.show(text)
    return 0 if same else 1


def _rooms(args: argparse.Namespace) -> dict[str, Any]:
    from ..course import content

    solutions = args.solutions or content.folder("solutions")
    beside = solutions.parent / "exercises"  # where `release` puts them
    exercises = args.exercises or (beside if beside.is_dir() else content.folder("exercises"))
    return {"exercises": exercises, "solutions": solutions}


def _report(args: argparse.Namespace, results: "Sequence[Result]") -> str:
    """Write the reports. Returns their paths, and which earlier ones are out of date, as text."""
    from . import gradebook, reports

    lines = []
    if args.report:
        with gradebook.reading(args.output) as book:
            attempts = book.attempts()
            for kind in args.report:
                lines.append(f"written: {reports.write(kind, results, args.output, book.answer, attempts)}")
    return "\n".join(filter(None, (*lines, reports.older(args.output, args.report))))


def _end_like_ctrl_c() -> None:
    """Handle SIGTERM and SIGHUP (closed terminal, batch limit, stopped container) like Ctrl-C, which keeps the grades."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        for each in wanted:
            signal.signal(each, signal.SIG_IGN)  # a second signal must not interrupt the cleanup
        raise KeyboardInterrupt

    wanted = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    for each in wanted:
        if signal.getsignal(each) is signal.SIG_DFL:  # keep SIGHUP ignored under nohup
            signal.signal(each, interrupt)
