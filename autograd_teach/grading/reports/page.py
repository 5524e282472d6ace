"""What the pages share: how a template is filled in, and what a status means. The pages themselves are in templates/.

No script, no font or picture from anywhere, and a policy in the page that forbids them. Whatever a student wrote is escaped,
everywhere, by the environment of the templates. Colour is never the only sign: each state is a word and a mark. May use
results. Must not know how they came about.
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
    """A status as a reader sees it: a mark, a name, a sentence to the student."""

    mark: str
    name: str
    words: str
    tone: Tone


MEANING: dict[Status, Meaning] = {
    Status.PASS: Meaning("✓", "passed", "Right: all that has to hold does.", "good"),
    Status.PARTIAL: Meaning("◐", "partly", "Some of it is right.", "odd"),
    Status.FAIL: Meaning("✗", "failed", "Not right yet.", "bad"),
    Status.NOT_ATTEMPTED: Meaning(
        "–", "not attempted", "The answer is as it was handed out, or has only comments.", "none"
    ),
    Status.MISSING: Meaning("–", "missing", "Its cell was not among what was handed in.", "none"),
    Status.TIMEOUT: Meaning("∞", "took too long", "It was stopped at the time limit: is there a loop that does not end?", "odd"),
    Status.DIED: Meaning("✗", "ended", "The answer ended the Python that ran it.", "odd"),
    Status.OUT_OF_MEMORY: Meaning("✗", "out of memory", "It asked for more memory than a notebook may have.", "odd"),
    Status.OUTPUT_LIMIT: Meaning("✗", "too much output", "It printed more than a notebook may print.", "odd"),
    Status.INVALID_NOTEBOOK: Meaning("✗", "not readable", "No answer could be read from what was handed in.", "odd"),
    Status.PROTOCOL_ERROR: Meaning("✗", "not valid", "What came back is not what running the notebook gives.", "odd"),
    Status.GRADER_ERROR: Meaning("!", "grader's fault", "This is not your fault: the grader failed, and this has to be graded again.", "odd"),
    Status.NOT_GRADED: Meaning("·", "not graded", "It was not graded: the run ended before.", "none"),
}  # fmt: skip

_OF_CHECK = {
    PASSED: Meaning("✓", "passes", "Its check cell passes.", "good"),
    FAILED: Meaning("✗", "does not pass", "Its check cell does not pass.", "bad"),
    NOT_RUN: Meaning("–", "not run", "Its check cell was not run, as the answer had been stopped before.", "none"),
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
    """What nbval recorded of a check cell, as a reader sees it.

    >>> of_check("failed").words, of_check("grader_error").name
    ('Its check cell does not pass.', 'no record')
    """
    return _OF_CHECK.get(recorded, _NO_RECORD)


_TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **values: Any) -> bytes:
    """A whole HTML file: `template` of templates/ filled in."""
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
    """`value` as a template shows it: text of others so that nothing in it hides the rest or turns it round."""
    return plain.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def anchor(exercise: str) -> str:
    """The id of an exercise's section.

    >>> anchor("09.Scale")
    '09-Scale'
    """
    return "".join(letter if letter.isalnum() else "-" for letter in exercise)


def sentence(words: str) -> str:
    """
    >>> sentence("6 of 7 checks pass"), sentence("adjusted to 1 of 2: well done!"), sentence("")
    ('6 of 7 checks pass.', 'Adjusted to 1 of 2: well done!', '')
    """
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.' * bool(words)}"
