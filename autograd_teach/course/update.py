"""`autograd-teach update`: brings a student's folder to a newer version of the course and keeps all that they wrote.

Notebooks are merged cell by cell, by cell id. A hash of each cell is noted when it is delivered (`lab` does this too), so
it is known whether the course or the student changed a cell. If both did, both versions stay, one below the other. The
old file is stored in a backup folder before anything is written. Does not know Jupyter.
"""

import contextlib
import json
import os
import re
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from .. import files
from .errors import UserError
from .lab import (
    MANIFEST,
    as_delivered,
    cell_hash,
    course_files,
    deliver,
    note_as_delivered,
    read_manifest,
    write_manifest,
)
from .notebooks import notebook_text, read_notebook
from .release import STUB

BACKUPS = ".before-update"
"""The folder in the student's folder that holds their notebooks before each update, in one folder per update."""
UNRECORDED = (
    f"The record of what the course had delivered ({MANIFEST}) was missing, damaged or incomplete and has been made again: "
    "what differs from this version of the course counts as yours."
)


@dataclass
class Update:
    """What `update` did, as paths relative to the student's folder. conflicts: the cells that now have both versions."""

    folder: Path
    added: list[str] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    conflicts: dict[str, list[str]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    backup: Path | None = None
    is_unrecorded: bool = False

    def __str__(self) -> str:
        """What happened, one line for each kind of change."""
        lines = [f"Your course is in {self.folder}."]
        lines += [UNRECORDED] if self.is_unrecorded else []
        lines += [f"New: {', '.join(self.added)}."] if self.added else []
        lines += [f"Brought up to date: {', '.join(self.refreshed)}."] if self.refreshed else []
        lines += [f"Brought up to date, with what you wrote kept: {', '.join(self.merged)}."] if self.merged else []
        for name, cells in self.conflicts.items():
            lines.append(
                f"In {name} the course has changed cells that you changed too ({', '.join(cells)}): both versions are there, "
                "one below the other; keep the one you want."
            )
        lines += [f"Left alone: {name} ({why})." for name, why in self.skipped.items()]
        lines += [f"The notebooks as they were are in {self.backup}."] if self.backup else []
        return "\n".join(lines) if len(lines) > 1 else f"{lines[0][:-1]} and is up to date."


def update(folder: Path, now: datetime | None = None) -> Update:
    """Bring the course in `folder` to this version.

    Every cell that the student wrote, changed or added is kept. Raises `UserError` if there is no course in `folder`, or it
    cannot be written.
    """
    folder = Path(os.path.abspath(folder.expanduser()))
    if not (folder / "lessons").is_dir() and not (folder / "exercises").is_dir():
        raise UserError(
            f"There is no course in {folder}; name its folder, or make one with: autograd-teach lab FOLDER."
        )
    require_inside(folder, BACKUPS)
    with files.alone_in(folder):
        return _update(folder, now)


def require_inside(folder: Path, *names: str) -> None:
    """Raise `UserError` if one of `names` in `folder` is a link out of it: nothing may be written there."""
    for name in names:
        if not is_inside(folder / name, folder):
            raise UserError(
                f"{folder / name} is a link that leads out of {folder}, and nothing is written there; "
                "put a folder in its place and run the command again."
            )


def is_inside(path: Path, folder: Path) -> bool:
    """Whether `path` lies in `folder`, with all links followed. A broken link does not raise."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


class Backup:
    """The folder in which one run keeps the old files. It is created when the first file is kept."""

    def __init__(self, folder: Path, now: datetime | None) -> None:
        self._wanted = folder / BACKUPS / (now or datetime.now()).strftime("%Y-%m-%d-%H%M%S")
        self.folder: Path | None = None
        """None until a file is kept."""

    def keep(self, name: str, data: bytes) -> None:
        """Store `data` as the file with this name. Raises OSError if that fails."""
        if self.folder is None:
            self._wanted.parent.mkdir(exist_ok=True)
            self.folder = self._new_folder()
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        files.add(path, data)

    def _new_folder(self) -> Path:
        for number in count(1):
            folder = self._wanted.with_name(f"{self._wanted.name}-{number}") if number > 1 else self._wanted
            with contextlib.suppress(FileExistsError):
                folder.mkdir()
                return folder
        raise AssertionError  # `count` does not end


def _update(folder: Path, now: datetime | None) -> Update:
    known = read_manifest(folder)[1]
    delivery = deliver(folder)
    delivered, cells = read_manifest(folder)
    done = Update(folder, delivery.added, delivery.refreshed, is_unrecorded=delivery.is_unrecorded)
    backup = Backup(folder, now)
    for name, source in course_files():
        if name in delivery.kept and _merge_file(name, folder / name, source, known.get(name), done, backup):
            note_as_delivered(name, as_delivered(source), delivered, cells)
            try:
                write_manifest(folder, delivered, cells)
            except OSError as problem:
                raise UserError(
                    f"The update of {folder} cannot be noted there ({problem.strerror}); free some space and run this again."
                ) from problem
    return done


def _merge_file(
    name: str, path: Path, source: Path, known: dict[str, str] | None, done: Update, backup: Backup
) -> bool:
    """Merge one notebook of the student with this version. Returns whether it is based on this version now."""
    if not name.endswith(".ipynb"):
        done.skipped[name] = "you have changed it, and it is not a notebook; rename yours to get the course's file"
        return False
    try:
        theirs = read_notebook(path)
        new = NotebookNode(_nodes(json.loads(as_delivered(source))))
        merged, conflicts = merge(theirs, new, known)
        text = notebook_text(merged).encode()
    except UserError as problem:
        done.skipped[name] = str(problem)
        return False
    except UnicodeEncodeError:
        done.skipped[name] = f"{path} holds text that a notebook cannot hold; restore it from a backup"
        return False
    if [_content(cell) for cell in merged.cells] == [_content(cell) for cell in theirs.cells]:
        return True
    try:
        backup.keep(name, path.read_bytes())
        files.replace(path, text)
    except OSError as problem:
        raise UserError(f"{path} cannot be brought up to date ({problem.strerror}); it is unchanged.") from problem
    done.backup = backup.folder
    done.merged.append(name)
    if conflicts:
        done.conflicts[name] = conflicts
    return True


def merge(theirs: NotebookNode, new: NotebookNode, known: dict[str, str] | None) -> tuple[NotebookNode, list[str]]:
    """Merge the student's notebook `theirs` with the new version `new`.

    known: cell id -> `cell_hash` at delivery; None if that was never noted. Then an answer that is more than a stub is the
    student's, and any other cell that differs stays in both versions, because either side may have changed it. Returns the
    notebook and the ids of the cells that have both versions.
    """
    known = known or {}
    mine = {cell.id: cell for cell in theirs.cells}
    ids = {cell.id for cell in (*theirs.cells, *new.cells)}
    groups: list[list[NotebookNode]] = []
    conflicts: list[str] = []
    for cell in new.cells:
        old = mine.get(cell.id)
        if old is None or old.source == cell.source:
            groups.append([kept(cell, old) if old and old.cell_type == cell.cell_type else cell])
            continue
        is_noted = cell.id in known
        was = known.get(cell.id, cell_hash(cell.source))
        student_changed = cell_hash(old.source) != was and (is_noted or not is_stub(old))
        course_changed = cell_hash(cell.source) != was or not (is_noted or is_answer(cell))
        if not student_changed:
            groups.append([cell])
        elif not course_changed:
            groups.append([kept(cell, old)])
        elif is_answer(cell):
            # The student's text keeps the id by which it is checked; the new text is shown below it.
            below = beside(f"{cell.id}-new", ids, "The new version of the cell above", cell)
            groups.append([kept(cell, old), below])
            conflicts.append(cell.id)
        else:
            groups.append([cell, beside(f"{cell.id}-yours", ids, "Your version of the cell above", old)])
            conflicts.append(cell.id)
    merged = NotebookNode({**theirs, "cells": with_own_cells(groups, theirs.cells)})
    return merged, conflicts


def with_own_cells(groups: list[list[NotebookNode]], theirs: list[NotebookNode]) -> list[NotebookNode]:
    """The cells of all `groups`, and every other cell of `theirs` below the group that it followed before.

    A group is a cell and the cells that belong directly below it. Cells that the course has dropped stay, because it is not
    known here whether the student changed them.
    """
    there = {cell.id for group in groups for cell in group}
    own: dict[str | None, list[NotebookNode]] = {}
    after: str | None = None
    for cell in theirs:
        if cell.id in there:
            after = cell.id
        else:
            own.setdefault(after, []).append(cell)
    result = list(own.get(None, ()))
    for group in groups:
        result += group
        result += [each for cell in group for each in own.get(cell.id, ())]
    return result


def kept(cell: NotebookNode, old: NotebookNode) -> NotebookNode:
    """The student's cell in the new notebook: its text, type and outputs, with the course's metadata."""
    return NotebookNode({**old, "metadata": cell.metadata})


def beside(name: str, taken: set[str], title: str, cell: NotebookNode) -> NotebookNode:
    """A Markdown cell that shows the other version `cell`. Its id is `name` or the next free one, and is added to `taken`."""
    names = (name[-64:], *(f"{name}-{number}"[-64:] for number in range(2, 1000)))
    id = next(each for each in names if each not in taken)
    taken.add(id)
    made = new_markdown_cell(f"**{title}**, kept by `autograd-teach update`:\n\n{shown(cell)}", id=id)
    if cell.get("attachments"):
        made.attachments = cell.attachments
    return made


def shown(cell: NotebookNode) -> str:
    """The text of `beside` below the title: code in a fence, Markdown unchanged."""
    if not cell.source.strip():
        return "*(empty)*"
    if cell.cell_type == "markdown":
        return str(cell.source)
    longest = max((len(run) for run in re.findall("`+", cell.source)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}python\n{cell.source}\n{fence}"


def is_answer(cell: NotebookNode) -> bool:
    """Whether students write their answer to an exercise in this cell."""
    graded = cell.metadata.get("nbgrader")
    return isinstance(graded, dict) and bool(graded.get("solution"))


_STUB_LINE = re.compile(
    r"\s*(@\w+|class \w+(\([\w., ]*\))?:|def \w+\([\w, ]*\):|\"\"\".*\"\"\"|"
    + "|".join(map(re.escape, STUB))
    + r")?\s*"
)


def is_stub(cell: NotebookNode) -> bool:
    """Whether an exercise is still a stub, judged by its lines only: for a cell without a noted hash."""
    lines = cell.source.splitlines()
    is_bare = all(_STUB_LINE.fullmatch(line) for line in lines)
    return is_answer(cell) and is_bare and set(STUB) <= {line.strip() for line in lines}


def _content(cell: NotebookNode) -> tuple[str, str, str, str]:
    return cell.id, cell.cell_type, cell.source, json.dumps(cell.metadata.get("nbgrader", {}), sort_keys=True)


def _nodes(raw: Any) -> Any:
    from nbformat import from_dict

    notebook = from_dict(raw)
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]) if isinstance(cell["source"], list) else cell["source"]
    return notebook
