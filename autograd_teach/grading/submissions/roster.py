"""Reads the roster of a class from a CSV file, and matches submissions to it.

Any CSV with a line of column names works: Moodle's grading worksheet, Canvas's gradebook, GitHub Classroom's roster, or one
typed by hand. Columns are recognised by their names, students by the values in any of these columns.

Standard library only, except for the submissions. Must not know what an answer is worth.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...course.errors import UserError
from .intake import Submission

_FULL_NAMES = ("student", "name", "full name", "fullname", "student name", "vollständiger name")
_FIRST_NAMES = ("first name", "firstname", "given name", "forename", "vorname")
_LAST_NAMES = ("last name", "lastname", "surname", "family name", "nachname")
_IDS = (
    "id", "identifier", "student id", "user id", "id number", "username", "user name", "login", "login id", "sis login id",
    "sis user id", "email", "e-mail", "email address", "github", "github username", "github_username",
    "anmeldename", "e-mail-adresse", "id-nummer",
)  # fmt: skip
UNDERSTOOD = "name, first name and last name, email, id, id number or login"
_NUMBERED = ("id", "identifier", "user id")  # the platform's own number, which is also in the file names of its exports
_KEPT = re.compile(r"section|\d\d[._].+ \(\d+\)")  # Canvas's section, and its columns of our assignments
_NOT_STUDENTS = {"pointspossible", "studenttest"}  # lines of Canvas's gradebook that are not students
_LARGEST = 10_000_000
_LONGEST = 400
"""Characters of a cell that are looked at: the forms of a name, and a run of accents, take quadratic time."""
STRANGER = "not on the roster"


@dataclass(frozen=True)
class Row:
    """One student of the roster."""

    name: str
    columns: dict[str, str]  # the identifying columns, by their names in the file
    exact: frozenset[str]
    keys: frozenset[str]
    numbers: frozenset[str]


def read(path: Path) -> list[Row]:
    """The students of the CSV file `path`. Raises `UserError` if it is not a usable roster."""
    lines = _lines(path)
    header = [" ".join(name.casefold().split()) for name in lines[0]]
    full, first, last = (_first(header, names) for names in (_FULL_NAMES, _FIRST_NAMES, _LAST_NAMES))
    ids = [column for column, name in enumerate(header) if name in _IDS]
    names_given = full is not None or last is not None
    if not names_given and not ids:
        raise UserError(f"The first line of {path} does not name a column that identifies students; use {UNDERSTOOD}.")
    shown = [*ids, *(column for column, name in enumerate(header) if _KEPT.fullmatch(name))]
    rows: list[Row] = []
    for number, line in enumerate(lines[1:], start=2):
        cells = [*line, *[""] * (len(header) - len(line))]
        names = [cells[full]] if full is not None else []
        if last is not None:
            given = cells[first] if first is not None else ""
            names.append(f"{given} {cells[last]}".strip())
        name = next(filter(None, [*names, *(cells[column] for column in ids)]), "")
        if not _key(name):
            if any(map(_key, cells)):
                raise UserError(f"Line {number} of {path} does not name a student; fill it in or delete it.")
            continue
        if _key(name) in _NOT_STUDENTS:
            continue
        values = [value for value in [*names, *(cells[column] for column in ids)] if value]
        numbers = {_digits(cells[column]) for column in ids if header[column] in _NUMBERED} - {""}
        columns = {lines[0][column]: cells[column] for column in shown}
        keys = frozenset(key for value in values for key in _keys(value))
        rows.append(Row(name, columns, frozenset(values), keys, frozenset(numbers)))
    if not rows:
        raise UserError(f"{path} does not name any students; add one line for each below the column names.")
    return _distinct(rows, path)


def compare(
    class_: Sequence[Submission], rows: Sequence[Row], merge: Callable[[list[Submission]], Submission]
) -> tuple[list[Submission], list[str]]:
    """The class in the roster's order, then students who are not on it; and the names of the latter.

    Students without a submission get one without answers. Submissions under several names of one student are combined by
    `merge`.
    """
    found: dict[int, list[Submission]] = {number: [] for number in range(len(rows))}
    strangers: list[Submission] = []
    by_key = _by(row.keys for row in rows)
    by_number = _by(row.numbers for row in rows)
    for submission in class_:
        alike = by_key.get(_key(submission.student), set()), by_number.get(submission.id, set())
        candidates = _candidates(submission, rows, *alike)
        if len(candidates) == 1:
            found[candidates[0]].append(submission)
            continue
        why = "it may be any of " + " and ".join(rows[n].name for n in candidates[:3]) if candidates else ""
        strangers.append(replace(submission, notes=[f"{STRANGER}{': ' * bool(why)}{why}", *submission.notes]))
    ours = [
        replace(merge(found[n]) if found[n] else Submission(row.name), student=row.name, columns=dict(row.columns))
        for n, row in enumerate(rows)
    ]
    return [*ours, *strangers], [stranger.student for stranger in strangers]


def _by(words: Iterable[frozenset[str]]) -> dict[str, set[int]]:
    """The numbers of the rows that have each word, except ""."""
    found: dict[str, set[int]] = {}
    for number, of_row in enumerate(words):
        for word in of_row - {""}:
            found.setdefault(word, set()).add(number)
    return found


def _candidates(submission: Submission, rows: Sequence[Row], by_name: set[int], by_number: set[int]) -> list[int]:
    """The numbers of the rows that match: by name and the platform's number, else by name, else by number.

    An id on the roster may not be the platform's number, so a different id alone does not exclude a row.
    """
    candidates = sorted(by_name & by_number or by_name or by_number)
    exact = [n for n in candidates if submission.student in rows[n].exact]
    return exact if len(candidates) > 1 and exact else candidates


def _lines(path: Path) -> list[list[str]]:
    """The file's lines as lists of stripped cells. The first line shows the separator: comma, semicolon or tab."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as problem:
        raise UserError(f"The roster {path} cannot be read ({problem.strerror}).") from problem
    if len(data) > _LARGEST:
        raise UserError(f"{path} is larger than {_LARGEST // 1_000_000} MB; give the roster of one class.")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8 text; save it from the spreadsheet as “CSV UTF-8”.") from problem
    first = text.lstrip().partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        lines = [[cell.strip() for cell in line] for line in csv.reader(io.StringIO(text), delimiter=delimiter)]
    except csv.Error as problem:
        raise UserError(f"{path} is not a CSV file ({problem}); save it from the spreadsheet as CSV.") from problem
    lines = [line for line in lines if any(line)]
    if not lines:
        raise UserError(f"{path} is empty; a roster has a line of column names and one line for each student.")
    return lines


