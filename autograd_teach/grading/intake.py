"""From a folder or a zip of submissions to the source of each student's answers. Runs nothing, unpacks nothing to disk.

Of a submitted notebook only the *source* of its answer cells is taken, found by cell id or else by nbgrader's `grade_id`
(a front end that drops ids keeps that). Outputs, tags, metadata, kernel names, check cells and everything else stay
behind, so their faults do not matter: what is validated is what is taken. Whatever else a file can be (broken, huge, a
link, a zip bomb) ends in a named status, not in an exception.

Understood are `alice.ipynb` (the file's name names the student, without the assignment's name if that is part of it),
`alice/any/where/name.ipynb`, nbgrader's `submitted/alice/assignment/name.ipynb`, a zip of any of them, and zips among
them: `alice.zip` is read like the folder `alice`. A renamed notebook is recognised by its cells. Symbolic links, hidden
files and names with `..` are passed over; what of that lies where students' work is looked for is said.
"""

import io
import json
import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ..course.errors import UserError
from .rebuild import Assignment, Question
from .results import Status

LARGEST_NOTEBOOK = 20_000_000
LARGEST_ANSWER = 200_000
LARGEST_ZIP = 50_000_000
"""Bytes. A notebook with many pictures has a few million; an answer typed by hand a few thousand. The zip is one that is
handed in, not the one that holds the class."""

MOST_FILES = 5_000
"""In one zip that is handed in."""

DEEPEST_FOLDER = 10

_NOT_SUBMITTED = {"__MACOSX", "__pycache__"}
_COURSE_FOLDERS = {"lessons", "exercises"}


@dataclass(frozen=True)
class Answer:
    """The source that a student gave for one exercise, or the status that says why there is none."""

    source: str | None
    status: Status | None = None
    detail: str = ""


