"""`viz.compare`: what two graphs have in common, what only one has, and the sentence that sums it up."""

import pytest

import autograd_teach
from autograd_teach import viz


def leaf(lib, values):
    return lib.tensor(values, requires_grad=True)


def marked(view):
    return [(node.title, node.mark) for node in view.snapshot.nodes if node.mark]


def detach(lib, x, w):
    h = x.exp()
    return (w * h).sum(), (w * h.detach()).sum()


def without_grad(lib, x, w):
    with lib.no_grad():
        h = x.exp()
    return (w * x.exp()).sum(), (w * h).sum()


def same(lib, x, w):
    return (w * x).tanh(), (w * x).tanh()


def other_operation(lib, x, w):
    return (x * w).tanh().sum(), (x * w).relu().sum()


def one_more(lib, x, w):
    return (x * w).tanh().sum(), (x * w).sum()


def one_more_in_the_other(lib, x, w):
    return (x * w).sum(), (x * w).tanh().sum()


def one_more_on_a_common_trunk(lib, x, w):
    h = x * w
    return h.sum(), h.exp().sum()


def swapped(lib, x, w):
    return x * w, w * x


def shared_weight(lib, x, w):
    return x * w, x * x


def number(lib, x, w):
    return x * w, x * 3


CASES = [
    (same, "y and z have the same graph, node for node: 2 operations and 2 leaves.", []),
    (
        detach,
        "In both: 2 operations and 1 leaf. Only in y: ExpBackward0, x. Only in z: unnamed tensor.",
        [("ExpBackward0", "only in y"), ("x", "only in y"), ("unnamed tensor", "only in z")],
    ),
    (
        without_grad,
        "In both: 2 operations and 1 leaf. Only in y: ExpBackward0, x.",
        [("ExpBackward0", "only in y"), ("x", "only in y")],
    ),
    (
        other_operation,
        "In both: 2 operations and 2 leaves. Only in y: TanhBackward0. Only in z: ReluBackward0.",
        [("TanhBackward0", "only in y"), ("ReluBackward0", "only in z")],
    ),
    (
        one_more,
        "In both: 2 operations and 2 leaves. Only in y: TanhBackward0.",
        [("TanhBackward0", "only in y")],
    ),
    (
        one_more_in_the_other,
        "In both: 2 operations and 2 leaves. Only in z: TanhBackward0.",
        [("TanhBackward0", "only in z")],
    ),
    (
        one_more_on_a_common_trunk,
        "In both: 2 operations and 2 leaves. Only in z: ExpBackward0.",
        [("ExpBackward0", "only in z")],
    ),
    (
        swapped,
        (
            "In both: 1 operation and 2 leaves. Argument 1 of MulBackward0 comes from x in y, from w in z. "
            "Argument 2 of MulBackward0 comes from w in y, from x in z."
        ),
        [],
    ),
    (shared_weight, "In both: 1 operation and 1 leaf. Only in y: w.", [("w", "only in y")]),
    (number, "In both: 1 operation and 1 leaf. Only in y: w.", [("w", "only in y")]),
]


@pytest.mark.parametrize(("make", "summary", "marks"), CASES, ids=[case[0].__name__ for case in CASES])
def test_what_only_one_graph_has_is_marked_and_summed_up(lib, make, summary, marks):
    x, w = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    y, z = make(lib, x, w)
    view = viz.compare(y, z)
    assert view.summary == summary
    assert marked(view) == marks
    assert repr(view).startswith(summary)
    for title, mark in marks:
        assert any(title in line and line.endswith(mark) for line in repr(view).splitlines())
        assert mark in view.dot


def test_a_cut_is_told_where_the_other_graph_goes_on(lib):
    x, w = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    h = x.exp()
    y, z = w * h, w * h.detach()
    view = viz.compare(y, z)
    assert view.summary == "In both: 1 operation and 1 leaf. Only in y: ExpBackward0 (h), x. Only in z: h.detach()."
    assert "h.detach(), shape (2), [2.718, 7.389], the value of h, without its history, only in z" in repr(view)


def test_a_new_leaf_is_not_taken_for_the_one_that_the_other_graph_starts_from(lib):
    w = lib.tensor(3.0, requires_grad=True)
    kept, cut = w * w, lib.tensor(9.0, requires_grad=True)
    view = viz.compare(kept, cut)
    assert view.summary == "In both: nothing. Only in kept: MulBackward0, w. Only in cut: cut."
    assert viz.compare(kept, w).summary == "In both: 0 operations and 1 leaf. Only in kept: MulBackward0."


def test_the_picture_has_two_frames_with_the_callers_names(lib):
    x = leaf(lib, 2.0)
    first, second = x * x, x.exp()
    view = viz.compare(first, second)
    assert [title for title, _ in view.snapshot.clusters] == ["first", "second"]
    assert view.dot.count("subgraph cluster_") == 2
    ids = [node for _, members in view.snapshot.clusters for node in members]
    assert ids == [node.id for node in view.snapshot.nodes]
    assert view.svg.count('class="cluster agt-cluster"') == 2
    assert ["marked", "in one graph only (dashed and thick, says in which)"] in view.data()["legend"]


