"""The two tables of lessons, in docs/students.md and in the first lesson: every lesson with its path, in both the same.

Their minutes are held in test_reading_time.py.
"""

import re
from pathlib import Path

import pytest

from autograd_teach.course.notebooks import read_notebook
from autograd_teach.course.syllabus import CORE, syllabus
from tests.notebooks.prose import LESSONS, ROOT, links

COURSE = [
    "00_start_here",
    "01_requires_grad",
    "02_grad_and_backward",
    "03_the_graph",
    "04_dynamic_graphs",
    "05_no_grad_and_detach",
    "06_freed_graphs",
    "07_higher_order",
    "08_in_place",
    "09_custom_functions",
    "10_gradcheck",
    "11_saving_tensors",
    "12_arguments_and_options",
    "13_outputs_and_side_effects",
    "14_losses_and_grad_output",
    "15_implicit_functions",
    "16_build_your_own",
    "17_on_to_pytorch",
]
INDEX = next(cell.source for cell in read_notebook(LESSONS[0]).cells if cell.id == "index")
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "students.md").read_text(encoding="utf-8")

lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def rows(text: str) -> dict[str, list[str]]:
    """By number, the cells of each row that begins with a lesson."""
    found = re.findall(r"^\| (?:\[|`)?(\d\d)(\D.*) \|$", text, flags=re.MULTILINE)
    assert len({number for number, _ in found}) == len(found)
    return {number: [cell.strip() for cell in f"{number}{rest}".split(" |")] for number, rest in found}


def title_cell(path: Path) -> str:
    return str(read_notebook(path).cells[0].source)


def test_all_lessons_of_the_course_are_there() -> None:
    assert [path.stem for path in LESSONS] == COURSE


@pytest.mark.parametrize("text", [INDEX, GUIDE], ids=["00_start_here", "docs/students.md"])
def test_a_table_has_every_lesson_once_and_in_order(text: str) -> None:
    assert [*rows(text)] == [name[:2] for name in COURSE]


def test_both_tables_say_the_same() -> None:
    for number, (*_, gives) in rows(INDEX).items():
        assert rows(GUIDE)[number][4] == gives, number


@lesson
def test_the_tables_say_what_the_lesson_says_of_itself(path: Path) -> None:
    says, number = title_cell(path), path.stem[:2]
    name, *_, way, gives = rows(INDEX)[number]
    assert (way == "core") == (number in CORE)
    assert ("Part of the core path." in says) == (number in CORE)
    assert rows(GUIDE)[number][3] == next(each.path for each in syllabus() if each.number == number)
    assert len(gives) > 20
    title = name.partition("](")[0]
    assert says.startswith(f"# {title}"), title
    assert rows(GUIDE)[number][0] == f"{path.stem}`"
    exercises = ROOT / "exercises" / path.name
    assert rows(GUIDE)[number][5] == (f"`{path.stem}`" if exercises.exists() else "")


def test_the_first_lesson_links_every_other() -> None:
    targets = {target for _, target in links(LESSONS[0])}
    assert {f"{name}.ipynb" for name in COURSE[1:]} | {"glossary.ipynb"} <= targets


@pytest.mark.parametrize("number", range(17))
def test_a_lesson_ends_with_a_link_to_the_next(number: int) -> None:
    path = ROOT / "lessons" / f"{COURSE[number]}.ipynb"
    sources = [cell.source for cell in read_notebook(path).cells]
    (exercises,) = (n for n, text in enumerate(sources) if text.startswith("## Exercises"))
    closing = "\n".join(sources[exercises:])
    assert f"]({COURSE[number + 1]}.ipynb" in closing


def test_the_first_lesson_sets_up_by_the_readmes_command() -> None:
    text = "\n".join(cell.source for cell in read_notebook(LESSONS[0]).cells)
    for language in ("sh", "powershell"):
        command = re.search(rf"^```{language}\n(.*?\n)```$", README, flags=re.MULTILINE | re.DOTALL)
        assert command and f"```{language}\n{command[1]}```" in text
