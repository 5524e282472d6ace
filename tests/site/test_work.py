"""The page "Your work" in Chromium: what a reader wrote is downloaded as one file and imported elsewhere, and nothing is lost.

JupyterLite is not here: files are put into IndexedDB by a script, in the layout that JupyterLite 0.7.6 gives them.
tests/site/test_live.py does the same with the real one.
"""

import base64
import io
import json
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nbformat import from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograd_teach.course.notebooks import notebook_text, write_notebook
from autograd_teach.site import pages
from tests.site.small import served, site_of, write_course
from tests.site.test_in_browser import AUDIT, Reader

pytestmark = pytest.mark.browser

WORK = "live/work.html"
EXERCISE = "exercises/01_first.ipynb"
SECOND = "exercises/02_second.ipynb"
PROGRESS = "exercises/.autograd_teach_progress.json"
ANSWERS = ".autograd_teach_answers.json"
PUT = """async (models) => {
  const name = `JupyterLite Storage - ${new URL(".", location.href).pathname}`;
  const database = await new Promise((resolve) => {
    const request = indexedDB.open(name, 5);
    request.onupgradeneeded = () => { for (const each of ["checkpoints", "files"]) request.result.createObjectStore(each); };
    request.onsuccess = () => resolve(request.result);
  });
  const transaction = database.transaction("files", "readwrite");
  for (const model of models) transaction.objectStore("files").put(model, model.path);
  await new Promise((resolve) => { transaction.oncomplete = resolve; });
  database.close();
}"""
GET = """async () => {
  const name = `JupyterLite Storage - ${new URL(".", location.href).pathname}`;
  const database = await new Promise((resolve) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => resolve(request.result);
  });
  if (!database.objectStoreNames.contains("files")) return {};
  const request = database.transaction("files").objectStore("files").getAll();
  await new Promise((resolve) => { request.onsuccess = resolve; });
  database.close();
  return Object.fromEntries(request.result.map((model) => [model.path, model]));
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    made, course = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("course") / "small"
    lesson = [new_markdown_cell("# 01 · First\n\nWords.", id="first")]
    write_course(course, **{"01_first": lesson})
    write_notebook(course / SECOND, from_dict(two_answers("", "")))
    pages.write(site_of(course, is_live=True), made, lambda _: None)
    for room in ("lessons", "exercises"):
        shutil.copytree(course / room, made / "live" / "files" / room)
    with served(made) as address:
        yield address


class Work(Reader):
    """A reader at the page."""

    def go(self) -> Any:
        self.open(WORK)
        self.page.wait_for_selector("html[data-work]")
        return self.page

    def put(self, *models: dict[str, Any]) -> None:
        self.go().evaluate(PUT, list(models))
        self.go()

    def get(self) -> dict[str, Any]:
        return dict(self.page.evaluate(GET))

    def answers(self) -> Any:
        return json.loads(self.page.evaluate("localStorage.getItem('autograd_teach answers /') || '{}'"))

    def put_answers(self, answers: Any) -> None:
        self.page.evaluate("(text) => localStorage.setItem('autograd_teach answers /', text)", json.dumps(answers))

    def said(self) -> str:
        return str(self.page.locator("#status").inner_text())

    def download(self) -> tuple[str, bytes]:
        with self.page.expect_download() as waited:
            self.page.get_by_role("button", name="Download all as one file").click()
        return waited.value.suggested_filename, Path(waited.value.path()).read_bytes()

    def take_up(self, data: bytes, name: str = "work.zip") -> str:
        file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
        self.page.locator("#status").evaluate("(status) => status.replaceChildren()")
        self.page.get_by_label("A file that was downloaded on this page").set_input_files(file)
        self.page.wait_for_function(
            "() => { const text = document.querySelector('#status').innerText; return text && !text.startsWith('Reading') }"
        )
        return self.said()


@pytest.fixture
def reader(browser: Any, address: str) -> Iterator[Callable[[], Work]]:
    made: list[Work] = []

    def new() -> Work:
        made.append(Work(browser, address))
        return made[-1]

    yield new
    for each in made:
        assert each.wrong == []
        each.context.close()


@pytest.fixture(scope="module")
def lasting(browser: Any, address: str) -> Iterator[Work]:
    """One for tests that leave all as it was, with a notebook in the browser."""
    one = Work(browser, address)
    one.put(model(EXERCISE, exercise("mine")))
    yield one
    assert one.wrong == []
    one.context.close()


def exercise(answer: str, *more: Any) -> dict[str, Any]:
    cells = [new_markdown_cell("# Exercises 01\n\nSee [it](../lessons/01_first.ipynb).", id="statement")]
    return dict(new_notebook(cells=[*cells, new_code_cell(answer, id="answer"), *more]))


def two_answers(one: str, two: str) -> dict[str, Any]:
    """The second notebook with exercises, which marks the cells for the answers."""
    cells = [new_markdown_cell("# Exercises 02\n\nTwo.", id="statement")]
    for name, answer in (("one", one), ("two", two)):
        solution = {"nbgrader": {"solution": True, "grade_id": name}}
        cells.append(new_code_cell(answer or "raise NotImplementedError()", id=name, metadata=solution))
        cells.append(new_code_cell(f'check("02.{name}", {name})', id=f"{name}-check"))
    return dict(new_notebook(cells=cells))


def answer(first: str = "a", **more: Any) -> dict[str, Any]:
    return {"first": first, "last": first, "sure": None, "tries": 1} | more


def model(path: str, content: Any) -> dict[str, Any]:
    kind = {"format": "text", "type": "file"} if isinstance(content, str) else {"format": "json", "type": "notebook"}
    when = {"created": "2026-11-23T11:22:47Z", "last_modified": "2026-11-23T11:25:52Z"}
    own = {
        "name": path.rpartition("/")[2],
        "path": path,
        "content": content,
        "writable": True,
        "size": 1,
        "mimetype": "",
    }
    return own | kind | when


def progress(**exercises: Any) -> str:
    return json.dumps({"version": 2, "exercises": exercises, "predictions": {}})


def packed(files: dict[str, str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def text(notebook: Any) -> str:
    return notebook_text(from_dict(notebook))


def answer_in(model: dict[str, Any]) -> str:
    return "".join(next(cell["source"] for cell in model["content"]["cells"] if cell["id"] == "answer"))


def test_what_was_written_is_listed_downloaded_and_taken_up_in_another_browser(reader: Callable[[], Work]) -> None:
    here, there = reader(), reader()
    here.put(
        model(EXERCISE, exercise("answer = 'é'")), model(PROGRESS, progress(one={"passed": True})), model("a.txt", "é")
    )
    here.put_answers({"lessons/01.html q": {"01.q": answer()}})
    here.go()
    listed = here.page.locator("#list").inner_text()
    assert "Exercises 01" in listed and EXERCISE in listed and "2026" in listed
    assert "1 exercise passed, 1 question answered" in here.page.locator("#progress").inner_text()
    name, data = here.download()
    assert name.startswith("autograd-work-20") and name.endswith(".zip")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == sorted([EXERCISE, PROGRESS, "a.txt", ".autograd_teach_answers.json"])
    there.go()
    assert f"Imported: a.txt, {EXERCISE}." in there.take_up(data)
    files = there.get()
    assert answer_in(files[EXERCISE]) == "answer = 'é'"
    assert (files[EXERCISE]["type"], files[EXERCISE]["format"], files["a.txt"]["content"]) == ("notebook", "json", "é")
    assert json.loads(files[PROGRESS]["content"])["exercises"] == {"one": {"passed": True}}
    assert there.answers() == {"lessons/01.html q": {"01.q": answer()}}
    assert "Exercises 01" in there.page.locator("#list").inner_text()
    assert "contained nothing new" in there.take_up(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_where_both_have_written_both_stay(reader: Callable[[], Work], method: int) -> None:
    one = reader()
    one.put(
        model(EXERCISE, exercise("mine")),
        model(PROGRESS, progress(one={"passed": True, "tries": 2}, two={"passed": False})),
    )
    other = progress(one={"passed": False, "tries": 1}, two={"passed": True}, three={"passed": True})
    data = packed({f"unpacked/{EXERCISE}": text(exercise("other")), f"unpacked/{PROGRESS}": other}, method)
    for _ in range(2):
        said = one.take_up(data)
        files = one.get()
        beside = [name for name in files if "(imported 20" in name]
        assert len(files) == 3 and len(beside) == 1
    assert "contained nothing new" in said
    assert (answer_in(files[EXERCISE]), answer_in(files[beside[0]])) == ("mine", "other")
    merged = json.loads(files[PROGRESS]["content"])["exercises"]
    assert merged == {"one": {"passed": True, "tries": 2}, "three": {"passed": True}, "two": {"passed": True}}


@pytest.mark.full
def test_a_notebook_that_was_only_opened_is_no_change_and_gives_way(reader: Callable[[], Work]) -> None:
    one = reader()
    one.put(model(EXERCISE, exercise("raise NotImplementedError()")))
    assert "You have not changed a notebook" in one.page.locator("#list").inner_text()
    data = text(exercise("an answer", new_code_cell("1 + 1", id="own"))).encode()
    assert EXERCISE in one.take_up(data, "01_first (1).ipynb")
    assert answer_in(one.get()[EXERCISE]) == "an answer"


@pytest.mark.full
def test_nothing_changed_yet(reader: Callable[[], Work]) -> None:
    one = reader()
    page = one.go()
    assert "You have not changed a notebook in this browser yet." in page.locator("#list").inner_text()
    assert page.locator("#download").is_disabled()
    assert page.evaluate("indexedDB.databases()") == [], "looking leaves nothing behind"


GOOD = packed({EXERCISE: text(exercise("other"))}, zipfile.ZIP_STORED)


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"hello", "photo.zip", "photo.zip is neither a .zip"),
        (b"{}", "x.ipynb", "neither a .zip"),
        (GOOD.replace(b"other", b"0ther"), "work.zip", "The file is damaged"),
        (GOOD[:-30], "work.zip", "The file is damaged"),
        (packed({"../x.ipynb": "{}"}), "work.zip", "leads out of its folder"),
        (packed({"/x.ipynb": "{}"}), "work.zip", "leads out of its folder"),
        (packed({"..\\b.ipynb": "{}"}), "work.zip", "leads out of its folder"),
        (packed({"C:/b.ipynb": "{}"}), "work.zip", "leads out of its folder"),
        (packed({"big.txt": "0" * 100_000_001}), "work.zip", "more than 100 MB"),
        (packed({f"{number}.txt": "" for number in range(2001)}), "work.zip", "2001 files"),
        (packed({EXERCISE: "{"}), "work.zip", "not a valid notebook"),
        (packed({PROGRESS: "{"}), "work.zip", "cannot be read"),
        (packed({PROGRESS: '{"version": "2"}'}), "work.zip", "cannot be read"),
        (packed({PROGRESS: '{"version": 2.5}'}), "work.zip", "cannot be read"),
        (packed({PROGRESS: '{"version": 2, "exercises": {"one": {"tries": NaN}}}'}), "work.zip", "cannot be read"),
        (packed({PROGRESS: '{"exercises": {"one": {"x": ' + "[" * 9999 + "]" * 9999 + "}}}"}), "work.zip", "cannot be"),
        (packed({"d/" * 200 + "x.txt": ""}), "work.zip", "its name is too long"),
        (packed({}), "work.zip", "no notebook and no progress"),
    ],
)
def test_what_cannot_be_taken_up_is_said_and_changes_nothing(lasting: Work, data: bytes, name: str, said: str) -> None:
    before = lasting.get()
    assert said in lasting.take_up(data, name)
    assert lasting.get() == before


@pytest.mark.full
def test_a_browser_without_storage_is_told(browser: Any, address: str) -> None:
    one = Work(browser, address)
    one.context.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined })")
    page = one.go()
    assert "This browser does not store data for this site" in page.locator("#status").inner_text()
    assert page.locator("#download").is_disabled()
    assert one.wrong == []
    one.context.close()


def bad(**changes: Any) -> dict[str, Any]:
    """A notebook with one cell, of which something is of another type."""
    return exercise("x") | {"cells": [dict(new_code_cell("x", id="answer")) | changes]}


NOT_NOTEBOOKS: dict[str, Any] = {
    "source number": bad(source=5),
    "source object": bad(source={"toString": 1}),
    "line number": bad(source=["x", 5]),
    "cell type list": bad(cell_type=[]),
    "cell type inherited": bad(cell_type="constructor"),
    "id number": bad(id=5),
    "no metadata": bad(metadata=None),
    "outputs object": bad(outputs={}),
    "output null": bad(outputs=[None]),
    "output of no type": bad(outputs=[{"output_type": "toString"}]),
    "stream number": bad(outputs=[{"output_type": "stream", "name": "stdout", "text": 5}]),
    "cell null": exercise("x") | {"cells": [None]},
    "metadata list": exercise("x") | {"metadata": []},
    "nbformat 3": exercise("x") | {"nbformat": 3},
    "deep": exercise("x") | {"metadata": {"deep": json.loads("[" * 300 + "]" * 300)}},
}


@pytest.mark.full
def test_what_is_no_notebook_replaces_none_and_the_rest_is_taken_up(reader: Callable[[], Work]) -> None:
    one = reader()
    one.put(model(EXERCISE, exercise("raise NotImplementedError()")))
    own = {f"{name}.ipynb": json.dumps(content) for name, content in NOT_NOTEBOOKS.items()}
    said = one.take_up(packed({EXERCISE: own["source number.ipynb"], **own, "good.txt": "x"}))
    assert [name for name in (EXERCISE, *own) if f"{name} was left out: it is not a valid notebook." not in said] == []
    files = one.get()
    assert sorted(files) == [EXERCISE, "good.txt"]
    assert answer_in(files[EXERCISE]) == "raise NotImplementedError()"


def test_nothing_in_a_notebook_that_is_taken_up_is_trusted(reader: Callable[[], Work]) -> None:
    one = reader()
    one.go()
    notebook = exercise("x")
    notebook["metadata"] = {"trusted": True, "signature": "x", "kept": True}
    for cell in notebook["cells"]:
        cell["metadata"] = {"trusted": True, "kept": True}
    one.take_up(packed({EXERCISE: text(notebook), "own.ipynb": text(notebook)}))
    taken = [one.get()[name]["content"] for name in (EXERCISE, "own.ipynb")]
    assert [part["metadata"] for each in taken for part in (each, *each["cells"])] == [{"kept": True}] * 6


IN_THE_WAY = {
    f"{EXERCISE}/x": "is a file, not a folder",
    "lessons/01_first.ipynb/x": "is a file, not a folder",
    "n/x": "is a file, not a folder",
    "folder": "a folder has that name",
    "empty": "a folder has that name",
    "lessons": "a folder has that name",
    "new/x": "is a file, not a folder",
}


@pytest.mark.full
def test_nothing_is_put_over_a_file_or_a_folder_of_another_kind(reader: Callable[[], Work]) -> None:
    one = reader()
    folder = model("empty", None) | {"type": "directory"}
    one.put(model(EXERCISE, exercise("mine")), model("n", "mine"), model("folder/x.txt", "mine"), folder)
    before = one.get()
    said = one.take_up(packed({"new": "a file", **dict.fromkeys(IN_THE_WAY, "1"), "deep/er/x.txt": "1"}))
    for name, why in IN_THE_WAY.items():
        assert any(line.startswith(f"{name} was left out: ") and why in line for line in said.splitlines()), said
    after = one.get()
    assert {name: after[name] for name in before} == before
    added = {name: model["type"] for name, model in after.items() if name not in before}
    assert added == {"new": "file", "deep": "directory", "deep/er": "directory", "deep/er/x.txt": "file"}


def test_all_or_nothing_is_taken_up(reader: Callable[[], Work]) -> None:
    one = reader()
    one.put(model("mine.txt", "mine"))
    before = one.get()
    one.page.evaluate("""() => {
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (value, key) {
        if (key === "c.txt") throw new DOMException("refused", "DataCloneError");
        return put.call(this, value, key);
      };
    }""")
    asked = json.dumps({"lessons/01.html q": {"01.q": answer()}})
    said = one.take_up(packed({ANSWERS: asked, "a.txt": "", EXERCISE: text(exercise("x")), "c.txt": ""}))
    assert "Something went wrong (refused)" in said
    assert (one.get(), one.answers()) == (before, {})
    assert len(one.wrong) == 1 and "refused" in one.wrong.pop(), "the console has it too"


@pytest.mark.full
def test_what_another_tab_saves_meanwhile_stays(reader: Callable[[], Work]) -> None:
    one = reader()
    one.go()
    one.page.evaluate("""() => {
      const before = fetch, gate = new Promise((resolve) => { window.goOn = resolve; });
      window.fetch = async (...asked) => { window.isAsked = true; await gate; return before(...asked); };
    }""")
    data = packed({EXERCISE: text(exercise("other")), PROGRESS: progress(other={"passed": True})})
    file = {"name": "work.zip", "mimeType": "application/zip", "buffer": data}
    one.page.get_by_label("A file that was downloaded on this page").set_input_files(file)
    one.page.wait_for_function("window.isAsked")
    one.page.evaluate(PUT, [model(EXERCISE, exercise("mine")), model(PROGRESS, progress(mine={"passed": True}))])
    one.page.evaluate("goOn()")
    one.page.wait_for_function("document.querySelector('#status').innerText.includes('your version stays')")
    files = one.get()
    assert sorted(answer_in(each) for name, each in files.items() if name.endswith(".ipynb")) == ["mine", "other"]
    assert sorted(json.loads(files[PROGRESS]["content"])["exercises"]) == ["mine", "other"]


@pytest.mark.full
def test_names_that_only_the_browser_takes_come_along_under_others(reader: Callable[[], Work]) -> None:
    here, there = reader(), reader()
    odd = {"results 12:30.txt": "1", "results 12_30.txt": "2", "back\\slash.txt": "3", "runs/a:b/x.txt": "4"}
    here.put(*(model(name, content) for name, content in odd.items()), model("x.constructor", "5"))
    data = here.download()[1]
    assert "“results 12:30.txt” to “results 12_30 (2).txt”" in here.said()
    expected = {"results 12_30 (2).txt": "1", "results 12_30.txt": "2", "back_slash.txt": "3", "runs/a_b/x.txt": "4"}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == expected | {"x.constructor": "5"}
    there.go()
    there.take_up(data)
    files = {name: each["content"] for name, each in there.get().items() if each["type"] == "file"}
    assert files == expected | {"x.constructor": "5"}
    there.take_up(packed({"12:30.txt": "1", "a\\b.txt": "2", "a_b.txt": "3", "./x//y.txt": "4", ".": "5"}))
    for name, content in {"12_30.txt": "1", "a_b (2).txt": "2", "a_b.txt": "3", "x/y.txt": "4"}.items():
        assert there.get()[name]["content"] == content
    assert "“12:30.txt” to “12_30.txt”" in there.said()


@pytest.mark.full
def test_what_is_too_much_to_be_taken_up_again_is_said_with_the_download(reader: Callable[[], Work]) -> None:
    one = reader()
    one.put(*(model(f"{number}.txt", "") for number in range(2001)))
    with zipfile.ZipFile(io.BytesIO(one.download()[1])) as archive:
        assert len(archive.namelist()) == 2001
    assert "at most 2000 files and 100 MB" in one.said()


KEPT = {"lessons/01.html q": {"01.one": answer("b")}}


@pytest.mark.full
@pytest.mark.parametrize(
    ("told", "expected", "said"),
    [
        (
            {"lessons/01.html q": {"01.one": answer("a"), "01.two": answer("a")}},
            {"lessons/01.html q": {"01.one": answer("b"), "01.two": answer("a")}},
            "Imported: 1 answer given on pages.",
        ),
        (KEPT, KEPT, "The answers given on pages contained nothing new."),
        ({"lessons/09.html q": {"09.one": answer()}}, KEPT, "cannot come from a page of this site"),
        ({"junk": 5}, KEPT, "cannot come from a page of this site"),
        ({"lessons/01.html q": {"01.two": "x"}}, KEPT, "cannot come from a page of this site"),
        ({"lessons/01.html q": {"01.two": answer("x" * 100)}}, KEPT, "cannot come from a page of this site"),
        ([], KEPT, "cannot come from a page of this site"),
    ],
)
def test_answers_of_pages_are_joined_question_by_question(lasting: Work, told: Any, expected: Any, said: str) -> None:
    lasting.put_answers(KEPT)
    assert said in lasting.take_up(packed({ANSWERS: json.dumps(told)}))
    assert lasting.answers() == expected


@pytest.mark.full
def test_answers_for_which_there_is_no_space_are_said_to_be_left_out(reader: Callable[[], Work]) -> None:
    one = reader()
    one.go()
    one.page.evaluate("localStorage.setItem('full', 'x'.repeat(5_242_880 - 30))")
    told = {"lessons/01.html q": {"01.one": answer()}}
    assert "there is no space left for them in this browser" in one.take_up(packed({ANSWERS: json.dumps(told)}))
    assert one.answers() == {}


@pytest.mark.full
def test_what_is_not_carried_along_is_said(reader: Callable[[], Work]) -> None:
    one = reader()
    one.put(*(model(name, "x") for name in (".env", "__pycache__/m.py", ANSWERS, "a.txt")))
    with zipfile.ZipFile(io.BytesIO(one.download()[1])) as archive:
        assert archive.namelist() == ["a.txt"]
    for name in (".env", "__pycache__/m.py"):
        assert name in one.said()
    said = one.take_up(packed({".hidden/x.txt": "x", "__MACOSX/._a.txt": "x", "b.txt": "x"}))
    assert "files without a name were left out: “.hidden/x.txt”." in said


@pytest.mark.full
def test_a_mark_at_the_beginning_stays_and_makes_no_copies(reader: Callable[[], Work]) -> None:
    one = reader()
    one.go()
    data = packed({"t.csv": "\ufeffa,b", EXERCISE: "\ufeff" + text(exercise("x")), PROGRESS: "\ufeff" + progress()})
    assert f"Imported: t.csv, {EXERCISE}." in one.take_up(data)
    assert "3 files contained nothing new" in one.take_up(data)
    with zipfile.ZipFile(io.BytesIO(one.download()[1])) as archive:
        assert archive.read("t.csv") == "\ufeffa,b".encode()
    assert sorted(one.get()) == [PROGRESS, EXERCISE, "t.csv"]


@pytest.mark.full
def test_a_copy_of_an_earlier_day_is_not_made_again(reader: Callable[[], Work]) -> None:
    one = reader()
    copies = [
        model(f"{name} (imported 2025-01-01){ending}", content)
        for name, ending, content in [(EXERCISE[:-6], ".ipynb", exercise("other")), ("a", ".txt", "other")]
    ]
    one.put(model(EXERCISE, exercise("mine")), model("a.txt", "mine"), *copies)
    before = one.get()
    said = one.take_up(packed({EXERCISE: text(exercise("other")), "a.txt": "other"}))
    assert "2 files contained nothing new" in said
    assert one.get() == before


@pytest.mark.full
def test_a_damaged_file_in_the_store_is_listed_and_downloaded_as_it_is(reader: Callable[[], Work]) -> None:
    one = reader()
    one.put(
        model("b.bin", "***") | {"format": "base64"},
        model("c.bin", base64.b64encode(b"\0\1").decode()) | {"format": "base64"},
    )
    assert "b.bin" in one.page.locator("#list").inner_text()
    with zipfile.ZipFile(io.BytesIO(one.download()[1])) as archive:
        assert [archive.read(name) for name in ("b.bin", "c.bin")] == [b"***", b"\0\1"]


@pytest.mark.full
def test_a_note_that_nothing_was_changed_is_not_believed_without_a_word(reader: Callable[[], Work]) -> None:
    one = reader()
    one.go()
    notebook = exercise("work")
    noted = {cell["id"]: zlib.crc32(cell["source"].encode()) for cell in notebook["cells"]}
    notebook["metadata"] = {"autograd_teach_delivered": noted}
    said = one.take_up(packed({EXERCISE: text(notebook), "own.ipynb": text(notebook)}))
    assert f"{EXERCISE} was left out: it is unchanged, from another version of this site." in said
    assert sorted(one.get()) == ["own.ipynb"], (
        "a notebook that is not of the course is the reader's own, whatever it says"
    )


def old_name(data: bytes, name: bytes) -> bytes:
    """The archive with a name that is not said to be in UTF-8 in place of "a.txt" or "aa.txt"."""
    return data.replace(b"a" * (len(name) - 4) + b".txt", name)


def zip64(data: bytes) -> bytes:
    """An archive with one stored file whose sizes stand in the wide field."""
    at = data.index(b"PK\x01\x02")
    size, name = struct.unpack_from("<I", data, at + 24)[0], struct.unpack_from("<H", data, at + 28)[0]
    extra = struct.pack("<HHQQ", 1, 16, size, size)
    entry = bytearray(data[at : at + 46 + name] + extra)
    struct.pack_into("<II", entry, 20, 0xFFFFFFFF, 0xFFFFFFFF)
    struct.pack_into("<H", entry, 30, len(extra))
    end = bytearray(data[at + 46 + name :])
    struct.pack_into("<I", end, 12, len(entry))
    return data[:at] + bytes(entry) + bytes(end)


@pytest.mark.full
@pytest.mark.parametrize(
    ("data", "name"),
    [
        (old_name(packed({"a.txt": "x"}), b"\x81.txt"), "ü.txt"),
        (old_name(packed({"aa.txt": "x"}), "é.txt".encode()), "é.txt"),
        (zip64(packed({"a.txt": "x"}, zipfile.ZIP_STORED)), "a.txt"),
    ],
)
def test_archives_of_other_programs(reader: Callable[[], Work], data: bytes, name: str) -> None:
    one = reader()
    one.go()
    assert f"Imported: {name}." in one.take_up(data)
    assert one.get()[name]["content"] == "x"


@pytest.mark.full
def test_progress_with_names_that_objects_have_already(reader: Callable[[], Work]) -> None:
    one = reader()
    one.go()
    names = ["__proto__", "constructor"]
    odd = progress(**{name: {"passed": True, "last": "a", "when": {"toString": 1}} for name in names})
    for said in ("was imported", "contained nothing new"):
        assert said in one.take_up(packed({PROGRESS: odd}))
    assert sorted(json.loads(one.get()[PROGRESS]["content"])["exercises"]) == names


PASSED = {"02.one": {"passed": True}, "02.two": {"passed": False}, "09.gone": {"passed": True}}
UNSAVED = "Answers that passed have not been saved yet in “Exercises 02”: save the notebook in its tab (Ctrl+S)"


@pytest.mark.full
@pytest.mark.parametrize(
    ("notebooks", "exercises", "is_missing"),
    [
        ({}, PASSED, True),
        ({SECOND: two_answers("", "written")}, PASSED, True),
        ({SECOND: two_answers("written", "")}, PASSED, False),
        (
            {
                SECOND: two_answers("", "written"),
                "exercises/02_second (imported 2026-01-01).ipynb": two_answers("x", ""),
            },
            PASSED,
            False,
        ),
        ({}, {"02.one": {"passed": False}}, False),
        ({EXERCISE: exercise("written")}, {"01.one": {"passed": True}}, False),
    ],
)
def test_what_passed_but_was_not_saved_is_said(
    reader: Callable[[], Work], notebooks: dict[str, Any], exercises: dict[str, Any], is_missing: bool
) -> None:
    one = reader()
    one.put(model(PROGRESS, progress(**exercises)), *(model(name, content) for name, content in notebooks.items()))
    assert (UNSAVED in one.page.locator("#list").inner_text()) == is_missing
    one.download()
    one.page.wait_for_function("document.querySelector('#status').innerText.includes('has been made')")
    assert (UNSAVED in one.said()) == is_missing


@pytest.mark.full
def test_the_page_says_that_answers_are_kept_apart(reader: Callable[[], Work]) -> None:
    assert "Answers to questions are stored separately" in reader().go().locator("main").inner_text()


@pytest.mark.full
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_nobody_is_kept_out(browser: Any, address: str, scheme: str, width: int) -> None:
    one = Work(browser, address, color_scheme=scheme, viewport={"width": width, "height": 800})
    one.put(model(EXERCISE, exercise("mine")))
    one.take_up(GOOD)
    assert one.page.evaluate(AUDIT) == []
    assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert one.wrong == []
    one.context.close()
