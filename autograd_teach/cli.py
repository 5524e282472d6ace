"""The `autograd-teach` command: finds the command in `commands/table.py` and runs it.

Each command's code is imported when it runs, so that `--help` is quick and a part that is broken or lacks a library
does not break the others. What a user can mend is a `UserError`: one sentence and status 2. Everything else is a bug and
keeps its traceback.
"""

from __future__ import annotations  # an old Python must get as far as the sentence about its version

import argparse
import sys
from collections.abc import Sequence

OLDEST_PYTHON = (3, 11)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command named in `arguments` (default: the process's own) and return its exit status."""
    if sys.version_info < OLDEST_PYTHON:
        needed, found = (".".join(map(str, v)) for v in (OLDEST_PYTHON, sys.version_info[:2]))
        return _complain(f"autograd-teach needs Python {needed} or later, and this is Python {found}.")
    from .commands.pipes import closed, drop

    try:
        try:
            return _status(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            sys.stdout.flush()  # what Python would do too late for the next line
    except BrokenPipeError:
        if not (streams := [stream for stream in (sys.stdout, sys.stderr) if closed(stream)]):
            raise
        for stream in streams:
            drop(stream)
        return 141  # 128 + SIGPIPE, as shells have it


def _status(arguments: list[str]) -> int:
    from .course.errors import UserError

    try:
        return _run(arguments)
    except UserError as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return 130  # 128 + SIGINT, as shells have it


def _complain(sentence: str) -> int:
    from .commands.parser import complain

    complain(sentence)
    return 2


def _run(arguments: list[str]) -> int:
    from .commands.command import overview
    from .commands.parser import close
    from .commands.table import COMMANDS, EXAMPLES, SEE

    if arguments[:1] == ["help"]:  # as in git and gh
        arguments = [*arguments[1:2], "--help"]
    first = next((place for place, each in enumerate(arguments) if not each.startswith("-")), len(arguments))
    parser = overview(COMMANDS, EXAMPLES, Version, SEE)
    _, unknown = parser.parse_known_args(arguments[:first])
    if unknown:
        parser.refuse(unknown)
    if first == len(arguments):
        parser.print_help()
        return 0
    name = arguments[first]
    for command in COMMANDS:
        if command.name == name:
            return command.run(arguments[first + 1 :])
    near = close(name, [command.name for command in COMMANDS])
    meant = f" Did you mean {near[0]!r}?" if near else ""
    return _complain(f"{name!r} is not a command.{meant}\nSee `autograd-teach --help`.")


class Version(argparse.Action):
    """`--version`, looked up only when asked for: importlib.metadata takes its time."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"autograd-teach {version('autograd-teach')}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
