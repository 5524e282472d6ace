"""Hints come one at a time; progress survives restarts, broken files and folders that cannot be written."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autograd_teach.course import check, checking, hint, progress, progress_file
from autograd_teach.course import exercises as registry
from autograd_teach.course.checking import Progress, UnknownExercise, not_run_yet
from autograd_teach.course.errors import UserError
from autograd_teach.course.exercises import exercise, exercises


@pytest.fixture(autouse=True)
def student_folder(tmp_path, monkeypatch, no_progress_file):
    """A folder of its own, and a process that remembers nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(progress_file.SWITCH, raising=False)
    monkeypatch.setattr(progress_file, "_in_memory", {})
    monkeypatch.setattr(progress_file, "_unsaved", set())
    return tmp_path


def restart(monkeypatch):
    monkeypatch.setattr(progress_file, "_in_memory", {})


def test_hints_come_one_at_a_time_and_survive_a_restart(capsys, monkeypatch):
    hints = exercise("09.Scale").hints
    shown = []
    for _ in range(len(hints) + 1):
        hint("09.Scale")
        restart(monkeypatch)
        shown.append(capsys.readouterr().out)
    assert [text in out for text, out in zip(hints, shown, strict=False)] == [True] * len(hints)
    assert all(sum(text in out for text in hints) == 1 for out in shown)
    assert hints[-1] in shown[-1] and "the last one" in shown[-1]


def test_every_exercise_has_two_or_three_different_hints():
    for each in exercises():
        assert 2 <= len(each.hints) <= 3 and len(set(each.hints)) == len(each.hints)


def test_an_unknown_exercise_is_one_line_that_names_the_near_ones(monkeypatch):
    near = replace(exercise("09.Scale"), entry="Scales")
    monkeypatch.setitem(registry._BY_ID, near.id, near)
    with pytest.raises(UserError, match=r"did you mean '09.Scale'\?") as caught:
        hint("09.scale")
    with pytest.raises(UserError, match=r"did you mean '09.Scales' or '09.Scale'\?"):
        hint("09.scaless")
    assert len(caught.value._render_traceback_()) == 1


NOT_FOUND = {
    "the class": (lambda: hint(type("Scale", (), {})), "name as a string; did you mean '09.Scale'?"),
    "swapped": (lambda: check(type("Scale", (), {}), "09.Scale"), "did you mean '09.Scale'?"),
    "without its number": (lambda: hint("scale"), "did you mean '09.Scale'?"),
    "nothing like it": (lambda: hint("qqqqqq"), "There is no exercise 'qqqqqq'; `progress()` lists them all."),
    "no name": (lambda: hint([]), "`progress()` lists them all."),
    "a notebook's digit": (lambda: progress("9"), "no notebook '9' with exercises; did you mean '09'?"),
    "a number": (lambda: progress(9), "did you mean '09'?"),
    "no notebook": (lambda: progress("99"), "no notebook '99' with exercises; there are '00' to '16'."),
}


@pytest.mark.parametrize(("call", "words"), NOT_FOUND.values(), ids=NOT_FOUND)
def test_what_is_not_found_is_said_in_a_short_sentence(call, words):
    with pytest.raises(UnknownExercise) as caught:
        call()
    assert words in str(caught.value) and len(str(caught.value)) < 120


NOT_RUN = {
    "before its cell": ([], 'check("09.Scale", Scale)', "has not run yet"),
    "after its cell raised": (["1 / 0\nclass Scale: pass"], "check('09.Scale',  Scale)", "ended in an error"),
    "under another name": (
        ["class MyScale: pass"],
        'check("09.Scale", Scale)',
        "`Scale` is not defined yet, but `MyScale` is",
    ),
    "in small letters": (
        ["class scale: pass"],
        'check("09.Scale", Scale)',
        "`Scale` is not defined yet, but `scale` is: rename it to `Scale`",
    ),
    "misspelt": (["class Scael: pass"], 'check("09.Scale", Scale)', "`Scael` is: rename it"),
    "before its cell, after others": (
        ["class Exp: pass\nclass Helper: pass"],
        'check("09.Scale", Scale)',
        "not run yet",
    ),
    "another name": ([], 'check("09.Scale", Scael)', None),
    "another cell": ([], "print(Scale)", None),
    "deeper inside": ([], 'def f():\n    return Scale\ncheck("09.Scale", f())', None),
}


@pytest.mark.parametrize(("before", "cell", "words"), NOT_RUN.values(), ids=NOT_RUN)
def test_a_check_before_its_answer_says_which_cell_to_run(before, cell, words):
    with pytest.raises(NameError) as caught:
        exec(compile(cell, "<ipython-input-1>", "exec"), {"check": check})  # noqa: S102
    said = not_run_yet(caught.value, caught.tb, [*before, cell])
    assert said is None if words is None else words in said and "Scale" in said


class Shell:
    """What an IPython shell has of what is used of it."""

    def __init__(self, cell):
        self.user_ns, self._last_traceback, self.shown = {"In": [cell]}, None, []

    def showtraceback(self, exc_tuple, **options):
        error = exc_tuple[1]
        self.shown.append(getattr(error, "_render_traceback_", lambda: ["NameError"])())


