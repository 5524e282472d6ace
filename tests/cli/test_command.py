"""The `autograd-teach` command as a user meets it: help, version, and one clear sentence for each thing gone wrong."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograd_teach import cli
from autograd_teach.commands import table
from autograd_teach.course import content, lab, progress_file
from autograd_teach.course.errors import UserError
from autograd_teach.course.exercises import exercises

COMMANDS = [command.name for command in table.COMMANDS]


@dataclass
class Ran:
    """What a command line gave: exit status, standard output, standard error."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """`run(*arguments)`: the command, in this process; only an error that a user cannot mend gets out of it."""

    def run(*arguments: str) -> Ran:
        try:
            status = cli.main(arguments)
        except SystemExit as end:  # argparse's way to end
            status = end.code
        return Ran(status, *capsys.readouterr())

    return run


@pytest.mark.parametrize("module", ["autograd_teach", "autograd_teach.cli"])
def test_a_process_of_its_own_says_the_version_of_the_package(module: str):
    from importlib.metadata import version

    command = [sys.executable, "-m", module, "--version"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said == f"autograd-teach {version('autograd-teach')}\n"


@pytest.mark.parametrize("arguments", [["--help"], []])
def test_help_names_every_command(run: Run, arguments: list[str]):
    shown = run(*arguments)
    assert shown.status == 0
    assert all(command in shown.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(run: Run, command: str):
    shown = run(command, "--help")
    assert shown.status == 0, shown.err
    assert f"autograd-teach {command}" in shown.out


BAD_LINES = {
    "unknown command": (["learn"], "'learn' is not a command.\nSee `autograd-teach --help`."),
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
    "progress without a course": (["progress"], "There is no course in this folder; name the folder of your course"),
    "progress of a folder without a course": (["progress", "."], "There is no course in .;"),
    "solutions do not exist": (["release", "--solutions", "absent"], "absent"),
    "submissions not named": (["grade"], "required"),
    "submissions do not exist": (["grade", "absent"], "absent"),
    "late without a due date": (["grade", "FILE", "--late", "10%/day"], "give --due as well"),
    "late by another rule": (
        ["grade", "FILE", "--due", "2026-11-20", "--late", "much"],
        "'much' is not a rule for --late",
    ),
    "grace of no length": (
        ["grade", "FILE", "--due", "2026-11-20", "--late", "1/day", "--grace", "soon"],
        "'soon' is not a time for --grace",
    ),
    "grace without a rule": (["grade", "FILE", "--grace", "15m"], "--grace goes with --late"),
    "adjust without a reason": (["adjust", "ada", "09.Scale", "1"], "--because"),
    "adjust without points": (["adjust", "ada", "09.Scale", "--because", "so"], "--withdraw"),
    "adjust both ways": (["adjust", "ada", "09.Scale", "1", "--withdraw", "--because", "so"], "one of the two"),
    "adjust without a gradebook": (
        ["adjust", "ada", "09.Scale", "1", "--because", "so"],
        "There is no gradebook.sqlite",
    ),
    "comment without words": (["comment", "ada"], "--withdraw"),
    "comment without a gradebook": (["comment", "ada", "Well done."], "There is no gradebook.sqlite"),
}


@pytest.mark.parametrize("line, sentence", BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_gets_a_sentence_and_status_2_and_harms_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: list[str], sentence: str
):
    (tmp_path / "FILE").write_text("not a notebook")
    monkeypatch.chdir(tmp_path)

    result = run(*line)

    assert result.status == 2, result.out + result.err
    assert sentence in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["FILE"]
    assert (tmp_path / "FILE").read_text() == "not a notebook"


def lines_with_a_path(text: str) -> Iterator[list[str]]:
    """`text` in each place of each command that takes a file or a folder."""
    yield ["lab", text]
    for command in table.COMMANDS:
        for action in command.parser()._actions:
            if action.type is Path:
                yield [command.name, *action.option_strings[-1:], text]


@pytest.mark.parametrize("text", ["", "  "])
@pytest.mark.parametrize("place", list(lines_with_a_path("PATH")), ids=" ".join)
def test_an_empty_name_is_not_the_current_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: list[str], text: str
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lab, "open_lab", lambda folder, **_: lab.deliver(folder))
    result = run(*place[:-1], text)
    assert result.status == 2 and "the name is empty; give a name, or . for the current folder" in result.err
    assert not list(tmp_path.iterdir())


def test_old_python_gets_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(cli, "OLDEST_PYTHON", (99, 1))
    assert cli.main(["--help"]) == 2
    assert "needs Python 99.1 or later" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", [["grade", "ps9.zip", "--dry-run"], ["grade", "--explain", "ada", "09.Scale"], ["regrade"]]
)
def test_on_windows_grading_ends_in_one_sentence(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "platform", "win32")
    assert cli.main(command) == 2
    assert capsys.readouterr().err == (
        "autograd-teach: Grading needs Linux; on Windows, run it in WSL or in a container (docs/grading.md).\n"
    )


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
def test_progress_is_read_from_the_course_and_from_a_folder_in_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: list[str]
):
    beside = tmp_path / "here" / "exercises"
    beside.mkdir(parents=True)
    monkeypatch.chdir(beside)
    monkeypatch.delenv(progress_file.SWITCH, raising=False)
    monkeypatch.setattr(progress_file, "_in_memory", {})
    progress_file.note_check("09.KillHead", passed=True, passing=5, checks=5, attempted=True)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress_file, "_in_memory", {})  # what is shown is what was written

    shown = run("progress", *where)

    assert shown.status == 0, shown.err
    assert re.search(r"^09\.KillHead +2 of 2", shown.out, re.MULTILINE), shown.out
    assert re.search(r"^09\.Scale +0 of 2", shown.out, re.MULTILINE), shown.out
    number = len(exercises("09"))
    assert re.search(rf"^… +09_custom_functions +core +\d+ min .* 1 of {number},", shown.out, re.MULTILINE), shown.out
    assert shown.out.splitlines()[-1].startswith("Next: lesson 00 ")
