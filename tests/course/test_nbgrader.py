"""nbgrader takes solutions/ as they are: it makes the assignment, and grades what students hand in.

nbgrader is installed from the network into an environment of its own, which sees this one's packages and shares none of
its own with it: this is for the full run.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograd_teach.course.content import folder
from autograd_teach.course.exercises import exercises
from autograd_teach.course.notebooks import read_notebook, write_notebook
from tests.conftest import missing

pytestmark = pytest.mark.full
NOTEBOOK = "09_custom_functions"
SOLVED = {
    "all": ["killhead-answer", "scale-answer", "exp-answer"],
    "none": [],
    "half": ["killhead-answer", "scale-answer"],
}
POINTS = {each.answer_cell: each.points for each in exercises(NOTEBOOK)}


@pytest.fixture(scope="module")
def nbgrader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The program `nbgrader` of an environment made for it."""
    base = tmp_path_factory.mktemp("nbgrader")
    environment = base / "env"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    root = Path(__file__).parents[2]
    Path(site, "ours.pth").write_text(f"{root}\n{sysconfig.get_path('purelib')}\n")
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "nbgrader>=0.9.5"]
    installed = subprocess.run(pip, capture_output=True, text=True, check=False)
    if installed.returncode:
        missing(f"nbgrader (pip says: {installed.stderr.strip().splitlines()[-1]})")
    yield environment / "bin" / "nbgrader"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An instructor's folder."""
    return tmp_path_factory.mktemp("course")


@pytest.fixture(scope="module")
def graded(nbgrader: Path, course: Path) -> dict[str, dict[str, float]]:
    """Three students' points, by check cell, as nbgrader's own gradebook has them."""
    source = course / "source" / "ps09"
    source.mkdir(parents=True)
    shutil.copy(folder("solutions") / f"{NOTEBOOK}.ipynb", source)
    (course / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'autograd'\n")

    def run(*arguments: str) -> None:
        path = os.pathsep.join((str(nbgrader.parent), os.environ["PATH"]))  # it calls a program of its environment
        home = {"PATH": path, "HOME": str(course), "AUTOGRAD_TEACH_NO_PROGRESS": "1", "JUPYTER_PREFER_ENV_PATH": "1"}
        done = subprocess.run(
            [nbgrader, *arguments],
            cwd=course,
            env=os.environ | home,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-3000:]

    run("generate_assignment", "ps09")
    solution = {cell.id: cell.source for cell in read_notebook(source / f"{NOTEBOOK}.ipynb").cells}
    for student, answers in SOLVED.items():
        target = course / "submitted" / student / "ps09" / f"{NOTEBOOK}.ipynb"
        target.parent.mkdir(parents=True)
        notebook = read_notebook(course / "release" / "ps09" / f"{NOTEBOOK}.ipynb")
        for cell in notebook.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            if grade_id in answers:
                cell.source = solution[grade_id]
        write_notebook(target, notebook)
    run("autograde", "ps09")
    return {student: points(course / "gradebook.db", student) for student in SOLVED}


def points(gradebook: Path, student: str) -> dict[str, float]:
    question = """
        select base_cell.name, grade.auto_score from grade
        join base_cell on base_cell.id = grade.cell_id
        join submitted_notebook on submitted_notebook.id = grade.notebook_id
        join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
        where submitted_assignment.student_id = ?
    """
    with sqlite3.connect(gradebook) as database:
        return dict(database.execute(question, (student,)).fetchall())


@pytest.mark.parametrize("student", SOLVED)
def test_gives_the_points_of_what_is_solved(graded: dict[str, dict[str, float]], student: str) -> None:
    expected = {
        cell.replace("-answer", "-check"): float(value if cell in SOLVED[student] else 0)
        for cell, value in POINTS.items()
    }
    assert graded[student] == expected


@pytest.mark.usefixtures("graded")
def test_its_release_is_ours(course: Path) -> None:
    """What students get from nbgrader has the same stubs as `autograd-teach release` makes."""
    ours, theirs = (
        {cell.metadata.nbgrader.grade_id: cell.source for cell in read_notebook(where / f"{NOTEBOOK}.ipynb").cells}
        for where in (folder("exercises"), course / "release" / "ps09")
    )
    assert theirs == ours
