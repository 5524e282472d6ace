"""The site's live notebooks in Chromium, without a network: opened as a reader does, checked, reloaded, taken home, graded."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course import content
from autograd_teach.course.exercises import exercises
from autograd_teach.site.build import Site, build
from autograd_teach.site.live import prepare, write
from autograd_teach.site.runtime import Release, pinned
from tests.site.live import LOADING, Live, errors_in, live_page, pyodide_folders, text_of
from tests.site.small import served
from tests.site.tree import problems

pytestmark = [pytest.mark.full, pytest.mark.site, pytest.mark.browser]

EXERCISE = "exercises/09_custom_functions.ipynb"
RIGHT = '''class Scale(Function):
    """Every entry of x times the number factor."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None
'''
WRONG = RIGHT.replace("grad_output * ctx.factor", "2 * grad_output * ctx.factor")
ENDLESS = RIGHT.replace("        ctx.factor = factor\n", "        while True:\n            pass\n")
# An answer, and what its check says of it; None: as it was given, "": its cell has not run.
ATTEMPTS = (
    ("", "The cell with your Scale has not run yet: run it first, then check."),
    (None, "not attempted"),
    (WRONG, "it is twice what it must be"),
    (ENDLESS, "is there an endless loop?"),
    (RIGHT, "7 of 7 checks pass"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folders = pyodide_folders()
    folder = tmp_path_factory.mktemp("public") / "course"
    site = Site("autograd_teach", "", "", content.folder("lessons"), content.folder("exercises"))
    build(site, folder, folders, tell=lambda _: None)
    return folder


@pytest.fixture(scope="module")
def address(made: Path) -> Iterator[str]:
    """Not at the root of the server, as on GitHub Pages."""
    with served(made.parent) as root:
        yield f"{root}{made.name}/"


@pytest.fixture
def start(browser: Any, chromium: str, tmp_path: Path) -> Callable[[], Any]:
    """Starts a browser whose memory lasts from one start to the next."""

    def start() -> Any:
        kind = browser.browser_type
        return kind.launch_persistent_context(
            tmp_path / "profile", executable_path=chromium, args=["--no-sandbox"], accept_downloads=True
        )

    return start


def test_everything_leads_somewhere_inside(made: Path) -> None:
    # JupyterLite's own pages name templates of addresses, which no reader sees.
    assert problems(made, ignore=r"^live/(?!work\.html)") == []


def test_the_lock_file_names_what_lies_beside_it(made: Path) -> None:
    folder = made / "live" / "pyodide"
    packages = json.loads((folder / "pyodide-lock.json").read_bytes())["packages"]
    for name, entry in packages.items():
        data = (folder / entry["file_name"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"], name
        assert set(entry["depends"]) <= packages.keys(), name
    kernel = json.loads((made / "live" / "jupyter-lite.json").read_bytes())["jupyter-config-data"]["litePluginSettings"]
    assert "http" not in json.dumps(kernel["@jupyterlite/pyodide-kernel-extension:kernel"])


@pytest.mark.parametrize("lesson", ["03_the_graph"])
def test_a_lesson_runs_in_its_page_and_its_views_answer(browser: Any, address: str, lesson: str) -> None:
    with live_page(browser.new_context(), address) as live:
        live.page.goto(f"{address}live/notebooks/index.html?path=lessons/{lesson}.ipynb")
        live.page.get_by_text(LOADING).first.wait_for()
        cells = live.open(f"lessons/{lesson}.ipynb").run_all()
        assert all(cell["count"] for cell in cells if cell["source"].strip())
        assert [
            error for cell in cells if "raises-exception" not in cell["tags"] for error in errors_in(cell["outputs"])
        ] == []
        view = live.page.locator(".jp-OutputArea-output", has=live.page.get_by_role("button", name="forward")).first
        view.scroll_into_view_if_needed()
        view.locator("svg .agt-operation, svg .agt-leaf").first.wait_for(state="attached")
        before = view.locator(".agt-caption").inner_text()
        view.get_by_role("button", name="forward").click()
        assert view.locator(".agt-caption").inner_text() != before


def test_leaves_move_and_predictions_stay(start: Callable[[], Any], address: str) -> None:
    context = start()
    with live_page(context, address) as live:
        live.open("lessons/00_start_here.ipynb").run_all()
        moved = live.output_of("viz.live(f")
        moved.get_by_role("spinbutton", name="a", exact=True).fill("3")
        live.page.get_by_text("f(a=3, b=-3, c=10) = 1", exact=True).wait_for()
        question = live.output_of('predict("00.nudge")')
        question.get_by_role("radio").first.check(force=True)
        question.get_by_role("button", name="Check my prediction").click()
        question.get_by_text("✗ Not so. (a)").wait_for()
        live.ask("")  # after what the page has sent before: the answer is stored
        live.wait_until_stored()
        live.page.reload()
        live.open("lessons/00_start_here.ipynb")  # nothing has run yet: as it was saved, the question asked anew
        live.output_of('predict("00.nudge")').get_by_text("✗ Not so. (a)").wait_for()
        live.output_of("viz.live(f").get_by_text("As it was saved. Run the cell for the interactive view.").wait_for()
        live.run_all()
        live.output_of('predict("00.nudge")').get_by_text("✗ Not so. (a)").wait_for()
        live.page.evaluate('() => { window.jupyterapp.commands.execute("notebook:interrupt-kernel") }')
        live.page.get_by_text("Python cannot be interrupted here.").first.wait_for()
    context.close()


def test_answers_survive_a_reload_and_a_restart_go_home_and_are_graded(
    start: Callable[[], Any], address: str, tmp_path: Path
) -> None:
    downloaded = tmp_path / "submissions" / "ada" / Path(EXERCISE).name
    downloaded.parent.mkdir(parents=True)
    context = start()
    with live_page(context, address) as live:
        _solve(live.open(EXERCISE))
        live.page.reload()
        live.open(EXERCISE)
        assert any(cell["source"] == RIGHT for cell in live.cells())
    context.close()
    context = start()
    with live_page(context, address) as live:
        live.open(EXERCISE)
        assert any(cell["source"] == RIGHT for cell in live.cells())
        live.run("from autograd_teach.course import")
        assert f"2 of {sum(each.points for each in exercises('09'))} points" in live.run('progress("09")')
        with live.page.expect_download() as download:
            live.page.evaluate('() => { window.jupyterapp.commands.execute("docmanager:download") }')
        download.value.save_as(downloaded)
    work = _take_home(context, address, tmp_path)
    context.close()
    _expect_grade(downloaded.parents[1], tmp_path / "grades")
    _expect_taken_up(work, tmp_path / "installed")


def test_the_release_is_loaded_from_its_public_address(browser: Any, made: Path, tmp_path: Path) -> None:
    """Another server stands for Pyodide's: all but the network between."""
    lock = json.loads((made / "live" / "pyodide" / "pyodide-lock.json").read_bytes())
    packages = {name: entry for name, entry in lock["packages"].items() if name in pinned().packages}
    with served(made / "live" / "pyodide", for_all=True) as elsewhere, served(tmp_path) as address:
        release = Release(pinned().version, elsewhere.rstrip("/"), lock["info"], packages)
        runtime = prepare([], tell=lambda _: None, release=release)
        site = Site("autograd_teach", "", "", content.folder("lessons"), content.folder("exercises"))
        write(site, tmp_path, runtime, tell=lambda _: None)
        assert not list((tmp_path / "live" / "pyodide").glob("*numpy*"))
        with live_page(browser.new_context(), address, elsewhere) as live:
            live.open(EXERCISE)
            live.run("from autograd_teach.course import")
            live.run("class Scale(", RIGHT)
            assert "7 of 7 checks pass" in live.run('check("09.Scale"')
            asked = {url.removeprefix(elsewhere) for url in live.outside if url.startswith(elsewhere)}
    assert {"pyodide.asm.wasm", "python_stdlib.zip", packages["numpy"]["file_name"]} <= asked


def _solve(live: Live) -> None:
    """A student's way: not yet, wrong, endless, right."""
    live.run("from autograd_teach.course import")
    for answer, expected in ATTEMPTS:
        if answer != "":
            live.run("class Scale(", answer)
        said = live.run('check("09.Scale"')
        assert expected in said, said
    hints = [text_of(live.ask('hint("09.Scale")')) for _ in range(2)]
    assert ["hint 1 of" in hints[0], "hint 2 of" in hints[1]] == [True, True], hints
    live.wait_until_stored()


def _take_home(context: Any, address: str, folder: Path) -> Path:
    page = context.new_page()
    page.goto(f"{address}live/work.html")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    page.close()
    return path


def _command(*arguments: object) -> str:
    command = [sys.executable, "-m", "autograd_teach.cli", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _expect_grade(submissions: Path, grades: Path) -> None:
    solutions = content.folder("solutions")
    said = _command("grade", submissions, "--solutions", solutions, "--output", grades, "--points-only")
    rows = (grades / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    assert rows[1].startswith("ada,partial,0,2,0,2,6,oracle,"), said


def _expect_taken_up(work: Path, folder: Path) -> None:
    said = _command("update", folder, "--from", work)
    cells = json.loads((folder / EXERCISE).read_bytes())["cells"]
    assert RIGHT.rstrip() in ["".join(cell["source"]).rstrip() for cell in cells], said
    assert re.search(r"\b2 of \d+ points", _command("progress", folder))
