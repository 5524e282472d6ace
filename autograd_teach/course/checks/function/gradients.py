"""Diagnoses of the numbers of a gradient, from those that name the mistake to those that only show the numbers.

NumPy only, reads only evidence. A message names the entry, argument or line and shows numbers; it never gives the answer
away. To add a diagnosis, write a function `(FunctionEvidence) -> str | None` with the decorator
`@diagnosis(name, checks that it explains)`, at its place in the order.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...jacobian import flat, same_slopes, wrong_slopes
from ..diagnosing import Diagnosis, Finding, entries, into
from ..explaining import Explanation, Table, backward_of, candidates_of, changed, explanation
from ..inputs import misread_gradients
from ..relations import Numbers, counted, related
from ..spec import FunctionSpec, Mistake
from .checks import asked_wrong, case_gradients, expected_gradient, gradient_right, usable
from .evidence import Case, FunctionEvidence
from .reading import (
    all_gradients,
    dimensions_of,
    example_in_words,
    most_telling_one,
    of_argument,
    right_otherwise,
    wrong_gradients,
)
from .values import (
    argument_changed,
    forward_overflow,
    given_by,
    inputs_in_words,
    known_forward,
    not_finite_where,
    of_shape,
    only_for,
    overflow_in_words,
    place_in_words,
    relative_difference,
    shapes_of,
    wrong_forward,
)

GRADIENTS: list[Diagnosis] = []


diagnosis = into(GRADIENTS)


@diagnosis("known", "gradient")
def _known_with_forward(evidence: FunctionEvidence) -> str | None:
    """If a known mistake explains the wrong forward and also the wrong backward, both get its message."""
    forward = known_forward(evidence)
    known = known_gradient(evidence) if forward else None
    return known.message if forward and known and forward.message == known.message else None


@diagnosis("backward_of_wrong_forward", "gradient")
def _own_derivative(evidence: FunctionEvidence) -> str | None:
    if not evidence.own_numerical:
        return None
    case, own = evidence.cases[0], evidence.own_numerical
    # The derivative of the wrong forward must differ from the right one, else it says nothing about backward.
    fits = any(not same_slopes(own[index], case.numerical[index]) for index in own) and all(
        (analytical := case.analytical(index)) is not None and same_slopes(analytical, numerical)
        for index, numerical in own.items()
    )
    return (
        "backward is the derivative of what forward computes, but forward is wrong: fix forward first" if fits else None
    )


@diagnosis("known", "gradient")
def _known_gradient(evidence: FunctionEvidence) -> str | None:
    known = known_gradient(evidence)
    if known is None:
        return None
    where = "in the gradient, " if _can_be_in_forward(known, evidence.spec) and not wrong_forward(evidence) else ""
    wrong = wrong_gradients(evidence)
    every = [case.run for case, index, *_ in all_gradients(evidence) if index == wrong[0][1]]
    scope = "" if known.everywhere else only_for(evidence, [case.run for case, *_ in wrong], every)
    return f"{where}{known.message}{scope}"


def _can_be_in_forward(known: Explanation, spec: FunctionSpec) -> bool:
    """Whether the words fit forward too: then they need to say what is meant."""
    reference = changed(spec.forward, spec.mistakes)
    labels = reference.labels if reference else ()
    for each in spec.mistakes:
        if isinstance(each, Mistake):
            also = each.forward is not None and each.vjp is not None
        else:
            also = any(label.startswith(each.at) for label in labels)
        if also and each.message in known.message:
            return True
    return any(candidate.change.label in labels for candidate in known.candidates)


def known_gradient(evidence: FunctionEvidence) -> Explanation | None:
    """The known mistakes, declared or derived from the reference, that explain what backward returned."""
    if "backward" not in evidence.known:
        evidence.known["backward"] = _known(evidence)
    return evidence.known["backward"]


def _known(evidence: FunctionEvidence) -> Explanation | None:
    numbers = {id(case): number for number, case in enumerate(evidence.cases)}
    gradients = [(numbers[id(case)], index, got, want) for case, index, got, want in all_gradients(evidence)]
    table = Table(
        list(dict.fromkeys(run for run, *_ in gradients)),
        {(run, index): want for run, index, _, want in gradients},
        {(run, index): got for run, index, got, _ in gradients},
        _same_with_nan,
    )

    if not table.wrong:
        return None

    def gives(backward: Callable[..., Any], run: int) -> dict[int, np.ndarray] | None:
        case = evidence.cases[run]
        given = given_by(backward, (*case.run.cotangent, *case.arguments))
        places = list(case.numerical)
        return None if given is None else {places[n]: each for n, each in given.items() if n < len(places)}

    reference = backward_of(evidence.spec)
    others = misread_gradients(len(evidence.cases[0].run.cotangent)) if reference else ()
    return explanation(table, candidates_of(reference, evidence.spec.mistakes, gives, "vjp", others=others))


def _same_with_nan(one: np.ndarray | None, other: np.ndarray) -> bool:
    return one is not None and one.shape == other.shape and not wrong_slopes(one, other, equal_nan=True).any()


@diagnosis("overflow", "gradient")
def _gradient_overflow(evidence: FunctionEvidence) -> str | None:
    wrong = [each for each in wrong_gradients(evidence) if not np.isfinite(each[2]).all()]
    if not wrong or any(np.shape(case.arguments[0]) != got.shape for case, _, got, _ in wrong):
        return None
    # If forward has the same problem, it is reported once.
    return forward_overflow(evidence) or overflow_in_words(
        f"the gradient{of_argument(evidence, wrong[0][1])} has", [(case, got) for case, _, got, _ in wrong]
    )


@diagnosis("nan", "gradient")
def _gradient_nan(evidence: FunctionEvidence) -> str | None:
    for case, index, got, _ in wrong_gradients(evidence):
        if not np.isfinite(got).all():
            bad = "NaN" if np.isnan(got).any() else "an infinite value"
            of = f"the gradient{of_argument(evidence, index)}"
            return f"{of} has {bad} {not_finite_where(evidence, case, got, '')}"
    return None


@diagnosis("argument_changed", "gradient")
def _gradient_of_changed(evidence: FunctionEvidence) -> str | None:
    # The changed argument has its own diagnosis; the gradient is wrong because of it.
    return argument_changed(evidence) if not right_otherwise(evidence) else None


@diagnosis("grad_output_forgotten", "gradient")
def _grad_output_forgotten(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    if not any(got.any() for _, _, got, _ in wrong) or not _never_changes(evidence, wrong[0][1]):
        return None
    nowhere = all(_never_changes(evidence, index) for index in evidence.cases[0].numerical)
    of = "" if nowhere else of_argument(evidence, wrong[0][1])
    unused = f"grad_output is not used{of}: backward returns the same gradient for every grad_output"
    one_number = all(flat(case.expected).size == 1 for case in evidence.cases)
    return unused + ("; it is 1 only if the backward pass starts at this result" if one_number else "")


def _never_changes(evidence: FunctionEvidence, index: int) -> bool:
    """Whether the gradient of an argument is the same for every grad_output. At least one input must have had two."""
    seen_two = False
    for case in evidence.cases:
        given = [got for run in (case.run, *case.rows) if (got := usable(run, index)) is not None]
        if any(not np.array_equal(given[0], other, equal_nan=True) for other in given[1:]):
            return False
        seen_two |= len(given) > 1 and given[0].size > 0
    return seen_two


@diagnosis("after_forward", "gradient")
def _after_forward(evidence: FunctionEvidence) -> str | None:
    """Backward may use the wrong numbers of forward, so a diagnosis of backward would be a guess."""
    if not wrong_forward(evidence) or not wrong_gradients(evidence):
        return None
    return "the gradient is wrong too, which may follow from what forward computes, or not: fix forward first"


@diagnosis("swapped_gradients", "gradient")
def _swapped_gradients(evidence: FunctionEvidence) -> str | None:
    for one in evidence.cases[0].numerical:
        for other in evidence.cases[0].numerical:
            if one < other and _are_swapped(evidence, one, other):
                names = evidence.form.arguments
                return f"the gradients for {names[one]} and {names[other]} have changed places"
    return None


def _are_swapped(evidence: FunctionEvidence, one: int, other: int) -> bool:
    pairs = []
    for case in evidence.cases:
        got = usable(case.run, one), usable(case.run, other)
        if got[0] is None or got[1] is None or got[0].shape != got[1].shape:
            continue
        want = expected_gradient(case, case.run, one), expected_gradient(case, case.run, other)
        if not same_slopes(want[0], want[1]):
            pairs.append(same_slopes(got[0], want[1]) and same_slopes(got[1], want[0]))
    return bool(pairs) and all(pairs)


@diagnosis("numbers", "gradient")
def _related(evidence: FunctionEvidence) -> Finding | None:
    wrong = wrong_gradients(evidence)
    every = [_numbers(evidence, *each) for each in all_gradients(evidence, wrong[0][1])] if wrong else []
    found = related(every)
    if found is None:
        return None
    _, index, got, want = most_telling_one(wrong)
    name, words = found
    example = "" if name == "zero" else example_in_words(evidence, index, got, want)
    return Finding(name, f"the gradient{of_argument(evidence, index)} is {words}{example}")


def _numbers(evidence: FunctionEvidence, case: Case, index: int, got: np.ndarray, want: np.ndarray) -> Numbers:
    counts = counted(evidence.form.arguments, case.arguments) | {
        "the number of entries of the result": flat(case.expected).size
    }
    return Numbers(got, want, counts)


@diagnosis("one_shape", "gradient")
def _wrong_for_some_shapes(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    bad = [case.run for case, *_ in wrong]
    index = wrong[0][1] if wrong else 0
    fine = [case.run for case in evidence.cases if case_gradients(case).get(index) is True]
    if not bad or not fine:
        return None
    here, there = {dimensions_of(run) for run in bad}, {dimensions_of(run) for run in fine}
    if not (max(here) < min(there) or max(there) < min(here)):  # else it is not the number of dimensions
        return None
    return f"the gradient{of_argument(evidence, index)} is right for {of_shape(evidence)} {shapes_of(fine)} and wrong for {shapes_of(bad)}"


@diagnosis("some_entries", "gradient")
def _some_entries(evidence: FunctionEvidence) -> str | None:
    """Some entries of the gradient are right for every input."""
    wrong = wrong_gradients(evidence)
    several = [each for each in wrong if each[2].size > 1]
    if not several or any(wrong_slopes(got, want).all() for _, _, got, want in several):
        return None
    case, index, got, want = most_telling_one(several)
    name = evidence.form.arguments[index]
    which = "" if len(evidence.cases) == 1 else f", for {inputs_in_words(evidence, case)}"
    place = index == 0 and place_in_words(evidence, [(case, wrong_slopes(got, want)) for case, _, got, want in wrong])
    if place:
        return f"the gradient{of_argument(evidence, 0)} is wrong only {place}{example_in_words(evidence, 0, got, want)}"
    bad = entries(wrong_slopes(got, want))
    return f"the gradient is wrong only in {bad} of {name}{which}{example_in_words(evidence, index, got, want)}"


@diagnosis("wrong_gradient", "gradient")
def _wrong_gradient(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    if not wrong:
        alone = any(asked_wrong(evidence, index) for index in evidence.needed)
        return None if alone else _wrong_in_a_row(evidence)
    _, index, got, want = most_telling_one(wrong)
    judged = [each.run for each, *_ in all_gradients(evidence, index)]
    where = only_for(evidence, [each.run for each, *_ in wrong], judged)
    off = max(relative_difference(each, right) for _, _, each, right in wrong)
    near = f"; the largest relative difference is {off:.1g}" if off < 1e-3 else ""
    others = {n for _, n, each, right in all_gradients(evidence) if n != index and not same_slopes(each, right)}
    too = f"; wrong for {' and '.join(evidence.form.arguments[n] for n in sorted(others))} too" if others else ""
    return f"the gradient{of_argument(evidence, index)} is wrong{example_in_words(evidence, index, got, want)}{where}{near}{too}"


def _wrong_in_a_row(evidence: FunctionEvidence) -> str | None:
    """The gradient is right for random numbers, but wrong for a one-hot grad_output."""
    for case in evidence.cases:
        for number, row in enumerate(case.rows):
            for index in case.numerical:
                got = usable(row, index)
                if got is not None and gradient_right(case, row, index) is False:
                    example = example_in_words(evidence, index, got, expected_gradient(case, row, index))
                    return (
                        f"the gradient{of_argument(evidence, index)} is wrong for some grad_output: if it is 1 in entry {number} of the "
                        f"result (counted in order) and 0 in the others{example}, for {inputs_in_words(evidence, case)}"
                    )
    return None
