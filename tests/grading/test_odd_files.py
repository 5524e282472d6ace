"""What students hand in, a row a habit: what was done to the files, what becomes of each exercise, and which words say so.

The judge is a plain function that runs the answers here, so all of this is this repository's own code.
"""

import io
import json
import os
import threading
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.grading import gradebook, reports
from autograd_teach.grading.batch import grade_class, regrade_class
from autograd_teach.grading.explain import explain_in
from autograd_teach.grading.notebook_run import Limits
from autograd_teach.grading.rebuild import Assignment
from autograd_teach.grading.results import Mark, Result, Status, hash_of
from autograd_teach.grading.submissions import answers, roster
from autograd_teach.grading.submissions.intake import take_in
from autograd_teach.grading.submissions.selection import Wishes
from autograd_teach.grading.verdicts import Recorded, result
from tests.grading.classroom import (
    EXPECTED,
    NAME,
    SETUP,
    SOLUTIONS,
    STUB,
    assignment,
    code,
    exercise_notebook,
    notebook,
)
from tests.grading.stub import by_source

Cell = dict[str, Any]
DOUBLE, SQUARE, NEGATE = SOLUTIONS.values()
NEEDS_HELPER = "def double(x):\n    return helper(x)"
HELPER = "def helper(x):\n    return x + x"
UNTOUCHED = STUB.format(id="double")


