"""`autograd-teach update --from FILE`: merges work done elsewhere, for example in a browser, into a student's folder.

`take_up` merges the files that `work_file` has read, notebooks cell by cell. Nothing in the folder is lost: if both sides
have changed a cell, both versions stay. Does not know Jupyter.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import zlib
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from nbformat import NotebookNode

from .. import files
from . import home, progress_file, shadows
from .errors import UserError
from .lab import as_delivered, cell_hash, course_files, deliver, read_manifest
from .notebooks import notebook_text
from .release import STUB
from .update import (
    BACKUPS,
    UNRECORDED,
    Backup,
    beside,
    is_answer,
    is_inside,
    is_stub,
    kept,
    require_inside,
    shown,
    with_own_cells,
)
from .work_file import ROOMS, Work, parsed, plain, read_work

DELIVERED = "autograd_teach_delivered"
"""Key in the metadata of a notebook from a website: cell id -> CRC-32 of the text as the site delivered it."""

_ENDS_ALL = (errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO)
"""Errors that concern the whole folder, not one file."""
_MOST_NAMED, _LONGEST = 20, 200
"""How many names a message lists, and how many characters of each."""


@dataclass
class TakenUp:
    """What `take_up` did, as paths relative to the student's folder. both: the cells that now have both versions."""

    folder: Path
    source: str
    is_new: bool = False
    taken: dict[str, int] = field(default_factory=dict)
    """Notebook -> the number of its cells that come from the file."""
    both: dict[str, list[str]] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    progress: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    backup: Path | None = None
    is_unrecorded: bool = False

    def __str__(self) -> str:
        """What happened, one line for each kind of change."""
        lines = [f"Your course is in {self.folder}{' (new)' if self.is_new else ''}."]
        lines += [UNRECORDED] if self.is_unrecorded else []
        for name, count in self.taken.items():
            if count:
                lines.append(f"Imported from {self.source}: {name} ({count} cell{'s' if count > 1 else ''}).")
        for name, cells in self.both.items():
            lines.append(
                f"In {name} and in {self.source} you have changed the same cells ({', '.join(cells)}): both versions are "
                "there, one below the other; keep the one you want."
            )
        lines += [f"Added: {_listed(self.added)}."] if self.added else []
        lines += [f"Your progress was added to {', '.join(self.progress)}."] if self.progress else []
        lines += [f"The notebooks as they were are in {self.backup}."] if self.backup else []
        if not (self.taken or self.both or self.added or self.progress):
            lines.append(f"Everything {'else ' if self.skipped else ''}in {self.source} is there already.")
        for why in dict.fromkeys(self.skipped.values()):
            names = [name for name, reason in self.skipped.items() if reason == why]
            lines.append(f"Left out: {_listed(names)} ({why}).")
        return "\n".join(lines)


def take_up(folder: Path, source: Path, now: datetime | None = None) -> TakenUp:
    """Merge the work in the file `source` into the course in `folder`, which is created if there is none.

    A cell that the student has not changed in `folder` is replaced by the cell of the file; if both have changed, both
    stay. The student's own cells and files are added, files under free names. A file that cannot be used is left out, and
    the result says so. Raises `UserError` if `source` cannot be used (`folder` is then unchanged) or the folder cannot be
    written.
    """
    folder = Path(os.path.abspath(folder.expanduser()))
    work = read_work(source)
    _leave_out_shadows(work)
    require_inside(folder, *ROOMS, BACKUPS)
    is_new = not any((folder / room).is_dir() for room in ROOMS)
    done = TakenUp(folder, source.name, is_new, skipped=dict(work.left_out))
    with contextlib.suppress(OSError):  # `deliver` says what is wrong
        folder.mkdir(parents=True, exist_ok=True)
    with files.alone_in(folder):
        done.is_unrecorded = deliver(folder).is_unrecorded
        taking = _Taking(done, work, now)
        taking.take_all(name for name in work.files if PurePosixPath(name).name != progress_file.NAME)
    # Merging progress locks its folder itself, which may be the same folder.
    taking.take_all(name for name in work.files if PurePosixPath(name).name == progress_file.NAME)
    return done


def _leave_out_shadows(work: Work) -> None:
    """Leave out the files that a notebook would import in place of an installed module."""
    folders = {*shadows.ROOMS, *(str(PurePosixPath(name).parent) for name in work.notebooks)}
    for entry in shadows.hiding(work.files, folders):
        for name in [name for name in work.files if name == entry or name.startswith(f"{entry}/")]:
            work.leave_out(
                name, "notebooks beside it would import it in place of an installed module; rename it to add it"
            )


