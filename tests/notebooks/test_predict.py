"""Predict-first questions: the files, the answers, what is stored, and what a page without a kernel shows.

Their widget is looked at in tests/browser/test_predict_widget.py, the choice of a review in tests/course/test_retrieval.py.
"""

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograd_teach.course import progress_file, question
from autograd_teach.course.asking import WIDGET_VIEW as WIDGET
from autograd_teach.course.asking import _noting, mimebundle
from autograd_teach.course.errors import UserError
from autograd_teach.course.predict import Prediction, predict
from autograd_teach.course.progress_file import Given
from autograd_teach.course.question import Choice, Question, lessons, load_questions
from autograd_teach.course.rich_text import WIDTH, as_html, as_plain

ALL = [question for number in lessons() for question in load_questions(number).values()]
EXPLAINED = Question(
    "01.leaf",
    "Is $x^2$ right?",
    (Choice("a", "No", "Look again at $x$.", False), Choice("b", "Yes", "It is $x^2$.", True)),
    "The rule: $\\frac{a}{b}$.\n\n- see [it](glossary.ipynb#leaf)",
)

each_question = pytest.mark.parametrize("question", ALL, ids=lambda question: question.id)


@pytest.fixture(autouse=True)
def student_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, and a process that remembers nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(progress_file.SWITCH, raising=False)
    monkeypatch.setattr(progress_file, "_in_memory", {})
    monkeypatch.setattr(progress_file, "_unsaved", set())
    return tmp_path


def restart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_file, "_in_memory", {})


# ---- the files --------------------------------------------------------------------------------------------------------


@each_question
def test_has_exactly_one_right_answer_and_an_explanation_for_each(question: Question) -> None:
    assert sum(choice.right for choice in question.choices) == 1
    assert len(question.choices) >= 3
    assert all(choice.why for choice in question.choices)
    assert len({choice.why for choice in question.choices}) == len(question.choices)


@each_question
def test_its_formulas_and_marks_are_all_understood(question: Question) -> None:
    whys = [part for choice in question.choices for part in (choice.text, choice.why)]
    for text in (question.text, question.explanation, *whys):
        rest = as_html(text).replace("<code>", "`").partition("<pre>")[0]
        assert "$" not in rest and "**" not in rest.partition("`")[0]
        as_plain(text)


def test_the_right_answer_is_not_always_at_the_same_place() -> None:
    places = [choice.letter for question in ALL for choice in question.choices if choice.right]
    assert max(places.count(letter) for letter in "abcd") < 0.5 * len(places)


def test_question_files_hold_nothing_that_is_not_read() -> None:
    for path in sorted(question.QUESTIONS.iterdir()):
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            assert set(entry) - {"explanation", "quiz"} == {"question", "choices"}, name
            assert isinstance(entry.get("explanation", ""), str) and isinstance(entry.get("quiz", True), bool), name
            assert all(set(c) - {"right"} == {"text", "why"} for c in entry["choices"]), name


# ---- as text ----------------------------------------------------------------------------------------------------------


def words(text: str) -> str:
    """A text without line breaks: a terminal breaks them where its width ends."""
    return " ".join(text.split())


def in_terminal(text: str) -> str:
    return words(as_plain(text))


@each_question
def test_each_answer_gets_its_own_explanation(question: Question) -> None:
    for choice in question.choices:
        shown = words(str(predict(question.id, f" {choice.letter.upper()}) ")))
        assert in_terminal(choice.why) in shown
        assert ("Right: " in shown) == choice.right
        assert not any(in_terminal(other.why) in shown for other in question.choices if other is not choice)
        assert (in_terminal(question.explanation) in shown) == (choice.right or not question.explanation)


@each_question
def test_who_does_not_know_is_told(question: Question) -> None:
    shown = words(str(predict(question.id, "?")))
    assert f"The answer is {question.right.letter}. {in_terminal(question.right.why)}" in shown
    assert in_terminal(question.explanation) in shown
    assert progress_file.predictions()[question.id]["right"] is False


@each_question
def test_as_text_a_question_fits_a_terminal_and_keeps_its_code(question: Question) -> None:
    for choice in question.choices:
        shown = str(predict(question.id, choice.letter))
        assert max(len(line) for line in shown.splitlines() if not line.startswith("    ")) <= WIDTH
        for code in question.text.split("```")[1::2]:
            lines = code.partition("\n")[2].strip().splitlines()
            assert all(f"    {line}" in shown.splitlines() for line in lines)


@each_question
def test_an_unanswered_question_gives_nothing_away(question: Question) -> None:
    bundle = predict(question.id)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/markdown", WIDGET}
    open_part, fold, folded = bundle["text/markdown"].partition("<details>")
    assert fold and folded.rstrip().endswith("*")
    for text, shape in ((bundle["text/plain"], in_terminal), (open_part, words)):
        assert all(shape(choice.text) in words(text) for choice in question.choices)
        assert not any(shape(choice.why) in words(text) for choice in question.choices)
    assert all(words(choice.why) in words(folded) for choice in question.choices)
    assert "Run this cell to pick an answer" in folded.partition("</details>")[2], "in sight"


