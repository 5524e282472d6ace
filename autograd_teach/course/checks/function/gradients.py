"""Diagnoses of the numbers of a gradient, from those that name the mistake to those that only show the numbers.

NumPy only, reads only evidence. A message names the entry, argument or line and shows numbers; it never gives the answer
away. To add a diagnosis, write a function `(FunctionEvidence) -> str | None` with the decorator
`@diagnosis(name, checks that it explains)`, at its place in the order.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...jacobian import as_values, flat, numerical_jacobian, same_slopes, wrong_slopes
from ..diagnosing import Diagnosis, common_factor, entries, into, times
from ..relations import in_another_order, part_only, relation_in_words
from .checks import asked_wrong, case_gradients, expected_gradient, gradient_right, usable
from .evidence import Case, FunctionEvidence
from .reading import (
    Gradient,
    all_gradients,
    broadcasts,
    dimensions_of,
    example_in_words,
    fits_everywhere,
    is_broadcast,
    most_telling_one,
    named_factors,
    number_pairs,
    of_argument,
    right_otherwise,
    sources,
    uses_of,
    was_broadcast,
    wrong_gradients,
)
from .records import differentiable
from .slips import expression_in_words
from .values import (
    argument_changed,
    enough_entries,
    forward_overflow,
    inputs_in_words,
    known_forward,
    not_finite_where,
    numbers_of,
    of_shape,
    only_for,
    overflow_in_words,
    relative_difference,
    shapes_of,
    wrong_forward,
)

GRADIENTS: list[Diagnosis] = []


diagnosis = into(GRADIENTS)


@diagnosis("known", "gradient")
def _known_with_forward(evidence: FunctionEvidence) -> str | None:
    """If a known mistake explains the wrong forward and also the wrong backward, both get its message."""
    mistake = known_forward(evidence)
    if mistake is None or mistake.vjp is None:
        return None
    return mistake.message if fits_everywhere(evidence, mistake.vjp) else None


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
    # A mistake that changes no gradient by more than the tolerance fits right gradients too.
    for mistake in evidence.spec.mistakes if wrong_gradients(evidence) else ():
        if mistake.vjp is not None and fits_everywhere(evidence, mistake.vjp):
            # The message of a mistake that can be in both is not about forward if that is right.
            where = "in backward, " if mistake.forward and not wrong_forward(evidence) else ""
            return f"{where}{mistake.message}"
    return None


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


@diagnosis("zero", "gradient")
def _zero(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    index = wrong[0][1] if wrong else 0
    zero = wrong and all(not got.any() for _, _, got, _ in all_gradients(evidence, index))
    return f"the gradient{of_argument(evidence, index)} is zero everywhere, which is wrong" if zero else None


@diagnosis("grad_output_forgotten", "gradient")
def _grad_output_forgotten(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    if not wrong or not _never_changes(evidence, wrong[0][1]):
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


@diagnosis("true_derivative", "gradient")
def _true_derivative(evidence: FunctionEvidence) -> str | None:
    """In an exercise that declares its gradient, the true derivative is wrong."""
    spec, wrong = evidence.spec, wrong_gradients(evidence)
    if spec.vjp is None or not wrong:
        return None
    _, index, got, want = most_telling_one(wrong)
    for case, _, each, _ in all_gradients(evidence, index):
        slopes = numerical_jacobian(
            lambda *a: differentiable(evidence.form, as_values(spec.forward(*a))), case.arguments, index
        )
        if not same_slopes(each, (flat(case.run.cotangent) @ slopes).reshape(each.shape)):
            return None
    zero = "" if any(each.any() for _, _, each, _ in wrong) else ", which is zero"
    return (
        f"the gradient{of_argument(evidence, index)} is the true derivative of the result{zero}; this exercise declares another one"
        f"{example_in_words(evidence, index, got, want)}"
    )


@diagnosis("sign", "gradient")
def _sign(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    if not wrong or not all(same_slopes(-got, want) for _, _, got, want in all_gradients(evidence, wrong[0][1])):
        return None
    _case, index, got, want = most_telling_one(wrong)
    return f"the sign is flipped: the gradient{of_argument(evidence, index)} is minus what it must be{example_in_words(evidence, index, got, want)}"


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


@diagnosis("transposed", "gradient")
def _transposed_gradient(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    if not wrong:
        return None
    square = [each for each in wrong if each[2].ndim == 2 and each[2].shape == each[2].T.shape]
    index = wrong[0][1]
    others = [each for each in all_gradients(evidence, index) if each[2].ndim == 2 and each[2].shape == each[2].T.shape]
    if len(square) < len(wrong) or not all(same_slopes(got.T, want) for _, _, got, want in others):
        return None
    return f"the gradient for {evidence.form.arguments[index]} is transposed: rows and columns have changed places"


@diagnosis("factor", "gradient")
def _factor(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    if not wrong:
        return None
    _case, index, got, want = most_telling_one(wrong)
    pairs = [(each.reshape(-1), right.reshape(-1)) for _, _, each, right in all_gradients(evidence, index)]
    factor = common_factor(pairs) if enough_entries(pairs) else None
    if factor is None:
        return None
    return f"the gradient{of_argument(evidence, index)} is right but for a factor: {times(factor)}{example_in_words(evidence, index, got, want)}"


@diagnosis("factor_of_input", "gradient")
def _factor_of_input(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    every = list(all_gradients(evidence, wrong[0][1])) if wrong else []
    for text, value in (
        named_factors(evidence, wrong[0][1]) if enough_entries([(got, want) for _, _, got, want in every]) else ()
    ):
        if all(same_slopes(got, value(case) * want) for case, _, got, want in every):
            return f"the gradient{of_argument(evidence, wrong[0][1])} is right but for a factor: it is {text}"
    return None


@diagnosis("not_linear", "gradient")
def _lost_in_grad_output(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    if not _right_for_ones_alone(wrong):
        return None
    _, index, got, want = most_telling_one(wrong)
    found = next((words for words, change in _LOST_IN_GRAD_OUTPUT if _misread(evidence, index, change)), None)
    return f"{_RIGHT_FOR_ONES}{found}{example_in_words(evidence, index, got, want)}" if found else None


_RIGHT_FOR_ONES = "the gradient is right where grad_output is 1 and wrong for some other numbers: "


def _right_for_ones_alone(wrong: list[Gradient]) -> bool:
    """Whether the gradient is right for each one-hot grad_output and wrong for other numbers.

    Entries whose gradient is always zero do not count.
    """
    for case, index, got, want in wrong:
        rows = [gradient_right(case, row, index) for row in case.rows]
        jacobian = case.analytical(index)
        bad = wrong_slopes(got, want).reshape(-1)
        if jacobian is None or not all(rows) or not np.abs(jacobian).sum(axis=0)[bad].all():
            return False
    return bool(wrong)


_LOST_IN_GRAD_OUTPUT: tuple[tuple[str, Callable[[np.ndarray], np.ndarray]], ...] = (
    ("the sign of grad_output is lost", np.abs),
    ("only the sign of grad_output is used", np.sign),
    ("grad_output is squared, but the gradient must be proportional to grad_output", np.square),
    ("the third power of grad_output is used, but the gradient must be proportional to grad_output", lambda v: v**3),
    ("grad_output is cut off at -1 and 1", lambda v: np.clip(v, -1, 1)),
    ("the negative entries of grad_output are read as 0", lambda v: np.maximum(v, 0)),
)
"""Changes of the numbers of grad_output that leave 1 and 0 as they are."""


@diagnosis("mixed_up", "gradient")
def _mixed_up(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    index = wrong[0][1] if wrong else 0
    for case, _, got, _ in all_gradients(evidence, index):
        jacobian = case.analytical(index)
        if len(case.rows) < 2:
            continue
        if jacobian is None or not jacobian.any() or not np.allclose(jacobian, jacobian[:1]):
            return None
        if not same_slopes(got.reshape(-1), flat(case.run.cotangent).sum() * jacobian[0]):
            return None
    return (
        "grad_output is mixed up: each entry of the gradient gets the same sum of grad_output, no matter which entry of the result it became"
        if any(len(case.rows) > 1 for case, *_ in wrong)
        else None
    )


@diagnosis("grad_output_misread", "gradient")
def _grad_output_misread(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    for words, change in (*_READ_OTHERWISE, *_LOST_IN_GRAD_OUTPUT) if wrong else ():
        if _misread(evidence, wrong[0][1], change):
            _, index, got, want = most_telling_one(wrong)
            return f"{words}: the gradient{of_argument(evidence, index)} is right for that{example_in_words(evidence, index, got, want)}"
    return None


_READ_OTHERWISE: tuple[tuple[str, Callable[[np.ndarray], np.ndarray]], ...] = (
    ("every entry of grad_output is read as the sum of all", lambda v: np.full_like(v, v.sum())),
    ("every entry of grad_output is read as the mean of all", lambda v: np.full_like(v, v.mean())),
    ("every entry of grad_output is read as the first one", lambda v: np.full_like(v, v.reshape(-1)[0])),
    ("every entry of grad_output is read as the last one", lambda v: np.full_like(v, v.reshape(-1)[-1])),
    (
        "every entry of grad_output is read as the sum of its row",
        lambda v: v.sum(axis=-1, keepdims=True) + 0 * v if v.ndim else v,
    ),
    ("the entries of grad_output are read in reversed order in each row", lambda v: np.flip(v, -1) if v.ndim else v),
    ("the rows of grad_output are read in reversed order", lambda v: np.flip(v, -2) if v.ndim > 1 else v),
    ("the entries of grad_output are read one place too late", lambda v: np.roll(v, 1, -1) if v.ndim else v),
    ("the entries of grad_output are read one place too early", lambda v: np.roll(v, -1, -1) if v.ndim else v),
    ("the rows of grad_output are read as its columns", lambda v: v.T.reshape(v.shape) if v.ndim == 2 else v),
    *(
        (f"only the {which} {place} of grad_output is used, and 0 for the others", part_only(axis, at))
        for axis, place in ((-1, "entry of each row"), (-2, "row"), (0, "place along axis 0"))
        for which, at in (("first", 0), ("last", -1))
    ),
    ("1 is added to every entry of grad_output", lambda v: v + 1),
    ("1 is subtracted from every entry of grad_output", lambda v: v - 1),
    ("every entry of grad_output is read as 1 minus this entry", lambda v: 1 - v),
    ("grad_output is rounded to whole numbers", np.round),
    ("grad_output is divided by its length", lambda v: v / np.sqrt((v**2).sum())),
)


def _misread(evidence: FunctionEvidence, index: int, change: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Whether every gradient is right for `change` of grad_output instead of grad_output."""
    told = 0
    for case, _, got, want in all_gradients(evidence, index):
        taken = flat(tuple(np.asarray(change(v)) for v in case.run.cotangent))
        told += int(wrong_slopes(got, want).sum())
        if not same_slopes(got, (taken @ case.numerical[index]).reshape(got.shape)):
            return False
    return told >= 3


