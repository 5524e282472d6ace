"""The walk through a class, with runners made for the occasion: no process is started here."""

import argparse
import csv
import io
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.grading import batch, command, gradebook, reports
from autograd_teach.grading.batch import grade_class
from autograd_teach.grading.notebook_run import CellRecord, Limits, NotebookRun, Runner
from autograd_teach.grading.rebuild import Assignment, Notebook
from autograd_teach.grading.results import Mark, Result, Status
from autograd_teach.grading.sandbox import Interrupted
from autograd_teach.grading.submissions.intake import Keep
from autograd_teach.grading.submissions.selection import Wishes
from tests.grading.classroom import NAME, SOLUTIONS, assignment, hand_in

PASSED, FAILED = CellRecord("passed", 0.1, ""), CellRecord("failed", 0.1, "AssertionError: no")
CELLS = assignment().code_cells  # setup, then answer and check of three exercises


def everything_passes(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
    return NotebookRun(dict.fromkeys(range(len(CELLS)), PASSED), isolation="none at all")


def source(notebook: Notebook, id: str) -> str:
    return next(cell["source"] for cell in notebook["cells"] if cell["id"] == id)


def class_of(folder: Path, *students: str) -> Path:
    for student in students:
        hand_in(
            folder / f"{student}.ipynb",
            {**SOLUTIONS, "double": f"{SOLUTIONS['double']}  # {student}"},
        )
    return folder


def run(submissions: Path, output: Path, runner: Runner = everything_passes) -> dict[str, Result]:
    results = grade_class(
        submissions,
        [assignment()],
        output=output,
        limits=Limits(),
        jobs=2,
        progress=None,
        runner=runner,
    )
    return {one.student: one for one in results}


def statuses(one: Result) -> str:
    return " ".join(mark.status for mark in one.marks)


def test_a_runner_is_an_argument_and_its_isolation_is_in_every_mark(tmp_path: Path) -> None:
    results = run(class_of(tmp_path / "in", "ada", "bob"), tmp_path)
    assert {one.isolation for one in results.values()} == {"none at all"}
    assert results["ada"].points == results["ada"].maximum == 6


@pytest.mark.parametrize("outcome", ["failed", "skipped", "xpassed", "xskipped", "", "PASSED"])
def test_only_passed_is_a_pass(tmp_path: Path, outcome: str) -> None:
    def runner(notebook: Notebook, *rest: object) -> NotebookRun:
        cells = dict.fromkeys(range(len(CELLS)), PASSED)
        if "# ada" in source(notebook, "double-answer"):
            cells[2] = CellRecord(outcome, 0.1, "")
        return NotebookRun(cells)

    assert statuses(run(class_of(tmp_path / "in", "ada"), tmp_path, runner)["ada"]) == "fail pass pass"


@pytest.mark.parametrize("status", [Status.GRADER_ERROR, Status.PROTOCOL_ERROR, Status.DIED])
def test_a_run_without_a_culprit_gives_no_points(tmp_path: Path, status: Status) -> None:
    def runner(notebook: Notebook, *rest: object) -> NotebookRun:
        passed = dict.fromkeys(range(len(CELLS)), PASSED)
        hers = "# ada" in source(notebook, "double-answer")
        return NotebookRun(passed, status if hers else None)

    results = run(class_of(tmp_path / "in", "ada", "bob"), tmp_path, runner)
    assert statuses(results["ada"]) == f"{status} {status} {status}"
    assert results["bob"].status is Status.PASS


def test_every_answer_may_end_the_kernel_and_the_runs_stay_as_many_as_answers(
    tmp_path: Path,
) -> None:
    runs = 0

    def runner(notebook: Notebook, *rest: object) -> NotebookRun:
        nonlocal runs
        if "# ada" not in source(notebook, "double-answer") and not runs:
            return NotebookRun(dict.fromkeys(range(len(CELLS)), PASSED))  # the reference
        runs += 1
        return NotebookRun({}, Status.DIED, 6)

    assert statuses(run(class_of(tmp_path / "in", "ada"), tmp_path, runner)["ada"]) == "died died died"
    assert runs == 3


def test_a_fault_of_the_grader_is_one_student_s_status_and_no_one_else_s(tmp_path: Path) -> None:
    def runner(notebook: Notebook, *rest: object) -> NotebookRun:
        if "# bob" in source(notebook, "double-answer"):
            raise RuntimeError("disk on fire")
        return NotebookRun(dict.fromkeys(range(len(CELLS)), PASSED))

    results = run(class_of(tmp_path / "in", "ada", "bob", "eve"), tmp_path, runner)
    assert [results[s].status for s in ("ada", "bob", "eve")] == ["pass", "grader_error", "pass"]
    assert "RuntimeError: disk on fire" in results["bob"].detail


@pytest.mark.parametrize(("then", "status"), [(None, "pass"), (Status.TIMEOUT, "timeout")])
def test_who_is_stopped_by_the_clock_is_run_once_more_alone(tmp_path: Path, then: Status | None, status: str) -> None:
    ran: list[str] = []

    def runner(notebook: Notebook, *rest: object) -> NotebookRun:
        student = source(notebook, "double-answer").partition("# ")[2]
        ran.append(student)
        stopped = Status.TIMEOUT if ran.count("ada") == 1 else then
        if student != "ada" or not stopped:
            return NotebookRun(dict.fromkeys(range(len(CELLS)), PASSED))
        return NotebookRun({}, stopped, by_the_clock=True)

    results = run(class_of(tmp_path / "in", "ada", "bob", "eve"), tmp_path, runner)
    assert [results[name].status for name in ("ada", "bob", "eve")] == [status, "pass", "pass"]
    assert (sorted(ran[1:-1]), ran[-1]) == (["ada", "bob", "eve"], "ada")


def test_nothing_is_graded_where_the_reference_itself_does_not_pass(tmp_path: Path) -> None:
    def runner(*_: object) -> NotebookRun:
        return NotebookRun({**dict.fromkeys(range(len(CELLS)), PASSED), 4: FAILED})

    with pytest.raises(UserError, match="reference solution of square .* does not pass"):
        run(class_of(tmp_path / "in", "ada"), tmp_path / "out", runner)
    assert not list((tmp_path / "out").glob("grades*"))


def test_an_interrupted_run_keeps_what_it_has_and_calls_the_rest_not_graded(tmp_path: Path) -> None:
    def runner(notebook: Notebook, checks: object, limits: object, stop: threading.Event) -> NotebookRun:
        if "# eve" in source(notebook, "double-answer"):
            assert stop.wait(120)
            raise Interrupted
        return NotebookRun(dict.fromkeys(range(len(CELLS)), PASSED))

    class Impatient(io.StringIO):
        def write(self, text: str) -> int:
            if "2/3" in text:
                raise KeyboardInterrupt
            return super().write(text)

    progress = Impatient()
    with pytest.raises(KeyboardInterrupt):
        grade_class(
            class_of(tmp_path / "in", "ada", "bob", "eve"),
            [assignment()],
            output=tmp_path,
            limits=Limits(),
            jobs=2,
            progress=progress,
            runner=runner,
        )
    with (tmp_path / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = {row["student"]: row["status"] for row in csv.DictReader(file)}
    assert rows == {"ada": "pass", "bob": "pass", "eve": "not_graded"}
    assert progress.getvalue().endswith("The same command goes on from here.\n")


class Hurried:
    """A judge on a machine that is too busy: the clock ends the first `tries` at an answer that says `# slow`, and an answer
    that says `# worse` fails. Remembers who was judged, in which order."""

    def __init__(self, tries: int) -> None:
        self.tries = tries
        self.judged: list[str] = []
        self._lock = threading.Lock()

    def __call__(self, assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
        _, _, who = answers["double"].partition("  # ")
        with self._lock:
            is_slow = "slow" in who and self.judged.count(who) < self.tries
            self.judged += [who] if who else []
        if is_slow:
            return {id: Mark(id, Status.TIMEOUT, 2, judge="hurried", by_the_clock=True) for id in answers}
        marks = {id: Mark(id, Status.PASS, 2, judge="hurried") for id in answers}
        return {**marks, "double": replace(marks["double"], status=Status.FAIL)} if "worse" in who else marks


def in_a_hurry(folder: Path, judge: Hurried, progress: TextIO | None = None) -> dict[str, str]:
    """The statuses of ada, bob (who has two notebooks) and eve."""
    says = {"ada": "ada slow", "bob/new": "bob worse", "bob/old": "bob slow", "eve": "eve"}
    for file, word in says.items():
        answers = {**SOLUTIONS, "double": f"{SOLUTIONS['double']}  # {word}"}
        hand_in(folder / "in" / f"{file}.ipynb", answers)
    shared = {"output": folder, "limits": Limits(), "jobs": 2, "progress": progress, "judged": judge}
    results = grade_class(folder / "in", [assignment()], wishes=Wishes(keep=Keep.BEST), **shared)  # type: ignore[arg-type]
    return {one.student: statuses(one) for one in results}


@pytest.mark.parametrize(
    ("tries", "ada", "bob"),
    [
        (1, "pass pass pass", "pass pass pass"),  # also where the clock ended a notebook that was not the best then
        (2, "timeout timeout timeout", "fail pass pass"),  # it was not the machine: that counts
    ],
)
def test_who_the_clock_ended_is_judged_once_more_alone(tmp_path: Path, tries: int, ada: str, bob: str) -> None:
    judge = Hurried(tries)
    found = in_a_hurry(tmp_path, judge)
    assert found == {"ada": ada, "bob": bob, "eve": "pass pass pass"}
    assert sorted(judge.judged[:4]) == ["ada slow", "bob slow", "bob worse", "eve"]
    assert judge.judged[4] == "ada slow" and sorted(judge.judged[5:]) == ["bob slow", "bob worse"]


def test_nobody_is_judged_once_more_when_the_run_is_stopped(tmp_path: Path) -> None:
    class Impatient(io.StringIO):
        def write(self, text: str) -> int:
            if "1/3" in text:
                raise KeyboardInterrupt
            return super().write(text)

    judge = Hurried(1)
    with pytest.raises(KeyboardInterrupt):
        in_a_hurry(tmp_path, judge, Impatient())
    assert len(set(judge.judged)) == len(judge.judged) <= 4
    with (tmp_path / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = {row["student"]: row["status"] for row in csv.DictReader(file)}
    assert rows == {"ada": "not_graded", "bob": "not_graded", "eve": "pass"}


def test_only_notebooks_that_someone_handed_in_are_graded(tmp_path: Path) -> None:
    hand_in(tmp_path / "in" / f"ada_{NAME}.ipynb")
    results = grade_class(
        tmp_path / "in",
        [assignment(), assignment("10_other")],
        output=tmp_path,
        limits=Limits(),
        jobs=1,
        progress=None,
        runner=everything_passes,
    )
    assert [len(one.marks) for one in results] == [3]


@pytest.mark.parametrize(
    ("limits", "jobs", "said"),
    [
        (Limits(timeout=0), 1, "--timeout"),
        (Limits(timeout=float("nan")), 1, "--timeout"),
        (Limits(timeout=float("inf")), 1, "--timeout"),
        (Limits(), 0, "--jobs"),
    ],
)
def test_impossible_numbers_are_refused(tmp_path: Path, limits: Limits, jobs: int, said: str) -> None:
    with pytest.raises(UserError, match=said):
        grade_class(tmp_path, [assignment()], output=tmp_path, limits=limits, jobs=jobs, progress=None)


def test_gradescope_s_file_for_a_class_is_refused_before_anything_runs(tmp_path: Path) -> None:
    def never(*_: object) -> NotebookRun:
        raise AssertionError("it ran")

    arguments = {"limits": Limits(), "jobs": 1, "progress": None, "runner": never, "kinds": ["gradescope"]}
    with pytest.raises(UserError, match="Gradescope's results.json is for one student, but there are 2 students"):
        grade_class(class_of(tmp_path / "in", "ada", "bob"), [assignment()], output=tmp_path, **arguments)  # type: ignore[arg-type]
    run(tmp_path / "in", tmp_path)
    arguments |= {"timeout": None}
    del arguments["limits"]
    with pytest.raises(UserError, match="there are 2 students"):
        batch.regrade_class([assignment()], output=tmp_path, **arguments)  # type: ignore[arg-type]
    assert sorted(path.suffix for path in tmp_path.glob("grades*")) == [".csv"]


def test_reports_are_written_before_a_pipe_that_nobody_reads_ends_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(text: str) -> None:
        raise BrokenPipeError

    with gradebook.writing(tmp_path):
        pass
    monkeypatch.setattr(batch, "grade", lambda *_, **__: [Result("ada", (Mark("square", Status.PASS, 2),))])
    monkeypatch.setattr(reports, "show", closed)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    rooms = ["--solutions", "s", "--exercises", "e"]
    with pytest.raises(BrokenPipeError):
        command.run(parser.parse_args(["in", "--output", str(tmp_path), *rooms]))
    assert (tmp_path / "grades-pages" / "students" / "ada.html").is_file()


def test_the_command_prints_the_table_and_says_what_the_points_are_worth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, object] = {}

    def graded(submissions: Path, **options: object) -> list[Result]:
        asked.update(options, submissions=submissions)
        return [Result("ada", (Mark("square", status, 2, "", "nbval", "process", recorded="passed"),))]

    monkeypatch.setattr(batch, "grade", graded)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    rooms = [
        "--solutions",
        "s",
        "--exercises",
        "e",
        "--timeout",
        "7",
        "--jobs",
        "3",
        "--scheduler",
        "tcp://10.0.0.1:8786",
    ]
    for status, code in ((Status.PASS, 0), (Status.DIED, 0), (Status.GRADER_ERROR, 1)):
        assert command.run(parser.parse_args(["in", "--output", "out", *rooms, "--report", "none"])) == code
    assert asked == {
        "submissions": Path("in"),
        "output": Path("out"),
        "solutions": Path("s"),
        "exercises": Path("e"),
        "timeout": 7.0,
        "jobs": 3,
        "progress": asked["progress"],
        "wishes": Wishes(),
        "isolation": None,
        "require_sandbox": False,
        "judge": "oracle",
        "points_only": False,
        "kinds": [],
        "scheduler": "tcp://10.0.0.1:8786",
        "late": None,
    }
    printed = capsys.readouterr().out
    assert "ada      pass         2    2/2" in printed
    assert "without a sandbox" in printed
    assert printed.count("Points and check cells disagree for 1 of 1 student;") == 2  # not where it passes
