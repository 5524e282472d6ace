"""The way a student takes: `autograd-teach lab`, a browser, a lesson run from top to bottom, a graph looked at.

One real server for JupyterLab and Notebook 7, and one headless Chromium. Everything the page asks for must come from this machine. With
AUTOGRAD_TEACH_SCREENSHOTS=FOLDER the pictures are kept for someone to look at.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import nbconvert
import nbformat
import pytest

from autograd_teach import viz
from autograd_teach.course.lab import FIRST_PAGE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

Notebook = dict[str, Any]
LESSON = "lessons/03_the_graph.ipynb"
SETTINGS_DIRECTORIES = ("CONFIG", "DATA", "RUNTIME")


@dataclass
class Lab:
    """A running JupyterLab."""

    folder: Path
    port: int
    log: Path

    def url(self, notebook: str, front_end: str = "lab") -> str:
        place = {"lab": f"lab/tree/{notebook}?reset", "notebook": f"notebooks/{notebook}"}[front_end]
        return f"http://127.0.0.1:{self.port}/{place}"

    def ask(self, what: str) -> Any:
        """The answer of the server's own interface, as a student's page gets it."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/{what}", timeout=10) as answer:
            return json.load(answer)


@dataclass
class Observed:
    """What a page did that a reader does not see."""

    requests: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def private_settings(home: Path) -> dict[str, str]:
    """An environment in which no setting of the person who runs the tests is found, and none is written."""
    jupyter = {f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in SETTINGS_DIRECTORIES}
    lab = {f"JUPYTERLAB_{name}_DIR": str(home / name) for name in ("SETTINGS", "WORKSPACES")}
    # Where an installation puts it is found by itself; this is the one of the tree that is tested.
    ours = {"JUPYTER_PATH": str(Path(viz.__file__).parent / "jupyter")}
    return os.environ | jupyter | lab | ours | {"IPYTHONDIR": str(home / "ipython")}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab, started by the command that README.md gives, on a fresh copy of the course."""
    base = tmp_path_factory.mktemp("lab")
    running = Lab(base / "my course", free_port(), base / "log")
    command = [sys.executable, "-m", "autograd_teach.cli", "lab", str(running.folder)]
    command += ["--no-browser", "--port", str(running.port), "--ip=127.0.0.1"]
    command += ["--IdentityProvider.token=", "--ServerApp.password="]
    with running.log.open("wb") as log:
        process = subprocess.Popen(command, cwd=base, env=private_settings(base), stdout=log, stderr=log)
    try:
        wait_until_answering(running, process)
        yield running
    finally:
        process.terminate()
        assert process.wait(timeout=30) == 0, running.log.read_text()


def wait_until_answering(lab: Lab, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        try:
            lab.ask("status")
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not come up:\n{lab.log.read_text()}")


@pytest.fixture
def observed() -> Observed:
    return Observed()


@pytest.fixture
def page(browser: "Browser", observed: Observed) -> Iterator["Page"]:
    """A page whose requests and complaints are noted from the first byte on."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(30_000)
    page.on("request", lambda request: observed.requests.add(request.url))
    page.on("websocket", lambda websocket: observed.requests.add(websocket.url))
    page.on("pageerror", lambda error: observed.problems.append(str(error)))
    page.on("console", lambda message: note_error(message, observed))
    yield page
    page.close()


def note_error(message: "ConsoleMessage", observed: Observed) -> None:
    if message.type == "error":
        observed.problems.append(f"{message.text} [{message.location.get('url', '')}]")


def open_notebook(page: "Page", lab: Lab, name: str, front_end: str = "lab") -> None:
    page.goto(lab.url(name, front_end))
    page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell")
    # To run a cell before the page has its kernel would only ask which kernel to take.
    wait_until(page, lambda: kernel_is_ready(lab, name))


def kernel_is_ready(lab: Lab, name: str) -> bool:
    """Whether the server says that the page has reached the notebook's kernel, and that this kernel is idle."""
    kernels = [session["kernel"] for session in lab.ask("sessions") if session["path"] == name]
    return any(k["connections"] and k["execution_state"] == "idle" for k in kernels)


