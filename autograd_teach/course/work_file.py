"""Reads a student's work from a file: a notebook, or the .zip that the page "Your work" of a course's website makes.

The whole file is examined before any of it is used. A damaged or hostile file is rejected as a whole. A single entry that
cannot be used is left out, and the reason is noted. Writes nothing.
"""

import contextlib
import io
import json
import os
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from . import progress_file
from .errors import UserError
from .lab import course_files
from .notebooks import parse_notebook
from .read_json import read_json

MOST_BYTES = 100_000_000
"""The largest size of all files together, unpacked."""
MOST_FILES = 2000
MOST_FOLDERS = 50
"""The greatest depth of a path."""

ROOMS = ("lessons", "exercises")
ANSWERS = ".autograd_teach_answers.json"
"""The file with the answers that a reader gave on the website's pages."""

_MADE_BY_SYSTEMS = ("__MACOSX", ".ipynb_checkpoints", "__pycache__", ".DS_Store")
_BOM = b"\xef\xbb\xbf"
_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*\\]|[ .](/|$)|(^|/)(con|prn|aux|nul|com\d|lpt\d)(\.[^/]*)?(/|$)', re.IGNORECASE)


@dataclass
class Work:
    """The content of a file, by path. Paths are relative, use `/` and do not contain `..`."""

    files: dict[str, bytes] = field(default_factory=dict)
    notebooks: dict[str, NotebookNode] = field(default_factory=dict)
    """The valid notebooks among `files`."""
    left_out: dict[str, str] = field(default_factory=dict)
    """The paths that are not in `files`, with the reason."""

    def leave_out(self, name: str, why: str) -> None:
        self.files.pop(name, None)
        self.left_out[name] = why


def read_work(source: Path) -> Work:
    """The work in `source`, a .zip or a notebook.

    Raises `UserError` if it is neither, is damaged, or holds a path that leads out of its folder.
    """
    data = _content(source)
    if not data.startswith(b"PK"):
        if source.suffix != ".ipynb":
            raise UserError(
                f"{source} is neither a .zip nor a notebook; name the file from “Download all as one file”, or an .ipynb."
            )
        notebook = parsed(data, str(source))
        # A browser names a second download `name (1).ipynb`.
        name = _course_name(notebook) or re.sub(r"(?<=\w)( ?\(\d+\))+(?=\.ipynb$)", "", source.name)
        return Work({name: data}, {name: notebook})
    try:
        work = _unpacked(data, source)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as problem:
        raise UserError(
            f"{source} is damaged ({plain(problem)}); download it again. Nothing was taken from it."
        ) from problem
    for name, content in list(work.files.items()):
        if name.endswith(".ipynb"):
            try:
                work.notebooks[name] = parsed(content, "it")
            except UserError as problem:
                work.leave_out(name, str(problem).partition(";")[0])
    if not work.files:
        reasons = "".join(f" ({name}: {why})" for name, why in list(work.left_out.items())[:3])
        raise UserError(f"There is no notebook and no progress in {source}{reasons}; name another file.")
    return work


def parsed(data: bytes, name: str) -> NotebookNode:
    """The notebook in `data`, in a form that can be written again.

    A byte order mark is ignored. Half of a surrogate pair, at which an output was cut, becomes U+FFFD. Raises `UserError`,
    whose message begins with `name`, if the notebook is damaged.
    """
    data = data.removeprefix(_BOM)
    if re.search(rb"\\u[dD][89a-fA-F]", data):
        with contextlib.suppress(ValueError):  # `parse_notebook` says what is wrong
            text = json.dumps(read_json(data), ensure_ascii=False)
            data = re.sub("[\ud800-\udfff]", "\ufffd", text).encode()
    return parse_notebook(data, name)


def _content(source: Path) -> bytes:
    try:
        found = source.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UserError(f"{source} is not a file; name a .zip or a notebook.")
        if found.st_size > MOST_BYTES:
            raise UserError(f"{source} has more than {_MB()}, too much for work on this course; name another file.")
        return source.read_bytes()
    except FileNotFoundError as problem:
        raise UserError(f"There is no file {source}; check the name and the folder.") from problem
    except OSError as problem:
        raise UserError(f"{source} cannot be read ({problem.strerror}); name a .zip or a notebook.") from problem


