"""Every lesson, and every solution with its checks, in the browser's Python: one kernel runs them all, a fresh namespace for each."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course import content
from autograd_teach.site import live as live_part
from autograd_teach.site.build import Site
from tests.site.live import Live, errors_in, live_page, pyodide_folders, text_of
from tests.site.small import served

pytestmark = [pytest.mark.full, pytest.mark.site, pytest.mark.browser]

NOTEBOOKS = [
    path for room in ("lessons", "solutions") for path in sorted((Path(__file__).parents[2] / room).glob("*.ipynb"))
]
FRESH = """
import os
from IPython import get_ipython
get_ipython().run_line_magic("reset", "-f")
os.chdir("/drive/lessons")
"""
CHAIN = """
import autograd_teach as torch
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(20_000):
    y = y + 1
y.backward()
print("gradient", x.grad.item())
del y
print("alive")
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Live]:
    folders = pyodide_folders()
    made = tmp_path_factory.mktemp("live")
    site = Site("autograd_teach", "", "", content.folder("lessons"), content.folder("exercises"))
    runtime = live_part.prepare(folders, lambda _: None)
    live_part.write(site, made, runtime, lambda _: None)
    with served(made) as address, live_page(browser.new_context(), address) as page:
        yield page.open("lessons/00_start_here.ipynb")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem[:9]}")
def test_a_notebook_runs_from_top_to_bottom(kernel: Live, path: Path) -> None:
    kernel.ask(FRESH)
    for cell in json.loads(path.read_bytes())["cells"]:
        if cell["cell_type"] != "code":
            continue
        outputs = kernel.ask("".join(cell["source"]))
        failed = errors_in(outputs)
        may_fail = "raises-exception" in cell["metadata"].get("tags", [])
        assert may_fail or not failed, f"{cell['id']}: {failed}\n{text_of(outputs)}"


def test_a_graph_of_20_000_operations_lives_and_dies(kernel: Live) -> None:
    assert text_of(kernel.ask(CHAIN)).split() == ["gradient", "1.0", "alive"]
    assert text_of(kernel.ask("print(1 + 1)")).strip() == "2"
