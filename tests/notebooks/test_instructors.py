"""docs/instructors.md: the lessons and exercises that it plans with are the course's, each in its place, and the minutes add up."""

import re

import pytest

from autograd_teach.course.exercises import exercises
from tests.notebooks.prose import ROOT, headings
from tests.notebooks.test_index import CORE, COURSE

GUIDE = ROOT / "docs" / "instructors.md"
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", GUIDE.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL))
SITTINGS = {"Four sittings of 45 minutes": 4 * 45, "One sitting of 90 minutes": 90}
WORDS = {17: "seventeen", 18: "eighteen", 19: "nineteen", 20: "twenty"}
LESSON = r"`(\d\d_\w+)`"


def rows(section: str) -> list[list[str]]:
    lines = [line for line in SECTIONS[section].splitlines() if line.startswith("| ")]
    # A bar that is part of a word is written \|.
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if set(line) - set("|- ")]


def test_it_has_the_sections_that_the_readme_promises() -> None:
    assert [title for level, title in headings(GUIDE) if level == 2] == list(SECTIONS)
    assert set(SITTINGS) < set(SECTIONS)
    assert "docs/instructors.md" in (ROOT / "README.md").read_text("utf-8")


def test_every_lesson_it_names_is_one_and_every_lesson_has_its_place_in_the_lectures() -> None:
    named = re.findall(LESSON, GUIDE.read_text("utf-8"))
    assert set(named) == set(COURSE)
    placed = re.findall(LESSON, SECTIONS["Which lesson goes with which part of the lectures"])
    assert sorted(set(placed)) == COURSE[1:]


def test_the_sittings_hold_the_core_path_and_their_minutes_add_up() -> None:
    for section, minutes in SITTINGS.items():
        header, *body = rows(section)
        column = header.index("minutes")
        assert sum(int(number) for row in body for number in re.findall(r"\d+", row[column])) == minutes
        in_the_room = " ".join(row[1] for row in body)
        assert set(CORE) <= {name[:2] for name in re.findall(LESSON, in_the_room)}
    for row in rows("Four sittings of 45 minutes")[1:]:
        assert sum(map(int, row[2].split(" + "))) == 45
        assert len(re.findall(LESSON, row[1])) == len(row[2].split(" + "))


NUMBER, POINTS = len(exercises()), sum(exercise.points for exercise in exercises())
COUNTS = {
    "README.md": [f"{NUMBER} exercises", f"{WORDS[len(COURSE)]} notebooks"],
    "docs/instructors.md": [f"{NUMBER} exercises worth {POINTS} points"],
}


@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_that_a_document_tells_are_true(name: str) -> None:
    text = " ".join((ROOT / name).read_text("utf-8").split())
    for count in COUNTS[name]:
        assert count in text, f"{name} must say {count!r}"
    wrong = [said for said in re.findall(r"\b\d+ exercises\b", text) if said != f"{NUMBER} exercises"]
    assert not wrong, f"{name} says {wrong[0]!r}, but there are {NUMBER}"


def test_every_lesson_has_its_exercises_and_those_that_exist_are_all_there() -> None:
    table = {re.findall(LESSON, row[0])[0]: row[1:] for row in rows("Exercises for each sitting")[1:]}
    assert list(table) == COURSE[:17]
    names = {lesson: re.findall(r"`(\w+)`", " ".join(cells)) for lesson, cells in table.items()}
    everything = [name for several in names.values() for name in several]
    assert len(set(everything)) == len(everything) >= 45
    for lesson, planned in names.items():
        made = {exercise.entry for exercise in exercises(lesson)}
        row = f"docs/instructors.md, 'Exercises for each sitting', in the row of {lesson}"
        lacking, gone = sorted(made - set(planned)), sorted(set(planned) - made)
        assert not lacking, f"{row}, lacks {', '.join(lacking)}"
        assert not made or not gone, f"{row}, names {', '.join(gone)}, which is not an exercise"
        assert bool(made) == (ROOT / "exercises" / f"{lesson}.ipynb").exists()
        if lesson[:2] not in CORE:
            assert not table[lesson][0], "only the core path is in the sittings"
