"""`autograd-teach completion`: a script with which a shell completes this command line, made by shtab."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..course.errors import UserError
from .command import PROG
from .parser import Parser

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
FOLDERS = ("FOLDER", "OUTPUT")
"""Metavars of paths of which only folders are offered."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="one of %(choices)s")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(script(args.shell))
    return 0


def script(shell: str) -> str:
    """The script for `shell`, one of `SHELLS`. Raises `UserError` if shtab is missing."""
    try:
        import shtab
    except ImportError:
        raise UserError("Completion needs shtab; install it with: pip install shtab") from None

    return str(shtab.complete(_whole_parser(), shell))


def _whole_parser() -> Parser:
    """One parser with all commands, and with what their arguments complete to."""
    from .. import cli
    from .table import COMMANDS

    parser = Parser(prog=PROG)
    parser.add_argument("--version", action=cli.Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command in COMMANDS:
        one = commands.add_parser(command.name, help=command.summary, description=command.summary)
        command.add_arguments(one)
        if command.name == "lab":  # which splits it off by itself
            one.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="the course's folder")
        for action in one._actions:
            _prepare(action)
    return parser


def _prepare(action: argparse.Action) -> None:
    """Say what kind of path an argument takes, and name its values, in the way that shtab reads."""
    import shtab

    if action.type is Path:
        is_folder = action.metavar in FOLDERS
        action.complete = shtab.DIRECTORY if is_folder else shtab.FILE  # type: ignore[attr-defined]
    if isinstance(action.metavar, tuple):
        action.metavar = " ".join(action.metavar)
