"""What a check shows and keeps, beside the verdicts that test_answers.py tests: reports, inputs, stubs, predictions, crashes."""

import dataclasses
import importlib
import inspect
import re
import signal

import numpy as np
import pytest

import autograd_teach as torch
from autograd_teach.autograd import Function
from autograd_teach.course import NotPassed, check
from autograd_teach.course.checking import report_on
from autograd_teach.course.checks.call.asking import plain
from autograd_teach.course.checks.function import DIAGNOSES
from autograd_teach.course.checks.spec import specified
from autograd_teach.course.content import folder
from autograd_teach.course.exercises import exercise as exercise_of
from autograd_teach.course.exercises import exercises
from autograd_teach.course.notebooks import read_notebook
from autograd_teach.course.specs import e01_requires_grad, e08_in_place, spec_of
from autograd_teach.course.validate import written_out
from tests.course.table import cells, find
from tests.course.test_answers import allow, warm_up
from tests.libraries import LIBRARIES

LOCAL_SLOPES = [cell for cell in cells("wrong") if cell.exercise == "00.local_slopes"]


@pytest.mark.parametrize("cell", LOCAL_SLOPES, ids=lambda cell: cell.what)
def test_the_table_shows_the_input_that_the_first_message_names(cell):
    report = report_on(cell.exercise, cell.answer())
    named = re.search(r"for name = '(\w+)', u = (\S+), v = ([^,;\s]+)", report.findings[0].message)
    shown = [report.failing_input.get(argument) for argument in ("name", "u", "v")]
    assert not named or shown == [repr(named[1]), named[2].rstrip(","), named[3]], repr(report)


def test_the_flags_that_are_to_be_predicted_are_those_of_the_program():
    names: dict[str, object] = {}
    exec(f"import autograd_teach as torch\n{e01_requires_grad.LISTING}", names)  # noqa: S102
    for name, flags in e01_requires_grad.FLAGS.items():
        assert {flag: getattr(names[name], flag) for flag in flags} == flags, name


@pytest.mark.parametrize("engine", LIBRARIES)
@pytest.mark.parametrize("name", e08_in_place.PROGRAMS)
def test_the_in_place_errors_that_are_to_be_predicted_are_those_of_the_programs_08_(engine, name):
    if engine == "torch":
        warm_up()
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
    if exercise.kind in FUNCTIONS:
        assert "agt-maps" in report._repr_html_(), "the target is drawn all the same"
    with pytest.raises(NotPassed, match="not attempted yet"):
        check(exercise.id, stub)


def test_a_failed_check_shows_a_report_and_raises_one_line(capsys):
    scale = find("09.Scale", "wrong", "twice").answer()
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
    check("09.KillHead", find("09.KillHead", "right").answer())
    assert capsys.readouterr().out.startswith("KillHead: 7 of 7 checks pass (2 points)\n")


def test_a_diagnosis_that_raises_is_passed_over_and_kept(monkeypatch):
    def broken(evidence):
        raise KeyError("no such entry")

    rows = (dataclasses.replace(DIAGNOSES[0], explains=("gradient",), recognise=broken), *DIAGNOSES)
    monkeypatch.setattr("autograd_teach.course.checks.function.DIAGNOSES", rows)
    report = report_on("09.Scale", find("09.Scale", "wrong", "twice").answer())
    assert [finding.name for finding in report.findings] == ["known"]
    assert report.evidence.faults == [f"{DIAGNOSES[0].name}: KeyError: 'no such entry'"]


FUNCTIONS = ("gradcheck", "declared")
"""Kinds of exercises that a custom Function answers."""


def test_apply_stands_for_its_class():
    functions = {cell.exercise: cell for cell in cells("right") if exercise_of(cell.exercise).kind in FUNCTIONS}
    assert len(functions) > 20
    for exercise, cell in functions.items():
        assert report_on(exercise, cell.answer().apply).passed, exercise


def test_a_crash_names_the_students_own_line():
    typo = find("09.Scale", "wrong", "typo").answer()
    lines, first = inspect.getsourcelines(typo.backward)
    (finding,) = report_on("09.Scale", typo).findings
    assert f"line {first + len(lines) - 1}:" in finding.message


