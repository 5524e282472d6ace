"""What goes into the browser's Python and where it comes from, from small folders; nothing here needs JupyterLite or Pyodide."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.site.runtime import KERNEL, LOCK, RUNTIME, Runtime, pin, pinned, stand_in
from autograd_teach.site.wheel import NOT_IN_A_BROWSER, course_wheel, installed_wheel, made_wheel, zipped

RELEASE = replace(pinned(), files={name: hashlib.sha256(name.encode()).hexdigest() for name in RUNTIME})
"""The pinned one, with the checksums of this test's own files."""
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
    assert runtime.left_out == ["matplotlib is not in the site: a sentence replaces each plot."]
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


def _without(folder: Path, *names: str) -> None:
    for name in names:
        next(folder.glob(f"{name}*.whl")).unlink()


def _unlocked(folder: Path) -> None:
    """Wheels as somebody has fetched them one by one: pure ones as they are, a compiled one, no lock file."""
    (folder / LOCK).unlink()
    _without(folder, "numpy", "markupsafe")
    (folder / "numpy-2.2.5-cp313-cp313-manylinux_2_17_x86_64.whl").touch()
    (folder / "MarkupSafe-3.0.2-cp313-cp313-pyodide_2025_0_wasm32.whl").touch()


def _flip(path: Path, place: float) -> None:
    data = bytearray(path.read_bytes())
    data[int(len(data) * place)] ^= 1
    path.write_bytes(data)


def _unlocked_and(change: Callable[[Path], Any]) -> Callable[[Path], None]:
    """The lock file no longer names jedi, whose wheel is then changed."""

    def change_it(folder: Path) -> None:
        lock = json.loads((folder / LOCK).read_bytes())
        del lock["packages"]["jedi"]
        (folder / LOCK).write_text(json.dumps(lock), encoding="utf-8")
        change(next(folder.glob("jedi*.whl")))

    return change_it


FAULTS: dict[str, tuple[Callable[[Path], Any], list[str]]] = {
    "a damaged wheel": (lambda f: next(f.glob("numpy*.whl")).write_bytes(b""), ["the checksum differs"]),
    "a flipped byte": (_unlocked_and(lambda wheel: _flip(wheel, 0.3)), ["jedi-0-py3-none-any.whl is damaged (", "download it again"]),
    "half a wheel": (_unlocked_and(lambda wheel: wheel.write_bytes(wheel.read_bytes()[:90])), ["is damaged (it is not a complete zip"]),
    "another zip": (_unlocked_and(lambda wheel: wheel.write_bytes(zipped({"a": b""}))), ["is damaged (it does not have metadata"]),
    "a broken lock file": (lambda f: (f / LOCK).write_text("{"), ["is not Pyodide's lock file"]),
    "no compiled package": (lambda f: _without(f, "numpy"), ["Missing: numpy==2.2.5, compiled for the browser", "pip does not have them). Put"]),
    "no compiled and no pure ones": (
        lambda f: _without(f, "numpy", "markupsafe", "micropip", "jedi"),
        ["Missing: markupsafe==3.0.2, numpy==2.2.5, compiled", "(get them with pip download --no-deps jedi==0.19.2 micropip==0.11.0)"],
    ),
    "wheels without their lock file": (
        _unlocked,
        ["Missing: numpy==2.2.5, compiled", "; the pyodide-lock.json that names /", "/MarkupSafe-3.0.2-cp313-cp313-pyodide_2025_0_wasm32.whl (put"],
    ),
    "a later IPython": (lambda f: _without(f, "ipython"), ["Missing: pure packages (get them with pip download --no-deps ipython==9.0.2)"]),
    "no runtime": (lambda f: (f / "pyodide.asm.wasm").unlink(), ["There is no pyodide.asm.wasm in"]),
    "half a runtime": (lambda f: (f / "pyodide.asm.wasm").write_bytes(b"pyodide"), ["pyodide.asm.wasm is damaged or not of the release 0.29.3"]),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_missing_or_damaged_is_one_sentence(fault: str, pyodide: Path, kernel: Path, tmp_path: Path) -> None:
    break_it, said = FAULTS[fault]
    break_it(pyodide)
    with pytest.raises(UserError) as problem:
        Runtime(RELEASE, [pyodide], kernel).write(tmp_path / "out")
    assert [each for each in said if each not in str(problem.value)] == [], problem.value


def test_of_several_folders_a_whole_file_is_taken(pyodide: Path, kernel: Path, tmp_path: Path) -> None:
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "pyodide.js").write_bytes(b"half")
    Runtime(RELEASE, [tmp_path / "damaged", pyodide], kernel).write(tmp_path / "out")
    assert (tmp_path / "out" / "pyodide.js").read_bytes() == b"pyodide.js"


def test_a_damaged_wheel_of_the_kernel_is_named(pyodide: Path, kernel: Path) -> None:
    (kernel / "piplite-0-py3-none-any.whl").write_bytes(b"half")
    with pytest.raises(UserError, match="piplite-0-py3-none-any.whl is damaged"):
        Runtime(RELEASE, [pyodide], kernel)


def test_the_release_is_pinned_with_the_checksums_of_its_files(pyodide: Path) -> None:
    (pyodide / LOCK).write_text(json.dumps({"info": RELEASE.info, "packages": {}}), encoding="utf-8")
    assert pin(pyodide / LOCK, "1")["files"] == RELEASE.files
    assert pinned().files.keys() == set(RUNTIME)
    assert all(len(digest) == 64 for digest in pinned().files.values())


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
assert view.title.partition(": ")[2] in view.svg
"""


def test_the_stand_in_for_matplotlib_says_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "stand_in.whl").write_bytes(stand_in("matplotlib").data)
    command = f"import sys; sys.path.insert(0, {str(tmp_path / 'stand_in.whl')!r})\n{PLOTS}{EXPLORED}"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    sentence = "Matplotlib is not available on this site: the plot is left out, and everything else works."
    assert done.stdout.splitlines() == [sentence, f"f(k=1): {sentence}"]
