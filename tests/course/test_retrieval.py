"""Reviews and quizzes: which questions are asked, in which order, what is stored, and how they read as text."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograd_teach.course import progress_file, question, retrieval
from autograd_teach.course.errors import UserError
from autograd_teach.course.predict import predict, quiz, review
from autograd_teach.course.progress_file import Entry, Given, note_prediction, note_recall
from autograd_teach.course.question import Choice, Question
from autograd_teach.course.retrieval import choose, is_missed

LESSONS = ("00", "01", "02", "03", "04")


@pytest.fixture(autouse=True)
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small course: lessons of four questions, the last one the quiz's; and a student's folder of its own."""
    choices = (Choice("a", "Yes", "It is.", True), Choice("b", "No", "It is.", False))

    def questions_of(lesson: str) -> dict[str, Question]:
        names = "abcd" if lesson in LESSONS else ""
        return {n: Question(f"{lesson}.{n}", f"Is {n}?", choices, f"Because {n}.", n == "d") for n in names}

    def load(id: str) -> Question:
        return questions_of(id[:2])[id[3:]]

    for module in (question, retrieval):
        monkeypatch.setattr(module, "lessons", lambda: LESSONS)
        monkeypatch.setattr(module, "load_questions", questions_of)
        monkeypatch.setattr(module, "load_question", load)
    monkeypatch.setattr("autograd_teach.course.predict.load_question", load)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(progress_file.SWITCH, raising=False)
    monkeypatch.setattr(progress_file, "_in_memory", {})
    monkeypatch.setattr(progress_file, "_unsaved", set())


def entry(right: bool, when: str, sure: int | None = None, **more: object) -> Entry:
    first = "a" if right else "b"
    return {"first": first, "right": right, "sure": sure, "last": "a", "tries": 1, "when": when, **more}


def recalled(lesson: str, right: bool, when: str) -> Entry:
    return entry(right, when) | {"lesson": lesson}


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        pytest.param({}, ["00.a", "01.a", "03.a"], id="nothing known: spread over the lessons"),
        pytest.param(
            {"00.b": entry(True, "2026-01"), "02.a": entry(False, "2026-03"), "01.a": entry(False, "2026-02")},
            ["01.a", "02.a", "00.b"],
            id="missed ones first",
        ),
        pytest.param(
            {"01.a": entry(False, "1", 1), "01.b": entry(False, "2", 3), "01.c": entry(False, "3")},
            ["01.b", "01.a", "01.c"],
            id="of the missed, the most certain first",
        ),
        pytest.param(
            {f"0{n}.a": entry(True, str(9 - n)) for n in range(4)}, ["03.a", "02.a", "01.a"], id="then the oldest"
        ),
        pytest.param({"02.d": entry(False, "1")}, ["02.d", "00.a", "01.a"], id="the quiz's too; filled up"),
        pytest.param({"04.a": entry(False, "1")}, ["00.a", "01.a", "03.a"], id="none of this lesson"),
        pytest.param(
            {"01.a": entry(False, "1", recall=recalled("03", True, "2")), "01.b": entry(True, "3")},
            ["01.a", "01.b", "00.a"],
            id="known in a review: no longer missed",
        ),
        pytest.param(
            {"01.a": entry(True, "9", recall=recalled("04", True, "9")), "01.b": entry(False, "1")},
            ["01.a", "01.b", "00.a"],
            id="what this review has asked stays in it",
        ),
        pytest.param({"01.a": {"first": 3}, "01.b": {"when": 4}}, ["00.a", "01.a", "03.a"], id="damaged entries"),
        pytest.param(
            {"01.a": entry(False, "1", recall=7), "01.b": entry(False, "2") | {"when": None, "sure": "x"}},
            ["01.b", "01.a", "00.a"],
            id="partly damaged entries",
        ),
    ],
)
def test_the_questions_of_a_review(known: dict[str, Entry], asked: list[str]) -> None:
    assert [each.id for each in choose("04", known)] == asked


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_review_asks_three_different_questions_of_earlier_lessons(lesson: str) -> None:
    asked = [each.id for each in review(lesson).questions]
    assert len(set(asked)) == len(asked) == (0 if lesson == "00" else 3)
    assert all(id < lesson for id in asked)


