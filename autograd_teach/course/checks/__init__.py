"""Judging an answer: one protocol (checker.py), one `Checker` for each kind of exercise, and the report.

    checker.py     the stages of judging
    spec.py        the forms of a specification; ../specs fills them in
    function/      custom Functions
    call/          answers that are called
    table.py       evidence as a table: what came and what is right, by run and part of the result
    explaining.py  which known mistakes, declared or changes of a reference, explain a table
    diagnosing.py  what a diagnosis is; errors in words
    numbers.py     what is wrong with the numbers of a table, in words
    records.py     converts records to plain data and back, strictly by type
    exact.py       reads objects of a student's code: exact types, references taken before it ran
    report.py page.py writing.py    the report for a student, as text and as HTML; the templates are in this folder

May use NumPy, and in asking.py the engine. Must not import grading.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..exercises.declaration import Exercise
from ..guard import guarded
from .call import CALLS
from .checker import Checker, Evidence, Plan
from .function import FUNCTIONS

CHECKERS: dict[str, Checker] = {"function": FUNCTIONS, "call": CALLS}
"""The checkers by the name that the form of an exercise gives (`form.checker`)."""


def checker_of(exercise: Exercise) -> Checker:
    """The checker that judges answers to `exercise`."""
    return CHECKERS[exercise.form.checker]


def examine(exercise: Exercise, spec: Any, subject: Any, rng: np.random.Generator) -> Evidence:
    """Run everything that a check asks of the answer `subject`. Errors of the student's code are recorded, not raised.

    rng: draws the inputs. Returns the evidence, from which a `Report` is made.
    """
    checker = checker_of(exercise)
    evidence: Evidence = checker.evidence(exercise, spec)
    evidence.structure = checker.structure(exercise, subject)
    # What a cell has set is for the answer: in a reference, an error would show the line that raised it.
    replies = np.errstate(**np.geterr())(_replies)
    with np.errstate(all="ignore"):
        for plan in checker.plans(exercise, spec, rng, "check") if evidence.structure is None else ():
            checker.add(evidence, plan, replies(checker, evidence, subject, plan))
    return evidence


def _replies(checker: Checker, evidence: Evidence, subject: Any, plan: Plan) -> Sequence[Any]:
    """The replies that came within the time limit."""
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
