"""Long chains of plain Python objects where Python's stack is small: how they are let go of, and how long they may be.

A student's engine links each number to those before it. Freeing the last one frees the one before it inside, and so on; in a
browser, some thousand of them overflow the stack, and the kernel is gone. The engine's own nodes take care of themselves
(`autograd/unlinking.py`); objects of a student's classes cannot.
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
"""How many objects of a notebook's own may be linked, one to the next: a notebook lets go of them as Python does."""

DEEP = (1_050, 1_300) if IN_BROWSER else (1_500, 2_500)
"""Between these lie the lengths of chains that are deeper than Python's recursion limit, of objects as above."""

# What many objects share and nobody lets go of.
_SHARED = (type, ModuleType, CodeType, FrameType, TracebackType)


@contextlib.contextmanager
def letting_go(names: dict[str, Any]) -> Iterator[None]:
    """Empty `names` after the code inside; in a browser, what they held is freed one after another."""
    try:
        yield
    except BaseException as error:
        if IN_BROWSER:
            traceback.clear_frames(error.__traceback__)  # `names` still hold all that the frames held
        raise
    finally:
        held = _below(list(names.values())) if IN_BROWSER else deque()
        names.clear()
        _free(held)


def let_go_of(error: BaseException) -> None:
    """In a browser, free what the frames of a caught error hold, one after another. Its traceback is gone then."""
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
    """Every object that `values` lead to, without modules, classes and functions' globals: the nearest first."""
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
    """Whether more than a program's own objects hold it: through the builtins, which `exec` puts among a program's names, all of
    the notebook can be reached.
    """
    return isinstance(value, _SHARED) or value is vars(builtins)
