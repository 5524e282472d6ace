"""What several diagnoses of backward share: how they read the evidence, and their words.

NumPy only, reads only evidence.
"""

from collections.abc import Iterator

import numpy as np

from ...jacobian import flat, is_float, same_slopes
from ..diagnosing import apart, index_in_words
from .checks import expected_gradient, gradient_right, returns_right, usable
from .evidence import Case, FunctionEvidence
from .records import Run
from .values import inputs_in_words, largest_difference, most_telling

Gradient = tuple[Case, int, np.ndarray, np.ndarray]
"""An input, the number of an argument, the gradient from backward and the right one."""


def was_broadcast(case: Case, index: int) -> bool:
    """Whether each entry of the result depends only on the entry of the argument that is broadcast to it."""
    shape, result = np.shape(case.arguments[index]), case.expected[0].shape
    if len(case.expected) != 1 or shape == result or not broadcasts(shape, result):
        return False
    jacobian = case.numerical[index]
    source = sources(case, index)
    own = np.zeros(jacobian.shape, dtype=bool)
    own[np.arange(source.size), source] = True
    return bool(np.allclose(jacobian[~own], 0, atol=1e-6))


def is_broadcast(evidence: FunctionEvidence, index: int) -> bool:
    """Whether an argument is broadcast wherever the result has another shape; one of a matrix product is not."""
    cases = [case for case in evidence.cases if index in case.numerical]
    return all(
        np.shape(case.arguments[index]) == case.expected[0].shape or was_broadcast(case, index) for case in cases
    )


def sources(case: Case, index: int) -> np.ndarray:
    """For each entry of the result, the number of the argument's entry that is broadcast to it."""
    shape = np.shape(case.arguments[index])
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    return np.broadcast_to(numbers, case.expected[0].shape).reshape(-1)


def uses_of(case: Case, index: int) -> np.ndarray:
    """The gradient of each use of a broadcast argument, in the shape of the result."""
    slopes = case.numerical[index][np.arange(case.expected[0].size), sources(case, index)]
    return (flat(case.run.cotangent) * slopes).reshape(case.expected[0].shape)


def all_gradients(
    evidence: FunctionEvidence, only: int | None = None
) -> Iterator[tuple[Case, int, np.ndarray, np.ndarray]]:
    """(case, argument, got, expected) for each gradient of the right shape, from the runs with random cotangents."""
    for case in evidence.cases:
        for index in case.numerical:
            got = usable(case.run, index) if only in (None, index) else None
            if got is not None and gradient_right(case, case.run, index) is not None:
                yield case, index, got, expected_gradient(case, case.run, index)


def wrong_gradients(evidence: FunctionEvidence) -> list[tuple[Case, int, np.ndarray, np.ndarray]]:
    """The wrong gradients of `all_gradients`, only those of the first argument that has one."""
    wrong = [each for each in all_gradients(evidence) if not same_slopes(each[2], each[3])]
    return [each for each in wrong if each[1] == wrong[0][1]]


def most_telling_one(wrong: list[Gradient]) -> Gradient:
    """The gradient that a message shows: that of the smallest input whose two numbers look different."""
    return most_telling(wrong)


def right_otherwise(evidence: FunctionEvidence) -> bool:
    return not any(run.changed for run in evidence.runs)


def first_returned(evidence: FunctionEvidence) -> Run | None:
    """The first run whose backward returned something wrong, or else the first one that returned."""
    ran = [run for run in evidence.runs if run.returned is not None]
    return next((run for run in ran if not returns_right(run)), ran[0] if ran else None)


def has_gradient(run: Run | None, index: int) -> bool:
    return run is not None and index < len(run.arguments) and is_float(run.arguments[index])


def broadcasts(shape: tuple[int, ...], result: tuple[int, ...]) -> bool:
    """Whether an array of `shape` can be broadcast to the shape `result`.

    >>> broadcasts((2, 1), (2, 3)), broadcasts((2,), (2, 3))
    (True, False)
    """
    aligned = zip(reversed(shape), reversed(result), strict=False)
    return len(shape) <= len(result) and all(size in (1, large) for size, large in aligned)


def of_argument(evidence: FunctionEvidence, index: int) -> str:
    names = evidence.form.arguments
    several = len(evidence.cases[0].numerical) > 1
    return f" for {names[index]}" if several else ""


def example_in_words(evidence: FunctionEvidence, index: int, got: np.ndarray, want: np.ndarray) -> str:
    at = largest_difference(got, want)
    is_, must = apart(float(got[at]), float(want[at]))
    entry = f"entry {index_in_words(at)} of " if at else ""
    of = f"{entry}the gradient{of_argument(evidence, index)}"
    return f" ({of}: yours is {is_}, it must be {must}{_of_which_input(evidence, index, got)})"


def _of_which_input(evidence: FunctionEvidence, index: int, got: np.ndarray) -> str:
    """The input of a gradient in words; "" for the smallest one that fails, because the report shows it."""
    wrong = [each for each in wrong_gradients(evidence) if each[1] == index]
    case = next((case for case, _, each, _ in wrong[1:] if each is got), None)
    return f", for {inputs_in_words(evidence, case)}" if case else ""


def dimensions_of(run: Run) -> int:
    return np.ndim(run.arguments[0])


def values_in_words(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"
