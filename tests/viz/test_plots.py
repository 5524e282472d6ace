"""Plots among the views: `viz.explore` over a function that draws, and the style for light and dark pages."""

import re
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib import style
from matplotlib.colors import to_rgb

from autograd_teach import viz
from autograd_teach.viz.plots import chart_of, is_figure

THEME = "autograd_teach.course.theme"


def drawn(k: int):
    figure, axes = plt.subplots()
    axes.plot([0, 1, 2], [0, k, 4 * k], label="curve")
    axes.plot([1], [k], "o")
    axes.scatter([0, 2], [1, 3], label="points")
    axes.set(title=f"k = {k}", xlabel="time", ylabel="loss")
    return figure


def test_explore_shows_what_the_function_draws_and_draws_it_anew():
    view = viz.explore(drawn, k=(1, 3))
    assert view.text.splitlines() == [
        "drawn(k=1)",
        "plot: k = 1; x: time; y: loss",
        "  line curve: 3 points from (0, 0) to (2, 4), y from 0 to 4",
        "  line 1 point at (1, 1)",
        "  points points: 2 points from (0, 1) to (2, 3), y from 1 to 3",
    ]
    before = view.svg
    view.value(k=2)
    assert view.text.splitlines()[1] == "plot: k = 2; x: time; y: loss"
    assert view.svg != before
    assert plt.get_fignums() == [], "pyplot would show each figure once more"


def test_a_plot_is_one_picture_that_names_itself_and_is_the_same_each_time():
    first, second = chart_of(drawn(2)).svg, chart_of(drawn(2)).svg
    assert first == second
    root = ET.fromstring(first)
    assert root.tag.endswith("svg")
    assert root.get("aria-label") == "k = 2; x: time; y: loss"
    assert not re.search(r"<dc:date>", first)


def test_what_cannot_be_a_number_is_told_and_not_raised():
    figure, axes = plt.subplots()
    axes.plot([0, 1], [np.nan, np.inf])
    assert chart_of(figure).text.splitlines() == ["plot: a plot", "  line no points"]
    assert chart_of(plt.figure()).text == "plot: an empty plot"


@pytest.mark.parametrize("thing", [None, 3, "figure", plt])
def test_only_figures_are_figures(thing):
    assert not is_figure(thing)


def luminance(colour: str) -> float:
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_the_theme_reads_on_light_and_dark_pages(page):
    with style.context(THEME):
        texts = [plt.rcParams[f"{name}color"] for name in ("text.", "axes.label", "xtick.", "ytick.")]
        lines = plt.rcParams["axes.prop_cycle"].by_key()["color"]
        assert plt.rcParams["figure.facecolor"] == plt.rcParams["axes.facecolor"] == "none"
    assert min(contrast(colour, page) for colour in texts) > 4
    assert min(contrast(colour if colour.startswith("#") else f"#{colour}", page) for colour in lines) > 2.2
