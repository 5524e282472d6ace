"""Runs a student's code so that the notebook survives it.

It has a time limit, cannot end the program, and its prints are hidden. A crash is reported at the student's own line.
Standard library only. Must not know exercises or the engine.
"""

import _thread
import builtins
import contextlib
import functools
import io
import linecache
import os
import re
import signal
import sys
import sysconfig
import textwrap
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn, Protocol
from unittest import mock

_LIBRARIES = tuple(
    str(Path(path).resolve())
    for path in {
        *(sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")),
        str(Path(__file__).parents[1]),
        # In a browser the standard library is a zip file, and sysconfig names an empty folder.
        os.path.dirname(contextlib.__file__),
    }
)


PATIENCE = 3
"""The limit of elapsed time is this many times the limit of computing time. On Linux, waiting for a busy processor does
not count."""

_TURNS, _USUAL = 400_000, 0.015
"""An empty loop with this many turns takes this many seconds in a browser on an average, idle computer."""

MOST_SLOWNESS = 8


class TimeLimit(BaseException):
    """The student's code took too long. It is a BaseException, so an `except Exception` in that code does not catch it."""


@dataclass(frozen=True)
class Crash:
    """An exception as a student wants to read it: their own line, and what it raised.

    phase: what was running, for example "backward". line: None if no line of the student was running, for example if the
    engine rejected what backward returned. reason: why the engine raised it, in words, if that is known.
    """

    phase: str
    kind: str
    message: str
    line: int | None = None
    source: str = ""
    reason: str = ""

    @property
    def ends_program(self) -> bool:
        """Whether the answer tried to end Python with exit(), quit(), sys.exit() or os._exit()."""
        return self.kind == "SystemExit"

    @property
    def absent(self) -> str | None:
        """The missing name, if the answer used a name that PyTorch has and this package does not; else None."""
        found = re.match(r"PyTorch has `([^`]+)`, but autograd_teach does not", self.message)
        return found.group(1) if found and self.kind == "AttributeError" else None

    def __str__(self) -> str:
        where = "" if self.line is None else f", line {self.line}: `{self.source}`"
        if self.ends_program:
            return f"{self.phase}{where} ends the program (SystemExit), which an answer must not do: take that line out"
        if self.absent:
            return f"{self.phase}{where}: only PyTorch has `{self.absent}`, this package does not: use other operations"
        return f"{self.phase}{where} raised {self.kind}" + (f": {self.message}" if self.message else "") + self.instead

    @property
    def instead(self) -> str:
        """What to write instead, if conditions on a tensor were combined wrongly; "" after other errors."""
        if re.match(r'"bitwise_(and|or)_', self.message) and re.search(
            r"[<>=]=?[^()&|]*[&|]|[&|][^()&|]*[<>=]", self.source
        ):
            return "; `&` and `|` bind more tightly than `<` and `>`: put each condition in parentheses: `(a > 0) & (a < 1)`"
        if "more than one value is ambiguous" not in self.message:
            return ""
        if re.search(r"\b(and|or)\b|[<>]=?[^<>]*[<>]", self.source):
            return "; combine two conditions on a tensor with `&` or `|`, each in parentheses: `(a > 0) & (a < 1)`"
        if re.search(r"\b(?:if|elif|while|assert|not)(?: not)? [\w.]+ *(?:[:),]|else\b|$)", self.source):
            return "; to ask whether something was given, write `is not None`, or `is None`"
        return ""


def crash_of(error: BaseException, phase: str) -> Crash:
    """`error` with the innermost line that is the student's."""
    first_line = _shortened(str(error).strip().partition("\n")[0])
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    if not own:
        return Crash(phase, kind_of(error), first_line)
    lines = [(frame, linecache.getline(frame.filename, frame.lineno or 0).strip()) for frame in own]
    if isinstance(error, RecursionError):  # the line that calls itself, not the one that reached the limit
        ((most, _),) = Counter((frame.filename, frame.lineno) for frame, _ in lines).most_common(1)
        lines = [each for each in lines if (each[0].filename, each[0].lineno) == most]
    frame, source = next((each for each in reversed(lines) if each[1]), lines[-1])  # compiled modules show no source
    shapes = _shapes_in(error, frame, source) if _OF_SHAPES.search(first_line) else ""
    return Crash(phase, kind_of(error), first_line, frame.lineno, source, shapes)


_OF_SHAPES = re.compile(
    r"^(?!.* has no attribute ).*\b(size|shapes?|dim|dimensions?|0-dim|square matrices|multiplied)\b"
)
"""What messages say if the shapes of tensors do not fit."""

_WITH_SHAPE = ("autograd_teach.tensor", "torch", "numpy")
"""The modules of the classes whose objects are asked for their shape. A class of the student's is not asked anything."""


def _shapes_in(error: BaseException, place: traceback.FrameSummary, source: str) -> str:
    """The shapes of the tensors that a line names, in words; "" if there are none."""
    names, known = dict.fromkeys(re.findall(r"(?<![\w.])[A-Za-z_]\w*", source)), dict[str, Any]()
    for frame, line in traceback.walk_tb(error.__traceback__):
        if (frame.f_code.co_filename, line) == (place.filename, place.lineno):
            known = {name: frame.f_locals.get(name) for name in names}
    tensors = {name: value for name, value in known.items() if type(value).__module__ in _WITH_SHAPE}
    shown = [f"`{name}` has shape {tuple(each.shape)}" for name, each in tensors.items() if hasattr(each, "shape")]
    return f"in that line, {', '.join(shown[:4])}" if shown else ""


def kind_of(error: BaseException) -> str:
    """The name of the error's type. An error is called SystemExit or MemoryError if it is one, and only then.

    >>> kind_of(type("SystemExit", (Exception,), {})()), kind_of(type("Leave", (SystemExit,), {})())
    ('another SystemExit', 'SystemExit')
    """
    for special in (SystemExit, MemoryError):
        if isinstance(error, special):
            return special.__name__
    name = type(error).__name__
    return f"another {name}" if name in ("SystemExit", "MemoryError") else name


def _shortened(message: str, width: int = 220) -> str:
    """As many whole sentences as fit into `width` characters, or the beginning of the first.

    >>> _shortened("Too small. Make it larger (by far).", 20), _shortened("It is too small by far.", 20)
    ('Too small.', 'It is too small ...')
    """
    short = textwrap.shorten(message, width, placeholder=" ...")
    whole, end, _ = short.removesuffix(" ...").rpartition(". ")
    return whole + "." if end and short.endswith(" ...") else short


def is_own(filename: str) -> bool:
    """Whether code of this file is the student's: a cell or a module of theirs, not a library."""
    # Only short names are cached: an answer can invent long ones, which could fill the memory.
    return _is_own_file(filename) if len(filename) < 500 else _is_own_file.__wrapped__(filename)


@functools.lru_cache(maxsize=1000)
def _is_own_file(filename: str) -> bool:
    if filename.startswith("<"):
        # The engine's generated source and Python's frozen modules have names in <> too.
        return filename.startswith(("<ipython-input", "<stdin>", "<answer"))
    return not str(Path(filename).resolve()).startswith(_LIBRARIES)


@contextlib.contextmanager
def quiet() -> Iterator[io.StringIO]:
    """Hide the output and warnings of the student's code. Yields the hidden text.

    A check runs forward about fifty times. For the same reason `input` raises; in JupyterLab it would block the notebook.
    """
    hidden = io.StringIO()
    with (
        contextlib.redirect_stdout(hidden),
        contextlib.redirect_stderr(hidden),
        warnings.catch_warnings(),
        mock.patch.object(builtins, "input", _ask_nobody),
    ):
        warnings.simplefilter("ignore")
        yield hidden


class Seen(Protocol):
    """What is recorded about all calls of a student's code together."""

    timeout: Crash | None
    printed: bool


@contextlib.contextmanager
def guarded(seen: Seen, seconds: float, phase: Callable[[], str]) -> Iterator[None]:
    """Context manager that runs a student's code quietly and for at most `seconds`. Notes the outcome in `seen`."""
    with quiet() as hidden:
        try:
            with time_limit(seconds):
                yield
        except TimeLimit as limit:
            seen.timeout = crash_of(limit, phase())
    seen.printed = bool(hidden.getvalue().strip())


class Record(Protocol):
    """What is recorded about one call of a student's code."""

    crash: Crash | None


@contextlib.contextmanager
def caught(
    record: Record, phase: Callable[[], str], reason: Callable[[BaseException], str] = lambda error: ""
) -> Iterator[None]:
    """Context manager that turns whatever a student's code raises, including SystemExit, into the record's crash.

    reason: says why an error was raised, "" if that is not known.
    """
    try:
        with nowhere_to_exit():
            yield
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a student raises
        crash = crash_of(error, phase())
        record.crash = replace(crash, reason=reason(error) or crash.reason)


@contextlib.contextmanager
def nowhere_to_exit() -> Iterator[None]:
    """Let exit(), quit() and os._exit() raise SystemExit, as sys.exit() does.

    In a notebook the first two only ask the kernel to end after the cell, and return; the last ends it at once. Other
    threads, and processes that the student's code has forked, may still end.
    """
    real, own, thread = os._exit, os.getpid(), threading.get_ident()

    def stop(status: Any = None, *_: object) -> NoReturn:
        if os.getpid() != own or threading.get_ident() != thread:
            real(status or 0)
        raise SystemExit(status)

    replaced = [(os, "_exit", stop), *((builtins, name, stop) for name in ("exit", "quit") if hasattr(builtins, name))]
    autocall = sys.modules.get("IPython.core.autocall")  # IPython's exit and quit
    if autocall is not None:
        kinds = [autocall.ExitAutocall, *autocall.ExitAutocall.__subclasses__()]
        replaced += [(kind, "__call__", lambda self, *_: stop()) for kind in kinds if "__call__" in vars(kind)]
    before = [vars(owner)[name] for owner, name, _ in replaced]
    try:
        for owner, name, instead in replaced:
            setattr(owner, name, instead)
        yield
    finally:
        for (owner, name, _), old in zip(replaced, before, strict=True):
            setattr(owner, name, old)


def _ask_nobody(prompt: object = "") -> str:
    raise EOFError("input() does not work in a check, which runs your code many times: use a fixed value")


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Context manager that raises `TimeLimit` inside after `seconds` of computing or `PATIENCE` times `seconds` elapsed.

    A right answer on a busy machine is not mistaken for an endless loop, and code that only waits ends as well. After the
    first time, `TimeLimit` is raised again every 0.2 s. The guarantees depend on the platform:

    - Linux and macOS, by signals: all of this.
    - Windows, by a timer thread: once, after `PATIENCE` times `seconds` elapsed.
    - A browser, by `sys.monitoring`: after `PATIENCE` times `seconds` elapsed, or longer if the computer is slow or busy
      (`_slowness`), at the next backward jump or call in the student's own code. A single library call that waits or
      computes is not interrupted.
    - Outside the main thread: no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
    elif sys.platform == "emscripten":
        with _watch(PATIENCE * seconds):
            yield
    elif hasattr(signal, "setitimer"):
        with _alarm(seconds):
            yield
    else:
        with _interrupt(PATIENCE * seconds):
            yield


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    end = time.monotonic() + PATIENCE * seconds
    delayed = _delay()

    def is_over() -> bool:
        return time.monotonic() >= end + _delay() - delayed

    with (
        _timer(signal.ITIMER_PROF, signal.SIGPROF, seconds),
        _timer(signal.ITIMER_REAL, signal.SIGALRM, PATIENCE * seconds, is_over),
    ):
        yield


def _delay() -> float:
    """Seconds that this thread was ready to run while other programs had the processors; 0 if the system does not say."""
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


@contextlib.contextmanager
def _timer(clock: int, number: int, seconds: float, is_over: Callable[[], bool] = lambda: True) -> Iterator[None]:
    def ring(signum: int, frame: FrameType | None) -> None:
        if is_over():
            raise TimeLimit

    old_handler = signal.signal(number, ring)
    # Repeats every 0.2 s: a bare `except:` in the student's loop swallows the first exception.
    old_delay, old_interval = signal.setitimer(clock, seconds, 0.2)
    try:
        yield
    finally:
        signal.setitimer(clock, 0)
        signal.signal(number, old_handler)
        if old_delay:
            signal.setitimer(clock, old_delay, old_interval)


@contextlib.contextmanager
def _interrupt(seconds: float) -> Iterator[None]:
    rung = threading.Event()

    def ring() -> None:
        rung.set()
        _thread.interrupt_main()

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if not rung.is_set():  # Ctrl-C, or "Interrupt Kernel"
            raise
        raise TimeLimit().with_traceback(interrupt.__traceback__) from None
    finally:
        timer.cancel()


@contextlib.contextmanager
def _watch(seconds: float) -> Iterator[None]:
    """Look at the clock whenever the student's code jumps, or starts or resumes a function or generator."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]  # since Python 3.12; browsers have a newer one
    tool = _free_tool(monitoring)
    if tool is None:
        yield
        return
    now, instruction, start = time.monotonic, monitoring.events.INSTRUCTION, time.monotonic()
    end = start + seconds
    rung, echo = 0, 0
    armed: dict[int, CodeType] = {}  # by identity: equal code is not the same code

    def look(code: CodeType, *_: object) -> object:
        nonlocal end
        if not is_own(code.co_filename):
            # No more events from this place: libraries run at full speed, and `with` can end.
            return monitoring.DISABLE
        if now() >= end and not rung:
            end = start + seconds * _slowness()
        if now() >= end:
            # Raise at the next instruction. An exception at a jump leaves the function without running its `finally`,
            # and `torch.no_grad()` would stay on.
            armed[id(code)] = code
            monitoring.set_local_events(tool, code, instruction)
        return None

    def ring(code: CodeType, *_: object) -> None:
        # From the fourth time on, raise a second time a few instructions later (the echo). The second exception hits
        # the handler of a bare `except:` in a loop, and leaves time for `with` and `finally` around both.
        nonlocal end, rung, echo
        if id(code) not in armed:
            return  # Python 3.13.0 now and then reports instructions of code for which nobody asked
        if echo > 1:
            echo -= 1
            return
        rung, echo = (rung, 0) if echo else (rung + 1, 2 + rung % 4 if rung > 2 else 0)
        if not echo:
            monitoring.set_local_events(tool, code, 0)
            end = now() + 0.2  # repeats: a bare `except:` in the student's loop swallows the first exception
        raise TimeLimit

    places = (monitoring.events.JUMP, monitoring.events.PY_START, monitoring.events.PY_RESUME)
    callbacks = {**dict.fromkeys(places, look), instruction: ring}
    monitoring.use_tool_id(tool, __name__)
    try:
        for event, callback in callbacks.items():
            monitoring.register_callback(tool, event, callback)
        monitoring.set_events(tool, sum(places))
        yield
    finally:
        # Events were disabled only in libraries' code, and may stay so. `restart_events` is not needed, and would
        # also enable places that other tools have disabled.
        monitoring.set_events(tool, 0)
        for code in armed.values():
            monitoring.set_local_events(tool, code, 0)
        for event in callbacks:
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)


def _slowness() -> float:
    """How many times slower than usual Python runs here at the moment, from 1 to `MOST_SLOWNESS`.

    A browser does not measure computing time. On an old phone, or with other busy tabs, a right answer would seem endless.
    """
    start = time.monotonic()
    for _ in range(_TURNS):
        pass
    return min(max((time.monotonic() - start) / _USUAL, 1.0), MOST_SLOWNESS)


def _free_tool(monitoring: Any) -> int | None:
    """A free tool id of `sys.monitoring`, or None if all are taken. Nested limits use different ids.

    Ids without a name come first: debuggers, coverage and profilers expect their own ids.
    """
    return next((tool for tool in (3, 4, 0, 5, 2, 1) if monitoring.get_tool(tool) is None), None)
