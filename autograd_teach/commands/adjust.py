"""`autograd-teach adjust`: `grading/command.py` does the work."""

import argparse

from ..grading import command

run = command.run_remark


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Those of an adjustment."""
    command.add_remark_arguments(parser, "adjust")
