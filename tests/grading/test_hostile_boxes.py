"""What goes for the sandbox itself gets nowhere, and what only looks like it works: the tables of hostile_boxes.py."""

import os
import re
import stat
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from autograd_teach.course import content
from autograd_teach.course.exercises import exercises
from autograd_teach.grading import sandbox
from autograd_teach.grading.notebook_run import Limits
from autograd_teach.grading.notebook_run.run import Nbval
from autograd_teach.grading.rebuild import Assignment, load_assignments
from autograd_teach.grading.results import Status
from autograd_teach.grading.sandbox import Bounds, Boxes, Ended, Isolation, box, usage
from autograd_teach.grading.sandbox.supervisor import remove
from tests.grading import test_sandbox
from tests.grading.classroom import exercise_notebook
from tests.grading.hostile import after
from tests.grading.hostile_boxes import BEYOND, FORGED, KERNELS, PROGRAMS
from tests.grading.test_oracle import WRONG, judged, new_pool, scale
from tests.grading.test_sandbox import SMALL, Way, exchanged, left

boxes, open_boxes, way = test_sandbox.boxes, test_sandbox.open_boxes, test_sandbox.way
Said = dict[Way, tuple[dict[str, str], dict[str, str], list[object]]]
CHECKS = [2, 4, 6]
"""Of classroom.py's notebook."""


# ---- programs ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def said() -> Said:
    """By way: what the hostile programs and their twins have said, and what is seen of that from outside."""
    return {}


def said_in(way: Way, boxes: Boxes, folder: Path) -> tuple[dict[str, str], dict[str, str], list[object]]:
    private = folder / "private"
    private.write_text("x")
    rows = {name: row for name, row in PROGRAMS.items() if way.kind in row.where}
    with subprocess.Popen(["sleep", "600"]) as victim:
        before = facts(victim.pid, private)
        known = {"VICTIM": victim.pid, "PRIVATE": str(private), "MEETING": f"meet-{uuid.uuid4()}", "PORT": 9}
        with boxes.open(SMALL) as one, boxes.open(SMALL) as another:
            hostile = exchanged(one, {name: row.hostile for name, row in rows.items()}, forks=True, **known)
            twins = exchanged(another, {name: row.twin for name, row in rows.items()}, forks=True, **known)
        changed = [(was, now) for was, now in zip(before, facts(victim.pid, private), strict=True) if was != now]
        victim.kill()
    return hostile, twins, changed


