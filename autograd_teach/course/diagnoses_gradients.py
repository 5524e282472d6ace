"""What is wrong with what backward returns: its number, places and shapes first, then its numbers.

NumPy only, reads records alone. A message names the entry, argument or line and shows numbers; it never gives the answer away.
To add one: write a function `(Evidence) -> str | None` under `@diagnosis(name, checks that it explains)` at its place in the order.
"""

from collections.abc import Callable, Iterator

import numpy as np

from .diagnoses_values import (
    LARGEST_EXPONENT,
    argument_changed,
    beyond_floats,
    forward_overflow,
    inputs_in_words,
    largest,
    shapes_of,
)
from .diagnosing import Diagnosis, a_or_an, common_factor, entries, index_in_words, into, times
from .jacobian import as_values, flat, is_float, numerical_jacobian, same_slopes, wrong_slopes
from .judge import expected_gradient, gradient_right, returns_right, usable, without_extra_none
from .observe import Case, Evidence, Odd, Run, differentiable

GRADIENTS: list[Diagnosis] = []
diagnosis = into(GRADIENTS)


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
        if not np.isfinite(got).all() and largest(case) > LARGEST_EXPONENT:
            bad = "NaN" if np.isnan(got).any() else "an infinite value"
            # Where forward has the same trouble, it is said once.
            return forward_overflow(evidence) or f"the gradient{_of(evidence, index)} has {bad} {beyond_floats(case)}"
    return None


@diagnosis("nan", "gradient")
def _gradient_nan(evidence: Evidence) -> str | None:
    for case, index, got, _ in _wrong_gradients(evidence):
        if not np.isfinite(got).all():
            bad = "NaN" if np.isnan(got).any() else "an infinite value"
            return f"the gradient{_of(evidence, index)} has {bad} at {inputs_in_words(evidence, case)}"
    return None


@diagnosis("argument_changed", "gradient")
def _gradient_of_changed(evidence: Evidence) -> str | None:
    # A changed argument was named already; the gradient is wrong with it, not by itself.
    return argument_changed(evidence) if not _right_otherwise(evidence) else None


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
    return f"the gradient is right for shape {shapes_of(fine)} and wrong for {shapes_of(bad)}"


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


# Helpers: reading evidence


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


def _of(evidence: Evidence, index: int) -> str:
    names = evidence.exercise.grading.arguments
    several = len(evidence.cases[0].numerical) > 1
    return f" for {names[index]}" if several else ""


def _example(evidence: Evidence, index: int, got: np.ndarray, want: np.ndarray) -> str:
    at = tuple(int(i) for i in np.argwhere(wrong_slopes(got, want))[0])
    name = evidence.exercise.grading.arguments[index]
    right = "numerically" if evidence.grading.vjp is None else "declared"
    return f" ({name}{index_in_words(at)}: {got[at]:.4g}, {right} {want[at]:.4g})"


def _dimensions(run: Run) -> int:
    return np.ndim(run.arguments[0])


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"
