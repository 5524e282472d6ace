"""What judging an answer takes, whatever kind of exercise it is: the protocol `Checker`, and what its stages hand on.

    plan      what is asked of the answer: drawn inputs, and how each is used      (where the specification is)
    asking    each request put to the answer, each reply written down as it came   (where the student's code is)
    evidence  requests and replies side by side with what is right                 (where the specification is)
    checks    the lines of the report, each judged from the evidence alone
    diagnoses what is wrong in a sentence, from the evidence alone

`check` in a notebook runs all of these in one process. The grader does the `asking` in another one, in which neither the
specification nor a verdict is ever loaded; requests and replies travel as plain data (records.py).
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
"""A check draws the same inputs each time and also measures whole Jacobians to show; a grade draws new inputs and more
cotangents."""


@dataclass(frozen=True)
class Check:
    """One line of a report; `judge` reads the evidence.

    `counted` where it rests on what the answer's own process has noted of itself, which no number can show to be so.
    """

    name: str
    text: str
    judge: Callable[[Any], State]
    counted: bool = False
    is_whole: Callable[[Any], bool] = lambda evidence: (
        True
    )  # whether all that it is of could be compared; for partial points


@dataclass(frozen=True)
class Request:
    """One thing that is asked: what for, the request itself, and what a right answer returns, as plain data."""

    purpose: str
    asked: Any
    expected: Any = None


@dataclass(frozen=True)
class Plan:
    """What is asked of an answer, in the order of asking.

    The first `needed` requests are always made. If the first of all gives nothing to go on with, the others are left out.
    """

    requests: tuple[Request, ...]
    needed: int


@dataclass
class Evidence:
    """What is known of one answer; each kind of exercise adds its own."""

    exercise: Exercise
    spec: Any
    structure: str | None = None  # what is wrong with the object itself; nothing was asked then
    timeout: Crash | None = None
    stopped: Any = None  # what was asked when the time was up
    printed: bool = False
    faults: list[str] = field(default_factory=list)  # diagnoses that raised: mistakes of this package


@dataclass(frozen=True)
class Picture:
    """A picture below the findings: SVG, a legend, and if it is folded away the words that unfold it."""

    svg: str
    legend: str
    summary: str = ""


class Asking(Protocol):
    """Puts requests to one answer. All that runs in the process of a student's code, besides that code."""

    phase: str  # what of the student's is running, in words for a report: "forward", "your code"

    def reply(self, asked: Any) -> Any:
        """What came of one request. Raises nothing through the student's fault, except `TimeLimit`."""


class Checker(Protocol):
    """How one kind of exercise is judged; stateless."""

    diagnoses: ClassVar[Sequence[Diagnosis]]
    asked: ClassVar[type]  # of what a request asks, and
    reply: ClassVar[type]  # of what `Asking.reply` returns: for reading both back from bytes

    def plans(self, exercise: Exercise, spec: Any, rng: np.random.Generator, purpose: Purpose) -> Iterator[Plan]:
        """What is asked. A second plan is asked only if all checks pass on the first."""

    def structure(self, exercise: Exercise, subject: Any) -> str | None:
        """The name of what is wrong with the object that was handed over; None if it can be asked."""

    def asking(self, exercise: Exercise, subject: Any) -> Asking:
        """What puts requests to the object."""

    def goes_on(self, first: Any) -> bool:
        """Whether the first reply gives reason to ask more than what is needed."""

    def complete(self, exercise: Exercise, request: Request, reply: Any) -> bool:
        """Whether a reply has everything that its request asks for. What came without that is no success, and needs no
        check that notices. `Broken` where its parts contradict each other."""

    def evidence(self, exercise: Exercise, spec: Any) -> Any:
        """Evidence without replies yet."""

    def add(self, evidence: Any, plan: Plan, replies: Sequence[Any]) -> None:
        """Fill in the replies to a plan; there may be fewer of them than requests."""

    def checks(self, exercise: Exercise, spec: Any) -> tuple[Check, ...]:
        """The lines of the report, in their order."""

    def findings(self, evidence: Any, failed: list[str]) -> list[Finding]:
        """What is wrong, in sentences, the one that names it first."""

    def is_attempted(self, evidence: Any) -> bool:
        """Whether the answer is more than the stub."""

    def failing_input(self, evidence: Any, failed: set[str]) -> Mapping[str, str]:
        """The smallest input on which something is wrong, as name -> text; empty if there is none to show."""

    def picture(self, evidence: Any, states: Mapping[str, State]) -> Picture | None:
        """What to draw for a page, by the states of the checks (empty: not attempted); None if there is nothing."""


def failed_checks(checker: Checker, evidence: Any) -> list[Check]:
    """The checks that do not pass; what was not reached does not pass."""
    return [each for each in checker.checks(evidence.exercise, evidence.spec) if each.judge(evidence) != "pass"]


def share(weights: Mapping[str, float], failed: Sequence[Check], checks: Sequence[Check], evidence: Any) -> float:
    """The part of the points for an answer that `failed` these of its `checks`: the weights of those that pass on all that they
    are of, as a share of all weights; 0 where a check without a weight failed."""
    lost = {each.name for each in checks if not each.is_whole(evidence)} | {each.name for each in failed}
    if not failed or not {each.name for each in failed} <= weights.keys():
        return float(not failed)
    return sum(weight for name, weight in weights.items() if name not in lost) / sum(weights.values())


def state(right: bool) -> State:
    """The state of a check that could be made."""
    return "pass" if right else "fail"
