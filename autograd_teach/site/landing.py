"""The first page: introduction, interactive picture, list of lessons, and installation."""

from __future__ import annotations

import json
import linecache
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from .. import viz
from ..course import reading_time
from ..course.notebooks import read_notebook
from ..course.syllabus import syllabus
from . import pictures
from .addresses import Addresses
from .article import Article
from .build import Notebook, Site
from .markdown import Headings, as_html

_ROW = re.compile(
    r"^\|\s*(?P<name>\[[^\]]*\]\([^)]*\)|[^|]*?)\s*\|.*\|\s*(?P<gives>[^|]+?)\s*\|\s*$", flags=re.MULTILINE
)


PLAYED = """\
def f(a, b):
    product = a * b
    total = product + b
    return total ** 2
"""
"""The function that the picture plays; its code is shown beside it.

It is not a function of this file, because views show only lines of the user's code."""


ALL_PATHS = "all paths"
"""The tag of a lesson that is part of every path."""


@dataclass
class Hero:
    """The interactive picture: its static form, its state for site.js, and their style sheets."""

    html: str = ""
    state: str = ""
    styles: list[str] = field(default_factory=list)
    looks: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Entry:
    """A lesson in the list."""

    article: Article
    exercises: Notebook | None
    way: str
    gives: str
    """What it teaches, as HTML."""
    reading: int
    practice: int
    """Minutes, computed and rounded by reading_time.py."""
    colab: str

    @property
    def minutes(self) -> int:
        """The minutes for the lesson and its exercises."""
        return self.reading + self.practice

    @property
    def number(self) -> str:
        """The lesson's number, `03`; empty if it does not have one."""
        return self.article.title.partition(" · ")[0] if " · " in self.article.title else ""

    @property
    def title(self) -> str:
        """The title without the number."""
        return self.article.title.partition(" · ")[2] or self.article.title


def hero(addresses: Addresses) -> Hero:
    """A backward pass to step through.

    It is recorded now, so the reader's browser does not need Python for it.
    """
    names: dict[str, Any] = {}
    linecache.cache["<played>"] = (len(PLAYED), None, PLAYED.splitlines(keepends=True), "<played>")
    exec(compile(PLAYED, "<played>", "exec"), names)  # noqa: S102  (the text above)
    view = viz.play(names["f"], a=3.0, b=-2.0)
    if not view.svg:
        return Hero(f'<pre class="result">{escape(view.text)}</pre>')
    static = files("autograd_teach.viz") / "static"
    data = view.data()
    picture, looks = pictures.for_page(view.svg, "m1")
    code = addresses.share("view.js", (static / "widget.js").read_bytes())
    style = addresses.share("view.css", (static / "widget.css").read_bytes())
    model = {
        "code": code.rpartition("/")[2],
        "asked": "hero",
        "state": {"view": data, "step": data.get("first", 0), "numbers": {}},
        "needsPython": False,
    }
    state = json.dumps({"m1": model}, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")
    html = f'<div class="view" data-model="m1"><div class="picture">{picture}</div></div>'
    return Hero(html, state, [style], looks)


def content(site: Site, articles: Sequence[Article], hero: Hero) -> Mapping[str, Any]:
    """The values for the template of the first page."""
    exercises = {each.notebook.path.name: each.notebook for each in articles if each.notebook.room == "exercises"}
    lessons = [each for each in articles if each.notebook.room == "lessons" and each.notebook.path.stem != "glossary"]
    gives = _what_is_learnt(lessons)
    ways = {lesson.file: lesson.path or ALL_PATHS for lesson in syllabus()}
    entries = []
    for each in lessons:
        notebook = each.notebook
        own = exercises.get(notebook.path.name)
        entries.append(
            Entry(
                article=each,
                exercises=own,
                way=ways.get(notebook.path.name, ""),
                gives=gives.get(notebook.path.name, ""),
                reading=reading_time.shown(reading_time.reading_minutes(notebook.path)),
                practice=reading_time.shown(reading_time.exercise_minutes(own.path)) if own else 0,
                colab=colab(site, notebook),
            )
        )
    first = lessons[0].notebook
    place = site.in_repository(first)
    return {
        "title": site.name,
        "hero": hero,
        "entries": entries,
        "takes": duration(sum(each.minutes for each in entries)),
        "core_takes": duration(sum(each.minutes for each in entries if each.way in ("core", ALL_PATHS))),
        "ways": {each.way for each in entries},
        "alone": [
            each for name, each in exercises.items() if name not in {entry.path.name for entry in _paths(lessons)}
        ],
        "first": first,
        "binder": f"https://mybinder.org/v2/gh/{site.repository}/HEAD?urlpath=lab/tree/{place}" if place else "",
        "styles": hero.styles,
        "models": hero.state,
    }


def duration(minutes: int) -> str:
    """A duration as text, rounded.

    >>> duration(40), duration(85), duration(600)
    ('40 minutes', '1.5 hours', '10 hours')
    """
    if minutes < 60:
        return f"{minutes} minutes"
    hours = round(minutes / 30) / 2
    return f"{hours:g} hour{'s' if hours != 1 else ''}"


def colab(site: Site, notebook: Notebook) -> str:
    """The notebook's address in Google Colab; empty if it is not in a public repository."""
    place = site.in_repository(notebook)
    return f"https://colab.research.google.com/github/{site.repository}/blob/HEAD/{place}" if place else ""


def sitemap(addresses: Iterable[str]) -> str:
    """The list of all pages for search engines, as XML."""
    entries = "".join(f"<url><loc>{escape(each)}</loc></url>\n" for each in addresses)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{entries}</urlset>\n'


def _paths(lessons: Sequence[Article]) -> Iterable[Notebook]:
    return (each.notebook for each in lessons)


def _what_is_learnt(lessons: Sequence[Article]) -> dict[str, str]:
    """For each lesson's file, the last column of the table in the first lesson, as HTML."""
    texts = [cell.source for cell in read_notebook(lessons[0].notebook.path).cells if cell.cell_type == "markdown"]
    table = next((text for text in texts if text.count(".ipynb)") >= len(lessons) - 1 and _ROW.search(text)), "")
    found: dict[str, str] = {}
    for row in _ROW.finditer(table):
        link = re.search(r"\(([^)]+\.ipynb)\)", row["name"])
        # The lesson with the table does not link to itself.
        file = link[1] if link else lessons[0].notebook.path.name if row["name"] == lessons[0].title else ""
        if file:
            found[file] = _inline(row["gives"])
    return found


@cache
def _inline(text: str) -> str:
    return as_html(text, Headings()).strip().removeprefix("<p>").removesuffix("</p>")
