"""Repeated structure: what is folded is equal, what differs is shown, boxes open again, and no size hangs."""

import json

import pytest

from autograd_teach import viz
from autograd_teach.viz import fold as folding
from autograd_teach.viz import snapshot
from autograd_teach.viz import view as view_module


def leaf(lib, value):
    return lib.tensor(value, requires_grad=True)


def loop(lib, steps):
    w, b = leaf(lib, [0.5, 0.2]), leaf(lib, [0.1, 0.3])
    y = leaf(lib, [1.0, 2.0])
    for _ in range(steps):
        y = (y * w + b).tanh()
    return y.sum()


def layers(lib, steps):
    y = lib.ones(3, 4)
    for _ in range(steps):
        y = (y @ leaf(lib, [[0.1] * 4] * 4) + leaf(lib, [0.1] * 4)).tanh()
    return y.sum()


def residual(lib, steps):
    w = leaf(lib, [0.5, 0.2])
    y = w
    for _ in range(steps):
        y = y + (y * w).tanh()
    return y.sum()


def losses_of_each_step(lib, steps):
    w = leaf(lib, 1.0)
    h, losses = w, []
    for _ in range(steps):
        h = (h * w).tanh()
        losses.append((h - 1) ** 2)
    return lib.stack(losses).sum()


def loop_in_a_loop(lib, steps):
    w = leaf(lib, 1.0)
    y = w
    for _ in range(steps):
        for _ in range(5):
            y = (y * w).tanh()
        y = y.exp().sin()
    return y


def many_leaves(lib, steps):
    return lib.stack([leaf(lib, 1.0) for _ in range(steps)]).sum()


def one_weight(lib, steps):
    w = leaf(lib, 1.0)
    y = w
    for _ in range(steps):
        y = y * w
    return y


def two_states(lib, steps):
    u, w = leaf(lib, 0.5), leaf(lib, 0.25)
    h, c = leaf(lib, 1.0), leaf(lib, 2.0)
    for _ in range(steps):
        h, c = (h * u + c).tanh(), c * w + h
    return h + c


BOXES = {
    loop: "(TanhBackward0, AddBackward0, MulBackward0)",
    layers: "(TanhBackward0, AddBackward0, MmBackward0)",
    residual: "(AddBackward0, TanhBackward0, MulBackward0)",
    losses_of_each_step: "(PowBackward0, SubBackward0, TanhBackward0, MulBackward0)",
    loop_in_a_loop: "(SinBackward0, ExpBackward0, 5 x (TanhBackward0, MulBackward0))",
    many_leaves: "leaves of shape ()",
    one_weight: "MulBackward0",
    two_states: "(TanhBackward0, 2 x AddBackward0, 2 x MulBackward0)",
}


def boxes(view):
    return [node for node in view.snapshot.nodes if node.folded]


@pytest.mark.parametrize("program", BOXES, ids=lambda program: program.__name__)
def test_what_repeats_is_one_box_whatever_the_number_of_times(lib, program):
    few, many = (viz.graph(program(lib, steps), fold=True) for steps in (40, 200))
    for view in (few, many):
        assert boxes(view)[0].title.partition(" ")[2].removeprefix("x ") == BOXES[program]
        assert view.svg.count('id="n') == len(view.snapshot.nodes) < 25
    assert len(few.snapshot.nodes) == len(many.snapshot.nodes)
    assert len(many.svg) + len(json.dumps(many.data())) < 40_000


@pytest.mark.parametrize("program", BOXES, ids=lambda program: program.__name__)
def test_nothing_is_lost_and_nothing_is_made_up(lib, program):
    y = program(lib, 60)
    whole, view = snapshot.take([y]).snapshot, viz.graph(y, fold=True)
    folded = [node.folded for node in boxes(view)]
    for kind, inside in (
        ("operation", sum(box.operations for box in folded)),
        ("leaf", sum(sum(box.leaves.values()) for box in folded)),
    ):
        shown = [node for node in view.snapshot.nodes if node.kind == kind]
        assert len(shown) + inside == len([n for n in whole.nodes if n.kind == kind])
    assert all(edge.source != edge.target for edge in view.snapshot.edges)
    ids = {node.id for node in view.snapshot.nodes}
    assert {end for edge in view.snapshot.edges for end in (edge.source, edge.target)} <= ids


@pytest.mark.parametrize("program", BOXES, ids=lambda program: program.__name__)
def test_boxes_open_until_the_whole_graph_is_there(lib, program):
    y = program(lib, 12)
    whole, view = viz.graph(y, fold=False), viz.graph(y, fold=True)
    first = view.text
    for _ in range(100):
        if not boxes(view):
            break
        before = len(view.snapshot.nodes)
        view.unfold(boxes(view)[0].id)
        assert len(view.snapshot.nodes) > before
    assert view.text == whole.text
    assert view.dot == whole.dot
    view.refold()
    assert view.text == first


