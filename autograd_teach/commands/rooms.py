"""What the commands of authors share: the folders of solutions and exercises."""

import argparse
import sys
from pathlib import Path

from ..course import content


def add_rooms(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the options `--solutions` and `--exercises`."""
    parser.add_argument(
        "--solutions",
        type=Path,
        metavar="FOLDER",
        help="folder of the solutions (default: solutions/ of a repository that is installed with pip install -e)",
    )
    parser.add_argument(
        "--exercises", type=Path, metavar="FOLDER", help="other exercises (default: exercises/ beside the solutions)"
    )


def rooms(args: argparse.Namespace) -> tuple[Path, Path]:
    """The folders of solutions and exercises. Prints a note if edits of the course there do not take effect."""
    solutions = args.solutions or content.folder("solutions")
    note_without_effect(solutions)
    return solutions, args.exercises or solutions.parent / "exercises"


def note_without_effect(room: Path) -> None:
    """Print a note if the course beside `room` was edited and another copy of it is installed."""
    if sentence := content.without_effect(room):
        print(f"note: {sentence}", file=sys.stderr)
