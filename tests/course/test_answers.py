"""A right answer passes however it is written; a wrong one fails and is named; both with our engine and with PyTorch.

The answers stand in answers/. Most were written from the statements alone, before anybody saw what a check says of them.
"""

import dataclasses
import functools
import importlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograd_teach.course import checks, specs
from autograd_teach.course import exercises as registry
from autograd_teach.course.checking import report_on
from autograd_teach.course.checks import explaining
from autograd_teach.course.checks.call import CALL_TABLE
from autograd_teach.course.checks.function import DIAGNOSES, returned
from autograd_teach.course.checks.numbers import RELATED
from autograd_teach.course.exercises import exercise as exercise_of
from autograd_teach.course.exercises import exercises, module_of
from autograd_teach.course.specs import spec_of
from tests.course.table import ANSWERS, Cell, cells
from tests.libraries import LIBRARIES

ENOUGH = 60.0
"""Seconds for answers under PyTorch, which is slower in small steps than the engine that the limits are made for."""

QUICK = 4
"""Right answers to an exercise that run without --full; of the wrong ones, the first with each diagnosis does."""

HINT = '<details class="agt-hint">'

_seen: Counter[tuple[str, ...]] = Counter()


def is_long(cell: Cell) -> bool:
    """Whether answers like this one run already; what a report must not say is always looked at."""
    _seen[like := (cell.exercise, cell.kind, cell.diagnosis)] += 1
    return not cell.never and not cell.generic and _seen[like] > (1 if cell.kind == "wrong" else QUICK)


