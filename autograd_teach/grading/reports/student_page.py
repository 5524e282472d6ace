"""One student's page, fit to be handed to that student: what was graded, what was found, which check cells pass, on which answer.

Everything a verdict rests on is here but what would give hidden inputs away (a seed, say): only the fields of a mark that
this file names are shown. No word of other students. May use results. Must not know how they came about.
"""

from collections.abc import Callable

from ..results import Mark, Result, Status
from .mistakes import Found
from .page import MEANING, of_check, page, shown, state, words
from .terminal import number

_RULES = "An exercise gives its points when all that has to hold does; one thing that does not hold takes all of them."
_RECORD = (
    "The check cell of each exercise was run in the notebook too (nbval), and its words are here for you to work with. They "
    "are no verdict: points come from inputs that were drawn after the answer was loaded."
)
_BUT_PASSES = "Points do not come from that cell, but from inputs drawn after the answer was loaded, and with these something does not hold."
_BUT_NOT = "Points do not come from that cell, but from inputs drawn after the answer was loaded, and with these all is as it has to be."


def student_page(result: Result, answer: Callable[[str], str]) -> bytes:
    """The page as a file's bytes; `answer` gives the text of an answer by its hash."""
    total = f"{number(result.points)} of {number(result.maximum)} points"
    parts = [
        f"<h1>{words(result.student)}</h1>",
        f"<p><strong>{total}</strong> · {state(result.status)}</p>",
        f'<p class="soft">{words(result.note)}</p>' if result.note else "",
        _overview(result),
        *(_exercise(mark, answer) for mark in result.marks),
        f'<p class="soft end">{_RULES}</p>',
        f'<p class="soft">{_RECORD}</p>' if result.recorded and result.judge != "nbval" else "",
    ]
    return page(f"{result.student}: {total}", "\n".join(filter(None, parts)))


def _overview(result: Result) -> str:
    has_record = any(mark.recorded for mark in result.marks)
    rows = "".join(
        f'<tr><th scope="row"><a href="#{_anchor(mark)}">{words(mark.exercise)}</a></th><td>{state(mark.status)}</td>'
        f"{f'<td>{shown(of_check(mark.recorded))}</td>' if has_record else ''}"
        f'<td class="number">{number(mark.points)} of {number(mark.maximum)}</td></tr>'
        for mark in result.marks
    )
    record = '<th scope="col">its check cell</th>' if has_record else ""
    head = f'<thead><tr><th scope="col">exercise</th><th scope="col">outcome</th>{record}<th scope="col" class="number">points</th></tr></thead>'
    return f'<div class="wide"><table>{head}<tbody>{rows}</tbody></table></div>'


def _exercise(mark: Mark, answer: Callable[[str], str]) -> str:
    found = Found.of(mark)
    said = " ".join(filter(None, (MEANING[mark.status].words, _recorded(mark, found))))
    parts = [
        f'<h2 id="{_anchor(mark)}">{words(mark.exercise)}</h2>',
        f"<p>{state(mark.status)}, {number(mark.points)} of {number(mark.maximum)} points. {words(said)}</p>",
        f'<div class="say"><p>{words(found.diagnosis)}</p></div>' if found.diagnosis else "",
        _failed(found),
        f"<p>{words(found.remark)}</p>" if found.remark else "",
    ]
    if text := answer(mark.source) if mark.source else "":
        is_open = "" if mark.status is Status.PASS and not mark.contradiction else " open"
        parts.append(
            f"<details{is_open}><summary>The answer that was graded</summary><pre>{words(text)}</pre></details>"
        )
    if mark.judge:
        how = [f"judged by {mark.judge}", f"isolation: {mark.isolation or 'none'}", f"{mark.seconds:.1f} s"]
        parts.append(f'<p class="soft">{words(" · ".join(how))} · answer <code>{mark.source[:12]}</code></p>')
    return "\n".join(filter(None, parts))


def _recorded(mark: Mark, found: Found) -> str:
    """What became of the check cell in the notebook's run, and that points do not follow from it where they do not."""
    if mark.contradiction:
        return f"{of_check(mark.recorded).words} {_BUT_NOT if mark.status is Status.PASS else _BUT_PASSES}"
    count = f"{found.checks[0].upper()}{found.checks[1:]}." if found.checks else ""
    return " ".join(filter(None, (of_check(mark.recorded).words, count)))


def _failed(found: Found) -> str:
    items = "".join(f'<li><span class="state bad">✗</span> {words(check)}</li>' for check in found.failed)
    return f'<p>What has to hold, and does not yet:</p><ul class="checks">{items}</ul>' if items else ""


def _anchor(mark: Mark) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in mark.exercise)
