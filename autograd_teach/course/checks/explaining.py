"""Which known mistakes explain a wrong answer: what it gave is compared with what each mistake would give.

NumPy only; does not use records. A candidate is a declared mistake or a change of the reference (../mutants.py).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from ..mutants import LEFT_OUT, SLIP, Change, Reference, Slip, in_words, reference_of
from .spec import Mistake
from .table import Key, Table, is_zero

MOST_SECONDS = 1.5
"""The computing time in which an explanation is looked for. Beyond it, the generic diagnoses must do."""

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
class Explanation:
    """The mistakes that explain an answer, and the parts that they explain."""

    candidates: tuple[Candidate, ...]
    explained: frozenset[Key]
    scope: str = ""  # the inputs that it is about, in words, if it would make something wrong that is right for others

    @property
    def message(self) -> str:
        as_if = f"{self.scope.removeprefix(', ')} it is as if this were so: " if self.scope else ""
        return as_if + in_words([each.change for each in self.candidates])


@dataclass
class _Fit:
    candidate: Candidate
    explained: set[Key] = field(default_factory=set)
    spoils: bool = False  # whether it would make something wrong that is right


def explanation(table: Table, candidates: Callable[[], Sequence[Candidate]], partly: bool) -> Explanation | None:
    """The first candidate that explains every wrong part and no right one; else a few together; else the best of the rest.

    candidates: gives the likely ones first. partly: whether a few of the wrong parts are enough, as in a prediction.
    """
    wrong = table.wrong
    runs = [run for run in table.runs if any(key[0] == run for key in wrong)]
    if not runs:
        return None
    enough = partly or _says_enough(table)
    # Two changes agree by chance with a few facts, or with numbers that have become infinite.
    two_too = enough and not partly and all(np.isfinite(each.got).all() for key in wrong if (each := table.pair(key)))
    first = {key for key in wrong if key[0] == runs[0]}
    others, loose, found = list[_Fit](), list[_Fit](), candidates()
    until = time.process_time() + MOST_SECONDS
    for candidate in found:
        fit = _Fit(candidate)
        sure = candidate.change.is_declared or (two_too if candidate.change.also else enough)
        if not sure or not _try(fit, table, runs[:1], until):
            continue
        if fit.explained == first and _try(fit, table, runs[1:], until) and fit.explained == wrong:
            _see_the_rest(fit, table, runs)
            if not fit.spoils:
                return Explanation((candidate,), frozenset(wrong))
            loose.append(fit)
        else:
            others.append(fit)
    several, left = _several(others, table, runs, until, 1 if partly else MOST_TOGETHER)
    smallest_too = all(each.change.is_declared for each in several) and not any(key[0] == runs[0] for key in left)
    if several and (partly or not left or (smallest_too and len(left) < len(wrong) / 2)):
        return Explanation(tuple(several), frozenset(wrong - left))
    if loose and len(runs) > 1:
        return Explanation((loose[0].candidate,), frozenset(wrong), table.scope(wrong))
    return None


def _try(fit: _Fit, table: Table, runs: Sequence[int], until: float) -> bool:
    """Whether the candidate agrees with the wrong parts of these runs that it changes, and changes no right ones there."""
    for run in runs:
        given = fit.candidate.gives(run) if time.process_time() < until else None
        if given is None:
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
        if run not in wrong_runs and not fit.spoils:
            given = fit.candidate.gives(run)
            fit.spoils = given is None or any(
                (run, part) not in table.want or not table.same(each, table.want[run, part])
                for part, each in given.items()
            )


def _several(
    fits: Sequence[_Fit], table: Table, runs: Sequence[int], until: float, most: int
) -> tuple[list[Candidate], set[Key]]:
    """A few candidates that explain different wrong parts, those that explain most first; and the parts that are left."""
    fitting = []
    for fit in fits:
        fit.explained.clear()
        if _try(fit, table, runs, until) and fit.explained:
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


def _says_enough(table: Table) -> bool:
    """Whether the wrong numbers are so special that a derived mistake does not agree with them by chance."""
    wrong = table.wrong
    if all(is_zero(table.got.get(key)) for key in wrong):
        return False
    for key in wrong:
        got: Any = table.got.get(key)
        is_float = isinstance(got, np.ndarray | np.floating | float) and np.asarray(got).dtype.kind == "f"
        if is_float and any(np.isfinite(each) and each != np.round(each) for each in np.ravel(got)[:50]):
            return True
    return len(wrong) >= 3 and len({repr(table.got.get(key)) for key in wrong}) >= 2


def _kind(value: Any) -> tuple[bool, bool]:
    """Whether it is a collection, and whether it is True or False."""
    is_bool = isinstance(value, bool) or (isinstance(value, np.ndarray) and value.dtype == bool)
    return isinstance(value, list | dict), is_bool


def candidates_of(
    reference: Callable[..., Any] | None,
    mistakes: Sequence[Mistake | Slip],
    gives: Callable[[Callable[..., Any], int], Mapping[Any, Any] | None],
    part: str = "forward",
    names: Sequence[str] = (),
) -> list[Candidate]:
    """The declared mistakes in a `part` of an answer ("forward" or "vjp"), and the changes of its reference.

    gives: from a mistaken function and the number of a run to what it gives there. names: of the arguments, if one of them
    may be given back.
    """
    declared = [
        Candidate(Change(0, (SLIP, number), mistake.message), partial(gives, function))
        for number, mistake in enumerate(mistakes)
        if isinstance(mistake, Mistake) and (function := getattr(mistake, part))
    ]
    made, right = changed(reference, mistakes), dict[int, tuple[int, frozenset[int]]]()

    def gives_with(change: Change, run: int) -> Mapping[Any, Any] | None:
        assert made is not None
        if run not in right:
            gives(partial(made.run, None), run)
            right[run] = made.turns, made.met
        turns, met = right[run]
        return gives(partial(made.run, change, turns=turns), run) if change.is_met(met) else {}

    unchanged = [
        Candidate(Change(0, (LEFT_OUT,), f"the result is the same as {name}, unchanged"), partial(gives, _argument(at)))
        for at, name in enumerate(names)
    ]
    changes = [Candidate(each, partial(gives_with, each)) for each in ((*made.changes, *made.pairs) if made else ())]
    slips = sum(each.change.is_declared for each in changes)
    return [*declared, *changes[:slips], *unchanged, *changes[slips:]]


def _argument(at: int) -> Callable[..., Any]:
    return lambda *arguments: arguments[at]


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