def test_a_check_after_an_endless_loop_works(monkeypatch):
    allow(monkeypatch, "09.Scale", 0.3)
    assert not report_on("09.Scale", find("09.Scale", "wrong", "endless").answer()).passed
    for clock in (signal.ITIMER_REAL, signal.ITIMER_PROF) if hasattr(signal, "getitimer") else ():
        assert signal.getitimer(clock) == (0.0, 0.0), "no alarm is left that could still ring"
    assert all(report_on(cell.exercise, cell.answer()).passed for cell in cells("right")[:12])


def test_what_an_answer_prints_is_hidden_and_said_so(capsys):
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
    page = report_on("09.KillHead", find("09.KillHead", "wrong", "off by one").answer())._repr_html_()
    assert page.count('class="agt-wrong"') == 4  # Two entries, in the analytical map and in the difference.
    assert "A cross marks the 2 wrong of 36 entries" in page
    assert "<script" not in page and "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_report_is_the_same_each_time():
    for exercise, start in (("09.Exp", "local"), ("09.KillHead", "rows"), ("09.Scale", "factor squared")):
        answer = find(exercise, "wrong", start).answer()
        assert report_on(exercise, answer)._repr_html_() == report_on(exercise, answer)._repr_html_()


FITS_ALL_THE_SAME = {
    # gradcheck asks with one 1 and zeros, which are their own squares, are not clipped, and whose largest is their sum
    "09.Scale wrong: grad_output enters twice: the gradient is only right for grad_output of ones",
    "09.Exp wrong: clipped",
    "12.BroadcastAdd wrong: largest",
    # by less than gradcheck looks at
    "09.Exp wrong: the gradient is a little too large",
    # gradcheck lets all arguments require grad together
    "10.RepairMatVec wrong: needs_input_grad is asked with the indices swapped: if only one argument requires grad, it gets None",
    "12.Linear wrong: the questions for x and weight are mixed up: computes the gradient of x if weight needs one",
    "12.MatMul wrong: the questions are mixed up: the gradient of a depends on whether b needs one",
    "15.FixedPoint wrong: a single None if W needs no gradient",
    "15.FixedPoint wrong: entry 0 decides on both",
    "15.FixedPoint wrong: no place for what is not needed",
    "15.FixedPoint wrong: the entries are swapped",
}
"""Wrong gradients that gradcheck accepts, and the checks do not."""


@pytest.mark.full
@pytest.mark.parametrize("engine", LIBRARIES)
def test_gradcheck_agrees_with_the_checks(engine):
    """Two numerical derivatives, written apart from each other, must say the same, but where the checks ask for more."""
    if engine == "torch":
        warm_up()
    torch = importlib.import_module(engine)
    surprises = []
    for cell in cells("right", "wrong"):
        right = cell.kind == "right"
        if exercise_of(cell.exercise).kind != "gradcheck":
            continue
        if right or report_on(cell.exercise, cell.answer()).failed == ["gradient"]:
            drawn = spec_of(exercise_of(cell.exercise)).inputs(np.random.default_rng(1))
            called, asked = applied(cell.answer(engine), cell.exercise), [as_inputs(torch, each) for each in drawn]
            fits = all(torch.autograd.gradcheck(called, each, raise_exception=False) for each in asked)
            surprises += [str(cell)] if fits != right else []
    assert set(surprises) == FITS_ALL_THE_SAME


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


def test_what_a_cell_asks_of_numpy_is_asked_of_the_answer_alone() -> None:
    """An error would show a line of a reference."""
    asked = []

    class Softplus(Function):
        @staticmethod
        def forward(ctx, x):
            asked.append(np.geterr()["under"])
            return torch.tensor(np.logaddexp(0, -x.numpy()))

        backward = staticmethod(lambda ctx, grad_output: grad_output)

    with np.errstate(all="raise"):
        assert not report_on("14.Softplus", Softplus).passed
    assert set(asked) == {"raise"}
