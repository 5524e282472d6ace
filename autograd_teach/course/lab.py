"""Opens the course: copies lessons and exercises into the student's folder and starts JupyterLab there, at the home page.

`deliver` copies and does not know Jupyter. `open_lab` starts JupyterLab in the same process, so that Ctrl-C, signals and
the exit status are JupyterLab's own. The rule of this file: a student's file is never overwritten.
"""

import errno
import hashlib
import importlib.util
import json
import os
import socket
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import files
from . import content, home
from .errors import UserError
from .read_json import read_json

DEFAULT_FOLDER = Path("autograd-course")
FIRST_PAGE = "lessons/00_start_here.ipynb"
"""The page that opens if the home page cannot be made."""
MANIFEST = ".autograd-teach.json"
"""The file in the student's folder that lists what was delivered: {path: SHA-256 at delivery}, and under "cells" a hash of
each cell of each notebook. From these `autograd-teach update` knows who changed a cell."""


@dataclass
class Delivery:
    """What `deliver` did, as paths relative to the student's folder."""

    folder: Path
    added: list[str] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    is_unrecorded: bool = False
    """Whether a course file that was there is not in the record of what was delivered: it is lost, damaged or incomplete."""

    def __str__(self) -> str:
        """A line about the folder, and one about files that were kept although the course has a newer version."""
        news = [f"{len(self.added)} files added"] * bool(self.added)
        news += [f"{len(self.refreshed)} brought up to date"] * bool(self.refreshed)
        lines = [f"Your course is in {self.folder} ({', '.join(news) or 'nothing to add'})."]
        if self.kept:
            lines.append(
                f"Kept as you left them, though the course has other versions: {', '.join(self.kept)}. "
                "To get the course's version and keep what you wrote: autograd-teach update."
            )
        return "\n".join(lines)


