"""Whether operations record a graph, and what else a thread has switched on: its flags, and the contexts that set them.

The operations read `state.recording`; this file knows nothing of them.
"""

import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import ContextDecorator
from types import MappingProxyType
from typing import Any

from ..errors import error


class _State(threading.local):
    # Class attributes are what a thread that has set nothing reads.
    # Whether operations make nodes: False, True, or, where somebody wants to see each that is made, a function of it.
    recording: Any = True
    inference = False
    # Pairs of functions that pack and unpack what nodes save, the innermost last (`graph.saved_tensors_hooks`).
    saved_tensors_hooks: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = ()
    # What is told of a tensor before its memory is written to (`graph.allow_mutation_on_saved_tensors`).
    before_write: Callable[[Any], None] | None = None
    anomaly, check_nan = False, True  # anomaly mode: whether it is on, and whether gradients are searched for NaN
    run: Any = None  # the backward pass that is running


state = _State()
observe: Callable[[Any], None] | None = None  # set by `saved.py`: notes a node's traceback and packs its saved values


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
    """Flags of the thread, set in a context (`with no_grad():`) or around a function (`@no_grad()`), then set back."""

    flags: Mapping[str, Any]

    def __enter__(self) -> Any:
        self._before = {name: getattr(state, name) for name in self.flags}
        self._set(self.flags)

    def __exit__(self, *error: object) -> None:
        self._set(self._before)

    def _set(self, flags: Mapping[str, Any]) -> None:
        recording = bool(flags.get("recording", state.recording))
        vars(state).update(flags)
        record(recording)

    def _recreate_cm(self) -> Any:
        copy = object.__new__(Flags)  # a function may call itself: each call has its own
        copy.flags = self.flags
        return copy


class _GradMode(Flags):
    def __new__(cls, function: Any = None) -> Any:
        self = super().__new__(cls)
        return self(function) if callable(function) else self  # `@no_grad` decorates as `@no_grad()` does


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
        super().__enter__()

    def __enter__(self) -> None:
        self._set(self.flags)

    def __call__(self, function: Any) -> Any:
        # As a decorator it must not change the mode of the code that decorates.
        self.__exit__()
        return super().__call__(function)


class set_grad_enabled(_AtOnce):
    """Sets the mode at once, and as a context sets it back at the end."""

    def __init__(self, mode: bool) -> None:
        super().__init__(recording=mode)


class inference_mode(Flags):
    """As `no_grad`, and `enable_grad` inside changes nothing; what is made here can never be part of a graph."""

    def __new__(cls, mode: Any = True) -> Any:
        self = super().__new__(cls)
        self.flags = {"inference": bool(mode), "recording": not mode}
        return self(mode) if callable(mode) else self


class set_detect_anomaly(_AtOnce):
    """Anomaly mode: where a backward pass fails, a warning shows where in the forward pass its operation was called.

    With `check_nan` a gradient that is NaN is such a failure (RuntimeError). It keeps a traceback with each node: slow.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__(anomaly=mode, check_nan=check_nan)


class detect_anomaly(Flags):
    """Anomaly mode as a context; see `set_detect_anomaly`."""

    def __init__(self, check_nan: bool = True) -> None:
        self.flags = {"anomaly": True, "check_nan": check_nan}
        warnings.warn(str(error("anomaly_enabled")), stacklevel=2)
