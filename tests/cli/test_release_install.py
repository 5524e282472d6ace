"""The wheel and the sdist as their users meet them: installed into empty environments, in empty folders.

They are built by `python -m build`, or taken from the folder AUTOGRAD_TEACH_DIST.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
BIN = "Scripts" if os.name == "nt" else "bin"
OLDEST = (3, 11)
PROGRAM = """
import autograd_teach as torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.backward()
print(x.grad)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, require_module: Callable[[str], ModuleType]) -> Path:
    """A folder with a wheel and an sdist."""
    if given := os.environ.get("AUTOGRAD_TEACH_DIST"):
        return Path(given)
    require_module("build")
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--outdir", folder, ROOT], cwd=folder)
    return folder


@pytest.fixture(scope="module")
def pythons() -> dict[tuple[int, ...], str]:
    """The Pythons of this machine from 3.11 on, oldest first."""
    candidates = [sys.executable, *filter(None, (shutil.which(f"python3.{minor}") for minor in range(11, 30)))]
    if "PYENV_ROOT" in os.environ:
        candidates += map(str, Path(os.environ["PYENV_ROOT"]).glob("versions/*/bin/python"))
    found = {}
    for candidate in candidates:
        program = "import ensurepip, sys, venv; print(*sys.version_info[:2])"
        asked = subprocess.run([candidate, "-I", "-c", program], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            found.setdefault(tuple(map(int, asked.stdout.split())), candidate)
    return {version: found[version] for version in sorted(found) if version >= OLDEST}


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The variables for a program that knows neither this checkout nor the settings of who runs the tests."""
    ours = ("PYTHON", "AUTOGRAD_TEACH", "GITHUB_", "VIRTUAL_ENV", "PYTEST")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    settings = {f"JUPYTER_{name}_DIR": str(folder / f".{name.lower()}") for name in ("CONFIG", "DATA", "RUNTIME")}
    settings |= {f"JUPYTERLAB_{name}_DIR": str(folder / f".{name.lower()}") for name in ("SETTINGS", "WORKSPACES")}
    return kept | settings | {"IPYTHONDIR": str(folder / ".ipython"), "PYTHONUTF8": "1"} | more


def run(command: list[str | Path], cwd: Path, status: int = 0, **more: str) -> str:
    """The output of a command, which must end with this status."""
    ran = subprocess.run(
        command, cwd=cwd, env=environment(cwd, **more), capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran.stdout


@contextmanager
def started(command: list[str | Path], cwd: Path, **more: str) -> Iterator[str]:
    """The first page of JupyterLab, while the command that starts JupyterLab runs."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment(cwd, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdout
    said = []
    try:
        for line in process.stdout:
            said.append(line)
            if address := re.search(r"http://127\.0\.0\.1:\d+/\S+token=\w+", line):
                yield answer_of(address[0], process)
                break
        else:
            pytest.fail(f"JupyterLab did not start:\n{''.join(said)}")
    finally:
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)  # the shell's children too
        else:
            process.terminate()
        process.communicate()


def answer_of(address: str, server: subprocess.Popen[str]) -> str:
    """The page at this address. JupyterLab prints its address a moment before it listens there."""
    while True:
        try:
            with urllib.request.urlopen(address) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError:
            assert server.poll() is None, "JupyterLab has ended"
            time.sleep(0.1)


def assert_course_in(folder: Path) -> None:
    """The folder has every lesson and exercise of this tree."""
    for room in ("lessons", "exercises"):
        expected = {path.name for path in (ROOT / room).glob("*.ipynb")}
        assert {path.name for path in (folder / room).glob("*.ipynb")} == expected != set()


