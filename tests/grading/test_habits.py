"""How instructors collect, and what they ask for: exports of learning platforms, rosters, dates, the best of several, points,
pseudonyms, a dry run. Nothing runs here."""

import csv
import io
import json
import os
import re
import struct
import zipfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pytest

from autograd_teach import cli
from autograd_teach.course.errors import UserError
from autograd_teach.grading import batch, judge, sandbox
from autograd_teach.grading.batch import grade_class, regrade_class
from autograd_teach.grading.notebook_run import Limits, NotebookRun
from autograd_teach.grading.rebuild import Assignment
from autograd_teach.grading.results import Mark, Result, Status
from autograd_teach.grading.submissions import archives, intake, pseudonyms, roster, selection
from autograd_teach.grading.submissions.intake import Keep, take_in
from autograd_teach.grading.submissions.preview import preview
from autograd_teach.grading.submissions.selection import Wishes, due_date, gather
from tests.grading.classroom import NAME, SOLUTIONS, assignment, exercise_notebook, load_once
from tests.grading.stub import by_source

SOLVED = json.dumps(exercise_notebook(SOLUTIONS))
HALF = json.dumps(exercise_notebook({"double": SOLUTIONS["double"]}))
WRONG = json.dumps(exercise_notebook({"double": "double = 3", "square": "square = 4"}))
HANDED_OUT = json.dumps(exercise_notebook({}))
NOON = (2026, 11, 20, 12, 0, 0)
NEXT_DAY = (2026, 11, 21, 12, 0, 0)


@dataclass(frozen=True)
class File:
    """A file of a hand-in and its date."""

    content: str | bytes = SOLVED
    date: tuple[int, int, int, int, int, int] = NOON


def zipped(path: Path, files: dict[str, File]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, file in files.items():
            archive.writestr(zipfile.ZipInfo(name, file.date), file.content)
    return path


def written(folder: Path, files: dict[str, File]) -> Path:
    folder.mkdir()
    for name, file in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content.encode() if isinstance(file.content, str) else file.content)
        seconds = datetime(*file.date).timestamp()
        os.utime(path, (seconds, seconds))
    return folder


def graded(submissions: Path, **wishes: object) -> dict[str, dict[str, str]]:
    """The rows of the CSV file that grading writes, by student."""
    output = submissions.parent / "out"
    grade_class(
        submissions,
        [assignment()],
        output=output,
        limits=Limits(),
        jobs=2,
        progress=None,
        runner=by_source,
        wishes=Wishes(**wishes),  # type: ignore[arg-type]  # each test names its own
    )
    (path,) = output.glob("grades*.csv")
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    path.unlink()
    return rows


# ---- whose a file is --------------------------------------------------------------------------------------------------