def test_the_explanation_is_shown_when_the_answer_is_known_and_folded_before() -> None:
    wrong, right = Prediction(EXPLAINED, Given("a", "a")), Prediction(EXPLAINED, Given("a", "b", 3))
    assert "The rule" not in repr(wrong)
    assert "The rule" in wrong._repr_markdown_().partition("<details>")[2]
    assert "The rule: a/b." in repr(right)
    assert "- see it" in repr(right)
    assert "<details>" not in right._repr_markdown_()
    assert "$\\frac{a}{b}$" in right._repr_markdown_(), "for MathJax"
    assert "Your first answer, the one that counts: a, certain." in repr(right)


# ---- what is stored ---------------------------------------------------------------------------------------------------


def test_the_first_answer_counts_and_all_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    right = question.load_question("01.leaf").right.letter
    wrong = next(letter for letter in "abc" if letter != right)
    predict("01.leaf", wrong, sure=3)
    predict("01.leaf", right)
    predict("01.leaf", right)
    restart(monkeypatch)
    entry = progress_file.predictions()["01.leaf"]
    assert entry.pop("when").endswith("Z")
    assert entry == {"first": wrong, "right": False, "sure": 3, "last": right, "tries": 2}
    again = predict("01.leaf")
    assert f"Right: {right}." in str(again)
    assert f"the one that counts: {wrong}, certain." in words(str(again))
    assert "Right: " in again._repr_mimebundle_()["text/markdown"]


def test_a_copied_folder_has_the_answers(
    student_folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    predict("01.leaf", "a")
    elsewhere = tmp_path_factory.mktemp("another machine")
    (elsewhere / progress_file.NAME).write_bytes((student_folder / progress_file.NAME).read_bytes())
    monkeypatch.chdir(elsewhere)
    restart(monkeypatch)
    assert predict("01.leaf").given == Given("a", "a")


def test_with_the_switch_nothing_is_read_or_written(student_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    predict("01.leaf", "a")
    before = (student_folder / progress_file.NAME).read_bytes()
    monkeypatch.setenv(progress_file.SWITCH, "1")
    restart(monkeypatch)
    assert predict("01.leaf").given is None
    predict("01.leaf", "b")
    assert (student_folder / progress_file.NAME).read_bytes() == before


@pytest.mark.parametrize(
    ("sent", "noted"),
    [
        ({"first": "b", "last": "b", "sure": 2, "tries": 1}, Given("b", "b", 2)),
        ({"first": "?", "last": "?", "sure": None, "tries": 1}, Given("?", "?")),
        ({"first": "b", "last": "a", "sure": 9, "tries": "x"}, Given("b", "a")),
        ({"first": "z", "last": "b"}, None),
        ({"last": "b"}, None),
        ("b", None),
    ],
)
def test_what_the_browser_sends_is_noted_if_it_is_an_answer(sent: object, noted: Given | None) -> None:
    found: list[Given] = []
    told: list[dict[str, str]] = []
    owner = SimpleNamespace(send=told.append)
    note = _noting({"01.leaf": EXPLAINED}, lambda id, given: found.append(given))
    note({"owner": owner, "old": {}, "new": {"01.leaf": sent, "02.other": sent}})
    assert found == ([noted] if noted else [])
    note({"owner": owner, "old": {"01.leaf": sent}, "new": {"01.leaf": sent}})
    assert len(found) == bool(noted), "only what has changed"
    assert told == [{"type": "stored", "id": "01.leaf"}] * bool(noted), "the page waits for this"


def test_a_widgets_answers_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    from ipywidgets import Widget
    from ipywidgets.widgets.widget import _instances

    bundle = predict("01.leaf")._repr_mimebundle_()
    widget: Widget = _instances[bundle[WIDGET]["model_id"]]
    assert {"autograd_teach": True, "kind": "predict", "asked": "01.leaf"}.items() <= bundle[WIDGET].items()
    widget.answers = {"01.leaf": {"first": "a", "last": "a", "sure": 1, "tries": 1}}
    restart(monkeypatch)
    assert predict("01.leaf").given == Given("a", "a", 1)
    assert json.loads(json.dumps(widget.get_state(["questions", "answers"]))) == widget.get_state(
        ["questions", "answers"]
    )


def test_the_markdown_that_is_stored_does_not_depend_on_the_widget() -> None:
    bundles = [
        mimebundle("t", "m", "predict", "01.leaf", "Predict", [EXPLAINED], {}, lambda *_: None) for _ in range(2)
    ]
    assert [{k: v for k, v in each.items() if k != WIDGET} for each in bundles] == [
        {"text/plain": "t", "text/markdown": "m"}
    ] * 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("01.nothing",), "There is no question '01.nothing'; the ids known here are 01.default, "),
        (("99.leaf",), "There is no question '99.leaf'; the ids known here are 00."),
        (
            ("01.leaf", "x"),
            "Question 01.leaf has no answer 'x'; choose one of a, b, c, d, or \"?\" if you do not know.",
        ),
        (("01.leaf", ""), "Question 01.leaf has no answer ''; choose one of a, b, c, d"),
        (("01.leaf", "a", 4), "There is no confidence 4; choose one of 1 (a guess), 2 (fairly sure), 3 (certain)"),
    ],
)
def test_what_does_not_exist_is_said_in_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        predict(*arguments)
    assert str(caught.value).startswith(sentence)
    assert caught.value._render_traceback_() == [f"UserError: {caught.value}"], "one line in a notebook"
    assert progress_file.predictions() == {}
