"""What a diagnosis is, how the first one that applies is found, and the diagnoses of errors, of whatever kind the exercise is.

NumPy only, reads only evidence. The other diagnoses are in numbers.py (numbers), function/returned.py (what forward and backward
return) and call/results.py (the kind of a result). The order counts: the first one that fits gives the message.
"""

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

from ..exercises.declaration import CallForm
from ..guard import Crash
from .table import scope_in_words
from .writing import for_inputs, how_many, size_shown

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
    """The findings on the failed checks, at most one per check, in the order of the checks.

    Of the rows that explain a check, the first one that applies counts. A row that raises is skipped, so that a student
    does not get a traceback of this package. The error is added to `evidence.faults`, which tests require to be empty.
    """
    evidence.failed, findings = failed, dict[Finding, int]()
    open_checks = set(failed)
    for row in table:
        if explained_checks := open_checks.intersection(row.explains):
            try:
                with warnings.catch_warnings():  # those of a mistake or a specification do not concern the student
                    warnings.simplefilter("ignore")
                    message = row.recognise(evidence)
            except Exception as fault:  # noqa: BLE001  # any bug of this package
                evidence.faults.append(f"{row.name}: {type(fault).__name__}: {fault}")
                continue
            if message:
                open_checks.difference_update(row.explains)
                finding = message if isinstance(message, Finding) else Finding(row.name, message)
                findings.setdefault(finding, min(map(failed.index, explained_checks)))
    return sorted(findings, key=lambda finding: findings[finding])


# ---- errors in words -----------------------------------------------------------------------------------------------------

_MEANINGS = {
    "index out of range.*\n.*needs_input_grad": "`ctx.needs_input_grad` has one entry for each argument of forward, counted "
    "from 0, and `ctx` is not one of them",
    "expected.* got 0.*\n.*saved_tensors": "`ctx.saved_tensors` is empty: only tensors that were given to "
    "`ctx.save_for_backward` are in it",
    "(to unpack|index out of range).*\n.*saved_tensors": "`ctx.saved_tensors` holds the tensors of the last call of "
    "`ctx.save_for_backward`, and their number is different (a second call replaces the first)",
    "backward through the graph a second time": "an earlier backward pass has freed what the graph had saved",
    "does not require grad and does not have a grad_fn": "what is differentiated there was not computed from a tensor that "
    "requires grad, or the computation was not recorded",
    "can be implicitly created only for scalar outputs": "what is differentiated there has several entries, but only a single "
    "number can be differentiated without weights",
    "once_differentiable": "it forbids what this exercise asks for",
    "marked as dirty": "mark the argument that is to be changed, change it itself and return it: no other one, no new tensor",
    "leaf Variable that requires grad is being used in an in-place": "it writes to a leaf while autograd records",
    "modified by an inplace operation": "backward needs a tensor of that shape that was changed in place after it was saved",
    "mark_non_differentiable only accepts variable": "its arguments are tensors: no tuple or list of them, no name",
    "save_for_backward can only save variables": "it is for tensors only: keep other objects as attributes of ctx",
    "('tuple'|only integer tensors of a single element).*\n.*needs_input_grad": "`ctx.needs_input_grad` is a tuple: write an "
    "index in brackets",
    "'tuple'|only integer tensors of a single element": "is something there a tuple? {tuples} one, even for a single tensor",
    "maximum recursion depth": "calls are nested more deeply than Python allows (about a thousand, in JupyterLab three thousand)",
}
"""Regular expressions for an error's message, and after it the line that raised it, and the meaning in plain words."""


def is_stub(crash: Crash | None) -> TypeGuard[Crash]:
    """Whether what was raised is the `raise NotImplementedError()` of a stub, not an engine's error of this type."""
    return (
        crash is not None
        and crash.kind == "NotImplementedError"
        and not crash.message
        and (not crash.source or "NotImplementedError" in crash.source)
    )


def explained(crash: Crash) -> str:
    """A crash in words, with the reason that was read in the source or the meaning of the message, if one is known."""
    tuples = "`ctx.saved_tensors` is" if crash.phase == "backward" else "`autograd.grad` gives"
    meanings = (
        meaning.format(tuples=tuples)
        for pattern, meaning in _MEANINGS.items()
        if re.search(pattern, f"{crash.message}\n{crash.source}")
    )
    why = crash.reason or next(meanings, "")
    words = re.sub(r"(?<!\.)\.$", "", str(crash))
    return f"{words}; {why}" if why else words


