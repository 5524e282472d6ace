"""`viz.play`: the recorded steps are those that the engine takes, and playing leaves no trace."""

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
