"""The options about the class: its roster, which notebooks count, the due date, the total of the points, and pseudonyms.

`gather` runs before grading, `best_of` for each student, `dress` afterwards. Must not know how an answer is judged.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ... import plain
from ...course.errors import UserError
from ..gradebook.standing import Change
from ..rebuild import Assignment
from ..results import MOST_NAMED, Mark, Result, Status
from . import pseudonyms, roster
from .answers import Answer
from .intake import Keep, Submission, Version, take_in

Say = Callable[[str], object]
Grade = Callable[[Submission, list[Assignment]], Result]


@dataclass(frozen=True)
class Wishes:
    """The options of `grade` that are about the class."""

    only: tuple[str, ...] = ()  # names of the assignments to grade; empty: all that any student handed in
    keep: Keep = Keep.NAMED
    due: datetime | None = None  # local time, without a zone
    roster: Path | None = None
    points: float | None = None  # the total of everything that is graded; None: the exercises' own points
    anonymous: Path | None = None  # the key file of the pseudonyms

    def __post_init__(self) -> None:
        if self.points is not None and not 0 < self.points < math.inf:  # nor nan
            raise UserError("The total of the points must be a number above 0; give --points another one.")


NO_WISHES = Wishes()


def due_date(text: str) -> datetime:
    """The time after which a submission is late, at the end of the day or minute. Without a zone it is local time.

    >>> str(due_date("2026-11-20")), str(due_date("2026-11-20 18:00"))
    ('2026-11-20 23:59:59', '2026-11-20 18:00:59')
    """
    try:
        due = datetime.fromisoformat(text.strip())
        due = due.astimezone().replace(tzinfo=None) if due.tzinfo else due
    except (ValueError, OverflowError) as problem:
        raise UserError(f"{text!r} is not a date; write it like 2026-11-20 or “2026-11-20 18:00”.") from problem
    if not re.search(r"\d[T ]\d", text.strip()):
        due = due.replace(hour=23, minute=59)
    return due.replace(second=59) if due.second == 0 else due


def asked_for(assignments: Sequence[Assignment], wishes: Wishes) -> list[Assignment]:
    """The requested assignments, in the course's order. Raises `UserError` if one is not in the course."""
    names = [assignment.name for assignment in assignments]
    for name in wishes.only:
        if name not in names:
            raise UserError(f"There is no exercise notebook {name}; there are {', '.join(names)}.")
    return [a for a in assignments if a.name in wishes.only or not wishes.only]


def gather(submissions: Path, assignments: Sequence[Assignment], wishes: Wishes, say: Say) -> list[Submission]:
    """The class for grading and reports: recognised, compared with the roster, with pseudonyms if requested."""
    rows = roster.read(wishes.roster) if wishes.roster else []
    class_ = take_in(submissions, assignments, say, wishes.keep, wishes.only)
    if rows:
        class_, strangers = roster.compare(class_, rows, lambda several: _merged(several, wishes.keep))
    names = {one.student: one.student for one in class_}
    if wishes.anonymous:
        names = pseudonyms.of(list(names), wishes.anonymous)
    if rows:
        absent = [names[one.student] for one in class_ if not (one.answers or one.notes or one.fault)]
        if absent:
            of_all = f"{len(absent)} of {plain.counted(len(rows), 'student')}"
            say(f"{of_all} on the roster handed in nothing: {plain.some(absent, MOST_NAMED)}")
        if strangers:
            say(f"Not on the roster, but graded: {plain.some([names[one] for one in strangers], MOST_NAMED)}")
        if strangers and len(absent) == len(rows):
            say(f"Nobody in {wishes.roster} was recognised; students are found by columns such as {roster.UNDERSTOOD}.")
    times = [v.submitted for one in class_ for several in one.versions.values() for v in several]
    if wishes.due and len(times) > 1 and len(set(times)) == 1 and times[0]:
        say(
            f"All {len(times)} notebooks have the same time, {times[0]}, perhaps of unpacking: --due and --late go by it."
        )
    counts = {assignment.name: sum(assignment.name in one.answers for one in class_) for assignment in assignments}
    for name in wishes.only:
        if not counts.get(name):
            say(f"Nobody handed in {name}, which --only names.")
    few = [name for name, count in counts.items() if 0 < count <= min(3, len(class_) / 10)]  # perhaps by mistake
    usual = "".join(f" --only {name}" for name, count in counts.items() if count and name not in few)
    for name in few if usual and not wishes.only else ():
        say(f"{name} was handed in by {counts[name]} of {len(class_)} students;{usual} leaves it out.")
    if wishes.anonymous:
        class_ = sorted((_nameless(one, names[one.student]) for one in class_), key=lambda one: one.student)
    return class_


