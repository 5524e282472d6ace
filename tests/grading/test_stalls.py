"""Hand-ins that would stall the grader's own process, or choose its words: no test measures time.

Where Python code would do too much, its steps are counted (`steps`): twice the input may not take three times as many. Where
a library would, memory is counted, or the library is not to be called, or a row is so large that a quadratic time would not end.
"""

import ast
import json
import sys
import tracemalloc
import unicodedata
from collections.abc import Callable
from types import FrameType
from typing import Any, cast

import numpy as np
import pytest

from autograd_teach.course.checks.call.records import differences
from autograd_teach.course.definitions import completed, names_defined, stand_in
from autograd_teach.course.exercises import exercise
from autograd_teach.grading import verdicts
from autograd_teach.grading.notebook_run import Limits, NotebookRun
from autograd_teach.grading.notebook_run.run import CellRecord, _read
from autograd_teach.grading.oracle import judging, referee, wire
from autograd_teach.grading.oracle.reaching import reaching
from autograd_teach.grading.rebuild import Question
from autograd_teach.grading.reports.similarity import normal_form
from autograd_teach.grading.results import Status
from autograd_teach.grading.submissions import answers, roster
from autograd_teach.grading.submissions.archives import Unreadable
from autograd_teach.grading.submissions.intake import Submission
from tests.grading.classroom import assignment, exercise_notebook, notebook

# ---- what takes too many steps ---------------------------------------------------------------------------------------


