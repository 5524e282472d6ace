"""`autograd-teach grade`: `grading/command.py` does the work."""

import argparse

from ..grading import command
from .grading import require_linux

add_arguments = command.add_arguments


def run(args: argparse.Namespace) -> int:
    """Grade, on a system that can."""
    require_linux()
    return command.run(args)
