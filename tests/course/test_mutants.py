"""Mistakes that are derived from references: their words, and that each of them is caught."""

import inspect
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from autograd_teach.course.checking import drawing
from autograd_teach.course.checks.call.asking import plain
from autograd_teach.course.checks.call.records import differences
from autograd_teach.course.checks.explaining import backward_of, changed, forward_of
from autograd_teach.course.checks.spec import CallSpec, FunctionSpec, as_drawn, copies, specified
from autograd_teach.course.exercises import Exercise, exercises
from autograd_teach.course.jacobian import as_values, same_slopes, wrong_values
from autograd_teach.course.mutants import Reference, Slip, TooLong, in_words
from autograd_teach.course.specs import spec_of


def chain(a, b, c):
    u = a * b + c  #: the step u
    slope = 2 * u  #: the slope of the square; a parabola gets steeper
    first = slope * b  #: what a gets by the product
    last = u * u  #: what a gets by the last step
    return first * a + last  #: the gradient of a; a is used twice


def mean(x, weight):
    total = (x * weight).sum(axis=0)  #: the sum over the rows
    if len(x) > 2:  #: whether there are rows enough
        total = total / len(x)  #: the mean
    return total @ weight.T  #: the product


def walk(numbers):
    found, at = [], 0
    while at < len(numbers):
        if numbers[at] > 0:  #: the numbers that count
            found.append(numbers[at])  #: adding a number to the list
        at = at + 1  #: the next place
    return found[1:]  #: what is left


def half(x):
    return x / 2  #: the half


def one(x):
    return half(x) + 1


def two(x):
    return half(x) + 2


def of_both(x):
    return one(x) + 10 * two(x)


def added_to_itself(x):
    x += 1  #: the sum
    return x


X, W = np.arange(6.0).reshape(3, 2) - 1.5, np.array([[1.0, 2.0], [3.0, -4.0]])
AT = (1.5, -2.0, 0.7)

MADE = {
    # what somebody computes, for which reference and arguments, and the words for it
    "a lost factor": (
        chain,
        AT,
        lambda a, b, c: (a * b + c) * b * a + (a * b + c) ** 2,
        "the slope of the square: 2 is left out; a parabola gets steeper",
    ),
    "a lost term": (
        chain,
        AT,
        lambda a, b, c: 2 * (a * b + c) * b * a,
        "the gradient of a: what a gets by the last step is left out; a is used twice",
    ),
    "a turned sign": (
        chain,
        AT,
        lambda a, b, c: 2 * (a * b - c) * b * a + (a * b - c) ** 2,
        "the step u: `c` is subtracted, not added",
    ),
    "another name": (
        chain,
        AT,
        lambda a, b, c: 2 * (a * b + c) * c * a + (a * b + c) ** 2,
        "what a gets by the product: `c` stands in the place of `b`",
    ),
    "a lesson": (
        chain,
        AT,
        lambda a, b, c: 2 * b * a + (a * b + c) ** 2,
        "the slope of the square: the step u is left out; a parabola gets steeper",
    ),
    "a mean for a sum": (
        mean,
        (X, W[0]),
        lambda x, w: (x * w).mean(axis=0) / 3 @ w,
        "the sum over the rows: this is the mean, but it must be the sum",
    ),
    "a condition": (
        walk,
        ([3, -1, 2, 0],),
        lambda numbers: numbers[1:],
        "the numbers that count: the condition is left out",
    ),
    "a helper of two": (of_both, (3.0,), lambda x: x + 1 + 10 * (x + 2), "the half: it is not divided by 2"),
    "a part": (walk, ([3, -1, 2],), lambda numbers: [3, 2], "what is left: everything is taken, not a part"),
}


@pytest.mark.parametrize("case", MADE)
def test_a_change_of_one_line_is_found_and_told(case: str) -> None:
    reference, arguments, wrong, words = MADE[case]
    made, given = Reference(reference), wrong(*arguments)
    fitting = [change for change in made.changes if is_same(tried(made, change, arguments), given)]
    assert fitting and in_words(fitting[:1]) == words
    assert is_same(made.run(None, *arguments), reference(*arguments)), "without a change it is right"


def tried(made: Reference, change: Any, arguments: Any, turns: int = 10) -> Any:
    try:
        return made.run(change, *copies(arguments), turns=turns)
    except Exception:  # noqa: BLE001  # a change may make anything of it
        return None


def is_same(one: Any, other: Any) -> bool:
    return one is not None and np.shape(one) == np.shape(other) and bool(np.allclose(one, other))


def test_a_changed_loop_comes_to_an_end() -> None:
    made = Reference(walk)
    made.run(None, [3, -1])
    assert made.turns == 2
    endless = [change for change in made.changes if change.label == "the next place" and "left out" in change.kind]
    with pytest.raises(TooLong):
        made.run(endless[0], [3, -1])


def test_a_slip_comes_first_and_belongs_to_one_line() -> None:
    slip = Slip("the slope of the square", "u", "a sentence of its own")
    first = Reference(chain, (slip,)).changes[0]
    assert first.is_declared and in_words([first]) == "a sentence of its own"
    with pytest.raises(ValueError, match="a slip belongs to one"):
        _ = Reference(chain, (Slip("what a gets", "0", ""),)).changes


