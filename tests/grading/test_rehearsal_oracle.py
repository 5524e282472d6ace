"""The rehearsal once more with a real exercise notebook and the oracle for a judge: 300 hand-ins are judged one by one, the record
is made of each different notebook once; ten appeals are granted, and the sheet they are in looks like the one before."""

import csv
import dataclasses
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograd_teach.course import specs
from autograd_teach.course.exercises import Exercise, exercise, exercises, module_of
from autograd_teach.grading import judge, sandbox
from autograd_teach.grading.batch import grade_class, regrade_class
from autograd_teach.grading.notebook_run import Limits, Nbval
from autograd_teach.grading.oracle.judging import JUDGE, Oracle
from autograd_teach.grading.rebuild import Assignment, load_assignments
from autograd_teach.grading.reports import write
from autograd_teach.grading.sandbox import Boxes
from autograd_teach.grading.verdicts import Recorded, by_nbval
from tests.grading.stub import each_answers_once, each_notebook_once
from tests.grading.test_rehearsal import LATE, NAMES, Files, Kind, as_it_is, compare, exported, wishes

ROOT = Path(__file__).parents[2]
NOTEBOOK = "09_custom_functions"
IDS = ["09.KillHead", "09.Scale", "09.Exp"]
LIMITS = Limits(timeout=10.0)
HANDED_OUT = json.loads((ROOT / f"exercises/{NOTEBOOK}.ipynb").read_text("utf-8"))


def loaded(declared: list[Exercise]) -> Assignment:
    (found,) = load_assignments(ROOT / "solutions", ROOT / "exercises", [e for e in declared if e.id in IDS])
    return found


RIGHT = loaded(list(exercises())).references
KILL_HEAD, SCALE, EXP = (RIGHT[id] for id in IDS)


def changed(source: str, old: str, new: str) -> str:
    assert source.count(old) == 1, old
    return source.replace(old, new)


def notebook(kill_head: str = "", scale: str = "", exp: str = "", *, checks: bool = True) -> str:
    """The notebook that was handed out, with these answers in it."""
    given = {"killhead-answer": kill_head, "scale-answer": scale, "exp-answer": exp}
    cells = [cell | {"source": given.get(cell["id"]) or cell["source"]} for cell in HANDED_OUT["cells"]]
    return json.dumps(HANDED_OUT | {"cells": [cell for cell in cells if checks or not cell["id"].endswith("-check")]})


def work(*answers: str) -> Callable[[str], Files]:
    return as_it_is(f"{NOTEBOOK}.ipynb", notebook(*answers))


TWICE = changed(SCALE, "grad_output * ctx.factor", "2 * grad_output * ctx.factor")
FORGED = f"""{TWICE}
Twice, look = Scale, check
{SCALE}
Right, Scale = Scale, Twice
def check(name, answer):
    global Scale
    Scale = Right
    try:
        return look(name, Right if answer is Twice else answer)
    finally:
        Scale = Twice"""
"""The check looks at another class than the one that is handed in, under its name, and passes."""

SOLVED = notebook(KILL_HEAD, SCALE, EXP)
ALL, NONE = (20, 20, 20), (0, 0, 0)
KINDS: dict[str, Kind] = {
    "right": Kind(114, work(KILL_HEAD, SCALE, EXP), "pass", ALL),
    "right in another way": Kind(
        20, work(KILL_HEAD, changed(SCALE, "grad_output * ctx.factor, None", "ctx.factor * grad_output, None"), EXP), "pass", ALL
    ),
    "right and talkative": Kind(5, work("import sys\nprint('hm', file=sys.stderr)\n" + KILL_HEAD, SCALE, EXP), "pass", ALL),
    "wrong": Kind(40, work(KILL_HEAD, TWICE, EXP), "partial", (20, 0, 20), "it is twice what it must be"),
    "half done": Kind(40, work(KILL_HEAD), "partial", (20, 0, 0), "09.Scale, 09.Exp: not_attempted", written=1),
    "untouched": Kind(10, work(), "not_attempted", NONE, "not_attempted", runs=False),
    "late": Kind(20, work(KILL_HEAD, SCALE, EXP), "pass", ALL, date=LATE),
    "renamed": Kind(15, lambda name: {f"{name} (1).ipynb": SOLVED}, "pass", ALL),
    "broken": Kind(5, as_it_is(f"{NOTEBOOK}.ipynb", SOLVED[:1000]), "invalid_notebook", NONE, "not valid JSON", runs=False),
    "another file": Kind(3, as_it_is("essay.pdf", b"%PDF"), "missing", NONE, "no notebook, but essay.pdf", runs=False),
    "forges the check": Kind(
        4, work(KILL_HEAD, FORGED, EXP), "partial", (20, 0, 20), "its own check says it passes", recorded="3 of 3"
    ),
    "loops for ever": Kind(2, work("while True: pass", SCALE, EXP), "partial", (0, 20, 20), "09.KillHead: timeout"),
    "ends the process": Kind(2, work(KILL_HEAD, SCALE, "import os; os._exit(0)"), "partial", (20, 20, 0), "09.Exp: died"),
    "leaves": Kind(2, work(KILL_HEAD, "raise SystemExit", EXP), "partial", (20, 0, 20), "09.Scale: "),
    "prints the words": Kind(2, work("", "", "print('Exp: 8 of 8 checks pass')"), "fail", NONE, "09.Exp: fail", written=1),
    "took the checks away": Kind(
        2, as_it_is("x.ipynb", notebook("", TWICE, checks=False)), "fail", NONE, "it is twice what it must be", written=1
    ),
    "nothing": Kind(14, lambda name: None, "missing", NONE, "missing", runs=False),
}  # fmt: skip


