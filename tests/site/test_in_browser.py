"""The pages of a small course in Chromium: views step, answers stay, colours follow, nobody is kept out."""

from collections.abc import Iterator
from dataclasses import replace
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
    assert "to change the values" in notes.first.inner_text()
    fields = page.locator(".agt-knob input")
    assert fields.count() == 2
    assert fields.first.is_disabled()


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.full
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


# ---- phones, and windows of any width ----------------------------------------------------------------------------------

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def phone(browser: Any, address: str) -> Iterator[Reader]:
    made = Reader(browser, address, **PHONE)
    yield made
    assert made.wrong == []
    made.context.close()


@pytest.mark.parametrize(("page", "at"), [("index.html", ".hero"), (LESSON, "[data-model=m2]")])
@pytest.mark.parametrize("width", [320, 390])
def test_the_whole_picture_is_seen_on_a_phone(phone: Reader, page: str, at: str, width: int) -> None:
    phone.page.set_viewport_size({"width": width, "height": 844})
    view = phone.open(page).locator(at)
    stage = view.locator(".agt-stage").bounding_box()
    for node in view.locator(".agt-node").all():
        box = node.bounding_box()
        assert stage["x"] <= box["x"]
        assert box["x"] + box["width"] <= stage["x"] + stage["width"]
    assert not view.locator(".agt-large").is_visible()


@pytest.mark.full
@pytest.mark.parametrize(
    ("page", "what"),
    [
        ("index.html", ".hero .agt-transport button"),
        ("index.html", ".times a"),
        ("index.html", ".top a"),
        (LESSON, ".agt-tools button"),
        (LESSON, ".agt-predict-bar button"),
        (LESSON, ".contents-here summary"),
    ],
)
def test_what_is_pressed_is_as_high_as_a_finger(phone: Reader, page: str, what: str) -> None:
    boxes = [each.bounding_box() for each in phone.open(page).locator(what).all()]
    assert boxes
    assert min(box["height"] for box in boxes) >= 40


@pytest.mark.full
def test_what_is_wider_than_its_box_shows_where_it_goes_on(phone: Reader) -> None:
    page = phone.open(LESSON)
    box = page.locator("pre.stdout").first
    assert box.get_attribute("data-more") == "after"
    assert "linear-gradient" in box.evaluate("(box) => getComputedStyle(box).maskImage")
    for to, more in (("40", "before after"), ("box.scrollWidth", "before"), ("0", "after")):
        box.evaluate(f"(box) => {{ box.scrollLeft = {to}; }}")
        page.wait_for_function("(more) => document.querySelector('pre.stdout').dataset.more === more", arg=more)
    assert page.locator("pre.code", has_text="1 / 0").get_attribute("data-more") is None


@pytest.mark.full
def test_drawings_and_long_cells_keep_a_width_that_can_be_read(phone: Reader) -> None:
    page = phone.open(LESSON)
    page.evaluate("document.querySelector('.figure img').width = 720")
    page.evaluate("document.querySelector('.table td').className = 'long'")
    assert page.locator(".figure img").bounding_box()["width"] > 560
    assert page.locator(".table td.long").first.bounding_box()["width"] > 180
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.wait_for_function("document.querySelector('.figure').scrollWidth > 560")


@pytest.mark.full
@pytest.mark.parametrize("page", [LESSON, "lessons/glossary.html"])
def test_the_list_of_sections_is_folded_where_it_has_no_room_beside_the_text(reader: Reader, page: str) -> None:
    seen = reader.open(page)
    beside, here = seen.locator(".contents"), seen.locator(".contents-here")
    for width, is_wide in ((1300, True), (1100, False), (390, False)):
        seen.set_viewport_size({"width": width, "height": 844})
        assert (beside.is_visible(), here.is_visible()) == (is_wide, not is_wide)
    here.get_by_text("On this page").click()
    link = here.get_by_role("link").last
    link.click()
    assert seen.evaluate("location.hash") == link.get_attribute("href")


@pytest.mark.full
def test_on_the_first_page_details_do_not_hide_what_runs(reader: Reader) -> None:
    reader.page.set_viewport_size({"width": 1300, "height": 900})
    hero = reader.open("index.html").locator(".hero")
    side = hero.locator(".agt-side")
    for name in ("forward", "last"):
        hero.get_by_role("button", name=name).click()
        assert not side.is_visible()
    hero.locator(".agt-leaf").first.hover()
    assert "grad" in side.inner_text()


@pytest.mark.full
def test_a_site_with_all_its_links_fits_the_narrowest_screen(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_run", lambda stored, _: {})
    course, made = write_course(tmp_path / "course"), tmp_path / "made"
    pages.write(replace(course, is_live=True, repository="owner/name"), made, lambda _: None)
    with served(made) as address:
        phone = Reader(browser, address, **PHONE)
        for width in (320, 390):
            phone.page.set_viewport_size({"width": width, "height": 700})
            for page in ("index.html", LESSON):
                assert phone.open(page).evaluate(AUDIT) == []
                assert phone.page.locator(".top").bounding_box()["height"] < 110, "two lines"
        assert phone.wrong == []
        phone.context.close()


@pytest.mark.full
def test_the_name_stays_in_one_line_on_the_narrowest_screen(phone: Reader) -> None:
    phone.page.set_viewport_size({"width": 320, "height": 700})
    title = phone.open("index.html").locator("h1")
    title.evaluate("(title) => { title.textContent = 'autograd_teach'; }")
    assert title.bounding_box()["height"] < 60


@pytest.mark.full
def test_a_questions_badge_can_be_read_on_paper(reader: Reader) -> None:
    page = reader.open(LESSON)
    page.emulate_media(media="print")
    look = page.locator(".agt-predict-badge").first.evaluate(
        "(badge) => { const { color, backgroundColor } = getComputedStyle(badge); return [color, backgroundColor]; }"
    )
    assert look == ["rgb(0, 0, 0)", "rgba(0, 0, 0, 0)"]
