"""Values, entries and inputs in words and in the rows of a report, two sides with enough digits to differ.

NumPy only.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..exercises.declaration import CallForm, Form, Prepared
from ..jacobian import wrong_slopes, wrong_values
from .records import NumPyArray, OwnList, OwnTuple, Strange

LINES, WIDTH = 12, 600
"""The number of lines and characters that are shown of one value."""


def a_or_an(type_name: str) -> str:
    return f"{'an' if type_name[:1] in 'aeio' else 'a'} {type_name}"


def cut(rows: dict[str, str]) -> dict[str, str]:
    """The rows, with values that are too long shortened."""
    short = {}
    for name, text in rows.items():
        if len(text) > 2 * WIDTH:
            text = f"{text[:WIDTH].rstrip()} ... {text[-WIDTH // 2 :].lstrip()}"
        lines = text.split("\n")
        short[name] = "\n".join(lines if len(lines) <= LINES + 1 else [*lines[:LINES], "..."])
    return short


def both_sides(
    expected: Sequence[Any], got: Sequence[Any], right: str = "specified", digits: int = 0
) -> dict[str, str]:
    """The right and the actual result with `digits` digits; if that is 0, with enough to differ, else with what they are.

    >>> both_sides([np.array([0.5])], [np.array([0.50001])])
    {'specified': '[0.500000]', 'yours': '[0.500010]'}
    >>> both_sides([np.array([0.5])], [np.array([0.5], dtype=np.float32)], "declared")
    {'declared': '[0.500]  (float64, shape (1,))', 'yours': '[0.500]  (float32, shape (1,))'}
    """
    digits = digits or digits_apart(expected, got) or 0
    rows = dict(zip((right, "yours"), _written(expected, got, digits or 3), strict=True))
    if digits:
        return rows
    kinds = [", ".join(map(_kind, values)) for values in (expected, got)]
    notes = [f"  ({kind})" if kinds[0] != kinds[1] else "" for kind in kinds]
    return {name: text + note for (name, text), note in zip(rows.items(), notes, strict=True)}


def digits_apart(expected: Sequence[object], got: Sequence[object]) -> int | None:
    """The decimal places with which the right and the actual result look different; None if they never do."""
    for digits in (3, 6, 9, 12, 15, 18):
        one, other = _written(expected, got, digits)
        if one != other and are_apart(list(expected), list(got), digits):
            return digits
    return None


def _written(expected: Sequence[object], got: Sequence[object], digits: int) -> list[str]:
    return [", ".join(number(_decimal(value), digits) for value in values) for values in (expected, got)]


def are_apart(expected: object, got: object, digits: int) -> bool:
    """Whether all wrong numbers differ from the right ones by what so many digits can show."""
    pairs = list(_float_pairs(_decimal(expected), _decimal(got)))
    wrong = wrong_slopes if any(wrong_slopes(*pair).any() for pair in pairs) else wrong_values
    return not any((np.abs(one - other)[wrong(one, other)] < 10.0**-digits).any() for one, other in pairs)


def _float_pairs(expected: object, got: object) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The arrays of floats of an actual result, each with the right one, if their shapes are equal."""
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for one, other in zip(expected, got, strict=True):
            yield from _float_pairs(one, other)
    elif isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        for key in expected:
            yield from _float_pairs(expected[key], got[key])
    elif isinstance(expected, np.ndarray) and isinstance(got, np.ndarray) and expected.shape == got.shape:
        yield from [(got, expected)] if expected.dtype.kind == got.dtype.kind == "f" else []


def _kind(value: object) -> str:
    if not isinstance(value, np.ndarray):
        return f"a Python {type(value).__name__}"
    return f"{'' if type(value) is np.ndarray else 'a NumPy array, '}{value.dtype}, shape {value.shape}"


def given(value: object) -> str:
    """An argument as text; a tensor with its shape if the numbers do not show it, and with a dtype other than float64.

    >>> given(np.zeros((0, 2))), given(np.array(2)), given(2), given(np.array([2.0]))
    ('[]  (a tensor of shape (0, 2))', '2  (a tensor of shape () and of dtype int64)', '2', '[2.000]')
    """
    array = getattr(value, "array", value)
    if not isinstance(array, np.ndarray):
        return number(value)
    words = [f"of shape {array.shape}"] if array.ndim == 0 or array.size == 0 else []
    words += [f"of dtype {array.dtype}"] if array.dtype != np.float64 else []
    return number(value) + (f"  (a tensor {' and '.join(words)})" if words else "")