@pytest.mark.parametrize(
    ("cell", "line"), [('check("09.Scale", Scale)', "NotPassed: The cell with"), ("Scael", "NameError")]
)
def test_a_notebook_shows_it_as_one_line_and_as_an_error(cell, line):
    shell = Shell(cell)
    with pytest.raises(NameError) as caught:
        exec(compile(cell, "<ipython-input-1>", "exec"), {"check": check})  # noqa: S102
    checking._show_name_error(shell, caught.type, caught.value, caught.tb)
    ((shown,),) = shell.shown
    assert shown.startswith(line)


def test_progress_counts_points_of_passed_exercises_and_survives_a_restart(capsys, monkeypatch):
    progress_file.note_check("09.Scale", passed=True, passing=7, checks=7, attempted=True)
    progress_file.note_check("09.Exp", passed=False, passing=3, checks=8, attempted=True)
    restart(monkeypatch)
    monkeypatch.setattr(registry, "_ALL", [exercise(f"09.{name}") for name in ("KillHead", "Scale", "Exp")])
    progress("09")
    assert capsys.readouterr().out == (
        "09.KillHead  0 of 2  - not attempted\n"
        "09.Scale     2 of 2  ✓ passed\n"
        "09.Exp       0 of 2  ✗ 3 of 8 checks pass\n"
        "2 of 6 points\n"
    )


def test_the_last_check_counts():
    progress_file.note_check("09.Exp", passed=True, passing=8, checks=8, attempted=True)
    progress_file.note_check("09.Exp", passed=False, passing=7, checks=8, attempted=True)
    entry = progress_file.entries()["09.Exp"]
    assert entry == {
        "passed": False,
        "checks": [7, 8],
        "attempted": True,
        "tries": 2,
        "when": entry["when"],
    }


@pytest.mark.parametrize("passed", [True, False])
@pytest.mark.parametrize(
    ("before", "minutes", "stays"),
    [
        ({}, -1, False),
        ({"passed": True}, -1, False),
        ({"passed": True, "when": "2026-11-20T10:00:00Z"}, -1, True),
        ({"passed": True, "when": "2026-11-20T10:00:00Z"}, 0, False),
        ({"passed": True, "when": "2026-11-20T10:00:00Z"}, 1, False),
        ({"passed": False, "when": "2026-11-20T10:00:00Z"}, -1, False),
        ({"passed": True, "when": 3}, -1, False),
    ],
)
def test_a_pass_that_is_newer_than_the_file_stays(tmp_path, monkeypatch, before, minutes, stays, passed):
    """Minutes from the noted check to the moment in which the file was saved that is checked now."""
    file = tmp_path / progress_file.NAME
    monkeypatch.chdir(tmp_path)
    file.write_text(json.dumps({"version": 2, "exercises": {"09.Exp": before}}))
    saved = datetime(2026, 11, 20, 10, tzinfo=UTC) + timedelta(minutes=minutes)
    stays = stays and not passed
    assert progress_file.note_check("09.Exp", passed, 7, 8, attempted=True, saved=saved) is not stays
    known = json.loads(file.read_text())["exercises"]["09.Exp"]
    if stays:
        assert known == before
    else:
        assert (known["passed"], known["checks"]) == (passed, [7, 8])
        assert known["when"] == saved.strftime("%Y-%m-%dT%H:%M:%SZ")


GIVEN = progress_file.Given("b", "b", 2)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"exercises": 3}',
        b'{"exercises": {"09.Exp": 1}}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
    ],
)
def test_a_broken_file_is_moved_aside_and_rebuilt(student_folder, content):
    progress_file.note_check("09.Scale", passed=True, passing=7, checks=7, attempted=True)
    file = student_folder / progress_file.NAME
    file.write_bytes(content)
    progress_file.note_check("09.Exp", passed=True, passing=8, checks=8, attempted=True)
    assert file.with_name(file.name + ".bak").read_bytes() == content
    assert set(json.loads(file.read_text())["exercises"]) == {"09.Scale", "09.Exp"}


def test_what_is_sound_in_a_damaged_file_stays(student_folder):
    damaged = json.dumps({"version": 2, "exercises": {"09.Exp": {"passed": True}, "09.Scale": 3}, "predictions": []})
    file = student_folder / progress_file.NAME
    for _ in range(2):  # what was moved aside before is not overwritten
        file.write_text(damaged)
        assert set(progress_file.entries()) == {"09.Exp"}
        assert file.read_text() == damaged, "reading changes nothing"
        progress_file.note_prediction("01.leaf", GIVEN, right=False)
        assert set(progress_file.entries()) == {"09.Exp"}
        assert set(progress_file.predictions()) == {"01.leaf"}
    aside = sorted(path.name for path in student_folder.iterdir() if path != file)
    assert aside == [f"{file.name}.bak", f"{file.name}.bak-2"]
    assert all((student_folder / name).read_text() == damaged for name in aside)


