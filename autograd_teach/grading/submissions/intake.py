"""Finds out whose the files of a class are, and which of several notebooks counts. Does not run anything.

It understands `alice.ipynb` (the student is the file name, without the assignment's name if that is part of it),
`alice/any/where/name.ipynb`, nbgrader's `submitted/alice/assignment/name.ipynb`, GitHub Classroom's
`ps1-submissions/ps1-alice/`, exports of learning platforms (names.py), a zip of any of them, and zips inside:
`alice.zip` is read like the folder `alice`. A renamed notebook is recognised by its cells. Symbolic links, hidden files and
names with `..` are skipped, and reported if they are among students' files.

Every file gets a status; none raises an exception.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from ...course.errors import UserError
from ...plain import some
from ..rebuild import Assignment, Question
from ..results import Status
from . import budget, names
from .answers import LARGEST_NOTEBOOK, Answer, given, is_untouched, none_of, read_answers
from .archives import LINK, Entry, Unreadable, opened, printable, with_zips
from .names import Name

MOST_NOTEBOOKS = 100
LARGEST_HAND_IN = 200_000_000
"""The notebooks of one student that are read, and their bytes, at most: one student must not delay the class."""

_LONGEST_STEM = 400
"""Characters of a file's name that are looked at."""

_COPY = r"(?: ?\(\d+\)|-Copy\d*|[-_ ]\d{1,2}| - Copy(?: \(\d+\))?| copy(?: \d+)?)?"
"""What browsers, learning platforms, JupyterLab and desktops append to the name of a second copy."""

_COURSE_FOLDERS = {"lessons", "exercises"}
_NBGRADER = "submitted"
_NBGRADERS = {"source", "release", "downloaded", "autograded", "feedback"}  # other folders of nbgrader, not students


class Keep(StrEnum):
    """Which notebook counts if one student handed in several for one assignment.

    A notebook that has no answers or cannot be read never replaces one with answers.
    """

    NAMED = "named"  # the newest with the assignment's name (also "name (1)"), else the newest
    NEWEST = "newest"
    BEST = "best"  # all are graded


@dataclass(frozen=True)
class Version:
    """One notebook that a student handed in for an assignment."""

    path: str
    answers: dict[str, Answer]
    submitted: datetime | None = None  # local time, without a zone; None if not known
    is_late: bool = False  # marked by the platform; selection.py handles --due


