"""Makes exercises/ from solutions/: the same notebooks with stubs instead of solutions, and without outputs.

May use notebooks, the declarations of the exercises and, to see that they are there, their specifications. Reads nbgrader's cell metadata and marks, and does the same as
`nbgrader generate_assignment`.
"""

import re
from copy import deepcopy
from pathlib import Path

from nbformat import NotebookNode

from .errors import UserError
from .exercises import exercises as declared_exercises
from .notebooks import read_notebook, write_notebook
from .specs import spec_of

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")
"""The default stub of nbgrader. A check recognises it as not attempted."""

_HEADLINE = re.compile(r"(?<=\()\d+ points?(?=\)$)", re.MULTILINE)
_MARK = re.compile(r"###\s*(BEGIN|END) SOLUTION", re.IGNORECASE)


def release(solutions: Path, exercises: Path, check: bool = False) -> list[Path]:
    """Write every notebook of `solutions` into `exercises` as students get it. Returns the files that changed.

    With `check` nothing is written, and the files that would change are returned. Raises `UserError` if an exercise does
    not have a specification, if the marks of a solution are wrong, if two of its cells have the same `grade_id`, or if a
    notebook in `exercises` holds answers or does not have a solution: it is left alone.

    >>> from pathlib import Path
    >>> release(Path("no_such_folder"), Path("exercises"))
    Traceback (most recent call last):
        ...
    autograd_teach.course.errors.UserError: There is no notebook in no_such_folder; name the folder of the solutions.
    """
    sources = sorted(path for path in solutions.glob("*.ipynb") if not path.name.startswith("."))
    if not sources:
        raise UserError(f"There is no notebook in {solutions}; name the folder of the solutions.")
    for exercise in declared_exercises():
        if exercise.notebook in {path.stem for path in sources}:
            spec_of(exercise)  # without one, students could not check their answers
    released = {exercises / path.name: student_version(read_notebook(path), path) for path in sources}
    orphans = sorted(set(exercises.glob("*.ipynb")) - set(released))
    if orphans:
        raise UserError(
            f"{_names(orphans)} in {exercises} does not have a solution in {solutions}; "
            "move it away, then run the command again."
        )
    changed = [path for path, notebook in released.items() if not _is(path, notebook)]
    if check or not changed:
        return changed
    worked_on = [path for path in changed if path.is_file() and _is_worked_on(read_notebook(path), released[path])]
    if worked_on:
        raise UserError(
            f"{_names(worked_on)} in {exercises} holds answers or outputs, which would be lost; "
            "move it away, or name another folder with --exercises."
        )
    try:
        exercises.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(
            f"The folder {exercises} cannot be created ({problem.strerror}); name another with --exercises."
        ) from problem
    for path in changed:
        write_notebook(path, released[path])
    return changed


def student_version(notebook: NotebookNode, source: Path) -> NotebookNode:
    """A copy of a solution notebook as a student gets it: with stubs and without outputs. source: for messages.

    Raises `UserError` if the marks of a solution are wrong, or if two cells have the same `grade_id`.
    """
    if double := _double_grade_ids(notebook):
        raise UserError(f"{source}: {double}")
    released = deepcopy(notebook)
    for cell in released.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        graded = cell.metadata.get("nbgrader", {})
        if graded.get("solution") and not graded.get("task"):
            cell.source = stubbed(cell.source, f"{source}, cell {cell.id!r}")
        elif _MARK.search(cell.source):
            raise UserError(
                f"{source}, cell {cell.id!r} marks a solution but is not a solution cell, so students would read it: "
                "mark the cell as a solution for nbgrader, or remove the mark."
            )
    return released


def declare(name: str, notebook: NotebookNode) -> dict[str, str]:
    """Correct the ids of the cells and the points of a solution, in place (`declare_ids`, `declare_points`).

    Returns what was changed, and how. Raises `UserError` if two cells have the same `grade_id`.
    """
    return declare_ids(notebook) | declare_points(name, notebook)


