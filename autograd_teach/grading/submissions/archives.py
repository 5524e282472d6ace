"""Lists the files of folders, zips and zips in zips as entries. Does not unpack anything to disk, and does not follow links.

Other files (damaged, huge, a link, a zip bomb) give an entry's `fault` or raise `Unreadable`, in bounded time and memory.
Names are shortened before anything else is done with them. Zips among the files are opened within a budget (budget.py).
Must not know notebooks or students.
"""

import io
import os
import stat
import struct
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from ...course.errors import UserError
from . import budget

LARGEST_ZIP = 50_000_000  # bytes of a zip that a student hands in, not of the class's zip

MOST_FILES, MOST_ZIPS, DEEPEST_ZIP = 5_000, 20, 3
"""Limits of one zip that is handed in: files, zips (both including those in inner zips), and how deep zips may be nested.
Opening all of them reads at most 1 GB, in a few seconds; only as many as can be nested are in memory."""

LONGEST_LIST, LONGEST_OF_CLASS = 2_000_000, 50_000_000
"""Bytes of the lists of files in all zips of one submission, and in the class's zip."""

LONGEST_NAME = 200  # characters of a path that are shown
DEEPEST_FOLDER = 10

_READS = 5
"""How often a file is read again if it changes meanwhile, because of an upload or an editor."""

_NO_DETOUR = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK"))  # it may have become a link or a pipe

_NOTEBOOKS = (".ipynb", ".ipynb.txt", ".ipynb.json")  # some browsers and mail programs append the suffixes
_NOT_SUBMITTED = {"__MACOSX", "__pycache__"}
_END = 2048  # characters that are looked at, at the start and at the end of a path in a zip
_WORLD_TIME = 0x5455  # the zip format's "extended timestamp"
_NO_TIME = datetime(1980, 1, 2).timestamp()  # the time in a zip that does not store times

LINK = "it is a symbolic link, which is not followed: hand in the file itself"
_CHANGED = "it kept changing while it was read: grade again when it is complete"
_TOO_DEEP = (
    f"it is a zip too deep in other zips to be opened ({DEEPEST_ZIP} in each other), or one of more than {MOST_ZIPS}: "
    "unpack the outer one"
)


class Unreadable(Exception):
    """Answers cannot be read from a file. The message says why; `size` is the number of bytes read."""

    def __init__(self, why: str, size: int = 0) -> None:
        super().__init__(why)
        self.size = size


@dataclass(frozen=True)
class Entry:
    """A file or folder whose bytes are not read yet."""

    parts: tuple[str, ...]
    is_folder: bool
    modified: tuple[float, ...] = ()
    read: Callable[[int], bytes] = bytes
    """(most) -> the file's bytes, at most `most + 1` of them; so more than `most` means that the file is too large."""
    fault: str = ""  # why the entry (a link, or a damaged zip) cannot be read
    was_zip: bool = False  # a folder made from a zip among the files
    cost: float = 0.0  # seconds of the student's budget that opening this zip took

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
        """Its time in the class's zip or folder; times inside a student's own zip are not trusted."""
        if not self.modified or self.modified[0] < _NO_TIME:
            return None
        try:
            return datetime.fromtimestamp(self.modified[0]).replace(microsecond=0)
        except (ValueError, OverflowError, OSError):  # the time may be in the year 60,000
            return None


