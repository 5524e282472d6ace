"""The browser's half of a view, with a model of our own in a bare page: no kernel, no notebook.

One file, because each file starts a browser of its own.
"""

import base64
import builtins
import json
import re
import shutil
import struct
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import autograd_teach as torch
from autograd_teach import viz
from autograd_teach.viz import layout

SVG = "{http://www.w3.org/2000/svg}"
PIXELS = """
async (data) => {
  const image = Object.assign(new Image(), { src: `data:image/png;base64,${data}` });
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const all = canvas.getImageData(0, 0, image.width, image.height).data;
  let darkest = 255;
  for (let i = 0; i < all.length; i += 4) darkest = Math.min(darkest, Math.max(all[i], all[i + 1], all[i + 2]));
  return [[...all.slice(0, 4)], darkest];
}
"""


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
    assert page.get_by_role("table", name="Autograd graph of output: 2 operations, 1 leaf: x.").count() == 1
    assert page.get_by_role("columnheader").all_inner_texts() == [
        "node",
        "shape",
        "value",
        "gradient",
        "gradients go to",
    ]
    assert page.get_by_role("rowheader").nth(2).inner_text() == "AbsBackward0"
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
    page.evaluate("() => { window.turned = 0; document.addEventListener('wheel', () => { turned += 1; }); }")
    page.mouse.wheel(0, -200)
    page.wait_for_function("() => turned === 1")
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


@pytest.mark.full
@pytest.mark.parametrize("kind", ["graph", "play"])
def test_a_picture_of_which_a_part_is_seen_says_so_while_it_does(bare, kind):
    leaves = [torch.tensor(float(i), requires_grad=True) for i in range(8)]
    page = bare.show(getattr(viz, kind)(torch.stack(leaves).sum()))
    told = page.get_by_text("This picture is large")
    for width in (2000, 390, 2000, 390):
        page.set_viewport_size({"width": width, "height": 1400})
        told.wait_for(state="visible" if width == 390 else "hidden")
    page.get_by_role("button", name="fit").click()
    assert not told.is_visible()


@pytest.mark.full
@pytest.mark.parametrize(("width", "seen"), [(390, True), (360, True), (200, False)])
def test_a_narrow_window_shows_the_whole_width_if_its_text_can_be_read(bare, width, seen):
    bare.page.set_viewport_size({"width": width, "height": 800})
    state = whole()
    page, across = bare.show(state), float(re.search(r'viewBox="\S+ \S+ (\S+)', state["svg"])[1])
    assert (viewbox(page)[2] == across) == seen
    stage, picture = (page.locator(at).bounding_box() for at in (".agt-stage", ".agt-stage svg"))
    assert stage["height"] - picture["height"] <= 24 or stage["height"] == 150, "no empty space around it"


def test_a_node_stays_clickable_though_the_stage_can_be_dragged(bare):
    page = bare.show(abs_sum()[0])
    page.locator(".agt-leaf").click()
    assert details(page).startswith("x, a leaf")


