"""What the help of the commands promises: it fits a terminal, its examples parse, and each exit status is reached."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograd_teach import cli
from autograd_teach.commands import command as command_module
from autograd_teach.commands import pipes
from autograd_teach.commands.command import Command
from autograd_teach.commands.table import COMMANDS, EXAMPLES
from autograd_teach.course import check_command, home, lab, notebooks, validate
from autograd_teach.course.check_in_kernel import Outcome
from autograd_teach.course.exercises import exercise
from autograd_teach.grading import batch
from autograd_teach.grading.gradebook import remarks
from autograd_teach.grading.results import Mark, Result, Status
from autograd_teach.site import command as site_command

ROOT = Path(__file__).resolve().parents[2]
NAMES = [command.name for command in COMMANDS]
BY_NAME = dict(zip(NAMES, COMMANDS, strict=True))


def words(line: str) -> list[str]:
    """An example as a shell would split it, without `autograd-teach` and without what is redirected."""
    first, *rest = shlex.split(line.replace("\\\n", " "))
    assert first == "autograd-teach"
    return rest[: rest.index(">")] if ">" in rest else rest


def help_of(monkeypatch: pytest.MonkeyPatch, name: str = "") -> str:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    if name:
        return BY_NAME[name].parser().format_help()
    return command_module.overview(COMMANDS, EXAMPLES, cli.Version, "").format_help()


@pytest.mark.parametrize("name", ["", *NAMES])
def test_help_has_its_parts_and_fits_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = help_of(monkeypatch, name)
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    parts = ["usage: autograd-teach", "\noptions:\n", "\nexamples:\n", "\nexit status:\n"]
    assert [part for part in parts if part not in shown] == []
    assert "autograd-\n" not in shown, "a name is not broken"


def test_the_overview_lists_every_command_below_who_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sections = re.findall(r"(?m)^(.+):\n((?:  .+\n)+)", help_of(monkeypatch))
    listed = {title: dict(re.findall(r"(?m)^  (\w+) +(.+)$", lines)) for title, lines in sections}
    for command in COMMANDS:
        assert listed[command.audience][command.name] == command.summary


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_has_help_and_many_options_are_in_groups(name: str) -> None:
    parser = BY_NAME[name].parser()
    assert [action.dest for action in parser._actions if not action.help] == []
    for group in parser._action_groups:
        assert len(group._group_actions) <= 6, f"{group.title}: part it"
    assert all(action.metavar or action.nargs == 0 or action.choices for action in parser._actions)


@pytest.mark.parametrize("line", [line for each in COMMANDS for _, line in each.examples])
def test_the_examples_of_a_command_are_of_it_and_parse(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, *rest = words(line)
    assert any(line == example for _, example in BY_NAME[name].examples)
    _, unknown = BY_NAME[name].parser().parse_known_args(rest)
    assert unknown == [] or BY_NAME[name].hands_on


@pytest.mark.parametrize("line", [line for _, line in EXAMPLES])
def test_the_examples_of_the_overview_parse(line: str) -> None:
    name, *rest = words(line)
    assert BY_NAME[name].parser().parse_known_args(rest)[1] == []


# ---- exit status ------------------------------------------------------------------------------------------------------

Patch = Callable[[pytest.MonkeyPatch, Path], None]


def jupyterlab_ends(*error: SystemExit) -> Patch:
    def main(arguments: list[str]) -> None:
        for each in error:
            raise each

    def patch(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
        monkeypatch.setitem(sys.modules, "jupyterlab.labapp", SimpleNamespace(main=main))
        monkeypatch.setattr(lab, "_prepare_environment", lambda: None)
        monkeypatch.setattr(lab, "deliver", lambda folder: lab.Delivery(room))
        monkeypatch.setattr(home, "write_page", lambda folder: True)

    return patch


def checks(passed: bool) -> Patch:
    outcome = Outcome("09.Scale", 2, passed, True, 7, 7)

    def patch(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
        delivered(monkeypatch, room)
        monkeypatch.setattr(
            check_command, "check_notebook", lambda found: check_command.Checked(found.path, (outcome,))
        )

    return patch


def validates(*problems: str) -> Patch:
    found = validate.Validated(exercise("09.Scale"), problems)
    return lambda monkeypatch, room: monkeypatch.setattr(validate, "validate", lambda *_: iter([found]))


def grades(status: Status) -> Patch:
    results = [Result("ada", (Mark("09.Scale", status, 2, judge="oracle", isolation="user"),))]

    def patch(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(batch, "grade", lambda *_, **__: results)
        monkeypatch.setattr(batch, "regrade", lambda **_: (results, []))

    return patch


def without_a_kernel(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
    monkeypatch.setattr(notebooks, "execute", lambda notebook, *_: notebook)


def notes(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
    for name in ("adjust", "comment"):
        monkeypatch.setattr(remarks, name, lambda *_, **__: "noted")


def delivered(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
    lab.deliver(room / "autograd-course")


def builds(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
    monkeypatch.setattr(site_command, "build", lambda *_: None)


def nothing(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
    """Nothing has to be prepared."""


def without_shtab(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)


REACHED: list[tuple[int, str, Patch]] = [
    (0, "lab", jupyterlab_ends()),
    (1, "lab", jupyterlab_ends(SystemExit(1))),
    (2, "lab script.py", nothing),
    (0, "check 09", checks(passed=True)),
    (1, "check 09", checks(passed=False)),
    (2, "check absent.ipynb", nothing),
    (0, "progress", delivered),
    (2, "progress", nothing),
    (0, "update", delivered),
    (2, "update", nothing),
    (0, "release --check", nothing),
    (1, "release --check --exercises empty", nothing),
    (2, "release --solutions absent", nothing),
    (0, "validate", validates()),
    (1, "validate", validates("no hints")),
    (2, "validate 99", nothing),
    (0, "notebooks --check canonical.ipynb", without_a_kernel),
    (1, "notebooks --check other.ipynb", without_a_kernel),
    (2, "notebooks --check absent.ipynb", nothing),
    (0, "graph script.py:loss", nothing),
    (2, "graph script.py:gain", nothing),
    (0, "site public --pages-only", builds),
    (2, "site public --base-url example.org", builds),
    (0, "grade . --report none", grades(Status.FAIL)),
    (1, "grade . --report none", grades(Status.GRADER_ERROR)),
    (2, "grade absent", nothing),
    (0, "regrade --report none", grades(Status.FAIL)),
    (1, "regrade --report none", grades(Status.GRADER_ERROR)),
    (2, "regrade --output absent", nothing),
    (0, "adjust ada 09.Scale 1 --because so", notes),
    (2, "adjust ada 09.Scale 1 --because so", nothing),
    (0, "comment ada so", notes),
    (2, "comment ada so", nothing),
    (0, "completion bash", nothing),
    (2, "completion bash", without_shtab),
]


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a script and two notebooks, in which the command runs."""
    (tmp_path / "script.py").write_text(
        "import autograd_teach as torch\nloss = torch.ones(2, requires_grad=True).sum()\n"
    )
    notebook = notebooks.nbformat.v4.new_notebook(cells=[notebooks.nbformat.v4.new_markdown_cell("a", id="a")])
    (tmp_path / "canonical.ipynb").write_text(notebooks.notebook_text(notebooks.canonical(notebook)))
    (tmp_path / "other.ipynb").write_text(notebooks.nbformat.writes(notebook, indent=3))
    monkeypatch.chdir(tmp_path)
    yield tmp_path


