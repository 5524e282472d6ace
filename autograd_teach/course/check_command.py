"""`autograd-teach check`: the checks of a student's notebooks without JupyterLab, with the same results.

A notebook runs in a fresh kernel, in its own folder, without its check cells. Then every exercise of the notebook is
checked by name, also if its check cell is missing. May use notebooks and the declarations. This is feedback and trusts
the notebook; the points for a grade come from `autograd-teach grade`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TextIO

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from ..colour import styled
from ..plain import visible
from .check_in_kernel import BEGIN, END, Outcome
from .errors import UserError
from .exercises import Exercise, exercises
from .notebooks import client, read_notebook
from .shadows import hiding_in

FIRST = (
    "import autograd_teach.course.checking as _c, autograd_teach.course.guard as _g\n"
    "_stay = _g.nowhere_to_exit(); _stay.__enter__()"
)
"""The first cell: calls that would end the kernel raise SystemExit instead, and each error is stored."""

CELL_SECONDS = 60.0
"""Time limit of each cell of the student. The checks limit the answers to less."""


@dataclass(frozen=True)
class Found:
    """A notebook that was read, or the reason why it could not be read."""

    path: Path
    notebook: NotebookNode | None = None
    trouble: str = ""
    saved: float = 0.0
    """When the file that was read had been saved, in seconds since 1970."""

    @property
    def exercises(self) -> list[Exercise]:
        """The exercises of the course notebook that this is."""
        return [] if self.notebook is None else exercises_of(self.notebook)

    @property
    def is_meant(self) -> bool:
        """Whether it cannot be read but has the name of a course notebook, so the user must be told."""
        return self.notebook is None and any(self.path.stem == each.notebook for each in exercises())


@dataclass(frozen=True)
class Checked:
    """One notebook: its outcomes, or why it could not be run."""

    path: Path
    outcomes: tuple[Outcome, ...] = ()
    trouble: str = ""
    saved: float = 0.0

    @property
    def note(self) -> str:
        """A sentence if JupyterLab has checked a version of the notebook that is not saved, else ""."""
        if not any(outcome.outdated for outcome in self.outcomes):
            return ""
        return (
            f"{self.path.name} was saved at {datetime.fromtimestamp(self.saved):%H:%M}, and JupyterLab has checked "
            "a newer version: save it (Ctrl+S) and check again."
        )

    @property
    def hiding(self) -> str:
        """A sentence if files beside the notebook hide an installed module from it, else ""."""
        folder = self.path.parent
        names = hiding_in(folder, ["."])
        if not names:
            return ""
        return (
            f"{', '.join(names)} in {folder}: notebooks there import that in place of an installed module; rename it, "
            "and restart the notebook's kernel."
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give `parser` the arguments of `autograd-teach check`."""
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="NOTEBOOK|FOLDER",
        help="notebooks with exercises, each by its file, number or name, or folders of them "
        "(default: ./autograd-course)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON on standard output instead of a table")


def run(args: argparse.Namespace) -> int:
    """Check the notebooks and print a table or JSON. Returns 0 if everything passes, else 1."""
    from .lab import DEFAULT_FOLDER

    paths = args.paths or [DEFAULT_FOLDER if DEFAULT_FOLDER.is_dir() else Path()]
    found = find(paths)
    checked = list(check_notebooks(found, progress=sys.stderr))
    print(as_json(checked) if args.json else table(checked))
    return 0 if all(o.passed for each in checked for o in each.outcomes) and not any(c.trouble for c in checked) else 1