def numbered(*kinds: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for each cell of these kinds, by its number: a test's parameters are compared often."""
    marks = [[pytest.mark.full] if is_long(cell) else [] for cell in cells(*kinds)]
    named = [pytest.param(n, id=f"{c.exercise}-{c.what}", marks=marks[n]) for n, c in enumerate(cells(*kinds))]
    return pytest.mark.parametrize("number", named)


@pytest.fixture(autouse=True)
def recursion_limit() -> Iterator[None]:
    """Some answers raise it, and tests that follow in this process would end in the stack's overflow."""
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


@functools.cache
def warm_up() -> None:
    """The first use of these makes PyTorch import for seconds, longer than an answer may take. Its threads wait by computing."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    x = torch.ones(1, requires_grad=True)
    torch.autograd.grad(x * x, x, torch.ones(1))
    torch.optim.SGD([x], lr=1.0)


def allow(monkeypatch: pytest.MonkeyPatch, exercise: str, seconds: float) -> None:
    """Let an answer to `exercise` compute for so long, and no longer."""
    shorter = dataclasses.replace(exercise_of(exercise), seconds=seconds)
    monkeypatch.setitem(registry._BY_ID, exercise, shorter)


def forget(monkeypatch: pytest.MonkeyPatch, exercise: str) -> None:
    """Take away what `exercise` knows of its mistakes."""
    asked = exercise_of(exercise)
    without = dataclasses.replace(spec_of(asked), mistakes=())
    monkeypatch.setitem(specs._of_module(module_of(asked)), asked.entry, without)
    monkeypatch.setattr(explaining, "changed", lambda *_: None)


def answer_of(cell: Cell, engine: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """The cell's answer, with the time and the knowledge that its check may use."""
    if cell.engine not in (None, engine):
        pytest.skip(f"only with {cell.engine}: {cell.what}")
    if engine == "torch":
        warm_up()
        allow(monkeypatch, cell.exercise, ENOUGH)
    if cell.diagnosis == "timeout":
        allow(monkeypatch, cell.exercise, 0.3)
    if cell.generic:
        forget(monkeypatch, cell.exercise)
    return cell.answer(engine)


@numbered("right", "accepted")
@pytest.mark.parametrize("engine", LIBRARIES)
def test_a_right_answer_passes(engine: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = cells("right", "accepted")[number]
    report = report_on(cell.exercise, answer_of(cell, engine, monkeypatch))
    told = repr(report)
    assert report.passed, told
    assert not report.findings and not report.evidence.faults
    assert HINT not in report._repr_html_()
    assert [words for words in cell.never if words in told] == [], told


@numbered("wrong")
@pytest.mark.parametrize("engine", LIBRARIES)
def test_a_wrong_answer_is_caught_and_named(engine: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = cells("wrong")[number]
    report = report_on(cell.exercise, answer_of(cell, engine, monkeypatch))
    page, told = report._repr_html_(), repr(report)
    assert report.attempted and not report.passed, told
    found = [finding.name for finding in report.findings]
    called = " and ".join(map(repr, found)) or "nothing"
    assert cell.diagnosis in found, f"this answer is called {called}, not {cell.diagnosis!r}:\n{told}"
    assert cell.words, f"name words of its report:\n{told}"
    assert [words for words in cell.words if words not in told] == [], f"these words are missing in\n{told}"
    assert [words for words in cell.never if words in told] == [], f"these words are wrong in\n{told}"
    assert not report.evidence.faults
    assert len(found) <= (1 if cell.generic else max(2, len(cell.words))), "one mistake must not be called many"
    assert "FAIL" in page and report.headline in page
    hints = len(exercise_of(cell.exercise).hints)
    assert 2 <= hints <= 3
    assert page.count(HINT) == hints and "</details>" * hints in page, "one inside the other"


def test_every_exercise_has_answers_enough() -> None:
    count = Counter((cell.exercise, cell.kind) for cell in cells("right", "wrong"))
    for each in exercises():
        right, wrong = count[each.id, "right"], count[each.id, "wrong"]
        where = f"add some to {each.notebook[:2]}.py in tests/course/answers, at least 3 and 4"
        assert right >= 3 and wrong >= 4, f"{each.id} has {right} right and {wrong} wrong answers; {where}"


def test_each_answer_is_read_and_has_a_title_of_its_own() -> None:
    every = cells("right", "wrong", "accepted")
    assert len(every) == sum(path.read_text("utf-8").count("\n# %% ") for path in ANSWERS.glob("*.py"))
    assert [title for title, times in Counter(map(str, every)).items() if times > 1] == []


def test_every_diagnosis_is_proven_by_a_wrong_answer() -> None:
    """Those that name what they find themselves, by each of these names."""
    proven = {cell.diagnosis for cell in cells("wrong")}
    own = {each.name for exercise in exercises() for each in getattr(spec_of(exercise), "also", ())}
    sources = "".join(path.read_text("utf-8") for path in Path(checks.__file__).parent.rglob("*.py"))
    several = {"numbers", "described", "structure", "results", "number_of_values", "kind_of_value"}
    found = {
        *re.findall(r'Finding\(\s*"(\w+)"', sources),
        *re.findall(r'kind, words = \(?\s*"(\w+)"', sources),
        *returned._STRUCTURE,
    }
    named = {row.name for row in [*DIAGNOSES, *CALL_TABLE]} - several | {name for name, _ in RELATED} | found
    assert (named | own) - {"cell"} == proven  # which concerns cells that ran, not an answer


def test_every_declared_mistake_is_made_by_an_answer() -> None:
    """By the words that are expected of wrong answers, each in the message of one mistake alone, whatever its numbers are."""
    declared: dict[str, str] = {}
    read = set[str]()
    for each in exercises():
        messages = {without_numbers(mistake.message) for mistake in spec_of(each).mistakes}
        declared |= {message: each.id for message in messages}
        told = [without_numbers(words) for cell in cells("wrong") if cell.exercise == each.id for words in cell.words]
        fitting = [[message for message in messages if words in message] for words in told]
        read |= {*told, *(message for several in fitting if len(several) == 1 for message in several)}
    unread = [f"{id}: {message}" for message, id in declared.items() if message not in read]
    assert not unread, "no answer reads these: delete them, or add one\n" + "\n".join(sorted(unread))


def without_numbers(message: str) -> str:
    """The letters of programs are numbers too."""
    return re.sub(r"\d+(\.\d+)?|\b[A-H]\b", "#", message)
