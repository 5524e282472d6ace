"""A right answer passes however it is written; a wrong one fails and is named; both with our engine and with PyTorch."""

import dataclasses
import functools
import importlib
import inspect
import re
import signal
from collections import Counter

import numpy as np
import pytest

from autograd_teach.course import NotPassed, check
from autograd_teach.course import exercises as registry
from autograd_teach.course.checking import report_on
from autograd_teach.course.checks.call.asking import plain
from autograd_teach.course.checks.call.diagnoses import CALL_TABLE
from autograd_teach.course.checks.explaining import written_out
from autograd_teach.course.checks.function import DIAGNOSES
from autograd_teach.course.checks.relations import RELATED
from autograd_teach.course.checks.spec import specified
from autograd_teach.course.content import folder
from autograd_teach.course.exercises import exercise as exercise_of
from autograd_teach.course.exercises import exercises
from autograd_teach.course.notebooks import read_notebook
from autograd_teach.course.specs import e01_requires_grad, e08_in_place, spec_of
from tests.course import table
from tests.libraries import LIBRARIES


def numbered(table_rows, is_long=lambda row: False):
    """A parameter a row; those that are `is_long` run with the long tests."""
    return [
        pytest.param(number, id=f"{row[0]}-{table.name(row[1])}", marks=[pytest.mark.full] if is_long(row) else [])
        for number, row in enumerate(table_rows)
    ]


_seen = set()


def is_another(row):
    """Whether an earlier wrong answer to the same exercise has the same diagnosis."""
    exercise, _, diagnosis, _ = row
    known = (exercise, diagnosis) in _seen
    _seen.add((exercise, diagnosis))
    return known


RIGHT, WRONG = numbered(table.right()), numbered(table.wrong(), is_another)


def rows(kind, engine):
    if engine == "torch":
        warm_up(importlib.import_module("torch"))
    return getattr(table, kind)(engine)


@functools.cache
def warm_up(torch):
    """The first use of these makes PyTorch import for seconds, longer than an answer may take. Its threads wait by computing."""
    torch.set_num_threads(1)
    x = torch.ones(1, requires_grad=True)
    torch.autograd.grad(x * x, x, torch.ones(1))
    torch.optim.SGD([x], lr=1.0)


ENOUGH = 60.0
"""Seconds for answers under PyTorch, which is slower in small steps than the engine that the limits are made for."""


def allow(monkeypatch, exercise, seconds):
    """Let an answer to `exercise` compute for so long, and no longer."""
    shorter = dataclasses.replace(exercise_of(exercise), seconds=seconds)
    monkeypatch.setitem(registry._BY_ID, exercise, shorter)


HINT = '<details class="agt-hint">'


@pytest.mark.parametrize("number", RIGHT)
@pytest.mark.parametrize("engine", LIBRARIES)
def test_a_right_answer_passes(engine, number, monkeypatch):
    exercise, answer = rows("right", engine)[number]
    if engine == "torch":
        allow(monkeypatch, exercise, ENOUGH)
    report = report_on(exercise, answer)
    assert report.passed, repr(report)
    assert not report.findings
    assert HINT not in report._repr_html_()


@pytest.mark.parametrize("number", WRONG)
@pytest.mark.parametrize("engine", LIBRARIES)
def test_a_wrong_answer_is_caught_and_named(engine, number, monkeypatch):
    exercise, answer, diagnosis, words = rows("wrong", engine)[number]
    if diagnosis == "timeout":
        allow(monkeypatch, exercise, 0.3)
    elif engine == "torch":
        allow(monkeypatch, exercise, ENOUGH)
    report = report_on(exercise, answer)
    page = report._repr_html_()
    assert report.attempted and not report.passed, repr(report)
    found = {finding.name: finding.message for finding in report.findings}
    called = " and ".join(map(repr, found)) or "nothing"
    assert diagnosis in found, f"this answer is called {called}, not {diagnosis!r}:\n{report!r}"
    assert words and words in found[diagnosis], f"{words!r} is not in the message of {diagnosis!r}:\n{report!r}"
    assert not report.evidence.faults
    assert len(found) <= 2, "one mistake must not be called many"
    assert "FAIL" in page and report.headline in page
    hints = len(exercise_of(exercise).hints)
    assert 2 <= hints <= 3
    assert page.count(HINT) == hints and "</details>" * hints in page, "one inside the other"


