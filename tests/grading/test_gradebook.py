"""The gradebook: nothing is lost, nothing is run twice, and whatever goes wrong leaves a whole book and a sentence."""

import csv
import errno
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import pytest

from autograd_teach import cli
from autograd_teach.course.checks.spec import CallSpec
from autograd_teach.course.errors import UserError
from autograd_teach.course.exercises import CallForm, Exercise, exercises
from autograd_teach.course.exercises import exercise as exercise_of
from autograd_teach.course.specs import spec_of
from autograd_teach.grading import batch, gradebook, judge, reports
from autograd_teach.grading.batch import grade_class, regrade_class
from autograd_teach.grading.explain import explain_in
from autograd_teach.grading.gradebook import fingerprint, remarks
from autograd_teach.grading.gradebook.standing import Change
from autograd_teach.grading.notebook_run import CellRecord, Limits, NotebookRun, Runner
from autograd_teach.grading.rebuild import Assignment, Notebook
from autograd_teach.grading.results import Mark, Result, Status, hash_of
from autograd_teach.grading.submissions import archives, selection
from autograd_teach.grading.submissions.preview import preview
from autograd_teach.grading.submissions.selection import Wishes
from autograd_teach.grading.verdicts import by_nbval
from tests.grading.classroom import SOLUTIONS, assignment, hand_in

ROOT = Path(__file__).parents[2]
TINY = assignment()
PASSED, FAILED = CellRecord("passed", 0.1, ""), CellRecord("failed", 0.1, "AssertionError: 2 of 3 checks pass")


