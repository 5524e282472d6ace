"""Where the notebooks of the course are: inside the package in an installed wheel, beside it in a checkout.

In a browser the package does not hold them: the reader's own copies lie beside the notebook that runs. This module knows
these three layouts and does not read the notebooks.
"""

import filecmp
import sys
from pathlib import Path
from typing import Literal

from .errors import UserError

Room = Literal["lessons", "exercises", "solutions"]

_PACKAGE = Path(__file__).resolve().parents[1]


def folder(room: Room) -> Path:
    """The folder that holds the `room` of the course. Raises `UserError` if this installation does not have it.

    The wheel never holds the solutions.

    >>> folder("lessons").name
    'lessons'
    """
    candidates = [_PACKAGE / "_course" / room]
    # Beside an installed package lie other packages, one of which may be named "lessons".
    if (_PACKAGE.parent / "pyproject.toml").is_file():
        candidates.append(_PACKAGE.parent / room)
    in_browser = sys.platform == "emscripten" and room != "solutions"
    if in_browser:
        candidates.append(_beside_the_notebook() / room)
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    if room == "solutions":
        raise UserError(
            "The solutions do not come with the installed package; run `pip install -e .` in a copy of the repository, "
            "or name their folder with --solutions FOLDER."
        )
    if in_browser:
        raise _nothing_beside(room)
    raise UserError(
        f"This installation of autograd-teach has no {room}; install it again from a complete copy of the repository."
    )


def lessons() -> list[Path]:
    """The paths of the lessons, in order."""
    paths = sorted(folder("lessons").glob("[0-9][0-9]_*.ipynb"))
    if sys.platform == "emscripten":
        # A reader's folder may hold copies and other notebooks. Every lesson of the course has a file of questions.
        known = {path.stem for path in (_PACKAGE / "course" / "questions").glob("*.toml")}
        paths = [path for path in paths if path.stem in known]
        if not paths:
            raise _nothing_beside("lessons")
    return paths


def _beside_the_notebook() -> Path:
    here = Path.cwd()
    return here.parent if here.name in ("lessons", "exercises") else here


def _nothing_beside(room: Room) -> UserError:
    return UserError(
        f"The course's {room} are not beside this notebook, and this cell needs them: run it in a notebook in the "
        f"folder lessons or exercises, as the site opens them."
    )


def without_effect(room: Path) -> str:
    """A sentence if the package in the repository of the folder `room` differs from the one that runs, else "".

    This happens after `pip install .` (without `-e`) if somebody then edits the declarations.
    """
    repository = room.resolve().parent
    written, running = (package / "course" for package in (repository / _PACKAGE.name, _PACKAGE))
    if not written.is_dir() or written.samefile(running):
        return ""
    for path in sorted(written.rglob("*.py")):
        installed = running / path.relative_to(written)
        if not installed.is_file() or not filecmp.cmp(path, installed, shallow=False):
            return (
                f"{path.relative_to(repository)} in {repository} is not what is installed, and has no effect: "
                f"run `pip install -e .` in that folder first."
            )
    return ""
