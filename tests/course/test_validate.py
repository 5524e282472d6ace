"""The course examines itself; and what is wrong with an exercise does not escape it."""

import copy
import linecache
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import autograd_teach
from autograd_teach import cli
from autograd_teach.autograd import Function
from autograd_teach.course import content, notebooks, specs, validate
from autograd_teach.course import exercises as registry
from autograd_teach.course.checking import report_on
from autograd_teach.course.checks.spec import FunctionSpec, Mistake, Spec
from autograd_teach.course.content import folder, without_effect
from autograd_teach.course.errors import UserError
from autograd_teach.course.exercises import Exercise, exercise, exercises, module_of
from autograd_teach.course.exercises import e09_custom_functions as exercises_09
from autograd_teach.course.mutants import Slip
from autograd_teach.course.notebooks import read_notebook, write_notebook
from autograd_teach.course.release import declare, declare_points, release
from autograd_teach.course.specs import e09_custom_functions as specs_09
from tests.course.table import read

SOLUTIONS, EXERCISES = folder("solutions"), folder("exercises")


def only(monkeypatch: pytest.MonkeyPatch, *chosen: Exercise, **specs_of: Spec) -> None:
    """The course with these exercises alone, and by their names with other specifications."""
    monkeypatch.setattr(registry, "_ALL", chosen)
    monkeypatch.setattr(registry, "_BY_ID", {each.id: each for each in chosen})
    for each in chosen:
        if each.entry in specs_of:
            monkeypatch.setitem(specs._of_module(module_of(each)), each.entry, specs_of[each.entry])


def test_an_exercise_without_a_specification_is_told_where_it_belongs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(monkeypatch, *exercises("09"))
    monkeypatch.delitem(specs_09.SPECS, "Scale")
    row = "add a row 'Scale' to SPECS in autograd_teach/course/specs/e09_custom_functions.py."
    for command in (["validate", "09"], ["release"]):
        assert cli.main(command) == 2
        assert f"09.Scale does not have a specification; {row}" in capsys.readouterr().err


def test_a_quoted_message_does_not_end_in_two_punctuation_marks() -> None:
    with pytest.raises(UserError) as caught:
        validate._names(["raise ValueError('There is no file.')"], "its notebook")
    assert str(caught.value) == "A cell of its notebook raises ValueError: There is no file; fix it first."


NOTEBOOKS = list(dict.fromkeys(each.notebook for each in exercises()))
QUICK = {"01_requires_grad", "08_in_place"}
"""The others have many mistakes, or act them out on large graphs and in long loops."""


@pytest.mark.parametrize(
    "notebook", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.full]) for name in NOTEBOOKS]
)
def test_the_exercises_of_a_notebook_are_fit_for_students(monkeypatch: pytest.MonkeyPatch, notebook: str) -> None:
    chosen = exercises(notebook)
    only(monkeypatch, *chosen)
    validated = {each.exercise.id: each.problems for each in validate.validate(SOLUTIONS, EXERCISES)}
    assert validated == {each.id: () for each in chosen}


def with_mistake(spec: FunctionSpec, words: str, factor: float) -> FunctionSpec:
    wrong = Mistake(words, vjp=lambda g, x, by: g * by * factor)
    return replace(spec, mistakes=(*spec.mistakes, wrong))


def named_in_full(grad_output: np.ndarray, x: np.ndarray, factor: float) -> np.ndarray:
    return grad_output * factor  #: the slope


