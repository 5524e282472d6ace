"""The page "Your work" in Chromium: what a reader wrote is downloaded as one file and taken up elsewhere, and nothing is lost.

JupyterLite is not here: files are put into IndexedDB by a script, in the layout that JupyterLite 0.7.6 gives them.
tests/site/test_live.py does the same with the real one.
"""

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograd_teach.course.notebooks import notebook_text
from autograd_teach.site import pages
from tests.site.small import served, site_of, write_course
from tests.site.test_in_browser import AUDIT, Reader

pytestmark = pytest.mark.browser

WORK = "live/work.html"
EXERCISE = "exercises/01_first.ipynb"
PROGRESS = "exercises/.autograd_teach_progress.json"
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

    def download(self) -> tuple[str, bytes]:
        with self.page.expect_download() as waited:
            self.page.get_by_role("button", name="Download all as one file").click()
        return waited.value.suggested_filename, Path(waited.value.path()).read_bytes()

    def take_up(self, data: bytes, name: str = "work.zip") -> str:
        file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
        self.page.locator("#status").evaluate("(status) => status.replaceChildren()")
        self.page.get_by_label("A file that was downloaded here").set_input_files(file)
        self.page.wait_for_function(
            "() => { const text = document.querySelector('#status').innerText; return text && !text.startsWith('Reading') }"
        )
        return str(self.page.locator("#status").inner_text())


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


def exercise(answer: str, *more: Any) -> dict[str, Any]:
    cells = [new_markdown_cell("# Exercises 01\n\nSee [it](../lessons/01_first.ipynb).", id="statement")]
    return dict(new_notebook(cells=[*cells, new_code_cell(answer, id="answer"), *more]))


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
    from nbformat import from_dict

    return notebook_text(from_dict(notebook))


def answer_in(model: dict[str, Any]) -> str:
    return "".join(next(cell["source"] for cell in model["content"]["cells"] if cell["id"] == "answer"))


def test_what_was_written_is_listed_downloaded_and_taken_up_in_another_browser(reader: Callable[[], Work]) -> None:
    here, there = reader(), reader()
    here.put(
        model(EXERCISE, exercise("answer = 'é'")), model(PROGRESS, progress(one={"passed": True})), model("a.txt", "é")
    )
    here.page.evaluate("localStorage.setItem('autograd_teach answers /', '{\"lessons/01.html q\": {}}')")
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
    assert f"Taken up: a.txt, {EXERCISE}." in there.take_up(data)
    files = there.get()
    assert answer_in(files[EXERCISE]) == "answer = 'é'"
    assert (files[EXERCISE]["type"], files[EXERCISE]["format"], files["a.txt"]["content"]) == ("notebook", "json", "é")
    assert json.loads(files[PROGRESS]["content"])["exercises"] == {"one": {"passed": True}}
    assert there.page.evaluate("localStorage.getItem('autograd_teach answers /')") == '{"lessons/01.html q":{}}'
    assert "Exercises 01" in there.page.locator("#list").inner_text()
    assert "brought nothing new" in there.take_up(data)


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
        beside = [name for name in files if "(taken up 20" in name]
        assert len(files) == 3 and len(beside) == 1
    assert "brought nothing new" in said
    assert (answer_in(files[EXERCISE]), answer_in(files[beside[0]])) == ("mine", "other")
    merged = json.loads(files[PROGRESS]["content"])["exercises"]
    assert merged == {"one": {"passed": True, "tries": 2}, "three": {"passed": True}, "two": {"passed": True}}


def test_a_notebook_that_was_only_opened_is_no_change_and_gives_way(reader: Callable[[], Work]) -> None:
    one = reader()
    one.put(model(EXERCISE, exercise("raise NotImplementedError()")))
    assert "You have changed no notebook" in one.page.locator("#list").inner_text()
    data = text(exercise("an answer", new_code_cell("1 + 1", id="own"))).encode()
    assert EXERCISE in one.take_up(data, "01_first (1).ipynb")
    assert answer_in(one.get()[EXERCISE]) == "an answer"


def test_nothing_changed_yet(reader: Callable[[], Work]) -> None:
    one = reader()
    page = one.go()
    assert "You have changed no notebook in this browser yet." in page.locator("#list").inner_text()
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
        (packed({"a\\b.ipynb": "{}"}), "work.zip", "leads out of its folder"),
        (packed({"big.txt": "0" * 100_000_001}), "work.zip", "more than 100 MB"),
        (packed({f"{number}.txt": "" for number in range(2001)}), "work.zip", "2001 files"),
        (packed({EXERCISE: "{"}), "work.zip", "not a valid notebook"),
        (packed({PROGRESS: "{"}), "work.zip", "cannot be read"),
        (packed({}), "work.zip", "no notebook and no progress"),
    ],
)
def test_what_cannot_be_taken_up_is_said_and_changes_nothing(
    reader: Callable[[], Work], data: bytes, name: str, said: str
) -> None:
    one = reader()
    one.put(model(EXERCISE, exercise("mine")))
    before = one.get()
    assert said in one.take_up(data, name)
    assert one.get() == before


def test_a_browser_without_storage_is_told(browser: Any, address: str) -> None:
    one = Work(browser, address)
    one.context.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined })")
    page = one.go()
    assert "This browser keeps nothing for this site" in page.locator("#status").inner_text()
    assert page.locator("#download").is_disabled()
    assert one.wrong == []
    one.context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_nobody_is_kept_out(browser: Any, address: str, scheme: str, width: int) -> None:
    one = Work(browser, address, color_scheme=scheme, viewport={"width": width, "height": 800})
    one.put(model(EXERCISE, exercise("mine")))
    one.take_up(GOOD)
    assert one.page.evaluate(AUDIT) == []
    assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert one.wrong == []
    one.context.close()
