"""`autograd-teach site OUTPUT`: the course as a folder of static files.

`build.py` does the work.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

from ..course import content
from ..course.errors import UserError
from .build import Site, build

_REPOSITORY = re.compile(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `autograd-teach site`."""
    parser.add_argument(
        "output",
        type=Path,
        metavar="OUTPUT",
        help="a new folder, or one that this command has made. In the latter, the files of "
        "the last build are replaced or deleted, even if you have edited them; all "
        "others (.git, CNAME, your own) stay",
    )
    add = parser.add_argument_group("content").add_argument
    add(
        "--name",
        default="autograd_teach",
        metavar="NAME",
        help="name of the course, on every page (default: %(default)s)",
    )
    add(
        "--lessons",
        type=Path,
        metavar="FOLDER",
        help="other lessons (default: those of the course): notebooks NN_name.ipynb that "
        "begin with the heading “# NN · Title”, and the pictures that they show in "
        "FOLDER/figures/",
    )
    add(
        "--exercises",
        type=Path,
        metavar="FOLDER",
        help="other exercises (default: those of the course): notebooks made by "
        "`autograd-teach release`. Never name solutions: a site shows everything that "
        "it is made of",
    )
    add(
        "--pages-only",
        action="store_true",
        help="pages to read, without notebooks that run; needs no further packages",
    )
    add = parser.add_argument_group("where the site stands").add_argument
    add(
        "--base-url",
        metavar="URL",
        default="",
        help="address of the site, such as https://example.org/autograd: for search engines,"
        " previews, sitemap.xml and the page for wrong addresses",
    )
    add(
        "--repository",
        metavar="OWNER/NAME",
        default="",
        help="the course's public repository on GitHub, such as ada/autograd: for links to "
        "it, and to Binder and Colab for notebooks of that repository",
    )
    add(
        "--pyodide",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="folder with a release of Pyodide, Python for the browser, to be made part of "
        "the site; repeatable (default: browsers load Pyodide from its public address)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Build the site."""
    _look_at(arguments)
    site = Site(
        name=arguments.name.strip(),
        base_url=arguments.base_url,
        repository=arguments.repository,
        lessons=arguments.lessons or content.folder("lessons"),
        exercises=arguments.exercises or content.folder("exercises"),
        is_live=not arguments.pages_only,
    )
    # Edits in the current folder or in the named folders may have no effect on the installed
    # course: warn.
    rooms = (site.lessons, site.exercises, Path.cwd() / "exercises")
    for sentence in dict.fromkeys(content.without_effect(each) for each in rooms):
        if sentence:
            print(f"note: {sentence}", file=sys.stderr)
    build(site, arguments.output, arguments.pyodide)
    return 0


def _look_at(arguments: argparse.Namespace) -> None:
    """Raise UserError if the value of an option is not valid."""
    if arguments.repository and not _REPOSITORY.fullmatch(arguments.repository):
        raise UserError(f"--repository takes OWNER/NAME, for example ada/autograd, not {arguments.repository!r}.")
    if arguments.base_url and not _is_address(arguments.base_url):
        raise UserError(
            "--base-url takes a whole address without ? and #, for example https://example.org/autograd, not "
            f"{arguments.base_url!r}."
        )
    if not arguments.name.strip():
        raise UserError("--name is empty; give the course a name, or leave the option out.")
    if arguments.pages_only and arguments.pyodide:
        raise UserError(
            "--pages-only leaves out the notebooks that run, and only these use --pyodide; remove one of the two options."
        )


def _is_address(text: str) -> bool:
    """Whether the text is a whole address of a folder on the web.

    >>> [_is_address(each) for each in ("https://example.org/a", "example.org/a", "https:///a", "https://a.org/?b")]
    [True, False, False, False]
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    is_clean = not re.search(r"[\s<>\"]", text) and "?" not in text and "#" not in text
    return parts.scheme in ("http", "https") and bool(parts.hostname) and is_clean
