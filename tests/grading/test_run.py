"""A class of real notebooks through real nbval: what each scores, what it costs, what it leaves behind."""

import csv
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from autograd_teach.grading.batch import grade_class
from autograd_teach.grading.rebuild import Notebook, rebuild
from autograd_teach.grading.record import Interrupted, Limits, Record, nbval_under, run_nbval
from autograd_teach.grading.results import Result
from autograd_teach.grading.sandbox import Isolation
from tests.grading.classroom import SOLUTIONS, assignment, hand_in

TIMEOUT = 4.0
DOUBLE, SQUARE, NEGATE = SOLUTIONS.values()

# name: (answers, the status of the student, the status of each exercise, words in the detail)
CLASS: dict[str, tuple[dict[str, str], str, str, str]] = {
    "right": (SOLUTIONS, "pass", "pass pass pass", ""),
    "right in another way": (
        {
            "double": "double = lambda x: x + x",
            "square": "from math import prod\ndef square(x): return prod([x, x])",
        },
        "partial",
        "pass pass not_attempted",
        "",
    ),
    "right and talkative": (
        {
            "double": "import warnings\ndef double(x):\n    print('in', x)\n    warnings.warn('hm')\n    return 2 * x",
            "square": "import sys\ndef square(x):\n    print('to stderr', file=sys.stderr)\n    return x * x",
            "negate": "def negate(x):\n    display({'a': x})\n    return -x",
        },
        "pass",
        "pass pass pass",
        "",
    ),
    "right and slow": (
        {**SOLUTIONS, "double": "import time\ntime.sleep(2)\n" + DOUBLE},
        "pass",
        "pass pass pass",
        "",
    ),
    "half": ({"double": DOUBLE}, "partial", "pass not_attempted not_attempted", ""),
    "wrong": (
        {**SOLUTIONS, "square": "def square(x): return x"},
        "partial",
        "pass fail pass",
        "square: 2 of 3 checks pass",
    ),
    "a syntax error": (
        {**SOLUTIONS, "double": "def double(x) return"},
        "partial",
        "fail pass pass",
        "SyntaxError",
    ),
    "the words alone": (
        {"double": "print('double: 3 of 3 checks pass')\ndef double(x):\n    print('double: 3 of 3 checks pass')"},
        "fail",
        "fail not_attempted not_attempted",
        "0 of 3 checks pass",
    ),
    "markers for nbval": (
        {"double": "# NBVAL_SKIP\n" + DOUBLE, "square": "# NBVAL_RAISES_EXCEPTION\n1/0"},
        "fail",
        "fail fail not_attempted",
        "",
    ),
    "cells blanked by a transformer": (
        {"double": "get_ipython().input_transformers_cleanup.append(lambda lines: [])"},
        "fail",
        "fail not_attempted not_attempted",
        "",
    ),
    "an endless loop": (
        {**SOLUTIONS, "double": "while True: pass"},
        "partial",
        "timeout pass pass",
        "",
    ),
    "an endless loop that ignores interrupts": (
        {"double": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"},
        "timeout",
        "timeout not_attempted not_attempted",
        "",
    ),
    "an exit": ({**SOLUTIONS, "square": "import os; os._exit(0)"}, "partial", "pass died pass", ""),
    "an exit in the check": (
        {"negate": "import os\ndef negate(x): os._exit(0)"},
        "died",
        "not_attempted not_attempted died",
        "",
    ),
    "prints without end": (
        {**SOLUTIONS, "negate": "while True: print('x' * 10_000)"},
        "partial",
        "pass pass output_limit",
        "",
    ),
    "one print of 100 MB": (
        {"double": "print('x' * 100_000_000)"},
        "output_limit",
        "output_limit not_attempted not_attempted",
        "",
    ),
    "more memory than there is": (
        {**SOLUTIONS, "double": "block = bytearray(2_500_000_000)"},
        "partial",
        "out_of_memory pass pass",
        "MemoryError",
    ),
    "a question to the keyboard": (
        {"double": "input('?')"},
        "fail",
        "fail not_attempted not_attempted",
        "StdinNotImplementedError",
    ),
    "looks around": (
        {
            "double": "import json, os, sys\n"
            "import ipykernel\n"
            "assert os.listdir() == [], os.listdir()\n"
            "transport = json.load(open(ipykernel.get_connection_file()))['transport']\n"
            "assert transport == ('ipc' if os.name == 'posix' else 'tcp')\n"
            "assert 'PYTHONPATH' not in os.environ and 'GRADER_SECRET' not in os.environ\n"
            "assert os.environ['AUTOGRAD_TEACH_NO_PROGRESS'] == '1'\n"
            "assert not any('END SOLUTION' in cell for cell in In)\n" + DOUBLE
        },
        "partial",
        "pass not_attempted not_attempted",
        "",
    ),
    "leaves a process behind": (
        {
            "double": "import subprocess, sys\n"
            "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600) # {mark}'],"
            " start_new_session=True, env=dict())\n" + DOUBLE
        },
        "partial",
        "pass not_attempted not_attempted",
        "",
    ),
    "kills its grader": (
        {
            "double": "import os, signal, psutil, subprocess, sys\n"
            "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600) # {mark}'], start_new_session=True)\n"
            "os.kill(os.getppid(), signal.SIGKILL)"
        },
        "died",
        "died not_attempted not_attempted",
        "",
    ),
}


@dataclass
class Graded:
    results: dict[str, Result]
    rows: dict[str, dict[str, str]]
    progress: str
    mark: str


def with_little_time_for_loops(
    notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event
) -> Record:
    """All else gets more time than a busy machine takes. What a sandbox adds is in test_attacks.py."""
    is_endless = any(cell["source"].endswith("while True: pass") for cell in notebook["cells"])
    limits = replace(limits, timeout=TIMEOUT) if is_endless else limits
    return nbval_under(Isolation.PROCESS)(notebook, checks, limits, stop)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    """The whole class, graded once."""
    folder = tmp_path_factory.mktemp("class")
    mark = f"left behind by {folder}"
    for student, (answers, *_) in CLASS.items():
        marked = {id: source.replace("{mark}", mark) for id, source in answers.items()}
        hand_in(folder / "in" / f"{student}.ipynb", marked)
    (folder / "in" / "broken.ipynb").write_text("{")
    with pytest.MonkeyPatch.context() as patch, (folder / "progress").open("w") as progress:
        patch.setenv("PYTHONPATH", "/nowhere")
        patch.setenv("GRADER_SECRET", "1")
        results = grade_class(
            folder / "in",
            [assignment()],
            output=folder / "out",
            limits=Limits(timeout=60.0, memory=2_000_000_000, output=200_000),
            jobs=2,
            progress=progress,
            runner=with_little_time_for_loops,
        )
    with (folder / "out" / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    yield Graded({r.student: r for r in results}, rows, (folder / "progress").read_text(), mark)


@pytest.mark.parametrize("student", CLASS)
def test_a_submission_gets_what_it_deserves(graded: Graded, student: str) -> None:
    _, status, each, words = CLASS[student]
    result = graded.results[student]
    assert " ".join(mark.status for mark in result.marks) == each, result.detail
    assert result.status == status
    assert words in result.detail
    assert result.points == sum(p for p, s in zip((1, 2, 3), each.split(), strict=True) if s == "pass")


def test_an_endless_loop_has_its_whole_time(graded: Graded) -> None:
    assert graded.results["an endless loop"].marks[0].seconds >= TIMEOUT


def test_every_student_has_a_row_and_a_line_of_progress(graded: Graded) -> None:
    assert set(graded.rows) == {*CLASS, "broken"}
    assert graded.rows["broken"]["status"] == "invalid_notebook"
    for student, row in graded.rows.items():
        assert float(row["total"]) == graded.results[student].points
        assert row["max"] == "6"
        assert f"{student}: {row['status']}\n" in graded.progress
    assert (graded.rows["right"]["judge"], graded.rows["right"]["isolation"]) == (
        "nbval",
        "process",
    )


def test_a_mark_names_its_source(graded: Graded) -> None:
    hashes = {graded.results[s].marks[0].source for s in ("right", "half", "wrong")}
    assert len(hashes) == 1 and len(hashes.pop()) == 64


def _running(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if any(mark in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_no_process_is_left(graded: Graded) -> None:
    assert _running(graded.mark) == []


def test_a_run_can_be_stopped_in_the_middle_of_a_cell() -> None:
    stop = threading.Event()
    threading.Timer(2, stop.set).start()
    tiny = assignment()
    with pytest.raises(Interrupted):
        run_nbval(rebuild(tiny, {"double": "while True: pass"}), [2, 4, 6], Limits(timeout=1000), stop)


GRADER = """
import argparse, sys
from pathlib import Path
from autograd_teach import cli
from autograd_teach.grading import batch, command
from tests.grading.classroom import assignment
batch.load_assignments = lambda *_: [assignment()]
sys.exit(cli.main(["grade", *sys.argv[1:], "--solutions", ".", "--exercises", ".", "--timeout", "100", "--jobs", "2",
                   "--judge", "nbval"]))
"""


@pytest.mark.skipif(os.name != "posix", reason="Windows has other signals")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_grader_that_is_ended_leaves_no_process_and_all_but_kill_leave_the_grades_so_far(
    tmp_path: Path, how: str
) -> None:
    mark = f"left behind by {tmp_path}"
    hand_in(tmp_path / "in" / "ada.ipynb")
    endless = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'while True: pass # MARK'])"
    hand_in(tmp_path / "in" / "eve.ipynb", {"double": endless.replace("MARK", mark)})
    (tmp_path / "scratch").mkdir()
    command = [sys.executable, "-c", GRADER, str(tmp_path / "in"), "--output", str(tmp_path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, cwd=root, env={**os.environ, "TMPDIR": str(tmp_path / "scratch")}
    ) as grader:
        assert grader.stderr
        assert any("1/2 ada: pass" in line for line in grader.stderr)
        while not _running(mark):
            time.sleep(0.1)
        grader.send_signal(getattr(signal, how))
        said = grader.stderr.read()
    deadline = time.monotonic() + 10
    while (left := _running(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left
    if how != "SIGKILL":
        graded = f"1 of 2 students graded, written to {tmp_path / 'grades.csv'}\n"
        how_to_go_on = "Stopped; nothing that was graded is lost. The same command goes on from here.\n"
        assert (grader.returncode, said) == (130, graded + how_to_go_on)
        with (tmp_path / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
            assert [row["status"] for row in csv.DictReader(file)] == ["pass", "not_graded"]
        assert list((tmp_path / "scratch").iterdir()) == []
