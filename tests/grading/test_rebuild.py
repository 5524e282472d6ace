"""The notebook that is run: ours, with the student's answers and no line of a reference solution."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.grading.rebuild import load_assignments, make_assignment, rebuild
from tests.grading.classroom import (
    NAME,
    QUESTIONS,
    SOLUTIONS,
    STUB,
    assignment,
    exercise_notebook,
)

Cells = dict[str, dict[str, Any]]


def by_id(notebook: dict[str, Any]) -> Cells:
    return {cell["id"]: cell for cell in notebook["cells"]}


def test_answers_and_stubs_stand_in_our_cells_beside_the_expected_outputs() -> None:
    cells = by_id(rebuild(assignment(), {"square": "def square(x): return x**2"}))
    assert cells["square-answer"]["source"] == "def square(x): return x**2"
    assert cells["double-answer"]["source"] == STUB.format(id="double")
    assert cells["double-check"]["outputs"][0]["text"] == "double: 3 of 3 checks pass\n"


def test_no_line_of_a_reference_is_in_it() -> None:
    assert "END SOLUTION" in assignment().references["double"]
    text = json.dumps(rebuild(assignment(), {"square": "def square(x): return x**2"}))
    assert "END SOLUTION" not in text
    assert "2 * x" not in text


def test_building_one_notebook_leaves_the_next_untouched() -> None:
    tiny = assignment()
    rebuild(tiny, SOLUTIONS)["cells"][3]["outputs"].clear()
    assert tiny == assignment()


def test_a_check_cell_carries_no_tag_that_would_switch_the_comparison_off() -> None:
    template = exercise_notebook(SOLUTIONS, said=True)
    for cell in template["cells"]:
        cell["metadata"]["tags"] = ["nbval-ignore-output"]
    tiny = make_assignment(NAME, QUESTIONS, template=template, released=exercise_notebook({}))
    cells = by_id(rebuild(tiny, {}))
    assert cells["double-check"]["metadata"] == {"tags": []}
    assert cells["setup"]["metadata"] == {"tags": ["nbval-ignore-output"]}


def lose_check(template: Cells, released: Cells) -> None:
    del released["double-check"]


def never_run(template: Cells, released: Cells) -> None:
    template["double-check"]["execution_count"] = None


def says_nothing(template: Cells, released: Cells) -> None:
    template["double-check"]["outputs"] = []


def give_away(template: Cells, released: Cells) -> None:
    released["double-answer"]["source"] = "### BEGIN SOLUTION\nx\n### END SOLUTION"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lose_check,
            "is not in both mine/sol/09_tiny.ipynb and ex/09_tiny.ipynb; run `.* --solutions mine/sol --exercises ex`",
        ),
        (
            never_run,
            "check of double in mine/sol/09_tiny.ipynb has no stored output .* notebooks mine/sol/09_tiny.ipynb`",
        ),
        (
            says_nothing,
            "mine/sol seems to hold exercises, not solutions: .* Give the folder of the solutions with --solutions",
        ),
        (give_away, "double-answer of ex/09_tiny.ipynb holds a solution"),
    ],
)
def test_a_template_that_cannot_grade_is_refused(spoil: Callable[[Cells, Cells], None], said: str) -> None:
    template, released = (
        by_id(exercise_notebook(SOLUTIONS, said=True)),
        by_id(exercise_notebook({})),
    )
    spoil(template, released)
    with pytest.raises(UserError, match=said):
        make_assignment(
            NAME,
            QUESTIONS,
            template={"cells": list(template.values())},
            released={"cells": list(released.values())},
            rooms=(Path("mine/sol"), Path("ex")),
        )


@dataclass(frozen=True)
class Declared:
    """What the course declares of an exercise."""

    id: str
    notebook: str
    points: float
    answer_cell: str
    check_cell: str
    entry: str


def test_assignments_are_loaded_from_the_course_s_files(tmp_path: Path) -> None:
    (tmp_path / "solutions").mkdir()
    (tmp_path / "exercises").mkdir()
    declared = [Declared(q.id, NAME, q.points, q.answer, q.check, q.entry) for q in QUESTIONS]
    for room, notebook in (
        ("solutions", exercise_notebook(SOLUTIONS, said=True)),
        ("exercises", exercise_notebook({})),
    ):
        with pytest.raises(UserError, match="There is no notebook"):
            load_assignments(tmp_path / "solutions", tmp_path / "exercises", declared)
        (tmp_path / room / f"{NAME}.ipynb").write_text(json.dumps(notebook))
    (tiny,) = load_assignments(tmp_path / "solutions", tmp_path / "exercises", declared)
    assert (tiny.name, tiny.questions, dict(tiny.references)) == (NAME, QUESTIONS, SOLUTIONS)


def test_points_that_a_solution_notebook_says_and_nobody_counts_are_told() -> None:
    template = exercise_notebook(SOLUTIONS, said=True)
    for cell in template["cells"]:
        if cell["id"].endswith("-check"):
            cell["metadata"] = {"nbgrader": {"points": 2}}
    rooms = Path("mine"), Path("exercises")
    tiny = make_assignment(NAME, QUESTIONS, template=template, released=exercise_notebook({}), rooms=rooms)
    assert list(tiny.notices) == [
        f"{id} has 2 points in mine/{NAME}.ipynb, without effect: it is worth {points}, as declared in "
        f"autograd_teach/course/exercises/. Run `autograd-teach notebooks mine/{NAME}.ipynb` to write that into the file."
        for id, points in (("double", 1), ("negate", 3))
    ]
    assert assignment().notices == ()


@pytest.mark.parametrize("room", ["solutions", "exercises"])
def test_a_folder_that_does_not_exist_is_named_with_its_option(tmp_path: Path, room: str) -> None:
    rooms = {"solutions": tmp_path, "exercises": tmp_path} | {room: tmp_path / "nosuch"}
    with pytest.raises(UserError, match=f"There is no folder .*nosuch; give --{room} the folder of the {room}."):
        load_assignments(rooms["solutions"], rooms["exercises"], [])
