"""How one formula works on arrays and on tensors: its names mean kernels on arrays, and operations on tensors.

A formula such as `lambda g, self: g * cos(self)` serves every order of derivative. With tensors it
runs as it is written, and is recorded. With arrays it runs bound to another namespace, which
contains the kernel of each operation under its name: at NumPy's speed, without tensors. The same
holds for every function of a module of operations that a formula calls. A formula does not check
which of the two it gets; if they must differ, `on_arrays` sets the form for arrays.
"""

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# The form for arrays of each function that has its own; for an operation, its kernel.
_KERNELS: dict[Any, Callable[..., Any]] = {}
# The modules that declare operations, by name, each with the namespace of its formulas on arrays,
# which is made when needed.
_ROOMS: dict[str, dict[str, Any] | None] = {}


def on_arrays(kernel: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator for a function on tensors that formulas call: on arrays they call `kernel` instead."""

    def declare(function: F) -> F:
        _KERNELS[function] = kernel
        _ROOMS.setdefault(function.__module__, None)
        return function

    return declare


def array_form(function: Callable[..., Any]) -> Callable[..., Any]:
    """The form of a function for arrays: its kernel, or the function bound to the namespace of kernels."""
    function = getattr(function, "__wrapped__", function)
    if function in _KERNELS:
        return _KERNELS[function]
    if not isinstance(function, FunctionType) or function.__module__ not in _ROOMS:
        return function
    names = _names(function.__module__)
    bound = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    bound.__kwdefaults__ = function.__kwdefaults__
    return bound


def _names(room: str) -> dict[str, Any]:
    names = _ROOMS[room]
    if names is None:
        names = _ROOMS[room] = dict(vars(sys.modules[room]))
        for name, value in names.items():
            if isinstance(value, FunctionType):
                names[name] = array_form(value)
    return names
