"""What one student's files may cost the grader: a hand-in that costs more is named, and the next student is read.

No test measures time: budgets are so small that a hand-in exceeds them many times, and a usual one by far does not.
"""

import io
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course import definitions
from autograd_teach.grading.results import Status
from autograd_teach.grading.submissions import answers, archives, budget, intake
from autograd_teach.grading.submissions.budget import Exhausted, Worker
from autograd_teach.grading.submissions.intake import Submission, take_in
from tests.grading.classroom import NAME, QUESTIONS, SOLUTIONS, assignment, code, exercise_notebook, hand_in

SOLVED = json.dumps(exercise_notebook(SOLUTIONS))
NEEDS = "def double(x):\n    return v0"


def with_cells(*sources: str) -> str:
    """The solved notebook, whose first answer needs `v0` of other cells."""
    written = exercise_notebook({**SOLUTIONS, "double": NEEDS})
    written["cells"] += [code(f"mine{number}", source) for number, source in enumerate(sources)]
    return json.dumps(written)


def zipped(files: dict[str, Any], level: int = 1) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def hundred(text: str) -> bytes:
    return zipped({f"{NAME} ({number}).ipynb": text for number in range(100)})


def long_list() -> bytes:
    """A notebook whose metadata are millions of lists."""
    return f'{SOLVED[:-1]}, "more": [{"[]," * 3_000_000}[]]}}'.encode()


def large_zips() -> bytes:
    return zipped({f"{number}.zip": zipped({"x": bytes(49_000_000)}, level=0) for number in range(10)})


HOSTILE: dict[str, tuple[Callable[[], bytes], str, float, int]] = {
    "cells that need each other": (
        lambda: hundred(with_cells(*(f"v0=v0+{number}" for number in range(3_700)))), "zip", 0.3, 500,
    ),
    "a string of thousands of fields": (
        lambda: hundred(with_cells(f"v0=f'{'{a}' * 14_000}'")), "zip", 0.3, 500,
    ),
    "metadata of millions of lists": (long_list, "ipynb", 5.0, 100),
    "zips that are large when they are opened": (large_zips, "zip", 0.1, 500),
    "zips larger than the memory": (large_zips, "zip", 5.0, 20),
    "a notebook larger than the memory": (lambda: zipped({"x.ipynb": b" " * 90_000_000}), "zip", 5.0, 50),
}  # fmt: skip
"""What is handed in, as which kind of file, and the budget in seconds and MB."""


def budgeted(monkeypatch: pytest.MonkeyPatch, seconds: float, megabytes: int = 500) -> None:
    monkeypatch.setattr(budget, "SECONDS", seconds)
    monkeypatch.setattr(budget, "MEGABYTES", megabytes)


def status(submission: Submission) -> tuple[str | None, bool]:
    """The source of the second answer, and whether it says that the files are too large."""
    answer = submission.answer(assignment(), QUESTIONS[1])
    said = [answer.detail, submission.fault, *submission.notes]
    return answer.source, any("not read: too large (all files of a student may take" in each for each in said)


@pytest.mark.parametrize("name", HOSTILE)
def test_of_a_student_whose_files_cost_too_much_that_is_said_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    made, kind, seconds, megabytes = HOSTILE[name]
    for student in ("ada", "zoe"):
        hand_in(tmp_path / "in" / f"{student}.ipynb")
    (tmp_path / "in" / f"eve.{kind}").write_bytes(made())
    budgeted(monkeypatch, seconds, megabytes)
    ada, eve, zoe = take_in(tmp_path / "in", [assignment()])
    assert status(eve)[1]
    assert status(ada) == status(zoe) == (SOLUTIONS["square"], False)
    assert sum(map(len, eve.notes)) < 2_000


def test_what_was_read_within_the_budget_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(tmp_path / "in/eve/a.ipynb")
    (tmp_path / f"in/eve/b_{NAME}.ipynb").write_bytes(long_list())
    (tmp_path / "in/eve/c_other.ipynb").write_text(SOLVED)
    hand_in(tmp_path / "in/zoe/a.ipynb")
    budgeted(monkeypatch, 5.0, 100)
    other = assignment("other")
    eve, zoe = take_in(tmp_path / "in", [assignment(), other])
    assert status(eve) == (SOLUTIONS["square"], True)
    assert eve.answer(other, QUESTIONS[1]).status is Status.INVALID_NOTEBOOK
    assert status(zoe) == (SOLUTIONS["square"], False)


