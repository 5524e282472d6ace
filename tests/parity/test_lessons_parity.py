"""Every lesson under `import torch`: the import lines are swapped, the untagged cells run, and print what is stored.

A cell tagged `data` runs as it is: it reads NumPy arrays by `autograd_teach.course.data`, which knows no tensors.
"""

import sys
from pathlib import Path

import pytest
from nbformat import NotebookNode

from autograd_teach.course.content import folder
from autograd_teach.course.notebooks import canonical, execute, read_notebook
from tests.notebooks.test_glossary import ENTRIES, examples, run

LESSONS = sorted(folder("lessons").glob("[0-9][0-9]_*.ipynb"))
SWAPS = {
    "import autograd_teach as torch": "import torch",
    "from autograd_teach.autograd import": "from torch.autograd import",
}
DATA = "from autograd_teach.course.data import "
# They know neither library, and stay as they are.
NEUTRAL = ("from autograd_teach.course.attempt import ", 'plt.style.use("autograd_teach.course.theme")')
PROOF = "import sys\nassert 'torch._C' in sys.modules and torch.__name__ == 'torch'"
NOT_OURS = "assert 'autograd_teach' not in sys.modules"
NO_TENSOR_OF_OURS = "assert not [v for v in globals().values() if type(v).__module__.startswith('autograd_teach')]"


def under_torch(notebook: NotebookNode) -> NotebookNode:
    """The notebook without the cells about the course's own tools, and with PyTorch's imports."""
    cells = [cell for cell in notebook.cells if "autograd-teach-only" not in cell.metadata.get("tags", [])]
    notebook.cells = [cell for cell in cells if cell.cell_type == "code"]
    data = [cell for cell in notebook.cells if "data" in cell.metadata.get("tags", [])]
    for cell in notebook.cells:
        for ours, theirs in SWAPS.items():
            cell.source = cell.source.replace(ours, theirs)
        rest = cell.source.replace(DATA, "") if cell in data else cell.source
        for line in NEUTRAL:
            rest = rest.replace(line, "")
        assert "autograd_teach" not in rest, cell.id
    # What comes from a module of the package loads the package: then no object may be of a type of ours.
    loads_ours = any("autograd_teach" in cell.source for cell in notebook.cells)
    notebook.cells[-1].source += f"\n{PROOF}\n{NO_TENSOR_OF_OURS if loads_ours else NOT_OURS}"
    return notebook


def shown(notebook: NotebookNode) -> dict[str, list[object]]:
    """What each cell prints; of a picture only its text form."""
    return {
        cell.id: [output.get("text") or output.get("data", {}).get("text/plain") for output in cell.outputs]
        for cell in notebook.cells
    }


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_prints_the_same_under_pytorch(path: Path, tmp_path: Path) -> None:
    import torch

    assert torch.__version__.startswith("2.13."), sys.version
    swapped = under_torch(read_notebook(path))
    stored = shown(swapped)
    assert len(stored) > 2
    ran = shown(canonical(execute(swapped, tmp_path)))
    for id, texts in stored.items():
        assert ran[id] == texts, id


@pytest.mark.parametrize("term", [term for term in ENTRIES if examples(ENTRIES[term])])
def test_the_glossarys_examples_give_the_same_under_pytorch(term: str) -> None:
    import torch

    for example in examples(ENTRIES[term]):
        assert run(example, torch) >= 1
