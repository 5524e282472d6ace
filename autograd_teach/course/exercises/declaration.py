"""What an exercise declares about itself, in one place: the notebook's check, the command line and the grader all follow from it.

May use NumPy. Must not know the engine, a student's answer or a reference solution: declarations ship in the wheel, solutions do not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Kind = Literal["value", "function", "gradcheck", "declared", "graph", "engine"]
Property = Literal["from_result"]
"""What a custom Function may be asked beyond what every Function must do; `from_result`: its backward works from the saved result."""

Arguments = tuple[Any, ...]
"""One call: a float array becomes a tensor that requires grad, any other array one that does not, the rest is handed over as it is."""

Forward = Callable[..., np.ndarray]
"""NumPy arguments to the NumPy result: the specification that the statement gives to the student."""

Vjp = Callable[..., np.ndarray | None]
"""`(grad_output, *arguments)` to the gradient of the first argument."""


@dataclass(frozen=True)
class Mistake:
    """A known mistake of one exercise: recognised where the answer computes exactly what the mistake would.

    `forward` and `vjp` compute what the mistaken answer would return; `message` says what is wrong without the answer.
    """

    name: str
    message: str
    forward: Forward | None = None
    vjp: Vjp | None = None


@dataclass(frozen=True)
class Gradcheck:
    """A custom Function, graded by its forward against `forward` and its backward against the numerical derivative of that.

    `arguments` names the arguments after `ctx`; `inputs` draws the calls, float64, away from kinks, smallest first (0-d last).
    """

    arguments: tuple[str, ...]
    forward: Forward
    inputs: Callable[[np.random.Generator], Sequence[Arguments]]
    properties: tuple[Property, ...] = ()
    kind: Kind = "gradcheck"


Grading = Gradcheck
"""How an exercise is graded. The other kinds join this union, each a dataclass with what it needs, and get a runner in `checking`."""


@dataclass(frozen=True)
class Exercise:
    """One graded object of one notebook.

    >>> from autograd_teach.course.exercises import exercise
    >>> exercise("09.Scale").answer_cell, exercise("09.Scale").points
    ('scale-answer', 2)
    """

    notebook: str
    entry: str
    points: int
    title: str
    grading: Grading
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...] = ()
    seconds: float = 1.5

    @property
    def id(self) -> str:
        """`"09.Scale"`: the notebook's number and the graded name."""
        return f"{self.notebook.partition('_')[0]}.{self.entry}"

    @property
    def kind(self) -> Kind:
        """How it is graded."""
        return self.grading.kind

    @property
    def answer_cell(self) -> str:
        """Cell id and nbgrader `grade_id` of the cell that the student writes."""
        return f"{self.entry.lower().replace('_', '-')}-answer"

    @property
    def check_cell(self) -> str:
        """Cell id and nbgrader `grade_id` of the cell that checks and carries the points."""
        return f"{self.entry.lower().replace('_', '-')}-check"
