"""What is wrong, in a sentence: one small function a diagnosis, in an ordered table; the first that recognises the numbers speaks.

NumPy only, reads records alone. A message names the entry, argument or line and shows numbers; it never gives the answer away.
To add one: write a function `(Evidence) -> str | None` under `@diagnosis(name, checks that it explains)` at its place in the order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .guard import Crash
from .jacobian import as_values, flat, is_float, numerical_jacobian, same_slopes, wrong_slopes, wrong_values
from .judge import (
    asked_wrong,
    case_gradients,
    computed_unasked,
    expected_gradient,
    gradient_right,
    partial_right,
    returns_right,
    same_run,
    second_right,
    usable,
    without_extra_none,
    wrong_seconds,
)
from .observe import Case, Evidence, Odd, Run, differentiable

Recognise = Callable[[Any], str | None]


@dataclass(frozen=True)
class Finding:
    """A diagnosis that applies: its stable name and its sentence."""

    name: str
    message: str


@dataclass(frozen=True)
class Diagnosis:
    """A row of the table: which failed checks it may explain, and how it is recognised."""

    name: str
    explains: tuple[str, ...]
    recognise: Recognise


TABLE: list[Diagnosis] = []


def diagnosis(name: str, *explains: str) -> Callable[[Recognise], Recognise]:
    """Append the decorated function to the table."""

    def append(recognise: Recognise) -> Recognise:
        TABLE.append(Diagnosis(name, explains, recognise))
        return recognise

    return append


def diagnose(evidence: Evidence, failed: list[str]) -> list[Finding]:
    """The findings on the failed checks, at most one a check, the most telling first."""
    return first_findings(TABLE, evidence, failed)


def first_findings(table: list[Diagnosis], evidence: Any, failed: list[str]) -> list[Finding]:
    """`diagnose` by any table of diagnoses."""
    findings: list[Finding] = []
    open_checks = set(failed)
    for row in table:
        if open_checks.intersection(row.explains):
            message = row.recognise(evidence)
            if message:
                open_checks.difference_update(row.explains)
                finding = Finding(row.name, message)
                findings += [finding] if finding not in findings else []
    return findings


def not_attempted(evidence: Evidence) -> bool:
    """Whether the answer is still the stub: forward stops at its NotImplementedError."""
    return evidence.structure == "no_forward" or any(
        run.crash is not None and run.crash.phase == "forward" and run.crash.kind == "NotImplementedError"
        for run in evidence.runs
    )


# What was handed over, and whether it runs


@diagnosis("instance", "structure")
def _instance(evidence: Evidence) -> str | None:
    entry = evidence.exercise.entry
    return (
        f"this is an instance; a Function is never instantiated: hand over the class {entry} itself, and call {entry}.apply(...)"
        if evidence.structure == "instance"
        else None
    )


@diagnosis("forward_called", "structure")
def _forward_called(evidence: Evidence) -> str | None:
    entry = evidence.exercise.entry
    return (
        f"a method of the class is no graph node: hand over the class {entry}, which is called through {entry}.apply(...)"
        if evidence.structure == "forward_called"
        else None
    )


@diagnosis("no_function", "structure")
def _no_function(evidence: Evidence) -> str | None:
    entry = evidence.exercise.entry
    return (
        f"this is no autograd Function: write `class {entry}(Function)` and hand over {entry}"
        if evidence.structure == "no_function"
        else None
    )


@diagnosis("no_backward", "structure")
def _no_backward(evidence: Evidence) -> str | None:
    return "there is no method `backward`" if evidence.structure == "no_backward" else None


@diagnosis("not_static", "structure")
def _not_static(evidence: Evidence) -> str | None:
    return (
        "forward and backward must be static: put @staticmethod in the line before each `def`"
        if evidence.structure == "not_static"
        else None
    )


@diagnosis("timeout", "runs")
def _timeout(evidence: Evidence) -> str | None:
    stop = evidence.timeout
    if stop is None:
        return None
    where = "" if stop.line is None else f", at line {stop.line}: `{stop.source}`"
    single = " with a float32 argument" if evidence.interleaved is not None and evidence.single is None else ""
    return f"stopped after {evidence.exercise.seconds:g} s in {stop.phase}{single}{where}; is there an endless loop?"


@diagnosis("ends_program", "runs")
def _ends_program(evidence: Evidence) -> str | None:
    crashes = (run.crash for run in evidence.every_run)
    return next((str(crash) for crash in crashes if crash and crash.ends_program), None)


@diagnosis("backward_not_attempted", "runs")
def _backward_not_attempted(evidence: Evidence) -> str | None:
    crash = next((run.crash for run in evidence.runs if run.crash), None)
    if crash and crash.phase == "backward" and crash.kind == "NotImplementedError":
        return "forward is written, backward is not attempted yet"
    return None


@diagnosis("optional_argument", "runs")
def _raises_without_an_argument(evidence: Evidence) -> str | None:
    for number, name in enumerate(evidence.exercise.grading.arguments):
        crashed = [run.crash for run in evidence.runs if run.crash]
        given = [run for run in evidence.runs if run.arguments[number] is not None]
        if crashed and given and not any(run.crash for run in given):
            return f"works where {name} is given, not where {name} is None: {explained(crashed[0])}"
    return None


@diagnosis("one_shape", "runs")
def _raises_for_some_shapes(evidence: Evidence) -> str | None:
    crashed = [run for run in evidence.runs if run.crash]
    fine = [run for run in evidence.runs if not run.crash]
    crash = next((run.crash for run in crashed if run.crash), None)
    if crash is None or not fine:
        return None
    return f"works for shape {_shapes(fine)} but not for {_shapes(crashed)}: {explained(crash)}"


@diagnosis("signature", "runs")
def _signature(evidence: Evidence) -> str | None:
    crash = next((run.crash for run in evidence.runs if run.crash), None)
    if crash is None or crash.line is not None or "positional argument" not in crash.message:
        return None
    names = ", ".join(("ctx", *evidence.exercise.grading.arguments))
    called = names if crash.phase == "forward" else "ctx and one grad_output for each result"
    return f"{crash.phase} is called with {called}, yours takes something else: {crash.message}"


@diagnosis("raised", "runs")
def _raised(evidence: Evidence) -> str | None:
    for run in evidence.every_run:
        if crash := run.crash or run.refused:
            legacy = "Legacy autograd function" in crash.message
            return str(crash) + "; a Function is called through its `apply`" if legacy else explained(crash)
    names = evidence.exercise.grading.arguments
    for number, run in evidence.needed.items():
        if run.crash:
            return f"where only {names[number]} requires grad, {explained(run.crash)}"
    return None


# Side effects: before the numbers, which they spoil


@diagnosis("argument_changed", "unchanged")
def _argument_changed(evidence: Evidence) -> str | None:
    for run in evidence.runs:
        for change in run.changed:
            number, _, where = change.partition(" ")
            if number.isdigit():
                name = evidence.exercise.grading.arguments[int(number)]
                how = (
                    f": the result shares the memory of {name}, work on a copy"
                    if run.shares_memory and not evidence.grading.in_place
                    else f": work on a copy of {name}"
                )
                return f"the argument {name} is changed {where}{how}"
    return None


@diagnosis("grad_output_changed", "unchanged")
def _grad_output_changed(evidence: Evidence) -> str | None:
    changed = any("grad_output" in change for run in evidence.runs for change in run.changed)
    return (
        "backward changes grad_output in place; other branches of the graph may still need it: work on a copy"
        if changed
        else None
    )


# The result of forward


@diagnosis("no_result", "forward")
def _no_result(evidence: Evidence) -> str | None:
    odd = next((run.odd_result for run in evidence.runs if run.odd_result), None)
    if odd is None:
        return None
    if odd.type == "NoneType":
        return "forward returns nothing: is there a `return`?"
    return f"forward returns {a_or_an(odd.type)}; it must return a tensor"


@diagnosis("no_graph", "forward")
def _no_graph(evidence: Evidence) -> str | None:
    cut = any(run.values is not None and not run.own_node for run in evidence.runs)
    results = differentiable(evidence.grading, [_result(evidence, n) for n in range(evidence.grading.results)])
    return (
        f"{' and '.join(results)} does not require grad, so that no gradient can flow back: is its dtype a float, and is it marked non-differentiable?"
        if cut
        else None
    )


@diagnosis("number_of_results", "forward")
def _number_of_results(evidence: Evidence) -> str | None:
    for case in evidence.cases:
        got, want = len(case.run.values or ()), len(case.expected)
        if case.run.values is not None and got != want:
            results = "1 result" if got == 1 else f"{got} results"
            return f"forward gives {results}; this exercise asks for {want}"
    return None


@diagnosis("forward_shape", "forward")
def _forward_shape(evidence: Evidence) -> str | None:
    for case in evidence.cases:
        got = [value.shape for value in case.run.values or ()]
        want = [value.shape for value in case.expected]
        if case.run.values is not None and got != want:
            return f"the result has shape {_join(got)} where {_join(want)} is asked for"
    return None


@diagnosis("overflow", "forward")
def _forward_overflow(evidence: Evidence) -> str | None:
    for case in _wrong_forward(evidence):
        value = flat(case.run.values or ())
        if not np.isfinite(value).all() and _largest(case) > LARGEST_EXPONENT:
            bad = "NaN" if np.isnan(value).any() else "an infinite value"
            return f"forward gives {bad} {_beyond_floats(case)}"
    return None


@diagnosis("nan", "forward")
def _forward_nan(evidence: Evidence) -> str | None:
    for case in _wrong_forward(evidence):
        value = flat(case.run.values or ())
        if not np.isfinite(value).all():
            bad = "NaN" if np.isnan(value).any() else "an infinite value"
            return f"forward gives {bad} at {_inputs(evidence, case)}"
    return None


@diagnosis("argument_returned", "forward")
def _argument_returned(evidence: Evidence) -> str | None:
    wrong = _wrong_forward(evidence)
    returned = wrong and all(
        len(case.run.values or ()) == 1 and np.array_equal(case.run.values[0], case.arguments[0])  # type: ignore[index]  # wrong ones have values
        for case in wrong
    )
    name = evidence.exercise.grading.arguments[0]
    return f"the result is {name} unchanged" if returned and not _changed(wrong) else None


@diagnosis("known", "forward")
def _known_forward(evidence: Evidence) -> str | None:
    wrong = _wrong_forward(evidence)
    for mistake in evidence.exercise.mistakes:
        if (
            mistake.forward is not None
            and wrong
            and all(_same_values(case.run.values or (), as_values(mistake.forward(*case.arguments))) for case in wrong)
        ):
            return mistake.message
    return None


def _same_values(got: tuple[np.ndarray, ...], predicted: tuple[np.ndarray, ...]) -> bool:
    return len(got) == len(predicted) and all(
        one.shape == other.shape and not wrong_values(one, other).any()
        for one, other in zip(got, predicted, strict=True)
    )


@diagnosis("forward_factor", "forward")
def _forward_factor(evidence: Evidence) -> str | None:
    pairs = [(flat(case.run.values or ()), flat(case.expected)) for case in _wrong_forward(evidence)]
    factor = common_factor(pairs)
    return f"forward is right but for a factor: {times(factor)}" if factor is not None else None


@diagnosis("dtype", "forward")
def _dtype(evidence: Evidence) -> str | None:
    runs = [(case.run, case.expected) for case in evidence.cases]
    if evidence.single is not None:
        runs.append((evidence.single, evidence.single_expected))
    for run, expected in runs:
        for number, (got, want) in enumerate(zip(run.values or (), expected, strict=False)):
            if got.dtype != want.dtype:
                return f"{_result(evidence, number)} is {got.dtype} where the argument is {want.dtype}: keep the dtype of what came in"
    return None


@diagnosis("float32", "forward")
def _forward_float32(evidence: Evidence) -> str | None:
    wrong = _wrong_forward(evidence)
    close = wrong and all(
        np.allclose(flat(case.run.values or ()), flat(case.expected), rtol=1e-6, atol=1e-6) for case in wrong
    )
    return "the values are right to 7 digits only: a float32 on the way loses the others" if close else None


@diagnosis("wrong_forward", "forward")
def _wrong_forward_entries(evidence: Evidence) -> str | None:
    wrong = _wrong_forward(evidence)
    if not wrong:
        return None
    case = wrong[0]
    got, want = case.run.values or (), case.expected
    for number, (value, right) in enumerate(zip(got, want, strict=True)):
        bad = wrong_values(value, right)
        if bad.any():
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            result = _result(evidence, number)
            only = "" if bad.all() else f" only in {entries(bad)} of {result}"
            gradient = all(v is not False for each in evidence.cases for v in case_gradients(each).values())
            but = "the gradient is right, but forward" if gradient and case.rows else "forward"
            where = f"result{index_in_words(at)}" if len(want) == 1 else f"{result} at {index_in_words(at) or '()'}"
            is_, must = apart(float(value[at]), float(right[at]))
            return f"{but} is wrong{only}: {where} is {is_}, it must be {must}"
    return None


# What backward returns


@diagnosis("nothing_returned", "returns")
def _nothing_returned(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    arguments = evidence.exercise.grading.arguments
    if run is None or any(entry is not None for entry in run.returned or ()):
        return None
    if len(arguments) > 1 and len(run.returned or ()) > 1:
        return None
    return f"backward returns None: is there a `return`? It owes a gradient for {arguments[0]}"


@diagnosis("too_few", "returns")
def _too_few(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    names = evidence.exercise.grading.arguments
    count = len(run.returned or ()) if run else len(names)
    if count >= len(names):
        return None
    return (
        f"backward returns {_values(count)}, forward takes {len(names)} arguments ({', '.join(names)}): "
        "one for each, in that order, and None where there is no gradient"
    )


@diagnosis("one_per_result", "returns", "gradient")
def _one_per_result(evidence: Evidence) -> str | None:
    run, names, results = _first_returned(evidence), evidence.exercise.grading.arguments, evidence.grading.results
    count = len(without_extra_none(run)) if run else 0
    if count != results or results <= len(names):
        return None
    return (
        f"backward returns {_values(count)}, as many as forward has results; it must return one for each argument of forward "
        f"({', '.join(names)}), to which all the results contribute"
    )


@diagnosis("too_many", "returns")
def _too_many(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    names = evidence.exercise.grading.arguments
    count = len(without_extra_none(run)) if run else 0
    if run is None or count <= len(names):
        return None
    takes = "1 argument" if len(names) == 1 else f"{len(names)} arguments"
    return f"backward returns {_values(count)}, forward takes {takes} ({', '.join(names)}): one for each, none for ctx"


@diagnosis("swapped_return", "returns")
def _swapped_return(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    returned, names = (run.returned or (), evidence.exercise.grading.arguments) if run else ((), ())
    for index, entry in enumerate(returned):
        if entry is None and _has_gradient(run, index):
            for other, value in enumerate(returned):
                if value is not None and not _has_gradient(run, other):
                    return f"the gradient for {names[index]} stands at the place of {names[other]}: the order is that of forward's arguments"
    return None


@diagnosis("none_for_tensor", "returns")
def _none_for_tensor(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    for index, entry in enumerate((run.returned or ()) if run else ()):
        if entry is None and _has_gradient(run, index):
            return f"backward returns None for {evidence.exercise.grading.arguments[index]}, which is a tensor and has a gradient"
    return None


@diagnosis("tensor_for_constant", "returns")
def _tensor_for_constant(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    for index, entry in enumerate((run.returned or ()) if run else ()):
        if run is not None and entry is not None and not _has_gradient(run, index):
            name = evidence.exercise.grading.arguments[index]
            what = "a tensor" if isinstance(entry, np.ndarray) else a_or_an(entry.type)
            given = run.arguments[index]
            whole = ", which holds whole numbers and has no gradient"
            why = whole if isinstance(given, np.ndarray) else ", which is no tensor"
            none = f" where {name} is None" if given is None else f" for {name}{why}"
            return f"backward returns {what}{none}: what it owes there is None"
    return None


@diagnosis("not_a_tensor", "returns")
def _not_a_tensor(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    for index, entry in enumerate((run.returned or ()) if run else ()):
        if isinstance(entry, Odd):
            name = evidence.exercise.grading.arguments[index]
            return f"the gradient for {name} is {a_or_an(entry.type)}; it must be a tensor"
    return None


@diagnosis("not_summed", "returns")
def _not_summed(evidence: Evidence) -> str | None:
    if _swapped_shapes(evidence):
        return None
    for case in evidence.cases:
        for index, entry in enumerate(case.run.returned or ()):
            shape = np.shape(case.arguments[index]) if index < len(case.arguments) else ()
            result = case.expected[0].shape
            if isinstance(entry, np.ndarray) and entry.shape == result != shape and broadcasts(shape, result):
                name = evidence.exercise.grading.arguments[index]
                return (
                    f"the gradient for {name} has the shape of the result, {entry.shape}; {name} has shape {shape} and was "
                    "broadcast: each of its entries was used several times, so that several gradients belong together"
                )
    return None


@diagnosis("transposed", "returns", "gradient")
def _transposed_shape(evidence: Evidence) -> str | None:
    for run in evidence.runs:
        for index, entry in enumerate(run.returned or ()):
            shape = np.shape(run.arguments[index]) if index < len(run.arguments) else ()
            if isinstance(entry, np.ndarray) and len(shape) == 2 and entry.shape == shape[::-1] != shape:
                name = evidence.exercise.grading.arguments[index]
                return f"the gradient for {name} is transposed: it has shape {entry.shape}, {name} itself {shape}"
    return None


@diagnosis("swapped_gradients", "returns", "gradient")
def _swapped_shapes(evidence: Evidence) -> str | None:
    names = evidence.exercise.grading.arguments
    for one in range(len(names)):
        for other in range(one + 1, len(names)):
            swapped = []
            for run in evidence.runs:
                owed = np.shape(run.arguments[one]), np.shape(run.arguments[other])
                got = [entry.shape for entry in run.returned or () if isinstance(entry, np.ndarray)]
                if owed[0] != owed[1] and len(got) > other:
                    swapped.append((got[other], got[one]) == owed)
            if swapped and all(swapped):
                return f"the gradients for {names[one]} and {names[other]} have changed places: the order is that of forward's arguments"
    return None


@diagnosis("wrong_shape", "returns")
def _wrong_shape(evidence: Evidence) -> str | None:
    for run in evidence.runs:
        for index, entry in enumerate(run.returned or ()):
            argument = run.arguments[index]
            if isinstance(entry, np.ndarray) and entry.shape != np.shape(argument):
                name = evidence.exercise.grading.arguments[index]
                return f"the gradient for {name} has shape {entry.shape}, {name} itself {np.shape(argument)}: they must be equal"
    return None


# The numbers of the gradient


@diagnosis("overflow", "gradient")
def _gradient_overflow(evidence: Evidence) -> str | None:
    for case, index, got, _ in _wrong_gradients(evidence):
        if not np.isfinite(got).all() and _largest(case) > LARGEST_EXPONENT:
            bad = "NaN" if np.isnan(got).any() else "an infinite value"
            # Where forward has the same trouble, it is said once.
            return _forward_overflow(evidence) or f"the gradient{_of(evidence, index)} has {bad} {_beyond_floats(case)}"
    return None


@diagnosis("nan", "gradient")
def _gradient_nan(evidence: Evidence) -> str | None:
    for case, index, got, _ in _wrong_gradients(evidence):
        if not np.isfinite(got).all():
            bad = "NaN" if np.isnan(got).any() else "an infinite value"
            return f"the gradient{_of(evidence, index)} has {bad} at {_inputs(evidence, case)}"
    return None


@diagnosis("argument_changed", "gradient")
def _gradient_of_changed(evidence: Evidence) -> str | None:
    # A changed argument was named already; the gradient is wrong with it, not by itself.
    return _argument_changed(evidence) if not _right_otherwise(evidence) else None


@diagnosis("backward_of_wrong_forward", "gradient")
def _own_derivative(evidence: Evidence) -> str | None:
    if not evidence.own_numerical:
        return None
    case = evidence.cases[0]
    fits = all(
        (analytical := case.analytical(index)) is not None and same_slopes(analytical, numerical)
        for index, numerical in evidence.own_numerical.items()
    )
    return (
        "backward is the derivative of what forward computes, but forward is wrong: mend forward first"
        if fits
        else None
    )


@diagnosis("true_derivative", "gradient")
def _true_derivative(evidence: Evidence) -> str | None:
    """Of an exercise that declares its gradient."""
    grading, wrong = evidence.grading, _wrong_gradients(evidence)
    if grading.vjp is None or not wrong:
        return None
    for case, index, got, _ in wrong:
        slopes = numerical_jacobian(
            lambda *a: differentiable(grading, as_values(grading.forward(*a))), case.arguments, index
        )
        if not same_slopes(got, (flat(case.run.cotangent) @ slopes).reshape(got.shape)):
            return None
    _, index, got, want = wrong[0]
    zero = "" if got.any() else ", which is zero"
    return (
        f"the gradient{_of(evidence, index)} is the true derivative of the result{zero}; this exercise declares another one"
        f"{_example(evidence, index, got, want)}"
    )


@diagnosis("zero", "gradient")
def _zero(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    index = wrong[0][1] if wrong else 0
    zero = wrong and all(not got.any() for _, _, got, _ in _all_gradients(evidence, index))
    return f"the gradient{_of(evidence, index)} is zero everywhere" if zero else None


@diagnosis("sign", "gradient")
def _sign(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    flipped = wrong and all(same_slopes(-got, want) for _, _, got, want in wrong)
    if not flipped:
        return None
    _case, index, got, want = wrong[0]
    return f"the sign is flipped: the gradient{_of(evidence, index)} is minus what it must be{_example(evidence, index, got, want)}"


@diagnosis("swapped_gradients", "gradient")
def _swapped_gradients(evidence: Evidence) -> str | None:
    for one in evidence.cases[0].numerical:
        for other in evidence.cases[0].numerical:
            if one < other and _are_swapped(evidence, one, other):
                names = evidence.exercise.grading.arguments
                return f"the gradients for {names[one]} and {names[other]} have changed places"
    return None


def _are_swapped(evidence: Evidence, one: int, other: int) -> bool:
    pairs = []
    for case in evidence.cases:
        got = usable(case.run, one), usable(case.run, other)
        if got[0] is None or got[1] is None or got[0].shape != got[1].shape:
            continue
        want = expected_gradient(case, case.run, one), expected_gradient(case, case.run, other)
        if not same_slopes(want[0], want[1]):
            pairs.append(same_slopes(got[0], want[1]) and same_slopes(got[1], want[0]))
    return bool(pairs) and all(pairs)


@diagnosis("transposed", "gradient")
def _transposed_gradient(evidence: Evidence) -> str | None:
    square = [each for each in _wrong_gradients(evidence) if each[2].ndim == 2 and each[2].shape == each[2].T.shape]
    if not square or not all(same_slopes(got.T, want) for _, _, got, want in square):
        return None
    name = evidence.exercise.grading.arguments[square[0][1]]
    return f"the gradient for {name} is transposed: rows and columns have changed places"


@diagnosis("grad_output_forgotten", "gradient")
def _grad_output_forgotten(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    if not wrong or not _never_changes(evidence, wrong[0][1]):
        return None
    nowhere = all(_never_changes(evidence, index) for index in evidence.cases[0].numerical)
    of = "" if nowhere else _of(evidence, wrong[0][1])
    unused = f"grad_output is not used{of}: backward gives the same gradient whatever grad_output it gets"
    one_number = all(flat(case.expected).size == 1 for case in evidence.cases)
    return unused + ("; it is 1 only where the backward pass starts at this very result" if one_number else "")


def _never_changes(evidence: Evidence, index: int) -> bool:
    """Whether the gradient of an argument is the same for every grad_output, of which at least one input saw two."""
    seen_two = False
    for case in evidence.cases:
        given = [got for run in (case.run, *case.rows) if (got := usable(run, index)) is not None]
        if any(not np.array_equal(given[0], other) for other in given[1:]):
            return False
        seen_two |= len(given) > 1
    return seen_two


@diagnosis("known", "gradient")
def _known_gradient(evidence: Evidence) -> str | None:
    for mistake in evidence.exercise.mistakes:
        if mistake.vjp is not None and _fits_everywhere(evidence, mistake.vjp):
            return mistake.message
    return None


@diagnosis("factor", "gradient")
def _factor(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    factor = common_factor([(got.reshape(-1), want.reshape(-1)) for _, _, got, want in wrong])
    if factor is None or any(verdict for case in evidence.cases for verdict in _nonzero(case)):
        return None
    _case, index, got, want = wrong[0]
    return f"the gradient{_of(evidence, index)} is right but for a factor: {times(factor)}{_example(evidence, index, got, want)}"


@diagnosis("factor_of_input", "gradient")
def _factor_of_input(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    factors: list[tuple[Case, float]] = []
    for case, index, got, want in wrong:
        factor = common_factor([(got.reshape(-1), want.reshape(-1))])
        if factor is None:
            return None
        factors.append((case, factor))
    for text, value in _named_factors(evidence):
        if factors and all(np.isclose(factor, value(case), rtol=1e-4) for case, factor in factors):
            return f"the gradient{_of(evidence, wrong[0][1])} is right but for a factor: it is {text}"
    return None


@diagnosis("not_linear", "gradient")
def _not_linear(evidence: Evidence) -> str | None:
    rows_right = [
        gradient_right(case, row, index) for case in evidence.cases for row in case.rows for index in case.numerical
    ]
    wrong = [each for each in _wrong_gradients(evidence)]
    if not rows_right or not all(rows_right) or not wrong:
        return None
    _, index, got, want = wrong[0]
    if all(same_slopes(np.abs(got), np.abs(want)) for _, _, got, want in wrong):
        return f"the sign of grad_output is lost{_example(evidence, index, got, want)}"
    return (
        "the gradient is right where grad_output is 1 and wrong for other numbers: it must be proportional to grad_output"
        f"{_example(evidence, index, got, want)}"
    )


@diagnosis("mixed_up", "gradient")
def _mixed_up(evidence: Evidence) -> str | None:
    jacobians = [case.analytical(index) for case in evidence.cases for index in case.numerical if len(case.rows) > 1]
    mixed = jacobians and all(
        jacobian is not None and jacobian.any() and np.allclose(jacobian, jacobian[:1]) for jacobian in jacobians
    )
    return (
        "grad_output is mixed up: each entry of the gradient gets the same sum of grad_output, whichever entry of the result it became"
        if mixed
        else None
    )


@diagnosis("one_shape", "gradient")
def _wrong_for_some_shapes(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    bad = [case.run for case, *_ in wrong]
    fine = [run for run in evidence.runs if not any(run is other for other in bad)]
    dimensions = {_dimensions(run) for run in bad}
    if not bad or not fine or dimensions & {_dimensions(run) for run in fine}:
        return None
    return f"the gradient is right for shape {_shapes(fine)} and wrong for {_shapes(bad)}"


@diagnosis("place", "gradient")
def _place(evidence: Evidence) -> str | None:
    wrong = [each for each in _wrong_gradients(evidence) if each[1] == 0]
    for place in evidence.grading.places if wrong else ():
        masks = [place.mask(*case.arguments) for case, *_ in wrong]
        bad = [wrong_slopes(got, want) for _, _, got, want in wrong]
        if all((one <= mask).all() for one, mask in zip(bad, masks, strict=True)):
            _, index, got, want = wrong[0]
            return (
                f"the gradient{_of(evidence, index)} is wrong only {place.words}{_example(evidence, index, got, want)}"
            )
    return None


@diagnosis("some_entries", "gradient")
def _some_entries(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    for _, index, got, want in wrong:
        bad = wrong_slopes(got, want)
        if not bad.all():
            name = evidence.exercise.grading.arguments[index]
            return f"the gradient is wrong only in {entries(bad)} of {name}{_example(evidence, index, got, want)}"
    return None


@diagnosis("wrong_gradient", "gradient")
def _wrong_gradient(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    if not wrong:
        return "the gradient is wrong for some grad_output"
    _, index, got, want = wrong[0]
    return f"the gradient{_of(evidence, index)} is wrong{_example(evidence, index, got, want)}"


# Several calls


@diagnosis("shared_between_calls", "repeat")
def _shared_between_calls(evidence: Evidence) -> str | None:
    first = evidence.cases[0].run
    if same_run(first, evidence.repeated) and not same_run(first, evidence.interleaved):
        return "a second call of forward spoils the backward of the first: what backward needs must be kept on ctx, of which each call has its own"
    return None


@diagnosis("not_repeatable", "repeat")
def _not_repeatable(evidence: Evidence) -> str | None:
    return "the same call gives another result the second time: something outside ctx remembers the first, or is random"


# What an exercise asks beyond


@diagnosis("not_dirty", "in_place")
def _not_dirty(evidence: Evidence) -> str | None:
    run = next(run for run in evidence.runs if run.values is not None)
    name = evidence.exercise.grading.arguments[evidence.grading.in_place[0]]
    if run.shares_memory:
        return f"{name} is changed in place, but autograd is not told so: ctx.mark_dirty says it, and {name} itself is returned"
    return f"the result is a new tensor; {name} itself must be changed, and returned"


@diagnosis("not_marked", "constants")
def _not_marked(evidence: Evidence) -> str | None:
    number = evidence.grading.constants[0]
    return f"result {number + 1} requires grad, but has no gradient: ctx.mark_non_differentiable says so in forward"


@diagnosis("none_grad_output", "partial")
def _none_grad_output(evidence: Evidence) -> str | None:
    case = evidence.cases[0]
    for number, run in enumerate(evidence.partial):
        if not partial_right(case, run):
            only = f"where only result {number + 1} is used"
            crash = run.crash or run.refused
            if crash is None:
                return f"{only}, the gradient is wrong; the other grad_output is None or zeros then"
            return f"{only}, {crash}; the grad_output of a result that is not used may be None"
    return None


@diagnosis("needs_input_grad_ignored", "needs_input_grad")
def _needs_input_grad_ignored(evidence: Evidence) -> str | None:
    names = evidence.exercise.grading.arguments
    for asked, run in evidence.needed.items():
        for number in computed_unasked(run, asked):
            return (
                f"backward computes a gradient for {names[number]} where only {names[asked]} requires one: "
                f"ctx.needs_input_grad[{number}] is False then, and None is enough"
            )
    return None


@diagnosis("asked_not_given", "needs_input_grad")
def _asked_not_given(evidence: Evidence) -> str | None:
    names = evidence.exercise.grading.arguments
    for asked, run in evidence.needed.items():
        if asked_wrong(evidence, asked):
            wrong = "no gradient" if usable(run, asked) is None else "a wrong gradient"
            return f"where only {names[asked]} requires grad, backward gives {wrong} for it: look at which entry of ctx.needs_input_grad it depends on"
    return None


@diagnosis("zeros_for_none", "no_gradient")
def _zeros_for_none(evidence: Evidence) -> str | None:
    run = evidence.no_gradient
    return (
        "where no gradient comes, backward is handed a tensor of zeros and works on it: forward has not said that it wants None"
        if run is not None and not run.got_none
        else None
    )


@diagnosis("none_grad_output", "no_gradient")
def _none_not_handled(evidence: Evidence) -> str | None:
    run = evidence.no_gradient
    if run is None:
        return None
    does = run.crash or run.refused or "backward gives a gradient all the same, where it owes None"
    return f"where no gradient comes, grad_output is None: {does}"


@diagnosis("second_raised", "double_backward")
def _second_raised(evidence: Evidence) -> str | None:
    crash = next((second.crash for second in evidence.second if second.crash), None)
    if crash is None:
        return None
    once = "; once_differentiable forbids what this exercise asks for" if "once_differentiable" in crash.message else ""
    return f"differentiating backward: {crash}{once}"


@diagnosis("second_cut", "double_backward")
def _second_cut(evidence: Evidence) -> str | None:
    if all(second.connected and any(got is not None for got in second.got.values()) for second in evidence.second):
        return None
    return (
        "the gradient has no graph of its own, so that it cannot be differentiated: on its way through backward it leaves the "
        "tensors (through NumPy, .item(), .data, .detach() or no_grad)"
    )


@diagnosis("second_constant", "double_backward")
def _second_constant(evidence: Evidence) -> str | None:
    for second in evidence.second:
        wrong = wrong_seconds(second)
        index = next((key for key in wrong if key >= 0), None)
        if index is not None and (second.got.get(index) is None or not np.any(second.got[index])):
            name = evidence.exercise.grading.arguments[index]
            return (
                f"the second derivative misses how the gradient depends on {name}: what backward uses of it is a constant, computed in "
                f"forward or detached; save {name} or the result itself, by save_for_backward, and compute the rest in backward"
            )
    return None


@diagnosis("wrong_second", "double_backward")
def _wrong_second(evidence: Evidence) -> str | None:
    second = next(second for second in evidence.second if not second_right(second))
    key = wrong_seconds(second)[0]
    name = "grad_output" if key < 0 else evidence.exercise.grading.arguments[key]
    got, want = second.got.get(key), second.measured[key]
    shown = np.zeros_like(want) if got is None else got
    at = tuple(int(i) for i in np.argwhere(wrong_slopes(shown, want))[0])
    ask = (
        "does it leave the graph on its way through backward"
        if key < 0
        else "is something that depends on it a constant for backward"
    )
    return (
        f"the first derivative is right, the second by {name} is wrong ({name}{index_in_words(at)}: {shown[at]:.4g}, "
        f"numerically {want[at]:.4g}); {ask}?"
    )


@diagnosis("saved_argument", "from_result")
def _saved_argument(evidence: Evidence) -> str | None:
    name = evidence.exercise.grading.arguments[0]
    return f"backward needs {name} itself: it breaks where {name} is changed after forward; the exercise asks to save the result instead"


# Helpers: reading evidence


def _wrong_forward(evidence: Evidence) -> list[Case]:
    """Cases whose forward has the right shape and wrong numbers."""
    return [
        case
        for case in evidence.cases
        if case.run.values is not None
        and [v.shape for v in case.run.values] == [v.shape for v in case.expected]
        and any(wrong_values(g, w).any() for g, w in zip(case.run.values, case.expected, strict=True))
    ]


def _all_gradients(evidence: Evidence, only: int | None = None) -> Iterator[tuple[Case, int, np.ndarray, np.ndarray]]:
    """(case, argument, got, expected) of the run with a random cotangent, for each gradient of the right shape."""
    for case in evidence.cases:
        for index in case.numerical:
            got = usable(case.run, index) if only in (None, index) else None
            if got is not None and gradient_right(case, case.run, index) is not None:
                yield case, index, got, expected_gradient(case, case.run, index)


def _wrong_gradients(evidence: Evidence) -> list[tuple[Case, int, np.ndarray, np.ndarray]]:
    """Those of them that are wrong, all of the first argument that has a wrong one."""
    wrong = [each for each in _all_gradients(evidence) if not same_slopes(each[2], each[3])]
    return [each for each in wrong if each[1] == wrong[0][1]]


def _fits_everywhere(evidence: Evidence, vjp: Callable[..., np.ndarray | None]) -> bool:
    """Whether every gradient is what the mistaken `vjp` gives, and those of which it says None are right."""
    gradients = list(_all_gradients(evidence))
    for case, index, got, want in gradients:
        predicted = vjp(*case.run.cotangent, *case.arguments)
        if isinstance(predicted, tuple):
            predicted = predicted[list(case.numerical).index(index)]
        if not same_slopes(got, want if predicted is None else np.asarray(predicted)):
            return False
    return bool(gradients)


def _right_otherwise(evidence: Evidence) -> bool:
    return not any(run.changed for run in evidence.runs)


def _changed(cases: list[Case]) -> bool:
    return any(case.run.changed for case in cases)


def _nonzero(case: Case) -> list[bool]:
    """For each gradient of a case that is not zero by nature: whether it is right."""
    return [
        bool(verdict)
        for index in case.numerical
        if case.numerical[index].any() and (verdict := gradient_right(case, case.run, index)) is not None
    ]


def _first_returned(evidence: Evidence) -> Run | None:
    """The first run that returned something wrong, or the first that returned at all."""
    ran = [run for run in evidence.runs if run.returned is not None]
    return next((run for run in ran if not returns_right(run)), ran[0] if ran else None)


def _has_gradient(run: Run | None, index: int) -> bool:
    return run is not None and index < len(run.arguments) and is_float(run.arguments[index])


def common_factor(pairs: list[tuple[np.ndarray, np.ndarray]]) -> float | None:
    """The one number c, neither 0 nor 1, with got = c * expected in all pairs."""
    got = np.concatenate([pair[0] for pair in pairs]) if pairs else np.zeros(0)
    want = np.concatenate([pair[1] for pair in pairs]) if pairs else np.zeros(0)
    if not want.any() or not np.isfinite(got).all():
        return None
    factor = float(got @ want / (want @ want))
    if abs(factor) < 1e-6 or abs(factor - 1) < 1e-4:
        return None
    return factor if np.allclose(got, factor * want, rtol=1e-5, atol=1e-6) else None


def _named_factors(evidence: Evidence) -> Iterator[tuple[str, Callable[[Case], float]]]:
    """Factors that differ from input to input, each with the words for it."""
    for number, name in enumerate(evidence.exercise.grading.arguments):
        if all(isinstance(case.arguments[number], int | float) for case in evidence.cases):
            yield f"`{name}` times too large", lambda case, n=number: float(case.arguments[n])  # type: ignore[misc]
            yield (
                f"too small by the factor `{name}`",
                lambda case, n=number: 1 / float(case.arguments[n] or np.inf),  # type: ignore[misc]
            )
    mixed = "; is it a sum where a mean is asked for, or a mean where a sum is?"
    counts: list[tuple[str, Callable[[Case], int]]] = [
        ("the result", lambda case: flat(case.expected).size),
        (evidence.exercise.grading.arguments[0], lambda case: np.size(case.arguments[0])),
    ]
    for of, count in counts:
        yield f"n times too large, n = the number of entries of {of}{mixed}", lambda case, c=count: float(c(case))  # type: ignore[misc]
        yield f"n times too small, n = the number of entries of {of}{mixed}", lambda case, c=count: 1 / (c(case) or 1)  # type: ignore[misc]


def broadcasts(shape: tuple[int, ...], result: tuple[int, ...]) -> bool:
    """Whether an array of `shape` can be broadcast to the shape `result`.

    >>> broadcasts((2, 1), (2, 3)), broadcasts((2,), (2, 3))
    (True, False)
    """
    aligned = zip(reversed(shape), reversed(result), strict=False)
    return len(shape) <= len(result) and all(size in (1, large) for size, large in aligned)


# Helpers: words


_MEANINGS = (
    (("backward through the graph a second time",), "the first way back has freed what the graph had saved"),
    (
        ("does not require grad and does not have a grad_fn",),
        "what is differentiated there has no history: nothing was recorded on the way from the leaf to it",
    ),
    (
        ("can be implicitly created only for scalar outputs",),
        "what is differentiated there has several entries, and only a single number is differentiated without weights for them",
    ),
    (
        ("leaf Variable that requires grad is being used in an in-place",),
        "it writes to a leaf while autograd takes notes",
    ),
    (("save_for_backward can only save variables",), "it is for tensors; what is none has to be kept in another way"),
    (
        ("'tuple'", "only integer tensors of a single element"),
        "is something there a tuple? {tuples} one, also for a single tensor",
    ),
)
"""What an engine's message, known by one of these parts of it, means in plain words."""


