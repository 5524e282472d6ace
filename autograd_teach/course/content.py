"""Where the course's own notebooks lie: inside the package in an installed wheel, beside it in a checkout.

Knows the two layouts and nothing about what the notebooks hold.
"""

import filecmp
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
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    if room == "solutions":
        raise UserError(
            "The solutions do not come with the installed package; run `pip install -e .` in a copy of the repository, "
            "or name their folder with --solutions FOLDER."
        )
    raise UserError(
        f"This installation of autograd-teach has no {room}; install it again from a complete copy of the repository."
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
