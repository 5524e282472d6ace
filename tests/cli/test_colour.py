"""Colours reach terminals only, and the variables that turn them off or on mean what they mean to Python 3.13 and later."""

import io
import os
import sys
from collections.abc import Iterator, Mapping

import pytest

from autograd_teach import colour

SWITCHES = ("PYTHON_COLORS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM")


def environment(switches: Mapping[str, str]) -> dict[str, str]:
    """This process's variables with `switches` in place of its own."""
    return {name: text for name, text in os.environ.items() if name not in SWITCHES} | dict(switches)


XTERM = {"TERM": "xterm-256color"}
# What is set, and whether a terminal and a pipe get colours.
CASES = [
    ({}, True, False),
    (XTERM, True, False),
    ({"TERM": "dumb"}, False, False),
    ({**XTERM, "NO_COLOR": "1"}, False, False),
    ({**XTERM, "NO_COLOR": "0"}, False, False),
    ({**XTERM, "NO_COLOR": ""}, True, False),
    ({**XTERM, "FORCE_COLOR": "1"}, True, True),
    ({**XTERM, "FORCE_COLOR": ""}, True, False),
    ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
    ({**XTERM, "NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
    ({**XTERM, "PYTHON_COLORS": "0", "FORCE_COLOR": "1"}, False, False),
    ({"TERM": "dumb", "PYTHON_COLORS": "1", "NO_COLOR": "1"}, True, True),
    ({**XTERM, "PYTHON_COLORS": "2"}, True, False),
]


@pytest.fixture
def terminal() -> Iterator[io.TextIOWrapper]:
    pty = pytest.importorskip("pty", reason="pseudo-terminals are POSIX's")
    ends = pty.openpty()
    with open(ends[1], "w") as stream:
        yield stream
    os.close(ends[0])


@pytest.mark.parametrize("switches, on_terminal, on_pipe", CASES, ids=str)
def test_when_there_are_colours(
    switches: dict[str, str],
    on_terminal: bool,
    on_pipe: bool,
    terminal: io.TextIOWrapper,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "environ", environment(switches))
    assert colour.shows_colours(terminal) == on_terminal
    assert colour.shows_colours(io.StringIO()) == on_pipe


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python decides it for each stream from 3.14 on")
@pytest.mark.parametrize("switches", [case[0] for case in CASES], ids=str)
def test_python_decides_alike(
    switches: dict[str, str], terminal: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    import _colorize  # type: ignore[import-not-found]  # since Python 3.13, and with `file` since 3.14

    monkeypatch.setattr(os, "environ", environment(switches))
    for stream in (terminal, io.StringIO()):
        assert _colorize.can_colorize(file=stream) == colour.shows_colours(stream)


def test_styled_text_is_the_text_between_two_codes(terminal: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", environment(XTERM))
    made = {style: colour.styled("text", style, terminal) for style in ("good", "bad", "warn", "dim", "bold")}
    assert len(set(made.values())) == len(made)
    for text in made.values():
        assert text.startswith("\033[") and text.endswith("mtext\033[0m")
    assert colour.styled("", "good", terminal) == ""
    assert colour.styled("text", "good", io.StringIO()) == "text"
    with pytest.raises(KeyError):
        colour.styled("text", "gold", io.StringIO())