class Judge:
    """A runner that fails the answers which say `# wrong`, and remembers whose notebooks it ran."""

    def __init__(self, isolation: str = "none at all", ended: Status | None = None, all_right: bool = False) -> None:
        self.isolation, self.ended, self.all_right = isolation, ended, all_right
        self.ran: list[str] = []

    def __call__(self, notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
        sources = {cell["id"]: cell["source"] for cell in notebook["cells"]}
        cells = dict.fromkeys(range(len(TINY.code_cells)), PASSED)
        if "END SOLUTION" in sources["double-answer"]:
            return NotebookRun(cells, isolation=self.isolation)
        self.ran.append(sources["double-answer"].rpartition("# ")[2])
        if self.ended:
            return NotebookRun({}, self.ended, None, isolation=self.isolation)
        for number in checks:
            if not self.all_right and "# wrong" in sources[TINY.code_cells[number].replace("check", "answer")]:
                cells[number] = FAILED
        return NotebookRun(cells, isolation=self.isolation, seconds=0.5)


def a_class(folder: Path, *students: str, **answers: str) -> Path:
    for student in students:
        named = {"double": f"{SOLUTIONS['double']}  # {student}"}
        hand_in(folder / f"{student}.ipynb", {**SOLUTIONS, **answers, **named})
    return folder


def grade(
    submissions: Path, output: Path, runner: Runner, tiny: Assignment = TINY, limits: Limits | None = None
) -> list[Result]:
    return grade_class(
        submissions,
        [tiny],
        output=output,
        limits=limits or Limits(),
        jobs=2,
        progress=None,
        runner=runner,
    )


def regrade(output: Path, runner: Runner, *tiny: Assignment, timeout: float | None = None) -> list[Change]:
    assignments = tiny or (TINY,)
    return regrade_class(assignments, output=output, timeout=timeout, jobs=2, progress=None, runner=runner)[1]


def is_whole(folder: Path) -> bool:
    with closing(sqlite3.connect(folder / gradebook.FILE_NAME)) as book:
        return book.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def marks_in(folder: Path) -> dict[str, str]:
    with gradebook.reading(folder) as book:
        return {
            student: " ".join(judged.mark.status for judged in marks.values())
            for student, marks in book.current().items()
        }


# ---- a run resumes where it was ---------------------------------------------------------------------------------------


def changed_check(tiny: Assignment, name: str, words: str = "  # changed") -> Assignment:
    cells = [{**c, "source": c["source"] + words} if c["id"] == f"{name}-check" else c for c in tiny.cells]
    return replace(tiny, cells=tuple(cells))


def changed_setup(tiny: Assignment) -> Assignment:
    cells = [{**c, "source": c["source"] + "\n# changed"} if c["id"] == "setup" else c for c in tiny.cells]
    return replace(tiny, cells=tuple(cells))


def other_points(tiny: Assignment) -> Assignment:
    return replace(tiny, questions=tuple(replace(question, points=5) for question in tiny.questions))


def other_declaration(tiny: Assignment) -> Assignment:
    first, *rest = tiny.questions
    return replace(tiny, questions=(replace(first, declared="another"), *rest))


def test_what_stands_is_not_run_again(tmp_path: Path) -> None:
    submissions = a_class(tmp_path / "in", "ada", "bob")
    first, second = Judge(), Judge()
    once = grade(submissions, tmp_path, first)
    assert sorted(first.ran) == ["ada", "bob"]
    assert grade(submissions, tmp_path, second) == once
    assert second.ran == []
    a_class(tmp_path / "in", "eve")
    assert [one.student for one in grade(submissions, tmp_path, second)] == ["ada", "bob", "eve"]
    assert second.ran == ["eve"]


CHANGES = {
    "nothing": (lambda tiny: tiny, Judge(), []),
    "its check": (lambda tiny: changed_check(tiny, "square"), Judge(), ["ada", "bob"]),
    "the set-up": (changed_setup, Judge(), ["ada", "bob"]),
    "its declaration": (other_declaration, Judge(), ["ada", "bob"]),
    "its points": (other_points, Judge(), []),
    "the isolation": (lambda tiny: tiny, Judge("bubblewrap"), ["ada", "bob"]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_rests_on_something_that_changed_is_run_again(tmp_path: Path, what: str) -> None:
    change, judge, ran = CHANGES[what]
    judge.ran.clear()
    submissions = a_class(tmp_path / "in", "ada", "bob")
    grade(submissions, tmp_path, Judge())
    results = grade(submissions, tmp_path, judge, change(TINY))
    assert sorted(judge.ran) == ran
    assert {one.maximum for one in results} == {15 if what == "its points" else 6}
    assert {one.points for one in results} == {one.maximum for one in results}
    again = Judge(judge.isolation)
    grade(submissions, tmp_path, again, change(TINY))
    assert again.ran == []


def test_an_answer_that_changed_is_run_again_and_nobody_else_s(tmp_path: Path) -> None:
    submissions = a_class(tmp_path / "in", "ada", "bob")
    grade(submissions, tmp_path, Judge())
    a_class(submissions, "bob", square="def square(x): return x ** 2  # wrong")
    judge = Judge()
    results = grade(submissions, tmp_path, judge)
    assert judge.ran == ["bob"]
    assert [one.points for one in results] == [6, 4]
    with gradebook.reading(tmp_path) as book:
        assert [each.mark.status for each in book.history("bob", "square")] == ["pass", "fail"]
        assert len(book.history("ada", "square")) == 1


def test_another_version_of_the_course_is_another_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submissions, judge = a_class(tmp_path / "in", "ada"), Judge()
    grade(submissions, tmp_path, judge)
    monkeypatch.setattr(fingerprint, "course", lambda: "2.0")
    grade(submissions, tmp_path, judge)
    assert judge.ran == ["ada", "ada"]


@pytest.mark.parametrize(
    ("status", "limits", "runs"),
    [
        (Status.TIMEOUT, Limits(), 1),
        (Status.TIMEOUT, Limits(timeout=90), 2),
        (None, Limits(timeout=90), 1),
        (Status.GRADER_ERROR, Limits(), 2),
        (Status.PROTOCOL_ERROR, Limits(), 1),
    ],
)
def test_a_limit_matters_to_what_it_ended_and_a_fault_of_the_grader_never_stands(
    tmp_path: Path, status: Status | None, limits: Limits, runs: int
) -> None:
    submissions, judge = a_class(tmp_path / "in", "ada"), Judge(ended=status)
    grade(submissions, tmp_path, judge)
    grade(submissions, tmp_path, judge, limits=limits)
    assert len(judge.ran) == runs


def test_a_mark_comes_back_as_it_was_and_a_field_of_tomorrow_does_no_harm(tmp_path: Path) -> None:
    mark = Mark(
        "square",
        Status.PARTIAL,
        2.5,
        'said "no"\n\u202e',
        "oracle",
        "bubblewrap",
        0.1 + 0.2,
        hash_of("text"),
        part=1 / 3,
    )
    basis = gradebook.Basis(*"abcdef")
    judged = gradebook.Judged("Zoë", "09_tiny", mark, basis, mark.source)
    with gradebook.writing(tmp_path) as book:
        book.begin("1", {}, {})
        book.add("Zoë", "a note", [judged], {mark.source: "text"})
    second_version_of(tmp_path)  # so that what another program writes needs no checksum
    with closing(sqlite3.connect(tmp_path / gradebook.FILE_NAME)) as raw, raw:
        ((stored,),) = raw.execute("SELECT mark FROM marks").fetchall()
        raw.execute("UPDATE marks SET mark = ?", (json.dumps({**json.loads(stored), "luck": [7]}),))
    with gradebook.reading(tmp_path) as book:
        found = book.current()["Zoë"]["square"]
    assert (found.mark, found.basis, found.note, found.run) == (mark, basis, "a note", 1)


# ---- killed, and everything else that can happen to a file ---------------------------------------------------------------


class Killable:
    """A process that grades into a folder, when asked, in a process of its own; see killable.py."""

    def __init__(self, submissions: Path) -> None:
        command = [sys.executable, "-m", "tests.grading.killable", str(submissions)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, output: Path, notebooks: int = 1000) -> int:
        """Begin to grade so many notebooks into `output`; the process to kill."""
        assert self.process.stdin
        output.mkdir(exist_ok=True)
        (output / "progress").write_text("")
        self.process.stdin.write(f"{notebooks} {output}\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> int:
        assert self.process.stdout
        return int(self.process.stdout.readline())

    end = _answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(600)
        self.process.stdout.close()


def ran(output: Path) -> list[str]:
    """Whose notebooks were run, in order, over all runs."""
    return (output / "ran").read_text().split("\n")[:-1] if (output / "ran").exists() else []


def said_graded(output: Path) -> set[str]:
    """The students of whom the grader said that they are graded."""
    lines = (output / "progress").read_text().split("\n")[:-1]
    return {found[1] for line in lines if (found := re.match(r"[0-9]+/[0-9]+ (.*?):", line))}


class Copying(io.StringIO):
    """Progress: whenever a student is said to be graded, the gradebook is copied as it is on the disk at that moment."""

    def __init__(self, output: Path, copies: Path) -> None:
        super().__init__()
        self.output, self.copies, self.said = output, copies, list[str]()

    def write(self, text: str) -> int:
        if found := re.match(r"[0-9]+/[0-9]+ (.*?):", text):
            self.said.append(found[1])
            copy = self.copies / str(len(self.said))
            copy.mkdir(parents=True)
            for file in self.output.glob(f"{gradebook.FILE_NAME}*"):
                shutil.copy(file, copy)
        return super().write(text)


def test_who_is_said_to_be_graded_is_in_the_book_whatever_happens_next(tmp_path: Path) -> None:
    """As if the machine had lost its power then; really killed is a run in the next test."""
    submissions = a_class(
        tmp_path / "in", *(f"s{number}" for number in range(8)), square="def square(x): return x  # wrong"
    )
    progress = Copying(tmp_path / "out", tmp_path / "copies")
    options = {"limits": Limits(), "jobs": 2, "progress": progress, "runner": Judge()}
    whole = grade_class(submissions, [TINY], output=tmp_path / "out", **options)  # type: ignore[arg-type]
    assert len(progress.said) == 8
    for number in range(1, 9):
        copy = tmp_path / "copies" / str(number)
        assert is_whole(copy)
        assert marks_in(copy) == dict.fromkeys(progress.said[:number], "pass pass fail"), number
        if number % 3 == 0:
            judge = Judge()
            assert grade(submissions, copy, judge) == whole
            assert sorted(judge.ran) == sorted(progress.said[number:])


@pytest.mark.full
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a run that is killed often is forked, so that it starts fast")
def test_killed_at_twenty_moments_it_resumes_with_the_same_grades(tmp_path: Path) -> None:
    kills, size = 20, 200
    students = [f"s{number:03}" for number in range(size)]
    submissions = a_class(tmp_path / "in", *students)
    calm, stormy = tmp_path / "calm", tmp_path / "stormy"
    chance, said, before = random.Random(7), set[str](), 0
    with Killable(submissions) as grader:
        grader.start(calm)
        assert grader.end() == 0
        for kill in range(kills):
            more = chance.randint(1, 7)
            process = grader.start(stormy, notebooks=more + 2)
            if kill % 5 != 1:  # else it is killed wherever it is by then: while it starts, or goes through what it has
                while len(said | said_graded(stormy)) < len(said) + more:
                    time.sleep(0.002)
            time.sleep(chance.random() * (0.15 if kill % 5 == 1 else 0.012))
            os.kill(process, signal.SIGKILL)
            assert grader.end() == -signal.SIGKILL
            runs = ran(stormy)
            assert not said & set(runs[before:]), "what it had was run again"
            before, said = len(runs), said | said_graded(stormy)
            if said:
                assert said <= set(marks_in(stormy)), "what it said it had is lost"
                assert is_whole(stormy)
        grader.start(stormy)
        assert grader.end() == 0

    def rows(output: Path) -> list[list[str]]:
        (path,) = output.glob("grades*.csv")
        with path.open(newline="", encoding="utf-8-sig") as file:
            return list(csv.reader(file))

    assert rows(stormy) == rows(calm)
    assert [row[0] for row in rows(calm)[1:]] == students
    assert {row[-6] for row in rows(calm)[1:]} == {"6", "5"}  # the totals differ, so they can be mixed up
    with closing(sqlite3.connect(stormy / gradebook.FILE_NAME)) as book:
        (most,) = book.execute(
            "SELECT max(n) FROM (SELECT count(*) n FROM marks JOIN gradings ON grading = id GROUP BY student, exercise)"
        ).fetchone()
        assert (most, book.execute("SELECT count(*) FROM marks").fetchone()[0]) == (1, 3 * size)
        assert book.execute("SELECT count(*) FROM gradings").fetchone()[0] == size, "a student without marks"
        assert book.execute("SELECT count(*) FROM runs WHERE ended IS NULL").fetchone()[0] > kills // 2


def test_two_graders_on_one_gradebook(tmp_path: Path) -> None:
    submissions, judge = a_class(tmp_path / "in", "ada"), Judge()
    with gradebook.writing(tmp_path) as book:
        book.begin("1", {}, {})
        with pytest.raises(UserError, match=f"Another grader .*process {os.getpid()} on "):
            grade(submissions, tmp_path, judge)
    assert judge.ran == []
    grade(submissions, tmp_path, judge)
    assert judge.ran == ["ada"]


def test_two_graders_in_two_processes(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from autograd_teach.grading import gradebook\n"
        "with gradebook.writing(Path(sys.argv[1])): print('mine', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as other:
        assert other.stdout and other.stdout.readline().strip() == b"mine"
        with pytest.raises(UserError, match="Another grader"), gradebook.writing(tmp_path):
            pass
        other.kill()
    with gradebook.writing(tmp_path):  # however the other one ended, its lock ended with it
        pass


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=False, capture_output=True
    )
    if mount.returncode:
        pytest.skip("mounting a small disk takes an administrator's rights")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_disk_that_fills_up_leaves_a_whole_book_from_which_the_run_goes_on(tmp_path: Path) -> None:
    students = [f"s{number:03}" for number in range(60)]
    submissions = a_class(tmp_path / "in", *students, negate=f"def negate(x): return -x  # {'long ' * 1500}")
    with small_disk(tmp_path / "out", "400k") as output:
        with pytest.raises(UserError, match="gradebook .* cannot be used .*disk.*run the same command again"):
            grade(submissions, output, Judge())
        kept = len(marks_in(output))
        assert 0 < kept < 60
        assert is_whole(output)
        subprocess.run(["mount", "-o", "remount,size=8m", output], check=True)
        judge = Judge()
        assert {one.status for one in grade(submissions, output, judge)} == {"pass"}
        assert len(judge.ran) == 60 - kept
        assert is_whole(output)


def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    with small_disk(tmp_path / "out", "100k") as output:
        with pytest.raises(OSError), (output / "ballast").open("wb") as file:
            file.write(bytes(200_000))
        with pytest.raises(UserError):
            grade(a_class(tmp_path / "in", "ada"), output, Judge())
        (output / "ballast").unlink()
        subprocess.run(["mount", "-o", "remount,size=8m", output], check=True)
        assert [one.status for one in grade(tmp_path / "in", output, Judge())] == ["pass"]


def test_a_write_that_fails_takes_the_whole_student_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where no small disk can be mounted: SQLite may not grow the file."""
    submissions = a_class(tmp_path / "in", "ada", "bob", "eve")
    written = gradebook.Gradebook.add

    def add(book: gradebook.Gradebook, student: str, *rest: object) -> None:
        if len(book.current()) == 1:
            (pages,) = book._connection.execute("PRAGMA page_count").fetchone()
            book._connection.execute(f"PRAGMA max_page_count = {pages}")
            rest = (rest[0], rest[1], {hash: "x" * 200_000 for hash in rest[2]})  # type: ignore[attr-defined]
        written(book, student, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(gradebook.Gradebook, "add", add)
    with pytest.raises(UserError, match="database or disk is full"):
        grade(submissions, tmp_path, Judge())
    monkeypatch.undo()
    assert list(marks_in(tmp_path).values()) == ["pass pass pass"]
    with closing(sqlite3.connect(tmp_path / gradebook.FILE_NAME)) as book:
        counts = [book.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("gradings", "marks")]
    assert counts == [1, 3]
    with (tmp_path / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        assert sorted(row["status"] for row in csv.DictReader(file)) == ["not_graded", "not_graded", "pass"]
    judge = Judge()
    grade(submissions, tmp_path, judge)
    assert len(judge.ran) == 2


def no_database(folder: Path) -> None:
    (folder / gradebook.FILE_NAME).write_bytes(b"my notes, not to be lost" * 100)


def torn(folder: Path) -> None:
    """Damage where no mark is: in the text of an answer."""
    grade(a_class(folder / "before", *(f"s{n}" for n in range(40))), folder, Judge())
    path = folder / gradebook.FILE_NAME
    data = bytearray(path.read_bytes())
    start = data.index(b"def double") // 4096 * 4096
    data[start : start + 200] = bytes(200)
    path.write_bytes(data)


def somebody_else_s(folder: Path) -> None:
    with closing(sqlite3.connect(folder / gradebook.FILE_NAME)) as book:
        book.execute("CREATE TABLE songs (name)")


def tomorrow_s(folder: Path) -> None:
    with gradebook.writing(folder):
        pass
    with closing(sqlite3.connect(folder / gradebook.FILE_NAME)) as book:
        book.execute("PRAGMA user_version = 99")
        book.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def a_folder(folder: Path) -> None:
    (folder / gradebook.FILE_NAME).mkdir()


UNFIT = {
    no_database: "not a gradebook",
    torn: "damaged",
    somebody_else_s: "is not a gradebook of autograd-teach",
    tomorrow_s: "schema version 99",
    a_folder: "unable to open",
}


FIRST_SCHEMA = """
CREATE TABLE runs (id INTEGER PRIMARY KEY, started TEXT NOT NULL, ended TEXT, machine TEXT NOT NULL, process INTEGER NOT NULL,
    course TEXT NOT NULL, versions TEXT NOT NULL, limits TEXT NOT NULL);
CREATE TABLE answers (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE gradings (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id), student TEXT NOT NULL,
    graded TEXT NOT NULL, note TEXT NOT NULL);
CREATE TABLE marks (grading INTEGER NOT NULL REFERENCES gradings (id), exercise TEXT NOT NULL, notebook TEXT NOT NULL,
    status TEXT NOT NULL, points REAL NOT NULL, maximum REAL NOT NULL, judge TEXT NOT NULL, isolation TEXT NOT NULL,
    seconds REAL NOT NULL, answer TEXT REFERENCES answers (hash), mark TEXT NOT NULL, basis TEXT NOT NULL,
    PRIMARY KEY (grading, exercise)) WITHOUT ROWID;
CREATE INDEX gradings_of_student ON gradings (student, id);
"""
"""A gradebook as it was before a run's report was kept in it."""


def first_version_of(folder: Path) -> None:
    """The book in `folder` as the first version of it had been written: its rows without what is new."""
    path = folder / gradebook.FILE_NAME
    with closing(sqlite3.connect(path)) as book:
        rows = {
            table: book.execute(f"SELECT {columns} FROM {table}").fetchall()
            for table, columns in {
                "runs": "id, started, ended, machine, process, course, versions, limits",
                "answers": "*",
                "gradings": "*",
                "marks": "grading, exercise, notebook, status, points, maximum, judge, isolation, seconds, answer, mark, basis",
            }.items()
        }
    new = ("recorded", "said", "recorded_under", "part", "adjusted", "comment")
    for number, row in enumerate(rows["marks"]):
        mark = {name: value for name, value in json.loads(row[-2]).items() if name not in new}
        basis = {name: value for name, value in json.loads(row[-1]).items() if name != "versions"}
        rows["marks"][number] = (*row[:-2], json.dumps(mark), json.dumps(basis))
    for file in folder.glob(f"{gradebook.FILE_NAME}*"):
        file.unlink()
    with closing(sqlite3.connect(path)) as book, book:
        book.executescript(FIRST_SCHEMA)
        for table, each in rows.items():
            book.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(each[0]))})", each)
        book.execute(f"PRAGMA application_id = {gradebook.book._APPLICATION}")
        book.execute("PRAGMA user_version = 1")


def second_version_of(folder: Path) -> None:
    """The book in `folder` as it had been written before marks had checksums."""
    with closing(sqlite3.connect(folder / gradebook.FILE_NAME)) as book, book:
        for statement in ("DROP TABLE remarks", "DROP TABLE trials", "ALTER TABLE marks DROP COLUMN checksum"):
            book.execute(statement)
        book.execute("PRAGMA user_version = 2")


def test_a_book_without_checksums_is_read_as_it_is_and_gets_them(tmp_path: Path) -> None:
    submissions, judge = a_class(tmp_path / "in", "ada", "bob", square="def square(x): return x  # wrong"), Judge()
    before = grade(submissions, tmp_path, judge)
    second_version_of(tmp_path)
    assert marks_in(tmp_path) == {"ada": "pass pass fail", "bob": "pass pass fail"}
    judge.ran.clear()
    assert grade(submissions, tmp_path, judge) == before
    assert judge.ran == []
    tamper(tmp_path, "UPDATE marks SET points = 2 WHERE exercise = 'square'")
    with pytest.raises(UserError, match="'ada' in 'square'"):
        marks_in(tmp_path)


def test_a_book_of_the_first_version_is_read_as_it_is_and_goes_on_as_one_of_today(tmp_path: Path) -> None:
    submissions, judge = a_class(tmp_path / "in", "ada", "bob", square="def square(x): return x  # wrong"), Judge()
    before = grade(submissions, tmp_path, judge)
    first_version_of(tmp_path)
    assert marks_in(tmp_path) == {
        "ada": "pass pass fail",
        "bob": "pass pass fail",
    }  # in the order of the exercises' names
    assert "its check cell" not in explain_in("ada", "square", [TINY], output=tmp_path, as_then=then(judge))[0]
    judge.ran.clear()
    a_class(submissions, "eve")
    after = grade(submissions, tmp_path, judge)
    # These marks were made without a record, so it is made now, and not one grade of them changes.
    assert sorted(judge.ran) == ["ada", "bob", "eve"]
    assert [(one.student, one.status) for one in after[:2]] == [(one.student, one.status) for one in before]
    assert regrade(tmp_path, judge) == []
    assert is_whole(tmp_path)
    assert {path.read_text("utf-8-sig") for path in tmp_path.glob("grades-[23].csv")} == {
        (tmp_path / "grades-2.csv").read_text("utf-8-sig")
    }


def test_a_book_whose_change_to_today_s_is_cut_short_stays_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    first_version_of(tmp_path)
    monkeypatch.setitem(gradebook.book._TO_VERSION, 2, (*gradebook.book._TO_VERSION[2], "no SQL at all"))
    with pytest.raises(UserError, match="syntax error"):
        grade(tmp_path / "in", tmp_path, Judge())
    with closing(sqlite3.connect(tmp_path / gradebook.FILE_NAME)) as book:
        assert book.execute("PRAGMA user_version").fetchone() == (1,)
        assert not book.execute("SELECT 1 FROM sqlite_master WHERE name = 'dressings'").fetchall()
    monkeypatch.undo()
    assert [one.status for one in grade(tmp_path / "in", tmp_path, Judge())] == ["pass"]


@pytest.mark.parametrize("made", UNFIT)
def test_what_is_no_fit_gradebook_is_refused_and_left_alone(tmp_path: Path, made) -> None:  # type: ignore[no-untyped-def]
    made(tmp_path)
    path, judge = tmp_path / gradebook.FILE_NAME, Judge()
    before = None if path.is_dir() else path.read_bytes()
    with pytest.raises(UserError, match=UNFIT[made]):
        grade(a_class(tmp_path / "in", "ada"), tmp_path, judge)
    assert judge.ran == []
    assert before is None or path.read_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that even an administrator cannot write")
@pytest.mark.parametrize("command", ["grade", "regrade"])
def test_a_folder_that_is_read_only(tmp_path: Path, command: str) -> None:
    with pytest.raises(UserError, match="--output"):
        if command == "grade":
            grade(a_class(tmp_path / "in", "ada"), Path("/proc"), Judge())
        else:
            regrade(Path("/proc"), Judge())


def test_a_gradebook_on_a_read_only_disk_can_be_read(tmp_path: Path) -> None:
    with small_disk(tmp_path / "out", "4m") as output:
        grade(a_class(tmp_path / "in", "ada"), output, Judge())
        subprocess.run(["mount", "-o", "remount,ro", output], check=True)
        assert marks_in(output) == {"ada": "pass pass pass"}
        with pytest.raises(UserError, match="--output"):
            regrade(output, Judge())


# ---- what is not as the grader wrote it ---------------------------------------------------------------------------------


def tamper(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / gradebook.FILE_NAME)) as book, book:
        assert book.execute(statement).rowcount


