"""Diagnoses of what backward returns: the number of values, their order, types and shapes.

NumPy only, reads only evidence. A message names the entry, argument or line and shows numbers; it never gives the answer
away. To add a diagnosis, write a function `(FunctionEvidence) -> str | None` with the decorator
`@diagnosis(name, checks that it explains)`, at its place in the order.
"""

import itertools
from collections.abc import Iterator

import numpy as np

from ...jacobian import same_slopes
from ..diagnosing import Diagnosis, a_or_an, into
from .checks import expected_gradient, usable, without_extra_none
from .evidence import Case, FunctionEvidence
from .reading import (
    first_returned,
    has_gradient,
    is_broadcast,
    uses_of,
    values_in_words,
    was_broadcast,
    wrong_gradients,
)
from .records import Odd
from .values import inputs_in_words, only_for

RETURNED: list[Diagnosis] = []
diagnosis = into(RETURNED)


@diagnosis("nothing_returned", "returns")
def _nothing_returned(evidence: FunctionEvidence) -> str | None:
    run = first_returned(evidence)
    arguments = evidence.form.arguments
    if run is None or any(entry is not None for entry in run.returned or ()):
        return None
    if len(arguments) > 1 and len(run.returned or ()) > 1:
        return None
    returned = [each for each in evidence.runs if each.returned is not None]
    where = only_for(
        evidence, [each for each in returned if not any(entry is not None for entry in each.returned or ())], returned
    )
    return f"backward returns None{where}: is there a `return`, and is its value not None? It must return a gradient for {arguments[0]}"


@diagnosis("list_for_tuple", "returns")
def _list_for_tuple(evidence: FunctionEvidence) -> str | None:
    run, count = first_returned(evidence), len(evidence.form.arguments)
    returned = (run.returned or ()) if run else ()
    if count > 1 and len(returned) == 1 and isinstance(returned[0], Odd) and returned[0].type == "list":
        return f"backward returns a list: return the {count} values as a tuple, with commas between them"
    if count > 1 and len(returned) == 1 and isinstance(returned[0], Odd) and returned[0].type == "tuple":
        return (
            f"backward returns 1 value, which is itself a tuple: return the {count} values, one for each argument of "
            "forward, without a second tuple around them"
        )
    return None


@diagnosis("too_few", "returns")
def _too_few(evidence: FunctionEvidence) -> str | None:
    run = first_returned(evidence)
    names = evidence.form.arguments
    count = len(run.returned or ()) if run else len(names)
    if count >= len(names):
        return None
    enough = run is not None and any(len(each.returned or names) >= len(names) for each in evidence.runs)
    here = f"; this happens for {inputs_in_words(evidence, run)}" if enough and run else ""
    return (
        f"backward returns {values_in_words(count)}, forward takes {len(names)} arguments ({', '.join(names)}): "
        f"one for each, in that order, and None where there is no gradient{here}"
    )


@diagnosis("one_per_result", "returns", "gradient")
def _one_per_result(evidence: FunctionEvidence) -> str | None:
    run, names, results = first_returned(evidence), evidence.form.arguments, evidence.form.results
    count = len(without_extra_none(run)) if run else 0
    if run is None or count != results or len(run.values or ()) != results or results <= len(names):
        return None
    all_of_them = "" if evidence.form.constants else ", to which all the results contribute"
    return (
        f"backward returns {values_in_words(count)}, as many as forward has results; it must return one for each argument of forward "
        f"({', '.join(names)}){all_of_them}"
    )


@diagnosis("too_many", "returns")
def _too_many(evidence: FunctionEvidence) -> str | None:
    run = first_returned(evidence)
    names = evidence.form.arguments
    count = len(without_extra_none(run)) if run else 0
    if run is None or count <= len(names):
        return None
    takes = "1 argument" if len(names) == 1 else f"{len(names)} arguments"
    return f"backward returns {values_in_words(count)}, forward takes {takes} ({', '.join(names)}): one for each; ctx gets no value"


@diagnosis("swapped_return", "returns")
def _swapped_return(evidence: FunctionEvidence) -> str | None:
    run = first_returned(evidence)
    returned, names = (run.returned or (), evidence.form.arguments) if run else ((), ())
    for index, entry in enumerate(returned):
        if run is not None and entry is None and has_gradient(run, index):
            for other, value in enumerate(returned):
                fits = isinstance(value, np.ndarray) and value.shape == np.shape(run.arguments[index])
                if fits and not has_gradient(run, other) and other < len(names):
                    return f"the gradient for {names[index]} is at the place of {names[other]}: the order must be that of forward's arguments"
    return None


