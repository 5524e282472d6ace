"""From a folder or a zip of submissions to the source of each student's answers. Runs nothing, unpacks nothing to disk.

Of a submitted notebook only the *source* of its answer cells is taken, found by cell id or else by nbgrader's `grade_id`
(a front end that drops ids keeps that) or Colab's own copy of the id. Outputs, tags, metadata, kernel names, check cells and everything else stay
behind, so their faults do not matter: what is validated is what is taken. Whatever else a file can be (broken, huge, a
link, a zip bomb) ends in a named status, not in an exception.

Understood are `alice.ipynb` (the file's name names the student, without the assignment's name if that is part of it),
`alice/any/where/name.ipynb`, nbgrader's `submitted/alice/assignment/name.ipynb`, GitHub Classroom's
`ps1-submissions/ps1-alice/`, what learning platforms export (names.py), a zip of any of them, and zips among
them: `alice.zip` is read like the folder `alice`. A renamed notebook is recognised by its cells. Symbolic links, hidden
files and names with `..` are passed over; what of that lies where students' work is looked for is said.
"""

import io
import json
import os
import re
import stat
import struct
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

from ...course.errors import UserError
from ..rebuild import Assignment, Question
from ..results import Mark, Status
from . import names
from .names import Name

LARGEST_NOTEBOOK = 20_000_000
LARGEST_ANSWER = 200_000
LARGEST_ZIP = 50_000_000
"""Bytes. A notebook with many pictures has a few million; an answer typed by hand a few thousand. The zip is one that is
handed in, not the one that holds the class."""

MOST_FILES = 5_000
"""In one zip that is handed in."""

MOST_NOTEBOOKS = 100
LARGEST_HAND_IN = 100_000_000
"""Of one student: so many notebooks are read, and so many bytes of them, lest one hand-in keep the class waiting."""

LONGEST_NAME = 200
"""Letters of a path that are shown."""

DEEPEST_FOLDER = 10

_READS = 5
"""How often a file is read that changes meanwhile: an upload, or an editor that saves."""

_COPY = r"(?: ?\(\d+\)|-Copy\d*|[-_ ]\d{1,2}| - Copy(?: \(\d+\))?| copy(?: \d+)?)?"
"""What browsers, learning platforms, JupyterLab and desktops put behind the name of a second copy."""

_NO_DETOUR = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK"))

_NOT_SUBMITTED = {"__MACOSX", "__pycache__"}
_COURSE_FOLDERS = {"lessons", "exercises"}
_NBGRADER = "submitted"
_WORLD_TIME = 0x5455  # the zip format's "extended timestamp"
_NO_TIME = datetime(1980, 1, 2).timestamp()  # what a zip says that knows no time


@dataclass(frozen=True)
class Answer:
    """The source that a student gave for one exercise, or the status that says why there is none."""

    source: str | None
    status: Status | None = None
    detail: str = ""
    verdict: Mark | None = None  # given before, and standing: only its record is to be made


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


_LINK = "it is a symbolic link, which is not followed: hand in the file itself"


class Unreadable(Exception):
    """A file is not a notebook that answers can be taken from; the message says why."""


@dataclass(frozen=True)
class _Entry:
    """A file or folder as found, its bytes not yet read."""

    parts: tuple[str, ...]
    is_folder: bool
    modified: tuple[float, ...] = ()
    read: Callable[[int], bytes] = bytes
    """(most) -> the file's bytes, but no more than one over `most`, which tells that there are too many."""
    fault: str = ""  # why a link, or a zip that is damaged, is not looked into

    @property
    def is_notebook(self) -> bool:
        return not self.is_folder and self.parts[-1].lower().endswith(".ipynb")

    @property
    def is_zip(self) -> bool:
        return not self.is_folder and self.parts[-1].lower().endswith(".zip")

    @property
    def stem(self) -> str:
        return PurePosixPath(self.parts[-1]).stem

    @property
    def is_top_file(self) -> bool:
        """Whether it lies beside the students' folders and is no folder."""
        return len(self.parts) == 1 and not self.is_folder


