"""What a site is, and building one: whole or not at all, and never over anything that something else has made (`placing.py`)."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from ..course import content
from ..course.errors import UserError
from ..course.lab import files_below
from .placing import beside, is_site, put

_PACKAGE = Path(__file__).resolve().parents[1]
_SOLUTION = re.compile(rb"###\s*(BEGIN|END) SOLUTION", re.IGNORECASE)

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

    @property
    def is_as_installed(self) -> bool:
        """Whether its notebooks are those that everybody gets who installs the course."""
        return _is_installed("lessons", self.lessons) and _is_installed("exercises", self.exercises)

    def in_repository(self, notebook: Notebook) -> str:
        """The notebook's address below its repository on GitHub; empty if there is none, or the notebook is not in it.

        The checkout in which they lie is taken for the repository's; those of an installation come from its folders `lessons`
        and `exercises`.
        """
        if not self.repository:
            return ""
        path = notebook.path.parent.resolve() / notebook.path.name
        checkout = next((each for each in path.parents if (each / ".git").exists()), None)
        is_copied = path.is_relative_to(_PACKAGE / "_course")
        if checkout and not is_copied:
            return quote(path.relative_to(checkout).as_posix())
        return f"{notebook.room}/{quote(path.name)}" if _is_installed(notebook.room, path.parent) else ""


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


def _is_installed(room: Literal["lessons", "exercises"], folder: Path) -> bool:
    installed = content.folder(room)
    return folder.is_dir() and folder.samefile(installed)


def _notebooks(room: Literal["lessons", "exercises"], folder: Path) -> Iterator[Notebook]:
    paths = sorted(folder.glob("*.ipynb"))
    numbers = Counter(path.stem.partition("_")[0] for path in paths)
    for path in paths:
        number = path.stem.partition("_")[0]
        yield Notebook(room, path, number if number.isdecimal() and numbers[number] == 1 else path.stem)


def build(site: Site, output: Path, pyodide: Sequence[Path] = (), tell: Tell = print) -> None:
    """Write the whole site to the folder `output`, which is new, empty, or was made by this command before.

    In the last case, only what the last build wrote there is replaced or deleted; all else stays as it is.
    pyodide: folders with Pyodide's runtime and wheels, to be put into the site; none: readers load them from its public address.
    tell: is called with a line for each step. Raises `UserError`; `output` is then as it was, unless the error says otherwise.
    """
    from . import live, pages

    output = Path(os.path.realpath(output.expanduser()))
    if output.exists() and not (is_site(output) or (output.is_dir() and not any(output.iterdir()))):
        raise UserError(f"{output} exists and is no site that this command has made; name a new folder.")
    _hold_no_solution(site)
    for several in _of_one_number(site):
        tell(f"note: {several} have one number; each of their pages is called by its whole name.")
    runtime = live.prepare(pyodide, tell) if site.is_live else None
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=beside(output)))
    except OSError as problem:
        raise UserError(f"{output} cannot be written ({problem.strerror}); name another folder.") from problem
    try:
        (made / ".nojekyll").touch()  # GitHub Pages would leave out what begins with an underscore
        pages.write(site, made, tell)
        if runtime:
            live.write(site, made, runtime, tell)
        put(made, output)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    tell(f"The site is in {output}. To look at it: python -m http.server --directory {output}")


def _hold_no_solution(site: Site) -> None:
    """A `UserError` where a file that the site would show has a solution's mark."""
    for room, folder in (("exercises", site.exercises), ("lessons", site.lessons)):
        for name, path in files_below(folder):
            if _SOLUTION.search(path.read_bytes()):
                mend = (
                    f"make what students get (autograd-teach release --solutions {folder} --exercises NEW_FOLDER), and name that folder"
                    if room == "exercises"
                    else "take them out, or name another folder"
                )
                raise UserError(
                    f"{folder / name} holds solutions, and a site shows all that it is made of; {mend} with --{room}."
                )


def _of_one_number(site: Site) -> list[str]:
    """The notebooks of a room that begin with the same number, in words."""
    of: dict[tuple[str, str], list[str]] = {}
    for each in site.notebooks:
        number = each.path.stem.partition("_")[0]
        if number.isdecimal():
            of.setdefault((each.room, number), []).append(each.path.name)
    return [" and ".join(names) for names in of.values() if len(names) > 1]