def explained(crash: Crash) -> str:
    """A crash, with the engine's message in plain words behind it where these are known."""
    for parts, meaning in _MEANINGS:
        if any(part in crash.message for part in parts):
            tuples = "`ctx.saved_tensors` is" if crash.phase == "backward" else "`autograd.grad` gives"
            return f"{str(crash).removesuffix('.')}; {meaning.format(tuples=tuples)}"
    return str(crash)


def entries(bad: np.ndarray) -> str:
    """The wrong entries in words: whole columns or rows where they are such, else the first few indices.

    >>> entries(np.array([[True, False], [True, False]]))
    'column 0'
    """
    if bad.ndim == 2:
        for axis, word in ((0, "column"), (1, "row")):
            full, touched = bad.all(axis=axis), bad.any(axis=axis)
            if np.array_equal(full, touched) and not full.all():
                numbers = [str(i) for i in np.flatnonzero(full)]
                return f"{word}{'s' if len(numbers) > 1 else ''} {' and '.join(_shortened(numbers))}"
    places = [index_in_words(tuple(int(i) for i in at)) for at in np.argwhere(bad)]
    return f"{'entries' if len(places) > 1 else 'entry'} {' and '.join(_shortened(places))}"


def _shortened(words: list[str]) -> list[str]:
    return words if len(words) <= 3 else [", ".join(words[:2]), f"{len(words) - 2} more"]