@dataclass(frozen=True)
class _Notebook:
    """One file after reading: which assignment it is (if that can be told) and its answers or its fault."""

    entry: _Entry
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
        late = self.name is not None and self.name.late
        return Version(_path(self), self.answers, self.submitted, late)

    def _is_named(self, ending: str = "") -> bool:
        """Whether the file has the assignment's own name, with at most what the pattern `ending` allows behind it."""
        if self.assignment is None:
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
    notebooks: list[_Notebook] = field(default_factory=list)
    unread: int = 0  # notebooks beyond the most that are looked at
    others: list[str] = field(default_factory=list)
    bytes_left: int = field(default_factory=lambda: LARGEST_HAND_IN)

    def add(
        self, entry: _Entry, assignments: Sequence[Assignment], name: Name | None, submitted: datetime | None
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
) -> list[Submission]:
    """All students found in `submissions` (a folder or a zip), by name; a `UserError` where there are none.

    What lies beside the students and is nobody's is told to `say`, in one sentence.
    """
    known = {assignment.name for assignment in assignments}
    taken: dict[str, _HandIn] = {}
    strays: list[str] = []
    with _opened(submissions) as found:
        entries, holder = _without_wrapper([e for e in found if _is_wanted(e.parts)], submissions, known)
        whose = _owners(entries, holder, known)
        stamps = _stamps(entries) if holder == _NBGRADER else {}
        for entry in sorted(entries, key=lambda entry: entry.parts):
            student, name = whose[entry.parts[0]]
            is_work = entry.is_notebook or entry.is_zip or entry.is_folder or name
            if len(entry.parts) == 1 and (not is_work or entry.fault == _LINK):
                strays.append(_printable(entry.parts[0]) + " (a symbolic link)" * bool(entry.fault))
                continue
            hand_in = taken.setdefault(student, _HandIn(name.id if name else ""))
            if entry.is_notebook or entry.fault:
                at = stamps.get(entry.parts[:2]) or (name.at if name else None) or _time(entry)
                hand_in.add(entry, assignments, name, at)
            elif not entry.is_folder and entry.parts[:2] not in stamps:
                hand_in.others.append(_printable(entry.parts[-1]))
    if not taken:
        raise UserError(
            f"{submissions} holds no notebooks (.ipynb) and no students' folders; name the folder or zip that does."
        )
    if strays:
        say(f"Passed over, as no student's work can be read from it: {_some(strays, 10)}")
    class_ = [_submission(student, hand_in, assignments, keep) for student, hand_in in taken.items()]
    return sorted(class_, key=lambda submission: submission.student.casefold())


def _submission(student: str, hand_in: _HandIn, assignments: Sequence[Assignment], keep: Keep) -> Submission:
    submission = Submission(student, id=hand_in.id)
    submission.paths = [_path(notebook) for notebook in hand_in.notebooks] + hand_in.others
    if not hand_in.notebooks:
        named = _some(hand_in.others, 3)
        # Every zip that could be opened is a folder by now.
        has_zip = any(name.casefold().endswith(".zip") for name in hand_in.others)
        deep = ", a zip too deep in other zips to be opened: unpack the outer one" if has_zip else ""
        submission.notes.append(f"the folder holds no notebook, but {named}{deep}" if named else "the folder is empty")
    _settle(submission, hand_in.notebooks, assignments, keep)
    if hand_in.unread:
        submission.notes.append(
            f"{hand_in.unread} notebooks not looked at: read are {MOST_NOTEBOOKS} of one student, "
            f"and of all together {LARGEST_HAND_IN // 1_000_000} MB"
        )
    return submission