def facts(pid: int, path: Path) -> list[object]:
    """What somebody else could have changed of a process and a file."""
    process, file = psutil.Process(pid), path.stat()
    return [
        *(process.nice(), os.sched_getscheduler(pid), process.cpu_affinity(), process.rlimit(psutil.RLIMIT_NOFILE)),
        *(process.is_running(), stat.filemode(file.st_mode), file.st_mtime, file.st_uid, file.st_size),
        *(file.st_nlink, Path(os.__file__).stat().st_mode),
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_hostile_program_gets_nowhere_and_its_twin_works(
    way: Way, boxes: Boxes, name: str, tmp_path: Path, said: Said
) -> None:
    row = PROGRAMS[name]
    if way.kind not in row.where:
        return
    if name == "changes the system's settings" and not (way.is_root or way.nests or os.getuid()):
        pytest.skip("a grader without root does not own them")
    if way not in said:
        said[way] = said_in(way, boxes, tmp_path)
    hostile, twins, changed = said[way]
    assert re.fullmatch(row.said, hostile[name].strip()), hostile[name]
    assert re.fullmatch(row.right, twins[name].strip()), twins[name]
    assert changed == [], "of what is not theirs"


@pytest.mark.full
@pytest.mark.parametrize("name", BEYOND)
def test_the_bounds_hold_against_who_hides_what_it_uses(
    boxes: Boxes, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, cause, twin, _ = BEYOND[name]
    monkeypatch.setattr(box, "LAST_WORDS", 0.2)
    bounds = Bounds(memory=800_000_000)
    with boxes.open(bounds) as one:
        with suppress(Ended):  # and not TooSlow, which is the clock's end of what the meter does not see
            exchanged(one, {"": program}, allowed=30.0 if "memory" in cause else 1.0)
        assert re.fullmatch(cause, one.end().cause)
    with boxes.open(bounds) as one:
        assert exchanged(one, {"": twin})[""].strip("\0\n") == "right"
    assert left("nothing", boxes) == []


def test_a_folder_that_nobody_may_read_is_beyond_every_bound_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "box"
    (folder / "closed").mkdir(parents=True)
    (folder / "closed" / "large").write_bytes(bytes(100_000))
    size, files = usage.disk(folder, 10)
    assert size >= 100_000 and files == 2
    deep = [folder, *(Path("d" * 200) for _ in range(30))]
    here = os.open(".", os.O_RDONLY)
    try:
        for each in deep:
            each.mkdir(exist_ok=True)
            os.chdir(each)
    finally:
        os.fchdir(here)
        os.close(here)
    assert usage.disk(folder, 1000)[1] > 1000
    (folder / "closed").chmod(0o300)
    if (pid := os.fork()) == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                for each in (tmp_path, folder, folder / "closed", *folder.glob("d*")):
                    os.chown(each, 65534, 65534)
            os.chdir(tmp_path)
            if os.geteuid() == 0:
                os.setresuid(65534, 65534, 65534)
            status = 0 if usage.disk(Path("box/closed"), 1000)[1] > 1000 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    remove(folder)
    assert not folder.exists()


# ---- answers ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pool() -> Iterator[Boxes]:
    with new_pool() as one:
        yield one


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    found = load_assignments(content.folder("solutions"), content.folder("exercises"), exercises())
    return next(each for each in found if each.name.startswith("09"))


@pytest.mark.parametrize("name", FORGED)
def test_an_answer_that_plays_with_its_process_gets_no_point_and_its_twin_all(
    pool: Boxes, assignment: Assignment, name: str
) -> None:
    lie, twin = FORGED[name]
    mark = judged(pool, assignment, {"09.Scale": WRONG + lie})["09.Scale"]
    assert mark.points == 0 and mark.status in {Status.FAIL, Status.PROTOCOL_ERROR, Status.DIED}, mark
    assert mark.detail.isprintable() and len(mark.detail) < 1000
    assert "\x1b" not in mark.detail and "\u202e" not in mark.detail
    right = judged(pool, assignment, {"09.Scale": scale(after=twin)})["09.Scale"]
    assert right.status is Status.PASS, right
    assert left("nothing", pool) == []


# ---- kernels ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nbval() -> Iterator[Nbval]:
    with Nbval(sandbox.available(), []) as one:
        yield one


SHORT = ("replies to what nobody has asked", "sends bytes beside its words")


@pytest.mark.parametrize(
    "name", [*SHORT, *(pytest.param(name, marks=pytest.mark.full) for name in KERNELS if name not in SHORT)]
)
def test_a_kernel_that_plays_with_its_channels_ends_as_it_deserves(nbval: Nbval, name: str) -> None:
    hostile, stopped, twin = KERNELS[name]
    limits = Limits(timeout=2.0 if "timeout" in stopped else 60.0)
    run = nbval(exercise_notebook(after(hostile), said=True), CHECKS, limits, threading.Event())
    assert re.fullmatch(stopped, run.stopped.value if run.stopped else ""), run
    assert not run.by_the_clock and (stopped or run.cells[1].outcome == "failed")
    run = nbval(exercise_notebook(after(twin), said=True), CHECKS, Limits(), threading.Event())
    assert run.stopped is None and run.cells[2].outcome == "passed", run
    assert left("nothing", nbval.boxes) == []


def test_no_other_box_is_told_where_a_kernels_sockets_are() -> None:
    """A path socket answers whoever knows its path and may go there, and a kernel tells it all cells."""
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    cell = "try: lines = [*open('/proc/net/unix')]\nexcept PermissionError: lines = []  # closed by Landlock\nassert not [line for line in lines if 'autograd-teach-' in line and '/k-' in line]"
    with Nbval(Isolation.PROCESS, []) as one:
        run = one(exercise_notebook(after(cell), said=True), CHECKS, Limits(), threading.Event())
    assert run.stopped is None and run.cells[2].outcome == "passed", run
