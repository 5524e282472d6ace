"""The notebooks that run in a reader's browser: JupyterLite, the notebooks, and a Python.

Writes the folder `live/` of a site: JupyterLite's apps and extensions, the notebooks as students
get them, and, in `pyodide/`, the files that `runtime.py` finds. JupyterLite is run as a separate
program.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from .. import viz
from ..course import home
from ..course.errors import UserError
from ..course.lab import as_delivered, files_below
from .build import Site, Tell
from .runtime import LOCK, Release, Runtime, pinned

APPS = ("notebooks", "tree", "lab")
KERNEL = "@jupyterlite/pyodide-kernel-extension"
EXTENSIONS = (KERNEL, "@jupyter-widgets/jupyterlab-manager", "anywidget")
"""The extensions that the pages need: the kernel and the widget managers.

This package's own are in `_OWN`.
"""

PREFERENCES = {"@jupyterlab/apputils-extension:themes": {"adaptive-theme": True}}
"""Settings that a reader can change: light or dark colours follow the reader's system."""

TESTED = {"jupyterlite-core": "0.7.6", "jupyterlite-pyodide-kernel": "0.7.2"}
"""The versions that work with the pinned Pyodide."""

_OWN = (
    Path(viz.__file__).parent / "jupyter" / "labextensions" / "autograd-teach",
    Path(__file__).with_name("labextension"),
)
_SHARE = Path(sys.prefix) / "share" / "jupyter" / "labextensions"


def prepare(pyodide: Sequence[Path], tell: Tell, release: Release | None = None) -> Runtime:
    """Find everything that the notebooks will need, before anything is run or written.

    pyodide: folders with Pyodide. release: the release of Pyodide; by default the pinned one.
    Raises UserError if something is missing.
    """
    _require_jupyterlite()
    runtime = Runtime(release or pinned(), pyodide, _SHARE / KERNEL / "static" / "pypi")
    for line in runtime.left_out:
        tell(f"note: {line}")
    return runtime


def write(site: Site, output: Path, runtime: Runtime, tell: Tell) -> None:
    """Write `live/` below `output`."""
    tell("JupyterLite ...")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        _write_contents(site, work / "contents")
        _write_settings(site, work, runtime)
        _run(work)
        shutil.copytree(work / "live", output / "live", dirs_exist_ok=True)  # `work.html` is already there
    runtime.write(output / "live" / "pyodide")


def settings(site: Site, runtime: Runtime) -> dict[str, Any]:
    """The settings of JupyterLite's pages (`jupyter-lite.json`).

    Addresses are relative to `live/`.
    """
    release = runtime.release
    kernel = {
        "pyodideUrl": "./pyodide/pyodide.js" if runtime.folders else f"{release.address}/pyodide.js",
        "disablePyPIFallback": bool(runtime.folders),
        "loadPyodideOptions": {"lockFileURL": f"./pyodide/{LOCK}", "packages": runtime.preloaded},
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": site.name,
            "exposeAppInBrowser": True,
            "litePluginSettings": {f"{KERNEL}:kernel": kernel},
        },
    }


def _require_jupyterlite() -> None:
    """Raise UserError if the packages of the extra `site` are not installed."""
    missing = [name for name in TESTED if importlib.util.find_spec(name.replace("-", "_")) is None]
    if missing:
        raise UserError(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed; install the course with its extra in a new virtual environment: "
            'pip install ".[site]" (or build only the pages: --pages-only).'
        )
    for name, tested in TESTED.items():
        found = metadata.version(name)
        if found != tested:
            raise UserError(
                f"{name} {found} is installed, but the course is tested with {tested}: pip install {name}=={tested}"
            )
    for name in EXTENSIONS:
        if not (_SHARE / name / "package.json").is_file():
            raise UserError(f"The extension {name} is not in {_SHARE}; install the course in this environment again.")


def _write_contents(site: Site, folder: Path) -> None:
    """Write what a student gets: notebooks without results, their pictures, and the home page."""
    for room, source in (("lessons", site.lessons), ("exercises", site.exercises)):
        for name, path in files_below(source):
            target = folder / room / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_as_shown(path))
    home.write_page(folder)


def _as_shown(path: Path) -> bytes:
    """A file as a student gets it.

    SVG pictures in ASCII, because JupyterLite 0.7 cannot show other characters.
    """
    data = as_delivered(path)
    return data.decode().encode("ascii", "xmlcharrefreplace") if path.suffix == ".svg" else data


def _write_settings(site: Site, work: Path, runtime: Runtime) -> None:
    build = {
        "lite_dir": str(work),
        "output_dir": str(work / "live"),
        "cache_dir": str(work / "cache"),
        "contents": [str(work / "contents")],
        "apps": list(APPS),
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        # Only the named extensions, not the others of the environment.
        "ignore_sys_prefix": ["federated_extensions"],
        "federated_extensions": [str(path) for path in (*(_SHARE / name for name in EXTENSIONS), *_OWN)],
    }
    (work / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": build}), encoding="utf-8")
    (work / "jupyter-lite.json").write_text(json.dumps(settings(site, runtime)), encoding="utf-8")
    (work / "overrides.json").write_text(json.dumps(PREFERENCES), encoding="utf-8")


def _run(work: Path) -> None:
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--config", "jupyter_lite_config.json"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise UserError("JupyterLite could not be built; its last lines: " + " / ".join(lines[-5:]))
