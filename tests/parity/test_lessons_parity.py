"""Every lesson under `import torch`: the import lines are swapped, the untagged cells run, and print what is stored."""

import sys
from pathlib import Path

import pytest
from nbformat import NotebookNode

from autograd_teach.course.content import folder
from autograd_teach.course.notebooks import canonical, execute, read_notebook

LESSONS = sorted(folder("lessons").glob("*.ipynb"))
SWAPS = {
    "import autograd_teach as torch": "import torch",
    "from autograd_teach.autograd import": "from torch.autograd import",
}


def under_torch(notebook: NotebookNode) -> NotebookNode:
    """The notebook without the cells about the course's own tools, and with PyTorch's imports."""
    cells = [cell for cell in notebook.cells if "autograd-teach-only" not in cell.metadata.get("tags", [])]
    notebook.cells = [cell for cell in cells if cell.cell_type == "code"]
    for cell in notebook.cells:
        for ours, theirs in SWAPS.items():
            cell.source = cell.source.replace(ours, theirs)
        assert "autograd_teach" not in cell.source, cell.id
    proof = "import sys\nassert 'torch._C' in sys.modules and 'autograd_teach' not in sys.modules"
    notebook.cells[-1].source += f"\n{proof}"
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
