"""JupyterLab for the tests: a server on a fresh copy of the course, pages of it, and what a student does in a notebook.

The server is started as README.md says. A page is opened once for each front end and kept from test to test; in JupyterLab
a further notebook opens beside those that are open already, as it does for a student.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import nbformat

from autograd_teach import viz

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

Notebook = dict[str, Any]
PATIENCE = 120.0
"""Seconds: only what is broken is waited for so long."""

LOOK = 0.1
"""Seconds between two looks at what gives no sign when it changes."""

NOTEBOOK_7S_OWN = (
    "Cannot read properties of undefined (reading 'schema')",
    "Command 'filebrowser:open-path' not registered.",
)
"""Notebook 7.6 throws these when it starts, whatever it opens and with nothing of ours installed."""

FONT_OF_BOTH = r"403 \(Forbidden\) \[\S+/static/(lab|notebook)/\w+\.woff\]"
"""JupyterLab and Notebook 7 have fonts for formulas under the same names; a server that has served one refuses the other's
("is not in root static directory", Jupyter Server 2: it remembers files by name alone). A page of only one of them is not hit."""

_EXTENSIONS = Path(viz.__file__).parent / "jupyter" / "labextensions"
_SETTINGS_DIRECTORIES = ("CONFIG", "DATA", "RUNTIME")


# ---- the server -------------------------------------------------------------------------------------------------------


class Lab:
    """JupyterLab, started by the command that README.md gives, with a course folder in `base`."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "my course"
        self._port = _free_port()
        self._log = base / "log"
        command = [sys.executable, "-m", "autograd_teach.cli", "lab", str(self.folder)]
        command += ["--no-browser", "--port", str(self._port), "--ip=127.0.0.1"]
        command += ["--IdentityProvider.token=", "--ServerApp.password="]
        # Before the extension that was installed with the package: the one of this tree is tested.
        command.append(f"--LabServerApp.extra_labextensions_path={_EXTENSIONS}")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, cwd=base, env=_settings_in(base), stdout=log, stderr=log)

    def wait_until_answering(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                self.ask("status")
                return
            except (urllib.error.URLError, OSError):
                time.sleep(LOOK)
        raise RuntimeError(f"JupyterLab did not come up:\n{self._log.read_text()}")

    def url(self, path: str = "") -> str:
        return f"http://127.0.0.1:{self._port}/{path}"

    def ask(self, what: str) -> Any:
        """The answer of the server's own interface, as a student's page gets it."""
        with urllib.request.urlopen(self.url(f"api/{what}"), timeout=PATIENCE) as answer:
            return json.load(answer)

    def saved(self, name: str) -> Notebook:
        """The notebook as its file holds it now."""
        return self.ask(f"contents/{name}")["content"]

    def has_kernel(self, name: str) -> bool:
        """Whether a page has reached the notebook's kernel, and that kernel is idle."""
        kernels = [session["kernel"] for session in self.ask("sessions") if session["path"] == name]
        return any(k["connections"] and k["execution_state"] == "idle" for k in kernels)

    def write(self, name: str, *cells: str) -> None:
        """A new notebook of these cells, with no output yet."""
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        made = [nbformat.v4.new_code_cell(cell.strip(), id=f"cell-{i}") for i, cell in enumerate(cells)]
        nbformat.write(nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel}), self.folder / name)

    def stop(self) -> tuple[int, str]:
        """End the server as Ctrl-C would; its exit status and what it has written."""
        self._process.terminate()
        try:
            return self._process.wait(timeout=PATIENCE), self._log.read_text()
        finally:
            self._process.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _settings_in(home: Path) -> dict[str, str]:
    """An environment in which no setting of the person who runs the tests is found, and none is written."""
    jupyter = {f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in _SETTINGS_DIRECTORIES}
    lab = {f"JUPYTERLAB_{name}_DIR": str(home / name) for name in ("SETTINGS", "WORKSPACES")}
    return os.environ | jupyter | lab | {"JUPYTER_PATH": "", "IPYTHONDIR": str(home / "ipython")}


def code_cells(notebook: Notebook) -> list[Notebook]:
    return [c for c in notebook["cells"] if c["cell_type"] == "code" and "".join(c["source"])]


def unexpected_errors(notebook: Notebook) -> list[str]:
    """The exceptions in cells that are not there to show one."""
    return [
        f"{output['ename']}: {output['evalue']}"
        for cell in code_cells(notebook)
        if "raises-exception" not in cell["metadata"].get("tags", [])
        for output in cell["outputs"]
        if output["output_type"] == "error"
    ]


# ---- pages of it ------------------------------------------------------------------------------------------------------


