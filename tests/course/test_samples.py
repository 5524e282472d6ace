"""Answers that were written from the statements alone, before anybody saw what a check says of them: no right one is rejected,
and every wrong one is caught, but those that a check accepts for a reason."""

import linecache
import runpy
from pathlib import Path

import pytest

from autograd_teach.course.checking import report_on
from autograd_teach.course.content import folder
from autograd_teach.course.notebooks import read_notebook

SAMPLES = sorted((Path(__file__).parent / "samples").glob("sample_*.py"))
ACCEPTED: dict[tuple[str, str], str] = {
    (
        "08.repair_threshold",
        "> instead of >=",
    ): "tanh x is exactly 0.5 for one float at most, by the last digit of a library",
    ("09.KillHead", "for n = 0 forward returns x itself"): "no number and no graph is wrong, and nobody writes to it",
    (
        "10.RepairSquare",
        "the gradient goes through float32",
    ): "right to seven digits: measured slopes have not many more",
    ("10.RepairTanh", "forward divides exponentials"): "the statement says that entries are between -2 and 2",
    ("11.Sigmoid", "backward returns two values"): "a None too many at the end is allowed, in PyTorch as well",
    ("12.MatMul", "both products are computed first"): "what backward computes and drops cannot be seen",
}
"""(exercise, beginning of what its author says is wrong) -> why it passes all the same."""


def is_accepted(exercise: str, what: str) -> bool:
    return any(exercise == id and what.startswith(start) for id, start in ACCEPTED)


def setup_of(exercise: str) -> str:
    """The setup cell of the exercise's notebook."""
    (notebook,) = folder("solutions").glob(f"{exercise.partition('.')[0]}_*.ipynb")
    return next(cell.source for cell in read_notebook(notebook).cells if cell.id == "setup")


def run(setup: str, exercise: str, text: str, number: int) -> object:
    """What the cell defines under the exercise's name."""
    names: dict[str, object] = {"__name__": "__main__"}
    file = f"<ipython-input-{exercise}-{number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(setup, "<setup>", "exec"), names)  # noqa: S102  # our own cells
    exec(compile(text, file, "exec"), names)  # noqa: S102
    return names[exercise.partition(".")[2]]


@pytest.mark.full
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_right_ones_pass_and_wrong_ones_fail(path: Path) -> None:
    setup = setup_of(path.stem.removeprefix("sample_"))
    surprises = []
    for place, (exercise, label, what, text) in enumerate(runpy.run_path(str(path))["ANSWERS"]):
        report = report_on(exercise, run(setup, exercise, text, place))
        passes = label == "right" or is_accepted(exercise, what)
        if report.passed != passes or report.evidence.faults:
            surprises.append((exercise, label, what, repr(report), report.evidence.faults))
    assert not surprises


def test_the_sample_is_large_enough() -> None:
    """At least ten answers for each exercise, two of them right."""
    rows = [row for path in SAMPLES for row in runpy.run_path(str(path))["ANSWERS"]]
    for exercise in {row[0] for row in rows}:
        labels = [row[1] for row in rows if row[0] == exercise]
        assert len(labels) >= 10 and labels.count("right") >= 2, exercise
    assert len({row[0] for row in rows}) == 64
    for exercise, start in ACCEPTED:
        assert any(row[0] == exercise and row[2].startswith(start) for row in rows), (exercise, start)
