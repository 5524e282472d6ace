"""What a diagnosis is, how the first one that applies is found, and words that several diagnoses use.

NumPy only; does not depend on the kind of evidence. The diagnoses are in function/ (values.py: the object and what forward
returns; returned.py and gradients.py: what backward returns; beyond.py: further requirements) and in call/ (runs.py,
results.py, numbers.py).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

import numpy as np

from ..guard import Crash

Recognise = Callable[[Any], "str | Finding | None"]


@dataclass(frozen=True)
class Finding:
    """A diagnosis that applies: its name, which does not change, and its sentence."""

    name: str
    message: str


@dataclass(frozen=True)
class Diagnosis:
    """A row of the table: the failed checks that it can explain, and the function that recognises it."""

    name: str
    explains: tuple[str, ...]
    recognise: Recognise


Recogniser = TypeVar("Recogniser", bound=Recognise)


def into(table: list[Diagnosis]) -> Callable[..., Callable[[Recogniser], Recogniser]]:
    """A decorator `(name, *explains)` that appends the decorated function to `table` as a `Diagnosis`."""

    def diagnosis(name: str, *explains: str) -> Callable[[Recogniser], Recogniser]:
        def append(recognise: Recogniser) -> Recogniser:
            table.append(Diagnosis(name, explains, recognise))
            return recognise

        return append

    return diagnosis


def first_findings(table: Iterable[Diagnosis], evidence: Any, failed: list[str]) -> list[Finding]:
    """The findings on the failed checks, at most one per check, in the order of the table.

    A row that raises is skipped, so that a student does not get a traceback of this package. The error is added to
    `evidence.faults`, which tests require to be empty.
    """
    findings: list[Finding] = []
    open_checks = set(failed)
    for row in table:
        if open_checks.intersection(row.explains):
            try:
                message = row.recognise(evidence)
            except Exception as fault:  # noqa: BLE001  # any bug of this package
                evidence.faults.append(f"{row.name}: {type(fault).__name__}: {fault}")
                continue
            if message:
                open_checks.difference_update(row.explains)
                finding = message if isinstance(message, Finding) else Finding(row.name, message)
                findings += [finding] if finding not in findings else []
    return findings


def common_factor(pairs: list[tuple[np.ndarray, np.ndarray]]) -> float | None:
    """The number c with got = c * expected in all pairs; None if there is none, or if it is 0 or 1."""
    got = np.concatenate([pair[0] for pair in pairs]) if pairs else np.zeros(0)
    want = np.concatenate([pair[1] for pair in pairs]) if pairs else np.zeros(0)
    if not want.any() or not np.isfinite(got).all():
        return None
    factor = float(got @ want / (want @ want))
    if abs(factor) < 1e-6 or abs(factor - 1) < 1e-4:
        return None
    return factor if np.allclose(got, factor * want, rtol=1e-5, atol=1e-6) else None


# Helpers: words


_MEANINGS = (
    (("backward through the graph a second time",), "an earlier backward pass has freed what the graph had saved"),
    (
        ("does not require grad and does not have a grad_fn",),
        "what is differentiated there was not computed from a tensor that requires grad, or the computation was not recorded",
    ),
    (
        ("can be implicitly created only for scalar outputs",),
        "what is differentiated there has several entries, but only a single number can be differentiated without weights",
    ),
    (
        ("leaf Variable that requires grad is being used in an in-place",),
        "it writes to a leaf while autograd records",
    ),
    (
        ("mark_non_differentiable only accepts variable",),
        "its arguments are tensors: no tuple or list of them, no name",
    ),
    (("save_for_backward can only save variables",), "it is for tensors only: keep other objects as attributes of ctx"),
    (
        ("'tuple'", "only integer tensors of a single element"),
        "is something there a tuple? {tuples} one, even for a single tensor",
    ),
)
"""Parts of an engine's messages, and their meaning in plain words."""


_SAVED = (
    "`ctx.saved_tensors` holds the tensors of the last call of `ctx.save_for_backward`, and their number is different "
    "(a second call replaces the first)"
)

_NOT_SAVED = "`ctx.saved_tensors` is empty: only tensors that were given to `ctx.save_for_backward` are in it"

_NEEDED = (
    "`ctx.needs_input_grad` has one entry for each argument of forward, counted from 0, and `ctx` is not one of them"
)


