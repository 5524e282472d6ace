"""`autograd-teach lab`: reads its command line; `course/lab.py` does the work."""

import argparse
from pathlib import Path

from ..course.errors import UserError
from .parser import path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Our options: the folder is among what is left (`_split`), since only JupyterLab knows which of its options take a value."""
    parser.add_argument("--no-browser", action="store_true", help="only print the address to open")
    parser.add_argument(
        "--port", type=_port, metavar="N", help="use this port, or fail (default: 8888 or the next free one)"
    )


def run(args: argparse.Namespace) -> int:
    """Deliver the course and run JupyterLab."""
    from ..course.lab import open_lab

    folder, arguments = _split(args.rest)
    return open_lab(folder, browser=not args.no_browser, port=args.port, arguments=arguments)


def _split(rest: list[str]) -> tuple[Path | None, list[str]]:
    """The course's folder, if it is named, and the options of JupyterLab."""
    named = bool(rest) and not rest[0].startswith("-")
    try:
        folder, rest = (path(rest[0]), rest[1:]) if named else (None, rest)
    except argparse.ArgumentTypeError as problem:
        raise UserError(f"The course's folder: {problem}.") from problem
    before = "--x=y"
    for argument in rest:
        # After `--ip` a bare word is its value; after `--ip=...` it can only be a folder in the wrong place.
        if not argument.startswith("-") and (not before.startswith("-") or "=" in before):
            raise UserError(
                f"{argument!r} comes too late for the course's folder, which is named before all options: "
                "autograd-teach lab FOLDER --option ..."
            )
        before = argument
    return folder, rest


def _port(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 1 to 65535")
    return int(text)
