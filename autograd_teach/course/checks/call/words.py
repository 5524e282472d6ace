"""What several diagnoses of calls share: how they read the evidence, and their words.

NumPy only, reads only evidence.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...exercises.declaration import Prepared
from ..diagnosing import a_or_an, apart, size_shown
from ..relations import same
from ..spec import specified
from ..writing import are_apart
from .checks import Difference
from .checks import wrong_calls as all_wrong_calls
from .evidence import CallEvidence
from .records import NOTHING, Called, NumPyArray, OwnList, OwnTuple, Strange


def wrong_calls(evidence: CallEvidence) -> list[tuple[Called, list[Difference]]]:
    """The calls whose result is wrong, those with the smallest arguments first."""
    return sorted(all_wrong_calls(evidence), key=lambda each: size_shown(each[0].arguments))


def right_calls(evidence: CallEvidence) -> list[Called]:
    """The calls that gave the right result."""
    wrong = {id(called) for called, _ in all_wrong_calls(evidence)}
    return [called for called in evidence.calls if called.result is not NOTHING and id(called) not in wrong]


def specified_arguments(called: Called) -> list[Any]:
    """The arguments as they are passed to the specification."""
    return list(map(specified, called.arguments))


def same_numbers(at: Difference) -> bool:
    """Whether the result has the right numbers, but in an object of the wrong kind."""
    try:
        got, want = np.asarray(at.got, dtype=float), np.asarray(at.expected, dtype=float)
    except (TypeError, ValueError):
        return False
    return want.size > 0 and same(got, want)


def listed(values: list[Any]) -> str:
    """The first three values, and how many more there are."""
    more = f" and {len(values) - 3} more" if len(values) > 3 else ""
    return f"{', '.join(map(str, values[:3]))}{more}"


def first_of_kind(evidence: CallEvidence, kind: str) -> tuple[Called, Difference] | None:
    """The first difference of this kind, with the smallest call that has one."""
    found = [(called, at) for called, several in wrong_calls(evidence) for at in several if at.kind == kind]
    return found[0] if found else None


@dataclass(frozen=True)
class _Number:
    """One number or array of the result of a call, and the right one."""

    called: Called
    path: str
    got: np.ndarray
    want: np.ndarray

    @property
    def pair(self) -> tuple[np.ndarray, np.ndarray]:
        return self.got, self.want

    @property
    def is_wrong(self) -> bool:
        return not same(self.got, self.want)


def number_pairs(evidence: CallEvidence, stacked: bool = False) -> list[_Number]:
    """All numbers of all calls, right and wrong.

    Empty if something other than a finite number is wrong, and for predictions. stacked: a list of numbers, or of arrays
    of one shape, counts as one array.
    """
    wrong = [at for _, several in all_wrong_calls(evidence) for at in several]
    if evidence.exercise.kind == "value" or not all(map(is_finite, wrong)):
        return []
    normal = evidence.spec.normal
    return [
        _Number(called, path, got, want)
        for called in evidence.calls
        if called.result is not NOTHING
        for path, got, want in _leaves(normal(called.result), normal(called.expected), "", stacked)
    ]


def is_finite(at: Difference) -> bool:
    sides = at.kind == "value" and isinstance(at.got, np.ndarray) and isinstance(at.expected, np.ndarray)
    return bool(sides and at.got.dtype.kind in "fiu" and at.expected.dtype.kind in "fiu" and np.isfinite(at.got).all())


def largest(at: Difference) -> float:
    """The size of a difference; infinite if a side is not a finite number. The largest does not look like rounding."""
    if not is_finite(at):
        return math.inf
    return float(np.max(np.abs(at.got.astype(float) - at.expected.astype(float)), initial=0.0))


def is_plain(at: Difference) -> bool:
    """Whether a difference is too large to be rounding."""
    return not is_finite(at) or largest(at) > 0.02 * float(np.max(np.abs(at.expected), initial=0.0))


def _leaves(got: Any, want: Any, path: str, stacked: bool) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    if stacked and isinstance(want, list):
        one, other = _stacked(got), _stacked(want)
        if one is not None and other is not None and one.shape == other.shape:
            yield path, one, other
            return
    if isinstance(want, list | dict):
        for key in want if isinstance(want, dict) else range(len(want)):
            yield from _leaves(got[key], want[key], f"{path}[{key!r}]", stacked)
        return
    one, other = as_numbers(got), as_numbers(want)
    if one is not None and other is not None and one.size == other.size:
        yield path, one.reshape(other.shape), other


def as_numbers(value: Any) -> np.ndarray | None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.ndarray):
        return None
    array = np.asarray(value)
    return array.astype(float) if array.dtype.kind in "fiu" else None


def _stacked(values: Any) -> np.ndarray | None:
    arrays = [as_numbers(each) for each in values]
    if not arrays or any(each is None or each.shape != arrays[0].shape for each in arrays):  # type: ignore[union-attr]
        return None
    return np.stack(arrays)  # type: ignore[arg-type]  # none is None


def parts_in_words(paths: list[str], evidence: CallEvidence) -> str:
    """The parts of the result at `paths`, followed by "is" or "are"."""
    paths = list(dict.fromkeys(paths))
    if paths == [""]:
        return "the result is"
    if len(paths) == 1:
        return f"result{paths[0]} is"
    every = {each.path for each in number_pairs(evidence)}
    if every and set(paths) == every:
        return "the result is"
    if len(paths) <= 3:
        return f"{', '.join(f'result{path}' for path in paths[:-1])} and result{paths[-1]} are"
    return f"{len(paths)} parts of the result are"


def right_parts(wrong: list[str], numbers: list[_Number]) -> str:
    paths = [path for path in dict.fromkeys(each.path for each in numbers) if path not in wrong]
    if not 0 < len(paths) <= 3:
        return ""
    words = " and ".join(f"result{path}" if path else "the result" for path in paths)
    return f"; {words} {'is' if len(paths) == 1 else 'are'} right"


def scope_in_words(evidence: CallEvidence, calls: Sequence[Called]) -> str:
    """The inputs of `calls` in words: by an argument that separates them from the others, else by their number.

    "" if these are all inputs that returned.
    """
    chosen = {id(called) for called in calls}
    returned = [called for called in evidence.calls if called.result is not NOTHING]
    others = [called for called in returned if id(called) not in chosen]
    mine = [called for called in returned if id(called) in chosen]
    if not others:
        return ""
    marks: Sequence[tuple[Callable[[Any], Any], Callable[[str, Any], str]]]
    marks = ((_plain_value, _equals), (_dimensions, _has_dimensions))
    for number, name in enumerate(evidence.form.arguments):
        for value_of, in_words in marks:
            here = {value_of(called.arguments[number]) for called in mine}
            there = {value_of(called.arguments[number]) for called in others}
            if None not in here | there and not here & there:
                # a single input may have its value by chance, but 0 dimensions are not chance
                if len(here) == 1 and (len(mine) > 1 or here == {0} and value_of is _dimensions):
                    return f", for every input where {in_words(name, here.pop())}"
                if len(there) == 1 and len(others) > 1:
                    return f", for every input but those where {in_words(name, there.pop())}"
    texts = texts_apart(evidence, calls)
    if texts and texts.always:
        return f", for every input where {texts.argument} is {_in_a_row(texts.wrong, 'or')}"
    return f", for {len(mine)} of {len(returned)} inputs"


MOST_TEXTS = 8
"""An argument with more different texts is not told by its values: the sentence would be too long."""


@dataclass(frozen=True)
class _Texts:
    """An argument that is a text, and its values with and without calls of a group."""

    argument: str
    wrong: list[str]
    right: list[str]
    always: bool
    """Whether all calls with the values `wrong` are in the group."""

    def __str__(self) -> str:
        some = "" if self.always else "some inputs with "
        return f"for {some}{self.argument} = {_in_a_row(self.wrong, 'and')}, right for {_in_a_row(self.right, 'and')}"


def texts_apart(evidence: CallEvidence, calls: Sequence[Called]) -> _Texts | None:
    """An argument with few different texts, some of which none of `calls` has; None if there is no such argument."""
    chosen = {id(called) for called in calls}
    returned = [called for called in evidence.calls if called.result is not NOTHING]
    for number, name in enumerate(evidence.form.arguments):
        values = [called.arguments[number] for called in returned]
        every = list(dict.fromkeys(values)) if all(isinstance(each, str) for each in values) else []
        pairs = list(zip(values, (id(called) in chosen for called in returned), strict=True))
        wrong = [each for each in every if (each, True) in pairs]
        right = [each for each in every if each not in wrong]
        if wrong and right and len(every) <= min(MOST_TEXTS, len(returned) // 2):
            return _Texts(name, wrong, right, not any((each, False) in pairs for each in wrong))
    return None


def _in_a_row(values: Sequence[str], word: str) -> str:
    *first, last = map(repr, values)
    return f"{', '.join(first)} {word} {last}" if first else last


def _plain_value(argument: Any) -> Any:
    return argument if isinstance(argument, int | str) else None  # floats are random: their values say nothing


def _dimensions(argument: Any) -> int | None:
    array = getattr(argument, "array", argument)
    return array.ndim if isinstance(array, np.ndarray) else None


def _equals(name: str, value: Any) -> str:
    return f"{name} is {value!r}"


def _has_dimensions(name: str, dimensions: int) -> str:
    return f"{name} has {dimensions} dimension{'s' if dimensions != 1 else ''}" if dimensions else f"{name} is 0-d"


def example_in_words(calls: Sequence[Called]) -> str:
    which = "One such input" if len(calls) > 1 else "This input"
    return f" {which}: {inputs_in_words(calls[0])}" if calls[0].arguments else ""


def both_shown(at: Difference) -> str:
    """The result and the right one, with enough digits to differ."""
    if at.kind == "value" and is_finite(at) and at.got.size == 1:
        got, want = at.got.reshape(()), at.expected.reshape(())
        if at.got.dtype.kind == "f" or at.expected.dtype.kind == "f":
            one, other = apart(float(got), float(want))
            return f"{one}, it must be {other}"
    for digits in range(4, 18):
        one, other = value_in_words(at.got, digits), value_in_words(at.expected, digits)
        if one != other and are_apart(at.expected, at.got, digits):
            return f"{one}, it must be {other}"
    return f"{value_in_words(at.got)}, it must be {value_in_words(at.expected)}"


def what_differs(at: Difference) -> str:
    return f"result{at.path}" if at.path else "the result"


def item_of(at: Difference) -> str:
    """The entry of a prediction that differs: "a" for the path "['a']['is_leaf']"."""
    return at.path[1:].partition("]")[0].strip("'")


def kind_of(value: Any) -> str:
    match value:
        case None:
            return "None"
        case bool():
            return "True or False"
        case Strange(name):
            return a_or_an(name)
        case NumPyArray():
            return f"a NumPy array of shape {value.shape}"
        case np.ndarray() if value.dtype == bool:
            return "True or False" if value.ndim == 0 else "a tensor of True and False"
        case np.ndarray():
            return f"a tensor of shape {value.shape}"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case dict():
            return "a dict"
        case OwnList():
            return f"a list of {entries_in_words(len(value))}"
        case OwnTuple():
            return f"a tuple of {entries_in_words(len(value))}"
    return f"a list or tuple of {entries_in_words(len(value))}"


def entries_in_words(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def value_in_words(value: Any, digits: int = 4) -> str:
    if isinstance(value, Strange):
        return a_or_an(value.type)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=digits, separator=", ", threshold=12).replace("\n", " ")
    return f"{value:.{max(digits, 6)}g}" if isinstance(value, float) else repr(value)


def for_input(called: Called) -> str:
    return f", for {inputs_in_words(called)}" if called.arguments else ""


def inputs_in_words(called: Called) -> str:
    words = []
    for name, value in zip(called.names, called.arguments, strict=True):
        if isinstance(value, Prepared):
            words.append(_cut(value.in_words(name)))
            continue
        shown = (
            f"of shape {value.shape}"
            if isinstance(value, np.ndarray) and (value.size > 4 or value.ndim > 1 or value.size == 0)
            else f"= {value_in_words(value)}"
        )
        shown += " of shape ()" if isinstance(value, np.ndarray) and value.ndim == 0 else ""
        is_common = not isinstance(value, np.ndarray) or value.dtype in (np.float64, np.bool_)
        words.append(f"{name} {shown}" if is_common else f"{name} {shown} of dtype {value.dtype}")
    return ", ".join(words)


def _cut(text: str, width: int = 200) -> str:
    """The beginning and the end of a text that is too long."""
    return text if len(text) <= width else f"{text[: width * 2 // 3].rstrip()} ... {text[-width // 4 :].lstrip()}"
