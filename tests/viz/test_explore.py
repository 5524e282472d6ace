"""`viz.explore`: which control each argument gets, and that the picture is always that of the present values."""

import base64
import json
import types

import pytest

from autograd_teach import viz

pytest.importorskip("ipywidgets")
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def power(lib):
    x = lib.tensor(2.0, requires_grad=True)

    def power(k, on=True, how="mul", s=1.0):
        h = x
        for _ in range(k):
            h = h * x if how == "mul" else h + x
        if k == 5:
            raise ValueError("not five <of> them\nreally")
        return h * s if on else h

    return power


CONTROLS = [
    ({"k": (1, 6)}, "IntSlider", (1, 6, 1), 1),
    ({"k": (0, 10, 2)}, "IntSlider", (0, 10, 2), 0),
    ({"k": 3}, "IntSlider", (0, 6, 1), 3),
    ({"k": 0}, "IntSlider", (-10, 10, 1), 0),
    ({"k": -2}, "IntSlider", (-4, 0, 1), -2),
    ({"s": (0.0, 2.0), "k": 1}, "FloatSlider", (0.0, 2.0, 0.01), 1.0),
    ({"s": (0, 0.5), "k": 1}, "FloatSlider", (0.0, 0.5, 0.001), 0.0),
    ({"s": (-1.0, 3.0, 0.5), "k": 1}, "FloatSlider", (-1.0, 3.0, 0.5), 1.0),
    ({"s": 0.25, "k": 1}, "FloatSlider", (0.0, 0.5, 0.001), 0.25),
    ({"on": False, "k": 1}, "Checkbox", None, False),
    ({"how": ["add", "mul"], "k": 1}, "Dropdown", None, "mul"),
    ({"how": ["add", "other"], "k": 1}, "Dropdown", None, "add"),
]


@pytest.mark.parametrize(("arguments", "kind", "span", "start"), CONTROLS, ids=[str(case[0]) for case in CONTROLS])
def test_each_argument_gets_the_control_that_fits(power, arguments, kind, span, start):
    control = viz.explore(power, **arguments).widget.children[0]
    value = control.label.strip("'") if kind == "Dropdown" else control.value
    assert (type(control).__name__, value, control.description) == (kind, start, next(iter(arguments)))
    if span:
        assert (control.min, control.max, control.step) == span


def operations(view):
    return sum(node.kind == "operation" for node in view.snapshot.nodes)


def test_a_change_of_a_control_redraws_the_same_widget(power):
    view = viz.explore(power, k=(1, 6), on=False)
    slider, _, picture = view.widget.children
    before = picture.svg
    assert operations(view) == 1
    slider.value = 3
    assert operations(view) == 3
    assert picture is view.widget.children[-1]
    assert picture.svg == view.svg != before
    assert picture.view == json.loads(json.dumps(view.data()))
    assert picture.view["title"].startswith("power(k=3, on=False): ")


def test_a_change_is_one_message(power):
    view = viz.explore(power, k=(1, 6))
    slider, picture = view.widget.children
    sent = []
    picture.send_state = lambda key=None: sent.append(sorted(key if not isinstance(key, str) else [key]))
    slider.value = 2
    assert sent == [["svg", "view"]]
    view.value(k=3)
    assert sent == [["svg", "view"]] * 2
    assert slider.value == 3


def test_values_can_be_set_from_code(power):
    view = viz.explore(power, k=(1, 6), s=(0.0, 2.0))
    slider = view.widget.children[0]
    result = view.value(k=3)
    assert result.item() == 16.0
    assert slider.value == 3
    assert repr(view).startswith("power(k=3, s=1.0)\n")
    with pytest.raises(TypeError, match="there is no control for q; there are k, s"):
        view.value(q=1)


def test_without_a_kernel_it_shows_the_start(power):
    view = viz.explore(power, k=(2, 6))
    bundle = view._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/svg+xml"}
    assert bundle["text/plain"].startswith("power(k=2)\noutput")
    assert bundle["image/svg+xml"].count('class="node agt-node agt-operation"') == 3


def test_with_a_kernel_the_controls_are_shown(power, monkeypatch):
    import IPython

    monkeypatch.setattr(IPython, "get_ipython", lambda: types.SimpleNamespace(kernel=object()))
    view = viz.explore(power, k=(2, 6))
    assert view._repr_mimebundle_()[WIDGET]["model_id"] == view.widget.model_id


def test_variables_inside_and_around_the_function_give_names(lib):
    x = lib.tensor(2.0, requires_grad=True)

    def f(k):
        inner = lib.tensor(1.0, requires_grad=True)
        h = x * inner
        return (h + k).exp()

    told = repr(viz.explore(f, k=(1, 3)))
    assert "AccumulateGrad of x," in told
    assert "AccumulateGrad of inner," in told
    assert "AccumulateGrad of weight," in repr(viz.explore(f, k=(1, 3), names={"weight": x}))


