"""Whether operations record a graph: a flag of the thread, and the contexts that set it.

Uses the standard library only; the operations read `state.grad_enabled`, and this file knows nothing of them.
"""

import functools
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class _State(threading.local):
    # A class attribute is what a thread that has set nothing reads.
    grad_enabled = True


state = _State()


def is_grad_enabled() -> bool:
    """Whether operations of this thread record a graph at present."""
    return state.grad_enabled


class _GradMode:
    """A grad mode as a context (`with no_grad():`) and as a decorator (`@no_grad()` or `@no_grad`)."""

    _mode = True

    def __new__(cls, function: Any = None, *args: Any) -> Any:
        if callable(function):
            return cls()(function)
        return super().__new__(cls)

    def __enter__(self) -> None:
        self._outer = state.grad_enabled
        state.grad_enabled = self._mode

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        state.grad_enabled = self._outer

    def clone(self) -> "_GradMode":
        return type(self)()

    def __call__(self, function: F) -> F:
        @functools.wraps(function)
        def under_mode(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return under_mode  # type: ignore[return-value]  # wraps() keeps the signature, which mypy cannot see


class no_grad(_GradMode):
    """Operations in this context record nothing: their results do not require grad.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    _mode = False


class enable_grad(_GradMode):
    """Operations in this context record again, also inside `no_grad`."""

    _mode = True


class set_grad_enabled(_GradMode):
    """Sets the mode at once, and as a context sets it back at the end.

    >>> import autograd_teach as torch
    >>> with torch.set_grad_enabled(False):
    ...     torch.is_grad_enabled()
    False
    """

    def __new__(cls, mode: bool) -> Any:
        return object.__new__(cls)

    def __init__(self, mode: bool) -> None:
        self._mode = mode
        self._outer = state.grad_enabled
        state.grad_enabled = mode

    def __enter__(self) -> None:
        state.grad_enabled = self._mode

    def __call__(self, function: F) -> F:
        # As a decorator it must not change the mode of the code that decorates.
        state.grad_enabled = self._outer
        return super().__call__(function)

    def clone(self) -> "set_grad_enabled":
        return type(self)(self._mode)
