"""`autograd-teach progress`: every exercise and lesson, and what to do next, as a table in the terminal."""

import argparse
import sys
from pathlib import Path

from ..colour import styled
from ..course.errors import UserError

STYLES = {"✓": "good", "✗": "bad", "-": "dim"}
"""By the sign with which a state begins."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder."""
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="the course's folder (default: ./autograd-course)"
    )


def run(args: argparse.Namespace) -> int:
    """Print the tables."""
    from ..course.checking import Progress
    from ..course.exercises import exercises
    from ..course.home import home, is_course
    from ..course.lab import DEFAULT_FOLDER

    folder = args.folder or (DEFAULT_FOLDER if DEFAULT_FOLDER.is_dir() else Path())
    if not folder.is_dir():
        raise UserError(
            f"There is no folder {args.folder}; name the one in which your course is: autograd-teach progress FOLDER."
        )
    if not is_course(folder):
        raise UserError(
            f"There is no course in {folder if args.folder else 'this folder'}; name the folder of your course: "
            "autograd-teach progress FOLDER."
        )
    page = home(folder)
    table = Progress(exercises(), dict(page.solved))
    ends = [state for _, _, state in table.rows]
    lines = [_with_end(line, end) for line, end in zip(str(table).splitlines(), [*ends, ""], strict=True)]
    print("\n".join(lines), _with_marks(str(page)), sep="\n\n")
    return 0


def _with_end(line: str, state: str) -> str:
    """A line of the table of exercises, with the colour of the state at its end."""
    style = STYLES.get(state[:1])
    return line.removesuffix(state) + styled(state, style, sys.stdout) if style else line


def _with_marks(page: str) -> str:
    """The home page, with the colour of done lessons' marks, and with what to do next in bold."""
    lines = page.splitlines()
    lines = [styled("✓", "good", sys.stdout) + line[1:] if line.startswith("✓") else line for line in lines]
    return "\n".join([*lines[:-1], styled(lines[-1], "bold", sys.stdout)])