@pytest.mark.parametrize("number", [at for at, row in enumerate(table.wrong()) if row[0] == "00.local_slopes"])
def test_the_table_shows_the_input_that_the_first_message_names(number):
    exercise, answer, _, _ = table.wrong()[number]
    report = report_on(exercise, answer)
    named = re.search(r"for name = '(\w+)', u = (\S+), v = ([^,;\s]+)", report.findings[0].message)
    shown = [report.failing_input.get(argument) for argument in ("name", "u", "v")]
    assert not named or shown == [repr(named[1]), named[2].rstrip(","), named[3]], repr(report)


def test_every_exercise_has_answers_enough():
    right = Counter(row[0] for row in table.right())
    wrong = Counter(row[0] for row in table.wrong())
    for each in exercises():
        module, fewer = each.notebook[:2], f"{each.id} has {right[each.id]} right and {wrong[each.id]} wrong answers"
        where = f"add some to right_{module}.py and wrong_{module}.py in tests/course/answers, at least 3 and 4"
        assert right[each.id] >= 3 and wrong[each.id] >= 4, f"{fewer}; {where}"


def test_every_diagnosis_is_proven_by_a_wrong_answer():
    proven = {diagnosis for _, _, diagnosis, _ in [*table.wrong(), *table.generic()]}
    own = {each.name for exercise in exercises() for each in getattr(spec_of(exercise), "also", ())}
    named = {row.name for row in [*DIAGNOSES, *CALL_TABLE]} - {"numbers"} | {name for name, _ in RELATED}
    assert named | own == proven


def test_the_flags_that_are_to_be_predicted_are_those_of_the_program():
    names: dict[str, object] = {}
    exec(f"import autograd_teach as torch\n{e01_requires_grad.LISTING}", names)  # noqa: S102
    for name, flags in e01_requires_grad.FLAGS.items():
        assert {flag: getattr(names[name], flag) for flag in flags} == flags, name


@pytest.mark.parametrize("engine", LIBRARIES)
@pytest.mark.parametrize("name", e08_in_place.PROGRAMS)
def test_the_in_place_errors_that_are_to_be_predicted_are_those_of_the_programs_08_(engine, name):
    if engine == "torch":
        warm_up(importlib.import_module("torch"))
    names: dict[str, object] = {"torch": importlib.import_module(engine)}
    program = e08_in_place.PROGRAMS[name]
    assert outcome(program, e08_in_place.SLOPES.get(name), names) == e08_in_place.OUTCOMES[name]
    notebook = read_notebook(folder("exercises") / "08_in_place.ipynb")
    statement = next(cell.source for cell in notebook.cells if cell.id == "predict-in-place-errors-statement")
    assert f"# {name}\n{program}\n" in statement


def outcome(program, slope, names):
    exec(e08_in_place.START, names)  # noqa: S102
    values = names["x"].detach().numpy().copy()
    try:
        exec(program, names)  # noqa: S102
    except RuntimeError as error:
        assert "leaf Variable that requires grad" in str(error)
        return "leaf"
    try:
        names["loss"].backward()
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        return "saved"
    return "fine" if np.allclose(names["x"].grad.numpy(), slope(values), rtol=1e-5) else "wrong"


ALWAYS_THE_SAME = {
    "01.predict_flags": "a prediction about one program, which the statement shows",
    "08.predict_in_place_errors": "a prediction about programs that the statement shows",
}
"""Exercises that have nothing to draw, and why."""


@pytest.mark.parametrize("exercise", exercises(), ids=lambda each: each.id)
def test_another_seed_draws_other_inputs_with_other_results(exercise):
    """So that nothing is gained by learning what the checks ask by heart."""
    drawn = [list(spec_of(exercise).inputs(np.random.default_rng(seed))) for seed in range(4)]
    seen = {repr([list(map(in_full, arguments)) for arguments in calls]) for calls in drawn}
    results = {repr([right(exercise, arguments) for arguments in calls]) for calls in drawn}
    if exercise.id in ALWAYS_THE_SAME:
        assert len(seen) == 1 and exercise.kind == "value"
    else:
        assert len(seen) == len(results) == len(drawn)
        assert all(len(calls) >= 2 for calls in drawn), "several shapes or values"


def in_full(argument):
    if isinstance(argument, np.ndarray):
        return argument.tolist()
    return in_full(list(vars(argument).values())) if hasattr(argument, "for_student") else argument


def right(exercise, arguments):
    spec = spec_of(exercise)
    specification = getattr(spec, "result", None) or spec.forward
    result = specification(*map(specified, arguments))
    return in_full(result) if isinstance(result, np.ndarray) else plain(result)


