"""Turns a student's answers into marks with the oracle: it loads a cell, then asks about its exercise, one by one.

The cells are those of the notebook, in its order: the setup, then each answer, or its stub if there is no answer. An
exercise is asked right after its own cell, where the notebook checks it. Some answers are kept apart: they are loaded only for
their own exercise, and later answers get the definitions that they need of them. These are answers that reach beyond their
task, and answers that were loaded in a process that ended or sent something that is no reply to the question. Such a fault is
an answer's own only if no other answer was loaded in that process. Must not know how answers are judged.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from ...course.checks.function.evidence import Unfit
from ...course.definitions import completed, names_defined
from ...course.exercises.declaration import Exercise
from ...plain import tidy
from ..gradebook import fingerprint
from ..notebook_run import Limits
from ..rebuild import Assignment, Question
from ..results import Mark, Status, hash_of
from ..sandbox import Bounds, Box, Boxes, Ended, Interrupted, Lost, TooSlow
from ..verdicts import LONGEST_WORDS, Judge
from . import wire
from .reaching import reaching
from .referee import can_ask, draw_seed, judge, load_question, nothing_question, read_loaded

JUDGE = "oracle"
SETUP = "setup"
ANSWER_SECONDS = 10.0
"""Time limit for loading an answer, and again for all questions about it, unless its exercise allows more."""

_ATTEMPTS = 3
"""How often an answer is tried if the process is lost while it runs."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one exercise."""

    status: Status
    detail: str = ""
    seed: int | None = None
    part: float = 0.0  # share of the points if it is `partial`
    by_the_clock: bool = False  # the wall clock's limit ended it, not its own time limit


@dataclass(frozen=True)
class Asking:
    """A box in which answers are loaded, and the event that asks to stop."""

    box: Box
    stop: threading.Event
    aside: bool = False  # ask in forked processes, so that cells are not loaded again if an answer ends its process

    def __call__(self, question: bytes, size: int, seconds: float) -> bytes:
        nonce = secrets.token_bytes(wire.NONCE)
        reply = self.box.exchange(nonce + question, wire.NONCE + size, seconds, self.stop)
        if not reply.startswith(nonce):
            raise wire.Broken("it sent something else than the reply to the question")
        return reply[wire.NONCE :]


@dataclass(frozen=True)
class _Known:
    """What earlier processes showed about a student's answers. Exercises by id."""

    apart: set[str] = field(default_factory=set)  # their cell ends or spoils the process when it is loaded
    suspected: set[str] = field(default_factory=set)  # they were loaded when that happened at a later answer
    lost: Counter[str] = field(default_factory=Counter)  # how often the process was lost at a cell

    def is_tried_again(self, problem: Exception, cell: str) -> bool:
        """Whether `cell`, stopped by `problem`, must run again in another process. Counts the attempts."""
        if not isinstance(problem, Lost):
            return False
        self.lost[cell] += 1
        return self.lost[cell] < _ATTEMPTS


