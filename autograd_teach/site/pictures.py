"""SVG pictures of views, prepared for one page: unique ids, and one style sheet for all."""

from __future__ import annotations

import re
import struct
from html import unescape

_STYLE = re.compile(r"<style[^>]*>(.*?)</style>", flags=re.DOTALL)
_ROOT = re.compile(r"<svg\b[^>]*>")
_DARK = "@media (prefers-color-scheme: dark)"


def is_ours(svg: str) -> bool:
    """Whether a view of this package drew it.

    Its style sheet then affects nothing else on the page.
    """
    root = _ROOT.search(svg)
    return bool(root and re.search(r'class="agt-', root[0]))


def for_page(svg: str, mark: str) -> tuple[str, set[str]]:
    """The picture with `mark` before each of its ids, and, separately, its style sheets.

    site.js removes the mark again, because widget.js finds nodes by their ids.
    """
    looks = set(_STYLE.findall(svg))
    picture = _STYLE.sub("", svg[svg.index("<svg") :])
    picture = re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{mark}-", picture)
    return picture, looks


def style_sheet(looks: set[str]) -> str:
    """The style sheets of pictures as one; dark colours follow the page's setting or the system.

    >>> print(style_sheet({".a{fill:red}@media (prefers-color-scheme: dark){.a{fill:blue}}"}))
    .a{fill:red}
    :root[data-theme="dark"]{.a{fill:blue}}
    @media (prefers-color-scheme: dark){:root:not([data-theme]){.a{fill:blue}}}
    """
    parts = []
    for look in sorted(looks):
        light, _, dark = look.partition(_DARK)
        parts.append(light.strip())
        if inner := dark.strip().removeprefix("{").removesuffix("}").strip():
            parts.append(f':root[data-theme="dark"]{{{inner}}}')
            parts.append(f"{_DARK}{{:root:not([data-theme]){{{inner}}}}}")
    return "\n".join(parts)


def described(svg: str) -> str:
    """The picture's alternative text."""
    root = _ROOT.search(svg)
    label = re.search(r'aria-label="([^"]*)"', root[0]) if root else None
    return unescape(label[1]) if label else "The picture that the code above draws."


def svg_size(svg: str) -> str:
    """Width and height as attributes of an `<img>`, in pixels."""
    root = _ROOT.search(svg)
    sizes = [re.search(rf'\b{side}="([\d.]+)(pt|px)?"', root[0]) for side in ("width", "height")] if root else []
    if not all(sizes) or not sizes:
        return ""
    width, height = (float(each[1]) * (4 / 3 if each[2] == "pt" else 1) for each in sizes if each)
    return f' width="{width:.0f}" height="{height:.0f}"'


def png_size(content: bytes) -> str:
    """The same for a PNG file; empty for other files."""
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        return ""
    width, height = struct.unpack(">II", content[16:24])
    return f' width="{width}" height="{height}"'
