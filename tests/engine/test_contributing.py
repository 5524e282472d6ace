"""What CONTRIBUTING.md shows is done here, and works: an operation is one row and one sample line; a view and a diagnosis."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

_CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"

# A process of its own: an operation, once declared, stays.
PROGRAM = """
import sys, types
import autograd_teach as torch
from autograd_teach import viz
from autograd_teach.ops import pointwise
from tests.engine import samples, test_operations

ROW, SAMPLE = sys.argv[1:]
exec(ROW, vars(pointwise))  # as at the end of the file
rows = samples.table(lambda add, unary, binary: exec(SAMPLE, {"add": add, "unary": unary, "binary": binary}))
(name,) = {row.operation for row in rows}
for row in rows:
    assert str(row) not in test_operations.RECORDED["operations"]
    test_operations.check_gradients(row)
    for dtype in ("float16", "float32"):
        test_operations.check_dtypes(row, dtype)
    if (number := test_operations.at_rank_0(row)) is not None:
        test_operations.test_a_formula_works_for_rank_0(number)

# What follows from the row.
function, method = getattr(torch, name), getattr(torch.Tensor, name)
assert function is method and function.__module__ == "autograd_teach.ops.pointwise", function.__module__
x = torch.tensor([0.2, 0.7], requires_grad=True)
y = function(x)
assert y.grad_fn.name() == f"{name.title()}Backward0", y.grad_fn.name()
assert torch.equal(getattr(x * 1, f"{name}_")(), y)
assert function(torch.tensor([1])).dtype is torch.float32 and function(torch.tensor([True])).dtype is torch.float32
# The views know nothing of it, and say so.
viz.graph(y), viz.play(y.sum()), viz.why(y.sum(), x)
try:
    viz.rule(y)
except ValueError as told:
    assert "No rule is known" in str(told)
else:
    raise AssertionError("a rule of the example is known")
"""

DIAGNOSIS = """
import sys
from autograd_teach.course.checking import report_on
from autograd_teach.course.checks import numbers
from tests.course.table import read

ANSWER, FUNCTION = sys.argv[1:]
(cell,) = read(ANSWER)
(words,) = cell.words

def found():
    return [(finding.name, words in finding.message) for finding in report_on(cell.exercise, cell.answer()).findings]

assert found() == [("wrong_value", False)], found()  # what a student reads today
exec(FUNCTION, vars(numbers))
numbers.RELATED = (("normalised", numbers._normalised), *numbers.RELATED)
assert found() == [(cell.diagnosis, True)], found()
"""


def blocks(heading: str) -> list[str]:
    """The code blocks below a heading of CONTRIBUTING.md."""
    section = re.split(r"(?m)^#+ (?!%%)", _CONTRIBUTING.read_text())
    (text,) = [part for part in section if part.startswith(heading)]
    return re.findall(r"(?s)```python\n(.*?)```", text)


def test_the_operation_that_contributing_adds_works() -> None:
    row, sample = blocks("Add an operation")
    subprocess.run([sys.executable, "-c", PROGRAM, row, sample], check=True, cwd=_CONTRIBUTING.parent)


def test_the_diagnosis_that_contributing_adds_names_its_answer() -> None:
    answer, function = blocks("Add a diagnosis")
    subprocess.run([sys.executable, "-c", DIAGNOSIS, answer, function], check=True, cwd=_CONTRIBUTING.parent)


def test_the_view_that_contributing_adds_shows_what_its_example_says(tmp_path: Path) -> None:
    (view,) = blocks("Add a view")
    (tmp_path / "find.py").write_text(view, "utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--doctest-modules",
        "-p",
        "no:cacheprovider",
        "-q",
        str(tmp_path / "find.py"),
    ]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and "1 passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        (
            "self=lambda g, slef: g * slef",
            "misspelt: the formula of 'self' names 'slef'; it can name self, scale, result",
        ),
        ("other=lambda g: g", "misspelt: a formula is given for 'other'; tensors are self"),
    ],
)
def test_a_formula_with_a_misspelt_name_fails_where_it_is_written(formula: str, sentence: str) -> None:
    program = (
        "import numpy as np\nfrom autograd_teach.ops.operation import op\n"
        f"@op(np.exp, {formula})\ndef misspelt(self, scale=1.0): ...\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"TypeError: {sentence}" in run.stderr


def test_a_dtype_that_a_kernel_does_not_take_is_told() -> None:
    program = (
        "import numpy as np, autograd_teach as torch\nfrom autograd_teach.ops.operation import op\n"
        "@op(np.invert)\ndef inverted(self): ...\n"
        "inverted(torch.tensor([1.0]))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.stderr.endswith("NotImplementedError: \"inverted_cpu\" not implemented for 'Float'\n"), run.stderr
