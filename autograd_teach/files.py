"""Write files safely: completely or not at all, and over another file only if that is meant.

Standard library only; used by viz, course and grading, and by `torch.save`.
"""

import contextlib
import csv
import io
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path


def replace(path: Path, data: bytes) -> None:
    """Replace a file atomically: `path` is always the complete old or new file. OSError keeps the old one."""
    temporary = write_beside(path, data)
    try:
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Lock `folder` against other processes that lock it, for example to read a file there and write it again.

    Leaves no file behind. Without support for locks (Windows, a browser, some network drives) it
    has no effect.
    """
    with contextlib.ExitStack() as held:
        # In a browser, `fcntl` is an empty module or missing.
        with contextlib.suppress(ImportError, AttributeError, OSError):
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            held.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def add(path: Path, data: bytes) -> bool:
    """Create the file completely or not at all. Returns False, and changes nothing, if `path` exists."""
    if os.path.lexists(path):
        return False
    temporary = write_beside(path, data)
    try:
        # A hard link fails if the name was taken in the meantime; a rename would overwrite that
        # file.
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            return False
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def as_csv(rows: Iterable[Iterable[object]]) -> str:
    """The text of a CSV file. `plain.cell` protects cells that a spreadsheet might compute.

    >>> as_csv([["a", 1], ["b, c", 2]])
    'a,1\\r\\n"b, c",2\\r\\n'
    """
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


def write_beside(path: Path, data: bytes) -> Path:
    """Write `data` to a temporary file in the folder of `path`, flushed to disk. Leaves no file if that fails."""
    # A random name, not one derived from the file's name, which may already be as long as the
    # system allows.
    handle, name = tempfile.mkstemp(prefix=".autograd-teach-", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp makes files that only their owner can read
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary
