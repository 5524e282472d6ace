"""Converts the Markdown of questions to HTML for a widget and to plain text for a terminal.

Supports paragraphs, bullet lists, fenced code, `code`, *emphasis*, **strong**, [links](to), $formulas$ and $$formulas on
their own line$$, and nothing else. All text is escaped: HTML in a question is shown as text.
"""

import re
import textwrap
from collections.abc import Callable, Iterator
from html import escape

from . import formula

WIDTH = 88
"""The longest line of plain text, in characters."""

_FENCED = re.compile(r"^```\w*\n(.*?)^```[ \t]*$", flags=re.DOTALL | re.MULTILINE)
_CODE_OR_FORMULA = re.compile(r"`([^`]+)`|\$\$([^$]+)\$\$|\$([^$\n]+)\$")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
_EMPHASIS = re.compile(r"\*([^*\s][^*]*)\*")
_BULLET = re.compile(r"^[-*] +")
_KEPT = re.compile("\x00(\\d+)\x00")


def as_html(text: str) -> str:
    """The text as HTML.

    >>> as_html("`x` is *not* y")
    '<p><code>x</code> is <em>not</em> y</p>'
    """
    parts = []
    for number, part in enumerate(_FENCED.split(text)):
        if number % 2:
            parts.append(f"<pre>{escape(part.rstrip())}</pre>")
            continue
        for lines, bulleted in _blocks(part):
            items = [_inline_html(line) for line in lines]
            parts.append(f"<ul>{''.join(f'<li>{i}</li>' for i in items)}</ul>" if bulleted else f"<p>{items[0]}</p>")
    return "".join(parts)


def as_plain(text: str, indent: str = "") -> str:
    """The text in lines of at most `WIDTH`, with code as an indented block and without marks of emphasis.

    indent: put before all lines except the first.

    >>> as_plain("`x` is *not* $x^2$; see [lesson 03](03_the_graph.ipynb)")
    '`x` is not x²; see lesson 03'
    """
    parts = _FENCED.split(text)
    parts[::2] = [_wrapped(part, indent) for part in parts[::2]]
    parts[1::2] = ["\n" + textwrap.indent(part, f"{indent}    ") for part in parts[1::2]]
    return "".join(parts)


def _blocks(text: str) -> Iterator[tuple[list[str], bool]]:
    """The paragraphs (a list of one) and bullet lists (a list of items), each with whether it is a bullet list."""
    for chunk in filter(None, map(str.strip, re.split(r"\n\s*\n", text))):
        items: list[str] = []
        bulleted = False
        for line in chunk.split("\n"):
            if _BULLET.match(line):
                if items and not bulleted:
                    yield ["\n".join(items)], False
                    items = []
                bulleted = True
                items.append(_BULLET.sub("", line))
            elif bulleted:
                items[-1] += f" {line.strip()}"
            else:
                items.append(line)
        yield (items, True) if bulleted else (["\n".join(items)], False)


def _inline_html(text: str) -> str:
    def link(found: re.Match[str]) -> str:
        new_tab = ' target="_blank" rel="noopener"' if found[2].startswith("https:") else ""
        return f'<a href="{escape(found[2])}"{new_tab}>{found[1]}</a>'

    def mark(rest: str) -> str:
        rest = _LINK.sub(link, escape(rest, quote=False))
        return _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", rest))

    return _inline(text, lambda code: f"<code>{escape(code, quote=False)}</code>", formula.as_mathml, mark)


def _inline_plain(text: str) -> str:
    def mark(rest: str) -> str:
        return _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", _LINK.sub(r"\1", rest)))

    return _inline(text, lambda code: f"`{code}`", lambda math, _: formula.as_plain(math), mark)


def _inline(text: str, code: Callable[[str], str], math: Callable[[str, bool], str], mark: Callable[[str], str]) -> str:
    """`mark` applied to the text outside code and formulas; `code` and `math` convert these."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(code(found[1]) if found[1] else math(found[2] or found[3], bool(found[2])))
        return f"\x00{len(kept) - 1}\x00"

    marked = mark(_CODE_OR_FORMULA.sub(keep, text))
    return _KEPT.sub(lambda found: kept[int(found[1])], marked)


def _wrapped(text: str, indent: str) -> str:
    lines = []
    for line in _inline_plain(text).split("\n"):
        hanging = indent + "  " if _BULLET.match(line) else indent
        filled = textwrap.fill(line, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)
        lines.append(filled)
    return "\n".join(lines)