def read_answers(data: bytes, assignments: Sequence[Assignment]) -> tuple[Assignment | None, dict[str, Answer]]:
    """The assignment whose answer cells the notebook `data` has (None without any) and its answers by exercise id.

    >>> read_answers(b"{", [])
    Traceback (most recent call last):
        ...
    autograd_teach.grading.intake.Unreadable: it is not valid JSON
    """
    cells = _code_cells(data)
    found = {a.name: _answers(cells, a) for a in assignments}
    best = max(assignments, key=lambda a: _given(found[a.name]), default=None)
    if best is None or not _given(found[best.name]):
        return None, {}
    return best, found[best.name]


# ---- files ----------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(path: Path) -> Iterator[list[_Entry]]:
    if path.is_dir():
        if not os.access(path, os.R_OK | os.X_OK):
            raise UserError(f"{path} cannot be read; check its permissions.")
        yield [inside for entry in _entries_of_folder(path, ()) for inside in _unpacked(entry)]
    elif not path.exists():
        raise UserError(f"There is no {path}; name the folder or zip that holds the submissions.")
    elif zipfile.is_zipfile(path):
        try:
            archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError) as problem:
            raise UserError(f"{path} is a damaged zip; download it again.") from problem
        with archive:
            entries = _entries_of_zip(archive, lambda: nullcontext(archive))
            yield [inside for entry in entries for inside in _unpacked(entry)]
    else:
        raise UserError(f"{path} is neither a folder nor a zip; name the folder or zip that holds the submissions.")


def _entries_of_folder(folder: Path, above: tuple[str, ...]) -> Iterator[_Entry]:
    try:
        with os.scandir(folder) as listing:
            children = list(listing)
    except OSError:
        return  # one student's locked folder: that student has handed in nothing that can be read
    for child in children:
        parts = (*above, child.name)
        if not _is_wanted(parts):
            continue
        try:
            is_link, is_folder = child.is_symlink(), child.is_dir(follow_symlinks=False)
            is_file = child.is_file(follow_symlinks=False)
            modified = child.stat(follow_symlinks=False).st_mtime
        except OSError:
            continue  # it has just been taken away
        if is_link:
            yield _Entry(parts, is_folder=False, fault=_LINK)
        elif is_folder:
            yield _Entry(parts, is_folder=True)
            if len(parts) < DEEPEST_FOLDER:
                yield from _entries_of_folder(Path(child.path), parts)
        elif is_file:
            yield _Entry(parts, False, (modified,), _file_reader(Path(child.path)))


def _file_reader(path: Path) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        try:
            for _ in range(_READS):
                with open(path, "rb", opener=_as_it_was) as file:
                    before = os.fstat(file.fileno())
                    data = _read_all(file, most)
                    after = os.fstat(file.fileno())
                if (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size):
                    return data
        except OSError as problem:
            raise Unreadable(f"it cannot be read: {problem.strerror}") from problem
        raise Unreadable("it changed while it was read, again and again: grade when it is complete")

    return read


def _as_it_was(path: str, flags: int) -> int:
    """Opens what was neither a link nor a pipe a moment ago, and does not follow or wait where it is one by now."""
    return os.open(path, flags | _NO_DETOUR)


def _read_all(file: BinaryIO, most: int) -> bytes:
    return file.read(most + 1)


def _unpacked(entry: _Entry) -> Iterator[_Entry]:
    """`entry` itself or, where it is a zip, a folder of its name and what is in it (but no zip in that); keeps no bytes."""
    if not entry.is_zip or entry.fault or not _is_wanted(entry.parts):
        yield entry
        return
    try:
        with _archive(entry) as archive:
            if len(archive.infolist()) > MOST_FILES:
                raise Unreadable(f"it holds more than {MOST_FILES} files")
            inside = list(_entries_of_zip(archive, lambda: _archive(entry)))
    except Unreadable as problem:
        yield replace(entry, fault=str(problem))
        return
    yield _Entry(entry.parts, is_folder=True)
    for one in inside:
        yield replace(one, parts=(*entry.parts, *one.parts), modified=entry.modified + one.modified)


