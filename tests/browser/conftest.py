"""A bare page for views, with models of our own: no kernel, no notebook, no network."""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from autograd_teach import viz

STATIC = files("autograd_teach.viz") / "static"

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
    return {"svg": view.svg, "view": view.data(), "step": 0}


class Page:
    """A page that holds views, and everything that went wrong in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def show(self, *views: viz.View | dict[str, Any], kernel: bool = False) -> Any:
        """The page with these views in it (or widget states), each with a model of its own: `models` in the page.

        With `kernel` (one for all of a call), a model notes in `sent` what is sent to it, and `hear` is the kernel's answer.
        """
        states = [view if isinstance(view, dict) else state_of(view) for view in views]
        code, css = ((STATIC / name).read_text(encoding="utf-8") for name in ("widget.js", "widget.css"))
        self.page.evaluate(SHOW, [code, css, states, kernel])
        return self.page


@pytest.fixture
def bare(browser: Any) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1000, "height": 800}, reduced_motion="reduce")
    page = Page(context.new_page())
    yield page
    assert page.errors == []
    assert [url for url in page.requests if not url.startswith(("blob:", "about:", "data:", "file:"))] == []
    context.close()
