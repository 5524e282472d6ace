"""Diagnoses of the object that was checked, of errors, of changed arguments, and of the result of forward.

NumPy only, reads only records. A message names the entry, argument or line and shows numbers; it never gives the answer
away. To add a diagnosis, write a function `(FunctionEvidence) -> str | None` with the decorator
`@diagnosis(name, checks that it explains)`, at its place in the order.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from ...guard import Crash
from ...jacobian import flat, is_float, wrong_values
from ..diagnosing import (
    Diagnosis,
    Finding,
    a_or_an,
    apart,
    entries,
    explained,
    index_in_words,
    into,
    is_stub,
)
from ..explaining import Explanation, Table, candidates_of, explanation
from ..relations import Numbers, counted, related
from ..spec import copies
from .checks import case_gradients
from .evidence import Case, FunctionEvidence
from .records import Run, differentiable

VALUES: list[Diagnosis] = []
diagnosis = into(VALUES)


# The object that was checked, and whether it runs


@diagnosis("instance", "structure")
def _instance(evidence: FunctionEvidence) -> str | None:
    entry = evidence.exercise.entry
    return (
        f"this is an instance, but a Function is never instantiated: pass the class {entry} itself, and call {entry}.apply(...)"
        if evidence.structure == "instance"
        else None
    )


@diagnosis("forward_called", "structure")
def _forward_called(evidence: FunctionEvidence) -> str | None:
    entry = evidence.exercise.entry
    return (
        f"this is a method of the class: pass the class {entry} itself, which is called through {entry}.apply(...)"
        if evidence.structure == "forward_called"
        else None
    )


@diagnosis("no_function", "structure")
def _no_function(evidence: FunctionEvidence) -> str | None:
    entry = evidence.exercise.entry
    return (
        f"this is not an autograd Function: write `class {entry}(Function)` and pass {entry}"
        if evidence.structure == "no_function"
        else None
    )


@diagnosis("no_backward", "structure")
def _no_backward(evidence: FunctionEvidence) -> str | None:
    return "there is no method `backward`" if evidence.structure == "no_backward" else None


@diagnosis("not_static", "structure")
def _not_static(evidence: FunctionEvidence) -> str | None:
    kind, _, methods = (evidence.structure or "").partition(" ")
    each = "each" if " and " in methods else "its"
    return (
        f"{methods} must be static: put @staticmethod in the line before {each} `def`" if kind == "not_static" else None
    )


@diagnosis("timeout", "runs")
def _timeout(evidence: FunctionEvidence) -> str | None:
    stop = evidence.timeout
    if stop is None:
        return None
    where = "" if stop.line is None else f", at line {stop.line}: `{stop.source}`"
    return (
        f"stopped after {evidence.exercise.seconds:g} s in {stop.phase}{_when_stopped(evidence)}{where}; "
        "is there an endless loop?"
    )


def _when_stopped(evidence: FunctionEvidence) -> str:
    """The call that ran out of time, in words; "" if it was the first one."""
    arguments = evidence.stopped.arguments
    if any(isinstance(each, np.ndarray) and each.dtype == np.float32 for each in arguments):
        return " with a float32 argument"
    return f" for {_arguments_in_words(evidence, arguments)} (smaller inputs came to an end)" if evidence.cases else ""


@diagnosis("ends_program", "runs")
def _ends_program(evidence: FunctionEvidence) -> str | None:
    crashes = (run.crash for run in evidence.every_run)
    return next((str(crash) for crash in crashes if crash and crash.ends_program), None)


@diagnosis("backward_not_attempted", "runs")
def _backward_not_attempted(evidence: FunctionEvidence) -> str | None:
    crashes = [run.crash for run in evidence.runs]
    stub = all(is_stub(crash) and crash.phase == "backward" for crash in crashes)
    return "forward is written, backward is not attempted yet" if crashes and stub else None


@diagnosis("optional_argument", "runs")
def _raises_without_an_argument(evidence: FunctionEvidence) -> str | None:
    for number, name in enumerate(evidence.form.arguments):
        given = [run for run in evidence.runs if run.arguments[number] is not None]
        crashes = [run.crash for run in evidence.runs if run.arguments[number] is None]
        if given and crashes and all(crashes) and not any(run.crash for run in given) and crashes[0]:
            return f"raises an error if {name} is None, but not if {name} is given: {crash_in_words(crashes[0])}"
    return None


@diagnosis("one_shape", "runs")
def _raises_for_some_shapes(evidence: FunctionEvidence) -> str | None:
    crashed = [run for run in evidence.runs if run.crash]
    fine = [run for run in evidence.runs if not run.crash]
    crash = next((run.crash for run in crashed if run.crash), None)
    # If the same shape raised in one run and not in another, the shape is not the cause.
    if crash is None or not fine or set(_shapes(crashed)) & set(_shapes(fine)):
        return None
    if any(_numbers_beside(run) for run in evidence.runs):  # it may be one of these, not the shape
        same = [
            each for each in crashed if each.crash and (each.crash.kind, each.crash.line) == (crash.kind, crash.line)
        ]
        others = f", and for {len(same) - 1} more of the {len(evidence.runs)} inputs tried" if same[1:] else ""
        return f"raises an error for {inputs_in_words(evidence, crashed[0])}{others}: {crash_in_words(crash)}"
    alike = {(each.crash.kind, each.crash.line) for each in crashed if each.crash}
    first = f" (this is the one for {of_shape(evidence)} {shapes_of(crashed[:1])})" if len(alike) > 1 else ""
    return f"raises an error for {of_shape(evidence)} {shapes_of(crashed)}, but not for {shapes_of(fine)}: {crash_in_words(crash)}{first}"


@diagnosis("number_of_results", "forward")
def _number_of_results(evidence: FunctionEvidence) -> str | None:
    ran = [run for run in evidence.runs if run.odd_result or run.values is not None]
    due = evidence.form.results
    bad = [run for run in ran if _given(run) not in (0, due)]
    if not bad:
        return None
    results = "1 result" if _given(bad[0]) == 1 else f"{_given(bad[0])} results"
    return f"forward returns {results}; this exercise asks for {due}{only_for(evidence, bad, ran)}"


def _given(run: Run) -> int:
    """How many results forward returned; 0 if it returned a single thing that is not a tensor."""
    alone = run.odd_result is not None and run.odd_result.among == 1
    return 0 if alone else run.odd_result.among if run.odd_result else len(run.values or ())


@diagnosis("number_of_results", "runs")
def _number_of_gradients(evidence: FunctionEvidence) -> str | None:
    """Backward gets one gradient for each result: its parameters may be right."""
    crashes = [run.crash for run in evidence.runs if run.crash]
    if not crashes or any(each.phase != "backward" or each.line is not None for each in crashes):
        return None
    return _number_of_results(evidence)


@diagnosis("signature", "runs")
def _signature(evidence: FunctionEvidence) -> str | None:
    crash = next((run.crash for run in evidence.runs if run.crash), None)
    if crash is None or crash.line is not None or "positional argument" not in crash.message:
        return None
    names = ", ".join(("ctx", *evidence.form.arguments))
    called = names if crash.phase == "forward" else "ctx and one grad_output for each result"
    if crash.phase == "forward" and any(f"'{name}'" in crash.message for name in evidence.form.arguments):
        called += ", and without ctx where there is a method `setup_context`"
    return f"{crash.phase} is called with {called}; yours takes something else: {crash.message}"


@diagnosis("raised", "runs")
def _raised(evidence: FunctionEvidence) -> str | None:
    for run, when in _runs_in_words(evidence):
        if run.crash:
            which = _which_is_a_leaf(evidence, run)
            words = crash_in_words(run.crash)
            return when + (words.removesuffix(".") + which if which else words)
        if run.refused:
            return f"{when}{failure_in_words(run)}"
    return None


def failure_in_words(run: Run) -> str | None:
    """The error of a run in words; None if there was none."""
    if run.refused and not run.crash:
        return f"autograd does not accept what backward returns: {run.refused.kind}: {run.refused.message}"
    return crash_in_words(run.crash) if run.crash else None


def _which_is_a_leaf(evidence: FunctionEvidence, run: Run) -> str:
    """A remark on which argument may be changed, if the exercise changes one and the answer changed another."""
    if not evidence.form.in_place or run.crash is None:
        return ""
    may = evidence.form.arguments[evidence.form.in_place[0]]
    if "marked as dirty" in run.crash.message:
        return f"; change {may} itself, mark it as dirty and return it: no other argument and no new tensor"
    if "leaf Variable" not in run.crash.message:
        return ""
    others = [name for n, name in enumerate(evidence.form.arguments) if n not in evidence.form.in_place]
    return (
        f"; here {' and '.join(others)} is a leaf, and {may} is not: {may} is the one to change, and to mark as dirty"
    )


def crash_in_words(crash: Crash) -> str:
    """An error in plain words. It is attributed to autograd if no line of the answer was running."""
    if "Legacy autograd function" in crash.message:
        return f"{crash}; a Function is called through its `apply`"
    words = explained(crash)
    if crash.line is None:
        return words.replace(f"{crash.phase} raised", f"around {crash.phase}, autograd raised", 1)
    return words


def _runs_in_words(evidence: FunctionEvidence) -> Iterator[tuple[Run, str]]:
    """Every run with words for its circumstances, except those of the check "repeat"."""
    crashed = [run for run in evidence.runs if run.crash]
    for run in evidence.runs:
        all_alike = len(crashed) in (0, len(evidence.runs))
        yield run, "" if all_alike else f"for {inputs_in_words(evidence, run)} (not for every input): "
    for case in evidence.cases:
        for row in case.rows:
            yield row, "if grad_output is 1 in one entry and 0 in the others: "
    again = (
        (evidence.repeated, "when it is called a second time with the same arguments: "),
        (evidence.single, "with a float32 argument: "),
    )
    yield from ((run, when) for run, when in again if run is not None)
    names = evidence.form.arguments
    yield from ((run, f"if only {names[number]} requires grad, ") for number, run in evidence.needed.items())


# Side effects: before the numbers, which they make wrong


@diagnosis("argument_changed", "unchanged")
def argument_changed(evidence: FunctionEvidence) -> str | None:
    names = evidence.form.arguments
    for run in evidence.runs:
        for change in run.changed:
            number, _, where = change.partition(" ")
            if number.isdigit():
                name = names[int(number)]
                tensors = [each for each in run.arguments if isinstance(each, np.ndarray)]
                shared = run.shares_memory and len(tensors) == 1 and where == "in forward"
                how = (
                    f": the result shares the memory of {name}, work on a copy"
                    if shared and not evidence.form.in_place
                    else f": work on a copy of {name}"
                )
                return f"the argument {name} is changed {where}{how}"
    return None


@diagnosis("grad_output_changed", "unchanged")
def _grad_output_changed(evidence: FunctionEvidence) -> str | None:
    changed = any("grad_output" in change for run in evidence.runs for change in run.changed)
    return (
        "backward changes grad_output in place; other branches of the graph may still need it: work on a copy"
        if changed
        else None
    )


@diagnosis("result_changed", "unchanged")
def _result_changed(evidence: FunctionEvidence) -> str | None:
    changed = any("result" in change for run in evidence.runs for change in run.changed)
    return (
        "backward changes the result of forward in place, but the caller still uses that tensor: work on a copy"
        if changed
        else None
    )


# The result of forward


@diagnosis("no_result", "forward")
def _no_result(evidence: FunctionEvidence) -> str | None:
    ran = [run for run in evidence.runs if run.odd_result or run.values is not None]
    bad = [run for run in ran if run.odd_result]
    odd, count = bad[0].odd_result if bad else None, evidence.form.results
    if odd is None:
        return None
    where = only_for(evidence, bad, ran)
    if odd.among > 1:
        what = "None" if odd.type == "NoneType" else a_or_an(odd.type)
        return f"one of the {odd.among} results of forward is {what}{where}; each must be a tensor"
    if odd.type == "NoneType":
        what = "nothing" if count == 1 else "None instead of a tensor"
        return f"forward returns {what}{where}: is there a `return`?{_of_others(evidence)}"
    due = "it must return a tensor" if count == 1 else f"it must return a tuple of {count} tensors"
    due += ", without a comma after it" if odd.type == "tuple" else ""
    return f"forward returns {a_or_an(odd.type)}{where}; {due}"


def _of_others(evidence: FunctionEvidence) -> str:
    """What the other inputs show, if it is a known mistake."""
    known = known_forward(evidence)
    return f" For other inputs, {known.message}" if known else ""


@diagnosis("no_graph", "forward")
def _no_graph(evidence: FunctionEvidence) -> str | None:
    ran = [run for run in evidence.runs if run.values is not None]
    cut = [run for run in ran if not run.own_node]
    if not cut:
        return None
    names = differentiable(evidence.form, [_result(evidence, n) for n in range(evidence.form.results)])
    whole = next((value.dtype for run in cut for value in run.values or () if value.dtype.kind != "f"), None)
    why = f"is its dtype a float? {whole} has no gradient" if whole else "is it marked non-differentiable, or detached?"
    return f"{' and '.join(names)} does not require grad{only_for(evidence, cut, ran)}, so that no gradient can flow back: {why}"


@diagnosis("known", "forward")
def _known_forward(evidence: FunctionEvidence) -> str | None:
    known = known_forward(evidence)
    if known is None:
        return None
    ran = [case for case in evidence.cases if case.run.values is not None]
    wrong = [case for case in ran if not _same(flat(case.run.values or ()), flat(case.expected))]
    which = "" if known.everywhere else only_for(evidence, [case.run for case in wrong], [case.run for case in ran])
    return known.message + which


def known_forward(evidence: FunctionEvidence) -> Explanation | None:
    """The known mistakes, declared or derived from the reference, that explain what forward returned."""
    if "forward" not in evidence.known:
        evidence.known["forward"] = _known(evidence)
    return evidence.known["forward"]


def _known(evidence: FunctionEvidence) -> Explanation | None:
    ran = [case for case in evidence.cases if case.run.values and len(case.run.values) == len(case.expected)]
    table = Table(
        range(len(ran)),
        {(number, part): want for number, case in enumerate(ran) for part, want in enumerate(case.expected)},
        {(number, part): got for number, case in enumerate(ran) for part, got in enumerate(case.run.values or ())},
        _same,
    )

    if not table.wrong:
        return None

    def gives(forward: Callable[..., Any], run: int) -> dict[int, np.ndarray] | None:
        return given_by(forward, ran[run].arguments)

    names = evidence.form.arguments
    return explanation(table, candidates_of(evidence.spec.forward, evidence.spec.mistakes, gives, names=names))


def given_by(function: Callable[..., Any], arguments: Sequence[Any]) -> dict[int, np.ndarray] | None:
    """What a known mistake gives, by number; without parts that it leaves right. None if it raises."""
    try:
        with np.errstate(all="ignore"):  # a mistake may overflow
            result = function(*copies(arguments))
        several = result if isinstance(result, tuple) else (result,)
        return {number: np.asarray(each) for number, each in enumerate(several) if each is not None}
    except Exception:  # noqa: BLE001  # a change may make anything of the reference
        return None


def _same(one: Any, other: Any) -> bool:
    return (
        isinstance(one, np.ndarray)
        and one.shape == other.shape
        and one.dtype.kind in "fiu"
        and not (wrong_values(one, other) & ~(np.isnan(one) & np.isnan(other))).any()
    )


@diagnosis("forward_shape", "forward")
def _forward_shape(evidence: FunctionEvidence) -> str | None:
    for case in evidence.cases:
        got = [value.shape for value in case.run.values or ()]
        want = [value.shape for value in case.expected]
        if case.run.values is not None and got != want:
            asked = f"the result has shape {_join(got)}, it must have {_join(want)}"
            return f"{asked}, for {inputs_in_words(evidence, case)}"
    return None


@diagnosis("overflow", "forward")
def forward_overflow(evidence: FunctionEvidence) -> str | None:
    return overflow_in_words(
        "forward gives", [(case, each) for case in wrong_forward(evidence) for each in case.run.values or ()]
    )


@diagnosis("nan", "forward")
def _forward_nan(evidence: FunctionEvidence) -> str | None:
    for case in wrong_forward(evidence):
        for number, value in enumerate(case.run.values or ()):
            if not np.isfinite(value).all():
                bad = "NaN" if np.isnan(value).any() else "an infinite value"
                where = not_finite_where(evidence, case, value, f" of {_result(evidence, number)}")
                return f"forward gives {bad} {where}"
    return None


@diagnosis("numbers", "forward")
def _forward_related(evidence: FunctionEvidence) -> Finding | None:
    cases = _right_shape(evidence)
    pairs = [list(zip(case.run.values or (), case.expected, strict=True)) for case in cases]
    wrong = {n for several in pairs for n, (got, want) in enumerate(several) if wrong_values(got, want).any()}
    if len(wrong) != 1 or (max(relative_difference(*several[n]) for several in pairs for n in wrong) < 1e-3):
        return None
    (number,) = wrong
    counts = [counted(evidence.form.arguments, case.arguments) for case in cases]
    found = related([Numbers(*several[number], count) for several, count in zip(pairs, counts, strict=True)])
    return found and Finding(found[0], f"{_result(evidence, number)} is {found[1]}{_forward_example(evidence)}")


@diagnosis("float32", "forward")
def _forward_float32(evidence: FunctionEvidence) -> str | None:
    """The numbers are nearly right and float32 holds them exactly, so they were rounded to float32."""
    pairs = [(flat(case.run.values or ()), flat(case.expected)) for case in wrong_forward(evidence)]
    off = max((relative_difference(got, want) for got, want in pairs), default=np.inf)
    if off > 1e-4 or not all(np.array_equal(got, got.astype(np.float32)) for got, _ in pairs):
        return None
    digits = int(-np.log10(off))
    return f"some values are right to only {digits} digits: a float32 in the computation loses the others"


@diagnosis("dtype", "forward")
def _dtype(evidence: FunctionEvidence) -> str | None:
    runs = [(case.run, case.expected) for case in evidence.cases]
    if evidence.single is not None:
        runs.append((evidence.single, evidence.single_expected))
    for run, expected in runs:
        given = {each.dtype for each in run.arguments if is_float(each)}
        for number, (got, want) in enumerate(zip(run.values or (), expected, strict=False)):
            if got.dtype != want.dtype:
                keeps = given == {want.dtype}
                asked = (
                    f"although the argument is {want.dtype}: keep the dtype of the argument"
                    if keeps
                    else f"but must be {want.dtype}"
                )
                return f"{_result(evidence, number)} is {got.dtype} {asked}"
    return None


@diagnosis("forward_place", "forward")
def _forward_place(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_forward(evidence) if evidence.form.results == 1 else []
    place = place_in_words(evidence, [(each, wrong_values(each.run.values[0], each.expected[0])) for each in wrong])  # type: ignore[index]  # they have values
    return place and f"forward is wrong only {place}{_forward_example(evidence)}"


def place_in_words(evidence: FunctionEvidence, wrong: list[tuple[Case, np.ndarray]]) -> str | None:
    """The place that the specification names, if all wrong entries lie there."""
    for place in evidence.spec.places if wrong else ():
        masks = [place.mask(*case.arguments) for case, _ in wrong]
        if all(
            bad.shape == mask.shape and bool((bad <= mask).all()) for (_, bad), mask in zip(wrong, masks, strict=True)
        ):
            return place.words
    return None


@diagnosis("wrong_forward", "forward")
def _wrong_forward_entries(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_forward(evidence)
    if not wrong:
        return None
    case, number, value, right = most_telling(
        [
            (case, number, got, want)
            for case in wrong
            for number, (got, want) in enumerate(zip(case.run.values or (), case.expected, strict=True))
            if wrong_values(got, want).any()
        ]
    )
    bad = wrong_values(value, right)
    result = _result(evidence, number)
    only = "" if bad.all() else f" in {entries(bad)} of {result}"
    if only and len(evidence.cases) > 1:  # which entries they are may differ from input to input
        for_which = f", for {inputs_in_words(evidence, case)}"
    else:
        for_which = only_for(evidence, [each.run for each in wrong], [each.run for each in _right_shape(evidence)])
        if not for_which and len(evidence.cases) > 1 and case is not wrong[0]:
            for_which = f", for {inputs_in_words(evidence, case)}"
    verdicts = [verdict for each in evidence.cases for verdict in case_gradients(each).values()]
    near = _how_near(wrong)
    right_too = f"the gradient is right{', as far as it is compared' if near else ''}, but forward"
    but = right_too if case.rows and verdicts and all(verdicts) else "forward"
    at = largest_difference(value, right)
    where = f"result{index_in_words(at)}" if len(case.expected) == 1 else f"{result} at {index_in_words(at) or '()'}"
    is_, must = apart(float(value[at]), float(right[at]))
    return f"{but} is wrong{only}: {where} is {is_}, it must be {must}{for_which}{near}"


def _how_near(wrong: list[Case]) -> str:
    """The relative difference in words, if the numbers look alike; else "". It shows that this is not rounding."""
    off = max(relative_difference(flat(case.run.values or ()), flat(case.expected)) for case in wrong)
    return f"; the largest relative difference is {off:.1g}, where rounding makes about 1e-16" if off < 1e-3 else ""


def _forward_example(evidence: FunctionEvidence) -> str:
    case = most_telling([(c, 0, flat(c.run.values or ()), flat(c.expected)) for c in wrong_forward(evidence)])[0]
    for number, (got, want) in enumerate(zip(case.run.values or (), case.expected, strict=True)):
        if wrong_values(got, want).any():
            at = largest_difference(got, want)
            is_, must = apart(float(got[at]), float(want[at]))
            of = "result" if evidence.form.results == 1 else f"result {number + 1} at "
            return f" ({of}{index_in_words(at)}: yours is {is_}, it must be {must})"
    return ""


# Helpers: reading evidence


def _right_shape(evidence: FunctionEvidence) -> list[Case]:
    """The cases whose forward has the right number of results in the right shapes."""
    return [
        case
        for case in evidence.cases
        if case.run.values is not None and [v.shape for v in case.run.values] == [v.shape for v in case.expected]
    ]


def wrong_forward(evidence: FunctionEvidence) -> list[Case]:
    """The cases with the right shapes but wrong numbers."""
    return [
        case
        for case in _right_shape(evidence)
        if any(wrong_values(g, w).any() for g, w in zip(case.run.values or (), case.expected, strict=True))
    ]


def _result(evidence: FunctionEvidence, number: int) -> str:
    return "the result" if evidence.form.results == 1 else f"result {number + 1}"


def inputs_in_words(evidence: FunctionEvidence, of: Case | Run) -> str:
    return _arguments_in_words(evidence, of.arguments)


def _arguments_in_words(evidence: FunctionEvidence, arguments: tuple[Any, ...]) -> str:
    names = evidence.form.arguments
    return ", ".join(
        f"{name} of shape {value.shape}" if isinstance(value, np.ndarray) else f"{name} = {value}"
        for name, value in zip(names, arguments, strict=True)
    )


def only_for(evidence: FunctionEvidence, bad: list[Run], judged: list[Run]) -> str:
    """The inputs that a sentence is about, in words; "" if it is about all that were judged."""
    others = [run for run in judged if not any(run is each for each in bad)]
    if not others or not bad:
        return ""
    if set(_shapes(bad)) & set(_shapes(others)) or any(map(_numbers_beside, judged)):
        return f", for {inputs_in_words(evidence, bad[0])}"
    return f", for {of_shape(evidence)} {shapes_of(bad)}"


def of_shape(evidence: FunctionEvidence) -> str:
    """The words before the shape of the first argument, which name it if there are other tensors."""
    tensors = sum(isinstance(each, np.ndarray) for each in evidence.cases[0].arguments)
    return f"{evidence.form.arguments[0]} of shape" if tensors > 1 else "shape"


def _numbers_beside(run: Run) -> bool:
    """Whether an argument is a plain number: then inputs differ in more than shape."""
    return any(not isinstance(each, np.ndarray) and each is not None for each in run.arguments)


Telling = TypeVar("Telling", bound=tuple[Any, ...])


def most_telling(wrong: list[Telling]) -> Telling:
    """The first (..., got, want) whose numbers look different, which is that of the smallest such input.

    If all look alike, the one with the largest difference.
    """
    clear = (each for each in wrong if relative_difference(each[-2], each[-1]) > 1e-3)
    return next(clear, max(wrong, key=lambda each: relative_difference(each[-2], each[-1])))


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


LARGEST_EXPONENT = 700.0
"""exp of a number much larger than this overflows, and exp of its negative is 0."""


def overflow_in_words(gives: str, found: list[tuple[Case, np.ndarray]]) -> str | None:
    """A message if all numbers that are not finite belong to entries too large for exp, else None."""
    beyond = [(value, values_behind(case, value)) for case, value in found if not np.isfinite(value).all()]
    if not beyond or any(float(np.max(np.abs(behind), initial=0.0)) < LARGEST_EXPONENT for _, behind in beyond):
        return None
    value, behind = beyond[0]
    bad = "NaN" if np.isnan(value).any() else "an infinite value"
    low, high = float(behind.min()), float(behind.max())
    far = (
        f"are as large as {high:.4g}"
        if low >= 0
        else f"are as low as {low:.4g}"
        if high <= 0
        else f"go from {low:.4g} to {high:.4g}"
    )
    return (
        f"{gives} {bad} where entries {far}: an intermediate number is too large or too small for a float "
        "(exp(1000) is infinite, exp(-1000) is 0), although the right result is not"
    )


def values_behind(case: Case, value: np.ndarray) -> np.ndarray:
    """The entries of the first argument behind the numbers of `value` that are not finite: entries, rows, or all."""
    x, bad = np.asarray(case.arguments[0]), ~np.isfinite(value)
    if value.shape == x.shape:
        itself = x[bad]
        return itself if np.abs(itself).min() > LARGEST_EXPONENT else x[bad.any(axis=-1)] if x.ndim else itself
    return x[bad] if value.shape == x.shape[:-1] else x


def not_finite_where(evidence: FunctionEvidence, case: Case, value: np.ndarray, of: str) -> str:
    """The entries that are not finite, in words, with the input and the first argument there."""
    bad, x = ~np.isfinite(value), np.asarray(case.arguments[0])
    where = f"for {inputs_in_words(evidence, case)}"
    if bad.all():
        return where
    name = evidence.form.arguments[0]
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    first = "at the first of them " if np.count_nonzero(bad) > 1 else ""
    there = f" ({first}{name} is {float(x[at]):.4g})" if x.shape == value.shape and x.dtype.kind == "f" else ""
    return f"in {entries(bad)}{of}{there}, {where}"


def shapes_of(runs: list[Run]) -> str:
    return ", ".join(_shapes(runs))


def _shapes(runs: list[Run]) -> list[str]:
    return list(dict.fromkeys(str(np.shape(run.arguments[0])) for run in runs))


def _join(shapes: list[tuple[int, ...]]) -> str:
    return " and ".join(map(str, shapes))
