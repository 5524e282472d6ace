"""Work done elsewhere comes into a student's folder: all of it arrives, nothing there is lost, and nothing comes twice."""

import contextlib
import errno
import io
import json
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell

from autograd_teach import cli, files
from autograd_teach.course import home, take_up, update, work_file
from autograd_teach.course.errors import UserError
from autograd_teach.course.notebooks import read_notebook
from autograd_teach.course.read_json import DEEPEST
from tests.course.student_folder import ANSWER, EXERCISE, HALF, LESSON, Course, changed, packed

PROGRESS = "exercises/.autograd_teach_progress.json"
DATE = datetime(2026, 11, 23)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    return Course(tmp_path, monkeypatch)


def test_work_from_a_browser_comes_into_a_new_folder(course: Course, tmp_path: Path) -> None:
    own = new_code_cell("Scale.apply(x, 2)", id="try-it")
    passed = json.dumps({"version": 2, "exercises": {"09.Scale": {"passed": True}}})
    work = {EXERCISE: changed(course, EXERCISE, own, scale_answer=ANSWER), PROGRESS: passed, "lessons/mine.txt": "x"}
    source = packed(tmp_path / "work.zip", {f"autograd-work/{name}": data for name, data in work.items()})
    course.folder = tmp_path / "new"
    said = str(take_up.take_up(course.folder, source, DATE))
    assert course.cells(EXERCISE)["scale-answer"] == ANSWER and course.cells(EXERCISE)["try-it"] == own.source
    assert f"Imported from work.zip: {EXERCISE} (2 cells)." in said and "Added: lessons/mine.txt." in said
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


def zip_of(files: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packing) as archive:
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
        (zip_of({"C:/a.txt": b""}), "work.zip", "leads out of your folder"),
        (zip_of({"a\\..\\..\\a.txt": b""}), "work.zip", "leads out of your folder"),
        (zip_of({"../": b"", "a.txt": b"x"}), "work.zip", "leads out of your folder"),
        (zip_of({"a.txt": b"abc"}, zipfile.ZIP_BZIP2), "work.zip", "as an ordinary .zip"),
        (zip_of({"a.txt": b"abc"}, zipfile.ZIP_LZMA)[:-60] + b"x" * 60, "work.zip", "is damaged"),
        (zip_of({".a.txt": b"abc"}), "work.zip", "(.a.txt: it is a hidden file)"),
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
        monkeypatch.setattr(work_file, "MOST_BYTES", 2000)
    if data is not None:
        (tmp_path / name).write_bytes(data)
    assert cli.main(["update", str(tmp_path / "course"), "--from", str(tmp_path / name)]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "course").exists()


HIDING = {
    "exercises/numpy.py": "exercises/numpy.py",
    "lessons/random.py": "lessons/random.py",
    "autograd_teach.py": "autograd_teach.py",
    "exercises/numpy/__init__.py": "exercises/numpy",
    "exercises/ipykernel/__init__.pyc": "exercises/ipykernel",
    "mine/json.py": "mine/json.py",
}
OWN = [
    "exercises/helpers.py",
    "exercises/helpers/__init__.py",
    "exercises/helpers/random.py",
    "exercises/numpy.txt",
    "exercises/Numpy.py",
    "exercises/my-numpy.py",
    "data/random.py",
    "exercises/random/notes.txt",
]


