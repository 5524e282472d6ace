"""`autograd-teach check`: the terminal says what the notebook says, and no notebook stops the others."""

import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell

from autograd_teach import cli
from autograd_teach.course import check_command, check_in_kernel, content, notebooks, progress_file
from autograd_teach.course.check_command import Checked
from autograd_teach.course.errors import UserError
from autograd_teach.course.exercises import exercises
from autograd_teach.course.notebooks import read_notebook, write_notebook

NAME = "09_custom_functions.ipynb"
EXERCISES = exercises("09")
POINTS = sum(each.points for each in EXERCISES)
SOLVED = content.folder("solutions") / NAME

WRONG_SCALE = """class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output * ctx.factor, None
"""
REMARK = "`KillHead` uses `rate` from another cell, which the grader will not have: move it into the answer's cell."


def a_student(folder: Path) -> Path:
    """Write a student's notebook 09 there: KillHead solved (it uses a loop's variable), Scale wrong, the others untouched, a cell of their own that raises."""
    solved = sources(SOLVED)
    notebook = read_notebook(content.folder("exercises") / NAME)
    for cell in notebook.cells:
        if cell.id == "killhead-answer":
            cell.source = solved[cell.id] + "\nused = rate"
        if cell.id == "scale-answer":
            cell.source = WRONG_SCALE
    notebook.cells = [cell for cell in notebook.cells if cell.id != "killhead-check"]
    notebook.cells.insert(2, new_code_cell("for rate in [1]: pass\n1 / 0", id="mine"))
    folder.mkdir(parents=True)
    write_notebook(folder / "renamed.ipynb", notebook)
    return folder / "renamed.ipynb"


def sources(path: Path) -> dict[str, str]:
    return {cell.id: cell.source for cell in read_notebook(path).cells}


@dataclass
class Run:
    """A student's folder that was checked: what was found, what was said meanwhile, which files were read, what is noted."""

    folder: Path
    checked: list[Checked]
    progress: str
    read: list[Path]
    noted: dict[str, Any]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The folder of `a_student`, checked once."""
    folder = tmp_path_factory.mktemp("course")
    path = a_student(folder / "exercises")
    read: list[Path] = []
    progress = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(progress_file.SWITCH, raising=False)
        patch.setattr(check_command, "read_notebook", lambda path: read.append(path) or read_notebook(path))
        checked = list(check_command.check_notebooks(check_command.find([folder]), progress))
    noted = json.loads((path.with_name(progress_file.NAME)).read_text())["exercises"]
    return Run(folder, checked, progress.getvalue(), read, noted)


@pytest.fixture
def say_it_again(ran: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command finds what was found already."""
    monkeypatch.setattr(check_command, "check_notebooks", lambda found, progress: iter(ran.checked))


@pytest.mark.usefixtures("say_it_again")
def test_a_folder_is_checked_with_the_words_of_the_notebook(ran: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(ran.folder)]) == 1
    said = [line.partition(" (entry [")[0] for line in capsys.readouterr().out.splitlines()]
    assert said == [
        "09.KillHead  2 of 2  passed",
        f"               {REMARK}",
        "09.Scale     0 of 2  6 of 7 checks pass",
        "               the gradient: it is twice what it must be",
        "09.Exp       0 of 2  not attempted",
        *(f"{each.id:11}  0 of {each.points}  not attempted" for each in EXERCISES[3:]),
        f"2 of {POINTS} points",
    ]
    assert f"[1/1] renamed.ipynb: 1 of {len(EXERCISES)} solved" in ran.progress


@pytest.mark.usefixtures("say_it_again")
def test_json_says_the_same(ran: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(ran.folder), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["points"], said["of"]) == (2, POINTS)
    (notebook,) = said["notebooks"]
    assert [(e["exercise"], e["passed"], e["attempted"]) for e in notebook["exercises"]] == [
        (each.id, each.id == "09.KillHead", each.id in ("09.KillHead", "09.Scale")) for each in EXERCISES
    ]
    remarks = {each["exercise"]: each["remarks"] for each in notebook["exercises"]}
    assert remarks == {each.id: [REMARK] * (each.id == "09.KillHead") for each in EXERCISES}
    scale = notebook["exercises"][1]
    assert [finding["name"] for finding in scale["findings"]] == ["known"]
    assert scale["findings"][0]["message"] == scale["message"]
    assert all(not each["findings"] for each in notebook["exercises"] if each["exercise"] != "09.Scale")


