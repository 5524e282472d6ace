"""A newer course comes into a student's folder: what they wrote is still there, and what changed is there too."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell

from autograd_teach import cli
from autograd_teach.course import content, lab, update
from autograd_teach.course.errors import UserError
from autograd_teach.course.notebooks import read_notebook, write_notebook
from tests.course.student_folder import ANSWER, EXERCISE, HALF, LESSON, Course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    return Course(tmp_path, monkeypatch)


def test_an_answer_stays_and_the_rest_of_its_notebook_is_new(course: Course) -> None:
    course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
    course.change(course.source, EXERCISE, "scale-statement", "A better statement")
    done = update.update(course.folder)
    assert course.cells(EXERCISE)["scale-answer"] == ANSWER
    assert course.cells(EXERCISE)["scale-statement"] == "A better statement"
    assert (done.merged, done.conflicts) == ([EXERCISE], {})
    assert "with what you wrote kept" in str(done)


def test_cells_of_their_own_stay_where_they_stood(course: Course) -> None:
    course.add(EXERCISE, "scale-answer", new_code_cell("Scale.apply(x, 2)", id="try-it"))
    course.change(course.source, EXERCISE, "intro", "A new beginning")
    update.update(course.folder)
    ids = list(course.cells(EXERCISE))
    assert ids[ids.index("scale-answer") + 1] == "try-it"
    assert course.cells(EXERCISE)["intro"] == "A new beginning"


def test_where_both_changed_an_exercise_the_answer_counts_and_the_new_text_stands_below(course: Course) -> None:
    course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
    course.change(course.source, EXERCISE, "scale-answer", "class Scale(Function):\n    new stub")
    done = update.update(course.folder)
    cells = course.cells(EXERCISE)
    assert cells["scale-answer"] == ANSWER
    assert "new stub" in cells["scale-answer-new"]
    assert list(cells).index("scale-answer-new") == list(cells).index("scale-answer") + 1
    assert done.conflicts == {EXERCISE: ["scale-answer"]}
    assert "both versions are there" in str(done)


def test_where_both_changed_a_lesson_the_new_cell_counts_and_theirs_stands_below(course: Course) -> None:
    id = next(cell.id for cell in read_notebook(course.source / LESSON).cells if cell.cell_type == "code")
    course.change(course.folder, LESSON, id, "import autograd_teach as torch  # mine")
    course.change(course.source, LESSON, id, "import autograd_teach as torch  # newer")
    update.update(course.folder)
    assert course.cells(LESSON)[id].endswith("# newer")
    assert "# mine" in course.cells(LESSON)[f"{id}-yours"]


def test_a_second_conflict_in_the_same_cell_keeps_what_the_first_kept(course: Course) -> None:
    id = next(cell.id for cell in read_notebook(course.source / LESSON).cells if cell.cell_type == "code")
    for time in ("first", "second"):
        course.change(course.folder, LESSON, id, f"import autograd_teach as torch  # mine, the {time}")
        course.change(course.source, LESSON, id, f"import autograd_teach as torch  # newer than the {time}")
        update.update(course.folder, datetime(2026, 1, 1 + (time == "second")))
    everything = "\n".join(course.cells(LESSON).values())
    assert "# mine, the first" in everything and "# mine, the second" in everything
    assert course.cells(LESSON)[id].endswith("# newer than the second")


def test_a_second_update_changes_nothing(course: Course) -> None:
    course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
    course.change(course.source, EXERCISE, "scale-answer", "class Scale(Function):\n    new stub")
    update.update(course.folder, datetime(2026, 1, 1))
    before = (course.folder / EXERCISE).read_bytes()
    again = update.update(course.folder, datetime(2026, 1, 2))
    assert (course.folder / EXERCISE).read_bytes() == before
    assert str(again).endswith("and is up to date.")
    assert not lab.deliver(course.folder).kept, "`lab` has nothing to complain of either"


def test_the_notebook_as_it_was_is_kept(course: Course) -> None:
    course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
    before = (course.folder / EXERCISE).read_bytes()
    course.change(course.source, EXERCISE, "intro", "A new beginning")
    done = update.update(course.folder)
    assert done.backup is not None
    assert (done.backup / EXERCISE).read_bytes() == before


def test_without_notes_of_what_was_delivered_nothing_of_theirs_is_lost(course: Course) -> None:
    """A folder made by a version that noted no cells, or whose notes were deleted."""
    course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
    course.change(course.folder, EXERCISE, "intro", "Words of mine")
    course.change(course.source, EXERCISE, "exp-answer", "class Exp(Function):\n    new stub")
    (course.folder / lab.MANIFEST).unlink()
    update.update(course.folder)
    everything = "\n".join(course.cells(EXERCISE).values())
    assert course.cells(EXERCISE)["scale-answer"] == ANSWER
    assert course.cells(EXERCISE)["exp-answer"].endswith("new stub"), "an untouched stub is no answer"
    assert "Words of mine" in everything and "# Exercises 09" in everything


def test_what_they_deleted_comes_back_and_a_broken_notebook_is_left_alone(course: Course) -> None:
    (course.folder / EXERCISE).write_text("{ broken")
    (course.folder / LESSON).unlink()
    course.change(course.source, EXERCISE, "intro", "A new beginning")
    done = update.update(course.folder)
    assert (course.folder / EXERCISE).read_text() == "{ broken"
    assert done.added == [LESSON]
    assert "not a valid notebook" in str(done)


def test_results_and_the_notes_of_the_front_end_stay(course: Course) -> None:
    path = course.folder / EXERCISE
    raw = json.loads(path.read_text())
    for cell in raw["cells"]:
        if cell["id"] == "scale-answer":
            cell["source"], cell["execution_count"] = ANSWER, 7
    path.write_text(json.dumps(raw))
    course.change(course.source, EXERCISE, "intro", "A new beginning")
    update.update(course.folder)
    (kept,) = (cell for cell in read_notebook(path).cells if cell.id == "scale-answer")
    assert kept.execution_count == 7 and kept.metadata.nbgrader.solution


def test_a_folder_without_a_course_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="There is no course in"):
        update.update(tmp_path)
    assert cli.main(["update", str(tmp_path)]) == 2
    assert "autograd-teach lab FOLDER" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_leaves_everything_as_it_was(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
    course.change(course.source, EXERCISE, "intro", "A new beginning")
    before = (course.folder / EXERCISE).read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(update.files, "replace", refuse)
    with pytest.raises(UserError, match="No space left on device"):
        update.update(course.folder)
    assert (course.folder / EXERCISE).read_bytes() == before


@pytest.mark.parametrize(
    "answer",
    [
        HALF,
        "# My plan: multiply.\n# YOUR CODE HERE\nraise NotImplementedError()",
        "k = 3\n# YOUR CODE HERE\nraise NotImplementedError()",
        "def f(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()  # later",
    ],
    ids=["one of two methods", "a comment", "a line", "a comment beside"],
)
@pytest.mark.parametrize("is_noted", [True, False])
def test_half_an_answer_is_an_answer(course: Course, answer: str, is_noted: bool) -> None:
    course.change(course.folder, EXERCISE, "scale-answer", answer)
    course.change(course.source, EXERCISE, "scale-answer", "class Scale(Function):\n    new stub")
    if not is_noted:
        (course.folder / lab.MANIFEST).unlink()
    update.update(course.folder)
    cells = course.cells(EXERCISE)
    assert cells["scale-answer"] == answer
    assert "new stub" in cells["scale-answer-new"] if is_noted else "scale-answer-new" not in cells


def test_every_stub_of_the_course_is_known_as_one() -> None:
    for path in content.folder("exercises").glob("*.ipynb"):
        for cell in read_notebook(path).cells:
            assert update.is_stub(cell) == update.is_answer(cell), (path.name, cell.id)


def test_their_cells_stand_below_both_versions_of_the_cell_they_stood_below(course: Course) -> None:
    course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
    course.change(course.source, EXERCISE, "scale-answer", "class Scale(Function):\n    new stub")
    course.add(EXERCISE, "scale-answer", new_code_cell("second", id="second"))
    course.add(EXERCISE, "scale-answer", new_code_cell("first", id="first"))
    update.update(course.folder)
    ids = list(course.cells(EXERCISE))
    place = ids.index("scale-answer")
    assert ids[place : place + 4] == ["scale-answer", "scale-answer-new", "first", "second"]


def test_the_picture_in_a_text_of_theirs_stays(course: Course) -> None:
    notebook = read_notebook(course.folder / EXERCISE)
    intro = next(cell for cell in notebook.cells if cell.id == "intro")
    intro.source, intro.attachments = "Mine: ![](attachment:a.png)", {"a.png": {"image/png": "iVBORw"}}
    write_notebook(course.folder / EXERCISE, notebook)
    course.change(course.source, EXERCISE, "intro", "A new beginning")
    update.update(course.folder)
    (below,) = (cell for cell in read_notebook(course.folder / EXERCISE).cells if cell.id == "intro-yours")
    assert (
        below.source.endswith("\n\nMine: ![](attachment:a.png)") and below.attachments["a.png"]["image/png"] == "iVBORw"
    )


def test_updates_in_the_same_second_keep_a_folder_each(course: Course) -> None:
    kept = []
    for text in ("first", "second"):
        course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
        course.change(course.source, EXERCISE, "intro", text)
        kept.append(update.update(course.folder, datetime(2026, 1, 1)).backup)
    assert kept[0] and kept[1] and kept[0] != kept[1]


def odd_metadata(raw: dict[str, Any]) -> None:
    for cell in raw["cells"]:
        cell["metadata"]["nbgrader"] = ["solution"]


def half_a_letter(raw: dict[str, Any]) -> None:
    raw["cells"][0]["source"] = "cut \ud83d"


@pytest.mark.parametrize(("damage", "stays"), [(odd_metadata, False), (half_a_letter, True)])
def test_a_notebook_with_odd_content_ends_no_update(
    course: Course, damage: Callable[[dict[str, Any]], None], stays: bool
) -> None:
    raw = json.loads(course.text(EXERCISE))
    damage(raw)
    (course.folder / EXERCISE).write_text(json.dumps(raw))
    course.change(course.source, EXERCISE, "scale-statement", "A better statement")
    (course.folder / lab.MANIFEST).unlink()
    before = course.text(EXERCISE)
    done = update.update(course.folder)
    assert ("text that a notebook cannot hold" in str(done)) == stays == (course.text(EXERCISE) == before)


def note(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        noted = json.loads(path.read_bytes())
        change(noted)
        path.write_text(json.dumps(noted))

    return write


def cannot_be_read(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


LOST_RECORDS: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": note(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "not text": note(b"\xff\xfe{"),
    "a list": note(b"[1]"),
    "a text": note(b'"x"'),
    "nothing in it": note(b"{}"),
    "nested too deeply": note(b"[" * 100_000),
    "nested too deeply in cells": note(b'{"cells": ' + b"[" * 100_000),
    "a file's hash a number": edited(lambda noted: noted.update({EXERCISE: 3})),
    "a cell's hash a number": edited(lambda noted: noted["cells"][EXERCISE].update({"intro": 3})),
    "a cell's hash a list": edited(lambda noted: noted["cells"][EXERCISE].update({"scale-answer": []})),
    "the cells a list": edited(lambda noted: noted.update(cells=[])),
    "the cells of a file a text": edited(lambda noted: noted["cells"].update({EXERCISE: "x"})),
    "the cells of a file nothing": edited(lambda noted: noted["cells"].update({EXERCISE: None})),
    "cannot be read": cannot_be_read,
}


@pytest.mark.parametrize("lose", LOST_RECORDS.values(), ids=LOST_RECORDS)
def test_without_the_record_written_answers_are_theirs_and_that_is_said(
    course: Course, lose: Callable[[Path], object]
) -> None:
    course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
    course.add(EXERCISE, "scale-answer", new_code_cell("own", id="own"))
    course.change(course.source, LESSON, "title", "A new title")
    lose(course.folder / lab.MANIFEST)
    done = update.update(course.folder)
    assert done.conflicts.keys() <= {LESSON} and course.cells(EXERCISE)["scale-answer"] == ANSWER
    assert str(done).count("was missing, damaged or incomplete and has been made again") == 1
    assert "own" in course.cells(EXERCISE) and course.cells(LESSON)["title"] == "A new title"
    assert str(update.update(course.folder)).endswith("and is up to date.")
    course.change(course.source, EXERCISE, "scale-answer", "class Scale(Function):\n    new stub")
    assert update.update(course.folder).conflicts == {EXERCISE: ["scale-answer"]}, "it is noted again"


def test_a_record_that_the_course_renewed_without_the_changed_files_is_incomplete(course: Course) -> None:
    course.change(course.folder, EXERCISE, "scale-answer", ANSWER)
    (course.folder / lab.MANIFEST).unlink()
    lab.deliver(course.folder)
    done = update.update(course.folder)
    assert done.conflicts == {} and update.UNRECORDED in str(done)


def test_what_was_there_is_not_kept_out_of_the_folder(course: Course, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (course.folder / update.BACKUPS).symlink_to(tmp_path / "outside")
    with pytest.raises(UserError, match="is a link that leads out"):
        update.update(course.folder)
    assert not list((tmp_path / "outside").iterdir())