@pytest.mark.parametrize("name", [*HIDING, *OWN])
def test_a_file_that_would_hide_an_installed_module_is_left_out_and_named(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    notebook = changed(course, EXERCISE, scale_answer=ANSWER)
    more = {name: "x", f"{HIDING[name]}/core.py": "x"} if "__init__" in name and name in HIDING else {name: "x"}
    source = packed(tmp_path / "work.zip", {**more, "mine/own.ipynb": notebook})
    monkeypatch.chdir(course.folder / "exercises")
    monkeypatch.setattr("sys.path", ["", str(course.folder / "exercises"), *sys.path])
    for _ in range(2):
        done = take_up.take_up(course.folder, source, DATE)
        assert done.skipped.keys() == (set(more) if name in HIDING else set())
        assert (f"Left out: {name}" in str(done)) == (name in HIDING)
        assert all((course.folder / each).exists() == (name in OWN) for each in more)


def test_a_link_in_the_folder_is_not_followed_out_of_it(course: Course, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (course.folder / "mine").symlink_to(tmp_path / "outside")
    done = take_up.take_up(course.folder, packed(tmp_path / "work.zip", {"mine/a.txt": "x"}), DATE)
    assert "leads out of it" in str(done) and not list((tmp_path / "outside").iterdir())


# ---- nothing is lost, nothing comes twice ----

Raw = dict[str, Any]


def cell(raw: Raw, id: str) -> Raw:
    return next(each for each in raw["cells"] if each["id"] == id)


def own(id: str, text: str) -> Raw:
    return {"cell_type": "code", "id": id, "metadata": {}, "source": text, "outputs": [], "execution_count": None}


def answered(raw: Raw) -> None:
    cell(raw, "scale-answer")["source"] = "elsewhere"


def with_a_cell_called_as_a_conflict(raw: Raw) -> None:
    answered(raw)
    raw["cells"].append(own("scale-answer-taken", "own text"))


def with_a_picture(raw: Raw) -> None:
    picture = {"a.png": {"image/png": "iVBORwPICTURE"}}
    cell(raw, "intro").update(source="text with ![](attachment:a.png)", attachments=picture)


def with_one_id_twice(raw: Raw) -> None:
    raw["cells"] += [own("twice", "first text"), own("twice", "second text"), own("empty", " \n")]


def with_half_a_letter(raw: Raw) -> None:
    answered(raw)
    text = {"output_type": "stream", "name": "stdout", "text": "cut \ud83d"}
    raw["cells"].append(own("cut", "own \udfff") | {"outputs": [text]})


def with_other_metadata(value: object) -> Callable[[Raw], None]:
    def change(raw: Raw) -> None:
        answered(raw)
        cell(raw, "scale-answer")["metadata"]["nbgrader"] = value

    return change


def with_a_false_note(raw: Raw) -> None:
    answered(raw)
    raw["metadata"][take_up.DELIVERED] = {"scale-answer": zlib.crc32(b"elsewhere")}


ELSEWHERE: list[tuple[str, str, Callable[[Raw], None], list[str]]] = [
    ("half an answer elsewhere", "", lambda raw: cell(raw, "scale-answer").update(source=HALF), ["# half of it"]),
    ("half an answer here", HALF, answered, ["# half of it", "elsewhere"]),
    ("a conflict", ANSWER, answered, ["# mine", "elsewhere"]),
    ("a cell called as a conflict", ANSWER, with_a_cell_called_as_a_conflict, ["# mine", "elsewhere", "own text"]),
    ("a picture in a text", "", with_a_picture, ["text with ![]", "iVBORwPICTURE"]),
    ("one id twice", "", with_one_id_twice, ["first text", "second text"]),
    ("half a letter", "", with_half_a_letter, ["elsewhere", "own \ufffd", "cut \ufffd"]),
    ("nbgrader's metadata a list", "", with_other_metadata([]), ["elsewhere"]),
    ("nbgrader's metadata a text", ANSWER, with_other_metadata("solution"), ["# mine", "elsewhere"]),
    ("a false note of what was delivered", "", with_a_false_note, ["elsewhere"]),
    (
        "a fence in an answer",
        ANSWER,
        lambda raw: cell(raw, "scale-answer").update(source="a\n```\nb"),
        ["a\n```\nb\n````"],
    ),
]


@pytest.mark.parametrize(("here", "change", "texts"), [row[1:] for row in ELSEWHERE], ids=[row[0] for row in ELSEWHERE])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "with a byte order mark"])
def test_all_that_was_written_is_there_once(
    course: Course, tmp_path: Path, here: str, change: Callable[[Raw], None], texts: list[str], mark: bytes
) -> None:
    if here:
        course.change(course.folder, EXERCISE, "scale-answer", here)
    raw = json.loads((course.source / EXERCISE).read_bytes())
    change(raw)
    after = []
    for name in ("monday.zip", "tuesday.zip", "tuesday.zip"):
        work = packed(tmp_path / name, {EXERCISE: mark + json.dumps(raw).encode()})
        said = str(take_up.take_up(course.folder, work, DATE))
        after.append(course.text(EXERCISE))
        sources = "\n".join(course.cells(EXERCISE).values())
        assert [sources.count(text) or after[-1].count(text) for text in texts] == [1] * len(texts)
    assert after[0] == after[1] == after[2]
    assert "is there already." in said