@dataclass
class Observed:
    """What the pages did that a reader does not see."""

    requests: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def clear(self) -> None:
        self.requests.clear()
        self.problems.clear()

    def hosts(self) -> set[str | None]:
        """The machines that were asked for something."""
        return {urlsplit(url).hostname for url in self.requests if not url.startswith(("data:", "blob:"))}

    def watch(self, page: "Page") -> None:
        """Note what the page asks for and complains of, from the first byte on."""
        page.on("request", lambda request: self.requests.add(request.url))
        page.on("websocket", lambda websocket: self.requests.add(websocket.url))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._note)

    def _note(self, message: "ConsoleMessage") -> None:
        if message.type == "error":
            self.problems.append(f"{message.text} [{message.location.get('url', '')}]")


class Pages:
    """A page for each front end, in one browser window: what one has loaded, the next need not."""

    def __init__(self, browser: "Browser", lab: Lab, **context: Any) -> None:
        """`context`: settings of the browser's window other than the usual ones."""
        self.lab = lab
        self.observed = Observed()
        self._context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | context)
        self._context.set_default_timeout(1000 * PATIENCE)
        self._pages: dict[str, Page] = {}

    def page(self, front_end: str = "lab") -> "Page":
        """The page of "lab" or "notebook"; blank if nothing has been opened in it yet."""
        if front_end not in self._pages:
            self._pages[front_end] = page = self._context.new_page()
            self.observed.watch(page)
            # On a busy machine JupyterLab may give up waiting for its server; it tries again by itself, behind a dialog.
            late = page.get_by_role("dialog", name=re.compile("^Server Connection Error"))
            page.add_locator_handler(late, lambda dialog: dialog.get_by_role("button").last.click())
        page = self._pages[front_end]
        page.bring_to_front()  # what lies behind is drawn once a second
        return page

    def close(self) -> None:
        """Close all of them; the next notebook is opened in a new one."""
        for page in self._pages.values():
            page.close()
        self._pages.clear()

    def open(self, name: str, front_end: str = "lab", afresh: bool = False) -> "Page":
        """Open a notebook and wait for its kernel. `afresh`: in a page that is loaded anew."""
        page = self.page(front_end)
        if front_end == "lab" and not afresh and page.url.startswith(self.lab.url("lab")):
            menu(page, "File", "Open from Path…")
            page.locator(".jp-Dialog input").fill(name)
            page.locator(".jp-Dialog").get_by_role("button", name="Open").click()
            tab = page.locator("#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current")
            tab.filter(has_text=Path(name).name).wait_for()
        else:
            page.goto(self.lab.url({"lab": f"lab/tree/{name}?reset", "notebook": f"notebooks/{name}"}[front_end]))
        panel(page).locator(".jp-Cell").first.wait_for()
        # To run a cell before the page has its kernel would only ask which kernel to take.
        wait_until(page, lambda: self.lab.has_kernel(name))
        return page

    def run_all_and_save(self, page: "Page", name: str) -> None:
        """Run every cell of a notebook without outputs and save, until the file has a number for each of them."""
        menu(page, "Run", "Run All Cells")

        def all_have_run() -> bool:
            with page.expect_response(lambda answer: answer.request.method == "PUT" and "/api/contents/" in answer.url):
                menu(page, "File", "Save Notebook")
            notebook = self.lab.saved(name)
            errors = unexpected_errors(notebook)  # after one, the other cells would not run
            assert not errors, errors
            counts = [cell["execution_count"] for cell in code_cells(notebook)]
            return counts == [*range(1, len(counts) + 1)]

        wait_until(page, lambda: _is_idle(page) and all_have_run())


def panel(page: "Page") -> "Locator":
    """The notebook that is in front."""
    return page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")


def view_with(page: "Page", part: str) -> "Locator":
    """The first view in the notebook that has this part, brought before the reader's eyes."""
    view = panel(page).locator(".jp-OutputArea .agt", has=page.locator(part)).first
    view.scroll_into_view_if_needed()
    return view


def _is_idle(page: "Page") -> bool:
    return panel(page).evaluate(
        "(panel) => panel.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'"
        " && ![...panel.querySelectorAll('.jp-InputPrompt')].some((prompt) => prompt.textContent.includes('*'))"
    )


def wait_until(page: "Page", condition: Callable[[], bool]) -> None:
    """Wait as the page's user would: the page goes on living meanwhile."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        page.wait_for_timeout(1000 * LOOK)


def menu(page: "Page", *labels: str) -> None:
    """Click through a menu of JupyterLab's menu bar."""
    page.locator(".lm-MenuBar-itemLabel", has_text=re.compile(f"^{labels[0]}$")).click()
    for label in labels[1:]:
        page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{label}$")).last.click()


def keep(page: "Page", name: str) -> None:
    """Save a screenshot if AUTOGRAD_TEACH_SCREENSHOTS names a folder for them."""
    if folder := os.environ.get("AUTOGRAD_TEACH_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / name)
