"""What an exercise declares about itself, in one place: the notebook's check, the command line and the grader all follow from it.

May use NumPy. Must not know the engine, a student's answer or a reference solution: declarations ship in the wheel, solutions do not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Kind = Literal["value", "function", "gradcheck", "declared", "graph", "engine"]
Property = Literal["from_result", "needs_input_grad", "double_backward", "no_gradient"]
"""What a custom Function may be asked beyond what every Function must do: its backward works from the saved result; it
computes only the gradients that somebody asked for; it can be differentiated once more; where no gradient comes, it gets None
(`set_materialize_grads(False)`) and gives None."""

Arguments = tuple[Any, ...]
"""One call: a float array becomes a tensor that requires grad, any other array one that does not, the rest is handed over as it is."""

Forward = Callable[..., np.ndarray | tuple[np.ndarray, ...]]
"""NumPy arguments to the NumPy result or results: the specification that the statement gives to the student."""

Vjp = Callable[..., Any]
"""`(*grad_outputs, *arguments)` to the gradient of each float argument, in their order: an array, or a tuple where there are several."""


@dataclass(frozen=True)
class Mistake:
    """A known mistake of one exercise: recognised where the answer computes exactly what the mistake would.

    `forward` (of a `Call`: the whole result) and `vjp` compute what the mistaken answer would return; `message` says what is wrong
    without the answer. A `vjp` may leave out what the mistake does not concern: None stands for a gradient that is right.
    Of a `Call`, `where` may stand for them: recognised where no call is wrong but such as it picks, and others are right.
    """

    name: str
    message: str
    forward: Callable[..., Any] | None = None
    vjp: Vjp | None = None
    where: Callable[..., bool] | None = None


@dataclass(frozen=True)
class Place:
    """Entries of the first argument that mistakes like to be about, as a reader calls them: "where x is 0"."""

    words: str
    mask: Callable[..., np.ndarray]
    """`(*arguments)` to booleans of the first argument's shape."""


@dataclass(frozen=True)
class Gradcheck:
    """A custom Function, graded by its forward against `forward` and its backward against the numerical derivative of that.

    `arguments` names the arguments after `ctx`; `inputs` draws the calls, float64, away from kinks, smallest first (0-d last).
    With `vjp` the backward is compared with that instead: a gradient that is declared, whatever the derivative is (kind
    `declared`). forward gives as many results as `results`; the numbers in `constants` are those without a gradient, the numbers in
    `in_place` the arguments that forward itself changes and returns. `places` name entries of the first argument where an
    answer may be wrong and nowhere else.
    """

    arguments: tuple[str, ...]
    forward: Forward
    inputs: Callable[[np.random.Generator], Sequence[Arguments]]
    properties: tuple[Property, ...] = ()
    vjp: Vjp | None = None
    results: int = 1
    constants: tuple[int, ...] = ()
    in_place: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()

    @property
    def kind(self) -> Kind:
        """`declared` where the gradient is, else `gradcheck`."""
        return "gradcheck" if self.vjp is None else "declared"


class Prepared:
    """An argument that the student gets in one form and the specification in another; its repr is what a report shows."""

    def for_student(self, torch: Any) -> Any:
        """What the answer is called with; `torch` is our engine, or PyTorch."""
        raise NotImplementedError

    def for_specification(self) -> Any:
        """What the specification is called with."""
        raise NotImplementedError

    def in_words(self, name: str) -> str:
        """The argument as a sentence speaks of it."""
        return f"{name} = {self!r}"


class Leaf(Prepared):
    """A float array that the student gets as a leaf that requires grad, and the specification as it is."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array, dtype=np.float64)

    def for_student(self, torch: Any) -> Any:
        return torch.tensor(self.array, requires_grad=True)

    def for_specification(self) -> np.ndarray:
        return self.array.copy()

    def __repr__(self) -> str:
        return np.array2string(self.array, precision=3, floatmode="fixed", separator=", ", threshold=50)


class Program(Prepared):
    """A function given as one expression, which the student gets over tensors and the specification over arrays.

    The expression calls functions by `torch.`: those that NumPy has under the same name.

    >>> Program("x", "(x ** 3).sum() + torch.exp(x[0])").for_specification()(np.array([0.0, 2.0]))
    np.float64(9.0)
    """

    def __init__(self, arguments: str, expression: str) -> None:
        self.text = f"lambda {arguments}: {expression}"

    def for_student(self, torch: Any) -> Any:
        return eval(self.text, {"torch": torch})  # the course's own text

    def for_specification(self) -> Any:
        return eval(self.text, {"torch": np})

    def __repr__(self) -> str:
        return self.text


class Watched(Program):
    """A `Program` of one tensor, and perhaps more, that counts what the student does with it; a check reads the counts.

    `calls`: how often it was called; `passes`: how often a backward pass reached its first argument, over all calls.
    """

    calls = 0
    passes = 0

    def for_student(self, torch: Any) -> Any:
        program = super().for_student(torch)
        self.calls = self.passes = 0

        def count(_: Any) -> None:
            self.passes += 1

        def watched(x: Any, *others: Any) -> Any:
            self.calls += 1
            if getattr(x, "requires_grad", False):
                x = x.clone()
                x.register_hook(count)
            return program(x, *others)

        return watched


@dataclass(frozen=True)
class Also:
    """A check of a `Call` beyond its result: `judge` gets what was observed of one call (`observe_call.Called`) and returns
    what is wrong in a sentence, or None. `name` is the diagnosis it stands for. `counted` where it goes by what the process of
    the answer itself has counted (`Watched`), which nobody else can know."""

    name: str
    text: str
    judge: Callable[[Any], str | None]
    counted: bool = False


@dataclass(frozen=True)
class Call:
    """A function (or, by `call`, whatever else) of the student's, graded by what it returns.

    `specification` gets the arguments as arrays and returns what is right: numbers, arrays, words, or lists, tuples and dicts of
    them. `inputs` draws the calls as for `Gradcheck`; an array becomes a tensor, a `Prepared` what it prepares. `call(torch, answer, *arguments)`
    says how the answer is used where that is not `answer(*arguments)`. Arguments in `may_change` are the answer's to change.
    `promise` is the report's line for the result.
    `larger` draws calls that the grader alone makes: so large that what a `counted` check forbids takes longer there than an answer
    may, whatever it says that it has counted.
    `normal` is what of a result is compared, where several results are right: of a list in any order, the sorted one.
    """

    arguments: tuple[str, ...]
    specification: Callable[..., Any]
    inputs: Callable[[np.random.Generator], Sequence[Arguments]]
    also: tuple[Also, ...] = ()
    call: Callable[..., Any] | None = None
    may_change: tuple[str, ...] = ()
    normal: Callable[[Any], Any] = lambda result: result
    kind: Kind = "function"
    promise: str = "it returns what is specified"
    larger: Callable[[np.random.Generator], Sequence[Arguments]] | None = None


Grading = Gradcheck | Call
"""How an exercise is graded."""


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
