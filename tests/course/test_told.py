"""What a report says of a wrong answer: a sentence that must come, and sentences that must not, because they would be false.

The rows stand in told_calls.py and told_functions.py: an answer's whole cell, whatever finds its mistake.
"""

import sys
from collections.abc import Iterator

import pytest

from autograd_teach.course.checking import report_on
from tests.course.test_samples import run, setup_of
from tests.course.told_calls import TOLD as CALLS
from tests.course.told_functions import TOLD as FUNCTIONS

ROWS = [pytest.param(*row, id=f"{row[0]}: {row[1]}") for row in CALLS + FUNCTIONS]


@pytest.fixture(autouse=True)
def recursion_limit() -> Iterator[None]:
    """Some answers raise it, and tests that follow in this process would end in the stack's overflow."""
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize(("exercise", "what", "must", "never", "text"), ROWS)
def test_a_report_says_what_is_true_and_nothing_false(
    exercise: str, what: str, must: tuple[str, ...], never: tuple[str, ...], text: str
) -> None:
    """`must`: words of the report, all of them; none if the answer is right. `never`: words that would mislead."""
    report = report_on(exercise, run(setup_of(exercise), exercise, text, 0))
    told = repr(report)
    assert report.passed == (not must), told
    assert [words for words in must if words not in told] == [], told
    assert [words for words in never if words in told] == [], told
    assert not report.evidence.faults
