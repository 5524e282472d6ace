"""`viz.live`: a function whose arguments are moved; values, gradients and what they promise follow."""

import json
import math

import numpy as np
import pytest

from autograd_teach import viz
from autograd_teach.viz.live import MOST_ENTRIES


def f(a, b):
    c = a * b
    return (c + a) ** 2


def branches(a, b):
    if a > 0:
        return a * b
    return (a * b).exp()


def of(lib, function=f, **values):
    """A view under this library; of PyTorch's, a tensor among the values says so."""
    if lib.__name__ == "torch":
        name, value = next((name, value) for name, value in values.items() if isinstance(value, (int, float, list)))
        values = {**values, name: lib.tensor(value, dtype=lib.float32)}
    return viz.live(function, **values)


def move(view, **values):
    """What a browser sends when its reader moves leaves."""
    entries = {name: value if isinstance(value, list) else [value] for name, value in values.items()}
    view._heard({"type": "move", "values": entries, "step": view.step})


def pictured(view):
    """The nodes of the picture, without the sentence on it."""
    return view.svg[view.svg.index("<polygon") :]


class Watched:
    """What the widget's traits are set to, one entry a message."""

    def __init__(self, widget):
        self.widget, self.heard = widget, []
        widget.observe(lambda change: self.heard.append((change["name"], change["new"])), ["svg", "view", "numbers"])

    def names(self):
        found, self.heard = [name for name, _ in self.heard], []
        return found


def node_of(view, title):
    return next(node.id for node in view.snapshot.nodes if node.title == title)


# ---- numbers -----------------------------------------------------------------------------------------------------------


def test_the_text_tells_call_result_gradients_and_promises(lib):
    assert of(lib, a=2.0, b=-3.0).text.splitlines() == [
        "f(a=2, b=-3) = 16",
        "a = 2: gradient 16; a + 0.1: the result changes by about 1.6, really 1.64",
        "b = -3: gradient -16; b + 0.1: the result changes by about -1.6, really -1.56",
    ]


def test_leaves_are_of_the_library_that_the_function_expects(lib):
    seen = []

    def noting(a):
        seen.append(type(a).__module__.partition(".")[0])
        return a * 2

    of(lib, noting, a=1.0)
    assert set(seen) == {lib.__name__}


def test_moving_from_code_gives_the_new_result_and_gradients(lib):
    view = of(lib, a=2.0, b=-3.0)
    assert view.value(a=1.0) == 4.0
    assert {name: float(g) for name, g in view.gradients.items()} == {"a": 8.0, "b": -4.0}
    assert view.value(b=0.0, a=-1.0) == 1.0
    assert view.text.splitlines()[0] == "f(a=-1, b=0) = 1"
    assert view.value() == 1.0


@pytest.mark.parametrize("step", [0.1, 1.0, 1e-3])
def test_a_promise_is_the_gradient_times_the_step_beside_what_a_second_call_finds(lib, step):
    view = viz.live(lambda a: a**3, a=lib.tensor(2.0), step=step)
    (one,) = view.promises
    assert (one.entry, one.value, one.gradient) == ("a", 2.0, 12.0)
    assert one.promised == pytest.approx(12 * step)
    assert one.really == pytest.approx((2 + step) ** 3 - 8, rel=1e-2)
    assert f"a + {step:g}: the result changes by about" in view.text


def test_the_gap_between_promise_and_truth_grows_with_the_step(lib):
    gaps = []
    for step in (0.1, 0.5, 1.0):
        (one,) = viz.live(lambda a: a**3, a=lib.tensor(2.0), step=step).promises
        gaps.append(abs(one.really - one.promised) / step)
    assert gaps == sorted(gaps)
    assert gaps[0] < gaps[-1] / 5


def test_a_vector_has_a_promise_for_each_entry(lib):
    view = of(lib, lambda w: (w * w).sum(), w=[1.0, 2.0, -3.0])
    assert [(one.entry, one.gradient) for one in view.promises] == [("w[0]", 2.0), ("w[1]", 4.0), ("w[2]", -6.0)]
    assert view.gradients["w"].tolist() == [2.0, 4.0, -6.0]
    move(view, w=[1.0, 5.0, -3.0])
    assert view.text.splitlines()[0] == "f(w=[1, 5, -3]) = 35"


def test_a_matrix_keeps_its_shape_when_it_is_moved(lib):
    view = viz.live(lambda m: (m @ m).sum(), m=lib.tensor([[1.0, 2.0], [3.0, 4.0]]))
    move(view, m=[0.0, 2.0, 3.0, 4.0])
    assert view.gradients["m"].shape == (2, 2)
    assert view.result == 6 + 8 + 12 + 16 + 6
    assert [one.entry for one in view.promises] == ["m[0, 0]", "m[0, 1]", "m[1, 0]", "m[1, 1]"]


