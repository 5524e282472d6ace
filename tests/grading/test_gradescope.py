"""docs/gradescope and docs/github-classroom as they are pasted: `run_autograder` in Gradescope's own tree of folders, the
workflow's steps as the commands that there are."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from autograd_teach import cli
from autograd_teach.course.exercises import exercises
from tests.scripts import write_program

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("some_sandbox")  # without one the autograder refuses to grade
NOTEBOOK = "09_custom_functions"
SOLVED, HANDED_OUT = ROOT / f"solutions/{NOTEBOOK}.ipynb", ROOT / f"exercises/{NOTEBOOK}.ipynb"


def autograder(root: Path) -> Path:
    """The tree as Gradescope makes it before a submission is graded."""
    for room in ("source/solutions", "submission", "results"):
        (root / room).mkdir(parents=True)
    for name in ("setup.sh", "run_autograder"):
        shutil.copy(ROOT / "docs/gradescope" / name, root / "source")
    shutil.copy(root / "source/run_autograder", root)
    for path in (ROOT / "solutions").glob("*.ipynb"):
        shutil.copy(path, root / "source/solutions")
    (root / "submission_metadata.json").write_text("{}")
    return root


QUICK = """\
import sys
from autograd_teach import cli
from autograd_teach.course.exercises import exercises
from autograd_teach.grading import judge
from tests.grading.stub import quick_judge
judge.called = quick_judge
assert sys.argv[1:3] == ["-m", "autograd_teach.cli"]
sys.exit(cli.main(sys.argv[3:]))
"""
"""A Python whose grader has a judge that starts nothing."""


def run(root: Path, python: str | Path = sys.executable) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "AUTOGRADER_ROOT": str(root),
        "AUTOGRADER_PYTHON": str(python),
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        [root / "run_autograder"], env=environment, cwd="/", capture_output=True, text=True, timeout=600, check=False
    )


def results(root: Path, python: str | Path = sys.executable) -> dict[str, Any]:
    done = run(root, python)
    assert done.returncode == 0, done.stderr
    return json.loads((root / "results/results.json").read_text())


@pytest.fixture(scope="module", params=["a quick judge", pytest.param("the judge", marks=pytest.mark.full)])
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The tree after a submission with a stub and files of all kinds was graded, and its results."""
    folder = tmp_path_factory.mktemp("gradescope")
    quick = write_program(folder / "python", QUICK)
    root = autograder(folder / "autograder")
    solved = json.loads(SOLVED.read_text())
    stubs = {cell["id"]: cell["source"] for cell in json.loads(HANDED_OUT.read_text())["cells"]}
    for cell in solved["cells"]:
        if cell["id"] == "exp-answer":
            cell["source"] = stubs[cell["id"]]
    (root / "submission/mine (2).ipynb").write_text(json.dumps(solved))
    (root / "submission/notes.txt").write_text("for myself")
    (root / "submission/other.ipynb").write_text('{"nbformat": 4, "cells": []}')
    (root / "submission/link.ipynb").symlink_to(root / f"source/solutions/{NOTEBOOK}.ipynb")
    (root / "results/results.json").write_text('{"score": 100}')  # of a run before
    return root, results(root, quick if request.param == "a quick judge" else sys.executable)


def test_a_submission_becomes_results_that_gradescope_reads(graded: tuple[Path, dict[str, Any]]) -> None:
    root, said = graded
    tests = {test["name"]: (test["score"], test["max_score"]) for test in said["tests"]}
    assert set(tests) == {each.id for each in exercises(NOTEBOOK)}
    assert tests["09.Exp"][0] == 0
    assert all(tests[name][0] == tests[name][1] > 0 for name in tests if name != "09.Exp")
    assert said["score"] == sum(score for score, _ in tests.values())
    assert list((root / "results").iterdir()) == [root / "results/results.json"]
    assert min(path.name for path in (root / "submission").iterdir()) == "link.ipynb"


@pytest.mark.full
@pytest.mark.parametrize("files", [{}, {f"{NOTEBOOK}.ipynb": "{", "essay.pdf": "%PDF"}], ids=["nothing", "broken"])
def test_a_submission_without_answers_gets_no_points_of_the_same_maximum(tmp_path: Path, files: dict[str, str]) -> None:
    root = autograder(tmp_path / "autograder")
    for name, content in files.items():
        (root / "submission" / name).write_text(content)
    said = results(root)
    assert {test["name"]: test["score"] for test in said["tests"]} == dict.fromkeys(
        (each.id for each in exercises(NOTEBOOK)), 0
    )


@pytest.mark.full
def test_where_the_grader_fails_there_are_no_results_not_even_old_ones(tmp_path: Path) -> None:
    root = autograder(tmp_path / "autograder")
    (root / "results/results.json").write_text('{"score": 100}')
    (root / f"source/solutions/{NOTEBOOK}.ipynb").unlink()
    assert run(root).returncode != 0
    assert list((root / "results").iterdir()) == []


def test_nobody_else_can_read_the_solutions_afterwards(graded: tuple[Path, dict[str, Any]]) -> None:
    root, _ = graded
    open_to_others = [
        path
        for room in ("source", "submission")
        for path in (root / room).rglob("*")
        if not path.is_symlink() and path.stat().st_mode & 0o077
    ]
    assert open_to_others == []


@pytest.mark.parametrize("name", ["setup.sh", "run_autograder"])
def test_the_scripts_are_programs_that_bash_can_read(name: str) -> None:
    path = ROOT / "docs/gradescope" / name
    assert os.access(path, os.X_OK)
    assert path.read_text().startswith("#!/usr/bin/env bash\n")
    assert subprocess.run(["bash", "-n", path], check=False).returncode == 0


def steps() -> list[dict[str, Any]]:
    """Those of the workflow."""
    workflow = yaml.safe_load((ROOT / "docs/github-classroom/checks.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    return list(workflow["jobs"]["checks"]["steps"])


def test_the_workflow_s_steps_are_commands_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    checkout, python, install, check, *rest = steps()
    assert [step["uses"].partition("@")[0] for step in (checkout, python)] == [
        "actions/checkout",
        "actions/setup-python",
    ]
    assert "pip install" in install["run"] and not rest
    name, *arguments = check["run"].split()
    ran: list[str] = []
    monkeypatch.setattr("autograd_teach.course.check_command.run", lambda given: ran.append(given.command) or 0)
    assert name == "autograd-teach" and cli.main(arguments) == 0
    assert ran == ["check"]


@pytest.mark.full
def test_the_workflow_passes_what_is_solved_and_fails_what_is_not(tmp_path: Path) -> None:
    command = steps()[3]["run"].split()
    for notebook, status in ((SOLVED, 0), (HANDED_OUT, 1)):
        shutil.copy(notebook, tmp_path / f"{NOTEBOOK}.ipynb")
        done = subprocess.run(
            [sys.executable, "-m", "autograd_teach.cli", *command[1:]],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
