"""`autograd-teach doctor`: each probe is broken on purpose, and says so with the right advice; nothing ends the report.

Programs and packages that are to be broken are real ones: scripts on a PATH of their own, modules that come before the installed
ones. What a test cannot break (the kernel's settings, a disk) is replaced.
"""

import argparse
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import tomllib
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograd_teach import cli, doctor
from autograd_teach.course import content
from autograd_teach.course.errors import UserError
from autograd_teach.doctor import contributing, course, examination, grading, pictures, report, tools, website
from autograd_teach.doctor.finding import Finding, Group, Probe, State, broken, ok, optional

ROOT = Path(__file__).resolve().parents[2]
OK, OPTIONAL, BROKEN, UNKNOWN = State

posix_only = pytest.mark.skipif(os.name != "posix", reason="programs on the PATH are shell scripts")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="grading needs Linux")


# ---- a machine that a test may break ----------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy this machine is, nothing takes too long."""
    monkeypatch.setattr(tools, "SECONDS", 500.0)


@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What is installed; a test adds what it wants to be there."""
    installed: dict[str, str] = {}

    def version(name: str) -> str:
        if name not in installed:
            raise metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(metadata, "version", version)
    return installed


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, str], None]:
    """`module(name, code)`: processes that start from now on import this in place of the installed module."""
    folder = tmp_path / "modules"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))

    def add(name: str, code: str) -> None:
        (folder / f"{name}.py").write_text(code)

    return add


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, str], None]:
    """`program(name, script)`: the only programs on the PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def add(name: str, script: str) -> None:
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    return add


def said(found: Finding | None) -> str:
    """All of a finding that a user reads."""
    assert found is not None
    return "\n".join([found.words, found.advice, *found.commands])


# ---- packages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "installed, code, state, words, command",
    [
        (None, "", BROKEN, "not installed: nothing runs", 'pip install "some_module>=2.0"'),
        ("1.26.4", "", BROKEN, "1.26.4 is older than 2.0", 'pip install --upgrade "some_module>=2.0"'),
        ("2.1", "", OK, "2.1", None),
        ("2.0", "", OK, "2.0", None),
        (
            "2.1",
            "raise ImportError('broken on purpose')",
            BROKEN,
            "ImportError: broken on purpose",
            "--force-reinstall",
        ),
        ("2.1", "import os; os._exit(3)", BROKEN, "exit status 3", "--force-reinstall"),
        pytest.param(
            *(
                "2.1",
                "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
                BROKEN,
                "ended by signal 9",
                "--force-",
            ),
            marks=posix_only,
        ),
    ],
)
def test_a_package_is_installed_new_enough_and_can_be_imported(
    versions: dict[str, str],
    module: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    installed: str | None,
    code: str,
    state: State,
    words: str,
    command: str | None,
):
    if installed:
        versions["some_module"] = installed
    module("some_module", code)

    found = tools.Package("some_module", "2.0", "nothing runs", "some_module", is_needed=True).examine()

    assert found.state is state
    assert words in found.words
    assert (command is None) == (not found.commands)
    assert command is None or command in found.commands[0]


def test_what_students_can_do_without_is_never_broken(versions: dict[str, str]):
    assert tools.Package("absent", "1", "less").examine().state is OPTIONAL


def test_a_package_that_takes_too_long_is_not_called_broken(
    versions: dict[str, str], module: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
):
    versions["some_module"] = "2.1"
    module("some_module", "import time; time.sleep(3600)")
    monkeypatch.setattr(tools, "SECONDS", 0.2)
    probe = tools.Package("some_module", "2.0", "nothing runs", "some_module", is_needed=True).probe()
    (line,) = examination.examine([Group("one", (probe,))])
    assert line.finding.state is UNKNOWN
    assert line.finding.words == "could not be examined: TimeoutError: a program did not end within 0 seconds"