def test_no_message_of_an_exercise_names_its_solution():
    for each in exercises():
        for mistake in written_out(spec_of(each)):
            assert not re.search(r"\breturn [^s]", mistake.message), mistake.message
            assert mistake.forward or mistake.vjp or mistake.where, mistake.message


@pytest.mark.parametrize("exercise", exercises(), ids=lambda each: each.id)
def test_the_stub_is_not_attempted(exercise):
    """What a student gets, as it stands in the released notebook."""
    cells = {cell.id: cell.source for cell in read_notebook(folder("exercises") / f"{exercise.notebook}.ipynb").cells}
    names: dict[str, object] = {"__name__": "stub"}
    exec("\n".join((cells["setup"], cells[exercise.answer_cell])), names)  # noqa: S102
    stub = names[exercise.entry]
    report = report_on(exercise.id, stub)
    assert not report.attempted and not report.passed
    assert "not attempted yet" in report.headline
    assert repr(report).count("\n") == 1
    if exercise.kind in ("gradcheck", "declared"):
        assert "agt-maps" in report._repr_html_(), "the target is drawn all the same"
    with pytest.raises(NotPassed, match="not attempted yet"):
        check(exercise.id, stub)


def test_a_failed_check_shows_a_report_and_raises_one_line(capsys):
    scale = next(answer for _, answer, *_ in table.wrong() if table.name(answer) == "ScaleTwice")
    with pytest.raises(NotPassed) as caught:
        check("09.Scale", scale)
    assert caught.value._render_traceback_() == [
        ("NotPassed: Scale: 6 of 7 checks pass - the gradient: it is twice what it must be")
    ]
    assert capsys.readouterr().out == (
        "Scale: 6 of 7 checks pass (0 of 2 points)\n"
        "  pass  a Function with static methods forward and backward\n"
        "  pass  forward and backward run without an error, for every shape tried\n"
        "  pass  forward returns the specified values, shape and dtype\n"
        "  pass  backward returns a gradient of its shape for each tensor, None for anything else\n"
        "  FAIL  the gradient agrees with the numerical one, for random grad_output\n"
        "  pass  the arguments, the result and grad_output are left unchanged\n"
        "  pass  calling it again gives the same, calls do not disturb each other\n"
        "-> the gradient: it is twice what it must be\n"
        "A small failing input:\n"
        "  x            [ 0.948, -0.725,  0.199]\n"
        "  factor       3.5\n"
        "  grad_output  [-0.491, -1.544,  1.742]\n"
        "  numerical    [-1.717, -5.404,  6.096]\n"
        "  yours        [ -3.434, -10.808,  12.193]\n"
        'Stuck? Run hint("09.Scale") in a cell of its own.\n'
    )


def test_a_passed_check_prints_its_points_and_raises_nothing(capsys):
    exercise, answer = next(row for row in table.right() if row[0] == "09.KillHead")
    check(exercise, answer)
    assert capsys.readouterr().out.startswith("KillHead: 7 of 7 checks pass (2 points)\n")


def test_a_diagnosis_that_raises_is_passed_over_and_kept(monkeypatch):
    def broken(evidence):
        raise KeyError("no such entry")

    rows = (dataclasses.replace(DIAGNOSES[0], explains=("gradient",), recognise=broken), *DIAGNOSES)
    monkeypatch.setattr("autograd_teach.course.checks.function.DIAGNOSES", rows)
    twice = next(answer for _, answer, *_ in table.wrong() if table.name(answer) == "ScaleTwice")
    report = report_on("09.Scale", twice)
    assert [finding.name for finding in report.findings] == ["known"]
    assert report.evidence.faults == [f"{DIAGNOSES[0].name}: KeyError: 'no such entry'"]


def test_apply_stands_for_its_class():
    functions = {exercise: answer for exercise, answer in table.right() if hasattr(answer, "apply")}
    assert len(functions) > 20
    for exercise, answer in functions.items():
        assert report_on(exercise, answer.apply).passed, exercise


def test_a_crash_names_the_students_own_line():
    typo = next(answer for _, answer, *_ in table.wrong() if table.name(answer) == "ScaleTypo")
    lines, first = inspect.getsourcelines(typo.backward)
    (finding,) = report_on("09.Scale", typo).findings
    assert f"line {first + len(lines) - 1}:" in finding.message