SPOILT = {
    "a mistake that is none": (
        lambda e, spec: (e, with_mistake(spec, "nothing is wrong", 1)),
        "'nothing is wrong' does not get its own message but: nothing, it passes",
    ),
    "a mistake that another one explains": (
        lambda e, spec: (
            e,
            with_mistake(with_mistake(spec, "three times", 3), "another sentence", 3),
        ),
        "'another sentence' does not get its own message but: three times",
    ),
    "a slip at no line": (
        lambda e, spec: (e, replace(spec, mistakes=(Slip("the wings", "g", "it flies"),))),
        "no label begins with 'the wings', where a slip is declared",
    ),
    "a reference of backward that is not the derivative": (
        lambda e, spec: (e, replace(spec, backward=lambda g, x, factor: g + factor)),
        "the reference of backward does not give the derivative of forward for x, at input 1",
    ),
    "a reference of backward with another number of arguments": (
        lambda e, spec: (e, replace(spec, backward=lambda g, x: g)),
        "the reference of backward raises TypeError at input 1: ",
    ),
    "a gradient too many": (
        lambda e, spec: (e, replace(spec, backward=lambda g, x, factor: (g * factor, g))),
        "the reference of backward gives 2 gradients, but 1 of the arguments are float arrays",
    ),
    "a reference without labels": (
        lambda e, spec: (e, replace(spec, mistakes=(), forward=lambda x, factor: x * factor)),
        "the reference of forward has no line that ends in `#: label`",
    ),
    "a gradient with another name than `g`": (
        lambda e, spec: (e, replace(spec, backward=named_in_full)),
        "the reference of backward has an argument `grad_output`: call it `g`",
    ),
    "a slip that is no code": (
        lambda e, spec: (e, replace(spec, mistakes=(Slip("the gradient", "g *", ""),))),
        "a declared mistake cannot be read: ",
    ),
    "one hint": (lambda e, spec: (replace(e, hints=e.hints[:1]), spec), "number of hints: 1; give 2 or 3"),
    "another specification than the solution's": (
        lambda e, spec: (e, replace(spec, forward=lambda x, factor: x + factor, mistakes=())),
        "the solution does not pass",
    ),
    "a sentence that nothing holds": (
        lambda e, spec: (e, replace(spec, holds=dict(list(spec.holds.items())[1:]))),
        "no check tests the sentence",
    ),
    "a sentence that is not there": (
        lambda e, spec: (e, replace(spec, holds={**spec.holds, "It flies": "gradient"})),
        "no sentence of the statement begins with 'It flies'",
    ),
    "a check that is none": (
        lambda e, spec: (e, replace(spec, holds={**spec.holds, next(iter(spec.holds)): "wings"})),
        "is not a check of this exercise; there are ",
    ),
}