def test_twine_accepts_both(built: Path, require_module: Callable[[str], ModuleType]):
    require_module("twine")
    files = sorted(built.glob("autograd_teach-*"))
    assert len(files) == 2
    said = run([sys.executable, "-m", "twine", "--no-color", "check", "--strict", *files], cwd=built)
    assert all(f"{file}: PASSED" in said.replace("\n", "") for file in files), said


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_the_wheel_in_an_empty_environment(
    which: str, built: Path, pythons: dict[tuple[int, ...], str], tmp_path: Path
):
    if which == "newest" and len(pythons) == 1:
        pytest.skip("this machine has one Python only")
    python = list(pythons.values())[-1 if which == "newest" else 0]
    run([python, "-m", "venv", tmp_path / "empty"], cwd=tmp_path)
    programs = tmp_path / "empty" / BIN
    (wheel,) = built.glob("*.whl")
    run([programs / "python", "-m", "pip", "install", wheel], cwd=tmp_path)
    run([programs / "python", "-m", "pip", "check"], cwd=tmp_path)
    (tmp_path / "script.py").write_text(PROGRAM)

    path = {"PATH": str(programs)}  # no `dot`
    command = programs / "autograd-teach"
    version = wheel.name.split("-")[1]
    assert run([command, "--version"], tmp_path, **path) == f"autograd-teach {version}\n"
    assert run([programs / "python", "script.py"], tmp_path, **path) == "tensor(6.)\n"
    run([command, "graph", "script.py:y", "-o", "y.svg"], tmp_path, **path)
    assert "MulBackward0" in (tmp_path / "y.svg").read_text("utf-8")
    with started([command, "lab", "--no-browser"], tmp_path, **path) as page:
        assert "JupyterLab" in page
    assert_course_in(tmp_path / "autograd-course")
    notebook = tmp_path / "autograd-course" / "exercises" / "00_start_here.ipynb"
    checked = json.loads(run([command, "check", "--json", notebook], tmp_path, status=1, **path))
    (exercises,) = (each["exercises"] for each in checked["notebooks"])
    assert exercises and not any(each["attempted"] for each in exercises)


@pytest.fixture
def unpacked(built: Path, tmp_path: Path) -> Path:
    """The only folder in the sdist, unpacked where no git repository is."""
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    return folder


def readme_command(folder: Path, name: str) -> str:
    """The line that the README in `folder` gives for this mark."""
    found = re.search(
        rf"^<!-- command: {name} -->\n```sh\n(.+)\n```$", (folder / "README.md").read_text(), re.MULTILINE
    )
    assert found, f"README.md has no command {name}"
    return found[1]


def programs_of_the_system(folder: Path, *left_out: str) -> Path:
    """A folder for PATH: all programs that PATH names now, but those left out; `python3` is the Python that runs this."""
    folder.mkdir()
    for place in os.get_exec_path():
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            if program.name not in (*left_out, "python3") and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    own = folder / "python3"
    own.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    own.chmod(0o755)
    return folder


@pytest.mark.skipif(os.name != "posix", reason="the README has commands of their own for PowerShell")
def test_the_readmes_lab_command_from_the_sdist_alone(unpacked: Path, tmp_path: Path, require_tool: Callable[..., str]):
    path = programs_of_the_system(tmp_path / "programs", "dot", "git")
    command = f"{readme_command(unpacked, 'lab')} --no-browser"
    with started([require_tool("bash"), "-c", command], unpacked, PATH=str(path)) as page:
        assert "JupyterLab" in page
    assert_course_in(unpacked / "autograd-course")


@pytest.mark.skipif(os.name != "posix", reason="the README has commands of their own for PowerShell")
def test_the_readmes_test_command_from_the_sdist_alone(
    unpacked: Path, tmp_path: Path, require_tool: Callable[..., str]
):
    path = programs_of_the_system(tmp_path / "programs", "dot", "git")
    # All tests run in .ci/run, from a tree with the same files.
    command = f"{readme_command(unpacked, 'test')} tests/cli tests/nn"
    said = run([require_tool("bash"), "-c", command], unpacked, PATH=str(path))
    assert re.search(r"\b[1-9]\d* passed", said), said
