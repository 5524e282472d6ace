"""`viz.play`: the recorded steps are those that the engine takes, and playing leaves no trace."""

import json
import random
import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import numpy as np
import pytest

from autograd_teach import viz
from autograd_teach.viz import recording

SVG = "{http://www.w3.org/2000/svg}"


def leaf(lib, values):
    return lib.tensor(values, requires_grad=True)


def test_steps_of_abs_and_sum(lib):
    x = leaf(lib, [1.0, -2.0, 3.0, -4.0])
    assert repr(viz.play(x.abs().sum())).splitlines() == [
        "step  runs                 because                     came in         goes out",
        "   1  SumBackward0         backward starts here        1               to AbsBackward0: 1 × [1, 1, 1, 1] = [1, 1, 1, 1]",
        (
            "   2  AbsBackward0         its only gradient is there  [1, 1, 1, 1]    "
            "to x: [1, 1, 1, 1] × [1, -1, 1, -1] = [1, -1, 1, -1]"
        ),
        "   3  AccumulateGrad of x  its only gradient is there  [1, -1, 1, -1]  x.grad: None -> [1, -1, 1, -1]",
    ]


def test_a_node_waits_for_its_second_contribution(lib):
    a = leaf(lib, 1.0)
    b = a + a
    c = b + b
    first, second, third = viz.play(c).steps
    assert [sent.missing for sent in first.goes_out] == [1, 0]
    assert second.because == "the last of its 2 gradients is there; they are summed"
    assert second.came_in == ["1 from AddBackward0", "1 from AddBackward0", "sum: 1 + 1 = 2"]
    assert (third.before, third.arriving, third.after) == ("None", "4", "4")


def test_a_node_runs_only_after_all_that_lead_to_it(lib):
    w = leaf(lib, 2.0)
    x1 = w * 3
    x2 = x1.exp()
    out = x1 * x2
    view = viz.play(out)
    place = {step.node: i for i, step in enumerate(view.steps)}
    for edge in view.snapshot.edges:
        if edge.source in place and edge.target in place:
            assert place[edge.source] < place[edge.target]


def test_accumulation_adds_to_the_gradient_that_is_there(lib):
    x = leaf(lib, [-3.0, 2.0, 5.0])
    (x**3).sum().backward()
    last = viz.play((x**3).sum()).steps[-1]
    assert (last.before, last.arriving, last.after) == (
        "[27, 12, 75]",
        "[27, 12, 75]",
        "[54, 24, 150]",
    )
    assert last.bars == [(27.0, 27.0), (12.0, 12.0), (75.0, 75.0)]


def test_a_leaf_without_gradient_is_not_called_zero(lib):
    x = leaf(lib, 2.0)
    last = viz.play(x * 3).steps[-1]
    assert last.before == "None"
    assert not last.had_grad


def test_playing_leaves_grad_and_graph_as_they_were(lib):
    x = leaf(lib, [1.0, 2.0])
    h = x * x
    h.retain_grad()
    y = h.sum()
    viz.play(y)
    assert x.grad is None
    assert h.grad is None
    y.backward()
    before = x.grad
    assert before.tolist() == [2.0, 4.0]
    viz.play((x * x).sum())
    assert x.grad is before
    assert before.tolist() == [2.0, 4.0]


def test_playing_leaves_no_hook_behind(lib, monkeypatch):
    x = leaf(lib, 2.0)
    y = x * x
    heard = []
    monkeypatch.setattr(recording, "_writer", lambda node, ran: lambda *_: heard.append(node))
    viz.play(y)
    assert heard == ["n1"]
    y.backward()
    assert heard == ["n1"]


def test_order_is_that_of_a_real_backward_pass(lib):
    w1, w2, b = leaf(lib, [[0.5, -1.0], [2.0, 1.0]]), leaf(lib, [1.0, -2.0]), leaf(lib, [0.1, 0.2])
    h = (w1 @ lib.tensor([1.0, 2.0]) + b).tanh()
    loss = ((w2 * h + h).sum() - 1.0) ** 2
    played = viz.play(loss)
    ran = []
    todo, seen = [loss.grad_fn], []
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.append(node)
            name = node.name().rpartition("::")[2]
            node.register_hook(lambda gi, go, name=name: ran.append(name))
            todo += [child for child, _ in node.next_functions]
    loss.backward()
    assert [step.runs.partition(" ")[0] for step in played.steps] == ran


def test_what_goes_out_has_the_shape_of_its_target(lib):
    x, b = leaf(lib, [[1.0, 2.0], [3.0, 4.0]]), leaf(lib, [10.0, 20.0])
    steps = viz.play((x + b).sum()).steps
    sent = {s.to: s.text for step in steps for s in step.goes_out}
    assert sent["b"] == "[2, 2]"


