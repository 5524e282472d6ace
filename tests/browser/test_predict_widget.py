"""The browser's half of predictions, reviews and quizzes, with a model of our own in a bare page: no kernel, no notebook."""

from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course import asking
from autograd_teach.course.progress_file import Given
from autograd_teach.course.question import Choice, Question, load_question

CODE = Path(asking.__file__).with_name("predict.js")
CHECK, UNSURE, EXPLAIN = "Check my prediction", "I don't know", "Show the explanation"
CHOICES = (
    Choice("a", "One", "One is `wrong`.", False),
    Choice("b", "Two", "Two is right.", True),
    Choice("c", "Three", "Three is <wrong>.", False),
)
ASKED = Question("03.leaf", "Which is $x^2$?", CHOICES, "The rule: $\\frac{1}{x}$, see [it](glossary.ipynb#leaf).")
GIVEN_AWAY = ("is right", "is wrong", "The rule")


def state(kind: str = "predict", questions: tuple[Question, ...] = (ASKED,), **given: Given) -> dict[str, Any]:
    """A widget's state; `given` by the question's name."""
    answers = {f"03.{name}": asking._as_state(each) for name, each in given.items()}
    shown = [asking.for_widget(question) for question in questions]
    return {"kind": kind, "title": "Quiz of lesson 03", "questions": shown, "answers": answers}


@pytest.fixture
def show(bare: Any) -> Any:
    """Show states in a bare page."""
    return lambda *states: bare.show(*states, widget=CODE)


def answers(page: Any) -> dict[str, Any]:
    """What the page has told the model."""
    return page.evaluate("() => models[0].get('answers')")


def answer_of(page: Any, letter: str) -> None:
    page.locator("label:visible", has=page.locator(f"b:text-is('{letter}')")).click()
    page.locator(".agt-predict-check:visible").click()


def assert_nothing_is_given_away(page: Any) -> None:
    seen = page.locator(".agt-predict").evaluate("(node) => node.outerHTML")
    assert not [words for words in GIVEN_AWAY if words in seen]


def test_a_question_is_answered_by_keyboard_alone(show: Any) -> None:
    question = load_question("01.leaf")
    wrong, right = question.choices[0], question.choices[1]
    page = show(state(questions=(question,)))
    assert "Is w a leaf" in page.locator("legend").first.inner_text()
    page.get_by_role("button", name=CHECK).press("Enter")
    status = page.get_by_role("status")
    assert status.inner_text() == "Pick one of the answers first."

    page.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    assert "Not so. (a)" in status.inner_text()
    assert wrong.why.split("`")[0] in status.inner_text()

    page.keyboard.press("ArrowDown")
    assert status.inner_text() == "", "moving on must not check, nor leave the verdict on another answer"
    page.keyboard.press("Enter")
    assert "Right. (b)" in status.inner_text()
    assert right.why.split("`")[0].strip() in status.inner_text()
    assert answers(page) == {"01.leaf": {"first": "a", "last": "b", "sure": None, "tries": 2}}
    assert page.evaluate("() => models[0].saved") == 2
    own = ":is(input, button):not([data-lm-suppress-shortcuts])"
    assert page.locator(own).count() == 0, "JupyterLab would take its keys"


def test_explanations_come_into_the_page_after_an_answer_only(show: Any) -> None:
    page = show(state())
    assert_nothing_is_given_away(page)
    page.get_by_text("fairly sure").click()
    answer_of(page, "a")
    verdict = page.get_by_role("status")
    assert "One is wrong." in verdict.inner_text()
    assert "The rule" not in verdict.inner_text()
    assert page.locator(".agt-predict-right").count() == 0, "the right one is not told yet"
    assert not page.locator(".agt-predict-sure").is_visible(), "the first answer is given"
    answer_of(page, "b")
    assert "Two is right." in verdict.inner_text()
    assert "The rule" in verdict.inner_text()
    assert verdict.locator("mfrac").count() == 1
    assert verdict.locator("a").get_attribute("href") == "glossary.ipynb#leaf"
    assert "the one that counts: a, fairly sure." in verdict.inner_text()
    assert answers(page) == {"03.leaf": {"first": "a", "last": "b", "sure": 2, "tries": 2}}


def test_who_does_not_know_is_told_and_counts_as_missed(show: Any) -> None:
    page = show(state())
    page.get_by_role("button", name=UNSURE).click()
    verdict = page.get_by_role("status").inner_text()
    assert "The answer is (b)" in verdict and "The rule" in verdict
    assert answers(page) == {"03.leaf": {"first": "?", "last": "?", "sure": None, "tries": 1}}


def test_after_a_wrong_answer_the_explanation_can_be_asked_for(show: Any) -> None:
    page = show(state())
    answer_of(page, "c")
    assert "Three is <wrong>." in page.get_by_role("status").inner_text(), "text, never markup"
    page.get_by_role("button", name=EXPLAIN).click()
    assert "The answer is (b)" in page.get_by_role("status").inner_text()
    assert answers(page)["03.leaf"] == {"first": "c", "last": "?", "sure": None, "tries": 2}


def test_once_the_answer_is_known_other_choices_are_explained_and_not_counted(show: Any) -> None:
    page = show(state())
    answer_of(page, "b")
    answer_of(page, "c")
    assert "Not so. (c)" in page.get_by_role("status").inner_text()
    assert page.get_by_role("button", name=EXPLAIN).count() == 0
    assert answers(page)["03.leaf"]["last"] == "b"


