"""Notebook files: reads, writes and runs them, and brings them into the canonical form in which they are stored.

May use nbformat and nbclient. Does not know lessons, exercises or grades: a notebook here is cells and outputs. A run
neither reads nor writes a student's progress. Writing never loses a file.

The canonical form: run top to bottom in a fresh kernel, cells counted 1..n, readable ids kept, adjacent pieces of a
stream joined, no widget models (their ids are random; the SVG, HTML and text beside them stay), no metadata of the
machine. Text that names a folder or a memory address cannot be made canonical and raises an error: nbval compares it
strictly, so the cell has to print something else.
"""

import io
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from .. import files
from . import progress_file
from .errors import UserError, fix
from .read_json import read_json

# A trick for speed. nbformat imports jsonschema. If rfc3987_syntax is installed, jsonschema then compiles 39 grammars (3.5 s
# of each command) to check addresses, which notebooks do not need. So it is hidden during the import.
_GRAMMARS = "rfc3987_syntax"
sys.modules.setdefault(_GRAMMARS, None)  # type: ignore[arg-type]
import nbformat
from nbformat import NotebookNode

if sys.modules[_GRAMMARS] is None:
    del sys.modules[_GRAMMARS]

CELL_METADATA = ("tags", "nbgrader", "editable", "deletable", "autograd_teach")
"""The metadata of a cell that the canonical form keeps. Front ends add timings and folding, which are not content."""

UNSTABLE_OUTPUT_TAG = "nbval-ignore-output"
"""nbval's tag for cells whose output differs in each run (timings)."""

_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_NOT_COMPARED = ("image/svg+xml", "image/png", "image/jpeg", "application/pdf")
_OF_A_MACHINE = re.compile(
    r"\b0x[0-9a-fA-F]{8,}\b"  # a memory address
    r"|(?<![\w.:/-])/(?:home|root|tmp|Users|usr|var|work|opt|private|mnt)/[\w.-]"
    r"|\b[A-Za-z]:\\+(?:Users|Windows|Program)\b"
)


class OutOfDate(UserError):
    """Names notebooks that a run would change."""


