"""Which known mistakes explain a wrong answer: what it gave is compared with what each mistake would give.

NumPy only; does not use records. A candidate is a declared mistake or a change of the reference (../mutants.py).
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import FunctionType
from typing import Any

import numpy as np

from ..mutants import LEFT_OUT, OTHERS, SLIP, Change, Reference, Slip, in_words, reference_of
from .inputs import ChangeOfArguments
from .spec import Mistake

Key = tuple[int, Any]
"""The number of a run, and the part of its result: an argument's gradient, a key of a dict."""

MOST_TRIES = 12_000
"""Predictions that are computed for one answer. Beyond it, the generic diagnoses must do."""

MOST_TOGETHER = 3
"""The most mistakes that are told together."""


@dataclass(frozen=True)
class Candidate:
    """A possible mistake. gives: what it gives in a run, by part, or None; parts that it leaves out are right.

    change: says what it is. One that was not declared needs more numbers that agree.
    """

    change: Change
    gives: Callable[[int], Mapping[Any, Any] | None]


@dataclass(frozen=True)
class Table:
    """The parts of the results in all runs: what is right, and what came. runs: their numbers, the smallest first."""

    runs: Sequence[int]
    want: Mapping[Key, Any]
    got: Mapping[Key, Any]
    same: Callable[[Any, Any], bool]

    @cached_property
    def wrong(self) -> frozenset[Key]:
        """The parts that are not right."""
        return frozenset(key for key, right in self.want.items() if not self.same(self.got.get(key), right))


@dataclass(frozen=True)
class Explanation:
    """The mistakes that explain an answer. everywhere: whether they also leave right what is right."""

    candidates: tuple[Candidate, ...]
    everywhere: bool = True
    explained: frozenset[Key] = frozenset()

    @property
    def message(self) -> str:
        return in_words(sorted((each.change for each in self.candidates), key=lambda change: change.number))


@dataclass
class _Fit:
    candidate: Candidate
    explained: set[Key] = field(default_factory=set)
    spoils: bool = False  # whether it would make something wrong that is right


