"""What a graph says of higher order and of cut histories: the gradient's graph over the value's, `detach`, `.data`, `no_grad`."""

import re

import pytest

from autograd_teach import viz


def leaf(lib, values):
    return lib.tensor(values, requires_grad=True)


def cube(lib):
    x = leaf(lib, [2.0, 3.0])
    y = (x * x * x).sum()
    (dx,) = lib.autograd.grad(y, x, create_graph=True)
    return x, y, dx


def orders(view):
    return {node.title: node.order for node in view.snapshot.nodes}


def test_each_node_belongs_to_the_first_output_that_needs_it(lib):
    x, y, dx = cube(lib)
    view = viz.graph(y, dx, orders=True, names={"x": x})
    value = {node.title for node in viz.graph(y, names={"x": x}).snapshot.nodes if node.kind == "leaf"}
    found = orders(view)
    assert (found["y"], found["dx"], found["x"]) == (0, 1, 0)
    assert value == {"x"}
    assert sum(order == 0 and title.startswith("Mul") for title, order in found.items()) == 2
    assert sum(order == 1 and title.startswith("Mul") for title, order in found.items()) == 4


def test_orders_differ_by_words_shape_and_legend(lib):
    x, y, dx = cube(lib)
    (d2x,) = lib.autograd.grad(dx.sum(), x, create_graph=True)
    view = viz.graph(y, dx, d2x, orders=True)
    lines = [line for line in view.dot.splitlines() if 'label="AddBackward0' in line]
    assert {re.search(r"order (\d)", line)[1]: re.search(r"shape=(\w+)", line)[1] for line in lines} == {
        "1": "octagon",
        "2": "hexagon",
    }
    assert "AddBackward0 #1, shape (2), [12, 27], order 1" in repr(view)
    assert [head for head, _ in view.data()["legend"]] == ["order1", "order2", "uses"]


def test_the_values_on_which_a_gradient_hangs_are_edges_of_their_own_kind(lib):
    x, y, dx = cube(lib)
    view = viz.graph(y, dx, orders=True, names={"x": x})
    uses = re.findall(r"(n\d+) -> (n\d+) \[id=\"\w+\" class=\"agt-edge agt-uses\"", view.dot)
    ends = {(view.snapshot.node(a).order, view.snapshot.node(b).order) for a, b in uses}
    assert ends == {(1, 0)}
    assert {view.snapshot.node(b).title for _, b in uses} == {"x", "MulBackward0 #2"}
    assert "uses a value: MulBackward0 #2, shown above" in repr(view)


def test_gradients_of_one_order_stand_in_a_list(lib):
    x, w = leaf(lib, 2.0), leaf(lib, 3.0)
    y = x * x * w
    dx, dw = lib.autograd.grad(y, (x, w), create_graph=True)
    found = orders(viz.graph(y, [dx, dw], orders=True))
    assert (found["y"], found["dx"], found["dw"]) == (0, 1, 1)


def test_two_losses_that_share_a_trunk_are_no_orders(lib):
    x = leaf(lib, [1.0, 2.0])
    h = x.exp()
    p, q = h.sum(), h.mean()
    view = viz.graph(p, q)
    assert set(orders(view).values()) == {0}
    assert "order" not in repr(view)
    assert "legend" not in view.data()


def test_an_output_that_uses_nothing_of_the_others_is_said_to_be_no_gradient(lib):
    x, w = leaf(lib, 2.0), leaf(lib, 3.0)
    y, z = x * x, w * w
    view = viz.graph(y, z, orders=True)
    assert repr(view).startswith("z does not use the graphs before it, so it is not their gradient")
    assert set(orders(view).values()) == {0}


def test_a_gradient_without_create_graph_is_said_to_have_no_history(lib):
    x = leaf(lib, 2.0)
    y = x * x * x
    (dx,) = lib.autograd.grad(y, x, retain_graph=True)
    assert "dx has no history: compute it with grad(..., create_graph=True)" in repr(viz.graph(y, dx, orders=True))


CUTS = [
    ("detach of a leaf", lambda lib, x, h: x.detach(), "the value of x, without its history", "x"),
    ("data of a leaf", lambda lib, x, h: x.data, "the value of x, without its history", "x"),
    ("detach of a result", lambda lib, x, h: h.detach(), "the value of h, without its history", "ExpBackward0 (h)"),
    ("a part of it", lambda lib, x, h: x.detach()[:1], "in the memory of x, without its history", "x"),
    ("no_grad", lambda lib, x, h: computed(lib, x), "requires_grad=False: no history", None),
    ("plain data", lambda lib, x, h: lib.tensor([1.0, 2.0]), "requires_grad=False: no history", None),
    ("a copy", lambda lib, x, h: x.detach().clone(), "requires_grad=False: no history", None),
]


