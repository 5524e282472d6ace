"""What is right for one exercise: the forms that the files of ../specs fill in.

NumPy only. Must not know the engine, a student's answer or a reference solution. The forms can be imported anywhere; what
fills them in is never loaded in a process that runs a student's code for a grade.
"""

import copy
import functools
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..exercises.declaration import Leaf, Program
from ..jacobian import Values, as_values

Arguments = tuple[Any, ...]
"""One call: a float array becomes a tensor that requires grad, any other array one that does not, the rest is handed over as it is."""

Inputs = Callable[[np.random.Generator], Sequence[Arguments]]
"""Draws the calls, the smallest first."""

Forward = Callable[..., np.ndarray | tuple[np.ndarray, ...]]
"""NumPy arguments to the NumPy result or results: the specification that the statement gives to the student."""

Vjp = Callable[..., Any]
"""`(*grad_outputs, *arguments)` to the gradient of each float argument, in their order: an array, or a tuple where there are several."""


@dataclass(frozen=True)
class Mistake:
    """A known mistake of one exercise: recognised where the answer computes exactly what the mistake would.

    `forward` (of a call: the whole result) and `vjp` compute what the mistaken answer would return; `message` says what is wrong
    without the answer. A `vjp` may leave out what the mistake does not concern: None stands for a gradient that is right.
    Of a call, `where` may stand for them: recognised where no call is wrong but such as it picks, and others are right.
    """

    name: str
    message: str
    forward: Callable[..., Any] | None = None
    vjp: Vjp | None = None
    where: Callable[..., bool] | None = None


def family(
    name: str, message: str, make: Callable[..., dict[str, Any]], **choices: Mapping[str, Any]
) -> tuple[Mistake, ...]:
    """A `Mistake` for every combination of `choices`: one slip that can sit in several places, each with its words.

    Each choice maps words to a value. `make` gets the values by name and returns what the mistake computes, as arguments
    of `Mistake`; `message` is a template that the words fill.

    >>> lost = family("lost", "the part of {part} is missing", lambda part: {"vjp": part},
    ...               part={"the mean": lambda g, x: g, "the variance": lambda g, x: -g})
    >>> [each.message for each in lost]
    ['the part of the mean is missing', 'the part of the variance is missing']
    """
    found = []
    for picked in itertools.product(*(each.items() for each in choices.values())):
        words = {choice: word for choice, (word, _) in zip(choices, picked, strict=True)}
        values = {choice: value for choice, (_, value) in zip(choices, picked, strict=True)}
        found.append(Mistake(name, message.format(**words), **make(**values)))
    return tuple(found)


@dataclass(frozen=True)
class Place:
    """Entries of the first argument that mistakes like to be about, as a reader calls them: "where x is 0"."""

    words: str
    mask: Callable[..., np.ndarray]
    """`(*arguments)` to booleans of the first argument's shape."""


@dataclass(frozen=True)
class Also:
    """A check of a call beyond its result: `judge` gets what was seen of one call (`Called`) and returns
    what is wrong in a sentence, or None. `name` is the diagnosis it stands for. `counted` where it goes by what the process of
    the answer itself has noted: what was called how often (`Watched`), what a tensor's flags are. Nobody else can know that."""

    name: str
    text: str
    judge: Callable[[Any], str | None]
    counted: bool = False


@dataclass(frozen=True)
class FunctionSpec:
    """What a custom Function must compute.

    forward: what its forward gives. inputs: draws the calls, float64, away from kinks, smallest first (0-d last).
    vjp: the gradient that is declared, whatever the derivative is; without it backward is compared with the numerical
    derivative of `forward`. places: entries of the first argument where an answer may be wrong and nowhere else.
    second: at how many of the first inputs the second derivative is measured, if the exercise asks for it.
    mistakes: the known ones. holds: the beginning of each sentence of the statement -> what holds it: names of checks or
    mistakes with commas between them, or `explains` for a sentence that asks for nothing.
    """

    forward: Forward
    inputs: Inputs
    vjp: Vjp | None = None
    places: tuple[Place, ...] = ()
    second: int = 2
    mistakes: tuple[Mistake, ...] = ()
    holds: Mapping[str, str] = field(default_factory=dict)

    def values(self, arguments: Sequence[Any]) -> Values:
        """What forward must give, as a tuple."""
        return as_values(self.forward(*copies(arguments)))


@dataclass(frozen=True)
class CallSpec:
    """What an answer that is called must return.

    result: gets the arguments as arrays and returns what is right: numbers, arrays (for tensors), words, or lists, tuples
    and dicts of them. inputs: draws the calls; an array becomes a tensor, a `Prepared` what it prepares.
    also: checks beyond the result. larger: draws calls that the grader alone makes, so large that what a `counted` check
    forbids takes longer there than an answer may: of these no count has to be believed.
    normal: what of a result is compared, where several results are right: of a list in any order, the sorted one.
    dtypes: whether tensors of the result must have the specified dtype, too. mistakes, holds: as for `FunctionSpec`.
    """

    result: Callable[..., Any]
    inputs: Inputs
    also: tuple[Also, ...] = ()
    larger: Inputs | None = None
    normal: Callable[[Any], Any] = lambda result: result
    dtypes: bool = False
    mistakes: tuple[Mistake, ...] = ()
    holds: Mapping[str, str] = field(default_factory=dict)


Spec = FunctionSpec | CallSpec


@functools.singledispatch
def specified(argument: Any) -> Any:
    """A declared argument as the specification gets it; a file of specs/ says so for an argument of a class of its own.

    >>> specified(Program("x", "(x ** 3).sum() + torch.exp(x[0])"))(np.array([0.0, 2.0]))
    np.float64(9.0)
    """
    return copy.deepcopy(argument)


@specified.register
def _(argument: Leaf) -> Any:
    return argument.array.copy()


@specified.register
def _(argument: Program) -> Any:
    return eval(argument.text, {"torch": np})  # the course's own text


def drawn(formula: str, rng: np.random.Generator) -> str:
    """`formula` with a number between 0.5 and 1.5 for each {a}, an exponent for each {n}, and a function for each {f}.

    What is right of it cannot be known before.

    >>> drawn("{f}({a} * x) + {a} * x ** {n}", np.random.default_rng(5))
    'torch.tanh(1.31 * x) + 1.02 * x ** 4'
    """
    draw: dict[str, Callable[[], str]] = {
        "a": lambda: f"{rng.uniform(0.5, 1.5):.2f}",
        "n": lambda: str(rng.integers(3, 5)),
        "f": lambda: f"torch.{rng.choice(['sin', 'cos', 'tanh'])}",
    }
    return re.sub(r"\{([anf])\}", lambda found: draw[found[1]](), formula)


def as_drawn(arguments: Sequence[Any]) -> Arguments:
    """The arguments of one call: what NumPy draws for the shape () is a scalar, and an array of rank 0 is meant."""
    return tuple(np.asarray(each) if isinstance(each, np.generic) else each for each in arguments)


def copies(arguments: Sequence[Any]) -> list[Any]:
    """The arguments, arrays copied."""
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