def declare_ids(notebook: NotebookNode) -> dict[str, str]:
    """Give each cell that has a `grade_id` the same id.

    JupyterLab keeps the metadata of a copied cell, with its `grade_id`, but gives the copy a random id.
    Returns the new ids, by the old ones. Raises `UserError` if two cells have the same `grade_id`.
    """
    if double := _double_grade_ids(notebook):
        raise UserError(double)
    said: dict[str, str] = {}
    for cell in notebook.cells:
        if (grade_id := grade_id_of(cell)) and cell.id != grade_id:
            said[f"cell {cell.id!r}"] = f"its id is now its grade_id, {grade_id!r}"
            cell.id = grade_id
    return said


def grade_id_of(cell: NotebookNode) -> str:
    """nbgrader's name for a cell, "" if it does not have one."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _double_grade_ids(notebook: NotebookNode) -> str:
    """What is wrong if two cells have the same `grade_id`; "" if all differ."""
    seen: dict[str, str] = {}
    for cell in notebook.cells:
        grade_id = grade_id_of(cell)
        if grade_id in seen:
            return (
                f"the cells {seen[grade_id]!r} and {cell.id!r} have the same grade_id, {grade_id!r}; "
                "change the grade_id of the copy, in its metadata."
            )
        if grade_id:
            seen[grade_id] = cell.id
    return ""


def declare_points(name: str, notebook: NotebookNode) -> dict[str, str]:
    """Write the declared points into a solution: into its check cells, and into the headings that name points.

    name: the notebook's name without its ending. Returns the differences found, by exercise id.
    """
    cells = {cell.id: cell for cell in notebook.cells}
    said: dict[str, str] = {}
    for exercise in declared_exercises():
        if exercise.notebook != name or exercise.check_cell not in cells:
            continue
        points = f"{exercise.points} point{'s' if exercise.points != 1 else ''}"
        graded = cells[exercise.check_cell].metadata.get("nbgrader", {})
        if graded.get("points", exercise.points) != exercise.points:
            said[exercise.id] = f"declared with {points}, but its check cell says {graded['points']}"
            graded["points"] = exercise.points
        statement = cells.get(exercise.statement_cell)
        heading = _HEADLINE.search(statement.source) if statement else None
        if statement and heading and heading.group() != points:
            said[exercise.id] = f"declared with {points}, but its heading says {heading.group()}"
            statement.source = _HEADLINE.sub(points, statement.source, count=1)
    return said


def stubbed(text: str, where: str) -> str:
    """`text` with the stub in place of the lines between the marks, indented like the opening mark.

    Without marks, all of the text is replaced. where: for messages.

    >>> print(stubbed("def double(x):\\n    ### BEGIN SOLUTION\\n    return 2 * x\\n    ### END SOLUTION", "cell 1"))
    def double(x):
        # YOUR CODE HERE
        raise NotImplementedError()
    """
    if not _MARK.search(text):
        return "\n".join(STUB)
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        mark = _MARK.search(line)
        if mark:
            opens = mark.group(1).upper() == "BEGIN"
            if opens == inside:
                raise UserError(f"{where}: {BEGIN} and {END} must alternate.")
            inside = opens
            if opens:
                indent = line[: len(line) - len(line.lstrip())]
                lines += [indent + stub for stub in STUB]
        elif not inside:
            lines.append(line)
    if inside:
        raise UserError(f"{where}: {END} is missing.")
    return "\n".join(lines)


def _is_worked_on(there: NotebookNode, new: NotebookNode) -> bool:
    """Whether `there` has outputs, or fewer stubs than `new`: then it is a student's notebook, or a solution."""

    def stubs(notebook: NotebookNode) -> dict[str, int]:
        return {cell.id: cell.source.count(STUB[-1]) for cell in notebook.cells}

    was_run = any(cell.get("outputs") or cell.get("execution_count") for cell in there.cells)
    before, after = stubs(there), stubs(new)
    return was_run or any(count < after.get(id, 0) for id, count in before.items())


def _is(path: Path, notebook: NotebookNode) -> bool:
    return path.is_file() and _comparable(read_notebook(path)) == _comparable(notebook)


def _comparable(notebook: NotebookNode) -> object:
    return (notebook.metadata, notebook.nbformat, notebook.nbformat_minor, notebook.cells)


def _names(paths: list[Path]) -> str:
    return ", ".join(path.name for path in paths)