def read_notebook(path: str | Path) -> NotebookNode:
    """The notebook in the file `path`. Raises `UserError` if it does not exist or cannot be read.

    >>> read_notebook("no_such.ipynb")
    Traceback (most recent call last):
        ...
    autograd_teach.course.errors.UserError: There is no notebook no_such.ipynb; check the name and the folder.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"There is no notebook {path}; check the name and the folder.")
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise UserError(f"{path} cannot be read ({problem.strerror}); check its permissions.") from problem
    return parse_notebook(data, str(path))


def parse_notebook(data: bytes, path: str) -> NotebookNode:
    """The notebook in the bytes of a file. path: for messages. Raises `UserError` if it is not a valid notebook."""
    try:
        text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8").read()
        raw = read_json(text)
    except ValueError as problem:
        raise UserError(
            f"{path} is not a valid notebook (its JSON is broken); restore it from a backup or start from a fresh copy."
        ) from problem
    if not isinstance(raw, dict) or not isinstance(raw.get("nbformat"), int):
        raise UserError(f"{path} is not a notebook; name a file that JupyterLab wrote.")
    if raw["nbformat"] != 4:
        raise UserError(
            f"{path} has notebook format {raw['nbformat']}, 4 is needed; open it in JupyterLab and save it again."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about missing ids, which `_with_ids` adds
            notebook = _with_ids(nbformat.v4.reads(text))
            nbformat.validate(notebook)
    except (nbformat.ValidationError, AttributeError, KeyError, TypeError) as problem:
        raise UserError(f"{path} is not a valid notebook ({_what(problem)}); start from a fresh copy.") from problem
    return notebook


def write_notebook(path: str | Path, notebook: NotebookNode) -> None:
    """Write `notebook` to `path`, whole or not at all. Raises `UserError` if that fails."""
    path = Path(path)
    try:
        files.replace(path, notebook_text(notebook).encode())
    except OSError as problem:
        raise UserError(f"{path} cannot be written ({problem.strerror}); nothing was changed.") from problem


def execute(
    notebook: NotebookNode, folder: str | Path, timeout: float = 60, keep_widgets: bool = False
) -> NotebookNode:
    """A copy of `notebook`, run top to bottom by a fresh kernel in `folder`.

    timeout: seconds for each cell. keep_widgets: store the state of the widgets in the metadata, as JupyterLab does.
    Raises `UserError` if a cell fails without the tag `raises-exception`, takes too long or ends the kernel.
    """
    from nbclient.exceptions import (
        CellExecutionError,
        CellTimeoutError,
        DeadKernelError,
    )

    ran = deepcopy(notebook)
    without_progress = {progress_file.SWITCH: "1"}  # earlier answers must not show in the outputs
    try:
        client(ran, folder, timeout=timeout, store_widget_state=keep_widgets).execute(
            stderr=subprocess.DEVNULL,  # the kernel's own log, no cell's output
            env=os.environ | without_progress,
        )
    except CellExecutionError as problem:
        raise UserError(
            fix(f"{_failed_cell(ran)} raises {problem.ename}: {problem.evalue}", "fix it, then run the command again.")
        ) from problem
    except CellTimeoutError as problem:
        raise UserError(f"A cell takes longer than {timeout:g} s; make it faster or raise the limit.") from problem
    except DeadKernelError as problem:
        raise UserError(
            "The kernel died while the notebook ran; run it in JupyterLab to see which cell ends it."
        ) from problem
    return ran


def client(notebook: NotebookNode, folder: str | Path, **options: Any) -> Any:
    """An nbclient client for `notebook`, with its own Python kernel in `folder`."""
    from nbclient import NotebookClient

    from .kernels import PrivateAsyncKernelManager

    return NotebookClient(
        notebook,
        kernel_name="python3",
        kernel_manager_class=PrivateAsyncKernelManager,
        resources={"metadata": {"path": str(folder)}},
        **{"store_widget_state": False} | options,
    )


def canonical(notebook: NotebookNode) -> NotebookNode:
    """A copy of a notebook that has run, in the form described at the top of this file."""
    result = nbformat.v4.new_notebook(cells=deepcopy(_with_ids(notebook).cells))
    result.nbformat_minor = 5
    result.metadata.kernelspec = {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    }
    result.metadata.language_info = {"name": "python"}
    count = 0
    for cell in result.cells:
        cell.metadata = NotebookNode({k: v for k, v in cell.metadata.items() if k in CELL_METADATA})
        cell.source = "\n".join(line.rstrip() for line in cell.source.rstrip().split("\n"))
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        cell.outputs = [_canonical_output(output, count) for output in _joined(cell.outputs)]
        _refuse_machine_text(cell)
    return result


Correction = Callable[[str, NotebookNode], Mapping[str, str]]
"""Corrects a notebook with this name in place. Returns what it changed, and how."""


def canonicalise(
    paths: Iterable[str | Path], check: bool = False, timeout: float = 60, correct: Correction = lambda *_: {}
) -> list[Path]:
    """Run the notebooks and store them in canonical form. Returns those that changed.

    paths: files, or folders for all their notebooks. timeout: seconds for each cell. correct: called before the run; its
    changes are printed. With `check` nothing is written: a `UserError` names the notebooks that are not canonical or whose
    outputs a fresh run does not reproduce. Pictures are not compared: they vary with layout engine and fonts.
    """
    changed: list[Path] = []
    complaints: list[str] = []
    for path in _notebooks(paths):
        before = path.read_text(encoding="utf-8") if path.is_file() else ""
        stored = read_notebook(path)
        try:
            corrected = deepcopy(stored)
            corrections = "; ".join(f"{what}: {change}" for what, change in correct(path.stem, corrected).items())
            fresh = canonical(execute(corrected, path.parent, timeout))
            complaint = (corrections or _difference(stored, fresh, before)) if check else ""
        except UserError as problem:
            raise UserError(f"{path}: {problem}") from problem
        if complaint:
            complaints.append(f"{path} ({complaint})")
        elif not check and notebook_text(fresh) != before:
            write_notebook(path, fresh)
            changed.append(path)
        state = complaint or ("rewritten" if path in changed else "up to date")
        if corrections and not check:
            state += f" ({corrections})"
        print(f"{path}: {state}", file=sys.stderr, flush=True)
    if complaints:
        raise OutOfDate(f"Not up to date: {', '.join(complaints)}; run `autograd-teach notebooks` on them.")
    return changed


def _difference(stored: NotebookNode, fresh: NotebookNode, text: str) -> str:
    """How `stored` (read from `text`) differs from the canonical `fresh`; "" if it does not."""
    if text != notebook_text(canonical(stored)):
        return "not in canonical form"
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        if _compared(old) != _compared(new):
            return f"cell {old.id!r} now gives another output"
    return ""


def _compared(cell: NotebookNode) -> Any:
    """The part of a cell that a fresh run must reproduce: everything except the bytes of pictures."""
    if UNSTABLE_OUTPUT_TAG in cell.metadata.get("tags", []):
        return None
    plain = json.loads(json.dumps(cell))
    for output in plain.get("outputs", []):
        for kind in output.get("data", {}):
            if kind in _NOT_COMPARED:
                output["data"][kind] = ""
    return plain


def _canonical_output(output: NotebookNode, count: int) -> NotebookNode:
    if "data" in output:
        output.data.pop(_WIDGET_VIEW, None)
        output.metadata = NotebookNode()
    if output.output_type == "execute_result":
        output.execution_count = count
    if output.output_type == "error":  # a traceback is full of paths; nbval compares name and message only
        output.traceback = [f"{output.ename}: {output.evalue}"]
    return output


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The outputs with adjacent pieces of one stream joined, because a kernel splits them depending on timing."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if output.output_type == "stream" and last is not None and last.get("name") == output.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _refuse_machine_text(cell: NotebookNode) -> None:
    if UNSTABLE_OUTPUT_TAG in cell.metadata.get("tags", []):
        return
    for output in cell.outputs:
        texts = [output.get("text", ""), output.get("evalue", "")]
        texts += [
            v for k, v in output.get("data", {}).items() if isinstance(v, str) and k not in ("image/png", "image/jpeg")
        ]
        for text in texts:
            if found := _OF_A_MACHINE.search(text):
                raise UserError(
                    f"Cell {cell.id!r} shows {found.group()!r}, a path or address that differs on every machine; "
                    "print something else."
                )


def _with_ids(notebook: NotebookNode) -> NotebookNode:
    """The notebook itself, with an id for every cell. Format 4.4 and earlier do not have ids."""
    for number, cell in enumerate(notebook.cells, 1):
        cell.setdefault("id", f"cell-{number}")
    notebook.nbformat_minor = max(notebook.get("nbformat_minor", 0), 5)
    return notebook


def _failed_cell(notebook: NotebookNode) -> str:
    for cell in notebook.cells:
        failed = any(output.output_type == "error" for output in cell.get("outputs", []))
        if failed and "raises-exception" not in cell.metadata.get("tags", []):
            return f"Cell {cell.id!r}"
    return "A cell"


def _notebooks(paths: Iterable[str | Path]) -> list[Path]:
    found: list[Path] = []
    for path in map(Path, paths):
        inside = sorted(path.glob("*.ipynb")) if path.is_dir() else [path]
        if not inside:
            raise UserError(f"There is no notebook in {path}; name a folder that has some.")
        found += inside
    if not found:
        raise UserError("Name at least one notebook or folder.")
    return found


def notebook_text(notebook: NotebookNode) -> str:
    """The notebook as text, as it is written to a file."""
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT).rstrip("\n") + "\n"


def _what(problem: Exception) -> str:
    if isinstance(problem, nbformat.ValidationError):
        return str(problem).strip().splitlines()[0]
    return "a part is missing or of the wrong kind"
