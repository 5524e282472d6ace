"""`autograd-teach regrade`: `grading/command.py` does the work."""

import argparse

from ..grading import command
from .grading import require_linux

add_arguments = command.add_regrade_arguments


def run(args: argparse.Namespace) -> int:
    """Grade again, on a system that can."""
    require_linux()
    return command.run_regrade(args)