def test_a_statement_that_changes_what_it_finds_has_no_label() -> None:
    with pytest.raises(ValueError, match="the end of a statement such as `a = a \\+ b`: the sum"):
        Reference(added_to_itself)


def test_two_lines_with_the_same_change_are_told_together() -> None:
    same = [each for each in Reference(chain).changes if each.kind == "its sign is lost" and not each.lesson]
    changes = sorted(same, key=lambda change: change.number)
    assert in_words(changes[:2]) == f"{changes[0].label} and {changes[1].label}: its sign is lost"


# ---- the references of the course ------------------------------------------------------------------------------------


def references(exercise: Exercise) -> Iterator[tuple[str, Callable[..., Any], Reference]]:
    """Each reference of an exercise that has labelled lines: what it gives, its function, its changes."""
    spec = spec_of(exercise)
    parts = {"result" if isinstance(spec, CallSpec) else "forward": forward_of(spec), "gradient": backward_of(spec)}
    for part, function in parts.items():
        made = changed(function, spec.mistakes)
        if made:
            yield part, function, made


@pytest.mark.parametrize("exercise", exercises(), ids=lambda each: each.id)
def test_an_exercise_has_references_whose_words_do_not_show_their_code(exercise: Exercise) -> None:
    found = list(references(exercise))
    assert {part for part, _, _ in found} >= (
        {"result"} if isinstance(spec_of(exercise), CallSpec) else {"forward", "gradient"}
    )
    for _, function, made in found:
        assert isinstance(function, FunctionType)
        assert len(set(made.labels)) == len(made.labels), "each label once"
        lines = [line.partition("#: ")[0].strip() for line in inspect.getsource(function).splitlines() if "#: " in line]
        codes = [line.partition("return ")[2] or line.partition(" = ")[2] for line in lines]
        for change in made.changes:
            told = in_words([change])
            assert not [code for code in codes if len(code) > 8 and code in told], told


ONLY_ELSEWHERE = {
    "08.repair_step": ("the loss: its sign is lost", "the loss: its negative entries are lost"),
    "14.HuberLoss": ("the sign of the error: `input` stands in a wrong place",),
    "16.Tape": (
        *(f"the slope of `a ** b` for b: {words}" for words in ("its sign is lost", "its negative entries are lost")),
        "the exponent in the slope of `a ** b` for a: its sign is lost",
        "the exponent in the slope of `a ** b` for a: its negative entries are lost",
        "the slope of `a ** b` for a: the exponent in the slope of `a ** b` for a has lost its sign",
        *(f"the value of `a.log()`: {words}" for words in ("its sign is lost", "its negative entries are lost")),
    ),
}
"""Changes that do not show in the numbers that a check draws. The grader draws others."""
COTANGENTS = np.random.default_rng(0)
SEEDS = 3
"""How often inputs are drawn anew, to see whether a change shows in any of them."""


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # a change may take the mean of nothing
@pytest.mark.parametrize("exercise", exercises(), ids=lambda each: each.id)
def test_a_change_that_shows_anywhere_shows_in_the_inputs_of_a_check(exercise: Exercise) -> None:
    """Every derived mistake that changes a result is caught: the inputs of a check leave none out."""
    spec = spec_of(exercise)
    if exercise.kind == "value":
        return
    of_check = list(map(as_drawn, spec.inputs(drawing(exercise))))
    others = [as_drawn(each) for seed in range(SEEDS) for each in spec.inputs(np.random.default_rng(1000 + seed))]
    missed = []
    for part, _, made in references(exercise):
        checked, elsewhere = (
            [shown(exercise, spec, part, made, each) for each in several] for several in (of_check, others)
        )
        for change in made.changes:
            if not any(differs(change) for differs in checked) and any(differs(change) for differs in elsewhere):
                missed.append(in_words([change]))
    assert sorted(missed) == sorted(ONLY_ELSEWHERE.get(exercise.id, ()))


def shown(exercise: Exercise, spec: Any, part: str, made: Reference, arguments: Any) -> Callable[[Any], bool]:
    """Whether a change gives something else for these arguments, as a check compares; a change that raises shows too."""
    if part == "result":
        given = tuple(map(specified, arguments))
        right, turns = plain(made.run(None, *map(specified, arguments))), made.turns

        def differs(change: Any) -> bool:
            got = tried(made, change, given, turns)
            return got is None or any(differences(spec.normal(plain(got)), spec.normal(right)))

        return differs
    assert isinstance(spec, FunctionSpec)
    values = spec.values(arguments)
    constants = exercise.form.constants  # type: ignore[union-attr]  # a Function's
    cotangents = [COTANGENTS.normal(size=each.shape) for n, each in enumerate(values) if n not in constants]
    given = (*(cotangents if part == "gradient" else ()), *arguments)
    right, turns = as_values(made.run(None, *copies(given))), made.turns

    def changes(change: Any) -> bool:
        got = tried(made, change, given, turns)
        if got is None or len(as_values(got)) != len(right):
            return True
        for one, other in zip(as_values(got), right, strict=True):
            if one.shape != other.shape or one.dtype.kind not in "fiub":
                return True
            if not same_slopes(one, other) if part == "gradient" else wrong_values(one, other).any():
                return True
        return False

    return changes