@pytest.mark.parametrize(
    ("entry", "missed"),
    [
        ({}, False),
        (entry(True, "1"), False),
        (entry(False, "1"), True),
        (entry(False, "1", recall=recalled("04", True, "2")), False),
        (entry(True, "1", recall=recalled("04", False, "2")), True),
    ],
)
def test_missed_is_what_was_not_known_the_last_time(entry: Entry, missed: bool) -> None:
    assert is_missed(entry) == missed


def note_of(series: retrieval.Series, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Given], None]:
    """What the widget of this series calls when an answer is given."""
    seen: list[Callable[[str, Given], None]] = []
    monkeypatch.setattr(retrieval, "mimebundle", lambda *given: seen.append(given[-1]) or {})
    series._repr_mimebundle_()
    return seen[0]


def test_a_review_keeps_its_answers_apart_from_the_first_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    predict("01.a", "b", sure=3)
    note = note_of(review("04"), monkeypatch)
    assert review("04").given["01.a"] is None, "it asks again"
    note("01.a", Given("a", "a", 2))
    note("00.a", Given("b", "b"))
    stored = progress_file.predictions()
    assert (stored["01.a"]["right"], stored["01.a"]["recall"]["right"]) == (False, True)
    assert (stored["00.a"]["first"], stored["00.a"]["recall"]["lesson"]) == ("b", "04"), "its first answer, too"
    again = review("04")
    assert [each.id for each in again.questions][:2] == ["00.a", "01.a"]
    assert (again.given["01.a"], again.given["00.a"]) == (Given("a", "a", 2), Given("b", "b"))
    assert is_missed(stored["00.a"]) and not is_missed(stored["01.a"])
    note("00.a", Given("b", "a", None, 2))
    assert progress_file.predictions()["00.a"]["recall"]["right"] is False, "the first answer of a review counts"


def test_a_quiz_stores_predictions(monkeypatch: pytest.MonkeyPatch) -> None:
    note_of(quiz("02"), monkeypatch)("02.d", Given("b", "a", 1, 2))
    assert progress_file.predictions()["02.d"]["right"] is False
    assert quiz("02").given == {"02.d": Given("b", "a", 1, 2)}
    assert repr(quiz("02")).endswith("0 of 1 right at the first answer.")


def test_as_text_the_questions_are_numbered_and_give_nothing_away() -> None:
    text = repr(review("04"))
    assert text.splitlines()[:3] == ["Review: 3 questions from earlier lessons", "1. (lesson 00) Is a?", "     a) Yes"]
    assert "It is." not in text and "Because" not in text
    assert text.endswith("Run this cell to answer here.")
    markdown = review("04")._repr_markdown_()
    assert markdown.count("<details>") == 3
    assert "It is." not in markdown.partition("<details>")[0]


def test_a_lesson_without_a_quiz_says_so() -> None:
    empty = retrieval.Series("quiz", "02", (), {})
    assert repr(empty) == "Lesson 02 does not have a quiz."
    assert set(empty._repr_mimebundle_()) == {"text/plain", "text/markdown"}
    assert "nothing to review" in repr(review("00"))


def test_without_a_record_the_text_is_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = repr(review("04"))
    note_prediction("03.b", Given("b", "b"), right=False, now=datetime(2026, 1, 1, tzinfo=UTC))
    note_recall("03.c", "04", Given("b", "b"), right=False)
    assert repr(review("04")) != fresh
    monkeypatch.setenv(progress_file.SWITCH, "1")
    monkeypatch.setattr(progress_file, "_in_memory", {})
    assert repr(review("04")) == fresh


@pytest.mark.parametrize("ask", [review, quiz])
@pytest.mark.parametrize("lesson", ["99", "4", "", "04.a"])
def test_an_unknown_lesson_is_said_in_one_sentence(ask: Callable[[str], object], lesson: str) -> None:
    with pytest.raises(UserError, match="There is no lesson .*; there are 00, 01, 02, 03, 04."):
        ask(lesson)
