"""Whose the files of a class are, and which of several notebooks counts. Runs nothing.

Understood are `alice.ipynb` (the file's name names the student, without the assignment's name if that is part of it),
`alice/any/where/name.ipynb`, nbgrader's `submitted/alice/assignment/name.ipynb`, GitHub Classroom's
`ps1-submissions/ps1-alice/`, what learning platforms export (names.py), a zip of any of them, and zips among
them: `alice.zip` is read like the folder `alice`. A renamed notebook is recognised by its cells. Symbolic links, hidden
files and names with `..` are passed over; what of that lies where students' work is looked for is said.

Whatever a file is, it ends in a named status, not in an exception.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import count
from pathlib import Path, PurePosixPath
from zoneinfo import ZoneInfo

from ...course.errors import UserError
from ...plain import some
from ..rebuild import Assignment, Question
from ..results import Status
from . import names
from .answers import LARGEST_NOTEBOOK, Answer, given, is_untouched, none_of, read_answers
from .archives import LINK, Entry, Unreadable, opened, printable
from .names import Name

MOST_NOTEBOOKS = 100
LARGEST_HAND_IN = 200_000_000
"""Of one student: so many notebooks are read, and so many bytes of them, lest one hand-in keep the class waiting."""

_LONGEST_STEM = 400
"""Letters of a file's name that is looked at."""

_COPY = r"(?: ?\(\d+\)|-Copy\d*|[-_ ]\d{1,2}| - Copy(?: \(\d+\))?| copy(?: \d+)?)?"
"""What browsers, learning platforms, JupyterLab and desktops put behind the name of a second copy."""

_COURSE_FOLDERS = {"lessons", "exercises"}
_NBGRADER = "submitted"
_NBGRADERS = {"source", "release", "downloaded", "autograded", "feedback"}  # beside it, nobody's


class Keep(StrEnum):
    """Which of several notebooks that one student handed in for one assignment counts.

    A notebook in which nothing is written, or that cannot be read, never hides one that can.
    """

    NAMED = "named"  # the newest of those with the assignment's own name, as "name (1)" has it too; then the newest
    NEWEST = "newest"
    BEST = "best"  # all are graded


@dataclass(frozen=True)
class Version:
    """One notebook that a student handed in for an assignment."""

    path: str
    answers: dict[str, Answer]
    submitted: datetime | None = None  # local time, without a zone; None where nothing says it
    is_late: bool = False  # the platform says so; a date of one's own is for selection.py


