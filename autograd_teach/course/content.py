"""Where the course's own notebooks lie: inside the package in an installed wheel, beside it in a checkout.

Knows the two layouts and nothing about what the notebooks hold.
"""

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
            "The solutions do not come with the installed package; "
            "run the command in a copy of the repository, or name their folder with --solutions FOLDER."
        )
    raise UserError(
        f"This installation of autograd-teach has no {room}; install it again from a complete copy of the repository."
    )