@posix_only
@pytest.mark.parametrize(
    "executable, typed",
    [
        ("HERE/.venv/bin/python", ".venv/bin/python"),
        ("HERE/my env/bin/python", "'my env/bin/python'"),
        ("HOME/my env/bin/python", "~/'my env/bin/python'"),
        ("/opt/my env/bin/python", "'/opt/my env/bin/python'"),
    ],
)
def test_python_is_named_as_it_is_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, executable: str, typed: str):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = executable.replace("HERE", str(tmp_path / "here")).replace("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "executable", path)
    assert tools.python() == typed
    assert tools.pip_install("x>=1", "y") == f'{typed} -m pip install "x>=1" y'


def test_needed_versions_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    groups = (project["dependencies"], extras["test"], extras["dev"], extras["cluster"])
    declared = dict(
        re.match(r"([\w-]+)>=([\d.]+)", each).groups() for group in groups for each in group if ">=" in each
    )  # type: ignore[union-attr]
    packages = (course.LAB, *course.PACKAGES, *course.OTHERS, pictures.MATPLOTLIB, grading.NBVAL, grading.DISTRIBUTED)
    examined = {each.name: each.oldest for each in packages}
    examined["pygraphviz"] = pictures.PYGRAPHVIZ.partition(">=")[2]

    assert examined.items() <= declared.items()
    assert (contributing.TESTS | contributing.STYLE).items() <= declared.items()
    names = {re.match(r"[\w-]+", each).group() for each in project["dependencies"]}  # type: ignore[union-attr]
    assert names - set(examined) <= {"shtab"}, "a dependency that students would miss"


def test_the_torch_that_the_engine_matches_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"]["torch"] == [f"torch=={course.MATCHED_TORCH}.0"]


@pytest.mark.parametrize(
    "version, state, words",
    [
        (None, OPTIONAL, "the lesson can be read without it"),
        ("2.13.0+cpu", OK, "2.13.0+cpu, which the engine matches"),
        ("2.9.1", OK, "2.9.1; the engine matches 2.13"),
    ],
)
def test_torch_is_optional(versions: dict[str, str], version: str | None, state: State, words: str):
    if version:
        versions["torch"] = version
    found = course.torch()
    assert found.state is state
    assert words in found.words


def test_what_is_lost_without_other_packages_is_named_once(versions: dict[str, str]):
    versions.update({each.name: each.oldest for each in course.OTHERS if each.name not in ("jinja2", "markupsafe")})
    found = course.other_packages()
    assert found.state is BROKEN
    assert found.words == "jinja2, markupsafe not installed: needed for what a check says in a notebook"
    assert found.commands[0].endswith('pip install "jinja2>=3.1" "markupsafe>=2.1"')


# ---- JupyterLab -------------------------------------------------------------------------------------------------------

ALL = list(course.EXTENSIONS)


@pytest.mark.parametrize(
    "whole, disabled, state, words, commands",
    [
        (ALL, [], OK, "4.6.6, with the extensions", []),
        (ALL[:1] + ALL[2:], [], BROKEN, "anywidget missing or damaged", ["--force-reinstall --no-deps anywidget"]),
        (ALL[1:], [], BROKEN, "jupyterlab-manager missing", ["--no-deps jupyterlab_widgets"]),
        (ALL, ["anywidget"], BROKEN, "anywidget disabled", ["jupyter labextension enable anywidget"]),
        (ALL[:2], [], OPTIONAL, "a saved notebook shows no picture", []),
        ([], ["anywidget"], BROKEN, "do not work", ["jupyterlab_widgets anywidget", "enable anywidget"]),
    ],
)
def test_extensions_that_jupyterlab_does_not_load_are_named(
    versions: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    whole: list[str],
    disabled: list[str],
    state: State,
    words: str,
    commands: list[str],
):
    versions["jupyterlab"] = "4.6.6"
    monkeypatch.setattr(course, "run_python", lambda code: "noise\nEXTENSIONS" + json.dumps([whole, disabled]))
    found = course.jupyterlab()
    assert found.state is state
    assert words in found.words
    assert [end for end, command in zip(commands, found.commands, strict=True) if command.endswith(end)] == commands


def test_jupyterlab_that_does_not_start_is_broken(versions: dict[str, str], module: Callable[[str, str], None]):
    versions["jupyterlab"] = "4.6.6"
    module("jupyterlab", "raise ImportError('broken on purpose')")
    found = course.jupyterlab()
    assert found.state is BROKEN
    assert found.words == "4.6.6 is installed, but does not start: ImportError: broken on purpose"


def test_the_extensions_of_this_environment_are_those_that_its_jupyterlab_loads(
    require_module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    require_module("jupyterlab")
    (tmp_path / "labconfig").mkdir()
    (tmp_path / "labconfig" / "page_config.json").write_text('{"disabledExtensions": {"anywidget": true}}')
    assert course.jupyterlab().state is OK
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    assert "anywidget disabled" in course.jupyterlab().words


# ---- the course and its folder ----------------------------------------------------------------------------------------


def test_a_missing_or_damaged_notebook_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for room in ("lessons", "exercises"):
        shutil.copytree(content.folder(room), tmp_path / room)
    monkeypatch.setattr(content, "folder", lambda room: tmp_path / room)
    assert course.notebooks().state is OK

    (tmp_path / "lessons" / "03_the_graph.ipynb").write_text("{")
    (tmp_path / "exercises" / "09_custom_functions.ipynb").unlink()

    found = course.notebooks()
    assert found.state is BROKEN
    assert found.words == "missing or damaged: lessons/03_the_graph, exercises/09_custom_functions"


def test_an_installation_without_lessons_is_broken(monkeypatch: pytest.MonkeyPatch):
    def none(room: str) -> Path:
        raise UserError(f"This installation of autograd-teach has no {room}; install it again.")

    monkeypatch.setattr(content, "folder", none)
    assert course.notebooks() == broken("This installation of autograd-teach has no lessons; install it again.")


@pytest.mark.parametrize("is_edited", [True, False])
@pytest.mark.parametrize("is_here", [True, False])
def test_the_installation_says_what_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_edited: bool, is_here: bool
):
    place = course.ROOT if is_here else tmp_path
    origin = json.dumps({"url": place.as_uri(), "dir_info": {"editable": is_edited}})
    installed = SimpleNamespace(version="0.2.0", read_text=lambda name: origin, locate_file=lambda name: place)
    monkeypatch.setattr(metadata, "distribution", lambda name: installed)
    monkeypatch.setenv("PYTHONPATH", str(course.ROOT))
    monkeypatch.chdir(tmp_path)

    found = course.installation()

    assert found.state is (OK if is_here else OPTIONAL)
    assert ("editable: changes in" in found.words) == (is_here and is_edited)
    assert ("but what runs is" in found.words) == (not is_here)
    assert ("unset PYTHONPATH" in found.advice) == (not is_here)


def test_edited_sources_that_have_no_effect_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    installed = SimpleNamespace(version="0.2.0", read_text=lambda name: None, locate_file=lambda name: course.ROOT)
    monkeypatch.setattr(metadata, "distribution", lambda name: installed)
    (tmp_path / "autograd_teach" / "course").mkdir(parents=True)
    (tmp_path / "autograd_teach" / "course" / "new.py").touch()
    monkeypatch.chdir(tmp_path)
    assert "has no effect: run `pip install -e .`" in course.installation().advice


def full_disk(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=3_000_000))


