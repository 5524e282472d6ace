"""Every fact, call, figure, error and misconception of the lectures is shown somewhere: facts.toml says by which cells.

A line that is dropped there is noticed by the numbers below, a cell that is renamed or dropped by its id, a cell that no longer shows
what it did by its content, as far as a test can tell.
"""

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

from autograd_teach.course.notebooks import read_notebook
from tests.notebooks.prose import LESSONS

# How many entries the course's plan has: for the calls that the lectures make, and for each lesson. Written by hand.
NUMBERS = {
    "calls": 95,
    "00": 6,
    "01": 8,
    "02": 14,
    "03": 9,
    "04": 7,
    "05": 12,
    "06": 8,
    "07": 9,
    "08": 8,
    "09": 13,
    "10": 11,
    "11": 8,
    "12": 7,
    "13": 4,
    "14": 8,
    "15": 5,
    "16": 5,
    "17": 4,
}
KINDS = ("fact", "call", "figure", "error", "misconception")
FACTS: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("facts.toml").read_text("utf-8"))["fact"]
CELLS: dict[str, NotebookNode] = {
    f"{path.name[:2]}:{cell.id}": cell for path in LESSONS for cell in read_notebook(path).cells
}

each_fact = pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact['from']}-{fact['kind']}-{fact['says']}")


def printed(cell: NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.get("outputs", []))


def test_none_has_been_dropped_or_is_there_twice() -> None:
    assert Counter(fact["from"] for fact in FACTS) == NUMBERS
    assert len({(fact["from"], fact["says"]) for fact in FACTS}) == len(FACTS)
    calls = [fact["call"] for fact in FACTS if "call" in fact]
    assert len(set(calls)) == len(calls)


def test_every_lesson_shows_some() -> None:
    assert {cell[:2] for fact in FACTS for cell in fact["cells"]} == {f"{number:02}" for number in range(18)}


@each_fact
def test_is_shown_by_cells_that_exist_one_of_them_in_its_own_lesson(fact: dict[str, Any]) -> None:
    assert set(fact) - {"call"} == {"from", "says", "kind", "cells"}
    assert fact["kind"] in KINDS
    assert ("call" in fact) == (fact["kind"] == "call")
    assert fact["cells"] and len(set(fact["cells"])) == len(fact["cells"])
    for cell in fact["cells"]:
        assert cell in CELLS, cell
    assert fact["from"] == "calls" or any(cell.startswith(fact["from"]) for cell in fact["cells"])


@each_fact
def test_its_cells_show_what_its_kind_asks_for(fact: dict[str, Any]) -> None:
    cells = [CELLS[cell] for cell in fact["cells"]]
    sources = [cell.source for cell in cells]
    if fact["kind"] == "call":
        assert all(cell.cell_type == "code" for cell in cells)
        assert all(re.search(fact["call"], source) for source in sources), fact["call"]
    elif fact["kind"] == "figure":
        assert any(re.search(r"^viz\.|^plt\.show\(\)", source, flags=re.MULTILINE) for source in sources)
    elif fact["kind"] == "error":
        assert any("attempt(" in source and printed(cell) for source, cell in zip(sources, cells, strict=True))
    elif fact["kind"] == "misconception":
        assert any(re.search(r"^predict\(", source, flags=re.MULTILINE) for source in sources)
        assert any(cell.cell_type == "code" and cell.outputs and "predict(" not in cell.source for cell in cells)
    else:
        assert any(cell.cell_type == "code" for cell in cells) or fact["from"] in ("00", "17")
