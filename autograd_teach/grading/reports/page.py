"""What the pages share: the frame of a file that needs nothing else, its style in light and dark, what a status means.

No script, no font or picture from anywhere, and a policy in the page that forbids them, whatever a student wrote. Colour is
never the only sign: each state is a word and a mark. May use results. Must not know how they came about.
"""

from dataclasses import dataclass
from html import escape
from typing import Literal

from ..results import FAILED, NOT_RUN, PASSED, Status

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


STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1b1b; --soft: #5b5b5b; --line: #c9c9c9; --box: #f4f4f2;
  --good: #006b4f; --bad: #a33c00; --odd: #7a4b9a; --none: #767676; --link: #0059a8; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181a; --ink: #ececec; --soft: #adadad; --line: #45494d;
  --box: #212427; --good: #4cc9a0; --bad: #ff9a5c; --odd: #cda2ea; --none: #9a9a9a; --link: #7fc0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(.8rem, 3vw, 2rem) 4rem; max-width: 72rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.1rem 0 .2rem; }
p { margin: .3rem 0; max-width: 48rem; overflow-wrap: anywhere; }
a { color: var(--link); }
.soft, small { color: var(--soft); font-size: .9rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .odd { color: var(--odd); } .none { color: var(--none); }
.state { font-weight: 600; white-space: nowrap; }
.say { margin: .5rem 0; padding: .4rem .9rem; border-left: 4px solid var(--bad); background: var(--box); max-width: 50rem; }
.say p { max-width: none; } .end { margin-top: 2.2rem; }
pre { margin: .5rem 0; padding: .7rem .9rem; background: var(--box); border: 1px solid var(--line); border-radius: 4px;
  overflow-x: auto; max-height: 40rem; font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
code { font: 13px ui-monospace, "DejaVu Sans Mono", Consolas, monospace; overflow-wrap: anywhere; }
details summary { cursor: pointer; color: var(--link); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .95rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .28rem .9rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { font-size: .85rem; color: var(--soft); font-weight: 600; vertical-align: bottom; }
th[scope=row] { font-weight: 500; overflow-wrap: anywhere; min-width: 9rem; }
td.words { min-width: 15rem; }
td.number, th.number { text-align: right; }
.bar { display: flex; height: 1.05rem; min-width: 12rem; width: 22vw; max-width: 22rem; border: 1px solid var(--line); background: var(--paper); }
.bar > span { display: block; height: 100%; border-right: 1px solid var(--paper); }
.bar .good { background: var(--good); } .bar .bad { background: var(--bad); }
.bar .odd { background: repeating-linear-gradient(45deg, var(--odd) 0 4px, transparent 4px 7px); }
.bar .none { background: repeating-linear-gradient(90deg, var(--line) 0 2px, transparent 2px 6px); }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .5rem 0; font-size: .9rem; color: var(--soft); }
.key i { display: inline-block; width: 1rem; height: .8rem; margin-right: .35rem; border: 1px solid var(--line); vertical-align: -1px; }
.key .bar { display: contents; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 12px system-ui, "DejaVu Sans", sans-serif; } svg .soft { fill: var(--soft); }
svg rect { fill: var(--link); } svg line { stroke: var(--line); }
ol.mistakes { margin: .2rem 0; padding-left: 1.6rem; } ol.mistakes li { margin: .25rem 0; max-width: 60rem; overflow-wrap: anywhere; }
ul.checks { list-style: none; padding-left: .9rem; margin: .3rem 0; }
@media print { body { max-width: none; padding: 0; } pre { max-height: none; white-space: pre-wrap; } a { color: inherit; } }
"""


def page(title: str, body: str) -> bytes:
    """A whole HTML file."""
    text = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{words(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
    return text.encode("utf-8", "replace")


def words(text: str) -> str:
    """`text` for a page: nothing in it is HTML, and nothing invisible turns it round or hides it.

    >>> words("a<b>\\u202e")
    'a&lt;b&gt;\\ufffd'
    """
    return escape("".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text))


def counted(number: int, what: str) -> str:
    """
    >>> counted(1, "student"), counted(2, "student")
    ('1 student', '2 students')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def state(status: Status) -> str:
    """A status as a mark and a word."""
    return shown(MEANING[status])


def shown(meaning: Meaning) -> str:
    """A mark and a word, which stay together."""
    return f'<span class="state {meaning.tone}">{meaning.mark} {meaning.name}</span>'
