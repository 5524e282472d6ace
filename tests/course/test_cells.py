"""What the cells that have run say of an answer: that one of them ended in an error, or is still half a stub."""

import json

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from autograd_teach.course import NotPassed, cells, check_in_kernel, checking, progress_file

SETUP = "from autograd_teach.autograd import Function\nfrom autograd_teach.course import check"
SCALE = """class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None
"""
HALF = SCALE.replace("        return x", "        raise NotImplementedError()\n        return x")
STUB = SCALE.replace("ctx.factor = factor\n        return x * factor", "raise NotImplementedError()").replace(
    "return grad_output * ctx.factor, None", "raise NotImplementedError()"
)
AGAIN = "and the grader runs the whole cell: fix or remove that line, run the cell, then check again."


@pytest.fixture
def shell(monkeypatch):
    """IPython, in which errors are noted as in a notebook; what is shown and what is noted of progress is kept."""
    made = InteractiveShell.instance(config=Config(HistoryManager=Config(enabled=False)))
    made.shown, made.noted = [], {}
    monkeypatch.setattr(cells, "_errors", {})
    monkeypatch.setattr(checking, "_show", made.shown.append)
    monkeypatch.setattr(made, "showtraceback", lambda *_, **__: None)
    monkeypatch.setattr(made, "showsyntaxerror", lambda *_, **__: None)
    monkeypatch.setattr(progress_file, "note_check", lambda id, passed, *_, **__: made.noted.update({id: passed}))
    checking._listen()
    yield made
    InteractiveShell.clear_instance()


def run(shell, *sources):
    """The result of the last of these cells."""
    return [shell.run_cell(each, store_history=True) for each in (SETUP, *sources)][-1]


CHECK = 'check("09.Scale", Scale)'
ENDED = {
    "well": ([SCALE], None),
    "a try that raises": ([f"{SCALE}\nScale.apply(3)"], "(line 11: TypeError: "),
    "a name that is not there": (
        [f"{SCALE}\nprint(undefined)"],
        "(line 11: NameError: name 'undefined' is not defined)",
    ),
    "an assertion": ([f"{SCALE}\nassert False"], "(line 11: AssertionError)"),
    "an error in a helper": ([f"{SCALE}\ndef g():\n    1 / 0\ng()"], "(line 13: ZeroDivisionError: division by zero)"),
    "an exit": ([f"{SCALE}\nraise SystemExit"], "(line 11: SystemExit)"),
    "a syntax error after a pass": (
        [SCALE, SCALE.replace("x, factor):", "x, factor)")],
        "(line 3: SyntaxError: expected ':')",
    ),
    "a wrong indent": ([SCALE, f"{SCALE}\n   x = 1"], "(line 11: IndentationError: un"),
    "an error that was mended": ([f"{SCALE}\n1 / 0", SCALE], None),
    "an error that went away": (["y = 0", f"{SCALE}\n1 / y", "y = 1", f"{SCALE}\n1 / y"], None),
    "in a later cell that tries it": ([SCALE, "Scale.apply(3)", "class Other: pass\n1 / 0"], None),
    "in a cell before": (["1 / 0", SCALE], None),
    "with the check in it": ([f"{SCALE.replace('* ctx', '+ ctx')}\n{CHECK}", SCALE + CHECK], None),
    "in a check that is right since then": ([f"f = 1\n{SCALE.replace('ctx.factor,', 'f,')}\n{CHECK}"], None),
}


@pytest.mark.parametrize(("sources", "words"), ENDED.values(), ids=ENDED)
def test_an_answer_whose_cell_ends_in_an_error_is_no_pass_and_is_told_why(sources, words, shell):
    raised = run(shell, *sources, CHECK).error_in_exec
    text = repr(shell.shown[-1])
    if words is None:
        assert "ended in an error" not in text
    else:
        assert isinstance(raised, NotPassed) and shell.noted == {"09.Scale": False} or len(sources) > 1
        assert f"The last cell that defines `Scale` ended in an error {words}" in text and AGAIN in text
        assert "7 of 7 checks pass (0 of 2 points)" in text and str(raised).endswith(AGAIN)
    assert shell.noted["09.Scale"] == (raised is None)


def test_the_command_says_the_same(shell, capsys):
    run(shell, f"{SCALE}\nScale.apply(3)")
    check_in_kernel.print_outcomes(["09.Scale"], shell.user_ns, saved=0.0)
    text = capsys.readouterr().out.strip().rpartition(check_in_kernel.BEGIN)[2]
    (outcome,) = json.loads(text.removesuffix(check_in_kernel.END))
    assert (outcome["passed"], outcome["passing"]) == (False, 7) and outcome["message"].endswith(AGAIN)


def test_a_right_answer_under_another_name_is_no_pass(shell):
    better = SCALE.replace("Scale", "Better")
    stop = run(shell, STUB, better, CHECK.replace("Scale)", "Better)")).error_in_exec
    assert str(stop).endswith(
        "The grader takes the object named `Scale`, but you checked another one: give it that name."
    )
    assert shell.noted == {"09.Scale": False}
    for same in ("Better", "Better.apply", "Scale.apply"):
        assert run(shell, f"{better}\nScale = Better", CHECK.replace("Scale)", f"{same})")).error_in_exec is None, same
    again = f"{SCALE}\nscale = Scale.apply"
    assert run(shell, again, CHECK.replace("Scale)", "scale)")).error_in_exec is None


STANDS = {
    "above what was written": (HALF, "Line 5 of the cell is still `raise NotImplementedError()`: remove it."),
    "an untouched stub": (STUB, None),
    "a stub with a sentence": (STUB.replace("        raise", '        """Mine."""\n        raise'), None),
}


@pytest.mark.parametrize(("source", "words"), STANDS.values(), ids=STANDS)
def test_a_raise_that_was_left_is_named_where_something_else_was_written(source, words, shell):
    said = str(run(shell, source, CHECK).error_in_exec)
    assert said.startswith("Scale: not attempted yet")
    assert said.endswith("not attempted yet" if words is None else words)


def test_a_check_that_is_stopped_says_so_in_one_line_and_stops_what_follows(shell, capsys):
    stopping = SCALE.replace("        return x", "        raise KeyboardInterrupt\n        return x")
    stop = run(shell, stopping, CHECK).error_in_exec
    line = "the check was stopped (at line 5 of your answer)"
    assert type(stop) is KeyboardInterrupt and stop._render_traceback_() == [f"KeyboardInterrupt: {line}"]
    check_in_kernel.print_outcomes(["09.Scale"], shell.user_ns, saved=0.0)
    assert json.dumps(line) in capsys.readouterr().out
