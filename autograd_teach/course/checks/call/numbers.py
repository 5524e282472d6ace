"""Diagnoses of the numbers of a result, from those that name the mistake to those that only show the numbers.

NumPy only, reads only evidence. The order counts: the first diagnosis that fits the evidence gives the message.
"""

import numpy as np

from ...jacobian import wrong_slopes
from ..diagnosing import Diagnosis, Finding, apart, entries, explained, index_in_words, into
from ..relations import Numbers, counted, region, related
from .checks import Difference
from .evidence import CallEvidence
from .words import (
    both_shown,
    for_input,
    is_finite,
    is_plain,
    item_of,
    largest,
    listed,
    number_pairs,
    parts_in_words,
    right_parts,
    scope_in_words,
    specified_arguments,
    texts_apart,
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


@diagnosis("numbers", "value")
def _related(evidence: CallEvidence) -> Finding | None:
    for stacked in (False, True):
        numbers = number_pairs(evidence, stacked)
        wrong = [each for each in numbers if each.is_wrong]
        paths = [each.path for each in wrong]
        beside = [each for each in numbers if each.path in paths]
        for several in (beside, wrong) if wrong else ():
            found = related(
                [Numbers(*each.pair, counted(each.called.names, specified_arguments(each.called))) for each in several]
            )
            if found:
                name, words = found
                scope = scope_in_words(evidence, [each.called for each in wrong]) if several is wrong else ""
                cut = _CUT * (name == "zero" and "05" <= evidence.exercise.notebook[:2] <= "07")
                told = f"{parts_in_words(paths, evidence)} {words}{cut}{scope}{right_parts(paths, numbers)}"
                return Finding(name, told)
    return None


_CUT = "; is the graph cut somewhere, by `detach`, by `no_grad` or because `create_graph` is missing?"


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
