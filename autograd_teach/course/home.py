"""The home page: lessons, predictions, exercises, points, and what to do next.

`home()` shows it in a notebook and `autograd-teach progress` in a terminal. `write_page` writes it into home.ipynb, which
`autograd-teach lab` opens, so it can be read before anything runs. All its contents come from the progress files.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .. import files
from . import progress_file, reading_time
from .exercises import Exercise, exercises
from .progress_file import Entry, given_in, is_newer
from .question import Question, asked_inside, load_questions, quiz_of
from .read_json import read_json
from .retrieval import is_missed
from .syllabus import Lesson, syllabus

PAGE = "home.ipynb"
CELL = "home"
SOURCE = "from autograd_teach.course.home import home\n\nhome()  # run this cell to bring the page up to date"
TITLE = """# Your course

Take the lessons in order, each with its exercises: those of the *core* path first if time is short. Lessons marked *reference* are \
for looking things up. [The glossary](lessons/glossary.ipynb) explains the words."""


@dataclass(frozen=True)
class Standing:
    """What is known of one lesson and its exercises."""

    lesson: Lesson
    reading: int
    practice: int
    """Minutes by the model of reading_time.py, for the lesson and for its exercises."""
    predictions: Mapping[str, Entry]
    solved: Mapping[str, Entry]

    @cached_property
    def asked(self) -> list[Question]:
        """The questions inside the lesson."""
        return asked_inside(self.lesson.number)

    @cached_property
    def answered(self) -> int:
        """How many of the questions in `asked` are answered."""
        return len(self._answers(self.asked))

    @cached_property
    def quiz(self) -> list[bool]:
        """For each answered question of the quiz, whether the first answer was right."""
        return [entry.get("right") is True for entry in self._answers(quiz_of(self.lesson.number))]

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """The exercises of the lesson."""
        return exercises(self.lesson.number)

    @cached_property
    def open_exercises(self) -> list[Exercise]:
        """The exercises that have not passed."""
        return [each for each in self.exercises if self.solved.get(each.id, {}).get("passed") is not True]

    @property
    def points(self) -> tuple[int, int]:
        """Points earned, and points in total."""
        total = sum(each.points for each in self.exercises)
        return total - sum(each.points for each in self.open_exercises), total

    @property
    def is_read(self) -> bool:
        """Whether every prediction was made or every exercise is solved."""
        return self.answered == len(self.asked) or (bool(self.exercises) and not self.open_exercises)

    @property
    def is_quiz_open(self) -> bool:
        """Whether the lesson is read and its quiz is not answered."""
        return self.answered == len(self.asked) and len(self.quiz) < len(quiz_of(self.lesson.number))

    @property
    def mark(self) -> str:
        """A sign for done or begun; "" for neither."""
        if self.is_read and not self.open_exercises and not self.is_quiz_open:
            return "✓"
        return "…" if self.answered or self.quiz or len(self.open_exercises) < len(self.exercises) else ""

    def _answers(self, questions: Sequence[Question]) -> list[Entry]:
        entries = (self.predictions.get(question.id, {}) for question in questions)
        return [entry for entry in entries if given_in(entry)]


@dataclass(frozen=True)
class Step:
    """Something to do next, with the file that it is in."""

    words: str
    href: str

    @property
    def link(self) -> str:
        """As Markdown."""
        return f"[{self.words}]({self.href})"


@dataclass(frozen=True)
class Home:
    """The whole course for one student. Its repr is text for a terminal; a notebook shows it as Markdown with links."""

    standings: tuple[Standing, ...]
    newer: bool = False

    @property
    def solved(self) -> Mapping[str, Entry]:
        """The progress of each exercise, by its id."""
        return self.standings[0].solved

    @property
    def next(self) -> list[Step]:
        """The next one or two steps; empty once everything is done."""
        reading = next((each for each in _in_reading_order(self.standings) if not each.is_read), None)
        behind = [each for each in self.standings if each.is_read]
        lesson = [_lesson_step(reading)] if reading else []
        owed = [_quiz_step(each) for each in behind if each.is_quiz_open][:1]
        owed += [_exercise_step(each.open_exercises[0]) for each in behind if each.open_exercises][:1]
        return [*lesson, *owed][:2] if reading and reading.answered else [*owed, *lesson][:2]

    @property
    def summary(self) -> list[str]:
        """Sentences on predictions and points."""
        entries = [entry for each in self.standings for entry in _course_answers(each)]
        right = sum(entry.get("right") is True for entry in entries)
        lines = [f"Predictions: {len(entries)} made, {right} right at the first answer, {len(entries) - right} missed."]
        certain = [entry for entry in entries if entry.get("sure") == 3]
        if certain:
            hits = sum(entry.get("right") is True for entry in certain)
            lines.append(f"When you were certain, you were right {hits} of {len(certain)} times.")
        earned, total = (sum(numbers) for numbers in zip(*(each.points for each in self.standings), strict=True))
        return [*lines, f"Exercises: {earned} of {total} points."]

    @property
    def to_reread(self) -> list[tuple[Lesson, int]]:
        """Lessons with questions that were missed and not answered right since, with the number of these."""
        counts = ((each.lesson, sum(is_missed(entry) for entry in _course_answers(each))) for each in self.standings)
        return [(lesson, count) for lesson, count in counts if count]

    def __repr__(self) -> str:
        rows = [("", "lesson", "path", "reading", "predictions", "quiz", "exercises", "points")]
        rows += [(each.mark, each.lesson.file[:-6], each.lesson.path, *_cells(each)) for each in self.standings]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        steps = ", then ".join(f"{step.words} ({step.href})" for step in self.next)
        return "\n".join([*table, *self.summary, *self._notes(), f"Next: {steps}" if steps else _ALL_DONE])

    def _repr_markdown_(self) -> str:
        steps = ", then ".join(step.link for step in self.next)
        head = (
            "| | lesson | path | reading | predictions | quiz | exercises | points |\n|---|---|---|---|---|---|---|---|"
        )
        rows = [_markdown_row(each) for each in self.standings]
        reread = ", ".join(f"[lesson {each.number}](lessons/{each.file}) ({count})" for each, count in self.to_reread)
        missed = [f"Missed, and asked again in reviews: {reread}."] if reread else []
        told = "  \n".join([*self.summary, *missed, *self._notes()])
        note = (
            "✓ done, … begun. Minutes follow a model: 180 words a minute, 8 seconds a line of code, 45 seconds a "
            "question, and for each exercise the minutes that its kind takes."
        )
        return "\n\n".join([f"**Next: {steps}**" if steps else _ALL_DONE, told, "\n".join([head, *rows]), f"*{note}*"])

    def _notes(self) -> list[str]:
        newer = "Your progress file was written by a newer version of autograd_teach: new results are not saved. Install that version."
        return [newer] if self.newer else []


_ALL_DONE = "You have done everything. Lesson 17 says where to read on."


def home(folder: str | Path | None = None) -> Home:
    """The home page of the course in `folder`, by default the folder of the notebook.

    >>> home("a folder in which nothing was done").next[0].words[:9]
    'lesson 00'
    """
    root = course_root(Path(folder) if folder is not None else Path.cwd())
    places = [root, root / "exercises", root / "lessons"]
    predictions: dict[str, Entry] = {}
    solved: dict[str, Entry] = {}
    for place in places:
        predictions |= progress_file.predictions(place)
        solved |= {id: _better(entry, solved.get(id)) for id, entry in progress_file.entries(place).items()}
    standings = tuple(
        Standing(lesson, *_minutes(lesson), predictions=predictions, solved=solved) for lesson in syllabus()
    )
    return Home(standings, any(is_newer(place) for place in places))


def is_course(folder: Path) -> bool:
    """Whether a notebook of the course or a progress file is in `folder`, in its `lessons/` or its `exercises/`."""
    root = course_root(folder)
    names = [progress_file.NAME, *(lesson.file for lesson in syllabus())]
    return any((root / inside / name).is_file() for inside in ("", "exercises", "lessons") for name in names)


def course_root(folder: Path) -> Path:
    """The root of the course that `folder` belongs to: it holds `lessons/` or `exercises/`. Else `folder` itself."""
    folder = Path(os.path.abspath(folder))
    near = [folder, folder.parent] if folder.name in ("lessons", "exercises") else [folder]
    return next((each for each in near if (each / "lessons").is_dir() or (each / "exercises").is_dir()), folder)


# ---- the page ---------------------------------------------------------------------------------------------------------


def write_page(folder: Path) -> bool:
    """Update or create `folder`/home.ipynb. Returns whether it can be opened.

    Only the output of the course's own cell changes, and only if its source is unchanged: everything else in the notebook
    belongs to the student. A file that is not a notebook or does not have this cell is left alone.
    """
    path, shown = folder / PAGE, _output(home(folder))
    try:
        if files.add(path, _as_file(_new_page(shown))):
            return True
        notebook = read_json(path.read_bytes())
        cell = next((each for each in notebook["cells"] if each.get("id") == CELL), None)
        if cell and "".join(cell["source"]) == SOURCE and cell.get("outputs") != [shown]:
            cell.update(outputs=[shown], execution_count=None)
            files.replace(path, _as_file(notebook))
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    except OSError:
        return path.is_file()
    return True


def _new_page(shown: dict[str, Any]) -> dict[str, Any]:
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": TITLE}
    cell: dict[str, Any] = {"cell_type": "code", "id": CELL, "metadata": {}, "source": SOURCE}
    cell |= {"execution_count": None, "outputs": [shown]}
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {"cells": [title, cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _output(page: Home) -> dict[str, Any]:
    data = {"text/markdown": page._repr_markdown_(), "text/plain": repr(page)}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _as_file(notebook: dict[str, Any]) -> bytes:
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


# ---- parts of the view ------------------------------------------------------------------------------------------------


def _cells(standing: Standing) -> tuple[str, str, str, str, str]:
    """Minutes, predictions, quiz, exercises, points."""
    quiz = f"{sum(standing.quiz)} of {len(quiz_of(standing.lesson.number))}" if standing.quiz else ""
    earned, total = standing.points
    done = len(standing.exercises) - len(standing.open_exercises)
    practice = f"{done} of {len(standing.exercises)}, {standing.practice} min" if total else ""
    return (
        f"{standing.reading} min",
        f"{standing.answered} of {len(standing.asked)}",
        quiz,
        practice,
        f"{earned} of {total}" if total else "",
    )


def _markdown_row(standing: Standing) -> str:
    reading, predictions, quiz, practice, points = _cells(standing)
    link = f"[{standing.lesson.name}](lessons/{standing.lesson.file})"
    unbroken = (standing.lesson.path, reading, predictions, quiz, practice, points)
    path, reading, predictions, quiz, practice, points = (each.replace(" ", "\u00a0") for each in unbroken)
    if practice:
        practice = f"[{practice}](exercises/{standing.lesson.file})"
    return f"| {standing.mark} | {link} | {path} | {reading} | {predictions} | {quiz} | {practice} | {points} |"


def _course_answers(standing: Standing) -> Iterator[Entry]:
    """The answers to all questions of the lesson, including its quiz."""
    questions = load_questions(standing.lesson.number).values()
    return iter(standing._answers(list(questions)))


def _in_reading_order(standings: Sequence[Standing]) -> list[Standing]:
    """The lessons in order, with those for reference last."""
    return sorted(standings, key=lambda each: each.lesson.path == "reference")


def _lesson_step(standing: Standing) -> Step:
    done = f" ({standing.answered} of {len(standing.asked)} predictions made)" if standing.answered else ""
    return Step(f"lesson {standing.lesson.name}{done}", f"lessons/{standing.lesson.file}")


def _quiz_step(standing: Standing) -> Step:
    return Step(f"the quiz at the end of lesson {standing.lesson.number}", f"lessons/{standing.lesson.file}")


def _exercise_step(exercise: Exercise) -> Step:
    lesson = next(each for each in syllabus() if each.number == exercise.id[:2])
    return Step(f"exercise {exercise.id[:2]} {exercise.entry}", f"exercises/{lesson.file}")


def _better(entry: Entry, other: Entry | None) -> Entry:
    return other if other and other.get("passed") is True else entry


def _minutes(lesson: Lesson) -> tuple[int, int]:
    path = next(each for each in reading_time.lesson_paths() if each.name == lesson.file)
    practice = reading_time.exercise_minutes(reading_time.exercise_path(path))
    return reading_time.shown(reading_time.reading_minutes(path)), reading_time.shown(practice)
