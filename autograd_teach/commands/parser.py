"""What argparse does for every command here: help whose prepared lines stay as they are, and errors in one sentence."""

from __future__ import annotations

import argparse
import difflib
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from ..colour import styled
from ..plain import visible


class Parser(argparse.ArgumentParser):
    """`argparse.ArgumentParser` with this package's help and errors. No abbreviated options, no empty paths."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": Help, "allow_abbrev": False, **options})
        self.register("type", Path, path)

    def print_help(self, file: Any = None) -> None:
        """Print the help. A pipe that nobody reads is an error, which argparse's own method passes over."""
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the command line and exit with status 2."""
        complain(f"{message}\nSee `{self.prog} --help`.", self.prog)
        self.exit(2)

    def refuse(self, unknown: Iterable[str]) -> NoReturn:
        """`error` about arguments that nothing takes, with the options that may have been meant."""
        unknown = list(unknown)
        options = [option for action in self._actions for option in action.option_strings]
        written = (argument.partition("=")[0] for argument in unknown if argument.startswith("-"))
        meant = did_you_mean(near for word in written for near in close(word, options))
        self.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")


class Help(argparse.HelpFormatter):
    """Wraps a text of one line and keeps the lines of a longer one, such as examples. Does not break `autograd-teach`."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.splitlines() if "\n" in text else self._split_lines(text, width - len(indent))
        return "\n".join(f"{indent}{line}" for line in lines)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


def path(text: str) -> Path:
    """The path `text`. Raises `argparse.ArgumentTypeError` if it is empty, which Python takes for the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name is empty; give a name, or . for the current folder")
    return Path(text)


def complain(sentence: str, prog: str = "autograd-teach") -> None:
    """Print an error of the command `prog` to standard error."""
    # `visible`: the sentence may quote a file name or an answer.
    print(styled(f"{prog}:", "bad", sys.stderr), visible(sentence), file=sys.stderr)


def close(word: str, known: Iterable[str]) -> list[str]:
    """The word of `known` that is most like `word`, if one is.

    >>> close("grde", ["grade", "graph"]), close("learn", ["lab", "grade"])
    (['grade'], [])
    """
    return difflib.get_close_matches(word, list(known), n=1)


def did_you_mean(words: Iterable[str]) -> str:
    """
    >>> did_you_mean(["--check", "--check"]), did_you_mean([])
    (' (did you mean --check?)', '')
    """
    meant = list(dict.fromkeys(words))
    return f" (did you mean {' '.join(meant)}?)" if meant else ""
