"""What students need: Python, packages, the course itself, a folder, a port and a browser."""

import json
import os
import platform
import shutil
import sys
import sysconfig
import tempfile
import webbrowser
from functools import partial
from importlib import metadata
from pathlib import Path

from ..course import content
from ..course.errors import UserError
from ..course.read_json import read_json
from ..course.shadows import hiding_in
from .finding import Finding, Probe, State, broken, ok, optional
from .tools import ROOT, SECONDS, Failed, Package, pip_install, python, run_python, version_of

AGAIN = "Install the course again from a complete copy of the repository, as README.md shows."

MATCHED_TORCH = "2.13"
"""The PyTorch that the engine behaves like."""

LEAST_FREE = 500_000_000
"""Bytes on the course's disk below which a warning is due: notebooks with results, checkpoints, packages."""

FIRST_PORT, PORTS = 8888, 5
"""Where JupyterLab begins, and how many ports it tries one after the other before it takes others near."""

WIDGETS = "questions and interactive views in lessons do not work"

LAB = Package("jupyterlab", "4.4", "the course cannot be opened", is_needed=True)

PACKAGES = (
    Package("numpy", "2.0.1", "nothing of the course runs", "numpy", is_needed=True),
    Package("ipywidgets", "8.1", WIDGETS, "ipywidgets", is_needed=True),
    Package("anywidget", "0.9.18", WIDGETS, "anywidget", is_needed=True),
)

OTHERS = (
    Package("nbformat", "5.10", "`autograd-teach update`"),
    Package("nbclient", "0.10", "`autograd-teach check`"),
    Package("jinja2", "3.1", "what a check says in a notebook"),
    Package("markupsafe", "2.1", "what a check says in a notebook"),
    Package("graphviz", "0.20", "`viz.to_graphviz`"),
)
"""What else is installed with the course, and what does not work without it."""

EXTENSIONS = {
    "@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets",
    "anywidget": "anywidget",
    "autograd-teach": "",
}
"""Extension of JupyterLab -> the package that brings it, "" for the course's own."""

_START_LAB = """
import json, os
from autograd_teach.course import lab
lab._prepare_environment()
import jupyterlab.labapp
from jupyter_core.paths import jupyter_path
from jupyterlab_server.config import get_page_config
folders = jupyter_path("labextensions")
page = get_page_config(folders)
def is_whole(name, code):
    places = [os.path.join(folder, name) for folder in folders]
    place = next((each for each in places if os.path.isfile(os.path.join(each, "package.json"))), "")
    return os.path.isfile(os.path.join(place, code))
whole = [each["name"] for each in page["federated_extensions"] if is_whole(each["name"], each["load"])]
print("EXTENSIONS" + json.dumps([whole, page["disabledExtensions"]]))
"""
"""Imports what `autograd-teach lab` starts, and asks JupyterLab which extensions it would give the page."""


def probes(folder: Path | None) -> tuple[Probe, ...]:
    """The rows of this group; `folder`: the course's, as it was named."""
    numpy, *widgets = PACKAGES
    return (
        Probe("System", system),
        Probe("Python", python_version),
        numpy.probe("NumPy"),
        Probe("Course", installation),
        Probe("Notebooks", notebooks),
        Probe("JupyterLab", jupyterlab, SECONDS + 5),
        *(each.probe() for each in widgets),
        Probe("Packages", other_packages),
        Probe("PyTorch", torch),
        Probe("Folder", partial(course_folder, folder)),
        Probe("Port", port),
        Probe("Browser", browser),
        Probe("Terminal", terminal),
        Probe("Proxy", proxy),
    )


def system() -> Finding:
    """The operating system, as a bug report needs it."""
    words = f"{platform.system()} {platform.release()}"
    if sys.platform == "linux":
        try:
            words = platform.freedesktop_os_release()["PRETTY_NAME"]
        except (OSError, KeyError):
            pass
    elif sys.platform == "darwin":
        words = f"macOS {platform.mac_ver()[0]}"
    return ok(f"{words}, {platform.machine()}{', in WSL' if is_wsl() else ''}")


def is_wsl() -> bool:
    """Whether this Linux runs inside Windows."""
    return sys.platform == "linux" and "microsoft" in platform.release().lower()


def python_version() -> Finding:
    """The version, and what kind of environment it is."""
    kind = "no virtual environment"
    words = f"{platform.python_version()}, {{}}, {sys.prefix}"
    if sys.prefix != sys.base_prefix:
        kind = "a virtual environment"
    elif Path(sys.prefix, "conda-meta").is_dir():
        kind = "a conda environment"
    elif Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").is_file():
        words = words.format("the system's own, where pip does not install")
        return optional(words, "Make a virtual environment, as README.md shows.")
    return ok(words.format(kind))


