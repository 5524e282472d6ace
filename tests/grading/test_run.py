"""A grader that is ended in the middle of a class: what it leaves behind. Notebooks that are run: test_attacks.py."""

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.grading.classroom import hand_in
from tests.grading.hostile import running

GRADER = """
import argparse, signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if a shell runs the tests in its background,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and this one under nohup
from autograd_teach import cli
from autograd_teach.grading import batch, command
from tests.grading.classroom import assignment
batch.load_assignments = lambda *_: [assignment()]
sys.exit(cli.main(["grade", *sys.argv[1:], "--solutions", ".", "--exercises", ".", "--timeout", "1000", "--jobs", "2",
                   "--judge", "nbval"]))
"""


@pytest.mark.skipif(os.name != "posix", reason="Windows has other signals")
@pytest.mark.full
@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"])
def test_a_grader_that_is_ended_leaves_no_process_and_all_but_kill_leave_the_grades_so_far(
    tmp_path: Path, how: str
) -> None:
    mark = f"left behind by {tmp_path}"
    hand_in(tmp_path / "in" / "ada.ipynb")
    endless = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'while True: pass', {mark!r}])"
    hand_in(tmp_path / "in" / "eve.ipynb", {"double": endless})
    (tmp_path / "scratch").mkdir()
    command = [sys.executable, "-c", GRADER, str(tmp_path / "in"), "--output", str(tmp_path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, cwd=root, env={**os.environ, "TMPDIR": str(tmp_path / "scratch")}
    ) as grader:
        assert grader.stderr
        assert any("1/2 ada: pass" in line for line in grader.stderr)
        while not running(mark):
            assert grader.poll() is None
            time.sleep(0.05)
        grader.send_signal(getattr(signal, how))
        said = grader.stderr.read()
    patience = time.monotonic() + (120 if how == "SIGKILL" else 0)  # who is killed cannot see to it before it is gone
    while (left := running(mark)) and time.monotonic() < patience:
        time.sleep(0.05)
    assert not left
    if how != "SIGKILL":
        graded = f"1 of 2 students graded, written to {tmp_path / 'grades.csv'}\n"
        how_to_go_on = "Stopped; nothing that was graded is lost. The same command goes on from here.\n"
        assert (grader.returncode, said) == (130, graded + how_to_go_on)
        with (tmp_path / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
            assert [row["status"] for row in csv.DictReader(file)] == ["pass", "not_graded"]
        assert list((tmp_path / "scratch").iterdir()) == []
