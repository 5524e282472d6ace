"""What is taken from which files. Nothing runs here."""

import io
import json
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.course.read_json import DEEPEST
from autograd_teach.grading.rebuild import rebuild
from autograd_teach.grading.results import Status
from autograd_teach.grading.submissions import answers, archives, intake
from autograd_teach.grading.submissions.intake import take_in
from tests.grading.classroom import (
    NAME,
    QUESTIONS,
    SOLUTIONS,
    STUB,
    assignment,
    code,
    exercise_notebook,
    hand_in,
    notebook,
)

SOLVED = json.dumps(exercise_notebook(SOLUTIONS))
HANDED_OUT = json.dumps(exercise_notebook({}))


def students(submissions: Path) -> list[str]:
    return [submission.student for submission in take_in(submissions, [assignment()])]


def zipped(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def written(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


LAYOUTS: dict[str, tuple[list[str], list[str]]] = {
    "a file a student": (["alice.ipynb", "bob.ipynb"], ["alice", "bob"]),
    "the assignment's name in the file's": (
        [f"alice_{NAME}.ipynb", f"{NAME}-bob.ipynb", f"{NAME}.ipynb"],
        [NAME, "alice", "bob"],
    ),
    "a folder a student": ([f"alice/{NAME}.ipynb", "bob/work/mine.ipynb"], ["alice", "bob"]),
    "a single student's folder": ([f"alice/{NAME}.ipynb", "alice/scratch.ipynb"], ["alice"]),
    "nbgrader's submitted": (
        [f"submitted/alice/ps1/{NAME}.ipynb", f"submitted/bob/ps1/{NAME}.ipynb"],
        ["alice", "bob"],
    ),
    "nbgrader's course folder": (
        [f"source/ps1/{NAME}.ipynb", f"submitted/alice/ps1/{NAME}.ipynb", "gradebook.db"],
        ["alice"],
    ),
    "nbgrader's submitted in a folder": (
        [f"course/submitted/alice/ps1/{NAME}.ipynb", f"course/release/ps1/{NAME}.ipynb", "course/gradebook.db"],
        ["alice"],
    ),
    "a file called submitted": (["alice.ipynb", "bob.ipynb", "submitted"], ["alice", "bob"]),
    "a student called submitted": (
        [f"alice/{NAME}.ipynb", f"submitted/{NAME}.ipynb", "bob.zip"],
        ["alice", "bob", "submitted"],
    ),
    "a student called submitted in a folder": (
        [f"ps9/alice/{NAME}.ipynb", f"ps9/submitted/{NAME}.ipynb"],
        ["alice", "submitted"],
    ),
    "a folder around files": (["class/alice.ipynb", "class/bob.ipynb"], ["alice", "bob"]),
    "the zip's own folder around folders": (
        [f"hand-ins/alice/{NAME}.ipynb", f"hand-ins/bob/{NAME}.ipynb"],
        ["alice", "bob"],
    ),
    "a folder of another name around folders": (
        [f"ps9/alice/{NAME}.ipynb", f"ps9/bob/{NAME}.ipynb", "ps9/carol/essay.txt"],
        ["alice", "bob", "carol"],
    ),
    "a single student's whole course": (
        [f"alice/lessons/{NAME}.ipynb", f"alice/exercises/{NAME}.ipynb", "alice/exercises/mine.ipynb"],
        ["alice"],
    ),
    "downloads of one name": (
        [f"alice_{NAME}.ipynb", f"alice_{NAME} (1).ipynb", f"bob_{NAME}_final.ipynb", f"{NAME} (1).ipynb"],
        ["(1)", "alice", "alice (1)", "bob final"],
    ),
    "a student who handed in something else": (
        ["alice.ipynb", "carol/essay.txt"],
        ["alice", "carol"],
    ),
    "a mess": (
        [
            "alice.ipynb",
            ".DS_Store",
            "._alice.ipynb",
            "__MACOSX/._alice.ipynb",
            ".ipynb_checkpoints/alice-checkpoint.ipynb",
            "bob/.ipynb_checkpoints/x-checkpoint.ipynb",
            "bob/x.ipynb",
            "readme.txt",
        ],
        ["alice", "bob"],
    ),
    "letters of the world": (
        ["Zoë Ångström.ipynb", "=1+1.ipynb", "李雷.ipynb"],
        ["=1+1", "Zoë Ångström", "李雷"],
    ),
}


@pytest.mark.parametrize(("files", "expected"), LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("pack", [written, zipped])
def test_students_are_recognised_in_every_layout(
    tmp_path: Path, pack: Callable[..., Path], files: list[str], expected: list[str]
) -> None:
    target = tmp_path / ("hand-ins.zip" if pack is zipped else "hand-ins")
    assert students(pack(target, dict.fromkeys(files, SOLVED))) == expected


MOODLE = "_assignsubmission_file_/x.ipynb"
CALLED_ALIKE: dict[str, tuple[list[str], list[str], list[str]]] = {
    "a number of ours is a third's name": (
        [f"Ada_1{MOODLE}", f"Ada_2{MOODLE}", f"Ada (1)_3{MOODLE}"],
        ["Ada (1)", "Ada (1) (2)", "Ada (2)"],
        ["Ada (1) (2)"],
    ),
    "two forms of accents": (["Zo\u00eb/x.ipynb", "Zoe\u0308/x.ipynb"], ["Zo\u00eb", "Zo\u00eb (2)"], ["Zo\u00eb (2)"]),
    "a name that is one's own stays": (
        ["Zo\u00eb/x.ipynb", "Zoe\u0308/x.ipynb", "Zo\u00eb (2)/x.ipynb"],
        ["Zo\u00eb", "Zo\u00eb (2)", "Zo\u00eb (3)"],
        ["Zo\u00eb (3)"],
    ),
    "two forms of accents, one number": (
        [f"Zo\u00eb_1{MOODLE}", "Zoe\u0308_1_assignsubmission_onlinetext_/onlinetext.html"],
        ["Zo\u00eb"],
        [],
    ),
    "a sign that is not shown": (["Bob\x07/x.ipynb", "Bob?/x.ipynb"], ["Bob?", "Bob? (2)"], ["Bob? (2)"]),
    "too long to be told apart": (
        [f"{'n' * 300}{end}/x.ipynb" for end in "ab"],
        [f"{'n' * 199}…", f"{'n' * 199}… (2)"],
        [f"{'n' * 199}… (2)"],
    ),
    "a number and none": ([f"Ada_1{MOODLE}", f"Bob_2{MOODLE}", "Ada/x.ipynb"], ["Ada", "Ada (1)", "Bob"], []),
    "one student by a file and a folder": ([f"alice_{NAME}.ipynb", "alice/x.ipynb"], ["alice"], []),
}


@pytest.mark.parametrize(("files", "expected", "renamed"), CALLED_ALIKE.values(), ids=CALLED_ALIKE)
def test_nobody_is_called_like_another_and_new_numbers_are_said(
    tmp_path: Path, files: list[str], expected: list[str], renamed: list[str]
) -> None:
    class_ = take_in(zipped(tmp_path / "in.zip", dict.fromkeys(files, HANDED_OUT)), [assignment()])
    assert [one.student for one in class_] == expected
    told = [one.student for one in class_ if any("a number tells them apart" in note for note in one.notes)]
    assert told == renamed


def test_a_student_called_submitted_is_said_to_be_taken_for_one(tmp_path: Path) -> None:
    said: list[str] = []
    names = ["alice.ipynb", "submitted/bob/x.ipynb"]
    take_in(written(tmp_path / "in", dict.fromkeys(names, SOLVED)), [assignment()], said.append)
    take_in(written(tmp_path / "file", {"alice.ipynb": SOLVED, "submitted": ""}), [assignment()], said.append)
    assert said == [
        "submitted is read as a student, because notebooks lie beside it; give it alone if it holds the class.",
        "Skipped, because no student's work can be read from it: submitted",
    ]


def cells_of(answers: dict[str, str]) -> list[dict[str, Any]]:
    return exercise_notebook(answers)["cells"]


def without_ids(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in cell.items() if key != "id"} for cell in cells]


ANSWER = SOLUTIONS["double"]
OTHER = "def double(x): return x + x"
COPY = code("a1b2", ANSWER, nbgrader={"grade_id": "double-answer"})
NOTEBOOKS: dict[str, tuple[list[dict[str, Any]], str | None, Status | None]] = {
    "solved": (cells_of(SOLUTIONS), ANSWER, None),
    "as handed out": (cells_of({}), STUB.format(id="double"), None),
    "cells without ids": (without_ids(cells_of(SOLUTIONS)), ANSWER, None),
    "source as lines": (
        [{**code("double-answer", ""), "source": ["def double(x):\n", "    return 2 * x"]}],
        ANSWER,
        None,
    ),
    "an extra cell": ([code("mine", "print(1)"), *cells_of(SOLUTIONS)], ANSWER, None),
    "moved cells": (cells_of(SOLUTIONS)[::-1], ANSWER, None),
    "an id twice, the same answer": (
        [*cells_of(SOLUTIONS), code("double-answer", ANSWER)],
        ANSWER,
        None,
    ),
    "an id twice, one untouched": ([*cells_of({}), code("double-answer", ANSWER)], ANSWER, None),
    "an id twice, two answers": (
        [*cells_of(SOLUTIONS), code("double-answer", OTHER)],
        None,
        Status.INVALID_NOTEBOOK,
    ),
    "the cell deleted": (
        [cell for cell in cells_of(SOLUTIONS) if cell["id"] != "double-answer"],
        None,
        Status.MISSING,
    ),
    "the cell copied, the first deleted": (
        [COPY, *[cell for cell in cells_of(SOLUTIONS) if cell["id"] != "double-answer"]],
        ANSWER,
        None,
    ),
    "half a surrogate pair": (
        [code("double-answer", "x = '\ud800'")],
        None,
        Status.INVALID_NOTEBOOK,
    ),
    "source that is no text": (
        [{**code("double-answer", ""), "source": {"a": 1}}],
        None,
        Status.INVALID_NOTEBOOK,
    ),
    "cells that are no cells": ([3, None, *cells_of(SOLUTIONS)], ANSWER, None),  # type: ignore[list-item]  # that is the point
    "the cell renamed": (
        [
            {**cell, "id": "mine", "metadata": {}} if cell["id"] == "double-answer" else cell
            for cell in cells_of(SOLUTIONS)
        ],
        ANSWER,
        None,
    ),
    "ids where Colab keeps them": (
        without_ids([{**cell, "metadata": {"id": cell["id"]}} for cell in cells_of(SOLUTIONS)]),
        ANSWER,
        None,
    ),
    "the answer as text": (
        [{**cell, "cell_type": "raw"} for cell in cells_of(SOLUTIONS)],
        ANSWER,
        None,
    ),
    "an id that is no text": ([{**code("x", OTHER), "id": ["double-answer"]}, *cells_of(SOLUTIONS)], ANSWER, None),
    "an answer of a megabyte": (
        [code("double-answer", "#" * 1_000_000)],
        None,
        Status.INVALID_NOTEBOOK,
    ),
}


@pytest.mark.parametrize(("cells", "source", "status"), NOTEBOOKS.values(), ids=NOTEBOOKS)
def test_the_answer_cell_is_found_or_its_absence_named(
    tmp_path: Path, cells: list[dict[str, Any]], source: str | None, status: Status | None
) -> None:
    (tmp_path / "alice.ipynb").write_text(json.dumps(notebook(cells)))
    (submission,) = take_in(tmp_path, [assignment()])
    answer = submission.answer(assignment(), QUESTIONS[0])
    assert (answer.source, answer.status) == (source, status)


def checks_changed(change: Callable[[dict[str, Any]], list[dict[str, Any]]]) -> dict[str, Any]:
    """The solved notebook, each check cell replaced by what `change` makes of it."""
    cells = cells_of(SOLUTIONS)
    return notebook([new for cell in cells for new in (change(cell) if cell["id"].endswith("-check") else [cell])])


NOTHING_TO_US: dict[str, dict[str, Any]] = {
    "no kernelspec": notebook(cells_of(SOLUTIONS)),
    "an unknown kernel": {
        **notebook(cells_of(SOLUTIONS)),
        "metadata": {"kernelspec": {"name": "evil", "argv": ["sh"]}},
    },
    "metadata that are none": {**notebook(cells_of(SOLUTIONS)), "metadata": 7},
    "no metadata": {"nbformat": 4, "cells": cells_of(SOLUTIONS)},
    "a minor format of the future": {**notebook(cells_of(SOLUTIONS)), "nbformat_minor": 999},
    "checks deleted": checks_changed(lambda cell: []),
    "checks doubled": checks_changed(lambda cell: [cell, cell]),
    "checks renamed": checks_changed(lambda cell: [{**cell, "id": "mine"}]),
    "checks rewritten": checks_changed(lambda cell: [{**cell, "source": "print('double: 3 of 3 checks pass')"}]),
    "checks as text": checks_changed(lambda cell: [{**cell, "cell_type": "markdown"}]),
    "checks moved": notebook(sorted(cells_of(SOLUTIONS), key=lambda cell: cell["id"].endswith("-answer"))),
    "all ids doubled": notebook(cells_of(SOLUTIONS) * 2),
    "every cell's id the same but for the answers'": notebook(
        [cell if cell["id"].endswith("-answer") else {**cell, "id": "a"} for cell in cells_of(SOLUTIONS)]
    ),
    **{
        f"the tag {tag} on every cell": notebook(
            [
                {**cell, "metadata": {**cell["metadata"], "tags": [tag]}, "source": cell["source"]}
                for cell in cells_of(SOLUTIONS)
            ]
        )
        for tag in ("skip-execution", "raises-exception", "nbval-skip", "nbval-raises-exception", "nbval-ignore-output")
    },
    "outputs and counts of another world": notebook(
        [{**cell, "outputs": {"text": "pass"}, "execution_count": "all"} for cell in cells_of(SOLUTIONS)]
    ),
    "attachments, widgets and a megabyte of output": {
        **notebook([{**cell, "attachments": 3, "outputs": ["x" * 1_000_000]} for cell in cells_of(SOLUTIONS)]),
        "metadata": {"widgets": {"application/vnd.jupyter.widget-state+json": {"state": {}}}},
    },
}


@pytest.mark.parametrize("submitted", NOTHING_TO_US.values(), ids=NOTHING_TO_US)
def test_whatever_is_done_to_the_rest_of_a_notebook_the_one_that_runs_is_ours(
    tmp_path: Path, submitted: dict[str, Any]
) -> None:
    (tmp_path / "eve.ipynb").write_text(json.dumps(submitted))
    (eve,) = take_in(tmp_path, [assignment()])
    answers = {q.id: eve.answer(assignment(), q).source for q in QUESTIONS}
    assert answers == SOLUTIONS
    assert eve.notes == []
    assert (
        rebuild(assignment(), SOLUTIONS)["cells"]
        == rebuild(assignment(), {k: v or "" for k, v in answers.items()})["cells"]
    )


def nested_notebook(levels: int) -> bytes:
    """A notebook with so many levels, itself the first."""
    inner = levels - 1
    return SOLVED.replace('"metadata": {}', f'"metadata": {"[" * inner}{"]" * inner}', 1).encode()


BROKEN: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "it is empty"),
    "cut off": (SOLVED.encode()[:500], "not valid JSON"),
    "binary": (bytes(range(256)), "not valid JSON"),
    "nested a million deep": (b"[" * 1_000_000, "not valid JSON"),
    "nested deep inside a notebook": (nested_notebook(100_000), "not valid JSON"),
    "nested one level too deep": (nested_notebook(DEEPEST + 1), "not valid JSON"),
    "a number of a million digits": (b'{"nbformat": ' + b"4" * 1_000_000 + b"}", "not valid JSON"),
    "a list": (b"[]", "not a notebook"),
    "a format that is no number": (b'{"nbformat": "4", "cells": []}', "not a notebook"),
    "a format yet to come": (b'{"nbformat": 5, "cells": []}', "format 4"),
    "format 3": (b'{"nbformat": 3, "worksheets": []}', "format 4"),
    "no cells": (b'{"nbformat": 4, "cells": {}}', "it does not have a list of cells"),
    "huge": (b'"' + b" " * answers.LARGEST_JSON + b'"', "larger than 20 MB"),
}


