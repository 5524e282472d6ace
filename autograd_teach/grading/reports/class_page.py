"""The class's page: a histogram of the points, each exercise's outcomes, the most common mistakes, all students with links.

May use results. Must not know how they were made. The page itself is templates/class.html.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import StatisticsError, correlation, mean, median
from typing import Any

from ...plain import counted
from ..results import PASSED, Mark, Result, Status, reaching_in_words
from .mistakes import NOTHING, commonest
from .page import MEANING, Tone, render
from .similarity import LEAST, alike
from .spreadsheet import told
from .student_page import student_page
from .terminal import exercises_of, number

FOLDER = "grades-pages"
_TONES: dict[Tone, str] = {  # in the order of the parts of a bar
    "good": "passed",
    "bad": "failed",
    "odd": "anything else (took too long, not readable ...)",
    "none": "not attempted, missing, not graded",
}
_FEWEST = 10  # students: a correlation of fewer means nothing
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


def write_pages(
    results: Sequence[Result], folder: Path, answer: Callable[[str], str], attempts: Mapping[tuple[str, str], int]
) -> Path:
    """Write the class's page and one page per student in `folder`. Returns the path of the class's page.

    The pages can be made again from the gradebook, so they are not synced to disk one by one.
    """
    pages = folder / FOLDER
    with told(folder):
        (pages / "students").mkdir(parents=True, exist_ok=True)
        names = file_names([result.student for result in results])
        for result in results:
            _write(pages / "students" / names[result.student], student_page(result, answer))
        links = {student: f"students/{name}" for student, name in names.items()}
        _write(pages / "index.html", class_page(results, links, answer, attempts))
    return pages / "index.html"


def class_page(
    results: Sequence[Result],
    links: Mapping[str, str],
    answer: Callable[[str], str],
    attempts: Mapping[tuple[str, str], int],
) -> bytes:
    """The page as bytes. `links` are the file names of the students' pages; the others are those of `reports.write`."""
    exercises = exercises_of(results)
    outcomes = [_outcome(results, exercise, attempts) for exercise in exercises]
    return render(
        "class.html",
        results=results,
        links=links,
        exercises=exercises,
        about=f"{exercises[0]} to {exercises[-1]}, {date.today()}" if exercises else "",
        unreadable=[r.student for r in results if any(mark.status is Status.INVALID_NOTEBOOK for mark in r.marks)],
        has_record=any(result.recorded for result in results),
        has_penalty=any(result.penalty for result in results),
        has_adjusted=any(mark.adjusted for result in results for mark in result.marks),
        tones=_TONES.items(),
        summary=_summary(results) if results else None,
        histogram=_histogram(results) if results else None,
        outcomes=outcomes,
        has_attempts=any(count > 1 for count in attempts.values()),
        has_discrimination=any(each["discrimination"] for each in outcomes),
        alike=alike([(result.student, mark) for result in results for mark in result.marks], answer),
        least=LEAST,
        contradictions=_contradictions(results, exercises),
        reaches=[
            (exercise, student, said)
            for exercise in exercises
            for student, mark in _of(results, exercise)
            if (said := reaching_in_words(mark))
        ],
        mistakes=[(exercise, found) for exercise in exercises if (found := commonest(_of(results, exercise)))],
    )


def file_names(students: Sequence[str]) -> dict[str, str]:
    """A unique file name for each student that is valid on every system.

    >>> file_names(["ada", "Zoë K.", "a/b"])["ada"]
    'ada.html'
    """
    stems = {student: re.sub(r"[^\w-]+", "_", student, flags=re.ASCII)[:60] for student in students}
    taken = Counter(stem.casefold() for stem in stems.values())

    def name(student: str, stem: str) -> str:
        plain = "" != stem == student and taken[stem.casefold()] == 1 and stem.casefold() not in _RESERVED
        digest = hashlib.sha256(student.encode("utf-8", "backslashreplace")).hexdigest()[:10]
        return f"{stem}.html" if plain else f"{stem}-{digest}.html"

    return {student: name(student, stem) for student, stem in stems.items()}


