"""How wrong numbers depend on the right ones, in sentences: of what a call returns, of forward, of a gradient.

A relation counts if it holds for every input: zeros, a factor, an offset. The diagnoses go from those that name a mistake
to those that only show the numbers. They read the table of a check. NumPy only.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..jacobian import same_slopes, wrong_slopes
from .diagnosing import Diagnosis, Finding
from .spec import specified
from .table import Key, Numbers, Table
from .writing import apart, both_shown, entries, index_in_words

same = partial(same_slopes, equal_nan=True)
"""Whether two arrays agree in shape and in every number, NaN with NaN, with the tolerance for derivatives."""


def related(several: Sequence[Numbers]) -> tuple[str, str] | None:
    """The name and the words of the first relation that holds for all inputs; None if there is none.

    >>> related([Numbers(np.array([2.0, -6.0]), np.array([1.0, -3.0])), Numbers(np.array(4.0), np.array(2.0))])
    ('factor', 'right but for a factor: 2 times too large')
    """
    for name, words_of in RELATED:
        with np.errstate(all="ignore"):
            words = words_of(several) if several else None
        if words:
            return name, words
    return None


def _zero(several: Sequence[Numbers]) -> str | None:
    if any(each.got.any() for each in several):
        return None
    return ("zero everywhere" if any(each.got.size > 1 for each in several) else "0") + ", which is wrong"


def _factor(several: Sequence[Numbers]) -> str | None:
    got = np.concatenate([each.got.reshape(-1) for each in several])
    want = np.concatenate([each.want.reshape(-1) for each in several])
    if np.count_nonzero(want) < 2 or not np.isfinite(got).all():
        return None
    factor = float(got @ want / (want @ want))
    if abs(factor) < 1e-6 or abs(factor - 1) < 1e-4 or not np.allclose(got, factor * want, rtol=1e-5, atol=1e-6):
        return None
    if np.isclose(factor, -1):
        return "right but for its sign: it is minus what it must be"
    return f"right but for a factor: {'with the wrong sign, ' * (factor < 0)}{_times(abs(factor))}"


def _times(factor: float) -> str:
    for number in range(2, 101):
        if np.isclose(factor, number, rtol=1e-4):
            return f"{number} times too large"
        if np.isclose(factor, 1 / number, rtol=1e-4):
            return "half of what it must be" if number == 2 else f"1/{number} of what it must be"
    return f"{apart(factor, 1.0)[0]} times what it must be"


def _shift(several: Sequence[Numbers]) -> str | None:
    off = np.concatenate([(each.got - each.want).reshape(-1) for each in several])
    right = {float(number) for each in several for number in each.want.reshape(-1)}
    if off.size < 2 or len(right) < 2 or not np.isfinite(off).all() or not np.allclose(off, off[0], 1e-6, 1e-9):
        return None
    by = float(off[0])
    if abs(by) < 1e-6:
        return None
    return f"{abs(by):.6g} too {'large' if by > 0 else 'small'}{' everywhere' * (off.size > len(several))}"


RELATED: tuple[tuple[str, Callable[[Sequence[Numbers]], str | None]], ...] = (
    ("zero", _zero),
    ("factor", _factor),
    ("shift", _shift),
)
"""The relations in order, each with the name of its diagnosis."""


# ---- shapes ---------------------------------------------------------------------------------------------------


def reduced(got: np.ndarray, want: np.ndarray) -> str | None:
    """How arrays of different shapes are related; None if they are not, or if all right numbers are 0.

    >>> reduced(np.array([[1.0, 2.0, 3.0]]).T, np.array([[1.0, 2.0, 3.0]])), reduced(np.ones((1, 2)), np.ones(2))
    ('it is transposed: rows and columns have changed places', 'the numbers are right')
    """
    if got.ndim == 2 and want.any() and same(got.T, want):
        return "it is transposed: rows and columns have changed places"
    return "the numbers are right" if got.size == want.size and same(got.reshape(want.shape), want) else None


Recognise = Callable[[Any, Table], "str | Finding | None"]


def numbers(check: str, *names: str) -> tuple[Diagnosis, ...]:
    """The diagnoses `names` of this file for a check, whose numbers are in `evidence.table(check)`."""
    return tuple(Diagnosis(name, (check,), partial(_if_wrong, _ROWS[name], check)) for name in names)


def _if_wrong(recognise: Recognise, check: str, evidence: Any) -> str | Finding | None:
    table = evidence.table(check)
    return recognise(evidence, table) if table.wrong else None


# ---- numbers that are not finite -------------------------------------------------------------------------------------------

LARGEST_EXPONENT = 700.0
"""exp of a number much larger than this overflows, and exp of its negative is 0."""


def _not_finite(table: Table) -> list[tuple[Key, np.ndarray, np.ndarray]]:
    """The wrong arrays with NaN or infinite entries, with masks of these."""
    pairs = [(key, pair) for key in table.wrong if (pair := table.pair(key))]
    found = [(key, pair.got, ~np.isfinite(pair.got) & (pair.got != pair.want)) for key, pair in pairs]
    return [each for each in found if each[2].any()]


def _overflow(evidence: Any, table: Table) -> str | None:
    """Only inputs whose first argument has entries that are too large for exp give numbers that are not finite."""
    found = _not_finite(table)
    first = {run: table.inputs[run][0] for (run, _), *_ in found if table.inputs[run]}
    if not first or not all(
        isinstance(x, np.ndarray) and np.max(np.abs(x), initial=0.0) > LARGEST_EXPONENT for x in first.values()
    ):
        return None
    (run, part), got, _ = found[0]
    low, high = float(first[run].min()), float(first[run].max())
    return (
        f"{table.named(part)} has {_bad_word(got)} where entries go from {low:.4g} to {high:.4g}: an intermediate number is too "
        "large or too small for a float (exp(1000) is infinite, exp(-1000) is 0), although the right result is not"
    )


def _bad_word(got: np.ndarray) -> str:
    return "NaN" if np.isnan(got).any() else "an infinite value"


def _nan(evidence: Any, table: Table) -> str | None:
    found = _not_finite(table)
    if not found:
        return None
    (run, part), got, bad = found[0]
    where, x = "" if bad.all() else f" in {entries(bad)}", specified(next(iter(table.inputs[run]), None))
    if where and isinstance(x, np.ndarray) and x.shape == got.shape and x.dtype.kind == "f":
        first = "at the first of them " if np.count_nonzero(bad) > 1 else ""
        where += f" ({first}{table.form.arguments[0]} is {float(x[bad][0]):.4g})"
    others = len({run for run, _ in table.wrong}) - len({key[0] for key, *_ in found})
    more = f"; {others} other results are wrong in another way" if others else ""
    return f"{table.named(part)} has {_bad_word(got[bad])}{where}{table.for_run(run)}{more}"


# ---- numbers that are related to the right ones ----------------------------------------------------------------------------

_CUT = "; is the graph cut somewhere, by `detach`, by `no_grad` or because `create_graph` is missing?"
_KEPT = "; was a `.grad` that is kept set to zero afterwards?"


def _related(evidence: Any, table: Table) -> Finding | None:
    pairs = {key: pair for key in table.want if (pair := table.pair(key))}
    if not all(key in pairs and np.isfinite(pairs[key].got).all() for key in table.wrong):
        return None
    parts = list(dict.fromkeys(part for _, part in table.wrong))
    beside, first = ([key for key in pairs if key[1] in some] for some in (parts, parts[: len(parts) < 4]))
    for several, scope, about in (
        (beside, "", parts),
        (table.wrong, table.scope(table.wrong), parts),
        (first, "", parts[:1]),
    ):
        if found := related([pairs[key] for key in several]):
            name, words = found
            asked = {"02": _KEPT, "05": _CUT, "06": _CUT, "07": _CUT}.get(evidence.exercise.notebook[:2], "")
            others = parts[len(about) :]
            too = f"; {table.parts_in_words(others)} wrong too" if others else table.right_in_words
            return Finding(name, f"{table.parts_in_words(about)} {words}{scope}{too}{asked * (name == 'zero')}")
    return None


# ---- numbers that are shown ------------------------------------------------------------------------------------------------


def relative_difference(got: np.ndarray, want: np.ndarray) -> float:
    """The largest relative difference of two entries.

    It is relative to the right entry, or to a thousandth of the largest right entry if that is larger.
    """
    with np.errstate(all="ignore"):
        least = max(1e-3 * float(np.max(np.abs(want), initial=0.0)), 1e-9)
        parts = np.abs(got - want) / np.maximum(np.abs(want), least)
    return float(np.max(np.nan_to_num(parts, nan=np.inf), initial=0.0))


def largest_difference(got: np.ndarray, want: np.ndarray) -> tuple[int, ...]:
    """The index at which two arrays differ most."""
    with np.errstate(all="ignore"):
        off = np.nan_to_num(np.abs(got - want), nan=np.inf)
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(off)), off.shape))


def most_telling(table: Table, keys: Iterable[Key]) -> Key:
    """The first of these parts whose numbers look different, else the one with the largest difference."""
    off = {key: _off(table, key) for key in keys}
    return next((key for key in off if off[key] > 1e-3), max(off, key=lambda key: off[key]))


def _off(table: Table, key: Key) -> float:
    pair = table.pair(key)
    return relative_difference(pair.got, pair.want) if pair else np.inf


def _place(evidence: Any, table: Table) -> str | None:
    """All wrong entries lie at a place that the specification names."""
    for place in getattr(evidence.spec, "places", ()) if {part for _, part in table.wrong} == {0} else ():
        masks = [(table.bad(table.got[key], table.want[key]), place.mask(*table.inputs[key[0]])) for key in table.wrong]
        if all(bad.shape == mask.shape and bool((bad <= mask).all()) for bad, mask in masks):
            run, part = most_telling(table, table.wrong)
            name = table.named(part)
            return f"{name} is wrong only {place.words}: {_entry(table, (run, part))}{table.for_run(run)}"
    return None


def _entry(table: Table, key: Key, name: str = "it") -> str:
    """The entry of a part with the largest error, in words, or both sides of another kind of value. name: of the part."""
    pair = table.pair(key)
    if pair is None or not pair.want.ndim:
        return f"{name} is {both_shown(table.got.get(key), table.want[key])}"
    at = largest_difference(pair.got, pair.want)
    is_, must = apart(float(pair.got[at]), float(pair.want[at]))
    return f"{f'at {index_in_words(at)} it' if name == 'it' else f'{name} at {index_in_words(at)}'} is {is_}, it must be {must}"


def _described(evidence: Any, table: Table) -> Finding:
    """The wrong parts for one input, one of their entries, and for which other inputs something is wrong."""
    key = most_telling(table, table.wrong)
    here, name = [part for run, part in table.wrong if run == key[0]], table.named(key[1])
    pair = table.pair(key)
    bad = np.ones((), dtype=bool) if pair is None else table.bad(pair.got, pair.want)
    if len(here) > 1:
        kind, words = (
            "some_values",
            f"{table.parts_in_words(here)} wrong{table.right_in_words}: {_entry(table, key, name)}",
        )
    elif not bad.all():
        kind, words = "some_entries", f"{name} is wrong only in {entries(bad)}: {_entry(table, key)}"
    elif bad.size > 6 or bad.ndim > 1 or (bad.ndim and _near(table)):
        kind, words = "wrong_value", f"{name} is wrong in every entry, farthest off: {_entry(table, key)}"
    else:
        kind, words = (
            "wrong_value",
            f"{name} is {both_shown(table.got.get(key), table.want[key])}{table.right_in_words}",
        )
    return Finding(kind, f"{words}{table.for_run(key[0])}{_others(table)}{_near(table)}")


def _others(table: Table) -> str:
    """The inputs that give a wrong result, in words; "" if all do, or only the one that is shown."""
    scope = table.scope(table.wrong) if len({run for run, _ in table.wrong}) > 1 else ""
    return f"; something is wrong{scope.replace(',', '', 1)}" if scope else ""


def _near(table: Table) -> str:
    """The relative difference in words, if the numbers look alike: it shows that this is not rounding."""
    off = max(_off(table, key) for key in table.wrong)
    rounding = ", where rounding makes about 1e-16: is a number rounded somewhere, as by float32?"
    rounding *= table.bad is not wrong_slopes
    return f"; the largest relative difference is {off:.1g}{rounding}" if off < 1e-3 else ""


_ROWS: dict[str, Recognise] = {
    "overflow": _overflow,
    "nan": _nan,
    "numbers": _related,
    "place": _place,
    "described": _described,
}
