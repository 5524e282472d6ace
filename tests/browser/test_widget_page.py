"""The browser's half of a view, with a model of our own in a bare page: no kernel, no notebook, no network."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

import autograd_teach as torch
from autograd_teach import viz

STATIC = files("autograd_teach.viz") / "static"

SHOW = """
async ([code, css, states]) => {
  document.body.replaceChildren();
  document.head.replaceChildren(Object.assign(document.createElement("style"), { textContent: css }));
  const { default: widget } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  window.models = [];
  for (const state of states) {
    const listeners = {};
    const model = {
      saved: 0, get: (name) => state[name], save_changes() { this.saved += 1; },
      set(name, value) { state[name] = value; (listeners[`change:${name}`] || []).forEach((act) => act()); },
      on: (event, act) => (listeners[event] ||= []).push(act),
    };
    const el = document.createElement("div");
    el.className = "cell";
    document.body.append(el);
    widget.render({ model, el });
    window.models.push(model);
  }
}
"""


class Page:
    """A page that holds views, and everything that went wrong in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def show(self, *views: viz.View) -> Any:
        states = [{"svg": view.svg, "view": view.data(), "step": 0} for view in views]
        code, css = ((STATIC / name).read_text(encoding="utf-8") for name in ("widget.js", "widget.css"))
        self.page.evaluate(SHOW, [code, css, states])
        return self.page


@pytest.fixture
def bare(browser: Any) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1000, "height": 800}, reduced_motion="reduce")
    page = Page(context.new_page())
    yield page
    assert page.errors == []
    assert [url for url in page.requests if not url.startswith(("blob:", "about:", "data:", "file:"))] == []
    context.close()


def abs_sum() -> Any:
    x = torch.tensor([1.0, -2.0, 3.0, -4.0], requires_grad=True)
    return viz.graph(x.abs().sum(), names={"x": x}), viz.play(x.abs().sum(), names={"x": x})


def details(page: Any) -> str:
    return page.locator(".agt-details").first.inner_text()


def viewbox(page: Any) -> list[float]:
    return [float(v) for v in page.locator(".agt-stage svg").first.get_attribute("viewBox").split()]


def test_hovering_a_leaf_tells_shape_value_and_missing_gradient(bare):
    page = bare.show(abs_sum()[0])
    page.locator(".agt-leaf").hover()
    told = details(page)
    for part in ("x, a leaf", "(4), float32", "[1, -2, 3, -4]", "not computed yet"):
        assert part in told


def test_keyboard_walks_over_the_nodes(bare):
    page = bare.show(abs_sum()[0])
    page.locator(".agt-node").first.focus()
    titles = [details(page).splitlines()[0]]
    for _ in range(3):
        page.keyboard.press("ArrowDown")
        titles.append(details(page).splitlines()[0])
    page.keyboard.press("ArrowUp")
    titles.append(details(page).splitlines()[0])
    assert titles == [
        "output, an output",
        "SumBackward0",
        "AbsBackward0",
        "x, a leaf (AccumulateGrad)",
        "AbsBackward0",
    ]
    assert page.locator('.agt-node[tabindex="0"]').count() == 1


def test_keys_that_a_view_uses_do_not_reach_the_notebook(bare):
    page = bare.show(abs_sum()[0])
    page.evaluate("() => { window.heard = []; document.addEventListener('keydown', (e) => heard.push(e.key)); }")
    page.locator(".agt-node").first.focus()
    for key in ("ArrowDown", "Home", "j"):
        page.keyboard.press(key)
    assert page.evaluate("() => heard") == ["j"]


def test_a_screen_reader_hears_each_node_and_can_ask_for_a_table(bare):
    page = bare.show(abs_sum()[0])
    label = page.locator(".agt-leaf").get_attribute("aria-label")
    assert label.startswith("x, a leaf (AccumulateGrad), shape: (4), float32, value: [1, -2, 3, -4]")
    page.get_by_role("button", name="table").click()
    rows = page.locator(".agt-table tbody tr")
    assert rows.count() == 4
    assert rows.nth(2).inner_text().split("\t") == [
        "AbsBackward0",
        "(4)",
        "not kept by the graph",
        "not kept: not a leaf",
        "x, a leaf (AccumulateGrad)",
    ]
    page.get_by_role("button", name="table").click()
    assert not page.locator(".agt-table").is_visible()


