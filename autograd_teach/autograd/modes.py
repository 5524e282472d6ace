"""The state of a thread: whether operations record a graph, who observes it, and the context managers that change it.

Operations read `state.mode`; this file does not depend on them.
"""

import functools
import inspect
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import ContextDecorator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..errors import error


@dataclass(frozen=True, slots=True)
class Mode:
    """The settings that every operation reads. One object, because each access to thread-local state takes 40 ns."""

    recording: bool = True
    # Inference mode: results are never recorded and do not have versions.
    inference: bool = False
    # Optional callback, called with each new node: saved-tensor hooks and anomaly mode.
    observer: Callable[[Any], None] | None = None


_OF_MODE = ("recording", "inference")
_MODES = {
    (recording, inference): Mode(recording, inference) for recording in (True, False) for inference in (True, False)
}


class _State(threading.local):
    # Class attributes are the defaults of every thread.
    mode = _MODES[True, False]
    # Pairs of hooks that pack and unpack saved tensors, the innermost last
    # (`graph.saved_tensors_hooks`).
    saved_tensors_hooks: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = ()
    # Optional callback, called with a tensor before its memory is written to (`graph.allow_mutation_on_saved_tensors`).
    before_write: Callable[[Any], None] | None = None
    anomaly, check_nan = False, True  # anomaly mode: whether it is on, and whether gradients are checked for NaN
    run: Any = None  # the backward pass that is running


state = _State()
observe: Callable[[Any], None] | None = None  # set by `saved.py`: keeps a node's traceback and packs its saved values


def set_mode(recording: bool, inference: bool) -> None:
    """Switch recording on or off. In inference mode nothing is recorded in any case."""
    recording = recording and not inference
    if recording and (state.anomaly or state.saved_tensors_hooks):
        state.mode = Mode(observer=observe)
    else:
        state.mode = _MODES[recording, inference]


def is_grad_enabled() -> bool:
    """Whether operations of this thread record a graph at present.

    >>> import autograd_teach as torch
    >>> torch.is_grad_enabled()
    True
    """
    return state.mode.recording


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference mode.

    >>> import autograd_teach as torch
    >>> with torch.inference_mode():
    ...     torch.is_inference_mode_enabled()
    True
    """
    return state.mode.inference


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on in this thread: backward passes that fail then name the forward operation.

    >>> import autograd_teach as torch
    >>> torch.is_anomaly_enabled()
    False
    """
    return state.anomaly


class Flags(ContextDecorator):
    """Flags of the thread: a context manager and decorator that sets them and then restores them."""

    flags: Mapping[str, Any]

    def __enter__(self) -> Any:
        # Only the flags are restored: other changes in the context stay.
        self._before = {name: getattr(state.mode if name in _OF_MODE else state, name) for name in self.flags}
        self._set(self.flags)

    def __exit__(self, *error: object) -> None:
        self._set(self._before)

    def _set(self, flags: Mapping[str, Any]) -> None:
        vars(state).update({name: value for name, value in flags.items() if name not in _OF_MODE})
        mode = state.mode
        set_mode(flags.get("recording", mode.recording), flags.get("inference", mode.inference))

    def _recreate_cm(self) -> Any:
        copy = object.__new__(Flags)  # a copy for each call, because a function may call itself
        copy.flags = self.flags
        return copy

    def __call__(self, function: Any) -> Any:
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)
        if isinstance(function, type):
            warnings.warn(str(error("decorated_class")), FutureWarning, stacklevel=2)
        return super().__call__(function)

    def _around_generator(self, function: Any) -> Any:
        """Set the flags whenever the generator runs, and restore them whenever it yields."""

        @functools.wraps(function)
        def generator(*args: Any, **kwargs: Any) -> Any:
            inner = function(*args, **kwargs)
            resume: Callable[[], Any] = functools.partial(next, inner)
            while True:
                try:
                    with self._recreate_cm():
                        value = resume()
                except StopIteration as end:
                    return end.value
                try:
                    given = yield value
                except GeneratorExit:
                    with self._recreate_cm():
                        inner.close()
                    raise
                except BaseException as thrown:  # noqa: BLE001  passed on to the generator
                    resume = functools.partial(inner.throw, thrown)
                else:
                    resume = functools.partial(inner.send, given)

        return generator


class _GradMode(Flags):
    """`no_grad` and `enable_grad`, faster than `Flags`: entering it would take as long as a small backward pass."""

    flags = MappingProxyType({"recording": False})

    def __new__(cls, function: Any = None) -> Any:
        self = super().__new__(cls)
        return self(function) if callable(function) else self  # `@no_grad` works like `@no_grad()`

    def __enter__(self) -> None:
        mode = state.mode
        self._recorded = mode.recording
        set_mode(self.flags["recording"], mode.inference)

    def __exit__(self, *error: object) -> None:
        set_mode(self._recorded, state.mode.inference)


class no_grad(_GradMode):
    """In this context, nothing is recorded: results do not require grad. Also decorates a function.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    """


class enable_grad(_GradMode):
    """In this context, operations are recorded again, also inside `no_grad`. Also decorates a function.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     (x * 2).requires_grad
    True
    """

    flags = MappingProxyType({"recording": True})


class _AtOnce(Flags):
    """Flags that apply on construction; as a context manager they are restored on exit."""

    def __init__(self, **flags: Any) -> None:
        self.flags = flags
        super().__enter__()

    def __enter__(self) -> None:
        self._set(self.flags)

    def __call__(self, function: Any) -> Any:
        # As a decorator it must not change the mode of the code that applies it.
        self.__exit__()
        return super().__call__(function)


class set_grad_enabled(_AtOnce):
    """Record (`mode` true) or not from now on; as a context manager, restored on exit. Also decorates a function.

    >>> import autograd_teach as torch
    >>> with torch.set_grad_enabled(False):
    ...     torch.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__(recording=mode)


class inference_mode(Flags):
    """Like `no_grad`, but `enable_grad` has no effect inside, and the results can never be part of a graph.

    `mode`: False leaves inference mode. Also decorates a function.

    >>> import autograd_teach as torch
    >>> with torch.inference_mode():
    ...     torch.ones(2).is_inference()
    True
    """

    def __new__(cls, mode: Any = True) -> Any:
        self = super().__new__(cls)
        self.flags = {"inference": bool(mode), "recording": not mode}
        return self(mode) if callable(mode) else self


class set_detect_anomaly(_AtOnce):
    """Anomaly mode, on or off: if a backward pass fails, a warning shows where its forward operation was called.

    With `check_nan`, a gradient that contains NaN is a failure too (RuntimeError). Each node keeps
    a traceback: slow.

    >>> import autograd_teach as torch
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__(anomaly=mode, check_nan=check_nan)


class detect_anomaly(Flags):
    """Anomaly mode as a context manager; see `set_detect_anomaly`. Warns that it is slow.

    >>> import warnings, autograd_teach as torch
    >>> with warnings.catch_warnings(action="ignore"), torch.autograd.detect_anomaly():
    ...     torch.is_anomaly_enabled()
    True
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.flags = {"anomaly": True, "check_nan": check_nan}
        warnings.warn(str(error("anomaly_enabled")), stacklevel=2)
