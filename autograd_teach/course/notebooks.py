"""Notebook files: read, write without ever losing one, run, and bring into the one form in which they are stored.

May use nbformat and nbclient. Knows nothing of lessons, exercises or grades: a notebook here is cells and outputs. A run
neither reads nor writes a student's progress.

The canonical form: run top to bottom in a fresh kernel, cells counted 1..n, readable ids kept, adjacent pieces of a
stream joined, no widget models (their ids are random; the SVG, HTML and text beside them stay), nothing in the metadata
that tells of a machine. Text that names a folder or a memory address cannot be made canonical and is refused: nbval
compares it strictly, so the cell has to print something else.
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
from .errors import UserError

# A trick for speed: importing nbformat imports jsonschema, which compiles 39 grammars (3.5 s of each command) for a check of
# addresses that no notebook is put to, where rfc3987_syntax is installed. Meanwhile it is not; afterwards it is again.
_GRAMMARS = "rfc3987_syntax"
sys.modules.setdefault(_GRAMMARS, None)  # type: ignore[arg-type]
import nbformat
from nbformat import NotebookNode

if sys.modules[_GRAMMARS] is None:
    del sys.modules[_GRAMMARS]

CELL_METADATA = ("tags", "nbgrader", "editable", "deletable", "autograd_teach")
"""What a cell's metadata may hold in canonical form; front ends add timings and folding, which are nobody's content."""

UNSTABLE_OUTPUT_TAG = "nbval-ignore-output"
"""nbval's own tag for cells whose output differs at each run (timings)."""

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
    """The notebook in the file `path`; a `UserError` says what to do where there is none.

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
    """The notebook that a file holds. `path` is for messages; a `UserError` says what is wrong with it."""
    try:
        text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8").read()
        raw = json.loads(text)
    except (ValueError, RecursionError) as problem:
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
            warnings.simplefilter("ignore")  # about missing ids, which are given below
            notebook = _with_ids(nbformat.v4.reads(text))
            nbformat.validate(notebook)
    except (
        nbformat.ValidationError,
        AttributeError,
        KeyError,
        TypeError,
        RecursionError,
    ) as problem:
        raise UserError(f"{path} is not a valid notebook ({_what(problem)}); start from a fresh copy.") from problem
    return notebook


def write_notebook(path: str | Path, notebook: NotebookNode) -> None:
    """Write `notebook` to `path` whole or not at all; `UserError` where that fails."""
    path = Path(path)
    try:
        files.replace(path, notebook_text(notebook).encode())
    except OSError as problem:
        raise UserError(f"{path} cannot be written ({problem.strerror}); nothing was changed.") from problem


def execute(
    notebook: NotebookNode, folder: str | Path, timeout: float = 60, keep_widgets: bool = False
) -> NotebookNode:
    """A copy of `notebook`, run top to bottom by a fresh kernel in `folder`; `timeout` is in seconds, for each cell.

    keep_widgets: put the state of its widgets into its metadata, as JupyterLab does when it saves them.
    `UserError` where a cell without the tag `raises-exception` fails, takes too long or ends the kernel.
    """
    from nbclient.exceptions import (
        CellExecutionError,
        CellTimeoutError,
        DeadKernelError,
    )

    ran = deepcopy(notebook)
    without_progress = {progress_file.SWITCH: "1"}  # what somebody has answered there must not show in the outputs
    try:
        client(ran, folder, timeout=timeout, store_widget_state=keep_widgets).execute(
            stderr=subprocess.DEVNULL,  # the kernel's own log, no cell's output
            env=os.environ | without_progress,
        )
    except CellExecutionError as problem:
        raise UserError(
            f"{_failed_cell(ran)} raises {problem.ename}: {problem.evalue}; mend it, then run the command again."
        ) from problem
    except CellTimeoutError as problem:
        raise UserError(f"A cell takes longer than {timeout:g} s; make it do less or raise the limit.") from problem
    except DeadKernelError as problem:
        raise UserError(
            "The kernel died while the notebook ran; run it in JupyterLab to see which cell ends it."
        ) from problem
    return ran


def client(notebook: NotebookNode, folder: str | Path, **options: Any) -> Any:
    """nbclient's client for `notebook`, with a Python kernel of its own in `folder`."""
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
"""Corrects a notebook of this name in place; says what it changed and how."""


def canonicalise(
    paths: Iterable[str | Path], check: bool = False, timeout: float = 60, correct: Correction = lambda *_: {}
) -> list[Path]:
    """Run the notebooks (files, or all of a folder) and store them in canonical form; returns those that changed.

    What `correct` changes before the run is said.

    With `check` nothing is written: a `UserError` names the notebooks that are not canonical or whose outputs a fresh
    run does not reproduce (pictures are not compared: they vary with layout engine and fonts).
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
    """What keeps `stored` (read from `text`) from being the canonical `fresh`; empty where nothing does."""
    if text != notebook_text(canonical(stored)):
        return "not in canonical form"
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        if _compared(old) != _compared(new):
            return f"cell {old.id!r} now gives another output"
    return ""


def _compared(cell: NotebookNode) -> Any:
    """The part of a cell that a fresh run must reproduce: all but the bytes of pictures."""
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
    """Outputs with neighbouring pieces of one stream joined: where a kernel splits them depends on timing."""
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
                    "let it print something that does not."
                )


def _with_ids(notebook: NotebookNode) -> NotebookNode:
    """The notebook itself, every cell with an id (notebooks of format 4.4 and earlier have none)."""
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
    """The notebook as it is written to a file."""
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT).rstrip("\n") + "\n"


def _what(problem: Exception) -> str:
    if isinstance(problem, nbformat.ValidationError):
        return str(problem).strip().splitlines()[0]
    return "a part is missing or of the wrong kind"
