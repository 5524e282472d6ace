"""Diagnoses of the kind of a result (None, type, length, shape), and of the mistakes that an exercise declares.

NumPy only, reads only evidence. The order counts: the first diagnosis that fits the evidence gives the message.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...jacobian import wrong_slopes
from ..diagnosing import Diagnosis, into
from ..explaining import Explanation, Table, candidates_of, explanation, forward_of
from ..inputs import other_inputs
from ..relations import reduced
from ..spec import Mistake
from .asking import plain
from .checks import Difference, differences
from .evidence import CallEvidence
from .records import Called, Strange
from .words import (
    both_shown,
    entries_in_words,
    example_in_words,
    first_of_kind,
    for_input,
    inputs_in_words,
    is_plain,
    item_of,
    kind_of,
    parts_in_words,
    right_calls,
    same_numbers,
    scope_in_words,
    specified_arguments,
    value_in_words,
    what_differs,
    wrong_calls,
)

RESULTS: list[Diagnosis] = []
diagnosis = into(RESULTS)


@diagnosis("no_result", "value")
def _no_result(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    nothing = [called for called, _ in wrong if called.result is None and called.expected is not None]
    if not nothing:
        return None
    prints = "it prints something, but " if evidence.printed else ""
    if len(nothing) == len(evidence.calls):
        if evidence.printed:
            return f"{prints}it returns None: is there a `return`? What is printed is not returned"
        return (
            f"it returns None: is there a `return`? Only the value that stands after it is returned, not one that "
            f"is printed, gets a name, or stands in a line of its own{_none_of_tensors(evidence)}"
        )
    others = [(called, several) for called, several in wrong if called.result is not None]
    known = _known_of(evidence, others)
    more = f"{len(others)} other result{'s are' if len(others) > 1 else ' is'} wrong in another way" if others else ""
    also = known or more
    return (
        f"{prints}it returns None{scope_in_words(evidence, nothing)}: is there a `return` with a value in every branch?"
        f"{example_in_words(nothing)}{f'; also, {also}' if also else ''}"
    )


def _none_of_tensors(evidence: CallEvidence) -> str:
    """More values that are None, from the lesson on that has `backward`."""
    if evidence.exercise.notebook[:2] < "02" or evidence.exercise.kind in ("value", "graph"):
        return ""
    return (
        "; what `backward()` returns is None as well, and the `.grad` of a tensor is None if it is not a leaf "
        "(unless `retain_grad()` was called), or if no backward pass has reached it (none goes back through `.item()` or "
        "`torch.tensor(...)`)"
    )


@diagnosis("keys", "value")
def _keys(evidence: CallEvidence) -> str | None:
    found = first_of_kind(evidence, "keys")
    if found is None:
        return None
    missing = [key for key in found[1].expected if key not in found[1].got]
    extra = [key for key in found[1].got if key not in found[1].expected]
    if missing:
        return f"there is no entry for {', '.join(map(repr, missing))}"
    return f"the entry {', '.join(map(repr, extra))} is not asked for"


@diagnosis("known", "value")
def _known(evidence: CallEvidence) -> str | None:
    return _known_of(evidence, wrong_calls(evidence))


def _known_of(evidence: CallEvidence, wrong: list[tuple[Called, list[Difference]]]) -> str | None:
    """The known mistakes, declared or derived from the reference, that explain these wrong calls."""
    found = _explained(evidence, [called for called, _ in wrong], right_calls(evidence)) if wrong else None
    if found and found.everywhere:
        return f"{_wrong_predictions(evidence, found)}{found.message}"
    every = [at for _, several in wrong for at in several]
    of_numbers = any(map(is_plain, every)) and not any(_is_of_array(at) for at in every)
    if of_numbers and (message := _where(evidence, wrong, exactly=True)):
        return message
    if found:
        # The mistake would make more results wrong, so what these inputs have in common may be chance.
        return f"{found.message} (this shows for {len(wrong)} of {len(evidence.calls)} inputs)"
    return _where(evidence, wrong) if of_numbers else None


def _explained(evidence: CallEvidence, wrong: list[Called], right: list[Called]) -> Explanation | None:
    """The mistakes that explain the wrong calls. Of a prediction, one that explains some of what is wrong."""
    normal, reference = evidence.spec.normal, evidence.spec.reference
    calls = [each for each in (*wrong, *right) if reference is None or reference(*specified_arguments(each)) != {}]
    sides = [_parts(normal(each.result), normal(each.expected)) for each in calls]
    table = Table(
        range(len(calls)),
        {(run, part): want for run, (_, parts) in enumerate(sides) for part, want in parts.items()},
        {(run, part): got for run, (parts, _) in enumerate(sides) for part, got in parts.items()},
        lambda one, other: not any(differences(one, other, equal_nan=True)),
    )

    def gives(function: Callable[..., Any], run: int) -> Mapping[str, Any] | None:
        try:
            given = normal(plain(function(*specified_arguments(calls[run]))))
        except Exception:  # noqa: BLE001  # a change may make anything of the reference
            return None
        if not _is_comparable(given):
            return None
        want = normal(calls[run].expected)
        if isinstance(given, dict) and isinstance(want, dict):
            want = {key: each for key, each in want.items() if key in given}
        if isinstance(given, float) and isinstance(want, np.ndarray):  # NumPy gives a number for a 0-d array
            given = np.asarray(given)
        return _parts(given, want)[0]

    others = other_inputs(evidence.form.arguments, [specified_arguments(each) for each in calls])
    told = ((f"the result is that of {words}", change) for words, change in others)
    names = evidence.form.arguments
    known = candidates_of(forward_of(evidence.spec), evidence.spec.mistakes, gives, names=names, others=told)
    return explanation(table, known, partly=evidence.exercise.kind == "value")


def _is_comparable(given: Any) -> bool:
    """Whether this is made of numbers and words only: a change can also give an argument that is a function."""
    if isinstance(given, list | dict):
        return all(map(_is_comparable, given.values() if isinstance(given, dict) else given))
    if isinstance(given, np.ndarray):
        return given.dtype.kind in "biuf"
    return given is None or isinstance(given, bool | int | float | str)


def _parts(got: Any, want: Any, path: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts of a result and the right ones, by their paths: the entries of dicts, and the numbers or arrays in a list."""
    if isinstance(want, dict) and isinstance(got, dict) and want.keys() <= got.keys():
        keys: Sequence[Any] = list(want)
    elif isinstance(want, list) and isinstance(got, list) and len(got) == len(want) and _has_numbers(want):
        keys = range(len(want))
    else:
        return {path: got}, {path: want}
    several = [_parts(got[key], want[key], f"{path}[{key!r}]") for key in keys]
    return {p: v for one, _ in several for p, v in one.items()}, {p: v for _, two in several for p, v in two.items()}


