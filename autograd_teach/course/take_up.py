"""`autograd-teach update --from FILE`: what was written elsewhere, in a browser say, into a student's folder on this computer.

FILE is a notebook, or the .zip that the page "Your work" of a course's website makes. `read_work` opens it and refuses what is
damaged or hostile; `take_up` merges it, notebooks cell by cell. Nothing in the folder is lost: where both sides have changed
something, both stay. Knows nothing of Jupyter.
"""

from __future__ import annotations

import io
import json
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from nbformat import NotebookNode

from .. import files
from . import progress_file
from .errors import UserError
from .lab import as_delivered, cell_hash, course_files, deliver, read_manifest
from .notebooks import notebook_text, parse_notebook
from .update import BACKUPS, _beside, _is_answer, _is_stub, _kept, _with_own_cells

DELIVERED = "autograd_teach_delivered"
"""In the metadata of a notebook that comes from a website: cell id -> CRC-32 of the text as the site delivered it."""

MOST_BYTES = 100_000_000
"""Of all files together, unpacked."""
MOST_FILES = 2000

_PASSED_OVER = ("__MACOSX", ".ipynb_checkpoints", "__pycache__")
_ROOMS = ("lessons", "exercises")


@dataclass
class TakenUp:
    """What `take_up` did, as paths relative to the student's folder; `both` names the cells of which both versions stay."""

    folder: Path
    source: str
    is_new: bool = False
    taken: dict[str, int] = field(default_factory=dict)
    """Notebook -> how many of its cells come from the file."""
    both: dict[str, list[str]] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    progress: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    backup: Path | None = None

    def __str__(self) -> str:
        """What happened, a line for each kind."""
        lines = [f"Your course is in {self.folder}{' (made now)' if self.is_new else ''}."]
        for name, count in self.taken.items():
            if count:
                lines.append(f"Taken up from {self.source}: {name} ({count} cell{'s' if count > 1 else ''}).")
        for name, cells in self.both.items():
            lines.append(
                f"In {name} you have written in the same cells as in {self.source} ({', '.join(cells)}): both versions are "
                "there, one below the other; keep the one you want."
            )
        lines += [f"Added: {', '.join(self.added)}."] if self.added else []
        lines += [f"Your progress is noted in {', '.join(self.progress)}."] if self.progress else []
        lines += [f"Left out: {name} ({why})." for name, why in self.skipped.items()]
        lines += [f"The notebooks as they were are in {self.backup}."] if self.backup else []
        if len(lines) == 1 or not (self.taken or self.both or self.added or self.progress or self.skipped):
            lines.append(f"All that is in {self.source} is there already.")
        return "\n".join(lines)


def take_up(folder: Path, source: Path, now: datetime | None = None) -> TakenUp:
    """Merge the work in the file `source` into the course in `folder`, which is made if there is none.

    A cell that the student has not touched in `folder` becomes that of the file; if both differ, both stay. Cells of their own
    and files that the course does not have come along under free names. `UserError` if the file cannot be used (`folder` is
    then as it was) or the folder cannot be written.
    """
    folder = Path(os.path.abspath(folder.expanduser()))
    work = read_work(source)
    is_new = not any((folder / room).is_dir() for room in _ROOMS)
    deliver(folder)
    done = TakenUp(folder, source.name, is_new)
    taking = _Taking(done, (now or datetime.now()).strftime("%Y-%m-%d-%H%M%S"))
    for name, data in work.items():
        try:
            taking.take(name, data)
        except OSError as problem:
            raise UserError(
                f"{folder / name} cannot be written ({problem.strerror or problem}); what was there before is as it was. "
                "Mend that and run the command again."
            ) from problem
    return done


def read_work(source: Path) -> dict[str, bytes]:
    """The files in a .zip of somebody's work, or the notebook `source` itself: path -> content. `UserError` if it is neither.

    A path is relative and has no `..`. What only a computer's own programs keep (`.ipynb_checkpoints`, `__MACOSX`, hidden files
    other than the progress files) is passed over.
    """
    try:
        if source.stat().st_size > MOST_BYTES:
            raise UserError(
                f"{source} has more than {MOST_BYTES // 10**6} MB, which is no work on this course; name another."
            )
        data = source.read_bytes()
    except FileNotFoundError as problem:
        raise UserError(f"There is no file {source}; check the name and the folder.") from problem
    except OSError as problem:
        raise UserError(f"{source} cannot be read ({problem.strerror}); name a .zip or a notebook.") from problem
    if not data.startswith(b"PK"):
        if source.suffix != ".ipynb":
            raise UserError(
                f"{source} is neither a .zip nor a notebook; name what “Download all as one file” has made, or an .ipynb."
            )
        notebook = parse_notebook(data, str(source))
        return {_course_name(notebook) or source.name: data}
    try:
        work = _unpacked(data, source)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as problem:
        raise UserError(
            f"{source} is damaged ({_plain(problem)}); download it again. Nothing was taken from it."
        ) from problem
    if not work:
        raise UserError(f"There is no notebook and no progress in {source}; name another file.")
    return work


