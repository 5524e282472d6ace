"""Files as they are handed in: folders, zips and zips in zips, as a list of entries. Unpacks nothing to disk, follows no link.

What a file can be besides (damaged, huge, a link, a zip bomb) ends in an entry's `fault` or in `Unreadable`, in bounded time and
memory. Names are shortened before anything else is done with them. Must not know notebooks or students.
"""

import io
import os
import stat
import struct
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ...course.errors import UserError

LARGEST_ZIP = 50_000_000  # bytes of a zip that is handed in, not of the one that holds the class

MOST_FILES, MOST_ZIPS, DEEPEST_ZIP = 5_000, 20, 3
"""In one zip that is handed in: files and zips, those in inner zips too, and how deep one may lie in another. Opening all of
them reads at most 1 GB, a few seconds; the bytes of as many as may lie in each other are kept."""

LONGEST_LIST, LONGEST_OF_CLASS = 2_000_000, 50_000_000
"""Bytes of the lists of files in all zips of one hand-in, and in the zip that holds the class."""

LONGEST_NAME = 200  # letters of a path that are shown
DEEPEST_FOLDER = 10

_READS = 5
"""How often a file is read that changes meanwhile: an upload, or an editor that saves."""

_NO_DETOUR = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK"))  # it may be a link or a pipe by now

_NOTEBOOKS = (".ipynb", ".ipynb.txt", ".ipynb.json")  # the second and third are how some browsers and mails save one
_NOT_SUBMITTED = {"__MACOSX", "__pycache__"}
_END = 2048  # letters at the beginning of a path in a zip, and at its end, that are looked at
_WORLD_TIME = 0x5455  # the zip format's "extended timestamp"
_NO_TIME = datetime(1980, 1, 2).timestamp()  # what a zip says that knows no time

LINK = "it is a symbolic link, which is not followed: hand in the file itself"
_TOO_DEEP = (
    f"it is a zip too deep in other zips to be opened ({DEEPEST_ZIP} in each other), or one of more than {MOST_ZIPS}: "
    "unpack the outer one"
)


class Unreadable(Exception):
    """A file is not one that answers can be taken from; the message says why, `size` how much was read."""

    def __init__(self, why: str, size: int = 0) -> None:
        super().__init__(why)
        self.size = size


@dataclass(frozen=True)
class Entry:
    """A file or folder as found, its bytes not yet read."""

    parts: tuple[str, ...]
    is_folder: bool
    modified: tuple[float, ...] = ()
    read: Callable[[int], bytes] = bytes
    """(most) -> the file's bytes, but no more than one over `most`, which tells that there are too many."""
    fault: str = ""  # why a link, or a zip that is damaged, is not looked into
    was_zip: bool = False  # a folder that is a zip among what was found

    @property
    def is_notebook(self) -> bool:
        return not self.is_folder and self.parts[-1].lower().endswith(_NOTEBOOKS)

    @property
    def is_zip(self) -> bool:
        return not self.is_folder and self.parts[-1].lower().endswith(".zip")

    @property
    def stem(self) -> str:
        return PurePosixPath(self.parts[-1]).stem.removesuffix(".ipynb")

    @property
    def came(self) -> datetime | None:
        """When it came: by the class's zip or folder, since what is in a student's own zip says what the student likes."""
        if not self.modified or self.modified[0] < _NO_TIME:
            return None
        try:
            return datetime.fromtimestamp(self.modified[0]).replace(microsecond=0)
        except (ValueError, OverflowError, OSError):  # a file may say that it is of the year 60,000
            return None


@contextmanager
def opened(path: Path) -> Iterator[list[Entry]]:
    """All that lies in `path`, a folder or a zip, and in zips among it; a `UserError` where it cannot be read."""
    if path.is_dir():
        if not os.access(path, os.R_OK | os.X_OK):
            raise UserError(f"{path} cannot be read; check its permissions.")
        yield _with_zips(_entries_of_folder(path, ()))
    elif not path.exists():
        raise UserError(f"There is no {path}; name the folder or zip that holds the submissions.")
    elif zipfile.is_zipfile(path) or path.suffix.lower() == ".zip":
        try:
            with path.open("rb") as file:
                if _length_of_list(file) > LONGEST_OF_CLASS:
                    raise UserError(f"{path} lists more files than can be read; unpack it and name the folder.")
            archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError) as problem:
            raise UserError(f"{path} is damaged, or was not downloaded to its end; download it again.") from problem
        with archive:
            yield _with_zips(_entries_of_zip(archive, lambda: archive))
    else:
        raise UserError(f"{path} is neither a folder nor a zip; name the folder or zip that holds the submissions.")


def printable(name: str, longest: int = LONGEST_NAME) -> str:
    """`name` fit for a terminal and a file: one form of accents, nothing that a terminal would obey.

    >>> printable("\\x1b[2Jeve"), printable("abcdef", 3)
    ('?[2Jeve', 'ab…')
    """
    # Shortened first: a run of n combining marks takes n * n steps to be put in order.
    short = unicodedata.normalize("NFC", name[: 2 * longest])
    if len(short) > longest or len(name) > 2 * longest:
        short = short[: longest - 1] + "…"
    return "".join(letter if letter.isprintable() else "?" for letter in short).strip() or "?"


