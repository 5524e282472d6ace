"""`autograd-teach graph`: a script's variable drawn to a file or told as text, and every mistake in one sentence."""

import textwrap

import pytest

from autograd_teach.cli import main

SCRIPT = """
import sys
import autograd_teach as torch
from autograd_teach import viz
import beside

assert __name__ == "__main__" and sys.argv == [__file__], sys.argv
weights = [torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)]
loss = beside.square(weights[0]) * weights[1]
both = [loss, weights[0] * 2]
picture = viz.play(loss)
check = viz.jacobian(lambda x: x * 2, torch.ones(2, dtype=torch.float64, requires_grad=True))
number = 3


class model:
    out = loss
"""


@pytest.fixture
def script(tmp_path):
    (tmp_path / "train.py").write_text(textwrap.dedent(SCRIPT))
    (tmp_path / "beside.py").write_text("def square(x):\n    return x * x\n")
    return tmp_path / "train.py"


def test_the_text_tree_is_printed_with_the_names_of_the_script(script, capsys):
    assert main(["graph", f"{script}:loss"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("output loss, shape (), 12\n")
    assert "AccumulateGrad of weights[0]" in told and "AccumulateGrad of weights[1]" in told


@pytest.mark.parametrize(
    "variable, ending, starts",
    [
        ("loss", "svg", b"<svg"),
        ("loss", "png", b"\x89PNG"),
        ("loss", "pdf", b"%PDF"),
        ("both", "dot", b"digraph"),
        ("model.out", "html", b"<!doctype html>"),
        ("weights[0]", "svg", b"<svg"),
        ("picture", "svg", b"<svg"),
        ("check", "svg", b"<svg"),
    ],
)
def test_the_ending_says_what_is_written(script, tmp_path, capsys, variable, ending, starts):
    target = tmp_path / f"graph.{ending}"
    target.write_text("an older picture")
    assert main(["graph", f"{script}:{variable}", "-o", str(target)]) == 0
    assert target.read_bytes().startswith(starts)
    assert capsys.readouterr().out == f"wrote {target}\n"


def test_play_draws_the_backward_pass(script, capsys):
    assert main(["graph", f"{script}:loss", "--play"]) == 0
    assert "backward starts here" in capsys.readouterr().out


def test_saved_tensors_are_told_if_asked_for(script, capsys):
    assert main(["graph", f"{script}:loss", "--saved"]) == 0
    assert "saved " in capsys.readouterr().out


@pytest.mark.parametrize(
    "place, sentence",
    [
        ("train.py", "say which variable of the script to draw: autograd-teach graph train.py:loss"),
        ("nothing.py:loss", "there is no file nothing.py"),
        ("train.py:los", "train.py has no variable los; did you mean loss?"),
        ("train.py:model.inside", "model of train.py has no attribute inside"),
        ("train.py:number", "number: Nothing to draw for an int: give a tensor, such as the result of a computation."),
        ("raises.py:loss", "raises.py raises ZeroDivisionError; the traceback is above"),
        ("leaves.py:loss", "leaves.py exited with status 3, so its variables are lost"),
        ("plain.py:loss", "plain.py has no variable loss and no tensor"),
    ],
)
def test_a_mistake_is_one_sentence_and_status_2(script, monkeypatch, capsys, place, sentence):
    monkeypatch.chdir(script.parent)
    for name, text in {"raises": "x = 1\nx / 0\n", "leaves": "import sys\nsys.exit(3)\n", "plain": "x = 1\n"}.items():
        (script.parent / f"{name}.py").write_text(text)
    assert main(["graph", place]) == 2
    told = capsys.readouterr()
    assert told.err.splitlines()[-1] == f"autograd-teach: {sentence}"
    assert told.out == ""
    if "raises" in place:
        assert told.err.splitlines()[:2] == [
            "Traceback (most recent call last):",
            '  File "raises.py", line 2, in <module>',
        ]


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("graph.jpg", "unknown file type 'graph.jpg': the name must end in .svg, .dot, .png, .pdf, .html"),
        ("no/such/graph.svg", "cannot write no/such/graph.svg: No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_written_is_said(script, monkeypatch, capsys, name, sentence):
    monkeypatch.chdir(script.parent)
    assert main(["graph", "train.py:loss", "-o", name]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"autograd-teach: {sentence}"


def test_a_chart_has_no_graph_to_write(script, tmp_path, capsys):
    assert main(["graph", f"{script}:check", "-o", str(tmp_path / "check.png")]) == 2
    assert "can be saved as .svg or .html, not as .png" in capsys.readouterr().err