def test_a_file_of_their_own_comes_once_whatever_is_done_with_it(course: Course, tmp_path: Path) -> None:
    raw = json.loads((course.source / EXERCISE).read_bytes())
    raw["cells"] = [own("one", "own text")]
    for name in ("own.ipynb", "own (1).ipynb"):
        (tmp_path / name).write_text(json.dumps(raw))
        take_up.take_up(course.folder, tmp_path / name, DATE)
        raw["cells"][0]["execution_count"] = 7
    assert [path.name for path in course.folder.glob("own*")] == ["own.ipynb"]


HOME = {"title": home.TITLE, home.CELL: home.SOURCE}


@pytest.mark.parametrize(("cells", "arrives"), [(HOME, False), (HOME | {"mine": "own text"}, True)])
def test_the_home_page_is_not_doubled(course: Course, tmp_path: Path, cells: dict[str, str], arrives: bool) -> None:
    raw = json.loads((course.source / EXERCISE).read_bytes())
    page = course.folder / home.PAGE
    page.write_text(json.dumps(raw | {"cells": [own(id, text) for id, text in HOME.items()]}))
    there = json.dumps(raw | {"cells": [own(id, text) | {"execution_count": 7} for id, text in cells.items()]})
    take_up.take_up(course.folder, packed(tmp_path / "work.zip", {home.PAGE: there}), DATE)
    assert [path.name for path in course.folder.glob("home*")] == [home.PAGE]
    assert ("own text" in page.read_text()) == arrives


# ---- names, and what stands in the way ----

FAR = "/".join(["d"] * 1500) + "/x.txt"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "cannot have its name"),
        ("a//b.txt", "cannot have its name"),
        ("./b.txt", "cannot have its name"),
        ("a\x00b.txt", "cannot have its name"),
        ("a\nb.txt", "cannot have its name"),
        ("n" * 300 + ".txt", "cannot be written"),
        (FAR, "is in too many nested folders"),
        ("first.txt/x.txt", "cannot be written"),
        (f"{EXERCISE}/x.txt", "cannot be written"),
        ("mine/.notes.txt", "hidden file"),
        (".before-update/x.txt", "hidden folder"),
        (".autograd-teach.json", "hidden file"),
        (work_file.ANSWERS, "website's pages"),
        ("own.ipynb", "its JSON is broken"),
    ],
)
def test_what_alone_cannot_be_taken_is_left_out_and_said(course: Course, tmp_path: Path, name: str, why: str) -> None:
    manifest = (course.folder / ".autograd-teach.json").read_bytes()
    others = {"first.txt": "1", EXERCISE: changed(course, EXERCISE, scale_answer=ANSWER), "last.txt": "2"}
    source = packed(tmp_path / "work.zip", {"first.txt": "1", name: "odd", **others})
    done = take_up.take_up(course.folder, source, DATE)
    assert list(done.skipped) == [name] and why in done.skipped[name]
    lines = str(done).splitlines()
    assert sum(line.startswith("Left out: ") for line in lines) == 1 and max(map(len, lines)) < 400
    assert done.added == ["first.txt", "last.txt"] and course.cells(EXERCISE)["scale-answer"] == ANSWER
    assert (course.folder / ".autograd-teach.json").read_bytes() == manifest


@pytest.mark.skipif(os.name == "nt", reason="Windows does not allow these names")
@pytest.mark.parametrize("name", ["results 12:30.txt", "back\\slash.txt", "runs/a:b", "CON", "n" * 250 + ".txt"])
def test_a_name_that_this_system_can_hold_is_taken(course: Course, tmp_path: Path, name: str) -> None:
    done = take_up.take_up(course.folder, packed(tmp_path / "work.zip", {name: "odd"}), DATE)
    assert (done.skipped, done.added) == ({}, [name])
    assert (course.folder / name).read_text() == "odd"


@pytest.mark.parametrize(
    "name", ["results 12:30.txt", "back\\slash.txt", "runs/a:b", "con", "a/NUL.txt", "end.", "end /x", "a?.txt", "<a>"]
)
def test_windows_is_spared_its_own_odd_names(name: str) -> None:
    assert work_file.why_not(name, on_windows=True) == "Windows does not allow this name"
    assert work_file.why_not(name, on_windows=False) is None
    assert not work_file.is_hostile(name)


