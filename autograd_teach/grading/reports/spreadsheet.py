"""Writes a CSV file with one row per student, under a new name: existing files are never changed.

May use results. Must not know how they were made.
"""

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


def write_csv(results: Sequence[Result], folder: Path) -> Path:
    """Write `grades.csv` in `folder` and return its path. If it exists, write `grades-2.csv` and so on.

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
        return write_new(folder, ".csv", files.as_csv(rows).encode("utf-8-sig"))


def prepare(folder: Path) -> None:
    """Make the folder for the results. Raises `UserError` before hours of grading would be lost."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
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


def write_new(folder: Path, ending: str, data: bytes) -> Path:
    """Write `data` to the first free name of `grades.csv`, `grades-2.csv` and so on, unless the newest file is equal."""
    number, newest = 1, None
    while True:
        target = folder / (f"{FILE_NAME}{ending}" if number == 1 else f"{FILE_NAME}-{number}{ending}")
        if not target.exists() and newest and newest.read_bytes() == data:
            return newest
        if files.add(target, data):
            return target
        number, newest = number + 1, target if target.is_file() else None
