"""Long chains of plain Python objects: how to free them without recursion, and how long they may be.

A student's engine links each number to those before it. Freeing the last one frees the one before it, recursively. In a
browser Python's stack is small: about a thousand linked objects overflow it, and the kernel dies. The engine's own nodes
unlink themselves (`autograd/unlinking.py`); objects of a student's classes cannot.
"""

import builtins
import contextlib
import gc
import sys
import traceback
from collections import deque
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, ModuleType, TracebackType
from typing import Any

IN_BROWSER = sys.platform == "emscripten"

LONG = 1_000 if IN_BROWSER else 20_000
"""Up to this length, Python can free a chain of a notebook's own objects by itself."""

DEEP = (1_050, 1_300) if IN_BROWSER else (3_100, 4_000)
"""The range of lengths for chains that are deeper than Python's recursion limit, which is 3,000 in JupyterLab."""

# Many objects refer to these, and they are never freed.
_SHARED = (type, ModuleType, CodeType, FrameType, TracebackType)


@contextlib.contextmanager
def letting_go(names: dict[str, Any]) -> Iterator[None]:
    """Context manager that empties `names` on exit; in a browser, frees the objects one after another."""
    try:
        yield
    except BaseException as error:
        if IN_BROWSER:
            traceback.clear_frames(error.__traceback__)  # `names` still hold the frames' objects
        raise
    finally:
        held = _below(list(names.values())) if IN_BROWSER else deque()
        names.clear()
        _free(held)


def let_go_of(error: BaseException) -> None:
    """In a browser, free the objects in the frames of a caught error, one after another. Removes its traceback."""
    if IN_BROWSER:
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_locals is not frame.f_globals]
        held = _below([value for frame in frames for value in frame.f_locals.values()])
        del frames
        traceback.clear_frames(error.__traceback__)
        error.__traceback__ = None
        _free(held)


def _free(held: deque[Any]) -> None:
    while held:
        held.popleft()


def _below(values: list[Any]) -> deque[Any]:
    """Every object reachable from `values`, nearest first, without modules, classes and functions' globals."""
    values = [value for value in values if not _is_shared(value)]
    found, seen = deque(values), {id(value) for value in values}
    waiting = deque(values)
    while waiting:
        each = waiting.popleft()
        if isinstance(each, FunctionType):
            held = [each.__closure__, each.__defaults__, each.__kwdefaults__, each.__dict__]
        else:
            held = gc.get_referents(each)
        for value in held:
            if id(value) not in seen and gc.is_tracked(value) and not _is_shared(value):
                seen.add(id(value))
                found.append(value)
                waiting.append(value)
    return found


def _is_shared(value: object) -> bool:
    """Whether the program does not own `value`: a class, a module, code, a frame, or the builtins.

    `exec` puts the builtins into a program's names, and all of the notebook is reachable from them.
    """
    return isinstance(value, _SHARED) or value is vars(builtins)