@pytest.mark.parametrize(("data", "why"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("pack", [written, zipped])
def test_a_broken_notebook_is_a_named_status(tmp_path: Path, pack: Callable[..., Path], data: bytes, why: str) -> None:
    target = tmp_path / ("hand-ins.zip" if pack is zipped else "hand-ins")
    bob, eve = take_in(pack(target, {"eve.ipynb": data, "bob.ipynb": SOLVED}), [assignment()])
    answer = eve.answer(assignment(), QUESTIONS[0])
    assert (answer.status, why in answer.detail) == (Status.INVALID_NOTEBOOK, True)
    assert bob.answer(assignment(), QUESTIONS[0]).source == ANSWER


def test_a_notebook_nested_as_deep_as_is_read_is_read(tmp_path: Path) -> None:
    (eve,) = take_in(written(tmp_path / "in", {"eve.ipynb": nested_notebook(DEEPEST)}), [assignment()])
    assert eve.answer(assignment(), QUESTIONS[0]).source == ANSWER


def a_zip(files: dict[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def nested(data: bytes, times: int) -> bytes:
    """`data`, a zip, in so many zips."""
    return nested(a_zip({"inner.zip": data}), times - 1) if times else data


WHOLE_ZIP = a_zip({f"work/{NAME}.ipynb": SOLVED, f"__MACOSX/work/._{NAME}.ipynb": b"\0\5"})
ZIPS: dict[str, tuple[str, bytes, str | None, str]] = {
    "the student's name": ("eve.zip", WHOLE_ZIP, ANSWER, ""),
    "the assignment's too": (f"eve_{NAME}.ZIP", WHOLE_ZIP, ANSWER, ""),
    "in the student's folder": ("eve/hand-in.zip", WHOLE_ZIP, ANSWER, ""),
    "beside an older hand-out": (
        "eve/exercises.zip",
        a_zip({f"{NAME}.ipynb": SOLVED, "copy.ipynb": HANDED_OUT}),
        ANSWER,
        "",
    ),
    "damaged": ("eve.zip", b"PK\3\4 and no more", None, "eve.zip: it is a damaged zip"),
    "empty": ("eve.zip", a_zip({}), None, "no notebook"),
    "a zip in it": ("eve.zip", a_zip({"deeper.zip": WHOLE_ZIP}), ANSWER, ""),
    "as many zips in each other as are opened": ("eve.zip", nested(WHOLE_ZIP, archives.DEEPEST_ZIP - 1), ANSWER, ""),
    "one too many": (
        "eve.zip",
        nested(WHOLE_ZIP, archives.DEEPEST_ZIP),
        None,
        "a zip too deep in other zips to be opened",
    ),
    "a zip in more zips than are opened": (
        "eve.zip",
        a_zip({f"{number:02}.zip": WHOLE_ZIP if number > archives.MOST_ZIPS else a_zip({}) for number in range(99)}),
        None,
        "one of more than 20: unpack the outer one",
    ),
    "too many files in the zips in it": (
        "eve.zip",
        a_zip({f"{number}.zip": a_zip(dict.fromkeys(map(str, range(1000)), "")) for number in range(6)}),
        None,
        "more than 5000 files",
    ),
    "climbing": ("eve.zip", a_zip({f"../bob/{NAME}.ipynb": SOLVED}), None, "no notebook"),
    "too many files": (
        "eve.zip",
        a_zip(dict.fromkeys(map(str, range(archives.MOST_FILES + 1)), "")),
        None,
        "more than",
    ),
    "a bomb": ("eve.zip", a_zip({f"{NAME}.ipynb": b" " * 100_000_000}), None, "larger than 20 MB"),
    "huge": ("eve.zip", bytes(archives.LARGEST_ZIP + 1), None, "larger than 50 MB"),
}


@pytest.mark.parametrize(("name", "data", "source", "why"), ZIPS.values(), ids=ZIPS)
@pytest.mark.parametrize("pack", [written, zipped])
def test_a_zip_among_the_submissions_is_a_student_s(
    tmp_path: Path, pack: Callable[..., Path], name: str, data: bytes, source: str | None, why: str
) -> None:
    target = tmp_path / ("hand-ins.zip" if pack is zipped else "hand-ins")
    bob, eve = take_in(pack(target, {name: data, f"bob/{NAME}.ipynb": HANDED_OUT}), [assignment()])
    assert (bob.student, eve.student) == ("bob", "eve")
    assert bob.answer(assignment(), QUESTIONS[0]).source == STUB.format(id="double")
    answer = eve.answer(assignment(), QUESTIONS[0])
    assert answer.source == source
    assert why in answer.detail
    assert list(tmp_path.iterdir()) == [target]


def test_a_zip_is_read_no_further_than_the_cap_whatever_its_header_says(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {"eve.ipynb": b" " * 60_000_000})
    assert bomb.stat().st_size < 300_000
    (eve,) = take_in(bomb, [assignment()])
    assert eve.answer(assignment(), QUESTIONS[0]).detail == "eve.ipynb: it is larger than 20 MB without its outputs"


def test_a_notebook_of_500_mb_is_read_no_further_than_the_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path / "in", {"bob.ipynb": SOLVED})
    with (folder / "eve.ipynb").open("wb") as file:
        file.truncate(500_000_000)  # sparse: it takes no room on the disk
    asked: list[int] = []
    read_answers = intake.read_answers
    monkeypatch.delattr(os, "fork")  # so that it is read in this process
    monkeypatch.setattr(intake, "read_answers", lambda data, *a: (asked.append(len(data)), read_answers(data, *a))[1])
    bob, eve = take_in(folder, [assignment()])
    assert bob.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert eve.answer(assignment(), QUESTIONS[0]).detail == "eve.ipynb: it is larger than 100 MB"
    assert max(asked) == answers.LARGEST_NOTEBOOK + 1


def test_a_thousand_notebooks_of_one_student_keep_nobody_waiting(tmp_path: Path) -> None:
    many = a_zip({f"{'n' * 1500}{number}.ipynb": HANDED_OUT for number in range(1000)})
    bob, eve = take_in(written(tmp_path / "in", {"eve.zip": many, f"bob/{NAME}.ipynb": SOLVED}), [assignment()])
    assert bob.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert "900 notebooks were not read: the limits are 100 notebooks" in eve.notes[-1]
    assert max(map(len, eve.notes)) < 500


def test_of_one_student_s_huge_notebooks_only_so_many_bytes_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "LARGEST_NOTEBOOK", 200_000)
    monkeypatch.setattr(intake, "LARGEST_HAND_IN", 500_000)
    bomb = a_zip({f"{number}.ipynb": f"{SOLVED}{' ' * 190_000}" for number in range(9)})
    (eve, _) = take_in(written(tmp_path / "in", {"eve.zip": bomb, "fay.ipynb": SOLVED}), [assignment()])
    assert eve.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert any("6 notebooks were not read" in note for note in eve.notes)
    assert any("have more than 0 MB together" in note for note in eve.notes)


def spoiled(data: bytes) -> bytes:
    """The zip `data` with a wrong checksum for each of its files."""
    start, *entries = data.split(b"PK\1\2")
    return b"PK\1\2".join([start, *(entry[:12] + bytes([entry[12] ^ 1]) + entry[13:] for entry in entries)])


def test_what_was_read_of_a_damaged_file_counts_as_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "LARGEST_NOTEBOOK", 200_000)
    monkeypatch.setattr(intake, "LARGEST_HAND_IN", 500_000)
    bomb = spoiled(a_zip({f"{number}.ipynb": " " * 190_000 for number in range(9)}))
    small = spoiled(a_zip({f"{number}.ipynb": " " * 100 for number in range(9)}))
    folder = written(tmp_path / "in", {"eve.zip": bomb, "fay.zip": small, "fay.zip.zip": a_zip({"x.ipynb": SOLVED})})
    eve, fay, whole = take_in(folder, [assignment()])
    assert "is damaged inside the zip" in eve.fault + fay.fault
    assert [note for one in (eve, fay) for note in one.notes if "were not read" in note] == [
        "5 notebooks were not read: the limits are 100 notebooks and 0 MB of one student, and 5 seconds to read them"
    ]
    assert whole.answer(assignment(), QUESTIONS[0]).source == ANSWER


def listing(names: list[bytes], extra: bytes = b"") -> bytes:
    """A zip that is nearly all list of files; packed into another it has a thousandth of that."""
    head = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"x"
    entry = "<4s4B4H3L5H2L"
    files = b"".join(
        struct.pack(entry, b"PK\1\2", 20, 0, 20, *[0] * 8, len(name), len(extra), *[0] * 5) + name + extra
        for name in names
    )
    count = len(names) & 0xFFFF
    return head + files + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(files), len(head), 0)


