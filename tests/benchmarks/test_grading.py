"""The benchmark of grading: its class is what it says, its table is whole. No time and no memory is judged.

The class is graded for real where it is small enough; the table is made of runs that are given here.
"""

import contextlib
import dataclasses
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from autograd_teach.grading.rebuild import Assignment
from benchmarks import grading
from benchmarks.grading import Plan, Run

SMALL = Plan((2, 4), 3, 1, 2.0)


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    return grading.solved()


def answers(path: Path) -> list[str]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["id"].endswith("-answer")]


def test_no_two_answers_are_the_same_and_the_first_of_some_never_ends(tmp_path: Path, assignment: Assignment) -> None:
    grading.hand_in(tmp_path, assignment, 5, loops=2)
    notebooks = sorted(tmp_path.glob(f"*/{grading.NOTEBOOK}.ipynb"))
    assert len(notebooks) == 5
    written = [answers(path) for path in notebooks]
    for number, mine in enumerate(written):
        assert [source.endswith("while True: pass") for source in mine] == [number < 2, False, False]
        for source in mine:
            compile(source, "<answer>", "exec")
    assert len({source for mine in written for source in mine}) == 15


@pytest.mark.full
def test_a_class_is_graded_by_the_command(assignment: Assignment) -> None:
    run = grading.graded(assignment, "record", 2, loops=1, limit=10.0)
    assert run.submissions == 2
    assert run.memory, "looked at while the endless loop ran"


@pytest.mark.full
def test_a_class_in_which_something_went_wrong_is_not_measured(assignment: Assignment) -> None:
    wrong = dataclasses.replace(assignment, references=dict.fromkeys(assignment.references, "1/0"))
    with pytest.raises(RuntimeError, match="of 2 students 0 passed, where 2 should have"):
        grading.graded(wrong, "points", 2)


@pytest.mark.parametrize(
    ("found", "loops", "sentence"),
    [
        ("pass pass", 0, ""),
        ("pass partial", 1, ""),
        ("fail fail", 0, "of 2 students 0 passed, where 2 should have"),
        ("pass pass", 1, "of 2 students 2 passed, where 1 should have"),
        ("pass partial", 0, "of 2 students 1 passed, where 2 should have"),
        ("pass", 0, "of 2 students 1 passed, where 2 should have"),
    ],
)
def test_a_class_counts_only_if_everybody_got_what_they_deserve(
    monkeypatch: pytest.MonkeyPatch, assignment: Assignment, found: str, loops: int, sentence: str
) -> None:
    def command_that_finds(command: Sequence[str], size: int, title: str) -> Run:
        output = Path(command[command.index("--output") + 1])
        output.mkdir()
        (output / "grades.csv").write_text("\n".join(["status", *found.split()]), encoding="utf-8")
        return Run(size)

    monkeypatch.setattr(grading, "_watched", command_that_finds)
    with pytest.raises(RuntimeError, match=f"^{sentence}$") if sentence else contextlib.nullcontext():
        assert grading.graded(assignment, "points", 2, loops).submissions == 2


def test_the_table_says_what_was_measured_and_what_it_should_be(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    looks = [
        (done, megabytes * 10**6)
        for done, megabytes in ((0, 30), (2, 99), (2, 101), (2, 100), (4, 120), (4, 119), (4, 121))
    ]

    def graded(_: Assignment, way: str, size: int, loops: int = 0, limit: float = 60.0) -> Run:
        asked.append((way, size, loops, limit))
        return Run(size, 3.0 + 0.5 * size + loops * limit, looks)

    monkeypatch.setattr(grading, "QUICK", SMALL)
    monkeypatch.setattr(grading, "GOAL_FOR", 4)
    monkeypatch.setattr(grading, "graded", graded)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in grading.table(quick=True) if line[:2] == "| "]
    assert asked[:4] == [("points", 2, 0, 60.0), ("points", 4, 0, 60.0), ("points", 3, 0, 2.0), ("points", 3, 1, 2.0)]
    assert [way for way, *_ in asked] == ["points"] * 4 + ["record"] * 4
    assert [row[1:] for row in rows[1:8]] == [
        ["4.0 s", "-"],
        ["5.0 s", "60 s"],
        ["2.000 s, 1.250 s", "-"],
        ["0.62", "<= 1"],
        ["100 MB, 120 MB, 1.20", "1"],
        ["101 MB, 121 MB, 1.20", "1"],
        ["2.0 s, 2.00 of the goal", "1 x 2 s / 2 = 1 s"],
    ]
    assert [row[2] for row in rows[8:10]] == ["-", "480 s"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says who shares what")
def test_memory_counts_descendants_and_what_they_share_once() -> None:
    program = "import os, sys; block = b'x' * 60_000_000; os.fork(); print(flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", program], **pipes) as process:  # both end with their input
        assert process.stdout
        for _ in range(2):
            process.stdout.readline()
        both = grading.in_use_by(process.pid)
    assert 60_000_000 < both < 110_000_000