def _has_numbers(several: list[Any]) -> bool:
    return bool(several) and not any(isinstance(each, str) or each is None for each in several)


def _is_of_array(at: Difference) -> bool:
    """Whether the type or the shape differs from that of an array."""
    return at.kind in ("type", "shape") and isinstance(at.expected, np.ndarray)


def _where(evidence: CallEvidence, wrong: list[tuple[Called, list[Difference]]], exactly: bool = False) -> str | None:
    """The known mistake that picks the arguments of these wrong calls. exactly: and of no others."""
    right = right_calls(evidence)
    for mistake in evidence.spec.mistakes if right else ():
        if (
            not isinstance(mistake, Mistake)
            or not mistake.where
            or not all(mistake.where(*specified_arguments(called)) for called, _ in wrong)
        ):
            continue
        picked = [called for called in right if mistake.where(*specified_arguments(called))]
        if exactly:
            fits = not picked
        elif mistake.always:
            fits = all(_is_zero(called.expected) for called in picked)
        else:
            fits = len(wrong) > 1
        if fits:
            return mistake.message + (f" (seen for 1 of {len(evidence.calls)} inputs)" if len(wrong) == 1 else "")
    return None


def _is_zero(expected: Any) -> bool:
    """Whether this is 0 everywhere: what a mistake gives there may be right by chance."""
    if isinstance(expected, list | dict):
        return all(map(_is_zero, expected.values() if isinstance(expected, dict) else expected))
    return isinstance(expected, int | float | np.ndarray) and np.allclose(expected, 0)


def _wrong_predictions(evidence: CallEvidence, found: Explanation) -> str:
    """The number of wrong predictions, and of those that `found` is about; "" if the exercise asks for none."""
    called, several = wrong_calls(evidence)[0]
    if evidence.exercise.kind != "value" or not isinstance(called.expected, list | dict):
        return ""
    wrong = len({item_of(at) for at in several})
    about = len({path[1:].partition("]")[0] for _, path in found.explained})
    of_them = "" if about >= wrong else "; one of them: " if about == 1 else f"; {about} of them: "
    return f"{wrong} of {len(called.expected)} {'is' if wrong == 1 else 'are'} not right yet{of_them or ': '}"


@diagnosis("computation", "value")
def _computation(evidence: CallEvidence) -> str | None:
    """The student's own engine: the smallest computation that is wrong, and the name of the wrong value."""
    wrong = wrong_calls(evidence) if evidence.exercise.kind == "engine" else []
    if not wrong:
        return None
    called, several = wrong[0]
    at = several[0]
    count = f"; {len(wrong)} of {len(evidence.calls)} computations are wrong" if len(wrong) > 1 else ""
    return f"{item_of(at)} is {both_shown(at)}, for {inputs_in_words(called)}{count}"


@diagnosis("in_a_tuple", "value")
def _in_a_tuple(evidence: CallEvidence) -> str | None:
    results = [(called.result, called.expected) for called, _ in wrong_calls(evidence)]
    packed = all(
        isinstance(got, list) and len(got) == 1 and not list(differences(got[0], want)) for got, want in results
    )
    if not results or not packed:
        return None
    kinds = {kind_of(got).partition(" of ")[0] for got, _ in results}
    kind = kinds.pop() if len(kinds) == 1 else "a list or tuple"
    such = "such a tuple" if kind == "a tuple" else "a tuple"
    return f"the numbers are right, but they come in {kind} with one entry; `autograd.grad` gives {such}, also for one leaf"


