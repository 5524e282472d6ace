"""What an instructor sees during and after grading: a progress bar and a table.

May use results. Must not know how they were made.
"""

import sys
from collections.abc import Sequence
from typing import TextIO

from ...plain import counted, line, some, tidy, visible
from ..results import MOST_NAMED, Mark, Result


class Progress:
    """A progress bar in a terminal, one line per student elsewhere; silent without a stream."""

    def __init__(self, stream: TextIO | None, total: int) -> None:
        self.stream, self.total, self.done = stream, total, 0
        self._is_terminal = bool(stream and stream.isatty())

    def show(self, result: Result) -> None:
        """Count `result` and show it."""
        self.done += 1
        if self.stream is None:
            return
        what = line(f"{self.done}/{self.total} {result.student}: {result.status}")
        if not self._is_terminal:
            _put(self.stream, what)
            return
        filled = 30 * self.done // self.total
        bar = "#" * filled + "." * (30 - filled)
        _put(self.stream, f"\r[{bar}] {what[:40]:40}", end="")

    def close(self) -> None:
        """End the bar's line."""
        if self.stream is not None and self._is_terminal:
            _put(self.stream, "")


def say(stream: TextIO | None, sentence: str) -> None:
    """Write one line to `stream`, if there is one."""
    if stream is not None:
        _put(stream, line(sentence))


def show(text: str) -> None:
    """Print `text`, of several lines, made safe: it may contain names, details and answers that students wrote."""
    _put(sys.stdout, visible(text))


def table(results: Sequence[Result]) -> str:
    """The results as an aligned table: one row per student, points by exercise, and below it what did not pass and why.
    Many students who handed in nothing are one line.

    Of a class, only the beginning of each student's remarks is shown. Of one student, all are: on Gradescope, this table is
    the only place where the instructor sees what is worth a look (structured.py).

    >>> from autograd_teach.grading.results import Mark, Result, Status
    >>> print(table([Result("ada", (Mark("scale", Status.PASS, 2, judge="nbval", isolation="process"),))]))
    student  status  scale  total
    ada      pass        2    2/2
    <BLANKLINE>
    judge: nbval; isolation: process
    """
    exercises = exercises_of(results)
    has_penalty = any(result.penalty for result in results)
    rows = [["student", "status", *exercises, *["penalty"] * has_penalty, "total"]]
    absent = [result.student for result in results if result.is_absent]
    shown = [result for result in results if len(absent) <= MOST_NAMED or not result.is_absent]
    for result in shown:
        sums = [number(-result.penalty)] * has_penalty + [f"{number(result.points)}/{number(result.maximum)}"]
        rows.append([line(result.student), result.status, *points_of(result, exercises), *sums])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(_aligned(row, widths)).rstrip() for row in rows]
    longest = None if len(results) == 1 else 160
    details = [line(f"  {result.student}: {tidy(result.detail, longest)}") for result in shown if result.detail]
    if len(shown) < len(results):
        details.append(line(f"  {counted(len(absent), 'student')} handed in nothing: {some(absent, MOST_NAMED)}"))
    if details:
        lines += ["", *details]
    judges = sorted({f"judge: {r.judge}; isolation: {r.isolation}" for r in results if r.judge != "none"})
    return "\n".join([*lines, "", *judges]).rstrip()


def exercises_of(results: Sequence[Result]) -> list[str]:
    """The exercises that were graded, in the course's order."""
    return [mark.exercise for mark in results[0].marks] if results else []


def points_of(result: Result, exercises: list[str]) -> list[str]:
    """The points of each exercise, as text."""
    marks: dict[str, Mark] = {mark.exercise: mark for mark in result.marks}
    return [number(marks[exercise].points) for exercise in exercises]


def number(value: float) -> str:
    """Points as text: 2, not 2.0."""
    return f"{round(value, 6) + 0:g}"  # neither 5.6e-17 nor -0


def _put(stream: TextIO, text: str, end: str = "\n") -> None:
    """Print `text`. Characters that the terminal's encoding lacks become question marks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), end=end, file=stream, flush=True)


def _aligned(row: list[str], widths: list[int]) -> list[str]:
    """Align words to the left, numbers to the right."""
    pairs = list(zip(row, widths, strict=True))
    return [word.ljust(width) for word, width in pairs[:2]] + [word.rjust(width) for word, width in pairs[2:]]
