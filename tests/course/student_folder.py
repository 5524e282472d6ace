"""A course that can be changed and a student's folder with it, for tests of what brings them together."""

import shutil
import zipfile
import zlib
from pathlib import Path

import pytest
from nbformat import NotebookNode

from autograd_teach.course import content, lab, take_up
from autograd_teach.course.notebooks import notebook_text, read_notebook, write_notebook

EXERCISE, LESSON = "exercises/09_custom_functions.ipynb", "lessons/01_requires_grad.ipynb"
ANSWER = "class Scale(Function):\n    pass  # mine"
HALF = """class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor  # half of it

    @staticmethod
    def backward(ctx, grad_output):
        # YOUR CODE HERE
        raise NotImplementedError()"""


class Course:
    """A course that can be changed, and a student's folder with it."""

    def __init__(self, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source, self.folder = base / "source", base / "student"
        for room in ("lessons", "exercises"):
            (self.source / room).mkdir(parents=True)
        for name in (EXERCISE, LESSON):
            shutil.copy(content.folder("lessons").parent / name, self.source / name)
        monkeypatch.setattr(content, "folder", lambda room: self.source / room)
        lab.deliver(self.folder)

    def change(self, where: Path, name: str, id: str, text: str) -> None:
        notebook = read_notebook(where / name)
        next(cell for cell in notebook.cells if cell.id == id).source = text
        write_notebook(where / name, notebook)

    def add(self, name: str, after: str, cell: NotebookNode) -> None:
        notebook = read_notebook(self.folder / name)
        place = [cell.id for cell in notebook.cells].index(after) + 1
        notebook.cells.insert(place, cell)
        write_notebook(self.folder / name, notebook)

    def cells(self, name: str) -> dict[str, str]:
        return {cell.id: cell.source for cell in read_notebook(self.folder / name).cells}

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


def changed(course: Course, name: str, *cells: NotebookNode, noted: bool = False, **answers: str) -> str:
    """A course notebook as somebody has changed it elsewhere; noted: as the page “Your work” gives it out."""
    notebook = read_notebook(course.source / name)
    if noted:
        crcs = {cell.id: zlib.crc32(cell.source.rstrip().encode()) for cell in notebook.cells}
        notebook.metadata[take_up.DELIVERED] = crcs
    for cell in notebook.cells:
        cell.source = answers.get(cell.id.replace("-", "_"), cell.source)
    notebook.cells += cells
    return notebook_text(notebook)


def packed(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo("x")
            entry.filename = entry.orig_filename = name  # as it is, whatever Python would make of it
            archive.writestr(entry, data)
    return path
