"""docs/gradescope and docs/github-classroom as they are pasted: `run_autograder` in Gradescope's own tree of folders, the
workflow's steps as the commands that there are."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("sandbox")
NOTEBOOK = "09_custom_functions"
SOLVED, HANDED_OUT = ROOT / f"solutions/{NOTEBOOK}.ipynb", ROOT / f"exercises/{NOTEBOOK}.ipynb"


@pytest.fixture(scope="module")
def sandbox(require_tool: Callable[..., str]) -> None:
    """Without one the autograder refuses to grade."""
    require_tool("bwrap")


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


def run(root: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "AUTOGRADER_ROOT": str(root),
        "AUTOGRADER_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        [root / "run_autograder"], env=environment, cwd="/", capture_output=True, text=True, timeout=300, check=False
    )


def results(root: Path) -> dict[str, Any]:
    done = run(root)
    assert done.returncode == 0, done.stderr
    return json.loads((root / "results/results.json").read_text())


def test_a_submission_becomes_results_that_gradescope_reads(tmp_path: Path) -> None:
    root = autograder(tmp_path / "autograder")
    solved = json.loads(SOLVED.read_text())
    stubs = {cell["id"]: cell["source"] for cell in json.loads(HANDED_OUT.read_text())["cells"]}
    for cell in solved["cells"]:
        if cell["id"] == "exp-answer":
            cell["source"] = stubs[cell["id"]]
    (root / "submission/mine (2).ipynb").write_text(json.dumps(solved))
    (root / "submission/notes.txt").write_text("for myself")
    (root / "submission/other.ipynb").write_text('{"nbformat": 4, "cells": []}')
    (root / "submission/link.ipynb").symlink_to(root / f"source/solutions/{NOTEBOOK}.ipynb")
    said = results(root)
    tests = {test["name"]: (test["score"], test["max_score"]) for test in said["tests"]}
    assert set(tests) == {"09.Scale", "09.KillHead", "09.Exp"}
    assert tests["09.Exp"][0] == 0
    assert all(tests[name][0] == tests[name][1] > 0 for name in ("09.Scale", "09.KillHead"))
    assert said["score"] == sum(score for score, _ in tests.values())
    assert list((root / "results").iterdir()) == [root / "results/results.json"]
    assert min(path.name for path in (root / "submission").iterdir()) == "link.ipynb"


@pytest.mark.parametrize("files", [{}, {f"{NOTEBOOK}.ipynb": "{", "essay.pdf": "%PDF"}], ids=["nothing", "broken"])
def test_a_submission_without_answers_gets_no_points_of_the_same_maximum(tmp_path: Path, files: dict[str, str]) -> None:
    root = autograder(tmp_path / "autograder")
    for name, content in files.items():
        (root / "submission" / name).write_text(content)
    said = results(root)
    assert {test["name"]: test["score"] for test in said["tests"]} == dict.fromkeys(
        ["09.Scale", "09.KillHead", "09.Exp"], 0
    )


def test_where_the_grader_fails_there_are_no_results_not_even_old_ones(tmp_path: Path) -> None:
    root = autograder(tmp_path / "autograder")
    (root / "results/results.json").write_text('{"score": 100}')
    (root / f"source/solutions/{NOTEBOOK}.ipynb").unlink()
    assert run(root).returncode != 0
    assert list((root / "results").iterdir()) == []


def test_nobody_else_can_read_the_solutions_afterwards(tmp_path: Path) -> None:
    root = autograder(tmp_path / "autograder")
    shutil.copy(HANDED_OUT, root / "submission")
    results(root)
    open_to_others = [
        path for room in ("source", "submission") for path in (root / room).rglob("*") if path.lstat().st_mode & 0o077
    ]
    assert open_to_others == []


@pytest.mark.parametrize("name", ["setup.sh", "run_autograder"])
def test_the_scripts_are_programs_that_bash_can_read(name: str) -> None:
    path = ROOT / "docs/gradescope" / name
    assert os.access(path, os.X_OK)
    assert path.read_text().startswith("#!/usr/bin/env bash\n")
    assert subprocess.run(["bash", "-n", path], check=False).returncode == 0


def test_the_workflow_s_steps_are_commands_that_there_are(tmp_path: Path) -> None:
    workflow = yaml.safe_load((ROOT / "docs/github-classroom/checks.yml").read_text())
    steps = workflow["jobs"]["checks"]["steps"]
    assert workflow["permissions"] == {"contents": "read"}
    assert [step.get("uses", "").partition("@")[0] for step in steps[:2]] == [
        "actions/checkout",
        "actions/setup-python",
    ]
    assert "pip install" in steps[2]["run"]
    shutil.copy(SOLVED, tmp_path)
    command = steps[3]["run"].split()
    assert command[0] == "autograd-teach"
    for notebook, status in ((SOLVED, 0), (HANDED_OUT, 1)):
        shutil.copy(notebook, tmp_path / f"{NOTEBOOK}.ipynb")
        done = subprocess.run(
            [sys.executable, "-m", "autograd_teach.cli", *command[1:]],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
