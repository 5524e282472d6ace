"""What `pytest --nbval` and `--nbval-lax` say of notebooks as students hand them in (docs/grading.md)."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SOLVED = ROOT / "solutions/09_custom_functions.ipynb"
Cell = dict[str, Any]


def cleared(cell: Cell) -> None:
    """As JupyterLab clears outputs: then nbval has nothing to compare with."""
    cell["outputs"], cell["execution_count"] = [], None


def wrong(cell: Cell) -> None:
    cell["source"] = cell["source"].replace("return grad_output * ctx.factor", "return 2 * grad_output * ctx.factor")


def with_old_results(cell: Cell) -> None:
    """Of a run in which this was not solved yet."""
    for output in cell["outputs"]:
        output["data"] = {"text/plain": "not solved yet"}


def without_check(cell: Cell) -> None:
    if cell["id"] == "scale-check":
        cell["source"] = "# " + cell["source"]


def tagged(cell: Cell) -> None:
    if cell["id"] == "scale-check":
        cell["metadata"]["tags"] = ["nbval-skip"]


def with_words_for_a_check(cell: Cell) -> None:
    if cell["id"] == "scale-check":
        cell["source"] = "print('Scale: 7 of 7 checks pass (2 points)')"


def with_another_check(cell: Cell) -> None:
    if cell["id"] == "scale-answer":
        cell["source"] += "\ncheck = lambda *given: None"


ROWS: dict[str, tuple[tuple[Callable[[Cell], None], ...], bool, bool]] = {
    "right": ((), True, True),
    "right, cleared": ((cleared,), True, True),
    "right, with old results": ((with_old_results,), False, True),
    "wrong, cleared": ((cleared, wrong), False, False),
    "wrong, its check skipped": ((cleared, wrong, without_check), True, True),
    "wrong, its check tagged": ((cleared, wrong, tagged), True, True),
    "wrong, its check's words printed": ((cleared, wrong, with_words_for_a_check), True, True),
    "wrong, check replaced": ((cleared, wrong, with_another_check), True, True),
}
"""What was done to the solution, and whether it passes by `--nbval` and by `--nbval-lax`."""


@pytest.mark.full
@pytest.mark.parametrize(("edits", "nbval", "lax"), ROWS.values(), ids=ROWS)
def test_lax_says_what_the_checks_say_and_both_can_be_deceived(
    tmp_path: Path, edits: tuple[Callable[[Cell], None], ...], nbval: bool, lax: bool
) -> None:
    notebook = json.loads(SOLVED.read_text())
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
        if cell["cell_type"] == "code":
            for edit in edits:
                edit(cell)
    (tmp_path / "hand-in.ipynb").write_text(json.dumps(notebook))
    passes = {}
    for option in ("--nbval", "--nbval-lax"):
        command = [sys.executable, "-m", "pytest", option, "--nbval-current-env", "--rootdir", ".", "hand-in.ipynb"]
        passes[option] = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    assert passes == {"--nbval": nbval, "--nbval-lax": lax}
