"""The Python for a reader's browser: Pyodide, the course's packages, and their lock file.

Every package comes from the first of these sources that has it: JupyterLite's kernel; the folders
named with --pyodide or, without any, the public address of Pyodide's release; the environment of
the build (pure Python only). A missing package that the course can do without is left out, and the
build says so.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from ..course.errors import UserError
from .wheel import Broken, Wheel, course_wheel, installed_wheel, made_wheel, read_wheel

LOCK = "pyodide-lock.json"
RUNTIME = ("pyodide.js", "pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
"""The files of Pyodide itself."""

COURSE = "autograd-teach"
PURE = "-none-any.whl"
"""The end of a file name of a wheel without compiled code."""

KERNEL = ("micropip", "piplite", "pyodide-kernel", "ipykernel", "ipython", "comm", "jedi", "sqlite3")
"""The packages that JupyterLite's kernel requests when it starts.

It requests those in the lock file from nowhere else.
"""

LATER = ("matplotlib",)
"""Large packages, loaded when a cell imports them."""

DISPENSABLE = {
    "matplotlib": "a sentence replaces each plot",
    "sqlite3": "nothing in the course uses it",
    "widgetsnbextension": "only older notebooks use it",
    "jupyterlab-widgets": "the pages have it",
}
"""Packages that the course can do without, and what happens without them."""


@dataclass(frozen=True)
class Release:
    """A release of Pyodide: version, public address, Python, and packages that the course may use.

    files: the checksums of the runtime's files, by name.
    """

    version: str
    address: str
    info: dict[str, Any]
    packages: dict[str, dict[str, Any]]
    files: dict[str, str] = field(default_factory=dict)

    @property
    def python(self) -> str:
        """The version of Python as in environment markers: "3.13"."""
        return ".".join(self.info["python"].split(".")[:2])


def pinned() -> Release:
    """The release that the course is tested with.

    >>> pinned().version, pinned().python
    ('0.29.3', '3.13')
    """
    return Release(**json.loads((files(__package__) / "pyodide.json").read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Package:
    """A package and the source of its file: a path, bytes, or None for its public address."""

    entry: dict[str, Any]
    source: Path | bytes | None = None

    @property
    def depends(self) -> list[str]:
        """The names of the packages that it needs."""
        return [str(canonicalize_name(name)) for name in self.entry["depends"]]

    @property
    def data(self) -> bytes:
        """The content of its file; empty if browsers load it from its public address."""
        return self.source.read_bytes() if isinstance(self.source, Path) else self.source or b""


@dataclass
class Runtime:
    """The content of a site's folder `live/pyodide/`.

    folders: folders with Pyodide's files and wheels, which become part of the site. Without any,
    readers' browsers load them from their public address.
    kernel: the folder with the wheels of JupyterLite's kernel.

    Raises UserError if something is missing or damaged.
    """

    release: Release
    folders: Sequence[Path]
    kernel: Path

    def __post_init__(self) -> None:
        self.packages: dict[str, Package] = {}
        self.missing: set[str] = set()
        self._unfound: set[str] = set()
        self._unnamed: dict[str, Path] = {}
        """Compiled wheels in the folders that are not in a lock file, by the package's name."""
        self._course = course_wheel(self.release.python)
        self._files = {name: self._runtime_file(name) for name in RUNTIME if self.folders}
        lacking = {name for name in (COURSE, *KERNEL) if not self._resolve(name)}
        if lacking - DISPENSABLE.keys():
            raise UserError(self._what_is_missing())
        for name in LATER:
            self._resolve(name)
        self.left_out = [f"{name} is not in the site: {DISPENSABLE[name]}." for name in LATER if name in self.missing]
        for name in self.missing.intersection(LATER):
            self.packages[name] = _packed(stand_in(name))

    @property
    def preloaded(self) -> list[str]:
        """The packages that a kernel loads when it starts."""
        return [name for name in (COURSE, *KERNEL) if name in self.packages]

    def write(self, folder: Path) -> None:
        """Write the folder with its lock file."""
        folder.mkdir(parents=True)
        if self.folders:
            for name, file in self._files.items():
                (folder / name).write_bytes(file.read_bytes())
        entries = {}
        for name, package in sorted(self.packages.items()):
            entry = package.entry
            if package.source is None:
                entry = {**entry, "file_name": f"{self.release.address}/{entry['file_name']}"}
            else:
                (folder / entry["file_name"]).write_bytes(package.data)
            entries[name] = {**entry, "depends": [each for each in package.depends if each in self.packages]}
        lock = {"info": self.release.info, "packages": entries}
        (folder / LOCK).write_text(json.dumps(lock, indent=1) + "\n", encoding="utf-8")

    def _resolve(self, name: str) -> bool:
        """Add a package and everything that it needs; returns whether everything was found."""
        if name in self.packages or name in self.missing:
            return name in self.packages
        package = self._find(name)
        if package is not None:
            self.packages[name] = package  # first, because packages may need each other
            lacking = {
                each for each in package.depends if not self._resolve(each)
            }  # all of them, so that the error names all
            if lacking <= DISPENSABLE.keys():
                return True
            del self.packages[name]
        else:
            self._unfound.add(name)
        self.missing.add(name)
        return False

    def _find(self, name: str) -> Package | None:
        if name == COURSE:
            return _packed(
                replace(self._course, depends=tuple(each for each in self._course.depends if each not in LATER))
            )
        if name in self._of_the_kernel:
            return _packed(self._of_the_kernel[name])
        if not self.folders and name in self.release.packages:
            return Package(self.release.packages[name])
        if name in self._bundled:
            return self._bundled[name]()
        wheel = installed_wheel(name, self.release.python)
        if name in LATER or (name in KERNEL and name in self.release.packages):
            wheel = (
                None  # matplotlib is compiled; the kernel needs the versions of the release: a later IPython breaks it
            )
        if wheel is None and name in KERNEL and name in DISPENSABLE:
            # An empty package: importing it fails, but the kernel does not search for it elsewhere.
            wheel = made_wheel(name, {})
        return _packed(wheel) if wheel else None

    @cached_property
    def _of_the_kernel(self) -> dict[str, Wheel]:
        """The wheels of JupyterLite's kernel; the newest if there are several versions."""
        wheels = map(self._read, sorted(self.kernel.glob("*.whl")))
        return {wheel.name: wheel for wheel in wheels}

    @cached_property
    def _bundled(self) -> dict[str, Callable[[], Package]]:
        """The packages in the folders, by name: those in lock files, and other pure wheels."""
        found: dict[str, Callable[[], Package]] = {}
        for folder in self.folders:
            named = set()
            for entry in _locked(folder):
                path = folder / entry["file_name"]
                named.add(path)
                if path.is_file():
                    found.setdefault(str(canonicalize_name(entry["name"])), partial(_checked, entry, path))
            for path in sorted(set(folder.glob("*.whl")) - named):
                name = str(canonicalize_name(path.name.partition("-")[0]))
                if path.name.endswith(PURE):
                    found.setdefault(name, partial(self._packed_file, path))
                elif "wasm32" in path.name:
                    self._unnamed[name] = path
        return found

    def _packed_file(self, path: Path) -> Package:
        return _packed(self._read(path))

    def _read(self, path: Path) -> Wheel:
        try:
            return read_wheel(path, self.release.python)
        except Broken as problem:
            raise UserError(f"{path} is damaged ({problem}); download it again.") from problem

    def _runtime_file(self, name: str) -> Path:
        there = [folder / name for folder in self.folders if (folder / name).is_file()]
        known = self.release.files.get(name)
        for path in there:
            if known is None or hashlib.sha256(path.read_bytes()).hexdigest() == known:
                return path
        release = f"the release {self.release.version} of Pyodide"
        if there:
            raise UserError(
                f"{_listed(there)} {'is' if len(there) == 1 else 'are'} damaged or not of {release} (the checksum differs); download "
                f"it again, for example with npm's package pyodide@{self.release.version}."
            )
        raise UserError(
            f"There is no {name} in {_listed(self.folders)}; name a folder with {release}: --pyodide FOLDER."
        )

    def _what_is_missing(self) -> str:
        """A sentence with all missing packages, and how to get them."""
        known = self.release.packages
        compiled, unnamed, pure = [], [], []
        for name in sorted(self._unfound - DISPENSABLE.keys()):
            entry = known.get(name)
            if name in self._unnamed:
                unnamed.append(str(self._unnamed[name]))
            elif entry and not entry["file_name"].endswith(PURE):
                compiled.append(f"{name}=={entry['version']}")
            else:
                pure.append(f"{name}=={entry['version']}" if entry else name)
        advice = []
        # One clause for each way to get a package.
        if compiled:
            advice.append(
                f"{', '.join(compiled)}, compiled for the browser (take the wheels of Pyodide's release {self.release.version}, "
                f"with its {LOCK} beside them; pip does not have them)"
            )
        if unnamed:
            advice.append(f"the {LOCK} that names {', '.join(unnamed)} (put that of the release beside the wheels)")
        if pure:
            advice.append(f"pure packages (get them with pip download --no-deps {' '.join(pure)})")
        where = _listed(self.folders) if self.folders else f"Pyodide {self.release.version}"
        return (
            f"The browser's Python needs more than is in {where} or installed here as pure Python. Missing: "
            f"{'; '.join(advice)}. Put them into a folder, and name that too: --pyodide FOLDER."
        )