def _distinct(rows: list[Row], path: Path) -> list[Row]:
    """`rows`, with an id added to names that two share. Raises `UserError` if that does not distinguish them."""
    shared = Counter(row.name for row in rows)
    told = [
        row if shared[row.name] == 1 else replace(row, name=f"{row.name} ({next(iter(row.columns.values()), '')})")
        for row in rows
    ]
    seen: set[str] = set()
    for row in told:
        if row.name in seen:
            raise UserError(
                f"{path} names {row.name.removesuffix(' ()')} twice; add an id or email column that differs."
            )
        seen.add(row.name)
    return told


def _first(header: list[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _keys(value: str) -> Iterator[str]:
    """The forms in which `value` may be found: "Ada Lovelace" as "Lovelace, Ada" or "lovelaceada", an email by its user."""
    value = value[:_LONGEST]
    yield _key(value)
    words = value.replace(",", " , ").split()
    if "," in words:
        comma = words.index(",")
        words = words[comma + 1 :] + words[:comma]
    for cut in range(len(words)):
        yield _key("".join(words[cut:] + words[:cut]))
    user, at, host = value.partition("@")
    if at and "." in host:
        yield _key(user)


def _key(text: str) -> str:
    """Only the letters and digits of `text`, without accents and case: platforms drop different other characters."""
    plain = unicodedata.normalize("NFKD", text[:_LONGEST])
    return "".join(letter for letter in plain if letter.isalnum()).casefold()


def _digits(text: str) -> str:
    """The number in Moodle's "Participant 12345" or "Teilnehmer/in12345"."""
    match = re.fullmatch(r"(?:.*(?:\s|/in))?(\d+)", text[-_LONGEST:], re.DOTALL)
    return match[1] if match else ""
