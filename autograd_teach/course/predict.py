"""Predict-first questions: a lesson asks, the reader chooses an answer and reads why it is right or wrong.

A lesson imports `predict`, and `review` and `quiz` from retrieval.py. Answers are stored in the progress file; the first
one is the prediction that counts.
"""

from dataclasses import dataclass
from typing import Any

from . import progress_file
from .asking import CONFIDENCE, answer_in, is_done, markdown_question, mimebundle, plain_question
from .errors import UserError
from .progress_file import DONT_KNOW, Given, given_in, note_prediction
from .question import Question, load_question
from .retrieval import quiz, review
from .rich_text import as_plain

__all__ = ["Prediction", "predict", "quiz", "review"]


@dataclass(frozen=True)
class Prediction:
    """A question as a notebook shows it, with the reader's answers if there are any."""

    question: Question
    given: Given | None = None

    def __repr__(self) -> str:
        text = plain_question(self.question, "Predict:", self.given)
        return text if is_done(self.question, self.given) else f"{text}\n{as_plain(self._how())}"

    def _repr_markdown_(self) -> str:
        text = markdown_question(self.question, "Predict:", self.given)
        return text if is_done(self.question, self.given) else f"{text}\n\n*{self._how()}*"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        question = self.question
        given = {question.id: self.given}
        text, markdown = repr(self), self._repr_markdown_()
        return mimebundle(text, markdown, "predict", question.id, "Predict", [question], given, note)

    def _how(self) -> str:
        if self.given:
            return f'For the explanation: predict("{self.question.id}", "{DONT_KNOW}")'
        return f'Run this cell to pick an answer, or write it: predict("{self.question.id}", "a")'


def predict(question: str, answer: str | None = None, sure: int | None = None) -> Prediction:
    """Ask the question with this id. An earlier answer is shown with its verdict.

    answer: a letter, or "?" for "I don't know"; it is stored, and its verdict shown. sure: 1 (a guess), 2 (fairly sure) or
    3 (certain). Returns an object that a notebook shows as a widget and a terminal as text. Raises `UserError` if the
    question, the answer or the confidence does not exist.

    >>> print(str(predict("01.default")).splitlines()[0][:8])
    Predict:
    """
    asked = load_question(question)
    if sure is not None and sure not in CONFIDENCE:
        words = ", ".join(f"{number} ({word})" for number, word in CONFIDENCE.items())
        raise UserError(f"There is no confidence {sure!r}; choose one of {words}, or leave `sure` out.")
    if answer is not None:
        letter = answer_in(asked, answer)
        note(asked.id, Given(letter, letter, sure))
    return Prediction(asked, given_in(progress_file.predictions().get(asked.id, {})))


def note(id: str, given: Given) -> None:
    """Store the reader's answers to a question."""
    note_prediction(id, given, right=given.first == load_question(id).right.letter)
