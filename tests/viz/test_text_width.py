"""Boxes are wide enough for every line that stands in them at any time, in the widest font that a browser may use."""

import re
from functools import cache
from pathlib import Path

import matplotlib
import pytest
from matplotlib.ft2font import FT2Font

import autograd_teach as torch
from autograd_teach import viz
from autograd_teach.viz.dot import COMPUTED, NOT_COMPUTED, READY, grad_line, waiting_line
from autograd_teach.viz.player import PlayView
from autograd_teach.viz.text_width import width

SIZE = 11.0
SIGNS = "×·²³ᵀ…—∂√Σ→≤≥≠±−αβγΔθλσφΦΩ"
NAMES = ["größe", "café", "œuvre", "вес", "Ширина", "学習率", "重み", "ŷ", "θ_1"]


@cache
def font(bold):
    """DejaVu Sans, as matplotlib brings it along."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    found = FT2Font(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name))
    found.set_size(1000, 72)
    return found


def real(text, size, bold=False):
    """The width in points; a sign that the font does not have comes from another one, in which it is a square."""
    known = font(bold).get_charmap()
    wide = [font(bold).load_char(ord(c)).linearHoriAdvance / 65536 if ord(c) in known else 1000.0 for c in text]
    return sum(wide) * size / 1000


@pytest.mark.parametrize("bold", [False, True])
def test_the_tables_are_those_of_the_font(bold):
    for character in map(chr, range(32, 127)):
        assert width(character, 1000.0, bold) == pytest.approx(real(character, 1000.0, bold), abs=1), character


@pytest.mark.parametrize("bold", [False, True])
def test_other_letters_and_signs_are_not_wider_than_thought(bold):
    told = [text for text in [*SIGNS, *NAMES] if width(text, SIZE, bold) < real(text, SIZE, bold)]
    assert told == []


def test_width_grows_with_the_font_and_the_text():
    assert width("", SIZE) == 0
    assert width("grad", 2 * SIZE) == 2 * width("grad", SIZE)
    assert width("grad grad", SIZE) == pytest.approx(2 * width("grad", SIZE) + width(" ", SIZE))


class F(torch.autograd.Function):
    """With the shortest name that a box can have."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return g


def leaf(values):
    return torch.tensor(values, requires_grad=True)


def shared():
    a, b = leaf(2.0), leaf(-3.0)
    c = a * b
    return viz.play((c + a) * c, names={"a": a, "b": b, "c": c})


def accumulated():
    m = leaf([-0.1234, 1234.5])
    (m * m).sum().backward()
    return viz.play((m * m).sum(), names={"m": m})


def long_sum():
    y = F.apply(leaf(1.0))
    return viz.play(y * -0.12345 + y * 1.2345e-5)


VIEWS = {
    "a graph": lambda: viz.graph(leaf([1.0, -2.0]).abs().sum()),
    "a player with sums": shared,
    "a player of a function": lambda: viz.play(lambda i: F.apply(i), i=1.0),
    "a leaf with an earlier gradient": accumulated,
    "a long sum in a short node": long_sum,
    "a node that waits for many": lambda: viz.play(sum([leaf(1.0) * 2] * 11)),
    "letters that are wide": lambda: named("MMMMWWWW"),
    "another script": lambda: named("学習率学習率"),
    "leaves that can be moved": lambda: viz.live(lambda a, b: a * b, a=2.0, b=-3.0),
}


def named(name):
    x = leaf(2.0)
    return viz.play(x * x, names={name: x})


def boxes(view):
    """Of each node, the width of its box in points and the lines in it, by its id."""
    found = {}
    for name, label, inches in re.findall(r'id="(n\d+)" class="agt-node.*?" label="(.*?)" width=([\d.]+)', view.dot):
        found[name] = (
            float(inches) * 72,
            label.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").split("\\n"),
        )
    return found


@pytest.mark.parametrize("name", VIEWS)
def test_every_line_has_room_in_its_box_at_every_step(name):
    view = VIEWS[name]()
    waits = view.recording.waiting if isinstance(view, PlayView) else {}
    checked, tight = 0, []
    for node, (room, lines) in boxes(view).items():
        known = view.snapshot.node(node)
        wanted = [real(line, SIZE, place == 0 and known.kind in ("leaf", "output")) for place, line in enumerate(lines)]
        if node in waits and known.kind != "constant":
            others = [waiting_line(waits[node], waits[node]), READY, NOT_COMPUTED]
            others += [grad_line(known)] if known.kind == "leaf" else []
            # While a node runs its last line is bold.
            wanted += [real(line, SIZE) for line in others] + [real(lines[-1], SIZE, True), real(COMPUTED, SIZE, True)]
        tight += [(node, lines)] * (max(wanted) > room)
        checked += len(wanted)
    assert checked > 3
    assert tight == []


def test_a_players_words_are_those_of_the_widget():
    script = (Path(viz.__file__).parent / "static" / "widget.js").read_text(encoding="utf-8")
    assert [word for word in (READY, COMPUTED, NOT_COMPUTED) if f'"{word}"' not in script] == []