NUMBERED = [b"%07d" % number for number in range(50_000)]
EMPTY_FIELDS = bytes(65_532)
TOO_LONG_LISTS: dict[str, tuple[str | bytes, ...]] = {
    "many files": (listing(NUMBERED),),
    "with a remark behind it": (listing(NUMBERED)[:-2] + b"\x03\x00abc",),
    "fields of no use": (listing(NUMBERED[:40], EMPTY_FIELDS),),
    "names of many folders": (listing([b"a/" * 32_700 + name for name in NUMBERED[:40]]),),
    "of several zips together": (listing(NUMBERED[:30_000]), listing(NUMBERED[:30_000])),
}


@pytest.mark.parametrize("lists", TOO_LONG_LISTS.values(), ids=TOO_LONG_LISTS)
def test_a_list_of_files_that_is_too_long_is_not_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lists: tuple[str | bytes, ...]
) -> None:
    parsed: list[int] = []

    class Parsed(zipfile.ZipFile):
        def infolist(self) -> list[zipfile.ZipInfo]:
            parsed.append(sum(46 + len(info.orig_filename) + len(info.extra) for info in super().infolist()))
            return super().infolist()

    data = a_zip({f"{number}.zip": each for number, each in enumerate(lists)})
    folder = written(tmp_path / "in", {"eve.zip": data, f"bob/{NAME}.ipynb": SOLVED})
    monkeypatch.setattr(zipfile, "ZipFile", Parsed)
    monkeypatch.setattr(archives, "MOST_FILES", 100_000)
    monkeypatch.delattr(os, "fork")  # so that they are read in this process
    bob, eve = take_in(folder, [assignment()])
    assert bob.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert eve.fault == f"eve.zip/{len(lists) - 1}.zip: its list of files is larger than 2 MB"
    assert 0 < sum(parsed) < 2 * archives.LONGEST_LIST  # each list is asked for twice


