"""What goes into the browser's Python and where it comes from, from small folders; nothing here needs JupyterLite or Pyodide."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.site.runtime import KERNEL, LOCK, RUNTIME, Runtime, pinned, stand_in
from autograd_teach.site.wheel import NOT_IN_A_BROWSER, course_wheel, installed_wheel, made_wheel

RELEASE = pinned()
COMPILED = ("numpy", "markupsafe", "micropip", "ipython", "jedi", "prompt-toolkit", "wcwidth", "decorator")
"""Of what a folder has to hold, as much as may not be installed here as pure Python; the test's own wheels stand for them."""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """Wheels such as JupyterLite's kernel brings."""
    folder = tmp_path / "kernel"
    folder.mkdir()
    for name in ("piplite", "pyodide-kernel", "ipykernel", "widgetsnbextension"):
        _put(folder, name)
    return folder


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    """A folder such as a release of Pyodide is unpacked to, with a lock file and without matplotlib and sqlite3."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    for name in RUNTIME:
        (folder / name).write_bytes(name.encode())
    packages = {}
    for name in COMPILED:
        file = _put(folder, name)
        digest = hashlib.sha256((folder / file).read_bytes()).hexdigest()
        packages[name] = {
            "name": name,
            "version": "0",
            "file_name": file,
            "sha256": digest,
            "depends": [],
            "imports": [name],
        }
    (folder / LOCK).write_text(json.dumps({"info": {}, "packages": packages}), encoding="utf-8")
    return folder


def _put(folder: Path, name: str) -> str:
    wheel = made_wheel(name, {f"{name.replace('-', '_')}.py": b""})
    (folder / wheel.file_name).write_bytes(wheel.data)
    return wheel.file_name


def test_a_bundled_runtime_is_whole(pyodide: Path, kernel: Path, tmp_path: Path) -> None:
    runtime = Runtime(RELEASE, [pyodide], kernel)
    runtime.write(tmp_path / "out")
    packages = json.loads((tmp_path / "out" / LOCK).read_bytes())["packages"]
    assert {"autograd-teach", "numpy", "ipywidgets", "anywidget", "psygnal", *KERNEL, "matplotlib"} <= packages.keys()
    for name, entry in packages.items():
        data = (tmp_path / "out" / entry["file_name"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"], name
        assert set(entry["depends"]) <= packages.keys(), name
    assert all((tmp_path / "out" / name).read_bytes() == name.encode() for name in RUNTIME)
    assert runtime.left_out == ["matplotlib is not in the site: a sentence stands where a plot would be."]
    assert "matplotlib" not in packages["autograd-teach"]["depends"], "it would be loaded at every start"
    assert "matplotlib" not in runtime.preloaded


def test_without_a_folder_the_release_is_loaded_from_its_address(kernel: Path, tmp_path: Path) -> None:
    runtime = Runtime(RELEASE, [], kernel)
    runtime.write(tmp_path / "out")
    packages = json.loads((tmp_path / "out" / LOCK).read_bytes())["packages"]
    for name, entry in packages.items():
        is_remote = entry["file_name"].startswith(f"{RELEASE.address}/")
        assert is_remote == (name in RELEASE.packages), name
        assert is_remote or (tmp_path / "out" / entry["file_name"]).is_file(), name
    assert not any((tmp_path / "out" / name).exists() for name in RUNTIME)
    assert runtime.left_out == []


FAULTS = {
    "a damaged wheel": (lambda f: next(f.glob("numpy*.whl")).write_bytes(b""), "its checksum differs"),
    "no lock file": (lambda f: (f / LOCK).write_text("{"), "is not Pyodide's lock file"),
    "no compiled package": (
        lambda f: next(f.glob("numpy*.whl")).unlink(),
        "nor installed here as pure Python: numpy==2.2.5;",
    ),
    "a later IPython": (lambda f: next(f.glob("ipython*.whl")).unlink(), "pure Python: ipython==9.0.2;"),
    "no runtime": (lambda f: (f / "pyodide.asm.wasm").unlink(), "There is no pyodide.asm.wasm in"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_missing_or_damaged_is_one_sentence(fault: str, pyodide: Path, kernel: Path, tmp_path: Path) -> None:
    break_it, sentence = FAULTS[fault]
    break_it(pyodide)
    with pytest.raises(UserError) as problem:
        Runtime(RELEASE, [pyodide], kernel).write(tmp_path / "out")
    assert sentence in str(problem.value)


def test_the_wheel_for_the_browser_has_the_course_and_nothing_else() -> None:
    wheel = course_wheel("3.13")
    names = zipfile.ZipFile(io.BytesIO(wheel.data)).namelist()
    assert {"autograd_teach/__init__.py", "autograd_teach/viz/static/widget.js", "autograd_teach/messages.toml"} <= set(
        names
    )
    assert not [name for name in names if name.startswith(tuple(f"autograd_teach/{each}" for each in NOT_IN_A_BROWSER))]
    assert not [name for name in names if name.endswith(".ipynb") or "solutions" in name]
    assert not {"jupyterlab", "nbclient", "nbformat", "nbval", "psutil", "pygraphviz"} & set(wheel.depends)
    assert wheel == course_wheel("3.13"), "the same course is the same file"


def test_a_compiled_package_is_not_taken_from_here() -> None:
    assert installed_wheel("numpy", "3.13") is None
    assert installed_wheel("no-such-package", "3.13") is None


PLOTS = """
import matplotlib.pyplot as plt
plt.style.use("autograd_teach.course.theme")
figure, axes = plt.subplots(figsize=(5, 3))
axes.plot([1, 2], label="a")
figure, (left, right) = plt.subplots(1, 2, layout="constrained")
figure, panels = plt.subplots(2, 3)
assert len(panels.flat) == 6
plt.clabel(plt.contour([[1]]))
plt.show()
"""
EXPLORED = """
from autograd_teach import viz
view = viz.explore(lambda k: plt.subplots()[0], k=(1, 6))
print(view.title)
assert view.title in view.svg
"""


def test_the_stand_in_for_matplotlib_says_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "stand_in.whl").write_bytes(stand_in("matplotlib").data)
    command = f"import sys; sys.path.insert(0, {str(tmp_path / 'stand_in.whl')!r})\n{PLOTS}{EXPLORED}"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    sentence = "This site has no matplotlib: the plot is left out, and everything else works."
    assert done.stdout.splitlines() == [sentence, sentence]
