"""The pictures of README.md and docs/, and the script that makes them: docs/make_pictures.py."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from PIL import Image

import autograd_teach as torch
from autograd_teach import viz

DOCS = Path(__file__).parents[2] / "docs"
MOVING = ("backward.png", "backward-dark.png")
SHORT, LONG = range(60, 200), range(800, 4000)
"""Milliseconds: an image while something travels along an edge, and one that is to be read."""


def script() -> ModuleType:
    """docs/make_pictures.py as a module, by its path: an installed package may be called `docs`."""
    spec = importlib.util.spec_from_file_location("make_pictures", DOCS / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]  # the file exists
    sys.modules["make_pictures"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


pictures = script()


def milliseconds(path: Path) -> list[int]:
    """How long each image of a moving picture stays."""
    found = []
    with Image.open(path) as image:
        for place in range(image.n_frames):
            image.seek(place)
            found.append(int(image.info["duration"]))
    return found


def told(path: Path) -> list[str]:
    with Image.open(path) as image:
        image.load()
        return image.text["Description"].splitlines()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The view that the moving picture shows."""
    return pictures.run(pictures.MOVING, tmp_path_factory.mktemp("program"))


def sentences(view: viz.View) -> list[str]:
    """What the player says of each step, forward and backward."""
    data = view.data()
    return [step["caption"] for step in [*data["forward"], *data["steps"]]]


def assert_moving(path: Path) -> None:
    stay = milliseconds(path)
    assert all(one in SHORT or one in LONG for one in stay)
    assert stay[0] in LONG
    assert stay[-1] == max(stay)
    assert 10_000 < sum(stay) < 25_000
    with Image.open(path) as image:
        assert image.info["loop"] == 0  # without end
        assert 1200 <= image.width <= 1700
        assert 0.7 < image.height / image.width < 1


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.png")), ids=lambda path: path.name)
def test_every_picture_is_light_enough_for_a_page(path: Path):
    assert path.stat().st_size < pictures.LARGEST_FILE


@pytest.mark.parametrize("name", MOVING)
def test_the_moving_picture_moves_without_end_and_can_be_read(name: str):
    assert_moving(DOCS / name)


def test_light_and_dark_show_the_same_steps_for_as_long():
    light, dark = (DOCS / name for name in MOVING)
    assert milliseconds(light) == milliseconds(dark)
    assert told(light) == told(dark)


@pytest.mark.parametrize("name", MOVING)
def test_the_still_picture_is_the_first_image_of_the_moving_one(name: str):
    still = DOCS / name.replace("backward", "backward-still")
    with Image.open(DOCS / name) as moving, Image.open(still) as alone:
        assert getattr(alone, "n_frames", 1) == 1
        assert moving.convert("RGB").tobytes() == alone.convert("RGB").tobytes()


@pytest.mark.parametrize("name", MOVING)
def test_the_moving_picture_tells_what_the_player_tells_today(name: str, played: Any):
    """If not, the player has changed since: run `python docs/make_pictures.py backward`."""
    first, *between = told(DOCS / name)
    assert "came in × local slope = sent on" in first
    assert [line for line in between if line in sentences(played)] == sentences(played)
    # Two more: before the start, and between forward and backward.
    assert len(between) == len(sentences(played)) + 2


def test_the_gradients_in_the_moving_picture_are_those_of_autograd():
    called: dict[str, Any] = {}
    play = SimpleNamespace(play=lambda f, **values: called.update(f=f, values=values))
    exec(pictures.MOVING, {"viz": play})  # noqa: S102  the script's own program
    given = called["values"].items()
    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in given}
    called["f"](**leaves).backward()
    assert leaves
    lines = told(DOCS / MOVING[0])
    for name, leaf in leaves.items():
        (line,) = [one for one in lines if f": AccumulateGrad of {name} runs" in one]
        assert line.endswith(f"now it holds {leaf.grad.item():g}.")


def test_a_moving_png_is_read_as_it_was_drawn(tmp_path: Path):
    drawn = [Image.new("RGB", (8, 5), colour) for colour in ("white", "white", "navy", "white")]
    drawn[2].paste((200, 0, 0), (2, 1, 6, 3))
    drawn[3].putpixel((7, 4), (0, 200, 0))
    numbers, colours = pictures.reduced(drawn)
    path = tmp_path / "moving.png"
    path.write_bytes(pictures.png(numbers, colours, [100, 200, 300, 400], "two × two\nlines"))
    assert milliseconds(path) == [100, 200, 300, 400]
    assert told(path) == ["two × two", "lines"]
    with Image.open(path) as image:
        for place, one in enumerate(drawn):
            image.seek(place)
            assert image.convert("RGB").tobytes() == one.tobytes()


@pytest.mark.browser
@pytest.mark.full
def test_the_script_makes_the_moving_picture_anew(
    chromium: str,
    require_module: Any,
    tmp_path: Path,
):
    require_module("playwright.sync_api")
    command = [sys.executable, DOCS / "make_pictures.py", "--folder", tmp_path, "backward"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for name in MOVING:
        assert_moving(tmp_path / name)
        # Fonts differ between machines, so sizes and pixels may; steps may not.
        assert milliseconds(tmp_path / name) == milliseconds(DOCS / name)
        assert told(tmp_path / name) == told(DOCS / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*MOVING, *(name.replace("backward", "backward-still") for name in MOVING)]
    )


@pytest.mark.browser
@pytest.mark.full
def test_the_same_machine_makes_the_same_picture_twice(browser: Any, tmp_path: Path):
    made = [pictures.PICTURES["compare"]("compare", browser, tmp_path) for _ in range(2)]
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["forward"], "there is no picture 'forward'"),
        (["--folder", "nowhere at all"], "there is no folder nowhere at all"),
    ],
)
def test_what_cannot_be_made_is_said_in_a_sentence(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
):
    with pytest.raises(SystemExit):
        pictures.main(arguments)
    assert said in capsys.readouterr().err


def test_a_missing_browser_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
    require_module: Any,
):
    require_module("playwright.sync_api")
    monkeypatch.setattr(pictures.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="^No browser found: install Chromium or Chrome"):
        pictures.main([])


def test_a_missing_package_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(SystemExit, match="^playwright.sync_api is missing: pip install"):
        pictures.main([])
