"""The definition of a site, and its build.

A build is complete or changes nothing, and it does not overwrite other files (`placing.py`).
"""

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
    """The name and the sources of a site. `lessons` and `exercises` are folders of notebooks."""

    name: str
    base_url: str
    repository: str
    lessons: Path
    exercises: Path
    is_live: bool = True

    @property
    def notebooks(self) -> tuple[Notebook, ...]:
        """All notebooks of the site: lessons with the glossary, then exercises, sorted by name."""
        return (*_notebooks("lessons", self.lessons), *_notebooks("exercises", self.exercises))

    @property
    def is_as_installed(self) -> bool:
        """Whether its notebooks are those of the installed course."""
        return _is_installed("lessons", self.lessons) and _is_installed("exercises", self.exercises)

    def in_repository(self, notebook: Notebook) -> str:
        """The notebook's path in the repository on GitHub; empty if it is not there.

        The Git checkout around the notebook is assumed to be a clone of the repository. Notebooks
        of an installation come from the repository's folders `lessons` and `exercises`.
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
    """A lesson, the glossary or a notebook with exercises, and its addresses on the site.

    `name`: the name of its page. It is the notebook's number, or its whole name if it does not have
    a number or another notebook has the same one.

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
        """The address where it runs, below the site: JupyterLite's app with this notebook."""
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
    """Write the whole site to a folder.

    output: a new or an empty folder, or a folder that this command made before. There, only the
    files of the last build are replaced or deleted; other files do not change.
    pyodide: folders with Pyodide's runtime and wheels, which become part of the site. Without them,
    readers' browsers load Pyodide from its public address.
    tell: called with a line for each step.

    Raises UserError. `output` has not changed then, unless the error says otherwise.
    """
    from . import live, pages

    output = Path(os.path.realpath(output.expanduser()))
    if output.exists() and not (is_site(output) or (output.is_dir() and not any(output.iterdir()))):
        raise UserError(f"{output} exists and is not a site that this command made; name a new folder.")
    _hold_no_solution(site)
    for several in _of_one_number(site):
        tell(f"note: {several} have the same number, so their pages have their whole names as addresses.")
    runtime = live.prepare(pyodide, tell) if site.is_live else None
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=beside(output)))
    except OSError as problem:
        raise UserError(f"{output} cannot be written ({problem.strerror}); name another folder.") from problem
    try:
        (made / ".nojekyll").touch()  # without it, GitHub Pages leaves out files that begin with an underscore
        pages.write(site, made, tell)
        if runtime:
            live.write(site, made, runtime, tell)
        put(made, output)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    tell(f"The site is in {output}. To view it: python -m http.server --directory {output}")


def _hold_no_solution(site: Site) -> None:
    """Raise UserError if a file that the site would publish contains a solution."""
    for room, folder in (("exercises", site.exercises), ("lessons", site.lessons)):
        for name, path in files_below(folder):
            if _SOLUTION.search(path.read_bytes()):
                mend = (
                    f"make the students' notebooks (autograd-teach release --solutions {folder} --exercises NEW_FOLDER), and name that folder"
                    if room == "exercises"
                    else "remove them, or name another folder"
                )
                raise UserError(
                    f"{folder / name} contains solutions, which the site would publish; {mend} with --{room}."
                )


def _of_one_number(site: Site) -> list[str]:
    """For each number that several notebooks of a folder have: their names, as text."""
    of: dict[tuple[str, str], list[str]] = {}
    for each in site.notebooks:
        number = each.path.stem.partition("_")[0]
        if number.isdecimal():
            of.setdefault((each.room, number), []).append(each.path.name)
    return [" and ".join(names) for names in of.values() if len(names) > 1]
