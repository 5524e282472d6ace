"""Markdown of notebooks as HTML: formulas become MathML, headings get JupyterLab's anchors, code gets Pygments' classes.

This module does not know about files and addresses: it does not change links.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from html import escape, unescape
from typing import Any

import mistune
from pygments import highlight as highlighted
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from ..course import formula

PLUGINS = ("table", "strikethrough", "url", "task_lists", "def_list")
"""JupyterLab's extensions of CommonMark."""

# A dollar sign starts a formula only if the next character is not a space. It ends a formula only
# if the character before it is not a space and the next one is not a digit: "$5 or $6" is money. A
# formula may span several lines.
_INLINE = r"(?<![\\$])\$(?![\s$])(?P<inline_tex>(?:\\.|[^$\\`])*?)(?<!\s)\$(?![\d$])"
_DISPLAYED = r"(?<!\\)\$\$(?P<displayed_tex>[^$`]+?)\$\$"
_BLOCK = r"^ {0,3}\$\$(?P<block_tex>[^$]+?)\$\$[ \t]*$"
_TAG = re.compile(r"<[^>]*>")
_ONE_PICTURE = re.compile(r"<img\b[^>]*>")

LONG = 24
"""A table cell with more characters has a minimum width on a narrow screen."""


@dataclass
class Heading:
    """A heading of a page: its level, its anchor, and its text as HTML."""

    level: int
    anchor: str
    html: str

    @property
    def text(self) -> str:
        """The heading as plain text.

        >>> Heading(2, "x-y", "<code>x</code> y").text
        'x y'
        """
        return plain(self.html)


@dataclass
class Headings:
    """The headings of one page, in order, with unique anchors.

    The first one of level 1 is the page's title.
    """

    found: list[Heading] = field(default_factory=list)

    def add(self, html: str, level: int) -> Heading:
        """Add a heading. A page has one title, so further headings of level 1 become level 2."""
        if level == 1 and any(each.level == 1 for each in self.found):
            level = 2
        wanted = anchor = re.sub(r"\s", "-", plain(html).strip())
        number = 0
        while any(each.anchor == anchor for each in self.found):
            number += 1
            anchor = f"{wanted}-{number}"
        self.found.append(Heading(level, anchor, html))
        return self.found[-1]


def plain(html: str) -> str:
    """The text of a piece of HTML."""
    return unescape(_TAG.sub("", html))


def as_html(text: str, headings: Headings) -> str:
    """A cell's Markdown as HTML; its headings are added to `headings`.

    Raises UserError, with the formula, if a formula cannot be shown.

    >>> as_html("The slope of $x^2$ costs $5 or $6.", Headings()).count("<math")
    1
    """
    return str(_reader(headings)(text))


def code_as_html(code: str, language: str = "python") -> str:
    """Code with Pygments' classes, for use inside `<pre>`.

    Without classes if the language is not known.
    """
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return escape(code, quote=False)
    return str(highlighted(code, lexer, _formatter())).rstrip("\n")


@cache
def _formatter() -> Any:
    return HtmlFormatter(nowrap=True)


class _Renderer(mistune.HTMLRenderer):
    """The HTML for the parts of Markdown."""

    def __init__(self, headings: Headings) -> None:
        super().__init__(escape=False, allow_harmful_protocols=True)
        self.headings = headings

    def heading(self, text: str, level: int, **_: Any) -> str:
        each = self.headings.add(text, level)
        return f'<h{each.level} id="{escape(each.anchor)}">{text}</h{each.level}>\n'

    def paragraph(self, text: str) -> str:
        kind = ' class="figure"' if _ONE_PICTURE.fullmatch(text.strip()) else ""
        return f"<p{kind}>{text}</p>\n"

    def table_cell(self, text: str, align: str | None = None, head: bool = False) -> str:
        tag = "th" if head else "td"
        style = f' style="text-align:{align}"' if align else ""
        kind = ' class="long"' if len(plain(text)) > LONG else ""
        return f"<{tag}{style}{kind}>{text}</{tag}>\n"

    def block_code(self, code: str, info: str | None = None) -> str:
        language = (info or "").split(maxsplit=1)
        shown = code_as_html(code.rstrip("\n"), language[0]) if language else escape(code.rstrip("\n"), quote=False)
        return f'<pre class="code"><code>{shown}</code></pre>\n'


def _reader(headings: Headings) -> Callable[[str], Any]:
    plugins: list[Any] = [*PLUGINS, _formulas]
    return mistune.create_markdown(renderer=_Renderer(headings), plugins=plugins)


def _formulas(reader: Any) -> None:
    """A plug-in for mistune that reads formulas, before everything else except code."""

    def block(_: Any, found: re.Match[str], state: Any) -> int:
        state.append_token({"type": "block_formula", "raw": found["block_tex"]})
        return found.end() + 1

    def displayed(_: Any, found: re.Match[str], state: Any) -> int:
        state.append_token({"type": "displayed_formula", "raw": found["displayed_tex"]})
        return found.end()

    def inline(_: Any, found: re.Match[str], state: Any) -> int:
        state.append_token({"type": "inline_formula", "raw": found["inline_tex"]})
        return found.end()

    reader.block.register("block_formula", _BLOCK, block, before="list")
    reader.inline.register("displayed_formula", _DISPLAYED, displayed, before="link")
    reader.inline.register("inline_formula", _INLINE, inline, before="link")
    for kind, is_block in (("block_formula", True), ("displayed_formula", True), ("inline_formula", False)):
        reader.renderer.register(kind, _mathml(is_block))


def _mathml(is_block: bool) -> Callable[[Any, str], str]:
    def render(_: Any, text: str) -> str:
        made = formula.as_mathml(" ".join(text.split()), is_block)
        return f'<span class="formula">{made}</span>' if is_block else made

    return render
