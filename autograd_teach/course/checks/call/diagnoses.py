"""What is wrong with a function that is called, in a sentence; the counterpart of diagnoses.py, which is about custom Functions.

NumPy only, reads records alone. The rows stand in their order; the first that recognises the numbers speaks.
"""

import ast
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...exercises.declaration import Prepared
from ...jacobian import wrong_slopes
from ..diagnosing import (
    Diagnosis,
    Finding,
    a_or_an,
    apart,
    common_factor,
    entries,
    explained,
    first_findings,
    index_in_words,
    into,
    size_shown,
    times,
)
from ..patterns import reduced, region, rows, same, shift
from ..relations import in_another_order, relation_in_words
from ..spec import Mistake, specified
from .asking import plain
from .checks import Difference, changed_against_the_rules, differences
from .checks import wrong_calls as all_wrong_calls
from .evidence import CallEvidence
from .records import NOTHING, Called, NumPyArray, Strange

CALL_TABLE: list[Diagnosis] = []
diagnosis = into(CALL_TABLE)


OF_REPEATING = ("not_repeatable",)
OF_NUMBERS = (
    *("computation", "selection", "zero", "factor", "mean_for_sum", "factor_differs", "shift", "rows", "relation"),
    *("another_order", "other_input", "some_values", "some_entries", "wrong_value"),
)
"""Diagnoses that describe how the numbers of a result are wrong."""


def diagnose(evidence: CallEvidence, failed: list[str]) -> list[Finding]:
    """The findings on the failed checks; the exercise's own checks speak for themselves, for the first call that fails them."""
    with warnings.catch_warnings():  # what a mistake or the specification warns of is not the student's
        warnings.simplefilter("ignore")
        findings = first_findings(CALL_TABLE, evidence, failed)
    if "repeat" in failed:  # wrong numbers follow from that: what describes them would send the student the wrong way
        repeat = [each for each in findings if each.name in OF_REPEATING]
        findings = repeat + [each for each in findings if each.name not in (*OF_NUMBERS, *OF_REPEATING)]
    for each in evidence.spec.also:
        if each.name in failed:
            messages = (each.judge(called) for called in evidence.calls if called.result is not NOTHING)
            message = next((message for message in messages if message), None)
            findings += [Finding(each.name, message)] if message else []
    return findings


def wrong_calls(evidence: CallEvidence) -> list[tuple[Called, list[Difference]]]:
    """The calls whose result is wrong, those with the smallest arguments first."""
    return sorted(all_wrong_calls(evidence), key=lambda each: size_shown(each[0].arguments))


def right_calls(evidence: CallEvidence) -> list[Called]:
    """The calls that gave the right result."""
    wrong = {id(called) for called, _ in all_wrong_calls(evidence)}
    return [called for called in evidence.calls if called.result is not NOTHING and id(called) not in wrong]


def call_not_attempted(evidence: CallEvidence) -> bool:
    """Whether the answer is still the stub: every call raises a bare NotImplementedError, as the stub does."""
    crashes = [called.crash for called in evidence.calls]
    return bool(crashes) and all(
        crash is not None
        and crash.kind == "NotImplementedError"
        and not crash.message
        and (not crash.source or "NotImplementedError" in crash.source)
        for crash in crashes
    )


@diagnosis("no_function", "structure")
def _no_function(evidence: CallEvidence) -> str | None:
    entry = evidence.exercise.entry
    what = "class" if evidence.exercise.kind == "engine" else "function"
    return (
        f"`{entry}` is no {what}: hand over {entry} itself, not the result of calling it, nor anything else"
        if evidence.structure
        else None
    )


@diagnosis("timeout", "runs")
def _timeout(evidence: CallEvidence) -> str | None:
    stop = evidence.timeout
    if stop is None:
        return None
    where = "" if stop.line is None else f" at line {stop.line}: `{stop.source}`"
    running = Called(evidence.form.arguments, evidence.stopped.arguments)
    last = _for(running) if evidence.calls else ""
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
    if crash is None or "NoneType" not in crash.message or not _is_of_grad(crash.source, crash.message):
        return None
    return (
        f"at line {crash.line}, `{crash.source}`, the .grad is None: only a leaf that requires grad gets one, "
        "and only once backward has run; what an operation has made is no leaf"
    )


_SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "** or pow()",
    ast.MatMult: "@",
}