@pytest.mark.parametrize("status, line, prepare", REACHED, ids=[f"{line}-{status}" for status, line, _ in REACHED])
def test_a_documented_exit_status_is_reached(
    status: int, line: str, prepare: Patch, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(monkeypatch, room)
    assert status in BY_NAME[line.split()[0]].exits
    try:
        found = cli.main(shlex.split(line))
    except SystemExit as end:
        found = int(str(end.code))
    assert found == status


def test_every_documented_exit_status_is_reached() -> None:
    reached = {(line.split()[0], status) for status, line, _ in REACHED} | {
        (n, each) for n in NAMES for each in (130, 141)
    }
    documented = {(command.name, status) for command in COMMANDS for status in command.exits}
    # The machine decides what `doctor` finds: its own tests reach its statuses.
    assert {pair for pair in documented if pair[0] != "doctor"} == {pair for pair in reached if pair[0] != "doctor"}


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_ctrl_c_is_status_130(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(args: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(command.load(), "run", run)
    assert cli.main(words(command.examples[0][1])) == 130


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_a_closed_pipe_is_status_141(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(args: Any) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(command.load(), "run", run)
    monkeypatch.setattr(pipes, "closed", lambda stream: True)
    monkeypatch.setattr(pipes, "drop", lambda stream: None)
    assert cli.main(words(command.examples[0][1])) == 141


# ---- a reader that stops, and the ways in -----------------------------------------------------------------------------

SCRIPT = "import autograd_teach as torch\nloss = torch.ones(2, requires_grad=True).sum()\nprint('a' * 100000)\n"


@pytest.mark.skipif(os.name != "posix", reason="SIGPIPE is POSIX's")
@pytest.mark.parametrize("python", [["-m"], ["-u", "-m"]], ids=" ".join)
@pytest.mark.parametrize("line", ["--help", "--version", "grade --help", "completion bash", "graph script.py:loss"])
def test_a_command_whose_output_nobody_reads_ends_quietly(line: str, python: list[str], tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    reader, writer = os.pipe()
    os.close(reader)  # as `head` does, but at once
    command = [sys.executable, *python, "autograd_teach", *line.split()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONUNBUFFERED", None)
    ended = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment, check=False
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_another_broken_pipe_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> int:
        raise BrokenPipeError("of a kernel")

    monkeypatch.setattr(lab, "open_lab", fail)
    with pytest.raises(BrokenPipeError, match="of a kernel"):
        cli.main(["lab"])


@pytest.mark.parametrize(
    "line, said",
    [
        ("grde", "autograd-teach: 'grde' is not a command. Did you mean 'grade'?\nSee `autograd-teach --help`.\n"),
        ("learn", "autograd-teach: 'learn' is not a command.\nSee `autograd-teach --help`.\n"),
        ("grade --du 1", "autograd-teach grade: unrecognized arguments: --du (did you mean --due?)\nSee"),
        ("check --jsn=1", "autograd-teach check: unrecognized arguments: --jsn=1 (did you mean --json?)\nSee"),
        ("--versoin", "autograd-teach: unrecognized arguments: --versoin (did you mean --version?)\nSee"),
        ("check \x1b[31m --fst", "autograd-teach check: unrecognized arguments: --fst\nSee"),
    ],
)
def test_a_misspelling_gets_what_was_meant(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = cli.main(line.split(" "))
    except SystemExit as end:
        status = int(str(end.code))
    assert (status, capsys.readouterr().err[: len(said)]) == (2, said)


def test_help_of_a_command_is_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for line in (["help", "grade"], ["grade", "--help"]):
        with pytest.raises(SystemExit):
            cli.main(line)
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != ""


def test_help_loads_the_package_and_nothing_more_than_its_texts() -> None:
    program = (
        "import sys, autograd_teach\n"
        "before = set(sys.modules)\n"
        "from autograd_teach import cli\n"
        "assert cli.main([]) == 0\n"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    loaded = {name for name in ran.stderr.split() if name.partition(".")[0] not in sys.stdlib_module_names}
    allowed = ("cli", "colour", "plain", "commands", "course")
    assert loaded <= {f"autograd_teach.{name}" for name in allowed} | {
        "autograd_teach.course.errors",
        *(f"autograd_teach.commands.{name}" for name in ("command", "parser", "pipes", "table")),
    }


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_the_guide_that_a_help_names_is_there_and_names_the_command(command: Command) -> None:
    guides = re.findall(r"docs/\w+\.md", command.see)
    assert guides or not command.see
    for guide in guides:
        assert command.name in (ROOT / guide).read_text("utf-8")
