"""The glossary: in order, without doubles, linked from the lessons, and its examples give what they say."""

import re
from pathlib import Path
from types import ModuleType

import pytest

import autograd_teach
from autograd_teach.course.notebooks import read_notebook
from tests.notebooks.prose import GLOSSARY, LESSONS, headings, links, without_code
from tests.notebooks.prose import markdown as text_of

ENTRIES = {cell.source.partition("\n")[0][3:]: cell.source for cell in read_notebook(GLOSSARY).cells[1:]}

each_entry = pytest.mark.parametrize("term", ENTRIES)


def letters(term: str) -> str:
    """By what a term is sorted."""
    return "".join(letter for letter in term.casefold() if letter.isalnum())


def examples(entry: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", entry, flags=re.MULTILINE | re.DOTALL)


def run(example: str, library: ModuleType) -> int:
    """Run an example line by line, hold what follows `  # ` against what the line gives, and count the lines held so."""
    names: dict[str, object] = {"torch": library}
    held = 0
    for line in example.splitlines():
        statement, _, says = line.partition("  # ")
        if says:
            assert repr(eval(statement, names)) == says, line
            held += 1
        else:
            exec(statement, names)  # noqa: S102  # our own file
    return held


def test_entries_are_sorted_and_unique_and_each_is_a_cell_of_its_own() -> None:
    titles = [title for level, title in headings(GLOSSARY) if level == 2]
    assert titles == list(ENTRIES)
    assert titles == sorted(set(titles), key=letters)
    assert len({letters(title) for title in titles}) == len(titles)
    assert [level for level, _ in headings(GLOSSARY)] == [1] + [2] * len(titles)
    assert len(titles) >= 50


def test_it_needs_no_kernel() -> None:
    assert {cell.cell_type for cell in read_notebook(GLOSSARY).cells} == {"markdown"}


@each_entry
def test_says_it_in_a_few_sentences_and_names_the_lesson(term: str) -> None:
    _, said, *rest = ENTRIES[term].split("\n\n")
    sentences = re.findall(r"[.!?](?: |$)", re.sub(r"\([^)]*\)", "", said))
    assert 1 <= len(sentences) <= 4, said
    assert len(said) < 450
    assert len(examples(ENTRIES[term])) <= 1
    more = re.fullmatch(r"More in \[lesson (\d\d)\]\((\d\d)_\w+\.ipynb\)\.", rest[-1])
    assert more and more[1] == more[2]


@each_entry
def test_its_example_gives_what_it_says(term: str) -> None:
    for example in examples(ENTRIES[term]):
        assert len(example.splitlines()) <= 5
        assert run(example, autograd_teach) >= 1


@each_entry
def test_is_linked_from_the_lesson_that_it_names(term: str) -> None:
    anchor = term.replace(" ", "-")
    linked = [path.name for path in LESSONS if f"glossary.ipynb#{anchor}" in [target for _, target in links(path)]]
    named = re.findall(r"\]\((\w+\.ipynb)\)", ENTRIES[term])[-1]
    assert named in linked, f"{term}: {linked}"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_links_a_term_once_and_not_in_a_heading(path: Path) -> None:
    targets = [target for _, target in links(path) if target.startswith("glossary.ipynb#")]
    assert len(targets) == len(set(targets)), "only the first use is a link"
    assert not any("glossary.ipynb" in title for _, title in headings(path))


def test_text_that_is_no_code_has_no_marks_left_over() -> None:
    assert "`" not in without_code(text_of(GLOSSARY))
