"""Where Python has no Graphviz: the browser lays the picture out, from code that its kernel or the page itself brings."""

import base64
import builtins
import re
import shutil
from typing import Any

import pytest

import autograd_teach as torch
from autograd_teach import viz
from autograd_teach.viz import layout

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
    assert page.get_by_role("status").inner_text().startswith("The picture is being laid out in this browser.")
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
        said = page.get_by_role("status", name="").filter(has_text="No picture could be laid out in this browser")
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
