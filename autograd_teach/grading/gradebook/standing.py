"""Decides which marks of the gradebook still stand (are valid), so nothing runs twice after a killed run or a change.

A mark stands while its `Basis` is the same: all answers of the student in that notebook (an answer may use a name from
another one), the exercise, the course, the judge and the isolation. A changed limit affects only marks that a limit ended.
Points are counted again. A fault of the grader never stands. A mark without a record can get one and keep its verdict.

Does not run anything. Must not know files or how a mark is made.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from ..notebook_run import Limits
from ..rebuild import Assignment, Question
from ..results import Mark, Result, Status
from ..submissions.answers import Answer, is_untouched
from ..submissions.intake import Submission
from ..verdicts import has_record, with_record
from . import fingerprint
from .book import Basis, Judged

_ENDED_BY_A_LIMIT = {Status.TIMEOUT, Status.DIED, Status.OUT_OF_MEMORY, Status.OUTPUT_LIMIT}
_NEVER_STANDS = {Status.NOT_GRADED, Status.GRADER_ERROR}

_WHY = {
    "answers": "the answer changed", "exercise": "the exercise changed", "course": "the course changed",
    "judge": "another judge", "isolation": "another isolation", "limits": "another limit",
}  # fmt: skip


@dataclass(frozen=True)
class Change:
    """A mark that changed; `before` is None if there was none."""

    student: str
    before: Mark | None
    after: Mark
    why: str

    def beneath(self, adjusted: Mapping[tuple[str, str], float]) -> "Change":
        """The change with a remark about a person's adjustment, if the mark is among `adjusted`."""
        points = adjusted.get((self.student, self.after.exercise))
        return self if points is None else replace(self, why=f"{self.why}; its {points:g} adjusted points stay")

    def __str__(self) -> str:
        before = _outcome(self.before) if self.before else "nothing"
        return f"{self.student}, {self.after.exercise}: {before} -> {_outcome(self.after)} ({self.why})"


class Standing:
    """What is known about a class before a run, and what is new after each student."""

    def __init__(
        self,
        known: Mapping[str, Mapping[str, Judged]],
        assignments: Sequence[Assignment],
        trial: Mapping[str, Mark],
        limits: Limits,
    ) -> None:
        """`known` is the gradebook's `current()`. `trial` are the references' marks: they tell the judge and isolation."""
        self._known, self._assignments, self._trial = known, list(assignments), trial
        self._limits = fingerprint.of(asdict(limits))
        self._questions = {q.id: _hash_of_question(a, q) for a in assignments for q in a.questions}
        self._makes_records = any(mark.recorded for mark in trial.values())
        self._versions: dict[str, str] = {}
        self.changes: list[Change] = []  # new marks, and those whose share of the points changed
        self.worth: dict[str, tuple[float, float]] = {}  # of exercises whose points changed: before, now

    def tried(self, submission: Submission, rivals: object) -> list[Mark] | None:
        """The marks of `submission` if the best of its notebooks was already chosen among the same ones, else None.
        `rivals` is everything that the choice depends on, as JSON data."""
        known = [self._of(submission, question) for a in self._assignments for question in a.questions]
        judges = {id: [mark.judge, mark.isolation, self._questions[id]] for id, mark in self._trial.items()}
        versions = fingerprint.of(rivals, judges, fingerprint.course(), self._limits)
        self._versions[submission.student] = versions
        marks = [each.mark for each in known if each and each.basis.versions == versions]
        is_known = len(marks) == len(known) and not any(mark.status in _NEVER_STANDS for mark in marks)
        return marks if is_known else None

    def to_do(self, submission: Submission) -> tuple[Submission, bool]:
        """`submission` without notebooks in which every mark stands, and whether anything is left to run.

        If only records are missing, the answers keep their verdicts.
        """
        trimmed, any_left = dict(submission.answers), False
        for assignment in self._assignments:
            answers = submission.answers.get(assignment.name, {})
            standing = {q.id: self._standing(submission, assignment, q) for q in _written(submission, assignment)}
            marks = {id: mark for id, mark in standing.items() if mark}
            if len(marks) < len(standing):
                any_left = True
            elif self._makes_records and not all(map(has_record, marks.values())):
                any_left = True
                judged = {id: replace(answers[id], verdict=mark) for id, mark in marks.items()}
                trimmed[assignment.name] = {**answers, **judged}
            elif marks:
                trimmed[assignment.name] = {**answers, **dict.fromkeys(marks, Answer(None, Status.NOT_GRADED))}
        return replace(submission, answers=trimmed), any_left

    def merged(self, submission: Submission, fresh: Result) -> Result:
        """`fresh`, with the marks that still stand in place of new ones."""
        written = ((a, question) for a in self._assignments for question in _written(submission, a))
        standing = {question.id: self._standing(submission, a, question) for a, question in written}
        return replace(fresh, marks=tuple(_kept(standing.get(mark.exercise), mark) for mark in fresh.marks))

    def news(self, submission: Submission, result: Result) -> list[Judged]:
        """The marks of this final `result` that the gradebook does not have yet. Remembers what changed."""
        marks = {mark.exercise: mark for mark in result.marks}
        new: list[Judged] = []
        for assignment in self._assignments:
            for question in assignment.questions:
                mark, known = marks[question.id], self._of(submission, question)
                basis = self._basis(submission, assignment, question)
                is_same = known and known.mark == mark and not (mark.source and _difference(known, basis, mark))
                if known and is_same and basis.versions in ("", known.basis.versions):
                    continue
                answer = submission.answer(assignment, question).hash or ""
                new.append(Judged(submission.student, assignment.name, mark, basis, answer, result.note))
                if known and known.is_sound and known.mark.maximum != mark.maximum:
                    self.worth[question.id] = (known.mark.maximum, mark.maximum)
                if known is None or known.mark.share != mark.share:
                    why = _difference(known, basis, mark) if known else "not graded before"
                    self.changes.append(Change(submission.student, known.mark if known else None, mark, why))
        return new

    def _standing(self, submission: Submission, assignment: Assignment, question: Question) -> Mark | None:
        known = self._of(submission, question)
        if known is None or not known.mark.source or known.mark.status in _NEVER_STANDS:
            return None
        if _difference(known, self._basis(submission, assignment, question), known.mark):
            return None
        claimed = submission.answer(assignment, question).claimed
        return replace(known.mark, maximum=question.points, claimed=claimed)

    def _of(self, submission: Submission, question: Question) -> Judged | None:
        return self._known.get(submission.student, {}).get(question.id)

    def _basis(self, submission: Submission, assignment: Assignment, question: Question) -> Basis:
        trial = self._trial[question.id]
        answers = {q.id: submission.answer(assignment, q).source for q in _written(submission, assignment)}
        judged = (trial.judge, trial.isolation, self._limits, self._versions.get(submission.student, ""))
        return Basis(fingerprint.of(answers), self._questions[question.id], fingerprint.course(), *judged)