class _Taking:
    """One run of `take_up`: the contents of the course and of the folder, and the place of backups."""

    def __init__(self, done: TakenUp, work: Work, now: datetime | None) -> None:
        self.done = done
        self.work = work
        self.folder = done.folder
        self.backup = Backup(done.folder, now)
        self.course = {name: path for name, path in course_files() if name.endswith(".ipynb")}
        self.known = read_manifest(done.folder)[1]

    def take_all(self, names: Iterator[str]) -> None:
        """Merge these files of the work. A file that cannot be used is noted with the reason."""
        for name in names:
            try:
                self._take(name)
            except OSError as problem:
                why = problem.strerror or str(problem)
                if problem.errno in _ENDS_ALL:
                    raise UserError(
                        f"{self.folder / name} cannot be written ({why}); the file is unchanged. "
                        "Fix that and run the command again."
                    ) from problem
                self.done.skipped[name] = f"it cannot be written: {why}"
            except UnicodeEncodeError:
                self.done.skipped[name] = "this system cannot write its name"
        self.done.backup = self.backup.folder

    def _take(self, name: str) -> None:
        path = self.folder / name
        if not is_inside(path.parent, self.folder):
            self.done.skipped[name] = "its place in your folder is a link that leads out of it"
        elif path.name == progress_file.NAME:
            self._take_progress(name)
        elif name in self.course and name in self.work.notebooks:
            self._take_notebook(name, self._given(name))
        elif name == home.PAGE and name in self.work.notebooks:
            self._take_home()
        else:
            self._add(name)

    def _take_progress(self, name: str) -> None:
        path = self.folder / name
        if path.is_symlink():
            self.done.skipped[name] = "its place in your folder is a link"
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            changed = progress_file.take_up(path.parent, self.work.files[name], lambda was: self.backup.keep(name, was))
        except ValueError as problem:
            self.done.skipped[name] = str(problem)
            return
        if changed:
            self.done.progress.append(name)

    def _take_home(self) -> None:
        """Merge the home page, only if the student wrote in it: each computer makes its own."""
        given = {"title": {cell_hash(home.TITLE)}, home.CELL: {cell_hash(home.SOURCE)}}
        if all(_is_untouched(cell, given) for cell in self.work.notebooks[home.PAGE].cells):
            return
        if os.path.lexists(self.folder / home.PAGE):
            self._take_notebook(home.PAGE, given)
        else:
            self._add(home.PAGE)

    def _given(self, name: str) -> dict[str, set[str]]:
        """Cell id -> the `cell_hash` of each text that the course delivered, in this version and in the one before."""
        cells = json.loads(as_delivered(self.course[name]))["cells"]
        given = {cell["id"]: {cell_hash(cell["source"])} for cell in cells}
        for id, was in self.known.get(name, {}).items():
            given.setdefault(id, set()).add(was)
        return given

    def _take_notebook(self, name: str, given: Mapping[str, Container[str]]) -> None:
        path, other = self.folder / name, self.work.notebooks[name]
        if path.is_symlink() or not path.is_file():
            self._add(name, why="in your folder, that name is not a file, and it stays unchanged")
            return
        before = path.read_bytes()
        try:
            mine = parsed(before, str(path))
        except UserError:
            self._add(name, why="the notebook with that name in your folder is damaged and stays unchanged")
            return
        if not {cell.id for cell in mine.cells} & {cell.id for cell in other.cells}:
            self._add(name)  # saved by a program that changes cell ids: the cells cannot be matched
            return
        merged, count, both = merge_from(mine, other, given, self.done.source)
        if merged.cells == mine.cells:
            return
        text = notebook_text(merged).encode()
        self.backup.keep(name, before)
        if path.read_bytes() != before:
            self._take_notebook(name, given)  # JupyterLab has saved it in the meantime
            return
        files.replace(path, text)
        if count:
            self.done.taken[name] = count
        if both:
            self.done.both[name] = both

    def _add(self, name: str, why: str = "") -> None:
        """Add a file under its own name, or the next free one, unless the same file is there."""
        data = self.work.files[name]
        for each in _names(name):
            path = self.folder / each
            path.parent.mkdir(parents=True, exist_ok=True)
            if files.add(path, data):
                self.done.added.append(each + (f" ({why})" if why else ""))
                return
            if path.is_file() and self._is_same(path, name):
                return
        self.done.skipped[name] = "too many files have this name and a number"

    def _is_same(self, path: Path, name: str) -> bool:
        """Whether a file equals that of the work with this name. Notebooks are compared without their outputs."""
        there = path.read_bytes()
        if there == self.work.files[name] or name not in self.work.notebooks:
            return there == self.work.files[name]
        try:
            found = parsed(there, name)
        except UserError:
            return False
        return [_written(cell) for cell in found.cells] == [_written(cell) for cell in self.work.notebooks[name].cells]


