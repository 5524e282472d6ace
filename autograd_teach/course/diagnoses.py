"""What is wrong, in a sentence: one small function a diagnosis, in an ordered table; the first that recognises the numbers speaks.

NumPy only, reads records alone. A message names the entry, argument or line and shows numbers; it never gives the answer away.
To add one: write a function `(Evidence) -> str | None` under `@diagnosis(name, checks that it explains)` at its place in the order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .jacobian import flat, same_slopes, wrong_slopes, wrong_values
from .judge import (
    case_gradients,
    expected_gradient,
    gradient_right,
    same_run,
    usable,
    without_extra_none,
)
from .observe import Case, Evidence, Odd, Run

Recognise = Callable[[Evidence], str | None]


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
    findings: list[Finding] = []
    open_checks = set(failed)
    for row in TABLE:
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
    return f"stopped after {evidence.exercise.seconds:g} s in {stop.phase}{where}; is there an endless loop?"


@diagnosis("backward_not_attempted", "runs")
def _backward_not_attempted(evidence: Evidence) -> str | None:
    crash = next((run.crash for run in evidence.runs if run.crash), None)
    if crash and crash.phase == "backward" and crash.kind == "NotImplementedError":
        return "forward is written, backward is not attempted yet"
    return None


@diagnosis("one_shape", "runs")
def _raises_for_some_shapes(evidence: Evidence) -> str | None:
    crashed = [run for run in evidence.runs if run.crash]
    fine = [run for run in evidence.runs if not run.crash]
    if not crashed or not fine:
        return None
    crash = crashed[0].crash
    return f"works for shape {_shapes(fine)} but not for {_shapes(crashed)}: {crash}"


@diagnosis("signature", "runs")
def _signature(evidence: Evidence) -> str | None:
    crash = next((run.crash for run in evidence.runs if run.crash), None)
    if crash is None or crash.line is not None or "argument" not in crash.message:
        return None
    names = ", ".join(("ctx", *evidence.exercise.grading.arguments))
    called = names if crash.phase == "forward" else "ctx and one grad_output for each result"
    return f"{crash.phase} is called with {called}, yours takes something else: {crash.message}"


@diagnosis("raised", "runs")
def _raised(evidence: Evidence) -> str | None:
    later = (evidence.repeated, evidence.interleaved, evidence.single)
    rows = [row for case in evidence.cases for row in case.rows]
    for run in (*evidence.runs, *rows, *(run for run in later if run is not None)):
        if crash := run.crash or run.refused:
            legacy = "Legacy autograd function" in crash.message
            return str(crash) + "; a Function is called through its `apply`" if legacy else str(crash)
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
                    if run.shares_memory
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
    return f"forward returns {_a(odd.type)}; it must return a tensor"


@diagnosis("no_graph", "forward")
def _no_graph(evidence: Evidence) -> str | None:
    cut = any(run.values is not None and not run.own_node for run in evidence.runs)
    return (
        "the result does not require grad, so that no gradient can flow back: is its dtype a float, and is it marked non-differentiable?"
        if cut
        else None
    )


@diagnosis("forward_shape", "forward")
def _forward_shape(evidence: Evidence) -> str | None:
    for case in evidence.cases:
        got = [value.shape for value in case.run.values or ()]
        want = [value.shape for value in case.expected]
        if case.run.values is not None and got != want:
            return f"the result has shape {_join(got)} where {_join(want)} is asked for"
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
        np.array_equal(case.run.values[0], case.arguments[0])  # type: ignore[index]  # wrong ones have values
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
            and all(
                (predicted := np.asarray(mistake.forward(*case.arguments))).shape == case.run.values[0].shape  # type: ignore[index]  # wrong ones have values
                and not wrong_values(case.run.values[0], predicted).any()  # type: ignore[index]
                for case in wrong
            )
        ):
            return mistake.message
    return None


@diagnosis("forward_factor", "forward")
def _forward_factor(evidence: Evidence) -> str | None:
    pairs = [(flat(case.run.values or ()), flat(case.expected)) for case in _wrong_forward(evidence)]
    factor = _common_factor(pairs)
    return f"forward is right but for a factor: {_times(factor)}" if factor is not None else None


@diagnosis("dtype", "forward")
def _dtype(evidence: Evidence) -> str | None:
    runs = [(case.run, case.expected) for case in evidence.cases]
    if evidence.single is not None:
        runs.append((evidence.single, evidence.single_expected))
    for run, expected in runs:
        for got, want in zip(run.values or (), expected, strict=False):
            if got.dtype != want.dtype:
                return f"the result is {got.dtype} where the argument is {want.dtype}: keep the dtype of what came in"
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
    for value, right in zip(got, want, strict=True):
        bad = wrong_values(value, right)
        if bad.any():
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            only = "" if bad.all() else f" only in {entries(bad)} of the result"
            gradient = all(v is not False for v in case_gradients(case).values())
            but = "the gradient is right, but forward" if gradient and case.rows else "forward"
            return f"{but} is wrong{only}: result{_index(at)} is {value[at]:.4g}, it must be {right[at]:.4g}"
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
        if entry is None and index in evidence.cases[0].numerical:
            for other, value in enumerate(returned):
                if value is not None and other not in evidence.cases[0].numerical:
                    return f"the gradient for {names[index]} stands at the place of {names[other]}: the order is that of forward's arguments"
    return None


@diagnosis("none_for_tensor", "returns")
def _none_for_tensor(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    for index, entry in enumerate((run.returned or ()) if run else ()):
        if entry is None and index in evidence.cases[0].numerical:
            return f"backward returns None for {evidence.exercise.grading.arguments[index]}, which is a tensor and has a gradient"
    return None


@diagnosis("tensor_for_constant", "returns")
def _tensor_for_constant(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    for index, entry in enumerate((run.returned or ()) if run else ()):
        if entry is not None and index not in evidence.cases[0].numerical:
            name = evidence.exercise.grading.arguments[index]
            what = "a tensor" if isinstance(entry, np.ndarray) else _a(entry.type)
            return f"backward returns {what} for {name}, which is no tensor: what it owes there is None"
    return None


@diagnosis("not_a_tensor", "returns")
def _not_a_tensor(evidence: Evidence) -> str | None:
    run = _first_returned(evidence)
    for index, entry in enumerate((run.returned or ()) if run else ()):
        if isinstance(entry, Odd):
            name = evidence.exercise.grading.arguments[index]
            return f"the gradient for {name} is {_a(entry.type)}; it must be a tensor"
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


@diagnosis("grad_output_forgotten", "gradient")
def _grad_output_forgotten(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    if not wrong:
        return None
    index, seen_two = wrong[0][1], False
    for case in evidence.cases:
        given = [got for run in (case.run, *case.rows) if (got := usable(run, index)) is not None]
        if any(not np.array_equal(given[0], other) for other in given[1:]):
            return None
        seen_two |= len(given) > 1
    if not seen_two:
        return None
    return "grad_output is not used: backward gives the same gradient whatever grad_output it gets"


@diagnosis("known", "gradient")
def _known_gradient(evidence: Evidence) -> str | None:
    for mistake in evidence.exercise.mistakes:
        if mistake.vjp is not None and _fits_everywhere(evidence, mistake.vjp):
            return mistake.message
    return None


@diagnosis("factor", "gradient")
def _factor(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    factor = _common_factor([(got.reshape(-1), want.reshape(-1)) for _, _, got, want in wrong])
    if factor is None or any(verdict for case in evidence.cases for verdict in _nonzero(case)):
        return None
    _case, index, got, want = wrong[0]
    return f"the gradient{_of(evidence, index)} is right but for a factor: {_times(factor)}{_example(evidence, index, got, want)}"


@diagnosis("factor_of_input", "gradient")
def _factor_of_input(evidence: Evidence) -> str | None:
    wrong = _wrong_gradients(evidence)
    factors: list[tuple[Case, float]] = []
    for case, index, got, want in wrong:
        factor = _common_factor([(got.reshape(-1), want.reshape(-1))])
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
    """Whether every gradient of the first argument is what the mistaken `vjp` gives."""
    gradients = list(_all_gradients(evidence, 0))
    return bool(gradients) and all(
        same_slopes(got, np.asarray(vjp(*case.run.cotangent, *case.arguments))) for case, _, got, _ in gradients
    )


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
    return next((run for run in evidence.runs if run.returned is not None), None)


def _common_factor(pairs: list[tuple[np.ndarray, np.ndarray]]) -> float | None:
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
    count = "the number of entries of the result"
    yield f"n times too large, n = {count}", lambda case: float(flat(case.expected).size)
    yield f"n times too small, n = {count}", lambda case: 1 / float(flat(case.expected).size or 1)


# Helpers: words


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
    places = [_index(tuple(int(i) for i in at)) for at in np.argwhere(bad)]
    return f"{'entries' if len(places) > 1 else 'entry'} {' and '.join(_shortened(places))}"


def _shortened(words: list[str]) -> list[str]:
    return words if len(words) <= 3 else [", ".join(words[:2]), f"{len(words) - 2} more"]


def _index(at: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, at))}]" if at else ""


def _times(factor: float) -> str:
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
    return f" ({name}{_index(at)}: {got[at]:.4g}, numerically {want[at]:.4g})"


def _inputs(evidence: Evidence, case: Case) -> str:
    names = evidence.exercise.grading.arguments
    return ", ".join(
        f"{name} of shape {value.shape}" if isinstance(value, np.ndarray) else f"{name} = {value}"
        for name, value in zip(names, case.arguments, strict=True)
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


def _a(type_name: str) -> str:
    return f"{'an' if type_name[:1] in 'aeio' else 'a'} {type_name}"
