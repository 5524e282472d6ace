"""The public part of an exercise, which a student's code may read: names, text, and how an answer is used.

May use NumPy. Must not use the engine, a student's answer or the specification. That is in ../specs, which is never loaded
in a process that runs a student's code for a grade.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

Kind = Literal["value", "function", "gradcheck", "declared", "graph", "engine"]
Property = Literal["from_result", "needs_input_grad", "double_backward", "no_gradient"]
"""Further requirements on a custom Function. from_result: backward works from the saved result. needs_input_grad: backward
computes only the gradients that are needed. double_backward: backward can be differentiated. no_gradient: if no gradient
comes, backward gets None (`set_materialize_grads(False)`) and returns None."""


@dataclass(frozen=True)
class FunctionForm:
    """The form of a custom Function.

    arguments: the names of the arguments after `ctx`. properties: further requirements. results: the number of results of
    forward. constants: the numbers of results without a gradient. in_place: the numbers of arguments that forward changes
    and returns. declared: whether the statement declares a gradient that may differ from the derivative.
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
        """ "declared" if the gradient is declared, else "gradcheck"."""
        return "declared" if self.declared else "gradcheck"


@dataclass(frozen=True)
class CallForm:
    """The form of an answer that is called and judged by its result: a function or, with `call`, any object.

    arguments: their names. call: `call(torch, answer, *arguments)` uses the answer; without it, it is
    `answer(*arguments)`. may_change: the names of arguments that the answer may change. promise: the line of the report
    for the result. parts: if `call` puts what it finds into a dict, each place in it -> what a student calls it.
    """

    checker: ClassVar[str] = "call"
    arguments: tuple[str, ...]
    call: Callable[..., Any] | None = None
    may_change: tuple[str, ...] = ()
    kind: Kind = "function"
    promise: str = "it returns what is specified"
    parts: Mapping[str, str] = field(default_factory=dict, hash=False)


Form = FunctionForm | CallForm
"""The form of an exercise: how its answer is used."""


class Prepared:
    """An argument that the student gets in one form and the specification in another. A report shows its repr.

    The grader sends it to the student's process as the name of its class and its attributes.
    """

    def for_student(self, torch: Any) -> Any:
        """The argument that the answer gets. torch: our engine or PyTorch."""
        raise NotImplementedError

    def in_words(self, name: str) -> str:
        """The argument in the words of a sentence."""
        return f"{name} = {self!r}"

    @property
    def counts(self) -> dict[str, int]:
        """What it counted while the answer used it, by name."""
        return {}


class Leaf(Prepared):
    """A float array that the student gets as a leaf that requires grad, and the specification as an array."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array, dtype=np.float64)

    def for_student(self, torch: Any) -> Any:
        return torch.tensor(self.array, requires_grad=True)

    def in_words(self, name: str) -> str:
        return super().in_words(name) + " of shape ()" * (self.array.ndim == 0)

    def __repr__(self) -> str:
        return np.array2string(self.array, precision=3, floatmode="fixed", separator=", ", threshold=50)


class Program(Prepared):
    """A function given as one expression. The student gets it on tensors, the specification on arrays.

    The expression calls functions as `torch.name`, and NumPy must have them under the same name.
    """

    def __init__(self, arguments: str, expression: str) -> None:
        self.text = f"lambda {arguments}: {expression}"

    def for_student(self, torch: Any) -> Any:
        return eval(self.text, {"torch": torch})  # the course's own text

    def __repr__(self) -> str:
        return self.text


class Watched(Program):
    """A `Program` of one or more tensors that counts what the student does with it. A check reads the counts.

    `calls` is the number of calls. `passes` is how often a backward pass reached its first argument, over all calls.
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
                if x.requires_grad:  # not under `no_grad`
                    x.register_hook(count)
            return program(x, *others)

        return watched

    @property
    def counts(self) -> dict[str, int]:
        return dict(self._counts)


def prepared(module: str, name: str, attributes: dict[str, Any]) -> Prepared:
    """The argument of class `name` in `module` of this package, restored from its attributes."""
    kind = getattr(importlib.import_module(f".{module}", __package__), name)
    made: Prepared = kind.__new__(kind)
    vars(made).update(attributes)
    return made


@dataclass(frozen=True)
class Exercise:
    """One graded object of a notebook.

    notebook: its name without the ending. entry: the name of the class or function. points: for a right answer. title and
    hints: for students. form: how the answer is used. seconds: the time limit of a check.
    weights: for partial points, the weights of checks by name; without them an answer gets all points or none. An answer
    that fails only checks with weights gets the fraction that the others weigh: with {"forward": 1, "gradient": 2}, a
    right forward with a wrong backward gets a third.

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
        """The number of the notebook and the entry, for example "09.Scale"."""
        return f"{self.notebook.partition('_')[0]}.{self.entry}"

    @property
    def kind(self) -> Kind:
        """The kind of the exercise, from its form."""
        return self.form.kind

    @property
    def statement_cell(self) -> str:
        """Cell id and nbgrader `grade_id` of the cell with the statement."""
        return f"{self.entry.lower().replace('_', '-')}-statement"

    @property
    def answer_cell(self) -> str:
        """Cell id and nbgrader `grade_id` of the cell with the student's answer."""
        return f"{self.entry.lower().replace('_', '-')}-answer"

    @property
    def check_cell(self) -> str:
        """Cell id and nbgrader `grade_id` of the cell with the check and the points."""
        return f"{self.entry.lower().replace('_', '-')}-check"
