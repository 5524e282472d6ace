"""A CSV file with a row a student, and how a file of grades gets its name: none that exists is ever touched.

May use results. Must not know how they came about.
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
    """Write `grades.csv` in `folder` and return its path; where there is one already, `grades-2.csv` and so on.

    The file appears whole or not at all, and none that exists is touched. It is UTF-8 and says so in its first three
    bytes, without which Excel reads ä as Ã¤. A `UserError` where the disk is full.
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
    """Make the folder for the results, or raise a `UserError`, before hours of grading end in nothing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise UserError(
            f"Results cannot be written to {folder} ({problem.strerror}); name another folder with --output."
        ) from problem


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """`folder`, made if it has gone, and what the system says of it as a sentence."""
    try:
        folder.mkdir(parents=True, exist_ok=True)  # hours may have gone by since `prepare`
        yield
    except OSError as problem:
        raise UserError(
            f"The grades could not be written to {folder} ({problem.strerror or problem}); "
            "make room there, or name another folder with --output, and grade again."
        ) from problem


def write_new(folder: Path, ending: str, data: bytes) -> Path:
    """`data` to the first name that is free, `grades.csv`, `grades-2.csv` and so on; not once more where the newest is the same."""
    number, newest = 1, None
    while True:
        target = folder / (f"{FILE_NAME}{ending}" if number == 1 else f"{FILE_NAME}-{number}{ending}")
        if not target.exists() and newest and newest.read_bytes() == data:
            return newest
        if files.add(target, data):
            return target
        number, newest = number + 1, target if target.is_file() else None