PASSES = "status = 'pass', points = 2, mark = replace(mark, '\"fail\"', '\"pass\"')"
ANOTHER_RUN = (
    "INSERT INTO runs SELECT 9, started, ended, machine, process, course, versions, limits, dressing FROM runs"
)
OF_BOB = "WHERE exercise = 'square' AND grading = (SELECT id FROM gradings WHERE student = 'bob')"
TAMPERED = {
    "a fail that became a pass": (f"UPDATE marks SET {PASSES} {OF_BOB}", "bob"),
    "its status alone": (f"UPDATE marks SET status = 'pass' {OF_BOB}", "bob"),
    "its points": (f"UPDATE marks SET points = 2 {OF_BOB}", "bob"),
    "its maximum": (f"UPDATE marks SET maximum = 200 {OF_BOB}", "bob"),
    "its judge": (f"UPDATE marks SET judge = 'oracle' {OF_BOB}", "bob"),
    "its isolation": (f"UPDATE marks SET isolation = '' {OF_BOB}", "bob"),
    "its time": (f"UPDATE marks SET seconds = seconds + 1 {OF_BOB}", "bob"),
    "its notebook": (f"UPDATE marks SET notebook = 'x' {OF_BOB}", "bob"),
    "its answer": (f"UPDATE marks SET answer = NULL {OF_BOB}", "bob"),
    "its words": (f"UPDATE marks SET mark = replace(mark, 'pass', 'Pass') {OF_BOB}", "bob"),
    "its whole evidence": (f"UPDATE marks SET mark = 'no JSON' {OF_BOB}", "bob"),
    "what it rests on": (f"UPDATE marks SET basis = '{{}}' {OF_BOB}", "bob"),
    "its checksum": (f"UPDATE marks SET checksum = '' {OF_BOB}", "bob"),
    "its date": ("UPDATE gradings SET graded = '2020' WHERE student = 'bob'", "bob"),
    "its run": (f"{ANOTHER_RUN}; UPDATE gradings SET run = 9 WHERE student = 'bob'", "bob"),
    "its note": ("UPDATE gradings SET note = 'excused' WHERE student = 'bob'", "bob"),
    "whose it is": ("UPDATE gradings SET student = 'eve' WHERE student = 'bob'", "eve"),
    "the text of the answer": (f"UPDATE answers SET text = 'def square(x): return x * x' WHERE hash = (SELECT answer FROM marks {OF_BOB})", "bob"),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERED)