@diagnosis("place", "gradient")
def _place(evidence: FunctionEvidence) -> str | None:
    wrong = [each for each in wrong_gradients(evidence) if each[1] == 0]
    for place in evidence.spec.places if wrong else ():
        masks = [place.mask(*case.arguments) for case, *_ in wrong]
        bad = [wrong_slopes(got, want) for _, _, got, want in wrong]
        if all((one <= mask).all() for one, mask in zip(bad, masks, strict=True)):
            _, index, got, want = most_telling_one(wrong)
            return f"the gradient{of_argument(evidence, index)} is wrong only {place.words}{example_in_words(evidence, index, got, want)}"
    return None


@diagnosis("gradient_of_another", "gradient")
def _gradient_of_another(evidence: FunctionEvidence) -> str | None:
    """The gradient of one argument is the right one of another argument, or minus that."""
    wrong = wrong_gradients(evidence)
    names = evidence.form.arguments
    for other in evidence.cases[0].numerical if wrong else ():
        index = wrong[0][1]
        every = list(all_gradients(evidence, index))
        for sign, words in ((1, ""), (-1, "minus ")):
            if other != index and all(
                other in case.numerical and same_slopes(got, sign * expected_gradient(case, case.run, other))
                for case, _, got, _ in every
            ):
                _, _, got, want = most_telling_one(wrong)
                return f"the gradient for {names[index]} is {words}what belongs to {names[other]}{example_in_words(evidence, index, got, want)}"
    return None


