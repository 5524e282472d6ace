"""The class on one page: how the points spread, each exercise's outcomes, the commonest mistakes, every student with a link.

May use results. Must not know how they came about.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import get_args

from ..results import PASSED, Mark, Result, Status
from .mistakes import Mistake, commonest
from .page import MEANING, Tone, counted, page, state, words
from .spreadsheet import told
from .student_page import student_page
from .terminal import exercises_of, number

FOLDER = "grades-pages"
_TONES: tuple[Tone, ...] = get_args(Tone)
_TONE_NAMES: dict[Tone, str] = {
    "good": "passed",
    "bad": "failed",
    "none": "not attempted, missing, not graded",
    "odd": "anything else (took too long, not readable ...)",
}
_BAR_ORDER: tuple[Tone, ...] = ("good", "bad", "odd", "none")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


def write_pages(results: Sequence[Result], folder: Path, answer: Callable[[str], str]) -> Path:
    """Write the class's page and one a student below `folder`; return the class's.

    They follow from the gradebook and are written anew each time; so they are not forced to the disk one by one.
    """
    pages = folder / FOLDER
    with told(folder):
        (pages / "students").mkdir(parents=True, exist_ok=True)
        names = file_names([result.student for result in results])
        for result in results:
            _write(pages / "students" / names[result.student], student_page(result, answer))
        links = {student: f"students/{name}" for student, name in names.items()}
        _write(pages / "index.html", class_page(results, links))
    return pages / "index.html"


def class_page(results: Sequence[Result], links: Mapping[str, str]) -> bytes:
    """The page as a file's bytes; `links` lead to each student's own."""
    exercises = exercises_of(results)
    parts = ["<h1>Grades</h1>", _summary(results)]
    if results:
        parts += ["<h2>Points</h2>", _histogram(results), "<h2>Exercises</h2>", _outcomes(results, exercises)]
        parts += _contradictions(results, exercises, links)
        parts += _mistakes(results, exercises, links)
        parts += ["<h2>Students</h2>", _students(results, exercises, links)]
    return page(f"Grades of {counted(len(results), 'student')}", "\n".join(parts))


def file_names(students: Sequence[str]) -> dict[str, str]:
    """A file name for each student that every system takes, and that no other student has.

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


def _summary(results: Sequence[Result]) -> str:
    if not results:
        return "<p>There are no students.</p>"
    points = [result.points for result in results]
    maximum = number(max(result.maximum for result in results))
    counts = Counter(result.status for result in results)
    said = ", ".join(f"{counts[status]} {MEANING[status].name}" for status in Status if counts[status])
    how = "; ".join(sorted({f"judge: {r.judge}, isolation: {r.isolation}" for r in results if r.judge != "none"}))
    middle = f"median {number(median(points))}, mean {sum(points) / len(points):.1f} of {maximum} points"
    return (
        f"<p><strong>{counted(len(results), 'student')}</strong>, {middle}</p>"
        f'<p>{said}</p><p class="soft">{words(how or "nothing had to be run")}</p>'
    )


def _histogram(results: Sequence[Result], bins: int = 10) -> str:
    """How many students have which share of the points; those with all of them stand alone at the right."""
    counts = [0] * (bins + 1)
    for result in results:
        share = result.points / result.maximum if result.maximum else 0.0
        counts[min(bins, int(share * bins + 1e-9))] += 1
    width, height, top = 52, 120, max(counts)
    parts = []
    for place, count in enumerate(counts):
        tall = round(height * count / top)
        middle = place * width + width // 2
        label = "100%" if place == bins else f"{place * 100 // bins}%–"
        if count:
            parts.append(
                f'<rect x="{place * width + 5}" y="{20 + height - tall}" width="{width - 10}" height="{tall}"/>'
            )
            parts.append(f'<text x="{middle}" y="{15 + height - tall}" text-anchor="middle">{count}</text>')
        parts.append(f'<text class="soft" x="{middle}" y="{height + 38}" text-anchor="middle">{label}</text>')
    across = width * (bins + 1)
    parts.append(f'<line x1="0" y1="{height + 20}" x2="{across}" y2="{height + 20}"/>')
    said = ", ".join(
        f"{counted(count, 'student')} from {place * 100 // bins}%" for place, count in enumerate(counts) if count
    )
    return (
        f'<div class="wide"><svg role="img" aria-label="Share of the points: {said}" width="{across}" height="{height + 46}" '
        f'viewBox="0 0 {across} {height + 46}">{"".join(parts)}</svg></div>'
        '<p class="soft">Students by their share of all points.</p>'
    )