def _summary(results: Sequence[Result]) -> dict[str, str]:
    points = [result.points for result in results]
    maximum = number(max(result.maximum for result in results))
    counts = Counter(result.status for result in results)
    how = "; ".join(sorted({f"judge: {r.judge}, isolation: {r.isolation}" for r in results if r.judge != "none"}))
    return {
        "middle": f"median {number(median(points))}, mean {sum(points) / len(points):.1f} of {maximum} points",
        "said": ", ".join(f"{counts[status]} {MEANING[status].name}" for status in Status if counts[status]),
        "how": how or "nothing had to be run",
    }


def _histogram(results: Sequence[Result], bins: int = 10) -> dict[str, Any]:
    """A histogram of the students' shares of the points, with a separate last bar for those with all points."""
    counts = [0] * (bins + 1)
    for result in results:
        share = result.points / result.maximum if result.maximum else 0.0
        counts[min(bins, int(share * bins + 1e-9))] += 1
    width, height = 52, 120
    most = max(counts)
    labels = [*(f"{place * 100 // bins}%–" for place in range(bins)), "100%"]
    bars = [(n, place * width, round(height * n / most), labels[place]) for place, n in enumerate(counts)]
    said = [f"{counted(count, 'student')} from {place * 100 // bins}%" for place, count in enumerate(counts) if count]
    return {"bars": bars, "bar": width, "width": width * (bins + 1), "height": height, "said": ", ".join(said)}


def _outcome(results: Sequence[Result], exercise: str, attempts: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    marks = [mark for _, mark in _of(results, exercise)]
    tried = [attempts[result.student, exercise] for result in results if (result.student, exercise) in attempts]
    counts = Counter(mark.status for mark in marks)
    tones = {tone: sum(n for status, n in counts.items() if MEANING[status].tone == tone) for tone in _TONES}
    passed, adjusted = counts[Status.PASS], sum(bool(mark.adjusted) for mark in marks)
    others = [f"{n} {MEANING[status].name}" for status, n in counts.most_common() if status is not Status.PASS]
    return {
        "exercise": exercise,
        "bar": [(tone, 100 * count / len(results)) for tone, count in tones.items() if count],
        "said": ", ".join(f"{n} {MEANING[status].name}" for status, n in counts.most_common()),
        "attempted": sum(mark.status not in NOTHING for mark in marks),
        "passed": passed,
        "share": 100 * passed / len(results),
        "attempts": f"{mean(tried):.1f}" if tried else "",
        "discrimination": _discrimination(results, exercise),
        "checks": sum(mark.recorded == PASSED for mark in marks),
        "others": ", ".join([*others, *[f"{adjusted} adjusted"] * bool(adjusted)]),
    }


def _discrimination(results: Sequence[Result], exercise: str) -> str:
    """Correlation of the points in `exercise` with those in the others, among students who handed in something.

    It is the point-biserial correlation if points are all or nothing; "" for too few students, or equal points.
    """
    own, others = [], []
    for result in results:
        points = {mark.exercise: mark.points for mark in result.marks}
        if any(mark.status not in NOTHING for mark in result.marks) and exercise in points:
            own.append(points[exercise])
            others.append(sum(points.values()) - points[exercise])  # without the penalty
    try:
        return f"{correlation(own, others):.2f}".replace("-", "−") if len(own) >= _FEWEST else ""
    except StatisticsError:
        return ""


def _contradictions(results: Sequence[Result], exercises: Sequence[str]) -> list[tuple[str, Status, str, list[str]]]:
    """Marks whose verdict and record disagree: because of tampering, a broken machine, or a gap in the check."""
    items = []
    for exercise in exercises:
        alike: dict[tuple[Status, str], list[str]] = {}
        for student, mark in _of(results, exercise):
            if mark.contradiction:
                alike.setdefault((mark.status, mark.contradiction), []).append(student)
        items += [(exercise, status, but, students) for (status, but), students in alike.items()]
    return items


def _of(results: Sequence[Result], exercise: str) -> list[tuple[str, Mark]]:
    return [(result.student, mark) for result in results for mark in result.marks if mark.exercise == exercise]


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
