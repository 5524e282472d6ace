"""The gradebook: every mark with its evidence, in one SQLite file beside the reports. Grades are never changed or deleted.

Each student whose answers were run is one transaction, written to disk before it is reported. If a run is killed or the disk is
full, the gradebook stays consistent, with everything up to that point. The newest mark of a student in an exercise counts; older
ones are kept. The answers are stored too, so a grade can be explained and reproduced without the original files. Each mark
has a checksum of its row: a row changed by hand or by a bad disk is not trusted. (The checksum is not a signature: anyone
can compute it.) Adjustments and comments have a table of their own (remarks.py), and so do the trials of the references.

One grader at a time holds the lock, a file beside the gradebook. The system releases it when the grader ends, however it
ends. Readers do not need the lock. May use results. Must not know how a mark was made.
"""

import json
import os
import platform
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from ...course.errors import UserError
from ..results import Mark, Status, hash_of

FILE_NAME = "gradebook.sqlite"
LOCK_NAME = "gradebook.lock"
SCHEMA_VERSION = 3
T = TypeVar("T")
_APPLICATION = 0x61677462
"""SQLite's application_id, which distinguishes a gradebook from other SQLite files."""

_DRESSINGS = """
CREATE TABLE dressings (        -- what a report adds to the grades of one class
    hash TEXT PRIMARY KEY,      -- SHA-256 of the text
    text TEXT NOT NULL          -- JSON: `Dressing`
) WITHOUT ROWID"""
_REMARKS = """
CREATE TABLE remarks (          -- what a person added
    id INTEGER PRIMARY KEY,
    remark TEXT NOT NULL,       -- JSON: `Remark`
    checksum TEXT NOT NULL
)"""
_TRIALS = """
CREATE TABLE trials (           -- of the references, which have to pass before anybody is graded
    basis TEXT PRIMARY KEY,     -- the hash of all that it rests on
    marks TEXT NOT NULL,        -- JSON: the references' marks by exercise
    checksum TEXT NOT NULL
) WITHOUT ROWID"""
_SCHEMA = f"""{_DRESSINGS};{_REMARKS};{_TRIALS};
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    ended TEXT,                 -- NULL: still running, or killed
    machine TEXT NOT NULL,
    process INTEGER NOT NULL,
    course TEXT NOT NULL,
    versions TEXT NOT NULL,     -- JSON: of Python, NumPy and so on
    limits TEXT NOT NULL,       -- JSON
    dressing TEXT REFERENCES dressings (hash)   -- NULL: of a book that was made before there were any
);
CREATE TABLE answers (
    hash TEXT PRIMARY KEY,      -- SHA-256 of the text
    text TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE gradings (         -- one student, once
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id),
    student TEXT NOT NULL,
    graded TEXT NOT NULL,
    note TEXT NOT NULL
);
CREATE TABLE marks (
    grading INTEGER NOT NULL REFERENCES gradings (id),
    exercise TEXT NOT NULL,
    notebook TEXT NOT NULL,
    status TEXT NOT NULL,
    points REAL NOT NULL,
    maximum REAL NOT NULL,
    judge TEXT NOT NULL,
    isolation TEXT NOT NULL,
    seconds REAL NOT NULL,
    answer TEXT REFERENCES answers (hash),
    mark TEXT NOT NULL,         -- JSON: the whole mark, with whatever else its judge noted
    basis TEXT NOT NULL,        -- JSON: what it rests on (standing.py)
    checksum TEXT NOT NULL,     -- of this row, with its student's `gradings`
    PRIMARY KEY (grading, exercise)
) WITHOUT ROWID;
CREATE INDEX gradings_of_student ON gradings (student, id);
"""
_TO_VERSION = {
    2: (_DRESSINGS, "ALTER TABLE runs ADD COLUMN dressing TEXT REFERENCES dressings (hash)"),
    3: (_REMARKS, _TRIALS, "ALTER TABLE marks ADD COLUMN checksum TEXT NOT NULL DEFAULT ''"),
}
"""Migrations: the statements that bring a gradebook from the previous version to this one, without losing data."""

_CHECKED = 3
"""The first schema version with checksums. Marks of older gradebooks get theirs on migration."""

_SIGNED = (
    "student, exercise, notebook, status, points, maximum, judge, isolation, seconds, ifnull(answer, ''), mark, basis, note,"
    " graded, run"
)
"""The columns that a mark's checksum covers, in the order of `_checksum`'s arguments."""