def unwritable(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def refuse(dir: Path) -> None:
        raise PermissionError(13, "Permission denied", str(dir))

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)  # root may write everywhere


def a_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "lessons").mkdir(parents=True)


def an_unwritable_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    a_folder(monkeypatch, folder)
    unwritable(monkeypatch, folder)


def a_file(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    folder.touch()


def a_module_that_hides_another(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    a_folder(monkeypatch, folder)
    (folder / "lessons" / "random.py").touch()
    (folder / "lessons" / "mine.py").touch()


def a_package_that_hides_another(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    a_folder(monkeypatch, folder)
    (folder / "exercises" / "ipykernel").mkdir(parents=True)
    (folder / "exercises" / "ipykernel" / "__init__.py").touch()


def files_that_hide_nothing(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "exercises" / "numpy").mkdir(parents=True)
    (folder / "exercises" / "numpy" / "data.txt").touch()
    (folder / "exercises" / "helpers.py").touch()


@pytest.mark.parametrize(
    "prepare, state, words",
    [
        (lambda *_: None, OK, "is not there yet; `autograd-teach lab` makes it"),
        (a_folder, OK, "GB free"),
        (a_file, BROKEN, "is a file"),
        (an_unwritable_folder, BROKEN, "cannot be written (Permission denied)"),
        (unwritable, OPTIONAL, "is not there, and cannot be made"),
        (full_disk, OPTIONAL, "only 3 MB are free"),
        (a_module_that_hides_another, OPTIONAL, "lessons/random.py in"),
        (a_package_that_hides_another, OPTIONAL, "exercises/ipykernel in"),
        (files_that_hide_nothing, OK, "GB free"),
    ],
)
def test_the_folder_of_the_course(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    prepare: Callable[[pytest.MonkeyPatch, Path], None],
    state: State,
    words: str,
):
    folder = tmp_path / "autograd-course"
    prepare(monkeypatch, folder)
    monkeypatch.chdir(tmp_path)
    for named in (folder, None):
        found = course.course_folder(named)
        assert found.state is state
        assert words in found.words
        assert (state is OK) == (not found.advice)


@pytest.mark.parametrize(
    "ports, state, words", [(50, OK, "is in use, perhaps by another JupyterLab"), (1, OPTIONAL, "others near")]
)
def test_a_port_that_is_held(monkeypatch: pytest.MonkeyPatch, ports: int, state: State, words: str):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        number = holder.getsockname()[1]
        monkeypatch.setattr(course, "FIRST_PORT", number)
        monkeypatch.setattr(course, "PORTS", ports)
        found = course.port()
    assert found.state is state
    assert str(number) in found.words
    assert words in found.words


def test_no_browser_is_no_obstacle(monkeypatch: pytest.MonkeyPatch):
    def none() -> None:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    found = course.browser()
    assert found.state is OPTIONAL
    assert found.commands == ("autograd-teach lab --no-browser",)


@pytest.mark.parametrize("encoding, state", [("utf-8", OK), ("UTF8", OK), ("cp1252", OPTIONAL), ("ascii", OPTIONAL)])
def test_a_terminal_without_utf_8_is_told(monkeypatch: pytest.MonkeyPatch, encoding: str, state: State):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    found = course.terminal()
    assert found.state is state
    assert (state is OPTIONAL) == ("PYTHONUTF8" in found.advice)


@pytest.mark.parametrize(
    "variables, state",
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://ada:secret@proxy"}, OPTIONAL),
        ({"https_proxy": "http://ada:secret@proxy", "NO_PROXY": "localhost,127.0.0.1"}, OK),
    ],
)
def test_a_proxy_is_told_without_its_password(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], state: State | None
):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        for each in (name, name.upper()):
            monkeypatch.delenv(each, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = course.proxy()
    assert (found.state if found else None) is state
    assert found is None or "secret" not in said(found)


def test_the_system_s_python_is_told_to_be_one_for_pip_to_leave_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    assert course.python_version().state is OK
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    assert "virtual environment" in course.python_version().advice


# ---- pictures ---------------------------------------------------------------------------------------------------------

DRAWS = "class AGraph:\n    def __init__(self, string): pass\n    def draw(self, format, prog): return b'<svg/>'\n"
FAILS = "raise ImportError('no Graphviz in it')"
DIES = "import os; os._exit(139)"


@posix_only
@pytest.mark.parametrize(
    "wheel, dot, state, words",
    [
        (DRAWS, None, OK, "pygraphviz 2.0.4 draws the graphs"),
        (
            FAILS,
            "echo '<svg/>'",
            OK,
            "the program dot draws the graphs (<svg/>); pygraphviz 2.0.4 is installed but does not draw: ImportError: no",
        ),
        (DIES, None, OPTIONAL, "exit status 139"),
        (None, "echo '<svg/>'", OK, "the program dot draws the graphs"),
        (None, "exit 1", OPTIONAL, "the browser draws the graphs"),
        (None, None, OPTIONAL, "the browser draws the graphs"),
    ],
)
def test_which_graphviz_draws(
    versions: dict[str, str],
    module: Callable[[str, str], None],
    program: Callable[[str, str], None],
    require_module: Callable[[str], Any],
    wheel: str | None,
    dot: str | None,
    state: State,
    words: str,
):
    require_module("graphviz")
    versions["graphviz"] = "0.21"
    if wheel:
        versions["pygraphviz"] = "2.0.4"
    module("pygraphviz", wheel or FAILS)
    if dot:
        program("dot", dot)
    found = pictures.graphviz()
    assert found.state is state
    assert words in found.words
    assert (state is OPTIONAL) == ("https://graphviz.org" in found.advice or "pygraphviz" in " ".join(found.commands))


@posix_only
def test_dot_without_the_package_that_calls_it(
    versions: dict[str, str], program: Callable[[str, str], None], module: Callable[[str, str], None]
):
    module("graphviz", "raise ImportError('not installed')")
    program("dot", "exit 0")
    found = pictures.graphviz()
    assert "dot is here, but not the Python package graphviz" in found.words
    assert found.commands[0].endswith('pip install "graphviz>=0.20"')


def test_an_installation_without_the_browser_s_engine_draws_nothing(
    versions: dict[str, str], program: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
):
    def fail(code: str) -> str:
        raise tools.Failed("FileNotFoundError: viz.js")

    monkeypatch.setattr(pictures, "run_python", fail)
    found = pictures.graphviz()
    assert found.state is BROKEN
    assert found.advice == course.AGAIN


# ---- grading ----------------------------------------------------------------------------------------------------------


NO_ROOT = "the grader is not root"
REFUSED = "this system allows no new namespaces: Operation not permitted"


@linux_only
@pytest.mark.parametrize(
    "kind, failed, has_bwrap, uid, setting, state, words, advice",
    [
        ("bubblewrap", [], True, 1000, None, OK, "0.11.0 works: students' code sees none of your files, and no network", ""),
        ("namespaces", ["it is not installed"], False, 1000, None, OK, "made by the grader itself works: students' code sees none", ""),
        ("namespaces", ["bwrap: No permissions"], True, 1000, None, OK, "; bubblewrap does not work: bwrap: No permissions", ""),
        ("process", ["it is not installed", REFUSED, NO_ROOT], False, 1000, None, OPTIONAL,
         "allows no new namespaces: Operation not permitted: nothing is graded", "Containers often forbid"),
        ("process", ["bwrap: Permission denied", REFUSED, NO_ROOT], True, 1000, 0, OPTIONAL,
         "Operation not permitted: nothing", "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        ("process", ["bwrap: No permissions", REFUSED, NO_ROOT], True, 1000, 1, OPTIONAL,
         "Operation not permitted: nothing", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        ("process", ["it is not installed", REFUSED, NO_ROOT], False, 1000, 2, OPTIONAL,
         "Operation not permitted: nothing", "sudo sysctl -w user.max_user_namespaces=10000"),
        ("process", ["it is not installed", REFUSED, "other users cannot enter /root, where Python is: install it elsewhere"], False, 0, 0, OPTIONAL,
         "other users does not work (other users cannot enter /root, where Python is: install it elsewhere): nothing is graded", "Containers often forbid"),
        ("process", ["it is not installed", "line 10 ModuleNotFoundError: No module named 'numpy'", NO_ROOT], False, 1000, 0, OPTIONAL,
         "does not work in them: ModuleNotFoundError: No module named 'numpy': nothing is graded", ""),
        ("user", ["it is not installed", REFUSED], False, 0, None, OPTIONAL,
         "so students' code runs as users made up for it", "Containers often forbid"),
    ],
)  # fmt: skip
def test_the_sandbox_that_grading_would_take(
    monkeypatch: pytest.MonkeyPatch,
    program: Callable[[str, str], None],
    tmp_path: Path,
    kind: str,
    failed: list[str],
    has_bwrap: bool,
    uid: int,
    setting: int | None,
    state: State,
    words: str,
    advice: str,
):
    from autograd_teach.grading import sandbox

    monkeypatch.setattr(sandbox, "available", lambda: sandbox.Isolation(kind))
    monkeypatch.setattr(sandbox, "problems", lambda: dict(zip(sandbox.Isolation, failed, strict=False)))
    monkeypatch.setattr(sandbox, "filters_calls", lambda: True)
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    if has_bwrap:
        program("bwrap", "echo bubblewrap 0.11.0")
    else:
        monkeypatch.setenv("PATH", str(tmp_path))
    table = []
    for number, (_, value, *rest) in enumerate(grading.USER_NAMESPACES):
        (tmp_path / str(number)).write_text(f"{value if number == setting else 7}\n")
        table.append((str(tmp_path / str(number)), value, *rest))
    monkeypatch.setattr(grading, "USER_NAMESPACES", table)

    found = grading.sandbox()

    assert found.state is state
    assert words in found.words
    assert advice in said(found)
    assert bool(advice) == bool(found.advice)
    assert ("Nothing can be graded" in found.summary) == (kind == "process")


@linux_only
@pytest.mark.parametrize(
    "kind, landlock, filters, words",
    [
        ("bubblewrap", 0, True, ""),
        ("bubblewrap", 0, False, "all system calls are allowed (no filter)"),
        ("user", 6, True, ""),
        ("user", 3, True, "sockets without a file can be reached (old landlock)"),
        ("user", 0, False, "no landlock); all system calls are allowed, and the network is open (no filter)"),
    ],
)
def test_what_a_machine_cannot_give_to_a_box_is_told(
    monkeypatch: pytest.MonkeyPatch, kind: str, landlock: int, filters: bool, words: str
):
    from autograd_teach.grading import sandbox
    from autograd_teach.grading.sandbox import confine

    monkeypatch.setattr(confine, "landlock_version", lambda: landlock)
    monkeypatch.setattr(sandbox, "filters_calls", lambda: filters)
    found = grading._with_lacks(sandbox.Isolation(kind), "It works", "")
    assert (found.state is OK) == (not words)
    assert found.words.removeprefix("It works").endswith(words)
    assert bool(words) == (found.words != "It works")


@linux_only
@pytest.mark.parametrize(
    "groups, words",
    [
        ({"unified": "/sys/fs/cgroup/x"}, "control groups (version 2) bound memory (4 GB)"),
        ({"memory": "/a", "pids": "/b"}, "control groups (version 1) bound memory (4 GB)"),
        ({}, "memory (4 GB) and processes of a submission are checked 10 times a second instead"),
    ],
)
def test_limits_are_the_kernel_s_or_the_grader_s(monkeypatch: pytest.MonkeyPatch, groups: dict[str, str], words: str):
    from autograd_teach.grading.sandbox import cgroups

    monkeypatch.setattr(cgroups, "parents", lambda: groups)
    found = grading.limits()
    assert words in found.words
    assert (found.state is OK) == bool(groups)
    assert ("checked 10 times a second" in found.summary) == (not groups)


@linux_only
@pytest.mark.parametrize(
    "processors, state, command", [(2, OK, ""), (64, OPTIONAL, "autograd-teach grade --jobs 4 ...")]
)
def test_memory_for_all_answers_that_run_at_a_time(
    monkeypatch: pytest.MonkeyPatch, processors: int, state: State, command: str
):
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 4_000_000, "SC_PAGE_SIZE": 4096}.__getitem__)
    found = grading.machine()
    assert found.state is state
    assert (
        found.words
        == f"{processors} processors, 16 GB of memory: {processors} answers run at a time, each with at most 4 GB"
    )
    assert " ".join(found.commands) == command


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_elsewhere_grading_needs_linux(monkeypatch: pytest.MonkeyPatch, system: str):
    monkeypatch.setattr(sys, "platform", system)
    (probe,) = grading.probes()
    found = probe.examine()
    assert found is not None
    assert found.state is OPTIONAL
    assert found.words.startswith("Grading needs Linux; ")


def test_on_windows_it_is_the_sentence_of_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    monkeypatch.setattr(sys, "platform", "win32")
    sentence = grading.elsewhere().words
    assert cli.main(["grade", str(tmp_path), "--output", str(tmp_path / "out")]) == 2
    assert sentence in capsys.readouterr().err


def test_an_installed_course_has_no_solutions(monkeypatch: pytest.MonkeyPatch):
    def none(room: str) -> Path:
        raise UserError("The solutions do not come with the installed package")

    assert grading.solutions().state is OK
    monkeypatch.setattr(content, "folder", none)
    assert grading.solutions().commands == ("autograd-teach grade --solutions FOLDER ...",)


# ---- the website, contributing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "installed, state, words",
    [
        ({}, OPTIONAL, "in an environment of its own"),
        ({"jupyterlite-core": "0.7.6", "jupyterlite-pyodide-kernel": "0.7.2"}, OK, "open the course in another"),
        (
            {"jupyterlite-core": "0.7.6", "jupyterlite-pyodide-kernel": "0.8.0"},
            OPTIONAL,
            "jupyterlite-pyodide-kernel==0.7.2",
        ),
        ({"jupyterlite-core": "0.7.6"}, OPTIONAL, "jupyterlite-pyodide-kernel==0.7.2"),
    ],
)
def test_what_builds_the_site(
    versions: dict[str, str], require_module: Callable[[str], Any], installed: dict[str, str], state: State, words: str
):
    require_module("packaging")
    versions.update(installed)
    found = website.jupyterlite()
    assert found.state is state
    assert words in found.words


