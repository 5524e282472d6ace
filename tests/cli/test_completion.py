"""The completion scripts, each in its own shell: what is offered for what was typed."""

import contextlib
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograd_teach import cli
from autograd_teach.commands import completion
from autograd_teach.commands.table import COMMANDS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the shells tested here are those of POSIX systems")

# What is typed after "autograd-teach ", and all that is offered. The folder is `room`.
TYPED = {
    "": {command.name for command in COMMANDS},
    "gr": {"grade", "graph"},
    "--v": {"--version"},
    "grade --re": {"--report", "--require-sandbox"},
    "grade ps9.zip --isolation ": {"bubblewrap", "namespaces", "user", "process"},
    "completion po": {"powershell"},
    "check wo": {"work.ipynb"},
    "check work.ipynb no": {"notes.ipynb", "nothing"},
    "progress no": {"nothing"},
    "lab no": {"nothing"},
    "site public --lessons no": {"nothing"},
    "update --from no": {"notes.ipynb", "nothing"},
}


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with two notebooks and a folder."""
    for name in ("work.ipynb", "notes.ipynb"):
        (tmp_path / name).touch()
    (tmp_path / "nothing").mkdir()
    return tmp_path


def written(shell: str, path: Path) -> Path:
    path.write_text(completion.script(shell), encoding="utf-8")
    return path


def needed(shell: str) -> str:
    """The shell's program."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    return program


def offered_by_bash(line: str, script: Path, room: Path) -> set[str]:
    program = (
        f"source {script}\n"
        'COMP_LINE=$1 COMP_POINT=${#1}\nread -ra COMP_WORDS <<< "$1"\n[[ $1 == *" " ]] && COMP_WORDS+=("")\n'
        "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_shtab_autograd_teach\n"
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    command = [needed("bash"), "--norc", "-c", program, "bash", line]
    return set(subprocess.run(command, cwd=room, capture_output=True, text=True, check=True).stdout.split())


def offered_by_fish(line: str, script: Path, room: Path) -> set[str]:
    command = [needed("fish"), "--no-config", "-c", f"source {script}; complete -C '{line}'"]
    home = {**os.environ, "HOME": str(script.parent)}
    said = subprocess.run(command, cwd=room, env=home, capture_output=True, text=True, check=True).stdout
    return {each.partition("\t")[0].rstrip("/") for each in said.splitlines()}


@pytest.mark.parametrize("offered", [offered_by_bash, offered_by_fish])
@pytest.mark.parametrize("typed", TYPED)
def test_what_a_shell_offers(
    typed: str, offered: Callable[[str, Path, Path], set[str]], room: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shell = offered.__name__.rpartition("_")[2]
    script = written(shell, tmp_path_factory.mktemp("scripts") / "script")
    assert offered(f"autograd-teach {typed}", script, room) == TYPED[typed]


LIMIT = 60.0
"""Seconds that a shell is waited for. Only one that hangs needs as many."""


@contextlib.contextmanager
def typing_in(command: list[str], room: Path) -> Iterator[Callable[[str, str], str]]:
    """Runs a shell in a terminal: `typed(text, awaited)` returns what it shows until `awaited` is among it."""
    import pty
    import termios

    number, fd = pty.fork()
    if number == 0:
        os.chdir(room)
        os.execvpe(command[0], command, {**os.environ, "TERM": "xterm", "HOME": str(room), "COLUMNS": "100"})

    def edits_its_line() -> bool:
        """Whether the shell reads each key. Until it does, the terminal itself would take Ctrl-D and Ctrl-U, and drop them."""
        return not termios.tcgetattr(fd)[3] & termios.ICANON

    def typed(text: str, awaited: str) -> str:
        deadline = time.monotonic() + LIMIT
        while not edits_its_line():
            assert time.monotonic() < deadline, f"{command[0]} does not read what is typed"
            time.sleep(0.01)
        os.write(fd, text.encode())
        shown = ""
        while awaited not in shown:
            # A shell that has nothing more to show would wait for us, and we for it.
            assert select.select([fd], [], [], LIMIT)[0], f"{awaited!r} is not in {shown!r}"
            shown += os.read(fd, 4096).decode(errors="replace")
        return shown

    try:
        yield typed
    finally:
        os.close(fd)
        os.kill(number, 9)
        os.waitpid(number, 0)


TO_START = {
    # As the help of the command says; the folder of ~/.zfunc is `room`.
    "zsh": (["-f", "-i"], "_autograd-teach", "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D", "\t\t"),
    "tcsh": (["-f"], "script.tcsh", "source script.tcsh", "\x04"),  # Ctrl-D lists what Tab completes to
}


@pytest.mark.parametrize("shell", TO_START)
def test_what_an_interactive_shell_offers(shell: str, room: Path) -> None:
    options, name, start, tab = TO_START[shell]
    program = needed(shell)
    written(shell, room / name)
    with typing_in([program, *options], room) as typed:
        typed(f"{start}; echo READ''Y\r", "READY")
        shown = typed(f"autograd-teach gr{tab}", "graph")
        assert "grade" in shown and "regrade" not in shown
        shown = typed(f"\x15autograd-teach grade ps9.zip --isolation {tab}", "user")
        assert "bubblewrap" in shown and "process" in shown
        typed("\x15autograd-teach check wo\t", "work.ipynb")


def test_every_shell_gets_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    for shell in completion.SHELLS:
        assert cli.main(["completion", shell]) == 0
        script = capsys.readouterr().out
        assert all(command.name in script for command in COMMANDS), shell


def test_without_shtab_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 2
    assert "needs shtab; install it with: pip install shtab\n" in capsys.readouterr().err
