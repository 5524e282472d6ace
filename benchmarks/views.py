"""How long a view takes: the stages of a picture, the size of its state, and in Chromium the first paint and a step.

Two kinds of graph: `loop` repeats itself and folds; `mixed` is a chain without repetition, which is
drawn whole up to 2,000 nodes and summarised above. The browser shows the widget's module in an
empty page with a model of our own, without a notebook.
"""

from __future__ import annotations

import contextlib
import json
import platform
import random
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import autograd_teach as torch
from autograd_teach.viz import dot, graph, layout, play, snapshot
from autograd_teach.viz.fold import MOST_READ, Folding
from autograd_teach.viz.view import View

SIZES, QUICK_SIZES = (10, 100, 1_000, 5_000, 100_000), (10, 400)
PLAYED, QUICK_PLAYED = (10, 100, 300), (10,)
STAGES = ("snapshot", "fold", "DOT", "layout", "dressing")
_MOST_CALLS, _SECONDS_ENOUGH = 5, 4.0

SHOW = """
async ([code, css, state]) => {
  document.body.replaceChildren();
  document.head.replaceChildren(Object.assign(document.createElement("style"), { textContent: css }));
  const { default: widget } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const listeners = {};
  window.model = {
    get: (name) => state[name], save_changes() {}, send() {}, off() {},
    on: (event, act) => (listeners[event] ||= []).push(act),
    set(name, value) { state[name] = value; (listeners[`change:${name}`] || []).forEach((act) => act()); },
  };
  const el = document.createElement("div");
  document.body.append(el);
  widget.render({ model: window.model, el });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
"""
STEP = """
async (step) => {
  const start = performance.now();
  window.model.set("step", step);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return (performance.now() - start) / 1000;
}
"""


def loop(nodes: int) -> Any:
    """The step `y = tanh(y * w + b)`, repeated."""
    w, b = torch.tensor([0.5, 0.2], requires_grad=True), torch.tensor([0.1, 0.3], requires_grad=True)
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(max(1, nodes // 3)):
        y = (y * w + b).tanh()
    return y.sum()


def mixed(nodes: int) -> Any:
    """Operations in an order without repetition."""
    choice = random.Random(0)
    y = torch.tensor([0.5, 0.25], requires_grad=True)
    for _ in range(nodes):
        y = getattr(y, choice.choice(("exp", "sin", "cos", "tanh", "sigmoid", "neg", "abs")))()
    return y.sum()


def least(run: Callable[[], Any], rounds: int = _MOST_CALLS) -> tuple[float, Any]:
    """The least seconds of several calls (fewer if one takes long), and the last result.

    The minimum, because other programs use the machine too.
    """
    times: list[float] = []
    result = None
    while not times or (len(times) < rounds and sum(times) < _SECONDS_ENOUGH):
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
    return min(times), result


def stages(output: Any) -> dict[str, float]:
    """The least seconds of each stage of the static picture, without the stages that this graph does not reach."""
    found: dict[str, float] = {}
    found["snapshot"], taken = least(lambda: snapshot.take([output], most_nodes=MOST_READ))
    whole = taken.snapshot
    view = graph(output)
    if any(node.folded for node in view.snapshot.nodes):
        found["fold"], _ = least(lambda: Folding(whole).snapshot())
    if not view.snapshot.nodes:
        return found
    found["DOT"], text = least(lambda: dot.write(view.snapshot))
    found["layout"], drawn = least(lambda: layout.render(text))
    if drawn is not None:
        words = {node.id: view._described(node) for node in view.snapshot.nodes}
        found["dressing"], _ = least(lambda: layout.dress(drawn, words, view.title))
    return found


def state(view: View) -> dict[str, Any]:
    """The state that the widget gets."""
    return {"svg": view.svg, "view": view.data(), "step": 0}


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A page of a headless Chromium, or None if it is not installed."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None or find_spec("playwright") is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser.new_page(viewport={"width": 1366, "height": 768})
        browser.close()


def table(quick: bool) -> Iterator[str]:
    """The lines of the tables, each as soon as it is measured."""
    yield f"Seconds, the least of several runs. Python {platform.python_version()}; {platform.system()}, {platform.machine()}."
    yield "`on screen`: from the call of `viz.graph` to the painted widget; `boxes`: the nodes of the picture."
    yield "`a step`: the median step of the player and its slowest; the goal is a median of 0.050 at 100 nodes."
    yield ""
    static = files("autograd_teach.viz") / "static"
    code = [(static / name).read_text(encoding="utf-8") for name in ("widget.js", "widget.css")]
    with chromium() as page:
        yield f"| graph | nodes | boxes | {' | '.join(STAGES)} | state kB | on screen |"
        yield "|---" * (len(STAGES) + 5) + "|"
        for make in (loop, mixed):
            for size in QUICK_SIZES if quick else SIZES:
                yield picture_row(make, size, page, code)
        yield ""
        yield "| player of a loop, nodes | steps | record | state kB | on screen | a step |"
        yield "|---" * 6 + "|"
        for size in QUICK_PLAYED if quick else PLAYED:
            yield player_row(size, page, code)


def picture_row(make: Callable[[int], Any], size: int, page: Any, code: list[str]) -> str:
    """One graph: its stages, its state, and the time until it is on the screen."""
    output = make(size)
    times = stages(output)
    cells = [f"{times[stage]:.3f}" if stage in times else "-" for stage in STAGES]
    view = graph(output)
    shown = _on_screen(lambda: graph(output), page, code)
    return f"| {make.__name__} | {size:,} | {len(view.snapshot.nodes):,} | {' | '.join(cells)} | {_kilobytes(view)} | {shown} |"


def player_row(size: int, page: Any, code: list[str]) -> str:
    """One player: its recording, its state, the time until it is on the screen, and the median and slowest of its steps."""
    output = loop(size - 10)
    recorded, view = least(lambda: play(output))
    shown = _on_screen(lambda: play(output), page, code)
    step = "-"
    if page is not None:
        seconds = [page.evaluate(STEP, place) for place in range(1, len(view.steps) + 1)]
        step = f"{statistics.median(seconds):.3f}, {max(seconds):.3f}"
    return f"| {size} | {len(view.steps)} | {recorded:.3f} | {_kilobytes(view)} | {shown} | {step} |"


def _kilobytes(view: View) -> str:
    return f"{len(json.dumps(state(view))) / 1000:.0f}"


def _on_screen(make: Callable[[], View], page: Any, code: list[str]) -> str:
    if page is None:
        return "-"
    return f"{least(lambda: page.evaluate(SHOW, [*code, state(make())]))[0]:.3f}"
