"""README.md, CONTRIBUTING.md and the guides in docs/: the files that they name exist, their programs run, tables are complete."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograd_teach import viz
from tests.notebooks.prose import DOCUMENTS, ROOT

GUIDES = [path for path in DOCUMENTS if path.name != "CHANGELOG.md"]
ROOMS = ("autograd_teach", "tests", "docs", "lessons", "solutions", "exercises", "benchmarks")

each_guide = pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.relative_to(ROOT).as_posix())


@each_guide
def test_each_file_that_a_guide_names_with_its_folder_exists(path: Path) -> None:
    named = re.findall(rf"`((?:{'|'.join(ROOMS)})/[\w./-]*)`", path.read_text("utf-8"))
    # The example of CONTRIBUTING.md; NN is the number of any lesson, a page of HTML is part of the site.
    made_by_the_reader = {"autograd_teach/viz/find.py", "tests/viz/test_find.py"}
    for name in set(named) - made_by_the_reader:
        assert "NN" in name or name.endswith(".html") or (ROOT / name).exists(), name


def test_the_programs_of_the_readme_run_as_cells_of_one_notebook() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    programs = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert programs
    subprocess.run([sys.executable, "-c", "\n".join(programs)], check=True, capture_output=True)


def test_the_guide_to_the_views_has_a_row_for_each() -> None:
    text = (ROOT / "docs" / "views.md").read_text("utf-8")
    rows = set(re.findall(r"^\| `(?:with )?viz\.(\w+)\(", text, flags=re.MULTILINE))
    shown = {name for name in viz.__all__ if inspect.isfunction(getattr(viz, name))} | {"watch"}
    no_views = {"save", "to_dot", "to_graphviz"}  # they write one to a file or to text
    assert rows - no_views == shown - no_views


def test_the_guide_to_the_engine_has_a_place_for_each_module_of_autograd() -> None:
    text = (ROOT / "docs" / "engine.md").read_text("utf-8")
    modules = {path.name for path in (ROOT / "autograd_teach" / "autograd").glob("*.py")} - {"__init__.py"}
    without_a_concept = {"variable.py"}  # an old name for a tensor
    assert modules - without_a_concept == set(re.findall(r"`autograd_teach/autograd/(\w+\.py)`", text))
