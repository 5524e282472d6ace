"""Questions and replies as bytes: the one language of the grader and of the process that runs a student's code.

A question is JSON behind its length. A reply has the size that the question asked for, to the byte: of a Function's runs
fixed fields (`RunLayout`), of a call JSON padded to a capacity. Arrays in JSON are dtype, shape and raw bytes. What does not
read as expected is `Broken`; nothing here makes an object of any type but the few below.

Standard library and NumPy only: server.py loads this file by its path.
"""

import base64
import json
import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_QUESTION = 16_000_000
WORDS = 160
"""Bytes for what was raised, in a sentence."""

LARGEST_INTEGER = 2**62
_DTYPES = (
    "float64",
    "float32",
    "float16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
    "complex128",
)
_MOST_DIMENSIONS = 16
_LENGTH = struct.Struct("<I")


class Broken(Exception):
    """Bytes that are no reply to what was asked."""


@dataclass(frozen=True)
class Strange:
    """Something that cannot be put into a reply, by its type's name."""

    type: str


class Nothing:
    """In place of a result where none came."""


@dataclass(frozen=True)
class Made:
    """An argument that the student's side makes itself: the name of a class it has, and the attributes."""

    kind: str
    state: dict[str, Any]


# ---- values as JSON -------------------------------------------------------------------------------------------------


def dump(value: Any) -> bytes:
    """`value` (None, numbers, words, arrays, and lists, tuples and dicts of them) as JSON.

    >>> load(dump({"a": (1, np.array([1.5]))}))
    {'a': (1, array([1.5]))}
    """
    return json.dumps(_outward(value), separators=(",", ":")).encode()