def _decimal(value: object) -> object:
    """The result with floats as arrays, so that floats and tensors are written alike."""
    match value:
        case float():
            return np.asarray(value)
        case list():
            return type(value)(_decimal(each) for each in value)
        case dict():
            return {key: _decimal(each) for key, each in value.items()}
    return value


def number(value: object, digits: int = 3) -> str:
    """A value of a record as text: a number, an array, a str, or a collection of these."""
    if isinstance(value, list):
        left, right = getattr(value, "brackets", ("[", "]"))  # a tuple of an answer has others
        end = "," if left == "(" and len(value) == 1 else ""
        return f"{left}{', '.join(number(each, digits) for each in value)}{end}{right}"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {number(each, digits)}" for key, each in value.items())
    if hasattr(value, "type"):
        return a_or_an(value.type)
    if not isinstance(value, np.ndarray):
        return f"{value:.6g}" if isinstance(value, float) else repr(value)
    if value.dtype.kind == "f":
        value = np.round(value, digits) + 0.0  # no "-0."
    how = {"precision": digits, "floatmode": "fixed", "suppress_small": True}
    return np.array2string(value, separator=", ", threshold=50, **how)  # type: ignore[arg-type]


def entries(bad: np.ndarray) -> str:
    """The wrong entries in words: whole columns or rows if possible, else the first few indices.

    >>> entries(np.array([[True, False], [True, False]]))
    'column 0'
    """
    if bad.ndim == 2:
        for axis, word in ((0, "column"), (1, "row")):
            full, touched = bad.all(axis=axis), bad.any(axis=axis)
            if np.array_equal(full, touched) and not full.all():
                numbers = [str(i) for i in np.flatnonzero(full)]
                return f"{word}{'s' if len(numbers) > 1 else ''} {in_a_row(_shortened(numbers))}"
    places = [index_in_words(at) for at in np.argwhere(bad)]
    return f"{'entries' if len(places) > 1 else 'entry'} {in_a_row(_shortened(places))}"


def _shortened(words: list[str]) -> list[str]:
    return words if len(words) <= 3 else [", ".join(words[:2]), f"{len(words) - 2} more"]


def index_in_words(at: Iterable[Any]) -> str:
    """An index in brackets; "" for that of a single number."""
    numbers = ", ".join(map(str, at))
    return f"[{numbers}]" if numbers else ""


def in_a_row(words: Sequence[str], last: str = "and") -> str:
    """Words with commas between them, and `last` before the last one."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers, written with enough digits to differ by about as much as they do.

    >>> apart(1.0, 2.5), apart(1.00001, 1.00002), apart(1.00049, 1.00051)
    (('1', '2.5'), ('1.00001', '1.00002'), ('1.00049', '1.00051'))
    """
    written = [(f"{one:.{digits}g}", f"{other:.{digits}g}") for digits in range(4, 18)]
    off = abs(one - other)
    differ = (pair for pair in written if pair[0] != pair[1])
    return next((pair for pair in differ if not abs(abs(float(pair[0]) - float(pair[1])) - off) > off / 2), written[0])


def both_shown(got: Any, want: Any) -> str:
    """What came and what is right, with enough digits to differ.

    >>> both_shown(np.array(3.0), 4.0), both_shown(None, [1])
    ('3, it must be 4', 'None, it must be [1]')
    """
    sides = [each.item() if isinstance(each, np.ndarray) and each.size == 1 else each for each in (got, want)]
    if float in map(type, sides) and all(isinstance(each, int | float) for each in sides):
        one, other = apart(*map(float, sides))
    else:
        digits = digits_apart([want], [got]) or 3
        one, other = number(got, digits), number(want, digits)
    return f"{one}, it must be {other}"


def kind_of(value: Any) -> str:
    """What a value of a record is, in words."""
    if isinstance(value, Strange):
        return a_or_an(value.type)
    if isinstance(value, np.ndarray):
        if value.dtype == bool and not isinstance(value, NumPyArray):
            return "a tensor of True and False" if value.ndim else "True or False"
        return f"a {'NumPy array' if isinstance(value, NumPyArray) else 'tensor'} of shape {value.shape}"
    if isinstance(value, list):
        kind = {OwnList: "a list", OwnTuple: "a tuple"}.get(type(value), "a list or tuple")
        return f"{kind} of {how_many(len(value), 'entry')}"
    kinds = {bool: "True or False", int: "a number", float: "a number", str: "a text", dict: "a dict"}
    return kinds.get(type(value), "None")


