"""Modules that call one function: each is a row, a class statement with its function, its options and a docstring.

    class ELU(Activation, function=F.elu, alpha=1.0, inplace=False):
        "x if it is positive, else alpha (exp(x) - 1)."

Options are the parameters of the class, attributes of the module, and keyword arguments of the function. Used by the activations
and the losses.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from .module import Module

REQUIRED = inspect.Parameter.empty  # an option without a default

_INIT = """
def __init__({parameters}):
    Module.__init__(self)
    self._set_options({options})
"""


class FunctionModule(Module):
    """A module whose forward is a function of its inputs and its options; see the top of this file."""

    _function: ClassVar[Callable[..., Any]]
    _options: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, function: Callable[..., Any] | None = None, **options: Any) -> None:
        super().__init_subclass__()
        if function is None:
            return  # a user's subclass of a row
        cls._function, cls._options = staticmethod(function), tuple(options)
        parameters = ["self", *(name if d is REQUIRED else f"{name}={d!r}" for name, d in options.items())]
        given = "{" + ", ".join(f"{name!r}: {name}" for name in options) + "}"
        # Generated, as in dataclasses: then Python itself reports wrong arguments of a call.
        names: dict[str, Any] = {"Module": Module}
        exec(_INIT.format(parameters=", ".join(parameters), options=given), names)  # noqa: S102  written just above
        cls.__init__ = names["__init__"]  # type: ignore[method-assign]
        cls.__init__.__qualname__, cls.__init__.__module__ = f"{cls.__name__}.__init__", cls.__module__

    def _set_options(self, options: dict[str, Any]) -> None:
        self.__dict__.update(options)

    def forward(self, *inputs: Any) -> Any:
        """The function of the inputs and the options."""
        return self._function(*inputs, **{name: getattr(self, name) for name in self._options})