@diagnosis("none_for_tensor", "returns")
def _none_for_tensor(evidence: FunctionEvidence) -> str | None:
    returned = [run for run in evidence.runs if run.returned is not None]
    for index, name in enumerate(evidence.form.arguments):
        owing = [run for run in returned if has_gradient(run, index) and len(run.returned or ()) > index]
        bad = [run for run in owing if (run.returned or ())[index] is None]
        if bad:
            where = only_for(evidence, bad, owing) or _given_otherwise(evidence, index)
            return f"backward returns None for {name}, which is a tensor and has a gradient{where}"
    return None


def _given_otherwise(evidence: FunctionEvidence, index: int) -> str:
    """The argument that alone requires grad in a run that gives a gradient for argument `index`, in words; else ""."""
    names = evidence.form.arguments
    for asked, run in evidence.needed.items():
        if isinstance(dict(enumerate(run.returned or ())).get(index), np.ndarray):
            return f", if all arguments require grad; if only {names[asked]} does, it returns a gradient for {names[index]}"
    return ""


@diagnosis("tensor_for_constant", "returns")
def _tensor_for_constant(evidence: FunctionEvidence) -> str | None:
    run = first_returned(evidence)
    for index, entry in enumerate((run.returned or ()) if run else ()):
        if run is not None and entry is not None and not has_gradient(run, index):
            name = evidence.form.arguments[index]
            what = "a tensor" if isinstance(entry, np.ndarray) else a_or_an(entry.type)
            given = run.arguments[index]
            why = ", which is not a tensor"
            if isinstance(given, np.ndarray):
                holds = "whole numbers" if given.dtype.kind in "iu" else given.dtype
                why = f", which holds {holds} and has no gradient"
            none = f" where {name} is None" if given is None else f" for {name}{why}"
            return f"backward returns {what}{none}: it must return None there"
    return None


@diagnosis("not_a_tensor", "returns")
def _not_a_tensor(evidence: FunctionEvidence) -> str | None:
    run = first_returned(evidence)
    for index, entry in enumerate((run.returned or ()) if run else ()):
        if isinstance(entry, Odd):
            name = evidence.form.arguments[index]
            return f"the gradient for {name} is {a_or_an(entry.type)}; it must be a tensor"
    return None


@diagnosis("not_summed", "returns")
def _not_summed(evidence: FunctionEvidence) -> str | None:
    if _swapped_shapes(evidence):
        return None
    for case, index, entry in _misshapen(evidence):
        shape, _result = np.shape(case.arguments[index]), case.expected[0].shape
        alike = [(each, got) for each, n, got in _misshapen(evidence) if n == index]
        if is_broadcast(evidence, index) and all(
            got.shape == each.expected[0].shape and was_broadcast(each, index) for each, got in alike
        ):
            name = evidence.form.arguments[index]
            return (
                f"the gradient for {name} has the shape of the result, {entry.shape}; {name} has shape {shape} and was "
                "broadcast, so its numbers were used several times: the gradients of all uses of a number must be added up"
            )
    return None


@diagnosis("summed_wrongly", "returns", "gradient")
def _summed_wrongly(evidence: FunctionEvidence) -> str | None:
    """The gradients of the uses of a broadcast argument are summed along other axes than the repeated ones."""
    if _swapped_shapes(evidence):
        return None
    wrong = [*_misshapen(evidence), *((case, index, got) for case, index, got, _ in wrong_gradients(evidence))]
    wrong = [each for each in wrong if each[1] == wrong[0][1]]
    if not wrong or not all(
        is_broadcast(evidence, index) and was_broadcast(case, index) and _axes_summed(case, index, got)
        for case, index, got in wrong
    ):
        return None
    case, index, got = wrong[0]
    name, shape, axes = (
        evidence.form.arguments[index],
        np.shape(case.arguments[index]),
        _axes_summed(*wrong[0]),
    )
    along = "over all axes" if len(axes or ()) == case.expected[0].ndim else f"along {_axes(axes or ())}"
    other = f" has shape {got.shape}, {name} itself {shape}: it" if got.shape != shape else ""
    repeated = _axes(_axes_repeated(shape, case.expected[0].shape))
    return (
        f"the gradient for {name}{other} is added up {along} of the result, but the entries of {name} were repeated along "
        f"{repeated} (where it has shape {shape}, and the result {case.expected[0].shape})"
    )