MOODLE = "_assignsubmission_file_"
BLACKBOARD = "attempt_2026-11-20-23-58-01"
PLATFORMS: dict[str, tuple[list[str], list[str]]] = {
    "Moodle, a folder a student": (
        [f"Ada Lovelace_11{MOODLE}/{NAME}.ipynb", f"Grace Hopper_12{MOODLE}/a.ipynb", f"Grace Hopper_12{MOODLE}/b.ipynb"],
        ["Ada Lovelace", "Grace Hopper"],
    ),
    "Moodle, one student with two files": ([f"Ada_11{MOODLE}/a.ipynb", f"Ada_11{MOODLE}/b.ipynb"], ["Ada"]),
    "Moodle, without folders": (
        [f"Ada Lovelace_11{MOODLE}{NAME}.ipynb", f"Grace Hopper_12{MOODLE}final (2).ipynb"],
        ["Ada Lovelace", "Grace Hopper"],
    ),
    "Moodle, with a text beside the file": (
        [f"Ada_11{MOODLE}/x.ipynb", "Ada_11_assignsubmission_onlinetext_/onlinetext.html"],
        ["Ada"],
    ),
    "Moodle, two of one name": ([f"Ada_11{MOODLE}/x.ipynb", f"Ada_12{MOODLE}/x.ipynb"], ["Ada (11)", "Ada (12)"]),
    "Moodle, blind": ([f"Participant_11{MOODLE}/x.ipynb", f"Participant_12{MOODLE}/x.ipynb"],
                      ["Participant (11)", "Participant (12)"]),
    "Canvas": (
        [f"lovelaceada_LATE_11_901_{NAME}.ipynb", f"hoppergrace_12_902_{NAME}-1.ipynb", "essay_13_903_text.html"],
        ["essay", "hoppergrace", "lovelaceada"],
    ),
    "Canvas, anonymous": (["anon_x7Kq2_901_a.ipynb", "anon_12345_LATE_902_a.ipynb"], ["anon_12345", "anon_x7Kq2"]),
    "Canvas, two of one name": (["lee_11_1_a.ipynb", "lee_12_2_a.ipynb"], ["lee (11)", "lee (12)"]),
    "Blackboard, with its notes": (
        [
            f"Homework 9_ada.l_{BLACKBOARD}_{NAME}.ipynb",
            f"Homework 9_ada.l_{BLACKBOARD}.txt",
            f"Homework 9_eve_{BLACKBOARD}.txt",
        ],
        ["ada.l", "eve"],
    ),
    "Brightspace": (
        [
            "11-7 - Ada Lovelace - Nov 20, 2026 1158 PM - hand-in.ipynb",
            "12-7 - Grace Hopper - Nov 20, 2026 905 AM/hand-in.ipynb",
            "index.html",
        ],
        ["Ada Lovelace", "Grace Hopper"],
    ),
    "a zip on a platform": ([f"Ada_11{MOODLE}/work/deep/x.ipynb", f"Bob_12{MOODLE}/x.ipynb"], ["Ada", "Bob"]),
    "GitHub Classroom": ([f"ps9-ada/{NAME}.ipynb", f"ps9-grace/{NAME}.ipynb"], ["ada", "grace"]),
    "nbgrader, with its times": (
        [f"submitted/ada/ps9/{NAME}.ipynb", "submitted/ada/ps9/timestamp.txt", "submitted/bob/ps9/timestamp.txt"],
        ["ada", "bob"],
    ),
    # What comes last in such a name is the student's own: nobody becomes someone else by it.
    "Moodle, disguised": (
        [f"Eve_15{MOODLE}Bob_16{MOODLE}x.ipynb", f"Bob_16{MOODLE}x.ipynb", f"Eve_15{MOODLE}lee_1_2_x.ipynb"],
        ["Bob", "Eve"],
    ),
    "Canvas, disguised": (
        [f"eve_15_1_Bob_16{MOODLE}x.ipynb", "bob_16_2_x.ipynb", f"eve_15_3_ps_bob_{BLACKBOARD}_x.ipynb", "ada_1_4_x.ipynb"],
        ["ada", "bob", "eve"],
    ),
    "Blackboard, disguised": (
        [f"ps_eve_{BLACKBOARD}_ps_bob_{BLACKBOARD}_x.ipynb", f"ps_bob_{BLACKBOARD}_x.ipynb"],
        ["bob", "eve"],
    ),
    "Brightspace, one student": (
        ["11-7 - Ada Lovelace - Nov 20, 2026 1158 PM - hand-in.ipynb", "index.html"],
        ["Ada Lovelace"],
    ),
    "one of two names like a platform's": (
        ["1-2 - Eve - Nov 1, 2026 1158 PM - x.ipynb", f"ada_{NAME}.ipynb"],
        ["1-2 - Eve - Nov 1, 2026 1158 PM - x", "ada"],
    ),
    "files named by students, one like a platform's": (
        ["ada.ipynb", "bob.ipynb", "eve_1_2_x.ipynb"],
        ["ada", "bob", "eve_1_2_x"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), PLATFORMS.values(), ids=PLATFORMS)
@pytest.mark.parametrize("pack", [written, zipped])
def test_what_platforms_export_is_recognised(
    tmp_path: Path, pack: Callable[..., Path], files: list[str], expected: list[str]
) -> None:
    target = pack(tmp_path / ("ps9-submissions" + ".zip" * (pack is zipped)), dict.fromkeys(files, File()))
    assert [one.student for one in take_in(target, [assignment()])] == expected


def test_a_class_in_a_folder_in_a_zip_is_named_like_the_class(tmp_path: Path) -> None:
    files = [f"ps9-submissions/ps9-{name}/{NAME}.ipynb" for name in ("ada", "grace")]
    target = zipped(tmp_path / "download.zip", dict.fromkeys(files, File()))
    assert [one.student for one in take_in(target, [assignment()])] == ["ada", "grace"]


# ---- when it came -----------------------------------------------------------------------------------------------------


def zip_of(date: tuple[int, int, int, int, int, int], folder: Path) -> bytes:
    return zipped(folder / "inner.zip", {"x.ipynb": File(SOLVED, date)}).read_bytes()


def test_every_sign_of_lateness_is_seen_and_none_of_the_student_s_own_making(tmp_path: Path) -> None:
    old = (2001, 1, 1, 0, 0, 0)
    cases: dict[str, tuple[dict[str, File], dict[str, tuple[str, str]]]] = {
        "Moodle": (
            {
                f"in time_1{MOODLE}/x.ipynb": File(),
                f"late_2{MOODLE}/x.ipynb": File(date=NEXT_DAY),
                f"a zip with an old date in it_3{MOODLE}/x.zip": File(zip_of(old, tmp_path), NEXT_DAY),
                f"a time stamp of one's own_4{MOODLE}/ps9/timestamp.txt": File("2001-01-01 00:00:00 UTC"),
                f"a time stamp of one's own_4{MOODLE}/ps9/x.ipynb": File(date=NEXT_DAY),
                f"nothing_5{MOODLE}/essay.pdf": File(""),
                f"no date_6{MOODLE}/x.ipynb": File(date=(1980, 1, 1, 0, 0, 0)),
                f"no calendar's date_7{MOODLE}/x.ipynb": File(date=(2026, 13, 32, 0, 0, 0)),
            },
            {
                "in time": ("2026-11-20 12:00:00", "no"),
                "late": ("2026-11-21 12:00:00", "yes"),
                "a zip with an old date in it": ("2026-11-21 12:00:00", "yes"),
                "a time stamp of one's own": ("2026-11-21 12:00:00", "yes"),
                "nothing": ("", ""),
                "no date": ("", "unknown"),
                "no calendar's date": ("", "unknown"),
            },
        ),
        "Canvas": (
            {"ada_1_1_x.ipynb": File(), "eve_LATE_2_2_x.ipynb": File()},
            {"ada": ("2026-11-20 12:00:00", "no"), "eve": ("2026-11-20 12:00:00", "yes")},
        ),
        "Blackboard": (
            {
                "ps_ada_attempt_2026-11-20-23-59-59_x.ipynb": File(date=NEXT_DAY),
                "ps_eve_attempt_2026-11-21-00-00-00_x.ipynb": File(),
            },
            {"ada": ("2026-11-20 23:59:59", "no"), "eve": ("2026-11-21 00:00:00", "yes")},
        ),
        "nbgrader": (
            {
                f"submitted/ada/ps9/{NAME}.ipynb": File(date=NEXT_DAY),
                "submitted/ada/ps9/timestamp.txt": File("2026-11-20 11:00:00.123456"),
                f"submitted/eve/ps9/{NAME}.ipynb": File(),
                "submitted/eve/ps9/timestamp.txt": File("2026-11-25 11:00:00 UTC"),
                f"submitted/odd/ps9/{NAME}.ipynb": File(),
                "submitted/odd/ps9/timestamp.txt": File(b"\xff no time ../../Mars"),
                f"submitted/first/ps9/{NAME}.ipynb": File(),
                "submitted/first/ps9/timestamp.txt": File("0001-01-01 00:00:00 Asia/Tokyo"),
                f"submitted/last/ps9/{NAME}.ipynb": File(),
                "submitted/last/ps9/timestamp.txt": File("9999-12-31 23:59:59 America/New_York"),
            },
            {
                "ada": ("2026-11-20 11:00:00.123456", "no"),
                "eve": ("", "yes"),
                **dict.fromkeys(("odd", "first", "last"), ("2026-11-20 12:00:00", "no")),
            },
        ),
        "Brightspace": (
            {
                "11-7 - ada - Nov 20, 2026 1158 PM - x.ipynb": File(date=NEXT_DAY),
                "12-7 - eve - Nov 21, 2026 905 AM - x.ipynb": File(),
                "bob.ipynb": File(),
            },
            {"ada": ("2026-11-20 23:58:00", "no"), "eve": ("2026-11-21 09:05:00", "yes"), "bob": ("", "no")},
        ),
        "one of two names like a platform's": (
            {"ada.ipynb": File(), "1-2 - Eve - Nov 1, 2026 1158 PM - x.ipynb": File(date=NEXT_DAY)},
            {
                "ada": ("2026-11-20 12:00:00", "no"),
                "1-2 - Eve - Nov 1, 2026 1158 PM - x": ("2026-11-21 12:00:00", "yes"),
            },
        ),
    }
    for name, (files, expected) in cases.items():
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            rows = graded(zipped(tmp_path / f"{name}.zip", files), due=due_date("2026-11-20"))
        for student, (submitted, late) in expected.items():
            assert (name, student, rows[student]["late"]) == (name, student, late)
            assert not submitted or rows[student]["submitted"] == submitted


def came(target: Path) -> dict[str, str]:
    return {one.student: str(one.versions[NAME][0].submitted) for one in take_in(target, [assignment()])}


@pytest.mark.parametrize("named", [f"{NAME}.ipynb", "a class of renamed files"])
def test_a_folder_that_holds_the_class_s_zip_alone_is_as_if_the_zip_were_named(tmp_path: Path, named: str) -> None:
    old = File(zip_of((2001, 1, 1, 0, 0, 0), tmp_path), NEXT_DAY)
    if named == f"{NAME}.ipynb":
        files = {f"Ada_1{MOODLE}/{named}": File(), f"Bob_2{MOODLE}/{named}": File(), f"Eve_3{MOODLE}/x.zip": old}
        dates = {"Ada": NOON, "Bob": NOON, "Eve": NEXT_DAY}
    else:
        files = {"ada_1_1_x.ipynb": File(), "bob_2_2_y.ipynb": File(), "eve_3_3_z.zip": old}
        dates = {"ada": NOON, "bob": NOON, "eve": NEXT_DAY}
    expected = {name: str(datetime(*date)) for name, date in dates.items()}
    target = zipped(tmp_path / "ps9.zip", files)
    inside = written(tmp_path / "dl", {"ps9.zip": File(target.read_bytes(), NEXT_DAY)})
    assert came(target) == came(inside) == expected
    assert came(zipped(tmp_path / "outer.zip", {"ps9.zip": File(target.read_bytes(), NEXT_DAY)})) == expected


EXPORT = {f"Ada_1{MOODLE}/{NAME}.ipynb": File(), f"Bob_2{MOODLE}/x.ipynb": File()}
BESIDE: dict[str, tuple[list[str], list[str] | str]] = {
    "a worksheet": (["Grades-ps9.csv"], ["Ada", "Bob"]),
    "a worksheet and a text": (["Grades-ps9.csv", "ps9.pdf", "notes.txt"], ["Ada", "Bob"]),
    "another notebook": (["eve.ipynb"], "ps9.zip holds several students' folders, but other work lies beside it"),
    "a folder and a table": (["eve/x.ipynb", "a.csv"], "give ps9.zip alone"),
}


@pytest.mark.parametrize("beside", BESIDE)
def test_a_class_s_zip_is_a_class_among_other_files_or_is_refused(tmp_path: Path, beside: str) -> None:
    others, expected = BESIDE[beside]
    target = zipped(tmp_path / "ps9.zip", EXPORT)
    folder = written(tmp_path / "dl", {"ps9.zip": File(target.read_bytes())} | dict.fromkeys(others, File()))
    said: list[str] = []
    if isinstance(expected, str):
        with pytest.raises(UserError, match=expected):
            take_in(folder, [assignment()], said.append)
        return
    assert [one.student for one in take_in(folder, [assignment()], said.append)] == expected
    assert [all(name in words for name in others) for words in said] == [True], "each is named as skipped"


def test_a_student_s_own_zip_is_never_the_class_s(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "mine.zip", EXPORT)
    files = {f"Eve_3{MOODLE}/mine.zip": File(inner.read_bytes()), f"Joe_4{MOODLE}/x.ipynb": File()}
    assert [one.student for one in take_in(zipped(tmp_path / "ps9.zip", files), [assignment()])] == ["Eve", "Joe"]
    flat = {f"Eve_3{MOODLE}mine.zip": File(inner.read_bytes()), f"Joe_4{MOODLE}x.ipynb": File()}
    assert [one.student for one in take_in(zipped(tmp_path / "flat.zip", flat), [assignment()])] == ["Eve", "Joe"]


TIMES: dict[str, tuple[list[tuple[int, int, int, int, int, int]], str | None, bool]] = {
    "all the same": ([NOON, NOON], "2026-11-20", True),
    "no due date": ([NOON, NOON], None, False),
    "two times": ([NOON, NEXT_DAY], "2026-11-20", False),
    "one notebook": ([NOON], "2026-11-20", False),
    "no times": ([(1980, 1, 1, 0, 0, 0)] * 2, "2026-11-20", False),
}


@pytest.mark.parametrize("case", TIMES)
def test_notebooks_that_all_have_one_time_are_said_to(tmp_path: Path, case: str) -> None:
    dates, due, is_said = TIMES[case]
    target = zipped(tmp_path / "in.zip", {f"s{n}.ipynb": File(date=date) for n, date in enumerate(dates)})
    said: list[str] = []
    gather(target, [assignment()], Wishes(due=due_date(due) if due else None), said.append)
    words = "All 2 notebooks have the same time, 2026-11-20 12:00:00, perhaps of unpacking: --due and --late go by it."
    assert said == [words] * is_said


def test_a_zip_s_inner_dates_are_not_believed_where_it_is_a_student_s(tmp_path: Path) -> None:
    old = File(zip_of((2001, 1, 1, 0, 0, 0), tmp_path), NEXT_DAY)
    own, folder = {"ada.zip": old}, {f"ps9.zip/{name}/{name}.zip": old for name in ("ada", "bob")}
    first = {f"ps9.zip/{name}/{NAME}.ipynb": File(HALF, (2000, 1, 1, 0, 0, 0)) for name in ("ada", "bob")}
    assert came(written(tmp_path / "one", own)) == {"ada": str(datetime(*NEXT_DAY))}
    assert came(written(tmp_path / "two", {**own, "bob.ipynb": File()}))["ada"] == str(datetime(*NEXT_DAY))
    found = take_in(written(tmp_path / "a folder called so", folder | first), [assignment()], keep=Keep.BEST)
    times = [str(version.submitted) for one in found for version in one.versions[NAME]]
    assert len(found) == 2 and not any("2001" in time for time in times), "a folder's name makes it no zip"


def test_a_report_without_the_roster_of_the_one_before_says_so(tmp_path: Path) -> None:
    target = zipped(tmp_path / "in.zip", {"ada.ipynb": File()})
    (path := tmp_path / "roster.csv").write_text("name\nada\nbob\n")
    said = io.StringIO()
    shared = {"output": tmp_path / "out", "jobs": 1, "progress": said, "runner": by_source}
    words = f"The last report had all students and columns of {path}; this one does not: --roster was not given."
    for given, regrades, is_said in ((None, 0, 0), (path, 1, 0), (path, 2, 0), (None, 0, 1), (None, 1, 1)):
        grade_class(target, [assignment()], limits=Limits(), wishes=Wishes(roster=given), **shared)  # type: ignore[arg-type]
        for _ in range(regrades):
            regrade_class([assignment()], timeout=None, **shared)  # type: ignore[arg-type]
        assert said.getvalue().count(words) == is_said


def test_without_a_due_date_only_what_the_platform_says_is_a_column(tmp_path: Path) -> None:
    assert "late" not in graded(zipped(tmp_path / "a.zip", {"ada_1_1_x.ipynb": File()}))["ada"]
    rows = graded(zipped(tmp_path / "b.zip", {"ada_1_1_x.ipynb": File(), "eve_LATE_2_2_x.ipynb": File()}))
    assert [row["late"] for row in rows.values()] == ["no", "yes"]


def test_a_zip_s_clock_of_the_world_is_believed_before_its_local_time(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("ada.ipynb", (2026, 11, 20, 3, 0, 0))
    seconds = int(datetime(2026, 11, 20, 12, 0, 0).timestamp())
    info.extra = struct.pack("<HHB", 0x9999, 1, 7) + struct.pack("<HHBi", 0x5455, 5, 1, seconds)
    broken = zipfile.ZipInfo("eve.ipynb", NOON)
    broken.extra = struct.pack("<HH", 0x5455, 1) + b"\1"
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.writestr(info, SOLVED)
        archive.writestr(broken, SOLVED)
    rows = graded(tmp_path / "in.zip", due=due_date("2026-11-20"))
    assert [row["submitted"] for row in rows.values()] == ["2026-11-20 12:00:00"] * 2


@pytest.mark.parametrize("seconds", [4e11, 1e300, float("nan"), -1e9, 0.0])
def test_a_file_of_a_year_without_a_calendar_has_no_date(seconds: float) -> None:
    assert archives.Entry(("ada.ipynb",), False, (seconds,)).came is None


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("2026-11-20", "2026-11-20 23:59:59"),
        (" 2026-11-20 18:00 ", "2026-11-20 18:00:59"),
        ("2026-11-20T18:00:30", "2026-11-20 18:00:30"),
        ("2026-11-20T18:00:00Z", None),
        ("tomorrow", ""),
        ("20.11.2026", ""),
        ("0001-01-01T00:00+14:00", ""),
    ],
)
def test_a_due_date_is_read_or_refused_in_one_sentence(text: str, due: str | None) -> None:
    if due == "":
        with pytest.raises(UserError, match="is not a date; write it like 2026-11-20"):
            due_date(text)
    else:
        utc = datetime.fromisoformat("2026-11-20T18:00:59+00:00").astimezone().replace(tzinfo=None)
        assert str(due_date(text)) == (due or str(utc))


