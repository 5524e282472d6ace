"""Files beside notebooks that Python imports in place of an installed module: a notebook's own folder comes first.

Decides by names only, and imports nothing. Standard library only.
"""

import os
import sys
from collections.abc import Collection, Iterable
from importlib.machinery import PathFinder, all_suffixes
from pathlib import Path, PurePosixPath

ROOMS = (".", "lessons", "exercises")
"""The folders of a course that hold notebooks."""


def hiding(names: Iterable[str], folders: Collection[str] = ROOMS) -> list[str]:
    """The files and packages among `names` that hide an installed module from the notebooks in `folders`.

    names, folders: paths relative to the same folder, with `/`. A package is named by its folder.

    >>> hiding(["lessons/random.py", "exercises/json/__init__.py", "exercises/helpers.py", "data/random.py", "torch.py"])
    ['lessons/random.py', 'exercises/json', 'torch.py']
    """
    found: dict[str, None] = {}
    for path in map(PurePosixPath, names):
        module = next((path.name.removesuffix(end) for end in all_suffixes() if path.name.endswith(end)), "")
        entry, module = (path.parent, path.parent.name) if module == "__init__" else (path, module)
        if str(entry.parent) in folders and _is_installed(module):
            found[str(entry)] = None
    return list(found)


def hiding_in(folder: Path, rooms: Collection[str] = ROOMS) -> list[str]:
    """The files and packages in `folder` that hide an installed module from the notebooks in its `rooms`."""
    places = [folder / room for room in rooms]
    found = [path for place in places for path in (*place.glob("*.*"), *place.glob("*/__init__.*"))]
    return hiding(sorted(path.relative_to(folder).as_posix() for path in found), rooms)


def _is_installed(module: str) -> bool:
    """Whether Python finds this module without the folder in which the command runs; PyTorch may be installed later."""
    if module in sys.stdlib_module_names or module in (__name__.partition(".")[0], "torch"):
        return True
    elsewhere = [place for place in sys.path if place and os.path.realpath(place) != os.path.realpath(os.curdir)]
    spec = PathFinder.find_spec(module, elsewhere) if module.isidentifier() else None
    return spec is not None and spec.loader is not None  # without a loader it is only a folder of that name
