"""The questions of the lessons, read from the files in questions/. Does not know readers' answers or Jupyter."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .errors import UserError

QUESTIONS = Path(__file__).with_name("questions")


@dataclass(frozen=True)
class Choice:
    """An answer that the reader can choose, whether it is right, and the reason, shown to a reader who chooses it."""

    letter: str
    text: str
    why: str
    right: bool


@dataclass(frozen=True)
class Question:
    """A question of a lesson. All texts are Markdown.

    id: the lesson's number and a name, for example `01.leaf`. explanation: shown after the answer; may be empty. quiz:
    whether the closing quiz of the lesson asks it, not the lesson itself.
    """

    id: str
    text: str
    choices: tuple[Choice, ...]
    explanation: str = ""
    quiz: bool = False

    @property
    def lesson(self) -> str:
        """The lesson's number, for example `01`."""
        return self.id.partition(".")[0]

    @property
    def right(self) -> Choice:
        """The right answer."""
        return next(choice for choice in self.choices if choice.right)

    def choice(self, letter: str) -> Choice | None:
        """The choice with this letter, if there is one."""
        return next((choice for choice in self.choices if choice.letter == letter), None)


def load_question(id: str) -> Question:
    """The question with this id. Raises `UserError` if there is none; its message names the known ids."""
    lesson, _, name = str(id).partition(".")
    known = load_questions(lesson)
    if name not in known:
        ids = ", ".join(known[k].id for k in known) or ", ".join(f"{n}.…" for n in lessons())
        raise UserError(f"There is no question {id!r}; the ids known here are {ids}.")
    return known[name]


@cache
def lessons() -> tuple[str, ...]:
    """The numbers of the lessons that have questions, in order, for example `01`."""
    return tuple(sorted(path.name[:2] for path in QUESTIONS.glob("[0-9][0-9]_*.toml")))


@cache
def load_questions(lesson: str) -> dict[str, Question]:
    """All questions of a lesson by name; empty if the lesson does not have a file. lesson: its number, for example `01`."""
    found: dict[str, Question] = {}
    for path in sorted(QUESTIONS.glob(f"{lesson}_*.toml")) if lesson in lessons() else []:
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            choices = tuple(
                Choice(letter, c["text"].strip(), c["why"].strip(), c.get("right", False))
                for letter, c in zip("abcdef", entry["choices"], strict=False)
            )
            explanation = entry.get("explanation", "").strip()
            quiz = entry.get("quiz", False)
            found[name] = Question(f"{lesson}.{name}", entry["question"].strip(), choices, explanation, quiz)
    return found


def asked_inside(lesson: str) -> list[Question]:
    """The questions that the lesson asks before its quiz, in the order of its file."""
    return [question for question in load_questions(lesson).values() if not question.quiz]


def quiz_of(lesson: str) -> list[Question]:
    """The questions of the lesson's closing quiz; empty if it does not have a quiz."""
    return [question for question in load_questions(lesson).values() if question.quiz]
