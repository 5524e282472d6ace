"""A bare page for widgets, with models of our own: no kernel, no notebook, no network."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograd_teach import viz
from tests.browser.jupyter import PATIENCE

VIEW = Path(viz.__file__).parent / "static" / "widget.js"

SHOW = """
async ([code, css, states, kernel]) => {
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
      off: (event, act) => { listeners[event] = (listeners[event] || []).filter((one) => one !== act); },
      // Both at once, as one message from a kernel does it.
      update(more) { Object.assign(state, more); for (const name in more) (listeners[`change:${name}`] || []).forEach((act) => act()); },
    };
    if (kernel) Object.assign(model, { widget_manager: states, sent: [], send: (message) => model.sent.push(message), hear: (...told) => listeners["msg:custom"].forEach((act) => act(...told)) });
    const el = document.createElement("div");
    el.className = "cell";
    document.body.append(el);
    model.leave = widget.render({ model, el });
    window.models.push(model);
  }
}
"""


def state_of(view: viz.View) -> dict[str, Any]:
    """What a widget's model holds of a view."""
    return {"svg": view.page_svg, "view": view.data(), "step": 0}


class Page:
    """A page that holds views, and everything that went wrong in it."""

    def __init__(self, browser: Any, clock: bool = False) -> None:
        self.page = browser.new_context().new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        if clock:
            self.page.clock.install(time=0)
            self.page.clock.pause_at(1)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def clear(self) -> None:
        """Back to a blank page, as if it had just been opened: another document, another `window`, no pointer on it."""
        self.page.context.set_offline(False)
        self.page.goto("about:blank")
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self.page.set_viewport_size({"width": 1000, "height": 800})
        self.page.mouse.move(0, 0)
        self.errors.clear()
        self.requests.clear()

    def show(self, *views: viz.View | dict[str, Any], kernel: bool = False, widget: Path = VIEW) -> Any:
        """The page with these views in it (or widget states), each with a model of its own: `models` in the page.

        With `kernel` (one for all of a call), a model notes in `sent` what is sent to it, and `hear` is the kernel's answer.
        `widget`: the code, whose style sheet lies beside it.
        """
        states = [view if isinstance(view, dict) else state_of(view) for view in views]
        code, css = (widget.with_suffix(kind).read_text(encoding="utf-8") for kind in (".js", ".css"))
        self.page.evaluate(SHOW, [code, css, states, kernel])
        return self.page

    def check(self) -> None:
        """Nothing went wrong on the page, and nothing was asked of a network."""
        self.page.evaluate("() => null")  # what the page has told until now has arrived
        assert self.errors == []
        assert [url for url in self.requests if not url.startswith(("blob:", "about:", "data:", "file:"))] == []

    def close(self) -> None:
        self.page.context.close()


@pytest.fixture(scope="module")
def kept_pages() -> Iterator[dict[bool, Page]]:
    """The pages that the tests of a file share: one with a clock of its own, one without."""
    kept: dict[bool, Page] = {}
    yield kept
    for page in kept.values():
        page.close()


def blank(browser: Any, kept: dict[bool, Page], session: pytest.Session, clock: bool) -> Iterator[Page]:
    """A page that is blank; when its test is over, nothing may have gone wrong in it. A test that fails takes it away."""
    failed = session.testsfailed
    page = kept[clock] = kept.get(clock) or Page(browser, clock)
    page.clear()
    yield page
    if session.testsfailed > failed:
        kept.pop(clock).close()
    else:
        page.check()


@pytest.fixture
def bare(browser: Any, kept_pages: dict[bool, Page], request: pytest.FixtureRequest) -> Iterator[Page]:
    """A blank page for views."""
    yield from blank(browser, kept_pages, request.session, clock=False)


@pytest.fixture
def timed(browser: Any, kept_pages: dict[bool, Page], request: pytest.FixtureRequest) -> Iterator[Page]:
    """The same, but its time goes on only by `page.clock.run_for`."""
    yield from blank(browser, kept_pages, request.session, clock=True)
