"""The table of the views' times: all of it runs, without a browser and in one. No time is judged."""

import contextlib

import pytest

from benchmarks import views


@pytest.mark.parametrize("browser", [False, pytest.param(True, marks=[pytest.mark.full, pytest.mark.browser])])
def test_every_cell_of_the_tables_is_filled(monkeypatch, request, browser):
    if browser:
        request.getfixturevalue("chromium")
        request.getfixturevalue("require_module")("playwright")
    else:
        monkeypatch.setattr(views, "chromium", contextlib.nullcontext)
    monkeypatch.setattr(views, "_SECONDS_ENOUGH", 0.0)
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in views.table(quick=True) if line.startswith("| ")
    ]
    (heads, *pictures), (_, *players) = rows[:5], rows[5:]
    assert [row[:2] for row in pictures] == [["loop", "10"], ["loop", "400"], ["mixed", "10"], ["mixed", "400"]]
    assert [row[0] for row in players] == ["10"]
    folded = dict(zip(heads, pictures[1], strict=True))
    assert folded["fold"] != "-"
    assert int(folded["boxes"]) < 20
    assert all(cell for row in rows for cell in row)
    on_screen = [row[-1] for row in pictures] + [cell for row in players for cell in row[-2:]]
    assert ["-" not in cell for cell in on_screen] == [browser] * 6


def test_the_mixed_graph_has_nothing_to_fold():
    view = views.graph(views.mixed(400))
    assert not any(node.folded for node in view.snapshot.nodes if node.folded and node.folded.operations > 20)


@pytest.mark.parametrize("make", [views.loop, views.mixed])
def test_graphs_have_about_the_size_that_the_table_says(make):
    view = views.graph(make(90), fold=False)
    assert abs(len(view.snapshot.nodes) - 90) <= 5