def test_a_mark_that_is_not_as_it_was_written_is_named_and_judged_again(tmp_path: Path, what: str) -> None:
    submissions = a_class(tmp_path / "in", "ada")
    a_class(submissions, "bob", square="def square(x): return x ** 2  # wrong")
    before = grade(submissions, tmp_path, Judge())
    statements, student = TAMPERED[what]
    for statement in statements.split("; "):
        tamper(tmp_path, statement)
    for ask in (marks_in, lambda folder: regrade(folder, Judge(all_right=True))):
        with pytest.raises(
            UserError, match=f"'{student}' in '.*is not as the grader wrote it.*Run the `grade` command again"
        ):
            ask(tmp_path)
    with pytest.raises(UserError, match="is not as the grader wrote it"):
        explain_in(student, "square", [TINY], output=tmp_path, as_then=then(Judge()))
    progress, judge = io.StringIO(), Judge()
    options = {"limits": Limits(), "jobs": 1, "progress": progress, "runner": judge}
    assert grade_class(submissions, [TINY], output=tmp_path, **options) == before  # type: ignore[arg-type]
    assert judge.ran == ["bob"]
    assert f"'{student}'" in progress.getvalue() and "'ada'" not in progress.getvalue()
    if student == "bob":
        assert marks_in(tmp_path) == {"ada": "pass pass pass", "bob": "pass pass fail"}
        assert regrade(tmp_path, Judge()) == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("""UPDATE remarks SET remark = replace(remark, '"points": 1', '"points": 2')""", "An adjustment or a comment"),
        ("""UPDATE dressings SET text = replace(text, '"points": null', '"points": 9')""", "What a report adds"),
    ],
)
def test_what_was_added_to_the_marks_and_is_not_as_it_was_written_is_not_believed(
    tmp_path: Path, statement: str, said: str
) -> None:
    grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    remarks.adjust("ada", "square", 1, because="so", output=tmp_path)
    tamper(tmp_path, statement)
    with pytest.raises(UserError, match=f"{said} .* is not as it was written.* Restore a copy of the gradebook"):
        regrade(tmp_path, Judge())


