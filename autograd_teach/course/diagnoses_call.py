"""What is wrong with a function that is called, in a sentence; the counterpart of diagnoses.py, which is about custom Functions.

NumPy only, reads records alone. The rows stand in their order; the first that recognises the numbers speaks.
"""

from typing import Any

import numpy as np

from .diagnosing import (
    Diagnosis,
    Finding,
    a_or_an,
    common_factor,
    entries,
    explained,
    first_findings,
    index_in_words,
    into,
    times,
)
from .exercises.declaration import Mistake, Prepared
from .jacobian import wrong_slopes
from .judge_call import Difference, changed_against_the_rules, differences, wrong_calls
from .observe_call import NOTHING, Called, CallEvidence, Strange, plain, specified

CALL_TABLE: list[Diagnosis] = []
diagnosis = into(CALL_TABLE)


def diagnose_call(evidence: CallEvidence, failed: list[str]) -> list[Finding]:
    """The findings on the failed checks; the exercise's own checks speak for themselves, for the first call that fails them."""
    findings = first_findings(CALL_TABLE, evidence, failed)
    for each in evidence.grading.also:
        if each.name in failed:
            messages = (each.judge(called) for called in evidence.calls if called.result is not NOTHING)
            message = next((message for message in messages if message), None)
            findings += [Finding(each.name, message)] if message else []
    return findings


def call_not_attempted(evidence: CallEvidence) -> bool:
    """Whether the answer is still the stub."""
    first = evidence.calls[0].crash if evidence.calls else None
    return first is not None and first.kind == "NotImplementedError"


@diagnosis("no_function", "structure")
def _no_function(evidence: CallEvidence) -> str | None:
    entry = evidence.exercise.entry
    what = "class" if evidence.exercise.kind == "engine" else "function"
    return (
        f"`{entry}` is no {what}: hand over {entry} itself, not the result of calling it"
        if evidence.structure
        else None
    )


@diagnosis("timeout", "runs")
def _timeout(evidence: CallEvidence) -> str | None:
    stop = evidence.timeout
    if stop is None:
        return None
    where = "" if stop.line is None else f" at line {stop.line}: `{stop.source}`"
    last = _for(evidence.calls[-1]) if len(evidence.calls) > 1 else ""
    also = ", or the same work done again and again" if last else ""
    return f"stopped after {evidence.exercise.seconds:g} s{where}{last}; is there an endless loop{also}?"


@diagnosis("ends_program", "runs")
def _ends_program(evidence: CallEvidence) -> str | None:
    crashes = (called.crash for called in evidence.calls)
    return next((str(crash) for crash in crashes if crash and crash.ends_program), None)


@diagnosis("recursion", "runs")
def _recursion(evidence: CallEvidence) -> str | None:
    for called in evidence.calls:
        if called.crash and called.crash.kind == "RecursionError":
            where = "" if called.crash.line is None else f" at line {called.crash.line}: `{called.crash.source}`"
            return f"calls inside calls, more than Python allows (about a thousand){where}{_for(called)}"
    return None


@diagnosis("grad_is_none", "runs")
def _grad_is_none(evidence: CallEvidence) -> str | None:
    crash = next((called.crash for called in evidence.calls if called.crash), None)
    if crash is None or "NoneType" not in crash.message or ".grad" not in crash.source:
        return None
    return (
        f"at line {crash.line}, `{crash.source}`, the .grad is None: only a leaf that requires grad gets one, "
        "and only once backward has run; what an operation has made is no leaf"
    )


@diagnosis("saved_changed", "runs")
def _saved_changed(evidence: CallEvidence) -> str | None:
    for called in evidence.calls:
        crash = called.crash
        if crash and "modified by an inplace operation" in crash.message:
            shape = crash.message.partition("Tensor ")[2].partition("]")[0] + "]"
            where = "" if crash.line is None else f" (line {crash.line}: `{crash.source}`)"
            return f"backward raises{where}: it needs a tensor of shape {shape} that was saved for it, and changed in place after that"
    return None


@diagnosis("one_shape", "runs")
def _raises_for_some(evidence: CallEvidence) -> str | None:
    crashed = [(called, called.crash) for called in evidence.calls if called.crash]
    if not crashed or len(crashed) == len(evidence.calls):
        return None
    called, crash = crashed[0]
    works = "other inputs work" if len(crashed) == 1 else "some inputs work"
    return f"{explained(crash).removesuffix('.')}; {works}, but not {_inputs(called)}"


