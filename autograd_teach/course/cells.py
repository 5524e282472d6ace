"""What the cells that a student has run tell about an answer, beyond the object that is checked.

`grade` runs the whole cell that holds the answer, with the definitions that it needs from other cells, and no other cell.
This module finds errors in cells, and what an answer uses that the grader will not have.
"""

import ast
import builtins
import re
import traceback
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .definitions import Completed, attributes_set, completed, is_redefined, left_over, names_defined, without_magic
from .exercises import Exercise, exercises
from .guard import crash_of

_MOST_HISTORY = 200_000
"""How many characters of the newest cells are searched."""

_SETUP = re.compile(r"^from autograd_teach\.course import .*\bcheck\b", re.MULTILINE)
_errors: dict[str, str] = {}
"""The error of each cell whose last run failed, by the cell's source."""


def note_error(result: Any) -> None:
    """Store the error of a cell for `error_in`. IPython calls this after each cell."""
    cell = result.info.raw_cell.strip()
    error = result.error_before_exec or result.error_in_exec
    _errors.pop(cell, None)
    if error is not None and type(error).__name__ != "NotPassed":
        _errors[cell] = _described(error)


def _described(error: BaseException) -> str:
    crash = crash_of(error, "")
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name == "<module>"]
    line = error.lineno if isinstance(error, SyntaxError) else own[0].lineno if own else crash.line
    words = getattr(error, "msg", "") if isinstance(error, SyntaxError) else crash.message
    return (f"line {line}: " if line else "") + crash.kind + (f": {words.rstrip('.')}" if words else "")


def looks_defined(entry: str, cell: str) -> bool:
    """Whether `cell` seems to define `entry`. Reads lines only, so the cell need not be valid Python."""
    pattern = rf"^[ \t]*(?:class|def)[ \t]+{entry}\b|^{entry}\s*="
    return re.search(pattern, cell, re.MULTILINE) is not None


def error_in(entry: str, cells: Sequence[str]) -> str:
    """A sentence if the last of `cells` that defines `entry` failed when it was last run, else ""."""
    defining = (c for c in reversed(cells) if looks_defined(entry, c) and entry in (names_defined(c) or {entry}))
    said = _errors.get(next(defining, "").strip())
    if not said:
        return ""
    return (
        f"The last cell that defines `{entry}` ended in an error ({said}), and the grader runs the whole cell: "
        "fix or remove that line, run the cell, then check again."
    )


def names_alike(entry: str, cells: Sequence[str]) -> str:
    """The class or function in `cells` whose name is similar to `entry`, or "" if there is none.

    >>> names_alike("Scale", ["class Helper: pass", "class MyScale: pass"])
    'MyScale'
    """
    found = re.findall(
        r"^(?:class|def)[ \t]+(\w+)", "\n".join(c for c in cells if c.strip() not in _errors), re.MULTILINE
    )
    found = [name for name in found if name not in {each.entry for each in exercises()}]
    holding = [name for name in found if entry.lower() in name.lower()]
    return next(iter(holding or get_close_matches(entry, found, n=1, cutoff=0.75)), "")


def still_raises(entry: str, cells: Sequence[str]) -> str:
    """A sentence if the last of `cells` that defines `entry` was edited but kept the stub's `raise`, else ""."""
    cell = next((each for each in reversed(cells) if entry in each and entry in names_defined(each)), "")
    line = left_over(cell, entry)
    return f"Line {line} of the cell is still `raise NotImplementedError()`: remove it." if line else ""


@dataclass(frozen=True)
class Answer:
    """The last cell that defines an exercise's entry, the other cells in the order they ran, and what it needs of them."""

    source: str
    others: list[str]
    later: list[str]  # those of `others` that ran after it
    needs: Completed
    is_all: bool  # whether every cell was searched, none was too old


def answer_in(exercise: Exercise, cells: Sequence[str]) -> Answer | None:
    """The answer to `exercise` in `cells`, given in the order they ran; None if there is none."""
    entries = {each.entry for each in exercises(exercise.notebook)}
    is_named = re.compile(rf"\b({'|'.join(entries)})\b").search
    source, others, later, given, left = "", list[str](), list[str](), set[str](), _MOST_HISTORY
    for cell in dict.fromkeys(reversed(cells)):  # the newest first
        left -= len(cell)
        if left < 0:
            break
        defined = names_defined(cell) if is_named(cell) else frozenset()
        if exercise.entry in defined:
            source = source or cell
        elif defined & entries:  # the answer to another exercise, which is submitted as well
            given |= defined
        else:
            others.insert(0, cell)
            if not source:
                later.insert(0, cell)
    if not source:
        return None
    return Answer(source, others, later, completed(source, others, exercise.entry, given), left >= 0)