@dataclass
class Submission:
    """One student's answers, by assignment name and exercise id."""

    student: str
    answers: dict[str, dict[str, Answer]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fault: str = ""  # of a file that might have been any of the assignments

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


@dataclass(frozen=True)
class _Notebook:
    """One file after reading: which assignment it is (if that can be told) and its answers or its fault."""

    entry: _Entry
    assignment: Assignment | None
    answers: dict[str, Answer]
    fault: str = ""

    @property
    def rank(self) -> tuple[bool, bool, bool, tuple[float, ...]]:
        """Of several notebooks for one assignment that counts in which something is written, then the readable one, then
        the one with its name, then the newest: a lesson of that name, or a fresh download, hides nobody's work."""
        named = self.assignment is not None and self.entry.stem == self.assignment.name
        return self._is_written, not self.fault, named, self.entry.modified

    @property
    def _is_written(self) -> bool:
        stubs = self.assignment.stubs if self.assignment else {}
        return any(
            answer.status is not Status.MISSING and not (answer.source and is_untouched(answer.source, stubs[id]))
            for id, answer in self.answers.items()
        )


def take_in(
    submissions: Path, assignments: Sequence[Assignment], say: Callable[[str], object] = lambda _: None
) -> list[Submission]:
    """All students found in `submissions` (a folder or a zip), by name; a `UserError` where there are none.

    What lies beside the students and is nobody's is told to `say`, in one sentence.
    """
    known = {assignment.name for assignment in assignments}
    with _opened(submissions) as found:
        entries = _without_wrapper([e for e in found if _is_wanted(e.parts)], submissions, known)
        taken: dict[str, Submission] = {}
        notebooks: dict[str, list[_Notebook]] = {}
        others: dict[str, list[str]] = {}
        strays: list[str] = []
        for entry in sorted(entries, key=lambda entry: entry.parts):
            is_stray = len(entry.parts) == 1 and not (entry.is_notebook or entry.is_zip or entry.is_folder)
            if is_stray or (len(entry.parts) == 1 and entry.fault == _LINK):
                strays.append(_printable(entry.parts[0]) + " (a symbolic link)" * bool(entry.fault))
                continue
            name = _student(entry, known)
            taken.setdefault(name, Submission(name))
            if entry.is_notebook or entry.fault:
                notebooks.setdefault(name, []).append(_read(entry, assignments))
            elif not entry.is_folder:
                others.setdefault(name, []).append(_printable(entry.parts[-1]))
    if not taken:
        raise UserError(
            f"{submissions} holds no notebooks (.ipynb) and no students' folders; name the folder or zip that does."
        )
    if strays:
        say(f"Passed over, as no student's work can be read from it: {', '.join(strays)}")
    for name, submission in taken.items():
        if name not in notebooks:
            submission.notes.append(_no_notebook(others.get(name, [])))
        _settle(submission, notebooks.get(name, []), assignments)
    return sorted(taken.values(), key=lambda submission: submission.student.casefold())


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
        if child.is_symlink():
            yield _Entry(parts, is_folder=False, fault=_LINK)
        elif child.is_dir(follow_symlinks=False):
            yield _Entry(parts, is_folder=True)
            if len(parts) < DEEPEST_FOLDER:
                yield from _entries_of_folder(Path(child.path), parts)
        elif child.is_file(follow_symlinks=False):
            modified = child.stat(follow_symlinks=False).st_mtime
            yield _Entry(parts, False, (modified,), _file_reader(Path(child.path)))


def _file_reader(path: Path) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        try:
            with path.open("rb") as file:
                return file.read(most + 1)
        except OSError as problem:
            raise Unreadable(f"it cannot be read: {problem.strerror}") from problem

    return read


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
            yield _Entry(parts, info.is_dir(), (_sortable(info.date_time),), _zip_reader(opened, info))


def _sortable(date_time: tuple[int, int, int, int, int, int]) -> float:
    """A zip's date as a number that sorts; its parts may be nonsense, which a calendar would refuse."""
    return float("".join(f"{part:02d}" for part in date_time))


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


def _without_wrapper(entries: list[_Entry], container: Path, known: set[str]) -> list[_Entry]:
    """The entries below the one folder that holds all students, if there is one: nbgrader's, or the one that zips add."""
    tops = {entry.parts[0] for entry in entries}
    if "submitted" in tops:
        return _below(entries, "submitted")
    if len(tops) != 1:
        return entries
    (top,) = tops
    inside = _below(entries, top)
    names = {entry.stem for entry in inside if entry.is_notebook and len(entry.parts) == 1}
    several = len(names) > 1 or _is_class(inside, known)
    wraps = (top == container.stem or several) and not names & known
    return inside if inside and wraps else entries


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


def _student(entry: _Entry, known: set[str]) -> str:
    """Whose `entry` is: the first folder's name, or what a file's or zip's name says."""
    top = entry.parts[0]
    is_file = len(entry.parts) == 1 and not entry.is_folder
    return _printable(_named_by(PurePosixPath(top).stem, known) if is_file or top.lower().endswith(".zip") else top)


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
    return "".join(letter if letter.isprintable() else "?" for letter in name).strip() or "?"


# ---- what is inside ---------------------------------------------------------------------------------------------------


def _read(entry: _Entry, assignments: Sequence[Assignment]) -> _Notebook:
    by_name = next((a for a in assignments if a.name in entry.stem), None)
    try:
        if entry.fault:
            raise Unreadable(entry.fault)
        assignment, answers = read_answers(entry.read(LARGEST_NOTEBOOK), assignments)
    except Unreadable as problem:
        return _Notebook(entry, by_name, {}, str(problem))
    if assignment is None and by_name:
        assignment, answers = by_name, _answers([], by_name)
    return _Notebook(entry, assignment, answers)


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
            or [cell for cell in cells if _grade_id(cell) == question.answer],
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


def _grade_id(cell: dict[str, Any]) -> object:
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None


def _given(answers: dict[str, Answer]) -> int:
    return sum(answer.status is not Status.MISSING for answer in answers.values())


def _settle(submission: Submission, notebooks: list[_Notebook], assignments: Sequence[Assignment]) -> None:
    """Choose the notebook that counts for each assignment and note what was passed over, if it may be anybody's work."""
    for assignment in assignments:
        rivals = sorted((n for n in notebooks if n.assignment is assignment), key=lambda n: n.rank)
        if not rivals:
            continue
        best = rivals.pop()
        submission.answers[assignment.name] = best.answers or {
            question.id: Answer(None, Status.INVALID_NOTEBOOK, f"{_path(best)}: {best.fault}")
            for question in assignment.questions
        }
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


def _no_notebook(others: list[str], most: int = 3) -> str:
    named = ", ".join(others[:most]) + ", ..." * (len(others) > most)
    return f"the folder holds no notebook, but {named}" if named else "the folder is empty"