def test_what_contributors_lack_is_named(versions: dict[str, str], program: Callable[[str, str], None]):
    versions.update({name: "99" for name in contributing.TESTS if name != "playwright"})
    assert contributing.tests().words == "playwright not installed: the tests do not run"
    assert contributing.tests().commands[0].endswith('pip install -e ".[test]"')
    assert contributing.style().commands[0].endswith('pip install -e ".[dev]"')
    assert contributing.chromium().state is OPTIONAL
    assert contributing.npm().state is OPTIONAL


@posix_only
@pytest.mark.parametrize(
    "manager, uid, expected",
    [
        ("apt-get", 1000, ("Install it:", "sudo apt install bubblewrap")),
        ("apt-get", 0, ("Install it:", "apt install bubblewrap")),
        ("dnf", 1000, ("Install it:", "sudo dnf install bubblewrap")),
        ("brew", 501, ("Install it:", "brew install bubblewrap")),
        (None, 1000, ("Install it with your system's package manager.",)),
    ],
)
def test_a_program_is_installed_as_this_machine_does_it(
    monkeypatch: pytest.MonkeyPatch,
    program: Callable[[str, str], None],
    manager: str | None,
    uid: int,
    expected: Sequence[str],
):
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    if manager:
        program(manager, "exit 0")
    assert tools.install("bubblewrap") == expected


