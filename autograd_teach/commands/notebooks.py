"""`autograd-teach notebooks`: reads its command line; `course/notebooks.py` does the work."""

import argparse
from pathlib import Path

from .parser import complain
from .rooms import note_without_effect


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The notebooks, and whether to write."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="notebook, or folder of notebooks")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a file is out of date")


def run(args: argparse.Namespace) -> int:
    """Run the notebooks and write them, or compare."""
    from ..course import notebooks, release

    for room in {path if path.is_dir() else path.parent for path in args.paths}:
        note_without_effect(room)
    try:
        notebooks.canonicalise(args.paths, check=args.check, correct=release.declare)
    except notebooks.OutOfDate as found:
        complain(str(found))
        return 1
    return 0
