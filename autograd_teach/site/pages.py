"""The pages to read: one for each lesson, the glossary and each notebook with exercises.

Lessons are run, so that their views are interactive; exercises are shown as they are stored. This
module runs the notebooks and writes the pages. `article.py` makes the content of a page,
`landing.py` the first page. They use packages that come with Jupyter: mistune (Markdown), Pygments
(code) and nbconvert (colours of terminal output).
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2

from ..course.errors import UserError
from ..course.notebooks import execute, read_notebook
from ..viz import layout
from . import landing, pictures
from .addresses import Addresses
from .article import Article, article
from .build import Notebook, Site, Tell

GLOSSARY = "glossary"
WORK = "live/work.html"
"""In the folder of the notebooks that run: their storage in the browser has its name."""

KERNELS = 2
"""The number of lessons that run at the same time."""

SECONDS_A_CELL = 300
WITHOUT_DRAWING = (
    "No layout engine is installed, so the pages show graphs as text; for pictures, install Graphviz (dot) or pygraphviz "
    "and build the site again."
)

_TEMPLATES = files("autograd_teach.site") / "static"


def write(site: Site, made: Path, tell: Tell = print) -> None:
    """Write all pages into the folder `made`.

    `tell` is called with a line for each notebook that has run.

    Raises UserError if a folder does not contain notebooks, or if a notebook is damaged, fails or
    cannot be shown.
    """
    for room, folder in (("lessons", site.lessons), ("exercises", site.exercises)):
        if not any(each.room == room for each in site.notebooks):
            raise UserError(f"There is no notebook in {folder}; name a folder with notebooks: --{room} FOLDER.")
    if layout.render("digraph { a }") is None:
        tell(WITHOUT_DRAWING)
    stored = {each: read_notebook(each.path) for each in site.notebooks}
    contents = stored | dict(_run(stored, tell))
    addresses = Addresses(site, made)
    articles = [article(each, contents[each], addresses) for each in site.notebooks]
    for line in addresses.dead({each.notebook: each.anchors for each in articles}):
        tell(line)
    hero = landing.hero(addresses)
    looks = set().union(hero.looks, *(each.looks for each in articles))
    frame = _Frame(site, addresses, looks)
    _write_page(made, "index.html", frame.render("index.html", "index.html", **landing.content(site, articles, hero)))
    for place, each in enumerate(articles):
        _write_page(made, each.notebook.page, _notebook_page(frame, articles, place))
    if site.is_live:
        _write_page(made, WORK, _work_page(frame, articles))
    _write_page(made, "404.html", frame.render("404.html", "404.html", title="Page not found", base=_base(site)))
    if site.base_url:
        written = ["index.html", *(each.notebook.page for each in articles)]
        _write_page(made, "sitemap.xml", landing.sitemap([frame.canonical(each) for each in written]))


def is_glossary(notebook: Notebook) -> bool:
    """Whether the notebook is the glossary, not a lesson."""
    return notebook.room == "lessons" and notebook.path.stem == GLOSSARY


def _run(stored: Mapping[Notebook, Any], tell: Tell) -> Iterator[tuple[Notebook, Any]]:
    """Run each lesson in a copy of its folder.

    Yields it with its outputs and the states of its widgets.
    """
    lessons = [each for each in stored if each.room == "lessons"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "lessons"
        shutil.copytree(lessons[0].path.parent, folder, ignore=shutil.ignore_patterns(".*", "__pycache__"))

        def run(notebook: Notebook) -> Any:
            try:
                return execute(stored[notebook], folder, SECONDS_A_CELL, keep_widgets=True)
            except UserError as problem:
                raise UserError(f"{notebook.path}: {problem}") from problem

        pool = ThreadPoolExecutor(KERNELS)
        try:
            runs = [(each, pool.submit(run, each)) for each in lessons]
            for number, (each, future) in enumerate(runs, 1):
                ran = future.result()
                tell(f"{each.path.name} has run ({number} of {len(runs)}).")
                yield each, ran
        finally:
            pool.shutdown(cancel_futures=True)


class _Frame:
    """The parts that are the same on all pages."""

    def __init__(self, site: Site, addresses: Addresses, looks: set[str]) -> None:
        self.site = site
        self.addresses = addresses
        style = (_TEMPLATES / "site.css").read_text(encoding="utf-8") + pictures.style_sheet(looks)
        self.style = addresses.share("site.css", style.encode())
        self.script = addresses.share("site.js", (_TEMPLATES / "site.js").read_bytes())
        self.glossary = next((each.page for each in site.notebooks if is_glossary(each)), "")

    def canonical(self, page: str) -> str:
        """The address where the page will be published; empty if that is not known."""
        path = "" if page == "index.html" else quote(page)
        return f"{_base(self.site)}{path}" if self.site.base_url else ""

    def render(self, template: str, page: str, **more: Any) -> str:
        """The template, filled in for `page`.

        In templates, `root` is the relative address of the site.
        """
        root = "" if "/" not in page else "../"
        return (
            _environment()
            .get_template(template)
            .render(
                site=self.site,
                root=root,
                page=page,
                style=self.style,
                script=self.script,
                glossary=self.glossary,
                work=WORK,
                canonical=self.canonical(page),
                base_url=_base(self.site),
                github=f"https://github.com/{self.site.repository}" if self.site.repository else "",
                **{"base": "", "styles": [], "models": ""} | more,
            )
        )


def _base(site: Site) -> str:
    return f"{site.base_url.rstrip('/')}/" if site.base_url else ""


def _notebook_page(frame: _Frame, articles: Sequence[Article], place: int) -> str:
    here = articles[place]
    notebook = here.notebook
    row = [each for each in articles if each.notebook.room == notebook.room and not is_glossary(each.notebook)]
    at = row.index(here) if here in row else None
    beside = [each for each in articles if each.notebook.room != notebook.room and at is not None]
    return frame.render(
        "notebook.html",
        notebook.page,
        title=here.title,
        summary=here.summary,
        article=here,
        kind="glossary" if at is None else {"lessons": "lesson", "exercises": "exercises"}[notebook.room],
        previous=row[at - 1] if at else None,
        next=row[at + 1] if at is not None and at + 1 < len(row) else None,
        other=next((each for each in beside if each.notebook.path.name == notebook.path.name), None),
        colab=landing.colab(frame.site, notebook),
        styles=here.styles,
        models=here.state if here.models else "",
    )


def _work_page(frame: _Frame, articles: Sequence[Article]) -> str:
    """The page "Your work": download and import of what the reader has written in this browser."""
    notebooks = {
        f"{each.notebook.room}/{each.notebook.path.name}": [each.title, each.notebook.live.removeprefix("live/")]
        for each in articles
    }
    script = frame.addresses.share("work.js", (_TEMPLATES / "work.js").read_bytes())
    listed = json.dumps(notebooks, ensure_ascii=False).replace("<", "\\u003c")
    return frame.render("work.html", WORK, title="Your work", work_script=script, notebooks=listed)


def _write_page(made: Path, page: str, text: str) -> None:
    target = made / page
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", newline="\n")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (_TEMPLATES / name).read_text(encoding="utf-8")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["anchor"] = lambda anchor: quote(anchor, safe="/:@!$&'()*+,;=~-._?")
    return environment