def _is_of_grad(source: str, message: str) -> bool:
    """Whether the None that `message` speaks of is what a `.grad` in the line `source` gave, by where it stands there."""
    try:
        tree = ast.parse(
            source.removesuffix(":") if not source.startswith(("for", "if", "while", "with")) else source + " pass"
        )
    except SyntaxError:
        return re.search(r"\.grad\b(?!\s*\()", source) is not None and source.count("(") != source.count(")")
    operands = re.search(r"for (\S+?)=?: '(\w+)' and '(\w+)'|for (\*\* or pow\(\))=?: '(\w+)' and '(\w+)'", message)
    for node in ast.walk(tree):
        if operands is not None:
            sign, left, right = [each for each in operands.groups() if each]
            sides = {ast.BinOp: ("left", "right"), ast.AugAssign: ("target", "value")}.get(type(node))
            if sides and _SIGNS.get(type(node.op)) == sign:  # type: ignore[attr-defined]  # both kinds have it
                for side, kind in zip(sides, (left, right), strict=True):
                    if kind == "NoneType" and _is_grad(getattr(node, side)):
                        return True
        elif "has no attribute" in message or "subscript" in message or "item assignment" in message:
            if isinstance(node, ast.Attribute | ast.Subscript) and _is_grad(node.value):
                return not isinstance(node, ast.Attribute) or f"'{node.attr}'" in message
        elif isinstance(node, ast.Call) and any(_is_grad(each) for part in node.args for each in ast.walk(part)):
            return True
    return False


