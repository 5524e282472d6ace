"""Writes a CSV file with one row per student, under a new name: existing files are never changed.

May use results. Must not know how they were made.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ... import files
from ...course.errors import UserError
from ...plain import cell
from ..results import Result
from .terminal import exercises_of, number, points_of

FILE_NAME = "grades"
ENDINGS = {"csv": ".csv", "json": ".json", "moodle": "-moodle.csv", "canvas": "-canvas.csv"}
REPLACED = {"html": "grades-pages/index.html", "gradescope": "results.json"}
"""The files of each kind of report: numbered ones, and those of which there is only the newest."""


def write_csv(results: Sequence[Result], folder: Path) -> Path:
    """Write `grades.csv` in `folder` and return its path. If a file of that number exists, write `grades-2.csv` and so on.

    The file is written completely or not at all, and existing files are not changed. It is UTF-8 with a byte order mark,
    without which Excel reads ä as Ã¤. Raises `UserError` if the disk is full.
    """
    exercises = exercises_of(results)
    ends = ["total", "max", "judge", "isolation", "recorded", "detail"]
    own = ["student", "status", *exercises, *ends]
    more = list(dict.fromkeys(name for result in results for name, _ in result.columns))
    rows = [[*own, *(cell(f"roster {name}" if name in own else name) for name in more)]]
    for result in results:
        sums = [number(result.points), number(result.maximum)]
        words = [result.judge, result.isolation, result.recorded, cell(result.detail)]
        points = points_of(result, exercises)
        columns = [cell(dict(result.columns).get(name, "")) for name in more]
        rows.append([cell(result.student), result.status, *points, *sums, *words, *columns])
    with told(folder):
        return write_new(folder, "csv", files.as_csv(rows).encode("utf-8-sig"))


def prepare(folder: Path, *, make: bool = True) -> None:
    """Make the folder for the results; without `make`, only see that this works. Raises `UserError` before hours of grading
    would be lost."""
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
        with tempfile.NamedTemporaryFile(dir=there):
            pass
    except OSError as problem:
        raise UserError(
            f"Results cannot be written to {folder} ({problem.strerror}); give another folder with --output."
        ) from problem


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Make `folder` again if it is gone, and turn the system's errors into a `UserError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)  # `prepare` may have run hours ago
        yield
    except OSError as problem:
        raise UserError(
            f"The grades could not be written to {folder} ({problem.strerror or problem}); "
            "free space there, or give another folder with --output, and grade again."
        ) from problem


def write_new(folder: Path, kind: str, data: bytes) -> Path:
    """Write `data` to a new file with the number of the newest CSV file, or to the next number if that is taken. If the
    newest file of this kind is equal and not older than the CSV file, it is kept."""
    while True:
        highest = _numbers(folder)
        own, newest = highest[kind], _named(folder, highest[kind], kind)
        if own >= max(1, highest["csv"]) and newest.is_file() and newest.read_bytes() == data:
            return newest
        run = highest["csv"] if own < highest["csv"] else max(highest.values()) + 1
        if files.add(target := _named(folder, run, kind), data):
            return target


def older(folder: Path, written: Sequence[str]) -> str:
    """A sentence about reports that are not of the kinds `written` and are older than the newest CSV file, or ""."""
    newest = {kind: _named(folder, run, kind) for kind, run in _numbers(folder).items()}
    there = {kind: folder / name for kind, name in REPLACED.items()} | newest
    times = {kind: path.stat().st_mtime_ns for kind, path in there.items() if path.is_file()}
    left = [kind for kind, time in times.items() if kind not in written and time < times.get("csv", 0)]
    names = ", ".join(str(there[kind].relative_to(folder)) for kind in left)
    renew = f"Give --report {','.join(kind for kind in there if kind in {*written, *left})} to write them again."
    return f"Not written this time, and older than {there['csv'].name}: {names}. {renew}" if left else ""


def _named(folder: Path, run: int, kind: str) -> Path:
    return folder / f"{FILE_NAME}{f'-{run}' if run > 1 else ''}{ENDINGS[kind]}"


def _numbers(folder: Path) -> dict[str, int]:
    """The highest number of each kind of file; 0 if there is none. Files after a gap in the numbers are not counted."""
    highest, run = dict.fromkeys(ENDINGS, 0), 1
    while found := [kind for kind in ENDINGS if os.path.lexists(_named(folder, run, kind))]:
        highest |= dict.fromkeys(found, run)
        run += 1
    return highest