def explanation(table: Table, candidates: Sequence[Candidate], partly: bool = False) -> Explanation | None:
    """The first candidate that explains every wrong part and no right one; else a few together; else the best of the rest.

    candidates: the likely ones first. partly: whether a few of the wrong parts are enough, as in a prediction.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of a changed reference do not concern the student
        return _best(table, candidates, partly)


def _best(table: Table, candidates: Sequence[Candidate], partly: bool) -> Explanation | None:
    wrong = table.wrong
    runs = [run for run in table.runs if any(key[0] == run for key in wrong)]
    if not runs:
        return None
    enough = partly or _says_enough(table)
    tries = iter(range(MOST_TRIES))
    first = {key for key in wrong if key[0] == runs[0]}
    others: list[_Fit] = []
    loose: list[_Fit] = []
    for candidate in candidates:
        fit = _Fit(candidate)
        if not (candidate.change.is_declared or enough) or not _try(fit, table, runs[:1], tries):
            continue
        if fit.explained != first:
            others.append(fit)
        elif _try(fit, table, runs[1:], tries) and fit.explained == wrong:
            _see_the_rest(fit, table, runs)
            if not fit.spoils:
                return Explanation((candidate,), True, wrong)
            loose.append(fit)
        elif fit.explained:
            others.append(fit)
    several, left = _several(others, table, runs, tries, 1 if partly else MOST_TOGETHER)
    if several and (partly or not left or _is_most(several, table, runs[0], left)):
        return Explanation(tuple(several), True, wrong - left)
    telling = _says_enough(table, most=3)
    for fit in loose if len(runs) > 1 else ():
        change = fit.candidate.change
        if change.is_declared or (telling and change.likely[0] != OTHERS):
            return Explanation((fit.candidate,), False, wrong)
    return None


def _try(fit: _Fit, table: Table, runs: Sequence[int], tries: Iterator[int]) -> bool:
    """Whether the candidate agrees with the wrong parts of these runs that it changes, and changes no right ones there."""
    for run in runs:
        given = fit.candidate.gives(run)
        if given is None or (given and next(tries, None) is None):
            return False
        for part, value in given.items():
            key = (run, part)
            if key not in table.want:
                return False  # another kind of result
            if table.same(value, table.want[key]):
                continue
            if key not in table.wrong or not table.same(table.got.get(key), value):
                return False
            if not fit.candidate.change.is_declared and _kind(value) != _kind(table.want[key]):
                return False  # another type is told as such
            fit.explained.add(key)
    return True


def _see_the_rest(fit: _Fit, table: Table, wrong_runs: Sequence[int]) -> None:
    """Note whether the candidate would make wrong what is right in the other runs."""
    for run in table.runs:
        if run not in wrong_runs:
            given = fit.candidate.gives(run)
            keys = [(run, part) for part in given or {} if (run, part) in table.want]
            if given is None or any(not table.same(given[key[1]], table.want[key]) for key in keys):
                fit.spoils = True
                return


def _several(
    fits: Sequence[_Fit], table: Table, runs: Sequence[int], tries: Iterator[int], most: int
) -> tuple[list[Candidate], set[Key]]:
    """A few candidates that explain different wrong parts, those that explain most first; and the parts that are left."""
    fitting = []
    for fit in fits:
        fit.explained.clear()
        if _try(fit, table, runs, tries) and fit.explained:
            _see_the_rest(fit, table, runs)
            fitting += [] if fit.spoils else [fit]
    left, chosen = set(table.wrong), list[_Fit]()
    for fit in sorted(fitting, key=lambda each: -len(each.explained)):
        beside = chosen and {_entry(key) for key in fit.explained} <= {_entry(key) for key in chosen[0].explained}
        if fit.explained <= left and (len(chosen) < most or beside):
            left -= fit.explained
            chosen.append(fit)
    return [fit.candidate for fit in chosen], left


def _entry(key: Key) -> Any:
    """The entry of the result that a part belongs to: ['f'] for the part ['f']['is_leaf']."""
    return key[0], key[1].partition("]")[0] if isinstance(key[1], str) else key[1]


def _is_most(several: Sequence[Candidate], table: Table, first: int, left: set[Key]) -> bool:
    """Whether declared mistakes explain the `first` wrong run and most others, and nothing else is of a wrong kind."""
    return (
        all(each.change.is_declared for each in several)
        and not any(key[0] == first for key in left)
        and len(left) < len(table.wrong) / 2
        and all(np.shape(table.got.get(key, ())) == np.shape(table.want[key]) for key in left)
    )


def _says_enough(table: Table, most: int = 1) -> bool:
    """Whether the wrong numbers are so special that a derived mistake does not agree with them by chance."""
    wrong, special = table.wrong, set[float]()
    if all(_is_zero(table.got.get(key)) for key in wrong):
        return False
    for key in wrong:
        got = table.got.get(key)
        if isinstance(got, np.ndarray | np.floating | float) and np.asarray(got).dtype.kind == "f":
            special |= {float(each) for each in np.ravel(got)[:50] if np.isfinite(each) and each != np.round(each)}
        if len(special) >= most:
            return True
    return len(wrong) >= 3 and len({repr(table.got.get(key)) for key in wrong}) >= 2


def _kind(value: Any) -> tuple[bool, bool]:
    """Whether it is a collection, and whether it is True or False."""
    is_bool = isinstance(value, bool) or (isinstance(value, np.ndarray) and value.dtype == bool)
    return isinstance(value, list | dict), is_bool


def _is_zero(value: Any) -> bool:
    return isinstance(value, int | float | np.ndarray) and not np.any(value)


def candidates_of(
    reference: Callable[..., Any] | None,
    mistakes: Sequence[Mistake | Slip],
    gives: Callable[[Callable[..., Any], int], Mapping[Any, Any] | None],
    part: str = "forward",
    names: Sequence[str] = (),
    others: Iterable[tuple[str, ChangeOfArguments]] = (),
) -> list[Candidate]:
    """The declared mistakes in a `part` of an answer ("forward" or "vjp"), the changes of its reference, then `others`.

    gives: from a mistaken function and the number of a run to what it gives there. names: of the arguments, if one of them
    may be given back. others: changes of the arguments.
    """
    functions = [
        (Change(0, (SLIP, number), mistake.message), function)
        for number, mistake in enumerate(mistakes)
        if isinstance(mistake, Mistake) and (function := getattr(mistake, part))
    ]
    declared = [Candidate(change, partial(gives, function)) for change, function in functions]
    made, right = changed(reference, mistakes), dict[int, tuple[int, frozenset[int]]]()

    def gives_with(change: Change, run: int) -> Mapping[Any, Any] | None:
        assert made is not None
        if run not in right:
            gives(partial(made.run, None), run)
            right[run] = made.turns, made.met
        turns, met = right[run]
        return gives(partial(made.run, change, turns=turns), run) if change.line in met else {}

    def of_other(change: ChangeOfArguments, *arguments: Any) -> Any:
        assert reference is not None
        return reference(*change(arguments))

    unchanged = [
        Candidate(Change(0, (LEFT_OUT,), f"the result is the same as {name}, unchanged"), partial(gives, _argument(at)))
        for at, name in enumerate(names)
    ]
    changes = [Candidate(each, partial(gives_with, each)) for each in (made.changes if made else ())]
    slips = sum(each.change.is_declared for each in changes)
    return [
        *declared,
        *changes[:slips],
        *unchanged,
        *changes[slips:],
        *(Candidate(Change(0, (OTHERS,), words), partial(gives, partial(of_other, each))) for words, each in others),
    ]


def _argument(at: int) -> Callable[..., Any]:
    return lambda *arguments: arguments[at]


def written_out(spec: Any) -> Iterator[Mistake]:
    """The declared mistakes of a specification, each `Slip` as the functions that it makes of its references.

    Raises `ValueError` if a slip begins at no labelled line.
    """
    references = {"forward": forward_of(spec), "vjp": backward_of(spec)}
    made = {part: changed(reference, spec.mistakes) for part, reference in references.items()}
    for mistake in spec.mistakes:
        if isinstance(mistake, Mistake):
            yield mistake
            continue
        several = [(part, each, change) for part, each in made.items() if each for change in each.changes]
        found = {part: partial(each.run, change) for part, each, change in several if change.slip is mistake}
        if not found:
            raise ValueError(f"no label begins with {mistake.at!r}, where a slip is declared")
        yield Mistake(mistake.message, found.get("forward"), found.get("vjp"))


def forward_of(spec: Any) -> Callable[..., Any]:
    """The reference of what a call returns, or forward."""
    return getattr(spec, "reference", None) or getattr(spec, "result", None) or spec.forward  # type: ignore[no-any-return]


def backward_of(spec: Any) -> Callable[..., Any] | None:
    """The reference of backward, None if there is none."""
    return getattr(spec, "backward", None) or getattr(spec, "vjp", None)


def changed(reference: Callable[..., Any] | None, mistakes: Sequence[Mistake | Slip]) -> Reference | None:
    """The changes of a reference with labelled lines, with the slips at them."""
    if not isinstance(reference, FunctionType):
        return None
    made = reference_of(reference, tuple(each for each in mistakes if isinstance(each, Slip)))
    return made if made.labels else None
