"""Which marks of the gradebook still stand, so that nothing is run twice: neither after a killed run nor when one exercise changed.

A mark stands as long as its `Basis` is the same: all that the student wrote in that notebook (one answer may use a name
from another), the exercise, the course, the judge and the isolation. A changed time limit matters only to what a limit ended. Points are
counted anew. A fault of the grader never stands. Where records are made, a mark that stands without one gets it, and keeps its verdict.

Runs nothing. Must not know files or how a mark is reached.
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
    "answers": "the answer changed",
    "exercise": "the exercise changed",
    "course": "the course changed",
    "judge": "another judge",
    "isolation": "another isolation",
    "limits": "another limit",
}


@dataclass(frozen=True)
class Change:
    """A mark that is not what it was; `before` is None where there was none."""

    student: str
    before: Mark | None
    after: Mark
    why: str

    def beneath(self, adjusted: Mapping[tuple[str, str], float]) -> "Change":
        """The change with a word about the points that a person gave instead, where they are among `adjusted`."""
        points = adjusted.get((self.student, self.after.exercise))
        return self if points is None else replace(self, why=f"{self.why}; its {points:g} adjusted points stay")

    def __str__(self) -> str:
        before = _outcome(self.before) if self.before else "nothing"
        return f"{self.student}, {self.after.exercise}: {before} -> {_outcome(self.after)} ({self.why})"


class Standing:
    """What is known of a class before a run, and what is new after each student."""

    def __init__(
        self,
        known: Mapping[str, Mapping[str, Judged]],
        assignments: Sequence[Assignment],
        trial: Mapping[str, Mark],
        limits: Limits,
    ) -> None:
        """`known` is the book's `current`; `trial` are the references' marks, which say what judges here, and under what."""
        self._known, self._assignments, self._trial = known, list(assignments), trial
        self._limits = fingerprint.of(asdict(limits))
        self._questions = {q.id: _hash_of_question(a, q) for a in assignments for q in a.questions}
        self._makes_records = any(mark.recorded for mark in trial.values())
        self._versions: dict[str, str] = {}
        self.changes: list[Change] = []  # new marks, and those whose share of the points changed
        self.worth: dict[str, tuple[float, float]] = {}  # of exercises whose points changed: before, now

    def tried(self, submission: Submission, rivals: object) -> list[Mark] | None:
        """The marks of `submission`, of which the best of several notebooks is to count, if it was looked for in the same ones
        before; else None. `rivals` is all that the choice depends on, in JSON's kinds of data."""
        known = [self._of(submission, question) for a in self._assignments for question in a.questions]
        judges = {id: [mark.judge, mark.isolation, self._questions[id]] for id, mark in self._trial.items()}
        versions = fingerprint.of(rivals, judges, fingerprint.course(), self._limits)
        self._versions[submission.student] = versions
        marks = [each.mark for each in known if each and each.basis.versions == versions]
        is_known = len(marks) == len(known) and not any(mark.status in _NEVER_STANDS for mark in marks)
        return marks if is_known else None

    def to_do(self, submission: Submission) -> tuple[Submission, bool]:
        """`submission` without the answers of notebooks in which every mark stands, and whether anything is left to run.

        Where only records are missing, the answers have their verdicts.
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
        """`fresh` with the marks that stand in their places."""
        written = ((a, question) for a in self._assignments for question in _written(submission, a))
        standing = {question.id: self._standing(submission, a, question) for a, question in written}
        return replace(fresh, marks=tuple(_kept(standing.get(mark.exercise), mark) for mark in fresh.marks))

    def news(self, submission: Submission, result: Result) -> list[Judged]:
        """What the book does not have yet of this final `result`; remembers what changed."""
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
        return Basis(
            fingerprint.of({q.id: submission.answer(assignment, q).source for q in _written(submission, assignment)}),
            self._questions[question.id],
            fingerprint.course(),
            trial.judge,
            trial.isolation,
            self._limits,
            self._versions.get(submission.student, ""),
        )


def changed_since(judged: Judged, assignment: Assignment) -> str:
    """What is not as it was when `judged` was: the exercise, its points, the course, or ""."""
    question = next((q for q in assignment.questions if q.id == judged.mark.exercise), None)
    if question is None or judged.basis.exercise != _hash_of_question(assignment, question):
        return "The exercise changed"
    if judged.mark.maximum != question.points:
        return "The exercise's points changed"
    return "" if judged.basis.course == fingerprint.course() else "The course changed"


def answers_by_hash(submission: Submission, assignments: Sequence[Assignment]) -> dict[str, str]:
    """The texts of all answers of one student."""
    answers = [submission.answer(a, q) for a in assignments for q in a.questions]
    return {answer.hash: answer.source for answer in answers if answer.hash and answer.source is not None}


def from_book(
    student: str, judged: Mapping[str, Judged], text_of: Callable[[str], str], assignments: Sequence[Assignment]
) -> Submission:
    """What `student` handed in, as the book has it: no file is read again."""
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
        return Answer(stub, claimed=mark.claimed)  # today's, whatever it was then
    if judged.answer:
        return Answer(text_of(judged.answer), detail=mark.origin, claimed=mark.claimed)
    return Answer(None, mark.status, mark.detail, claimed=mark.claimed)


def _written(submission: Submission, assignment: Assignment) -> list[Question]:
    """The questions of `assignment` whose answers have to be run."""
    stubs = assignment.stubs
    answers = [(question, submission.answer(assignment, question).source) for question in assignment.questions]
    return [q for q, source in answers if source is not None and not is_untouched(source, stubs[q.id])]


def basis_of_trial(assignments: Sequence[Assignment], judge: str, limits: Limits) -> str:
    """All that it depends on whether the references pass, and how they are judged; `judge` says who judges, and under what."""
    questions = {q.id: _hash_of_question(a, q) for a in assignments for q in a.questions}
    return fingerprint.of(questions, judge, asdict(limits), fingerprint.course(), dict(fingerprint.versions()))


def _hash_of_question(assignment: Assignment, question: Question) -> str:
    """One exercise as it is now: its cells, its stored outputs, its reference, its declaration, and the cells that belong to no
    exercise (the set-up). Not its points."""
    others = {id for each in assignment.questions if each is not question for id in (each.answer, each.check)}
    code = [cell for cell in assignment.cells if cell["cell_type"] == "code" and cell["id"] not in others]
    cells = [[cell["id"], cell["source"], cell["outputs"]] for cell in code]
    return fingerprint.of(cells, assignment.references.get(question.id), question.declared)


def _kept(standing: Mark | None, fresh: Mark) -> Mark:
    """The mark that stands, with a record if `fresh` brings the one that it lacks; else the fresh one."""
    if standing is None:
        return fresh
    return with_record(standing, fresh) if fresh.recorded and not has_record(standing) else standing


def _difference(known: Judged, basis: Basis, mark: Mark) -> str:
    """Why `known` does not stand on `basis`; "" where it does."""
    before, now = dict(vars(known.basis)), dict(vars(basis))
    if known.mark.status not in _ENDED_BY_A_LIMIT:
        now["limits"] = before["limits"]
    why = [words for name, words in _WHY.items() if before[name] != now[name]]
    if known.mark.maximum != mark.maximum:
        why.append("other points")
    return ", ".join(why) or ("" if _outcome(known.mark) == _outcome(mark) else "graded again")


def _outcome(mark: Mark) -> str:
    return f"{mark.status} {mark.points:g}/{mark.maximum:g}"
