"""What is installed: the files in the wheel, what importing it loads, and the commands that README.md promises."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = {
    room: sorted(path.name for path in (ROOT / room).glob("*.ipynb")) for room in ("lessons", "exercises", "solutions")
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, require_module: Callable[[str], ModuleType]) -> zipfile.ZipFile:
    """The wheel of this tree, built as pip would."""
    require_module("hatchling.build")
    folder = tmp_path_factory.mktemp("wheel")
    program = f"import hatchling.build as b, os; os.chdir({str(ROOT)!r}); b.build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_carries_lessons_and_exercises(wheel: zipfile.ZipFile):
    names = set(wheel.namelist())
    for room in ("lessons", "exercises"):
        assert NOTEBOOKS[room], f"there are no {room}"
        for name in NOTEBOOKS[room]:
            assert f"autograd_teach/_course/{room}/{name}" in names


def test_the_wheel_carries_no_solution(wheel: zipfile.ZipFile):
    assert NOTEBOOKS["solutions"]
    carried = [wheel.read(name) for name in wheel.namelist()]
    for name in NOTEBOOKS["solutions"]:
        assert (ROOT / "solutions" / name).read_bytes() not in carried
    assert not any("BEGIN SOLUTION" in name or "solutions/" in name for name in wheel.namelist())
    for name in wheel.namelist():
        if name.endswith(".ipynb"):
            assert b"### BEGIN SOLUTION" not in wheel.read(name), name


def test_the_wheel_carries_every_file_of_the_package_and_nothing_beside_it(wheel: zipfile.ZipFile):
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "autograd_teach").rglob("*")
        if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(path.parts)
    }
    assert {Path(name).suffix for name in package} >= {".py", ".js", ".css", ".toml", ".typed"}
    carried = {name for name in wheel.namelist() if "/_course/" not in name}
    metadata = {name for name in carried if name.split("/")[0].endswith(".dist-info")}
    for_jupyter = {name for name in carried if ".data/data/share/jupyter/" in name}
    assert carried - metadata - for_jupyter == package
    assert any(name.endswith("licenses/LICENSE") for name in metadata)


def test_the_wheel_puts_the_extension_where_jupyterlab_and_notebook_7_look_for_it(wheel: zipfile.ZipFile):
    source = ROOT / "autograd_teach/viz/jupyter/labextensions"
    files = {path.relative_to(source).as_posix(): path.read_bytes() for path in source.rglob("*") if path.is_file()}
    marker = ".data/data/share/jupyter/labextensions/"
    carried = {name.split(marker)[1]: wheel.read(name) for name in wheel.namelist() if marker in name}
    assert carried == files
    about = json.loads(files["autograd-teach/package.json"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (about["name"], about["version"]) == (project["name"], project["version"])
    assert f"autograd-teach/{about['jupyterlab']['_build']['load']}" in files


def test_the_works_of_others_are_what_their_readme_says_with_their_licences(wheel: zipfile.ZipFile):
    folder = ROOT / "autograd_teach/viz/static/vendor/graphviz"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    code = (folder / "viz.js").read_bytes()
    assert hashlib.sha256(code).hexdigest() in readme
    assert code.startswith(b"/*!\nViz.js 3.31.0")
    licences = {path.name for path in folder.glob("LICENSE.*")}
    assert licences == set(re.findall(r"`(LICENSE\.[\w-]+)`", readme))
    assert licences <= {name.rpartition("/")[2] for name in wheel.namelist() if ".dist-info/licenses/" in name}


def test_importing_the_package_loads_numpy_and_the_standard_library_only():
    program = (
        "import sys, numpy, numpy.random\n"  # with what NumPy's own compiled parts register
        "before = set(sys.modules)\n"
        "import autograd_teach\n"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    # -I: neither this folder nor the user's own site-packages; .pth files may load what they like before.
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "autograd_teach" in loaded
    foreign = set(loaded) - set(sys.stdlib_module_names) - {"numpy", "autograd_teach"}
    assert not foreign


def readme_blocks(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_readmes_commands_are_one_line_each_and_say_the_same_on_both_systems():
    shell, powershell = readme_blocks("sh")[:2], readme_blocks("powershell")
    assert len(powershell) == 2
    for one, other in zip(shell, powershell, strict=True):
        assert one.count("\n") == other.count("\n") == 1
        said = re.findall(r"\.venv/bin/(.*?)(?: &&|$)", one.strip())
        assert said == re.findall(r"\.venv\\Scripts\\(.*?) ?(?:;| }|$)", other.strip())


def test_the_readmes_pictures_exist_and_are_light():
    for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text("utf-8")):
        assert (ROOT / name).stat().st_size < 300_000


def test_every_third_party_module_that_is_imported_is_a_declared_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = {re.match(r"[\w-]+", line).group() for line in project["dependencies"]}  # type: ignore[union-attr]  # always matches
    # What a declared package itself requires and hands on, by the package that does.
    declared |= {"IPython", "ipykernel", "traitlets", "jupyter_client", "jupyter_core", "pytest", "zmq"}
    declared |= {"nbconvert", "mistune", "pygments", "packaging"}  # by jupyterlab
    declared |= {"torch"}  # looked for, never required
    pattern = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)
    for path in (ROOT / "autograd_teach").rglob("*.py"):
        code = re.sub(r'""".*?"""', "", path.read_text("utf-8"), flags=re.DOTALL)
        foreign = set(pattern.findall(code)) - set(sys.stdlib_module_names) - {"autograd_teach"}
        if (
            path.relative_to(ROOT).as_posix() == "autograd_teach/grading/cluster.py"
        ):  # the one place that needs the extra
            assert any(line.startswith("distributed") for line in project["optional-dependencies"]["cluster"])
            foreign -= {"distributed", "dask"}
        assert foreign <= declared, f"{path.relative_to(ROOT)}: {foreign - declared}"


@pytest.mark.skipif(os.name != "posix", reason=".ci/run is a POSIX script")
def test_ci_runs_the_readmes_own_test_command():
    program = (ROOT / ".ci" / "run").read_text("utf-8")
    function = re.search(r"^readme_command\(\) \{.*?^\}", program, re.MULTILINE | re.DOTALL)
    assert function
    script = f"set -euo pipefail\nroot={str(ROOT)!r}\n{function.group()}\nreadme_command test"
    found = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout == readme_blocks("sh")[1]


def test_a_build_on_an_old_python_ends_in_one_sentence():
    program = "import runpy, sys; sys.version_info = (3, 9, 1, 'final', 0);runpy.run_path('hatch_build.py')"
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "needs Python 3.11 or later, and this is Python 3.9" in result.stderr
    assert result.stderr.count("\n") == 1