@contextmanager
def _archive(entry: _Entry) -> Iterator[zipfile.ZipFile]:
    """The zip that is handed in as `entry`; `Unreadable` where it is none, or too large."""
    data = entry.read(LARGEST_ZIP)
    if len(data) > LARGEST_ZIP:
        raise Unreadable(f"it is larger than {LARGEST_ZIP // 1_000_000} MB")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as problem:  # a damaged directory has several kinds of error
        raise Unreadable("it is a damaged zip") from problem
    with archive:
        yield archive


Opener = Callable[[], AbstractContextManager[zipfile.ZipFile]]


def _entries_of_zip(archive: zipfile.ZipFile, opened: Opener) -> Iterator[_Entry]:
    """What is in `archive`, to be read later from what `opened` gives."""
    for info in archive.infolist():
        name = info.filename.replace("\\", "/")
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        is_link = stat.S_ISLNK(info.external_attr >> 16)
        if parts and not is_link and not name.startswith("/") and ".." not in parts:
            yield _Entry(parts, info.is_dir(), (_modified(info),), _zip_reader(opened, info))


def _modified(info: zipfile.ZipInfo) -> float:
    """The file's time in seconds since 1970: by the clock of the world where the zip has that, else taken as local time."""
    extra = info.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == _WORLD_TIME and size >= 5 and len(extra) >= 9 and extra[4] & 1:
            return float(struct.unpack_from("<i", extra, 5)[0])
        extra = extra[4 + size :]
    try:
        return datetime(*info.date_time).timestamp()
    except (ValueError, OverflowError, OSError):  # the parts may be nonsense, which a calendar refuses
        return 0.0