@dataclass
class Submission:
    """One student's answers, by assignment name and exercise id."""

    student: str
    answers: dict[str, dict[str, Answer]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fault: str = ""  # of a file that might have been any of the assignments
    id: str = ""  # the learning platform's number for the student
    versions: dict[str, list[Version]] = field(default_factory=dict)
    """By assignment name: first the one whose answers count, then, where the best is asked for, the others to try."""
    paths: list[str] = field(default_factory=list)  # every file that a note may name
    columns: dict[str, str] = field(default_factory=dict)  # of the roster, for the report

    def answer(self, assignment: Assignment, question: Question) -> Answer:
        """What was handed in for `question`; `missing` where nothing was."""
        nothing = Answer(None, Status.MISSING, f"no notebook {assignment.name}")
        if self.fault:
            nothing = Answer(None, Status.INVALID_NOTEBOOK, self.fault)
        return self.answers.get(assignment.name, {}).get(question.id, nothing)


@dataclass(frozen=True)
class _Notebook:
    """One file after reading: which assignment it is (if that can be told) and its answers or its fault."""

    entry: Entry
    assignment: Assignment | None
    answers: dict[str, Answer]
    fault: str = ""
    name: Name | None = None  # what a learning platform says by the file's or folder's name
    submitted: datetime | None = None

    def rank(self, keep: Keep) -> tuple[object, ...]:
        """Of several notebooks for one assignment that counts in which something is written, then the readable one, then
        by the platform's own clock, then as `keep` says: a lesson of that name, or a fresh download, hides nobody's work."""
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
        """Whether the file has the assignment's own name, with at most what the pattern `ending` allows behind it."""
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
    """All that one student handed in, as it is read."""

    id: str = ""
    notes: list[str] = field(default_factory=list)
    notebooks: list[_Notebook] = field(default_factory=list)
    unread: int = 0  # notebooks beyond the most that are looked at
    others: list[str] = field(default_factory=list)
    bytes_left: int = field(default_factory=lambda: LARGEST_HAND_IN)

    def add(
        self, entry: Entry, assignments: Sequence[Assignment], name: Name | None, submitted: datetime | None
    ) -> None:
        """Read one notebook more, if there may be one more."""
        if len(self.notebooks) == MOST_NOTEBOOKS or self.bytes_left <= 0:
            self.unread += 1
            return
        notebook, size = _read(entry, assignments, min(LARGEST_NOTEBOOK, self.bytes_left))
        self.notebooks.append(replace(notebook, name=name, submitted=submitted))
        self.bytes_left -= size


def take_in(
    submissions: Path,
    assignments: Sequence[Assignment],
    say: Callable[[str], object] = lambda _: None,
    keep: Keep = Keep.NAMED,
    only: Sequence[str] = (),
) -> list[Submission]:
    """All students found in `submissions` (a folder or a zip), by name, with their answers to the assignments that `only` names,
    or to all; a `UserError` where there are none.

    What lies beside the students and is nobody's is told to `say`, in one sentence.
    """
    known = {assignment.name for assignment in assignments}
    taken: dict[str, _HandIn] = {}
    strays: list[str] = []
    with opened(submissions) as found:
        entries, holder = _without_wrapper(found, submissions, known)
        whose = _owners(entries, holder, known)
        stamps = _stamps(entries) if holder == _NBGRADER else {}
        for entry in sorted(entries, key=lambda entry: entry.parts):
            student, notes, name = whose[entry.parts[0]]
            is_work = entry.is_notebook or entry.is_zip or entry.is_folder or name
            if len(entry.parts) == 1 and (not is_work or entry.fault == LINK):
                strays.append(printable(entry.parts[0]) + " (a symbolic link)" * bool(entry.fault))
                continue
            hand_in = taken.setdefault(student, _HandIn(name.id if name else "", notes))
            if entry.is_notebook or entry.fault:
                at = stamps.get(entry.parts[:2]) or (name.at if name else None) or entry.came
                hand_in.add(entry, assignments, name, at)
            elif not entry.is_folder and entry.parts[:2] not in stamps:
                hand_in.others.append(printable(entry.parts[-1]))
    if not taken:
        raise UserError(
            f"{submissions} holds no notebooks (.ipynb) and no students' folders; name the folder or zip that does."
        )
    if _NBGRADER in whose and _NBGRADER in taken:
        say(f"{_NBGRADER} is taken for a student, as notebooks lie beside it; name that folder if it holds the class.")
    if strays:
        say(f"Passed over, as no student's work can be read from it: {some(strays, 10)}")
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
            f"{hand_in.unread} notebooks not looked at: read are {MOST_NOTEBOOKS} of one student, "
            f"and of all together {LARGEST_HAND_IN // 1_000_000} MB"
        )
    return submission


def _without_wrapper(entries: list[Entry], container: Path, known: set[str]) -> tuple[list[Entry], str]:
    """The entries below the one folder that holds all students, if there is one (nbgrader's, or the one that zips add), and
    the name of what holds them."""
    tops = {entry.parts[0] for entry in entries}
    if _is_nbgrader(entries):
        return _below(entries, _NBGRADER), _NBGRADER
    if len(tops) != 1 or names.convention(tops)(next(iter(tops))):
        return entries, container.stem
    (top,) = tops
    inside = _below(entries, top)
    stems = {entry.stem for entry in inside if entry.is_notebook and len(entry.parts) == 1}
    several = len(stems) > 1 or _is_class(inside, known)
    wraps = (top == container.stem or several) and not stems & known
    if not inside or not wraps:
        return entries, container.stem
    if any(entry.was_zip and entry.parts == (top,) for entry in entries):  # the platform's, whose dates are believed
        inside, top = [replace(entry, modified=entry.modified[1:]) for entry in inside], PurePosixPath(top).stem
    if _is_nbgrader(inside):
        return _below(inside, _NBGRADER), _NBGRADER
    return inside, top


def _is_nbgrader(entries: list[Entry]) -> bool:
    """Whether a folder `submitted` holds the class, and is not a student of that name: nobody's work lies beside it."""
    return {entry.parts[0] for entry in entries if entry.is_notebook or entry.is_zip} - _NBGRADERS == {_NBGRADER}


