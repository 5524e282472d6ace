"""Replace the last build of a site by a new one; files of others do not change.

A folder with a site lists the files of its last build (`MARK`); only these are replaced or deleted.
A new site is built beside the folder first, so a failed build changes nothing. Then the files are
moved one by one, pages after the files that they load. If that is interrupted, the folder contains
old and new files, all of them listed, and the next build completes the site. This module does not
look into the files.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

from ..course.errors import UserError

MARK = ".autograd-teach-site"
"""The file in a site's folder that lists what `autograd-teach site` wrote there."""

_LAST = (".html", ".json")
"""Files that refer to other files of the site; they are moved last."""


def is_site(folder: Path) -> bool:
    """Whether a build made this folder."""
    return (folder / MARK).is_file()


def put(made: Path, output: Path) -> None:
    """Move the site from the folder `made` to `output` on the same disk, and list its files there.

    In `output`, only files that the last build listed are replaced or deleted. Raises UserError if
    another file is in the place of a file of the site; nothing is changed then.
    """
    new = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    if not output.exists():
        _write_list(made, new)
        made.chmod(0o755)
        made.rename(output)
        return
    old = _listed(output)
    if foreign := _in_the_way(output, new, old):
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        raise UserError(
            f"In {output}, the build would overwrite {', '.join(foreign[:3])}{more}, which the last build did not write; "
            "move that away, or name a new folder."
        )
    try:
        _write_list(
            output, old | new
        )  # first, so that the next build knows the site's files even if this one is interrupted
        for name in sorted(new, key=lambda name: (name.endswith(_LAST), name)):
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).replace(output / name)
        for name in sorted(old - new):
            _delete(output, name)
        _write_list(output, new)
    except OSError as problem:
        raise UserError(
            f"{problem.filename or output} could not be replaced ({problem.strerror}); {output} may be a mixture of the "
            "old and the new site: make sure that its files can be written, and build it again."
        ) from problem


def beside(output: Path) -> Path:
    """A folder on the same disk as `output`: its parent, or `output` itself if it is mounted."""
    is_mounted = output.is_dir() and output.stat().st_dev != output.parent.stat().st_dev
    return output if is_mounted else output.parent


def _write_list(folder: Path, names: set[str]) -> None:
    listed = {"made by": "autograd-teach site, which replaces or deletes these files", "files": sorted(names)}
    new = folder / f"{MARK}.new"
    new.write_text(json.dumps(listed, indent=0) + "\n", encoding="utf-8")
    new.replace(folder / MARK)


def _listed(output: Path) -> set[str]:
    """The files that the last build wrote; empty if the list cannot be read.

    Paths outside the folder are ignored.
    """
    try:
        names = [str(name) for name in json.loads((output / MARK).read_bytes())["files"]]
    except (OSError, ValueError, TypeError, KeyError):
        return set()
    inside = (name for name in names if (output / name).is_relative_to(output) and ".." not in Path(name).parts)
    # Through a symbolic link, files of another folder would be replaced and deleted.
    return {name for name in inside if not _blocked(output, name)}


def _blocked(output: Path, name: str) -> str:
    """The part of the path `name` that is a file or a symbolic link, not a folder of `output`.

    Empty if there is none.
    """
    parents = [output / parent for parent in reversed(PurePosixPath(name).parents[:-1])]
    wrong = (each for each in parents if each.is_symlink() or (each.exists() and not each.is_dir()))
    return next((each.relative_to(output).as_posix() for each in wrong), "")


def _in_the_way(output: Path, new: set[str], old: set[str]) -> list[str]:
    """The files in the places of new files that do not belong to the site."""
    found = set()
    for name in new:
        place = output / name
        if blocked := _blocked(output, name):
            found.add(blocked)
        elif (name not in old and (place.exists() or place.is_symlink())) or _is_folder(place):
            found.add(name)
    return sorted(found)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _delete(output: Path, name: str) -> None:
    """Delete a file of an older build, and folders that become empty."""
    place = output / name
    if _is_folder(place):  # replaced by something else since
        return
    place.unlink(missing_ok=True)
    for parent in place.parents:
        if parent == output or not parent.is_dir() or any(parent.iterdir()):
            break
        parent.rmdir()