def _zip_reader(opened: Opener, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        try:
            with opened() as archive, archive.open(info) as file:
                return file.read(most + 1)  # what is read, not what the header claims
        except (RuntimeError, NotImplementedError) as problem:
            raise Unreadable("it is encrypted or packed in a way that is not supported") from problem
        except Exception as problem:  # each way of packing has its own error for damage
            raise Unreadable("it is damaged inside the zip") from problem

    return read


def _is_wanted(parts: tuple[str, ...]) -> bool:
    return not any(part.startswith(".") or part in _NOT_SUBMITTED for part in parts)


def _without_wrapper(entries: list[_Entry], container: Path, known: set[str]) -> tuple[list[_Entry], str]:
    """The entries below the one folder that holds all students, if there is one (nbgrader's, or the one that zips add), and
    the name of what holds them."""
    tops = {entry.parts[0] for entry in entries}
    if _NBGRADER in tops:
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
    if _NBGRADER in {entry.parts[0] for entry in inside}:
        return _below(inside, _NBGRADER), _NBGRADER
    return inside, top


def _is_class(entries: list[_Entry], known: set[str]) -> bool:
    """Whether these are several students' folders rather than one student's: two hold a notebook of the same name."""
    folders: dict[str, set[str]] = {}
    for entry in entries:
        if entry.is_notebook and entry.stem in known and len(entry.parts) > 1:
            folders.setdefault(entry.stem, set()).add(entry.parts[0])
    # The course's own folders share names too: that is one student's whole course.
    return any(len(tops - _COURSE_FOLDERS) > 1 for tops in folders.values())


def _below(entries: list[_Entry], top: str) -> list[_Entry]:
    return [
        replace(entry, parts=entry.parts[1:]) for entry in entries if entry.parts[0] == top and len(entry.parts) > 1
    ]


# ---- names ----------------------------------------------------------------------------------------------------------


def _owners(entries: list[_Entry], holder: str, known: set[str]) -> dict[str, tuple[str, Name | None]]:
    """For the name of each file and folder beside the students': whose it is, and what a platform says by it."""
    tops = {entry.parts[0]: entry.is_top_file or entry.parts[0].lower().endswith(".zip") for entry in entries}
    reader = names.convention(tops)
    prefix = holder.removesuffix("submissions") if holder.endswith("-submissions") else ""
    if not all(top.startswith(prefix) for top in tops):
        prefix = ""
    whose: dict[str, tuple[str, Name | None]] = {}
    for top, is_file in tops.items():
        name = reader(top)
        student = name.student if name else _named_by(PurePosixPath(top).stem, known) if is_file else top
        whose[top] = _printable(student if name else student.removeprefix(prefix)), name
    return _told_apart(whose)


def _told_apart(whose: dict[str, tuple[str, Name | None]]) -> dict[str, tuple[str, Name | None]]:
    """`whose` with the platform's number beside a name that several students share."""
    ids: dict[str, set[str]] = {}
    for student, name in whose.values():
        ids.setdefault(student, set()).update({name.id} if name and name.id else ())
    return {
        top: (f"{student} ({name.id})" if name and name.id and len(ids[student]) > 1 else student, name)
        for top, (student, name) in whose.items()
    }


def _stamps(entries: list[_Entry]) -> dict[tuple[str, ...], datetime]:
    """nbgrader's own record of when an assignment came in, by (student, assignment): `timestamp.txt`."""
    stamps: dict[tuple[str, ...], datetime] = {}
    for entry in entries:
        if entry.parts[2:] == ("timestamp.txt",) and not entry.is_folder:
            try:
                stamps[entry.parts[:2]] = _local_time(entry.read(100).decode())
            except (Unreadable, ValueError, OSError, KeyError):
                continue
    return stamps


def _local_time(text: str) -> datetime:
    day, clock, *zone = text.split()
    time = datetime.fromisoformat(f"{day} {clock}")
    if zone:
        time = time.replace(tzinfo=UTC if zone[0] == "UTC" else ZoneInfo(zone[0]))
    return time.astimezone().replace(tzinfo=None)


def _time(entry: _Entry) -> datetime | None:
    """When the file came: of the outermost zip's date, since what is in a student's own zip says what the student likes."""
    if not entry.modified or entry.modified[0] < _NO_TIME:
        return None
    try:
        return datetime.fromtimestamp(entry.modified[0]).replace(microsecond=0)
    except (ValueError, OverflowError, OSError):  # a file may say that it is of the year 60,000
        return None


def _named_by(stem: str, known: set[str]) -> str:
    """The student that a file's name names: `alice`, or `alice_09_custom_functions` without the assignment."""
    for name in sorted(known, key=len, reverse=True):
        before, found, after = stem.partition(name)
        rest = " ".join(filter(None, (part.strip(" _-.") for part in (before, after))))
        if found and rest:
            return rest
    return stem


def _printable(name: str) -> str:
    """`name` fit for a terminal and a file: one form of accents, nothing that a terminal would obey."""
    name = unicodedata.normalize("NFC", name)
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 1] + "…"
    return "".join(letter if letter.isprintable() else "?" for letter in name).strip() or "?"


# ---- what is inside ---------------------------------------------------------------------------------------------------


def _read(entry: _Entry, assignments: Sequence[Assignment], most: int) -> tuple[_Notebook, int]:
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
        return _Notebook(entry, by_name, {}, str(problem)), size
    if assignment is None and by_name:
        assignment, answers = by_name, _answers([], by_name)
    return _Notebook(entry, assignment, answers), size


def _code_cells(data: bytes) -> list[dict[str, Any]]:
    if len(data) > LARGEST_NOTEBOOK:
        raise Unreadable(f"it is larger than {LARGEST_NOTEBOOK // 1_000_000} MB")
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise Unreadable("it is not valid JSON") from problem
    if not isinstance(notebook, dict) or not isinstance(notebook.get("nbformat"), int):
        raise Unreadable("it is JSON, but not a notebook")
    if notebook["nbformat"] != 4:
        raise Unreadable("it is not in notebook format 4: open it in JupyterLab, save it and hand it in again")
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise Unreadable("it has no list of cells")
    return [cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]


