"""Diagnoses of the numbers of a result, from those that name the mistake to those that only show the numbers.

NumPy only, reads only evidence. The order counts: the first diagnosis that fits the evidence gives the message.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...jacobian import wrong_slopes
from ..diagnosing import Diagnosis, apart, common_factor, entries, explained, index_in_words, into, times
from ..patterns import region, rows, same, shift
from ..relations import in_another_order, relation_in_words
from .asking import plain
from .checks import Difference, differences
from .evidence import CallEvidence
from .records import Called
from .words import (
    Pairs,
    as_numbers,
    both_shown,
    countable,
    for_input,
    is_finite,
    is_plain,
    item_of,
    largest,
    listed,
    number_pairs,
    parts_in_words,
    right_calls,
    scope_in_words,
    specified_arguments,
    texts_apart,
    told_of,
    what_differs,
    wrong_calls,
)

NUMBERS: list[Diagnosis] = []
diagnosis = into(NUMBERS)


@diagnosis("nan", "value")
def _nan(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    found = [
        (called, at) for called, several in wrong for at in several if at.kind == "value" and _not_finite(at).any()
    ]
    if not found:
        return None
    called, at = found[0]
    bad = "NaN" if np.isnan(at.got[_not_finite(at)]).any() else "an infinite value"
    others = len(wrong) - len({id(each) for each, _ in found})
    more = f"; {others} other results are wrong in another way" if others else ""
    return f"{what_differs(at)} contains {bad}{for_input(called)}{more}"


def _not_finite(at: Difference) -> np.ndarray:
    """Mask of the entries that are wrongly NaN or infinite."""
    if not isinstance(at.got, np.ndarray) or at.got.dtype.kind != "f":
        return np.zeros(1, dtype=bool)
    return ~np.isfinite(at.got) & wrong_slopes(at.got, at.expected)


@diagnosis("zero", "value")
def _zero(evidence: CallEvidence) -> str | None:
    def zero(pairs: Pairs) -> str | None:
        if any(got.any() for got, _ in pairs):
            return None
        return "zero everywhere" if any(got.size > 1 for got, _ in pairs) else "0"

    words = told_of(evidence, zero)
    if words is None:
        return None
    by_tensors = all(isinstance(each.expected, np.ndarray) for _, several in wrong_calls(evidence) for each in several)
    cut = by_tensors and "05" <= evidence.exercise.notebook[:2] <= "07"
    how = "; is the graph cut somewhere, by `detach`, by `no_grad` or because `create_graph` is missing?" * cut
    return f"{words}, which is wrong{how}"


@diagnosis("factor", "value")
def _factor(evidence: CallEvidence) -> str | None:
    def words(pairs: Pairs) -> str | None:
        factor = common_factor([(got.reshape(-1), want.reshape(-1)) for got, want in pairs])
        if factor is None or sum(want.size for got, want in pairs if want.any()) < 2:
            return None
        if np.isclose(factor, -1):
            return "right but for its sign: it is minus what it must be"
        return f"right but for a factor: {times(factor)}"

    told = told_of(evidence, words)
    return f"{told}{_same_count(evidence)}" if told else None


def _same_count(evidence: CallEvidence) -> str:
    """A remark if the factor of all wrong results is a number of entries (above 2), as between a sum and a mean."""
    wrong = [each for each in number_pairs(evidence) if each.is_wrong]
    factor = common_factor([(each.got.reshape(-1), each.want.reshape(-1)) for each in wrong])
    counts = [countable(each.called) for each in wrong]
    for key, count in counts[0].items() if factor else ():
        is_it = factor is not None and any(np.isclose(abs(factor), each) for each in (count, 1 / max(count, 1)))
        if is_it and count > 2 and all(each.get(key) == count for each in counts):
            return f" ({count} is {key})"
    return ""


@diagnosis("mean_for_sum", "value")
def _mean_for_sum(evidence: CallEvidence) -> str | None:
    numbers = number_pairs(evidence)
    wrong = [each for each in numbers if each.is_wrong]
    if not wrong:
        return None
    paths = {each.path for each in wrong}
    beside = [(countable(each.called), each) for each in numbers if each.path in paths]
    keys = [key for key in beside[0][0] if all(count.get(key, 0) > 0 for count, _ in beside)]
    for how, as_where, divided in (
        ("divided", "with a mean instead of a sum", True),
        ("multiplied", "with a sum instead of a mean", False),
    ):
        found = [
            key
            for key in keys
            if all(
                same(each.got, each.want / count[key] if divided else each.want * count[key]) for count, each in beside
            )
        ]
        if found:
            cause = f", as {as_where}" if found[0].startswith("the number of") else ""
            part = parts_in_words([each.path for each in wrong], evidence)
            return f"{part} right, but {how} by {' or '.join(found[:2])}{cause}"
    return None


@diagnosis("factor_differs", "value")
def _factor_differs(evidence: CallEvidence) -> str | None:
    def words(pairs: Pairs) -> str | None:
        if not pairs or any(np.count_nonzero(want) < 2 for _, want in pairs):
            return None
        factors = [common_factor([(got.reshape(-1), want.reshape(-1))]) for got, want in pairs]
        if any(each is None for each in factors):
            return None
        shown = ", ".join(dict.fromkeys(f"{each:.4g}" for each in factors[:3]))
        return f"right but for a factor, which is not the same for every input: {shown}{', ...' if len(factors) > 3 else ''}"

    numbers = [each for each in number_pairs(evidence) if each.is_wrong]
    told = words([each.pair for each in numbers])
    if told is None:
        return None
    scope = scope_in_words(evidence, [each.called for each in numbers])
    return f"{parts_in_words([each.path for each in numbers], evidence)} {told}{scope}"


@diagnosis("argument_returned", "value")
def _argument_returned(evidence: CallEvidence) -> str | None:
    wrong = [each for each in number_pairs(evidence) if each.is_wrong]
    for number, name in enumerate(evidence.form.arguments):
        given = [(as_numbers(specified_arguments(each.called)[number]), each) for each in wrong]
        if given and all(one is not None and same(each.got, one) for one, each in given):
            scope = scope_in_words(evidence, [each.called for each in wrong])
            return f"{parts_in_words([each.path for each in wrong], evidence)} the same as {name}, unchanged{scope}"
    return None


@diagnosis("shift", "value")
def _shift(evidence: CallEvidence) -> str | None:
    def words(pairs: Pairs) -> str | None:
        by = shift(pairs)
        return None if by is None else f"{abs(by):.6g} too {'large' if by > 0 else 'small'}"

    return told_of(evidence, words)


@diagnosis("rows", "value")
def _rows(evidence: CallEvidence) -> str | None:
    return told_of(evidence, lambda pairs: (found := rows(pairs)) and f"wrong: {found}", stacked=True)


@diagnosis("relation", "value")
def _relation(evidence: CallEvidence) -> str | None:
    def words(pairs: Pairs) -> str | None:
        found = relation_in_words(pairs, same)
        if found and all(want.ndim < 2 for _, want in pairs):
            found = found.replace(" in each row", "").replace(" of each row", "")
        return found

    return told_of(evidence, words) or told_of(evidence, words, stacked=True)


@diagnosis("another_order", "value")
def _another_order(evidence: CallEvidence) -> str | None:
    def words(pairs: Pairs) -> str | None:
        return "made of the right numbers, but some are at the wrong places" if in_another_order(pairs, same) else None

    return told_of(evidence, words, stacked=True)


@diagnosis("other_input", "value")
def _other_input(evidence: CallEvidence) -> str | None:
    """The result is right for other arguments: an index off by one, two arguments exchanged, only the first row."""
    wrong = [called for called, _ in wrong_calls(evidence)]
    if len(wrong) < 2 or not number_pairs(evidence):
        return None
    names, first = evidence.form.arguments, specified_arguments(wrong[0])
    calls = [*wrong, *right_calls(evidence)]
    texts = {
        at: sorted({each.arguments[at] for each in calls})
        for at in range(len(first))
        if all(isinstance(each.arguments[at], str) for each in calls)
    }
    for words, change in _other_inputs(names, first, texts):
        if all(_is_result_of(change, called, evidence) for called in calls):
            return f"the result is that of {words}"
    return None


_Change = Callable[[list[Any]], list[Any]]


def _is_result_of(change: _Change, called: Called, evidence: CallEvidence) -> bool:
    normal = evidence.spec.normal
    try:
        with np.errstate(all="ignore"):
            result = plain(evidence.spec.result(*change(specified_arguments(called))))
    except Exception:  # noqa: BLE001  # arguments that it was not written for
        return False
    return not list(differences(normal(called.result), normal(result)))


def _other_inputs(
    names: Sequence[str], arguments: list[Any], texts: dict[int, list[str]]
) -> Iterator[tuple[str, _Change]]:
    """Changes of the arguments that a slip can cause, each in words. `arguments` are those of the first call."""

    def of_one(number: int, function: Callable[[Any], Any]) -> _Change:
        return lambda given: [function(each) if at == number else each for at, each in enumerate(given)]

    def of_rows(function: Callable[[np.ndarray], np.ndarray]) -> _Change:
        def change(given: list[Any]) -> list[Any]:
            length = max(len(given[at]) for at in tables[:1])
            if length < 2:
                return given
            shared = [at for at in tables if given[at].ndim and len(given[at]) == length]
            return [function(each) if at in shared else each for at, each in enumerate(given)]

        return change

    whole = [at for at, each in enumerate(arguments) if isinstance(each, int) and not isinstance(each, bool)]
    reals = [at for at, each in enumerate(arguments) if isinstance(each, float)]
    arrays = [at for at, each in enumerate(arguments) if isinstance(each, np.ndarray)]
    tables = [at for at in arrays if arguments[at].ndim]
    for at, values in texts.items():
        for value in values:
            yield f"{names[at]} = {value!r}, whatever it is given", of_one(at, lambda _, value=value: value)  # type: ignore[misc]
    for at in whole:
        yield f"{names[at]} + 1 in place of {names[at]}", of_one(at, lambda value: value + 1)
        yield f"{names[at]} - 1 in place of {names[at]}", of_one(at, lambda value: value - 1)
        yield f"{names[at]} = 0, whatever it is given", of_one(at, lambda value: 0)
        yield f"{names[at]} = 1, whatever it is given", of_one(at, lambda value: 1)
    for at in reals:
        yield f"1 - {names[at]} in place of {names[at]}", of_one(at, lambda value: 1 - value)
        yield f"-{names[at]} in place of {names[at]}", of_one(at, lambda value: -value)
        yield f"2 * {names[at]} in place of {names[at]}", of_one(at, lambda value: 2 * value)
        yield f"{names[at]} / 2 in place of {names[at]}", of_one(at, lambda value: value / 2)
        yield f"{names[at]} = 1, whatever it is given", of_one(at, lambda value: 1.0)
        yield f"{names[at]} = 0, whatever it is given", of_one(at, lambda value: 0.0)
    for one, other in ((a, b) for several in (whole, reals, arrays) for a in several for b in several if a < b):
        exchanged = [other if at == one else one if at == other else at for at in range(len(arguments))]
        yield (
            f"{names[one]} and {names[other]} exchanged",
            lambda given, order=exchanged: [given[at] for at in order],  # type: ignore[misc]
        )
    for at in arrays:
        yield f"{names[at]} full of zeros", of_one(at, np.zeros_like)
        yield f"{names[at]} full of ones", of_one(at, np.ones_like)
        yield f"{names[at]} transposed", of_one(at, np.transpose)
        yield f"-{names[at]} in place of {names[at]}", of_one(at, np.negative)
    for at in tables:
        if arguments[at].ndim == 1 or len(tables) == 1:
            yield f"{names[at]} from its last to its first", of_one(at, lambda value: value[::-1].copy())
    if tables:
        what = " and ".join(names[at] for at in tables if len(arguments[at]) == len(arguments[tables[0]]))
        row = "row" if arguments[tables[0]].ndim > 1 else "entry"
        yield f"the first {row} of {what} alone", of_rows(lambda value: value[:1])
        yield f"the last {row} of {what} alone", of_rows(lambda value: value[-1:])
        yield f"{what} without the first {row}", of_rows(lambda value: value[1:])
        yield f"{what} without the last {row}", of_rows(lambda value: value[:-1])


@diagnosis("some_values", "value")
def _some_values(evidence: CallEvidence) -> str | None:
    """Some entries of a prediction or of a list are wrong."""
    normal = evidence.spec.normal
    if any(
        isinstance(each.expected, list) and normal(each.expected) != each.expected for each, _ in wrong_calls(evidence)
    ):
        return _some_words(evidence)
    for called, several in wrong_calls(evidence):
        if isinstance(called.expected, list | dict) and all(at.kind in ("value", "type") for at in several):
            if evidence.exercise.kind == "value":
                wrong = list(dict.fromkeys(map(item_of, several)))
                first = f"; look again at {wrong[0]}" if len(called.expected) > 1 else ""
                return f"{len(wrong)} of {len(called.expected)} are not right yet{first}"
            places = [at.path for at in several]
            if all(isinstance(at.got, np.ndarray) and at.got.size > 6 for at in several):
                continue
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            at = next((each for each in several if is_plain(each)), max(several, key=largest))
            keys = called.expected if isinstance(called.expected, dict) else range(len(called.expected))
            tops = [f"[{key!r}]" for key in keys]
            anywhere = [each.path for _, others in wrong_calls(evidence) for each in others]
            right = [top for top in tops if not any(path.startswith(top) for path in anywhere)]
            beside = f", right at {', '.join(right)}" if 0 < len(right) <= 3 else ""
            where = f"the result is wrong at {', '.join(places[:3])}{more}{beside}"
            if places == tops and len(tops) == 2:
                where = f"both {'parts' if isinstance(called.expected, dict) else 'entries'} of the result are wrong"
            return f"{where}: {at.path} is {both_shown(at)}{for_input(called)}{_others(evidence)}"
    return None


def _some_words(evidence: CallEvidence) -> str | None:
    """For a list whose order does not count: the extra and the missing entries."""
    for called, _ in wrong_calls(evidence):
        if not isinstance(called.result, list) or not isinstance(called.expected, list):
            continue
        extra = [each for each in called.result if each not in called.expected]
        missing = [each for each in called.expected if each not in called.result]
        if extra or missing:
            words = [f"in the result, but not asked for: {listed(extra)}"] if extra else []
            words += [f"missing from it: {listed(missing)}"] if missing else []
            return f"{'; '.join(words)}{for_input(called)}"
    return None


def _others(evidence: CallEvidence) -> str:
    """The inputs that give a wrong result, in words; "" if all do, or only the one that is shown."""
    wrong = [called for called, _ in wrong_calls(evidence)]
    texts = texts_apart(evidence, wrong)
    if texts and len(wrong) > 1:
        return f"; wrong {texts}"
    scope = scope_in_words(evidence, wrong) if len(wrong) > 1 else ""
    return f"; something is wrong{scope.replace(',', '', 1)}" if scope else ""


@diagnosis("some_entries", "value")
def _some_entries(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    parts = [(called, at, len(several) == 1) for called, several in wrong for at in several]
    arrays = [each for each in parts if each[1].kind == "value" and isinstance(each[1].got, np.ndarray)]
    bad = [wrong_slopes(at.got, at.expected) for _, at, _ in arrays]
    shared = region(bad) if len(arrays) == len(parts) else None
    for (called, at, alone), where in zip(arrays, bad, strict=True):
        if where.ndim and not where.all():
            only = "wrong only in" if alone else f"{what_differs(at)} is wrong in"
            words = f"{shared}{scope_in_words(evidence, [each for each, _ in wrong])}" if shared else entries(where)
            return f"{only} {words}: {_one_entry(at, where)}{for_input(called)}{'' if shared else _others(evidence)}"
    return None


def _one_entry(at: Difference, bad: np.ndarray) -> str:
    """The entry with the largest error, in words."""
    off = np.where(bad, np.abs(at.got.astype(float) - at.expected.astype(float)), -1.0)
    where = np.unravel_index(int(np.argmax(np.nan_to_num(off, nan=np.inf))), off.shape)
    got, want = apart(float(at.got[where]), float(at.expected[where]))
    return f"{at.path}{index_in_words(tuple(map(int, where)))} is {got}, it must be {want}"


@diagnosis("wrong_value", "value")
def _wrong(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    if not wrong:
        return None
    called, several = wrong[0]
    at = several[0]
    if at.kind == "value" and is_finite(at) and at.got.size > 6:
        words = f"{what_differs(at)} is wrong in every entry; farthest off: {_one_entry(at, wrong_slopes(at.got, at.expected))}"
        return f"{words}{for_input(called)}{_others(evidence)}"
    return f"{what_differs(at)} is {both_shown(at)}{for_input(called)}{_others(evidence)}"


@diagnosis("not_repeatable", "repeat")
def _not_repeatable(evidence: CallEvidence) -> str | None:
    crash = evidence.repeated.crash if evidence.repeated else None
    if crash is not None:
        return f"the same call raises the second time, but not the first time: {explained(crash)}"
    return "the same call gives another result the second time: something outside the function keeps values of earlier calls, or is random"
