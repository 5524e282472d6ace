"""What an exercise says about itself where a student's code may look: names, text, and how an answer is used.

May use NumPy. Must not know the engine, a student's answer, or what is right: that is in ../specs, which no process that
runs a student's code for a grade can see.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

Kind = Literal["value", "function", "gradcheck", "declared", "graph", "engine"]
Property = Literal["from_result", "needs_input_grad", "double_backward", "no_gradient"]
"""What a custom Function may be asked beyond what every Function must do: its backward works from the saved result; it
computes only the gradients that somebody asked for; it can be differentiated once more; where no gradient comes, it gets None
(`set_materialize_grads(False)`) and gives None."""


@dataclass(frozen=True)
class FunctionForm:
    """A custom Function.

    `arguments` names the arguments after `ctx`. forward gives as many results as `results`; the numbers in `constants`
    are those without a gradient, the numbers in `in_place` the arguments that forward itself changes and returns.
    `declared` where the gradient is the one that the statement declares, whatever the derivative is.
    """

    checker: ClassVar[str] = "function"
    arguments: tuple[str, ...]
    properties: tuple[Property, ...] = ()
    results: int = 1
    constants: tuple[int, ...] = ()
    in_place: tuple[int, ...] = ()
    declared: bool = False

    @property
    def kind(self) -> Kind:
        """`declared` where the gradient is, else `gradcheck`."""
        return "declared" if self.declared else "gradcheck"


@dataclass(frozen=True)
class CallForm:
    """A function (or, by `call`, whatever else) of the student's, graded by what it returns.

    `call(torch, answer, *arguments)` says how the answer is used where that is not `answer(*arguments)`. Arguments in
    `may_change` are the answer's to change. `promise` is the report's line for the result.
    """

    checker: ClassVar[str] = "call"
    arguments: tuple[str, ...]
    call: Callable[..., Any] | None = None
    may_change: tuple[str, ...] = ()
    kind: Kind = "function"
    promise: str = "it returns what is specified"


Form = FunctionForm | CallForm
"""How an answer is used."""


class Prepared:
    """An argument that the student gets in one form and the specification in another; its repr is what a report shows.

    The grader hands it to the student's process as the name of its class and its attributes.
    """

    def for_student(self, torch: Any) -> Any:
        """What the answer is called with; `torch` is our engine, or PyTorch."""
        raise NotImplementedError

    def in_words(self, name: str) -> str:
        """The argument as a sentence speaks of it."""
        return f"{name} = {self!r}"

    @property
    def counts(self) -> dict[str, int]:
        """What it has counted while the answer used it."""
        return {}


class Leaf(Prepared):
    """A float array that the student gets as a leaf that requires grad, and the specification as it is."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array, dtype=np.float64)

    def for_student(self, torch: Any) -> Any:
        return torch.tensor(self.array, requires_grad=True)

    def __repr__(self) -> str:
        return np.array2string(self.array, precision=3, floatmode="fixed", separator=", ", threshold=50)


class Program(Prepared):
    """A function given as one expression, which the student gets over tensors and the specification over arrays.

    The expression calls functions by `torch.`: those that NumPy has under the same name.
    """

    def __init__(self, arguments: str, expression: str) -> None:
        self.text = f"lambda {arguments}: {expression}"

    def for_student(self, torch: Any) -> Any:
        return eval(self.text, {"torch": torch})  # the course's own text

    def __repr__(self) -> str:
        return self.text


class Watched(Program):
    """A `Program` of one tensor, and perhaps more, that counts what the student does with it; a check reads the counts.

    `calls`: how often it was called; `passes`: how often a backward pass reached its first argument, over all calls.
    """

    def __init__(self, arguments: str, expression: str) -> None:
        super().__init__(arguments, expression)
        self._counts: dict[str, int] = {}

    def for_student(self, torch: Any) -> Any:
        program = super().for_student(torch)
        counts = self._counts = {"calls": 0, "passes": 0}

        def count(_: Any) -> None:
            counts["passes"] += 1

        def watched(x: Any, *others: Any) -> Any:
            counts["calls"] += 1
            if getattr(x, "requires_grad", False):
                x = x.clone()
                x.register_hook(count)
            return program(x, *others)

        return watched

    @property
    def counts(self) -> dict[str, int]:
        return dict(self._counts)


def prepared(module: str, name: str, attributes: dict[str, Any]) -> Prepared:
    """The argument of class `name` of `module` of this package, made again from its attributes."""
    kind = getattr(importlib.import_module(f".{module}", __package__), name)
    made: Prepared = kind.__new__(kind)
    vars(made).update(attributes)
    return made


@dataclass(frozen=True)
class Exercise:
    """One graded object of one notebook.

    All or nothing, unless `weights` says what checks (by name) are worth: an answer that fails these alone gets the share of
    the weights of the others, so {"forward": 1, "gradient": 2} gives a third for a forward without its backward.

    >>> from autograd_teach.course.exercises import exercise
    >>> exercise("09.Scale").answer_cell, exercise("09.Scale").points
    ('scale-answer', 2)
    """

    notebook: str
    entry: str
    points: int
    title: str
    form: Form
    hints: tuple[str, ...]
    seconds: float = 1.5
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """`"09.Scale"`: the notebook's number and the graded name."""
        return f"{self.notebook.partition('_')[0]}.{self.entry}"

    @property
    def kind(self) -> Kind:
        """How it is graded."""
        return self.form.kind

    @property
    def statement_cell(self) -> str:
        """Cell id and nbgrader `grade_id` of the cell that says what to write."""
        return f"{self.entry.lower().replace('_', '-')}-statement"

    @property
    def answer_cell(self) -> str:
        """Cell id and nbgrader `grade_id` of the cell that the student writes."""
        return f"{self.entry.lower().replace('_', '-')}-answer"

    @property
    def check_cell(self) -> str:
        """Cell id and nbgrader `grade_id` of the cell that checks and carries the points."""
        return f"{self.entry.lower().replace('_', '-')}-check"