def test_zoom_pan_and_fit(bare):
    page = bare.show(abs_sum()[0])
    home = viewbox(page)
    stage = page.locator(".agt-stage").bounding_box()
    page.mouse.move(stage["x"] + 40, stage["y"] + 40)
    page.mouse.wheel(0, -200)
    assert viewbox(page) == home, "a plain wheel must scroll the page"
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function("(w) => document.querySelector('.agt-stage svg').viewBox.baseVal.width < w", arg=home[2])
    near = viewbox(page)
    page.mouse.down()
    page.mouse.move(stage["x"] + 100, stage["y"] + 60, steps=4)
    page.mouse.up()
    moved = viewbox(page)
    assert moved[2] == near[2]
    assert moved[0] < near[0]
    page.get_by_role("button", name="fit").click()
    assert viewbox(page) == home


def test_a_large_picture_starts_readable_follows_the_player_and_fits_on_request(bare):
    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(40):
        y = y.exp()
    page = bare.show(viz.play(y))
    seen = (
        "(id) => { const a = document.getElementById(id).getBoundingClientRect(), "
        "b = document.querySelector('.agt-stage').getBoundingClientRect(); "
        "return a.top >= b.top && a.bottom <= b.bottom; }"
    )
    assert page.evaluate(seen, "n0")
    assert not page.evaluate(seen, "n41")
    assert page.locator("#n0 text").first.bounding_box()["height"] > 7
    page.get_by_role("button", name="last").click()
    assert page.evaluate(seen, "n41")
    page.get_by_role("button", name="fit").click()
    assert page.evaluate(seen, "n0")
    assert page.evaluate(seen, "n41")


def test_a_node_stays_clickable_though_the_stage_can_be_dragged(bare):
    page = bare.show(abs_sum()[0])
    page.locator(".agt-leaf").click()
    assert details(page).startswith("x, a leaf")


def test_saved_svg_is_the_static_picture(bare, tmp_path):
    graph, _ = abs_sum()
    page = bare.show(graph)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="save as SVG").click()
    waiting.value.save_as(tmp_path / "graph.svg")
    text = (tmp_path / "graph.svg").read_text(encoding="utf-8")
    assert text == graph.svg
    assert ET.fromstring(text).tag.endswith("svg")


def caption(page: Any, nth: int = 0) -> str:
    return page.locator(".agt-caption").nth(nth).inner_text()


def test_the_player_steps_by_buttons_slider_and_keys(bare):
    page = bare.show(abs_sum()[1])
    assert caption(page).startswith("Before the start")
    page.get_by_role("button", name="forward").click()
    begins = "Step 1 of 3: SumBackward0 runs, because backward starts here."
    assert caption(page) == f"{begins} It sends a gradient to AbsBackward0."
    page.get_by_role("button", name="last").click()
    ends = "Step 3 of 3: AccumulateGrad of x runs: x.grad was not computed yet, now it holds [1, -1, 1, -1]."
    assert caption(page) == ends
    assert page.get_by_role("button", name="forward").get_attribute("aria-disabled") == "true"
    page.get_by_role("button", name="back").click()
    assert caption(page).startswith("Step 2 of 3")
    page.get_by_role("button", name="first").click()
    assert caption(page).startswith("Before the start")
    page.locator(".agt-slider").focus()
    page.keyboard.press("ArrowRight")
    assert caption(page).startswith("Step 1 of 3")
    page.locator(".agt-node").first.focus()
    page.keyboard.press("ArrowRight")
    assert caption(page).startswith("Step 2 of 3")
    page.keyboard.press("End")
    assert caption(page).startswith("Step 3 of 3")
    page.keyboard.press("Home")
    assert caption(page).startswith("Before the start")
    assert page.locator(".agt-caption").get_attribute("aria-live") == "polite"
    assert page.evaluate("() => [models[0].get('step'), models[0].saved > 0]") == [0, True]


def test_a_click_anywhere_in_a_player_gives_it_the_keys_and_its_last_button_keeps_them(bare):
    page = bare.show(abs_sum()[1])
    page.locator(".agt-stage").click(position={"x": 5, "y": 5})
    page.keyboard.press("ArrowRight")
    assert caption(page).startswith("Step 1 of 3")
    page.get_by_role("button", name="last").click()
    page.keyboard.press("ArrowLeft")
    assert caption(page).startswith("Step 2 of 3")


