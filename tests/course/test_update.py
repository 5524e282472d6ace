"""A newer course comes into a student's folder: what they wrote is still there, and what changed is there too."""

import io
import json
import shutil
import zipfile
import zlib
from datetime import datetime
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograd_teach import cli
from autograd_teach.course import content, lab, take_up, update
from autograd_teach.course.errors import UserError
from autograd_teach.course.notebooks import notebook_text, read_notebook, write_notebook

EXERCISE, LESSON = "exercises/09_custom_functions.ipynb", "lessons/01_requires_grad.ipynb"
ANSWER = "class Scale(Function):\n    pass  # mine"


class Course:
    """A course that can be changed, and a student's folder with it."""

    def __init__(self, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source, self.folder = base / "source", base / "student"
        for room in ("lessons", "exercises"):
            (self.source / room).mkdir(parents=True)
        for name in (EXERCISE, LESSON):
            shutil.copy(content.folder("lessons").parent / name, self.source / name)
        monkeypatch.setattr(content, "folder", lambda room: self.source / room)
        lab.deliver(self.folder)

    def change(self, where: Path, name: str, id: str, text: str) -> None:
        notebook = read_notebook(where / name)
        next(cell for cell in notebook.cells if cell.id == id).source = text
        write_notebook(where / name, notebook)

    def add(self, name: str, after: str, cell: NotebookNode) -> None:
        notebook = read_notebook(self.folder / name)
        place = [cell.id for cell in notebook.cells].index(after) + 1
        notebook.cells.insert(place, cell)
        write_notebook(self.folder / name, notebook)

    def cells(self, name: str) -> dict[str, str]:
        return {cell.id: cell.source for cell in read_notebook(self.folder / name).cells}


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


# ---- --from: what was written elsewhere ----

PROGRESS = "exercises/.autograd_teach_progress.json"
DATE = datetime(2026, 11, 23)


def changed(course: Course, name: str, *cells: NotebookNode, noted: bool = False, **answers: str) -> str:
    """A course notebook as somebody has changed it elsewhere; noted: as the page “Your work” gives it out."""
    notebook = read_notebook(course.source / name)
    if noted:
        crcs = {cell.id: zlib.crc32(cell.source.rstrip().encode()) for cell in notebook.cells}
        notebook.metadata[take_up.DELIVERED] = crcs
    for cell in notebook.cells:
        cell.source = answers.get(cell.id.replace("-", "_"), cell.source)
    notebook.cells += cells
    return notebook_text(notebook)


def packed(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_work_from_a_browser_comes_into_a_new_folder(course: Course, tmp_path: Path) -> None:
    own = new_code_cell("Scale.apply(x, 2)", id="try-it")
    passed = json.dumps({"version": 2, "exercises": {"09.Scale": {"passed": True}}})
    work = {EXERCISE: changed(course, EXERCISE, own, scale_answer=ANSWER), PROGRESS: passed, "lessons/mine.txt": "x"}
    source = packed(tmp_path / "work.zip", {f"autograd-work/{name}": data for name, data in work.items()})
    course.folder = tmp_path / "new"
    said = str(take_up.take_up(course.folder, source, DATE))
    assert course.cells(EXERCISE)["scale-answer"] == ANSWER and course.cells(EXERCISE)["try-it"] == own.source
    assert f"Taken up from work.zip: {EXERCISE} (2 cells)." in said and "Added: lessons/mine.txt." in said
    assert json.loads((course.folder / PROGRESS).read_bytes())["exercises"] == {"09.Scale": {"passed": True}}
    before = {path: path.read_bytes() for path in course.folder.rglob("*") if path.is_file()}
    assert str(take_up.take_up(course.folder, source)).endswith("is there already.")
    assert {path: path.read_bytes() for path in course.folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("here", "there", "stays", "beside"),
    [
        (None, ANSWER, ANSWER, False),
        (ANSWER, None, ANSWER, False),
        (ANSWER, ANSWER, ANSWER, False),
        (ANSWER, "other", ANSWER, True),
    ],
)
def test_each_answer_is_kept(
    course: Course, tmp_path: Path, here: str | None, there: str | None, stays: str, beside: bool
) -> None:
    if here:
        course.change(course.folder, EXERCISE, "scale-answer", here)
    before = (course.folder / EXERCISE).read_bytes()
    source = tmp_path / "09 (1).ipynb"
    source.write_text(changed(course, EXERCISE, **({"scale_answer": there} if there else {})), encoding="utf-8")
    done = take_up.take_up(course.folder, source, DATE)
    cells = course.cells(EXERCISE)
    assert cells["scale-answer"] == stays
    assert ("scale-answer-taken" in cells) == beside == (done.both == {EXERCISE: ["scale-answer"]})
    if beside:
        assert "The version of the cell above in 09 (1).ipynb" in cells["scale-answer-taken"] and "other" in str(cells)
        assert "both versions are there" in str(done)
    if (course.folder / EXERCISE).read_bytes() != before:
        assert done.backup and (done.backup / EXERCISE).read_bytes() == before


@pytest.mark.parametrize("noted", [True, False])
def test_a_cell_of_a_lesson_that_was_changed_elsewhere_comes_along(course: Course, tmp_path: Path, noted: bool) -> None:
    id = next(cell.id for cell in read_notebook(course.source / LESSON).cells if cell.cell_type == "code")
    text = changed(course, LESSON, noted=noted, **{id.replace("-", "_"): "changed = 1"})
    take_up.take_up(course.folder, packed(tmp_path / "work.zip", {LESSON: text}), DATE)
    assert (course.cells(LESSON)[id] == "changed = 1") == noted
    assert "changed = 1" in "\n".join(course.cells(LESSON).values())


def test_what_an_older_site_gave_and_nobody_changed_does_not_come_back(course: Course, tmp_path: Path) -> None:
    text = changed(course, EXERCISE, noted=True, scale_answer=ANSWER)
    course.change(course.source, EXERCISE, "intro", "A new beginning")
    take_up.take_up(course.folder, packed(tmp_path / "work.zip", {EXERCISE: text}), DATE)
    assert course.cells(EXERCISE)["intro"] == "A new beginning" and "intro-taken" not in course.cells(EXERCISE)
    assert course.cells(EXERCISE)["scale-answer"] == ANSWER


def test_other_notebooks_get_a_free_name_and_a_broken_one_stays(course: Course, tmp_path: Path) -> None:
    (course.folder / EXERCISE).write_text("{ broken")
    (course.folder / "mine.ipynb").write_text("mine")
    text = changed(course, EXERCISE, scale_answer=ANSWER)
    take_up.take_up(course.folder, packed(tmp_path / "work.zip", {EXERCISE: text, "mine.ipynb": text}), DATE)
    assert ((course.folder / EXERCISE).read_text(), (course.folder / "mine.ipynb").read_text()) == ("{ broken", "mine")
    for name in ("exercises/09_custom_functions (2).ipynb", "mine (2).ipynb"):
        assert course.cells(name)["scale-answer"] == ANSWER


def test_progress_is_joined_and_first_answers_stay(course: Course, tmp_path: Path) -> None:
    def parts(passed: bool, first: str, tries: int, more: str) -> str:
        answer = {"first": first, "right": True, "last": first, "tries": tries, "when": f"2026-01-0{tries}T00:00:00Z"}
        exercises = {"one": {"passed": passed, "tries": tries}, more: {"passed": True}}
        return json.dumps({"version": 2, "exercises": exercises, "predictions": {"q": answer}})

    (course.folder / PROGRESS).write_text(parts(False, "a", 1, "two"))
    take_up.take_up(course.folder, packed(tmp_path / "work.zip", {PROGRESS: parts(True, "b", 2, "three")}), DATE)
    joined = json.loads((course.folder / PROGRESS).read_bytes())
    assert joined["exercises"] == {
        "one": {"passed": True, "tries": 2},
        "two": {"passed": True},
        "three": {"passed": True},
    }
    answer = joined["predictions"]["q"]
    assert (answer["first"], answer["last"], answer["tries"]) == ("a", "b", 2)


def link(name: str) -> bytes:
    made, entry = io.BytesIO(), zipfile.ZipInfo(name)
    entry.external_attr = 0o120777 << 16
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    return made.getvalue()


def zip_of(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (None, "none.zip", "There is no file"),
        (b"hello", "photo.png", "neither a .zip nor a notebook"),
        (b"{", "x.ipynb", "not a valid notebook"),
        (zip_of({"a.txt": b"abc" * 99})[:-30], "work.zip", "is damaged"),
        (zip_of({"a.txt": b"abc"}).replace(b"K\x4cJ", b"K\x4dJ", 1), "work.zip", "is damaged"),
        (zip_of({"../a.txt": b""}), "work.zip", "leads out of your folder"),
        (zip_of({"/etc/a.txt": b""}), "work.zip", "leads out of your folder"),
        (zip_of({"C:\\a.txt": b""}), "work.zip", "leads out of your folder"),
        (link("lessons/a"), "work.zip", "leads out of your folder"),
        (zip_of({"a.txt": b"0" * 2001}), "work.zip", "more than 0 MB"),
        (zip_of({f"{number}": b"" for number in range(2001)}), "work.zip", "2001 files"),
        (zip_of({}), "work.zip", "no notebook and no progress"),
    ],
)
def test_a_file_that_cannot_be_used_changes_nothing(
    tmp_path: Path,
    data: bytes | None,
    name: str,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if said.startswith("more than"):
        monkeypatch.setattr(take_up, "MOST_BYTES", 2000)
    if data is not None:
        (tmp_path / name).write_bytes(data)
    assert cli.main(["update", str(tmp_path / "course"), "--from", str(tmp_path / name)]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "course").exists()


def test_a_link_in_the_folder_is_not_followed_out_of_it(course: Course, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (course.folder / "mine").symlink_to(tmp_path / "outside")
    done = take_up.take_up(course.folder, packed(tmp_path / "work.zip", {"mine/a.txt": "x"}), DATE)
    assert "leads out of it" in str(done) and not list((tmp_path / "outside").iterdir())
