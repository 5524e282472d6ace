"""The file names of learning platforms' exports: a table of patterns that extract the student from a name.

Standard library only. Must not know notebooks.

The student chooses the last part of the name, but cannot use it to pose as someone else: patterns match from the left and
as little as possible, and one pattern is chosen for the whole export, by the majority of its names.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Name:
    """The data in the name of one exported file or folder."""

    student: str
    id: str = ""  # the platform's number for the student: two may share a name
    late: bool = False
    attempt: int = 0  # a higher one is newer
    at: datetime | None = None  # the platform's local time


PLATFORMS = {
    # Ada Lovelace_12345_assignsubmission_file_hand-in.ipynb; with one folder per student, the folder's name ends before the file's
    "Moodle": r"(?P<student>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_.*)?",
    # Homework 9_ada.l_attempt_2026-11-20-23-58-01_hand-in.ipynb; without a file's name it is Blackboard's own note (.txt)
    "Blackboard": r".+?_(?P<student>[^_]+)_attempt_(?P<at>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:[_.].*)?",
    # 1234-567 - Ada Lovelace - Nov 20, 2026 1158 PM - hand-in.ipynb
    "Brightspace": r"(?P<id>\d+)-\d+ - (?P<student>.+?) - (?P<at>[A-Z][a-z]{2} \d{1,2}, \d{4} \d{3,4} [AP]M)(?: - .*)?",
    # lovelaceada_LATE_123_456_hand-in.ipynb; if students are anonymous: anon_x7Kq2_LATE_456_hand-in.ipynb
    "Canvas": r"(?:(?P<anonymous>anon_\w{5})|(?P<student>.+?))_(?:(?P<late>(?i:late))_)?"
    r"(?(anonymous)|(?P<id>\d+)_)(?P<attempt>\d+)_.+",
}
MOODLE = "_assignsubmission_"
_TIMES = ("%Y-%m-%d-%H-%M-%S", "%b %d, %Y %I%M %p")
_LONGEST = 400
"""Characters of a name that are looked at; file systems allow 255 bytes, a zip 65,535."""

Reader = Callable[[str], Name | None]


def convention(names: Iterable[str]) -> Reader:
    """The reader for the names of one export: the pattern of the platform that more than half of `names` match.

    >>> reader = convention(["lovelaceada_LATE_123_456_hand-in.ipynb", "hopper_124_457_x_bob_attempt_2026-01-01-00-00-00.ipynb"])
    >>> reader("lovelaceada_LATE_123_456_hand-in.ipynb")
    Name(student='lovelaceada', id='123', late=True, attempt=456, at=None)
    >>> reader("ada.ipynb") is None
    True
    """
    names = [name for name in names if name != "index.html"]  # Brightspace adds it
    counts = {platform: sum(_read(platform, name) is not None for name in names) for platform in PLATFORMS}
    likeliest = max(counts, key=lambda platform: counts[platform])
    if 2 * counts[likeliest] <= len(names):
        return lambda name: None
    return lambda name: _read(likeliest, name)


def _read(platform: str, name: str) -> Name | None:
    match = re.fullmatch(PLATFORMS[platform], name, re.DOTALL) if len(name) <= _LONGEST else None
    if match is None:
        return None
    said = match.groupdict()
    who, at = (said["student"] or said["anonymous"]).strip(), _time(said["at"]) if said.get("at") else None
    return Name(who, said.get("id") or "", bool(said.get("late")), int(said.get("attempt") or 0), at)


def _time(text: str) -> datetime | None:
    text = re.sub(r" (\d{3} [AP]M)$", r" 0\1", text)  # Brightspace writes 9:05 as 905
    for form in _TIMES:
        with suppress(ValueError):
            return datetime.strptime(text, form)
    return None