@pytest.mark.parametrize("around", ["", "ps9/", "submitted/"])
def test_the_zips_of_a_student_share_a_budget_with_each_other_and_with_no_one_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    """Here opening a zip takes all of it."""
    opened: list[str] = []

    def ask(self: Worker, number: int, seconds: float) -> Iterator[Any]:
        if seconds <= 0:
            raise Exhausted
        self.left = 0.0 if self._work.__module__ == archives.__name__ else seconds
        yield from list(self._work(number))

    contents = archives._contents
    monkeypatch.setattr(Worker, "ask", ask)
    monkeypatch.setattr(archives, "_contents", lambda zip: (opened.append("/".join(zip.parts)), contents(zip))[1])
    files = {f"{around}{name}": zipped({f"{NAME}.ipynb": SOLVED}) for name in ("eve/1.zip", "eve/2.zip", "zoe/1.zip")}
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        for name, content in (files | ({"source/x.ipynb": SOLVED} if around == "submitted/" else {})).items():
            archive.writestr(name, content)
    assert [one.student for one in take_in(tmp_path / "in.zip", [assignment()])] == ["eve", "zoe"]
    assert opened == [f"{around}eve/1.zip", f"{around}zoe/1.zip"]


def test_a_reader_that_crashes_costs_only_the_student_whose_file_it_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, grader = intake.read_answers, os.getpid()

    def crashing(data: bytes, *rest: Any) -> Any:
        if b"crash" in data:
            assert os.getpid() != grader
            os.kill(os.getpid(), signal.SIGKILL)
        return read(data, *rest)

    monkeypatch.setattr(intake, "read_answers", crashing)
    hand_in(tmp_path / "eve.ipynb", {"square": "crash"})
    hand_in(tmp_path / "zoe.ipynb")
    eve, zoe = take_in(tmp_path, [assignment()])
    assert (status(eve), status(zoe)) == ((None, True), (SOLUTIONS["square"], False))


def test_where_processes_cannot_be_forked_files_are_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ada.zip").write_bytes(zipped({"x.ipynb": SOLVED}))
    hand_in(tmp_path / "zoe.ipynb")
    monkeypatch.setattr(budget, "FORKS", False)
    assert {status(one) for one in take_in(tmp_path, [assignment()])} == {(SOLUTIONS["square"], False)}


# ---- the process ------------------------------------------------------------------------------------------------------


def pids(number: int) -> Iterator[int]:
    """The process, twice. Ctrl-C in a terminal reaches it too."""
    yield os.getpid()
    os.kill(os.getpid(), signal.SIGINT)
    yield os.getpid()


def test_one_process_serves_all_until_it_ends() -> None:
    with Worker(lambda number: pids(number) if number else range(1 << 60)) as worker:
        first = [*worker.ask(1, 5.0), *worker.ask(2, 5.0)]
        assert 0 < worker.left <= 5.0
        with pytest.raises(Exhausted):
            list(worker.ask(1, 0.0))
        with pytest.raises(Exhausted):
            list(worker.ask(0, 0.05))
        assert worker.left == 0.0
        second = list(worker.ask(1, 5.0))
    assert (len(set(first)), len(set(second)), len({*first, *second, os.getpid()})) == (1, 1, 3)
    assert not multiprocessing.active_children()


def test_no_process_is_left_by_an_interrupted_grader() -> None:
    with pytest.raises(KeyboardInterrupt), Worker(pids) as worker:
        for _ in worker.ask(0, 5.0):
            raise KeyboardInterrupt
    assert not multiprocessing.active_children()


def test_the_process_ends_with_the_grader_even_if_that_is_killed() -> None:
    script = (
        "import os\nfrom autograd_teach.grading.submissions.budget import Worker\n"
        "worker = Worker(lambda number: [1, 2])\nlist(worker.ask(0, 5.0))\nos.kill(os.getpid(), 9)"
    )
    # Returns when nobody holds the pipe any more.
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (-9, b"")


# ---- what is learned of a notebook ------------------------------------------------------------------------------------


def test_each_other_cell_is_read_once_for_all_answers_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    count, reading = [0], definitions._reading

    def counted(node: Any) -> Any:
        count[0] += 1
        return reading(node)

    monkeypatch.setattr(definitions, "_reading", counted)
    needy = {id: f"def {id}(x):\n    return of_{id}" for id in SOLUTIONS}
    others = ["\n".join(f"of_{id} = {number}" for id in SOLUTIONS) for number in range(100)]
    cells = exercise_notebook(needy)["cells"] + [code(f"mine{n}", source) for n, source in enumerate(others)]
    found = answers.read_answers(json.dumps(exercise_notebook({}) | {"cells": cells}).encode(), [assignment()])[1]
    assert [answer.detail for answer in found.values()] == [f"taken from other cells: of_{id}" for id in SOLUTIONS]
    assert count[0] <= (len(others) + 1) * len(SOLUTIONS)
