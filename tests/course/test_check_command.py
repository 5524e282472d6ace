"""`autograd-teach check`: the terminal says what the notebook says, and no notebook stops the others."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell

from autograd_teach import cli
from autograd_teach.course import check_command, record
from autograd_teach.course.content import folder
from autograd_teach.course.errors import UserError
from autograd_teach.course.exercises import exercises
from autograd_teach.course.notebooks import read_notebook, write_notebook

NAME = "09_custom_functions.ipynb"

WRONG_SCALE = """class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output * ctx.factor, None
"""


@pytest.fixture
def student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's folder with notebook 09: KillHead solved, Scale wrong, Exp untouched, a cell of their own that raises."""
    monkeypatch.delenv(record.SWITCH)
    solved = {cell.id: cell.source for cell in read_notebook(folder("solutions") / NAME).cells}
    notebook = read_notebook(folder("exercises") / NAME)
    for cell in notebook.cells:
        if cell.id == "killhead-answer":
            cell.source = solved[cell.id]
        if cell.id == "scale-answer":
            cell.source = WRONG_SCALE
    notebook.cells = [cell for cell in notebook.cells if cell.id != "killhead-check"]
    notebook.cells.insert(2, new_code_cell("1 / 0", id="mine"))
    (tmp_path / "course" / "exercises").mkdir(parents=True)
    write_notebook(tmp_path / "course" / "exercises" / "renamed.ipynb", notebook)
    return tmp_path / "course"


def check(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autograd_teach.cli", "check", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_a_folder_is_checked_with_the_words_of_the_notebook(student: Path) -> None:
    result = check(student)
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        "09.KillHead  2 of 2  passed",
        "09.Scale     0 of 2  6 of 7 checks pass",
        "               the gradient is right but for a factor: 2 times too large (x[0]: -8.218, numerically -4.109)",
        "09.Exp       0 of 2  not attempted",
        "2 of 6 points",
    ]
    assert "[1/1] renamed.ipynb: 1 of 3 solved" in result.stderr


def test_json_says_the_same(student: Path) -> None:
    said = json.loads(check(student / "exercises" / "renamed.ipynb", "--json").stdout)
    assert (said["points"], said["of"]) == (2, 6)
    (notebook,) = said["notebooks"]
    assert [(e["exercise"], e["passed"], e["attempted"]) for e in notebook["exercises"]] == [
        ("09.KillHead", True, True),
        ("09.Scale", False, True),
        ("09.Exp", False, False),
    ]


@pytest.mark.parametrize(
    "before", [None, "{ broken", '{"version": 1, "exercises": {"09.Exp": {"passed": true, "hints": 2}}}']
)
def test_the_progress_file_is_rebuilt(student: Path, before: str | None) -> None:
    file = student / "exercises" / record.NAME
    if before is not None:
        file.write_text(before)
    check_command.check_notebook(*check_command.find([student / "exercises" / "renamed.ipynb"]))
    known = json.loads(file.read_text())["exercises"]
    assert known["09.KillHead"]["passed"] is True and known["09.Exp"]["passed"] is False
    assert "tries" not in known["09.KillHead"]
    if before and "hints" in before:
        assert known["09.Exp"]["hints"] == 2, "what else was known stays"
    if before and "broken" in before:
        assert file.with_name(file.name + ".bak").read_text() == before


def test_a_notebook_is_read_once(student: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    monkeypatch.setattr(check_command, "read_notebook", lambda path: read.append(path) or read_notebook(path))
    path = student / "exercises" / "renamed.ipynb"
    check_command.check_notebook(*check_command.find([path]))
    assert read == [path]


def test_all_solutions_pass(tmp_path: Path) -> None:
    found = check_command.find([folder("solutions")])
    assert len(found) == len({each.notebook for each in exercises()})
    first = check_command.check_notebook(*check_command.find([Path(shutil.copy(found[0].path, tmp_path))]))
    assert first.outcomes and all(outcome.passed for outcome in first.outcomes)


TROUBLE = {
    "is killed": ("import os; os.kill(os.getpid(), 9)", "ends the kernel"),
    "ends itself": ("1 + 1\nexit()", "the cell with `exit()` ends the program (SystemExit)"),
    "ends at once": ("import os\nos._exit(1)", "the cell with `os._exit(1)` ends the program (SystemExit)"),
    "loops for ever": ("while True: pass", ""),
}


@pytest.mark.parametrize("name", TROUBLE)
def test_a_notebook_that_misbehaves_is_named_and_stops_nothing(
    student: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, trouble = TROUBLE[name]
    monkeypatch.setattr(check_command, "CELL_SECONDS", 8.0)
    path = student / "exercises" / "renamed.ipynb"
    notebook = read_notebook(path)
    notebook.cells[2].source = source
    write_notebook(path.with_name("bad.ipynb"), notebook)
    (student / "exercises" / NAME).write_text("{")
    broken, bad, good = check_command.check_notebooks(check_command.find([student]), None)
    assert "not a valid notebook" in broken.trouble
    assert trouble in bad.trouble and bool(trouble) == bool(bad.trouble)
    assert [outcome.passed for outcome in good.outcomes] == [True, False, False]
    if name != "is killed":
        assert bad.outcomes == good.outcomes, "what comes after is checked all the same"


BAD = {
    "no such file": ("missing.ipynb", "There is no notebook"),
    "a folder without exercises": (".", "There is no notebook with exercises"),
    "a lesson": (folder("lessons") / "01_requires_grad.ipynb", "has no exercise of this course"),
}


@pytest.mark.parametrize(("path", "words"), BAD.values(), ids=BAD)
def test_what_cannot_be_checked_is_said_in_one_sentence(
    tmp_path: Path, path: object, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=words):
        check_command.find([Path(str(path))])
    assert cli.main(["check", str(path)]) == 2
    assert words in capsys.readouterr().err
