"""A notebook of the site in Chromium, on JupyterLite: opened, run and asked, as a reader does; and the kernel alone, for many notebooks.

The tests that use it need JupyterLite in their environment and, in the variable AUTOGRAD_TEACH_PYODIDE, folders with Pyodide
(docs/site.md says which files; several are separated as in PATH).
"""

import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

VARIABLE = "AUTOGRAD_TEACH_PYODIDE"
PATIENCE = 300_000
"""Milliseconds: only what is broken is waited for so long."""

LOADING = "Python is being loaded"

_NOTEBOOK = "window.jupyterapp.shell.currentWidget"
_HAS_NOTEBOOK = "() => window.jupyterapp?.shell?.currentWidget?.content?.widgets?.length > 1"
_IS_IDLE = f"""() => {{
  const kernel = {_NOTEBOOK}.sessionContext?.session?.kernel;
  return kernel?.status === "idle" && kernel.connectionStatus === "connected";
}}"""
_CELLS = f"""() => {_NOTEBOOK}.content.widgets.filter((cell) => cell.model.type === "code").map((cell) => ({{
  source: cell.model.sharedModel.source, count: cell.model.executionCount, tags: cell.model.getMetadata("tags") ?? [],
  outputs: cell.model.outputs.toJSON() }}))"""
_RUN = f"""async ([needle, source]) => {{
  const notebook = {_NOTEBOOK}.content;
  const place = notebook.widgets.findIndex((cell) => cell.model.type === "code" && cell.model.sharedModel.source.includes(needle));
  if (source !== null) notebook.widgets[place].model.sharedModel.setSource(source);
  notebook.activeCellIndex = place;
  notebook.deselectAll();
  await window.jupyterapp.commands.execute("notebook:run-cell");
  return notebook.widgets[place].model.outputs.toJSON();
}}"""
_PLACE = f"""async (needle) => {{
  const notebook = {_NOTEBOOK}.content;
  const place = notebook.widgets.findIndex((cell) => cell.model.type === "code" && cell.model.sharedModel.source.includes(needle));
  await notebook.scrollToItem(place);
  return place;
}}"""
_ASK = f"""async (code) => {{
  const outputs = [];
  const future = {_NOTEBOOK}.sessionContext.session.kernel.requestExecute({{ code, store_history: false }});
  future.onIOPub = (message) => outputs.push({{ type: message.header.msg_type, ...message.content }});
  await future.done;
  return outputs;
}}"""


def pyodide_folders() -> list[Path]:
    """The folders that the variable names; the test is skipped where there are none, or no JupyterLite."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        pytest.skip(f"{VARIABLE} names no folder with Pyodide")
    if importlib.util.find_spec("jupyterlite_core") is None:
        pytest.skip("JupyterLite is not installed here (an environment of its own, with the extra `site`)")
    return [Path(each) for each in named.split(os.pathsep)]


def text_of(outputs: Sequence[dict[str, Any]]) -> str:
    """All that outputs say, as text."""
    parts = []
    for each in outputs:
        plain = each.get("data", {}).get("text/plain", "")
        parts += [each.get("text", ""), plain, each.get("ename", ""), each.get("evalue", "")]
        parts += each.get("traceback", [])
    return "\n".join(part if isinstance(part, str) else "".join(part) for part in parts if part)


def errors_in(outputs: Sequence[dict[str, Any]]) -> list[str]:
    """The exceptions that outputs show."""
    return [f"{each['ename']}: {each['evalue']}" for each in outputs if "ename" in each]


@dataclass
class Live:
    """A page of JupyterLite's Notebook app. `outside` is what was asked for elsewhere; `problems` what scripts threw."""

    page: Any
    address: str
    outside: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def open(self, path: str) -> "Live":
        """Open a notebook, and wait until its kernel has started and the page says no more that this takes its time."""
        self.page.goto(f"{self.address}live/notebooks/index.html?path={path}")
        self.page.wait_for_function(_HAS_NOTEBOOK, timeout=PATIENCE)
        self.page.wait_for_function(_IS_IDLE, timeout=PATIENCE)
        self.page.get_by_text(LOADING).first.wait_for(state="detached")
        return self

    def run_all(self) -> list[dict[str, Any]]:
        """Run the notebook from top to bottom; its code cells."""
        self.page.evaluate('async () => { await window.jupyterapp.commands.execute("notebook:run-all-cells") }')
        self.page.wait_for_function(_IS_IDLE, timeout=PATIENCE)
        return self.page.evaluate(_CELLS)

    def run(self, needle: str, source: str | None = None) -> str:
        """Run the first code cell in which `needle` stands, with another text where one is given; what it says."""
        return text_of(self.page.evaluate(_RUN, [needle, source]))

    def output_of(self, needle: str) -> Any:
        """The output of the first code cell in which `needle` stands, as the page shows it; waits until something is there."""
        place = self.page.evaluate(_PLACE, needle)
        output = self.page.locator(".jp-Notebook .jp-Cell").nth(place).locator(".jp-OutputArea-output").first
        output.scroll_into_view_if_needed()
        return output

    def ask(self, code: str) -> list[dict[str, Any]]:
        """Run code in the notebook's kernel; its outputs."""
        return self.page.evaluate(_ASK, code)

    def wait_until_stored(self) -> None:
        """Nobody asks for it: the site stores a notebook a moment after its last change. JupyterLab alone takes two minutes."""
        self.page.wait_for_function(f"() => !{_NOTEBOOK}.context.model.dirty", timeout=60_000)

    def cells(self) -> list[dict[str, Any]]:
        return self.page.evaluate(_CELLS)


@contextmanager
def live_page(context: Any, address: str, *allowed: str) -> Iterator[Live]:
    """A page in a browser's context; at the end nothing was loaded from addresses that are not allowed, and no script has thrown."""
    live = Live(context.new_page(), address)
    live.page.set_default_timeout(PATIENCE)
    live.page.on("pageerror", lambda error: live.problems.append(str(error)))
    context.on("request", lambda request: live.outside.append(request.url))
    yield live
    live.page.close()
    # A browser asks a server for an icon until a page names one; JupyterLite asks its worker there for a sign of life.
    also = [urljoin(address, each) for each in ("/favicon.ico", "/api/service-worker-heartbeat")]
    inside = (address, *allowed, "data:", "blob:", *also)
    outside = sorted({url for url in live.outside if not url.startswith(inside)})
    assert not outside, outside
    assert not live.problems, live.problems