# ---- which of several ---------------------------------------------------------------------------------------------------

OLDER, NEWER, NEWEST = (2026, 11, 1, 0, 0, 0), (2026, 11, 2, 0, 0, 0), (2026, 11, 3, 0, 0, 0)
SEVERAL = {
    f"ada/{NAME}.ipynb": File(HALF, OLDER),
    "ada/mine.ipynb": File(SOLVED, NEWER),
    "ada/last.ipynb": File(WRONG, NEWEST),
    "ada/fresh.ipynb": File(HANDED_OUT, (2026, 11, 4, 0, 0, 0)),
    "ada/cut.ipynb": File(SOLVED[:99], (2026, 11, 5, 0, 0, 0)),
    f"bob/{NAME}.ipynb": File(HALF),
}


@pytest.mark.parametrize(
    ("keep", "points", "said"),
    [
        (Keep.NAMED, "1", f"ada/mine.ipynb not used, ada/{NAME}.ipynb counts"),
        (Keep.NEWEST, "0", f"ada/{NAME}.ipynb not used, ada/last.ipynb counts"),
        (Keep.BEST, "6", "ada/mine.ipynb is the best of 3"),
    ],
)
@pytest.mark.parametrize("pack", [written, zipped])
def test_one_of_several_counts_as_asked_and_is_named(
    tmp_path: Path, pack: Callable[..., Path], keep: Keep, points: str, said: str
) -> None:
    rows = graded(pack(tmp_path / ("in" + ".zip" * (pack is zipped)), SEVERAL), keep=keep, due=due_date("2026-11-02"))
    assert (rows["ada"]["total"], said in rows["ada"]["detail"]) == (points, True)
    assert rows["bob"]["total"] == "1"
    came = {Keep.NAMED: OLDER, Keep.NEWEST: NEWEST, Keep.BEST: NEWER}[keep]
    assert rows["ada"]["submitted"] == str(datetime(*came))
    assert rows["ada"]["late"] == ("yes" if keep is Keep.NEWEST else "no")


