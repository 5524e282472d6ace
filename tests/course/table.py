"""The answers of tests/course/answers: cells as students write them, and what a report must say of each.

A file holds the answers to one notebook, in the percent format. A cell's title names the exercise, says whether the
answer is right, and what is special about it. `accepted` stands before a mistake that passes, with the reason.

    # %% 09.Scale wrong: the factor is squared
    expect("known", "the slope: `factor` is squared", never=("sign",))
    edit("grad_output * ctx.factor", "grad_output * ctx.factor ** 2")

`expect` and `edit` are read, never run; what follows them is the answer. With `edit` the answer is the solution, or the
right answer whose title begins with `of`, in which texts that occur once are exchanged: old, new, old, new, ...
"""

import ast
import functools
import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograd_teach.course.content import folder
from autograd_teach.course.exercises import exercise as exercise_of
from autograd_teach.course.notebooks import read_notebook

ANSWERS = Path(__file__).parent / "answers"
TITLE = re.compile(r"(?m)^# %% (\S+) (right|wrong|accepted): (.+)\n")


@dataclass(frozen=True)
class Cell:
    """An answer. diagnosis: the finding that must name it. words, never: what its report must say, and must not.

    generic: to be named without what the exercise knows of its mistakes. engine: the only one that it is right or
    wrong with, if the title says why. edits: pairs of texts, exchanged in the solution or in the right cell `of`.
    """

    exercise: str
    kind: str
    what: str
    body: str
    diagnosis: str = ""
    words: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    generic: bool = False
    engine: str | None = None
    edits: tuple[str, ...] = ()
    of: str | None = None

    def __str__(self) -> str:
        return f"{self.exercise} {self.kind}: {self.what}"

    @property
    def text(self) -> str:
        """What the student's cell holds."""
        if not self.edits:
            return self.body
        text = solution(self.exercise) if self.of is None else find(self.exercise, "right", self.of).text
        for old, new in zip(self.edits[::2], self.edits[1::2], strict=True):
            assert text.count(old) == 1, f"{self}: {old!r} occurs {text.count(old)} times in\n{text}"
            text = text.replace(old, new)
        return text

    def answer(self, engine: str = "autograd_teach") -> Any:
        """What the cell defines under the exercise's name, run with `engine` in place of ours: a new one each time."""
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(with_engine(cell_of(self.exercise, "setup"), engine), "<setup>", "exec"), names)  # noqa: S102
        text, file = with_engine(self.text, engine), f"<ipython-input-{self.exercise}-{self.what}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), names)  # noqa: S102  # our own cells
        return names[exercise_of(self.exercise).entry]


def with_engine(text: str, engine: str) -> str:
    """The modules' names are all that changes."""
    text = text.replace("import autograd_teach as torch", f"import {engine} as torch")
    return text.replace("from autograd_teach.autograd", f"from {engine}.autograd")


@functools.cache
def cell_of(exercise: str, id: str) -> str:
    """The source of a cell of the exercise's notebook, with its solution."""
    notebook = read_notebook(folder("solutions") / f"{exercise_of(exercise).notebook}.ipynb")
    return next(cell.source for cell in notebook.cells if cell.id == id)


def solution(exercise: str) -> str:
    """The answer cell without the marks of its solution."""
    return re.sub(r"(?m)^ *### (BEGIN|END) .*\n", "", cell_of(exercise, exercise_of(exercise).answer_cell) + "\n")


def read(text: str) -> Iterator[Cell]:
    """The cells of a file."""
    _, *parts = TITLE.split(text)
    for exercise, kind, what, source in zip(*(parts[n::4] for n in range(4)), strict=True):
        told: dict[str, Any] = {}
        lines, first = source.splitlines(keepends=True), 0
        for statement in ast.parse(source).body:
            match statement:
                case ast.Expr(value=ast.Call(func=ast.Name(id="expect" | "edit" as name)) as call):
                    values = tuple(map(ast.literal_eval, call.args))
                    told |= {each.arg: ast.literal_eval(each.value) for each in call.keywords}
                    told |= (
                        {"edits": values}
                        if name == "edit"
                        else {"diagnosis": values[0], "words": values[1:]}
                        if values
                        else {}
                    )
                    first = statement.end_lineno
                case _:
                    break
        yield Cell(exercise, kind, what, "".join(lines[first:]).strip("\n") + "\n", **told)


@functools.cache
def cells(*kinds: str) -> tuple[Cell, ...]:
    """The cells of all files that are of one of these kinds."""
    every = (cell for path in sorted(ANSWERS.glob("*.py")) for cell in read(path.read_text(encoding="utf-8")))
    return tuple(cell for cell in every if cell.kind in kinds)


def find(exercise: str, kind: str, start: str = "") -> Cell:
    """The first answer to `exercise` whose title begins so."""
    return next(cell for cell in cells(kind) if cell.exercise == exercise and cell.what.startswith(start))