def deliver(folder: Path) -> Delivery:
    """Copy the lessons and exercises of the course into `folder`, which is created if necessary.

    A missing file is added. An existing file is replaced only if it is still, byte for byte, what an earlier run
    delivered (the manifest holds the hashes); otherwise it is the student's and stays.

    Raises:
        UserError: `folder`, or a folder of the course inside it, is a file or cannot be written.
    """
    folder = Path(os.path.abspath(folder.expanduser()))
    delivery = Delivery(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        delivered, cells = read_manifest(folder)
        for name, source in course_files():
            new = as_delivered(source)
            was_noted = name in delivered
            _deliver_file(name, new, delivery, delivered)
            if delivered.get(name) == _hash(new) and (name not in delivery.kept):
                note_as_delivered(name, new, delivered, cells)
            delivery.is_unrecorded |= not was_noted and name not in delivery.added
        write_manifest(folder, delivered, cells)
    except (FileExistsError, NotADirectoryError) as error:
        raise UserError(
            f"{error.filename or folder} is a file, but the course needs a folder of that name; "
            "rename it, or choose another folder: autograd-teach lab FOLDER."
        ) from error
    except OSError as error:
        raise UserError(
            f"The course cannot be written to {folder} ({error.strerror or error}); "
            "choose another folder: autograd-teach lab FOLDER."
        ) from error
    return delivery


def course_files() -> Iterator[tuple[str, Path]]:
    """Every file that a student gets, after its path in the student's folder."""
    for room in ("lessons", "exercises"):
        for name, path in files_below(content.folder(room)):
            yield f"{room}/{name}", path


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file that a student gets from one room of the course, after its path in that room."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in parts):
            yield "/".join(parts), path


def as_delivered(source: Path) -> bytes:
    """A course file as a student gets it: notebooks lose their outputs, which would give away the predictions."""
    data = source.read_bytes()
    if source.suffix != ".ipynb":
        return data
    try:
        notebook = json.loads(data)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell.update(outputs=[], execution_count=None)
    except (ValueError, TypeError, KeyError):
        return data
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _deliver_file(name: str, new: bytes, delivery: Delivery, delivered: dict[str, str]) -> None:
    """Add, replace or keep the file `name`, and note in `delivery` which."""
    target = delivery.folder / name
    new_hash = _hash(new)
    target.parent.mkdir(parents=True, exist_ok=True)
    if files.add(target, new):
        delivery.added.append(name)
    else:
        now = _hash(target.read_bytes()) if target.is_file() and not target.is_symlink() else None
        if now == new_hash:
            pass
        elif now is not None and now == delivered.get(name):
            files.replace(target, new)
            delivery.refreshed.append(name)
        else:
            if delivered.get(name) != new_hash:
                delivery.kept.append(name)
            return
    delivered[name] = new_hash


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


Cells = dict[str, dict[str, str]]
"""File -> cell id -> `cell_hash` when it was delivered."""


def cell_hash(source: str | list[str]) -> str:
    """A hash of a cell's text, without the whitespace at its end."""
    return _hash("".join(source).rstrip().encode())[:24]


def note_as_delivered(name: str, new: bytes, delivered: dict[str, str], cells: Cells) -> None:
    """Note that the student's file `name` is this version, or was merged with it."""
    delivered[name] = _hash(new)
    try:
        cells[name] = {cell["id"]: cell_hash(cell["source"]) for cell in json.loads(new)["cells"]}
    except (ValueError, KeyError, TypeError):  # no notebook
        cells.pop(name, None)


def read_manifest(folder: Path) -> tuple[dict[str, str], Cells]:
    """The hashes of files and of cells that earlier runs noted.

    Empty if the manifest is missing, damaged or cannot be read: then everything that differs counts as the student's.
    """
    try:
        noted = read_json((folder / MANIFEST).read_bytes())
        cells = noted.pop("cells", {})
        hashes = [*noted.values(), *(each for known in cells.values() for each in known.values())]
    except (OSError, ValueError, TypeError, AttributeError):
        return {}, {}
    return (noted, cells) if all(isinstance(each, str) for each in hashes) else ({}, {})


def write_manifest(folder: Path, delivered: dict[str, str], cells: Cells) -> None:
    """Write what `read_manifest` reads, unless it is already there."""
    if read_manifest(folder) != (delivered, cells):
        noted = delivered | {"cells": cells}
        files.replace(folder / MANIFEST, json.dumps(noted, indent=1, sort_keys=True).encode())


def open_lab(
    folder: Path | None = None,
    *,
    browser: bool = True,
    port: int | None = None,
    arguments: Sequence[str] = (),
) -> int:
    """Deliver the course to `folder` (default: ./autograd-course) and run JupyterLab there until it ends.

    port: the port to use; without it JupyterLab takes 8888 or the next free one. arguments: passed to JupyterLab; they
    override the settings made here. Returns JupyterLab's exit status.

    Raises:
        UserError: JupyterLab is missing, the port is taken, or the folder cannot be used.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        raise UserError(
            f"JupyterLab is not installed in this Python; install it with: {sys.executable} -m pip install jupyterlab"
        )
    if port is not None:
        _require_free(port)
    delivery = deliver(folder or DEFAULT_FOLDER)
    print(delivery, flush=True)
    page = home.PAGE if home.write_page(delivery.folder) else FIRST_PAGE
    _prepare_environment()
    # Only now, because it reads the environment when it is imported.
    from jupyterlab.labapp import main

    main(jupyter_arguments(delivery.folder, browser=browser, port=port, arguments=arguments, page=page))
    return 0


def jupyter_arguments(
    folder: Path,
    *,
    browser: bool,
    port: int | None,
    arguments: Sequence[str],
    page: str = home.PAGE,
) -> list[str]:
    """The command line of JupyterLab: settings that open `page`, without those that `arguments` set, then `arguments`."""
    settings = {
        "--ServerApp.root_dir": str(folder),
        "--LabApp.default_url": f"/lab/tree/{page}",
        # The course does not use the network: no news, no search for updates.
        "--LabApp.news_url": "None",
        "--LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    if port is not None:
        settings["--ServerApp.port"] = str(port)
        settings["--ServerApp.port_retries"] = "0"
    given = {argument.partition("=")[0] for argument in arguments}
    ours = [f"{name}={value}" for name, value in settings.items() if name not in given]
    if not browser:
        ours.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in given:
        ours.append("--allow-root")  # a container's only user is often root
    return [*ours, *arguments]


def _prepare_environment() -> None:
    """Put this Python's kernels, settings and programs first in the environment of JupyterLab.

    Without this, a kernel named python3 or an old widget extension in the user's own Jupyter folders would come before
    those of this environment. JUPYTER_PATH comes before everything
    (https://docs.jupyter.org/en/latest/use/jupyter-directories.html).
    """
    _prepend("JUPYTER_PATH", os.path.join(sys.prefix, "share", "jupyter"))
    _prepend("JUPYTER_CONFIG_PATH", str(Path(__file__).with_name("jupyter")))
    _prepend("PATH", sysconfig.get_path("scripts"))


def _prepend(variable: str, entry: str) -> None:
    os.environ[variable] = os.pathsep.join(filter(None, (entry, os.environ.get(variable))))


def _require_free(port: int) -> None:
    """Raise `UserError` if `port` of 127.0.0.1 cannot be opened."""
    with socket.socket() as trial:
        if os.name == "posix":
            # Like JupyterLab itself: a port whose last connection ended a second ago counts as free.
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError as error:
            why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
            raise UserError(
                f"Port {port} {why}; name another with --port, or leave --port out to let JupyterLab find a free one."
            ) from error