def wait_until(page: "Page", condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait as the page's user would: the page goes on living meanwhile."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        page.wait_for_timeout(200)


def menu(page: "Page", *labels: str) -> None:
    """Click through a menu of JupyterLab's menu bar."""
    page.locator(".lm-MenuBar-itemLabel", has_text=re.compile(f"^{labels[0]}$")).click()
    for label in labels[1:]:
        page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{label}$")).last.click()


def run_all_and_save(page: "Page", lab: Lab, name: str) -> None:
    """Run every cell and save, until the file has a new number for each of them."""
    menu(page, "Edit", "Clear Outputs of All Cells")  # so that what is there later is new
    menu(page, "Run", "Run All Cells")

    def all_have_run() -> bool:
        menu(page, "File", "Save Notebook")
        page.wait_for_timeout(500)
        notebook = lab.ask(f"contents/{name}")["content"]
        assert unexpected_errors(notebook) == []  # after one, the other cells would not run
        counts = [cell["execution_count"] for cell in code_cells(notebook)]
        return counts == [*range(1, len(counts) + 1)]

    wait_until(page, lambda: kernel_is_idle(page) and all_have_run(), seconds=120)


def kernel_is_idle(page: "Page") -> bool:
    return bool(
        page.evaluate(
            "() => document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'"
            " && ![...document.querySelectorAll('.jp-InputPrompt')].some(e => e.textContent.includes('*'))"
        )
    )


def code_cells(notebook: Notebook) -> list[Notebook]:
    return [c for c in notebook["cells"] if c["cell_type"] == "code" and "".join(c["source"])]


def keep(page: "Page", name: str) -> None:
    """Save a screenshot where the caller wants one."""
    if folder := os.environ.get("AUTOGRAD_TEACH_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / name)


# Notebook 7.6 throws these when it starts, whatever it opens and with nothing of ours installed.
NOTEBOOK_7S_OWN = (
    "Cannot read properties of undefined (reading 'schema')",
    "Command 'filebrowser:open-path' not registered.",
)


def assert_clean(observed: Observed, known: tuple[str, ...] = ()) -> None:
    """Nothing went wrong on the page, but for what is known, and nothing was asked of another machine."""
    assert [problem for problem in observed.problems if problem not in known] == []
    assert observed.requests, "nothing was observed at all"
    hosts = {urlsplit(url).hostname for url in observed.requests if not url.startswith(("data:", "blob:"))}
    assert hosts == {"127.0.0.1"}


def test_the_course_opens_at_its_first_page(lab: Lab, page: "Page", observed: Observed):
    page.goto(f"http://127.0.0.1:{lab.port}/")
    wait_until(page, lambda: kernel_is_ready(lab, FIRST_PAGE))
    assert page.locator(".lm-TabBar-tab.lm-mod-current", has_text="00_start_here.ipynb").count()
    keep(page, "first-page.png")
    assert_clean(observed)


def test_notebooks_run_on_this_very_python(lab: Lab):
    known = lab.ask("kernelspecs")
    assert known["default"] == "python3"
    resources = known["kernelspecs"]["python3"]
    assert resources["spec"]["argv"][0] in ("python", sys.executable)


@pytest.mark.parametrize("front_end", ["lab", "notebook"])
def test_lesson_03_runs_and_its_graphs_answer(
    lab: Lab, page: "Page", observed: Observed, front_end: str, require_module: Callable[[str], Any]
):
    require_module({"lab": "jupyterlab", "notebook": "notebook"}[front_end])
    lesson = f"lessons/{front_end}.ipynb"  # each with a kernel of its own
    shutil.copy(lab.folder / LESSON, lab.folder / lesson)
    open_notebook(page, lab, lesson, front_end)
    run_all_and_save(page, lab, lesson)

    graph = view_with(page, ".agt-node")
    told = graph.locator(".agt-details")
    assert graph.locator(".agt-node").count() >= 3
    for node in graph.locator(".agt-node").all():
        node.hover()
        title, facts = told.get_by_role("heading").inner_text(), told.inner_text()
        assert (node.get_attribute("aria-label") or "").startswith(f"{title}, ")
        assert re.search(r"shape\s+\(.*\)", facts), facts
    keep(page, f"lesson-03-graph-{front_end}.png")

    player = view_with(page, ".agt-transport")
    caption = player.locator(".agt-caption")
    captions = [caption.inner_text()]
    for _ in range(3):
        player.get_by_role("button", name="forward").click()
        captions.append(caption.inner_text())
    assert len(set(captions)) == 4, captions
    player.get_by_role("button", name="back").click()
    assert caption.inner_text() == captions[2]
    player.locator(".agt-stage").scroll_into_view_if_needed()
    keep(page, f"lesson-03-player-{front_end}.png")

    assert_clean(observed, NOTEBOOK_7S_OWN if front_end == "notebook" else ())


def test_a_word_in_a_lesson_leads_to_its_entry_in_the_glossary(lab: Lab, page: "Page", observed: Observed):
    """Notebook 7 forgets the heading when it opens a notebook in a tab of its own: there, it is the glossary's beginning."""
    open_notebook(page, lab, "lessons/01_requires_grad.ipynb")
    colour = "(node) => getComputedStyle(node).color"
    code = page.locator(".jp-RenderedMarkdown p > a > code").first  # the text of a link
    assert code.evaluate(colour) == code.locator("..").evaluate(colour) != code.locator("../..").evaluate(colour)
    link = page.locator(".jp-RenderedMarkdown a", has_text=re.compile("^leaf$")).first
    panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer")

    def is_found() -> bool:  # a page has the cells that are near the reader's eyes, no others
        panel.evaluate("(panel) => { panel.scrollTop += 400 }")
        return link.count() > 0

    wait_until(page, is_found)
    link.click()
    heading = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) h2[data-jupyter-id=leaf]")
    heading.wait_for()

    def is_in_view() -> bool:
        frame, box = panel.bounding_box(), heading.bounding_box()
        return bool(frame and box and frame["y"] <= box["y"] < frame["y"] + frame["height"] - box["height"])

    wait_until(page, is_in_view)
    assert panel.evaluate("(panel) => panel.scrollTop") > 0
    keep(page, "glossary.png")
    assert_clean(observed)


def unexpected_errors(notebook: Notebook) -> list[str]:
    """The exceptions in cells that are not there to show one."""
    return [
        f"{output['ename']}: {output['evalue']}"
        for cell in code_cells(notebook)
        if "raises-exception" not in cell["metadata"].get("tags", [])
        for output in cell["outputs"]
        if output["output_type"] == "error"
    ]


def view_with(page: "Page", part: str) -> "Locator":
    """The first view in the notebook that has this part, brought before the reader's eyes."""
    view = page.locator(".jp-OutputArea .agt", has=page.locator(part)).first
    view.scroll_into_view_if_needed()
    return view


NO_GRAPHVIZ = """
import os, sys
sys.modules["pygraphviz"] = None
os.environ["PATH"] = ""
"""
DRAW = """
import autograd_teach as torch
from autograd_teach import viz
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
"""


def small_notebook(lab: Lab, name: str, *cells: str) -> None:
    """A notebook of these cells, with no output yet."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = [nbformat.v4.new_code_cell(cell.strip(), id=f"cell-{i}") for i, cell in enumerate(cells)]
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel}), lab.folder / name)


def test_where_python_has_no_graphviz_the_browser_draws(lab: Lab, page: "Page", observed: Observed):
    """And a view that is given another picture by its kernel draws that one, and leaves its neighbour alone."""
    name = "no-graphviz.ipynb"
    size = "print(max(len(json.dumps(v.widget.get_state(['view', 'svg']))) for v in (graph, play)))"
    start = f"{NO_GRAPHVIZ}{DRAW}import json\ngraph, play = viz.graph(y), viz.play(y)\n{size}"
    small_notebook(
        lab, name, start, "graph", "play", "again = viz.graph(y)\nagain", "again.widget.show('', play.data())"
    )
    open_notebook(page, lab, name)
    run_all_and_save(page, lab, name)
    outputs = [cell["outputs"] for cell in code_cells(lab.ask(f"contents/{name}")["content"])]
    assert int(outputs[0][0]["text"]) < 10_000, "Graphviz is sent, not kept in the state"
    assert "image/svg+xml" not in outputs[1][0]["data"]

    assert view_with(page, ".agt-legend").locator(".agt-node").count() == 4
    players = page.locator(".jp-OutputArea .agt-play-view")
    wait_until(page, lambda: players.count() == 2)
    players.last.get_by_role("button", name="last").click()
    ends = "Step 3 of 3: AccumulateGrad of x runs"
    assert players.last.locator(".agt-caption").inner_text().startswith(ends)
    assert players.first.locator(".agt-caption").inner_text().startswith("Before the start")
    keep(page, "drawn-by-the-browser.png")
    assert_clean(observed)


LOOP = """
import autograd_teach as torch
from autograd_teach import viz
w, y = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0)
for _ in range(200):
    y = (y * w).tanh()
