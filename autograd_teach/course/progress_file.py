"""The progress file beside the notebooks: which exercises passed, how often they were tried, which predictions were made.

Standard library only. Must not know the engine or the questions. The file is for the student, not for the grade: errors
here are silent, and a check never fails because of them. A damaged file is moved aside, never deleted. A file written by
a newer version of the course is read, but never written.
"""

import json
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import files
from .read_json import read_json

NAME = ".autograd_teach_progress.json"
SWITCH = "AUTOGRAD_TEACH_NO_PROGRESS"
"""Environment variable, set by the grader and by commands that run notebooks: then nothing is read or written on disk."""

VERSION = 2
"""1 had exercises only; 2 adds predictions."""

EXERCISES, PREDICTIONS = PARTS = ("exercises", "predictions")

DONT_KNOW = "?"
"""Stored in place of a letter for "I don't know" and, after other answers, for "Show the explanation"."""

Entry = dict[str, Any]
Part = dict[str, Entry]

# What this process knows of each file, to rebuild a lost or damaged one; and the entries that are not on disk yet.
_in_memory: dict[Path, dict[str, Part]] = {}
_unsaved: set[tuple[Path, str, str]] = set()


@dataclass
class _Stored:
    """The content of a file. sound: whether all of it could be read. newer: whether a later version wrote it."""

    parts: dict[str, Part]
    rest: dict[str, Any]
    sound: bool = True
    newer: bool = False


def entries(folder: Path | None = None) -> Part:
    """The entry of each exercise by its id: `passed`, `checks`, `attempted`, `when` (UTC, of the last check), `tries`, `hints`.

    Empty in a new folder.
    """
    return _known(_file(folder))[EXERCISES]


def predictions(folder: Path | None = None) -> Part:
    """The entry of each answered question by its id.

    `first` (a letter or `DONT_KNOW`), `right` (whether `first` is right) and `sure` (1 to 3, or None) describe the first
    answer, which counts. `last`, `tries` and `when` (UTC) describe the last one. `recall` holds the same for the last
    review that asked the question, and the `lesson` of that review.
    """
    return _known(_file(folder))[PREDICTIONS]


def is_newer(folder: Path | None = None) -> bool:
    """Whether a newer version of the course wrote the file, so it is not written any more."""
    return not _disabled() and _load(_file(folder)).newer


def note_check(
    id: str, passed: bool, passing: int, checks: int, attempted: bool, saved: datetime | None = None
) -> bool:
    """Store the outcome of a check; the last one counts. Returns whether it was stored.

    passing, checks: the numbers of passing checks and of all checks. saved: for a run over a whole notebook, the time at
    which its file was saved. Such a run does not count as a try, and does not replace a pass that was noted after that
    time by a worse outcome: what passed is a newer version of the answer, not saved yet.
    """
    stamp = _stamp(saved)
    stored = True

    def change(entry: Entry) -> Entry:
        nonlocal stored
        stored = passed or saved is None or entry.get("passed") is not True or not _is_after(entry, stamp)
        if not stored:
            return entry
        changed = entry | {"passed": passed, "checks": [passing, checks], "attempted": attempted, "when": stamp}
        return changed | {"tries": _count(entry, "tries") + int(attempted)} if saved is None else changed

    _update(EXERCISES, id, change)
    return stored


def next_hint(id: str, available: int) -> int:
    """Count one more hint as shown and return its number, from 0; the last one again once all were shown."""
    shown = _count(entries().get(id, {}), "hints")
    _update(EXERCISES, id, lambda entry: entry | {"hints": min(shown + 1, available)})
    return min(shown, available - 1)


@dataclass(frozen=True)
class Given:
    """The answers that a reader has given to one question: letters, or `DONT_KNOW`."""

    first: str
    last: str
    sure: int | None = None
    """The confidence in the first answer: 1 (a guess), 2, 3 (certain), or None."""
    tries: int = 1


