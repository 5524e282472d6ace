"""Retrieval practice: `review` opens a lesson with questions of earlier lessons, `quiz` closes it with five of its own.

The questions of a review depend only on the progress file; without one the choice is fixed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from . import progress_file
from .asking import markdown_question, mimebundle, plain_question
from .errors import UserError
from .progress_file import Entry, Given, given_in, note_prediction, note_recall
from .question import Question, lessons, load_question, load_questions, quiz_of

REVIEWED = 3
"""The number of questions in a review."""


@dataclass(frozen=True)
class Series:
    """Several questions, asked one after another in one view."""

    kind: Literal["review", "quiz"]
    lesson: str
    questions: tuple[Question, ...]
    given: Mapping[str, Given | None]

    def __repr__(self) -> str:
        if not self.questions:
            return self._empty()
        asked = [
            plain_question(question, f"{number}.{self._from(question)}", self.given.get(question.id), "   ")
            for number, question in enumerate(self.questions, 1)
        ]
        return "\n".join([f"{self.title}", *asked, self._closing()])

    def _repr_markdown_(self) -> str:
        if not self.questions:
            return f"*{self._empty()}*"
        asked = [
            markdown_question(question, f"{number}.{self._from(question)}", self.given.get(question.id))
            for number, question in enumerate(self.questions, 1)
        ]
        return "\n\n".join([f"**{self.title}**", *asked, f"*{self._closing()}*"])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        text, markdown = repr(self), self._repr_markdown_()
        if not self.questions:
            return {"text/plain": text, "text/markdown": markdown}
        note = partial(_note_review, self.lesson) if self.kind == "review" else _note_quiz
        return mimebundle(text, markdown, self.kind, self.lesson, self.title, self.questions, self.given, note)

    @property
    def title(self) -> str:
        """The heading."""
        if self.kind == "quiz":
            return f"Quiz of lesson {self.lesson}: {_counted(len(self.questions))}"
        return f"Review: {_counted(len(self.questions))} from earlier lessons"

    def _from(self, question: Question) -> str:
        return f" (lesson {question.lesson})" if self.kind == "review" else ""

    def _empty(self) -> str:
        if self.kind == "quiz":
            return f"Lesson {self.lesson} does not have a quiz."
        return f"There is nothing to review before lesson {self.lesson}."

    def _closing(self) -> str:
        answers = [(question, self.given.get(question.id)) for question in self.questions]
        right = [given.first == question.right.letter for question, given in answers if given]
        if len(right) < len(answers):
            return "Run this cell to answer here."
        return f"{sum(right)} of {len(right)} right at the first answer."


def _counted(number: int) -> str:
    return "1 question" if number == 1 else f"{number} questions"


def review(lesson: str) -> Series:
    """Ask three questions of the lessons before `lesson`: missed ones first, then those asked longest ago.

    lesson: its number, for example "05". Of the missed questions, those answered with the most confidence come first. If
    fewer than three questions were answered, others from the earlier lessons are added. Questions that this review has
    already asked are shown again with their answers. Raises `UserError` if the lesson does not exist.
    """
    _require(lesson)
    known = progress_file.predictions()
    chosen = choose(lesson, known)
    recalls = {question.id: _recall(known.get(question.id, {}), lesson) for question in chosen}
    given = {id: given_in(recall) if recall else None for id, recall in recalls.items()}
    return Series("review", lesson, tuple(chosen), given)


def quiz(lesson: str) -> Series:
    """Ask the questions of the closing quiz of `lesson` (its number, for example "05").

    Raises `UserError` if the lesson does not exist.
    """
    _require(lesson)
    known = progress_file.predictions()
    questions = tuple(quiz_of(lesson))
    return Series("quiz", lesson, questions, {each.id: given_in(known.get(each.id, {})) for each in questions})


def choose(lesson: str, known: Mapping[str, Entry], count: int = REVIEWED) -> list[Question]:
    """The `count` questions for the review in `lesson`. known: the result of `progress_file.predictions()`."""
    pool = [q for number in lessons() if number < lesson for q in load_questions(number).values()]
    answered = [question for question in pool if given_in(known.get(question.id, {}))]

    def order(question: Question) -> tuple[int, int, str]:
        entry = known[question.id]
        if _recall(entry, lesson) is not None:
            return 0, 0, question.id  # this review has already asked it
        sure, when = entry.get("sure"), entry.get("when")
        asked = when if isinstance(when, str) else ""
        return (1, -sure if isinstance(sure, int) else 0, asked) if is_missed(entry) else (2, 0, asked)

    never = [question for question in _spread(lesson, pool) if question not in answered]
    return [*sorted(answered, key=order), *never][:count]


def is_missed(entry: Entry) -> bool:
    """Whether the answer was wrong the last time the question was asked: in the last review, or else in its lesson."""
    recall = entry.get("recall")
    latest = recall if isinstance(recall, dict) and given_in(recall) else entry
    return given_in(latest) is not None and latest.get("right") is not True


def _recall(entry: Entry, lesson: str) -> Entry | None:
    """What the review in `lesson` stored, unless the review of a later lesson has asked the question since."""
    recall = entry.get("recall")
    return recall if isinstance(recall, dict) and recall.get("lesson") == lesson and given_in(recall) else None


def _spread(lesson: str, pool: Sequence[Question]) -> list[Question]:
    """All of `pool`, first one question each of the first, the middle and the last lesson, then the others."""
    names = list(dict.fromkeys(question.lesson for question in pool))
    left = {name: [question for question in pool if question.lesson == name] for name in names}
    for name, questions in left.items():  # so that reviews do not ask the same question of a lesson
        start = int(lesson) % len(questions)
        left[name] = questions[start:] + questions[:start]
    middle = names[(len(names) - 1) // 2 : (len(names) - 1) // 2 + 1]
    order = [*names[:1], *middle, *names[-1:]]
    spread = [left[name].pop(0) for name in order if left[name]]
    return spread + [question for name in reversed(names) for question in left[name]]


def _require(lesson: str) -> None:
    if lesson not in lessons():
        raise UserError(f"There is no lesson {lesson!r}; there are {', '.join(lessons())}.")


def _note_review(lesson: str, id: str, given: Given) -> None:
    note_recall(id, lesson, given, right=given.first == load_question(id).right.letter)


def _note_quiz(id: str, given: Given) -> None:
    note_prediction(id, given, right=given.first == load_question(id).right.letter)