@diagnosis("one_result", "gradient")
def _one_result(evidence: FunctionEvidence) -> str | None:
    """With several results: the part of the gradient through one of them is lost, negated or doubled."""
    wrong = wrong_gradients(evidence)
    count = len(evidence.cases[0].run.cotangent)
    if not wrong or count < 2:
        return None
    for number in range(count):
        for factor, words in ((0, "is lost"), (-1, "has the wrong sign"), (2, "counts twice")):
            if all(
                same_slopes(got, want + (factor - 1) * _part_through(case, index, number))
                for case, index, got, want in all_gradients(evidence, wrong[0][1])
            ):
                _, index, got, want = most_telling_one(wrong)
                return f"the part of the gradient{of_argument(evidence, index)} that comes through result {number + 1} {words}{example_in_words(evidence, index, got, want)}"
    return None


def _part_through(case: Case, index: int, number: int) -> np.ndarray:
    """The part of the gradient that comes through one result."""
    only = tuple(v if n == number else 0 * v for n, v in enumerate(case.run.cotangent))
    return (flat(only) @ case.numerical[index]).reshape(np.shape(case.arguments[index]))


@diagnosis("broadcast_lost", "gradient")
def _broadcast_lost(evidence: FunctionEvidence) -> str | None:
    """The gradients of the uses of a broadcast argument are not added up, although the shape is right."""
    wrong = wrong_gradients(evidence)
    repeated = (
        [(case, got) for case, index, got, _ in all_gradients(evidence, wrong[0][1]) if was_broadcast(case, index)]
        if wrong
        else []
    )
    if not repeated or any(
        not is_broadcast(evidence, index) or not was_broadcast(case, index) for case, index, *_ in wrong
    ):
        return None
    _, index, got, want = most_telling_one(wrong)
    for words, change in (
        ("the first of its uses", lambda uses: uses[0]),
        ("the last of its uses", lambda uses: uses[-1]),
        ("the mean over its uses", lambda uses: uses.mean(axis=0)),
        ("the largest over its uses", lambda uses: uses.max(axis=0)),
        ("the smallest over its uses", lambda uses: uses.min(axis=0)),
    ):
        if all(same_slopes(each, change(_uses_of_entries(case, index)).reshape(each.shape)) for case, each in repeated):
            name = evidence.form.arguments[index]
            return f"if {name} is broadcast, its gradient is that of {words}, not of all together{example_in_words(evidence, index, got, want)}"
    return None