def note_prediction(id: str, given: Given, right: bool, now: datetime | None = None) -> None:
    """Store the answers to a question. right: whether the first one is right. An earlier first answer stays."""
    _update(PREDICTIONS, id, lambda entry: _with_answer(entry, given, right, _stamp(now)))


def note_recall(id: str, lesson: str, given: Given, right: bool, now: datetime | None = None) -> None:
    """Store the answers to a question that the review in `lesson` asked."""
    stamp = _stamp(now)

    def change(entry: Entry) -> Entry:
        before = entry.get("recall")
        before = before if isinstance(before, dict) and before.get("lesson") == lesson else {}
        recall = _with_answer(before, given, right, stamp) | {"lesson": lesson}
        if recall == before:
            return entry
        kept = entry if given_in(entry) else _with_answer({}, given, right, stamp)
        return kept | {"recall": recall, "when": stamp}

    _update(PREDICTIONS, id, change)


def take_up(folder: Path, data: bytes, keep: Callable[[bytes], None] = lambda _: None) -> bool:
    """Merge another progress file into the one in `folder`. Returns whether that changed it.

    data: the content of the other file. keep: called with the file as it is, before it is replaced. Nothing is lost: first
    answers stay, and passed exercises stay passed. Unlike the other functions here it is not silent. Raises ValueError if
    either file cannot be read or belongs to a newer version, and OSError if the file cannot be written.
    """
    file, other = _file(folder), _parsed(data)
    with files.alone_in(file.parent):
        stored = _load(file)
        for each, whose in ((other, "it"), (stored, f"the {NAME} in your folder")):
            if not each.sound:
                raise ValueError(f"{whose} cannot be read")
            if each.newer:
                raise ValueError(f"{whose} belongs to a newer version of the course")
        merged = {part: dict(stored.parts.get(part, {})) for part in PARTS}
        for part, entries in merged.items():
            for id, entry in other.parts.get(part, {}).items():
                entries[id] = _both(entries.get(id, {}), entry)
        if merged == {part: stored.parts.get(part, {}) for part in PARTS}:
            return False
        if file.is_file():
            keep(file.read_bytes())
        files.replace(file, _text(stored.rest, merged))
        return True


def _both(mine: Entry, other: Entry) -> Entry:
    """Merge two entries of the same exercise or question. Merging again changes nothing."""
    both = other | mine
    if other.get("passed") is True and mine.get("passed") is not True:
        both |= {key: other[key] for key in ("passed", "checks", "attempted") if key in other}
    if _later(other, mine) and isinstance(mine.get("last"), str) and isinstance(other.get("last"), str):
        both |= {"last": other["last"], "when": other["when"]}
    counts = {key: max(_count(mine, key), _count(other, key)) for key in ("tries", "hints") if key in both}
    return both | counts


def _later(other: Entry, mine: Entry) -> bool:
    stamps = [each if isinstance(each := entry.get("when"), str) else "" for entry in (other, mine)]
    return stamps[0] > stamps[1]


def _is_after(entry: Entry, stamp: str) -> bool:
    when = entry.get("when")
    return isinstance(when, str) and when > stamp


def given_in(entry: Entry) -> Given | None:
    """The answers in an entry (or in its `recall`); None if there are none or they cannot be read."""
    first, last, sure = (entry.get(key) for key in ("first", "last", "sure"))
    if not (isinstance(first, str) and isinstance(last, str)):
        return None
    return Given(first, last, sure if sure in (1, 2, 3) else None, max(1, _count(entry, "tries")))


def _with_answer(entry: Entry, given: Given, right: bool, stamp: str) -> Entry:
    before = given_in(entry)
    if before is None:
        start = {"first": given.first, "right": right, "sure": given.sure}
        return entry | start | {"last": given.last, "tries": given.tries, "when": stamp}
    if before.last == given.last:
        return entry  # a cell that is run again is not a new answer
    return entry | {"last": given.last, "tries": max(before.tries + 1, given.tries), "when": stamp}