_COLUMNS = (
    "grading, exercise, notebook, status, points, maximum, judge, isolation, seconds, answer, mark, basis, checksum"
)
_NOT_BELIEVED = "its row in the gradebook is not as the grader wrote it"

Say = Callable[[str], object]


@dataclass(frozen=True)
class Basis:
    """Everything that a mark depends on, as hashes or names. If none of it changed, nothing has to run again."""

    answers: str  # all answers of the student in this notebook
    exercise: str
    course: str
    judge: str
    isolation: str
    limits: str
    versions: str = ""  # if the best of several notebooks counts: all of them, and their judge


@dataclass(frozen=True)
class Dressing:
    """What reports add to the grades: extra columns by student, in the order of the report, and the total of the points."""

    columns: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    points: float | None = None  # None: the sum of the exercises' own points
    maxima: Mapping[str, float] = field(default_factory=dict)  # the points of each exercise in this report
    late: Mapping[str, str] = field(default_factory=dict)  # lateness.py's rule, if there is one
    roster: str = ""  # the roster's path, if there is one


@dataclass(frozen=True)
class Remark:
    """One remark of a person: points for a mark, a comment, or the withdrawal of earlier ones of that kind."""

    student: str
    exercise: str  # "": the student as a whole
    kind: Literal["points", "comment"]
    because: str  # the reason, or the comment itself
    by: str
    when: str = ""  # in UTC
    points: float | None = None
    maximum: float = 0.0
    withdrawn: bool = False
    signed: bool = False  # whether the student is told who: `by` was given


@dataclass(frozen=True)
class Judged:
    """A mark as stored in the gradebook."""

    student: str
    notebook: str
    mark: Mark
    basis: Basis
    answer: str = ""  # the hash of the answer, even if it was not run
    note: str = ""
    graded: str = ""  # when, in UTC
    run: int = 0
    is_sound: bool = True  # whether its row is as the grader wrote it


@dataclass(frozen=True)
class Run:
    """One run of the grader."""

    started: str
    ended: str
    machine: str
    process: int
    course: str
    versions: Mapping[str, str]
    limits: Mapping[str, float]


