"""One student's page, to give to that student: what was graded, what was found, which check cells pass, and the answers.

It shows everything that a verdict depends on, except what would reveal hidden inputs (such as the seed), and nothing about
other students. May use results. Must not know how they were made. The page itself is templates/student.html.
"""

from collections.abc import Callable

from ..results import Mark, Result, Status
from .mistakes import Found, for_student, told_before
from .page import MEANING, of_check, render, sentence

_BUT_PASSES = "Points do not come from that cell, but from inputs drawn after the answer was loaded; with these, it does not meet every requirement."
_BUT_NOT = "Points do not come from that cell, but from inputs drawn after the answer was loaded; with these, it meets every requirement."


def student_page(result: Result, answer: Callable[[str], str]) -> bytes:
    """The page as bytes. `answer` returns the text of an answer by its hash."""
    result = for_student(result)
    found = [(mark, Found.of(mark)) for mark in result.marks]
    return render(
        "student.html",
        result=result,
        same=told_before(result.marks),
        is_all_or_nothing=all(mark.share in (0, 1) and not mark.adjusted for mark in result.marks),
        has_record=any(mark.recorded for mark in result.marks),
        sections=[(mark, each, _said(mark, each), answer(mark.source) if mark.source else "") for mark, each in found],
    )


def _said(mark: Mark, found: Found) -> str:
    """The outcome of the answer and of its check cell, where points come from if the two differ, and where the answer is
    from."""
    but = _BUT_NOT if mark.status is Status.PASS else _BUT_PASSES
    more = but if mark.contradiction else sentence(found.checks)
    words = (MEANING[mark.status].words, of_check(mark.recorded).words, more, sentence(mark.origin))
    return " ".join(filter(None, words))