def test_the_class_s_own_zip_may_have_a_longer_list_that_ends_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = [f"Student {n}_{n}_assignsubmission_file_/exercises/09_custom_functions.ipynb" for n in range(1000)]
    assert 20 * len(a_zip(dict.fromkeys(real, ""))) < archives.LONGEST_OF_CLASS
    path = zipped(tmp_path / "in.zip", {f"{n}/x.ipynb": SOLVED for n in range(9)})
    assert len(students(path)) == 9
    monkeypatch.setattr(archives, "LONGEST_OF_CLASS", 100)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(UserError, match="lists more files than can be read; unpack it and give the folder."):
        students(path)


def test_a_name_is_shortened_before_it_is_split_and_passed_over_if_it_is_too_deep() -> None:
    lengths: list[int] = []

    class Watched(str):
        def __getitem__(self, key: Any) -> str:
            return Watched(super().__getitem__(key))

        def __add__(self, other: str) -> str:
            return Watched(super().__add__(other))

        def replace(self, *words: Any) -> str:
            return Watched(super().replace(*words))

        def split(self, *by: Any) -> list[str]:  # type: ignore[override]
            lengths.append(len(self))
            return super().split(*by)

    deep, deepest = "/".join("d" * archives.DEEPEST_FOLDER), "/".join("d" * (archives.DEEPEST_FOLDER - 1))
    long = "n" * 60_000
    names = ["a/" * 30_000 + "x.ipynb", f"{deep}/x.ipynb", f"{deepest}/x.ipynb", f"eve/{long}.ipynb"]
    with zipfile.ZipFile(io.BytesIO(), "w") as archive:
        for name in names:
            archive.filelist.append(zipfile.ZipInfo("x"))
            archive.filelist[-1].filename = Watched(name)
        found = list(archives._entries_of_zip(archive, lambda: archive))
        archive.filelist.clear()
    assert [(len(entry.parts), entry.parts[0], entry.is_notebook) for entry in found] == [
        (archives.DEEPEST_FOLDER, "d", True),
        (2, "eve", True),
    ]
    assert len(lengths) == len(names)
    assert max(lengths) <= 4096