@contextmanager
def opened(path: Path) -> Iterator[list[Entry]]:
    """Everything in `path` (a folder or a zip), for `with_zips`. Raises `UserError` if `path` cannot be read."""
    if path.is_dir():
        if not os.access(path, os.R_OK | os.X_OK):
            raise UserError(f"{path} cannot be read; check its permissions.")
        yield _wanted(_entries_of_folder(path, ()))
    elif not path.exists():
        raise UserError(f"There is no {path}; give the folder or zip that holds the submissions.")
    elif zipfile.is_zipfile(path) or path.suffix.lower() == ".zip":
        try:
            with path.open("rb") as file:
                if _length_of_list(file) > LONGEST_OF_CLASS:
                    raise UserError(f"{path} lists more files than can be read; unpack it and give the folder.")
            shared = path.open("rb", buffering=0)  # by the processes that read in turn: a buffer would be out of date
            archive = zipfile.ZipFile(shared)
        except (zipfile.BadZipFile, OSError, ValueError) as problem:
            raise UserError(f"{path} is damaged or not completely downloaded; download it again.") from problem
        with shared, archive:
            yield _wanted(_entries_of_zip(archive, lambda: archive))
    else:
        raise UserError(f"{path} is neither a folder nor a zip; give the folder or zip that holds the submissions.")


def printable(name: str, longest: int = LONGEST_NAME) -> str:
    """`name`, safe for terminals and files: accents in normal form, without control characters.

    >>> printable("\\x1b[2Jeve"), printable("abcdef", 3)
    ('?[2Jeve', 'ab…')
    """
    # Shorten first: normalising a run of n combining marks takes n * n steps.
    short = unicodedata.normalize("NFC", name[: 2 * longest])
    if len(short) > longest or len(name) > 2 * longest:
        short = short[: longest - 1] + "…"
    return "".join(letter if letter.isprintable() else "?" for letter in short).strip() or "?"


def _entries_of_folder(folder: Path, above: tuple[str, ...]) -> Iterator[Entry]:
    try:
        with os.scandir(folder) as listing:
            children = list(listing)
    except OSError:
        return  # a student's locked folder counts as an empty one
    for child in children:
        parts = (*above, child.name)
        if not _is_wanted(parts):
            continue
        try:
            is_link, is_folder = child.is_symlink(), child.is_dir(follow_symlinks=False)
            is_file = child.is_file(follow_symlinks=False)
            modified = child.stat(follow_symlinks=False).st_mtime
        except OSError:
            continue  # it has just been removed
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
                    data = _read_all(file, min(most, before.st_size))  # which allocates as much
                    after = os.fstat(file.fileno())
                if (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size):
                    return data
        except OSError as problem:
            raise Unreadable(f"it cannot be read: {problem.strerror}") from problem
        raise Unreadable(_CHANGED)

    return read


def _read_all(file: BinaryIO, most: int) -> bytes:
    return file.read(most + 1)


@dataclass
class _Room:
    """How much more may be opened of one zip that was handed in."""

    files: int = MOST_FILES
    zips: int = MOST_ZIPS
    lists: int = LONGEST_LIST


def with_zips(found: Sequence[Entry], depth: int) -> list[Entry]:
    """`found` with the contents of its zips. Those in the same folder of depth `depth + 1` share the budget of a student."""
    left: dict[tuple[str, ...], float] = {}
    entries: list[Entry] = []
    with budget.Worker(lambda number: map(_as_data, _contents(found[number]))) as worker:
        for number, entry in enumerate(found):
            if not entry.is_zip or entry.fault:
                entries.append(entry)
                continue
            before = left.get(whose := entry.parts[: depth + 1], budget.SECONDS)
            try:
                inside = [_listed(entry, at, data) for at, data in enumerate(worker.ask(number, before))]
            except budget.Exhausted as problem:
                inside = [replace(entry, fault=str(problem))]
            left[whose] = worker.left
            entries += [replace(inside[0], cost=before - worker.left), *inside[1:]]
    return entries


def _as_data(entry: Entry) -> list[Any]:
    return [entry.parts, entry.is_folder, entry.modified, entry.fault, entry.was_zip]


def _listed(zip: Entry, number: int, data: list[Any]) -> Entry:
    """The entry `number` of the contents of `zip`, from its `_as_data`. Its bytes are read from `zip` once more."""
    parts, is_folder, modified, fault, was_zip = data

    def read(most: int) -> bytes:
        now = _contents(zip)[number : number + 1]
        if [entry.parts for entry in now] != [tuple(parts)]:
            raise Unreadable(_CHANGED)
        return now[0].read(most)

    return Entry(tuple(parts), is_folder, tuple(modified), read, fault, was_zip)


