"""The readable site of the course itself: everything leads somewhere, no page is heavy, nobody is kept out."""

import re
from pathlib import Path
from typing import Any

import pytest

from autograd_teach.course import content
from autograd_teach.site.build import Site, build
from tests.site.small import served
from tests.site.test_in_browser import AUDIT, Reader
from tests.site.test_pages import MOST_BYTES
from tests.site.tree import problems

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "site"
    site = Site("autograd_teach", "", "", content.folder("lessons"), content.folder("exercises"), is_live=False)
    told: list[str] = []
    build(site, folder, tell=told.append)
    assert [line for line in told if "lead nowhere" in line or "do not exist" in line] == []
    return folder


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(made: Path) -> None:
    assert problems(made) == []


def test_no_page_is_heavy(made: Path) -> None:
    for page in made.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        names = re.findall(r'(?:src|href)="([^"#:]*\.(?:js|css|png|svg))"|"code": "([^"]*)"', html)
        loaded = {page} | {page.parent / one if one else made / "static" / other for one, other in names}
        assert sum(each.stat().st_size for each in loaded) < MOST_BYTES, page.name


def test_every_lesson_says_what_is_learnt_in_it(made: Path) -> None:
    html = (made / "index.html").read_text(encoding="utf-8")
    entries = re.findall(r'<li(?: class="core")?>\s*<span class="number".*?</li>', html, flags=re.DOTALL)
    assert len(entries) == 18
    assert [
        each for each in entries if '<div class="what">' not in each or "<p>" not in each.partition("times")[0]
    ] == []


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_nobody_is_kept_out(browser: Any, made: Path, scheme: str, width: int) -> None:
    with served(made) as address:
        for path in sorted(made.rglob("*.html")):
            page = path.relative_to(made).as_posix()
            reader = Reader(browser, address, color_scheme=scheme, viewport={"width": width, "height": 800})
            assert reader.open(page).evaluate(AUDIT) == [], page
            assert reader.wrong == [], page
            reader.context.close()