def test_fields_of_a_zip_s_list_are_read_without_copies_of_the_rest() -> None:
    class Unsliced(bytes):
        def __getitem__(self, key: Any) -> Any:
            assert isinstance(key, int)
            return super().__getitem__(key)

    info = zipfile.ZipInfo("x.ipynb")
    info.extra = Unsliced(bytes(4 * 10_000) + struct.pack("<HHBi", 0x5455, 5, 1, 1_000_000_000))
    assert archives._modified(info) == 1_000_000_000


def test_a_file_that_is_not_what_it_was_when_it_was_listed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = hand_in(tmp_path / "secret.ipynb")
    folder = written(tmp_path / "in", dict.fromkeys(["bob.ipynb", "gone.ipynb", "link.ipynb", "pipe.ipynb"], SOLVED))
    without_wrapper = intake._without_wrapper

    def meanwhile(*arguments: Any) -> Any:
        for name in ("gone", "link", "pipe"):
            (folder / f"{name}.ipynb").unlink()
        (folder / "link.ipynb").symlink_to(secret)
        os.mkfifo(folder / "pipe.ipynb")
        return without_wrapper(*arguments)

    monkeypatch.setattr(intake, "_without_wrapper", meanwhile)
    found = {s.student: s.answer(assignment(), QUESTIONS[0]) for s in take_in(folder, [assignment()])}
    assert found["bob"].source == ANSWER
    assert {name: answer.source for name, answer in found.items() if name != "bob"} == {
        "gone": None,
        "link": None,
        "pipe": None,
    }
    assert "cannot be read" in found["gone"].detail
    assert "cannot be read" in found["link"].detail


