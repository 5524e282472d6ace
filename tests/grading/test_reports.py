"""The CSV file, the table and the bar."""

import codecs
import csv
import errno
import io
import os
from pathlib import Path

import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.grading.reports import Progress, prepare, table, write_csv
from autograd_teach.grading.results import Mark, Result, Status


def result(student: str = "ada", detail: str = "", *statuses: Status) -> Result:
    marks = [
        Mark(name, status, points, detail, "nbval", "process")
        for name, points, status in zip(("a", "b"), (1, 2.5), statuses or (Status.PASS, Status.FAIL), strict=True)
    ]
    return Result(student, tuple(marks))


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.reader(file))


def test_a_row_says_everything(tmp_path: Path) -> None:
    head, row = rows(write_csv([result("Zoë", 'said "no", twice')], tmp_path))
    assert head == ["student", "status", "a", "b", "total", "max", "judge", "isolation", "detail"]
    assert row == [
        "Zoë",
        "partial",
        "1",
        "0",
        "1",
        "3.5",
        "nbval",
        "process",
        'b: fail (said "no", twice)',
    ]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1"])
def test_a_name_that_is_a_formula_is_only_text(tmp_path: Path, name: str) -> None:
    assert rows(write_csv([result(name)], tmp_path))[1][0] == f"'{name}"


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


def test_a_file_system_without_hard_links_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    assert [write_csv([result()], tmp_path).name for _ in range(2)] == [
        "grades.csv",
        "grades-2.csv",
    ]


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