def has_several(submission: Submission) -> bool:
    """Whether several notebooks of one assignment must be tried."""
    return any(len(versions) > 1 for versions in submission.versions.values())


def rivals(submission: Submission, due: datetime | None) -> dict[str, list[object]]:
    """What the choice of the best notebook depends on, besides the judge: the answers, and whether they are in time."""
    return {
        name: [[{id: answer.hash for id, answer in v.answers.items()}, clock([v], due)["late"]] for v in versions]
        for name, versions in submission.versions.items()
    }


def settled(submission: Submission, marks: Sequence[Mark]) -> Submission:
    """`submission` with only the notebooks that `marks` belong to, as `best_of` found them."""
    chosen = dict(zip(submission.versions, counted(submission, marks), strict=True))
    answers = submission.answers | {name: version.answers for name, version in chosen.items()}
    tried = {name: len(versions) for name, versions in submission.versions.items()}
    notes = [_is_best(version, tried[name]) for name, version in chosen.items() if tried[name] > 1]
    versions = {name: [version] for name, version in chosen.items()}
    return replace(submission, answers=answers, versions=versions, notes=[*submission.notes, *notes])


def best_of(submission: Submission, assignments: list[Assignment], grade: Grade, due: datetime | None) -> Result:
    """Grade one student. If several notebooks are tried, the one with the most points counts.

    Of equal ones, the one in time counts, then the newest. If the grader fails on one of them and no other has all points,
    the best is not known: then that failure is the result.
    """
    if not has_several(submission):
        return grade(submission, assignments)
    marks: list[Mark] = []
    notes = list(submission.notes)
    for assignment in assignments:
        if not (versions := submission.versions.get(assignment.name)):
            marks += grade(submission, [assignment]).marks
            continue
        tried: list[tuple[tuple[bool, bool, float, bool], Version, Result]] = []
        for version in versions:
            one = grade(replace(submission, answers={assignment.name: version.answers}), [assignment])
            failed = any(mark.status in (Status.GRADER_ERROR, Status.NOT_GRADED) for mark in one.marks)
            in_time = clock([version], due)["late"] != "yes"
            tried.append(((one.points == one.maximum, failed, one.points, in_time), version, one))
        _, version, best = max(tried, key=lambda each: each[0])  # the first of equal ones
        marks += best.marks
        if len(tried) > 1:
            notes.append(_is_best(version, len(tried)))
    return Result(submission.student, tuple(marks), "; ".join(notes))


def _is_best(version: Version, of: int) -> str:
    return f"{version.path} is the best of {of}"


def dress(results: Sequence[Result], class_: Sequence[Submission], wishes: Wishes) -> list[Result]:
    """`results` with the columns of the roster and the due date, and with points scaled to the requested total."""
    by_name = {submission.student: submission for submission in class_}
    has_clock = is_clocked(class_, wishes)
    dressed = []
    for result in results:
        submission = by_name[result.student]
        columns = dict(submission.columns)
        if has_clock:
            columns |= clock(counted(submission, result.marks), wishes.due)
        factor = wishes.points / result.maximum if wishes.points and result.maximum else 1.0
        marks = tuple(replace(mark, maximum=mark.maximum * factor) for mark in result.marks)
        dressed.append(replace(result, marks=marks, columns=tuple(columns.items())))
    return dressed