@pytest.mark.parametrize(("writes", "source"), [(1, ANSWER), (99, None)])
def test_a_file_that_is_written_to_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int, source: str | None
) -> None:
    path = hand_in(tmp_path / "eve.ipynb", {"double": OTHER})
    left = [writes]
    fstat = os.fstat

    def busy(handle: int) -> os.stat_result:
        if left[0]:
            left[0] -= 1
            path.write_text(SOLVED + " " * left[0])
        return fstat(handle)

    monkeypatch.setattr(os, "fstat", busy)
    (eve,) = take_in(tmp_path, [assignment()])
    answer = eve.answer(assignment(), QUESTIONS[0])
    assert answer.source == source
    assert source or "kept changing while it was read" in answer.detail


def test_what_is_nobody_s_is_said_and_what_is_somebody_s_is_named(tmp_path: Path) -> None:
    secret = hand_in(tmp_path / "secret.ipynb")
    folder = written(
        tmp_path / "in", {"alice/essay.pdf": b"", "bob.docx": b"", ".DS_Store": b"", "carol/x.ipynb": SOLVED}
    )
    (folder / "dora").mkdir()
    (folder / "eve").mkdir()
    (folder / "eve" / f"{NAME}.ipynb").symlink_to(secret)
    (folder / "link").symlink_to(tmp_path)
    said: list[str] = []
    found = {s.student: s for s in take_in(folder, [assignment()], said.append)}
    assert said == ["Skipped, because no student's work can be read from it: bob.docx, link (a symbolic link)"]
    assert {name: one.notes for name, one in found.items()} == {
        "alice": ["the folder holds no notebook, but essay.pdf"],
        "carol": [],
        "dora": ["the folder is empty"],
        "eve": [],
    }
    answer = found["eve"].answer(assignment(), QUESTIONS[0])
    assert (answer.status, "symbolic link" in answer.detail) == (Status.INVALID_NOTEBOOK, True)


