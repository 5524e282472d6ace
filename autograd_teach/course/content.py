"""Where the course's own notebooks lie: inside the package in an installed wheel, beside it in a checkout.

In a browser the package carries none: the reader's own copies lie beside the notebook that runs. Knows these three layouts and
nothing about what the notebooks hold.
"""

import filecmp
import sys
from pathlib import Path
from typing import Literal

from .errors import UserError

Room = Literal["lessons", "exercises", "solutions"]

_PACKAGE = Path(__file__).resolve().parents[1]


def folder(room: Room) -> Path:
    """The folder that holds the course's `room`; a `UserError` where this installation has none.

    Solutions are never in the wheel, so an installed package has no room "solutions".

    >>> folder("lessons").name
    'lessons'
    """
    candidates = [_PACKAGE / "_course" / room]
    # Beside an installed package lie other people's packages, one of them perhaps called "lessons".
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
    """The course's lessons, in order."""
    paths = sorted(folder("lessons").glob("[0-9][0-9]_*.ipynb"))
    if sys.platform == "emscripten":
        # Among a reader's notebooks may be copies and some of their own. Every lesson of the course has its questions.
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
        f"The course's {room} are not beside this notebook, and this is read from them: run it in a notebook that lies "
        f"in the folder lessons or exercises, as the site opens them."
    )


def without_effect(room: Path) -> str:
    """A sentence if the repository of the folder `room` declares its exercises otherwise than the course that runs.

    So it is when a copy was installed (`pip install .`) and the declarations were edited after that. Else empty.
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
