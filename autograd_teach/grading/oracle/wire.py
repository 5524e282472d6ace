"""Questions and replies as bytes: the protocol between the grader and the process that runs a student's code.

A question is a nonce, which is new each time, then JSON after its length. A reply begins with the nonce of its question; the
rest is JSON padded to exactly the size that the question asked for. So bytes that an answer sends unasked are never taken for
the reply to a later question. (They cannot forge a result either: the grader compares numbers.) Arrays in JSON are dtype,
shape and raw bytes. Unexpected data raises `Broken`, and only objects of the few types below are ever made.

Standard library, NumPy and the course's records only.
"""

import base64
import json
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_teach.course.checks.records import NOTHING, Broken, Nothing, NumPyArray, Strange
from autograd_teach.course.exercises.declaration import Prepared

Make = Callable[[str, str, dict[str, Any]], Prepared]
"""(module, class, attributes) -> the argument, made again on the student's side."""

MOST_QUESTION = 16_000_000
WORDS = 160
"""Bytes for the text of an exception."""

LARGEST_INTEGER = 2**62
_DTYPES = (
    *("float64", "float32", "float16", "complex64", "complex128", "bool"),
    *("int64", "int32", "int16", "int8", "uint8"),
)
_MOST_DIMENSIONS = 16
NONCE = 16
"""Bytes of a nonce."""

_LENGTH = struct.Struct("<I")
HEAD = _LENGTH.size
"""Bytes of a question, after its nonce, that hold its length."""

RAISED = ("", "Exception", "MemoryError", "SystemExit")
"""What a cell raised, as the first byte of the reply to `load`: nothing, an ordinary exception, or one with its own status."""

OUT_OF_TIME = -24
"""How a process ends that has used up its CPU time (SIGXCPU)."""

_KILLED = -9


class AtEnd(Exception):
    """The forked process ended: `how` is "memory", its exit status, or its negative signal number."""

    def __init__(self, how: int | str) -> None:
        super().__init__(f"signal {-how}" if isinstance(how, int) and how < 0 else f"exit status {how}")
        self.how = how

    @property
    def was_killed(self) -> bool:
        """Whether it was killed: by itself, or by a system without free memory."""
        return self.how == _KILLED


# ---- values as JSON -------------------------------------------------------------------------------------------------


def dump(value: Any) -> bytes:
    """`value` (None, numbers, words, arrays, and lists, tuples and dicts of them) as JSON.

    >>> load(dump({"a": (1, np.array([1.5]))}))
    {'a': (1, array([1.5]))}
    """
    return json.dumps(_outward(value), separators=(",", ":")).encode()


def load(text: bytes, make: Make | None = None) -> Any:
    """The value that `dump` encoded. Raises `Broken` for any other text, and for objects if `make` is None."""
    try:
        return _inward(json.loads(text), make)
    except Broken:
        raise
    except Exception as problem:
        raise Broken(f"unreadable: {type(problem).__name__}") from problem


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
        kind = "own array" if isinstance(value, NumPyArray) else "array"
        return {kind: [value.dtype.name, list(value.shape), data]}
    if isinstance(value, list):
        return [_outward(each) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [_outward(each) for each in value]}
    if isinstance(value, dict):
        return {"dict": [[str(key), _outward(each)] for key, each in value.items()]}
    if isinstance(value, Prepared):
        return {"made": [type(value).__module__.rpartition(".")[2], type(value).__name__, _outward(vars(value))]}
    if isinstance(value, Nothing):
        return {"nothing": 0}
    return {"strange": str(getattr(value, "type", type(value).__name__))[:60]}


def _inward(read: Any, make: Make | None) -> Any:
    if read is None or isinstance(read, bool | str | float):
        return read
    if isinstance(read, int):
        return read if abs(read) < LARGEST_INTEGER else Strange("int")
    if isinstance(read, list):
        return [_inward(each, make) for each in read]
    if not isinstance(read, dict) or len(read) != 1:
        raise Broken("an object of another form")
    ((form, content),) = read.items()
    match form, content:
        case "array", [str(dtype), list(shape), str(data)]:
            return _array(dtype, shape, data)
        case "own array", [str(dtype), list(shape), str(data)]:
            return _array(dtype, shape, data).view(NumPyArray)
        case "tuple", list(entries):
            return tuple(_inward(each, make) for each in entries)
        case "dict", list(pairs) if all(isinstance(key, str) for key, _ in pairs):
            return {key: _inward(each, make) for key, each in pairs}
        case "made", [str(module), str(kind), state] if make is not None:
            return make(module, kind, _inward(state, make))
        case "strange", str(name):
            return Strange(name[:60])
        case "nothing", _:
            return NOTHING
    raise Broken("an object of another form")


def _array(dtype: str, shape: list[Any], data: str) -> np.ndarray:
    is_shape = all(type(size) is int and 0 <= size < 2**31 for size in shape)
    if dtype not in _DTYPES or len(shape) > _MOST_DIMENSIONS or not is_shape:
        raise Broken("an array of another form")
    raw = base64.b64decode(data, validate=True)
    if len(raw) != math.prod(shape) * np.dtype(dtype).itemsize:
        raise Broken("an array of another size")
    return np.frombuffer(raw, dtype).reshape(shape).copy()


def padded(text: bytes, capacity: int) -> bytes:
    """`text` after its length, padded to `capacity`. If it is too long, a message replaces it."""
    if len(text) > capacity - _LENGTH.size:
        text = dump(Strange("a reply that is too large"))
    return (_LENGTH.pack(len(text)) + text).ljust(capacity, b"\0")


def unpadded(data: bytes) -> bytes:
    """The text that `padded` padded."""
    if len(data) < _LENGTH.size:
        raise Broken("a reply without a length")
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
    """The length of a question, from its first `HEAD` bytes."""
    (length,) = _LENGTH.unpack(head)
    return int(length)


def words(text: str) -> bytes:
    """`text` in exactly `WORDS` bytes."""
    return text.encode("utf-8", "replace")[:WORDS].decode("utf-8", "ignore").encode().ljust(WORDS, b"\0")
