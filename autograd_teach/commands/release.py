"""`autograd-teach release`: reads its command line; `course/release.py` does the work."""

import argparse

from .rooms import add_rooms, rooms


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folders, and whether to write."""
    add_rooms(parser)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a file is out of date")


def run(args: argparse.Namespace) -> int:
    """Make the exercises and print which files changed."""
    from ..course import release

    changed = release.release(*rooms(args), args.check)
    for path in changed:
        print(f"{'out of date' if args.check else 'written'}: {path}")
    return 1 if args.check and changed else 0
