"""One student's page, fit to be handed to that student: what was graded, what was found, on which answer.

Everything a verdict rests on is here but what would give hidden inputs away (a seed, say): only the fields of a mark that
this file names are shown. No word of other students. May use results. Must not know how they came about.
"""

from collections.abc import Callable

from ..results import Mark, Result
from .mistakes import Found
from .page import MEANING, page, state, words
from .terminal import number


def student_page(result: Result, answer: Callable[[str], str]) -> bytes:
    """The page as a file's bytes; `answer` gives the text of an answer by its hash."""
    total = f"{number(result.points)} of {number(result.maximum)} points"
    parts = [
        f"<h1>{words(result.student)}</h1>",
        f"<p><strong>{total}</strong> · {state(result.status)}</p>",
        f'<p class="soft">{words(result.note)}</p>' if result.note else "",
        _overview(result),
        *(_exercise(mark, answer) for mark in result.marks),
        '<p class="soft">A check passes or fails as a whole, and an exercise gives its points when all its checks pass.</p>',
    ]
    return page(f"{result.student}: {total}", "\n".join(filter(None, parts)))


def _overview(result: Result) -> str:
    rows = "".join(
        f'<tr><th scope="row"><a href="#{_anchor(mark)}">{words(mark.exercise)}</a></th><td>{state(mark.status)}</td>'
        f'<td class="number">{number(mark.points)} of {number(mark.maximum)}</td></tr>'
        for mark in result.marks
    )
    head = '<thead><tr><th scope="col">exercise</th><th scope="col">outcome</th><th scope="col" class="number">points</th></tr></thead>'
    return f'<div class="wide"><table>{head}<tbody>{rows}</tbody></table></div>'


def _exercise(mark: Mark, answer: Callable[[str], str]) -> str:
    found = Found(mark.detail)
    parts = [
        f'<h2 id="{_anchor(mark)}">{words(mark.exercise)}</h2>',
        f"<p>{state(mark.status)}, {number(mark.points)} of {number(mark.maximum)} points. {words(MEANING[mark.status].words)}</p>",
        f"<p>{words(found.checks)}</p>" if found.checks else "",
        _failed(found),
        f'<div class="say"><p>{words(found.diagnosis)}</p></div>' if found.diagnosis else "",
    ]
    if text := answer(mark.source) if mark.source else "":
        parts.append(f"<details open><summary>The answer that was graded</summary><pre>{words(text)}</pre></details>")
    if mark.judge:
        how = [f"judged by {mark.judge}", f"isolation: {mark.isolation or 'none'}", f"{mark.seconds:.1f} s"]
        parts.append(f'<p class="soft">{words(" · ".join(how))} · answer <code>{mark.source[:12]}</code></p>')
    return "\n".join(filter(None, parts))


def _failed(found: Found) -> str:
    items = "".join(f'<li><span class="state bad">✗</span> {words(check)}</li>' for check in found.failed)
    return f'<p>What has to hold, and does not yet:</p><ul class="checks">{items}</ul>' if items else ""


def _anchor(mark: Mark) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in mark.exercise)