def load(text: bytes) -> Any:
    """What `dump` made; `Broken` where the text is anything else."""
    try:
        return _inward(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as problem:
        raise Broken(f"unreadable: {type(problem).__name__}") from None


def _outward(value: Any) -> Any:
    if value is None or isinstance(value, bool | str | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < LARGEST_INTEGER else {"strange": "int"}
    if isinstance(value, np.generic):
        return _outward(np.asarray(value))
    if isinstance(value, np.ndarray):
        if value.dtype.name not in _DTYPES:
            return {"strange": f"array of {value.dtype.name}"[:60]}
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"array": [value.dtype.name, list(value.shape), data]}
    if isinstance(value, list):
        return [_outward(each) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [_outward(each) for each in value]}
    if isinstance(value, dict):
        return {"dict": [[str(key), _outward(each)] for key, each in value.items()]}
    if isinstance(value, Made):
        return {"made": [value.kind, _outward(value.state)]}
    if isinstance(value, Nothing):
        return {"nothing": 0}
    return {"strange": str(getattr(value, "type", type(value).__name__))[:60]}


def _inward(read: Any) -> Any:
    if read is None or isinstance(read, bool | str | float):
        return read
    if isinstance(read, int):
        return read if abs(read) < LARGEST_INTEGER else Strange("int")
    if isinstance(read, list):
        return [_inward(each) for each in read]
    if not isinstance(read, dict) or len(read) != 1:
        raise Broken("an object of another form")
    ((form, content),) = read.items()
    match form, content:
        case "array", [str(dtype), list(shape), str(data)]:
            return _array(dtype, shape, data)
        case "tuple", list(entries):
            return tuple(_inward(each) for each in entries)
        case "dict", list(pairs):
            return {_word(key): _inward(each) for key, each in pairs}
        case "made", [str(kind), state]:
            return Made(kind, _inward(state))
        case "strange", str(name):
            return Strange(name[:60])
        case "nothing", _:
            return Nothing()
    raise Broken("an object of another form")


def _word(key: Any) -> str:
    if not isinstance(key, str):
        raise Broken("a key that is no text")
    return key


def _array(dtype: str, shape: list[Any], data: str) -> np.ndarray:
    if dtype not in _DTYPES or len(shape) > _MOST_DIMENSIONS:
        raise Broken("an array of another form")
    if not all(type(size) is int and 0 <= size < 2**31 for size in shape):
        raise Broken("an array of another form")
    raw = base64.b64decode(data, validate=True)
    if len(raw) != math.prod(shape) * np.dtype(dtype).itemsize:
        raise Broken("an array of another size")
    return np.frombuffer(raw, dtype).reshape(shape).copy()


def padded(text: bytes, capacity: int) -> bytes:
    """`text` behind its length, filled up to `capacity`; where it is too long a word for that takes its place."""
    if len(text) > capacity - _LENGTH.size:
        text = dump(Strange("too large a reply"))
    return (_LENGTH.pack(len(text)) + text).ljust(capacity, b"\0")


def unpadded(data: bytes) -> bytes:
    """What `padded` has filled up."""
    (length,) = _LENGTH.unpack_from(data)
    if length > len(data) - _LENGTH.size:
        raise Broken("a length beyond the reply")
    return data[_LENGTH.size : _LENGTH.size + length]


def question(value: Any) -> bytes:
    """The bytes of a question."""
    text = dump(value)
    if len(text) > MOST_QUESTION:
        raise ValueError("the question is too long")
    return _LENGTH.pack(len(text)) + text


def length_of_question(head: bytes) -> int:
    """From its first four bytes."""
    (length,) = _LENGTH.unpack(head)
    return int(length)


# ---- a Function's run -----------------------------------------------------------------------------------------------

ABSENT, NONE, ARRAY, ODD = range(4)
"""What stands in one place of what backward returned."""


@dataclass
class Ran:
    """One run as it is told: flags, and arrays of the sizes that were expected."""

    has_values: bool = False
    odd: bool = False  # results of another number, type, shape or dtype
    own_node: bool = False
    returned: bool = False
    refused: bool = False
    crashed: bool = False
    got_none: bool = False
    changed: bool = False
    too_many: bool = False  # backward returned something beyond the arguments
    requires_grad: tuple[bool, ...] = ()
    returned_itself: tuple[bool, ...] = ()
    gradients: tuple[tuple[int, np.ndarray | None], ...] = ()
    values: tuple[np.ndarray, ...] = ()
    words: str = ""


_FLAGS = (
    "has_values",
    "odd",
    "own_node",
    "returned",
    "refused",
    "crashed",
    "got_none",
    "changed",
    "too_many",
)

Form = tuple[str, tuple[int, ...]]
"""dtype and shape."""


@dataclass(frozen=True)
class RunLayout:
    """The fields of one run's reply: `values` are the forms of the results, `gradients` that of each argument, None for what is no
    float array."""

    values: tuple[Form, ...]
    gradients: tuple[Form | None, ...]

    @property
    def size(self) -> int:
        """In bytes."""
        arrays = (*self.values, *(form for form in self.gradients if form))
        return len(_FLAGS) + len(self.values) + 2 * len(self.gradients) + WORDS + sum(map(_bytes, arrays))

    def pack(self, ran: Ran) -> bytes:
        """A reply of exactly `size` bytes."""
        parts = [bytes(bool(getattr(ran, name)) for name in _FLAGS)]
        parts.append(bytes(map(bool, ran.requires_grad[: len(self.values)])).ljust(len(self.values), b"\0"))
        arguments = len(self.gradients)
        parts.append(bytes(map(bool, ran.returned_itself[:arguments])).ljust(arguments, b"\0"))
        given = [*ran.gradients, *[(ABSENT, None)] * arguments][:arguments]
        parts.append(bytes(state for state, _ in given))
        parts.append(_words(ran.words))
        parts += [
            _raw(ran.values[n] if ran.has_values and n < len(ran.values) else None, form)
            for n, form in enumerate(self.values)
        ]
        parts += [_raw(array, form) for (_, array), form in zip(given, self.gradients, strict=True) if form]
        return b"".join(parts)

    def unpack(self, data: bytes) -> Ran:
        """What `pack` has packed; `Broken` where a flag is none."""
        reader = _Reader(data)
        flags = dict(zip(_FLAGS, reader.flags(len(_FLAGS)), strict=True))
        requires_grad = reader.flags(len(self.values))
        returned_itself = reader.flags(len(self.gradients))
        states = reader.take(len(self.gradients))
        words = reader.words()
        values = tuple(reader.array(form) for form in self.values)
        gradients = []
        for state, form in zip(states, self.gradients, strict=True):
            if state > ODD or (state == ARRAY and form is None):
                raise Broken("a gradient of no known kind")
            array = reader.array(form) if form else None
            gradients.append((state, array if state == ARRAY else None))
        return Ran(
            **flags,
            requires_grad=requires_grad,
            returned_itself=returned_itself,
            gradients=tuple(gradients),
            values=values if flags["has_values"] else (),
            words=words,
        )


@dataclass
class Twice:
    """A second order as it is told: whether backward has a graph, and the gradients by each argument and by grad_output."""

    connected: bool = False
    crashed: bool = False
    got: tuple[np.ndarray | None, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class TwiceLayout:
    """The fields of a second order's reply: the forms of the float arguments, then of the first cotangent."""

    forms: tuple[Form, ...]

    @property
    def size(self) -> int:
        """In bytes."""
        return 2 + len(self.forms) + WORDS + sum(map(_bytes, self.forms))

    def pack(self, twice: Twice) -> bytes:
        """A reply of exactly `size` bytes."""
        got = [*twice.got, *[None] * len(self.forms)][: len(self.forms)]
        states = bytes(each is not None for each in got)
        arrays = [_raw(each, form) for each, form in zip(got, self.forms, strict=True)]
        return b"".join([bytes([twice.connected, twice.crashed]), states, _words(twice.words), *arrays])

    def unpack(self, data: bytes) -> Twice:
        """What `pack` has packed."""
        reader = _Reader(data)
        connected, crashed = reader.flags(2)
        there = reader.flags(len(self.forms))
        words = reader.words()
        arrays = [reader.array(form) for form in self.forms]
        return Twice(
            connected, crashed, tuple(a if is_there else None for a, is_there in zip(arrays, there, strict=True)), words
        )


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        self.at += count
        if self.at > len(self.data):
            raise Broken("a reply that is too short")
        return self.data[self.at - count : self.at]

    def flags(self, count: int) -> tuple[bool, ...]:
        raw = self.take(count)
        if any(byte > 1 for byte in raw):
            raise Broken("a flag that is none")
        return tuple(map(bool, raw))

    def words(self) -> str:
        return self.take(WORDS).rstrip(b"\0").decode("utf-8", "replace")

    def array(self, form: Form) -> np.ndarray:
        dtype, shape = form
        return np.frombuffer(self.take(_bytes(form)), dtype).reshape(shape).copy()


def _bytes(form: Form) -> int:
    return int(np.dtype(form[0]).itemsize * math.prod(form[1]))


def _raw(array: np.ndarray | None, form: Form) -> bytes:
    if array is None or array.shape != form[1]:
        return bytes(_bytes(form))
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(array, dtype=form[0]).tobytes()


def _words(text: str) -> bytes:
    return text.encode("utf-8", "replace")[:WORDS].decode("utf-8", "ignore").encode().ljust(WORDS, b"\0")


# ---- processes ------------------------------------------------------------------------------------------------------

JOB = struct.Struct("<QI")
"""What the grader asks a process with: bytes of memory, seconds of processor time."""