def saved(page: Any, button: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


@pytest.mark.parametrize("place", ["first", "last"])
def test_saved_svg_is_the_end_of_the_pass_at_any_step_whole_and_complete_in_itself(bare, tmp_path, place):
    bare.page.emulate_media(color_scheme="dark")
    page = bare.show(abs_sum()[1])
    page.get_by_role("button", name="forward").click()
    page.get_by_role("button", name=place).click()
    page.locator(".agt-leaf").hover()
    page.get_by_role("button", name="zoom in").click()
    root = ET.parse(saved(page, "save as SVG", tmp_path)).getroot()
    shapes = {group.get("id"): group for group in root.iter(f"{SVG}g")}
    assert float(root.get("width")) == pytest.approx(float(root.get("viewBox").split()[2]) * 4 / 3, abs=1)
    told = {name: [text.text.strip() for text in group.iter(f"{SVG}text")] for name, group in shapes.items()}
    assert told["n3"][-2:] == ["grad [1, -1, 1, -1]", "arrived: [1, -1, 1, -1]"]
    assert told["e2_0"] == ["[1, 1, 1, 1]", "× [1, -1, 1, -1]", "= [1, -1, 1, -1]"]
    assert not [name for name, group in shapes.items() if group.get("opacity")], "nothing is pale at the end"
    assert shapes["n3"].find(f"{SVG}path").get("stroke") != "rgb(213, 94, 0)", "nothing runs any more"
    assert shapes["n1"].find(f"{SVG}text").get("fill") == "rgb(26, 26, 26)", "light on paper, also in a dark notebook"
    assert shapes["graph0"].find(f"{SVG}polygon").get("fill") == "rgb(255, 255, 255)"
    assert shapes["n3"].find(f"{SVG}title").text.startswith("x, a leaf (AccumulateGrad)\nshape: (4)")
    assert "grad at the end: [1, -1, 1, -1]" in shapes["n3"].find(f"{SVG}title").text
    text = ET.tostring(root, encoding="unicode")
    assert not any(strange in text for strange in ("class=", "color(", "var(", "agt-"))


@pytest.mark.full
def test_saved_png_is_twice_as_fine_and_white(bare, tmp_path):
    bare.page.emulate_media(color_scheme="dark")
    page = bare.show(abs_sum()[0])
    width, height = (round(side * 4 / 3) for side in viewbox(page)[2:])
    data = saved(page, "save as PNG", tmp_path).read_bytes()
    assert struct.unpack(">II", data[16:24]) == (2 * width, 2 * height)
    corner, darkest = page.evaluate(PIXELS, base64.b64encode(data).decode())
    assert corner == [255, 255, 255, 255]
    assert darkest < 60, "there is text"


def test_saved_dot_is_the_text_for_graphviz(bare, tmp_path):
    graph, _ = abs_sum()
    assert saved(bare.show(graph), "save as DOT", tmp_path).read_text(encoding="utf-8") == graph.dot


A_STEP = 1_400  # milliseconds from one step of a player to the next


def caption(page: Any, nth: int = 0) -> str:
    return page.locator(".agt-caption").nth(nth).inner_text()


def test_the_player_steps_by_buttons_slider_and_keys(bare):
    page = bare.show(abs_sum()[1])
    assert caption(page).startswith("Before the start")
    page.get_by_role("button", name="forward").click()
    begins = "Step 1 of 3: SumBackward0 runs, because backward starts here."
    assert caption(page) == f"{begins} It sends 1 × [1, 1, 1, 1] = [1, 1, 1, 1] to AbsBackward0."
    page.get_by_role("button", name="last").click()
    ends = "Step 3 of 3: AccumulateGrad of x runs: x.grad was None, now it holds [1, -1, 1, -1]."
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


def test_what_stands_below_does_not_move_from_step_to_step(bare):
    page = bare.show(abs_sum()[1])
    lowest = page.locator(".agt-legend").bounding_box()["y"]
    for button in ("last", "back", "first"):
        page.get_by_role("button", name=button).click()
        assert page.locator(".agt-legend").bounding_box()["y"] == lowest


def test_a_player_on_a_laptop_is_no_taller_than_its_screen(bare):
    bare.page.set_viewport_size({"width": 1366, "height": 768})
    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(40):
        y = y.exp()
    page = bare.show(viz.play(y))
    stage, top = page.locator(".agt-stage").bounding_box(), page.locator(".agt-top").bounding_box()
    assert stage["y"] + stage["height"] - top["y"] <= 640, "what JupyterLab leaves of 768 pixels"


def test_the_player_plays_by_itself_to_the_end_and_stops(timed):
    page = timed.show(abs_sum()[1])
    page.get_by_role("button", name="play").click()
    assert page.get_by_role("button", name="pause").count() == 1
    for step in (1, 2, 3):
        assert caption(page).startswith(f"Step {step} of 3")
        page.clock.run_for(A_STEP)
    assert page.get_by_role("button", name="play").count() == 1
    assert caption(page).startswith("Step 3 of 3")


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
    assert page.locator(".agt-details").nth(0).text_content() == ""
    assert "x, a leaf" in page.locator(".agt-details").nth(1).inner_text()
    assert page.locator(".cell").nth(0).locator(".agt-on").count() == 0


def test_a_view_without_a_graph_shows_its_sentence(bare):
    page = bare.show(viz.graph(3.0))
    assert page.locator(".agt-note").inner_text().startswith("Nothing to draw for a float")


def why_detached() -> viz.WhyView:
    w, outside = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    return viz.why(lambda: (w.detach() * outside).sum(), w)


@pytest.mark.parametrize("place", ["page", "export", "export without scripts", "no picture"])
def test_an_answer_of_why_is_shown_once_and_its_code_as_code(bare, browser, tmp_path, monkeypatch, place):
    view = why_detached()
    first, second = view.sentence.splitlines()
    if place == "no picture":
        monkeypatch.setattr("autograd_teach.viz.layout.render", lambda *_: None)
        monkeypatch.setattr(type(view.snapshot), "tangled", True)
    if place.startswith("export"):
        page = bare.page if place == "export" else browser.new_context(java_script_enabled=False).new_page()
        page.goto(viz.save(view, tmp_path / "why.html").as_uri())
    else:
        page = bare.show(view)
    shown = " ".join(page.locator("#view, .cell").inner_text().replace("\n", " ").split())
    assert shown.count(first[:24]) == shown.count(second[:7]) == 1
    assert "`" not in shown
    if place != "export without scripts":
        assert page.locator(".agt-note code").all_text_contents() == view.sentence.split("`")[1::2] != []
        assert page.locator("g.graph > text").count() == 0
    if place == "no picture":
        assert "SumBackward0" in page.locator("pre").text_content()
    if page is not bare.page:
        page.context.close()


def test_names_are_text_never_markup(bare):
    x = torch.tensor(2.0, requires_grad=True)
    page = bare.show(viz.graph(x * x, names={"<img src=x onerror=alert(1)>": x}))
    page.locator(".agt-leaf").hover()
    assert "<img src=x" in details(page)
    assert page.locator("img").count() == 0


CONTRAST = """
([text, ground]) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = ([selector, property]) => {
    canvas.fillStyle = getComputedStyle(document.querySelector(selector))[property]; canvas.fillRect(0, 0, 1, 1);
    const part = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const [a, b] = [light(text), light(ground)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
"""
DARK_NOTEBOOK = """
() => {
  document.documentElement.style.setProperty("--jp-layout-color0", "#111");
  document.documentElement.style.setProperty("--jp-content-font-color1", "#eee");
}
"""


LEAST_CONTRAST = [
    (["#n3 text", "fill"], ["#n3 > :is(path,polygon)", "fill"], 4.5),
    (["#n1 text", "fill"], ["#n1 > polygon", "fill"], 4.5),
    ([".agt-legend", "color"], [".agt", "backgroundColor"], 4.5),
    (["#n3 > path", "stroke"], [".agt", "backgroundColor"], 3.0),
    (["#n0 > polygon", "stroke"], [".agt", "backgroundColor"], 3.0),
    (["#n1 > polygon", "stroke"], [".agt", "backgroundColor"], 3.0),
]


def test_contrast_is_enough_in_every_theme(bare):
    page = bare.show(abs_sum()[0])
    for theme in ("light", "dark", "a dark notebook on a light system"):
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        if "notebook" in theme:
            page.evaluate(DARK_NOTEBOOK)
        for text, ground, least in LEAST_CONTRAST:
            assert page.evaluate(CONTRAST, [text, ground]) >= least, (theme, text, ground)


def test_nothing_moves_by_itself_where_reduced_motion_is_asked_for(bare):
    page = bare.show(abs_sum()[0])
    assert page.evaluate("() => getComputedStyle(document.querySelector('.agt-node')).transitionDuration") == "0s"


def test_an_exported_page_works_from_a_file_without_a_network(bare, tmp_path):
    viz.save(abs_sum()[1], tmp_path / "play.html")
    bare.page.context.set_offline(True)
    bare.page.goto((tmp_path / "play.html").as_uri())
    assert caption(bare.page).startswith("Step 3 of 3"), "what is saved is the end"
    bare.page.get_by_role("button", name="first").click()
    assert caption(bare.page).startswith("Before the start")


def test_an_exported_page_shows_its_picture_without_scripts(browser, tmp_path):
    viz.save(abs_sum()[0], tmp_path / "graph.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "graph.html").as_uri())
    assert page.locator("svg.agt-static .agt-leaf").is_visible()
    context.close()


def chain(length: int) -> viz.View:
    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(length):
        y = y.exp()
    return viz.graph(y, names={"y": y})


def update(page: Any, view: viz.View | dict[str, Any], more: str = "") -> None:
    new = view if isinstance(view, dict) else {"svg": view.svg, "view": view.data()}
    page.evaluate(f"(state) => {{ window.models[0].update(state); {more} }}", new)


def test_another_picture_takes_the_place_of_the_first(bare):
    page = bare.show(chain(2))
    page.get_by_role("button", name="table").click()
    update(page, chain(3))
    assert page.locator(".agt-node").count() == 5
    assert page.locator(".agt-table tbody tr").count() == 5, "the table stays open"
    assert page.locator(".agt").count() == page.locator(".agt-stage svg").count() == 1
    assert (
        page.locator(".agt").get_attribute("aria-label") == "Autograd graph of y: 3 operations, 1 leaf: unnamed leaf."
    )
    update(page, viz.graph(3.0))
    assert page.locator(".agt-node").count() == 0
    assert page.locator(".agt-note").is_visible()
    update(page, abs_sum()[1])
    page.get_by_role("button", name="forward").click()
    assert caption(page).startswith("Step 1 of 3")


def test_a_new_picture_keeps_zoom_and_the_node_in_focus(bare):
    page = bare.show(chain(2))
    page.get_by_role("button", name="zoom in").click()
    near = viewbox(page)
    page.locator(".agt-leaf").focus()
    page.wait_for_function("() => document.activeElement.id === 'n3'")
    update(page, chain(4))
    assert viewbox(page)[2:] == pytest.approx(near[2:])
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')").startswith("unnamed leaf, a leaf")
    assert details(page).startswith("unnamed leaf, a leaf")
    page.get_by_role("button", name="fit").click()
    update(page, chain(40))
    assert viewbox(page)[3] > 1500, "all of it, as asked for"
    assert page.evaluate("() => document.activeElement.title") == "fit"


def test_a_picture_and_its_words_that_come_one_after_the_other_wait_for_each_other(bare):
    page = bare.show(chain(2))
    new = chain(3)
    update(page, {"view": new.data()})
    assert page.locator(".agt-node").count() == 4
    update(page, {"svg": new.svg})
    assert page.locator(".agt-node").count() == 5


def test_a_view_that_is_taken_away_lets_go_of_its_model(timed):
    page = timed.show(abs_sum()[1])
    page.get_by_role("button", name="play").click()
    page.evaluate("() => { window.models[0].leave(); window.models[0].set('step', 3); }")
    page.clock.run_for(2 * A_STEP)
    assert caption(page).startswith("Step 1 of 3")


def folded() -> dict[str, Any]:
    view = chain(2)
    data = view.data()
    data["nodes"][1]["unfolds"] = True
    return {"svg": view.svg, "view": data, "step": 0}


def unfold_by_click(page: Any) -> None:
    page.locator("#n1").click()


def unfold_by_keyboard(page: Any) -> None:
    page.locator("#n1").focus()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("unfold", [unfold_by_click, unfold_by_keyboard])
def test_a_folded_node_asks_the_kernel_to_unfold_it(bare, unfold):
    page = bare.show(folded(), kernel=True)
    page.locator("#n1").hover()
    assert "Click, or press Enter, to unfold." in details(page)
    unfold(page)
    assert page.evaluate("() => window.models[0].sent") == [{"type": "unfold", "id": "n1"}]
    assert page.get_by_role("status").inner_text() == "Unfolding…"
    update(page, chain(4))
    assert page.locator(".agt-node").count() == 6
    assert page.get_by_role("status").count() == 0
    assert page.evaluate("() => document.activeElement.id") == "n1"


@pytest.mark.parametrize("unfold", [unfold_by_click, unfold_by_keyboard])
def test_without_a_kernel_a_folded_node_says_that_it_needs_one(bare, unfold):
    page = bare.show(folded())
    unfold(page)
    said = page.get_by_role("status").inner_text()
    assert said == "There is no kernel here: unfolding needs a running kernel. Run the cell again in a notebook."


def test_a_kernel_that_does_not_answer_is_not_waited_for_in_silence(timed):
    page = timed.show(folded(), kernel=True)
    unfold_by_click(page)
    page.clock.run_for(4_000)
    assert page.get_by_role("status").inner_text() == "Unfolding…"
    page.clock.run_for(2_000)
    assert page.get_by_role("status").inner_text().startswith("No answer yet: unfolding needs a running kernel.")


def test_a_node_that_is_dragged_is_not_unfolded(bare):
    page = bare.show(folded(), kernel=True)
    box = page.locator("#n1").bounding_box()
    for distance, sent in ((30, 0), (2, 1)):
        page.mouse.move(box["x"] + 10, box["y"] + 8)
        page.mouse.down()
        page.mouse.move(box["x"] + 10 + distance, box["y"] + 8, steps=3)
        page.mouse.up()
        assert page.evaluate("() => window.models[0].sent.length") == sent
        page.get_by_role("button", name="fit").click()


HEAT = {
    "rows": 2,
    "columns": 3,
    "values": [[-2.0, 0.0, 1.0], [None, "inf", "-inf"]],
    "low": -2.0,
    "high": 1.0,
    "shape": "shape (2, 3)",
    "range": "from -2 to 1, 1 NaN, 2 inf",
}


def heated(heat: dict[str, Any]) -> dict[str, Any]:
    view = abs_sum()[1]
    data = view.data()
    data["steps"][1]["rows"][1] = ["came in", {"heat": heat}]
    return {"svg": view.svg, "view": data, "step": 2}


def test_a_larger_gradient_is_a_heat_map_with_its_shape_and_range_beside_it(bare):
    page = bare.show(heated(HEAT))
    cells = page.locator(".agt-step .agt-cell")
    fills = cells.evaluate_all("(all) => all.map((cell) => cell.getAttribute('fill'))")
    blue, orange, white = "rgb(0 114 178)", "rgb(213 94 0)", "rgb(255 255 255)"
    assert [fills[0], fills[1], fills[4], fills[5]] == [blue, white, orange, blue]
    assert fills[3] == "#fff", "under the strokes of what is no number"
    assert fills[2] == "rgb(234 175 128)", "half of the way, as 1 is of 2"
    assert page.locator(".agt-no-number").count() == 1
    assert page.locator(".agt-minus").count() == 2, "below zero is told by more than colour"
    assert page.locator(".agt-heat-told").inner_text() == "shape (2, 3)\nfrom -2 to 1, 1 NaN, 2 inf"
    assert page.get_by_role("img", name="heat map, shape (2, 3), from -2 to 1, 1 NaN, 2 inf").count() == 1
    titles = cells.evaluate_all("(all) => all.map((cell) => cell.querySelector('title')?.textContent)")
    assert titles == ["[0, 0] -2", "[0, 1] 0", "[0, 2] 1", "[1, 0] nan", "[1, 1] inf", "[1, 2] -inf"]
    page.get_by_role("button", name="table").click()
    assert "came in: shape (2, 3), from -2 to 1, 1 NaN, 2 inf" in page.locator(".agt-table").inner_text()


def test_a_heat_map_of_any_form_stays_small(bare):
    forms = [(1, 1), (1, 64), (64, 1), (64, 64), (0, 0)]
    maps = [{**HEAT, "rows": n, "columns": m, "values": [[0.5] * m] * n} for n, m in forms]
    page = bare.show(*map(heated, maps))
    boxes = [page.locator(".agt-heat").nth(place).bounding_box() for place in range(len(forms))]
    assert [form for form, box in zip(forms, boxes) if box["width"] > 152.5 or box["height"] > 112.5] == []


def test_a_heat_map_of_zeros_is_white(bare):
    page = bare.show(heated({**HEAT, "values": [[0.0, 0.0, 0.0]] * 2, "low": 0.0, "high": 0.0}))
    assert page.locator('.agt-cell[fill="rgb(255 255 255)"]').count() == 6


WORK_OF_STEPS = """
() => {
  let asked = 0;
  const count = (owner, name) => {
    const { value, get } = Object.getOwnPropertyDescriptor(owner, name);
    const counted = function (...given) { asked += 1; return (value ?? get).apply(this, given); };
    Object.defineProperty(owner, name, value ? { value: counted } : { get: counted });
  };
  for (const name of ["getBoundingClientRect", "clientWidth", "clientHeight"]) count(Element.prototype, name);
  for (const name of ["offsetTop", "offsetWidth", "offsetHeight"]) count(HTMLElement.prototype, name);
  for (const name of ["getBBox", "getCTM", "getScreenCTM"]) count(SVGGraphicsElement.prototype, name);
  for (const name of ["getTotalLength", "getPointAtLength"]) count(SVGGeometryElement.prototype, name);
  const changes = new MutationObserver(() => {}), forward = document.querySelector("[title=forward]"), steps = [];
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  while (forward.getAttribute("aria-disabled") !== "true") {
    asked = 0;
    forward.click();
    steps.push({ changed: changes.takeRecords().length, asked });
  }
  return { steps, sent: window.models[0].saved };
}
"""


def test_the_work_of_a_step_grows_with_the_graph_not_its_square(bare):
    """What changes in the page; how often the layout is asked for, which makes the browser compute it; what the kernel hears.

    How long a step takes, `python -m benchmarks views` says.
    """

    def work(operations: int) -> tuple[int, int]:
        y = torch.tensor(0.5, requires_grad=True)
        for _ in range(operations // 2):
            y = y.exp() * 0.1
        page = bare.show(viz.play(y))
        assert page.locator(".agt-node").count() > operations
        done = page.evaluate(WORK_OF_STEPS)
        assert len(done["steps"]) == done["sent"] == operations + 1
        return tuple(max(step[what] for step in done["steps"]) for what in ("changed", "asked"))

    (few_changes, few_asked), (many_changes, many_asked) = work(12), work(48)
    assert many_changes < 5 * few_changes
    assert many_asked < 5 * few_asked


def test_a_view_of_a_lesson_s_size_has_a_small_state():
    y = torch.tensor(0.5, requires_grad=True)
    for _ in range(20):
        y = y.exp() * 0.1
    view = viz.play(y)
    assert len(view.snapshot.nodes) > 60
    assert len(json.dumps({"svg": view.svg, "view": view.data()})) < 125_000


# ---- where Python has no Graphviz, the browser lays the picture out -------------------------------------------------

ANSWER = """
([code, nth]) => window.models[nth].hear(
  { type: "engine" }, [new DataView(Uint8Array.from(atob(code), (byte) => byte.charCodeAt(0)).buffer)])
"""
SENT = "() => window.models.map((model) => model.sent)"


@pytest.fixture
def code() -> str:
    return base64.b64encode(layout.browser_engine()).decode()


@pytest.fixture
def no_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of Python's engines, taken away as they are missing in life: no wheel to import, no `dot` on the path."""
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "pygraphviz":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setattr(shutil, "which", lambda name: None)


def views() -> tuple[viz.View, viz.View]:
    x = torch.tensor([1.0, -2.0, 3.0, -4.0], requires_grad=True)
    return viz.graph(x.exp().sum(), names={"x": x}), viz.play(x.exp().sum(), names={"x": x})


def node_texts(page: Any) -> dict[str, list[str]]:
    return page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('.agt-node')].map("
        "(group) => [group.id, [...group.querySelectorAll('text')].map((text) => text.textContent)]))"
    )


def test_the_text_stands_there_until_the_kernel_has_sent_graphviz(bare, no_graphviz, code):
    graph, _ = views()
    assert graph.svg == ""
    page = bare.show(graph, kernel=True)
    assert page.evaluate(SENT) == [[{"type": "engine"}]]
    assert page.locator("pre.agt-text").inner_text() == graph.text
    assert page.get_by_role("status").inner_text().startswith("The browser is laying out the picture.")
    page.evaluate(ANSWER, [code, 0])
    page.locator(".agt-node").first.wait_for()
    assert page.locator("pre.agt-text").count() == 0
    page.locator(".agt-leaf").hover()
    assert page.locator(".agt-details").inner_text().startswith("x, a leaf")


def test_the_picture_is_the_one_that_python_makes_node_for_node(bare, no_graphviz, monkeypatch, code):
    _, here = views()
    page = bare.show(here, kernel=True)
    page.evaluate(ANSWER, [code, 0])
    page.locator(".agt-node").first.wait_for()
    laid_out_here = node_texts(page)
    assert "grad not computed yet" in laid_out_here["n3"], "where the box has room for the longer line that comes"
    assert page.locator(".agt-page").count() == 1
    page.get_by_role("button", name="last").click()
    assert "grad from 0.01832 to 20.09" in page.locator(".agt-leaf").text_content()
    assert page.get_by_role("button", name="save as PNG").is_visible()

    monkeypatch.undo()
    _, there = views()
    if not there.svg:
        pytest.skip("no Graphviz here to compare with")
    assert node_texts(bare.show(there)) == laid_out_here


def test_graphviz_is_asked_for_once_a_page(bare, no_graphviz, code):
    page = bare.show(*views(), kernel=True)
    assert page.evaluate(SENT) == [[{"type": "engine"}], []]
    page.evaluate(ANSWER, [code, 0])
    page.locator(".cell:nth-child(2) .agt-node").first.wait_for()
    assert page.locator(".agt-node").count() == 8
    later = bare.show(*views(), kernel=True)  # of another kernel
    later.locator(".cell:nth-child(2) .agt-node").first.wait_for()
    assert later.evaluate(SENT) == [[], []]


FAILURES = [
    (
        "[{type: 'engine', error: 'Graphviz is not in this installation'}, []]",
        "Graphviz is not in this installation",
    ),
    ("[{type: 'engine'}, [new TextEncoder().encode('no module at all {')]]", "Unexpected|Missing"),
    (
        "[{type: 'engine'}, [new TextEncoder().encode('export const instance = async () => { throw new Error(`no wasm`) }')]]",
        "no wasm",
    ),
]


def test_where_that_fails_too_the_text_stays_with_a_sentence_and_the_next_view_asks_again(bare, no_graphviz, code):
    graph, _ = views()
    for answer, why in FAILURES:
        page = bare.show(graph, kernel=True)
        assert page.evaluate(SENT) == [[{"type": "engine"}]]
        page.evaluate(f"() => window.models[0].hear(...{answer})")
        said = page.get_by_role("status", name="").filter(has_text="The browser could not lay out the picture")
        said.wait_for()
        assert re.search(why, said.inner_text())
        assert page.locator("pre.agt-text").inner_text() == graph.text
    page = bare.show(graph, kernel=True)
    page.evaluate(ANSWER, [code, 0])
    page.locator(".agt-node").first.wait_for()


def test_without_a_kernel_and_without_graphviz_the_text_is_shown(bare, no_graphviz):
    graph, play = views()
    page = bare.show(graph, play)
    page.get_by_text("there is no kernel to send Graphviz").nth(1).wait_for()
    assert page.locator("pre.agt-text").nth(0).inner_text() == graph.text
    assert page.locator("pre.agt-text").nth(1).inner_text() == play.text


def test_a_saved_page_brings_graphviz_along_where_python_could_not_draw(bare, no_graphviz, tmp_path):
    for nth, (view, nodes) in enumerate(zip(views(), (4, 4), strict=True)):
        path = viz.save(view, tmp_path / f"{nth}.html")
        bare.page.context.set_offline(True)
        bare.page.goto(path.as_uri())
        bare.page.locator(".agt-node").first.wait_for()
        assert bare.page.locator(".agt-node").count() == nodes


def test_a_saved_page_with_a_picture_does_not_carry_graphviz(tmp_path):
    graph, _ = views()
    if graph.svg:
        assert viz.save(graph, tmp_path / "graph.html").stat().st_size < 120_000


def test_a_picture_that_comes_late_does_not_replace_what_is_shown_by_then(bare, no_graphviz, code):
    graph, play = views()
    page = bare.show(graph, play, kernel=True)
    sentence = viz.graph(3.0)
    page.evaluate("(state) => window.models[0].update(state)", {"svg": sentence.svg, "view": sentence.data()})
    page.evaluate(ANSWER, [code, 0])
    page.locator(".cell:nth-child(2) .agt-node").first.wait_for()  # it is laid out after the first view's picture
    changed = page.locator(".cell:nth-child(1)")
    assert changed.locator(".agt-node").count() == 0
    assert changed.locator(".agt-note").inner_text().startswith("Nothing to draw for a float")


# ---- a player of a function: forward, then backward --------------------------------------------------------------------


def f(a, b):
    c = a * b
    return (c + a) ** 2


def whole() -> dict[str, Any]:
    """What the widget's model holds of a player with both phases."""
    view = viz.play(f, a=2.0, b=-3.0)
    data = view.data()
    return {"svg": view.svg, "view": data, "step": data["first"]}


LAST, FIRST = 5, -4
SET = "(place) => models[0].set('step', place)"
SEEN = """
() => {
  const found = {};
  for (const group of document.querySelectorAll(".agt-node, .agt-edge")) {
    const texts = [...group.querySelectorAll("text")].filter((text) => getComputedStyle(text).visibility === "visible");
    found[group.id] = texts.map((text) => text.textContent.replaceAll("\\u00a0", " ").trim());
  }
  return found;
}
"""


def counter(page: Any) -> str:
    return page.locator(".agt-counter").inner_text()


def test_places_go_from_the_leaves_over_all_values_to_all_gradients(bare):
    page = bare.show(whole())
    told = []
    for _ in range(LAST - FIRST + 1):
        told.append((counter(page), caption(page).partition(".")[0]))
        page.locator("[title=forward]").dispatch_event("click")
    assert told == [
        ("forward 0 / 3", "Before the start: the leaves have their values, nothing is computed"),
        ("forward 1 / 3", "Forward 1 of 3: c = a · b = -6"),
        ("forward 2 / 3", "Forward 2 of 3: a result = c + a = -4"),
        ("forward 3 / 3", "Forward 3 of 3: a result = (-4)² = 16"),
        (
            "backward 0 / 5",
            "All values are computed; now backward: each node shows how many of its gradients have arrived",
        ),
        ("backward 1 / 5", "Step 1 of 5: PowBackward0 runs, because backward starts here"),
        ("backward 2 / 5", "Step 2 of 5: AddBackward0 runs, because its only gradient is there"),
        ("backward 3 / 5", "Step 3 of 5: MulBackward0 (c) runs, because its only gradient is there"),
        ("backward 4 / 5", "Step 4 of 5: AccumulateGrad of a runs: a"),
        ("backward 5 / 5", "Step 5 of 5: AccumulateGrad of b runs: b"),
    ]
    slider = page.locator(".agt-slider")
    assert [slider.get_attribute(name) for name in ("min", "max", "aria-label")] == [
        "-4", "5", "step of the forward and the backward pass",
    ]  # fmt: skip
    for key, place in (("Home", -4), ("ArrowRight", -3), ("End", 5), ("ArrowLeft", 4)):
        page.locator(".agt-node").first.focus()
        page.keyboard.press(key)
        assert page.evaluate("() => models[0].get('step')") == place
        assert slider.input_value() == str(place)
    slider.fill("0")
    assert counter(page) == "backward 0 / 5"


def test_values_appear_in_the_forward_phase_and_gradients_in_the_backward_phase_and_stay(bare):
    page = bare.show(whole())
    seen = {}
    for place in range(FIRST, LAST + 1):
        page.evaluate(SET, place)
        seen[place] = page.evaluate(SEEN)
    values = {"n3": (-3, "a · b"), "n2": (-2, "c + a"), "n1": (-1, "u²")}  # no value of a node that is not computed yet
    known = {"n3": "a · b = -6", "n2": "c + a = -4", "n1": "(-4)² = 16"}
    labels = {"e0_0": 0, "e1_0": 1, "e2_0": 2, "e2_1": 2, "e3_0": 3, "e3_1": 3}
    at_end = {
        "e0_0": "1",
        "e1_0": "1 × -8 = -8",
        "e2_0": "-8 × 1 = -8",
        "e2_1": "-8 × 1 = -8",
        "e3_0": "-8 × -3 = 24",
        "e3_1": "-8 × 2 = -16",
    }
    for place, found in seen.items():
        for node, (made, before) in values.items():
            assert found[node][1] == (known[node] if place >= made else before), (node, place)
        assert found["n0"][1] == ("= 16" if place >= -1 else "…"), place
        assert found["n4"][1:3] == ["= 2", "grad 16" if place >= 4 else "grad not computed yet"], place
        for edge, sent in labels.items():
            assert found[edge] == ([at_end[edge]] if place >= sent else []), (edge, place)
    page.evaluate(SET, FIRST)
    assert page.evaluate(SEEN) == seen[FIRST], "and back again"


STATES = {
    -4: "idle idle idle ran ran",
    -3: "idle idle now ran ran",
    -1: "now ran ran ran ran",
    0: "ready idle idle idle idle",
    1: "now ready idle idle idle",
    2: "ran now ready waits idle",
    3: "ran ran now ready ready",
    4: "ran ran ran now ready",
    5: "ran ran ran ran now",
}
LAST_LINES = {
    -4: ["not computed yet"] * 3 + ["", ""],
    -3: ["not computed yet", "not computed yet", "computed now", "", ""],
    0: ["ready to run", "0 of 1 gradient", "0 of 1 gradient", "0 of 2 gradients", "0 of 1 gradient"],
    2: ["arrived: 1", "arrived: -8", "ready to run", "1 of 2 gradients", "0 of 1 gradient"],
    5: ["arrived: 1", "arrived: -8", "arrived: -8", "arrived: -8 + 24 = 16", "arrived: -16"],
}


def test_each_node_says_by_its_line_and_its_last_words_how_far_it_is(bare):
    page = bare.show(whole())
    for place, expected in STATES.items():
        page.evaluate(SET, place)
        assert " ".join(states(page).values()) == expected, place
        if place in LAST_LINES:
            assert page.locator(".agt-state").all_text_contents() == LAST_LINES[place]


def test_at_the_end_nothing_is_pale_hidden_or_still_to_run(bare):
    page = bare.show(whole())
    page.evaluate(SET, LAST)
    pale = (
        "() => [...document.querySelectorAll('.agt-stage g')].filter((g) => getComputedStyle(g).opacity !== '1').length"
    )
    page.wait_for_function(f"() => !({pale})()")  # what fades does so in 0.2 s
    assert page.locator(".agt-unsent").count() == 0


def test_a_node_that_has_run_tells_its_step_again(bare):
    page = bare.show(whole())
    page.evaluate(SET, 2)
    thick = "() => getComputedStyle(document.querySelector('#e1_0 path')).strokeWidth"
    before = page.evaluate(thick)
    page.locator("#n1").hover()
    assert page.evaluate(thick) == before, "pointing at a node does not hide how large its gradient is"
    told = details(page)
    assert "Step 1 of this pass" in told
    assert "1 × -8 = -8 to AddBackward0" in told
    page.locator("#n3").hover()
    assert "of this pass" not in details(page), "it has not run yet"
    page.evaluate(SET, LAST)
    page.locator("#n4").hover()
    assert "sum: -8 + 24 = 16" in details(page)


def test_details_lie_over_the_picture_and_go_when_nothing_is_pointed_at(bare):
    page = bare.show(whole())
    side, stage = page.locator(".agt-side"), page.locator(".agt-stage").bounding_box()
    assert not side.is_visible()
    page.locator("#n3").hover()
    box = side.bounding_box()
    assert stage["x"] <= box["x"] and box["x"] + box["width"] <= stage["x"] + stage["width"] + 1
    assert stage["y"] <= box["y"]
    assert page.locator(".agt-stage").bounding_box() == stage, "the picture keeps its place"
    page.mouse.move(1, 1)
    assert not side.is_visible()
    assert page.locator(".agt-on, .agt-from").count() == 0
    page.locator("#n3").focus()
    page.locator("#n1").hover()
    page.mouse.move(1, 1)
    assert details(page).startswith("MulBackward0 (c)"), "the keyboard is still on it"


def test_the_code_marks_the_line_of_the_node_that_runs_or_is_pointed_at_and_back(bare):
    page = bare.show(whole())
    marked = page.locator(".agt-code-on code")
    assert page.locator(".agt-code code").all_text_contents() == [
        "def f(a, b):",
        "    c = a * b",
        "    return (c + a) ** 2",
    ]
    assert marked.count() == 0
    page.evaluate(SET, -3)
    assert marked.all_text_contents() == ["    c = a * b"]
    page.locator("#n2").hover()
    assert marked.all_text_contents() == ["    return (c + a) ** 2"]
    page.mouse.move(1, 1)
    assert marked.all_text_contents() == ["    c = a * b"], "what runs"
    page.evaluate(SET, 4)
    assert marked.count() == 0, "no line of the code made a leaf"
    page.locator(".agt-code-line").nth(2).hover()
    assert page.evaluate("() => [...document.querySelectorAll('.agt-node.agt-on')].map((g) => g.id)") == ["n1", "n2"]
    page.locator(".agt-code-line").nth(0).hover()
    assert page.locator(".agt-node.agt-on").count() == 0
    page.locator(".agt-code-line").nth(1).click()
    assert details(page).startswith("MulBackward0 (c)")


def test_dots_move_along_the_edges_of_a_step_and_vanish(timed):
    timed.page.emulate_media(reduced_motion="no-preference")
    page = timed.show(whole())
    page.evaluate(SET, 2)
    assert page.locator(".agt-dot").count() == 0, "a jump shows no way"
    page.get_by_role("button", name="forward").click()
    page.clock.run_for(100)
    assert page.locator("#e3_0 .agt-dot, #e3_1 .agt-dot").count() == 2
    height = "() => Number(document.querySelector('#e3_0 .agt-dot').getAttribute('cy'))"
    early = page.evaluate(height)
    page.clock.run_for(200)
    assert page.evaluate(height) > early, "a gradient goes down"
    page.clock.run_for(500)
    assert page.locator(".agt-dot").count() == 0
    page.evaluate(SET, FIRST)
    page.get_by_role("button", name="forward").click()
    page.clock.run_for(100)
    early = page.evaluate(height)
    page.clock.run_for(200)
    assert page.evaluate(height) < early, "a value goes up"
    page.get_by_role("button", name="last").click()
    assert page.locator(".agt-dot").count() == 0


def test_without_motion_no_dot_is_made(timed):
    page = timed.show(whole())
    page.get_by_role("button", name="forward").click()
    page.clock.run_for(50)
    assert page.locator(".agt-dot").count() == 0
    assert page.locator(".agt-flows").count() == 2


def test_playing_goes_through_both_phases_and_begins_again_at_the_first(timed):
    page = timed.show(whole())
    page.evaluate(SET, -1)
    page.get_by_role("button", name="play").click()
    for place in (0, 1):
        assert counter(page) == f"backward {place} / 5"
        page.clock.run_for(A_STEP)
    page.get_by_role("button", name="pause").click()
    page.evaluate(SET, LAST)
    page.get_by_role("button", name="play").click()
    assert counter(page) == "forward 0 / 3"


TIGHT = """
() => {
  const tight = [];
  for (const group of document.querySelectorAll(".agt-node")) {
    const box = group.querySelector("polygon, path, ellipse").getBBox();
    for (const text of group.querySelectorAll("text")) {
      const { x, width } = text.getBBox();
      if (text.textContent.trim() && (x < box.x || x + width > box.x + box.width)) tight.push(text.textContent);
    }
  }
  return tight;
}
"""
WIDE_FONT = "() => document.head.append(Object.assign(document.createElement('style'), { textContent: '.agt-stage text { font-family: \"DejaVu Sans\" !important }' }))"


def test_no_text_leaves_its_box_at_any_step_in_the_widest_font(bare):
    page = bare.show(whole())
    page.evaluate(WIDE_FONT)
    for place in range(FIRST, LAST + 1):
        page.evaluate(SET, place)
        assert page.evaluate(TIGHT) == [], place


WIDTHS = "() => [document.documentElement.scrollWidth, innerWidth]"


@pytest.mark.full
@pytest.mark.parametrize("kind", ["play", "live"])
def test_a_page_of_600_pixels_is_wide_enough(bare, kind):
    page = bare.show(whole() if kind == "play" else state(viz.live(f, a=2.0, b=-3.0)))
    across, before = viewbox(page)[2], page.locator(".agt-stage").bounding_box()["width"]
    page.set_viewport_size({"width": 600, "height": 800})
    page.wait_for_function("(w) => document.querySelector('.agt-stage').clientWidth < w - 20", arg=before)
    inner, window = page.evaluate(WIDTHS)
    assert inner <= window
    page.locator("#n3").hover()
    assert page.evaluate(WIDTHS)[0] <= window
    side, stage = page.locator(".agt-side").bounding_box(), page.locator(".agt-stage").bounding_box()
    assert side["y"] >= stage["y"] + stage["height"], "below the picture, which it would cover"
    assert page.locator(".agt-code").bounding_box()["y"] < stage["y"]
    for button in page.get_by_role("button").all():
        box = button.bounding_box()
        assert 0 <= box["x"] and box["x"] + box["width"] <= 600
    assert page.locator("#n3 text").first.bounding_box()["height"] > 7
    assert viewbox(page)[2] <= across


def test_a_picture_fits_the_width_that_a_window_gets(bare):
    y = sum(torch.tensor(1.0, requires_grad=True) * float(i) for i in range(8))
    page = bare.show(viz.play(y))
    narrow = viewbox(page)[2]
    page.set_viewport_size({"width": 1600, "height": 900})
    page.wait_for_function("(w) => document.querySelector('.agt-stage svg').viewBox.baseVal.width > w", arg=narrow)
    page.get_by_role("button", name="fit").click()
    whole_width = viewbox(page)[2]
    page.set_viewport_size({"width": 700, "height": 900})
    page.wait_for_function("() => document.querySelector('.agt-stage').clientWidth < 700")
    assert viewbox(page)[2] == whole_width, "as the reader asked for"


def test_a_screen_reader_hears_what_a_player_is_and_where_it_stands(bare):
    page = bare.show(whole())
    assert page.locator(".agt").get_attribute("aria-label") == "Autograd graph of output: 3 operations, 2 leaves: a, b."
    assert page.get_by_role("group", name="the code that made this graph").count() == 1
    for name in ("first", "back", "play", "forward", "last", "zoom in", "fit", "table"):
        assert page.get_by_role("button", name=name, exact=True).count() == 1
    assert (
        page.locator("#n4")
        .get_attribute("aria-label")
        .startswith("a, a leaf (AccumulateGrad), shape: (), float32, value: 2")
    )
    assert "grad at the end: 16" in page.locator("#n4").get_attribute("aria-label")
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == counter(page) == "forward 0 / 3"
    page.get_by_role("button", name="table").click()
    assert "-8 × -3 = 24 to a" in page.locator(".agt-table").inner_text()


# ---- leaves that can be moved ------------------------------------------------------------------------------------------


def state(view: viz.View) -> dict[str, Any]:
    return {"svg": view.svg, "view": view.data(), "step": 0, "numbers": {}}


class Kernel:
    """A live view in the page, and Python's half of it, which answers when it is told to."""

    def __init__(self, bare: Any, function: Any, **values: Any) -> None:
        self.view = viz.live(function, **values)
        self.widget = self.view.widget
        self.page = bare.show(state(self.view), kernel=True)
        self.answered = 0

    @property
    def sent(self) -> list[dict[str, Any]]:
        return self.page.evaluate("() => models[0].sent")

    def answer(self) -> None:
        """To the next message."""
        before = self.widget.svg
        self.view._heard(self.sent[self.answered])
        self.answered += 1
        changed = {"svg": self.widget.svg, "view": self.widget.view} if self.widget.svg != before else {}
        self.page.evaluate("(state) => models[0].update(state)", {**changed, "numbers": self.widget.numbers})

    def field(self, name: str) -> Any:
        return self.page.get_by_role("spinbutton", name=name, exact=True)

    def slider(self, name: str) -> Any:
        return self.page.get_by_role("slider", name=f"{name}, slider", exact=True)

    def lines(self, node: str) -> list[str]:
        return [text.strip() for text in self.page.locator(f"#{node} text").all_text_contents() if text.strip()]


def test_a_field_moves_its_leaf_and_all_that_follows(bare):
    live = Kernel(bare, f, a=2.0, b=-3.0)
    assert live.field("a").input_value() == "2"
    assert live.slider("b").input_value() == "-3"
    assert caption(live.page) == "f(a=2, b=-3) = 16"
    live.field("a").fill("1")
    assert live.sent == [{"type": "move", "values": {"a": [1], "b": [-3]}, "step": 0.1}]
    live.answer()
    assert caption(live.page) == "f(a=1, b=-3) = 4"
    assert live.slider("a").input_value() == "1"
    assert live.lines("n1") == ["PowBackward0", "(-2)² = 4  was 16", "arrived: 1"]
    assert live.lines("n4") == ["a (AccumulateGrad)", "grad 8  was 16", "+0.1: result about +0.8", "really +0.84"]
    assert live.lines("n0") == ["output", "= 4  was 16"]
    assert live.lines("e3_1") == ["-4 × 1 = -4"]
    assert live.page.locator("#n1 .agt-ghost").text_content().strip() == "was 16"
    live.field("b").fill("-4")
    live.answer()
    assert live.lines("n0") == ["output", "= 9  was 4"], "the ghost is of before this move"


@pytest.mark.full
@pytest.mark.parametrize("hidden", [False, True])
def test_fields_lie_in_their_leaves_also_if_the_picture_was_made_out_of_sight(bare, hidden):
    page = bare.page
    if hidden:
        page.evaluate("() => document.documentElement.style.setProperty('display', 'none')")
    live = Kernel(bare, f, a=2.0, b=-3.0)
    page.evaluate("() => document.documentElement.style.removeProperty('display')")
    for name, node in (("a", "n4"), ("b", "n5")):
        inner, outer = live.field(name).bounding_box(), page.locator(f"#{node} path").first.bounding_box()
        assert outer["x"] < inner["x"] and inner["y"] > outer["y"]
        reach = live.slider(name).bounding_box()
        assert reach["x"] + reach["width"] < outer["x"] + outer["width"]
        assert inner["y"] + inner["height"] < outer["y"] + outer["height"]
    assert page.locator("[textLength]").count() == 0, "nothing is too long yet"


def test_numbers_stand_beside_their_edges_also_if_the_picture_was_made_out_of_sight(bare):
    page, style = bare.page, "document.documentElement.style"

    def beginnings(hidden):
        if hidden:
            page.evaluate(f"() => {style}.setProperty('display', 'none')")
        live = Kernel(bare, f, a=2.0, b=-3.0)
        page.evaluate(f"() => {style}.removeProperty('display')")
        live.field("a").fill("4")
        live.answer()
        edges = page.locator("g.edge")
        return [edge.locator("text").last.evaluate("text => text.getBBox().x") for edge in edges.all()]

    seen = beginnings(hidden=False)
    assert len(seen) > 3 and beginnings(hidden=True) == seen


def test_a_slider_moves_its_leaf_and_shows_the_number(bare):
    live = Kernel(bare, f, a=2.0, b=-3.0)
    live.slider("a").fill("2.4")
    assert live.field("a").input_value() == "2.4"
    live.answer()
    assert caption(live.page).startswith("f(a=2.4, b=-3) = 23.04")
    live.slider("a").press("ArrowRight")
    assert len(live.sent) == 2
    assert live.sent[1]["values"]["a"][0] > 2.4


def test_typing_a_number_is_not_disturbed(bare):
    live = Kernel(bare, f, a=2.0, b=-3.0)
    live.field("a").focus()
    live.page.keyboard.press("Control+a")
    for key in "-1.05":
        live.page.keyboard.press(key)
        while live.answered < len(live.sent):
            live.answer()
    assert live.field("a").input_value() == "-1.05"
    assert live.sent[-1]["values"]["a"] == [-1.05]
    assert caption(live.page).startswith("f(a=-1.05, b=-3)")
    live.page.keyboard.press("Control+a")
    live.page.keyboard.press("Delete")
    assert live.field("a").input_value() == ""
    assert caption(live.page).startswith("f(a=-1.05, b=-3)"), "nothing is no number"


def test_while_an_answer_is_awaited_only_the_latest_move_is_kept(bare):
    live = Kernel(bare, f, a=2.0, b=-3.0)
    for value in ("3", "4", "5"):
        live.field("a").fill(value)
    assert [message["values"]["a"] for message in live.sent] == [[3]]
    live.answer()
    assert [message["values"]["a"] for message in live.sent] == [[3], [5]]
    assert live.field("a").input_value() == "5"
    live.answer()
    assert caption(live.page).startswith("f(a=5, b=-3)")
    assert len(live.sent) == 2


def test_an_answer_with_equal_numbers_is_an_answer(timed):
    live = Kernel(timed, f, a=2.0, b=-3.0)
    for _ in range(2):
        live.field("a").fill("2.0")
        live.field("a").fill("2")
        while live.answered < len(live.sent):
            live.answer()
    live.page.clock.run_for(6_000)
    assert caption(live.page) == "f(a=2, b=-3) = 16"


def test_a_kernel_that_does_not_answer_a_move_is_told(timed):
    live = Kernel(timed, f, a=2.0, b=-3.0)
    live.field("a").fill("3")
    live.page.clock.run_for(6_000)
    assert caption(live.page) == "No answer yet: the kernel is busy or has stopped."
    live.field("a").fill("4")
    assert len(live.sent) == 2, "and asked again"
    live.answer()
    live.answer()
    assert caption(live.page).startswith("f(a=4, b=-3)")


def test_without_a_kernel_a_move_says_that_it_needs_one(bare):
    page = bare.show(state(viz.live(f, a=2.0, b=-3.0)))
    page.get_by_role("spinbutton", name="a", exact=True).fill("3")
    assert caption(page) == "There is no kernel here: to move the leaves, run the cell again in a notebook."


def test_an_error_of_the_function_is_told_and_the_picture_stays(bare):
    def touchy(a):
        if a < 0:
            raise ValueError("below zero")
        return a * 3

    live = Kernel(bare, touchy, a=2.0)
    live.field("a").fill("-1")
    live.answer()
    assert caption(live.page) == "touchy(a=-1) stops with ValueError: below zero"
    assert live.page.locator(".agt-caption.agt-trouble").count() == 1
    assert live.lines("n0") == ["output", "= 6"]
    live.field("a").fill("1")
    live.answer()
    assert caption(live.page) == "touchy(a=1) = 3"
    assert live.page.locator(".agt-trouble").count() == 0


def test_another_branch_brings_another_picture_and_the_keyboard_stays(bare):
    def branches(a):
        return a * 3 if a > 0 else (a * a).exp()

    live = Kernel(bare, branches, a=2.0)
    live.field("a").focus()
    live.page.keyboard.press("Control+a")
    for key in "-0.5":
        live.page.keyboard.press(key)
        while live.answered < len(live.sent):
            live.answer()
    assert live.page.locator(".agt-node").filter(has_text="ExpBackward0").count() == 1
    assert live.field("a").input_value() == "-0.5"
    assert live.page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "a"
    assert caption(live.page).startswith("branches(a=-0.5) = 1.284")


def branches(x):
    return (x * x + x).exp() if x < 0 else x * 3


def leaves_the_graph(x, a):
    return a * a if x < 0 else x * a


def touchy(x):
    if x < 0:
        raise ValueError("below zero")
    return x * x if x < 1 else x * 3


def kept_by_hand(live: Kernel, control: Any) -> Any:
    """A function that tells whether this control is still the one in the page, with the keyboard focus."""
    handle = control.element_handle()
    return lambda: handle.evaluate("(element) => element.isConnected && document.activeElement === element")


@pytest.mark.parametrize(
    ("function", "values", "pictures", "at_the_end"),
    [
        (branches, {"x": 2.0}, 2, "branches(x=1.88) = 5.64"),
        (leaves_the_graph, {"x": 2.0, "a": 3.0}, 2, "leaves_the_graph(x=1.88, a=3) = 5.64"),
        (touchy, {"x": 2.0}, 2, "touchy(x=1.88) = 5.64"),
    ],
)
def test_a_drag_goes_on_when_the_graph_changes_below_it(bare, function, values, pictures, at_the_end):
    live = Kernel(bare, function, **values)
    page, slider = live.page, live.slider("x")
    slider.focus()
    same, box, ends = (
        kept_by_hand(live, slider),
        slider.bounding_box(),
        [slider.get_attribute(n) for n in ("min", "max")],
    )
    thumb, middle = 16 * 4 / 3, box["y"] + box["height"] / 2
    there = [2 - 0.1 * i for i in range(32)]
    for place, value in enumerate([*there, *reversed(there[1:])]):
        page.mouse.move(box["x"] + thumb / 2 + (box["width"] - thumb) * (value + 2) / 8, middle)
        if not place:
            page.mouse.down()
        while live.answered < len(live.sent):
            before = live.widget.svg
            live.answer()
            pictures -= live.widget.svg != before
        assert same(), f"at {value:.1f}"
        assert abs(float(slider.input_value()) - value) < 0.1, f"at {value:.1f}"
        assert live.view.values["x"] == float(slider.input_value())
    assert pictures == 0, "the graph has changed there and back"
    page.mouse.up()
    assert [slider.get_attribute(name) for name in ("min", "max")] == ends == ["-2", "6"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    while live.answered < len(live.sent):
        live.answer()
    assert same()
    assert caption(page) in (at_the_end, at_the_end.replace("1.88", "1.92").replace("5.64", "5.76"))


@pytest.mark.parametrize(("control", "start"), [("slider", 0), ("field", 1)])
def test_the_arrow_keys_go_on_when_the_graph_changes_below_them(bare, control, start):
    live = Kernel(bare, branches, x=float(start))
    one = getattr(live, control)("x")
    one.focus()
    same = kept_by_hand(live, one)
    for key in ["ArrowDown"] * 2 + ["ArrowUp"] * 2:
        live.page.keyboard.press(key)
        while live.answered < len(live.sent):
            live.answer()
        assert same()
    assert float(one.input_value()) == start
    assert live.slider("x").get_attribute("max") == str(start + 2)


def test_a_move_that_waits_is_sent_when_the_answer_is_another_picture(bare):
    live = Kernel(bare, branches, x=2.0)
    for value in ("-1", "-2", "-1.5"):
        live.slider("x").fill(value)
    live.answer()
    assert [message["values"]["x"] for message in live.sent] == [[-1], [-1.48]]
    live.answer()
    assert caption(live.page).startswith("branches(x=-1.48)")


def test_a_leaf_that_is_not_in_the_graph_keeps_its_control_beside_it(bare):
    live = Kernel(bare, leaves_the_graph, x=-1.0, a=3.0)
    leaf = next(node.id for node in live.view.snapshot.nodes if node.title == "x")
    assert live.lines(leaf) == ["x", "grad 0", "not in this graph", "+0.1: result about +0", "really +0"]
    live.field("x").fill("2")
    live.answer()
    assert caption(live.page) == "leaves_the_graph(x=2, a=3) = 6"
    assert live.field("x").count() == 1


def test_after_an_error_the_controls_show_what_was_tried(bare):
    live = Kernel(bare, lambda x, a: touchy(x) * a, x=2.0, a=3.0)
    live.field("x").fill("-1")
    live.field("a").focus()
    live.answer()
    assert live.field("x").input_value() == "-1"
    live.field("a").fill("4")
    live.answer()
    assert caption(live.page) == "f(x=-1, a=4) stops with ValueError: below zero"


def test_a_vector_has_a_field_for_each_entry(bare):
    live = Kernel(bare, lambda w: (w * w).sum(), w=[1.0, 2.0])
    live.field("w[1]").fill("5")
    assert live.sent[0]["values"] == {"w": [1, 5]}
    live.answer()
    leaf = live.view.snapshot.nodes[-1].id
    assert live.lines(leaf)[-3:] == [
        "grad [2, 10]  was [2, 4]",
        "w[0] +0.1: +0.2, really +0.21",
        "w[1] +0.1: +1, really +1.01",
    ]


def test_the_step_of_the_promises_can_be_changed(bare):
    live = Kernel(bare, f, a=2.0, b=-3.0)
    step = live.page.get_by_role("spinbutton", name="how far each leaf is moved to test its gradient")
    step.fill("1")
    step.press("Enter")
    assert live.sent[0]["step"] == 1
    live.answer()
    assert live.lines("n4")[-2:] == ["+1: result about +16", "really +20"]


def test_a_leaf_that_the_result_does_not_depend_on_is_named(bare):
    page = bare.show(state(viz.live(lambda a, b: a * 2, a=1.0, b=5.0)))
    assert page.get_by_text("The result does not depend on b: its gradient is 0.").count() == 1


def test_keys_in_a_field_do_not_reach_the_notebook(bare):
    live = Kernel(bare, f, a=2.0, b=-3.0)
    assert live.page.locator("input:not([data-lm-suppress-shortcuts])").count() == 0, "JupyterLab would take its keys"
    live.page.evaluate("() => { window.heard = []; document.addEventListener('keydown', (e) => heard.push(e.key)); }")
    live.field("a").focus()
    for key in ("ArrowUp", "ArrowLeft", "Home", "Enter"):
        live.page.keyboard.press(key)
    assert live.page.evaluate("() => heard") == []
    assert live.field("a").input_value() == "3", "the arrow is the field's own"


def test_labels_and_details_follow_a_move(bare):
    live = Kernel(bare, f, a=2.0, b=-3.0)
    live.field("a").fill("1")
    live.answer()
    assert "value: 1," in live.page.locator("#n4").get_attribute("aria-label")
    live.page.locator("#n1").hover()
    assert "result\n4" in details(live.page)


def test_no_text_leaves_its_box_after_a_move_in_the_widest_font(bare):
    live = Kernel(bare, f, a=2.0, b=-3.0)
    live.page.evaluate(WIDE_FONT)
    for value in ("-1.2346", "0.77777", "123.456"):
        live.field("a").fill(value)
        live.answer()
        assert live.page.evaluate(TIGHT) == [], value


@pytest.mark.full
@pytest.mark.parametrize("kind", ["SVG", "PNG"])
def test_a_saved_picture_has_the_numbers_in_place_of_the_fields(bare, tmp_path, kind):
    live = Kernel(bare, f, a=2.0, b=-3.0)
    live.field("a").fill("1")
    live.answer()
    path = saved(live.page, f"save as {kind}", tmp_path)
    if kind == "PNG":
        assert path.read_bytes()[:4] == b"\x89PNG"
        return
    root = ET.parse(path).getroot()
    assert not list(root.iter(f"{SVG}foreignObject"))
    told = {
        group.get("id"): ["".join(text.itertext()).strip() for text in group.iter(f"{SVG}text")]
        for group in root.iter(f"{SVG}g")
    }
    assert told["n4"][1] == "= 1"
    assert told["n1"] == ["PowBackward0", "(-2)² = 4", "arrived: 1"]


def test_a_large_jacobian_is_asked_for_by_a_button_of_its_step(bare):
    x = torch.ones(8, 10).requires_grad_()
    view = viz.play((x.softmax(1) * x).sum(), names={"x": x})
    widget = view.widget
    place = next(i for i, step in enumerate(view.steps, 1) if "Softmax" in step.runs)
    page = bare.show({"svg": view.svg, "view": view.data(), "step": place}, kernel=True)
    page.get_by_role("button", name="ask this node for its whole Jacobian").click()
    (message,) = page.evaluate("() => models[0].sent")
    assert message == {"type": "jacobian", "id": view.steps[place - 1].node}
    view._heard(message)
    page.evaluate("(state) => models[0].update(state)", {"svg": widget.svg, "view": widget.view})
    assert page.get_by_role("button", name="ask this node for its whole Jacobian").count() == 0
    assert caption(page).startswith(f"Step {place} of"), "the player stays where it is"
    assert page.locator(".agt-step .agt-heat").count() > 0
