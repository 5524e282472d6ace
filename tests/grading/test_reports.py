"""What comes out of grading: the CSV file, the table and the bar, JSON, Gradescope's file, the pages."""

import codecs
import csv
import errno
import html
import io
import json
import os
import random
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.grading import command
from autograd_teach.grading.lateness import Late, penalised
from autograd_teach.grading.reports import Progress, older, prepare, table, write, write_csv
from autograd_teach.grading.reports.class_page import FOLDER, file_names
from autograd_teach.grading.reports.mistakes import commonest
from autograd_teach.grading.reports.page import MEANING
from autograd_teach.grading.reports.spreadsheet import write_new
from autograd_teach.grading.results import Adjustment, Mark, Result, Status


def result(student: str = "ada", detail: str = "", *statuses: Status) -> Result:
    marks = [
        Mark(name, status, points, detail, "nbval", "process", recorded={"pass": "passed"}.get(status, "failed"))
        for name, points, status in zip(("a", "b"), (1, 2.5), statuses or (Status.PASS, Status.FAIL), strict=True)
    ]
    return Result(student, tuple(marks))


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.reader(file))


def test_a_row_says_everything(tmp_path: Path) -> None:
    head, row = rows(write_csv([result("Zoë", 'said "no", twice')], tmp_path))
    assert head == ["student", "status", "a", "b", "total", "max", "judge", "isolation", "recorded", "detail"]
    assert row == [
        "Zoë",
        "partial",
        "1",
        "0",
        "1",
        "3.5",
        "nbval",
        "process",
        "1 of 2",
        'b: fail (said "no", twice)',
    ]


def test_excel_is_told_the_encoding(tmp_path: Path) -> None:
    assert write_csv([result("Zoë")], tmp_path).read_bytes().startswith(codecs.BOM_UTF8 + b"student,")


def test_a_folder_that_has_gone_is_made_again(tmp_path: Path) -> None:
    assert rows(write_csv([result("ada")], tmp_path / "gone"))[1][0] == "ada"