def test_all_that_is_wrong_is_said_the_most_telling_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def twice_in_place(f: Any, x: Any) -> Any:
        leaf = x.detach().clone().requires_grad_(True)
        f(leaf).backward()
        x += 1
        return 2 * leaf.grad

    monkeypatch.setattr(check_in_kernel.progress_file, "note_check", lambda *_, **__: True)
    check_in_kernel.print_outcomes(["02.gradient_of"], {"gradient_of": twice_in_place}, saved=0.0)
    text = capsys.readouterr().out.strip().removeprefix(check_in_kernel.BEGIN).removesuffix(check_in_kernel.END)
    (outcome,) = [check_in_kernel.Outcome(**each) for each in json.loads(text)]
    names = [finding["name"] for finding in outcome.findings]
    assert sorted(names) == ["argument_changed", "known"]
    said = check_command.table([Checked(Path("02.ipynb"), (outcome,))])
    assert all(finding["message"] in said for finding in outcome.findings)
    assert outcome.message == outcome.findings[0]["message"]


def test_files_that_hide_installed_modules_are_named_once(tmp_path: Path) -> None:
    for name in ("numpy.py", "helpers.py"):
        (tmp_path / name).touch()
    checked = [Checked(tmp_path / "09.ipynb"), Checked(tmp_path / "10.ipynb")]
    said = check_command.table(checked)
    assert said.count("numpy.py in") == said.count("rename it, and restart the notebook's kernel") == 1
    assert "helpers" not in said
    assert "numpy.py in" in json.loads(check_command.as_json(checked))["notebooks"][1]["note"]


def test_the_outcomes_are_noted_beside_the_notebook(ran: Run) -> None:
    noted = {id: each["passed"] for id, each in ran.noted.items()}
    assert noted == {each.id: each.id == "09.KillHead" for each in EXERCISES}
    assert not any("tries" in each for each in ran.noted.values()), "a check from outside is not a student's try"


def test_a_notebook_is_read_once(ran: Run) -> None:
    assert ran.read == [ran.folder / "exercises" / "renamed.ipynb"]


@pytest.mark.parametrize(
    "before", [None, "{ broken", '{"version": 1, "exercises": {"09.Exp": {"passed": true, "hints": 2}}}']
)
def test_the_progress_file_is_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    """By what runs in the notebook's kernel."""
    monkeypatch.delenv(progress_file.SWITCH)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / progress_file.NAME
    if before is not None:
        file.write_text(before)
    names: dict[str, Any] = {"__name__": "notebook"}
    exec("\n".join(sources(SOLVED)[id] for id in ("setup", "killhead-answer")), names)  # noqa: S102  # our own file
    check_in_kernel.print_outcomes([each.id for each in exercises("09")], names, saved=0.0)
    known = json.loads(file.read_text())["exercises"]
    assert known["09.KillHead"]["passed"] is True and known["09.Exp"]["passed"] is False
    assert "tries" not in known["09.KillHead"]
    if before and "hints" in before:
        assert known["09.Exp"]["hints"] == 2, "what else was known stays"
    if before and "broken" in before:
        assert file.with_name(file.name + ".bak").read_text() == before


def test_what_runs_in_the_kernel_loads_no_notebook_format() -> None:
    """It takes longer to load than most notebooks to run."""
    loads = "import sys; from autograd_teach.course import check_in_kernel; print('nbformat' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loads], check=True, capture_output=True).stdout.strip() == b"False"


def test_there_is_a_notebook_to_check_for_every_exercise() -> None:
    found = check_command.find([content.folder("solutions")])
    assert len(found) == len({each.notebook for each in exercises()})


@pytest.mark.full
def test_a_solution_passes(tmp_path: Path) -> None:
    """One of them: validate and the check cells' stored outputs hold for the others."""
    found = check_command.find([content.folder("solutions")])
    first = check_command.check_notebook(*check_command.find([Path(shutil.copy(found[0].path, tmp_path))]))
    assert first.outcomes and all(outcome.passed for outcome in first.outcomes)


TROUBLE = {
    "is killed": ("import os; os.kill(os.getpid(), 9)", "ends the kernel"),
    "ends itself": ("1 + 1\nexit()", "the cell with `exit()` ends the program (SystemExit)"),
    "ends at once": ("import os\nos._exit(1)", "the cell with `os._exit(1)` ends the program (SystemExit)"),
    "loops for ever": ("while True: pass", ""),
}


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Checked]:
    """A folder of notebooks that misbehave, checked once: what was found, by the notebook's name."""
    folder = tmp_path_factory.mktemp("course") / "exercises"
    path = a_student(folder)
    notebook = read_notebook(path)
    for name, (source, _) in TROUBLE.items():
        notebook.cells[2].source = f"for rate in [1]: pass\n{source}"
        write_notebook(path.with_name(f"{name}.ipynb"), notebook)
    path.unlink()
    (folder / NAME).write_text("{")

    def client(*arguments: Any, **options: Any) -> Any:
        """A loop gets little time, all else more than a busy machine takes."""
        seconds = {"timeout_func": lambda cell: 1 if "while True" in cell.source else 600}
        return notebooks.client(*arguments, **{**options, **seconds})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check_command, "client", client)
        return {each.path.stem: each for each in check_command.check_notebooks(check_command.find([folder]), None)}