def stand_in(name: str) -> Wheel:
    """A replacement for a missing package: the package in `stand_in/` with its name."""
    root = Path(__file__).with_name("stand_in")
    sources = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted((root / name).glob("*.py"))}
    return made_wheel(name, sources)


def _packed(wheel: Wheel) -> Package:
    entry = {
        "name": wheel.name,
        "version": wheel.version,
        "file_name": wheel.file_name,
        "install_dir": "site",
        "sha256": wheel.sha256,
        "package_type": "package",
        "imports": list(wheel.imports),
        "depends": list(wheel.depends),
        "unvendored_tests": False,
    }
    return Package(entry, wheel.data)


def _locked(folder: Path) -> Iterator[dict[str, Any]]:
    """The entries of a folder's lock file; none if it does not have one."""
    path = folder / LOCK
    try:
        yield from json.loads(path.read_bytes())["packages"].values() if path.is_file() else ()
    except (OSError, ValueError, KeyError, AttributeError) as problem:
        raise UserError(
            f"{path} is not Pyodide's lock file; use the one of the same release as the other files."
        ) from problem


def _checked(entry: dict[str, Any], path: Path) -> Package:
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise UserError(
            f"{path} is not the file that {path.parent / LOCK} names (the checksum differs); download both again."
        )
    return Package(entry, path)


