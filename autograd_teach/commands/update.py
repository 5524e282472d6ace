"""`autograd-teach update`: reads its command line; `course/update.py` and `course/take_up.py` do the work."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, and what to import instead of a new version."""
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="the course's folder (default: ./autograd-course)"
    )
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FILE",
        help="instead, add what you wrote elsewhere: the .zip from the page “Your work” of "
        "the course's website, or a notebook. Nothing is overwritten. If FOLDER has no "
        "course, one is made there",
    )


def run(args: argparse.Namespace) -> int:
    """Update the course and print what changed."""
    from ..course.lab import DEFAULT_FOLDER

    folder = args.folder or DEFAULT_FOLDER
    if args.source is not None:
        from ..course.take_up import take_up
        from ..plain import visible

        print(visible(str(take_up(folder, args.source))))
        return 0
    from ..course.update import update

    print(update(folder))
    return 0