def test_links_and_names_that_climb_are_passed_over(tmp_path: Path) -> None:
    secret = hand_in(tmp_path / "secret.ipynb")
    folder = tmp_path / "in"
    hand_in(folder / "alice.ipynb")
    (folder / "eve.ipynb").symlink_to(secret)
    (folder / "mallory").symlink_to(tmp_path)
    assert students(folder) == ["alice"]

    link = zipfile.ZipInfo("eve.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = zipped(
        tmp_path / "in.zip",
        {
            "../up.ipynb": SOLVED,
            "/etc/root.ipynb": SOLVED,
            "a\\..\\b.ipynb": SOLVED,
            "bob.ipynb": SOLVED,
        },
    )
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, str(secret))
    assert students(path) == ["bob"]


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_becomes_millions_of_times_as_large_is_not_unpacked(tmp_path: Path, packing: int) -> None:
    with zipfile.ZipFile(tmp_path / "in.zip", "w", packing) as archive:
        archive.writestr("eve.ipynb", SOLVED)
        archive.writestr(zipfile.ZipInfo("bob.ipynb"), SOLVED, zipfile.ZIP_STORED)
    bob, eve = take_in(tmp_path / "in.zip", [assignment()])
    assert bob.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert "packed in a way that is not supported" in eve.answer(assignment(), QUESTIONS[0]).detail


def test_damage_inside_a_zip_is_one_student_s_status(tmp_path: Path) -> None:
    path = tmp_path / "in.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("eve.ipynb", SOLVED)
        archive.writestr("bob.ipynb", SOLVED)
    data = bytearray(path.read_bytes())
    data[45:245] = bytes(200)  # inside eve's compressed bytes
    path.write_bytes(data)
    bob, eve = take_in(path, [assignment()])
    assert bob.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert "damaged inside the zip" in eve.answer(assignment(), QUESTIONS[0]).detail


