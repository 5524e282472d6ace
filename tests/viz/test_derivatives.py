"""`viz.jacobian` and `viz.gradcheck_eps`: what they say of right and of wrong derivatives, and of what has none."""

import importlib
import xml.etree.ElementTree as ET

import pytest

import autograd_teach
from autograd_teach import viz

SVG = "{http://www.w3.org/2000/svg}"


def point(lib, *values, dtype="float64", requires_grad=True):
    return lib.tensor(list(values), dtype=getattr(lib, dtype), requires_grad=requires_grad)


def wrong_square(lib, factor=0.5, at=1):
    """x² with a backward that is wrong by a factor in one entry."""

    class Square(importlib.import_module(lib.__name__ + ".autograd").Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            result = g * 2 * x
            result[at] = result[at] * factor
            return result

    return Square.apply


def frames(view):
    """The marked cells of the picture."""
    return sum(path.get("class") == "agt-wrong" for path in ET.fromstring(view.svg).iter(f"{SVG}path"))


def test_a_right_derivative_agrees_everywhere(lib):
    view = viz.jacobian(lambda x: (x * x).cumsum(0), point(lib, 1.0, 2.0, 3.0))
    assert view.text.splitlines()[0] == "Jacobian of output 0, shape (3), by input 0, shape (3): all 9 entries agree."
    assert frames(view) == 0


def test_a_wrong_entry_is_named_and_marked_in_each_map(lib):
    view = viz.jacobian(wrong_square(lib), point(lib, 1.0, 2.0, 3.0))
    assert view.text.splitlines() == [
        "Jacobian of output 0, shape (3), by input 0, shape (3): 1 of 9 entries differ.",
        "  output entry 1, input entry 1: numerical 4, analytical 2",
    ]
    assert frames(view) == 3


def test_what_stands_in_and_below_the_fields_has_room(lib):
    tiny = viz.jacobian(lambda x: x * x * x, point(lib, 1.0, 2.0, 3.0), rtol=0.0123)
    texts = list(ET.fromstring(tiny.svg).iter(f"{SVG}text"))
    assert all(len(t.text) <= 7 for t in texts if (t.get("class") or "").startswith("agt-on-"))
    last = [t for t in texts if t.text.startswith("colours: ")][-1]
    assert float(last.get("x")) + 5.5 * len(last.text) < float(ET.fromstring(tiny.svg).get("width"))


def test_tolerances_are_those_of_gradcheck(lib):
    x = point(lib, 1.0, 2.0, 3.0)
    assert "1 of 9 entries differ" in viz.jacobian(wrong_square(lib, factor=1.01), x).text
    assert "all 9 entries agree" in viz.jacobian(wrong_square(lib, factor=1.01), x, rtol=0.02).text
    assert lib.autograd.gradcheck(wrong_square(lib, factor=1.01), x, rtol=0.02)


def test_every_output_by_every_input_that_requires_grad(lib):
    w, x, fixed = point(lib, 1.0, 2.0), point(lib, 3.0), point(lib, 5.0, requires_grad=False)
    view = viz.jacobian(lambda w, x, fixed: (w * x, x * fixed), (w, x, fixed))
    told = view.text.splitlines()
    assert told[1:3] == ["  output entry 0: 3, 0", "  output entry 1: 0, 3"]
    assert [line.partition(":")[0] for line in told if not line.startswith(" ")] == [
        "Jacobian of output 0, shape (2), by input 0, shape (2)",
        "Jacobian of output 0, shape (2), by input 1, shape (1)",
        "Jacobian of output 1, shape (1), by input 0, shape (2)",
        "Jacobian of output 1, shape (1), by input 1, shape (1)",
    ]
    assert view.title == "Jacobians of 2 outputs by 2 inputs."


def test_inputs_are_left_as_they_were(lib):
    x = point(lib, 1.0, 2.0)
    viz.jacobian(lambda x: x**2, x)
    viz.gradcheck_eps(lambda x: x**2, x, eps=[1e-3])
    assert x.tolist() == [1.0, 2.0] and x.grad is None


def test_a_large_jacobian_is_shown_by_blocks_that_keep_a_single_wrong_entry(lib):
    view = viz.jacobian(wrong_square(lib, at=70), lib.linspace(1, 2, 100, dtype=lib.float64).requires_grad_())
    assert "  output entry 70, input entry 70: numerical" in view.text
    assert "a cell is 5 x 5 entries" in view.svg
    assert frames(view) == 3


def test_float32_is_pointed_out(lib):
    view = viz.jacobian(lambda x: x * 2, point(lib, 1.0, dtype="float32"), rtol=1)
    told = "Input 0 is float32: use float64, because the differences are not exact enough."
    assert view.text.splitlines()[0] == told and view.title.startswith(told)


def test_what_is_not_finite_is_hatched_and_counts_as_wrong(lib):
    view = viz.jacobian(lambda x: x.log(), point(lib, -1.0, 2.0))
    assert "2 of 4 entries differ" in view.text
    assert "url(#agt-hatch)" in view.svg


@pytest.mark.parametrize("show", [viz.jacobian, viz.gradcheck_eps])
@pytest.mark.parametrize(
    "make, sentence",
    {
        "raises": (
            lambda lib: (lambda x: 1 / 0, point(lib, 1.0)),
            "The function raises ZeroDivisionError: division by",
        ),
        "no tensor": (lambda lib: (lambda x: x, 3), "The inputs are int: give a tensor or a tuple"),
        "nothing": (lambda lib: (lambda x: x, ()), "The inputs are empty: give a tensor"),
        "no flag": (lambda lib: (lambda x: x, lib.ones(2)), "No input requires grad: set requires_grad=True"),
        "no result": (lambda lib: (lambda x: 3, point(lib, 1.0)), "The function returns int: it must return a tensor"),
        "too large": (
            lambda lib: (lambda x: x, lib.ones(1001, requires_grad=True)),
            "This",
        ),
    }.values(),
)
def test_what_cannot_be_shown_is_said_in_a_sentence(lib, show, make, sentence):
    if sentence == "This":
        sentence = "This Jacobian has 1,002,001" if show is viz.jacobian else "The inputs have more than 1,000 entries"
    view = show(*make(lib))
    assert view.text.startswith(sentence)
    assert "<svg" in view.svg and len(view.text.splitlines()) == 1


def test_a_failing_backward_is_said(lib):
    view = viz.jacobian(wrong_square(lib, at=9), point(lib, 1.0, 2.0))
    assert view.text.startswith("The backward pass raises IndexError: ")


def test_error_falls_and_rises_again_and_float32_is_never_as_good(lib):
    view = viz.gradcheck_eps(lambda x: x.sin().exp(), point(lib, 0.5), eps=[1e-12, 1e-6, 1e-1])
    rows = {row.split()[0]: row.split()[1:] for row in view.text.splitlines()[2:-1]}
    single, double = ({eps: float(row[i]) for eps, row in rows.items()} for i in (0, 1))
    assert double["1e-06"] < double["1e-12"] and double["1e-06"] < double["1e-01"]
    assert single["1e-06"] > 1000 * double["1e-06"]
    assert view.text.splitlines()[-1] == "  the least: float32 at eps 1e-01, float64 at eps 1e-06"


def test_both_lines_have_dashes_and_marks_of_their_own(lib):
    root = ET.fromstring(viz.gradcheck_eps(lambda x: x.exp(), point(lib, 1.0)).svg)
    drawn = [path.get("stroke-dasharray") for path in root.iter(f"{SVG}path") if path.get("stroke-width") == "2"]
    assert sorted(set(drawn), key=str) == ["6 4", None]
    assert len(list(root.iter(f"{SVG}circle"))) == 26 and "gradcheck's 1e-06" in "".join(root.itertext())


def test_steps_must_be_positive(lib):
    assert (
        viz.gradcheck_eps(lambda x: x, point(lib, 1.0), eps=[0.0]).text
        == "eps must be positive numbers: the steps to try."
    )


def test_every_library_gives_the_picture_that_ours_gives(lib):
    texts = [viz.jacobian(wrong_square(each), point(each, 1.0, 2.0, 3.0)).text for each in (autograd_teach, lib)]
    assert texts[0] == texts[1]


def test_where_no_step_helps_backward_is_suspected(lib):
    text = viz.gradcheck_eps(lambda x: (x.detach() * x).sum(), point(lib, 1.0, 2.0)).text
    assert text.splitlines()[-1] == "  The two differ at every step: no eps helps, so backward is probably wrong."


def test_where_nothing_differs_no_step_is_the_best(lib):
    assert (
        viz.gradcheck_eps(lambda x: x * 0 + 1, point(lib, 1.0)).text.splitlines()[-1]
        == "  float64: no error at any eps"
    )
