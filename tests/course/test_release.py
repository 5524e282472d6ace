"""exercises/ is exactly what `release` makes of solutions/, and a student's version gives nothing away."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograd_teach.course.content import folder
from autograd_teach.course.errors import UserError
from autograd_teach.course.exercises import exercises
from autograd_teach.course.notebooks import read_notebook, write_notebook
from autograd_teach.course.release import release, stubbed

SOLUTIONS, EXERCISES = folder("solutions"), folder("exercises")
NOTEBOOKS = sorted(path.name for path in SOLUTIONS.glob("*.ipynb"))


def cells(path: Path) -> dict[str, nbformat.NotebookNode]:
    return {cell.id: cell for cell in read_notebook(path).cells}


def test_the_released_exercises_are_up_to_date():
    assert release(SOLUTIONS, EXERCISES, check=True) == []
    assert sorted(path.name for path in EXERCISES.glob("*.ipynb")) == NOTEBOOKS


def test_every_exercise_has_its_cells_with_nbgraders_metadata():
    for each in exercises():
        found = cells(SOLUTIONS / f"{each.notebook}.ipynb")
        answer, check = found[each.answer_cell], found[each.check_cell]
        assert answer.metadata.nbgrader == {
            "grade": False,
            "grade_id": each.answer_cell,
            "locked": False,
            "schema_version": 3,
            "solution": True,
            "task": False,
        }
        assert check.metadata.nbgrader == {
            "grade": True,
            "grade_id": each.check_cell,
            "locked": True,
            "points": each.points,
            "schema_version": 3,
            "solution": False,
            "task": False,
        }
        assert check.source == f'check("{each.id}", {each.entry})'
        earned = f"({each.points} point{'s' if each.points > 1 else ''})"
        assert earned in check.outputs[0].data["text/plain"].splitlines()[0]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_graded_cell_is_a_declared_exercise(name):
    declared = {cell for each in exercises(Path(name).stem) for cell in (each.answer_cell, each.check_cell)}
    graded = {
        id
        for id, cell in cells(SOLUTIONS / name).items()
        if cell.metadata.nbgrader.grade or cell.metadata.nbgrader.solution
    }
    assert graded == declared


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_students_version_is_unrun_and_holds_no_solution(name):
    solution, exercise = cells(SOLUTIONS / name), cells(EXERCISES / name)
    assert list(solution) == list(exercise)
    for id, cell in exercise.items():
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
        assert "SOLUTION" not in cell.source
        if cell.metadata.nbgrader.solution:
            assert "raise NotImplementedError()" in cell.source
        else:
            assert cell.source == solution[id].source


def test_nothing_that_ships_holds_a_solution():
    """No line between the marks, those aside that stand in every program, is a line of the declarations."""
    shipped = {
        line.strip()
        for path in (folder("exercises").parent / "autograd_teach" / "course" / "exercises").glob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    found = [line for name in NOTEBOOKS for line in solution_lines(name) if len(line) > 20 and line in shipped]
    assert found == []


def solution_lines(name: str) -> list[str]:
    lines = []
    for cell in cells(SOLUTIONS / name).values():
        inside = False
        for line in cell.source.splitlines():
            if "SOLUTION" in line:
                inside = "BEGIN" in line
            elif inside:
                lines.append(line.strip())
    assert len(lines) > 5, name
    return lines


@pytest.mark.full
def test_pytest_nbval_fails_exactly_the_unsolved_checks(tmp_path):
    assert failing(EXERCISES, tmp_path) == {each.check_cell for each in exercises()}


@pytest.mark.full
def test_a_half_solved_notebook_fails_exactly_the_rest(tmp_path):
    student = tmp_path / "student"
    student.mkdir()
    path = Path(shutil.copy(EXERCISES / "09_custom_functions.ipynb", student))
    notebook = read_notebook(path)
    solved = cells(SOLUTIONS / path.name)["scale-answer"]
    for cell in notebook.cells:
        if cell.id == "scale-answer":
            cell.source = solved.source
    write_notebook(path, notebook)
    unsolved = {each.check_cell for each in exercises("09")} - {"scale-check"}
    assert failing(student, tmp_path) == unsolved


def failing(notebooks: Path, tmp_path: Path) -> set[str]:
    """The ids of the cells that `pytest --nbval` fails, of all notebooks in a folder."""
    run = tmp_path / "run"
    shutil.copytree(notebooks, run)
    code = {
        path.name: [cell.id for cell in read_notebook(path).cells if cell.cell_type == "code"]
        for path in run.glob("*.ipynb")
    }
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--color=no",
            "--nbval",
            "--nbval-current-env",
        ],
        cwd=run,
        env=os.environ | {"AUTOGRAD_TEACH_NO_PROGRESS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    failed = re.findall(r"^FAILED (\w+\.ipynb)::Cell (\d+)", done.stdout, flags=re.MULTILINE)
    assert f"{sum(map(len, code.values())) - len(failed)} passed" in done.stdout, done.stdout[-3000:]
    return {code[name][int(number)] for name, number in failed}


def test_release_writes_only_what_changed_and_check_writes_nothing(tmp_path):
    target = tmp_path / "exercises"
    assert [path.name for path in release(SOLUTIONS, target, check=True)] == NOTEBOOKS
    assert not target.exists()
    assert [path.name for path in release(SOLUTIONS, target)] == NOTEBOOKS
    assert release(SOLUTIONS, target) == []
    file = target / NOTEBOOKS[0]
    content = json.loads(file.read_text())
    content["cells"][0]["source"] = "changed"
    file.write_text(json.dumps(content))
    assert release(SOLUTIONS, target, check=True) == [file]
    assert json.loads(file.read_text()) == content
    assert release(SOLUTIONS, target) == [file]


def solved(notebook):
    notebook.cells[:] = read_notebook(SOLUTIONS / NOTEBOOKS[0]).cells


def half_solved(notebook):
    cell = next(cell for cell in notebook.cells if cell.id.endswith("-answer"))
    cell.source = cell.source.replace("raise NotImplementedError()", "return x * factor", 1)


def run(notebook):
    next(cell for cell in notebook.cells if cell.cell_type == "code").execution_count = 1


@pytest.mark.parametrize("work", [solved, half_solved, run])
def test_somebodys_work_is_never_overwritten(tmp_path, work):
    (path,) = (path for path in release(SOLUTIONS, tmp_path) if path.name == NOTEBOOKS[0])
    notebook = read_notebook(path)
    work(notebook)
    write_notebook(path, notebook)
    before = path.read_bytes()
    with pytest.raises(UserError, match=f"{path.name} in .* would be lost"):
        release(SOLUTIONS, tmp_path)
    assert path.read_bytes() == before


def test_solutions_are_not_their_own_exercises(tmp_path):
    shutil.copytree(SOLUTIONS, tmp_path / "same")
    before = (tmp_path / "same" / NOTEBOOKS[0]).read_bytes()
    with pytest.raises(UserError, match="would be lost"):
        release(tmp_path / "same", tmp_path / "same")
    assert (tmp_path / "same" / NOTEBOOKS[0]).read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("### BEGIN SOLUTION\npass", "END SOLUTION is missing"),
        ("### END SOLUTION", "must alternate"),
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION", "must alternate"),
    ],
)
def test_marks_that_do_not_match_are_refused(text, message):
    with pytest.raises(UserError, match=message):
        stubbed(text, "cell")


def test_a_solution_cell_without_marks_is_all_stub():
    assert stubbed("answer = 3", "cell") == "# YOUR CODE HERE\nraise NotImplementedError()"


def test_a_mark_outside_a_solution_cell_is_refused(tmp_path):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("### BEGIN SOLUTION\nx = 1\n### END SOLUTION")]
    )
    write_notebook(tmp_path / "01_leak.ipynb", notebook)
    with pytest.raises(UserError, match="students would read it"):
        release(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_wrong_folders_are_user_errors(tmp_path):
    with pytest.raises(UserError, match="no notebook"):
        release(tmp_path, tmp_path / "out")
    orphaned = tmp_path / "exercises"
    release(SOLUTIONS, orphaned)
    shutil.copy(orphaned / NOTEBOOKS[0], orphaned / "77_old.ipynb")
    with pytest.raises(UserError, match="77_old.ipynb"):
        release(SOLUTIONS, orphaned)
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be created"):
        release(SOLUTIONS, tmp_path / "file" / "exercises")