def test_the_words_of_a_box_say_how_often_and_what(lib):
    view = viz.graph(loop_in_a_loop(lib, 50), fold=True)
    box = next(node for node in view.data()["nodes"] if node.get("unfolds"))
    assert dict(box["rows"]) == {
        "repeats": "49 times, equal in names, shapes and edges",
        "one time": "SinBackward0, ExpBackward0, 5 x (TanhBackward0, MulBackward0)",
        "operations": "12 each time, 588 in all",
        "shape": "() each",
        "in Python": f'view.unfold("{box["id"]}")',
    }


def test_a_box_opens_to_its_first_and_last_repetition(lib):
    view = viz.graph(loop(lib, 100), fold=True)
    (box,) = boxes(view)
    view.unfold(box.id)
    (between,) = boxes(view)
    assert between.folded.times == box.folded.times - 2
    titles = [node.title for node in view.snapshot.nodes if node.kind == "operation"]
    assert {"TanhBackward0 #1", f"TanhBackward0 #{box.folded.times}"} <= set(titles)


def test_the_text_of_a_folded_graph_is_short_and_true(lib):
    w = leaf(lib, [0.5, 0.2])
    y = leaf(lib, [1.0, 2.0])
    names = {"w": w, "y": y}
    for _ in range(150):
        y = (y * w).tanh()
    view = viz.graph(y, names={"result": y, **names})
    assert [line for line in repr(view).splitlines() if " x " in line or "edges" in line] == [
        "└─ 149 x (TanhBackward0, MulBackward0), 298 operations folded, shape (2) each",
        "   └─ 149 edges to AccumulateGrad of w, shown above",
    ]
    assert "300 operations, 2 leaves" in view.title
    assert "Repeated structure is folded" in view.title


def other_name(lib, y, w):
    return y.exp()


def other_shape(lib, y, w):
    return y * lib.ones(1, 2)


def other_leaf(lib, y, w):
    return y * leaf(lib, [0.5, 0.2])


def other_wiring(lib, y, w):
    return w * y


@pytest.mark.parametrize("odd_one", [other_name, other_shape, other_leaf, other_wiring])
def test_a_step_that_differs_stays_outside_the_boxes(lib, odd_one):
    w = leaf(lib, [0.5, 0.2])
    y = leaf(lib, [1.0, 2.0])
    for step in range(41):
        y = odd_one(lib, y, w) if step == 20 else y * w
    view = viz.graph(y.sum(), fold=True)
    assert sum(box.folded.operations for box in boxes(view)) <= 40
    assert len(boxes(view)) == 2


def test_operations_of_one_name_and_several_shapes_stay_outside_a_box(lib):
    y = lib.ones(*[2] * 8, requires_grad=True)
    for _ in range(8):
        y = y.sum(0)
    assert not boxes(viz.graph(y, fold=True))


def test_a_changed_saved_tensor_is_not_hidden_in_a_box(lib):
    y = leaf(lib, [1.0, 2.0])
    results = []
    for _ in range(100):
        y = y.exp()
        results.append(y)
    with lib.no_grad():
        results[50].add_(1)
    view = viz.graph(y, fold=True)
    assert len([node for node in view.snapshot.nodes if node.stale and not node.folded]) == 1


def test_results_that_are_not_finite_are_counted(lib):
    y = leaf(lib, 1.0)
    for _ in range(100):
        y = y.exp()
    (box,) = boxes(viz.graph(y, fold=True))
    assert box.folded.odd > 90
    assert "results not finite" in repr(viz.graph(y, fold=True))


@pytest.mark.parametrize(("steps", "fold", "folded"), [(20, "auto", False), (20, True, True), (110, "auto", True)])
def test_folding_by_itself_begins_where_a_graph_is_large(lib, steps, fold, folded):
    assert bool(boxes(viz.graph(loop(lib, steps), fold=fold))) is folded


def test_without_folding_the_graph_is_whole(lib):
    assert not boxes(viz.graph(layers(lib, 110), fold=False))


def test_a_graph_without_repetition_is_drawn_whole(lib):
    x = leaf(lib, 2.0)
    assert len(viz.graph(x.exp().sin() * x, fold=True).snapshot.nodes) == 5


def test_unknown_ways_to_fold_raise(lib):
    with pytest.raises(ValueError, match='True, False or "auto"'):
        viz.graph(leaf(lib, 1.0), fold="all")


@pytest.mark.parametrize("steps", [3, 100])
def test_unfolding_what_is_no_box_raises(lib, steps):
    with pytest.raises(KeyError):
        viz.graph(loop(lib, steps), fold=True).unfold("n0")