def no_utf_8(folder: Path, table: str, column: str) -> None:
    """Spoil the first letter of `column` in the newest row of `table`, as a bad disk does."""
    with closing(sqlite3.connect(folder / gradebook.FILE_NAME)) as book, book:
        names = [name for _, name, *_ in book.execute(f"PRAGMA table_info({table})")]
        by = "id" if "id" in names else names[0]
        row = book.execute(f"SELECT * FROM {table} ORDER BY {by} DESC").fetchone()
        data = b"\xff" + (row[names.index(column)] or "").encode()[1:]
        where = " AND ".join(f"{name} IS ?" for name in names)
        assert book.execute(f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE {where}", (data, *row)).rowcount == 1


MARK, NAME_OF_MARK = (
    "The mark of '.*' in '.*' in .* is not as the grader wrote it",
    "The mark of '.*\ufffd.*' in .* is not as the grader wrote it",
)
RUN, ADDED, REMARK = (
    f"{what} .* is not as it was written" for what in ("What the last run noted", "What a report adds", "An adjustment")
)
SPOILED = {
    "dressings hash": ADDED, "dressings text": ADDED, "runs dressing": ADDED, "remarks remark": REMARK,
    "remarks checksum": REMARK, "trials basis": "", "trials marks": "", "trials checksum": "", "runs started": "",
    "runs ended": "", "runs machine": "", "runs course": "", "runs versions": RUN, "runs limits": RUN,
    "answers hash": MARK, "answers text": MARK, "gradings student": NAME_OF_MARK, "gradings graded": MARK,
    "gradings note": MARK, "marks exercise": NAME_OF_MARK, "marks notebook": MARK, "marks status": MARK,
    "marks judge": MARK, "marks isolation": MARK, "marks answer": MARK, "marks mark": MARK, "marks basis": MARK,
    "marks checksum": MARK,
}  # fmt: skip
"""A column of text, and what `regrade` says when a letter in it is no UTF-8 any more; "": nothing rests on it."""


def test_each_column_of_text_is_spoiled_once(tmp_path: Path) -> None:
    grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    with closing(sqlite3.connect(tmp_path / gradebook.FILE_NAME)) as book:
        tables = [name for (name,) in book.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {(table, column) for table in tables for column in book.execute(f"PRAGMA table_info({table})")}
    assert {f"{table} {column[1]}" for table, column in columns if column[2] == "TEXT"} == SPOILED.keys()


@pytest.mark.parametrize("where", SPOILED)
def test_a_letter_that_is_no_utf_8_costs_only_what_it_is_in(tmp_path: Path, where: str) -> None:
    submissions = a_class(tmp_path / "in", "ada", "bob")
    again(submissions, tmp_path, Judge())
    remarks.adjust("ada", "square", 1, because="so", output=tmp_path)
    no_utf_8(tmp_path, *where.split())
    said = SPOILED[where]
    with pytest.raises(UserError, match=said) if said else nullcontext():
        assert regrade(tmp_path, Judge()) == []
    with pytest.raises(UserError, match=said) if said in (ADDED, REMARK) else nullcontext():
        progress = again(submissions, tmp_path, Judge())
        assert bool(re.search(MARK, progress)) == (said in (MARK, NAME_OF_MARK))
    with gradebook.reading(tmp_path) as book:
        marks = book.current(len)
        assert [[marks[name][id].mark.status for id in SOLUTIONS] for name in ("ada", "bob")] == [["pass"] * 3] * 2
        if said != REMARK:
            assert [(remark.student, remark.points) for remark in book.remarks()] == [("ada", 1)]
    if said in (MARK, RUN, ""):
        assert regrade(tmp_path, Judge()) == []


READ_ONLY: dict[str, Callable[[Path], object]] = {
    "adjust": lambda folder: remarks.adjust("ada", "square", 1, because="so", output=folder),
    "comment": lambda folder: remarks.comment("ada", "Well done.", output=folder),
    "grade": lambda folder: grade(folder / "in", folder, Judge()),
    "regrade": lambda folder: regrade(folder, Judge()),
}


@pytest.mark.parametrize("has_lock", [True, False])
@pytest.mark.parametrize("command", READ_ONLY)
def test_a_read_only_disk_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, has_lock: bool
) -> None:
    """Root may write to any folder, so the system's answers are made up, and SQLite's are those to a read-only file."""
    grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    if not has_lock:
        (tmp_path / "gradebook.lock").unlink()
    connect = sqlite3.connect

    def only_reading(path: Any, **options: Any) -> sqlite3.Connection:
        address = path if options.get("uri") else f"{path.as_uri()}?mode=ro"
        return connect(address, **{**options, "uri": True})

    def refused(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(sqlite3, "connect", only_reading)
    monkeypatch.setattr(os, "access", lambda *_: False)
    for name in ("TemporaryFile", "NamedTemporaryFile"):
        monkeypatch.setattr(tempfile, name, refused)
    with pytest.raises(UserError, match=r"cannot be written .*\(Read-only file system\).* --output"):
        READ_ONLY[command](tmp_path)


# ---- a roster much larger than the class ---------------------------------------------------------------------------------


def test_students_who_handed_in_nothing_are_stored_at_once_and_printed_in_a_few_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "roster.csv").write_text("name\nada\nbob\n" + "".join(f"s{number}\n" for number in range(500)))
    submissions, wishes = a_class(tmp_path / "in", "ada", "bob"), Wishes(roster=tmp_path / "roster.csv")
    done: list[str] = []
    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.set_trace_callback(done.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    progress = io.StringIO()
    options = {"limits": Limits(), "jobs": 1, "progress": progress, "runner": Judge(), "wishes": wishes}
    results = grade_class(submissions, [TINY], output=tmp_path, **options)  # type: ignore[arg-type]
    assert sum(statement.startswith("BEGIN IMMEDIATE") for statement in done) < 10
    assert "500 of 502 students do not need a run" in progress.getvalue()
    assert marks_in(tmp_path).keys() == {result.student for result in results}
    table = reports.table(results)
    listing = preview(selection.gather(submissions, [TINY], wishes, len), [TINY], wishes)
    assert all(len(text.splitlines()) < 10 for text in (progress.getvalue(), table, listing))
    assert "  500 students handed in nothing: s0, s1," in table and " and 480 more" in table


# ---- a run with nothing to do -------------------------------------------------------------------------------------------


class Trials(Judge):
    """A `Judge` that counts the trials of the references."""

    def __init__(self) -> None:
        super().__init__()
        self.trials = 0

    def __call__(self, notebook: Notebook, *rest: Any) -> NotebookRun:
        self.trials += "END SOLUTION" in str(notebook)
        return super().__call__(notebook, *rest)


def again(
    submissions: Path, output: Path, runner: Judge, tiny: Assignment = TINY, by: str = "me", seconds: float = 60
) -> str:
    """What a run says, whose judge is told `by` a name."""
    progress = io.StringIO()
    options = {"limits": Limits(timeout=seconds), "jobs": 1, "progress": progress, "runner": runner, "judged_by": by}
    grade_class(submissions, [tiny], output=output, **options)  # type: ignore[arg-type]
    return progress.getvalue()


def test_a_run_with_nothing_to_do_runs_nothing_writes_nothing_and_names_nobody(tmp_path: Path) -> None:
    submissions, judge = a_class(tmp_path / "in", "ada", "bob"), Trials()
    assert "1/2 ada" in again(submissions, tmp_path, judge)
    said = again(submissions, tmp_path, judge)
    assert (judge.trials, sorted(judge.ran)) == (1, ["ada", "bob"])
    assert len(sheets(tmp_path)) == 1
    assert "2 of 2 students do not need a run" in said and f"as before in {tmp_path / 'grades.csv'}" in said
    assert "ada" not in said.replace(str(tmp_path), "") and "bob" not in said.replace(str(tmp_path), "")
    a_class(submissions, "eve")
    said = again(submissions, tmp_path, judge)
    assert "3/3 eve: pass" in said and "ada" not in said.replace(str(tmp_path), "")
    assert len(sheets(tmp_path)) == 2


def a_changed_reference(tiny: Assignment) -> Assignment:
    return replace(tiny, references={**tiny.references, "square": "def square(x): return x * x  ### END SOLUTION"})


RESTS = {
    "nothing else": ({}, 1),
    "another judge or isolation": ({"by": "somebody else"}, 2),
    "a judge that tells nothing of itself": ({"by": ""}, 2),
    "another limit": ({"seconds": 90.0}, 2),
    "another reference": ({"tiny": a_changed_reference(TINY)}, 2),
    "other points": ({"tiny": other_points(TINY)}, 1),
}


@pytest.mark.parametrize("what", RESTS)
def test_the_references_are_tried_again_where_anything_changed_that_it_rests_on(tmp_path: Path, what: str) -> None:
    change, trials = RESTS[what]
    submissions, judge = a_class(tmp_path / "in", "ada"), Trials()
    again(submissions, tmp_path, judge)
    again(submissions, tmp_path, judge, **change)  # type: ignore[arg-type]
    assert judge.trials == trials


def test_who_is_run_is_run_after_a_trial_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submissions, judge = a_class(tmp_path / "in", "ada"), Trials()
    again(submissions, tmp_path, judge)
    a_class(submissions, "bob")
    again(submissions, tmp_path, judge)
    assert judge.trials == 2
    tamper(tmp_path, "UPDATE trials SET marks = replace(marks, 'passed', '')")
    again(submissions, tmp_path, judge)
    assert judge.trials == 3
    monkeypatch.setattr(fingerprint, "course", lambda: "2.0")
    again(submissions, tmp_path, judge)
    assert judge.trials == 4


# ---- adjustments and comments -------------------------------------------------------------------------------------------


WRONG_SQUARE = "def square(x): return x ** 2  # wrong"


def adjusted(folder: Path, points: float | None, **how: Any) -> str:
    return remarks.adjust("ada", "square", points, because="right but\n\x1b[1m late", by="Prof", output=folder, **how)


def of_square(results: Sequence[Result]) -> list[float]:
    return [mark.points for result in results for mark in result.marks if mark.exercise == "square"]


def test_an_adjustment_holds_whatever_is_judged_again_and_is_shown(tmp_path: Path) -> None:
    submissions = a_class(tmp_path / "in", "ada", "bob", square=WRONG_SQUARE)
    grade(submissions, tmp_path, Judge())
    assert adjusted(tmp_path, 1.5) == "ada, square: adjusted to 1.5 of 2 points by Prof: right but \ufffd[1m late"
    judge = Judge()
    assert of_square(grade(submissions, tmp_path, judge)) == [1.5, 0]
    assert judge.ran == []
    a_class(submissions, "ada", square=f"{WRONG_SQUARE} again")
    ada, _ = results = grade(submissions, tmp_path, judge)
    assert (of_square(results), judge.ran, ada.points, ada.status) == ([1.5, 0], ["ada"], 5.5, "partial")
    assert ada.marks[1].status is Status.FAIL  # what the judge says stays
    row, _ = sheets(tmp_path)[-1]
    assert (row["square"], row["total"]) == ("1.5", "5.5")
    assert re.search(
        r"square: fail \(adjusted to 1.5 of 2 by Prof, 20..-..-..: right but \ufffd\[1m late; ", row["detail"]
    )
    right = Judge(all_right=True)
    results, changes = regrade_class(
        [changed_check(TINY, "square")], output=tmp_path, timeout=None, jobs=1, progress=None, runner=right
    )
    assert of_square(results) == [1.5, 2]
    assert list(map(str, changes)) == [
        "ada, square: fail 0/2 -> pass 2/2 (the exercise changed; its 1.5 adjusted points stay)",
        "bob, square: fail 0/2 -> pass 2/2 (the exercise changed)",
    ]
    dearer = changed_check(other_points(TINY), "square")
    results, _ = regrade_class([dearer], output=tmp_path, timeout=None, jobs=1, progress=None, runner=right)
    assert of_square(results) == [3.75, 5]  # the same share
    text, _ = explain_in("ada", "square", [TINY], output=tmp_path, as_then=then(right))
    assert "adjusted to 1.5 of 2 by Prof" in text
    remarks.adjust("ada", "square", None, because="no", withdraw=True, output=tmp_path)
    assert of_square(grade(submissions, tmp_path, Judge(all_right=True), dearer)) == [5, 5]
    with closing(sqlite3.connect(tmp_path / gradebook.FILE_NAME)) as book:
        assert book.execute("SELECT count(*) FROM remarks").fetchone() == (2,)


def test_an_adjustment_is_in_the_points_of_the_report(tmp_path: Path) -> None:
    submissions = a_class(tmp_path / "in", "ada", square=WRONG_SQUARE)
    shared = {"output": tmp_path, "jobs": 1, "progress": None, "runner": Judge()}
    arguments = {**shared, "limits": Limits(), "wishes": Wishes(points=60.0)}
    grade_class(submissions, [TINY], **arguments)  # type: ignore[arg-type]
    assert "adjusted to 15 of 20 points" in adjusted(tmp_path, 15)
    (ada,), _ = regrade_class([TINY], **shared, timeout=None)  # type: ignore[arg-type]
    assert ada.marks[1].points == 15


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("ada", "square", -1), "Points cannot be -1; give a number from 0 to 2"),
        (("ada", "square", float("nan")), "Points cannot be nan"),
        (("ada", "square", float("inf")), "Points cannot be inf"),
        (("ada", "square", 2.5), "square is worth 2 points and 2.5 are more; give --bonus"),
        (("ada", "square", None), "one of the two"),
        (("add", "square", 1), "There is no student 'add' in .*; there is ada.$"),
        (("ada", "squar", 1), "There is no exercise 'squar' in .*; there is square.$"),
    ],
)
def test_an_adjustment_that_cannot_be_is_refused(tmp_path: Path, asked: tuple[str, str, float], said: str) -> None:
    grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    with pytest.raises(UserError, match=said):
        remarks.adjust(*asked, because="so", output=tmp_path)
    with pytest.raises(UserError, match="not adjusted; there is nothing to take back"):
        adjusted(tmp_path, None, withdraw=True)
    assert "adjusted to 2.5 of 2" in adjusted(tmp_path, 2.5, bonus=True)


