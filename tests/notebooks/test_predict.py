"""Predict-first questions: the files, the answers, and what a page without a kernel shows.

Their widget is looked at in tests/browser/test_widget_page.py.
"""

import tomllib

import pytest

from autograd_teach.course import predict as module
from autograd_teach.course.errors import UserError
from autograd_teach.course.predict import Question, lessons, load_questions, predict

WIDGET = "application/vnd.jupyter.widget-view+json"
ALL = [question for number in lessons() for question in load_questions(number).values()]

each_question = pytest.mark.parametrize("question", ALL, ids=lambda question: question.id)


@each_question
def test_has_exactly_one_right_answer_and_an_explanation_for_each(question: Question) -> None:
    assert sum(choice.right for choice in question.choices) == 1
    assert len(question.choices) >= 3
    assert not question.text.startswith("```"), "a sentence first: it becomes the legend's first line"
    assert all(len(choice.why) > 30 for choice in question.choices)
    assert len({choice.why for choice in question.choices}) == len(question.choices)


def test_the_right_answer_is_not_always_at_the_same_place() -> None:
    places = [choice.letter for question in ALL for choice in question.choices if choice.right]
    assert max(places.count(letter) for letter in "abcd") < 0.5 * len(places)


def test_question_files_hold_nothing_that_is_not_read() -> None:
    for path in sorted(module.QUESTIONS.iterdir()):
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            assert set(entry) == {"question", "choices"}, name
            assert all(set(c) - {"right"} == {"text", "why"} for c in entry["choices"]), name


def words(text: str) -> str:
    """A text without line breaks and marks of emphasis, which a terminal and a page show each in its own way."""
    return " ".join(text.replace("*", "").split())


@each_question
def test_each_answer_gets_its_own_explanation(question: Question) -> None:
    for choice in question.choices:
        shown = words(str(predict(question.id, f" {choice.letter.upper()}) ")))
        assert words(choice.why) in shown
        assert ("Right: " in shown) == choice.right
        assert not any(words(other.why) in shown for other in question.choices if other is not choice)


@each_question
def test_as_text_a_question_fits_a_terminal_and_keeps_its_code(question: Question) -> None:
    for choice in question.choices:
        shown = str(predict(question.id, choice.letter))
        assert max(map(len, shown.splitlines())) <= module.WIDTH
        for code in question.text.split("```")[1::2]:
            assert all(f"    {line}" in shown.splitlines() for line in code.strip().splitlines())


@each_question
def test_an_unanswered_question_gives_nothing_away(question: Question) -> None:
    bundle = predict(question.id)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/markdown", WIDGET}
    for kind in ("text/plain", "text/markdown"):
        assert all(words(choice.text) in words(bundle[kind]) for choice in question.choices)
        assert not any(words(choice.why) in words(bundle[kind]) for choice in question.choices)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("01.nothing",), "There is no question '01.nothing'; the ids known here are 01.default, "),
        (("99.leaf",), "There is no question '99.leaf'; the ids known here are 00."),
        (("01.leaf", "x"), "Question 01.leaf has no answer 'x'; choose one of a, b, c, d."),
        (("01.leaf", ""), "Question 01.leaf has no answer ''; choose one of a, b, c, d."),
    ],
)
def test_what_does_not_exist_is_said_in_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        predict(*arguments)
    assert str(caught.value).startswith(sentence)
    assert caught.value._render_traceback_() == [f"UserError: {caught.value}"], "one line in a notebook"