def _uses_of_entries(case: Case, index: int) -> np.ndarray:
    """The gradients of the uses of a broadcast argument, in order, one column per entry of the argument."""
    source, uses = sources(case, index), uses_of(case, index).reshape(-1)
    return np.stack([uses[source == entry] for entry in range(np.size(case.arguments[index]))], axis=1)


@diagnosis("related", "gradient")
def _related(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    found = relation_in_words(number_pairs(evidence, wrong), same_slopes) if wrong else None
    if found is None:
        return None
    _, index, got, want = most_telling_one(wrong)
    return f"the gradient{of_argument(evidence, index)} is {found}{example_in_words(evidence, index, got, want)}"


@diagnosis("order", "gradient")
def _order(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    if not wrong or not in_another_order(number_pairs(evidence, wrong), same_slopes):
        return None
    _, index, got, want = most_telling_one(wrong)
    return f"the gradient{of_argument(evidence, index)} has the right numbers, but not all at their places{example_in_words(evidence, index, got, want)}"


@diagnosis("not_linear", "gradient")
def _not_linear(evidence: FunctionEvidence) -> str | None:
    wrong = wrong_gradients(evidence)
    if not _right_for_ones_alone(wrong):
        return None
    _, index, got, want = most_telling_one(wrong)
    return f"{_RIGHT_FOR_ONES}it must be proportional to grad_output{example_in_words(evidence, index, got, want)}"


@diagnosis("slope", "gradient")
def _slope(evidence: FunctionEvidence) -> str | None:
    """Entry by entry, the gradient combines grad_output with a simple expression that is not the slope."""
    wrong = wrong_gradients(evidence)
    return _used_with_slope(evidence, wrong[0][1]) if wrong else None


def _used_with_slope(evidence: FunctionEvidence, argument: int) -> str | None:
    _, index, got, want = most_telling_one([each for each in wrong_gradients(evidence) if each[1] == argument])
    if relative_difference(got, want) < 1e-3:
        return None
    for use in _USES_OF_A_SLOPE:
        words = _used(evidence, index, use)
        if words:
            return use.message.format(words=words, of=of_argument(evidence, index)) + example_in_words(
                evidence, index, got, want
            )
    return None


@diagnosis("not_multiplied", "gradient")
def _not_multiplied(evidence: FunctionEvidence) -> str | None:
    """Backward is affine in grad_output: a part of the gradient does not depend on it.

    This is seen if each entry of the argument belongs to few entries of the result.
    """
    wrong = wrong_gradients(evidence)
    if not wrong:
        return None
    every = [each for each in all_gradients(evidence, wrong[0][1]) if len(each[0].rows) > 2]
    parts = [_constant_part(case, index, got) for case, index, got, _ in every]
    if not parts or not all(part is not None and np.abs(part).max() > 1e-4 for part in parts):
        return None
    _, index, got, want = most_telling_one(wrong)
    return (
        f"a part of the gradient{of_argument(evidence, index)} is not multiplied by grad_output: it is the same for every "
        f"grad_output; is a pair of parentheses missing, or something added?{example_in_words(evidence, index, got, want)}"
    )


def _constant_part(case: Case, index: int, got: np.ndarray) -> np.ndarray | None:
    """The constant part of the gradient, read from one-hot grad_outputs for which the right gradient is 0.

    None if it does not also explain the gradient for the random grad_output.
    """
    rows, right = case.analytical(index), case.numerical[index]
    away = np.abs(right) < 1e-7
    if rows is None or rows.shape != right.shape or (away.sum(axis=0) < 2).any():
        return None
    constant = np.array([rows[away[:, n], n][0] for n in range(rows.shape[1])])
    if not all(np.allclose(rows[away[:, n], n], constant[n]) for n in range(rows.shape[1])):
        return None
    linear = flat(case.run.cotangent) @ (rows - constant)
    return constant if same_slopes(got.reshape(-1), linear + constant) else None


@dataclass(frozen=True)
class _Use:
    """A way in which backward may combine grad_output, an expression and the right slope, entry by entry."""

    message: str
    gradient: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    needs_slope: bool = True


_USES_OF_A_SLOPE = (
    _Use(
        "the gradient{of} is grad_output times {words} at every input, as the numbers show; is that the slope of what "
        "forward computes?",
        lambda v, expression, slope: v * expression,
        needs_slope=False,
    ),
    _Use(
        "the gradient{of} is grad_output times the right slope and times {words} at every input, as the numbers show: one "
        "factor too much",
        lambda v, expression, slope: v * slope * expression,
    ),
    _Use(
        "only a part of the slope{of} is multiplied by grad_output: {words} stands alone, as the numbers show; is a pair of "
        "parentheses missing?",
        lambda v, expression, slope: v * (slope - expression) + expression,
    ),
    _Use(
        "something that does not depend on grad_output is added to the right gradient{of}: {words}, as the numbers show",
        lambda v, expression, slope: v * slope + expression,
    ),
    _Use(
        "something is added to the right slope{of} before it is multiplied by grad_output: {words}, as the numbers show",
        lambda v, expression, slope: v * (slope + expression),
    ),
    _Use(
        "grad_output is added to {words}, not multiplied by the slope, as the numbers show",
        lambda v, expression, slope: v + expression,
        needs_slope=False,
    ),
    _Use(
        "{words} is divided by grad_output, as the numbers show; the chain rule multiplies",
        lambda v, expression, slope: expression / v,
        needs_slope=False,
    ),
)


def _used(evidence: FunctionEvidence, index: int, use: _Use) -> str | None:
    """The expression, in words, with which `use` explains every gradient of an argument; None if there is none."""
    if len(evidence.cases[0].run.cotangent) != 1:
        return None
    gradients = list(all_gradients(evidence, index))
    numbers, slopes = [], []
    for case, _, _, _ in gradients:
        shape = case.expected[0].shape
        of_case = numbers_of(evidence, case, shape)
        if not of_case or not broadcasts(np.shape(case.arguments[index]), shape):
            return None
        entrywise = np.shape(case.arguments[index]) == shape or was_broadcast(case, index)
        own = np.shape(case.arguments[index]) != shape or _depends_on_own_entry(case, index)
        if use.needs_slope and not (entrywise and own):
            return None
        numbers.append(_with_result(case, of_case, evidence.form.arguments[index]))
        slopes.append(_entry_slopes(case, index) if entrywise and own else np.zeros(shape))
    common = set.intersection(*map(set, numbers)) if numbers else set()
    numbers = [{name: each[name] for name in each if name in common} for each in numbers]

    def fits(number: int, values: np.ndarray) -> bool:
        case, _, got, _ = gradients[number]
        used = use.gradient(case.run.cotangent[0], values, slopes[number])
        predicted = _added_up(used, got.shape)
        return got.shape == predicted.shape and bool(np.allclose(got, predicted, rtol=1e-6, atol=1e-7))

    return expression_in_words(numbers, fits)


def _with_result(case: Case, numbers: dict[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    """The numbers of an input, those of the argument first, then the result of forward."""
    result = (case.run.values or case.expected)[0]
    first = {name: numbers[name]} if name in numbers else {}
    return {**first, **numbers, "result": result if result.shape == case.expected[0].shape else case.expected[0]}


def _depends_on_own_entry(case: Case, index: int) -> bool:
    jacobian = case.numerical[index]
    square = jacobian.shape[0] == jacobian.shape[1]
    return square and bool(np.allclose(jacobian, np.diag(np.diag(jacobian)), atol=1e-6))


def _entry_slopes(case: Case, index: int) -> np.ndarray:
    """The right slope of each entry of the result with respect to the entry of the argument that it depends on."""
    shape = case.expected[0].shape
    return case.numerical[index][np.arange(case.expected[0].size), sources(case, index)].reshape(shape)


def _added_up(used: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An array of the result's shape, summed to the `shape` of an argument that was broadcast to it."""
    used = used.sum(axis=tuple(range(used.ndim - len(shape))))
    return used.sum(axis=tuple(n for n, size in enumerate(shape) if size == 1 != used.shape[n]), keepdims=True)


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
