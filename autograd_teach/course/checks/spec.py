"""The specification of an exercise: the forms that the files of ../specs fill in.

NumPy only. Must not use the engine, a student's answer or a reference solution. The forms can be imported anywhere. The
files that fill them in are never loaded in a process that runs a student's code for a grade.
"""

import copy
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..exercises.declaration import Leaf, Program
from ..jacobian import Values, as_values
from ..mutants import Slip

Arguments = tuple[Any, ...]
"""The arguments of one call. A float array becomes a tensor that requires grad, any other array a tensor that does not. Other
arguments are passed unchanged."""

Inputs = Callable[[np.random.Generator], Sequence[Arguments]]
"""Draws the calls, the smallest first."""

Forward = Callable[..., np.ndarray | tuple[np.ndarray, ...]]
"""Maps NumPy arguments to the NumPy result or results, as the statement specifies them."""

Vjp = Callable[..., Any]
"""Maps `(*grad_outputs, *arguments)` to the gradient of each float argument, in order: an array, or a tuple of several."""


@dataclass(frozen=True)
class Mistake:
    """A known mistake that no change of one line of the reference makes: an answer that computes exactly this is recognised.

    message: says what is wrong without giving the answer. forward: what the mistaken forward or call returns; of a dict only
    the entries that are wrong. vjp: what the mistaken backward returns; None stands for a gradient that the mistake does not
    change. where: for calls, instead of `forward`: picks arguments. The mistake is recognised if every wrong call has such
    arguments and others are right. always: whether every call with such arguments is wrong, unless 0 is right there.
    """

    message: str
    forward: Callable[..., Any] | None = None
    vjp: Vjp | None = None
    where: Callable[..., bool] | None = None
    always: bool = True


@dataclass(frozen=True)
class Place:
    """Entries of the first argument at which mistakes are likely. words: for a message, such as "where x is 0"."""

    words: str
    mask: Callable[..., np.ndarray]
    """`(*arguments)` to booleans of the first argument's shape."""


@dataclass(frozen=True)
class Also:
    """A check of a call beyond its result.

    name: its diagnosis. text: its line in the report. judge: gets the record of one call (`Called`) and returns what is
    wrong in a sentence, or None. counted: whether it relies on notes of the answer's own process: how often something was
    called (`Watched`), or the flags of a tensor. Another process cannot confirm these.
    """

    name: str
    text: str
    judge: Callable[[Any], str | None]
    counted: bool = False


@dataclass(frozen=True)
class FunctionSpec:
    """What a custom Function must compute.

    forward: the reference of forward: computes the results, in labelled lines (../mutants.py). inputs: draws the calls,
    float64, away from kinks, smallest first (0-d last). backward: the reference of backward, which gets the grad_outputs
    and the arguments and gives the gradient of each float argument. It says what can go wrong; what is right is the
    numerical derivative of `forward`, unless the form declares the gradient (`vjp`).
    places: entries of the first argument; an answer that is wrong only there gets a message that names them.
    second: the number of inputs at which the second derivative is measured, if the exercise asks for it.
    mistakes: those that need words of their own. holds: the beginning of each sentence of the statement -> the checks that
    test it, separated by commas, or `explains` for a sentence that does not ask anything.
    """

    forward: Forward
    inputs: Inputs
    backward: Vjp | None = None
    vjp: Vjp | None = None
    places: tuple[Place, ...] = ()
    second: int = 2
    mistakes: tuple[Mistake | Slip, ...] = ()
    holds: Mapping[str, str] = field(default_factory=dict)

    def values(self, arguments: Sequence[Any]) -> Values:
        """The right results of forward, as a tuple."""
        return as_values(self.forward(*copies(arguments)))


@dataclass(frozen=True)
class CallSpec:
    """What an answer that is called must return.

    result: the reference: gets the arguments as arrays and returns the right result, in labelled lines (../mutants.py):
    numbers, arrays (for tensors), words, or lists, tuples and dicts of these. reference: what goes wrong, if another function
    than `result` has the labelled lines; {} for calls that it says nothing about. inputs: draws the calls; an array becomes a tensor, a `Prepared` becomes what it prepares.
    also: checks beyond the result. larger: draws calls that only the grader makes. They are so large that what a `counted`
    check forbids takes longer than the time limit, so the counts need not be trusted.
    normal: the form of a result that is compared if several results are right, for example a sorted list.
    dtypes: whether tensors of the result must also have the specified dtype. mistakes, holds: as for `FunctionSpec`.
    """

    result: Callable[..., Any]
    inputs: Inputs
    reference: Callable[..., Any] | None = None
    also: tuple[Also, ...] = ()
    larger: Inputs | None = None
    normal: Callable[[Any], Any] = lambda result: result
    dtypes: bool = False
    mistakes: tuple[Mistake | Slip, ...] = ()
    holds: Mapping[str, str] = field(default_factory=dict)


Spec = FunctionSpec | CallSpec


@functools.singledispatch
def specified(argument: Any) -> Any:
    """A declared argument as it is passed to the specification. A file of specs/ registers its own argument classes.

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


def as_drawn(arguments: Sequence[Any]) -> Arguments:
    """The arguments of one call, with NumPy scalars as 0-d arrays: NumPy draws a scalar for the shape ()."""
    return tuple(np.asarray(each) if isinstance(each, np.generic) else each for each in arguments)


def copies(arguments: Sequence[Any]) -> list[Any]:
    """The arguments, with arrays copied."""
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
