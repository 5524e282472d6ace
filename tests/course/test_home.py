"""The home page: what it says of lessons and exercises, what it recommends next, and whose the notebook is."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course import content, progress_file
from autograd_teach.course import home as module
from autograd_teach.course.errors import UserError
from autograd_teach.course.exercises import exercises
from autograd_teach.course.home import CELL, PAGE, SOURCE, course_root, home, write_page
from autograd_teach.course.notebooks import read_notebook
from autograd_teach.course.progress_file import Given, note_check, note_prediction
from autograd_teach.course.question import asked_inside, load_question, quiz_of
from autograd_teach.course.syllabus import syllabus

READ = [lesson.number for lesson in syllabus()]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course folder in which nothing was done, and a process that remembers nothing."""
    monkeypatch.delenv(progress_file.SWITCH, raising=False)
    monkeypatch.setattr(progress_file, "_in_memory", {})
    monkeypatch.setattr(progress_file, "_unsaved", set())
    for room in ("lessons", "exercises"):
        (tmp_path / "course" / room).mkdir(parents=True)
    return tmp_path / "course"


@pytest.fixture
def do(course: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`do(read=..., quizzed=..., solved=..., begun=...)`: a student's work, in the folders in which notebooks run."""

    def answer(lesson: str, ids: list[str], missed: bool, sure: int | None = None) -> None:
        monkeypatch.chdir(course / "lessons")
        for id in ids:
            right = load_question(id).right.letter
            given = next(letter for letter in "abc" if letter != right) if missed else right
            note_prediction(id, Given(given, given, sure), right=not missed)

    def do(
        read: str = "",
        quizzed: str = "",
        solved: str = "",
        begun: str = "",
        missed: bool = False,
        sure: int | None = None,
    ) -> module.Home:
        for number in read.split():
            answer(number, [each.id for each in asked_inside(number)], missed, sure)
        for number in quizzed.split():
            answer(number, [each.id for each in quiz_of(number)], missed)
        for number in begun.split():
            answer(number, [asked_inside(number)[0].id], missed)
        monkeypatch.chdir(course / "exercises")
        for name in solved.split():
            for each in exercises(name) if len(name) == 2 else [e for e in exercises() if e.id == name]:
                note_check(each.id, passed=True, passing=1, checks=1, attempted=True)
        return home(course)

    return do


BEFORE_REFERENCE = " ".join(number for number in READ if number < "12")
ALL_BUT_REFERENCE = " ".join(number for number in READ if number not in ("12", "13"))


@pytest.mark.parametrize(
    ("work", "steps"),
    [
        ({}, ["lesson 00"]),
        ({"begun": "00"}, ["lesson 00"]),
        ({"read": "00", "quizzed": "00"}, ["lesson 01"]),
        ({"read": "00 01", "quizzed": "00 01"}, ["exercise 01 predict_flags", "lesson 02"]),
        ({"read": "00 01", "quizzed": "00 01", "begun": "02"}, ["lesson 02", "exercise 01 predict_flags"]),
        (
            {"read": "00 01", "quizzed": "00 01", "solved": "01.predict_flags"},
            ["exercise 01 make_trainable", "lesson 02"],
        ),
        ({"read": "00", "quizzed": "00 01", "solved": "01"}, ["lesson 02"]),
        (
            {"read": BEFORE_REFERENCE, "quizzed": BEFORE_REFERENCE, "begun": "14"},
            ["lesson 14", "exercise 01 predict_flags"],
        ),
        ({"read": BEFORE_REFERENCE, "quizzed": BEFORE_REFERENCE}, ["exercise 01 predict_flags", "lesson 14"]),
        ({"read": ALL_BUT_REFERENCE, "quizzed": ALL_BUT_REFERENCE}, ["exercise 01 predict_flags", "lesson 12"]),
    ],
    ids=lambda work: ",".join(work) if isinstance(work, dict) else "",
)
def test_what_is_next(do: Any, work: dict[str, str], steps: list[str]) -> None:
    with_exercises_in_00 = bool(exercises("00"))
    if with_exercises_in_00 and "read" in work:
        work = work | {"solved": f"00 {work.get('solved', '')}"}
    found = do(**work).next
    assert len(found) == len(steps)
    for step, words in zip(found, steps, strict=True):
        assert step.words.startswith(words)
        assert step.href.startswith("exercises/" if words.startswith("exercise") else "lessons/")


def test_a_quiz_that_was_left_out_comes_first(do: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "quiz_of", lambda number: asked_inside("00")[:1] if number == "01" else [])
    page = do(read="01", solved="01")
    assert [step.words.partition(" ·")[0] for step in page.next] == [
        "the quiz at the end of lesson 01",
        "lesson 00",
    ]
    assert page.standings[1].mark == "…"


def test_all_is_done(do: Any) -> None:
    every = " ".join(READ)
    page = do(read=every, quizzed=every, solved=every)
    assert page.next == []
    assert "You have done everything." in repr(page) and "You have done everything." in page._repr_markdown_()
    assert {standing.mark for standing in page.standings} == {"✓"}
    assert page.to_reread == []


def test_predictions_and_points_are_counted(do: Any) -> None:
    do(read="01", missed=True, sure=3)
    page = do(read="02", solved="01.predict_flags", sure=3)
    missed, right = len(asked_inside("01")), len(asked_inside("02"))
    assert page.summary == [
        f"Predictions: {missed + right} made, {right} right at the first answer, {missed} missed.",
        f"When you were certain, you were right {right} of {missed + right} times.",
        f"Exercises: 1 of {sum(each.points for each in exercises())} points.",
    ]
    assert [(lesson.number, count) for lesson, count in page.to_reread] == [("01", missed)]
    assert f"[lesson 01](lessons/01_requires_grad.ipynb) ({missed})" in page._repr_markdown_()
    assert [standing.mark for standing in page.standings[:4]] == ["", "…", "…", ""]


def test_the_markdown_links_every_notebook_and_shows_both_times(course: Path) -> None:
    text = home(course)._repr_markdown_()
    for standing in home(course).standings:
        (row,) = (
            line for line in text.splitlines() if line.startswith("|") and f"](lessons/{standing.lesson.file})" in line
        )
        assert f"| {standing.reading}\u00a0min |" in row
        if standing.exercises:
            assert f"\u00a0{standing.practice}\u00a0min](exercises/{standing.lesson.file})" in row
    reference = [line for line in text.splitlines() if "| reference |" in line]
    assert [line.partition("[")[2][:2] for line in reference] == ["12", "13"]


def test_what_passed_in_one_place_of_the_course_has_passed(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, passed in ((course, True), (course / "exercises", False), (course / "lessons", False)):
        monkeypatch.chdir(place)
        note_check("01.predict_flags", passed=passed, passing=int(passed), checks=1, attempted=True)
    assert home(course).standings[1].points[0] == 1


@pytest.mark.parametrize("inside", ["", "lessons", "exercises"])
def test_the_course_is_found_from_its_folders(course: Path, inside: str) -> None:
    assert course_root(course / inside) == course


def test_a_folder_without_a_course_is_taken_as_it_is(tmp_path: Path) -> None:
    assert course_root(tmp_path) == tmp_path
    assert home(tmp_path).next[0].words.startswith("lesson 00")


def test_a_newer_progress_file_is_named(course: Path) -> None:
    (course / "lessons" / progress_file.NAME).write_text('{"version": 99}')
    assert "newer version" in repr(home(course)) and "newer version" in home(course)._repr_markdown_()


# ---- home.ipynb -------------------------------------------------------------------------------------------------------


def shown(course: Path) -> str:
    (cell,) = (cell for cell in read_notebook(course / PAGE).cells if cell.id == CELL)
    (output,) = cell.outputs
    return str(output.data["text/markdown"])


def test_the_page_shows_without_running_anything(course: Path, do: Any) -> None:
    assert write_page(course)
    assert "Next: [lesson 00" in shown(course)
    before = (course / PAGE).stat().st_mtime_ns
    assert write_page(course)
    assert (course / PAGE).stat().st_mtime_ns == before, "written only where it changes"
    page = do(begun="00")
    assert write_page(course)
    assert shown(course) == page._repr_markdown_()


def test_its_cell_shows_the_same(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_page(course)
    monkeypatch.chdir(course)
    names: dict[str, Any] = {}
    imports, _, call = SOURCE.partition("\n")
    exec(imports, names)  # noqa: S102  # our own cell
    assert eval(call.strip(), names)._repr_markdown_() == shown(course)


def test_what_the_student_adds_stays(course: Path, do: Any) -> None:
    write_page(course)
    notebook = json.loads((course / PAGE).read_bytes())
    notebook["cells"].insert(
        0, {"cell_type": "markdown", "id": "mine", "metadata": {"x": 1}, "source": ["My *notes* é"]}
    )
    notebook["metadata"]["mine"] = True
    (course / PAGE).write_text(json.dumps(notebook))
    page = do(begun="00")
    assert write_page(course)
    after = json.loads((course / PAGE).read_bytes())
    assert after["cells"][0] == notebook["cells"][0] and after["metadata"] == notebook["metadata"]
    assert shown(course) == page._repr_markdown_()


@pytest.mark.parametrize("change", ["source", "removed", "own notebook"])
def test_a_page_that_the_student_has_changed_is_left_alone(course: Path, do: Any, change: str) -> None:
    write_page(course)
    notebook = json.loads((course / PAGE).read_bytes())
    if change == "source":
        notebook["cells"][1]["source"] = "home('elsewhere')"
    elif change == "removed":
        del notebook["cells"][1]
    else:
        notebook["cells"] = []
    (course / PAGE).write_text(json.dumps(notebook))
    before = (course / PAGE).read_bytes()
    do(begun="00")
    assert write_page(course), "it can be opened"
    assert (course / PAGE).read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"cells": 3}', b"\xff\xfe"])
def test_what_is_no_notebook_is_left_alone_and_not_opened(course: Path, content: bytes) -> None:
    (course / PAGE).write_bytes(content)
    assert not write_page(course)
    assert (course / PAGE).read_bytes() == content


def test_a_folder_that_cannot_be_written(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module.files, "write_beside", refuse)
    assert not write_page(course)


# ---- in a browser ------------------------------------------------------------------------------------------------------


@pytest.fixture
def drive(course: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A browser's drive: the package carries no notebooks, the reader's copies lie beside the one that runs."""
    for room in ("lessons", "exercises"):
        for path in content.folder(room).glob("*.ipynb"):
            shutil.copy(path, course / room)
    package = course.parent / "site-packages" / "autograd_teach"
    shutil.copytree(content._PACKAGE / "course" / "questions", package / "course" / "questions")
    monkeypatch.setattr(content, "_PACKAGE", package)
    monkeypatch.setattr(sys, "platform", "emscripten")
    syllabus.cache_clear()
    yield course
    syllabus.cache_clear()


@pytest.mark.parametrize("place", [".", "lessons", "exercises"])
def test_in_a_browser_the_course_is_read_beside_the_notebook(
    drive: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    shutil.copy(drive / "lessons" / "03_the_graph.ipynb", drive / "lessons" / "03_the_graph-Copy1.ipynb")
    monkeypatch.chdir(drive / place)
    page = home()
    assert [each.lesson.number for each in page.standings] == READ
    assert all(each.reading and each.practice >= bool(each.exercises) for each in page.standings)
    assert page.next[0].href == "lessons/00_start_here.ipynb"


@pytest.mark.parametrize("missing", ["lessons", "exercises", "all lessons"])
def test_in_a_browser_what_is_missing_is_said(drive: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.chdir(drive)
    shutil.rmtree(drive / missing.split()[-1])
    if missing.startswith("all"):
        (drive / "lessons").mkdir()
    with pytest.raises(UserError, match=f"The course's {missing.split()[-1]} are not beside this notebook"):
        home()


def test_in_a_browser_there_are_no_solutions(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (drive / "solutions").mkdir()
    monkeypatch.chdir(drive)
    with pytest.raises(UserError, match="solutions do not come"):
        content.folder("solutions")