def _answers(cells: list[dict[str, Any]], assignment: Assignment) -> dict[str, Answer]:
    stubs = assignment.stubs
    return {
        question.id: _answer(
            [cell for cell in cells if cell.get("id") == question.answer]
            or [cell for cell in cells if _grade_id(cell) == question.answer]
            or [cell for cell in cells if _metadata(cell).get("id") == question.answer],
            stubs[question.id],
        )
        for question in assignment.questions
    }


def _answer(candidates: list[dict[str, Any]], stub: str) -> Answer:
    """The one source among cells that claim the same exercise; untouched copies of the stub do not count against it."""
    if not candidates:
        return Answer(None, Status.MISSING, "its answer cell is not in the notebook")
    sources = {_source(cell) for cell in candidates}
    written = [source for source in sources if source is None or not is_untouched(source, stub)]
    if len(written) > 1:
        return Answer(None, Status.INVALID_NOTEBOOK, "two different cells answer it: keep one")
    source = written[0] if written else next(iter(sources))
    if source is None:
        return Answer(None, Status.INVALID_NOTEBOOK, "its answer cell holds no readable text")
    return Answer(source)


def is_untouched(source: str, stub: str) -> bool:
    """Whether nothing was written: the stub as handed out, or nothing but blank lines and comments.

    >>> is_untouched("# later\\n", stub="raise NotImplementedError")
    True
    """

    def lines(text: str) -> list[str]:
        return [line.rstrip() for line in text.strip().splitlines()]

    empty = all(re.fullmatch(r"\s*(#.*)?", line) for line in lines(source))
    return empty or lines(source) == lines(stub)


def _source(cell: dict[str, Any]) -> str | None:
    source = cell.get("source")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    try:
        return source if len(source.encode("utf-8")) <= LARGEST_ANSWER else None
    except UnicodeEncodeError:  # half of a surrogate pair: valid JSON, no text
        return None


def _metadata(cell: dict[str, Any]) -> dict[str, Any]:
    metadata = cell.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _grade_id(cell: dict[str, Any]) -> object:
    nbgrader = _metadata(cell).get("nbgrader")
    return nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None


def _given(answers: dict[str, Answer]) -> int:
    return sum(answer.status is not Status.MISSING for answer in answers.values())


def _settle(submission: Submission, notebooks: list[_Notebook], assignments: Sequence[Assignment], keep: Keep) -> None:
    """Choose the notebook that counts for each assignment and note what was passed over, if it may be anybody's work."""
    for assignment in assignments:
        rivals = sorted((n for n in notebooks if n.assignment is assignment), key=lambda n: n.rank(keep))
        if not rivals:
            continue
        best = rivals.pop()
        submission.answers[assignment.name] = best.answers or {
            question.id: Answer(None, Status.INVALID_NOTEBOOK, f"{_path(best)}: {best.fault}")
            for question in assignment.questions
        }
        versions = [best.version]
        if keep is Keep.BEST:
            versions += [n.version for n in reversed(rivals) if not n.fault and n.is_written]
            rivals = [n for n in rivals if n.fault or not n.is_written]
        submission.versions[assignment.name] = versions
        submission.notes += [
            f"{_path(n)} passed over for {_path(best)}" + f" ({n.fault})" * bool(n.fault)
            for n in rivals
            if n.fault or _given(n.answers)
        ]
    for notebook in notebooks:
        if notebook.assignment is None and notebook.fault and not submission.answers:
            submission.fault = f"{_path(notebook)}: {notebook.fault}"
        elif notebook.assignment is None and (notebook.fault or not submission.answers):
            why = notebook.fault or "it has none of the exercises' cells"
            submission.notes.append(f"{_path(notebook)} not used: {why}")


def _path(notebook: _Notebook) -> str:
    return _printable("/".join(notebook.entry.parts))


def _some(words: list[str], most: int) -> str:
    return ", ".join(words[:most]) + ", ..." * (len(words) > most)
