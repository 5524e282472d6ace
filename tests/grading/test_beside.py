"""nbval's record beside another judge's verdict: it is there, it is never points, it is made once, and where the two disagree
that is said. Nothing runs here."""

import csv
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.grading import gradebook
from autograd_teach.grading.batch import grade_class
from autograd_teach.grading.notebook_run import CellRecord, Limits, NotebookRun
from autograd_teach.grading.notebook_run import Runner as Run
from autograd_teach.grading.rebuild import Assignment, Notebook
from autograd_teach.grading.results import Mark, Result, Status, hash_of
from autograd_teach.grading.sandbox import Interrupted
from autograd_teach.grading.submissions.intake import Keep
from autograd_teach.grading.submissions.selection import NO_WISHES, Wishes
from autograd_teach.grading.verdicts import LONGEST_WORDS, Recorded
from tests.grading.classroom import SOLUTIONS, STUB, assignment, hand_in

TINY = assignment()
CELLS = TINY.code_cells
IDS = tuple(SOLUTIONS)
PASSED = CellRecord("passed", 0.1, "")
WORDS = "NotPassed: 2 of 3 checks pass - 2 times too large"


class Oracle:
    """A judge who reads the verdict off the answer: `# oracle: fail`, by default a pass; and remembers whom it judged."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
        if answers and "END SOLUTION" not in "".join(answers.values()):
            self.asked.append(sorted(answers))
        return {
            question.id: Mark(
                question.id, Status(said(source, "oracle") or "pass"), question.points, "", "oracle", "cage", 0.1,
                hash_of(source), str(len(self.asked)),
            )
            for question in assignment.questions
            if (source := answers.get(question.id)) is not None
        }  # fmt: skip


class Runner:
    """Records what the answers say: `# record: failed`, by default `passed`; a status there ends the run at that answer."""

    def __init__(self, isolation: str = "cage") -> None:
        self.isolation = isolation
        self.ran: list[Notebook] = []

    def __call__(self, notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
        sources = {cell["id"]: cell["source"] for cell in notebook["cells"]}
        if "END SOLUTION" not in sources["square-answer"]:
            self.ran.append(notebook)
        cells = dict.fromkeys(range(len(CELLS)), PASSED)
        for id in IDS:
            outcome = said(sources[f"{id}-answer"], "record") or "passed"
            if outcome == "raises":
                raise RuntimeError("disk on fire")
            if outcome == "interrupted":
                raise Interrupted
            if outcome in set(Status):
                return NotebookRun(cells, Status(outcome), CELLS.index(f"{id}-answer"), isolation=self.isolation)
            if sources[f"{id}-answer"] == STUB.format(id=id):
                outcome = "failed"
            cells[CELLS.index(f"{id}-check")] = CellRecord(outcome, 0.1, "" if outcome == "passed" else WORDS)
        return NotebookRun(cells, isolation=self.isolation)


def said(source: str, who: str) -> str:
    """What the answer says after `# who:`."""
    return source.partition(f"# {who}: ")[2].partition("\n")[0]


def answer(oracle: str = "pass", record: str = "passed") -> str:
    return f"# oracle: {oracle}\n# record: {record}\nx = 1"


def grade(
    folder: Path, judge: Oracle, runner: Run | None = None, wishes: Wishes = NO_WISHES, **students: Mapping[str, str]
) -> dict[str, Result]:
    """Grade these students, with a record by `runner` if there is one."""
    for student, answers in students.items():
        hand_in(folder / "in" / f"{student}.ipynb", dict(answers))
    judged = Recorded(judge, runner, Limits()) if runner else judge
    results = grade_class(
        folder / "in", [TINY], output=folder, limits=Limits(), jobs=1, progress=None, judged=judged, wishes=wishes
    )  # fmt: skip
    return {one.student: one for one in results}


def marks(result: Result, field: str) -> list[object]:
    return [getattr(mark, field) for mark in result.marks]


BOTH = [
    ("pass", "passed", ""),
    ("pass", "failed", "square: pass (its own check says it does not pass)"),
    ("pass", "timeout", "square: pass (in the notebook it took too long)"),
    ("pass", "grader_error", ""),
    ("fail", "passed", "square: fail (its own check says it passes)"),
    ("fail", "failed", "square: fail (its check: 2 of 3 checks pass - 2 times too large)"),
    ("fail", "died", "square: fail"),
    ("protocol_error", "passed", "square: protocol_error (its own check says it passes)"),
]


@pytest.mark.parametrize(("verdict", "record", "detail"), BOTH)
def test_points_are_the_judge_s_alone_and_a_contradiction_is_said(
    tmp_path: Path, verdict: str, record: str, detail: str
) -> None:
    answers = {"double": answer(), "square": answer(verdict, record), "negate": answer()}
    ada = grade(tmp_path, Oracle(), Runner(), ada=answers)["ada"]
    assert marks(ada, "points") == [1, 2 if verdict == "pass" else 0, 3]
    assert marks(ada, "recorded") == ["passed", record, "passed"]
    assert (ada.detail, ada.judge, ada.isolation) == (detail, "oracle", "cage")
    with (tmp_path / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        (row,) = csv.DictReader(file)
    assert (row["detail"], row["recorded"]) == (detail, f"{3 if record == 'passed' else 2} of 3")


@pytest.mark.parametrize("ended", ["timeout", "died", "out_of_memory"])
def test_what_ended_under_the_judge_is_not_run_again_and_its_stub_stands_in_its_place(
    tmp_path: Path, ended: str
) -> None:
    runner = Runner()
    results = grade(
        tmp_path, Oracle(), runner,
        ada={"double": answer(), "square": answer(ended), "negate": answer(ended)}, eve={"double": answer(ended)},
    )  # fmt: skip
    assert [marks(results[name], "recorded") for name in ("ada", "eve")] == [
        ["passed", "not run", "not run"],
        ["not run", "", ""],
    ]
    (notebook,) = runner.ran
    sources = {cell["id"]: cell["source"] for cell in notebook["cells"]}
    assert sources["square-answer"] == STUB.format(id="square")


def test_what_ends_the_record_early_takes_no_point_and_no_other_record_down(tmp_path: Path) -> None:
    answers = {"double": answer(record="died"), "square": answer(record="timeout"), "negate": answer(record="failed")}
    ada = grade(tmp_path, Oracle(), Runner(), ada=answers)["ada"]
    assert (ada.points, marks(ada, "recorded")) == (6, ["died", "timeout", "failed"])


def test_a_record_that_the_grader_failed_at_takes_no_point_and_is_tried_again(tmp_path: Path) -> None:
    oracle, runner = Oracle(), Runner()
    answers = {**dict.fromkeys(IDS, answer()), "square": answer(record="raises")}
    ada = grade(tmp_path, oracle, runner, ada=answers)["ada"]
    assert (ada.points, marks(ada, "recorded")) == (6, ["grader_error"] * 3)
    assert ada.marks[0].said == "RuntimeError: disk on fire"

    def mended(*_: object) -> NotebookRun:
        return NotebookRun(dict.fromkeys(range(len(CELLS)), PASSED))

    again = grade(tmp_path, oracle, mended)["ada"]
    assert (again.points, marks(again, "recorded"), len(oracle.asked)) == (6, ["passed"] * 3, 1)


def test_a_run_that_is_stopped_while_a_record_is_made_leaves_that_student_to_the_next_run(tmp_path: Path) -> None:
    results = grade(tmp_path, Oracle(), Runner(), ada={"double": answer(record="interrupted")}, eve=dict(SOLUTIONS))
    assert (results["ada"].status, results["eve"].status) == (Status.NOT_GRADED, Status.PASS)


def test_a_record_is_made_later_for_what_has_none_and_once(tmp_path: Path) -> None:
    oracle, runner = Oracle(), Runner()
    before = grade(tmp_path, oracle, ada=dict.fromkeys(IDS, answer(record="failed")), eve={"double": answer("timeout")})
    assert [marks(one, "recorded") for one in before.values()] == [[""] * 3] * 2
    assert len(oracle.asked) == 2
    after = grade(tmp_path, oracle, runner)
    assert [marks(one, "recorded") for one in after.values()] == [["failed"] * 3, ["not run", "", ""]]
    for field in ("status", "points", "seed", "source"):
        assert [marks(one, field) for one in after.values()] == [marks(one, field) for one in before.values()]
    assert (len(oracle.asked), len(runner.ran)) == (2, 1)
    assert grade(tmp_path, oracle, runner) == after
    assert grade(tmp_path, oracle) == after, "without a record, the one that there is stays"
    assert (len(oracle.asked), len(runner.ran)) == (2, 1)
    with gradebook.reading(tmp_path) as book:
        assert [each.mark.recorded for each in book.history("ada", "square")] == ["", "failed"]


def test_of_several_notebooks_the_best_alone_gets_its_record_later(tmp_path: Path) -> None:
    oracle, runner = Oracle(), Runner()
    for name, verdict in (("a", "fail"), ("b", "pass"), ("c", "timeout")):
        hand_in(tmp_path / "in" / "ada" / f"{name}.ipynb", {"double": answer(verdict)})
    hand_in(tmp_path / "in" / "eve.ipynb")
    wishes = Wishes(keep=Keep.BEST)
    before = grade(tmp_path, oracle, wishes=wishes)["ada"]
    after = grade(tmp_path, oracle, runner, wishes=wishes)["ada"]
    assert (after.points, after.note, marks(after, "seed")) == (1, before.note, marks(before, "seed"))
    assert marks(after, "recorded") == ["passed", "", ""]
    assert grade(tmp_path, oracle, runner, wishes=wishes)["ada"] == after
    assert (len(oracle.asked), len(runner.ran)) == (4, 2)  # each notebook was judged once; hers and eve's were recorded


def test_another_answer_gets_another_verdict_and_another_record(tmp_path: Path) -> None:
    oracle, runner = Oracle(), Runner()
    grade(tmp_path, oracle, runner, ada=dict.fromkeys(IDS, answer()))
    ada = grade(tmp_path, oracle, runner, ada={**dict.fromkeys(IDS, answer()), "double": answer("fail", "failed")})[
        "ada"
    ]
    assert marks(ada, "recorded") == ["failed", "passed", "passed"]
    assert (len(oracle.asked), len(runner.ran)) == (2, 2)


def test_a_lesser_isolation_of_the_record_is_in_the_grades(tmp_path: Path) -> None:
    ada = grade(tmp_path, Oracle(), Runner("process"), ada={"double": answer()})["ada"]
    assert ada.isolation == "cage+process"


def test_where_the_reference_s_own_check_does_not_pass_nothing_is_recorded_and_points_can_be_had(
    tmp_path: Path,
) -> None:
    def runner(*_: object) -> NotebookRun:
        return NotebookRun({**dict.fromkeys(range(len(CELLS)), PASSED), 4: CellRecord("failed", 0.1, WORDS)})

    with pytest.raises(UserError, match="the check of square .* does not pass .*give --points-only"):
        grade(tmp_path, Oracle(), runner, ada=dict.fromkeys(IDS, answer()))
    assert grade(tmp_path, Oracle(), ada=dict.fromkeys(IDS, answer()))["ada"].points == 6


def test_what_a_check_says_is_one_printable_line_of_bounded_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.WORDS", "Error: \x1b[31m\u202e red\n\n" + "x" * 1000)
    ada = grade(tmp_path, Oracle(), Runner(), ada={"double": answer("fail", "failed")})["ada"]
    said = ada.marks[0].said
    assert said.startswith("Error: \ufffd[31m\ufffd red xxx") and said.endswith("…") and len(said) == LONGEST_WORDS
    assert said.isprintable()