def _unpacked(data: bytes, source: Path) -> dict[str, bytes]:
    work: dict[str, bytes] = {}
    left = MOST_BYTES
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [each for each in archive.infolist() if not each.is_dir()]
        if len(entries) > MOST_FILES:
            raise UserError(f"{source} holds {len(entries)} files, which is no work on this course; name another.")
        for entry in entries:
            name = entry.orig_filename
            if _is_outside(name) or stat.S_ISLNK(entry.external_attr >> 16):
                raise UserError(
                    f"{source} holds {name!r}, a name or a link that leads out of your folder; nothing was taken from it."
                )
            if entry.flag_bits & 1:
                raise UserError(f"{source} is protected with a password; make one without.")
            if _is_passed_over(name):
                continue
            if name in work:
                raise UserError(f"{source} holds {name} twice; nothing was taken from it.")
            with archive.open(entry) as opened:
                work[name] = opened.read(left + 1)  # an entry may be larger than it says
            left -= len(work[name])
            if left < 0:
                raise UserError(
                    f"{source} holds more than {MOST_BYTES // 10**6} MB, which is no work on this course; name another."
                )
    return _without_top(work)


def _is_outside(name: str) -> bool:
    parts = name.split("/")
    return bool(re.search(r"[\x00-\x1f\x7f\\:]", name)) or any(part in ("", ".", "..") for part in parts)


def _is_passed_over(name: str) -> bool:
    parts = name.split("/")
    if any(part in _PASSED_OVER or part.startswith(".") for part in parts[:-1]):
        return True
    return parts[0] in _PASSED_OVER or (parts[-1].startswith(".") and parts[-1] != progress_file.NAME)


def _without_top(work: dict[str, bytes]) -> dict[str, bytes]:
    """The same without the folder that a computer puts around everything when it packs again what was unpacked."""
    tops = {name.partition("/")[0] for name in work}
    inside = {name.partition("/")[2]: data for name, data in work.items()}
    if (
        len(tops) == 1
        and tops.isdisjoint(_ROOMS)
        and any(name.startswith(_ROOMS) for name in inside)
        and "" not in inside
    ):
        return inside
    return work


def _course_name(notebook: NotebookNode) -> str:
    """The path of the course notebook that this one was made of, whatever its file is called now; empty if of none."""
    ids = {cell.id for cell in notebook.cells}
    best, most = "", 0
    for name, path in course_files():
        if name.endswith(".ipynb"):
            own = {cell["id"] for cell in json.loads(path.read_bytes())["cells"]}
            if len(own & ids) > most and 2 * len(own & ids) >= min(len(own), len(ids)):
                best, most = name, len(own & ids)
    return best


