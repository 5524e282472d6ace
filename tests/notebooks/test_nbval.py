"""nbval, strict, over all lessons: that a test run has every cell of them; and as a student types it, in a folder of their own.

The cells themselves are tests of the run that this file is part of (`testpaths` in pyproject.toml), in their own right.
"""

import gc
import os
import shutil
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from xml.etree import ElementTree

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from autograd_teach.course.content import folder
from autograd_teach.course.kernels import PrivateKernelManager
from autograd_teach.course.notebooks import read_notebook, write_notebook

ROOT = folder("lessons").parent
LESSONS = sorted(folder("lessons").glob("[0-9][0-9]_*.ipynb"))

# How many cells each lesson runs. Written by hand, so that a cell which is lost, with its output, does not go unnoticed:
# who adds or drops one says so here.
CELLS = {
    "00_start_here": 19,
    "01_requires_grad": 25,
    "02_grad_and_backward": 27,
    "03_the_graph": 26,
    "04_dynamic_graphs": 34,
    "05_no_grad_and_detach": 32,
    "06_freed_graphs": 29,
    "07_higher_order": 34,
    "08_in_place": 37,
    "09_custom_functions": 29,
    "10_gradcheck": 33,
    "11_saving_tensors": 29,
    "12_arguments_and_options": 33,
    "13_outputs_and_side_effects": 36,
    "14_losses_and_grad_output": 39,
    "15_implicit_functions": 35,
    "16_build_your_own": 45,
    "17_on_to_pytorch": 23,
}


def nbval(where: Path) -> dict[str, str]:
    """What `pytest --nbval` in `where` says of each cell, "notebook.ipynb::Cell 0": "passed", "failure", "error" or "skipped"."""
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-cell-timeout=1200", "-q", "--junit-xml=report.xml"]
    ran = subprocess.run(
        [*command, "-p", "no:cacheprovider", "."], cwd=where, capture_output=True, text=True, check=False
    )
    told = {
        f"{case.attrib['classname']}::{case.attrib['name']}": case[0].tag if len(case) else "passed"
        for case in ElementTree.parse(where / "report.xml").getroot().iter("testcase")
    }
    if set(told.values()) != {"passed"}:
        print(ran.stdout)
    return told


def test_every_lesson_has_its_number_of_cells() -> None:
    counts = {path.stem: sum(cell.cell_type == "code" for cell in read_notebook(path).cells) for path in LESSONS}
    assert counts == CELLS


def test_a_test_run_has_every_cell_of_every_lesson(request: pytest.FixtureRequest) -> None:
    """What `pytest` collects here, by the settings of the project."""
    collected = {}
    for path in LESSONS:
        (file,) = request.config.hook.pytest_collect_file(file_path=path, parent=request.session)
        collected[path.stem] = len(list(file.collect()))
    assert collected == CELLS
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert "lessons" in settings["testpaths"] and "--nbval" in settings["addopts"]


@pytest.mark.full
@pytest.mark.parametrize("number", ["00", "05", "10"])  # pictures of graphs, data of the package, heat maps
def test_a_lesson_runs_and_prints_what_is_stored_in_a_folder_of_its_own(number: str, tmp_path: Path) -> None:
    (path,) = (path for path in LESSONS if path.stem.startswith(number))
    shutil.copy(path, tmp_path)
    assert list(nbval(tmp_path).values()) == ["passed"] * CELLS[path.stem]


SHOWN = {"text/plain": "as text", "text/html": "<b>", "image/svg+xml": "<svg/>"}
OTHER_PICTURES = {"image/svg+xml": "passed", "text/html": "failure", "text/plain": "failure"}
"""Of which kind the stored output is another than what the cell shows: what nbval says."""

ASKS_HOW_IT_IS_REACHED = """
import json, os, ipykernel
assert os.environ["AUTOGRAD_TEACH_NO_PROGRESS"] == "1"  # what was answered must not show in outputs
with open(ipykernel.get_connection_file()) as file:
    assert json.load(file)["transport"] == ("ipc" if os.name == "posix" else "tcp")
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What nbval says of each cell of a notebook: one for each of `OTHER_PICTURES`, and one that asks."""
    folder = tmp_path_factory.mktemp("small")
    cells = []
    for number, kind in enumerate(OTHER_PICTURES, 1):
        source = f"from IPython.display import display\ndisplay({SHOWN!r}, raw=True)"
        cell = new_code_cell(source, id=f"show-{number}", execution_count=number)
        cell.outputs = [new_output("display_data", data={**SHOWN, kind: "drawn by another engine"})]
        cells.append(cell)
    cells.append(new_code_cell(ASKS_HOW_IT_IS_REACHED, id="ask", execution_count=len(cells) + 1))
    write_notebook(folder / "small.ipynb", new_notebook(cells=cells))
    return list(nbval(folder).values())


def test_another_svg_is_let_pass_and_another_text_is_not(told: list[str]) -> None:
    assert dict(zip(OTHER_PICTURES, told, strict=False)) == OTHER_PICTURES


def test_kernels_are_reached_by_sockets_of_their_own(told: list[str]) -> None:
    """With TCP another process may take a port first; a kernel without its output port neither works nor ends."""
    assert told[len(OTHER_PICTURES) :] == ["passed"]


@pytest.mark.skipif(os.name != "posix", reason="sockets are no files there")
def test_the_sockets_folder_ends_with_the_kernels_manager() -> None:
    manager = PrivateKernelManager()
    folder = Path(manager.ip).parent
    assert folder.is_dir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del manager
        gc.collect()
    assert not folder.exists()
