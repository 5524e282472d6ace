"""The course examines itself; and what is wrong with an exercise does not escape it."""

import copy
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograd_teach import cli
from autograd_teach.course import exercises as registry
from autograd_teach.course import specs, validate
from autograd_teach.course.checks.spec import FunctionSpec, Mistake, Spec
from autograd_teach.course.content import folder
from autograd_teach.course.exercises import Exercise, exercise, exercises, module_of
from autograd_teach.course.exercises import e09_custom_functions as exercises_09
from autograd_teach.course.notebooks import read_notebook, write_notebook
from autograd_teach.course.release import release
from autograd_teach.course.specs import e09_custom_functions as specs_09

SOLUTIONS, EXERCISES = folder("solutions"), folder("exercises")


def only(monkeypatch: pytest.MonkeyPatch, *chosen: Exercise, **specs_of: Spec) -> None:
    """The course with these exercises alone, and by their names with other specifications."""
    monkeypatch.setattr(registry, "_ALL", chosen)
    monkeypatch.setattr(registry, "_BY_ID", {each.id: each for each in chosen})
    for each in chosen:
        if each.entry in specs_of:
            monkeypatch.setitem(specs._of_module(module_of(each)), each.entry, specs_of[each.entry])


NOTEBOOKS = list(dict.fromkeys(each.notebook for each in exercises()))
SLOW = {
    *("00_start_here", "03_the_graph", "10_gradcheck", "12_arguments_and_options"),
    *("14_losses_and_grad_output", "15_implicit_functions", "16_build_your_own"),
}
"""Their mistakes are many, or acted out on large graphs and in long loops: two thirds of the time that all take."""


@pytest.mark.parametrize(
    "notebook", [pytest.param(name, marks=[pytest.mark.full] if name in SLOW else []) for name in NOTEBOOKS]
)
def test_the_exercises_of_a_notebook_are_fit_for_students(monkeypatch: pytest.MonkeyPatch, notebook: str) -> None:
    chosen = exercises(notebook)
    only(monkeypatch, *chosen)
    validated = {each.exercise.id: each.problems for each in validate.validate(SOLUTIONS, EXERCISES)}
    assert validated == {each.id: () for each in chosen}


def with_mistake(spec: FunctionSpec, name: str, words: str, factor: float) -> FunctionSpec:
    wrong = Mistake(name, words, vjp=lambda g, x, by: g * by * factor)
    return replace(spec, mistakes=(*spec.mistakes, wrong))


SPOILT = {
    "a mistake that is none": (
        lambda e, spec: (e, with_mistake(spec, "none", "nothing is wrong", 1)),
        "(none) is not called by its message but: nothing, it passes",
    ),
    "a mistake that another one explains": (
        lambda e, spec: (
            e,
            with_mistake(with_mistake(spec, "third", "three times", 3), "again", "another sentence", 3),
        ),
        "(again) is not told apart from mistake",
    ),
    "one hint": (lambda e, spec: (replace(e, hints=e.hints[:1]), spec), "there are 1 hints"),
    "another specification than the solution's": (
        lambda e, spec: (e, replace(spec, forward=lambda x, factor: x + factor, mistakes=())),
        "the solution does not pass",
    ),
    "a sentence that nothing holds": (
        lambda e, spec: (e, replace(spec, holds=dict(list(spec.holds.items())[1:]))),
        "no check holds the sentence",
    ),
    "a sentence that is not there": (
        lambda e, spec: (e, replace(spec, holds={**spec.holds, "It flies": "gradient"})),
        "no sentence of the statement begins with 'It flies'",
    ),
    "a check that is none": (
        lambda e, spec: (e, replace(spec, holds={**spec.holds, next(iter(spec.holds)): "wings"})),
        "is no check or mistake of this exercise",
    ),
}


@pytest.mark.parametrize(("spoil", "words"), SPOILT.values(), ids=SPOILT)
def test_what_is_wrong_is_found(spoil, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scale = exercise("09.Scale")
    spoilt, spec = spoil(scale, specs.spec_of(scale))
    only(monkeypatch, spoilt, Scale=spec)
    (one,) = validate.validate(SOLUTIONS, EXERCISES)
    assert any(words in problem for problem in one.problems), one.problems


def test_inputs_that_are_the_same_for_every_seed_are_worth_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = exercise("09.Scale")
    spec = specs.spec_of(scale)
    only(
        monkeypatch,
        scale,
        Scale=replace(spec, inputs=lambda rng: [*spec.inputs(rng), *spec.inputs(np.random.default_rng(0))]),
    )  # type: ignore[call-arg]
    (one,) = validate.validate(SOLUTIONS, EXERCISES)
    count = len(spec.inputs(np.random.default_rng(0)))
    fixed = range(count + 1, 2 * count + 1)
    assert one.notes == tuple(f"call {number} is the same for every seed" for number in fixed)


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
    answer, statement, declaration, spec = re.findall(
        r"^```(?:python|md)\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE
    )
    (line,) = re.findall(r'`(check\("09\.Halve", Halve\))`', page)
    halve = eval(declaration.strip().rstrip(","), vars(exercises_09))  # our own page
    right = eval("{" + spec + "}", vars(specs_09))
    assert line == f'check("{halve.id}", {halve.entry})' and list(right) == [halve.entry]

    path = tmp_path / "solutions" / f"{halve.notebook}.ipynb"
    (tmp_path / "solutions").mkdir()
    notebook = read_notebook(folder("solutions") / path.name)
    cells = {cell.id: cell for cell in notebook.cells}
    for ending, source in (("statement", statement.strip()), ("answer", answer.strip()), ("check", line)):
        cell = copy.deepcopy(cells[f"scale-{ending}"])
        cell.id = cell.metadata.nbgrader.grade_id = f"halve-{ending}"
        cell.source = source
        notebook.cells.append(cell)
    write_notebook(path, notebook)
    only(monkeypatch, halve, **right)
    release(tmp_path / "solutions", tmp_path / "exercises")
    (one,) = validate.validate(tmp_path / "solutions", tmp_path / "exercises")
    assert one.problems == ()


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({}, []),
        ({"forward": 1, "gradient": 2.5}, []),
        ({"backward": 1}, ["'backward' has a weight and is no check of this exercise; there are forward, gradient, "]),
        ({"runs": 1}, ["'runs' cannot have a weight"]),
        ({"structure": 1}, ["'structure' cannot have a weight"]),
        ({"forward": 0}, ["the weight of 'forward' is 0; it has to be a number above 0"]),
        ({"forward": float("nan")}, ["the weight of 'forward' is nan"]),
    ],
)
def test_weights_name_checks_that_can_be_weighed(weights: dict[str, float], said: list[str]) -> None:
    problems = list(validate.unfit_weights(replace(exercise("09.Scale"), weights=weights)))
    assert len(problems) == len(said)
    assert all(problem.startswith(start) for problem, start in zip(problems, said, strict=True)), problems
