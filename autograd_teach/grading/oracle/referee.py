"""Draws the questions to an answer, asks them, and judges the replies by the course's own rules (course/checks).

Does not run students' code. The right results come from the exercise's specification in NumPy. Inputs and cotangents are
drawn with a seed that is drawn after the answer is loaded. The stages are those of a check, but requests are put to the
answer in another process; here they are drawn, and the replies are read, strictly by type, and judged. A reply with a
missing part never passes (complete.py).

May use NumPy and the specifications. Must not know students, points or processes.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...course.checks import checker_of
from ...course.checks.checker import Check, Checker, Evidence, Plan
from ...course.checks.function.evidence import Unfit
from ...course.checks.records import read, told
from ...course.exercises import declaration
from ...course.exercises.declaration import Exercise, Prepared
from ...course.specs import spec_of
from . import wire
from .complete import complete

SMALLEST_REPLY = 16_384
COMPLETE = Check("complete", "it returns all results and gradients that it is asked for", lambda evidence: "fail")
"""The check that fails if something is missing and no other check says so."""

Asking = Callable[[bytes, int], bytes]
"""(question, bytes of the reply) -> the reply."""


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right: the checks that it fails, and the seed of its inputs."""

    failed: tuple[str, ...]
    seed: int
    words: str = ""  # what was raised; text from the student's process, only to be shown
    raised: str = ""  # the type of what was raised, as the student's process says
    counted: tuple[str, ...] = ()  # checks that rest on what the answer's own process reports, not on numbers
    share: float = 0.0  # of the points, if the exercise's checks have weights

    @property
    def passed(self) -> bool:
        """Whether all checks pass."""
        return not self.failed


def draw_seed() -> int:
    """Draw a seed that cannot be predicted."""
    return secrets.randbits(63)


def can_ask(exercise: Exercise, spec: Any = None) -> str:
    """Why the oracle cannot ask this exercise; "" if it can."""
    plans = checker_of(exercise).plans(exercise, spec or spec_of(exercise), np.random.default_rng(0), "grade")
    for plan in plans:
        for request in plan.requests:
            for argument in request.asked.arguments:
                if isinstance(argument, Prepared) and not _is_declared(type(argument)):
                    return f"its argument {type(argument).__name__} is not declared in the exercises"
    return ""


def _is_declared(kind: type) -> bool:
    return kind.__module__.rpartition(".")[0] == declaration.__name__.rpartition(".")[0]


def load_question(exercise: str, source: str, aside: bool = False) -> tuple[bytes, int]:
    """The question that runs a cell, and the size of its reply. `aside`: later questions run in a forked process."""
    asked = {"ask": "load", "name": f"<answer {exercise}>", "source": source, "aside": aside}
    return wire.question(asked), 1 + wire.WORDS


def read_loaded(reply: bytes) -> tuple[str, str]:
    """What the cell raised (one of `wire.RAISED`, "" for nothing), and the text of the exception."""
    if not reply or reply[0] >= len(wire.RAISED):
        raise wire.Broken("a flag of another form")
    return wire.RAISED[reply[0]], reply[1:].rstrip(b"\0").decode("utf-8", "replace")


def nothing_question() -> tuple[bytes, int]:
    """The question with an empty reply, and the size of that: it finds bytes that were sent unasked before it."""
    return wire.question({"ask": "nothing"}), 0


def judge(exercise: Exercise, ask: Asking, seed: int) -> Verdict:
    """Ask the answer that was just loaded, and judge it. Raises `wire.Broken` if a reply cannot be read."""
    checker, spec = checker_of(exercise), spec_of(exercise)
    evidence: Evidence = checker.evidence(exercise, spec)
    failed: list[Check] = []
    crash, part = None, 1.0
    for number, plan in enumerate(checker.plans(exercise, spec, np.random.default_rng(seed), "grade")):
        if number and (not part or evidence.structure):
            break  # do not ask a failed answer again: it may be too slow for the larger inputs of this plan
        structure, replies = _replies(exercise, checker, plan, ask)
        evidence.structure = structure
        crash = crash or next((each.crash for each in replies if each.crash), None)
        failed = _judged(checker, evidence, plan, replies)
        part = share(exercise.weights, failed)
    counted = tuple(each.text for each in checker.checks(exercise, spec) if each.counted)
    words, raised = (str(crash), crash.kind) if crash else ("", "")
    return Verdict(tuple(each.text for each in failed), seed, words, raised, counted, part)


def _judged(checker: Checker, evidence: Evidence, plan: Plan, replies: Sequence[Any]) -> list[Check]:
    """The checks that fail; at least one if the answer left something out."""
    pairs = zip(plan.requests, replies, strict=False)
    try:
        is_complete = len(replies) == len(plan.requests) and all(
            complete(reply, evidence.exercise, request) for request, reply in pairs
        )
        checker.add(evidence, plan, replies)
        failed = failed_checks(checker, evidence)
        return failed if failed or is_complete else [COMPLETE]
    except (Unfit, wire.Broken):
        raise
    except Exception as problem:
        # The rules expect what a check writes down. A reply can have a form that a check never writes.
        raise wire.Broken(f"what was sent cannot be judged: {type(problem).__name__}") from problem


def _replies(exercise: Exercise, checker: Checker, plan: Plan, ask: Asking) -> tuple[str | None, list[Any]]:
    """What is wrong with the object itself, and one reply per request, up to the first that raised."""
    asked = [told(request.asked) for request in plan.requests]
    capacity = _capacity([asked, [request.expected for request in plan.requests]], len(asked))
    question = {"ask": "use", "exercise": exercise.id, "requests": asked, "capacity": capacity}
    reply = wire.load(wire.unpadded(ask(wire.question(question), capacity)))
    match reply:
        case wire.Strange():
            raise wire.Broken("a reply that is too large")
        case {"end": int(how) | ("memory" as how)}:
            raise wire.AtEnd(how)
        case {"structure": str(structure), "replies": []}:
            return structure, []
        case {"structure": None, "replies": list(several)} if len(several) <= len(plan.requests):
            replies = [_read(checker, each) for each in several]
            is_ended = [each.crash is not None for each in replies]
            if not any(is_ended[:-1]) and (len(replies) == len(plan.requests) or any(is_ended)):
                return None, replies
    raise wire.Broken("a reply of another form")


def _read(checker: Checker, data: Any) -> Any:
    try:
        return read(checker.reply, data)
    except (ValueError, TypeError, LookupError, AttributeError) as problem:  # reading is not strict enough for these
        raise wire.Broken(f"what was sent cannot be read: {type(problem).__name__}") from None


def _capacity(like: Any, requests: int) -> int:
    """A size that fits any right reply, in steps that do not reveal the length of the right one."""
    return SMALLEST_REPLY * (1 + (8 * _length(like) + 1024 * requests) // SMALLEST_REPLY)


def _length(value: Any) -> int:
    """The approximate number of bytes of `wire.dump(value)`."""
    if isinstance(value, np.ndarray):
        return 60 + value.nbytes * 4 // 3
    if isinstance(value, str):
        return 2 + len(value)
    if isinstance(value, dict):
        return sum(4 + len(str(key)) + _length(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return 12 + sum(1 + _length(each) for each in value)
    if isinstance(value, Prepared):
        return 60 + _length(vars(value))
    return 24


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