# ---- running the probes -----------------------------------------------------------------------------------------------


def test_nothing_that_a_probe_does_ends_the_report():
    never = threading.Event()

    def fails() -> Finding:
        raise KeyError("a fault of ours")

    def exits() -> Finding:
        raise SystemExit(3)

    def hangs() -> Finding:
        never.wait()
        return ok("too late")

    told: list[str] = []
    table = (
        Probe("hangs", hangs, 0.05),
        Probe("fails", fails),
        Probe("exits", exits),
        Probe("silent", lambda: None),
        Probe("works", lambda: ok("fine")),
    )
    try:
        lines = examination.examine([Group("one", table[:1]), Group("two", table[1:])], told.append)
    finally:
        never.set()

    assert [(line.group, line.name, line.finding.state) for line in lines] == [
        ("one", "hangs", UNKNOWN),
        ("two", "fails", UNKNOWN),
        ("two", "exits", UNKNOWN),
        ("two", "works", OK),
    ]
    assert lines[0].finding.words == "could not be examined within 0.05 seconds"
    assert lines[1].finding.words == "could not be examined: KeyError: 'a fault of ours'"
    assert lines[2].finding.words == "could not be examined: SystemExit: 3"
    assert report.status(lines) == 0
    assert "3 things could not be found out: hangs, fails, exits." in report.summary(lines)