def _outcomes(results: Sequence[Result], exercises: Sequence[str]) -> str:
    key = "".join(f'<span><span class="bar"><i class="{t}"></i></span>{_TONE_NAMES[t]}</span>' for t in _BAR_ORDER)
    rows = []
    has_record = any(result.recorded for result in results)
    for exercise in exercises:
        counts = Counter(mark.status for _, mark in _of(results, exercise))
        tones = Counter({tone: sum(n for s, n in counts.items() if MEANING[s].tone == tone) for tone in _TONES})
        bar = "".join(
            f'<span class="{tone}" style="width: {100 * tones[tone] / len(results):.2f}%"></span>'
            for tone in _BAR_ORDER
            if tones[tone]
        )
        passed = counts[Status.PASS]
        others = ", ".join(f"{n} {MEANING[s].name}" for s, n in counts.most_common() if s is not Status.PASS)
        checks = Counter(mark.recorded for _, mark in _of(results, exercise))[PASSED]
        record = f'<td class="number">{checks}</td>' if has_record else ""
        rows.append(
            f'<tr><th scope="row">{words(exercise)}</th><td><div class="bar" aria-hidden="true">{bar}</div></td>'
            f'<td class="number">{passed}</td><td class="number">{100 * passed / len(results):.0f}%</td>'
            f'{record}<td class="words">{others}</td></tr>'
        )
    of_record = '<th scope="col" class="number">check cell passes</th>' if has_record else ""
    head = (
        '<thead><tr><th scope="col">exercise</th><th scope="col">outcomes</th><th scope="col" class="number">passed</th>'
        f'<th scope="col" class="number">share</th>{of_record}<th scope="col">others</th></tr></thead>'
    )
    return f'<div class="key">{key}</div><div class="wide"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _contradictions(results: Sequence[Result], exercises: Sequence[str], links: Mapping[str, str]) -> list[str]:
    """Where the verdict and the record do not agree: a check that was tampered with, a machine that is ill, a gap in the check."""
    items = []
    for exercise in exercises:
        alike: dict[tuple[Status, str], list[str]] = {}
        for student, mark in _of(results, exercise):
            if mark.contradiction:
                alike.setdefault((mark.status, mark.contradiction), []).append(student)
        items += [
            f"<li>{words(exercise)}, {state(status)}, but {words(but)}: {_named(students, links, 30)}</li>"
            for (status, but), students in alike.items()
        ]
    what = "Points and check cell disagree here. Points never come from the check cell; a look at the answer tells which is mistaken."
    return ["<h2>Worth a look</h2>", f"<p>{what}</p>", f"<ul>{''.join(items)}</ul>"] if items else []


def _mistakes(results: Sequence[Result], exercises: Sequence[str], links: Mapping[str, str]) -> list[str]:
    parts = []
    for exercise in exercises:
        if found := commonest(_of(results, exercise)):
            items = "".join(f"<li>{_mistake(each, links)}</li>" for each in found)
            parts.append(f'<h3>{words(exercise)}</h3><ol class="mistakes">{items}</ol>')
    return ["<h2>Commonest mistakes</h2>", *parts] if parts else []


def _named(students: Sequence[str], links: Mapping[str, str], most: int) -> str:
    more = f" and {len(students) - most} more" if len(students) > most else ""
    return ", ".join(_link(student, links) for student in students[:most]) + more


def _mistake(mistake: Mistake, links: Mapping[str, str]) -> str:
    count = counted(len(mistake.students), "student")
    example = mistake.example or MEANING[mistake.status].words
    return f'{count}, {state(mistake.status)}: {words(example)} <span class="soft">({_named(mistake.students, links, 4)})</span>'


def _students(results: Sequence[Result], exercises: Sequence[str], links: Mapping[str, str]) -> str:
    columns = "".join(f'<th scope="col" class="number">{words(exercise)}</th>' for exercise in exercises)
    head = f'<thead><tr><th scope="col">student</th><th scope="col">outcome</th>{columns}<th scope="col" class="number">total</th></tr></thead>'
    rows = []
    for result in results:
        cells = "".join(
            f'<td class="number {MEANING[mark.status].tone}" title="{MEANING[mark.status].name}">{MEANING[mark.status].mark} {number(mark.points)}</td>'
            for mark in result.marks
        )
        rows.append(
            f'<tr><th scope="row">{_link(result.student, links)}</th><td>{state(result.status)}</td>{cells}'
            f'<td class="number">{number(result.points)}/{number(result.maximum)}</td></tr>'
        )
    return f'<div class="wide"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _of(results: Sequence[Result], exercise: str) -> list[tuple[str, Mark]]:
    return [(result.student, mark) for result in results for mark in result.marks if mark.exercise == exercise]


def _link(student: str, links: Mapping[str, str]) -> str:
    return f'<a href="{words(links[student])}">{words(student)}</a>'


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
