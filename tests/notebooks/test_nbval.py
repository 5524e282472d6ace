"""nbval, strict, over all lessons: that a test run has every cell of them; and as a student types it, in a folder of their own.

The cells themselves are tests of the run that this file is part of (`testpaths` in pyproject.toml), in their own right.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from autograd_teach.course.content import folder
from autograd_teach.course.notebooks import execute, read_notebook, write_notebook

ROOT = folder("lessons").parent
LESSONS = sorted(folder("lessons").glob("[0-9][0-9]_*.ipynb"))

# How many cells each lesson runs. Written by hand, so that a cell which is lost, with its output, does not go unnoticed:
# who adds or drops one says so here.
CELLS = {
    "00_start_here": 10,
    "01_requires_grad": 22,
    "02_grad_and_backward": 27,
    "03_the_graph": 28,
    "04_dynamic_graphs": 31,
    "05_no_grad_and_detach": 36,
    "06_freed_graphs": 33,
    "07_higher_order": 36,
    "08_in_place": 33,
    "09_custom_functions": 30,
    "10_gradcheck": 36,
    "11_saving_tensors": 30,
    "12_arguments_and_options": 33,
    "13_outputs_and_side_effects": 32,
    "14_losses_and_grad_output": 35,
    "15_implicit_functions": 30,
    "16_build_your_own": 48,
    "17_on_to_pytorch": 18,
}


def nbval(where: Path) -> dict[str, int]:
    """How many cells passed, failed, were skipped ... when `pytest --nbval` ran in `where`."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "--nbval-cell-timeout=60",
        "-q",
        "--junit-xml=report.xml",
    ]
    ran = subprocess.run(
        [*command, "-p", "no:cacheprovider", "."],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )
    suite = ElementTree.parse(where / "report.xml").getroot()[0]
    counts = {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
    if counts["failures"] or counts["errors"]:
        print(ran.stdout)
    return counts


def test_every_lesson_has_its_number_of_cells() -> None:
    counts = {path.stem: sum(cell.cell_type == "code" for cell in read_notebook(path).cells) for path in LESSONS}
    assert counts == CELLS


def test_a_test_run_has_every_cell_of_every_lesson() -> None:
    """What `pytest` collects here, by the settings of the project."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    ran = subprocess.run(
        [*command, "--override-ini=addopts=--nbval --nbval-current-env", "lessons"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    collected = Counter(re.findall(r"^lessons/(\w+)\.ipynb::", ran.stdout, flags=re.MULTILINE))
    assert {name: count for name, count in collected.items() if name != "glossary"} == CELLS, ran.stdout[-2000:]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert "lessons" in settings["testpaths"] and "--nbval" in settings["addopts"]


@pytest.mark.parametrize("number", ["00", "05", "10"])  # pictures of graphs, data of the package, heat maps
def test_a_lesson_runs_and_prints_what_is_stored_in_a_folder_of_its_own(number: str, tmp_path: Path) -> None:
    (path,) = (path for path in LESSONS if path.stem.startswith(number))
    shutil.copy(path, tmp_path)
    assert nbval(tmp_path) == {"tests": CELLS[path.stem], "failures": 0, "errors": 0, "skipped": 0}


@pytest.mark.parametrize(("kind", "failures"), [("image/svg+xml", 0), ("text/html", 1), ("text/plain", 1)])
def test_another_svg_is_let_pass_and_another_text_is_not(kind: str, failures: int, tmp_path: Path) -> None:
    shown = {"text/plain": "as text", "text/html": "<b>", "image/svg+xml": "<svg/>"}
    source = f"from IPython.display import display\ndisplay({shown!r}, raw=True)"
    cell = new_code_cell(source, id="show", execution_count=1)
    cell.outputs = [new_output("display_data", data={**shown, kind: "drawn by another engine"})]
    write_notebook(tmp_path / "picture.ipynb", new_notebook(cells=[cell]))
    assert nbval(tmp_path) == {"tests": 1, "failures": failures, "errors": 0, "skipped": 0}


ASKS_HOW_IT_IS_REACHED = """
import json, ipykernel
with open(ipykernel.get_connection_file()) as file:
    assert json.load(file)["transport"] == "ipc"
"""


@pytest.mark.skipif(os.name != "posix", reason="sockets are no files there")
def test_kernels_are_reached_by_sockets_of_their_own(tmp_path: Path) -> None:
    """With TCP another process may take a port first; a kernel without its output port neither works nor ends."""
    notebook = new_notebook(cells=[new_code_cell(ASKS_HOW_IT_IS_REACHED, id="ask")])
    write_notebook(tmp_path / "asks.ipynb", execute(notebook, tmp_path))
    assert nbval(tmp_path) == {"tests": 1, "failures": 0, "errors": 0, "skipped": 0}