def test_several_results_are_drawn_together(lib):
    x = lib.tensor(2.0, requires_grad=True)
    for result in (lambda k: (x * k, x + k), lambda k: {"a": x * k, "b": x + k}):
        assert len(viz.explore(result, k=(1, 3)).snapshot.outputs) == 2


def test_functions_and_tensors_can_be_chosen_from(lib):
    x, w = lib.tensor(2.0, requires_grad=True), lib.tensor([1.0, 2.0], requires_grad=True)
    view = viz.explore(lambda act, t: act(t), act=[lib.tanh, lib.exp], t=[x, w])
    act, t, _ = view.widget.children
    assert repr(view).startswith("f(act=tanh, t=a tensor of shape ())\n")
    act.label, t.label = "exp", "a tensor of shape (2)"
    assert "ExpBackward0, shape (2)" in repr(view)
    view.value(act=lib.tanh, t=x)
    assert (act.label, t.label) == ("tanh", "a tensor of shape ()")


def test_an_error_in_the_function_is_a_sentence_and_passes(power):
    view = viz.explore(power, k=(1, 6))
    slider, picture = view.widget.children
    slider.value = 5
    assert repr(view).endswith("power(k=5) stops with ValueError: not five <of> them")
    assert picture.view["notes"] == ["power(k=5) stops with ValueError: not five <of> them"]
    assert "not five &lt;of&gt; them" in picture.svg
    slider.value = 6
    assert operations(view) == 7
    assert picture.view["notes"] == []


def shown(image):
    """The SVG in an <img>."""
    return base64.b64decode(image.value.partition("base64,")[2].rstrip('">')).decode()


def test_a_picture_of_numbers_is_shown_as_it_is(lib):
    x = lib.tensor([1.0, 2.0], dtype=lib.float64, requires_grad=True)

    def jacobian(power):
        if power > 0:
            raise ValueError("too large")
        return viz.jacobian(lambda x: x * x * x, x, eps=10.0**power)

    view = viz.explore(jacobian, power=(-6, 1))
    slider, picture = view.widget.children
    assert repr(view).startswith("jacobian(power=-6)\nJacobian of output 0, shape (2), by input 0, shape (2): all 4")
    assert shown(picture) == view.svg == view.view.svg
    assert 'alt="jacobian(power=-6): Jacobian of output 0' in picture.value
    assert view._repr_mimebundle_()["image/svg+xml"] == view.svg
    slider.value = 0
    assert "2 of 4 entries differ" in repr(view)
    assert shown(view.widget.children[-1]) == view.svg == view.view.svg
    slider.value = 1
    sentence = view.widget.children[-1]
    assert sentence.view["notes"] == ["jacobian(power=1) stops with ValueError: too large"]
    assert view.value(power=-6).svg == view.svg == shown(view.widget.children[-1])


BAD = [
    ("no function", lambda f: viz.explore(3, k=(1, 6)), "Nothing to explore: give a function, not 3."),
    ("an empty list", lambda f: viz.explore(f, k=[]), "k=[] is an empty list"),
    ("a range upside down", lambda f: viz.explore(f, k=(6, 1)), "k=(6, 1) is not a range"),
    ("no step", lambda f: viz.explore(f, k=(1, 6, 0)), "the third number, the step, must be above 0"),
    ("a text", lambda f: viz.explore(f, k="six"), "There is no control for k='six'"),
    ("an object", lambda f: viz.explore(f, k=object()), "There is no control for k=<object>"),
    ("not a number", lambda f: viz.explore(f, k=(float("nan"), 1)), "There is no control for k=(nan, 1)"),
    ("an unknown argument", lambda f: viz.explore(f, q=1), "stops with TypeError"),
    ("a missing argument", lambda f: viz.explore(f), "stops with TypeError"),
    ("no tensor", lambda f: viz.explore(lambda k: k, k=(1, 6)), "Nothing to draw for an int"),
    ("nothing", lambda f: viz.explore(lambda k: None, k=(1, 6)), "Nothing to draw for a NoneType"),
]


@pytest.mark.parametrize(("make", "sentence"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_input_becomes_a_sentence(power, make, sentence):
    view = make(power)
    assert sentence in repr(view)
    assert view._repr_mimebundle_()["image/svg+xml"].startswith("<svg")
    json.dumps(view.widget.children[-1].get_state(["svg", "view"]), allow_nan=False)


def test_it_can_be_saved(power, tmp_path):
    view = viz.explore(power, k=(1, 6))
    assert "power(k=1)" in viz.save(view, tmp_path / "power.html").read_text(encoding="utf-8")