viz.graph(y)
"""


def test_a_folded_loop_opens_on_a_click_and_folds_again(lab: Lab, page: "Page", observed: Observed):
    name = "loop.ipynb"
    small_notebook(lab, name, LOOP)
    open_notebook(page, lab, name)
    run_all_and_save(page, lab, name)
    view = view_with(page, ".agt-unfolds")
    nodes = view.locator(".agt-node")
    before = nodes.count()
    assert before < 12
    keep(page, "folded-loop.png")
    view.locator(".agt-unfolds").click()
    wait_until(page, lambda: nodes.count() > before)
    keep(page, "unfolded-loop.png")
    view.get_by_role("button", name="fold again").click()
    wait_until(page, lambda: nodes.count() == before)
    assert_clean(observed)


def test_a_saved_notebook_opened_again_shows_its_pictures(lab: Lab, page: "Page", observed: Observed, tmp_path: Path):
    name = "saved.ipynb"
    small_notebook(lab, name, DRAW + "viz.graph(y)", "viz.play(y)", NO_GRAPHVIZ + "viz.graph(y)")
    open_notebook(page, lab, name)
    run_all_and_save(page, lab, name)
    menu(page, "Kernel", "Shut Down Kernel")
    wait_until(page, lambda: not kernel_is_ready(lab, name))
    assert_clean(observed)

    for front_end in ("lab", "notebook"):
        open_notebook(page, lab, name, front_end)
        saved = page.locator(".agt-saved")
        wait_until(page, lambda saved=saved: saved.count() == 3)
        widths = saved.locator("img").evaluate_all("(all) => all.map((image) => image.naturalWidth)")
        assert len(widths) == 2
        assert min(widths) > 100
        assert "MulBackward0" in saved.nth(2).locator("pre").text_content()  # also where it is scrolled out of sight
        assert page.get_by_text("Error displaying widget").count() == 0
        keep(page, f"opened-again-{front_end}.png")

    html, _ = nbconvert.HTMLExporter().from_filename(str(lab.folder / name))
    (tmp_path / "small.html").write_text(html, encoding="utf-8")
    page.context.set_offline(True)
    try:
        page.goto((tmp_path / "small.html").as_uri())
        pictures = page.locator(".jp-OutputArea-output :is(img, svg.agt-static)")
        assert pictures.count() == 2
        for picture in pictures.all():
            box = picture.bounding_box()
            assert box and box["width"] > 100 and box["height"] > 200
        assert "MulBackward0" in page.locator(".jp-OutputArea-output pre").last.inner_text()
        keep(page, "exported.png")
    finally:
        page.context.set_offline(False)