def scaled(changes: Sequence[Change], results: Sequence[Result]) -> list[Change]:
    """`changes` in the points of the report, as in `results`."""
    maxima = {(result.student, mark.exercise): mark.maximum for result in results for mark in result.marks}

    def of(change: Change) -> Change:
        maximum = maxima.get((change.student, change.after.exercise), change.after.maximum)
        factor = maximum / change.after.maximum if change.after.maximum else 1.0
        before = replace(change.before, maximum=change.before.maximum * factor) if change.before else None
        return replace(change, before=before, after=replace(change.after, maximum=maximum))

    return [of(change) for change in changes]


def is_clocked(class_: Sequence[Submission], wishes: Wishes) -> bool:
    """Whether lateness can be known: there is a due date, or a platform has marked a submission as late."""
    versions = (version for one in class_ for several in one.versions.values() for version in several)
    return wishes.due is not None or any(version.is_late for version in versions)


def clock(versions: Sequence[Version], due: datetime | None) -> dict[str, str]:
    """When the last of `versions` came, and whether one is late: `yes`, `no`, or `unknown` without a date; "" without any.

    >>> clock([Version("a.ipynb", {}, datetime(2026, 11, 21))], due_date("2026-11-20"))
    {'submitted': '2026-11-21 00:00:00', 'late': 'yes'}
    """
    times = [version.submitted for version in versions if version.submitted]
    last = max(times, default=None)
    if any(version.is_late for version in versions) or (due and last and last > due):
        late = "yes"
    elif due and len(times) < len(versions):
        late = "unknown"
    else:
        late = "no" if versions else ""
    return {"submitted": str(last or ""), "late": late}


def counted(submission: Submission, marks: Sequence[Mark]) -> list[Version]:
    """The version of each assignment that `marks` belong to, by the hashes of the answers; else the first."""
    judged = {mark.source for mark in marks if mark.source}

    def alike(version: Version) -> int:
        return sum(answer.hash in judged for answer in version.answers.values())

    return [max(versions, key=alike) for versions in submission.versions.values()]


def _merged(several: list[Submission], keep: Keep) -> Submission:
    """One submission from those that a student handed in under several names."""
    first, *rest = several
    if not rest:
        return first
    merged = replace(first, versions={}, answers={}, notes=[], paths=[])
    for one in several:
        merged.notes += one.notes
        merged.paths += one.paths
        merged.fault = merged.fault or one.fault
        for name, versions in one.versions.items():
            merged.versions.setdefault(name, []).extend(versions)
    for name, versions in merged.versions.items():
        versions.sort(key=lambda version: (_is_readable(version), version.submitted or datetime.min), reverse=True)
        if keep is not Keep.BEST:
            merged.notes += [f"{version.path} not used, {versions[0].path} counts" for version in versions[1:]]
            del versions[1:]
        merged.answers[name] = versions[0].answers
    return merged


def _is_readable(version: Version) -> bool:
    return any(answer.source is not None for answer in version.answers.values())


def _nameless(submission: Submission, pseudonym: str) -> Submission:
    """`submission` under its pseudonym. Files are numbered, because their names may contain the student's."""
    numbers = {path: f"file {number}" for number, path in enumerate(submission.paths, start=1)}
    longest_first = sorted(numbers, key=len, reverse=True)

    def hidden(words: str) -> str:
        pattern = "|".join(map(re.escape, longest_first))
        return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda match: numbers[match[0]], words) if pattern else words

    def answers(given: dict[str, Answer]) -> dict[str, Answer]:
        return {id: replace(answer, detail=hidden(answer.detail)) for id, answer in given.items()}

    return replace(
        submission,
        student=pseudonym,
        id="",
        columns={},
        paths=[],
        fault=hidden(submission.fault),
        notes=[roster.STRANGER if roster.STRANGER in note else hidden(note) for note in submission.notes],
        answers={name: answers(given) for name, given in submission.answers.items()},
        versions={
            name: [replace(v, path=numbers.get(v.path, "a file"), answers=answers(v.answers)) for v in versions]
            for name, versions in submission.versions.items()
        },
    )
