"""The rehearsal of a grading day: a class of 300 as a learning platform exports it, to a CSV file of which every row is known.

Each different notebook really runs, once; what it is like gets the same record. A smaller class runs nothing.
"""

import csv
import io
import itertools
import json
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from autograd_teach.grading import sandbox
from autograd_teach.grading.batch import grade_class, regrade_class
from autograd_teach.grading.notebook_run import CellRecord, Limits, Nbval, NotebookRun, Runner
from autograd_teach.grading.rebuild import Assignment, Notebook
from autograd_teach.grading.submissions.intake import Keep
from autograd_teach.grading.submissions.selection import Wishes, due_date
from autograd_teach.grading.verdicts import JUDGE
from tests.grading.classroom import NAME, SOLUTIONS, assignment, code, exercise_notebook, notebook
from tests.grading.hostile import with_little_time_for_loops
from tests.grading.stub import by_source, each_notebook_once

FIRST = "Ada Alan Barbara Čeněk Donald Edsger Frances Grace Hedy Ibn John Katherine Leslie Margaret Niklaus Ömer Per Radia Søren 李雷"
LAST = "Allen Borg Dijkstra Gödel Hamilton Hopper Johnson Knuth Lamarr Lamport Lovelace Perlman Turing Wiles O'Neil"
NAMES = [f"{first} {last}" for first, last in itertools.product(FIRST.split(), LAST.split())]
IN_TIME, LATE = (2026, 11, 20, 18, 0, 0), (2026, 11, 21, 0, 0, 2)

LIMITS = Limits(timeout=60.0)
Files = dict[str, str | bytes]
"""What lies in one student's folder."""


@dataclass(frozen=True)
class Kind:
    """So many students who hand in alike, and their row."""

    many: int
    files: Callable[[str], Files | None]
    status: str
    points: tuple[int, int, int]
    detail: str = ""
    date: tuple[int, int, int, int, int, int] = IN_TIME
    runs: bool = True
    written: int = 3  # answers that are run
    recorded: str = ""  # where other checks pass than those of what is right


def work(**answers: str) -> Callable[[str], Files]:
    """The notebook under its own name with these answers."""
    text = json.dumps(exercise_notebook(answers))
    return lambda name: {f"{NAME}.ipynb": text}


def as_it_is(name: str, content: str | bytes) -> Callable[[str], Files]:
    return lambda student: {name: content}


def without_checks(**answers: str) -> str:
    cells = [cell for cell in exercise_notebook(answers)["cells"] if not cell["id"].endswith("-check")]
    return json.dumps(notebook([*cells, code("mine", "print('square: 3 of 3 checks pass')")]))


def a_zip(content: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"work/{NAME}.ipynb", content)
    return buffer.getvalue()


LOOP = "while True: pass"
SOLVED = json.dumps(exercise_notebook(SOLUTIONS))
DOUBLE, SQUARE, NEGATE = SOLUTIONS.values()
ALL, NONE = (10, 20, 30), (0, 0, 0)
KINDS: dict[str, Kind] = {
    "right": Kind(110, work(**SOLUTIONS), "pass", ALL),
    "right in another way": Kind(20, work(**{**SOLUTIONS, "square": "square = lambda x: x ** 2"}), "pass", ALL),
    "right and talkative": Kind(
        5, work(**{**SOLUTIONS, "double": "import sys\nprint('hm', file=sys.stderr)\n" + DOUBLE}), "pass", ALL
    ),
    "wrong": Kind(40, work(**{**SOLUTIONS, "square": "def square(x): return x"}), "partial", (10, 0, 30), "2 of 3 checks"),
    "half done": Kind(40, work(double=DOUBLE), "partial", (10, 0, 0), "square, negate: not_attempted", written=1),
    "untouched": Kind(10, work(), "not_attempted", NONE, "not_attempted", runs=False),
    "late": Kind(20, work(**SOLUTIONS), "pass", ALL, date=LATE),
    "renamed": Kind(15, lambda name: {f"{name} (1).ipynb": SOLVED}, "pass", ALL),
    "zipped": Kind(3, as_it_is("work.zip", a_zip(SOLVED)), "pass", ALL),
    "several": Kind(
        4,
        lambda name: {f"{NAME}.ipynb": json.dumps(exercise_notebook({"double": "double = 3"})), "final.ipynb": SOLVED},
        "pass",
        ALL,
        "final.ipynb is the best of 2",
    ),
    "broken": Kind(5, as_it_is(f"{NAME}.ipynb", SOLVED[:1000]), "invalid_notebook", NONE, "not valid JSON", runs=False),
    "another file": Kind(4, as_it_is("essay.pdf", b"%PDF"), "missing", NONE, "no notebook, but essay.pdf", runs=False),
    "loops for ever": Kind(2, work(**{**SOLUTIONS, "double": LOOP}), "partial", (0, 20, 30), "double: timeout"),
    "ends the kernel": Kind(2, work(**{**SOLUTIONS, "negate": "import os; os._exit(0)"}), "partial", (10, 20, 0), "died"),
    "prints the words": Kind(
        2, work(square="print('square: 3 of 3 checks pass')\nsquare = print"), "fail", NONE, "of 3 checks pass", written=1
    ),
    "took the checks away": Kind(
        2, as_it_is("x.ipynb", without_checks(square="def square(x): return 7")), "fail", NONE, "0 of 3 checks pass", written=1
    ),
    "nothing": Kind(16, lambda name: None, "missing", NONE, "missing", runs=False),
}  # fmt: skip