def how_many(count: int, what: str) -> str:
    """A number of things: "1 entry", "2 entries"."""
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count} {what if count == 1 else plural}"


def inputs_in_words(form: Form, arguments: Sequence[Any]) -> str:
    """The arguments of a call by name: small ones of an answer that is called by their numbers, other arrays by shape."""
    return ", ".join(_argument(form, *each) for each in zip(form.arguments, arguments, strict=True))


def _argument(form: Form, name: str, value: Any) -> str:
    if isinstance(value, Prepared):
        text = value.in_words(name)
        return text if len(text) <= 200 else f"{text[:133].rstrip()} ... {text[-50:].lstrip()}"
    if not isinstance(value, np.ndarray):
        return f"{name} = {number(value)}"
    if not isinstance(form, CallForm) or value.size > 4 or value.ndim > 1 or value.size == 0:
        shown = f"{name} of shape {value.shape}"
    else:
        shown = f"{name} = {number(value)}{' of shape ()' * (value.ndim == 0)}"
    return shown if value.dtype in (np.float64, np.bool_) else f"{shown} of dtype {value.dtype}"


def for_inputs(form: Form, arguments: Sequence[Any]) -> str:
    """The same after ", for "; "" if there are no arguments."""
    return f", for {inputs_in_words(form, arguments)}" if arguments else ""


def size_shown(arguments: Iterable[Any]) -> int:
    """Roughly how much text the arguments of a call take. Small arguments count as 0.

    >>> size_shown([np.zeros(3), "mul"]), size_shown([np.zeros((40, 2))])
    (0, 10)
    """
    return sum(map(_size, arguments)) // 8


def _size(argument: Any) -> int:
    array = getattr(argument, "array", argument)
    return array.size if isinstance(array, np.ndarray) else max(len(repr(array)) - 80, 0)


Failing = tuple[Sequence[Any], dict[str, str]]
"""The arguments of an input, and the rows beside them: name -> text."""


def chosen(form: Form, failing: Sequence[Failing], message: str) -> dict[str, str]:
    """The rows of the input that `message` names, else of the smallest one, after its arguments; empty if there is none."""
    named = [each for each in failing if each[0] and _names(message, inputs_in_words(form, each[0]))]
    if not failing:
        return {}
    arguments, rows = named[0] if named else min(failing, key=lambda each: size_shown(each[0]))
    return cut({name: given(value) for name, value in zip(form.arguments, arguments, strict=True)} | rows)


def _names(message: str, inputs: str) -> bool:
    """Whether the message is about these inputs, and not just about inputs that begin like them."""
    return re.search(rf"{re.escape(inputs)}(?![\w.])", message) is not None


def result_rows(expected: Any, got: Any, keys: bool) -> dict[str, str]:
    """A row for each side; if lists of arrays are expected, a row for each array. keys: whether dicts are the answer's."""
    several = isinstance(expected, list) and any(isinstance(each, np.ndarray) and each.ndim for each in expected)
    if isinstance(got, list) != isinstance(expected, list) and isinstance(got, list | np.ndarray):
        return {"specified": _with_kind(expected), "yours": _with_kind(got)}
    if several and isinstance(got, list) and len(got) == len(expected):
        digits = digits_apart(expected, got) or 0  # rounding in one array says nothing if another is wrong
        sides = [both_sides([want], [have], digits=digits) for want, have in zip(expected, got, strict=True)]
        return {f"{side}[{place}]": text for place, rows in enumerate(sides) for side, text in rows.items()}
    rows = both_sides([expected], [got])
    if several:
        rows = {f"specified[{place}]": number(each) for place, each in enumerate(expected)} | {"yours": rows["yours"]}
    in_braces = [name for name, side in (("specified", expected), ("yours", got)) if keys and isinstance(side, dict)]
    return rows | {name: f"{{{rows[name]}}}" for name in in_braces}


def _with_kind(value: Any) -> str:
    """A list and a tensor look the same, so the kind is added."""
    return f"{number(value)}  ({kind_of(value)})" if isinstance(value, list | np.ndarray) else number(value)