def test_what_travels_is_written_beside_its_edge(bare):
    page = bare.show(abs_sum()[1])
    assert page.locator(".agt-carried").count() == 0
    page.get_by_role("button", name="forward").click()
    assert page.locator(".agt-flows .agt-carried").all_text_contents() == ["[1, 1, 1, 1]"]
    page.get_by_role("button", name="forward").click()
    assert page.locator(".agt-flows .agt-carried").all_text_contents() == ["[1, -1, 1, -1]"]
    page.get_by_role("button", name="forward").click()
    assert page.locator(".agt-carried").count() == 0


def test_what_stands_below_does_not_jump_back_up_from_step_to_step(bare):
    page = bare.show(abs_sum()[1])
    page.get_by_role("button", name="last").click()
    lowest = page.locator(".agt-details").bounding_box()["y"]
    page.get_by_role("button", name="back").click()
    assert page.locator(".agt-details").bounding_box()["y"] == lowest


def test_a_player_on_a_laptop_is_no_taller_than_its_screen(bare):
    bare.page.set_viewport_size({"width": 1366, "height": 768})
    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(40):
        y = y.exp()
    page = bare.show(viz.play(y))
    stage, top = page.locator(".agt-stage").bounding_box(), page.locator(".agt-top").bounding_box()
    assert stage["y"] + stage["height"] - top["y"] <= 640, "what JupyterLab leaves of 768 pixels"


def test_the_player_plays_by_itself_to_the_end_and_stops(bare):
    page = bare.show(abs_sum()[1])
    page.get_by_role("button", name="play").click()
    assert caption(page).startswith("Step 1 of 3")
    assert page.get_by_role("button", name="pause").count() == 1
    page.wait_for_function("() => document.querySelector('.agt-counter').textContent === '3 / 3'", timeout=6000)
    page.get_by_role("button", name="play").wait_for()


def test_the_step_can_be_set_from_python(bare):
    page = bare.show(abs_sum()[1])
    page.evaluate("() => models[0].set('step', 2)")
    assert caption(page).startswith("Step 2 of 3")


def states(page: Any) -> dict[str, str]:
    return page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('[data-state]')].map("
        "(g) => [[...g.querySelectorAll('text')][0].textContent, g.dataset.state]))"
    )


def test_a_node_that_waits_for_its_second_gradient_says_so(bare):
    w = torch.tensor(2.0, requires_grad=True)
    y = w.exp() * w
    page = bare.show(viz.play(y, names={"w": w, "y": y}))
    assert states(page) == {
        "1. MulBackward0": "ready",
        "2. ExpBackward0": "idle",
        "3. w (AccumulateGrad)": "idle",
    }
    page.get_by_role("button", name="forward").click()
    assert states(page) == {
        "1. MulBackward0": "now",
        "2. ExpBackward0": "ready",
        "3. w (AccumulateGrad)": "waits",
    }
    assert page.locator(".agt-leaf .agt-state").text_content() == "1 of 2 gradients"
    page.get_by_role("button", name="forward").click()
    assert states(page)["3. w (AccumulateGrad)"] == "ready"
    assert "it has all and may run now" in page.locator(".agt-step").inner_text()
    assert page.locator(".agt-edge.agt-flows").count() == 1


def test_a_leaf_shows_its_gradient_before_and_after(bare):
    x = torch.tensor([-3.0, 2.0, 5.0], requires_grad=True)
    (x**3).sum().backward()
    page = bare.show(viz.play((x**3).sum(), names={"x": x}))
    assert "grad [27, 12, 75]" in page.locator(".agt-leaf").text_content()
    page.get_by_role("button", name="last").click()
    assert "grad [54, 24, 150]" in page.locator(".agt-leaf").text_content()
    told = page.locator(".agt-step").inner_text()
    for part in (
        "grad before\n[27, 12, 75]",
        "arriving\n[27, 12, 75]",
        "grad after\n[54, 24, 150]",
    ):
        assert part in told.replace("\n\n", "\n")
    widths = page.evaluate("() => [...document.querySelectorAll('.agt-bars rect')].map((r) => r.width.baseVal.value)")
    assert len(widths) == 6
    assert widths[0] == pytest.approx(widths[1])
    assert widths[4] / widths[0] == pytest.approx(75 / 27)
    page.get_by_role("button", name="back").click()
    assert "grad [27, 12, 75]" in page.locator(".agt-leaf").text_content()
    assert page.locator(".agt-bars").count() == 0