def judged(tiny: Assignment, written: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
    """A judge that runs the set-up and the answers, as a notebook does, and compares what they give."""
    names: dict[str, Any] = {}
    exec(SETUP, names)  # noqa: S102  # this repository's own code, as all that follows
    marks = {}
    for question in tiny.questions:
        if question.id in written:
            detail = ""
            try:
                exec(written[question.id], names)  # noqa: S102
                if [names[question.id](x) for x in range(3)] != EXPECTED[question.id]:
                    detail = "not so: the result is right"
            except Exception as problem:  # noqa: BLE001  # whatever an answer raises
                detail = f"{type(problem).__name__}: {problem}"
            marks[question.id] = Mark(question.id, Status.FAIL if detail else Status.PASS, question.points, detail)
            marks[question.id] = replace(marks[question.id], judge="oracle", source=hash_of(written[question.id]))
    return marks


# ---- what students do ---------------------------------------------------------------------------------------------------


def cells(**changed: str) -> list[Cell]:
    """The cells of the solved notebook, with other answers where they are named."""
    return exercise_notebook({**SOLUTIONS, **changed})["cells"]


def edited(id: str, given: list[Cell] | None = None, **changes: Any) -> list[Cell]:
    """The cells with another field or two in one of them."""
    return [{**cell, **changes} if cell.get("id") == id else cell for cell in given or cells()]


def without(*ids: str, given: list[Cell] | None = None) -> list[Cell]:
    return [cell for cell in given or cells() if cell["id"] not in ids]


def beside(id: str, *sources: str, given: list[Cell] | None = None, after: bool = False) -> list[Cell]:
    """The cells with new ones before (or after) the one that is named; each has an id of its own."""
    new = [code(f"mine{number}", source) for number, source in enumerate(sources)]
    found = []
    for cell in given or cells():
        found += [cell, *new] if cell["id"] == id and after else [*new, cell] if cell["id"] == id else [cell]
    return found


def bare(given: list[Cell]) -> list[Cell]:
    """The cells as an editor leaves them that keeps neither ids nor metadata."""
    return [{**{name: value for name, value in cell.items() if name != "id"}, "metadata": {}} for cell in given]


def report(words: str) -> list[Cell]:
    """The output that JupyterLab stores of a check: as the course's report, in lines, beside its page."""
    return [
        {"output_type": "execute_result", "data": {"text/html": ["<div>"], "text/plain": [f"{words}\n", "  pass  a"]}}
    ]


def large(part: object) -> bytes:
    """The solved notebook with 25 MB of `part`s in it."""
    times = 25_000_000 // len(json.dumps(part))
    return text(edited("double-answer", outputs=[part] * times))


def text(given: list[Cell], encoding: str = "utf-8") -> bytes:
    return json.dumps(notebook(given), ensure_ascii=False, indent=1).encode(encoding)


def zipped(*path: str, name: str = f"{NAME}.ipynb") -> bytes:
    """A zip of the solved notebook, in as many zips as `path` names."""
    data = text(cells())
    for each in (name, *path):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(each, data)
        data = buffer.getvalue()
    return data


ALL, OTHERS = "pass pass pass", "pass pass"
MERGE = text(cells()).replace(b'"nbformat"', b'<<<<<<< HEAD\n"nbformat"')


@dataclass(frozen=True)
class Odd:
    """What one student handed in (cells, or files by their names), what becomes of the exercises, and words of the detail."""

    given: list[Cell] | dict[str, bytes]
    becomes: str = ALL
    words: tuple[str, ...] = ()


FOUND = "the answer was found in another cell"
CLAIM = "its check said passed when it was handed in"
WRONG = "def double(x):\n    return 3"
QUOTE = f"My first try was\n\n```python\n{WRONG}\n```\nThe answer is above."


def quoted(source: str, given: list[Cell] | None = None, kind: str = "markdown") -> list[Cell]:
    """The cells with a text between the first answer and its check."""
    return edited("mine0", beside("double-check", source, given=given), cell_type=kind)


HABITS: dict[str, Odd] = {
    # the answer's cell is not what it was
    "an answer in a Markdown cell": Odd(edited("double-answer", cell_type="markdown"), ALL, ("its answer cell is a Markdown cell",)),
    "an answer in a raw cell": Odd(edited("double-answer", cell_type="raw"), ALL, ("its answer cell is a raw cell",)),
    "an answer between fences in a Markdown cell": Odd(
        edited("double-answer", cell_type="markdown", source=f"My answer:\n\n```python\n{DOUBLE}\n```\nIt doubles."),
        ALL,
        ("its answer cell is a Markdown cell",),
    ),
    "an answer and its helper between fences": Odd(
        edited("double-answer", cell_type="raw", source=f"```\n{HELPER}\n```\n~~~ python\n{NEEDS_HELPER}"), ALL, ("raw cell",)
    ),
    "a wrong answer between fences": Odd(
        edited("double-answer", cell_type="markdown", source=f"```\n{WRONG}\n```"), f"fail {OTHERS}", ("not so",)
    ),
    "an answer beside an example between fences": Odd(
        edited("double-answer", cell_type="raw", source=f"{DOUBLE}\n'''\n```\ndouble(3)\n```\n'''"), ALL, ("raw cell",)
    ),
    "an answer between fences in a code cell": Odd(cells(double=f"```\n{DOUBLE}\n```"), f"fail {OTHERS}", ("SyntaxError",)),
    "a stub between fences": Odd(
        edited("double-answer", cell_type="markdown", source=f"```python\n{UNTOUCHED}\n```"), f"not_attempted {OTHERS}"
    ),
    "an earlier try quoted below the answer": Odd(quoted(QUOTE)),
    "an earlier try quoted below the answer, between longer fences": Odd(quoted(f"````python\n{QUOTE}\n````")),
    "an earlier try quoted below the answer, in a raw cell": Odd(quoted(QUOTE, kind="raw")),
    "ids lost, an earlier try quoted below the answer": Odd(bare(quoted(QUOTE))),
    "an earlier try quoted below an answer in a Markdown cell": Odd(
        edited("double-answer", quoted(QUOTE), cell_type="markdown", source=f"```python\n{DOUBLE}\n```"), ALL, ("Markdown cell",)
    ),
    "ids lost, the answer in a Markdown cell below the stub": Odd(
        bare(quoted(f"```\n{DOUBLE}\n```", cells(double=UNTOUCHED))), ALL, ("its answer cell is a Markdown cell",)
    ),
    "the stub once more below the answer": Odd(beside("double-check", UNTOUCHED)),
    "a better try quoted below a wrong answer": Odd(quoted(f"```\n{DOUBLE}\n```", cells(double=WRONG)), f"fail {OTHERS}", ("not so",)),
    "a wrong answer in a Markdown cell": Odd(
        edited("double-answer", cells(double=WRONG), cell_type="markdown"), f"fail {OTHERS}", ("not so", "Markdown")
    ),
    "words in place of an answer": Odd(
        edited("double-answer", cell_type="markdown", source="I could not double it."), f"missing {OTHERS}", ("is not in the",)
    ),
    "a stub that became Markdown": Odd(edited("double-answer", cells(double=UNTOUCHED), cell_type="markdown"), f"not_attempted {OTHERS}"),
    "every cell Markdown": Odd([{**cell, "cell_type": "markdown"} for cell in cells()], ALL, ("Markdown cell",)),
    "ids and metadata lost": Odd(bare(cells())),
    "ids lost, as handed out": Odd(bare(exercise_notebook({})["cells"]), "not_attempted not_attempted not_attempted"),
    "ids lost, checks formatted": Odd(bare(edited("double-check", source='check( "double", double, [0,2,4] );'))),
    "ids lost, the answer has a mistake in its syntax": Odd(
        bare(cells(double="def double(x)\n    return 2 * x")), f"fail {OTHERS}", ("SyntaxError",)
    ),
    "ids lost, a try after the answer": Odd(bare(beside("double-check", "print(double(3))"))),
    "ids lost, a helper before the answer": Odd(
        bare(beside("double-answer", HELPER, given=cells(double=NEEDS_HELPER))), ALL, ("taken from other cells: helper",)
    ),
    "ids lost, the older answer above": Odd(bare(beside("double-answer", WRONG))),
    "ids lost, checks at the end": Odd(
        bare(sorted(cells(), key=lambda cell: cell["id"].endswith("-check"))), ALL, ("found in another cell",)
    ),
    "ids lost, one answer deleted": Odd(bare(without("square-answer")), "pass missing pass", ("is not in the notebook",)),
    "ids lost, checks deleted too": Odd(
        {f"{NAME}.ipynb": text(bare(without("double-check", "square-check", "negate-check")))}, "missing missing missing"
    ),
    "an editor's own ids": Odd([{**cell, "id": f"#{n}", "metadata": {}} for n, cell in enumerate(cells())]),
    "Colab's ids alone": Odd([{**cell, "metadata": {"id": cell["id"]}} for cell in cells()]),
    "the cell deleted and written anew": Odd(beside("double-check", DOUBLE, given=without("double-answer"))),
    "the cell deleted and written at the end": Odd(
        [*without("double-answer"), code("mine", DOUBLE)], ALL, (FOUND,)
    ),
    "written below the stub": Odd(
        beside("double-check", DOUBLE, given=cells(double=UNTOUCHED), after=True), ALL, (FOUND,)
    ),
    "two answers below the stub, the last one right": Odd(
        beside("double-check", WRONG, DOUBLE, given=cells(double=UNTOUCHED)), ALL, (f"{FOUND}, the last of 2 that define it",)
    ),
    "two answers below the stub, the last one wrong": Odd(
        beside("double-check", DOUBLE, WRONG, given=cells(double=UNTOUCHED)), f"fail {OTHERS}", ("not so", "the last of 2 that define it")
    ),
    "a right answer above the check, a wrong one below": Odd(
        [*beside("double-check", DOUBLE, given=cells(double=UNTOUCHED)), code("last", WRONG)], ALL, ("the last of 2 that define it",)
    ),
    "a wrong answer above the check, a right one below": Odd(
        [*beside("double-check", WRONG, given=cells(double=UNTOUCHED)), code("last", DOUBLE)], f"fail {OTHERS}", ("the last of 2",)
    ),
    "two answers below the check": Odd(
        beside("double-check", WRONG, DOUBLE, given=cells(double=UNTOUCHED), after=True), ALL, ("the last of 2 that define it",)
    ),
    "two answers below a stub that was touched": Odd(
        beside("double-check", WRONG, DOUBLE, given=cells(double=f"{UNTOUCHED}  # below")), ALL, ("the last of 2 that define it",)
    ),
    "a right answer below a wrong one in its own cell": Odd(
        beside("double-check", DOUBLE, given=cells(double=WRONG)), ALL, (FOUND,)
    ),
    "a wrong answer below a right one in its own cell": Odd(
        beside("double-check", WRONG, given=cells()), f"fail {OTHERS}", ("not so", FOUND)
    ),
    "a right answer below the check of a wrong one": Odd(
        beside("double-check", DOUBLE, given=cells(double=WRONG), after=True), f"fail {OTHERS}", ("not so",)
    ),
    "a right answer below a mistake in the syntax": Odd(
        beside("double-check", DOUBLE, given=cells(double="def double(x)\n    return 3")), ALL, (FOUND,)
    ),
    "a right answer in another's cell, a wrong one in its own": Odd(
        cells(double=WRONG, square=f"{SQUARE}\n\n{DOUBLE}"), f"fail {OTHERS}", ("not so",)
    ),
    "two answers in the first cell, the second one's cell deleted": Odd(
        without("square-answer", given=cells(double=f"{DOUBLE}\n\n{SQUARE}")), ALL, (f"square: pass ({FOUND})",)
    ),
    "two answers in the first cell, the second one's cell and check deleted": Odd(
        without("square-answer", "square-check", given=cells(double=f"{DOUBLE}\n\n{SQUARE}")), ALL, (f"square: pass ({FOUND})",)
    ),
    "all answers in the first cell, stubs left": Odd(
        exercise_notebook({"double": f"{DOUBLE}\n\n{SQUARE}\n\n{NEGATE}"})["cells"], ALL, (f"square, negate: pass ({FOUND})",)
    ),
    "all answers in the last cell, stubs left": Odd(
        exercise_notebook({"negate": f"{DOUBLE}\n\n{SQUARE}\n\n{NEGATE}"})["cells"], ALL, (f"double, square: pass ({FOUND})",)
    ),
    "two answers in a Markdown cell": Odd(
        edited("double-answer", without("square-answer", given=cells(double=f"{DOUBLE}\n\n{SQUARE}")), cell_type="markdown"), ALL, (FOUND,)
    ),
    "swapped": Odd(cells(double=SQUARE, square=DOUBLE), ALL, (f"double, square: pass ({FOUND})",)),
    "swapped, ids lost": Odd(bare(cells(double=SQUARE, square=DOUBLE)), ALL, (f"double, square: pass ({FOUND})",)),
    "swapped, one of them wrong": Odd(cells(double=SQUARE, square=WRONG), f"fail {OTHERS}", ("not so", f"square: pass ({FOUND})")),
    "a mistake in the name": Odd(cells(double=DOUBLE.replace("double", "doubel")), f"fail {OTHERS}", ("KeyError",)),
    "words in the answer's cell, the answer below": Odd(
        beside("double-check", DOUBLE, given=cells(double="see below!")), ALL, (FOUND,)
    ),
    "the answer's cell split after a loop": Odd(
        beside("double-check", "def double(x):\n    return rate * x", given=cells(double="for rate in [1, 2]:\n    pass")),
        ALL,
        ("taken from other cells: double",),
    ),
    "an answer below the stub, which is kept in a copy too": Odd(
        beside("double-check", UNTOUCHED, DOUBLE, given=cells(double=UNTOUCHED), after=True), ALL, (FOUND,)
    ),
    "comments alone": Odd(cells(double="# no idea\n\n   # none"), f"not_attempted {OTHERS}"),
    "emptied": Odd(cells(double=" \n"), f"not_attempted {OTHERS}"),
    "copied and changed": Odd(
        [*cells(), code("double-answer", WRONG)], f"invalid_notebook {OTHERS}", ("two different cells answer it: keep one",)
    ),
    "the stub kept in a copy": Odd([*cells(), code("mine", UNTOUCHED)]),
    "the whole notebook pasted below itself": Odd(cells() * 2),
    "pasted twice in one cell": Odd(cells(double=f"{DOUBLE}\n\n{DOUBLE}")),
    "the check in the answer's cell": Odd(cells(double=f"{DOUBLE}\ncheck('double', double, [0, 2, 4])")),
    "lines that end like Windows's": Odd(cells(double=DOUBLE.replace("\n", "\r\n"))),
    "blanks from a web page": Odd(cells(double=DOUBLE.replace("    ", "\xa0" * 4)), f"fail {OTHERS}", ("invalid non-printable",)),
    "quotes from a word processor": Odd(cells(double="def double(x):\n    “twice”\n    return 2 * x"), f"fail {OTHERS}", ("SyntaxError",)),
    "the check deleted": Odd(without("double-check", "square-check")),
    "the check commented out": Odd(edited("double-check", source="# check('double', double, [0, 2, 4])")),
    # what an answer needs is elsewhere
    "a helper in a cell above": Odd(
        beside("double-answer", HELPER, given=cells(double=NEEDS_HELPER)), ALL, ("taken from other cells: helper",)
    ),
    "a helper in a cell below": Odd(
        beside("double-answer", HELPER, given=cells(double=NEEDS_HELPER), after=True), ALL, ("taken from other cells: helper",)
    ),
    "an import in a cell of its own": Odd(
        beside("setup", "import operator", given=cells(double="def double(x):\n    return operator.mul(2, x)")),
        ALL,
        ("taken from other cells: operator",),
    ),
    "an import in the set-up": Odd(
        edited("setup", cells(double="def double(x):\n    return mul(2, x)"), source=f"from operator import mul\n{SETUP}"),
        ALL,
        ("taken from other cells: mul",),
    ),
    "a constant in another cell": Odd(
        beside("double-answer", "FACTOR = 2", given=cells(double="def double(x):\n    return FACTOR * x")), ALL, ("FACTOR",)
    ),
    "a helper in another answer": Odd(
        cells(double=f"{HELPER}\n\n{NEEDS_HELPER}", square="def square(x):\n    return sum(helper(x) for _ in range(x)) // 2")
    ),
    "a helper in another answer, and again in a cell above": Odd(
        beside("double-answer", HELPER, given=cells(double=NEEDS_HELPER, square=f"{HELPER}\n\n{SQUARE}")), ALL, ("taken from other cells: helper",)
    ),
    "a helper in an earlier answer, and another one in a cell": Odd(
        beside("setup", "def helper(x):\n    return 7", given=cells(double=f"{HELPER}\n\n{NEEDS_HELPER}", square="def square(x):\n    return helper(x) * x // 2"))
    ),
    "a helper in a later answer": Odd(
        cells(double=NEEDS_HELPER, square=f"{HELPER}\n\n{SQUARE}"), ALL, ("taken from other cells: helper",)
    ),
    "a helper in an earlier answer that does not count": Odd(
        [*cells(double=f"{HELPER}\n\n{DOUBLE}", square="def square(x):\n    return helper(x) * x // 2"), code("double-answer", WRONG)],
        f"invalid_notebook {OTHERS}",
        ("taken from other cells: helper",),
    ),
    "a helper above the check, and another one below": Odd(
        [*beside("double-answer", HELPER, given=cells(double=NEEDS_HELPER)), code("last", "def helper(x):\n    return 7")],
        ALL,
        ("taken from other cells: helper",),
    ),
    "a wrong helper above the check, and a right one below": Odd(
        [*beside("double-answer", "def helper(x):\n    return 7", given=cells(double=NEEDS_HELPER)), code("last", HELPER)],
        f"fail {OTHERS}",
        ("not so",),
    ),
    "a state that running another cell leaves": Odd(
        beside("double-answer", "rate = open('rate').read()", given=cells(double="def double(x):\n    return rate * x")),
        f"fail {OTHERS}",
        ("needs `rate`, which only running another cell gives", "NameError"),
    ),
    # what the check said when it was handed in
    "a wrong answer below a check that passed": Odd(
        edited("double-check", cells(double=WRONG), outputs=report("double: 3 of 3 checks pass (1 point)")), f"fail {OTHERS}", (CLAIM,)
    ),
    "the answer deleted after its check passed": Odd(
        edited("double-check", without("double-answer"), outputs=report("double: 3 of 3 checks pass")), f"missing {OTHERS}", (CLAIM,)
    ),
    "an answer reset after its check passed": Odd(
        edited("double-check", cells(double=UNTOUCHED), outputs=report("double: 3 of 3 checks pass")), f"not_attempted {OTHERS}", (CLAIM,)
    ),
    "ids lost below a check that passed": Odd(
        bare(edited("double-check", cells(double=WRONG), outputs=report("double: 3 of 3 checks pass"))), f"fail {OTHERS}", (CLAIM,)
    ),
    "a right answer below a check that passed": Odd(exercise_notebook(SOLUTIONS, said=True)["cells"]),
    # the file is not what it was
    "UTF-8 with a mark": Odd({f"{NAME}.ipynb": text(cells(), "utf-8-sig")}),
    "UTF-16": Odd({f"{NAME}.ipynb": text(cells(), "utf-16")}),
    "UTF-16 without a mark": Odd({f"{NAME}.ipynb": text(cells(), "utf-16-le")}),
    "UTF-32": Odd({f"{NAME}.ipynb": text(cells(), "utf-32")}),
    "Latin-1": Odd(
        {f"{NAME}.ipynb": text(cells(double=f"{DOUBLE}  # é"), "latin-1")},
        "invalid_notebook invalid_notebook invalid_notebook",
        ("its text is not UTF-8: save it as UTF-8",),
    ),
    "a name with .txt behind": Odd({f"{NAME}.ipynb.txt": text(cells())}),
    "a name with .json behind": Odd({"mine.ipynb.json": text(cells())}),
    "capitals in the ending": Odd({f"{NAME}.IPYNB": text(cells())}),
    "in a zip in a zip": Odd({"work.zip": zipped("inner.zip")}),
    "in a zip in a zip in a zip": Odd({"work.zip": zipped("inner.zip", "outer.zip")}),
    "a path of Windows's in a zip": Odd({"work.zip": zipped(name=f"C\\Ada\\{NAME}.ipynb")}),
    "pictures of 25 MB": Odd({f"{NAME}.ipynb": large({"output_type": "display_data", "data": {"image/png": "iVBORw0K" * 100_000}})}),
    "25 MB of printed lines": Odd({f"{NAME}.ipynb": large({"output_type": "stream", "text": ['epoch ["1"] \\ {loss}\n'] * 99})}),
    "25 MB of printed lines in UTF-16": Odd(
        {f"{NAME}.ipynb": large({"output_type": "stream", "text": ["épôch\n"] * 99}).decode().encode("utf-16")}
    ),
    "a picture of 25 MB pasted beside the text": Odd(
        {f"{NAME}.ipynb": text(edited("title", attachments={"a.png": {"image/png": "iVBORw0K" * 3_000_000}}))}
    ),
    "25 MB of text": Odd(
        {f"{NAME}.ipynb": text(edited("title", source="word " * 5_000_000))},
        "invalid_notebook invalid_notebook invalid_notebook",
        ("larger than 20 MB without its outputs",),
    ),
    "25 MB of outputs, cut off": Odd(
        {f"{NAME}.ipynb": large(["x" * 1000])[:-99_000]}, "invalid_notebook invalid_notebook invalid_notebook", ("not valid JSON",)
    ),
    "a merge that was not finished": Odd(
        {f"{NAME}.ipynb": MERGE}, "invalid_notebook invalid_notebook invalid_notebook", ("not valid JSON",)
    ),
    "a web page under a notebook's name": Odd(
        {f"{NAME}.ipynb": b"<!DOCTYPE html>"}, "invalid_notebook invalid_notebook invalid_notebook", ("not valid JSON",)
    ),
    "an export as a web page": Odd({f"{NAME}.html": b"<!DOCTYPE html>"}, "missing missing missing", (f"no notebook, but {NAME}.html",)),
    "an export as a program": Odd({f"{NAME}.py": DOUBLE.encode()}, "missing missing missing", (f"no notebook, but {NAME}.py",)),
    "the editor's checkpoint alone": Odd(
        {f".ipynb_checkpoints/{NAME}-checkpoint.ipynb": text(cells())}, "missing missing missing", ("the folder is empty",)
    ),
    "another notebook of the course": Odd(
        {"lesson.ipynb": text([code("a", DOUBLE)])}, "missing missing missing", ("it does not have cells of the exercises",)
    ),
}  # fmt: skip


def handed_in(folder: Path, given: list[Cell] | dict[str, bytes], student: str = "ada") -> Path:
    files = given if isinstance(given, dict) else {"mine.ipynb": text(given)}
    for name, data in files.items():
        path = folder / student / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def graded(folder: Path) -> Result:
    (ada,) = take_in(folder, [assignment()])
    return result(ada, [assignment()], judged, threading.Event())


@pytest.mark.parametrize("habit", HABITS)
def test_what_students_do_gets_its_status_and_its_words(tmp_path: Path, habit: str) -> None:
    odd = HABITS[habit]
    found = graded(handed_in(tmp_path, odd.given))
    assert " ".join(mark.status for mark in found.marks) == odd.becomes, found.detail
    for words in odd.words:
        assert words in found.detail
    assert odd.words or odd.becomes != ALL or not found.detail


# ---- what the check said ------------------------------------------------------------------------------------------------

PRINTED = [{"output_type": "stream", "name": "stdout", "text": "double: 3 of 3 checks pass\n"}]
SAID: dict[str, tuple[list[Cell], bool]] = {
    "the course's report": (edited("double-check", outputs=report("double: 7 of 7 checks pass (2 points)")), True),
    "printed": (edited("double-check", outputs=PRINTED), True),
    "a warning before it": (
        edited("double-check", outputs=[{"output_type": "stream", "text": "hm\n"}, *PRINTED]),
        True,
    ),
    "some pass": (edited("double-check", outputs=report("double: 2 of 3 checks pass (0 of 1 points)")), False),
    "1 of 11": (edited("double-check", outputs=report("double: 1 of 11 checks pass")), False),
    "11 of 1": (edited("double-check", outputs=report("double: 11 of 1 checks pass")), False),
    "none of none": (edited("double-check", outputs=report("double: 0 of 0 checks pass")), False),
    "not attempted": (edited("double-check", outputs=report("double: not attempted yet (1 point)")), False),
    "another exercise's": (edited("double-check", outputs=report("square: 3 of 3 checks pass")), False),
    "in the answer's cell": (edited("double-answer", outputs=PRINTED), False),
    "never run": (cells(), False),
    "outputs that are none": (edited("double-check", outputs={"text": [3]}), False),
    "outputs of no kind": (
        edited("double-check", outputs=[3, {"data": 3}, {"text": [3]}, {"data": {"text/plain": {}}}]),
        False,
    ),
}


@pytest.mark.parametrize(("given", "claimed"), SAID.values(), ids=SAID)
def test_a_stored_report_says_whether_its_check_passed(tmp_path: Path, given: list[Cell], claimed: bool) -> None:
    (ada,) = take_in(handed_in(tmp_path, given), [assignment()])
    assert [answer.claimed for answer in ada.answers[NAME].values()] == [claimed, False, False]
    right = result(ada, [assignment()], judged, threading.Event())
    assert ([mark.claimed for mark in right.marks], right.detail) == ([claimed, False, False], "")


def test_the_course_s_own_solutions_say_that_every_check_passed() -> None:
    from autograd_teach.course.exercises import exercises
    from autograd_teach.grading.rebuild import load_assignments

    root = Path(__file__).parents[2]
    course = load_assignments(root / "solutions", root / "exercises", exercises())
    for each in course:
        for room, said in (("solutions", True), ("exercises", False)):
            found, given = answers.read_answers((root / room / f"{each.name}.ipynb").read_bytes(), course)
            assert found is each
            assert {id for id, answer in given.items() if answer.claimed} == (
                {q.id for q in each.questions} if said else set()
            )
            assert all(not answer.detail for answer in given.values()), "nothing of ours counts as a student's own cell"


CLAIMED = edited("double-check", cells(double=NEEDS_HELPER.replace("helper", "3 or helper")), outputs=PRINTED)


def test_what_was_taken_and_what_was_claimed_is_in_the_book_the_pages_and_the_regraded_marks(tmp_path: Path) -> None:
    ada = beside("double-answer", HELPER, given=CLAIMED)
    handed_in(tmp_path / "in", ada)
    handed_in(tmp_path / "in", beside("double-answer", HELPER, given=cells(double=NEEDS_HELPER)), "bob")
    handed_in(tmp_path / "in", cells(double=WRONG), "eve")
    output = tmp_path / "out"
    asked: list[str] = []

    def noted(tiny: Assignment, written: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
        asked.extend(written)
        return judged(tiny, written, stop)

    some: dict[str, Any] = {"output": output, "jobs": 1, "progress": None, "judged": noted}
    first = grade_class(tmp_path / "in", [assignment()], limits=Limits(), wishes=Wishes(), **some)
    double = {one.student: one.marks[0] for one in first}
    assert double["ada"].claimed and not double["bob"].claimed and not double["eve"].claimed
    assert (double["bob"].status, double["bob"].detail) == (Status.PASS, "taken from other cells: helper")
    assert [one.detail for one in first if one.student == "bob"] == ["double: pass (taken from other cells: helper)"]
    again = grade_class(tmp_path / "in", [assignment()], limits=Limits(), wishes=Wishes(), **some)
    changed = replace(assignment(), questions=tuple(replace(q, declared="anew") for q in assignment().questions))
    anew, changes = regrade_class([changed], timeout=None, **some)
    assert [one.marks for one in again] == [one.marks for one in anew] == [one.marks for one in first]
    assert (changes, len(asked)) == ([], 3 * (1 + 3 + 1 + 0 + 1 + 3)), "the reference thrice, all, none, all again"
    why, _ = explain_in("ada", "double", [changed], output=output, as_then=lambda *_: nullcontext(judged))
    assert all(
        said in why for said in ("when handed in", CLAIM, "taken from other cells: helper", HELPER.splitlines()[0])
    )
    with gradebook.reading(output) as book:
        index = reports.write("html", anew, output, book.answer)
    page = index.read_text()
    worth_a_look = page[page.index("Worth a look") : page.index("Most common mistakes")]
    assert CLAIM in worth_a_look and ">ada<" in worth_a_look and ">eve<" not in worth_a_look
    mistakes = page[page.index("Most common mistakes") :]
    assert "2 students" in mistakes, "what was taken makes no other mistake of it"
    of_students = {path.name: path.read_text() for path in output.rglob("*.html")}
    assert any("Taken from other cells: helper." in each for each in of_students.values())
    assert not any("handed in" in each for name, each in of_students.items() if name != "index.html")


def test_an_answer_handed_in_again_with_its_check_run_keeps_its_mark_and_has_the_claim(tmp_path: Path) -> None:
    some: dict[str, Any] = {"output": tmp_path / "out", "jobs": 1, "progress": None, "judged": judged}
    for given, claimed in (
        (cells(double=WRONG), False),
        (edited("double-check", cells(double=WRONG), outputs=PRINTED), True),
    ):
        handed_in(tmp_path / "in", given)
        (ada,) = grade_class(tmp_path / "in", [assignment()], limits=Limits(), wishes=Wishes(), **some)
        assert (ada.marks[0].status, ada.marks[0].claimed, CLAIM in ada.detail) == (Status.FAIL, claimed, claimed)


@pytest.mark.parametrize(
    ("status", "recorded", "said"),
    [
        ("fail", "", CLAIM),
        ("timeout", "failed", CLAIM),
        ("fail", "passed", f"its own check says it passes; {CLAIM}"),
        ("pass", "", ""),
        ("pass", "failed", "its own check says it does not pass"),
        ("grader_error", "", ""),
        ("not_graded", "", ""),
    ],
)
def test_a_claim_contradicts_what_is_no_pass_and_was_graded(status: str, recorded: str, said: str) -> None:
    assert Mark("double", Status(status), 1, recorded=recorded, claimed=True).contradiction == said


def test_where_only_the_record_is_made_what_was_taken_is_said_once(tmp_path: Path) -> None:
    handed_in(tmp_path, beside("double-answer", HELPER, given=cells(double=NEEDS_HELPER)))
    (ada,) = take_in(tmp_path, [assignment()])
    before = {mark.exercise: mark for mark in result(ada, [assignment()], judged, threading.Event()).marks}
    ada.answers[NAME] = {id: replace(answer, verdict=before[id]) for id, answer in ada.answers[NAME].items()}
    recorded = result(ada, [assignment()], Recorded(judged, by_source, Limits()), threading.Event())
    assert recorded.marks[0].recorded
    assert [mark.detail for mark in recorded.marks] == ["taken from other cells: helper", "", ""]


# ---- names and code of any size ------------------------------------------------------------------------------------------


def test_names_are_shortened_before_anything_is_done_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Putting n combining marks in order takes n * n steps: 40 names of 60,000 would take minutes."""
    lengths: list[int] = []
    normalize = unicodedata.normalize

    def counted(form: Any, word: str) -> str:
        lengths.append(len(word))
        return normalize(form, word[:1000])

    monkeypatch.setattr(unicodedata, "normalize", counted)
    marks = "\u0301\u0327" * 15_000
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        for number in range(20):
            for name in (f"{number}{marks}.ipynb", f"eve/{number}{marks}_{NAME}.ipynb", f"eve/{number}{marks}.txt"):
                archive.writestr(name, text(cells()))
    (tmp_path / "roster.csv").write_text(f"name\nAda {marks}\n" + f"Bob {'a ' * 50_000}\n")
    class_ = take_in(tmp_path / "in.zip", [assignment()])
    roster.compare(class_, roster.read(tmp_path / "roster.csv"), lambda several: several[0])
    assert len(class_) == 21
    assert max(lengths) <= 400
    assert len(lengths) < 20_000
    assert all(len(note) < 1000 for one in class_ for note in [one.student, *one.paths, *one.notes])


def test_of_more_code_than_is_parsed_nothing_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.delattr(os, "fork")  # so that it is read in this process
    for name in ("completed", "names_defined"):
        look = getattr(answers, name)

        def counted(code: Any, *others: Any, look: Callable[..., Any] = look) -> Any:
            asked.append(max(map(len, [code, *(cell for cells in others[:1] for cell in cells)])))
            return look(code, *others)

        monkeypatch.setattr(answers, name, counted)
    large = f"#{'#' * answers.LARGEST_CODE}\n"
    for many, status in (
        (beside("double-answer", HELPER, given=cells(double=NEEDS_HELPER)), "pass"),
        (beside("double-answer", HELPER, large, given=cells(double=NEEDS_HELPER)), "pass"),
        (
            beside(
                "double-answer", HELPER, large[: len(large) // 2], f" {large}"[:-9], given=cells(double=NEEDS_HELPER)
            ),
            "fail",
        ),
        (beside("double-answer", DOUBLE, given=cells(double=large + "no_entry = 3")), "fail"),
        (beside("double-answer", HELPER, given=cells(double=large + NEEDS_HELPER)), "fail"),
        (cells(double=large + DOUBLE), "pass"),
    ):
        assert graded(handed_in(tmp_path, many)).marks[0].status == status
    assert 0 < max(asked) <= answers.LARGEST_CODE


@pytest.mark.parametrize("source", ["(" * 10_000, "-" * 50_000 + "1", "x = '\0'", "1+" * 40_000 + "1", "def f(:"])
def test_code_that_python_cannot_parse_costs_no_one_anything(tmp_path: Path, source: str) -> None:
    found = graded(handed_in(tmp_path, beside("double-answer", source)))
    assert [mark.status for mark in found.marks] == ["pass"] * 3
