"""A student's way through one exercise: a wrong answer and its report, a hint, the right answer, a restart.

In JupyterLab and in Notebook 7, on the cells that are shipped. Server and page are those of test_jupyterlab.
"""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

_spec = importlib.util.spec_from_file_location("browser_lab", Path(__file__).parent / "test_jupyterlab.py")
assert _spec is not None and _spec.loader is not None
jupyter = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(jupyter)
lab, page, observed = jupyter.lab, jupyter.page, jupyter.observed

# Without its statement, which has a formula: a server that has sent a font to JupyterLab refuses the same to Notebook 7.
CELLS = ("setup", "scale-answer", "scale-check", "progress")
ANSWER = """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return {}, None
"""
WRONG, RIGHT = (ANSWER.strip().format(each) for each in ("-grad_output * ctx.factor", "grad_output * ctx.factor"))


@pytest.mark.parametrize("front_end", ["lab", "notebook"])
def test_an_exercise_from_a_wrong_answer_to_a_kept_result(
    lab: Any, page: "Page", observed: Any, front_end: str, require_module: Callable[[str], Any]
):
    require_module({"lab": "jupyterlab", "notebook": "notebook"}[front_end])
    name = f"exercises-{front_end}/scale.ipynb"  # in a folder of its own, for the progress file is beside it
    notebook = json.loads((lab.folder / "exercises/09_custom_functions.ipynb").read_text(encoding="utf-8"))
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] in CELLS]
    (lab.folder / name).parent.mkdir()
    (lab.folder / name).write_text(json.dumps(notebook), encoding="utf-8")
    jupyter.open_notebook(page, lab, name, front_end)
    setup, answer, check, progress = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").all()

    run(page, setup)
    run(page, answer)
    run(page, check)
    assert "Scale: not attempted yet (2 points)" in output(check)

    solve(page, answer, WRONG)
    run(page, check)
    assert "the sign is flipped" in check.locator(".agt-say").inner_text()
    assert check.locator("td.agt-wrong:visible").count() > 0
    assert "numerical: measured" in check.locator(".agt-map caption").first.inner_text()
    assert output(check).rstrip().splitlines()[-1].startswith("NotPassed: Scale: 6 of 7 checks pass")
    assert "Traceback" not in output(check)

    hints = check.locator(".agt-hint > p:visible")
    assert hints.count() == 0
    for number, label in enumerate(("Show a hint", "Show the next hint"), 1):
        check.get_by_text(label, exact=True).first.click()
        assert hints.count() == number
    jupyter.keep(page, f"exercise-wrong-{front_end}.png")

    solve(page, answer, RIGHT)
    run(page, check)
    assert check.locator(".agt-passed .agt-head").inner_text() == "Scale: 7 of 7 checks pass (2 points)"
    assert check.locator(".agt-say, .agt-hint, .jp-OutputArea-output[data-mime-type*=error]").count() == 0
    jupyter.keep(page, f"exercise-right-{front_end}.png")

    jupyter.menu(page, "Kernel", "Restart Kernel…")
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    run(page, check, until="NameError")  # a new kernel: it knows nothing
    run(page, setup)
    run(page, progress)
    row = progress.locator("tr", has_text="09.Scale")
    assert "✓ passed" in row.inner_text() and "2 of 2" in row.inner_text()
    assert "2 of 6 points" in output(progress)
    jupyter.assert_clean(observed, jupyter.NOTEBOOK_7S_OWN if front_end == "notebook" else ())


def solve(page: "Page", cell: "Locator", source: str) -> None:
    """Write this in the cell's place, and run it."""
    cell.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(source)
    run(page, cell)


def run(page: "Page", cell: "Locator", until: str = "") -> None:
    """Run the cell and wait until it has: its number is a new one, and its output has these words."""
    prompt = cell.locator(".jp-InputPrompt")
    before = prompt.inner_text()
    cell.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+Enter")

    def has_run() -> bool:
        now = prompt.inner_text()
        return any(digit in now for digit in "0123456789") and (now != before or until != "") and until in output(cell)

    jupyter.wait_until(page, has_run, seconds=30)


def output(cell: "Locator") -> str:
    return "\n".join(cell.locator(".jp-OutputArea-output").all_inner_texts())