def merge_from(
    mine: NotebookNode, other: NotebookNode, given: Mapping[str, Container[str]], source: str
) -> tuple[NotebookNode, int, list[str]]:
    """Merge the student's changes in `other` into `mine`.

    given: cell id -> the `cell_hash` of each text that the course delivered. The metadata of `other` (`DELIVERED`) says
    what was delivered there if it comes from a website. source: the name of `other`, for titles of cells that have both
    versions. Returns the notebook, the number of cells that come from `other`, and the ids of cells with both versions.
    Merging again changes nothing, even if `source` differs.
    """
    noted = other.metadata.get(DELIVERED)
    noted = noted if isinstance(noted, dict) else {}
    theirs = {cell.id: cell for cell in other.cells}
    ids = {cell.id for cell in (*mine.cells, *other.cells)}
    groups: list[list[NotebookNode]] = []
    both: list[str] = []
    count = 0

    def is_given(cell: NotebookNode) -> bool:
        is_noted = noted.get(cell.id) == _crc(cell) and (not is_answer(cell) or STUB[-1] in cell.source)
        return _is_untouched(cell, given) or is_noted

    for cell in mine.cells:
        written = theirs.get(cell.id)
        groups.append([cell])
        if written is None or _written(written) == _written(cell) or is_given(written):
            continue
        # An explanation or a check that differs may come from another version of the course: then both stay.
        is_theirs = is_answer(cell) or (
            cell.id in noted and cell.cell_type == "code" and "nbgrader" not in cell.metadata
        )
        if is_theirs and _is_untouched(cell, given):
            groups[-1] = [kept(cell, written)]
            count += 1
        elif not _is_beside(cell.id, written, mine):
            title = f"The version of the cell above in {plain(source)}"
            groups[-1].append(beside(f"{cell.id}-taken", ids, title, written))
            both.append(cell.id)
    # Cells of the course that this version does not have, or that were deleted here, do not come back.
    there = {cell.id for cell in mine.cells}
    own = Counter(_written(cell) for cell in mine.cells if cell.id not in given and cell.id not in theirs)
    cells: list[NotebookNode] = []
    for cell in other.cells:
        if cell.id in there:
            cells.append(cell)
        elif own[_written(cell)]:
            own[_written(cell)] -= 1  # there already under another id: nbformat changes duplicate ids
        elif not is_given(cell) and cell.source.strip():
            cells.append(cell)
            count += 1
    return NotebookNode({**mine, "cells": with_own_cells(groups, cells)}), count, both


def _is_beside(id: str, written: NotebookNode, mine: NotebookNode) -> bool:
    """Whether `mine` already has the text of `written` beside the cell with this id, from an earlier merge."""
    text = shown(written)
    found = (cell for cell in mine.cells if cell.id.startswith(f"{id}-taken"[-64:]))
    return any(cell.source.partition("\n\n")[2] == text for cell in found)


def _written(cell: NotebookNode) -> tuple[str, str, str]:
    """What a student writes in a cell: type, text and attachments, without outputs."""
    attachments = json.dumps(cell.get("attachments") or {}, sort_keys=True)
    return cell.cell_type, cell.source.rstrip(), attachments


def _crc(cell: NotebookNode) -> int:
    """The CRC-32 of a cell, as the page "Your work" computes it."""
    return zlib.crc32(cell.source.rstrip(" \t\r\n").encode())


def _is_untouched(cell: NotebookNode, given: Mapping[str, Container[str]]) -> bool:
    return cell_hash(cell.source) in given.get(cell.id, ()) or is_stub(cell)


def _listed(names: list[str]) -> str:
    """The first names in one line, each shortened if it is too long."""
    shown = [name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..." for name in names[:_MOST_NAMED]]
    more = [f"and {len(names) - _MOST_NAMED} more"] * (len(names) > _MOST_NAMED)
    return ", ".join(["".join(c if c.isprintable() else "\ufffd" for c in name) for name in shown] + more)


def _names(name: str) -> Iterator[str]:
    path = PurePosixPath(name)
    yield name
    for number in range(2, 1000):
        yield str(path.with_name(f"{path.stem} ({number}){path.suffix}"))