def find(paths: Iterable[Path]) -> list[Found]:
    """The notebooks with exercises in `paths`, each read once.

    paths: notebooks and folders; the folder of a course means its exercises/. "09" and "09_custom_functions" mean that
    notebook of the course in ./autograd-course or in the current folder. Raises `UserError` if a named notebook does not
    exist or does not hold an exercise, and if no notebook holds one.
    """
    paths = [_by_name(path) for path in paths]
    found: list[Found] = []
    for path in paths:
        if path.is_dir():
            folder = path / "exercises" if (path / "exercises").is_dir() else path
            inside = (_read_or_say(p) for p in sorted(folder.glob("*.ipynb")) if not p.name.startswith("."))
            found += [each for each in inside if each.exercises or each.is_meant]
        else:
            named = _read(path)
            if not named.exercises:
                raise UserError(f"{path} has no exercise of this course; name a notebook of your exercises folder.")
            found.append(named)
    if not found:
        named_ones = ", ".join(map(str, paths))
        raise UserError(
            f"There is no notebook with exercises in {named_ones}; name the folder of your course: autograd-teach check FOLDER."
        )
    return found


def _by_name(path: Path) -> Path:
    """The file of the notebook whose number or name this is; other paths as they are."""
    from .lab import DEFAULT_FOLDER

    name = path.name.zfill(2)
    names = [each.notebook for each in exercises(name)]
    if path.exists() or len(path.parts) != 1 or not names:
        return path
    file = f"{names[0]}.ipynb"
    places = [folder / inside for folder in (DEFAULT_FOLDER, Path()) for inside in ("exercises", "")]
    found = next((place / file for place in places if (place / file).is_file()), None)
    if found is None:
        raise UserError(
            f"There is no {file} in ./{DEFAULT_FOLDER} or in this folder; name the file or the folder of your course: "
            "autograd-teach check FOLDER."
        )
    return found


def _read(path: Path) -> Found:
    """Raises `UserError` if the notebook cannot be read."""
    # Before it is read: what is saved meanwhile must not count as read.
    saved = path.stat().st_mtime if path.is_file() else 0.0
    return Found(path, read_notebook(path), saved=saved)


def _read_or_say(path: Path) -> Found:
    try:
        return _read(path)
    except UserError as problem:
        return Found(path, trouble=str(problem))