def test_a_user_is_told_what_is_waited_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examination, "PATIENCE", 0.01)
    is_told = threading.Event()
    told: list[str] = []

    def tell(name: str) -> None:
        told.append(name)
        is_told.set()

    def slow() -> Finding:
        assert is_told.wait(60)
        return ok("at last")

    lines = examination.examine(
        [Group("one", (Probe("slow", slow, 60.0), Probe("quick", lambda: ok("at once"))))], tell
    )
    assert told == ["slow"]
    assert [line.finding.words for line in lines] == ["at last", "at once"]


# ---- the report -------------------------------------------------------------------------------------------------------

LINES = [
    examination.Line("Here", "Good", ok("as it should be", "Grading is sandboxed.")),
    examination.Line("Here", "Bad", broken("missing " * 30, "Install it, " * 20, "pip install " + "x" * 90)),
    examination.Line("There", "Less", optional("could be better", "Change it:", "change --it")),
    examination.Line("There", "Odd", Finding(UNKNOWN, "could not be examined: OSError")),
]
NO_SANDBOX = [examination.Line("There", "Sandbox", optional("none", summary="Nothing can be graded here."))]


@pytest.mark.parametrize(
    "lines, status, sentence",
    [
        (LINES[:1], 0, "Everything that students need is here."),
        (NO_SANDBOX, 0, "Nothing can be graded here. Everything that students need is here."),
        (LINES[1:2], 1, "Something that students need is missing or does not work (!!): Bad."),
        (LINES[2:3], 0, "Everything that students need is here."),
        (LINES[3:], 0, "Everything that students need is here. 1 thing could not be found out: Odd."),
        (
            LINES[1:2] * 2,
            1,
            "Something that students need is missing or does not work (!!): Bad, Bad. Installing the course again brings all its packages.",
        ),
    ],
)
def test_the_last_sentence_and_the_status(lines: list[examination.Line], status: int, sentence: str):
    assert report.summary(lines) == sentence
    assert report.status(lines) == status


