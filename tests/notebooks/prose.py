"""What the course says to its readers: the texts of notebooks, questions and documents, their headings and their links.

Knows Markdown no further than this needs, and nothing of what the texts are about.
"""

import functools
import re
import tomllib
from pathlib import Path

from autograd_teach.course.notebooks import read_notebook

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(path for room in ("lessons", "exercises", "solutions") for path in (ROOT / room).glob("*.ipynb"))
LESSONS = [path for path in NOTEBOOKS if path.parent.name == "lessons" and re.match(r"\d\d_", path.name)]
GLOSSARY = ROOT / "lessons" / "glossary.ipynb"
QUESTIONS = sorted((ROOT / "autograd_teach" / "course" / "questions").glob("*.toml"))
DOCUMENTS = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")),
    *sorted((ROOT / "docs").glob("*.md")),
]
EVERYTHING = [*NOTEBOOKS, *QUESTIONS, *DOCUMENTS]


@functools.cache
def markdown(path: Path) -> str:
    """All that is prose in a file: a notebook's Markdown cells, the texts of questions, a document as it is."""
    if path.suffix == ".ipynb":
        return "\n\n".join(cell.source for cell in read_notebook(path).cells if cell.cell_type == "markdown")
    text = path.read_text(encoding="utf-8")
    return "\n\n".join(strings(tomllib.loads(text))) if path.suffix == ".toml" else text


def strings(entry: object) -> list[str]:
    if isinstance(entry, dict):
        entry = list(entry.values())
    if isinstance(entry, list):
        return [text for part in entry for text in strings(part)]
    return [entry] if isinstance(entry, str) else []


def without_code(text: str) -> str:
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def headings(path: Path) -> list[tuple[int, str]]:
    """Level and text of each."""
    text = re.sub(r"^```.*?^```$", "", markdown(path), flags=re.MULTILINE | re.DOTALL)
    return [(len(marks), title.strip()) for marks, title in re.findall(r"^(#+) (.+)$", text, flags=re.MULTILINE)]


def anchors(path: Path) -> set[str]:
    """What can stand behind `#` in a link to this file: JupyterLab's form for notebooks, GitHub's for documents."""
    titles = [re.sub(r"[`*]", "", title) for _, title in headings(path)]
    if path.suffix == ".ipynb":
        return {title.replace(" ", "-") for title in titles}
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@functools.cache
def links(path: Path) -> list[tuple[str, str]]:
    """Text and target of each link (and picture). Code spans may be a link's text, but no link is looked for inside one."""
    text = re.sub(r"^```.*?^```$", "", markdown(path), flags=re.MULTILINE | re.DOTALL)
    pictures = re.findall(r'<(img|source)\b[^>]*?\bsrc(?:set)?="([^"]+)"', text)
    return re.findall(r"\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)", text) + pictures
