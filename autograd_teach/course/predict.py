"""Predict-first questions: a lesson asks, the reader commits to an answer, and is told why it is right or wrong.

May use the question files in questions/ and anywidget. The explanations travel with the widget, so answering needs
neither a kernel nor a server; a page without a kernel shows the question and its choices as text.
"""

import html
import re
import textwrap
import tomllib
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from .errors import UserError

QUESTIONS = Path(__file__).with_name("questions")
WIDTH = 88
"""The longest line of a question as plain text, in characters."""

_FENCED = re.compile(r"^```\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Choice:
    """One answer the reader can pick, whether it is right, and the explanation given to whoever picks it."""

    letter: str
    text: str
    why: str
    right: bool


@dataclass(frozen=True)
class Question:
    """A question of a lesson; `id` is the lesson's number and a name, as in `01.leaf`."""

    id: str
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Prediction:
    """A question as shown in a notebook, with the reader's answer (a letter) where it was given in code."""

    question: Question
    answer: str = ""

    def __repr__(self) -> str:
        question = self.question
        lines = [
            _as_plain(f"Predict: {question.text}"),
            *(_as_plain(f"  {c.letter}) {c.text}", indent=" " * 5) for c in question.choices),
            _as_plain(self._verdict()) or self._how(),
        ]
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        question = self.question
        choices = "\n".join(f"- **{c.letter}**&ensp;{c.text}" for c in question.choices)
        return f"**Predict:** {question.text}\n\n{choices}\n\n{self._verdict() or f'*{self._how()}*'}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        widget = _widget_class()(question=_for_widget(self.question), picked=self.answer)
        bundle: Any = widget._repr_mimebundle_()
        shown = bundle[0] if isinstance(bundle, tuple) else bundle or {}
        view = {kind: value for kind, value in shown.items() if kind.startswith("application/")}
        return {"text/plain": repr(self), "text/markdown": self._repr_markdown_(), **view}

    def _how(self) -> str:
        return f'Run this cell to pick an answer, or write it: predict("{self.question.id}", "a")'

    def _verdict(self) -> str:
        for choice in self.question.choices:
            if choice.letter == self.answer:
                return f"{'Right' if choice.right else 'Not so'}: {choice.letter}. {choice.why}"
        return ""


def predict(question: str, answer: str | None = None) -> Prediction:
    """Ask the question with this id; with `answer` (a letter) also say whether that is right, and why.

    `UserError` where there is no such question or choice.

    >>> print(str(predict("01.default")).splitlines()[0][:8])
    Predict:
    """
    asked = load_question(question)
    if answer is None:
        return Prediction(asked)
    letter = str(answer).strip().lower().rstrip(".)")
    letters = [choice.letter for choice in asked.choices]
    if letter not in letters:
        raise UserError(f"Question {question} has no answer {answer!r}; choose one of {', '.join(letters)}.")
    return Prediction(asked, letter)


def load_question(id: str) -> Question:
    """The question with this id, or a `UserError` that names the ones there are."""
    lesson, _, name = str(id).partition(".")
    known = load_questions(lesson)
    if name not in known:
        ids = ", ".join(known[k].id for k in known) or ", ".join(f"{n}.…" for n in lessons())
        raise UserError(f"There is no question {id!r}; the ids known here are {ids}.")
    return known[name]


def lessons() -> list[str]:
    """The numbers of the lessons that have questions, as `01`."""
    return sorted(path.name[:2] for path in QUESTIONS.glob("[0-9][0-9]_*.toml"))


@cache
def load_questions(lesson: str) -> dict[str, Question]:
    """All questions of a lesson (its number, as `01`) by name; none where it has no file."""
    found: dict[str, Question] = {}
    for path in sorted(QUESTIONS.glob(f"{lesson}_*.toml")) if lesson in lessons() else []:
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            choices = tuple(
                Choice(letter, c["text"].strip(), c["why"].strip(), c.get("right", False))
                for letter, c in zip("abcdef", entry["choices"], strict=False)
            )
            found[name] = Question(f"{lesson}.{name}", entry["question"].strip(), choices)
    return found


def _for_widget(question: Question) -> dict[str, Any]:
    return {
        "text": _as_html(question.text),
        "choices": [
            {"letter": c.letter, "text": _as_html(c.text), "why": _as_html(c.why), "right": c.right}
            for c in question.choices
        ],
    }


def _as_plain(text: str, indent: str = "") -> str:
    """As a terminal shows it: lines of its width, fenced code as an indented block, no marks of emphasis."""
    parts = _FENCED.split(text)
    parts[::2] = [_wrapped(part, indent) for part in parts[::2]]
    parts[1::2] = ["\n" + textwrap.indent(part, "    ") for part in parts[1::2]]
    return "".join(parts)


def _wrapped(text: str, indent: str) -> str:
    spans = text.split("`")
    spans[::2] = [re.sub(r"\*([^*\s][^*]*)\*", r"\1", span) for span in spans[::2]]
    lines = "`".join(spans).split("\n")
    fill = partial(textwrap.fill, width=WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(fill, lines))


def _as_html(text: str) -> str:
    """The little Markdown that questions use: paragraphs, fenced code, `code` and *emphasis*."""
    parts = []
    for number, part in enumerate(_FENCED.split(text)):
        if number % 2:
            parts.append(f"<pre>{html.escape(part.rstrip())}</pre>")
            continue
        for paragraph in filter(None, map(str.strip, part.split("\n\n"))):
            spans = re.split(r"`([^`]+)`", html.escape(paragraph, quote=False))
            spans[::2] = [re.sub(r"\*([^*]+)\*", r"<em>\1</em>", span) for span in spans[::2]]
            spans[1::2] = [f"<code>{span}</code>" for span in spans[1::2]]
            parts.append(f"<p>{''.join(spans)}</p>")
    return "".join(parts)


@cache
def _widget_class() -> Any:
    """The widget, made at the first display: reading a question in a terminal needs no ipywidgets."""
    import anywidget
    import traitlets

    class PredictWidget(anywidget.AnyWidget):
        _esm = (QUESTIONS.parent / "predict.js").read_text(encoding="utf-8")
        _css = (QUESTIONS.parent / "predict.css").read_text(encoding="utf-8")
        question = traitlets.Dict().tag(sync=True)
        picked = traitlets.Unicode().tag(sync=True)

    return PredictWidget