def test_a_gradient_with_and_without_its_graph(lib):
    x = leaf(lib, 2.0)
    (with_graph,) = lib.autograd.grad(x.exp(), x, create_graph=True)
    (without,) = lib.autograd.grad(x.exp(), x)
    view = viz.compare(with_graph, without)
    assert "Only in with_graph: MulBackward0, ExpBackward0, x. Only in without: without." in view.summary
    assert "without has no graph: no operation was recorded" in repr(view)


def test_one_tensor_with_itself(lib):
    y = leaf(lib, 2.0) * 3
    assert viz.compare(y, y).summary == "y (first) and y (second) are one tensor: its graph is compared with itself."


def test_programs_run_twice_have_the_same_graph(lib):
    def program():
        w = leaf(lib, [[0.5, -0.5], [0.25, 0.75]])
        return (w @ lib.ones(2)).tanh().sum()

    y, z = program(), program()
    view = viz.compare(y, z)
    assert view.summary.startswith("y and z have the same graph, node for node: 3 operations and 1 leaf.")
    assert marked(view) == []


def test_other_shapes_of_the_same_graph_are_said(lib):
    def program(size):
        return lib.ones(size, requires_grad=True).exp().sum()

    y, z = program(2), program(3)
    assert "Only in y" in viz.compare(y, z).summary


def test_our_graph_and_that_of_either_library_can_be_compared(lib):
    ours, theirs = (leaf(library, [1.0, 2.0]).exp().sum() for library in (autograd_teach, lib))
    summary = viz.compare(ours, theirs).summary
    assert summary == "ours and theirs have the same graph, node for node: 2 operations and 1 leaf."


BAD = [
    ("a number", lambda lib: 3, "Nothing to draw for an int"),
    ("None", lambda lib: None, "Nothing to draw for a NoneType"),
    ("no graph", lambda lib: lib.tensor([1.0]), "has no graph: no operation was recorded"),
    ("a leaf", lambda lib: leaf(lib, [1.0]), "is a leaf: no operation was recorded for it"),
    ("too large", lambda lib: chain(lib, 3_000), "too many to draw"),
    ("NaN", lambda lib: leaf(lib, [float("nan")]).sum(), "not finite: 1 NaN of 1."),
]


def chain(lib, length):
    y = leaf(lib, 1.0)
    for _ in range(length):
        y = y + 1
    return y


@pytest.mark.parametrize(("make", "sentence"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
@pytest.mark.parametrize("place", [0, 1])
def test_bad_input_becomes_a_sentence(lib, make, sentence, place):
    good = leaf(lib, 2.0) * 2
    pair = [good, good]
    pair[place] = make(lib)
    view = viz.compare(*pair)
    assert sentence in repr(view)
    assert view._repr_mimebundle_()["image/svg+xml"].startswith("<svg")


def test_two_bad_ones_are_both_said():
    assert repr(viz.compare(None, 1)).count("Nothing to draw") == 2
    assert viz.compare(None, 1)._repr_mimebundle_()["image/svg+xml"].startswith("<svg")


def test_names_that_need_quotes(lib):
    x = leaf(lib, 2.0)
    y, z = x * x, x.exp()
    view = viz.compare(y, z, names={'<"&>': y, "b\\": z})
    assert 'only in <"&>' in repr(view)
    assert "only in &lt;" in view.svg


def test_long_chains_are_compared_without_recursion(lib, shallow_stack):
    x = leaf(lib, 1.0)

    def power(length):
        h = x
        for _ in range(length):
            h = h.exp()
        return h

    y, z = power(300), power(299)
    assert viz.compare(y, z).summary.startswith("In both: 299 operations and 1 leaf. Only in y: ExpBackward0")


def test_an_argument_that_takes_no_gradient_on_one_side_only_is_told_and_marked(lib):
    a, b = (lib.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    y, z = (a - b) ** 2 + a * b, (a - b.detach()) ** 2 + a * b
    view = viz.compare(y, z)
    cut = "Argument 2 of SubBackward0 comes from b in y, takes no gradient in z."
    assert view.summary == f"In both: 4 operations and 2 leaves. {cut}"
    assert [(node.kind, node.mark) for node in view.snapshot.nodes if node.mark] == [("constant", "only in z")]
    assert "Argument 2 of SubBackward0 takes no gradient in z, comes from b in y." in viz.compare(z, y).summary


def test_a_number_on_both_sides_is_no_difference(lib):
    a = lib.tensor(2.0, requires_grad=True)
    y, z = a * 3 + 1, a * 3 + 1
    assert viz.compare(y, z).summary == "y and z have the same graph, node for node: 2 operations and 1 leaf."


def test_an_operation_inserted_at_each_step_of_a_loop_is_what_only_one_has(lib):
    a, w = (lib.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    y = z = a
    for _ in range(4):
        y, z = y * w, (z * w).sin()
    names = {"a": a, "w": w, "y": y, "z": z}
    several = ", ".join(f"SinBackward0 #{number}" for number in range(1, 5))
    assert viz.compare(y, z, names=names).summary == f"In both: 4 operations and 2 leaves. Only in z: {several}."
    assert viz.compare(z, y, names=names).summary == f"In both: 4 operations and 2 leaves. Only in z: {several}."
