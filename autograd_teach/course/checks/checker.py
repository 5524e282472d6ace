"""How an answer is judged, for every kind of exercise: the protocol `Checker`, and the data that its stages exchange.

    plan      the requests to the answer: drawn inputs, and how each is used       (in the specification's process)
    asking    sends each request to the answer and records the reply               (in the process of the student's code)
    evidence  requests, replies and the right results side by side                 (in the specification's process)
    checks    the lines of the report, each judged from the evidence only
    diagnoses what is wrong, in a sentence, from the evidence only

`check` in a notebook runs all stages in one process. The grader runs `asking` in another process, which never loads the
specification or a verdict; requests and replies are sent as plain data (records.py).
NumPy only. A new kind of exercise is one class with these methods, and a row in checks/__init__.py.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from ..exercises.declaration import Exercise
from ..guard import Crash
from .diagnosing import Diagnosis, Finding

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
    faults: list[str] = field(default_factory=list)  # diagnoses that raised: bugs of this package


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


class Checker(Protocol):
    """Judges one kind of exercise. Stateless."""

    diagnoses: ClassVar[Sequence[Diagnosis]]
    asked: ClassVar[type]  # type of `Request.asked`, and
    reply: ClassVar[type]  # of the result of `Asking.reply`: both are read back from bytes

    def plans(self, exercise: Exercise, spec: Any, rng: np.random.Generator, purpose: Purpose) -> Iterator[Plan]:
        """The plans of requests. A second plan is used only if all checks pass on the first."""

    def structure(self, exercise: Exercise, subject: Any) -> str | None:
        """The name of what is wrong with the object that is checked; None if requests can be made."""

    def asking(self, exercise: Exercise, subject: Any) -> Asking:
        """The object that sends requests to `subject`."""

    def goes_on(self, first: Any) -> bool:
        """Whether the first reply allows more requests than those needed."""

    def complete(self, exercise: Exercise, request: Request, reply: Any) -> bool:
        """Whether a reply has everything that its request asks for. An incomplete reply is never a success, even if no
        check notices. Raises `Broken` if parts of the reply contradict each other."""

    def evidence(self, exercise: Exercise, spec: Any) -> Any:
        """New evidence, without replies."""

    def add(self, evidence: Any, plan: Plan, replies: Sequence[Any]) -> None:
        """Add the replies to a plan. There may be fewer replies than requests."""

    def checks(self, exercise: Exercise, spec: Any) -> tuple[Check, ...]:
        """The lines of the report, in order."""

    def findings(self, evidence: Any, failed: list[str]) -> list[Finding]:
        """What is wrong, in sentences, the most important first."""

    def is_attempted(self, evidence: Any) -> bool:
        """Whether the answer is more than the stub."""

    def failing_input(self, evidence: Any, failed: set[str], message: str) -> Mapping[str, str]:
        """A small input with a wrong result, as name -> text; empty if there is none to show.

        message: the first finding's, which may name an input; "" if there is none.
        """

    def picture(self, evidence: Any, states: Mapping[str, State]) -> Picture | None:
        """The picture for a page, by the states of the checks (empty: not attempted); None if there is none."""


def failed_checks(checker: Checker, evidence: Any) -> list[Check]:
    """The checks that do not pass, including those that were not reached."""
    return [each for each in checker.checks(evidence.exercise, evidence.spec) if each.judge(evidence) != "pass"]


def share(weights: Mapping[str, float], failed: Sequence[Check]) -> float:
    """The fraction of the points, from 0 to 1, for an answer that `failed` some of its checks.

    It is the weight of the checks that pass, as a fraction of all weights. If a check without a weight failed, it is 0.
    """
    lost = {each.name for each in failed}
    if not failed or not lost <= weights.keys():
        return float(not failed)
    return sum(weight for name, weight in weights.items() if name not in lost) / sum(weights.values())


def state(right: bool) -> State:
    """The state of a check that was reached."""
    return "pass" if right else "fail"