def test_two_views_on_one_page_do_not_disturb_each_other(bare):
    page = bare.show(abs_sum()[1], abs_sum()[1])
    page.get_by_role("button", name="last").nth(1).click()
    assert caption(page, 0).startswith("Before the start")
    assert caption(page, 1).startswith("Step 3 of 3")
    page.locator(".cell").nth(1).locator(".agt-leaf").hover()
    assert "Point at a node" in page.locator(".agt-details").nth(0).inner_text()
    assert "x, a leaf" in page.locator(".agt-details").nth(1).inner_text()
    assert page.locator(".cell").nth(0).locator(".agt-on").count() == 0


def test_without_a_layout_engine_the_text_tree_is_shown(bare, monkeypatch):
    monkeypatch.setattr(viz.layout, "ENGINES", [])
    graph, play = abs_sum()
    page = bare.show(graph, play)
    assert page.locator("pre.agt-text").nth(0).inner_text() == graph.text
    assert page.locator("pre.agt-text").nth(1).inner_text() == play.text


def test_a_view_without_a_graph_shows_its_sentence(bare):
    page = bare.show(viz.graph(3.0))
    assert page.locator(".agt-note").inner_text().startswith("Nothing to draw for a float")


def test_names_are_text_never_markup(bare):
    x = torch.tensor(2.0, requires_grad=True)
    page = bare.show(viz.graph(x * x, names={"<img src=x onerror=alert(1)>": x}))
    page.locator(".agt-leaf").hover()
    assert "<img src=x" in details(page)
    assert page.locator("img").count() == 0


LUMINANCE = """
([text, ground]) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const part = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const [a, b] = [light(getComputedStyle(document.querySelector(text[0]))[text[1]]), light(getComputedStyle(document.querySelector(ground[0]))[ground[1]])];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
"""


@pytest.mark.parametrize("theme", ["light", "dark", "jupyter"])
@pytest.mark.parametrize(
    ("text", "ground", "least"),
    [
        (["#n3 text", "fill"], ["#n3 > :is(path,polygon)", "fill"], 4.5),
        (["#n1 text", "fill"], ["#n1 > polygon", "fill"], 4.5),
        ([".agt-legend", "color"], [".agt", "backgroundColor"], 4.5),
        (["#n3 > path", "stroke"], [".agt", "backgroundColor"], 3.0),
        (["#n0 > polygon", "stroke"], [".agt", "backgroundColor"], 3.0),
        (["#n1 > polygon", "stroke"], [".agt", "backgroundColor"], 3.0),
    ],
)
def test_contrast_is_enough_in_every_theme(bare, theme, text, ground, least):
    bare.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page = bare.show(abs_sum()[0])
    if theme == "jupyter":  # a dark notebook on a light system
        page.evaluate(
            "() => { for (const [n, v] of [['--jp-layout-color0', '#111'], ['--jp-content-font-color1', '#eee']]) document.documentElement.style.setProperty(n, v); }"
        )
    assert page.evaluate(LUMINANCE, [text, ground]) >= least


def test_nothing_moves_by_itself_where_reduced_motion_is_asked_for(bare):
    page = bare.show(abs_sum()[0])
    assert page.evaluate("() => getComputedStyle(document.querySelector('.agt-node')).transitionDuration") == "0s"


def test_an_exported_page_works_from_a_file_without_a_network(bare, tmp_path):
    viz.save(abs_sum()[1], tmp_path / "play.html")
    bare.page.context.set_offline(True)
    bare.page.goto((tmp_path / "play.html").as_uri())
    bare.page.get_by_role("button", name="last").click()
    assert caption(bare.page).startswith("Step 3 of 3")


def test_an_exported_page_shows_its_picture_without_scripts(browser, tmp_path):
    viz.save(abs_sum()[0], tmp_path / "graph.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "graph.html").as_uri())
    assert page.locator("svg.agt-static .agt-leaf").is_visible()
    context.close()