@diagnosis("signature", "runs")
def _signature(evidence: CallEvidence) -> str | None:
    crash = next((called.crash for called in evidence.calls if called.crash), None)
    if crash is None or crash.line is not None or "argument" not in crash.message:
        return None
    names = ", ".join(evidence.grading.arguments) or "nothing"
    return f"it is called with {names}, yours takes something else: {crash.message}"


@diagnosis("raised", "runs")
def _raised(evidence: CallEvidence) -> str | None:
    return next((explained(called.crash) for called in evidence.calls if called.crash), None)


@diagnosis("argument_changed", "unchanged")
def _argument_changed(evidence: CallEvidence) -> str | None:
    for called in evidence.calls:
        for name in changed_against_the_rules(called, evidence):
            was, now = plain(specified(called.arguments[called.names.index(name)])), called.after[name].value
            rounding = was.shape == now.shape and was.dtype.kind == "f" and np.allclose(was, now, 1e-12, 1e-12)
            how = " in its last digits: what is added and subtracted again leaves a rounding error" * rounding
            return f"the argument {name} is changed by the call{how}{';' if how else ':'} work on a copy of it"
    return None


@diagnosis("no_result", "value")
def _no_result(evidence: CallEvidence) -> str | None:
    nothing = any(called.result is None and called.expected is not None for called, _ in wrong_calls(evidence))
    return "it returns nothing: is there a `return`?" if nothing else None


@diagnosis("keys", "value")
def _keys(evidence: CallEvidence) -> str | None:
    found = _first(evidence, "keys")
    if found is None:
        return None
    missing = [key for key in found[1].expected if key not in found[1].got]
    extra = [key for key in found[1].got if key not in found[1].expected]
    if missing:
        return f"there is no entry for {', '.join(map(repr, missing))}"
    return f"the entry {', '.join(map(repr, extra))} is none of those asked for"


