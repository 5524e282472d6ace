"""Runs of the grader that a test may kill, with a runner that takes milliseconds. Each student's verdict follows from the
answer, so that two runs must agree.

`python -m tests.grading.killable SUBMISSIONS` reads from its standard input one line a run: how many notebooks the run gets
through, and a folder. It grades into that in a forked process (what takes long is loading the libraries), and says that
process's id and, when it has ended, its status. Beyond its number of notebooks the run waits to be killed. In the folder,
`progress` is what the grader says and `ran` has a line for every notebook that was run.
"""

import hashlib
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from autograd_teach.grading.batch import grade_class
from autograd_teach.grading.notebook_run import CellRecord, Limits, NotebookRun
from autograd_teach.grading.rebuild import Notebook
from tests.grading.classroom import assignment

TINY = assignment()


def judged(
    ran: Path,
    left: Iterator[int],
    notebook: Notebook,
    checks: Sequence[int],
    limits: Limits,
    stop: threading.Event,
) -> NotebookRun:
    """Fails the checks of about a third of all answers; the reference always passes."""
    sources = {cell["id"]: cell["source"] for cell in notebook["cells"]}
    if "END SOLUTION" not in sources["double-answer"] and not next(left, 0):
        threading.Event().wait()
    time.sleep(0.004)
    cells = {number: CellRecord("passed", 0.0, "") for number in range(len(TINY.code_cells))}
    for number in checks:
        answer = sources[TINY.code_cells[number].replace("check", "answer")]
        if "END SOLUTION" not in answer and hashlib.sha256(answer.encode()).digest()[0] % 3 == 0:
            cells[number] = CellRecord("failed", 0.0, "AssertionError: 2 of 3 checks pass")
    with ran.open("a") as log:
        log.write(f"{sources['double-answer'].rpartition('# ')[2]}\n")
    return NotebookRun(cells, seconds=0.25, isolation="none at all")


def run(submissions: Path, output: Path, notebooks: int) -> None:
    """Grade in this process; its end is the end of the process."""
    code = 1
    try:
        with (output / "progress").open("a", buffering=1) as progress:
            runner = partial(judged, output / "ran", iter(range(notebooks, 0, -1)))
            grade_class(submissions, [TINY], output=output, limits=Limits(), jobs=2, progress=progress, runner=runner)
        code = 0
    except BaseException:  # noqa: BLE001 - this is a process's end
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    for line in sys.stdin:
        child = os.fork()
        if not child:
            notebooks, _, folder = line.strip().partition(" ")
            run(Path(sys.argv[1]), Path(folder), int(notebooks))
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