def test_what_systems_keep_for_themselves_is_not_mentioned(course: Course, tmp_path: Path) -> None:
    names = ["__MACOSX/x", "work/.DS_Store", "work/a/__pycache__/b.pyc", "work/.ipynb_checkpoints/c.ipynb"]
    files: dict[str, str | bytes] = dict.fromkeys(names, "x")
    done = take_up.take_up(course.folder, packed(tmp_path / "w.zip", files | {"work/lessons/a.txt": "x"}), DATE)
    assert (done.skipped, done.added) == ({}, ["lessons/a.txt"])


def test_a_folder_that_is_only_called_like_the_course_keeps_its_place(course: Course, tmp_path: Path) -> None:
    done = take_up.take_up(course.folder, packed(tmp_path / "w.zip", {"mine/lessons_x/a.txt": "x"}), DATE)
    assert done.added == ["mine/lessons_x/a.txt"]


@pytest.mark.parametrize(
    "put",
    [lambda path: path.symlink_to("nowhere"), Path.mkdir, lambda path: path.write_text("{ broken")],
    ids=["a link to nothing", "a folder", "a broken notebook"],
)
def test_what_stands_in_the_way_stays_and_the_work_comes_beside_it(
    course: Course, tmp_path: Path, put: Callable[[Path], object]
) -> None:
    (course.folder / EXERCISE).unlink()
    put(course.folder / EXERCISE)
    work = {EXERCISE: changed(course, EXERCISE, scale_answer=ANSWER), "last.txt": "x"}
    beside = EXERCISE.replace(".ipynb", " (2).ipynb")
    for _ in range(2):
        done = take_up.take_up(course.folder, packed(tmp_path / "work.zip", work), DATE)
        assert course.cells(beside)["scale-answer"] == ANSWER and (course.folder / "last.txt").is_file()
    assert not done.added
    assert (
        (course.folder / EXERCISE).is_symlink()
        or (course.folder / EXERCISE).is_dir()
        or course.text(EXERCISE) == "{ broken"
    )


@pytest.mark.parametrize("name", ["exercises", ".before-update"])
def test_nothing_is_written_where_a_link_leads_out(course: Course, tmp_path: Path, name: str) -> None:
    outside, inside = tmp_path / "outside", course.folder / name
    if inside.exists():
        inside.rename(outside)
        (outside / Path(EXERCISE).name).unlink()
    else:
        outside.mkdir()
    inside.symlink_to(outside)
    before = list(outside.iterdir())
    work = packed(tmp_path / "work.zip", {EXERCISE: changed(course, EXERCISE, scale_answer=ANSWER), "a.txt": "x"})
    with pytest.raises(UserError, match="is a link that leads out"):
        take_up.take_up(course.folder, work, DATE)
    assert list(outside.iterdir()) == before and not (course.folder / "a.txt").exists()


def test_a_full_disk_ends_the_run_with_a_sentence(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = (course.folder / EXERCISE).read_bytes()
    work = packed(tmp_path / "work.zip", {EXERCISE: changed(course, EXERCISE, scale_answer=ANSWER)})
    monkeypatch.setattr(take_up.files, "replace", refuse)
    with pytest.raises(UserError, match=r"No space left.* run the command again"):
        take_up.take_up(course.folder, work, DATE)
    assert (course.folder / EXERCISE).read_bytes() == before


def test_work_comes_into_a_folder_without_a_record_and_that_is_said(course: Course, tmp_path: Path) -> None:
    source = packed(tmp_path / "work.zip", {EXERCISE: changed(course, EXERCISE, scale_answer=ANSWER)})
    (course.folder / ".autograd-teach.json").write_text("[" * 100_000)
    course.change(
        course.source,
        EXERCISE,
        "scale-answer",
        "class Scale(Function):\n    # YOUR CODE HERE\n    raise NotImplementedError()",
    )
    done = take_up.take_up(course.folder, source, DATE)
    assert update.UNRECORDED in str(done) and done.both == {}
    assert course.cells(EXERCISE)["scale-answer"] == ANSWER


def test_a_file_in_place_of_the_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "course").write_text("mine")
    with pytest.raises(UserError, match="is a file, but the course needs a folder"):
        take_up.take_up(tmp_path / "course", packed(tmp_path / "work.zip", {"a.txt": "x"}), DATE)
    assert (tmp_path / "course").read_text() == "mine"


# ---- runs that meet ----


