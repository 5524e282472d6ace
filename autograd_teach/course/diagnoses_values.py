"""What is wrong with what was handed over, with running it, with what it does to its arguments, and with the result of forward.

NumPy only, reads records alone. A message names the entry, argument or line and shows numbers; it never gives the answer away.
To add one: write a function `(Evidence) -> str | None` under `@diagnosis(name, checks that it explains)` at its place in the order.
"""

import numpy as np

from .diagnosing import Diagnosis, a_or_an, apart, common_factor, entries, explained, index_in_words, into, times
from .jacobian import as_values, flat, wrong_values
from .judge import case_gradients
from .observe import Case, Evidence, Run, differentiable

VALUES: list[Diagnosis] = []
diagnosis = into(VALUES)


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
    return f"works for shape {shapes_of(fine)} but not for {shapes_of(crashed)}: {explained(crash)}"


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
def argument_changed(evidence: Evidence) -> str | None:
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
def forward_overflow(evidence: Evidence) -> str | None:
    for case in _wrong_forward(evidence):
        value = flat(case.run.values or ())
        if not np.isfinite(value).all() and largest(case) > LARGEST_EXPONENT:
            bad = "NaN" if np.isnan(value).any() else "an infinite value"
            return f"forward gives {bad} {beyond_floats(case)}"
    return None


@diagnosis("nan", "forward")
def _forward_nan(evidence: Evidence) -> str | None:
    for case in _wrong_forward(evidence):
        value = flat(case.run.values or ())
        if not np.isfinite(value).all():
            bad = "NaN" if np.isnan(value).any() else "an infinite value"
            return f"forward gives {bad} at {inputs_in_words(evidence, case)}"
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


def _changed(cases: list[Case]) -> bool:
    return any(case.run.changed for case in cases)


def _result(evidence: Evidence, number: int) -> str:
    return "the result" if evidence.grading.results == 1 else f"result {number + 1}"


def inputs_in_words(evidence: Evidence, case: Case) -> str:
    names = evidence.exercise.grading.arguments
    return ", ".join(
        f"{name} of shape {value.shape}" if isinstance(value, np.ndarray) else f"{name} = {value}"
        for name, value in zip(names, case.arguments, strict=True)
    )


LARGEST_EXPONENT = 700.0
"""exp of anything much larger is no float any more (and exp of minus that is 0)."""


def largest(case: Case) -> float:
    return max((float(np.max(np.abs(a), initial=0)) for a in case.arguments if isinstance(a, np.ndarray)), default=0.0)


def beyond_floats(case: Case) -> str:
    return (
        f"where entries are as large as {largest(case):.4g}: a number on the way is too large or too small for a float "
        "(exp(1000) is infinite, exp(-1000) is 0), though what is asked for is not"
    )


def shapes_of(runs: list[Run]) -> str:
    shapes = dict.fromkeys(str(np.shape(run.arguments[0])) for run in runs)
    return ", ".join(shapes)


def _join(shapes: list[tuple[int, ...]]) -> str:
    return " and ".join(map(str, shapes))
