"""What an instructor sees: a progress bar, a table in the terminal, a CSV file with a row a student.

May use results. Must not know how they came about.
"""

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from .. import files
from ..course.errors import UserError
from .results import Mark, Result

FILE_NAME = "grades"


class Progress:
    """A bar that is drawn over itself in a terminal, a line a student elsewhere; silent without a stream."""

    def __init__(self, stream: TextIO | None, total: int) -> None:
        self.stream, self.total, self.done = stream, total, 0
        self._is_terminal = bool(stream and stream.isatty())

    def show(self, result: Result) -> None:
        """Count `result` and show it."""
        self.done += 1
        if self.stream is None:
            return
        what = f"{self.done}/{self.total} {result.student}: {result.status}"
        if not self._is_terminal:
            print(what, file=self.stream)
            return
        filled = 30 * self.done // self.total
        bar = "#" * filled + "." * (30 - filled)
        print(f"\r[{bar}] {what[:40]:40}", end="", file=self.stream, flush=True)

    def close(self) -> None:
        """Leave the bar's line."""
        if self.stream is not None and self._is_terminal:
            print(file=self.stream)


def say(stream: TextIO | None, sentence: str) -> None:
    """Write one line to `stream`, if there is one."""
    if stream is not None:
        print(sentence, file=stream)


def table(results: Sequence[Result]) -> str:
    """The results as aligned text: a row a student, points an exercise, and below it what did not pass and why.

    >>> from autograd_teach.grading.results import Mark, Result, Status
    >>> print(table([Result("ada", (Mark("scale", Status.PASS, 2, judge="nbval", isolation="process"),))]))
    student  status  scale  total
    ada      pass        2    2/2
    <BLANKLINE>
    judge: nbval; isolation: process
    """
    exercises = _exercises(results)
    rows = [["student", "status", *exercises, "total"]]
    for result in results:
        total = f"{_number(result.points)}/{_number(result.maximum)}"
        rows.append([result.student, result.status, *_points(result, exercises), total])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(_aligned(row, widths)).rstrip() for row in rows]
    details = [f"  {result.student}: {_short(result.detail)}" for result in results if result.detail]
    if details:
        lines += ["", *details]
    judges = sorted({f"judge: {r.judge}; isolation: {r.isolation}" for r in results if r.judge != "none"})
    return "\n".join([*lines, "", *judges]).rstrip()


def write_csv(results: Sequence[Result], folder: Path) -> Path:
    """Write `grades.csv` in `folder` and return its path; where there is one already, `grades-2.csv` and so on.

    The file appears whole or not at all, and none that exists is touched. It is UTF-8 and says so in its first three
    bytes, without which Excel reads ä as Ã¤. A `UserError` where the disk is full.
    """
    exercises = _exercises(results)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    ends = ["total", "max", "judge", "isolation", "detail"]
    writer.writerow(["student", "status", *exercises, *ends])
    for result in results:
        sums = [_number(result.points), _number(result.maximum)]
        words = [result.judge, result.isolation, _as_text(result.detail)]
        points = _points(result, exercises)
        writer.writerow([_as_text(result.student), result.status, *points, *sums, *words])
    try:
        folder.mkdir(parents=True, exist_ok=True)  # hours may have gone by since `prepare`
        return _write_new(folder, text.getvalue())
    except OSError as problem:
        raise UserError(
            f"The grades could not be written to {folder} ({problem.strerror or problem}); "
            "make room there, or name another folder with --output, and grade again."
        ) from problem


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


def _write_new(folder: Path, text: str) -> Path:
    """Text to the first name that is free: `grades.csv`, `grades-2.csv` and so on."""
    data = text.encode("utf-8-sig")
    number = 1
    while True:
        target = folder / (f"{FILE_NAME}.csv" if number == 1 else f"{FILE_NAME}-{number}.csv")
        if files.add(target, data):
            return target
        number += 1


def _exercises(results: Sequence[Result]) -> list[str]:
    return [mark.exercise for mark in results[0].marks] if results else []


def _points(result: Result, exercises: list[str]) -> list[str]:
    marks: dict[str, Mark] = {mark.exercise: mark for mark in result.marks}
    return [_number(marks[exercise].points) for exercise in exercises]


def _number(value: float) -> str:
    return f"{value:g}"


def _as_text(words: str) -> str:
    """`words` so that a spreadsheet shows them and computes nothing: what starts like a formula gets an apostrophe."""
    return f"'{words}" if words.lstrip()[:1] in ("=", "+", "-", "@") else words


def _short(detail: str, most: int = 160) -> str:
    return detail if len(detail) <= most else f"{detail[: most - 1]}…"


def _aligned(row: list[str], widths: list[int]) -> list[str]:
    """Words to the left, numbers to the right."""
    pairs = list(zip(row, widths, strict=True))
    return [word.ljust(width) for word, width in pairs[:2]] + [word.rjust(width) for word, width in pairs[2:]]
