"""Colours reach terminals only, and the variables that turn them off or on mean what they mean to Python 3.13 and later."""

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from autograd_teach import colour
from autograd_teach.course import check_command, progress_file
from autograd_teach.course.check_in_kernel import Outcome

ROOT = Path(__file__).resolve().parents[2]
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


# ---- the command ------------------------------------------------------------------------------------------------------


def said(command: list[str], switches: Mapping[str, str], on_terminal: bool, folder: Path) -> str:
    """What a process prints, on a terminal or into a pipe."""
    environ = {**environment(switches), "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    if not on_terminal:
        return subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environ, cwd=folder, check=False
        ).stdout
    import pty

    reader, writer = pty.openpty()
    with subprocess.Popen(command, stdout=writer, stderr=writer, env=environ, cwd=folder):
        os.close(writer)
        shown = b""
        # Linux says EIO when the other end has been closed.
        with contextlib.suppress(OSError):
            while more := os.read(reader, 65536):
                shown += more
    os.close(reader)
    return shown.decode()


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX's")
@pytest.mark.parametrize("on_terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize(
    "switches", [XTERM, {**XTERM, "NO_COLOR": "1"}, {"TERM": "dumb"}, {**XTERM, "FORCE_COLOR": "1"}], ids=str
)
def test_where_commands_print_escape_codes(switches: dict[str, str], on_terminal: bool, tmp_path: Path) -> None:
    has_codes = next(case for case in CASES if case[0] == switches)[1 if on_terminal else 2]
    (tmp_path / progress_file.NAME).write_text("{}")
    for line in ("progress", "check absent.ipynb", "grde", "check --fast"):
        shown = said([sys.executable, "-m", "autograd_teach", *line.split()], switches, on_terminal, tmp_path)
        assert ("\033" in shown) == has_codes, line
        assert line == "progress" or "autograd-teach" in shown


def test_what_a_student_named_brings_no_codes_but_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", environment({"FORCE_COLOR": "1"}))
    bad = "\033[41mA\u202e"
    outcomes = [
        Outcome("09.Scale", 2, True, True, 7, 7, remarks=(bad,)),
        Outcome("09.Exp", 2, False, True, 1, 7, bad, ({"name": "value", "message": bad},)),
        Outcome("09.KillHead", 2, False, False, 0, 7),
    ]
    checked = [check_command.Checked(Path(f"{bad}.ipynb"), tuple(outcomes), bad)]
    shown = check_command.table(checked)
    assert "\033[41m" not in shown and "\u202e" not in shown
    assert {"\033[32mpassed\033[0m", "\033[2mnot attempted\033[0m", "\033[31m1 of 7 checks pass\033[0m"} <= set(
        re.findall(r"\033\[\d+m[^\033]*\033\[0m", shown)
    )
    assert "\033" not in check_command.as_json(checked)