def exercises_of(notebook: NotebookNode) -> list[Exercise]:
    """The exercises of the course notebook that `notebook` is, whatever the name of its file.

    It is the course notebook with which it shares most answer and check cells. Exercises whose cells are missing are
    included, so that the table shows them.
    """
    ids = {cell.id for cell in notebook.cells}
    ids |= {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
    found = Counter(each.notebook for each in exercises() for id in (each.answer_cell, each.check_cell) if id in ids)
    return [each for name, _ in found.most_common(1) for each in exercises(name)]


def check_notebooks(found: Sequence[Found], progress: TextIO | None) -> Iterator[Checked]:
    """Run and check the notebooks one by one, and write to `progress` which one is running."""
    for number, each in enumerate(found, 1):
        _say(progress, f"[{number}/{len(found)}] {each.path.name}", end="")
        checked = check_notebook(each)
        solved = sum(outcome.passed for outcome in checked.outcomes)
        _say(progress, f": {checked.trouble or f'{solved} of {len(checked.outcomes)} solved'}")
        yield checked


def check_notebook(found: Found) -> Checked:
    """Run one notebook and check its exercises. Updates or rebuilds the progress file beside it.

    A cell that raises or takes too long does not stop the others. If the notebook is broken or ends its kernel, `trouble`
    of the result says so.
    """
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    path, notebook, chosen = found.path, found.notebook, found.exercises
    if notebook is None:
        return Checked(path, trouble=found.trouble)
    checks = {each.check_cell for each in chosen}
    own = (
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.id not in checks and not cell.metadata.get("nbgrader", {}).get("grade")
    )
    cells = [new_code_cell(source) for source in (FIRST, *own)]
    ids = [each.id for each in chosen]
    last = f"from autograd_teach.course import check_in_kernel as _c; _c.print_outcomes({ids!r}, globals(), {found.saved!r})"
    cells.append(new_code_cell(last, id="results"))
    runner = client(
        new_notebook(cells=cells),
        path.parent,
        timeout_func=lambda cell: CELL_SECONDS + (sum(each.seconds for each in chosen) + 60) * (cell.id == "results"),
        interrupt_on_timeout=True,
        allow_errors=True,
    )
    try:
        ran = runner.execute(env=_environment(), stderr=subprocess.DEVNULL)  # the kernel's own log
    except (DeadKernelError, CellTimeoutError, RuntimeError):
        return Checked(
            path,
            trouble="a cell ends the kernel or cannot be interrupted: run the notebook in JupyterLab to see which one",
        )
    text = "".join(o.get("text", "") for o in ran.cells[-1].outputs if o.output_type == "stream")
    match = re.search(re.escape(BEGIN) + "(.*)" + re.escape(END), text, re.DOTALL)
    if not match:
        return Checked(path, trouble="the checks gave no result: run the notebook in JupyterLab to see why")
    return Checked(path, tuple(Outcome(**each) for each in json.loads(match.group(1))), _exits(ran), found.saved)


def _exits(ran: NotebookNode) -> str:
    """A sentence if a cell would have ended the program, else ""."""
    for cell in ran.cells:
        if any(output.get("ename") == "SystemExit" for output in cell.outputs):
            lines = [line.strip() for line in cell.source.splitlines()]
            line = next((line for line in lines if re.search(r"\b(_?exit|quit|SystemExit)\b", line)), lines[0])
            return f"the cell with `{line}` ends the program (SystemExit), which a notebook must not do: take that line out"
    return ""


def _environment() -> dict[str, str]:
    """The kernel's environment, in which plots are not displayed."""
    return {**os.environ, "MPLBACKEND": "agg"}


def table(checked: Iterable[Checked]) -> str:
    """One line per exercise, below it the findings, the most important first; at the end the total of points."""
    checked = list(checked)
    width = max((len(o.exercise) for c in checked for o in c.outcomes), default=8) + 2
    lines = [visible(sentence) for sentence in dict.fromkeys(each.hiding for each in checked) if sentence]
    for each in checked:
        trouble = styled(visible(each.trouble), "bad", sys.stdout)
        lines += [f"{visible(each.path.name)}: {trouble}"] if trouble else []
        lines += [visible(each.note)] if each.note else []
        for o in each.outcomes:
            state = styled(_state(o), _style(o), sys.stdout)
            lines.append(f"{o.exercise:<{width}}{o.points if o.passed else 0} of {o.points}  {state}")
            said = [finding["message"] for finding in o.findings] or [o.message]
            lines += [f"{'':<{width}}  {visible(message)}" for message in said if message and not o.passed]
            lines += [f"{'':<{width}}  {visible(remark)}" for remark in o.remarks]
    earned, total = _points(checked)
    return "\n".join([*lines, f"{earned} of {total} points"])


def _state(outcome: Outcome) -> str:
    if outcome.passed:
        return "passed"
    return f"{outcome.passing} of {outcome.checks} checks pass" if outcome.attempted else "not attempted"


def _style(outcome: Outcome) -> str:
    if outcome.passed:
        return "good"
    return "bad" if outcome.attempted else "dim"


def _points(checked: Iterable[Checked]) -> tuple[int, int]:
    outcomes = [outcome for each in checked for outcome in each.outcomes]
    return sum(o.points for o in outcomes if o.passed), sum(o.points for o in outcomes)


def as_json(checked: Iterable[Checked]) -> str:
    """The same as JSON: a list of notebooks, each with its exercises."""
    checked = list(checked)
    earned, total = _points(checked)
    notebooks = [
        {
            "notebook": each.path.name,
            "trouble": each.trouble,
            "note": " ".join(filter(None, (each.note, each.hiding))),
            "exercises": [asdict(o) for o in each.outcomes],
        }
        for each in checked
    ]
    return json.dumps({"points": earned, "of": total, "notebooks": notebooks}, indent=1, ensure_ascii=False)


def _say(stream: TextIO | None, text: str, end: str = "\n") -> None:
    if stream is not None:
        print(visible(text), end=end, file=stream, flush=True)