def installation() -> Finding:
    """The installed version, and whether it is what runs."""
    try:
        distribution = metadata.distribution("autograd-teach")
    except metadata.PackageNotFoundError:
        return optional(f"not installed; it runs from {ROOT}", AGAIN)
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    is_edited = origin.get("dir_info", {}).get("editable", False)
    place = _path_of(origin["url"]) if is_edited else Path(str(distribution.locate_file(""))).resolve()
    if place != ROOT:
        words = f"{distribution.version} is installed in {place}, but what runs is {ROOT}"
        return optional(words, "If you do not want that, unset PYTHONPATH." if os.environ.get("PYTHONPATH") else AGAIN)
    if stale := content.without_effect(Path.cwd() / "lessons"):
        return optional(f"{distribution.version}, not editable", stale)
    if is_edited:
        return ok(f"{distribution.version}, editable: changes in {place} take effect at once")
    return ok(distribution.version)


def is_editable() -> bool:
    """Whether what runs is a checkout of the repository."""
    return (ROOT / "pyproject.toml").is_file()


def _path_of(url: str) -> Path:
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    return Path(url2pathname(urlsplit(url).path)).resolve()


def notebooks() -> Finding:
    """Whether all lessons and exercises are there and can be read."""
    from ..course.exercises import exercises

    questions = Path(content.__file__).with_name("questions").glob("*.toml")
    expected = {"lessons": {path.stem for path in questions}, "exercises": {each.notebook for each in exercises()}}
    bad = []
    for room, names in (("lessons", expected["lessons"]), ("exercises", expected["exercises"])):
        try:
            place = content.folder("lessons" if room == "lessons" else "exercises")
        except UserError as problem:
            return broken(str(problem))
        bad += [f"{room}/{name}" for name in sorted(names) if not _is_notebook(place / f"{name}.ipynb")]
    if bad:
        more = f" and {len(bad) - 3} more" * (len(bad) > 3)
        words = f"missing or damaged: {', '.join(bad[:3])}{more}"
        return broken(words, AGAIN)
    return ok(f"{len(expected['lessons'])} lessons, exercises for {len(expected['exercises'])}")


def _is_notebook(path: Path) -> bool:
    try:
        return "cells" in read_json(path.read_bytes())
    except (OSError, ValueError):
        return False


def jupyterlab() -> Finding:
    """Whether JupyterLab starts, and loads what shows widgets: extensions in its folders, whole and enabled."""
    found = LAB.examine()
    if found.state is not State.OK:
        return found
    try:
        whole, disabled = json.loads(run_python(_START_LAB).rpartition("EXTENSIONS")[2])
    except Failed as problem:
        words = f"{found.words} is installed, but does not start: {problem}"
        return broken(words, "Install it again:", pip_install("--force-reinstall", LAB.requirement))
    missing = [name for name in EXTENSIONS if name not in whole]
    off = [name for name in EXTENSIONS if name in disabled]
    if not (missing or off):
        return ok(f"{found.words}, with the extensions for widgets and for saved pictures")
    reasons = [f"{', '.join(missing)} missing or damaged"] * bool(missing) + [f"{', '.join(off)} disabled"] * bool(off)
    words = f"{found.words}, but extensions do not load ({'; '.join(reasons)}): "
    packages = [EXTENSIONS[name] for name in missing if EXTENSIONS[name]]
    commands = [pip_install("--force-reinstall", "--no-deps", *packages)] if packages else []
    commands += [f"{python()} -m jupyter labextension enable {name}" for name in off]
    advice = [AGAIN] * ("autograd-teach" in missing) + ["Do this, and start JupyterLab again:"] * bool(commands)
    if {*missing, *off} == {"autograd-teach"}:
        words += "a saved notebook shows no picture until it is run"
        return optional(words, " ".join(advice), *commands)
    return broken(f"{words}{WIDGETS}", " ".join(advice), *commands)


def other_packages() -> Finding:
    """The rest of what is installed with the course."""
    missing = [each for each in OTHERS if version_of(each.name) is None]
    if missing:
        lost = ", ".join(dict.fromkeys(each.without for each in missing))
        words = f"{', '.join(each.name for each in missing)} not installed: needed for {lost}"
        return broken(words, "Install it:", pip_install(*(each.requirement for each in missing)))
    return ok(", ".join(each.name for each in OTHERS))