def test_a_check_after_an_endless_loop_works(monkeypatch):
    endless = next(answer for _, answer, *_ in table.wrong() if table.name(answer) == "ScaleEndless")
    allow(monkeypatch, "09.Scale", 0.3)
    assert not report_on("09.Scale", endless).passed
    for clock in (signal.ITIMER_REAL, signal.ITIMER_PROF) if hasattr(signal, "getitimer") else ():
        assert signal.getitimer(clock) == (0.0, 0.0), "no alarm is left that could still ring"
    assert all(report_on(*row).passed for row in table.right()[:12])


def test_what_an_answer_prints_is_hidden_and_said_so(capsys):
    import autograd_teach as torch
    from autograd_teach.autograd import Function

    class Chatty(Function):
        @staticmethod
        def forward(ctx, x):
            print("hello")
            return torch.sin(x)

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output

    report = report_on("09.Exp", Chatty)
    assert "hello" not in capsys.readouterr().out
    assert "What your code prints is hidden" in repr(report)


def test_the_page_marks_exactly_the_wrong_entries_and_needs_no_script():
    off = next(answer for _, answer, *_ in table.wrong() if table.name(answer) == "KillHeadOffByOne")
    page = report_on("09.KillHead", off)._repr_html_()
    assert page.count('class="agt-wrong"') == 4  # Two entries, in the analytical map and in the difference.
    assert "A cross marks the 2 wrong of 36 entries" in page
    assert "<script" not in page and "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_report_is_the_same_each_time():
    for exercise, answer, *_ in table.wrong():
        if table.name(answer) in ("ExpLocal", "KillHeadRows", "ScaleFactorSquared"):
            assert report_on(exercise, answer)._repr_html_() == report_on(exercise, answer)._repr_html_()


RIGHT_FOR_ONES = ("BroadcastAddLargest",)
"""gradcheck asks with one 1 and zeros, whose largest is their sum: the checks ask with other numbers too."""


@pytest.mark.full
@pytest.mark.parametrize("engine", LIBRARIES)
def test_gradcheck_agrees_with_the_checks(engine):
    """Two numerical derivatives, written apart from each other, must say the same."""
    if engine == "torch":
        warm_up(importlib.import_module("torch"))
    torch = importlib.import_module(engine)
    for id, answer in table.right(engine):
        if exercise_of(id).kind == "gradcheck":
            for arguments in spec_of(exercise_of(id)).inputs(np.random.default_rng(1)):
                assert torch.autograd.gradcheck(applied(answer, id), as_inputs(torch, arguments))
    for id, answer, diagnosis, _ in table.wrong(engine):
        if exercise_of(id).kind == "gradcheck" and diagnosis in (
            "sign",
            "factor",
            "some_entries",
            "wrong_gradient",
            "grad_output_forgotten",
        ):
            drawn = [as_inputs(torch, each) for each in spec_of(exercise_of(id)).inputs(np.random.default_rng(1))]
            fits = all(torch.autograd.gradcheck(applied(answer, id), each, raise_exception=False) for each in drawn)
            assert fits == (table.name(answer) in RIGHT_FOR_ONES)


def applied(answer, id):
    """The Function, called with a copy of what it is to change: a leaf must not be changed."""
    in_place = exercise_of(id).form.in_place
    return lambda *arguments: answer.apply(*(a.clone() if n in in_place else a for n, a in enumerate(arguments)))


def as_inputs(torch, arguments):
    return tuple(
        torch.tensor(a, requires_grad=a.dtype.kind == "f") if isinstance(a, np.ndarray) else a for a in arguments
    )


def test_a_class_whose_newer_definition_failed_is_said_to_be_the_older_one(tmp_path):
    """In a notebook: a syntax error leaves the class of before in place, and its report would mislead."""
    from nbformat.v4 import new_code_cell, new_notebook

    from autograd_teach.course.notebooks import execute

    broken = STUB.replace("(ctx, x, factor):", "(ctx, x, factor)", 1)
    cells = ["from autograd_teach.autograd import Function\nfrom autograd_teach.course import check"]
    cells += [STUB, CHECK, broken, CHECK, STUB, CHECK]
    notebook = new_notebook(cells=[new_code_cell(each, metadata={"tags": ["raises-exception"]}) for each in cells])
    ran = execute(notebook, tmp_path).cells
    shown = [str(ran[i].outputs[0].data["text/plain"]) for i in (2, 4, 6)]
    assert ["The last cell that defines `Scale` ended in an error" in text for text in shown] == [False, True, False]


CHECK = 'check("09.Scale", Scale)'
STUB = """class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        raise NotImplementedError()

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError()
"""