def test_a_broken_notebook_is_named_and_stops_nothing(troubled: dict[str, Checked]) -> None:
    assert next(iter(troubled)) == Path(NAME).stem, "what follows is checked all the same"
    assert set(troubled) == {Path(NAME).stem, *TROUBLE}
    assert "not a valid notebook" in troubled[Path(NAME).stem].trouble


@pytest.mark.parametrize("name", TROUBLE)
def test_a_notebook_that_misbehaves_is_named_and_the_rest_of_it_is_checked(
    ran: Run, troubled: dict[str, Checked], name: str
) -> None:
    _, trouble = TROUBLE[name]
    bad, (good,) = troubled[name], ran.checked
    assert trouble in bad.trouble and bool(trouble) == bool(bad.trouble)
    assert [outcome.exercise for outcome in good.outcomes if outcome.passed] == ["09.KillHead"]
    assert bad.outcomes == (() if name == "is killed" else good.outcomes)


@pytest.mark.parametrize(
    "gone",
    [["scale-answer"], ["scale-answer", "scale-check"], ["killhead-answer", "scale-answer", "exp-answer"]],
)
def test_an_exercise_whose_cells_are_gone_is_checked_and_named(gone: list[str]) -> None:
    notebook = read_notebook(content.folder("exercises") / NAME)
    notebook.cells = [cell for cell in notebook.cells if cell.id not in gone]
    assert [each.id for each in check_command.exercises_of(notebook)] == [each.id for each in EXERCISES]


BAD = {
    "no such file": ("missing.ipynb", "There is no notebook"),
    "a folder without exercises": (".", "There is no notebook with exercises"),
    "a number without its notebook": ("09", f"There is no {NAME} in ./autograd-course or in this folder"),
    "a number of no notebook": ("42", "There is no notebook 42"),
    "a lesson": (content.folder("lessons") / "01_requires_grad.ipynb", "has no exercise of this course"),
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


def test_a_pass_of_a_version_that_is_not_saved_stays_noted(
    ran: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exp has passed in JupyterLab a minute after the file was saved, and Scale a minute before."""
    monkeypatch.delenv(progress_file.SWITCH)
    path = Path(shutil.copy(ran.folder / "exercises" / "renamed.ipynb", tmp_path))
    saved = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
    os.utime(path, (saved.timestamp(), saved.timestamp()))
    times = {"09.Exp": "2026-11-20T10:01:00Z", "09.Scale": "2026-11-20T09:59:00Z"}
    before = {id: {"passed": True, "when": when} for id, when in times.items()}
    file = tmp_path / progress_file.NAME
    file.write_text(json.dumps({"version": 2, "exercises": before}))

    (checked,) = check_command.check_notebooks(check_command.find([path]), None)

    known = json.loads(file.read_text())["exercises"]
    assert known["09.Exp"] == before["09.Exp"]
    assert {id: known[id]["passed"] for id in ("09.KillHead", "09.Scale")} == {"09.KillHead": True, "09.Scale": False}
    time = datetime.fromtimestamp(saved.timestamp()).strftime("%H:%M")  # as the student's clock says
    sentence = (
        f"renamed.ipynb was saved at {time}, and JupyterLab has checked a newer version: "
        "save it (Ctrl+S) and check again."
    )
    assert check_command.table([checked]).splitlines()[0] == sentence
    assert json.loads(check_command.as_json([checked]))["notebooks"][0]["note"] == sentence
    assert ran.checked[0].note == ""


@pytest.mark.parametrize("said", ["09", "9", "09_custom_functions"])
@pytest.mark.parametrize("place", ["autograd-course/exercises", "autograd-course", "exercises", ""])
def test_a_notebook_can_be_named_by_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, said: str
) -> None:
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    shutil.copy(SOLVED, tmp_path / place)
    monkeypatch.chdir(tmp_path)
    assert [each.path for each in check_command.find([Path(said)])] == [Path(place) / NAME]


def test_a_folder_with_the_name_of_a_number_is_that_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("09", "exercises"):
        (tmp_path / folder).mkdir()
        shutil.copy(SOLVED, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    assert [each.path for each in check_command.find([Path("09")])] == [Path("09") / NAME]
