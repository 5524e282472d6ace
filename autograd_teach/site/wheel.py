"""Wheels for the browser's Python, made of installed packages.

These are this package without its desktop parts, and pure Python packages.

The bytes of a wheel depend only on its files, so that the same course gives the same site.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PACKAGE = Path(__file__).resolve().parents[1]
NOT_IN_A_BROWSER = ("grading", "site", "doctor", "_course", "viz/jupyter", "course/jupyter", "course/nbval_plugin.py")
"""Parts of this package that the browser's Python does not need.

The notebooks are files of JupyterLite.
"""

BROWSER = {
    "sys_platform": "emscripten",
    "platform_system": "Emscripten",
    "platform_machine": "wasm32",
    "os_name": "posix",
}
"""Environment markers of the browser, except the version of Python."""

_KIND = b"Wheel-Version: 1.0\nGenerator: autograd-teach site\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_COMPILED = (".so", ".pyd", ".dylib", ".dll")


@dataclass(frozen=True)
class Wheel:
    """A wheel in memory, with the data for its entry in a lock file."""

    name: str
    version: str
    file_name: str
    data: bytes
    imports: tuple[str, ...]
    depends: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """The checksum of the file, as hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()


@cache
def course_wheel(python: str) -> Wheel:
    """This package for a browser: engine, views and course, without notebooks and grading.

    `python`: its version, "3.13".
    """
    known = distribution("autograd-teach")
    sources = {
        f"autograd_teach/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes() for path in sorted(_own_files())
    }
    wheel = _wheel_of(known, sources, python)
    # Browsers cache a file by its name. A build number made from the content gives each version its
    # own name.
    build = f"1{wheel.sha256[:10]}"
    return replace(wheel, file_name=wheel.file_name.replace("-py3-", f"-{build}-py3-"))


@cache
def installed_wheel(name: str, python: str) -> Wheel | None:
    """The installed distribution `name` as a wheel.

    None if it is not installed or not pure Python.
    """
    try:
        known = distribution(name)
    except PackageNotFoundError:
        return None
    listed = {file.as_posix(): Path(str(file.locate())) for file in known.files or ()}
    # Scripts and JupyterLab's files are outside the packages.
    inside = {name: path for name, path in listed.items() if not name.startswith("..") and path.is_file()}
    compiled = [name for name in inside if PurePosixPath(name).suffix in _COMPILED]
    if not all(_has_source(name, inside) for name in compiled):
        return None
    left_out = (*_COMPILED, ".pyc")
    kept = {name: path for name, path in inside.items() if not name.endswith(left_out) and ".dist-info/" not in name}
    return _wheel_of(known, {name: path.read_bytes() for name, path in sorted(kept.items())}, python) if kept else None


def _has_source(compiled: str, names: Container[str]) -> bool:
    """Whether mypyc made a compiled module from a Python module beside it, which also works alone.

    >>> _has_source("psygnal/_signal.cpython-313-darwin.so", ["psygnal/_signal.py"]), _has_source("yaml/_yaml.pyd", [])
    (True, False)
    """
    module = compiled.partition(".")[0]
    return f"{module}.py" in names or module.endswith("__mypyc")


class Broken(Exception):
    """A wheel cannot be read; the message says why."""


def read_wheel(path: Path, python: str) -> Wheel:
    """Read a wheel file and test each file in it. Raises Broken if it is damaged or not a wheel."""
    data = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if damaged := archive.testzip():
                raise Broken(f"the checksum of {damaged} in it differs")
            names = archive.namelist()
            metadata = next((name for name in names if name.endswith(".dist-info/METADATA")), "")
            text = archive.read(metadata).decode() if metadata else ""
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError) as problem:
        raise Broken("it is not a complete zip file") from problem
    head = dict(re.findall(r"^(Name|Version): (.+)$", text.partition("\n\n")[0], flags=re.MULTILINE))
    required = re.findall(r"^Requires-Dist: (.+)$", text.partition("\n\n")[0], flags=re.MULTILINE)
    if not {"Name", "Version"} <= head.keys():
        raise Broken("it does not have metadata, so it is not a wheel")
    name = canonicalize_name(head["Name"].strip())
    return Wheel(name, head["Version"].strip(), path.name, data, _imports(names), _depends(required, python))


def made_wheel(name: str, sources: dict[str, bytes]) -> Wheel:
    """A package with this name and these files, without dependencies."""
    return _wheel(name, "0", _head(name, "0"), sources, ())


def _own_files() -> Iterator[Path]:
    for path in PACKAGE.rglob("*"):
        place = path.relative_to(PACKAGE)
        is_left_out = any(place.is_relative_to(each) for each in NOT_IN_A_BROWSER)
        if path.is_file() and not is_left_out and "__pycache__" not in place.parts:
            yield path


def _wheel_of(known: Distribution, sources: dict[str, bytes], python: str) -> Wheel:
    """A wheel with these files and the metadata of an installed distribution."""
    name, version = known.metadata["Name"], known.version
    metadata = known.read_text("METADATA") or _head(name, version)
    return _wheel(name, version, metadata, sources, _depends(known.requires or (), python))


def _wheel(name: str, version: str, metadata: str, sources: dict[str, bytes], depends: tuple[str, ...]) -> Wheel:
    escaped = re.sub(r"[-_.]+", "_", name).lower()
    info = f"{escaped}-{version}.dist-info"
    entries = {**sources, f"{info}/METADATA": metadata.encode(), f"{info}/WHEEL": _KIND}
    entries[f"{info}/RECORD"] = _record(entries, f"{info}/RECORD").encode()
    file_name = f"{escaped}-{version}-py3-none-any.whl"
    return Wheel(canonicalize_name(name), version, file_name, zipped(entries), _imports(sources), depends)


def _head(name: str, version: str) -> str:
    """The minimal METADATA of a wheel."""
    return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"


def zipped(entries: dict[str, bytes]) -> bytes:
    """A zip of these files; the same files give the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in sorted(entries.items()):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return file.getvalue()


def _record(entries: dict[str, bytes], own: str) -> str:
    lines = []
    for name, data in entries.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{own},,\n"])


def _imports(names: Iterable[str]) -> tuple[str, ...]:
    """The top-level modules in a list of files.

    >>> _imports(["six.py", "numpy/__init__.py", "numpy-2.2.5.dist-info/METADATA"])
    ('numpy', 'six')
    """
    modules = (PurePosixPath(name) for name in names if name.endswith(".py"))
    tops = {path.parts[0].removesuffix(".py") for path in modules}
    return tuple(sorted(top for top in tops if top.isidentifier()))


def _depends(required: Iterable[str], python: str) -> tuple[str, ...]:
    """The names of the requirements that apply in a browser.

    >>> _depends(["numpy>=2", "psutil; sys_platform != 'emscripten'", "torch; extra == 'torch'"], "3.13")
    ('numpy',)
    """
    here = {**BROWSER, "python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    wanted = [Requirement(each) for each in required]
    return tuple(sorted({canonicalize_name(r.name) for r in wanted if r.marker is None or r.marker.evaluate(here)}))
