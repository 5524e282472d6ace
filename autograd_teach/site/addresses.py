"""Addresses on the site: pages, files of the notebooks, and shared files, named by content."""

from __future__ import annotations

import hashlib
import posixpath
import re
import shutil
from collections.abc import Collection, Mapping
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote, unquote

from ..course.errors import UserError
from .build import Notebook, Site

STATIC = "static"
"""The folder of the files that pages share."""

_ADDRESS = re.compile(r'(<(?P<tag>a|img)\b[^>]*?)\s(?P<name>href|src)="(?P<to>[^"]*)"')
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", flags=re.IGNORECASE)
_VIEW_BOX = re.compile(r'<svg\b[^>]*\bviewBox="[\d.-]+[ ,]+[\d.-]+[ ,]+([\d.]+)[ ,]+([\d.]+)"')


class Addresses:
    """Turns links between notebooks into links between pages.

    Copies the files that pages need into the folder `made`.
    """

    def __init__(self, site: Site, made: Path) -> None:
        self.made = made
        self.missing: dict[str, dict[str, None]] = {}
        """For each notebook's name, its links that lead nowhere on the site."""
        self._anchored: dict[tuple[Notebook, str], Notebook] = {}
        """The target of each link with an anchor.

        The key is the notebook with the link, and the link.
        """
        self.pages = {f"{each.room}/{each.path.name}": each for each in site.notebooks}

    def share(self, name: str, content: bytes) -> str:
        """Write a shared file to `static/`, once, with a hash of its content in its name.

        Returns its address below the site.
        """
        stem, dot, ending = name.rpartition(".")
        address = f"{STATIC}/{stem}.{hashlib.sha256(content).hexdigest()[:10]}{dot}{ending}"
        target = self.made / address
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return address

    def page(self, written: str, source: Notebook) -> str | None:
        """The address for a link in the notebook `source`, relative to its page.

        None if it leads nowhere on the site.
        """
        if not written or _SCHEME.match(written):
            return written
        path, mark, anchor = written.partition("#")
        if not path:
            if anchor:
                self._anchored[source, written] = source
            return written
        found = posixpath.normpath(posixpath.join(source.room, unquote(path)))
        if found in self.pages:
            if anchor:
                self._anchored[source, written] = self.pages[found]
            to = posixpath.relpath(self.pages[found].page, posixpath.dirname(source.page))
            return quote(to) + mark + anchor
        return path + mark + anchor if self._copied(found, source) else None

    def dead(self, anchors: Mapping[Notebook, Collection[str]]) -> list[str]:
        """A sentence for each notebook with dead links.

        `anchors`: the anchors on each notebook's page.
        """
        told = [
            f"{name}: links that lead nowhere on this site are shown as text: {', '.join(links)}."
            for name, links in self.missing.items()
        ]
        lost: dict[str, list[str]] = {}
        for (source, written), target in self._anchored.items():
            anchor = written.partition("#")[2]
            if not {anchor, unquote(anchor)}.intersection(anchors[target]):
                lost.setdefault(source.path.name, []).append(written)
        told += [
            f"{name}: links to headings that do not exist open the top of the page: {', '.join(links)}."
            for name, links in lost.items()
        ]
        return told

    def _copied(self, address: str, source: Notebook) -> Path | None:
        """Copy a file from the notebook's folder to the site and return it.

        None if there is no such file.
        """
        within = address.removeprefix(f"{source.room}/")
        if within == address or ".." in Path(within).parts or within.endswith(".ipynb"):
            return None
        there, target = source.path.parent / within, self.made / address
        if not there.is_file():
            return None
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(there, target)
        return target

    def rewrite(self, html: str, source: Notebook) -> str:
        """`html` with the addresses of links and pictures on the site.

        A link that leads nowhere becomes text.

        Raises UserError if a picture does not exist.
        """

        def changed(found: re.Match[str]) -> str:
            written = unescape(found["to"])
            to = self.page(written, source)
            if found["tag"] == "a":
                if to is None:
                    self.missing.setdefault(source.path.name, {})[written] = None
                    return found[1]
                return f'{found[1]} {found["name"]}="{escape(to)}"'
            if to is None:
                raise UserError(f"the picture {written} does not exist; add the file, or remove it from the text.")
            return f'{found[1]} {found["name"]}="{escape(to)}"{self._size(written, source)} loading="lazy"'

        return _ADDRESS.sub(changed, html)

    def _size(self, written: str, source: Notebook) -> str:
        """A drawing's width and height as attributes, so that loading it does not move the page."""
        if not written.endswith(".svg") or _SCHEME.match(written):
            return ""
        text = (source.path.parent / unquote(written)).read_text(encoding="utf-8")
        found = _VIEW_BOX.search(text)
        return f' width="{float(found[1]):.0f}" height="{float(found[2]):.0f}"' if found else ""
