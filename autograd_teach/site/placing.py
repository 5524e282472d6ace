"""Puts a site that has been built in the place of the last one, and touches nothing that the last build did not write.

A folder with a site lists the files of the build that made it (`MARK`), and a rebuild replaces or deletes these alone. All is
built beside the folder first, so a build that fails changes nothing. Then file after file is moved to its place, pages
after what they load. Where that is interrupted, old and new files stand side by side, all of them listed: the next build
makes the site whole. Knows nothing of what is in the files.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

from ..course.errors import UserError

MARK = ".autograd-teach-site"
"""In a folder that `autograd-teach site` has made: the list of what it wrote there."""

_LAST = (".html", ".json")
"""What names other files of the site, and is moved to its place after them."""


def is_site(folder: Path) -> bool:
    """Whether a build has made this folder."""
    return (folder / MARK).is_file()


def put(made: Path, output: Path) -> None:
    """Make `output` the site that was built in the folder `made`, which lies on the same disk, and list its files there.

    Of what is in `output`, only files that the last build listed are replaced or deleted. A `UserError` names what else stands
    where a file of the site has to be; nothing is changed then.
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
            f"In {output}, {', '.join(foreign[:3])}{more} would be overwritten, and the last build did not write that; "
            "move it away, or name a new folder."
        )
    try:
        _write_list(output, old | new)  # first: whatever happens next, the next build knows what is the site's
        for name in sorted(new, key=lambda name: (name.endswith(_LAST), name)):
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).replace(output / name)
        for name in sorted(old - new):
            _delete(output, name)
        _write_list(output, new)
    except OSError as problem:
        raise UserError(
            f"{problem.filename or output} could not be replaced ({problem.strerror}); {output} may be a mixture of the "
            "old site and the new one: see that its files can be written, and build it again."
        ) from problem


def beside(output: Path) -> Path:
    """A folder on the disk of `output`, from which files can be moved there: the one around it, if that will do."""
    is_mounted = output.is_dir() and output.stat().st_dev != output.parent.stat().st_dev
    return output if is_mounted else output.parent


def _write_list(folder: Path, names: set[str]) -> None:
    listed = {"made by": "autograd-teach site, which replaces or deletes these files", "files": sorted(names)}
    new = folder / f"{MARK}.new"
    new.write_text(json.dumps(listed, indent=0) + "\n", encoding="utf-8")
    new.replace(folder / MARK)


def _listed(output: Path) -> set[str]:
    """What the last build wrote; nothing if that cannot be known. Whatever the list says, only what lies in the folder."""
    try:
        names = [str(name) for name in json.loads((output / MARK).read_bytes())["files"]]
    except (OSError, ValueError, TypeError, KeyError):
        return set()
    inside = (name for name in names if (output / name).is_relative_to(output) and ".." not in Path(name).parts)
    # Through a link, another folder's files would be replaced and deleted.
    return {name for name in inside if not _blocked(output, name)}


def _blocked(output: Path, name: str) -> str:
    """The part of the path `name` that is no folder of `output` itself, but a file or leads elsewhere; empty if there is none."""
    parents = [output / parent for parent in reversed(PurePosixPath(name).parents[:-1])]
    wrong = (each for each in parents if each.is_symlink() or (each.exists() and not each.is_dir()))
    return next((each.relative_to(output).as_posix() for each in wrong), "")


def _in_the_way(output: Path, new: set[str], old: set[str]) -> list[str]:
    """What stands where files of the new site have to be, and is not the site's own."""
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
    """Delete a file of an older build, and the folders that are empty without it."""
    place = output / name
    if _is_folder(place):  # somebody else's by now
        return
    place.unlink(missing_ok=True)
    for parent in place.parents:
        if parent == output or not parent.is_dir() or any(parent.iterdir()):
            break
        parent.rmdir()