def _is_class(entries: list[Entry], known: set[str]) -> bool:
    """Whether these are several students' folders rather than one student's: two hold a notebook of the same name."""
    found = {(e.stem, e.parts[0]) for e in entries if e.is_notebook and e.stem in known and len(e.parts) > 1}
    # The course's own folders share names too: that is one student's whole course.
    stems = [stem for stem, folder in found if folder not in _COURSE_FOLDERS]
    return len(stems) > len(set(stems))


def _below(entries: list[Entry], top: str) -> list[Entry]:
    inside = (entry for entry in entries if entry.parts[0] == top and len(entry.parts) > 1)
    return [replace(entry, parts=entry.parts[1:]) for entry in inside]


# ---- names ----------------------------------------------------------------------------------------------------------


def _owners(entries: list[Entry], holder: str, known: set[str]) -> dict[str, tuple[str, list[str], Name | None]]:
    """For the name of each file and folder beside the students': whose it is, what is to be said of it, and what a platform says."""
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
        owners[top] = printable(name.student) if name.id else name.student, name.id  # accents have two forms
    called = _called({*owners.values()})
    return {top: (*called[owner], reader(top)) for top, owner in owners.items()}


def _called(owners: set[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, list[str]]]:
    """What each is called, and nobody else, and what is to be said of it."""
    sharing = Counter(printable(name) for name, _ in owners)
    taken: dict[str, tuple[tuple[str, str], list[str]]] = {}
    note = "another student has this name too, or one that looks like it: a number tells them apart"
    for name, id in sorted(owners, key=lambda owner: (printable(owner[0]) != owner[0], owner)):
        wished = printable(name) + f" ({id})" * (id != "" and sharing[printable(name)] > 1)
        student = next(free for n in count(1) if (free := wished + f" ({n})" * (n > 1)) not in taken)
        taken[student] = (name, id), [note] * (student != wished)
    return {owner: (student, notes) for student, (owner, notes) in taken.items()}


def _stamps(entries: list[Entry]) -> dict[tuple[str, ...], datetime]:
    """nbgrader's own record of when an assignment came in, by (student, assignment): `timestamp.txt`."""
    stamps: dict[tuple[str, ...], datetime] = {}
    for entry in entries:
        if entry.parts[2:] == ("timestamp.txt",) and not entry.is_folder:
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
    """The student that a file's name names: `alice`, or `alice_09_custom_functions` without the assignment."""
    for name in sorted(known, key=len, reverse=True):
        before, found, after = stem.partition(name)
        rest = " ".join(filter(None, (part.strip(" _-.") for part in (before, after))))
        if found and rest:
            return rest
    return stem


# ---- what is inside ---------------------------------------------------------------------------------------------------


def _read(entry: Entry, assignments: Sequence[Assignment], most: int) -> tuple[_Notebook, int]:
    """The notebook at `entry`, of at most so many bytes, and how many it has."""
    by_name = next((a for a in assignments if a.name in entry.stem), None)
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
        return _Notebook(entry, by_name, {}, str(problem)), max(size, problem.size)
    if assignment is None and by_name:
        assignment, answers = by_name, none_of(by_name)
    return _Notebook(entry, assignment, answers), size


def _settle(submission: Submission, notebooks: list[_Notebook], assignments: Sequence[Assignment], keep: Keep) -> None:
    """Choose the notebook that counts for each assignment and note what was passed over, if it may be anybody's work."""
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
            f"{_path(n)} passed over for {_path(best)}" + f" ({n.fault})" * bool(n.fault)
            for n in rivals
            if n.fault or given(n.answers)
        ]
    for notebook in notebooks:
        if (known := notebook.assignment) is None and notebook.fault and not submission.answers:
            submission.fault = f"{_path(notebook)}: {notebook.fault}"
        elif known not in assignments and (notebook.fault or not submission.answers):
            why = f"it is {known.name}, which was not asked for" if known else "it has none of the exercises' cells"
            submission.notes.append(f"{_path(notebook)} not used: {notebook.fault or why}")


def _path(notebook: _Notebook) -> str:
    return printable("/".join(notebook.entry.parts))
