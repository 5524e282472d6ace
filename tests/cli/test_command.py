"""The `autograd-teach` command as a user meets it: help, version, and one clear sentence for each thing gone wrong."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograd_teach import cli
from autograd_teach.course import content, lab, record
from autograd_teach.course.errors import UserError

COMMANDS = ["lab", "check", "progress", "update", "release", "validate", "notebooks", "grade"]


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "autograd_teach.cli", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        **options,  # type: ignore[call-overload]  # cwd, env
    )


def test_version_is_the_packages():
    from importlib.metadata import version

    assert run("--version").stdout == f"autograd-teach {version('autograd-teach')}\n"


@pytest.mark.parametrize("arguments", [["--help"], []])
def test_help_names_every_command(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as end:
        raise SystemExit(cli.main(arguments))
    assert end.value.code == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str):
    result = run(command, "--help")
    assert result.returncode == 0, result.stderr
    assert f"autograd-teach {command}" in result.stdout


BAD_LINES = {
    "unknown command": (["learn"], "invalid choice: 'learn'"),
    "unknown option": (["--fast"], "unrecognized arguments: --fast"),
    "unknown option before the command": (["--fast", "lab"], "unrecognized arguments: --fast"),
    "unknown option of a command": (["release", "--fast"], "unrecognized arguments: --fast"),
    "abbreviated option": (["release", "--chec"], "unrecognized arguments: --chec"),
    "port is a word": (["lab", "--port", "http"], "'http' is no port"),
    "port too large": (["lab", "--port", "65536"], "'65536' is no port"),
    "port zero": (["lab", "--port", "0"], "'0' is no port"),
    "port missing": (["lab", "--port"], "expected one argument"),
    "folder is a file": (["lab", "FILE"], "is a file"),
    "folder under a file": (["lab", "FILE/course"], "is a file"),
    "notebooks without a path": (["notebooks"], "required: PATH"),
    "notebook does not exist": (["notebooks", "absent.ipynb"], "absent.ipynb"),
    "notebook is broken": (["notebooks", "FILE"], "FILE"),
    "progress of no folder": (["progress", "absent"], "absent"),
    "solutions do not exist": (["release", "--solutions", "absent"], "absent"),
    "submissions not named": (["grade"], "required"),
    "submissions do not exist": (["grade", "absent"], "absent"),
}


@pytest.mark.parametrize("line, sentence", BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_gets_a_sentence_and_status_2_and_harms_nothing(tmp_path: Path, line: list[str], sentence: str):
    (tmp_path / "FILE").write_text("not a notebook")

    result = run(*line, cwd=tmp_path)

    assert result.returncode == 2, result.stdout + result.stderr
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["FILE"]
    assert (tmp_path / "FILE").read_text() == "not a notebook"


def test_old_python_gets_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(cli, "OLDEST_PYTHON", (99, 1))
    assert cli.main(["--help"]) == 2
    assert "needs Python 99.1 or later" in capsys.readouterr().err


@pytest.mark.parametrize(
    "raised, status, said",
    [
        (UserError("Do this."), 2, "autograd-teach: Do this.\n"),
        (KeyboardInterrupt(), 130, ""),
        (SystemExit(3), SystemExit, ""),
        (RuntimeError("a bug"), RuntimeError, ""),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_becomes_of_an_exception(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    raised: BaseException,
    status: int | type[BaseException],
    said: str,
):
    def fail(*_: object, **__: object) -> int:
        raise raised

    monkeypatch.setattr(lab, "open_lab", fail)
    if isinstance(status, int):
        assert cli.main(["lab"]) == status
    else:
        with pytest.raises(status) as caught:
            cli.main(["lab"])
        assert caught.value is raised
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    "room, sentence",
    [("solutions", "--solutions FOLDER"), ("lessons", "install it again")],
)
def test_a_room_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: content.Room, sentence: str):
    # As in site-packages: somebody else's folder of that name lies beside the package.
    (tmp_path / room).mkdir()
    monkeypatch.setattr(content, "_PACKAGE", tmp_path / "autograd_teach")
    with pytest.raises(UserError, match=sentence):
        content.folder(room)


def test_solutions_missing_for_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(content, "_PACKAGE", tmp_path / "autograd_teach")
    assert cli.main(["release"]) == 2
    assert "name their folder with --solutions FOLDER" in capsys.readouterr().err


@pytest.mark.parametrize("where", [["here"], ["here/exercises"]])
def test_progress_is_read_beside_the_exercises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: list[str]):
    beside = tmp_path / "here" / "exercises"
    beside.mkdir(parents=True)
    monkeypatch.chdir(beside)
    monkeypatch.delenv(record.SWITCH, raising=False)
    monkeypatch.setattr(record, "_in_memory", {})
    record.note_check("09.KillHead", passed=True, passing=5, checks=5, attempted=True)

    shown = run("progress", *where, cwd=tmp_path)

    assert shown.returncode == 0, shown.stderr
    assert re.search(r"^09\.KillHead +2 of 2", shown.stdout, re.MULTILINE), shown.stdout
    assert re.search(r"^09\.Scale +0 of 2", shown.stdout, re.MULTILINE), shown.stdout