def test_a_full_disk_gets_a_sentence_and_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="No space left on device"):
        write_csv([result()], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_results_that_exist_are_never_touched(tmp_path: Path) -> None:
    paths = [write_csv([result(student)], tmp_path) for student in ("ada", "bob", "eve")]
    assert [path.name for path in paths] == ["grades.csv", "grades-2.csv", "grades-3.csv"]
    assert [rows(path)[1][0] for path in paths] == ["ada", "bob", "eve"]
    assert sorted(os.listdir(tmp_path)) == sorted(path.name for path in paths)


RUNS = {
    "one after the other": (["csv", "moodle", "csv", "moodle"], ["", "-moodle", "-2", "-2-moodle"]),
    "not each time": (["csv", "csv", "csv", "moodle"], ["", "-2", "-3", "-3-moodle"]),
    "without the CSV": (["csv", "json", "json", "csv"], ["", ".json", "-2.json", "-3"]),
    "two platforms": (["csv", "csv", "moodle", "canvas", "json"], ["", "-2", "-2-moodle", "-2-canvas", "-2.json"]),
}


@pytest.mark.parametrize(("kinds", "names"), RUNS.values(), ids=RUNS)
def test_all_files_of_a_run_have_one_number(tmp_path: Path, kinds: list[str], names: list[str]) -> None:
    for each, (kind, name) in enumerate(zip(kinds, names, strict=True)):
        found = write_new(tmp_path, kind, b"%d" % each)
        assert found.name == f"grades{name}" + ".csv" * ("." not in name)
        assert write_new(tmp_path, kind, b"%d" % each) == found, "an equal one is kept"


OLDER = {
    "pages and an upload": (["html", "moodle"], ["json"], "grades-pages/index.html, grades-moodle.csv", "html,json,moodle"),
    "all": (["gradescope", "canvas", "json"], [],
            "results.json, grades.json, grades-canvas.csv", "gradescope,json,canvas"),
    "those of this run": (["html"], ["html"], "", ""),
    "none": ([], [], "", ""),
}  # fmt: skip


@pytest.mark.parametrize("case", OLDER)
def test_reports_that_are_older_than_the_new_csv_are_named_with_the_option_that_renews_them(
    tmp_path: Path, case: str
) -> None:
    before, now, names, option = OLDER[case]
    ada = replace(result(), columns=(("Email address", "a@x.org"), ("ID", "1")))
    write_csv([ada], tmp_path)
    for kind in before:
        write(kind, [ada], tmp_path, no_answer)
    assert older(tmp_path, now) == "", "they belong to this CSV file"
    for path in tmp_path.rglob("*.*"):
        os.utime(path, (1, 1))
    write_csv([replace(ada, note="new")], tmp_path)
    for kind in now:
        write(kind, [ada], tmp_path, no_answer)
    said = f"Not written this time, and older than grades-2.csv: {names}. Give --report {option} to write them again."
    assert older(tmp_path, now) == (said if names else "")


def test_a_file_system_without_hard_links_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    names = [write_csv([result(student)], tmp_path).name for student in ("ada", "bob", "bob", "ada")]
    assert names == ["grades.csv", "grades-2.csv", "grades-2.csv", "grades-3.csv"]  # none twice that did not change


def test_a_folder_that_cannot_be_written_is_refused_before_grading(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="--output"):
        prepare(tmp_path / "file")


def test_the_table_is_aligned_and_says_who_judged() -> None:
    text = table([result("ada"), result("bartholomew", "too slow", Status.TIMEOUT, Status.MISSING)])
    lines = text.splitlines()
    assert lines[1:3] == [
        "ada          partial  1  0  1/3.5",
        "bartholomew  timeout  0  0  0/3.5",
    ]
    assert "  bartholomew: a: timeout (too slow); b: missing (too slow)" in lines
    assert lines[-1] == "judge: nbval; isolation: process"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_fills_in_a_terminal_and_is_lines_elsewhere() -> None:
    for stream, expected in (
        (Terminal(), "\r[##############################] 2/2 bob"),
        (io.StringIO(), "2/2 bob: partial\n"),
    ):
        bar = Progress(stream, 2)
        bar.show(result("ada"))
        bar.show(result("bob"))
        assert expected in stream.getvalue()


DETAILS = [
    (("a bug", Status.FAIL, Status.FAIL), "fail (a bug)"),
    (("a bug", Status.PASS, Status.FAIL), "b: fail (a bug)"),
    (("", Status.TIMEOUT, Status.MISSING), "a: timeout; b: missing"),
    (("", Status.PASS, Status.PASS), ""),
]


@pytest.mark.parametrize(("given", "detail"), DETAILS)
def test_the_detail_says_each_thing_once(given: tuple[str, Status, Status], detail: str) -> None:
    assert result("ada", *given).detail == detail


STATUSES = [
    ((Status.PASS, Status.PASS), Status.PASS),
    ((Status.PASS, Status.TIMEOUT), Status.PARTIAL),
    ((Status.FAIL, Status.TIMEOUT), Status.TIMEOUT),
    ((Status.NOT_ATTEMPTED, Status.FAIL), Status.FAIL),
    ((Status.NOT_ATTEMPTED, Status.MISSING), Status.NOT_ATTEMPTED),
    ((Status.NOT_GRADED, Status.NOT_GRADED), Status.NOT_GRADED),
]


@pytest.mark.parametrize(("each", "whole"), STATUSES)
def test_a_student_s_status_follows_from_the_marks(each: tuple[Status, Status], whole: Status) -> None:
    assert result("ada", "", *each).status is whole


def test_no_marks_are_no_pass() -> None:
    assert Result("ada", ()).status is Status.MISSING


# ---- for other programs ---------------------------------------------------------------------------------------------


def no_answer(_: str) -> str:
    return ""


def test_every_kind_of_report_is_one_that_the_command_knows(tmp_path: Path) -> None:
    known = replace(result(), columns=(("Email address", "a@x.org"), ("ID", "1")))
    for kind in command.REPORTS:
        assert write(kind, [known], tmp_path, no_answer).is_file()


def test_json_has_everything_and_keeps_what_exists(tmp_path: Path) -> None:
    paths = [write("json", [result("Zoë \ud800", said)], tmp_path, no_answer) for said in ("no", "never", "never")]
    assert [path.name for path in paths] == ["grades.json", "grades-2.json", "grades-2.json"]
    read = json.loads(paths[0].read_text())
    (zoe,) = read["students"]
    assert (read["format"], zoe["student"], zoe["points"], zoe["maximum"]) == (1, "Zoë \ud800", 1, 3.5)
    assert zoe["marks"][1] == {
        **{field: getattr(result("", "no").marks[1], field) for field in zoe["marks"][1]},
        "status": "fail",
        "points": 0,
        "contradiction": "",
        "reaches": [],
    }


def test_json_has_the_columns_of_roster_and_clock_and_what_contradicts(tmp_path: Path) -> None:
    ada = Result("ada", (JUDGED["forged"],), columns=(("email", "a@x.org"), ("late", "no")))
    (read,) = json.loads(write("json", [ada], tmp_path, no_answer).read_text())["students"]
    assert read["columns"] == {"email": "a@x.org", "late": "no"}
    assert (read["recorded"], read["marks"][0]["recorded"]) == ("1 of 1", "passed")
    assert read["marks"][0]["contradiction"] == "its own check says it passes"


# Gradescope's "Autograder output format": the fields it reads, their types, the words it takes.
TOP = {
    "score": (int, float),
    "execution_time": int,
    "output": str,
    "output_format": ["text", "html", "simple_format", "md", "ansi"],
    "visibility": ["hidden", "after_due_date", "after_published", "visible"],
    "stdout_visibility": ["hidden", "after_due_date", "after_published", "visible"],
    "tests": list,
    "extra_data": dict,
}
TEST = {
    "score": (int, float),
    "max_score": (int, float),
    "status": ["passed", "failed"],
    "name": str,
    "number": str,
    "output": str,
    "output_format": TOP["output_format"],
    "visibility": TOP["visibility"],
    "extra_data": dict,
}


def fits(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return set(found) == set(wanted) and all(
        found[name] in kind if isinstance(kind, list) else isinstance(found[name], kind)
        for name, kind in wanted.items()
    )


def test_gradescope_gets_one_student_in_its_own_words(tmp_path: Path) -> None:
    for detail in ("old", "not so: it is right"):
        path = write("gradescope", [result("ada", detail)], tmp_path, no_answer)
    assert path == tmp_path / "results.json"
    read = json.loads(path.read_text())
    assert fits(read, TOP)
    assert all(fits(test, TEST) for test in read["tests"])
    assert (read["score"], sum(test["max_score"] for test in read["tests"])) == (1, 3.5)
    assert [test["status"] for test in read["tests"]] == ["passed", "failed"]
    assert "not so: it is right" in read["tests"][1]["output"]


def test_gradescope_shows_the_student_what_the_check_says(tmp_path: Path) -> None:
    for name, words in SAID.items():
        read = json.loads(write("gradescope", [Result("ada", (JUDGED[name],))], tmp_path, no_answer).read_text())
        (test,) = read["tests"]
        assert all(each in test["output"] for each in words if "✗" not in each), name
        assert "31415926" not in json.dumps(read)


def test_gradescope_s_file_is_no_class_s(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there are 2 students"):
        write("gradescope", [result("ada"), result("bob")], tmp_path, no_answer)
    assert list(tmp_path.iterdir()) == []


# ---- what a person adds, and what being late takes ------------------------------------------------------------------

ORIGIN = "taken from other cells: helper"
GIVEN = Adjustment(1.5, 2, "right but for a sign", "Prof", "2026-11-22T10:00:00+00:00")
SUSPICIONS = ("said passed when", "handed in: ", "reaches", "_getframe", "do not come from", "mallory")
"""Words that are the instructor's."""


def late(result: Result, hours: int = 25) -> Result:
    times = (("submitted", f"2026-11-2{1 + hours // 24} {hours % 24:02}:00:00"), ("late", "yes"))
    return penalised([replace(result, columns=(*result.columns, *times))], Late("10%/day", "2026-11-21 00:00:00"))[0]


REVISED = late(
    Result(
        "ada",
        (
            Mark(
                "a", Status.FAIL, 2, "not so: backward is right", "oracle", adjusted=GIVEN, comment="See me.\n<b>Soon."
            ),
            Mark("b", Status.PARTIAL, 4, f"not so: twice; {ORIGIN}", "oracle", part=0.25, origin=ORIGIN),
            Mark("c", Status.FAIL, 2, "no", claimed=True, reaches=("line 3: sys._getframe",)),
            Mark("d", Status.PASS, 2, "", reaches=("line 3: sys._getframe",), claimed=True),
        ),
        comments=("Well done.", "Nearly\nall."),
    )
)


def test_a_student_s_page_says_what_a_person_added_and_what_being_late_took(tmp_path: Path) -> None:
    text = html.unescape(pages(tmp_path, [REVISED])["ada.html"])
    of = dict(zip("abcd", text.split("<h2 id=")[1:], strict=True))
    for where, words in (
        (text, "3.9 of 10 points"),
        (text, "<p>1 day, 1:00:00 late: 0.6 points taken off (10%/day, 0m of grace).</p>"),
        (text, "<p>Well done.\nNearly\nall.</p>"),
        (text, '<td class="number">−0.6</td>'),
        (of["a"], "✎\xa0adjusted</span>, 1.5 of 2 points."),
        (of["a"], "<p>Adjusted to 1.5 of 2 by Prof, 2026-11-22: right but for a sign.</p>"),
        (of["a"], "<p>See me.\n<b>Soon.</p>"),
        (of["b"], "1 of 4 points. Some of it is right. Taken from other cells: helper."),
        (of["b"], "</span> twice</li>"),
    ):
        assert words in where, words
    assert "✎" not in of["b"] + of["c"] + of["d"] and "all of them.</p>" not in text
    in_time = html.unescape(pages(tmp_path, [result("bob")])["bob.html"])
    assert "adjusted" not in in_time and "late" not in in_time and "comment" not in in_time.partition("<body>")[2]


def test_gradescope_says_it_too(tmp_path: Path) -> None:
    read = json.loads(write("gradescope", [REVISED], tmp_path, no_answer).read_text())
    assert fits(read, TOP) and all(fits(test, TEST) for test in read["tests"])
    assert [read["score"], *(test["score"] for test in read["tests"])] == [3.9, 1.5, 1, 0, 2]
    assert [test["status"] for test in read["tests"]] == ["failed", "failed", "failed", "passed"]
    assert read["output"].splitlines()[1:] == [
        "1 day, 1:00:00 late: 0.6 points taken off (10%/day, 0m of grace).", "Well done.", "Nearly", "all."
    ]  # fmt: skip
    assert read["tests"][0]["output"].splitlines()[1:4] == [
        "Adjusted to 1.5 of 2 by Prof, 2026-11-22: right but for a sign.", "See me.", "<b>Soon."
    ]  # fmt: skip
    assert read["tests"][1]["output"].splitlines()[1:] == ["not so: twice", "Taken from other cells: helper."]


@pytest.mark.parametrize(
    ("status", "points", "said"),
    [(Status.FAIL, 2, "passed"), (Status.FAIL, 3, "passed"), (Status.PASS, 1, "failed"), (Status.GRADER_ERROR, 2, "passed")],
)  # fmt: skip
def test_gradescope_s_colour_is_that_of_the_adjusted_points(
    tmp_path: Path, status: Status, points: float, said: str
) -> None:
    mark = Mark("a", status, 2, adjusted=replace(GIVEN, points=points))
    (test,) = json.loads(write("gradescope", [Result("ada", (mark,))], tmp_path, no_answer).read_text())["tests"]
    assert (test["score"], test["status"]) == (points, said)


def test_no_student_is_told_what_makes_an_answer_worth_a_look(tmp_path: Path) -> None:
    mallory = replace(REVISED, student="mallory", columns=())
    written = pages(tmp_path, [REVISED, mallory], "x = 1")
    scope = write("gradescope", [REVISED], tmp_path, no_answer).read_text()
    for text in (written["ada.html"].partition("<body>")[2], scope):
        assert [words for words in SUSPICIONS if words in text] == []
    shown = re.sub("<[^>]*>", "", written["index.html"].partition("Worth a look")[2].partition("<h2>")[0])
    assert shown.count("c, ✗ failed, but its check said passed when it was handed in: ada, mallory") == 1
    for exercise in "cd":
        for student in ("ada", "mallory"):
            said = f"{exercise}, its code reaches beyond the task: line 3: sys._getframe: {student}"
            assert shown.count(said) == 1
    assert shown.count("handed in") == 1 and shown.count("_getframe") == 4


def test_gradescope_shows_what_is_worth_a_look_in_the_output_for_the_instructor(tmp_path: Path) -> None:
    """Not in a hidden test: then Gradescope would not show the total to the students with such a test, and to all others."""
    others = tuple(Mark(f"x{n}", Status.FAIL, 1, f"not so: {n} " * 20) for n in range(9))
    ada = Result("ada", (*others, *REVISED.marks))
    scope = json.loads(write("gradescope", [ada], tmp_path, no_answer).read_text())
    assert scope["stdout_visibility"] == "hidden"
    assert {test["visibility"] for test in scope["tests"]} == {scope["visibility"]} == {"visible"}
    for words in (
        "c: fail (its check said passed when it was handed in; ",
        "d: pass (its code reaches beyond the task: line 3",
    ):
        assert words in table([ada])
    assert max(map(len, table([ada, replace(ada, student="eve")]).splitlines())) < 300


def test_json_has_it_as_data(tmp_path: Path) -> None:
    (read,) = json.loads(write("json", [REVISED], tmp_path, no_answer).read_text())["students"]
    assert (read["points"], read["penalty"], read["comments"]) == (3.9, 0.6, ["Well done.", "Nearly\nall."])
    assert read["lateness"] == REVISED.lateness and read["columns"]["penalty"] == "0.6"
    first, second, *_ = read["marks"]
    assert first["adjusted"] == vars(GIVEN) and first["comment"] == "See me.\n<b>Soon."
    assert (first["share"], first["points"], second["share"], second["origin"]) == (0, 1.5, 0.25, ORIGIN)


def test_the_class_s_page_marks_adjusted_points_and_penalties(tmp_path: Path) -> None:
    text = html.unescape(
        pages(tmp_path, [REVISED, replace(REVISED, student="eve", penalty=0, lateness="")])["index.html"]
    )
    row = text.partition('ada.html">ada</a></th>')[2].partition("</tr>")[0]
    assert re.findall(r">([^<]+)</td>", row) == ["✗ 1.5 ✎", "◐ 1", "✗ 0", "✓ 2", "−0.6", "3.9/10"]
    assert 'title="failed; adjusted to 1.5 of 2 by Prof, 2026-11-22: right but for a sign"' in row
    assert said_of(text, "a")[-1] == "2 failed, 2 adjusted"
    assert "✎: a person adjusted these points" in text
    plain = pages(tmp_path, [result("bob")])["index.html"]
    assert "✎" not in plain and "penalty" not in plain


def test_the_table_and_the_csv_add_up(tmp_path: Path) -> None:
    lines = table([REVISED, replace(REVISED, student="eve", penalty=0.0)]).splitlines()
    assert [each.split() for each in lines[:3]] == [
        ["student", "status", "a", "b", "c", "d", "penalty", "total"],
        ["ada", "partial", "1.5", "1", "0", "2", "-0.6", "3.9/10"],
        ["eve", "partial", "1.5", "1", "0", "2", "0", "4.5/10"],
    ]
    assert "penalty" not in table([result()])
    row = dict(zip(*rows(write_csv([REVISED], tmp_path)), strict=True))
    assert [row[name] for name in ("a", "b", "c", "d", "penalty", "total", "max")] == [
        "1.5", "1", "0", "2", "0.6", "3.9", "10"
    ]  # fmt: skip


@pytest.mark.parametrize("shares", [(0.1, 0.2), (0.1, 0.2, 0.3), (0.7, 0.1, 0.1)])
def test_who_loses_everything_has_zero_points(shares: tuple[float, ...]) -> None:
    marks = tuple(Mark(f"e{n}", Status.PARTIAL, 1, part=share) for n, share in enumerate(shares))
    lost = late(Result("ada", marks), 24 * 8 + 23)
    for penalty in (sum(reversed(shares)), sum(shares)):
        lost = replace(lost, penalty=penalty)
        assert lost.points == 0
        assert table([lost]).splitlines()[1].endswith(f" 0/{len(shares)}")


UNREADABLE = Result(
    "eve", tuple(Mark(id, Status.INVALID_NOTEBOOK, 1, "x.ipynb: it is empty") for id in ("09.a", "09.b"))
)
FAILED = Result("bob", tuple(Mark(id, Status.FAIL, 1, "no") for id in ("09.a", "09.b")))
PASSES = Result("ada", tuple(Mark(id, Status.PASS, 1) for id in ("09.a", "09.b")))
CLASS_PAGES: dict[str, tuple[list[Result], dict[str, int]]] = {
    "nothing to look at": ([PASSES], {"<h2>Worth a look</h2>\n<p>Nothing.</p>": 1, "could not be read": 0}),
    "somebody unreadable": (
        [PASSES, UNREADABLE, FAILED],
        {
            "Files or answers of 1 student could not be read: ": 1,
            "<p>Nothing.</p>": 0,
            "x.ipynb": 0,
            "✗ not readable</span>": 1,
            '<td class="number">2</td><td class="number">1 (33%)</td>': 2,
        },
    ),
    "its name and date": ([PASSES], {f'<p class="soft">09.a to 09.b, {date.today()}</p>': 1}),
}


@pytest.mark.parametrize("case", CLASS_PAGES)
def test_the_class_s_page_says_each_thing_once(tmp_path: Path, case: str) -> None:
    results, expected = CLASS_PAGES[case]
    text = pages(tmp_path, results)["index.html"].partition("<body>")[2]
    assert {words: text.count(words) for words in expected} == expected


@pytest.mark.parametrize(("points", "is_said"), [(None, True), (1.5, False)])
def test_an_adjusted_share_is_not_said_to_be_all_or_nothing(
    tmp_path: Path, points: float | None, is_said: bool
) -> None:
    given = replace(GIVEN, points=points) if points else None
    text = pages(tmp_path, [Result("ada", (Mark("a", Status.FAIL, 2, adjusted=given),))])["ada.html"]
    assert ("gives its points only if the answer meets every requirement" in text) == is_said


# ---- pages ------------------------------------------------------------------------------------------------------------

EVIL = "</pre><script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">\u202e\x00"


def pages(folder: Path, results: list[Result], answer: str = "") -> dict[str, str]:
    write("html", results, folder, lambda _: answer)
    return {path.name: path.read_text(encoding="utf-8") for path in (folder / FOLDER).rglob("*.html")}


def test_each_student_s_page_says_what_was_found_and_nothing_of_others(tmp_path: Path) -> None:
    said = "NotPassed: b: 6 of 7 checks pass - 2 times too large (x[0]: -8.2)"
    mark = Mark("b", Status.FAIL, 2, said, "oracle", "bubblewrap", 1.25, "ab" * 32)
    written = pages(tmp_path, [Result("ada", (mark,), "a note"), result("bob")], "class Answer: ...")
    for words in ("0 of 2 points", "✗ failed", "6 of 7 checks pass", "2 times too large", "class Answer", "a note"):
        assert words in written["ada.html"], words
    assert "judged by oracle · isolation: bubblewrap" in written["ada.html"]
    assert "bob" not in written["ada.html"] and "index.html" not in written["ada.html"]
    assert {"ada.html", "bob.html"} <= {name for name in written if f"students/{name}" in written["index.html"]}


def test_checks_that_are_named_are_listed_and_the_rest_of_a_mark_stays_inside(tmp_path: Path) -> None:
    mark = Mark("b", Status.FAIL, 2, "not so: forward is right; backward is right (it gave None)", "oracle")
    object.__setattr__(mark, "seed", "31415926")  # what a judge may note besides is for the gradebook
    written = pages(tmp_path, [Result("ada", (mark,))])
    for words in ("</span> forward is right</li>", "</span> backward is right</li>", "<p>it gave None</p>"):
        assert words in written["ada.html"], words
    assert "31415926" not in written["ada.html"]


NOT_SO = "not so: backward is right; it can be differentiated twice"


def judged(status: Status, detail: str, recorded: str, said: str = "") -> Mark:
    return Mark(
        "b",
        status,
        2,
        detail,
        "oracle",
        "bubblewrap",
        seed="31415926",
        recorded=recorded,
        said=said,
        recorded_under="cage",
    )


JUDGED = {
    "mistaken": judged(Status.FAIL, NOT_SO, "failed", "NotPassed: b: 5 of 7 checks pass - 2 times too large (x[0]: -8.2)"),
    "remarked": judged(Status.FAIL, "not so: backward is right (it gave None)", "failed", "NotPassed: b: 6 of 7 checks pass - no gradient"),
    "raising": judged(Status.FAIL, "line 1 raised NameError: no x", "failed", "NameError: no x"),
    "forged": judged(Status.FAIL, NOT_SO, "passed"),
    "right": judged(Status.PASS, "", "passed"),
    "right but for its check": judged(Status.PASS, "", "failed", "NameError: check"),
    "right but slow": judged(Status.PASS, "", "timeout"),
    "endless": judged(Status.TIMEOUT, "no reply came within its time limit", "not run"),
    "a machine's fault": judged(Status.PASS, "", "grader_error", "OSError: no disk"),
    "without a record": judged(Status.FAIL, NOT_SO, ""),
}  # fmt: skip
SAID: dict[str, list[str]] = {
    "mistaken": ["Its check cell does not pass.", "2 times too large (x[0]: -8.2)", "✗</span> backward is right</li>"],
    "remarked": ["no gradient", "it gave None"],
    "raising": ["Its check cell does not pass.", "line 1 raised NameError: no x"],
    "forged": ["Its check cell passes."],
    "right": ["Right: it meets every requirement.", "Its check cell passes."],
    "right but for its check": ["Its check cell does not pass.", "NameError: check"],
    "right but slow": ["Run with its check cell, it was stopped at the time limit."],
    "endless": ["Its check cell was not run"],
    "a machine's fault": ["No record of its check cell could be made."],
    "without a record": ["Not right yet."],
}


@pytest.mark.parametrize("name", JUDGED)
def test_a_student_s_page_has_the_record_the_failed_checks_and_the_diagnosis(tmp_path: Path, name: str) -> None:
    mark = JUDGED[name]
    text = pages(tmp_path, [Result("ada", (mark,))])["ada.html"]
    for words in SAID[name]:
        assert words in text, words
    assert ('<th scope="col">its check cell</th>' in text) == bool(mark.recorded)
    assert ("Points do not come from that cell" in text) == bool(mark.contradiction)
    assert ("It is not the verdict" in text) == bool(mark.recorded)
    assert "31415926" not in text, "the seed gives the hidden inputs away"
    assert text.count("NameError: no x") <= 1, "the same thing is said once"


def test_the_class_s_page_names_mistakes_by_their_diagnosis_and_shows_what_contradicts(tmp_path: Path) -> None:
    class_ = {
        **dict.fromkeys(["ada", "bob", "eve"], JUDGED["mistaken"]),
        **dict.fromkeys(["forger", "mallory"], JUDGED["forged"]),
        "slow": JUDGED["right but slow"],
        "fine": JUDGED["right"],
    }
    text = pages(tmp_path, [Result(student, (mark,)) for student, mark in class_.items()])["index.html"]
    first = text.partition("Most common mistakes")[2].partition("</li>")[0]
    assert "3 students" in first and "2 times too large" in first and "not so" not in first
    found = re.findall(r"<li>(.*?)</li>", text.partition("Worth a look")[2].partition("</ul>")[0])
    assert [re.sub("<[^>]*>", "", each) for each in found] == [
        "b, ✗ failed, but its own check says it passes: forger, mallory",
        "b, ✓ passed, but in the notebook it took too long: slow",
    ]
    assert '<td class="number">3</td><td class="words">' in text  # check cells that pass
    agreed = pages(tmp_path, [Result(student, (JUDGED["right"],)) for student in class_])["index.html"]
    assert "<h2>Worth a look</h2>\n<p>Nothing.</p>" in agreed


@pytest.mark.parametrize(
    ("status", "is_told"), [(Status.PASS, False), (Status.GRADER_ERROR, False), (Status.FAIL, True)]
)
def test_what_a_pass_rests_on_is_the_instructor_s(tmp_path: Path, status: Status, is_told: bool) -> None:
    ada = Result("ada", (Mark("a", status, 2, "reported by its own process, not seen from outside: its flags"),))
    assert ("its flags" in pages(tmp_path, [ada])["ada.html"]) == is_told
    assert ("its flags" in write("gradescope", [ada], tmp_path, no_answer).read_text()) == is_told


REASONS = [
    (
        Status.FAIL,
        "NotPassed: a: 1 of 7 checks pass - no gradient",
        "NotPassed: b: 2 of 7 checks pass - no gradient",
        True,
    ),
    (Status.FAIL, "NameError: no x", "NameError: no x", True),
    (Status.FAIL, "off by 2", "off by 3", False),
    (Status.NOT_ATTEMPTED, "", "", False),
]


@pytest.mark.parametrize(("status", "one", "other", "once"), REASONS)
def test_one_reason_is_said_once_and_referred_to(
    tmp_path: Path, status: Status, one: str, other: str, once: bool
) -> None:
    ada = Result("ada", (Mark("a", status, 2, one), Mark("b", status, 2, other)))
    second = pages(tmp_path, [ada])["ada.html"].partition('<h2 id="b">')[2]
    assert ('What was found is the same as for <a href="#a">a</a>.' in second) == once
    reason = other.rpartition(" - ")[2]
    assert (reason in second) == (not once)
    (_, test) = json.loads(write("gradescope", [ada], tmp_path, no_answer).read_text())["tests"]
    assert ("What was found is the same as for a." in test["output"]) == once
    assert (reason in test["output"]) == (not once)


OURS = "/tmp/x1/venv/lib/python3.12/site-packages/autograd_teach/grading/oracle/server.py"
INSIDE = [
    (Status.FAIL, f"line 3 raised OSError: no {OURS}", ["line 3 raised OSError: no …"]),
    (Status.FAIL, "FileNotFoundError: '/home/ada/data.csv' and a/b/c and 1/2", ["'…/data.csv' and a/b/c and 1/2"]),
    (Status.FAIL, "in /tmp/tmpk3j2 or C:\\Users\\prof\\grader.py", ["in … or …"]),
    (Status.GRADER_ERROR, "OSError: no space for hidden inputs", ["This is not your fault"]),
]


@pytest.mark.parametrize(("status", "detail", "words"), INSIDE)
def test_what_a_student_gets_tells_no_path_and_no_fault_of_the_grader_s(
    tmp_path: Path, status: Status, detail: str, words: list[str]
) -> None:
    ada = Result("ada", (Mark("a", status, 2, detail, recorded="failed", said=f"{OURS}: no"),), f"{OURS} not used")
    page = html.unescape(pages(tmp_path, [ada])["ada.html"])
    scope = json.loads(write("gradescope", [ada], tmp_path, no_answer).read_text())
    for text in (page, scope["output"] + scope["tests"][0]["output"]):
        for secret in ("/tmp", "server.py", "/home", "prof", "site-packages", "hidden inputs"):
            assert secret not in text, secret
    for each in words:
        assert each in page and each in scope["tests"][0]["output"]


def test_pages_are_written_anew_each_time(tmp_path: Path) -> None:
    pages(tmp_path, [result("ada", "", Status.FAIL, Status.FAIL)])
    assert "1 of 3.5 points" in pages(tmp_path, [result("ada")])["ada.html"]


@pytest.mark.parametrize("students", [[], ["ada"], ["ada", "Ada", "a/da", "..", "con", "é" * 300, "<b>", ""]])
def test_every_class_has_its_pages(tmp_path: Path, students: list[str]) -> None:
    names = file_names(students)
    assert len({name.casefold() for name in names.values()}) == len(students)
    assert not any(set(name) & set('/\\<>:"|?*') or name.startswith(".") or len(name) > 100 for name in names.values())
    assert len(pages(tmp_path, [result(student) for student in students])) == len(students) + 1


def test_no_page_that_the_disk_has_no_room_for_is_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UserError, match="No space left on device"):
        write("html", [result()], tmp_path, no_answer)


MISTAKES = [
    ("NotPassed: a: 1 of 7 checks pass - 2 times too large (x[0]: 1.5)", "NotPassed: a: 3 of 7 checks pass - 4 times too large", True),
    ("not so: forward is right", "not so: forward is right; backward is right", False),
    ("NameError: name 'x1' is not defined", "NameError: name 'x2' is not defined", True),
    ("NameError: name 'y' is not defined", "TypeError: y is not callable", False),
    ("", "", True),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "alike"), MISTAKES)
def test_mistakes_are_counted_together_where_only_numbers_differ(one: str, other: str, alike: bool) -> None:
    marks = [(f"s{n}", Mark("a", Status.FAIL, 1, detail)) for n, detail in enumerate((one, other, one))]
    found = commonest([*marks, ("idle", Mark("a", Status.NOT_ATTEMPTED, 1)), ("fine", Mark("a", Status.PASS, 1))])
    assert [len(each.students) for each in found] == ([3] if alike else [2, 1])


def test_every_status_has_words_for_its_reader() -> None:
    assert set(MEANING) == set(Status)
    assert len({meaning.name for meaning in MEANING.values()}) == len(MEANING)


def said_of(text: str, exercise: str) -> list[str]:
    """The cells of an exercise's row on the class's page, behind its bar."""
    row = text.partition(f'<th scope="row">{exercise}</th>')[2].partition("</tr>")[0]
    return re.findall(r"<td[^>]*>([^<]*)</td>", row)


def class_of(shares: dict[str, list[bool]]) -> list[Result]:
    """One student for each place; True passes."""
    columns = [[(name, each) for each in column] for name, column in shares.items()]
    return [
        Result(f"s{n}", tuple(Mark(name, Status.PASS if right else Status.FAIL, 2) for name, right in row))
        for n, row in enumerate(zip(*columns, strict=True))
    ]


HALF = [True, False]


@pytest.mark.parametrize("pairs", [5, 4])
def test_the_class_s_page_says_of_each_exercise_how_many_solved_it_and_what_it_tells(
    tmp_path: Path, pairs: int
) -> None:
    """Ten students are enough for a correlation, eight are not, and those who handed in nothing do not count."""
    class_ = class_of({"a": HALF * pairs, "b": HALF * pairs, "c": HALF[::-1] * pairs, "easy": [True] * 2 * pairs})
    idle = [Result(f"idle{n}", tuple(replace(mark, status=Status.MISSING) for mark in class_[0].marks)) for n in (1, 2)]
    attempts = {("s0", "a"): 3, ("s1", "a"): 1, ("s0", "b"): 1}
    write("html", [*class_, *idle], tmp_path, no_answer, attempts)
    text = (tmp_path / FOLDER / "index.html").read_text()
    assert said_of(text, "a")[:3] == [str(2 * pairs), f"{pairs} ({100 * pairs / (2 * pairs + 2):.0f}%)", "2.0"]
    if pairs == 4:
        assert "iscrimination" not in text
    else:
        assert [said_of(text, name)[-2] for name in ("b", "c", "easy")] == ["", "−1.00", ""]
    assert f'aria-label="{pairs} passed, {pairs} failed, 2 missing"' in text
    write("html", class_, tmp_path, no_answer)
    assert "ttempts" not in (tmp_path / FOLDER / "index.html").read_text()


def test_discrimination_is_the_correlation_with_the_rest_of_the_points(tmp_path: Path) -> None:
    drawn = random.Random(0)
    columns = {name: [drawn.random() < 0.5 for _ in range(20)] for name in "abc"}
    late = [replace(each, penalty=n % 3) for n, each in enumerate(class_of(columns))]  # which is no matter
    text = pages(tmp_path, late)["index.html"]
    rest = [sum(each) for each in zip(columns["b"], columns["c"], strict=True)]
    solved, not_solved = (
        [r for r, right in zip(rest, columns["a"], strict=True) if right is wanted] for wanted in HALF
    )
    spread = (sum(r * r for r in rest) / 20 - (sum(rest) / 20) ** 2) ** 0.5
    means = sum(solved) / len(solved) - sum(not_solved) / len(not_solved)
    biserial = means / spread * (len(solved) * len(not_solved) / 400) ** 0.5
    assert said_of(text, "a")[2] == f"{biserial:.2f}".replace("-", "−")


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(part) / 255 for part in colour[4:-1].split(",")]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    lighter, darker = sorted((light(one), light(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_pages_in_a_browser(tmp_path: Path, browser: Any) -> None:
    """Nothing is loaded from anywhere, nothing of a student's runs, nothing runs off a narrow page, every word can be read."""
    records = ("passed", "failed", "not run", *Status)
    every = tuple(
        Mark(
            *(f"e{n}", status, 1, EVIL, "oracle", "process", 1, "ab" * 32),
            recorded=recorded,
            said=f"NotPassed: {EVIL}",
            adjusted=Adjustment(1, 2, EVIL, EVIL, EVIL) if n % 3 else None,
            comment=f"{EVIL}\n{EVIL}",
        )
        for n, (status, recorded) in enumerate((status, recorded) for status in Status for recorded in records)
    )
    ada = Result(f"ada {EVIL}", every, EVIL, penalty=0.5, lateness=EVIL, comments=(EVIL, "x" * 500))
    pages(tmp_path, [ada, result("bob")], EVIL + "x" * 500)
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    for path in (tmp_path / FOLDER).rglob("*.html"):
        asked.clear()
        page.goto(path.as_uri())
        assert len(asked) == 1 and "taken" not in page.title()[:5]
        assert page.locator("script, img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        papers = set()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            colours = page.evaluate("""[...document.querySelectorAll('body, .state, .soft, a, thead th')].map(
                element => getComputedStyle(element).color)""")
            papers.add(paper := page.evaluate("getComputedStyle(document.body).backgroundColor"))
            assert min(contrast(colour, paper) for colour in colours) >= 4.5, scheme
        assert len(papers) == 2
    page.goto((tmp_path / FOLDER / "index.html").as_uri())
    page.locator("table a", has_text="bob").click()
    assert "1 of 3.5 points" in page.locator("body").inner_text()
    context.close()


LONG_NAMES = [
    "Maria-Magdalena von und zu Hohenlohe-Waldenburg-Schillingsfürst",
    "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwaren",
    "محمد بن موسى الخوارزمي بن عبد الله",
]
BROKEN_WORDS = r"""[...document.querySelectorAll('.name')].flatMap(({firstChild: text}) =>
    [...text.data.matchAll(/[^\s-]+/g)].map(word => {
        const range = document.createRange()
        range.setStart(text, word.index)
        range.setEnd(text, word.index + word[0].length)
        return range.getClientRects().length > 1 ? word[0] : ''
    }).filter(Boolean))"""


def test_no_name_is_broken_within_a_word(tmp_path: Path, browser: Any) -> None:
    """On a narrow page names wrap at blanks and hyphens, in the title, in lists and in the table."""
    class_ = [Result(name, (judged(Status.FAIL, "the same mistake", ""),)) for name in LONG_NAMES]
    pages(tmp_path, class_)
    page = browser.new_page(viewport={"width": 390, "height": 800})
    for path in (tmp_path / FOLDER).rglob("*.html"):
        page.goto(path.as_uri())
        assert page.locator(".name").count() == (1 if path.parent.name == "students" else 2 * len(class_))
        assert page.evaluate(BROKEN_WORDS) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.close()
