"""One notebook as the article of a page: its texts, code and outputs, with interactive views.

The page contains each view once, as a static picture. site.js replaces it by the interactive view;
the rest of the view's state is in the page as JSON. This module does not know about the rest of the
page.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Any

from nbconvert.filters.ansi import ansi2html

from ..course.errors import UserError
from . import pictures
from .addresses import Addresses
from .build import Notebook
from .markdown import Headings, as_html, code_as_html, plain

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"

# Cells that only ask a question: their output is the question.
_ASKS = re.compile(r'\s*(?:predict|review|quiz)\("[^"]*"\)\s*')
_RUN_THIS = re.compile(r"\n\n\*Run this cell [^*]*\*\s*$")
_IN_WORDS = "<details><summary>In words</summary>"
_NOT_STATE = ("layout", "tabbable", "tooltip", "svg")
_HREF_IN_TEXT = re.compile(r'<a href="')


@dataclass
class Article:
    """The article of a page.

    `models`: the states of its views by name; `styles`: the addresses of their style sheets.
    """

    notebook: Notebook
    html: str = ""
    headings: Headings = field(default_factory=Headings)
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    styles: list[str] = field(default_factory=list)
    looks: set[str] = field(default_factory=set)
    """The style sheets that were in the pictures."""

    @property
    def title(self) -> str:
        """The text of the first heading."""
        return next((each.text for each in self.headings.found if each.level == 1), self.notebook.path.stem)

    @property
    def summary(self) -> str:
        """The first paragraph that is not in italics, for search engines and previews."""
        paragraphs = (plain(each).strip() for each in re.findall(r"<p>(?!<em>)(.*?)</p>", self.html, flags=re.DOTALL))
        text = " ".join(next(paragraphs, "").split())
        return text if len(text) <= 200 else text[:200].rpartition(" ")[0] + " …"

    @property
    def state(self) -> str:
        """The models as JSON, safe to put into a page."""
        return json.dumps(self.models, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")

    @property
    def anchors(self) -> set[str]:
        """The anchors on its page."""
        ids = re.findall(r"""<[^<>]*\s(?:id|name)=["']([^"']+)["']""", self.html)
        return {unescape(each) for each in ids}

    @property
    def sections(self) -> list[Any]:
        """The headings of level 2."""
        return [each for each in self.headings.found if each.level == 2]


def article(notebook: Notebook, content: Any, addresses: Addresses) -> Article:
    """The article of a notebook; `content`: the notebook with its cells and outputs.

    Raises UserError, with the notebook and the cell, if something cannot be shown.
    """
    made = Article(notebook)
    return _Maker(made, content, addresses).make()


class _Maker:
    def __init__(self, made: Article, content: Any, addresses: Addresses) -> None:
        self.made, self.content, self.addresses = made, content, addresses
        self.drawings = itertools.count(1)
        self.states = content.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})

    def make(self) -> Article:
        cells = self.content.cells
        parts = []
        for place, cell in enumerate(cells):
            after = cells[place + 1].source if place + 1 < len(cells) else ""
            try:
                parts.append(self.cell(cell, after))
            except UserError as problem:
                raise UserError(f"{self.made.notebook.path}, cell {cell.id!r}: {problem}") from problem
        html = "".join(parts)
        if not any(each.level == 1 for each in self.made.headings.found):
            first = self.made.headings.add(escape(self.made.notebook.path.stem.replace("_", " ")), 1)
            html = f'<h1 id="{escape(first.anchor)}">{first.html}</h1>\n{html}'
        self.made.html = html
        return self.made

    def cell(self, cell: Any, after: str) -> str:
        if cell.cell_type == "markdown":
            return self.markdown(cell.source)
        if cell.cell_type != "code":
            return f'<pre class="code">{escape(cell.source, quote=False)}</pre>\n'
        parts = [self.output(output, _IN_WORDS in after) for output in cell.get("outputs", [])]
        shown = "".join(f'<div class="output">{part}</div>\n' for part in parts if part)
        if not cell.source.strip() or (shown and _ASKS.fullmatch(cell.source)):
            return shown
        code = code_as_html(cell.source)
        return f'<div class="cell"><pre class="code"><code>{code}</code></pre>\n{shown}</div>\n'

    def markdown(self, text: str, headings: Headings | None = None) -> str:
        html = as_html(text, self.made.headings if headings is None else headings)
        return self.addresses.rewrite(_scrolling_tables(html), self.made.notebook)

    def output(self, output: Any, is_told_in_words: bool) -> str:
        """An output of a cell, in the best form that a page supports."""
        if output.output_type == "stream":
            return f'<pre class="{escape(output.name)}">{ansi2html(output.text.rstrip(chr(10)))}</pre>'
        if output.output_type == "error":
            told = "\n".join(output.traceback) or f"{output.ename}: {output.evalue}"
            return f'<pre class="error">{ansi2html(told)}</pre>'
        data = {kind: _joined(value) for kind, value in output.get("data", {}).items()}
        if WIDGET_VIEW in data and (shown := self.view(data)):
            return shown
        if "text/html" in data:
            return self.addresses.rewrite(_scrolling_tables(data["text/html"]), self.made.notebook)
        if "image/svg+xml" in data:
            return self.drawing(data["image/svg+xml"], f"p{next(self.drawings)}")
        for kind in ("image/png", "image/jpeg", "image/gif"):
            if kind in data:
                return self.photograph(kind, data[kind], is_told_in_words)
        if "text/markdown" in data:
            return self.markdown(data["text/markdown"], Headings())
        if "text/latex" in data:
            return self.markdown(data["text/latex"], Headings())
        text = data.get("text/plain", "")
        return f'<pre class="result">{ansi2html(text)}</pre>' if text else ""

    def drawing(self, svg: str, mark: str) -> str:
        """An SVG picture: a view's becomes part of the page and follows its colours, another a file."""
        if pictures.is_ours(svg):
            picture, looks = pictures.for_page(svg, mark)
            self.made.looks |= looks
            return f'<div class="picture">{picture}</div>'
        source = self.addresses.share("picture.svg", svg.encode())
        return f'<img src="../{source}" alt="{escape(pictures.described(svg))}" loading="lazy"{pictures.svg_size(svg)}>'

    def photograph(self, kind: str, data: str, is_told_in_words: bool) -> str:
        content = base64.b64decode(data)
        source = self.addresses.share(f"picture.{kind.partition('/')[2]}", content)
        alt = "A plot; the text below describes it." if is_told_in_words else "The picture that the code above draws."
        return f'<img src="../{source}" alt="{alt}" loading="lazy"{pictures.png_size(content)}>'

    # ---- views ----

    def view(self, data: Mapping[str, Any]) -> str:
        """A view that site.js makes interactive.

        Until then, and without scripts, its picture or its text.
        """
        told = data[WIDGET_VIEW]
        outer = self.states.get(told["model_id"], {}).get("state", {})
        state = self._with_code(outer)
        needs_python = state is not outer
        if state is None:
            shown = self.output(_without_view(data), False)
            return shown + self._needs_python() if outer else ""
        name = f"m{len(self.made.models) + 1}"
        if "questions" in state:
            still = self.markdown(_RUN_THIS.sub("", data.get("text/markdown", "")), Headings())
            state = self._with_pages(state)
        elif state.get("svg"):
            still = self.drawing(state["svg"], name)
            view = state.get("view", {})
            unfolds = any(node.get("unfolds") for node in view.get("nodes", ()))
            needs_python = needs_python or "leaves" in view or unfolds
        else:
            return f'<pre class="result">{escape(data.get("text/plain", ""), quote=False)}</pre>'
        asked = f'{told["kind"]}("{told["asked"]}")' if "asked" in told else name
        kept = {key: value for key, value in state.items() if key[0] != "_" and key not in _NOT_STATE}
        self.made.models[name] = {
            "code": self._code(state),
            "asked": asked,
            "state": kept,
            "needsPython": needs_python,
        }
        note = self._needs_python() if needs_python else ""
        return f'<div class="view" data-model="{name}">{still}</div>{note}'

    def _with_code(self, state: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The state of a view, or of the view inside `viz.explore`.

        None if there is none that can be drawn.
        """
        if "_esm" in state:
            return state
        for child in state.get("children", ()):
            inner = self.states.get(str(child).removeprefix("IPY_MODEL_"), {}).get("state", {})
            if "_esm" in inner and inner.get("svg"):
                return inner  # type: ignore[no-any-return]
        return None

    def _code(self, state: Mapping[str, Any]) -> str:
        kind = "questions" if "questions" in state else "view"
        style = self.addresses.share(f"{kind}.css", state.get("_css", "").encode())
        if style not in self.made.styles:
            self.made.styles.append(style)
        return self.addresses.share(f"{kind}.js", state["_esm"].encode()).rpartition("/")[2]

    def _with_pages(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """The state of questions, with links to pages."""

        def changed(value: Any) -> Any:
            if isinstance(value, str):
                return self.addresses.rewrite(value, self.made.notebook) if _HREF_IN_TEXT.search(value) else value
            if isinstance(value, list):
                return [changed(each) for each in value]
            if isinstance(value, dict):
                return {key: self._page(each) if key == "file" else changed(each) for key, each in value.items()}
            return value

        return {key: changed(value) if key == "questions" else value for key, value in state.items()}

    def _page(self, file: str) -> str:
        return self.addresses.page(f"../lessons/{file}", self.made.notebook) or "../index.html"

    def _needs_python(self) -> str:
        return '<p class="needs-python"></p>'


def _without_view(data: Mapping[str, Any]) -> Any:
    from nbformat.v4 import new_output

    return new_output("display_data", {kind: value for kind, value in data.items() if kind != WIDGET_VIEW})


def _joined(value: Any) -> Any:
    return "".join(value) if isinstance(value, list) else value


def _scrolling_tables(html: str) -> str:
    """Put each table into a box that scrolls if the table is wider than the page."""
    return re.sub(r"<table\b.*?</table>", r'<div class="table">\g<0></div>', html, flags=re.DOTALL)