def _listed(folders: Sequence[Path]) -> str:
    return " and ".join(str(folder) for folder in folders)


def pin(lock: Path, version: str) -> dict[str, Any]:
    """The content of pyodide.json for another release: packages, and checksums of the runtime.

    lock: the release's lock file; its other files are in the same folder.
    """
    known = json.loads(lock.read_bytes())
    entries = {str(canonicalize_name(name)): entry for name, entry in known["packages"].items()}
    files = {name: hashlib.sha256((lock.parent / name).read_bytes()).hexdigest() for name in RUNTIME}
    release = Release(version, f"https://cdn.jsdelivr.net/pyodide/v{version}/full", known["info"], {}, files)
    waiting = [*course_wheel(release.python).depends, *KERNEL, *LATER]
    kept: dict[str, Any] = {}
    while waiting:
        name = str(canonicalize_name(waiting.pop()))
        if name in kept:
            continue
        if name in entries:
            kept[name] = entries[name]
            waiting += entries[name]["depends"]
        elif wheel := installed_wheel(name, release.python):
            waiting += wheel.depends
            kept[name] = None
    return asdict(replace(release, packages={name: entry for name, entry in sorted(kept.items()) if entry}))


if __name__ == "__main__":
    # python -m autograd_teach.site.runtime VERSION FOLDER/pyodide-lock.json writes pyodide.json
    # again.
    text = json.dumps(pin(Path(sys.argv[2]), sys.argv[1]), indent=1) + "\n"
    Path(__file__).with_name("pyodide.json").write_text(text, encoding="utf-8")
