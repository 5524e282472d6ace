"""Diagnoses of the object that was checked, of the kind of a result (None, type, length, shape), and of known mistakes.

NumPy only, reads only evidence. The order counts: the first diagnosis that fits the evidence gives the message.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..diagnosing import Diagnosis, Finding, explained, into
from ..numbers import reduced, relative_difference, same
from ..records import Strange
from ..spec import Mistake, specified
from ..table import as_numbers, is_zero
from ..writing import for_inputs, how_many, kind_of
from .asking import plain
from .evidence import CallEvidence
from .records import Called, Difference, differences

RESULTS: list[Diagnosis] = []
diagnosis = into(RESULTS)


@diagnosis("no_function", "structure")
def _no_function(evidence: CallEvidence) -> str:
    entry, what = evidence.exercise.entry, "class" if evidence.exercise.kind == "engine" else "function"
    return f"`{entry}` is not a {what}: pass {entry} itself, not the result of calling it or anything else"


@diagnosis("argument_changed", "unchanged")
def _argument_changed(evidence: CallEvidence) -> str:
    called = next(each for each in evidence.returned if each.changed)
    name = called.changed[0]
    was, now = plain(specified(called.arguments[called.names.index(name)])), called.after[name].value
    rounding = was.shape == now.shape and was.dtype.kind == "f" and np.allclose(was, now, 1e-12, 1e-12)
    how = " in its last digits: adding and subtracting the same number leaves a rounding error" * rounding
    return f"the argument {name} is changed by the call{how}{';' if how else ':'} work on a copy of it"


@diagnosis("no_result", "value")
def _no_result(evidence: CallEvidence) -> str | None:
    nothing = [called for called, _ in evidence.wrong if called.result is None and called.expected is not None]
    if not nothing:
        return None
    prints = "it prints something, but " if evidence.printed else ""
    if len(nothing) == len(evidence.runs):
        if evidence.printed:
            return f"{prints}it returns None: is there a `return`? What is printed is not returned"
        return (
            "it returns None: is there a `return`? Only the value that stands after it is returned, not one that is "
            f"printed, gets a name, or stands in a line of its own{_none_of_tensors(evidence)}"
        )
    others = len(evidence.wrong) - len(nothing)
    more = f"{others} other result{'s are' if others > 1 else ' is'} wrong in another way" if others else ""
    also = _known(evidence) or more
    example = f" One such input: {_for(evidence, nothing[0])[6:]}" if len(nothing) > 1 else ""
    branch = f"is there a `return` with a value in every branch?{example}{f'; also, {also}' if also else ''}"
    table = evidence.table("value")
    scope = table.scope(key for key in table.wrong if key[1] == "" and table.got[key] is None)
    return f"{prints}it returns None{scope}: {branch}"


def _none_of_tensors(evidence: CallEvidence) -> str:
    """More values that are None, from the lesson on that has `backward`."""
    if evidence.exercise.notebook[:2] < "02" or evidence.exercise.kind in ("value", "graph"):
        return ""
    return f"; what `backward()` returns is None as well{_NO_GRADIENT}"


_NO_GRADIENT = (
    "; the `.grad` of a tensor is None if it is not a leaf (unless `retain_grad()` was called), or if no backward pass has reached "
    "it (none goes back through `.item()` or `torch.tensor(...)`)"
)


@diagnosis("keys", "value")
def _keys(evidence: CallEvidence) -> str | None:
    for _, at in _of_kind(evidence, "keys"):
        missing = [repr(key) for key in at.expected if key not in at.got]
        return f"there is no entry for {', '.join(missing)}" if missing else "there are more entries than are asked for"
    return None


def _of_kind(evidence: CallEvidence, kind: str) -> Iterator[tuple[Called, Difference]]:
    """The differences of this kind, those of the smallest calls first."""
    return ((called, at) for called, several in evidence.wrong for at in several if at.kind == kind)


# ---- known mistakes --------------------------------------------------------------------------------------------------------


@diagnosis("known", "value")
def _known(evidence: CallEvidence) -> str | None:
    """The known mistakes, declared or derived from the reference, that explain the wrong calls."""
    found, wrong = evidence.known("value"), [each for each in evidence.wrong if each[0].result is not None]
    every = [at for _, several in wrong for at in several]
    of_arrays = any(at.kind in ("type", "shape") and isinstance(at.expected, np.ndarray) for at in every)
    exact = found is not None and all(each.change.is_declared for each in found.candidates)
    picked = _where(evidence, wrong, exact) if any(map(_is_plain, every)) and not of_arrays else None
    if found and not (found.scope and picked):
        return f"{_wrong_predictions(evidence, {path for _, path in found.explained})}{found.message}"
    return picked


def _is_plain(at: Difference) -> bool:
    """Whether a difference is too large to be rounding."""
    got, want = as_numbers(at.got), as_numbers(at.expected)
    return got is None or want is None or at.kind != "value" or relative_difference(got, want) > 1e-3


def _where(evidence: CallEvidence, wrong: Sequence[tuple[Called, Any]], exact: bool = False) -> str | None:
    """The known mistake that picks the arguments of these wrong calls, if possible of no others; if `exact`, only then."""
    fitting = []
    for mistake in evidence.spec.mistakes if evidence.right and wrong else ():
        picks = mistake.where if isinstance(mistake, Mistake) else None
        if picks is None or not all(picks(*map(specified, called.arguments)) for called, _ in wrong):
            continue
        picked = [called for called in evidence.right if picks(*map(specified, called.arguments))]
        by_chance = all(is_zero(called.expected) for called in picked) if mistake.always else len(wrong) > 1
        fitting += [(len(picked) > 0, mistake.message)] if not picked or (by_chance and not exact) else []
    seen = f" (seen for 1 of {len(evidence.runs)} inputs)" if len(wrong) == 1 else ""
    return f"{min(fitting, key=lambda each: each[0])[1]}{seen}" if fitting else None


def _wrong_predictions(evidence: CallEvidence, explained_paths: set[str]) -> str:
    """The number of wrong predictions, and of those that are explained; "" if the exercise asks for none."""
    called, several = evidence.wrong[0]
    if evidence.exercise.kind != "value" or not isinstance(called.expected, list | dict):
        return ""
    wrong, about = len(set(map(_item, (at.path for at in several)))), len(set(map(_item, explained_paths)))
    of_them = ": " if about >= wrong else "; one of them: " if about == 1 else f"; {about} of them: "
    return f"{wrong} of {len(called.expected)} {'is' if wrong == 1 else 'are'} not right yet{of_them}"


def _item(path: str) -> str:
    """The entry of a prediction that a path belongs to: "a" for "['a']['is_leaf']"."""
    return path[1:].partition("]")[0].strip("'")


# ---- the kind of a result --------------------------------------------------------------------------------------------------


def _for(evidence: CallEvidence, called: Called) -> str:
    return for_inputs(evidence.form, called.arguments)


@diagnosis("length", "value")
def _length(evidence: CallEvidence) -> str | None:
    for called, at in _of_kind(evidence, "length"):
        what, got, want = evidence.named(at.path), at.got, at.expected
        if isinstance(got, np.ndarray) and not all(isinstance(each, int | float) for each in want):
            return f"{what} is {kind_of(got)}, it must be {kind_of(want)}{_for(evidence, called)}"
        names = [each for each in got if isinstance(each, str) and not each.startswith("some ")]
        twice = [each for each in names if names.count(each) > 1 and want.count(each) < 2]
        how = f"; {twice[0]!r} is in it more than once" if twice else ""
        return f"{what} has {how_many(len(got), 'entry')}, it must have {len(want)}{_for(evidence, called)}{how}"
    return None


@diagnosis("type", "value")
def _type(evidence: CallEvidence) -> str | None:
    for called, at in _of_kind(evidence, "type"):
        every = [each for _, several in evidence.wrong for each in several]
        right = "the numbers are right, but " if all(map(_has_right_numbers, every)) else ""
        got, want, remark = kind_of(at.got), kind_of(at.expected), ""
        if at.got is None and isinstance(at.expected, np.ndarray):
            remark = _NO_GRADIENT
        if isinstance(at.got, list) and len(at.got) == 1 and not any(differences(at.got[0], at.expected)):
            remark = "; `autograd.grad` gives such a tuple, also for one leaf"
        if isinstance(at.got, Strange) and at.got.type in ("method", "builtin_function_or_method"):
            remark = "; are the `()` missing that call it?"
        if isinstance(at.expected, np.ndarray) and got == "a number":
            got = "a Python number"
        if isinstance(at.got, np.ndarray) and want != got == "True or False":
            got = "a tensor of True and False"
        words = f"{right}{evidence.named(at.path)} is {got}, it must be {want}{remark}"
        return f"{words}{_for(evidence, called)}"
    return None


def _has_right_numbers(at: Difference) -> bool:
    """Whether the result has the right numbers, but in an object of the wrong kind."""
    try:
        got, want = np.asarray(at.got, dtype=float), np.asarray(at.expected, dtype=float)
    except (TypeError, ValueError):
        return False
    return want.size > 0 and same(got, want)


@diagnosis("dtype", "value")
def _dtype(evidence: CallEvidence) -> str | None:
    if any(at.kind != "dtype" for _, several in evidence.wrong for at in several):
        return None
    called, (at, *_) = evidence.wrong[0]
    asked = f"has dtype {at.got.dtype}, it must have {at.expected.dtype}"
    return f"the numbers are right, but {evidence.named(at.path)} {asked}{_for(evidence, called)}"


@diagnosis("wrong_shape", "value")
def _shape(evidence: CallEvidence) -> str | None:
    for called, at in _of_kind(evidence, "shape"):
        pairs = [(as_numbers(each.got), as_numbers(each.expected)) for _, several in evidence.wrong for each in several]
        hows = {None if got is None or want is None else reduced(got, want) for got, want in pairs}
        how = hows.pop() if len(hows) == 1 else None
        words = f"{evidence.named(at.path)} has shape {at.got.shape}, it must have {at.expected.shape}{_for(evidence, called)}"
        if how == "the numbers are right":
            return f"{how}, but {words}"
        where = how or _where(evidence, evidence.wrong)
        return f"{words}; {where}" if where else words
    return None


@diagnosis("predictions", "value")
def _predictions(evidence: CallEvidence) -> str | None:
    if evidence.exercise.kind != "value":
        return None
    called, several = evidence.wrong[0]
    if not isinstance(called.expected, list | dict):
        return "it is not right yet"
    wrong = list(dict.fromkeys(_item(at.path) for at in several))
    first = f"; look again at {wrong[0]}" if len(called.expected) > 1 else ""
    return f"{len(wrong)} of {len(called.expected)} are not right yet{first}"


@diagnosis("not_repeatable", "repeat")
def _not_repeatable(evidence: CallEvidence) -> str:
    crash = evidence.repeated.crash if evidence.repeated else None
    what = f"raises an error the second time ({explained(crash)})" if crash else "gives another result the second time"
    return f"the same call {what}: something outside the function keeps values of earlier calls, or is random"


def of_own_checks(evidence: CallEvidence, failed: Sequence[str]) -> Iterator[Finding]:
    """What the exercise's own checks (`also`) say of the first call that fails them."""
    for each in evidence.spec.also if evidence.runs else ():
        messages = [each.judge(called) for called in evidence.returned if each.name in failed]
        yield from [Finding(each.name, message) for message in messages if message][:1]
