"""A walk over a built site: does every address in it lead to a file, and every `#anchor` to a place?

Knows HTML and CSS no further than this needs. `problems(folder)` is what tests ask.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

CLICKED = {("a", "href")}
"""Only where a reader clicks may an address lead out of the site."""

NAMED_ONLY = {"canonical"}
"""Kinds of `<link>` that name an address and load nothing."""

_ATTRIBUTES = {"href", "src", "srcset", "poster", "data", "action", "data-run", "data-install"}
_IN_CSS = re.compile(r"""url\(\s*["']?([^"')]+)["']?\s*\)|@import\s+["']([^"']+)["']""")
_IN_SCRIPT = re.compile(r"""(?:\bimport\b[^"'`;]*|\bfetch\s*\(\s*)["'`](https?:)?//""")


@dataclass
class Page(HTMLParser):
    """What a page links to and can be linked to at."""

    ids: list[str] = field(default_factory=list)
    links: list[tuple[str, str, str]] = field(default_factory=list)
    """Tag, attribute, address."""
    base: str = ""
    inside: str = ""
    styles: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        given = {name: value or "" for name, value in attributes}
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "base":
            self.base = given["href"]
            return
        if tag == "link" and given.get("rel") in NAMED_ONLY:
            return
        self.links += [(tag, name, value) for name, value in given.items() if name in _ATTRIBUTES]
        self.styles += [given["style"]] if "style" in given else []

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "style":
            self.styles.append(data)
        if self.inside == "script":
            self.scripts.append(data)


@cache
def page(path: Path) -> Page:
    """The page in this file."""
    made = Page()
    made.feed(path.read_text(encoding="utf-8"))
    made.close()
    return made


def problems(folder: Path, ignore: str = r"(?!)") -> list[str]:
    """Everything that leads nowhere or out of the site, in all pages and style sheets below `folder`.

    ignore: a regular expression for addresses below the site that something else provides.
    """
    ignored = re.compile(ignore)
    found = []
    for path in sorted(folder.rglob("*.html")):
        where = path.relative_to(folder)
        found += [f"{where}: {each}" for each in _in_page(path, folder, ignored)]
    for path in sorted(folder.rglob("*.css")):
        where = path.relative_to(folder)
        text = path.read_text(encoding="utf-8")
        found += [f"{where}: {each}" for each in _in_css(text, path, folder, ignored)]
    for path in sorted([*folder.rglob("static/*.js")]):
        if _IN_SCRIPT.search(path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(folder)}: loads something from elsewhere")
    return found


def _in_page(path: Path, folder: Path, ignored: re.Pattern[str]) -> Iterator[str]:
    here = page(path)
    for each in sorted({each for each in here.ids if here.ids.count(each) > 1}):
        yield f"two places have the id {each}"
    if here.base:  # a page for addresses that do not exist: what it links to is known at its public address only
        return
    for tag, name, address in here.links:
        yield from _leads(address, (tag, name) in CLICKED, path, folder, ignored)
    for style in here.styles:
        yield from _in_css(style, path, folder, ignored)
    for script in here.scripts:
        if _IN_SCRIPT.search(script):
            yield "a script loads something from elsewhere"


def _in_css(text: str, path: Path, folder: Path, ignored: re.Pattern[str]) -> Iterator[str]:
    for found in _IN_CSS.findall(text):
        yield from _leads(found[0] or found[1], False, path, folder, ignored)


def _leads(address: str, is_clicked: bool, path: Path, folder: Path, ignored: re.Pattern[str]) -> Iterator[str]:
    """What is wrong with an address that stands in the file `path`."""
    parts = urlsplit(address)
    if parts.scheme in ("data", "mailto", "blob"):
        return
    if parts.scheme or parts.netloc:
        if not is_clicked:
            yield f"{address} is loaded from elsewhere"
        return
    target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    if not target.is_relative_to(folder.resolve()):
        yield f"{address} leads out of the site"
        return
    if ignored.match(target.relative_to(folder.resolve()).as_posix()):
        return
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        yield f"{address} leads to no file"
    elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in page(target).ids:
        yield f"{address} leads to no place there"
