"""PyTorch's words: every error message that is its specification, by name: `messages.toml`, read when needed."""

import builtins
import functools
from typing import Any

import numpy as np

# What most messages call a dtype.
TITLES = {
    "float16": "Half", "float32": "Float", "float64": "Double", "uint8": "Byte", "int8": "Char", "int16": "Short",
    "int32": "Int", "int64": "Long", "bool": "Bool",
}  # fmt: skip


@functools.cache
def _messages() -> dict[str, str]:
    import tomllib  # with it
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
    """Raise the exception called `name` unless a condition holds; of an array it shows the dtype, a tuple as a list."""
    if not condition:
        raise error(name, *map(_shown, values)) from None


def class_name(value: Any) -> str:
    """The name of a value's class in messages about arguments; NumPy's classes have their module before it.

    >>> class_name(3), class_name(np.ones(3))
    ('int', 'numpy.ndarray')
    """
    cls = type(value)
    return f"numpy.{cls.__name__}" if cls.__module__ == "numpy" else cls.__name__


def _shown(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.floating)):  # of rank 0, a tensor may hold a scalar
        return TITLES.get(value.dtype.name, value.dtype.name)
    return list(value) if isinstance(value, tuple) else value