def changed_since(judged: Judged, assignment: Assignment) -> str:
    """What changed since `judged`: the exercise, its points, the course, or ""."""
    question = next((q for q in assignment.questions if q.id == judged.mark.exercise), None)
    if question is None or judged.basis.exercise != _hash_of_question(assignment, question):
        return "The exercise changed"
    if judged.mark.maximum != question.points:
        return "The exercise's points changed"
    return "" if judged.basis.course == fingerprint.course() else "The course changed"


def answers_by_hash(submission: Submission, assignments: Sequence[Assignment]) -> dict[str, str]:
    """The texts of all answers of one student, by their hashes."""
    answers = [submission.answer(a, q) for a in assignments for q in a.questions]
    return {answer.hash: answer.source for answer in answers if answer.hash and answer.source is not None}


def from_book(
    student: str, judged: Mapping[str, Judged], text_of: Callable[[str], str], assignments: Sequence[Assignment]
) -> Submission:
    """The submission of `student` from the gradebook, without reading files."""
    submission = Submission(student)
    for assignment in assignments:
        stubs = assignment.stubs
        submission.answers[assignment.name] = {
            q.id: _handed_in(judged[q.id], text_of, stubs[q.id]) for q in assignment.questions if q.id in judged
        }
    newest = max(judged.values(), key=lambda each: (each.run, each.graded))
    submission.notes = [newest.note] if newest.note else []
    return submission


def _handed_in(judged: Judged, text_of: Callable[[str], str], stub: str) -> Answer:
    mark = judged.mark
    if mark.status is Status.NOT_ATTEMPTED:
        return Answer(stub, claimed=mark.claimed)  # the current stub, even if it was another one then
    if judged.answer:
        return Answer(text_of(judged.answer), detail=mark.origin, claimed=mark.claimed)
    return Answer(None, mark.status, mark.detail, claimed=mark.claimed)


def _written(submission: Submission, assignment: Assignment) -> list[Question]:
    """The questions of `assignment` whose answers have to be run."""
    stubs = assignment.stubs
    answers = [(question, submission.answer(assignment, question).source) for question in assignment.questions]
    return [q for q, source in answers if source is not None and not is_untouched(source, stubs[q.id])]


def basis_of_trial(assignments: Sequence[Assignment], judge: str, limits: Limits) -> str:
    """The hash of everything that the trial of the references depends on. `judge` describes the judge and its isolation."""
    questions = {q.id: _hash_of_question(a, q) for a in assignments for q in a.questions}
    return fingerprint.of(questions, judge, asdict(limits), fingerprint.course(), dict(fingerprint.versions()))


def _hash_of_question(assignment: Assignment, question: Question) -> str:
    """The hash of an exercise now: its cells, stored outputs, reference and declaration, and the cells outside of all
    exercises (the set-up). Does not cover its points."""
    others = {id for each in assignment.questions if each is not question for id in (each.answer, each.check)}
    code = [cell for cell in assignment.cells if cell["cell_type"] == "code" and cell["id"] not in others]
    cells = [[cell["id"], cell["source"], cell["outputs"]] for cell in code]
    return fingerprint.of(cells, assignment.references.get(question.id), question.declared)


def _kept(standing: Mark | None, fresh: Mark) -> Mark:
    """The mark that stands, with the record of `fresh` if it lacks one; `fresh` if no mark stands."""
    if standing is None:
        return fresh
    return with_record(standing, fresh) if fresh.recorded and not has_record(standing) else standing


def _difference(known: Judged, basis: Basis, mark: Mark) -> str:
    """Why `known` does not stand on `basis`; "" if it does."""
    before, now = dict(vars(known.basis)), dict(vars(basis))
    if known.mark.status not in _ENDED_BY_A_LIMIT:
        now["limits"] = before["limits"]
    why = [words for name, words in _WHY.items() if before[name] != now[name]]
    if known.mark.maximum != mark.maximum:
        why.append("other points")
    return ", ".join(why) or ("" if _outcome(known.mark) == _outcome(mark) else "graded again")


def _outcome(mark: Mark) -> str:
    return f"{mark.status} {mark.points:g}/{mark.maximum:g}"