@dataclass
class Submission:
    """One student's answers, by assignment name and exercise id."""

    student: str
    answers: dict[str, dict[str, Answer]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fault: str = ""  # the fault of a file that may have been any assignment
    id: str = ""  # the learning platform's number for the student
    versions: dict[str, list[Version]] = field(default_factory=dict)
    """By assignment name: first the one that counts, then, with `Keep.BEST`, the others to try."""
    paths: list[str] = field(default_factory=list)  # every file that a note may name
    columns: dict[str, str] = field(default_factory=dict)  # the roster's columns for the report

    def answer(self, assignment: Assignment, question: Question) -> Answer:
        """The answer to `question`; `missing` if there is none."""
        nothing = Answer(None, Status.MISSING, f"no notebook {assignment.name}")
        if self.fault:
            nothing = Answer(None, Status.INVALID_NOTEBOOK, self.fault)
        return self.answers.get(assignment.name, {}).get(question.id, nothing)


@dataclass(frozen=True)
class _Notebook:
    """One file: after reading, with its assignment (if recognised), and its answers or its fault."""

    entry: Entry
    name: Name | None  # what a learning platform encodes in the file's or folder's name
    submitted: datetime | None
    assignment: Assignment | None = None
    answers: dict[str, Answer] = field(default_factory=dict)
    fault: str = ""

    def rank(self, keep: Keep) -> tuple[object, ...]:
        """Sort key of several notebooks for one assignment, the best last: with answers, readable, newer by the platform's
        time, better by `keep`. So a lesson of that name, or a fresh download, does not replace a student's work."""
        attempt = self.name.attempt if self.name else 0
        at = self.name.at.isoformat() if self.name and self.name.at else ""
        newest = (attempt, self.entry.modified)
        order = (self._is_named(_COPY), newest) if keep is Keep.NAMED else (newest, self._is_named(_COPY))
        return self.is_written, not self.fault, at, *order, self._is_named()

    @property
    def version(self) -> Version:
        questions = self.assignment.questions if self.fault and self.assignment else ()
        broken = Answer(None, Status.INVALID_NOTEBOOK, f"{_path(self)}: {self.fault}")
        answers = self.answers or {question.id: broken for question in questions}
        return Version(_path(self), answers, self.submitted, self.name is not None and self.name.late)

    def _is_named(self, ending: str = "") -> bool:
        """Whether the file has the assignment's own name, optionally followed by the pattern `ending`."""
        if self.assignment is None or len(self.entry.stem) > _LONGEST_STEM:
            return False
        before = ".*" if self.name else ""  # a platform's file names begin with the student's
        return re.fullmatch(before + re.escape(self.assignment.name) + ending, self.entry.stem, re.DOTALL) is not None

    @property
    def is_written(self) -> bool:
        stubs = self.assignment.stubs if self.assignment else {}
        return any(
            answer.status is not Status.MISSING and not (answer.source and is_untouched(answer.source, stubs[id]))
            for id, answer in self.answers.items()
        )


@dataclass
class _HandIn:
    """Everything that one student handed in, while it is read."""

    id: str = ""
    notes: list[str] = field(default_factory=list)
    notebooks: list[_Notebook] = field(default_factory=list)
    unread: int = 0  # notebooks beyond the limit, not looked at
    others: list[str] = field(default_factory=list)
    cost: float = 0.0  # seconds of the budget that opening the zips took

    def read(self, readings: Iterator[Any], assignments: Sequence[Assignment]) -> None:
        """Complete the notebooks with what `readings` gives for each in turn, until it ends."""
        by_name = {assignment.name: assignment for assignment in assignments}
        files, self.notebooks = self.notebooks, []
        try:
            for read, file in zip(readings, files, strict=False):  # which asks `readings` to the end
                answers = {id: _answer(data) for id, data in read["answers"].items()}
                self.notebooks.append(
                    replace(file, assignment=by_name.get(read["assignment"]), answers=answers, fault=read["fault"])
                )
        except budget.Exhausted as problem:
            for file in files[len(self.notebooks) : MOST_NOTEBOOKS]:
                assignment, known = _named_in(file.entry, assignments), [each.assignment for each in self.notebooks]
                if assignment not in known or not any(each.fault == str(problem) for each in self.notebooks):
                    self.notebooks.append(replace(file, assignment=assignment, fault=str(problem)))
        self.unread = len(files) - len(self.notebooks)


def take_in(
    submissions: Path,
    assignments: Sequence[Assignment],
    say: Callable[[str], object] = lambda _: None,
    keep: Keep = Keep.NAMED,
    only: Sequence[str] = (),
) -> list[Submission]:
    """All students in `submissions` (a folder or a zip), sorted by name, with their answers to the assignments `only`
    (default: all). Raises `UserError` if there are no students.

    Files that do not belong to a student are reported through `say`, in one sentence.
    """
    known = {assignment.name for assignment in assignments}
    taken: dict[str, _HandIn] = {}
    with opened(submissions) as listed:
        found = with_zips(listed, _depth(listed))
        entries, holder, loose = _without_wrapper(found, submissions, known)
        strays = [_stray(entry) for entry in loose]
        whose = _owners(entries, holder, known)
        stamps = _stamps(entries) if holder == _NBGRADER else {}
        for entry in sorted(entries, key=lambda entry: entry.parts):
            student, notes, name = whose[entry.parts[0]]
            if _is_loose(entry) and (not name or entry.fault == LINK):
                strays.append(_stray(entry))
                continue
            hand_in = taken.setdefault(student, _HandIn(name.id if name else "", notes))
            hand_in.cost += entry.cost
            if entry.is_notebook or entry.fault:
                at = stamps.get(entry.parts[:2]) or (name.at if name else None) or entry.came
                hand_in.notebooks.append(_Notebook(entry, name, at))
            elif not entry.is_folder and entry.parts[:2] not in stamps:
                hand_in.others.append(printable(entry.parts[-1]))
        hand_ins = list(taken.values())
        files = [[file.entry for file in hand_in.notebooks] for hand_in in hand_ins]
        with budget.Worker(lambda number: _readings(files[number], assignments)) as worker:
            for number, hand_in in enumerate(hand_ins):
                hand_in.read(worker.ask(number, budget.SECONDS - hand_in.cost), assignments)
    if not taken:
        raise UserError(
            f"{submissions} does not hold notebooks (.ipynb) or students' folders; give the folder or zip that does."
        )
    if _NBGRADER in whose and _NBGRADER in taken:
        say(f"{_NBGRADER} is read as a student, because notebooks lie beside it; give it alone if it holds the class.")
    if strays:
        say(f"Skipped, because no student's work can be read from it: {some(strays, 10)}")
    asked = [assignment for assignment in assignments if assignment.name in only or not only]
    class_ = [_submission(student, hand_in, asked, keep) for student, hand_in in taken.items()]
    return sorted(class_, key=lambda submission: submission.student.casefold())


def _submission(student: str, hand_in: _HandIn, assignments: Sequence[Assignment], keep: Keep) -> Submission:
    submission = Submission(student, id=hand_in.id, notes=[*hand_in.notes])
    submission.paths = [_path(notebook) for notebook in hand_in.notebooks] + hand_in.others
    if not hand_in.notebooks:
        named = some(hand_in.others, 3)
        submission.notes.append(f"the folder holds no notebook, but {named}" if named else "the folder is empty")
    _settle(submission, hand_in.notebooks, assignments, keep)
    if hand_in.unread:
        submission.notes.append(
            f"{hand_in.unread} notebooks were not read: the limits are {MOST_NOTEBOOKS} notebooks "
            f"and {LARGEST_HAND_IN // 1_000_000} MB of one student, and {budget.SECONDS:g} seconds to read them"
        )
    return submission


def _without_wrapper(entries: list[Entry], container: Path, known: set[str]) -> tuple[list[Entry], str, list[Entry]]:
    """The entries in the folder that holds all students, if there is one (nbgrader's, or the one that zips add), the name
    of their container, and the files beside that folder. Raises `UserError` if a platform's zip lies beside other work."""
    if _is_nbgrader(entries):
        return _below(entries, _NBGRADER), _NBGRADER, []
    loose = [entry for entry in entries if _is_loose(entry)]
    tops = {entry.parts[0] for entry in entries} - {entry.parts[0] for entry in loose}
    reader = names.convention(tops)
    inner = {entry.parts[:2] for entry in entries if names.MOODLE in "".join(entry.parts[1:2])}
    of_class = {top for top, count in Counter(top for top, _ in inner).items() if count > 1 and not reader(top)}
    if len(tops) != 1 or reader(next(iter(tops))):
        for top in sorted(of_class):
            raise UserError(f"{top} holds several students' folders, but other work lies beside it: give {top} alone.")
        return entries, container.stem, []
    (top,) = tops
    inside = _below(entries, top)
    stems = {entry.stem for entry in inside if entry.is_notebook and len(entry.parts) == 1}
    several = len(stems) > 1 or top in of_class or _is_class(inside, known)
    wraps = (top == container.stem or several) and not stems & known
    if not inside or not wraps:
        return entries, container.stem, []
    if any(entry.was_zip and entry.parts == (top,) for entry in entries):  # the platform's zip, whose dates are trusted
        inside, top = [replace(entry, modified=entry.modified[1:]) for entry in inside], PurePosixPath(top).stem
    if _is_nbgrader(inside):
        return _below(inside, _NBGRADER), _NBGRADER, loose
    return inside, top, loose


def _is_loose(entry: Entry) -> bool:
    """Whether it is a file beside the students' folders and files that holds no work: a table, a text, a link."""
    is_work = entry.is_notebook or entry.is_zip or entry.is_folder
    return len(entry.parts) == 1 and (not is_work or entry.fault == LINK)


def _stray(entry: Entry) -> str:
    return printable(entry.parts[0]) + " (a symbolic link)" * bool(entry.fault)


def _is_nbgrader(entries: list[Entry]) -> bool:
    """Whether a folder `submitted` holds the class and is not a student's: no student's work lies beside it."""
    return {entry.parts[0] for entry in entries if entry.is_notebook or entry.is_zip} - _NBGRADERS == {_NBGRADER}


def _is_class(entries: list[Entry], known: set[str]) -> bool:
    """Whether the folders are of several students, not of one: two of them hold a notebook of the same name."""
    found = {(e.stem, e.parts[0]) for e in entries if e.is_notebook and e.stem in known and len(e.parts) > 1}
    # The course's own folders share names too: then it is one student's copy of the course.
    stems = [stem for stem, folder in found if folder not in _COURSE_FOLDERS]
    return len(stems) > len(set(stems))


def _depth(entries: list[Entry]) -> int:
    """How many folders lie around the files and folders of the students, as far as that shows before zips are opened."""
    only = {_NBGRADER} if _is_nbgrader(entries) else {entry.parts[0] for entry in entries}
    works = [entry.parts for entry in entries if (entry.is_notebook or entry.is_zip) and entry.parts[0] in only]
    return len(os.path.commonprefix([parts[:-1] for parts in works]))


def _below(entries: list[Entry], top: str) -> list[Entry]:
    inside = (entry for entry in entries if entry.parts[0] == top and len(entry.parts) > 1)
    return [replace(entry, parts=entry.parts[1:]) for entry in inside]


# ---- names ----------------------------------------------------------------------------------------------------------


def _owners(entries: list[Entry], holder: str, known: set[str]) -> dict[str, tuple[str, list[str], Name | None]]:
    """By the name of each top-level file and folder: its student, notes about it, and the platform's data in its name."""
    files = {entry.parts[0] for entry in entries if len(entry.parts) == 1 and not entry.is_folder}
    tops = {entry.parts[0] for entry in entries}
    reader = names.convention(tops)
    prefix = holder.removesuffix("submissions") if holder.endswith("-submissions") else ""
    if not all(top.startswith(prefix) for top in tops):
        prefix = ""
    owners: dict[str, tuple[str, str]] = {}  # by name and the platform's number
    for top in tops:
        own = _named_by(PurePosixPath(top).stem, known) if top in files or top.lower().endswith(".zip") else top
        name = reader(top) or Name(own.removeprefix(prefix))
        owners[top] = printable(name.student) if name.id else name.student, name.id  # normalises accents
    called = _called({*owners.values()})
    return {top: (*called[owner], reader(top)) for top, owner in owners.items()}


def _called(owners: set[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, list[str]]]:
    """A unique name for each owner, and notes about it."""
    sharing = Counter(printable(name) for name, _ in owners)
    taken: dict[str, tuple[tuple[str, str], list[str]]] = {}
    note = "another student has this name too, or one that looks like it: a number tells them apart"
    for name, id in sorted(owners, key=lambda owner: (printable(owner[0]) != owner[0], owner)):
        wished = printable(name) + f" ({id})" * (id != "" and sharing[printable(name)] > 1)
        student = next(free for n in count(1) if (free := wished + f" ({n})" * (n > 1)) not in taken)
        taken[student] = (name, id), [note] * (student != wished)
    return {owner: (student, notes) for student, (owner, notes) in taken.items()}


def _stamps(entries: list[Entry]) -> dict[tuple[str, ...], datetime]:
    """nbgrader's times of submission from `timestamp.txt`, by (student, assignment)."""
    stamps: dict[tuple[str, ...], datetime] = {}
    for entry in entries:
        in_zip = len(entry.modified) > 1  # of the student, who could write any time there
        if entry.parts[2:] == ("timestamp.txt",) and not entry.is_folder and not in_zip:
            try:
                day, clock, *zone = entry.read(100).decode().split()
                time = datetime.fromisoformat(f"{day} {clock}")
                if zone:
                    time = time.replace(tzinfo=UTC if zone[0] == "UTC" else ZoneInfo(zone[0]))
                stamps[entry.parts[:2]] = time.astimezone().replace(tzinfo=None)
            except (Unreadable, ValueError, OSError, KeyError, OverflowError):
                continue
    return stamps


def _named_by(stem: str, known: set[str]) -> str:
    """The student in a file's name: all of `alice`; `alice_09_custom_functions` without the assignment."""
    for name in sorted(known, key=len, reverse=True):
        before, found, after = stem.partition(name)
        rest = " ".join(filter(None, (part.strip(" _-.") for part in (before, after))))
        if found and rest:
            return rest
    return stem


# ---- what is inside ---------------------------------------------------------------------------------------------------


def _readings(files: Sequence[Entry], assignments: Sequence[Assignment]) -> Iterator[dict[str, Any]]:
    """Read the notebooks `files` of one student up to the limits, as JSON data for `_HandIn.read`."""
    left = LARGEST_HAND_IN
    for entry in files[:MOST_NOTEBOOKS]:
        if left <= 0:
            return
        assignment, answers, fault, size = _read(entry, assignments, min(LARGEST_NOTEBOOK, left))
        name = assignment.name if assignment else None
        yield {"assignment": name, "answers": {id: vars(answer) for id, answer in answers.items()}, "fault": fault}
        left -= size


def _answer(data: dict[str, Any]) -> Answer:
    return Answer(**{**data, "status": data["status"] and Status(data["status"])})


def _named_in(entry: Entry, assignments: Sequence[Assignment]) -> Assignment | None:
    """The assignment whose name is in the file's."""
    return next((assignment for assignment in assignments if assignment.name in entry.stem), None)


def _read(
    entry: Entry, assignments: Sequence[Assignment], most: int
) -> tuple[Assignment | None, dict[str, Answer], str, int]:
    """Read the notebook at `entry`, of at most `most` bytes. Returns its assignment, answers, fault and size."""
    by_name = _named_in(entry, assignments)
    size = 0
    try:
        if entry.fault:
            raise Unreadable(entry.fault)
        data = entry.read(most)
        size = len(data)
        if most < size <= LARGEST_NOTEBOOK:
            raise Unreadable(f"the student's notebooks have more than {LARGEST_HAND_IN // 1_000_000} MB together")
        assignment, answers = read_answers(data, assignments)
    except Unreadable as problem:
        return by_name, {}, str(problem), max(size, problem.size)
    if assignment is None and by_name:
        assignment, answers = by_name, none_of(by_name)
    return assignment, answers, "", size


def _settle(submission: Submission, notebooks: list[_Notebook], assignments: Sequence[Assignment], keep: Keep) -> None:
    """Choose the notebook that counts for each assignment, and note others that may be a student's work."""
    for assignment in assignments:
        rivals = sorted((n for n in notebooks if n.assignment is assignment), key=lambda n: n.rank(keep))
        if not rivals:
            continue
        best = rivals.pop()
        versions = [best.version]
        submission.answers[assignment.name] = versions[0].answers
        if keep is Keep.BEST:
            versions += [n.version for n in reversed(rivals) if not n.fault and n.is_written]
            rivals = [n for n in rivals if n.fault or not n.is_written]
        submission.versions[assignment.name] = versions
        submission.notes += [
            f"{_path(n)} not used, {_path(best)} counts" + f" ({n.fault})" * bool(n.fault)
            for n in rivals
            if n.fault or given(n.answers)
        ]
    for notebook in notebooks:
        if (known := notebook.assignment) is None and notebook.fault and not submission.answers:
            submission.fault = f"{_path(notebook)}: {notebook.fault}"
        elif known not in assignments and (notebook.fault or not submission.answers):
            why = f"it is {known.name}, which was not asked for" if known else "it does not have cells of the exercises"
            submission.notes.append(f"{_path(notebook)} not used: {notebook.fault or why}")


def _path(notebook: _Notebook) -> str:
    return printable("/".join(notebook.entry.parts))
