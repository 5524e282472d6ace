"""`autograd-teach doctor`: what this machine has for the course, what is slower or missing without it, and what to do.

    finding.py        what a probe is, and what it finds
    course.py, pictures.py, grading.py, website.py, contributing.py
                      the probes, a module for each heading of the report
    examination.py    runs them, each with a limit
    report.py         the table, the JSON, the sentence at the end; hides the user's name
    tools.py          versions, pip's command, Python in a process of its own

Heavy packages are not imported here: versions come from their metadata, and what may be broken is imported in a process
of its own. Works with NumPy alone installed.
"""

import argparse
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from . import contributing, course, grading, pictures, report, website
from .examination import examine
from .finding import Group
from .tools import version_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of `autograd-teach doctor`."""
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="your course; default: ./autograd-course"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs and bug reports")
    parser.add_argument("--all", action="store_true", help="also what instructors and contributors need")


def run(args: argparse.Namespace) -> int:
    """Examine the machine and print the report; 0 if the course can be opened and run, else 1."""
    tables = groups(args.folder, args.all)
    lines = examine(tables, _tell)
    if args.json:
        _write(report.as_json(lines, version_of("autograd-teach"), args.all))
    else:
        shown = lines if args.all or course.is_editable() else report.folded(lines, _short(tables))
        _write(report.table(shown, shutil.get_terminal_size().columns, sys.stdout, args.all))
    return report.status(lines)


def groups(folder: Path | None, is_all_asked_for: bool) -> list[Group]:
    """The tables of probes, in the order of the report."""
    found = [
        Group("The course", course.probes(folder)),
        Group("Pictures", pictures.PROBES),
        Group("Grading, for instructors", grading.probes(), short="Grading"),
        Group("The course as a website, for instructors", website.PROBES, short="Website"),
    ]
    if is_all_asked_for or course.is_editable():
        found.append(Group("Contributing", contributing.PROBES))
    return found


def _short(tables: Iterable[Group]) -> dict[str, str]:
    return {each.name: each.short for each in tables if each.short}


def _tell(name: str) -> None:
    print(f"autograd-teach doctor: waiting for {name} ...", file=sys.stderr, flush=True)


def _write(text: str) -> None:
    """Print `text`, whatever letters the terminal lacks."""
    encoding = sys.stdout.encoding or "ascii"
    print(text.encode(encoding, "replace").decode(encoding))
