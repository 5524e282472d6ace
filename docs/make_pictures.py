"""Make the pictures of README.md and docs/ from real views.

    python docs/make_pictures.py [NAME ...] [--folder FOLDER]

Without a name it makes all of them, and writes them into this folder. It needs Chromium or Chrome,
and Playwright and Pillow: `pip install -e ".[test]"` installs both.

Each picture is the widget of a view in a headless browser. Two are taken in JupyterLab; the others
come without the buttons and hints that only make sense in a page. `PICTURES` lists all of them with
the program that makes each view. No number in a picture is typed here: programs are run, and the
player is stepped through as a reader does it.

The moving picture, `backward.png`, is an APNG. A program that does not know APNG shows its first
image, which is therefore the end of the pass, with all numbers. The steps follow: some short images
while values or gradients travel along their edges, then one that stays long enough to be read.
`backward-still.png` is the first image alone, for readers who want no motion. Both exist for dark
pages too. The same machine makes the same bytes each time; fonts differ between machines.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import runpy
import shutil
import struct
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

# From the repository's folder, also where the package is not installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from autograd_teach import viz
from autograd_teach.files import replace

if TYPE_CHECKING:
    from PIL.Image import Image
    from playwright.sync_api import Browser, Locator, Page

Array = npt.NDArray[np.uint8]

VIEW = "#view:has(.agt-stage), body > svg"
"""In the page that `viz.save` writes: a widget that has been drawn, or a chart."""

HERE = Path(__file__).resolve().parent
LARGEST_FILE = 300_000  # bytes, exclusive
CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-lcd-text",
    "--font-render-hinting=none",
]

POSTER_MS, LAST_MS = 1800, 3200
"""How long the first image and the last one stay; both show the end of the pass."""
START_MS, FORWARD_MS, TURN_MS, BACKWARD_MS = 1200, 900, 1300, 1500
"""How long an image stays: before the start, after a forward step, before the backward pass, and
after a backward step."""
TRAVEL_MS, TRAVEL_IMAGES = 600, 6
"""How long something travels along the edges of a step, and in how many images (the widget takes
550 ms)."""
COLOURS = 32

PAGE = """
body { margin: 0 !important; }
#view { box-sizing: border-box; padding: 12px 16px; }
.agt-tools, .agt-hint, details { display: none !important; }
.agt * { transition: none !important; }
.agt-legend { font-size: 13px; }
.agt-stage { height: auto !important; }
@media (prefers-color-scheme: dark) {
  body { background: #0d1117 !important; } /* GitHub's */
  .agt { --agt-plain-bg: #0d1117 !important; }
}
"""
"""What every picture changes in the page that `viz.save` writes."""

PLAYER = """
#view > .agt { position: relative; }
#view > .agt::before {
  content: attr(data-call); display: block; padding: 5px 10px; margin-bottom: 8px;
  border-left: 4px solid var(--agt-blue);
  background: var(--agt-wash); font: 15px/1.4 var(--agt-mono); white-space: pre;
}
.agt { --agt-mono: "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.agt-top, .agt-side { display: none !important; }
.agt-caption { font-size: 16px; min-height: 2.8em; margin: 0 0 8px; }
.agt-code { font-family: var(--agt-mono); font-size: 14px; }
.agt-code-number { min-width: 1.6em; }
.agt-body:has(> .agt-code) { grid-template-columns: max-content minmax(0, 1fr); }
.agt-stage { border: 0; }
.agt-legend {
  position: absolute; left: 0; bottom: 0; width: 196px; padding: 0;
  gap: 7px; flex-direction: column;
}
.agt-legend li { align-items: start; line-height: 1.3; }
.agt-swatch { margin-top: 2px; }
.agt-swatch-flow { margin-top: 8px; }
.agt-legend li { display: none; }
.agt-legend li:has(.agt-swatch-now, .agt-swatch-ready, .agt-swatch-waits, .agt-swatch-flow) {
  display: grid;
}
"""
"""What the moving picture changes besides: larger type, the code at the left, and below it the part
of the legend that it needs."""

MOVING = """\
def f(w, x):
    u = w * x
    v = u + x
    return v ** 2


view = viz.play(f, w=4.0, x=3.0)
"""


@dataclass
class Shot:
    """One image of a moving picture."""

    image: Image
    milliseconds: int
    told: str
    """The caption."""


def run(program: str, folder: Path) -> viz.View:
    """The view that `program` assigns to `view`. Lines count from 1, as in a notebook's cell."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    return runpy.run_path(str(file), {"viz": viz})["view"]


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser. Raises SystemExit with what to install if something is missing."""
    try:
        import PIL  # noqa: F401
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError as error:
        raise SystemExit(f'{error.name} is missing: pip install -e ".[test]"') from None
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        names = ", ".join(CHROMIUM)
        raise SystemExit(f"No browser found: install Chromium or Chrome (on the path: {names})")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


@contextlib.contextmanager
def page_of(
    view: viz.View,
    browser: Browser,
    folder: Path,
    width: int,
    css: str,
    *,
    dark: bool,
    scale: float,
) -> Iterator[Page]:
    """A page with nothing but the view; its time stands still."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        device_scale_factor=scale,
        color_scheme="dark" if dark else "light",
        reduced_motion="no-preference",
    )
    page = context.new_page()
    page.clock.install(time=0)
    page.clock.pause_at(1)
    page.goto(viz.save(view, folder / "page.html").as_uri())
    page.locator(VIEW).first.wait_for()
    page.add_style_tag(content=PAGE + css)
    page.clock.run_for(100)
    yield page
    context.close()


def photograph(part: Locator) -> Image:
    from PIL import Image

    return Image.open(io.BytesIO(part.screenshot())).convert("RGB")


class Player:
    """The buttons of a player in a page, and what it says."""

    def __init__(self, page: Page, call: str) -> None:
        self.page = page
        page.locator("#view > .agt").evaluate("(view, call) => { view.dataset.call = call; }", call)

    def press(self, button: str) -> None:
        # Not by the mouse, which would leave a focus ring.
        found = self.page.locator(f'.agt-transport button[aria-label="{button}"]')
        found.evaluate("(button) => button.click()")

    def place(self) -> int:
        return int(self.page.locator(".agt-transport .agt-slider").input_value())

    def last(self) -> int:
        return int(self.page.locator(".agt-transport .agt-slider").get_attribute("max") or 0)

    def told(self) -> str:
        return self.page.locator(".agt-caption").inner_text()

    def say(self, text: str) -> None:
        caption = self.page.locator(".agt-caption")
        caption.evaluate("(caption, text) => { caption.textContent = text; }", text)

    def still(self, milliseconds: int) -> Shot:
        return Shot(photograph(self.page.locator(VIEW)), milliseconds, self.told())


def first_sentence(text: str) -> str:
    """Between steps, the player says more than a picture needs, such as which keys to press."""
    return text.partition(". ")[0].rstrip(".") + "."


def shots(page: Page, call: str) -> list[Shot]:
    """All images of a moving picture: the end, then every step from the start to the end."""
    player = Player(page, call)
    player.press("last")
    player.say("The backward pass of f. On each edge: came in × local slope = sent on.")
    found = [player.still(POSTER_MS)]
    player.press("first")
    player.say(first_sentence(player.told()))
    found.append(player.still(START_MS))
    while player.place() < player.last():
        player.press("forward")
        if player.place() == 0:
            player.say(first_sentence(player.told()))
            found.append(player.still(TURN_MS))
            continue
        if page.locator(".agt-flows").count():
            for _ in range(TRAVEL_IMAGES):
                page.clock.run_for(TRAVEL_MS // TRAVEL_IMAGES)
                if page.locator(".agt-dot").count():
                    found.append(player.still(TRAVEL_MS // TRAVEL_IMAGES))
        page.clock.run_for(TRAVEL_MS)
        found.append(player.still(FORWARD_MS if player.place() < 0 else BACKWARD_MS))
    found[-1].milliseconds = LAST_MS
    return found


def reduced(images: list[Image]) -> tuple[list[Array], bytes]:
    """The images as numbers of colours, and the few colours that they share, three bytes each.

    Chosen next is the colour by which the images gain most: its number of pixels times the square
    of its distance from the colours chosen before. Plain areas and thin frames keep theirs exactly.
    """
    counts: Counter[int] = Counter()
    codes = [np.asarray(image).astype(np.int64) @ (1 << 16, 1 << 8, 1) for image in images]
    for code in codes:
        found, often = np.unique(code, return_counts=True)
        counts.update(dict(zip(found.tolist(), often.tolist(), strict=True)))
    known = np.array(sorted(counts))
    pixels = np.array([counts[code] for code in known.tolist()])
    colours = known[:, None] >> (16, 8, 0) & 255
    nearest, distance = np.zeros(len(known), np.uint8), np.full(len(known), np.inf)
    chosen: list[int] = []
    for number in range(min(COLOURS, len(known))):
        chosen.append(int((pixels * np.minimum(distance, 1e6)).argmax()))
        far = ((colours - colours[chosen[-1]]) ** 2).sum(1)
        nearest[far < distance] = number
        distance = np.minimum(far, distance)
    numbers = [nearest[np.searchsorted(known, code)] for code in codes]
    return numbers, colours[chosen].astype(np.uint8).tobytes()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed(numbers: Array) -> bytes:
    """The rows of an image as in a PNG: each after its filter (0: none), compressed."""
    return zlib.compress(np.pad(numbers, ((0, 0), (1, 0))).tobytes(), 9)


def changed(before: Array, after: Array, transparent: int) -> tuple[int, int, Array]:
    """Where `after` differs from `before`: left, top, and the pixels of that rectangle.

    Pixels that stay are transparent.
    """
    rows, columns = np.nonzero(before != after)
    if not len(rows):
        rows = columns = np.zeros(1, int)
    top, left = rows.min(), columns.min()
    place = np.s_[top : rows.max() + 1, left : columns.max() + 1]
    part = np.where(before[place] != after[place], after[place], transparent)
    return int(left), int(top), part.astype(np.uint8)


def png(images: list[Array], colours: bytes, milliseconds: list[int], told: str) -> bytes:
    """A PNG; if there are several images, an APNG without end, each image drawn over the last.

    `told` becomes its description: `PIL.Image.open(...).text["Description"]`. Pillow writes APNG as
    well, but without transparent pixels, which takes two thirds more bytes.
    """
    height, width = images[0].shape
    transparent = len(colours) // 3
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)  # 8 bits a pixel, with a palette
    written = [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", header)]
    written.append(chunk(b"iTXt", b"Description\0\1\0\0\0" + zlib.compress(told.encode(), 9)))
    moving, number = len(images) > 1, 0
    if moving:
        written.append(chunk(b"acTL", struct.pack(">II", len(images), 0)))
        colours += bytes(3)
    written.append(chunk(b"PLTE", colours))
    if moving:
        written.append(chunk(b"tRNS", b"\xff" * transparent + b"\0"))
    for i, (image, stays) in enumerate(zip(images, milliseconds, strict=True)):
        left, top, part = changed(images[i - 1], image, transparent) if i else (0, 0, image)
        if moving:
            size = struct.pack(">IIIII", number, part.shape[1], part.shape[0], left, top)
            written.append(chunk(b"fcTL", size + struct.pack(">HHBB", stays, 1000, 0, 1)))
            number += 1
        if i:
            written.append(chunk(b"fdAT", struct.pack(">I", number) + packed(part)))
            number += 1
        else:
            written.append(chunk(b"IDAT", packed(part)))
    return b"".join([*written, chunk(b"IEND", b"")])


def backward(name: str, browser: Browser, scratch: Path) -> dict[str, bytes]:
    """The moving picture and its first image alone, each for light and for dark pages."""
    view = run(MOVING, scratch)
    call = MOVING.splitlines()[-1].removeprefix("view = ")
    made = {}
    for dark in (False, True):
        with page_of(view, browser, scratch, 600, PLAYER, dark=dark, scale=2.25) as page:
            found = shots(page, call)
        images, colours = reduced([shot.image for shot in found])
        stay = [shot.milliseconds for shot in found]
        told = list(dict.fromkeys(shot.told for shot in found))
        suffix = "-dark" * dark
        made[f"{name}{suffix}.png"] = png(images, colours, stay, "\n".join(told))
        made[f"{name}-still{suffix}.png"] = png(images[:1], colours, [0], told[0])
    return made


@dataclass
class Still:
    """A picture that does not move: its program, and its width in CSS pixels."""

    program: str
    width: int

    def __call__(self, name: str, browser: Browser, scratch: Path) -> dict[str, bytes]:
        view = run(self.program, scratch)
        with page_of(view, browser, scratch, self.width, "", dark=False, scale=2) as page:
            images, colours = reduced([photograph(page.locator(VIEW))])
        return {f"{name}.png": png(images, colours, [0], view.text)}


def play_to_the_fourth_step(view: Locator) -> None:
    while not view.locator(".agt-caption").inner_text().startswith("Step 4 "):
        view.locator('button[aria-label="forward"]').evaluate("(button) => button.click()")


def move_c(view: Locator) -> None:
    field = view.locator('.agt-number[aria-label="c"]')
    field.fill("2.4")
    view.locator(".agt-caption", has_text="c=2.4").wait_for()
    field.blur()


@dataclass
class InLesson:
    """A view of the first lesson, in JupyterLab.

    `part`: what only this view has. `act`: what a reader does with it before the picture is taken.
    """

    part: str
    act: Callable[[Locator], None]

    def __call__(self, name: str, browser: Browser, scratch: Path) -> dict[str, bytes]:
        from tests.browser import jupyter

        lesson = "lessons/00_start_here.ipynb"
        os.environ["PYTHONPATH"] = str(HERE.parent)  # for the server and its kernels
        lab = jupyter.Lab(Path(tempfile.mkdtemp(dir=scratch)))
        try:
            lab.wait_until_answering()
            window = {"width": 1560, "height": 1150}
            pages = jupyter.Pages(browser, lab, viewport=window, device_scale_factor=1.5)
            page = pages.open(lesson)
            page.emulate_media(reduced_motion="reduce")
            pages.run_all_and_save(page, lesson)
            view = jupyter.view_with(page, self.part)
            self.act(view)
            cell = jupyter.panel(page).locator(".jp-CodeCell", has=page.locator(self.part)).first
            cell.evaluate("(cell) => cell.scrollIntoView({ block: 'center' })")
            image, told = photograph(cell), view.locator(".agt-caption").inner_text()
            pages.close()
        finally:
            lab.stop()
        images, colours = reduced([image])
        return {f"{name}.png": png(images, colours, [0], told)}


COMPARE = """\
import autograd_teach as torch
a, b = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
y = (a - b) ** 2 + a * b
z = (a - b.detach()) ** 2 + a * b
view = viz.compare(y, z)
"""

VERSIONS = """\
import autograd_teach as torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
s = x.sin()
p = s * s
out = p.sum()
s += 1
view = viz.versions(out)
"""

FOLD = """\
import autograd_teach as torch
w = torch.tensor([0.5, 0.2], requires_grad=True)
c = torch.tensor([0.1, 0.3], requires_grad=True)
h = torch.zeros(2)
for _ in range(200):
    h = torch.tanh(w * h + c)
view = viz.graph(h.sum())
"""

JACOBIAN = """\
import autograd_teach as torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x.clamp(max=1.0)  # wrong above 1


x = torch.tensor([1.0, 2.0, -1.0, 0.5], dtype=torch.float64, requires_grad=True)
view = viz.jacobian(Square.apply, x)
"""

EPS = """\
import autograd_teach as torch
point = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
view = viz.gradcheck_eps(lambda x: torch.sin(x) * torch.exp(x), point)
"""

PICTURES: dict[str, Callable[[str, Browser, Path], dict[str, bytes]]] = {
    "backward": backward,
    "lesson": InLesson(".agt-transport .agt-play", play_to_the_fourth_step),
    "live": InLesson(".agt-knob", move_c),
    "compare": Still(COMPARE, 760),
    "versions": Still(VERSIONS, 760),
    "fold": Still(FOLD, 760),
    "jacobian": Still(JACOBIAN, 900),
    "eps": Still(EPS, 760),
}
"""What makes the files of each picture, by their names."""


def main(arguments: list[str] | None = None) -> int:
    about = "Make the pictures of README.md and docs/ from real views."
    parser = argparse.ArgumentParser(description=about)
    which = f"which ones (default: all): {', '.join(PICTURES)}"
    parser.add_argument("names", nargs="*", metavar="NAME", help=which)
    where = "where to write them (default: docs)"
    parser.add_argument("--folder", type=Path, default=HERE, help=where)
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.names if name not in PICTURES]:
        parser.error(f"there is no picture {unknown[0]!r}, but {', '.join(PICTURES)}")
    if not asked.folder.is_dir():
        parser.error(f"there is no folder {asked.folder}")
    with chromium() as browser, tempfile.TemporaryDirectory() as scratch:
        for name in asked.names or PICTURES:
            for file, data in PICTURES[name](name, browser, Path(scratch)).items():
                if len(data) >= LARGEST_FILE:
                    size = f"{len(data):,} bytes; the limit is {LARGEST_FILE:,}"
                    raise SystemExit(f"{file} is not written: it would have {size}")
                replace(asked.folder / file, data)
                print(f"{asked.folder / file}: {len(data):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
