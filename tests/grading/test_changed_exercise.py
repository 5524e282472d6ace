"""After an exercise was changed: what a grader says until the notebooks agree with it, and the way to there."""

import argparse
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course import content
from autograd_teach.course.errors import UserError
from autograd_teach.course.notebooks import read_notebook, write_notebook
from autograd_teach.grading import batch, command
from autograd_teach.grading.notebook_run import inside
from autograd_teach.grading.results import FAILED, Mark, Status
from tests.grading.classroom import assignment

REPOSITORY = Path(content.__file__).parents[2]
NAME = "09_custom_functions"


def output(text: str) -> list[dict[str, Any]]:
    return [{"output_type": "display_data", "data": {"text/plain": text, "text/html": "<p>"}}]


UNSAID = {
    # what a check was to say, what it said, how that differs
    "all of it": ("a\nb", "a\nb", ""),
    "more": ("a\nb", "warning\na\nplot\nb\nbye", ""),
    "other points": (
        "Scale: 7 of 7 (2 points)\nb",
        "Scale: 7 of 7 (3 points)\nb",
        "says 'Scale: 7 of 7 (3 points)' instead of 'Scale: 7 of 7 (2 points)'",
    ),
    "a line less": ("a\nb", "a", "says nothing instead of 'b'"),
    "another order": ("a\nb", "b\na", "says nothing instead of 'b'"),
    "nothing": ("a", "", "says nothing instead of 'a'"),
    "what a terminal obeys": ("a", "\x1b[2J", r"says '\x1b[2J' instead of 'a'"),
    "a long line": ("a", "b" * 5000, f"says '{'b' * 100}' instead of 'a'"),
}


@pytest.mark.parametrize("case", UNSAID)
def test_what_a_check_does_not_say_is_named(case: str) -> None:
    expected, said, difference = UNSAID[case]
    assert inside._unsaid(output(said), output(expected)) == difference


SENTENCES = {
    # a mark of the reference: what the sentence says of it
    "a check says something else": (
        Mark("double", Status.PASS, 1, recorded=FAILED, said="says 'b' instead of 'a'"),
        ("(failed: says 'b' instead of 'a')", "run `autograd-teach notebooks` on 09_tiny.ipynb"),
    ),
    "a check without words": (
        Mark("double", Status.PASS, 1, recorded=FAILED),
        ("(failed). If the exercise was changed",),
    ),
    "a wrong reference": (
        Mark("double", Status.FAIL, 1, "not so: forward"),
        ("(fail: not so: forward)", "`autograd-teach validate 09_tiny`"),
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_a_reference_that_does_not_pass_is_said_with_its_cure(case: str) -> None:
    mark, parts = SENTENCES[case]
    with pytest.raises(UserError) as refused:
        batch._try_references([assignment()], lambda *_: {"double": mark}, threading.Event())
    assert all(part in str(refused.value) for part in parts), refused.value
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    "named, beside, expected", [("", True, "exercises"), ("", False, None), ("mine", True, "mine")]
)
def test_exercises_are_those_beside_the_solutions(
    tmp_path: Path, named: str, beside: bool, expected: str | None
) -> None:
    for room in ("solutions", "mine", *["exercises"] * beside):
        (tmp_path / room).mkdir()
    args = argparse.Namespace(solutions=tmp_path / "solutions", exercises=tmp_path / named if named else None)
    rooms = command._rooms(args)
    assert rooms["exercises"] == (tmp_path / expected if expected else content.folder("exercises"))
    assert rooms["solutions"] == tmp_path / "solutions"


@pytest.mark.full
def test_an_instructor_who_changes_points_gets_to_the_end(tmp_path: Path) -> None:
    """docs/exercises.md, "An exercise was wrong", in a copy of the repository: every message leads to the next command."""
    copied = tmp_path / "repository"
    for part in ("autograd_teach", "solutions", "exercises"):
        shutil.copytree(REPOSITORY / part, copied / part, ignore=shutil.ignore_patterns("__pycache__"))
    (copied / "pyproject.toml").touch()
    solution = copied / "solutions" / f"{NAME}.ipynb"
    answers = {cell.id: cell.source for cell in read_notebook(solution).cells if cell.id == "scale-answer"}
    handed_in = read_notebook(copied / "exercises" / f"{NAME}.ipynb")
    for cell in handed_in.cells:
        cell.source = answers.get(cell.id, cell.source)
    (copied / "in").mkdir()
    write_notebook(copied / "in" / "ada.ipynb", handed_in)

    def said(*arguments: str, status: int = 0) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", "autograd_teach.cli", *arguments],
            check=False, cwd=copied, env={**os.environ, "PYTHONPATH": str(copied)}, text=True, capture_output=True,
        )  # fmt: skip
        assert ran.returncode == status, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    rooms = ("--solutions", "solutions")
    said("grade", "in", *rooms, "--output", "ps9")
    declarations = copied / "autograd_teach" / "course" / "exercises" / "e09_custom_functions.py"
    before, scale, after = declarations.read_text().partition('entry="Scale",')
    declarations.write_text(before + scale + after.replace("points=2", "points=3", 1))

    assert "09.Scale is worth 3 points now, not 2" in said("regrade", *rooms, "--output", "ps9")
    refused = said("grade", "in", *rooms, "--output", "another", status=2)
    assert "says 'Scale: 7 of 7 checks pass (3 points)' instead of 'Scale: 7 of 7 checks pass (2 points)'" in refused
    assert f"Run `autograd-teach notebooks solutions/{NAME}.ipynb` to write that into the file." in refused
    found = said("validate", "09", *rooms, status=1)
    assert f"now: 'Scale: 7 of 7 checks pass (3 points)'): run autograd-teach notebooks solutions/{NAME}.ipynb" in found
    said("notebooks", f"solutions/{NAME}.ipynb")
    assert "run autograd-teach release --solutions solutions" in said("validate", "09", *rooms, status=1)
    said("release", *rooms)
    assert "all exercises are fit" in said("validate", "09", *rooms)
    regraded = said("regrade", *rooms, "--output", "ps9")
    assert "No mark changed by being judged again." in regraded
    assert "has no effect" not in regraded