def _axes_repeated(shape: tuple[int, ...], result: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of the result along which an argument of this shape was repeated."""
    padded = (1,) * (len(result) - len(shape)) + shape
    missing = len(result) - len(shape)
    return tuple(
        axis for axis, (one, other) in enumerate(zip(padded, result, strict=True)) if axis < missing or one != other
    )


def _misshapen(evidence: FunctionEvidence) -> Iterator[tuple[Case, int, np.ndarray]]:
    """The gradients of float arguments that have a wrong shape."""
    for case in evidence.cases:
        for index, entry in enumerate((case.run.returned or ())[: len(case.arguments)]):
            if (
                index in case.numerical
                and isinstance(entry, np.ndarray)
                and entry.shape != np.shape(case.arguments[index])
            ):
                yield case, index, entry


def _axes_summed(case: Case, index: int, entry: np.ndarray) -> tuple[int, ...] | None:
    """The axes over which the gradients of the uses were wrongly summed; None if this does not explain `entry`."""
    uses = uses_of(case, index)
    for count in range(1, uses.ndim + 1):
        for axes in itertools.combinations(range(uses.ndim), count):
            if any(same_slopes(entry, uses.sum(axis=axes, keepdims=keep)) for keep in (False, True)):
                right = same_slopes(
                    uses.sum(axis=axes).reshape(-1), expected_gradient(case, case.run, index).reshape(-1)
                )
                return None if right else axes
    return None


def _axes(axes: tuple[int, ...]) -> str:
    return f"{'axis' if len(axes) == 1 else 'axes'} {' and '.join(map(str, axes))}"


@diagnosis("transposed", "returns", "gradient")
def _transposed_shape(evidence: FunctionEvidence) -> str | None:
    for case, index, entry in _misshapen(evidence):
        shape = np.shape(case.arguments[index])
        if len(shape) == 2 and entry.shape == shape[::-1]:
            name = evidence.form.arguments[index]
            if same_slopes(entry.T, expected_gradient(case, case.run, index)):
                return f"the gradient for {name} is transposed: it has shape {entry.shape}, {name} itself {shape}"
    return None


@diagnosis("swapped_gradients", "returns", "gradient")
def _swapped_shapes(evidence: FunctionEvidence) -> str | None:
    """Gradients of different shapes are in a wrong order, as their numbers and shapes show."""
    arguments, names = list(evidence.cases[0].numerical), evidence.form.arguments
    misshapen = {index for _, index, _ in _misshapen(evidence)}
    for order in itertools.permutations(arguments) if misshapen else ():
        moved = [(place, owner) for place, owner in zip(arguments, order, strict=True) if place != owner]
        if moved and all(_stands_at(case, place, owner) for case in evidence.cases for place, owner in moved):
            if len(moved) == 2:
                one, other = sorted(moved[0])
                return f"the gradients for {names[one]} and {names[other]} have changed places: the order must be that of forward's arguments"
            told = " and ".join(f"that for {names[owner]} at the place of {names[place]}" for place, owner in moved)
            return f"the gradients are in another order than forward's arguments: {told}"
    return None


def _stands_at(case: Case, place: int, owner: int) -> bool:
    """Whether the gradient of one argument is at the place of another; also True if backward did not return."""
    if case.run.returned is None or owner not in case.numerical:
        return True
    entry = case.run.returned[place] if place < len(case.run.returned) else None
    return isinstance(entry, np.ndarray) and same_slopes(entry, expected_gradient(case, case.run, owner))


@diagnosis("wrong_shape", "returns")
def _wrong_shape(evidence: FunctionEvidence) -> str | None:
    for case, index, entry in _misshapen(evidence):
        name, shape = evidence.form.arguments[index], np.shape(case.arguments[index])
        others = any(usable(each.run, index) is not None for each in evidence.cases)
        where = f"; this happens for {inputs_in_words(evidence, case)}" if others else ""
        return (
            f"the gradient for {name} has shape {entry.shape}, {name} itself {shape}: the shapes must be equal{where}"
        )
    return None