def steps(called: Callable[[], object]) -> int:
    """Lines, calls and returns of Python that `called` executes, those of the standard library too."""
    count = 0

    def traced(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        called()
    finally:
        sys.settrace(before)
    return count


def many_stubs(n: int) -> object:
    stub = f"class Scale:\n  def forward(x):\n    raise NotImplementedError({','.join('1' * 4 * n)})\n"
    answer = "class X: pass\n" + "\n".join(f"a{number}" for number in range(n))
    return completed(answer, [stub + "\n".join(f"a{number}=Scale" for number in range(n))], "Scale", ())


def many_given(n: int) -> object:
    cells = ["\n".join(f"x{number}=1" for number in range(n)) + "\nx0=1" * n]
    return completed(
        "\n".join(f"x{number}" for number in range(n)), cells, "f", [f"g{number}" for number in range(4 * n)]
    )


def many_parts(n: int) -> object:
    cells = [f"import {','.join(f'z.b{number}' for number in range(4 * n))}, a.b"]
    cells += ["\n".join(f"y{number}=a" for number in range(n))]
    return completed("\n".join(f"y{number}" for number in range(n)), cells, "f", ())


def large_class(n: int) -> object:
    keys = [frozenset({f"s{number}"}) for number in range(n)]
    rows = [roster.Row(f"S{number}", {}, frozenset(), key, frozenset()) for number, key in enumerate(keys)]
    return roster.compare([Submission(row.name) for row in rows], rows, lambda several: several[0])


GROWING: dict[str, tuple[int, Callable[[int], object]]] = {
    "a chain of attributes": (100, lambda n: reaching("g" + ".b" * n)),
    "a chain into the course": (100, lambda n: reaching("autograd_teach.course" + ".b" * n)),
    "a chain of frames": (50, lambda n: reaching("import sys\nsys" + ".f_back" * n)),
    "calls that set, in each other": (
        20, lambda n: reaching("setattr(vars(np, " * n + f"[{'np,' * 10 * n}]" + "), 'x')" * n),
    ),
    "prints in each other": (20, lambda n: normal_form("print(" * n + ",".join("1" * 50 * n) + ")" * n)),
    "a stub that is looked at for each name": (50, many_stubs),
    "names that the grader gives": (50, many_given),
    "parts of a package": (50, many_parts),
    "a class and its roster": (100, large_class),
}  # fmt: skip
"""A size, and what is done with one: twice as much of it costs about twice as much."""


@pytest.mark.parametrize("name", GROWING)
def test_twice_the_source_takes_no_more_than_twice_the_steps(name: str) -> None:
    size, done = GROWING[name]
    done(size)  # what is loaded or cached at the first time
    assert steps(lambda: done(2 * size)) < 3 * steps(lambda: done(size))


def memory(called: Callable[[], object]) -> int:
    """The most bytes that `called` holds at a time."""
    tracemalloc.start()
    try:
        called()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


HELD: dict[str, Callable[[int], object]] = {
    "a name of many parts": lambda n: reaching(f"__import__('{'.'.join('a' * n)}')"),
    "many from a long module": lambda n: reaching(
        f"from {'a' * n} import {','.join(f'a{number}' for number in range(n))}"
    ),
    "many from far above": lambda n: reaching(f"from {'.' * n} import {','.join(f'a{number}' for number in range(n))}"),
}


@pytest.mark.parametrize("name", HELD)
def test_twice_the_source_takes_no_more_than_twice_the_memory(name: str) -> None:
    HELD[name](2_000)
    assert memory(lambda: HELD[name](4_000)) < 3 * memory(lambda: HELD[name](2_000))


def test_nested_functions_pass_their_names_on_without_a_look_at_all_functions_around_them() -> None:
    def named(depth: int) -> Callable[[], object]:
        return lambda: names_defined("lambda:" * depth + f"({','.join(f'a{n}' for n in range(100))})")

    named(1)()
    assert steps(named(100)) < 3 * steps(named(50))


MANY = 190_000
LARGE = {
    "blank lines": ("\n" * MANY + "import gc", (f"line {MANY + 1}: gc",)),
    "blank lines before magic": ("\n" * MANY + "%x\nimport gc", (f"line {MANY + 2}: gc",)),
    "form feeds": ("\f" * MANY + "import gc", ("line 1: gc",)),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_sources_are_read_through(name: str) -> None:
    source, reached = LARGE[name]
    assert reaching(source) == reached


# ---- accents in a row ------------------------------------------------------------------------------------------------

ACCENTS = {"two in turn": "a" + "\u0301\u0316" * 16, "one that is two": "a" + "\u0f73" * 31}


@pytest.mark.parametrize("accents", ACCENTS.values(), ids=ACCENTS)
def test_nothing_with_more_than_30_accents_in_a_row_is_parsed_or_normalised(
    accents: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    parse, normalize = ast.parse, unicodedata.normalize

    def parsed(text: str, *rest: Any) -> Any:
        seen.append(text)
        return parse(text, *rest)

    def normalised(form: Any, text: str) -> str:
        seen.append(text)
        return normalize(form, text)

    monkeypatch.setattr(ast, "parse", parsed)
    monkeypatch.setattr(unicodedata, "normalize", normalised)
    answer, other = "def f(): return TWO", f"{accents} = 1\nTWO = 2"
    assert completed(answer, [other], "f", ()).source == answer
    assert completed(other, [answer], "f", ()).source == other
    assert stand_in([f"# {accents}\n{answer}"], "f") == ("", 0)
    assert not names_defined(other)
    said = ("line 1: the source was not read: it has more than 30 accents in a row",)
    assert reaching(f"import gc\n{accents} = 1") == said
    assert reaching(f"exec({accents!a})") == said
    assert normal_form(other) == normal_form(f"{other}  # mine")
    assert seen
    assert not [text for text in seen if accents in text]


def test_30_accents_in_a_row_are_read() -> None:
    comment = "# a" + "\u0301" * 30
    assert completed("def f(): return TWO", [f"{comment}\nTWO = 2"], "f", ()).taken == ("TWO",)
    assert reaching(f"{comment}\nimport gc") == ("line 2: gc",)


# ---- what is looked at for each cell, and for each row ---------------------------------------------------------------


class OneByOne(list[Any]):
    """No part of it can be copied."""

    def __getitem__(self, key: Any) -> Any:
        assert isinstance(key, int)
        return super().__getitem__(key)


def test_no_cells_are_copied_for_a_check() -> None:
    one, cells = assignment(), exercise_notebook({"double": "double = abs"})["cells"]
    read = answers._Cells(
        [{key: value for key, value in cell.items() if key not in ("id", "metadata")} for cell in cells]
    )
    read.all = OneByOne(read.all)
    found = answers._Reading(read, one).answers()
    assert found["double"].source == "double = abs"


def test_a_notebook_of_countless_cells_is_refused() -> None:
    cells = [{"cell_type": "code", "source": "check('double', double, [0, 2, 4])"}] * (answers.MOST_CELLS + 1)
    assert answers.read_answers(json.dumps(notebook(cells[1:])).encode(), [assignment()])[0] is not None
    with pytest.raises(Unreadable, match="it has more than 10000 cells"):
        answers.read_answers(json.dumps(notebook(cells)).encode(), [assignment()])


class Rows(np.ndarray):
    """Rows that nobody may look at."""

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize("expected", [[], [1.0], [1.0, {"a": 2}]], ids=len)
def test_rows_of_nothing_are_not_looked_at_where_another_number_of_them_is_due(expected: list[Any]) -> None:
    rows = np.zeros((2**31 - 1, 0)).view(Rows)
    assert [each.kind for each in differences(rows, expected)] == ["length"]


def test_rows_of_an_array_are_compared_with_a_list() -> None:
    assert not list(differences(np.array([[1.0], [2.0]]), [np.array([1.0]), np.array([2.0])]))
    assert [each.path for each in differences(np.array([1.0, 2.0]), [1.0, 3.0])] == ["[1]"]


# ---- words that a student's process chooses --------------------------------------------------------------------------

LONG = "word " * 1_000
WORDS = {
    "a crash": (LONG, "ValueError", Status.FAIL),
    "out of memory": (LONG, "MemoryError", Status.OUT_OF_MEMORY),
    "the end of the program": (LONG, "SystemExit", Status.DIED),
}


@pytest.mark.parametrize("name", WORDS)
def test_words_of_a_reply_are_of_bounded_length(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words, raised, status = WORDS[name]
    verdict = referee.Verdict(("forward is right",), 0, words, raised)
    monkeypatch.setattr(judging, "judge", lambda *given: verdict)
    oracle = judging.Oracle(cast(Any, None), {"09.Scale": exercise("09.Scale")}, Limits(), cast(Any, None))
    outcome = oracle._ask(cast(Any, None), Question("09.Scale", 2, "scale-answer", "scale-check", "Scale"))
    assert outcome.status is status
    assert words[:20] in outcome.detail
    assert len(outcome.detail) < verdicts.LONGEST_WORDS + 50


def test_words_of_a_record_are_of_bounded_length() -> None:
    one = assignment()
    cells = {number: CellRecord("failed", 0.0, LONG) for number in range(len(one.code_cells))}
    mark = verdicts.judge(one, one.questions[0], NotebookRun(cells))
    assert (mark.status, len(mark.detail)) == (Status.FAIL, verdicts.LONGEST_WORDS)


ENDS = {"memory": True, -9: True, 0: True, "any text": False, "=1+1": False, "": False, 1.5: False}


@pytest.mark.parametrize("how", ENDS)
def test_of_a_reply_that_says_how_a_process_ended_only_numbers_and_memory_are_believed(how: Any) -> None:
    text = wire.dump({"end": how})
    with pytest.raises(wire.AtEnd if ENDS[how] else wire.Broken):
        referee.judge(exercise("09.Scale"), lambda question, size: wire.padded(text, size), 0)


REPORTS = {
    '{"begun": Infinity}': None,
    '{"number": 0, "outcome": "passed", "seconds": 1' + "0" * 400 + ', "message": ""}': None,
    '{"stopped": "pass"}': None,
    '{"stopped": "not_attempted"}': None,
    '{"stopped": ["timeout"]}': None,
    '{"stopped": "timeout"}': Status.TIMEOUT,
    '{"stopped": "died"}': Status.DIED,
    '{"stopped": "output_limit"}': Status.OUTPUT_LIMIT,
}
"""A line of a report, and what stopped the run; None: the report is not readable."""


@pytest.mark.parametrize("line", REPORTS)
def test_a_report_is_believed_only_what_stops_a_run(line: str) -> None:
    found = _read(line.encode() + b"\n", 3)
    assert found.stopped is (REPORTS[line] or Status.PROTOCOL_ERROR)
    assert found.detail == ("" if REPORTS[line] else "its report is not readable")