@lru_cache(1)
def _contents(zip: Entry) -> list[Entry]:
    """A folder with the name of `zip`, and what is in it and in zips inside. Keeps only the last few zips open, because
    files are read in order."""

    @lru_cache(DEEPEST_ZIP)
    def archive_of(entry: Entry, longest: int) -> tuple[zipfile.ZipFile, int]:
        """The zip, and the length of its list of files. A list longer than `longest` is not parsed."""
        data = entry.read(LARGEST_ZIP)
        if len(data) > LARGEST_ZIP:
            raise Unreadable(f"it is larger than {LARGEST_ZIP // 1_000_000} MB")
        try:
            if (length := _length_of_list(io.BytesIO(data))) <= longest:
                return zipfile.ZipFile(io.BytesIO(data)), length
        except MemoryError:
            raise
        except Exception as problem:  # a damaged directory can raise several kinds of errors
            raise Unreadable("it is a damaged zip") from problem
        raise Unreadable(f"its list of files is larger than {LONGEST_LIST // 1_000_000} MB")

    def unpacked(entry: Entry, room: _Room, above: int = 0) -> Iterator[Entry]:
        """`entry` itself; for a zip, a folder with its name and its contents."""
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

    return list(unpacked(zip, _Room()))


def _length_of_list(file: io.BufferedIOBase) -> int:
    """Bytes of a zip's list of files. Uses `ZipFile`'s own function, because another one could find another list."""
    end = zipfile._EndRecData(file)  # type: ignore[attr-defined]
    return int(end[zipfile._ECD_SIZE]) if end else 0  # type: ignore[attr-defined]


def _entries_of_zip(archive: zipfile.ZipFile, again: Callable[[], zipfile.ZipFile]) -> Iterator[Entry]:
    """The contents of `archive`, to be read later from the zip that `again` returns."""
    for info in archive.infolist():
        name = (info.filename[:_END] + info.filename[_END:][-_END:]).replace("\\", "/")
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        is_link = stat.S_ISLNK(info.external_attr >> 16)
        if 0 < len(parts) <= DEEPEST_FOLDER and not is_link and not name.startswith("/") and ".." not in parts:
            yield Entry(parts, info.is_dir(), (_modified(info),), _zip_reader(again, info))


def _modified(info: zipfile.ZipInfo) -> float:
    """The file's time in seconds since 1970: UTC if the zip has it, else interpreted as local time."""
    extra, at = info.extra, 0
    while len(extra) >= at + 4:
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == _WORLD_TIME and size >= 5 and len(extra) >= at + 9 and extra[at + 4] & 1:
            return float(struct.unpack_from("<i", extra, at + 5)[0])
        at += 4 + size
    try:
        return datetime(*info.date_time).timestamp()
    except (ValueError, OverflowError, OSError):  # not a valid date
        return 0.0


def _zip_reader(again: Callable[[], zipfile.ZipFile], info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        data = bytearray()
        try:
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # 1 kB of another kind can be 2 GB
                raise NotImplementedError
            with again().open(info) as file:  # counts the bytes read, not the size in the header
                while chunk := file.read(min(65_536, most + 1 - len(data))):
                    data += chunk
        except (RuntimeError, NotImplementedError) as problem:
            raise Unreadable("it is encrypted or packed in a way that is not supported") from problem
        except MemoryError:
            raise
        except Exception as problem:  # damage can raise several kinds of errors
            raise Unreadable("it is damaged inside the zip", len(data)) from problem
        return bytes(data)

    return read


def _wanted(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if _is_wanted(entry.parts)]


def _is_wanted(parts: tuple[str, ...]) -> bool:
    return not any(part.startswith(".") or part in _NOT_SUBMITTED for part in parts)