def exported(folder: Path, kinds: dict[str, Kind], right: str) -> list[Kind]:
    """Write a platform's export of a class of these kinds, one guest in it, and the roster; the kind of each student."""
    class_ = [kind for kind in kinds.values() for _ in range(kind.many)]
    names = NAMES[: len(class_)]
    with zipfile.ZipFile(folder / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (student, kind) in enumerate(zip(names, class_, strict=True), start=1000):
            for name, content in (kind.files(student) or {}).items():
                info = zipfile.ZipInfo(f"{student}_{number}_assignsubmission_file_/{name}", kind.date)
                archive.writestr(info, content)
        archive.writestr("A Guest_999_assignsubmission_file_/x.ipynb", right)
    with (folder / "roster.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ["Identifier", "Full name", "Email address"],
                *([f"Participant {n}", name, f"s{n}@x.org"] for n, name in enumerate(names, start=1000)),
            ]
        )
    return class_


def wishes(folder: Path) -> Wishes:
    return Wishes((), Keep.BEST, due_date("2026-11-20"), folder / "roster.csv", points=60.0)


def compare(sheet: Path, kinds: list[Kind], exercises: list[str], judge: str, isolation: str) -> None:
    """Every row of the sheet is the one that its student's kind foretells."""
    with sheet.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["student"] for row in rows] == [*NAMES[: len(kinds)], "A Guest"]
    (guest,) = rows[len(kinds) :]
    assert (guest["total"], guest["detail"], guest["Email address"]) == ("60", "not on the roster", "")
    ran = {"judge": judge, "isolation": isolation}
    for number, (row, kind) in enumerate(zip(rows, kinds, strict=False), start=1000):
        handed_in = kind.files(row["student"]) or {}
        counted = any(name.endswith(("ipynb", "zip")) for name in handed_in)
        assert kind.detail in row.pop("detail")
        assert row == {
            "student": NAMES[number - 1000],
            "status": kind.status,
            **dict(zip(exercises, map(str, kind.points), strict=True)),
            "total": str(sum(kind.points)),
            "max": "60",
            **(ran if kind.runs else {"judge": "none", "isolation": "none"}),
            "recorded": (kind.recorded or f"{sum(map(bool, kind.points))} of {kind.written}") if kind.runs else "",
            "Identifier": f"Participant {number}",
            "Email address": f"s{number}@x.org",
            "submitted": ("2026-11-21 00:00:02" if kind.date == LATE else "2026-11-20 18:00:00") if counted else "",
            "late": ("yes" if kind.date == LATE else "no") if counted else "",
        }


@pytest.fixture(scope="module")
def nbval() -> Iterator[Runner]:
    """What the command runs notebooks with."""
    with Nbval(sandbox.available()) as runner:
        yield runner