@pytest.mark.parametrize(
    ("given", "verdict", "label"),
    [
        (Given("b", "b"), "Right. (b)", "b"),
        (Given("a", "a", 3), "You were certain.", "a"),
        (Given("a", "b", 1, 2), "the one that counts: a, a guess.", "b"),
        (Given("?", "?"), "The answer is (b)", "b"),
        (Given("a", "?"), "The answer is (b)", "b"),
    ],
)
def test_an_earlier_answer_comes_back_with_its_verdict(show: Any, given: Given, verdict: str, label: str) -> None:
    page = show(state(leaf=given))
    assert verdict in page.get_by_role("status").inner_text()
    assert page.locator("label:is(.agt-predict-right, .agt-predict-wrong) b").inner_text() == label
    assert page.evaluate("() => models[0].saved") == 0


def test_a_second_view_of_a_question_agrees(show: Any) -> None:
    page = show(state())
    page.evaluate("() => models[0].set('answers', { '03.leaf': { first: 'b', last: 'b', sure: null, tries: 1 } })")
    assert "Right. (b)" in page.get_by_role("status").inner_text()


FIVE = tuple(Question(f"03.q{n}", f"Question {n}?", CHOICES, "The rule.") for n in range(5))


def test_a_quiz_asks_in_turn_and_says_how_it_went(show: Any) -> None:
    page = show(state("quiz", FIVE))
    assert_nothing_is_given_away(page)
    assert page.locator(".agt-predict-check:visible").inner_text() == "Check my answer"
    next_one = page.locator(".agt-predict-steps button").last
    for number, letters in enumerate(("b", "ab", "b", "?", "c")):
        assert page.locator(".agt-predict-place").inner_text() == f"Question {number + 1} of 5"
        assert page.locator("form:visible").count() == 1
        assert next_one.is_disabled()
        for letter in letters:
            page.get_by_role("button", name=UNSURE).click() if letter == "?" else answer_of(page, letter)
        next_one.click()
    summary = page.locator(".agt-predict-summary")
    assert "2 of 5 right at the first answer." in summary.inner_text()
    assert summary.get_by_role("link", name="lesson 03").get_attribute("href") == "03_the_graph.ipynb"
    assert page.evaluate("() => document.activeElement.className") == "agt-predict-summary"
    page.get_by_role("button", name="Back").click()
    assert "Not so. (c)" in page.locator("form:visible").inner_text()


def test_a_review_links_the_lessons_to_reread(show: Any) -> None:
    asked = (FIVE[0], Question("01.x", "Other?", CHOICES), FIVE[1])
    page = show(state("review", asked))
    assert page.locator(".agt-predict-place").inner_text() == "Question 1 of 3, from lesson 03"
    for letter in ("b", "a", "c"):
        answer_of(page, letter)
        page.locator(".agt-predict-steps button").last.click()
    links = page.locator(".agt-predict-summary a").all()
    assert [link.get_attribute("href") for link in links] == ["01_requires_grad.ipynb", "03_the_graph.ipynb"]


def test_a_series_goes_on_where_it_was_left(show: Any) -> None:
    page = show(state("quiz", FIVE, q0=Given("b", "b"), q1=Given("a", "?")))
    assert page.locator(".agt-predict-place").inner_text() == "Question 3 of 5"
    done = {question.id[3:]: Given("b", "b") for question in FIVE}
    page = show(state("quiz", FIVE, **done))
    assert "5 of 5 right" in page.locator(".agt-predict-summary").inner_text()
    assert "You know this lesson." in page.locator(".agt-predict-summary").inner_text()


@pytest.mark.parametrize("width", [1366, 600, 360])
def test_nothing_is_wider_than_the_page(show: Any, width: int) -> None:
    long = Question("03.leaf", "Code:\n```\n" + "x = x - 0.1 * x.grad " * 8 + "\n```\nWhat?", CHOICES)
    page = show(state(questions=(long,), leaf=Given("b", "b")))
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_an_answer_that_no_kernel_stores_is_told(timed: Any) -> None:
    """A kernel that was restarted is silent: the widget's other half is gone."""
    page = timed.show(state(), state(), kernel=True, widget=CODE)
    note = page.get_by_text("This answer is not stored")
    for model in (0, 1):
        box = page.locator(".cell").nth(model)
        box.get_by_role("radio").first.check()
        box.get_by_role("button", name=CHECK).click()
    page.evaluate("() => models[1].hear({ type: 'stored', id: '03.leaf' })")
    assert note.nth(0).is_hidden() and note.nth(1).is_hidden()
    timed.page.clock.run_for(5_000)
    assert note.nth(0).is_visible() and note.nth(1).is_hidden()
    page.evaluate("() => models[0].hear({ type: 'stored', id: '03.leaf' })")
    assert note.nth(0).is_hidden(), "a kernel that was busy has stored it after all"


def test_a_page_without_a_kernel_does_not_warn(timed: Any) -> None:
    page = timed.show(state(), widget=CODE)
    answer_of(page, "a")
    timed.page.clock.run_for(10_000)
    assert page.get_by_text("This answer is not stored").is_hidden()


def test_the_button_is_bold_until_the_answer_is_known(show: Any) -> None:
    page = show(state())
    weight = page.locator(".agt-predict-check").evaluate_handle("(node) => getComputedStyle(node)")
    assert weight.evaluate("(style) => style.fontWeight") == "600"
    answer_of(page, "a")
    assert weight.evaluate("(style) => style.fontWeight") == "600", "there is something left to find out"
    answer_of(page, "b")
    assert weight.evaluate("(style) => style.fontWeight") == "400"
    assert page.locator(".agt-predict-check").inner_text() == "Show why for another answer"
