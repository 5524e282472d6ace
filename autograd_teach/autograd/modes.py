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
    inference = False
    # The backward pass that is running.
    run: Any = None


state = _State()


# Whether any thread has ever been in inference mode; before that no tensor can have been made in it.
inference_used = False


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference mode."""
    return state.inference


def _set(mode: bool) -> None:
    # Inference mode is the stronger one: what is computed in it is never recorded.
    state.grad_enabled = mode and not state.inference


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
        _set(self._mode)

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
        _set(mode)

    def __enter__(self) -> None:
        _set(self._mode)

    def __call__(self, function: F) -> F:
        # As a decorator it must not change the mode of the code that decorates.
        state.grad_enabled = self._outer
        return super().__call__(function)

    def clone(self) -> "set_grad_enabled":
        return type(self)(self._mode)


class inference_mode(_GradMode):
    """As `no_grad`, and `enable_grad` inside changes nothing; `inference_mode(False)` inside leaves it.

    PyTorch marks the tensors made here and later refuses to save or change them; this engine does not mark them, so that
    they can be used afterwards as those made under `no_grad`.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.inference_mode():
    ...     (x * 2).requires_grad
    False
    """

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls, None if isinstance(mode, bool) else mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self._mode = not mode

    def __enter__(self) -> None:
        global inference_used
        self._outer_inference, state.inference = state.inference, self.mode
        inference_used = inference_used or self.mode
        super().__enter__()

    def __exit__(self, *error: object) -> None:
        state.inference, state.grad_enabled = self._outer_inference, self._outer

    def clone(self) -> "inference_mode":
        return type(self)(self.mode)


class set_detect_anomaly:
    """PyTorch's search for the operation behind a NaN or a failing backward; not supported, so that it cannot be switched on."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        if mode:
            raise NotImplementedError(
                "autograd_teach does not support detect_anomaly: it keeps no traceback of the forward pass; register a hook on a "
                "tensor to look at its gradient"
            )

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


class detect_anomaly(set_detect_anomaly):
    """The same as a context that is on from its beginning."""

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(True, check_nan)


def is_anomaly_enabled() -> bool:
    """Always False."""
    return False