def test_a_tensor_of_ones_own_is_copied_never_changed(lib):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    x.grad = lib.tensor([7.0, 7.0])
    view = viz.live(lambda x: (x * x).sum(), x=x)
    move(view, x=[5.0, 6.0])
    assert (x.tolist(), x.grad.tolist()) == ([1.0, 2.0], [7.0, 7.0])
    assert view.result == 61.0

    plain, result = lib.tensor(3.0), lib.tensor(2.0, requires_grad=True) * 5
    view = viz.live(lambda a, b: a * b, a=plain, b=result)
    assert not plain.requires_grad
    assert {name: float(gradient) for name, gradient in view.gradients.items()} == {"a": 10.0, "b": 3.0}
    assert len(view.snapshot.nodes) == 4, "how the tensor came about is not part of the function"


def test_a_leaf_of_many_entries_cannot_be_moved_and_has_its_gradient(lib):
    view = viz.live(lambda w, a: (w * a).sum(), w=lib.ones(MOST_ENTRIES + 1), a=2.0)
    assert [one.entry for one in view.promises] == ["a"]
    assert view.gradients["w"].tolist() == [2.0] * (MOST_ENTRIES + 1)
    assert [told["name"] for told in view.data()["leaves"].values()] == ["a"]


def test_whole_numbers_become_leaves_and_all_else_is_handed_on(lib):
    handed = []

    def g(n, name, flag, whole):
        handed.append((name, flag, whole.dtype))
        return n * 3

    view = of(lib, g, n=2, name="x", flag=True, whole=lib.tensor([1, 2]))
    assert view.gradients == {"n": 3.0}
    assert handed[0] == ("x", True, lib.int64)
    assert view.value(n=4) == 12.0


def test_an_argument_that_is_not_used_has_gradient_zero(lib):
    view = of(lib, branches, a=2.0, b=3.0)
    unused = of(lib, lambda a, b: a * 2, a=1.0, b=5.0)
    assert view.data()["unused"] == []
    assert unused.data()["unused"] == ["b"]
    assert unused.gradients == {"a": 2.0, "b": 0.0}
    assert [(one.entry, one.promised, one.really) for one in unused.promises][1] == ("b", 0.0, 0.0)


# ---- what goes wrong is said -------------------------------------------------------------------------------------------


def test_an_error_in_the_function_keeps_the_picture_and_is_said(lib):
    def touchy(a):
        if a < 0:
            raise ValueError("no number below zero")
        return a.sqrt() * 2

    view = of(lib, touchy, a=4.0)
    before, title = pictured(view), view.title
    assert view.value(a=-1.0) is None
    assert view.text == "touchy(a=-1) stops with ValueError: no number below zero"
    assert pictured(view) == before
    assert view.title.startswith(view.text)
    assert view.data()["numbers"]["trouble"] is True
    assert view.data()["numbers"]["caption"] == view.text
    assert view.value(a=9.0) == 6.0
    assert view.data()["numbers"]["trouble"] is False
    assert view.title == title.replace("(a=4) = 4", "(a=9) = 6")


TROUBLES = {
    "f(a=1) stops with ZeroDivisionError: division by zero": lambda a: a * (1 / 0),
    "f(a=1) does not return a tensor: return the result that you want to differentiate.": lambda a: 3.0,
    "backward needs a scalar to start from, and this output has shape (2)": lambda a: a * a.new_ones(2),
    "This tensor has no graph: no operation was recorded": lambda a: a.detach(),
}


@pytest.mark.parametrize("said", TROUBLES)
def test_a_function_that_has_no_picture_yet_says_why_and_may_come_to_one(lib, said):
    works = []
    view = of(lib, lambda a: a * 2 if works else TROUBLES[said](a), a=1.0)
    assert said in view.text.replace("<lambda>", "f")
    assert view.data()["nodes"] == []
    assert view.data()["notes"] == [view.text]
    assert view.widget.view["nodes"] == []
    works.append(True)
    assert view.value(a=2.0) == 4.0
    assert len(view.widget.view["nodes"]) > 2
    assert view.data()["notes"] == []


def test_the_sentence_of_a_view_without_a_picture_is_that_of_the_last_call(lib):
    def broken(a):
        raise ValueError(f"not {a.item():g}")

    view = of(lib, broken, a=1.0)
    view.value(a=2.0)
    assert view.data()["notes"] == [view.text] == ["broken(a=2) stops with ValueError: not 2"]


def test_a_function_without_arguments_is_drawn(lib):
    w = lib.tensor(3.0, requires_grad=True)
    view = viz.live(lambda: w * 2)
    assert view.text == "f() = 6"
    assert view.data()["leaves"] == {}
    assert w.grad is None


