"""Evidence as a table: what came and what is right, by run and part of the result.

A call has one part for each place of its result, a custom Function one for each result of forward or each gradient. Whatever
filled it, known mistakes (explaining.py) and the words for numbers (numbers.py) read this table. NumPy only.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..exercises.declaration import Form
from ..jacobian import wrong_slopes
from .spec import specified
from .writing import for_inputs, in_a_row

Key = tuple[int, Any]
"""The number of a run, and the part of its result."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of one part of the result for one input, and the right ones."""

    got: np.ndarray
    want: np.ndarray


@dataclass(frozen=True)
class Table:
    """The parts of the results of all runs that came to an end.

    inputs: the arguments of each run, as declared, the smallest first. want, got: what is right and what came, by run and
    part. named: a part in words ("the gradient for x"); whole: all of them. same: whether a part is right. bad: the wrong
    entries of an array.
    """

    form: Form
    inputs: Sequence[Sequence[Any]]
    want: Mapping[Key, Any]
    got: Mapping[Key, Any]
    named: Callable[[Any], str]
    whole: str
    same: Callable[[Any, Any], bool]
    bad: Callable[..., np.ndarray] = wrong_slopes

    @cached_property
    def wrong(self) -> AbstractSet[Key]:
        """The parts that are not right, in order, those of the smallest inputs first."""
        wrong = [key for key, right in self.want.items() if not self.same(self.got.get(key), right)]
        return dict.fromkeys(sorted(wrong, key=lambda key: key[0])).keys()

    @cached_property
    def runs(self) -> list[int]:
        """The runs that have parts, in order."""
        return sorted({run for run, _ in self.want})

    def of(self, keep: Callable[[Key], bool]) -> "Table":
        """The table of some of the parts."""
        return replace(self, want={key: each for key, each in self.want.items() if keep(key)})

    def pair(self, key: Key) -> Numbers | None:
        """What came and what is right of a part as arrays of one shape; None if these are not as many numbers."""
        got, want = as_numbers(self.got.get(key)), as_numbers(self.want[key])
        return None if got is None or want is None or got.size != want.size else Numbers(got.reshape(want.shape), want)

    def arguments(self, run: int) -> list[Any]:
        """The arguments of a run as they are passed to the specification."""
        return list(map(specified, self.inputs[run]))

    def for_run(self, run: int) -> str:
        """The input of a run in words."""
        return for_inputs(self.form, self.inputs[run])

    def scope(self, keys: Iterable[Key]) -> str:
        """The inputs of these parts in words; "" if these are all inputs."""
        return scope_in_words(self.form, self.inputs, {run for run, _ in keys}, self.runs)

    def parts_in_words(self, parts: Collection[Any]) -> str:
        """These parts, followed by "is" or "are"."""
        if len(parts) > 1 and set(parts) == {part for _, part in self.want}:
            return f"{self.whole} is"
        if len(parts) > 3:
            return f"{len(parts)} parts of {self.whole} are"
        return f"{in_a_row([self.named(part) for part in parts])} {'is' if len(parts) == 1 else 'are'}"

    @property
    def right_in_words(self) -> str:
        """The few parts that are right in all runs, in words; "" if there are none, or many."""
        runs, wrong = {run for run, _ in self.wrong}, {part for _, part in self.wrong}
        right = list(dict.fromkeys(part for run, part in self.want if run in runs and part not in wrong))
        return f"; {self.parts_in_words(right)} right" if 0 < len(right) <= 3 else ""


def as_numbers(value: Any) -> np.ndarray | None:
    """A number or an array of numbers as floats; None for anything else, and for True and False."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.ndarray | np.number):
        return None
    array = np.asarray(value)
    return array.astype(float) if array.dtype.kind in "fiu" else None


def is_zero(value: Any) -> bool:
    """Whether this is 0 everywhere."""
    if isinstance(value, list | dict):
        return all(map(is_zero, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float | np.ndarray) and np.allclose(value, 0)


# ---- inputs in words -------------------------------------------------------------------------------------------------------


def scope_in_words(form: Form, inputs: Sequence[Sequence[Any]], chosen: Collection[int], runs: Collection[int]) -> str:
    """The chosen inputs among those of `runs` in words: by an argument that separates them, else by their number.

    "" if these are all of them.
    """
    mine, others = [inputs[run] for run in runs if run in chosen], [inputs[run] for run in runs if run not in chosen]
    if not mine or not others:
        return ""
    for number, name in enumerate(form.arguments):
        for value_of, words, no_chance in _MARKS:
            here, there = ({value_of(each[number]) for each in several} for several in (mine, others))
            few = 4 if all(isinstance(each, str) for each in here) else 1
            are_apart = None not in here | there and not here & there and len(here) <= few
            if are_apart and (len(mine) > len(here) or here <= no_chance):
                return f", for every input tried where {in_a_row([words(name, each) for each in sorted(here, key=repr)], 'or')}"
    return for_inputs(form, mine[0]) if len(mine) == 1 else f", for {len(mine)} of {len(mine) + len(others)} inputs"


def _plain(argument: Any) -> Any:
    return argument if isinstance(argument, int | str) else None  # floats are random: their values say nothing


def _dimensions(argument: Any) -> int | None:
    array = getattr(argument, "array", argument)
    return array.ndim if isinstance(array, np.ndarray) else None


def _shape(argument: Any) -> tuple[int, ...] | None:
    return argument.shape if isinstance(argument, np.ndarray) else None


_MARKS: tuple[tuple[Callable[[Any], Any], Callable[[str, Any], str], AbstractSet[Any]], ...] = (
    (_plain, lambda name, value: f"{name} is {value!r}", set()),
    (lambda argument: argument is None, lambda name, is_none: f"{name} is {'None' if is_none else 'given'}", {True}),
    (_dimensions, lambda name, n: f"{name} has {n} dimension{'s' * (n != 1)}" if n else f"{name} is 0-d", {0}),
    (_shape, lambda name, shape: f"{name} has shape {shape}", set()),
)
"""What can separate inputs: something of an argument, its words, and the values that a single input does not have by chance."""
