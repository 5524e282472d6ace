"""What `predict`, `review` and `quiz` share: a question and its answers as text, Markdown or a widget.

May use anywidget, which is imported when a question is first shown in a notebook. The widget holds the explanations, so
a reader can answer without a kernel or a server. The kernel stores the answers.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .errors import UserError
from .progress_file import DONT_KNOW, Given
from .question import QUESTIONS, Question
from .rich_text import as_html, as_plain

CONFIDENCE = {1: "a guess", 2: "fairly sure", 3: "certain"}
"""How sure a reader is of an answer, as stored and in words."""

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

Note = Callable[[str, Given], None]
"""Callback, called with a question's id and the reader's answers after each answer."""


def is_done(question: Question, given: Given | None) -> bool:
    """Whether the reader has found the right answer or has asked for the explanation."""
    return given is not None and given.last in (question.right.letter, DONT_KNOW)


def lesson_file(lesson: str) -> str:
    """The file name of the lesson with this number.

    >>> lesson_file("03")
    '03_the_graph.ipynb'
    """
    return next(path.stem for path in QUESTIONS.glob(f"{lesson}_*.toml")) + ".ipynb"


# ---- as text ----------------------------------------------------------------------------------------------------------


def plain_question(question: Question, head: str, given: Given | None = None, indent: str = "") -> str:
    """The question, its choices and, once it is answered, the verdict, as text for a terminal."""
    lines = [as_plain(f"{head}{_gap(question)}{question.text}", indent)]
    lines += [indent + as_plain(f"  {c.letter}) {c.text}", f"{indent}     ") for c in question.choices]
    lines += [indent + as_plain(verdict(question, given), indent)] if given else []
    return "\n".join(lines)


def markdown_question(question: Question, head: str, given: Given | None = None) -> str:
    """The same as Markdown. The explanation is folded until the reader has finished the question."""
    parts = [
        f"**{head}**{_gap(question)}{question.text}",
        "\n".join(f"- **{c.letter}**&ensp;{c.text}" for c in question.choices),
    ]
    parts += [verdict(question, given)] if given else []
    parts += [] if is_done(question, given) else [_folded(question)]
    return "\n\n".join(parts)


def _gap(question: Question) -> str:
    """The space between the head and the question: code begins on its own line."""
    return "\n\n" if question.text.startswith("```") else " "


def verdict(question: Question, given: Given) -> str:
    """Whether the last answer is right and why, as Markdown.

    The explanation is added once the reader has finished the question.
    """
    choice = question.choice(given.last)
    if choice is None:
        text = f"**The answer is {question.right.letter}.** {question.right.why}"
    else:
        text = f"**{'Right' if choice.right else 'Not so'}: {choice.letter}.** {choice.why}"
    if is_done(question, given) and question.explanation:
        text += f"\n\n{question.explanation}"
    return f"{text}\n\n{_first_answer(given)}" if given.first != given.last or given.sure else text


def _first_answer(given: Given) -> str:
    said = "you did not know" if given.first == DONT_KNOW else given.first
    return f"Your first answer, the one that counts: {said}{f', {CONFIDENCE[given.sure]}' if given.sure else ''}."


def _folded(question: Question) -> str:
    right = question.right
    others = "\n".join(f"- **Not {c.letter}.** {c.why}" for c in question.choices if not c.right)
    told = [f"**{right.letter} is right.** {right.why}", *filter(None, [question.explanation]), others]
    inner = "\n\n".join(told)
    return f"<details><summary>Answer and explanation</summary>\n\n{inner}\n\n</details>"


# ---- as a widget ------------------------------------------------------------------------------------------------------


def mimebundle(
    text: str,
    markdown: str,
    kind: str,
    asked: str,
    title: str,
    questions: Sequence[Question],
    given: Mapping[str, Given | None],
    note: Note,
) -> dict[str, Any]:
    """The MIME bundle that a notebook displays: the widget, with text and Markdown as a fallback.

    `kind`("`asked`") is the call that shows it: `predict("01.leaf")`, `review("05")`, `quiz("05")`.
    note: called with each new answer.
    """
    states = [for_widget(question) for question in questions]
    answers = {id: _as_state(each) for id, each in given.items() if each is not None}
    widget = _widget_class()(kind=kind, title=title, questions=states, answers=answers)
    widget.observe(_noting({question.id: question for question in questions}, note), "answers")
    bundle: Any = widget._repr_mimebundle_()
    shown = bundle[0] if isinstance(bundle, tuple) else bundle or {}
    # viz/jupyter reads from this what to show instead, and which call makes a new widget
    ours = {"autograd_teach": True, "kind": kind, "asked": asked}
    view = {type: value | ours for type, value in shown.items() if type == WIDGET_VIEW}
    return {"text/plain": text, "text/markdown": markdown, **view}


def for_widget(question: Question) -> dict[str, Any]:
    """The question as the browser needs it to ask it and to judge the answer."""
    return {
        "id": question.id,
        "text": as_html(question.text),
        "choices": [
            {"letter": c.letter, "text": as_html(c.text), "why": as_html(c.why), "right": c.right}
            for c in question.choices
        ],
        "explanation": as_html(question.explanation),
        "lesson": question.lesson,
        "file": lesson_file(question.lesson),
    }


def _as_state(given: Given) -> dict[str, Any]:
    return {"first": given.first, "last": given.last, "sure": given.sure, "tries": given.tries}


def _noting(questions: Mapping[str, Question], note: Note) -> Callable[[Any], None]:
    """The observer of the answers that the browser sends: it notes each new and well-formed answer."""

    def changed(change: Any) -> None:
        for id, state in change["new"].items():
            given = _from_state(state)
            if id in questions and state != (change["old"] or {}).get(id) and given and _fits(questions[id], given):
                note(id, given)
                change["owner"].send({"type": "stored", "id": id})  # without this, the page warns

    return changed


def _from_state(state: Any) -> Given | None:
    if not isinstance(state, dict):
        return None
    sure, tries = state.get("sure"), state.get("tries")
    tries = tries if isinstance(tries, int) else 1
    return Given(str(state.get("first")), str(state.get("last")), sure if sure in CONFIDENCE else None, tries)


def _fits(question: Question, given: Given) -> bool:
    letters = {choice.letter for choice in question.choices} | {DONT_KNOW}
    return {given.first, given.last} <= letters


@cache
def _widget_class() -> Any:
    """The widget class, made at the first display: a terminal does not need ipywidgets."""
    import anywidget
    import traitlets

    here = Path(__file__)

    class QuestionsWidget(anywidget.AnyWidget):
        _esm = here.with_name("predict.js").read_text(encoding="utf-8")
        _css = here.with_name("predict.css").read_text(encoding="utf-8")
        kind = traitlets.Unicode("predict").tag(sync=True)
        title = traitlets.Unicode().tag(sync=True)
        questions: Any = traitlets.List().tag(sync=True)
        answers: Any = traitlets.Dict().tag(sync=True)

    return QuestionsWidget


def answer_in(question: Question, answer: object) -> str:
    """The letter (or `DONT_KNOW`) that a reader has written, for example in `" B) "`.

    Raises `UserError` if the question does not have this choice.
    """
    letter = re.sub(r"[.)]+$", "", str(answer).strip().lower())
    letters = [choice.letter for choice in question.choices]
    if letter not in (*letters, DONT_KNOW):
        raise UserError(
            f"Question {question.id} has no answer {answer!r}; choose one of {', '.join(letters)}, "
            f'or "{DONT_KNOW}" if you do not know.'
        )
    return letter
