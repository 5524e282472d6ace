"""Judging an answer: one protocol (checker.py), one class for each kind of exercise, and the report.

    checker.py     what judging takes, stage by stage
    spec.py        the forms of a specification; ../specs fills them in
    function/      custom Functions
    call/          answers that are called
    records.py     records as plain data and back, strictly by type
    exact.py       reads what a student's code has made: exact types, references from before it ran
    diagnosing.py  what a diagnosis is; words that several of them use
    relations.py patterns.py    how a wrong array depends on the right one
    report.py page.py writing.py    what a student reads, as text and as HTML; the templates lie beside them

May use NumPy, and the engine where an answer is used (asking.py). Must not know grading.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..exercises.declaration import Exercise
from ..guard import guarded
from .call import CallChecker
from .checker import Checker, Evidence, Plan
from .function import FunctionChecker

CHECKERS: dict[str, Checker] = {"function": FunctionChecker(), "call": CallChecker()}
"""By the name that the form of an exercise has for it."""


def checker_of(exercise: Exercise) -> Checker:
    """What judges answers to `exercise`."""
    return CHECKERS[exercise.form.checker]


def examine(exercise: Exercise, spec: Any, subject: Any, rng: np.random.Generator) -> Evidence:
    """Ask the answer `subject` everything that a check asks. Never raises through the student's fault."""
    checker = checker_of(exercise)
    evidence: Evidence = checker.evidence(exercise, spec)
    evidence.structure = checker.structure(exercise, subject)
    if evidence.structure is None:
        for plan in checker.plans(exercise, spec, rng, "check"):
            checker.add(evidence, plan, _replies(checker, evidence, subject, plan))
    return evidence


def _replies(checker: Checker, evidence: Evidence, subject: Any, plan: Plan) -> Sequence[Any]:
    """What came back within the time limit."""
    asking = checker.asking(evidence.exercise, subject)
    replies: list[Any] = []
    with guarded(evidence, evidence.exercise.seconds, lambda: asking.phase):
        for number, request in enumerate(plan.requests):
            if number == plan.needed and not checker.goes_on(replies[0]):
                break
            replies.append(asking.reply(request.asked))
    if evidence.timeout is not None:
        evidence.stopped = plan.requests[len(replies)].asked
    return replies
