"""`autograd-teach site OUTPUT`: the course as a folder of static files. Reads the command line; `build.py` does the work."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..course import content
from .build import Site, build


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `autograd-teach site`."""
    parser.add_argument(
        "output", type=Path, metavar="OUTPUT", help="a new folder, or one that this command has made before"
    )
    parser.add_argument(
        "--pyodide",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="put the browser's Python into the site, so that nothing is loaded from elsewhere: a folder with a release of "
        "Pyodide; may be given more than once. Without it, readers' browsers load Pyodide from its public address",
    )
    parser.add_argument(
        "--base-url", metavar="URL", default="", help="where the site will stand, for search engines and previews"
    )
    parser.add_argument(
        "--name", default="autograd_teach", help="the name of the course, on every page (default: %(default)s)"
    )
    parser.add_argument(
        "--repository",
        metavar="OWNER/NAME",
        default="",
        help="of the course on GitHub, for links to it, to Binder and to Colab",
    )
    parser.add_argument("--lessons", type=Path, metavar="FOLDER", help="default: those of this installation")
    parser.add_argument("--exercises", type=Path, metavar="FOLDER", help="default: those of this installation")
    parser.add_argument(
        "--pages-only", action="store_true", help="only what is read; nothing runs, and JupyterLite is not needed"
    )


def run(arguments: argparse.Namespace) -> int:
    """Build the site and say what came of it."""
    site = Site(
        name=arguments.name,
        base_url=arguments.base_url,
        repository=arguments.repository,
        lessons=arguments.lessons or content.folder("lessons"),
        exercises=arguments.exercises or content.folder("exercises"),
        is_live=not arguments.pages_only,
    )
    build(site, arguments.output, arguments.pyodide)
    return 0