@diagnosis("selection", "value")
def _selection(evidence: CallEvidence) -> str | None:
    """Some entries of an argument are asked for: those that are missing, and those that are too many."""
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
    return f"{'; '.join(words)}{for_input(called)}" if words else None


@diagnosis("length", "value")
def _length(evidence: CallEvidence) -> str | None:
    found = first_of_kind(evidence, "length")
    if found is None:
        return None
    called, at = found
    if isinstance(at.got, np.ndarray) and not all(isinstance(each, int | float) for each in at.expected):
        return f"{what_differs(at)} is {kind_of(at.got)}, it must be {kind_of(at.expected)}{for_input(called)}"
    twice = [each for number, each in enumerate(at.got) if _among(each, at.got[:number])]
    if (
        len(at.got) > len(at.expected)
        and twice
        and not any(_among(each, at.expected[:n]) for n, each in enumerate(at.expected))
    ):
        how = f"; {value_in_words(twice[0])} is in it more than once"
    else:
        how = _end(at)
    return f"{what_differs(at)} has {entries_in_words(len(at.got))}, it must have {len(at.expected)}{for_input(called)}{how}"


def _among(one: Any, several: Sequence[Any]) -> bool:
    return type(one) in (bool, int, float, str) and any(type(one) is type(other) and one == other for other in several)


def _end(at: Difference) -> str:
    """Whether the first or last entry of a list is missing or too many, in words; "" if that is not the difference."""
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
    found = first_of_kind(evidence, "type")
    if found is None:
        return None
    called, at = found
    every = [each for _, several in wrong_calls(evidence) for each in several]
    right = "the numbers are right, but " if all(map(same_numbers, every)) else ""
    of_grad = ""
    if at.got is None and isinstance(at.expected, np.ndarray):
        of_grad = "; a gradient is None if no backward pass has reached it, and so is the `.grad` of a tensor that is not a leaf, unless `retain_grad()` was called"
    got, want = kind_of(at.got), kind_of(at.expected)
    if want != "True or False" and got == "True or False" and isinstance(at.got, np.ndarray):
        got = "a tensor of True and False"
    if isinstance(at.got, Strange) and at.got.type in ("method", "builtin_function_or_method"):
        of_grad = "; are the `()` missing that call it?"
    if isinstance(at.expected, np.ndarray) and got == "a number":
        got = "a Python number"
    return f"{right}{what_differs(at)} is {got}, it must be {want}{of_grad}{for_input(called)}{_other_order(evidence)}"


@diagnosis("dtype", "value")
def _dtype(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    if not wrong or any(at.kind != "dtype" for _, several in wrong for at in several):
        return None
    called, several = wrong[0]
    at = several[0]
    return f"the numbers are right, but {what_differs(at)} has dtype {at.got.dtype}, it must have {at.expected.dtype}{for_input(called)}"


@diagnosis("transposed", "value")
def _transposed(evidence: CallEvidence) -> str | None:
    wrong = wrong_calls(evidence)
    turned = wrong and all(_is_turned(at) for _, several in wrong for at in several)
    if not turned:
        return None
    parts = parts_in_words([at.path for _, several in wrong for at in several], evidence)
    return f"{parts} transposed: rows and columns have changed places{scope_in_words(evidence, [called for called, _ in wrong])}"


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
    found = first_of_kind(evidence, "shape")
    if found is None:
        return None
    called, at = found
    every = [each for _, several in wrong_calls(evidence) for each in several]
    hows = {_reduced(each) if each.kind == "shape" else None for each in every}
    how = next(iter(hows)) if len(hows) == 1 else None
    where = _where(evidence, wrong_calls(evidence))
    words = f"; {how}" if how else f"; {where}" if where else _other_order(evidence)
    if how == "the numbers are right":
        return f"the numbers are right, but {what_differs(at)} has shape {at.got.shape}, it must have {at.expected.shape}{for_input(called)}"
    return f"{what_differs(at)} has shape {at.got.shape}, it must have {at.expected.shape}{for_input(called)}{words}"


def _other_order(evidence: CallEvidence) -> str:
    """A remark if the two entries of each wrong result would have the right types and shapes in the other order."""
    pairs = [(called.result, called.expected) for called, _ in wrong_calls(evidence)]
    both = all(isinstance(each, list) and len(each) == 2 for pair in pairs for each in pair)
    if both and all(at.kind == "value" for got, want in pairs for at in differences(got[::-1], want)):
        return "; in the other order, the two entries have the right shapes"
    return ""


def _reduced(at: Difference) -> str | None:
    if not all(side.dtype.kind in "fiu" for side in (at.got, at.expected)):
        return None
    return reduced(at.got.astype(float), at.expected.astype(float))
