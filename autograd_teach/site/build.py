"""What a site is, and building one: whole or not at all, and never over a folder that something else has made."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

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
    def notebooks(self) -> tuple[Notebook, ...]:
        """All that is read and run: lessons with the glossary, then exercises, by name."""
        return (*_notebooks("lessons", self.lessons), *_notebooks("exercises", self.exercises))


@dataclass(frozen=True)
class Notebook:
    """A lesson, the glossary or a notebook with exercises, and where it is on the site, whatever folder it comes from.

    `name` is that of its page: its number, or all of its name where it has none or shares it.

    >>> lesson = Notebook("lessons", Path("lessons/03_the_graph.ipynb"), "03")
    >>> lesson.page, lesson.live
    ('lessons/03.html', 'live/notebooks/index.html?path=lessons/03_the_graph.ipynb')
    """

    room: Literal["lessons", "exercises"]
    path: Path
    name: str

    @property
    def page(self) -> str:
        """The address of its page, below the site."""
        return f"{self.room}/{self.name}.html"

    @property
    def live(self) -> str:
        """Where it runs, below the site: JupyterLite's Notebook app, opened at it."""
        return f"live/notebooks/index.html?path={self.room}/{quote(self.path.name)}"


def _notebooks(room: Literal["lessons", "exercises"], folder: Path) -> Iterator[Notebook]:
    paths = sorted(folder.glob("*.ipynb"))
    numbers = Counter(path.stem.partition("_")[0] for path in paths)
    for path in paths:
        number = path.stem.partition("_")[0]
        yield Notebook(room, path, number if number.isdecimal() and numbers[number] == 1 else path.stem)


def build(site: Site, output: Path, pyodide: Sequence[Path] = (), tell: Tell = print) -> None:
    """Write the whole site to the folder `output`, which is new, empty, or was made by this command before.

    pyodide: folders with Pyodide's runtime and wheels, to be put into the site; none: readers load them from its public address.
    tell: is called with a line for each step. Raises `UserError`; `output` is then as it was.
    """
    from . import live, pages

    output = Path(os.path.abspath(output.expanduser()))
    if output.exists() and not ((output / MARK).is_file() or (output.is_dir() and not any(output.iterdir()))):
        raise UserError(f"{output} exists and is no site that this command has made; name a new folder.")
    runtime = live.prepare(pyodide, tell) if site.is_live else None
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    except OSError as problem:
        raise UserError(f"{output} cannot be written ({problem.strerror}); name another folder.") from problem
    try:
        (made / MARK).write_text("Made by autograd-teach site, which may replace this folder.\n", encoding="utf-8")
        (made / ".nojekyll").touch()  # GitHub Pages would leave out what begins with an underscore
        pages.write(site, made, tell)
        if runtime:
            live.write(site, made, runtime, tell)
        made.chmod(0o755)
        if output.exists():
            shutil.rmtree(output)
        made.rename(output)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    tell(f"The site is in {output}. To look at it: python -m http.server --directory {output}")