def test_a_folder_too_deep_or_locked_costs_no_one_else_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(tmp_path / "alice.ipynb")
    hand_in(tmp_path / "eve" / "/".join("d" * archives.DEEPEST_FOLDER) / "work.ipynb")
    (tmp_path / "locked").mkdir()
    scandir = os.scandir

    def locked(path: Path) -> Any:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", locked)
    found = take_in(tmp_path, [assignment()])
    given = {s.student: s.answer(assignment(), QUESTIONS[0]).status for s in found}
    assert given == {"alice": None, "eve": Status.MISSING, "locked": Status.MISSING}


def test_a_pipe_in_the_folder_does_not_block(tmp_path: Path) -> None:
    hand_in(tmp_path / "alice.ipynb")
    os.mkfifo(tmp_path / "eve.ipynb")
    assert students(tmp_path) == ["alice"]


def test_a_renamed_notebook_is_recognised_by_its_cells_and_a_stranger_is_named(
    tmp_path: Path,
) -> None:
    written(tmp_path, {"alice/Untitled7.ipynb": SOLVED, "bob/other.ipynb": json.dumps(notebook([]))})
    alice, bob = take_in(tmp_path, [assignment()])
    assert alice.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert bob.answer(assignment(), QUESTIONS[0]).status is Status.MISSING
    assert bob.notes == ["bob/other.ipynb not used: it does not have cells of the exercises"]


def test_of_several_copies_one_counts_and_the_others_are_noted(tmp_path: Path) -> None:
    hand_in(tmp_path / "alice" / f"{NAME}-Copy1.ipynb", {"double": OTHER})
    hand_in(tmp_path / "alice" / f"{NAME}.ipynb")
    (alice,) = take_in(tmp_path, [assignment()])
    assert alice.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert alice.notes == [f"alice/{NAME}-Copy1.ipynb not used, alice/{NAME}.ipynb counts"]


NOT_ANSWERED = {
    "a lesson of that name": ("lessons", json.dumps(notebook([code("a", "1 + 1")])), []),
    "a fresh download": ("new", HANDED_OUT, ["not used"]),
    "a broken download": ("new", "{", ["not used", "it is not valid JSON"]),
}


@pytest.mark.parametrize(("folder", "other", "noted"), NOT_ANSWERED.values(), ids=NOT_ANSWERED)
def test_of_several_copies_the_one_with_answers_counts(
    tmp_path: Path, folder: str, other: str, noted: list[str]
) -> None:
    written(tmp_path, {f"alice/work/{NAME} (1).ipynb": SOLVED, f"alice/{folder}/{NAME}.ipynb": other})
    os.utime(tmp_path / f"alice/work/{NAME} (1).ipynb", (1, 1))
    (alice,) = take_in(tmp_path, [assignment()])
    assert alice.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert len(alice.notes) == bool(noted)
    assert all(words in alice.notes[0] for words in noted)


def test_of_two_versions_in_a_zip_the_newer_counts(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "alice.zip", "w") as archive:
        for name, year, answers in (("b", 2024, SOLUTIONS), ("c", 2023, {"double": OTHER})):
            info = zipfile.ZipInfo(f"{name}.ipynb", (year, 1, 1, 0, 0, 0))
            archive.writestr(info, json.dumps(exercise_notebook(answers)))
    hand_in(tmp_path / "bob.ipynb")
    alice, _ = take_in(tmp_path, [assignment()])
    assert alice.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert alice.notes == ["alice.zip/c.ipynb not used, alice.zip/b.ipynb counts"]


def test_a_broken_copy_does_not_spoil_the_good_one(tmp_path: Path) -> None:
    hand_in(tmp_path / "alice" / "work.ipynb")
    hand_in(tmp_path / "bob.ipynb")
    (tmp_path / "alice" / "autosave.ipynb").write_text("{")
    alice, _ = take_in(tmp_path, [assignment()])
    assert alice.answer(assignment(), QUESTIONS[0]).source == ANSWER
    assert alice.notes == ["alice/autosave.ipynb not used: it is not valid JSON"]


def test_a_name_cannot_give_orders_to_a_terminal(tmp_path: Path) -> None:
    hand_in(tmp_path / "\x1b[2Jeve\u202e.ipynb")
    assert students(tmp_path) == ["?[2Jeve?"]


def test_paths_that_hold_no_submissions_get_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("no zip")
    (tmp_path / "cut.zip").write_bytes(zipped(tmp_path / "whole.zip", {"a.ipynb": SOLVED}).read_bytes()[:-30])
    for name, said in [
        ("nowhere", "There is no "),
        ("empty", "does not hold notebooks"),
        ("notes.txt", "neither a folder nor a zip"),
        ("cut.zip", "cut.zip is damaged or not completely downloaded; download it again"),
    ]:
        with pytest.raises(UserError, match=said):
            students(tmp_path / name)