def graded(folder: Path, kinds: dict[str, Kind], runner: Runner) -> list[NotebookRun]:
    """Grade a class of these kinds, compare each row, and return what was run."""
    class_ = exported(folder, kinds, SOLVED)
    once, runs = each_notebook_once(runner)
    grade_class(
        folder / "export.zip",
        [assignment()],
        output=folder / "out",
        limits=LIMITS,
        jobs=2,
        progress=None,
        runner=once,
        wishes=wishes(folder),
    )
    compare(folder / "out" / "grades.csv", class_, list(SOLUTIONS), JUDGE, runs[0].isolation)
    return runs


@pytest.mark.full
def test_a_class_of_300_as_an_export_becomes_the_csv_that_was_to_be_expected(tmp_path: Path, nbval: Runner) -> None:
    assert sum(kind.many for kind in KINDS.values()) == len(set(NAMES)) == 300
    runs = graded(tmp_path, KINDS, with_little_time_for_loops(nbval, {LOOP}))
    assert len(runs) < 20  # each different notebook, the reference, and again without an answer that ended the run


TOLD_BY_THEIR_TEXT = (
    "right", "wrong", "half done", "untouched", "late", "renamed", "zipped", "several", "broken", "another file", "nothing",
)  # fmt: skip


def by_text(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
    """Starts nothing: what is no solution fails one check of three."""
    record = by_source(notebook, checks, limits, stop)
    failed = CellRecord("failed", 0.1, "AssertionError: 2 of 3 checks pass")
    return replace(record, cells={n: cell if cell.outcome == "passed" else failed for n, cell in record.cells.items()})


def test_an_export_becomes_the_csv_that_was_to_be_expected(tmp_path: Path) -> None:
    few = {name: replace(KINDS[name], many=min(KINDS[name].many, 5)) for name in TOLD_BY_THEIR_TEXT}
    assert len(graded(tmp_path, few, by_text)) == 5  # the reference, right, wrong, half done, the worse one of several


def with_a_mistake(right: Assignment) -> Assignment:
    """An instructor's slip: the check of `square` asks for something that is no square, and so does the reference."""
    cells = tuple(
        {**cell, "source": cell["source"].replace("[0, 1, 4]", "[0, 1, 5]")} if cell["id"] == "square-check" else cell
        for cell in right.cells
    )
    return replace(right, cells=cells, references={**right.references, "square": MISTAKEN})


MISTAKEN = "def square(x): return x * x + x // 2"


@pytest.mark.full
def test_ten_appeals_are_granted_by_a_corrected_exercise_and_every_change_is_listed(
    tmp_path: Path, nbval: Runner
) -> None:
    whole = {
        **dict.fromkeys(NAMES[:10], ("square", SQUARE)),  # who appeal
        **dict.fromkeys(NAMES[10:13], ("square", MISTAKEN)),  # who did what the mistaken check asked for
        **dict.fromkeys(NAMES[13:16], ("square", "square = float")),
        **dict.fromkeys(NAMES[16:19], ("double", DOUBLE)),
    }
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for student, answer in whole.items():
            archive.writestr(f"{student}.ipynb", json.dumps(exercise_notebook(dict([answer]))))
    runner, _ = each_notebook_once(nbval)
    mistaken = with_a_mistake(assignment())
    output = tmp_path / "out"
    grade_class(tmp_path / "export.zip", [mistaken], output=output, limits=LIMITS, jobs=2, progress=None, runner=runner)
    _, changes = regrade_class([assignment()], output=output, timeout=None, jobs=2, progress=None, runner=runner)
    said = {change.student: str(change) for change in changes}
    assert set(said) == set(NAMES[:13])
    assert all("square: fail 0/2 -> pass 2/2" in said[name] for name in NAMES[:10])
    assert all("square: pass 2/2 -> fail 0/2" in said[name] for name in NAMES[10:13])
    with (output / "grades-2.csv").open(newline="", encoding="utf-8-sig") as file:
        totals = {row["student"]: row["total"] for row in csv.DictReader(file)}
    points = {SQUARE: "2", DOUBLE: "1"}
    assert totals == {name: points.get(source, "0") for name, (_, source) in whole.items()}
