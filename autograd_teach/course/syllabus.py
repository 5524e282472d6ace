"""The lessons of the course in order, each with its path through the course. Reads only the titles of the notebooks."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from . import content

Way = Literal["", "core", "going further", "reference"]

CORE = ("01", "02", "03", "05", "06", "07", "09", "10", "11")
REFERENCE = ("12", "13")
"""Lessons for looking things up, not for reading from beginning to end."""


@dataclass(frozen=True)
class Lesson:
    """A lesson: its number (for example `01`), its file name, its title without the number."""

    number: str
    file: str
    title: str

    @property
    def path(self) -> Way:
        """The path that it belongs to; "" for the first lesson, which belongs to all."""
        if self.number == "00":
            return ""
        return "core" if self.number in CORE else "reference" if self.number in REFERENCE else "going further"

    @property
    def name(self) -> str:
        """Number and title, as in a list of lessons: `03 · The graph`."""
        return f"{self.number} · {self.title}"


@cache
def syllabus() -> tuple[Lesson, ...]:
    """All lessons of this installation, in order."""
    return tuple(_lesson(path) for path in content.lessons())


def _lesson(path: Path) -> Lesson:
    first = "".join(json.loads(path.read_bytes())["cells"][0]["source"])
    title = re.match(r"# \d\d · (.+)", first)
    words = title[1].strip() if title else path.stem[3:].replace("_", " ")
    return Lesson(path.name[:2], path.name, words)