@diagnosis("known", "value")
def _known(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    for mistake in evidence.exercise.mistakes:
        if mistake.forward is not None and wrong and all(_is_mistake(mistake, called, evidence) for called, _ in wrong):
            return f"{_wrong_predictions(evidence)}{mistake.message}"
        some = mistake.where is not None and 0 < len(wrong) < len(evidence.calls)
        if some and all(mistake.where(*_specified(called)) for called, _ in wrong):  # type: ignore[misc]  # not None
            return mistake.message
    return None


def _wrong_predictions(evidence: CallEvidence) -> str:
    """How many of several predictions are not right, where it is predictions that are asked for."""
    called, several = wrong_calls(evidence)[0]
    if evidence.exercise.kind != "value" or not isinstance(called.expected, list | dict):
        return ""
    wrong = len({_item(at) for at in several})
    return f"{wrong} of {len(called.expected)} {'is' if wrong == 1 else 'are'} not right yet: "


def _specified(called: Called) -> list[Any]:
    return list(map(specified, called.arguments))


def _is_mistake(mistake: Mistake, called: Called, evidence: CallEvidence) -> bool:
    """Whether the result is what the mistake gives; of a dict, only the keys that the mistake names are asked for."""
    assert mistake.forward is not None
    normal = evidence.grading.normal
    predicted, got = normal(plain(mistake.forward(*_specified(called)))), normal(called.result)
    if isinstance(predicted, dict) and isinstance(got, dict) and isinstance(called.expected, dict):
        keys = [key for key in predicted if key in got]
        return len(keys) == len(predicted) and all(
            not list(differences(got[key], predicted[key])) and list(differences(got[key], called.expected[key]))
            for key in keys
        )
    return not list(differences(got, predicted)) and bool(list(differences(predicted, normal(called.expected))))


@diagnosis("computation", "value")
def _computation(evidence: CallEvidence) -> str | None:
    """An engine of the student's: the smallest computation that goes wrong, by the name of what is wrong in it."""
    wrong = wrong_calls(evidence) if evidence.exercise.kind == "engine" else []
    if not wrong:
        return None
    called, several = wrong[0]
    at = several[0]
    count = f"; {len(wrong)} of {len(evidence.calls)} computations are wrong" if len(wrong) > 1 else ""
    return f"{_item(at)} is {_shown(at.got)}, it must be {_shown(at.expected)}, for {_inputs(called)}{count}"


@diagnosis("in_a_tuple", "value")
def _in_a_tuple(evidence: CallEvidence) -> str | None:
    results = [(called.result, called.expected) for called, _ in wrong_calls(evidence)]
    packed = all(
        isinstance(got, list) and len(got) == 1 and not list(differences(got[0], want)) for got, want in results
    )
    if not results or not packed:
        return None
    return "the numbers are right, but they come in a tuple or list with one entry; `autograd.grad` gives such a tuple, also for one leaf"


@diagnosis("selection", "value")
def _selection(evidence: CallEvidence) -> str | None:
    """Some entries of an argument are asked for: which are missing, which are too many."""
    called, _ = wrong_calls(evidence)[0]
    pool = [each for array in called.arguments if isinstance(array, np.ndarray) for each in np.ravel(array).tolist()]
    got = called.result.tolist() if isinstance(called.result, np.ndarray) else called.result
    if not isinstance(got, list) or not isinstance(called.expected, list) or not pool:
        return None
    got = [each.item() if isinstance(each, np.ndarray) and each.size == 1 else each for each in got]
    if not all(type(each) in (int, float) and each in pool for each in [*got, *called.expected]):
        return None
    missing = [each for each in called.expected if each not in got]
    extra = [each for each in got if each not in called.expected]
    words = [f"missing from the result: {', '.join(map(repr, missing))}"] if missing else []
    words += [f"in the result, but not asked for: {', '.join(map(repr, extra))}"] if extra else []
    return f"{'; '.join(words)}{_for(called)}" if words else None


@diagnosis("length", "value")
def _length(evidence: CallEvidence) -> str | None:
    found = _first(evidence, "length")
    if found is None:
        return None
    called, at = found
    return f"{_what(at)} has {_entries(len(at.got))}, it must have {len(at.expected)}{_for(called)}"


@diagnosis("type", "value")
def _type(evidence: CallEvidence) -> str | None:
    found = _first(evidence, "type")
    if found is None:
        return None
    called, at = found
    return f"{_what(at)} is {_kind_of(at.got)}, it must be {_kind_of(at.expected)}{_for(called)}"


@diagnosis("transposed", "value")
def _transposed(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    turned = wrong and all(_is_turned(at) for _, several in wrong for at in several)
    return "the result is transposed: rows and columns have changed places" if turned else None


def _is_turned(at: Difference) -> bool:
    got, want = at.got, at.expected
    return (
        isinstance(got, np.ndarray)
        and isinstance(want, np.ndarray)
        and got.ndim == 2
        and got.T.shape == want.shape
        and not wrong_slopes(got.T, want).any()
    )


@diagnosis("wrong_shape", "value")
def _shape(evidence: CallEvidence) -> str | None:
    found = _first(evidence, "shape")
    if found is None:
        return None
    called, at = found
    return f"{_what(at)} has shape {at.got.shape}, it must have {at.expected.shape}{_for(called)}"


@diagnosis("nan", "value")
def _nan(evidence: CallEvidence) -> str | None:
    for called, several in wrong_calls(evidence):
        for at in several:
            if at.kind == "value" and isinstance(at.got, np.ndarray) and not np.isfinite(at.got).all():
                bad = "NaN" if np.isnan(at.got).any() else "an infinite value"
                return f"{_what(at)} contains {bad}{_for(called)}"
    return None


@diagnosis("zero", "value")
def _zero(evidence: CallEvidence) -> str | None:
    pairs = _number_pairs(evidence)
    zero = pairs and all(not got.any() and want.any() for got, want in pairs)
    return f"{_part(evidence)}what must be other numbers is zero everywhere" if zero else None


@diagnosis("factor", "value")
def _factor(evidence: CallEvidence) -> str | None:
    pairs = _number_pairs(evidence)
    factor = common_factor([(got.reshape(-1), want.reshape(-1)) for got, want in pairs]) if pairs else None
    if factor is None or sum(got.size for got, _ in pairs) < 2:
        return None
    if np.isclose(factor, -1):
        return f"{_part(evidence, 'is ')}right but for its sign: it is minus what it must be"
    return f"{_part(evidence, 'is ')}right but for a factor: {times(factor)}"


@diagnosis("some_values", "value")
def _some_values(evidence: CallEvidence) -> str | None:
    """A prediction or a list, some of whose entries are right."""
    for called, several in wrong_calls(evidence):
        if isinstance(called.expected, list | dict) and all(at.kind in ("value", "type") for at in several):
            if evidence.exercise.kind == "value":
                wrong = list(dict.fromkeys(map(_item, several)))
                first = f"; look again at {wrong[0]}" if len(called.expected) > 1 else ""
                return f"{len(wrong)} of {len(called.expected)} are not right yet{first}"
            places = [at.path for at in several]
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            at = several[0]
            return f"wrong at {', '.join(places[:3])}{more}: {at.path} is {_shown(at.got)}, it must be {_shown(at.expected)}{_for(called)}"
    return None


@diagnosis("some_entries", "value")
def _some_entries(evidence: CallEvidence) -> str | None:
    for called, several in wrong_calls(evidence):
        at = several[0]
        if isinstance(at.got, np.ndarray) and isinstance(at.expected, np.ndarray) and at.got.shape == at.expected.shape:
            bad = wrong_slopes(at.got, at.expected)
            if not bad.all():
                where = tuple(int(i) for i in np.argwhere(bad)[0])
                return (
                    f"wrong only in {entries(bad)}: {at.path}{index_in_words(where)} is {at.got[where]:.5g}, "
                    f"it must be {at.expected[where]:.5g}{_for(called)}"
                )
    return None


@diagnosis("wrong_value", "value")
def _wrong(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    if not wrong:
        return None
    called, several = wrong[0]
    at = several[0]
    return f"{_what(at)} is {_shown(at.got)}, it must be {_shown(at.expected)}{_for(called)}"


@diagnosis("not_repeatable", "repeat")
def _not_repeatable(evidence: CallEvidence) -> str | None:
    return "the same call gives another result the second time: something outside the function remembers the first, or is random"


# Helpers


def _first(evidence: CallEvidence, kind: str) -> tuple[Called, Difference] | None:
    found = [(called, at) for called, several in wrong_calls(evidence) for at in several if at.kind == kind]
    return found[0] if found else None


def _number_pairs(evidence: CallEvidence) -> list[tuple[np.ndarray, np.ndarray]]:
    """(got, expected) of all wrong results that are one array or number each, or wrong in one same entry; empty where one is not."""
    pairs = []
    wrong = wrong_calls(evidence)
    if len({at.path for _, several in wrong for at in several}) > 1:
        return []
    for _, several in wrong:
        at = several[0]
        numbers = all(isinstance(side, np.ndarray) and side.dtype.kind in "fiu" for side in (at.got, at.expected))
        if not numbers or not np.isfinite(at.got).all() or at.kind != "value":
            return []
        pairs.append((at.got.astype(float), at.expected.astype(float)))
    return pairs


def _part(evidence: CallEvidence, verb: str = "") -> str:
    """Which part of the results `_number_pairs` speaks of; nothing where it is the whole."""
    _, several = wrong_calls(evidence)[0]
    what = _what(several[0])
    if not several[0].path:
        return ""
    return f"{what} {verb}" if verb else f"in {what}, "


def _what(at: Difference) -> str:
    return f"the result{at.path}" if at.path else "the result"


def _item(at: Difference) -> str:
    """The entry of a prediction that a difference is in: "a" of "['a']['is_leaf']"."""
    return at.path[1:].partition("]")[0].strip("'")


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "None"
        case bool():
            return "True or False"
        case Strange(name):
            return a_or_an(name)
        case np.ndarray() if value.dtype == bool:
            return "True or False" if value.ndim == 0 else "a tensor of True and False"
        case np.ndarray():
            return "a number" if value.ndim == 0 else f"a tensor of shape {value.shape}"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case dict():
            return "a dict"
    return f"a list of {_entries(len(value))}"


def _entries(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def _shown(value: Any) -> str:
    if isinstance(value, Strange):
        return a_or_an(value.type)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, separator=", ", threshold=12).replace("\n", " ")
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def _for(called: Called) -> str:
    return f", for {_inputs(called)}" if called.arguments else ""


def _inputs(called: Called) -> str:
    words = []
    for name, value in zip(called.names, called.arguments, strict=True):
        if isinstance(value, Prepared):
            words.append(value.in_words(name))
            continue
        shown = (
            f"of shape {value.shape}"
            if isinstance(value, np.ndarray) and (value.size > 4 or value.ndim > 1)
            else f"= {_shown(value)}"
        )
        words.append(f"{name} {shown}")
    return ", ".join(words)
