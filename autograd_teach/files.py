"""Writing files so that nothing is ever lost: whole or not at all, and over another file only where that is meant.

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
    """Write `path` so that at every moment it is either the old file or the new one, whole; OSError leaves the old one."""
    temporary = write_beside(path, data)
    try:
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One at a time of all processes that ask for `folder`: for who reads a file there and writes it again with something more.

    Nothing is left behind. Where the system has no such lock (Windows, a browser, some network drives), nobody waits.
    """
    with contextlib.ExitStack() as held:
        # In a browser, `fcntl` is an empty module or there is none.
        with contextlib.suppress(ImportError, AttributeError, OSError):
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            held.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def add(path: Path, data: bytes) -> bool:
    """Create `path` whole or not at all; False, and nothing touched, where something of that name exists."""
    if os.path.lexists(path):
        return False
    temporary = write_beside(path, data)
    try:
        # A hard link fails where the name has been taken meanwhile; a rename would overwrite.
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
    """The text of a CSV file. What a spreadsheet might compute is for `plain.cell` to prevent.

    >>> as_csv([["a", 1], ["b, c", 2]])
    'a,1\\r\\n"b, c",2\\r\\n'
    """
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


def write_beside(path: Path, data: bytes) -> Path:
    """A temporary file in `path`'s folder that holds `data`, on disk; none is left where that fails."""
    # Not made of the file's name, which may be as long as a system allows.
    handle, name = tempfile.mkstemp(prefix=".autograd-teach-", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp makes files that only their owner may read
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary
