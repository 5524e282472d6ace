"""What a site is, and building one: whole or not at all, and never over a folder that something else has made."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..course.errors import UserError

MARK = ".autograd-teach-site"
"""In a folder that this command has made: it may be replaced."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Site:
    """What a site is made of and what it is called. `lessons` and `exercises` are folders of notebooks."""

    name: str
    base_url: str
    repository: str
    lessons: Path
    exercises: Path
    is_live: bool = True

    @property
    def notebooks(self) -> tuple[Path, ...]:
        """All that is read and run: lessons with the glossary, then exercises, by name."""
        return tuple(path for room in (self.lessons, self.exercises) for path in sorted(room.glob("*.ipynb")))


def page_name(notebook: Path) -> str:
    """The address of a notebook's page below the site: `lessons/03.html`; a name that shares its number keeps all of it.

    >>> page_name(Path("lessons/glossary.ipynb"))
    'lessons/glossary.html'
    """
    number, *_ = notebook.stem.partition("_")
    is_unique = number.isdecimal() and len(list(notebook.parent.glob(f"{number}_*.ipynb"))) == 1
    return f"{notebook.parent.name}/{number if is_unique else notebook.stem}.html"


def live_address(notebook: Path) -> str:
    """Where a notebook runs, below the site: JupyterLite's Notebook app, opened at it.

    >>> live_address(Path("lessons/03_the_graph.ipynb"))
    'live/notebooks/index.html?path=lessons/03_the_graph.ipynb'
    """
    return f"live/notebooks/index.html?path={notebook.parent.name}/{notebook.name}"


def build(site: Site, output: Path, pyodide: Sequence[Path] = (), tell: Tell = print) -> None:
    """Write the whole site to the folder `output`, which is new, empty, or was made by this command before.

    pyodide: folders with Pyodide's runtime and wheels, to be put into the site; none: readers load them from its public address.
    tell: is called with a line for each step. Raises `UserError`; `output` is then as it was.
    """
    output = Path(os.path.abspath(output.expanduser()))
    if output.exists() and not ((output / MARK).is_file() or (output.is_dir() and not any(output.iterdir()))):
        raise UserError(f"{output} exists and is no site that this command has made; name a new folder.")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    except OSError as problem:
        raise UserError(f"{output} cannot be written ({problem.strerror}); name another folder.") from problem
    try:
        (made / MARK).write_text("Made by autograd-teach site, which may replace this folder.\n", encoding="utf-8")
        (made / ".nojekyll").touch()  # GitHub Pages would leave out what begins with an underscore
        from . import pages

        pages.write(site, made, tell)
        if site.is_live:
            from . import live

            live.write(site, made, pyodide, tell)
        made.chmod(0o755)
        if output.exists():
            shutil.rmtree(output)
        made.rename(output)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    tell(f"The site is in {output}. To look at it: python -m http.server --directory {output}")