def test_the_best_stays_the_best_when_the_gradebook_knows_it(tmp_path: Path) -> None:
    target = zipped(tmp_path / "in.zip", SEVERAL)
    once, again, newest = (graded(target, keep=keep) for keep in (Keep.BEST, Keep.BEST, Keep.NEWEST))
    assert once == again
    assert (once["ada"]["total"], newest["ada"]["total"]) == ("6", "0")


def test_a_broken_notebook_stays_one_beside_another_of_which_the_best_counts(tmp_path: Path) -> None:
    files = {"ada/a.ipynb": File(HALF), "ada/b.ipynb": File(), "ada/10_other.ipynb": File(SOLVED[:99])}
    assignments = [assignment(), assignment("10_other")]

    def grade(submission: intake.Submission, asked: list[Assignment]) -> Result:
        answers = [(q, submission.answer(each, q)) for each in asked for q in each.questions]
        return Result("ada", tuple(Mark(q.id, answer.status or Status.PASS, 1) for q, answer in answers))

    (submission,) = take_in(zipped(tmp_path / "in.zip", files), assignments, keep=Keep.BEST)
    best = selection.best_of(submission, assignments, grade, None)
    assert [mark.status for mark in best.marks[3:]] == [Status.INVALID_NOTEBOOK] * 3
    known = selection.settled(submission, best.marks).answers["10_other"].values()
    assert [answer.status for answer in known] == [Status.INVALID_NOTEBOOK] * 3


COPIES = [
    (f"{NAME} (1)", NEWER, True),
    (f"{NAME}(12)", NEWER, True),
    (f"{NAME}-1", NEWER, True),
    (f"{NAME}-Copy1", NEWER, True),
    (f"{NAME} - Copy", NEWER, True),
    (f"{NAME} copy 2", NEWER, True),
    (f"{NAME} (1)", NOON, False),  # of one date: the plain name
    (f"{NAME}_2", NOON, False),
    (f"{NAME} (1)", OLDER, False),
    ("final", NEWER, False),
    (f"{NAME}b", NEWER, False),
    (f"my {NAME} (1)", NEWER, False),
]


@pytest.mark.parametrize(("name", "date", "counts"), COPIES)
@pytest.mark.parametrize("pack", [written, zipped])
def test_a_newer_copy_with_the_number_of_a_download_counts_before_the_plain_name(
    tmp_path: Path, pack: Callable[..., Path], name: str, date: tuple[int, int, int, int, int, int], counts: bool
) -> None:
    plain = OLDER if date == NEWER else NOON
    files = {f"ada/{NAME}.ipynb": File(HALF, plain), f"ada/{name}.ipynb": File(SOLVED, date), "bob/x.ipynb": File()}
    row = graded(pack(tmp_path / ("in" + ".zip" * (pack is zipped)), files))["ada"]
    winner, loser = (name, NAME) if counts else (NAME, name)
    assert (row["total"], f"ada/{loser}.ipynb not used, ada/{winner}.ipynb counts" in row["detail"]) == ("6" if counts else "1", True)  # fmt: skip


def test_a_platform_s_copy_with_a_number_is_one_too(tmp_path: Path) -> None:
    files = {f"Ada_11{MOODLE}/{NAME} (1).ipynb": File(SOLVED, NEWER), f"Ada_11{MOODLE}/{NAME}.ipynb": File(HALF, OLDER)}
    assert graded(zipped(tmp_path / "in.zip", files))["Ada"]["total"] == "6"


def counting(ran: list[str]) -> Callable[..., NotebookRun]:
    """The runner `by_source`, which notes whose notebook it runs; the reference's it does not."""

    plain = by_source

    def run(notebook: dict[str, object], *rest: object) -> NotebookRun:
        if "END SOLUTION" not in str(notebook):
            ran.append(str(notebook))
        return plain(notebook, *rest)  # type: ignore[arg-type]

    return run


def test_the_best_is_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(f"{__name__}.by_source", counting(ran))
    due = due_date("2026-11-02")
    files = dict(SEVERAL)
    rounds = {
        "the first time": ({}, 4),
        "again": ({}, 0),
        "another one that is worse": ({"ada/worse.ipynb": File(WRONG.replace("= 3", "= 30"), NEWER)}, 4),
        "again with that": ({}, 0),
        "a better one": ({"bob/b.ipynb": File(SOLVED, NEWER)}, 2),
        "again with both": ({}, 0),
    }
    rows: dict[str, dict[str, str]] = {}
    for what, (more, runs) in rounds.items():
        ran.clear()
        files |= more
        before, rows = rows, graded(zipped(tmp_path / "in.zip", files), keep=Keep.BEST, due=due)
        assert (what, len(ran)) == (what, runs)
        if not runs:
            assert rows == before, what
    assert [row["total"] for row in rows.values()] == ["6", "6"]
    ran.clear()
    graded(
        tmp_path / "in.zip", keep=Keep.BEST, due=due_date("2026-10-01")
    )  # now none is in time: that may be another best
    assert len(ran) == 6