class Oracle:
    """A `Judge` that asks answers on drawn inputs. Exercises that it cannot ask are left to `otherwise`."""

    def __init__(
        self,
        boxes: Boxes,
        exercises: Mapping[str, Exercise],
        limits: Limits,
        otherwise: Judge,
        seed: Callable[[str], int] = lambda exercise: draw_seed(),
    ) -> None:
        self._boxes, self._exercises, self._limits = boxes, exercises, limits
        self._otherwise, self._seed = otherwise, seed
        self._can_ask = cache(lambda id: id in exercises and not can_ask(exercises[id]))

    def __call__(self, assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
        """A mark for each of `answers`. Raises `Interrupted` if `stop` is set."""
        mute = [id for id in answers if not self._can_ask(id)]
        marks = self._otherwise(assignment, answers, stop) if mute else {}
        marks = {id: mark for id, mark in marks.items() if id in mute}
        left = [question for question in assignment.questions if question.id in answers and question.id not in mute]
        known = _Known()
        while left:
            if stop.is_set():
                raise Interrupted
            with self._boxes.open(self._bounds(assignment)) as box:
                asking = Asking(box, stop, aside=bool(marks))
                found = self._round(asking, assignment, answers, left, known)
            marks |= found
            left = [question for question in left if question.id not in found]
        return marks

    def _bounds(self, assignment: Assignment) -> Bounds:
        seconds = sum(2 * self._seconds(question.id) for question in assignment.questions)
        return Bounds(memory=self._limits.memory, cpu=int(seconds) + 10, disk=64_000_000, open_files=256)

    def _seconds(self, exercise: str) -> float:
        known = self._exercises.get(exercise)
        return min(self._limits.timeout, max(ANSWER_SECONDS, 6 * known.seconds if known else 0))

    def _round(
        self,
        asking: "Asking",
        assignment: Assignment,
        answers: Mapping[str, str],
        left: list[Question],
        known: "_Known",
    ) -> dict[str, Mark]:
        """The marks of one process, up to the first answer that ends it, spoils its replies, or reaches beyond its task.

        If the process is lost, the current answer does not get a mark but is tried again, `_ATTEMPTS` times in all. It is
        also tried again, with all other answers kept apart, if one of those may have ended or spoilt the process.
        """
        sources = {cell["id"]: cell["source"] for cell in assignment.cells}
        marks: dict[str, Mark] = {}
        loaded, taken_from, whole = [sources.get(SETUP, "")], list[str](), set[str]()
        try:
            if SETUP in sources and _load(asking, SETUP, sources[SETUP], self._limits.timeout)[0]:
                raise RuntimeError("the notebook's setup cell raises an error in the oracle's process")
        except (Ended, Lost, TooSlow) as problem:
            if known.is_tried_again(problem, SETUP):
                return {}
            raise RuntimeError(f"the oracle's process does not run the notebook's setup cell: {problem}") from None
        for question in assignment.questions:
            given = question.id in answers
            source = answers[question.id] if given else sources[question.answer]
            if given and taken_from:
                names = frozenset[str]().union(*map(names_defined, loaded))
                source = completed(source, taken_from, question.entry, names).source
            reaches = reaching(source) if given else ()
            is_apart = bool(reaches) or question.id in known.apart | known.suspected
            if is_apart and question not in left:
                taken_from.append(source)
                given, source = False, sources[question.answer]
            loaded.append("" if is_apart else source)
            start, is_loaded, is_over = time.monotonic(), False, False
            try:
                raised, words = _load(asking, question.id, source, self._seconds(question.id))
                is_loaded = True
                if question in left:
                    said = Outcome(_status(raised), tidy(words, LONGEST_WORDS) or "its cell raises an error")
                    outcome = said if raised else self._ask(asking, question)
                    asking(*nothing_question(), self._seconds(question.id))
            except wire.AtEnd as end:  # the forked process ended; the one with the cells goes on
                is_over = end.was_killed
                outcome = _ended(asking.box.end() if is_over else end, self._seconds(question.id))
            except (Ended, Lost, TooSlow, wire.Broken) as problem:
                if known.is_tried_again(problem, question.id):
                    break
                if whole and not (is_loaded and _is_out_of_time(problem)):
                    known.suspected.update(whole)
                    break
                known.suspected.clear()  # this answer alone is to blame
                outcome, is_over = _ended(problem, self._seconds(question.id)), True
                if not is_loaded:
                    known.apart.add(question.id)
            if given:
                whole.add(question.id)
            if question in left:
                mark = _mark(question, outcome, answers, asking.box.isolation, time.monotonic() - start)
                marks[question.id] = replace(mark, reaches=reaches)
                is_over = is_over or bool(reaches)
            if is_over:
                break
        return marks

    def _ask(self, asking: "Asking", question: Question) -> Outcome:
        exercise = self._exercises[question.id]
        seconds, seed = self._seconds(question.id), self._seed(question.id)
        try:
            verdict = judge(exercise, lambda asked, size: asking(asked, size, seconds), seed)
        except Unfit as problem:
            return Outcome(Status.GRADER_ERROR, f"{problem} (seed {seed})", seed)
        if verdict.passed:
            rests = f"reported by its own process, not seen from outside: {'; '.join(verdict.counted)}"
            return Outcome(Status.PASS, rests if verdict.counted else "", seed)
        said = tidy(verdict.words, LONGEST_WORDS)
        if verdict.share:
            status = Status.PARTIAL
        elif (status := _status(verdict.raised)) is not Status.FAIL:
            return Outcome(status, said, seed)
        remark = f" ({said})" if said else ""
        return Outcome(status, f"not so: {'; '.join(verdict.failed)}{remark}", seed, verdict.share)


def _load(asking: "Asking", name: str, source: str, seconds: float) -> tuple[str, str]:
    question, size = load_question(name, source, asking.aside)
    return read_loaded(asking(question, size, seconds))


def _status(raised: str) -> Status:
    """The status for the type of an exception. The student's process names it and may lie: no status here gives points."""
    return {"MemoryError": Status.OUT_OF_MEMORY, "SystemExit": Status.DIED}.get(raised, Status.FAIL)


def _is_out_of_time(problem: Exception) -> bool:
    """Whether the time limit passed. An answer that is too slow when asked is not tried again: it is common, and takes long."""
    return isinstance(problem, TooSlow) or (isinstance(problem, Ended) and problem.cause == "time")


def _ended(problem: Exception, seconds: float) -> Outcome:
    match problem:
        case Lost():
            how = f"{problem}, {_ATTEMPTS} times at this answer: by the answer, or by somebody on this machine"
            return Outcome(Status.GRADER_ERROR, how)
        case TooSlow():
            how = f"no reply came, even with much more than its time limit of {seconds:g} s"
            return Outcome(Status.TIMEOUT, how, by_the_clock=True)
        case Ended(cause="time") | wire.AtEnd(how=wire.OUT_OF_TIME):
            return Outcome(Status.TIMEOUT, f"no reply came within its time limit of {seconds:g} s")
        case Ended(out_of_memory=True) | wire.AtEnd(how="memory"):
            return Outcome(Status.OUT_OF_MEMORY, "its process had no memory left")
        case Ended(cause="exit") | wire.AtEnd(was_killed=False):
            how = f"it ended its own process ({problem}), as os._exit() and exit() do: take that line out"
            return Outcome(Status.DIED, how)
        case Ended():
            return Outcome(Status.DIED, f"its process ended: {problem}")
    return Outcome(Status.PROTOCOL_ERROR, str(problem))


def _mark(question: Question, outcome: Outcome, answers: Mapping[str, str], isolation: str, seconds: float) -> Mark:
    given = (question.id, outcome.status, question.points, outcome.detail, JUDGE, isolation, seconds)
    seed = "" if outcome.seed is None else str(outcome.seed)
    evidence = (hash_of(answers[question.id]), seed, versions())
    return Mark(*given, *evidence, by_the_clock=outcome.by_the_clock, part=outcome.part)


def versions() -> str:
    """Versions that the numbers of a seed depend on, and the course."""
    names = {"autograd-teach": "autograd-teach", "numpy": "NumPy", "python": "Python"}
    return ", ".join(f"{said} {fingerprint.versions()[name]}" for name, said in names.items())
