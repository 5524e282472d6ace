"""`autograd-teach comment`: `grading/command.py` does the work."""

import argparse

from ..grading import command

run = command.run_remark


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Those of a comment."""
    command.add_remark_arguments(parser, "comment")