class _Taking:
    """One run of `take_up`: what the course and the folder have, and where backups go."""

    def __init__(self, done: TakenUp, stamp: str) -> None:
        self.done = done
        self.folder = done.folder
        self.backup = done.folder / BACKUPS / stamp
        self.course = dict(course_files())
        self.known = read_manifest(done.folder)[1]

    def take(self, name: str, data: bytes) -> None:
        """Take up one file; what cannot be used is noted with its reason. OSError if something cannot be written."""
        path = self.folder / name
        if not path.parent.resolve().is_relative_to(self.folder.resolve()):
            self.done.skipped[name] = "in your folder a link stands there that leads out of it"
        elif path.name == progress_file.NAME:
            self._take_progress(name, data)
        elif name in self.course and name.endswith(".ipynb"):
            self._take_notebook(name, data)
        else:
            if name.endswith(".ipynb"):
                try:
                    parse_notebook(data, name)
                except UserError as problem:
                    self.done.skipped[name] = str(problem)
                    return
            self._add(name, data)

    def _take_progress(self, name: str, data: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes() if path.is_file() else None
        try:
            if not progress_file.take_up(path.parent, data):
                return
        except ValueError as problem:
            self.done.skipped[name] = str(problem)
            return
        if before is not None:
            self._back_up(name, before)
        self.done.progress.append(name)

    def _take_notebook(self, name: str, data: bytes) -> None:
        path = self.folder / name
        try:
            other = parse_notebook(data, name)
        except UserError as problem:
            self.done.skipped[name] = str(problem)
            return
        before = path.read_bytes()
        try:
            mine = parse_notebook(before, str(path))
        except UserError:
            self._add(name, data, why="the notebook of that name in your folder is damaged and stays as it is")
            return
        if not {cell.id for cell in mine.cells} & {cell.id for cell in other.cells}:
            self._add(name, data)  # saved by something that gives cells other ids: nothing tells which belongs to which
            return
        source = self.course[name]
        given = {cell["id"]: {cell_hash(cell["source"])} for cell in json.loads(as_delivered(source))["cells"]}
        for id, was in self.known.get(name, {}).items():
            given.setdefault(id, set()).add(was)
        merged, count, both = merge_from(mine, other, given, self.done.source)
        if merged.cells == mine.cells:
            return
        self._back_up(name, before)
        files.replace(path, notebook_text(merged).encode())
        if count:
            self.done.taken[name] = count
        if both:
            self.done.both[name] = both

    def _back_up(self, name: str, before: bytes) -> None:
        backup = self.backup / name
        backup.parent.mkdir(parents=True, exist_ok=True)
        if not files.add(backup, before):
            raise UserError(f"{backup} exists already; run the command again.")
        self.done.backup = self.backup

    def _add(self, name: str, data: bytes, why: str = "") -> None:
        """Put a file under its own name, or the next free one, unless the same is there."""
        for each in _names(name):
            path = self.folder / each
            path.parent.mkdir(parents=True, exist_ok=True)
            if files.add(path, data):
                self.done.added.append(each + (f" ({why})" if why else ""))
                return
            if path.is_file() and path.read_bytes() == data:
                return


def merge_from(
    mine: NotebookNode, other: NotebookNode, given: Mapping[str, Container[str]], source: str
) -> tuple[NotebookNode, int, list[str]]:
    """`mine` with what was written in `other`: the notebook, how many cells come from `other`, the ids of those that exist twice.

    given: cell id -> the `cell_hash` of each text that the course gave. What it gave in `other` stands in its metadata
    (`DELIVERED`) if it comes from a website. source: what `other` is called in the titles of cells of which both versions stay.
    """
    noted = other.metadata.get(DELIVERED)
    noted = noted if isinstance(noted, dict) else {}
    theirs = {cell.id: cell for cell in other.cells}
    taken_ids = {cell.id for cell in mine.cells}
    texts = {cell.source for cell in mine.cells}
    cells: list[NotebookNode] = []
    both: list[str] = []
    count = 0

    def is_given(cell: NotebookNode) -> bool:
        return _is_untouched(cell, given) or noted.get(cell.id) == _crc(cell)

    for cell in mine.cells:
        written = theirs.get(cell.id)
        cells.append(cell)
        if written is None or cell_hash(written.source) == cell_hash(cell.source) or is_given(written):
            continue
        # Another text of what the course explains and checks may be another version of the course: then both stay.
        is_theirs = _is_answer(cell) or (
            cell.id in noted and cell.cell_type == "code" and "nbgrader" not in cell.metadata
        )
        if is_theirs and _is_untouched(cell, given) and written.cell_type == cell.cell_type:
            cells[-1] = _kept(cell, written)
            count += 1
            continue
        beside = _beside(
            f"{cell.id}-taken", taken_ids, f"The version of the cell above in {_plain(source)}", written.source
        )
        if beside.source not in texts:
            cells.append(beside)
            both.append(cell.id)
    # Cells of the course that this version does not have, or that were deleted here, do not come back.
    there = {cell.id for cell in cells}
    new = [cell for cell in other.cells if cell.id in there or not is_given(cell)]
    count += sum(cell.id not in there for cell in new)
    merged = _with_own_cells(cells, NotebookNode({**other, "cells": new}))
    return NotebookNode({**mine, "cells": merged}), count, both


def _crc(cell: NotebookNode) -> int:
    """What the page "Your work" computes for a cell as delivered."""
    return zlib.crc32(cell.source.rstrip(" \t\r\n").encode())


def _is_untouched(cell: NotebookNode, given: Mapping[str, Container[str]]) -> bool:
    return _is_stub(cell) or cell_hash(cell.source) in given.get(cell.id, ())


def _names(name: str) -> Iterator[str]:
    path = PurePosixPath(name)
    yield name
    for number in range(2, 1000):
        yield str(path.with_name(f"{path.stem} ({number}){path.suffix}"))


def _plain(text: object) -> str:
    """On one line, and nothing that Markdown would read."""
    return re.sub(r"[^\w .,;:()'+-]", " ", str(text))[:120]