def test_the_commands_say_what_they_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    where = ["--output", str(tmp_path), "--by", "Prof"]
    lines = {
        ("adjust", "ada", "square", "1.5", "--because", "so"): "ada, square: adjusted to 1.5 of 2 points by Prof: so.",
        ("adjust", "ada", "square", "--withdraw", "--because", "no"): "ada, square: no longer adjusted by Prof: no.",
        ("adjust", "ada", "square", "2", "--because", "so"): "ada, square: adjusted to 2 of 2 points by Prof: so.",
        ("adjust", "ada", "square", "--withdraw"): "ada, square: no longer adjusted by Prof.",
        (
            "adjust",
            "ada",
            "square",
            "3",
            "--bonus",
            "--because",
            "so",
        ): "ada, square: adjusted to 3 of 2 points by Prof: so.",
        ("comment", "ada", "Well done."): "ada: a comment is added.",
        ("comment", "ada", "Look.", "--exercise", "square"): "ada, square: a comment is added.",
        ("comment", "ada", "--withdraw"): "ada: the comments are taken back.",
    }
    for line, said in lines.items():
        assert cli.main([*line, *where]) == 0
        assert capsys.readouterr().out.splitlines() == [
            said,
            "It will be in the reports of the next `autograd-teach regrade`.",
        ]


@pytest.mark.parametrize(
    ("asked", "found"),
    [("square", "square"), ("Square", "square"), ("09.scale", "09.Scale"), ("SCALE", "09.Scale"), ("09.Exp", "09.Exp")],
)
def test_an_exercise_is_found_in_capitals_or_not(asked: str, found: str) -> None:
    assert remarks.exercise_of(["square", "09.Scale", "09.Exp", "09.exp"], asked, "ada") == found


