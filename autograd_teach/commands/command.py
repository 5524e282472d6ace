"""A command as data (`Command`), and the parsers made of it."""

from __future__ import annotations

import argparse
import importlib
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from .parser import Parser

PROG = "autograd-teach"
LINE = 79

STATUSES = {
    0: "done, and nothing is wrong",
    1: "done, and something is wrong: a check fails, a file is out of date",
    2: "not done: one sentence says why, or the command line is wrong",
    130: "interrupted with Ctrl-C",
    141: "the program that reads the output has stopped, as in `... | head`",
}
"""What an exit status means for every command. A bug ends in a traceback, with Python's status 1."""


@dataclass(frozen=True)
class Command:
    """One command: what its help says, and where its code is."""

    name: str
    audience: str
    """Who uses it: the heading below which `autograd-teach --help` lists it."""
    summary: str
    """One line for that list."""
    description: str
    module: str
    """Relative to the package: has `add_arguments(parser)` and `run(args)`."""
    examples: tuple[tuple[str, str], ...]
    """What each does, and the command line."""
    statuses: Mapping[int, str] = field(default_factory=dict)
    """What 0 and, if it can occur, 1 mean here, and other statuses where they differ from `STATUSES`."""
    usage: str | None = None
    """In place of argparse's own."""
    see: str = ""
    """Where to read on."""
    hands_on: bool = False
    """Whether unknown arguments go to `run`, as `args.rest`."""

    @property
    def prog(self) -> str:
        """As it is typed."""
        return f"{PROG} {self.name}"

    @property
    def exits(self) -> dict[int, str]:
        """Every exit status that it can have, and what it means."""
        return dict(sorted({**{status: STATUSES[status] for status in (2, 130, 141)}, **self.statuses}.items()))

    def load(self) -> ModuleType:
        """The module, imported."""
        return importlib.import_module(f"..{self.module}", __package__)

    def parser(self) -> Parser:
        """The parser of what follows the command's name."""
        parser = Parser(prog=self.prog, usage=self.usage, description=self.description, epilog=self.see)
        self.add_arguments(parser)
        _add_texts(parser, self.examples, self.exits)
        return parser

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Give `parser` the command's options, and the name by which modules with two commands tell which one runs."""
        self.load().add_arguments(parser)
        parser.set_defaults(command=self.name)

    def run(self, arguments: Sequence[str]) -> int:
        """Parse what follows the command's name and run it; returns the exit status."""
        parser = self.parser()
        args, rest = parser.parse_known_args(arguments)
        if rest and not self.hands_on:
            parser.refuse(rest)
        args.rest = rest
        return int(self.load().run(args))


def overview(
    commands: Iterable[Command], examples: Iterable[tuple[str, str]], version: type[argparse.Action], see: str
) -> Parser:
    """The parser of what precedes the command's name; its help lists the commands."""
    parser = Parser(
        prog=PROG,
        usage="%(prog)s [-h] [--version] COMMAND ...",
        description="Learn automatic differentiation in JupyterLab, and grade those who do.",
        epilog=see,
        add_help=False,
    )
    commands = list(commands)
    for audience in dict.fromkeys(command.audience for command in commands):
        group = parser.add_argument_group(audience)
        for command in commands:
            if command.audience == audience:
                # Only for the list: this parser never gets to see the command's name.
                group.add_argument(command.name, nargs="?", help=command.summary)
    options = parser.add_argument_group("options")
    options.add_argument("-h", "--help", action="help", help="show this help message and exit")
    options.add_argument("--version", action=version)
    _add_texts(parser, examples, STATUSES)
    return parser


def _add_texts(parser: Parser, examples: Iterable[tuple[str, str]], statuses: Mapping[int, str]) -> None:
    parser.add_argument_group("examples", "\n".join(f"# {what}\n{line}" for what, line in examples))
    lines = (
        textwrap.fill(f"{status:<5}{meaning}", LINE - 2, subsequent_indent=" " * 5)
        for status, meaning in statuses.items()
    )
    parser.add_argument_group("exit status", "\n".join(lines))
