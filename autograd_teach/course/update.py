"""`autograd-teach update`: a newer version of the course into a student's folder, and every line they wrote kept.

Notebooks are merged cell by cell, by cell id. What a student got is known by a hash a cell, noted when it was delivered
(`lab` does it too): so it is known who changed a cell, the course or the student. Where both did, both versions stay, one
beside the other. The file as it was is kept in a folder of its own before anything is written. Knows nothing of Jupyter.
"""

import json
import os
from collections.abc import Container
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from .. import files
from .errors import UserError
from .lab import as_delivered, cell_hash, course_files, deliver, note_as_delivered, read_manifest, write_manifest
from .notebooks import notebook_text, read_notebook
from .release import STUB

BACKUPS = ".before-update"
"""In the student's folder: their notebooks as they were before an update, a folder for each time."""


@dataclass
class Update:
    """What `update` did, as paths relative to the student's folder; `conflicts` names the cells that exist twice now."""

    folder: Path
    added: list[str] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    conflicts: dict[str, list[str]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    backup: Path | None = None

    def __str__(self) -> str:
        """What happened, a line for each kind."""
        lines = [f"Your course is in {self.folder}."]
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
    """Bring the course in `folder` up to this version; `UserError` where there is no course, or it cannot be written.

    Every cell that the student wrote or changed is still there afterwards, as is every cell that they added.
    """
    folder = Path(os.path.abspath(folder.expanduser()))
    if not (folder / "lessons").is_dir() and not (folder / "exercises").is_dir():
        raise UserError(
            f"There is no course in {folder}; name its folder, or make one with: autograd-teach lab FOLDER."
        )
    _, known = read_manifest(folder)
    delivery = deliver(folder)
    delivered, cells = read_manifest(folder)
    done = Update(folder, delivery.added, delivery.refreshed)
    stamp = (now or datetime.now()).strftime("%Y-%m-%d-%H%M%S")
    for name, source in course_files():
        if name in delivery.kept and _merge_file(name, folder / name, source, known.get(name), done, stamp):
            note_as_delivered(name, as_delivered(source), delivered, cells)
            try:
                write_manifest(folder, delivered, cells)
            except OSError as problem:
                raise UserError(
                    f"What was brought up to date cannot be noted in {folder} ({problem.strerror}); free some space and run this again."
                ) from problem
    return done


def _merge_file(name: str, path: Path, source: Path, known: dict[str, str] | None, done: Update, stamp: str) -> bool:
    """Merge one notebook of the student's; whether it is now made of this version."""
    if not name.endswith(".ipynb"):
        done.skipped[name] = "you have changed it, and it is no notebook; rename yours to get the course's"
        return False
    try:
        theirs = read_notebook(path)
    except UserError as problem:
        done.skipped[name] = str(problem)
        return False
    new = NotebookNode(_nodes(json.loads(as_delivered(source))))
    merged, conflicts = merge(theirs, new, known)
    if [_content(cell) for cell in merged.cells] == [_content(cell) for cell in theirs.cells]:
        return True
    backup = done.folder / BACKUPS / stamp / name
    try:
        backup.parent.mkdir(parents=True, exist_ok=True)
        if not files.add(backup, path.read_bytes()):
            raise UserError(f"{backup} exists already; run the command again.")
        files.replace(path, notebook_text(merged).encode())
    except OSError as problem:
        raise UserError(f"{path} cannot be brought up to date ({problem.strerror}); it is as it was.") from problem
    done.backup = done.folder / BACKUPS / stamp
    done.merged.append(name)
    if conflicts:
        done.conflicts[name] = conflicts
    return True


def merge(theirs: NotebookNode, new: NotebookNode, known: dict[str, str] | None) -> tuple[NotebookNode, list[str]]:
    """The student's notebook on the new version, and the ids of the cells of which both versions stay.

    `known` is what they were given, cell id -> `cell_hash`; None where that was never noted: then a cell that differs may be
    changed by either, and both versions stay, except that an untouched exercise is the course's.
    """
    mine = {cell.id: cell for cell in theirs.cells}
    cells: list[NotebookNode] = []
    conflicts: list[str] = []
    for cell in new.cells:
        old = mine.get(cell.id)
        if old is None or old.source == cell.source:
            cells.append(cell if old is None else _kept(cell, old))
            continue
        was = (known or {}).get(cell.id)
        student_changed = not _is_stub(old) if was is None else cell_hash(old.source) != was
        course_changed = was is None or cell_hash(cell.source) != was
        if not student_changed:
            cells.append(cell)
        elif not course_changed:
            cells.append(_kept(cell, old))
        elif _is_answer(cell):
            # What they wrote keeps the id by which it is checked; the new text stands below it for them to look at.
            cells += [
                _kept(cell, old),
                _beside(f"{cell.id}-new", mine, "The new version of the cell above", cell.source),
            ]
            conflicts.append(cell.id)
        else:
            cells += [cell, _beside(f"{cell.id}-yours", mine, "Your version of the cell above", old.source)]
            conflicts.append(cell.id)
    merged = NotebookNode({**theirs, "cells": _with_own_cells(cells, theirs)})
    return merged, conflicts


def _with_own_cells(cells: list[NotebookNode], theirs: NotebookNode) -> list[NotebookNode]:
    """`cells` and every cell of `theirs` that the course does not have, each after the cell it stood after.

    A cell that the course once gave and has dropped goes only if the student left it as it was: that is not known here, so it stays.
    """
    there = {cell.id for cell in cells}
    result = list(cells)
    after: str | None = None
    for cell in theirs.cells:
        if cell.id not in there:
            place = next((n for n, each in enumerate(result) if each.id == after), -1) + 1
            while place < len(result) and result[place].id.startswith(f"{after}-") and result[place].id not in there:
                place += 1
            result.insert(place, cell)
        after = cell.id
    return result


def _kept(cell: NotebookNode, old: NotebookNode) -> NotebookNode:
    """The student's cell in the new notebook: its text and results, the course's metadata."""
    return NotebookNode({**old, "metadata": cell.metadata, "cell_type": cell.cell_type})


def _beside(name: str, taken: Container[str], title: str, source: str) -> NotebookNode:
    """A cell for the version that did not get the place; one that an earlier update left there has the plain name."""
    names = (name[-64:], *(f"{name}-{number}"[-64:] for number in range(2, 1000)))
    id = next(each for each in names if each not in taken)
    fenced = f"```python\n{source}\n```" if source.strip() else "*(empty)*"
    return new_markdown_cell(f"**{title}**, kept by `autograd-teach update`:\n\n{fenced}", id=id)


def _is_answer(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _is_stub(cell: NotebookNode) -> bool:
    return _is_answer(cell) and STUB[-1] in cell.source and STUB[0] in cell.source


def _content(cell: NotebookNode) -> tuple[str, str, str, str]:
    return cell.id, cell.cell_type, cell.source, json.dumps(cell.metadata.get("nbgrader", {}), sort_keys=True)


def _nodes(raw: Any) -> Any:
    from nbformat import from_dict

    notebook = from_dict(raw)
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]) if isinstance(cell["source"], list) else cell["source"]
    return notebook