def torch() -> Finding:
    """PyTorch's version; it is not imported, which takes seconds."""
    version = version_of("torch")
    if version is None:
        words = "not installed: the cells of lesson 17 that need it say so, and the lesson can be read without it"
        return optional(words, "If you want it:", pip_install("torch"))
    if version.split(".")[:2] != MATCHED_TORCH.split("."):
        return ok(f"{version}; the engine matches {MATCHED_TORCH}, so printed texts may differ")
    return ok(f"{version}, which the engine matches")


def course_folder(named: Path | None) -> Finding:
    """Whether the student's folder can be written, has room, and holds no file that hides a module of Python."""
    from ..course.lab import DEFAULT_FOLDER

    folder = Path(os.path.abspath((named or DEFAULT_FOLDER).expanduser()))
    if folder.exists() and not folder.is_dir():
        return broken(f"{folder} is a file", "Rename it, or name another folder:", "autograd-teach lab FOLDER")
    existing = next(path for path in (folder, *folder.parents) if path.is_dir())
    if problem := _cannot_write(existing):
        command = "autograd-teach lab FOLDER"
        if existing == folder:
            return broken(f"{folder} cannot be written ({problem})", "Make it yours, or name another folder:", command)
        words = f"{folder} is not there, and cannot be made: {existing} cannot be written ({problem})"
        return optional(words, "Go to a folder of your own, or name one:", command)
    free = shutil.disk_usage(existing).free
    if free < LEAST_FREE:
        return optional(
            f"{folder}: only {free / 1e6:.0f} MB are free on this disk", "Delete something, or use another disk."
        )
    if existing != folder:
        return ok(f"{folder} is not there yet; `autograd-teach lab` makes it")
    if hiding := hiding_in(folder):
        words = f"{', '.join(hiding)} in {folder}: a notebook beside it imports that instead of Python's or the course's own"
        return optional(words, "Rename it, and restart the notebook's kernel.")
    is_slow = is_wsl() and folder.as_posix().startswith("/mnt/")
    return ok(
        f"{folder}, {free / 1e9:.0f} GB free{'; on a disk of Windows, which WSL reads slowly' if is_slow else ''}"
    )


def _cannot_write(folder: Path) -> str:
    """Why; "" if it can be written. Tries it, since permissions alone do not tell on every system."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def port() -> Finding:
    """The port that JupyterLab will take."""
    from ..course.lab import _require_free

    for number in range(FIRST_PORT, FIRST_PORT + PORTS):
        try:
            _require_free(number)
        except UserError:
            continue
        taken = "" if number == FIRST_PORT else f"; {FIRST_PORT} is in use, perhaps by another JupyterLab"
        return ok(f"{number} is free, and JupyterLab will take it{taken}")
    words = f"{FIRST_PORT} to {FIRST_PORT + PORTS - 1} are in use; JupyterLab tries others near"
    return optional(words, "If it finds none, name one:", "autograd-teach lab --port 9999")


def browser() -> Finding:
    """Whether Python finds a browser to open."""
    try:
        name = getattr(webbrowser.get(), "name", "")
    except webbrowser.Error:
        return optional(
            "Python finds none to open",
            "Open the address that JupyterLab prints in any browser that reaches this machine:",
            "autograd-teach lab --no-browser",
        )
    return ok(f"JupyterLab opens by itself{f' ({name})' if name else ''}")


def terminal() -> Finding:
    """Whether letters such as those of formulas can be printed here."""
    encoding = sys.stdout.encoding or "ascii"
    if encoding.lower().replace("-", "").replace("_", "") == "utf8":
        return ok("UTF-8")
    advice = "Set the environment variable PYTHONUTF8 to 1, or use a terminal with UTF-8."
    return optional(
        f"{encoding}, not UTF-8: `autograd-teach progress` and others fail at letters that it lacks", advice
    )


def proxy() -> Finding | None:
    """Said only if one is set: then `pip` depends on it. Its address may hold a password and is not shown."""
    names = sorted(name for name in ("http_proxy", "https_proxy", "all_proxy") if _variable(name))
    if not names:
        return None
    words = f"{', '.join(names)} set: pip uses it; the course itself needs no network"
    excluded = _variable("no_proxy")
    if any(host in excluded for host in ("localhost", "127.0.0.1", "*")):
        return ok(words)
    advice = "If the browser does not reach JupyterLab, add localhost and 127.0.0.1 to no_proxy."
    return optional(words, advice)


def _variable(name: str) -> str:
    return os.environ.get(name) or os.environ.get(name.upper(), "")