@pytest.mark.parametrize(("spoil", "words"), SPOILT.values(), ids=SPOILT)
def test_what_is_wrong_is_found(spoil, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scale = exercise("09.Scale")
    spoilt, spec = spoil(scale, specs.spec_of(scale))
    only(monkeypatch, spoilt, Scale=spec)
    (one,) = validate.validate(SOLUTIONS, EXERCISES)
    assert any(words in problem for problem in one.problems), one.problems


@pytest.mark.full
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
    monkeypatch.setattr(validate, "_confused", lambda _: ())  # slow, and not asked for here
    for room in ("solutions", "exercises"):
        (tmp_path / room).mkdir()
        shutil.copy(folder(room) / "09_custom_functions.ipynb", tmp_path / room)
    path = tmp_path / "solutions" / "09_custom_functions.ipynb"
    notebook = read_notebook(path)
    notebook.cells[0].source += "\n\nOne more sentence."
    write_notebook(path, notebook)
    assert cli.main(["validate", "--solutions", str(tmp_path / "solutions")]) == 1
    said = capsys.readouterr().out.splitlines()
    command = f"autograd-teach release --solutions {tmp_path / 'solutions'}"
    assert said == [
        *(f"{each.id}: fit" for each in exercises("09")),
        f"exercises/{path.name}: out of date: run {command}",  # once, not for each exercise
    ]


def say(cells, id: str, old: str, new: str) -> None:
    output = cells[id].outputs[0].data
    assert old in output["text/plain"]
    output["text/plain"] = output["text/plain"].replace(old, new)


def set_source(cells, id: str, old: str, new: str) -> None:
    assert old in cells[id].source
    cells[id].source = cells[id].source.replace(old, new)


def rename(cell, id: str) -> None:
    cell.id = cell.metadata.nbgrader.grade_id = id


NOT_STORED = {
    "points in the check cell": (
        lambda cells: cells["scale-check"].metadata.nbgrader.update(points=5),
        "declared with 2 points, but its check cell says 5: run autograd-teach notebooks PATH",
    ),
    "points in the heading": (
        lambda cells: set_source(cells, "scale-statement", "(2 points)", "(5 points)"),
        "declared with 2 points, but its heading says 5 points: run autograd-teach notebooks PATH",
    ),
    "another stored output": (
        lambda cells: say(cells, "scale-check", "7 of 7 checks pass (2 points)", "9 of 9 checks pass (2 points)"),
        (
            "the stored output of the cell scale-check is out of date (stored: 'Scale: 9 of 9 checks pass (2 points)', "
            "now: 'Scale: 7 of 7 checks pass (2 points)'): run autograd-teach notebooks PATH"
        ),
    ),
    "a stored output without its last line": (
        lambda cells: say(cells, "scale-check", "\n  pass  calling it again", "\n"),
        "the stored output of the cell scale-check is out of date (stored: ",
    ),
    "no stored output": (
        lambda cells: cells["scale-check"].update(outputs=[]),
        "the cell scale-check has no stored output: run autograd-teach notebooks PATH",
    ),
    "no check cell": (
        lambda cells: rename(cells["scale-check"], "scale-control"),
        "09_custom_functions.ipynb does not have a cell with the id scale-check",
    ),
    "an answer cell that was pasted": (
        lambda cells: cells["scale-answer"].update(id="0f3a9c1e"),
        (
            "the cell 0f3a9c1e has another grade_id, scale-answer; correct the grade_id if it is wrong, "
            "then run autograd-teach notebooks PATH, which makes it the id"
        ),
    ),
    "another check": (
        lambda cells: set_source(cells, "scale-check", "Scale", "Exp"),
        'the cell scale-check does not call check("09.Scale", Scale)',
    ),
}


def test_one_exercise_is_not_several(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = [validate.Validated(each, ("wrong",)) for each in exercises("09")[:2]]
    for count, last in ((1, "1 exercise needs fixing"), (2, "2 exercises need fixing")):
        monkeypatch.setattr(validate, "validate", lambda *_, count=count: iter(found[:count]))
        assert cli.main(["validate"]) == 1
        assert capsys.readouterr().out.splitlines()[-1] == last


def pasted(notebook, number: str) -> list:
    """The three cells of Scale once more, as JupyterLab pastes them: with other ids, and what else they had."""
    copies = [copy.deepcopy(cell) for cell in notebook.cells if cell.id.startswith("scale-")]
    for each in copies:
        each.id = f"{number}{each.id[-4:]}"
    notebook.cells += copies
    return copies


def test_a_pasted_cell_gets_its_grade_id_as_its_id() -> None:
    notebook = read_notebook(SOLUTIONS / "09_custom_functions.ipynb")
    copies = pasted(notebook, "7")
    for cell in copies:
        cell.metadata.nbgrader.grade_id = cell.metadata.nbgrader.grade_id.replace("scale", "halve")
    ids = {f"halve-{each}": cell.id for each, cell in zip(("statement", "answer", "check"), copies, strict=True)}
    said = declare("09_custom_functions", notebook)
    assert said == {f"cell {old!r}": f"its id is now its grade_id, {new!r}" for new, old in ids.items()}
    assert [cell.id for cell in copies] == list(ids)
    assert declare("09_custom_functions", notebook) == {}


def test_a_copy_with_the_grade_id_of_its_original_is_neither_stored_nor_released(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = read_notebook(SOLUTIONS / "09_custom_functions.ipynb")
    pasted(notebook, "7")
    path = tmp_path / "solutions" / "09_custom_functions.ipynb"
    path.parent.mkdir()
    write_notebook(path, notebook)
    rooms = ["--solutions", str(path.parent)]
    for command in (["notebooks", str(path)], ["release", *rooms], ["validate", "09", *rooms]):
        assert cli.main(command) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"{path}: the cells 'scale-statement' and '7ment' have the same grade_id, 'scale-statement'; " in line
    assert not (tmp_path / "exercises").exists()


@pytest.mark.parametrize("case", NOT_STORED)
def test_what_grade_would_refuse_is_found(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil, words = NOT_STORED[case]
    path = tmp_path / "solutions" / "09_custom_functions.ipynb"
    path.parent.mkdir()
    notebook = read_notebook(SOLUTIONS / path.name)
    spoil({cell.id: cell for cell in notebook.cells})
    write_notebook(path, notebook)
    only(monkeypatch, exercise("09.Scale"))
    monkeypatch.setattr(validate, "_confused", lambda _: ())  # slow, and not asked for here
    release(path.parent, tmp_path / "exercises")
    (one,) = validate.validate(path.parent, tmp_path / "exercises")
    assert [problem for problem in one.problems if problem.startswith(words.replace("PATH", str(path)))]
    assert len(one.problems) == 1 and len(one.problems[0].splitlines()) == 1


def test_other_points_are_declared_once_and_two_commands_bring_the_notebooks_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worth_more = replace(exercise("09.Scale"), points=5)
    rooms = {room: tmp_path / room for room in ("solutions", "exercises")}
    for room, copied in rooms.items():
        copied.mkdir()
        shutil.copy(folder(room) / "09_custom_functions.ipynb", copied)
    path = rooms["solutions"] / "09_custom_functions.ipynb"
    only(monkeypatch, worth_more)
    monkeypatch.setattr(validate, "_confused", lambda _: ())

    def run(notebook, *_):
        """In place of a kernel: what the check says."""
        names = validate._names([cell.source for cell in validate._answers(notebook)])
        (check,) = (cell for cell in notebook.cells if cell.id == worth_more.check_cell)
        check.outputs[0].data["text/plain"] = repr(report_on(worth_more.id, names["Scale"]))
        return notebook

    monkeypatch.setattr(notebooks, "execute", run)
    assert cli.main(["validate", "09", "--solutions", str(rooms["solutions"])]) == 1
    said = capsys.readouterr().out
    assert "09.Scale: declared with 5 points, but its heading says 2 points" in said
    assert "(stored: 'Scale: 7 of 7 checks pass (2 points)', now: 'Scale: 7 of 7 checks pass (5 points)')" in said

    assert cli.main(["notebooks", "--check", str(path)]) == 1  # which only says so
    assert "declared with 5 points" in capsys.readouterr().err
    assert cli.main(["notebooks", str(path)]) == 0
    assert "rewritten (09.Scale: declared with 5 points" in capsys.readouterr().err
    assert cli.main(["release", "--solutions", str(rooms["solutions"])]) == 0
    assert cli.main(["validate", "09", "--solutions", str(rooms["solutions"])]) == 0
    for room in rooms.values():
        cells = {cell.id: cell for cell in read_notebook(room / path.name).cells}
        assert cells["scale-check"].metadata.nbgrader.points == 5
        assert "(5 points)" in cells["scale-statement"].source.splitlines()[0]
        assert cells["exp-check"].metadata.nbgrader.points == 2  # nobody declared that otherwise


def test_points_are_written_into_no_notebook_of_another_name() -> None:
    notebook = read_notebook(SOLUTIONS / "09_custom_functions.ipynb")
    for cell in notebook.cells:
        cell.metadata.get("nbgrader", {})["points"] = 7
    before = copy.deepcopy(notebook)
    assert declare_points("my_notebook", notebook) == {} and notebook == before
    assert declare_points("09_custom_functions", notebook).keys() == {each.id for each in exercises("09")}


EDITED = {
    # what the repository of the notebooks has: the file that the sentence names, or none
    "as it is installed": ({"exercises/e09.py": "points=2"}, ""),
    "other points": ({"exercises/e09.py": "points=3"}, "autograd_teach/course/exercises/e09.py"),
    "another specification": (
        {"exercises/e09.py": "points=2", "specs/e09.py": "lambda x: x"},
        "autograd_teach/course/specs/e09.py",
    ),
    "no course": ({}, ""),
}


@pytest.mark.parametrize("case", EDITED)
def test_edits_that_are_not_installed_are_said_to_have_no_effect(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files, named = EDITED[case]
    installed, repository = tmp_path / "site-packages" / "autograd_teach", tmp_path / "repository"
    for package, written in ((installed, {"exercises/e09.py": "points=2"}), (repository / "autograd_teach", files)):
        for name, text in written.items():
            path = package / "course" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    (repository / "solutions").mkdir(parents=True)
    monkeypatch.setattr(content, "_PACKAGE", installed)
    sentence = without_effect(repository / "solutions")
    assert bool(sentence) == bool(named)
    assert not named or sentence.startswith(
        f"{named} in {repository} is not what is installed, and has no effect: run `pip"
    )

    for command in (["release", "--solutions"], ["validate", "--solutions"], ["notebooks"]):
        assert cli.main([*command, str(repository / "solutions")]) == 2  # there are no notebooks
        assert (f"note: {sentence}\n" in capsys.readouterr().err) == bool(named)


def test_in_a_checkout_that_runs_as_it_is_nothing_is_said() -> None:
    assert without_effect(SOLUTIONS) == ""


def test_the_worked_example_of_the_page_for_instructors_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/exercises.md: its cells and its declaration, put where it says, make an exercise that is fit."""
    page = (folder("solutions").parent / "docs" / "exercises.md").read_text(encoding="utf-8")
    answer, statement, declaration, references, spec, slip, answers = re.findall(
        r"^```(?:python|md)\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE
    )
    (line,) = re.findall(r'`(check\("09\.Halve", Halve\))`', page)
    halve = eval(declaration.strip().rstrip(","), vars(exercises_09))  # our own page
    names = vars(specs_09) | {"Slip": Slip}
    file = "<the page>"  # where the labels are read
    linecache.cache[file] = (len(references), None, references.splitlines(keepends=True), file)
    exec(compile(references, file, "exec"), names)  # noqa: S102  # our own page
    right = eval("{" + spec + "}", names)
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
    only(monkeypatch, halve, **right)
    declare_points(path.stem, notebook)
    solved = validate._names([cell.source for cell in validate._answers(notebook)])
    notebook.cells[-1].outputs[0].data["text/plain"] = repr(report_on(halve.id, solved[halve.entry]))
    write_notebook(path, notebook)
    release(tmp_path / "solutions", tmp_path / "exercises")
    (one,) = validate.validate(tmp_path / "solutions", tmp_path / "exercises")
    assert one.problems == ()

    methods = {"forward": lambda ctx, x: x / 2, "backward": lambda ctx, grad_output: grad_output}
    forgotten = type("Halve", (Function,), {name: staticmethod(method) for name, method in methods.items()})
    (said,) = re.findall(r"^```\n(the gradient: .*)\n```", page, flags=re.MULTILINE)
    assert [each.message for each in report_on(halve.id, forgotten).findings] == [said]
    right_cell, wrong_cell = read(answers)
    exec(right_cell.text, given := {"torch": autograd_teach, "Function": Function})  # noqa: S102  # our own page
    assert report_on(halve.id, given["Halve"]).passed
    assert answer.count(wrong_cell.edits[0]) == 1 and wrong_cell.diagnosis == "known" and wrong_cell.words[0] in said
    exec(slip, names)  # noqa: S102  # our own page
    only(monkeypatch, halve, Halve=replace(right["Halve"], mistakes=names["mistakes"]))
    assert report_on(halve.id, forgotten).findings[0].message in slip


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({}, []),
        ({"forward": 1, "gradient": 2.5}, []),
        ({"backward": 1}, ["'backward' has a weight but is not a check of this exercise; there are forward, "]),
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