class Gradebook:
    """An open gradebook; `writing` and `reading` open one."""

    def __init__(self, path: Path, connection: sqlite3.Connection, version: int = SCHEMA_VERSION) -> None:
        self.path, self._connection, self._version = path, connection, version
        connection.text_factory = _text
        self._run = 0

    def begin(
        self, course: str, versions: Mapping[str, str], limits: Mapping[str, float], dressing: Dressing | None = None
    ) -> None:
        """Record the start of a run. Marks added after this belong to it."""
        words = (_now(), platform.node(), os.getpid(), course, json.dumps(dict(versions)), json.dumps(dict(limits)))
        columns = "started, machine, process, course, versions, limits, dressing"
        with self._transaction() as book:
            row = (*words, _kept(book, dressing or Dressing()))
            self._run = book.execute(f"INSERT INTO runs ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row).lastrowid or 0

    def dressing(self) -> Dressing:
        """The dressing of the last report, plus columns of students who are only in earlier reports."""
        columns: dict[str, Sequence[tuple[str, str]]] = {}
        newest: Dressing | None = None
        query = "SELECT dressing, ifnull(text, '') FROM runs LEFT JOIN dressings ON dressing = hash"
        for hash, text in self._found(f"{query} WHERE dressing NOT NULL GROUP BY dressing ORDER BY max(id) DESC"):
            if hash_of(text) != hash:
                raise self._changed("What a report adds to the grades")
            stored = json.loads(text)
            pairs = {student: [(name, value) for name, value in each] for student, each in stored["columns"].items()}
            newest = newest or known_fields(Dressing, {**stored, "columns": pairs})
            columns |= {student: each for student, each in pairs.items() if student not in columns}
        return replace(newest, columns=columns) if newest else Dressing()

    def end(self, dressing: Dressing | None = None) -> None:
        """Record the end of the run and the final dressing of its report."""
        with self._transaction() as book:
            if dressing:
                book.execute("UPDATE runs SET dressing = ? WHERE id = ?", (_kept(book, dressing), self._run))
            book.execute("UPDATE runs SET ended = ? WHERE id = ?", (_now(), self._run))

    def add(self, student: str, note: str, judged: Sequence[Judged], answers: Mapping[str, str]) -> None:
        """Add one student's new marks in one transaction. `answers` (hash -> text) includes those of the marks."""
        now = _now()
        rows = [_row(replace(each, student=student, note=note, graded=now, run=self._run)) for each in judged]
        texts = {each.answer: answers[each.answer] for each in judged if each.answer}
        with self._transaction() as book:
            insert = "INSERT INTO gradings (run, student, graded, note) VALUES (?, ?, ?, ?)"
            grading = book.execute(insert, (self._run, student, now, note)).lastrowid
            book.executemany("INSERT OR REPLACE INTO answers (hash, text) VALUES (?, ?)", texts.items())
            insert = f"INSERT INTO marks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            book.executemany(insert, [(grading, *row) for row in rows])

    def remark(self, remark: Remark) -> None:
        """Add a person's remark, with the current time."""
        text = json.dumps(asdict(replace(remark, when=_now())))
        with self._transaction() as book:
            book.execute("INSERT INTO remarks (remark, checksum) VALUES (?, ?)", (text, _checksum(text)))

    def remarks(self) -> list[Remark]:
        """All remarks, the oldest first. Raises `UserError` if the checksum of one is wrong."""
        if self._version < _CHECKED:
            return []
        found = self._found("SELECT remark, checksum FROM remarks ORDER BY id")
        if any(_checksum(text) != checksum for text, checksum in found):
            raise self._changed("An adjustment or a comment")
        return [known_fields(Remark, json.loads(text)) for text, _ in found]

    def trial(self, basis: str) -> dict[str, Mark] | None:
        """The references' marks if they were tried on this basis, else None."""
        found = self._found("SELECT marks, checksum FROM trials WHERE basis = ?", basis)
        sound = [text for text, checksum in found if _checksum(basis, text) == checksum]
        return {id: _mark(each) for id, each in json.loads(sound[0]).items()} if sound else None

    def keep_trial(self, basis: str, marks: Mapping[str, Mark]) -> None:
        """Record that the references pass on this basis."""
        text = json.dumps({id: _as_text(mark) for id, mark in marks.items()})
        with self._transaction() as book:
            words = (basis, text, _checksum(basis, text))
            book.execute("INSERT OR REPLACE INTO trials (basis, marks, checksum) VALUES (?, ?, ?)", words)

    def current(self, say: Say | None = None) -> dict[str, dict[str, Judged]]:
        """The newest mark of every student in every exercise, by student and exercise.

        A mark with a wrong checksum is reported through `say` and is *not graded*; without `say`, raises `UserError`.
        """
        newest: dict[str, dict[str, Judged]] = {}
        for judged in self._marks("", ()):
            newest.setdefault(judged.student, {})[judged.mark.exercise] = judged
        for judged in (each for marks in newest.values() for each in marks.values()):
            if not judged.is_sound:
                sentence = (
                    f"The mark of {judged.student!r} in {judged.mark.exercise!r} in {self.path} is not as the grader wrote it: "
                    "it was changed by hand or by a bad disk. "
                )
                again = "Run the `grade` command again to judge the submission again"
                if say is None:
                    raise UserError(f"{sentence}{again}, or restore a copy of the gradebook.")
                say(f"{sentence}The submission is judged again.")
        return newest

    def judges(self) -> set[str]:
        """The names of all judges that gave a mark in this gradebook."""
        return {judge for (judge,) in self._found("SELECT DISTINCT judge FROM marks WHERE judge != ''")}

    def has_records(self) -> bool:
        """Whether any mark has nbval's record."""
        return any(judged.mark.recorded for marks in self.current().values() for judged in marks.values())

    def attempts(self) -> dict[tuple[str, str], int]:
        """How many different answers were judged, by student and exercise."""
        query = "SELECT student, exercise, count(DISTINCT answer) FROM marks JOIN gradings ON grading = id"
        rows = self._found(f"{query} WHERE judge != '' GROUP BY student, exercise")
        return {(student, exercise): count for student, exercise, count in rows}

    def history(self, student: str, exercise: str) -> list[Judged]:
        """All marks of one student in one exercise, the oldest first."""
        return list(self._marks("WHERE student = ? AND exercise = ?", (student, exercise)))

    def answer(self, hash: str) -> str:
        """The text of an answer, by its hash; "" if the gradebook does not have it or its text does not match."""
        found = self._found("SELECT text FROM answers WHERE hash = ?", hash)
        return next((str(text) for (text,) in found if hash_of(text) == hash), "")

    def run(self, number: int | None = None) -> Run | None:
        """The run with this number; the default is the last one."""
        which, values = ("WHERE id = ?", (number,)) if number is not None else ("ORDER BY id DESC LIMIT 1", ())
        columns = "started, ifnull(ended, ''), machine, process, course, versions, limits"
        found = self._found(f"SELECT {columns} FROM runs {which}", *values)
        try:
            return Run(*found[0][:-2], *map(json.loads, found[0][-2:])) if found else None
        except ValueError as problem:
            raise self._changed("What the last run noted about itself") from problem

    def _found(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with _told(self.path):
            return self._connection.execute(query, values).fetchall()

    def _marks(self, where: str, values: tuple[str, ...]) -> Iterator[Judged]:
        checksum = "checksum" if self._version >= _CHECKED else "NULL"
        query = f"SELECT {checksum}, {_SIGNED} FROM marks JOIN gradings ON grading = id {where} ORDER BY id"
        with _told(self.path):
            whole = {hash for hash, text in self._connection.execute("SELECT * FROM answers") if hash_of(text) == hash}
            answers = {""} | whole
            for checksum, *row in self._connection.execute(query, values):
                student, exercise, notebook, *_, maximum, _, _, _, answer, mark, basis, note, graded, run = row
                if checksum in (None, _checksum(*row)) and answer in answers:
                    known = known_fields(Basis, json.loads(basis))
                    yield Judged(student, notebook, _mark(mark), known, answer, note, graded, run)
                else:
                    doubtful = Mark(exercise, Status.NOT_GRADED, maximum, _NOT_BELIEVED)
                    yield Judged(student, notebook, doubtful, Basis(*[""] * 6), graded=graded, is_sound=False)

    def _changed(self, what: str) -> UserError:
        return UserError(
            f"{what} in {self.path} is not as it was written: it was changed by hand or by a bad disk. Restore a copy of the gradebook."
        )

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """A context whose additions are one transaction. For students who do not need a run: to read them again costs little."""
        with self._transaction():
            yield

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._connection.in_transaction:  # within `at_once`
            yield self._connection
            return
        with _told(self.path), self._connection as book:  # commits, or rolls back
            book.execute("BEGIN IMMEDIATE")
            yield book


@contextmanager
def writing(folder: Path) -> Iterator[Gradebook]:
    """Open the gradebook in `folder` for one grader; it is created if there is none.

    Raises `UserError` if another grader has it open, if it cannot be written, or if the file is not a gradebook.
    """
    path = folder / FILE_NAME
    with _locked(path), _told(path), closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as connection:
        is_new = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        version = 0 if is_new else _refuse_unfit(connection, path)  # before writing anything
        if is_new:
            connection.execute("PRAGMA journal_mode = WAL")  # stored in the file
        connection.execute("PRAGMA synchronous = FULL")  # a grade that was shown survives a power cut
        connection.execute("PRAGMA foreign_keys = ON")
        _bring_up(connection, version)
        yield Gradebook(path, connection)


@contextmanager
def reading(folder: Path) -> Iterator[Gradebook]:
    """Open the gradebook in `folder` for reading, even during grading. Raises `UserError` if there is none."""
    path = folder / FILE_NAME
    if not path.is_file():
        raise UserError(f"There is no {path}; give its folder with --output, or run `autograd-teach grade` first.")
    # To read a WAL database that is not open elsewhere, SQLite creates two files beside it: not in a read-only folder.
    mode = "rw" if os.access(folder, os.W_OK) else "ro&immutable=1"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    with _told(path), closing(sqlite3.connect(address, uri=True, timeout=30)) as connection:
        connection.execute("PRAGMA query_only = ON")
        yield Gradebook(path, connection, _refuse_unfit(connection, path))


def _bring_up(connection: sqlite3.Connection, version: int) -> None:
    """Migrate a gradebook of schema `version` (0: a new one) to the current one, in one transaction."""
    if version == SCHEMA_VERSION:
        return
    added = [each for number, all in _TO_VERSION.items() if number > version for each in all]
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in added if version else _SCHEMA.split(";\n"):
            connection.execute(statement)
        if 0 < version < _CHECKED:
            rows = connection.execute(f"SELECT grading, {_SIGNED} FROM marks JOIN gradings ON grading = id").fetchall()
            words = [(_checksum(*row), grading, row[1]) for grading, *row in rows]
            connection.executemany("UPDATE marks SET checksum = ? WHERE grading = ? AND exercise = ?", words)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _refuse_unfit(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version of the file. Raises `UserError` if it is not a gradebook or is too new."""
    application, version = (connection.execute(f"PRAGMA {n}").fetchone()[0] for n in ("application_id", "user_version"))
    if application != _APPLICATION:
        raise UserError(
            f"{path} is not a gradebook of autograd-teach; move it away, or give another folder with --output."
        )
    if not 1 <= version <= SCHEMA_VERSION:
        raise UserError(
            f"{path} has schema version {version}, but this version of autograd-teach reads at most {SCHEMA_VERSION}; "
            "use the version that made it, or give another folder with --output."
        )
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    return int(version)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock on the gradebook: a lock on a second, empty database works on every system."""
    lock = path.with_name(LOCK_NAME)
    with _told(lock), closing(sqlite3.connect(lock, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem):
                raise
            raise UserError(
                f"Another grader has {path} open{_who(path)}; wait until it has finished, or give another folder with --output."
            ) from problem
        yield


def _who(path: Path) -> str:
    try:
        with reading(path.parent) as book:
            run = book.run()
    except UserError:  # it is just being created
        return ""
    return f" (process {run.process} on {run.machine}, since {run.started})" if run and not run.ended else ""


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a `UserError` that says what to do."""
    try:
        yield
    except sqlite3.Error as problem:
        code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
        is_refused = code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
        if is_refused and (why := _hindrance(path)):
            raise UserError(
                f"The gradebook in {path.parent} cannot be written ({why}): nothing in it was changed. Make it writable for you, "
                "or copy the folder to where you can write, and give the copy with --output."
            ) from problem
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT) or not code:
            advice = "it is damaged or not a gradebook. Nothing in it was changed; move it away, or restore a copy"
        else:
            advice = "every student graded so far is stored in it. Fix this and run the same command again to continue"
        raise UserError(f"The gradebook {path} cannot be used ({problem}): {advice}.") from problem


def _hindrance(path: Path) -> str:
    """Why the system does not let SQLite write `path` (SQLite does not say); "" if it does."""
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
        os.close(os.open(path, os.O_WRONLY))
    except (FileNotFoundError, IsADirectoryError):  # it is not there yet, or SQLite's words are clear
        return ""
    except OSError as problem:
        return problem.strerror or str(problem)
    return ""


def _text(data: bytes) -> str:
    """A stored text. Where a bad disk has left no UTF-8, it is not what was written, as its checksum shows."""
    return data.decode(errors="replace")


def _kept(book: sqlite3.Connection, dressing: Dressing) -> str:
    """Store `dressing` if it is new, and return its hash."""
    text = json.dumps(asdict(dressing))
    name = hash_of(text)
    book.execute("INSERT OR IGNORE INTO dressings (hash, text) VALUES (?, ?)", (name, text))
    return name


def _row(judged: Judged) -> tuple[Any, ...]:
    mark = judged.mark
    words = (mark.exercise, judged.notebook, str(mark.status), mark.points, mark.maximum, mark.judge, mark.isolation)
    whole = (_as_text(mark), json.dumps(asdict(judged.basis)))
    around = (judged.note, judged.graded, judged.run)
    checksum = _checksum(judged.student, *words, mark.seconds, judged.answer, *whole, *around)
    return (*words, mark.seconds, judged.answer or None, *whole, checksum)


def _checksum(*row: Any) -> str:
    """The checksum of a row's values, with numbers as SQLite returns them."""
    return hash_of(json.dumps([float(value) if isinstance(value, int) else value for value in row]))


def _as_text(mark: Mark) -> str:
    return json.dumps(asdict(mark), default=str)


def known_fields(kind: type[T], stored: Mapping[str, Any]) -> T:
    """A `kind` from stored fields. Fields that no longer exist are ignored; new ones get their defaults."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # a dataclass
    return kind(**{name: value for name, value in stored.items() if name in known})


def _mark(text: str) -> Mark:
    stored = {name: _hashable(value) for name, value in json.loads(text).items()}
    return known_fields(Mark, stored | {"status": Status(stored["status"])})


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