@pytest.mark.parametrize("points", ["1,5", "all", ""])
def test_points_that_are_no_number_are_refused_in_one_sentence(points: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["adjust", "ada", "square", points, "--because", "so"])
    assert f"{points!r} is not a number; write it like 1.5\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([], "No mark changed by being judged again.\n"),
        (
            [Change("ada", None, Mark("square", Status.PASS, 2), "new")],
            "1 mark changed by being judged again:\nada, square",
        ),
    ],
)
def test_regrade_says_what_its_list_holds(
    tmp_path: Path,
    changes: list[Change],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = [Result("ada", (Mark("square", Status.PASS, 2),))]
    monkeypatch.setattr(batch, "regrade", lambda **_: (results, changes))
    rooms = ["--solutions", str(tmp_path), "--exercises", str(tmp_path), "--output", str(tmp_path)]
    assert cli.main(["regrade", "--report", "none", *rooms]) == 0
    assert said in capsys.readouterr().out + "\n"


@pytest.mark.parametrize("by", [None, "Prof. A"])
def test_a_student_reads_a_name_only_if_it_was_given(
    tmp_path: Path, by: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "login7")
    grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    remarks.adjust("ada", "square", 1, because="so", by=by, output=tmp_path)
    remarks.comment("ada", "See me.", by=by, output=tmp_path)
    remarks.comment("ada", "Look.", exercise="square", by=by, output=tmp_path)
    results = grade(tmp_path / "in", tmp_path, Judge())
    today = gradebook.book._now()[:10]
    pages = {kind: reports.write(kind, results, tmp_path, str) for kind in ("html", "gradescope")}
    student = next((tmp_path / "grades-pages/students").iterdir()).read_text()
    signed = f"\n({by}, {today})" if by else ""
    for text in (student, json.loads(pages["gradescope"].read_text())["output"]):
        assert "login7" not in text
        assert f"See me.{signed}" in text and (f", {today})" in text) == bool(by)
    assert f"djusted to 1 of 2{' by Prof. A' if by else ''}, {today}: so." in student and f"Look.{signed}" in student
    text, _ = explain_in("ada", "square", [TINY], output=tmp_path, as_then=then(Judge()))
    assert f"adjusted to 1 of 2 by {by or 'login7'}" in text, "the instructor's own record has it"


def test_comments_add_up_until_they_are_taken_back(tmp_path: Path) -> None:
    def shown() -> tuple[object, ...]:
        (ada,) = grade(tmp_path / "in", tmp_path, Judge())
        return ada.comments, ada.marks[1].comment, ada.points

    grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    with pytest.raises(UserError, match="ada, square: there is no comment to take back"):
        remarks.comment("ada", None, exercise="square", withdraw=True, output=tmp_path)
    for words in ("Well done.", " <b>Really.</b>\x1b "):
        remarks.comment("ada", words, exercise="square", output=tmp_path)
    remarks.comment("ada", " See me. ", output=tmp_path)
    assert shown() == (("See me.",), "Well done.\n<b>Really.</b>\ufffd", 6)
    remarks.comment("ada", None, exercise="square", withdraw=True, output=tmp_path)
    assert shown() == (("See me.",), "", 6)
    with pytest.raises(UserError, match="Give the comment"):
        remarks.comment("ada", " ", output=tmp_path)


# ---- a submission that changes while it is read ------------------------------------------------------------------------


@pytest.mark.parametrize("times", [1, 1000])
def test_a_submission_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """It is read again, or graded as unreadable: never half of it, and what is graded is what the book has."""
    submissions = a_class(tmp_path / "in", "ada", "bob")
    path, left = submissions / "ada.ipynb", [times]
    whole = path.read_bytes()
    path.write_bytes(whole[:500])  # the upload is on its way
    read = archives._read_all

    def read_slowly(file, most: int) -> bytes:  # type: ignore[no-untyped-def]
        data = read(file, most)
        if os.path.samestat(os.fstat(file.fileno()), path.stat()) and left[0]:
            left[0] -= 1
            path.write_bytes(whole if times == 1 else whole[: 500 + left[0] % 7])
            os.utime(path, ns=(0, left[0]))
        return data

    monkeypatch.setattr(archives, "_read_all", read_slowly)
    ada, bob = grade(submissions, tmp_path, Judge())
    assert bob.status is Status.PASS
    if times == 1:
        assert ada.status is Status.PASS
    else:
        assert ada.status is Status.INVALID_NOTEBOOK and "kept changing while it was read" in ada.detail
        monkeypatch.undo()
        path.write_bytes(whole)
        assert [one.status for one in grade(submissions, tmp_path, Judge())] == ["pass", "pass"]


# ---- regrade and explain -------------------------------------------------------------------------------------------------


def test_regrade_judges_what_changed_from_the_answers_in_the_book_and_lists_it(tmp_path: Path) -> None:
    submissions = a_class(tmp_path / "in", "ada")
    a_class(submissions, "bob", "eve", square="def square(x): return x ** 2  # wrong")
    hand_in(submissions / "lou.ipynb", {})
    (submissions / "mia.ipynb").write_text("{")
    grade(submissions, tmp_path, Judge())
    for path in submissions.iterdir():
        path.unlink()
    judge = Judge(all_right=True)
    assert regrade(tmp_path, judge) == []
    assert judge.ran == []
    changes = regrade(tmp_path, judge, changed_check(TINY, "square"))
    assert sorted(judge.ran) == ["ada", "bob", "eve"]
    assert sorted(map(str, changes)) == [
        f"{student}, square: fail 0/2 -> pass 2/2 (the exercise changed)" for student in ("bob", "eve")
    ]
    assert regrade(tmp_path, judge, changed_check(TINY, "square")) == []
    assert marks_in(tmp_path)["lou"] == " ".join(["not_attempted"] * 3)
    assert marks_in(tmp_path)["mia"] == " ".join(["invalid_notebook"] * 3)


def test_regrade_leaves_the_marks_of_other_exercises_alone(tmp_path: Path) -> None:
    grade(a_class(tmp_path / "in", "ada", negate="def negate(x): return -x  # wrong"), tmp_path, Judge())
    changes = regrade(tmp_path, Judge(all_right=True), changed_check(TINY, "square"))
    assert changes == []  # negate would pass now, and nobody touched it
    with gradebook.reading(tmp_path) as book:
        assert [len(book.history("ada", name)) for name in ("double", "square", "negate")] == [1, 2, 1]


def test_points_of_an_exercise_that_changed_are_one_sentence_and_run_nothing(tmp_path: Path) -> None:
    grade(a_class(tmp_path / "in", "ada", "bob"), tmp_path, Judge())
    judge = Judge()
    progress = io.StringIO()
    _, changes = regrade_class(
        [other_points(TINY)], output=tmp_path, timeout=None, jobs=1, progress=progress, runner=judge
    )
    assert (changes, judge.ran) == ([], [])
    said = [line for line in progress.getvalue().splitlines() if "worth" in line]
    assert said == [
        f"{name} is worth 5 points now, not {before}; each mark keeps its share."
        for name, before in (("double", 1), ("square", 2), ("negate", 3))
    ]
    assert [row["total"] for row in sheets(tmp_path)[-1]] == ["15", "15"]


def sheets(folder: Path) -> list[list[dict[str, str]]]:
    """The CSV files in the order in which they were written."""
    paths = sorted(folder.glob("grades*.csv"), key=lambda path: (len(path.name), path.name))
    found = []
    for path in paths:
        with path.open(newline="", encoding="utf-8-sig") as file:
            found.append(list(csv.DictReader(file)))
    return found


def test_a_regraded_report_has_the_order_the_columns_and_the_points_of_the_one_before(tmp_path: Path) -> None:
    submissions = a_class(tmp_path / "in", "ada")
    a_class(submissions, "bob", square="def square(x): return x ** 2  # wrong")
    (tmp_path / "roster.csv").write_text("name,email\nzoe,z@x.org\nbob,b@x.org\nada,a@x.org\n")
    os.utime(submissions / "bob.ipynb", (2e9, 2e9))
    wishes = Wishes(due=datetime(2030, 1, 1), roster=tmp_path / "roster.csv", points=60.0)
    shared = {"output": tmp_path, "jobs": 1, "progress": None}
    grade_class(submissions, [TINY], **shared, limits=Limits(), runner=Judge(), wishes=wishes)  # type: ignore[arg-type]
    for change, square, listed in ((lambda tiny: tiny, "0", []), (lambda tiny: changed_check(tiny, "square"), "20", ["bob, square: fail 0/20 -> pass 20/20 (the exercise changed)"])):  # fmt: skip
        _, changes = regrade_class([change(TINY)], **shared, timeout=None, runner=Judge(all_right=True))  # type: ignore[arg-type]
        before, after = sheets(tmp_path)[0], sheets(tmp_path)[-1]
        assert list(map(str, changes)) == listed
        assert [list(row) for row in after] == [list(row) for row in before]
        assert [row["student"] for row in after] == ["zoe", "bob", "ada"]
        for now, then in zip(after, before, strict=True):
            for column in ("email", "submitted", "late", "max", "double", "negate"):
                assert now[column] == then[column], column
        assert [row["square"] for row in after] == ["0", square, "20"]
        assert [row["late"] for row in after] == ["", "yes", "no"]


@pytest.mark.parametrize(
    ("has_records", "points_only", "records"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_regrade_makes_records_where_the_book_has_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_records: bool, points_only: bool, records: bool
) -> None:
    grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    if not has_records:
        first_version_of(tmp_path)
    asked: list[object] = []

    def called(*_: object, record: bool, **__: object) -> Any:
        asked.append(record)
        return nullcontext(by_nbval(Judge(), Limits()))

    monkeypatch.setattr(judge, "called", called)
    monkeypatch.setattr(batch, "load_assignments", lambda *_: [TINY])
    batch.regrade(
        output=tmp_path, exercises=tmp_path, solutions=tmp_path, timeout=None, jobs=1, progress=None, points_only=points_only,
    )  # fmt: skip
    assert asked == [records]


def test_a_second_class_in_the_same_book_keeps_the_columns_of_both(tmp_path: Path) -> None:
    for number, student in enumerate(("ada", "bob")):
        (tmp_path / "roster.csv").write_text(f"name,email\n{student},{number}@x.org\n")
        wishes = Wishes(roster=tmp_path / "roster.csv")
        submissions = a_class(tmp_path / student, student)
        grade_class(submissions, [TINY], output=tmp_path, limits=Limits(), jobs=1, progress=None, runner=Judge(), wishes=wishes)  # fmt: skip
    regrade(tmp_path, Judge())
    assert [(row["student"], row["email"]) for row in sheets(tmp_path)[-1]] == [("bob", "1@x.org"), ("ada", "0@x.org")]


def test_a_report_that_did_not_change_is_kept_once(tmp_path: Path) -> None:
    for _ in range(3):
        grade(a_class(tmp_path / "in", "ada"), tmp_path, Judge())
    regrade(tmp_path, Judge())
    with closing(sqlite3.connect(tmp_path / gradebook.FILE_NAME)) as book:
        assert book.execute("SELECT count(*) FROM dressings").fetchone() == (1,)
        assert book.execute("SELECT count(*) FROM runs WHERE dressing IS NULL").fetchone() == (0,)


def test_regrade_without_a_gradebook(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--output"):
        regrade(tmp_path, Judge())
    assert list(tmp_path.iterdir()) == []


def test_regrade_has_the_limits_of_the_run_before_unless_it_is_given_another(tmp_path: Path) -> None:
    judge = Judge(ended=Status.TIMEOUT)
    grade(a_class(tmp_path / "in", "ada"), tmp_path, judge, limits=Limits(timeout=3))
    assert (regrade(tmp_path, judge), len(judge.ran)) == ([], 1)
    assert [change.why for change in regrade(tmp_path, Judge(), timeout=90)] == ["another limit"] * 3


def test_what_the_grader_itself_failed_at_is_judged_again_from_the_book(tmp_path: Path) -> None:
    def broken(notebook: Notebook, *rest: object) -> NotebookRun:
        if "# ada" in str(notebook):
            raise RuntimeError("disk on fire")
        return NotebookRun(dict.fromkeys(range(len(TINY.code_cells)), PASSED), isolation="none at all")

    grade(a_class(tmp_path / "in", "ada"), tmp_path, broken)
    assert {change.after.status for change in regrade(tmp_path, Judge())} == {Status.PASS}


def then(runner: Runner):  # type: ignore[no-untyped-def]
    return lambda mark, limits: nullcontext(by_nbval(runner, limits))


def test_explain_says_all_that_the_book_has_and_judges_again(tmp_path: Path) -> None:
    grade(a_class(tmp_path / "in", "ada", square="def square(x): return x  # wrong"), tmp_path, Judge())
    text, same = explain_in("ada", "square", [TINY], output=tmp_path, as_then=then(Judge()))
    assert same
    assert re.search(r"its check cell +failed: AssertionError: 2 of 3 checks pass", text)
    for words in ("ada, square: fail, 0 of 2 points", "2 of 3 checks pass", "nbval", "none at all", "# wrong", "numpy"):
        assert words in text
    text, same = explain_in("ada", "square", [TINY], output=tmp_path, as_then=then(Judge(all_right=True)))
    assert not same and "pass, 2 of 2 points, NOT the same" in text
    text, same = explain_in("ada", "square", [changed_check(TINY, "square")], output=tmp_path, as_then=then(Judge()))
    assert "The exercise changed since" in text
    dearer = replace(TINY, questions=tuple(replace(each, points=each.points + 1) for each in TINY.questions))
    text, same = explain_in("ada", "square", [dearer], output=tmp_path, as_then=then(Judge()))
    assert "The exercise's points changed since" in text


@pytest.mark.parametrize(
    ("asked", "said"),
    [(("adda", "square"), "is ada."), (("A", "square"), "are ada, zara."), (("ada", "squar"), "is square.")],
)
def test_explain_names_what_comes_near(tmp_path: Path, asked: tuple[str, str], said: str) -> None:
    grade(a_class(tmp_path / "in", "ada", "bob", "zara"), tmp_path, Judge())
    with pytest.raises(UserError, match=f"There is no .*; there {re.escape(said)}$"):
        explain_in(*asked, [TINY], output=tmp_path, as_then=then(Judge()))


def test_of_more_names_than_are_listed_the_number_is_said() -> None:
    with pytest.raises(UserError, match="there are s00, .*, s08, s09 and 2 more.$"):
        remarks.one_of([f"s{number:02}" for number in range(12)], "who", "student", "the book")


# ---- fingerprints of exercises ----------------------------------------------------------------------------------------------


def test_each_exercise_has_a_fingerprint_of_its_own_that_is_the_same_in_every_process() -> None:
    here = {each.id: fingerprint.declared(each) for each in exercises()}
    assert len(set(here.values())) == len(here)
    script = (
        "import json; from autograd_teach.course.exercises import exercises; from autograd_teach.grading.gradebook import fingerprint\n"
        "print(json.dumps({each.id: fingerprint.declared(each) for each in exercises()}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "5"}
    there = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True)
    assert json.loads(there.stdout) == here


SQUARE = Exercise("09_tiny", "square", 2, "Square", CallForm(("x",)), ("Look again.", "x times x"))


def printed(specification, exercise: Exercise = SQUARE) -> str:  # type: ignore[no-untyped-def]
    """The fingerprint of an exercise with this specification."""
    return fingerprint.declared(exercise, CallSpec(specification, lambda rng: [(rng.random(3),)]))


def times(factor: float):  # type: ignore[no-untyped-def]
    return lambda x: x * factor


def helper(x: float) -> float:
    return x * 2


def test_a_fingerprint_changes_with_what_judges_and_with_nothing_else() -> None:
    same = printed(times(2))
    assert printed(times(2)) == same
    assert printed(times(2), replace(SQUARE, points=7, title="!", hints=("a", "b"))) == same
    others = [
        printed(times(3)),
        printed(lambda x: x + 2),
        printed(helper),
        printed(times(2), replace(SQUARE, entry="s")),
        printed(times(2), replace(SQUARE, weights={"value": 1})),
    ]
    assert len({same, *others}) == 6


def test_a_fingerprint_changes_with_a_reference_that_judges_but_not_with_one_that_makes_words() -> None:
    """Right second derivatives follow from the reference of backward."""
    cube, tape = exercise_of("11.Cube"), spec_of(exercise_of("16.Tape"))
    spec = spec_of(cube)
    assert fingerprint.declared(cube, replace(spec, backward=times(7))) != fingerprint.declared(cube, spec)
    assert fingerprint.declared(cube, replace(tape, reference=times(7))) == fingerprint.declared(cube, tape)


def test_a_fingerprint_goes_through_the_helpers_that_a_declaration_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    before = printed(lambda x: helper(x))
    monkeypatch.setitem(globals(), "helper", lambda x: x * 3)
    assert printed(lambda x: helper(x)) != before
