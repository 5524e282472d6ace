"""Whether operations record a graph, and what else a thread has switched on: flags of the thread, and the contexts that set them.

Uses the standard library only; the operations read `state.recording`, and this file knows nothing of them.
"""

import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import ContextDecorator
from types import MappingProxyType
from typing import Any


class _State(threading.local):
    # Class attributes are what a thread that has set nothing reads.
    # Whether operations make nodes: False, True, or, where somebody wants to see each node that is made, a function of it.
    recording: Any = True
    inference = False
    # Pairs of functions that pack and unpack what nodes save, the innermost last (`graph.saved_tensors_hooks`).
    saved_tensors_hooks: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = ()
    # What is told of a tensor before its memory is written to (`graph.allow_mutation_on_saved_tensors`).
    before_write: Callable[[Any], None] | None = None
    # Anomaly mode: whether it is on, and whether gradients are searched for NaN.
    anomaly = False
    check_nan = True
    # The backward pass that is running.
    run: Any = None


state = _State()


# Set by `saved.py`: notes a node's traceback and packs its saved values.
observe: Callable[[Any], None] | None = None


def record(mode: bool) -> None:
    """Record from now on, or not. Inference mode is the stronger one: what is computed in it is never recorded."""
    wanted = mode and not state.inference
    state.recording = observe if wanted and (state.anomaly or state.saved_tensors_hooks) else wanted


def is_grad_enabled() -> bool:
    """Whether operations of this thread record a graph at present."""
    return bool(state.recording)


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference mode."""
    return state.inference


def is_anomaly_enabled() -> bool:
    """Whether this thread looks for the operation behind a failing backward pass."""
    return state.anomaly


class Flags(ContextDecorator):
    """Flags of the thread, set in a context (`with no_grad():`) or around a function (`@no_grad()`), then as they were before."""

    # What it sets; `recording` last, for it follows from the others too.
    flags: Mapping[str, Any]

    def __enter__(self) -> Any:
        self._before = {name: getattr(state, name) for name in (*self.flags, "recording")}
        grad = self.flags.get("recording", bool(state.recording))
        for name, value in self.flags.items():
            setattr(state, name, value)
        record(grad)

    def __exit__(self, *error: object) -> None:
        for name, value in self._before.items():
            setattr(state, name, value)

    def _recreate_cm(self) -> Any:
        # A function may call itself: each call has its own.
        copy = object.__new__(type(self))
        copy.flags = self.flags
        return copy


class _GradMode(Flags):
    def __new__(cls, function: Any = None) -> Any:
        self = super().__new__(cls)
        # `@no_grad` decorates as `@no_grad()` does.
        return self(function) if callable(function) else self


class no_grad(_GradMode):
    """Operations in this context record nothing: their results do not require grad.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    flags = MappingProxyType({"recording": False})


class enable_grad(_GradMode):
    """Operations in this context record again, also inside `no_grad`."""

    flags = MappingProxyType({"recording": True})


class _AtOnce(Flags):
    """Flags that are set where this is made, and as a context set back at its end."""

    def __init__(self, **flags: Any) -> None:
        self.flags = flags
        Flags.__enter__(self)
        self._outer = self._before

    def __enter__(self) -> None:
        super().__enter__()
        self._before = self._outer

    def __call__(self, function: Any) -> Any:
        # As a decorator it must not change the mode of the code that decorates.
        self.__exit__()
        return super().__call__(function)

    def _recreate_cm(self) -> Any:
        copy = object.__new__(Flags)
        copy.flags = self.flags
        return copy


class set_grad_enabled(_AtOnce):
    """Sets the mode at once, and as a context sets it back at the end.

    >>> import autograd_teach as torch
    >>> with torch.set_grad_enabled(False):
    ...     torch.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__(recording=mode)


class inference_mode(Flags):
    """As `no_grad`, and `enable_grad` inside changes nothing; what is made here can never be part of a graph.

    >>> import autograd_teach as torch
    >>> with torch.inference_mode():
    ...     x = torch.ones(2)
    >>> x.is_inference()
    True
    """

    def __new__(cls, mode: Any = True) -> Any:
        self = super().__new__(cls)
        self.flags = {"inference": True if callable(mode) else mode, "recording": callable(mode) is False and not mode}
        return self(mode) if callable(mode) else self


class set_detect_anomaly(_AtOnce):
    """Anomaly mode: where a backward pass fails, a warning shows where in the forward pass its operation was called; with
    `check_nan` a gradient that is NaN is such a failure (RuntimeError). It keeps a traceback with each node: slow.

    >>> import autograd_teach as torch
    >>> x = torch.tensor(-1.0, requires_grad=True)
    >>> with warnings.catch_warnings(action="ignore"), torch.autograd.detect_anomaly():
    ...     x.sqrt().backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__(anomaly=mode, check_nan=check_nan)


class detect_anomaly(Flags):
    """Anomaly mode as a context; see `set_detect_anomaly`."""

    def __init__(self, check_nan: bool = True) -> None:
        self.flags = {"anomaly": True, "check_nan": check_nan}
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            stacklevel=2,
        )