def test_what_works_for_instructors_is_told_if_all_is_asked_for():
    sentence = "Grading is sandboxed. Everything that students need is here."
    assert report.summary(LINES[:1], is_all_asked_for=True) == sentence
    assert report.table(LINES[:1], 80, io.StringIO(), is_all_asked_for=True).endswith(sentence)
    assert json.loads(report.as_json(LINES[:1], None, is_all_asked_for=True))["summary"] == sentence
    assert "sandboxed" not in report.table(LINES[:1], 80, io.StringIO())


@pytest.mark.parametrize(
    ("lines", "state", "words"),
    [
        (LINES[:1], State.OK, "all that is needed is here"),
        ([LINES[0], LINES[2], *NO_SANDBOX], State.OPTIONAL, "Less, Sandbox: missing, or could be better"),
        (LINES[2:], UNKNOWN, "Odd: could not be examined"),
    ],
)
def test_a_group_for_instructors_is_one_line_for_students(lines: list[examination.Line], state: State, words: str):
    theirs = [replace(each, group="Theirs") for each in lines]
    first, second = report.folded([LINES[0], *theirs], {"Theirs": "Grading"})
    assert first == LINES[0]
    assert (second.group, second.name) == ("For instructors", "Grading")
    assert (second.finding.state, second.finding.words) == (state, words)
    assert ("--all" in second.finding.advice) == (state is not State.OK)


@pytest.mark.parametrize(("is_checkout", "arguments", "is_whole"), [(0, [], 0), (0, ["--all"], 1), (1, [], 1)])
def test_students_see_one_line_of_what_instructors_need(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_checkout: int,
    arguments: list[str],
    is_whole: int,
):
    monkeypatch.setattr(course, "is_editable", lambda: bool(is_checkout))
    monkeypatch.setattr(
        doctor, "examine", lambda groups, tell: [examination.Line(each.name, "Odd", ok("as it is")) for each in groups]
    )
    parser = argparse.ArgumentParser()
    doctor.add_arguments(parser)
    assert doctor.run(parser.parse_args(arguments)) == 0
    shown = capsys.readouterr().out.splitlines()
    assert ("Grading, for instructors" in shown) == bool(is_whole)
    assert shown.count("For instructors") == 1 - is_whole
    assert any(row.startswith("  ok  Website ") for row in shown) != bool(is_whole)
    assert "The course" in shown


@pytest.mark.parametrize("width", [20, 80, 500])
def test_the_table_fits_into_the_terminal_and_can_be_read_without_colour(width: int):
    rows = report.table(LINES, width, io.StringIO()).splitlines()
    assert max(len(row) for row in rows if "pip install" not in row) <= min(max(width, 60), 100)
    assert any(row.endswith("  pip install " + "x" * 90) for row in rows), "a command is one line, to be copied"
    signs = {row.split()[1]: row.split()[0] for row in rows if re.match("  (ok|--|!!|[?][?])  ", row)}
    assert signs == {"Good": "ok", "Bad": "!!", "Less": "--", "Odd": "??"}
    assert not any("\033" in row for row in rows)


def test_colours_change_nothing_but_colours(monkeypatch: pytest.MonkeyPatch):
    plain = report.table(LINES, 80, io.StringIO())
    monkeypatch.setenv("PYTHON_COLORS", "1")
    coloured = report.table(LINES, 80, io.StringIO())
    assert "\033[31m!!" in coloured
    assert re.sub(r"\033\[\d+m", "", coloured) == plain


@pytest.mark.parametrize(
    "text, expected",
    [
        ("HOME/course/.venv", "~/course/.venv"),
        ("in HOME: no", "in ~: no"),
        ("HOMEs/course HOME-old", "HOMEs/course HOME-old"),
        ("/scratch/ada/x /scratch/ada", "/scratch/USER/x /scratch/USER"),
        ("/scratch/adam and ada", "/scratch/adam and ada"),
        ("two\nlines\x1b[31m", "two lines�[31m"),
    ],
)
def test_nothing_names_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, expected: str):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    assert report.private(text.replace("HOME", str(tmp_path))) == expected.replace("HOME", str(tmp_path))