def test_runs_in_the_same_second_keep_a_folder_each(course: Course, tmp_path: Path) -> None:
    kept = []
    for answer in ("first answer", "second answer"):
        work = packed(tmp_path / "work.zip", {EXERCISE: changed(course, EXERCISE, scale_answer=answer)})
        kept.append(take_up.take_up(course.folder, work, DATE).backup)
    assert kept[0] and kept[1] and kept[0] != kept[1]
    assert "first answer" not in (kept[0] / EXERCISE).read_text() and "first answer" in (kept[1] / EXERCISE).read_text()
    assert "first answer" in course.text(EXERCISE) and "second answer" in course.text(EXERCISE)


def test_a_notebook_that_is_saved_meanwhile_is_read_again(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge, times = take_up.merge_from, []

    def merge_while_it_is_saved(*given: Any) -> Any:
        if not times:
            course.change(course.folder, EXERCISE, "exp-answer", "saved meanwhile")
        times.append(1)
        return merge(*given)

    monkeypatch.setattr(take_up, "merge_from", merge_while_it_is_saved)
    work = packed(tmp_path / "work.zip", {EXERCISE: changed(course, EXERCISE, scale_answer=ANSWER)})
    take_up.take_up(course.folder, work, DATE)
    cells = course.cells(EXERCISE)
    assert (cells["exp-answer"], cells["scale-answer"], len(times)) == ("saved meanwhile", ANSWER, 2)


@pytest.mark.parametrize("run", ["update", "update --from"])
def test_a_run_has_the_folder_for_itself_while_it_reads_and_writes(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: str
) -> None:
    alone = list[Path]()
    seen = dict[Path, bool]()

    @contextlib.contextmanager
    def alone_in(folder: Path) -> Iterator[None]:
        assert folder not in alone, "a second lock on one folder would wait for ever"
        alone.append(folder)
        yield
        alone.remove(folder)

    def watched(write: Callable[[Path, bytes], object]) -> Callable[[Path, bytes], object]:
        def noted(path: Path, data: bytes) -> object:
            seen[path] = course.folder in alone or path.parent in alone
            return write(path, data)

        return noted

    course.change(course.folder, EXERCISE, "scale-answer", "here")
    course.change(course.source, EXERCISE, "scale-answer", "new")
    monkeypatch.setattr(files, "alone_in", alone_in)
    for name in ("replace", "add"):
        monkeypatch.setattr(files, name, watched(getattr(files, name)))
    if run == "update":
        update.update(course.folder, DATE)
    else:
        progress = json.dumps({"version": 2, "exercises": {"one": {"passed": True}}})
        work = {EXERCISE: changed(course, EXERCISE, scale_answer="there"), "a.txt": "x", Path(PROGRESS).name: progress}
        take_up.take_up(course.folder, packed(tmp_path / "work.zip", work), DATE)
        assert {course.folder / "a.txt", course.folder / Path(PROGRESS).name} <= set(seen)
    assert course.folder / EXERCISE in seen and all(seen.values()), seen


def nested(levels: int) -> str:
    """Progress with so many levels."""
    inner = levels - 3  # the file, its part and the exercise are levels too
    return '{"version": 2, "exercises": {"one": {"y": ' + '{"x":' * inner + "1" + "}" * inner + "}}}"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ('{"version": "9", "exercises": {"one": {"passed": true}}}', "newer version"),
        ('{"version": 2.5, "exercises": {"one": {"passed": true}}}', "newer version"),
        ('{"version": 2, "exercises": {"one": {"x": NaN, "y": -Infinity, "z": 1e999}}}', ""),
        pytest.param(nested(DEEPEST), "", id="as deep as is read"),
        pytest.param(nested(DEEPEST + 1), "cannot be read", id="one level deeper"),
        pytest.param(nested(200_000), "cannot be read", id="200,000 levels"),
    ],
)
def test_progress_that_no_page_could_read_is_not_written(course: Course, tmp_path: Path, data: str, why: str) -> None:
    path = course.folder / PROGRESS
    path.write_text('{"version": 2, "exercises": {"two": {"passed": true}}}')
    before = path.read_text()
    done = take_up.take_up(course.folder, packed(tmp_path / "work.zip", {PROGRESS: data, "a.txt": "x"}), DATE)
    assert (why in done.skipped[PROGRESS]) if why else not done.skipped
    assert why == "" or path.read_text() == before
    assert "NaN" not in path.read_text() and "Infinity" not in path.read_text() and '"two"' in path.read_text()