def _entries_of_folder(folder: Path, above: tuple[str, ...]) -> Iterator[Entry]:
    try:
        with os.scandir(folder) as listing:
            children = list(listing)
    except OSError:
        return  # one student's locked folder: that student has handed in nothing that can be read
    for child in children:
        parts = (*above, child.name)
        if not _is_wanted(parts):
            continue
        try:
            is_link, is_folder = child.is_symlink(), child.is_dir(follow_symlinks=False)
            is_file = child.is_file(follow_symlinks=False)
            modified = child.stat(follow_symlinks=False).st_mtime
        except OSError:
            continue  # it has just been taken away
        if is_link:
            yield Entry(parts, is_folder=False, fault=LINK)
        elif is_folder:
            yield Entry(parts, is_folder=True)
            if len(parts) < DEEPEST_FOLDER:
                yield from _entries_of_folder(Path(child.path), parts)
        elif is_file:
            yield Entry(parts, False, (modified,), _file_reader(Path(child.path)))


def _file_reader(path: Path) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        try:
            for _ in range(_READS):
                with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _NO_DETOUR)) as file:
                    before = os.fstat(file.fileno())
                    data = _read_all(file, most)
                    after = os.fstat(file.fileno())
                if (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size):
                    return data
        except OSError as problem:
            raise Unreadable(f"it cannot be read: {problem.strerror}") from problem
        raise Unreadable("it changed while it was read, again and again: grade when it is complete")

    return read


def _read_all(file: BinaryIO, most: int) -> bytes:
    return file.read(most + 1)


@dataclass
class _Room:
    """What may still be opened of one zip that is handed in."""

    files: int = MOST_FILES
    zips: int = MOST_ZIPS
    lists: int = LONGEST_LIST


def _with_zips(found: Iterable[Entry]) -> list[Entry]:
    """`found` with what is in the zips among it; keeps the last few zips alone, since files are read in order."""

    @lru_cache(DEEPEST_ZIP)
    def archive_of(entry: Entry, longest: int) -> tuple[zipfile.ZipFile, int]:
        """The zip, and how long its list of files is: no list that is longer than `longest` is parsed."""
        data = entry.read(LARGEST_ZIP)
        if len(data) > LARGEST_ZIP:
            raise Unreadable(f"it is larger than {LARGEST_ZIP // 1_000_000} MB")
        try:
            if (length := _length_of_list(io.BytesIO(data))) <= longest:
                return zipfile.ZipFile(io.BytesIO(data)), length
        except Exception as problem:  # a damaged directory has several kinds of error
            raise Unreadable("it is a damaged zip") from problem
        raise Unreadable(f"its list of files is larger than {LONGEST_LIST // 1_000_000} MB")

    def unpacked(entry: Entry, room: _Room, above: int = 0) -> Iterator[Entry]:
        """`entry` itself or, where it is a zip, a folder of its name and what is in it."""
        if not entry.is_zip or entry.fault:
            yield entry
            return
        room.zips -= 1
        try:
            if above == DEEPEST_ZIP or room.zips < 0:
                raise Unreadable(_TOO_DEEP)
            archive, length = archive_of(entry, longest := room.lists)
            room.lists -= length
            room.files -= len(archive.infolist())
            if room.files < 0:
                raise Unreadable(f"it holds more than {MOST_FILES} files")
            inside = list(_entries_of_zip(archive, lambda: archive_of(entry, longest)[0]))
        except Unreadable as problem:
            yield replace(entry, fault=str(problem))
            return
        yield Entry(entry.parts, is_folder=True, was_zip=True)
        for one in inside:
            whole = replace(one, parts=(*entry.parts, *one.parts), modified=entry.modified + one.modified)
            if _is_wanted(whole.parts):
                yield from unpacked(whole, room, above + 1)

    return [inside for entry in found if _is_wanted(entry.parts) for inside in unpacked(entry, _Room())]


def _length_of_list(file: io.BufferedIOBase) -> int:
    """Bytes of a zip's list of files, by the function `ZipFile` finds it with: another could be shown another list."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]
    return int(end[zipfile._ECD_SIZE]) if end else 0  # type: ignore[attr-defined]


def _entries_of_zip(archive: zipfile.ZipFile, again: Callable[[], zipfile.ZipFile]) -> Iterator[Entry]:
    """What is in `archive`, to be read later from what `again` gives."""
    for info in archive.infolist():
        name = (info.filename[:_END] + info.filename[_END:][-_END:]).replace("\\", "/")
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        is_link = stat.S_ISLNK(info.external_attr >> 16)
        if 0 < len(parts) <= DEEPEST_FOLDER and not is_link and not name.startswith("/") and ".." not in parts:
            yield Entry(parts, info.is_dir(), (_modified(info),), _zip_reader(again, info))


def _modified(info: zipfile.ZipInfo) -> float:
    """The file's time in seconds since 1970: by the clock of the world where the zip has that, else taken as local time."""
    extra, at = info.extra, 0
    while len(extra) >= at + 4:
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == _WORLD_TIME and size >= 5 and len(extra) >= at + 9 and extra[at + 4] & 1:
            return float(struct.unpack_from("<i", extra, at + 5)[0])
        at += 4 + size
    try:
        return datetime(*info.date_time).timestamp()
    except (ValueError, OverflowError, OSError):  # the parts may be nonsense, which a calendar refuses
        return 0.0


def _zip_reader(again: Callable[[], zipfile.ZipFile], info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        data = bytearray()
        try:
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # 1 kB of others: 2 GB
                raise NotImplementedError
            with again().open(info) as file:  # what is read, not what the header claims
                while chunk := file.read(min(65_536, most + 1 - len(data))):
                    data += chunk
        except (RuntimeError, NotImplementedError) as problem:
            raise Unreadable("it is encrypted or packed in a way that is not supported") from problem
        except Exception as problem:  # damage has several kinds of error
            raise Unreadable("it is damaged inside the zip", len(data)) from problem
        return bytes(data)

    return read


def _is_wanted(parts: tuple[str, ...]) -> bool:
    return not any(part.startswith(".") or part in _NOT_SUBMITTED for part in parts)
