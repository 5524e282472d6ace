"""`viz.play`: the recorded steps are those that the engine takes, and playing leaves no trace."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from autograd_teach import viz
from autograd_teach.viz import record


def leaf(lib, values):
    return lib.tensor(values, requires_grad=True)


def test_steps_of_abs_and_sum(lib):
    x = leaf(lib, [1.0, -2.0, 3.0, -4.0])
    assert repr(viz.play(x.abs().sum())).splitlines() == [
        "step  runs                 because                     came in         goes out",
        "   1  SumBackward0         backward starts here        1               to AbsBackward0: [1, 1, 1, 1]",
        "   2  AbsBackward0         its only gradient is there  [1, 1, 1, 1]    to x: [1, -1, 1, -1]",
        "   3  AccumulateGrad of x  its only gradient is there  [1, -1, 1, -1]  x.grad: not computed yet -> [1, -1, 1, -1]",
    ]


def test_a_node_waits_for_its_second_contribution(lib):
    a = leaf(lib, 1.0)
    b = a + a
    c = b + b
    first, second, third = viz.play(c).steps
    assert [sent.missing for sent in first.goes_out] == [1, 0]
    assert second.because == "the last of its 2 gradients is there; they are summed"
    assert second.came_in == ["1 from AddBackward0", "1 from AddBackward0", "sum: 2"]
    assert (third.before, third.arriving, third.after) == ("not computed yet", "4", "4")


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
    assert last.before == "not computed yet"
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
    monkeypatch.setattr(record, "_writer", lambda node, ran: lambda *_: heard.append(node))
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
            0: "Step 1 of 3: SumBackward0 runs, because backward starts here. It sends a gradient to AbsBackward0.",
            -1: "Step 3 of 3: AccumulateGrad of x runs: x.grad was not computed yet, now it holds [1, -1].",
        }[place]
    )


def test_a_caption_counts_what_is_sent_and_says_what_a_gradient_becomes(lib):
    x = leaf(lib, 1.0)
    (x + x).backward()
    captions = [step["caption"] for step in viz.play(x + x).data()["steps"]]
    assert captions[0].endswith("It sends 2 gradients to x.")
    assert captions[1].endswith("runs and adds 2 to x.grad: 2 becomes 4.")


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
    assert (last.came_in[-1], last.after) == ("sum: 7", "7")
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
    assert second.came_in == ["1, with which backward starts", f"6 from {name}", f"6 from {name}", "sum: 13"]
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
    assert step.came_in == ["[2, 4] from PowBackward0", "[3, 4] from MulBackward0", "sum: [5, 8]"]
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
    assert caption.endswith("runs: .grad of the unnamed leaf was not computed yet, now it holds 3.")


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
    assert len(json.dumps([view.data(), view.svg])) < 100_000


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
    assert "for two losses, write viz.play([loss1, loss2])." in viz.play(w * 2, w * 3).text
    assert "two losses" not in viz.play(w * 2, lib.tensor(3.0)).text


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
        "The backward pass stops with NotImplementedError: of an engine of your own, play one output"
    )


def test_a_node_without_hooks_cannot_be_played_and_that_is_said(monkeypatch):
    monkeypatch.delattr(OwnNode, "register_hook")
    assert "has no attribute 'register_hook'" in viz.play(Own(2.0) * Own(5.0)).text