def computed(lib, x):
    with lib.no_grad():
        return x * 2


@pytest.mark.parametrize(("cut", "words", "source"), [case[1:] for case in CUTS], ids=[case[0] for case in CUTS])
def test_an_argument_without_gradient_says_whose_value_it_is(lib, cut, words, source):
    x = leaf(lib, [1.0, 2.0])
    h = x.exp()
    d = cut(lib, x, h)
    view = viz.graph(h * d)
    shot = view.snapshot
    (line,) = [line for line in repr(view).splitlines() if "─ d, " in line]
    assert line.endswith(words)
    (node,) = [node for node in shot.nodes if node.kind == "constant"]
    assert [(edge.source, shot.node(edge.target).title) for edge in shot.cuts] == [(node.id, source)] * bool(source)
    assert ('class="agt-edge agt-cut" style=dashed dir=both arrowhead=tee' in view.dot) == bool(source)
    # No gradient flows over a cut: it is no edge of the graph.
    assert {edge.target for edge in shot.edges if edge.source == node.id} == set()


def test_a_cut_without_a_variable_is_named_after_what_it_was_cut_from(lib):
    x = leaf(lib, [1.0, 2.0])
    assert "└─ x.detach(), shape (2), [1, 2], the value of x, without its history" in repr(viz.graph(x * x.detach()))


@pytest.mark.parametrize("make", [lambda x: x * 3, lambda x: x + x.detach()], ids=["number", "nothing saved"])
def test_what_the_graph_does_not_keep_is_not_named(lib, make):
    x = leaf(lib, [1.0, 2.0])
    assert "None: no gradient goes here" in repr(viz.graph(make(x)))


def test_a_condition_is_not_taken_for_an_argument(lib):
    x = leaf(lib, [1.0, -2.0])
    condition, low = lib.tensor([True, False]), lib.tensor([0.0, 0.0])
    view = viz.graph(lib.where(condition, x, low))
    assert "condition" not in repr(view)


def test_of_two_arguments_without_gradient_only_the_saved_one_is_named(lib):
    w = leaf(lib, [[1.0, 2.0], [3.0, 4.0]])
    c, d = lib.ones(2, 2), lib.zeros(2, 2)
    view = viz.graph(lib.addmm(c, w, d))
    assert [node.variable for node in view.snapshot.nodes if node.kind == "constant"] == ["", "d"]


def test_a_leaf_made_of_a_cut_value_says_so(lib):
    x = leaf(lib, [1.0, 2.0])
    h = x.exp()
    e = h.detach().requires_grad_()
    view = viz.graph(e * x)
    assert "AccumulateGrad of e, shape (2), [2.718, 7.389], grad not computed yet, the value of h, without its" in repr(
        view
    )
    assert view.snapshot.cuts == []  # h is not in this picture


def test_a_leaf_is_not_cut_from_its_own_view(lib):
    x = leaf(lib, [1.0, 2.0])
    same = x.view(2)
    view = viz.graph(x * same)
    assert "without its history" not in repr(view)


def test_a_tensor_alone_says_that_its_history_was_cut(lib):
    x = leaf(lib, [1.0, 2.0])
    d = x.detach()
    assert "d holds the value of x, without its history, as after detach()" in repr(viz.graph(d))


def test_the_player_walks_no_cut(lib):
    x = leaf(lib, [1.0, 2.0])
    view = viz.play((x * x.detach()).sum())
    assert [step.runs for step in view.steps] == ["SumBackward0", "MulBackward0", "AccumulateGrad of x"]


def test_a_view_is_of_the_moment_it_was_made(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x.exp()
    z = (y * y.detach()).sum()
    views = [viz.graph(z), viz.versions(z), viz.compare(z, y)]
    told = [repr(view) for view in views]
    z.backward()
    with lib.no_grad():
        x.mul_(5)
    assert [repr(view) for view in views] == told


@pytest.mark.parametrize("name", ['<b>&"x"</b>', "a\\nb", "&lt;"])
def test_any_name_can_be_cut(lib, name):
    x = leaf(lib, [1.0, 2.0])
    view = viz.graph(x * x.detach(), names={name: x})
    assert f"the value of {name}, without its history" in repr(view)
    assert view.svg.startswith("<svg")