def _is_grad(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "grad"


@diagnosis("not_in_package", "runs")
def _not_in_package(evidence: CallEvidence) -> str | None:
    crashes = (called.crash for called in evidence.calls if called.crash)
    return next((str(crash) for crash in crashes if crash.absent), None)


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
    crashed = [called for called in evidence.calls if called.crash]
    if not crashed or len(crashed) == len(evidence.calls):
        return None
    called = min(crashed, key=lambda each: size_shown(each.arguments))
    raised = _raised_in_words(called, evidence)
    right, wrong = right_calls(evidence), all_wrong_calls(evidence)
    if not right:
        return f"{raised}; this happens for {_inputs(called)}; other inputs do not raise, but their results are wrong"
    others = (
        f"some inputs work (the result of {len(right)} of {len(evidence.calls)} is right)"
        if wrong
        else "some inputs work"
    )
    return f"{raised}; {'other inputs work' if len(crashed) == 1 and not wrong else others}, but not {_inputs(called)}"


@diagnosis("signature", "runs")
def _signature(evidence: CallEvidence) -> str | None:
    crash = next((called.crash for called in evidence.calls if called.crash), None)
    wrong_number = re.compile(r"takes .*argument|missing \d+ required|unexpected keyword|takes no arguments")
    if crash is None or crash.line is not None or crash.kind != "TypeError" or not wrong_number.search(crash.message):
        return None
    if evidence.form.call is not None:
        return f"it is called in another way than the statement says, or with other arguments: {crash.message}"
    names = ", ".join(evidence.form.arguments) or "nothing"
    return f"it is called with {names}, yours takes something else: {crash.message}"


@diagnosis("raised", "runs")
def _raised(evidence: CallEvidence) -> str | None:
    return next((_raised_in_words(called, evidence) for called in evidence.calls if called.crash), None)


def _raised_in_words(called: Called, evidence: CallEvidence) -> str:
    """What was raised; where no line of the answer was running, not as what its code has done."""
    crash = called.crash
    assert crash is not None
    if crash.line is not None or crash.absent or crash.ends_program:
        return explained(crash).removesuffix(".")
    told = explained(crash).partition(" raised ")[2].removesuffix(".")
    if evidence.form.call is None:
        return f"calling it, or reading what it returns, raises {told}; no line of yours is running there"
    empty = "; is it None that yours returns?" if "NoneType" in crash.message else ""
    return (
        f"the check uses your answer as the statement says, and gets {told}; no line of yours is running there{empty}"
    )


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
    wrong = wrong_calls(evidence)
    nothing = [called for called, _ in wrong if called.result is None and called.expected is not None]
    if not nothing:
        return None
    if len(nothing) == len(wrong) and not right_calls(evidence):
        return (
            "it returns None: is there a `return`, and is what it returns not None itself? The `.grad` of a tensor that is no leaf "
            "is None, and so is what `backward()`, `list.sort()` and other calls return that only change something"
        )
    return f"it returns None{_scope(evidence, nothing)}: is there a `return` on every way through it?{_example(nothing[0])}"


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
    wrong, right = wrong_calls(evidence), right_calls(evidence)
    matching = [
        mistake
        for mistake in evidence.spec.mistakes
        if mistake.forward is not None
        and wrong
        and all(_is_mistake(mistake, called, evidence) for called, _ in wrong)
        and any(_says_something(mistake, called) for called, _ in wrong)
    ]
    everywhere = [mistake for mistake in matching if all(_leaves_right(mistake, called, evidence) for called in right)]
    if everywhere:
        return f"{_wrong_predictions(evidence)}{everywhere[0].message}"
    for mistake in evidence.spec.mistakes:
        some = mistake.where is not None and wrong and right
        if some and all(mistake.where(*_specified(called)) for called, _ in wrong):  # type: ignore[misc]  # not None
            return mistake.message
    if not matching:
        return None
    # What the mistake would spoil besides is right here: so say where it shows.
    scope = _scope(evidence, [called for called, _ in wrong])
    seen = f" (this shows {scope.removeprefix(', ')})" if scope else ""
    return f"{_wrong_predictions(evidence)}{matching[0].message}{seen}"


def _says_something(mistake: Mistake, called: Called) -> bool:
    assert mistake.forward is not None
    predicted = mistake.forward(*_specified(called))
    return not isinstance(predicted, dict) or bool(predicted)


def _leaves_right(mistake: Mistake, called: Called, evidence: CallEvidence) -> bool:
    """Whether the mistake gives the right result for the arguments of `called`, as far as it says something about them."""
    assert mistake.forward is not None
    normal = evidence.spec.normal
    predicted, want = normal(plain(mistake.forward(*_specified(called)))), normal(called.expected)
    if isinstance(predicted, dict) and isinstance(want, dict):
        want = {key: value for key, value in want.items() if key in predicted}
    return not list(differences(predicted, want, equal_nan=True))


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
    normal = evidence.spec.normal
    predicted, got = normal(plain(mistake.forward(*_specified(called)))), normal(called.result)
    if isinstance(predicted, dict) and isinstance(got, dict) and isinstance(called.expected, dict):
        keys = [key for key in predicted if key in got]
        return len(keys) == len(predicted) and all(
            not list(differences(got[key], predicted[key], equal_nan=True))
            and list(differences(got[key], called.expected[key]))
            for key in keys
        )
    return not list(differences(got, predicted, equal_nan=True)) and bool(
        list(differences(predicted, normal(called.expected)))
    )


@diagnosis("computation", "value")
def _computation(evidence: CallEvidence) -> str | None:
    """An engine of the student's: the smallest computation that goes wrong, by the name of what is wrong in it."""
    wrong = wrong_calls(evidence) if evidence.exercise.kind == "engine" else []
    if not wrong:
        return None
    called, several = wrong[0]
    at = several[0]
    count = f"; {len(wrong)} of {len(evidence.calls)} computations are wrong" if len(wrong) > 1 else ""
    return f"{_item(at)} is {_both_shown(at)}, for {_inputs(called)}{count}"


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
    if evidence.exercise.kind == "value":
        return None
    pool = [each for array in called.arguments if isinstance(array, np.ndarray) for each in np.ravel(array).tolist()]
    got = called.result.tolist() if isinstance(called.result, np.ndarray) else called.result
    if not isinstance(got, list) or not isinstance(called.expected, list):
        return None
    got = [each.item() if isinstance(each, np.ndarray) and each.size == 1 else each for each in got]
    both = [*got, *called.expected]
    words_only = all(isinstance(each, str) for each in both) and len(got) != len(called.expected)
    if not words_only and not (pool and all(type(each) in (int, float) and each in pool for each in both)):
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
    twice = [each for number, each in enumerate(at.got) if _among(each, at.got[:number])]
    if (
        len(at.got) > len(at.expected)
        and twice
        and not any(_among(each, at.expected[:n]) for n, each in enumerate(at.expected))
    ):
        how = f"; {_shown(twice[0])} is in it twice"
    else:
        how = _end(at)
    return f"{_what(at)} has {_entries(len(at.got))}, it must have {len(at.expected)}{_for(called)}{how}"


def _among(one: Any, several: Sequence[Any]) -> bool:
    return isinstance(one, int | float | str) and any(type(one) is type(other) and one == other for other in several)


def _end(at: Difference) -> str:
    """Which end of a list is missing or too many; nothing where that is not the difference."""
    ways = {
        "the last one is missing": (at.got, at.expected[:-1]),
        "the first one is missing": (at.got, at.expected[1:]),
        "the last one is too many": (at.got[:-1], at.expected),
        "the first one is too many": (at.got[1:], at.expected),
    }
    found = [words for words, (one, other) in ways.items() if not list(differences(one, other))]
    return f"; {found[0]}" if len(found) == 1 and len(at.got) != len(at.expected) else ""


@diagnosis("type", "value")
def _type(evidence: CallEvidence) -> str | None:
    found = _first(evidence, "type")
    if found is None:
        return None
    called, at = found
    right = "the numbers are right, but " if _same_numbers(at) else ""
    of_grad = ""
    if at.got is None and isinstance(at.expected, np.ndarray):
        of_grad = (
            "; a gradient is None where no backward pass has come, and the `.grad` of what is no leaf is always None"
        )
    got, want = _kind_of(at.got), _kind_of(at.expected)
    if want == "a number" and got == "True or False" and isinstance(at.got, np.ndarray):
        got = "a tensor of True and False"
    if isinstance(at.expected, np.ndarray) and got == "a number":
        got = "a Python number"
    return f"{right}{_what(at)} is {got}, it must be {want}{of_grad}{_for(called)}"


def _same_numbers(at: Difference) -> bool:
    """Whether what came has the right numbers, though not in the right kind of thing."""
    try:
        got, want = np.asarray(at.got, dtype=float), np.asarray(at.expected, dtype=float)
    except (TypeError, ValueError):
        return False
    return want.size > 0 and same(got, want)


@diagnosis("dtype", "value")
def _dtype(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    if not wrong or any(at.kind != "dtype" for _, several in wrong for at in several):
        return None
    called, several = wrong[0]
    at = several[0]
    return f"the numbers are right, but {_what(at)} has dtype {at.got.dtype}, it must have {at.expected.dtype}{_for(called)}"


@diagnosis("transposed", "value")
def _transposed(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    turned = wrong and all(_is_turned(at) for _, several in wrong for at in several)
    if not turned:
        return None
    parts = _parts([at.path for _, several in wrong for at in several], evidence)
    return (
        f"{parts} transposed: rows and columns have changed places{_scope(evidence, [called for called, _ in wrong])}"
    )


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
    shapes = [each for _, several in wrong_calls(evidence) for each in several if each.kind == "shape"]
    hows = {_reduced(each) for each in shapes}
    how = next(iter(hows)) if len(hows) == 1 else None
    words = f"; {how}" if how else ""
    if how == "the numbers are right":
        return f"the numbers are right, but {_what(at)} has shape {at.got.shape}, it must have {at.expected.shape}{_for(called)}"
    return f"{_what(at)} has shape {at.got.shape}, it must have {at.expected.shape}{_for(called)}{words}"


def _reduced(at: Difference) -> str | None:
    if not all(side.dtype.kind in "fiu" for side in (at.got, at.expected)):
        return None
    return reduced(at.got.astype(float), at.expected.astype(float))


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
    more = f"; {others} other results are wrong without that" if others else ""
    return f"{_what(at)} contains {bad}{_for(called)}{more}"


def _not_finite(at: Difference) -> np.ndarray:
    """Where NaN or an infinite value came that is not right."""
    if not isinstance(at.got, np.ndarray) or at.got.dtype.kind != "f":
        return np.zeros(1, dtype=bool)
    return ~np.isfinite(at.got) & wrong_slopes(at.got, at.expected)


@diagnosis("zero", "value")
def _zero(evidence: CallEvidence) -> str | None:
    def zero(pairs: _Pairs) -> str | None:
        if any(got.any() for got, _ in pairs):
            return None
        return "zero everywhere" if any(got.size > 1 for got, _ in pairs) else "0"

    words = _told(evidence, zero)
    if words is None:
        return None
    by_tensors = all(isinstance(each.expected, np.ndarray) for _, several in wrong_calls(evidence) for each in several)
    cut = by_tensors and "05" <= evidence.exercise.notebook[:2] <= "07"
    how = "; is the way back cut somewhere, by `detach`, by `no_grad` or because `create_graph` is missing?" * cut
    return f"{words}: other numbers are due there{how}"


@diagnosis("factor", "value")
def _factor(evidence: CallEvidence) -> str | None:
    def words(pairs: _Pairs) -> str | None:
        factor = common_factor([(got.reshape(-1), want.reshape(-1)) for got, want in pairs])
        if factor is None or sum(want.size for got, want in pairs if want.any()) < 2:
            return None
        if np.isclose(factor, -1):
            return "right but for its sign: it is minus what it must be"
        return f"right but for a factor: {times(factor)}"

    told = _told(evidence, words)
    return f"{told}{_same_count(evidence)}" if told else None


def _same_count(evidence: CallEvidence) -> str:
    """Which number of entries the factor of all wrong results is, of three or more: a sum and a mean differ by it."""
    wrong = [each for each in _numbers(evidence) if each.is_wrong]
    factor = common_factor([(each.got.reshape(-1), each.want.reshape(-1)) for each in wrong])
    counts = [_counts(each.called) for each in wrong]
    for key, count in counts[0].items() if factor else ():
        is_it = factor is not None and any(np.isclose(abs(factor), each) for each in (count, 1 / max(count, 1)))
        if is_it and count > 2 and all(each.get(key) == count for each in counts):
            return f" ({count} is {key})"
    return ""


@diagnosis("mean_for_sum", "value")
def _mean_for_sum(evidence: CallEvidence) -> str | None:
    numbers = _numbers(evidence)
    wrong = [each for each in numbers if each.is_wrong]
    if not wrong:
        return None
    paths = {each.path for each in wrong}
    beside = [(_counts(each.called), each) for each in numbers if each.path in paths]
    keys = [key for key in beside[0][0] if all(count.get(key, 0) > 0 for count, _ in beside)]
    for how, as_where, divided in (
        ("divided", "a mean is taken in place of a sum", True),
        ("multiplied", "a sum is taken in place of a mean", False),
    ):
        found = [
            key
            for key in keys
            if all(
                same(each.got, each.want / count[key] if divided else each.want * count[key]) for count, each in beside
            )
        ]
        if found:
            cause = f", as where {as_where}" if found[0].startswith("the number of") else ""
            part = _parts([each.path for each in wrong], evidence)
            return f"{part} right, but {how} by {' or '.join(found[:2])}{cause}"
    return None


@diagnosis("factor_differs", "value")
def _factor_differs(evidence: CallEvidence) -> str | None:
    def words(pairs: _Pairs) -> str | None:
        if not pairs or any(np.count_nonzero(want) < 2 for _, want in pairs):
            return None
        factors = [common_factor([(got.reshape(-1), want.reshape(-1))]) for got, want in pairs]
        if any(each is None for each in factors):
            return None
        shown = ", ".join(dict.fromkeys(f"{each:.4g}" for each in factors[:3]))
        return f"right but for a factor, another one for each input: {shown}{', ...' if len(factors) > 3 else ''}"

    numbers = [each for each in _numbers(evidence) if each.is_wrong]
    told = words([each.pair for each in numbers])
    if told is None:
        return None
    scope = _scope(evidence, [each.called for each in numbers])
    return f"{_parts([each.path for each in numbers], evidence)} {told}{scope}"


@diagnosis("argument_returned", "value")
def _argument_returned(evidence: CallEvidence) -> str | None:
    wrong = [each for each in _numbers(evidence) if each.is_wrong]
    for number, name in enumerate(evidence.form.arguments):
        given = [(_array(_specified(each.called)[number]), each) for each in wrong]
        if given and all(one is not None and same(each.got, one) for one, each in given):
            scope = _scope(evidence, [each.called for each in wrong])
            return f"{_parts([each.path for each in wrong], evidence)} {name} itself, as it was handed over{scope}"
    return None


@diagnosis("shift", "value")
def _shift(evidence: CallEvidence) -> str | None:
    def words(pairs: _Pairs) -> str | None:
        by = shift(pairs)
        return None if by is None else f"{abs(by):.6g} too {'large' if by > 0 else 'small'}"

    return _told(evidence, words)


@diagnosis("rows", "value")
def _rows(evidence: CallEvidence) -> str | None:
    return _told(evidence, lambda pairs: (found := rows(pairs)) and f"wrong: {found}", stacked=True)


@diagnosis("relation", "value")
def _relation(evidence: CallEvidence) -> str | None:
    def words(pairs: _Pairs) -> str | None:
        found = relation_in_words(pairs, same)
        if found and all(want.ndim < 2 for _, want in pairs):
            found = found.replace(" in each row", "").replace(" of each row", "")
        return found

    return _told(evidence, words) or _told(evidence, words, stacked=True)


@diagnosis("another_order", "value")
def _another_order(evidence: CallEvidence) -> str | None:
    def words(pairs: _Pairs) -> str | None:
        return (
            "made of the right numbers, but some stand at the wrong places" if in_another_order(pairs, same) else None
        )

    return _told(evidence, words, stacked=True)


@diagnosis("other_input", "value")
def _other_input(evidence: CallEvidence) -> str | None:
    """The right result for other arguments: an index off by one, two arguments exchanged, the first row alone."""
    wrong = [called for called, _ in wrong_calls(evidence)]
    if len(wrong) < 2 or not _numbers(evidence):
        return None
    names, first = evidence.form.arguments, _specified(wrong[0])
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
            result = plain(evidence.spec.result(*change(_specified(called))))
    except Exception:  # noqa: BLE001  # arguments that it was not written for
        return False
    return not list(differences(normal(called.result), normal(result)))


def _other_inputs(
    names: Sequence[str], arguments: list[Any], texts: dict[int, list[str]]
) -> Iterator[tuple[str, _Change]]:
    """Changes of the arguments that a slip may come to, in words; by the kinds that the first call has."""

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
            yield f"{names[at]} = {value!r}, whatever it is", of_one(at, lambda _, value=value: value)  # type: ignore[misc]
    for at in whole:
        yield f"{names[at]} + 1 in place of {names[at]}", of_one(at, lambda value: value + 1)
        yield f"{names[at]} - 1 in place of {names[at]}", of_one(at, lambda value: value - 1)
        yield f"{names[at]} = 0, whatever it is", of_one(at, lambda value: 0)
        yield f"{names[at]} = 1, whatever it is", of_one(at, lambda value: 1)
    for at in reals:
        yield f"1 - {names[at]} in place of {names[at]}", of_one(at, lambda value: 1 - value)
        yield f"-{names[at]} in place of {names[at]}", of_one(at, lambda value: -value)
        yield f"2 * {names[at]} in place of {names[at]}", of_one(at, lambda value: 2 * value)
        yield f"{names[at]} / 2 in place of {names[at]}", of_one(at, lambda value: value / 2)
        yield f"{names[at]} = 1, whatever it is", of_one(at, lambda value: 1.0)
        yield f"{names[at]} = 0, whatever it is", of_one(at, lambda value: 0.0)
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
    """A prediction or a list, some of whose entries are right."""
    normal = evidence.spec.normal
    if any(
        isinstance(each.expected, list) and normal(each.expected) != each.expected for each, _ in wrong_calls(evidence)
    ):
        return _some_words(evidence)
    for called, several in wrong_calls(evidence):
        if isinstance(called.expected, list | dict) and all(at.kind in ("value", "type") for at in several):
            if evidence.exercise.kind == "value":
                wrong = list(dict.fromkeys(map(_item, several)))
                first = f"; look again at {wrong[0]}" if len(called.expected) > 1 else ""
                return f"{len(wrong)} of {len(called.expected)} are not right yet{first}"
            places = [at.path for at in several]
            if all(isinstance(at.got, np.ndarray) and at.got.size > 6 for at in several):
                continue
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            at = next((each for each in several if _is_plain(each)), max(several, key=_largest))
            keys = called.expected if isinstance(called.expected, dict) else range(len(called.expected))
            tops = [f"[{key!r}]" for key in keys]
            right = [top for top in tops if not any(path.startswith(top) for path in places)]
            beside = f", right at {', '.join(right)}" if 0 < len(right) <= 3 else ""
            where = f"the result is wrong at {', '.join(places[:3])}{more}{beside}"
            return f"{where}: {at.path} is {_both_shown(at)}{_for(called)}{_others(evidence)}"
    return None


def _some_words(evidence: CallEvidence) -> str | None:
    """Of a list whose order does not count: what is in it that is not asked for, not at which place."""
    for called, _ in wrong_calls(evidence):
        if not isinstance(called.result, list) or not isinstance(called.expected, list):
            continue
        extra = [each for each in called.result if each not in called.expected]
        missing = [each for each in called.expected if each not in called.result]
        if extra or missing:
            words = [f"in the result, but not asked for: {_several(extra)}"] if extra else []
            words += [f"missing from it: {_several(missing)}"] if missing else []
            return f"{'; '.join(words)}{_for(called)}"
    return None


def _several(values: list[Any]) -> str:
    more = f" and {len(values) - 3} more" if len(values) > 3 else ""
    return f"{', '.join(map(str, values[:3]))}{more}"


def _largest(at: Difference) -> float:
    """How far a difference goes, so that one is shown that does not look like rounding; what is no number goes farthest."""
    if not _is_finite(at):
        return math.inf
    return float(np.max(np.abs(at.got.astype(float) - at.expected.astype(float)), initial=0.0))


def _is_plain(at: Difference) -> bool:
    """Whether a difference is so large that nobody takes it for rounding."""
    return not _is_finite(at) or _largest(at) > 0.02 * float(np.max(np.abs(at.expected), initial=0.0))


def _others(evidence: CallEvidence) -> str:
    """How many of the inputs give a wrong result, where not all do and more than the one that is shown."""
    wrong = [called for called, _ in wrong_calls(evidence)]
    scope = _scope(evidence, wrong) if len(wrong) > 1 else ""
    return f"; something is wrong{scope.replace(',', '', 1)}" if scope else ""


@diagnosis("some_entries", "value")
def _some_entries(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    parts = [(called, at, len(several) == 1) for called, several in wrong for at in several]
    arrays = [each for each in parts if each[1].kind == "value" and isinstance(each[1].got, np.ndarray)]
    bad = [wrong_slopes(at.got, at.expected) for _, at, _ in arrays]
    regions = {region(each) for each in bad}
    shared = next(iter(regions)) if len(regions) == 1 and len(arrays) == len(parts) else None
    for (called, at, alone), where in zip(arrays, bad, strict=True):
        if where.ndim and not where.all():
            only = "wrong only in" if alone else f"{_what(at)} is wrong in"
            words = f"{shared}{_scope(evidence, [each for each, _ in wrong])}" if shared else entries(where)
            return f"{only} {words}: {_one_entry(at, where)}{_for(called)}{'' if shared else _others(evidence)}"
    return None


def _one_entry(at: Difference, bad: np.ndarray) -> str:
    """The entry that is farthest from the right one."""
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
    if at.kind == "value" and _is_finite(at) and at.got.size > 6:
        words = (
            f"{_what(at)} is wrong in every entry; farthest off: {_one_entry(at, wrong_slopes(at.got, at.expected))}"
        )
        return f"{words}{_for(called)}{_others(evidence)}"
    return f"{_what(at)} is {_both_shown(at)}{_for(called)}{_others(evidence)}"


@diagnosis("not_repeatable", "repeat")
def _not_repeatable(evidence: CallEvidence) -> str | None:
    crash = evidence.repeated.crash if evidence.repeated else None
    if crash is not None:
        return f"the same call raises the second time, though not the first: {explained(crash)}"
    return "the same call gives another result the second time: something outside the function remembers earlier calls, or is random"


# Helpers


def _first(evidence: CallEvidence, kind: str) -> tuple[Called, Difference] | None:
    found = [(called, at) for called, several in wrong_calls(evidence) for at in several if at.kind == kind]
    return found[0] if found else None


@dataclass(frozen=True)
class _Number:
    """One number or array of a result, in one call: what came and what is right."""

    called: Called
    path: str
    got: np.ndarray
    want: np.ndarray

    @property
    def pair(self) -> tuple[np.ndarray, np.ndarray]:
        return self.got, self.want

    @property
    def is_wrong(self) -> bool:
        return not same(self.got, self.want)


def _numbers(evidence: CallEvidence, stacked: bool = False) -> list[_Number]:
    """All numbers of all calls, right and wrong; none where something but a finite number is wrong, or where it is predictions.

    A list of numbers, or of arrays of one shape, counts as one array where `stacked`.
    """
    wrong = [at for _, several in all_wrong_calls(evidence) for at in several]
    if evidence.exercise.kind == "value" or not all(map(_is_finite, wrong)):
        return []
    normal = evidence.spec.normal
    return [
        _Number(called, path, got, want)
        for called in evidence.calls
        if called.result is not NOTHING
        for path, got, want in _leaves(normal(called.result), normal(called.expected), "", stacked)
    ]


def _is_finite(at: Difference) -> bool:
    sides = at.kind == "value" and isinstance(at.got, np.ndarray) and isinstance(at.expected, np.ndarray)
    return bool(sides and at.got.dtype.kind in "fiu" and at.expected.dtype.kind in "fiu" and np.isfinite(at.got).all())


def _leaves(got: Any, want: Any, path: str, stacked: bool) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    if stacked and isinstance(want, list):
        one, other = _stacked(got), _stacked(want)
        if one is not None and other is not None and one.shape == other.shape:
            yield path, one, other
            return
    if isinstance(want, list | dict):
        for key in want if isinstance(want, dict) else range(len(want)):
            yield from _leaves(got[key], want[key], f"{path}[{key!r}]", stacked)
        return
    one, other = _array(got), _array(want)
    if one is not None and other is not None and one.size == other.size:
        yield path, one.reshape(other.shape), other


def _array(value: Any) -> np.ndarray | None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.ndarray):
        return None
    array = np.asarray(value)
    return array.astype(float) if array.dtype.kind in "fiu" else None


def _stacked(values: Any) -> np.ndarray | None:
    arrays = [_array(each) for each in values]
    if not arrays or any(each is None or each.shape != arrays[0].shape for each in arrays):  # type: ignore[union-attr]
        return None
    return np.stack(arrays)  # type: ignore[arg-type]  # none is None


_Pairs = list[tuple[np.ndarray, np.ndarray]]


def _told(evidence: CallEvidence, explain: Callable[[_Pairs], str | None], stacked: bool = False) -> str | None:
    """What `explain` says of the wrong numbers, if it holds for the right ones beside them too, else with the inputs it is true of."""
    numbers = _numbers(evidence, stacked)
    wrong = [each for each in numbers if each.is_wrong]
    if not wrong:
        return None
    paths = [each.path for each in wrong]
    words = explain([each.pair for each in numbers if each.path in paths])
    scope = ""
    if not words:
        words = explain([each.pair for each in wrong])
        scope = _scope(evidence, [each.called for each in wrong])
    return f"{_parts(paths, evidence)} {words}{scope}{_right_parts(paths, numbers)}" if words else None


def _parts(paths: list[str], evidence: CallEvidence) -> str:
    """The parts of the result at `paths`, with the verb that follows."""
    paths = list(dict.fromkeys(paths))
    if paths == [""]:
        return "the result is"
    if len(paths) == 1:
        return f"the result{paths[0]} is"
    every = {each.path for each in _numbers(evidence)}
    if every and set(paths) == every:
        return "the result is"
    if len(paths) <= 3:
        return f"{', '.join(f'the result{path}' for path in paths[:-1])} and the result{paths[-1]} are"
    return f"{len(paths)} parts of the result are"


def _right_parts(wrong: list[str], numbers: list[_Number]) -> str:
    paths = [path for path in dict.fromkeys(each.path for each in numbers) if path not in wrong]
    if not 0 < len(paths) <= 3:
        return ""
    words = " and ".join(f"the result{path}" for path in paths)
    return f"; {words} {'is' if len(paths) == 1 else 'are'} right"


def _scope(evidence: CallEvidence, calls: Sequence[Called]) -> str:
    """Of which of the inputs tried something is true, where not of all: by an argument that tells them from the others, else their number."""
    chosen = {id(called) for called in calls}
    returned = [called for called in evidence.calls if called.result is not NOTHING]
    others = [called for called in returned if id(called) not in chosen]
    mine = [called for called in returned if id(called) in chosen]
    if not others:
        return ""
    marks: Sequence[tuple[Callable[[Any], Any], Callable[[str, Any], str]]]
    marks = ((_plain_value, _equals), (_dimensions, _has_dimensions))
    for number, name in enumerate(evidence.form.arguments):
        for value_of, in_words in marks:
            here = {value_of(called.arguments[number]) for called in mine}
            there = {value_of(called.arguments[number]) for called in others}
            if None not in here | there and not here & there:
                if len(here) == 1:
                    return f", for every input where {in_words(name, here.pop())}"
                if len(there) == 1:
                    return f", for every input but those where {in_words(name, there.pop())}"
    return f", for {len(mine)} of {len(returned)} inputs"


def _plain_value(argument: Any) -> Any:
    return argument if isinstance(argument, int | str) else None  # floats are drawn: that one is wrong says nothing


def _dimensions(argument: Any) -> int | None:
    array = getattr(argument, "array", argument)
    return array.ndim if isinstance(array, np.ndarray) else None


def _equals(name: str, value: Any) -> str:
    return f"{name} is {value!r}"


def _has_dimensions(name: str, dimensions: int) -> str:
    return f"{name} has {dimensions} dimension{'s' if dimensions != 1 else ''}" if dimensions else f"{name} is 0-d"


def _counts(called: Called) -> dict[str, int]:
    """What of the arguments can be counted, in words: an average goes by one of these."""
    counts = {}
    for name, argument in zip(called.names, _specified(called), strict=True):
        if isinstance(argument, np.ndarray):
            counts[f"the number of entries of {name}"] = argument.size
            if argument.ndim > 1:
                counts[f"the number of rows of {name}"] = len(argument)
                counts[f"the number of columns of {name}"] = argument.shape[-1]
        elif isinstance(argument, int) and not isinstance(argument, bool):
            counts[name] = argument
    return counts


def _example(called: Called) -> str:
    return f" One such input: {_inputs(called)}" if called.arguments else ""


def _both_shown(at: Difference) -> str:
    """What came out and what is right, with digits enough to tell them apart."""
    if at.kind == "value" and _is_finite(at) and at.got.size == 1:
        got, want = at.got.reshape(()), at.expected.reshape(())
        if at.got.dtype.kind == "f" or at.expected.dtype.kind == "f":
            one, other = apart(float(got), float(want))
            return f"{one}, it must be {other}"
    return f"{_shown(at.got)}, it must be {_shown(at.expected)}"


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
        case NumPyArray():
            return f"a NumPy array of shape {value.shape}"
        case np.ndarray() if value.dtype == bool:
            return "True or False" if value.ndim == 0 else "a tensor of True and False"
        case np.ndarray():
            return f"a tensor of shape {value.shape}"
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
            words.append(_cut(value.in_words(name)))
            continue
        shown = (
            f"of shape {value.shape}"
            if isinstance(value, np.ndarray) and (value.size > 4 or value.ndim > 1)
            else f"= {_shown(value)}"
        )
        words.append(f"{name} {shown}")
    return ", ".join(words)


def _cut(text: str, width: int = 200) -> str:
    """The beginning and the end of a text that is too long to be read."""
    return text if len(text) <= width else f"{text[: width * 2 // 3].rstrip()} ... {text[-width // 4 :].lstrip()}"
