"""The progress file beside the notebooks: what passed, how often it was tried, how many hints were read.

Standard library only. Must not know the engine. It serves the student, not the grade: whatever goes wrong here is silent, a
check never fails by it, and no answer is in it. A file that cannot be read is moved aside, never deleted.
"""

import json
import os
from pathlib import Path
from typing import Any

from .. import files

NAME = ".autograd_teach_progress.json"
SWITCH = "AUTOGRAD_TEACH_NO_PROGRESS"
"""Set in the environment (by the grader, by the command that runs notebooks): nothing is read or written on disk."""

Entry = dict[str, Any]

# What this process knows, from which a lost or broken file is rebuilt, and what of it could not be written.
_in_memory: dict[str, Entry] = {}
_unsaved: set[str] = set()


def entries(folder: Path | None = None) -> dict[str, Entry]:
    """What is known of each exercise by its id: `passed`, `checks`, `tries`, `hints`. Empty for a fresh folder."""
    return dict(_in_memory) if _disabled() else _read(_file(folder))


def note_check(id: str, passed: bool, passing: int, checks: int, attempted: bool, is_try: bool = True) -> None:
    """Remember the outcome of a check; the last one counts. No `is_try` where a whole notebook is looked at: nobody tried again."""
    entry = entries().get(id, {}) | {"passed": passed, "checks": [passing, checks], "attempted": attempted}
    if is_try:
        entry["tries"] = _count(entry, "tries") + int(attempted)
    _write(id, entry)


def next_hint(id: str, available: int) -> int:
    """The number of the hint to show now, from 0; the last one again once all were shown."""
    entry = entries().get(id, {})
    shown = _count(entry, "hints")
    _write(id, entry | {"hints": min(shown + 1, available)})
    return min(shown, available - 1)


def _count(entry: Entry, key: str) -> int:
    value = entry.get(key, 0)
    return value if isinstance(value, int) else 0


def _disabled() -> bool:
    return os.environ.get(SWITCH, "") not in ("", "0")


def _file(folder: Path | None = None) -> Path:
    return (folder or Path.cwd()) / NAME


def _read(file: Path) -> dict[str, Entry]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        if isinstance(problem, UnicodeDecodeError):
            _move_aside(file)
        return dict(_in_memory)
    try:
        known = json.loads(text)["exercises"]
        if not all(isinstance(entry, dict) for entry in known.values()):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        _move_aside(file)
        return dict(_in_memory)
    return dict(known) | {id: _in_memory[id] for id in _unsaved}


def _move_aside(file: Path) -> None:
    try:
        os.replace(file, file.with_name(file.name + ".bak"))
    except OSError:
        pass


def _write(id: str, entry: Entry) -> None:
    """Keep the entry in memory and on disk; the file is read again first, for another notebook may have written it."""
    _in_memory[id] = entry
    if _disabled():
        return
    file = _file()
    with files.alone_in(file.parent):  # else of two notebooks that write at once one would undo the other's entry
        content = {"version": 1, "exercises": dict(sorted((_read(file) | {id: entry}).items()))}
        try:
            files.replace(file, (json.dumps(content, indent=1) + "\n").encode())
            _unsaved.discard(id)
        except OSError:  # A read-only folder or a full disk: the check itself is not concerned.
            _unsaved.add(id)