def test_an_older_file_gets_predictions_beside_its_exercises(student_folder):
    file = student_folder / progress_file.NAME
    file.write_text('{"version": 1, "exercises": {"09.Exp": {"passed": true, "hints": 2}}, "more": [1]}')
    assert progress_file.predictions() == {}
    progress_file.note_prediction("01.leaf", GIVEN, right=True)
    content = json.loads(file.read_text())
    assert content["exercises"] == {"09.Exp": {"passed": True, "hints": 2}}
    assert (content["version"], content["more"], set(content["predictions"])) == (2, [1], {"01.leaf"})


def test_a_file_of_a_newer_version_is_read_and_never_written(student_folder):
    newer = '{"version": 3, "exercises": {"09.Exp": {"passed": true}}, "predictions": {"01.leaf": "in another form"}}'
    file = student_folder / progress_file.NAME
    file.write_text(newer)
    assert progress_file.is_newer()
    progress_file.note_check("09.Scale", passed=True, passing=7, checks=7, attempted=True)
    progress_file.note_prediction("01.leaf", GIVEN, right=False)
    assert set(progress_file.entries()) == {"09.Exp", "09.Scale"}
    assert progress_file.predictions()["01.leaf"]["first"] == "b"
    assert [path.name for path in student_folder.iterdir()] == [file.name]
    assert file.read_text() == newer


def test_a_first_answer_in_another_notebook_is_not_replaced(student_folder, monkeypatch):
    progress_file.note_prediction("01.leaf", progress_file.Given("b", "b"), right=False)
    restart(monkeypatch)
    progress_file.note_prediction("01.leaf", progress_file.Given("a", "a"), right=True)
    entry = progress_file.predictions()["01.leaf"]
    assert (entry["first"], entry["right"], entry["last"], entry["tries"]) == ("b", False, "a", 2)


def test_entries_of_the_wrong_kind_do_not_break_the_table():
    odd = {"09.Scale": {"passed": "yes", "checks": "many", "tries": None, "attempted": 1}}
    of = sum(each.points for each in exercises("09"))
    assert f"0 of {of} points" in repr(Progress(exercises("09"), odd))
    (progress_file._file()).write_text(json.dumps({"exercises": odd}))
    progress_file.note_check("09.Scale", passed=True, passing=7, checks=7, attempted=True)
    assert progress_file.entries()["09.Scale"]["tries"] == 1


def test_what_another_notebook_wrote_meanwhile_is_kept(student_folder):
    progress_file.note_check("09.Scale", passed=True, passing=7, checks=7, attempted=True)
    file = student_folder / progress_file.NAME
    content = json.loads(file.read_text())
    content["exercises"]["10.Other"] = {"passed": True}
    file.write_text(json.dumps(content))
    progress_file.note_check("09.Exp", passed=True, passing=8, checks=8, attempted=True)
    assert set(progress_file.entries()) == {"09.Scale", "09.Exp", "10.Other"}


def test_the_switch_keeps_everything_off_the_disk(student_folder, monkeypatch):
    monkeypatch.setenv(progress_file.SWITCH, "1")
    progress_file.note_check("09.Scale", passed=True, passing=7, checks=7, attempted=True)
    assert list(student_folder.iterdir()) == []
    assert progress_file.entries()["09.Scale"]["passed"] is True


def test_a_folder_that_cannot_be_written_is_silent(student_folder, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)  # Root writes into read-only folders.
    progress_file.note_check("09.Scale", passed=True, passing=7, checks=7, attempted=True)
    assert progress_file.entries()["09.Scale"]["passed"] is True
    assert list(student_folder.iterdir()) == []


def test_the_declarations_load_without_the_engine_or_a_notebook():
    code = (
        "import sys, autograd_teach.course.exercises as e; e.exercises();"
        "print([m for m in ('autograd_teach.tensor', 'IPython', 'nbformat', 'autograd_teach.course.observe') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # The package's face loads the engine; nothing of the course may load more.
    assert "IPython" not in ran.stdout and "nbformat" not in ran.stdout
    assert "observe" not in ran.stdout


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such lock (files.alone_in)")
def test_notebooks_that_run_at_once_do_not_undo_each_other(tmp_path):
    program = (
        "import sys; from autograd_teach.course import progress_file as record; print(flush=True); sys.stdin.readline()\n"
        "for number in range(100):\n"
        "  record.note_check(f'{sys.argv[1]}.{number}', True, 1, 1, True)\n"
        "  record.note_prediction(f'{sys.argv[1]}.{number}', record.Given('a', 'a'), True)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    running = [
        subprocess.Popen([sys.executable, "-c", program, name], cwd=tmp_path, env=environment, **pipes) for name in "ab"
    ]
    for process in running:
        process.stdout.readline()  # all have loaded what they need
    for process in running:
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in running:
        process.communicate()
        assert process.returncode == 0
    every = {f"{name}.{number}" for name in "ab" for number in range(100)}
    assert set(progress_file.entries(tmp_path)) == set(progress_file.predictions(tmp_path)) == every
    assert [path.name for path in tmp_path.iterdir()] == [progress_file.NAME]