def test_the_date_of_the_best_is_in_the_regraded_sheet_too(tmp_path: Path) -> None:
    files = {"ada/a.ipynb": File(SOLVED, OLDER), "ada/b.ipynb": File(HALF, NEWEST), "bob/a.ipynb": File()}
    row = graded(zipped(tmp_path / "in.zip", files), keep=Keep.BEST, due=due_date("2026-11-02"))["ada"]
    regrade_class([assignment()], output=tmp_path / "out", timeout=None, jobs=1, progress=None, runner=by_source)
    with (tmp_path / "out" / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        again = next(csv.DictReader(file))
    assert row["submitted"] == again["submitted"] == str(datetime(*OLDER))
    assert row["late"] == again["late"] == "no"


def test_a_better_one_that_comes_later_is_tried_beside_the_one_that_stands(tmp_path: Path) -> None:
    files = {"ada/new.ipynb": File(HALF, NEWER), "bob/a.ipynb": File()}
    before = graded(written(tmp_path / "in", files), keep=Keep.BEST)
    after = graded(zipped(tmp_path / "in.zip", {**files, "ada/old.ipynb": File(SOLVED, OLDER)}), keep=Keep.BEST)
    assert (before["ada"]["total"], after["ada"]["total"]) == ("1", "6")


def test_of_equally_good_ones_the_one_in_time_counts(tmp_path: Path) -> None:
    twin = json.dumps(exercise_notebook({**SOLUTIONS, "double": SOLUTIONS["double"] + "  # again"}))
    files = {"ada/a.ipynb": File(SOLVED, OLDER), "ada/b.ipynb": File(twin, NEWEST), "bob/a.ipynb": File()}
    row = graded(zipped(tmp_path / "in.zip", files), keep=Keep.BEST, due=due_date("2026-11-02"))["ada"]
    assert (row["total"], row["late"]) == ("6", "no")
    assert "ada/a.ipynb is the best of 2" in row["detail"]


def test_canvas_s_newer_hand_in_is_the_one_with_the_higher_number(tmp_path: Path) -> None:
    files = {"ada_1_900_x.ipynb": File(SOLVED), "ada_1_1000_x-1.ipynb": File(HALF), "bob_2_901_x.ipynb": File()}
    assert graded(zipped(tmp_path / "in.zip", files), keep=Keep.NEWEST)["ada"]["total"] == "1"


def test_blackboard_s_newer_attempt_counts_by_its_own_clock(tmp_path: Path) -> None:
    files = {
        f"ps_ada_attempt_2026-11-01-00-00-00_{NAME}.ipynb": File(SOLVED, NEWEST),
        "ps_ada_attempt_2026-11-02-00-00-00_other.ipynb": File(HALF, OLDER),
    }
    assert graded(zipped(tmp_path / "in.zip", files))["ada"]["total"] == "1"


def test_a_grader_error_in_one_of_several_hides_no_better_one_and_no_unknown_one(tmp_path: Path) -> None:
    (submission, _) = take_in(zipped(tmp_path / "in.zip", SEVERAL), [assignment()], keep=Keep.BEST)

    def grade(broken: str, points: float) -> Result:
        def one(submission: intake.Submission, assignments: object) -> Result:
            double = submission.answers[NAME]["double"].source or ""
            status = Status.GRADER_ERROR if broken in double else Status.PASS
            best = Status.PASS if points == 6 and double == SOLUTIONS["double"] else Status.FAIL
            return Result("ada", (Mark("double", status, 1), Mark("square", best, 5)))

        return selection.best_of(submission, [assignment()], one, None)

    assert grade("double = 3", 6).status is Status.PASS
    assert [mark.status for mark in grade("double = 3", 1).marks] == [Status.GRADER_ERROR, Status.FAIL]


def test_what_counted_is_what_a_gradebook_keeps(tmp_path: Path) -> None:
    (submission, _) = take_in(zipped(tmp_path / "in.zip", SEVERAL), [assignment()], keep=Keep.BEST)
    best = next(version for version in submission.versions[NAME] if version.path == "ada/mine.ipynb")
    source = best.answers["square"].hash
    result = Result("ada", (Mark("square", Status.PASS, 1, source=source or ""),))
    assert selection.settled(submission, result.marks).answers[NAME] == best.answers


# ---- the roster ---------------------------------------------------------------------------------------------------------

CLASS = {
    f"Ada Lovelace_11{MOODLE}/x.ipynb": File(),
    f"Zoë Ångström_12{MOODLE}/x.ipynb": File(HALF),
    f"Eve_19{MOODLE}/x.ipynb": File(),
}
CANVAS = {"lovelaceada_11_1_x.ipynb": File(), "angstromzoe_12_2_x.ipynb": File(HALF), "eve_19_3_x.ipynb": File()}
LOGINS = {"ada/x.ipynb": File(), "zoe.ipynb": File(HALF), "eve.ipynb": File()}
ROSTERS: dict[str, tuple[dict[str, File], str, dict[str, str]]] = {
    "Moodle's worksheet": (
        CLASS,
        "Identifier,Full name,Email address,Status\n"
        + "Participant 12,Zoë Ångström,z@x.org,\nParticipant 11,Ada Lovelace,a@x.org,\nParticipant 13,Bob,b@x.org,\n",
        {"Zoë Ångström": "1", "Ada Lovelace": "6", "Bob": "0", "Eve": "6"},
    ),
    "Canvas's gradebook": (
        CANVAS,
        "Student,ID,SIS Login ID,Section\n    Points Possible,,,\n"
        + '"Lovelace, Ada",11,al,A\n"Angstrom, Zoe",12,za,A\n"Bob",13,b,A\n"Student, Test",99,t,A\n',
        {"Lovelace, Ada": "6", "Angstrom, Zoe": "1", "Bob": "0", "eve": "6"},
    ),
    "Moodle's worksheet in German": (
        CLASS,
        "\ufeffID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung\n"
        + "Teilnehmer/in12,Zoë Ångström,z@x,,\nTeilnehmer/in11,Gräfin Lovelace,a@x,,\nTeilnehmer/in13,Bob,b@x,,\n",
        {"Zoë Ångström": "1", "Gräfin Lovelace": "6", "Bob": "0", "Eve": "6"},
    ),
    "German columns": (
        LOGINS,
        "Vorname;Nachname;ID-Nummer;Anmeldename;E-Mail-Adresse\nAda;Lovelace;1;ada;a@x.org\nZoë;Ångström;zoe;;\n;Bob;;;b@x.org\n",
        {"Ada Lovelace": "6", "Zoë Ångström": "1", "Bob": "0", "eve": "6"},
    ),
    "GitHub Classroom's": (
        LOGINS,
        "identifier,github_username,github_id,name\nx1,ada,1,Ada Lovelace\nx2,zoe,2,\nx3,bob,3,Bob\n",
        {"Ada Lovelace": "6", "x2": "1", "Bob": "0", "eve": "6"},
    ),
    "two columns of names, semicolons, a mark at the start": (
        CLASS,
        "\ufeffLast name; First name\nLovelace; Ada\nAngstrom;Zoe\n;\nBob;\n",
        {"Ada Lovelace": "6", "Zoe Angstrom": "1", "Bob": "0", "Eve": "6"},
    ),
    "addresses alone, of students known by their logins": (
        LOGINS,
        "Email\nada@x.org\nzoe@x.org\nbob@x.org\n",
        {"ada@x.org": "6", "zoe@x.org": "1", "bob@x.org": "0", "eve": "6"},
    ),
    "ids that are not the platform's": (
        CLASS,
        "name\tid\nAda Lovelace\t20230011\nZoë Ångström\t20230012\nBob\t20230013\n",
        {"Ada Lovelace": "6", "Zoë Ångström": "1", "Bob": "0", "Eve": "6"},
    ),
    "another name than the platform's, the same number": (
        CLASS,
        "name,id\nCountess of Lovelace,11\nZoë Ångström,12\nBob,13\n",
        {"Countess of Lovelace": "6", "Zoë Ångström": "1", "Bob": "0", "Eve": "6"},
    ),
    "two of one name, told apart by the number": (
        {f"Ada_11{MOODLE}/x.ipynb": File(), f"Ada_12{MOODLE}/x.ipynb": File(HALF)},
        "name,id\nAda,12\nAda,11\n",
        {"Ada (12)": "1", "Ada (11)": "6"},
    ),
    "two of one name, told apart by nothing": (
        {"Ada.ipynb": File(), "Bob.ipynb": File(HALF)},
        "name,id\nAda,1001\nAda,1002\nBob,1003\n",
        {"Ada (1001)": "0", "Ada (1002)": "0", "Bob": "1", "Ada": "6"},
    ),
    "one student under two names": (
        {"ada.ipynb": File(HALF, OLDER), "Ada Lovelace.ipynb": File(SOLVED, NEWER), "bob.ipynb": File()},
        "name,login\nAda Lovelace,ada\nBob,bob\n",
        {"Ada Lovelace": "6", "Bob": "6"},
    ),
}


@pytest.mark.parametrize(("files", "text", "expected"), ROSTERS.values(), ids=ROSTERS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_roster_s_students_in_its_order_then_those_who_are_not_on_it(
    tmp_path: Path, files: dict[str, File], text: str, expected: dict[str, str], encoding: str
) -> None:
    (tmp_path / "roster.csv").write_text(text.removeprefix("\ufeff" * (encoding == "utf-16")), encoding=encoding)
    rows = graded(zipped(tmp_path / "in.zip", files), roster=tmp_path / "roster.csv")
    assert list({name: row["total"] for name, row in rows.items()}.items()) == list(expected.items())
    strangers = [name for name, row in rows.items() if "not on the roster" in row["detail"]]
    assert strangers == [name for name in rows if name.casefold() == "eve" or name == "Ada"]
    if "Bob" in expected and expected["Bob"] == "0":
        assert rows["Bob"]["status"] == "missing"


def test_the_roster_s_ids_are_in_the_grades_and_compute_nothing(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("name,email,id,total\nAda,=cmd|x,@1,7\n")
    row = graded(zipped(tmp_path / "in.zip", {"Ada.ipynb": File()}), roster=tmp_path / "r.csv")["Ada"]
    assert (row["email"], row["id"], row["total"]) == ("'=cmd|x", "'@1", "6")


def test_many_are_counted_and_some_named_under_pseudonyms_where_these_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("name\n" + "".join(f"Student {n:02}\n" for n in range(25)))
    target = zipped(tmp_path / "in.zip", CLASS)
    for key, first in ((None, "Student 00"), (tmp_path / "key.csv", "S-")):
        said: list[str] = []
        selection.gather(target, [assignment()], Wishes(roster=tmp_path / "r.csv", anonymous=key), said.append)
        assert said[0].startswith(f"25 of 25 students on the roster handed in nothing: {first}")
        assert said[0].endswith(" and 5 more")
        assert key is None or not re.search("Student|Eve|Ada", "".join(said))


def test_who_is_absent_and_who_is_a_stranger_is_said(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("name\nAda Lovelace\nBob\nCarol\n")
    said: list[str] = []
    selection.gather(zipped(tmp_path / "in.zip", CLASS), [assignment()], Wishes(roster=tmp_path / "r.csv"), said.append)
    assert said == [
        "2 of 3 students on the roster handed in nothing: Bob, Carol",
        "Not on the roster, but graded: Eve, Zoë Ångström",
    ]


WHO = {
    "nobody": (
        "name,id\nAdam,7\n",
        "Nobody in .* was recognised; students are found by columns such as name, first name",
    ),
    "ids of nobody": ("ID;Mail\n91;a@x\n92;b@x\n", "Nobody in .* was recognised"),
    "one of two": ("name\nAda Lovelace\nBob\n", ""),
    "everybody": ("name\nAda Lovelace\nEve\nZoe Angstrom\n", ""),
}


@pytest.mark.parametrize(("text", "pattern"), WHO.values(), ids=WHO)
def test_a_roster_of_which_nobody_is_recognised_is_said_to_be_one(tmp_path: Path, text: str, pattern: str) -> None:
    (tmp_path / "r.csv").write_text(text)
    said: list[str] = []
    selection.gather(zipped(tmp_path / "in.zip", CLASS), [assignment()], Wishes(roster=tmp_path / "r.csv"), said.append)
    of_nobody = [line for line in said if line.startswith("Nobody")]
    assert len(of_nobody) == bool(pattern)
    assert all(re.match(pattern, line) for line in of_nobody)
    assert said or text == WHO["everybody"][0]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty; a roster has"),
        (b"\n , \n", "is empty; a roster has"),
        (b"name\n\n", "does not name any students"),
        (b"mark,group\nA,1\n", "does not name a column that identifies students"),
        (b"name\nZo\xeb\n", "is not UTF-8 text"),
        (b"name,id\nAda,1\nAda,1\n", "names Ada .* twice"),
        (b"name\nAda\nAda\n", "names Ada twice; add an id or email column"),
        (b"name,github\nAda,ada\n?,x\n", "Line 3 of .* does not name a student"),
        (b'name\n"' + b"x" * 200_000 + b'"\n', "is not a CSV file"),
        (b"name\n" + b" " * roster._LARGEST, "is larger than 10 MB"),
        (None, "cannot be read"),
    ],
)
def test_a_roster_that_is_none_gets_one_sentence(tmp_path: Path, data: bytes | None, said: str) -> None:
    if data is not None:
        (tmp_path / "r.csv").write_bytes(data)
    with pytest.raises(UserError, match=said):
        roster.read(tmp_path / "r.csv")


# ---- which notebooks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("only", "is_said"), [((), False), ((NAME,), False), ((NAME, "10_other"), True)])
def test_a_notebook_that_nobody_handed_in_is_said_to_be_one(
    tmp_path: Path, only: tuple[str, ...], is_said: bool
) -> None:
    said: list[str] = []
    target = zipped(tmp_path / "in.zip", {"ada.ipynb": File()})
    gather(target, [assignment(), assignment("10_other")], Wishes(only=only), said.append)
    assert said == ["Nobody handed in 10_other, which --only names."] * is_said


def test_only_the_notebooks_asked_for_are_graded_handed_in_or_not(tmp_path: Path) -> None:
    target = zipped(tmp_path / "in.zip", {"ada.ipynb": File(), "bob/essay.pdf": File("")})
    tiny = assignment("10_other")
    other = replace(
        tiny,
        questions=tuple(replace(question, id=f"{question.id}_too") for question in tiny.questions),
        references={f"{id}_too": source for id, source in tiny.references.items()},
    )
    for only, marks in (((), 3), ((NAME,), 3), ((NAME, "10_other"), 6)):
        results = grade_class(
            target,
            [assignment(), other],
            output=tmp_path,
            limits=Limits(),
            jobs=1,
            progress=None,
            runner=by_source,
            wishes=Wishes(only),
        )
        assert [len(one.marks) for one in results] == [marks, marks]
    with pytest.raises(UserError, match="There is no exercise notebook 11_x; there are 09_tiny, 10_other."):
        selection.asked_for([assignment(), other], Wishes(("11_x",)))


def test_a_notebook_that_was_not_asked_for_is_said_to_be_one(tmp_path: Path) -> None:
    files = {
        "ada/mine.ipynb": File(),
        f"bob/{NAME}.ipynb": File("{"),
        "eve/10_other.ipynb": File("{"),
        f"fay_{NAME}.ipynb": File(),
        "gus/x.ipynb": File("[]"),
    }
    both = [assignment(), assignment("10_other")]
    found = selection.gather(zipped(tmp_path / "in.zip", files), both, Wishes(("10_other",)), print)
    assert {one.student: one.notes for one in found} == {
        "ada": [f"ada/mine.ipynb not used: it is {NAME}, which was not asked for"],
        "bob": [f"bob/{NAME}.ipynb not used: it is not valid JSON"],
        "eve": [],
        "fay": [f"fay_{NAME}.ipynb not used: it is {NAME}, which was not asked for"],
        "gus": [],
    }
    assert [(one.student, *one.answers) for one in found if one.answers] == [("eve", "10_other")]
    assert [one.student for one in found if one.fault] == ["gus"]


STRAYS = [(1, 9, True), (3, 27, True), (1, 8, False), (2, 10, False), (4, 96, False), (0, 20, False), (20, 0, False)]


@pytest.mark.parametrize(("strays", "others", "is_said"), STRAYS)
def test_a_notebook_of_a_few_is_said_before_everybody_lacks_it(
    tmp_path: Path, strays: int, others: int, is_said: bool
) -> None:
    files = {f"a{n}/10_other.ipynb": File("{") for n in range(strays)} | {
        f"b{n}/x.ipynb": File() for n in range(others)
    }
    target = zipped(tmp_path / "in.zip", files)
    both = [assignment(), assignment("10_other")]
    said: list[str] = []
    selection.gather(target, both, Wishes(), said.append)
    sentence = f"10_other was handed in by {strays} of {strays + others} students; --only {NAME} leaves it out."
    assert said == [sentence] * is_said
    for only in ((NAME,), (NAME, "10_other")):
        selection.gather(target, both, Wishes(only), said.append)
    assert sum("leaves it out" in each for each in said) == is_said, "who says which is not told which"


# ---- points and names ---------------------------------------------------------------------------------------------------


def test_points_add_up_to_the_total_asked_for(tmp_path: Path) -> None:
    files = {"ada.ipynb": File(), "bob.ipynb": File(HALF), "eve.ipynb": File("{")}
    rows = graded(zipped(tmp_path / "in.zip", files), points=100.0)
    assert [(row["total"], row["max"]) for row in rows.values()] == [("100", "100"), ("16.6667", "100"), ("0", "100")]
    assert [rows["ada"][name] for name in SOLUTIONS] == ["16.6667", "33.3333", "50"]


NAMES = ("Ada", "Lovelace", "Grace", "Hopper", "Eve", "Mallory", "Trudy", "@x.org")


def test_no_name_is_in_anonymous_grades_and_the_key_has_them_all(tmp_path: Path) -> None:
    files = {
        f"Ada Lovelace_11{MOODLE}/Lovelace.ipynb": File(),
        f"Ada Lovelace_11{MOODLE}/Ada again.ipynb": File(HALF),
        f"Grace Hopper_12{MOODLE}/Hopper.ipynb": File("{"),
        f"Eve_13{MOODLE}/Eve's essay.pdf": File(""),
        f"Mallory_14{MOODLE}/by Mallory.ipynb": File(json.dumps(exercise_notebook({})).replace("-answer", "-gone")),
        f"Trudy_15{MOODLE}/{NAME} Trudy.ipynb": File("[]"),
    }
    (tmp_path / "r.csv").write_text(
        "name,email\nAda Lovelace,ada@x.org\nGrace Hopper,g@x.org\nEve One,Eve\nEve Two,Eve\n"
    )
    submissions = zipped(tmp_path / "in.zip", files)
    key = tmp_path / "keys" / "key.csv"
    for keep in Keep:
        rows = graded(submissions, roster=tmp_path / "r.csv", anonymous=key, keep=keep, due=due_date("2026-11-20"))
        text = json.dumps(rows)
        assert [name for name in NAMES if name in text] == []
        assert list(rows) == sorted(rows)
    whose = {row["student"]: row["pseudonym"] for row in csv.DictReader(key.open(encoding="utf-8-sig"))}
    assert set(whose) == {"Ada Lovelace", "Grace Hopper", "Eve", "Eve One", "Eve Two", "Mallory", "Trudy"}
    assert rows[whose["Ada Lovelace"]]["total"] == "6"
    assert "file 1: it is not valid JSON" in rows[whose["Grace Hopper"]]["detail"]
    assert key.stat().st_mode & 0o077 == 0


def test_a_pseudonym_stays_and_a_new_student_gets_a_new_one(tmp_path: Path) -> None:
    first = dict(pseudonyms.of(["Ada", 'a "quoted", name\nof two lines'], tmp_path / "k.csv"))
    second = pseudonyms.of(["Eve", "Ada"], tmp_path / "k.csv")
    assert {name: second[name] for name in first} == first
    assert len(set(second.values())) == 3
    assert dict(second) == pseudonyms.of([], tmp_path / "k.csv")


@pytest.mark.parametrize(("first", "then"), [("k.csv", None), (None, "k.csv")])
def test_a_gradebook_has_names_or_pseudonyms_and_not_the_same_class_twice(
    tmp_path: Path, first: str | None, then: str | None
) -> None:
    target = zipped(tmp_path / "in.zip", {"ada.ipynb": File(), "bob.ipynb": File(HALF)})
    keys = [tmp_path / key if key else None for key in (first, then)]
    before = graded(target, anonymous=keys[0])
    with pytest.raises(UserError, match="grades under .*: grade with.* --anonymous, or give another --output"):
        graded(target, anonymous=keys[1])
    assert graded(target, anonymous=keys[0]) == before
    regrade_class([assignment()], output=tmp_path / "out", timeout=None, jobs=1, progress=None, runner=by_source)


@pytest.mark.parametrize(
    "text", ["", "name\nAda\n", "pseudonym,student\nS-1,Ada\nS-1,Eve\n", "pseudonym,student\nEve,Ada\n"]
)
def test_a_file_that_is_no_key_is_never_written_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "k.csv").write_text(text)
    with pytest.raises(UserError, match="is not a file of pseudonyms that this command wrote"):
        pseudonyms.of(["Ada"], tmp_path / "k.csv")
    assert (tmp_path / "k.csv").read_text() == text


# ---- the dry run ----------------------------------------------------------------------------------------------------------


def test_a_dry_run_shows_what_every_file_was_taken_for(tmp_path: Path) -> None:
    files = {
        **CLASS,
        f"Eve_19{MOODLE}/x.ipynb": File(
            json.dumps(exercise_notebook(SOLUTIONS, said=True)).replace("square: 3 of", "square: 2 of")
        ),
        f"Bob_14{MOODLE}/essay.pdf": File(""),
        f"Carol_15{MOODLE}/x.ipynb": File("{"),
        f"Dora_16{MOODLE}/{NAME}.ipynb": File(
            json.dumps(exercise_notebook({})).replace("square-answer", "gone").replace("def square", "def cube")
        ),
        f"Fay_17{MOODLE}/{NAME}.ipynb": File(""),
    }
    class_ = take_in(zipped(tmp_path / "in.zip", files), [assignment()])
    assert preview(class_, [assignment()], Wishes(due=due_date("2026-11-19"))).splitlines() == [
        "student       assignment  written               solved  submitted            late  file",
        f"Ada Lovelace  09_tiny     3 of 3                0 of 3  2026-11-20 12:00:00  yes   Ada Lovelace_11{MOODLE}/x.ipynb",
        "Bob                       no notebook",
        "Carol                     unreadable",
        f"Dora          09_tiny     0 of 3, 1 missing     0 of 3  2026-11-20 12:00:00  yes   Dora_16{MOODLE}/{NAME}.ipynb",
        f"Eve           09_tiny     3 of 3                2 of 3  2026-11-20 12:00:00  yes   Eve_19{MOODLE}/x.ipynb",
        f"Fay           09_tiny     0 of 3, 3 unreadable  0 of 3  2026-11-20 12:00:00  yes   Fay_17{MOODLE}/{NAME}.ipynb",
        f"Zoë Ångström  09_tiny     1 of 3                0 of 3  2026-11-20 12:00:00  yes   Zoë Ångström_12{MOODLE}/x.ipynb",
        "",
        "  Bob: the folder holds no notebook, but essay.pdf",
        f"  Carol: Carol_15{MOODLE}/x.ipynb: it is not valid JSON",
        f"  Fay: Fay_17{MOODLE}/{NAME}.ipynb: it is empty",
        "",
        "7 students, 5 with a notebook that was recognised. Nothing was run or written.",
    ]


def test_a_dry_run_of_one_student_counts_one_student(tmp_path: Path) -> None:
    class_ = take_in(zipped(tmp_path / "in.zip", {"ada.ipynb": File()}), [assignment()])
    assert preview(class_, [assignment()], Wishes()).splitlines()[-1].startswith("1 student, 1 with a notebook")


@pytest.mark.parametrize(("marked", "late"), [("", ""), ("LATE_", "no")])
def test_a_dry_run_calls_nobody_punctual_where_nothing_is_due(tmp_path: Path, marked: str, late: str) -> None:
    files = {f"ada_{marked}1_1_x.ipynb": File(), "bob_2_2_x.ipynb": File()}
    class_ = take_in(zipped(tmp_path / "in.zip", files), [assignment()])
    of_bob = next(line for line in preview(class_, [assignment()], Wishes()).splitlines() if line.startswith("bob"))
    assert of_bob.partition("12:00:00")[2].split() == [*filter(None, [late]), "bob_2_2_x.ipynb"]


def test_a_zip_too_deep_to_be_opened_is_said_to_be_one(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "mine.zip", {f"{NAME}.ipynb": File()}).read_bytes()
    for number in range(archives.DEEPEST_ZIP):
        inner = zipped(tmp_path / f"{number}.zip", {f"Gus_17{MOODLE}/mine.zip": File(inner)}).read_bytes()
    (gus,) = take_in(tmp_path / f"{archives.DEEPEST_ZIP - 1}.zip", [assignment()])
    assert (gus.student, gus.notes, len(gus.answers)) == ("Gus", [], 1)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ps9.zip").write_bytes(inner)
    (gus,) = take_in(tmp_path / "in", [assignment()])
    assert "mine.zip: it is a zip too deep in other zips to be opened" in gus.fault


NO_SANDBOX = (
    "Nothing would be graded: there is no sandbox for students' code here (none, here). `autograd-teach doctor` says"
)


@pytest.mark.parametrize(
    ("best", "options", "said"),
    [
        ("namespaces", [], "Isolation: namespaces"),
        ("process", [], NO_SANDBOX),
        ("process", ["--isolation", "process"], "Isolation: process (students' code runs as you"),
        (
            "user",
            ["--isolation", "bubblewrap"],
            "Nothing would be graded: the isolation bubblewrap does not work here (broken).",
        ),
        (
            "process",
            ["--isolation", "process", "--require-sandbox"],
            "Nothing would be graded: --require-sandbox was given",
        ),
    ],
)
def test_the_command_s_dry_run_runs_nothing_writes_nothing_and_names_the_isolation(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    best: str,
    options: list[str],
    said: str,
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setattr("subprocess.Popen", None)
    monkeypatch.setattr(sandbox, "available", lambda: sandbox.Isolation(best))
    monkeypatch.setattr(sandbox, "why", lambda: "none, here")
    monkeypatch.setattr(sandbox, "problem_with", lambda kind: "" if kind == best else "broken")
    target = zipped(tmp_path / "in.zip", CLASS)
    assert cli.main(["grade", str(target), "--dry-run", "--anonymous", "key.csv", "--output", "out", *options]) == 0
    shown = capsys.readouterr().out
    assert "Ada Lovelace" in shown
    assert shown.splitlines()[-1].startswith(said)
    assert list(work.iterdir()) == []


BAD = {
    "no such folder": ["nowhere"],
    "no date": ["in.zip", "--due", "soon"],
    "an empty date": ["in.zip", "--due", ""],
    "an empty rule": ["in.zip", "--due", "2026-11-20", "--late", ""],
    "an empty grace": ["in.zip", "--due", "2026-11-20", "--late", "1/day", "--grace", ""],
    "a grace without a rule": ["in.zip", "--due", "2026-11-20", "--grace", ""],
    "no such notebook": ["in.zip", "--only", "99_no_such"],
    "no number of points": ["in.zip", "--points", "-3"],
    "points without end": ["in.zip", "--points", "inf"],
    "no roster": ["in.zip", "--roster", "nowhere.csv"],
    "a folder as roster": ["in.zip", "--roster", "."],
    "a roster that is a zip": ["in.zip", "--roster", "in.zip"],
    "a key that is none": ["in.zip", "--anonymous", "in.zip"],
    "a folder as key": ["in.zip", "--anonymous", "."],
    "a file as folder for the key": ["in.zip", "--anonymous", "in.zip/key.csv"],
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD)
def test_what_is_wrong_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batch, "load_assignments", load_once)
    if arguments != BAD["no such folder"]:  # to see it once with the judge's processes is enough
        monkeypatch.setattr(judge, "called", lambda *_, **__: nullcontext(None))
    before = zipped(tmp_path / "in.zip", CLASS).read_bytes()
    assert cli.main(["grade", *arguments]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 or lines[:-1] == [line for line in lines[:-1] if not line.startswith("autograd-teach:")]
    assert lines[-1].startswith("autograd-teach: ") and lines[-1].endswith(".")
    assert (tmp_path / "in.zip").read_bytes() == before
