"""Layout of DOT text: by the pygraphviz wheel, else by a system `dot`, else in the browser.

If no engine is available, the view shows its text. An SVG picture is prepared for pages without
scripts: it has its own background, colours for dark pages, and a description in each node.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from textwrap import wrap

_TALLEST = 480.0  # points: 640 pixels
_SVG = "http://www.w3.org/2000/svg"

_STYLE = """
.agt-static .agt-edge text{font-size:10px;fill:#333}
.agt-static .agt-leaf text:first-of-type,.agt-static .agt-output text:first-of-type{font-weight:bold}
@media (prefers-color-scheme: dark){
.agt-static .agt-page{fill:#1e1e1e}
.agt-static :is(text,.agt-edge text){fill:#ececec}
.agt-static .agt-operation :is(polygon,path,ellipse):not([fill="none"]){fill:#333;stroke:#aaa}
.agt-static .agt-leaf :is(polygon,path,ellipse):not([fill="none"]){fill:#11324a;stroke:#56b4e9}
.agt-static .agt-output :is(polygon,path,ellipse):not([fill="none"]){fill:#0d3b2e;stroke:#2fc79b}
.agt-static .agt-fold :is(polygon,polyline){stroke:#dd9dc0}
.agt-static .agt-fold polygon:not([fill="none"]){fill:#3d2434}
.agt-static .agt-constant :is(polygon,path,ellipse):not([fill="none"]){fill:#1e1e1e;stroke:#aaa}
.agt-static .agt-stale :is(polygon,path,ellipse):not([fill="none"]){fill:#4a2a12;stroke:#ff9a4d}
.agt-static .agt-operation :is(polygon,path){stroke:#aaa}
.agt-static .agt-higher polygon:not([fill="none"]){stroke:#e6a5c8}
.agt-static .agt-marked :is(polygon,path,ellipse):not([fill="none"]){fill:#4a2a12;stroke:#ff9a4d}
.agt-static .agt-output polygon{stroke:#2fc79b}
.agt-static .agt-edge path{stroke:#bbb}
.agt-static .agt-edge polygon{stroke:#bbb;fill:#bbb}
.agt-static .agt-uses :is(path,polygon){stroke:#e6a5c8}
.agt-static .agt-cut :is(path,polygon){stroke:#ff9a4d}
.agt-static .agt-cut polygon{fill:#ff9a4d}
}
"""


def render(dot: str, kind: str = "svg") -> bytes | None:
    """The picture, laid out by the first engine that can do it; None if none can.

    If this returns None, Graphviz compiled to WebAssembly lays out the DOT text in the browser
    (`layOut` in static/widget.js); `browser_engine` is its code.
    """
    for engine in ENGINES:
        picture = engine(dot, kind)
        if picture is not None:
            return picture
    return None


def by_wheel(dot: str, kind: str) -> bytes | None:
    """Lay out with the Graphviz inside the pygraphviz wheel; a system package is not needed."""
    try:
        import pygraphviz
    except ImportError:  # no wheel for this platform
        return None
    try:
        with quiet_stderr(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns above 1,000 nodes
            picture: bytes = pygraphviz.AGraph(string=dot).draw(format=kind, prog="dot")
            return picture
    except (
        OSError,
        ValueError,
        RuntimeError,
    ):  # the wheel is installed but cannot draw this kind of file
        return None


def by_system(dot: str, kind: str) -> bytes | None:
    """Lay out with the `dot` that is installed on this machine."""
    if shutil.which("dot") is None:
        return None
    try:
        import graphviz
    except ImportError:
        return None
    try:
        picture: bytes = graphviz.Source(dot).pipe(format=kind, quiet=True)
        return picture
    except (graphviz.ExecutableNotFound, graphviz.CalledProcessError, OSError):
        return None


def browser_engine() -> bytes:
    """Graphviz as WebAssembly, an ES module of 1.2 MB (static/vendor/graphviz).

    Raises OSError if the file is missing.
    """
    return (files("autograd_teach.viz") / "static" / "vendor" / "graphviz" / "viz.js").read_bytes()


ENGINES: list[Callable[[str, str], bytes | None]] = [by_wheel, by_system]


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Silence file descriptor 2.

    On Debian, the wheel's Fontconfig writes warnings to it, and the notebook would show them.
    """
    try:
        keep = os.dup(2)
    except OSError:  # no stderr, as in some Pythons for browsers
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(keep, 2)
        os.close(keep)


def dress(svg: bytes, descriptions: Mapping[str, str], title: str) -> str:
    """Prepare Graphviz's SVG for a page: no prolog, scoped classes, dark colours, descriptions."""
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ET.fromstring(svg)
    _scale(root)
    root.set("class", "agt-static")
    root.set("style", "max-width:100%;height:auto")
    root.set("role", "img")
    root.set("font-family", "Helvetica,Arial,sans-serif")
    root.set("font-size", "11")
    root.set("aria-label", title)
    style = ET.Element(f"{{{_SVG}}}style")
    style.text = _STYLE
    root.insert(0, style)
    for group in root.iter(f"{{{_SVG}}}g"):
        _dress_group(group, descriptions)
        for text in group.findall(f"{{{_SVG}}}text"):
            _drop_repeated(text)
    return ET.tostring(root, encoding="unicode")


def _drop_repeated(text: ET.Element) -> None:
    """Remove attributes of lines of text that the root already has: saves a third of the size."""
    for name in ("font-family", "{http://www.w3.org/XML/1998/namespace}space"):
        text.attrib.pop(name, None)
    if text.get("font-size") == "11.00":
        del text.attrib["font-size"]
    if (text.get("font-size"), text.get("fill")) == ("10.00", "#333333"):  # text at an edge, set by the style sheet
        del text.attrib["font-size"], text.attrib["fill"]


def _scale(root: ET.Element) -> None:
    """Scale a tall picture down to fit on the screen, but never below a readable size."""
    width, height = (float((root.get(side) or "0").removesuffix("pt")) for side in ("width", "height"))
    factor = max(0.7, min(1.0, _TALLEST / height)) if height else 1.0
    root.set("width", f"{width * factor:.0f}pt")
    root.set("height", f"{height * factor:.0f}pt")


def _dress_group(group: ET.Element, descriptions: Mapping[str, str]) -> None:
    classes = (group.get("class") or "").split()
    name = group.find(f"{{{_SVG}}}title")
    if "graph" in classes:
        page = group.find(f"{{{_SVG}}}polygon")
        if page is not None:
            page.set("class", "agt-page")
    if name is None:
        return
    described = descriptions.get(group.get("id") or "")
    if described:
        name.text = described  # browsers show it on hover, even in a page without scripts
    else:
        group.remove(name)


def sentences(lines: Sequence[str]) -> str:
    """A picture that contains only sentences, for a view without a graph to show."""
    rows = [row for line in lines for row in wrap(line.replace("`", ""), 72)] or [""]
    height = 20 * len(rows) + 22
    text = "".join(f'<text x="16" y="{20 * i + 29}" font-size="13">{escape(row)}</text>' for i, row in enumerate(rows))
    return (
        f'<svg xmlns="{_SVG}" class="agt-static" role="img" width="560" height="{height}" viewBox="0 0 560 {height}" '
        f'font-family="Helvetica,Arial,sans-serif" fill="#1A1A1A" aria-label="{escape(" ".join(lines))}">'
        f"<style>{_STYLE}</style>"
        f'<rect class="agt-page" width="560" height="{height}" rx="6" fill="white" stroke="#999"/>{text}</svg>'
    )