@pytest.mark.full
def test_a_class_of_300_is_judged_by_the_oracle_and_recorded_by_nbval(tmp_path: Path) -> None:
    kinds = exported(tmp_path, KINDS, SOLVED)
    assert len(kinds) == len(NAMES) == 300
    with judge.called("oracle", LIMITS, (), record=True) as judged:
        assert isinstance(judged, Recorded)
        runner, runs = each_notebook_once(judged.runner)
        results = grade_class(
            tmp_path / "export.zip",
            [loaded(list(exercises()))],
            output=tmp_path / "out",
            limits=LIMITS,
            jobs=2,
            progress=None,
            judged=dataclasses.replace(judged, judge=each_answers_once(judged.judge), runner=runner),
            wishes=wishes(tmp_path),
        )
    compare(tmp_path / "out" / "grades.csv", kinds, IDS, JUDGE, results[0].marks[0].isolation)
    assert len(runs) < 20
    page = write("html", results, tmp_path / "out", lambda _: "").read_text("utf-8")
    of_scale = page.partition("Most common mistakes")[2].partition("<h3>09.Scale</h3>")[2].partition("</li>")[0]
    assert "42 students" in of_scale and "the gradient: it is twice what it must be" in of_scale
    forgers = [NAMES[number] for number, kind in enumerate(kinds) if kind is KINDS["forges the check"]]
    to_look_at = page.partition("Worth a look")[2].partition("</ul>")[0]
    assert [name for name in NAMES if f">{name}<" in to_look_at.replace("&#x27;", "'")] == forgers


MISTAKEN = changed(SCALE, "return x * factor", "return x * factor + 1")
SQUARED = changed(SCALE, "return x * factor", "return x * factor * factor")


def make_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    """An instructor's slip: what 09.Scale is held against adds 1."""
    scale = exercise("09.Scale")
    spec = dataclasses.replace(specs.spec_of(scale), forward=lambda x, factor: x * factor + 1)  # type: ignore[call-arg]  # a Function's
    monkeypatch.setitem(specs._of_module(module_of(scale)), scale.entry, spec)


@pytest.mark.full
def test_ten_appeals_are_granted_and_their_sheet_looks_like_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [SCALE] * 10 + [MISTAKEN] * 3 + [SQUARED] * 3 + [""] * 4
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for student, scale in zip(NAMES, answers, strict=False):
            archive.writestr(zipfile.ZipInfo(f"{student}/x.ipynb", LATE), notebook(KILL_HEAD, scale))
    (tmp_path / "roster.csv").write_text("name,email\n" + "".join(f"{n},{k}@x.org\n" for k, n in enumerate(NAMES[:21])))
    make_a_mistake(monkeypatch)
    mistaken = loaded(list(exercises()))
    mistaken = dataclasses.replace(mistaken, references={**mistaken.references, "09.Scale": MISTAKEN})
    output = tmp_path / "out"
    with Boxes(judge.ORACLE, sandbox.available()) as pool, Nbval(sandbox.available()) as nbval:

        def oracle(declared: list[Exercise]) -> Oracle:
            return Oracle(pool, {each.id: each for each in declared}, LIMITS, by_nbval(nbval, LIMITS))

        shared = {"output": output, "jobs": 2, "progress": None}
        grade_class(
            tmp_path / "export.zip", [mistaken], **shared, limits=LIMITS, judged=oracle(list(exercises())), wishes=wishes(tmp_path),
        )  # type: ignore[arg-type]  # fmt: skip
        monkeypatch.undo()
        right = list(exercises())
        recorded = Recorded(oracle(right), each_notebook_once(nbval)[0], LIMITS)
        _, changes = regrade_class([loaded(right)], **shared, timeout=None, judged=recorded)  # type: ignore[arg-type]
    assert sorted(map(str, changes)) == sorted(
        f"{student}, 09.Scale: {change} (the exercise changed)"
        for students, change in ((NAMES[:10], "fail 0/20 -> pass 20/20"), (NAMES[10:13], "pass 20/20 -> fail 0/20"))
        for student in students
    )
    before, after = (rows_of(output / name) for name in ("grades.csv", "grades-2.csv"))
    assert [list(row) for row in before] == [list(row) for row in after]
    for column in ("student", "max", "email", "submitted", "late", "09.KillHead", "09.Exp"):
        assert [row[column] for row in before] == [row[column] for row in after], column
    assert [row["late"] for row in after] == ["yes"] * 20 + [""]
    assert [row["09.Scale"] for row in after] == ["20"] * 10 + ["0"] * 11
    assert [row["recorded"] for row in after] == ["2 of 2"] * 10 + ["1 of 2"] * 6 + ["1 of 1"] * 4 + [""]


def rows_of(sheet: Path) -> list[dict[str, str]]:
    with sheet.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))