def _stamp(now: datetime | None) -> str:
    return (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _count(entry: Entry, key: str) -> int:
    value = entry.get(key, 0)
    return value if isinstance(value, int) else 0


def _disabled() -> bool:
    return os.environ.get(SWITCH, "") not in ("", "0")


def _file(folder: Path | None = None) -> Path:
    return (folder or Path.cwd()).absolute() / NAME


def _known(file: Path) -> dict[str, Part]:
    """The entries of the file, and those of this process that the file does not have."""
    memory = _in_memory.get(file, {})
    if _disabled():
        return {part: dict(memory.get(part, {})) for part in PARTS}
    stored = _load(file)
    known = {}
    for part in PARTS:
        own = memory.get(part, {})
        unsaved = {id: entry for id, entry in own.items() if (file, part, id) in _unsaved}
        lost = own if not stored.sound or not stored.parts else {}
        known[part] = lost | stored.parts.get(part, {}) | unsaved
    return known


def _load(file: Path) -> _Stored:
    """Read the file and do not change it, even if it is damaged. No parts if there is no file."""
    try:
        return _parsed(file.read_bytes())
    except FileNotFoundError:
        return _Stored({}, {})
    except OSError:
        return _Stored({}, {}, sound=False)


def _parsed(data: bytes) -> _Stored:
    try:
        # NaN and infinity are not JSON: Python would write them again, and other programs could not read the file.
        content = read_json(data, parse_constant=lambda _: None, parse_float=_finite)
    except ValueError:
        return _Stored({}, {}, sound=False)
    if not isinstance(content, dict):
        return _Stored({}, {}, sound=False)
    version = content.get("version", 1)
    stored = _Stored({}, {key: value for key, value in content.items() if key not in PARTS})
    is_known = version is None or (isinstance(version, int | float) and version <= VERSION)
    stored.newer = not is_known
    for part in PARTS:
        found = content.get(part, {})
        stored.parts[part] = dict(_entries_of(found.items())) if isinstance(found, dict) else {}
        stored.sound &= stored.parts[part] == found
    return stored


def _finite(text: str) -> float | None:
    return number if math.isfinite(number := float(text)) else None


def _entries_of(items: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Entry]]:
    return ((id, entry) for id, entry in items if isinstance(entry, dict))


def _update(part: str, id: str, change: Callable[[Entry], Entry]) -> None:
    """Change one entry in memory and on disk. The file is read first, because another notebook may have written it."""
    file = _file()
    memory = _in_memory.setdefault(file, {}).setdefault(part, {})
    if _disabled():
        memory[id] = change(memory.get(id, {}))
        return
    with files.alone_in(file.parent):  # two notebooks that write at once could lose an entry
        known, stored = _known(file), _load(file)
        memory[id] = known[part][id] = change(known[part].get(id, {}))
        if stored.sound and stored.parts.get(part, {}).get(id) == memory[id]:
            return
        try:
            if stored.newer:
                raise OSError("written by a newer version")
            if not stored.sound:
                _move_aside(file)
            files.replace(file, _text(stored.rest, known))
            _unsaved.difference_update([(file, part, each) for part in PARTS for each in known[part]])
        except OSError:  # a read-only folder or a full disk must not fail the check
            _unsaved.add((file, part, id))


def _text(rest: dict[str, Any], known: dict[str, Part]) -> bytes:
    content = rest | {"version": VERSION} | {part: dict(sorted(known[part].items())) for part in PARTS}
    return (json.dumps(content, indent=1) + "\n").encode()


def _move_aside(file: Path) -> None:
    """Rename a damaged file: the first free ending of `.bak`, `.bak-2`, ..."""
    names = (f"{file.name}.bak", *(f"{file.name}.bak-{number}" for number in range(2, 1000)))
    os.rename(file, next(aside for name in names if not os.path.lexists(aside := file.with_name(name))))
