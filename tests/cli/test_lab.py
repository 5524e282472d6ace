"""`autograd-teach lab` up to the start of JupyterLab: what is copied, what is kept, what is handed on.

The law under test: a student's file is never overwritten.
"""

import json
import os
import random
import socket
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograd_teach import cli, files
from autograd_teach.course import content, home, lab
from autograd_teach.course.errors import UserError


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small course that a test may edit, in place of the real one."""
    course = tmp_path / "the course"
    for name in ("lessons/00_start_here.ipynb", "lessons/01_a.ipynb", "exercises/01_a.ipynb"):
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_text(f"first version of {name}")
    monkeypatch.setattr(content, "folder", lambda room: course / room)
    return course


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file under `folder` that is not the manifest, with its content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != lab.MANIFEST
    }


def test_first_run_copies_lessons_and_exercises_and_nothing_else(course: Path, tmp_path: Path):
    (course / "lessons" / ".ipynb_checkpoints").mkdir()
    (course / "lessons" / ".ipynb_checkpoints" / "01_a-checkpoint.ipynb").write_text("an old one")
    (course / "solutions").mkdir()
    (course / "solutions" / "01_a.ipynb").write_text("the answer")

    lab.deliver(tmp_path / "mine")

    assert sorted(snapshot(tmp_path / "mine")) == [
        "exercises/01_a.ipynb",
        "lessons/00_start_here.ipynb",
        "lessons/01_a.ipynb",
    ]


def test_the_real_course_is_delivered_with_its_first_page(tmp_path: Path):
    delivery = lab.deliver(tmp_path / "mine")

    assert lab.FIRST_PAGE in delivery.added
    assert not any("solution" in name for name in delivery.added)
    for name in delivery.added:
        room, _, rest = name.partition("/")
        if not name.endswith(".ipynb"):
            assert (tmp_path / "mine" / name).read_bytes() == (content.folder(room) / rest).read_bytes()
            continue
        theirs, ours = (
            json.loads(path.read_text(encoding="utf-8"))
            for path in (tmp_path / "mine" / name, content.folder(room) / rest)
        )
        for cell in ours["cells"]:
            if cell["cell_type"] == "code":
                # Stored results would give away what the student is asked to predict.
                cell.update(outputs=[], execution_count=None)
        assert theirs == ours


def test_second_run_changes_nothing(course: Path, tmp_path: Path):
    lab.deliver(tmp_path / "mine")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "mine").rglob("*")}

    again = lab.deliver(tmp_path / "mine")

    assert (again.added, again.refreshed, again.kept) == ([], [], [])
    assert times == {path: path.stat().st_mtime_ns for path in (tmp_path / "mine").rglob("*")}


@pytest.mark.parametrize(
    "students, new, expected, listed",
    [
        ("untouched", "newer", "newer", "refreshed"),
        ("untouched", "same", "same", None),
        ("edited", "newer", "edited", "kept"),
        ("edited", "same", "edited", None),
        ("deleted", "newer", "newer", "added"),
        ("deleted", "same", "same", "added"),
    ],
)
def test_what_becomes_of_a_file(
    course: Path, tmp_path: Path, students: str, new: str, expected: str, listed: str | None
):
    source, theirs = course / "lessons/01_a.ipynb", tmp_path / "mine/lessons/01_a.ipynb"
    source.write_text("same")
    lab.deliver(tmp_path / "mine")
    if students == "edited":
        theirs.write_text("edited")
    elif students == "deleted":
        theirs.unlink()
    source.write_text(new)

    delivery = lab.deliver(tmp_path / "mine")

    assert theirs.read_text() == expected
    for name in ("added", "refreshed", "kept"):
        assert getattr(delivery, name) == (["lessons/01_a.ipynb"] if name == listed else [])
    assert ("Kept as you left them" in str(delivery)) == (listed == "kept")


def test_a_kept_file_is_kept_and_named_at_every_later_run(course: Path, tmp_path: Path):
    lab.deliver(tmp_path / "mine")
    theirs = tmp_path / "mine/lessons/01_a.ipynb"
    theirs.write_text("my notes")
    for version in ("second", "third"):
        (course / "lessons/01_a.ipynb").write_text(version)
        assert lab.deliver(tmp_path / "mine").kept == ["lessons/01_a.ipynb"]
        assert theirs.read_text() == "my notes"


DEEP = b'{"a":' * 100_000 + b"1" + b"}" * 100_000


@pytest.mark.parametrize("manifest", [None, b"", b"{", b"[1]", b'{"lessons/01_a.ipynb": 3}', b"\xff", DEEP])
def test_without_a_sound_manifest_every_differing_file_is_the_students(
    course: Path, tmp_path: Path, manifest: bytes | None
):
    mine = tmp_path / "mine"
    lab.deliver(mine)
    (mine / lab.MANIFEST).unlink()
    if manifest is not None:
        (mine / lab.MANIFEST).write_bytes(manifest)
    (course / "lessons/01_a.ipynb").write_text("newer")

    assert lab.deliver(mine).kept == ["lessons/01_a.ipynb"]
    assert (mine / "lessons/01_a.ipynb").read_text() == "first version of lessons/01_a.ipynb"


def test_no_history_of_edits_and_updates_ever_loses_a_students_words(course: Path, tmp_path: Path):
    mine, draw = tmp_path / "mine", random.Random(0)
    names = [path.relative_to(course).as_posix() for path in course.rglob("*.ipynb")]
    words: dict[str, str] = {}
    for turn in range(200):
        name = draw.choice(names)
        match draw.choice(["edit", "edit back", "new version", "lose manifest", "own file"]):
            case "edit" if (mine / name).exists():
                words[name] = f"words of turn {turn}"
                (mine / name).write_text(words[name])
            case "edit back" if (mine / name).exists():
                (mine / name).write_bytes((course / name).read_bytes())
                words.pop(name, None)
            case "new version":
                (course / name).write_text(f"version {turn}")
            case "lose manifest":
                (mine / lab.MANIFEST).unlink(missing_ok=True)
            case "own file" if mine.exists():
                words["exercises/own.ipynb"] = f"own {turn}"
                (mine / "exercises/own.ipynb").write_text(f"own {turn}")
        lab.deliver(mine)
        assert {name: (mine / name).read_text() for name in words} == words


def test_a_name_taken_while_the_file_is_being_written_is_not_overwritten(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write, target = files.write_beside, tmp_path / "mine/lessons/01_a.ipynb"

    def write_and_be_overtaken(path: Path, data: bytes) -> Path:
        if path == target:
            target.write_text("saved in that moment")
        return write(path, data)

    monkeypatch.setattr(files, "write_beside", write_and_be_overtaken)
    lab.deliver(tmp_path / "mine")

    assert target.read_text() == "saved in that moment"


def test_without_hard_links_files_are_copied_all_the_same(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        raise PermissionError("no hard links on this file system")

    monkeypatch.setattr(os, "link", refuse)
    lab.deliver(tmp_path / "mine")

    assert snapshot(tmp_path / "mine")["lessons/01_a.ipynb"] == b"first version of lessons/01_a.ipynb"


def test_no_temporary_file_stays_behind_when_writing_fails(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lab.deliver(tmp_path / "mine")
    (course / "lessons/01_a.ipynb").write_text("newer")
    before = snapshot(tmp_path / "mine")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(UserError, match="No space left on device"):
        lab.deliver(tmp_path / "mine")

    assert snapshot(tmp_path / "mine") == before


def test_a_symbolic_link_is_the_students(course: Path, tmp_path: Path):
    mine, elsewhere = tmp_path / "mine", tmp_path / "elsewhere.ipynb"
    lab.deliver(mine)
    (mine / "lessons/01_a.ipynb").rename(elsewhere)
    (mine / "lessons/01_a.ipynb").symlink_to(elsewhere)
    (course / "lessons/01_a.ipynb").write_text("newer")

    assert lab.deliver(mine).kept == ["lessons/01_a.ipynb"]
    assert (mine / "lessons/01_a.ipynb").is_symlink()


@pytest.mark.parametrize("name", ["with space", "köñe ∂x", "a/b/c", "quote's"])
def test_folder_names_of_all_kinds(course: Path, tmp_path: Path, name: str):
    lab.deliver(tmp_path / name)
    assert len(snapshot(tmp_path / name)) == 3


@pytest.mark.skipif(os.name != "posix", reason="permission bits are POSIX's")
def test_files_get_the_permissions_that_new_files_get(course: Path, tmp_path: Path):
    old = os.umask(0o022)
    try:
        lab.deliver(tmp_path / "mine")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "mine/lessons/01_a.ipynb").stat().st_mode) == 0o644


@pytest.mark.parametrize("name", ["mine", "mine/lessons", "mine/exercises", "mine/deep/er"])
def test_a_file_where_a_folder_must_be_is_named_and_kept(course: Path, tmp_path: Path, name: str):
    target = tmp_path / ("mine/deep/er" if "deep" in name else "mine")
    blocker = tmp_path / ("mine/deep" if "deep" in name else name)
    blocker.parent.mkdir(parents=True, exist_ok=True)
    blocker.write_text("a file")

    with pytest.raises(UserError, match="is a file") as caught:
        lab.deliver(target)

    assert blocker.name in str(caught.value)
    assert blocker.read_text() == "a file"


def unwritable(tmp_path: Path) -> str:
    """A folder in which not even root can write, or one that the running user cannot."""
    if Path("/proc/self").is_dir():
        return "/proc/self/course"
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    return str(folder / "course")


def taken_port() -> socket.socket:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


@pytest.mark.skipif(os.name == "nt", reason="a folder's permission bits lock nobody out there")
def test_unwritable_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["lab", unwritable(tmp_path), "--no-browser"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_taken_port_is_said_before_anything_is_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with taken_port() as listener:
        port = str(listener.getsockname()[1])
        assert cli.main(["lab", str(tmp_path / "mine"), "--port", port]) == 2
    assert f"Port {port} is in use" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


def test_missing_jupyterlab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: None)
    assert cli.main(["lab", str(tmp_path / "mine")]) == 2
    assert "JupyterLab is not installed" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    "line, folder, port, browser, rest",
    [
        ([], None, None, True, []),
        (["F"], "F", None, True, []),
        (["a folder", "--port", "8890", "--no-browser"], "a folder", 8890, False, []),
        (["--no-browser", "F"], "F", None, False, []),
        (["--ip", "0.0.0.0"], None, None, True, ["--ip", "0.0.0.0"]),
        (["F", "--ip=0.0.0.0", "--port=9000"], "F", 9000, True, ["--ip=0.0.0.0"]),
        (["F", "--debug", "--no-browser"], "F", None, False, ["--debug"]),
        (["--IdentityProvider.token="], None, None, True, ["--IdentityProvider.token="]),
    ],
)
def test_the_command_line_of_lab(
    monkeypatch: pytest.MonkeyPatch,
    line: list[str],
    folder: str | None,
    port: int | None,
    browser: bool,
    rest: list[str],
):
    calls: list[object] = []
    monkeypatch.setattr(lab, "open_lab", lambda *a, **k: calls.append((*a, k)) or 0)

    assert cli.main(["lab", *line]) == 0

    named = Path(folder) if folder else None
    assert calls == [(named, {"browser": browser, "port": port, "arguments": rest})]


def test_a_folder_after_the_options_is_refused(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["lab", "--ip=0.0.0.0", "mine"]) == 2
    assert "'mine' comes too late" in capsys.readouterr().err


@pytest.mark.parametrize("uid, allowed", [(0, True), (1000, False)])
def test_root_is_allowed_only_where_one_is_root(monkeypatch: pytest.MonkeyPatch, uid: int, allowed: bool):
    monkeypatch.setattr(os, "geteuid", lambda: uid, raising=False)
    line = lab.jupyter_arguments(Path("F"), browser=True, port=None, arguments=["--debug"])
    assert ("--allow-root" in line) == allowed
    assert line[-1] == "--debug"


@pytest.mark.parametrize("theirs, opened", [(None, home.PAGE), (b"no notebook", lab.FIRST_PAGE)])
def test_lab_opens_at_the_home_page(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theirs: bytes | None, opened: str
):
    lines: list[list[str]] = []
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", SimpleNamespace(main=lines.append))
    monkeypatch.setattr(home, "home", lambda folder: home.Home(()))
    monkeypatch.setattr(home, "_output", lambda page: {})
    monkeypatch.setattr(lab, "_prepare_environment", lambda: None)
    mine = tmp_path / "mine"
    if theirs is not None:
        mine.mkdir()
        (mine / home.PAGE).write_bytes(theirs)
    assert lab.open_lab(mine) == 0
    assert f"--LabApp.default_url=/lab/tree/{opened}" in lines[0]
    assert (mine / home.PAGE).is_file()
    assert theirs is None or (mine / home.PAGE).read_bytes() == theirs


def test_the_users_settings_win_over_ours():
    theirs = ["--LabApp.default_url=/lab", "--LabApp.news_url=None"]
    line = lab.jupyter_arguments(Path("F"), browser=True, port=None, arguments=theirs)
    assert [a for a in line if a.startswith(("--LabApp.default_url", "--LabApp.news_url"))] == theirs


def test_a_users_own_kernel_called_python3_does_not_shadow_this_environments(tmp_path: Path):
    kernel = tmp_path / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(
        json.dumps({"argv": ["/another/python"], "display_name": "Another", "language": "python"})
    )
    program = (
        "from autograd_teach.course import lab; lab._prepare_environment();"
        "from jupyter_client.kernelspec import KernelSpecManager;"
        "print(KernelSpecManager().get_kernel_spec('python3').argv[0])"
    )
    # The kernel lies where a user's own does, and once more where nothing but our own entry comes before it.
    environment = os.environ | {
        "JUPYTER_DATA_DIR": str(tmp_path),
        "JUPYTER_PATH": str(tmp_path),
        "JUPYTER_PREFER_ENV_PATH": "0",
    }
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() != "/another/python"
