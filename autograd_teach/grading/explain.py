"""Explains one mark: everything that the gradebook has about it, and the verdict of judging the same answer again.

Combines the parts of the package, like batch.py. Must not know how any of them works.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from ..plain import line, visible
from . import gradebook, judge, reports
from .gradebook import Gradebook, Judged, remarks, standing
from .notebook_run import Limits
from .rebuild import Assignment, load_assignments
from .results import Mark, Result, reaching_in_words
from .sandbox import Isolation
from .verdicts import Judge

_SAID = {
    *("exercise", "status", "maximum", "detail", "judge", "isolation", "seconds", "source"),
    *("recorded", "said", "recorded_under", "reaches", "part", "adjusted", "claimed", "origin"),
}
"""Fields of a mark that `_lines` words itself. The others (such as the seed) are listed under their own names."""


def explain(
    student: str, exercise: str, *, output: Path, exercises: Path, solutions: Path, progress: TextIO | None = None
) -> tuple[str, bool]:
    """Return the text and whether judging again gave the same. Raises `UserError` if the book does not have the mark."""
    from ..course.exercises import exercises as declared

    assignments = load_assignments(solutions, exercises, declared())

    def as_then(mark: Mark, limits: Limits) -> AbstractContextManager[Judge]:
        # The other exercises of the notebook run too, but their inputs do not matter.
        def seed(asked: str) -> int:
            return int(mark.seed) if asked == mark.exercise and mark.seed else 0

        reports.say(progress, "Judging that answer once more.")  # an endless one uses up its time limit again
        wanted = Isolation.PROCESS if mark.isolation.startswith(Isolation.PROCESS) else None  # as it was requested then
        return judge.called(mark.judge, limits, (solutions, output), wanted=wanted, seed=seed)

    return explain_in(student, exercise, assignments, output=output, as_then=as_then)


def explain_in(
    student: str,
    exercise: str,
    assignments: Sequence[Assignment],
    *,
    output: Path,
    as_then: Callable[[Mark, Limits], AbstractContextManager[Judge]],
) -> tuple[str, bool]:
    """`explain` for `assignments` that are already loaded; `as_then` returns the judge of a mark, with the same seed."""
    with gradebook.reading(output) as book:
        current = book.current()
        student = remarks.one_of(current, student, "student", book.path)
        marks = current[student]
        judged = marks[remarks.exercise_of(list(marks), exercise, student)]
        assignment = next((a for a in assignments if a.name == judged.notebook), None)
        lines = _lines(book, judged)
        if assignment and (why := standing.changed_since(judged, assignment)):
            lines.append(f"{why} since then; `autograd-teach regrade` judges the affected marks again.")
        if assignment is None or not judged.mark.source:
            return "\n".join([*lines, "Nothing had to be run for this, so there is nothing to judge again."]), True
        run = book.run(judged.run)
        limits = gradebook.known_fields(Limits, run.limits) if run else Limits()
        submission = standing.from_book(student, marks, book.answer, [assignment])
    written = {id: each.source for id, each in submission.answers[assignment.name].items() if each.source is not None}
    with as_then(judged.mark, limits) as judge_of_then:  # the whole notebook: an answer may use a name from another one
        mark = judge_of_then(assignment, written, threading.Event())[judged.mark.exercise]
    same = (mark.status, mark.share) == (judged.mark.status, judged.mark.share)
    again = "from that answer, with that seed" if judged.mark.seed else "from that answer"
    lines.append(f"Judged again just now, {again}: {_outcome(mark)}, {'the same' if same else 'NOT the same'}.")
    if not same and mark.detail:
        lines.append(f"  {line(mark.detail)}")
    return "\n".join(lines), same


def _lines(book: Gradebook, judged: Judged) -> list[str]:
    run = book.run(judged.run)
    (mark,) = remarks.remarked([Result(judged.student, (judged.mark,))], book.remarks())[0].marks
    facts = {"adjusted": str(mark.adjusted or ""), "why": mark.detail or "-", "note": judged.note}
    facts |= {"judge": mark.judge or "none: nothing was run", "isolation": mark.isolation}
    facts |= {name: str(value) for name, value in asdict(mark).items() if name not in _SAID and value not in ("", None)}
    if mark.recorded:
        facts["its check cell"] = mark.recorded + (f": {mark.said}" if mark.said else "")
        facts["that run's isolation"] = mark.recorded_under or "-"
    facts["when handed in"] = "its check said passed" if mark.claimed else ""
    facts["worth a look"] = "; ".join(filter(None, (mark.contradiction, reaching_in_words(mark))))
    facts["graded"] = f"{judged.graded}, in {mark.seconds:.1f} s"
    if run:
        facts["run"] = f"{judged.run}, process {run.process} on {run.machine}"
        facts["course"] = run.course
        facts["versions"] = ", ".join(f"{name} {version}" for name, version in run.versions.items())
        facts["limits"] = ", ".join(f"{name} {value}" for name, value in run.limits.items())
    for earlier in book.history(judged.student, mark.exercise)[:-1]:
        facts[f"before ({earlier.graded})"] = _outcome(earlier.mark)
    width = max(len(name) for name, value in facts.items() if value) + 2
    lines = [line(f"{judged.student}, {mark.exercise}: {_outcome(mark)}"), ""]
    lines += [line(f"  {name:{width}}{value}") for name, value in facts.items() if value]
    if judged.answer:
        lines += ["", f"The answer (SHA-256 {judged.answer}):", ""]
        lines += [f"    {visible(each)}" for each in book.answer(judged.answer).splitlines()]
    return [*lines, ""]


def _outcome(mark: Mark) -> str:
    return f"{mark.status}, {mark.points:g} of {mark.maximum:g} points"