def test_the_browser_unfolds_by_a_message(lib):
    pytest.importorskip("anywidget", reason="the widget needs anywidget")
    view = viz.graph(loop(lib, 120))
    box = boxes(view)[0].id
    assert [node["id"] for node in view.data()["nodes"] if node.get("unfolds")] == [box]
    widget, sent = view.widget, []
    widget.observe(lambda change: sent.append(change["name"]), names=["svg", "view"])
    before = widget.svg, widget.view
    for message in ({"type": "unfold", "id": "n99999"}, {"type": "other"}, "nonsense", {"type": "unfold"}):
        widget._handle_custom_msg(message, [])
    assert sent == []
    widget._handle_custom_msg({"type": "unfold", "id": box}, [])
    assert sorted(sent) == ["svg", "view"]
    assert all(f'id="{node["id"]}"' in widget.svg for node in widget.view["nodes"])
    widget._handle_custom_msg({"type": "refold"}, [])
    assert (widget.svg, widget.view) == before


@pytest.mark.parametrize("steps", [folding.MOST_READ // 2, pytest.param(50_000, marks=pytest.mark.full)])
def test_a_graph_that_is_too_large_is_summed_up_without_recursion(lib, steps, shallow_stack):
    w = leaf(lib, [[1.0] * 3] * 2)
    y = w
    for _ in range(steps):
        y = (y * w).tanh()
    nodes = 2 * steps + 1
    assert nodes > folding.MOST_READ
    view = viz.graph(y)
    most = snapshot.MOST_WALKED
    counted = f"{nodes:,} nodes and {3 * steps:,} edges (" if nodes <= most else f"more than {most:,} nodes (among"
    assert view.text.startswith(f"This graph has {counted}")
    assert view.svg.startswith("<svg")
    assert len(view.svg) < 5_000
    del view, y  # PyTorch must be able to free it


@pytest.mark.parametrize(
    ("show", "walks"),
    [
        (viz.graph, 1),
        (viz.play, 1),
        (viz.versions, 1),
        (lambda y: viz.compare(y, y), 4),
    ],
    ids=["graph", "play", "versions", "compare"],
)
def test_a_graph_is_refused_as_soon_as_the_limit_is_passed(lib, monkeypatch, show, walks):
    monkeypatch.setattr(view_module, "MOST_READ", 2_000)
    monkeypatch.setattr(snapshot, "MOST_WALKED", 3_000)
    names = []
    monkeypatch.setattr(snapshot, "short_name", lambda node: names.append(node.name()) or names[-1])
    y = leaf(lib, 1.0)
    for _ in range(10_000):
        y = y + 1.0
    str(show(y))
    assert len(names) == walks * 3_000


def test_a_summary_tells_names_depth_leaves_and_the_largest_saved_tensors(lib, monkeypatch):
    monkeypatch.setattr(view_module, "MOST_READ", 2_000)
    w = leaf(lib, [[1.0] * 3] * 2)
    y = w
    for _ in range(1_100):
        y = (y * w).tanh()
    assert repr(viz.graph(y)).splitlines() == [
        (
            "This graph has 2,201 nodes and 3,300 edges (1,100 MulBackward0, 1,100 TanhBackward0, 1 AccumulateGrad): "
            "too many to draw, the limit is 2,000 nodes and 6,000 edges. Draw a smaller part, such as a single step of a loop."
        ),
        "The longest path through it passes 2,201 nodes.",
        "It has 2,200 operations and 1 leaf, of shape (2, 3).",
        (
            "The largest tensors kept for the backward pass: shape (2, 3) by MulBackward0 (2,200 times), "
            "shape (2, 3) by TanhBackward0 (1,100 times)."
        ),
    ]


def test_what_cannot_be_folded_to_a_drawable_size_is_summed_up(lib):
    y, x = leaf(lib, 1.0), leaf(lib, 1.0)
    bit = 1
    for step in range(3_000):  # a sequence of two operations without a rhythm
        bit = (bit * 1103515245 + 12345) % 2**31
        y = y.exp() if bit >> 16 & 1 else y * x
    assert repr(viz.graph(y)).startswith("This graph has ")


class Counted(list):
    """A list that counts how often it is read."""

    reads = 0

    def __getitem__(self, place):
        Counted.reads += 1
        return super().__getitem__(place)


def test_the_work_of_folding_grows_with_the_graph_not_its_square(lib, monkeypatch):
    def reads(steps):
        whole = snapshot.take([loop_in_a_loop(lib, steps)], most_nodes=folding.MOST_READ).snapshot
        wires = folding.Folding(whole)._wires
        Counted.reads, wires.slots = 0, Counted(wires.slots)
        wires.repeats(0, len(wires.slots))
        return Counted.reads

    assert reads(160) < 5 * reads(40)
