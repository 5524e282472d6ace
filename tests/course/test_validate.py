"""The course examines itself; and what is wrong with an exercise does not escape it."""

import copy
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autograd_teach import cli
from autograd_teach.course import exercises as registry
from autograd_teach.course import validate
from autograd_teach.course.content import folder
from autograd_teach.course.exercises import Exercise, Mistake, e09_custom_functions, exercise, exercises
from autograd_teach.course.notebooks import read_notebook, write_notebook
from autograd_teach.course.release import release

SOLUTIONS, EXERCISES = folder("solutions"), folder("exercises")


def only(monkeypatch: pytest.MonkeyPatch, *chosen: Exercise) -> None:
    """The course with these exercises alone."""
    monkeypatch.setattr(registry, "_ALL", chosen)
    monkeypatch.setattr(registry, "_BY_ID", {each.id: each for each in chosen})


NOTEBOOKS = list(dict.fromkeys(each.notebook for each in exercises()))
SLOW = {"03_the_graph", "14_losses_and_grad_output", "15_implicit_functions", "16_build_your_own"}
"""Their mistakes are many, or acted out on large graphs and in long loops: two thirds of the time that all take."""


@pytest.mark.parametrize(
    "notebook", [pytest.param(name, marks=[pytest.mark.full] if name in SLOW else []) for name in NOTEBOOKS]
)
def test_the_exercises_of_a_notebook_are_fit_for_students(monkeypatch: pytest.MonkeyPatch, notebook: str) -> None:
    chosen = exercises(notebook)
    only(monkeypatch, *chosen)
    validated = {each.exercise.id: each.problems for each in validate.validate(SOLUTIONS, EXERCISES)}
    assert validated == {each.id: () for each in chosen}


SPOILT = {
    "a mistake that is none": (
        lambda e: replace(e, mistakes=(Mistake("none", "nothing is wrong", vjp=lambda g, x, factor: g * factor),)),
        "is not called by its message but: nothing, it passes",
    ),
    "a mistake that another sentence explains": (
        lambda e: replace(e, mistakes=(Mistake("minus", "my words", vjp=lambda g, x, factor: -g * factor),)),
        "mistake 1 (minus) is not called by its message but: the sign is flipped",
    ),
    "one hint": (lambda e: replace(e, hints=e.hints[:1]), "there are 1 hints"),
    "another specification than the solution's": (
        lambda e: replace(e, grading=replace(e.grading, forward=lambda x, factor: x + factor), mistakes=()),
        "the solution does not pass",
    ),
}


@pytest.mark.parametrize(("spoil", "words"), SPOILT.values(), ids=SPOILT)
def test_what_is_wrong_is_found(spoil, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, spoil(exercise("09.Scale")))
    (one,) = validate.validate(SOLUTIONS, EXERCISES)
    assert any(words in problem for problem in one.problems), one.problems


def test_a_solution_that_was_edited_must_be_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, *exercises("09"))
    for room in ("solutions", "exercises"):
        (tmp_path / room).mkdir()
        shutil.copy(folder(room) / "09_custom_functions.ipynb", tmp_path / room)
    path = tmp_path / "solutions" / "09_custom_functions.ipynb"
    notebook = read_notebook(path)
    notebook.cells[0].source += "\n\nOne more sentence."
    write_notebook(path, notebook)
    assert cli.main(["validate", "--solutions", str(tmp_path / "solutions")]) == 1
    assert "out of date: run autograd-teach release" in capsys.readouterr().out


def test_the_worked_example_of_the_page_for_instructors_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/exercises.md: its cells and its declaration, put where it says, make an exercise that is fit."""
    page = (folder("solutions").parent / "docs" / "exercises.md").read_text(encoding="utf-8")
    answer, declaration = re.findall(r"^```python\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    (line,) = re.findall(r'`(check\("09\.Halve", Halve\))`', page)
    halve = eval(declaration.strip().rstrip(","), vars(e09_custom_functions))  # our own page
    assert line == f'check("{halve.id}", {halve.entry})'

    path = tmp_path / "solutions" / f"{halve.notebook}.ipynb"
    (tmp_path / "solutions").mkdir()
    notebook = read_notebook(folder("solutions") / path.name)
    cells = {cell.id: cell for cell in notebook.cells}
    for ending, source in (("answer", answer.strip()), ("check", line)):
        cell = copy.deepcopy(cells[f"scale-{ending}"])
        cell.id = cell.metadata.nbgrader.grade_id = f"halve-{ending}"
        cell.source = source
        notebook.cells.append(cell)
    write_notebook(path, notebook)
    only(monkeypatch, halve)
    release(tmp_path / "solutions", tmp_path / "exercises")
    (one,) = validate.validate(tmp_path / "solutions", tmp_path / "exercises")
    assert one.problems == ()