def test_a_command_can_be_typed_as_it_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    found = optional("in /scratch/ada", "", f"{tmp_path}/bin/python", "/scratch/ada/bin/python")
    shown = report.table([examination.Line("Here", "Odd", found)], 80, io.StringIO())
    assert "in /scratch/USER" in shown
    assert "  ~/bin/python\n" in shown
    assert "  /scratch/ada/bin/python\n" in shown
    assert "ada" not in report.as_json([examination.Line("Here", "Odd", found)], None)


def test_a_user_without_a_name_or_a_home_has_nothing_to_hide(monkeypatch: pytest.MonkeyPatch):
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    monkeypatch.setenv("HOME", "/")
    monkeypatch.setenv("USERPROFILE", "/")
    assert report.private("/usr/bin/python") == "/usr/bin/python"


# ---- all of it --------------------------------------------------------------------------------------------------------

PROGRAM = """
import argparse, os, sys
from dataclasses import replace
from autograd_teach import doctor
from autograd_teach.doctor import tools
tables = doctor.groups
def patient(*arguments):  # on a busy machine each probe has all the time that it needs
    only = os.environ.get("ONLY")
    for table in tables(*arguments):
        chosen = (probe for probe in table.probes if only in (None, probe.name))
        yield replace(table, probes=tuple(replace(probe, seconds=600) for probe in chosen))
tools.SECONDS, doctor.groups = 500, lambda *arguments: list(patient(*arguments))
parser = argparse.ArgumentParser()
doctor.add_arguments(parser)
sys.exit(doctor.run(parser.parse_args()))
"""


def real(home: Path, *arguments: str, python: Sequence[str] = (), **variables: str) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, in a process of its own."""
    return subprocess.run(
        [sys.executable, *python, "-c", PROGRAM, *arguments],
        cwd=home,
        env={**os.environ, "HOME": str(home), "USERPROFILE": str(home), "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_report_of_this_machine(tmp_path: Path):
    done = real(tmp_path, "--json", "--all")
    told = json.loads(done.stdout)
    assert done.returncode == told["status"] == int(any(each["state"] == "broken" for each in told["findings"]))
    assert {each["state"] for each in told["findings"]} <= {"ok", "optional", "broken"}, told
    assert str(tmp_path) not in done.stdout
    folder = next(each for each in told["findings"] if each["name"] == "Folder")
    assert folder["words"].replace("\\", "/").startswith("~/autograd-course is not there yet")
    assert {each["group"] for each in told["findings"]} >= {"The course", "Pictures", "Contributing"}


@pytest.mark.skipif(
    sys.platform == "win32", reason="NumPy alone is a link here, which Windows allows to administrators"
)
def test_with_numpy_alone_it_says_what_is_missing(tmp_path: Path):
    alone = tmp_path / "alone"
    alone.mkdir()
    numpy = Path(find_spec("numpy").submodule_search_locations[0])  # type: ignore[union-attr,index]
    for path in (numpy, *numpy.parent.glob("numpy-*"), *numpy.parent.glob("numpy.libs")):
        (alone / path.name).symlink_to(path)

    done = real(tmp_path, python=["-S"], PYTHONPATH=os.pathsep.join([str(ROOT), str(alone)]), COLUMNS="80")

    assert done.returncode == 1, done.stderr
    rows = {name: sign for sign, name in re.findall(r"^  (ok|--|!!|[?][?])  (\S+)", done.stdout, re.MULTILINE)}
    assert "??" not in rows.values(), done.stdout
    assert {name for name, sign in rows.items() if sign == "!!"} == {
        "JupyterLab", "ipywidgets", "anywidget", "Packages", "matplotlib",
    }  # fmt: skip
    assert rows["NumPy"] == "ok"
    assert "(!!): JupyterLab, ipywidgets, anywidget, Packages, matplotlib." in " ".join(done.stdout.split())
    assert "Traceback" not in done.stderr


@linux_only
def test_a_bubblewrap_that_fails_is_told_in_its_own_words(program: Callable[[str, str], None], tmp_path: Path):
    program("bwrap", "echo 'bwrap: broken on purpose' >&2; exit 1")
    found = json.loads(real(tmp_path, "--json", ONLY="Sandbox").stdout)["findings"]
    (sandbox,) = found
    assert re.search("bubblewrap does not work: bwrap: broken on purpose|namespaces do not work: ", sandbox["words"])


def test_a_terminal_that_lacks_letters_gets_the_report(tmp_path: Path):
    home = tmp_path / "Ådå’s course"
    home.mkdir()
    done = real(home, "∂/course", ONLY="Folder", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert "?/course is not there yet" in " ".join(done.stdout.split())
    assert "Traceback" not in done.stderr


def test_contributors_rows_are_those_of_a_checkout_or_asked_for(monkeypatch: pytest.MonkeyPatch):
    def names(is_asked_for: bool) -> list[str]:
        return [group.name for group in doctor.groups(None, is_asked_for)]

    assert "Contributing" in names(False)
    monkeypatch.setattr(course, "ROOT", Path(tempfile.gettempdir()) / "none")
    assert "Contributing" not in names(False)
    assert names(True)[-1] == "Contributing"
