"""Error messages by name, word for word PyTorch's. They are in `messages.toml`, which is read when needed."""

import builtins
import functools
from typing import Any

import numpy as np

# Names of dtypes in most error messages.
TITLES = {
    "float16": "Half", "float32": "Float", "float64": "Double", "uint8": "Byte", "int8": "Char", "int16": "Short",
    "int32": "Int", "int64": "Long", "bool": "Bool",
}  # fmt: skip


@functools.cache
def _messages() -> dict[str, str]:
    import tomllib  # imported for the first error
    from pathlib import Path

    return tomllib.loads(Path(__file__).with_name("messages.toml").read_text("utf-8"))


def error(name: str, *values: Any) -> Exception:
    """The exception called `name`, with its text filled in: `raise error("broadcast", 2, 3, 0)`.

    >>> error("broadcast", 2, 3, 0)
    RuntimeError('The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0')
    """
    kind, _, text = _messages()[name].partition(": ")
    return getattr(builtins, kind)(text.format(*values))


def require(condition: Any, name: str, *values: Any) -> None:
    """Raise the exception called `name` unless the condition holds. An array shows as its dtype, a tuple as a list."""
    if not condition:
        raise error(name, *map(_shown, values)) from None


def class_name(value: Any) -> str:
    """The name of a value's class in messages about arguments; with the module for NumPy's classes.

    >>> class_name(3), class_name(np.ones(3))
    ('int', 'numpy.ndarray')
    """
    cls = type(value)
    return f"numpy.{cls.__name__}" if cls.__module__ == "numpy" else cls.__name__


def _shown(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.floating)):  # a tensor of rank 0 may hold a NumPy scalar
        return TITLES.get(value.dtype.name, value.dtype.name)
    return list(value) if isinstance(value, tuple) else value
