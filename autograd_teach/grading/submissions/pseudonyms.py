"""Pseudonyms for students, and the key file that maps them to names.

They are random, so they cannot be resolved without that file. Students in the file keep their pseudonyms.
Must not know how anything is graded.
"""

import csv
import io
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

from ... import files
from ...course.errors import UserError
from ...plain import cell

_HEADER = ["pseudonym", "student"]
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without letters and digits that look alike
_PSEUDONYM = re.compile(r"S-\w+")


def of(students: Iterable[str], key: Path) -> dict[str, str]:
    """A pseudonym for each of `students`: from the file `key`, or a new one that is added to the file."""
    known = _read(key)
    taken = set(known.values())
    new = [student for student in students if student not in known]
    drawn = iter(lambda: "S-" + "".join(secrets.choice(_LETTERS) for _ in range(6)), None)
    for student in new:
        known[student] = next(pseudonym for pseudonym in drawn if pseudonym not in taken)
        taken.add(known[student])
    if new:
        _write(known, key)
    return known


def refuse_mixed(before: Iterable[str], now: Iterable[str], output: Path) -> None:
    """Raise `UserError` if one of gradebook and `now` has pseudonyms and the other names: students would be in it twice."""
    old, new = ({_PSEUDONYM.fullmatch(student) is not None for student in students} for students in (before, now))
    if old and new and not old & new:
        was, how = ("pseudonyms", "with the same") if True in old else ("names", "without")
        raise UserError(f"{output} has grades under {was}: grade {how} --anonymous, or give another --output.")


def _read(key: Path) -> dict[str, str]:
    try:
        lines = list(csv.reader(io.StringIO(key.read_text(encoding="utf-8-sig"), newline="")))
    except FileNotFoundError:
        return {}
    except OSError as problem:
        raise UserError(f"The pseudonyms in {key} cannot be read ({problem.strerror}).") from problem
    except (UnicodeDecodeError, csv.Error):
        lines = []
    pseudonyms = [line[0] for line in lines[1:] if len(line) == 2 and _PSEUDONYM.fullmatch(line[0])]
    if lines[:1] != [_HEADER] or len(set(pseudonyms)) != len(lines) - 1:
        raise UserError(f"{key} is not a file of pseudonyms that this command wrote; give another --anonymous.")
    return {_unescaped(student): pseudonym for pseudonym, student in lines[1:]}


def _write(known: dict[str, str], key: Path) -> None:
    text = files.as_csv([_HEADER, *((pseudonym, _escaped(student)) for student, pseudonym in known.items())])
    try:
        key.parent.mkdir(parents=True, exist_ok=True)
        files.replace(key, text.encode("utf-8-sig"))
        key.chmod(0o600)
    except OSError as problem:
        raise UserError(f"The pseudonyms could not be written to {key} ({problem.strerror}).") from problem


def _escaped(student: str) -> str:
    """`student`; if a spreadsheet might compute it, after an apostrophe, with all signs as numbers: `'%00003d1`."""
    if cell(student) == student == _unescaped(student):
        return student
    return "'" + re.sub(r"[^\w ]", lambda match: f"%{ord(match[0]):06x}", student)


def _unescaped(text: str) -> str:
    match = re.fullmatch(r"'(?=.*%)((?:[\w ]|%[0-9a-f]{6})*)", text)  # other texts, as in older files, are not escaped
    return re.sub("%(.{6})", lambda each: chr(int(each[1], 16)), match[1]) if match else text