def test_gradient_starts_a_pass_from_a_vector(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * x
    assert viz.play(y, lib.tensor([1.0, 10.0])).steps[-1].after == "[2, 40]"


def test_a_vector_without_gradient_is_explained(lib):
    x = leaf(lib, [1.0, 2.0])
    view = viz.play(x * x)
    assert view.steps == []
    assert "backward needs a scalar to start from, and this output has shape (2)" in repr(view)


def test_a_gradient_of_the_wrong_shape_is_explained(lib):
    x = leaf(lib, [1.0, 2.0])
    view = viz.play(x * x, lib.tensor([1.0, 2.0, 3.0]))
    assert "The backward pass stops with RuntimeError" in repr(view)


def test_a_freed_graph_is_explained(lib):
    x = leaf(lib, 2.0)
    z = 1 / x
    z.backward()
    view = viz.play(z)
    assert view.steps == []
    assert "The backward pass stops with RuntimeError: Trying to backward through the graph a second time" in repr(view)


def test_a_custom_backward_that_raises_is_explained(lib):
    class Broken(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            raise ZeroDivisionError("my own mistake")

    view = viz.play(Broken.apply(leaf(lib, 1.0)))
    assert "The backward pass stops with ZeroDivisionError: my own mistake." in repr(view)


def test_a_gradient_of_none_is_nothing_and_still_counted(lib):
    class Cut(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return None

    x = leaf(lib, 1.0)
    steps = viz.play(Cut.apply(x) + x).steps
    assert [s.text for s in steps[1].goes_out] == ["nothing (None)"]
    assert steps[-1].came_in == ["1 from AddBackward0", "nothing (None) from CutBackward", "sum: 1"]
    assert steps[-1].after == "1"


def test_too_long_a_pass_is_said_not_played(lib):
    y = leaf(lib, 1.0)
    for _ in range(400):
        y = y + 1
    assert "too many to step through" in repr(viz.play(y))


def test_nan_in_a_gradient_has_text_but_no_bar(lib):
    x = leaf(lib, [float("inf"), 1.0])
    view = viz.play((x * 0 * x).sum())
    assert "nan" in view.steps[-1].after
    assert view.data()["steps"][-1]["bars"] == []


@pytest.mark.parametrize("place", [0, -1])
def test_every_step_has_a_caption_that_says_what_runs(lib, place):
    x = leaf(lib, [1.0, -2.0])
    captions = [step["caption"] for step in viz.play(x.abs().sum()).data()["steps"]]
    assert (
        captions[place]
        == {
            0: "Step 1 of 3: SumBackward0 runs, because backward starts here. It sends 1 × [1, 1] = [1, 1] to AbsBackward0.",
            -1: "Step 3 of 3: AccumulateGrad of x runs: x.grad was None, now it holds [1, -1].",
        }[place]
    )


def test_a_caption_says_what_is_sent_and_what_a_gradient_becomes(lib):
    x = leaf(lib, 1.0)
    (x + x).backward()
    captions = [step["caption"] for step in viz.play(x + x).data()["steps"]]
    assert captions[0].endswith("It sends 1 × 1 = 1 to x and 1 × 1 = 1 to x.")
    assert captions[1].endswith("runs and adds 2 to x.grad: 2 becomes 4.")


def test_a_caption_counts_what_would_be_too_long_to_say(lib):
    x = leaf(lib, [[0.5, -0.25, 1.5]] * 3)
    captions = [step["caption"] for step in viz.play((x * x).sum()).data()["steps"]]
    assert captions[1].endswith("It sends 2 gradients to x.")


def test_a_caption_names_a_large_gradient_by_its_shape(lib):
    x = leaf(lib, [[1.0] * 20] * 5)
    step = viz.play(x.sum()).data()["steps"][-1]
    assert step["caption"].endswith("now it holds a gradient of shape (5, 20).")


def test_two_losses_are_one_pass_that_starts_at_both(lib):
    w = leaf(lib, 2.0)
    loss1, loss2 = w * 3, w * w
    view = viz.play([loss1, loss2])
    assert [step.because for step in view.steps[:2]] == ["backward starts here"] * 2
    last = view.steps[-1]
    assert last.because == "the last of its 3 gradients is there; they are summed"
    # w * w sends twice, w * 3 once; the engine runs the later recorded first.
    assert (last.came_in[-1], last.after) == ("sum: 2 + 2 + 3 = 7", "7")
    (loss1 + loss2).backward()
    assert float(w.grad) == 7.0


def test_a_loss_inside_another_starts_with_its_own_gradient_and_waits_for_the_rest(lib):
    w = leaf(lib, 2.0)
    loss1 = w * 3
    loss2 = loss1 * loss1
    first, second, last = viz.play([loss1, loss2]).steps
    assert [sent.missing for sent in first.goes_out] == [1, 0]
    assert second.because == "the last of its 3 gradients is there; they are summed"
    ((name,),) = [{text.partition(" from ")[2] for text in second.came_in[1:3]}]
    assert second.came_in == [
        "1, with which backward starts",
        f"6 from {name}",
        f"6 from {name}",
        "sum: 1 + 6 + 6 = 13",
    ]
    assert last.after == "39"


def test_several_outputs_each_have_a_gradient_to_start_from(lib):
    x = leaf(lib, [1.0, 2.0])
    view = viz.play([x * 2, (x * x).sum()], gradient=[lib.tensor([1.0, 10.0]), None])
    assert view.steps[-1].after == "[4, 24]"


def test_more_gradients_than_outputs_are_explained(lib):
    x = leaf(lib, 1.0)
    assert "There are 2 gradients to start from, but 1 outputs" in repr(viz.play([x * 2], gradient=[None, None]))


def test_a_leaf_among_the_outputs_is_explained(lib):
    x = leaf(lib, 1.0)
    view = viz.play([x * 2, x])
    assert view.steps == []
    assert "One of the outputs is a leaf" in repr(view)


def test_a_shared_weight_gets_the_sum_and_adds_it_once_to_what_it_had(lib):
    w, x = leaf(lib, [1.0, 2.0]), lib.tensor([3.0, 4.0])
    (w * x).sum().backward()
    loss = (w * x).sum() + (w**2).sum()
    step = viz.play(loss).steps[-1]
    assert step.came_in == ["[2, 4] from PowBackward0", "[3, 4] from MulBackward0", "sum: [2, 4] + [3, 4] = [5, 8]"]
    assert (step.before, step.arriving, step.after) == ("[3, 4]", "[5, 8]", "[8, 12]")
    caption = viz.play(loss).data()["steps"][-1]["caption"]
    assert caption.endswith("runs and adds [5, 8] to w.grad: [3, 4] becomes [8, 12].")


def test_gradients_for_different_outputs_of_a_node_are_not_called_a_sum(lib):
    a, b = leaf(lib, [1.0, 2.0]).unbind()
    step = viz.play(a * b).steps[1]
    assert step.because == "the last of its 2 gradients is there"
    assert step.came_in == ["output 0: 2", "output 1: 1"]


def test_a_leaf_without_a_name_has_no_dotted_gradient(lib):
    caption = viz.play(leaf(lib, 2.0) * 3).data()["steps"][-1]["caption"]
    assert caption.endswith("runs: .grad of the unnamed leaf was None, now it holds 3.")


def maps(view):
    return [body["heat"] for step in view.data()["steps"] for _, body in step["rows"] if isinstance(body, dict)]


def test_a_larger_gradient_comes_as_a_map_beside_its_text(lib):
    w = lib.ones(3, 5, requires_grad=True)
    (found,) = maps(viz.play((w * lib.arange(15.0).reshape(3, 5)).sum()))[1:]
    assert found["values"] == [[float(5 * i + j) for j in range(5)] for i in range(3)]
    assert (found["rows"], found["columns"], found["shape"], found["range"]) == (3, 5, "shape (3, 5)", "from 0 to 14")


def test_a_small_gradient_needs_no_map(lib):
    assert maps(viz.play(lib.ones(12, requires_grad=True).sum())) == []


def test_a_map_is_no_larger_than_can_be_seen_and_keeps_what_is_no_number(lib):
    w = lib.zeros(100, 40, requires_grad=True)
    factor = lib.ones(100, 40)
    factor[0, 0], factor[99, 39] = float("nan"), float("inf")
    found = maps(viz.play((w * factor).sum()))[-1]
    assert [len(found["values"]), len(found["values"][0])] == [16, 16]
    assert found["values"][0][0] is None and found["values"][15][15] == "inf" and found["values"][5][5] == 1.0
    assert found["range"] == "from 1 to 1, 1 NaN and 1 infinite of 4000"


def test_state_of_a_player_with_large_tensors_stays_small(lib):
    h = lib.ones(64, 50)
    for _ in range(4):
        h = (h @ leaf(lib, [[0.01 * (i - j) for j in range(50)] for i in range(50)])).tanh() + leaf(lib, [0.1] * 50)
    view = viz.play(h.mean())
    assert len(maps(view)) > 10
    assert len(json.dumps([view.data(), view.svg])) < 120_000


def times_ten(gradients, *_):
    return (gradients[0] * 10, *gradients[1:])


def doubled_by_itself(lib):
    class Doubled(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        def backward(ctx, g):
            return g * 3

    return Doubled.apply


HOOKS = {
    # What gets a hook that multiplies by ten: phrases that its captions and rows must have.
    "a node": (
        lambda x, y, z: z.grad_fn.register_hook(times_ten),
        ["It sends 1 × 6 = 6 (a hook makes it 60) to MulBackward0"],
    ),
    "a node before": (
        lambda x, y, z: z.grad_fn.register_prehook(times_ten),
        ["what arrived: 1 became 10", "10 × 6 = 60 to"],
    ),
    "a node below": (lambda x, y, z: y.grad_fn.register_hook(times_ten), ["12 × 3 = 36 (a hook makes it 360) to x"]),
    "a result": (lambda x, y, z: y.register_hook(lambda g: g * 10), ["A hook changed what arrived: 12 became 120."]),
    "the output": (lambda x, y, z: z.register_hook(lambda g: g * 10), ["A hook changed what arrived: 1 became 10."]),
    "a leaf": (
        lambda x, y, z: x.register_hook(lambda g: g * 10),
        ["what arrived: 36 became 360", "36; a hook makes it 360"],
    ),
    "a leaf later": (
        lambda x, y, z: x.register_post_accumulate_grad_hook(lambda x: x.grad.mul_(10)),
        ["x.grad has a hook that runs when backward has written it: this recording does not run it."],
    ),
}


def everything_said(view):
    data = view.data()
    rows = [str(row) for step in data["steps"] for row in step["rows"]]
    return "\n".join([*data["notes"], *(step["caption"] for step in data["steps"]), *rows, view.text])


@pytest.mark.parametrize("place", HOOKS)
def test_what_a_hook_changed_is_said_where_it_changed_it(lib, place):
    hook, phrases = HOOKS[place]
    x = lib.tensor(2.0, requires_grad=True)
    y = x * 3
    z = y * y
    without = everything_said(viz.play(z, names={"x": x}))
    hook(x, y, z)
    view = viz.play(z, names={"x": x})
    said = everything_said(view)
    for phrase in phrases:
        assert phrase in said
        assert phrase not in without
    if place != "a leaf later":
        assert "hook makes it" in view.dot
    assert "hook" not in without


@pytest.mark.parametrize("size", [1e-9, 1.0])
def test_a_hook_is_seen_on_gradients_of_any_size_and_form(lib, size):
    x = lib.tensor([0.5, 1.0], requires_grad=True)
    low, high = (lib.stack([x, x]).tanh() * size).unbind(0)
    low.grad_fn.register_hook(times_ten)
    said = everything_said(viz.play((low + high).sum()))
    assert "(a hook makes it [[" in said
    large = (lib.ones(40, requires_grad=True) * size).exp()
    large.grad_fn.register_hook(times_ten)
    assert " (a hook makes it shape (40), from " in everything_said(viz.play(large.sum()))


def test_a_hook_on_a_custom_function_is_told_from_nothing_else(lib):
    x = lib.tensor(2.0, requires_grad=True)
    y = doubled_by_itself(lib)(x)
    assert "hook" not in everything_said(viz.play(y))
    y.grad_fn.register_hook(times_ten)
    assert "1 × 3 = 3 (a hook or its own backward makes it 30)" in everything_said(viz.play(y))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_rounding_is_no_hook(lib, dtype):
    x = lib.tensor([0.37, 1.23, 2.9], dtype=getattr(lib, dtype, lib.float16), requires_grad=True)
    y = (x * x + x.exp() + x / 3 + x.sin()).to(lib.float32) * x
    assert "hook" not in everything_said(viz.play(y.sum()))


FORMS = {
    # Options that are not in the formula of the rule: what the picture must not say.
    "add alpha": (lambda lib, a, b: lib.add(a, b, alpha=5), "a + b"),
    "sub alpha": (lambda lib, a, b: lib.sub(a, b, alpha=5), "a - b"),
    "add large": (lambda lib, a, b: lib.add(lib.ones(40) * a, lib.ones(40) * b, alpha=5).sum(), "u + v"),
    "addmm": (
        lambda lib, a, b: lib.addmm(a.reshape(1, 1), b.reshape(1, 1), a.reshape(1, 1), beta=3).sum(),
        "u + v @ w",
    ),
    "gelu": (lambda lib, a, b: lib.nn.functional.gelu(a, approximate="tanh") * b, "Φ"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_formula_is_not_shown_for_an_operation_with_another_form(lib, form):
    call, never = FORMS[form]
    a, b = leaf(lib, 2.0), leaf(lib, 3.0)
    view = viz.play(call(lib, a, b), names={"a": a, "b": b})
    assert len(view.steps) > 3 or form in ("add alpha", "sub alpha")
    assert never not in view.dot
    for step in view.steps:
        if step.runs == "AddBackward0":
            assert [sent.label for sent in step.goes_out][1] in (["1 × 5 = 5"], ["× slopes", "= shape (40)"])


def test_a_leaf_that_receives_nothing_keeps_what_it_has(lib):
    class First(lib.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, g):
            return g, None

    a, b, c = leaf(lib, 2.0), leaf(lib, 3.0), leaf(lib, 4.0)
    c.grad = lib.tensor(5.0)
    said = everything_said(viz.play(First.apply(a, b) * First.apply(a, c), names={"a": a, "b": b, "c": c}))
    assert "AccumulateGrad of b runs and receives nothing (None): b.grad stays None." in said
    assert "AccumulateGrad of c runs and receives nothing (None): c.grad stays 5." in said


def test_what_a_hook_makes_of_a_gradient_is_no_sum(lib):
    x = leaf(lib, 2.0)
    x.register_hook(lambda g: g * 100)
    assert viz.play(x * x + x).steps[-1].came_in[-1] == "sum: 5; a hook makes it 500"
    h = leaf(lib, 1.0) * 3
    h.register_hook(lambda g: g * 10)
    assert viz.play(h * 2).steps[1].came_in == ["2; a hook makes it 20"]


def test_a_leaf_whose_flag_was_switched_off_gets_nothing_and_the_others_theirs(lib):
    w, v = leaf(lib, 2.0), leaf(lib, 3.0)
    product = w * v
    w.requires_grad_(False)
    assert [step.after for step in viz.play(product).steps if step.is_leaf and "v" in step.runs] == ["2"]


def test_the_whole_message_of_a_students_own_error_is_told(lib):
    class Picky(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("expected 1 entry, e.g. 0.5. Got a list")

    text = viz.play(Picky.apply(leaf(lib, 1.0))).text
    assert text == "The backward pass stops with ValueError: expected 1 entry, e.g. 0.5. Got a list."


def test_a_second_loss_in_place_of_a_gradient_is_pointed_out(lib):
    w = leaf(lib, 2.0)
    assert "if it is a second loss, write viz.play([loss1, loss2])." in viz.play(w * 2, w * 3).text
    assert "second loss" not in viz.play(w * 2, lib.tensor(3.0)).text


class Own:
    """A scalar of an engine that is neither ours nor PyTorch's: the protocol that the views read, and no more."""

    grad_fn = grad = None
    shape, dtype, requires_grad, is_leaf = (), "float64", True, True

    def __init__(self, value, grad_fn=None):
        self.value, self.grad_fn, self.is_leaf = value, grad_fn, grad_fn is None
        self.leaf_node = OwnNode("AccumulateGrad", self.store) if grad_fn is None else None
        if self.leaf_node:
            self.leaf_node.variable = self

    def detach(self):
        return self

    def numpy(self):
        return np.asarray(self.value)

    def store(self, gradient):
        self.grad = np.asarray(gradient + (0.0 if self.grad is None else self.grad))
        return ()

    def __mul__(self, other):
        rule = OwnNode("Times", lambda g: (g * other.value, g * self.value), self, other)
        return Own(self.value * other.value, rule)

    def backward(self, gradient=1.0):
        self.grad_fn.run(np.asarray(gradient))


class OwnNode:
    """Runs again for each gradient that arrives, as the simplest engines do."""

    def __init__(self, name, rule, *inputs):
        self.title, self.rule, self.hooks = name, rule, []
        self.next_functions = tuple((x.grad_fn or x.leaf_node, 0) for x in inputs)

    def name(self):
        return self.title

    def register_hook(self, hook):
        self.hooks.append(hook)
        return SimpleNamespace(remove=lambda: self.hooks.remove(hook))

    def run(self, gradient):
        sent = self.rule(gradient)
        for hook in self.hooks:
            hook(sent, (gradient,))
        for (node, _), g in zip(self.next_functions, sent, strict=True):
            node.run(g)


def test_an_engine_of_someones_own_is_drawn_and_played_and_keeps_its_gradients():
    a, b = Own(2.0), Own(5.0)
    a.grad = np.asarray(100.0)
    product = a * b
    assert viz.graph(product).text.splitlines()[1:] == [
        "└─ Times, shape (), 10",
        "   ├─ AccumulateGrad of a, shape (), 2, grad 100",
        "   └─ AccumulateGrad of b, shape (), 5, grad not computed yet",
    ]
    steps = viz.play(product, 3.0).steps
    assert [(step.runs, step.after) for step in steps] == [
        ("Times", ""),
        ("AccumulateGrad of a", "115"),
        ("AccumulateGrad of b", "6"),
    ]
    assert [sent.text for sent in viz.play(product).steps[0].goes_out] == ["5", "2"]
    assert (a.grad, b.grad, product.grad_fn.hooks) == (100.0, None, [])


def test_of_an_engine_of_someones_own_several_outputs_are_not_played_and_that_is_said():
    a = Own(2.0)
    text = viz.play([a * a, a * a]).text
    assert text.startswith(
        "The backward pass stops with NotImplementedError: with an engine of your own, play one output"
    )


def test_a_node_without_hooks_cannot_be_played_and_that_is_said(monkeypatch):
    monkeypatch.delattr(OwnNode, "register_hook")
    assert "has no attribute 'register_hook'" in viz.play(Own(2.0) * Own(5.0)).text


# ---- the chain rule on every edge --------------------------------------------------------------------------------------


SCALAR_OPERATIONS = [
    lambda a, b: a * b,
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a / (b * b + 1),
    lambda a, b: a.tanh(),
    lambda a, b: a**2,
    lambda a, b: a.sigmoid(),
]


def random_program(lib, seed):
    """Operations on scalars, each on results so far, so that many are used more than once; and the leaves."""
    draw = random.Random(seed)
    leaves = [leaf(lib, draw.uniform(0.5, 2.0) * draw.choice((-1, 1))) for _ in range(3)]
    known = list(leaves)
    for _ in range(draw.randint(3, 9)):
        known.append(draw.choice(SCALAR_OPERATIONS)(draw.choice(known), draw.choice(known)))
    return sum(known[3:]), leaves


NUMBER = r"(-?[\d.]+(?:e[-+]\d+)?)"
PRODUCT, SUM = re.compile(f"{NUMBER} × {NUMBER} = {NUMBER}"), re.compile(r"(.+) = " + NUMBER)


def same(a, b):
    """Equal as far as four digits tell."""
    return abs(a - b) <= 3e-3 * max(abs(a), abs(b), 1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_products_and_sums_are_right_and_lead_to_the_gradients_of_the_engine(lib, seed):
    result, leaves = random_program(lib, seed)
    view = viz.play(result, names={f"v{i}": one for i, one in enumerate(leaves)})
    arriving = {}
    for step in view.steps:
        for sent in step.goes_out:
            product = PRODUCT.fullmatch(" ".join(sent.label))
            assert product, sent.label
            came, slope, made = map(float, product.groups())
            assert same(came * slope, made), sent.label
            assert same(came, float(step.received))
            arriving.setdefault(sent.target, []).append(made)
    for step in view.steps:
        parts = arriving.get(step.node, [1.0])  # the pass starts with 1
        came = float(step.arriving if step.is_leaf else step.received)
        assert abs(sum(parts) - came) <= 2e-3 * sum(map(abs, parts))
        if len(parts) > 1 and step.total:
            summed, told = SUM.fullmatch(step.total).groups()
            assert [float(part.strip("()")) for part in summed.split(" + ")] == parts
            assert same(float(told), came)
    result.backward()
    known = {step.runs.rpartition(" ")[2]: step.after for step in view.steps if step.is_leaf}
    for place, one in enumerate(leaves):
        if one.grad is not None:
            assert same(float(known[f"v{place}"]), float(one.grad))


def programs(lib):
    x, w, b = leaf(lib, [1.0, -2.0, 3.0]), leaf(lib, [[0.5, -1.0, 2.0], [2.0, 1.0, -1.0]]), leaf(lib, [0.1, 0.2])
    h = (w @ x + b).tanh()
    return {
        "layer": (h * h).sum(),
        "softmax": (x.softmax(0) * x).sum(),
        "log softmax": -w.log_softmax(1)[0, 1],
        "broadcast": (w * x + b.reshape(2, 1)).mean(),
        "moved": (w.t()[1:] * 2).sum() + x[0] * x[[0, 0, 2]].sum(),
        "shared": (x * x * x + x).sum(),
        "division": (x / (x * x + 1)).sum(),
    }


@pytest.mark.parametrize("name", ["layer", "softmax", "log softmax", "broadcast", "moved", "shared", "division"])
def test_the_local_derivative_of_every_edge_makes_of_what_came_in_what_goes_out(lib, name):
    output = programs(lib)[name]
    ran = {}
    watching = recording._writer

    def writer(node, found):
        ran[node] = found
        return watching(node, found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "_writer", writer)
        view = viz.play(output)
    passed = {one.node: one for found in ran.values() for one in found}
    children, checked = view.snapshot.children(), 0
    for step in view.steps:
        if step.is_leaf:
            continue
        came, slots = passed[step.node].arrays[0], {edge.id: i for i, edge in enumerate(children[step.node])}
        for sent in step.goes_out:
            gone, local = passed[step.node].sent[slots[sent.edge]], sent.local
            if local.kind == "slopes":
                made = came * local.numbers
            elif local.kind == "block":
                made = (came.reshape(-1) @ local.numbers).reshape(gone.shape)
            else:
                assert set(np.unique(gone)) <= {0.0, *np.unique(came)}
                continue
            axes = tuple(range(made.ndim - gone.ndim)) if made.size != gone.size else ()
            made = made.sum(axes)
            made = made.sum(
                tuple(i for i, n in enumerate(gone.shape) if made.size != gone.size and n == 1), keepdims=True
            )
            assert np.allclose(made.reshape(gone.shape), gone, rtol=1e-4, atol=1e-6)
            checked += 1
    assert checked > 1


def test_a_formula_stands_where_the_numbers_are_too_many(lib):
    x = leaf(lib, [0.1 * i for i in range(20)])
    first, second, *_ = viz.play(x.tanh().sum()).steps
    assert first.goes_out[0].label == ["1 × 1 = shape (20)"]
    assert second.goes_out[0].label == ["× (1 - y²)", "= shape (20)"]


def test_formulas_are_in_names_of_the_program_or_it_is_said_what_their_letters_are(lib):
    note = "A letter that is not a name of the program"
    weight, h = leaf(lib, [[1.0, 2.0], [3.0, 4.0]]), leaf(lib, [[2.0, 3.0]])
    told = viz.play((h @ weight.t()).sum()).text
    assert "to h: g @ weight = [[4, 6]]" in told
    assert note not in told
    matrix = leaf(lib, [[1.0, 2.0], [3.0, 4.0]])
    told = viz.play((matrix @ lib.tensor([1.0, 2.0])).sum()).text
    assert "to matrix: outer(g, v) = [[1, 2], [1, 2]]" in told
    assert note in told


def test_a_product_with_zeros_has_no_formula_that_divides_by_them(lib):
    zeros = leaf(lib, [[0.0, 1.0, 0.0], [3.0, 0.0, 2.0]])
    assert "to zeros: [[0, 0, 0], [0, 6, 0]]" in viz.play(zeros.prod(1).sum()).text


def test_a_backward_of_ones_own_shows_its_arithmetic_and_a_wrong_one_none(lib):
    class Cube(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x * x

    class Forgets(Cube):
        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x

    x = leaf(lib, 2.0)
    labels = [viz.play(cube.apply(x) * 5).steps[1].goes_out[0].label for cube in (Cube, Forgets)]
    assert labels == [["5 × 12 = 60"], ["12"]], "5 × 12 is not 12: no false arithmetic"


def test_a_hook_that_changes_what_goes_out_is_not_called_a_product(lib):
    x = leaf(lib, 3.0)
    y = x * x
    y.grad_fn.register_hook(lambda sent, came: tuple(g * 100 for g in sent))
    view = viz.play(y * 2)
    assert [sent.label for sent in view.steps[1].goes_out] == [["2 × 3 = 6", "(a hook makes it 600)"]] * 2
    assert [sent.label for sent in view.steps[0].goes_out] == [["1 × 2 = 2"]]


def test_a_hook_on_a_tensor_multiplies_what_came_in_and_is_told(lib):
    h = leaf(lib, 1.0) * 3
    h.register_hook(lambda g: g * 10)
    step = viz.play(h * 2).steps[1]
    assert step.came_in == ["2; a hook makes it 20"]
    assert [sent.label for sent in step.goes_out] == [["20 × 3 = 60"]]


# ---- the picture is that of the end ------------------------------------------------------------------------------------


def texts(svg):
    """The lines of text of each node and edge."""
    return {
        group.get("id"): [(text.text or "").replace("\xa0", " ").strip() for text in group.iter(f"{SVG}text")]
        for group in ET.fromstring(svg).iter(f"{SVG}g")
        if group.get("id")
    }


def shared(lib):
    a, b = leaf(lib, 2.0), leaf(lib, -3.0)
    c = a * b
    return viz.play((c + a) * 2, names={"a": a, "b": b, "c": c})


def test_the_picture_has_every_number_of_the_end(lib):
    view = shared(lib)
    told = texts(view.svg)
    for step in view.steps:
        for sent in step.goes_out:
            assert told[sent.edge] == sent.label
        assert told[step.node][-1].startswith("arrived: ")
    assert told["n0"] == ["output", "= -8"]
    assert {node.title: told[node.id][1:] for node in view.snapshot.nodes if node.kind == "leaf"} == {
        "a": ["= 2", "grad -4", "arrived: 2 + (-6) = -4"],
        "b": ["= -3", "grad 4", "arrived: 4"],
    }
    assert [told[edge] for edge in view.recording.starts] == [["1"]]


@pytest.mark.parametrize("ending", [".svg", ".dot", ".html"])
def test_what_is_saved_is_the_end(lib, tmp_path, ending):
    view = shared(lib)
    text = viz.save(view, tmp_path / f"play{ending}").read_text(encoding="utf-8")
    if ending != ".html":
        assert text == (view.svg if ending == ".svg" else view.dot)
    labels = [line for step in view.steps for sent in step.goes_out for line in sent.label]
    assert len(labels) > 4
    assert [line for line in labels if line not in text] == []
    if ending == ".html":
        assert f'"step": {len(view.steps)}' in text


def test_a_sum_that_is_too_long_for_its_box_gives_way_to_what_it_comes_to(lib):
    x = leaf(lib, [0.3333, -0.1234])
    h = x.tanh()
    view = viz.play((h * h).sum(), names={"x": x})
    (step,) = [step for step in view.steps if "Tanh" in step.runs]
    assert len(step.total) > 36
    assert texts(view.svg)[step.node][-1] == f"arrived: {step.received}"


def test_an_edge_grows_with_its_gradient_and_is_dotted_for_zero(lib):
    x, y, z, u = (leaf(lib, 1.0) for _ in range(4))
    view = viz.play(x * 1000 + y * 30 + z + u * 0, names={"x": x, "y": y, "z": z, "u": u})
    named = {node.id: node.title for node in view.snapshot.nodes}
    flows = view.flows()
    thickness = {named[sent.target]: flows[sent.edge].thickness for step in view.steps for sent in step.goes_out}
    assert thickness["x"] > thickness["y"] > thickness["z"] > thickness["u"] == 0.0
    drawn = {group.get("id"): group.find(f"{SVG}path") for group in ET.fromstring(view.svg).iter(f"{SVG}g")}
    to = {named[sent.target]: drawn[sent.edge] for step in view.steps for sent in step.goes_out}
    assert float(to["x"].get("stroke-width")) > float(to["y"].get("stroke-width"))
    assert to["u"].get("stroke-dasharray") and not to["x"].get("stroke-dasharray")
    assert any("thicker" in said and "dotted" in said for _, said in view.data()["legend"])


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_gradient_that_is_no_number_makes_the_thickest_edge(lib, value):
    x, y = leaf(lib, 1.0), leaf(lib, 1.0)
    view = viz.play(x * value + y, names={"x": x, "y": y})
    named = {node.title: node.id for node in view.snapshot.nodes}
    flows = {sent.target: view.flows()[sent.edge].thickness for step in view.steps for sent in step.goes_out}
    assert flows[named["x"]] == 5.5
    assert json.loads(json.dumps(view.data(), allow_nan=False))


# ---- the forward phase -------------------------------------------------------------------------------------------------


def forward(view):
    return [stage["caption"] for stage in view.data().get("forward", [])]


def test_a_function_is_played_forward_with_each_value_and_its_line(lib):
    torch = lib  # by this name a function tells whose tensors it wants

    def f(a, b):
        c = a * b
        return (c + a) ** 2

    view = viz.play(f, a=lib.tensor(2.0), b=-3.0)
    first = f.__code__.co_firstlineno
    assert forward(view) == [
        f"Forward 1 of 3: c = a · b = -6. Line {first + 1}: c = a * b",
        f"Forward 2 of 3: a result = c + a = -4. Line {first + 2}: return (c + a) ** 2",
        f"Forward 3 of 3: a result = (-4)² = 16. Line {first + 2}: return (c + a) ** 2",
    ]
    data = view.data()
    assert data["first"] == -4
    assert data["code"]["lines"] == ["def f(a, b):", "    c = a * b", "    return (c + a) ** 2"]
    assert sorted(data["code"]["of"].values()) == [first + 1, first + 2, first + 2]
    assert [step.after for step in view.steps if step.is_leaf] == ["16", "-16"]
    assert torch is lib


def test_the_forward_phase_says_a_large_value_by_its_shape(lib):
    captions = forward(viz.play(lambda x: x.exp().sum(), x=lib.ones(20)))
    assert captions[0].startswith("Forward 1 of 2: a result = exp(x): shape (20).")


def test_a_node_without_a_formula_has_its_value(lib):
    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    small, large = (viz.play(lambda x: Twice.apply(x).sum(), x=lib.ones(size)) for size in (2, 20))
    assert forward(small)[0].startswith("Forward 1 of 2: a result is [2, 2].")
    assert forward(large)[0].startswith("Forward 1 of 2: a result has shape (20).")


def test_a_plain_tensor_has_no_forward_phase_and_one_made_under_a_watch_has(lib):
    a, b = leaf(lib, 2.0), leaf(lib, -3.0)
    plain = viz.play(a * b + a)
    with viz.watch():
        watched = a * b + a
    assert forward(plain) == []
    assert plain.data()["first"] == 0
    assert [caption.partition(".")[0] for caption in forward(viz.play(watched))] == [
        "Forward 1 of 2: a result = a · b = -6",
        "Forward 2 of 2: watched = -6 + a = -4",
    ]


def test_a_tensor_has_a_forward_phase_where_the_graph_keeps_every_value(lib):
    x = leaf(lib, 1.0)
    y = x.exp().tanh()
    assert len(forward(viz.play(y))) == 2


def test_playing_a_function_touches_nobodys_gradient(lib):
    a = leaf(lib, 2.0)
    a.grad = lib.tensor(7.0)
    view = viz.play(lambda a: a * a, a=a)
    assert (float(a.grad), view.steps[-1].before, view.steps[-1].after) == (7.0, "None", "4")


def test_a_function_that_raises_is_a_sentence(lib):
    def broken(a):
        raise ValueError("of my own")

    assert viz.play(broken, a=1.0).text == "broken stops with ValueError: of my own"


def test_values_without_a_function_are_refused(lib):
    with pytest.raises(TypeError, match=r"arguments \(a\) need a function: write viz.play\(f, a=...\)"):
        viz.play(leaf(lib, 1.0) * 2, a=1.0)


def test_an_engine_of_someones_own_has_numbers_without_products():
    view = viz.play(Own(2.0) * Own(5.0), 3.0)
    assert [sent.label for sent in view.steps[0].goes_out] == [["15"], ["6"]]
    assert texts(view.svg)["n1"][-1] == "arrived: 3"


# ---- Jacobians on request ----------------------------------------------------------------------------------------------


def test_a_large_jacobian_is_asked_for_on_request(lib):
    x = leaf(lib, [[0.1 * i - 0.3 * j for i in range(10)] for j in range(8)])
    view = viz.play((x.softmax(1) * x).sum(), names={"x": x})
    (step,) = [step for step in view.steps if "Softmax" in step.runs]
    asking = [told["node"] for told in view.data()["steps"] if told.get("asks")]
    assert asking == [step.node]
    ((_, found),) = view.jacobians(step.node)
    y = x.detach().softmax(1).numpy().reshape(8, 10)
    expected = np.zeros((80, 80))
    for row in range(8):
        part = slice(10 * row, 10 * row + 10)
        expected[part, part] = np.diag(y[row]) - np.outer(y[row], y[row])
    assert np.allclose(found, expected, atol=1e-6)
    assert [told for told in view.data()["steps"] if told.get("asks")] == [], "it is there now"
    assert [to for to, _ in view.jacobians(step.node)] == ["x"]


def test_a_small_jacobian_is_there_at_once_and_an_elementwise_operation_has_none(lib):
    x = leaf(lib, [1.0, 2.0, 0.5])
    view = viz.play((x.softmax(0) ** 2).sum(), names={"x": x})
    named = {step.runs: step.node for step in view.steps}
    assert [found.shape for _, found in view.jacobians(named["SoftmaxBackward0"])] == [(3, 3)]
    assert view.jacobians(named["PowBackward0"]) == []
    with pytest.raises(KeyError, match="no operation with the id 'n99' ran in this pass"):
        view.jacobians("n99")


def test_a_move_and_a_sum_are_told_as_such(lib):
    x = leaf(lib, [[1.0, 2.0], [3.0, 4.0]])
    b = leaf(lib, 1.0)
    told = str(viz.play(((x.reshape(4) + b) * lib.tensor([2.0, 2.0, 2.0, 10.0])).sum()))
    assert "[2, 2, 2, 10] → [[2, 2], [2, 10]]" in told
    assert "[2, 2, 2, 10] × [1, 1, 1, 1] summed = 16" in told
    product = str(viz.play((x @ leaf(lib, [[1.0, 0.0], [0.0, 0.0]])).sum()))
    assert "xᵀ @ g = [[4, 4], [6, 6]] (g = [[1, 1], [1, 1]])" in product