RUNNING: list[Diagnosis] = []
diagnosis = into(RUNNING)


@diagnosis("timeout", "runs")
def _timeout(evidence: Any) -> str | None:
    stop = evidence.timeout
    if stop is None:
        return None
    where = "" if stop.line is None else f", at line {stop.line}: `{stop.source}`"
    last = for_inputs(evidence.form, evidence.stopped.arguments) if evidence.runs else ""
    slow = ", does each step take longer the more there is to go through, or is the same work done many times" * bool(
        last
    )
    return (
        f"stopped after {evidence.exercise.seconds:g} s in {stop.phase}{where}{last}; is there an endless loop{slow}?"
    )


@diagnosis("raises_for_some", "runs")
def _raises_for_some(evidence: Any) -> str | None:
    """Some inputs raise: which ones, and what the others give."""
    runs = evidence.runs
    crashed = [number for number, run in enumerate(runs) if run.crash]
    if not crashed or len(crashed) == len(runs):
        return None
    first = min(crashed, key=lambda number: size_shown(runs[number].arguments))
    alike = [number for number in crashed if _words(runs[number].crash) == _words(runs[first].crash)]
    inputs = [run.arguments for run in runs]
    scope = scope_in_words(evidence.form, inputs, crashed, range(len(runs))) if len(alike) == len(crashed) else ""
    if not scope.startswith(", for every"):
        more = f", and {len(alike) - 1} more" if len(alike) > 1 else ""
        scope = f"{for_inputs(evidence.form, inputs[first])}{more}"
    others = "; other inputs raise other errors" if len(alike) < len(crashed) else ""
    happens = f"this happens{scope.removeprefix(',')}{others}{_rest(evidence, len(crashed))}"
    return f"{raised_in_words(evidence, runs[first].crash)}; {happens}"


def _words(crash: Crash) -> tuple[str, int | None, str]:
    return crash.kind, crash.line, crash.message[:20]


def _rest(evidence: Any, crashed: int) -> str:
    """What the inputs that do not raise give, in words."""
    if evidence.failed == ["runs"]:
        return "; the other inputs work" if crashed == 1 else "; the rest work"
    if not {*evidence.failed} <= {"runs", "value"}:
        return ""
    table = evidence.table("value")
    right = len(table.runs) - len({run for run, _ in table.wrong})
    few = f"the result is right for {right} of {how_many(len(evidence.runs), 'input')}"
    return f"; {few if right else 'no input gives the right result'}"


@diagnosis("signature", "runs")
def _signature(evidence: Any) -> str | None:
    crash = next((run.crash for run in evidence.runs if run.crash), None)
    wrong_number = re.compile(r"takes .*argument|missing \d+ required|unexpected keyword|takes no arguments")
    if crash is None or crash.line is not None or crash.kind != "TypeError" or not wrong_number.search(crash.message):
        return None
    form, names = evidence.form, ", ".join(evidence.form.arguments) or "nothing"
    if not isinstance(form, CallForm):
        names = f"ctx, {names}" if crash.phase == "forward" else "ctx and one grad_output for each result"
    elif form.call is not None:
        return f"it is not called as the statement says, or with other arguments: {crash.message}"
    who = "it" if isinstance(form, CallForm) else crash.phase
    return f"{who} is called with {names}; yours takes something else: {crash.message}"


@diagnosis("raised", "runs")
def _raised(evidence: Any) -> str | None:
    return next((raised_in_words(evidence, run.crash) for run in evidence.runs if run.crash), None)


def raised_in_words(evidence: Any, crash: Crash) -> str:
    """An error in words. If no line of the answer was running, it is not described as an error of the answer."""
    told = explained(crash)
    if crash.line is not None or crash.absent or crash.ends_program:
        return told
    if not isinstance(evidence.form, CallForm):
        return told.replace(f"{crash.phase} raised", f"around {crash.phase}, autograd raised", 1)
    told = told.partition(" raised ")[2]
    how = "reading what it returns" if evidence.form.call is None else "using it as the statement says"
    return f"calling it, or {how}, raises {told}; no line of yours is running then"