def _MB() -> str:
    return f"{MOST_BYTES // 10**6} MB"


def _unpacked(data: bytes, source: Path) -> Work:
    work, left = Work(), MOST_BYTES
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_FILES:
            raise UserError(
                f"{source} holds {len(entries)} files, too many for work on this course; name another file."
            )
        for entry in entries:
            name = entry.orig_filename
            if is_hostile(name) or stat.S_ISLNK(entry.external_attr >> 16):
                raise UserError(
                    f"{source} holds {name!r}, a name or a link that leads out of your folder; nothing was taken from it."
                )
            if name.endswith("/"):
                continue
            if entry.flag_bits & 1:
                raise UserError(f"{source} is protected with a password; make one without.")
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise UserError(f"{source} uses a rare compression; unpack it and pack it again as an ordinary .zip.")
            if name in work.files:
                raise UserError(f"{source} holds {name} twice; nothing was taken from it.")
            with archive.open(entry) as opened:
                content = opened.read(left + 1)  # an entry may be larger than it says
            left -= len(content)
            if left < 0:
                raise UserError(
                    f"{source} holds more than {_MB()}, too much for work on this course; name another file."
                )
            work.files[name] = content
    work.files = _without_top(work.files)
    for name in list(work.files):
        why = why_not(name)
        if why is not None:
            work.leave_out(name, why)
    # Files of the operating system are not the student's work.
    work.left_out = {name: why for name, why in work.left_out.items() if why}
    return work


def is_hostile(name: str) -> bool:
    """Whether a path in a .zip leads out of the folder. A student's own files do not have such names."""
    parts = re.split(r"[/\\]", name)
    return ".." in parts or name[:1] in ("/", "\\") or re.match(r"[A-Za-z]:[/\\]", name) is not None


def why_not(name: str, on_windows: bool = os.name == "nt") -> str | None:
    """Why a file with this name is left out; None if it is used, "" if it is left out without a message.

    >>> why_not("runs/12:30.txt"), why_not("runs/12:30.txt", on_windows=True)
    (None, 'Windows does not allow this name')
    """
    parts = name.split("/")
    if any(part in _MADE_BY_SYSTEMS for part in parts):
        return ""
    if name == ANSWERS:
        return "the answers given on the website's pages stay on its page “Your work”"
    if any(part.startswith(".") and part not in (".", "..") for part in parts[:-1]):
        return "it lies in a hidden folder"
    if parts[-1].startswith(".") and parts[-1] != progress_file.NAME:
        return "it is a hidden file"
    if any(part in ("", ".") for part in parts) or re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", name):
        return "files here cannot have its name"
    if len(parts) > MOST_FOLDERS:
        return "it is in too many nested folders"
    if on_windows and _NOT_ON_WINDOWS.search(name):
        return "Windows does not allow this name"
    return None


def _without_top(files: dict[str, bytes]) -> dict[str, bytes]:
    """`files` without the outer folder that a computer adds when it packs an unpacked .zip again."""
    inside = {name.partition("/")[2]: data for name, data in files.items() if why_not(name) != ""}
    tops = {name.partition("/")[0] for name in files if why_not(name) != ""}
    is_course = any(name.startswith(tuple(f"{room}/" for room in ROOMS)) for name in inside)
    return inside if len(tops) == 1 and tops.isdisjoint(ROOMS) and is_course and "" not in inside else files


def _course_name(notebook: NotebookNode) -> str:
    """The path of the course notebook that `notebook` comes from, whatever its file name; "" if there is none."""
    ids = {cell.id for cell in notebook.cells}
    best, most = "", 0
    for name, path in course_files():
        if name.endswith(".ipynb"):
            own = {cell["id"] for cell in json.loads(path.read_bytes())["cells"]}
            if len(own & ids) > most and 2 * len(own & ids) >= min(len(own), len(ids)):
                best, most = name, len(own & ids)
    return best


def plain(text: object) -> str:
    """`text` on one line, without characters that have a meaning in Markdown."""
    return re.sub(r"[^\w .,;:()'+-]", " ", str(text))[:120]