def on_state(entry: str, answer: Answer | None, live: Collection[str] = ()) -> str:
    """A sentence if `answer` uses the state of another cell, which the grader will not have, else "".

    Definitions do not count: the grader takes them from the other cells. live: all names that exist in the notebook.

    >>> from autograd_teach.course.exercises import exercise
    >>> cells = ["for rate in [1, 2]: pass", "class Tape:\\n    step = rate"]
    >>> on_state("Tape", answer_in(exercise("16.Tape"), cells))
    "`Tape` uses `rate` from another cell, which the grader will not have: move it into the answer's cell."
    """
    if answer is None:
        return ""
    setup = next((cell for cell in answer.others if _SETUP.search(cell)), None)
    given = names_defined(setup or "")
    state = [*answer.needs.state, *_attributes(entry, answer, given)]
    if setup is not None and answer.is_all:
        state += [name for name in answer.needs.nowhere if name in live]
        state += [name for name in answer.needs.taken if name in given and is_redefined(name, answer.others)]
    if not state:
        return ""
    names = [f"`{name}`" for name in state[:3]] + ["others"] * (len(state) > 3)
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    where, them = ("another cell", "it") if len(state) == 1 else ("other cells", "them")
    return f"`{entry}` uses {listed} from {where}, which the grader will not have: move {them} into the answer's cell."


def _attributes(entry: str, answer: Answer, given: Collection[str]) -> list[str]:
    """The attributes that other cells have set and the answer uses.

    They are methods of `entry` (`Scale.backward`), and attributes of what the answer uses (`cfg.rate`) or is given
    (`torch.Tensor.twice`). Attributes that the answer itself sets do not count: another cell may reset a counter
    `Scale.calls`.
    """
    nodes = list(ast.walk(ast.parse(without_magic(answer.needs.source))))
    used = {each.attr for each in nodes if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Load)}
    used -= {each.attr for each in nodes if isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load)}
    bodies = [each.body for each in nodes if isinstance(each, ast.ClassDef) and each.name == entry]
    methods = {each.name for body in bodies for each in body if isinstance(each, ast.FunctionDef)}
    found: dict[tuple[str, str], None] = {}
    for cell in answer.others:
        defined = names_defined(cell)
        found = {each: None for each in found if each[0] not in defined}
        for root, name in attributes_set(cell):
            of_entry = root == entry and name in methods and cell in answer.later
            if of_entry or (root != entry and name in used and (root in given or root in answer.needs.taken)):
                found[root, name] = None
    return [f"{root}.{name}" for root, name in found if f"{root}.{name}" not in answer.needs.taken]


def on_files(entry: str, answer: Answer | None, folder: Path) -> str:
    """A sentence if `answer` needs a module or a file of the notebook's `folder`, else ""."""
    if answer is None:
        return ""
    modules, read, written = list[str](), list[str](), set[str]()
    for node in ast.walk(ast.parse(without_magic(answer.needs.source))):
        match node:
            case ast.Import(names):
                modules += [each.name for each in names]
            case ast.ImportFrom(str(name), _, 0):
                modules.append(name)
            case ast.Call(ast.Name("open"), [ast.Constant(str(name))]):
                read.append(name)
            case ast.Call(ast.Name("open"), [ast.Constant(str(name)), ast.Constant(str(mode)), *_]):
                (read.append if mode.startswith("r") and "+" not in mode else written.add)(name)
    files = [f"{name.partition('.')[0]}.py" for name in modules] + [name for name in read if name not in written]
    found = next((name for name in files if not Path(name).is_absolute() and (folder / name).is_file()), None)
    if found is None:
        return ""
    return f"`{entry}` uses the file `{found}`, which the grader will not have: write what it needs into the answer's cell."


def history(shell: Any) -> list[str]:
    """The cells that have run in IPython's `shell`, as they were typed, including magic commands."""
    raw = getattr(getattr(shell, "history_manager", None), "input_hist_raw", None)
    return [cell for cell in raw or shell.user_ns.get("In", []) if isinstance(cell, str)]


def remarks(exercise: Exercise, shell: Any) -> tuple[str, ...]:
    """One sentence for each thing that the answer uses and the grader will not have."""
    answer, live = answer_in(exercise, history(shell)), {*shell.user_ns, *dir(builtins)}
    said = on_state(exercise.entry, answer, live), on_files(exercise.entry, answer, Path.cwd())
    return tuple(filter(None, said))