def is_stub(crash: Crash | None) -> TypeGuard[Crash]:
    """Whether what was raised is the `raise NotImplementedError()` of a stub, not an engine's error of this type."""
    return (
        crash is not None
        and crash.kind == "NotImplementedError"
        and not crash.message
        and (not crash.source or "NotImplementedError" in crash.source)
    )


def explained(crash: Crash) -> str:
    """A crash in words. The meaning of the engine's message is added if it is known."""
    if "index out of range" in crash.message and "needs_input_grad" in crash.source:
        return f"{str(crash).removesuffix('.')}; {_NEEDED}"
    if "saved_tensors" in crash.source and any(part in crash.message for part in ("to unpack", "index out of range")):
        nothing = "expected" in crash.message and "got 0" in crash.message
        return f"{str(crash).removesuffix('.')}; {_NOT_SAVED if nothing else _SAVED}"
    if crash.reason:
        return f"{str(crash).removesuffix('.')}; {crash.reason}"
    for parts, meaning in _MEANINGS:
        if any(part in crash.message for part in parts):
            tuples = "`ctx.saved_tensors` is" if crash.phase == "backward" else "`autograd.grad` gives"
            if "needs_input_grad" in crash.source:
                return f"{str(crash).removesuffix('.')}; `ctx.needs_input_grad` is a tuple: write an index in brackets"
            return f"{str(crash).removesuffix('.')}; {meaning.format(tuples=tuples)}"
    return str(crash)


def entries(bad: np.ndarray) -> str:
    """The wrong entries in words: whole columns or rows if possible, else the first few indices.

    >>> entries(np.array([[True, False], [True, False]]))
    'column 0'
    """
    if bad.ndim == 2:
        for axis, word in ((0, "column"), (1, "row")):
            full, touched = bad.all(axis=axis), bad.any(axis=axis)
            if np.array_equal(full, touched) and not full.all():
                numbers = [str(i) for i in np.flatnonzero(full)]
                return f"{word}{'s' if len(numbers) > 1 else ''} {' and '.join(_shortened(numbers))}"
    places = [index_in_words(tuple(int(i) for i in at)) for at in np.argwhere(bad)]
    return f"{'entries' if len(places) > 1 else 'entry'} {' and '.join(_shortened(places))}"


def _shortened(words: list[str]) -> list[str]:
    return words if len(words) <= 3 else [", ".join(words[:2]), f"{len(words) - 2} more"]


def index_in_words(at: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, at))}]" if at else ""


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers, written with enough digits to differ by about as much as they do.

    >>> apart(1.0, 2.5), apart(1.00001, 1.00002), apart(1.00049, 1.00051)
    (('1', '2.5'), ('1.00001', '1.00002'), ('1.00049', '1.00051'))
    """
    written = [(f"{one:.{digits}g}", f"{other:.{digits}g}") for digits in range(4, 18)]
    off = abs(one - other)
    differ = (pair for pair in written if pair[0] != pair[1])
    return next((pair for pair in differ if not abs(abs(float(pair[0]) - float(pair[1])) - off) > off / 2), written[0])


def times(factor: float) -> str:
    sign = "with the wrong sign, " if factor < 0 else ""
    size = abs(factor)
    for number in range(2, 101):
        if np.isclose(size, number, rtol=1e-4):
            return f"{sign}{number} times too large"
        if np.isclose(size, 1 / number, rtol=1e-4):
            small = "half of what it must be" if number == 2 else f"1/{number} of what it must be"
            return sign + small
    return f"{apart(factor, 1.0)[0]} times what it must be"


def a_or_an(type_name: str) -> str:
    return f"{'an' if type_name[:1] in 'aeio' else 'a'} {type_name}"


def size_shown(arguments: Iterable[Any]) -> int:
    """Roughly how much text the arguments of a call take. Small arguments count as 0.

    >>> size_shown([np.zeros(3), "mul"]), size_shown([np.zeros((40, 2))])
    (0, 10)
    """
    return sum(map(_size, arguments)) // 8


def _size(argument: Any) -> int:
    array = getattr(argument, "array", argument)
    return array.size if isinstance(array, np.ndarray) else max(len(repr(array)) - 80, 0)