def test_a_step_that_fails_is_nan_and_nothing_else_fails(lib):
    def only_below_two(a):
        if a > 2:
            raise ValueError
        return a * 3

    view = of(lib, only_below_two, a=2.0)
    (one,) = view.promises
    assert math.isnan(one.really)
    assert view.gradients == {"a": 3.0}


def test_unknown_names_are_refused(lib):
    view = of(lib, a=2.0, b=-3.0)
    with pytest.raises(TypeError, match="there is no argument c; there are a, b"):
        view.value(c=1.0)
    assert view.result == 16.0


@pytest.mark.parametrize("step", [0, -1.0, math.nan, math.inf, "0.1"])
def test_a_step_must_be_a_positive_number(lib, step):
    with pytest.raises(ValueError, match="step must be a positive number"):
        viz.live(f, a=1.0, b=1.0, step=step)


# ---- what goes to the browser ------------------------------------------------------------------------------------------


def test_a_move_sends_numbers_only_while_the_graph_keeps_its_shape(lib):
    view = of(lib, branches, a=2.0, b=3.0)
    told = Watched(view.widget)
    move(view, a=4.0, b=3.0)
    assert told.names() == ["numbers"]
    numbers = view.widget.numbers
    assert numbers["caption"] == "branches(a=4, b=3) = 12"
    assert numbers["values"] == {node_of(view, "a"): [4.0], node_of(view, "b"): [3.0]}
    assert "grad 4" in numbers["nodes"][node_of(view, "b")]
    assert len(json.dumps(numbers)) < 5_000

    move(view, a=-1.0, b=3.0)
    assert {"svg", "view"} <= set(told.names())
    assert view.widget.numbers == {}
    assert "ExpBackward0" in view.widget.svg
    assert view.widget.view["numbers"]["caption"] == "branches(a=-1, b=3) = 0.04979"
    move(view, a=-2.0, b=3.0)
    assert told.names() == ["numbers"]


def test_every_move_is_answered_also_one_that_changes_nothing(lib):
    def touchy(a):
        if a < 0:
            raise ValueError("below zero")
        return a * 2

    view = of(lib, touchy, a=1.0)
    told = Watched(view.widget)
    for value in (1.0, 1.0, -1.0, -1.0):
        move(view, a=value)
        assert told.names() == ["numbers"], value


def test_the_lines_and_edges_that_are_sent_are_those_of_a_new_picture(lib):
    view = of(lib, a=2.0, b=-3.0)
    move(view, a=1.5, b=2.0)
    numbers, fresh = view._numbers(), of(lib, a=1.5, b=2.0)
    assert numbers["nodes"] == fresh._numbers()["nodes"]
    assert numbers["edges"] == fresh._numbers()["edges"]


def test_the_browser_may_change_the_step(lib):
    view = of(lib, a=2.0, b=-3.0)
    view._heard({"type": "move", "values": {}, "step": 1.0})
    assert [round(one.promised, 4) for one in view.promises] == [16.0, -16.0]
    for wrong in (0, -1, "x", None, math.inf):
        view._heard({"type": "move", "values": {}, "step": wrong})
        assert view.step == 1.0


@pytest.mark.parametrize(
    "message", [None, "move", {}, {"type": "unfold", "id": "n1"}, {"type": "move", "values": {"z": [1.0]}}]
)
def test_other_messages_change_nothing(lib, message):
    view = of(lib, a=2.0, b=-3.0)
    view._heard(message)
    assert view.text.startswith("f(a=2, b=-3) = 16")


def test_the_widget_hears_a_message(lib):
    view = of(lib, a=2.0, b=-3.0)
    view.widget._handle_custom_msg({"type": "move", "values": {"a": [1.0], "b": [-3.0]}, "step": 0.1}, [])
    assert view.result == 4.0


def test_the_code_beside_the_graph_is_that_of_the_function(lib):
    code = of(lib, a=2.0, b=-3.0).data()["code"]
    assert code["lines"] == ["def f(a, b):", "    c = a * b", "    return (c + a) ** 2"]
    assert code["first"] == f.__code__.co_firstlineno
    assert set(code["of"].values()) == {code["first"] + 1, code["first"] + 2}


def test_saved_and_stored_forms_are_of_the_present_values(lib, tmp_path):
    view = of(lib, a=2.0, b=-3.0)
    move(view, a=1.0, b=-3.0)
    assert "really +0.84" in viz.save(view, tmp_path / "live.svg").read_text(encoding="utf-8")
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"] == view.text
    assert bundle["image/svg+xml"] == view.svg
    assert np.isfinite([one.really for one in view.promises]).all()
