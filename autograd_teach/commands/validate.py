"""`autograd-teach validate`: reads its command line; `course/validate.py` does the work."""

import argparse
import sys

from ..colour import styled
from .rooms import add_rooms, rooms


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folders, and which exercises."""
    parser.add_argument(
        "notebook",
        nargs="?",
        metavar="NOTEBOOK",
        help="number of one notebook, such as 09, to examine its exercises only (default: all)",
    )
    add_rooms(parser)


def run(args: argparse.Namespace) -> int:
    """Print what is wrong with each exercise."""
    from ..course import validate

    bad, all_fit = 0, True
    for each in validate.validate(*rooms(args), args.notebook):
        found = [styled(problem, "bad", sys.stdout) for problem in each.problems]
        notes = [f"note: {note}" for note in each.notes]
        lines = [*(found or [styled("fit", "good", sys.stdout)]), *notes]
        print(f"{each.name}: " + "\n  ".join(lines), flush=True)
        bad += bool(each.exercise and each.problems)
        all_fit = all_fit and not each.problems
    if bad:
        print("1 exercise needs fixing" if bad == 1 else f"{bad} exercises need fixing")
    elif all_fit:
        print("all exercises are fit")
    return 0 if all_fit else 1
