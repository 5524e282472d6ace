"""Shared by all pages: rendering of templates and meanings of statuses. The pages themselves are in templates/.

Pages do not use scripts, fonts or pictures, and a content security policy in the page forbids them. The environment of the
templates escapes everything that a student wrote. Colour is never the only sign: each state has a word and a symbol. May
use results. Must not know how they were made.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ... import plain
from ..results import FAILED, NOT_RUN, PASSED, Status
from .terminal import number

Tone = Literal["good", "bad", "none", "odd"]


@dataclass(frozen=True)
class Meaning:
    """How a status is shown: a symbol, a name, a sentence to the student."""

    mark: str
    name: str
    words: str
    tone: Tone


MEANING: dict[Status, Meaning] = {
    Status.PASS: Meaning("✓", "passed", "Right: it meets every requirement.", "good"),
    Status.PARTIAL: Meaning("◐", "partly", "Some of it is right.", "odd"),
    Status.FAIL: Meaning("✗", "failed", "Not right yet.", "bad"),
    Status.NOT_ATTEMPTED: Meaning(
        "–", "not attempted", "The answer cell is unchanged, or has only comments.", "none"
    ),
    Status.MISSING: Meaning("–", "missing", "Its cell was not in the submission.", "none"),
    Status.TIMEOUT: Meaning("∞", "took too long", "It was stopped at the time limit: is there a loop that does not end?", "odd"),
    Status.DIED: Meaning("✗", "ended", "The answer ended the Python process that ran it.", "odd"),
    Status.OUT_OF_MEMORY: Meaning("✗", "out of memory", "It asked for more memory than a notebook may have.", "odd"),
    Status.OUTPUT_LIMIT: Meaning("✗", "too much output", "It printed more than a notebook may print.", "odd"),
    Status.INVALID_NOTEBOOK: Meaning("✗", "not readable", "No answer could be read from the submission.", "odd"),
    Status.PROTOCOL_ERROR: Meaning("✗", "not valid", "The result is not one that running the notebook can give.", "odd"),
    Status.GRADER_ERROR: Meaning("!", "grader's fault", "This is not your fault: the grader failed, and this must be graded again.", "odd"),
    Status.NOT_GRADED: Meaning("·", "not graded", "It was not graded: the run was stopped earlier.", "none"),
}  # fmt: skip

_OF_CHECK = {
    PASSED: Meaning("✓", "passes", "Its check cell passes.", "good"),
    FAILED: Meaning("✗", "does not pass", "Its check cell does not pass.", "bad"),
    NOT_RUN: Meaning("–", "not run", "Its check cell was not run, because the answer was stopped before.", "none"),
    Status.TIMEOUT: Meaning("∞", "took too long", "Run with its check cell, it was stopped at the time limit.", "odd"),
    Status.DIED: Meaning("✗", "ended", "Run with its check cell, it ended the notebook.", "odd"),
    Status.OUT_OF_MEMORY: Meaning(
        "✗", "out of memory", "Run with its check cell, it asked for too much memory.", "odd"
    ),
    Status.OUTPUT_LIMIT: Meaning("✗", "too much output", "Run with its check cell, it printed too much.", "odd"),
    "": Meaning("", "", "", "none"),
}
_NO_RECORD = Meaning("!", "no record", "No record of its check cell could be made.", "none")


def of_check(recorded: str) -> Meaning:
    """How nbval's record of a check cell is shown.

    >>> of_check("failed").words, of_check("grader_error").name
    ('Its check cell does not pass.', 'no record')
    """
    return _OF_CHECK.get(recorded, _NO_RECORD)


_TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **values: Any) -> bytes:
    """Render `template` of templates/ as a complete HTML file."""
    return str(_environment().get_template(template).render(**values)).encode("utf-8", "replace")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=number, meaning=MEANING.__getitem__, of_check=of_check)
    environment.filters.update(counted=plain.counted, anchor=anchor, sentence=sentence)
    environment.globals["style"] = Markup((_TEMPLATES / "page.css").read_text(encoding="utf-8"))  # our own file
    return environment


def visible(value: Any) -> Any:
    """`value` for a template: text without characters that could hide or reverse other text."""
    return plain.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def anchor(exercise: str) -> str:
    """The id of an exercise's section.

    >>> anchor("09.Scale")
    '09-Scale'
    """
    return "".join(letter if letter.isalnum() else "-" for letter in exercise)


def sentence(words: str) -> str:
    """`words` with a capital letter and a full stop.

    >>> sentence("6 of 7 checks pass"), sentence("adjusted to 1 of 2: well done!"), sentence("")
    ('6 of 7 checks pass.', 'Adjusted to 1 of 2: well done!', '')
    """
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.' * bool(words)}"