def index_in_words(at: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, at))}]" if at else ""


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with so many digits that they are not written alike.

    >>> apart(1.0, 2.5), apart(1.00001, 1.00002)
    (('1', '2.5'), ('1.00001', '1.00002'))
    """
    written = [(f"{one:.{digits}g}", f"{other:.{digits}g}") for digits in range(4, 18)]
    return next((pair for pair in written if pair[0] != pair[1]), written[0])


def times(factor: float) -> str:
    sign = "with the wrong sign, " if factor < 0 else ""
    size = abs(factor)
    for number in range(2, 101):
        if np.isclose(size, number, rtol=1e-4):
            return f"{sign}{number} times too large"
        if np.isclose(size, 1 / number, rtol=1e-4):
            small = "half of what it must be" if number == 2 else f"1/{number} of what it must be"
            return sign + small
    return f"{factor:.4g} times what it must be"


def _of(evidence: Evidence, index: int) -> str:
    names = evidence.exercise.grading.arguments
    several = len(evidence.cases[0].numerical) > 1
    return f" for {names[index]}" if several else ""


def _example(evidence: Evidence, index: int, got: np.ndarray, want: np.ndarray) -> str:
    at = tuple(int(i) for i in np.argwhere(wrong_slopes(got, want))[0])
    name = evidence.exercise.grading.arguments[index]
    right = "numerically" if evidence.grading.vjp is None else "declared"
    return f" ({name}{index_in_words(at)}: {got[at]:.4g}, {right} {want[at]:.4g})"


def _result(evidence: Evidence, number: int) -> str:
    return "the result" if evidence.grading.results == 1 else f"result {number + 1}"


def _inputs(evidence: Evidence, case: Case) -> str:
    names = evidence.exercise.grading.arguments
    return ", ".join(
        f"{name} of shape {value.shape}" if isinstance(value, np.ndarray) else f"{name} = {value}"
        for name, value in zip(names, case.arguments, strict=True)
    )


LARGEST_EXPONENT = 700.0
"""exp of anything much larger is no float any more (and exp of minus that is 0)."""


def _largest(case: Case) -> float:
    return max((float(np.max(np.abs(a), initial=0)) for a in case.arguments if isinstance(a, np.ndarray)), default=0.0)


def _beyond_floats(case: Case) -> str:
    return (
        f"where entries are as large as {_largest(case):.4g}: a number on the way is too large or too small for a float "
        "(exp(1000) is infinite, exp(-1000) is 0), though what is asked for is not"
    )


def _shapes(runs: list[Run]) -> str:
    shapes = dict.fromkeys(str(np.shape(run.arguments[0])) for run in runs)
    return ", ".join(shapes)


def _dimensions(run: Run) -> int:
    return np.ndim(run.arguments[0])


def _join(shapes: list[tuple[int, ...]]) -> str:
    return " and ".join(map(str, shapes))


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def a_or_an(type_name: str) -> str:
    return f"{'an' if type_name[:1] in 'aeio' else 'a'} {type_name}"
