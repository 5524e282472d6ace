"""The pages of a small course in Chromium: views step, answers stay, colours follow, nobody is kept out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.site import pages
from tests.site.small import served, write_course

pytestmark = pytest.mark.browser

_AUDIT = Path(__file__).with_name("accessibility.js").read_text(encoding="utf-8")
AUDIT = _AUDIT[_AUDIT.index("() =>") :]
LESSON = "lessons/01.html"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    made = tmp_path_factory.mktemp("site")
    pages.write(write_course(tmp_path_factory.mktemp("course") / "small"), made, lambda _: None)
    with served(made) as address:
        yield address


class Reader:
    """A browser with a memory of its own; `check` at the end: nothing went wrong, and nothing came from elsewhere."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.address = address
        self.context = browser.new_context(reduced_motion="reduce", **options)
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self._asked(request.url))

    def _asked(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(url)

    def open(self, page: str) -> Any:
        self.page.goto(self.address + page)
        self.page.wait_for_selector("html[data-ready]")
        return self.page


@pytest.fixture
def reader(browser: Any, address: str) -> Iterator[Reader]:
    made = Reader(browser, address)
    yield made
    assert made.wrong == []
    made.context.close()


@pytest.mark.parametrize(("page", "at"), [("index.html", ".hero"), (LESSON, "[data-model=m2]")])
def test_a_player_steps(reader: Reader, page: str, at: str) -> None:
    view = reader.open(page).locator(at)
    before = view.locator(".agt-caption").inner_text()
    view.get_by_role("button", name="forward").click()
    assert view.locator(".agt-caption").inner_text() != before
    view.get_by_role("button", name="last").click()
    assert view.locator(".agt-counter").inner_text().startswith("backward")
    assert view.locator("[data-state=ran]").count() > 1


def test_an_answer_is_there_again_after_a_reload_and_only_there(reader: Reader) -> None:
    page = reader.open(LESSON)
    page.locator(".agt-predict label", has=page.locator("b:text-is('b')")).first.click()
    page.get_by_role("button", name="Check my prediction").click()
    said = page.locator(".agt-predict-verdict").inner_text()
    assert said
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.locator(".agt-predict-verdict").inner_text() == said
    page.evaluate("localStorage.clear()")
    reader.open(LESSON)
    assert page.locator(".agt-predict-verdict").inner_text() == ""


def test_what_needs_python_says_so_and_cannot_be_moved(reader: Reader) -> None:
    page = reader.open(LESSON)
    notes = page.locator(".needs-python")
    assert notes.count() == 2
    assert "to move it" in notes.first.inner_text()
    fields = page.locator(".agt-knob input")
    assert fields.count() == 2
    assert fields.first.is_disabled()


@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_button_overrides_the_systems_colours_and_is_remembered(browser: Any, address: str, system: str) -> None:
    reader = Reader(browser, address, color_scheme=system)
    page = reader.open(LESSON)
    lightness = "() => Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"
    assert (page.evaluate(lightness) > 128) == (system == "light")
    page.locator("#theme").click()
    assert (page.evaluate(lightness) > 128) == (system == "dark")
    reader.open("index.html")
    assert (page.evaluate(lightness) > 128) == (system == "dark")
    assert reader.wrong == []
    reader.context.close()


@pytest.mark.parametrize("page", ["index.html", "404.html", LESSON, "lessons/glossary.html", "exercises/01.html"])
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_nobody_is_kept_out(browser: Any, address: str, page: str, scheme: str, width: int) -> None:
    reader = Reader(browser, address, color_scheme=scheme, viewport={"width": width, "height": 800})
    assert reader.open(page).evaluate(AUDIT) == []
    assert reader.wrong == []
    reader.context.close()


def test_without_scripts_pictures_questions_and_explanations_are_there(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + LESSON)
    assert page.locator("[data-model] svg").count() == 4
    page.get_by_text("Answer and explanation").click()
    assert page.get_by_text("is right.").first.is_visible()
    context.close()


def test_on_paper_nothing_is_folded_and_nothing_asks_to_be_pressed(reader: Reader) -> None:
    page = reader.open(LESSON)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.get_by_text("Folded, with").is_visible()
    assert not page.locator(".actions, #theme, .agt-transport").locator("visible=true").count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator("details[open]").count()


def test_a_reader_with_a_keyboard_skips_to_the_content(reader: Reader) -> None:
    page = reader.open(LESSON)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
