"""How an answer is judged, for every kind of exercise: its `Checker`, and the data that its stages exchange.

    plan      the requests to the answer: drawn inputs, and how each is used       (in the specification's process)
    asking    sends each request to the answer and records the reply               (in the process of the student's code)
    evidence  requests, replies and the right results side by side                 (in the specification's process)
    checks    the lines of the report, each judged from the evidence only
    diagnoses what is wrong, in a sentence, from the evidence only

`check` in a notebook runs all stages in one process. The grader runs `asking` in another process, which never loads the
specification or a verdict; requests and replies are sent as plain data (records.py).
NumPy only. A new kind of exercise is a `Checker`, and a row in checks/__init__.py.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from ..exercises.declaration import Exercise
from ..guard import Crash
from .diagnosing import Diagnosis, Finding
from .explaining import Candidate, Explanation, explanation
from .table import Table

State = Literal["pass", "fail", "not reached"]

Purpose = Literal["check", "grade"]
"""A check draws the same inputs each time, and also measures whole Jacobians for the report. A grade draws new inputs and
more cotangents."""


@dataclass(frozen=True)
class Check:
    """One line of a report. judge: gives its state from the evidence.

    counted: whether the check relies on notes of the answer's own process, which numbers cannot confirm.
    """

    name: str
    text: str
    judge: Callable[[Any], State]
    counted: bool = False


@dataclass(frozen=True)
class Request:
    """A request to the answer: its purpose, the request itself, and the right result, as plain data."""

    purpose: str
    asked: Any
    expected: Any = None


@dataclass(frozen=True)
class Plan:
    """The requests to an answer, in order.

    The first `needed` requests are always made. The others are left out if the first reply makes them useless (`goes_on`).
    """

    requests: tuple[Request, ...]
    needed: int


@dataclass
class Evidence:
    """What is known about one answer. Each kind of exercise has a subclass."""

    exercise: Exercise
    spec: Any
    structure: str | None = None  # what is wrong with the object itself; then no requests were made
    timeout: Crash | None = None
    stopped: Any = None  # the request that was running at the time limit
    printed: bool = False
    failed: list[str] = field(default_factory=list)  # the checks that fail, when findings are asked for
    faults: list[str] = field(default_factory=list)  # diagnoses that raised: bugs of this package
    runs: list[Any] = field(default_factory=list)  # the first use of each input
    made: dict[str, Any] = field(default_factory=dict)  # tables and explanations, made when they are first asked for

    @property
    def form(self) -> Any:
        """The form of the exercise: what it asks for, without the right results."""
        return self.exercise.form

    def table(self, check: str) -> Table:
        """What came and what is right, for a check of numbers."""
        if check not in self.made:
            self.made[check] = self.tabled(check)
        made: Table = self.made[check]
        return made

    def known(self, check: str) -> Explanation | None:
        """The known mistakes, declared or derived from a reference, that explain the numbers of a check."""
        if f"known {check}" not in self.made:
            table, candidates = self.suspected(check)
            self.made[f"known {check}"] = explanation(table, candidates, partly=self.exercise.kind == "value")
        found: Explanation | None = self.made[f"known {check}"]
        return found

    def tabled(self, check: str) -> Table:
        """The table for `table`."""
        raise NotImplementedError

    def suspected(self, check: str) -> tuple[Table, Callable[[], Sequence[Candidate]]]:
        """The table that a mistake must explain, and the mistakes in question."""
        raise NotImplementedError


@dataclass(frozen=True)
class Picture:
    """A picture below the findings: SVG, a legend, and a summary if it is folded."""

    svg: str
    legend: str
    summary: str = ""


class Asking(Protocol):
    """Sends requests to one answer. Apart from the student's code, only this runs in its process."""

    phase: str  # the part of the student's code that is running, for a report: "forward", "your code"

    def reply(self, asked: Any) -> Any:
        """The reply to one request. Errors of the student's code are recorded, not raised, except `TimeLimit`."""


@dataclass(frozen=True)
class Checker:
    """Judges one kind of exercise: a function for each stage.

    asked, reply: types of `Request.asked` and of the result of `Asking.reply`; both are read back from bytes.
    plans: (exercise, spec, rng, purpose) -> the plans; a second plan is used only if all checks pass on the first.
    structure: (exercise, subject) -> what is wrong with the object that is checked; None if requests can be made.
    asking: (exercise, subject) -> what sends requests to it. goes_on: whether the first reply allows more requests than
    those needed. evidence: (exercise, spec) -> new evidence, without replies. add: adds the replies to a plan to it; there may be fewer
    than requests. checks: (exercise, spec) -> the lines of the report. findings: (evidence, failed) -> what is wrong, in
    sentences, the most important first. is_attempted: whether the answer is more than the stub. failing_input: (evidence,
    failed, message) -> a small input with a wrong result, name -> text, if possible the one that the first finding names.
    picture: (evidence, states) -> the picture for a page, by the states of the checks (empty: not attempted).
    """

    asked: type
    reply: type
    diagnoses: Sequence[Diagnosis]
    plans: Callable[[Exercise, Any, np.random.Generator, Purpose], Iterator[Plan]]
    structure: Callable[[Exercise, Any], str | None]
    asking: Callable[[Exercise, Any], Asking]
    goes_on: Callable[[Any], bool]
    evidence: Callable[[Exercise, Any], Any]
    add: Callable[[Any, Plan, Sequence[Any]], None]
    checks: Callable[[Exercise, Any], tuple[Check, ...]]
    findings: Callable[[Any, list[str]], list[Finding]]
    is_attempted: Callable[[Any], bool]
    failing_input: Callable[[Any, set[str], str], Mapping[str, str]]
    picture: Callable[[Any, Mapping[str, State]], Picture | None] = lambda evidence, states: None


def state(right: bool) -> State:
    """The state of a check that was reached."""
    return "pass" if right else "fail"
